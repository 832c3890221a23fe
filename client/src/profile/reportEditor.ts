// The editor of *.ncu-rep files: a page of the report, which also lays it over its sources.
import { randomBytes } from 'node:crypto';
import { commands, window, type CustomDocument, type CustomReadonlyEditorProvider, type Disposable, type WebviewPanel } from 'vscode';
import { pageHtml, pageModel } from './reportPage';
import { remarkOn, type Profile, type ProfileStore } from './store';

export const reportView = 'warplens.report';

export interface ReportEditors extends Disposable {
  /** What each page that has drawn itself shows, in order. */
  readonly drawn: readonly { readonly kernels: unknown; readonly lines: unknown }[];
}

export function registerReportEditor(store: ProfileStore): ReportEditors {
  const drawn: { readonly kernels: unknown; readonly lines: unknown }[] = [];
  const provider: CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose() {} }),
    resolveCustomEditor(document: CustomDocument, panel: WebviewPanel) {
      panel.webview.options = { enableScripts: true, localResourceRoots: [] };
      panel.webview.onDidReceiveMessage(async (message: unknown) => {
        const { type, file, line, kernels, lines } = (message ?? {}) as Readonly<Record<string, unknown>>;
        if (type === 'ready') {
          try {
            const profile = await store.load(document.uri);
            if (!profile) return;
            if (store.active !== profile) store.show(profile);
            await panel.webview.postMessage({ type: 'model', model: modelOf(profile) });
          } catch (error) {
            await panel.webview.postMessage({ type: 'failed', text: error instanceof Error ? error.message : String(error) });
          }
        } else if (type === 'drawn') {
          drawn.push({ kernels, lines });
        } else if (type === 'goTo') {
          const profile = await store.load(document.uri);
          if (profile && store.active !== profile) store.show(profile);
          await commands.executeCommand('warplens.profile.goTo', file, line);
        }
      });
      panel.webview.html = pageHtml(randomBytes(16).toString('hex'));
    },
  };
  const registered = window.registerCustomEditorProvider(reportView, provider, { supportsMultipleEditorsPerDocument: true });
  return { drawn, dispose: () => registered.dispose() };
}

function modelOf(profile: Profile): ReturnType<typeof pageModel> {
  const texts = new Map([...profile.places].flatMap(([path, { profiled }]) => (profiled === undefined ? [] : [[path, profiled.split('\n')] as const])));
  const remarks = [...profile.places].flatMap(([path, place]) => remarkOn(path, place) ?? []);
  return pageModel(profile, remarks.slice(0, 6), (file, line) => texts.get(file)?.[line - 1] ?? '');
}
