// The committed form of a snapshot: for each tree its commit and counts, and a hash of the row of each file.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashOf, type Row } from './row';
import trees from './trees.json';

export interface Tree {
  readonly repository?: string;
  readonly commit?: string;
  readonly files: number;
  readonly findings: Readonly<Record<string, number>>;
  readonly fixes: number;
  readonly hashes: Readonly<Record<string, string>>;
}
export type Baseline = Readonly<Record<string, Tree>>;

const file = join(__dirname, 'baseline.json');

export function baselineOf(rows: readonly Row[]): Baseline {
  const known: Readonly<Record<string, { readonly repository: string; readonly commit: string }>> = trees;
  const byTree = new Map<string, Row[]>();
  for (const row of rows) byTree.set(row.tree, [...(byTree.get(row.tree) ?? []), row]);
  return Object.fromEntries(
    [...byTree]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([tree, all]): [string, Tree] => {
        const findings: Record<string, number> = {};
        for (const { severity } of all.flatMap((row) => row.findings ?? []))
          findings[severity] = (findings[severity] ?? 0) + 1;
        return [
          tree,
          {
            ...known[tree],
            files: all.length,
            findings: Object.fromEntries(Object.entries(findings).sort()),
            fixes: all.reduce((sum, row) => sum + (row.fixes?.length ?? 0), 0),
            hashes: Object.fromEntries(all.map((row) => [row.path, hashOf(JSON.stringify(row))])),
          },
        ];
      }),
  );
}

/** Files of the trees in `now` that differ from the baseline. */
export function differing(baseline: Baseline, now: Baseline): string[] {
  return Object.entries(now).flatMap(([tree, { hashes }]) => {
    const before = baseline[tree]?.hashes ?? {};
    return [...new Set([...Object.keys(before), ...Object.keys(hashes)])]
      .filter((path) => before[path] !== hashes[path])
      .map((path) => `${tree}/${path}: ${hashes[path] ? (before[path] ? 'differs' : 'new') : 'lost'}`);
  });
}

export function readBaseline(): Baseline {
  return JSON.parse(readFileSync(file, 'utf8')) as Baseline;
}

export function writeBaseline(baseline: Baseline): void {
  writeFileSync(file, `${JSON.stringify(baseline, undefined, 2)}\n`);
}
