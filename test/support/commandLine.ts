// Runs the command line in this process, over files of a folder that a test writes.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../../cli/src/program';

export interface Said {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

/** The exit code and what was printed and noted. */
export async function runCommand(...args: readonly string[]): Promise<Said> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run([...args], {
    print: (text) => out.push(text),
    note: (text) => err.push(text),
    colour: false,
    exitCode: 0,
  });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** Writes files by their paths below `folder`, with the folders that they need. */
export function writeFiles(folder: string, files: Readonly<Record<string, string | Uint8Array>>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content);
  }
}

/** A new folder, and a cache of results beside it, for each test, or for all of a suite that reads many. */
export function cacheOfTests(
  ready: (folder: string, cache: string) => void,
  first = beforeEach,
  last = afterEach,
): void {
  const usual = process.env['XDG_CACHE_HOME'];
  let top = '';
  first(() => {
    top = realpathSync(mkdtempSync(join(tmpdir(), 'warplens-test-')));
    mkdirSync(join(top, 'folder'));
    process.env['XDG_CACHE_HOME'] = join(top, 'cache');
    ready(join(top, 'folder'), join(top, 'cache'));
  });
  last(() => {
    rmSync(top, { recursive: true, force: true });
    if (usual === undefined) delete process.env['XDG_CACHE_HOME'];
    else process.env['XDG_CACHE_HOME'] = usual;
  });
}
