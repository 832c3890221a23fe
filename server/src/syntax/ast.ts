// The plain syntax tree that every layer above syntax reads: no parser nodes, no text, only facts with offsets.
import type { IncludeDirective, MacroDef, Node } from './places';
import type { Piece } from './pieces';
import type { Directive } from './procedures';

export type { IncludeDirective, MacroDef, Node };

// ---- types as written --------------------------------------------------------------------------------------------

export type TypeSyntax =
  | {
      readonly kind: 'named';
      readonly name: string;
      readonly args?: readonly TemplateArg[];
      /** `Traits<T>::type`: the arguments of the part before the last `::`. */
      readonly scopeArgs?: readonly TemplateArg[];
      readonly const?: boolean;
      readonly volatile?: boolean;
    }
  | {
      readonly kind: 'pointer';
      readonly to: TypeSyntax;
      readonly restrict?: boolean;
      readonly const?: boolean;
      readonly volatile?: boolean;
    }
  | { readonly kind: 'reference'; readonly to: TypeSyntax }
  | { readonly kind: 'array'; readonly of: TypeSyntax; readonly size?: Expr }
  | { readonly kind: 'function'; readonly returns: TypeSyntax }
  | { readonly kind: 'auto'; readonly const?: boolean }
  | { readonly kind: 'decltype'; readonly expr: Expr }
  | { readonly kind: 'struct'; readonly decl: StructDecl }; // an unnamed or locally defined struct used as a type

/**
 * `named.name` is normalised: `unsigned int`, `long long`, `unsigned char`, `float`, `ns::Type`, `T`. A lone name in
 * template arguments is a `type` unless a variable or value parameter of that name is known: `f<N>()` with a global
 * constant `N` has to be looked up. The same holds for `sizeof(N)`.
 */
export type TemplateArg = { readonly type: TypeSyntax } | { readonly expr: Expr };

// ---- expressions -------------------------------------------------------------------------------------------------

export type Expr =
  | NameExpr
  | NumberExpr
  | StringExpr
  | UnaryExpr
  | UpdateExpr
  | BinaryExpr
  | AssignExpr
  | ConditionalExpr
  | IndexExpr
  | MemberExpr
  | CallExpr
  | LaunchExpr
  | CastExpr
  | SizeofExpr
  | InitListExpr
  | LambdaExpr
  | NewExpr
  | DeleteExpr
  | OpaqueExpr;

/** `a`, `ns::a`, `kernel<float, 4>`; `this` is a name too. */
export interface NameExpr extends Node {
  readonly kind: 'name';
  readonly name: string;
  readonly templateArgs?: readonly TemplateArg[];
  /** `Traits<T>::value`: the arguments of the part before the last `::`. */
  readonly scopeArgs?: readonly TemplateArg[];
}
/**
 * Integer, floating, character and bool literals; `type` as C++ gives it (`int`, `unsigned int`, `long long`, `float`,
 * `double`, `char`, `bool`). `nullptr` is value 0 of type `nullptr`.
 */
export interface NumberExpr extends Node {
  readonly kind: 'number';
  readonly value: number;
  readonly type: string;
  readonly text: string;
}
export interface StringExpr extends Node {
  readonly kind: 'string';
  readonly text: string;
}
export interface UnaryExpr extends Node {
  readonly kind: 'unary';
  readonly op: '+' | '-' | '!' | '~' | '*' | '&';
  readonly operand: Expr;
}
export interface UpdateExpr extends Node {
  readonly kind: 'update';
  readonly op: '++' | '--';
  readonly prefix: boolean;
  readonly operand: Expr;
}
/** Includes `&&`, `||` and `,`. `opStart` is where the operator stands. */
export interface BinaryExpr extends Node {
  readonly kind: 'binary';
  readonly op: string;
  readonly opStart: number;
  readonly left: Expr;
  readonly right: Expr;
}
/** `op` is `=`, `+=`, … */
export interface AssignExpr extends Node {
  readonly kind: 'assign';
  readonly op: string;
  readonly opStart: number;
  readonly target: Expr;
  readonly value: Expr;
  /** A constructor's `name(values)`: `target` is a member, or names a base or the class itself. */
  readonly initialises?: true;
}
export interface ConditionalExpr extends Node {
  readonly kind: 'conditional';
  readonly cond: Expr;
  readonly then: Expr;
  readonly else: Expr;
}
export interface IndexExpr extends Node {
  readonly kind: 'index';
  readonly base: Expr;
  readonly index: Expr;
}
export interface MemberExpr extends Node {
  readonly kind: 'member';
  readonly object: Expr;
  readonly field: string;
  readonly arrow: boolean;
  readonly fieldStart: number;
  readonly templateArgs?: readonly TemplateArg[];
}
/**
 * Calls and functional construction alike (`dim3(1, 2)`, `float4{…}` has callee name `float4` and one init list's
 * elements as args with `braces`).
 */
