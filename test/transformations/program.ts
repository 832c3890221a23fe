// What transformations ask of a program: its kernels, launches, functions, constants and names, by places in the text.
import type { CallExpr, Expr, FunctionDecl, LaunchExpr, ParamDecl, TypeSyntax, VarDecl } from '../../server/src/syntax';
import type { Syntax } from '../../server/src/syntax';
import { changed, slice, type Change, type Marked } from './marked';

/** A program of one source; headers are added beside it. */
export interface Transformed {
  readonly main: Marked;
  /** Where it is now, if its form or language is another. */
  readonly path?: string;
  /** Headers beside it by name. */
  readonly headers?: ReadonlyMap<string, Marked>;
}

export interface Transformation {
  readonly name: string;
  /** The program in other clothes, or undefined where it does not apply. */
  readonly apply: (program: Program) => Transformed | undefined;
}

export interface Place {
  readonly start: number;
  readonly end: number;
}
export interface Launch extends Place {
  readonly callee: Place & { readonly name: string };
  readonly config: readonly Place[];
  readonly args: readonly Place[];
  /** The function around it. */
  readonly within: Code;
  /** The whole statement with its semicolon, where the launch is one. */
  readonly statement?: Place;
  /** The statement is within a lambda. */
  readonly inLambda: boolean;
}
export interface Code extends Place {
  readonly decl: FunctionDecl;
  readonly nameAt: Place;
  readonly params: readonly Parameter[];
  /** With its braces. */
  readonly body: Place;
  /** Variables declared in it, once each; a name that is declared twice is left out. */
  readonly locals: ReadonlyMap<string, VarDecl>;
}
export interface Parameter extends Place {
  readonly name: string;
  readonly text: string;
  /** The text up to the name. */
  readonly type: string;
  readonly syntax: TypeSyntax;
}
export interface Program {
  readonly syntax: Syntax;
  readonly source: Marked;
  readonly text: string;
  /** Kernels that every use of their name launches by that name alone, and that are no templates. */
  readonly kernels: readonly Kernel[];
  /** Free functions of the host with a body that are no templates. */
  readonly hosts: readonly Code[];
  readonly globals: readonly (VarDecl & { readonly qualifiedName: string })[];
  readonly macros: ReadonlyMap<string, { readonly body: string; readonly at: Place }>;
  /** Calls that are statements, outside kernels. */
  readonly calls: readonly (Place & { readonly name: string; readonly within: Code; readonly inLambda: boolean })[];
  /** Places of a word outside comments, strings and directives. */
  readonly uses: (word: string, within?: Place) => readonly Place[];
  readonly fresh: (wish: string) => string;
  readonly random: () => number;
  readonly slice: (at: Place) => Marked;
  readonly textOf: (at: Place) => string;
  readonly changed: (changes: readonly Change[]) => Transformed;
}
export interface Kernel extends Code {
  readonly launches: readonly Launch[];
}

const scalars =
  /^(?:(?:un)?signed )?(?:char|short|int|long|long long|float|double|bool)$|^(?:unsigned|size_t|dim3|ptrdiff_t|u?int(?:8|16|32|64)_t|cudaStream_t|(?:u?(?:int|char|short)|float|double)[1-4])$/;

/** How C++ writes a type, if it is plain: scalars, names and pointers to them. */
export function typeText(type: TypeSyntax): string | undefined {
  if (type.kind === 'named')
    return type.args || type.scopeArgs || !/^[\w: ]+$/.test(type.name) || /^std::/.test(type.name)
      ? undefined
      : `${type.const ? 'const ' : ''}${type.name}`;
  if (type.kind !== 'pointer') return undefined;
  const to = typeText(type.to);
  return to === undefined ? undefined : `${to} *`;
}

export function isScalar(type: TypeSyntax): boolean {
  return type.kind === 'named' && !type.args && scalars.test(type.name);
}

/** The name of what a pointer points to, where it is a plain one. */
export function elementOf(type: TypeSyntax): string | undefined {
  return type.kind === 'pointer' && type.to.kind === 'named' && !type.to.args ? type.to.name : undefined;
}

/** Without comments, strings and lines of the preprocessor, each as blanks. */
export function quietText(text: string): string {
  const blank = (part: string): string => part.replace(/[^\n]/g, ' ');
  return text
    .replace(/\/\/(?:\\\n|[^\n])*|\/\*[\s\S]*?\*\/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])+'/g, blank)
    .replace(/^[ \t]*#(?:\\\n|[^\n])*/gm, blank);
}

