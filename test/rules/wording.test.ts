// How messages read: the first sentence stands alone, nothing of a template is left, and the guides' words are used.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { rulePage } from '../../server/src/rules/page';
import { registry } from '../../server/src/rules/registry';
import { assuming, gainText, offIdealText } from '../../server/src/rules/wording';
import type { Assumption } from '../../server/src/semantic/model';
import { manifest } from '../../tools/manifest';

/** What the list of problems shows of a message in a window of usual width. */
const longestFirstSentence = 100;
/** Words of ours for which the guides have others: an iteration of a loop, a fix. */
const oddWords = /(?<!in )\bturns?\b(?! (?:it|the|float|C|into|a)\b)|\b(?:un)?mend(?:s|ed|ing)?\b/i;

function sentence(message: string, example: Readonly<Record<string, string | number>>): string {
  return message.replace(/\{(\w+)\}/g, (_, name: string) => String(example[name] ?? ''));
}

describe('messages', () => {
  for (const { meta } of registry) {
    describe(meta.id, () => {
      const example: Readonly<Record<string, string | number>> = meta.example;
      for (const [id, message] of Object.entries(meta.messages as Readonly<Record<string, string>>)) {
        const text = sentence(message, example);
        it(`${id}: ${text}`, () => {
          const [first] = /^.*?[.?](?= |$)/.exec(text)!;
          assert.ok(first.length <= longestFirstSentence, `${first.length} characters: ${first}`);
          assert.match(text, /^[\p{Lu}\d`]/u, 'begins with a capital, a figure or a name');
          assert.match(text, /[.?]\)?$/);
          assert.doesNotMatch(text, / ,| \.|\.\.|``| {2}/, 'nothing is left out that has to be there');
          assert.doesNotMatch(text, oddWords);
        });
      }

      it('has a page that shows sentences and no template', () => {
        const page = rulePage(meta);
        assert.deepEqual(page.match(/.*(?:[⟨⟩]|\{\w+\}).*/g) ?? [], []);
        assert.deepEqual(
          page.replace(/allocate-each-turn/g, '').match(new RegExp(`.*(?:${oddWords.source}).*`, 'gi')) ?? [],
          [],
        );
      });
    });
  }

  it('assumptions read as a part of the sentence', () => {
    assert.equal(assuming([]), '');
    const block = { kind: 'block', block: [256, 1, 1], origin: 'guessed' } as const;
    assert.equal(assuming([block]), ', assuming a block of 256 threads');
    assert.equal(
      assuming([block, { kind: 'reached' }, { kind: 'stride', name: 'pitch', from: 8, otherwise: 1 }]),
      ', the most from `pitch` = 8 on, assuming a block of 256 threads and the branch is taken',
    );
  });
});

describe('what a user reads', () => {
  const root = join(__dirname, '..', '..');
  const found = (text: string): string[] => [
    ...(text.match(
      /.{0,30}\b(?:each|every|one|the|of|a|\d+) turns?\b(?! (?:it|into|gr[ea]y)\b)|.{0,30}\bmend(?:s|ed)?\b/gi,
    ) ?? []),
  ];
  const texts = [
    'README.md',
    'samples/README.md',
    'docs/profiling.md',
    'docs/measuring.md',
    ...readdirSync(join(root, 'media/walkthrough')).map((name) => `media/walkthrough/${name}`),
  ].filter((name) => name.endsWith('.md'));
  for (const name of texts)
    it(`${name} has the guides' words`, () => {
      const text = readFileSync(join(root, name), 'utf8');
      assert.notEqual(text.trim(), '');
      assert.doesNotMatch(text, /\d%/, 'a figure has a space before its unit');
      assert.doesNotMatch(
        text,
        /\b(?:each|every|one|the|of|a|\d+) turns?\b(?! (?:it|into|gr[ea]y)\b)|\bmend(?:s|ed)?\b/i,
      );
    });
  it('and so has package.json', () => {
    assert.deepEqual(found(JSON.stringify(manifest)), []);
  });
});

describe('figures', () => {
  const open: readonly Assumption[] = [{ kind: 'alignment' }];
  for (const [space, assumed, range, said] of [
    ['global', [], [8, 8], '8.0× sectors'],
    ['shared', [], [32, 32], '32.0× wavefronts'],
    ['global', open, [8, 8], '≈ 8.0× sectors'],
    ['global', open, [1, 8], '1–8× sectors'],
    ['global', [], [1.25, 2], '1.3–2× sectors'],
    ['global', [], [1, 1], undefined],
    ['global', open, [1, 1.04], undefined],
    ['global', [], undefined, undefined],
  ] as const)
    it(`${space} ${range?.join(' to ')}${assumed.length > 0 ? ', assumed' : ''}: ${said}`, () =>
      assert.equal(offIdealText({ space, assumed }, range), said));

  for (const [range, expected, said] of [
    [[1.2, 8], 2.1, 'gain 1.2–8.0×, expected 2.1×'],
    [[2.1, 2.1], 2.1, 'gain 2.1×'],
    [[1.2, Infinity], 1.6, 'gain at least 1.2×, expected 1.6×'],
    [[1, 1.3], undefined, 'gain 1.0–1.3×'],
  ] as const)
    it(said, () => assert.equal(gainText(range, expected), said));
});
