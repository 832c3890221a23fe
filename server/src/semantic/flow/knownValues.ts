// When the value of an expression is known: to the compiler, once the kernel is launched, or only while it runs.
import type { Expr, Stmt } from '../../syntax/ast';
import {
  type AnySyntax,
  argumentOf,
  callSitesOf,
  type Fn,
  isConditionLoop,
  isParameterOfTemplate,
  leaves,
  type Local,
  mentions,
  numberOf,
  some,
} from '../language';
import { tripsOf } from './calls';

export interface Knowledge {
  /** 0: known to the compiler; 1: the same for all threads of the grid, once it is launched; 2: anything else. */
  readonly level: 0 | 1 | 2;
  /** Why the compiler does not know it: a value of run time, or a loop that stays one. Left out where it may know. */
  readonly cause?: 'value' | Stmt;
}
const compiled: Knowledge = { level: 0 };
const anything: Knowledge = { level: 2 };

/** Calls and definitions are followed so far. */
const mostSteps = 4;
/** Loops between constants are unrolled up to here. */
const mostUnrolled = 400;

/** @param at where the loops around decide a variable that changes; without it no cause is found for those */
export function knowledgeOf(expr: Expr, fn: Fn, at?: AnySyntax, steps = 0): Knowledge {
  if (numberOf(expr, fn) !== undefined || isParameterOfTemplate(expr, fn)) return compiled;
  const inner = (part: Expr): Knowledge => knowledgeOf(part, fn, at, steps);
  switch (expr.kind) {
    case 'name':
      return knowledgeOfName(expr, fn, at, steps);
    case 'cast':
    case 'update':
      return inner(expr.operand);
    case 'unary':
      return /[-+~*&]/.test(expr.op) ? inner(expr.operand) : anything;
    case 'binary': {
      const both = joined(inner(expr.left), inner(expr.right));
      return /^([-+*/%&|^]|<<|>>)$/.test(expr.op) ? both : { level: both.level };
    }
    case 'member':
      return /^(threadIdx|blockIdx|blockDim|gridDim)$/.test(fn.text(expr.object))
        ? { level: 2, cause: 'value' }
        : inner(expr.object);
    // What a pointer leads to is no better known than the pointer; registers may hold an array of the thread.
    case 'index':
      return joined(inner(expr.base), inner(expr.index));
    case 'call':
      return expr.args.map(inner).reduce(joined, anything);
    default:
      return anything;
  }
}

function joined(left: Knowledge, right: Knowledge): Knowledge {
  const cause = left.cause ?? right.cause;
  return { level: left.level > right.level ? left.level : right.level, ...(cause && { cause }) };
}

function knowledgeOfName(expr: Expr & { kind: 'name' }, fn: Fn, at: AnySyntax | undefined, steps: number): Knowledge {
  const local = fn.local(expr);
  if (!local) {
    const globals = fn.program.globals(expr.name);
    const level = globals.some(({ space }) => space === 'constant') ? 1 : 2;
    return globals.length === 0 || globals.some(({ constant }) => constant) ? { level } : { level, cause: 'value' };
  }
  if (local.variable && local.variable.space !== 'none') return { level: 2, cause: 'value' };
  if (local.addressTaken || (local.parameter && local.writes.length > 0)) return anything;
  if (local.parameter && fn.decl.global) return { level: 1, cause: 'value' };
  if (steps >= mostSteps) return anything;
  if (!local.parameter) {
    const value = fn.definition(local);
    const known = value ? knowledgeOf(value, fn, at, steps + 1) : anything;
    const cause = value ? known.cause : at && causeOfChanges(local, at, fn, steps + 1);
    // A constructor may ask for its block.
    const level = fn.typing.typeOf(expr)?.kind === 'scalar' ? known.level : 2;
    return { level, ...(cause && { cause }) };
  }
  const sites = fn.callSites ?? callSitesOf(fn.unit, fn.decl, 'device');
  let known = sites.length > 0 ? compiled : anything;
  for (const { caller, args, within } of sites) {
    const arg = argumentOf(local.parameter, fn.decl, args);
    const { level, cause } = arg ? knowledgeOf(arg, within ?? fn.of(caller), at && arg, steps + 1) : anything;
    known = joined(known, { level, ...(cause && { cause: 'value' }) });
    if (known.level === 2 && (!at || known.cause)) break;
  }
  return known;
}

/** Of a variable that changes: in the loop that counts with it, or where data decide whether it moves. */
function causeOfChanges(local: Local, at: AnySyntax, fn: Fn, steps: number): Knowledge['cause'] {
  const isOpen = (end: Expr | undefined): boolean => !!end && !!knowledgeOf(end, fn, end, steps).cause;
  for (const around of fn.around(at)) {
    const head = isConditionLoop(around) ? fn.counted(around) : undefined;
    if (!head || head.local !== local) continue;
    const { loop, first, bound } = head;
    if (tripsOf(loop, fn) !== undefined) return staysLoop(loop, fn) ? loop : undefined;
    const isLeft = some(loop, (node) => node.kind === 'if' && mentions(node.cond, local.name) && leaves(node.then));
    // The compiler unrolls `i < n % 4` by its most iterations.
    const isBounded = bound && some(bound.end, (node) => node.kind === 'binary' && /^(%|&|>>)$/.test(node.op));
    if (isLeft || isBounded || local.writes.some(({ node }) => fn.isInside(node, loop.body))) return undefined;
    return isOpen(first) || isOpen(bound?.end) ? loop : undefined;
  }
  // Whichever assignment comes last, it gives a value of run time.
  const values = [local.variable?.init, ...local.writes.flatMap(({ op, value }) => (op === '=' ? value : []))];
  const given = values.filter((value) => value !== undefined);
  const isRunTime = (value: Expr): boolean => knowledgeOf(value, fn, value, steps).cause === 'value';
  if (given.length > 0 && given.every((value) => value.kind !== 'initList' && isRunTime(value))) return 'value';
  const isData = (part: AnySyntax): boolean => (part.kind === 'index' || part.kind === 'name') && isOpen(part);
  const ways = local.writes.flatMap(({ node, op }) => (op === '=' ? [] : [...fn.around(node)]));
  return ways.some((way) => way.kind === 'if' && some(way.cond, isData)) ? 'value' : undefined;
}

/** Does the compiler keep a loop that a statement is? */
export function staysLoop(loop: AnySyntax, fn: Fn): boolean {
  return isConditionLoop(loop) && (tripsOf(loop, fn) ?? Infinity) > mostUnrolled;
}
