// What a function or a class of the program does of the runtime whenever it is used: a wait at its end, memory that it
// makes or gives back.
import type { CallExpr, Expr, FunctionDecl, ParamDecl, Stmt, VarDecl } from '../../syntax/ast';
import {
  type Fn,
  argumentOf,
  calledName,
  categoryOf,
  owningVectors,
  partners,
  lastPart,
  calleeName,
  localsOf,
  statementsOf,
  containsLaunch,
  mentions,
  oncePerFunction,
  some,
  walk,
  type AnySyntax,
} from '../language';
import type { Span } from '../model';
import { definitionsOf, type Defined, definedAs, onlyChecks } from './callees';
import { addressedVariable, placeOf } from './places';

interface WaitWithin {
  readonly name: string;
  /** The argument of the call that is the stream, where it waits for one. */
  readonly stream?: Expr | undefined;
  /** It does nothing else but check for errors. */
  readonly only: boolean;
}

/** The wait with which each function that a call may run ends. */
export function waitWithin(call: CallExpr, fn: Fn): WaitWithin | undefined {
  const bodies = definitionsOf(call, fn);
  const waits = bodies.map((decl) => finalWait(decl, fn));
  const found = waits[0];
  if (found === undefined || waits.some((other) => other === undefined)) return undefined;
  // One stream of many is another one for each call, as far as is known.
  const stream = found.args[0];
  const name = calleeName(found)!;
  const isOfStream = name === 'cudaStreamSynchronize' && stream?.kind !== 'number';
  const given = stream?.kind === 'name' ? argumentOf(stream.name, bodies[0]!, call.args) : undefined;
  if (isOfStream && (waits.length > 1 || !given)) return undefined;
  return {
    name,
    ...(isOfStream && { stream: given }),
    only: bodies.every((decl) => onlyChecks(decl, fn) && saysNothing(decl)),
  };
}

/** Prints nothing but errors: each statement makes a runtime call, or asks for more than what the caller hands over. */
function saysNothing({ body, params }: Defined): boolean {
  return alwaysRun(body).every((statement) => {
    if (statement.kind === 'if') return !params.some(({ name }) => mentions(statement.cond, name));
    return statement.kind !== 'expr' || callsOf(statement).length > 0;
  });
}

