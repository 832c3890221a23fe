// Runs a measurement as the product runs: bundled, as node sees it after a build, with a collector that can be asked.
//
// node lab/bench/bundled.mjs lab/bench/edit.ts [its arguments]
//
// A loader that translates each file by itself wraps every function that is made to keep its name, and an engine
// made of closures makes many: an edit took half as long again.
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

const [file, ...rest] = process.argv.slice(2);
// Beside its source: it finds samples from there.
const bundle = join(dirname(file), `.${basename(file, '.ts')}.bundled.cjs`);
await build({
  entryPoints: [file],
  bundle: true,
  platform: 'node',
  format: 'cjs',
  outfile: bundle,
  logLevel: 'error',
  plugins: [
    {
      // All modules of a bundle are its main module: one that is a program too would measure at the same time.
      name: 'one program',
      setup: (building) =>
        building.onLoad({ filter: /[\\/](?:lab|test)[\\/].*\.ts$/ }, ({ path }) =>
          path === resolve(file)
            ? undefined
            : { contents: readFileSync(path, 'utf8').replaceAll('require.main === module', 'false'), loader: 'ts' },
        ),
    },
  ],
  external: ['sql.js'],
  alias: JSON.parse(readFileSync(new URL('../../tools/aliases.json', import.meta.url), 'utf8')),
  define: { 'import.meta.url': 'fileOfBundle' },
  banner: { js: "const fileOfBundle = require('node:url').pathToFileURL(__filename).href;" },
});
try {
  const { status } = spawnSync(process.execPath, ['--expose-gc', bundle, ...rest], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(bundle, { force: true });
}
