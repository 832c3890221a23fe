// Writes down what the checker knows, reports and offers over whole trees, and compares two such snapshots.
//
// npx tsx lab/snapshot/snapshot.ts [--root FOLDER]… [--only REGEX] [--fixtures] --out FILE.jsonl.gz
//                                  [--processes 2] [--seconds 300]
// npx tsx lab/snapshot/snapshot.ts --compare BEFORE.jsonl.gz AFTER.jsonl.gz [--show 20]
// npx tsx lab/snapshot/snapshot.ts --families FILE.jsonl.gz…
// npx tsx lab/snapshot/snapshot.ts --rules FILE.jsonl.gz…
// npx tsx lab/snapshot/snapshot.ts --baseline FILE.jsonl.gz… [--check]
//
// Files are `.cu`, and others with kernels or OpenACC directives, `--only` those whose path in the tree matches;
// `--fixtures` takes the fixtures of the rules and the samples. `--families` counts offered fixes and refusals by family
// as a table, `--rules` findings and fixes by rule. `--baseline` writes hashes of files to baseline.json, with `--check`
// it lists the files that differ from it. Exit status: 1 for differences, 2 for bad arguments.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, extname, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { findSources, type Source } from '../../cli/src/source';
import { baselineOf, differing, readBaseline, writeBaseline } from './baseline';
import { differences } from './compare';
import { rowsOf } from './pool';
import type { Row } from './row';
import { familyTable, ruleTable } from './tables';
import type { Job } from './worker';

const repository = join(__dirname, '../..');

export function readRows(file: string): Row[] {
  const text = gunzipSync(readFileSync(file)).toString();
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as Row]));
}

/** One job a folder, since files of one folder are read together; the largest first, so that no process waits long. */
function jobsOf(tree: string, folder: string, only: RegExp, fixtures: boolean): Job[] {
  const root = resolve(folder);
  const folders = new Map<string, Source[]>();
  for (const source of findSources([root], (sentence) => console.error(sentence))) {
    const { path, text } = source;
    if (!only.test(path.slice(root.length + 1)) || !(extname(path) === '.cu' || isDeviceCode.test(text))) continue;
    if (fixtures && /\.fixed\.\w+$/.test(path)) continue;
    folders.set(dirname(path), [...(folders.get(dirname(path)) ?? []), source]);
  }
  const sizeOf = (sources: readonly Source[]): number => sources.reduce((sum, { text }) => sum + text.length, 0);
  return [...folders.values()]
    .sort((a, b) => sizeOf(b) - sizeOf(a))
    .map((sources) => ({ tree, root, fixtures, paths: sources.map(({ path }) => path) }));
}

const isDeviceCode = /__global__|^[ \t]*(?:#[ \t]*pragma|[!cC*]\$)[ \t]*acc\b|_Pragma\s*\(\s*"\s*acc\b/im;

async function write(jobs: readonly Job[], out: string, processes: number, seconds: number): Promise<void> {
  const keyOf = ({ tree, path }: Row): string => `${tree}/${path}`;
  const rows = (await rowsOf(jobs, processes, seconds)).sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  writeFileSync(out, gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join(''), { level: 9 }));
  for (const { path, problem } of rows) if (problem !== undefined) console.error(`${path}: ${problem}`);
  const count = (name: 'findings' | 'fixes'): number => rows.reduce((sum, row) => sum + (row[name]?.length ?? 0), 0);
  console.log(`${out}: ${rows.length} files, ${count('findings')} findings, ${count('fixes')} offers of fixes`);
}

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      root: { type: 'string', multiple: true, default: [] },
      only: { type: 'string', default: '' },
      fixtures: { type: 'boolean', default: false },
      out: { type: 'string' },
      processes: { type: 'string', default: '2' },
      seconds: { type: 'string', default: '300' },
      compare: { type: 'boolean' },
      show: { type: 'string', default: '20' },
      families: { type: 'boolean' },
      rules: { type: 'boolean' },
      baseline: { type: 'boolean' },
      check: { type: 'boolean' },
    },
    allowPositionals: true,
  });
  const rows = positionals.map(readRows);
  if (values.compare && rows.length === 2) report(differences(rows[0]!, rows[1]!), Number(values.show));
  else if (values.families && rows.length > 0) console.log(familyTable(rows.flat()));
  else if (values.rules && rows.length > 0) console.log(ruleTable(rows.flat()));
  else if (values.baseline && rows.length > 0) {
    const baseline = baselineOf(rows.flat());
    if (values.check) report(new Map([['files', differing(readBaseline(), baseline)]]), Number(values.show));
    else writeBaseline(baseline);
  } else if (values.out !== undefined && (values.root.length > 0 || values.fixtures)) {
    const only = new RegExp(values.only);
    // A tree is named by its folder, or by the one above where that is `src`.
    const nameOf = (root: string): string =>
      basename(basename(root) === 'src' ? dirname(resolve(root)) : resolve(root));
    const jobs = values.root.flatMap((root) => jobsOf(nameOf(root), root, only, false));
    if (values.fixtures)
      for (const [tree, folder] of [['fixtures', 'server/src/rules'] as const, ['samples', 'samples'] as const])
        jobs.push(...jobsOf(tree, join(repository, folder), only, true));
    await write(jobs, values.out, Math.min(2, Number(values.processes)), Number(values.seconds));
  } else throw new Error('usage: see the first lines of lab/snapshot/snapshot.ts');
}

function report(groups: ReadonlyMap<string, readonly string[]>, most: number): void {
  for (const [kind, lines] of groups) {
    if (lines.length === 0) continue;
    process.exitCode = 1;
    console.log(`${kind}: ${lines.length}`);
    for (const line of lines.slice(0, most)) console.log(`  ${line}`);
    if (lines.length > most) console.log(`  … ${lines.length - most} more`);
  }
  if (process.exitCode !== 1) console.log('no differences');
}

if (require.main === module)
  main().catch((error: unknown) => {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 2;
  });
