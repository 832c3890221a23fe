// Runs functions in place of calls: methods and operators on their objects, lambdas in the frame that made them.
import { stepsOf } from '../steps';
import {
  scopeAround,
  bodyLaunches,
  instanceKey,
  deduce,
  decay,
  ownTemplateParams,
  stripReference,
  withDefaults,
  intType,
  noBindings,
  typeName,
  voidType,
  type Bindings,
  type StructType,
  type Type,
} from '../language';
import type { CallSite, Templated } from './callSite';
import { convert } from './conversions';
import type { Expr, FunctionDecl, Node, TemplateParam } from '../../syntax/ast';
import { deref, fieldPlace } from './memory';
import { passedKernels } from './functionTemplates';
import { packOf, takesSoMany } from './packs';
import { unseen } from './state';
import {
  blank,
  plain,
  Taint,
  type Cell,
  type Frame,
  type LambdaValue,
  type Path,
  type Place,
  type Run,
  type Value,
} from './values';

const deepest = 12;
const deepestOperator = 6;
const nothing: Value = plain(voidType, 0, 0);

export function callOperator(
  name: string,
  operands: readonly Value[],
  path: Path,
  frame: Frame,
  node: Expr,
  place?: Place,
): Value | undefined {
  if (frame.depth > deepestOperator) return undefined;
  const { run } = frame;
  const first = operands[0]!;
  if (first.type.kind === 'struct' && first.type.decl) {
    const method = first.type.decl.methods.find(
      (each) => each.name === name && each.body && each.params.length === operands.length - 1,
    );
    const self: Place = place ?? { kind: 'value', value: first, type: first.type };
    if (method) return call(method, operands.slice(1), undefined, self, path, frame, node);
  }
  run.asked.add(name);
  const free = run.setup.program
    .functions(name)
    .find(
      (fn) => fn.body && !fn.className && fn.params.length === operands.length && accepts(run, fn, operands, frame),
    );
  return free ? call(free, operands, undefined, undefined, path, frame, node) : undefined;
}

/** Do the operands' struct types fit the parameters as written? Scalars fit everything that is not a struct. */
function accepts(run: Run, fn: FunctionDecl, operands: readonly Value[], frame: Frame): boolean {
  const within = scopeAround(frame.fn);
  return fn.params.every((param, at) => {
    const type = stripReference(run.setup.types.resolve(param.type, noBindings, within));
    const actual = operands[at]!.type;
    if (type.kind === 'struct') return actual.kind === 'struct' && actual.name === type.name;
    return type.kind === 'unknown' || actual.kind !== 'struct';
  });
}

/** `a[i]`, `*p` and `p->x` of an object that defines them. */
export function viaMethod(
  name: string,
  object: Place,
  args: readonly Value[],
  path: Path,
  frame: Frame,
  node: Expr,
): Place {
  const { run } = frame;
  const { type } = object;
  const method = type.kind === 'struct' ? methodsOf(run, type, name, args.length)[0] : undefined;
  if (method && frame.depth < deepest) {
    const value = call(method, args, undefined, object, path, frame, node);
    const isField = node.kind === 'member';
    if (value.target) return isField ? fieldPlace(run, value.target, node.field) : value.target;
    if (isField && value.type.kind === 'pointer') return fieldPlace(run, deref(run, value), node.field);
    return { kind: 'value', value, type: value.type };
  }
  run.recorder.lose(node, 'unknown-type', path, frame);
  const taint = args.reduce((all, arg) => all | arg.taint, object.kind === 'value' ? object.value.taint : 0);
  const varying = args.find((arg) => typeof arg.lanes !== 'number');
  const unknown: Type = { kind: 'unknown', name };
  const marks = taint | Taint.chosen | (varying ? Taint.maybe : 0);
  const value = unseen(run, unknown, `${name}@${node.start}`, marks, varying?.lanes, name, 'call');
  return { kind: 'value', value, type: value.type };
}

