// Files to models: includes, build flags, and the launches that neighbouring files make of a file's kernels.
import { dirname, extname, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Compilation } from '../../../protocol/src/compilation';
import { defaultSettings, type WarplensSettings } from '../../../protocol/src/settings';
import { defaultGpu, gpuByName } from '../semantic/gpus';
import {
  analyse,
  analyseFortran,
  collectLaunches,
  createCache,
  unreadFile,
  unreadOf,
  type AnalysisCache,
  type CompilerRemark,
  type LaunchConfiguration,
} from '../semantic';
import type { Gpu, Model, Reason, Span, Unread } from '../semantic/model';
import type { IncludeHost, ParseSettings, Syntax, TranslationUnit } from '../syntax';
import type { Place } from '../syntax/procedures';
import { createBuildFlags } from './buildFlags';
import { createCompilerFeedback } from './compilerFeedback';
import type { CompileFlags } from './compileCommands';
import { createConfigurationFiles, type Configuration } from './configurationFile';
import { remembering, type FileSystem } from './fileSystem';
import { createFortranFiles, isFortran } from './fortran';
import { unknownGpu } from './gpuNames';
import { notesOfIncludes } from './includeNotes';
import { createIncludes, mostIncludeDirs, resolveInclude } from './includes';
import { createLaunchesElsewhere, type FileLaunches } from './launchesElsewhere';
import { unobserved, type Observer } from './observedFiles';
import { notesOfInactive } from './inactiveNotes';
import { notesOfLoopMacros } from './loopMacroNotes';
import { createRoots } from './roots';
import { createSourceIndex, type SourceIndex } from './sourceIndex';

export type Workspace = ReturnType<typeof createWorkspace>;

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
  readonly excess?: string | undefined;
  /** What of it has no figures, and why: computed when it is first asked for. */
  unread(): readonly Unread[];
}
export interface SeenFile {
  readonly uri: string;
  readonly text: string;
  readonly includes: readonly { readonly path: string; readonly resolved?: string }[];
}

export interface WorkspaceOptions {
  readonly fileSystem: FileSystem;
  readonly syntax: Syntax;
  /** What was chosen by flags or in an editor. It wins over project files. */
  readonly settings?: Partial<WarplensSettings>;
  /** Folder that relative include folders and the search for launches are compared with. */
  readonly root?: string | undefined;
  /** URIs as the editor writes them; node's conversion when absent. */
  readonly toUri?: (path: string) => string;
  readonly toPath?: (uri: string) => string;
  /** Hears, once each, of build files that cannot be read. */
  readonly complain?: (sentence: string) => void;
  /** Hears what each analysis asks of the world; of the same file system. */
  readonly observer?: Observer;
  /** What is known of all files, kept by somebody else; files around each file are looked at when absent. */
  readonly index?: SourceIndex;
  /** What was computed of units, shared with a workspace of another version of the same files; its own when absent. */
  readonly caches?: Map<string, AnalysisCache>;
  /** Who knows the launches of these kernels in other files; neighbours are read for them when absent. */
  readonly launchesElsewhere?: (
    uri: string,
    kernels: ReadonlySet<string>,
  ) => ReadonlyMap<string, readonly LaunchConfiguration[]>;
}

/**
 * What is looked at around a file, unless somebody else looks through the whole workspace: enough for a program, too
 * little for a tree of thousands.
 */
export const surroundingsAlone = { files: 1000, text: 16 * 1024 * 1024 };
const surroundingsIndexed = { files: 64, text: 4 * 1024 * 1024 };

/** Units of which something is kept although none of their files is open. */
const mostRetired = 6;

