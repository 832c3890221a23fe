// Compares findings with a measurement: which the hardware confirms, which it refutes, and at what share of the time of
// kernel and GPU.
import type { EvidenceState, FindingEvidence } from '../../../protocol/src/evidence';
import type { KernelMeasurement } from '../../../protocol/src/lineMetrics';
import type { FoundFinding, FoundFunction, RuleEvidence, TextRange } from '../../../protocol/src/requests';
import { stallReason } from '../lines/sourceMetrics';
import type { Occupancy } from '../lines/kernelFigures';
import { amount, percent } from '../lines/amounts';
import { piecesOf } from '../overlay/measurement';
import { readCondition, type Condition } from './condition';
import {
  compareSignatures,
  isSameKernel,
  measuredParameters,
  plainName,
  type MeasuredIdentity,
  type SourcePlace,
} from './kernelIdentity';

type Values = Readonly<Record<string, number>>;

/** A kernel with its launches added up. */
export interface EvidenceKernel extends MeasuredIdentity {
  readonly durationNs: number;
  /** Sums over the launches. A metric that is absent was not collected. */
  readonly totals: Values;
  readonly lines: readonly { readonly file: string; readonly line: number; readonly values: Values }[];
  readonly longest: Pick<KernelMeasurement, 'withoutLines'>;
  /** The same sums apart by the number of threads in a block. */
  readonly blocks: readonly { readonly threads: number; readonly durationNs: number; readonly totals: Values }[];
  /** Of its longest launch. */
  readonly figures?: { readonly occupancy?: Pick<Occupancy, 'achieved' | 'most'> };
}

/** A source of the report that is the document of the findings. */
export interface EvidenceSource {
  /** Path as the compiler wrote it. */
  readonly file: string;
  /** The profiled line (from 1) of a current one; undefined where the line has changed or is new. */
  lineOf(current: number): number | undefined;
  /** Whether code within these current lines (from 1) is another than was profiled; unknown when absent. */
  changedWithin?(from: number, to: number): boolean;
  /** Where a profiled line is now; as in `SourcePlace`. Profiled lines stand where they were when absent. */
  lineNow?: SourcePlace['lineNow'];
}

export interface Measurement {
  /** Name of the report, for the words. */
  readonly report: string;
  readonly kernels: readonly EvidenceKernel[];
  /** Empty where the document was not measured. */
  readonly sources: readonly EvidenceSource[];
  /** The document has changed, and what was profiled is not known. */
  readonly unsure?: boolean;
  /** Name of the kernel that the user looks at: on its lines it alone counts. */
  readonly shown?: string;
}

const samples = 'smsp__pcsamp_sample_count';
const instructions = 'inst_executed';
const threadInstructions = 'thread_inst_executed';
const order: readonly EvidenceState[] = ['confirmed', 'weak', 'refuted', 'not-executed', 'unmeasured'];

/**
 * The evidence of each finding, in their order; undefined for those that no counter can confirm or refute. Throws an
 * Error when a rule's condition is malformed.
 */
export function joinEvidence(
  findings: readonly FoundFinding[],
  measurement: Measurement,
): (FindingEvidence | undefined)[] {
  return findings.map((finding) => {
    if (!finding.evidence) return undefined;
    return finding.evidence.of === 'kernel'
      ? ofLaunches(finding, finding.evidence, measurement)
      : ofLines(finding, finding.evidence, measurement);
  });
}

/** Lines (from 1) of the document that a finding's evidence is read from. */
export function measuredLines({ range, measuredAt }: Pick<FoundFinding, 'range' | 'measuredAt'>): number[] {
  return linesOf(measuredAt?.length ? measuredAt : [range]);
}

/** Lines (from 1) whose samples a finding puts at stake. */
export function stakeLines(finding: Pick<FoundFinding, 'range' | 'measuredAt' | 'atStake'>): number[] {
  return finding.atStake?.length ? linesOf(finding.atStake) : measuredLines(finding);
}