export function methodsOf(run: Run, type: StructType, name: string, count: number): FunctionDecl[] {
  const fits = (fn: FunctionDecl): boolean => takesSoMany(fn, count);
  const methods = type.decl?.methods.filter((fn) => fn.name === name && fits(fn)) ?? [];
  const bodies = methods.filter((fn) => fn.body);
  if (bodies.length) return bodies;
  const className = type.decl?.qualifiedName;
  if (!className) return [];
  run.asked.add(name);
  const isOf = (of: string): boolean =>
    of === className || className.endsWith(`::${of}`) || of.endsWith(`::${className}`);
  const outside = run.setup.program
    .functions(name)
    .filter((fn) => fn.body && fn.className && isOf(fn.className) && fits(fn));
  if (outside.length) return outside;
  for (const base of type.decl?.bases ?? []) {
    const resolved = run.setup.types.resolve(base, type.bindings, className);
    const inherited =
      resolved.kind === 'struct' && resolved.decl !== type.decl ? methodsOf(run, resolved, name, count) : [];
    if (inherited.length) return inherited;
  }
  return [];
}

export function pickOverload(
  run: Run,
  functions: readonly FunctionDecl[],
  values: readonly Value[],
  frame: Frame,
  name: string,
): FunctionDecl {
  if (functions.length === 1) return functions[0]!;
  let best = functions[0]!;
  let bestScore = -1;
  const within = scopeAround(frame.fn);
  const names = values.map(({ type }) => typeName(type));
  for (const fn of stepsOf(functions)) {
    let score =
      (fn.device !== run.setup.host ? 4 : 0) +
      (fn.params.length === values.length ? 4 : 0) +
      (fn.qualifiedName === name ? 8 : 0);
    fn.params.forEach((param, at) => {
      const actual = values[at]?.type;
      if (!actual) return;
      const type = stripReference(run.setup.types.resolve(param.type, noBindings, within));
      if (type.kind === actual.kind) score += typeName(type) === names[at] ? 3 : 1;
    });
    if (score > bestScore) {
      best = fn;
      bestScore = score;
    }
  }
  return best;
}

/** Runs a body in place of the call: `site` binds reference parameters, and values are read only now. */
export function call(
  fn: FunctionDecl,
  values: readonly Value[],
  templated: Templated | undefined,
  self: Place | undefined,
  path: Path,
  frame: Frame,
  node: Node,
  site?: Pick<CallSite, 'places' | 'again'>,
): Value {
  const { run } = frame;
  if (frame.depth >= deepest || !fn.body) return plain(intType, 0, 0);
  run.functions.add(fn.key);
  if (run.setup.host && onlyFillsArrays(run, fn, values, self)) return nothing;
  if (run.setup.host && frame.depth <= 6) run.setup.reached?.add(fn.key);
  const ofObject = self?.type.kind === 'struct' ? self.type.bindings : undefined;
  const bindings = bindCall(run, fn, values, templated, ofObject ?? noBindings, frame);
  if (run.setup.host && fn.templateParams) run.setup.reached?.add(instanceKey(fn, bindings));
  const code = run.setup.compiler.codeOf(fn, bindings);
  for (const name of code.asked) run.asked.add(name);
  const via = frame.via ?? (frame.depth === 0 ? node : undefined);
  const inner: Frame = {
    run,
    fn,
    slots: new Array(code.slots),
    depth: frame.depth + 1,
    conditionsBefore: path.conditions?.depth ?? 0,
    bindings,
    functions: templated && passedKernels(meantBy(fn, templated), templated.args, frame),
    caller: { node, frame },
    ...(self ? { self } : {}),
    ...(via ? { via } : {}),
  };
  const inside: Path = path.breaks ? { ...path, breaks: undefined } : path;
  code.params.forEach((param, at) => {
    if (!param.name) return;
    const { name, node: declaredAt } = param;
    if (declaredAt.pack) {
      const rest = values.slice(at).map((value, index) => site?.again[at + index]?.(path, frame) ?? value);
      packOf(run, param, rest, inner);
      return;
    }
    const place = param.type.kind === 'reference' ? site?.places[at]?.({ ...path, quiet: true }, frame) : undefined;
    if (place && place.kind !== 'value') {
      inner.slots[param.slot] = { name, type: place.type, ref: place, node: declaredAt, fn };
      return;
    }
    const value = site?.again[at]?.(path, frame) ?? values[at] ?? param.init?.(inside, inner);
    const type = param.plain.kind === 'unknown' && value ? decay(value.type) : param.plain;
    const initial = value ? convert(run, value, type) : unseen(run, type, name, Taint.chosen);
    inner.slots[param.slot] = { name, type, value: initial, node: declaredAt, fn } satisfies Cell;
  });
  code.body!(inside, inner);
  if (inner.resultPlace)
    return {
      ...blank,
      type: { kind: 'reference', to: inner.resultPlace.type },
      lanes: 0,
      taint: 0,
      target: inner.resultPlace,
    };
  if (!inner.result) return nothing;
  return code.returns.kind === 'unknown' ? inner.result : convert(run, inner.result, stripReference(code.returns));
}

