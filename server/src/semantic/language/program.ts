// The declarations of a translation unit by name: what a name in any of its files can mean.
import { append, once } from './append';
import type {
  Declarations,
  Expr,
  FunctionDecl,
  Instantiation,
  SourceFile,
  StructDecl,
  TranslationUnit,
  VarDecl,
} from '../../syntax/ast';
import { libraryTypes, qualifiedOnly } from '../../syntax/libraryTypes';
import { step } from '../steps';
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

export type Program = ReturnType<typeof createProgram>;

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

type Named = Exclude<keyof Declarations, 'instantiations' | 'errors'>;

/** What a part of a file declares, with what its classes do: aliases and enumerations of inner ones first. */
const contentsOf = once((declared: Declarations): Pick<Declarations, Named> => {
  const within = (decl: StructDecl): readonly StructDecl[] => [...decl.structs.flatMap(within), decl];
  const inside = declared.structs.flatMap(within);
  return {
    functions: declared.functions,
    structs: declared.structs.flatMap(classesIn),
    aliases: [...inside.flatMap(({ aliases }) => aliases), ...declared.aliases],
    enums: [...inside.flatMap(({ enums }) => enums), ...declared.enums],
    globals: declared.globals,
  };
});

/** A class and the classes in it. */
function classesIn(decl: StructDecl): readonly StructDecl[] {
  return [decl, ...decl.structs.flatMap(classesIn)];
}

const named = <K extends Named>(declared: Declarations, kind: K, name: string): Declarations[K] =>
  contentsOf(declared)[kind].filter((each) => lastPart(each.name ?? '') === name) as unknown as Declarations[K];

/** The last enumerator of a name. */
function enumeratorIn(declared: Declarations, name: string): Enumerator | undefined {
  const values = contentsOf(declared).enums.findLast((decl) => decl.values.some((each) => each.name === name))?.values;
  if (!values) return undefined;
  const at = values.findLastIndex((each) => each.name === name);
  const from = values.findLastIndex((each, index) => index <= at && each.value);
  return from < 0 ? { offset: at } : { value: values[from]!.value!, offset: at - from };
}

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
const wordsOfRun = once((files: readonly SourceFile[]) => {
  const places = new Map<string, (readonly [Piece<Declarations>, number])[]>();
  files
    .flatMap(({ pieces }) => pieces)
    .forEach((piece, at) => {
      for (const word of piece.words()) append(places, word, [piece, at] as const);
    });
  return places;
});

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
  return declarationsWith(unit, words).flatMap(({ structs }) => structs.flatMap(classesIn));
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
  file.pieces.flatMap((piece) => (piece.words().has('__global__') ? [] : piece.content())),
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

function markLibrary({ structs, aliases }: Pick<Declarations, 'structs' | 'aliases'>, isMember: boolean): void {
  for (const decl of [...structs, ...aliases]) ofLibrary.set(decl, isMember || qualifiedOnly.has(decl.name));
  for (const decl of structs) markLibrary(decl, true);
}

/** `find` of a name, asked once for each name. */
export function onceEach<T>(find: (name: string) => T): (name: string) => T {
  const known = new Map<string, T>();
  return (name) => {
    step();
    let found = known.get(name);
    if (found === undefined && !known.has(name)) known.set(name, (found = find(name)));
    return found as T;
  };
}

/** `find` of the last part of a name. */
function remembered<T>(find: (last: string) => T): (name: string) => T {
  return onceEach((name) => find(lastPart(name)));
}

