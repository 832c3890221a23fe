// Prepares V8 before a program's code is loaded: its flags, and the compiled code that earlier processes kept.
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { cachedDataVersionTag, getHeapCodeStatistics, setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';
import { useBaselineCompiler } from './syntax/baselineCompiler';

/** `$XDG_CACHE_HOME/warplens`, by the XDG base directory specification; `%LOCALAPPDATA%` on Windows. */
export function cacheFolder(environment: NodeJS.ProcessEnv = process.env): string {
  const given = environment['XDG_CACHE_HOME'];
  const local = environment['LOCALAPPDATA'];
  const base =
    given && isAbsolute(given) ? given : process.platform === 'win32' && local ? local : join(homedir(), '.cache');
  return join(base, 'warplens', 'check');
}

let entry: string | undefined;

/** The file that threads of this program load. Undefined where a test loads the parts. */
export function entryFile(): string | undefined {
  return entry;
}

/** `flags` come before all code: V8 accepts kept code only under the flags that it was compiled under. */
export function prepareEngine(main: string, flags: readonly string[], keepsCode: boolean): void {
  entry = main;
  useBaselineCompiler();
  for (const flag of flags) setFlagsFromString(flag);
  // Unbundled, another loader compiles the sources.
  if (keepsCode && !__filename.endsWith('.ts')) reuseCode(join(cacheFolder(), 'code'));
}

/** A digest of the rest, and the bytes of compiled functions of the thread that kept it. */
const headLength = 36;
/** Compiling a function takes ten times as long as keeping it: so much more code pays for itself at the next start. */
const worthKeeping = 1.1;

/** Bytes of compiled functions of the thread that kept what this one loaded. */
let known = 0;
const scripts: { readonly script: Script; readonly place: string }[] = [];

/**
 * Loads the files beside this one with the code in `folder`. Node's own cache, of version 22 and later, never replaces
 * what the first process kept, however little that compiled, and keeps nothing of threads that are ended.
 */
function reuseCode(folder: string): void {
  const prototype = Module.prototype as unknown as {
    _compile: (this: NodeModule, content: string, file: string) => unknown;
  };
  const compileAnew = prototype._compile;
  prototype._compile = function (content, file) {
    if (dirname(file) !== __dirname) return compileAnew.call(this, content, file);
    const about = [process.version, process.arch, cachedDataVersionTag(), content].join('\n');
    const place = join(folder, createHash('sha256').update(about).digest('hex').slice(0, 40));
    const kept = readKept(place);
    const cachedData = kept?.subarray(headLength);
    const script = new Script(Module.wrap(content), { filename: file, ...(cachedData ? { cachedData } : {}) });
    if (kept && !script.cachedDataRejected) known = Math.max(known, kept.readUInt32LE(headLength - 4));
    scripts.push({ script, place });
    const run = script.runInThisContext() as (...parts: readonly unknown[]) => unknown;
    return run.call(this.exports, this.exports, createRequire(file), this, file, __dirname);
  };
  process.once('exit', keepCode);
}

/** Keeps compiled code if this thread compiled notably more of it than it loaded. Never throws. */
export function keepCode(): void {
  const bytes = scripts.length > 0 ? getHeapCodeStatistics().bytecode_and_metadata_size : 0;
  if (bytes <= known * worthKeeping) return;
  known = bytes;
  const size = Buffer.alloc(4);
  size.writeUInt32LE(bytes);
  for (const { script, place } of scripts) {
    const temporary = `${place}.${process.pid}.${randomBytes(4).toString('hex')}`;
    try {
      const body = Buffer.concat([size, script.createCachedData()]);
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
      // Another process reads the complete old or new code.
      writeFileSync(temporary, Buffer.concat([digestOf(body), body]), { flag: 'wx', mode: 0o600 });
      renameSync(temporary, place);
    } catch {
      if (existsSync(temporary)) rmSync(temporary, { force: true });
    }
  }
}

/** V8 checks little more than the length of the source: damaged code would crash. */
function readKept(place: string): Buffer | undefined {
  try {
    const bytes = readFileSync(place);
    return digestOf(bytes.subarray(headLength - 4)).equals(bytes.subarray(0, headLength - 4)) ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(body: Uint8Array): Buffer {
  return createHash('sha256').update(body).digest();
}
