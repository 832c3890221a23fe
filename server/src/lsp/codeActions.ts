// Quick fixes, "fix all", "ignore on this line" and "explain": offered at once, their edits made when one is chosen.
import {
  type CancellationToken,
  CodeActionKind,
  LSPErrorCodes,
  ResponseError,
  type CodeAction,
  type CodeActionParams,
  type Command,
  type Diagnostic,
  type Position,
  type WorkspaceEdit,
} from 'vscode-languageserver';
import { clientCommands, serverCommands } from '../../../protocol/src/requests';
import type { Said } from '../cost/grade';
import { compatibleFixes, fixAll } from '../workspace/edits';
import { replacement } from '../workspace/trials';
import type { ResolvedFinding } from '../lint/finding';
import { verdictOf } from '../verdict/verdict';
import type { Fix } from '../rules/rule';
import { excerpt, longestTitle } from '../semantic/excerpt';
import type { Mark } from '../semantic/model';
import { lineTable } from '../syntax/lines';
import { isIncludeNote } from '../workspace/includeNotes';
import { diagnosticSource, headerOf, toDiagnostic } from './diagnostics';
import type { Reading } from './readings';
import { contentModified, guarded, inform, type Session } from './session';
import { commentAbove, markableOf, markEdit } from './ownComments';
import { triesOf, tryAll, type Tries } from './tries';
import { toInsertion, toWorkspaceEdit } from './workspaceEdits';

export const fixAllKind = `${CodeActionKind.SourceFixAll}.warplens`;

/** What travels with an action until it is chosen. */
type ActionData = { readonly uri: string; readonly version: number } & (
  | {
      readonly kind: 'fix';
      readonly rule: string;
      readonly message: string;
      readonly start: number;
      readonly title: string;
    }
  | { readonly kind: 'all-of-rule'; readonly rule: string; readonly unsafe: boolean }
  | { readonly kind: 'fix-all' }
  | { readonly kind: 'ignore'; readonly rule: string; readonly line: number }
  | { readonly kind: 'mark'; readonly start: number; readonly mark: Mark | undefined; readonly word: Said }
);

export function serveCodeActions(session: Session): void {
  const { connection, readings, client } = session;
  connection.onCodeAction(
    guarded(session, 'textDocument/codeAction', [] as (CodeAction | Command)[], async (params, token) => {
      const { uri } = params.textDocument;
      await readings.glimpsed(uri);
      const reading = readings.now(uri);
      if (!reading) return [];
      // Fixes of other lines are tried when a "fix all" is chosen: a menu waits for those of its line alone.
      const tried = wants(params, CodeActionKind.QuickFix) ? findingsAt(reading, params) : [];
      if (!(await tryAll(tried, reading, session, token))) throw contentModified();
      const actions = readings.working(uri, () => actionsAt(session, reading, params, triesOf(reading, readings)));
      if (client.codeActionLiterals) return actions;
      return actions.flatMap((action) => (action.command ? [action.command] : []));
    }),
  );
  connection.onCodeActionResolve(
    guarded(session, 'codeAction/resolve', undefined as CodeAction | undefined, async (action, token) => {
      if (action.edit || !isActionData(action.data)) return action;
      return { ...action, edit: await chosenEdit(session, action.data, token) };
    }) as (action: CodeAction, token: CancellationToken) => Promise<CodeAction>,
  );
}

/** The edit of an action that was chosen, as its data travelled. */
export async function chosenEdit(session: Session, data: ActionData, token: CancellationToken): Promise<WorkspaceEdit> {
  const { readings } = session;
  const reading = readings.now(data.uri);
  const tried = reading?.result.findings.filter(({ rule }) => data.kind === 'all-of-rule' && rule === data.rule) ?? [];
  if (reading && !(await tryAll(tried, reading, session, token))) throw contentModified();
  const leaveOut = (sentence: string): void => inform(session, sentence);
  const edit =
    reading && readings.working(data.uri, () => editOf(session, reading, data, triesOf(reading, readings), leaveOut));
  if (typeof edit === 'string') throw new ResponseError(LSPErrorCodes.RequestFailed, edit);
  if (!edit) throw contentModified();
  return edit;
}

function wants({ context: { only: kinds } }: CodeActionParams, kind: string): boolean {
  return kinds === undefined || kinds.some((only) => kind === only || kind.startsWith(`${only}.`));
}

