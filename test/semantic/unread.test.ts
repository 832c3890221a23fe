// What of a file was not read: one text for each reason, and texts that have none.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { unreadCounts, unreadShare, unreadText } from '../../server/src/rules/unreadWording';
import type { Unread, UnreadReason } from '../../server/src/semantic/model';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

interface Read {
  readonly list: readonly Unread[];
  /** `access unknown-call: f(a)`, with the text that it is about. */
  readonly said: readonly string[];
  readonly shareOf: (kernel: string) => string | undefined;
}

async function read(text: string, others: Readonly<Record<string, string>> = {}): Promise<Read> {
  const files = new Map(Object.entries({ 'a.cu': text, ...others }).map(([name, each]) => [`/memory/${name}`, each]));
  const workspace = await memoryWorkspace(files);
  const { model, unread } = workspace.analyse(memoryUri('a.cu'), { text, version: 1 })!;
  const list = unread();
  strictEqual(unread(), list, 'computed once');
  return {
    list,
    said: list.map(({ what, reason, detail }) => `${what} ${reason}: ${detail}`),
    shareOf: (kernel) => unreadShare(kernel, model.facts.access, list),
  };
}

const thread = 'int i = blockIdx.x * blockDim.x + threadIdx.x;';

/** A text for each reason, and all that is said of it. */
const texts: Readonly<Record<UnreadReason, readonly [text: string, ...said: string[]]>> = {
  'unknown-call': [
    `__device__ float load(const float *p);
__global__ void k(float *a, int *b) {
  ${thread}
  a[i] = load(a + i) + __isGlobal(a);
  __store_release(&b[i], 1);
}
void run(float *a, int *b) { k<<<64, 256>>>(a, b); }`,
    'access unknown-call: load(a + i)',
    'access unknown-call: __store_release(&b[i], 1)',
  ],
  jump: [
    `__global__ void k(float *a) { ${thread} if (a[i] > 0) goto end; a[i] = 1; end: a[i] += 1; }
void run(float *a) { k<<<64, 256>>>(a); }`,
    'access jump: goto end;',
  ],
  'unknown-type': [
    `__global__ void k(Accessor<float, 2> in, float *a) { ${thread} a[i] = in[i][0]; }
void run(Accessor<float, 2> in, float *a) { k<<<64, 256>>>(in, a); }`,
    'access unknown-type: in[i][0]',
  ],
  'unknown-pointer': [
    `__global__ void k(Rows rows, float *a) { ${thread} const float *row = rows.at(blockIdx.x); a[i] = row[threadIdx.x]; }
void run(Rows rows, float *a) { k<<<64, 256>>>(rows, a); }`,
    'access unknown-call: rows.at(blockIdx.x)',
    'access unknown-pointer: row[threadIdx.x]',
  ],
  'unknown-index': [
    `__global__ void k(float *a, const int *bins) {
  __shared__ float sums[256];
  ${thread}
  sums[bins[i]] = 1.0f;
  __syncthreads();
  a[i] = sums[threadIdx.x];
}
void run(float *a, const int *b) { k<<<64, 256>>>(a, b); }`,
    'access unknown-index: sums[bins[i]]',
  ],
  'inline-assembly': [
    `__global__ void k(float *a) { ${thread} asm volatile("red.global.add.f32 [%0], %1;" :: "l"(a + i), "f"(1.0f)); }
void run(float *a) { k<<<64, 256>>>(a); }`,
    'access inline-assembly: asm volatile("red.global.add.f32 [%0], %1;" :: "l"(a + i), "f"(1.0f));',
  ],
  'template-parameters': [
    `template <typename T, int N> __global__ void k(T *a) { ${thread} a[i * N] = a[i]; }`,
    'kernel template-parameters: T, N',
  ],
  stopped: [
    `__global__ void k(float *a) { ${thread} int x = 0; ${'x += 1;'.repeat(2600)} a[i] = x; }
void run(float *a) { k<<<64, 1024>>>(a); }`,
    'kernel stopped: its body exceeds the limit of the analysis',
  ],
  'syntax-errors': [
    `__global__ void k(float *a) { ${thread} a[i] = ) 1.0f ( ; }
void run(float *a) { k<<<64, 256>>>(a); }`,
    'kernel syntax-errors: k',
  ],
  'inactive-branch': [
    `#ifndef WIDTH
#error "define WIDTH"
#else
__global__ void k(float *a) { a[threadIdx.x * WIDTH] = 0; }
__global__ void l(float *a) { a[threadIdx.x * WIDTH] = 0; }
#endif`,
    'kernel inactive-branch: "define WIDTH"',
    'kernel inactive-branch: "define WIDTH"',
  ],
  'unknown-qualifiers': [
    `#include "qualifiers.h"
KERNEL_FUNCTION void k(float *a) { ${thread} a[i] = 0; }`,
    'function unknown-qualifiers: k',
  ],
  'kernel-not-found': ['void run(float *a) { absent<<<64, 256>>>(a); }', 'launch kernel-not-found: absent'],
  'kernel-by-value': [
    'void run(void (*kernel)(float *), float *a) { kernel<<<64, 256>>>(a); }',
    'launch kernel-by-value: kernel',
  ],
  'template-arguments': [
    `template <typename T> __global__ void k(T *a) { ${thread} a[i] = 0; }
template <typename T> void run(T *a) { k<T><<<64, 128>>>(a); }
void others(float *a) { k<float><<<64, 256>>>(a); }`,
    'launch template-arguments: T',
  ],
  'unknown-block': [
    `__global__ void k(float *a) { ${thread} a[i] = 0; }
void run(float *a, Shape shape) { k<<<64, shape.block()>>>(a); }`,
    'launch unknown-block: shape.block()',
  ],
  'launch-not-reached': [
    `__global__ void k(float *a) { ${thread} a[i] = 0; }
auto later(float *a) { return [=] { k<<<64, 256>>>(a); }; }`,
    'launch launch-not-reached: k',
  ],
  'file-limit': [`${'namespace a {\n'.repeat(3000)}${'}'.repeat(3000)}\n`],
};

