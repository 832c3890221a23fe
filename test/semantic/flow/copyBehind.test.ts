// Copies that move behind their loop, and allocations from a pool: what is written, and near misses that stay.
import assert from 'node:assert/strict';
import { runtimeCallsOf } from '../../../server/src/semantic/flow/calls';
import { copyBehind } from '../../../server/src/semantic/flow/copyBehind';
import { hoistOf } from '../../../server/src/semantic/flow/hoist';
import { movedOut } from '../../../server/src/semantic/flow/moves';
import { applied, contextOf } from '../fixes/harness';

const kernel = '__global__ void k(float *v, int n) { v[threadIdx.x] += n; }\n';
const host = (body: string, before = ''): string =>
  `${before}${kernel}void run(float *v, float *w, float *out, size_t bytes, int steps) {\n  float own = 0;\n  ${body}\n}\n`;
const loop = (body: string, head = 'for (int s = 0; s < steps; s++)'): string => `${head} {\n    ${body}\n  }`;
const copy = 'cudaMemcpy(out, v, bytes, cudaMemcpyDeviceToHost);';

async function behind(text: string): Promise<string> {
  const context = await contextOf(text, 'run');
  const calls = runtimeCallsOf(context);
  const found = calls.find(({ name, loops }) => name === 'cudaMemcpy' && loops.length > 0);
  assert.ok(found);
  const moves = copyBehind(found, found.loops[0]!, calls, context);
  const made = moves && movedOut([moves], found.loops[0]!, context);
  return made ? applied(text, made.edits) : 'stays';
}

describe('copies behind their loop', () => {
  const guarded = (guard: string): string => `\n  if (${guard}) {\n    ${copy}\n  }`;
  const launch = 'k<<<1, 32>>>(v, s);';
  const cases: readonly (readonly [string, string, string])[] = [
    ['where the loop may not run', loop(`${launch}\n    ${copy}`), loop(launch) + guarded('0 < steps')],
    [
      'under the other half of its condition',
      loop(`${launch}\n    ${copy}`, 'for (int s = 3; steps - 1 >= s; s++)'),
      loop(launch, 'for (int s = 3; steps - 1 >= s; s++)') + guarded('3 <= (steps - 1)'),
    ],
    [
      'where numbers say that it runs',
      loop(`${launch}\n    ${copy}`, 'for (int s = 0; s < 8; s++)'),
      `${loop(launch, 'for (int s = 0; s < 8; s++)')}\n  ${copy}`,
    ],
    [
      'of a do loop, in front of what does no harm',
      'int s = 0;\n  do {\n    k<<<1, 32>>>(v, s);\n    cudaMemcpy(&own, v + 1, 4, cudaMemcpyDeviceToHost);\n    printf("%d", s);\n    cudaFree(w);\n    cudaDeviceSynchronize();\n  } while (++s < steps);',
      'int s = 0;\n  do {\n    k<<<1, 32>>>(v, s);\n    printf("%d", s);\n    cudaFree(w);\n    cudaDeviceSynchronize();\n  } while (++s < steps);\n  cudaMemcpy(&own, v + 1, 4, cudaMemcpyDeviceToHost);',
    ],
  ];
  for (const [name, before, after] of cases)
    it(`moves ${name}`, async () => assert.equal(await behind(host(before)), host(after)));
  it('takes its check along', async () => {
    const check = '#define CHECK(call) do { if ((call) != cudaSuccess) return; } while (0)\n';
    const checked = `CHECK(${copy.slice(0, -1)});`;
    assert.equal(
      await behind(host(loop(`${launch}\n    ${checked}`), check)),
      host(loop(launch) + guarded('0 < steps').replace(copy, checked), check),
    );
  });

  const stays: readonly (readonly [string, string])[] = [
    ['a launch behind it', loop(`${copy}\n    ${launch}`)],
    ['a call behind it that launches', loop(`${copy}\n    again(v);`)],
    ['memory that is set behind it', loop(`${launch}\n    ${copy}\n    cudaMemset(v, 0, bytes);`)],
    [
      'a copy to the GPU behind it',
      loop(`${launch}\n    ${copy}\n    cudaMemcpy(v, w, bytes, cudaMemcpyHostToDevice);`),
    ],
    ['what it copies given back', loop(`${launch}\n    ${copy}\n    cudaFree(v);`)],
    ['an unknown call after it', loop(`${launch}\n    ${copy}\n    report();`)],
    ['a break', loop(`${launch}\n    if (steps > 9) break;\n    ${copy}`)],
    ['a continue', loop(`${launch}\n    if (s % 2) continue;\n    ${copy}`)],
    ['a return', loop(`${launch}\n    if (steps > 9) return;\n    ${copy}`)],
    ['a pointer that moves', loop(`${launch}\n    ${copy}\n    v += 4;`)],
    ['a pointer of the iteration', loop(`float *part = v + s;\n    ${launch}\n    ${copy.replace('v,', 'part,')}`)],
    ['a size of the iteration', loop(`${launch}\n    ${copy.replace('bytes', 's * 4')}`)],
    ['a size behind a pointer that moves', loop(`${launch}\n    ${copy.replace('bytes', 'size->n')}\n    size->n--;`)],
    ['an end that moves', loop(`${launch}\n    ${copy}\n    steps--;`)],
    ['a start that is no number', loop(`${launch}\n    ${copy}`, 'for (int s = steps / 2; s < steps; s++)')],
    ['a while that may not run', loop(`${launch}\n    ${copy}`, 'while (steps-- > 0)')],
    ['an end that a call works out', loop(`${launch}\n    ${copy}`, 'for (int s = 0; s < count(); s++)')],
    ['a condition around it', loop(`${launch}\n    if (s % 2) { ${copy} }`)],
    ['a loop in an arm without braces', `if (bytes > 4)\n  ${loop(`${launch}\n    ${copy}`)}`],
    [
      'a pointer that is looked up',
      loop(`${launch}\n    ${copy.replace('v,', 'all[s],')}`).replace('for', 'float **all; for'),
    ],
  ];
  for (const [name, body] of stays)
    it(`leaves: ${name}`, async () =>
      assert.equal(
        await behind(
          host(body, 'void report(); int count();\nvoid again(float *v);\n')
            .replace('void again(float *v);\n', '')
            .replace('void run', 'void again(float *v) { k<<<1, 32>>>(v, 1); }\nvoid run'),
        ),
        'stays',
      ));
});

