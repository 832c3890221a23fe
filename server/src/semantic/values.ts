// What the block interpreter computes with: values over the threads of a block, the memory they point to, and the places they stand in.
import type { FunctionDecl, LambdaExpr, Node } from '../syntax/ast';
import type { Lanes, Mask } from './lanes';
import type { Bindings, Type } from './language/types';

/** Where a value comes from; a set of bits joined along data and control dependence. */
export const Taint = {
  none: 0,
  thread: 1, // threadIdx
  block: 2, // blockIdx
  chosen: 4, // a uniform value nothing in sight fixes; its number was chosen by the run
  loaded: 8, // loaded from memory, different between the lanes of a warp
  float: 16, // an integer that passed through floating point
  unknownStride: 32, // an unknown uniform factor on a term that differs between lanes
  assumed: 64, // rests on a comparison, division or loop end over chosen values
  maybe: 128, // one of several values, by data
  hash: 256, // arithmetic beyond what the run represents
  loadedUniform: 512, // loaded from memory, the same in each lane of a warp
} as const;

export interface MemoryBase {
  readonly kind: 'memory';
  readonly id: number;
  readonly space: 'global' | 'shared' | 'local' | 'constant' | 'unknown';
  readonly name: string;
  readonly type?: Type;
  readonly declaration?: { readonly fn?: FunctionDecl; readonly uri: string; readonly node: Node };
  /** The pointer promises that no other pointer reaches this memory. */
  readonly restrict?: boolean;
  /** Contents of a thread's own array, by byte offset, as far as stores at uniform offsets tell. */
  readonly elements?: Map<number, Value>;
}
export interface Cell {
  readonly name: string;
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

export type Place =
  | { readonly kind: 'cell'; readonly cell: Cell; readonly path: readonly string[]; readonly type: Type }
  | {
      readonly kind: 'memory';
      readonly base: MemoryBase;
      readonly offset: Lanes;
      readonly taint: number;
      readonly type: Type;
      readonly node: Node;
      readonly strideName?: string;
      readonly part?: StructurePart;
    }
  | { readonly kind: 'value'; readonly value: Value; readonly type: Type };

export interface Value {
  readonly type: Type;
  /** The number, or for a pointer the byte offset from `base`. */
  readonly lanes: Lanes;
  readonly taint: number;
  readonly base?: MemoryBase;
  /** A pointer to a variable. */
  readonly target?: Place;
  readonly fields?: ReadonlyMap<string, Value>;
  readonly lambda?: { readonly expr: LambdaExpr; readonly frame: Frame };
  /** Key under which fields of an unseen structure get their chosen values. */
  readonly key?: string;
  /** The unknown factor behind `unknownStride`, as written. */
  readonly strideName?: string;
  readonly function?: readonly FunctionDecl[];
}

export interface Frame {
  readonly fn?: FunctionDecl;
  readonly scopes: Map<string, Cell>[];
  readonly bindings: Bindings;
  readonly within?: string;
  readonly self?: Place;
  readonly depth: number;
  /** The call in the kernel through which this frame was reached. */
  readonly via?: Node;
  /** How many conditions the run stood under when it came in. */
  conditionsBefore?: number;
  returned?: Mask;
  result?: Value;
  resultPlace?: Place;
  readonly loops: LoopState[];
}
export interface LoopState {
  breaks?: Mask;
  continues?: Mask;
}
