// Defines, include folders and the kind of memory of a Makefile beside a source, for projects without a compilation
// database: only its unconditional parts.
import { dirname, join, resolve } from 'node:path';
import { codeFlagsOf } from './codeFlags';
import { asksForHost, asksForManagedMemory, splitCommand, type CompileFlags } from './compileCommands';
import { deviceDebugIn, deviceDebugInCMake, type MakefileWords } from './deviceDebug';
import { readIfThere, type FileSystem } from './fileSystem';
import { Branches } from './makefileBranches';

const names = ['Makefile', 'makefile', 'GNUmakefile'];
const cmakeName = 'CMakeLists.txt';

/** Characters that variables of a Makefile may bring in, all together; beyond that they stay as they are written. */
const mostExpanded = 1_000_000;

/**
 * The `-D` and `-I` flags, and flags for managed memory or the host's cores, of the Makefile in `folder` and of those
 * that it includes. Lines under `ifeq` and the like depend on the caller and are omitted. Without a Makefile, that of
 * the folder above says where data live (solutions are in a folder beside the exercises, and are built like them), but
 * nothing else; and so does `CMakeLists.txt`, here or above as far as the project's, with what it includes, or a shell
 * script of the folder.
 * Undefined where there is none or nothing in it.
 */
export function makefileFlags(fileSystem: FileSystem, folder: string): CompileFlags | undefined {
  const own = makefileIn(fileSystem, folder);
  const isManaged = scriptAsks(fileSystem, folder) || (!own && cmakeAsks(fileSystem, folder));
  if (own) return own.flags || isManaged ? { ...nothing, ...own.flags, ...(isManaged && managed) } : undefined;
  const deviceDebug = cmakeDebugs(fileSystem, folder);
  if (isManaged || deviceDebug) return { ...nothing, ...(isManaged && managed), ...(deviceDebug && { deviceDebug }) };
  const above = makefileIn(fileSystem, dirname(folder))?.flags;
  if (!above?.managedMemory && !above?.hostTarget) return undefined;
  return { ...above, defines: {}, includeDirs: [] };
}
const nothing: CompileFlags = { defines: {}, undefines: [], includeDirs: [] };
const managed = { managedMemory: true };

function makefileIn(fileSystem: FileSystem, folder: string): { readonly flags: CompileFlags | undefined } | undefined {
  for (const name of names) {
    const path = join(folder, name);
    if (fileSystem.version(path) !== undefined) return { flags: flagsIn(fileSystem, path, new Set()) };
  }
  return undefined;
}

