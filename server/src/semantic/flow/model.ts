// Facts of host code: calls of the CUDA runtime and of libraries, and the loops around them.
import type { Edit, Span } from '../span';

/** A call of the CUDA runtime or a library in host code. */
export interface RuntimeCallFact {
  readonly kind: 'runtime-call';
  readonly at: Span;
  readonly statementAt: Span; // with its `;` and any wrapper macro
  readonly name: string; // cudaMalloc
  readonly category:
    | 'allocate'
    | 'free'
    | 'create'
    | 'destroy'
    | 'synchronise'
    | 'copy'
    | 'async-copy'
    | 'launch'
    | 'other';
  /** The function or class of the program that makes the call, where `at` only calls that. */
  readonly through?: string;
  readonly loops: readonly HostLoopRef[]; // innermost first
  readonly function: string;
  /** For an allocation or creation inside a loop: its partner in the same loop, and whether both can be moved out. */
  readonly hoist?: {
    readonly safe: boolean;
    readonly why?: string;
    readonly edits: readonly Edit[];
    readonly title?: string;
    readonly partnerAt: Span;
  };
  /**
   * For a synchronisation or blocking copy inside a loop: whether the host needs it there, and the edit that moves it
   * after the loop.
   */
  readonly wait?: {
    readonly needed: boolean;
    readonly why?: string;
    /** Functions without a body that were not read: nothing is moved past them. */
    readonly unread?: readonly string[];
    /** A variable that the copy brings for the host to read: one number, by which the loop ends or not. */
    readonly number?: { readonly name: string; readonly ends: boolean };
    /** A copy between two GPUs that all work of both waits for. */
    readonly ofDevices?: boolean;
    /** An algorithm of a library on the part of the data that the loop's counter chooses. */
    readonly ofParts?: boolean;
    /** A clock is read before and after the loop, and not in it. */
    readonly bracketed?: boolean;
    /** Of a copy to the host: the array that the next iteration overwrites before anything reads it. */
    readonly overwritten?: string;
    readonly edits?: readonly Edit[];
    readonly title?: string;
  };
  /** Queued in the default stream: the stream of its function, and work there on the same data. */
  readonly onDefault?: { readonly stream: string; readonly at: Span };
  /**
   * Host memory that comes to the GPU by a detour at a copy (pageable, `from` an allocator or the stack) or a launch
   * (managed). `staged`: beside other streams; `few`: bytes that the driver stages at once; `loop`: on each iteration;
   * `waits`: the copy blocks a host that would queue more; `faults`: the GPU fetches page by page.
   */
  readonly ofHost?: {
    readonly array: string;
    readonly at: Span;
    readonly from?: string;
    readonly does: 'staged' | 'few' | 'loop' | 'waits' | 'faults';
  };
}
export interface HostLoopRef {
  readonly at: Span;
  readonly headerAt: Span;
  readonly text: string;
}
