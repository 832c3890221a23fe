// Fortran files of a workspace: which form they have, what they include, and the modules that neighbouring files hold.
import { dirname, join } from 'node:path';
import type { FortranFile, FortranHost, FortranModule, Syntax } from '../syntax';
import { isFixedFormFile, isFixedFormName } from '../syntax/fortran';
import type { FileSystem } from './fileSystem';

/** Names by which compilers know Fortran sources; includes (`.inc`, `.fh`) are read only where a source names them. */
const fortranNames = /\.(f|for|ftn|f77|fpp|f90|f95|f03|f08|f15|f18|f2003|f2008|cuf)$/i;
/** Identifiers of the language in editors' extensions: `fortran`, `FortranFreeForm`, `fortran_fixed-form`. */
const fortranLanguage = /^fortran/i;

export function isFortran(path: string, languageId?: string): boolean {
  return languageId === undefined || languageId === ''
    ? fortranNames.test(path)
    : fortranLanguage.test(languageId) || (languageId === 'plaintext' && fortranNames.test(path));
}

/** The names of the modules that a text holds. */
export function modulesIn(text: string): readonly string[] {
  const heads = /^[ \t]*module[ \t]+(?!(?:procedure|subroutine|function)\b)([a-z]\w*)[ \t]*(?:!.*)?\r?$/gim;
  return [...text.matchAll(heads)].map((match) => match[1]!.toLowerCase());
}

function isFixedForm(path: string, text: string, languageId: string | undefined): boolean {
  // An editor gives `.f` files the language of fixed form by their names: what they hold decides as it does without an
  // editor.
  if (languageId !== undefined && /fixed/i.test(languageId) && !isFixedFormName(path)) return true;
  return !(languageId !== undefined && /free/i.test(languageId)) && isFixedFormFile(path, text);
}

export interface FortranDocument {
  readonly text: string;
  readonly version: number;
  readonly languageId?: string;
}
/** `others` are the files whose modules it uses, those that they use among them. */
export interface FortranReading {
  readonly file: FortranFile;
  readonly others: readonly FortranFile[];
  /** Files that it includes. */
  readonly included: readonly { readonly uri: string; readonly text: string }[];
}

export interface FortranFilesOptions {
  readonly fileSystem: FileSystem;
  readonly syntax: Syntax;
  readonly toUri: (path: string) => string;
  readonly toPath: (uri: string) => string;
  readonly settingsOf: (path: string) => {
    readonly defines: Readonly<Record<string, string>>;
    readonly undefines?: readonly string[];
  };
  readonly resolveInclude: (spelled: string, from: string) => string | undefined;
}

/** Bounds of the search for modules around one file. */
const mostNeighbours = 300;
const mostNeighbourText = 8 * 1024 * 1024;
const longestChain = 12;
/** Text of modules kept read, in UTF-16 units; the plain trees of it take some fifty times as much. */
const mostHeldText = 4 * 1024 * 1024;
/** Folders where projects keep modules, from a source's own. */
const moduleFolders = ['.', '..', '../modules', '../mod', '../src', '../common', '../lib'];

interface Held {
  readonly version: number;
  readonly generation: number;
  readonly reading: FortranReading;
  /** Paths of the modules' files with their versions at the time. */
  readonly rests: ReadonlyMap<string, number | undefined>;
}

