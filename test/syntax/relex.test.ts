// A text lexed again where it changed has the tokens and comments of the text lexed from its start.
import { deepStrictEqual, ok, strictEqual } from 'node:assert';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { relex } from '../../server/src/syntax/relex';
import { lex, type LexedText } from '../../server/src/syntax/tokens';
import { randomSource } from '../semantic/random/generate';

const folder = join(__dirname, '..', '..', 'samples');
const samples = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.cu'))
  .sort()
  .map((name) => readFileSync(join(folder, name), 'utf8'));

const pieces = [
  ...['"', "'", '/*', '*/', '//', '\\', '\\\n', '\n', '\r\n', ' ', '#', '#define X (', 'R"(', ')"', 'R"x(', 'u8'],
  ...['>', '<', '<<<', '>>>', '=', '-', '1e', '+', '.', '0x1p', 'a', '_b', 'int q = 1; ', "1'0", '\u00e9', '\u0000'],
];

function withoutPlaces({ tokens, comments, cut }: LexedText): unknown {
  return { tokens: tokens.map((token) => ({ ...token })), comments, cut };
}

describe('re-lexing', () => {
  it('gives what lexing gives, after 3,000 edits of the samples', () => {
    const next = randomSource(7);
    const upTo = (most: number): number => Math.floor(next() * (most + 1));
    let reused = 0;
    for (const sample of samples.slice(0, 20)) {
      let text = sample;
      let lexed = lex(text);
      for (let edit = 0; edit < 150; edit++) {
        const at = upTo(text.length);
        const gone = next() < 0.5 ? upTo(Math.min(12, text.length - at)) : 0;
        const added = next() < 0.3 && gone > 0 ? '' : pieces[upTo(pieces.length - 1)]!;
        const now = text.slice(0, at) + added + text.slice(at + gone);
        const list = lexed.tokens;
        lexed = relex(lexed, text, now);
        if (lexed.tokens === list) reused++;
        deepStrictEqual(withoutPlaces(lexed), withoutPlaces(lex(now)), JSON.stringify({ at, gone, added }));
        // What opens a comment or a string without end is taken back, so that there is something left to change.
        if (lexed.tokens.length < 40) {
          text = sample;
          lexed = lex(text);
        } else text = now;
      }
    }
    ok(reused > 2000, `${reused} edits kept their list of tokens`);
  });

  it('keeps the tokens before and behind a change', () => {
    const text = `${'int before;\n'.repeat(20)}int here;\n${'int after;\n'.repeat(20)}`;
    const lexed = lex(text);
    const [first, last] = [lexed.tokens[0], lexed.tokens.at(-1)];
    const now = relex(lexed, text, text.replace('here', 'there = 1'));
    strictEqual(now.tokens[0], first);
    strictEqual(now.tokens.at(-1), last);
    strictEqual(last!.end, text.length - 1 + 'there = 1'.length - 'here'.length);
    ok(lexed.spent, 'the old list is marked as spent');
  });

  it('reads what is pasted, and what is taken away, as a new text', () => {
    const many = 'a b c d e f g h i j\n'.repeat(1500);
    const text = `${'int before;\n'.repeat(20)}${'int after;\n'.repeat(20)}`;
    const pasted = text.replace('int after', `${many}int after`);
    const lexed = relex(lex(text), text, pasted);
    deepStrictEqual(lexed, lex(pasted));
    deepStrictEqual(withoutPlaces(relex(lexed, pasted, text)), withoutPlaces(lex(text)));
  });
});
