// Arithmetic on values: lanes as C++ computes them, and the unknowns in them as far as sums of products tell.
import { insideLanes, insideRow } from './edges';
import { convert, wrapped } from './conversions';
import { formOf, nothing, open, requireEach, settledTaint } from './forms';
import { withUsual } from './usual';
import { arithmeticOf, common, compare, exceeds, isUnsigned32, mixBits, promote } from './arithmetic';
import { boolType, intType, isSameType, isSizeKnown, longType, sizeOf, type Type } from '../language';
import {
  add,
  blend,
  constantDelta,
  map1,
  map2,
  multiply,
  sameLanes,
  settle,
  subtract,
  variesInWarp,
  type Lanes,
  type Mask,
} from './lanes';
import { endSection } from './stretchEnds';
import { baseNamed, requireEvery } from './state';
import { divisible, knownOf, productForm, sameForm, scaled, sum, type Form, type Unknown } from './unknowns';
import { blank, plain, Taint, uncertain, unsettled, type Run, type Value } from './values';

const comparison = /^(==|!=|<|>|<=|>=)$/;

export function arithmetic(run: Run, op: string, left: Value, right: Value): Value {
  const taint = left.taint | right.taint;
  const place = alignmentOf(op, left, right);
  if (place) return arithmetic(run, op, place, right);
  if (left.base || right.base || left.target || right.target) return pointerArithmetic(run, op, left, right, taint);
  if (comparison.test(op)) return comparisonOf(run, op, left, right, taint);
  const type = op === '<<' || op === '>>' ? promote(left.type) : common(left.type, right.type);
  const floating = type.kind === 'scalar' && type.float;
  if (floating && op === '/' && !isPowerOfTwo(right)) endSection(run, 'assembler');
  if (floating) return floatArithmetic(run, op, left, right, type, taint);
  if (!(taint & open)) return exactArithmetic(run, op, left, right, type, taint);
  return unknownArithmetic(run, op, left, right, type, taint);
}

/** A quotient by it is a product. */
function isPowerOfTwo({ lanes, taint }: Value): boolean {
  return taint === 0 && typeof lanes === 'number' && Number.isInteger(Math.log2(Math.abs(lanes)));
}

/** Memory of the GPU starts at a multiple of so many bytes (CUDA C++ Programming Guide, "Device Memory Accesses"). */
const allocationBytes = 256;

/**
 * Of an address as a number that is asked for its remainder, `size_t(p) % 16` or `size_t(p) & 15`: the bytes from the
 * start of the memory, which have the same one.
 */
function alignmentOf(op: string, left: Value, right: Value): Value | undefined {
  if (op !== '%' && op !== '&') return undefined;
  const { base } = left;
  if (base?.space !== 'global' || left.type.kind !== 'scalar' || right.base || typeof right.lanes !== 'number')
    return undefined;
  const modulus = op === '%' ? right.lanes : right.lanes + 1;
  if (right.taint !== 0 || !(modulus > 0) || allocationBytes % modulus !== 0) return undefined;
  return { ...left, base: undefined, type: longType };
}

function lanesOf(run: Run, op: string, left: Lanes, right: Lanes, type: Type, floating: boolean): Lanes {
  switch (op) {
    case '+':
      return settleEnds(add(left, right));
    case '-':
      return settleEnds(subtract(left, right));
    case '*':
      if (!isUnsigned32(type)) return settleEnds(multiply(left, right));
      break;
    default:
      break;
  }
  return settleEnds(map2(left, right, run.threads, arithmeticOf(op, floating, type)));
}
export function settleEnds(lanes: Lanes): Lanes {
  return typeof lanes === 'number' || lanes[0] !== lanes[lanes.length - 1] ? lanes : settle(lanes);
}

