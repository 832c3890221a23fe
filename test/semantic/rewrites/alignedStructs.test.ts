// Structures aligned to their size: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import { alignedStructOf, alignedStructPreconditions } from '../../../server/src/semantic/rewrites/alignedStructs';
import { applied, compilerComplaints, contextOf } from './harness';

const program = (declaration: string, more = ''): string =>
  `${declaration}\n${more}__global__ void k(Pair *all, int n) {\n  if (threadIdx.x < n) all[threadIdx.x] = all[n - threadIdx.x];\n}\n`;

async function aligned(text: string, name = 'Pair'): Promise<string> {
  const context = await contextOf(text, 'k');
  const fact = alignedStructOf(context, context.types.resolve({ kind: 'named', name }));
  if (!fact) return 'not near';
  if (!('edits' in fact)) return `refused: ${fact.precondition}`;
  const after = applied(text, fact.edits);
  const complaints = compilerComplaints(after);
  if (complaints !== undefined) assert.equal(complaints, '');
  return after;
}

describe('structures aligned to their size', () => {
  for (const [before, after] of [
    ['struct Pair { double re, im; };', 'struct alignas(16) Pair { double re, im; };'],
    [
      'typedef struct\n{\n  float x;\n  float y;\n} Pair;',
      'typedef struct alignas(8)\n{\n  float x;\n  float y;\n} Pair;',
    ],
    ['struct Pair { short a, b; };', 'struct alignas(4) Pair { short a, b; };'],
    ['struct Pair { float x, y, z, w; };', 'struct alignas(16) Pair { float x, y, z, w; };'],
  ] as const)
    it(`${before} of ${after.match(/\d+/)![0]} bytes`, async () =>
      assert.equal(await aligned(program(before)), program(after)));
  it('stay aligned in memory that is asked for', async () => {
    const more =
      'Pair *make(int n) { Pair *p; cudaMalloc((void **)&p, n * sizeof(Pair)); return (Pair *)malloc(n * sizeof(Pair)); }\n';
    assert.match(await aligned(program('struct Pair { float x, y; };', more)), /alignas\(8\)/);
  });

  const pair = 'struct Pair { float x, y; };';
  const refusals: readonly (readonly [string, string])[] = [
    ['declaration: aligned less by hand', program('struct alignas(4) Pair { float x, y; };')],
    ['declaration: packed', program('struct __attribute__((packed)) Pair { float x, y; };')],
    ['declaration: a template', program('template <typename T> struct Any { T x, y; };\ntypedef Any<float> Pair;')],
    ['declaration: a class', program('class Pair { public: float x, y; };')],
    ['members: a base', program('struct Base { float x; };\nstruct Pair : Base { float y; };')],
    ['members: a constructor', program('struct Pair { float x, y; __device__ Pair() : x(0), y(0) {} };')],
    ['members: an array', program('struct Pair { float x[2]; };')],
    ['members: of a type that is not known', program('struct Pair { Real x, y; };')],
    ['size: three numbers', program('struct Pair { float x, y, z; };')],
    ['size: more than one instruction', program('struct Pair { double x, y, z, w; };')],
    ['size: three numbers of CUDA', program('typedef float3 Pair;')],
    ['size: one number', program('struct Pair { double x; };')],
    ['twin: the same fields, aligned', program(pair, 'struct alignas(8) Fast { float x, y; };\n')],
    ['held: by another structure', program(pair, 'struct Four { float a; Pair b; };\n')],
    ['held: in an array', program(pair, 'struct Four { float a; Pair b[2]; };\n')],
    ['casts: of other numbers', program(pair, 'void use(Pair *);\nvoid pass(float *v) { use((Pair *)(v + 1)); }\n')],
    [
      'casts: of shared memory',
      program(pair, '__device__ Pair *at(char *all) { return reinterpret_cast<Pair *>(all + 4); }\n'),
    ],
    [
      'casts: of what a pool hands out',
      program(pair, 'void *take(int);\nPair *one() { return static_cast<Pair *>(take(8)); }\n'),
    ],
  ];
  for (const [name, text] of refusals)
    it(`are not: ${name}`, async () => assert.equal(await aligned(text), `refused: ${name.split(':')[0]!}`));
  it('are not near anything but structures', async () => {
    assert.equal(await aligned(program(pair), 'float'), 'not near');
    assert.equal(await aligned(program(pair), 'float2'), 'not near');
  });
  it('have an example against each precondition', () =>
    assert.deepEqual(
      [...new Set(refusals.map(([name]) => name.split(':')[0]))].sort(),
      [...alignedStructPreconditions].sort(),
    ));
});
