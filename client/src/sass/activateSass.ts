// The machine code of a kernel beside its source, whose instructions and lines mark each other.
import {
  commands,
  OverviewRulerLane,
  Range,
  TextEditorRevealType,
  ThemeColor,
  ViewColumn,
  window,
  workspace,
  type Disposable,
  type TextEditor,
  type WebviewPanel,
} from 'vscode';
import { shareOf } from '../../../profiler/src/overlay/marks';
import { counters, type ProfiledKernel } from '../../../profiler/src/overlay/kernels';
import { keyOfLine, sassSide, type SassPageModel, type SassSide } from '../../../profiler/src/overlay/sassPage';
import { readKernelSass } from '../../../profiler/src/sass/kernelSass';
import { openReport } from '../../../profiler/src/report';
import { lineNowOf } from '../profile/comparison';
import { samePlace, type Overlay } from '../profile/overlay';
import { keptOf, openReportSource, type Profile, type ProfileStore } from '../profile/store';
import { freshNonce } from '../webPage';
import { sassPageHtml } from './sassPageHtml';
import { errorText } from '../errorText';

export interface SassPages extends Disposable {
  /** The page that is open, and what it last said to have drawn; undefined while there is none. */
  readonly shown:
    | {
        readonly model: SassPageModel;
        readonly drawn: { readonly marked: unknown; readonly rows: unknown } | undefined;
      }
    | undefined;
  /** As if an instruction that belongs to these lines were chosen on the page. */
  choose(keys: readonly string[]): Promise<void>;
  /** Lines of an editor that are marked for the chosen instruction, from 1. */
  marked(editor: TextEditor): readonly number[];
}

