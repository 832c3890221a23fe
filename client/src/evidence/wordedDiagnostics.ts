// Lays verdicts into diagnostics: a second line, and the severity that the measurement gives.
import { DiagnosticSeverity, window, workspace, type Diagnostic, type Uri } from 'vscode';
import type { Overlay } from '../profile/overlay';
import type { JoinedFinding } from '../../../profiler/src/evidence/costOrder';
import { measuredSeverity } from '../../../profiler/src/evidence/measuredSeverity';
import type { Severity, TextRange } from '../../../protocol/src/requests';
import type { ResultMiddleware } from '../server';
import type { Evidence } from './evidence';

export function wordDiagnostics(evidence: Evidence, overlay: Overlay): ResultMiddleware {
  /** Of which generation the verdicts on screen are, by document. */
  const worded = new Map<string, number>();

  /** How many lists of a document were handed over. */
  const handled = new Map<string, number>();

  async function word(uri: Uri, diagnostics: Diagnostic[]): Promise<Diagnostic[]> {
    const document = workspace.textDocuments.find((open) => open.uri.toString() === uri.toString());
    const { generation } = evidence;
    // A finding without its verdict is worth more than none: a report that cannot be joined takes nothing away.
    const found = document && diagnostics.length > 0 ? await evidence.of(document).catch(() => undefined) : undefined;
    worded.set(uri.toString(), generation);
    if (!found) return diagnostics;
    const byPlace = new Map<string, JoinedFinding>();
    for (const one of found.joined) {
      const key = keyOf(one.finding.rule, one.finding.text, one.finding.range);
      if (!byPlace.has(key)) byPlace.set(key, one);
    }
    for (const diagnostic of diagnostics) {
      const { code, range } = diagnostic;
      const id = typeof code === 'object' ? code.value : code;
      const of = byPlace.get(keyOf(String(id), diagnostic.message, range));
      if (!of?.evidence) continue;
      const { severity, why } = measuredSeverity(of.finding, of.evidence);
      diagnostic.message += `\n${of.evidence.text}${why === undefined ? '' : `\n${why}`}`;
      diagnostic.severity = severities[severity];
    }
    return diagnostics;
  }

  return {
    handleDiagnostics: (uri, diagnostics, next) => {
      const key = uri.toString();
      const number = (handled.get(key) ?? 0) + 1;
      handled.set(key, number);
      // While verdicts are made out, newer diagnostics may have come.
      void word(uri, diagnostics).then((said) => {
        if (handled.get(key) === number) next(uri, said);
      });
    },
    provideDiagnostics: async (document, previousResultId, token, next) => {
      const uri = 'uri' in document ? document.uri : document;
      // The server says "unchanged" of a text that it answered before, but its verdicts may have changed.
      const before = worded.get(uri.toString()) ?? 0;
      const report = await next(document, before === evidence.generation ? previousResultId : undefined, token);
      if (report && 'items' in report) report.items = await word(uri, report.items);
      return report;
    },
    provideInlayHints: async (document, range, token, next) => {
      const hints = await next(document, range, token);
      const drawn = window.visibleTextEditors
        .filter((editor) => editor.document === document)
        .flatMap((editor) => overlay.drawn(editor));
      const marked = new Set(drawn.flatMap(({ level, line }) => (level === 'stale' ? [] : [line])));
      return marked.size === 0 ? hints : hints?.filter(({ position }) => !marked.has(position.line + 1));
    },
  };
}

export const severities: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};

function keyOf(rule: string, text: string, { start, end }: TextRange): string {
  return `${start.line}:${start.character} ${end.line}:${end.character} ${rule} ${text}`;
}
