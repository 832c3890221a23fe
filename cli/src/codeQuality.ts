// Findings as a Code Quality report of GitLab: the subset of Code Climate's format that merge requests show.
import { createHash } from 'node:crypto';
import type { Severity } from '../../server/src/rules/rule';
import { lineTable } from '../../server/src/syntax/lines';
import type { placeFinder } from './analysis';
import type { CheckedFile } from './checkedFile';
import { displayPath } from './source';

const grades: Readonly<Record<Severity, 'info' | 'minor' | 'major' | 'critical'>> = {
  hint: 'info',
  information: 'minor',
  warning: 'major',
  error: 'critical',
};

/** Paths are those from the working directory, which has to be the top of the repository for GitLab to show them. */
export function codeQualityOf(files: readonly CheckedFile[], placeOf: ReturnType<typeof placeFinder>): string {
  const seen = new Map<string, number>();
  const issues = files.flatMap((file) => {
    const table = lineTable(file.text);
    return file.findings
      .filter(({ markOf }) => !markOf)
      .map((finding) => {
        const { start, end } = table.lineSpan(table.positionAt(finding.at.start).line);
        const line = file.text.slice(start, end).replace(/\s+/g, ' ').trim();
        const path = displayPath(file.path);
        const place = placeOf(finding.at);
        // The same for a finding that only moved; lines that stand there twice are counted.
        const key = [finding.rule, finding.message, path, line].join('\n');
        const count = seen.get(key) ?? 0;
        seen.set(key, count + 1);
        return {
          type: 'issue',
          description: finding.text,
          check_name: finding.rule,
          fingerprint: createHash('sha256').update(`${key}\n${count}`).digest('hex').slice(0, 40),
          severity: grades[finding.severity],
          categories: ['Performance'],
          location: { path, lines: { begin: place?.line ?? 1, end: place?.endLine ?? place?.line ?? 1 } },
        };
      });
  });
  return JSON.stringify(issues, null, 2);
}