function linesOf(ranges: readonly TextRange[]): number[] {
  const lines = new Set<number>();
  for (const { start, end } of ranges) for (let line = start.line; line <= end.line; line++) lines.add(line + 1);
  return [...lines];
}

function ofLines(
  finding: FoundFinding,
  evidence: RuleEvidence,
  { report, kernels, sources, unsure, shown }: Measurement,
): FindingEvidence {
  if (unsure)
    return unmeasured('the file has changed since it was profiled, and the report does not contain its source');
  if (sources.length === 0) return unmeasured(`this file is not in ${report}`);
  const lines = measuredLines(finding);
  const placed = sources.map(({ file, lineOf }) => ({ file, lines: lines.map(lineOf) }));
  const known = placed.filter((place): place is { file: string; lines: number[] } =>
    place.lines.every((line) => line !== undefined),
  );
  if (known.length === 0)
    return unmeasured(`the line${lines.length > 1 ? 's' : ''}, or what the figure depends on, changed`);
  const stakes = sources.flatMap(({ file, lineOf }) =>
    stakeLines(finding).flatMap((line) => {
      const then = lineOf(line);
      return then === undefined ? [] : [{ file, line: then }];
    }),
  );
  const { rowsAt } = indexOf(kernels);
  const found = new Map<EvidenceKernel, { readonly rows: Values[]; stake: number }>();
  for (const { file, lines: numbers } of known)
    for (const { kernel, values } of numbers.flatMap((line) => rowsAt(file, line))) {
      if (!found.has(kernel)) found.set(kernel, { rows: [], stake: 0 });
      found.get(kernel)!.rows.push(values);
    }
  for (const { kernel, values } of stakes.flatMap(({ file, line }) => rowsAt(file, line))) {
    const of = found.get(kernel);
    if (of) of.stake += values[samples] ?? 0;
  }
  let measured = [...found].map(([kernel, of]) => ({ kernel, values: added(of.rows), stake: of.stake }));
  if (measured.length === 0) return withoutRows(finding, kernels, report);
  const own = measured.map(({ kernel }) => kernel);
  if (measured.some(({ kernel }) => kernel.name === shown))
    measured = measured.filter(({ kernel }) => kernel.name === shown);
  // The line is the same, but an array of another shape is declared above it, say: what was not there then may be there
  // now.
  const around = finding.function?.range;
  const hasChanged =
    around !== undefined &&
    sources.some(({ changedWithin }) => changedWithin?.(around.start.line + 1, around.end.line + 1));
  const said = overall(
    measured.map(({ kernel, values, stake }) => verdict(finding, evidence, kernel, kernel, values, stake)),
    report,
    hasChanged,
  );
  if (said.state === 'refuted' && hasChanged)
    return unmeasured(`${finding.function!.name} has changed since it was profiled; ${report} has no figures for it`);
  return withShares(said, kernels, hasChanged ? undefined : own);
}

/** @param own kernels that the lines are in; undefined where those of today may take another time */
function withShares(
  said: FindingEvidence,
  all: readonly EvidenceKernel[],
  own: readonly EvidenceKernel[] | undefined,
): FindingEvidence {
  const { durationNs: whole } = indexOf(all);
  if (!(whole > 0)) return said;
  return {
    ...said,
    gpuShares: { lines: Math.min(1, said.cost / whole), ...(own ? { kernel: timeOf(own) / whole } : {}) },
  };
}

function timeOf(kernels: readonly EvidenceKernel[]): number {
  return kernels.reduce((sum, { durationNs }) => sum + durationNs, 0);
}

