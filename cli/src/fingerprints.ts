// Fingerprints by which a service matches findings of two runs: the same for a finding that only moved.
import { createHash } from 'node:crypto';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { lineTable, type LineTable } from '../../server/src/syntax/lines';
import type { CheckedFile } from './checkedFile';
import { displayPath } from './source';

/** Rule, message, file and the words of the line of each finding of a run, counted where they repeat. */
export function createFingerprints(): (finding: ResolvedFinding, file: CheckedFile) => string {
  const seen = new Map<string, number>();
  const tables = new Map<CheckedFile, LineTable>();
  return (finding, file) => {
    const table = tables.get(file) ?? lineTable(file.text);
    tables.set(file, table);
    const { start, end } = table.lineSpan(table.positionAt(finding.at.start).line);
    const line = file.text.slice(start, end).replace(/\s+/g, ' ').trim();
    const key = [finding.rule, finding.message, displayPath(file.path), line].join('\n');
    const count = seen.get(key) ?? 0;
    seen.set(key, count + 1);
    return `${createHash('sha256').update(key).digest('hex').slice(0, 32)}:${count}`;
  };
}
