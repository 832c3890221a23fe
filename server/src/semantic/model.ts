// The facts of a source file: the interface between the semantic layer and everything above it.
import type { Assumption } from './assumption';
import type { Edit, Reason, Span } from './span';

export type { Assumption } from './assumption';
export { beginAlike, contains, type Edit, type Reason, type Span } from './span';

/** How much a value differs between the threads of a launch, least first. */
export type Variance = 'constant' | 'grid-uniform' | 'block-uniform' | 'warp-uniform' | 'thread-varying';

/** A three-part extent; a part that no constant reaches is absent. */
export interface Extent {
  readonly x?: number;
  readonly y?: number;
  readonly z?: number;
}

export interface KernelFact {
  readonly kind: 'kernel';
  readonly name: string;
  readonly qualifiedName: string;
  readonly at: Span; // the whole definition
  readonly nameAt: Span;
  readonly global: boolean; // false for a device function that has its own facts
  /** Types as `signature.ts` writes them: `float *`; `auto` for what no known code defines. */
  readonly parameters: readonly string[];
  /** The launch shapes the analysis ran with. `assumed` says that no known launch fixed the block shape. */
  readonly shapes: readonly KernelShape[];
  /** Why the kernel has no facts, when it has none (a body beyond the budget, say). */
  readonly notAnalysed?: string;
  readonly hostLoops: readonly HostLoops[]; // around each place that launches it
  readonly cost: BranchCost; // what its statements do, calls not followed
  readonly work: readonly Work[]; // what a thread computes, in known functions too
  /**
   * Of fetches from textures and moves of inline assembly, four bytes a thread each: iterations of the loops around.
   */
  readonly fetches?: readonly (readonly (number | undefined)[])[];
}
/** What a thread computes in one place: a body of a function or a loop, without the loops in it. */
export interface Work {
  readonly at: Span;
  readonly loops: readonly Pick<LoopRef, 'at' | 'trips'>[]; // around it, innermost first, of callers too
  readonly calls: number; // by so many calls in these loops
  /** Of all calls: issue slots; among them double-precision instructions; conversions from and to double beside. */
  readonly slots: number;
  readonly doubles: number;
  readonly conversions: number;
}
export interface KernelShape {
  readonly block: readonly [number, number, number];
  readonly grid: Extent;
  readonly assumed: boolean;
  /**
   * True when the block shape is in launch bounds or a launch as constants; false when it depends on a run-time value.
   */
  readonly exact: boolean;
  readonly templateArgs: readonly string[];
  readonly unset?: readonly string[]; // template parameters without a known type or value
  readonly launchAt?: Span;
}
/** Iterations of the loops of host code around a launch, those of its callers too. */
export type HostLoops = readonly (number | undefined)[];

