// Includes, predefined macros, settings and inactive branches.
import assert from 'node:assert/strict';
import { dumpFile } from './dump';
import { headers, newSyntax, NO_INCLUDES, parseText, SETTINGS, sharedSyntax } from './support';
import type { IncludeHost, SourceFile, TranslationUnit } from '../../server/src/syntax';

async function unitOf(text: string, host: IncludeHost): Promise<TranslationUnit> {
  const syntax = await newSyntax();
  return syntax.parse('file:///main.cu', text, 1, SETTINGS, host);
}

const names = (file: SourceFile): string[] => [
  ...file.globals.map((each) => each.name),
  ...file.functions.map((each) => each.name),
];

describe('the preprocessor', () => {
  it('defines what nvcc defines, and what the settings say', async () => {
    const text =
      '#if defined __CUDACC__ && __CUDA_ARCH__ == 800 && __cplusplus >= 201703L && __CUDACC_VER_MAJOR__ >= 12 && WIDTH == 4 && !defined __linux__\nint yes;\n#else\nint no;\n#endif\nint w[WIDTH];';
    const file = await parseText(text, { defines: { WIDTH: '4' }, undefines: ['__linux__'], computeCapability: 80 });
    assert.equal(dumpFile(file), 'global yes: int\nglobal w: [~4:int]int');
  });

  it('knows that C++ and C without CUDA are no CUDA', async () => {
    const syntax = await sharedSyntax();
    const text =
      '#ifdef __CUDACC__\nint cuda;\n#elif defined(_OPENACC) && !defined(__cplusplus)\nint acc_c;\n#elif defined _OPENACC\nint acc;\n#endif\n';
    assert.deepEqual(names(syntax.parse('file:///a.cpp', text, 1, SETTINGS, NO_INCLUDES).main), ['acc']);
    assert.deepEqual(names(syntax.parse('file:///a.c', text, 1, SETTINGS, NO_INCLUDES).main), ['acc_c']);
    assert.deepEqual(names(syntax.parse('file:///a.cuh', text, 1, SETTINGS, NO_INCLUDES).main), ['cuda']);
  });

  it('lists inactive branches as whole lines', async () => {
    const text =
      'int a;\n#if 0\nint b;\nint c;\n#else\nint d;\n#endif\n#ifdef X\nint e;\n#elif 1\nint f;\n#else\nint g;\n#endif\n#if 0\nint h;';
    const file = await parseText(text);
    assert.deepEqual(
      file.inactive.map((each) => text.slice(each.start, each.end)),
      ['int b;\nint c;\n', 'int e;\n', 'int g;\n', 'int h;'],
    );
    assert.deepEqual(names(file), ['a', 'd', 'f']);
  });

  it('leaves a nested condition in an inactive branch alone', async () => {
    const text = '#if 0\n#if 1\nint a;\n#else\nint b;\n#endif\n#endif\nint c;\n';
    const file = await parseText(text);
    assert.deepEqual(names(file), ['c']);
    assert.deepEqual(
      file.inactive.map((each) => text.slice(each.start, each.end)),
      ['#if 1\nint a;\n#else\nint b;\n#endif\n'],
    );
  });

  it('reads included files in order, each once, and lets their macros flow on', async () => {
    const host = headers({
      'a.h': '#ifndef A_H\n#define A_H\n#include "b.h"\n#define TILE (SIZE * 2)\nint in_a[SIZE];\n#endif\n',
      'b.h': '#pragma once\n#define SIZE 16\nint in_b;\n',
    });
    const unit = await unitOf(
      '#include "a.h"\n#include <b.h>\n#include "a.h"\n#include "missing.h"\n#include MISSING\nfloat t[TILE];\n',
      host,
    );
    assert.deepEqual(
      unit.files.map((each) => each.uri),
      ['file:///main.cu', 'file:///a.h', 'file:///b.h'],
    );
    assert.equal(dumpFile(unit.main), 'global t: [~(* ~16:int ~2:int)]float');
    assert.equal(dumpFile(unit.files[1]!), 'global in_a: [~16:int]int');
    assert.deepEqual(
      unit.main.includes.map(({ path, system, resolved }) => [path, system, resolved]),
      [
        ['a.h', false, 'file:///a.h'],
        ['b.h', true, 'file:///b.h'],
        ['a.h', false, 'file:///a.h'],
        ['missing.h', false, undefined],
      ],
    );
    assert.deepEqual(
      unit.files[2]!.macros.map((each) => each.name),
      ['SIZE'],
    );
  });

  it('reads a header under the macros defined before its include', async () => {
    const host = headers({ 'k.h': '#ifdef WIDE\nint wide;\n#else\nint narrow;\n#endif\n' });
    assert.deepEqual(names((await unitOf('#define WIDE\n#include "k.h"\n', host)).files[1]!), ['wide']);
    assert.deepEqual(names((await unitOf('#include "k.h"\n', host)).files[1]!), ['narrow']);
  });

  it('gives the same file object while neither the header nor its macros change', async () => {
    const syntax = await newSyntax();
    const files = { 'k.h': '#include "l.h"\nint k[N];\n', 'l.h': '#define N 3\n' };
    const parse = (text: string, changed: Record<string, string> = {}) =>
      syntax.parse('file:///main.cu', text, 1, SETTINGS, headers({ ...files, ...changed }));
    const first = parse('#include "k.h"\nint a;');
    const second = parse('#include "k.h"\nint b;');
    assert.equal(second.files[1], first.files[1]);
    const third = parse('#include "k.h"\nint b;', { 'l.h': '#define N 4\n' });
    assert.notEqual(third.files[1], first.files[1]);
    assert.equal(dumpFile(third.files[1]!), 'global k: [~4:int]int');
    const fourth = parse('#define M 1\n#include "k.h"\nint b;');
    assert.equal(dumpFile(fourth.files[1]!), 'global k: [~3:int]int');
  });

  it('survives files that include themselves and each other', async () => {
    const host = headers({
      'a.h': '#include "b.h"\nint a;\n',
      'b.h': '#include "a.h"\nint b;\n',
      'main.cu': '#include "main.cu"\nint m;\n',
    });
    const unit = await unitOf('#include "a.h"\n#include "main.cu"\nint m;\n', host);
    assert.deepEqual(
      unit.files.map((each) => each.uri),
      ['file:///main.cu', 'file:///a.h', 'file:///b.h'],
    );
    assert.deepEqual(names(unit.main), ['m']);
  });

  it('takes a host that throws for one that finds nothing', async () => {
    const unit = await unitOf('#include "a.h"\nint a;\n', {
      resolve: () => {
        throw new Error('no permission');
      },
    });
    assert.deepEqual(names(unit.main), ['a']);
  });

  it('lists definitions with their places', async () => {
    const text = '#define N 4\n#define F(a, ...)   a + \\\n  1 // one\n#undef N\n#define EMPTY\n';
    const file = await parseText(text);
    assert.deepEqual(
      file.macros.map(({ name, params, variadic, body, start }) => [
        name,
        params,
        variadic,
        body,
        text.slice(start, start + name.length),
      ]),
      [
        ['N', undefined, undefined, '4', 'N'],
        ['F', ['a', '__VA_ARGS__'], true, 'a + 1', 'F'],
        ['EMPTY', undefined, undefined, '', 'EMPTY'],
      ],
    );
  });
});
