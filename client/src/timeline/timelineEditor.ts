// The editor of *.sqlite files: a page with the time axis of an Nsight Systems export, which also lies over sources.
import {
  commands,
  Selection,
  TextEditorRevealType,
  ViewColumn,
  window,
  workspace,
  type CustomReadonlyEditorProvider,
  type Disposable,
  type TextDocument,
  type Uri,
} from 'vscode';
import { timelinePage, timelineSelection, timelineWindow } from '../../../profiler/src/timeline/page';
import type { TimelineCall } from '../../../profiler/src/timeline/timeline';
import { isReadable } from '../languages';
import { freshNonce } from '../webPage';
import { findWorkspaceFiles } from '../workspaceFiles';
import { timelineHtml } from './timelinePageHtml';
import type { ShownTimeline, Timelines } from './timelines';
import { errorText } from '../errorText';

export const timelineView = 'warplens.timeline';

/** What tests look at. */
export interface TimelineEditor extends Disposable {
  /** What each page has drawn, in order. */
  readonly drawn: readonly { readonly boxes: unknown; readonly from: unknown; readonly to: unknown }[];
  /** Opens the line of the call behind an event. */
  goTo(shown: ShownTimeline, row: number, index: number): Promise<void>;
}

export function showTimeline(uri: Uri): Thenable<unknown> {
  return commands.executeCommand('vscode.openWith', uri, timelineView, {
    viewColumn: ViewColumn.Active,
    preview: false,
  });
}

export function registerTimelineEditor(timelines: Timelines): TimelineEditor {
  const drawn: { boxes: unknown; from: unknown; to: unknown }[] = [];

  async function goTo(shown: ShownTimeline, row: number, index: number): Promise<void> {
    const call = shown.timeline.rows[row]?.events[index]?.call;
    if (!call) return;
    const place = await placeOf(timelines, call);
    if (!place) {
      const what = call.callers[0] === undefined ? call.name : `${call.name} in ${call.callers[0]}`;
      void window.showInformationMessage(
        `Warplens: ${what} was not found in the workspace. Open the folder with the sources of the program.`,
      );
      return;
    }
    const editor = await window.showTextDocument(place.document, { viewColumn: ViewColumn.One });
    const { range, firstNonWhitespaceCharacterIndex: first } = place.document.lineAt(place.line - 1);
    const at = range.start.translate(0, first);
    editor.selection = new Selection(at, at);
    editor.revealRange(range, TextEditorRevealType.InCenterIfOutsideViewport);
  }

  const provider: CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose() {} }),
    resolveCustomEditor({ uri }, panel) {
      panel.webview.options = { enableScripts: true, localResourceRoots: [] };
      let shown: ShownTimeline | undefined;
      panel.webview.onDidReceiveMessage(async (message: unknown) => {
        const { type, ...given } = (message ?? {}) as Readonly<Record<string, unknown>>;
        const number = (name: string): number => (Number.isFinite(given[name]) ? (given[name] as number) : 0);
        if (type === 'ready') {
          try {
            const { active } = timelines;
            shown = active?.uri.toString() === uri.toString() ? active : await timelines.open(uri);
            await panel.webview.postMessage({ type: 'model', model: timelinePage(shown.name, shown.timeline) });
          } catch (error) {
            await panel.webview.postMessage({ type: 'failed', text: errorText(error) });
          }
        } else if (!shown) return;
        else if (type === 'window')
          await panel.webview.postMessage({
            type,
            window: timelineWindow(
              shown.timeline,
              number('from'),
              number('to'),
              Math.min(8_000, Math.max(50, number('pixels'))),
            ),
          });
        else if (type === 'select') {
          const index = given['index'] === undefined ? undefined : number('index');
          const selection = timelineSelection(shown.timeline, number('row'), index, number('step'), number('moment'));
          if (selection) await panel.webview.postMessage({ type: 'selected', selection });
        } else if (type === 'goTo') {
          // Another timeline may lie over the sources by now.
          if (timelines.active !== shown) shown = await timelines.open(uri);
          await goTo(shown, number('row'), number('index'));
        } else if (type === 'drawn') drawn.push({ boxes: given['boxes'], from: given['from'], to: given['to'] });
      });
      panel.webview.html = timelineHtml(freshNonce());
    },
  };
  const registered = window.registerCustomEditorProvider(timelineView, provider, {
    supportsMultipleEditorsPerDocument: true,
  });
  return { drawn, goTo, dispose: () => registered.dispose() };
}

const mostSources = 500;

/** The open documents are asked first, then sources of the workspace that name the kernel or the function. */
async function placeOf(
  timelines: Timelines,
  call: TimelineCall,
): Promise<{ readonly document: TextDocument; readonly line: number } | undefined> {
  const within = async (document: TextDocument) => {
    const line = await timelines.lineOf(document, call);
    return line === undefined ? undefined : { document, line };
  };
  const asked = new Set<string>();
  for (const document of workspace.textDocuments.filter(isReadable)) {
    asked.add(document.uri.toString());
    const found = await within(document);
    if (found) return found;
  }
  const names = [call.kernel ?? call.name, ...(call.callers[0] === undefined ? [] : [call.callers[0]])].map(
    (name) =>
      name
        .replace(/[<(].*/s, '')
        .split('::')
        .pop()!,
  );
  const files = await findWorkspaceFiles('**/*.{cu,cuh,cpp,cc,cxx,c,h,hpp,f90,F90,cuf}', {
    skippedFolders: ['node_modules', '.git'],
    most: mostSources,
  });
  for (const uri of files) {
    if (asked.has(uri.toString())) continue;
    const text = new TextDecoder().decode(await workspace.fs.readFile(uri));
    if (!names.every((name) => text.includes(name))) continue;
    const document = await workspace.openTextDocument(uri);
    const found = await within(document);
    if (found) return found;
  }
  return undefined;
}
