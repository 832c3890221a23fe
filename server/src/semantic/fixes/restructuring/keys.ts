// What the facts of a kernel, or of a function that launches some, depend on: those functions, and what they may call.
import type { FunctionDecl } from '../../../syntax/ast';
import { once, includedHosts, type Fn, isWork, workOf, launchesIn, launchSiteAt, type Program } from '../../language';

/** Undefined where a function is not a kernel and launches none. */
export const keysOfLaunches = once((fn: Fn) => {
  const functions = restructuredWith(fn);
  return functions && { functions, texts: [functions.map(({ key }) => key).join(), calledIn(fn.program)] };
});

const calledIn = once(({ unit }: Program): string => {
  const here = unit.main.functions.flatMap((each) => (each.device && !each.global ? each.key : []));
  return [...here, includedHosts(unit)].join();
});

/**
 * The kernels that a host function launches, or the functions that launch a kernel: its facts depend on them as well.
 * Undefined where it can have none.
 */
function restructuredWith(fn: Fn): readonly FunctionDecl[] | undefined {
  const { decl } = fn;
  if (!decl.body) return undefined;
  if (decl.global)
    return [...new Set(fn.launchSites(decl.name).map(({ host }) => host.decl))].filter((each) => each !== decl);
  if (isWork(fn)) return [];
  const launches = launchesIn(decl);
  if (launches.length === 0) return undefined;
  const kernels = launches.flatMap((launch) => launchSiteAt(fn, launch).kernel ?? []);
  const works = launches.flatMap((launch) => {
    const kernel = launchSiteAt(fn, launch).kernel;
    return kernel ? workOf(kernel, launch.args, decl, fn.program).fn : [];
  });
  return [...new Set([...kernels, ...works])].filter((kernel) => kernel !== decl);
}
