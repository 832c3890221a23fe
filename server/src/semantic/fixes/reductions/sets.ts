// Values as sets of the elements that went into them, one set a thread, and the operators that unite them.
import type { Expr, Stmt } from '../../../syntax/ast';
import { calleeName, sameExpr, type Local, at, type Frame, type ThreadValue, orderedBy } from '../../language';
import {
  arrayOfRegister,
  locate,
  type Machine,
  placeOf,
  type Sources,
  sourcesAt,
  type SweepOperator,
  type SweptArray,
  maximumElement,
  registerArrays,
} from './places';

/** Sources by thread, with the array they come from; undefined where the expression is not such a value. */
type SetValue = { readonly sets: (Sources | undefined)[]; readonly array?: SweptArray };

export function unite(left: SetValue, right: SetValue, threads: number): SetValue | undefined {
  if (left.array && right.array && left.array !== right.array) return undefined;
  const sets: (Sources | undefined)[] = new Array(threads);
  for (let thread = 0; thread < threads; thread++) {
    const a = left.sets[thread];
    const b = right.sets[thread];
    sets[thread] =
      a === undefined || b === undefined ? undefined : a === null || b === null || (a & b) !== 0n ? null : a | b;
  }
  const array = left.array ?? right.array;
  return array ? { sets, array } : { sets };
}

export function setOperator(array: SweptArray | undefined, operator: SweepOperator, callee?: string): boolean {
  if (!array) return false;
  if (array.operator && array.operator !== operator) return false;
  array.operator = operator;
  if (callee && !array.callee) array.callee = callee;
  return true;
}

const combiningCalls: Readonly<Record<string, SweepOperator>> = {
  max: 'max',
  fmax: 'max',
  fmaxf: 'max',
  umax: 'max',
  __hmax: 'max',
  llmax: 'max',
  min: 'min',
  fmin: 'min',
  fminf: 'min',
  umin: 'min',
  __hmin: 'min',
  llmin: 'min',
  __hadd: '+',
  __hadd2: '+',
  __fadd_rn: '+',
  __dadd_rn: '+',
};
const combiningSigns: Readonly<Record<string, SweepOperator>> = { '+': '+', '&': '&', '|': '|', '^': '^' };

export function setsOf(
  expr: Expr,
  mask: readonly boolean[],
  frame: Frame,
  run: Machine,
  statement: Stmt,
): SetValue | undefined {
  if (expr.kind === 'assign') return assign(expr.target, expr.op, expr.value, mask, frame, run, statement);
  if (expr.kind === 'cast') return setsOf(expr.operand, mask, frame, run, statement);
  if (expr.kind === 'name') {
    const local = frame.locals.of(expr);
    if (!local) return undefined;
    const known = run.registers.get(local);
    if (known) return { sets: known, ...arrayOfRegister(local, run) };
    const seed = run.seed(local);
    if (!seed) return undefined;
    const sets = Array.from({ length: frame.threads }, (_, thread): Sources => 1n << BigInt(seed(thread)));
    run.registers.set(local, sets);
    return { sets };
  }
  const combined = (
    operator: SweepOperator | undefined,
    [one, other]: readonly Expr[],
    callee?: string,
  ): SetValue | undefined => {
    const left = operator && setsOf(one!, mask, frame, run, statement);
    const right = left && setsOf(other!, mask, frame, run, statement);
    const united = right && unite(left, right, frame.threads);
    return united && setOperator(united.array, operator!, callee) ? united : undefined;
  };
  if (expr.kind === 'binary') return combined(combiningSigns[expr.op], [expr.left, expr.right]);
  if (expr.kind === 'conditional') return combined(selection(expr.cond, expr.then, expr.else), [expr.then, expr.else]);
  if (expr.kind === 'call') {
    const { callee, args } = expr;
    const written = callee.kind === 'name' && !callee.macro && !callee.templateArgs ? callee.name : undefined;
    return args.length === 2 ? combined(combiningCalls[calleeName(expr) ?? ''], args, written) : undefined;
  }
  const place = placeOf(expr, frame);
  if (!place) return undefined;
  const located = locate(place, expr, frame, run, statement, false);
  if (!located) return undefined;
  run.reads.push(located);
  const sets: (Sources | undefined)[] = new Array(frame.threads);
  for (let thread = 0; thread < frame.threads; thread++)
    if (mask[thread]) {
      sets[thread] = sourcesAt(located.array, at(located.index, thread));
      if (sets[thread] === undefined) return undefined;
    }
  return { sets, array: located.array };
}