const finalWait = oncePerFunction((decl: Defined, fn: Fn): CallExpr | undefined => {
  const text = fn.program.fileOf(decl)?.text.slice(decl.base + decl.body.start, decl.base + decl.body.end) ?? '';
  // A debug build may be all that waits.
  if (/^\s*#\s*if/m.test(text)) return undefined;
  const statements = alwaysRun(decl.body);
  for (let at = statements.length - 1; at >= 0; at--) {
    const statement = statements[at]!;
    const wait = callsIn(statement).find((call) =>
      /^cuda(Device|Thread|Stream)Synchronize$/.test(calleeName(call) ?? ''),
    );
    if (wait) return statements.slice(0, at).some(mayLeave) ? undefined : wait;
    if (containsLaunch(statement)) return undefined;
  }
  return undefined;
}, undefined);

/** The statements that run whenever their function does; a macro's blocks are opened. */
function alwaysRun(body: Stmt): readonly Stmt[] {
  if (body.kind === 'do' && body.cond.kind === 'number' && body.cond.value === 0) return alwaysRun(body.body);
  return body.kind === 'block' ? statementsOf(body).flatMap(alwaysRun) : [body];
}

/** Calls that run whenever a function of the body does. */
export const alwaysCalled = (body: Stmt): readonly CallExpr[] => alwaysRun(body).flatMap(callsIn);

/** Names of runtime calls that run whenever the statement does. */
function callsOf(statement: Stmt): readonly string[] {
  return callsIn(statement)
    .map((call) => calleeName(call) ?? '')
    .filter((name) => categoryOf(name) !== undefined);
}

/** Calls that run whenever the statement does. */
function callsIn(statement: Stmt): readonly CallExpr[] {
  const calls: CallExpr[] = [];
  const visit = (node: AnySyntax | undefined): void =>
    walk(node, (inner) => {
      if (inner.kind === 'conditional' || inner.kind === 'lambda') return false;
      if (inner.kind === 'binary' && (inner.op === '&&' || inner.op === '||')) {
        visit(inner.left);
        return false;
      }
      if (inner.kind === 'call') calls.push(inner);
      return true;
    });
  if (statement.kind === 'expr') visit(statement.expr);
  else if (statement.kind === 'decl') statement.vars.forEach(visit);
  else if (statement.kind === 'if') visit(statement.cond);
  else if (statement.kind === 'return') visit(statement.value);
  return calls;
}

/** Leaves the function early, other than a macro that checks a call. */
function mayLeave(statement: Stmt): boolean {
  let leaves = false;
  walk(statement, (node) => {
    if (node.kind === 'lambda') return false;
    if (node.kind === 'return' && !node.macro && !statement.macro) leaves = true;
    return !leaves;
  });
  return leaves;
}

/** An object that takes memory of the GPU when it is made and gives it back when its block ends. */
interface Owner {
  readonly name: string; // of its class
  readonly allocates: string;
}

export function ownerOf(variable: VarDecl, { program }: Fn): Owner | undefined {
  const { type, init } = variable;
  if (type.kind !== 'named' || variable.storage === 'static' || !isGivenSize(init)) return undefined;
  const name = lastPart(type.name);
  if (program.structs(name).length === 0)
    return owningVectors.has(type.name) ? { name: type.name, allocates: 'cudaMalloc' } : undefined;
  const made = definedAs(name, program).filter(({ params }) => params.length > 0);
  const ended = definedAs(`~${name}`, program);
  const takes = made.map(({ body }) => alwaysRun(body).flatMap(callsOf).find(allocates));
  if (takes.length === 0 || ended.length === 0 || takes.some((taken) => taken === undefined)) return undefined;
  const ends = partners.get(takes[0]!)!.ends;
  return ended.every(({ body }) => frees(body, ends)) ? { name: type.name, allocates: takes[0]! } : undefined;
}

/** The allocation that each function that a call may run makes on every path. */
export function allocationWithin(call: CallExpr, fn: Fn): string | undefined {
  const taken = definitionsOf(call, fn).map(({ body }) => alwaysRun(body).flatMap(callsOf).find(allocates));
  return taken.length > 0 && taken.every((name) => name === taken[0]) ? taken[0] : undefined;
}

/** Does a call give back what `allocation` makes, itself or by a function that does? */
export function givesBack(call: CallExpr, allocation: string, fn: Fn): boolean {
  const { ends } = partners.get(allocation)!;
  if (ends.includes(calleeName(call) ?? '')) return true;
  const found = definitionsOf(call, fn);
  return found.length > 0 && found.every(({ body }) => frees(body, ends));
}

function allocates(name: string): boolean {
  return partners.get(name)?.category === 'allocate' && name !== 'cudaHostRegister';
}

/** A destructor asks for a null pointer first. */
function frees(body: Stmt, ends: readonly string[]): boolean {
  return some(body, (node) => node.kind === 'call' && ends.includes(calleeName(node) ?? ''));
}

/** `T x(n)`, `T x{n}`: made without arguments it may be empty, and `T x = other` may take another's memory. */
function isGivenSize(init: VarDecl['init']): boolean {
  return init?.kind === 'initList' && init.elements.length > 0;
}

/** What a call makes and gives back before it returns. */
interface Cycle {
  readonly name: string; // of what makes it
  readonly makers: readonly Fn[]; // the function that it lives in, and those that call it
  readonly endAt: Span;
  /** The arguments of the call that its size depends on. */
  readonly sizes: readonly Expr[];
}

const deepestCycle = 3;

/** Memory, a stream or an event that every run of a function takes and gives back, itself or by what it calls. */
export function cycleWithin(call: CallExpr, fn: Fn, depth = 0): Cycle | undefined {
  const [decl, ...others] = definitionsOf(call, fn);
  if (!decl || others.length > 0 || depth > deepestCycle) return undefined;
  const callee = fn.of(decl);
  const statements = alwaysRun(decl.body);
  const calls = alwaysCalled(decl.body);
  const found = (name: string, sizes: readonly Expr[], endAt: Span, makers: readonly Fn[] = []): Cycle | undefined => {
    const given = parametersIn(sizes, decl)?.map((param) => argumentOf(param, decl, call.args));
    return given && { name, makers: [...makers, callee], endAt, sizes: given.filter((arg) => arg !== undefined) };
  };
  for (const one of calls) {
    const name = calleeName(one) ?? '';
    const partner = partners.get(name);
    const local = partner && addressedVariable(one.args[0], callee);
    if (!local?.variable || local.variable.storage === 'static') continue;
    const end = calls.find(
      (other) =>
        partner!.ends.includes(calleeName(other) ?? '') && other.args[0] && placeOf(other.args[0]) === local.name,
    );
    const cycle = end && end.start > one.start ? found(name, one.args.slice(1), callee.span(end)) : undefined;
    if (cycle) return cycle;
  }
  for (const variable of statements.flatMap((each) => (each.kind === 'decl' ? each.vars : []))) {
    const owner = isHandedOn(variable, decl.body) ? undefined : ownerOf(variable, callee);
    const sizes = variable.init?.kind === 'initList' ? variable.init.elements : [];
    const end = callee.span({ start: decl.body.end - 1, end: decl.body.end });
    const cycle = owner && found(owner.allocates, sizes, end);
    if (cycle) return cycle;
  }
  for (const one of calls) {
    const inner = categoryOf(calleeName(one) ?? '') === undefined ? cycleWithin(one, callee, depth + 1) : undefined;
    const cycle = inner && found(inner.name, inner.sizes, inner.endAt, inner.makers);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Returned, moved or exchanged, an object outlives its function. */
function isHandedOn({ name }: VarDecl, body: Stmt): boolean {
  return some(
    body,
    (node) =>
      (node.kind === 'return' && !!node.value && mentions(node.value, name)) ||
      (node.kind === 'call' &&
        /^(move|swap|push_back|emplace_back)$/.test(calledName(node) ?? '') &&
        mentions(node, name)),
  );
}

/** The parameters that expressions of a function depend on; undefined where one's value comes from elsewhere. */
function parametersIn(sizes: readonly Expr[], decl: FunctionDecl): readonly ParamDecl[] | undefined {
  const locals = localsOf(decl);
  const seen = new Set<unknown>();
  const found = new Set<ParamDecl>();
  let known = true;
  const visit = (expr: AnySyntax | undefined): void =>
    walk(expr, (node) => {
      const local = node.kind === 'name' ? locals.of(node) : undefined;
      if (!local || seen.has(local)) return;
      seen.add(local);
      if (local.parameter) found.add(local.parameter);
      const values = [local.variable?.init, ...local.writes.map(({ value }) => value)].filter((value) => !!value);
      known &&= !!local.parameter || values.length > 0;
      values.forEach(visit);
    });
  sizes.forEach(visit);
  return known ? [...found] : undefined;
}
