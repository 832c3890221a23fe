// Holds the model against hardware counters per source line and lists every figure that a counter contradicts.
//
// npx tsx lab/bench/accuracy.ts --root FOLDER --truth LINES.jsonl [--program NAME] [--verbose] [--json] [--jobs N]
//
// The truth is one JSON object a line: { repo?, file, line, l2Sectors, l2SectorsIdeal, wfShared, wfSharedIdeal } summed
// over the profiled launches. `file` is relative to the root, or to ROOT/NAME (or ROOT/OWNER+NAME) where `repo` is
// OWNER/NAME. `warplens report --format json` gives such numbers. A claim counts as right when a line within the
// statement or two lines of it shows at least 1.4 times the ideal; a line with 1.5 times or more is a hit when a claim
// stands as near; a figure is exact within 2 %. Exit status: 0 whatever the figures, 2 for bad arguments.
import { fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { AccessFact } from '../../server/src/semantic/model';
import { createSyntax } from '../../server/src/syntax';
import { readGrammarFiles } from '../../server/src/syntax/grammarFiles';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { executionsOf } from '../../server/src/cost/traffic';
import { createWorkspace } from '../../server/src/workspace/workspace';

interface TruthLine {
  repo?: string;
  file: string;
  line: number;
  l2Sectors?: number;
  l2SectorsIdeal?: number;
  wfShared?: number;
  wfSharedIdeal?: number;
}
/** The counted lines of one source file. `program` is what it is weighed as, `path` where it lies. */
interface TruthFile {
  readonly program: string;
  readonly name: string;
  readonly path: string;
  readonly lines: ReadonlyMap<number, TruthLine>;
}
/** Counts of one program in one space; the sums of several are counts of the same kind. */
interface Score {
  bad: number;
  hit: number;
  claims: number;
  right: number;
  exact: number;
  exactRight: number;
  figures: number;
  figuresRight: number;
  /** Access places with a figure in the files, counted or not, and those of them that rest on an assumption. */
  places: number;
  placesAssumed: number;
}
type Space = 'global' | 'shared';
type Scores = Record<Space, Record<string, Score>>;
/** What a part of the files gave; `unread` names files that are not there or have no model. */
interface Result {
  readonly scores: Scores;
  readonly messages: readonly string[];
  readonly unread: readonly string[];
}

const claimedFrom = 1.5;
const spaces: readonly Space[] = ['global', 'shared'];
const usage =
  'usage: npx tsx lab/bench/accuracy.ts --root FOLDER --truth LINES.jsonl ' +
  '[--program NAME] [--verbose] [--json] [--jobs N]';

function emptyScore(): Score {
  return {
    bad: 0,
    hit: 0,
    claims: 0,
    right: 0,
    exact: 0,
    exactRight: 0,
    figures: 0,
    figuresRight: 0,
    places: 0,
    placesAssumed: 0,
  };
}

function scoreOf(scores: Scores, space: Space, program: string): Score {
  scores[space][program] ??= emptyScore();
  return scores[space][program];
}

/** The counted files in the order of the truth; a line that stands several times is summed. */
function readTruth(path: string, root: string): TruthFile[] {
  const files = new Map<string, TruthFile & { lines: Map<number, TruthLine> }>();
  for (const [index, text] of readFileSync(path, 'utf8').split('\n').entries()) {
    if (!text.trim()) continue;
    let row: TruthLine;
    try {
      row = JSON.parse(text) as TruthLine;
    } catch {
      throw new Error(`${path}:${index + 1} is not JSON: give one object a line.`);
    }
    const name = row.repo ? `${row.repo}/${row.file}` : row.file;
    let file = files.get(name);
    if (!file) {
      const folder = row.repo ? repositoryFolder(root, row.repo) : root;
      // HeCBench keeps a program a folder; a stand-alone file is a program.
      const program = row.repo ? name : (name.split('/').find((part) => part.endsWith('-cuda')) ?? name);
      file = { program, name, path: join(folder, row.file), lines: new Map() };
      files.set(name, file);
    }
    const known = file.lines.get(row.line);
    if (!known) {
      file.lines.set(row.line, { ...row });
      continue;
    }
    for (const field of ['l2Sectors', 'l2SectorsIdeal', 'wfShared', 'wfSharedIdeal'] as const)
      if (row[field]) known[field] = (known[field] ?? 0) + row[field]!;
  }
  return [...files.values()];
}
function repositoryFolder(root: string, repository: string): string {
  const whole = join(root, repository.replace('/', '+'));
  return existsSync(whole) ? whole : join(root, repository.slice(repository.indexOf('/') + 1));
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

/** Line (from 1) of an offset of the text. */
function lineFinder(text: string): (offset: number) => number {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length;
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle;
    }
    return low + 1;
  };
}

