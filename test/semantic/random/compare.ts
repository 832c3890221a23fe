// Holds the model's figures for a random kernel against those of the plain evaluation.
import type { AccessFact } from '../../../server/src/semantic/model';
import { memoryUri, memoryWorkspace } from '../../support/analyseText';
import { evaluateKernel, Unusable, type Evaluation, type Figures } from './evaluate';
import { randomKernel } from './generate';
import { accessesOf, isLoop, statements, type Kernel, type Stmt } from './kernel';
import { printCuda, type Extents } from './print';

/** A kernel that is a fair test, with its figures. */
export interface Case {
  readonly kernel: Kernel;
  readonly evaluation: Evaluation;
  readonly extents: Extents;
}

const mostAttempts = 400;
const mostSharedBytes = 48 * 1024;
const highestIndex = 1 << 22;

/** The case, or undefined for a kernel that C or the hardware would not allow, or whose blocks differ. */
export function caseOf(kernel: Kernel): Case | undefined {
  let evaluation: Evaluation;
  try {
    evaluation = evaluateKernel(kernel);
  } catch (error) {
    if (error instanceof Unusable) return undefined;
    throw error;
  }
  const extents = new Map<number, number[]>();
  let sharedBytes = 0;
  for (const access of accessesOf(kernel)) {
    const ranges = evaluation.ranges.get(access.place);
    if (ranges?.some(({ low, high }) => low < 0 || high > highestIndex)) return undefined;
    if (access.array.space === 'global') continue;
    const { columns, type } = access.array;
    const rows = (ranges?.[0]?.high ?? 0) + 1;
    if (columns !== undefined && ranges && ranges[1]!.high >= columns) return undefined;
    extents.set(access.place, columns === undefined ? [rows] : [rows, columns]);
    sharedBytes += rows * (columns ?? 1) * type.bytes + 16;
  }
  if (sharedBytes > mostSharedBytes || evaluation.ranges.size === 0) return undefined;
  // A model need not run every block: only kernels whose blocks cost the same are fair.
  const first = describeFigures(evaluation.blocks[0]!);
  if (evaluation.blocks.some((figures) => describeFigures(figures) !== first)) return undefined;
  return { kernel, evaluation, extents };
}
function describeFigures(figures: ReadonlyMap<string, Figures>): string {
  return JSON.stringify([...figures].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** At least three places that threads reach; and, but for every fourth seed, one of them in a loop. */
function isRich({ kernel, evaluation }: Case, seed: number): boolean {
  if (evaluation.ranges.size < 3) return false;
  if (seed % 4 === 0) return true;
  for (const stmt of statements(kernel.body))
    if (isLoop(stmt))
      for (const inner of statements(stmt.body))
        if (inner.kind === 'access' && evaluation.ranges.has(inner.place)) return true;
  return false;
}

/** The first fair and rich kernel from a seed on. */
export function caseOfSeed(seed: number): Case {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const found = caseOf(randomKernel(seed * mostAttempts + attempt));
    if (found && isRich(found, seed)) return found;
  }
  throw new Error(`No fair kernel for seed ${seed}: the generator makes too many that are none.`);
}

export interface Outcome {
  readonly text: string;
  /** Access places with figures that equal, that rest on an assumption and differ, and that have no figure. */
  readonly equal: number;
  readonly assumed: number;
  readonly absent: number;
  /** What an unassumed figure says otherwise, a sentence each. */
  readonly wrong: readonly string[];
}

const close = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-6 * Math.max(1, Math.abs(a), Math.abs(b));

/** Analyses the printed kernel and compares place by place: lanes, sectors or wavefronts, ideal, and executions. */
export async function compare(test: Case): Promise<Outcome> {
  const { text, starts } = printCuda(test.kernel, test.extents);
  const name = 'random.cu';
  const workspace = await memoryWorkspace(new Map([[`/memory/${name}`, text]]));
  const facts = workspace.analyse(memoryUri(name))!.model.facts.access;
  const expected = test.evaluation.blocks[0]!;
  let equal = 0;
  let assumed = 0;
  let absent = 0;
  const wrong: string[] = [];
  const executions: { place: string; model: number; expected: number }[] = [];
  for (const [key, figures] of expected) {
    const [place, mode] = key.split(' ') as [string, string];
    const start = starts.get(Number(place))!;
    const found = facts.filter((fact) => fact.at.start === start && fact.mode === mode);
    const line = text.slice(0, start).split('\n').length;
    const lineText = text.split('\n')[line - 1]!.trim();
    const where = `line ${line} (${mode} in \`${lineText}\`)`;
    if (found.length > 1) {
      wrong.push(`${where}: ${found.length} facts`);
      continue;
    }
    const fact = found[0];
    const own = fact && figuresOf(fact);
    if (!fact || fact.gather || !own) {
      absent++;
      continue;
    }
    const shared = fact.space === 'shared';
    const per = (value: number): number => value / figures.warps;
    const pairs: [string, number, number][] = [
      [shared ? 'wavefronts' : 'sectors', own.cost, per(shared ? figures.wavefronts : figures.sectors)],
      ['ideal', own.ideal, per(shared ? figures.wavefrontsIdeal : figures.sectorsIdeal)],
      ['active lanes', fact.activeLanes, per(figures.lanes)],
    ];
    const other = pairs.filter(([, model, truth]) => !close(model, truth));
    if (fact.assumed.length) {
      if (other.length) assumed++;
      else equal++;
      continue;
    }
    if (other.length) {
      const say = other.map(([what, model, truth]) => `${what} ${model.toFixed(3)}, not ${truth.toFixed(3)}`);
      wrong.push(`${where}: ${say.join('; ')}`);
      continue;
    }
    equal++;
    executions.push({ place: where, model: fact.executions, expected: figures.warps });
  }
  // Executions may be those of a block or the mean of its warps: they must be in one proportion.
  const scale = executions[0] && executions[0].model / executions[0].expected;
  for (const each of executions)
    if (!close(each.model, each.expected * scale!))
      wrong.push(`${each.place}: executions ${each.model}, not ${(each.expected * scale!).toFixed(3)}`);
  return { text, equal, assumed, absent, wrong };
}
function figuresOf(fact: AccessFact): { cost: number; ideal: number } | undefined {
  const [cost, ideal] =
    fact.space === 'shared' ? [fact.wavefronts, fact.wavefrontsIdeal] : [fact.sectors, fact.sectorsIdeal];
  return cost === undefined || ideal === undefined ? undefined : { cost, ideal };
}

/** The kernel with one statement less, or with a branch or loop replaced by its body, in every way. */
function* smaller(body: readonly Stmt[]): Generator<Stmt[]> {
  for (const [at, stmt] of body.entries()) {
    const around = (...inner: readonly Stmt[]): Stmt[] => [...body.slice(0, at), ...inner, ...body.slice(at + 1)];
    yield around();
    if (stmt.kind === 'if') {
      yield around(...stmt.consequent);
      if (stmt.otherwise) {
        const { otherwise, ...without } = stmt;
        yield around(without);
        yield around(...otherwise);
        for (const inner of smaller(otherwise)) yield around({ ...stmt, otherwise: inner });
      }
      for (const inner of smaller(stmt.consequent)) yield around({ ...stmt, consequent: inner });
    } else if (isLoop(stmt)) for (const inner of smaller(stmt.body)) yield around({ ...stmt, body: inner });
  }
}

/** The smallest kernel found by leaving statements out of which a figure is still wrong. */
export async function minimised(test: Case): Promise<{ test: Case; outcome: Outcome }> {
  let best = test;
  let outcome = await compare(test);
  for (let again = true; again; ) {
    again = false;
    for (const body of smaller(best.kernel.body)) {
      const next = caseOf({ ...best.kernel, body });
      if (!next) continue;
      const compared = await compare(next);
      if (compared.wrong.length === 0) continue;
      best = next;
      outcome = compared;
      again = true;
      break;
    }
  }
  return { test: best, outcome };
}
