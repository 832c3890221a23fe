// Which member of a list became which: by the first key that tells, in order, moved ones too.
import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { align } from '../../server/src/comparison/align';

const letters = (text: string): { letter: string }[] => [...text].map((letter) => ({ letter }));
const shown = (before: string, after: string): string => {
  const { pairs, gone, added } = align(letters(before), letters(after), [
    ({ letter }) => letter,
    ({ letter }) => letter.toLowerCase(),
  ]);
  const said = (list: readonly { letter: string }[]): string => list.map(({ letter }) => letter).join('');
  return `${pairs.map(([one, other]) => one.letter + other.letter).join(' ')} -${said(gone)} +${said(added)}`;
};

describe('align', () => {
  it('matches equal keys in order, then the next key on what is left', () => {
    strictEqual(shown('abc', 'abc'), 'aa bb cc - +');
    strictEqual(shown('abc', 'aXc'), 'aa cc -b +X');
    strictEqual(shown('abc', 'aBc'), 'aa bB cc - +');
    strictEqual(shown('aabA', 'Aa'), 'AA aa -ab +');
  });

  it('finds what moved past its neighbours', () => {
    strictEqual(shown('abc', 'cab'), 'cc aa bb - +');
  });

  it('pairs each member once, whatever the lists', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5)), fc.array(fc.nat(5)), (one, other) => {
        const before = one.map((value) => ({ value }));
        const after = other.map((value) => ({ value }));
        const { pairs, gone, added } = align(before, after, [({ value }) => `${value}`]);
        strictEqual(new Set(pairs.map(([each]) => each)).size + gone.length, before.length);
        strictEqual(new Set(pairs.map(([, each]) => each)).size + added.length, after.length);
        // As many as the keys allow.
        const most = [0, 1, 2, 3, 4, 5].reduce(
          (sum, value) =>
            sum + Math.min(one.filter((each) => each === value).length, other.filter((each) => each === value).length),
          0,
        );
        strictEqual(pairs.length, most);
        deepStrictEqual(
          pairs.map(([{ value }]) => value),
          pairs.map(([, { value }]) => value),
        );
      }),
    );
  });
});
