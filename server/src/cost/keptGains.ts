// Gains kept between versions of a file: a kernel whose facts are as they were has the gains that it had.
import { identityOf } from '../semantic/identity';
import type { Gain, Wasted } from './wasted';
import type { KernelTraffic, Rank } from './traffic';

/** A value and what it follows from, compared by identity, texts by their characters. */
interface Kept<T> {
  readonly causes: readonly unknown[];
  readonly value: T;
}
type GainsOfKernel = WeakMap<object, Kept<Gain | undefined>>;
const kernels = new WeakMap<object, Map<string, Kept<GainsOfKernel>>>();

/** Those of a kernel that follow from `causes` beside the waste that is taken away. */
export function keptGains({ name }: KernelTraffic, causes: readonly unknown[]): GainsOfKernel {
  const first = causes.find((cause) => typeof cause === 'object');
  if (!first) return new WeakMap();
  let named = kernels.get(first);
  if (!named) kernels.set(first, (named = new Map()));
  return keptIn(named, name, causes, () => new WeakMap());
}

export function keptGain(
  gains: GainsOfKernel,
  wasted: readonly Wasted[],
  rank: Rank,
  compute: () => Gain | undefined,
): Gain | undefined {
  const causes = causesOfWaste(wasted, rank);
  return keptIn(gains, causes[0] as object, causes, compute);
}

export function causesOfWaste(wasted: readonly Wasted[], rank: Rank): readonly unknown[] {
  return wasted.flatMap(({ fact, waste }) => [
    identityOf(fact),
    JSON.stringify([waste, waste.kind === 'issue' ? rank.shareOf(fact)?.share : undefined]),
  ]);
}

function keptIn<K, T>(
  known: { get(key: K): Kept<T> | undefined; set(key: K, kept: Kept<T>): unknown },
  key: K,
  causes: readonly unknown[],
  compute: () => T,
): T {
  const kept = known.get(key);
  if (kept?.causes.length === causes.length && causes.every((cause, at) => cause === kept.causes[at]))
    return kept.value;
  const value = compute();
  known.set(key, { causes, value });
  return value;
}
