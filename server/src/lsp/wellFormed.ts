// Which messages of an editor say what they must: one that does not would stay in a thread and fail at every later look
// at the open documents.
import { ErrorCodes, Position, Range, type Message, type MessageReader } from 'vscode-languageserver/node';
import { compilationRequest } from '../../../protocol/src/compilation';
import { compilerFeedbackRequest } from '../../../protocol/src/compilerFeedback';
import { findingsRequest, kernelsRequest, modelRequest, parametersRequest } from '../../../protocol/src/requests';
import type { sayTo } from './relayState';

type Is = (value: unknown) => boolean;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const isString: Is = (value) => typeof value === 'string';
const isInteger: Is = Number.isInteger;
const isId: Is = (value) => isString(value) || typeof value === 'number';
const isNothing: Is = (value) => (value ?? null) === null;
const isListOf =
  (is: Is): Is =>
  (value) =>
    Array.isArray(value) && value.every(is);
const anyOf =
  (a: Is, b: Is): Is =>
  (value) =>
    a(value) || b(value);
const has =
  (members: Readonly<Record<string, Is>>): Is =>
  (value) =>
    isObject(value) && Object.entries(members).every(([name, is]) => is(value[name]));

const textDocument = has({ uri: isString });
const folders = isListOf(has({ uri: isString, name: isString }));
const change = has({ text: isString, range: anyOf(isNothing, Range.is) });
const ofDocument = has({ textDocument });
const atPosition = has({ textDocument, position: Position.is });

/** Parameters of what the server answers, and of the notifications that change what a thread keeps, as in LSP 3.17. */
const shapes: Readonly<Record<string, Is>> = {
  initialize: isObject,
  'textDocument/didOpen': has({
    textDocument: has({ uri: isString, languageId: isString, version: isInteger, text: isString }),
  }),
  'textDocument/didChange': has({
    textDocument: has({ uri: isString, version: isInteger }),
    contentChanges: isListOf(change),
  }),
  'textDocument/didClose': ofDocument,
  'textDocument/didSave': ofDocument,
  'textDocument/hover': atPosition,
  'textDocument/completion': atPosition,
  'textDocument/inlayHint': has({ textDocument, range: Range.is }),
  'textDocument/codeAction': has({ textDocument, range: Range.is, context: isObject }),
  'textDocument/codeLens': ofDocument,
  'textDocument/diagnostic': ofDocument,
  'codeAction/resolve': has({ title: isString }),
  'workspace/executeCommand': has({ command: isString, arguments: anyOf(isNothing, Array.isArray) }),
  'workspace/didChangeWorkspaceFolders': has({ event: has({ added: folders, removed: folders }) }),
  'workspace/didChangeWatchedFiles': has({ changes: isListOf(has({ uri: isString, type: isInteger })) }),
  [modelRequest]: textDocument,
  [findingsRequest]: textDocument,
  [kernelsRequest]: textDocument,
  [parametersRequest]: textDocument,
  [compilationRequest]: textDocument,
  [compilerFeedbackRequest]: isObject,
};

const isMessage = anyOf(has({ method: isString, id: anyOf(isId, isNothing) }), has({ method: isNothing, id: isId }));

/** Hands on what an editor sends in its method's form, and answers or logs the rest. */
export function listenTo(
  reader: MessageReader,
  hear: (message: Message) => void,
  { refuse, log }: Pick<ReturnType<typeof sayTo>, 'refuse' | 'log'>,
): void {
  reader.onError((error) => {
    if (error instanceof SyntaxError) refuse(null, ErrorCodes.ParseError, error.message);
    else log(`Invalid message from the editor: ${error.message}`);
  });
  reader.listen((message: Message) => {
    const { id = null, method = '', params } = (message ?? {}) as { id?: string; method?: string; params?: unknown };
    if (!isMessage(message))
      refuse(null, ErrorCodes.InvalidRequest, 'A message needs a method, or the id of what it answers.');
    else if (!Object.hasOwn(shapes, method) || shapes[method]!(params)) hear(message);
    else if (id === null) log(`Skipped ${method} from the editor: invalid parameters.`);
    else refuse(id, ErrorCodes.InvalidParams, `Invalid parameters of ${method}.`);
  });
}
