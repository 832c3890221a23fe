// A stretch of straight-line code as the compiler sees it: its accesses brought into the shape in which their merging
// is decided.
import { commonStep } from './cost';
import { open } from './forms';
import { alignOf, sizeOf, type Type } from '../language';
import { add, constantDelta, firstActive, laneAt, modulo, type Lanes, type Mask } from './lanes';
import { mergeAccesses, sharedOffsets, type PendingAccess } from './merging';
import { deltaOf } from './operations';
import { knownOf, type Form, type Unknown } from './unknowns';
import { uncertain, type MemoryBase, type PendingCount, type Run, type Sections } from './values';

/** Accesses of one memory and mask whose addresses differ by known bytes in every lane. */
interface AddressForm {
  readonly id: number;
  readonly first: PendingCount;
  /** Where the first of them lies from the form's own address, which has the alignments below. */
  readonly origin: number;
  readonly alignment: number;
  readonly placed: number;
}

/** No instruction moves more. */
const widest = 16;

/** May the compiler merge this access with a neighbour? If not, it can only keep others apart. */
export function mayMerge({ record, bytes, part }: PendingCount): boolean {
  if (record.mode === 'atomic') return false;
  if (record.space === 'shared') return bytes <= widest;
  return part !== undefined && part.alignment >= 2 * bytes;
}

/** The instructions of a stretch, each counted at one access. */
export function mergedCounts(run: Run, stretch: readonly PendingCount[]): PendingCount[] {
  const merging = stretch.filter(mayMerge);
  const places = new Map<MemoryBase, Set<Mask>>();
  const isAlone = ({ record, mask }: PendingCount): boolean => {
    const masked = places.get(record.base) ?? new Set();
    places.set(record.base, masked);
    return masked.size < masked.add(mask).size;
  };
  if (merging.every(isAlone)) return [...stretch];
  const forms: AddressForm[] = [];
  const masks = new Map<Mask, number>();
  const accesses = stretch.map((entry, at): PendingAccess => pendingOf(run, entry, at, forms, masks));
  return mergeAccesses(accesses).map(({ members, countedAt, offset, bytes }) => {
    const entry = stretch[countedAt]!;
    const moved = offset - accesses[countedAt]!.offset;
    if (members.length === 1 && moved === 0 && bytes === entry.bytes) return entry;
    return { ...entry, offset: add(entry.offset, moved), bytes };
  });
}

/**
 * One iteration as a loop has it that the compiler unrolls by `unroll`: copies of the accesses whose neighbours are
 * those of the next iterations. (nvcc 13.0 lets a pointer that differs between lanes point to the middle of the copies,
 * so that half of them are known to be aligned together.) `before` are the sections where the iteration began.
 */
export function unrolled(
  run: Run,
  stretch: readonly PendingCount[],
  iteration: Unknown,
  unroll: number,
  before: Sections,
): PendingCount[] {
  const monomial = run.unknowns.single(iteration)[0]!.of;
  const { frontEnd, assembler } = run.recorder.sections;
  const plans = stretch.map((entry) => {
    const step = entry.form?.find(({ of }) => of === monomial)?.by;
    if (typeof step !== 'number' || step < 0 || step >= widest || !mayMerge(entry)) return { entry, step: 0, count: 1 };
    const isUniform = constantDelta(firstActive(entry.offset, entry.mask), entry.offset, entry.mask) === 0;
    const together = Math.min(widest / entry.bytes, isUniform ? unroll : Math.max(Math.min(2, unroll), unroll / 2));
    return { entry, step, count: Math.max(1, Math.floor(together)) };
  });
  const copyOf = ({ entry, step, count }: (typeof plans)[number], at: number): PendingCount => {
    if (count === 1) return entry;
    const sections = {
      frontEnd: entry.sections.frontEnd + at * (frontEnd - before.frontEnd),
      assembler: entry.sections.assembler + at * (assembler - before.assembler),
    };
    const form = entry.form!.map((term) => (term.of === monomial ? { ...term, by: step * count } : term));
    return { ...entry, form, sections, offset: add(entry.offset, at * step), weight: entry.weight / count };
  };
  return Array.from({ length: Math.max(0, ...plans.map(({ count }) => count)) }, (_, at) =>
    plans.filter(({ count }) => at < count).map((plan) => copyOf(plan, at)),
  ).flat();
}