/** Scores the accesses of one space of one file; `say` hears of every miss, wrong claim and contradiction. */
function scoreFile(
  facts: readonly AccessFact[],
  text: string,
  truth: TruthFile,
  space: Space,
  score: Score,
  say: (what: string, line: number, text: string) => void,
): void {
  const lineOf = lineFinder(text);
  const textLines = text.split('\n');
  const placed = facts
    .filter((fact) => fact.space === space)
    .map((fact) => ({ fact, first: lineOf(fact.at.start), last: lineOf(fact.at.end) }));
  for (const { fact } of placed) {
    if (predicted(fact) === undefined) continue;
    score.places++;
    if (fact.assumed.length) score.placesAssumed++;
  }
  for (const [line, row] of truth.lines) {
    const ratio = measured(row, space);
    if (ratio === undefined || ratio < claimedFrom) continue;
    score.bad++;
    if (placed.some(({ fact, first, last }) => isClaim(fact) && first - 2 <= line && last + 2 >= line)) score.hit++;
    else say('missed', line, `counter ${ratio.toFixed(3)}: ${textLines[line - 1]?.trim() ?? ''}`);
  }
  for (const line of new Set(placed.map(({ first }) => first))) {
    const here = placed.filter(({ first }) => first === line);
    const near: number[] = [];
    for (let each = line - 2; each <= Math.max(...here.map(({ last }) => last)) + 2; each++) {
      const ratio = measured(truth.lines.get(each), space);
      if (ratio !== undefined) near.push(ratio);
    }
    const claims = here.filter(({ fact }) => isClaim(fact));
    if (near.length && claims.length) {
      score.claims++;
      if (near.some((ratio) => ratio >= 1.4)) score.right++;
      else
        say(
          'wrong claim',
          line,
          `counters near ${near.map((ratio) => ratio.toFixed(3)).join(' ')}: ${claims[0]!.fact.text}`,
        );
    }
    const ratio = measured(truth.lines.get(line), space);
    const figures = here.filter(({ fact }) => predicted(fact) !== undefined);
    if (ratio === undefined || !figures.length) continue;
    const sum = (pick: (fact: AccessFact) => number): number =>
      figures.reduce((total, { fact }) => total + pick(fact) * Math.max(1, executionsOf(fact)), 0);
    const figure =
      sum((fact) => (space === 'shared' ? fact.wavefronts! : fact.sectors!)) /
      sum((fact) => (space === 'shared' ? fact.wavefrontsIdeal! : fact.sectorsIdeal!));
    // nvcc merges accesses of one line: any of several may be the one that was counted.
    const right =
      Math.abs(figure - ratio) <= 0.02 * ratio ||
      (figures.length > 1 && figures.some(({ fact }) => Math.abs(predicted(fact)! - ratio) <= 0.02 * ratio));
    score.figures++;
    if (right) score.figuresRight++;
    if (figures.length !== here.length || figures.some(({ fact }) => fact.assumed.length)) continue;
    score.exact++;
    if (right) score.exactRight++;
    else
      say(
        'contradicted',
        line,
        `figure ${figure.toFixed(3)}, counter ${ratio.toFixed(3)}: ${figures.map(({ fact }) => fact.text).join('; ')}`,
      );
  }
}

async function scoreFiles(files: readonly TruthFile[]): Promise<Result> {
  const workspace = createWorkspace({ fileSystem: nodeFileSystem, syntax: await createSyntax(readGrammarFiles()) });
  const scores: Scores = { global: {}, shared: {} };
  const messages: string[] = [];
  const unread: string[] = [];
  for (const truth of files) {
    const uri = pathToFileURL(truth.path).href;
    const analysed = existsSync(truth.path) ? workspace.analyse(uri) : undefined;
    if (!analysed) {
      unread.push(truth.name);
      continue;
    }
    for (const space of spaces) {
      const score = scoreOf(scores, space, truth.program);
      scoreFile(analysed.model.facts.access, analysed.text, truth, space, score, (what, line, text) =>
        messages.push(`${what} ${space} ${truth.name}:${line} ${text}`),
      );
    }
    workspace.forget(uri);
  }
  return { scores, messages, unread };
}

