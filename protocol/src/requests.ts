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
