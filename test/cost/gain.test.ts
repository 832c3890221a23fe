// Gains as intervals over what the code leaves open, and the severities that follow from them.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { constantsOf } from '../../hardware/src/constants';
import { severityOf, thresholds } from '../../server/src/cost/grade';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { lint } from '../../server/src/lint/lint';
import { gpuByName } from '../../server/src/semantic/gpus';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

let workspace: Awaited<ReturnType<typeof memoryWorkspace>>;
let version = 0;

function findingsIn(text: string, gpu = 'H100'): readonly ResolvedFinding[] {
  const { model } = workspace.analyse(memoryUri('gain.cu'), { text, version: ++version })!;
  return lint(model, text, { gpu: gpuByName(gpu)! }).findings.filter(({ markOf }) => !markOf);
}
/** The only finding of the rule. */
function found(text: string, rule: string, gpu?: string): ResolvedFinding {
  const its = findingsIn(text, gpu).filter((finding) => finding.rule === rule);
  strictEqual(its.length, 1, `${rule} in\n${text}`);
  return its[0]!;
}
function kernel(body: string, parameters: string, launch = '6400, 256'): string {
  const args = parameters.split(',').map((each) => (each.includes('int ') && !each.includes('*') ? 'n' : '0'));
  return [
    `__global__ void k(${parameters}) {`,
    '  int i = blockIdx.x * blockDim.x + threadIdx.x;',
    body,
    '}',
    `void go(int n) { k<<<${launch}>>>(${args.join(', ')}); }`,
  ].join('\n');
}
const uncoalesced = 'cuda/uncoalesced-access';

