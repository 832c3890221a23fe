// Draws pairs of programs, one that wastes memory and one that does the same without, for predicted and measured gains.
//
//   npx tsx lab/gpu/drawnPairs.ts FOLDER [--seed N] [--count N]
//
// Writes NAME.cu and NAME.fixed.cu, which print the median time of their kernel. Both sides differ in nothing but the
// layout or the order in which threads go over it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomSource } from '../../test/semantic/random/generate';

export interface DrawnPair {
  readonly name: string;
  readonly before: string;
  readonly after: string;
}

interface Side {
  /** Parameters after `const T *in, T *out`, if any, with what is given for them. */
  readonly kernel: string;
  readonly launch: string;
}

interface Drawn {
  readonly name: string;
  readonly type: string;
  /** Elements of `in` and of `out`, as C++ expressions. */
  readonly read: string;
  readonly written: string;
  readonly before: Side;
  readonly after: Side;
}

type Draw = <T>(from: readonly T[]) => T;

/** Elements of about `megabytes`, a multiple of 65,536 so that every shape here fits. */
function elementsOf(megabytes: number, bytes: number): number {
  return Math.max(65_536, Math.floor((megabytes * 2 ** 20) / bytes / 65_536) * 65_536);
}

const types = ['float', 'float', 'double', 'int'] as const;
const bytesOf = { float: 4, double: 8, int: 4 } as const;
const blocks = [64, 128, 256, 512] as const;

