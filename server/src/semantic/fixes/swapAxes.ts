// Kernels whose x runs down the columns of their arrays, and the edits that exchange x and y in the kernel and at its
// launches.
import type { Expr } from '../../syntax/ast';
import type { Edit, Refusal, RewriteFact } from '../model';
import {
  type Fn,
  type LaunchSite,
  calleeName,
  dependsOnThread,
  type Local,
  atomsOf,
  atomName,
  localsIn,
  type Index,
  knowsLanes,
  isThreadPlace,
} from '../language';
import { dim3Elements, isStartedOtherwise } from './launchShapes/launchGrids';
import { knowsThreads } from './launchShapes/oneThread';
import { isOwn, isPrinted } from './launchShapes/values';
import { baseOf } from './ownArray';
import type { AccessFamily } from './writing/family';
import { refuser } from './writing/refusals';
import { hasMacro } from '../program';

/** A block narrower than this along the new x would spread each warp over more rows than it gains. */
const narrowest = 8;

const refused = refuser<'kernel' | 'launches' | 'name' | 'block' | 'threads' | 'mixed' | 'extents'>('swap-axes');

export const swapAxes: AccessFamily<'swap-axes'> = {
  id: 'swap-axes',
  on: 'access',
  of: 'function',
  causes: ['slow-axis', 'stride', 'row-per-thread'],
  isNear: ({ isPlane }) => isPlane,
  find: ({ fn, elsewhere }) => swapAxesOf(fn, elsewhere),
};

/**
 * Exchanges `.x` and `.y` of every built-in variable in the kernel, and the extents of grid and block at each of its
 * launches: thread (x, y) then does what thread (y, x) did, so the same work is done by the same number of threads,
 * whatever the extents are. Offered where every subscript of the kernel that depends on the thread is understood, runs
 * along a row with y and from row to row with x. `launchedElsewhere` says that other files launch the kernel.
 */
export function swapAxesOf(fn: Fn, launchedElsewhere = false): RewriteFact | Refusal {
  if (!fn.decl.global || !fn.decl.body) return refused('kernel', 'it is in a function that the kernel calls');
  if (launchedElsewhere) return refused('launches', 'other files launch the kernel');
  const sites = fn.launchSites(fn.decl.name).filter(({ kernel }) => !kernel || kernel === fn.decl);
  if (sites.length === 0) return refused('launches', 'no launch of the kernel is known');
  if (sites.some(({ kernel }) => kernel !== fn.decl) || isStartedOtherwise(fn))
    return refused('name', 'the kernel is also launched or named elsewhere');
  if (fn.blockShapes.some(([x, y, z]) => y < narrowest || x < 2 || z > 1))
    return refused('block', 'its blocks are not two-dimensional, or too narrow after the exchange');
  const inKernel = exchanged(fn);
  if (typeof inKernel === 'string') return refused('threads', inKernel);
  const mixed = runsOtherwise(fn);
  if (mixed) return refused('mixed', mixed);
  const atLaunches = new Map<string, Edit>();
  for (const site of sites)
    for (const which of [0, 1] as const) {
      const edits = extentEdits(site, which, sites);
      if (!edits) return refused('extents', `the ${which ? 'block' : 'grid'} of a launch cannot be analysed`);
      for (const edit of edits) atLaunches.set(JSON.stringify(edit), edit);
    }
  return {
    edits: [...inKernel, ...atLaunches.values()],
    title: 'Swap x and y (grid y ≤ 65535)',
  };
}

/** The edits of the built-ins' fields; a sentence where the kernel knows of lanes or hides its threads. */
function exchanged(fn: Fn): Edit[] | string {
  const edits: Edit[] = [];
  for (const node of fn.locals.nodes) {
    if (node.kind === 'asm' || node.kind === 'opaque' || node.kind === 'lambda')
      return 'it contains code that cannot be analysed';
    if (node.kind === 'call') {
      const name = calleeName(node);
      if (!name) return 'it calls unknown code';
      if (knowsLanes(name) || knowsThreads(node, fn)) return `\`${name}\` uses the thread index`;
    }
    if (node.kind !== 'name' || fn.local(node)) continue;
    if (node.name === 'warpSize') return 'it uses lane numbers';
    if (!isThreadPlace(node.name)) continue;
    const parent = fn.parent(node);
    if (parent?.kind !== 'member') return `\`${node.name}\` is passed on as a whole`;
    if (parent.macro || node.macro) return 'the thread index comes from a macro';
    if (parent.field === 'z') continue;
    edits.push({
      at: fn.span({ start: parent.fieldStart, end: parent.fieldStart + 1 }),
      newText: parent.field === 'x' ? 'y' : 'x',
    });
  }
  return edits;
}

