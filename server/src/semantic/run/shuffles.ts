// Shuffles: whose value each lane of a warp receives.
import { formOf, open } from './forms';
import { intType } from '../language';
import { freshLanes, laneAt, modulo, settle, type Lanes } from './lanes';
import type { Form } from './unknowns';
import { plain, Taint, type Run, type Value } from './values';
import { isNumber } from './warpMasks';

/**
 * `__shfl_sync` and its kin (`kind` is '', '_up', '_down' or '_xor') on [value, lane or delta or mask, width]: a lane
 * whose source lies outside of its group of `width` keeps its own value (CUDA C++ Programming Guide, "Warp Shuffle
 * Functions").
 */
export function shuffle(run: Run, kind: string, [value, lane, width]: readonly Value[]): Value {
  if (!value || !lane) return plain(intType, 0, 0);
  // One lane's value handed to the whole warp is no longer different within it.
  const broadcast =
    kind === '' && typeof lane.lanes === 'number' && isWholeWarp(width) && !(lane.taint & (Taint.loaded | Taint.hash));
  if (broadcast && value.taint & (Taint.loaded | Taint.hash)) {
    const taint = (value.taint & ~(Taint.loaded | Taint.hash)) | Taint.chosen | Taint.loadedUniform;
    // A block may be narrower than the warp that the lane is of.
    const from = Math.min(run.threads - 1, (lane.lanes as number) & 31);
    return { ...value, form: undefined, lanes: laneAt(value.lanes, from), taint };
  }
  const form = value.taint & open ? formOf(run, value) : undefined;
  if (typeof value.lanes === 'number' && (form?.every(({ by }) => typeof by === 'number') ?? true)) return value;
  const span = width && typeof width.lanes === 'number' && width.lanes > 0 ? width.lanes : 32;
  const sources = new Int32Array(run.threads);
  for (let at = 0; at < run.threads; at++)
    sources[at] = Math.min(run.threads - 1, sourceOf(kind, at, laneAt(lane.lanes, at), span));
  const moved = (lanes: Lanes): Lanes => {
    if (typeof lanes === 'number') return lanes;
    const out = freshLanes(run.threads);
    for (let at = 0; at < run.threads; at++) out[at] = lanes[sources[at]!]!;
    return settle(out);
  };
  const movedForm: Form | undefined = form?.map(({ of, by }) => ({ of, by: moved(by) })).filter(({ by }) => by !== 0);
  const taint = value.taint | (lane.taint & ~Taint.thread);
  return { ...value, sides: undefined, lanes: moved(value.lanes), taint, form: movedForm };
}

/** The width that a shuffle has if none is written. */
function isWholeWarp(width: Value | undefined): boolean {
  return !width || (typeof width.lanes === 'number' && width.lanes >= 32 && !(width.taint & open));
}

/** Whose value each thread receives, where known numbers say so. */
export function sourcesOf(
  kind: string,
  [value, lane, width]: readonly Value[],
): ((thread: number) => number) | undefined {
  if (!value || !lane || !isNumber(lane) || (width && !isNumber(width))) return undefined;
  return (at) => sourceOf(kind, at, laneAt(lane.lanes, at), width ? laneAt(width.lanes, at) : 32);
}

function sourceOf(kind: string, at: number, by: number, span: number): number {
  const warp = at - (at % 32);
  const lane = at % 32;
  const group = lane - (lane % span);
  let from =
    kind === '_up' ? lane - by : kind === '_down' ? lane + by : kind === '_xor' ? lane ^ by : group + modulo(by, span);
  if (kind === '_up' && from < group) from = lane;
  if (kind === '_down' && from >= group + span) from = lane;
  return warp + (from & 31);
}
