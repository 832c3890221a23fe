// A launch with other values for its block, and for its grid what brings as many threads: written where the values
// stand, or where a variable gets them, so that all that states or prints them follows.
import type { Edit, Span } from '../../model';
import type { Expr, FunctionDecl, SourceFile } from '../../../syntax/ast';
import {
  once,
  oncePerBody,
  type AnySyntax,
  type Fn,
  calleeName,
  isOutputStream,
  isPrinting,
  type LaunchSite,
  type Local,
  localsOf,
  some,
} from '../../language';
import { hasMacro } from '../../program';
import { isBracketed, parenthesised } from '../writing/edits';
import { dim3Parts, extentOf, extentParts } from './launchGrids';
import { ceilDivisor, everyUseIn, type Literal, literalOf, sameLiteral, type Size } from './literals';

/** A grid or block as parts along x, y and z, and the variable that holds it. */
interface Parts {
  readonly parts: readonly Expr[];
  readonly local?: Local | undefined;
}
interface Extent extends Size {
  readonly literal?: Literal | undefined;
}

/** What prevents the change. */
type Why = string;
const named = 'other code depends on the number of threads per block';
const namedBlocks = 'other code depends on the number of blocks';
const stated = 'a message states the shape of the launch';

/**
 * The edits after which the blocks of launches have so many threads along x, or along x and y, and each grid as many
 * blocks as bring no fewer threads than before. `comes`: threads beyond what the launches work on do nothing, and they
 * start one for all of that. `splits`: the blocks split into whole ones. Where neither holds, the values before the
 * launches keep what they say.
 */
export function withBlock(
  sites: readonly LaunchSite[],
  wanted: readonly number[],
  comes: boolean,
  splits = false,
): readonly Edit[] | Why {
  const edits = new Map<string, Edit>();
  const divided = new Map(sites.map((site) => [site, comes ? dividedGrid(site, wanted) : undefined]));
  const free = [
    ...configs(sites, 1),
    ...configs(
      sites.filter((site) => divided.get(site)),
      0,
    ),
  ];
  for (const site of sites) {
    const changes = ofSite(site, sites, wanted, { free, divided: divided.get(site), mayName: comes || splits });
    if (typeof changes === 'string') return changes;
    for (const edit of changes) edits.set(JSON.stringify(edit), edit);
  }
  return [...edits.values()];
}

/** Launches of the kernel that take their block from the same name; the launch alone where it takes it from none. */
export function namedAlike(site: LaunchSite): readonly LaunchSite[] {
  const literal = literalOf(site.launch.config[1]!, site.host);
  const { kernel } = site;
  if (!kernel || (literal ? literal.scope === 'here' : partsOf(site, 1)?.local === undefined)) return [site];
  const holder = (one: LaunchSite): Local | undefined => partsOf(one, 1)?.local;
  return site.host
    .launchSites(kernel.name)
    .filter(
      (other) =>
        other.kernel === kernel &&
        (literal ? sameLiteral(other.launch.config[1]!, literal, other.host) : holder(other) === holder(site)),
    );
}

interface How {
  /** Where the number of threads may be used. */
  readonly free: readonly Span[];
  /** The edits of a grid that divides by it. */
  readonly divided: readonly Edit[] | undefined;
  readonly mayName: boolean;
}

function ofSite(
  site: LaunchSite,
  sites: readonly LaunchSite[],
  wanted: readonly number[],
  { free, divided, mayName }: How,
): readonly Edit[] | Why {
  const { host, launch } = site;
  const [blocks, threads] = [partsOf(site, 0), partsOf(site, 1)];
  const sizes = sizesOf(site, wanted);
  if (!threads || !sizes) return named;
  const literals = sizes.flatMap(({ literal }) => (literal && literal.scope !== 'here' ? [literal] : []));
  if ((literals.length > 0 || threads.local) && !mayName) return named;
  const spans = [...free, ...printsIn(host.file)];
  if (!literals.every((literal) => literal.names.every((name) => everyUseIn(name, spans, literal, host, 0))))
    return named;
  if (sizes.some(({ value }) => isStated(value, host)) || isStatedGrid(launch.config[0]!, host)) return stated;
  const edits = blockEdits(site, wanted, sizes, threads);
  if (!edits) return named;
  if (!divided) {
    const scaled = scaledGrid(site, sites, blocks, wanted, sizes, mayName);
    return typeof scaled === 'string' ? scaled : [...scaled, ...edits];
  }
  const places = [
    host.span(launch.config[0]!),
    ...(blocks?.local && isOwn(blocks.local, sites, site, 0) ? initOf(blocks, host) : []),
  ];
  return divided.every(({ at }) => isWithin(at, places)) ? [...divided, ...edits] : namedBlocks;
}