/** `x < y ? y : x` and its kin. */
export function selection(cond: Expr, yes: Expr, no: Expr): SweepOperator | undefined {
  const ordered = orderedBy(cond);
  if (!ordered) return undefined;
  if (sameExpr(ordered.low, yes) && sameExpr(ordered.high, no)) return 'min';
  return sameExpr(ordered.low, no) && sameExpr(ordered.high, yes) ? 'max' : undefined;
}

/** The same where the compared values were first read into variables. */
export function selectionBySets(
  cond: Expr,
  yes: SetValue,
  no: SetValue,
  mask: readonly boolean[],
  frame: Frame,
  run: Machine,
  statement: Stmt,
): SweepOperator | undefined {
  const ordered = orderedBy(cond);
  const low = ordered && setsOf(ordered.low, mask, frame, run, statement);
  const high = low && setsOf(ordered.high, mask, frame, run, statement);
  if (!high) return undefined;
  const same = (a: SetValue, b: SetValue): boolean =>
    mask.every((on, thread) => !on || (a.sets[thread] !== null && a.sets[thread] === b.sets[thread]));
  if (same(low, yes) && same(high, no)) return 'min';
  return same(low, no) && same(high, yes) ? 'max' : undefined;
}

export function assign(
  target: Expr,
  op: string,
  value: Expr,
  mask: readonly boolean[],
  frame: Frame,
  run: Machine,
  statement: Stmt,
): SetValue | undefined {
  let result = setsOf(value, mask, frame, run, statement);
  if (!result) return undefined;
  if (op !== '=') {
    const operator = combiningSigns[op.slice(0, -1)];
    const before = operator && setsOf(target, mask, frame, run, statement);
    const united = before ? unite(before, result, frame.threads) : undefined;
    if (!united || !operator || !setOperator(united.array, operator)) return undefined;
    result = united;
  }
  return store(target, result, mask, frame, run, statement) ? result : undefined;
}

export function store(
  target: Expr,
  value: SetValue,
  mask: readonly boolean[],
  frame: Frame,
  run: Machine,
  statement: Stmt,
): boolean {
  if (target.kind === 'name') {
    const local = frame.locals.of(target);
    if (!local) return false;
    const known = run.registers.get(local);
    const sets = known ? [...known] : new Array<Sources | undefined>(frame.threads);
    for (let thread = 0; thread < frame.threads; thread++) if (mask[thread]) sets[thread] = value.sets[thread];
    run.registers.set(local, sets);
    if (value.array) {
      const owners = registerArrays.get(run) ?? new Map<Local, SweptArray>();
      registerArrays.set(run, owners);
      if (owners.has(local) && owners.get(local) !== value.array) return false;
      owners.set(local, value.array);
    }
    return true;
  }
  const place = placeOf(target, frame);
  const located = place && locate(place, target, frame, run, statement, true);
  if (!located || (value.array && value.array !== located.array)) return false;
  const written = new Map<number, Sources>();
  let active = 0;
  for (let thread = 0; thread < frame.threads; thread++) {
    if (!mask[thread]) continue;
    active++;
    const element = at(located.index, thread);
    const sets = value.sets[thread];
    if (sets === undefined || !Number.isInteger(element) || element < 0 || element >= maximumElement) return false;
    written.set(element, written.has(element) ? null : sets);
  }
  run.combines++;
  written.forEach((sets, element) => located.array.elements.set(element, sets));
  // Beyond one warp, an element that one thread reads while another writes it holds either value.
  if (active > 32)
    for (const read of run.reads) {
      if (read.array !== located.array) continue;
      for (let thread = 0; thread < frame.threads; thread++) {
        if (!mask[thread]) continue;
        const element = at(read.index, thread);
        if (element !== at(located.index, thread) && written.has(element))
          located.array.elements.set(at(located.index, thread), null);
      }
    }
  return true;
}

export function setValue(local: Local, value: ThreadValue, mask: readonly boolean[], frame: Frame): void {
  if (mask.every(Boolean)) {
    frame.values.set(local, value);
    return;
  }
  const before = frame.values.get(local) ?? 0;
  frame.values.set(
    local,
    Float64Array.from({ length: frame.threads }, (_, thread) =>
      mask[thread] ? at(value, thread) : at(before, thread),
    ),
  );
}
