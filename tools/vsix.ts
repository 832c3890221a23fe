// Packs the extension and checks what is in the package: what a user runs or reads, and nothing of its making.
//
//   npx tsx tools/vsix.ts [file.vsix]
import { spawnSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import contents from './packageContents.json';
import { listZip } from './zip';

const root = join(__dirname, '..');
/** Server, extension and SQLite are there twice, for a process and for a browser; a sample has its report. */
const LARGEST_BYTES = 4_200_000;

/** Builds and packs. Throws what vsce said when it would not. */
export function makePackage(file: string): void {
  const done = spawnSync(
    process.execPath,
    ['node_modules/@vscode/vsce/vsce', 'package', '--no-dependencies', '--out', file],
    { cwd: root, encoding: 'utf8' },
  );
  if (done.status !== 0) throw new Error(`vsce could not pack the extension:\n${done.stdout}${done.stderr}`);
}

/** What is missing from the named package, or does not belong there, a sentence each. */
export function checkContents(kind: keyof typeof contents, names: readonly string[]): string[] {
  const { required, allowed } = contents[kind];
  const mayHold = new RegExp(`^(?:${allowed.join('|')})$`);
  return [
    ...required.filter((name) => !names.includes(name)).map((name) => `${name} is missing from the ${kind}.`),
    ...names
      .filter((name) => !required.includes(name) && !mayHold.test(name))
      .map((name) => `${name} does not belong in the ${kind}.`),
  ];
}

/** What is wrong with a package, a sentence each. */
export function checkPackage(file: string): string[] {
  const complaints: string[] = [];
  const size = statSync(file).size;
  if (size > LARGEST_BYTES) complaints.push(`The package has ${size} bytes; ${LARGEST_BYTES} are allowed.`);
  const names = listZip(readFileSync(file));
  complaints.push(...checkContents('extension', names));
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
