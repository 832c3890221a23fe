// Nothing that is in a file may make the parser throw, hang or run out of stack.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { lineTable } from '../../server/src/syntax';
import { headers, NO_INCLUDES, parseText, SETTINGS, sharedSyntax } from './support';
import { drawn, inTime } from '../support/depth';

const deep = (open: string, close: string, count: number): string => open.repeat(count) + close.repeat(count);

const FILES: Readonly<Record<string, string>> = {
  nothing: '',
  'a byte order mark': '\ufeff',
  binary: Array.from({ length: 20_000 }, (_, at) => String.fromCharCode((at * 7919) % 256)).join(''),
  'half a surrogate': 'void f() { x = "\ud83d"; \udc00 y; }\n/* \ud83d',
  'a thousand nested blocks': `void f() ${deep('{', '}', 1000)}`,
  'ten thousand parentheses': `void f() { x = ${deep('(', ')', 10_000)}; }`,
  'ten thousand open braces': `void f() ${'{'.repeat(10_000)}`,
  'ten thousand terms': `void f() { x = ${'a + '.repeat(10_000)}a; }`,
  'ten thousand ifs in a row of elses': `void f() { ${'if (a) b(); else '.repeat(10_000)} c(); }`,
  'five thousand nested calls': `void f() { ${'g('.repeat(5000)}${')'.repeat(5000)}; }`,
  'five thousand pointers': `int ${'*'.repeat(5000)}p;`,
  'five thousand array dimensions': `int a${'[1]'.repeat(5000)};`,
  'five thousand nested templates': `${'A<'.repeat(5000)}int${'>'.repeat(5000)} x;`,
  'five thousand nested lambdas': `void f() { ${'[=]{ '.repeat(5000)}${'}'.repeat(5000)}; }`,
  'a thousand nested structs': `${'struct S { '.repeat(1000)}${'};'.repeat(1000)}`,
  'a thousand namespaces': `${'namespace n { '.repeat(1000)}int x;${'}'.repeat(1000)}`,
  'a thousand nested conditions': `${'#if 1\n'.repeat(1000)}int x;\n${'#endif\n'.repeat(1000)}`,
  'conditions that never open': '#endif\n#else\n#elif 1\nint x;\n',
  'ten thousand operators in a condition': `#if ${'!'.repeat(10_000)}1\n#endif\n#if ${'('.repeat(10_000)}1\n#endif\nint x;`,
  'a macro bomb':
    Array.from({ length: 40 }, (_, at) => `#define A${at + 1} A${at} A${at}`).join('\n') +
    '\n#define A0 x\nvoid f() { A40; }\nvoid g() { A3; }',
  'a function macro bomb':
    '#define D(x) x x\n#define E(x) D(D(D(D(D(D(D(D(x))))))))\n#define F(x) E(E(E(E(x))))\nvoid f() { F(F(F(a;))) }',
  'macros that call each other':
    '#define A B\n#define B C\n#define C A\n#define F(x) G(x)\n#define G(x) F(x)\nint A, F(1);',
  'macro arguments that never end': `#define F(x) x\n${'F('.repeat(3000)}`,
  'pasting nonsense':
    '#define P(a, b) a ## b\n#define Q ## x ##\n#define R(...) # __VA_ARGS__ #\nP(,) P(+, -) P(1, ") Q R(a) int x;',
  'lone directives':
    '#\n#define\n#define 3\n#undef\n#include\n#include <\n#pragma\n#if\n#elif\n#ifdef\n#endif\n# 33 "file.c"\n#define F(\n#define G(a\nint x;',
  'unbalanced everything': '{ ( [ < } ) ] > " \' /* */ */ // \\\n { #if \n }',
  'only operators': '+-*/%^&|~!=<>?:;,.()[]{}'.repeat(200),
  'a very long line': `void f() { ${'x = x + 1; '.repeat(20_000)}}`,
  'a very long name': `void ${'n'.repeat(200_000)}() {}`,
  'templates that never close': `${'template <'.repeat(500)}void f();`,
  'kernels that never launch': `void f() { ${'k<<<'.repeat(500)} }`,
};

