// `warplens report` prints text, JSON and CSV, compares with a baseline, and says in one line what is wrong.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { runReport, type ReportOptions } from '../../cli/src/report';
import { reportAnswer, reportsAnswer } from '../../cli/src/mcp/reports';
import type { ReportIo } from '../../cli/src/reportIo';
import { compareReports } from '../../profiler/src/lines/compareReports';
import { bytesSource, measureLaunches, measureReport, openReport } from '../../profiler/src/report';
import { cubinHash, writeKeptDisassembly } from '../../profiler/src/sass/keptDisassembly';
import type { LineMetrics, MeasuredReport } from '../../protocol/src/lineMetrics';
import { readReportFixture, reportFixtureNames } from './support/reportFixtures';

async function run(
  options: ReportOptions,
  files: Record<string, string> = {},
  beside: Record<string, Uint8Array> = {},
  content?: (path: string) => Uint8Array,
): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const io: ReportIo = {
    stdout: (text) => (out += text),
    stderr: (text) => (err += text),
    async open(path) {
      if (path === 'broken.ncu-rep')
        return { ...bytesSource(readReportFixture('corners').subarray(0, 100_000)), close: async () => {} };
      if (path === 'missing.ncu-rep') throw Object.assign(new Error('no'), { code: 'ENOENT' });
      return {
        ...bytesSource(content?.(path) ?? readReportFixture(path.replace('.ncu-rep', ''))),
        close: async () => {},
      };
    },
    readText: async (path) => files[path],
    readBeside: async (path) => beside[path],
  };
  const code = await runReport(options, io);
  return { code, out, err };
}

const measure = async (name: string, callers = false) =>
  measureReport(await openReport(bytesSource(readReportFixture(name))), { callers });