function exactArithmetic(run: Run, op: string, left: Value, right: Value, type: Type, taint: number): Value {
  let lanes = lanesOf(run, op, left.lanes, right.lanes, type, false);
  let out = taint;
  if (exceeds(lanes)) {
    // Beyond 53 bits the low ones are lost: what is left is a number that differs where the true one does.
    out |= typeof lanes === 'number' ? Taint.chosen : Taint.hash;
    lanes = map1(lanes, (a) => (Math.abs(a) <= 9007199254740991 ? a : mixBits(a)));
  }
  if (isUnsigned32(type) && !(taint & Taint.loaded)) lanes = wrapped(lanes);
  return plain(type, lanes, out);
}

function floatArithmetic(run: Run, op: string, left: Value, right: Value, type: Type, taint: number): Value {
  const leftVaries = typeof left.lanes !== 'number';
  const rightVaries = typeof right.lanes !== 'number';
  const isLong = run.spent > 0.3 * run.setup.budget;
  if (isLong && (left.taint | right.taint) & Taint.loaded && (leftVaries || rightVaries)) {
    // In a long run, results of unknown data are unknown at once: the lanes that differ stay as they are.
    const unknown = left.taint & Taint.loaded && leftVaries ? left : rightVaries ? right : left;
    return plain(type, unknown.lanes, taint);
  }
  const lanes = lanesOf(run, op, left.lanes, right.lanes, type, true);
  const isSingle = run.setup.contents && type.kind === 'scalar' && type.size === 4;
  return plain(type, isSingle ? map1(lanes, Math.fround) : lanes, taint);
}

function unknownArithmetic(run: Run, op: string, left: Value, right: Value, type: Type, initial: number): Value {
  let taint = initial;
  const leftVaries = typeof left.lanes !== 'number';
  const rightVaries = typeof right.lanes !== 'number';
  if (op === '*' && leftVaries !== rightVaries) {
    const factor = leftVaries ? right : left;
    const varying = leftVaries ? left : right;
    if (factor.taint & (Taint.chosen | Taint.loadedUniform) && variesInWarp(varying.lanes, run.full))
      taint |= Taint.unknownStride;
  }
  const byUnknown = right.taint & (Taint.chosen | Taint.loadedUniform);
  if ((op === '/' || op === '%') && byUnknown && (leftVaries || left.taint & Taint.thread)) taint |= Taint.assumed;
  if ((op === '<<' || op === '>>') && byUnknown && !(op === '<<' && !leftVaries && !rightVaries && right.lanes < 31)) {
    // As with `/`, what is left of a thread number shifted by something unknown is not known; a uniform one is a
    // separate unknown.
    taint |= Taint.assumed | Taint.chosen | (leftVaries && op === '<<' ? Taint.unknownStride : 0);
    if (!leftVaries)
      return {
        ...blank,
        type,
        lanes: run.unknowns.named(`shift@${left.lanes},${JSON.stringify(right.lanes)}`, () => ({
          kind: 'result',
          witness: 1024 * (97 + 26 * (run.chosenCount++ % 64)),
        })).witness,
        taint,
      };
    const shifted =
      op === '<<' ? map1(left.lanes, (a) => a * 1024) : settle(map1(left.lanes, (a) => Math.floor(a / 2 ** 20)));
    return { ...blank, type, lanes: shifted, taint };
  }
  const form = formAfter(run, op, left, right);
  if (!form) requireEach(run, left, right);
  let lanes = lanesOf(run, op, left.lanes, right.lanes, type, false);
  if (form && (exceeds(lanes) || (op === '*' && form.some((term) => term.of.folded)))) {
    // The witnesses outgrow what a double counts: smaller ones serve as well.
    return {
      ...blank,
      type,
      lanes: rewitnessed(form, left, right, op),
      form,
      taint: settledTaint(taint, form),
    };
  }
  if (exceeds(lanes)) {
    taint |= typeof lanes === 'number' ? Taint.chosen : Taint.hash;
    lanes = map1(lanes, (a) => (Math.abs(a) <= 9007199254740991 ? a : mixBits(a)));
  }
  if (isUnsigned32(type) && !(taint & (Taint.chosen | Taint.loaded | Taint.loadedUniform))) lanes = wrapped(lanes);
  if (form?.length === 0 && !sameLanes(lanes, settle(lanes))) lanes = settle(lanes);
  return { ...blank, type, lanes, form, taint: settledTaint(taint, form) };
}

