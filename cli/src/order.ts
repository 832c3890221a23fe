// Orders the findings of all files by cost.
import { predictedOrder } from '../../profiler/src/evidence/predictedOrder';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import type { CheckedFile } from './checkedFile';
import type { Remark } from './remarks';

export interface PlacedFinding {
  readonly file: CheckedFile;
  readonly finding: ResolvedFinding;
}

/**
 * All findings, the gravest first; of one severity those first whose lines the kernels spend the most cycles on by
 * prediction: the share of the kernel times what all its launches move. Equal ones stay in order of place. Marks of
 * other places of a finding are left out.
 */
export function byCost(files: readonly CheckedFile[], order = predictedOrder): readonly PlacedFinding[] {
  const all = files.flatMap((file) => file.findings.map((finding): PlacedFinding => ({ file, finding })));
  return order(
    all.filter(({ finding }) => !finding.markOf),
    ({ finding }) => finding,
  );
}

/**
 * Omits a finding at a call into another file if that file was checked as well and reports it in its own
 * place: over a folder each would be reported once in its header and again at every call.
 */
export function withoutCalls(files: readonly CheckedFile[]): readonly CheckedFile[] {
  const told = new Set(files.flatMap(({ findings }) => findings.map((one) => keyOf(one, one.at, one.at.uri))));
  const isRepeated = (one: ResolvedFinding): boolean =>
    one.calleeAt !== undefined && told.has(keyOf(one, one.calleeAt, one.calleeAt.uri));
  return files.flatMap((file) => {
    const findings = withHeads(file.findings.filter((one) => !isRepeated(one)));
    return findings.length > 0 ? [{ ...file, findings }] : [];
  });
}

/** The files with only these findings, and the marks that belong to them. */
export function keptOf(files: readonly CheckedFile[], kept: ReadonlySet<ResolvedFinding>): readonly CheckedFile[] {
  return files
    .map((file) => {
      const heads = new Set(file.findings.filter((finding) => kept.has(finding)).map((one) => keyOf(one, one.at)));
      return {
        ...file,
        findings: file.findings.filter(
          (finding) => kept.has(finding) || (finding.markOf && heads.has(keyOf(finding, finding.markOf))),
        ),
      };
    })
    .filter(({ findings }) => findings.length > 0);
}

/** Services that show SARIF accept this many results of a run and drop the rest. */
const mostResults = 5000;

/** The files with the first `most` of the ordered findings, and a remark where there are more. */
export function heaviestOf(
  files: readonly CheckedFile[],
  ordered: readonly PlacedFinding[],
  most = mostResults,
): { readonly files: readonly CheckedFile[]; readonly remarks: readonly Remark[] } {
  if (ordered.length <= most) return { files, remarks: [] };
  const heaviest = ordered.slice(0, most);
  const text = `Showing the ${most} most expensive of ${ordered.length} findings.`;
  return {
    files: keptOf(files, new Set(heaviest.map(({ finding }) => finding))),
    remarks: [{ path: heaviest[0]!.file.path, text }],
  };
}

/** A mark may have a different message from its finding: a macro next to a literal. */
function keyOf({ rule }: ResolvedFinding, at: ResolvedFinding['at'], uri = ''): string {
  return `${rule} ${uri} ${at.start} ${at.end}`;
}

/**
 * Findings of one file of which some were taken out: of marks whose finding is gone the first becomes it, with the
 * severity that it has alone, and the others lead to that one.
 */
export function withHeads(kept: readonly ResolvedFinding[]): readonly ResolvedFinding[] {
  const heads = new Set(kept.filter(({ markOf }) => !markOf).map((finding) => keyOf(finding, finding.at)));
  const heirs = new Map<string, ResolvedFinding>();
  return kept.map((finding): ResolvedFinding => {
    const { markOf, alone, ...rest } = finding;
    if (!markOf || heads.has(keyOf(finding, markOf))) return finding;
    const key = keyOf(finding, markOf);
    const heir = heirs.get(key);
    if (heir) return { ...finding, markOf: heir.at };
    heirs.set(key, finding);
    return { ...rest, severity: alone ?? finding.severity };
  });
}
