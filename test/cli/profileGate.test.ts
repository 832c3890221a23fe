// The gate of a measured program: repeated runs decide about times, exact counters about themselves, and an undecided gate does not pass.
import assert from 'node:assert/strict';
import { judgeStep, parseMeasuredGate, stepNamed, unmatched, type MeasuredCondition } from '../../cli/src/profileGate';
import { gateText, gateVerdict } from '../../cli/src/profileVerdict';
import { readSteps, withRuns, writeSteps, type Step, type StepKernel } from '../../profiler/src/history/steps';

const conditions = (text: string): readonly MeasuredCondition[] => {
  const parsed = parseMeasuredGate(text);
  if ('problem' in parsed) throw new Error(parsed.problem);
  return parsed;
};
const sectors = 'memory_l2_theoretical_sectors_global';

function kernel(
  durationNs: readonly number[],
  more: Partial<StepKernel> = {},
  counted: readonly number[] = durationNs.map(() => 1000),
): StepKernel {
  return {
    name: 'k(float *)',
    shortName: 'k',
    grid: [64, 1, 1],
    block: [256, 1, 1],
    launches: 1,
    durationNs: durationNs[0]!,
    values: { [sectors]: counted[0]!, launch__registers_per_thread: 32 },
    ...(durationNs.length > 1 ? { runs: { durationNs, counters: { [sectors]: counted } } } : {}),
    ...more,
  };
}
const step = (...kernels: StepKernel[]): Step => ({
  number: 0,
  label: 'baseline',
  time: '2026-11-22T20:00:00Z',
  host: 'this machine',
  device: 'NVIDIA H200',
  report: 'k-001.ncu-rep',
  program: '/build/k',
  buildCommand: 'nvcc',
  collectCommand: 'ncu',
  sources: [],
  folders: [],
  kernels,
  notes: [],
});
const verdicts = (gate: string, before: StepKernel, after: StepKernel): string[] =>
  judgeStep(conditions(gate), step(before), step(after)).map(({ verdict }) => verdict);