describe('gains', () => {
  before(async () => {
    workspace = await memoryWorkspace(new Map());
  });

  it('are above the threshold at both ends where every number is known', () => {
    const { gain, severity } = found(kernel('a[i * 64] = b[i];', 'float *a, const float *b'), uncoalesced);
    ok(gain![0] > 2, String(gain));
    strictEqual(severity, 'warning');
  });

  it('begin at 1 where data decide, and end where each lane has its own sector', () => {
    const { gain, severity } = found(kernel('a[i] = b[p[i]];', 'float *a, const float *b, const int *p'), uncoalesced);
    strictEqual(gain![0], 1);
    ok(gain![1] > 2, String(gain));
    strictEqual(severity, 'hint');
  });

  it('begin at 1 for a stride of unknown value, which may be 1', () => {
    const { gain } = found(kernel('a[i] = b[i * s];', 'float *a, const float *b, int s'), uncoalesced);
    strictEqual(gain![0], 1);
  });

  it('take the length of rows that the kernel walks along for an extent of its data', () => {
    const walk = 'float t = 0; for (int j = 0; j < n; j++) t += b[i * n + j]; a[i] = t;';
    const { gain, severity } = found(kernel(walk, 'float *a, const float *b, int n'), uncoalesced);
    ok(gain![0] >= thresholds.warning, String(gain));
    strictEqual(severity, 'warning');
  });

  it('are less the more a kernel does besides', () => {
    const beside = (times: number): readonly [number, number] =>
      found(
        kernel(
          `float t = 0; for (int j = 0; j < ${times}; j++) t += b[i + j * 1638400]; a[i] = t + c[i * 2];`,
          'float *a, const float *b, const float *c',
        ),
        uncoalesced,
      ).gain!;
    const [few, many] = [beside(2), beside(512)];
    ok(few[0] > many[0] && few[1] > many[1], `${String(few)} and ${String(many)}`);
  });

  it('count all accesses of a line, and of an array, at once', () => {
    const text = (statement: string): string => kernel(statement, 'float *a');
    const both = found(text('a[i * 32] *= 2.0f;'), uncoalesced).gain!;
    const one = found(text('a[i * 32] = 2.0f;'), uncoalesced).gain!;
    ok(both[0] > one[0] / 2, `${String(both)} and ${String(one)}`);
    ok(both[0] > 2, String(both));
  });

  it('of records that a thread reads whole are small where L1 holds them from the first field to the last', () => {
    const fields = (count: number, from = 0): string =>
      Array.from({ length: count - from }, (_, at) => `in[${count} * i + ${at + from}]`).join(' + ');
    const other = 'for (int j = 0; j < 4; j++) t += more[i + 4096 * j];';
    const most = (body: string): number =>
      found(kernel(body, 'float *out, const float *in, const float *more', '65536, 256'), uncoalesced).gain?.[1] ?? 1;
    const small = [
      `out[i] = ${fields(4)};`,
      `float t = 0; ${other} out[i] = t + ${fields(4)};`,
      `for (int k = 0; k < 8; k++) out[i + k * 4096] = ${fields(4).replaceAll('i +', '(i + 4096 * k) +')};`,
      'float t = 0; for (int k = 0; k < 4; k++) t += in[4 * i + k]; out[i] = t;',
    ];
    // One field alone; another loop between the fields; more records than L1 has room for; shared memory in its place.
    const large = [
      'out[i] = in[4 * i];',
      `float t = in[4 * i]; ${other} out[i] = t + ${fields(4, 1)};`,
      `out[i] = ${fields(32)};`,
      'float t = 0; for (int k = 0; k < 32; k++) t += in[32 * i + k]; out[i] = t;',
      `__shared__ float all[12000]; all[threadIdx.x] = 1; __syncthreads(); out[i] = all[0] + ${fields(4)};`,
    ];
    for (const body of small) ok(most(body) < thresholds.warning, `${most(body)} of ${body}`);
    for (const body of large) ok(most(body) > 1.5, `${most(body)} of ${body}`);
    // L1 does not combine stores: measured as 3.81 times in docs/measurements/h200-neighbours.md.
    ok(most('for (int k = 0; k < 4; k++) out[4 * i + k] = k;') > 3.81);
  });

  it('depend on the double-precision lanes of the GPU', () => {
    const text = kernel('float x = a[i]; for (int j = 0; j < 100; j++) x = x * 0.5 + 1.0f; a[i] = x;', 'float *a');
    const [large, small] = ['H100', 'RTX 4090'].map((gpu) => found(text, 'cuda/double-in-float', gpu).gain!);
    ok(small![0] > 2 * large![0], `${String(large)} and ${String(small)}`);
  });

  it('keep what replaces an operation, so that a long loop gains no more than the operation costs', () => {
    const text = kernel('float x = a[i]; for (int j = 0; j < n; j++) x = x * 0.1f + 2.3; a[i] = x;', 'float *a, int n');
    const [, most] = found(text, 'cuda/double-in-float', 'H100').gain!;
    const { issue, operations } = constantsOf(gpuByName('H100')!);
    ok(most <= 1 + operations['double-operand'].doubles * issue, String(most));
  });

  it('hold what a loop does once against all that it does, however often it comes round', () => {
    const rounds = (inner: string): number =>
      found(
        kernel(
          `for (; i < (1 << 24); i += gridDim.x * 256) { float t = 0; ${inner} a[i] = t * 1.5; }`,
          'float *a, const float *b',
        ),
        'cuda/double-in-float',
        'RTX 4090',
      ).gain?.[1] ?? 1;
    const loop = 'for (int k = 0; k < 32; k++) for (int j = 0; j < 32; j++) t += b[32 * k + j + i];';
    ok(rounds(loop) < thresholds.information, String(rounds(loop)));
    ok(rounds('t = b[i];') > thresholds.warning, String(rounds('t = b[i];')));
  });

  it('of what the host does are known where the times of the launches are', () => {
    const loop = (grid: string): string =>
      '__global__ void k(float *a) { a[blockIdx.x * blockDim.x + threadIdx.x] += 1; }\n' +
      `void go(float *a, int n) { for (int s = 0; s < 100; s++) { k<<<${grid}, 256>>>(a); cudaDeviceSynchronize(); } }`;
    const severities = ['64', '4000000', 'n'].map((grid) => found(loop(grid), 'cuda/sync-in-loop').severity);
    deepStrictEqual(severities, ['warning', 'hint', 'warning']);
  });

  it('are lost lanes of a branch where fewer warps could do its work', () => {
    const branch = (condition: string): readonly ResolvedFinding[] =>
      findingsIn(
        kernel(
          `float x = a[i]; if (${condition}) for (int j = 0; j < 200; j++) x = x * x + 1.0f; a[i] = x;`,
          'float *a',
        ),
      ).filter(({ rule }) => rule === 'cuda/divergent-branch');
    strictEqual(branch('threadIdx.x % 2 == 0')[0]?.severity, 'warning');
    deepStrictEqual(branch('threadIdx.x < 8'), []);
  });

  it('of an access end where its part of the traffic does', () => {
    const { gain, share } = found(
      kernel(
        'float t = 0; for (int k = 0; k < n; k++) t += in[k * 65536 * 256 + i]; out[8 * i] = t;',
        'float *out, const float *in, int n',
      ),
      uncoalesced,
    );
    ok(gain![1] <= 1 / (1 - share! * (1 - 1 / 8)) + 1e-9, `${String(gain)} of ${share}`);
  });

  it('decide the severity, by what is expected of them, and their upper ends that of hot kernels', () => {
    const { warning, information } = thresholds;
    deepStrictEqual(
      [
        severityOf({ expected: warning, range: [1, 9] }),
        severityOf({ expected: information, range: [1, 9] }),
        severityOf({ expected: 1, range: [1, 9] }),
        severityOf({ expected: 1, range: [1, 9] }, warning, 'hot'),
        severityOf({ expected: 1.7, range: [1, 3] }, 2),
      ],
      ['warning', 'information', 'hint', 'warning', 'information'],
    );
  });
});
