// Loops in which each thread walks a chunk of neighbouring elements: their header, the size of the chunk and where it
// ends.
import { isBracketed } from '../writing/edits';
import type { Expr, ForStmt, WhileStmt } from '../../../syntax/ast';
import {
  some,
  type Fn,
  calleeName,
  type Local,
  sameExpr,
  statementsOf,
  constantPolynomial,
  fixedPolynomial,
  isStable,
  localsIn,
  type Index,
  wholePolynomial,
  orderedBy,
  isThreadAtom,
  countsUp,
  countStep,
} from '../../language';

export interface Header {
  readonly loop: ForStmt | WhileStmt;
  readonly variable: Local;
  readonly start: Expr;
  readonly cond: Expr;
  /** What steps the variable: the `for`'s step, or the last statement of a `while`. */
  readonly step: Expr;
}
export interface Chunk {
  readonly start: Expr;
  /** The limit is where the chunks end by construction: the last thread takes what the division leaves. */
  readonly whole?: boolean;
  readonly threads: Threads;
  readonly size: Index;
  readonly sizeExpr: string;
  readonly limits: readonly Expr[];
}

/** Those that share the elements: the number of one, how many they are, and both as text. */
interface Threads {
  readonly number: Index;
  readonly count: Index;
  readonly numberText: string;
  readonly countText: string;
}
export const threadsOfBlock: Threads = {
  number: fixedPolynomial('threadIdx.x'),
  count: fixedPolynomial('blockDim.x'),
  numberText: 'threadIdx.x',
  countText: 'blockDim.x',
};
const threadsOfGrid: Threads = {
  number: fixedPolynomial('blockIdx.x').times(threadsOfBlock.count).plus(threadsOfBlock.number),
  count: fixedPolynomial('gridDim.x').times(threadsOfBlock.count),
  numberText: 'blockIdx.x * blockDim.x + threadIdx.x',
  countText: 'gridDim.x * blockDim.x',
};
export const sharing = [threadsOfGrid, threadsOfBlock];

/** Is it one value for all threads, which nothing changes? */
export function isFixed(value: Index): boolean {
  return !value.has(isThreadAtom) && hasStableLocals(value);
}
const hasStableLocals = (value: Index): boolean => [...localsIn(value)].every(isStable);

export function headerOf(loop: ForStmt | WhileStmt, fn: Fn): Header | undefined {
  if (loop.kind === 'for') {
    const head = fn.counted(loop);
    // a variable that lives on after the loop keeps its last value for someone
    if (!head?.declared || head.declared.init?.kind === 'initList' || !loop.cond || !countsUp(head)) return undefined;
    const { local: variable, first: start } = head;
    if (variable.addressTaken || variable.writes.length !== 1) return undefined;
    return { loop, variable, start, cond: loop.cond, step: loop.step! };
  }
  const body = statementsOf(loop.body);
  const last = body.at(-1);
  if (last?.kind !== 'expr') return undefined;
  const target =
    last.expr.kind === 'update' ? last.expr.operand : last.expr.kind === 'assign' ? last.expr.target : undefined;
  const variable = target?.kind === 'name' ? fn.local(target) : undefined;
  if (
    !variable?.variable?.init ||
    variable.variable.init.kind === 'initList' ||
    variable.addressTaken ||
    variable.writes.length !== 1
  )
    return undefined;
  // Nothing but the loop may read the variable: after it, its value is another one.
  if (variable.uses.some((use) => !fn.isInside(use, loop))) return undefined;
  const jumps = some(loop.body, (node) => node.kind === 'continue');
  const step = countStep(last.expr, (expr) => expr.kind === 'name' && fn.local(expr) === variable);
  return !jumps && step && countsUp({ step })
    ? { loop, variable, start: variable.variable.init, cond: loop.cond, step: last.expr }
    : undefined;
}

export function chunkOf(header: Header, fn: Fn): Chunk | undefined {
  const start = fn.index(header.start);
  if (!start || !hasStableLocals(start)) return undefined;
  const split = start.split('threadIdx.x');
  if (!split || split.factor.isZero || split.factor.has(isThreadAtom)) return undefined;
  const size = split.factor;
  const threads = sharing.find(({ number }) => start.equals(number.times(size)));
  if (!threads || size.number === 1) return undefined;
  const ends = endsOf(header.cond, header.variable, fn);
  if (!ends) return undefined;
  const end = start.plus(size);
  const limits: Expr[] = [];
  let found = false;
  let whole = false;
  for (const expr of ends) {
    const rest = restOf(expr, end, size, threads, fn);
    if (rest) {
      found = true;
      whole = true;
      limits.push(rest);
      continue;
    }
    const value = fn.index(expr);
    if (value && hasStableLocals(value) && value.equals(end)) {
      found = true;
      continue;
    }
    if (!value || !isFixed(value)) return undefined;
    limits.push(expr);
  }
  if (!found || (whole && limits.length > 1)) return undefined;
  const sizeExpr = chunkSizeText(header.start, size, fn);
  return sizeExpr ? { start: header.start, ...(whole ? { whole } : {}), threads, size, sizeExpr, limits } : undefined;
}

