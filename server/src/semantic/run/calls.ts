// Calls: functions in sight run in place of the call, methods and functors on their object, lambdas in the frame that made them.
import type { CallExpr, Expr, FunctionDecl, LambdaExpr, Node, TemplateArg } from '../../syntax/ast';
import { bodyLaunches } from '../launching';
import { deduce, decay, ownTemplateParams, stripReference } from '../deduction';
import { lastPart } from '../language/program';
import { intType, noBindings, typeName, voidType, type Bindings, type StructType, type Type } from '../language/types';
import { builtinCall } from './builtins';
import { construct } from './construct';
import { compileExpr, compilePlace } from './expressions';
import { groupMethod } from './groups';
import { unknownCall } from './unknownCalls';
import { cellPlace, deref, fieldPlace, load } from './memory';
import { convert } from './operations';
import type { Scope } from './scope';
import { cellAt } from './snapshots';
import { spend, unseen, type Run } from './state';
import { Taint, type Cell, type Code, type Frame, type Path, type Place, type PlaceCode, type Value } from './values';

const deepest = 12;
const deepestOperator = 6;
const nothing: Value = { type: voidType, lanes: 0, taint: 0 };

/** A call as compiled: its arguments as values and as places, for parameters that are references. */
export interface CallSite {
  readonly expr: CallExpr;
  readonly name: string;
  readonly args: readonly Code[];
  /** Of arguments that have a place of their own. */
  readonly places: readonly (PlaceCode | undefined)[];
  readonly templateArgs: readonly TemplateArg[] | undefined;
  /** Template arguments that are numbers in the frame: constants of the function among them. */
  readonly templateNumbers: readonly (Code | undefined)[];
  readonly wanted: Type | undefined;
}

export function compileCall(scope: Scope, expr: CallExpr, wanted?: Type): Code {
  const { callee } = expr;
  if (callee.kind === 'member') return compileMethodCall(scope, expr, callee);
  if (callee.kind === 'name') return compileNamedCall(scope, expr, callee, wanted);
  const site = siteOf(scope, expr, 'call', wanted);
  const target = compileExpr(scope, callee);
  return (path, frame) => {
    const held = target(path, frame);
    return (
      callHeld(site, held, { kind: 'value', value: held, type: held.type }, path, frame) ??
      unknownCall(site, path, frame)
    );
  };
}

function siteOf(scope: Scope, expr: CallExpr, name: string, wanted?: Type): CallSite {
  const { callee } = expr;
  const templateArgs = callee.kind === 'name' || callee.kind === 'member' ? callee.templateArgs : undefined;
  return {
    expr,
    name,
    args: expr.args.map((arg) => compileExpr(scope, arg)),
    places: expr.args.map((arg) => (hasPlace(arg) ? compilePlace(scope, arg) : undefined)),
    templateArgs,
    templateNumbers: compileTemplateNumbers(scope, templateArgs),
    wanted,
  };
}
function hasPlace(arg: Expr): boolean {
  return (
    arg.kind === 'name' ||
    arg.kind === 'index' ||
    arg.kind === 'member' ||
    (arg.kind === 'unary' && (arg.op === '*' || arg.op === '&'))
  );
}

export function compileTemplateNumbers(
  scope: Scope,
  args: readonly TemplateArg[] | undefined,
): readonly (Code | undefined)[] {
  return (args ?? []).map((arg) => {
    if ('expr' in arg) return compileExpr(scope, arg.expr);
    const name = arg.type.kind === 'named' && !arg.type.args ? arg.type.name : undefined;
    if (name === undefined || !scope.lookup(name)) return undefined;
    return compileExpr(scope, { kind: 'name', name, start: 0, end: 0 });
  });
}
export function numbersOf(codes: readonly (Code | undefined)[], path: Path, frame: Frame): (number | undefined)[] {
  return codes.map((code) => {
    const value = code?.(path, frame);
    if (!value || typeof value.lanes !== 'number' || value.type.kind !== 'scalar') return undefined;
    return value.taint & ~Taint.thread & ~Taint.block ? undefined : value.lanes;
  });
}

function valuesOf(site: CallSite, path: Path, frame: Frame): Value[] {
  return site.args.map((arg) => arg(path, frame));
}

