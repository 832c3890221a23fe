// The house is tidy, and tools/tidy.ts sees when it is not.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { type Ceilings, lowered, raises, raisesInHistory } from '../../tools/ceilings';
import { complaints, sources } from '../../tools/tidy';
import { stillAbove, stillKnotted } from '../../tools/tidyExceptions';

const one = (path: string, text: string): string[] => complaints(new Map([[path, text]]));
const opening = '// Says what this file is for.\n';

describe('tidy', () => {
  it('has nothing to complain about', () => {
    const files = sources();
    deepStrictEqual([...complaints(files), ...raisesInHistory(files)], []);
  });

  it('sees imports across the borders', () => {
    const bad: [string, string][] = [
      ['server/src/rules/cuda/x/rule.ts', "import { analyse } from '../../../semantic';"],
      ['server/src/rules/cuda/x/rule.ts', "import type { Expr } from '../../../syntax/ast';"],
      ['server/src/syntax/x.ts', "import type { Model } from '../semantic/model';"],
      ['server/src/semantic/x.ts', "import { lint } from '../lint/lint';"],
      ['server/src/lint/x.ts', "import { serve } from '../lsp';"],
      ['profiler/src/lines/x.ts', "import type { Model } from '../../../server/src/semantic/model';"],
      ['client/src/x.ts', "import { lint } from '../../server/src/lint/lint';"],
      ['cli/src/x.ts', "import { serve } from '../../server/src/lsp/serve';"],
      ['protocol/src/x.ts', "import type { Model } from '../../server/src/semantic/model';"],
      ['server/src/semantic/x.ts', "import { readFileSync } from 'node:fs';"],
      ['server/src/semantic/x.ts', "import { Parser } from 'web-tree-sitter';"],
      ['server/src/workspace/x.ts', "import { TextDocument } from 'vscode-languageserver-textdocument';"],
      ['server/src/lint/x.ts', "import * as vscode from 'vscode';"],
    ];
    for (const [path, text] of bad) strictEqual(one(path, `${opening}${text}\n`).length, 1, `${path}: ${text}`);
  });

  it('allows what the borders allow', () => {
    const good: [string, string][] = [
      [
        'server/src/rules/cuda/x/rule.ts',
        "import type { AccessFact } from '../../../semantic/model';\nimport { defineRule } from '../../rule';",
      ],
      ['server/src/lint/x.ts', "import { registry } from '../rules/registry';"],
      ['server/src/syntax/x.ts', "import { Parser } from 'web-tree-sitter';"],
      ['cli/src/x.ts', "import { readFileSync } from 'node:fs';\nimport { lint } from '../../server/src/lint/lint';"],
      ['client/src/x.ts', "import * as vscode from 'vscode';\nimport { open } from '../../profiler/src/report';"],
      ['server/src/workspace/x.ts', "import { join } from 'node:path';"],
    ];
    for (const [path, text] of good) deepStrictEqual(one(path, `${opening}${text}\n`), []);
  });

  it('sees files that do not say what they are for, names that say nothing, and what was left to do', () => {
    match(one('cli/src/x.ts', 'export const a = 1;\n')[0]!, /opens with one sentence/);
    match(one('cli/src/utils.ts', opening)[0]!, /name it after what it does/);
    match(one('cli/src/x.ts', `${opening}export class LintManager {}\n`)[0]!, /^cli\/src\/x\.ts:2: "LintManager"/);
    match(one('cli/src/x.ts', `${opening}// ${'TO'}DO later\n`)[0]!, /^cli\/src\/x\.ts:2: /);
    match(one('docs/x.md', `see ${'/wo'}rk/notes\n`)[0]!, /somebody's machine/);
  });

  it('sees avoided words in comments, strings and pages, and not in code', () => {
    const word = 'a' + 'new';
    match(one('client/src/x.ts', `${opening}// Read ${word}.\n`)[0]!, /^client\/src\/x\.ts:2: "anew": write "again"/);
    match(one('client/src/x.ts', `${opening}const a = 'read ${word}';\n`)[0]!, /:2: "anew"/);
    match(one('client/src/x.ts', `${opening}const a = \`\n\${b} read ${word}\`;\n`)[0]!, /:3: "anew"/);
    match(one('media/x.md', `Read ${word}.\n`)[0]!, /^media\/x\.md:1: "anew"/);
    const code = `${opening}const ${word} = /${word}/.test(b) ? \`\${${word}}\` : ${word};\n`;
    deepStrictEqual(one('client/src/x.ts', code), []);
    deepStrictEqual(one('client/src/x.ts', `${opening}// There is no file; it is no longer read.\n`), []);
    match(one('client/src/x.ts', `${opening}// This is no file.\n`)[0]!, /"is no"/);
  });

  it('keeps the order of the rooms of the analysis, and their doors', () => {
    const room = 'server/src/semantic';
    const door = [`${room}/races/index.ts`, "// The door of this room.\nexport { races } from './find';\n"] as const;
    const found = [`${room}/races/find.ts`, '// What is found here.\nexport const races = [];\n'] as const;
    const from = (path: string, target: string): string[] =>
      complaints(new Map([door, found, [path, `// It imports the other.\nimport type { A } from '${target}';\n`]]));
    deepStrictEqual(from(`${room}/kernels/a.ts`, '../races'), []);
    deepStrictEqual(from(`${room}/races/a.ts`, './find'), []);
    deepStrictEqual(from(`${room}/kernels/a.ts`, '../races/find'), [
      `${room}/kernels/a.ts: imports ${room}/races/find.ts: races is entered through its index.ts.`,
    ]);
    deepStrictEqual(from(`${room}/run/a.ts`, '../races'), [
      `${room}/run/a.ts: imports ${room}/races/index.ts: run comes before races.`,
    ]);
  });

  it('has at most so many imports left that go up', () => {
    ok(stillAbove.size <= 3, 'the list only gets shorter');
  });

  it('sees long files, wide lines and circles', () => {
    const lines = (count: number): string => opening + 'export {};\n'.repeat(count - 1);
    deepStrictEqual(one('cli/src/x.ts', lines(500)), []);
    match(one('cli/src/x.ts', lines(501))[0]!, /^cli\/src\/x\.ts: 501 lines, where 500 are the most/);
    deepStrictEqual(one('cli/src/x.ts', `${opening}// ${'…'.repeat(117)}\n`), [], 'columns, not bytes');
    match(one('tools/x.ts', `${opening}// ${'a'.repeat(118)}\n`)[0]!, /^tools\/x\.ts:2: 121 columns/);
    const circle = new Map([
      ['cli/src/a.ts', `${opening}import { b } from './b';\n`],
      ['cli/src/b.ts', `${opening}import type { C } from './c';\n`],
      ['cli/src/c.ts', `${opening}export * from './a';\n`],
      ['cli/src/d.ts', `${opening}import { a } from './a';\nimport { b } from './b';\n`],
    ]);
    deepStrictEqual(complaints(circle), [
      'cli/src/a.ts: imports itself in a circle: cli/src/a.ts > cli/src/b.ts > cli/src/c.ts > cli/src/a.ts.',
    ]);
  });

  it('sees parts of a room that import one another in a circle', () => {
    const room = 'server/src/semantic/run';
    const from = (path: string, target: string): [string, string] => [
      `${room}/${path}`,
      `${opening}import type { A } from '${target}';\n`,
    ];
    const files = [from('loose.ts', './part/b'), from('part/a.ts', './b'), from('part/b.ts', './a2')] as const;
    deepStrictEqual(complaints(new Map([...files, from('index.ts', './loose'), from('part/a2.ts', './c')])), []);
    const knotted = new Map([...files, from('other.ts', './loose'), from('part/a2.ts', '../other')]);
    ok(complaints(knotted).includes(`${room}: parts import one another in a circle: loose files, part.`));
  });

  it('reports knots of the exceptions that are gone, and has one left at most', () => {
    ok(stillKnotted.size <= 1, 'the list only gets shorter');
    for (const [room, parts] of stillKnotted)
      match(one(`${room}/index.ts`, opening).join(), new RegExp(`${room}: not knotted any more: ${parts.join(', ')}`));
  });

  it('holds each room, and the time of the unit tests, to a ceiling', () => {
    const run = 'server/src/semantic/run';
    const paths = [
      'server/src/main.ts',
      'server/src/semantic/model.ts',
      `${run}/a.ts`,
      `${run}/b/c.ts`,
      'cli/a.ts',
      'lab/a.ts',
    ];
    const found = (lines: object, milliseconds: number): string[] =>
      complaints(
        new Map([
          ...paths.map((path) => [path, opening] as const),
          ['test/support/weights.json', '{ "test/cli/": 2, "test/a.test.ts": 1.5, "test/b.test.ts": 2 }'],
          [
            'tools/ceilings.json',
            JSON.stringify({ lines, milliseconds: { 'test/support/weights.json': milliseconds } }),
          ],
        ]),
      );
    deepStrictEqual(found({ cli: 1, 'server/src': 1, 'server/src/semantic': 9, [run]: 2 }, 3500), []);
    deepStrictEqual(found({ cli: 0, 'server/src': 1, 'server/src/semantic': 1, [run]: 1 }, 3499), [
      `${run}: 2 lines, ceiling 1: delete what the change replaces.`,
      'cli: 1 lines, ceiling 0: delete what the change replaces.',
      'test/support/weights.json: 3,500 milliseconds, ceiling 3,499: delete what the change replaces.',
    ]);
    deepStrictEqual(found({ cli: 1, 'server/src': 1, [run]: 2 }, 3500), [
      'server/src/semantic: no ceiling: run npx tsx tools/tidy.ts --lower.',
    ]);
  });

  it('lowers ceilings, and lets none rise without a reason in the message of the commit', () => {
    const of = (lines: Record<string, number>): Ceilings => ({ lines, milliseconds: {} });
    deepStrictEqual(lowered(of({ a: 5, b: 5, gone: 5 }), of({ a: 4, b: 6, c: 1 })), of({ a: 4, b: 5, c: 1 }));
    const before = of({ a: 5, b: 5 });
    deepStrictEqual(raises(before, of({ a: 4, b: 5 }), ''), []);
    match(raises(before, of({ a: 1, b: 6 }), 'Move it').join(), /^tools\/ceilings\.json: b rises by 1 lines: only/);
    deepStrictEqual(raises(before, of({ a: 1, b: 6 }), 'Move it\n\nRaises b: takes the walk of a.'), []);
    deepStrictEqual(raises(before, of({ a: 1, b: 5, aa: 4 }), ''), [], 'a new room, as large as what went');
    strictEqual(raises(before, of({ a: 1, b: 5, aa: 5 }), '').length, 1);
    strictEqual(raises(before, of({ a: 1, b: 5, c: 4, d: 1 }), '').length, 1);
  });
});
