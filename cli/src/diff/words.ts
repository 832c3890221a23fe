// The words of a comparison, shared by text and Markdown.
import { thresholds } from '../../../server/src/cost/grade';
import type { AccessChange, Comparison, KernelChange, KernelMetric } from '../../../server/src/comparison/compare';
import type { AccessFigures, KernelFigures } from '../../../server/src/comparison/figures';
import { isReadLess, slowdownOf, type Unit } from '../../../server/src/comparison/work';
import type { ResourceMetric, Resources } from '../../../server/src/comparison/gate';

const metricNames: Readonly<Record<KernelMetric | ResourceMetric, string>> = {
  sectors: 'global memory sectors',
  wavefronts: 'shared memory wavefronts',
  atomics: 'atomic warp instructions',
  barriers: 'barriers that a block waits at',
  traffic: 'bytes of global memory, all launches',
  occupancy: 'threads of a multiprocessor that its blocks fill',
  unknown: 'accesses and calls whose traffic is unknown',
  registers: 'registers per thread (ptxas)',
  spills: 'bytes spilled per thread (ptxas)',
  stack: 'bytes of stack per thread (ptxas)',
  shared: 'bytes of static shared memory (ptxas)',
};

const units: Readonly<Record<Unit, string>> = { block: 'per block', warp: 'per 32 threads', launch: 'per launch' };

/** `1,152`, `0.333`; a part as percent. */
export function numberText(value: number): string {
  return Number(value.toPrecision(value >= 1000 ? 6 : 4)).toLocaleString('en-US', { maximumFractionDigits: 3 });
}

/** One row per figure that differs: its name, both values and their ratio. */
export function metricRows(
  { before, after, metrics, unit }: KernelChange,
  resources?: { readonly before: Resources; readonly after: Resources },
): readonly { readonly name: string; readonly before: string; readonly after: string; readonly ratio: string }[] {
  const rows = metrics.map((metric) => {
    const { name, ...rest } = row(metric, before[metric], after[metric]);
    return {
      ...rest,
      name: metric === 'sectors' || metric === 'wavefronts' || metric === 'atomics' ? `${name} ${units[unit]}` : name,
    };
  });
  for (const metric of ['registers', 'spills', 'stack', 'shared'] as const) {
    const [one, other] = [resources?.before[metric], resources?.after[metric]];
    if (one !== undefined && other !== undefined && one !== other) rows.push(row(metric, one, other));
  }
  return rows;
}

function row(
  metric: KernelMetric | ResourceMetric,
  before: number | undefined,
  after: number | undefined,
): { readonly name: string; readonly before: string; readonly after: string; readonly ratio: string } {
  const isShare = metric === 'occupancy';
  const text = (value: number | undefined): string =>
    value === undefined ? 'unknown' : isShare ? `${numberText(100 * value)} %` : numberText(value);
  const ratio = before && after && !isShare ? `${numberText(after / before)}×` : '';
  return { name: metricNames[metric], before: text(before), after: text(after), ratio };
}

/** The change of one access, without its location. */
export function accessText({ before, after }: AccessChange, of: Unit): string {
  if (!after) return `gone: \`${before!.text}\`, ${figureText(before!, of)}`;
  if (!before) return `new: \`${after.text}\`, ${figureText(after, of)}${causeText(after)}`;
  const [one, other] = [figureOf(before), figureOf(after)];
  const what = `\`${after.text}\``;
  const unit = unitOf(after);
  if (one !== other)
    return `${what}: ${knownText(one)} → ${knownText(other)} ${unit} a warp instruction${causeText(after)}`;
  const same = `${what}: as before ${knownText(one)} ${unit} a warp instruction, but`;
  return Math.abs(after.traffic - before.traffic) > 1e-6 * before.traffic
    ? `${same} ${numberText(before.traffic)} → ${numberText(after.traffic)} ${units[of]}`
    : `${same} in the best case ${numberText(before.atLeast)} → ${numberText(after.atLeast)}`;
}

