// Reads the parser's wasm files from beside the bundle, or from the checkout and its node_modules when the sources run
// unbundled.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import lock from '../../../grammars/lock.json';
import type { GrammarFiles } from './index';

const FILES = {
  core: ['web-tree-sitter.wasm', join('node_modules', 'web-tree-sitter', 'web-tree-sitter.wasm')],
  cuda: ['tree-sitter-cuda.wasm', join('node_modules', 'tree-sitter-cuda', 'tree-sitter-cuda.wasm')],
  fortran: [
    'tree-sitter-fortran.wasm',
    join('node_modules', 'tree-sitter-wasm', 'out', 'fortran', 'tree-sitter-fortran.wasm'),
  ],
  openacc: ['tree-sitter-openacc.wasm', join('grammars', 'openacc', 'tree-sitter-openacc.wasm')],
} as const;

/**
 * The bytes that `createSyntax` wants. Looks in `directory` (where the bundle lies) and its `grammars` folder, then
 * upwards for the checkout.
 * Throws an error that names the missing or damaged file and the next step.
 */
export function readGrammarFiles(directory: string = __dirname): GrammarFiles {
  return {
    core: read(directory, ...FILES.core),
    cuda: read(directory, ...FILES.cuda),
    openacc: read(directory, ...FILES.openacc),
    fortran: () => read(directory, ...FILES.fortran),
  };
}

/** A grammar with a bit flipped reads sources wrongly: only the bytes that the lock pins are taken. */
function read(directory: string, name: string, inCheckout: string): Uint8Array {
  const path = find(directory, name, inCheckout);
  const bytes = readFileSync(path);
  const pinned = lock.files.find(({ file }) => file === name)?.sha256;
  if (createHash('sha256').update(bytes).digest('hex') !== pinned)
    throw new Error(
      `Warplens cannot load ${name}, which is damaged or of another version (${path}). ` +
        'Run "npm ci && npm run build", or reinstall the extension.',
    );
  return bytes;
}

function find(directory: string, name: string, inCheckout: string): string {
  for (const beside of [join(directory, name), join(directory, 'grammars', name)])
    if (existsSync(beside)) return beside;
  for (let folder = directory; ; folder = dirname(folder)) {
    const candidate = join(folder, inCheckout);
    if (existsSync(candidate)) return candidate;
    if (dirname(folder) === folder) break;
  }
  throw new Error(
    `Warplens cannot find ${name} in ${directory}. Run "npm ci && npm run build", or reinstall the extension.`,
  );
}