export interface LaunchFact {
  readonly kind: 'launch';
  readonly at: Span; // the whole launch expression, or the call of a function that launches what it is given
  readonly through?: Span; // then the launch in that function
  readonly kernelName: string; // as written
  readonly kernelAt?: Span; // the definition's name, when known
  readonly bodyAt?: Span; // of the lambda or functor that a generic kernel is given: `nameAt` of its fact
  readonly block: Extent; // known parts only
  readonly grid: Extent;
  readonly blockExact: boolean; // false where a part is computed from values no one fixed
  readonly gridExact: boolean;
  readonly gridSample: Extent; // the grid with numbers in the place of what is not known
  readonly blockVaries?: boolean; // the launch is reached with other blocks, too: by a loop over sizes, or by other callers
  readonly blockAt: Span; // the configuration argument as written
  readonly gridAt: Span;
  readonly blockText: string;
  readonly gridText: string;
  /**
   * Where the number of the block's size stands as a literal that one edit can change (`256` in `const int threads =
   * 256;`), when there is one such place.
   */
  readonly blockLiteral?: { readonly at: Span; readonly value: number; readonly axis: 'x' | 'y' | 'z' };
  /** The same number of threads in blocks of usual sizes, the largest first, where the kernel asks for nothing else. */
  readonly relaunches?: readonly (RewriteFact & { readonly threads: number })[];
  /** So many times the blocks, the fewest first, where the kernel shares its work among any number of threads. */
  readonly moreBlocks?: readonly (RewriteFact & { readonly factor: number })[];
  /** Why there is none. */
  readonly refusals?: readonly Refusal[];
  /** The grid is `(n + b - 1) / b` (or an equivalent) of the same constant `b` that is the block size. */
  readonly gridIsCeilDivision: boolean;
  /** The kernel returns or skips its work where its global index is outside its extent. */
  readonly kernelGuardsIndex: boolean;
  readonly kernelCountsThreads: boolean; // some of its work at least is behind such a comparison
  /** The kernel's shared arrays, index arithmetic or template arguments are tied to this block size. */
  readonly kernelNeedsShape: boolean;
  /** The work inside the kernel is done by a single thread on purpose (a set-up kernel with constant work). */
  readonly kernelIsSetup: boolean;
  /** Of a launch of one block: the loop whose iterations blocks could share. */
  readonly apartLoop?: Span;
  readonly sharedBytes?: number;
  readonly sharedAt?: Span;
  /** Something known may raise what dynamic shared memory the kernel may take. */
  readonly sharedMayBeRaised?: boolean;
  readonly unsure?: boolean; // it is under an undecided condition
  readonly mostThreads?: number; // that the kernel's `__launch_bounds__` allow this launch
  readonly stream?: string; // text of the fourth argument
}

type Space = 'global' | 'shared' | 'local' | 'constant' | 'unknown';

/**
 * One memory access as written. Figures are means per warp instruction over the modelled warps and iterations (a mask
 * that shrinks in a loop gives fractions); ratios equal those of the sums. `sectors` is Nsight Compute's "L2
 * Theoretical Sectors Global", `wavefronts` its "L1 Wavefronts Shared".
 */
