// The hover of a measured line (share, reasons, what helps, verdicts), and the page of all its figures.
import {
  commands,
  EventEmitter,
  Hover,
  languages,
  MarkdownString,
  Range,
  Uri,
  workspace,
  type Disposable,
  type Position,
  type TextDocument,
} from 'vscode';
import type { JoinedFinding } from '../../../profiler/src/evidence/costOrder';
import { hoverText } from '../../../profiler/src/overlay/hoverText';
import { lineFigures, type MeasuredLine } from '../../../profiler/src/overlay/lineFigures';
import { differenceText, type ChangeMark } from '../../../profiler/src/overlay/changeMarks';
import { showMarkdownPage } from '../markdownPage';
import { fileSchemes } from '../paths';
import type { Overlay } from './overlay';
import { embeddedScheme, nameOf, type ProfileStore } from './store';

export interface LineHover extends Disposable {
  /** Who tells the findings of a line (from 1) with their evidence. */
  tellEvidence(of: (document: TextDocument, line: number) => readonly JoinedFinding[]): void;
}

const figuresCommand = 'warplens.profile.lineFigures';
const figuresPage = Uri.from({ scheme: 'warplens-figures', path: '/Figures.md' });

export function registerLineHover(store: ProfileStore, overlay: Overlay): LineHover {
  let evidenceOf: (document: TextDocument, line: number) => readonly JoinedFinding[] = () => [];
  const measuredAt = (document: TextDocument, line: number): MeasuredLine[] => {
    const at = overlay.profiledAt(document, line);
    return (store.active?.kernels ?? [])
      .filter(({ name }) => store.kernel === undefined || name === store.kernel)
      .flatMap((kernel) =>
        kernel.lines
          .filter((each) => at.some((place) => place.file === each.file && place.line === each.line))
          .map((each) => ({ kernel, line: each })),
      );
  };
  let page = '';
  const changed = new EventEmitter<Uri>();
  const registered = [
    changed,
    workspace.registerTextDocumentContentProvider(figuresPage.scheme, {
      onDidChange: changed.event,
      provideTextDocumentContent: () => page,
    }),
    commands.registerCommand(figuresCommand, async (uri: string, line: number) => {
      const document = await workspace.openTextDocument(Uri.parse(uri));
      const place = `${nameOf(document.uri.path)}:${line}`;
      page = lineFigures(measuredAt(document, line), place, store.active?.name ?? '', overlay.ageOf);
      changed.fire(figuresPage);
      await showMarkdownPage(figuresPage, true);
    }),
  ];
  const register = (): Disposable =>
    languages.registerHoverProvider(
      [...fileSchemes(), embeddedScheme].map((scheme) => ({ scheme })),
      {
        provideHover(document, position) {
          const profile = store.active;
          if (!profile) return undefined;
          const at = overlay.profiledAt(document, position.line + 1);
          const here = [document.uri.toString(), position.line + 1];
          const found = evidenceOf(document, position.line + 1).flatMap(({ finding, evidence }) =>
            evidence
              ? [
                  {
                    ...evidence,
                    rule: ruleAt(finding, position),
                    message: finding.text,
                    isShown: shownThere(finding, position),
                  },
                ]
              : [],
          );
          const measured = measuredAt(document, position.line + 1);
          const { comparison } = store;
          const difference = (comparison ? store.marks() : []).flatMap((mark) =>
            'change' in mark && at.some((place) => place.file === mark.line.file && place.line === mark.line.line)
              ? [differenceText(mark as ChangeMark, comparison!.name)]
              : [],
          );
          const text = hoverText(measured, profile.name, {
            verdicts: found.filter(({ isShown }) => !isShown),
            shown: found.flatMap(({ isShown, text: verdict, message }) => (isShown ? [verdict, message] : [])),
            ageOf: overlay.ageOf,
            difference,
            link: `command:${figuresCommand}?${encodeURIComponent(JSON.stringify(here))}`,
          });
          if (text === '') return undefined;
          const markdown = new MarkdownString(text);
          markdown.isTrusted = { enabledCommands: ['warplens.profile.runAgain', figuresCommand] };
          return new Hover(markdown, document.lineAt(position.line).range);
        },
      },
    );
  // The newest provider comes first: measured figures come first, because the editor truncates hovers.
  let provider: Disposable | undefined;
  const show = (): void => {
    if (store.active) provider ??= register();
    else {
      provider?.dispose();
      provider = undefined;
    }
  };
  const heard = store.onDidChange(show);
  show();
  return {
    tellEvidence(of) {
      evidenceOf = of;
    },
    dispose() {
      for (const each of [heard, ...registered]) each.dispose();
      provider?.dispose();
    },
  };
}

/** With the line, where the cause of what is measured here is on another. */
function ruleAt({ rule, range: { start, end } }: JoinedFinding['finding'], { line }: Position): string {
  return start.line <= line && line <= end.line ? rule : `${rule}, line ${start.line + 1}`;
}

/** The editor's own hover shows the diagnostic with its verdict there. */
function shownThere({ range: { start, end } }: JoinedFinding['finding'], position: Position): boolean {
  return new Range(start.line, start.character, end.line, end.character).contains(position);
}
