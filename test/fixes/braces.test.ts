// Fixes write braces where the file has them: the programs of the rules, with braces on their own lines.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdits } from '../../server/src/workspace/edits';
import { memoryUri } from '../support/analyseText';
import { readIn } from './variations';

const rules = join(__dirname, '../../server/src/rules/cuda');
const uri = memoryUri('variation.cu');
const folded = /^.*(?:\)|\belse|\bdo) \{$|\} else\b.*/m;

/** Braces and `else` on their own lines. */
function unfolded(text: string): string {
  return text
    .replace(/^\s*\/\/\s*\^.*\n/gm, '')
    .replace(/^([ \t]*)\} else/gm, '$1}\n$1else')
    .replace(/^([ \t]*)(.*\)|.*else|do|(?:typedef )?struct(?: \w+)?) \{( *\/\/.*)?$/gm, '$1$2$3\n$1{');
}

describe('braces that fixes write', () => {
  for (const rule of readdirSync(rules)) {
    const names = readdirSync(join(rules, rule)).filter((name) => /^bad.*\.cu$/.test(name) && !/fixed/.test(name));
    if (names.length === 0) continue;
    it(`are on their own lines where the others are: ${rule}`, async () => {
      for (const name of names) {
        const text = unfolded(readFileSync(join(rules, rule, name), 'utf8'));
        if (folded.test(text)) continue;
        for (const { fixes } of (await readIn(text)).findings)
          for (const { title, edits } of fixes) {
            const fixed = applyEdits(text, edits, uri);
            assert.equal(folded.exec(fixed ?? '')?.[0], undefined, `${name}: ${title}\n${fixed}`);
          }
      }
    });
  }
});