/**
 * Lanes of a product whose witnesses are too large: known part of the product plus the form's own, folded, witnesses.
 */
function rewitnessed(form: Form, left: Value, right: Value, op: string): Lanes {
  const [a, b] = [knownOf(left.lanes, left.form), knownOf(right.lanes, right.form)];
  const known = op === '*' ? multiply(a, b) : op === '+' ? add(a, b) : op === '-' ? subtract(a, b) : 0;
  let lanes: Lanes = exceeds(known) ? 0 : known;
  for (const term of form) lanes = add(lanes, multiply(term.by, term.of.witness));
  return map1(lanes, (a) => (Math.abs(a) <= 9007199254740991 ? a : mixBits(a) % 2 ** 50));
}

/** The unknowns in `left op right`; undefined where they are not followed. */
function formAfter(run: Run, op: string, left: Value, right: Value): Form | undefined {
  const a = formOf(run, left);
  const b = formOf(run, right);
  if (!a || !b) return undefined;
  switch (op) {
    case '+':
    case '-':
      return sum(a, b, op === '+' ? 1 : -1);
    case '*':
      return productForm(run.unknowns, a, knownOf(left.lanes, a), b, knownOf(right.lanes, b));
    case '<<': {
      if (b.length || typeof right.lanes !== 'number' || right.lanes < 0 || right.lanes > 62) return undefined;
      return scaled(a, 2 ** right.lanes);
    }
    case '/':
    case '>>':
    case '%':
      return quotientForm(run, op, left, a, right, b);
    case '&': {
      if (b.length || typeof right.lanes !== 'number') return undefined;
      const bits = right.lanes + 1;
      if (bits > 1 && (bits & (bits - 1)) === 0) {
        if (divisible(a, bits)) return nothing;
        // In another block it is another number, and no lane's is negative where it counts threads and blocks.
        return onlyBlocks(a) ? quotientForm(run, '%', left, a, { ...right, lanes: bits }, b) : undefined;
      }
      const cleared = -right.lanes;
      const clears = cleared > 0 && (cleared & (cleared - 1)) === 0;
      return clears && divisible(a, cleared) ? a : undefined;
    }
    case '|':
    case '^': {
      // Bits below those that the unknowns move are set and flipped in the known part alone.
      const [big, small, by] = a.length ? [a, b, right] : [b, a, left];
      if (small.length) return undefined;
      const least = typeof by.lanes === 'number' ? by.lanes : by.lanes.reduce((m, lane) => Math.min(m, lane), 0);
      const most = typeof by.lanes === 'number' ? by.lanes : by.lanes.reduce((m, lane) => Math.max(m, lane), 0);
      return least >= 0 && divisible(big, 2 ** Math.ceil(Math.log2(most + 1))) ? big : undefined;
    }
    default:
      return undefined;
  }
}

function onlyBlocks(form: Form): boolean {
  return form.length > 0 && form.every(({ of }) => of.factors.every(({ kind }) => kind === 'block'));
}

/** Tells lanes apart well enough: equal numbers of a run come from equal unknowns. */
function traitsOf(lanes: Lanes): string {
  if (typeof lanes === 'number') return String(lanes);
  return [0, 1, 2, 15, 31, 32, 33, lanes.length - 1].map((at) => lanes[at]).join();
}

/**
 * `x / c` where c divides every coefficient is exact; otherwise the quotient is a separate unknown Q, and `x % c` is `x
 * - c * Q`, so that `x / w * w + x % w` is x again.
 */