function pendingOf(
  run: Run,
  entry: PendingCount,
  at: number,
  forms: AddressForm[],
  masks: Map<Mask, number>,
): PendingAccess {
  const { record, bytes, mask, part, sections } = entry;
  const { base, mode } = record;
  if (!masks.has(mask)) masks.set(mask, masks.size);
  const space = base.space === 'shared' || base.space === 'local' ? base.space : 'global';
  const common = {
    base: base.id,
    space,
    mode,
    bytes,
    scalarBytes: scalarBytesOf(record.type, bytes),
    mask: masks.get(mask)!,
    sections,
    ...(base.restrict ? { restrict: true } : {}),
  } as const;
  if (!mayMerge(entry))
    return { ...common, scalarBytes: bytes, form: -1 - at, offset: 0, alignment: bytes, opaque: true };
  const form = formOfEntry(run, entry, forms);
  const offset = form.origin + (form.first === entry ? 0 : deltaOf(run, form.first, entry, mask)!);
  return {
    ...common,
    form: form.id,
    offset,
    alignment: form.alignment,
    ...(space === 'shared' ? { placed: form.placed } : {}),
    ...(part ? { object: form.id * 65536 + ((offset - part.offset) & 65535) } : {}),
  };
}

function formOfEntry(run: Run, entry: PendingCount, forms: AddressForm[]): AddressForm {
  const { record, mask } = entry;
  for (const form of forms) {
    const { first } = form;
    if (first.record.base === record.base && first.mask === mask && deltaOf(run, first, entry, mask) !== undefined)
      return form;
  }
  const form = { id: forms.length, first: entry, ...alignmentsOf(run, entry) };
  forms.push(form);
  return form;
}

/** What the compiler knows of an address: of the declaration, of the type that is accessed, and of the index. */
function alignmentsOf(run: Run, entry: PendingCount): Pick<AddressForm, 'origin' | 'alignment' | 'placed'> {
  const { record, offset, form, taint, part } = entry;
  const { base, type } = record;
  const isFollowed = !(taint & uncertain) && (form !== undefined || !(taint & open));
  const declared = declaredAlignment(base);
  const index = isFollowed ? indexAlignment(knownOf(offset, form), form ?? [], entry.mask) : { origin: 0, power: 1 };
  const proven = Math.min(declared, index.power);
  const start = base.space === 'shared' ? startOf(run, base) : undefined;
  const placed = start === undefined ? 1 : Math.min(index.power, commonStep(widest, start));
  if (part && part.alignment > proven)
    return { origin: part.offset, alignment: Math.min(widest, part.alignment), placed: 1 };
  const natural = alignOf(type);
  if (natural > proven && natural > placed) return { origin: 0, alignment: natural, placed: 1 };
  return { origin: index.origin, alignment: Math.max(1, proven), placed };
}

/** The power of two that divides an index's bytes in every lane, but for a constant. */
function indexAlignment(known: Lanes, form: Form, mask: Mask): { origin: number; power: number } {
  const origin = modulo(firstActive(known, mask), widest);
  let power = widest;
  for (let at = 0; at < mask.bits.length && power > 1; at++) {
    if (!mask.bits[at]) continue;
    power = commonStep(power, laneAt(known, at) - origin);
    for (const { by } of form) power = commonStep(power, laneAt(by, at));
  }
  return { origin, power };
}

function declaredAlignment(base: MemoryBase): number {
  const { type } = base;
  if (base.space === 'shared' && type?.kind === 'array' && type.length === undefined) return widest;
  return Math.min(widest, Math.max(base.align ?? 1, type ? alignOf(type) : 1));
}

const layouts = new WeakMap<Run, { readonly bases: number; readonly starts: ReadonlyMap<MemoryBase, number> }>();

/** Where the assembler lays a shared array; arrays without a size begin behind all others. */
function startOf(run: Run, base: MemoryBase): number {
  let layout = layouts.get(run);
  if (layout?.bases !== run.bases.size) {
    const shared = [...run.bases.values()].filter((each) => each.space === 'shared');
    const sizes = shared.map(({ type }) => (type ? sizeOf(type) : undefined) ?? 0);
    const starts = sharedOffsets(shared.map((each, at) => ({ bytes: sizes[at]!, alignment: declaredAlignment(each) })));
    layout = { bases: run.bases.size, starts: new Map(shared.map((each, at) => [each, sizes[at] ? starts[at]! : 0])) };
    layouts.set(run, layout);
  }
  return layout.starts.get(base) ?? 0;
}

/** Bytes of one scalar of what is accessed: 4 for a `float4`. */
function scalarBytesOf(type: Type, bytes: number): number {
  if (type.kind !== 'struct') return Math.min(bytes, sizeOf(type) ?? bytes);
  const first = [...type.fields.values()][0];
  const inner = first ? scalarBytesOf(first.type, bytes) : bytes;
  return bytes % inner === 0 ? inner : bytes;
}
