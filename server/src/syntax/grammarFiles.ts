// Reads the parser's wasm files from beside the bundle, or from the checkout and its node_modules when the sources run
// unbundled.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
 * Throws an error that names the missing file and the next step.
 */
export function readGrammarFiles(directory: string = __dirname): GrammarFiles {
  return {
    core: readFileSync(find(directory, ...FILES.core)),
    cuda: readFileSync(find(directory, ...FILES.cuda)),
    openacc: readFileSync(find(directory, ...FILES.openacc)),
    fortran: () => readFileSync(find(directory, ...FILES.fortran)),
  };
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
