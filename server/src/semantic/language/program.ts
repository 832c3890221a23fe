// The declarations of a translation unit by name: what a name in any of its files can mean.
import { append, once } from './append';
import type {
  AliasDecl,
  EnumDecl,
  Expr,
  FunctionDecl,
  SourceFile,
  StructDecl,
  TranslationUnit,
  VarDecl,
} from '../../syntax/ast';
import { libraryTypes, qualifiedOnly } from '../../syntax/libraryTypes';
import { step } from '../../syntax/steps';
import { runsOf } from './fileRuns';
import { isKnownByName } from './libraryFunctions';
import { isThreadName } from './threadNames';

export type GlobalDecl = VarDecl & { readonly qualifiedName: string };

/** Where an enumerator's value comes from: its own expression, or `offset` more than the last one that has one. */
interface Enumerator {
  readonly value?: Expr;
  readonly offset: number;
}

export interface Program {
  readonly unit: TranslationUnit;
  /** Of a name whose meaning is known without a declaration those of the program itself alone. */
  functions(name: string): readonly FunctionDecl[];
  /** Of the program itself, not of a library. */
  isOwn(fn: FunctionDecl): boolean;
  structs(name: string): readonly StructDecl[];
  aliases(name: string): readonly AliasDecl[];
  globals(name: string): readonly GlobalDecl[];
  enumerator(name: string): Enumerator | undefined;
  isEnum(name: string): EnumDecl | undefined;
  /** May a name as written mean a declaration? Those of libraries that are not at hand have conditions. */
  mayMean(decl: { readonly qualifiedName: string }, name: string, within: string | undefined): boolean;
  /** The file that holds a declaration's span. */
  fileOf(fn: FunctionDecl): SourceFile | undefined;
  /** The functions with this key, in whatever file. */
  withKey(key: string): readonly FunctionDecl[];
  /** Every function of every file. */
  allFunctions(): readonly FunctionDecl[];
}

/**
 * Of the variables of one last name those that `name` may mean in scope `within`: of this scope or the next around
 * it, else of none, else any, where a directive (`using namespace`) that is not read decides.
 */
export function globalsMeant(
  candidates: readonly GlobalDecl[],
  name: string,
  within: string | undefined,
): readonly GlobalDecl[] {
  if (candidates.length < 2) return candidates;
  for (let scope = within ?? ''; ; scope = scope.slice(0, Math.max(0, scope.lastIndexOf('::')))) {
    const full = scope ? `${scope}::${name}` : name;
    const own = candidates.filter(({ qualifiedName }) => qualifiedName === full);
    if (own.length > 0) return own;
    if (!scope) break;
  }
  const ending = candidates.filter(({ qualifiedName }) => qualifiedName.endsWith(`::${name}`));
  return ending.length > 0 ? ending : candidates;
}

/** The class or namespace that a function is in. */
export function scopeAround({ className, qualifiedName }: FunctionDecl): string | undefined {
  return (
    className ?? (qualifiedName.includes('::') ? qualifiedName.slice(0, qualifiedName.lastIndexOf('::')) : undefined)
  );
}

/** The part of a qualified name behind the last `::`. */
export function lastPart(name: string): string {
  const at = name.lastIndexOf('::');
  return at < 0 ? name : name.slice(at + 2);
}

/** A constructor of a class that is known. */
export function isConstructor({ name, className }: FunctionDecl): boolean {
  return className !== undefined && lastPart(className) === name;
}

interface FileIndex {
  readonly functions: Map<string, FunctionDecl[]>;
  readonly keys: Map<string, FunctionDecl[]>;
  readonly structs: Map<string, StructDecl[]>;
  readonly aliases: Map<string, AliasDecl[]>;
  readonly globals: Map<string, GlobalDecl[]>;
  readonly enumerators: Map<string, Enumerator>;
  readonly enums: Map<string, EnumDecl>;
}

// An index belongs to a SourceFile object, and those are replaced whole when their text changes.
const indexes = new WeakMap<SourceFile, FileIndex>();

function noDeclarations(): FileIndex {
  return {
    functions: new Map(),
    keys: new Map(),
    structs: new Map(),
    aliases: new Map(),
    globals: new Map(),
    enumerators: new Map(),
    enums: new Map(),
  };
}

function indexOf(file: SourceFile): FileIndex {
  const known = indexes.get(file);
  if (known) return known;
  const index = noDeclarations();
  const addEnum = (decl: EnumDecl): void => {
    if (decl.name) index.enums.set(decl.name, decl);
    let base: Expr | undefined;
    let offset = 0;
    for (const value of decl.values) {
      if (value.value) {
        base = value.value;
        offset = 0;
      }
      index.enumerators.set(value.name, { ...(base ? { value: base } : {}), offset });
      offset++;
    }
  };
  const addStruct = (decl: StructDecl, depth: number): void => {
    if (decl.name) append(index.structs, lastPart(decl.name), decl);
    if (depth > 8) return;
    decl.structs.forEach((inner) => addStruct(inner, depth + 1));
    decl.aliases.forEach((alias) => append(index.aliases, lastPart(alias.name), alias));
    decl.enums.forEach(addEnum);
  };
  for (const fn of file.functions) {
    append(index.functions, lastPart(fn.name), fn);
    append(index.keys, fn.key, fn);
  }
  file.structs.forEach((decl) => addStruct(decl, 0));
  file.aliases.forEach((alias) => append(index.aliases, lastPart(alias.name), alias));
  file.enums.forEach(addEnum);
  file.globals.forEach((global) => append(index.globals, lastPart(global.name), global));
  indexes.set(file, index);
  return index;
}