describe('hostile input', function () {
  this.timeout(60_000);

  for (const [title, text] of Object.entries(FILES)) {
    it(`${title} is read within seconds`, async () => {
      const began = performance.now();
      const file = await parseText(text);
      const took = performance.now() - began;
      assert.equal(file.text, text);
      inTime(took, 20_000);
      // What comes out must be shallow enough for those who walk it by recursion.
      assert.doesNotThrow(() => JSON.stringify(file));
    });
  }

  it('five megabytes are refused as one error', async () => {
    const one = 'static __device__ float f(float* a, int i) { if (i < 10) a[i] += 2.0f * a[i + 1]; return a[i]; }\n';
    const text = one.repeat(Math.ceil(5_000_000 / one.length));
    const file = await parseText(text);
    assert.deepEqual(file.errors, [{ start: 0, end: text.length }]);
  });

  it('a table of a hundred thousand numbers is left out, its variable is not', async () => {
    const file = await parseText(`const int table[] = {${'1, '.repeat(100_000)}};\nint after;`);
    assert.deepEqual(
      file.globals.map((each) => [each.name, each.init?.kind]),
      [
        ['table', 'opaque'],
        ['after', undefined],
      ],
    );
    assert.equal(file.errors.length, 0);
  });

  it('half a megabyte of small functions is read within seconds', async () => {
    const text =
      'static __device__ float f(float* a, int i) { if (i < 10) a[i] += 2.0f * a[i + 1]; return a[i]; }\n'.repeat(5000);
    const began = performance.now();
    const file = await parseText(text);
    inTime(performance.now() - began, 30_000);
    assert.equal(file.functions.length, 5000);
    assert.equal(new Set(file.functions.map((each) => each.key)).size, 5000);
  });

  it('any text at all is read, and read again after an edit', async () => {
    const syntax = await sharedSyntax();
    const piece = fc.oneof(
      fc.constantFrom(
        '#if ',
        '#define A',
        '#endif\n',
        ...`\n{}();"'\\#A`,
        ' int ',
        ' x ',
        '__global__ ',
        'template<',
        '<<<',
        '>>>',
        '/*',
        '*/',
        '//',
        '##',
        '...',
        '(A)',
        'struct ',
        'case ',
        'for',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.array(piece, { maxLength: 20 }), (one, two) => {
        const text = one.join('');
        const first = syntax.parse('file:///any.cu', text, 1, SETTINGS, headers({ x: two.join('') }));
        const second = syntax.parse('file:///any.cu', text + two.join(''), 2, SETTINGS, NO_INCLUDES);
        for (const unit of [first, second])
          for (const node of [...unit.main.errors, ...unit.main.inactive, ...unit.main.comments])
            assert.ok(node.start <= node.end && node.end <= unit.main.text.length);
      }),
      { numRuns: Number(process.env.WARPLENS_PROPERTY_RUNS ?? drawn(60, 200)) },
    );
  });
});

describe('line tables', () => {
  it('turn offsets into lines and columns and back, whatever the line ends', () => {
    const text = 'ab\r\ncd\n\nef\rg😀';
    const table = lineTable(text);
    assert.equal(table.lineCount, 5);
    for (let offset = 0; offset <= text.length; offset++) {
      if (text[offset] === '\n' && text[offset - 1] === '\r') continue;
      assert.equal(table.offsetAt(table.positionAt(offset)), offset);
    }
    assert.deepEqual(table.positionAt(4), { line: 1, character: 0 });
    assert.deepEqual(table.positionAt(99), { line: 4, character: 3 });
    assert.equal(table.offsetAt({ line: 0, character: 99 }), 2);
    assert.equal(table.offsetAt({ line: 9, character: 0 }), text.length);
    assert.deepEqual(table.lineSpan(3), { start: 8, end: 10 });
  });
});