/** What is known of a launch's shape: the kernel by its definition, its launches by their block size. */
function ofLaunches(
  finding: FoundFinding,
  evidence: RuleEvidence,
  { report, kernels, sources }: Measurement,
): FindingEvidence {
  const name = String(finding.data['kernel'] ?? '');
  const threads = Number(finding.data['threads']);
  const named = definedAt(finding.measuredKernel, indexOf(kernels).named(name), sources);
  if (named.length === 0) return unmeasured(`${name} is not in ${report}`);
  const launched = named.flatMap((kernel) =>
    kernel.blocks.filter((block) => block.threads === threads).map((block) => ({ kernel, block })),
  );
  if (launched.length === 0) return unmeasured(`${report} has no launch of ${name} with ${threads} threads a block`);
  const said = overall(
    launched.map(({ kernel, block }) => verdict(finding, evidence, kernel, block, block.totals)),
    report,
  );
  return withShares(said, kernels, [...new Set(launched.map(({ kernel }) => kernel))]);
}

/** The measured kernels of a name that match a definition; all of them if it is in another file. */
function definedAt(
  definition: FoundFunction | undefined,
  named: readonly EvidenceKernel[],
  sources: readonly EvidenceSource[],
): readonly EvidenceKernel[] {
  if (!definition?.range || !definition.parameters) return named;
  const { name, qualifiedName, parameters, range } = definition;
  const places = sources.map(
    ({ file, lineNow }): SourcePlace => ({ file, lineNow: lineNow ?? ((line) => ({ line, stale: false })) }),
  );
  const body = { from: range.start.line + 1, to: range.end.line + 1 };
  return named.filter((kernel) =>
    isSameKernel(kernel, { name, qualifiedName: qualifiedName ?? name, parameters, body }, places),
  );
}

/** Why no kernel has an instruction on the finding's lines. */
function withoutRows(
  { function: around }: FoundFinding,
  kernels: readonly EvidenceKernel[],
  report: string,
): FindingEvidence {
  if (!around?.kernel) return unmeasured(`no kernel in ${report} has an instruction on this line`);
  // Its own lines are what is missing, so the parameters alone tell it from another kernel of its name.
  const named = indexOf(kernels)
    .named(around.name)
    .filter(
      ({ name }) =>
        around.parameters === undefined ||
        compareSignatures(measuredParameters(name), around.parameters) !== 'different',
    );
  if (named.length === 0) return unmeasured(`${around.name} is not in ${report}`);
  const { withoutLines } = named[0]!.longest;
  if (withoutLines === 'no line table') return unmeasured(`${around.name} was compiled without -lineinfo`);
  if (withoutLines !== undefined)
    return unmeasured(`${report} has no per-line counters for ${around.name}; profile with --set full`);
  return {
    state: 'not-executed',
    text: `Not executed: ${around.name} has no instruction on this line (${report}).`,
    kernel: around.name,
    cost: 0,
  };
}

interface KernelVerdict {
  readonly state: EvidenceState;
  readonly figure: string;
  readonly kernel: string;
  readonly share?: number;
  readonly cost: number;
  readonly value?: number;
  readonly against?: number;
}

