// The hover of a measured line: its share, why its warps waited and what helps, its memory accesses against ideal, and
// the verdict on its findings.
import { Hover, languages, MarkdownString, type Disposable, type Position, type TextDocument } from 'vscode';
import type { JoinedFinding } from '../../../profiler/src/evidence/costOrder';
import { hoverText } from '../../../profiler/src/overlay/hoverText';
import { differenceText, type ChangeMark } from '../../../profiler/src/overlay/changeMarks';
import { fileSchemes } from '../paths';
import type { Overlay } from './overlay';
import { embeddedScheme, type ProfileStore } from './store';

export interface LineHover extends Disposable {
  /** Who tells the findings of a line (from 1) with their evidence. */
  tellEvidence(of: (document: TextDocument, line: number) => readonly JoinedFinding[]): void;
}

export function registerLineHover(store: ProfileStore, overlay: Overlay): LineHover {
  let evidenceOf: (document: TextDocument, line: number) => readonly JoinedFinding[] = () => [];
  const register = (): Disposable =>
    languages.registerHoverProvider(
      [...fileSchemes(), embeddedScheme].map((scheme) => ({ scheme })),
      {
        provideHover(document, position) {
          const profile = store.active;
          if (!profile) return undefined;
          const at = overlay.profiledAt(document, position.line + 1);
          const verdicts = evidenceOf(document, position.line + 1).flatMap(({ finding, evidence }) =>
            evidence && !shownThere(finding, position) ? [{ rule: finding.rule, text: evidence.text }] : [],
          );
          const measured = profile.kernels
            .filter(({ name }) => store.kernel === undefined || name === store.kernel)
            .flatMap((kernel) =>
              kernel.lines
                .filter((line) => at.some((place) => place.file === line.file && place.line === line.line))
                .map((line) => ({ kernel, line })),
            );
          const { comparison } = store;
          const difference = (comparison ? store.marks() : []).flatMap((mark) =>
            'change' in mark && at.some((place) => place.file === mark.line.file && place.line === mark.line.line)
              ? [differenceText(mark as ChangeMark, comparison!.name)]
              : [],
          );
          const text = hoverText(
            measured,
            profile.name,
            at.length > 0 && at.every(({ stale }) => stale),
            verdicts,
            (file, line) =>
              profile.places.get(file)?.uri?.toString() === document.uri.toString()
                ? overlay.placed(document, file, line)?.at
                : line,
            difference,
          );
          if (text === '') return undefined;
          const markdown = new MarkdownString(text);
          markdown.supportHtml = true;
          markdown.isTrusted = { enabledCommands: ['warplens.profile.runAgain'] };
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
      heard.dispose();
      provider?.dispose();
    },
  };
}

/** The editor's own hover shows the diagnostic with its verdict there. */
function shownThere({ range }: JoinedFinding['finding'], { line, character }: Position): boolean {
  const { start, end } = range;
  return (
    (line > start.line || (line === start.line && character >= start.character)) &&
    (line < end.line || (line === end.line && character <= end.character))
  );
}
