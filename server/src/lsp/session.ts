// What every request handler gets: the connection, the documents and what is known of them.
import {
  LSPErrorCodes,
  MessageType,
  ResponseError,
  ShowMessageNotification,
  type Connection,
  type TextDocuments,
} from 'vscode-languageserver';
import type { TextDocument } from 'vscode-languageserver-textdocument';
import type { AskedFiles } from '../workspace/askedFiles';
import type { Addresses } from './addresses';
import type { ClientFeatures } from './clientFeatures';
import type { Committed } from './committed';
import type { Folders } from './folders';
import type { OpenFiles } from './openFiles';
import type { KernelResourcesSaid } from './occupancy';
import type { Readings } from './readings';
import { traceOf } from './waiting';

export interface Session {
  readonly connection: Connection;
  readonly client: ClientFeatures;
  readonly documents: TextDocuments<TextDocument>;
  readonly readings: Readings;
  readonly folders: Folders;
  readonly files: OpenFiles;
  readonly addresses: Addresses;
  /** Who asks the editor for files that are on no disk; absent where the editor answers no such questions. */
  readonly asked?: AskedFiles | undefined;
  readonly committed: Committed;
  readonly resources: KernelResourcesSaid;
}

/**
 * Runs a handler so that its failure is one line in the log and an empty answer, never the end of the server. Errors
 * meant for the client pass.
 */
export function guarded<P extends readonly unknown[], R>(
  session: Pick<Session, 'connection'>,
  request: string,
  empty: R,
  handler: (...params: P) => R | Promise<R>,
): (...params: P) => Promise<R> {
  return async (...params) => {
    try {
      return await handler(...params);
    } catch (error) {
      if (error instanceof ResponseError) throw error;
      session.connection.console.error(`${request} failed: ${traceOf(error)}`);
      return empty;
    }
  };
}

/** Sends a message without waiting for the answer; a client that has gone or refuses is ignored. */
export function quietly(send: () => Promise<unknown>): void {
  try {
    send().catch(() => {
      /* refused */
    });
  } catch {
    /* gone */
  }
}

type Tell = (session: Pick<Session, 'connection'>, message: string) => void;
const telling =
  (type: MessageType): Tell =>
  ({ connection }, message) =>
    quietly(() => connection.sendNotification(ShowMessageNotification.type, { type, message }));
/** Tells the user something that wants doing. A notification, since no answer is waited for. */
export const warn = telling(MessageType.Warning);
/** Tells the user something that wants no action. */
export const inform = telling(MessageType.Info);

export function contentModified(): ResponseError<void> {
  return new ResponseError(LSPErrorCodes.ContentModified, 'The findings have changed; request the fixes again.');
}
