// Edits are applied as said, refused where they conflict, and repeated until nothing is left.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { assert, property, array, nat, string, tuple } from 'fast-check';
import { applyEdits, compatibleFixes, conflict, fixAll } from '../../server/src/workspace/edits';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { keepLayout } from '../../server/src/semantic/fixes/writing/layout';
import type { Fix } from '../../server/src/rules/rule';
import type { Edit } from '../../server/src/semantic/model';

const uri = 'file:///a.cu';
const edit = (start: number, end: number, newText: string, inUri = uri): Edit => ({
  at: { uri: inUri, start, end },
  newText,
});
const finding = (
  start: number,
  edits: readonly Edit[],
  applicability: 'safe' | 'unsafe' = 'safe',
): ResolvedFinding => ({
  rule: 'cuda/test',
  message: 'm',
  text: '',
  severity: 'warning',
  at: { uri, start, end: start + 1 },
  related: [],
  confidence: 'proven',
  docsUrl: '',
  data: {},
  fixes: [{ title: 'fix', applicability, edits }],
});

describe('edits', () => {
  it('are made at once, whatever their order', () => {
    strictEqual(applyEdits('0123456789', [edit(8, 9, ''), edit(0, 2, 'ab'), edit(5, 5, '+')], uri), 'ab234+5679');
  });
  it('said twice are made once', () => {
    strictEqual(applyEdits('int x;', [edit(4, 5, 'y'), edit(4, 5, 'y')], uri), 'int y;');
  });
  for (const [name, width, next] of [
    ['file:///a.f90', 132, ' &\n!$acc '] as const,
    ['file:///a.f', 72, '\n!$acc& '] as const,
  ])
    it(`break a directive that only together they make longer than column ${width}`, () => {
      const line = `!$acc loop private(a) present(${'x'.repeat(width - 45)})`;
      const edits = [edit(20, 20, ', bcd', name), edit(line.length, line.length, ' worker(4)', name)];
      strictEqual(applyEdits(line, edits, name), `${line.replace('a)', 'a, bcd)')}${next}worker(4)`);
    });
  it('that overlap, insert at one place, or leave the text are refused', () => {
    strictEqual(applyEdits('0123', [edit(0, 2, 'a'), edit(1, 3, 'b')], uri), undefined);
    strictEqual(applyEdits('0123', [edit(1, 1, 'a'), edit(1, 1, 'b')], uri), undefined);
    strictEqual(applyEdits('0123', [edit(3, 9, 'a')], uri), undefined);
    strictEqual(applyEdits('0123', [edit(3, 2, 'a')], uri), undefined);
  });
  it('of other files are left out', () => {
    strictEqual(applyEdits('0123', [edit(0, 1, 'x', 'file:///b.cu')], uri), '0123');
  });
  it('that touch but do not overlap go together', () => {
    ok(!conflict(edit(0, 2, 'a'), edit(2, 4, 'b')));
    ok(conflict(edit(2, 2, 'a'), edit(2, 4, 'b')), 'an insertion before a replacement could go to either side of it');
  });

  it('of several fixes on one line keep its layout together', () => {
    const text = '  x = 1.0 + 2.0;    // one\n  y = 3;            // two\n';
    const suffixed = [text.indexOf(' + '), text.indexOf(';')].map((at) => finding(at, [edit(at, at, 'f')]));
    const found = keepLayout(suffixed, uri, text);
    const blanks = found.map(({ fixes }) => fixes[0]!.edits.filter(({ layout }) => layout));
    strictEqual(blanks.flat().length, 2);
    const fixed = '  x = 1.0f + 2.0f;  // one\n  y = 3;            // two\n';
    const result = fixAll(text, uri, found, () => []);
    deepStrictEqual([result.text, result.applied, result.rounds], [fixed, 2, 1]);
    // Editors make the edits of the round as they are.
    strictEqual(result.edits.length, 3);
    strictEqual(applyEdits(text, result.edits, uri), fixed);
  });

  it('that write lines behind code leave its comment there', () => {
    const text = '  f();  // why\n  g(); /* and */ h();\n';
    const inserted = ['f();', 'g();'].map((code) => {
      const at = text.indexOf(code) + code.length;
      return finding(at, [edit(at, at, '\n  wait();')]);
    });
    const found = keepLayout(inserted, uri, text).flatMap(({ fixes }) => fixes[0]!.edits);
    strictEqual(applyEdits(text, found, uri), '  f();  // why\n  wait();\n  g();\n  wait(); /* and */ h();\n');
    // Another edit there keeps both in the order of the fix.
    const end = text.indexOf('\n');
    const [both] = keepLayout([finding(6, [edit(6, 6, '\n  wait();'), edit(end, end, '!')])], uri, text);
    strictEqual(both!.fixes[0]!.edits[0]!.at.start, 6);
  });

  it('keep every character outside them (property)', () => {
    assert(
      property(
        string({ maxLength: 40 }),
        array(tuple(nat(40), nat(5), string({ maxLength: 3 })), { maxLength: 5 }),
        (text, raw) => {
          const edits = raw.map(([start, length, newText]) =>
            edit(Math.min(start, text.length), Math.min(start + length, text.length), newText),
          );
          const result = applyEdits(text, edits, uri);
          const distinct = [
            ...new Map(edits.map((one) => [`${one.at.start} ${one.at.end} ${one.newText}`, one])).values(),
          ];
          const conflicting = distinct.some((a, i) => distinct.some((b, j) => i < j && conflict(a, b)));
          strictEqual(result === undefined, conflicting);
          if (result !== undefined)
            strictEqual(
              result.length,
              text.length + distinct.reduce((sum, one) => sum + one.newText.length - (one.at.end - one.at.start), 0),
            );
        },
      ),
    );
  });
});