/** Host code that only writes to arrays: no launch depends on it. */
function onlyFillsArrays(run: Run, fn: FunctionDecl, values: readonly Value[], self: Place | undefined): boolean {
  if (self || fn.returns.kind !== 'named' || fn.returns.name !== 'void') return false;
  if (
    fn.params.some((param) => param.type.kind === 'reference') ||
    values.some((value) => value.target || value.lambda)
  )
    return false;
  const toStructs = values.some(
    ({ type }) => type.kind === 'pointer' && type.to.kind === 'struct' && type.to.vector === undefined,
  );
  return !toStructs && !bodyLaunches(fn.body!, run.setup.program);
}

/** `f<3>()` gives the function's own parameters, `C<3>::f()` those of the class. */
function meantBy(fn: FunctionDecl, templated: Templated | undefined): readonly TemplateParam[] {
  const ofFunction = ownTemplateParams(fn);
  return templated?.ofClass || ofFunction.length === 0 ? (fn.templateParams ?? []) : ofFunction;
}

function bindCall(
  run: Run,
  fn: FunctionDecl,
  values: readonly Value[],
  templated: Templated | undefined,
  outer: Bindings,
  frame: Frame,
): Bindings {
  if (!fn.templateParams?.length) return outer;
  const { types } = run.setup;
  const all = fn.templateParams;
  const meant = meantBy(fn, templated);
  const caller = frame.bindings ?? noBindings;
  const explicit = templated ? types.bind(meant.slice(0, templated.args.length), templated.args, caller) : noBindings;
  const bound = new Map<string, Type>([...outer.types, ...explicit.types]);
  const numbers = new Map<string, number>([...outer.values, ...explicit.values]);
  templated?.numbers.forEach((number, at) => {
    const param = meant[at];
    if (param?.kind === 'value' && number !== undefined) numbers.set(param.name, number);
  });
  // The arguments of a pack differ in type.
  const written = fn.params.filter(({ pack }) => !pack).map((param) => param.type);
  deduce(
    all,
    written,
    values.map((value) => value.type),
    bound,
    numbers,
  );
  return withDefaults(all, bound, numbers, types);
}
export function callLambda(
  lambda: LambdaValue,
  values: readonly Value[],
  path: Path,
  frame: Frame,
  node: Node,
  numbers: readonly (number | undefined)[] = [],
): Value {
  const { run } = frame;
  if (frame.depth >= deepest) return plain(intType, 0, 0);
  const { code, frame: creator } = lambda;
  const fn = run.setup.host ? creator.fn : code.fn;
  run.functions.add(creator.fn.key);
  const via = frame.via ?? (frame.depth === 0 ? node : undefined);
  const inner: Frame = {
    run,
    fn,
    slots: new Array(code.slots),
    parent: creator,
    depth: frame.depth + 1,
    conditionsBefore: path.conditions?.depth ?? 0,
    ...(creator.self ? { self: creator.self } : {}),
    ...(creator.bindings ? { bindings: creator.bindings } : {}),
    ...(via ? { via } : {}),
  };
  code.numbers.forEach((param, at) => {
    if (!param) return;
    const number = numbers[at];
    const value =
      number === undefined ? unseen(run, intType, param.name, Taint.chosen) : plain(intType, number, Taint.none);
    inner.slots[param.slot] = { name: param.name, type: intType, value, node: param.node, fn };
  });
  code.params.forEach((param, at) => {
    const value = values[at] ?? unseen(run, param.type, param.name, Taint.chosen);
    const type = param.type.kind === 'unknown' ? value.type : param.type;
    inner.slots[param.slot] = { name: param.name, type, value, node: param.node, fn };
  });
  code.body(path.breaks ? { ...path, breaks: undefined } : path, inner);
  return inner.result ?? nothing;
}
