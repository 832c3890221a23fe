// What the client asks of the server beyond the language server protocol.

/** A file as the server understands it: kernels, launches, accesses. `null` when the server does not read that file. */
export interface ModelParameters { readonly uri: string }
export interface ModelAnswer { readonly text: string }
export const modelRequest = 'warplens/model';

/**
 * The findings of an open document with their fixes as edits of texts, for what stands beside a diagnostic: evidence, and the
 * measuring of a fix. `null` when the server does not read that file.
 */
export interface FindingsParameters { readonly uri: string }
export interface FindingsAnswer {
  /** Of the document that was read. */
  readonly version: number;
  readonly findings: readonly FoundFinding[];
}
export const findingsRequest = 'warplens/findings';

/** Zero-based, in UTF-16 code units, as in LSP. */
export interface TextPosition { readonly line: number; readonly character: number }
export interface TextRange { readonly start: TextPosition; readonly end: TextPosition }

export interface FoundFinding {
  /** `cuda/bank-conflict`: the diagnostic's code. */
  readonly rule: string;
  /** Id of the message within the rule. */
  readonly message: string;
  readonly text: string;
  readonly severity: 'error' | 'warning' | 'information' | 'hint';
  readonly range: TextRange;
  readonly confidence: 'proven' | 'assumed';
  readonly data: Readonly<Record<string, string | number>>;
  /** What the rule says confirms or refutes it; absent where no counter of a line can. */
  readonly evidence?: RuleEvidence;
  readonly fixes: readonly FoundFix[];
}
/** Nsight Compute metrics of a rule. `badWhen` reads over their values. */
export interface RuleEvidence { readonly metric: string; readonly against?: string; readonly badWhen: string }
export interface FoundFix {
  readonly title: string;
  readonly applicability: 'safe' | 'unsafe';
  readonly edits: readonly { readonly uri: string; readonly range: TextRange; readonly newText: string }[];
}

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