describe('warplens report', () => {
  it('marks the hottest lines of the source', async () => {
    const { code, out } = await run({ report: 'patterns-full.ncu-rep', kernel: 'transpose_conflict' });
    assert.equal(code, 0);
    assert.deepEqual(out.split('\n').slice(0, 5), [
      'NVIDIA H200 (compute capability 9.0), CUDA 13.0, Nsight Compute 2025.3.1.0, 1 launch',
      '',
      '[13] transpose_conflict(const float *, float *, int)  <<<(256, 256), (32, 8)>>>  327.46 us  41418 samples',
      '  /srv/kernels/patterns.cu',
      '           104 | __global__ void transpose_conflict(const float* in, float* out, int w) {',
    ]);
    assert.ok(
      out.includes(
        '36.6 % > 110 |   for (int j = 0; j < 32; j += 8) out[(y + j) * w + x] = tile[threadIdx.x][threadIdx.y + j];    // 32.0x wavefronts, barrier\n',
      ),
    );
  });

  it('prints JSON keyed by the names of ncu', async () => {
    const { code, out } = await run({ report: 'patterns-full.ncu-rep', format: 'json', kernel: '/^aos_/' });
    assert.equal(code, 0);
    const { device, kernels, lines } = JSON.parse(out) as MeasuredReport;
    assert.deepEqual(device, { name: 'NVIDIA H200', computeCapability: '9.0' });
    assert.deepEqual(
      kernels.map(({ launch, name, grid, block, durationNs }) => ({ launch, name, grid, block, durationNs })),
      [{ launch: 15, name: 'aos_scale(Body *, int)', grid: [65536, 1, 1], block: [256, 1, 1], durationNs: 259936 }],
    );
    const line = lines.find((candidate) => candidate.line === 124)!;
    assert.equal(line.file, '/srv/kernels/patterns.cu');
    assert.equal(line.kernel, 'aos_scale(Body *, int)');
    assert.equal(
      line.values['memory_l2_theoretical_sectors_global'],
      8 * line.values['memory_l2_theoretical_sectors_global_ideal']!,
    );
    assert.equal(
      line.values['smsp__pcsamp_sample_count']! / kernels[0]!.values['smsp__pcsamp_sample_count']!,
      line.shares['smsp__pcsamp_sample_count'],
    );
    assert.ok(Object.keys(line.values).some((name) => name === 'smsp__pcsamp_warps_issue_stalled_long_scoreboard'));
  });

  it('prints CSV by line and by kernel', async () => {
    const byLine = (await run({ report: 'corners.ncu-rep', format: 'csv' })).out.split('\n');
    const measured = await measure('corners');
    assert.equal(byLine.length, measured.lines.length + 2);
    assert.match(byLine[0]!, /^file,line,kernel,launch,derived__/);
    assert.match(
      byLine[1]!,
      /^\/srv\/kernels\/corners\.cu,10,"nested\(float \*, const float \*, const float \*, int\)",0,/,
    );
    const byKernel = (await run({ report: 'corners.ncu-rep', format: 'csv', by: 'kernel' })).out.split('\n');
    assert.equal(byKernel.length, measured.kernels.length + 2);
    assert.match(byKernel[1]!, /^0,"nested\(.*\)",4096x1x1,256x1x1,0,5152,/);
  });

  it('says why there are no lines', async () => {
    assert.match(
      (await run({ report: 'basic-noline.ncu-rep' })).out,
      /No lines: its code has no line table.* compiled without nvcc -lineinfo\./,
    );
    assert.match((await run({ report: 'detailed-noimport.ncu-rep' })).out, /source not found/);
    const found = await run(
      { report: 'detailed-noimport.ncu-rep', pathMap: ['/srv/kernels=/home/me'] },
      { '/home/me/k.cu': 'one\ntwo\nthree' },
    );
    assert.match(found.out, /100\.0 % > 2 \| two/);
  });

  it('refuses in one line, with the next step', async () => {
    const cases: [ReportOptions, number, RegExp][] = [
      [{ report: 'missing.ncu-rep' }, 2, /^Cannot open missing\.ncu-rep: it does not exist\. .*\n$/],
      [{ report: 'broken.ncu-rep' }, 2, /^broken\.ncu-rep: The report is truncated: .*\n$/],
      [
        { report: 'corners.ncu-rep', kernel: 'zzz' },
        2,
        /^No kernel matches "zzz"\. The report has nested, outofline, .*\n$/,
      ],
      [{ report: 'corners.ncu-rep', kernel: '/(/' }, 2, /^Invalid --kernel .*: .*\n$/],
      [{ report: 'corners.ncu-rep', format: 'xml' }, 2, /^Unknown format "xml"\..*\n$/],
      [{ report: 'corners.ncu-rep', by: 'file' }, 2, /^Invalid --by "file".*\n$/],
      [{ report: 'corners.ncu-rep', pathMap: ['here'] }, 2, /^Invalid --path-map "here": use FROM=TO.*\n$/],
      [{ report: 'corners.ncu-rep', baseline: 'missing.ncu-rep' }, 2, /^Cannot open missing\.ncu-rep/],
    ];
    for (const [options, code, message] of cases) {
      const result = await run(options);
      assert.deepEqual([result.code, result.out], [code, ''], JSON.stringify(options));
      assert.match(result.err, message);
    }
  });

  it('compares with a baseline', async () => {
    const { code, out } = await run({ report: 'corners.ncu-rep', baseline: 'corners-debug.ncu-rep' });
    assert.equal(code, 0);
    assert.match(out, /outofline\(float \*, const float \*, int\) +58\.59 us +11\.23 us +5\.2\dx\n/);
    // By what each line cost or saved, the most first; the text is that of the later report.
    const times = [...out.matchAll(/ ([+-]\d+\.\d) us /g)].map((match) => Math.abs(Number(match[1])));
    assert.ok(times.length > 10);
    assert.match(out, /corners\.cu:\d+ +(?:edited )? *-\d+\.\d us +\d+\.\d % -> \d+\.\d % /);
    const same = await run({ report: 'corners.ncu-rep', baseline: 'corners.ncu-rep' });
    const titles = same.out.match(/^\S.*\)$/gm)!;
    assert.ok(titles.length > 4);
    assert.equal(same.out.match(/No line differs beyond run-to-run variation\./g)?.length, titles.length);
    const json = JSON.parse(
      (await run({ report: 'corners.ncu-rep', baseline: 'corners-debug.ncu-rep', format: 'json' })).out,
    ) as { comparison: { kernels: { kernel: string; speedup: number }[]; lines: object[] }; baseline: MeasuredReport };
    assert.equal(json.comparison.kernels.length, 8);
    assert.ok(json.comparison.kernels.every(({ speedup }) => speedup > 1));
    assert.equal(json.baseline.kernels.length, 8);
    assert.match(
      (await run({ report: 'corners.ncu-rep', baseline: 'corners-debug.ncu-rep', format: 'csv', by: 'kernel' })).out,
      /^kernel,grid_before,.*\n"nested/,
    );
  });
});

