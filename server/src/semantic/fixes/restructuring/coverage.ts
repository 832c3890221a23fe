// Whether the grid of a launch has a thread for each row and column that a kernel's guard lets through.
import type { Expr } from '../../../syntax/ast';
import { constantPolynomial, type Fn, type Index, isStable, type LaunchSite, localsIn } from '../../language';
import { dim3Parts, extentParts } from '../launchShapes/launchGrids';
import type { ThreadRange } from './factors';

/** @param extent what the guard compares with, in terms of the launching function */
export function isCovered(site: LaunchSite, { axis, width }: ThreadRange, extent: Index): boolean {
  const [grid, block] = [0, 1].map((part) => {
    const written = site.launch.config[part]!;
    const parts = partsOf(written, site);
    return parts && { written, parts };
  });
  if (!grid || !block || [grid, block].some(({ parts }) => parts.length === 0 || !isOne(parts[2]))) return false;
  const at = axis === 'x' ? 0 : 1;
  const [blocks, threads] = [grid, block].map(({ parts }) => parts[at]);
  // The operands of a variable may have changed since.
  const settled = [grid, block].every(
    ({ written, parts }) => written.kind !== 'name' || parts.every((part) => isSettled(part, site.host)),
  );
  const wide = threads ? site.host.index(threads) : constantPolynomial(1);
  if (!settled || !wide || (width !== undefined && wide.number !== width)) return false;
  return blocks ? reaches(blocks, wide, extent, site.host) : reachesBy(constantPolynomial(1), wide, extent);
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

function reaches(blocks: Expr, width: Index, extent: Index, host: Fn): boolean {
  const local = blocks.kind === 'name' ? host.local(blocks) : undefined;
  const meant = local && host.definition(local);
  if (meant && isSettled(meant, host)) return reaches(meant, width, extent, host);
  const exact = host.index(blocks);
  if (exact && reachesBy(exact, width, extent)) return true;
  // floor(over / width) + more blocks reach the extent where over + (more - 1) * width + 1 is not below it.
  const isSum = blocks.kind === 'binary' && blocks.op === '+' && blocks.right.kind === 'number';
  const more = isSum ? (blocks.right as { value: number }).value : 0;
  const quotient = isSum ? blocks.left : blocks;
  if (quotient.kind !== 'binary' || quotient.op !== '/') return false;
  const [over, under] = [quotient.left, quotient.right].map((side) => host.index(side));
  if (!over || !under?.equals(width)) return false;
  const last = over.plus(constantPolynomial(more - 1).times(width)).plus(constantPolynomial(1));
  return (last.plus(extent, -1).number ?? -1) >= 0;
}

function reachesBy(blocks: Index, width: Index, extent: Index): boolean {
  return (blocks.times(width).plus(extent, -1).number ?? -1) >= 0;
}