const kinds: readonly ((draw: Draw) => Drawn)[] = [
  function stridedRead(draw) {
    const type = draw(types);
    const stride = draw([2, 3, 4, 6, 8, 12, 16, 24, 32, 48]);
    const block = draw(blocks);
    const n = elementsOf(draw([8, 128, 512]) / stride, bytesOf[type]);
    const side = (index: string): Side => ({
      kernel: `  int i = blockIdx.x * ${block} + threadIdx.x;\n  out[i] = in[${index}] + 1;`,
      launch: `<<<${n / block}, ${block}>>>`,
    });
    return {
      name: `strided-read-${type}-${stride}-${block}-${n}`,
      type,
      read: `${n} * size_t(${stride})`,
      written: `${n}`,
      before: side(`i * ${stride}`),
      after: side('i'),
    };
  },
  function stridedWrite(draw) {
    const type = draw(types);
    const stride = draw([2, 4, 8, 16, 32]);
    const block = draw(blocks);
    const n = elementsOf(draw([16, 256]) / stride, bytesOf[type]);
    const side = (index: string): Side => ({
      kernel: `  int i = blockIdx.x * ${block} + threadIdx.x;\n  out[${index}] = in[i] + 1;`,
      launch: `<<<${n / block}, ${block}>>>`,
    });
    return {
      name: `strided-write-${type}-${stride}-${block}-${n}`,
      type,
      read: `${n}`,
      written: `${n} * size_t(${stride})`,
      before: side(`i * ${stride}`),
      after: side('i'),
    };
  },
  function chunk(draw) {
    const type = draw(types);
    const length = draw([8, 16, 32, 64, 128, 256]);
    const block = draw([128, 256]);
    const n = elementsOf(draw([64, 256, 512]), bytesOf[type]);
    const threads = n / length;
    return {
      name: `chunk-${type}-${length}-${block}-${n}`,
      type,
      read: `${n}`,
      written: `${n}`,
      before: {
        kernel: `  int t = blockIdx.x * ${block} + threadIdx.x;\n  for (int i = t * ${length}; i < (t + 1) * ${length}; i++) out[i] = in[i] + 1;`,
        launch: `<<<${threads / block}, ${block}>>>`,
      },
      after: {
        kernel: `  int t = blockIdx.x * ${block} + threadIdx.x;\n  for (int i = t; i < ${n}; i += ${threads}) out[i] = in[i] + 1;`,
        launch: `<<<${threads / block}, ${block}>>>`,
      },
    };
  },
  function rowSum(draw) {
    const columns = draw([32, 64, 128, 256, 512, 1024]);
    const block = draw([128, 256]);
    const n = elementsOf(draw([64, 256, 512]), 4);
    const rows = n / columns;
    return {
      name: `row-sum-${columns}-${block}-${n}`,
      type: 'float',
      read: `${n}`,
      written: `${rows}`,
      before: {
        kernel: `  int row = blockIdx.x * ${block} + threadIdx.x;\n  float sum = 0;\n  for (int c = 0; c < ${columns}; c++) sum += in[row * ${columns} + c];\n  out[row] = sum;`,
        launch: `<<<${rows / block}, ${block}>>>`,
      },
      after: {
        kernel: `  int row = (blockIdx.x * ${block} + threadIdx.x) / 32, lane = threadIdx.x % 32;\n  float sum = 0;\n  for (int c = lane; c < ${columns}; c += 32) sum += in[row * ${columns} + c];\n  for (int other = 16; other > 0; other /= 2) sum += __shfl_down_sync(0xffffffff, sum, other);\n  if (lane == 0) out[row] = sum;`,
        launch: `<<<${(rows * 32) / block}, ${block}>>>`,
      },
    };
  },
  function fields(draw) {
    const type = draw(['float', 'double'] as const);
    const count = draw([2, 3, 4, 5, 6, 8, 10, 12, 16]);
    const used = Math.min(count - 1, draw([1, 1, 2, 3]));
    const block = draw(blocks);
    const n = elementsOf(draw([16, 512]) / count, bytesOf[type]);
    const sum = (index: (field: number) => string): string =>
      Array.from({ length: used }, (_, field) => `in[${index(field)}]`).join(' + ');
    const side = (index: (field: number) => string): Side => ({
      kernel: `  int i = blockIdx.x * ${block} + threadIdx.x;\n  out[i] = ${sum(index)};`,
      launch: `<<<${n / block}, ${block}>>>`,
    });
    return {
      name: `fields-${type}-${count}-${used}-${block}-${n}`,
      type,
      read: `${n} * size_t(${count})`,
      written: `${n}`,
      before: side((field) => `i * ${count} + ${field}`),
      after: side((field) => `${field * n} + i`),
    };
  },
  function slowAxis(draw) {
    const type = draw(types);
    const [x, y] = draw([
      [32, 8],
      [32, 4],
      [16, 16],
      [64, 4],
    ] as const);
    const width = draw([1024, 2048, 4096]);
    const height = elementsOf(draw([32, 256]), bytesOf[type]) / width;
    const side = (index: string): Side => ({
      kernel: `  int x = blockIdx.x * ${x} + threadIdx.x, y = blockIdx.y * ${y} + threadIdx.y;\n  out[${index}] = in[${index}] + 1;`,
      launch: '',
    });
    return {
      name: `slow-axis-${type}-${x}x${y}-${width}x${height}`,
      type,
      read: `${width * height}`,
      written: `${width * height}`,
      before: { ...side(`x * ${width} + y`), launch: `<<<dim3(${height / x}, ${width / y}), dim3(${x}, ${y})>>>` },
      after: { ...side(`y * ${width} + x`), launch: `<<<dim3(${width / x}, ${height / y}), dim3(${x}, ${y})>>>` },
    };
  },
  function tile(draw) {
    const type = draw(['float', 'double', 'int'] as const);
    const side = draw([16, 32]);
    const size = draw([1024, 4096]);
    const kernel = (pitch: number): string =>
      `  __shared__ ${type} tile[${side}][${pitch}];\n  int x = blockIdx.x * ${side} + threadIdx.x, y = blockIdx.y * ${side} + threadIdx.y;\n  tile[threadIdx.y][threadIdx.x] = in[y * ${size} + x];\n  __syncthreads();\n  out[(blockIdx.x * ${side} + threadIdx.y) * ${size} + blockIdx.y * ${side} + threadIdx.x] = tile[threadIdx.x][threadIdx.y];`;
    const launch = `<<<dim3(${size / side}, ${size / side}), dim3(${side}, ${side})>>>`;
    return {
      name: `tile-${type}-${side}-${size}`,
      type,
      read: `${size * size}`,
      written: `${size * size}`,
      before: { kernel: kernel(side), launch },
      after: { kernel: kernel(side + 1), launch },
    };
  },
  function banks(draw) {
    const stride = draw([2, 4, 8, 16, 32]);
    const block = draw([64, 128, 256]);
    const rounds = draw([64, 256, 1024]);
    const grid = draw([528, 2112]);
    const kernel = (index: string, length: number): string =>
      `  __shared__ float s[${length}];\n  int t = threadIdx.x;\n  for (int i = t; i < ${length}; i += ${block}) s[i] = in[i];\n  __syncthreads();\n  float sum = 0;\n  for (int r = 0; r < ${rounds}; r++) sum += s[${index}] * r;\n  out[blockIdx.x * ${block} + t] = sum;`;
    return {
      name: `banks-${stride}-${block}-${rounds}-${grid}`,
      type: 'float',
      read: `${block * stride}`,
      written: `${grid * block}`,
      before: {
        kernel: kernel(`(t * ${stride} + r) % ${block * stride}`, block * stride),
        launch: `<<<${grid}, ${block}>>>`,
      },
      after: { kernel: kernel(`(t + r) % ${block * stride}`, block * stride), launch: `<<<${grid}, ${block}>>>` },
    };
  },
];

