// The programs whose lines were counted, with their counters.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { KernelCounts, LineCounts, ProgramEntry } from './counters';

export interface Program {
  readonly id: string;
  readonly repo: string;
  readonly path: string;
  readonly set: string;
  readonly lines: readonly LineCounts[];
  readonly kernels: readonly KernelCounts[];
}

export function folderOf(corpora: string, repo: string): string {
  return join(corpora, repo.replace('/', '+'));
}

export function rows<Row>(path: string): Row[] {
  const bytes = readFileSync(path);
  const text = path.endsWith('.gz') ? gunzipSync(bytes).toString('utf8') : bytes.toString('utf8');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}
export function groupBy<Row>(list: readonly Row[], keyOf: (row: Row) => string): Map<string, Row[]> {
  const groups = new Map<string, Row[]>();
  for (const row of list) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return groups;
}

export const data = join(__dirname, 'data');

export function ownPrograms(sets: readonly string[]): Program[] {
  const entries = rows<ProgramEntry>(join(data, 'programs.jsonl'));
  return sets.flatMap((set) => {
    const lines = groupBy(rows<LineCounts>(join(data, `${set}-lines.jsonl.gz`)), ({ program }) => program);
    const kernels = groupBy(rows<KernelCounts>(join(data, `${set}-kernels.jsonl.gz`)), ({ program }) => program);
    return entries
      .filter((entry) => entry.set === set && lines.has(entry.program))
      .map(({ program, repo, path }) => ({
        id: program,
        repo,
        path,
        set,
        lines: lines.get(program)!,
        kernels: kernels.get(program) ?? [],
      }));
  });
}

/** Rows of another file with the same counters: `repo` is HeCBench where it is absent, and kernels have no rules. */
export function otherPrograms(path: string): Program[] {
  const all = rows<LineCounts & { readonly repo?: string }>(path).map((row) => ({
    ...row,
    repo: row.repo ?? 'zjin-lcf/HeCBench',
    kernels: [],
  }));
  const pathOfRow = ({ repo, file }: (typeof all)[number]): string =>
    repo === 'zjin-lcf/HeCBench' ? file.split('/').slice(0, 2).join('/') : file;
  return [...groupBy(all, (row) => `${row.repo}:${pathOfRow(row)}`)].map(([id, lines]) => ({
    id,
    repo: lines[0]!.repo,
    path: pathOfRow(lines[0]!),
    set: path.split('/').at(-1)!,
    lines,
    kernels: [],
  }));
}
