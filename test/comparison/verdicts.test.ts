// What the comparison says of changes whose effect on the GPU is known, and what the gate of the action makes of them.
import { deepStrictEqual } from 'node:assert/strict';
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand, writeFiles } from '../support/commandLine';

const rows = (type: string, count: string, body: string): string => `
__global__ void rows(const float *__restrict__ x, const float *w, float *__restrict__ y, int n) {
  const ${type} *in = reinterpret_cast<const ${type} *>(x + (long)blockIdx.x * n);
  ${type} *out = reinterpret_cast<${type} *>(y + (long)blockIdx.x * n);
  for (int i = threadIdx.x; i < ${count}; i += blockDim.x) { ${body} }
}
void go(const float *x, const float *w, float *y, int n, int m) { rows<<<m, 256>>>(x, w, y, n); }
`;
const scalar = rows('float', 'n', 'out[i] = in[i];');

/** Two versions, what is said of the second, and how many conditions of the gate it breaks. */
const changes: Readonly<Record<string, readonly [before: string, after: string, verdict: string, breaches: number]>> = {
  'a loop with wider accesses moves as much': [scalar, rows('float4', 'n / 4', 'out[i] = in[i];'), 'differs', 0],
  'an array that a loop reads besides is more': [
    scalar,
    rows('float', 'n', 'out[i] = in[i] * w[i];'),
    'more traffic',
    1,
  ],
  'a stride in a loop of unknown length is more': [
    scalar,
    rows('float', 'n', 'out[i] = in[i * 8];'),
    'more traffic',
    1,
  ],
};

describe('the comparison of changes with a known effect', () => {
  let folder: string;
  beforeEach(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'warplens-verdicts-test-')));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const gate = 'sectors <= +5 %, wavefronts <= +5 %, atomics <= +5 %, barriers <= +0, unknown <= +0';
  for (const [title, [before, after, ...expected]] of Object.entries(changes))
    it(title, async () => {
      writeFiles(folder, { 'before/a.cu': before, 'after/a.cu': after });
      const sides = ['before', 'after'].map((side) => join(folder, side));
      const { out } = await runCommand('diff', ...sides, '--no-cache', '--format', 'json', '--gate', gate);
      const { changedKernels, gate: held } = JSON.parse(out) as {
        changedKernels: readonly { verdict: string }[];
        gate: { breaches: readonly string[] };
      };
      deepStrictEqual([changedKernels[0]?.verdict ?? 'same', held.breaches.length], expected);
    });
});