export interface CallExpr extends Node {
  readonly kind: 'call';
  readonly callee: Expr;
  readonly args: readonly Expr[];
  readonly braces?: boolean;
}
/** `kernel<T, 4><<<grid, block, shared, stream>>>(args)`. cudaLaunchKernel and friends stay calls. */
export interface LaunchExpr extends Node {
  readonly kind: 'launch';
  /** It is a call of a function that launches what it is given. */
  readonly asked?: true;
  readonly callee: Expr;
  readonly config: readonly Expr[];
  readonly args: readonly Expr[];
}
export interface CastExpr extends Node {
  readonly kind: 'cast';
  readonly style: 'c' | 'static' | 'reinterpret' | 'const' | 'dynamic' | 'functional';
  readonly type: TypeSyntax;
  readonly operand: Expr;
}
export interface SizeofExpr extends Node {
  readonly kind: 'sizeof';
  readonly type?: TypeSyntax;
  readonly operand?: Expr;
  readonly alignof?: boolean;
}
/** `{a, b, {c}}`, designators dropped into `fields` where they are written. */
export interface InitListExpr extends Node {
  readonly kind: 'initList';
  readonly elements: readonly Expr[];
  readonly fields?: readonly (string | undefined)[];
}
export interface LambdaExpr extends Node {
  readonly kind: 'lambda';
  /** Of a lambda with template parameters: `[]<int N>() { … }`. */
  readonly templateParams?: readonly TemplateParam[];
  readonly params: readonly ParamDecl[];
  readonly body: BlockStmt;
  readonly device: boolean;
  readonly captureByReference: boolean;
}
export interface NewExpr extends Node {
  readonly kind: 'new';
  readonly type: TypeSyntax;
  readonly size?: Expr;
  readonly args?: readonly Expr[];
}
export interface DeleteExpr extends Node {
  readonly kind: 'delete';
  readonly operand: Expr;
}
/** Anything that was not understood; its understood parts are kept so that reads inside are still seen. */
export interface OpaqueExpr extends Node {
  readonly kind: 'opaque';
  readonly parts: readonly Expr[];
  /** `f(args)...`: the part stands for as many as the pack in it has. */
  readonly expands?: true;
}

// ---- statements --------------------------------------------------------------------------------------------------

export type Stmt =
  | BlockStmt
  | DeclStmt
  | ExprStmt
  | IfStmt
  | ForStmt
  | RangeForStmt
  | WhileStmt
  | DoStmt
  | SwitchStmt
  | CaseStmt
  | BreakStmt
  | ContinueStmt
  | ReturnStmt
  | GotoStmt
  | LabelStmt
  | AsmStmt
  | TypeStmt
  | TryStmt
  | EmptyStmt
  | OpaqueStmt;

/** A `#pragma` before a statement. `text` has continuations joined and no `#pragma`. */
export interface Pragma extends Node {
  readonly text: string;
}
interface StmtNode extends Node {
  readonly pragmas?: readonly Pragma[];
}

