// A launch with another block: for kernels that ask for nothing but their thread's number in the grid, any block that
// brings as many threads will do.
import type { Edit, Refusal, RewriteFact } from '../../model';
import {
  createFunctionContext,
  type FunctionContext,
  spanOf,
  type LaunchSite,
  calleeName,
  type Locals,
  localsOf,
  meetsThreads,
} from '../../language';
import { extentOf } from '../launchGrids';
import { endsRows, type NumberPlaces, numberPlacesOf } from '../rowWarps/rows';
import { refuser } from '../refusals';
import { endsPlane, otherThanNumbers } from './planes';
import { comesToEnds } from './launchedEnds';
import { knowsThreads } from './oneThread';
import { ownEndOf } from './ownEnd';
import { onlyStrides } from './strides';
import { leftOutNamesThreads } from '../../program';

/** Every precondition by its name; each has an example that fails it alone. */
export const relaunchPreconditions = ['kernel', 'guard', 'number', 'together', 'shared', 'bounds', 'extents'] as const;
const refused = refuser<(typeof relaunchPreconditions)[number]>('block-shape');

/** A side of the square of threads that most kernels run well with. */
const usualSide = 16;

/**
 * The launch with blocks of `wanted` threads and as many of them as bring the same number of threads, the last one
 * filled up, in a row or in a plane; `guards` says that the kernel does nothing beyond its own end along x. A kernel in
 * a row that has no end is given one, where nothing but known launches would have to know of it. Of blocks of so many
 * `threads` that they split into whole ones no thread is added, and no end is needed.
 */
export function relaunchOf(
  site: LaunchSite,
  guards: boolean,
  launchedElsewhere: boolean,
  wanted: number,
  threads?: number,
): RewriteFact | Refusal {
  const { kernel, host, launch } = site;
  if (!kernel?.body) return refused('kernel', "the kernel's source is not known");
  const context = createFunctionContext(host.unit, host.program.fileOf(kernel)!, kernel, {
    program: host.program,
    types: host.types,
  });
  const locals = localsOf(kernel);
  const places = numberPlacesOf(context, locals, undefined);
  const isRow = typeof places !== 'string' && places.numbers.length > 0;
  if (!isRow && otherThanNumbers(context, locals) !== undefined)
    return refused('number', 'the kernel uses its block index for more than the thread number in the grid');
  const ends = isRow ? endsInRow(context, locals, places, guards) : endsPlane(context, locals);
  const openEnd = 'the kernel has no bounds check, and the last block would be padded';
  const parts = isRow && threads !== undefined && threads % wanted === 0 ? threads / wanted : 1;
  if (parts === 1 && !ends && (!isRow || places.totals.length > 0)) return refused('guard', openEnd);
  const together = whyTogether(context, locals);
  if (together !== undefined) return refused('together', together);
  const shared = launch.config[2];
  if (shared && !(shared.kind === 'number' && shared.value === 0))
    return refused('shared', 'the launch has dynamic shared memory');
  const bounds = kernel.launchBounds?.[0];
  if (bounds && (context.types.constant(bounds) ?? 0) < wanted)
    return refused('bounds', `the kernel's bounds do not allow blocks of ${wanted} threads`);
  const [grid, block] = [extentOf(site, 0), extentOf(site, 1)];
  if (!isRow) {
    if (grid?.y === undefined || block?.y === undefined)
      return refused('extents', 'grid and block are not both written as planes');
    if (!comesToEnds(site, ['x', 'y']))
      return refused('guard', "the launch is not known to cover the kernel's bounds along x and y");
    const along = (blocks: string, extent: string): string =>
      `(${blocks} * ${extent} + ${usualSide - 1}) / ${usualSide}`;
    return {
      edits: [
        grid.withPlane(along(grid.x, block.x), along(grid.y, block.y)),
        block.withPlane(String(usualSide), String(usualSide)),
      ],
      title: `Use blocks of ${usualSide} × ${usualSide} for the same threads (last ones padded)`,
    };
  }
  if (!grid?.oneDimensional || !block?.oneDimensional)
    return refused('extents', 'grid and block are not both written as single numbers');
  const smaller = ownNumber(site, 1, () => String(wanted));
  if (parts > 1 && !smaller && (launch.config[1]!.kind === 'name' || launch.config[1]!.macro))
    return refused('extents', 'the number of threads per block has a name that other code may use');
  if (parts > 1)
    return {
      edits: [
        ownNumber(site, 0, (blocks) => String(blocks * parts)) ?? grid.withX(timesText(grid.x, parts)),
        smaller ?? block.withX(String(wanted)),
      ],
      title: `Use blocks of ${wanted} for the same threads`,
    };
  const all = block.x === '1' ? grid.x : `${grid.x} * ${block.x}`;
  // What an end of the kernel's own stops is more than the launch starts, where the launch does not come to it.
  const comes = ends && (places.totals.length > 0 || comesToEnds(site));
  const ownEnd = comes ? [] : ownEndOf(context, launchedElsewhere);
  if (typeof ownEnd === 'string')
    return refused(
      'guard',
      ends ? `the launch is not known to cover the kernel's bound; ${ownEnd}` : `${openEnd}; ${ownEnd}`,
    );
  const filled = comes ? 'last one padded' : 'adds a count parameter';
  return {
    edits: [...ownEnd, grid.withX(`(${all} + ${wanted - 1}) / ${wanted}`), block.withX(String(wanted))],
    title: `Use blocks of ${wanted} for the same threads (${filled})`,
    ...((!comes || grid.isVariable || block.isVariable) && { isLong: true }),
  };
}

/** What the threads of a block do together, or may in another build; undefined where each works for itself. */
export function whyTogether(context: FunctionContext, locals: Locals): string | undefined {
  for (const node of locals.nodes) {
    if (node.kind === 'var' && node.space === 'shared') return 'the threads of a block share memory';
    if (node.kind === 'asm' || node.kind === 'opaque' || node.kind === 'lambda')
      return 'the kernel contains code that cannot be analysed';
    const name = node.kind === 'call' ? calleeName(node) : undefined;
    if (node.kind === 'call' && name !== undefined && (meetsThreads(name) || knowsThreads(node, context)))
      return `\`${name}\` uses the thread index`;
  }
  return leftOutNamesThreads(context.fn, context.program)
    ? 'the kernel uses its thread index in another build'
    : undefined;
}

/** Another number for the variable that a launch names, where nothing but the launch uses it. */
function ownNumber({ launch, host }: LaunchSite, which: 0 | 1, other: (now: number) => string): Edit | undefined {
  const expr = launch.config[which];
  const local = expr?.kind === 'name' ? localsOf(host.fn).of(expr) : undefined;
  const init = local?.variable?.init;
  const isOwn = local?.uses.length === 1 && local.writes.length === 0 && !local.addressTaken;
  return isOwn && init?.kind === 'number' && !init.macro && !local.variable?.storage
    ? { at: spanOf(host, init), newText: other(init.value) }
    : undefined;
}

function timesText(text: string, factor: number): string {
  return /^\d+$/.test(text) ? String(Number(text) * factor) : `${text} * ${factor}`;
}

function endsInRow(context: FunctionContext, locals: Locals, places: NumberPlaces, guards: boolean): boolean {
  if (places.totals.length > 0) return onlyStrides(context, locals, places);
  return guards || endsRows(context, locals);
}
