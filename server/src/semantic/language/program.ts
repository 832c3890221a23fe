// The declarations of a translation unit by name: what a name in any of its files can mean.
import { append, once } from './append';
import type {
  AliasDecl,
  Declarations,
  EnumDecl,
  Expr,
  FunctionDecl,
  Instantiation,
  SourceFile,
  StructDecl,
  TranslationUnit,
  VarDecl,
} from '../../syntax/ast';
import { libraryTypes, qualifiedOnly } from '../../syntax/libraryTypes';
import { hashText } from '../../syntax/macros';
import { classKey, functionKey, memberKey, type Piece } from '../../syntax/pieces';
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
  /** The methods of the classes of a name, those defined outside of them included. */
  methodsOf(className: string): readonly FunctionDecl[];
  /** What the text instantiates explicitly. */
  instantiations(): readonly Instantiation[];
  /** The file of a class or variable that was found by name. */
  uriOf(declared: StructDecl | GlobalDecl): string | undefined;
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

const indexOf = once((declared: Declarations): FileIndex => {
  const index: FileIndex = {
    functions: new Map(),
    keys: new Map(),
    structs: new Map(),
    aliases: new Map(),
    globals: new Map(),
    enumerators: new Map(),
    enums: new Map(),
  };
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
  for (const fn of declared.functions) {
    append(index.functions, lastPart(fn.name), fn);
    append(index.keys, fn.key, fn);
  }
  declared.structs.forEach((decl) => addStruct(decl, 0));
  declared.aliases.forEach((alias) => append(index.aliases, lastPart(alias.name), alias));
  declared.enums.forEach(addEnum);
  declared.globals.forEach((global) => append(index.globals, lastPart(global.name), global));
  return index;
});

/** A part of a file that may declare a name. */
interface Place {
  readonly uri: string;
  readonly piece: Piece<Declarations>;
}

/** The pieces of files by the names that they declare, in their order. */
const placesOfRun = once((files: readonly SourceFile[]): ReadonlyMap<string, readonly Place[]> => {
  const places = new Map<string, Place[]>();
  for (const { uri, pieces } of files)
    for (const piece of pieces) {
      const place = { uri, piece };
      for (const name of piece.names) append(places, name, place);
    }
  return places;
});

/** The pieces of files by the words among their tokens, with the number of each. */
const wordsOfRun = once(
  (files: readonly SourceFile[]): ReadonlyMap<string, ReadonlyMap<Piece<Declarations>, number>> => {
    const places = new Map<string, Map<Piece<Declarations>, number>>();
    files
      .flatMap(({ pieces }) => pieces)
      .forEach((piece, at) => {
        for (const word of piece.words()) {
          const list = places.get(word);
          if (list) list.set(piece, at);
          else places.set(word, new Map([[piece, at]]));
        }
      });
    return places;
  },
);

/** The main file, and runs of those that it includes. */
const runsOfUnit = once(({ files: [main, ...included] }: TranslationUnit) => [main ? [main] : [], ...runsOf(included)]);

/** Is a word among the tokens of included files? */
export function isMentionedByIncluded(word: string, unit: TranslationUnit): boolean {
  return runsOfUnit(unit)
    .slice(1)
    .some((run) => wordsOfRun(run).has(word));
}

/** What the parts of files declare that mention one of these words, macros expanded. Nothing else is parsed. */
export function declarationsWith(unit: TranslationUnit, words: Iterable<string>): readonly Declarations[] {
  const wanted = [...words];
  return runsOfUnit(unit)
    .map(wordsOfRun)
    .flatMap((run) => {
      const found = new Map(wanted.flatMap((word) => [...(run.get(word) ?? [])]));
      return [...found].sort(([, a], [, b]) => a - b).map(([piece]) => piece.declared());
    });
}

export function functionsWith(unit: TranslationUnit, words: Iterable<string>): readonly FunctionDecl[] {
  return declarationsWith(unit, words).flatMap(({ functions }) => functions);
}

/** All classes, those in classes too. */
export function structsWith(unit: TranslationUnit, words: Iterable<string>): readonly StructDecl[] {
  const within = (decl: StructDecl): readonly StructDecl[] => [decl, ...decl.structs.flatMap(within)];
  return declarationsWith(unit, words).flatMap(({ structs }) => structs.flatMap(within));
}

/** The words of a unit that a pattern fits. */
export function wordsLike(unit: TranslationUnit, pattern: RegExp): readonly string[] {
  return runsOfUnit(unit).flatMap((run) => [...wordsOfRun(run).keys()].filter((word) => pattern.test(word)));
}