describe('warplens report --sass', () => {
  const text = gunzipSync(readFileSync(join(__dirname, 'sass', 'corners-rdc.encoding.txt.gz'))).toString('utf8');
  async function kept(): Promise<Record<string, Uint8Array>> {
    const report = await openReport(bytesSource(readReportFixture('corners-rdc')));
    const sha256 = await cubinHash((await report.binary(report.launches[0]!.cubins[0]!, 1e8))!);
    return { 'corners-rdc.ncu-rep.sass.gz': await writeKeptDisassembly('nvdisasm 13.0.85', [{ sha256, text }]) };
  }

  it('prints the instructions of a line with samples, what they wait for and live registers', async () => {
    const whole = await run({ report: 'corners-rdc.ncu-rep', sass: true, kernel: 'outofline' }, {}, await kept());
    assert.equal(whole.code, 0);
    assert.match(whole.out, /^corners-rdc\.ncu-rep: outofline\(.*\)\n {2}disassembled by nvdisasm 13\.0\.85\n/);
    assert.match(whole.out, /\n {2}far_away\n {2}offset +samples +waits for +live +control +instruction +line\n/);
    const place = /(corners\.cuh?:\d+)$/m.exec(whole.out)![1]!;
    const line = await run({ report: 'corners-rdc.ncu-rep', sass: true, line: place }, {}, await kept());
    assert.equal(line.code, 0);
    assert.ok(line.out.length < whole.out.length && line.out.includes(place));
  });

  it('names what it can without a disassembly, and says what is missing', async () => {
    const { code, out } = await run({ report: 'corners-rdc.ncu-rep', sass: true, kernel: 'outofline', format: 'json' });
    assert.equal(code, 0);
    const { kernels } = JSON.parse(out) as {
      kernels: { source: string; remark: string; functions: { instructions: { text: string; live?: object }[] }[] }[];
    };
    assert.equal(kernels[0]!.source, 'decoded');
    assert.match(kernels[0]!.remark, /This report has no disassembly/);
    assert.ok(
      kernels[0]!.functions[0]!.instructions.every(({ text: name, live }) => name !== '' && live === undefined),
    );
    const damaged = await run(
      { report: 'corners-rdc.ncu-rep', sass: true },
      {},
      { 'corners-rdc.ncu-rep.sass.gz': new Uint8Array(9) },
    );
    assert.equal(damaged.code, 0);
    assert.match(damaged.err, /^note: The disassembly beside the report is damaged/);
  });

  it('both sides where a baseline is named', async () => {
    const { out } = await run({
      report: 'corners.ncu-rep',
      baseline: 'corners-rdc.ncu-rep',
      sass: true,
      kernel: 'outofline',
    });
    assert.deepEqual(
      [...out.matchAll(/^(\S+\.ncu-rep): outofline/gm)].map((match) => match[1]),
      ['corners-rdc.ncu-rep', 'corners.ncu-rep'],
    );
  });

  it('refuses in one line, with the next step', async () => {
    const cases: [ReportOptions, RegExp][] = [
      [{ report: 'corners.ncu-rep', line: 'a.cu:3' }, /^--line requires --sass/],
      [{ report: 'corners.ncu-rep', sass: true, line: 'a.cu' }, /^Invalid --line "a\.cu": use FILE:LINE/],
      [{ report: 'corners.ncu-rep', sass: true, line: 'a.cu:3' }, /^No instruction of a kernel belongs to a\.cu:3\./],
      [{ report: 'corners.ncu-rep', sass: true, format: 'csv' }, /^--sass cannot be combined with this format/],
      [{ report: 'corners.ncu-rep', sass: true, baseline: 'missing.ncu-rep' }, /^Cannot open missing\.ncu-rep/],
    ];
    for (const [options, message] of cases) {
      const { code, out, err } = await run(options);
      assert.deepEqual([code, out], [2, ''], JSON.stringify(options));
      assert.match(err, message);
    }
  });
});