function sizesOf(site: LaunchSite, wanted: readonly number[]): readonly Extent[] | undefined {
  const threads = partsOf(site, 1);
  const sizes = threads && wanted.map((_, axis) => sizeAlong(axis, threads, site.host));
  return sizes?.every((size) => size !== undefined) ? sizes : undefined;
}

/** What makes a grid that divides by the block along each axis divide by another; undefined where it does not. */
function dividedGrid(site: LaunchSite, wanted: readonly number[]): readonly Edit[] | undefined {
  const [blocks, sizes] = [partsOf(site, 0), sizesOf(site, wanted)];
  if (!blocks || !sizes) return undefined;
  const edits = wanted.map((to, axis) => dividedBy(site, blocks.parts[axis], sizes[axis]!, to));
  return edits.every((each) => each !== undefined) ? edits.flat() : undefined;
}

function configs(sites: readonly LaunchSite[], which: 0 | 1): readonly Span[] {
  return sites.map(({ host, launch }) => host.span(launch.config[which]!));
}

/** The edits after which a launch has so many times its blocks. */
export function withMoreBlocks(site: LaunchSite, factor: number): readonly Edit[] | Why {
  const { host, launch } = site;
  const expr = launch.config[0]!;
  if (isStatedGrid(expr, host)) return stated;
  const blocks = partsOf(site, 0);
  const times = (text: string): string => (/^\d+$/.test(text) ? String(Number(text) * factor) : `${text} * ${factor}`);
  const [part] = blocks?.parts ?? [];
  const literal = literalOf(expr, host);
  if (literal) {
    const spans = [host.span(expr), ...printsIn(host.file)];
    const isFree = literal.names.every((name) => everyUseIn(name, spans, literal, host, 0));
    return isFree ? [{ at: literal.at, newText: String(literal.value * factor) }] : namedBlocks;
  }
  if (blocks?.local && part)
    return isOwn(blocks.local, [site], site, 0) && !hasMacro(part)
      ? [{ at: host.span(part), newText: times(parenthesised(host, part)) }]
      : namedBlocks;
  if (expr.kind === 'name' || (expr.macro && /^\w+$/.test(host.text(expr)))) return namedBlocks;
  const grid = extentOf(site, 0)!;
  return [grid.withX(times(grid.x))];
}

/** Whether nothing but these launches, whose grid (0) or block (1) it is, and prints use a variable. */
export function isOwn(local: Local, sites: readonly LaunchSite[], { host }: LaunchSite, which: 0 | 1): boolean {
  const spans = [...configs(sites, which), ...printsIn(host.file)];
  return (
    local.writes.length === 0 &&
    !local.addressTaken &&
    !local.variable?.storage &&
    local.uses.every((use) => isWithin(host.span(use), spans))
  );
}

/** Whether a call prints what a variable holds. */
export function isPrinted(local: Local, host: Fn): boolean {
  const prints = printsIn(host.file);
  return local.uses.some((use) => isWithin(host.span(use), prints));
}

function partsOf(site: LaunchSite, which: 0 | 1): Parts | undefined {
  const expr = site.launch.config[which]!;
  const local = expr.kind === 'name' ? site.host.local(expr) : undefined;
  if (!local) return { parts: extentParts(expr) };
  const parts = dim3Parts(expr, site);
  return parts && { parts, local };
}

