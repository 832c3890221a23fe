// Kernels whose x runs down the columns of their arrays, and the edits that exchange x and y in the kernel and at its
// launch.
import type { Expr, VarDecl } from '../../syntax/ast';
import type { Edit, SwapAxesFact } from '../model';
import type { AnySyntax } from '../language/statements';
import { spanOf, textOf, type FunctionContext } from '../language/functionContext';
import { launchSitesOf, type LaunchSite } from '../language/launchSites';
import { calleeName, localsOf, type Locals } from '../language/scope';
import { atomsOf, mentions, numberOf, splitBy } from '../language/algebra';
import { localsIn, polynomialOf } from '../language/indexPolynomials';
import { hasMacro } from './edits';

const builtinNames = /^(threadIdx|blockIdx|blockDim|gridDim)$/;
const laneCode =
  /^__(shfl|ballot|any|all|activemask|match|reduce|syncwarp)|^this_|tiled_partition|coalesced_threads|thread_rank/;

/**
 * Exchanges `.x` and `.y` of every built-in variable in the kernel, and the two extents of the grid at its only launch:
 * thread (x, y) then does what thread (y, x) did, so the same work is done by the same number of threads. Offered for
 * square blocks (of which `blockShapes` tells), where every subscript of the kernel that hangs on the thread is
 * understood and none already runs along x. `launchedElsewhere` says that other files launch the kernel.
 */
export function swapAxesOf(context: FunctionContext, launchedElsewhere = false): SwapAxesFact | undefined {
  const { fn } = context;
  if (!fn.global || !fn.body || launchedElsewhere || !context.blockShapes.length) return undefined;
  if (!context.blockShapes.every(([x, y, z]) => x === y && x > 1 && z === 1)) return undefined;
  const sites = launchSitesOf(context).filter(
    (site) => site.kernel === fn || (site.launch.callee.kind === 'name' && site.launch.callee.name.endsWith(fn.name)),
  );
  if (sites.length !== 1 || sites[0]!.kernel !== fn) return undefined;
  const locals = localsOf(fn);
  const inKernel = exchanged(context, locals);
  if (!inKernel || !runsDown(context, locals)) return undefined;
  const atLaunch = gridEdits(sites[0]!);
  return (
    atLaunch && {
      edits: [...inKernel, ...atLaunch],
      note: 'in the kernel and in the grid of its launch, whose y extent may be 65535 at most',
    }
  );
}

/**
 * The edits of the built-ins' fields; undefined where the kernel knows of lanes, hands its threads on or hides them in
 * macros.
 */
function exchanged(context: FunctionContext, locals: Locals): Edit[] | undefined {
  const edits: Edit[] = [];
  for (const node of locals.nodes) {
    if (node.kind === 'asm' || node.kind === 'opaque' || node.kind === 'lambda') return undefined;
    if (node.kind === 'call') {
      const name = calleeName(node);
      if (!name || laneCode.test(name) || callsThreads(name, context)) return undefined;
    }
    if (node.kind !== 'name' || locals.of(node)) continue;
    if (node.name === 'warpSize') return undefined;
    if (!builtinNames.test(node.name)) continue;
    const parent = locals.parent(node);
    if (parent?.kind !== 'member' || parent.macro || node.macro) return undefined;
    if (parent.field === 'z') continue;
    if (parent.field !== 'x' && parent.field !== 'y') return undefined;
    edits.push({
      at: spanOf(context, { start: parent.fieldStart, end: parent.fieldStart + 1 }),
      newText: parent.field === 'x' ? 'y' : 'x',
    });
  }
  return edits.length ? edits : undefined;
}
function callsThreads(name: string, context: FunctionContext): boolean {
  return context.program
    .functions(name)
    .some(
      (callee) =>
        !callee.body ||
        localsOf(callee).nodes.some(
          (node) =>
            (node.kind === 'name' && builtinNames.test(node.name)) ||
            (node.kind === 'call' && context.program.functions(calleeName(node) ?? '').length > 0),
        ),
    );
}

