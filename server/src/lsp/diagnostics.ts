// Findings as diagnostics: answered when the client pulls, published when it does not.
import {
  DiagnosticSeverity,
  DiagnosticTag,
  DocumentDiagnosticReportKind,
  LSPErrorCodes,
  ResponseError,
  type Diagnostic,
  type DiagnosticRelatedInformation,
  type DocumentDiagnosticReport,
} from 'vscode-languageserver';
import type { ResolvedFinding } from '../lint/finding';
import { commentFindings } from '../lint/aboutComments';
import type { Severity } from '../rules/rule';
import { includeAdvice, isIncludeNote } from '../workspace/includeNotes';
import type { News } from './committed';
import type { Reading, Refusal } from './readings';
import { guarded, quietly, type Session } from './session';

export const diagnosticSource = 'warplens';

const severityOf: Readonly<Record<Severity, DiagnosticSeverity>> = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
  hint: DiagnosticSeverity.Hint,
};

/** More reasons or places than these make an unreadable list; the text of the last place counts those left out. */
const mostRelated = 8;
const mostPlaces = 3;

function relatedOf({ places = [], related }: ResolvedFinding): ResolvedFinding['related'] {
  const more = places.length - mostPlaces;
  const shown = places.slice(0, mostPlaces).map(({ at, text }, index) => ({
    at,
    text: more > 0 && index === mostPlaces - 1 ? `${text}, and at ${more} more` : text,
  }));
  return [...shown, ...related.slice(0, mostRelated)];
}

export function toDiagnostic(finding: ResolvedFinding, reading: Reading, client: Session['client']): Diagnostic {
  const diagnostic: Diagnostic = {
    range: reading.lines.rangeOf(finding.at),
    severity: severityOf[finding.severity],
    code: finding.rule,
    source: diagnosticSource,
    message: finding.text,
  };
  if (client.codeDescription) diagnostic.codeDescription = { href: finding.docsUrl };
  if (client.unnecessaryTag && (finding.rule === commentFindings.unused || finding.rule === commentFindings.unusedMark))
    diagnostic.tags = [DiagnosticTag.Unnecessary];
  if (client.relatedInformation) {
    const related: DiagnosticRelatedInformation[] = [];
    for (const { at, text } of relatedOf(finding)) {
      const range = reading.rangeOf(at);
      if (range) related.push({ location: { uri: at.uri, range }, message: text });
    }
    if (related.length > 0) diagnostic.relatedInformation = related;
  }
  return diagnostic;
}

/** `news`: what the commit has, too, is a hint. */
export function diagnosticsOf(
  reading: Reading | Refusal | undefined,
  client: Session['client'],
  news?: News,
): Diagnostic[] {
  if (!reading) return [];
  if ('refused' in reading) return [onFirstLine(reading.refused)];
  return [
    ...(reading.excess === undefined ? [] : [onFirstLine(reading.excess)]),
    ...reading.result.findings.map((finding) =>
      toDiagnostic(!news || news.has(finding) ? finding : { ...finding, severity: 'hint' }, reading, client),
    ),
    ...notesOf(reading),
  ];
}

/** What is said of the file and not of a place in it. */
export function onFirstLine(message: string): Diagnostic {
  return {
    range: { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } },
    severity: DiagnosticSeverity.Information,
    source: diagnosticSource,
    code: 'warplens/not-read',
    message,
  };
}

/** What the analysis went without. Only what the user can fix is in the list of problems. */
function notesOf(reading: Reading): Diagnostic[] {
  const own = reading.model.notes.filter((note) => note.at.uri === reading.uri);
  const missing = own.filter(({ text }) => isIncludeNote(text));
  const [first] = missing;
  const others = missing.slice(1).map(({ text }) => headerOf(text));
  const more = others.length > mostHeaders ? ` and ${others.length - mostHeaders} more` : '';
  const listed = others.length === 0 ? '' : ` Also missing: ${others.slice(0, mostHeaders).join(', ')}${more}.`;
  // One for all headers: what helps one helps the others.
  return own
    .filter((note) => note === first || !missing.includes(note))
    .map(({ at, text }) => ({
      range: reading.lines.rangeOf(at),
      severity: isIncludeNote(text) ? DiagnosticSeverity.Information : DiagnosticSeverity.Hint,
      source: diagnosticSource,
      code: 'warplens/note',
      message: isIncludeNote(text) ? `${text}${listed} ${includeAdvice}` : text,
    }));
}

