// compile_commands.json: the defines and include folders that the build gives a file.
import { dirname, isAbsolute, join, normalize, resolve } from 'node:path';
import { codeFlagsOf } from './codeFlags';
import { debugs, optimises } from './deviceDebug';
import type { DeviceDebug } from '../semantic/facts/model';
import type { FileSystem } from './fileSystem';

export interface CompileFlags {
  readonly defines: Readonly<Record<string, string>>;
  readonly undefines: readonly string[];
  readonly includeDirs: readonly string[];
  /** `9.0` for `-arch=sm_90`; the highest when several are built. */
  readonly computeCapability?: number | undefined;
  /** OpenACC with memory that moves by itself: `-gpu=managed`, `-gpu=mem:unified`, `-ta=tesla:managed`. */
  readonly managedMemory?: boolean | undefined;
  /** OpenACC for the cores of the host alone: `-acc=multicore`, `-ta=host`. */
  readonly hostTarget?: boolean | undefined;
  /** nvcc gets `-G`, and no other flag says that it is not a debug build. */
  readonly deviceDebug?: DeviceDebug | undefined;
  /** Whose OpenACC the file is compiled with: GCC's (`gcc -fopenacc`) or NVIDIA's (`nvc -acc`). */
  readonly accCompiler?: 'gcc' | 'nvhpc' | undefined;
  /** Flags that change the machine code, or without which the file does not compile. */
  readonly code?: readonly string[] | undefined;
}

/** The compiler of OpenACC that a command line is for; undefined for others, and where OpenACC is not asked for. */
export function accCompilerOf(words: readonly string[]): 'gcc' | 'nvhpc' | undefined {
  // A launcher such as ccache may precede the compiler.
  const names = words.slice(0, 3).map((word) => /[^\\/]*$/.exec(word)![0].replace(/\.exe$/i, ''));
  if (words.includes('-fopenacc') && names.some((name) => /^(.+-)?(gcc|g\+\+|gfortran|cc|c\+\+)(-[\d.]+)?$/.test(name)))
    return 'gcc';
  return words.some((word) => /^-acc(=|$)|^-ta=/.test(word)) &&
    names.some((name) => /^(nvc|nvc\+\+|nvfortran|pgcc|pgc\+\+|pgfortran|ftn|cc|CC)$/.test(name))
    ? 'nvhpc'
    : undefined;
}

/** Does this word of a command line ask nvc (or pgcc) for managed or unified memory? */
export function asksForManagedMemory(word: string): boolean {
  return /^-(?:ta|gpu)=.*\b(?:managed|unified)\b/.test(word);
}

/** Do the words of a command line ask nvc (or pgcc) for the cores of the host, and for no GPU beside them? */
export function asksForHost(words: readonly string[]): boolean {
  const targets = words.flatMap((word) =>
    /^-(?:acc|ta)=/.test(word) ? word.slice(word.indexOf('=') + 1).split(',') : [],
  );
  const isHost = (target: string): boolean => /^(?:multicore|host)\b/.test(target);
  const isGpu = (target: string): boolean => /^(?:gpu|tesla|nvidia|radeon|cc\d+|cuda[\d.]+)\b/.test(target);
  return targets.some(isHost) && !targets.some(isGpu) && !words.some((word) => word.startsWith('-gpu='));
}

export interface CompileCommands {
  readonly path: string;
  /** The flags of a file; a header gets those of the file nearest to it. Undefined for an empty database. */
  flagsOf(path: string): CompileFlags | undefined;
  /** Is the file compiled by itself? */
  lists(path: string): boolean;
}

interface Entry {
  readonly file: string;
  readonly directory: string;
  readonly arguments: readonly string[];
}

const fileName = 'compile_commands.json';
const buildFolders = ['', 'build', 'out', 'cmake-build-debug', 'cmake-build-release', 'build/Release', 'build/Debug'];

/** The database in a folder of the file upwards, or in a build folder there. `complain` hears of an unreadable one. */
export function findCompileCommands(
  fileSystem: FileSystem,
  path: string,
  complain: (sentence: string) => void = () => {},
): CompileCommands | undefined {
  for (let folder = dirname(path), left = 32; left > 0; left--) {
    for (const build of buildFolders) {
      const candidate = join(folder, build, fileName);
      if (fileSystem.version(candidate) === undefined) continue;
      const read = fileSystem.read(candidate);
      const database = read && parseCompileCommands(candidate, read.text);
      if (database) return database;
      complain(
        `${candidate} was skipped: a compilation database is a JSON array of objects with file, directory and command.`,
      );
    }
    const parent = dirname(folder);
    if (parent === folder) return undefined;
    folder = parent;
  }
  return undefined;
}

