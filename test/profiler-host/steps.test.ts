/** The table of steps: kernels put together by name and shape, files read with care. */

import assert from 'node:assert/strict';

import type { KernelMeasurement } from '../../protocol/src/lineMetrics';
import { kernelsOf, readSteps, showDuration, writeSteps } from '../../profiler/src/history/steps';
import { showSteps } from '../../profiler/src/history/table';
import type { Step } from '../../profiler/src/history/steps';

const launch = (launch: number, shortName: string, durationNs: number | undefined, block = 256): KernelMeasurement => ({
  launch,
  kind: 'kernel',
  name: `${shortName}(float *)`,
  shortName,
  grid: [8, 1, 1],
  block: [block, 1, 1],
  process: 1,
  durationNs,
  values: { inst_executed: 10 * (launch + 1) },
});

const step = (number: number, kernels: KernelMeasurement[]): Step => ({
  number,
  label: number === 0 ? 'baseline' : `step ${number}`,
  time: '2026-01-02T03:04:05.000Z',
  host: 'gpu',
  report: `a-00${number}.ncu-rep`,
  program: '/p',
  buildCommand: 'nvcc',
  collectCommand: 'ncu',
  sources: [],
  folders: [],
  kernels: kernelsOf({ kernels }),
  notes: [],
});

describe('the table of steps', () => {
  it('launches of one name and shape are one kernel, other shapes another', () => {
    const kernels = kernelsOf({
      kernels: [launch(0, 'axpy', 100), launch(1, 'dot', 50), launch(2, 'axpy', 300), launch(3, 'axpy', 7, 64)],
    });
    assert.deepEqual(
      kernels.map(({ shortName, launches, durationNs, values }) => [
        shortName,
        launches,
        durationNs,
        values['inst_executed'],
      ]),
      [
        ['axpy', 2, 200, 20],
        ['dot', 1, 50, 20],
        ['axpy', 1, 7, 40],
      ],
    );
  });
  it('resources of the build find their kernel, by demanglers that write pointers differently too', () => {
    const [kernel] = kernelsOf({ kernels: [launch(0, 'axpy', 1)] }, [
      { symbol: '_Z4axpyPf', name: 'axpy(float*)', architecture: 'sm_90', registers: 12 },
    ]);
    assert.equal(kernel!.resources?.registers, 12);
    const [either] = kernelsOf({ kernels: [launch(0, 'f', 1)] }, [
      { symbol: 'a', name: 'void f<int>(int)', architecture: 'sm_90' },
      { symbol: 'b', name: 'void f<long>(long)', architecture: 'sm_90' },
    ]);
    assert.equal(either!.resources, undefined, 'two candidates: none is guessed');
  });
  it('times against the baseline', () => {
    assert.equal(
      showSteps([
        step(0, [launch(0, 'axpy', 3_000_000), launch(1, 'dot', undefined)]),
        step(1, [launch(0, 'axpy', 1_500_000)]),
      ]),
      'step      when                        axpy  dot     all kernels\n' +
        'baseline  2026-01-02 03:04            3 ms    -            3 ms\n' +
        'step 1    2026-01-02 03:04  1.5 ms (2.00x)    -  1.5 ms (2.00x)\n',
    );
  });
  it('is read as it was written, and never throws', () => {
    const steps = [step(0, [launch(0, 'axpy', 1)])];
    assert.deepEqual(readSteps(writeSteps(steps)), {
      steps: JSON.parse(JSON.stringify(steps)) as Step[],
      broken: false,
    });
    assert.deepEqual(readSteps(undefined), { steps: [], broken: false });
    for (const text of [
      '',
      'null',
      '[]',
      '{"version":2,"steps":[]}',
      '{"version":1,"steps":[null]}',
      '{"version":1,"steps":[{"number":0}]}',
      writeSteps(steps).slice(0, -9),
    ])
      assert.equal(readSteps(text).broken, true, text);
  });
  it('durations in the unit that suits', () =>
    assert.deepEqual([12, 1234, 5_153_000, 2.5e9].map(showDuration), ['12 ns', '1.23 µs', '5.15 ms', '2.5 s']));
});
