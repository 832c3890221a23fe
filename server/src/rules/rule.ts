// What a rule is: it asks for one kind of fact and says, in named messages, what is wrong with it and how to fix it.
import type { Operation } from '../../../hardware/src/constants';
import type { RuleEvidence, Severity, TimelineEvidence } from '../../../protocol/src/requests';
import type { Edit, FactKind, Facts, Gpu, Model, Reason, Refusal, Span, Work } from '../semantic/model';
import type { Interval } from '../semantic/figures';

export type { Interval };

export type { RuleEvidence, Severity } from '../../../protocol/src/requests';

export interface RuleMeta<M extends string = string> {
  readonly id: string; // cuda/uncoalesced-access
  readonly since: string;
  readonly family: 'cuda' | 'acc';
  readonly severity: Severity;
  readonly fixable: 'safe' | 'unsafe' | 'both' | 'no';
  readonly summary: string; // one sentence
  /** The code is right but for its time: of these messages, or all, there is no finding where no gain is expected. */
  readonly needsGain?: true | readonly M[];
  readonly docs: {
    readonly what: string;
    readonly why: string;
    readonly whenNot: string;
    readonly fix?: string;
    readonly references: readonly { readonly title: string; readonly url: string }[];
    /** Name of the file in docs/measurements whose figures the page quotes. */
    readonly measurement?: string;
  };
  /** `{name}` stands for a value of the finding's data. A narrow list shows the first sentence alone. */
  readonly messages: Readonly<Record<M, string>>;
  /** Values for what the messages name, so that the rule's page can show sentences; what is absent reads as nothing. */
  readonly example: Readonly<Record<string, string | number>>;
  /** The counters of Nsight Compute that confirm or refute a finding. The rule never sees them. */
  readonly evidence?: RuleEvidence<M>;
  /** How a run confirms or refutes an error or a warning: a sentence that clients print behind the finding. */
  readonly confirm?: string;
  /** What of a timeline of Nsight Systems confirms or refutes a finding about calls of the host. */
  readonly timeline?: TimelineEvidence;
  readonly options?: Readonly<
    Record<
      string,
      {
        readonly type: 'number' | 'boolean' | 'string';
        readonly default: number | boolean | string;
        readonly description: string;
      }
    >
  >;
}

/**
 * What the GPU or the host would not do if a finding were fixed: the cost model turns it into time. Parts are 0…1,
 * cycles those of one multiprocessor.
 */
export type Waste =
  /** Sectors, wavefronts or turns of the fact's access beyond those of lanes side by side, or of shared memory. */
  | { readonly kind: 'access' }
  /** Requests of the fact's access: one for all iterations of so many of its innermost loops is enough, or a part. */
  | { readonly kind: 'requests'; readonly loops: number; readonly part?: number }
  /** Issue slots of the statements under the fact's branch. */
  | { readonly kind: 'issue'; readonly lost: Interval }
  /** What a warp computes at the fact's place. */
  | { readonly kind: 'operation'; readonly operation: Operation | Pick<Work, 'slots' | 'doubles'> }
  /** Steps in which a block waits. */
  | { readonly kind: 'steps'; readonly steps: Interval }
  /** Threads of the block that wait while few run the loop of the fact's branch. */
  | { readonly kind: 'serial' }
  /** Iterations of a loop in one block that the blocks of a full grid could share. */
  | { readonly kind: 'grid'; readonly loop: Span }
  /** A loop that all threads run alike: `among` so many, or the block's, share it, or `passes` over all data do. */
  | { readonly kind: 'scan'; readonly loop: Span; readonly among?: number; readonly passes?: number }
  /** The kernel's threads, which could each do the work of so many with accesses as many times as wide. */
  | { readonly kind: 'narrow'; readonly elements: number }
  /** Lanes of each block of a launch that do nothing. */
  | { readonly kind: 'idle'; readonly part: Interval }
  /** All of a matrix product that a library would compute. */
  | { readonly kind: 'product'; readonly double: boolean }
  /** Part of the kernel's time, where nothing more is known of it. */
  | { readonly kind: 'part'; readonly part: Interval }
  /** How the loops of an OpenACC kernel lie on the GPU, and how they could; `maybe`: a compiler may do so itself. */
  | { readonly kind: 'layout'; readonly now: Layout; readonly then: Layout; readonly maybe?: boolean }
  /** Arrays over the link beside the OpenACC kernels at these places; `maybe`: unseen code may have them there. */
  | {
      readonly kind: 'transfer';
      readonly arrays: readonly string[];
      readonly at: readonly Span[];
      /** Ways that each takes now, and that it would take. */
      readonly ways: readonly [number, number];
      readonly bytes?: number;
      readonly maybe?: boolean;
      /** A host loop of unknown length runs the kernels for one transfer. */
      readonly repeated?: boolean;
    }
  /**
   * What the host does besides the launches of a loop, or of one pair of launches; `overlap`: the OpenACC kernels there
   * could run at once.
   */
  | {
      readonly kind: 'host';
      readonly does: HostWork;
      readonly times: number;
      readonly at?: readonly Span[];
      readonly overlap?: boolean;
    };