export interface AccessFact extends Fixable {
  readonly kind: 'access';
  readonly at: Span;
  readonly text: string;
  readonly kernels: readonly string[];
  readonly space: Space;
  readonly mode: 'load' | 'store' | 'atomic';
  readonly elementBytes: number; // bytes one lane moves in one machine instruction
  readonly elementType: string;
  readonly array: { readonly name: string; readonly at?: Span; readonly bytes?: number };
  readonly sectors?: number;
  readonly sectorsIdeal?: number;
  readonly wavefronts?: number;
  readonly wavefrontsIdeal?: number;
  /** Bytes between neighbouring lanes where that is one number over a warp. */
  readonly laneStride?: number;
  /** The stride depends on an unknown value: `name` as written. */
  readonly unknownStride?: string;
  /** An index that was loaded or computed from loaded or floating-point values and differs between lanes. */
  readonly gather?: {
    readonly text: string;
    readonly at: Span;
    readonly sectorsAtMost: number;
    readonly reason: 'loaded' | 'floating-point' | 'hash';
  };
  readonly cause?: AccessCause;
  /** Of atomics and of constant memory: different addresses among the lanes of the fullest warp seen, 1…32. */
  readonly addresses?: number | undefined;
  /**
   * The function of an atomic access; `used` where its result is. `settled`: its place depends on the numbers of
   * thread, block and iteration alone, so that no unknown value can part the lanes. `everywhere`: all threads
   * of the grid meet at one place.
   */
  readonly atomic?: {
    readonly name: string;
    readonly used: boolean;
    readonly settled: boolean;
    readonly coalesced: boolean; // its function makes groups of the lanes that are active
    readonly everywhere?: true;
  };
  /** Of atomics: addresses, side by side, that all threads of the grid together use at most, where that is known. */
  readonly places?: number;
  /** The keyword that puts the array into constant memory, where its declaration has it once. */
  readonly constantAt?: Span;
  /** Of a load or an atomic: all blocks of the grid ask for the same bytes. */
  readonly ofGrid?: true;
  readonly activeLanes: number; // mean over executed warp instructions, 1…32
  /** Mean warp instructions a warp issues for it (loops counted as far as their trips are known). */
  readonly executions: number;
  /** Sectors, or wavefronts, of the warp that needs most. */
  readonly worst?: number;
  /** Where its bytes are by an earlier access of the thread; of a load from a register nothing is left. */
  readonly kept?: 'register' | 'cache' | undefined;
  /**
   * `proven` holds for every value that the code allows, `conditional` under what `assumed` says, `unknown` is not a
   * figure to go by.
   */
  readonly certainty: 'proven' | 'conditional' | 'unknown';
  /** What the figures rest on beyond the text: empty when they follow from text and constants alone. */
  readonly assumed: readonly Assumption[];
  /** Data decide which lanes come there, at once or in later iterations, and each choice has the same figures. */
  readonly byData?: 'some' | 'again';
  readonly trail: readonly Reason[];
  readonly loops: readonly LoopRef[]; // enclosing loops in the kernel, innermost first
  /** Of a load that the innermost loops do not change: how many they are. The compiler makes it before them. */
  readonly hoisted?: number;
  /**
   * Of a store that adds to a place which so many of the innermost loops leave, beside array `other`, its own if `own`.
   */
  readonly accumulates?: Readonly<{ loops: number; other: string; own?: true; conditional: boolean; reloads?: true }>;
  /**
   * Of an atomic to an element that the thread has updated at `first`, one of so many `times`: `part` of it is left
   * where they are combined.
   * `conditional`: a branch is around one of them.
   */
  readonly repeats?: Readonly<{ at: Span; first: Span; part: number; times: number; conditional: boolean }>;
  /** The call in the kernel through which a device function's access was reached. */
  readonly via?: Span;
  /** Of an access in another file's function, which is reported at the call: its own place. */
  readonly calleeAt?: Span;
  /**
   * Of a load whose lanes are `bytes` apart, 64 at most, or whose sectors are so many bytes a lane: how many of these
   * bytes the same thread loads in the same loops, by this access and others. L1 brings the sectors that they share
   * once (docs/measurements/h200-neighbours.md).
   */
  readonly perThread?: { readonly bytes: number; readonly used: number };
  /** Of a compare-and-swap whose loop does what an atomic function does. */
  readonly nativeAtomic?: { readonly name: string; readonly type: string; readonly loop: Span };
}
export type AccessCause =
  | 'stride' // a constant or symbolic factor on the lane
  | 'chunk-per-thread' // a loop from t*c to (t+1)*c
  | 'row-per-thread' // t*n + j with j a loop variable
  | 'slow-axis' // threadIdx.x multiplies the row pitch while another axis runs along the row
  | 'struct-field' // a field of an array of structures
  | 'short-rows' // lanes side by side in pieces shorter than a warp, rows apart
  | 'vector-type' // float3 and other types moved in several instructions
  | 'narrow-block' // a block narrower than a warp spreads the warp over rows
  | 'few-lanes' // few active lanes on scattered rows (halo columns)
  | 'gather'
  | 'misaligned'
  | 'narrowed' // the low half of neighbouring 64-bit integers
  | 'bank-stride'
  | 'bank-column'
  | 'bank-wide' // shared: strided, column of a tile, 8/16-byte lanes
  | 'other';

