// Accesses of shared memory of which data decide the lanes (`if (v > limit) full = true`) or the place (`bins[v]`),
// compared with those of which both are known: wherever data lead, a thread of another warp is at the place.
import { sizeOf } from '../language';
import { type AnyAccess, laneAt, type Lanes, modulo, Taint } from '../run';
import { bytesOf, keyOf } from './touched';
import { isAskedBy } from './untakenArms';

/** An access, its number among all, and where it is in this iteration. */
export interface Visit {
  readonly access: AnyAccess;
  readonly number: number;
  readonly at: Lanes;
}

/** Accesses of one memory between barriers that are held against each other. */
const mostVisits = 64;
/** The run takes multiples of it for loaded numbers: what is left of a sum is known. */
const loadedStep = 1024;

/** The earlier accesses of one memory that meet this one, with the lanes of both; it is added to them. */
export function meetingsByData(
  byMemory: Map<string, readonly Visit[]>,
  access: AnyAccess,
  number: number,
  { floor, iterations }: { readonly floor: number; readonly iterations: ReadonlyMap<number, number> },
): (Visit & { readonly lanes: readonly [number, number] })[] {
  const isOpen = isOfOpenPlace(access);
  const key = keyOf(isOpen ? { base: access.base, form: undefined } : access);
  const at = isOpen ? startOf(access) : bytesOf(access, (id) => iterations.get(id) ?? 0);
  if (key === undefined || at === undefined || access.isShadow || access.inFlight) return [];
  const visits = (byMemory.get(key) ?? []).filter((visit) => visit.number > floor).slice(-mostVisits);
  const after = { access, number, at };
  byMemory.set(key, [...visits, after]);
  return visits.flatMap((visit) => {
    if (!mayMeet(visit.access, access)) return [];
    const isLater = access.kind === 'scattered';
    const [one, other] = (isLater ? meet(after, visit) : meet(visit, after)) ?? [];
    if (one === undefined || other === undefined) return [];
    return [{ ...visit, lanes: isLater ? [other, one] : [one, other] }];
  });
}

const isOfOpenPlace = ({ kind, taint }: AnyAccess): boolean => kind === 'scattered' && (taint & Taint.loaded) !== 0;

/** The byte at which the elements begin that data choose from; undefined where threads choose from others. */
function startOf({ offset, taint, mask: { bits }, base, bytes }: AnyAccess): number | undefined {
  const others =
    Taint.hash |
    Taint.maybe |
    Taint.assumed |
    Taint.chosen |
    Taint.loadedUniform |
    (Taint.unplaced | Taint.unknownStride | Taint.float);
  const element = base.type?.kind === 'array' ? sizeOf(base.type.of) : bytes;
  if (taint & others || !element) return undefined;
  const startIn = (lane: number): number => modulo(laneAt(offset, lane), element * loadedStep);
  const start = startIn(bits.indexOf(1));
  return bits.every((bit, lane) => !bit || startIn(lane) === start) ? start : undefined;
}

function mayMeet(first: AnyAccess, second: AnyAccess): boolean {
  const [open, known] = first.kind === 'scattered' ? [first, second] : [second, first];
  if (open.kind !== 'scattered' || known.kind !== 'access' || known.byData || first.mode === second.mode) return false;
  // A read may tell whether the write is worth its time.
  return !isAskedBy(first.conditions, second) && !isAskedBy(second.conditions, first);
}

/** A lane of the access that data lead and one of another warp at its place, if there is one wherever they lead. */
function meet(open: Visit, known: Visit): readonly [number, number] | undefined {
  const { bits } = known.access.mask;
  const { bytes } = known.access;
  if (isOfOpenPlace(open.access)) {
    const [low, high] = [bits.indexOf(1), bits.lastIndexOf(1)];
    const isNext = (bit: number, lane: number): boolean =>
      lane < low || lane > high || (bit === 1 && laneAt(known.at, lane) === (open.at as number) + (lane - low) * bytes);
    return low >> 5 !== high >> 5 && bits.every(isNext) ? [high, low] : undefined;
  }
  let lanes: readonly [number, number] | undefined;
  for (const [lane, comes] of open.access.mask.bits.entries()) {
    if (!comes) continue;
    const start = laneAt(open.at, lane);
    const isBeside = (bit: number, other: number): boolean => {
      const at = laneAt(known.at, other);
      return bit === 1 && other >> 5 !== lane >> 5 && at < start + open.access.bytes && start < at + bytes;
    };
    const other = bits.findIndex(isBeside);
    if (other < 0) return undefined;
    lanes ??= [lane, other];
  }
  return lanes;
}
