// The facts of directives, types only; a part of model.ts, through which the rules import them.
import type { Edit, Span } from '../span';

/** A directive and what is wrong with its form. */
interface AccDirectiveFact {
  readonly kind: 'acc-directive';
  readonly at: Span;
  readonly problems: readonly {
    readonly code: string;
    readonly at: Span;
    readonly data: Readonly<Record<string, string | number>>;
    readonly relatedAt?: Span;
    readonly fix?: AccFix & { readonly safe: boolean };
  }[];
}

/** A fix that the analysis has found, ready for a rule to offer. */
export interface AccFix {
  readonly title: string;
  readonly edits: readonly Edit[];
}

/** A bound on the iterations of a loop and where it comes from. */
export interface AccTrips {
  readonly atMost: number;
  readonly exact: boolean;
  /** The end of a sentence: ``\`w\` has 9 elements``. */
  readonly why: string;
  readonly at?: Span;
}

/** A loop whose turns the lanes of a gang share. */
export interface AccVectorLoop {
  readonly at: Span;
  readonly variable: string;
  readonly trips?: AccTrips;
}

/**
 * The vector length of one kernel (a parallel construct, or a loop nest of a kernels construct) and the loops that use
 * it.
 */
export interface AccVectorLengthFact {
  readonly kind: 'acc-vector-length';
  /** The number where it is written, else the head of the first vector loop. */
  readonly at: Span;
  /** The construct with its loops, where a length is too long for them. */
  readonly kernelAt?: Span;
  readonly length: number;
  readonly origin: 'written' | 'assumed' | 'feedback';
  /** Every loop of the kernel that runs on lanes. */
  readonly loops: readonly AccVectorLoop[];
  /** The smallest multiple of 32 that holds all turns of every vector loop; absent where one of them has no bound. */
  readonly needed?: number;
  /** A compiler said that the outer loop took the lanes, and the short loop inside runs turn by turn in each. */
  readonly innerSequential?: boolean;
  /** Edits that set `needed`, best first. */
  readonly fixes: readonly (AccFix & { readonly safe: boolean })[];
  /** Edits that make a written length a multiple of 32 between 32 and 1024. */
  readonly rounded?: { readonly length: number; readonly fix: AccFix };
}

/** The written size of a gang: workers times lanes. */
export interface AccBlockFact {
  readonly kind: 'acc-block';
  readonly at: Span; // the number of workers
  readonly workers: number;
  readonly vectorLength: number;
  readonly vectorAt?: Span;
  /** The most workers that fit, and the edit that writes them. */
  readonly clamped?: { readonly workers: number; readonly fix: AccFix };
}

/** A kernel of one warp a gang: 32 lanes, no workers, and a loop over gangs around short vector loops. */
export interface AccWorkersFact {
  readonly kind: 'acc-workers';
  /** Gangs and lanes share one loop, and the written length alone makes a gang of one warp. */
  readonly flat?: boolean;
  readonly at: Span; // the head of the loop over gangs
  readonly kernelAt: Span; // the construct with its loops
  readonly variable: string;
  readonly vectorLength: number;
  readonly origin: 'written' | 'assumed' | 'feedback';
  readonly lengthAt?: Span;
  /** Statements in the gang's loop, those of the vector loops included. */
  readonly statements: number;
  readonly vectorLoops: number;
  readonly trips?: AccTrips;
  /** In rising order, never empty; without a fix where the clauses cannot be written. */
  readonly choices: readonly { readonly workers: number; readonly fix?: AccFix }[];
}

/** Loops that no directive gives to the levels they want. */
export interface AccMappingFact {
  readonly kind: 'acc-mapping';
  readonly form:
    | 'redundant' // a loop in a parallel construct without a loop directive: every gang runs all of it
    | 'idle-lanes' // a loop on gangs alone; nothing inside is on lanes
    | 'no-vector' // gangs or workers alone, and nothing inside that could have the lanes
    | 'inner-unproven' // kernels: the outer loop says independent, and the compiler cannot prove the inner one
    | 'inner-unmapped' // nothing is said of the inner loop, along which the arrays lie
    | 'tiny-outer' // gangs and lanes on a loop of few turns around a long one
    | 'serial' // a loop of a serial construct whose turns are independent
    | 'no-gang' // no loop of the nest is shared among gangs
    | 'few-gangs' // gangs for less than half of the multiprocessors
    | 'unshared' // kernels: turns that meet in arrays, which a clause would resolve
    | 'inner-seq' // no lanes, and an inner loop that says seq for nothing
    | 'idle-workers' // turns for less than half of the workers
    | 'triangle'; // joined loops of which a condition leaves out half
  readonly at: Span;
  readonly variable: string;
  /** `gang worker`: the levels that the loop names. */
  readonly levels?: string;
  readonly inner?: { readonly at: Span; readonly variable: string; readonly whole?: Span };
  readonly trips?: AccTrips;
  /** Gangs, or workers, that there are. */
  readonly gangs?: number;
  /** In which turns meet, and the clauses that resolve it. */
  readonly arrays?: readonly string[];
  readonly remedy?: string;
  readonly fix?: AccFix & { readonly safe: boolean };
}