export interface LoopRef {
  readonly at: Span;
  readonly variable?: string;
  readonly trips?: number;
  /** Only so many of its iterations were run. */
  readonly modelled?: number;
  readonly text: string;
}
/** What families of fixes say of a place. */
export interface Fixable {
  readonly fixes?: Partial<Rewrites>;
  /** Families that came near, each with the precondition that failed. */
  readonly refusals?: readonly Refusal[];
}
/** What each family finds. Filled by the list of families (`facts`). */
// biome-ignore lint/suspicious/noEmptyInterface: a type alias could not be added to
export interface Rewrites {}
/** Those of the list; shuffles are a part of the sweep's fact. */
export type FixFamily = keyof Rewrites | 'shuffles' | 'guards';
/** A family of fixes that came near a place, and the precondition that it failed. */
export interface Refusal {
  readonly family: FixFamily;
  /** The precondition's name within its family. */
  readonly precondition: string;
  /** A clause that follows on "no fix is offered:". */
  readonly why: string;
}
/** Edits of kernel and launches, and what the title says of them. */
export interface RewriteFact {
  readonly proof?: 'run'; // as of a fix
  readonly edits: readonly Edit[];
  readonly title: string;
  /** Of a launch: it takes another argument, or repeats the extents of a variable. */
  readonly isLong?: boolean;
}
export interface GridStrideFact extends RewriteFact {
  readonly variable: string; // in full in its title
}
/** Another layout of an array in shared memory: longer rows, gaps, or columns that are exchanged from row to row. */
export interface TileLayoutFact extends RewriteFact {
  /** Bytes of static shared memory that it takes beside those of today. */
  /** Wavefronts over ideal wavefronts of the access, of the warp with most lanes, before and after. */
  readonly before: number;
  readonly after: number;
  /** Nothing but the layout changes: no launch asks for more shared memory. */
  readonly safe: boolean;
}

/** A branch or loop condition in device code. */
export interface BranchFact extends Fixable {
  readonly kind: 'branch';
  readonly at: Span; // the condition
  readonly statementAt: Span;
  readonly form: 'if' | 'for' | 'while' | 'do' | 'switch' | 'conditional';
  readonly text: string;
  readonly kernels: readonly string[];
  readonly variance: Variance;
  /** The condition depends on values loaded from memory (or computed from them) that differ between lanes. */
  readonly dataDependent: boolean;
  /** It depends on loaded values, of which each lane may have the same. */
  readonly byData?: true;
  /** `i < n` around the work of a thread, or an early return of the same kind. */
  readonly boundaryGuard: boolean;
  /** Only one lane of a block or warp goes in (`threadIdx.x == 0`). */
  readonly singleLane: boolean;
  /** Share of modelled warp executions that split, 0…1; absent when data decide. */
  readonly splitShare?: number;
  /** Lane time lost under the branch: 1 − active lanes / 32 over what runs under it, 0…1; absent when data decide. */
  readonly lostShare?: number;
  /**
   * Of a loop: the condition under which some of its lanes leave it before the others, where it is not the head's data.
   */
  readonly exit?: Span;
  /**
   * Of a loop of at least as many iterations as a warp has lanes, or of unknown length: so many threads of a block `of`
   * run it, in so many warps, while the others wait, and all could share its iterations.
   */
  readonly serial?: Readonly<{ threads: number; warps: number; of: number; loop: LoopRef; combines: boolean }>;
  /** A pattern in the lane number that a warp-aligned split fixes. */
  readonly lanePattern?: { readonly text: string; readonly modulus: number };
  readonly under: BranchCost;
  readonly otherwise?: BranchCost; // the else arm
  readonly trail: readonly Reason[];
  readonly loops: readonly LoopRef[];
  readonly assumed: readonly Assumption[];
  /** Both arms do nothing but assign one variable or element. */
  readonly assignsOne?: boolean;
}
/** What runs under one arm, counted over its statements (loops multiplied by known trips, at most 64). */
export interface BranchCost {
  readonly operations: number;
  readonly loads: number;
  readonly stores: number;
  readonly loops: number;
  readonly calls: number;
  readonly barriers: number;
  readonly returns: boolean;
}

