// What a function or a class of the program does of the runtime whenever it is used: a wait at its end, memory that it
// makes or gives back.
import type { CallExpr, FunctionDecl, Stmt, VarDecl } from '../../syntax/ast';
import {
  type Fn,
  categoryOf,
  owningVectors,
  partners,
  lastPart,
  calleeName,
  statementsOf,
  containsLaunch,
  mentions,
  some,
  walk,
  type AnySyntax,
} from '../language';
import { definedAs, methodsCalled, onlyChecks } from './callees';

interface WaitWithin {
  readonly name: string;
  /** It does nothing else but check for errors. */
  readonly only: boolean;
}

/** The wait for the whole GPU with which each function that a call may run ends. */
export function waitWithin(call: CallExpr, fn: Fn): WaitWithin | undefined {
  const bodies = definitionsOf(call, fn);
  const waits = bodies.map((decl) => finalWait(decl, fn));
  const name = waits[0];
  if (name === undefined || waits.some((other) => other === undefined)) return undefined;
  return { name, only: bodies.every((decl) => onlyChecks(decl, fn) && saysNothing(decl)) };
}

function definitionsOf(call: CallExpr, fn: Fn): readonly (FunctionDecl & { readonly body: Stmt })[] {
  const name = calleeName(call);
  const found = name === undefined ? methodsCalled(call, fn) : definedAs(name, fn.program);
  return found.filter((decl) => decl !== fn.decl && !(decl.device && !decl.host));
}

/** Prints nothing but errors: each statement makes a runtime call, or asks for more than what the caller hands over. */
function saysNothing({ body, params }: FunctionDecl & { readonly body: Stmt }): boolean {
  return alwaysRun(body).every((statement) => {
    if (statement.kind === 'if') return !params.some(({ name }) => mentions(statement.cond, name));
    return statement.kind !== 'expr' || callsOf(statement).length > 0;
  });
}

const finals = new WeakMap<FunctionDecl, string | false>();

function finalWait(decl: FunctionDecl & { readonly body: Stmt }, fn: Fn): string | undefined {
  const known = finals.get(decl);
  if (known !== undefined) return known || undefined;
  const found = findFinalWait(decl, fn);
  finals.set(decl, found ?? false);
  return found;
}

function findFinalWait(decl: FunctionDecl & { readonly body: Stmt }, fn: Fn): string | undefined {
  const text = fn.program.fileOf(decl)?.text.slice(decl.base + decl.body.start, decl.base + decl.body.end) ?? '';
  // A debug build may be all that waits.
  if (/^\s*#\s*if/m.test(text)) return undefined;
  const statements = alwaysRun(decl.body);
  for (let at = statements.length - 1; at >= 0; at--) {
    const statement = statements[at]!;
    const name = callsOf(statement).find((called) => /^cuda(Device|Thread)Synchronize$/.test(called));
    if (name !== undefined) return statements.slice(0, at).some(mayLeave) ? undefined : name;
    if (containsLaunch(statement)) return undefined;
  }
  return undefined;
}

/** The statements that run whenever their function does; a macro's blocks are opened. */
function alwaysRun(body: Stmt): readonly Stmt[] {
  if (body.kind === 'do' && body.cond.kind === 'number' && body.cond.value === 0) return alwaysRun(body.body);
  return body.kind === 'block' ? statementsOf(body).flatMap(alwaysRun) : [body];
}

/** Runtime calls that run whenever the statement does. */
function callsOf(statement: Stmt): readonly string[] {
  const names: string[] = [];
  const visit = (node: AnySyntax | undefined): void =>
    walk(node, (inner) => {
      if (inner.kind === 'conditional' || inner.kind === 'lambda') return false;
      if (inner.kind === 'binary' && (inner.op === '&&' || inner.op === '||')) {
        visit(inner.left);
        return false;
      }
      const name = inner.kind === 'call' ? calleeName(inner) : undefined;
      if (name !== undefined && categoryOf(name) !== undefined) names.push(name);
      return true;
    });
  if (statement.kind === 'expr') visit(statement.expr);
  else if (statement.kind === 'decl') statement.vars.forEach(visit);
  else if (statement.kind === 'if') visit(statement.cond);
  else if (statement.kind === 'return') visit(statement.value);
  return names;
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