function unitOf({ space }: AccessFigures): string {
  return space === 'shared' ? 'wavefronts' : 'sectors';
}
function figureOf({ space, sectors, wavefronts, sectorsAtMost }: AccessFigures): number | undefined {
  return space === 'shared' ? wavefronts : (sectors ?? sectorsAtMost);
}
function figureText(access: AccessFigures, of: Unit): string {
  const each = `${knownText(figureOf(access))} ${unitOf(access)} a warp instruction`;
  return `${each}, ${numberText(access.traffic)} ${units[of]}`;
}
function knownText(value: number | undefined): string {
  return value === undefined ? 'unknown' : numberText(value);
}
function causeText({ space, sectors, sectorsIdeal, wavefronts, wavefrontsIdeal }: AccessFigures): string {
  const [figure, ideal] = space === 'shared' ? [wavefronts, wavefrontsIdeal] : [sectors, sectorsIdeal];
  if (figure === undefined || !ideal || figure / ideal < 1.05) return '';
  return ` (${numberText(figure / ideal)}× what its bytes need)`;
}

/** Sentences on why the figures of a kernel changed, beyond its accesses. */
export function reasonsOf(change: KernelChange): readonly string[] {
  const { before, after, blocks, unit, causes } = change;
  const reasons: string[] = [];
  const slowdown = slowdownOf(change);
  if (slowdown !== undefined) reasons.push(`predicted time ${numberText(slowdown)}×`);
  const edits = causes.map(({ path, first, last }) => `${path}:${first}${last > first ? `–${last}` : ''}`).join(', ');
  if (blocks) {
    const at = after.launches[0];
    const where = at ? `, launched at ${at.path}:${at.line}` : '';
    reasons.push(`blocks of ${blocksText(before)} → ${blocksText(after)} threads${where}`);
  }
  if (unit === 'launch' && gridsText(before) !== gridsText(after))
    reasons.push(`grids of ${gridsText(before)} → ${gridsText(after)} blocks`);
  if (unit === 'warp') reasons.push('a grid is unknown: equal numbers of threads are compared');
  if (edits !== '')
    reasons.push(before.body === after.body ? `its own text is unchanged; edited: ${edits}` : `edited: ${edits}`);
  if (before.signature !== after.signature) reasons.push(`was ${before.signature}`);
  if (after.notAnalysed !== undefined) reasons.push(`analysed in part: ${after.notAnalysed}`);
  else if (before.notAnalysed !== undefined) reasons.push(`analysed in part before: ${before.notAnalysed}`);
  if (after.accesses.some(({ loop }) => loop !== undefined))
    reasons.push('loops of unknown length: iterations that move as many bytes are assumed');
  if (after.assumedBlock && after.blocks.length > 0) reasons.push('no launch is known: block sizes are assumed');
  return reasons;
}

function blocksText({ blocks }: KernelFigures): string {
  return blocks.length === 0 ? 'unknown' : blocks.join(' or ');
}

function gridsText({ grids = [] }: KernelFigures): string {
  return [...new Set(grids)].map(numberText).join(' or ');
}

/** What a kernel costs more than before, the gravest first. */
export function costsOf(change: KernelChange): readonly string[] {
  return differencesOf(change, 1).map((what) => costNames[what]);
}

const costNames = {
  cost: 'more traffic',
  atomics: 'more atomics',
  barriers: 'more barriers',
  occupancy: 'has fewer threads at a time',
  best: 'more traffic in the best case',
} as const;
const gainNames: Readonly<Record<keyof typeof costNames, string>> = {
  cost: 'less traffic',
  atomics: 'fewer atomics',
  barriers: 'fewer barriers',
  occupancy: 'has more threads at a time',
  best: 'less traffic in the best case',
};

