// Facts of one place that several kernels reach (a device function, a macro) become one fact.
import { identified } from '../identity';
import type {
  AccessFact,
  Assumption,
  BarrierFact,
  BranchFact,
  MisalignedFact,
  OverrunFact,
  RaceFact,
  Span,
  UnsetFact,
} from '../model';

function joined(left: readonly string[], right: readonly string[]): string[] {
  return [...new Set([...left, ...right])];
}
function joinedAssumptions(left: readonly Assumption[], right: readonly Assumption[]): Assumption[] {
  const byText = new Map([...left, ...right].map((one) => [JSON.stringify(one), one]));
  return [...byText.values()];
}
const certainties = ['proven', 'conditional', 'unknown'] as const;
function leastCertain(left: AccessFact['certainty'], right: AccessFact['certainty']): AccessFact['certainty'] {
  return certainties[Math.max(certainties.indexOf(left), certainties.indexOf(right))]!;
}
function keyOf({ at }: { readonly at: Span }, more = ''): string {
  return `${at.uri}:${at.start}:${at.end}:${more}`;
}

/** One fact a key, joined in their order. */
function merged<F extends object>(facts: readonly F[], key: (fact: F) => string, join: (known: F, fact: F) => F): F[] {
  const byKey = new Map<string, F>();
  for (const fact of facts) {
    const its = key(fact);
    const known = byKey.get(its);
    byKey.set(its, known ? identified(join(known, fact), known, fact) : fact);
  }
  return [...byKey.values()];
}

/** On the safe side: the most of atomics, which waste where they meet, the fewest of constant memory. */
function joinedAddresses(left: AccessFact, right: AccessFact): { readonly addresses?: number | undefined } {
  if (left.addresses === undefined && right.addresses === undefined) return {};
  if (left.addresses === undefined || right.addresses === undefined) return { addresses: undefined };
  const pick = left.mode === 'atomic' ? Math.max : Math.min;
  return { addresses: pick(left.addresses, right.addresses) };
}

/** Sums what was counted; the ratio of the sum is what hardware counters show for the line. */
export function mergeAccesses(facts: readonly AccessFact[]): AccessFact[] {
  // One call may reach several arrays: each keeps its own figures and its own name.
  const isCalled = ({ via, at }: AccessFact): boolean => via?.uri === at.uri && via.start === at.start;
  const key = (fact: AccessFact): string =>
    keyOf(fact, `${fact.mode}:${fact.space}:${fact.elementBytes}${isCalled(fact) ? `:${fact.array.name}` : ''}`);
  return merged(facts, key, (known, fact) => {
    const a = Math.max(known.executions, known.executions || fact.executions ? 0 : 1);
    const b = fact.executions;
    const total = a + b;
    const mean = (left: number | undefined, right: number | undefined): number | undefined =>
      left === undefined ? right : right === undefined ? left : total ? (left * a + right * b) / total : left;
    const pick = <K extends 'sectors' | 'sectorsIdeal' | 'wavefronts' | 'wavefrontsIdeal'>(
      name: K,
    ): { [Name in K]?: number } => {
      const value = mean(known[name], fact[name]);
      return (value === undefined ? {} : { [name]: value }) as { [Name in K]?: number };
    };
    const gather = known.gather ?? fact.gather;
    return {
      ...(known.cause || !fact.cause ? known : { ...fact, kernels: known.kernels }),
      kernels: joined(known.kernels, fact.kernels),
      assumed: joinedAssumptions(known.assumed, fact.assumed),
      ...pick('sectors'),
      ...pick('sectorsIdeal'),
      ...pick('wavefronts'),
      ...pick('wavefrontsIdeal'),
      certainty: leastCertain(known.certainty, fact.certainty),
      activeLanes: mean(known.activeLanes, fact.activeLanes)!,
      executions: known.executions + fact.executions,
      ...(known.kept === fact.kept ? {} : { kept: undefined }),
      ...(gather ? { gather } : {}),
      ...joinedAddresses(known, fact),
    };
  });
}

export function mergeBranches(facts: readonly BranchFact[]): BranchFact[] {
  const order = ['constant', 'grid-uniform', 'block-uniform', 'warp-uniform', 'thread-varying'];
  return merged(facts, keyOf, (known, fact) => {
    const worst = order.indexOf(fact.variance) > order.indexOf(known.variance) ? fact : known;
    const most = (name: 'splitShare' | 'lostShare'): number | undefined =>
      known[name] === undefined
        ? fact[name]
        : fact[name] === undefined
          ? known[name]
          : Math.max(known[name]!, fact[name]!);
    const splitShare = most('splitShare');
    const lostShare = most('lostShare');
    return {
      ...worst,
      kernels: joined(known.kernels, fact.kernels),
      assumed: joinedAssumptions(known.assumed, fact.assumed),
      dataDependent: known.dataDependent || fact.dataDependent,
      boundaryGuard: known.boundaryGuard && fact.boundaryGuard,
      // In a run in which no lane differs, a block of one thread say, no one is left out.
      singleLane: [known, fact].every((each) => each.singleLane || each.variance !== 'thread-varying'),
      ...(splitShare === undefined ? {} : { splitShare }),
      ...(lostShare === undefined ? {} : { lostShare }),
    };
  });
}

export function mergeBarriers(facts: readonly BarrierFact[]): BarrierFact[] {
  return merged(facts, keyOf, (known, fact) => ({
    ...fact,
    ...known,
    kernels: joined(known.kernels, fact.kernels),
    proven: known.proven || fact.proven,
  }));
}

/** What one place races with in several kernels is one fact; the first says between which threads. */
export function mergeRaces(facts: readonly RaceFact[]): RaceFact[] {
  return merged(facts, (fact) => keyOf(fact, `${fact.scope}:${fact.other.at.uri}:${fact.other.at.start}`), ofBoth);
}

/** The first kernel says which thread. */
export function mergeOverruns(facts: readonly OverrunFact[]): OverrunFact[] {
  return merged(facts, (fact) => keyOf(fact, fact.array), ofBoth);
}

/** The first kernel says which thread. */
export function mergeWrong<F extends UnsetFact | MisalignedFact>(facts: readonly F[]): F[] {
  return merged(facts, keyOf, ofBoth);
}

function ofBoth<F extends { readonly kernels: readonly string[] }>(known: F, fact: F): F {
  return { ...known, kernels: joined(known.kernels, fact.kernels) };
}
