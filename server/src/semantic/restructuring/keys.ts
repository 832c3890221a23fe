// What the facts of a kernel, or of a function that launches some, depend on: those functions, and what they may call.
import type { FunctionDecl } from '../../syntax/ast';
import {
  once,
  includedHosts,
  type FunctionContext,
  isWork,
  workOf,
  launchesIn,
  launchSiteAt,
  launchSitesNamed,
  type Program,
} from '../language';

/** Undefined where a function is not a kernel and launches none. */
export const keysOfLaunches = once((context: FunctionContext) => {
  const functions = restructuredWith(context);
  return functions && { functions, texts: [functions.map(({ key }) => key).join(), calledIn(context.program)] };
});

const calledIn = once(({ unit }: Program): string => {
  const here = unit.main.functions.flatMap((each) => (each.device && !each.global ? each.key : []));
  return [...here, includedHosts(unit)].join();
});

/**
 * The kernels that a host function launches, or the functions that launch a kernel: its facts depend on them as well.
 * Undefined where it can have none.
 */
function restructuredWith(context: FunctionContext): readonly FunctionDecl[] | undefined {
  const { fn } = context;
  if (!fn.body) return undefined;
  if (fn.global)
    return [...new Set(launchSitesNamed(context, fn.name).map(({ host }) => host.fn))].filter((each) => each !== fn);
  if (isWork(context)) return [];
  const launches = launchesIn(fn);
  if (launches.length === 0) return undefined;
  const kernels = launches.flatMap((launch) => launchSiteAt(context, launch).kernel ?? []);
  const works = launches.flatMap((launch) => {
    const kernel = launchSiteAt(context, launch).kernel;
    return kernel ? workOf(kernel, launch.args, fn, context.program).fn : [];
  });
  return [...new Set([...kernels, ...works])].filter((kernel) => kernel !== fn);
}
