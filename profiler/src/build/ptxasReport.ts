/** What `ptxas -v` says of each kernel: registers, spills, shared memory. */

export interface KernelResources {
  /** Mangled name. */
  readonly symbol: string;
  /** Demangled, when a demangler was at hand. */
  readonly name?: string;
  /** E.g. `sm_90`. */
  readonly architecture: string;
  readonly registers?: number;
  /** Bytes of a thread's stack frame. */
  readonly stackBytes?: number;
  readonly spillStoreBytes?: number;
  readonly spillLoadBytes?: number;
  /** Static shared memory of a block. */
  readonly sharedBytes?: number;
  readonly barriers?: number;
}

/**
 * Reads the information lines of ptxas (CUDA 9 to 13) out of a build's output; one element per kernel and architecture.
 */
export function readPtxasReport(text: string): KernelResources[] {
  type Draft = { -readonly [key in keyof KernelResources]: KernelResources[key] };
  const kernels = new Map<string, Draft>();
  let current: Draft | undefined;
  let propertiesOf: Draft | undefined;
  for (const line of text.split(/\r?\n/)) {
    let match = /Compiling entry function '([^']+)' for '([^']+)'/.exec(line);
    if (match) {
      current = { symbol: match[1]!, architecture: match[2]!, sharedBytes: 0 };
      kernels.set(`${match[1]} ${match[2]}`, current);
      propertiesOf = undefined;
      continue;
    }
    match = /Function properties for '?([^'\s]+)'?/.exec(line);
    if (match) {
      propertiesOf = current?.symbol === match[1] ? current : undefined;
      continue;
    }
    match = /(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads/.exec(line);
    if (match && propertiesOf) {
      propertiesOf.stackBytes = Number(match[1]);
      propertiesOf.spillStoreBytes = Number(match[2]);
      propertiesOf.spillLoadBytes = Number(match[3]);
      continue;
    }
    match = /ptxas info\s*: Used (\d+) registers(.*)$/.exec(line);
    if (match && current) {
      current.registers = Number(match[1]);
      const shared = /(\d+)(?:\+(\d+))? bytes smem/.exec(match[2]!);
      if (shared) current.sharedBytes = Number(shared[1]) + Number(shared[2] ?? 0);
      const barriers = /used (\d+) barriers/.exec(match[2]!);
      if (barriers) current.barriers = Number(barriers[1]);
    }
  }
  return [...kernels.values()];
}
