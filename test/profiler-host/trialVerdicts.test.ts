/** What counts as the same output and as a gain: printed texts, spreads and verdicts, without running anything. */

import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { bytesSource, measureReport, openReport } from '../../profiler/src/report';
import { judge, showGain } from '../../profiler/src/trial/judge';
import type { Measured } from '../../profiler/src/trial/judge';
import { kernelTimes, totalTime } from '../../profiler/src/trial/kernelTimes';
import type { KernelTime } from '../../profiler/src/trial/kernelTimes';
import { compareOutput, learnOutput, printedTimes, racingResults } from '../../profiler/src/trial/outputs';
import { compareSpreads, spreadOf } from '../../profiler/src/trial/spread';
import type { KernelMeasurement } from '../../protocol/src/lineMetrics';

const dramRate = 'dram__bytes.sum.per_second';

describe('outputs of two forms', () => {
  const cases: readonly (readonly [string, readonly string[], string, string, number?])[] = [
    ['the same text', ['a 1\nb 2\n', 'a 1\nb 2\n'], 'a 1\nb 2\n', 'same'],
    ['another number', ['sum 10\n'], 'sum 11\n', 'different line 1'],
    ['another word', ['PASS\n', 'PASS\n'], 'FAIL\n', 'different line 1'],
    ['a line more', ['a\n'], 'a\nb\n', 'different line 2'],
    ['a line less', ['a\nb\n'], 'a\n', 'different line 2'],
    [
      'a number that changes from run to run',
      ['seed 7 sum 10\n', 'seed 9 sum 10\n'],
      'seed 8 sum 10\n',
      'same without 1',
    ],
    [
      'another number beside one that changes',
      ['seed 7 sum 10\n', 'seed 9 sum 10\n'],
      'seed 8 sum 12\n',
      'different line 1',
    ],
    ['words that change from run to run', ['host a\nsum 1\n', 'host b\nsum 1\n'], 'host c\nsum 1\n', 'same without 1'],
    [
      'a time that happens to be the same twice',
      ['sum 1\ntime 2 ms\n', 'sum 1\ntime 2 ms\n'],
      'sum 1\ntime 1 ms\n',
      'same without 2',
    ],
    ['a rate', ['sum 1\n1.5 GB/s\n'], 'sum 1\n3.5 GB/s\n', 'same without 2'],
    ['a time with its unit before it', ['sum 1\nAverage (us): 5\n'], 'sum 1\nAverage (us): 4\n', 'same without 2'],
    ['a number that is not a time though a word begins like a unit', ['3 sums\n'], '4 sums\n', 'different line 1'],
    ['an s in a name', ['7 s_total\n'], '8 s_total\n', 'different line 1'],
    ['columns that move with their numbers', ['x    9.5 |\n'], 'x    9.5|\n', 'same'],
    ['a last digit', ['sum 1.0000001\n'], 'sum 1.0000002\n', 'different line 1'],
    ['a last digit within the tolerance', ['sum 1.0000001\n'], 'sum 1.0000002\n', 'same', 1e-6],
    ['not a number', ['sum 1.5\n'], 'sum nan\n', 'different line 1', 0.5],
    ['nothing', ['', ''], '', 'not compared'],
    ['line ends of another system', ['a\r\nb\r\n'], 'a\nb\n', 'same'],
    ['runs of different lengths', ['a\n', 'a\nb\n'], 'a\n', 'not compared'],
    ['only a time', ['3 ms\n', '4 ms\n'], '5 ms\n', 'not compared'],
    ['a path', ['/tmp/a/reduce starts\nsum 1\n'], '/tmp/b/reduce starts\nsum 1\n', 'same without 1'],
    ['a path and a wrong number behind it', ['out/a.bin 1 ./x/y 2\n'], 'out/a.bin 1 ./x/z 3\n', 'different line 1'],
    [
      'a temporary file',
      ['wrote /tmp/x1a2 sum 3\n', 'wrote /tmp/x9f sum 3\n'],
      'wrote /tmp/xqq sum 4\n',
      'different line 1',
    ],
    ['a quotient is not a path', ['1/2 of 3/4\n'], '1/2 of 3/5\n', 'different line 1'],
    ['a choice of words is not a path', ['and/or 5\n'], 'and/nor 5\n', 'different line 1'],
    ['a date', ['2026-11-22 03:17:05 sum 1\n'], '2026-11-23 00:00:01 sum 1\n', 'same without 1'],
    [
      'a date in words',
      ['Sun Nov 22 03:27:00 UTC 2026\nsum 1\n'],
      'Mon Nov 23 00:00:00 UTC 2026\nsum 1\n',
      'same without 1',
    ],
    ['a time of day and a wrong number', ['[03:17:05] sum 1.5\n'], '[03:17:06] sum 1.6\n', 'different line 1'],
    ['a month alone is a word', ['may 5\nsum\n'], 'may not 5\nsum\n', 'different line 1'],
    ['a time without a unit', ['Elapsed time: 0.53, sum 2\n'], 'Elapsed time: 0.27, sum 2\n', 'same without 1'],
    [
      'a wrong sum beside a time without a unit',
      ['Elapsed time: 0.53, sum 2\n'],
      'Elapsed time: 0.27, sum 3\n',
      'different line 1',
    ],
    ['a time step is not a time', ['time step 5: energy 3.25\n'], 'time step 5: energy 3.5\n', 'different line 1'],
    ['the count of time steps', ['time steps 5\n'], 'time steps 6\n', 'different line 1'],
    ['a sum that rounds from run to run', ['sum 3.1415926\n', 'sum 3.1415931\n'], 'sum 3.1415920\n', 'same'],
    [
      'a sum that rounds from run to run, and is wrong',
      ['sum 3.1415926\n', 'sum 3.1415931\n'],
      'sum 2.7\n',
      'different line 1',
    ],
    [
      'a sum that rounds from run to run, and is no number',
      ['sum 3.1415926\n', 'sum 3.1415931\n'],
      'sum nan\n',
      'different line 1',
    ],
    [
      'a rate that varies little',
      ['1.0 GB\nBandwidth 812.1\n', '1.0 GB\nBandwidth 812.2\n'],
      '1.0 GB\nBandwidth 1900.5\n',
      'same without 2',
    ],
    ['a number that varies much', ['x 1.5\nsum 1\n', 'x 9.5\nsum 1\n'], 'x 4.2\nsum 1\n', 'same without 1'],
  ];
  for (const [name, before, after, expected, tolerance] of cases) {
    it(name, () => {
      const { verdict, difference, leftOut } = compareOutput(learnOutput(before), [after], tolerance);
      assert.equal(
        `${verdict}${difference ? ` line ${difference.line}` : ''}${verdict === 'same' && leftOut.length > 0 ? ` without ${leftOut.join()}` : ''}`,
        expected,
      );
    });
  }

  const remarks: readonly (readonly [string, readonly string[], string, RegExp])[] = [
    ['what was compared', ['PASS\nsum 10 of 3\n'], 'PASS\nsum 10 of 3\n', /^Compared: 2 whole lines and 2 numbers\.$/],
    [
      'what is a time',
      ['sum 1\n2 ms\n'],
      'sum 1\n1 ms\n',
      /^Compared: 1 whole line and 1 number\. Not compared, as times, dates and paths: line 2\.$/,
    ],
    [
      'what varies without the change',
      ['n 5\nsum 9.5\n', 'n 5\nsum 3.5\n'],
      'n 5\nsum 9.5\n',
      /^Compared: 1 whole line and 1 number\. Not compared, since the unchanged program varies there: line 2\.$/,
    ],
    [
      'that results which vary were not compared, though words were',
      ['sums\nsum 9.5\n', 'sums\nsum 3.5\n'],
      'sums\nsum 12.0\n',
      /^The numbers vary between runs of the unchanged program \(line 2\), so no number was compared/,
    ],
  ];
  for (const [name, before, after, remark] of remarks)
    it(`says ${name}`, () => {
      const output = compareOutput(learnOutput(before), [after]);
      assert.match(output.remark!, remark);
      assert.equal(output.verdict, remark.source.startsWith('^The numbers') ? 'not compared' : 'same');
      assert.ok(
        judge({ status: 0, printed: [], kernels: [] }, { status: 0, printed: [], kernels: [] }, output).words.endsWith(
          output.remark!,
        ),
      );
    });

  const racing: readonly (readonly [string, readonly string[], string | undefined])[] = [
    ['sums that vary', ['n 5\nsum 9.5\n', 'n 5\nsum 3.5\n'], 'line 2'],
    ['all that is printed', ['9.5\n3\n', '3.5\n4\n'], 'lines 1, 2'],
    ['a result that is not always a number', ['n 5\nsum 9.5\n', 'n 5\nsum nan\n'], 'line 2'],
    ['sums that round', ['sum 3.1415926\n', 'sum 3.1415931\n'], undefined],
    ['times and rates', ['sum 1\ntook 2.5 ms\n8 GB/s\n', 'sum 1\ntook 4.5 ms\n5 GB/s\n'], undefined],
    ['dates, paths and words', ['03:17:05 /tmp/a/1 on a\n', '03:17:06 /tmp/a/2 on b\n'], undefined],
    ['the same results', ['sum 1\n', 'sum 1\n'], undefined],
  ];
  for (const [name, outputs, places] of racing)
    it(`${places === undefined ? 'does not point' : 'points'} at a race: ${name}`, () => {
      const said = racingResults(learnOutput(outputs));
      assert.equal(
        said && /vary from run to run \((.*?)\)\..*`compute-sanitizer --tool racecheck`/s.exec(said)?.[1],
        places,
      );
    });

  it('says how far a number went that is wrong now', () => {
    const { difference } = compareOutput(learnOutput(['sum 3.1415926\n', 'sum 3.1415931\n']), ['sum 2.7\n']);
    assert.equal(difference!.varied, 'between 3.1415926 and 3.1415931');
  });

  it('a changed form that is unsteady where the unchanged one is steady is different', () => {
    assert.equal(compareOutput(learnOutput(['sum 1\n', 'sum 1\n']), ['sum 1\n', 'sum 2\n']).verdict, 'different');
  });

  it('times that programs print, in their units', () => {
    const times = printedTimes([
      'kernel took 2.5 ms for n 100\nsetup: 3 (us)\n1.2 GB/s\n',
      'kernel took 2.7 ms for n 100\nsetup: 4 (us)\n1.3 GB/s\n',
    ]);
    assert.deepEqual(times, [
      { line: 1, label: 'kernel took', nanoseconds: [2.5e6, 2.7e6] },
      { line: 2, label: 'setup', nanoseconds: [3e3, 4e3] },
    ]);
  });
});