function quotientForm(run: Run, op: string, left: Value, a: Form, right: Value, b: Form): Form | undefined {
  const divisor = typeof right.lanes === 'number' ? (op === '>>' ? 2 ** right.lanes : right.lanes) : undefined;
  if (b.length === 0 && divisor !== undefined && divisor > 0 && Number.isInteger(divisor) && divisible(a, divisor))
    return op === '%' ? nothing : scaled(a, 1 / divisor);
  requireEach(run, left, right);
  if (((left.taint | right.taint) & open) === Taint.iterated) return undefined;
  if (divisor === undefined && typeof right.lanes !== 'number') return undefined;
  const quotient = map2(left.lanes, op === '>>' ? divisor! : right.lanes, run.threads, (x, y) =>
    y === 0 ? 0 : Math.trunc(x / y),
  );
  const witness = settle(quotient);
  const key = `quotient of ${traitsOf(left.lanes)} by ${op === '>>' ? divisor : traitsOf(right.lanes)}`;
  const perLane = typeof left.lanes !== 'number' || typeof right.lanes !== 'number';
  const along = divisor === undefined ? undefined : quotientAlong(left, a, divisor);
  const make = () => ({
    ...(along ? { kind: 'block' as const, along } : { kind: 'result' as const }),
    witness,
    ...(perLane ? { perLane } : {}),
    ofThread: !along && ((left.taint | right.taint) & Taint.thread) !== 0,
    ...(witness === 0 && b.length && left.taint & Taint.block ? { inside: insideRow } : {}),
  });
  const q = run.unknowns.single(run.unknowns.named(key, make));
  if (op !== '%') return q;
  const back = productForm(run.unknowns, b, knownOf(right.lanes, b), q, 0);
  return back && sum(a, back, -1);
}

/** `x / divisor` in each block, where nothing but the block's number along one axis moves `x`, in all lanes alike. */
function quotientAlong(left: Value, form: Form, divisor: number): Unknown['along'] {
  const known = knownOf(left.lanes, form);
  const axis = form[0]?.of.factors[0]?.along?.axis;
  if (typeof known !== 'number' || axis === undefined) return undefined;
  const moves: ((block: number) => number)[] = [];
  for (const { of, by } of form) {
    const along = of.factors.length === 1 ? of.factors[0]!.along : undefined;
    if (along?.axis !== axis || typeof by !== 'number') return undefined;
    moves.push((block) => by * along.at(block));
  }
  return { axis, at: (block) => Math.trunc(moves.reduce((sum, move) => sum + move(block), known) / divisor) };
}

function comparisonOf(run: Run, op: string, operand: Value, other: Value, taint: number): Value {
  const type = common(operand.type, other.type);
  // Beside an unsigned number a negative one is a large one.
  const isUnsigned = isUnsigned32(type) && !(taint & (Taint.chosen | Taint.loaded | Taint.loadedUniform));
  const left = isUnsigned ? convert(run, operand, type) : operand;
  const right = isUnsigned ? convert(run, other, type) : other;
  const sides = [left, right] as const;
  if (taint & open && !(taint & uncertain)) {
    const a = formOf(run, left);
    const b = formOf(run, right);
    const difference = a && b ? sum(a, b, -1) : undefined;
    // What is on both sides cancels: `i < n + threadIdx.x` with `i = threadIdx.x + k` compares k with n in every lane.
    if (difference?.length === 0) {
      const lanes = map1(subtract(knownOf(left.lanes, a), knownOf(right.lanes, b)), (d) => compare(op)(d, 0));
      const kept = taint & ~(unsettled | Taint.assumed | Taint.unknownStride);
      return { ...blank, type: boolType, lanes: settle(lanes), taint: kept, sides };
    }
    requireEvery(run, difference ?? [...(a ?? []), ...(b ?? [])]);
  }
  return {
    ...blank,
    type: boolType,
    lanes: settleEnds(map2(insideLanes(left), insideLanes(right), run.threads, compare(op))),
    taint,
    sides,
  };
}

/** A pointer to a variable of the thread, as one into memory of the thread that holds what the variable does. */
function inMemory(run: Run, pointer: Value): Value {
  const { target } = pointer;
  if (target?.kind !== 'cell') return pointer;
  const { cell, path, type } = target;
  const key = [`&${cell.name}@${cell.fn?.key}:${cell.node?.start}`, ...path].join('.');
  const base = baseNamed(run, key, 'local', { type });
  const held = [cell.value, ...(cell.value?.fields?.values() ?? [])].filter((value) => value !== undefined);
  const taint = held.reduce((all, value) => all | value.taint, 0);
  // At no offset that is asked for, so that it stands for all of them.
  if (base.elements!.size === 0 && held[0]) base.elements!.set(-1, plain(intType, held[0].lanes, taint));
  return { ...pointer, target: undefined, base };
}

