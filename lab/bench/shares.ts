// Holds predicted shares of lines in their kernels against hardware counters, and counts which bad lines are shown.
//
// npx tsx lab/bench/shares.ts --root FOLDER --truth LINES.jsonl [--verbose] [--json]
//
// The truth is that of accuracy.ts. Lines belong to the kernel that contains them; those of device functions to the
// functions of their file together. Per kernel with at least four counted lines of global memory: Spearman's rank
// correlation of the predicted with the measured sectors of its lines. Of the lines with 1.5 times the ideal sectors
// (wavefronts) and at least 5 % of their kernel's: how many stand within two lines of a warning or information, of a
// related place of one, or of a hint. Exit status: 0 whatever the figures, 2 for bad arguments.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { lint } from '../../server/src/lint/lint';
import { trafficOf } from '../../server/src/cost/traffic';
import type { Model } from '../../server/src/semantic/model';
import { createSyntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { lineTable } from '../../server/src/syntax/lines';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { createWorkspace } from '../../server/src/workspace/workspace';

interface TruthLine {
  readonly repo?: string;
  readonly file: string;
  readonly line: number;
  readonly l2Sectors?: number;
  readonly l2SectorsIdeal?: number;
  readonly wfShared?: number;
  readonly wfSharedIdeal?: number;
}
type Space = 'global' | 'shared';
interface Coverage {
  bad: number;
  shown: number;
  related: number;
  hinted: number;
}
const badFrom = 1.5;
const leastShare = 0.05;
const nearLines = 2;
const leastLines = 4;

function readTruth(path: string): Map<string, Map<number, TruthLine[]>> {
  const files = new Map<string, Map<number, TruthLine[]>>();
  for (const text of readFileSync(path, 'utf8').split('\n')) {
    if (!text.trim()) continue;
    const row = JSON.parse(text) as TruthLine;
    const key = JSON.stringify([row.repo ?? '', row.file]);
    const lines = files.get(key) ?? new Map<number, TruthLine[]>();
    files.set(key, lines);
    lines.set(row.line, [...(lines.get(row.line) ?? []), row]);
  }
  return files;
}

function folderOf(root: string, repository: string): string {
  if (!repository) return root;
  const whole = join(root, repository.replace('/', '+'));
  return existsSync(whole) ? whole : join(root, repository.slice(repository.indexOf('/') + 1));
}

function counted(rows: readonly TruthLine[], space: Space): { readonly part: number; readonly ideal: number } {
  const sum = (name: 'l2Sectors' | 'l2SectorsIdeal' | 'wfShared' | 'wfSharedIdeal'): number =>
    rows.reduce((total, row) => total + (row[name] ?? 0), 0);
  return space === 'global'
    ? { part: sum('l2Sectors'), ideal: sum('l2SectorsIdeal') }
    : { part: sum('wfShared'), ideal: sum('wfSharedIdeal') };
}

/** The kernel that contains a line (from 1); `-` for device functions. */
function kernelFinder(model: Model, text: string): (line: number) => string {
  const table = lineTable(text);
  const bodies = model.facts.kernel
    .filter(({ global }) => global)
    .map(({ name, at }) => ({
      name: `${name}@${at.start}`,
      first: table.positionAt(at.start).line + 1,
      last: table.positionAt(at.end).line + 1,
    }));
  return (line) => bodies.find(({ first, last }) => first <= line && line <= last)?.name ?? '-';
}

/** Ranks with ties at their mean. */
function ranksOf(values: readonly number[]): number[] {
  const order = values.map((value, at) => ({ value, at })).sort((a, b) => a.value - b.value);
  const ranks: number[] = [];
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to < order.length && order[to]!.value === order[from]!.value) to++;
    for (let at = from; at < to; at++) ranks[order[at]!.at] = (from + to - 1) / 2;
    from = to;
  }
  return ranks;
}