export function createProgram(unit: TranslationUnit) {
  const runs = runsOfUnit(unit).map(placesOfRun);
  const placesOf = (key: string): readonly Place[] => runs.flatMap((run) => run.get(key) ?? []);
  const found = new WeakMap<object, string>();
  const listOf = <K extends Named>(places: readonly Place[], kind: K, name: string): Declarations[K] =>
    places.flatMap(({ uri, piece }): readonly object[] => {
      const list = named(piece.declared(), kind, name);
      for (const each of list) found.set(each, uri);
      return list;
    }) as unknown as Declarations[K];
  const collect = <K extends Named>(
    kind: K,
    keyOf = (name: string): string => name,
  ): ((name: string) => Declarations[K]) => remembered((last) => listOf(placesOf(keyOf(last)), kind, last));
  /** Of enumerators and enumerations of one name the last of the first file. */
  const first = <T>(key: string, pick: (declared: Declarations) => T | undefined): T | undefined => {
    const having = placesOf(key).filter(({ piece }) => pick(piece.declared()) !== undefined);
    const one = having.findLast(({ uri }) => uri === having[0]!.uri);
    return one && pick(one.piece.declared());
  };
  const functions = collect('functions', functionKey);
  const globals = collect('globals');
  const ownStructs = collect('structs', classKey);
  const ownAliases = collect('aliases');
  /** The libraries' declarations where they have a name that the program itself does not define. */
  const inLibrary = <K extends 'structs' | 'aliases'>(last: string, kind: K): Declarations[K] | undefined => {
    if (!unit.library || !libraryNames.has(last) || ownStructs(last).some(isDefinition) || ownAliases(last).length > 0)
      return undefined;
    const library = unit.library();
    markLibrary(library, false);
    const list = named(library, kind, last);
    return list.length > 0 ? list : undefined;
  };
  const files = new Map<string, SourceFile>(unit.files.map((file) => [file.uri, file]));
  /** Of the program itself, not of a library. */
  const isOwn = ({ uri }: { readonly uri: string }): boolean => ownFiles(unit).has(uri);
  return {
    unit,
    /** Of a name whose meaning is known without a declaration those of the program itself alone. */
    functions: remembered((last) =>
      isKnownByName(last) ? listOf(placesOf(functionKey(last)).filter(isOwn), 'functions', last) : functions(last),
    ),
    isOwn,
    structs: remembered((last) => inLibrary(last, 'structs') ?? ownStructs(last)),
    aliases: remembered((last) => inLibrary(last, 'aliases') ?? ownAliases(last)),
    // CUDA's headers declare the language's variables as if they were ordinary ones.
    globals: (name: string): readonly GlobalDecl[] => (isThreadName(name) ? [] : globals(name)),
    enumerator: remembered((last) => first(last, (declared) => enumeratorIn(declared, last))),
    isEnum: remembered((last) => first(classKey(last), (declared) => named(declared, 'enums', last).at(-1))),
    /** May a name as written mean a declaration? Those of libraries that are not at hand have conditions. */
    mayMean(decl: { readonly qualifiedName: string }, name: string, within: string | undefined): boolean {
      const hidden = ofLibrary.get(decl);
      return hidden === undefined || fitsLibrary(decl.qualifiedName, hidden, name, within);
    },
    /** The file that holds a declaration's span. */
    fileOf: (fn: FunctionDecl): SourceFile | undefined => files.get(fn.uri),
    /** The functions with this key, in whatever file. */
    // A key begins with the function's name.
    withKey: (key: string): readonly FunctionDecl[] =>
      functions(key.slice(0, key.indexOf('#'))).filter((fn) => fn.key === key),
    /** The methods of the classes of a name, those defined outside of them included. */
    methodsOf: (name: string): readonly FunctionDecl[] =>
      [...new Set([...placesOf(classKey(name)), ...placesOf(memberKey(name))])].flatMap(({ piece }) =>
        piece.declared().functions.filter(({ className }) => className !== undefined && lastPart(className) === name),
      ),
    /** What the text instantiates explicitly. */
    instantiations: (): readonly Instantiation[] =>
      placesOf('template').flatMap(({ piece }) => piece.declared().instantiations),
    /** The file of a class or variable that was found by name. */
    uriOf: (declared: StructDecl | GlobalDecl): string | undefined => found.get(declared),
  };
}