/** Is there a subscript that walks along a row with y and from row to row with x, and none the other way round? */
function runsDown(context: FunctionContext, locals: Locals): boolean {
  let down = 0;
  for (const node of locals.nodes) {
    if (node.kind === 'unary' && node.op === '*') return false; // an address that is no subscript
    if (node.kind !== 'index') continue;
    const shared = rootSpace(node, locals);
    if (shared === 'shared') return false; // banks would see other lanes
    const index = polynomialOf(node.index, context, locals);
    if (!index) {
      if (mayMentionThread(node.index, locals)) return false;
      continue;
    }
    const x = splitBy(index, 'threadIdx.x');
    const y = splitBy(index, 'threadIdx.y');
    if (!x || !y || mentions(index, (atom) => atom.startsWith('(') && /threadIdx/.test(atom))) return false;
    const [alongX, alongY] = [numberOf(x.factor), numberOf(y.factor)];
    if (alongX === 0 && alongY === 0) {
      if ([...localsIn(index)].some((local) => local.writes.length > 0 && !isCounter(local.name, locals))) return false;
      continue;
    }
    if (alongY === 1 && (alongX === undefined ? pitch(x.factor.terms) : alongX >= 8)) down++;
    else return false;
  }
  return down > 0;
}
/** A row's length: one name or a product of names, or a number of elements beyond a sector. */
function pitch(terms: ReadonlyMap<string, number>): boolean {
  return terms.size === 1 && [...terms.keys()].every((key) => atomsOf(key).length > 0);
}
function isCounter(name: string, locals: Locals): boolean {
  return locals.nodes.some(
    (node) =>
      node.kind === 'for' &&
      node.init?.kind === 'decl' &&
      node.init.vars.some((variable: VarDecl) => variable.name === name),
  );
}
function rootSpace(node: Expr, locals: Locals): string | undefined {
  let at = node;
  while (at.kind === 'index') at = at.base;
  return at.kind === 'name' ? locals.of(at)?.variable?.space : undefined;
}
function mayMentionThread(expr: Expr, locals: Locals, depth = 0): boolean {
  if (depth > 6) return true;
  const within = (node: AnySyntax): boolean => {
    for (let at: AnySyntax | undefined = node; at; at = locals.parent(at)) if (at === expr) return true;
    return false;
  };
  return locals.nodes.some((node) => {
    if (node.kind !== 'name' || !within(node)) return false;
    const local = locals.of(node);
    if (!local) return /^(threadIdx|blockIdx)$/.test(node.name);
    return [local.variable?.init, ...local.writes.map((write) => write.value)].some(
      (source) => source && mayMentionThread(source, locals, depth + 1),
    );
  });
}

/** The edits that exchange the first two extents of the grid, which must belong to this launch alone. */
function gridEdits(site: LaunchSite): Edit[] | undefined {
  const { host, launch } = site;
  const grid = launch.config[0]!;
  if (launch.macro || launch.config[1]!.macro) return undefined;
  const parts = partsOf(grid, site);
  if (!parts || parts.length < 2 || parts.slice(0, 2).some((part) => hasMacro(part))) return undefined;
  const [x, y] = parts as [Expr, Expr];
  return [
    { at: spanOf(host, x), newText: textOf(host, y) },
    { at: spanOf(host, y), newText: textOf(host, x) },
  ];
}
function partsOf(grid: Expr, site: LaunchSite): readonly Expr[] | undefined {
  if (grid.kind === 'call') return calleeName(grid) === 'dim3' ? grid.args : undefined;
  if (grid.kind !== 'name') return undefined;
  const locals = localsOf(site.host.fn);
  const local = locals.of(grid);
  if (
    !local?.variable?.init ||
    local.writes.length ||
    local.addressTaken ||
    local.uses.length !== 1 ||
    local.variable.type.kind !== 'named'
  )
    return undefined;
  const { init } = local.variable;
  if (init.kind === 'initList') return local.variable.type.name === 'dim3' ? init.elements : undefined;
  return init.kind === 'call' && calleeName(init) === 'dim3' ? init.args : undefined;
}
