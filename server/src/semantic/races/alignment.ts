// Accesses at addresses that are no multiple of what their type asks for, whatever the unknown values.
import { alignOf } from '../language';
import { laneAt, modulo, Taint, witnessOf, type MemoryBase, type RunResult, type TracedAccess } from '../run';

export interface Misaligned {
  readonly access: TracedAccess;
  readonly lane: number;
  /** Bytes from the start of the memory, of which `alignment` would have to be a divisor. */
  readonly byte: number;
  readonly alignment: number;
  /** The memory starts at no known multiple: two threads differ, so that one is wrong wherever it starts. */
  readonly other?: number;
}

/**
 * The first misaligned thread of each access. `isAligned`: does the memory start at a multiple of every type's
 * alignment?
 */
export function findMisaligned(
  { shared, global }: RunResult,
  isAligned: (base: MemoryBase, alignment: number) => boolean,
): Misaligned[] {
  const found = new Map<unknown, Misaligned>();
  for (const event of [...shared, ...global]) {
    if (event.kind !== 'access' || event.inFlight || found.has(event.node)) continue;
    if (!event.settled || event.byData || event.isShadow || !isOneWord(event)) continue;
    const misaligned = misalignedIn(event, isAligned);
    if (misaligned) found.set(event.node, misaligned);
  }
  return [...found.values()];
}

/** Structures are read by their fields where they are not aligned as a whole. */
function isOneWord({ type, bytes, taint }: TracedAccess): boolean {
  if (taint & Taint.resized) return false;
  const isVector = type.kind === 'struct' && type.vector !== undefined;
  return (type.kind === 'scalar' || isVector) && alignOf(type) > 1 && bytes % alignOf(type) === 0;
}

function misalignedIn(
  access: TracedAccess,
  isAligned: (base: MemoryBase, alignment: number) => boolean,
): Misaligned | undefined {
  const { base, offset, form = [], mask, type } = access;
  const alignment = alignOf(type);
  // What all lanes add alike leaves them as far apart as they are.
  if (form.some(({ by, of }) => typeof by !== 'number' || typeof of.witness !== 'number')) return undefined;
  const isKnown = isAligned(base, alignment) && form.every(({ by }) => modulo(by as number, alignment) === 0);
  const first = mask.bits.indexOf(1);
  const start = laneAt(offset, first);
  for (let lane = first; lane < mask.bits.length && lane >= 0; lane++) {
    if (!mask.bits[lane]) continue;
    const at = laneAt(offset, lane);
    const common = { access, lane, byte: at - laneAt(witnessOf(form), lane), alignment };
    if (isKnown && modulo(common.byte, alignment) !== 0) return common;
    if (!isKnown && modulo(at - start, alignment) !== 0) return { ...common, other: first };
  }
  return undefined;
}
