// Fixes of several families keep the layout and the braces of their files.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { applyEdits, fixAll } from '../../server/src/workspace/edits';
import { memoryUri } from '../support/analyseText';
import { readIn } from './variations';

const uri = memoryUri('variation.cu');

describe('the layout of programs that fixes edit', () => {
  const files = ['layout', 'braces'].flatMap((of) => readdirSync(join(__dirname, of)).map((name) => join(of, name)));
  for (const name of files.filter((each) => !each.includes('.fixed.'))) {
    it(name, async () => {
      const text = readFileSync(join(__dirname, name), 'utf8');
      const fixed = readFileSync(join(__dirname, name.replace('.cu', '.fixed.cu')), 'utf8');
      const title = new RegExp(/fix: (.*?)\r?\n/.exec(text)![1]!);
      const { findings } = await readIn(text);
      const chosen = findings.flatMap(({ fixes }) => fixes).find((fix) => title.test(fix.title));
      ok(chosen, findings.flatMap(({ fixes }) => fixes.map((fix) => fix.title)).join('\n'));
      if (name.startsWith('layout')) ok(chosen.edits.some(({ layout }) => layout));
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
