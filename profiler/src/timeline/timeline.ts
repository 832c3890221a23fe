// A timeline of Nsight Systems, added up: kernels, copies, and the calls of the host with what the GPU did meanwhile.

/** All times in nanoseconds. */
export interface Timeline {
  /** `NVIDIA Nsight Systems 2025.3.2`; undefined where the export does not say it. */
  readonly product?: string;
  readonly device?: { readonly name: string; readonly computeCapability?: string };
  /** From the first thing that the GPU did to the last; the start of the CUDA context is not in it. */
  readonly spanNs: number;
  /** The part of it in which a kernel, copy or memset ran. */
  readonly busyNs: number;
  /** Costliest first. */
  readonly kernels: readonly TimelineKernel[];
  readonly copies: readonly TimelineCopies[];
  /** Calls of the CUDA API by the place that makes them, as far as the export tells places apart; costliest first. */
  readonly calls: readonly TimelineCall[];
  /** Idle time of the GPU while the host was in no call. */
  readonly idleElsewhereNs: number;
  /** Whether places are known by the call chain, and not by the call's name alone. */
  readonly hasCallChains: boolean;
  /** What is drawn along the time axis, a row for each stream's kernels, its copies, and each thread's calls. */
  readonly rows: readonly TimelineRow[];
}

export interface TimelineRow {
  /** `Stream 7: kernels` */
  readonly title: string;
  readonly kind: 'kernel' | 'copy' | 'call';
  /** By start. */
  readonly events: readonly TimelineEvent[];
}

/** Times are from the start of the span. */
export interface TimelineEvent {
  readonly start: number;
  readonly end: number;
  readonly name: string;
  /** Grid and block of a kernel, bytes and memory of a copy. */
  readonly detail?: string;
  /** The call that it is, or that started it. */
  readonly call?: TimelineCall;
}

export interface TimelineKernel {
  /** With parameter types. */
  readonly name: string;
  readonly shortName: string;
  readonly mangledName?: string;
  readonly launches: number;
  readonly totalNs: number;
  readonly shortestNs: number;
  readonly longestNs: number;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
}

export interface TimelineCopies {
  /** `host to device` */
  readonly direction: string;
  /** What the host's side is: `pageable`, `pinned`; undefined where no side is the host's, or nothing says it. */
  readonly host?: string;
  readonly count: number;
  readonly bytes: number;
  readonly totalNs: number;
}

export interface TimelineCall {
  /** `cudaMalloc`; versions (`_v3020`) are left out. */
  readonly name: string;
  /** Short name of the kernel that a launch started. */
  readonly kernel?: string;
  /** The function that makes the call, without its types, and those that called it, nearest first. */
  readonly callers: readonly string[];
  /** Where in the machine code the call returns to: tells calls of one function apart. */
  readonly address?: number;
  /** Innermost NVTX range around its calls, where they all share one. */
  readonly range?: string;
  readonly count: number;
  /** When it was first made, from the start of the span; may be before it. */
  readonly firstNs: number;
  /** Within the span. */
  readonly totalNs: number;
  /** Idle time of the GPU during these calls. */
  readonly idleNs: number;
  /** What they made the GPU do: kernels, copies, memsets. */
  readonly gpuNs: number;
  readonly bytes: number;
  /** The part of the bytes that went from or to pageable memory. */
  readonly pageableBytes: number;
}

/** Calls in which the host waits for the GPU whatever they are given. */
export function isWait(name: string): boolean {
  return /^cu(?:da)?(?:Device|Stream|Event|Ctx)Synchronize$/.test(name);
}
export function isCopy(name: string): boolean {
  return /^cu(?:da)?Memcpy/.test(name);
}