export function readProgram(syntax: Syntax, source: Marked, random: () => number): Program {
  const { text } = source;
  const uri = 'file:///transformations/program.cu';
  const { main } = syntax.parse(uri, text, 1, { defines: {}, computeCapability: 90 }, { resolve: () => undefined });
  syntax.forget(uri);
  const quiet = quietText(text);
  const uses = (word: string, within: Place = { start: 0, end: text.length }): Place[] =>
    [...quiet.slice(within.start, within.end).matchAll(new RegExp(`\\b${word}\\b`, 'g'))].map(({ index }) => ({
      start: within.start + index,
      end: within.start + index + word.length,
    }));
  const taken = new Set(text.match(/[A-Za-z_]\w*/g));
  const codes = main.functions.flatMap((decl) => (decl.body ? [codeOf(decl, text)] : []));
  const plain = codes.filter(({ decl }) => !decl.templateParams?.length && !decl.className && !decl.externC);
  const { launches, calls } = readCalls(codes, quiet);
  return {
    syntax,
    source,
    text,
    uses,
    random,
    globals: main.globals,
    calls,
    hosts: plain.filter(({ decl }) => !decl.global && !decl.device),
    kernels: plain
      .filter(({ decl }) => decl.global)
      .map((code) => ({ ...code, launches: launches.filter(({ callee }) => callee.name === code.decl.name) }))
      .filter(
        ({ decl, launches: its }) =>
          its.length > 0 &&
          uses(decl.name).length === its.length + 1 &&
          text.match(new RegExp(`\\b${decl.name}\\b`, 'g'))!.length - its.length - 1 <= inComments(text, decl.name),
      ),
    macros: new Map(
      main.macros
        .filter(({ params, start }) => !params && start >= 0)
        .map(({ name, body, start }) => [name, { body, at: lineOf(text, start) }]),
    ),
    fresh: (wish) => {
      let name = wish;
      for (let count = 2; taken.has(name); count++) name = `${wish}${count}`;
      taken.add(name);
      return name;
    },
    slice: ({ start, end }) => slice(source, start, end),
    textOf: ({ start, end }) => text.slice(start, end),
    changed: (changes) => ({ main: changed(source, changes) }),
  };
}

function inComments(text: string, word: string): number {
  return (
    (text.match(/\/\/[^\n]*|\/\*[\s\S]*?\*\//g) ?? []).join('\n').match(new RegExp(`\\b${word}\\b`, 'g'))?.length ?? 0
  );
}

function lineOf(text: string, at: number): Place {
  const end = text.indexOf('\n', at);
  return { start: text.lastIndexOf('\n', at) + 1, end: end < 0 ? text.length : end + 1 };
}

function codeOf(decl: FunctionDecl, text: string): Code {
  const { base } = decl;
  const at = ({ start, end }: Place): Place => ({ start: base + start, end: base + end });
  const params = decl.params.map((param: ParamDecl) => ({
    ...at(param),
    name: param.name,
    text: text.slice(base + param.start, base + param.end),
    type: text.slice(base + param.start, base + param.nameStart).trim(),
    syntax: param.type,
  }));
  const locals = new Map<string, VarDecl>();
  const twice = new Set<string>(decl.params.map(({ name }) => name));
  visit(decl.body, (node) => {
    if (node['kind'] !== 'var') return;
    const variable = node as unknown as VarDecl;
    if (locals.has(variable.name)) twice.add(variable.name);
    locals.set(variable.name, variable);
  });
  for (const name of twice) locals.delete(name);
  const nameAt = at({ start: decl.nameStart, end: decl.nameStart + decl.name.length });
  return { decl, ...at(decl), nameAt, params, body: at(decl.body!), locals };
}

type Nodes = Record<string, unknown>;

function visit(node: unknown, enter: (node: Nodes, lambda: boolean) => void, lambda = false): void {
  if (typeof node !== 'object' || node === null) return;
  if (!Array.isArray(node)) enter(node as Nodes, lambda);
  const within = lambda || (node as Nodes)['kind'] === 'lambda';
  for (const each of Object.values(node)) visit(each, enter, within);
}

function readCalls(codes: readonly Code[], quiet: string): { launches: Launch[]; calls: Program['calls'] } {
  const launches: Launch[] = [];
  const calls: { start: number; end: number; name: string; within: Code; inLambda: boolean }[] = [];
  for (const within of codes) {
    const { base } = within.decl;
    const at = ({ start, end }: Place): Place => ({ start: base + start, end: base + end });
    const statements = new Map<unknown, Place>();
    visit(within.decl.body, (node, inLambda) => {
      if (node['kind'] === 'expr' && !node['macro']) statements.set(node['expr'], at(node as unknown as Place));
      if (node['macro']) return;
      if (node['kind'] === 'launch') {
        const launch = node as unknown as LaunchExpr;
        if (launch.callee.kind !== 'name' || launch.callee.templateArgs) return;
        const statement = statements.get(node);
        launches.push({
          ...at(launch),
          callee: { ...at(launch.callee), name: launch.callee.name },
          config: launch.config.map(at),
          args: launch.args.map((arg: Expr) => at(arg)),
          within,
          inLambda,
          ...(statement && quiet[statement.end - 1] === ';' ? { statement } : {}),
        });
      }
      if (node['kind'] !== 'call' || !statements.has(node) || within.decl.global || within.decl.device) return;
      const call = node as unknown as CallExpr;
      if (call.callee.kind === 'name') calls.push({ ...at(call), name: call.callee.name, within, inLambda });
    });
  }
  return { launches, calls };
}
