// A header that one source read serves another where all that it asks for is as it was, by its tree.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { SourceFile, Syntax } from '../../server/src/syntax';
import { contentOf, headers, newSyntax, SETTINGS } from './support';
import { drawn } from '../support/depth';

const names = ['A', 'B', 'C', 'GUARD', 'CALL'] as const;
const files = ['one.h', 'two.h', 'three.h'] as const;

/** Lines of headers and sources: what they define, ask for, expand, and include. */
const line = fc.oneof(
  fc
    .record({ name: fc.constantFrom(...names), value: fc.constantFrom('1', '2', 'A', 'B + 1', '') })
    .map(({ name, value }) => `#define ${name} ${value}`),
  fc.constantFrom(...names).map((name) => `#undef ${name}`),
  fc.constantFrom(...names).map((name) => `#ifdef ${name}\nint has${name};\n#else\nint lacks${name};\n#endif`),
  fc.constantFrom(...names).map((name) => `#if ${name} + 0 > 1\nint large${name};\n#endif`),
  fc.constantFrom(...names).map((name) => `int made = ${name};`),
  fc.constant('#define TWICE(x) x x A'),
  fc.constant('int twice[] = {TWICE(B)};'),
  fc.constant('#pragma once'),
  fc.constantFrom(...files).map((file) => `#include "${file}"`),
);
const text = fc.array(line, { minLength: 1, maxLength: 8 }).map((lines) => `${lines.join('\n')}\n`);
const guarded = fc
  .tuple(fc.constantFrom(...files), text)
  .map(([file, body]) => `#ifndef ${file[0]!.toUpperCase()}_H\n#define ${file[0]!.toUpperCase()}_H\n${body}#endif\n`);
const library = fc.record({ 'one.h': fc.oneof(text, guarded), 'two.h': fc.oneof(text, guarded), 'three.h': text });

function parse(syntax: Syntax, uri: string, source: string, library: Readonly<Record<string, string>>): SourceFile[] {
  return [...syntax.parse(uri, source, 1, SETTINGS, headers(library)).files];
}

describe('headers that several sources include', function () {
  this.timeout(120_000);

  it('are to each source what they are to a parser that has read nothing', async () => {
    const kept = await newSyntax();
    const fresh = await newSyntax();
    fc.assert(
      fc.property(library, fc.array(text, { minLength: 2, maxLength: 4 }), (library, sources) => {
        for (const file of files) kept.forget(`file:///${file}`);
        for (const [at, source] of sources.entries()) {
          const uri = `file:///source${at}.cu`;
          for (const each of [uri, ...files.map((file) => `file:///${file}`)]) fresh.forget(each);
          kept.forget(uri);
          const [one, other] = [kept, fresh].map((syntax) => parse(syntax, uri, source, library).map(contentOf));
          assert.deepStrictEqual(one, other);
        }
      }),
      { numRuns: drawn(300, 5000) },
    );
  });

  /** The header as the second source sees it is the very tree that the first one made. */
  async function isShared(header: string, [first, second]: readonly [string, string]): Promise<boolean> {
    const syntax = await newSyntax();
    const [one, two] = [first, second].map((source, at) => {
      const read = parse(syntax, `file:///${at}.cu`, `${source}\n#include "a.h"\n`, {
        'a.h': header,
        'b.h': '#define B\n',
      });
      return read.find(({ uri }) => uri === 'file:///a.h');
    });
    return one === two;
  }

  const headerOfA = '#ifdef A\nint a;\n#endif\nint b = CALL;\n';
  const cases: readonly (readonly [string, string, readonly [string, string], boolean])[] = [
    ['macros that it does not name', headerOfA, ['', '#define OTHER 1\n'], true],
    ['one that it asks for', headerOfA, ['', '#define A\n'], false],
    ['one that its macro expands to', headerOfA, ['#define CALL D\n', '#define CALL D\n#define D 3\n'], false],
    ['one that it defines before it asks', `#define A\n${headerOfA}`, ['', '#define A 2\n'], true],
    ['one that it asks for before it defines it', `${headerOfA}#define A\n`, ['', '#define A 2\n'], false],
    ['one that it takes away first', `#undef A\n${headerOfA}`, ['', '#define A 2\n'], true],
    ['the guard of what it includes', '#include "b.h"\n#ifdef B\nint b;\n#endif\n', ['', '#define B 1\n'], true],
    ['what it includes was read before, and only once', '#include "b.h"\nint a;\n', ['', '#include "b.h"\n'], true],
  ];
  for (const [difference, header, sources, shared] of cases)
    it(`are ${shared ? '' : 'not '}shared by sources that differ in ${difference}`, async () => {
      assert.equal(await isShared(header, sources), shared);
    });
});