function findingsAt(reading: Reading, { range, context }: CodeActionParams): readonly ResolvedFinding[] {
  const [start, end] = [reading.lines.offsetAt(range.start), reading.lines.offsetAt(range.end)];
  return reading.result.findings.filter(
    (finding) =>
      (finding.at.start <= end && finding.at.end >= start) ||
      context.diagnostics.some((diagnostic) => isOf(diagnostic, reading, finding)),
  );
}

function actionsAt(session: Session, reading: Reading, params: CodeActionParams, tries: Tries): CodeAction[] {
  const { range, context } = params;
  const { client } = session;
  const { uri, version } = reading;
  const actions: CodeAction[] = [];
  const add = (action: CodeAction, data: ActionData): void => {
    if (client.resolveEdits) {
      actions.push({ ...action, data });
      return;
    }
    if (data.kind === 'all-of-rule' || (data.kind === 'fix-all' && (client.appliesEdits || !context.only))) {
      const command = { title: action.title, command: serverCommands.makeEdits, arguments: [data] };
      if (client.appliesEdits) actions.push({ ...action, command });
      return;
    }
    const edit = editOf(session, reading, data, tries);
    if (edit && typeof edit !== 'string') actions.push({ ...action, edit });
  };
  const here = findingsAt(reading, params);
  const isOffered = (fix: Fix, finding: ResolvedFinding): boolean =>
    isHere(fix, uri) && (!here.includes(finding) || 'fix' in tries.trials.of(reading.text, finding, fix));
  const { QuickFix: kind } = CodeActionKind;
  // The client's own diagnostic, so that it knows which one the action fixes; else ours.
  const of = (finding: ResolvedFinding): Diagnostic[] => [
    context.diagnostics.find((diagnostic) => isOf(diagnostic, reading, finding)) ??
      toDiagnostic(finding, reading, client),
  ];
  if (wants(params, CodeActionKind.QuickFix)) {
    const menu = new Set<string>();
    const notOffered: { readonly finding: ResolvedFinding; readonly sentence: string }[] = [];
    for (const finding of here) {
      const diagnostics = of(finding);
      const { rule, message, at } = finding;
      const { offers, why } = verdictOf(finding, reading.text, tries.trials);
      notOffered.push(...why.map((sentence) => ({ finding, sentence })));
      for (const { fix, tried } of offers) {
        const edits = JSON.stringify(tried.edits);
        // Several findings of a line may share one fix.
        if (menu.has(edits)) continue;
        menu.add(edits);
        const isPreferred = fix.applicability === 'safe' && fix === finding.fixes[0];
        const shown = whichTitle(tried.title, fix, finding, here, reading);
        add(
          { title: shown, kind, diagnostics, ...(isPreferred ? { isPreferred } : {}) },
          { uri, version, kind: 'fix', rule, message, start: at.start, title: fix.title },
        );
      }
    }
    for (const rule of new Set(here.filter((finding) => finding.fixes.length > 0).map((finding) => finding.rule))) {
      const diagnostics = here.filter((finding) => finding.rule === rule).flatMap(of);
      const all = reading.result.findings.filter((finding) => finding.rule === rule);
      const isSafe = (fix: Fix, finding: ResolvedFinding): boolean =>
        fix.applicability === 'safe' && isOffered(fix, finding);
      const safe = compatibleFixes(all, isSafe).length;
      const any = compatibleFixes(all, isOffered).length;
      const unsafe = safe <= 1;
      const title = unsafe
        ? `Fix all ${any} of ${rule} (results may change)`
        : `Fix all ${safe} of ${rule} in this file`;
      if (any > 1) add({ title, kind, diagnostics }, { uri, version, kind: 'all-of-rule', rule, unsafe });
    }
    const missing = reading.model.notes.filter(({ at, text }) => at.uri === reading.uri && isIncludeNote(text));
    const [first] = missing;
    if (
      client.ownCommands &&
      first &&
      reading.lines.positionAt(first.at.start).line <= range.end.line &&
      reading.lines.positionAt(first.at.end).line >= range.start.line
    ) {
      const header = headerOf(first.text);
      const long = `Add the folder of ${header} to warplens.includeFolders…`;
      const title = long.length <= longestTitle ? long : 'Add the folder of this header to warplens.includeFolders…';
      actions.push({
        title,
        kind,
        isPreferred: true,
        diagnostics: context.diagnostics.filter(({ code }) => code === 'warplens/note'),
        command: {
          title,
          command: clientCommands.addIncludeFolder,
          arguments: [uri, missing.map(({ text }) => headerOf(text).slice(1, -1))],
        },
      });
    }
    const offered = new Set<string>();
    for (const finding of here) {
      if (!isRule(finding)) continue;
      const { line } = reading.lines.positionAt(finding.at.start);
      const diagnostics = of(finding);
      const ignore = `${finding.rule} ${line}`;
      if (!offered.has(ignore) && commentAbove(reading, line, finding.rule)) {
        offered.add(ignore);
        add(
          { title: `Ignore ${finding.rule} on this line, with a reason`, kind, diagnostics },
          { uri, version, kind: 'ignore', rule: finding.rule, line },
        );
      }
    }
    for (const finding of here) {
      const markable = isRule(finding) && finding.severity !== 'error' ? markableOf(reading, finding) : undefined;
      if (!markable || offered.has(`mark ${markable.start}`)) continue;
      offered.add(`mark ${markable.start}`);
      const { what, start, mark } = markable;
      const diagnostics = of(finding);
      // What would change the finding alone: a mark does not raise a warning, nor lower a hint.
      const without: Said | undefined = ({ hint: 'cold', warning: 'hot' } as const)[String(finding.severity)];
      for (const word of (['hot', 'cold'] as const).filter((each) => each !== without))
        if (markEdit(reading, markable, word))
          add(
            { title: `Mark ${what} as ${word}`, kind, diagnostics },
            { uri, version, kind: 'mark', start, mark, word },
          );
    }
    for (const { finding, sentence } of notOffered) {
      if (offered.has(sentence)) continue;
      offered.add(sentence);
      const title = 'Why is there no fix here?';
      const shown = [uri, reading.lines.positionAt(finding.at.start), sentence, finding.rule];
      const command = client.ownCommands
        ? { title, command: clientCommands.showWhyNoFix, arguments: shown }
        : { title, command: serverCommands.whyNoFix, arguments: [sentence] };
      actions.push({ title, kind, diagnostics: of(finding), command });
    }
    for (const finding of here) {
      if (!isRule(finding) || offered.has(finding.rule)) continue;
      offered.add(finding.rule);
      const title = `Explain ${finding.rule}`;
      const command = client.ownCommands ? clientCommands.explainRule : serverCommands.explain;
      const explain = { title, command, arguments: [finding.rule] };
      actions.push({ title, kind, diagnostics: of(finding), command: explain });
    }
  }
  if (wants(params, fixAllKind)) {
    const isSafe = (fix: Fix, finding: ResolvedFinding): boolean =>
      isSafeOfRule(fix, finding) && isOffered(fix, finding);
    const safe = compatibleFixes(reading.result.findings, isSafe);
    // On save an edit that is not made is an error.
    const isMade = (fix: Fix, finding: ResolvedFinding): boolean =>
      isSafe(fix, finding) && (!context.only || 'fix' in tries.trials.of(reading.text, finding, fix));
    const isSome = reading.result.findings.some((finding) => finding.fixes.some((fix) => isMade(fix, finding)));
    // Menus of some editors list actions of all kinds: a single fix of a finding here has its entry.
    const isListed =
      wants(params, CodeActionKind.QuickFix) &&
      safe.length === 1 &&
      here.some(({ fixes }) => hasEdits(fixes, safe[0]!));
    if (isSome && !isListed)
      add({ title: 'Apply all safe Warplens fixes', kind: fixAllKind }, { uri, version, kind: 'fix-all' });
  }
  return actions;
}

