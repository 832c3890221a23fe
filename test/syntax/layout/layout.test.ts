// The layout of lines that edits touch, by cases (`«text|replacement»` marks an edit) and over drawn lines.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { opaquesOf } from '../../../server/src/syntax/comments';
import { createLayout, type Replacement } from '../../../server/src/syntax/layout';
import { drawFrom } from '../../fixes/variations';

interface Case {
  readonly text: string;
  readonly edits: readonly Replacement[];
}

function read(marked: string): Case {
  const edits: Replacement[] = [];
  let text = '';
  let last = 0;
  for (const match of marked.matchAll(/«([^|»]*)\|([^»]*)»/g)) {
    text += marked.slice(last, match.index);
    edits.push({ start: text.length, end: text.length + match[1]!.length, newText: match[2]! });
    text += match[1]!;
    last = match.index + match[0].length;
  }
  return { text: text + marked.slice(last), edits };
}

function applied(text: string, edits: readonly Replacement[]): string {
  let result = '';
  let last = 0;
  for (const { start, end, newText } of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    ok(start >= last, 'edits overlap');
    result += text.slice(last, start) + newText;
    last = end;
  }
  return result + text.slice(last);
}

const made = ({ text, edits }: Case): string => applied(text, [...edits, ...createLayout(text).kept(edits)]);
const collapsed = (text: string): string => text.replace(/\s+/g, ' ');

describe('layout', () => {
  const file = readFileSync(join(__dirname, 'lines.cases'), 'utf8');
  for (const [, name, before, after] of file.matchAll(/^=== (.*)\n([\s\S]*?)^---\n([\s\S]*?)(?=^===|(?![\s\S]))/gm)) {
    it(name!, () => strictEqual(made(read(before!)), after));
    it(`${name}, with CRLF`, () => {
      const [marked, then] = [before!, after!].map((text) => text.replace(/\n/g, '\r\n'));
      strictEqual(made(read(marked!)), then);
    });
  }

  it('over drawn lines: only blanks change, no string does, and columns stay shared', () => {
    let changed = 0;
    for (let seed = 0; seed < 400; seed++) {
      const { marked, columns } = drawn(seed);
      const { text, edits } = read(marked);
      const plain = applied(text, edits);
      const kept = made({ text, edits });
      if (kept !== plain) changed++;
      strictEqual(collapsed(kept), collapsed(plain), marked);
      const stringsOf = (of: string): string[] => [...opaquesOf(of)].map(({ start, end }) => of.slice(start, end));
      deepStrictEqual(stringsOf(kept), stringsOf(plain), marked);
      for (const column of columns) {
        const places = kept
          .trimEnd()
          .split('\n')
          .map((line) => line.search(column));
        // Code that reaches the column has the fewest blanks behind it.
        const free = places.filter((_, line) => !reaches(kept.split('\n')[line]!, column));
        ok(!places.includes(-1) && new Set(free).size <= 1, `${column}\n${marked}\n${kept}`);
      }
      deepStrictEqual(createLayout(kept).kept([]), []);
    }
    ok(changed > 200, `${changed} of 400 had a layout to keep`);
  });
});

/** There is a single blank, or two, before what is in the column. */
function reaches(line: string, column: RegExp): boolean {
  return /\S {1,2}$/.test(line.slice(0, line.search(column)));
}

/** Lines in one column of each kind, with edits in them; `columns` find what shares one. */
function drawn(seed: number): { readonly marked: string; readonly columns: readonly RegExp[] } {
  const draw = drawFrom(seed);
  const lines = 2 + draw.below(4);
  const isMacro = draw.chance(0.3);
  const assigned = draw.chance(0.5);
  const length = (marked: string): number => marked.replace(/«([^|»]*)\|[^»]*»/g, '$1').length;
  const edited = (word: string): string => (draw.chance(0.5) ? `«${word}|${'w'.repeat(1 + draw.below(14))}»` : word);
  const heads = Array.from({ length: lines }, () => `  ${edited('abcdefgh'.slice(0, 1 + draw.below(8)))}`);
  const padded = (parts: readonly string[], gap: number): string[] => {
    const column = Math.max(...parts.map(length)) + gap;
    return parts.map((part) => part + ' '.repeat(column - length(part)));
  };
  // One head more than the others: blanks that are everywhere single are no alignment.
  const named = assigned ? padded(heads, 2).map((head) => `${head}= `) : heads;
  const coded = named.map((head, index) => {
    const value = draw.pick(['1', `f(${edited('x')}, "a  // b")`, `'"' + ${edited('yy')}`]);
    return `${head}${assigned ? '' : ' << '}${value} + v${index}_;`;
  });
  const ended = padded(coded, 1 + draw.below(3));
  const marks = ended.map((line, index) => `${line}${isMacro ? `/* c${index}_ */` : `// c${index}_`}`);
  const whole = isMacro ? padded(marks, 1 + draw.below(3)).map((line) => `${line}\\`) : marks;
  return {
    marked: [...whole, ''].join('\n'),
    columns: [/\/[/*] c\d_/, ...(isMacro ? [/\\$/] : []), ...(assigned ? [/(?<= )= /] : [])],
  };
}
