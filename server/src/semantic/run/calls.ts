// Calls: known functions run in place of the call, methods and functors on their object, lambdas in the frame that made
// them.
import { call, callLambda, methodsOf, pickOverload } from './calling';
import { compileTemplateNumbers, numbersOf, type CallSite, type Templated } from './callSite';
import type { CallExpr, Expr, FunctionDecl, TypeSyntax } from '../../syntax/ast';
import { exchangeOf, givesPointer, lastPart, type Type, isConstructor, some } from '../language';
import { builtinCall } from './builtins';
import { construct } from './construct';
import { ofWrittenArgs } from './functionTemplates';
import { compileArgs, isExpansion, takesSoMany } from './packs';
import { groupMethod } from './groups';
import { endSections } from './stretchEnds';
import { ownerMethod } from './owners';
import { unknownCall } from './unknownCalls';
import { cellPlace, deref, fieldPlace, load } from './memory';
import type { Scope } from './scope';
import { cellAt } from './snapshots';
import { spend } from './state';
import { plain, Taint, type Code, type Frame, type FunctionNamed, type Path, type Place, type Value } from './values';

const deepest = 12;

export function compileCall(scope: Scope, expr: CallExpr, wanted?: Type): Code {
  const { callee } = expr;
  if (callee.kind === 'member') return compileMethodCall(scope, expr, callee);
  if (callee.kind === 'name') return compileNamedCall(scope, expr, callee, wanted);
  const site = siteOf(scope, expr, 'call', wanted);
  const target = scope.expr(callee);
  return (path, frame) => {
    const held = target(path, frame);
    return (
      callHeld(site, held, { kind: 'value', value: held, type: held.type }, path, frame) ??
      unknownCall(site, path, frame, undefined, true)
    );
  };
}