/** Spearman's rank correlation; undefined where one side has no order. */
export function spearman(left: readonly number[], right: readonly number[]): number | undefined {
  const a = ranksOf(left);
  const b = ranksOf(right);
  const mean = (a.length - 1) / 2;
  let both = 0;
  let squaresA = 0;
  let squaresB = 0;
  a.forEach((value, at) => {
    both += (value - mean) * (b[at]! - mean);
    squaresA += (value - mean) ** 2;
    squaresB += (b[at]! - mean) ** 2;
  });
  return squaresA > 0 && squaresB > 0 ? both / Math.sqrt(squaresA * squaresB) : undefined;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      root: { type: 'string' },
      truth: { type: 'string' },
      verbose: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  if (!values.root || !values.truth)
    throw new Error('usage: npx tsx lab/bench/shares.ts --root FOLDER --truth LINES.jsonl [--verbose] [--json]');
  for (const path of [values.root, values.truth])
    if (!existsSync(path)) throw new Error(`${path} is not there: name a folder of sources and a file of counters.`);
  const workspace = createWorkspace({ fileSystem: nodeFileSystem, syntax: await createSyntax(readGrammarFiles()) });
  const coverage: Record<Space, Coverage> = {
    global: { bad: 0, shown: 0, related: 0, hinted: 0 },
    shared: { bad: 0, shown: 0, related: 0, hinted: 0 },
  };
  const correlations: { readonly kernel: string; readonly lines: number; readonly rho: number }[] = [];
  let differences = 0;
  let compared = 0;
  for (const [key, rows] of readTruth(values.truth)) {
    const [repository, file] = JSON.parse(key) as [string, string];
    const path = join(folderOf(values.root, repository), file);
    const uri = pathToFileURL(path).href;
    const analysed = existsSync(path) ? workspace.analyse(uri) : undefined;
    if (!analysed) {
      console.error(`not read: ${path}`);
      continue;
    }
    const { model, text } = analysed;
    const table = lineTable(text);
    const lineOf = (offset: number): number => table.positionAt(offset).line + 1;
    const kernelOf = kernelFinder(model, text);
    const { findings } = lint(model, text, { gpu: analysed.gpu });
    for (const space of ['global', 'shared'] as const) {
      const rule = space === 'global' ? 'cuda/uncoalesced-access' : 'cuda/bank-conflict';
      const mine = findings.filter((finding) => finding.rule === rule);
      const loud = mine.filter(({ severity }) => severity === 'warning' || severity === 'information');
      const measured = new Map<string, Map<number, number>>();
      for (const [line, each] of rows) {
        const { part } = counted(each, space);
        if (part <= 0) continue;
        const kernel = kernelOf(line);
        measured.set(kernel, (measured.get(kernel) ?? new Map<number, number>()).set(line, part));
      }
      for (const [kernel, lines] of measured) {
        const whole = [...lines.values()].reduce((sum, part) => sum + part, 0);
        const predicted = new Map<number, number>();
        for (const fact of model.facts.access)
          if ((fact.space === 'shared') === (space === 'shared')) {
            const line = lineOf(fact.at.start);
            predicted.set(line, (predicted.get(line) ?? 0) + trafficOf(fact));
          }
        const total = [...lines.keys()].reduce((sum, line) => sum + (predicted.get(line) ?? 0), 0);
        if (kernel !== '-' && lines.size >= leastLines && total > 0 && space === 'global') {
          const all = [...lines.keys()];
          const guessed = all.map((line) => predicted.get(line) ?? 0);
          const seen = all.map((line) => lines.get(line)!);
          const rho = spearman(guessed, seen);
          if (rho !== undefined) correlations.push({ kernel: `${file} ${kernel}`, lines: all.length, rho });
          for (const line of all) {
            differences += Math.abs((predicted.get(line) ?? 0) / total - lines.get(line)! / whole);
            compared++;
          }
          if (values.verbose && rho !== undefined && rho < 0.5) {
            const percent = (part: number, of: number): string => ((100 * part) / of).toFixed(0);
            const each = all.map(
              (line) => `${line} ${percent(predicted.get(line) ?? 0, total)}/${percent(lines.get(line)!, whole)}`,
            );
            console.log(`${file} ${kernel} rho ${rho.toFixed(2)}: ${each.join(', ')}`);
          }
        }
        for (const [line, part] of lines) {
          const { ideal } = counted(rows.get(line)!, space);
          if (!ideal || part / ideal < badFrom || part < leastShare * whole) continue;
          const count = coverage[space];
          count.bad++;
          const near = (span: { readonly start: number; readonly end: number }): boolean =>
            lineOf(span.start) - nearLines <= line && line <= lineOf(span.end) + nearLines;
          if (loud.some(({ at }) => near(at))) count.shown++;
          else if (loud.some(({ places }) => (places ?? []).some((place) => near(place.at)))) count.related++;
          else if (mine.some(({ at }) => near(at))) {
            count.hinted++;
            if (values.verbose) console.log(`hint only ${space} ${file}:${line} ${(part / whole).toFixed(2)}`);
          } else if (values.verbose) console.log(`not shown ${space} ${file}:${line} ${(part / whole).toFixed(2)}`);
        }
      }
    }
    workspace.forget(uri);
  }
  const mean = correlations.reduce((sum, { rho }) => sum + rho, 0) / Math.max(1, correlations.length);
  const sorted = correlations.map(({ rho }) => rho).sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] ?? 0;
  const result = {
    kernels: correlations.length,
    mean,
    median,
    meanDifference: differences / Math.max(1, compared),
    coverage,
  };
  if (values.json) {
    console.log(JSON.stringify({ ...result, correlations }));
    return;
  }
  console.log(
    `${result.kernels} kernels of ${leastLines} counted lines and more: rank correlation of predicted and measured ` +
      `sectors by line, mean ${mean.toFixed(2)}, median ${median.toFixed(2)}; shares differ by ` +
      `${(100 * result.meanDifference).toFixed(1)} points on average`,
  );
  for (const space of ['global', 'shared'] as const) {
    const { bad, shown, related, hinted } = coverage[space];
    console.log(
      `${space}: ${bad} bad lines with 5 % of their kernel and more: ${shown} under a warning or information, ` +
        `${related} as a related place of one, ${hinted} under a hint alone, ` +
        `${bad - shown - related - hinted} not shown`,
    );
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
