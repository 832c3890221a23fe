// Builds what a package holds where it is installed from its repository: by pre-commit, or `npm install git+https://…`.
//
// npm runs this at the end of every install. Where the bundles are there already, or the tools that build them are not
// (an install without development packages), there is nothing to do.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
if (!existsSync(join(root, 'dist', 'cli.js')) && existsSync(join(root, 'node_modules', 'esbuild')))
  await import('./build.mjs');
