// What a run computes with and writes down: values over the threads of a block, places, the path taken, records.
import type { Instructions, Losses } from './losses';
import type {
  CallExpr,
  Expr,
  FunctionDecl,
  LambdaExpr,
  LaunchExpr,
  Node,
  ParamDecl,
  Stmt,
  TemplateArg,
} from '../../syntax/ast';
import type { Program, Bindings, Type, TypeTable } from '../language';
import type { Gpu } from '../model';
import type { PassedValue } from './passedValueShape';
import type { Lanes, Mask } from './lanes';
import type { AccessHangs, AccessSums, AccessTally, BarrierRecord, BranchRecord, LoopSeen, WarpFault } from './records';
import type { SharedTraceOf } from './traceShape';
import type { Form, Unknown, Unknowns } from './unknowns';

export type { AccessHangs, AccessSums, AccessTally, BarrierRecord, BranchRecord, LoopSeen, WarpFault };
/** Where the bytes of an access are that the same thread has met before. */
export const Kept = { no: 0, inCache: 1, inRegister: 2 } as const;

/** Where a value comes from; a set of bits joined along data and control dependence. */
export const Taint = {
  none: 0,
  thread: 1, // threadIdx
  block: 2, // blockIdx
  chosen: 4, // a uniform value that is not known; the run computes with a witness
  loaded: 8, // loaded from memory, different between the lanes of a warp
  float: 16, // an integer that passed through floating point
  unknownStride: 32, // an unknown uniform factor on a term that differs between lanes
  assumed: 64, // rests on a comparison, division or loop end over unknown values
  maybe: 128, // one of several values, by data
  hash: 256, // arithmetic beyond what the run represents
  loadedUniform: 512, // loaded from memory, the same in each lane of a warp
  iterated: 1024, // known to the run, and not to the compiler: it changes from iteration to iteration
  usualStride: 2048, // rests on a stride that is 1 unless a tensor is a view
  variable: 8192, // of a variable of the file, which functions that the host's run does not see may set
  unplaced: 16384, // behind a member of unknown size
  resized: 4096, // lanes apart by elements of one type, read as another, and the size of one is not known
} as const;
/** Data decide, so that no lane's number is known. */
export const uncertain = Taint.loaded | Taint.hash | Taint.maybe;
/** What a form can say exactly. */
export const unsettled = Taint.chosen | Taint.block | Taint.loadedUniform;

export interface MemoryBase {
  readonly kind: 'memory';
  readonly id: number;
  readonly space: 'global' | 'shared' | 'local' | 'constant' | 'unknown';
  readonly name: string;
  readonly type?: Type;
  readonly declaration?: { readonly fn?: FunctionDecl; readonly uri: string; readonly node: Node };
  readonly ofCall?: boolean; // an unknown function gives the pointer, in each thread perhaps another
  readonly restrict?: boolean; // no other pointer reaches this memory
  /** Bytes that the start of the memory is a multiple of, as far as the compiler can prove it. */
  readonly align?: number;
  readonly bytes?: number | undefined; // what the host allocates there
  readonly bytesOf?: Form | undefined; // what `bytes` is computed from, where the text leaves it open
  readonly contents?: { set: number }; // of memory that `cudaMalloc` gives: bytes from its start that were set so far
  /** Contents of a thread's own array, by byte offset, as far as stores at uniform offsets tell. */
  readonly elements?: Map<number, Value>;
}
export interface Cell {
  readonly name: string;
  /** A variable of the file: what an arm assigns to it is not set back with the function's own variables. */
  readonly global?: boolean;
  type: Type;
  value?: Value;
  ref?: Place;
  /** Of a parameter pack: what it was given. */
  readonly pack?: readonly Value[];
  readonly node?: Node;
  readonly fn?: FunctionDecl;
}

/** Where a field lies in a structure of known alignment, in bytes; it holds while the place has the field's type. */
export interface StructurePart {
  readonly alignment: number;
  readonly offset: number;
  readonly type: Type;
}

interface CellPlace {
  readonly kind: 'cell';
  readonly cell: Cell;
  readonly path: readonly string[];
  readonly type: Type;
}
export interface MemoryPlace {
  readonly kind: 'memory';
  readonly base: MemoryBase;
  readonly offset: Lanes; // bytes from the start of the memory
  readonly form: Form | undefined;
  readonly taint: number;
  readonly type: Type;
  readonly part: StructurePart | undefined;
}
interface ValuePlace {
  readonly kind: 'value';
  readonly value: Value;
  readonly type: Type;
}
export type Place = CellPlace | MemoryPlace | ValuePlace;

