// The command line and the server as shipped: translating the sources takes a process seconds to start.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..', '..');
const folder = join('out', `tested-${process.pid}`);
let isBuilt = false;

/** The entry of the bundle of today's sources, built once in each process of tests. */
export function bundleOf(name: 'cli' | 'server'): string {
  if (!isBuilt) {
    process.on('exit', () => rmSync(join(root, folder), { recursive: true, force: true }));
    const { status, stderr } = spawnSync(
      process.execPath,
      ['tools/build.mjs', `--into=${folder}`, 'server', 'cli', 'sqlite'],
      {
        cwd: root,
        encoding: 'utf8',
      },
    );
    if (status !== 0) throw new Error(stderr);
    isBuilt = true;
  }
  return join(root, folder, `${name}.js`);
}
