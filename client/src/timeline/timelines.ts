// Holds the timeline that is shown: lays its calls on the lines of open documents, and words it as a page.
import {
  commands,
  DecorationRangeBehavior,
  EventEmitter,
  ThemeColor,
  Uri,
  window,
  workspace,
  type Disposable,
  type Event,
  type TextDocument,
} from 'vscode';
import { hostCallsRequest, type HostCallsAnswer } from '../../../protocol/src/hostCalls';
import type { FindingEvidence } from '../../../protocol/src/evidence';
import type { FoundFinding } from '../../../protocol/src/requests';
import { openTimeline } from '../../../profiler/src/timeline/openTimeline';
import { placeCalls, type PlacedCall } from '../../../profiler/src/timeline/placeCalls';
import type { Timeline } from '../../../profiler/src/timeline/timeline';
import { joinTimeline } from '../../../profiler/src/timeline/timelineEvidence';
import { lineWords, timelineMarkdown } from '../../../profiler/src/timeline/words';
import { isReadable } from '../languages';
import { addressOf } from '../paths';
import { showMarkdownPage } from '../markdownPage';
import { nameOf, openReportSource } from '../profile/store';
import type { Server } from '../server';

export const timelineScheme = 'warplens-timeline';
/** Part of the run that the GPU idles in a line from which the line stands out. */
const hotShare = 0.05;

export interface ShownTimeline {
  readonly uri: Uri;
  readonly name: string;
  readonly timeline: Timeline;
}

export interface Timelines extends Disposable {
  readonly active: ShownTimeline | undefined;
  /** Heard when another timeline is shown, or none. */
  readonly onDidChange: Event<void>;
  /** Fired when the visible editors were redrawn. */
  readonly onDidDraw: Event<void>;
  /** Reads and shows a timeline. Throws with a sentence for the user. */
  open(uri: Uri): Promise<void>;
  showPage(): Promise<void>;
  clear(): void;
  /** What is drawn at the ends of a document's lines (from 1). */
  drawn(document: TextDocument): readonly { readonly line: number; readonly text: string }[];
  /** The verdicts on findings of a document, in their order; undefined where no timeline is shown. */
  join(document: TextDocument, findings: readonly FoundFinding[]): Promise<(FindingEvidence | undefined)[] | undefined>;
}

export function isTimelineFile(uri: Uri): boolean {
  return /\.sqlite3?$/i.test(uri.path);
}

export function createTimelines(server: Pick<Server, 'request' | 'onDidChangeState'>): Timelines {
  const changed = new EventEmitter<void>();
  const drew = new EventEmitter<void>();
  const words = window.createTextEditorDecorationType({
    rangeBehavior: DecorationRangeBehavior.ClosedOpen,
    after: { color: new ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 3ch' },
  });
  const lines = new Map<string, readonly { readonly line: number; readonly text: string }[]>();
  let active: ShownTimeline | undefined;
  let pause: NodeJS.Timeout | undefined;

  async function placed(document: TextDocument): Promise<readonly PlacedCall[]> {
    if (!active || !isReadable(document)) return [];
    const answer = await server
      .request<HostCallsAnswer | null>(hostCallsRequest, { uri: addressOf(document.uri) })
      .catch(() => null);
    return answer && active ? placeCalls(active.timeline, answer.calls) : [];
  }

  async function draw(): Promise<void> {
    const shown = active;
    for (const editor of window.visibleTextEditors) {
      const { document } = editor;
      const calls = await placed(document);
      if (shown !== active) return;
      const byLine = new Map<number, PlacedCall[]>();
      for (const call of calls) byLine.set(call.line, [...(byLine.get(call.line) ?? []), call]);
      const texts = [...byLine].flatMap(([line, of]) => {
        const text = shown && line <= document.lineCount ? lineWords(of, shown.timeline) : undefined;
        const idle = of.reduce((sum, { sums, shared }) => sum + sums.idleNs / shared, 0);
        return text === undefined ? [] : [{ line, text, isHot: idle >= hotShare * shown!.timeline.spanNs }];
      });
      lines.set(document.uri.toString(), texts);
      editor.setDecorations(
        words,
        texts.map(({ line, text, isHot }) => {
          const { end } = document.lineAt(line - 1).range;
          return {
            range: document.validateRange(document.lineAt(line - 1).range.with(end)),
            renderOptions: {
              after: { contentText: text, ...(isHot ? { color: new ThemeColor('editorWarning.foreground') } : {}) },
            },
          };
        }),
      );
    }
    drew.fire();
  }
  const drawSoon = (): void => {
    clearTimeout(pause);
    pause = setTimeout(() => void draw(), 150);
  };
  const show = (next: ShownTimeline | undefined): void => {
    active = next;
    void commands.executeCommand('setContext', 'warplens.timelineShown', next !== undefined);
    lines.clear();
    changed.fire();
    pages.fire(pageUri());
    void draw();
  };

  const pages = new EventEmitter<Uri>();
  const pageUri = (): Uri => Uri.from({ scheme: timelineScheme, path: `/${active?.name ?? 'timeline'}.md` });
  const heard = [
    window.onDidChangeVisibleTextEditors(drawSoon),
    workspace.onDidChangeTextDocument(({ document }) => {
      if (active && isReadable(document)) drawSoon();
    }),
    server.onDidChangeState((state) => {
      if (state === 'running' && active) drawSoon();
    }),
    workspace.registerTextDocumentContentProvider(timelineScheme, {
      onDidChange: pages.event,
      provideTextDocumentContent: () =>
        active ? timelineMarkdown(active.name, active.timeline) : 'The timeline is closed. Open it again.\n',
    }),
  ];

  return {
    get active() {
      return active;
    },
    onDidChange: changed.event,
    onDidDraw: drew.event,
    async open(uri) {
      const source = await openReportSource(uri);
      try {
        show({ uri, name: nameOf(uri.path), timeline: await openTimeline(source) });
      } finally {
        await source.close?.();
      }
    },
    async showPage() {
      await showMarkdownPage(pageUri());
    },
    clear() {
      if (active) show(undefined);
    },
    drawn: (document) => lines.get(document.uri.toString()) ?? [],
    async join(document, findings) {
      const shown = active;
      if (!shown || findings.length === 0) return undefined;
      const calls = await placed(document);
      return shown === active ? joinTimeline(findings, calls, shown.timeline, shown.name) : undefined;
    },
    dispose() {
      clearTimeout(pause);
      for (const each of heard) each.dispose();
      words.dispose();
      changed.dispose();
      drew.dispose();
      pages.dispose();
    },
  };
}
