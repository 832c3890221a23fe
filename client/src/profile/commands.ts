// The commands of profiles: open a report, switch metric and kernel, walk from hot line to hot line, clear.
import {
  commands,
  ProgressLocation,
  Selection,
  TextEditorRevealType,
  Uri,
  ViewColumn,
  window,
  workspace,
  type Disposable,
} from 'vscode';
import { changeMarks, nextChange } from '../../../profiler/src/overlay/changeMarks';
import { metricTitle } from '../../../profiler/src/overlay/marks';
import { showTimeline } from '../timeline/timelineEditor';
import { isTimelineFile, type Timelines } from '../timeline/timelines';
import { samePlace, type Overlay } from './overlay';
import { reportView } from './reportEditor';
import { shownChoices } from './shownChoices';
import { nameOf, remarkOn, type Profile, type ProfileStore } from './store';
import { errorText } from '../errorText';

export function registerProfileCommands(store: ProfileStore, overlay: Overlay, timelines: Timelines): Disposable[] {
  /** Reads a report with progress; says in one sentence why it cannot be read. Of a timeline there is no profile. */
  async function open(wanted?: unknown): Promise<Profile | undefined> {
    const uri = await choose(wanted);
    return uri && isTimelineFile(uri) ? void (await openTimelineFile(uri)) : uri && openReport(uri);
  }

  async function choose(wanted: unknown): Promise<Uri | undefined> {
    return wanted instanceof Uri
      ? wanted
      : (
          await window.showOpenDialog({
            title: 'Open Nsight Compute Report or Nsight Systems Timeline',
            filters: { 'Reports and timelines': ['ncu-rep', 'ncu-repz', 'nsight-cuprof-report', 'sqlite'] },
            canSelectMany: false,
          })
        )?.[0];
  }

  /** Answers whether it is shown. */
  async function openTimelineFile(uri: Uri): Promise<boolean> {
    try {
      await window.withProgress({ location: ProgressLocation.Notification, title: `Reading ${nameOf(uri.path)}` }, () =>
        timelines.open(uri),
      );
      return true;
    } catch (error) {
      void window.showErrorMessage(`Warplens: ${nameOf(uri.path)} cannot be shown. ${errorText(error)}`);
      return false;
    }
  }

  async function openReport(uri: Uri): Promise<Profile | undefined> {
    let profile: Profile | undefined;
    try {
      profile = await window.withProgress(
        { location: ProgressLocation.Notification, title: `Reading ${nameOf(uri.path)}`, cancellable: true },
        (progress, token) => {
          let said = 0;
          return store.load(uri, (done, all) => {
            const now = all === 0 ? 100 : (100 * done) / all;
            if (now - said >= 1) progress.report({ increment: now - said, message: `kernel ${done} of ${all}` });
            if (now - said >= 1) said = now;
            return !token.isCancellationRequested;
          });
        },
      );
    } catch (error) {
      void window.showErrorMessage(`Warplens: ${nameOf(uri.path)} cannot be shown. ${errorText(error)}`);
      return undefined;
    }
    if (!profile) return undefined;
    store.show(profile);
    const shown = [...profile.places].filter(([, { uri: place }]) => place !== undefined);
    if (profile.kernels.length === 0)
      void window.showWarningMessage(
        `Warplens: ${profile.name} has no kernels. Check the kernel filter of ncu, and that the ` +
          'program launches kernels.',
      );
    else if (shown.length === 0) {
      const first = [...profile.places][0];
      void window.showWarningMessage(
        'Warplens: ' +
          `${first ? remarkOn(...first) : `${profile.name} has no per-line figures. Compile with -lineinfo and profile with --set full --import-source yes.`}`,
      );
    }
    return profile;
  }

  async function openAndShow(wanted?: unknown): Promise<void> {
    const uri = await choose(wanted);
    if (uri && isTimelineFile(uri)) {
      await showTimeline(uri);
      return;
    }
    const profile = uri && (await openReport(uri));
    if (profile)
      await commands.executeCommand('vscode.openWith', profile.uri, reportView, {
        viewColumn: ViewColumn.Active,
        preview: false,
      });
  }

  async function goTo(file: unknown, line: unknown): Promise<void> {
    const profile = store.active;
    if (!profile || typeof file !== 'string' || typeof line !== 'number') return;
    const place = profile.places.get(file);
    if (!place?.uri) {
      void window.showInformationMessage(
        `Warplens: ${place ? remarkOn(file, place) : `${nameOf(file)} is not a source file of ${profile.name}.`}`,
      );
      return;
    }
    const document = await workspace.openTextDocument(place.uri);
    const editor = await window.showTextDocument(document, { preview: true });
    const at = overlay.placed(document, file, line);
    const target = Math.min(document.lineCount, at?.at ?? line) - 1;
    const start = document.lineAt(target).firstNonWhitespaceCharacterIndex;
    editor.selection = new Selection(target, start, target, start);
    editor.revealRange(editor.selection, TextEditorRevealType.InCenterIfOutsideViewport);
    if (!at)
      void window.setStatusBarMessage(
        `Warplens: line ${line} of ${nameOf(file)} has changed since it was profiled`,
        5_000,
      );
  }

  /** To the next line in order of cost, from the one that the cursor is on, else to the hottest. */
  async function walk(step: 1 | -1): Promise<void> {
    const profile = store.active;
    if (!profile) {
      void window
        .showInformationMessage('Warplens: open a report first.', 'Open Report…')
        .then((choice) => choice && openAndShow());
      return;
    }
    const seen = new Set<string>();
    const stops = store.marks().filter(({ line }) => {
      const key = `${line.line}\n${line.file}`;
      return profile.places.get(line.file)?.uri !== undefined && !seen.has(key) && seen.add(key);
    });
    if (stops.length === 0) {
      void window.showInformationMessage(`Warplens: ${profile.name} has no lines for ${metricTitle(store.metric)}.`);
      return;
    }
    const editor = window.activeTextEditor;
    const here = editor ? overlay.profiledAt(editor.document, editor.selection.active.line + 1) : [];
    const index = stops.findIndex(({ line }) => here.some((at) => at.file === line.file && at.line === line.line));
    const next = index < 0 ? (step > 0 ? 0 : stops.length - 1) : (index + step + stops.length) % stops.length;
    const { line } = stops[next]!;
    await goTo(line.file, line.line);
  }

  /** To the next or previous line that the comparison calls changed, in the order of the report page. */
  async function walkChanges(step: 1 | -1): Promise<void> {
    const { active: profile, comparison } = store;
    if (!profile || !comparison) {
      void window
        .showInformationMessage('Warplens: compare two reports first.', 'Compare Report with…')
        .then((choice) => choice && commands.executeCommand('warplens.profile.compare'));
      return;
    }
    const marks = changeMarks(comparison.changes, store.kernel).filter(
      ({ line }) => profile.places.get(line.file)?.uri !== undefined,
    );
    const files = [...new Set(marks.map(({ line }) => line.file))];
    const editor = window.activeTextEditor;
    const cursor = editor ? editor.selection.active.line + 1 : 0;
    const file = editor && files.find((each) => samePlace(profile.places.get(each)!.uri!, editor.document.uri));
    // Marks refer to the profiled text, the cursor to the current text.
    const here =
      editor && file !== undefined ? { file, line: overlay.profiledLineAt(editor.document, file, cursor) } : undefined;
    const next = nextChange(marks, files, here, step);
    if (!next) {
      void window.showInformationMessage(
        `Warplens: no line differs from ${comparison.name} by more than run-to-run variation.`,
      );
      return;
    }
    await goTo(next.line.file, next.line.line);
  }

  const { chooseMetric, chooseKernel } = shownChoices(store, () => walk(1));

  return [
    commands.registerCommand('warplens.profile.open', openAndShow),
    commands.registerCommand('warplens.profile.layOver', open),
    commands.registerCommand('warplens.profile.showReport', () =>
      store.active ? openAndShow(store.active.uri) : timelines.active && showTimeline(timelines.active.uri),
    ),
    commands.registerCommand('warplens.profile.clear', () => {
      store.clear();
      timelines.clear();
    }),
    commands.registerCommand('warplens.profile.goTo', goTo),
    commands.registerCommand('warplens.profile.nextHottest', () => walk(1)),
    commands.registerCommand('warplens.profile.previousHottest', () => walk(-1)),
    commands.registerCommand('warplens.profile.nextChange', () => walkChanges(1)),
    commands.registerCommand('warplens.profile.previousChange', () => walkChanges(-1)),
    commands.registerCommand('warplens.profile.chooseMetric', chooseMetric),
    commands.registerCommand('warplens.profile.chooseKernel', chooseKernel),
  ];
}