/** A lambda or functor that a variable or expression holds. */
function callHeld(site: CallSite, held: Value, place: Place, path: Path, frame: Frame): Value | undefined {
  if (held.lambda) return callLambda(held.lambda, valuesOf(site, path, frame), path, frame, site.expr);
  if (held.type.kind !== 'struct') return undefined;
  const method = methodsOf(frame.run, held.type, 'operator()', site.args.length)[0];
  if (!method || frame.depth >= deepest) return unknownCall({ ...site, name: 'operator()' }, path, frame);
  return callSite(site, method, valuesOf(site, path, frame), place, path, frame);
}

function callSite(
  site: CallSite,
  fn: FunctionDecl,
  values: readonly Value[],
  self: Place | undefined,
  path: Path,
  frame: Frame,
): Value {
  const templated = site.templateArgs?.length
    ? { args: site.templateArgs, numbers: numbersOf(site.templateNumbers, path, frame) }
    : undefined;
  return call(fn, values, templated, self, path, frame, site.expr, site.places);
}

function compileNamedCall(
  scope: Scope,
  expr: CallExpr,
  callee: Expr & { kind: 'name' },
  wanted: Type | undefined,
): Code {
  const name = lastPart(callee.name);
  const site = siteOf(scope, expr, name, wanted);
  const ref = scope.lookup(callee.name);
  const builtin = builtinCall(scope, site, callee);
  const functions = scope.functions(callee.name);
  const bindings = scope.bindings();
  const { within } = scope;
  const fits = (fn: FunctionDecl): boolean =>
    !!fn.body &&
    !fn.global &&
    fn.params.length >= expr.args.length &&
    fn.params.slice(expr.args.length).every((param) => param.init || param.pack) &&
    (!fn.className ||
      fn.className === within ||
      (within ?? '').endsWith(lastPart(fn.className)) ||
      callee.name.includes('::'));
  const fitting = functions.filter(fits);
  const named = {
    kind: 'named' as const,
    name: callee.name,
    ...(callee.templateArgs ? { args: callee.templateArgs } : {}),
  };
  const type = scope.types.resolve(named, bindings, within);
  return (path, frame) => {
    const { run } = frame;
    spend(run);
    const cell = ref && cellAt(frame, ref);
    if (cell) {
      const place = cellPlace(cell);
      const held = load(run, place, path, frame, callee);
      const value = callHeld(site, held, place, path, frame);
      if (value) return value;
    }
    const known = builtin?.(path, frame);
    if (known) return known;
    const { self } = frame;
    if (self?.type.kind === 'struct' && !callee.name.includes('::')) {
      // A member of the object, of a base class out of the function's own sight, or a functor field.
      const methods = fitting.length ? [] : methodsOf(run, self.type, name, expr.args.length);
      if (methods[0] && frame.depth < deepest)
        return callSite(site, methods[0], valuesOf(site, path, frame), self, path, frame);
    }
    if (fitting.length && frame.depth < deepest) {
      const values = valuesOf(site, path, frame);
      const best = pickOverload(run, fitting, values, frame, callee.name);
      const isMethod = best.className !== undefined && self !== undefined;
      return callSite(site, best, values, isMethod ? self : undefined, path, frame);
    }
    if (type.kind === 'struct' || type.kind === 'scalar')
      return construct(run, type, valuesOf(site, path, frame), path, frame, expr);
    return unknownCall(site, path, frame);
  };
}

