// What the lowering of one chunk carries along, and the small questions that all its parts ask of raw nodes.
import type {
  AliasDecl,
  Declarations,
  BlockStmt,
  EnumDecl,
  Expr,
  FunctionDecl,
  OpaqueExpr,
  Pragma,
  StructDecl,
  TemplateParam,
  VarDecl,
  TypeSyntax,
} from './ast';
import type { ParseText } from './parseText';
import type { RawNode } from './tree';

/**
 * What a chunk declares. Offsets are relative to the chunk, those inside functions to the function's `base`, which is
 * relative to the chunk.
 */
export type LoweredChunk = { readonly [K in keyof Declarations]: Declarations[K][number][] };

/** The variables of a declaration, and the functions it declares. */
export interface DeclaredVariables {
  readonly vars: VarDecl[];
  readonly functions: FunctionDecl[];
  /** It contains only functions. */
  readonly isFunction: boolean;
}

/**
 * The language nests every kind of node in every other: types hold expressions, expressions hold blocks, blocks hold
 * classes. A file imports what lies below it (types, expressions, statements, declarations, in this order) and reaches
 * what lies above through these.
 */
export interface Lowerers {
  expression(lowering: Lowering, node: RawNode): Expr;
  block(lowering: Lowering, node: RawNode): BlockStmt;
  variables(lowering: Lowering, node: RawNode, specifiers: Specifiers): DeclaredVariables;
  struct(lowering: Lowering, node: RawNode): StructDecl;
  enumeration(lowering: Lowering, node: RawNode): EnumDecl;
  alias(lowering: Lowering, node: RawNode): readonly AliasDecl[];
}

export interface Lowering {
  readonly lower: Lowerers;
  readonly source: ParseText;
  readonly uri: string;
  /** Offset in the file that is 0 for the nodes being made. */
  base: number;
  /** Offset in the file where the chunk starts. */
  readonly chunkBase: number;
  depth: number;
  /** Names of the variables declared so far, to tell `(a) * b` and `sizeof(a)` from casts and types. */
  readonly variables: Set<string>;
  /** Namespaces and classes around, outermost first. */
  readonly scopes: string[];
  readonly className: string | undefined;
  readonly templateParams: readonly TemplateParam[];
  /** This many of them, from the first, were there before the innermost `template <…>`. */
  readonly outerTemplateParams: number;
  /** Within a class: so many of them, from the first, are those of the classes around. */
  readonly classTemplateParams: number;
  readonly externC: boolean;
  readonly inFunction: boolean;
  /** Pragmas that wait for the statement which starts at a token, by the token's number; taken out when attached. */
  readonly pragmas: Map<number, Pragma[]>;
  readonly out: LoweredChunk;
  readonly keyOf: (name: string, start: number, end: number) => string;
}

/** So deep do expressions and statements nest before the rest becomes opaque; the walkers above recurse too. */
export const DEPTH_LIMIT = 250;

/** The span of a raw node in the lowering's offsets. */
export function at(
  lowering: Lowering,
  node: { readonly start: number; readonly end: number; readonly children?: readonly RawNode[] },
): { start: number; end: number; macro?: true } {
  const span = lowering.source.spanOf(node.start, node.end, node.children);
  const start = span.start - lowering.base;
  const end = span.end - lowering.base;
  return span.macro ? { start, end, macro: true } : { start, end };
}

export function between(
  lowering: Lowering,
  first: RawNode,
  last: RawNode,
): { start: number; end: number; macro?: true } {
  return at(lowering, { start: first.start, end: last.end });
}

export function position(lowering: Lowering, offset: number): number {
  return lowering.source.positionOf(offset) - lowering.base;
}

export function wordsOf(lowering: Lowering, node: RawNode): string {
  return lowering.source.text.slice(node.start, node.end);
}

export function child(node: RawNode, field: string): RawNode | undefined {
  for (const each of node.children) if (each.field === field) return each;
  return undefined;
}

export function childrenOf(node: RawNode, field: string): RawNode[] {
  return node.children.filter((each) => each.field === field);
}

export function childOfType(node: RawNode, type: string): RawNode | undefined {
  for (const each of node.children) if (each.type === type) return each;
  return undefined;
}

export function hasWord(node: RawNode, word: string): boolean {
  for (const each of node.children) if (!each.named && each.type === word) return true;
  return false;
}

export function namedChildren(node: RawNode): RawNode[] {
  return node.children.filter((each) => each.named);
}

export function qualify(scopes: readonly string[], name: string): string {
  return scopes.length > 0 ? `${scopes.join('::')}::${name}` : name;
}

/** What nothing was read of. */
export function unread(lowering: Lowering, node: RawNode): OpaqueExpr {
  return { kind: 'opaque', ...at(lowering, node), parts: [] };
}

/** The part of a declaration before the declarators. */
export interface Specifiers {
  readonly type: TypeSyntax;
  readonly typeNode: RawNode | undefined;
  readonly words: ReadonlySet<string>;
  readonly align?: Expr;
  readonly launchBounds?: readonly Expr[];
}

export const OPERATOR_WORDS: Readonly<Record<string, string>> = {
  and: '&&',
  or: '||',
  not: '!',
  bitand: '&',
  bitor: '|',
  xor: '^',
  not_eq: '!=',
  compl: '~',
  and_eq: '&=',
  or_eq: '|=',
  xor_eq: '^=',
};

/** Operations that the grammar took for casts, `(a) + b`: they bound tighter than they should. */
export const tookForCast = new WeakSet<Expr>();
