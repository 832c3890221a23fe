// Findings as JSON for scripts: one object each, most expensive first, positions from 1; marks of other places last.
// `marked` counts functions that comments call hot or cold; `notes` lists what was missing, `unread` what was not read.
import type { Span } from '../../server/src/semantic/model';
import type { CheckedFile } from './checkedFile';
import { witnessOf } from './compilerWitness';
import { byCost } from './order';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import type { Marked } from '../../server/src/lint/marks';
import type { Teller } from './remarks';
import { unreadText } from '../../server/src/rules/unreadWording';
import { pathOf, type placeFinder } from './analysis';
import { displayPath } from './source';
import { versioned } from './terminalText';

export function jsonOf(
  files: readonly CheckedFile[],
  placeOf: ReturnType<typeof placeFinder>,
  { remarks, unread }: Pick<Teller, 'remarks' | 'unread'>,
  marked: Marked,
): string {
  const placed = (span: Span): object => ({ file: displayPath(pathOf(span.uri)), ...placeOf(span) });
  const marks = files.flatMap(({ findings }) => findings.filter(({ markOf }) => markOf));
  const all = [...byCost(files).map(({ finding }) => finding), ...marks];
  const findings = all.map((finding) => ({
    ...placed(finding.at),
    rule: finding.rule,
    message: finding.message,
    severity: finding.severity,
    confidence: finding.confidence,
    share: finding.share,
    gain: gainOf(finding),
    verdict: finding.verdict?.sentences,
    kernel: finding.kernel,
    ...(finding.markOf ? { markOf: placed(finding.markOf) } : {}),
    text: finding.text,
    compiler: witnessOf(finding),
    data: finding.data,
    related: [...(finding.places ?? []), ...finding.related].map((reason) => ({
      ...placed(reason.at),
      text: reason.text,
    })),
    fixes: finding.fixes.map((fix) => ({
      title: fix.title,
      applicability: fix.applicability,
      edits: fix.edits.map((edit) => ({ ...placed(edit.at), newText: edit.newText })),
    })),
    ...(finding.refusals ? { refusals: finding.refusals } : {}),
    docs: finding.docsUrl,
  }));
  const notes = remarks.map(({ path, ...remark }) => ({ file: displayPath(path), ...remark }));
  const gaps = unread.flatMap(({ path, list }) =>
    list.map((one) => ({ file: displayPath(path), ...one, text: unreadText(one) })),
  );
  return versioned({ findings, marked, notes, unread: gaps }, 2);
}

/** Time of the kernel now over its time without the waste; `most` is absent where nothing limits it. */
export function gainOf({ gain, expectedGain }: ResolvedFinding): object | undefined {
  if (!gain) return undefined;
  const [least, most] = gain.map((end) => Math.round(100 * end) / 100) as [number, number];
  return { least, ...(Number.isFinite(most) ? { most } : {}), expected: Math.round(100 * (expectedGain ?? 1)) / 100 };
}
