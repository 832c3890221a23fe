// The ratio to the ideal, at the end of each access that a finding is about.
import type { InlayHint } from 'vscode-languageserver';
import type { AccessFact } from '../semantic/model';
import { remarkHints } from './compilerFeedback';
import { guarded, type Session } from './session';
import { accessClauses, ratioOf } from './wording';

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
      const accesses = new Map<string, AccessFact>();
      for (const access of reading.model.facts.access) {
        const key = `${access.at.start} ${access.at.end}`;
        const known = accesses.get(key);
        if (!known || ratio(access) > ratio(known)) accesses.set(key, access);
      }
      const said = new Set<string>();
      for (const finding of reading.result.findings) {
        const key = `${finding.at.start} ${finding.at.end}`;
        const access = accesses.get(key);
        if (!access || finding.at.end < from || finding.at.end > to || ratio(access) <= 1 || said.has(key)) continue;
        said.add(key);
        hints.push({
          position: reading.lines.positionAt(finding.at.end),
          label: shortRatio(access),
          tooltip: accessClauses(access).join('\n'),
          paddingLeft: true,
        });
      }
      return hints;
    }),
  );
}

function ratio(access: AccessFact): number {
  return Math.max(
    (access.sectors ?? 0) / (access.sectorsIdeal || Infinity),
    (access.wavefronts ?? 0) / (access.wavefrontsIdeal || Infinity),
  );
}

function shortRatio({ sectors, sectorsIdeal, wavefronts, wavefrontsIdeal, assumed }: AccessFact): string {
  const text =
    wavefronts !== undefined && wavefrontsIdeal
      ? `${ratioOf(wavefronts, wavefrontsIdeal)} wavefronts`
      : `${ratioOf(sectors!, sectorsIdeal!)} sectors`;
  return assumed.length > 0 ? `≈ ${text}` : text;
}
