// Excerpts of long texts: places stay, what the functions on screen need stays, and the rest is blank.
import assert from 'node:assert/strict';
import { excerptAround } from '../../server/src/syntax';

const filler = (name: string): string =>
  `void ${name}(int n) {\n${Array.from({ length: 60 }, (_, at) => `  int v${at} = n * ${at};`).join('\n')}\n}\n`;
const pieces = {
  macro: '#define SIZE 64\n#define WRAP(name) name##_sized\n',
  type: 'struct Pair { int a; int b; int sum() const { return a + b; } };\n',
  called: '__device__ float twice(float x) {\n  return 2.0f * x;\n}\n',
  asked: '__global__ void scale(float *a, Pair p) {\n  a[threadIdx.x] = twice(a[threadIdx.x]) * p.sum();\n}\n',
  other: '__global__ void other(float *a) {\n  a[threadIdx.x * 3] = unrelated(a[0]);\n}\n',
  unrelated: '__device__ float unrelated(float x) {\n  return x;\n}\n',
  sizes: 'int blocks(int n) {\n  return (n + SIZE - 1) / SIZE;\n}\n',
  launcher: 'void launch(float *a, int n) {\n  scale<<<blocks(n), SIZE>>>(a, Pair());\n}\n',
  main: 'int main() {\n  launch(nullptr, 128);\n  other<<<1, 32>>>(nullptr);\n}\n',
};

function excerptOf(text: string, on: string): ReturnType<typeof excerptAround> {
  const at = text.indexOf(on);
  return excerptAround(text, at, at + on.length);
}

describe('an excerpt', () => {
  const text = `${filler('first')}${Object.values(pieces).join('')}${filler('second')}`;

  it('keeps what the functions on screen call, who launches them, and every place', () => {
    const excerpt = excerptOf(text, 'twice(a[threadIdx.x])')!;
    assert.deepEqual(
      excerpt.functions.map(({ start, end }) => text.slice(start, end)),
      [pieces.asked.trimEnd()],
    );
    assert.equal(excerpt.text.length, text.length);
    for (const piece of ['macro', 'type', 'called', 'asked', 'sizes', 'launcher', 'main'] as const)
      assert.equal(excerpt.text.indexOf(pieces[piece]), text.indexOf(pieces[piece]), piece);
    for (const gone of ['unrelated(a[0])', 'return x;', 'int v7']) assert.equal(excerpt.text.indexOf(gone), -1, gone);
    assert.match(excerpt.text, /__global__ void other\(float \*a\) \{\s+\}/);
    assert.deepEqual(
      [...excerpt.text].flatMap((each, at) => (each === '\n' ? [at] : [])),
      [...text].flatMap((each, at) => (each === '\n' ? [at] : [])),
    );
  });

  it('leaves bodies with preprocessor directives unchanged', () => {
    const told = 'void settings() {\n#define SHAPE 32\n#pragma unroll\n  int a = SHAPE;\n}\n';
    const excerpt = excerptOf(`${told}${text}`, 'twice(a[threadIdx.x])')!;
    assert.ok(excerpt.text.startsWith(told));
    const unrolled = told.replace('#define SHAPE 32\n', '');
    assert.match(excerptOf(`${unrolled}${text}`, 'twice(a[threadIdx.x])')!.text, /^void settings\(\) \{\s+\}\n/);
  });

  it('is not made of host code, of nothing, or where it would be most of the text', () => {
    assert.equal(excerptOf(text, 'int v7'), undefined);
    assert.equal(excerptOf(text, '#define SIZE 64'), undefined);
    assert.equal(excerptAround('', 0, 0), undefined);
    assert.equal(excerptOf(Object.values(pieces).join(''), 'twice(a[threadIdx.x])'), undefined);
  });

  it('bears braces that do not match', () => {
    for (const broken of [text.replace('return 2.0f * x;\n}', 'return 2.0f * x;\n'), `${text}}}}`, `{{${text}`]) {
      const excerpt = excerptOf(broken, 'twice(a[threadIdx.x])');
      if (excerpt) assert.equal(excerpt.text.length, broken.length);
    }
  });
});