describe('what was not read', function () {
  this.timeout(60_000);
  for (const [reason, [text, ...said]] of Object.entries(texts))
    it(reason, async () => {
      const found = await read(text);
      if (reason === 'file-limit') ok(found.list.some((one) => one.reason === 'file-limit' && one.detail !== ''));
      else deepStrictEqual(found.said, said);
      for (const one of found.list) match(unreadText(one), /^[`A-Z].*[^.]$|\.$/);
    });

  it('is nothing where all is known', async () => {
    const found = await read(`#include <cuda_fp16.h>
struct Row { float *at; __device__ float &operator[](int i) const { return at[i]; } };
__device__ float twice(const float *p) { return 2.0f * *p; }
struct Zero { float *at; __device__ void operator()(int i) const { at[i] = 0; } };
template <typename F> __global__ void each(F f, int n) { ${thread} if (i < n) f(i); }
__global__ void k(Row row, const int *order, float *a, int n) {
  ${thread}
  float sine, cosine;
  for (int k = 0; k < n; k++) sincosf(a[i] * k, &sine, &cosine);
  if (i < n) row[i] = twice(a + order[i]) + __shfl_down_sync(~0u, sine, 1) * __ldg(&a[i]) + fmaxf(cosine, 0.0f);
  if (i == 0) printf("%f", ((const short *)&sine)[1] + sine);
}
void run(Row row, const int *order, float *a, int n) {
  k<<<64, 256>>>(row, order, a, n);
  each<<<64, 256>>>(Zero{a}, n);
}
#ifdef WIDE
__global__ void wide(double *a) { a[threadIdx.x] = 0; }
#endif
`);
    deepStrictEqual(found.said, []);
  });

  it('is counted by kernel, each access once', async () => {
    const { shareOf, list } = await read(`__device__ float load(const float *p);
__global__ void k(Accessor<float, 2> in, float *a) { ${thread} a[i] = in[i][0] + in[i][1] + load(a + i); a[i + 1] = in.size(0); }
__global__ void l(float *a) { ${thread} a[i] = 0; }
void run(Accessor<float, 2> in, float *a) { k<<<64, 256>>>(in, a); l<<<64, 256>>>(a); }`);
    strictEqual(shareOf('k'), '4 of 6 accesses not read');
    strictEqual(shareOf('l'), undefined);
    strictEqual(unreadCounts(list), '4 accesses');
  });

  it('is counted beside what an inlined function reads at the same call', async () => {
    const { shareOf } = await read(
      `#include "load.cuh"
__global__ void k(float *a) { ${thread} a[i] = loaded(a + i); }
void run(float *a) { k<<<64, 256>>>(a); }`,
      {
        'load.cuh':
          '__device__ float far(const float *p);\n' +
          '__device__ inline float loaded(const float *p) { return *p + far(p); }\n',
      },
    );
    strictEqual(shareOf('k'), '1 of 3 accesses not read');
  });

  it('is not what one of several launches reads', async () => {
    const { said } = await read(`template <typename A> __global__ void clear(A a) { ${thread} a[i] = 0; }
void run(float *a, Accessor<float, 1> b) { clear<<<64, 128>>>(b); clear<<<64, 256>>>(a); }`);
    deepStrictEqual(said, ['launch template-arguments: A']);
  });

  it('of a header is said where the file calls it', async () => {
    const { list } = await read(
      `#include "load.cuh"
__global__ void k(float *a) { ${thread} a[i] = loaded(a + i); }
void run(float *a) { k<<<64, 256>>>(a); }`,
      {
        'load.cuh':
          '__device__ float far(const float *p);\n__device__ inline float loaded(const float *p) { return far(p); }\n',
      },
    );
    deepStrictEqual(
      list.map(({ detail, at }) => [detail, at.uri === memoryUri('a.cu')]),
      [['far(p)', true]],
    );
  });

  it('leaves out a launch whose kernel is declared: the file that defines it has its figures', async () => {
    const { said } = await read(`__global__ void k(float *a);
void run(float *a) { k<<<64, 256>>>(a); }`);
    deepStrictEqual(said, []);
  });

  it('counts a kernel with an unclosed condition once', async () => {
    const { said } = await read('__global__ void k(float *c) {\n  int i = threadIdx.x;\n  if (i\n    c[i] = 1.0f;\n}');
    deepStrictEqual(said, ['kernel syntax-errors: k']);
  });

  it('counts in words', () => {
    strictEqual(unreadCounts([]), '');
    strictEqual(
      unreadCounts([{ what: 'kernel' }, { what: 'access' }, { what: 'access' }, { what: 'launch' }]),
      '1 kernel, 1 launch and 2 accesses',
    );
  });
});
