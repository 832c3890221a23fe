// What the client on the other end can do, read once from what it says of itself.
import type { ClientCapabilities, InitializeParams } from 'vscode-languageserver';
import type { InitializationOptions } from '../../../protocol/src/requests';

export interface ClientFeatures {
  /** The client asks for diagnostics, and can be made to ask again. */
  readonly pullDiagnostics: boolean;
  readonly relatedInformation: boolean;
  readonly codeDescription: boolean;
  readonly unnecessaryTag: boolean;
  readonly configuration: boolean;
  readonly watchConfiguration: boolean;
  readonly watchFiles: boolean;
  readonly workspaceFolders: boolean;
  readonly progress: boolean;
  readonly documentChanges: boolean;
  readonly snippetEdits: boolean;
  readonly codeActionLiterals: boolean;
  readonly resolveEdits: boolean;
  readonly appliesEdits: boolean;
  readonly inlayHintRefresh: boolean;
  readonly codeLensRefresh: boolean;
  readonly markdownHover: boolean;
  readonly snippetCompletions: boolean;
  readonly markdownCompletions: boolean;
  readonly showDocument: boolean;
  /** The client has the commands of `protocol/requests.ts` itself. */
  readonly ownCommands: boolean;
  /** The client knows a document's text in the last commit. */
  readonly answersCommitted: boolean;
  /** The client says which lines are on screen. */
  readonly tellsScreen: boolean;
}

/** A client that cannot be made to ask for diagnostics again gets those of headers pushed. */
export function pullsDiagnostics(capabilities: ClientCapabilities | undefined): boolean {
  const { textDocument, workspace } = capabilities ?? {};
  return textDocument?.diagnostic !== undefined && workspace?.diagnostics?.refreshSupport === true;
}

export function readClientFeatures({ capabilities, initializationOptions }: InitializeParams): ClientFeatures {
  const { textDocument, workspace, window } = capabilities;
  const published = textDocument?.publishDiagnostics;
  const pulled = textDocument?.diagnostic;
  const codeAction = textDocument?.codeAction;
  const options = (
    typeof initializationOptions === 'object' && initializationOptions !== null ? initializationOptions : {}
  ) as InitializationOptions;
  return {
    pullDiagnostics: pullsDiagnostics(capabilities),
    relatedInformation: (pulled?.relatedInformation ?? published?.relatedInformation) === true,
    codeDescription: (pulled?.codeDescriptionSupport ?? published?.codeDescriptionSupport) === true,
    unnecessaryTag: [...(pulled?.tagSupport?.valueSet ?? []), ...(published?.tagSupport?.valueSet ?? [])].includes(1),
    configuration: workspace?.configuration === true,
    watchConfiguration: workspace?.didChangeConfiguration?.dynamicRegistration === true,
    watchFiles: workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    workspaceFolders: workspace?.workspaceFolders === true,
    progress: window?.workDoneProgress === true,
    documentChanges: workspace?.workspaceEdit?.documentChanges === true,
    snippetEdits: workspace?.workspaceEdit?.snippetEditSupport === true,
    codeActionLiterals: codeAction?.codeActionLiteralSupport !== undefined,
    resolveEdits: codeAction?.dataSupport === true && codeAction.resolveSupport?.properties.includes('edit') === true,
    appliesEdits: workspace?.applyEdit === true,
    inlayHintRefresh: workspace?.inlayHint?.refreshSupport === true,
    codeLensRefresh: workspace?.codeLens?.refreshSupport === true,
    markdownHover: textDocument?.hover?.contentFormat?.includes('markdown') === true,
    snippetCompletions: textDocument?.completion?.completionItem?.snippetSupport === true,
    markdownCompletions: textDocument?.completion?.completionItem?.documentationFormat?.includes('markdown') === true,
    showDocument: window?.showDocument?.support === true,
    ownCommands: options.clientCommands === true,
    answersCommitted: options.answersCommitted === true,
    tellsScreen: options.tellsScreen === true,
  };
}
