// What variables held before an arm was walked, to set it back or to join it with what another arm left.
import { withUsual } from './usual';
import { blendedForm, joinFields, sameValue } from './operations';
import { Taint, uncertain, type Cell, type Frame, type Run, type Value } from './values';
import { blend, freshBits, laneAt, select, variesInWarp, type Mask } from './lanes';

/** Where a variable stands: `hops` frames up (lambdas see those that they were made in), at `slot`. */
export interface SlotRef {
  readonly hops: number;
  readonly slot: number;
}
export function cellAt(frame: Frame, ref: SlotRef): Cell | undefined {
  return slotsOf(frame, ref)[ref.slot];
}

/** The variables of the frame that a reference leads to. */
export function slotsOf(frame: Frame, { hops }: SlotRef): Frame['slots'] {
  let at: Frame | undefined = frame;
  for (let hop = 0; hop < hops; hop++) at = at?.parent;
  return at?.slots ?? [];
}

interface Saved {
  readonly cell: Cell;
  readonly value: Value | undefined;
  readonly elements?: Map<number, Value>;
}

export function snapshot(refs: readonly SlotRef[], frame: Frame): Saved[] {
  const saved: Saved[] = [];
  const add = (cell: Cell | undefined): void => {
    if (!cell) return;
    const root = cell.ref?.kind === 'cell' ? cell.ref.cell : cell;
    const elements = root.value?.base?.elements;
    saved.push({ cell: root, value: root.value, ...(elements ? { elements: new Map(elements) } : {}) });
  };
  for (const ref of refs) add(cellAt(frame, ref));
  if (frame.self?.kind === 'cell') add(frame.self.cell);
  return saved;
}

export function restore(saved: readonly Saved[]): void {
  for (const { cell, value, elements } of saved) {
    if (value) cell.value = value;
    else delete cell.value;
    if (elements && value?.base?.elements) {
      value.base.elements.clear();
      for (const [key, entry] of elements) value.base.elements.set(key, entry);
    }
  }
}

/** Joins the cells' present values with those of `other`; `picks` are the lanes of the present ones. */
export function joinSnapshots(run: Run, other: readonly Saved[], mark: number, taint: number, picks?: Mask): void {
  for (const { cell, value } of other) {
    const now = cell.value;
    if (!now) {
      if (value) cell.value = marked(value, mark);
      continue;
    }
    if (!value || value === now) continue;
    if (sameValue(value, now)) {
      cell.value = { ...now, taint: now.taint | value.taint };
      continue;
    }
    if (value.fields || now.fields) {
      cell.value = joinFields(now, value, mark | taint);
      continue;
    }
    if (picks && now.base === value.base) {
      const form = blendedForm(run, value, now, picks);
      const all = now.taint | value.taint | mark | taint;
      const lanes = blend(value.lanes, now.lanes, picks);
      cell.value = { ...now, lanes, form: all & uncertain ? undefined : form, taint: all };
      continue;
    }
    cell.value = withUsual(marked(now, value.taint | mark | taint), now, value);
  }
}

/** Values that an arm left which only the witnesses keep threads from: what it loaded for each lane stands. */
export function keepLoads(left: readonly Saved[]): void {
  for (const { cell, value } of left) if (value && cell.value) cell.value = loadedOf(cell.value, value);
}

/** The value, or `other` where that alone differs between lanes by what they loaded. */
export function loadedOf(value: Value, other: Value | undefined): Value {
  const isLoaded = other && other.taint & Taint.loaded && typeof other.lanes !== 'number' && !other.fields;
  return isLoaded && !(value.taint & uncertain) ? marked(other, value.taint | Taint.maybe) : value;
}

/** The value with taints that its form does not tell of. */
export function marked(value: Value, taint: number): Value {
  return { ...value, form: undefined, sides: undefined, taint: value.taint | taint };
}

/** An integer after a loop that each lane leaves by its own data: what it is in one lane says nothing of the next. */
export function leftByData(run: Run, value: Value, taint: number = Taint.loaded): Value {
  const { type, lanes } = value;
  if (type.kind !== 'scalar' || type.float) return marked(value, Taint.assumed);
  const apart = Float64Array.from(
    { length: run.threads },
    (_, lane) => laneAt(lanes, lane) + 1024 * (64 + ((Math.imul(lane + 1, 0x9e3779b1) >>> 12) % 4093)),
  );
  return { ...marked(value, taint), lanes: apart };
}

/** Control dependence: what is assigned under a condition differs with it; `elements` stay where they are. */
export function taintAssigned(
  refs: readonly SlotRef[],
  elements: readonly SlotRef[],
  taint: number,
  frame: Frame,
): void {
  if (!taint) return;
  for (const ref of refs) {
    const cell = cellAt(frame, ref);
    if (!cell?.value || cell.ref || (cell.value.taint | taint) === cell.value.taint) continue;
    if (!onlyElements(ref, elements, cell.value)) cell.value = { ...cell.value, taint: cell.value.taint | taint };
  }
}

/** Lanes to take as going in where data decide lane by lane: any mixture serves, since none is known. */
export function dataMask(run: Run, value: Value, mask: Mask): Mask | undefined {
  if (run.threads === 1 || (value.taint & (Taint.loaded | Taint.hash)) === 0) return undefined;
  if (typeof value.lanes !== 'number' && variesInWarp(value.lanes, mask)) return select(run.full, value.lanes, true);
  const bits = freshBits(run.threads);
  let count = 0;
  for (let at = 0; at < run.threads; at++)
    if (Math.imul(at + 11, 0x9e3779b1) >>> 29 < 4) {
      bits[at] = 1;
      count++;
    }
  return { bits, count };
}
/** Is it only what a pointer or a shared array leads to that was written, and not the variable? */
export function onlyElements(ref: SlotRef, elements: readonly SlotRef[], value: Value): boolean {
  if (!value.base || value.base.elements) return false;
  return elements.some((each) => each.hops === ref.hops && each.slot === ref.slot);
}
