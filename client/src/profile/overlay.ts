// Draws the marks of the shown profile: a cell in the gutter, words at the end of the line, the overview ruler.
import {
  DecorationRangeBehavior,
  EventEmitter,
  OverviewRulerLane,
  Range,
  ThemeColor,
  type Uri,
  window,
  workspace,
  type DecorationOptions,
  type Disposable,
  type Event,
  type TextDocument,
  type TextEditor,
  type TextEditorDecorationType,
} from 'vscode';
import {
  laidOut,
  paddedFigure,
  unfolded,
  visualLength,
  wordColumn,
  type CellTone,
} from '../../../profiler/src/overlay/drawing';
import type { Mark } from '../../../profiler/src/overlay/marks';
import type { ProfiledKernel, ProfiledLine } from '../../../profiler/src/overlay/kernels';
import { piecesOf, type AgeOf } from '../../../profiler/src/overlay/measurement';
import type { SourcePlace } from '../../../profiler/src/evidence/kernelIdentity';
import { moveLines, placeMeasured, type PlacedLine } from '../../../profiler/src/overlay/placement';
import { gutterCells } from './gutterCells';
import type { ProfileStore } from './store';

/** A line as it is drawn. */
export interface DrawnLine {
  /** From 1, in the text as it is now. */
  readonly line: number;
  readonly cell: string;
  readonly text: string;
  readonly level: Level;
}

export interface Overlay extends Disposable {
  /** Fired when the editors were redrawn. */
  readonly onDidDraw: Event<void>;
  /** What is drawn on an editor, by line. */
  drawn(editor: TextEditor): readonly DrawnLine[];
  /** Current line and staleness of a profiled line of a document; undefined where it is gone. */
  placed(document: TextDocument, file: string, line: number): PlacedLine | undefined;
  /** The line of the code as it is now, where its file is open, and whether code of its kernel changed since. */
  ageOf: AgeOf;
  /** Whether measured code of a kernel changed since the report: each of its figures is old then. */
  isOld(kernel: ProfiledKernel): boolean;
  /** Where the files of the report are in a document, which identifies its kernels. */
  placesOf(document: TextDocument): readonly SourcePlace[];
  /** The profiled line at or nearest before a current line; 0 before the first. */
  profiledLineAt(document: TextDocument, file: string, line: number): number;
  /** Profiled files and lines behind a current line. */
  profiledAt(
    document: TextDocument,
    line: number,
  ): readonly { readonly file: string; readonly line: number; readonly stale: boolean }[];
}

/** Removing a thousand style rules takes 250 ms: above this many texts only those near visible lines are drawn. */
const mostTexts = 200;
/** Lines above and below the visible ones that have their texts already. */
const leastMargin = 40;
/** Cells in the gutter make typing slower from some five thousand on. */
const mostLines = 2_000;

/** What is drawn on an editor, and which of its texts are. */
interface Drawing {
  readonly lines: readonly DrawnLine[];
  readonly cells: ReadonlySet<TextEditorDecorationType>;
  readonly texts: readonly {
    readonly line: number;
    readonly level: DrawnLine['level'];
    readonly option: DecorationOptions;
  }[];
  /** First and last line with texts; undefined where all have them. */
  window?: { readonly from: number; readonly to: number };
}

const levels = ['quiet', 'hot', 'flagged', 'better', 'worse', 'changed', 'stale'] as const;
type Level = (typeof levels)[number];

interface Placement {
  readonly file: string;
  readonly profiled: string;
  readonly lines: readonly number[];
  placed: PlacedLine[];
}

