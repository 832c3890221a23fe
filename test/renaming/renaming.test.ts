// No finding, severity or fix depends on what the user called a thing or wrote in a comment.
import { deepStrictEqual, notStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { registry } from '../../server/src/rules/registry';
import type { Syntax } from '../../server/src/syntax';
import { testSyntax } from '../support/analyseText';
import { deep, sampleOf } from '../support/depth';
import { readFixture } from '../support/fixtureFile';
import { differencesOf, programOf, renamed } from '../support/renaming';
import { readSampleFiles } from '../support/sampleFiles';

const folder = join(__dirname, '../../server/src/rules');
const seeds = deep ? [1, 2, 3, 4] : [1];
const kinds = /\.(cu|c|cpp)$/;
const fixtures = registry.flatMap(({ meta }) =>
  readdirSync(join(folder, meta.id))
    .filter((name) => kinds.test(name) && (deep || !/\.fixed\./.test(name)))
    .map((name) => join(folder, meta.id, name)),
);

describe('renaming', () => {
  let syntax: Syntax;
  before(async () => {
    syntax = await testSyntax();
  });

  it('changes what it renames, and nothing else', () => {
    const text = 'struct Cell { float heat; }; void sweep(Cell *cells, int n) { cells[n].heat = n; } // a note\n';
    const { files, names } = renamed(syntax, new Map([['/one.cu', text]]), 1);
    const other = [...files.values()][0]!;
    deepStrictEqual([...names.keys()].sort(), ['Cell', 'cells', 'heat', 'n', 'sweep']);
    strictEqual(other.length, text.length);
    notStrictEqual(other.split('//')[1], text.split('//')[1]);
    const old = new Map([...names].map(([from, to]) => [to, from]));
    strictEqual(
      other.split('//')[0]!.replace(/\w+/g, (word) => old.get(word) ?? word),
      text.split('//')[0],
    );
  });

  it('keeps members of unknown types, names of libraries and words of conditions', () => {
    const text =
      '#include <v.h>\n#ifdef FAST\n#endif\nint FAST; void run(Vec &v, int count) { int part = v.part; std::max(part, count); printf("x"); }\n';
    const { files } = renamed(syntax, new Map([['/one.cu', text]]), 1);
    const other = [...files.values()][0]!;
    for (const kept of ['ifdef FAST', 'int FAST', 'Vec &', '.part;', 'std::max', 'printf'])
      ok(other.includes(kept), kept);
    ok(!other.includes('int part') && !other.includes('void run'));
  });

  const compare = (files: ReadonlyMap<string, string>, path: string, beside?: ReadonlyMap<string, string>): void => {
    for (const seed of seeds) deepStrictEqual(differencesOf(syntax, files, path, seed, beside).differences, []);
  };

  for (const path of sampleOf(fixtures, 240))
    it(`of ${path.slice(folder.length + 1)} changes nothing`, () => {
      const makefile = path.replace(/(\.fixed)?\.\w+$/, '.Makefile');
      const beside = existsSync(makefile)
        ? new Map([[join(dirname(path), 'Makefile'), readFileSync(makefile, 'utf8')]])
        : undefined;
      compare(new Map([[path, readFixture(readFileSync(path, 'utf8')).text]]), path, beside);
    });

  const samples = readSampleFiles(/\.(cuh?|c|cpp|h)$/);
  for (const path of [...samples.keys()].filter((each) => kinds.test(each)))
    it(`of ${path.slice(path.indexOf('samples'))} changes nothing`, () => {
      compare(
        programOf(path, (each) => samples.get(each)),
        path,
      );
    });
});
