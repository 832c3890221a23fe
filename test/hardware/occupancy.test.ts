// The occupancy calculator against that of the CUDA toolkit: a recorded sample of the grid, and more of it where nvcc is.
import { deepStrictEqual, equal, ok } from 'node:assert/strict';
import { answerText, combinations, headerAnswers } from '../../tools/occupancy/compare';
import {
  knownCapabilities,
  multiprocessorLimits,
  occupancy,
  registersFor,
  type BlockResources,
} from '../../hardware/src/occupancy';
import { gpus } from '../../server/src/semantic/gpus';
import { nvccVersion } from '../support/nvcc';
import { skipBecause } from '../support/skipBecause';
import recorded from './occupancy.json';

const on = (capability: number, block: BlockResources) => occupancy(multiprocessorLimits(capability)!, block);

describe('occupancy', function () {
  this.timeout(60_000);

  it('of the recorded combinations is what cuda_occupancy.h of CUDA 13.0 says', () => {
    const ours = recorded.map(({ question }) => {
      const [major, minor, , , , , , threads, registers, fixed, dynamic, allowed, barriers, carveout] = question
        .split(' ')
        .map(Number) as [number, ...number[]];
      return answerText(
        on(Number(`${major}.${minor}`), {
          threads: threads!,
          registers: registers!,
          staticSharedBytes: fixed!,
          dynamicSharedBytes: dynamic!,
          dynamicSharedBytesAllowed: allowed!,
          barriers: barriers!,
          ...(carveout === -1 ? {} : { carveout: carveout! }),
        }),
      );
    });
    deepStrictEqual(
      ours,
      recorded.map(({ answer }) => answer),
    );
    equal(new Set(recorded.map(({ question }) => question.split(' ', 2).join('.'))).size, knownCapabilities.length);
  });

  it('of every 37th of a million combinations is what the header of this machine says', function () {
    if (!nvccVersion()) skipBecause(this, 'there is no nvcc');
    const all = [...combinations()];
    ok(all.length > 1_000_000);
    const asked = all.filter((_, at) => at % 37 === 0);
    deepStrictEqual(
      asked.map(({ of, block }) => answerText(occupancy(of, block))),
      headerAnswers(asked),
    );
  });

  it('says what allows no more, and nothing where the warps fill the multiprocessor', () => {
    deepStrictEqual(on(9.0, { threads: 256, registers: 32 }).limiters, []);
    const wide = on(9.0, { threads: 256, registers: 128 });
    deepStrictEqual([wide.blocks, wide.warps, wide.mostWarps, wide.limiters], [2, 16, 64, ['registers']]);
    deepStrictEqual(on(12.0, { threads: 32, registers: 32 }).limiters, ['blocks', 'barriers']);
    deepStrictEqual(on(10.0, { threads: 128, registers: 32, dynamicSharedBytes: 100_000 }).limiters, ['shared memory']);
    equal(on(9.0, { threads: 1025, registers: 32 }).blocks, 0);
  });

  it('knows the limits of every GPU of the table', () => {
    deepStrictEqual(
      gpus.filter(({ computeCapability }) => !multiprocessorLimits(computeCapability)).map(({ name }) => name),
      [],
    );
  });

  it('finds the registers that a number of blocks leaves', () => {
    const of = multiprocessorLimits(9.0)!;
    equal(registersFor(of, { threads: 256, registers: 0 }, 8), 32);
    equal(registersFor(of, { threads: 256, registers: 0 }, 5), 48);
    equal(registersFor(of, { threads: 1024, registers: 0 }, 3), undefined);
  });
});