/** The block along an axis, and what else is known to be that number. */
function sizeAlong(axis: number, { parts, local }: Parts, host: Fn): Extent | undefined {
  const part = parts[axis];
  if (!part) return { value: 1, is: () => false };
  const literal = literalOf(part, host);
  const value = literal?.value ?? host.types.constant(part);
  if (value === undefined || (!literal && !isOfNumbers(part))) return undefined;
  const named = local && { ...literal!, names: [...literal!.names, local.name] };
  return {
    value,
    literal: literal && (named ? { ...named, scope: literal.scope === 'here' ? 'function' : literal.scope } : literal),
    is: (expr) =>
      (expr.kind === 'number' && !expr.macro && expr.value === value && value > 2) ||
      (expr.kind === 'member' && !!local && host.local(expr.object) === local && expr.field === 'xyz'[axis]) ||
      (expr.kind === 'name' && !!local && host.local(expr) === local && parts.length === 1) ||
      (!!literal && literal.scope !== 'here' && sameLiteral(expr, literal, host)),
  };
}

/** Whether an expression has no names. */
export function isOfNumbers(expr: Expr): boolean {
  return !some(expr, (node) => ('macro' in node && node.macro) || !/^(number|binary|unary)$/.test(node.kind));
}

function dividedBy(
  { host, launch }: LaunchSite,
  part: Expr | undefined,
  size: Extent,
  to: number,
): readonly Edit[] | undefined {
  const quotient = part && ceilDivisor(part, size, host);
  if (!quotient) return size.value === to ? [] : undefined;
  // The launch may pass as much as the blocks before could take.
  if (launch.args.some((arg) => divides(arg, size, host))) return undefined;
  // Of a constant number of blocks the last thread may be needed, whatever was divided.
  const count = host.types.constant(part);
  if (count !== undefined && Math.floor(((count - 1) * size.value) / to + 1) * to < count * size.value)
    return undefined;
  return quotient.met.flatMap(({ expr, less }) => {
    if (expr.kind !== 'number' || expr.macro) return [];
    // Without its fraction (`48.0f`) a division would round down.
    const [fraction = ''] = /\.\d*f?$/i.exec(host.text(expr)) ?? [];
    return [{ at: host.span(expr), newText: `${to - less}${fraction}` }];
  });
}

function blockEdits(
  site: LaunchSite,
  wanted: readonly number[],
  sizes: readonly Extent[],
  { local }: Parts,
): readonly Edit[] | undefined {
  const changed = sizes.flatMap((size, axis) => (size.value === wanted[axis] ? [] : [{ size, to: wanted[axis]! }]));
  const places = new Map(changed.map(({ size: { literal }, to }) => [literal?.at.start, { literal, to }]));
  if (places.size === changed.length && !places.has(undefined))
    return [...places.values()].map(({ literal, to }) => ({ at: literal!.at, newText: String(to) }));
  // One name for both extents, or an extent that is not written.
  const block = extentOf(site, 1)!;
  if (
    local ||
    site.launch.config[1]!.kind === 'name' ||
    sizes.some(({ literal }) => literal && literal.scope !== 'here')
  )
    return undefined;
  const [x, y] = wanted.map(String);
  return [y === undefined ? block.withX(x!) : block.withPlane(x!, y)];
}

/** The grid that has as many threads, where no division by the block makes it. */
function scaledGrid(
  site: LaunchSite,
  sites: readonly LaunchSite[],
  blocks: Parts | undefined,
  wanted: readonly number[],
  sizes: readonly Extent[],
  mayName: boolean,
): readonly Edit[] | Why {
  const { host, launch } = site;
  const grid = extentOf(site, 0)!;
  const scale = (text: string, axis: number): string => scaled(text, sizes[axis]!.value, wanted[axis]!);
  const local = blocks?.local ?? host.local(launch.config[0]!);
  if (local) {
    const isBlocks =
      grid.isVariable ||
      wanted.some((_, axis) => blocks?.parts[axis] && divides(blocks.parts[axis], sizes[axis]!, host));
    const isFree = isOwn(local, sites, site, 0) && !!local.variable && !!blocks && !blocks.parts.some(hasMacro);
    if (isFree && mayName)
      return wanted.flatMap((to, axis) => {
        const part = blocks.parts[axis];
        if (!part || sizes[axis]!.value === to) return [];
        return [{ at: host.span(part), newText: scale(parenthesised(host, part), axis) }];
      });
    // A size of the problem that is printed is used by other code, too, and stays what it is.
    if (isBlocks || (isOwn(local, sites, site, 0) && isPrinted(local, host))) return namedBlocks;
  }
  return [wanted.length === 1 ? grid.withX(scale(grid.x, 0)) : grid.withPlane(scale(grid.x, 0), scale(grid.y!, 1))];
}

