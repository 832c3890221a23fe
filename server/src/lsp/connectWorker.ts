// The connection of a server that runs in a worker of a browser.
import {
  BrowserMessageReader,
  BrowserMessageWriter,
  createConnection,
  type Connection,
} from 'vscode-languageserver/browser';

/** The worker's own scope, as it sees itself. */
export type WorkerScope = ConstructorParameters<typeof BrowserMessageReader>[0];

/** Takes over the scope's messages. */
export function connectWorker(scope: WorkerScope): Connection {
  return createConnection(new BrowserMessageReader(scope), new BrowserMessageWriter(scope));
}