describe('warplens profile --gate', () => {
  it('reads figures of a measurement, and times with units', () => {
    const [time, count] = conditions('duration <= +5 %, sectors == +0');
    assert.deepEqual([time!.metric, time!.limit, time!.relative], ['duration', 5, 'percent']);
    assert.deepEqual([count!.metric, count!.limit, count!.relative, count!.operator], ['sectors', 0, 'units', '==']);
    assert.deepEqual(
      conditions('duration < 120 us, duration <= 2 ms, duration <= 50').map(({ limit }) => limit),
      [120_000, 2_000_000, 50_000],
    );
    const problem = (text: string): string => (parseMeasuredGate(text) as { problem: string }).problem;
    assert.match(problem('speed <= 5'), /^Unknown gate figure "speed": use duration, sectors,/);
    assert.match(problem('sectors <= 5 us'), /sectors has no unit/);
    assert.match(
      problem('duration'),
      /^Invalid gate condition .*: use a figure, <=, <, ==, >= or >, and a limit, as in "duration <= \+5 %/,
    );
    assert.match(problem(' , '), /^Empty gate/);
  });

  it('a time is decided by the runs of both sides, never by a single one', () => {
    const still = kernel([100, 101, 99, 100, 100]);
    assert.deepEqual(verdicts('duration <= +5 %', still, kernel([120, 121, 119, 120, 120])), ['breaks']);
    assert.deepEqual(verdicts('duration <= +5 %', still, kernel([103, 104, 102, 103, 103])), ['holds']);
    // Ten per cent slower by the median, but the runs of the two overlap.
    const wide = kernel([100, 118, 97, 115, 99]);
    const judged = judgeStep(conditions('duration <= +5 %'), step(wide), step(kernel([110, 112, 101, 116, 109])));
    assert.deepEqual([judged[0]!.verdict], ['holds']);
    assert.match(judged[0]!.sentence, /the spread of the runs is too large to decide\.$/);
    for (const [before, after, side] of [
      [kernel([100]), still, 'in the step before'],
      [still, kernel([100]), 'now'],
      [still, kernel([100, 100]), 'now'],
    ] as const) {
      const [only] = judgeStep(conditions('duration <= +5 %'), step(before), step(after));
      assert.equal(only!.verdict, 'undecided');
      assert.match(
        only!.sentence,
        new RegExp(`(?:once|twice) ${side}, and times are compared over at least 3 runs\\. Measure `),
      );
    }
  });

  it('a gain that is asked for has to be as certain as a loss', () => {
    const before = kernel([100, 101, 99, 100, 100]);
    assert.deepEqual(verdicts('duration <= -10 %', before, kernel([80, 81, 79, 80, 80])), ['holds']);
    assert.deepEqual(verdicts('duration <= -10 %', before, kernel([95, 96, 94, 95, 95])), ['breaks']);
    assert.deepEqual(verdicts('duration <= -10 %', before, kernel([80, 130, 79, 99, 82])), ['breaks']);
  });

  it('a limit in microseconds is broken when every run is beyond it', () => {
    assert.deepEqual(verdicts('duration <= 100 ns', kernel([1, 1, 1]), kernel([101, 120, 130])), ['breaks']);
    assert.deepEqual(verdicts('duration <= 100 ns', kernel([1]), kernel([99, 120, 130])), ['holds']);
  });

  it('exact counters are compared exactly, and those that differ from run to run by all their runs', () => {
    const before = kernel([100, 100, 100], {}, [1000, 1000, 1000]);
    assert.deepEqual(verdicts('sectors <= +0 %', before, kernel([100, 100, 100], {}, [1001, 1001, 1001])), ['breaks']);
    assert.deepEqual(verdicts('sectors == +0', before, kernel([100, 100, 100], {}, [1000, 1000, 1000])), ['holds']);
    // One run each is enough for what is exact.
    assert.deepEqual(verdicts('sectors <= +0 %', kernel([100]), kernel([100])), ['holds']);
    const races = kernel([100, 100, 100], {}, [1000, 1040, 1020]);
    const [noisy] = judgeStep(
      conditions('sectors <= +0 %'),
      step(races),
      step(kernel([100, 100, 100], {}, [1041, 1030, 1035])),
    );
    assert.equal(noisy!.verdict, 'holds');
    assert.match(
      noisy!.sentence,
      /was 1020, is 1035 \(medians; it varies between runs: 1000 to 1040 before, 1030 to 1041 now\)/,
    );
    assert.deepEqual(verdicts('sectors <= +0 %', races, kernel([100, 100, 100], {}, [1100, 1090, 1095])), ['breaks']);
  });

  it('resources are as ptxas and the launch say; what was not measured is not passed', () => {
    const [before, after] = [kernel([1]), kernel([1], { values: { launch__registers_per_thread: 40 } })];
    assert.deepEqual(verdicts('registers <= +0, registers <= 40, registers <= +8', before, after), [
      'breaks',
      'holds',
      'holds',
    ]);
    assert.deepEqual(verdicts('spills == 0, sectors <= +5 %', before, after), ['undecided', 'undecided']);
    const built = { symbol: '_Z1k', architecture: 'sm_90', spillStoreBytes: 8, spillLoadBytes: 4 };
    assert.deepEqual(verdicts('spills == 0', before, kernel([1], { resources: built })), ['breaks']);
  });

  it('kernels are matched by name and shape, a changed block by name; others are listed', () => {
    const other = kernel([1], { name: 'other()', shortName: 'other' });
    const reshaped = kernel([1], { block: [128, 1, 1], values: { launch__registers_per_thread: 64 } });
    assert.deepEqual(verdicts('registers <= +0', kernel([1]), reshaped), ['breaks']);
    assert.deepEqual(unmatched(step(kernel([1])), step(other)), { come: ['other'], gone: ['k'] });
    const nothing = { judgements: [], against: { name: 'baseline', report: 'k' }, notes: [] };
    assert.equal(gateVerdict(nothing), 'undecided');
    assert.match(gateText(nothing), /no kernel in common/);
  });

  it('a step is named by its label, its position or as the baseline, the newest of one label', () => {
    const steps = ['baseline', 'step 1', 'padded', 'padded'].map((label, number) => ({ ...step(), label, number }));
    const number = (name: string, baselines = {}): number | string => {
      const found = stepNamed(name, steps, baselines, 'k');
      return 'problem' in found ? found.problem : found.step.number;
    };
    assert.deepEqual([number('baseline'), number('step 1'), number('padded'), number('2')], [0, 1, 3, 2]);
    assert.equal(number('baseline', { k: 2 }), 2);
    assert.match(String(number('tiled')), /^Unknown step "tiled"\. Steps: baseline, step 1, 2 padded, 3 padded\.$/);
    assert.match(
      (stepNamed('baseline', [], {}) as { problem: string }).problem,
      /Measure the version before first, with --runs 5/,
    );
  });

  it('runs are kept with the step, and left out where a file has them wrong', () => {
    const [first, second] = [kernel([100]), kernel([104], {}, [1000])];
    const [kept] = withRuns([first], [[second], [kernel([96])]]);
    assert.deepEqual(kept!.runs, { durationNs: [100, 104, 96], counters: { [sectors]: [1000, 1000, 1000] } });
    // A kernel that one run lacks has no runs, and a step of one run neither.
    assert.equal(withRuns([first], [[]])[0]!.runs, undefined);
    assert.equal(withRuns([first], [])[0]!.runs, undefined);
    const { steps } = readSteps(writeSteps([step(kept!)]));
    assert.deepEqual(steps[0]!.kernels[0]!.runs, kept!.runs);
    const wrong = readSteps(writeSteps([step({ ...kept!, runs: { durationNs: [1], counters: { a: [1, 2] } } })]));
    assert.equal(wrong.broken, false);
    assert.equal(wrong.steps[0]!.kernels[0]!.runs, undefined);
  });
});
