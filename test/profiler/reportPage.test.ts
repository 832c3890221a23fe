// The report page's figures, compared with what Nsight Compute's own rules say of the same launches, and the comparison with a baseline.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gatherKernels, type ProfiledKernel } from '../../profiler/src/overlay/kernels';
import { boundOf, pageModel, verdictOn, type PageKernel } from '../../profiler/src/overlay/reportPage';
import { kernelFigures, type KernelFigures } from '../../profiler/src/lines/kernelFigures';
import type { Metric } from '../../profiler/src/report/report';
import { bytesSource, openReport } from '../../profiler/src/report';

const profiles = join(__dirname, '../../samples/profiles');

async function read(name: string): Promise<{ name: string; kernels: ProfiledKernel[] }> {
  const report = await openReport(bytesSource(readFileSync(join(profiles, `${name}.ncu-rep`))));
  return { name: `${name}.ncu-rep`, kernels: (await gatherKernels(report, () => true))! };
}
async function page(name: string): Promise<PageKernel> {
  return pageModel(await read(name), [], () => '').kernels[0]!;
}
function advice(kernel: PageKernel): string {
  return kernel.advice.map(({ text }) => text).join(' ');
}

describe('the report page of recorded profiles', () => {
  it("roofline: the share of the peak is the one that NVIDIA's rule tells", async () => {
    let compared = 0;
    for (const name of ['register-tiled', 'parity-branch', 'chunk-per-thread', 'array-of-structs']) {
      const { kernels } = await read(name);
      const kernel = kernels.at(-1)!;
      const rule = kernel.advice
        .flatMap(({ messages }) => messages)
        .map(({ text }) => text)
        .find((text) => /peak performance/.test(text) && /achieved/.test(text));
      const rooflines = kernel.figures!.rooflines;
      for (const [precision, pattern] of [
        ['single', /(\d+)% of this device's .*?(?:fp32|FP32)/],
        ['double', /(\d+)% of its .*?(?:fp64|FP64)/],
      ] as const) {
        const told = rule && pattern.exec(rule);
        const roof = rooflines.find((each) => each.precision === precision);
        if (!told) continue;
        compared++;
        assert.ok(
          Math.abs(Number(told[1]) - 100 * (roof ? roof.achieved / roof.peak : 0)) <= 1,
          `${name} ${precision}: ${rule}`,
        );
      }
      assert.ok(
        rooflines.length > 0 &&
          rooflines.every(({ peak, bandwidth }) => peak > 30e12 && bandwidth > 4.5e12 && bandwidth < 5e12),
        `${name} on an H200`,
      );
    }
    assert.ok(compared >= 4, `only ${compared} rules reported a share`);
  });

  it("occupancy: limiter and warps as NVIDIA's rule tells, and the next value that allows more", async () => {
    const kernel = await page('register-tiled');
    assert.match(advice(kernel), /limited by the number of required registers/);
    assert.match(kernel.limits!.words, /^16 of 64 warps, limited by registers \(2 blocks at once\); 15\.3 on average$/);
    assert.equal(kernel.limits!.curves[0]!.words, '127 registers per thread: 16 warps; 80 would allow 24.');
    const full = await page('unpadded-tile.fixed');
    assert.match(full.limits!.words, /^64 of 64 warps; /);
    // One lane of a warp, and that in one block of many.
    assert.equal((await page('1-row-per-thread')).lines.find(({ line }) => line === 22)!.threads, '<1');
  });

  it('a damaged report asks for no axis without end, nor for a curve without points', () => {
    const metric = (name: string, value: number, instances: readonly (readonly [number, number])[] = []) =>
      ({ name, value, instances: instances.map(([id, at]) => ({ id, value: at })) }) as unknown as Metric;
    const sass = (letter: string, value: number) => [
      metric(`sm__sass_thread_inst_executed_op_${letter}fma_pred_on.sum.peak_sustained`, value),
      ...['add', 'mul', 'fma'].map((operation) =>
        metric(`smsp__sass_thread_inst_executed_op_${letter}${operation}_pred_on.sum.per_cycle_elapsed`, value),
      ),
    ];
    const figures = (value: number, points: readonly (readonly [number, number])[]) =>
      kernelFigures(
        [
          ...[
            'dram__bytes.sum.per_second',
            'dram__bytes.sum.peak_sustained',
            'dram__cycles_elapsed.avg.per_second',
          ].map((name) => metric(name, 1e11)),
          metric('sm__cycles_elapsed.avg.per_second', value),
          ...sass('f', value),
          ...sass('d', value),
          metric('sm__maximum_warps_avg_per_active_cycle', 32),
          metric('launch__registers_per_thread', 32),
          metric('launch__occupancy_per_register_count', 0, points),
        ],
        { device__attribute_max_warps_per_multiprocessor: 64 },
      );
    for (const value of [1e300, 1e-300, 0, NaN, Infinity])
      assert.deepEqual(figures(value, []).rooflines, [], String(value));
    assert.equal(figures(1e6, []).rooflines.length, 2);
    const curve = (points: readonly (readonly [number, number])[]) =>
      figures(1, points).occupancy?.curves.map((each) => each.points.length);
    assert.deepEqual(
      curve([
        [32, 64],
        [64, 32],
        [NaN, 3],
        [96, NaN],
        [128, 1e300],
        [-1, 2],
      ]),
      [2],
    );
    for (const points of [
      [],
      [[32, 64]],
      [
        [0, 1],
        [0, 2],
      ],
      Array.from({ length: 1_000_000 }, (_none, at) => [at, 1] as const),
    ] as const)
      assert.deepEqual(curve(points as readonly (readonly [number, number])[]), []);
  });

  it('verdict: memory, latency, with both numbers', async () => {
    assert.match(
      (await page('chunk-per-thread.fixed')).verdict!,
      /^mostly memory-limited: L2 at \d+ % of its peak, DRAM at 3\.\d+ TB\/s of 4\.81 TB\/s \(7\d %\), SM at \d+ %/,
    );
    const full: KernelFigures = {
      speedOfLight: [
        { unit: 'SM', percent: 12 },
        { unit: 'Memory', percent: 91 },
        { unit: 'DRAM', percent: 91 },
      ],
      dram: { achieved: 4.38e12, peak: 4.81e12 },
      rooflines: [],
    };
    assert.match(verdictOn(full)!, /^near the DRAM limit: 4\.38 TB\/s of 4\.81 TB\/s \(91 %\)/);
    assert.equal(boundOf(full), 'near the DRAM limit');
    const alone: KernelFigures = { speedOfLight: full.speedOfLight.slice(0, 2).reverse(), rooflines: [] };
    assert.equal(boundOf(alone), 'memory bound');
    assert.equal(
      boundOf({ ...alone, speedOfLight: alone.speedOfLight.map((each) => ({ ...each, percent: 70 })) }),
      undefined,
    );
    assert.match((await page('unpadded-tile')).verdict!, /^memory bound: L1 at \d+ % of its peak/);
    const waits: KernelFigures = {
      speedOfLight: [
        { unit: 'SM', percent: 12 },
        { unit: 'Memory', percent: 20 },
      ],
      rooflines: [],
    };
    assert.match(verdictOn(waits)!, /^latency bound: neither SM \(12 %\) nor memory \(20 %\)/);
    assert.match(
      verdictOn({
        ...waits,
        speedOfLight: [
          { unit: 'SM', percent: 91 },
          { unit: 'Memory', percent: 20 },
        ],
      })!,
      /^compute bound/,
    );
    assert.equal(verdictOn({ speedOfLight: [], rooflines: [] }), undefined);
  });

  it('a product that a library took: what is near its limit, kernels without code, all kernels against all', async () => {
    const [before, after] = [await read('3-shuffle'), await read('4-averages-then-cublas')];
    const model = pageModel(after, [], () => '', {
      name: 'step 2',
      kernels: before.kernels,
      lineNow: () => undefined,
      sourceOf: () => '',
    });
    const [averages, ...library] = model.kernels;
    assert.match(averages!.verdict!, /^near the DRAM limit: 4\.4\d TB\/s of 4\.81 TB\/s \(9\d %\)/);
    assert.equal(library.length, 2);
    for (const { without, lines } of library) {
      assert.equal(without, 'the report does not contain its machine code');
      assert.deepEqual(lines, []);
    }
    assert.deepEqual(model.gone, ['averageAndMultiply (1.26 ms)']);
    assert.equal(model.total, '1.26 ms → 506.8 µs, 2.49×');
  });

  it('comparison: gains of matched kernels, samples of moved lines, what is gone', async () => {
    const [before, after] = [await read('1-row-per-thread'), await read('2-coalesced')];
    const file = after.kernels[0]!.lines[0]!.file;
    const other = { ...before.kernels[0]!, name: 'prepare(float *)', shortName: 'prepare' };
    const model = pageModel(after, [], () => '', {
      name: 'step 1',
      kernels: [...before.kernels, other],
      lineNow: (_file, line) => ({ file, line }),
      sourceOf: () => 'before',
    });
    assert.equal(model.baseline, 'step 1');
    assert.deepEqual(model.gone, ['prepare (3.53 ms)']);
    assert.equal(model.total, '7.06 ms → 1.87 ms, 3.77×');
    const { bars, after: took, ...gain } = model.kernels[0]!.before!;
    assert.deepEqual(gain, { duration: '3.53 ms', gain: '1.89×', kind: 'better' });
    assert.equal(took, '1.87 ms');
    assert.equal(bars[0], 1);
    assert.ok(Math.abs(bars[1] - 1 / 1.89) < 0.005, String(bars[1]));
    assert.ok(model.kernels[0]!.lines.some((line) => /%$/.test(line.before)));
    const same = pageModel(after, [], () => '', {
      name: 'itself',
      kernels: after.kernels,
      lineNow: (file, line) => ({ file, line }),
      sourceOf: () => '',
    });
    assert.ok(
      same.kernels.every(
        (kernel) => kernel.before!.gain === 'the same' && kernel.lines.every((line) => line.before === line.share),
      ),
    );
    assert.ok(pageModel(after, [], () => '').kernels.every((kernel) => kernel.before === undefined));
  });
});
