// The command line and the server as shipped: translating the sources takes a process seconds to start.
import { spawn, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
/** Where `npm test` has built them for all of its processes. */
const built = process.env['WARPLENS_TEST_FOLDER'];
const folder = built ?? join(root, 'out', `tested-${process.pid}`);
let isBuilt = built !== undefined;

/** The entry of the bundle of today's sources. */
export function bundleOf(name: 'cli' | 'server'): string {
  if (!isBuilt) {
    process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
    const { status, stderr } = spawnSync(
      process.execPath,
      ['tools/build.mjs', `--into=${folder}`, 'server', 'cli', 'sqlite'],
      { cwd: root, encoding: 'utf8' },
    );
    if (status !== 0) throw new Error(stderr);
    isBuilt = true;
  }
  return join(folder, `${name}.js`);
}

/** A command line that has ended. */
export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly output: string;
  readonly errors: string;
}

/** Runs the command line as shipped; `onError` hears all that it has written to standard error so far. */
export function runCli(
  words: readonly string[],
  options: { readonly cwd: string; readonly env: NodeJS.ProcessEnv },
  onError?: (text: string, kill: (signal: NodeJS.Signals) => void) => void,
): Promise<Ended> {
  const child = spawn(process.execPath, [bundleOf('cli'), ...words], { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  let errors = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk.toString();
    onError?.(errors, (signal) => child.kill(signal));
  });
  return new Promise((resolve) => child.on('close', (code, signal) => resolve({ code, signal, output, errors })));
}