/** Where it is above (1) or below (-1) what it was; lower occupancy counts as above. */
function differencesOf(change: KernelChange, sign: 1 | -1): readonly (keyof typeof costNames)[] {
  const { before, after, metrics, accesses, cost } = change;
  const slack = 1e-6 * Math.max(1, before.sectors + before.wavefronts);
  const of = (metric: KernelMetric): number =>
    metrics.includes(metric) ? (after[metric] ?? 0) - (before[metric] ?? 0) : 0;
  const values = {
    cost,
    atomics: of('atomics'),
    barriers: of('barriers'),
    occupancy: -of('occupancy'),
    best: accesses.reduce(
      (sum, { before: one, after: other }) =>
        sum + (one && other && Math.abs(cost) <= slack ? other.atLeast / other.bytes - one.atLeast / one.bytes : 0),
      0,
    ),
  };
  const names = Object.keys(values) as (keyof typeof values)[];
  return names.filter((name) => sign * values[name] > (name === 'cost' || name === 'best' ? slack : 1e-9));
}

/** Is the kernel slower (1) or faster (-1) by the predicted time, as fast (0)? Undefined where no time is predicted. */
function paceOf(change: KernelChange): 1 | 0 | -1 | undefined {
  const slowdown = slowdownOf(change);
  if (slowdown === undefined) return undefined;
  return slowdown >= thresholds.information ? 1 : slowdown <= 1 / thresholds.information ? -1 : 0;
}

/** Whether a kernel takes longer, and why; where no time is predicted, what of it is more or less. */
export function changeVerdict(change: KernelChange): string {
  const pace = paceOf(change);
  const costs = costsOf(change).join(', ');
  if (pace === undefined && isReadLess(change)) return 'can no longer be compared: less of it is read';
  if (pace === undefined && costs && isReadLess({ before: change.after, after: change.before }))
    return 'cannot be compared: more of it is read than before';
  if (change.obstacle !== undefined) return `cannot be compared: ${change.obstacle}`;
  const gains = differencesOf(change, -1).map((what) => gainNames[what]);
  const [first, second] = pace === -1 ? [gains.join(', '), costs] : [costs, gains.join(', ')];
  const reasons = first && second ? `${first}, but ${second}` : first || second;
  if (pace === undefined) return costs && gains.length > 0 ? `cannot be ranked: ${reasons}` : reasons || 'differs';
  const pacing = pace === 1 ? 'slower' : pace === -1 ? 'faster' : reasons && 'as fast';
  return [pacing, reasons].filter(Boolean).join(': ') || 'differs';
}

/** Is the change one for the worse, as far as is known? */
export function isWorse(change: KernelChange): boolean {
  const pace = paceOf(change);
  return isReadLess(change) || (pace === undefined ? !change.obstacle && costsOf(change).length > 0 : pace === 1);
}

/** The last sentence: the extent of the comparison. */
export function summaryOf(comparison: Comparison, files: number): string {
  const { pairs, changed, added, removed, findings, gone } = comparison;
  const graver = (severity: string): number =>
    findings.filter(({ after }) => after.finding.severity === severity).length;
  const counts = ['error', 'warning', 'information', 'hint'].flatMap((severity) =>
    graver(severity) > 0 ? `${severity} ${graver(severity)}` : [],
  );
  const lost = changed.filter(isReadLess).length;
  return (
    `${count(files, 'file')} read. ` +
    (changed.length === 0
      ? `No figure of the ${count(pairs.length, 'kernel')} in both versions changed`
      : `Figures of ${changed.length} of ${count(pairs.length, 'kernel')} in both versions changed`) +
    `; ${added.length} new, ${removed.length} gone. ` +
    (findings.length === 0 ? 'No new finding' : `New findings: ${counts.join(', ')}`) +
    (gone.length === 0 ? '.' : `; ${gone.length} of before ${gone.length === 1 ? 'is' : 'are'} gone.`) +
    (lost === 0 ? '' : ` Of ${count(lost, 'kernel')} less could be read than before.`)
  );
}

export function count(number: number, thing: string): string {
  return `${number} ${thing}${number === 1 ? '' : 's'}`;
}
