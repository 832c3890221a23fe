// The rows of lab/severity/data: programs, their kernels and the counters of their source lines.

export interface ProgramEntry {
  /** OWNER/NAME:PATH, a folder or a file of the repository. */
  readonly program: string;
  readonly repo: string;
  readonly commit: string;
  readonly path: string;
  /** Absent where it is the program without arguments. */
  readonly command?: string;
  /** Absent for counters that were taken before: -O3 -arch=sm_90 -lineinfo. */
  readonly build?: string;
  readonly set: 'open' | 'kept';
  readonly gpu: string;
  readonly date: string;
  /** The run without Nsight Compute was stopped at its time limit or failed: the numbers of launches are too low. */
  readonly stopped?: boolean;
}

/** One profiled launch shape of a kernel. */
export interface KernelCounts {
  readonly program: string;
  readonly kernel: string;
  readonly grid: readonly number[];
  readonly block: readonly number[];
  /** gpu__time_duration of the profiled launch; 0 where it was not measured. */
  readonly ns: number;
  /** Launches of this shape in a run without Nsight Compute, and their time together. */
  readonly launches?: number;
  readonly plainNs?: number;
  /** The part of the program's GPU time, 0 to 1. */
  share: number;
  readonly samples: number;
  /** Rules of Nsight Compute with an estimated speed-up in per cent, and the lines that they name. */
  readonly rules: readonly {
    readonly rule: string;
    readonly kind?: 'local' | 'global';
    readonly percent?: number;
    readonly lines?: readonly (readonly [file: string, line: number])[];
  }[];
}

/** Counters of one source line, summed over the profiled launches. Absent is zero or not counted. */
export interface LineCounts {
  readonly program: string;
  /** Relative to the repository. */
  readonly file: string;
  readonly line: number;
  /** Positions among the program's kernels. */
  readonly kernels: number[];
  samples?: number;
  inst?: number;
  threadInst?: number;
  predInst?: number;
  divergent?: number;
  l2Sectors?: number;
  l2SectorsIdeal?: number;
  l2Local?: number;
  l1TagGlobal?: number;
  wfShared?: number;
  wfSharedIdeal?: number;
  /** Atomic instructions of the line in the machine code. */
  atomics?: number;
  /** The part of the program's GPU time by samples, 0 to 1. */
  time?: number;
  /** What of these sums belongs to code that was inlined here and has lines itself. */
  inlined?: { [key in 'samples' | 'l2Sectors' | 'l2SectorsIdeal' | 'wfShared' | 'wfSharedIdeal']?: number };
  /** Lines that this line's code was inlined into. */
  sites?: [file: string, line: number][];
  [stall: `stall_${string}`]: number;
}
