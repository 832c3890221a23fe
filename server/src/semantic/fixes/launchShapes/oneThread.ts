// Kernels whose blocks of one thread each take an element by the block's number: the number becomes the thread's.
import type { CallExpr, Expr } from '../../../syntax/ast';
import type { Edit, Refusal, RewriteFact } from '../../model';
import {
  type Fn,
  oncePerFunction,
  type LaunchSite,
  lastPart,
  calleeName,
  localsOf,
  isThreadName,
  meetsThreads,
} from '../../language';
import { extentOf, extentParts, isStartedOtherwise, takesSharedMemory } from './launchGrids';
import { refuser } from '../writing/refusals';
import { comesToEnds } from './launchedEnds';
import { blockNumber, endsAll } from './planes';
import { ownEndOf } from './ownEnd';
import { onlyStrides } from './strides';
import { withBlock } from './values';
import {
  isHandedOn,
  isKnownCall,
  isNamedElsewhere,
  mayWait,
  namesThreads,
  ordering,
  placesNamed,
  sharesGlobals,
  unseenIn,
} from '../../program';

const refused = refuser<
  'kernel' | 'launches' | 'name' | 'number' | 'guard' | 'together' | 'order' | 'bounds' | 'extents' | 'values'
>('block-shape');

/**
 * `blockIdx.x` and `gridDim.x` of the kernel become the thread's number and the number of all threads, and each of its
 * launches, whose blocks have one thread, asks for as many in blocks of `threads`. Right for a kernel that names its
 * thread by its block alone and does nothing beyond an end, its own or one that it is given: blocks have no order
 * either.
 */
export function oneThreadOf(site: LaunchSite, launchedElsewhere: boolean, threads: number): RewriteFact | Refusal {
  const { kernel, host } = site;
  if (!kernel?.body) return refused('kernel', "the kernel's source is not known");
  const fn = host.of(kernel);
  if (launchedElsewhere) return refused('launches', 'other files launch the kernel');
  const sites = fn.launchSites(kernel.name).filter((each) => !each.kernel || each.kernel === kernel);
  if (sites.some((each) => each.kernel !== kernel) || isStartedOtherwise(fn) || isNamedElsewhere(fn))
    return refused('name', 'the kernel is also launched or named elsewhere');
  if (!sites.every(hasOneThread))
    return refused('launches', 'not all launches of the kernel have blocks of one thread');
  const locals = fn.locals;
  const places = placesOf(fn);
  if (typeof places === 'string') return refused('number', places);
  for (const node of locals.nodes) {
    if (node.kind === 'var' && node.space === 'shared')
      return refused('together', 'its block has its own shared memory');
    if (node.kind === 'asm' || node.kind === 'opaque' || node.kind === 'lambda')
      return refused('together', 'the kernel contains code that cannot be analysed');
    if (node.kind !== 'call') continue;
    const name = calleeName(node);
    if (!name || meetsThreads(name) || knowsThreads(node, fn))
      return refused('together', name ? `\`${name}\` may use the thread index` : 'it calls unknown code');
    if (ordering.test(name)) return refused('order', `\`${name}\` may wait for another thread`);
  }
  const unseen = unseenIn(fn);
  if (unseen || sharesGlobals(kernel, fn.program))
    return refused('together', unseen ?? 'its block has its own shared memory');
  if (mayWait(kernel, fn.program)) return refused('order', 'its threads may wait for each other');
  const ends = places.totals.length > 0 ? onlyStrides(fn, places) : endsAll(fn, [blockNumber]);
  const openEnd = 'the kernel has no bounds check, and the last block would be padded';
  if (!ends && places.totals.length > 0) return refused('guard', openEnd);
  // What the kernel's own end stops is more than a launch starts that does not come to it.
  const comes = ends && (places.totals.length > 0 || sites.every((each) => comesToEnds(each, ['x'], true)));
  const ownEnd = comes ? [] : ownEndOf(fn, launchedElsewhere);
  if (typeof ownEnd === 'string')
    return refused('guard', `${ends ? "the launches are not known to cover the kernel's bound" : openEnd}; ${ownEnd}`);
  const bounds = kernel.launchBounds?.[0];
  if (bounds && (fn.types.constant(bounds) ?? 0) < threads)
    return refused('bounds', `the kernel's bounds do not allow blocks of ${threads} threads`);
  const edits = [
    ...ownEnd,
    ...places.numbers.map((at) => edited(fn, at, 'blockIdx.x * blockDim.x + threadIdx.x')),
    ...places.totals.map((at) => edited(fn, at, 'gridDim.x * blockDim.x')),
  ];
  for (const each of sites) {
    const [grid, block] = [extentOf(each, 0), extentOf(each, 1)];
    if (!grid?.oneDimensional || !block?.oneDimensional)
      return refused('extents', 'grid and block are not both written as single numbers');
    if (takesSharedMemory(each)) return refused('extents', 'a launch has dynamic shared memory');
    if ((each.host.types.constant(each.launch.config[0]!) ?? 0) > 2 ** 31 - threads)
      return refused('extents', 'the padded grid would exceed 32-bit block numbers');
  }
  const shapes = withBlock(sites, [threads], comes);
  if (typeof shapes === 'string') return refused('values', shapes);
  edits.push(...shapes);
  const price = comes ? 'last block padded' : 'adds a count parameter';
  return { edits, title: `One thread per element, ${threads} per block (${price})` };
}