/** Every field is there in every value, undefined or not: objects of one shape are what an engine is quick with. */
export interface Value {
  readonly type: Type;
  /** The number, or for a pointer the byte offset from `base`, computed with the witnesses of its unknowns. */
  readonly lanes: Lanes;
  /**
   * The unknowns in it. Absent on a value with taints of `unsettled`: its lanes depend on unknowns in a way that no sum of products tells.
   */
  readonly form: Form | undefined;
  readonly taint: number;
  readonly base: MemoryBase | undefined;
  readonly target: Place | undefined; // a pointer to a variable
  readonly fields: ReadonlyMap<string, Value> | undefined;
  readonly lambda: LambdaValue | undefined;
  /** Key under which fields of an unseen structure get their unknowns. */
  readonly key: string | undefined;
  readonly function: FunctionNamed | undefined;
  /** Of a number that a condition may have overwritten with one that nothing settles: what it is unless it was. */
  readonly usual: number | undefined;
  /** Of a comparison: its two sides; of `&&` and `||`: the two conditions. */
  readonly sides: readonly [Value, Value] | undefined;
}

export interface LambdaValue {
  readonly code: LambdaCode;
  readonly expr: LambdaExpr;
  /** The frame that it was made in. */
  readonly frame: Frame;
}

/** A function as written, with the template arguments that it is named with. */
export interface FunctionNamed {
  readonly kernelName: string;
  readonly templateArgs: readonly TemplateArg[] | undefined;
  readonly templateNumbers?: readonly (number | undefined)[];
  /** What the names in its template arguments stand for. */
  readonly bindings: Bindings;
}

/** Where a piece of memory begins, in the same order of fields as every other place. */
export function memoryStart(base: MemoryBase, type: Type): MemoryPlace {
  return {
    kind: 'memory',
    base,
    offset: 0,
    taint: 0,
    type,
    form: undefined,
    part: undefined,
  };
}

/** What a value has beside its type and its lanes, with nothing in it: literals of values begin with it. */
export const blank: Omit<Value, 'type' | 'lanes' | 'taint'> = {
  type: undefined,
  lanes: undefined,
  form: undefined,
  taint: 0,
  base: undefined,
  target: undefined,
  fields: undefined,
  lambda: undefined,
  key: undefined,
  function: undefined,
  usual: undefined,
  sides: undefined,
} as Omit<Value, 'type' | 'lanes' | 'taint'>;

/** A value with nothing beside its lanes. */
export const plain = (type: Type, lanes: Lanes, taint: number): Value => ({ ...blank, type, lanes, taint });

/** Threads that leave the rest of a body, and those that data may have taken out of it. */
export interface LoopState {
  breaks?: Mask;
  continues?: Mask;
  mayBreak?: Mask;
  mayContinue?: Mask;
}

/** A condition that the run is under. */
export interface Condition {
  readonly cond: Expr;
  readonly value: Value;
  readonly fn: FunctionDecl;
  readonly varies: boolean;
  readonly hangs: boolean;
  /** `hangs`, and what it compares differs between the lanes of one warp, or between the threads of the block. */
  readonly hangsInWarp: boolean;
  readonly hangsInBlock: boolean;
  readonly taint: number;
  readonly picks?: Mask;
  /** It decides how often a loop iterates. */
  readonly isLoop?: boolean;
  readonly outer: Condition | undefined;
  readonly depth: number;
}

/** How the run came to where it is. Never changed in place. */
export interface Path {
  readonly mask: Mask;
  /** Arms walked that no modelled thread takes. */
  readonly shadow: number;
  /** Of these, arms into which some threads of a block may go and others not: it is unknown which. */
  readonly shadowOfSome: number;
  /** Arms of which it is unknown whether they are taken. */
  readonly unsure: number;
  /** Arms whose entry data decide: lanes of a warp may stay out, and it is unknown which. */
  readonly byData: number;
  /** Loops that data may have taken lanes out of in an earlier iteration. */
  readonly again: number;
  /** Arms that the modelled lanes take by what a loop left that was not run to its end: others may. */
  readonly guessed: number;
  /** Nothing is recorded: a place is bound that was read already. */
  readonly quiet: boolean;
  /** How often what is run here is counted: the iterations of the loops around it that are run at once. */
  readonly weight: number;
  /** Within arms that the compiler turns into selects: the straight code around them goes on. */
  readonly selecting: number;
  readonly conditions: Condition | undefined;
  readonly loops: LoopChain | undefined;
  /** The loop or switch that `break` and `continue` belong to. */
  readonly breaks: LoopState | undefined;
}
export interface LoopChain {
  readonly seen: LoopSeen;
  readonly outer: LoopChain | undefined;
  readonly depth: number;
}
/** The same path for other threads. */
export function withMask(path: Path, mask: Mask): Path {
  return mask === path.mask ? path : { ...path, mask };
}

