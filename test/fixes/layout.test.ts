// Fixes of several families keep the layout of their files: the first line of each program names its fix.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdits, fixAll } from '../../server/src/workspace/edits';
import { memoryUri } from '../support/analyseText';
import { readIn } from './variations';

const folder = join(__dirname, 'layout');
const uri = memoryUri('variation.cu');

describe('the layout of programs that fixes edit', () => {
  for (const name of readdirSync(folder).filter((each) => !each.includes('.fixed.'))) {
    it(name, async () => {
      const text = readFileSync(join(folder, name), 'utf8');
      const fixed = readFileSync(join(folder, name.replace('.cu', '.fixed.cu')), 'utf8');
      const title = new RegExp(/fix: (.*?)\r?\n/.exec(text)![1]!);
      const { findings } = await readIn(text);
      const chosen = findings.flatMap(({ fixes }) => fixes).find((fix) => title.test(fix.title));
      ok(chosen, findings.flatMap(({ fixes }) => fixes.map((fix) => fix.title)).join('\n'));
      ok(chosen.edits.some(({ layout }) => layout));
      strictEqual(applyEdits(text, chosen.edits, uri), fixed);
      // An editor makes each edit as it is.
      const asTheyAre = [...chosen.edits].sort((a, b) => b.at.start - a.at.start || b.at.end - a.at.end);
      const spliced = asTheyAre.reduce(
        (whole, { at, newText }) => whole.slice(0, at.start) + newText + whole.slice(at.end),
        text,
      );
      strictEqual(spliced, fixed);
      // Once made, alone or with others, it leaves nothing to move.
      const all = fixAll(
        text,
        uri,
        findings,
        () => [],
        (fix) => fix === chosen,
      );
      strictEqual(all.text, fixed);
      deepStrictEqual(all.edits.length, chosen.edits.length);
    });
  }
});