/** @param stake samples of the lines that it is about; the whole launches when absent */
function verdict(
  finding: FoundFinding,
  evidence: RuleEvidence,
  kernel: EvidenceKernel,
  { totals, durationNs }: { readonly totals: Values; readonly durationNs: number },
  values: Values,
  stake?: number,
): KernelVerdict {
  const total = totals[samples] ?? 0;
  // Lines can add up to more than their kernel, since inlined code counts on two of them.
  const share =
    stake !== undefined && total > 0 && Number.isFinite(stake) ? Math.min(1, Math.max(0, stake / total)) : undefined;
  const base = {
    kernel: kernel.shortName,
    ...(share !== undefined ? { share } : {}),
    cost: (stake === undefined ? 1 : (share ?? 0)) * durationNs,
  };
  const of = (names: string): number | undefined => summed(names, values, totals);
  const executed = of(instructions);
  if (executed === 0)
    return { ...base, state: 'not-executed', figure: `none of its instructions ran in ${kernel.shortName}` };
  const resident = evidence.of === 'occupancy' ? kernel.figures?.occupancy : undefined;
  const metric = evidence.of === 'occupancy' ? resident?.achieved : of(evidence.metric);
  const against =
    evidence.of === 'occupancy' ? resident?.most : evidence.against === undefined ? undefined : of(evidence.against);
  if (metric === undefined || (evidence.against !== undefined && against === undefined))
    return {
      ...base,
      state: 'unmeasured',
      figure: `the report has no ${plural(evidence.metric)}; profile with --set full`,
    };
  const threadsExecuted = of(threadInstructions);
  const threads = executed !== undefined && threadsExecuted !== undefined ? threadsExecuted / executed : undefined;
  const block = kernel.blocks.length === 1 ? kernel.blocks[0]!.threads : undefined;
  const known = { metric, against, threads, block };
  const bad = condition(evidence.badWhen)(known);
  const none =
    evidence.noneWhen === undefined ? (bad === undefined ? undefined : !bad) : condition(evidence.noneWhen)(known);
  const state = bad ? 'confirmed' : bad === undefined && !none ? 'unmeasured' : none ? 'refuted' : 'weak';
  const { start, end } = finding.range;
  const lines = start.line === end.line ? 'this line' : 'these lines';
  const figure =
    state === 'unmeasured'
      ? `${kernel.shortName} has no ${plural(evidence.against ?? evidence.metric)} on ${lines}`
      : evidence.of === 'occupancy'
        ? residentText(metric, against, block)
        : figureText(evidence, metric, against, threads, state);
  return { ...base, state, figure, value: metric, ...(against !== undefined ? { against } : {}) };
}

/** One verdict over all kernels: what the hardware shows in one of them is there. */
function overall(verdicts: readonly KernelVerdict[], report: string, old = false): FindingEvidence {
  const state = order.find((one) => verdicts.some((given) => given.state === one))!;
  const agreed = verdicts.filter((given) => given.state === state).sort((a, b) => b.cost - a.cost);
  const { figure, kernel, share, value, against } = agreed[0]!;
  const [part, age] = share === undefined ? [] : piecesOf({ figure: percent(share), words: [] }, old);
  const where = part === undefined ? `, in ${kernel}` : `, ${part} of ${kernel}'s stall samples`;
  const agreeing = agreed.length === verdicts.length ? 'the same in' : `in ${agreed.length} of`;
  const several = verdicts.length === 1 ? '' : `, ${agreeing} ${verdicts.length} kernels`;
  const measured = state === 'confirmed' || state === 'weak' || state === 'refuted';
  const from = measured && age ? `${report}; ${age}` : report;
  return {
    state,
    text: `${opening[state]}: ${figure}${measured ? where : ''}${several} (${from}).`,
    kernel,
    ...(old ? { old } : {}),
    ...(measured && share !== undefined ? { share } : {}),
    cost: measured ? agreed.reduce((sum, { cost }) => sum + cost, 0) : 0,
    ...(value !== undefined ? { value } : {}),
    ...(against !== undefined ? { against } : {}),
  };
}

const opening: Readonly<Record<EvidenceState, string>> = {
  confirmed: 'Confirmed',
  weak: 'Less than expected',
  refuted: 'Not a problem here',
  'not-executed': 'Not executed',
  unmeasured: 'Not measured',
};

function unmeasured(why: string): FindingEvidence {
  return { state: 'unmeasured', text: `Not measured: ${why}.`, cost: 0 };
}

function residentText(warps: number, most: number | undefined, block: number | undefined): string {
  const blocks = block === undefined ? '' : `, in blocks of ${block} threads`;
  return `${warps.toFixed(1)} of ${most ?? '?'} warps on a multiprocessor${blocks}`;
}

const alternatives = new Intl.ListFormat('en-GB', { type: 'disjunction' });

