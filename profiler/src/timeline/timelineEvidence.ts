// Holds findings of host code against a timeline: which calls cost the GPU time, and which did not.
import type { FindingEvidence } from '../../../protocol/src/evidence';
import type { FoundFinding } from '../../../protocol/src/requests';
import { stateByTime } from '../evidence/byTime';
import { readCondition, type Condition } from '../evidence/condition';
import { plainName } from '../evidence/kernelIdentity';
import type { PlacedCall } from './placeCalls';
import type { Timeline } from './timeline';
import { bytesText, shareOf, timeText } from './words';

/** What the conditions of a rule can name, of a finding's calls. */
function valuesOf(calls: readonly PlacedCall[], timeline: Timeline): Readonly<Record<string, number>> {
  const sum = (of: keyof PlacedCall['sums']): number => calls.reduce((total, { sums }) => total + sums[of], 0);
  return {
    idle: sum('idleNs'),
    time: sum('totalNs'),
    calls: sum('count'),
    bytes: sum('bytes'),
    pageable: sum('pageableBytes'),
    span: timeline.spanNs,
  };
}

const conditions = new Map<string, Condition>();
function condition(text: string): Condition {
  let known = conditions.get(text);
  if (!known) conditions.set(text, (known = readCondition(text, ['metric', 'against', 'threads'])));
  return known;
}

/**
 * The evidence of each finding, in their order; undefined for those of which no timeline can tell.
 * @param placed the document's calls, as `placeCalls` laid them
 * @param report name of the timeline, for the words
 */
export function joinTimeline(
  findings: readonly FoundFinding[],
  placed: readonly PlacedCall[],
  timeline: Timeline,
  report: string,
): (FindingEvidence | undefined)[] {
  return findings.map((finding) => {
    const { timeline: evidence, data } = finding;
    if (!evidence) return verdictByTime(finding, timeline, report);
    const name = String(data['name'] ?? '');
    const ranges = finding.measuredAt?.length ? finding.measuredAt : [finding.range];
    const own = placed.filter(
      ({ place }) =>
        place.name === name &&
        ranges.some(({ start, end }) => place.range.start.line <= end.line && place.range.end.line >= start.line),
    );
    if (own.length === 0)
      return { state: 'unmeasured', text: `Not measured: ${report} has no call of ${name || 'it'} here.`, cost: 0 };
    if (own.some(({ stale }) => stale))
      return { state: 'unmeasured', text: `Not measured: changed since ${report}; profile again.`, cost: 0 };
    const partner = partnerOf(finding, placed);
    // Calls that all belong to this finding need not be distinguished: each of them has the sum.
    const isTogether = own.every(({ shared }) => shared === own.length);
    const isApart = ranges.length > 1 && own.every(({ shared }) => shared === 1);
    const calls = [...(isApart ? own : own.slice(0, 1)), ...(partner ? [partner] : [])];
    const values = valuesOf(calls, timeline);
    if (values['calls'] === 0)
      return { state: 'not-executed', text: `Not executed: ${name} was not called here (${report}).`, cost: 0 };
    const known = {
      metric: values[evidence.metric],
      against: values[evidence.against ?? 'span'],
      threads: undefined,
    };
    const bad = condition(evidence.badWhen)(known);
    const none = evidence.noneWhen === undefined ? bad === false : condition(evidence.noneWhen)(known);
    // What several lines share shows that one of them costs, not that this one does; that none costs holds for each.
    const isShared = !isTogether && calls.some(({ shared }) => shared > 1);
    if (bad === undefined || (isShared && !none))
      return {
        state: 'unmeasured',
        text:
          `Not measured: ${report} does not distinguish the ${own[0]!.shared} calls of ${name} here` +
          `${timeline.hasCallChains ? '' : ', profile with --cudabacktrace=all'}; together ${figure(calls, timeline)}.`,
        cost: 0,
      };
    const state = bad ? 'confirmed' : none ? 'refuted' : 'weak';
    return {
      state,
      text: `${opening[state]}: ${figure(calls, timeline)} (${report}).`,
      cost: values['idle']!,
      ...(timeline.spanNs > 0 ? { gpuShares: { lines: values['idle']! / timeline.spanNs } } : {}),
      value: known.metric!,
      ...(known.against === undefined ? {} : { against: known.against }),
    };
  });
}

/** Of a finding about memory: its kernel's mean time against what is predicted with and without it. */
function verdictByTime(
  { predicted }: FoundFinding,
  { kernels, device }: Timeline,
  report: string,
): FindingEvidence | undefined {
  if (!predicted || device?.computeCapability !== predicted.computeCapability) return undefined;
  const named = kernels.filter(({ shortName }) => plainName(shortName) === predicted.kernel);
  const launches = named.reduce((sum, each) => sum + each.launches, 0);
  if (launches === 0)
    return { state: 'unmeasured', text: `Not measured: ${predicted.kernel} is not in ${report}.`, cost: 0 };
  const totalNs = named.reduce((sum, each) => sum + each.totalNs, 0);
  const state = stateByTime(predicted, totalNs / launches / 1000);
  const times =
    `${predicted.kernel} takes ${timeText(totalNs / launches)} per launch; ` +
    `${timeText(predicted.microseconds * 1000)} are ` +
    `predicted with the findings of this rule, ${timeText(predicted.without * 1000)} without`;
  if (state === 'unmeasured')
    return {
      state,
      text: `Not measured: the kernel time is inconclusive (${times}; ${report} has no counters).`,
      cost: 0,
    };
  const share = totalNs / kernels.reduce((sum, each) => sum + each.totalNs, 0);
  return {
    state,
    text: `${byTime[state]}: ${times} (times measured, figures from the model: ${report} has no counters).`,
    cost: totalNs,
    gpuShares: { lines: share, kernel: share },
  };
}

const byTime = {
  confirmed: 'Confirmed by kernel time',
  weak: 'Less than expected by kernel time',
  refuted: 'Not a problem here by kernel time',
  'not-executed': 'Not executed',
} as const;

const opening = { confirmed: 'Confirmed', weak: 'Less than expected', refuted: 'Not a problem here' } as const;

/** The call that gives back what the finding's takes: the next one behind it in the same function. */
function partnerOf({ data, range }: FoundFinding, placed: readonly PlacedCall[]): PlacedCall | undefined {
  const name = data['partner'];
  return placed.find(({ place }) => place.name === name && place.range.start.line >= range.start.line);
}

/** `cudaMalloc and cudaFree were called 260 times; the GPU idled for 21.8 ms meanwhile, 59 % of the run` */
function figure(calls: readonly PlacedCall[], timeline: Timeline): string {
  const values = valuesOf(calls, timeline);
  const names = [...new Set(calls.map(({ place }) => place.name))].join(' and ');
  const moved =
    values['bytes'] === 0 ? '' : `, ${bytesText(values['bytes']!)}${values['pageable'] ? ' of pageable memory' : ''}`;
  return (
    `${names} ${calls.length > 1 ? 'were' : 'was'} called ${values['calls']} ` +
    `${values['calls'] === 1 ? 'time' : 'times'}${moved}; the GPU idled for ${timeText(values['idle']!)} meanwhile, ` +
    `${shareOf(values['idle']!, timeline.spanNs)} of the run`
  );
}