/** An address that was made a number counts bytes. */
function sizeOfElement(type: Type): number | undefined {
  if (type.kind === 'pointer') return sizeOf(type.to);
  return type.kind === 'scalar' ? 1 : 4;
}

/** Pointers: the number of elements is scaled by the size pointed to. */
function pointerArithmetic(run: Run, op: string, left: Value, right: Value, taint: number): Value {
  const isLeft = left.base !== undefined || left.target !== undefined;
  const [moved, other] = isLeft ? [left, right] : [right, left];
  const isMove = op === '+' || op === '-';
  // `p[0]` is the variable that `p` points to.
  const to = moved.type.kind === 'pointer' && moved.target && isSameType(moved.type.to, moved.target.type);
  if (isMove && to && other.lanes === 0 && !(other.taint & open)) return moved;
  const pointer = isMove ? inMemory(run, moved) : moved;
  if (isMove && !(other.base ?? other.target) && pointer.base) {
    const size = sizeOfElement(pointer.type);
    const scale = (size ?? 4) * (op === '-' ? -1 : 1);
    const lanes = add(pointer.lanes, multiply(other.lanes, scale));
    const form = offsetForm(run, pointer, other, scale);
    const unsized = pointer.type.kind === 'pointer' && !isSizeKnown(pointer.type.to) ? Taint.assumed : 0;
    const kept = settledTaint(taint, form) | unsized;
    return {
      ...blank,
      type: pointer.type,
      base: pointer.base,
      lanes,
      form,
      taint: kept,
    };
  }
  if (op === '-' && left.base && left.base === right.base) {
    const size = sizeOfElement(left.type) ?? 4;
    return {
      ...blank,
      type: longType,
      lanes: map2(left.lanes, right.lanes, run.threads, (a, b) => Math.trunc((a - b) / size)),
      taint,
    };
  }
  if (comparison.test(op)) {
    // A comparison with null: pointers in device code are taken to be set.
    const sameMemory = left.base === right.base;
    const lanes =
      op === '!=' ? 1 : op === '==' ? 0 : sameMemory ? map2(left.lanes, right.lanes, run.threads, compare(op)) : 1;
    requireEach(run, left, right);
    const isKnown = sameMemory && op !== '==' && op !== '!=';
    return { ...blank, type: boolType, lanes, taint: taint | (isKnown ? 0 : Taint.chosen), sides: [left, right] };
  }
  // Swizzled addresses of shared memory: the array begins where no bit of the offset is lost.
  if (op === '^' && pointer.base?.space === 'shared' && pointer.type.kind === 'scalar' && !other.base) {
    const { form, lanes, taint: of } = arithmetic(run, op, { ...pointer, base: undefined }, other);
    return { ...pointer, form, lanes, taint: of };
  }
  if (pointer.base) return { ...pointer, taint: taint | Taint.maybe };
  return plain(pointer.type, 0, taint | Taint.chosen | Taint.maybe);
}

/** What a condition makes of a value: pointers are taken to be set, wherever in their memory they point. */
export function truthOf(value: Value): Value {
  if (!value.base && !value.target) {
    const lanes = insideLanes(value);
    return lanes === value.lanes ? value : { ...value, lanes };
  }
  return plain(boolType, 1, value.taint | Taint.chosen);
}

/** The unknowns of an offset in bytes `scale` times an index away from a pointer. */
export function offsetForm(
  run: Run,
  pointer: Pick<Value, 'lanes' | 'form' | 'taint'>,
  index: Value,
  scale: number,
): Form | undefined {
  if (!((pointer.taint | index.taint) & open)) return undefined;
  const a = formOf(run, pointer);
  const b = formOf(run, index);
  return a && b && sum(a, scaled(b, scale), 1);
}

