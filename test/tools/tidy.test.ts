// The house is tidy, and tools/tidy.ts sees when it is not.
import { deepStrictEqual, match, ok, strictEqual } from 'node:assert/strict';
import { aboveCeiling } from '../../tools/ceilings';
import { complaints, sources } from '../../tools/tidy';
import { stillAbove } from '../../tools/tidyExceptions';

const one = (path: string, text: string): string[] => complaints(new Map([[path, text]]));
const opening = '// Says what this file is for.\n';

describe('tidy', () => {
  it('has nothing to complain about', () => {
    deepStrictEqual(complaints(sources()), []);
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

  it('holds each room to a ceiling that only falls', () => {
    const files = (lines: number, ceiling: object): Map<string, string> =>
      new Map([
        ['server/src/semantic/run/x.ts', 'x\n'.repeat(lines)],
        ['tools/ceilings.json', JSON.stringify(ceiling)],
      ]);
    const room = 'server/src/semantic/run';
    deepStrictEqual(
      aboveCeiling(files(7, { [room]: 7 }), () => ({ [room]: 9 })),
      [],
    );
    match(aboveCeiling(files(8, { [room]: 7 }), () => ({ [room]: 7 }))[0]!, /run: 8 lines, ceiling 7/);
    match(aboveCeiling(files(8, { [room]: 8 }), () => ({ [room]: 7 }))[0]!, /rises from 7 to 8/);
    match(aboveCeiling(files(8, {}), () => undefined)[0]!, /has no ceiling/);
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
});