function flagsIn(fileSystem: FileSystem, path: string, seen: Set<string>): CompileFlags | undefined {
  const read = seen.has(path) ? undefined : fileSystem.read(path);
  if (!read) return undefined;
  seen.add(path);
  let flags = parseMakefile(path, read.text);
  for (const [, list] of read.text.matchAll(/^[-s]?include[ \t]+([^$#\n\r]+)$/gm))
    for (const name of list!.trim().split(/\s+/)) {
      const part = flagsIn(fileSystem, resolve(dirname(path), name), seen);
      if (!part) continue;
      flags = {
        ...nothing,
        ...flags,
        defines: { ...part.defines, ...flags?.defines },
        includeDirs: [...(flags?.includeDirs ?? []), ...part.includeDirs],
        ...(part.managedMemory && managed),
      };
    }
  return flags;
}

/** Does a `CMakeLists.txt` ask, in this folder or above it, up to the one with `project(…)`? */
function cmakeAsks(fileSystem: FileSystem, folder: string): boolean {
  for (let at = folder; ; at = dirname(at)) {
    const { text } = readIfThere(fileSystem, join(at, cmakeName)) ?? {};
    if (text && asksWithIncluded(fileSystem, at, text, new Set())) return true;
    if (dirname(at) === at || /^[ \t]*project[ \t]*\(/im.test(text ?? '')) return false;
  }
}

/** Only the file of the folder itself: what one above sets may be for other folders. */
function cmakeDebugs(fileSystem: FileSystem, folder: string): CompileFlags['deviceDebug'] {
  const path = join(folder, cmakeName);
  const read = readIfThere(fileSystem, path);
  return read && deviceDebugInCMake(path, read.text);
}

function asksWithIncluded(fileSystem: FileSystem, folder: string, text: string, seen: Set<string>): boolean {
  if (asksCMakeForManagedMemory(text)) return true;
  const plain = text.replace(/#.*$/gm, '').replace(/\$\{(?:CMAKE|PROJECT)_(?:CURRENT_)?(?:SOURCE|LIST)_DIR\}/g, folder);
  const modulePaths = [...plain.matchAll(/CMAKE_MODULE_PATH([^)]*)\)/gi)]
    .flatMap(([, list]) => list!.match(/[^\s"';]+/g) ?? [])
    .filter((path) => !path.includes('$'));
  return [...plain.matchAll(/^[ \t]*include[ \t]*\([ \t]*"?([^\s"$)]+)/gim)].some(([, name]) =>
    (name!.endsWith('.cmake') ? [name!] : modulePaths.map((path) => join(path, `${name}.cmake`))).some((each) => {
      const path = resolve(folder, each);
      const read = seen.has(path) ? undefined : readIfThere(fileSystem, path);
      seen.add(path);
      return read !== undefined && asksWithIncluded(fileSystem, folder, read.text, seen);
    }),
  );
}

/** A shell script beside the sources that compiles with such flags: whether it is used is not known. */
function scriptAsks(fileSystem: FileSystem, folder: string): boolean {
  return (fileSystem.list(folder) ?? []).some(
    (entry) =>
      !entry.folder &&
      /\.(?:sh|bash|csh)$/.test(entry.name) &&
      asksCMakeForManagedMemory(fileSystem.read(join(folder, entry.name))?.text ?? ''),
  );
}

/**
 * Does a `CMakeLists.txt` or a script ask for managed memory anywhere? Its flags are under conditions (`if`,
 * `$<…:-gpu=managed>`) that depend on the user: if one branch asks, transfers are unknown.
 */
export function asksCMakeForManagedMemory(text: string): boolean {
  const flags = text.replace(/#.*$/gm, '').match(/(?<![\w-])-(?:ta|gpu)=(?:\$\{[^}\s]{0,100}\}|[^\s"'>;)])*/g) ?? [];
  return flags.some(asksForManagedMemory);
}

export function parseMakefile(path: string, text: string): CompileFlags | undefined {
  const variables = new Map<string, string>();
  const defines: Record<string, string> = {};
  const includeDirs: string[] = [];
  let managedMemory = false;
  const targets: string[] = [];
  const branches = new Branches();
  const where = (words: readonly string[]): void => {
    for (const word of words) {
      if (word.includes('$')) continue;
      managedMemory ||= asksForManagedMemory(word);
      if (branches.chosen && /^-(?:acc|ta|gpu)=/.test(word)) targets.push(word);
    }
  };
  let expanded = 0;
  const expansionOf = (name: string): string | undefined => {
    const value = variables.get(name);
    if (value === undefined || expanded + value.length > mostExpanded) return undefined;
    expanded += value.length;
    return value;
  };
  const flags: MakefileWords[] = [];
  let target = '';
  let madeFrom = '';
  let number = 0;
  let joined = 1;
  // Lines that go on are one; how many they are is kept in characters that stand nowhere else.
  for (const whole of text.replace(/\\\r?\n/g, ' \u0001').split(/\r?\n/)) {
    number += joined;
    joined = whole.split('\u0001').length;
    const line = whole.replaceAll('\u0001', '');
    if (branches.reads(line, expansionOf)) continue;
    if (branches.depth) {
      // Flags of a branch say where data live, and nothing else: in managed memory, if any branch that may be taken
      // asks for it.
      if (branches.possible && !/^\s*#/.test(line)) where(splitCommand(line));
      continue;
    }
    if (/^\s*(#|$)/.test(line)) continue;
    const assignment = /^\s*([A-Za-z_]\w*)\s*(\+|:|\?)?=(.*)$/.exec(line);
    if (!assignment) {
      const rule = /^([^:=\t]+):(.*)$/.exec(line);
      if (line.startsWith('\t')) flags.push({ target, madeFrom, line: number, words: splitCommand(line) });
      else if (rule) [target, madeFrom] = [rule[1]!, rule[2]!];
      continue;
    }
    const value = assignment[3]!
      .trim()
      .replace(/\$[({](\w+)[)}]/g, (whole, name: string) => expansionOf(name) ?? whole);
    variables.set(assignment[1]!, assignment[2] === '+' ? `${expansionOf(assignment[1]!) ?? ''} ${value}` : value);
    const words = splitCommand(value.replace(/\s#.*$/, ''));
    const adds = assignment[2] === '+' || assignment[2] === '?';
    flags.push({ variable: assignment[1]!, adds, line: number, words });
    where(words);
    for (const word of words) {
      if (word.includes('$')) continue;
      const define = /^-D([A-Za-z_]\w*)(?:=(.*))?$/.exec(word);
      if (define) defines[define[1]!] = define[2] ?? '1';
      const include = /^-I(.+)$/.exec(word);
      if (include) includeDirs.push(resolve(dirname(path), include[1]!));
    }
  }
  const hostTarget = asksForHost(targets);
  const deviceDebug = deviceDebugIn(path, text, flags);
  const code = codeFlagsOf(flags.flatMap(({ words }) => words));
  return Object.keys(defines).length || includeDirs.length || managedMemory || hostTarget || deviceDebug || code.length
    ? {
        defines,
        undefines: [],
        includeDirs,
        ...(managedMemory ? { managedMemory } : {}),
        ...(hostTarget ? { hostTarget } : {}),
        ...(deviceDebug ? { deviceDebug } : {}),
        ...(code.length ? { code } : {}),
      }
    : undefined;
}
