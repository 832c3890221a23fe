// Facts of what threads do wrong in memory: races, and accesses beyond an array's end.
import type { Edit, Span } from '../span';

/** Two threads at one place of memory, one of them writing, with nothing that orders them. */
export interface RaceFact {
  readonly kind: 'race';
  readonly at: Span; // the later access in the order of the run
  readonly text: string;
  readonly kernels: readonly string[];
  readonly memory: 'shared' | 'global';
  /** The two threads are of two blocks, of two warps, or lanes of one warp that no `__syncwarp` orders. */
  readonly scope: 'grid' | 'block' | 'warp';
  /** Both read the place, change what they read and write it back: an update is lost. */
  readonly isUpdate?: boolean;
  /** The later access is behind an atomic that tells its block of the earlier one, with no fence before it. */
  readonly isUnfenced?: boolean;
  /** Data decide whether two threads meet at the place; `threads` names none. */
  readonly byData?: boolean;
  /** The array is the temporary storage of a collective, which CUB lets be used again after a barrier. */
  readonly ofCollective?: boolean;
  /** What the earlier access does, and the later one. */
  readonly order: 'store-load' | 'load-store' | 'store-store';
  readonly array: string;
  readonly other: { readonly at: Span; readonly text: string };
  /** Of the earlier and the later access, as `threadIdx` names them. */
  readonly threads: readonly [string, string];
  /** One of the two is an atomic. */
  readonly byAtomic?: boolean;
  /** Both are, and order the threads of their block alone. */
  readonly areAtomics?: boolean;
  /** The later access is one of a later iteration. */
  readonly again?: boolean;
  /** The earlier access is an asynchronous copy, and no wait for it comes before the later one. */
  readonly inFlight?: boolean;
  /** The two are ordered only where this condition, of shared memory, holds. */
  readonly untaken?: string;
  /** Both go through `volatile`, which keeps the compiler from holding values, and no thread from running ahead. */
  readonly volatile?: boolean;
  /** No known launch fixes the block: smaller and larger ones show it as well as this one. */
  readonly supposed?: readonly [number, number, number];
  /** The host leaves this parameter open: larger numbers show it as well as this one. */
  readonly size?: { readonly name: string; readonly number: number };
  /** The barrier, where all threads come to it and it orders the two. */
  readonly fix?: { readonly edits: readonly Edit[]; readonly title: string };
}

/** A thread's access beyond the end (or before the start) of an array, in shared or in global memory. */
export interface OverrunFact extends WrongFact {
  readonly kind: 'overrun';
  /** Counted from the start of the array, rows behind each other; below 0 before it. */
  readonly element: number;
  readonly elements: number;
  /** Of global memory: the block as `blockIdx` names it, and the launch that gives the memory. */
  readonly global?: { readonly block: string; readonly launchAt?: Span };
  /** Numbers of the integers that the host leaves open, and whether all that were tried show it. */
  readonly sample?: { readonly numbers: readonly (readonly [string, number])[]; readonly isAlways: boolean };
  /** Of an array of dynamic shared memory: the bytes that the access needs, and those that the launch gives. */
  readonly dynamic?: { readonly needed: number; readonly bytes: number; readonly launchAt: Span };
  /** Of global memory: the guard that keeps the threads of all known launches within it, or why there is none. */
  readonly fix?: { readonly edits: readonly Edit[]; readonly title: string };
  readonly refusal?: { readonly family: 'guards'; readonly precondition: string; readonly why: string };
}

/** A thread's read of shared memory that nothing wrote before, or of global memory that no host code and kernel set. */
export interface UnsetFact extends WrongFact {
  readonly kind: 'unset';
  /** Of an array. */
  readonly element?: number;
  /** None of the threads that read here reads what was written. */
  readonly isWhole: boolean;
  /** Of global memory: the launch, the allocation, and the bytes from its start that are set. */
  readonly global?: { readonly launchAt: Span; readonly allocationAt: Span; readonly set: number };
  readonly fix?: { readonly edits: readonly Edit[]; readonly title: string };
}

/** A thread's access at an address that its type is not aligned to. */
export interface MisalignedFact extends WrongFact {
  readonly kind: 'misaligned';
  /** From the start of the memory. */
  readonly byte: number;
  readonly alignment: number;
  readonly type: string;
  /** So far from this thread that one of the two is misaligned wherever the memory starts. */
  readonly other?: string;
}

interface WrongFact {
  readonly at: Span;
  readonly text: string;
  readonly kernels: readonly string[];
  readonly array: string;
  readonly arrayAt?: Span;
  /** As `threadIdx` names it. */
  readonly thread: string;
}