/** Changes with any part of the files that the main file includes, but for kernels. */
export const includedHosts = once((unit: TranslationUnit): string => {
  const parts = unit.files.flatMap((file) => (file === unit.main ? [] : hostPartsOf(file)));
  return hashText(parts.join()).toString(36);
});
const hostPartsOf = once((file: SourceFile): readonly string[] =>
  file.pieces.flatMap((piece) => (piece.words().has('__global__') ? [] : piece.content)),
);

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

/** `find` of a name, asked once for each name. */
export function onceEach<T>(find: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    let found = known.get(name);
    if (found === undefined && !known.has(name)) known.set(name, (found = find(name)));
    return found as T;
  };
}

/** `find` of the last part of a name. */
function remembered<T>(find: (last: string) => T): (name: string) => T {
  return onceEach((name) => find(lastPart(name)));
}

export function createProgram(unit: TranslationUnit): Program {
  const runs = runsOfUnit(unit).map(placesOfRun);
  const placesOf = (key: string): readonly Place[] => runs.flatMap((run) => run.get(key) ?? []);
  const found = new WeakMap<object, string>();
  const listOf = <T extends object>(
    places: readonly Place[],
    pick: (index: FileIndex) => Map<string, T[]>,
    name: string,
  ): readonly T[] =>
    places.flatMap(({ uri, piece }) => {
      const list = pick(indexOf(piece.declared())).get(name) ?? [];
      for (const each of list) found.set(each, uri);
      return list;
    });
  const collect = <T extends object>(
    pick: (index: FileIndex) => Map<string, T[]>,
    keyOf = (name: string): string => name,
  ): ((name: string) => readonly T[]) => remembered((last) => listOf(placesOf(keyOf(last)), pick, last));
  /** Of enumerators and enumerations of one name the last of the first file. */
  const first = <T>(
    pick: (index: FileIndex) => Map<string, T>,
    keyOf = (name: string): string => name,
  ): ((name: string) => T | undefined) =>
    remembered((last) => {
      const having = placesOf(keyOf(last)).filter(({ piece }) => pick(indexOf(piece.declared())).has(last));
      const one = having.findLast(({ uri }) => uri === having[0]!.uri);
      return one && pick(indexOf(one.piece.declared())).get(last);
    });
  const functions = collect((index) => index.functions, functionKey);
  const isOwn = ({ uri }: FunctionDecl): boolean => ownFiles(unit).has(uri);
  const globals = collect((index) => index.globals);
  const ownStructs = collect((index) => index.structs, classKey);
  const ownAliases = collect((index) => index.aliases);
  /** The index of the libraries' declarations for a name that the program itself does not define. */
  const standIn = (last: string): FileIndex | undefined =>
    unit.library && libraryNames.has(last) && !ownStructs(last).some(isDefinition) && ownAliases(last).length === 0
      ? indexOfLibrary(unit.library())
      : undefined;
  const files = new Map<string, SourceFile>(unit.files.map((file) => [file.uri, file]));
  const ownFunctions = (name: string): readonly FunctionDecl[] => {
    const own = placesOf(functionKey(name)).filter(({ uri }) => ownFiles(unit).has(uri));
    return listOf(own, (index) => index.functions, name);
  };
  return {
    unit,
    functions: remembered((last) => (isKnownByName(last) ? ownFunctions(last) : functions(last))),
    isOwn,
    structs: remembered((last) => standIn(last)?.structs.get(last) ?? ownStructs(last)),
    aliases: remembered((last) => standIn(last)?.aliases.get(last) ?? ownAliases(last)),
    // CUDA's headers declare the language's variables as if they were ordinary ones.
    globals: (name) => (isThreadName(name) ? [] : globals(name)),
    enumerator: first((index) => index.enumerators),
    isEnum: first((index) => index.enums, classKey),
    mayMean(decl, name, within) {
      const hidden = ofLibrary.get(decl);
      return hidden === undefined || fitsLibrary(decl.qualifiedName, hidden, name, within);
    },
    fileOf: (fn) => files.get(fn.uri),
    // A key begins with the function's name.
    withKey: (key) =>
      listOf(placesOf(functionKey(lastPart(key.slice(0, key.indexOf('#'))))), (index) => index.keys, key),
    methodsOf: (name) =>
      [...new Set([...placesOf(classKey(name)), ...placesOf(memberKey(name))])].flatMap(({ piece }) =>
        piece.declared().functions.filter(({ className }) => className !== undefined && lastPart(className) === name),
      ),
    instantiations: () => placesOf('template').flatMap(({ piece }) => piece.declared().instantiations),
    uriOf: (declared) => found.get(declared),
  };
}
