// Whether the grid of a launch has a thread for each row and column that a kernel's guard lets through.
import type { Expr } from '../../../syntax/ast';
import { constantPolynomial, type Fn, type Index, isStable, type LaunchSite, localsIn } from '../../language';
import { dim3Parts, extentParts } from '../launchShapes/launchGrids';
import { hostPolynomial, startsAll } from '../launchShapes/launchedEnds';
import type { ThreadRange } from './factors';

/** @param extent what the guard compares with, in terms of the launching function */
export function isCovered(site: LaunchSite, { axis, width }: ThreadRange, extent: Index): boolean {
  const [grid, block] = [0, 1].map((part) => partsOf(site.launch.config[part]!, site));
  if (![grid, block].every((parts) => parts && parts.length > 0 && isOne(parts[2]))) return false;
  const threads = block![axis === 'x' ? 0 : 1];
  const wide = threads ? site.host.index(threads) : constantPolynomial(1);
  if (width !== undefined && wide?.number !== width) return false;
  return startsAll(site, axis, hostPolynomial(extent, site));
}

function partsOf(extent: Expr, site: LaunchSite): readonly Expr[] | undefined {
  return extent.kind === 'name' ? dim3Parts(extent, site) : extentParts(extent);
}

/** Blocks and threads along the one axis that a launch has, where neither can change. */
export function extentsAlongX(site: LaunchSite): readonly [blocks: Expr, threads: Expr] | undefined {
  const { host, launch } = site;
  const [blocks, threads] = [launch.config[0], launch.config[1]].map((extent) => {
    if (!extent) return undefined;
    const local = host.local(extent);
    const declared = local?.variable ?? local?.parameter;
    const isCount = declared ? host.types.resolve(declared.type).kind === 'scalar' : host.index(extent);
    const parts = isCount ? [extent] : partsOf(extent, site);
    const [x, ...others] = parts ?? [];
    return x && others.every(isOne) && isSettled(x, host) ? x : undefined;
  });
  return blocks && threads && [blocks, threads];
}

const isOne = (part: Expr | undefined): boolean => !part || (part.kind === 'number' && part.value === 1);

function isSettled(part: Expr, host: Fn): boolean {
  const sides = part.kind === 'binary' ? [part.left, part.right] : [part];
  return sides.every((side) => {
    const polynomial = host.index(side);
    return !!polynomial && [...localsIn(polynomial)].every(isStable);
  });
}
