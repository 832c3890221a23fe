// What the Makefiles of whole trees say of device code that is compiled for the debugger (cuda/debug-build), without
// analysing a kernel: seconds where `check --rule` takes minutes.
//
// npx tsx lab/bench/builds.ts FOLDER…
//
// Per tree: the Makefiles beside CUDA sources, those of them that name `-G` at all, and each that the rule
// speaks of, with its line and the sources beside it that define kernels. Exit status: 0 whatever there is.
import { readFileSync, readdirSync, type Dirent } from 'node:fs';
import { join } from 'node:path';
import { makefileFlags } from '../../server/src/workspace/makefile';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';

const makefiles = ['Makefile', 'makefile', 'GNUmakefile'];

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** CUDA sources of a folder whose text defines a kernel. */
function sourcesWithKernels(folder: string, entries: readonly Dirent[]): string[] {
  return entries
    .filter((entry) => entry.isFile() && /\.cuh?$/.test(entry.name))
    .map(({ name }) => name)
    .filter((name) => /__global__/.test(readFileSync(join(folder, name), 'utf8')));
}

for (const root of process.argv.slice(2)) {
  const counts = { beside: 0, named: 0, told: 0 };
  const folders = [root];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries = entriesOf(folder);
    for (const entry of entries) if (entry.isDirectory()) folders.push(join(folder, entry.name));
    const makefile = makefiles.find((name) => entries.some((entry) => entry.isFile() && entry.name === name));
    const sources = makefile ? sourcesWithKernels(folder, entries) : [];
    if (!makefile || !sources.length) continue;
    counts.beside++;
    if (/(?<![\w-])(-G|--device-debug)(?![\w=-])/.test(readFileSync(join(folder, makefile), 'utf8'))) counts.named++;
    const debug = makefileFlags(nodeFileSystem, folder)?.deviceDebug;
    if (!debug) continue;
    counts.told++;
    console.log(`  ${folder}: ${debug.where}${debug.optimised ? ', beside -O' : ''}: ${sources.join(' ')}`);
  }
  console.log(`${root}: ${counts.beside} Makefiles beside kernels, ${counts.named} with -G, ${counts.told} reported`);
}
