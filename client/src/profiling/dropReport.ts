// A report that is dropped on a source is laid over it, and nothing is written into the text.
import { commands, DocumentDropEdit, languages, Uri, type Disposable, type DocumentDropEditProvider } from 'vscode';
import { documentSelector } from '../languages';

export const dropProvider: DocumentDropEditProvider = {
  async provideDocumentDropEdits(_document, _position, dropped, token) {
    const list = await dropped.get('text/uri-list')?.asString();
    const report = list
      ?.split(/\r?\n/)
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => Uri.parse(line))
      .find(({ path }) => /\.(?:ncu-repz?|nsight-cuprof-report|sqlite)$/i.test(path));
    if (!report || token.isCancellationRequested) return undefined;
    // Reading may take a while; the drop itself is answered at once.
    void commands.executeCommand('warplens.profile.layOver', report);
    return new DocumentDropEdit('');
  },
};

export function registerDrop(): Disposable {
  return languages.registerDocumentDropEditProvider(documentSelector(), dropProvider);
}
