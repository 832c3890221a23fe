// Puts the problems of measured sources in order of what they cost: confirmed ones first, then hot lines that no
// finding explains, then the rest.
import type { FindingEvidence } from '../../../protocol/src/evidence';
import type { FoundFinding } from '../../../protocol/src/requests';
import { stakeLines, type EvidenceSource } from './joinEvidence';

/** A finding with what was measured of it. */
export interface JoinedFinding {
  readonly finding: FoundFinding;
  /** Absent where no counter can confirm or refute it. */
  readonly evidence?: FindingEvidence;
}

/** The findings of one document, and the sources of the report that it is. */
export interface JoinedDocument<Place> {
  readonly place: Place;
  readonly joined: readonly JoinedFinding[];
  readonly sources: readonly EvidenceSource[];
}

/** A line that costs time, by the report's path and line. */
export interface HotLine {
  readonly file: string;
  readonly line: number;
  /** The line whose traffic it waits for, where it is another. */
  readonly filledBy?: { readonly file: string; readonly line: number };
}

export interface Problem<Place, Hot = HotLine> extends JoinedFinding {
  readonly place: Place;
  /** Marked lines that wait for the queue which its lines fill. */
  readonly waiting: readonly Hot[];
  /** Findings of the same rule on the same lines: one for each array, say. */
  readonly alike: number;
}

export interface CostOrder<Place, Hot> {
  /** Confirmed, and those of which less than expected was seen; the costliest first. */
  readonly costly: readonly Problem<Place, Hot>[];
  /** Marked lines that none of them explains. */
  readonly unexplained: readonly Hot[];
  readonly refuted: readonly Problem<Place, Hot>[];
  /** Not measured or not executed. */
  readonly unmeasured: readonly Problem<Place, Hot>[];
  /** No counter can tell of them. */
  readonly untold: readonly Problem<Place, Hot>[];
}

/** @param hot marked lines, the hottest first */
export function orderByCost<Place, Hot extends HotLine>(
  documents: readonly JoinedDocument<Place>[],
  hot: readonly Hot[],
): CostOrder<Place, Hot> {
  const keyOf = ({ file, line }: { readonly file: string; readonly line: number | undefined }): string =>
    `${line} ${file}`;
  const explains = ({ evidence }: JoinedFinding): boolean =>
    evidence?.state === 'confirmed' || evidence?.state === 'weak';
  const linesOf = ({ finding }: JoinedFinding, sources: readonly EvidenceSource[]): string[] =>
    stakeLines(finding).flatMap((line) => sources.map(({ file, lineOf }) => keyOf({ file, line: lineOf(line) })));
  const explained = new Set(
    documents.flatMap(({ joined, sources }) => joined.filter(explains).flatMap((one) => linesOf(one, sources))),
  );
  const problems = documents.flatMap(({ place, joined, sources }) => {
    const alike = new Map<string, JoinedFinding[]>();
    for (const one of joined) {
      const { rule, message, range } = one.finding;
      const key = `${rule} ${message} ${range.start.line} ${range.end.line} ${one.evidence?.text}`;
      alike.set(key, [...(alike.get(key) ?? []), one]);
    }
    return [...alike.values()].map((group): Problem<Place, Hot> => {
      const own = new Set(explains(group[0]!) ? linesOf(group[0]!, sources) : []);
      return {
        place,
        ...group[0]!,
        alike: group.length,
        waiting: hot.filter((line) => line.filledBy && own.has(keyOf(line.filledBy)) && !explained.has(keyOf(line))),
      };
    });
  });
  const of = (...states: readonly (string | undefined)[]): Problem<Place, Hot>[] =>
    problems
      .filter(({ evidence }) => states.includes(evidence?.state))
      .sort(
        (a, b) =>
          states.indexOf(a.evidence?.state) - states.indexOf(b.evidence?.state) ||
          (b.evidence?.cost ?? 0) - (a.evidence?.cost ?? 0),
      );
  const accounted = new Set(problems.flatMap(({ waiting }) => waiting));
  return {
    costly: of('confirmed', 'weak'),
    unexplained: hot.filter((line) => !explained.has(keyOf(line)) && !accounted.has(line)),
    refuted: of('refuted'),
    unmeasured: of('not-executed', 'unmeasured'),
    untold: of(undefined),
  };
}