export function createOverlay(store: ProfileStore): Overlay {
  // Attached after the line's end: text before the end would be inside the box around a matching bracket.
  const words = (color: string): TextEditorDecorationType =>
    window.createTextEditorDecorationType({ after: { color: new ThemeColor(color) } });
  // Types live as long as the extension: disposing one leaves its rules behind.
  const texts = {
    quiet: words('warplens.figure'),
    hot: words('warplens.figureHot'),
    flagged: words('warplens.aboveIdeal'),
    better: words('warplens.gain'),
    worse: words('warplens.loss'),
    changed: words('warplens.figureHot'),
    stale: words('warplens.stale'),
  } as const;
  const ruler = window.createTextEditorDecorationType({
    overviewRulerColor: new ThemeColor('warplens.ruler'),
    overviewRulerLane: OverviewRulerLane.Center,
    rangeBehavior: DecorationRangeBehavior.ClosedClosed,
  });
  const cells = gutterCells();
  const drawn = new WeakMap<TextEditor, Drawing>();
  let placements = new Map<string, Placement[]>();
  const pauses = new Map<string, NodeJS.Timeout>();
  const wasDrawn = new EventEmitter<void>();

  function placementsOf(document: TextDocument): readonly Placement[] {
    const key = document.uri.toString();
    const known = placements.get(key);
    if (known) return known;
    const found: Placement[] = [];
    for (const [file, { uri, profiled }] of store.active?.places ?? []) {
      if (profiled === undefined || !uri || !samePlace(uri, document.uri)) continue;
      const lines = [
        ...new Set([
          ...store.active!.kernels.flatMap((kernel) =>
            kernel.lines.filter((line) => line.file === file).map(({ line }) => line),
          ),
          // A line that had code before and has none now.
          ...(store.comparison ? store.marks() : []).flatMap(({ line }) => (line.file === file ? [line.line] : [])),
        ]),
      ];
      found.push({ file, profiled, lines, placed: placeMeasured(profiled, document.getText(), lines) });
    }
    placements.set(key, found);
    old = undefined;
    return found;
  }

  /** A share is one of all samples of its kernel: with the first line that changed each figure of it is old. */
  let old: ReadonlySet<ProfiledKernel> | undefined;
  function isOld(kernel: ProfiledKernel): boolean {
    if (!old) {
      const open = [...placements.values()].flat();
      const files = new Set(open.map(({ file }) => file));
      const live = new Set(
        open.flatMap(({ file, placed }) => placed.flatMap((at) => (at.stale ? [] : [`${at.profiled} ${file}`]))),
      );
      const isGone = ({ file, line }: ProfiledLine): boolean => files.has(file) && !live.has(`${line} ${file}`);
      old = new Set(store.active?.kernels.filter(({ lines }) => lines.some(isGone)));
    }
    return old.has(kernel);
  }

  function draw(editor: TextEditor): void {
    const { document } = editor;
    const before = drawn.get(editor);
    const byLine = new Map<number, { mark: Mark; stale: boolean }>();
    for (const { file, placed } of placementsOf(document)) {
      const where = new Map(placed.map((line) => [line.profiled, line]));
      for (const mark of store.marks()) {
        if (byLine.size >= mostLines) break;
        const at = mark.line.file === file ? where.get(mark.line.line) : undefined;
        // Marks come heaviest first: of a line in several kernels, the costliest counts.
        if (at && at.at <= document.lineCount && !byLine.has(at.at))
          byLine.set(at.at, { mark, stale: isOld(mark.kernel) });
      }
    }
    if (byLine.size === 0 && !before) return;
    const tabSize = typeof editor.options.tabSize === 'number' ? editor.options.tabSize : 4;
    const lengths = new Map(
      [...byLine.keys()].map((line) => [line, visualLength(document.lineAt(line - 1).text, tabSize)]),
    );
    const column = wordColumn([...lengths.values()]);
    const options: Drawing['texts'][number][] = [];
    const marked: Range[] = [];
    const icons = new Map<TextEditorDecorationType, Range[]>();
    const lines: DrawnLine[] = [];
    for (const [line, { mark, stale }] of [...byLine].sort(([a], [b]) => a - b)) {
      const text = document.lineAt(line - 1);
      const level = stale ? 'stale' : mark.level;
      const pieces = piecesOf(stale ? mark : aligned(mark), stale);
      const { gap, text: shown } = laidOut(pieces, lengths.get(line)!, stale ? 0 : column);
      options.push({
        line,
        level,
        option: {
          range: new Range(text.range.end, text.range.end),
          renderOptions: {
            after: {
              contentText: unfolded(shown),
              margin: `0 0 0 ${gap}ch`,
            },
          },
        },
      });
      const code = new Range(line - 1, text.firstNonWhitespaceCharacterIndex, line - 1, text.text.length);
      if (mark.cell !== '') {
        const type = cells.of(mark.cell, mark.heat, stale ? 'stale' : toneOf(mark.level));
        const ranges = icons.get(type);
        if (ranges) ranges.push(code);
        else icons.set(type, [code]);
      }
      if (!stale && mark.heat >= 0.3) marked.push(code);
      lines.push({
        line,
        cell: mark.cell,
        text: piecesOf(mark, stale).join(stale ? ', ' : '  '),
        level,
      });
    }
    const drawing: Drawing = { lines, cells: new Set(icons.keys()), texts: options };
    drawTexts(editor, drawing);
    editor.setDecorations(ruler, marked);
    for (const type of before?.cells ?? []) if (!icons.has(type)) editor.setDecorations(type, []);
    for (const [type, ranges] of icons) editor.setDecorations(type, ranges);
    if (lines.length > 0) drawn.set(editor, drawing);
    else drawn.delete(editor);
  }

  /** All texts where they are few, else those of the visible lines and a screen around them. */
  function drawTexts(editor: TextEditor, drawing: Drawing): void {
    delete drawing.window;
    if (drawing.texts.length > mostTexts) {
      const { from, to } = visibleLines(editor);
      const margin = Math.max(leastMargin, to - from);
      drawing.window = { from: from - margin, to: to + margin };
    }
    const { from, to } = drawing.window ?? { from: 0, to: Infinity };
    const near = drawing.texts.filter(({ line }) => line >= from && line <= to).slice(0, mostTexts);
    for (const level of levels)
      editor.setDecorations(
        texts[level],
        near.filter((text) => text.level === level).map(({ option }) => option),
      );
  }

  function drawAll(): void {
    old = undefined;
    for (const editor of window.visibleTextEditors) draw(editor);
    wasDrawn.fire();
  }

  /** Line positions depend only on the report and its sources, not on the shown metric. */
  let placedFor: readonly unknown[] = [];
  function forgetPlacements(): void {
    const now = store.active ? [store.active, store.comparison, ...store.active.places.values()] : [];
    if (now.length === placedFor.length && now.every((one, at) => one === placedFor[at])) return;
    placedFor = now;
    placements = new Map();
  }

  const subscriptions = [
    store.onDidChange(() => {
      forgetPlacements();
      drawAll();
    }),
    window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
      const drawing = drawn.get(textEditor);
      if (!drawing?.window) return;
      const { from, to } = visibleLines(textEditor);
      if (from < drawing.window.from || to > drawing.window.to) drawTexts(textEditor, drawing);
    }),
    window.onDidChangeVisibleTextEditors(drawAll),
    window.onDidChangeActiveColorTheme(drawAll),
    workspace.onDidCloseTextDocument(({ uri }) => {
      placements.delete(uri.toString());
      old = undefined;
    }),
    workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      const key = document.uri.toString();
      const known = placements.get(key);
      if (!known || known.length === 0 || contentChanges.length === 0) return;
      for (const placement of known) {
        for (const { range, text } of contentChanges) {
          placement.placed = moveLines(placement.placed, {
            startLine: range.start.line,
            startCharacter: range.start.character,
            endLine: range.end.line,
            text,
          });
        }
      }
      clearTimeout(pauses.get(key));
      pauses.set(
        key,
        setTimeout(() => {
          pauses.delete(key);
          for (const placement of placements.get(key) ?? [])
            placement.placed = placeMeasured(placement.profiled, document.getText(), placement.lines, placement.placed);
          drawAll();
        }, 150),
      );
    }),
  ];
  drawAll();
  const placed: Overlay['placed'] = (document, file, line) =>
    placementsOf(document)
      .find((placement) => placement.file === file)
      ?.placed.find(({ profiled }) => profiled === line);

  return {
    onDidDraw: wasDrawn.event,
    drawn: (editor) => drawn.get(editor)?.lines ?? [],
    placed,
    ageOf(kernel, { file, line }) {
      const uri = store.active?.places.get(file)?.uri;
      const document = uri && workspace.textDocuments.find((open) => samePlace(open.uri, uri));
      const now = document && placed(document, file, line);
      return { line: now?.at ?? line, stale: isOld(kernel) };
    },
    isOld,
    placesOf: (document) => [
      ...placementsOf(document).map(({ file, placed }): SourcePlace => {
        const now = new Map(placed.map(({ profiled, at, stale }) => [profiled, { line: at, stale }]));
        return { file, lineNow: (line) => now.get(line) };
      }),
      // The text has changed, and what was profiled is not known.
      ...[...(store.active?.places ?? [])].flatMap(([file, { uri, profiled }]): SourcePlace[] =>
        uri && profiled === undefined && samePlace(uri, document.uri)
          ? [{ file, lineNow: () => undefined, unsure: true }]
          : [],
      ),
    ],
    profiledLineAt: (document, file, line) =>
      placementsOf(document)
        .find((placement) => placement.file === file)
        ?.placed.filter(({ at }) => at <= line)
        .reduce((last, { profiled }) => Math.max(last, profiled), 0) ?? 0,
    profiledAt: (document, line) =>
      placementsOf(document).flatMap(({ file, placed }) =>
        placed.filter(({ at }) => at === line).map(({ profiled, stale }) => ({ file, line: profiled, stale })),
      ),
    dispose() {
      for (const pause of pauses.values()) clearTimeout(pause);
      for (const subscription of subscriptions) subscription.dispose();
      wasDrawn.dispose();
      for (const type of [...Object.values(texts), ruler, ...cells.all()]) {
        for (const editor of window.visibleTextEditors) editor.setDecorations(type, []);
        type.dispose();
      }
    },
  };
}

/** Shares are aligned; differences have their own lengths. */
function aligned(mark: Mark): Mark {
  return toneOf(mark.level) === 'heat' ? { ...mark, figure: paddedFigure(mark.figure) } : mark;
}

function toneOf(level: Mark['level']): CellTone {
  return level === 'better' || level === 'worse' || level === 'changed' ? level : 'heat';
}

/** From 1. */
function visibleLines({ visibleRanges }: TextEditor): { from: number; to: number } {
  return {
    from: Math.min(...visibleRanges.map(({ start }) => start.line + 1), Infinity),
    to: Math.max(...visibleRanges.map(({ end }) => end.line + 1), 0),
  };
}

export function samePlace(a: Uri, b: Uri): boolean {
  return a.scheme === b.scheme && (a.scheme === 'file' ? a.fsPath === b.fsPath : a.toString() === b.toString());
}
