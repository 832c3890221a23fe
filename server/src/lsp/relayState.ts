// What the loop keeps of the conversation with the editor, so that an analysis thread can be started again in the
// middle of it.
import type { Message, MessageWriter, NotificationMessage, RequestMessage } from 'vscode-languageserver/node';
import type { ClientCapabilities } from 'vscode-languageserver';
import { TextDocument, type TextDocumentContentChangeEvent } from 'vscode-languageserver-textdocument';
import { pullsDiagnostics } from './clientFeatures';
import { onFirstLine } from './diagnostics';
import { compilerFeedbackRequest } from '../../../protocol/src/compilerFeedback';

type Id = RequestMessage['id'];

/** Sends a thread, in `files`, the files to skip from now on; replaces the previous list. */
export const leftOutNotification = '$/warplens/leftOut';

/** Ids of requests of the loop's own to a thread begin with this. */
export const ownId = 'relay:';

export type RelayState = ReturnType<typeof createRelayState>;

export function createRelayState(initialize: RequestMessage) {
  const params = (initialize.params ?? {}) as {
    processId?: number | null;
    capabilities?: ClientCapabilities;
  };
  const documents = new Map<string, TextDocument>();
  const folders: Message[] = [];
  const logs = new Map<string, RequestMessage>();
  let configuration: Message | undefined;
  let initialized: Message | undefined;

  function hearDocument({ method, params: given }: NotificationMessage): void {
    const { textDocument, contentChanges } = given as unknown as {
      textDocument: { uri: string; languageId: string; version: number; text: string };
      contentChanges?: TextDocumentContentChangeEvent[];
    };
    const { uri } = textDocument;
    if (method === 'textDocument/didOpen')
      documents.set(uri, TextDocument.create(uri, textDocument.languageId, textDocument.version, textDocument.text));
    else if (method === 'textDocument/didClose') documents.delete(uri);
    else {
      const document = documents.get(uri);
      if (document) documents.set(uri, TextDocument.update(document, contentChanges!, textDocument.version));
    }
  }

  const replayDocument = (uri: string): Message | undefined => {
    const document = documents.get(uri);
    if (!document) return undefined;
    const { languageId, version } = document;
    return notification('textDocument/didOpen', {
      textDocument: { uri, languageId, version, text: document.getText() },
    });
  };

  return {
    /** Of the editor, as it said at the start. */
    client: {
      processId: typeof params.processId === 'number' ? params.processId : undefined,
      pullsDiagnostics: pullsDiagnostics(params.capabilities),
    },
    /** Takes what the editor sends, in order. */
    hear(message: Message): void {
      const { method, id } = message as Partial<RequestMessage>;
      if (/^textDocument\/did(?:Open|Change|Close)$/.test(method ?? '')) hearDocument(message as NotificationMessage);
      else if (method === 'initialized') initialized = message;
      else if (method === 'workspace/didChangeConfiguration') configuration = message;
      else if (method === 'workspace/didChangeWorkspaceFolders') folders.push(message);
      else if (method === compilerFeedbackRequest && id !== undefined) {
        const { source, folder } = (message as RequestMessage).params as { source?: string; folder?: string };
        const key = `${source}\n${folder ?? ''}`;
        logs.delete(key);
        logs.set(key, { ...(message as RequestMessage), id: `${ownId}feedback` });
      }
    },
    isOpen: (uri: string): boolean => documents.has(uri),
    /** Of an open document. */
    versionOf: (uri: string): number | undefined => documents.get(uri)?.version,
    open: (): readonly string[] => [...documents.keys()],
    /** The messages after which a fresh thread knows what the editor said, but for some documents. */
    replay(without: ReadonlySet<string>): readonly Message[] {
      return [
        ...(initialized ? [initialized] : []),
        ...folders,
        ...(configuration ? [configuration] : []),
        ...logs.values(),
        ...[...documents.keys()].filter((uri) => !without.has(uri)).map((uri) => replayDocument(uri)!),
      ];
    },
    replayDocument,
  };
}

export function notification(method: string, params: object): NotificationMessage {
  return { jsonrpc: '2.0', method, params: params as NonNullable<NotificationMessage['params']> };
}

/** The document that a request is about, or undefined. */
export function uriOfRequest({ params }: { readonly params?: unknown }): string | undefined {
  const given = (params ?? {}) as {
    uri?: unknown;
    textDocument?: { uri?: unknown };
    data?: { uri?: unknown };
    arguments?: readonly unknown[];
  };
  const first = Array.isArray(given.arguments) ? given.arguments[0] : undefined;
  const candidates = [
    given.textDocument?.uri,
    given.uri,
    given.data?.uri,
    typeof first === 'object' && first !== null ? (first as { uri?: unknown }).uri : first,
  ];
  return candidates.find((each): each is string => typeof each === 'string' && each.includes(':'));
}

/** What is answered of a document that is not read. */
export function answerOfRefused(method: string, sentence: string): unknown {
  if (method === 'textDocument/diagnostic') return { kind: 'full', items: [onFirstLine(sentence)] };
  return /^textDocument\/(?:codeAction|codeLens|inlayHint)$/.test(method) ? [] : null;
}

/** What the loop says to the editor; after the editor is gone, messages are dropped. */
export function sayTo(writer: MessageWriter) {
  const send = (message: Message): void => {
    writer.write(message).catch(() => {
      /* gone */
    });
  };
  return {
    send,
    answer: (id: Id, result: unknown): void => send({ jsonrpc: '2.0', id, result } as Message),
    refuse: (id: Id, code: number, message: string): void =>
      send({ jsonrpc: '2.0', id, error: { code, message } } as Message),
    log: (message: string): void => send(notification('window/logMessage', { type: 2, message })),
  };
}
