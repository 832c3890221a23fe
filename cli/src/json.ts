// Findings as JSON for scripts: one object a finding, positions from 1.
import type { Span } from '../../server/src/semantic/model';
import type { CheckedFile } from './checkedFile';
import { pathOf, type placeFinder } from './analysis';
import { displayPath } from './source';

export function jsonOf(files: readonly CheckedFile[], placeOf: ReturnType<typeof placeFinder>): string {
  const placed = (span: Span): object => ({ file: displayPath(pathOf(span.uri)), ...placeOf(span) });
  const findings = files.flatMap((file) =>
    file.findings.map((finding) => ({
      ...placed(finding.at),
      rule: finding.rule,
      message: finding.message,
      severity: finding.severity,
      confidence: finding.confidence,
      text: finding.text,
      data: finding.data,
      related: finding.related.map((reason) => ({ ...placed(reason.at), text: reason.text })),
      fixes: finding.fixes.map((fix) => ({
        title: fix.title,
        applicability: fix.applicability,
        edits: fix.edits.map((edit) => ({ ...placed(edit.at), newText: edit.newText })),
      })),
      docs: finding.docsUrl,
    })),
  );
  return JSON.stringify({ findings }, null, 2);
}
