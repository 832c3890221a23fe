// One fix for equal edits of one function: which are taken together, and which stay single.
import { deepStrictEqual } from 'node:assert/strict';
import { atEveryPlace } from '../../server/src/rules/everyPlace';
import type { Fix } from '../../server/src/rules/rule';

const uri = 'file:///a.cu';
const text = 'pow(x) pow(x) pow(y)';

interface Case {
  readonly title?: string;
  readonly start: number;
  readonly newText?: string;
  readonly within?: string;
  readonly rule?: string;
  readonly uri?: string;
  readonly alike?: Fix['alike'];
  readonly inFile?: true;
}

const finding = (one: Case): { rule: string; within?: string; fact: object; fixes: Fix[] } => ({
  rule: one.rule ?? 'cuda/a',
  ...(one.within === '' ? {} : { within: one.within ?? 'f' }),
  fact: {},
  fixes: [
    {
      title: one.title ?? 'Write `x` (≤ 1 ulp)',
      applicability: 'unsafe',
      ...(one.alike && { alike: one.alike }),
      ...(one.inFile && { inFile: one.inFile }),
      edits: [{ at: { uri: one.uri ?? uri, start: one.start, end: one.start + 6 }, newText: one.newText ?? 'x' }],
    },
  ],
});
const titles = (...cases: readonly Case[]): string[] =>
  atEveryPlace(cases.map(finding), uri, text).map(({ fixes }) => fixes[0]!.title);

describe('fixes of every place', () => {
  it('are one fix with the edits of all', () => {
    const [first] = atEveryPlace([finding({ start: 0 }), finding({ start: 7 })], uri, text);
    deepStrictEqual(
      first!.fixes.map(({ title, edits }) => [title, edits.map(({ at }) => at.start)]),
      [['Write `x` at 2 places (≤ 1 ulp)', [0, 7]]],
    );
  });

  const alike = { precondition: 'root', title: 'Write {count} roots' };
  it('are one fix of different edits that say they are alike', () => {
    const [first] = atEveryPlace(
      [finding({ start: 0, alike }), finding({ start: 14, newText: 'y', alike })],
      uri,
      text,
    );
    deepStrictEqual(
      first!.fixes.map(({ title, edits }) => [title, edits.map(({ newText }) => newText)]),
      [['Write 2 roots', ['x', 'y']]],
    );
    deepStrictEqual(first!.fixes[0]!.alike, undefined, 'said, and done');
  });

  it('write what they share once, and all that is written at one place in one edit', () => {
    const at = { uri, start: 0, end: 0 };
    const written = (own: string): { rule: string; within: string; fact: object; fixes: Fix[] } => ({
      ...finding({ start: 0 }),
      within: 'f',
      fixes: [{ title: own, applicability: 'safe', alike, edits: ['both;', own].map((newText) => ({ at, newText })) }],
    });
    const edits = (...all: readonly string[]): unknown =>
      atEveryPlace(all.map(written), uri, text)[0]!.fixes[0]!.edits.map(({ newText }) => newText);
    deepStrictEqual(edits('x;'), ['both;x;']);
    deepStrictEqual(edits('x;', 'y;'), ['both;x;y;']);
  });

  it('are one fix of a file where only the text counts', () => {
    const g = { start: 7, within: 'g', inFile: true } as const;
    const several = 'Write `x` at 2 places (≤ 1 ulp)';
    deepStrictEqual(titles({ start: 0, inFile: true }, g), [several, several]);
    deepStrictEqual(titles({ start: 0, inFile: true, alike }, { ...g, alike }), [several, several]);
    const here = { start: 14, newText: 'y', inFile: true, alike } as const;
    deepStrictEqual(titles({ start: 0, inFile: true, alike }, here, { ...g, alike }), [
      'Write 2 roots',
      'Write 2 roots',
      'Write `x` (≤ 1 ulp)',
    ]);
  });

  it('are one fix of the functions of a file that says they are alike in it', () => {
    const launches = { ...alike, inFile: true } as const;
    const [first, second] = titles(
      { start: 0, alike: launches },
      { start: 14, within: 'g', newText: 'y', alike: launches },
    );
    deepStrictEqual([first, second], ['Write 2 roots', 'Write 2 roots']);
  });

  const single: readonly (readonly [string, Case, Case])[] = [
    ['another rule', { start: 0 }, { start: 7, rule: 'cuda/b' }],
    ['another function', { start: 0 }, { start: 7, within: 'g' }],
    ['no function', { start: 0, within: '' }, { start: 7, within: '' }],
    ['another title', { start: 0 }, { start: 7, title: 'Write `x`' }],
    ['another text', { start: 0 }, { start: 14 }],
    ['another new text', { start: 0 }, { start: 7, newText: '(x)' }],
    ['removals', { start: 0, newText: '' }, { start: 7, newText: '' }],
    ['another file', { start: 0, uri: 'file:///b.cuh' }, { start: 7, uri: 'file:///b.cuh' }],
    ['one edit twice', { start: 0 }, { start: 0 }],
    ['another precondition', { start: 0, alike }, { start: 14, alike: { ...alike, precondition: 'power' } }],
    ['edits that overlap', { start: 0, alike }, { start: 3, alike }],
    ['a long title', { start: 0, title: 'x'.repeat(65) }, { start: 7, title: 'x'.repeat(65) }],
  ];
  for (const [what, a, b] of single)
    it(`stay single: ${what}`, () => {
      deepStrictEqual(titles(a, b), [finding(a).fixes[0]!.title, finding(b).fixes[0]!.title]);
    });
});