function hasOneThread({ launch, host }: LaunchSite): boolean {
  const isOne = (expr: Expr): boolean => {
    const local = expr.kind === 'name' ? host.local(expr) : undefined;
    if (!local) return isCertain(expr, host) && host.types.constant(expr) === 1;
    const init = local.writes.length === 0 && !local.addressTaken ? local.variable?.init : undefined;
    return !!init && !isHandedOn(local, host) && extentParts(init).every(isOne);
  };
  return extentParts(launch.config[1]!).every(isOne);
}

/** Whether but one constant has this name, in whatever namespace or class. */
function isCertain(expr: Expr, { program }: Fn): boolean {
  if (expr.kind !== 'name') return true;
  const isOfClass = expr.name.includes('::') && program.globals(expr.name).length !== 1;
  return !isOfClass && program.globals(lastPart(expr.name)).length <= 1;
}

/** Where the kernel names its block and how many there are; a sentence where it names anything else of its place. */
function placesOf(fn: Fn): { readonly numbers: Expr[]; readonly totals: Expr[]; readonly parts: [] } | string {
  const numbers: Expr[] = [];
  const totals: Expr[] = [];
  for (const node of fn.locals.nodes) {
    if (node.kind !== 'name' || fn.local(node) || !isThreadName(node.name)) continue;
    const member = fn.parent(node);
    if (member?.kind !== 'member' || !/^(blockIdx|gridDim)$/.test(node.name)) return `the kernel uses \`${node.name}\``;
    if (member.field !== 'x') return 'its grid is two-dimensional';
    if (member.macro && !isWholeMacro(fn.text(member), `${node.name}.x`, fn))
      return `\`${node.name}\` comes from a macro`;
    const parent = fn.parent(member);
    const isPlace = parent?.kind === 'unary' && parent.op === '&';
    if (isPlace || parent?.kind === 'update' || (parent?.kind === 'assign' && parent.target === member))
      return 'it uses its block index as an address';
    const known = node.name === 'blockIdx' ? numbers : totals;
    const twin = known.findIndex((other) => other.start === member.start && other.end === member.end);
    // A macro that names its argument twice: one of them may be in a product.
    if (twin < 0) known.push(member);
    else if (!isAlone(member, fn)) known[twin] = member;
  }
  const named = [...numbers, ...totals].filter(({ macro }) => !macro).length;
  if (placesNamed(fn.decl, fn.program) !== named) return 'it uses its block index where it cannot be followed';
  return numbers.length > 0 ? { numbers, totals, parts: [] } : 'it does not use its block index';
}

/** A macro that is this text and nothing else: its use can be written out. */
function isWholeMacro(name: string, body: string, { unit }: Fn): boolean {
  const definitions = unit.files.flatMap((file) => file.macros.filter((macro) => macro.name === name));
  return definitions.length === 1 && !definitions[0]!.params && definitions[0]!.body.trim() === body;
}

function edited(fn: Fn, at: Expr, text: string): Edit {
  return { at: fn.span(at), newText: isAlone(at, fn) ? text : `(${text})` };
}
function isAlone(at: Expr, fn: Fn): boolean {
  const parent = fn.parent(at);
  return parent?.kind === 'var' || (parent?.kind === 'assign' && parent.value === at);
}

/** Whether a call, or one that its function makes, names a thread, meets others, waits, or is unknown. */
export function knowsThreads(call: CallExpr, fn: Fn): boolean {
  const name = calleeName(call);
  const functions = name ? fn.program.functions(name) : [];
  if (!name || !functions.some(({ body }) => body)) return !name || functions.length > 0 || !isKnownCall(call, fn);
  return functions.some((callee) => bodyKnowsThreads(callee, fn));
}

const bodyKnowsThreads = oncePerFunction((callee, fn: Fn): boolean => {
  if (namesThreads(callee, fn.program)) return true;
  if (!callee.body) return false;
  if (sharesGlobals(callee, fn.program) || mayWait(callee, fn.program)) return true;
  const within = fn.inside(callee);
  return localsOf(callee).nodes.some((node) => {
    if (node.kind === 'asm' || node.kind === 'opaque' || node.kind === 'lambda') return true;
    if (node.kind === 'var') return node.space === 'shared';
    if (node.kind === 'name') return isThreadName(node.name);
    if (node.kind !== 'call') return false;
    const inner = calleeName(node);
    if (!inner || meetsThreads(inner) || ordering.test(inner)) return true;
    return inner !== callee.name && knowsThreads(node, within);
  });
}, true);
