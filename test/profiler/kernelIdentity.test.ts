// Which measured kernel belongs to which definition: by file, lines and signature, and never by its name alone.
import assert from 'node:assert/strict';
import {
  compareSignatures,
  isSameKernel,
  measuredParameters,
  type MeasuredIdentity,
  type SourceKernel,
  type SourcePlace,
} from '../../profiler/src/evidence/kernelIdentity';
import { linesNow } from '../../profiler/src/lines/carryOver';
import { memoryWorkspace } from '../support/analyseText';

const measured: MeasuredIdentity = {
  name: 'transpose(const float *, float *, int)',
  shortName: 'transpose',
  mangledName: '_Z9transposePKfPfi',
  lines: [11, 13, 14].map((line) => ({ file: '/build/transpose.cu', line })),
};
const source = (changes: Partial<SourceKernel> = {}): SourceKernel => ({
  name: 'transpose',
  qualifiedName: 'transpose',
  parameters: ['float *', 'float *', 'int'],
  body: { from: 10, to: 16 },
  ...changes,
});
const here = (lineNow: SourcePlace['lineNow'], file = '/build/transpose.cu'): SourcePlace => ({ file, lineNow });
const unchanged = here((line) => ({ line, stale: false }));
const rewritten = here((line) => ({ line, stale: true }));

describe('a measured kernel', () => {
  const cases: readonly (readonly [string, MeasuredIdentity, SourceKernel, readonly SourcePlace[], boolean])[] = [
    ['is the one that contains its lines', measured, source(), [unchanged], true],
    ['is not one of its name in another file', measured, source(), [], false],
    [
      'is not one of its name whose file has lines of other kernels only',
      measured,
      source(),
      [here((line) => ({ line, stale: false }), '/build/other.cu')],
      false,
    ],
    [
      'is not the overload further down in its file',
      measured,
      source({ body: { from: 40, to: 50 } }),
      [unchanged],
      false,
    ],
    [
      'moves down with its lines',
      measured,
      source({ body: { from: 110, to: 116 } }),
      [here((line) => ({ line: line + 100, stale: false }))],
      true,
    ],
    [
      'stays itself when a parameter came to it',
      measured,
      source({ parameters: ['float *', 'float *', 'int', 'int'] }),
      [unchanged],
      true,
    ],
    ['stays itself when all of its lines were rewritten', measured, source(), [rewritten], true],
    [
      'is no longer itself when lines and parameters are others',
      measured,
      source({ parameters: ['double *', 'double *', 'int'] }),
      [rewritten],
      false,
    ],
    [
      'is not one of another name on its lines',
      measured,
      source({ name: 'copy', qualifiedName: 'copy' }),
      [unchanged],
      false,
    ],
    [
      'is not one of another namespace',
      { ...measured, name: 'a::transpose(const float *, float *, int)', mangledName: '_ZN1a9transposeEPKfPfi' },
      source({ qualifiedName: 'b::transpose' }),
      [unchanged],
      false,
    ],
    [
      'is one of an unnamed namespace',
      { ...measured, name: '(anonymous namespace)::transpose(const float *, float *, int)', mangledName: '' },
      source(),
      [unchanged],
      true,
    ],
    ['without lines is identified by its parameters', { ...measured, lines: [] }, source(), [], true],
    [
      'without lines is not one with other parameters',
      { ...measured, lines: [] },
      source({ parameters: ['float *', 'int'] }),
      [],
      false,
    ],
    [
      'without lines is not one whose types are not known',
      { ...measured, lines: [] },
      source({ parameters: ['auto *', 'auto *', 'int'] }),
      [],
      false,
    ],
    [
      'whose profiled text is not known is identified by its parameters',
      measured,
      source(),
      [{ ...here(() => undefined), unsure: true }],
      true,
    ],
    [
      'whose profiled text is not known is not one with others',
      measured,
      source({ parameters: ['int'] }),
      [{ ...here(() => undefined), unsure: true }],
      false,
    ],
    [
      'as an instance of a template',
      { ...measured, name: 'void transpose<float>(const T1 *, T1 *, int)', mangledName: '_Z9transposeIfEvPKT_PS0_i' },
      source({ parameters: ['auto *', 'auto *', 'int'] }),
      [unchanged],
      true,
    ],
  ];
  for (const [name, kernel, definition, places, expected] of cases)
    it(name, () => assert.equal(isSameKernel(kernel, definition, places), expected));

  it('keeps to its own of two functions when one is put before the other', () => {
    const profiled = '__global__ void f(int *p) {\n  p[0] = 1;\n  p[1] = 2;\n}\n';
    const now = `__global__ void f(float *p) {\n  p[threadIdx.x] = 1.f;\n}\n${profiled}`;
    const kernel = { name: 'f(int *)', shortName: 'f', lines: [2, 3].map((line) => ({ file: 'f.cu', line })) };
    const place = here(linesNow(profiled, now), 'f.cu');
    const of = (parameters: readonly string[], from: number, to: number): boolean =>
      isSameKernel(kernel, { name: 'f', qualifiedName: 'f', parameters, body: { from, to } }, [place]);
    assert.deepEqual([of(['float *'], 1, 3), of(['int *'], 4, 7)], [false, true]);
  });
});