/** The title, with the column of its finding where another fix of the menu has the same one. */
function whichTitle(
  said: string,
  { title, edits }: Fix,
  { at }: ResolvedFinding,
  here: readonly ResolvedFinding[],
  { lines }: Reading,
): string {
  const isOther = (fix: Fix): boolean =>
    fix.title === title && fix.edits !== edits && JSON.stringify(fix.edits) !== JSON.stringify(edits);
  if (!here.some(({ fixes }) => fixes.some(isOther))) return said;
  const column = `, column ${lines.positionAt(at.start).character + 1}`;
  return excerpt(said, longestTitle - column.length) + column;
}

/** The edits of a chosen action; undefined when its finding is gone; a sentence where no fix is worth making. */
function editOf(
  session: Session,
  reading: Reading,
  data: ActionData,
  tries: Tries,
  leaveOut?: (sentence: string) => void,
): WorkspaceEdit | string | undefined {
  const { findings } = reading.result;
  switch (data.kind) {
    case 'fix': {
      const same = findings.filter((finding) => finding.rule === data.rule && finding.message === data.message);
      // The document may have moved on between the menu and the choice: then only a finding that cannot be taken for
      // another will do.
      const isCurrent = reading.version === data.version;
      const alike = same.filter(
        ({ at, fixes }) => (!isCurrent || at.start === data.start) && fixes.some(({ title }) => title === data.title),
      );
      const finding = isCurrent || alike.length === 1 ? alike[0] : undefined;
      const fix = finding?.fixes.find((candidate) => candidate.title === data.title);
      if (!finding || !fix) return undefined;
      const { offers, why } = verdictOf(finding, reading.text, tries.trials);
      const offer = offers.find((one) => one.fix === fix);
      return offer ? toWorkspaceEdit(session, reading, offer.tried.edits) : why.find((one) => one.includes(fix.title));
    }
    case 'all-of-rule':
      return fixAllEdit(
        session,
        reading,
        tries,
        `${data.rule} ${data.unsafe}`,
        (fix, finding) => finding.rule === data.rule && (data.unsafe || fix.applicability === 'safe'),
        leaveOut,
      );
    case 'fix-all':
      return fixAllEdit(session, reading, tries, '', isSafeOfRule, leaveOut);
    case 'ignore': {
      if (reading.version !== data.version) return undefined;
      const insertion = commentAbove(reading, data.line, data.rule);
      return insertion && toInsertion(session, reading, insertion);
    }
    case 'mark': {
      const edit = reading.version === data.version ? markEdit(reading, data, data.word) : undefined;
      return edit && toWorkspaceEdit(session, reading, [edit]);
    }
  }
}

