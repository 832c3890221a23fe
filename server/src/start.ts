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

/** `flags` come before all code: V8 accepts kept code only under the flags that it was compiled under. */
export function prepareEngine(flags: readonly string[], keepsCode: boolean): void {
  useBaselineCompiler();
  for (const flag of flags) setFlagsFromString(flag);
  // Unbundled, another loader compiles the sources.
  if (keepsCode && !__filename.endsWith('.ts')) reuseCode(join(cacheFolder(), 'code'));
}

/** Bytes of compiled functions that were there when they were last loaded or kept. */
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
    const cachedData = readKept(place);
    const script = new Script(Module.wrap(content), { filename: file, ...(cachedData ? { cachedData } : {}) });
    scripts.push({ script, place });
    known = bytesOfCode();
    const run = script.runInThisContext() as (...parts: readonly unknown[]) => unknown;
    return run.call(this.exports, this.exports, createRequire(file), this, file, __dirname);
  };
  process.once('exit', keepCode);
}

/** Keeps compiled code if this thread compiled more of it than it loaded. Never throws. */
export function keepCode(): void {
  const now = bytesOfCode();
  if (now < 2 * known) return;
  known = now;
  for (const { script, place } of scripts) {
    const temporary = `${place}.${process.pid}.${randomBytes(4).toString('hex')}`;
    try {
      const code = script.createCachedData();
      mkdirSync(dirname(place), { recursive: true, mode: 0o700 });
      // Another process reads the complete old or new code.
      writeFileSync(temporary, Buffer.concat([digestOf(code), code]), { flag: 'wx', mode: 0o600 });
      renameSync(temporary, place);
    } catch {
      if (existsSync(temporary)) rmSync(temporary, { force: true });
    }
  }
}

/** V8 does not check what it reads beyond the length of the source: damaged code would crash. */
function readKept(place: string): Buffer | undefined {
  try {
    const bytes = readFileSync(place);
    const code = bytes.subarray(32);
    return digestOf(code).equals(bytes.subarray(0, 32)) ? code : undefined;
  } catch {
    return undefined;
  }
}

function digestOf(code: Uint8Array): Buffer {
  return createHash('sha256').update(code).digest();
}

function bytesOfCode(): number {
  return getHeapCodeStatistics().bytecode_and_metadata_size;
}
