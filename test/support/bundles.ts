// The command line and the server as one file each, as they are shipped: a process that translates the sources by itself
// takes seconds of processor time to start.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import aliases from '../../tools/aliases.json';

const root = join(__dirname, '..', '..');
const made = new Map<string, string>();

/** The bundle of today's sources, made once in each process of tests. It lies where `..` is the checkout, as dist/ does. */
export function bundleOf(name: 'cli' | 'server'): string {
  const known = made.get(name);
  if (known !== undefined) return known;
  const file = join(root, 'out', `tested-${name}-${process.pid}.js`);
  mkdirSync(join(root, 'out'), { recursive: true });
  buildSync({
    absWorkingDir: root,
    entryPoints: [`${name}/src/main.ts`],
    outfile: file,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['sql.js'],
    supported: { 'dynamic-import': false },
    alias: aliases,
    logLevel: 'error',
  });
  process.on('exit', () => rmSync(file, { force: true }));
  made.set(name, file);
  return file;
}