/** So many blocks of `before` threads, in blocks of `after`. */
export function scaled(blocks: string, before: number, after: number): string {
  if (before === after) return blocks;
  if (/^\d+$/.test(blocks)) return String(Math.ceil((Number(blocks) * before) / after));
  if (before % after === 0) return `${blocks} * ${before / after}`;
  if (after % before !== 0) return `(${blocks} * ${before} + ${after - 1}) / ${after}`;
  const isSum = isBracketed(blocks) && /^[\w\s.*/%+()-]+$/.test(blocks);
  return `(${isSum ? blocks.slice(1, -1) : blocks} + ${after / before - 1}) / ${after / before}`;
}

/** Whether a value, or one of its names, is made by a division by the block's extent. */
function divides(expr: Expr, size: Size, host: Fn, depth = 0): boolean {
  if (depth > 6) return true;
  return some(expr, (node) => {
    if (node.kind === 'binary' && /^[/%]$/.test(node.op) && size.is(node.right)) return true;
    const local = node.kind === 'name' ? host.local(node) : undefined;
    const values = [local?.variable?.init, ...(local?.writes ?? []).map(({ value }) => value)];
    return values.some((value) => value && value !== expr && divides(value, size, host, depth + 1));
  });
}

function initOf(blocks: Parts | undefined, host: Fn): readonly Span[] {
  const init = blocks?.local?.variable?.init;
  return init ? [host.span(init)] : [];
}

/** Calls of the file's functions that print, and what is sent to the standard streams. */
const printsIn = once((file: SourceFile): readonly Span[] =>
  file.functions.flatMap((fn) =>
    printsOf(fn).map(({ start, end }) => ({ uri: file.uri, start: fn.base + start, end: fn.base + end })),
  ),
);
const printsOf = oncePerBody((fn) => (fn.body ? localsOf(fn).nodes.filter(isPrint) : []));

/** Whether the function prints the number, or a string of it has it as a word. */
function isStated(value: number, host: Fn): boolean {
  const { strings, printed } = statementsOf(host.decl);
  const word = new RegExp(`(?<![\\w.%])${value}(?!\\w|\\.\\d)`);
  return printed.has(value) || (value > 1 && strings.some((text) => word.test(text)));
}
const statementsOf = once((fn: FunctionDecl) => {
  const locals = localsOf(fn);
  const strings = locals.nodes.flatMap((node) => (node.kind === 'string' ? [node.text] : []));
  const printed = locals.nodes.flatMap((node) => {
    const parent = node.kind === 'number' ? locals.parent(node) : undefined;
    return node.kind === 'number' && parent && isPrint(parent) ? [node.value] : [];
  });
  return { strings, printed: new Set(printed) };
});
function isStatedGrid(expr: Expr, host: Fn): boolean {
  return extentParts(expr).some((part) => part.kind === 'number' && isStated(part.value, host));
}

function isPrint(node: AnySyntax): boolean {
  if (node.kind === 'call') return isPrinting(calleeName(node) ?? '');
  if (node.kind !== 'binary' || node.op !== '<<') return false;
  let first: Expr = node;
  while (first.kind === 'binary' && first.op === '<<') first = first.left;
  return first.kind === 'name' && isOutputStream(first.name);
}

function isWithin({ uri, start }: Span, spans: readonly Span[]): boolean {
  return spans.some((span) => span.uri === uri && span.start <= start && start < span.end);
}
