// What a launch's block size depends on: where its number is, how the grid follows it, and how the kernel uses
// it.
import type { LaunchExpr } from '../../../syntax/ast';
import type { LaunchFact, Refusal, RewriteFact } from '../../model';
import { type Fn, launchSiteAt, type LaunchSite } from '../../language';
import { moreBlocksOf } from './moreBlocks';
import { kernelFacts } from './kernels';
import { comesToEnds } from './launchedEnds';
import { oneThreadOf } from './oneThread';
import { relaunchOf } from './relaunch';
import { flowsOnlyIntoShapes, isCeilDivision, literalOf } from './literals';

export type LaunchShapeFacts = Pick<
  LaunchFact,
  | 'blockLiteral'
  | 'gridIsCeilDivision'
  | 'kernelGuardsIndex'
  | 'kernelCountsThreads'
  | 'kernelNeedsShape'
  | 'kernelIsSetup'
  | 'apartLoop'
  | 'relaunches'
  | 'moreBlocks'
  | 'refusals'
>;

/** The usual block, and where it leaves too few of them the next, down to the smallest that is not reported. */
const blocks = [256, 128, 64];

/**
 * The facts about `launch`, which is in the function of `fn`, and the kernel it starts. `threads` is the
 * block's size where it is known. `launchedElsewhere`: other files launch the kernel. `blockLiteral` is present only
 * where one edit of it is enough: everything else that its number flows into is the shape of launches that would take
 * it too. `factsOf` may keep what it says of a kernel.
 */
export function launchShapeOf(
  fn: Fn,
  launch: LaunchExpr,
  threads?: number,
  launchedElsewhere = false,
  factsOf: typeof kernelFacts = kernelFacts,
): LaunchShapeFacts {
  const site = launchSiteAt(fn, launch);
  const kernel = site.kernel && factsOf(site, fn, threads);
  const guards = kernel?.guards ?? false;
  const relaunched = blocks.map((wanted) =>
    threads === 1 ? ofOneThread(site, launchedElsewhere, wanted) : relaunchOf(site, launchedElsewhere, wanted, threads),
  );
  const relaunches = relaunched.flatMap((each, at) => ('edits' in each ? [{ ...each, threads: blocks[at]! }] : []));
  const refusals = relaunched.flatMap((each) => ('edits' in each ? [] : [each])).slice(0, 1);
  const moreBlocks = moreBlocksOf(site);
  const literal = literalOf(launch.config[1]!, fn);
  const takesAnySize = (each: LaunchSite): boolean => {
    const facts = each.kernel && factsOf(each, each.host, literal?.value);
    return !!facts?.guards && !facts.needsShape && comesToEnds(each);
  };
  const follows = !!literal && isCeilDivision(launch.config[0]!, literal, fn);
  return {
    // A function that launches may take more than the launch does.
    ...(launch.asked ? {} : relaunches.length > 0 ? { relaunches } : { refusals }),
    ...(moreBlocks.length > 0 && !launch.asked ? { moreBlocks } : {}),
    gridIsCeilDivision: follows,
    kernelGuardsIndex: guards,
    kernelCountsThreads: kernel?.counts ?? false,
    kernelNeedsShape: kernel?.needsShape ?? false,
    kernelIsSetup: kernel?.setup ?? false,
    ...(literal && follows && takesAnySize(site) && flowsOnlyIntoShapes(literal, fn, takesAnySize)
      ? { blockLiteral: { at: literal.at, value: literal.value, axis: 'x' } }
      : {}),
  };
}

/** What a launch of many blocks of one thread can become; of the refusals the one that came nearer. */
function ofOneThread(site: LaunchSite, launchedElsewhere: boolean, wanted: number): RewriteFact | Refusal {
  const asWritten = relaunchOf(site, launchedElsewhere, wanted);
  if ('edits' in asWritten || asWritten.precondition !== 'number') return asWritten;
  return oneThreadOf(site, launchedElsewhere, wanted);
}