export interface BlockStmt extends StmtNode {
  readonly kind: 'block';
  readonly body: readonly Stmt[];
}
export interface DeclStmt extends StmtNode {
  readonly kind: 'decl';
  readonly vars: readonly VarDecl[];
}
export interface ExprStmt extends StmtNode {
  readonly kind: 'expr';
  readonly expr: Expr;
}
export interface IfStmt extends StmtNode {
  readonly kind: 'if';
  readonly constexpr?: boolean;
  readonly init?: Stmt;
  readonly cond: Expr;
  readonly then: Stmt;
  readonly else?: Stmt;
}
export interface ForStmt extends StmtNode {
  readonly kind: 'for';
  readonly init?: Stmt;
  readonly cond?: Expr;
  readonly step?: Expr;
  readonly body: Stmt;
  readonly headerEnd: number;
}
export interface RangeForStmt extends StmtNode {
  readonly kind: 'rangeFor';
  readonly variable: VarDecl;
  readonly range: Expr;
  readonly body: Stmt;
}
export interface WhileStmt extends StmtNode {
  readonly kind: 'while';
  readonly cond: Expr;
  readonly body: Stmt;
}
export interface DoStmt extends StmtNode {
  readonly kind: 'do';
  readonly body: Stmt;
  readonly cond: Expr;
}
export interface SwitchStmt extends StmtNode {
  readonly kind: 'switch';
  readonly cond: Expr;
  readonly body: BlockStmt;
} // body holds CaseStmt
export interface CaseStmt extends StmtNode {
  readonly kind: 'case';
  readonly value?: Expr;
  readonly body: readonly Stmt[];
} // no value: default
export interface BreakStmt extends StmtNode {
  readonly kind: 'break';
}
export interface ContinueStmt extends StmtNode {
  readonly kind: 'continue';
}
export interface ReturnStmt extends StmtNode {
  readonly kind: 'return';
  readonly value?: Expr;
}
export interface GotoStmt extends StmtNode {
  readonly kind: 'goto';
  readonly label: string;
}
export interface LabelStmt extends StmtNode {
  readonly kind: 'label';
  readonly label: string;
  readonly body: Stmt;
}
export interface AsmStmt extends StmtNode {
  readonly kind: 'asm';
  readonly template: string;
  readonly outputs: readonly Expr[];
  readonly inputs: readonly Expr[];
}
export interface TypeStmt extends StmtNode {
  readonly kind: 'type';
  readonly structs: readonly StructDecl[];
  readonly aliases: readonly AliasDecl[];
  readonly enums: readonly EnumDecl[];
}
export interface TryStmt extends StmtNode {
  readonly kind: 'try';
  readonly body: BlockStmt;
  readonly handlers: readonly BlockStmt[];
}
/**
 * `;`, a declaration without a variable, or nothing at all: pragmas before a closing brace belong to an empty statement
 * of no width.
 */
export interface EmptyStmt extends StmtNode {
  readonly kind: 'empty';
}
export interface OpaqueStmt extends StmtNode {
  readonly kind: 'opaque';
  readonly parts: readonly (Stmt | Expr)[];
  readonly throws?: true; // `throw value;`
}

// ---- declarations ------------------------------------------------------------------------------------------------

export interface VarDecl extends Node {
  readonly kind: 'var';
  readonly name: string;
  readonly nameStart: number;
  readonly type: TypeSyntax;
  /** Absent for `T x;`; for `T x(a, b)` and `T x{a, b}` the arguments as an init list. */
  readonly init?: Expr;
  readonly initStyle?: '=' | '(' | '{';
  readonly space: 'none' | 'shared' | 'constant' | 'device' | 'managed';
  readonly storage?: 'extern' | 'static' | 'thread_local';
  readonly constant: boolean; // const or constexpr
  readonly constexpr?: boolean;
  readonly volatile?: boolean;
  readonly align?: Expr;
}

export interface ParamDecl extends Node {
  readonly name: string;
  readonly nameStart: number;
  readonly type: TypeSyntax;
  readonly init?: Expr;
  readonly pack?: boolean;
}
export type TemplateParam =
  | { readonly kind: 'type'; readonly name: string; readonly default?: TypeSyntax; readonly pack?: boolean }
  | {
      readonly kind: 'value';
      readonly name: string;
      readonly type: TypeSyntax;
      readonly default?: Expr;
      readonly pack?: boolean;
    };

export interface FunctionDecl {
  /**
   * Same text in the same file gives the same key (an ordinal tells identical functions apart); a changed function gets
   * a new one.
   */
  readonly key: string;
  readonly uri: string;
  /**
   * Offset in the file that all offsets below are relative to. Offsets of this record itself (`start`, `end`,
   * `nameStart`, …) are relative too: `start` is 0 or near it.
   */
  readonly base: number;
  readonly start: number;
  readonly end: number;
  readonly name: string; // last part: `operator()`, `run`
  readonly qualifiedName: string; // with namespaces and class: `ns::Class::run`
  readonly nameStart: number;
  readonly className?: string; // qualified, when a member
  readonly templateParams?: readonly TemplateParam[]; // class template's parameters first, then the function's own
  /** This many of them, from the first, are the class template's. */
  readonly classTemplateParams?: number;
  /** `template <> void f<float>()`: the arguments of the specialisation. */
  readonly specialisedFor?: readonly TemplateArg[];
  readonly params: readonly ParamDecl[];
  /**
   * Of a method of the device that is defined in its class, where no type of a field has an expression: the fields, and
   * the names of the methods.
   */
  readonly members?: { readonly fields: readonly ParamDecl[]; readonly methods: ReadonlySet<string> };
  readonly returns: TypeSyntax;
  readonly global: boolean; // __global__
  readonly device: boolean; // __device__
  readonly host: boolean; // __host__, or no execution-space qualifier
  readonly externC: boolean;
  readonly noinline: boolean;
  readonly constexpr: boolean;
  readonly launchBounds?: readonly Expr[];
  /**
   * Present for a definition. Member initialisers of constructors come first as expression statements `this->x = v`.
   */
  readonly body?: BlockStmt;
  /** Of a lambda that is looked at as a function: the one that it is written in, whose `base` is its own. */
  readonly enclosing?: FunctionDecl;
  /** Comments inside the function, in order. */
  readonly comments: readonly Node[];
}

