// Reads the parser's wasm files from beside the bundle, or from node_modules when the sources run unbundled.
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES = {
  core: ['web-tree-sitter.wasm', join('web-tree-sitter', 'web-tree-sitter.wasm')],
  cuda: ['tree-sitter-cuda.wasm', join('tree-sitter-cuda', 'tree-sitter-cuda.wasm')],
} as const;

/**
 * The bytes that `createSyntax` wants. Looks in `directory` (where the bundle lies) and its `grammars` folder, then upwards for `node_modules`.
 * Throws an error that names the missing file and the next step.
 */
export function readGrammarFiles(directory: string = __dirname): { core: Uint8Array; cuda: Uint8Array } {
  return { core: readFileSync(find(directory, ...FILES.core)), cuda: readFileSync(find(directory, ...FILES.cuda)) };
}

function find(directory: string, name: string, inModules: string): string {
  for (const beside of [join(directory, name), join(directory, 'grammars', name)]) if (existsSync(beside)) return beside;
  for (let folder = directory; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', inModules);
    if (existsSync(candidate)) return candidate;
    if (dirname(folder) === folder) break;
  }
  throw new Error(`Warplens cannot find ${name} in ${directory}. Run "npm ci && npm run build", or reinstall the extension.`);
}
