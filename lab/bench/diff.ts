// Counts what a comparison of versions says of edits that change nothing, and of edits that cost the GPU.
//
//   npx tsx lab/bench/diff.ts --root FOLDER [--no-ops 1000] [--regressions 300] [--seed N] [--only KIND]
//   [--gate CONDITIONS] [--show]
//
// The gate is that of action.yml where none is given.
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { compareSides } from '../../cli/src/diff/analyse';
import { overlaid, type Sides } from '../../cli/src/diff/sides';
import { summaryOf, changeVerdict } from '../../cli/src/diff/words';
import { textOfDiff } from '../../cli/src/diff/text';
import { findSources, type Source } from '../../cli/src/source';
import type { Comparison } from '../../server/src/comparison/compare';
import { breachesOf, parseGate } from '../../server/src/comparison/gate';
import { createSyntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { randomOf } from '../../test/robustness/fuzz/random';
import { editedCode, noOps, pick, type EditedText } from './diffEdits';
import { regressions } from './diffRegressions';

function gateOfAction(): string {
  const text = readFileSync(join(__dirname, '..', '..', 'action.yml'), 'utf8');
  return /^ {2}gate:\n.*\n {4}default: (.*)$/m.exec(text)![1]!;
}

const { values } = parseArgs({
  options: {
    root: { type: 'string' },
    'no-ops': { type: 'string', default: '1000' },
    regressions: { type: 'string', default: '300' },
    seed: { type: 'string', default: '1' },
    only: { type: 'string' },
    gate: { type: 'string', default: gateOfAction() },
    show: { type: 'boolean', default: false },
  },
});

function sidesOf({ path, text }: Source, { text: edited, beside = [], renamed }: EditedText): Sides {
  const top = dirname(path);
  const after = renamed === undefined ? path : join(top, renamed);
  const now = new Map<string, { text: string; version: number } | undefined>([[path, undefined]]);
  now.set(after, { text: edited, version: -2 });
  for (const { name, text: own } of beside) now.set(join(top, name), { text: own, version: -3 - now.size });
  return {
    before: { label: 'before', files: overlaid(nodeFileSystem, new Map([[path, { text, version: -1 }]])) },
    after: { label: 'after', files: overlaid(nodeFileSystem, now) },
    top,
    changed: [{ before: path, after }, ...beside.map(({ name }) => ({ after: join(top, name) }))],
  };
}

/** A place that the comparison names lies on the edit's lines. */
function isTold({ changed, findings }: Comparison, name: string, [first, last]: readonly [number, number]): boolean {
  const isThere = (at: { readonly path: string; readonly first: number; readonly last: number }): boolean =>
    at.path === name && at.last >= first && at.first <= last;
  const one = (at: { readonly path: string; readonly line: number }) => ({
    path: at.path,
    first: at.line,
    last: at.line,
  });
  const places = [
    ...findings.map(({ after }) => one(after.at)),
    ...changed.flatMap(({ accesses, causes }) => [
      ...accesses.flatMap((access) => (access.after ? one(access.after.at) : [])),
      ...causes,
    ]),
  ];
  return places.some(isThere);
}

async function main(): Promise<void> {
  if (values.root === undefined) throw new Error('Name a folder with --root.');
  const all = findSources([values.root], () => {});
  const sources = all.filter(
    ({ path, text }) =>
      /\.cuh?$/.test(path) && !/-(hip|sycl|omp)\//.test(path) && text.includes('__global__') && text.length < 100_000,
  );
  const gate = parseGate(values.gate);
  if ('problem' in gate) throw new Error(gate.problem);
  const random = randomOf(Number(values.seed));
  const syntax = await createSyntax(readGrammarFiles());
  const run = async (source: Source, edit: EditedText): Promise<Comparison> => {
    const settings = {
      analysis: { gpu: 'auto', defines: {}, includeDirs: [], useCompileCommands: true },
      quiet: { paths: [], below: [] },
    };
    return (await compareSides(sidesOf(source, edit), settings, () => {}, syntax)).comparison;
  };
  for (const [title, kinds, wanted] of [
    ['no-op edits', noOps, Number(values['no-ops'])],
    ['regressions', regressions, Number(values.regressions)],
  ] as const) {
    const names = Object.keys(kinds).filter((name) => values.only === undefined || name === values.only);
    const tally = new Map(names.map((name) => [name, { made: 0, found: 0, placed: 0, gated: 0, better: 0, tries: 0 }]));
    const each = Math.ceil(wanted / Math.max(1, names.length));
    for (const name of names) {
      const counts = tally.get(name)!;
      // Some kinds have few places: not for ever.
      while (counts.made < each && counts.tries++ < each * 200) {
        const source = pick(sources, random)!;
        const edit =
          title === 'regressions'
            ? editedCode(kinds[name]!, source.text, random, syntax)
            : kinds[name]!(source.text, random, syntax);
        if (!edit || (edit.text === source.text && edit.renamed === undefined)) continue;
        // What includes the file names it, and may declare what it needs.
        const isIncluded = (): boolean => all.some(({ text }) => text.includes(`${basename(source.path)}"`));
        if ((edit.renamed !== undefined || /^(?:split|rename macro)$/.test(edit.kind)) && isIncluded()) continue;
        counts.made++;
        const comparison = await run(source, edit);
        // A transformation may add kernels.
        const added = name === 'transformation' ? 0 : comparison.added.length;
        const isChanged = comparison.changed.length + comparison.findings.length + added > 0;
        const isPlaced = isTold(comparison, basename(source.path), edit.lines);
        if (isChanged) counts.found++;
        if (isPlaced) counts.placed++;
        const breaches = breachesOf(gate, comparison);
        if (breaches.length > 0) counts.gated++;
        const isBetter = comparison.changed.some((each) => /^(?:faster|less|fewer|has more)/.test(changeVerdict(each)));
        if (isBetter && comparison.findings.length === 0) counts.better++;
        if (values.show && (title === 'no-op edits' ? isChanged : breaches.length === 0 || isBetter)) {
          console.log(`── ${edit.kind} ${source.path}:${edit.lines.join('–')} ${edit.kernel ?? ''}`);
          const told = { comparison, breaches, resourcesOf: () => undefined, labels: { before: '', after: '' } };
          console.log(textOfDiff({ ...told, summary: summaryOf(comparison, 1), notes: [] }, false));
        }
      }
    }
    console.log(`${title}`);
    for (const [name, { made, found, placed, gated, better }] of tally)
      console.log(
        `  ${name.padEnd(14)} ${made} made, ${found} found, ${gated} stopped by the gate${title === 'regressions' ? `, ${placed} at the place, ${better} as an improvement` : ''}`,
      );
    const sum = (key: 'made' | 'found' | 'placed' | 'gated'): number =>
      [...tally.values()].reduce((all, one) => all + one[key], 0);
    console.log(
      `  together       ${sum('made')} made, ${sum('found')} found, ${sum('gated')} stopped by the gate, ${sum('placed')} at the place`,
    );
  }
}

void main();
