// How long a kernel takes with what a finding says, and would take without it: by these two a measured time alone shows
// whether the finding is real, where the GPU's counters cannot be read.
import { type AccessFact, contains, type Gpu, type Model, type Span } from '../semantic/model';
import { predictedGain } from './kernelTime';

export interface PredictedTime {
  /** Name of the kernel, without types. */
  readonly kernel: string;
  readonly microseconds: number;
  /** With the finding's accesses at their ideal. */
  readonly without: number;
}

/** Rules whose findings are sectors or wavefronts too many, which is what the prediction counts. */
const ofMemory: ReadonlySet<string> = new Set(['cuda/uncoalesced-access', 'cuda/bank-conflict']);
/** The prediction's constants were measured on this one alone. */
const measuredOn = 9.0;

/** For each finding, in their order; what one rule finds in a kernel is taken away at once. */
export function predictedTimes(
  model: Model,
  gpu: Gpu,
  findings: readonly { readonly rule: string; readonly at: Span }[],
): (PredictedTime | undefined)[] {
  if (gpu.computeCapability !== measuredOn) return findings.map(() => undefined);
  const groups = new Map<string, Span[]>();
  const keyOf = ({ rule, at }: (typeof findings)[number]): string | undefined => {
    const kernel = ofMemory.has(rule) ? model.facts.kernel.find((each) => contains(each.at, at)) : undefined;
    return kernel && `${rule} ${kernel.at.start}`;
  };
  const keys = findings.map(keyOf);
  for (const [at, key] of keys.entries())
    if (key !== undefined) groups.set(key, [...(groups.get(key) ?? []), findings[at]!.at]);
  const known = new Map([...groups].map(([key, spans]) => [key, predictedTimeOf(model, gpu, spans)]));
  return keys.map((key) => (key === undefined ? undefined : known.get(key)));
}

/**
 * Of the accesses at `spans`; undefined where they move no more than they have to, or where grid or loops are not
 * known, so that no time can be predicted.
 */
function predictedTimeOf(model: Model, gpu: Gpu, spans: readonly Span[]): PredictedTime | undefined {
  const isMeant = ({ at }: AccessFact): boolean => spans.some((span) => contains(span, at) || contains(at, span));
  const access = model.facts.access.map((fact) => (isMeant(fact) ? idealOf(fact) : fact));
  if (access.every((fact, at) => fact === model.facts.access[at])) return undefined;
  const gain = predictedGain(model, { ...model, facts: { ...model.facts, access } }, gpu, spans[0]);
  if (!gain || gain.assumed) return undefined;
  const { before, after } = gain;
  return { kernel: before.kernel.name, microseconds: before.microseconds, without: after.microseconds };
}

/** The same access with lanes side by side, or without conflicts; itself where it is that already. */
function idealOf(fact: AccessFact): AccessFact {
  const { space, sectors, sectorsIdeal, wavefronts, wavefrontsIdeal, elementBytes } = fact;
  if (space === 'shared')
    return wavefronts !== undefined && wavefrontsIdeal !== undefined && wavefronts > wavefrontsIdeal
      ? { ...fact, wavefronts: wavefrontsIdeal }
      : fact;
  if (space !== 'global' || sectors === undefined || sectorsIdeal === undefined || sectors <= sectorsIdeal) return fact;
  const { cause: _, ...rest } = fact;
  return { ...rest, sectors: sectorsIdeal, laneStride: elementBytes };
}
