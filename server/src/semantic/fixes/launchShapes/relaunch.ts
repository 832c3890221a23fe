// A launch with another block: for kernels that ask for nothing but their thread's number in the grid, any block that
// brings as many threads will do.
import type { Refusal, RewriteFact } from '../../model';
import { type Fn, type LaunchSite, calleeName, meetsThreads } from '../../language';
import { extentOf, takesSharedMemory } from './launchGrids';
import { type NumberPlaces, numberPlacesOf } from '../threadNumbers/rows';
import { refuser } from '../writing/refusals';
import { endsAll, endsPlane, numberAlong, otherThanNumbers } from './planes';
import { comesToEnds } from './launchedEnds';
import { knowsThreads } from './oneThread';
import { ownEndOf } from './ownEnd';
import { onlyStrides } from './strides';
import { namedAlike, withBlock } from './values';
import { leftOutNamesThreads } from '../../program';

const refused = refuser<'kernel' | 'guard' | 'number' | 'together' | 'shared' | 'bounds' | 'extents' | 'values'>(
  'block-shape',
);

/** A side of the square of threads that most kernels run well with. */
const usualSide = 16;

/**
 * The launch with blocks of `wanted` threads and as many of them as bring the same number of threads, the last one
 * filled up, in a row or in a plane. A kernel in
 * a row that has no end is given one, where nothing but known launches would have to know of it. Of blocks of so many
 * `threads` that they split into whole ones no thread is added, and no end is needed.
 */
export function relaunchOf(
  site: LaunchSite,
  launchedElsewhere: boolean,
  wanted: number,
  threads?: number,
): RewriteFact | Refusal {
  const { kernel, host } = site;
  if (!kernel?.body) return refused('kernel', "the kernel's source is not known");
  const fn = host.of(kernel);
  const places = numberPlacesOf(fn, undefined);
  const isRow = typeof places !== 'string' && places.numbers.length > 0;
  if (!isRow && otherThanNumbers(fn) !== undefined)
    return refused('number', 'the kernel uses its block index for more than the thread number in the grid');
  const ends = isRow ? endsInRow(fn, places) : endsPlane(fn);
  const openEnd = 'the kernel has no bounds check, and the last block would be padded';
  const parts = isRow && threads !== undefined && threads % wanted === 0 ? threads / wanted : 1;
  if (parts === 1 && !ends && (!isRow || places.totals.length > 0)) return refused('guard', openEnd);
  const together = whyTogether(fn);
  if (together !== undefined) return refused('together', together);
  const alike = namedAlike(site);
  if (alike.some(takesSharedMemory)) return refused('shared', 'the launch has dynamic shared memory');
  const bounds = kernel.launchBounds?.[0];
  if (bounds && (fn.types.constant(bounds) ?? 0) < wanted)
    return refused('bounds', `the kernel's bounds do not allow blocks of ${wanted} threads`);
  const extents = alike.flatMap((each) => [extentOf(each, 0), extentOf(each, 1)]);
  if (!isRow) {
    if (extents.some((extent) => extent?.y === undefined))
      return refused('extents', 'grid and block are not both written as planes');
    if (!alike.every((each) => comesToEnds(each, ['x', 'y'])))
      return refused('guard', "the launch is not known to cover the kernel's bounds along x and y");
    const edits = withBlock(alike, [usualSide, usualSide], true);
    if (typeof edits === 'string') return refused('values', edits);
    return { edits, title: `Use blocks of ${usualSide} × ${usualSide} (last ones padded)` };
  }
  if (!extents.every((extent) => extent?.oneDimensional))
    return refused('extents', 'grid and block are not both written as single numbers');
  // What an end of the kernel's own stops is more than the launch starts, where the launch does not come to it.
  const comes = ends && (places.totals.length > 0 || alike.every((each) => comesToEnds(each)));
  const ownEnd = comes || parts > 1 ? [] : ownEndOf(fn, launchedElsewhere);
  if (typeof ownEnd === 'string')
    return refused(
      'guard',
      ends ? `the launch is not known to cover the kernel's bound; ${ownEnd}` : `${openEnd}; ${ownEnd}`,
    );
  const edits = withBlock(alike, [wanted], comes, parts > 1);
  if (typeof edits === 'string') return refused('values', edits);
  if (parts > 1) return { edits, title: `Use blocks of ${wanted}` };
  const filled = comes ? 'last one padded' : 'adds a count parameter';
  return {
    edits: [...ownEnd, ...edits],
    title: `Use blocks of ${wanted} (${filled})`,
    ...(!comes && { isLong: true }),
  };
}

/** What the threads of a block do together, or may in another build; undefined where each works for itself. */
export function whyTogether(fn: Fn): string | undefined {
  for (const node of fn.locals.nodes) {
    if (node.kind === 'var' && node.space === 'shared') return 'the threads of a block share memory';
    if (node.kind === 'asm' || node.kind === 'opaque' || node.kind === 'lambda')
      return 'the kernel contains code that cannot be analysed';
    const name = node.kind === 'call' ? calleeName(node) : undefined;
    if (node.kind === 'call' && name !== undefined && (meetsThreads(name) || knowsThreads(node, fn)))
      return `\`${name}\` uses the thread index`;
  }
  return leftOutNamesThreads(fn.decl, fn.program) ? 'the kernel uses its thread index in another build' : undefined;
}

function endsInRow(fn: Fn, places: NumberPlaces): boolean {
  return places.totals.length > 0 ? onlyStrides(fn, places) : endsAll(fn, [numberAlong('x')]);
}
