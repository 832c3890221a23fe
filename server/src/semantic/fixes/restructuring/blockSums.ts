// Whether the threads of a block add up exactly one product each: the statements are run on one number for each thread.
// A sum that only moves and adds numbers is linear: random numbers stand for all products, and for all older contents.
import type { AssignExpr, CallExpr, Expr, Stmt, VarDecl } from '../../../syntax/ast';
import { calleeName, type Fn, isInside, isStable, type Local, type Locals } from '../../language';
import { elementTypeOf, factorOf } from './factors';
import type { ProductFact } from '../model';

/** The sum that is made of each row. */
export interface RowSum {
  /** The body of the loop over the rows. */
  readonly body: Stmt;
  readonly product: Expr;
  readonly store: AssignExpr;
  readonly type: ProductFact['type'];
}

/** A value for each thread; NaN where a thread has none, or does not run. */
type Lanes = Float64Array;
/** The threads that run: in a tree of sums they are ever fewer. */
type Active = readonly number[];
/** `float`: made of products, so that it may be added, moved and stored, nothing else. */
interface Value {
  readonly lanes: Lanes;
  readonly float: boolean;
}
/** A block whose threads run in step. */
interface Block extends RowSum {
  readonly fn: Fn;
  readonly locals: Locals;
  readonly threads: number;
  readonly products: Lanes;
  readonly total: number;
  readonly all: Active;
  readonly variables: Map<Local, Lanes>;
  readonly shared: Map<Local, Map<number | string, number>>;
  readonly drawn: () => number;
  stored: boolean;
}

const mostIterations = 4096;
const mostThreads = 1024;
const lanesOfWarp = 32;
class NotFollowed extends Error {}

/** Does the store of a row get the sum of the products of all `threads`? */
export function isWholeSum(sum: RowSum, threads: number, fn: Fn): boolean {
  if (threads < 1 || threads > mostThreads) return false;
  const drawn = drawing();
  const all = [...Array(threads).keys()];
  const products = lanesOf({ threads }, all, drawn);
  const total = products.reduce((before, each) => before + each, 0);
  const rest = { fn, locals: fn.locals, threads, products, total, all, drawn };
  const block: Block = { ...sum, ...rest, variables: new Map(), shared: new Map(), stored: false };
  try {
    exec(sum.body, block.all, block);
    return block.stored;
  } catch (error) {
    if (error instanceof NotFollowed) return false;
    throw error;
  }
}

function lanesOf({ threads }: Pick<Block, 'threads'>, active: Active, value: (thread: number) => number): Lanes {
  const lanes = new Float64Array(threads).fill(Number.NaN);
  for (const thread of active) lanes[thread] = value(thread);
  return lanes;
}
const everyLane = ({ threads }: Block, value: number): Lanes => new Float64Array(threads).fill(value);
const integer = (lanes: Lanes): Value => ({ lanes, float: false });

function exec(stmt: Stmt, active: Active, block: Block): void {
  if (active.length === 0) return;
  switch (stmt.kind) {
    case 'empty':
      return;
    case 'block':
      for (const each of stmt.body) exec(each, active, block);
      return;
    case 'expr':
      evaluate(stmt.expr, active, block);
      return;
    case 'decl':
      for (const variable of stmt.vars) declare(variable, active, block);
      return;
    case 'if':
      if (stmt.init) throw new NotFollowed();
      exec(stmt.then, where(stmt.cond, true, active, block), block);
      if (stmt.else) exec(stmt.else, where(stmt.cond, false, active, block), block);
      return;
    case 'for':
    case 'while': {
      if (stmt.kind === 'for' && stmt.init) exec(stmt.init, active, block);
      if (!stmt.cond) throw new NotFollowed();
      let on = where(stmt.cond, true, active, block);
      for (let turn = 0; on.length > 0; turn++, on = where(stmt.cond, true, on, block)) {
        if (turn > mostIterations) throw new NotFollowed();
        exec(stmt.body, on, block);
        if (stmt.kind === 'for' && stmt.step) evaluate(stmt.step, on, block);
      }
      return;
    }
    default:
      throw new NotFollowed();
  }
}

/** The threads for which the condition holds, or does not. */
function where(cond: Expr, holds: boolean, active: Active, block: Block): Active {
  const value = integers(evaluate(cond, active, block), active);
  return active.filter((at) => !!value[at] === holds);
}

function declare(variable: VarDecl, active: Active, block: Block): void {
  const local = block.locals.all.find((each) => each.variable === variable);
  if (variable.space === 'shared' && !variable.init) return;
  if (!local || variable.space !== 'none' || variable.storage || variable.type.kind === 'array')
    throw new NotFollowed();
  block.variables.set(local, everyLane(block, Number.NaN));
  if (variable.init) write(local, evaluate(variable.init, active, block), active, block);
}

