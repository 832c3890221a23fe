// Files to models: includes, build flags, and the launches that neighbouring files make of a file's kernels.
import { basename, dirname, extname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { defaultSettings, type WarplensSettings } from '../../../protocol/src/settings';
import { defaultGpu, gpuByName, gpus } from '../semantic/gpus';
import {
  analyse,
  analyseFortran,
  collectLaunches,
  createCache,
  type AnalysisCache,
  type CompilerRemark,
  type LaunchConfiguration,
} from '../semantic';
import type { Gpu, Model } from '../semantic/model';
import type { IncludeHost, ParseSettings, Syntax, TranslationUnit } from '../syntax';
import type { Place } from '../syntax/procedures';
import { createCompilerFeedback } from './compilerFeedback';
import { findCompileCommands, type CompileCommands, type CompileFlags } from './compileCommands';
import type { FileSystem } from './fileSystem';
import { createFortranFiles, isFortran } from './fortran';
import { resolveInclude } from './includes';
import { makefileFlags } from './makefile';

export interface Workspace {
  /** The model of a file. `document` is the editor's, or absent to read it. Undefined when there is nothing to read, or no grammar yet (`ready`). Never throws on input. */
  analyse(
    uri: string,
    document?: { readonly text: string; readonly version: number; readonly languageId?: string },
  ): Analysed | undefined;
  /** Resolves when the file's language can be read; undefined when it can be already. Rejects with one sentence when it never will. */
  ready(uri: string, languageId?: string): Promise<void> | undefined;
  /** The GPU that figures for this file are computed for. */
  gpuOf(uri: string): Gpu;
  /** Lets go of what is held for a file, as when it is closed. */
  forget(uri: string): void;
  /** Takes new settings; everything is computed anew with them. Returns a sentence for each that was not understood. */
  configure(settings: Partial<WarplensSettings>): readonly string[];
  /** Takes a compiler's log (`-Minfo=accel`, `-fopt-info-omp`) under a name, in place of the one of that name; undefined lets go of it. Returns how many remarks it holds. */
  takeCompilerLog(source: string, text: string | undefined): number;
  /** Tells that other files changed (on disk, or saved in the editor), so that the build's flags and their launches are looked at again. */
  filesChanged(): void;
  /** The launches that one file makes, computed once for each version of it. Undefined when it cannot be read. */
  launchesIn(path: string): FileLaunches | undefined;
}

/** A file and what was learned of it. */
export interface Analysed {
  readonly model: Model;
  readonly text: string;
  readonly gpu: Gpu;
  /** What compilers said of its lines. */
  readonly remarks: readonly CompilerRemark[];
  /** The files it was read with, itself and what it includes or uses among them. */
  readonly files: readonly SeenFile[];
  /** Places of the file where the parser had to recover. */
  readonly errors: readonly Place[];
  /** One sentence on what of it was not read, because it takes more work or memory than one file may. */
  readonly excess?: string;
}
export interface SeenFile {
  readonly uri: string;
  readonly text: string;
  readonly includes: readonly { readonly path: string; readonly resolved?: string }[];
}

export interface WorkspaceOptions {
  readonly fileSystem: FileSystem;
  readonly syntax: Syntax;
  readonly settings?: Partial<WarplensSettings>;
  /** Folder that relative include folders and the search for launches are held against. */
  readonly root?: string;
  /** URIs as the editor writes them; node's conversion when absent. */
  readonly toUri?: (path: string) => string;
  readonly toPath?: (uri: string) => string;
  /** Hears, once each, of build files that cannot be read. */
  readonly complain?: (sentence: string) => void;
  /** Who knows the launches that other files make of these kernels of a file; its neighbours are read for them when absent. */
  readonly launchesElsewhere?: (
    uri: string,
    kernels: ReadonlySet<string>,
  ) => ReadonlyMap<string, readonly LaunchConfiguration[]>;
}

/** Neighbouring files read for one file's launches, and their text in all: a folder of thousands must not be read for one. */
const mostNeighbours = 64;
const mostNeighbourText = 4 * 1024 * 1024;
export const sourceExtensions: ReadonlySet<string> = new Set([
  '.cu',
  '.cuh',
  '.h',
  '.hpp',
  '.hxx',
  '.cpp',
  '.cc',
  '.cxx',
  '.inl',
  '.c',
]);
/** What a text that launches kernels holds. */
export const launchingText = /<<<|cudaLaunchKernel|cudaLaunchCooperativeKernel/;

/** Launches of one file: with the files that define the kernel as far as its unit shows one. */
export interface FileLaunches {
  readonly version: number;
  readonly launches: ReadonlyMap<
    string,
    { readonly configurations: readonly LaunchConfiguration[]; readonly definedIn: readonly string[] }
  >;
}

export function createWorkspace(options: WorkspaceOptions): Workspace {
  const { fileSystem, syntax, root } = options;
  const toUri = options.toUri ?? ((path: string): string => pathToFileURL(path).href);
  const toPath = options.toPath ?? ((uri: string): string => (uri.startsWith('file:') ? fileURLToPath(uri) : uri));
  let settings: WarplensSettings = { ...defaultSettings, ...options.settings };
  const caches = new Map<string, AnalysisCache>();
  const databases = new Map<string, CompileCommands | undefined>();
  const makefiles = new Map<string, CompileFlags | undefined>();
  const launchesOf = new Map<string, FileLaunches>();
  /** What the neighbours of a file launch, as long as no file changed and the file defines the same kernels: typing must not read folders. */
  const elsewhere = new Map<
    string,
    {
      readonly kernels: string;
      readonly generation: number;
      readonly found: ReadonlyMap<string, readonly LaunchConfiguration[]>;
    }
  >();
  let generation = 0;
  const feedback = createCompilerFeedback();

  const complained = new Set<string>();
  function complainOnce(sentence: string): void {
    if (complained.has(sentence)) return;
    complained.add(sentence);
    options.complain?.(sentence);
  }

  function flagsOf(path: string): CompileFlags | undefined {
    if (!settings.useCompileCommands) return undefined;
    const folder = dirname(path);
    if (!databases.has(folder)) databases.set(folder, findCompileCommands(fileSystem, path, complainOnce));
    const database = databases.get(folder);
    if (database) return database.flagsOf(path);
    if (!makefiles.has(folder)) makefiles.set(folder, makefileFlags(fileSystem, folder));
    return makefiles.get(folder);
  }

  function gpuOf(path: string): Gpu {
    if (settings.gpu !== 'auto') return gpuByName(settings.gpu) ?? defaultGpu;
    const capability = flagsOf(path)?.computeCapability;
    return (capability === undefined ? undefined : gpuByName(capability.toFixed(1))) ?? defaultGpu;
  }

  function parseSettings(path: string): ParseSettings {
    const flags = flagsOf(path);
    return {
      defines: { ...flags?.defines, ...settings.defines },
      undefines: flags?.undefines ?? [],
      computeCapability: Math.round(gpuOf(path).computeCapability * 10),
    };
  }

  function hostOf(path: string): IncludeHost {
    const includeDirs = [
      ...settings.includeDirs.map((folder) => resolve(root ?? dirname(path), folder)),
      ...(flagsOf(path)?.includeDirs ?? []),
    ];
    return {
      resolve(spelled, system, fromUri) {
        const found = resolveInclude(fileSystem, spelled, system, toPath(fromUri), includeDirs, root);
        const read = found === undefined ? undefined : fileSystem.read(found);
        return read && { uri: toUri(found!), text: read.text, version: read.version };
      },
    };
  }

  function unitOf(uri: string, text: string, version: number): TranslationUnit {
    const path = toPath(uri);
    return syntax.parse(uri, text, version, parseSettings(path), hostOf(path));
  }

  /** What a neighbour launches, computed once for each version of it. Its parse is let go of at once: it is seldom asked again. */
  function neighbourLaunches(path: string): FileLaunches | undefined {
    const version = fileSystem.version(path);
    if (version === undefined) return undefined;
    const known = launchesOf.get(path);
    if (known?.version === version) return known;
    const read = fileSystem.read(path);
    if (!read) return undefined;
    const launches = new Map<
      string,
      { configurations: readonly LaunchConfiguration[]; definedIn: readonly string[] }
    >();
    if (launchingText.test(read.text)) {
      const uri = toUri(path);
      const held = caches.has(uri);
      const unit = unitOf(uri, read.text, read.version);
      for (const [name, configurations] of collectLaunches(unit, { gpu: gpuOf(path) })) {
        launches.set(name, {
          configurations,
          definedIn: unit.files
            .filter((file) => file.functions.some((fn) => fn.global && fn.body && fn.name === name))
            .map((file) => file.uri),
        });
      }
      if (!held) syntax.forget(uri);
    }
    const result = { version, launches };
    launchesOf.set(path, result);
    return result;
  }

  /** Files that may launch a kernel of this one: its folder's, and those of the folder above (and one below it) that include it. */
  function* neighbours(path: string, wanted: RegExp = launchingText): Generator<string> {
    const folder = dirname(path);
    const own = basename(path);
    let left = mostNeighbours;
    let text = mostNeighbourText;
    const offer = function* (inFolder: string, mustInclude: boolean): Generator<string> {
      for (const entry of fileSystem.list(inFolder) ?? []) {
        if (
          entry.folder ||
          !sourceExtensions.has(extname(entry.name).toLowerCase()) ||
          (inFolder === folder && entry.name === own) ||
          left <= 0 ||
          text <= 0
        )
          continue;
        const candidate = join(inFolder, entry.name);
        const read = fileSystem.read(candidate);
        left--;
        text -= read?.text.length ?? 0;
        if (read && wanted.test(read.text) && (!mustInclude || read.text.includes(own))) yield candidate;
      }
    };
    yield* offer(folder, false);
    const above = dirname(folder);
    if (above === folder || (root !== undefined && folder === root)) return;
    yield* offer(above, true);
    for (const entry of fileSystem.list(above) ?? []) {
      const sibling = join(above, entry.name);
      if (entry.folder && sibling !== folder && /^(src|source|test|tests|app|apps|bench|examples?)$/i.test(entry.name))
        yield* offer(sibling, true);
    }
  }

  /** A neighbour's launch counts where it names this file's kernel: the neighbour includes this file, or sees no definition of its own. */
  function launchesElsewhere(
    uri: string,
    unit: TranslationUnit,
    gpu: Gpu,
    cache: AnalysisCache,
  ): ReadonlyMap<string, readonly LaunchConfiguration[]> {
    const kernels = new Set(
      (unit.files.find((file) => file.uri === uri) ?? unit.main).functions
        .filter((fn) => fn.global && fn.body)
        .map((fn) => fn.name),
    );
    const found = new Map<string, LaunchConfiguration[]>();
    if (kernels.size === 0) return found;
    const here = collectLaunches(unit, { gpu }, cache);
    const path = toPath(uri);
    // A source file that launches all of its kernels itself needs nobody; a header is there to be included.
    if (extname(path) === '.cu' && [...kernels].every((name) => here.has(name))) return found;
    if (options.launchesElsewhere) return options.launchesElsewhere(uri, kernels);
    const wanted = [...kernels].sort().join(' ');
    const known = elsewhere.get(uri);
    if (known?.kernels === wanted && known.generation === generation) return known.found;
    for (const neighbour of neighbours(path)) {
      for (const [name, { configurations, definedIn }] of neighbourLaunches(neighbour)?.launches ?? []) {
        if (!kernels.has(name) || (definedIn.length > 0 && !definedIn.includes(uri))) continue;
        found.set(name, [...(found.get(name) ?? []), ...configurations]);
      }
    }
    elsewhere.set(uri, { kernels: wanted, generation, found });
    return found;
  }

  /** Files that include others, by the included file: a header, or a source that another includes, is seen as its includer sees it, macros and launches with it. */
  const includers = new Map<string, { readonly generation: number; readonly path: string | undefined }>();
  function includerOf(uri: string): string | undefined {
    const known = includers.get(uri);
    if (known?.generation === generation) return known.path;
    const path = toPath(uri);
    const own = basename(path);
    let found: string | undefined;
    const mentions = new RegExp(`#\\s*include\\s*["<][^">]*${own.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}[">]`);
    for (const neighbour of neighbours(path, mentions)) {
      const read = fileSystem.read(neighbour);
      if (!read || extname(neighbour).startsWith('.h')) continue;
      const neighbourUri = toUri(neighbour);
      const held = caches.has(neighbourUri);
      const unit = unitOf(neighbourUri, read.text, read.version);
      if (!held) syntax.forget(neighbourUri);
      if (unit.files.some((file) => file.uri === uri)) {
        found = neighbour;
        break;
      }
    }
    includers.set(uri, { generation, path: found });
    return found;
  }

  /** The unit to see a file in: its includer's, with the editor's text in the file's place, or its own. */
  function unitAround(uri: string, text: string, version: number): TranslationUnit {
    const includer = includerOf(uri);
    const read = includer === undefined ? undefined : fileSystem.read(includer);
    if (includer !== undefined && read) {
      const host = hostOf(includer);
      const overlaid: IncludeHost = {
        resolve(spelled, system, fromUri) {
          const found = host.resolve(spelled, system, fromUri);
          return found?.uri === uri ? { uri, text, version } : found;
        },
      };
      const unit = syntax.parse(toUri(includer), read.text, read.version, parseSettings(includer), overlaid);
      if (unit.files.some((file) => file.uri === uri)) return unit;
    }
    return unitOf(uri, text, version);
  }

  const fortran = createFortranFiles({
    fileSystem,
    syntax,
    toUri,
    toPath,
    settingsOf: parseSettings,
    resolveInclude: (spelled, from) =>
      resolveInclude(
        fileSystem,
        spelled,
        false,
        from,
        [
          ...settings.includeDirs.map((folder) => resolve(root ?? dirname(from), folder)),
          ...(flagsOf(from)?.includeDirs ?? []),
        ],
        root,
      ),
  });
  let fortranLoaded = false;

  function analyseFortranFile(
    uri: string,
    path: string,
    document: { readonly text: string; readonly version: number; readonly languageId?: string },
  ): Analysed | undefined {
    const reading = fortran.read(uri, document);
    if (!reading) return undefined;
    const { file, others, included } = reading;
    const gpu = gpuOf(path);
    const remarks = feedback.of({
      path,
      text: document.text,
      functions: file.procedures.map(({ name, start, end }) => ({ name, start, end })),
    });
    const model = analyseFortran(file, others, {
      gpu,
      feedback: remarks,
      managedMemory: flagsOf(path)?.managedMemory,
      accCompiler: flagsOf(path)?.accCompiler,
    });
    return {
      model,
      text: document.text,
      gpu,
      remarks,
      errors: file.errors,
      files: [file, ...others, ...included].map((each) => ({ uri: each.uri, text: each.text, includes: [] })),
    };
  }

  return {
    ready(uri, languageId) {
      return fortranLoaded || !isFortran(toPath(uri), languageId)
        ? undefined
        : syntax.loadFortran().then(() => {
            fortranLoaded = true;
          });
    },
    analyse(uri, document) {
      const path = toPath(uri);
      const read = document ?? fileSystem.read(path);
      if (!read) return undefined;
      if (isFortran(path, document?.languageId)) return analyseFortranFile(uri, path, read);
      const unit = unitAround(uri, read.text, read.version);
      const gpu = gpuOf(path);
      let cache = caches.get(uri);
      if (!cache) {
        cache = createCache();
        caches.set(uri, cache);
      }
      const functions = (unit.files.find((file) => file.uri === uri) ?? unit.main).functions
        .filter(({ body }) => body)
        .map(({ name, base, start, end }) => ({ name, start: base + start, end: base + end }));
      const remarks = feedback.of({ path, text: read.text, functions });
      const model = analyse(
        unit,
        {
          gpu,
          launchesElsewhere: launchesElsewhere(uri, unit, gpu, cache),
          feedback: remarks,
          managedMemory: flagsOf(path)?.managedMemory,
          accCompiler: flagsOf(path)?.accCompiler,
        },
        cache,
        uri,
      );
      return {
        model,
        text: read.text,
        gpu,
        remarks,
        files: unit.files,
        excess: unit.excess,
        errors: (unit.files.find((file) => file.uri === uri) ?? unit.main).errors,
      };
    },
    takeCompilerLog: (source, text) => feedback.take(source, text),
    gpuOf: (uri) => gpuOf(toPath(uri)),
    forget(uri) {
      caches.delete(uri);
      elsewhere.delete(uri);
      syntax.forget(uri);
    },
    configure(next) {
      settings = { ...settings, ...next };
      caches.clear();
      launchesOf.clear();
      databases.clear();
      makefiles.clear();
      fortran.changed();
      generation++;
      return settings.gpu === 'auto' || gpuByName(settings.gpu) ? [] : [unknownGpu(settings.gpu)];
    },
    filesChanged() {
      databases.clear();
      makefiles.clear();
      fortran.changed();
      generation++;
    },
    launchesIn: neighbourLaunches,
  };
}

/** The sentence for a GPU that the table does not have. */
export function unknownGpu(name: string): string {
  return `There is no GPU "${name}" in the table; use auto, an architecture such as sm_90, or one of ${gpus.map((gpu) => gpu.name).join(', ')}.`;
}