function siteOf(scope: Scope, expr: CallExpr, name: string, wanted?: Type): CallSite {
  const { callee } = expr;
  const templateArgs = callee.kind === 'name' || callee.kind === 'member' ? callee.templateArgs : undefined;
  const args = expr.args.map((arg) => scope.expr(arg));
  const open = expr.args.some(isExpansion);
  return {
    expr,
    name,
    args,
    values: open ? compileArgs(scope, expr.args) : (path, frame) => args.map((arg) => arg(path, frame)),
    open,
    // Behind a pack the places have other numbers.
    again: open ? [] : expr.args.map((arg, at) => (hasPlace(arg) && changesNothing(arg) ? args[at] : undefined)),
    places: open ? [] : expr.args.map((arg) => (hasPlace(arg) ? scope.place(arg) : undefined)),
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

/** Names, numbers and arithmetic: what may be evaluated twice. */
function changesNothing(expr: Expr): boolean {
  return !some(expr, ({ kind }) => !/^(name|number|index|member|unary|binary|cast)$/.test(kind));
}

/** What the arguments are before a function is chosen; what it takes by value is read when it is called. */
function lookedAt(site: CallSite, path: Path, frame: Frame): Value[] {
  const quiet: Path = { ...path, quiet: true };
  if (site.open) return site.values(path, frame);
  return site.args.map((arg, at) => arg(site.again[at] ? quiet : path, frame));
}

/** A function of host code that a variable holds: launchers are handed to what times them. */
function callNamed(site: CallSite, named: FunctionNamed, path: Path, frame: Frame): Value | undefined {
  const { kernelName, templateArgs, templateNumbers = [], bindings } = named;
  const { run } = frame;
  const takes = (fn: FunctionDecl): boolean =>
    !!fn.body && fn.host && !fn.global && !fn.className && takesSoMany(fn, site.args.length);
  const functions = run.setup.program.functions(kernelName).filter(takes);
  const templated = templateArgs && { args: templateArgs, numbers: templateNumbers, ofClass: false };
  const written = ofWrittenArgs(functions, templated, { ...frame, bindings });
  if (!run.setup.host || written.length === 0 || frame.depth >= deepest) return undefined;
  const values = lookedAt(site, path, frame);
  const best = pickOverload(run, written, values, frame, kernelName);
  return call(best, values, templated, undefined, path, frame, site.expr, site);
}

/** A lambda, functor or function that a variable or expression holds. */
function callHeld(site: CallSite, held: Value, place: Place, path: Path, frame: Frame): Value | undefined {
  if (held.lambda) return callLambda(held.lambda, site.values(path, frame), path, frame, site.expr);
  if (held.function) return callNamed(site, held.function, path, frame);
  if (held.type.kind !== 'struct') return undefined;
  const method = methodsOf(frame.run, held.type, 'operator()', site.args.length)[0];
  if (!method || frame.depth >= deepest)
    return unknownCall({ ...site, name: 'operator()' }, path, frame, undefined, true);
  return callSite(site, method, lookedAt(site, path, frame), place, path, frame);
}

function callSite(
  site: CallSite,
  fn: FunctionDecl,
  values: readonly Value[],
  self: Place | undefined,
  path: Path,
  frame: Frame,
): Value {
  return call(fn, values, templatedOf(site, path, frame), self, path, frame, site.expr, site);
}

function templatedOf(site: CallSite, path: Path, frame: Frame): Templated | undefined {
  if (!site.templateArgs?.length) return undefined;
  const { callee } = site.expr;
  const ofClass = callee.kind === 'name' && callee.scopeArgs === site.templateArgs;
  return { args: site.templateArgs, numbers: numbersOf(site.templateNumbers, path, frame), ofClass };
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
  const isWithin = (className: string): boolean =>
    className === within || within === lastPart(className) || !!within?.endsWith(`::${lastPart(className)}`);
  const fits = (fn: FunctionDecl): boolean =>
    !!fn.body &&
    !fn.global &&
    (site.open || takesSoMany(fn, expr.args.length)) &&
    // `T(…)` makes a separate object, also where a member of `T` says it.
    (!fn.className || (!isConstructor(fn) && (isWithin(fn.className) || callee.name.includes('::'))));
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
    if (known) {
      endSections(run, name, known.type);
      return known;
    }
    const { self } = frame;
    if (self?.type.kind === 'struct' && !callee.name.includes('::')) {
      // A member of the object, of a base class out of the function's own sight, or a functor field.
      const methods = fitting.length ? [] : methodsOf(run, self.type, name, expr.args.length);
      if (methods[0] && !isConstructor(methods[0]) && frame.depth < deepest)
        return callSite(site, methods[0], lookedAt(site, path, frame), self, path, frame);
    }
    if (fitting.length && frame.depth < deepest) {
      const written = ofWrittenArgs(fitting, templatedOf(site, path, frame), frame);
      if (written.length === 0) return unknownCall(site, path, frame);
      const values = lookedAt(site, path, frame);
      const left = site.open ? written.filter((fn) => takesSoMany(fn, values.length)) : written;
      if (left.length === 0) return unknownCall(site, path, frame);
      const best = pickOverload(run, left, values, frame, callee.name);
      const isMethod = best.className !== undefined && self !== undefined;
      return callSite(site, best, values, isMethod ? self : undefined, path, frame);
    }
    if (type.kind === 'struct' || type.kind === 'scalar')
      return construct(run, type, site.values(path, frame), path, frame, expr);
    if (type.kind === 'unknown' && exchangeOf(type.name)) return collective(site, type, path, frame);
    const value = unknownCall(site, path, frame, undefined, cell !== undefined);
    endSections(run, name, value.type);
    return value;
  };
}

/** An object of CUB, which keeps nothing but the storage that it was made with. */
function collective(site: CallSite, type: Type, path: Path, frame: Frame): Value {
  for (const arg of site.args) arg({ ...path, quiet: true }, frame);
  const storage = site.args.length === 1 ? site.places[0]?.({ ...path, quiet: true }, frame) : undefined;
  return { ...plain(type, 0, Taint.chosen), target: storage };
}

/** What `tensor.data_ptr<T>()` gives, where the tensor's class is not known. */
function pointerReturnedBy(scope: Scope, { field, templateArgs }: Expr & { kind: 'member' }): Type | undefined {
  const [arg, another] = templateArgs ?? [];
  if (!givesPointer(field) || !arg || another) return undefined;
  const to = 'type' in arg ? arg.type : typeNamedBy(arg.expr);
  return to && scope.types.resolve({ kind: 'pointer', to }, scope.bindings(), scope.within);
}

function typeNamedBy(expr: Expr): TypeSyntax | undefined {
  if (expr.kind !== 'name') return undefined;
  return { kind: 'named', name: expr.name, ...(expr.templateArgs ? { args: expr.templateArgs } : {}) };
}

function compileMethodCall(scope: Scope, expr: CallExpr, callee: Expr & { kind: 'member' }): Code {
  const site = siteOf(scope, expr, callee.field, pointerReturnedBy(scope, callee));
  const pointer = callee.arrow ? scope.expr(callee.object) : undefined;
  const object = pointer ? undefined : scope.place(callee.object);
  return (path, frame) => {
    const { run } = frame;
    spend(run);
    const place = pointer ? deref(run, pointer(path, frame)) : object!(path, frame);
    const { type } = place;
    const group = groupMethod(site, place, path, frame);
    if (group) return group;
    if (type.kind === 'struct' && frame.depth < deepest) {
      if (type.fields.has(callee.field)) {
        const field = fieldPlace(run, place, callee.field);
        const held = load(run, field, path, frame, callee);
        const value = callHeld(site, held, field, path, frame);
        if (value) return value;
      }
      const methods = methodsOf(run, type, callee.field, expr.args.length);
      if (methods.length) {
        const values = lookedAt(site, path, frame);
        return callSite(site, pickOverload(run, methods, values, frame, callee.field), values, place, path, frame);
      }
    }
    // `lambda.template operator()<4>()`
    const operator = callee.field === 'operator()' || callee.field === 'operator_';
    const held = operator ? load(run, place, path, frame, callee) : undefined;
    if (held?.lambda) {
      const numbers = numbersOf(site.templateNumbers, path, frame);
      return callLambda(held.lambda, site.values(path, frame), path, frame, expr, numbers);
    }
    const owned = run.setup.host ? ownerMethod(site, place, path, frame) : undefined;
    return owned ?? unknownCall(type.kind === 'struct' ? { ...site, wanted: undefined } : site, path, frame, place);
  };
}