describe('memory from a pool', () => {
  async function pooled(body: string, before = ''): Promise<string> {
    const text = host(body, before);
    const context = await contextOf(text, 'run');
    const calls = runtimeCallsOf(context);
    const made = calls.find(({ name, loops }) => name === 'cudaMalloc' && loops.length > 0)!;
    const hoist = hoistOf(made, calls, context);
    if (!hoist?.edits.length) return 'stays';
    return applied(text, hoist.edits).includes('cudaMallocAsync') ? applied(text, hoist.edits) : 'moves';
  }
  const turn = (work: string, end = 'cudaFree(part);', declared = 'float *part;'): string =>
    loop(`int count = s + 1;\n    ${declared}\n    cudaMalloc(&part, count * 4);\n    ${work}\n    ${end}`);
  const launch = 'k<<<1, 32>>>(part, s);';
  const asked = (text: string, stream = '0'): string =>
    text
      .replaceAll('cudaMalloc(&part, count * 4)', `cudaMallocAsync(&part, count * 4, ${stream})`)
      .replaceAll('cudaFree(part)', `cudaFreeAsync(part, ${stream})`);

  const cases: readonly (readonly [string, string, string, string?])[] = [
    ['on the default stream', turn(launch), '0'],
    ['on the stream of its launches', turn('k<<<1, 32, 0, side>>>(part, s);'), 'side', 'cudaStream_t side;\n'],
    ['with several ends', turn(launch, 'if (s % 2) { cudaFree(part); } else { cudaFree(part); }'), '0'],
    ['under CUB', turn('cub::DeviceReduce::Sum(part, count, v, w, 4);'), '0'],
    [
      'under a known function that launches',
      turn('again(part);'),
      '0',
      `__global__ void k(float *, int);\nvoid again(float *v) { k<<<1, 32>>>(v, 1); }\n`,
    ],
    [
      'in macros that check',
      turn(launch)
        .replace('cudaMalloc(&part, count * 4)', 'CHECK(cudaMalloc(&part, count * 4))')
        .replace('cudaFree(part)', 'CHECK(cudaFree(part))'),
      '0',
      '#define CHECK(call) do { if (call) throw 1; } while (0)\n',
    ],
    [
      'with another allocation of it',
      `float *part;\n  cudaMalloc(&part, count * 4);\n  ${turn(launch, 'cudaFree(part);', '')}`,
      '0',
      'size_t count;\n',
    ],
    [
      'under a function whose stream is left out',
      turn('again(part);'),
      '0',
      `__global__ void k(float *, int);\nvoid again(float *v, cudaStream_t on = 0) { k<<<1, 32, 0, on>>>(v, 1); }\n`,
    ],
    [
      'given back where the next iteration begins',
      `float *part = nullptr;\n  ${loop(`int count = s + 1;\n    cudaFree(part);\n    cudaMalloc(&part, count * 4);\n    ${launch}`)}\n  cudaFree(part);`,
      '0',
    ],
  ];
  for (const [name, body, stream, before] of cases)
    it(`is taken ${name}`, async () => assert.equal(await pooled(body, before), host(asked(body, stream), before)));

  const stays: readonly (readonly [string, string, string?])[] = [
    ['launches on two streams', turn(`${launch}\n    k<<<1, 32, 0, side>>>(part, s);`), 'cudaStream_t side;\n'],
    ['CUB on a stream', turn('cub::DeviceReduce::Sum(part, count, v, w, 4, side);'), 'cudaStream_t side;\n'],
    ['CUB on a stream with its own name', turn('cub::DeviceReduce::Sum(part, count, v, w, 4, stream);')],
    [
      'a function that launches on another stream',
      turn('again(part);'),
      `cudaStream_t side;\n__global__ void k(float *, int);\nvoid again(float *v) { k<<<1, 32, 0, side>>>(v, 1); }\n`,
    ],
    [
      'a function that copies on the side',
      turn('again(part);'),
      `__global__ void k(float *, int);\nvoid again(float *v) { k<<<1, 32>>>(v, 1); cudaMemcpyAsync(v, v + 1, 4, cudaMemcpyDeviceToDevice); }\n`,
    ],
    [
      'a stream that is given',
      turn('again(part, side);'),
      `cudaStream_t side;\n__global__ void k(float *, int);\nvoid again(float *v, cudaStream_t on = 0) { k<<<1, 32, 0, on>>>(v, 1); }\n`,
    ],
    [
      'a stream that is left out and another then',
      turn('again(part);'),
      `cudaStream_t side;\n__global__ void k(float *, int);\nvoid again(float *v, cudaStream_t on = side) { k<<<1, 32, 0, on>>>(v, 1); }\n`,
    ],
    [
      'a stream that is left out and set',
      turn('again(part);'),
      `cudaStream_t side;\n__global__ void k(float *, int);\nvoid again(float *v, cudaStream_t on = 0) { on = side; k<<<1, 32, 0, on>>>(v, 1); }\n`,
    ],
    [
      'another allocation of it, which the host sees',
      `float *part;\n  cudaMallocHost(&part, 4);\n  ${turn(launch, 'cudaFree(part);', '')}`,
    ],
    ['an asynchronous copy beside it', turn(`${launch}\n    cudaMemcpyAsync(part, v, 4, cudaMemcpyDeviceToDevice);`)],
    ['memory that another name holds', turn(`${launch}\n    float *other = part;`)],
    [
      'memory that a structure holds',
      turn(`${launch}\n    Both both = {part, v};`),
      'struct Both { float *a, *b; };\n',
    ],
    ['memory that is stored away', turn(`${launch}\n    kept = part;`), 'float *kept;\n'],
    ['an address that is handed out', turn(`${launch}\n    grow(&part);`), 'void grow(float **);\n'],
    ['memory that the host shares', turn(launch), 'void other(float **p) { cudaMallocManaged(p, 4); }\n'],
    ['an end that a macro writes', turn(launch, 'GIVE;'), '#define GIVE cudaFree(part)\n'],
  ];
  for (const [name, body, before] of stays)
    it(`is not: ${name}`, async () => assert.equal(await pooled(body, before), 'stays'));
});
