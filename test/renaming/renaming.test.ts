// No finding, severity or fix depends on what the user called a thing or wrote in a comment.
import { deepStrictEqual, notStrictEqual, strictEqual } from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { lint } from '../../server/src/lint/lint';
import { registry } from '../../server/src/rules/registry';
import { categoryOf, isLibraryClock, keepsToArguments } from '../../server/src/semantic/language/libraryFunctions';
import type { Workspace } from '../../server/src/workspace/workspace';
import { memoryUri, memoryWorkspace } from '../support/analyseText';
import { deep } from '../support/depth';
import { readFixture } from '../support/fixtureFile';
import { renamed } from '../support/renaming';

const folder = join(__dirname, '../../server/src/rules');
const language =
  /^(main|void|float|double|int|long|short|char|bool|unsigned|signed|size_t|auto|const|static|struct|class|using|typename|extern|inline|volatile|operator|return|if|for|while|do|template|namespace|restrict|__\w+|std|cuda\w*|u?int\d+_t|(u?(int|char|short|long)|float|double|half)[1-4]?|dim3)$/;
const isKnown = (name: string): boolean =>
  language.test(name) || categoryOf(name) !== undefined || isLibraryClock(name) || keepsToArguments(name);
const seeds = deep ? [1, 2, 3, 4] : [1];

describe('renaming', () => {
  let workspace: Workspace;
  const files = new Map<string, string>();
  let version = 0;
  before(async () => {
    workspace = await memoryWorkspace(files);
  });

  function said(name: string, text: string, back: (text: string) => string): unknown {
    const analysed = workspace.analyse(memoryUri(name), { text, version: ++version })!;
    return lint(analysed.model, text, { gpu: analysed.gpu }).findings.map((one) => ({
      rule: one.rule,
      message: one.message,
      severity: one.severity,
      confidence: one.confidence,
      at: [one.at.start, one.at.end],
      text: back(one.text),
      fixes: one.fixes.map((fix) => fix.edits.map(({ at, newText }) => [at.start, at.end, back(newText)])),
    }));
  }

  it('changes what it renames, and gives it back', () => {
    const text = 'void sweep(float *cells) { cells[0] = 1; } // a note\n';
    const other = renamed(text, 1, isKnown);
    notStrictEqual(other.text, text);
    strictEqual(other.text.length, text.length);
    strictEqual(other.back(other.text.replace(/\/\/.*/, '// a note')), text);
  });

  for (const rule of [
    'cuda/sync-in-loop',
    'cuda/alloc-in-loop',
    'cuda/launch-in-loop',
    ...registry.map(({ meta }) => meta.id),
  ].filter((id, at, all) => all.indexOf(id) === at))
    for (const name of readdirSync(join(folder, rule)).filter((each) => /^(bad|good)[^.]*\.(cu|c|cpp)$/.test(each)))
      it(`of ${rule}/${name} changes nothing`, () => {
        const { text } = readFixture(readFileSync(join(folder, rule, name), 'utf8'));
        for (const seed of seeds) {
          const other = renamed(text, seed, isKnown);
          deepStrictEqual(
            said(`x${seed}.${name.split('.').at(-1)!}`, other.text, other.back),
            said(name, text, String),
          );
        }
      });
});