/** Undefined when the text is not a compilation database. Invalid entries are skipped. */
export function parseCompileCommands(path: string, text: string): CompileCommands | undefined {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(json)) return undefined;
  const entries: Entry[] = [];
  for (const item of json as unknown[]) {
    if (typeof item !== 'object' || item === null) continue;
    const { file, directory, command, arguments: list } = item as Record<string, unknown>;
    if (typeof file !== 'string') continue;
    const folder = typeof directory === 'string' ? resolve(dirname(path), directory) : dirname(path);
    const words = Array.isArray(list)
      ? list.filter((word): word is string => typeof word === 'string')
      : typeof command === 'string'
        ? splitCommand(command)
        : [];
    entries.push({ file: normalize(resolve(folder, file)), directory: folder, arguments: words });
  }
  const flags = new Map<Entry, CompileFlags>();
  const nearest = new Map<string, Entry | undefined>();
  const compiled = new Set(entries.map((entry) => entry.file));
  return {
    path,
    lists: (wanted) => compiled.has(normalize(wanted)),
    flagsOf(wanted) {
      const file = normalize(wanted);
      if (!nearest.has(file)) nearest.set(file, nearestEntry(entries, file));
      const entry = nearest.get(file);
      if (!entry) return undefined;
      let known = flags.get(entry);
      if (!known) {
        known = flagsOf(entry);
        flags.set(entry, known);
      }
      return known;
    },
  };
}

function nearestEntry(entries: readonly Entry[], path: string): Entry | undefined {
  const exact = entries.find((entry) => entry.file === path);
  if (exact) return exact;
  let best: Entry | undefined;
  let longest = -1;
  for (const entry of entries) {
    let shared = 0;
    while (shared < path.length && entry.file[shared] === path[shared]) shared++;
    const score = shared * 2 + (/\.cu$/.test(entry.file) ? 1 : 0);
    if (score > longest) {
      longest = score;
      best = entry;
    }
  }
  return best;
}

function flagsOf(entry: Entry): CompileFlags {
  const defines: Record<string, string> = {};
  const undefines: string[] = [];
  const includeDirs: string[] = [];
  let capability: number | undefined;
  const managedMemory = entry.arguments.some(asksForManagedMemory);
  const words = entry.arguments;
  const accCompiler = accCompilerOf(words);
  const code = codeFlagsOf(words);
  for (let i = 1; i < words.length; i++) {
    const word = words[i]!;
    const value = (flag: string): string | undefined =>
      word === flag
        ? words[++i]
        : word.startsWith(flag) && word.length > flag.length
          ? word.slice(flag.length).replace(/^=/, '')
          : undefined;
    const architecture = /(?:sm|compute)_(\d+)(\d)[af]?/g;
    if (/^-(arch|gencode|-gpu-architecture|-generate-code|-gpu-code|code)\b|^--cuda-gpu-arch/.test(word)) {
      const text = /[=]/.test(word) ? word : `${word} ${words[i + 1] ?? ''}`;
      for (const match of text.matchAll(architecture))
        capability = Math.max(capability ?? 0, Number(`${match[1]}.${match[2]}`));
      continue;
    }
    // Those of OpenACC: nvc -gpu=cc90, and what GCC hands to its compiler for the GPU.
    for (const match of /^-(gpu|ta)=/.test(word)
      ? word.matchAll(/\bcc(\d+)(\d)\b/g)
      : word.startsWith('-foffload')
        ? word.matchAll(architecture)
        : [])
      capability = Math.max(capability ?? 0, Number(`${match[1]}.${match[2]}`));
    const define = value('-D') ?? value('--define-macro') ?? (word.startsWith('/D') ? word.slice(2) : undefined);
    if (define !== undefined) {
      const at = define.indexOf('=');
      defines[(at < 0 ? define : define.slice(0, at)).replace(/\(.*/, '')] = at < 0 ? '1' : define.slice(at + 1);
      continue;
    }
    const undefine = value('-U') ?? value('--undefine-macro');
    if (undefine !== undefined) {
      undefines.push(undefine);
      continue;
    }
    const folder =
      value('-isystem') ??
      value('-iquote') ??
      value('-I') ??
      value('--include-path') ??
      (/^\/I./.test(word) && !isAbsolute(word) ? word.slice(2) : undefined);
    if (folder !== undefined) includeDirs.push(resolve(entry.directory, folder));
  }
  return {
    defines,
    undefines,
    includeDirs,
    computeCapability: capability,
    ...(managedMemory ? { managedMemory } : {}),
    ...(asksForHost(words) ? { hostTarget: true } : {}),
    // A database of a debug build has -G on purpose; beside -O3 it is a mistake.
    ...(words.some(debugs) && words.some(optimises) ? { deviceDebug: { where: fileName, optimised: true } } : {}),
    ...(accCompiler ? { accCompiler } : {}),
    ...(code.length > 0 ? { code } : {}),
  };
}

/**
 * Words of a command line as a POSIX shell splits it, but for a backslash before an ordinary character, which stays:
 * databases of Windows hold paths with it.
 */
export function splitCommand(command: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = '';
  for (let i = 0; i < command.length; i++) {
    const c = command[i]!;
    const next = command[i + 1];
    if (
      c === '\\' &&
      quote !== "'" &&
      next !== undefined &&
      (next === '"' || next === '\\' || (quote === '' && /[\s'$`()]/.test(next)))
    ) {
      word = (word ?? '') + next;
      i++;
    } else if (quote !== '') {
      if (c === quote) quote = '';
      else word = (word ?? '') + c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= '';
    } else if (/\s/.test(c)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else word = (word ?? '') + c;
  }
  if (word !== undefined) words.push(word);
  return words;
}
