// The last wave of a launch: blocks that are left over when the GPU has been filled a few times, and for which most of
// it waits.

/** Behind so many full waves the last one is little: 1.06 times at eight, 1.03 at sixteen, as measured on an H200. */
const mostWaves = 5;

export interface TailWave {
  readonly title: string;
  readonly text: string;
  readonly gain: string;
}

/**
 * What a page says of it; undefined where the last wave is at least half full, or one of many.
 * @param waves blocks by those that the GPU holds at a time, `launch__waves_per_multiprocessor`
 * @param blocks of the launch
 */
export function tailWaveOf(waves: number | undefined, blocks: number): TailWave | undefined {
  if (waves === undefined || !Number.isFinite(waves) || waves <= 1) return undefined;
  const wave = Math.round(blocks / waves);
  const full = Math.floor(blocks / wave);
  const left = blocks - full * wave;
  if (full < 1 || full > mostWaves || left === 0 || left > wave / 2) return undefined;
  const most = (full + 1) / (blocks / wave);
  return {
    title: 'Tail wave',
    text:
      `The GPU runs ${wave} blocks of this kernel at a time, and the launch has ${blocks}: ` +
      `${full === 1 ? 'one full wave' : `${full} full waves`}, and one of ${left}. If all blocks take the ` +
      `same time, a launch of ${full * wave} blocks with slightly more work each is up to ${most.toFixed(1)} ` +
      'times as fast.',
    gain: `up to ${most.toFixed(1)}×`,
  };
}