/** What files declare together, in their order; of enumerators and enumerations of one name the first file's. */
const indexOfRun = once((files: readonly SourceFile[]): FileIndex => {
  const index = noDeclarations();
  const join = <T>(into: Map<string, T[]>, from: Map<string, T[]>): void => {
    for (const [name, list] of from) append(into, name, ...list);
  };
  const keepFirst = <T>(into: Map<string, T>, from: Map<string, T>): void => {
    for (const [name, one] of from) if (!into.has(name)) into.set(name, one);
  };
  for (const file of files) {
    const one = indexOf(file);
    join(index.functions, one.functions);
    join(index.keys, one.keys);
    join(index.structs, one.structs);
    join(index.aliases, one.aliases);
    join(index.globals, one.globals);
    keepFirst(index.enumerators, one.enumerators);
    keepFirst(index.enums, one.enums);
  }
  return index;
});

/** The files of the program itself: those that are reached without an include in angle brackets. */
const ownFiles = once((unit: TranslationUnit): ReadonlySet<string> => {
  const reached = new Set([unit.main.uri]);
  const files = new Map(unit.files.map((file) => [file.uri, file]));
  for (const uri of reached)
    for (const { system, resolved } of files.get(uri)?.includes ?? [])
      if (!system && resolved !== undefined) reached.add(resolved);
  return reached;
});

/** Names that the declarations of libraries have. */
const libraryNames: ReadonlySet<string> = new Set(
  [...libraryTypes.matchAll(/\b(?:struct|using|typedef [^;]*?)\s+(\w+)(?=\s*[;:{=<])/g)].map(([, name]) => name!),
);

/** Declarations of libraries, and whether only their own class may use the name alone. */
const ofLibrary = new WeakMap<object, boolean>();

/** Is a name in its namespace, or alone where nothing else has it? */
function fitsLibrary(qualifiedName: string, hidden: boolean, name: string, within: string | undefined): boolean {
  const scope = qualifiedName.slice(0, Math.max(0, qualifiedName.lastIndexOf('::')));
  if (!name.includes('::')) return !hidden || within === scope || within?.startsWith(`${scope}::`) === true;
  const written = name.replace(/^::/, '');
  return qualifiedName === written || qualifiedName.endsWith(`::${written}`) || written.endsWith(`::${qualifiedName}`);
}

/** A class, and not only its name. */
export function isDefinition(decl: StructDecl): boolean {
  return [decl.fields, decl.bases, decl.methods, decl.structs, decl.aliases].some(({ length }) => length > 0);
}

function indexOfLibrary(file: SourceFile): FileIndex {
  const add = ({ structs, aliases }: Pick<SourceFile, 'structs' | 'aliases'>, isMember: boolean): void => {
    for (const decl of [...structs, ...aliases]) ofLibrary.set(decl, isMember || qualifiedOnly.has(decl.name));
    for (const decl of structs) add(decl, true);
  };
  add(file, false);
  return indexOf(file);
}

/** `find` of the last part of a name, asked once for each name. */
function remembered<T>(find: (last: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    step();
    let found = known.get(name);
    if (found === undefined && !known.has(name)) known.set(name, (found = find(lastPart(name))));
    return found as T;
  };
}

export function createProgram(unit: TranslationUnit): Program {
  const [own, ...included] = unit.files;
  const indexes = [...(own ? [indexOf(own)] : []), ...runsOf(included).map(indexOfRun)];
  const listOf = <T>(pick: (index: FileIndex) => Map<string, T[]>, key: string): readonly T[] =>
    indexes.flatMap((index) => pick(index).get(key) ?? []);
  const collect = <T>(pick: (index: FileIndex) => Map<string, T[]>): ((name: string) => readonly T[]) =>
    remembered((last) => listOf(pick, last));
  const first = <T>(pick: (index: FileIndex) => Map<string, T>): ((name: string) => T | undefined) =>
    remembered((last) => indexes.map((index) => pick(index).get(last)).find((found) => found !== undefined));
  const functions = collect((index) => index.functions);
  const isOwn = ({ uri }: FunctionDecl): boolean => ownFiles(unit).has(uri);
  const globals = collect((index) => index.globals);
  const ownStructs = collect((index) => index.structs);
  const ownAliases = collect((index) => index.aliases);
  /** The index of the libraries' declarations for a name that the program itself does not define. */
  const standIn = (last: string): FileIndex | undefined =>
    unit.library && libraryNames.has(last) && !ownStructs(last).some(isDefinition) && ownAliases(last).length === 0
      ? indexOfLibrary(unit.library())
      : undefined;
  const files = new Map<string, SourceFile>(unit.files.map((file) => [file.uri, file]));
  let all: readonly FunctionDecl[] | undefined;
  return {
    unit,
    functions: remembered((last) => (isKnownByName(last) ? functions(last).filter(isOwn) : functions(last))),
    isOwn,
    structs: remembered((last) => standIn(last)?.structs.get(last) ?? ownStructs(last)),
    aliases: remembered((last) => standIn(last)?.aliases.get(last) ?? ownAliases(last)),
    // CUDA's headers declare the language's variables as if they were ordinary ones.
    globals: (name) => (isThreadName(name) ? [] : globals(name)),
    enumerator: first((index) => index.enumerators),
    isEnum: first((index) => index.enums),
    mayMean(decl, name, within) {
      const hidden = ofLibrary.get(decl);
      return hidden === undefined || fitsLibrary(decl.qualifiedName, hidden, name, within);
    },
    fileOf: (fn) => files.get(fn.uri),
    withKey: (key) => listOf((index) => index.keys, key),
    allFunctions: () => (all ??= unit.files.flatMap((file) => file.functions)),
  };
}