/** `t == threads - 1 ? n : start + c` with `c = n / threads`: n, where the last chunk ends. */
function restOf(expr: Expr, end: Index, size: Index, { number, count }: Threads, fn: Fn): Expr | undefined {
  const held = expr.kind === 'name' && fn.local(expr) ? fn.definition(fn.local(expr)!) : expr;
  if (held?.kind !== 'conditional' || held.cond.kind !== 'binary' || !/^[=!]=$/.test(held.cond.op)) return undefined;
  const [last, others] = held.cond.op === '==' ? [held.then, held.else] : [held.else, held.then];
  const [left, right, limit, usual] = [held.cond.left, held.cond.right, last, others].map((part) => fn.index(part));
  if (!left || !right || !limit || !usual?.equals(end) || !isFixed(limit)) return undefined;
  // The thread's number against that of the last one, either way round.
  const distance = left.plus(right, -1);
  const isLast = [1, -1].some((sign) =>
    distance.times(constantPolynomial(sign)).equals(number.plus(count, -1).plus(constantPolynomial(1))),
  );
  return isLast && size.equals(wholePolynomial(limit, '/', count)) ? last : undefined;
}
/** The values that the variable stays below: the operands of `&&` and `min` taken apart, locals followed. */
function endsOf(cond: Expr, variable: Local, fn: Fn): Expr[] | undefined {
  if (cond.kind === 'binary' && cond.op === '&&') {
    const left = endsOf(cond.left, variable, fn);
    const right = left && endsOf(cond.right, variable, fn);
    return left && right && [...left, ...right];
  }
  const ordered = orderedBy(cond);
  if (!ordered || ordered.orEqual || ordered.low.kind !== 'name' || fn.local(ordered.low) !== variable)
    return undefined;
  return leastOf(ordered.high, fn);
}

/** `min(a, b)`, `a < b ? a : b` and locals that hold them, as the list of their parts. */
function leastOf(expr: Expr, fn: Fn, depth = 0): Expr[] {
  const local = expr.kind === 'name' ? fn.local(expr) : undefined;
  const definition = local && fn.definition(local);
  const parts = depth > 8 ? undefined : partsOfLeast(definition ?? expr);
  return parts?.flatMap((part) => leastOf(part, fn, depth + 1)) ?? [expr];
}
function partsOfLeast(expr: Expr): readonly Expr[] | undefined {
  if (expr.kind === 'call') return calleeName(expr) === 'min' && expr.args.length === 2 ? expr.args : undefined;
  const ordered = expr.kind === 'conditional' ? orderedBy(expr.cond) : undefined;
  if (!ordered || expr.kind !== 'conditional') return undefined;
  return sameExpr(ordered.low, expr.then) && sameExpr(ordered.high, expr.else) ? [expr.then, expr.else] : undefined;
}

/** How the chunk's size is written in the start `t * c`: the factor that is not the thread. */
function chunkSizeText(start: Expr, size: Index, fn: Fn): string | undefined {
  let at = start;
  for (let depth = 0; depth < 8; depth++) {
    if (at.kind === 'cast') {
      at = at.operand;
      continue;
    }
    if (at.kind !== 'name') break;
    const local = fn.local(at);
    const definition = local && fn.definition(local);
    if (!definition) return undefined;
    at = definition;
  }
  if (at.kind !== 'binary' || (at.op !== '*' && at.op !== '<<')) return undefined;
  // Of a product that a macro writes, the factors' texts are the macro's name.
  for (const part of at.op === '*' && !at.macro ? [at.left, at.right] : []) {
    const value = fn.index(part);
    if (value?.equals(size) && (!part.macro || part.kind === 'number')) {
      const text = fn.text(part).trim();
      return /^(binary|conditional)$/.test(part.kind) && !isBracketed(text) ? `(${text})` : text;
    }
  }
  const number = size.number;
  return number === undefined ? undefined : String(number);
}
