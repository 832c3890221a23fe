// The command that shows what the server understood of a file: kernels, launches and accesses, as text beside the code.
import { commands, EventEmitter, Uri, ViewColumn, window, workspace, type TextDocumentContentProvider } from 'vscode';
import { clientCommands, modelRequest, type ModelAnswer, type ModelParameters } from '../../../protocol/src/requests';
import type { FeatureContext } from '../featureContext';
import { isReadable } from '../languages';
import { addressOf, documentAt } from '../paths';
import { errorText } from '../errorText';

const SCHEME = 'warplens-model';

export function activateShowModel({ extension, server }: FeatureContext): void {
  const changed = new EventEmitter<Uri>();
  const pauses = new Map<string, NodeJS.Timeout>();
  const provider: TextDocumentContentProvider = {
    onDidChange: changed.event,
    async provideTextDocumentContent(uri) {
      const parameters: ModelParameters = { uri: addressOf(Uri.parse(uri.query)) };
      return server.request<ModelAnswer | null>(modelRequest, parameters).then(
        (answer) => answer?.text ?? 'Warplens did not analyse this file: it has no device code.\n',
        (error: unknown) => `${errorText(error)}\n`,
      );
    },
  };

  async function show(wanted?: unknown): Promise<void> {
    const document =
      typeof wanted === 'string'
        ? await workspace.openTextDocument(documentAt(wanted))
        : window.activeTextEditor?.document;
    if (!document || !isReadable(document)) {
      void window.showInformationMessage('Warplens: open a CUDA, C or C++ file first.');
      return;
    }
    const uri = modelUri(document.uri);
    changed.fire(uri);
    await window.showTextDocument(await workspace.openTextDocument(uri), {
      viewColumn: ViewColumn.Beside,
      preview: true,
      preserveFocus: true,
    });
  }

  extension.subscriptions.push(
    changed,
    workspace.registerTextDocumentContentProvider(SCHEME, provider),
    commands.registerCommand(clientCommands.showModel, show),
    // A model that is on screen follows the code; the pause spares the server while somebody types.
    workspace.onDidChangeTextDocument(({ document }) => {
      const uri = modelUri(document.uri).toString();
      if (!workspace.textDocuments.some((open) => open.uri.toString() === uri)) return;
      clearTimeout(pauses.get(uri));
      pauses.set(
        uri,
        setTimeout(() => changed.fire(modelUri(document.uri)), 300),
      );
    }),
    {
      dispose: () => {
        for (const pause of pauses.values()) clearTimeout(pause);
      },
    },
  );
}

function modelUri(uri: Uri): Uri {
  return Uri.from({ scheme: SCHEME, path: `${uri.path}.model`, query: uri.toString() });
}