describe('verdicts', () => {
  const spread = (...values: number[]) => spreadOf(values)!;

  it('a difference within the spread, or of less than a hundredth, is none', () => {
    assert.equal(compareSpreads(spread(100, 101, 99), spread(90, 91, 89)), 'faster');
    assert.equal(compareSpreads(spread(90, 91, 89), spread(100, 101, 99)), 'slower');
    assert.equal(compareSpreads(spread(100, 101, 99), spread(98, 99, 97)), 'same');
    assert.equal(compareSpreads(spread(100, 110, 90), spread(85, 86, 84)), 'same', 'three values with a wide range');
    assert.equal(compareSpreads(spread(1000, 1000, 1000), spread(995, 995, 995)), 'same');
    assert.equal(compareSpreads(spread(100), spread(90)), 'same', 'one value says nothing of the noise');
    assert.equal(compareSpreads(spread(100), spread(60)), 'faster');
  });

  it('noise alone is taken for a gain in fewer than one case in fifty', () => {
    let seed = 7;
    const random = () => (seed = (Math.imul(seed, 48271) >>> 0) % 2147483647) / 2147483647;
    const noise = () => 100 + 5 * Math.sqrt(-2 * Math.log(random())) * Math.cos(2 * Math.PI * random());
    for (const values of [2, 3, 4, 5]) {
      let wrong = 0;
      for (let turn = 0; turn < 5000; turn++) {
        const take = () => spreadOf(Array.from({ length: values }, noise))!;
        if (compareSpreads(take(), take()) !== 'same') wrong++;
      }
      assert.ok(wrong < 100, `${wrong} of 5000 with ${values} values`);
    }
  });

  const kernel = (...values: number[]): KernelTime => ({ name: 'k', shapes: [], time: spread(...values) });
  const measured = (more: Partial<Measured>): Measured => ({ status: 0, printed: [], kernels: [], ...more });
  const same = { verdict: 'same', leftOut: [] } as const;
  const printed = (...nanoseconds: number[]) => [{ line: 2, label: 'time', nanoseconds }];

  const verdicts: readonly (readonly [string, Measured, Measured, string, RegExp])[] = [
    [
      'a faster kernel',
      measured({ kernels: [kernel(2000, 2001, 2002)] }),
      measured({ kernels: [kernel(1000, 1001, 1002)] }),
      'faster kernel recommended',
      /^2\.00× faster: the kernel k took 2 µs and takes 1 µs\. The output is the same\.$/,
    ],
    [
      'a faster kernel in a slower program',
      measured({ kernels: [kernel(2000, 2000, 2000)], program: spread(10, 10, 10) }),
      measured({ kernels: [kernel(1000, 1000, 1000)], program: spread(20, 20, 20) }),
      'mixed kernel',
      /the whole program is 2\.00× slower/,
    ],
    [
      'the same kernel in a program that prints less',
      measured({ kernels: [kernel(9, 9, 9)], printed: printed(4e6, 4.1e6, 4e6) }),
      measured({ kernels: [kernel(9, 9, 9)], printed: printed(1e6, 1.1e6, 1e6) }),
      'faster printed recommended',
      /^The kernel takes as long as before; 4\.00× faster: the time that the program prints on line 2/,
    ],
    [
      'printed times that disagree',
      measured({ printed: [...printed(4e6, 4e6, 4e6), { line: 3, label: 'b', nanoseconds: [1e6, 1e6, 1e6] }] }),
      measured({ printed: [...printed(1e6, 1e6, 1e6), { line: 3, label: 'b', nanoseconds: [4e6, 4e6, 4e6] }] }),
      'unmeasured',
      /No time was measured/,
    ],
    [
      'a kernel that was not launched',
      measured({ program: spread(9, 9, 9), notLaunched: 'k' }),
      measured({ program: spread(9, 9, 9) }),
      'did-not-run',
      /^The changed lines did not run: the program launched no kernel k\. Give arguments/,
    ],
    [
      'a kernel that is faster than DRAM',
      measured({ kernels: [kernel(90_000, 90_000)] }),
      measured({ kernels: [{ ...kernel(5_000, 5_000), floor: { nanoseconds: 17_700, bytes: 85e6 } }] }),
      'invalid',
      /k of the changed program was timed at 5 µs, but DRAM takes at least 17\.7 µs for the 85\.0 MB that it moved/,
    ],
    [
      'a kernel as fast as DRAM',
      measured({ kernels: [kernel(90_000, 90_000)] }),
      measured({ kernels: [{ ...kernel(18_000, 18_000), floor: { nanoseconds: 17_700, bytes: 85e6 } }] }),
      'faster kernel recommended',
      /^5\.00× faster/,
    ],
    ['another status', measured({}), measured({ status: 139 }), 'fails', /segmentation fault/],
    [
      'a wide spread',
      measured({ kernels: [kernel(900, 1000, 1100)] }),
      measured({ kernels: [kernel(800, 890, 890)] }),
      'no-gain kernel',
      /^No gain measured: the kernel k took 1 µs \(900 ns to 1\.1 µs\) and takes 890 ns/,
    ],
  ];
  for (const [name, before, after, expected, words] of verdicts) {
    it(name, () => {
      const verdict = judge(before, after, same);
      assert.equal(
        [verdict.kind, verdict.by, verdict.recommended && 'recommended'].filter(Boolean).join(' '),
        expected,
      );
      assert.match(verdict.words, words);
    });
  }

  it('what DRAM takes for the bytes that a launch moved, by the clock and the bus of its GPU', async () => {
    const bytes = readFileSync(join(__dirname, '../../samples/profiles/unpadded-tile.fixed.ncu-rep'));
    const { kernels, devices } = await measureReport(await openReport(bytesSource(bytes)));
    const [transpose] = kernelTimes([kernels], devices).filter(({ name }) => name === 'transpose');
    // ncu: 3.28 TB/s in 34.3 µs, 68.2 % of the peak.
    assert.ok(Math.abs(transpose!.floor!.bytes / (3.279977591e12 * 34.272e-6) - 1) < 1e-6);
    assert.ok(Math.abs(transpose!.floor!.nanoseconds / transpose!.time.median - 0.6819) < 0.001);
    const uncounted = kernels.map((one) => ({ ...one, values: { ...one.values, [dramRate]: NaN } }));
    assert.ok(
      kernelTimes([uncounted], devices).every(({ floor }) => floor === undefined),
      'no bytes, no floor',
    );
    assert.ok(
      kernelTimes([kernels], []).every(({ floor }) => floor === undefined),
      'no GPU, no floor',
    );
  });

  it('no kernel of a recorded report is faster than its DRAM', async () => {
    const folder = join(__dirname, '../../samples/profiles');
    let floors = 0;
    for (const name of readdirSync(folder).filter((each) => each.endsWith('.ncu-rep'))) {
      const report = await openReport(bytesSource(readFileSync(join(folder, name))));
      const { kernels, devices } = await measureReport(report);
      for (const { name: kernel, time, floor } of kernelTimes([kernels], devices)) {
        if (floor) floors++;
        assert.ok(!floor || floor.nanoseconds < time.median, `${name}: ${kernel}`);
      }
    }
    assert.ok(floors > 30, `${floors} floors`);
  });

  it('another output is never recommended, however fast', () => {
    const verdict = judge(
      measured({ kernels: [kernel(9000, 9000, 9000)] }),
      measured({ kernels: [kernel(1, 1, 1)] }),
      compareOutput(learnOutput(['1.0000000']), ['1.0000001']),
    );
    assert.deepEqual([verdict.kind, verdict.recommended], ['output-differs', false]);
    assert.match(verdict.words, /"1\.0000000" became "1\.0000001"\. Numbers differ by 1\.0e-7 relative at most/);
  });

  it('gains in words', () =>
    assert.deepEqual(
      [showGain(12.345), showGain(1.006), showGain(0.5)],
      ['12.3× faster', '1.01× faster', '2.00× slower'],
    ));

  it('times of kernels: the median of the launches of a shape, the sum over shapes, repetitions apart', () => {
    const launch = (shortName: string, durationNs: number, x = 32) =>
      ({
        shortName,
        name: `${shortName}()`,
        durationNs,
        grid: [1, 1, 1],
        block: [x, 1, 1],
        values: { launch__registers_per_thread: 20 },
      }) as unknown as KernelMeasurement;
    const times = kernelTimes([
      [launch('a', 10), launch('a', 30), launch('a', 12), launch('a', 5, 64), launch('b', 100)],
      [launch('a', 11), launch('a', 6, 64)],
    ]);
    assert.deepEqual(
      times.map(({ name, time, shapes, registers }) => [name, time.values, shapes.length, registers]),
      [['a', [17, 17], 2, 20]],
      'b ran in one repetition only',
    );
    assert.deepEqual(
      kernelTimes([[launch('a', 10), launch('a', 30), launch('a', 12)]])[0]!.time.values,
      [10, 30, 12],
      'the launches of a single repetition',
    );
    assert.deepEqual(totalTime([...times, ...times])!.values, [34, 34]);
  });
});
