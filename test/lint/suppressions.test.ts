// Suppression comments are found where they are comments, and name what they silence.
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { findSuppressions } from '../../server/src/lint/suppressions';

const seen = (text: string): unknown[] =>
  findSuppressions(text).map((one) => ({
    scope: one.scope,
    rules: one.rules.map((rule) => rule.id),
    reason: one.reason,
    line: one.line,
  }));

describe('suppression comments', () => {
  it('name rules and a reason', () => {
    deepStrictEqual(
      seen('a[2 * i] = 0; // warplens-ignore-line cuda/uncoalesced-access, cuda/bank-conflict: small array\n'),
      [{ scope: 'line', rules: ['cuda/uncoalesced-access', 'cuda/bank-conflict'], reason: 'small array', line: 0 }],
    );
  });

  it('silence every rule when they name none', () => {
    deepStrictEqual(seen('x; /* warplens-ignore-line */'), [{ scope: 'line', rules: [], reason: '', line: 0 }]);
    deepStrictEqual(seen('// warplens-ignore-file: generated'), [
      { scope: 'file', rules: [], reason: 'generated', line: undefined },
    ]);
  });

  it('of the next line stand above one another and above other comments', () => {
    const text = [
      '// warplens-ignore-next-line cuda/a: one',
      '',
      '  // warplens-ignore-next-line cuda/b',
      '  // why this is so',
      '  code();',
    ].join('\n');
    deepStrictEqual(
      seen(text).map((one) => (one as { line: number }).line),
      [4, 4],
    );
  });

  it('count where they end in a comment of several lines', () => {
    deepStrictEqual(seen('/* text\n   warplens-ignore-next-line cuda/a: b\n   more */\ncode();'), [
      { scope: 'next-line', rules: ['cuda/a'], reason: 'b', line: 3 },
    ]);
  });

  it('are no comments inside strings, characters and raw strings, and digits parted by quotes open none', () => {
    strictEqual(
      seen('puts("// warplens-ignore-line"); char c = \'"\'; puts(R"x( // warplens-ignore-line )x");').length,
      0,
    );
    strictEqual(seen("int n = 1'000'000; // warplens-ignore-line").length, 1);
  });

  it('keep the places of their ids, CRLF or not', () => {
    const text = 'x;\r\ny; // warplens-ignore-line cuda/bank-conflikt\r\n';
    const [one] = findSuppressions(text);
    strictEqual(text.slice(one!.rules[0]!.start, one!.rules[0]!.end), 'cuda/bank-conflikt');
    strictEqual(one!.line, 1);
  });

  it('count for all lines of a directive, above it or behind its last line', () => {
    const lines = (text: string, fortran?: 'free' | 'fixed'): unknown =>
      findSuppressions(text, undefined, fortran).map((one) => one.directive);
    const whole = [{ first: 1, last: 2 }];
    deepStrictEqual(lines('// warplens-ignore-next-line\n#pragma acc parallel loop \\\r\n  copy(a)\n'), whole);
    deepStrictEqual(lines('\n  # pragma acc parallel loop \\\n  copy(a) // warplens-ignore-line\nx;'), whole);
    deepStrictEqual(
      lines('! warplens-ignore-next-line\n!$acc parallel loop & ! why\n!$acc copy(a)\ndo i = 1, n', 'free'),
      whole,
    );
    deepStrictEqual(lines('\n!$acc parallel loop &\n!$acc& copy(a) ! warplens-ignore-line\n', 'free'), whole);
    deepStrictEqual(
      lines('c warplens-ignore-next-line\nC$ACC PARALLEL LOOP\nC$ACC+ COPY(A)\nC$ACC LOOP\n', 'fixed'),
      whole,
    );
    deepStrictEqual(lines('\n#define A \\\n  b // warplens-ignore-line\n'), [undefined], 'a macro');
    deepStrictEqual(lines('! warplens-ignore-next-line\n!$acc loop\n!$acc loop\n', 'free'), [undefined]);
  });

  it('do not throw on broken text', () => {
    for (const text of [
      '/* warplens-ignore-line',
      '// warplens-ignore-',
      '"warplens-ignore-line',
      'R"(warplens-ignore-line',
      '\u0000// warplens-ignore-line \ud800',
    ])
      findSuppressions(text);
  });
});
