// The language server as a process of this machine.
import type { BaseLanguageClient, LanguageClientOptions } from 'vscode-languageclient';
import { LanguageClient, TransportKind, type ServerOptions } from 'vscode-languageclient/node';

export function connectProcess(modulePath: string): (options: LanguageClientOptions) => Promise<BaseLanguageClient> {
  const run = { module: modulePath, transport: TransportKind.ipc };
  const server: ServerOptions = { run, debug: { ...run, options: { execArgv: ['--nolazy', '--inspect=6029'] } } };
  return async (options) => new LanguageClient('warplens', 'Warplens', server, options);
}