/** `next` on the threads of `mask`, `previous` elsewhere. */
export function merge(run: Run, previous: Value, next: Value, mask: Mask): Value {
  if (mask.count === run.threads || !previous) return next;
  if (mask.count === 0) return previous;
  if (next.fields || previous.fields) {
    const fields = new Map<string, Value>();
    for (const name of new Set([...(next.fields?.keys() ?? []), ...(previous.fields?.keys() ?? [])])) {
      const a = previous.fields?.get(name);
      const b = next.fields?.get(name);
      fields.set(name, a && b ? merge(run, a, b, mask) : (b ?? a)!);
    }
    return { ...next, fields, taint: next.taint | previous.taint };
  }
  const taint = next.taint | previous.taint;
  if (previous.base !== next.base) {
    const other = previous.base && next.base ? Taint.maybe : 0;
    return { ...next, taint: taint | other };
  }
  const form = blendedForm(run, previous, next, mask);
  return { ...next, sides: undefined, lanes: blend(previous.lanes, next.lanes, mask), form, taint };
}

/** The unknowns of a blend of two values. */
export function blendedForm(run: Run, previous: Value, next: Value, mask: Mask): Form | undefined {
  if (!((previous.taint | next.taint) & open)) return undefined;
  const a = formOf(run, previous);
  const b = formOf(run, next);
  return a && b && blendForms(a, b, mask);
}
export function blendForms(previous: Form, next: Form, mask: Mask): Form | undefined {
  if (sameForm(previous, next)) return next;
  const monomials = new Map([...previous, ...next].map((term) => [term.of.id, term.of]));
  if (monomials.size > 10) return undefined;
  const byIn = (form: Form, id: number): Lanes => form.find((term) => term.of.id === id)?.by ?? 0;
  return [...monomials.values()]
    .sort((a, b) => a.id - b.id)
    .map((of) => ({ of, by: settle(blend(byIn(previous, of.id), byIn(next, of.id), mask)) }))
    .filter((term) => term.by !== 0);
}

export function sameValue(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (left.base !== right.base || left.lambda !== right.lambda || left.fields || right.fields) return false;
  return sameLanes(left.lanes, right.lanes);
}

/** Two structures of which either may be the one: fields that differ say so. */
export function joinFields(stands: Value, other: Value, mark: number): Value {
  const fields = new Map(stands.fields);
  for (const name of new Set([...fields.keys(), ...(other.fields?.keys() ?? [])])) {
    const left = stands.fields?.get(name);
    const right = other.fields?.get(name);
    if (left && right && !left.fields && !right.fields && sameValue(left, right))
      fields.set(name, { ...left, taint: left.taint | right.taint });
    else if (left && right && (left.fields || right.fields)) fields.set(name, joinFields(left, right, mark));
    else {
      const known = left ?? right!;
      const joined: Value = { ...known, form: undefined, taint: known.taint | (right?.taint ?? 0) | mark };
      fields.set(name, left && right ? withUsual(joined, left, right) : joined);
    }
  }
  return { ...stands, fields, taint: stands.taint | other.taint | mark };
}

/** Bytes between two places of one memory, where it is the same in every lane whatever the unknowns are. */
export function deltaOf(
  run: Run,
  first: { readonly offset: Lanes; readonly form?: Form | undefined; readonly taint: number },
  second: { readonly offset: Lanes; readonly form?: Form | undefined; readonly taint: number },
  mask: Mask,
): number | undefined {
  if (!((first.taint | second.taint) & open)) return constantDelta(first.offset, second.offset, mask);
  const a = formOf(run, { lanes: first.offset, form: first.form, taint: first.taint } as Value);
  const b = formOf(run, { lanes: second.offset, form: second.form, taint: second.taint } as Value);
  const difference = a && b ? sum(a, b, -1) : undefined;
  if (difference ? difference.length > 0 : (first.taint | second.taint) & Taint.iterated) return undefined;
  return constantDelta(first.offset, second.offset, mask);
}