/** Why not every subscript that depends on the thread walks along a row with y and from row to row with x. */
function runsOtherwise(fn: Fn): string | undefined {
  let down = 0;
  for (const node of fn.locals.nodes) {
    if (node.kind === 'unary' && node.op === '*') return 'it accesses memory without a subscript';
    if (node.kind !== 'index') continue;
    if (baseOf(node, fn.locals)?.variable?.space === 'shared')
      return 'it uses shared memory, whose bank pattern would change';
    const written = fn.index(node.index);
    const index = written && withCounters(written, fn);
    if (!index) {
      if (dependsOnThread(node.index, fn.decl, fn.program)) return 'an index cannot be analysed';
      continue;
    }
    const x = index.split('threadIdx.x');
    const y = index.split('threadIdx.y');
    if (!x || !y || index.has((atom) => atom.startsWith('(') && /threadIdx/.test(atom)))
      return 'an index cannot be analysed';
    const [alongX, alongY] = [x.factor.number, y.factor.number];
    if (alongX === 0 && alongY === 0) {
      if ([...localsIn(index)].some((local) => local.writes.length > 0 && !isCounter(local, fn)))
        return 'an index cannot be analysed';
      continue;
    }
    if (alongY === 1 && (alongX === undefined ? pitch(x.factor.terms) : alongX >= narrowest)) down++;
    else return 'x already runs along the rows of another array';
  }
  return down > 0 ? undefined : 'no subscript runs along a row with y';
}

/** Variables of loops that start at a thread and step evenly differ between threads as they do at the start. */
function withCounters(index: Index, fn: Fn): Index | undefined {
  let out = index;
  for (const local of localsIn(index)) {
    if (!isCounter(local, fn) || !local.variable?.init) continue;
    const start = fn.index(local.variable.init);
    const split = out.split(atomName(local, fn.locals));
    if (!start || !split) return undefined;
    if (!start.has((atom) => /threadIdx/.test(atom))) continue;
    out = split.factor.times(start).plus(split.rest);
  }
  return out;
}

/** A row's length: one name or a product of names, or a number of elements beyond a sector. */
function pitch(terms: ReadonlyMap<string, number>): boolean {
  return terms.size === 1 && [...terms.keys()].every((key) => atomsOf(key).length > 0);
}
/** Declared in a loop's head, and stepped there alone by what is the same in all threads. */
function isCounter(local: Local, fn: Fn): boolean {
  if (local.addressTaken || local.writes.length !== 1) return false;
  return fn.locals.nodes.some((node) => {
    const head = node.kind === 'for' ? fn.counted(node) : undefined;
    if (head?.local !== local || !head.declared || !head.step) return false;
    return !head.step.by || !dependsOnThread(head.step.by, fn.decl, fn.program);
  });
}
/** The edits that exchange the first two extents of a launch's grid or block; none where both are written alike. */
function extentEdits(site: LaunchSite, which: 0 | 1, sites: readonly LaunchSite[]): Edit[] | undefined {
  const { host, launch } = site;
  const expr = launch.config[which]!;
  if (launch.macro || hasMacro(expr)) return undefined;
  const written = dim3Elements(expr);
  if (written) {
    const [x, y] = written;
    if (!x || written.slice(0, 2).some(hasMacro)) return undefined;
    if (!y) return [{ at: host.span(x), newText: `1, ${host.text(x)}` }];
    const [a, b] = [host.text(x), host.text(y)];
    return a === b
      ? []
      : [
          { at: host.span(x), newText: b },
          { at: host.span(y), newText: a },
        ];
  }
  if (expr.kind !== 'name') return undefined;
  const local = site.host.local(expr);
  const variable = local?.variable;
  let type = variable?.type ?? local?.parameter?.type ?? host.program.globals(expr.name)[0]?.type;
  if (type?.kind === 'reference') type = type.to;
  if (type?.kind !== 'named' || type.name !== 'dim3') return undefined;
  const parts = variable?.init && dim3Elements(variable.init);
  const isFixed = parts && local && local.writes.length === 0 && !local.addressTaken;
  if (isFixed && parts.length >= 2 && !parts.slice(0, 2).some(hasMacro)) {
    const [x, y] = parts as [Expr, Expr];
    const [a, b] = [host.text(x), host.text(y)];
    if (a === b) return [];
    // A variable of these launches alone is changed where it is made.
    if (isOwn(local, sites, site, which))
      return [
        { at: host.span(x), newText: b },
        { at: host.span(y), newText: a },
      ];
  }
  // A printed value would be of the other axis.
  if (local && isPrinted(local, host)) return undefined;
  const name = host.text(expr);
  return [{ at: host.span(expr), newText: `dim3(${name}.y, ${name}.x, ${name}.z)` }];
}
