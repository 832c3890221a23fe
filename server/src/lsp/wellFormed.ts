// Which notifications of an editor say what they must: one that does not would stay in a thread and fail at every later
// look at the open documents.
import {
  Range,
  TextDocumentIdentifier,
  TextDocumentItem,
  WorkspaceFolder,
  type Message,
  type NotificationMessage,
  type RequestMessage,
} from 'vscode-languageserver/node';

type Shape = (params: Readonly<Record<string, unknown>>) => boolean;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOf(value: unknown, is: (one: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every(is);
}

function isChange(change: unknown): boolean {
  return isObject(change) && typeof change.text === 'string' && (change.range === undefined || Range.is(change.range));
}

/** Of the notifications that change what a thread keeps; LSP 3.17 says the shapes. */
const shapes: Readonly<Record<string, Shape>> = {
  'textDocument/didOpen': ({ textDocument }) => TextDocumentItem.is(textDocument),
  'textDocument/didChange': ({ textDocument, contentChanges }) =>
    TextDocumentIdentifier.is(textDocument) &&
    Number.isInteger((textDocument as { version?: unknown }).version) &&
    isListOf(contentChanges, isChange),
  'textDocument/didClose': ({ textDocument }) => TextDocumentIdentifier.is(textDocument),
  'textDocument/didSave': ({ textDocument }) => TextDocumentIdentifier.is(textDocument),
  'workspace/didChangeWorkspaceFolders': ({ event }) =>
    isObject(event) &&
    isListOf(event.added, (each) => WorkspaceFolder.is(each)) &&
    isListOf(event.removed, (each) => WorkspaceFolder.is(each)),
  'workspace/didChangeWatchedFiles': ({ changes }) =>
    isListOf(changes, (each) => isObject(each) && typeof each.uri === 'string' && Number.isInteger(each.type)),
};

function isWellFormed({ method, params }: NotificationMessage): boolean {
  if (!Object.hasOwn(shapes, method)) return true;
  return isObject(params) && shapes[method]!(params);
}

/** Hands on what an editor sends, but for notifications that are not of their method's form: `log` hears of those. */
export function onlyWellFormed(hear: (message: Message) => void, log: (sentence: string) => void) {
  return (message: Message): void => {
    const { id, method } = message as Partial<RequestMessage>;
    const isNotification = method !== undefined && (id === undefined || id === null);
    if (!isNotification || isWellFormed(message as NotificationMessage)) hear(message);
    else log(`Skipped ${method} from the editor: invalid parameters.`);
  };
}