function evaluate(expr: Expr, active: Active, block: Block): Value {
  const again = (inner: Expr): Value => evaluate(inner, active, block);
  if (expr === block.product) return { lanes: lanesOf(block, active, (at) => block.products[at]!), float: true };
  switch (expr.kind) {
    case 'number':
      return { lanes: everyLane(block, expr.value), float: /float|double/.test(expr.type) };
    case 'name':
    case 'member':
      return named(expr, block);
    case 'index': {
      const { cells, keys } = cellsOf(expr, active, block);
      for (const at of active) if (!cells.has(keys[at]!)) cells.set(keys[at]!, block.drawn());
      return { lanes: lanesOf(block, active, (at) => cells.get(keys[at]!)!), float: true };
    }
    case 'unary':
      if (expr.op !== '!') throw new NotFollowed();
      return applied(again(expr.operand), (each) => (each ? 0 : 1), active, block);
    case 'conditional': {
      const holds = where(expr.cond, true, active, block);
      const then = evaluate(expr.then, holds, block);
      const other = evaluate(expr.else, where(expr.cond, false, active, block), block);
      const lanes = other.lanes.slice();
      for (const at of holds) lanes[at] = then.lanes[at]!;
      return { lanes, float: then.float || other.float };
    }
    case 'binary':
      return combined(expr.op, again(expr.left), again(expr.right), active, block);
    case 'assign':
      return assigned(expr, active, block);
    case 'update': {
      const before = again(expr.operand);
      const after = applied(before, (each) => (expr.op === '++' ? each + 1 : each - 1), active, block);
      store(expr.operand, after, active, block);
      return expr.prefix ? after : before;
    }
    case 'call':
      return called(expr, active, block);
    default:
      throw new NotFollowed();
  }
}

function named(expr: Expr, block: Block): Value {
  const { fn, locals } = block;
  const local = locals.of(expr);
  if (local) return variableOf(local, block);
  if (expr.kind === 'member' && expr.object.kind === 'name' && expr.object.name === 'threadIdx' && expr.field === 'x')
    return integer(lanesOf(block, block.all, (thread) => thread));
  const place = fn.index(expr);
  const isWidth = place?.terms.size === 1 && place.terms.get('blockDim.x') === 1;
  const isWarp = expr.kind === 'name' && expr.name === 'warpSize';
  const constant = isWidth ? block.threads : isWarp ? lanesOfWarp : place?.number;
  if (constant === undefined) throw new NotFollowed();
  return integer(everyLane(block, constant));
}

function variableOf(local: Local, block: Block): Value {
  const { variables, locals, body, drawn, all } = block;
  const float = isFloat(local, block);
  const { variable } = local;
  const known = variables.get(local);
  if (known) return { lanes: known, float };
  if (variable?.space !== 'none' || isInside(variable, body, locals)) throw new NotFollowed();
  if (!float && (!variable.init || !isStable(local))) throw new NotFollowed();
  const lanes = float ? lanesOf(block, all, drawn) : integers(evaluate(variable.init!, all, block), all);
  variables.set(local, lanes);
  return { lanes, float };
}

function isFloat(local: Local, { type, fn }: Block): boolean {
  const of = elementTypeOf(local, fn);
  if (of !== undefined && of !== type) throw new NotFollowed();
  return of !== undefined;
}

/** Whole numbers of at most 32 bits. */
function integers({ lanes, float }: Value, active: Active): Lanes {
  const isOne = (at: number): boolean => Number.isInteger(lanes[at]) && Math.abs(lanes[at]!) < 2 ** 31;
  if (float || !active.every(isOne)) throw new NotFollowed();
  return lanes;
}

function applied(value: Value, apply: (each: number) => number, active: Active, block: Block): Value {
  const of = integers(value, active);
  return integer(lanesOf(block, active, (at) => apply(of[at]!)));
}

/** The elements of an array in shared memory, by their indices. */
function cellsOf(expr: Expr, active: Active, block: Block) {
  const factor = factorOf(expr, block.locals);
  const variable = factor?.root.variable;
  // Two arrays of the size that a launch gives are at one place.
  if (!factor || variable?.space !== 'shared' || variable.storage === 'extern' || !isFloat(factor.root, block))
    throw new NotFollowed();
  const indices = factor.indices.map((index) => integers(evaluate(index, active, block), active));
  if (indices.some((of) => active.some((thread) => of[thread]! < 0))) throw new NotFollowed();
  const cells = block.shared.get(factor.root) ?? new Map<number | string, number>();
  block.shared.set(factor.root, cells);
  const keyAt = (at: number): string => indices.map((of) => of[at]).join();
  return { cells, keys: indices.length === 1 ? indices[0]! : block.all.map(keyAt) };
}

