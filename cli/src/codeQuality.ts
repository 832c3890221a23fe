// Findings as a Code Quality report of GitLab: the subset of Code Climate's format that merge requests show.
import type { Severity } from '../../server/src/rules/rule';
import type { placeFinder } from './analysis';
import { type CheckedFile, headsOf } from './checkedFile';
import { createFingerprints } from './fingerprints';
import { displayPath } from './source';

const grades: Readonly<Record<Severity, 'info' | 'minor' | 'major' | 'critical'>> = {
  hint: 'info',
  information: 'minor',
  warning: 'major',
  error: 'critical',
};

/** Paths are those from the working directory, which has to be the top of the repository for GitLab to show them. */
export function codeQualityOf(files: readonly CheckedFile[], placeOf: ReturnType<typeof placeFinder>): string {
  const fingerprintOf = createFingerprints();
  const issues = files.flatMap((file) =>
    headsOf(file).map((finding) => {
      const place = placeOf(finding.at);
      return {
        type: 'issue',
        description: finding.text,
        check_name: finding.rule,
        fingerprint: fingerprintOf(finding, file),
        severity: grades[finding.severity],
        categories: ['Performance'],
        location: {
          path: displayPath(file.path),
          lines: { begin: place?.line ?? 1, end: place?.endLine ?? place?.line ?? 1 },
        },
      };
    }),
  );
  return JSON.stringify(issues, null, 2);
}
