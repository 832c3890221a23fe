// What is said of a launch's last wave: with few blocks behind few full waves, and not otherwise.
import { equal, match, ok } from 'node:assert/strict';
import { tailWaveOf } from '../../profiler/src/overlay/tailWave';

/** Two blocks of 1,024 threads on each of 132 multiprocessors, as measured in lab/programs/walks.cu. */
const wave = 264;
const of = (blocks: number): ReturnType<typeof tailWaveOf> => tailWaveOf(blocks / wave, blocks);

describe('tail waves', () => {
  it('are reported where a few blocks follow a few full waves', () => {
    const one = of(266);
    ok(one);
    match(one.text, /runs 264 blocks of this kernel at a time, and the launch has 266: one full wave, and one of 2\./);
    // Measured: 1.47, since the two blocks have a multiprocessor each to themselves.
    equal(one.gain, 'up to 2.0×');
    const three = of(3 * wave + 66);
    match(three!.text, /3 full waves, and one of 66\. .* 792 blocks/);
    equal(three!.gain, 'up to 1.2×');
  });

  it('are none where the last one is half full, behind many others, or all there is', () => {
    for (const blocks of [wave, 2 * wave, wave + 133, 6 * wave + 2, 100, 1]) equal(of(blocks), undefined);
    equal(tailWaveOf(undefined, 266), undefined);
    equal(tailWaveOf(Number.NaN, 266), undefined);
  });
});
