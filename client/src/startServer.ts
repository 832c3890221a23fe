// Starts the server with the first document that may be code for a GPU: a folder of plain C needs none.
import { workspace, type TextDocument } from 'vscode';
import type { FeatureContext } from './featureContext';
import { mayBeGpuCode } from './gpuText';
import { isReadable } from './languages';

/** Resolves when the server runs or has failed, or at once where nothing needs it yet. */
export async function startWhenNeeded({ extension, server }: FeatureContext): Promise<void> {
  const needs = (document: TextDocument): boolean =>
    isReadable(document) && mayBeGpuCode(document.languageId, document.getText());
  if (workspace.textDocuments.some(needs)) return server.start();
  const heard = [
    workspace.onDidOpenTextDocument((document) => start(document)),
    workspace.onDidChangeTextDocument(({ document }) => start(document)),
  ];
  const start = (document: TextDocument): void => {
    if (!needs(document)) return;
    for (const each of heard) each.dispose();
    // Somebody may have started it by the command.
    if (server.state === 'waiting') void server.start();
  };
  extension.subscriptions.push(...heard);
}
