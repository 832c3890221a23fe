// Reads of shared memory that nothing wrote before, whatever the order of the threads: elements of arrays of known size
// that no store before the read covers, nor one of another thread before the threads meet again.
import type { RunResult, TracedAccess, TraceEvent } from '../run';
import { laneAt } from '../run';
import { sizeOf } from '../language';
import { bytesOf, isDynamic } from './touched';

export interface Unset {
  readonly access: TracedAccess;
  readonly lane: number;
  readonly byte: number;
  /** No thread that reads here reads anything that was written. */
  readonly isWhole: boolean;
}

/** Arrays with more bytes than this are not looked at. */
const mostBytes = 1 << 16;
/** Iterations of a loop after which its stores are taken to reach everything. */
const mostIterations = 4096;

/** By byte: no thread wrote it, one thread did (its number and 1), or several. */
type Writers = Int32Array;
const several = -1;

/** The first read of each place. */
export function findUnset({ shared: events, mayStoreTo }: RunResult): Unset[] {
  const found = new Map<unknown, Unset>();
  const written = new Map<unknown, Writers>();
  const loops: number[] = [];
  for (const [at, event] of events.entries()) {
    if (event.kind === 'gap' && !event.isOfArm) break;
    if (event.kind === 'loop') loops.push(event.end);
    if (event.kind !== 'access') continue;
    while (loops.length > 0 && loops.at(-1)! <= at) loops.pop();
    const { base, mode, node } = event;
    const bytes = base.type ? sizeOf(base.type) : undefined;
    if (!bytes || bytes > mostBytes || isDynamic(base) || mayStoreTo(base)) continue;
    const before = written.get(base) ?? new Int32Array(bytes);
    written.set(base, before);
    if (mode !== 'load') addWriters(before, event);
    else if (event.settled && !event.byData && !event.isShadow && !found.has(node)) {
      const unset = unsetIn(event, before, undefined);
      const end = unset && endOfInterval(events, at, loops[0] ?? 0);
      if (end === undefined) continue;
      const meanwhile = new Int32Array(bytes);
      for (let next = at + 1; next < end; next++) {
        const other = events[next]!;
        if (other.kind === 'access' && other.base === base && other.mode !== 'load') addWriters(meanwhile, other);
      }
      const still = unsetIn(event, before, meanwhile);
      if (still) found.set(node, still);
    }
  }
  return [...found.values()];
}

/**
 * Where all threads have met after the read, past the loop around it, of which one iteration stands for all; undefined
 * where what comes before that is not known.
 */
function endOfInterval(events: readonly TraceEvent[], from: number, loopEnd: number): number | undefined {
  for (let at = from + 1; at < events.length; at++) {
    const event = events[at]!;
    if (event.kind === 'gap' && !event.isOfArm) return undefined;
    const isMeeting = event.kind === 'meeting' && event.scope !== 'warp';
    if (isMeeting && event.mask.count === event.mask.bits.length && at >= loopEnd) return at;
  }
  return events.length;
}

function addWriters(writers: Writers, access: TracedAccess): void {
  const { mask, settled, form = [] } = access;
  const [term] = form;
  const factor = term?.of.factors.length === 1 ? term.of.factors[0] : undefined;
  const count = form.length === 0 ? 1 : form.length === 1 && factor?.kind === 'loop' ? factor.count : undefined;
  // Where unknown numbers part the lanes, others may come.
  const isPartial = !settled && mask.count < mask.bits.length;
  if (isPartial || access.isShadow || count === undefined || count > mostIterations) {
    writers.fill(several);
    return;
  }
  for (let iteration = 0; iteration < count; iteration++) {
    const at = bytesOf(access, () => iteration);
    for (let lane = 0; lane < mask.bits.length; lane++) {
      if (!mask.bits[lane]) continue;
      const start = laneAt(at, lane);
      for (let byte = Math.max(0, start); byte < Math.min(writers.length, start + access.bytes); byte++)
        writers[byte] = writers[byte] === 0 || writers[byte] === lane + 1 ? lane + 1 : several;
    }
  }
}

/** The first thread that reads nothing but unset bytes. */
function unsetIn(access: TracedAccess, before: Writers, meanwhile: Writers | undefined): Unset | undefined {
  if (access.form?.length) return undefined;
  const { bits, count } = access.mask;
  let unset = 0;
  let first: Pick<Unset, 'lane' | 'byte'> | undefined;
  for (let lane = 0; lane < bits.length; lane++) {
    if (!bits[lane]) continue;
    const start = laneAt(access.offset, lane);
    if (start < 0 || start + access.bytes > before.length) continue;
    let isUnset = true;
    for (let byte = start; byte < start + access.bytes && isUnset; byte++) {
      const other = meanwhile?.[byte] ?? 0;
      isUnset = before[byte] === 0 && (other === 0 || other === lane + 1);
    }
    if (!isUnset) continue;
    unset++;
    first ??= { lane, byte: start };
  }
  return first && { access, ...first, isWhole: unset === count };
}