describe('comparison of reports', () => {
  it('matches launches of a name and shape in their order, and what is left by name', async () => {
    const measured = await measure('patterns-full');
    const saxpy = measured.kernels.filter(({ shortName }) => shortName === 'saxpy');
    assert.equal(saxpy.length, 4);
    const { kernels } = compareReports(
      { ...measured, kernels: saxpy },
      { ...measured, kernels: [saxpy[3]!, saxpy[2]!, { ...saxpy[1]!, block: [64, 1, 1] }] },
    );
    assert.deepEqual(
      kernels.map(({ before, after, shapeChanged }) => [before?.launch, after?.launch, shapeChanged]),
      [
        [19, 19, false],
        [16, 18, false],
        [17, 17, true],
        [18, undefined, false],
      ],
    );
  });

  it('follows lines to where they are now', () => {
    const line = (number: number, file: string, count: number): LineMetrics => ({
      file,
      line: number,
      kernel: 'k',
      launch: 0,
      values: { inst_executed: count },
      shares: {},
    });
    const kernel = {
      launch: 0,
      kind: 'kernel',
      name: 'k',
      shortName: 'k',
      grid: [1, 1, 1],
      block: [1, 1, 1],
      process: 1,
      values: {},
    } as const;
    const before: MeasuredReport = {
      devices: [],
      kernels: [kernel],
      lines: [line(1, '/a/k.cu', 10), line(2, '/a/k.cu', 20)],
    };
    const after: MeasuredReport = {
      devices: [],
      kernels: [kernel],
      lines: [line(3, '/b/k.cu', 5), line(9, '/b/k.cu', 7)],
    };
    const { lines } = compareReports(before, after, (_file, number) => (number === 1 ? 3 : undefined));
    assert.deepEqual(
      lines.map(({ file, line: now, lineBefore, before: from, after: to }) => [
        file,
        lineBefore,
        now,
        from?.['inst_executed'],
        to?.['inst_executed'],
      ]),
      [
        ['/b/k.cu', 1, 3, 10, 5],
        ['/a/k.cu', 2, undefined, 20, undefined],
        ['/b/k.cu', undefined, 9, undefined, 7],
      ],
    );
  });
});