export function registerSass(store: ProfileStore, overlay: Overlay): SassPages {
  const ofInstruction = window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new ThemeColor('warplens.belongsTogether'),
    borderColor: new ThemeColor('warplens.heat'),
    borderStyle: 'solid',
    borderWidth: '0 0 0 3px',
    overviewRulerColor: new ThemeColor('warplens.heat'),
    overviewRulerLane: OverviewRulerLane.Full,
  });
  let panel: WebviewPanel | undefined;
  let model: SassPageModel | undefined;
  let drawn: { readonly marked: unknown; readonly rows: unknown } | undefined;
  let wanted: string | undefined;
  let turn = 0;
  let marked: { readonly editor: TextEditor; readonly lines: readonly number[] } | undefined;

  /** The kernel whose code is shown: the chosen one, else the one that spends most on the line. */
  function kernelFor(profile: Profile, keys: readonly string[]): ProfiledKernel | undefined {
    const named = profile.kernels.find(({ name }) => name === (wanted ?? store.kernel));
    if (named) return named;
    const share = (kernel: ProfiledKernel): number =>
      kernel.lines
        .filter(({ file, line }) => keys.includes(keyOfLine(file, line)))
        .reduce((sum, line) => sum + 1e-9 + shareOf(kernel, line, counters.samples) * (kernel.durationNs || 1), 0);
    return [...profile.kernels].sort((a, b) => share(b) - share(a) || b.durationNs - a.durationNs)[0];
  }

  /** The lines under the cursor, as the page knows them. */
  function selectedKeys(editor: TextEditor | undefined): string[] {
    if (!editor) return [];
    const keys = new Set<string>();
    const { start, end } = editor.selection;
    for (let line = start.line; line <= Math.min(end.line, start.line + 200); line++)
      for (const at of overlay.profiledAt(editor.document, line + 1))
        if (!at.stale) keys.add(keyOfLine(at.file, at.line));
    return [...keys];
  }

  async function send(keys: readonly string[]): Promise<void> {
    const mine = ++turn;
    const profile = store.active;
    if (!panel || !profile) return;
    try {
      const kernel = kernelFor(profile, keys);
      if (!kernel) throw new Error(`${profile.name} has no kernels.`);
      const made = await modelOf(profile, kernel, store);
      if (mine !== turn || !panel) return;
      model = made;
      panel.title = `SASS of ${kernel.shortName}`;
      await panel.webview.postMessage({ type: 'model', model, keys });
    } catch (error) {
      if (mine === turn) await panel?.webview.postMessage({ type: 'failed', text: errorText(error) });
    }
  }

  async function show(): Promise<void> {
    if (!store.active) {
      const open = await window.showInformationMessage('Warplens: open a report first.', 'Open Report…');
      if (open) await commands.executeCommand('warplens.profile.open');
      return;
    }
    const keys = selectedKeys(window.activeTextEditor);
    wanted = undefined;
    if (panel) {
      panel.reveal(undefined, true);
      return send(keys);
    }
    panel = window.createWebviewPanel(
      'warplens.sass',
      'SASS',
      { viewColumn: ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [], retainContextWhenHidden: true },
    );
    panel.onDidDispose(() => {
      panel = undefined;
      model = undefined;
      drawn = undefined;
      unmark();
    });
    panel.webview.onDidReceiveMessage(async (message: unknown) => {
      const { type, keys: of, name, marked: rows, rows: count } = (message ?? {}) as Readonly<Record<string, unknown>>;
      if (type === 'ready') await send(keys);
      else if (type === 'drawn') drawn = { marked: rows, rows: count };
      else if (type === 'chosen' && Array.isArray(of)) await markLines(of.filter((key) => typeof key === 'string'));
      else if (type === 'kernel' && typeof name === 'string') {
        wanted = name;
        await send([]);
      }
    });
    panel.webview.html = sassPageHtml(freshNonce());
  }

  function unmark(): void {
    if (marked && window.visibleTextEditors.includes(marked.editor)) marked.editor.setDecorations(ofInstruction, []);
    marked = undefined;
  }

  /** Marks the lines of an instruction in their source, and shows the innermost, leaving the focus where it is. */
  async function markLines(keys: readonly string[]): Promise<void> {
    unmark();
    const profile = store.active;
    const lines = keys.flatMap((key) => {
      const [line, file] = [Number(key.slice(0, key.indexOf('\n'))), key.slice(key.indexOf('\n') + 1)];
      const uri = profile?.places.get(file)?.uri;
      return uri ? [{ file, line, uri }] : [];
    });
    const innermost = lines.at(-1);
    if (!innermost) return;
    const open = window.visibleTextEditors.find(({ document }) => samePlace(document.uri, innermost.uri));
    const editor =
      open ??
      (await window.showTextDocument(await workspace.openTextDocument(innermost.uri), {
        viewColumn: ViewColumn.One,
        preserveFocus: true,
        preview: true,
      }));
    const now = lines
      .filter(({ uri }) => samePlace(uri, innermost.uri))
      .flatMap(({ file, line }) => overlay.placed(editor.document, file, line)?.at ?? [])
      .filter((line) => line <= editor.document.lineCount);
    if (now.length === 0) return;
    const ranges = now.map((line) => new Range(line - 1, 0, line - 1, 0));
    editor.setDecorations(ofInstruction, ranges);
    editor.revealRange(ranges.at(-1)!, TextEditorRevealType.InCenterIfOutsideViewport);
    marked = { editor, lines: now };
  }

  const subscriptions = [
    commands.registerCommand('warplens.profile.showSass', show),
    window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
      // A selection without a kind is a program's: a walk from line to line is one, too.
      if (!panel || textEditor.document.uri.scheme === 'output') return;
      if (kind !== undefined) unmark();
      const keys = selectedKeys(textEditor);
      if (keys.length > 0) void panel.webview.postMessage({ type: 'select', keys });
    }),
    store.onDidChange(() => {
      wanted = undefined;
      if (panel && store.active) void send(selectedKeys(window.activeTextEditor));
    }),
    ofInstruction,
  ];
  return {
    get shown() {
      return panel && model ? { model, drawn } : undefined;
    },
    choose: markLines,
    marked: (editor) => (marked?.editor === editor ? marked.lines : []),
    dispose() {
      panel?.dispose();
      for (const one of subscriptions) one.dispose();
    },
  };
}

/** Both sides where two reports are compared, the earlier first. */
async function modelOf(profile: Profile, kernel: ProfiledKernel, store: ProfileStore): Promise<SassPageModel> {
  const sides: SassSide[] = [];
  const change = store.comparison?.changes.kernels.find(({ after }) => after === kernel);
  if (store.comparison && change) {
    const { earlier, name } = store.comparison;
    sides.push(await sideOf(name, earlier, change.before, lineNowOf(earlier, profile)));
  }
  sides.push(await sideOf(profile.name, profile, kernel, (file, line) => ({ file, line })));
  return {
    title: kernel.shortName,
    kernels: profile.kernels
      .filter(({ longest }) => longest.kind === 'kernel')
      .map(({ name, shortName }) => ({ name, shortName })),
    chosen: kernel.name,
    sides,
  };
}

async function sideOf(
  name: string,
  profile: Profile,
  kernel: ProfiledKernel,
  now: Parameters<typeof sassSide>[3],
): Promise<SassSide> {
  const source = await openReportSource(profile.uri);
  try {
    const sass = await readKernelSass(
      await openReport(source),
      (launch) => launch.name === kernel.name && launch.mangledName === (kernel.mangledName ?? ''),
      await keptOf(profile.uri),
    );
    if (!sass) throw new Error(`${profile.name} does not contain the machine code of ${kernel.shortName}.`);
    return sassSide(name, kernel, sass, now);
  } finally {
    await source.close?.();
  }
}