function program({ type, read, written }: Drawn, { kernel, launch }: Side): string {
  return `#include "timing.cuh"

__global__ void work(const ${type} *in, ${type} *out) {
${kernel}
}

int main() {
  ${type} *in = numbersOf<${type}>(${read}), *out = numbersOf<${type}>(${written});
  return timedAlone([&] { work${launch}(in, out); });
}
`;
}

/** Pairs in order of their names, none twice. */
export function drawPairs(seed: number, count: number): readonly DrawnPair[] {
  const random = randomSource(seed);
  const draw: Draw = (from) => from[Math.floor(random() * from.length)]!;
  const pairs = new Map<string, DrawnPair>();
  for (let at = 0; pairs.size < count; at++) {
    const drawn = kinds[at % kinds.length]!(draw);
    pairs.set(drawn.name, {
      name: drawn.name,
      before: program(drawn, drawn.before),
      after: program(drawn, drawn.after),
    });
  }
  return [...pairs.values()].sort((a, b) => a.name.localeCompare(b.name));
}

export const timing = `// An array of numbers, and the median time of a kernel.
#pragma once
#include <algorithm>
#include <cstdio>
#include <vector>

template <typename T> T *numbersOf(size_t count) {
  T *device;
  cudaMalloc(&device, count * sizeof(T));
  cudaMemset(device, 1, count * sizeof(T));
  return device;
}
template <typename Work> int timedAlone(Work work) {
  cudaEvent_t start, stop;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  std::vector<float> times(21);
  work();
  for (float &time : times) {
    cudaEventRecord(start);
    work();
    cudaEventRecord(stop);
    cudaEventSynchronize(stop);
    cudaEventElapsedTime(&time, start, stop);
  }
  std::sort(times.begin(), times.end());
  const cudaError_t error = cudaGetLastError();
  std::printf("%s %.5f\\n", error == cudaSuccess ? "ms" : cudaGetErrorString(error), times[times.size() / 2]);
  return error == cudaSuccess ? 0 : 1;
}
`;

if (require.main === module) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { seed: { type: 'string', default: '1' }, count: { type: 'string', default: '72' } },
  });
  const [folder] = positionals;
  if (!folder) {
    console.error('Name a folder to write to.');
    process.exit(2);
  }
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'timing.cuh'), timing);
  for (const { name, before, after } of drawPairs(Number(values.seed), Number(values.count))) {
    writeFileSync(join(folder, `${name}.cu`), before);
    writeFileSync(join(folder, `${name}.fixed.cu`), after);
  }
}