function compileMethodCall(scope: Scope, expr: CallExpr, callee: Expr & { kind: 'member' }): Code {
  const site = siteOf(scope, expr, callee.field);
  const pointer = callee.arrow ? compileExpr(scope, callee.object) : undefined;
  const object = pointer ? undefined : compilePlace(scope, callee.object);
  return (path, frame) => {
    const { run } = frame;
    spend(run);
    const place = pointer ? deref(run, pointer(path, frame), callee) : object!(path, frame);
    const { type } = place;
    const group = groupMethod(site, place, path, frame);
    if (group) return group;
    if (type.kind === 'struct' && frame.depth < deepest) {
      if (type.fields.has(callee.field)) {
        const field = fieldPlace(run, place, callee.field, callee);
        const held = load(run, field, path, frame, callee);
        const value = callHeld(site, held, field, path, frame);
        if (value) return value;
      }
      const methods = methodsOf(run, type, callee.field, expr.args.length);
      if (methods.length) {
        const values = valuesOf(site, path, frame);
        return callSite(site, pickOverload(run, methods, values, frame, callee.field), values, place, path, frame);
      }
    }
    // `lambda.template operator()<4>()`
    const operator = callee.field === 'operator()' || callee.field === 'operator_';
    const held = operator ? load(run, place, path, frame, callee) : undefined;
    if (held?.lambda) {
      const numbers = numbersOf(site.templateNumbers, path, frame);
      return callLambda(held.lambda, valuesOf(site, path, frame), path, frame, expr, numbers);
    }
    return unknownCall(site, path, frame, place);
  };
}

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
  const within = frame.fn.className;
  return fn.params.every((param, at) => {
    const type = stripReference(run.setup.types.resolve(param.type, noBindings, within));
    const given = operands[at]!.type;
    if (type.kind === 'struct') return given.kind === 'struct' && given.name === type.name;
    return type.kind === 'unknown' || given.kind !== 'struct';
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
    if (value.target) return isField ? fieldPlace(run, value.target, node.field, node) : value.target;
    if (isField && value.type.kind === 'pointer') return fieldPlace(run, deref(run, value, node), node.field, node);
    return { kind: 'value', value, type: value.type };
  }
  const taint = args.reduce((all, arg) => all | arg.taint, object.kind === 'value' ? object.value.taint : 0);
  const varying = args.find((arg) => typeof arg.lanes !== 'number');
  const unknown: Type = { kind: 'unknown', name };
  const marks = taint | Taint.chosen | (varying ? Taint.maybe : 0);
  const value = unseen(run, unknown, `${name}@${node.start}`, marks, varying?.lanes);
  return { kind: 'value', value, type: value.type };
}

export function methodsOf(run: Run, type: StructType, name: string, count: number): FunctionDecl[] {
  const fits = (fn: FunctionDecl): boolean =>
    fn.params.length >= count && fn.params.slice(count).every((param) => param.init);
  const own = type.decl?.methods.filter((fn) => fn.name === name && fits(fn)) ?? [];
  const bodies = own.filter((fn) => fn.body);
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

function pickOverload(
  run: Run,
  functions: readonly FunctionDecl[],
  values: readonly Value[],
  frame: Frame,
  name: string,
): FunctionDecl {
  if (functions.length === 1) return functions[0]!;
  let best = functions[0]!;
  let bestScore = -1;
  const within = frame.fn.className;
  for (const fn of functions) {
    let score =
      (fn.device !== run.setup.host ? 4 : 0) +
      (fn.params.length === values.length ? 4 : 0) +
      (fn.qualifiedName === name ? 8 : 0);
    fn.params.forEach((param, at) => {
      const given = values[at]?.type;
      if (!given) return;
      const type = stripReference(run.setup.types.resolve(param.type, noBindings, within));
      if (type.kind === given.kind) score += typeName(type) === typeName(given) ? 3 : 1;
    });
    if (score > bestScore) {
      best = fn;
      bestScore = score;
    }
  }
  return best;
}

interface Templated {
  readonly args: readonly TemplateArg[];
  readonly numbers: readonly (number | undefined)[];
}

/** Runs a function's body in place of the call. `places` lets reference parameters bind to the caller's variables. */
export function call(
  fn: FunctionDecl,
  values: readonly Value[],
  templated: Templated | undefined,
  self: Place | undefined,
  path: Path,
  frame: Frame,
  node: Node,
  places?: readonly (PlaceCode | undefined)[],
): Value {
  const { run } = frame;
  if (frame.depth >= deepest || !fn.body) return { type: intType, lanes: 0, taint: 0 };
  run.functions.add(fn.key);
  if (run.setup.host && onlyFillsArrays(run, fn, values, self)) return nothing;
  if (run.setup.host && frame.depth <= 6) run.setup.reached?.add(fn.key);
  const own = self?.type.kind === 'struct' ? self.type.bindings : undefined;
  const bindings = bindCall(run, fn, values, templated, own ?? noBindings, frame);
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
    ...(self ? { self } : {}),
    ...(via ? { via } : {}),
  };
  const inside: Path = path.breaks ? { ...path, breaks: undefined } : path;
  code.params.forEach((param, at) => {
    if (!param.name) return;
    const { name, node: declaredAt } = param;
    const place = param.type.kind === 'reference' ? places?.[at]?.({ ...path, quiet: true }, frame) : undefined;
    if (place && place.kind !== 'value') {
      inner.slots[param.slot] = { name, type: place.type, ref: place, node: declaredAt, fn };
      return;
    }
    const value = values[at] ?? param.init?.(inside, inner);
    const type = param.plain.kind === 'unknown' && value ? decay(value.type) : param.plain;
    const given = value ? convert(run, value, type) : unseen(run, type, name, Taint.chosen);
    inner.slots[param.slot] = { name, type, value: given, node: declaredAt, fn } satisfies Cell;
  });
  code.body!(inside, inner);
  if (inner.resultPlace)
    return { type: { kind: 'reference', to: inner.resultPlace.type }, lanes: 0, taint: 0, target: inner.resultPlace };
  if (!inner.result) return nothing;
  return code.returns.kind === 'unknown' ? inner.result : convert(run, inner.result, stripReference(code.returns));
}

