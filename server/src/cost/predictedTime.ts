// How long a kernel takes with what a finding says, and would take without it: by these two a measured time alone shows
// whether the finding is real, where the GPU's counters cannot be read.
import type { Waste } from '../rules/rule';
import { contains, type Gpu, type Model, type Span } from '../semantic/model';
import { append } from '../semantic/language';
import { idealOf } from '../semantic/figures';
import { usual } from './choice';
import { describe, gainBetween } from './kernelTime';
import { createRank, type Rank } from './traffic';

export interface PredictedTime {
  /** Name of the kernel, without types. */
  readonly kernel: string;
  readonly microseconds: number;
  /** With the finding's accesses at their ideal. */
  readonly without: number;
}

interface Wasteful {
  readonly rule: string;
  readonly at: Span;
  readonly waste?: Waste['kind'];
}

/** For each finding about sectors or wavefronts; what one rule finds in a kernel is taken away at once. */
export function predictedTimes(model: Model, gpu: Gpu, findings: readonly Wasteful[]): (PredictedTime | undefined)[] {
  const rank = createRank(model, gpu);
  const groups = new Map<string, Span[]>();
  const keyOf = ({ rule, at, waste }: Wasteful): string | undefined => {
    const kernel = waste === 'access' ? model.facts.kernel.find((each) => contains(each.at, at)) : undefined;
    return kernel && `${rule} ${kernel.at.start}`;
  };
  const keys = findings.map(keyOf);
  for (const [at, key] of keys.entries()) if (key !== undefined) append(groups, key, findings[at]!.at);
  const known = new Map([...groups].map(([key, spans]) => [key, predictedTimeOf(rank, spans)]));
  return keys.map((key) => (key === undefined ? undefined : known.get(key)));
}

/** Undefined where the accesses move no more than they have to, or where grid or loops are not known. */
function predictedTimeOf(rank: Rank, spans: readonly Span[]): PredictedTime | undefined {
  const wasteful = rank.model.facts.access.filter(
    (fact) =>
      spans.some((span) => contains(span, fact.at) || contains(fact.at, span)) &&
      ((fact.space === 'shared' ? fact.wavefronts : fact.sectors) ?? 0) > idealOf(fact),
  );
  const [kernel] = rank.around(spans[0]!);
  if (wasteful.length === 0 || !kernel || kernel.sectors === 0) return undefined;
  const now = describe(rank, kernel, usual);
  const then = describe(rank, kernel, usual, { ideal: new Set(wasteful) });
  if (!now || !then || now.assumed) return undefined;
  const { before, after } = gainBetween(now, then, rank.gpu);
  return { kernel: kernel.name, microseconds: before.microseconds, without: after.microseconds };
}
