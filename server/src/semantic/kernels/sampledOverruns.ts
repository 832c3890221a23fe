// Accesses beyond memory whose size the host leaves open, found by running the kernel at several sizes.
import type { FunctionDecl } from '../../syntax/ast';
import { globalOverrunsOf, outermostBlocks, type OverrunSummary, type TriedLaunch } from '../races';
import { run, type LaunchConfiguration, type LaunchSample, type RunSetup } from '../run';
import { withinSteps } from '../steps';
import { bindingsOf } from './launches';

/** What the runs of a kernel at sizes of its first sampled launch may take. */
const mostSteps = 150_000;
const leastSizes = 3; // fewer show nothing that holds for every one

type Common = Pick<RunSetup, 'program' | 'types' | 'gpu' | 'compiler' | 'budget'>;

/** The accesses beyond memory, each with a size that shows it, and all sizes to try guards with. */
export function overrunsOfSamples(
  kernel: FunctionDecl,
  launches: readonly LaunchConfiguration[],
  common: Common,
): { readonly found: readonly OverrunSummary[]; readonly tried: readonly TriedLaunch[] } {
  const found: OverrunSummary[] = [];
  const sampled = launches.flatMap(({ samples }, launch) => (samples ? [{ samples, launch }] : []));
  withinSteps(mostSteps, () => {
    if (sampled[0]) found.push(...ofLaunch(sampled[0].samples, sampled[0].launch));
  });
  const tried = found.length > 0 ? sampled.flatMap(({ samples, launch }) => samples.map((one) => at(one, launch))) : [];
  return { found, tried };

  function ofLaunch(samples: readonly LaunchSample[], launch: number): OverrunSummary[] {
    // What does not come with the size is for a size that the launch takes for granted.
    const follows = new Set(samples.map(({ launch: { grid, block } }) => JSON.stringify([grid, block]))).size > 1;
    if (!follows && new Set(samples.map(({ launch: { args } }) => args.join())).size === 1) return [];
    const byKey = new Map<string, OverrunSummary[]>();
    let tried = 0;
    for (const [nth, sample] of samples.entries()) {
      if (byKey.size === 0 && nth >= sample.numbers.length) break;
      const shown = ofSample(sample, launch);
      if (!shown) continue;
      tried++;
      for (const one of new Map(shown.map((each) => [each.key, each])).values())
        byKey.set(one.key, [...(byKey.get(one.key) ?? []), one]);
    }
    const shown = [...byKey.values()].map((list) => {
      const last = list.at(-1)!;
      return { ...last, sample: { ...last.sample!, isAlways: list.length === tried && tried >= leastSizes } };
    });
    // What some sizes show has one cause: the guard.
    const first = follows ? shown.find(({ sample, element }) => !sample!.isAlways && element >= 0) : undefined;
    return shown.filter((each) => each.sample!.isAlways || each === first);
  }

  function at({ launch, rooms }: LaunchSample, index: number): TriedLaunch {
    const { args, argOffsets = [], passed = [] } = launch;
    const bindings = bindingsOf(kernel, launch, common.types);
    const [block, grid] = [axesOf(launch.block), axesOf(launch.grid)];
    const setup = { ...common, ...{ bindings, host: false, block, grid, args, argOffsets, passed, races: true } };
    return triedAt(setup, launch, [{ rooms, launch: index }]);
  }

  function ofSample(sample: LaunchSample, index: number): OverrunSummary[] | undefined {
    const { numbers, launch } = sample;
    const block = axesOf(launch.block);
    if (launch.block.x === undefined || block[0] * block[1] * block[2] > 1024 || !launch.grid.x) return undefined;
    const { trace, rooms: given } = at(sample, index);
    const results = trace(kernel);
    if (results.some(({ complete }) => !complete)) return undefined;
    const beyond = outermostBlocks(axesOf(launch.grid)).flatMap((blockAt, nth) =>
      globalOverrunsOf(results[nth]!.global, kernel, { block, blockAt, given }),
    );
    // Variables have a size that no sample changes.
    const ofRooms = beyond.filter(({ global }) => global?.launch !== undefined);
    return ofRooms.map((each) => ({ ...each, sample: { numbers, isAlways: false } }));
  }
}

function axesOf({ x = 1, y = 1, z = 1 }: LaunchConfiguration['block']): readonly [number, number, number] {
  return [x, y, z];
}

/** A launch as guards are tried with it. */
export function triedAt(
  setup: Omit<RunSetup, 'fn'>,
  launch: LaunchConfiguration,
  rooms: TriedLaunch['rooms'],
): TriedLaunch {
  const { bindings, grid } = setup;
  return {
    ...{ launch, bindings, rooms },
    trace: (fn) => outermostBlocks(grid).map((blockAt) => run({ ...setup, fn, blockAt })),
  };
}
