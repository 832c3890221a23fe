// Bundles the extension, the language server, the command line and SQLite into dist/, with the grammars they read.
//
//   node tools/build.mjs [extension] [server] [cli] [sqlite]     all of them when none is named
//   node tools/build.mjs --development                  readable output with source maps
//   node tools/build.mjs --into=FOLDER                  another folder, beside dist/
//   node tools/build.mjs --tests --into=FOLDER          also the unit tests, each at its path within that folder
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, transform } from 'esbuild';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const arguments_ = process.argv.slice(2);
const into = arguments_.find((argument) => argument.startsWith('--into='))?.slice('--into='.length);
const dist = resolve(root, into ?? 'dist');

/**
 * The ESM build of web-tree-sitter asks import.meta.url, which is empty in a CJS bundle. The main file of jsonc-parser is
 * UMD, whose parts a bundler does not find. Tests bundle with the same.
 */
const aliases = JSON.parse(readFileSync(join(root, 'tools', 'aliases.json'), 'utf8'));

const bundles = {
  extension: { entry: 'client/src/extension.ts', never: ['web-tree-sitter', 'vscode-languageserver'] },
  'browser/extension': {
    entry: 'client/src/browser.ts',
    never: ['web-tree-sitter', 'vscode-languageserver'],
    // SQLite asks for these only where it finds itself in Node.
    options: inBrowser({ format: 'cjs', external: ['fs', 'crypto', 'node:fs', 'node:crypto'], plugins: [] }),
  },
  'browser/server': {
    entry: 'server/src/browser/main.ts',
    never: ['vscode-languageclient', 'vscode'],
    options: inBrowser({
      format: 'iife',
      // The wasm comes as bytes: what its loader would fetch or read from a disk is never asked for.
      alias: { 'web-tree-sitter': './node_modules/web-tree-sitter/web-tree-sitter.js' },
      define: { 'import.meta.url': '"https://localhost/"' },
      external: ['module', 'fs/promises', 'path'],
    }),
  },
  server: { entry: 'server/src/main.ts', never: ['vscode-languageclient', 'vscode'], isSplit: true },
  cli: {
    entry: 'cli/src/main.ts',
    never: ['vscode-languageclient', 'vscode-languageserver', 'vscode'],
    isSplit: true,
    isProgram: true,
  },
  // Read when the first timeline is opened: an editor that starts does not parse it.
  sqlite: { entry: 'node_modules/sql.js/dist/sql-wasm-inline.js', never: [] },
};
/** SQLite is beside the other bundles. */
const sqliteBeside = {
  name: 'sqlite-beside',
  setup: (building) =>
    building.onResolve({ filter: /^sql\.js\/dist\/sql-wasm-inline\.js$/ }, () => ({
      path: './sqlite.js',
      external: true,
    })),
};

/** Bundled sources find the files beside them where they were written. */
const placesOfSources = {
  name: 'places-of-sources',
  setup: (building) =>
    building.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      loader: 'ts',
      contents: readFileSync(path, 'utf8')
        .replace(/\b__dirname\b/g, JSON.stringify(dirname(path)))
        .replace(/\b__filename\b/g, JSON.stringify(path)),
    })),
};

const development = arguments_.includes('--development');
const named = arguments_.filter((argument) => !argument.startsWith('--'));
for (const name of named)
  if (!(name in bundles)) fail(`There is no bundle "${name}"; there are ${Object.keys(bundles).join(', ')}.`);

if (named.length === 0) rmSync(dist, { recursive: true, force: true });
mkdirSync(dist, { recursive: true });
copyGrammars();

const problems = [];
const packages = new Set();
const asked = named.length > 0 ? named : Object.keys(bundles);
for (const name of asked.filter((each) => !bundles[each].isSplit)) problems.push(...(await bundle([name])));
if (asked.some((name) => bundles[name].isSplit))
  problems.push(...(await bundle(Object.keys(bundles).filter((name) => bundles[name].isSplit))));
if (named.length === 0) writeNotices();
if (arguments_.includes('--tests')) await bundleTests();
for (const problem of problems) console.error(problem);
process.exit(problems.length > 0 ? 1 : 0);

/** Options of a bundle that runs where no Node is. What else it needs of Node fails the build. */
function inBrowser({ alias = {}, external = [], ...others }) {
  const own = (file) => `./server/src/browser/${file}.ts`;
  return {
    platform: 'browser',
    target: 'es2022',
    mainFields: ['browser', 'module', 'main'],
    conditions: ['browser'],
    external: ['vscode', ...external],
    alias: {
      'jsonc-parser': aliases['jsonc-parser'],
      'node:path': 'path-browserify',
      'node:url': own('url'),
      'node:crypto': own('crypto'),
      'node:v8': own('v8'),
      ...alias,
    },
    ...others,
  };
}

/** One bundle, or split ones, which share their parts. */
async function bundle(names) {
  const [{ isSplit = false, options = {} }] = names.map((name) => bundles[name]);
  const missing = names.map((name) => bundles[name].entry).find((entry) => !existsSync(join(root, entry)));
  if (missing) return [`${missing} does not exist.`];
  if (isSplit) for (const file of readdirSync(dist)) if (/^part-.*\.js$/.test(file)) rmSync(join(dist, file));
  let result;
  try {
    result = await build({
      absWorkingDir: root,
      entryPoints: Object.fromEntries(names.map((name) => [name, bundles[name].entry])),
      outdir: dist,
      // The names hold digests of the bytes.
      chunkNames: 'part-[hash]',
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: isSplit ? 'esm' : 'cjs',
      splitting: isSplit,
      external: ['vscode'],
      plugins: [sqliteBeside],
      // An extension host knows require alone.
      supported: { 'dynamic-import': isSplit },
      alias: aliases,
      minify: !development,
      sourcemap: development ? 'inline' : false,
      legalComments: 'none',
      metafile: true,
      logLevel: 'warning',
      ...options,
    });
  } catch (error) {
    return [`${names.join(', ')}: the bundle failed; esbuild said so above. (${error.message.split('\n')[0]})`];
  }
  const { outputs } = result.metafile;
  if (isSplit) for (const file of Object.keys(outputs)) await makeCommon(join(root, file));
  for (const name of names.filter((each) => bundles[each].isProgram)) {
    const file = join(dist, `${name}.js`);
    writeFileSync(file, `#!/usr/bin/env node\n${readFileSync(file, 'utf8')}`);
    chmodSync(file, 0o755);
  }
  return names.flatMap((name) => complaintsOf(name, outputs));
}