describe('fix all', () => {
  it('takes the first fix of each finding and leaves out what conflicts', () => {
    const fixes = compatibleFixes(
      [finding(0, [edit(0, 2, 'a')]), finding(1, [edit(1, 3, 'b')]), finding(4, [edit(4, 5, 'c')])],
      () => true,
    );
    deepStrictEqual(
      fixes.map((fix) => fix.edits[0]!.newText),
      ['a', 'c'],
    );
  });
  it('goes on until nothing is left, and takes only what is eligible', () => {
    const relint = (text: string): ResolvedFinding[] =>
      [...text.matchAll(/x/g)]
        .map((match) => finding(match.index, [edit(match.index, match.index + 1, 'y')]))
        .slice(0, 2);
    const { edits, ...result } = fixAll('xxxxx', uri, relint('xxxxx'), relint);
    strictEqual(edits.length, 2, 'those of the first round');
    deepStrictEqual(result, {
      text: 'yyyyy',
      applied: 5,
      rounds: 3,
      converged: true,
      refused: [],
    });
    const unsafe = [finding(0, [edit(0, 1, 'y')], 'unsafe')];
    deepStrictEqual(
      fixAll('x', uri, unsafe, () => unsafe),
      { text: 'x', applied: 0, rounds: 0, edits: [], converged: true, refused: [] },
    );
  });
  it('ends where fixes chase each other', () => {
    const relint = (text: string): ResolvedFinding[] => [finding(0, [edit(0, 1, text[0] === 'a' ? 'b' : 'a')])];
    const result = fixAll('a', uri, relint('a'), relint);
    ok(!result.converged && result.rounds <= 10);
  });
  it('names each fix that a trial refuses, with its reason, where its finding goes with that of another, too', () => {
    const findings = [finding(0, [edit(0, 1, 'y')]), finding(2, [edit(2, 3, 'z')])];
    const refused = { refused: 'the kernel takes as long' };
    const tried = { of: (_: string, { at }: ResolvedFinding, fix: Fix) => (at.start === 0 ? refused : { fix }) };
    for (const later of [findings.slice(0, 1), []]) {
      const result = fixAll('x x', uri, findings, () => later, undefined, tried);
      const reasons = result.refused.map(({ reason }) => reason);
      deepStrictEqual([result.text, reasons], ['x z', ['the kernel takes as long']]);
    }
  });
  it('leaves fixes alone that reach into other files', () => {
    const findings = [finding(0, [edit(0, 1, 'y'), edit(0, 1, 'z', 'file:///b.cuh')])];
    const { text, refused } = fixAll('x', uri, findings, () => findings);
    deepStrictEqual([text, refused[0]?.reason], ['x', 'it edits `b.cuh`']);
  });
  it('names those also where their finding goes with another fix, at its place in the text that had it', () => {
    const shorter = finding(0, [edit(0, 6, '')]);
    const elsewhere = finding(7, [edit(7, 8, 'y'), edit(0, 1, 'z', 'file:///b.cuh')]);
    for (const [later, place, text] of [
      [[], 7, 'a();\n\nx'],
      [[{ ...elsewhere, at: { uri, start: 0, end: 1 } }], 0, 'x'],
    ] as const) {
      const { refused } = fixAll('a();\n\nx', uri, [shorter, elsewhere], () => later);
      const named = refused.map((one) => [one.finding.at.start, one.text, one.reason]);
      deepStrictEqual(named, [[place, text, 'it edits `b.cuh`']]);
    }
  });
  it('names each fix that another one took the place of, unless it is made later', () => {
    const findings = [finding(0, [edit(0, 2, 'yy')]), finding(0, [edit(0, 1, 'z')])];
    const reasonsOf = (later: ResolvedFinding[]): string[] =>
      fixAll('xx', uri, findings, (text) => (text === 'yy' ? later : [])).refused.map(({ reason }) => reason);
    deepStrictEqual(reasonsOf([]), ['"fix" was made there']);
    deepStrictEqual(reasonsOf([findings[1]!]), []);
  });
});
