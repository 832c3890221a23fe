// Holds the timeline that is shown: lays its calls on the lines of open documents, and words it as a page.
import {
  commands,
  DecorationRangeBehavior,
  EventEmitter,
  ThemeColor,
  type Uri,
  window,
  workspace,
  type Disposable,
  type Event,
  type TextDocument,
} from 'vscode';
import { hostCallsRequest, type HostCallPlace, type HostCallsAnswer } from '../../../protocol/src/hostCalls';
import type { FindingEvidence } from '../../../protocol/src/evidence';
import { kernelsRequest, type FoundFinding, type KernelsAnswer } from '../../../protocol/src/requests';
import { openTimeline } from '../../../profiler/src/timeline/openTimeline';
import { placeCalls, type PlacedCall } from '../../../profiler/src/timeline/placeCalls';
import { placeMeasured } from '../../../profiler/src/overlay/placement';
import type { Timeline, TimelineCall } from '../../../profiler/src/timeline/timeline';
import { joinTimeline } from '../../../profiler/src/timeline/timelineEvidence';
import { kernelWords, lineWords } from '../../../profiler/src/timeline/words';
import { isReadable } from '../languages';
import { addressOf } from '../paths';
import { nameOf, openReportSource } from '../profile/store';
import type { Server } from '../server';

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
  open(uri: Uri): Promise<ShownTimeline>;
  /** The line (from 1) of a document that makes a call. */
  lineOf(document: TextDocument, call: TimelineCall): Promise<number | undefined>;
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

  /** Documents as they were when the timeline was first laid on them: edits change no figure. */
  let laid = new Map<string, { readonly text: string; readonly calls: readonly HostCallPlace[] }>();

  async function placed(document: TextDocument): Promise<readonly PlacedCall[]> {
    const shown = active;
    if (!shown || !isReadable(document)) return [];
    const key = document.uri.toString();
    let base = laid.get(key);
    if (!base) {
      const [text, { version }] = [document.getText(), document];
      const answer = await server
        .request<HostCallsAnswer | null>(hostCallsRequest, { uri: addressOf(document.uri) })
        .catch(() => null);
      if (!answer || shown !== active) return [];
      base = { text, calls: answer.calls };
      if (answer.version === version) laid.set(key, base);
    }
    const calls = placeCalls(shown.timeline, base.calls);
    const lines = new Map(
      placeMeasured(base.text, document.getText(), [...new Set(calls.map(({ line }) => line))]).map((line) => [
        line.profiled,
        line,
      ]),
    );
    return calls.flatMap((call) => {
      const now = lines.get(call.line);
      return now ? [movedCall(call, now.at, now.stale)] : [];
    });
  }

  /** Words behind the definition of each kernel that ran. */
  async function kernelTimes(document: TextDocument, timeline: Timeline): Promise<{ line: number; text: string }[]> {
    if (!isReadable(document)) return [];
    const answer = await server
      .request<KernelsAnswer | null>(kernelsRequest, { uri: addressOf(document.uri) })
      .catch(() => null);
    if (answer?.version !== document.version) return [];
    return answer.kernels.flatMap(({ name, range }) => {
      const text = kernelWords(name, timeline);
      return text === undefined ? [] : [{ line: range.end.line + 1, text }];
    });
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
        return text === undefined ? [] : [{ line, text, level: levelOf(of, idle / shown!.timeline.spanNs) }];
      });
      for (const { line, text } of shown ? await kernelTimes(document, shown.timeline) : [])
        if (!byLine.has(line)) texts.push({ line, text, level: undefined });
      if (shown !== active) return;
      lines.set(document.uri.toString(), texts);
      editor.setDecorations(
        words,
        texts.map(({ line, text, level }) => {
          const { end } = document.lineAt(line - 1).range;
          return {
            range: document.validateRange(document.lineAt(line - 1).range.with(end)),
            renderOptions: {
              after: { contentText: text, ...(level ? { color: new ThemeColor(level) } : {}) },
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
    laid = new Map();
    changed.fire();
    void draw();
  };

  const heard = [
    window.onDidChangeVisibleTextEditors(drawSoon),
    workspace.onDidChangeTextDocument(({ document }) => {
      if (active && isReadable(document)) drawSoon();
    }),
    server.onDidChangeState((state) => {
      if (state === 'running' && active) drawSoon();
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
        const next = { uri, name: nameOf(uri.path), timeline: await openTimeline(source) };
        show(next);
        return next;
      } finally {
        await source.close?.();
      }
    },
    async lineOf(document, call) {
      return (await placed(document)).find(({ sites }) => sites.includes(call))?.line;
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
      for (const each of [...heard, words, changed, drew]) each.dispose();
    },
  };
}

function movedCall(call: PlacedCall, line: number, stale: boolean): PlacedCall {
  const by = line - call.line;
  const { start, end } = call.place.range;
  const range = {
    start: { ...start, line: start.line + by },
    end: { ...end, line: end.line + by },
  };
  return { ...call, line, place: { ...call.place, range }, ...(stale ? { stale } : {}) };
}

/** The color of a line's words; none where it is the usual one. */
function levelOf(calls: readonly PlacedCall[], idleShare: number): string | undefined {
  if (calls.some(({ stale }) => stale)) return 'warplens.stale';
  return idleShare >= hotShare ? 'editorWarning.foreground' : undefined;
}
