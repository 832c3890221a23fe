// Facts of single accesses that are wrong: reads of shared memory that nothing wrote, and misaligned ones.
import type { FunctionDecl } from '../../syntax/ast';
import { sizeOf, typeName } from '../language';
import type { MisalignedFact, UnsetFact } from '../model';
import type { LaunchConfiguration, Locator, MemoryBase, RunResult, TracedAccess } from '../run';
import { findMisaligned } from './alignment';
import { placeOf } from './hazards';
import { scalarOf } from './overruns';
import { locatedAt, placeIn, threadName, type Launched, type RacePlace } from './raceFacts';
import { findUnset } from './unset';

type Located = 'at' | 'text' | 'kernels' | 'array' | 'arrayAt';
export interface WrongAccess {
  readonly key: string;
  readonly place: RacePlace;
  readonly base: MemoryBase;
  readonly wrong: Omit<UnsetFact, Located> | Omit<MisalignedFact, Located>;
  /** Of global memory that a launch gives: its number, the parameter, and whether the kernel adds to what it reads. */
  readonly given?: {
    readonly launch: number;
    readonly parameter: number;
    readonly set: number;
    readonly adds: boolean;
  };
}

/** What one run showed. `isWhole`: the run went through all of the kernel. */
export function wrongAccessesOf(
  result: RunResult,
  kernel: FunctionDecl,
  block: readonly [number, number, number],
  { launch, isWhole }: { readonly launch: LaunchConfiguration | undefined; readonly isWhole: boolean },
): WrongAccess[] {
  const summary = (access: TracedAccess, wrong: WrongAccess['wrong']): WrongAccess => ({
    key: `${wrong.kind} ${placeOf(access)}`,
    place: placeIn(access),
    base: access.base,
    wrong,
  });
  // Where a pointer leads to memory that is not known, it may be any.
  const unset = isWhole && result.complete && result.unread.size === 0 ? findUnset(result) : [];
  const isAligned = ({ declaration, space, align = 1 }: MemoryBase, alignment: number): boolean => {
    if (space !== 'global') return align % alignment === 0;
    const param = kernel.params.findIndex((one) => one === declaration?.node);
    return launch?.passed?.[param]?.offset !== undefined;
  };
  return [
    ...unset.map(({ access, lane, byte, isWhole: isOfAll }) => {
      const { type } = access.base;
      const element = Math.floor(byte / (sizeOf(scalarOf(type!)) ?? access.bytes));
      const common = { kind: 'unset', thread: threadName(lane, block), isWhole: isOfAll } as const;
      return summary(access, type?.kind === 'array' ? { ...common, element } : common);
    }),
    ...findMisaligned(result, isAligned).map(({ access, lane, byte, alignment, other }) => {
      const type = typeName(access.type);
      const common = { kind: 'misaligned', thread: threadName(lane, block), byte, alignment, type } as const;
      return summary(access, other === undefined ? common : { ...common, other: threadName(other, block) });
    }),
  ];
}

export function wrongFacts(
  { wrong, kernel, body }: Launched & { readonly wrong: readonly WrongAccess[] },
  locate: Locator,
  uri: string,
): (UnsetFact | MisalignedFact)[] {
  if (kernel.uri !== uri && body?.uri !== uri) return [];
  return wrong.map(({ place, base, wrong: more }) => ({ ...locatedAt(place, base, kernel, locate, uri), ...more }));
}
