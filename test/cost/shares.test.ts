// Shares of kernels, and one finding for each cause, array and kernel, on texts that the whole pipeline reads.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { lint } from '../../server/src/lint/lint';
import { createRank } from '../../server/src/cost/traffic';
import { defaultGpu } from '../../server/src/semantic/gpus';
import type { Model } from '../../server/src/semantic/model';
import { lineTable } from '../../server/src/syntax/lines';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

let workspace: Awaited<ReturnType<typeof memoryWorkspace>>;
let version = 0;

function modelOf(text: string): Model {
  return workspace.analyse(memoryUri('rank.cu'), { text, version: ++version })!.model;
}
function findingsIn(text: string, settings?: Parameters<typeof lint>[2]['settings']): readonly ResolvedFinding[] {
  return lint(modelOf(text), text, { gpu: defaultGpu, ...(settings ? { settings } : {}) }).findings;
}
/** `line severity rule`, with `mark` behind those that lead to another finding. */
function shown(text: string): string[] {
  const table = lineTable(text);
  return findingsIn(text).map(
    ({ at, severity, rule, markOf }) =>
      `${table.positionAt(at.start).line + 1} ${severity} ${rule}${markOf ? ' mark' : ''}`,
  );
}
function launched(body: string, parameters = 'float *a, const float *b', more = ''): string {
  return [
    '#define N 32',
    `__global__ void k(${parameters}) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    body,
    '}',
    more,
    `void go() { k<<<6400, 256>>>(${parameters.replace(/[^,]+/g, '0')}); }`,
  ].join('\n');
}

/** Percent of the traffic that are reads of `b`. */
function shareOfB(text: string): number {
  return Math.round(100 * (findingsIn(text).find(({ data }) => data['array'] === 'b')?.share ?? -1));
}

describe('shares and groups', () => {
  before(async () => {
    workspace = await memoryWorkspace(new Map());
  });

  it('is a share between 0 and 1 of the sectors of its kernel, and shares of all accesses add up to 1', () => {
    const model = modelOf(launched('  a[i] = b[i * 8] + b[i * 8 + 4] + a[i + 1];'));
    const rank = createRank(model, defaultGpu);
    const shares = model.facts.access.map((fact) => rank.shareOf(fact)!.share);
    strictEqual(shares.length, 4);
    ok(shares.every((share) => share > 0 && share < 1));
    ok(Math.abs(shares.reduce((sum, share) => sum + share, 0) - 1) < 1e-9);
    // 4 and 4.x sectors beside twice 32.
    const strided = model.facts.access.filter(({ sectors }) => sectors === 32).map((fact) => rank.shareOf(fact)!.share);
    deepStrictEqual(strided.length, 2);
    ok(strided.every((share) => share > 0.4 && share < 0.46));
  });

  it('counts the blocks of all launches where they are known, and says where they are not', () => {
    const known = createRank(modelOf(launched('  a[i] = 0;')), defaultGpu).kernels[0]!;
    strictEqual(known.blocks, 6400);
    strictEqual(known.assumed, false);
    const text = launched('  a[i] = 0;').replace('<<<6400,', '<<<n,').replace('go()', 'go(int n)');
    strictEqual(createRank(modelOf(text), defaultGpu).kernels[0]!.assumed, true);
  });

  it('makes one finding of a cause, array and kernel, with a hint at each other place that leads to it', () => {
    const text = launched('  a[i * 8] = b[i * 8];\n  a[i * 8 + 1] = 0;\n  a[i * 8 + 2] = 1;');
    deepStrictEqual(shown(text), [
      '4 warning cuda/uncoalesced-access',
      '4 warning cuda/uncoalesced-access',
      '5 hint cuda/uncoalesced-access mark',
      '6 hint cuda/uncoalesced-access mark',
    ]);
    const [head, , mark] = findingsIn(text);
    strictEqual(head!.places!.length, 2);
    strictEqual(mark!.markOf!.start, head!.at.start);
    strictEqual(mark!.alone, 'warning');
    ok(head!.share! > 2.5 * mark!.share!, 'the share of a finding is that of all its places');
    ok(/at 3 places/.test(head!.text));
  });

  it('takes literals and macros of one function for one finding, whatever each line holds', () => {
    const lines = ['  const float x = (0.1 + b[i] * 0.3 * PI);', '  a[i] = x * PI', '    + x * 0.7 + b[i] * 0.5;'];
    const text = `#define PI 3.14159265358979\n${launched(lines.join('\n'))}`;
    const loud = shown(text).filter((line) => !line.includes('hint'));
    deepStrictEqual(loud, ['3 information cuda/bytes-in-flight', '5 warning cuda/double-in-float']);
    ok(shown(text).includes('6 hint cuda/double-in-float mark'));
  });

  it('keeps arrays, causes and kernels that differ apart', () => {
    const other = '__global__ void l(float *z, const float *y) { z[threadIdx.x * 16] = y[threadIdx.x]; }';
    const text = launched('  a[i * 8] = b[i * 8];', 'float *a, const float *b', other);
    strictEqual(shown(text).filter((line) => line.includes(' warning ')).length, 3);
  });

  it('counts a load that no iteration of a loop changes once, unless the loop writes to memory', () => {
    const share = (body: string): number => {
      const text = launched(body, 'float *a, const float *b, const float *c, int n');
      return shareOfB(text.replace('void go()', 'void go(int n)').replace('0,0,0,0', '0, 0, 0, n'));
    };
    const loop = (inner: string): string => `  float s = 0;\n  for (int j = 0; j < n; j++) ${inner}\n  a[i] = s;`;
    strictEqual(share(loop('s += c[j * 4096 + i] * b[i * 8];')), 20);
    strictEqual(share(loop('{ float t = sqrtf(b[i * 8]); s += c[j * 4096 + i] * t; }')), 20);
    ok(share(loop('{ s += c[j * 4096 + i] * b[i * 8]; a[i] = s; }')) > 70);
    ok(share(loop('{ int k = i + j; s += c[j * 4096 + i] * b[k * 8]; }')) > 80);
  });

  it('counts a load of what an earlier one left in a register once, whatever the names', () => {
    const share = (body: string, parameters = 'float *a, const float *__restrict__ b'): number =>
      shareOfB(launched(body, parameters));
    strictEqual(share('  a[i] = b[i * 8] * b[i * 8];'), 89, '32 of 36 sectors');
    strictEqual(share('  int at = i * 8; a[i] = (1 - b[at]) * (1 - b[i * 8]);'), 89);
    strictEqual(share('  int at = i * 8; float s = b[at]; at = at + 819200; a[i] = s * b[at];'), 94, '64 of 68');
    // A store to what may be the same array, a barrier, or an arm that may not be taken.
    const between = (what: string): string => `  float s = b[i * 8]; ${what} a[i] = s * b[i * 8];`;
    strictEqual(share(between('a[i] = 1;')), 80, '32 of 40');
    strictEqual(share(between('a[i] = 1;'), 'float *a, float *b'), 89, '64 of 72');
    strictEqual(share(between('__syncthreads();')), 94);
    strictEqual(share('  float s = 0; if (a[i] > 0) s = b[i * 8]; a[i] = s * b[i * 8];'), 89, '64 of 72');
  });

  it('says of a share on which loop lengths it rests, and calls no such share proven', () => {
    const loop = '  float s = 0;\n  for (int j = 0; j < LENGTH; j++) s += b[j * 4096 + i];\n  a[i * 2] = s;';
    const found = (trips: string): ResolvedFinding =>
      findingsIn(launched(loop.replace('LENGTH', trips), 'float *a, const float *b, const int *c'))[0]!;
    const [open, known] = [found('*c'), found('9')];
    ok(/, \d\.\d % of this kernel's traffic if loops of unknown length iterate 32 times\. /.test(open.text), open.text);
    ok(/ % of this kernel's traffic\. /.test(known.text), known.text);
    deepStrictEqual([open.confidence, known.confidence], ['assumed', 'proven']);
  });

  it('counts fetches from textures, in functions that the kernel calls as well', () => {
    const rays = (march: string): string[] =>
      findingsIn(
        [
          '__device__ float at(cudaTextureObject_t t, float x) { return tex3D<float>(t, x, x, x); }',
          '__global__ void k(float *a, int rows, cudaTextureObject_t t, int n) {',
          '  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;',
          '  float s = 0;',
          `  ${march}`,
          '  a[x * rows + y] = s;',
          '}',
          'void go(cudaTextureObject_t t, int n) { k<<<dim3(256, 256), dim3(9, 9)>>>(0, n, t, n); }',
        ].join('\n'),
      )
        .filter(({ rule }) => rule === 'cuda/uncoalesced-access')
        .map(({ severity, share }) => `${severity} ${Math.round(100 * (share ?? 0))} %`);
    deepStrictEqual(rays(''), ['warning 100 %']);
    deepStrictEqual(rays('for (int j = 0; j < 64; j++) s += tex3D<float>(t, j, x, y);'), ['hint 4 %']);
    deepStrictEqual(rays('for (int j = 0; j < n; j++) for (int i = 0; i < 64; i++) s += at(t, i);'), ['hint 0 %']);
  });

  it('takes a row, a stride and a field of one array for one finding', () => {
    const loop = 'for (int j = 1; j < 32; j++) s += b[i * 32 + j];';
    const text = launched(`  float s = b[i * 32];\n  ${loop}\n  a[i] = s;`);
    deepStrictEqual(shown(text), ['4 hint cuda/uncoalesced-access mark', '5 warning cuda/uncoalesced-access']);
  });

  it('counts bank conflicts in the cycles of both memories', () => {
    const conflict = (beside: number): string[] =>
      shown(
        launched(`  __shared__ float t[1024];
          float s = 0;
          for (int j = 0; j < ${beside}; j++) s += b[j * 16384 + i];
          for (int j = 0; j < 2; j++) t[threadIdx.x * 4 + j * 2] = s;
          __syncthreads();
          a[i] = t[threadIdx.x];`),
      ).filter((line) => line.includes('bank-conflict'));
    deepStrictEqual(conflict(2), ['7 information cuda/bank-conflict']);
    deepStrictEqual(conflict(256), ['7 hint cuda/bank-conflict']);
  });

  it('counts what inline assembly moves', () => {
    const share = (assembly: string): number => {
      const text = launched(`  float s = 0;\n  for (int j = 0; j < 64; j++) ${assembly}\n  a[i * 8] = s;`);
      return Math.round(100 * findingsIn(text)[0]!.share!);
    };
    strictEqual(share('asm volatile("mov.f32 %0, %1;" : "=f"(s) : "f"(s));'), 100);
    strictEqual(share('asm volatile("ld.global.f32 %0, [%1];" : "=f"(s) : "l"(b + i + j));'), 9);
    strictEqual(share('asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(j), "l"(b + i));'), 3);
  });

  it('leaves a severity that the user chose', () => {
    const loop = 'for (int j = 0; j < 1000; j++) s += b[j * 16384 + i];';
    const text = launched(`  float s = 0;\n  ${loop}\n  a[i * 2] = s;`);
    const settings = new Map([['cuda/uncoalesced-access', { off: false, severity: 'error' as const, options: {} }]]);
    deepStrictEqual(
      findingsIn(text, settings).map(({ severity }) => severity),
      ['error'],
    );
  });
});