/** Host code that hands nothing back but what it writes to arrays: no launch hangs on it. */
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
  const own = ownTemplateParams(fn);
  const caller = frame.bindings ?? noBindings;
  const explicit = templated ? types.bind(own.slice(0, templated.args.length), templated.args, caller) : noBindings;
  const bound = new Map<string, Type>([...outer.types, ...explicit.types]);
  const numbers = new Map<string, number>([...outer.values, ...explicit.values]);
  templated?.numbers.forEach((number, at) => {
    const param = own[at];
    if (param?.kind === 'value' && number !== undefined) numbers.set(param.name, number);
  });
  const written = fn.params.map((param) => param.type);
  deduce(
    own,
    written,
    values.map((value) => value.type),
    bound,
    numbers,
  );
  const scope: Bindings = { types: bound, values: numbers };
  for (const param of own) {
    if (param.kind === 'value' && param.default && !numbers.has(param.name)) {
      const value = types.constant(param.default, scope);
      if (value !== undefined) numbers.set(param.name, value);
    }
    if (param.kind === 'type' && param.default && !bound.has(param.name))
      bound.set(param.name, types.resolve(param.default, scope));
  }
  return scope;
}
export function callLambda(
  lambda: { readonly code: NonNullable<Value['lambda']>['code']; readonly expr: LambdaExpr; readonly frame: Frame },
  values: readonly Value[],
  path: Path,
  frame: Frame,
  node: Node,
  numbers: readonly (number | undefined)[] = [],
): Value {
  const { run } = frame;
  if (frame.depth >= deepest) return { type: intType, lanes: 0, taint: 0 };
  const { code, frame: madeIn } = lambda;
  const via = frame.via ?? (frame.depth === 0 ? node : undefined);
  const inner: Frame = {
    run,
    fn: madeIn.fn,
    slots: new Array(code.slots),
    parent: madeIn,
    depth: frame.depth + 1,
    conditionsBefore: path.conditions?.depth ?? 0,
    ...(madeIn.self ? { self: madeIn.self } : {}),
    ...(madeIn.bindings ? { bindings: madeIn.bindings } : {}),
    ...(via ? { via } : {}),
  };
  code.numbers.forEach((param, at) => {
    if (!param) return;
    const number = numbers[at];
    const value =
      number === undefined
        ? unseen(run, intType, param.name, Taint.chosen)
        : { type: intType, lanes: number, taint: Taint.none };
    inner.slots[param.slot] = { name: param.name, type: intType, value, node: param.node, fn: madeIn.fn };
  });
  code.params.forEach((param, at) => {
    const value = values[at] ?? unseen(run, param.type, param.name, Taint.chosen);
    const type = param.type.kind === 'unknown' ? value.type : param.type;
    inner.slots[param.slot] = { name: param.name, type, value, node: param.node, fn: madeIn.fn };
  });
  code.body(path.breaks ? { ...path, breaks: undefined } : path, inner);
  return inner.result ?? nothing;
}
