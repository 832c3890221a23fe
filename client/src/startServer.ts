// Starts the server with the first document that may be code for a GPU: a folder of plain C needs none.
import type { TextDocument, workspace } from 'vscode';
import type { FeatureContext } from './featureContext';
import { mayBeGpuCode } from './gpuText';

/** What the editor has open, and says of it. */
export type OpenDocuments = Pick<
  typeof workspace,
  'textDocuments' | 'onDidOpenTextDocument' | 'onDidChangeTextDocument'
>;

/** Resolves when the server runs or has failed, or at once where nothing needs it yet. */
export async function startWhenNeeded(
  { extension, server }: FeatureContext,
  open: OpenDocuments,
  isReadable: (document: TextDocument) => boolean,
): Promise<void> {
  const needs = (document: TextDocument): boolean =>
    isReadable(document) && mayBeGpuCode(document.languageId, document.getText());
  if (open.textDocuments.some(needs)) return server.start();
  const heard = [
    open.onDidOpenTextDocument((document) => start(document)),
    open.onDidChangeTextDocument(({ document }) => start(document)),
  ];
  const start = (document: TextDocument): void => {
    if (!needs(document)) return;
    for (const each of heard) each.dispose();
    // Somebody may have started it by the command.
    if (server.state === 'waiting') void server.start();
  };
  extension.subscriptions.push(...heard);
}
