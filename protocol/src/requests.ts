// What the client asks of the server beyond the language server protocol.

/** A file as the server understands it: kernels, launches, accesses. `null` when the server does not read that file. */
export interface ModelParameters { readonly uri: string }
export interface ModelAnswer { readonly text: string }
export const modelRequest = 'warplens/model';

/** The client commands that the server may put behind a code lens or a code action. */
export const clientCommands = {
  /** Takes a rule id and opens its page. */
  explainRule: 'warplens.explainRule',
  /** Takes a document uri and, when given, a zero-based line. */
  showModel: 'warplens.showModel',
} as const;

/** What a client says of itself in `initialize`. */
export interface InitializationOptions {
  /** The client has `clientCommands`; without them the server names commands of its own, which open the rule's page on the web. */
  readonly clientCommands?: boolean;
  /** The section `warplens`, for clients that cannot be asked for it. */
  readonly settings?: unknown;
}

/** The commands that the server runs itself (`workspace/executeCommand`), for editors without a Warplens client. */
export const serverCommands = {
  /** Takes a rule id; opens the rule's page where the editor can, and answers with an `ExplainAnswer`. */
  explain: 'warplens.explain',
  /** Takes a document uri; answers as `modelRequest`. */
  model: 'warplens.model',
} as const;
export interface ExplainAnswer { readonly id: string; readonly url: string; readonly markdown: string }