/** What differs from the loops' levels. */
export interface Layout {
  /** Threads of a block, and those of them that have work. */
  readonly threads?: number;
  readonly useful?: number;
  /** Gangs at most. */
  readonly gangs?: number;
  /** One thread runs all of it. */
  readonly alone?: boolean;
  /** The head of the loop on neighbouring lanes, and of others that are shared. */
  readonly lane?: Span;
  readonly shared?: readonly Span[];
}
export type HostWork = 'wait' | 'allocation' | 'launch';

export interface Finding<M extends string = string> {
  readonly at: Span;
  readonly message: M;
  readonly data?: Readonly<Record<string, string | number>>;
  /** Of what is wrong at any speed; what costs time has a waste, and its severity follows from that, up to this. */
  readonly severity?: Severity;
  readonly waste?: Waste;
  /** Findings of one rule about one array or condition with the same cause are one; the message's id where absent. */
  readonly cause?: string;
  readonly related?: readonly Reason[];
  /** Where its counters stand, where that is not on its own lines: the statement under a loop's head, say. */
  readonly measuredAt?: readonly Span[];
  /** What its cost runs in, where that is more: the statement under a branch. */
  readonly atStake?: readonly Span[];
  readonly confidence: 'proven' | 'assumed';
  readonly confirm?: string; // where the sentence of the rule does not hold
  readonly fixes?: readonly Fix[];
  /** Where no fix is offered: the families that came near, and the precondition that each failed. */
  readonly refusals?: readonly Refusal[];
}
export interface Fix {
  readonly title: string;
  readonly applicability: 'safe' | 'unsafe';
  readonly edits: readonly Edit[];
  readonly proof?: 'run'; // offered where a run of both texts leaves the same in memory
  readonly mends?: true; // what it leaves in memory is right, and was not before
  /**
   * Fixes of one rule in one function with the same precondition, by its name, are made together; `title` is that of
   * several, with their number for `{count}`. `inFile`: in other functions of the file, too.
   */
  readonly alike?: { readonly precondition: string; readonly title: string; readonly inFile?: true };
  /** What is written depends on the text alone: equal edits in other functions of the file are made with it. */
  readonly inFile?: true;
}

export interface RuleContext {
  readonly model: Model;
  readonly gpu: Gpu;
  readonly options: Readonly<Record<string, number | boolean | string>>;
}

export interface Rule<K extends FactKind = FactKind, M extends string = string> {
  readonly meta: RuleMeta<M>;
  readonly on: K;
  check(fact: Facts[K], context: RuleContext): Iterable<Finding<NoInfer<M>>>;
}

export function needsGain(meta: { readonly needsGain?: true | readonly string[] }, message: string): boolean {
  return meta.needsGain === true || meta.needsGain?.includes(message) === true;
}

/** Keeps the literal types of a rule; the registry holds rules with the parameters erased. */
export function defineRule<K extends FactKind, M extends string>(rule: Rule<K, M>): Rule<K, M> {
  return rule;
}

/** A tool of Compute Sanitizer, for `RuleMeta.confirm`. */
export const withSanitizer = (tool: 'memcheck' | 'racecheck' | 'synccheck' | 'initcheck'): string =>
  `Confirm: \`compute-sanitizer --tool ${tool} PROGRAM\`.`;