/** In rounds, since a fix may bring another finding to light; of a single one its small edits are kept. */
function fixAllEdit(
  session: Session,
  reading: Reading,
  { trials, several }: Tries,
  key: string,
  eligible: (fix: Fix, finding: ResolvedFinding) => boolean,
  leaveOut?: (sentence: string) => void,
): WorkspaceEdit | string | undefined {
  const known = several.get(key);
  if (known !== undefined) return known;
  const { uri, text } = reading;
  const { findings } = reading.result;
  if (!findings.some((finding) => finding.fixes.some((fix) => isHere(fix, uri) && eligible(fix, finding))))
    return undefined;
  const result = fixAll(text, uri, findings, (next) => trials.read(next)?.findings ?? [], eligible, trials);
  const edits = result.rounds === 1 ? result.edits : [replacement(uri, text, result.text)];
  const left = result.refused.map(({ finding, fix, reason, text: of }) => {
    const line = lineTable(of).positionAt(finding.at.start).line + 1;
    return `line ${line}: "${fix.title}": ${reason}`;
  });
  const named = left.length > 0 ? ` ${left.length} not applied: ${left.join('; ')}.` : '';
  const made =
    result.text === text ? `No fix here is predicted to gain.${named}` : toWorkspaceEdit(session, reading, edits);
  if (named && typeof made !== 'string') leaveOut?.(named.trim());
  if (made !== undefined) several.set(key, made);
  return made;
}

function isSafeOfRule({ applicability }: Fix, finding: ResolvedFinding): boolean {
  return isRule(finding) && applicability === 'safe';
}
function isHere(fix: Fix, uri: string): boolean {
  return fix.edits.every((edit) => edit.at.uri === uri);
}
/** Findings about suppression comments have no rule behind them. */
function isRule(finding: ResolvedFinding): boolean {
  return !finding.rule.startsWith('warplens/');
}
function hasEdits(fixes: readonly Fix[], { edits }: Fix): boolean {
  return fixes.some((fix) => JSON.stringify(fix.edits) === JSON.stringify(edits));
}

function isOf(diagnostic: Diagnostic, reading: Reading, finding: ResolvedFinding): boolean {
  if (diagnostic.source !== diagnosticSource || diagnostic.code !== finding.rule) return false;
  const { start, end } = diagnostic.range;
  const isAt = (a: Position, b: Position): boolean => a.line === b.line && a.character === b.character;
  return isAt(start, reading.lines.positionAt(finding.at.start)) && isAt(end, reading.lines.positionAt(finding.at.end));
}

export function isActionData(data: unknown): data is ActionData {
  const { uri, kind } = (data ?? {}) as Partial<ActionData>;
  return typeof uri === 'string' && typeof kind === 'string';
}
