// What a launch gives its kernel: numbers, fields, and lambdas with what they capture.
import type { FunctionDecl, LambdaExpr, Node } from '../../syntax/ast';
import type { Bindings, Type } from '../language';

export interface PassedValue {
  readonly type: Type;
  /** Of a number that is known. */
  readonly number?: number;
  /** Of a pointer, bytes from an aligned address where they are known, modulo `alignmentPeriod`. */
  readonly offset?: number;
  /** The memory that it leads into, where its size is known: its first byte and its end, counted as `offset` is. */
  readonly room?: Room;
  readonly fields?: ReadonlyMap<string, PassedValue>;
  readonly lambda?: PassedLambda;
}
export type Room = readonly [number, number];
export interface PassedLambda {
  readonly expr: LambdaExpr;
  /** The function that it is written in, with its template arguments. */
  readonly fn: FunctionDecl;
  readonly bindings: Bindings;
  readonly captured: readonly Captured[];
  readonly self?: PassedValue;
}
export interface Captured {
  readonly name: string;
  /** Frames up from the one that the lambda was made in, and the place there. */
  readonly hops: number;
  readonly slot: number;
  readonly declaration?: { readonly fn?: FunctionDecl; readonly uri: string; readonly node: Node };
  readonly passed: PassedValue;
}
