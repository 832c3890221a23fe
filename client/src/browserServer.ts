// The language server in a worker of the browser, which is handed the grammars of the extension.
import { Uri, workspace } from 'vscode';
import type { BaseLanguageClient, LanguageClientOptions } from 'vscode-languageclient';
import { LanguageClient, State, type ServerOptions } from 'vscode-languageclient/browser';
import { grammarRequest, type BrowserStart } from '../../protocol/src/requests';
import { errorText } from './errorText';

/** What a browser's page has; this project is checked without the types of one. */
declare const Worker: new (url: string, options: { readonly name: string }) => BrowserWorker;
type BrowserWorker = Extract<ServerOptions, { terminate(): unknown }>;

/** Rejects with one sentence when the extension's files cannot be fetched. */
export function connectWorker(extension: Uri): (options: LanguageClientOptions) => Promise<BaseLanguageClient> {
  const grammar = async (name: string): Promise<Uint8Array> => {
    try {
      return await workspace.fs.readFile(Uri.joinPath(extension, 'dist', name));
    } catch (error) {
      throw new Error(`${name} of the extension cannot be fetched ` + `(${errorText(error)}). Reload the page.`);
    }
  };
  return async (options) => {
    const [core, cuda, openacc] = await Promise.all(
      ['web-tree-sitter.wasm', 'tree-sitter-cuda.wasm', 'tree-sitter-openacc.wasm'].map(grammar),
    );
    const worker = new Worker(Uri.joinPath(extension, 'dist', 'browser', 'server.js').toString(true), {
      name: 'Warplens',
    });
    worker.postMessage({ grammars: { core: core!, cuda: cuda!, openacc: openacc! } } satisfies BrowserStart);
    const client = new LanguageClient('warplens', 'Warplens', worker, options);
    client.onRequest(grammarRequest, ({ name }: { readonly name: string }) => grammar(name));
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped) worker.terminate();
    });
    return client;
  };
}