export interface FieldDecl {
  readonly name: string;
  readonly type: TypeSyntax;
  readonly align?: Expr;
  readonly static: boolean;
  readonly init?: Expr;
  readonly bits?: number;
}
export interface StructDecl extends Node {
  readonly kind: 'struct' | 'union';
  readonly name: string; // '' when unnamed
  readonly qualifiedName: string;
  readonly templateParams?: readonly TemplateParam[];
  /** `template <> struct Traits<float>`: the arguments of the specialisation. */
  readonly specialisedFor?: readonly TemplateArg[];
  readonly bases: readonly TypeSyntax[];
  readonly fields: readonly FieldDecl[];
  readonly align?: Expr; // alignas(n), __align__(n), __attribute__((aligned(n)))
  readonly packed?: boolean;
  readonly methods: readonly FunctionDecl[];
  readonly structs: readonly StructDecl[]; // nested
  readonly aliases: readonly AliasDecl[];
  readonly enums: readonly EnumDecl[];
}
export interface AliasDecl extends Node {
  readonly name: string;
  readonly qualifiedName: string;
  readonly type: TypeSyntax;
  readonly templateParams?: readonly TemplateParam[];
}
/** `template void f<float>(int);` and `template class C<float>;`: what a template is made for, called or not. */
export interface Instantiation extends Node {
  readonly qualifiedName: string;
  readonly args?: readonly TemplateArg[];
  /** `C<float>::f`: the arguments of the part before the last `::`. */
  readonly scopeArgs?: readonly TemplateArg[];
  /** Types of a function's parameters; absent for a class. */
  readonly params?: readonly TypeSyntax[];
}
export interface EnumDecl extends Node {
  readonly name: string;
  readonly qualifiedName: string;
  readonly underlying?: TypeSyntax;
  readonly values: readonly { readonly name: string; readonly value?: Expr }[];
}

// ---- a file ------------------------------------------------------------------------------------------------------

/**
 * One preprocessed and parsed source file. Included files that could be found are parsed apart and listed in `includes`
 * by `resolved`.
 */
/** Functions are free ones and methods, at any namespace depth, definitions and declarations. */
export interface Declarations {
  readonly functions: readonly FunctionDecl[];
  readonly structs: readonly StructDecl[];
  readonly aliases: readonly AliasDecl[];
  readonly enums: readonly EnumDecl[];
  readonly instantiations: readonly Instantiation[];
  readonly globals: readonly (VarDecl & { readonly qualifiedName: string })[];
  readonly errors: readonly Node[]; // where the parser had to recover, absolute spans
}

/** Reading one list of an included file's declarations parses all of that file: `pieces` are for searches. */
export interface SourceFile extends Declarations {
  readonly uri: string;
  readonly version: number;
  readonly text: string;
  readonly pieces: readonly Piece<Declarations>[];
  readonly includes: readonly IncludeDirective[];
  readonly macros: readonly MacroDef[]; // of this file alone, in order (the last wins)
  readonly inactive: readonly Node[]; // `#if` branches that were not taken: absolute spans
  readonly comments: readonly Node[]; // outside functions, absolute spans
  readonly pragmas: readonly Pragma[]; // all of the file, absolute spans
  /** The OpenACC directives among them, each starting where its pragma does. */
  readonly directives: readonly Directive[];
}

/** A file with every included file that was found, in include order, each once; `files[0]` is the file itself. */
export interface TranslationUnit {
  readonly main: SourceFile;
  readonly files: readonly SourceFile[];
  readonly library?: () => SourceFile; // well-known classes, for names that the program does not define
  readonly excess?: string | undefined; // one sentence on what was not read, as it exceeds the limits of a file
  readonly excessOfSource?: string | undefined; // the same, as it is said of a file that the source includes
}
