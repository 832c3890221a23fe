// What compute-sanitizer reported of a program, as diagnostics and as verdicts on findings, until the next run.
import {
  Diagnostic,
  DiagnosticRelatedInformation,
  DiagnosticSeverity,
  EventEmitter,
  languages,
  Location,
  Range,
  Uri,
  type Disposable,
} from 'vscode';
import type { FindingEvidence } from '../../../protocol/src/evidence';
import { carryLines } from '../../../profiler/src/lines/carryOver';
import { isSame, toolNamedIn, verdictOfRuns } from '../../../profiler/src/sanitizer/confirmed';
import type { SanitizerRun } from '../../../profiler/src/sanitizer/sanitize';
import type { SanitizerRecord } from '../../../profiler/src/sanitizer/sanitizerOutput';
import type { Witness } from './witnessed';

export interface Sanitized extends Disposable, Witness {
  /** `sources` are as they were built. */
  show(sources: readonly { readonly path: string; readonly text: string }[], runs: readonly SanitizerRun[]): void;
}

const severities = {
  error: DiagnosticSeverity.Error,
  warning: DiagnosticSeverity.Warning,
  information: DiagnosticSeverity.Information,
} as const;

export function createSanitized(): Sanitized {
  const changed = new EventEmitter<void>();
  const reported = languages.createDiagnosticCollection('compute-sanitizer');
  const texts = new Map<string, string>();
  let runs: readonly SanitizerRun[] = [];

  /** Each place in a source, as far as the tool names it. */
  const locationsOf = ({ places }: SanitizerRecord): Location[] =>
    places.flatMap(({ file, line }) => {
      const path = file === undefined ? undefined : [...texts.keys()].find((each) => isSame(each, file));
      if (path === undefined || line === undefined) return [];
      return [new Location(Uri.file(path), new Range(line - 1, 0, line - 1, Number.MAX_SAFE_INTEGER))];
    });

  function diagnose(record: SanitizerRecord): [Uri, Diagnostic[]][] {
    const [at, ...others] = locationsOf(record);
    if (!at) return [];
    const { sentence, details, count, severity, tool } = record;
    const often = count === 1 ? '' : `, ${count} times`;
    const message = [`${sentence}${often}`, ...details].join('\n');
    const diagnostic = new Diagnostic(at.range, message, severities[severity]);
    diagnostic.source = `compute-sanitizer ${tool}`;
    diagnostic.relatedInformation = others.map((other) => new DiagnosticRelatedInformation(other, sentence));
    return [[at.uri, [diagnostic]]];
  }

  return {
    onDidChange: changed.event,
    has: ({ uri }) => texts.has(uri.fsPath),
    show(sources, now) {
      texts.clear();
      for (const { path, text } of sources) texts.set(path, text);
      runs = now;
      reported.clear();
      const byFile = new Map<string, [Uri, Diagnostic[]]>();
      for (const [uri, found] of runs.flatMap(({ records }) => records.flatMap(diagnose)))
        byFile.set(uri.fsPath, [uri, [...(byFile.get(uri.fsPath)?.[1] ?? []), ...found]]);
      reported.set([...byFile.values()]);
      changed.fire();
    },
    judge(document, findings) {
      const { fsPath } = document.uri;
      const text = texts.get(fsPath);
      if (text === undefined) return findings.map(() => undefined);
      const { lineNow } = carryLines(document.getText(), text);
      return findings.map(({ verdict, range }): FindingEvidence | undefined => {
        const tool = toolNamedIn(verdict?.sentences.join(' '));
        if (tool === undefined || !runs.some((run) => run.tool === tool)) return undefined;
        const [from, to] = [lineNow(range.start.line + 1), lineNow(range.end.line + 1)];
        const unmeasured = (text: string): FindingEvidence => ({
          state: 'unmeasured',
          text: `${tool}: ${text}.`,
          cost: 0,
        });
        if (from === undefined || to === undefined) return unmeasured('the line has changed since the run');
        const found = verdictOfRuns(tool, [{ file: fsPath, from, to }], runs);
        if (found.state === 'not-found') return unmeasured('not found in this run');
        if (found.state === 'undecided') return unmeasured('undecided: the report lacks lines, or is cut off');
        return { state: 'confirmed', text: `${tool}: confirmed. ${found.record.sentence}.`, cost: 0 };
      });
    },
    dispose: () => [changed, reported].forEach((one) => one.dispose()),
  };
}
