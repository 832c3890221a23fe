// The comparison of versions is silent on changes without effect, and loud on fixes that are taken back.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { compareSides } from '../../cli/src/diff/analyse';
import { overlaid, type Sides } from '../../cli/src/diff/sides';
import { costsOf } from '../../cli/src/diff/words';
import type { Comparison } from '../../server/src/comparison/compare';
import { createSyntax, type Syntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { randomOf } from '../robustness/fuzz/random';
import { drawn } from '../support/depth';
import { sourcesOf } from '../transformations/corpus';
import { draws, transformations, transformed } from '../transformations/transformations';

const known = JSON.parse(readFileSync(join(__dirname, '../transformations/known.json'), 'utf8')) as {
  readonly single: Readonly<Record<string, readonly string[]>>;
};
/** Programs and pairs. */
const most = drawn(4, 60);

describe('the comparison of drawn versions', function () {
  this.timeout(60_000);
  let syntax: Syntax;
  const random = randomOf(5);
  before(async () => {
    syntax = await createSyntax(readGrammarFiles());
  });

  async function compared(path: string, before: string, after: string, headers: Iterable<[string, string]> = []) {
    const top = dirname(path);
    const texts = new Map([[path, { text: after, version: -2 }]]);
    for (const [name, text] of headers) texts.set(join(top, name), { text, version: -3 });
    const sides: Sides = {
      before: { label: 'before', files: overlaid(nodeFileSystem, new Map([[path, { text: before, version: -1 }]])) },
      after: { label: 'after', files: overlaid(nodeFileSystem, texts) },
      top,
      changed: [...texts.keys()].map((each) => (each === path ? { before: path, after: path } : { after: each })),
    };
    const settings = { analysis: {}, quiet: { paths: [], below: [] } };
    return (await compareSides(sides, settings, () => {}, syntax)).comparison;
  }
  const told = ({ changed, findings }: Comparison): string[] => [
    ...changed.map(({ after, metrics }) => `${after.name}: ${metrics.join()}`),
    ...findings.map(({ after }) => `${after.finding.severity} ${after.finding.rule}`),
  ];

  it('finds nothing in transformations that change nothing', async () => {
    const sources = sourcesOf();
    const phantoms: string[] = [];
    let made = 0;
    while (made < most) {
      const source = sources[random.below(sources.length)]!;
      const one = transformations[random.below(transformations.length)]!;
      // Their findings differ by themselves.
      if (known.single[one.name]?.includes(source.name)) continue;
      const program = transformed(syntax, source.text, one, draws(random.below(1000)));
      if (!program) continue;
      made++;
      const headers = [...(program.headers ?? [])].map(([name, { text }]): [string, string] => [name, text]);
      const found = told(await compared(source.path, source.text, program.main.text, headers));
      if (found.length > 0) phantoms.push(`${one.name}, ${source.name}: ${found.join('; ')}`);
    }
    deepStrictEqual(phantoms, []);
  });

  it('reports each fix that is taken back', async () => {
    const pairs = sourcesOf().filter(({ path }) => existsSync(path.replace(/\.cu$/, '.fixed.cu')));
    const missed: string[] = [];
    for (let made = 0; made < most; made++) {
      const { name, path, text } = pairs[random.below(pairs.length)]!;
      const comparison = await compared(path, readFileSync(path.replace(/\.cu$/, '.fixed.cu'), 'utf8'), text);
      const isTold = comparison.findings.length > 0 || comparison.changed.some((each) => costsOf(each).length > 0);
      if (!isTold) missed.push(`${name}: ${told(comparison).join('; ')}`);
    }
    ok(pairs.length > most);
    deepStrictEqual(missed, []);
  });
});