export function createFortranFiles(options: FortranFilesOptions) {
  const { fileSystem, syntax } = options;
  let generation = 0;
  /** Files by the modules they hold, for each folder. */
  const indexes = new Map<
    string,
    {
      readonly generation: number;
      readonly modules: ReadonlyMap<string, string>;
      readonly doubled: ReadonlySet<string>;
    }
  >();
  /** The modules that a file holds, for each version of it. */
  const modulesOf = new Map<
    string,
    { readonly version: number; readonly names: readonly string[]; readonly length: number }
  >();
  /** Readings of files that others use, which are asked for at each keystroke there. */
  const held = new Map<string, Held>();
  let heldText = 0;

  function namesIn(path: string): { readonly names: readonly string[]; readonly length: number } {
    const version = fileSystem.version(path);
    const known = modulesOf.get(path);
    if (known && known.version === version) return known;
    const read = fileSystem.read(path);
    if (!read) return { names: [], length: 0 };
    const names = modulesIn(read.text);
    const entry = { version: read.version, names, length: read.text.length };
    modulesOf.set(path, entry);
    return entry;
  }

  /** `doubled` are the modules that several files of the folder hold, of which the first is taken. */
  function modulesBeside(folder: string): {
    readonly modules: ReadonlyMap<string, string>;
    readonly doubled: ReadonlySet<string>;
  } {
    const known = indexes.get(folder);
    if (known?.generation === generation) return known;
    const modules = new Map<string, string>();
    const doubled = new Set<string>();
    let files = mostNeighbours;
    let text = mostNeighbourText;
    for (const entry of fileSystem.list(folder) ?? []) {
      if (entry.folder || !fortranNames.test(entry.name) || files <= 0 || text <= 0) continue;
      const path = join(folder, entry.name);
      const { names, length } = namesIn(path);
      files--;
      text -= length;
      for (const name of names)
        if (!modules.has(name)) modules.set(name, path);
        else if (modules.get(name) !== path) doubled.add(name);
    }
    const index = { generation, modules, doubled };
    indexes.set(folder, index);
    return index;
  }

  /** The file that holds a module, of those that a source includes. */
  function includedFileOf(module: string, from: string, text: string): string | undefined {
    for (const [, spelled] of text.matchAll(/^[ \t]*(?:#[ \t]*)?include[ \t]*['"]([^'"\n]+)['"]/gim)) {
      const path = options.resolveInclude(spelled!, from);
      if (path !== undefined && path !== from && namesIn(path).names.includes(module)) return path;
    }
    return undefined;
  }

  /** The file that holds a module: beside the file that uses it, else in a folder near it. */
  function fileOf(module: string, from: string): { readonly path: string; readonly doubled: boolean } | undefined {
    const folder = dirname(from);
    for (const near of moduleFolders) {
      const { modules, doubled } = modulesBeside(join(folder, near));
      const found = modules.get(module);
      if (found !== undefined && found !== from) return { path: found, doubled: doubled.has(module) };
    }
    return undefined;
  }

  function readFile(
    uri: string,
    path: string,
    document: FortranDocument,
    chain: readonly string[],
  ): { readonly reading: FortranReading; readonly rests: ReadonlyMap<string, number | undefined> } | undefined {
    const others = new Map<string, FortranFile>();
    const included: { uri: string; text: string }[] = [];
    const rests = new Map<string, number | undefined>();
    const host: FortranHost = {
      include(spelled, fromUri) {
        const found = options.resolveInclude(spelled, options.toPath(fromUri));
        const read = found === undefined ? undefined : fileSystem.read(found);
        if (!read) return undefined;
        const file = { uri: options.toUri(found!), text: read.text };
        included.push(file);
        rests.set(found!, fileSystem.version(found!));
        return file;
      },
      module(name): FortranModule | undefined {
        if (chain.length >= longestChain) return undefined;
        const inside = includedFileOf(name, path, document.text);
        const place = inside === undefined ? fileOf(name, path) : { path: inside, doubled: false };
        const found = place?.path;
        if (found === undefined || chain.includes(found)) return undefined;
        const neighbour = heldReading(found, [...chain, path]);
        if (!neighbour) return undefined;
        rests.set(found, fileSystem.version(found));
        for (const [each, version] of neighbour.rests) rests.set(each, version);
        const { file: other } = neighbour.reading;
        others.set(other.uri, place?.doubled ? { ...other, oneOfSeveral: true } : other);
        for (const other of neighbour.reading.others) others.set(other.uri, other);
        return neighbour.reading.file.modules.get(name);
      },
    };
    const file = syntax.parseFortran(
      uri,
      document.text,
      document.version,
      { ...options.settingsOf(path), fixedForm: isFixedForm(path, document.text, document.languageId) },
      host,
    );
    return file && { reading: { file, others: [...others.values()], included }, rests };
  }

  function heldReading(path: string, chain: readonly string[]): Held | undefined {
    const version = fileSystem.version(path);
    const known = held.get(path);
    if (
      known &&
      known.version === version &&
      known.generation === generation &&
      [...known.rests].every(([each, then]) => fileSystem.version(each) === then)
    )
      return known;
    const document = fileSystem.read(path);
    const made = document && readFile(options.toUri(path), path, document, chain);
    if (!made) return undefined;
    const entry: Held = { version: document.version, generation, ...made };
    if (heldText > mostHeldText) {
      held.clear();
      heldText = 0;
    }
    heldText += document.text.length - (held.get(path)?.reading.file.text.length ?? 0);
    held.set(path, entry);
    return entry;
  }

  return {
    /** Undefined until the grammar is loaded. */
    read: (uri: string, document: FortranDocument): FortranReading | undefined =>
      readFile(uri, options.toPath(uri), document, [])?.reading,
    /** Files were added or removed: modules are searched again. */
    changed(): void {
      generation++;
    },
  };
}
