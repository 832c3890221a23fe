// The ratio to the ideal, at the end of each access that is off it, unless a comment silences its finding.
import type { InlayHint } from 'vscode-languageserver';
import type { Interval } from '../rules/rule';
import { conditions, offIdealText } from '../rules/wording';
import { excerpt } from '../semantic/excerpt';
import type { AccessFact, Span } from '../semantic/model';
import { ratioRange } from '../semantic/figures';
import { remarkHints } from './compilerFeedback';
import type { Reading } from './readings';
import { guarded, type Session } from './session';
import { accessClauses } from './wording';

export function serveInlayHints(session: Session): void {
  const { connection, readings, folders } = session;
  connection.languages.inlayHint.on(
    guarded(session, 'textDocument/inlayHint', [] as InlayHint[], async ({ textDocument: { uri }, range }, token) => {
      const { settings } = folders.of(uri);
      if (!settings.inlayHints && !settings.compilerHints) return [];
      const reading = await readings.settled(uri, token);
      if (!reading || 'refused' in reading) return [];
      const from = reading.lines.offsetAt(range.start);
      const to = reading.lines.offsetAt(range.end);
      const hints: InlayHint[] = settings.compilerHints ? remarkHints(reading, from, to) : [];
      if (!settings.inlayHints) return hints;
      for (const its of offIdeal(reading, from, to)) {
        const label = offIdealText(its, its.range);
        if (label === undefined) continue;
        hints.push({
          position: reading.lines.positionAt(its.end),
          label,
          tooltip: [...new Set(its.facts.flatMap(clausesOf))].join('\n'),
          paddingLeft: true,
        });
      }
      return hints;
    }),
  );
}

interface Place extends Pick<AccessFact, 'space' | 'assumed'> {
  readonly end: number;
  /** Over what its facts say: kernels and template arguments may differ. */
  readonly range: Interval;
  readonly facts: readonly AccessFact[];
}

/** The accesses that end between two offsets. */
function offIdeal({ uri, model, lines, result }: Reading, from: number, to: number): Iterable<Place> {
  const places = new Map<string, Place>();
  const keyOf = ({ start }: Span, array: unknown): string => `${lines.positionAt(start).line} ${String(array)}`;
  const silenced = new Set(result.suppressed.map(({ at, data }) => keyOf(at, data['array'])));
  for (const fact of model.facts.access) {
    const { start, end } = fact.at;
    if (end < from || end > to || fact.at.uri !== uri) continue;
    if (silenced.has(keyOf(fact.at, excerpt(fact.array.name, 40)))) continue;
    const range = ratioRange(fact);
    if (!range) continue;
    const key = `${start} ${end} ${fact.space}`;
    const known = places.get(key) ?? { end, space: fact.space, assumed: [], range, facts: [] };
    places.set(key, {
      ...known,
      assumed: [...known.assumed, ...fact.assumed],
      range: [Math.min(range[0], known.range[0]), Math.max(range[1], known.range[1])],
      facts: [...known.facts, fact],
    });
  }
  return places.values();
}

function clausesOf(access: AccessFact): string[] {
  return [...accessClauses(access), ...conditions(access.assumed)];
}
