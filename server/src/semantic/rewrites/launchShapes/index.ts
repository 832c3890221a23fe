// What a launch's block size hangs on: where its number stands, how the grid follows it, and what the kernel makes of
// it.
import type { LaunchExpr } from '../../../syntax/ast';
import type { LaunchFact } from '../../model';
import type { FunctionContext } from '../../language/functionContext';
import { launchSiteAt } from '../../language/launchSites';
import { kernelFacts } from './kernels';
import { relaunchOf } from './relaunch';
import { flowsOnlyIntoShapes, isCeilDivision, literalOf } from './literals';

export type LaunchShapeFacts = Pick<
  LaunchFact,
  | 'blockLiteral'
  | 'gridIsCeilDivision'
  | 'kernelGuardsIndex'
  | 'kernelNeedsShape'
  | 'kernelIsSetup'
  | 'relaunch'
  | 'refusals'
>;

/**
 * The facts about `launch`, which stands in the function of `context`, and the kernel it starts. `threads` is the
 * block's size where it is known.
 * `blockLiteral` is present only where one edit of it is enough: everything else that its number flows into is the
 * shape of launches that would take it too.
 */
export function launchShapeOf(context: FunctionContext, launch: LaunchExpr, threads?: number): LaunchShapeFacts {
  const site = launchSiteAt(context, launch) ?? { launch, host: context };
  const kernel = site.kernel && kernelFacts(site, context, threads);
  const relaunch = relaunchOf(site, kernel?.guards ?? false);
  const literal = literalOf(launch.config[1]!, context);
  const follows = !!literal && isCeilDivision(launch.config[0]!, literal, context);
  return {
    ...('edits' in relaunch ? { relaunch } : { refusals: [relaunch] }),
    gridIsCeilDivision: follows,
    kernelGuardsIndex: kernel?.guards ?? false,
    kernelNeedsShape: kernel?.needsShape ?? false,
    kernelIsSetup: kernel?.setup ?? false,
    ...(literal && follows && kernel?.guards && !kernel.needsShape && flowsOnlyIntoShapes(literal, context)
      ? { blockLiteral: { at: literal.at, value: literal.value, axis: 'x' } }
      : {}),
  };
}
