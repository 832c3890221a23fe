// What a compiler said of a build, on its way from a client to the server.

/**
 * Gives the server a compiler's log (`nvc -Minfo=accel`, `gcc -fopt-info-omp`, the unpacked record of
 * `-fsave-optimization-record`) in place of the one that came under the same name. What it says is laid on its lines:
 * hover, inlay hints, and what the rules assume of a loop's mapping.
 */
export interface CompilerFeedbackParameters {
  /** A name for the log: an address, or what made it. Without `text` the address of a file that the server reads. */
  readonly source: string;
  /** The log; `null` lets go of what came under this name. */
  readonly text?: string | null;
  /** What a build or a profile says that kernels take; laid in the hover of their names. */
  readonly resources?: readonly KernelResources[];
  /** Address of the workspace folder that it speaks of; of every folder when absent. */
  readonly folder?: string | undefined;
}
/** What a thread and a block of a kernel take. */
export interface KernelResources {
  /** With namespaces and classes as far as they are known, without types: `ns::saxpy`. */
  readonly name: string;
  /** How many parameters it has, where that is known. */
  readonly parameters?: number;
  /** Of a thread. */
  readonly registers: number;
  /** Static shared memory of a block in bytes. */
  readonly sharedBytes?: number;
  /** Who says so, as it is shown: `ptxas for sm_90`, `saxpy.ncu-rep`. */
  readonly from: string;
}
export interface CompilerFeedbackAnswer {
  /** Sentences about code for an accelerator in the log. */
  readonly remarks: number;
  /** How many of them lie on lines of documents that are open. */
  readonly shown: number;
  /** One sentence with the next step, when there is nothing to read. */
  readonly problem?: string;
}
export const compilerFeedbackRequest = 'warplens/compilerFeedback';