describe('lines of inlined code', () => {
  const samples = join(__dirname, '..', '..', 'samples', 'profiles');
  const recorded: readonly (readonly [string, () => Uint8Array])[] = [
    ...reportFixtureNames().map((name) => [name, () => readReportFixture(name)] as const),
    ...readdirSync(samples)
      .filter((name) => name.endsWith('.ncu-rep'))
      .map((name) => [name, () => readFileSync(join(samples, name))] as const),
  ];
  const total = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0);

  it('have shares that add up to the kernel at most, in every recorded report', async () => {
    let counted = 0;
    const twice: string[] = [];
    for (const [name, read] of recorded) {
      for await (const { kernel, lines } of measureLaunches(await openReport(bytesSource(read())))) {
        for (const [metric, whole] of Object.entries(kernel.values)) {
          const shares = total(lines.map(({ shares }) => shares[metric] ?? 0));
          assert.ok(shares <= 1 + 1e-9, `${name}: ${kernel.shortName}: ${metric}: ${shares}`);
          if (shares > 0) counted++;
          if (total(lines.map(({ values }) => values[metric] ?? 0)) > whole * (1 + 1e-9)) twice.push(name);
        }
      }
    }
    assert.ok(counted > 1000, `${counted} sums`);
    assert.ok(new Set(twice).size > 5, `ncu counts twice in ${[...new Set(twice)].join()}`);
  });

  it('are listed with their own share, and the calling line says what it includes', async () => {
    const read = (name: string) => () => readFileSync(join(samples, `${name}.ncu-rep`));
    for (const [name, kernel, line] of [
      ['3-shuffle', 'averageAndMultiply', /13\.5 % > 21 \| .*15\.2 % with inlined __shfl_down_sync/],
      ['atomics.fixed', 'dotProduct', /^ +13 \| .*1\.0 % with inlined thread_rank, atomicAdd/m],
    ] as const) {
      const { out } = await run({ report: name, kernel }, {}, {}, read(name));
      assert.match(out, line);
      const column = [...out.matchAll(/^ +(\d+\.\d) % [> ] *\d+ \|/gm)].map(([, figure]) => Number(figure));
      assert.ok(total(column) > 90 && total(column) <= 100 + 0.05 * column.length, `${total(column)} %`);
      const { text: said } = await reportAnswer(samples, `${name}.ncu-rep`, kernel);
      const shares = [...said.matchAll(/: ([\d.]+) % of the samples/g)].map(([, figure]) => Number(figure));
      assert.ok(total(shares) > 90 && total(shares) <= 100.1, `${total(shares)} %`);
    }
    assert.match(
      (await reportAnswer(samples, '3-shuffle.ncu-rep', 'averageAndMultiply')).text,
      /:21: 13\.5 % of the samples \(15\.2 % with inlined __shfl_down_sync\)/,
    );
  });

  it('count once in a comparison, by stall reason too', async () => {
    const [before, after] = ['2-coalesced.ncu-rep', '3-shuffle.ncu-rep'] as const;
    const compared = await run({ report: after, baseline: before }, {}, {}, (path) =>
      readFileSync(join(samples, path)),
    );
    assert.match(compared.out, /3-shuffle\.cu:21 .* - -> 13\.5 %/);
    const { text: said } = await reportsAnswer(samples, before, after);
    assert.match(
      said,
      /^3-shuffle\.cu:21 .*; samples – → 13\.5 %;.* wait 0\.0 % → 4\.2 %, short scoreboard 0\.0 % → 3\.4 %/m,
    );
    assert.match(said, /^sm_30_intrinsics\.hpp:440 .*; samples 0\.1 % → 1\.9 %/m);
  });

  it('keeps the call sites of inlined code for those who ask', async () => {
    const { lines } = await measure('corners', true);
    const inner = lines.find(
      ({ file, line, kernel }) => file.endsWith('corners.cuh') && line === 5 && kernel.startsWith('nested('),
    )!;
    const chains = inner.callers!.map(
      ({ inlined, sites }) =>
        `${inlined} < ${sites.map(({ file, line }) => `${file.split('/').pop()}:${line}`).join(' < ')}`,
    );
    // inner is inlined twice into middle, which is inlined twice into the kernel.
    assert.ok(chains.includes('inner < corners.cuh:8 < corners.cu:12'), chains.join('; '));
    assert.ok(chains.includes('inner < corners.cuh:9 < corners.cu:12'), chains.join('; '));
    assert.equal(
      inner.callers!.reduce((sum, { values }) => sum + values['inst_executed']!, 0),
      inner.values['inst_executed'],
    );
    assert.ok((await measure('corners')).lines.every(({ callers }) => callers === undefined));
  });
});
