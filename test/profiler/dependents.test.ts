// Which unchanged lines an edit makes old: those within a changed loop, those whose addresses or launch it changes.
import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { dependentLines } from '../../profiler/src/lines/dependents';
import { samplesFolder } from '../support/sampleFiles';

const program = `constexpr int kWidth = 64;
__global__ void scale(float *out, const float *in,
                      int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < 8; k++)
    sum += in[i * 8 + k];
  out[i] = sum;
  out[n + threadIdx.x] = 1;
}
__global__ void other(float *out) {
  out[threadIdx.x * kWidth] = 1;
}
int main() {
  int block = 256;
  scale<<<16, block>>>(a, b, 64);
  other<<<1, 32>>>(a);
}
`;

function old(from: string, to: string, text = program): number[] {
  const changed = text.replace(from, to);
  if (changed === text) throw new Error(`${from} is not in the text`);
  return [...dependentLines(text, changed)].sort((a, b) => a - b);
}

describe('lines that depend on a change', () => {
  for (const [what, from, to, lines] of [
    ['a loop', 'k < 8; k++', 'k < 8; k += 2', [7, 16]],
    ['an index', 'int i = blockIdx.x * blockDim.x + threadIdx.x', 'int i = threadIdx.x', [7, 8, 16]],
    ['a value that is only stored', 'float sum = 0;', 'float sum = 1;', [16]],
    ['a launch', '<<<16, block>>>', '<<<32, block>>>', [2, 3, 4, 5, 6, 7, 8, 9]],
    ['what a launch is computed from', 'block = 256', 'block = 128', [2, 3, 4, 5, 6, 7, 8, 9, 16]],
    ['a constant of the file', 'kWidth = 64', 'kWidth = 65', [12, 17]],
    ['a comment', '  out[i] = sum;', '  // Stored.\n  out[i] = sum;', []],
    ['host code beside it', 'int main() {', 'int main() {\n  puts("a");', []],
    ['a loop put around a line', '  out[i] = sum;', '  for (int r = 0; r < n; r++)\n    out[i] = sum;', [9, 17]],
    ['a loop taken away', '  for (int k = 0; k < 8; k++)\n    sum', '  sum', [6, 15]],
    ['parameters', 'int n) {', 'long n) {', [2, 4, 5, 6, 7, 8, 9, 16]],
  ] as const)
    it(what, () => deepStrictEqual(old(from, to), [...lines]));

  const declared = `struct Point {
  float x, y;
};
__global__ void turn(const Point *in, float *out) {
  __shared__ float left[32][32], right[32][32];
  int x = threadIdx.x;
  left[threadIdx.y][x] = in[x].x;
  right[threadIdx.y][x] = out[x];
  __syncthreads();
  out[x] = left[x][threadIdx.y];
}
__global__ void other(float *out) {
  float left[4] = {0};
  out[threadIdx.x] = left[threadIdx.x % 4] * out[0];
}
`;
  for (const [what, from, to, lines] of [
    ['how an array is declared', 'left[32][32]', 'left[32][33]', [7, 8, 10]],
    ['an array of another function', 'left[4]', 'left[8]', [14]],
    ['the members of a structure', '  float x, y;', '  float x, y, z;', [4, 5, 6, 7, 8, 9, 10]],
    ['a product with an element', '* out[0]', '* out[1]', []],
  ] as const)
    it(what, () => deepStrictEqual(old(from, to, declared), [...lines]));

  it('in Fortran', () => {
    const text = `subroutine add(n, x, y)
  !$acc parallel loop gang
  do i = 1, n
    do j = 1, m
      y(j, i) = x(j, i)
    end do
  end do
end subroutine
`;
    deepStrictEqual(old('loop gang', 'loop gang vector_length(32)', text), [3, 4, 5, 6]);
    deepStrictEqual(old('do j = 1, m', 'do j = 1, m, 2', text), [5]);
  });

  it("in the sample whose loop the fix changes: the body's figures are old, the copies' are not", () => {
    const read = (name: string): string => readFileSync(join(samplesFolder, 'vector-addition', name), 'utf8');
    const now = read('chunk-per-thread.fixed.cu');
    const lines = dependentLines(read('chunk-per-thread.cu'), now);
    deepStrictEqual(
      now
        .split('\n')
        .filter((_, at) => lines.has(at + 1))
        .map((line) => line.trim().split(/[ (]/)[0]),
      ['sum[i]', 'addVectors<<<blocks,'],
    );
  });
});