/** One call of a function. */
export interface Frame {
  readonly run: Run;
  readonly fn: FunctionDecl;
  readonly slots: (Cell | undefined)[];
  /** Of a lambda: the frame that it was made in. */
  readonly parent?: Frame;
  readonly self?: Place;
  /** Template arguments of the function. */
  readonly bindings?: Bindings;
  readonly depth: number;
  /** Kernels that the function's template parameters stand for. */
  readonly functions?: ReadonlyMap<string, FunctionNamed> | undefined;
  /** The call that this frame is of, and the frame that it is in. */
  readonly caller?: { readonly node: Node; readonly frame: Frame };
  /** The call in the kernel through which this frame was reached. */
  readonly via?: Node;
  /** How many conditions the run was under when it came in. */
  readonly conditionsBefore: number;
  returned?: Mask;
  // Threads on the way to a label further down, and the condition that parted them from the others.
  jumps?: Map<string, { readonly mask: Mask; readonly under: Condition | undefined }>;
  /** Threads that data may have taken out of the function. */
  mayReturn?: Mask;
  result?: Value;
  resultPlace?: Place;
}

/** Evaluates an expression for the threads of a path. */
export type Code = (path: Path, frame: Frame) => Value;
/** Finds the place that an expression names. */
export type PlaceCode = (path: Path, frame: Frame) => Place;
/** Runs a statement; returns the threads that go on to the next one. */
export type Act = (path: Path, frame: Frame) => Mask;

export interface LambdaCode {
  /** The function that its text is of. */
  readonly fn: FunctionDecl;
  /** Template parameters of the lambda itself that are numbers, by position; the others are undefined. */
  readonly numbers: readonly ({ readonly name: string; readonly slot: number; readonly node: Node } | undefined)[];
  readonly params: readonly {
    readonly name: string;
    readonly slot: number;
    readonly type: Type;
    readonly node: Node;
  }[];
  readonly slots: number;
  readonly body: Act;
  /** Where the variables that it takes from around it are, from the frame that it is made in. */
  readonly captured: ReadonlyMap<string, { readonly hops: number; readonly slot: number }>;
}

/** How often code was met across which one part of the compiler merges nothing, and the other does. */
export interface Sections {
  readonly frontEnd: number;
  readonly assembler: number;
}
/** An access that is to be counted: bytes a lane at an offset from its memory. */
export interface PendingCount {
  readonly record: AccessRecord;
  readonly offset: Lanes;
  readonly form: Form | undefined;
  readonly taint: number;
  readonly bytes: number;
  readonly mask: Mask;
  /** How often it is counted. */
  readonly weight: number;
  readonly part?: StructurePart | undefined;
  /** Those of the recorder when it was met. */
  readonly sections: Sections;
}

export interface AccessRecord extends AccessSums, AccessTally {
  readonly node: Node;
  readonly expr: Expr | undefined;
  readonly fn: FunctionDecl;
  readonly space: MemoryBase['space'];
  readonly mode: 'load' | 'store' | 'atomic';
  readonly base: MemoryBase;
  readonly type: Type;
  readonly bytes: number;
  readonly pieces: number;
  readonly via?: Node;
  readonly loops: readonly LoopSeen[];
  /** Byte offsets of the lanes of the first warp seen with most active lanes. */
  sample: { addresses: Float64Array; lanes: Uint8Array; count: number; uniform: boolean } | undefined;
  /** How often it was met where data decide which lanes come. */
  byData: number;
  /** Of a load whose lanes are a few bytes apart: which of the bytes between two lanes it touches, over all iterations. */
  touched?: {
    stride: number;
    readonly bytes: Uint8Array;
    /** What was taken down last. */
    last?: { readonly first: number; readonly bytes: number; readonly form: Form | undefined };
  };
}

/** What is done to shared memory, in its order. */
export type SharedTrace = SharedTraceOf<MemoryPlace, Path, Frame, Value>;

export interface Recorder extends Losses<Path, Frame>, Instructions<MemoryPlace, Path, Frame> {
  readonly accesses: Map<Node, AccessRecord[]>;
  readonly branches: Map<Expr, BranchRecord>;
  readonly barriers: Map<Node, BarrierRecord>;
  readonly shared: SharedTrace;
  /** `value`: what is stored. */
  access(place: MemoryPlace, mode: AccessRecord['mode'], path: Path, frame: Frame, node: Expr, value?: Value): void;
  /** What was done in arms that data pick, those together that do the same in all arms of a branch. */
  readonly inArms: PendingCount[][];
  joinArms(path: Path, arms: readonly PendingCount[][][]): void;
  /** `entered`: the lanes that came to a loop, of which those of the path still iterate; those that left it wait, which is time lost. */
  branch(
    cond: Expr,
    statement: Stmt | Expr,
    form: BranchRecord['form'],
    value: Value,
    path: Path,
    fn: FunctionDecl,
    entered?: Mask,
  ): void;
  barrier(node: Node, name: string, scope: BarrierRecord['scope'], path: Path, frame: Frame): void;
  /** A primitive of a warp that is wrong. */
  warpCall(node: Node, name: string, fault: WarpFault, path: Path, frame: Frame): void;
  /** Ends a stretch of straight code: accesses that wait for neighbours are counted. */
  flush(path?: Path): void;
  sections: Sections;
  /** The straight code since the loop began is a whole iteration: takes it as the unrolled loop has it, and ends it. */
  flushIteration(path: Path, iteration: Unknown, unroll: number): void;
  /** What is written from here on can be taken back, or kept. */
  begin(): void;
  commit(): void;
  rollback(): void;
  earlyReturn: Condition | undefined;
}

