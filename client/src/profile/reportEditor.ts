// The editor of *.ncu-rep files: a page of the report, which also lays it over its sources.
import {
  commands,
  EventEmitter,
  Uri,
  window,
  type CustomDocument,
  type CustomReadonlyEditorProvider,
  Disposable,
  type Event,
  type WebviewPanel,
} from 'vscode';
import { pageModel, type PageModel } from '../../../profiler/src/overlay/reportPage';
import { askingUser, type Asking } from '../profiling/asking';
import { chooseBaseline, type Baseline, type KnownReport } from './chooseBaseline';
import { freshNonce } from '../webPage';
import { comparisonRemarks } from '../../../profiler/src/report/dialects';
import { baselineOfPage, sourceLines } from './comparison';
import { pageHtml } from './reportPageHtml';
import type { Overlay } from './overlay';
import { nameOf, readProfile, remarkOn, type Profile, type ProfileStore } from './store';
import { errorText } from '../errorText';

export const reportView = 'warplens.report';

interface DrawnPage {
  readonly kernels: unknown;
  readonly lines: unknown;
  readonly charts: unknown;
  /** The titles of its sections, from above. */
  readonly sections: unknown;
  readonly model: PageModel;
}

export interface ReportEditors extends Disposable {
  /** Whom the questions are put to; tests answer themselves. */
  asking: Asking;
  /** What each page that has drawn itself shows, in order. */
  readonly drawn: readonly DrawnPage[];
  /** Compares a report with another one; with none when it is undefined. Open pages are redrawn. */
  compare(report: Uri, baseline: Baseline | undefined): void;
  /** Asks for the baseline of a report that was given none by `compare`, as the steps of a history have one. */
  useBaselines(find: (report: Uri) => Promise<Baseline | undefined>): void;
  /** Asks for the reports that a history knows, for the list of what one can be compared with. */
  useSteps(list: (of: Uri) => Promise<readonly KnownReport[]>): void;
}

export function registerReportEditor(store: ProfileStore, ages: Pick<Overlay, 'ageOf' | 'onDidDraw'>): ReportEditors {
  const drawn: DrawnPage[] = [];
  const chosen = new Map<string, Baseline | undefined>();
  const changed = new EventEmitter<string>();
  const onDidChange: Event<string> = changed.event;
  let find: (report: Uri) => Promise<Baseline | undefined> = async () => undefined;
  let steps: (of: Uri) => Promise<readonly KnownReport[]> = async () => [];

  async function baselineOf(
    report: Uri,
  ): Promise<{ readonly baseline?: { readonly name: string; readonly profile: Profile }; readonly remark?: string }> {
    const key = report.toString();
    const wanted = chosen.has(key) ? chosen.get(key) : await find(report).catch(() => undefined);
    if (!wanted || wanted.uri.toString() === key) return {};
    try {
      const profile = await readProfile(wanted.uri, () => true);
      return profile ? { baseline: { name: wanted.name, profile } } : {};
    } catch (error) {
      return { remark: `The baseline ${wanted.name} cannot be read: ${errorText(error)}` };
    }
  }

  const agesNow = (): string => JSON.stringify(store.marks().map(({ kernel, line }) => ages.ageOf(kernel, line)));

  const provider: CustomReadonlyEditorProvider = {
    openCustomDocument: (uri) => ({ uri, dispose() {} }),
    resolveCustomEditor(document: CustomDocument, panel: WebviewPanel) {
      panel.webview.options = { enableScripts: true, localResourceRoots: [] };
      let model: PageModel | undefined;
      let aged: string | undefined;
      const send = async (): Promise<void> => {
        try {
          const profile = await store.load(document.uri);
          if (!profile) return;
          if (store.active !== profile) store.show(profile);
          const { baseline, remark } = await baselineOf(document.uri);
          // The lines show what the page compares with, where somebody chose it.
          if (chosen.has(document.uri.toString())) store.compareWith(baseline);
          model = modelOf(profile, baseline, remark, ages.ageOf);
          aged = agesNow();
          await panel.webview.postMessage({ type: 'model', model });
        } catch (error) {
          await panel.webview.postMessage({ type: 'failed', text: errorText(error) });
        }
      };
      const heard = onDidChange((report) => {
        if (report === document.uri.toString() && model) void send();
      });
      const drawnAgain = ages.onDidDraw(() => {
        if (model && store.active?.uri.toString() === document.uri.toString() && agesNow() !== aged) void send();
      });
      panel.onDidDispose(() => Disposable.from(heard, drawnAgain).dispose());
      panel.webview.onDidReceiveMessage(async (message: unknown) => {
        const { type, file, line, kernels, lines, charts, sections } = (message ?? {}) as Readonly<
          Record<string, unknown>
        >;
        if (type === 'ready') await send();
        else if (type === 'drawn' && model) drawn.push({ kernels, lines, charts, sections, model });
        else if (type === 'goTo') {
          const profile = await store.load(document.uri);
          if (profile && store.active !== profile) store.show(profile);
          await commands.executeCommand('warplens.profile.goTo', file, line);
        }
      });
      panel.webview.html = pageHtml(freshNonce());
    },
  };

  function compare(report: Uri, baseline: Baseline | undefined): void {
    chosen.set(report.toString(), baseline);
    changed.fire(report.toString());
  }

  /** Over the lines, too, before the page draws itself: a page in the background may not. */
  async function layDifference(report: Uri): Promise<void> {
    const profile = await store.load(report).catch(() => undefined);
    if (!profile) return;
    if (store.active !== profile) store.show(profile);
    store.compareWith((await baselineOf(report)).baseline);
  }

  /** Takes two addresses, or asks for the second. */
  async function choose(report?: unknown, baseline?: unknown): Promise<void> {
    const of = report instanceof Uri ? report : store.active?.uri;
    if (!of) {
      void window.showInformationMessage('Warplens: open a report to compare first.');
      return;
    }
    const with_ =
      baseline instanceof Uri
        ? { uri: baseline, name: nameOf(baseline.path) }
        : await chooseBaseline(editors.asking, of, await steps(of), chosen.get(of.toString()) !== undefined);
    if (!with_) return;
    compare(of, with_ === 'none' ? undefined : with_);
    await layDifference(of);
    await commands.executeCommand('vscode.openWith', of, reportView);
  }

  const registered = [
    window.registerCustomEditorProvider(reportView, provider, { supportsMultipleEditorsPerDocument: true }),
    commands.registerCommand('warplens.profile.compare', choose),
    changed,
  ];
  const editors: ReportEditors = {
    asking: askingUser,
    drawn,
    compare,
    useBaselines(from) {
      find = from;
    },
    useSteps(from) {
      steps = from;
    },
    dispose: () => Disposable.from(...registered).dispose(),
  };
  return editors;
}

function modelOf(
  profile: Profile,
  before: { readonly name: string; readonly profile: Profile } | undefined,
  remark: string | undefined,
  ageOf: Overlay['ageOf'],
): PageModel {
  const remarks = [
    ...(remark ? [remark] : []),
    ...(before ? comparisonRemarks(before.profile, profile) : []),
    ...(profile.remarks ?? []),
    ...[...profile.places].flatMap(([path, place]) => remarkOn(path, place) ?? []),
  ];
  return pageModel(
    profile,
    remarks.slice(0, 6),
    sourceLines(profile),
    before && baselineOfPage(before.name, before.profile, profile),
    ageOf,
  );
}
