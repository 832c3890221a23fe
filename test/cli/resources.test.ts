// Resources of built kernels against what ptxas printed of the same build, and against a kept file.
import { deepStrictEqual, match, strictEqual } from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPtxasReport } from '../../profiler/src/build/ptxasReport';
import type { CubinResources } from '../../profiler/src/report/cubinResources';
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

  it('names files that are not cubins, and not kept ones', async () => {
    const source = await runCommand('resources', join(folder, 'k.cu'));
    match(source.err, /k\.cu cannot be read as a cubin .*nvcc -cubin/);
    const program = await runCommand('resources', process.execPath);
    match(program.err, /holds no kernels as a cubin does\. Extract its cubins with cuobjdump/);
    const kept = await runCommand('resources', cubin, '--check', join(folder, 'k.cu'));
    match(kept.err, /k\.cu is not a file that warplens resources wrote/);
    deepStrictEqual([source.code, program.code, kept.code], [2, 2, 2]);
  });
});