function joined(results: readonly Result[]): Result {
  const scores: Scores = { global: {}, shared: {} };
  for (const result of results)
    for (const space of spaces)
      for (const [program, score] of Object.entries(result.scores[space])) {
        const total = scoreOf(scores, space, program);
        for (const name of Object.keys(total) as (keyof Score)[]) total[name] += score[name];
      }
  return {
    scores,
    messages: results.flatMap((result) => result.messages).sort(),
    unread: results.flatMap((result) => result.unread),
  };
}

/** The same in `jobs` processes of this program, each with every `jobs`-th file. */
async function scoreInProcesses(jobs: number): Promise<Result> {
  const parts = Array.from({ length: jobs }, async (_, part) => {
    const child = fork(__filename, [...process.argv.slice(2), '--part', `${part}/${jobs}`]);
    return new Promise<Result>((resolve, reject) => {
      child.on('message', (result) => resolve(result as Result));
      child.on('exit', (code) => reject(new Error(`A part of the work ended with status ${code}.`)));
    });
  });
  return joined(await Promise.all(parts));
}

function summary(
  scores: readonly Score[],
): Score & { recallByProgram: number; precisionByProgram: number; programs: number } {
  const total = emptyScore();
  for (const score of scores) for (const name of Object.keys(total) as (keyof Score)[]) total[name] += score[name];
  const mean = (list: readonly number[]): number =>
    list.length ? list.reduce((sum, value) => sum + value, 0) / list.length : 1;
  return {
    ...total,
    programs: scores.length,
    recallByProgram: mean(scores.filter((score) => score.bad).map((score) => score.hit / score.bad)),
    precisionByProgram: mean(scores.filter((score) => score.claims).map((score) => score.right / score.claims)),
  };
}

function share(part: number, whole: number): string {
  return whole ? `${part} of ${whole} (${((100 * part) / whole).toFixed(1)} %)` : 'none';
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      root: { type: 'string' },
      truth: { type: 'string' },
      program: { type: 'string' },
      verbose: { type: 'boolean' },
      json: { type: 'boolean' },
      jobs: { type: 'string', default: '1' },
      part: { type: 'string' },
    },
  });
  const jobs = Number(values.jobs);
  if (!values.root || !values.truth || !Number.isInteger(jobs) || jobs < 1) throw new Error(usage);
  for (const path of [values.root, values.truth])
    if (!existsSync(path)) throw new Error(`${path} is not there: name a folder of sources and a file of counters.`);
  let result: Result;
  if (jobs > 1 && !values.part) result = await scoreInProcesses(jobs);
  else {
    const [part, parts] = (values.part ?? '0/1').split('/').map(Number) as [number, number];
    const files = readTruth(values.truth, values.root).filter(
      (file, index) => index % parts === part && (!values.program || file.name.includes(values.program)),
    );
    result = joined([await scoreFiles(files)]);
  }
  if (values.part) {
    await new Promise((resolve) => process.send!(result, resolve));
    return;
  }
  const totals = Object.fromEntries(spaces.map((space) => [space, summary(Object.values(result.scores[space]))]));
  if (values.json) {
    console.log(JSON.stringify({ ...totals, messages: result.messages, unread: result.unread }));
    return;
  }
  if (values.verbose) for (const message of result.messages) console.log(message);
  if (result.unread.length) console.log(`not read: ${result.unread.join(', ')}`);
  for (const [space, total] of Object.entries(totals)) {
    const alone = (value: number): string => `each program counted once ${(100 * value).toFixed(1)} %`;
    console.log(`${space} (${total.programs} programs)`);
    console.log(`  recall ${share(total.hit, total.bad)}, ${alone(total.recallByProgram)}`);
    console.log(`  claims right ${share(total.right, total.claims)}, ${alone(total.precisionByProgram)}`);
    console.log(`  unassumed figures equal to the counter ${share(total.exactRight, total.exact)}`);
    console.log(`  all figures equal to the counter ${share(total.figuresRight, total.figures)}`);
    console.log(`  assumed figures on counted lines ${share(total.figures - total.exact, total.figures)}`);
    console.log(`  assumed figures at all access places ${share(total.placesAssumed, total.places)}`);
  }
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