function figureText(
  { metric, of }: RuleEvidence,
  value: number,
  against: number | undefined,
  threads: number | undefined,
  state: EvidenceState,
): string {
  const active = threads === undefined ? '' : `${threads.toFixed(1)} of 32 threads active`;
  const names = metric.split(' + ');
  const reasons = names.flatMap((name) => stallReason(name)?.replace('mio', 'MIO').replace(' pipe', '-pipe') ?? []);
  if (reasons.includes('selected') && against)
    return `${((100 * value) / against).toFixed(0)} % of its samples compute or wait to issue`;
  if (reasons.length > 0 && against)
    return `${((100 * value) / against).toFixed(0)} % of its samples wait on ${alternatives.format(reasons)}`;
  if (metric === 'smsp__branch_targets_threads_divergent') {
    const branches = `${amount(value)} divergent ${value === 1 ? 'branch' : 'branches'}`;
    return [value === 0 ? 'no divergence measured' : branches, active].filter(Boolean).join(', ');
  }
  if (of === 'kernel') return `${active} in an instruction`;
  if (!against) return `${amount(value)} ${plural(metric)}`;
  const times = value / against;
  const ratio = `${times >= 10_000 ? amount(times) : times.toFixed(1)}× ${plural(metric)}`;
  return state === 'refuted' ? ratio : `${ratio} (${amount(value)}, ideal ${amount(against)})`;
}

/** What a metric counts, in a word or two. */
function plural(names: string): string {
  const name = names.split(' + ')[0]!;
  if (stallReason(name) !== undefined || name === samples) return 'stall samples';
  if (name.includes('sectors')) return 'sectors';
  if (name.includes('wavefronts')) return 'wavefronts';
  if (name.includes('divergent')) return 'divergent branches';
  return name.endsWith(instructions) ? 'instructions' : name;
}

/** A metric or a sum of several over the lines. A metric that the launch has and the lines have not is 0 there. */
function summed(names: string, values: Values, totals: Values): number | undefined {
  let sum = 0;
  for (const name of names.split(' + ')) {
    const value = values[name] ?? (Object.hasOwn(totals, name) ? 0 : undefined);
    // A damaged report can hold what is no number; nothing follows from it.
    if (value === undefined || !Number.isFinite(value)) return undefined;
    sum += value;
  }
  return sum;
}

function added(rows: readonly Values[]): Values {
  if (rows.length === 1) return rows[0]!;
  const sums: Record<string, number> = {};
  for (const row of rows) for (const [name, value] of Object.entries(row)) sums[name] = (sums[name] ?? 0) + value;
  return sums;
}

interface KernelRow {
  readonly kernel: EvidenceKernel;
  readonly values: Values;
}
interface KernelIndex {
  /** Of all kernels. */
  readonly durationNs: number;
  rowsAt(file: string, line: number): readonly KernelRow[];
  named(name: string): readonly EvidenceKernel[];
}

const indexes = new WeakMap<readonly EvidenceKernel[], KernelIndex>();

/** Made once per report: findings are joined again on each keystroke, and a large program has hundreds of kernels. */
function indexOf(kernels: readonly EvidenceKernel[]): KernelIndex {
  let index = indexes.get(kernels);
  if (!index) indexes.set(kernels, (index = makeIndex(kernels)));
  return index;
}

function makeIndex(kernels: readonly EvidenceKernel[]): KernelIndex {
  const rows = new Map<string, KernelRow[]>();
  const names = new Map<string, EvidenceKernel[]>();
  for (const kernel of kernels) {
    const name = plainName(kernel.shortName);
    names.set(name, [...(names.get(name) ?? []), kernel]);
    for (const { file, line, values } of kernel.lines) {
      const key = `${line} ${file}`;
      if (!rows.has(key)) rows.set(key, []);
      rows.get(key)!.push({ kernel, values });
    }
  }
  return {
    durationNs: timeOf(kernels),
    rowsAt: (file, line) => rows.get(`${line} ${file}`) ?? [],
    named: (name) => names.get(plainName(name)) ?? [],
  };
}

const conditions = new Map<string, Condition>();

function condition(text: string): Condition {
  let known = conditions.get(text);
  if (!known) conditions.set(text, (known = readCondition(text, ['metric', 'against', 'threads', 'block'])));
  return known;
}
