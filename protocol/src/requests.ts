// What the client asks of the server beyond the language server protocol.

/** A file as the server understands it: kernels, launches, accesses. `null` when the server does not read that file. */
export interface ModelParameters {
  readonly uri: string;
}
export interface ModelAnswer {
  readonly text: string;
}
export const modelRequest = 'warplens/model';

/** The findings of an open document, fixes as edits of texts; `null` when the server does not read that file. */
export interface FindingsParameters {
  readonly uri: string;
  /** Ask for `predicted` as well. */
  readonly times?: boolean;
  /** Try the fixes first. */
  readonly tries?: boolean;
}
export interface FindingsAnswer {
  /** Of the document that was read. */
  readonly version: number;
  readonly findings: readonly FoundFinding[];
}
export const findingsRequest = 'warplens/findings';

/**
 * The kernels that a document defines (`__global__` functions), for what the client offers over each. `null` when the
 * server does not read that file.
 */
export type KernelsParameters = ModelParameters;
export interface KernelsAnswer {
  /** Of the document that was read. */
  readonly version: number;
  /**
   * `name` is what Nsight Compute filters by; `range` is from the start of the definition to the end of the name,
   * `body` the whole definition.
   */
  readonly kernels: readonly {
    readonly name: string;
    readonly qualifiedName: string;
    /** A type each, aliases resolved: `float *`; `auto` if it is unknown. */
    readonly parameters: readonly string[];
    readonly range: TextRange;
    readonly body: TextRange;
  }[];
}
export const kernelsRequest = 'warplens/kernels';

/** The numbers in a line that a sweep can try. `null` when the server does not read that file. */
export interface ParametersParameters {
  readonly uri: string;
  readonly position: TextPosition;
}
export interface ParametersAnswer {
  /** Of the document that was read. */
  readonly version: number;
  readonly parameters: readonly FoundParameter[];
}
export interface FoundParameter {
  readonly kind: 'block' | 'clause' | 'constant';
  /** `block size of saxpy`, `num_workers`, `TILE`. */
  readonly name: string;
  /** The literal; a block size may be in another line or file than its launch. */
  readonly uri: string;
  readonly range: TextRange;
  readonly value: number;
  /** Values worth a try, in order, the present one among them. */
  readonly candidates: readonly number[];
  /** The kernel that the number is of, where it is of one. */
  readonly kernel?: string;
  /** What stands against changing it. */
  readonly remark?: string;
}
export const parametersRequest = 'warplens/parameters';

/** Zero-based, in UTF-16 code units, as in LSP. */
export interface TextPosition {
  readonly line: number;
  readonly character: number;
}
export interface TextRange {
  readonly start: TextPosition;
  readonly end: TextPosition;
}

export type Severity = 'error' | 'warning' | 'information' | 'hint';

export interface FoundFinding {
  /** `cuda/bank-conflict`: the diagnostic's code. */
  readonly rule: string;
  /** Id of the message within the rule. */
  readonly message: string;
  readonly text: string;
  readonly severity: Severity;
  readonly range: TextRange;
  readonly confidence: 'proven' | 'assumed';
  /** The part of its kernel's predicted traffic or work that it stands for, 0…1; absent where nothing tells. */
  readonly share?: number;
  /** Cycles of a multiprocessor that all launches are predicted to spend there: what findings are ordered by. */
  readonly cost?: number;
  /** What all clients print: gain, fixes, why there is none; `figure` is the gain alone. */
  readonly verdict?: { readonly figure?: string; readonly sentences: readonly string[] };
  /** The user chose the severity, or called the file quiet: no measurement raises it. */
  readonly bySetting?: boolean;
  /** It only marks another place of a finding that stands elsewhere. */
  readonly mark?: boolean;
  readonly data: Readonly<Record<string, string | number>>;
  /** What the rule says confirms or refutes it; absent where no counter can. */
  readonly evidence?: RuleEvidence | undefined;
  /** The same of a timeline of Nsight Systems. */
  readonly timeline?: TimelineEvidence | undefined;
  /**
   * What the kernel around it is predicted to take, microseconds, and `without` what the rule finds in it: for
   * measurements that know times alone. Absent where grid or loops are not known.
   */
  readonly predicted?: {
    readonly kernel: string;
    readonly microseconds: number;
    readonly without: number;
    /** Of the GPU that it is predicted for: `9.0`. */
    readonly computeCapability: string;
  };
  /** Lines of this document to read the evidence from, where they are not the finding's own. */
  readonly measuredAt?: readonly TextRange[];
  /** Lines of this document whose time is at stake, where they are others again: what runs under a branch. */
  readonly atStake?: readonly TextRange[];
  /** Name of the kernel or device function around it, without types; absent in host code. */
  readonly function?: FoundFunction;
  /** The kernel that `evidence` of kind `kernel` is read from, where this document defines it. */
  readonly measuredKernel?: FoundFunction;
  readonly fixes: readonly FoundFix[];
}

/**
 * What of a measurement confirms or refutes the findings of a rule: a metric of Nsight Compute (or a sum, `a + b`) and
 * what it is held against.
 * The conditions read over `metric`, `against`, `threads`, those of 32 that are active in an instruction on average,
 * and `block`, the threads of a block, where all launches have as many: `metric / against >= 1.5 and threads < 28`.
 */
