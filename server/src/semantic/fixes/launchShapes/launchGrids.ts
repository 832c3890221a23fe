// The extents of a launch as text: how many blocks and threads it asks for along x, and how to ask for more.
import type { Expr, TypeSyntax } from '../../../syntax/ast';
import type { Edit } from '../../model';
import type { Fn, LaunchSite, Local } from '../../language';
import { dependsOnThread, once, oncePerBody, functionsWith, lastPart, calleeName, localsOf } from '../../language';
import { freshNamesOf, parenthesised } from '../writing/edits';
import { hasMacro, isHandedOn } from '../../program';

/** A configuration argument of a launch: its extent along x as text, and how the argument reads with another one. */
export interface ExtentText {
  /** Fit to be in a product. */
  readonly x: string;
  /** A variable, whose other extents an edit repeats. */
  readonly isVariable?: boolean;
  /** Only x: y and z are 1 by construction. */
  readonly oneDimensional: boolean;
  /** The extent along y as text, where z is 1 by construction. */
  readonly y?: string;
  /** The edit after which x is `text` and the other extents are what they were. */
  withX(text: string): Edit;
  /** The edit after which x and y are as said, and z is 1. */
  withPlane(x: string, y: string): Edit;
}

/**
 * Reads the grid (0) or block (1) of a launch; undefined where its type is not known, so that it is unknown whether
 * it has a y, or where a macro writes more or less than the argument or one of its parts.
 */
export function extentOf(site: LaunchSite, which: 0 | 1): ExtentText | undefined {
  const expr = site.launch.config[which];
  if (!expr || site.launch.macro || !isWritten(site, expr, site.launch.config)) return undefined;
  const { host } = site;
  const whole = host.span(expr);
  const withPlane = (x: string, y: string): Edit => ({ at: whole, newText: `dim3(${x}, ${y})` });
  const parts = dim3Elements(expr);
  if (parts) {
    const [x, y, z] = parts;
    if (expr.macro || !opensInText(host, expr, parts[0]) || !parts.every((part) => isWritten(site, part, parts)))
      return undefined;
    if (!x || !isNumber(x, site)) return undefined;
    return {
      x: factorOf(host, x),
      ...(y && isNumber(y, site) && (!z || isOne(z)) ? { y: factorOf(host, y) } : {}),
      withPlane,
      oneDimensional: parts.slice(1).every(isOne),
      withX: (newText) => ({ at: host.span(x), newText }),
    };
  }
  if (isNumber(expr, site))
    return {
      x: factorOf(host, expr),
      y: '1',
      oneDimensional: true,
      withPlane,
      withX: (newText) => ({ at: whole, newText }),
    };
  if (!isDim3(expr, host)) return undefined;
  const name = host.text(expr);
  return {
    x: `${name}.x`,
    isVariable: true,
    ...(isPlane(expr, site) ? { y: `${name}.y` } : {}),
    oneDimensional: dim3Parts(expr, site)?.slice(1).every(isOne) ?? false,
    withPlane,
    withX: (newText) => ({ at: whole, newText: `dim3(${newText}, ${name}.y, ${name}.z)` }),
  };
}

/**
 * The edits that give launches so many times the blocks along x. Of a `dim3`, where it is declared, or of another one
 * below it where something else uses it, too; undefined where a `dim3` changes after its declaration.
 */
export function timesBlocks(sites: readonly LaunchSite[], factor: number): readonly Edit[] | undefined {
  const edits = new Map<string, Edit>();
  const add = (edit: Edit): unknown => edits.set(JSON.stringify(edit), edit);
  for (const site of sites) {
    const { host, launch } = site;
    const grid = extentOf(site, 0)!;
    const expr = launch.config[0]!;
    const parts = grid.isVariable ? dim3Parts(expr, site) : undefined;
    const locals = host.locals;
    const local = expr.kind === 'name' ? locals.of(expr) : undefined;
    const declared = local?.variable && locals.parent(local.variable);
    if (!grid.isVariable) {
      add(grid.withX(`${grid.x} * ${factor}`));
    } else if (!parts || !local || declared?.kind !== 'decl' || locals.parent(declared)?.kind !== 'block') {
      return undefined;
    } else if (
      local.uses.every((use) => sites.some((other) => other.launch.config[0] === use)) &&
      !parts.some(hasMacro)
    ) {
      add({ at: host.span(parts[0]!), newText: `${factorOf(host, parts[0]!)} * ${factor}` });
    } else {
      const name = freshNamesOf(host)(`${local.name}OfWarps`);
      const others = grid.oneDimensional ? '' : `, ${local.name}.y, ${local.name}.z`;
      const text = `const dim3 ${name}(${local.name}.x * ${factor}${others});`;
      const newText = host.newline + host.indent(declared.start) + text;
      add({ at: host.span({ start: declared.end, end: declared.end }), newText });
      add({ at: host.span(expr), newText: name });
    }
  }
  return [...edits.values()];
}

