// Loops that lanes leave at different iterations: by a break or return under a condition that differs between them, or
// because they compare with different numbers.
import type { Expr, Stmt } from '../../syntax/ast';
import { localsOf, sameExpr, type Local, counted, isConditionLoop, some, walk } from '../language';
import { Taint, type BranchRecord } from '../run';

/** The condition under which some lanes leave a loop before the others do. */
interface Exit {
  readonly record: BranchRecord;
  readonly cond: Expr;
}

type Loop = Extract<Stmt, { kind: 'for' | 'while' | 'do' }>;

/** For each loop, the first condition in it that differs between lanes and leads out of it. */
export function exitsOf(
  records: readonly BranchRecord[],
  differsBetweenLanes: (record: BranchRecord) => boolean,
): ReadonlyMap<Stmt, Exit> {
  const exits = new Map<Stmt, Exit>();
  for (const record of records) {
    const { statement, cond } = record;
    if (statement.kind !== 'if' || !differsBetweenLanes(record)) continue;
    const leaving = [statement.then, statement.else].find((arm) => arm && leavesBy(arm));
    const loop = leaving && innermostLoop(record, statement);
    if (loop && !exits.has(loop)) exits.set(loop, { record, cond });
  }
  return exits;
}

/** Ends in a `break` or a `return`, whatever it does before. */
function leavesBy(arm: Stmt): boolean {
  if (arm.kind === 'break' || arm.kind === 'return') return true;
  return arm.kind === 'block' && arm.body.length > 0 && leavesBy(arm.body.at(-1)!);
}

function isNever(cond: Expr): boolean {
  return (cond.kind === 'number' && cond.value === 0) || (cond.kind === 'name' && cond.name === 'false');
}

/** The loop of the same function that stands closest around a statement; undefined where a `switch` takes the break. */
function innermostLoop({ loops, fn }: BranchRecord, statement: Stmt): Loop | undefined {
  const around = loops
    .filter((loop) => loop.fn === fn && loop.stmt.start <= statement.start && loop.stmt.end >= statement.end)
    .map(({ stmt }) => stmt)
    .sort((a, b) => a.end - a.start - (b.end - b.start))[0];
  // `do { … } while (0)` is a block that a `break` may leave.
  if (!around || !isConditionLoop(around) || (around.kind === 'do' && isNever(around.cond))) return undefined;
  const inSwitch = some(
    around.body,
    (node) => node.kind === 'switch' && node.start <= statement.start && node.end >= statement.end,
  );
  return inSwitch ? undefined : around;
}

/**
 * Does a loop's head compare floating-point numbers that differ between the lanes? The iterations that were run may all
 * agree where the last ones do not.
 */
export function comparesFloats(record: BranchRecord): boolean {
  const isLoop = record.form === 'for' || record.form === 'while' || record.form === 'do';
  if (!isLoop || !record.comparesLanes || (record.taint & Taint.thread) === 0) return false;
  const locals = localsOf(record.fn);
  return some(record.cond, (node) => {
    const local = node.kind === 'name' ? locals.of(node) : undefined;
    const type = local?.variable?.type ?? local?.parameter?.type;
    return type?.kind === 'named' && /^(float|double)$/.test(type.name);
  });
}

/**
 * A search that halves an interval of constant power-of-two length both ways (`lo = mid` or `hi = mid`) iterates as
 * often in every lane, whichever way each goes.
 */
export function halvesEvenly({ statement, cond, fn }: BranchRecord): boolean {
  if (!isConditionLoop(statement)) return false;
  const locals = localsOf(fn);
  const ends = new Set<Local>();
  walk(cond, (node) => {
    const local = node.kind === 'name' ? locals.of(node) : undefined;
    if (local) ends.add(local);
  });
  if (ends.size !== 2) return false;
  const middles = new Set<string>();
  const starts: number[] = [];
  for (const end of ends) {
    const start = end.variable?.init;
    const [write, ...more] = end.writes;
    if (start?.kind !== 'number' || more.length || write?.op !== '=' || write.value?.kind !== 'name') return false;
    starts.push(start.value);
    middles.add(write.value.name);
  }
  const length = Math.abs(starts[0]! - starts[1]!);
  return middles.size === 1 && length > 0 && Number.isInteger(Math.log2(length));
}

/** `for (j = k * n; j < (k + 1) * n; j++)`, also through a variable: as many iterations in every lane, whatever `k`. */
export function coversEvenChunk({ statement, fn }: BranchRecord): boolean {
  const head = statement.kind === 'for' ? counted(statement) : undefined;
  if (!head?.bound || !/^<=?$/.test(head.bound.op)) return false;
  const locals = localsOf(fn);
  const { first: start, bound } = head;
  const local = locals.of(bound.end);
  const end = local ? onlyValue(local) : bound.end;
  if (start?.kind !== 'binary' || start.op !== '*' || end?.kind !== 'binary' || end.op !== '*') return false;
  const isNext = (next: Expr, one: Expr): boolean =>
    next.kind === 'binary' &&
    next.op === '+' &&
    ((sameExpr(next.left, one) && isOne(next.right)) || (sameExpr(next.right, one) && isOne(next.left)));
  return [
    [start.left, start.right],
    [start.right, start.left],
  ].some(([chunk, length]) =>
    [
      [end.left, end.right],
      [end.right, end.left],
    ].some(([next, its]) => isOfAll(length!, locals) && sameExpr(its!, length!) && isNext(next!, chunk!)),
  );
}
/** What a variable holds that is given a value once. */
function onlyValue({ variable, writes }: Local): Expr | undefined {
  const init = variable?.init;
  if (init) return writes.length === 0 && init.kind !== 'initList' ? init : undefined;
  return writes.length === 1 ? writes[0]!.value : undefined;
}
/** A number, or what no thread computes for itself: a parameter or a constant. */
function isOfAll(expr: Expr, locals: ReturnType<typeof localsOf>): boolean {
  if (expr.kind === 'number') return true;
  const local = expr.kind === 'name' ? locals.of(expr) : undefined;
  return expr.kind === 'name' && (!local || (local.parameter !== undefined && local.writes.length === 0));
}
function isOne(expr: Expr): boolean {
  return expr.kind === 'number' && expr.value === 1;
}
