// Holds the model against hardware counters per source line: npx tsx tools/bench/accuracy.ts --root FOLDER --truth
// LINES.jsonl [--program NAME] [--verbose] [--json]
//
// The truth is one JSON object a line: { file, line, l2Sectors, l2SectorsIdeal, wfShared, wfSharedIdeal } summed over
// the profiled launches, `file` relative to the root. `warplens report --format json` gives such numbers. A claim
// counts as right when a line within the statement or two lines of it shows at least 1.4 times the ideal; a line with
// 1.5 times or more is a hit when a claim stands as near; a figure is exact within 2 %.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { AccessFact } from '../../server/src/semantic/model';
import { createSyntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { createWorkspace } from '../../server/src/workspace/workspace';

interface TruthLine {
  file: string;
  line: number;
  l2Sectors?: number;
  l2SectorsIdeal?: number;
  wfShared?: number;
  wfSharedIdeal?: number;
}
interface Score {
  bad: number;
  hit: number;
  claims: number;
  right: number;
  exact: number;
  exactRight: number;
  figures: number;
  figuresRight: number;
}
type Space = 'global' | 'shared';

const claimedFrom = 1.5;

function readTruth(path: string): Map<string, Map<number, TruthLine>> {
  const files = new Map<string, Map<number, TruthLine>>();
  for (const text of readFileSync(path, 'utf8').split('\n')) {
    if (!text.trim()) continue;
    const row = JSON.parse(text) as TruthLine;
    const lines = files.get(row.file) ?? new Map<number, TruthLine>();
    files.set(row.file, lines);
    const known = lines.get(row.line);
    if (!known) {
      lines.set(row.line, { ...row });
      continue;
    }
    for (const name of ['l2Sectors', 'l2SectorsIdeal', 'wfShared', 'wfSharedIdeal'] as const)
      if (row[name]) known[name] = (known[name] ?? 0) + row[name]!;
  }
  return files;
}

function measured(row: TruthLine | undefined, space: Space): number | undefined {
  const [part, ideal] =
    space === 'global' ? [row?.l2Sectors, row?.l2SectorsIdeal] : [row?.wfShared, row?.wfSharedIdeal];
  return part && ideal ? part / ideal : undefined;
}
function predicted(fact: AccessFact): number | undefined {
  const [part, ideal] =
    fact.space === 'shared' ? [fact.wavefronts, fact.wavefrontsIdeal] : [fact.sectors, fact.sectorsIdeal];
  return part === undefined || !ideal ? undefined : part / ideal;
}
function isClaim(fact: AccessFact): boolean {
  if (fact.gather)
    return fact.gather.sectorsAtMost >= claimedFrom * Math.ceil((fact.activeLanes * fact.elementBytes) / 32);
  return fact.cause !== 'misaligned' && (predicted(fact) ?? 1) >= claimedFrom;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      root: { type: 'string' },
      truth: { type: 'string' },
      program: { type: 'string' },
      verbose: { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  if (!values.root || !values.truth) {
    console.error(
      'usage: npx tsx tools/bench/accuracy.ts --root FOLDER --truth LINES.jsonl [--program NAME] [--verbose] [--json]',
    );
    process.exitCode = 2;
    return;
  }
  const workspace = createWorkspace({ fileSystem: nodeFileSystem, syntax: await createSyntax(readGrammarFiles()) });
  const scores: Record<Space, Map<string, Score>> = { global: new Map(), shared: new Map() };
  for (const [file, truth] of readTruth(values.truth)) {
    const path = join(values.root, file);
    if ((values.program && !file.includes(values.program)) || !existsSync(path)) continue;
    const uri = pathToFileURL(path).href;
    const analysed = workspace.analyse(uri);
    if (!analysed) continue;
    const starts = [0];
    for (let at = analysed.text.indexOf('\n'); at >= 0; at = analysed.text.indexOf('\n', at + 1)) starts.push(at + 1);
    const lineOf = (offset: number): number => {
      let low = 0;
      let high = starts.length;
      while (high - low > 1) {
        const middle = (low + high) >> 1;
        if (starts[middle]! <= offset) low = middle;
        else high = middle;
      }
      return low + 1;
    };
    const program = file.split('/').find((part) => part.endsWith('-cuda')) ?? file;
    for (const space of ['global', 'shared'] as const) {
      const score = scores[space].get(program) ?? {
        bad: 0,
        hit: 0,
        claims: 0,
        right: 0,
        exact: 0,
        exactRight: 0,
        figures: 0,
        figuresRight: 0,
      };
      scores[space].set(program, score);
      const say = (what: string, line: number, text: string): void => {
        if (values.verbose) console.log(`${what} ${space} ${file}:${line} ${text}`);
      };
      const facts = analysed.model.facts.access
        .filter((fact) => fact.space === space)
        .map((fact) => ({ fact, first: lineOf(fact.at.start), last: lineOf(fact.at.end) }));
      for (const [line, row] of truth) {
        const ratio = measured(row, space);
        if (ratio === undefined || ratio < claimedFrom) continue;
        score.bad++;
        if (facts.some(({ fact, first, last }) => isClaim(fact) && first - 2 <= line && last + 2 >= line)) score.hit++;
        else say('missed', line, ratio.toFixed(2));
      }
      for (const line of new Set(facts.map(({ first }) => first))) {
        const here = facts.filter(({ first }) => first === line);
        const near: number[] = [];
        for (let each = line - 2; each <= Math.max(...here.map(({ last }) => last)) + 2; each++) {
          const ratio = measured(truth.get(each), space);
          if (ratio !== undefined) near.push(ratio);
        }
        if (near.length && here.some(({ fact }) => isClaim(fact))) {
          score.claims++;
          if (near.some((ratio) => ratio >= 1.4)) score.right++;
          else say('wrong', line, near.map((ratio) => ratio.toFixed(2)).join(' '));
        }
        const ratio = measured(truth.get(line), space);
        const figures = here.filter(({ fact }) => predicted(fact) !== undefined);
        if (ratio === undefined || !figures.length) continue;
        const sum = (pick: (fact: AccessFact) => number): number =>
          figures.reduce((total, { fact }) => total + pick(fact) * Math.max(1, fact.executions), 0);
        const mine =
          sum((fact) => (space === 'shared' ? fact.wavefronts! : fact.sectors!)) /
          sum((fact) => (space === 'shared' ? fact.wavefrontsIdeal! : fact.sectorsIdeal!));
        // nvcc merges accesses of one line: any of several may be the one that was counted.
        const good =
          Math.abs(mine - ratio) <= 0.02 * ratio ||
          (figures.length > 1 && figures.some(({ fact }) => Math.abs(predicted(fact)! - ratio) <= 0.02 * ratio));
        score.figures++;
        if (good) score.figuresRight++;
        if (figures.length === here.length && figures.every(({ fact }) => !fact.assumed.length)) {
          score.exact++;
          if (good) score.exactRight++;
          else say('inexact', line, `measured ${ratio.toFixed(3)}, model ${mine.toFixed(3)}`);
        }
      }
    }
  }
  const result = Object.fromEntries(
    (['global', 'shared'] as const).map((space) => [space, summary([...scores[space].values()])]),
  );
  if (values.json) {
    console.log(JSON.stringify(result));
    return;
  }
  for (const [space, total] of Object.entries(result))
    console.log(
      `${space}: recall ${total.hit}/${total.bad}, each program counted once ${(100 * total.recallByProgram).toFixed(1)} %; claims right ${total.right}/${total.claims}, by program ${(100 * total.precisionByProgram).toFixed(1)} %; figures without assumption ${total.exactRight}/${total.exact}; all figures ${total.figuresRight}/${total.figures}`,
    );
}

function summary(scores: readonly Score[]): Score & { recallByProgram: number; precisionByProgram: number } {
  const total: Score = { bad: 0, hit: 0, claims: 0, right: 0, exact: 0, exactRight: 0, figures: 0, figuresRight: 0 };
  for (const score of scores) for (const name of Object.keys(total) as (keyof Score)[]) total[name] += score[name];
  const mean = (list: readonly number[]): number =>
    list.length ? list.reduce((sum, value) => sum + value, 0) / list.length : 1;
  return {
    ...total,
    recallByProgram: mean(scores.filter((score) => score.bad).map((score) => score.hit / score.bad)),
    precisionByProgram: mean(scores.filter((score) => score.claims).map((score) => score.right / score.claims)),
  };
}

void main();