export interface BarrierFact extends Fixable {
  readonly kind: 'barrier';
  readonly at: Span;
  readonly name: string; // __syncthreads, __shfl_down_sync, …
  readonly kernels: readonly string[];
  readonly scope: 'block' | 'warp';
  readonly loops: readonly LoopRef[]; // innermost first
  /** The condition, different between the lanes that must meet, under which it stands. */
  readonly under?: {
    readonly at: Span;
    readonly text: string;
    readonly trail: readonly Reason[];
    /** It decides how often a loop iterates. */
    readonly isLoop?: boolean;
    /** A guard around all that is left of its kernel, and a barrier at which threads that ended count as arrived. */
    readonly atEnd?: boolean;
    /** An unknown function has a part in it, which may give all threads one value. */
    readonly outOfSight?: boolean;
  };
  /** A return before it that some lanes take. */
  readonly afterReturn?: { readonly at: Span; readonly text: string; readonly trail: readonly Reason[] };
  readonly proven: boolean; // lanes are missing for the known launch shape, not only for some shape
  /** The threads that do not enter come to a barrier of the other arm. */
  readonly inBothArms?: boolean;
  /** Known numbers show that its mask or its source lane is wrong, by this lane. */
  readonly fault?: {
    readonly kind: 'absent' | 'unnamed' | 'inactive';
    readonly mask: string;
    readonly lane: number;
    readonly source?: number;
  };
}

/** A tree reduction over a shared array. Everything the rewrite needs, as text and spans. */
export interface SweepFact {
  readonly kind: 'sweep';
  readonly at: Span; // the head of the loop, or of the first `if` of an unrolled form
  readonly hotAt: Span; // the statement that combines
  readonly kernels: readonly string[];
  readonly array: string;
  readonly operator: '+' | 'max' | 'min' | '&' | '|' | '^';
  readonly direction: 'halving' | 'doubling' | 'modulo';
  readonly blockThreads?: number;
  /** Elements that go into the total, where the known launches agree. */
  readonly elements?: number;
  /** Barriers of the block that it meets at, where the known launches agree. */
  readonly barriers?: number;
  /** Its last steps run in one warp, with no barrier of the block between them. */
  readonly lastWarp?: boolean;
  /** Absent when the rewrite is not safe to offer; `why` says so. */
  readonly rewrite?: {
    readonly edits: readonly Edit[];
    readonly title: string /** The total is the same bit for bit, and no limit on shared memory is near. */;
    readonly exact: boolean;
  };
  readonly why?: string;
}

export type * from './acc/model';
export type { BuildFact } from './facts/model';
export type * from './flow/model';
export type * from './races/model';
export type * from './fixes/model';
export type * from './unread/model';

/** By kind. Each kind adds its own line where it registers (`facts`). */
// biome-ignore lint/suspicious/noEmptyInterface: a type alias could not be added to
export interface Facts {}
export type FactKind = keyof Facts;

export interface Model {
  readonly uri: string;
  /** The file is Fortran of this source form; absent for the C family. Comments differ. */
  readonly fortran?: 'free' | 'fixed';
  readonly facts: { readonly [K in FactKind]: readonly Facts[K][] };
  /**
   * What kept the model from seeing more: includes that were not found, launches that bind to nothing, budgets that ran
   * out.
   */
  readonly notes: readonly Reason[];
  /** What the limits of work left out. */
  readonly excess?: string;
  /** What comments say of functions and constructs of this file, and of functions in files that it includes. */
  readonly marks?: readonly Mark[];
}

/** `// warplens: hot`: the user says whether the time of a function or construct matters. */
export interface Mark {
  /** The comment, and its word. */
  readonly at: Span;
  readonly wordAt: Span;
  /** In lower case; `hot` and `cold` have a meaning. */
  readonly word: string;
  /** The definition or construct that it stands above; absent where there is none. */
  readonly of?: Span;
  readonly name?: string; // of a definition
}

/** The GPU that figures are computed for. */
export interface Gpu {
  readonly name: string;
  readonly computeCapability: number;
  readonly multiprocessors: number;
  readonly warpSize: number;
  readonly resident: { readonly blocks: number; readonly threads: number }; // of a multiprocessor, at most
}
