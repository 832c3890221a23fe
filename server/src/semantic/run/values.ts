// What a run computes with: values over the threads of a block, the memory they point to, the places they stand in, and the path taken.
import type { Expr, FunctionDecl, LambdaExpr, Node, Stmt } from '../../syntax/ast';
import type { Bindings, Type } from '../language/types';
import type { Lanes, Mask } from './lanes';
import type { Run } from './state';
import type { Form } from './unknowns';

/** Where a value comes from; a set of bits joined along data and control dependence. */
export const Taint = {
  none: 0,
  thread: 1, // threadIdx
  block: 2, // blockIdx
  chosen: 4, // a uniform value nothing in sight fixes; the run computes with a witness
  loaded: 8, // loaded from memory, different between the lanes of a warp
  float: 16, // an integer that passed through floating point
  unknownStride: 32, // an unknown uniform factor on a term that differs between lanes
  assumed: 64, // rests on a comparison, division or loop end over unknown values
  maybe: 128, // one of several values, by data
  hash: 256, // arithmetic beyond what the run represents
  loadedUniform: 512, // loaded from memory, the same in each lane of a warp
  iterated: 1024, // known to the run, and not to the compiler: it changes from iteration to iteration
} as const;
/** What data decide, so that no lane's number is known. */
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
  /** The pointer promises that no other pointer reaches this memory. */
  readonly restrict?: boolean;
  /** Bytes that the start of the memory is a multiple of, as far as the compiler can prove it. */
  readonly align?: number;
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
  readonly node?: Node;
  readonly fn?: FunctionDecl;
}

/** Where a field lies in a structure of known alignment, in bytes; it holds while the place has the field's type. */
export interface StructurePart {
  readonly alignment: number;
  readonly offset: number;
  readonly type: Type;
}

export interface CellPlace {
  readonly kind: 'cell';
  readonly cell: Cell;
  readonly path: readonly string[];
  readonly type: Type;
}
export interface MemoryPlace {
  readonly kind: 'memory';
  readonly base: MemoryBase;
  /** Bytes from the start of the memory. */
  readonly offset: Lanes;
  readonly form?: Form;
  readonly taint: number;
  readonly type: Type;
  readonly node: Node;
  readonly strideName?: string;
  readonly part?: StructurePart;
}
export interface ValuePlace {
  readonly kind: 'value';
  readonly value: Value;
  readonly type: Type;
}
export type Place = CellPlace | MemoryPlace | ValuePlace;

export interface Value {
  readonly type: Type;
  /** The number, or for a pointer the byte offset from `base`, computed with the witnesses of its unknowns. */
  readonly lanes: Lanes;
  /**
   * The unknowns in it. Absent on a value with taints of `unsettled`: its lanes hang on unknowns in a way that no sum of products tells.
   */
  readonly form?: Form;
  readonly taint: number;
  readonly base?: MemoryBase;
  /** A pointer to a variable. */
  readonly target?: Place;
  readonly fields?: ReadonlyMap<string, Value>;
  readonly lambda?: { readonly code: LambdaCode; readonly expr: LambdaExpr; readonly frame: Frame };
  /** Key under which fields of an unseen structure get their unknowns. */
  readonly key?: string;
  /** The unknown factor behind `unknownStride`, as written. */
  readonly strideName?: string;
  readonly function?: readonly FunctionDecl[];
  /** Of a number that a condition may have overwritten with one that nothing settles: what it is unless it was. */
  readonly usual?: number;
  /** Of a comparison: its two sides; of `&&` and `||`: the two conditions. */
  readonly sides?: readonly [Value, Value];
}

/** `byData`: data decide how often it turns, so that later iterations were not run. */
export interface LoopSeen {
  readonly stmt: Stmt;
  readonly fn: FunctionDecl;
  trips?: number;
  readonly variable?: string;
  byData?: boolean;
  /** Only so many iterations of a longer loop were run. */
  first?: number;
}
export interface LoopState {
  breaks?: Mask;
  continues?: Mask;
}

/** A condition that the run stands under. */
export interface Condition {
  readonly cond: Expr;
  readonly fn: FunctionDecl;
  readonly varies: boolean;
  readonly hangs: boolean;
  /** `hangs`, and what it compares differs between the lanes of one warp, or between the threads of the block. */
  readonly hangsInWarp: boolean;
  readonly hangsInBlock: boolean;
  readonly taint: number;
  readonly picks?: Mask;
  readonly outer: Condition | undefined;
  readonly depth: number;
}

/** How the run came to where it is. Never changed in place. */
export interface Path {
  readonly mask: Mask;
  /** Arms walked that no modelled thread takes. */
  readonly shadow: number;
  /** Arms of which nobody knows whether they are taken. */
  readonly unsure: number;
  /** Arms whose entry data decide: lanes of a warp may stay out, and nobody knows which. */
  readonly byData: number;
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
  /** The call in the kernel through which this frame was reached. */
  readonly via?: Node;
  /** How many conditions the run stood under when it came in. */
  readonly conditionsBefore: number;
  returned?: Mask;
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
}
