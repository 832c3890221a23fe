// Measures the program with a finding's fixes against the program as it is.
import { Uri, window, workspace, type TextDocument } from 'vscode';
import { findingsRequest, type FindingsAnswer, type FoundFinding } from '../../../protocol/src/requests';
import type { Profiling } from '../profiling/profiling';
import type { Server } from '../server';
import { formEdits, placeOf, positionOf, textsOf } from './formEdits';
import { canBeMeasured, type FixReference } from './measureActions';
import type { Measurements } from './measurement';
import { readyRun, type SweepArguments } from './readyRun';
import type { ShownTrial } from './trialPanel';

export type MeasureArguments = FixReference & Pick<SweepArguments, 'run'>;

/** The command *Measure: …*: takes a fix by its finding, or asks for one of the line of the cursor. */
export function fixMeasurer(
  server: Server,
  profiling: Profiling,
  measurements: Measurements,
): (given?: unknown) => Promise<ShownTrial | undefined> {
  async function measureFix(given?: unknown, how?: 'ask' | 'other host'): Promise<ShownTrial | undefined> {
    const wanted: MeasureArguments | undefined = isFixReference(given) ? given : await fixUnderCursor();
    if (!wanted) return undefined;
    const document = await workspace.openTextDocument(Uri.parse(wanted.uri));
    const ready = await readyRun(profiling, document, wanted.run, how);
    if (!ready) return undefined;
    // What is built is what is on disk: the finding is looked up again once it is saved.
    const answer = await server.request<FindingsAnswer | null>(findingsRequest, { uri: wanted.uri }).catch(() => null);
    const finding = answer && findingOf(answer.findings, wanted, document);
    const fixes = (wanted.titles ?? [wanted.title]).flatMap(
      (title) => finding?.fixes.find((fix) => fix.title === title) ?? [],
    );
    if (!finding || fixes.length === 0) {
      void profiling.asking.say(
        'information',
        'Warplens: the finding no longer exists. Open the menu of its line again.',
      );
      return undefined;
    }
    const kernel = kernelOf(finding);
    const forms = await Promise.all(
      fixes.map(async ({ title, edits }) => ({
        name: fixes.length === 1 ? 'with the fix' : title.slice(title.lastIndexOf(': ') + 1).trim(),
        edits: await formEdits(edits),
      })),
    );
    return measurements.measure(
      {
        subject: {
          title: fixes.length === 1 ? fixes[0]!.title : `${fixes.length} fixes of ${finding.rule}`,
          place: placeOf(document, finding.range.start.line),
          kind: 'fix',
        },
        forms: [{ name: 'before', edits: [] }, ...forms],
        before: await textsOf(forms.flatMap(({ edits }) => edits)),
        ...(kernel !== undefined ? { kernel } : {}),
      },
      ready,
      (again) => measureFix(wanted, again),
    );
  }

  async function fixUnderCursor(): Promise<FixReference | undefined> {
    const editor = window.activeTextEditor;
    const answer =
      editor &&
      (await server
        .request<FindingsAnswer | null>(findingsRequest, { uri: editor.document.uri.toString() })
        .catch(() => null));
    const at = editor?.selection.active.line ?? 0;
    const here = answer?.findings.filter(({ range }) => range.start.line <= at && at <= range.end.line) ?? [];
    const offered = [
      ...new Map(
        here
          .filter(({ rule }) => canBeMeasured(rule))
          .flatMap((finding) => finding.fixes.map((fix) => [fix.title, { finding, fix }] as const)),
      ).values(),
    ];
    if (!editor || offered.length === 0) {
      void profiling.asking.say('information', 'Warplens: put the cursor on a line whose finding has a fix.');
      return undefined;
    }
    const rows = offered.map(({ finding, fix }) => ({ label: fix.title, description: finding.rule, finding, fix }));
    const chosen =
      rows.length === 1
        ? rows[0]
        : (await profiling.asking.pick(rows, { title: 'Measure a fix', placeholder: 'Fix to measure' }))?.item;
    return (
      chosen && {
        uri: editor.document.uri.toString(),
        rule: chosen.finding.rule,
        message: chosen.finding.message,
        start: editor.document.offsetAt(positionOf(chosen.finding.range, editor.document).start),
        title: chosen.fix.title,
      }
    );
  }

  return (given) => measureFix(given);
}

function findingOf(
  findings: readonly FoundFinding[],
  { rule, message, start, title }: FixReference,
  document: TextDocument,
): FoundFinding | undefined {
  const same = findings.filter(
    (finding) =>
      finding.rule === rule && finding.message === message && finding.fixes.some((fix) => fix.title === title),
  );
  return (
    same.find(({ range }) => document.offsetAt(positionOf(range, document).start) === start) ??
    (same.length === 1 ? same[0] : undefined)
  );
}

/** The kernel whose time a finding is about: the one around it, or the one that its launch starts. */
function kernelOf({ function: around, data }: FoundFinding): string | undefined {
  if (around) return around.kernel ? around.name : undefined;
  const { kernel } = data;
  return typeof kernel === 'string' ? kernel.replace(/<.*$/s, '').replace(/^.*::/s, '') : undefined;
}

function isFixReference(given: unknown): given is MeasureArguments {
  const { uri, rule, message, title } = (given ?? {}) as Partial<FixReference>;
  return (
    typeof uri === 'string' && typeof rule === 'string' && typeof message === 'string' && typeof title === 'string'
  );
}
