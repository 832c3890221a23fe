// What is wrong with the lanes of a warp primitive: lanes of its mask that stay away, callers that the mask leaves out,
// and shuffles from lanes that take no part. Only where known numbers decide.
import { isSettled } from './accessLog';
import { open } from './forms';
import { laneAt, type Lanes } from './lanes';
import type { WarpFault } from './records';
import { uncertain, type Frame, type Path, type Value } from './values';

/** Settled before any unknown is looked at: the same number in every run of the program. */
export function isNumber({ taint, form }: Value): boolean {
  return (taint & (uncertain | open)) === 0 && !form?.length;
}

/** Threads that ended are no lanes to wait for. */
function hasEnded(frame: Frame): (thread: number) => boolean {
  let kernel = frame;
  while (kernel.caller) kernel = kernel.caller.frame;
  return (thread) => kernel.returned?.bits[thread] === 1;
}

/** `sources`: of a shuffle, the thread whose value each lane receives. */
export function warpFault(
  mask: Value,
  sources: ((thread: number) => number) | undefined,
  path: Path,
  frame: Frame,
): WarpFault | undefined {
  const { run } = frame;
  const isSure = !path.unsure && !path.shadow && !path.byData && !path.again && !path.guessed && !path.quiet;
  if (!isSure || !isNumber(mask) || !isSettled(path.conditions) || run.recorder.shared.isLeftByChance) return undefined;
  const ended = hasEnded(frame);
  for (let warp = 0; warp < run.threads; warp += 32) {
    const fault = faultOfWarp(warp, { named: mask.lanes, sources, path, threads: run.threads, ended });
    if (fault) return fault;
  }
  return undefined;
}

interface Callers {
  readonly named: Lanes;
  readonly sources: ((thread: number) => number) | undefined;
  readonly path: Path;
  readonly threads: number;
  readonly ended: (thread: number) => boolean;
}

function faultOfWarp(warp: number, { named, sources, path, threads, ended }: Callers): WarpFault | undefined {
  const { bits } = path.mask;
  let reads = 0;
  let inactive: WarpFault | undefined;
  let callers = 0;
  for (let thread = warp; thread < Math.min(threads, warp + 32); thread++) {
    if (!bits[thread]) continue;
    callers++;
    const mask = laneAt(named, thread) >>> 0;
    const names = (lane: number): boolean => ((mask >>> lane) & 1) === 1;
    const text = `0x${mask.toString(16)}`;
    if (!names(thread - warp)) return { kind: 'unnamed', mask: text, lane: thread - warp };
    // With the full mask, the conditions that part the lanes say more.
    for (let lane = 0; mask !== 4294967295 && lane < Math.min(32, threads - warp); lane++)
      if (names(lane) && !bits[warp + lane] && !ended(warp + lane)) return { kind: 'absent', mask: text, lane };
    const source = sources?.(thread);
    if (source === undefined) continue;
    if (source < threads && bits[source]) reads++;
    else inactive ??= { kind: 'inactive', mask: text, lane: thread - warp, source: source - warp };
  }
  // At the end of a row some lanes receive nothing of use, which the others do not miss.
  return callers > 0 && reads === 0 ? inactive : undefined;
}
