// One function in its file: what finders ask of texts and places to write edits.
import type { Expr, FunctionDecl, Node, SourceFile } from '../../syntax/ast';
import type { Span } from '../model';
import type { Program } from './program';
import { ancestorsOf, definitionOf, isInside, type Local, type Locals, localsOf } from './scope';
import type { AnySyntax } from './statements';
import type { TypeTable } from './types';

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

/** With the program that it is in, and what its names of types mean. */
export class TypedFunction extends FunctionText {
  constructor(
    file: SourceFile,
    decl: FunctionDecl,
    readonly program: Program,
    readonly types: TypeTable,
  ) {
    super(file, decl);
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