function combined(op: string, left: Value, right: Value, active: Active, block: Block): Value {
  if (op === '+' && (left.float || right.float))
    return { lanes: lanesOf(block, active, (at) => left.lanes[at]! + right.lanes[at]!), float: true };
  const [a, b] = [integers(left, active), integers(right, active)];
  const of = integerOps[op];
  const lanes = of && lanesOf(block, active, (at) => of(a[at]!, b[at]!));
  // A value below zero could be unsigned.
  if (!lanes || active.some((at) => lanes[at]! < 0)) throw new NotFollowed();
  return integer(lanes);
}

function assigned(expr: AssignExpr, active: Active, block: Block): Value {
  const right = evaluate(expr.value, active, block);
  const value =
    expr.op === '='
      ? right
      : combined(expr.op.slice(0, -1), evaluate(expr.target, active, block), right, active, block);
  if (expr !== block.store) store(expr.target, value, active, block);
  else if (active.some((at) => value.lanes[at] !== block.total)) throw new NotFollowed();
  else block.stored ||= active.length > 0;
  return value;
}

function store(target: Expr, value: Value, active: Active, block: Block): void {
  const local = target.kind === 'name' ? block.locals.of(target) : undefined;
  if (local) {
    write(local, value, active, block);
    return;
  }
  const { cells, keys } = cellsOf(target, active, block);
  const by = new Map<number | string, number>();
  for (const at of active) {
    const key = keys[at]!;
    if (by.has(key) && by.get(key) !== value.lanes[at]) throw new NotFollowed();
    by.set(key, value.lanes[at]!);
  }
  for (const [key, each] of by) cells.set(key, each);
}

function write(local: Local, value: Value, active: Active, block: Block): void {
  const { variable } = local;
  if (variable?.space !== 'none' || local.addressTaken || variable.storage) throw new NotFollowed();
  const float = isFloat(local, block);
  const type = block.fn.types.resolve(variable.type);
  // Below 32 bits, numbers wrap around.
  if (!float && local.writes.length > 0 && (type.kind !== 'scalar' || type.size < 4)) throw new NotFollowed();
  const before = block.variables.get(local) ?? lanesOf(block, block.all, float ? block.drawn : () => Number.NaN);
  const lanes = float ? value.lanes : integers(value, active);
  const after = before.slice();
  for (const at of active) after[at] = lanes[at]!;
  block.variables.set(local, after);
}

function called(expr: CallExpr, active: Active, block: Block): Value {
  const name = calleeName(expr) ?? '';
  const shuffle = /^__shfl(_down|_xor|)(_sync)?$/.exec(name);
  if (!shuffle) {
    if (!/^__sync(threads|warp)$/.test(name)) throw new NotFollowed();
    return integer(everyLane(block, Number.NaN));
  }
  const [shuffled, by, ...more] = shuffle[2] ? expr.args.slice(1) : expr.args;
  if (!shuffled || !by || more.length > 0) throw new NotFollowed();
  const { lanes, float } = evaluate(shuffled, active, block);
  const steps = integers(evaluate(by, active, block), active);
  const isActive = new Set(active);
  const taken = lanesOf(block, active, (thread) => {
    const [lane, step] = [thread % lanesOfWarp, steps[thread]!];
    const to = shuffle[1] === '_down' ? lane + step : shuffle[1] === '_xor' ? lane ^ step : step % lanesOfWarp;
    const from = thread - lane + (to < lanesOfWarp ? to : lane);
    return isActive.has(from) ? lanes[from]! : Number.NaN;
  });
  return { lanes: taken, float };
}

const integerOps: Readonly<Record<string, (a: number, b: number) => number>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => Math.trunc(a / b),
  '%': (a, b) => a % b,
  '<<': (a, b) => a * 2 ** b,
  '>>': (a, b) => Math.floor(a / 2 ** b),
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
  '<': (a, b) => +(a < b),
  '>': (a, b) => +(a > b),
  '<=': (a, b) => +(a <= b),
  '>=': (a, b) => +(a >= b),
  '==': (a, b) => +(a === b),
  '!=': (a, b) => +(a !== b),
  '&&': (a, b) => +(!!a && !!b),
  '||': (a, b) => +(!!a || !!b),
};

/** Whole numbers below 2^36, the same on each run: what a block adds up of them is exact. */
function drawing(): () => number {
  let state = 0x2545f491;
  const next = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
  return () => next() * 16 + (next() % 16) + 1;
}
