// How much a thread of a kernel computes, at least: by that a kernel whose time is no traffic is told from others.
import type { FunctionDecl } from '../../syntax/ast';
import { calleeName } from '../language/scope';
import { childrenOf } from '../language/statements';
import type { Program } from '../language/program';
import { literalTrips } from './branches';

const known = new WeakMap<Program, Map<FunctionDecl, number>>();

/**
 * Operators that a thread runs, in functions in sight too. Loops count as often as literals say, others once, and of
 * two arms the longer one, so that it may be more and is seldom less.
 */
export function arithmeticOf(fn: FunctionDecl, program: Program): number {
  let ofProgram = known.get(program);
  if (!ofProgram) known.set(program, (ofProgram = new Map()));
  const before = ofProgram.get(fn);
  if (before !== undefined) return before;
  // A function that calls itself adds nothing by that.
  ofProgram.set(fn, 0);
  const total = fn.body ? operationsIn(fn.body, program) : 0;
  ofProgram.set(fn, total);
  return total;
}

function operationsIn(node: Parameters<typeof childrenOf>[0], program: Program): number {
  const inside = (): number => childrenOf(node).reduce((sum, child) => sum + operationsIn(child, program), 0);
  switch (node.kind) {
    case 'binary':
    case 'unary':
    case 'update':
    case 'assign':
    case 'conditional':
      return 1 + inside();
    case 'if': {
      const arms = [node.then, ...(node.else ? [node.else] : [])].map((arm) => operationsIn(arm, program));
      return operationsIn(node.cond, program) + Math.max(...arms);
    }
    case 'for':
      return (literalTrips(node) ?? 1) * inside();
    case 'call': {
      const name = node.callee.kind === 'member' ? node.callee.field : calleeName(node);
      const called = name === undefined ? undefined : program.functions(name).find(({ body }) => body);
      return 1 + inside() + (called ? arithmeticOf(called, program) : 0);
    }
    default:
      return inside();
  }
}