/** The unit tests and their reporter: parts that they share are translated and loaded once, and packages stay outside. */
async function bundleTests() {
  const options = { absWorkingDir: root, outdir: dist, bundle: true, platform: 'node', target: 'node20' };
  await build({ ...options, entryPoints: ['test/support/countingReporter.cjs'], packages: 'external' });
  const { metafile } = await build({
    ...options,
    entryPoints: ['test/**/*.test.ts'],
    outbase: root,
    chunkNames: 'part-[hash]',
    format: 'esm',
    splitting: true,
    packages: 'external',
    plugins: [placesOfSources],
    sourcemap: 'inline',
    metafile: true,
    logLevel: 'warning',
  });
  for (const file of Object.keys(metafile.outputs)) await makeCommon(join(root, file), true);
}

/** What a bundle must not contain, of all that its entry can load. */
function complaintsOf(name, outputs) {
  const reached = new Set([relative(root, join(dist, `${name}.js`)).replaceAll('\\', '/')]);
  for (const file of reached) for (const { path } of outputs[file]?.imports ?? []) if (outputs[path]) reached.add(path);
  const inputs = [...new Set([...reached].flatMap((file) => Object.keys(outputs[file].inputs)))];
  const found = [];
  const parsers = inputs.filter((input) => /node_modules\/web-tree-sitter\/[^/]+\.c?js$/.test(input));
  if (parsers.length > 1)
    found.push(
      `${name}: two copies of web-tree-sitter are bundled (${parsers.join(', ')}); they do not share their trees.`,
    );
  for (const input of inputs) {
    const [packageFolder, packageName] = /^.*node_modules\/((?:@[^/]+\/)?[^/]+)(?=\/)/.exec(input) ?? [];
    if (packageFolder) packages.add(packageFolder);
    if (packageName && bundles[name].never.includes(packageName))
      found.push(`${name}: ${input} must not be bundled there.`);
    if (/(^|\/)(test|fixtures)\//.test(input) && !packageName) found.push(`${name}: ${input} is a test file.`);
  }
  const kilobytes = Math.round([...reached].reduce((sum, file) => sum + outputs[file].bytes, 0) / 1000);
  console.log(`${relative(root, dist)}/${name}.js  ${kilobytes} kB, ${inputs.length} files`);
  return found;
}

/** esbuild splits ESM only; V8's kept code and the threads of an extension host need CommonJS. */
async function makeCommon(file, isReadable = development) {
  // What other parts export is bound once, when they are loaded: esbuild's own form calls getters at each use.
  const bound = readFileSync(file, 'utf8').replace(
    /\bimport\s*\{([^{}]*)\}\s*from\s*("\.[./]*\/part-\w+\.js")/g,
    (_, names, part) => `const {${names.replace(/ as /g, ': ')}} = require(${part})`,
  );
  const { code } = await transform(bound, {
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    supported: { 'dynamic-import': false },
    minify: !isReadable,
    sourcemap: isReadable ? 'inline' : false,
    legalComments: 'none',
  });
  writeFileSync(file, code);
}

/** Copies the wasm files beside the bundles, if they are the ones that grammars/lock.json pins. */
function copyGrammars() {
  const lock = JSON.parse(readFileSync(join(root, 'grammars', 'lock.json'), 'utf8'));
  for (const { file, package: packageName, within = '.', version, folder, sha256 } of lock.files) {
    const source = folder ? join(root, folder, file) : join(root, 'node_modules', packageName, within, file);
    const remedy = folder
      ? 'Check it out again, or run "node tools/build-grammar.mjs".'
      : 'Run "npm ci --ignore-scripts".';
    if (!existsSync(source)) fail(`${relative(root, source)} is missing. ${remedy}`);
    const digest = createHash('sha256').update(readFileSync(source)).digest('hex');
    if (digest !== sha256)
      fail(
        `${relative(root, source)} is not the file${folder ? '' : ` of ${packageName}@${version}`} that ` +
          `grammars/lock.json pins. ${remedy}`,
      );
    copyFileSync(source, join(dist, file));
  }
}

/** The licences of what the bundles contain, which must travel with them. */
function writeNotices() {
  const grammars = JSON.parse(readFileSync(join(root, 'grammars', 'lock.json'), 'utf8'))
    .files.filter((file) => file.package)
    .map((file) => `node_modules/${file.package}`);
  const texts = [...new Set([...packages, ...grammars])].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const file = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'License.txt', 'LICENCE', 'license']
      .map((candidate) => join(root, folder, candidate))
      .find(existsSync);
    return `${name} ${version} (${license})\n\n${file ? readFileSync(file, 'utf8').trim() : 'Its package holds no licence text.'}\n`;
  });
  writeFileSync(
    join(dist, 'THIRD-PARTY-NOTICES.txt'),
    `Warplens contains these packages.\n\n${texts.join(`\n${'-'.repeat(80)}\n\n`)}`,
  );
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