/** A vector loop with its lanes far apart in memory, while another loop of the nest runs along the arrays. */
export interface AccStrideFact {
  readonly kind: 'acc-stride';
  readonly at: Span; // the head of the vector loop
  readonly variable: string;
  readonly origin: 'written' | 'assumed' | 'feedback';
  readonly better: { readonly at: Span; readonly variable: string; readonly inside: boolean };
  /**
   * Accesses with a stride over the vector loop that are contiguous along `better`, and those that are contiguous as it
   * is.
   */
  readonly strided: readonly {
    readonly at: Span;
    readonly text: string;
    readonly array: string;
    /** `n`, `1024`, `a row`: elements between neighbouring lanes. */
    readonly stride: string;
  }[];
  readonly contiguous: number;
  /** All accesses that differ between lanes, gathers among them. */
  readonly accesses: number;
  readonly fix?: AccFix;
}

/** Tightly nested independent loops whose outer one has too few turns for the gangs of a GPU. */
export interface AccCollapseFact {
  readonly kind: 'acc-collapse';
  readonly at: Span; // the head of the outer loop
  readonly kernelAt: Span; // the construct, as far as this nest of loops
  readonly variable: string;
  readonly trips: AccTrips;
  readonly inner: readonly string[];
  /** The heads of all loops that could be joined. */
  readonly joined: readonly Span[];
  readonly count: number;
  readonly fix?: AccFix & { readonly safe: boolean };
}

/**
 * A host loop around compute constructs that move the same arrays on each iteration, which the host leaves alone in
 * between.
 */
export interface AccRepeatedTransferFact {
  readonly kind: 'acc-repeated-transfer';
  readonly at: Span; // the head of the loop
  readonly loopText: string;
  readonly arrays: readonly string[];
  /** Where the constructs stand: in the loop itself, or in procedures that it calls. */
  readonly through: 'constructs' | 'calls' | 'both';
  /** The constructs, also of called procedures, and the arrays by their names there. */
  readonly constructs: readonly Span[];
  readonly names: readonly string[];
  /** Ways that an iteration moves each. */
  readonly ways: number;
  /** Data clauses say that the arrays are moved; else the compiler does it by itself. */
  readonly stated: boolean;
  readonly regions: readonly Span[];
  /** The data region that def-use asks for: `data copyin(a[0:n]) copy(b[0:n])`; `…` stands for what is not known. */
  readonly advice: string;
  /** On each iteration, where all extents are known; `atMost`: a compiler may leave out some of `toHost`. */
  readonly bytes?: { readonly toGpu: number; readonly toHost: number; readonly atMost: boolean };
  readonly fix?: AccFix;
}

/** What the loops of one kernel do, for the cost model. */
export interface AccWorkFact {
  readonly kind: 'acc-work';
  readonly at: Span; // the construct with its loops, or a nest of a kernels construct
  /** By the place of their heads; `shared` by gangs, workers or lanes. */
  readonly loops: readonly { readonly at: number; readonly shared: boolean; readonly trips?: AccTrips }[];
  /** The loop whose iterations are neighbouring lanes. */
  readonly lane?: number;
  readonly accesses: readonly {
    readonly array: string;
    readonly bytes: number;
    /** Loops around it, outermost first, and the part of a sector between two iterations: 0 where it stays. */
    readonly loops: readonly { readonly at: number; readonly sectors: number }[];
  }[];
}

/** An item of a data clause that moves more than the region needs. */
export interface AccDataClauseFact {
  readonly kind: 'acc-data-clause';
  readonly at: Span; // the item
  readonly array: string;
  readonly clause: string;
  readonly directive: string;
  readonly regionAt: Span;
  /** It comes from outside of the procedure, where a caller may keep it on the GPU. */
  readonly handedIn: boolean;
  /** The region stands outside of every loop and has one within itself, on the host: what it moves it moves once. */
  readonly amortised: boolean;
  /** What would do; absent for what the region does not use at all. */
  readonly better?: 'copyin' | 'copyout' | 'create';
  /** What the region does with it. */
  readonly reasons: readonly { readonly at: Span; readonly text: string }[];
  readonly fix?: AccFix & { readonly safe: boolean };
}

/** An `update` on each iteration of a host loop that nothing there needs. */
export interface AccUpdateFact {
  readonly kind: 'acc-update';
  readonly at: Span; // the item
  readonly array: string;
  readonly to: 'host' | 'device';
  /** The only elements that the host reads of a whole array before the GPU sets it again, as written. */
  readonly elements?: readonly string[];
  readonly loopAt: Span; // what sets it again, with `elements`
  readonly wholeLoopAt: Span;
  readonly loopText: string;
  readonly fix?: AccFix;
}

