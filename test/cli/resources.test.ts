// Resources of built kernels against what ptxas printed of the same build, and against a kept file.
import { deepStrictEqual, match, rejects, strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPtxasReport } from '../../profiler/src/build/ptxasReport';
import { bytesSource } from '../../profiler/src/report/byteSource';
import { type CubinResources, readCubinResources } from '../../profiler/src/report/cubinResources';
import { embeddedCubins } from '../../profiler/src/report/fatbin';
import { runCommand, writeFiles } from '../support/commandLine';
import { depth } from '../support/depth';
import { nvccVersion } from '../support/nvcc';
import { skipBecause } from '../support/skipBecause';

const source = `__device__ __noinline__ float far(float x) { return x * x + 1; }
__global__ void small(float *a) { a[threadIdx.x] *= 2.0f; }
template <class T> __global__ void __launch_bounds__(1024, 2) large(T *a, const T *b, int n) {
  __shared__ T tile[32][33];
  T v[64];
  for (int i = 0; i < 64; i++) v[i] = b[i * n + threadIdx.x];
  tile[threadIdx.y][threadIdx.x] = v[n & 63];
  __syncthreads();
  for (int i = 0; i < 64; i++) a[i * n] = v[i] * v[i * n & 63] + tile[threadIdx.x][i & 31] + far(n);
}
template __global__ void large<float>(float *, const float *, int);
template __global__ void large<double>(double *, const double *, int);
`;
/** What the driver reserves of a block's shared memory from compute capability 8.0 on. */
const reserved = 1024;

describe('warplens resources', function () {
  this.timeout(60_000);
  let folder: string;
  let cubin: string;
  let said: string;
  before(function () {
    if (depth === 'quick' || nvccVersion() === undefined)
      skipBecause(this, 'nvcc is not installed, or this run is quick.');
    folder = mkdtempSync(join(tmpdir(), 'warplens-resources-'));
    cubin = join(folder, 'k.cubin');
    writeFiles(folder, { 'k.cu': source });
    const made = spawnSync('nvcc', ['-cubin', '-arch=sm_90', '-Xptxas=-v', join(folder, 'k.cu'), '-o', cubin], {
      encoding: 'utf8',
    });
    strictEqual(made.status, 0, made.stderr);
    said = made.stdout + made.stderr;
  });
  after(() => {
    if (folder) rmSync(folder, { recursive: true, force: true });
  });

  it('prints what ptxas printed of each kernel', async () => {
    const { code, out } = await runCommand('resources', cubin);
    strictEqual(code, 0);
    const expected = readPtxasReport(said).map(({ symbol, registers, stackBytes, sharedBytes }) => [
      symbol,
      { registers, local: stackBytes, shared: sharedBytes ? sharedBytes + reserved : 0 },
    ]);
    strictEqual(expected.length, 3);
    deepStrictEqual(JSON.parse(out), Object.fromEntries(expected));
  });

  it('fails where a kernel takes more, and where the file is out of date', async () => {
    const file = join(folder, 'resources.json');
    const check = async (edit: (kept: Record<string, CubinResources>) => unknown): Promise<string> => {
      await runCommand('resources', cubin, '--output-file', file);
      const kept = JSON.parse(readFileSync(file, 'utf8')) as Record<string, CubinResources>;
      edit(kept);
      writeFileSync(file, JSON.stringify(kept));
      const { code, out } = await runCommand('resources', cubin, '--check', file);
      strictEqual(code, out === '' ? 0 : 1);
      return out;
    };
    const small = '_Z5smallPf';
    strictEqual(await check(() => {}), '');
    const with1 = (change: number) => (kept: Record<string, CubinResources>) => {
      kept[small] = { ...kept[small]!, registers: kept[small]!.registers + change };
    };
    match(await check(with1(-1)), /^small \(_Z5smallPf\) takes more: \d+ → \d+ registers\.$/);
    match(await check(with1(1)), /^small \(_Z5smallPf\) takes less: .* registers; .*resources\.json is out of date/);
    match(await check((kept) => delete kept[small]), /^small \(_Z5smallPf\) is not in the file: /);
    match(await check((kept) => (kept['gone'] = kept[small]!)), /^gone \(gone\) is not in the build: /);
  });

  it('reads objects, programs and libraries as it reads their cubins', async () => {
    const expected = (await runCommand('resources', cubin)).out;
    const built = async (name: string, ...flags: string[]): Promise<{ code: number; out: string; err: string }> => {
      const made = spawnSync('nvcc', ['-arch=sm_90', ...flags, '-o', join(folder, name)], { encoding: 'utf8' });
      strictEqual(made.status, 0, made.stderr);
      return runCommand('resources', join(folder, name));
    };
    const compile = ['-Xcompiler=-fPIC', '-c', join(folder, 'k.cu')];
    strictEqual((await built('k.o', ...compile)).out, expected);
    strictEqual((await built('k.a', '-lib', join(folder, 'k.o'))).out, expected);
    strictEqual((await built('k.so', '-shared', join(folder, 'k.o'))).out, expected);
    // What a block takes of shared memory is the linker's to say.
    const relocatable = await built('r.o', '-rdc=true', ...compile);
    match(relocatable.err, /r\.o holds no linked machine code .*-rdc=true, name the linked program/);
    strictEqual(relocatable.code, 2);
    const linked = await built('r.so', '-shared', join(folder, 'r.o'));
    deepStrictEqual(Object.keys(JSON.parse(linked.out)), Object.keys(JSON.parse(expected)));
  });

  it('names files that nvcc did not build, and not kept ones', async () => {
    const source = await runCommand('resources', join(folder, 'k.cu'));
    match(source.err, /k\.cu cannot be read .*Build it with nvcc/);
    const program = await runCommand('resources', process.execPath);
    match(program.err, /holds no linked machine code of kernels\. Build it with nvcc/);
    const kept = await runCommand('resources', cubin, '--check', join(folder, 'k.cu'));
    match(kept.err, /k\.cu is not a file that warplens resources wrote/);
    deepStrictEqual([source.code, program.code, kept.code], [2, 2, 2]);
  });
});