/** Whether an argument, or one among its parts, is in the text from its first to its last character. */
function isWritten({ host }: LaunchSite, expr: Expr, among: readonly (Expr | undefined)[]): boolean {
  if (!hasMacro(expr)) return true;
  const { start, end } = host.span(expr);
  const { text } = host.file;
  return (
    /[<,({]\s*$/.test(text.slice(Math.max(0, start - 100), start)) &&
    /^\s*[,)}>]/.test(text.slice(end, end + 100)) &&
    among.every((other) => !other || other === expr || other.end <= expr.start || other.start >= expr.end)
  );
}

/** `dim3(` and `{` stand where the parts begin, and no macro writes them. */
function opensInText(host: Fn, expr: Expr, first: Expr | undefined): boolean {
  const begin = host.span(expr).start;
  return !!first && /^(?:dim3\s*[({]|\{)\s*$/.test(host.file.text.slice(begin, host.span(first).start));
}

/** A macro may expand to a sum. */
function factorOf(host: Fn, expr: Expr): string {
  return expr.macro && expr.kind !== 'number' ? `(${host.text(expr)})` : parenthesised(host, expr);
}

/** The arguments of `dim3(…)`, or the elements of `{…}`. */
export function dim3Elements(expr: Expr): readonly Expr[] | undefined {
  if (expr.kind === 'initList') return expr.elements;
  return expr.kind === 'call' && calleeName(expr) === 'dim3' ? expr.args : undefined;
}
/** What an extent is made of as it is written: its parts, or itself. */
export function extentParts(expr: Expr): readonly Expr[] {
  return dim3Elements(expr) ?? [expr];
}

/** The declared type of a name in the launching function or at file scope. */
function declaredType(expr: Expr, host: Fn): TypeSyntax | undefined {
  if (expr.kind !== 'name') return undefined;
  const local = host.local(expr);
  if (local) return (local.variable ?? local.parameter)?.type;
  return host.program.globals(expr.name)[0]?.type;
}

export function isDim3(expr: Expr, host: Fn): boolean {
  let type = declaredType(expr, host);
  if (type?.kind === 'reference') type = type.to;
  return type?.kind === 'named' && type.name === 'dim3';
}

/** A `dim3` whose z is 1 where it is made, and of which nothing but x and y is written later. */
function isPlane(expr: Expr, site: LaunchSite): boolean {
  const local = expr.kind === 'name' ? site.host.local(expr) : undefined;
  const parts = local && initialParts(local, site);
  return (
    !!parts?.slice(2).every(isOne) &&
    !isHandedOn(local!, site.host) &&
    local!.writes.every(
      ({ node }) => node.kind === 'assign' && node.target.kind === 'member' && /^[xy]$/.test(node.target.field),
    )
  );
}

/** What a `dim3` is made of, of which nothing is written later. */
export function dim3Parts(expr: Expr, site: LaunchSite): readonly Expr[] | undefined {
  if (expr.kind !== 'name') return undefined;
  const local = site.host.local(expr);
  return local && local.writes.length === 0 ? initialParts(local, site) : undefined;
}

function initialParts(local: Local, site: LaunchSite): readonly Expr[] | undefined {
  if (!local.variable || local.addressTaken) return undefined;
  const { init } = local.variable;
  if (!init) return undefined;
  const parts = extentParts(init);
  // One part may be another dim3, or a function that makes one: how many extents it has is not known.
  if (parts.length === 1 && !isNumber(parts[0]!, site)) return undefined;
  return parts.length > 0 ? parts : undefined;
}

function isOne(part: Expr): boolean {
  return part.kind === 'number' && part.value === 1;
}

/** Whether the expression is a number, as far as visible declarations tell; a variable with a fraction is none. */
function isNumber(expr: Expr, { host }: LaunchSite): boolean {
  if (dependsOnThread(expr, host.decl)) return false;
  const type = host.typing.typeOf(expr);
  return type?.kind === 'scalar' ? !type.float || expr.kind !== 'name' : host.types.constant(expr) !== undefined;
}

/**
 * A use of the kernel's name that is neither a launch nor a call of a host function of that name: a pointer to it, an
 * attribute, an occupancy that is asked for.
 */
export const isStartedOtherwise = once(({ program, decl }: Fn) =>
  functionsWith(program.unit, [lastPart(decl.name)]).some((user) => usedByText(user).has(decl.name)),
);

const usedByText = oncePerBody((fn): ReadonlySet<string> => {
  const names = new Set<string>();
  const locals = localsOf(fn);
  for (const node of locals.nodes) {
    if (node.kind !== 'name' || locals.of(node)) continue;
    const parent = locals.parent(node);
    if ((parent?.kind === 'launch' || parent?.kind === 'call') && parent.callee === node) continue;
    names.add(lastPart(node.name));
  }
  return names;
});

/** Whether the launch asks for dynamic shared memory, as far as its text does not say that it takes none. */
export function takesSharedMemory({ launch }: LaunchSite): boolean {
  const bytes = launch.config[2];
  return !!bytes && !(bytes.kind === 'number' && bytes.value === 0);
}
