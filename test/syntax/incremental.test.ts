// Editing a file step by step must give the tree that a fresh parse gives, and keep what was not touched.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SourceFile, Syntax } from '../../server/src/syntax';
import { contentOf, headers, newSyntax, SETTINGS, sharedSyntax } from './support';
import { drawn } from '../support/depth';

const BASE = `#include "config.h"
#define BLOCK 256
#define SQ(x) ((x) * (x))
// scale two vectors
namespace vec {
template <typename T>
struct Pair { T a, b; __device__ T sum() const { return a + b; /* both */ } };

__device__ float twice(float x) { return SQ(x) + x; }
}
__constant__ float weights[TAPS] = {1, 2, 3};

__global__ void scale(float* __restrict__ y, const float* x, int n) {
  __shared__ float tile[BLOCK];
  int i = blockIdx.x * blockDim.x + threadIdx.x; // lane
  if (i < n) {
    tile[threadIdx.x] = x[i];
#ifdef FAST
    y[i] = tile[threadIdx.x] * 2;
#else
    y[i] = vec::twice(tile[threadIdx.x]);
#endif
  }
#pragma unroll 4
  for (int k = 0; k < TAPS; k++) y[i] += weights[k];
}

int main() {
  dim3 grid(n / BLOCK), block(BLOCK);
  scale<<<grid, block>>>(y, x, n);
  return 0;
}
`;
const HOST = headers({ 'config.h': '#pragma once\n#define TAPS 3\nstruct Config { int taps; };\n' });
const FRAGMENTS = [
  ...`{}();"'\n x1<>,=`,
  '/*',
  '*/',
  '//',
  '#if 0\n',
  '#endif\n',
  '#else\n',
  '#define FAST\n',
  '#define BLOCK 64\n',
  '\\\n',
  '<<<',
  'int q = 3;\n',
  '__global__ void other() { }\n',
  'namespace n {\n',
  '#include "config.h"\n',
  'SQ(',
  '#pragma unroll\n',
  'template <',
  '\ud800',
  '\r\n',
  '[',
  ']',
  'if (i < n && i > (3)) ',
  'SQ',
  '\u0000',
];

interface Edit {
  readonly at: number;
  readonly remove: number;
  readonly insert: string;
}

const edits = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    remove: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 40 })),
    insert: fc.oneof(fc.constantFrom(...FRAGMENTS), fc.constant('')),
  }),
  { minLength: 1, maxLength: 8 },
);

function apply(text: string, edit: Edit): string {
  const at = Math.floor(edit.at * text.length);
  return text.slice(0, at) + edit.insert + text.slice(at + edit.remove);
}

function parse(syntax: Syntax, text: string): SourceFile[] {
  return [...syntax.parse('file:///edited.cu', text, 0, SETTINGS, HOST).files];
}

describe('incremental parsing', function () {
  this.timeout(120_000);

  it('gives the tree of a fresh parse after any sequence of edits', async () => {
    const incremental = await newSyntax();
    const fresh = await newSyntax();
    fc.assert(
      fc.property(edits, (sequence) => {
        incremental.forget('file:///edited.cu');
        let text = BASE;
        parse(incremental, text);
        for (const edit of sequence) {
          text = apply(text, edit);
          const kept = parse(incremental, text);
          fresh.forget('file:///edited.cu');
          fresh.forget('file:///config.h');
          assert.deepStrictEqual(kept.map(contentOf), parse(fresh, text).map(contentOf));
        }
      }),
      { numRuns: Number(process.env.WARPLENS_PROPERTY_RUNS ?? drawn(20, 60)) },
    );
  });

  it('keeps the bodies of functions that were not edited, by identity, with a new base', async () => {
    const syntax = await sharedSyntax();
    syntax.forget('file:///edited.cu');
    const before = parse(syntax, BASE)[0]!;
    const after = parse(
      syntax,
      BASE.replace('// scale', '// one more word: scale').replace('return 0;', 'return 1;'),
    )[0]!;
    const byName = (file: SourceFile, name: string) => file.functions.find((each) => each.name === name)!;
    for (const name of ['scale', 'twice', 'sum']) {
      assert.equal(byName(after, name).body, byName(before, name).body, name);
      assert.equal(byName(after, name).params, byName(before, name).params, name);
      assert.equal(byName(after, name).key, byName(before, name).key, name);
      assert.equal(
        byName(after, name).base,
        byName(before, name).base + '// one more word: scale'.length - '// scale'.length,
        name,
      );
    }
    assert.notEqual(byName(after, 'main').key, byName(before, 'main').key);
  });

  it('re-reads a function when a macro that it uses has changed', async () => {
    const syntax = await sharedSyntax();
    syntax.forget('file:///edited.cu');
    const before = parse(syntax, BASE)[0]!;
    const after = parse(syntax, BASE.replace('#define BLOCK 256', '#define BLOCK 128'))[0]!;
    const keys = (file: SourceFile) => file.functions.map((each) => [each.name, each.key]);
    const changed = keys(after)
      .filter(([, key], index) => key !== keys(before)[index]![1])
      .map(([name]) => name);
    assert.deepEqual(changed, ['scale', 'main']);
  });

  it('tells identical functions apart by an ordinal', async () => {
    const syntax = await sharedSyntax();
    const file = syntax.parse('file:///twins.cu', 'void f() { g(); }\nvoid f() { g(); }\n', 0, SETTINGS, HOST).main;
    assert.equal(file.functions.length, 2);
    assert.notEqual(file.functions[0]!.key, file.functions[1]!.key);
    assert.equal(file.functions[1]!.base, 18);
  });

  it('lets go of a file', async () => {
    const syntax = await newSyntax();
    parse(syntax, BASE);
    assert.ok(syntax.stats().chunks > 0);
    assert.equal(syntax.stats().trees, 0);
    syntax.forget('file:///edited.cu');
    assert.equal(syntax.stats().chunks, 0);
  });
});