/** Fatbins of fatbinary 13.0.88 --compress-all, for compute capabilities 7.5 (22 registers) and 9.0 (24), and PTX. */
describe('warplens resources of recorded fatbins', () => {
  const recorded = join(__dirname, 'resources');
  for (const [mode, compression] of [
    ['size', 'Zstandard'],
    ['speed', 'LZ4'],
  ])
    it(`reads what ${compression} compressed`, async () => {
      const { out } = await runCommand('resources', join(recorded, `${mode}.fatbin`));
      deepStrictEqual(JSON.parse(out), { _Z6rotatePfi: { registers: 24, local: 0, shared: 32 * 33 * 4 + reserved } });
    });

  it('says what to build where there is only PTX', async () => {
    const { code, err } = await runCommand('resources', join(recorded, 'ptx.fatbin'));
    match(err, /ptx\.fatbin holds no linked machine code of kernels\. .*-arch=sm_90/);
    strictEqual(code, 2);
  });

  it('reads or refuses damaged ones', async () => {
    for (const name of ['size.fatbin', 'speed.fatbin']) {
      const whole = readFileSync(join(recorded, name));
      for (let at = 0; at < whole.length; at += 31) {
        const flipped = Buffer.from(whole);
        flipped[at]! ^= 0xff;
        for (const damaged of [whole.subarray(0, at), flipped])
          for (const cubin of (await embeddedCubins(damaged).catch(refused)) ?? [])
            await readCubinResources(bytesSource(cubin)).catch(refused);
      }
      await rejects(embeddedCubins(whole.subarray(0, -1)), /truncated/);
    }
  });
});

/** Errors that a reader of damaged bytes may raise; what it raises else fails the test. */
function refused(error: Error): undefined {
  if (error.name !== 'ReportError') throw error;
}
