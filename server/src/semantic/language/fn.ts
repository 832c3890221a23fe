// What the finders of rewrites, reductions and host calls get to see: one function, its file, and the named facts about
// the launches it serves.
import type { Expr, FunctionDecl, Node, SourceFile, TranslationUnit } from '../../syntax/ast';
import type { Span } from '../model';
import { type IndexPolynomial, polynomialOf } from './indexPolynomials';
import { type LaunchSite, launchSitesNamed } from './launchSites';
import { createProgram, type Program } from './program';
import { ancestorsOf, definitionOf, isInside, type Local, type Locals, localsOf } from './scope';
import type { AnySyntax } from './statements';
import { createTypeTable } from './typeTable';
import { type Typing, typingOf } from './typing';
import type { TypeTable } from './types';

export type BlockShape = readonly [number, number, number];

/** A call of the known function, with the function that makes it. */
export interface CallSite {
  readonly caller: FunctionDecl;
  readonly args: readonly Expr[];
}

/** A function in its file: texts, places, indentation, and its variables by scope. */
export class FunctionText {
  constructor(
    /** The file that holds `decl`. */
    readonly file: SourceFile,
    readonly decl: FunctionDecl,
  ) {}

  /** The text of a node inside the function, as written. */
  text(node: Node): string {
    return this.file.text.slice(this.decl.base + node.start, this.decl.base + node.end);
  }

  /** The absolute span of a node inside the function. */
  span({ start, end }: Node): Span {
    return { uri: this.file.uri, start: this.decl.base + start, end: this.decl.base + end };
  }

  get newline(): string {
    return newlineOf(this);
  }

  /** The step by which the function's text is indented; that of most blocks of the file where the function has none. */
  get indentStep(): string {
    const first = this.decl.body?.body[0];
    const inner = first ? this.indent(first.start) : '';
    return indentBeyond(this.indent(this.decl.start), inner) || mostlyIn(this.file.text);
  }

  /** The white space that the line of an offset in the function begins with, whatever is between. */
  indent(offset: number): string {
    const at = this.decl.base + offset;
    return /^[ \t]*/.exec(this.file.text.slice(this.file.text.lastIndexOf('\n', at - 1) + 1, at))![0];
  }

  /** Where a line is written that goes before a statement: above the comments on the lines directly above it. */
  aboveComments(offset: number): number {
    const { base, comments } = this.decl;
    const lineOf = (at: number): number => this.file.text.lastIndexOf('\n', base + at - 1) + 1 - base;
    const isBlank = (start: number, end: number): boolean => !this.text({ start, end }).trim();
    if (!isBlank(lineOf(offset), offset)) return offset;
    const last = comments.findLast((comment) => comment.end <= offset);
    if (!last || !isBlank(lineOf(last.start), last.start)) return offset;
    const between = this.text({ start: last.end, end: offset });
    return /^\r?\n?[ \t]*$/.test(between) ? this.aboveComments(last.start) : offset;
  }

  get locals(): Locals {
    return localsOf(this.decl);
  }

  /** What a name means; undefined for every other expression. */
  local(expr: Expr): Local | undefined {
    return this.locals.of(expr);
  }

  parent(node: AnySyntax): AnySyntax | undefined {
    return this.locals.parent(node);
  }

  isInside(node: AnySyntax, outer: AnySyntax): boolean {
    return isInside(node, outer, this.locals);
  }

  /** The statements around a node, innermost first, the node itself left out. */
  around(node: AnySyntax): Iterable<AnySyntax> {
    return ancestorsOf(node, this.locals);
  }

  /** The one expression that a variable always stands for; undefined where it is written more than once. */
  definition(local: Local): Expr | undefined {
    return definitionOf(local, this.locals);
  }
}

export class Fn extends FunctionText {
  readonly program: Program;
  readonly types: TypeTable;
  /** The kernel itself, or the kernels that a device function serves. */
  readonly kernels: readonly string[];
  /** Block shapes of the known launches; empty where none is and a shape would be assumed. */
  readonly blockShapes: readonly BlockShape[];
  /**
   * False when a known launch has a block that depends on a run-time value: there are other shapes than `blockShapes`.
   */
  readonly allShapesKnown: boolean | undefined;
  /** Values of template parameters and of arguments that each launch fixes, beside `blockShapes`. */
  readonly launchValues: readonly ReadonlyMap<string, number>[] | undefined;
  /** Names of the types that each launch gives to template parameters, beside `blockShapes`. */
  readonly launchTypes: readonly ReadonlyMap<string, string>[] | undefined;
  /** Where a device function is called; empty for kernels and where no call is known. */
  readonly callSites: readonly CallSite[] | undefined;

  /** @param known what is left out is not known; the analysis adds what it knows of launches */
  constructor(
    readonly unit: TranslationUnit,
    file: SourceFile,
    decl: FunctionDecl,
    known: Partial<Fn> = {},
  ) {
    super(file, decl);
    this.program = known.program ?? createProgram(unit);
    this.types = known.types ?? createTypeTable(this.program);
    this.kernels = known.kernels ?? (decl.global ? [decl.name] : []);
    this.blockShapes = known.blockShapes ?? [];
    this.allShapesKnown = known.allShapesKnown;
    this.launchValues = known.launchValues;
    this.launchTypes = known.launchTypes;
    this.callSites = known.callSites;
  }

  /** Another function of the program in its file, whatever launches it. */
  of(fn: FunctionDecl): Fn {
    const { unit, file, program, types } = this;
    return new Fn(unit, program.fileOf(fn) ?? file, fn, { program, types });
  }

  /** Another function, seen as if it stood in the place of this one. */
  inside(fn: FunctionDecl, file = this.file): Fn {
    return new Fn(this.unit, file, fn, this);
  }

  /** The same, with no call of it known. */
  calledFromNowhere(): Fn {
    return new Fn(this.unit, this.file, this.decl, { ...this, callSites: [] });
  }

  /** The polynomial of an integer expression, as `polynomialOf` says. */
  index(expr: Expr): IndexPolynomial | undefined {
    return polynomialOf(expr, this);
  }

  get typing(): Typing {
    return typingOf(this);
  }

  /** The launches of kernels of a name. */
  launchSites(name: string): readonly LaunchSite[] {
    return launchSitesNamed(this, name);
  }
}

/** How the lines of a file end. */
export function newlineOf({ file }: { readonly file: { readonly text: string } }): string {
  return file.text.includes('\r\n') ? '\r\n' : '\n';
}

function mostlyIn(text: string): string {
  const counts = new Map<string, number>([['  ', 0]]);
  for (const [, , step] of text.matchAll(/^([ \t]*)(?:[^\s#].*)?\{[ \t]*\r?\n\1([ \t]+)(?=\S)/gm))
    counts.set(step!, (counts.get(step!) ?? 0) + 1);
  return [...counts].reduce((a, b) => (b[1] > a[1] ? b : a))[0];
}

/** What an indentation has beyond an outer one; undefined where it does not begin with that. */
export function indentBeyond(outer: string, inner: string): string | undefined {
  return inner.startsWith(outer) ? inner.slice(outer.length) : undefined;
}