export interface RuleEvidence<Message extends string = string> {
  readonly metric: string;
  readonly against?: string;
  readonly badWhen: string;
  /** Nothing of it is seen. Without it, whatever is not bad refutes; between the two, nothing is decided. */
  readonly noneWhen?: string;
  /**
   * `kernel`: read from the totals of the launches of `data.kernel` with blocks of `data.threads`. `occupancy`: the
   * warps on a multiprocessor against those that it holds, in the longest launch of the kernel that the finding's lines
   * are in. The finding's lines otherwise.
   */
  readonly of?: 'lines' | 'kernel' | 'occupancy';
  /** Ids of the messages that it speaks of; all when absent. */
  readonly messages?: readonly NoInfer<Message>[];
}
/**
 * What of a timeline confirms or refutes the findings of a rule about calls of the host, over the call that `data.name`
 * names and the one that `data.partner` does: `idle` (nanoseconds that the GPU idled meanwhile), `time`, `calls`,
 * `bytes`, `pageable`, against `span`, the run.
 * The conditions are as those of `RuleEvidence`.
 */
export interface TimelineEvidence {
  readonly metric: 'idle' | 'time' | 'calls' | 'bytes' | 'pageable';
  readonly against?: 'span' | 'bytes';
  readonly badWhen: string;
  readonly noneWhen?: string;
}
export interface FoundFunction {
  readonly name: string;
  readonly kernel: boolean;
  /** The whole definition. */
  readonly range?: TextRange;
  readonly qualifiedName?: string;
  /** A type each, as in `KernelsAnswer`. */
  readonly parameters?: readonly string[];
}
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
  /** Takes a document uri and the headers that it was read without. */
  addIncludeFolder: 'warplens.addIncludeFolder',
  /** Takes a document uri, the position of a finding, why that has no fix, and its rule; shows it at the line. */
  showWhyNoFix: 'warplens.showWhyNoFix',
} as const;

/** What a client says of itself in `initialize`. */
export interface InitializationOptions {
  /**
   * The client has `clientCommands`; without them the server offers its own commands, which open the rule's page on the
   * web.
   */
  readonly clientCommands?: boolean;
  /** The section `warplens`, for clients that cannot be asked for it. */
  readonly settings?: unknown;
  /** The client answers `filesRequest`. */
  readonly answersFiles?: boolean;
  /** The client answers `committedRequest`. */
  readonly answersCommitted?: boolean;
  /** The client sends `onScreenNotification`. */
  readonly tellsScreen?: boolean;
}

/** Lines of an open document on screen, zero-based, the last one among them: a long one is first read there. */
export interface OnScreenParameters {
  readonly uri: string;
  readonly first: number;
  readonly last: number;
}
export const onScreenNotification = 'warplens/onScreen';

/**
 * What the server asks for files that are on no disk of its machine. Paths are `/scheme:authority/path`, and so are
 * the paths of the `file:` addresses under which the server hears of such documents.
 */
export interface FileQuestions {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}
/** In the order of the questions; `null` where there is no such file or folder, or it is not part of the workspace. */
export interface FileAnswers {
  readonly files: readonly (string | null)[];
  /** Names, and whether each is a folder. */
  readonly folders: readonly (readonly (readonly [name: string, folder: boolean])[] | null)[];
}
export const filesRequest = 'warplens/files';

/**
 * What the server asks for where findings of the last commit are not shown: the document's text in it. `null` where no
 * commit has the document.
 */
export interface CommittedParameters {
  readonly uri: string;
  /** The commit whose text the server has. */
  readonly known?: string;
}
export interface CommittedAnswer {
  readonly commit: string;
  /** Absent where the commit is known. */
  readonly text?: string;
}
export const committedRequest = 'warplens/committed';

/** A client with `clientCommands` is asked to say what is wrong with settings, and to open them. */
export interface SettingsWrongParameters {
  readonly message: string;
  /** Their keys below `warplens.`. */
  readonly settings: readonly string[];
}
export const settingsWrongRequest = 'warplens/settingsWrong';

/**
 * The browser's server asks for the bytes of a grammar that it needs first now: `{ name }`, answered by a `Uint8Array`.
 */
export const grammarRequest = 'warplens/grammar';

/**
 * The first message to the browser's server, before the protocol begins: the bytes of the wasm files that it always
 * needs.
 */
export interface BrowserStart {
  readonly grammars: {
    readonly core: Uint8Array;
    readonly cuda: Uint8Array;
    readonly openacc: Uint8Array;
  };
}

/** The commands that the server runs itself (`workspace/executeCommand`), for editors without a Warplens client. */
export const serverCommands = {
  /** Takes a rule id; opens the rule's page where the editor can, and answers with an `ExplainAnswer`. */
  explain: 'warplens.explain',
  /** Takes a document uri; answers as `modelRequest`. */
  model: 'warplens.model',
  /** Takes the data of an action, and has an editor that resolves none make its edits. */
  makeEdits: 'warplens.makeEdits',
  /** Takes the sentence that says why a finding has no fix, and shows it. */
  whyNoFix: 'warplens.whyNoFix',
} as const;
export interface ExplainAnswer {
  readonly id: string;
  readonly url: string;
  readonly markdown: string;
}