/** Memory that holds values: a run on it computes what the code computes, for one block, and stops at what it cannot. */
export interface Contents {
  readonly block: readonly [number, number, number];
  parameter(run: Run, name: string, type: Type): Value;
  load(place: MemoryPlace, path: Path): Value;
  store(place: MemoryPlace, value: Value, path: Path): void;
  /** What the operation that `name` ends with gives each lane: what was there before. */
  atomic(name: string, place: MemoryPlace, operands: readonly Value[], path: Path): Value;
  recorder(run: Run): Recorder;
}

export interface RunSetup {
  readonly program: Program;
  readonly types: TypeTable;
  readonly gpu: Gpu;
  readonly compiler: Compiler;
  readonly fn: FunctionDecl;
  readonly bindings: Bindings;
  /** Threads of the block by axis; all 1 for host code. */
  readonly block: readonly [number, number, number];
  /** Blocks of the grid by axis where known. */
  readonly grid: readonly [number | undefined, number | undefined, number | undefined];
  readonly blockAt?: readonly [number, number, number]; // the block to run; any of the grid without it
  readonly args: readonly (number | undefined)[];
  /** Bytes by which pointer parameters start behind an aligned address, where a launch tells. */
  readonly argOffsets?: readonly (number | undefined)[];
  /** What a launch gives parameters that are structures or lambdas. */
  readonly passed?: readonly PassedValue[];
  readonly host: boolean;
  readonly contents?: Contents;
  readonly assumes?: (name: string, key: string) => number | undefined; // for what the text leaves open
  readonly ends?: true; // keeps no launch after the end of the program
  readonly races?: boolean; // asks for races in shared memory
  /** Thread operations (one for each started 32 threads of a statement or call) after which loops are left at the first chance. */
  readonly budget: number;
  readonly reached?: Set<string>; // host runs: functions already run through, which need no separate run
}

export interface LaunchRecord extends FunctionNamed {
  readonly node: LaunchExpr | CallExpr;
  readonly fn: FunctionDecl;
  /** The launch itself, where `node` is a call that asks for it. */
  readonly through?: { readonly node: LaunchExpr; readonly fn: FunctionDecl };
  readonly grid: Value;
  readonly block: Value;
  readonly args: readonly Value[];
  readonly sharedBytes?: Value;
  readonly unsure?: boolean; // under an undecided condition
  readonly set?: readonly (number | undefined)[]; // of each argument, `contents` of its memory
}

export interface Run {
  readonly setup: RunSetup;
  readonly threads: number;
  readonly full: Mask;
  readonly cost: number; // of one step: started groups of 32 threads
  spent: number;
  readonly unknowns: Unknowns;
  readonly bases: Map<string, MemoryBase>;
  readonly globals: Map<string, Cell>;
  readonly recorder: Recorder;
  readonly launches: LaunchRecord[];
  readonly functions: Set<string>; // keys of those that the run went through
  /** Names of functions that the code it went through looked up. */
  readonly asked: Set<string>;
  readonly members: Map<string, readonly [string, string]>; // class and name, taken from all host code
  readonly threadIndex: ReadonlyMap<string, Value>;
  chosenCount: number;
  isOver?: true; // the host's program ended, or what it asserts does not hold for the numbers assumed
  loopCount: number;
  /** Loops that are being run for all their iterations at once. */
  iterating: number;
}

/** A function ready to run. */
export interface FunctionCode {
  readonly params: readonly ParamCode[];
  readonly returns: Type;
  readonly slots: number;
  readonly body: Act | undefined;
  /** Names of functions that its text looked up. */
  readonly asked: ReadonlySet<string>;
  readonly lambdas: ReadonlyMap<LambdaExpr, LambdaCode>;
}
export interface ParamCode {
  readonly name: string;
  readonly slot: number;
  readonly type: Type;
  /** Without its reference. */
  readonly plain: Type;
  readonly node: ParamDecl;
  readonly init: Code | undefined;
}

export interface Compiler {
  readonly program: Program;
  readonly types: TypeTable;
  /** The code of a function under template arguments; made on the first call. */
  codeOf(fn: FunctionDecl, bindings: Bindings): FunctionCode;
}
