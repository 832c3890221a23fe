// Gives a kernel without a bounds check its own: the number of threads that its launches asked for becomes an
// argument, so that a block that is filled up does nothing beyond it.
import type { Edit } from '../../model';
import { once, type Fn } from '../../language';
import type { LaunchSite } from '../../language';
import { freshNamesOf, isBracketed } from '../writing/edits';
import { extentOf } from './launchGrids';
import { codeOf, isPure } from '../../program';

/**
 * How many threads a launch of one dimension, or of a `plane` along x, asks for, as text that may be evaluated once
 * more; undefined else.
 */
export function threadsOf(site: LaunchSite, plane = false): string | undefined {
  const [grid, block] = [extentOf(site, 0), extentOf(site, 1)];
  if (!grid || !block || !(plane || (grid.oneDimensional && block.oneDimensional))) return undefined;
  if (!site.launch.config.slice(0, 2).every((expr) => isPure(expr, site.host))) return undefined;
  if (block.x !== '1') return `${grid.x} * ${block.x}`;
  return isBracketed(grid.x) ? grid.x.slice(1, -1) : grid.x;
}

/**
 * The edits of the kernel of `fn` and of all its launches, whose shapes stay; a clause that says what hinders
 * where they cannot be made. The kernel has to ask for nothing but its thread's number in the grid.
 */
export function ownEndOf(fn: Fn, launchedElsewhere: boolean, plane = false): readonly Edit[] | string {
  if (launchedElsewhere) return 'other files launch it';
  const known = ends(fn.program)(fn.decl);
  if (!known.has(plane)) known.set(plane, endFor(fn, plane));
  return known.get(plane)!;
}
const ends = once((_: object) => once((__: object) => new Map<boolean, readonly Edit[] | string>()));

function endFor(fn: Fn, plane: boolean): readonly Edit[] | string {
  const { decl, file } = fn;
  const sites = fn.launchSites(decl.name);
  // A declaration, an instantiation or a specialisation has parameters that would have to change, too.
  if (namedIn(fn) !== sites.length + 1) return 'it is also declared or named elsewhere';
  const last = decl.params.at(-1);
  if (decl.params.some(({ pack, init }) => pack || init) || decl.className) return 'it cannot take another parameter';
  const at = (offset: number): Edit['at'] => ({ uri: file.uri, start: decl.base + offset, end: decl.base + offset });
  const open = file.text.indexOf('(', decl.base + decl.nameStart + decl.name.length) - decl.base;
  const close = last ? last.end : open + 1;
  const body = decl.body!;
  const between = file.text.slice(decl.base + close, decl.base + body.start + 1);
  if (
    !/^\s*\)\s*\{$/.test(between) ||
    !new RegExp(`^${decl.name}\\b`).test(file.text.slice(decl.base + decl.nameStart))
  )
    return 'its head contains a macro or a comment';
  const name = freshNamesOf(fn)('threads');
  const edits: Edit[] = [];
  for (const site of sites) {
    const { launch, host } = site;
    const threads = threadsOf(site, plane);
    const end = host.decl.base + launch.end - 1;
    if (threads === undefined || host.file.text[end] !== ')') return 'not all its launches are written as two numbers';
    // A macro that stands for no argument, or for all of them, hides whether another one follows any.
    if (launch.args.length === 0 && !/\(\s*$/.test(host.file.text.slice(Math.max(0, end - 100), end)))
      return 'the arguments of a launch come from a macro';
    // Nothing says which of a call's arguments is computed first.
    if (!launch.args.every((arg) => isPure(arg, host))) return 'an argument of a launch has side effects';
    edits.push({
      at: { uri: host.file.uri, start: end, end },
      newText: `${launch.args.length > 0 ? ', ' : ''}${threads}`,
    });
  }
  return [
    { at: at(close), newText: `${last ? ', ' : ''}unsigned int ${name}` },
    ...firstStatement(fn, `if (blockIdx.x * blockDim.x + threadIdx.x >= ${name}) return;`),
    ...edits,
  ];
}

/** Writes a statement before all others of the function's body, with their own lines for a body on one line. */
function firstStatement(fn: Fn, statement: string): Edit[] {
  const { decl, file } = fn;
  const [start, end] = [decl.base + decl.body!.start + 1, decl.base + decl.body!.end - 1];
  const inside = file.text.slice(start, end);
  const outer = fn.newline + fn.indent(decl.start);
  const inner = outer + fn.indentStep;
  const [leading] = /^[ \t]*/.exec(inside)!;
  const rest = inside.slice(leading.length);
  if (/^[\r\n]|^\/[/*]|^$/.test(rest))
    return [{ at: { uri: file.uri, start, end: start }, newText: inner + statement }];
  const opened = { at: { uri: file.uri, start, end: start + leading.length }, newText: inner + statement + inner };
  if (/[\r\n]/.test(inside)) return [opened];
  const trailing = /[ \t]*$/.exec(inside)![0].length;
  return [opened, { at: { uri: file.uri, start: end - trailing, end }, newText: outer }];
}

/** How often the unit names the kernel, comments, strings and characters left out. */
function namedIn({ unit, decl }: Fn): number {
  const name = new RegExp(`\\b${decl.name}\\b`, 'g');
  return unit.files.reduce((sum, { text }) => {
    if (!text.includes(decl.name)) return sum;
    // A driver is asked for a kernel by its name as a string.
    const asked = text.match(new RegExp(String.raw`(?:Function|Kernel)\w*\s*\([^;]*"${decl.name}"`, 'g'))?.length ?? 0;
    return sum + asked + [...codeOf(text).matchAll(name)].length;
  }, 0);
}
