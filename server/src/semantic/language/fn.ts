// What the finders of rewrites, reductions and host calls get to see: one function, its file, and the named facts about
// the launches it serves.
import type { Expr, FunctionDecl, Node, SourceFile, TranslationUnit } from '../../syntax/ast';
import type { Span } from '../model';
import { createProgram, type Program } from './program';
import { localsOf, type Locals } from './scope';
import { createTypeTable } from './typeTable';
import type { TypeTable } from './types';

export type BlockShape = readonly [number, number, number];

/** A call of the known function, with the function that makes it. */
export interface CallSite {
  readonly caller: FunctionDecl;
  readonly args: readonly Expr[];
}

export class Fn {
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
    /** The file that holds `fn`. */
    readonly file: SourceFile,
    readonly decl: FunctionDecl,
    known: Partial<Fn> = {},
  ) {
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

  /** The function's variables by scope. */
  get locals(): Locals {
    return localsOf(this.decl);
  }
}

/** The text of a node inside the function, as written. */
export function textOf(fn: Pick<Fn, 'file' | 'decl'>, node: Node): string {
  return fn.file.text.slice(fn.decl.base + node.start, fn.decl.base + node.end);
}

/** The absolute span of a node inside the function. */
export function spanOf(fn: Pick<Fn, 'file' | 'decl'>, node: Node): Span {
  return { uri: fn.file.uri, start: fn.decl.base + node.start, end: fn.decl.base + node.end };
}

/** How the lines of the function's file end. */
export function newlineOf({ file }: { readonly file: { readonly text: string } }): string {
  return file.text.includes('\r\n') ? '\r\n' : '\n';
}

/** The step by which the function's text is indented; that of most blocks of the file where the function has none. */
export function unitOf(fn: Pick<Fn, 'file' | 'decl'>): string {
  const { decl } = fn;
  const first = decl.body?.body[0];
  const own = indentAt(fn, decl.start);
  const inner = first ? indentAt(fn, first.start) : '';
  return indentBeyond(own, inner) || mostlyIn(fn.file.text);
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

/** The white space that the line of an offset in the function begins with, whatever is between. */
export function indentAt({ file, decl }: Pick<Fn, 'file' | 'decl'>, offset: number): string {
  const at = decl.base + offset;
  return /^[ \t]*/.exec(file.text.slice(file.text.lastIndexOf('\n', at - 1) + 1, at))![0];
}

/** Where a line is written that goes before a statement: above the comments on the lines directly above it. */
export function aboveComments({ file, decl }: Pick<Fn, 'file' | 'decl'>, offset: number): number {
  const lineOf = (at: number): number => file.text.lastIndexOf('\n', decl.base + at - 1) + 1 - decl.base;
  const isBlank = (start: number, end: number): boolean => !file.text.slice(decl.base + start, decl.base + end).trim();
  if (!isBlank(lineOf(offset), offset)) return offset;
  const last = decl.comments.findLast((comment) => comment.end <= offset);
  if (!last || !isBlank(lineOf(last.start), last.start)) return offset;
  const between = file.text.slice(decl.base + last.end, decl.base + offset);
  return /^\r?\n?[ \t]*$/.test(between) ? aboveComments({ file, decl }, last.start) : offset;
}
