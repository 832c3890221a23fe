// Tells the server which lines of a file are on screen, so that a long one is read from there.
import { languages, window, workspace, type TextDocument, type TextEditor } from 'vscode';
import { onScreenNotification, type OnScreenParameters } from '../../../protocol/src/requests';
import type { FeatureContext } from '../featureContext';
import { documentSelector } from '../languages';
import { addressOf } from '../paths';

/** Milliseconds after its opening in which a file is read for the first time; where it is scrolled later is nothing. */
const beginning = 3000;

export function activateOnScreen({ extension, server }: FeatureContext): void {
  const openedAt = new WeakMap<TextDocument, number>();
  const selector = documentSelector();
  const tell = ({ document, visibleRanges }: TextEditor): void => {
    if (visibleRanges.length === 0 || languages.match(selector, document) === 0) return;
    server.tell(onScreenNotification, {
      uri: addressOf(document.uri),
      first: Math.min(...visibleRanges.map(({ start }) => start.line)),
      last: Math.max(...visibleRanges.map(({ end }) => end.line)),
    } satisfies OnScreenParameters);
  };
  extension.subscriptions.push(
    workspace.onDidOpenTextDocument((document) => openedAt.set(document, Date.now())),
    window.onDidChangeVisibleTextEditors((editors) => editors.forEach(tell)),
    window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
      if (Date.now() - (openedAt.get(textEditor.document) ?? 0) < beginning) tell(textEditor);
    }),
    server.onDidChangeState((state) => {
      if (state === 'running') window.visibleTextEditors.forEach(tell);
    }),
  );
}