describe('signatures', () => {
  it('are read from demangled names', () => {
    assert.deepEqual(
      measuredParameters('void k<float, (int)2>(T1 *, const ns::Pair<int, float> &, int (*)(int, int))'),
      ['T1 *', 'const ns::Pair<int, float> &', 'int (*)(int, int)'],
    );
    assert.deepEqual(measuredParameters('(anonymous namespace)::k()'), []);
    assert.deepEqual(measuredParameters('k(void)'), []);
    assert.equal(measuredParameters('k'), undefined);
  });

  const pairs: readonly (readonly [string, string, 'same' | 'different' | 'unknown'])[] = [
    ['const float *', 'float *', 'same'],
    ['unsigned long', 'size_t', 'same'],
    ['unsigned int *', 'uint32_t *', 'same'],
    ['long long', 'int64_t', 'same'],
    ['__half *', 'half *', 'same'],
    ['float2 *', 'cuFloatComplex *', 'same'],
    ['ns::Particle *', 'Particle *', 'same'],
    ['Vec<float, 3>', 'Vec', 'same'],
    ['float *', 'float **', 'different'],
    ['float *', 'float', 'different'],
    ['float *', 'double *', 'different'],
    ['int', 'unsigned int', 'different'],
    ['Particle *', 'Cell *', 'different'],
    ['Mode', 'int', 'unknown'],
    ['T1 *', 'float *', 'unknown'],
    ['float *', 'auto', 'unknown'],
    ['float', 'auto *', 'different'],
    ['float (*)[32]', 'float **', 'unknown'],
  ];
  for (const [first, second, expected] of pairs)
    it(`${first} and ${second}: ${expected}`, () => assert.equal(compareSignatures([first], [second]), expected));

  it('are sent by the server with aliases resolved', async () => {
    const text = `
      using real = double;
      typedef unsigned long long counter;
      struct Cell { float x, y; };
      enum Mode { fast, slow };
      namespace a {
      template <class T, int N> __global__ void k(const T *__restrict__ in, real *out, counter n, Cell (&c)[4], size_t m, float row[], Mode mode, Unknown u, dim3 d) { out[threadIdx.x] = in[threadIdx.x]; }
      }
      void f(const float *p, real *q, Cell *c) { a::k<float, 4><<<1, 32>>>(p, q, 1, *c, 2, nullptr, fast, 0, dim3(1)); }`;
    const workspace = await memoryWorkspace(new Map([['/k.cu', text]]));
    const { model } = workspace.analyse('file:///k.cu', { text, version: 1 })!;
    assert.deepEqual(
      model.facts.kernel.map(({ qualifiedName, parameters }) => [qualifiedName, parameters]),
      [['a::k', ['auto *', 'double *', 'unsigned long long', 'Cell * &', 'size_t', 'float *', 'int', 'auto', 'dim3']]],
    );
  });
});