const mostHeaders = 3;

/** The header that a note of includes begins with, as it is written. */
export function headerOf(note: string): string {
  return /^["<][^">]*[">]/.exec(note)![0];
}

export interface DiagnosticFlow {
  /** A document was opened or changed. */
  changed(uri: string): void;
  /** What is known of these documents changed without a keystroke. */
  refresh(uris: readonly string[]): void;
  closed(uri: string): void;
}

export function serveDiagnostics(session: Session): DiagnosticFlow {
  const { connection, client, documents, readings, committed } = session;
  const newsOf = async (reading: Reading | Refusal | undefined): Promise<News | undefined> =>
    reading && 'model' in reading ? committed.newsOf(reading) : undefined;
  if (client.pullDiagnostics) {
    let asked = false;
    const askAgain = (): void => {
      if (asked) return;
      asked = true;
      setTimeout(() => {
        asked = false;
        quietly(() => connection.languages.diagnostics.refresh());
      }, 20);
    };
    connection.languages.diagnostics.on(
      guarded(
        session,
        'textDocument/diagnostic',
        emptyReport,
        async ({ textDocument, previousResultId }, token): Promise<DocumentDiagnosticReport> => {
          const early = await readings.glimpse(textDocument.uri, token);
          if (early) askAgain();
          const reading = early ?? (await readings.settled(textDocument.uri, token));
          if (token.isCancellationRequested) throw superseded();
          if (!reading) return emptyReport;
          const news = await newsOf(reading);
          if (token.isCancellationRequested) throw superseded();
          const resultId = news ? `${reading.stamp}.${news.commit}` : reading.stamp;
          if (resultId === previousResultId) return { kind: DocumentDiagnosticReportKind.Unchanged, resultId };
          return {
            kind: DocumentDiagnosticReportKind.Full,
            resultId,
            items: diagnosticsOf(reading, client, news),
          };
        },
      ),
    );
    // The client asks for what it opens or changes, and forgets what it closes.
    return { changed() {}, closed() {}, refresh: (uris) => void (uris.length > 0 && askAgain()) };
  }
  const pending = new Set<string>();
  const publish = guarded(session, 'publishing diagnostics', undefined, async (uri: string): Promise<undefined> => {
    if (pending.has(uri)) return;
    pending.add(uri);
    const send = async (reading: Reading | Refusal | undefined): Promise<void> => {
      const document = documents.get(uri);
      const news = await newsOf(reading);
      // A document that was closed during its analysis has no diagnostics.
      if (document && documents.get(uri))
        await connection.sendDiagnostics({
          uri,
          version: document.version,
          diagnostics: diagnosticsOf(reading, client, news),
        });
    };
    try {
      const early = await readings.glimpse(uri);
      if (early) await send(early);
      const reading = await readings.settled(uri);
      pending.delete(uri);
      await send(reading);
    } finally {
      pending.delete(uri);
    }
  });
  return {
    changed: (uri) => void publish(uri),
    refresh: (uris) => {
      for (const uri of uris) void publish(uri);
    },
    closed: (uri) => quietly(() => connection.sendDiagnostics({ uri, diagnostics: [] })),
  };
}

const emptyReport: DocumentDiagnosticReport = { kind: DocumentDiagnosticReportKind.Full, items: [] };

/** Says nothing of asking again: "no" would make VS Code's client forget that it was to ask for the newer text. */
function superseded(): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.RequestCancelled, 'The request was cancelled.');
}
