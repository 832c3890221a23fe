// What differs between two snapshots, by kind: files, facts, findings, severities, and offers of fixes.
import type { FindingRow, FixRow, Row } from './row';

/** One line for each difference, in the order of the files. */
export function differences(before: readonly Row[], after: readonly Row[]): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  const add = (kind: string, line: string): void => void groups.set(kind, [...(groups.get(kind) ?? []), line]);
  const keyOf = ({ tree, path }: Row): string => `${tree}/${path}`;
  const first = new Map(before.map((row) => [keyOf(row), row]));
  const second = new Map(after.map((row) => [keyOf(row), row]));
  for (const key of [...new Set([...first.keys(), ...second.keys()])].sort()) {
    const a = first.get(key);
    const b = second.get(key);
    if (!a || !b) add('files', `${key}: ${a ? 'lost' : 'new'}`);
    else if (a.problem !== b.problem) add('files', `${key}: ${a.problem ?? 'read'}, then ${b.problem ?? 'read'}`);
    else compareFile(a, b, (kind, line) => add(kind, `${key}${line}`));
  }
  return groups;
}

function compareFile(a: Row, b: Row, add: (kind: string, line: string) => void): void {
  for (const kind of [...new Set([...Object.keys(a.facts ?? {}), ...Object.keys(b.facts ?? {})])].sort()) {
    const [countA, hashA] = a.facts?.[kind] ?? [0, ''];
    const [countB, hashB] = b.facts?.[kind] ?? [0, ''];
    if (hashA !== hashB) add(`facts: ${kind}`, `: ${countA === countB ? countA : `${countA}, then ${countB}`}`);
  }
  const nameOf = ({ line, rule, message }: FindingRow): string => `:${line}: ${rule} ${message}`;
  match(a.findings ?? [], b.findings ?? [], [
    ({ severity, text, refusals, ...row }) =>
      `${nameOf({ severity, text, ...row })}\n${severity}\n${text}\n${refusals}`,
    ({ severity, text, ...row }) => `${nameOf({ severity, text, ...row })}\n${severity}\n${text}`,
    ({ text, ...row }) => `${nameOf({ text, ...row })}\n${text}`,
    nameOf,
  ]).forEach(([old, now]) => {
    const name = nameOf(old ?? now!);
    if (!old || !now) add(`findings ${old ? 'lost' : 'new'}`, `${name}: ${(old ?? now!).text}`);
    else {
      if (old.severity !== now.severity) add('severities', `${name}: ${old.severity}, then ${now.severity}`);
      if (old.text !== now.text) add('findings: text', `${name}: "${old.text}", then "${now.text}"`);
      if (`${old.refusals}` !== `${now.refusals}`)
        add('refusals', `${name}: ${old.refusals ?? 'none'}, then ${now.refusals ?? 'none'}`);
    }
  });
  const offerOf = ({ line, rule, family, title }: FixRow): string => `:${line}: ${rule} ${family}: ${title}`;
  match(a.fixes ?? [], b.fixes ?? [], [
    (row) => `${offerOf(row)}\n${row.safe}\n${row.edits}`,
    (row) => `${offerOf(row)}\n${row.edits}`,
    offerOf,
    ({ line, rule, edits }) => `${line}\n${rule}\n${edits}`,
  ]).forEach(([old, now]) => {
    if (!old || !now) add(`fixes ${old ? 'lost' : 'new'}`, offerOf(old ?? now!));
    else if (old.edits !== now.edits) add('fixes: edits', offerOf(old));
    else if (old.safe !== now.safe) add('fixes: safety', `${offerOf(old)}: ${now.safe ? 'safe now' : 'unsafe now'}`);
    else add('fixes: names', `${offerOf(old)}, then ${offerOf(now)}`);
  });
}

/** Pairs of rows that are not equal. Rows are paired by the first key, of the others by the next one. */
function match<T>(before: readonly T[], after: readonly T[], keys: readonly ((row: T) => string)[]): Pair<T>[] {
  let left = [...before];
  let right = [...after];
  const pairs: Pair<T>[] = [];
  for (const [number, keyOf] of keys.entries()) {
    const byKey = new Map<string, T[]>();
    for (const row of right) byKey.set(keyOf(row), [...(byKey.get(keyOf(row)) ?? []), row]);
    left = left.filter((row) => {
      const other = byKey.get(keyOf(row))?.shift();
      if (other !== undefined && number > 0) pairs.push([row, other]);
      return other === undefined;
    });
    const unpaired = new Set([...byKey.values()].flat());
    right = right.filter((row) => unpaired.has(row));
  }
  return [...pairs, ...left.map((row): Pair<T> => [row, undefined]), ...right.map((row): Pair<T> => [undefined, row])];
}

type Pair<T> = readonly [T | undefined, T | undefined];
