// Divides the unit tests over mocha processes, and the suites of the editor over editors, of about the same length.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '..');
const weightsFile = join(root, 'test', 'support', 'weights.json');

/** Seconds of a file, or of each file of a folder (`test/syntax/`) that has no weight itself. */
export type Weights = Readonly<Record<string, number>>;

/** What a file costs that was never weighed. */
const USUAL_SECONDS = 1;

export function readWeights(): Weights {
  return JSON.parse(readFileSync(weightsFile, 'utf8')) as Weights;
}

/** Writes the table of the files that ran; the weights of folders stay, for files that come later. */
export function writeWeights(milliseconds: Readonly<Record<string, number>>): void {
  const folders = Object.entries(readWeights()).filter(([path]) => path.endsWith('/'));
  const files = Object.entries(milliseconds).map(([file, took]) => [file, Math.round(took / 100) / 10] as const);
  const rows = [...folders, ...files].sort(([a], [b]) => a.localeCompare(b));
  writeFileSync(weightsFile, `${JSON.stringify(Object.fromEntries(rows), undefined, 2)}\n`);
}

/** All files of unit tests, or those below these folders (or files) of test/. */
export function unitTestFiles(below: readonly string[] = []): string[] {
  return readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
    .map((name) => `test/${name.replaceAll('\\', '/')}`)
    .filter((name) => name.endsWith('.test.ts'))
    .filter((name) => below.length === 0 || below.some((each) => name.startsWith(`test/${each}`)))
    .sort();
}

export const UNTRUSTED = 'test/host/untrusted.suite.ts';
export const PAGES = 'test/host/pages.suite.ts';

/** The suites that any editor runs: one is for a folder that is not trusted, one for axe-core. */
export function hostSuites(): string[] {
  return readdirSync(join(root, 'test', 'host'))
    .map((name) => `test/host/${name}`)
    .filter((name) => name.endsWith('.suite.ts') && name !== UNTRUSTED && name !== PAGES);
}

/** Of the file, else of the folder below test/. */
export function weightOf(file: string, weights: Weights): number {
  return weights[file] ?? weights[file.split('/', 2).join('/').concat('/')] ?? USUAL_SECONDS;
}

/** This many lists of files, the most expensive first, each added to the list that is the cheapest so far. */
export function shardsOf(files: readonly string[], weights: Weights, count: number): string[][] {
  const shards = Array.from({ length: count }, () => ({ files: [] as string[], weight: 0 }));
  for (const file of [...files].sort((a, b) => weightOf(b, weights) - weightOf(a, weights) || a.localeCompare(b))) {
    const lightest = shards.reduce((least, each) => (each.weight < least.weight ? each : least));
    lightest.files.push(file);
    lightest.weight += weightOf(file, weights);
  }
  return shards.map((shard) => shard.files.sort()).filter((shard) => shard.length > 0);
}