/** A scalar that the turns of a parallel loop accumulate into without a reduction. */
export interface AccReductionFact {
  readonly kind: 'acc-reduction';
  readonly at: Span; // the accumulating statement's target
  readonly scalar: string;
  /** As a clause spells it in this language. */
  readonly operator: string;
  readonly atomic?: true; // each turn updates it atomically
  readonly loopAt: Span;
  readonly loopText: string;
  /** Of the build, where it is known. */
  readonly compiler?: 'gcc' | 'nvhpc';
  readonly fix?: AccFix;
}

/** A variable that the turns of a parallel loop write together, or each in a copy that is lost. */
export interface AccRaceFact {
  readonly kind: 'acc-race';
  readonly form:
    | 'element' // all turns add to the same elements
    | 'scattered' // turns add at places out of an array, which may be equal
    | 'private' // each turn writes the same elements before it reads them
    | 'carried' // a turn reads what another one writes
    | 'unordered' // gangs write in one loop what others touch in another one
    | 'lost'; // an atomic update of a firstprivate scalar
  readonly at: Span; // what is written
  readonly name: string;
  readonly text: string;
  readonly loopAt: Span;
  readonly loopText: string;
  readonly other?: { readonly at: Span; readonly text: string };
  readonly fix?: AccFix;
}

/** A loop of a kernels region whose turns the compiler cannot tell apart, because pointers may overlap. */
export interface AccAliasFact {
  readonly kind: 'acc-alias';
  readonly at: Span; // the head of the loop
  readonly loopText: string;
  readonly written: string;
  readonly others: readonly string[];
  readonly related: readonly { readonly at: Span; readonly text: string }[];
  readonly fixes: readonly AccFix[];
}

/** A call in code for the GPU of a known procedure that no `routine` directive compiles for it. */
export interface AccRoutineFact {
  readonly kind: 'acc-routine';
  readonly at: Span; // the name in the call
  /** The calls in other constructs of the same procedure. */
  readonly alsoAt: readonly Span[];
  readonly name: string;
  readonly definitionAt: Span;
  /** It is declared `inline`, visible at the call: it links if the compiler inlines it. */
  readonly inlined: boolean;
  /** Why no edit is offered. */
  readonly why?: string;
  readonly fix?: AccFix;
}

/** The host waits where it need not. */
export interface AccWaitFact {
  readonly kind: 'acc-wait';
  readonly form: 'wait-in-loop' | 'independent-regions' | 'dependent-regions';
  readonly at: Span;
  readonly regions: readonly Span[];
  readonly loopText?: string;
  readonly fix?: AccFix;
}

/** What a queue may still work on when something else uses it. */
export interface AccUnwaitedFact {
  readonly kind: 'acc-unwaited';
  readonly form: 'unwaited' | 'copied-back'; // a scalar that `kernels` copies back by itself
  readonly at: Span; // the use
  readonly name: string;
  /** The end of a sentence: `freed`, `used in queue 2`. */
  readonly use: string;
  readonly byAt: Span;
  readonly directive: string;
  /** The directive that is missing: `wait(1)`. */
  readonly wait: string;
  /** No caller and no value of a queue decides. */
  readonly sure: boolean;
  readonly fix?: AccFix;
}

/**
 * A loop of a compute region with what is known of it, for people and scripts that ask for the model; in order of place
 * within its region.
 */
export interface AccLoopFact {
  readonly kind: 'acc-loop';
  readonly at: Span; // the head
  readonly variable: string;
  readonly construct: 'parallel' | 'kernels' | 'serial' | 'routine';
  readonly regionAt: Span; // the directive of the construct or routine
  readonly procedure: string;
  /** Loops of the region around it. */
  readonly depth: number;
  /**
   * The levels that share its turns, and where each comes from; none where each thread that reaches it runs all of
   * them.
   */
  readonly levels: { readonly [level in 'gang' | 'worker' | 'vector' | 'seq']?: 'written' | 'assumed' | 'feedback' };
  /** A `collapse` or `tile` of a loop around it takes it in. */
  readonly joined: boolean;
  readonly vectorLength?: number;
  readonly workers?: number;
  readonly trips?: AccTrips;
}

export interface AccFactKinds {
  'acc-loop': AccLoopFact;
  'acc-work': AccWorkFact;
  'acc-data-clause': AccDataClauseFact;
  'acc-update': AccUpdateFact;
  'acc-reduction': AccReductionFact;
  'acc-race': AccRaceFact;
  'acc-alias': AccAliasFact;
  'acc-routine': AccRoutineFact;
  'acc-wait': AccWaitFact;
  'acc-unwaited': AccUnwaitedFact;
  'acc-repeated-transfer': AccRepeatedTransferFact;
  'acc-vector-length': AccVectorLengthFact;
  'acc-block': AccBlockFact;
  'acc-workers': AccWorkersFact;
  'acc-mapping': AccMappingFact;
  'acc-stride': AccStrideFact;
  'acc-collapse': AccCollapseFact;
  'acc-directive': AccDirectiveFact;
}
