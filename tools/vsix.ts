// Packs the extension and checks what is in the package: what a user runs or reads, and nothing of its making.
//
//   npx tsx tools/vsix.ts [file.vsix]
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { listZip } from './zip';

const root = join(__dirname, '..');
/** Server, extension and SQLite are there twice, for a process and for a browser; a sample has its report. */
const LARGEST_BYTES = 4_200_000;

/** What a package may hold, and what it must. */
const ALLOWED = [
  /^\[Content_Types\]\.xml$/,
  /^extension\.vsixmanifest$/,
  /^extension\/package\.json$/,
  /^extension\/(README|readme|CHANGELOG|changelog)\.md$/,
  /^extension\/LICENSE\.txt$/,
  /^extension\/dist\/(extension|server|cli|sqlite|part-[0-9A-Z]+)\.js$/,
  /^extension\/dist\/browser\/(extension|server)\.js$/,
  /^extension\/dist\/[\w-]+\.wasm$/,
  /^extension\/dist\/THIRD-PARTY-NOTICES\.txt$/,
  /^extension\/docs\/rules\/[\w/-]+\.md$/,
  /^extension\/schemas\/(warplens|mcp)\.schema\.json$/,
  /^extension\/snippets\/[\w-]+\.json$/,
  /^extension\/grammars\/[\w-]+\.(tmLanguage|configuration)\.json$/,
  /^extension\/media\/icon\.png$/,
  /^extension\/samples\/(transpose\/unpadded-tile\.cu|common\.cuh|profiles\/unpadded-tile\.ncu-rep)$/,
  /^extension\/media\/walkthrough\/[\w-]+\.(md|png|svg)$/,
];
const REQUIRED = [
  'extension/package.json',
  'extension/dist/extension.js',
  'extension/dist/server.js',
  'extension/dist/browser/extension.js',
  'extension/dist/browser/server.js',
  'extension/dist/cli.js',
  'extension/dist/sqlite.js',
  'extension/dist/web-tree-sitter.wasm',
  'extension/dist/tree-sitter-cuda.wasm',
  'extension/dist/tree-sitter-openacc.wasm',
  'extension/dist/tree-sitter-fortran.wasm',
  'extension/grammars/fortran-free.tmLanguage.json',
  'extension/grammars/openacc-fortran.tmLanguage.json',
  'extension/media/walkthrough/measured.md',
  'extension/samples/transpose/unpadded-tile.cu',
  'extension/samples/profiles/unpadded-tile.ncu-rep',
  'extension/grammars/openacc.tmLanguage.json',
  'extension/grammars/openacc-c.tmLanguage.json',
  'extension/snippets/openacc-fortran.json',
  'extension/docs/rules/cuda/uncoalesced-access.md',
  'extension/schemas/warplens.schema.json',
  'extension/snippets/cuda.json',
  'extension/snippets/openacc.json',
  'extension/media/icon.png',
  'extension/LICENSE.txt',
  'extension/dist/THIRD-PARTY-NOTICES.txt',
];

/** Builds and packs. Throws what vsce said when it would not. */
export function makePackage(file: string): void {
  const done = spawnSync(
    process.execPath,
    ['node_modules/@vscode/vsce/vsce', 'package', '--no-dependencies', '--out', file],
    { cwd: root, encoding: 'utf8' },
  );
  if (done.status !== 0) throw new Error(`vsce could not pack the extension:\n${done.stdout}${done.stderr}`);
}

/** What is wrong with a package, a sentence each. */
export function checkPackage(file: string): string[] {
  const complaints: string[] = [];
  const size = statSync(file).size;
  if (size > LARGEST_BYTES) complaints.push(`The package has ${size} bytes; ${LARGEST_BYTES} are allowed.`);
  const names = listZip(readFileSync(file));
  for (const name of names)
    if (!ALLOWED.some((pattern) => pattern.test(name))) complaints.push(`${name} does not belong into the package.`);
  for (const name of REQUIRED) if (!names.includes(name)) complaints.push(`${name} is missing from the package.`);
  console.log(`  ${names.length} files, ${(size / 1e6).toFixed(2)} MB`);
  return complaints;
}

if (process.argv[1] === __filename) {
  const file = process.argv[2] ?? join(root, 'warplens.vsix');
  makePackage(file);
  const complaints = checkPackage(file);
  for (const complaint of complaints) console.error(complaint);
  process.exitCode = complaints.length > 0 ? 1 : 0;
}
