// The severity that a finding is shown with, by what was measured of it.
import { deepStrictEqual, ok } from 'node:assert/strict';
import {
  leastShareOfKernel,
  leastShareOfWarning,
  measuredSeverity,
} from '../../profiler/src/evidence/measuredSeverity';

describe('measured severity', () => {
  const costly = { lines: leastShareOfWarning, kernel: 0.5 };
  const cheap = { lines: 0.049, kernel: 0.5 };
  const tiny = { lines: 0.002, kernel: 0.002 };
  for (const [severity, state, gpuShares, wanted] of [
    ['hint', 'confirmed', costly, 'warning'],
    ['information', 'confirmed', costly, 'warning'],
    ['warning', 'confirmed', costly, 'warning'],
    ['error', 'confirmed', costly, 'error'],
    ['information', 'confirmed', { lines: 0.3 }, 'warning'],
    ['hint', 'confirmed', cheap, 'hint'],
    ['warning', 'confirmed', cheap, 'warning'],
    ['hint', 'confirmed', undefined, 'hint'],
    ['information', 'weak', costly, 'information'],
    ['hint', 'unmeasured', costly, 'hint'],
    ['warning', 'refuted', costly, 'hint'],
    ['information', 'refuted', undefined, 'hint'],
    ['error', 'refuted', tiny, 'error'],
    ['warning', 'confirmed', tiny, 'hint'],
    ['information', 'weak', tiny, 'hint'],
    ['warning', 'not-executed', tiny, 'hint'],
    ['warning', 'unmeasured', tiny, 'hint'],
    ['error', 'confirmed', tiny, 'error'],
    ['warning', 'weak', { lines: 0, kernel: leastShareOfKernel }, 'warning'],
    ['warning', 'unmeasured', undefined, 'warning'],
  ] as const)
    it(`${severity}, ${state} at ${JSON.stringify(gpuShares)}: ${wanted}`, () => {
      const { severity: shown, why } = measuredSeverity(
        { severity },
        { state, ...(gpuShares === undefined ? {} : { gpuShares }) },
      );
      deepStrictEqual(shown, wanted);
      // A refuted finding says so in its verdict.
      deepStrictEqual(why !== undefined, wanted !== severity && state !== 'refuted');
    });

  it('says the share that decides', () => {
    deepStrictEqual(
      measuredSeverity({ severity: 'hint' }, { state: 'confirmed', gpuShares: { lines: 0.34, kernel: 0.4 } }).why,
      "Warning, as measured: 34.0 % of the GPU's time.",
    );
    deepStrictEqual(
      measuredSeverity({ severity: 'warning' }, { state: 'confirmed', gpuShares: tiny }).why,
      "Hint, as measured: the kernel takes 0.2 % of the GPU's time.",
    );
  });

  it('lowers what settings chose, and does not raise it', () => {
    for (const [severity, state, wanted] of [
      ['hint', 'confirmed', 'hint'],
      ['warning', 'refuted', 'hint'],
    ] as const)
      deepStrictEqual(measuredSeverity({ severity, bySetting: true }, { state, gpuShares: costly }).severity, wanted);
  });

  it('never contradicts itself: lines of a warning are more than a whole kernel of a hint', () => {
    ok(leastShareOfWarning > leastShareOfKernel);
  });
});
