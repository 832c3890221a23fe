// How much a thread of a kernel computes, at least: this separates compute-bound kernels from others.
import type { FunctionDecl, Stmt } from '../../syntax/ast';
import { calleeName, type AnySyntax, childrenOf, lastPart, type Program, counted, tripsBetween } from '../language';

/**
 * Instructions of the cheapest quotient or remainder, a signed one by a power of two: sign, sum, and mask or shift, and
 * a difference (nvcc 13 for sm_90).
 */
const division = 4;

const known = new WeakMap<Program, Map<FunctionDecl, number>>();

/** What a body came to, and what the functions that it calls came to then, by name: an edit changes one body. */
interface Counted {
  readonly total: number;
  readonly called: ReadonlyMap<string, number>;
}
const countedBodies = new WeakMap<object, Counted>();

/**
 * Instructions of the operators that a thread runs, in known functions too. Loops count as often as literals say,
 * others once, and of two arms the longer one, so that it may be more and is seldom less.
 */
export function arithmeticOf(fn: FunctionDecl, program: Program): number {
  let ofProgram = known.get(program);
  if (!ofProgram) known.set(program, (ofProgram = new Map()));
  const before = ofProgram.get(fn);
  if (before !== undefined) return before;
  // A function that calls itself adds nothing by that.
  ofProgram.set(fn, 0);
  const ofCalled = (name: string): number => {
    const called = program
      .functions(lastPart(name))
      .find(({ body, qualifiedName }) => body && (!name.includes('::') || qualifiedName.endsWith(name)));
    return called ? arithmeticOf(called, program) : 0;
  };
  const { total } = fn.body ? countedBody(fn.body, ofCalled) : { total: 0 };
  ofProgram.set(fn, total);
  return total;
}

function countedBody(body: AnySyntax, ofCalled: (name: string) => number): Counted {
  const before = countedBodies.get(body);
  if (before && [...before.called].every(([name, total]) => ofCalled(name) === total)) return before;
  const called = new Map<string, number>();
  const asked = (name: string): number => {
    const total = ofCalled(name);
    called.set(name, total);
    return total;
  };
  const made = { total: operationsIn(body, asked), called };
  countedBodies.set(body, made);
  return made;
}

function operationsIn(node: AnySyntax, ofCalled: (name: string) => number): number {
  const inside = (): number => childrenOf(node).reduce((sum, child) => sum + operationsIn(child, ofCalled), 0);
  switch (node.kind) {
    case 'binary':
      return (node.op === '%' || node.op === '/' ? division : 1) + inside();
    case 'unary':
    case 'update':
    case 'assign':
    case 'conditional':
      return 1 + inside();
    case 'if': {
      const arms = [node.then, ...(node.else ? [node.else] : [])].map((arm) => operationsIn(arm, ofCalled));
      return operationsIn(node.cond, ofCalled) + Math.max(...arms);
    }
    case 'for':
      return (literalTrips(node) ?? 1) * inside();
    case 'call': {
      const { callee } = node;
      // `Type{…}()` calls the operator of what it makes.
      const made = callee.kind === 'call' ? calleeName(callee) : undefined;
      const name =
        made !== undefined ? `${made}::operator()` : callee.kind === 'member' ? callee.field : calleeName(node);
      return 1 + inside() + (name === undefined ? 0 : ofCalled(name));
    }
    default:
      return inside();
  }
}

/** `for (int i = 0; i < 4; i++)`: iterations between two literals. */
export function literalTrips(stmt: Stmt): number | undefined {
  const head = counted(stmt);
  if (!head?.declared || head.step?.sign !== 1 || head.step.by) return undefined;
  const trips = tripsBetween(head, (expr) => (expr.kind === 'number' ? expr.value : undefined));
  return trips === undefined ? undefined : Math.max(1, trips);
}