export function createWorkspace(options: WorkspaceOptions) {
  const { fileSystem, syntax, root } = options;
  const observer = options.observer ?? unobserved;
  const toUri = remembering(options.toUri ?? ((path) => pathToFileURL(path).href));
  const toPath = remembering(options.toPath ?? ((uri) => (uri.startsWith('file:') ? fileURLToPath(uri) : uri)));
  let settings: Partial<WarplensSettings> = { ...options.settings };
  /** What was computed of a unit, by its main file: all files that are seen in it share it. */
  const caches = options.caches ?? new Map<string, AnalysisCache>();
  /** The main file of the unit that a file was analysed in. */
  const unitOfFile = new Map<string, string>();
  const feedback = createCompilerFeedback();

  const complained = new Set<string>();
  function complainOnce(sentence: string): void {
    observer.say(sentence);
    if (complained.has(sentence)) return;
    complained.add(sentence);
    options.complain?.(sentence);
  }

  const build = createBuildFlags(fileSystem, observer, complainOnce);
  function flagsOf(path: string): CompileFlags | undefined {
    return settings.useCompileCommands === false ? undefined : build.of(path);
  }

  const configurations = createConfigurationFiles(fileSystem, observer);
  function configurationOf(path: string): Configuration | undefined {
    const found = configurations.of(path);
    for (const complaint of found?.complaints ?? []) complainOnce(complaint);
    return found;
  }

  function gpuOf(path: string): Gpu {
    const chosen = settings.gpu ?? configurationOf(path)?.gpu ?? defaultSettings.gpu;
    if (chosen !== 'auto') return gpuByName(chosen) ?? defaultGpu;
    const capability = flagsOf(path)?.computeCapability;
    return (capability === undefined ? undefined : gpuByName(capability.toFixed(1))) ?? defaultGpu;
  }

  function parseSettings(path: string): ParseSettings {
    const flags = flagsOf(path);
    return {
      defines: { ...flags?.defines, ...configurationOf(path)?.defines, ...settings.defines },
      undefines: flags?.undefines ?? [],
      computeCapability: Math.round(gpuOf(path).computeCapability * 10),
    };
  }

  function includeDirsOf(path: string): readonly string[] {
    return [
      ...(settings.includeDirs ?? []).map((folder) => resolve(root ?? dirname(path), folder)),
      ...(configurationOf(path)?.includeDirs ?? []),
      ...(flagsOf(path)?.includeDirs ?? []),
    ].slice(0, mostIncludeDirs);
  }

  const includes = createIncludes(fileSystem, observer, root, (name, folder) =>
    roots.inProject(index.named(name), folder),
  );
  /** Where includes lead that are met in the unit of `path`. */
  function hostOf(path: string): IncludeHost {
    const find = includes.from(includeDirsOf(path));
    return {
      resolve(spelled, system, fromUri) {
        const found = find(spelled, system, toPath(fromUri), path);
        const read = found === undefined ? undefined : fileSystem.read(found.path);
        return read && { uri: toUri(found!.path), text: read.text, version: read.version };
      },
    };
  }

  function unitOf(uri: string, text: string, version: number): TranslationUnit {
    const path = toPath(uri);
    return syntax.parse(uri, text, version, parseSettings(path), hostOf(path));
  }

  const index = options.index ?? createSourceIndex(fileSystem);
  const roots = createRoots({
    fileSystem,
    index,
    observer,
    root,
    limit: options.index ? surroundingsIndexed : surroundingsAlone,
    whole: options.index !== undefined,
    resolve: (spelled, from) => includes.from(includeDirsOf(from))(spelled, false, from)?.path,
  });
  const launches = createLaunchesElsewhere({
    fileSystem,
    index,
    roots,
    observer,
    gpuOf,
    toPath,
    withUnit(path, work) {
      const read = fileSystem.read(path);
      if (!read) return undefined;
      const uri = toUri(path);
      const held = unitOfFile.has(uri);
      const result = work(unitOf(uri, read.text, read.version));
      if (!held) syntax.retire(uri);
      return result;
    },
  });

  function launchesElsewhere(
    uri: string,
    unit: TranslationUnit,
    here: ReadonlyMap<string, readonly LaunchConfiguration[]>,
  ): ReadonlyMap<string, readonly LaunchConfiguration[]> {
    const kernels = new Set(
      (unit.files.find((file) => file.uri === uri) ?? unit.main).functions
        .filter((fn) => fn.global && fn.body)
        .map((fn) => fn.name),
    );
    if (kernels.size === 0) return new Map();
    const path = toPath(uri);
    const found = new Map<string, readonly LaunchConfiguration[]>();
    const add = (more: ReadonlyMap<string, readonly LaunchConfiguration[]>): void => {
      for (const [name, configurations] of more) found.set(name, [...(found.get(name) ?? []), ...configurations]);
    };
    // A source file that launches all of its kernels itself needs no other; a header is there to be included.
    if (extname(path) !== '.cu' || [...kernels].some((name) => !here.has(name)))
      add(options.launchesElsewhere?.(uri, kernels) ?? launches.of(uri, path, kernels));
    const open = new Set<string>();
    for (const name of kernels) {
      const own = here.get(name)?.filter(({ at }) => at.uri === uri) ?? [];
      if (own.length === 0 || found.has(name) || own.some(({ block }) => block.x !== undefined)) continue;
      for (const { at } of own) {
        const within = functionAround(unit, at);
        if (within !== undefined && within !== 'main') open.add(within);
      }
    }
    if (open.size > 0) add(launches.asCalled(uri, path, unit, open));
    return found;
  }

  /**
   * The unit to see a file in: that of the source which includes it over any number of steps, with the editor's text in
   * the file's place, or its own.
   */
  function unitAround(uri: string, text: string, version: number): TranslationUnit {
    const path = toPath(uri);
    // A source that the build compiles by itself is its own unit, even if other sources include it.
    if (settings.useCompileCommands === false || !build.compiles(path)) {
      for (const above of roots.of(path)) {
        const read = fileSystem.read(above);
        if (!read) continue;
        const host = hostOf(above);
        const overlaid: IncludeHost = {
          resolve(spelled, system, fromUri) {
            const found = host.resolve(spelled, system, fromUri);
            return found?.uri === uri ? { uri, text, version } : found;
          },
        };
        const aboveUri = toUri(above);
        const unit = syntax.parse(aboveUri, read.text, read.version, parseSettings(above), overlaid);
        if (!unitOfFile.has(aboveUri)) syntax.retire(aboveUri);
        if (unit.files.some((file) => file.uri === uri)) return unit;
      }
    }
    return unitOf(uri, text, version);
  }

  /** A sentence for each header that is missing or was found by guess, at the line of `uri` that leads to it. */
  function includeNotes(uri: string, unit: TranslationUnit): readonly Reason[] {
    const path = toPath(unit.main.uri);
    const find = includes.from(includeDirsOf(path));
    return notesOfIncludes(uri, unit, (include, from) => {
      const found = find(include.path, include.system, toPath(from), path);
      return found && { guessedIn: found.guessedIn, readable: fileSystem.read(found.path) !== undefined };
    });
  }

  function letGo(uri: string): void {
    const unit = unitOfFile.get(uri) ?? uri;
    unitOfFile.delete(uri);
    if (![...unitOfFile.values()].includes(unit)) caches.delete(unit);
  }

  const fortran = createFortranFiles({
    fileSystem,
    syntax,
    toUri,
    toPath,
    settingsOf: parseSettings,
    resolveInclude: (spelled, from) => resolveInclude(fileSystem, spelled, false, from, includeDirsOf(from), root),
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
      hostTarget: flagsOf(path)?.hostTarget,
      accCompiler: flagsOf(path)?.accCompiler,
    });
    return {
      model: { ...model, notes: [...notesOfInactive(file), ...model.notes] },
      text: document.text,
      gpu,
      remarks,
      errors: file.errors,
      excess: file.excess,
      unread: () => unreadFile(uri, file.excess),
      // A file that holds a module and is included is both.
      files: [...new Map([file, ...others, ...included].map((each) => [each.uri, each])).values()].map((each) => ({
        uri: each.uri,
        text: each.text,
        includes: [],
      })),
    };
  }

  function changed(): void {
    for (const part of [build, configurations, includes, roots, launches, fortran]) part.changed();
  }

  return {
    /**
     * Resolves when the file's language can be read; undefined when it can be already. Rejects with one sentence when
     * it never will.
     */
    ready(uri: string, languageId?: string): Promise<void> | undefined {
      return fortranLoaded || !isFortran(toPath(uri), languageId)
        ? undefined
        : syntax.loadFortran().then(() => {
            fortranLoaded = true;
          });
    },
    /**
     * The model of a file. `document` is the editor's, or absent to read it. Undefined when there is nothing to read,
     * or no grammar yet (`ready`). Never throws on input.
     */
    analyse(
      uri: string,
      document?: { readonly text: string; readonly version: number; readonly languageId?: string | undefined },
    ): Analysed | undefined {
      const path = toPath(uri);
      const read = document ?? fileSystem.read(path);
      if (!read) return undefined;
      if (isFortran(path, document?.languageId)) return analyseFortranFile(uri, path, read);
      const unit = unitAround(uri, read.text, read.version);
      const gpu = gpuOf(path);
      unitOfFile.set(uri, unit.main.uri);
      let cache = caches.get(unit.main.uri);
      if (!cache) {
        cache = createCache();
        caches.set(unit.main.uri, cache);
      }
      const functions = (unit.files.find((file) => file.uri === uri) ?? unit.main).functions
        .filter(({ body }) => body)
        .map(({ name, base, start, end }) => ({ name, start: base + start, end: base + end }));
      const remarks = feedback.of({ path, text: read.text, functions });
      const here = collectLaunches(unit, { gpu }, cache);
      const program = launches.programOf(uri, path, unit, here);
      const model = analyse(
        unit,
        {
          gpu,
          program,
          launchesElsewhere: launchesElsewhere(uri, program, here),
          feedback: remarks,
          managedMemory: flagsOf(path)?.managedMemory,
          hostTarget: flagsOf(path)?.hostTarget,
          deviceDebug: flagsOf(path)?.deviceDebug,
          accCompiler: flagsOf(path)?.accCompiler,
        },
        cache,
        uri,
      );
      const { excess } = model;
      let unread: readonly Unread[] | undefined;
      return {
        model: {
          ...model,
          notes: [
            ...includeNotes(uri, unit),
            ...notesOfInactive(unit.files.find((file) => file.uri === uri) ?? unit.main),
            ...notesOfLoopMacros(uri, unit),
            ...model.notes,
          ],
        },
        text: read.text,
        gpu,
        remarks,
        files: program.files,
        excess,
        unread: () => (unread ??= unreadOf(unit, model, excess)),
        errors: (unit.files.find((file) => file.uri === uri) ?? unit.main).errors,
      };
    },
    /**
     * Takes a compiler's log (`-Minfo=accel`, `-fopt-info-omp`) under a name, in place of the one of that name;
     * undefined lets go of it. Returns how many remarks it holds.
     */
    takeCompilerLog: (source: string, text: string | undefined): number => feedback.take(source, text),
    /** The GPU that figures for this file are computed for. */
    gpuOf: (uri: string): Gpu => gpuOf(toPath(uri)),
    /** How a compiler is called for this file. */
    compilationOf(uri: string): Compilation {
      const path = toPath(uri);
      const { defines, undefines = [] } = parseSettings(path);
      return {
        defines,
        undefines,
        includeDirs: includeDirsOf(path),
        flags: flagsOf(path)?.code ?? [],
        computeCapability: gpuOf(path).computeCapability.toFixed(1),
      };
    },
    /** The project file (`warplens.json`) that holds for a file. */
    configurationOf: (uri: string): Configuration | undefined => configurationOf(toPath(uri)),
    /** Lets go of what is held for a file, as when it is closed. */
    forget(uri: string): void {
      letGo(uri);
      launches.forget(uri);
      syntax.forget(uri);
    },
    /** Lets go of what is held for a file by itself; files that are read with it may still use it. */
    retire(uri: string): void {
      unitOfFile.delete(uri);
      // Files of one folder are often seen in one unit: what was computed of it serves the next of them.
      for (const [unit] of caches) {
        if (caches.size <= mostRetired) break;
        if (![...unitOfFile.values()].includes(unit)) caches.delete(unit);
      }
      launches.forget(uri);
      syntax.retire(uri);
    },
    /**
     * Takes new settings, which win over those of project files; everything is recomputed. Without an argument the
     * project files alone are read again. Returns a sentence for each that was not understood.
     */
    configure(next?: Partial<WarplensSettings>): readonly string[] {
      if (next) settings = { ...next };
      caches.clear();
      unitOfFile.clear();
      launches.clear();
      changed();
      const { gpu } = settings;
      return gpu === undefined || gpu === 'auto' || gpuByName(gpu) ? [] : [unknownGpu(gpu)];
    },
    /** Tells that other files changed, so that the build's flags and their launches are looked at again. */
    filesChanged: changed,
    /** The launches that one file makes, computed once for each version of it. Undefined when it cannot be read. */
    launchesIn: (path: string): FileLaunches | undefined => launches.in(path),
    /** Sources whose units may hold this file, as far as files around it are known. */
    includedBy: (uri: string): readonly string[] => roots.of(toPath(uri)),
    /**
     * Files that a change of this one may concern: those that include it, and those that define what it launches, as
     * far as files around it are known. Paths.
     */
    concernedBy(path: string): readonly string[] {
      const around = roots.look(path);
      const includers = roots.includersOf(path);
      const launched = [path, ...includers].flatMap((each) => [...(index.scanOf(each)?.launched ?? [])]);
      const definers = launched.flatMap((kernel) => index.definersOf(kernel)).filter((each) => around.has(each));
      return [...new Set([...includers, ...definers])].filter((each) => each !== path);
    },
    /** The answer now to a question that an analysis asked of this workspace; undefined for one of its file system. */
    answer: (question: string): string | undefined => roots.answer(question) ?? launches.answer(question),
  };
}

function functionAround(unit: TranslationUnit, at: Span): string | undefined {
  const file = unit.files.find(({ uri }) => uri === at.uri);
  return file?.functions.find((fn) => fn.body && fn.base + fn.start <= at.start && at.end <= fn.base + fn.end)?.name;
}
