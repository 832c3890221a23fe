/** What a trial is asked for, what it tells while it works, and what it finds. */

import type { BuildRequest, BuiltProgram } from '../build/build';
import type { CompilerMessage } from '../build/diagnostics';
import type { KernelResources } from '../build/ptxasReport';
import type { ClockMode } from '../collect/ncuCommand';
import type { NcuEvent } from '../collect/ncuOutput';
import type { Preflight } from '../preflight/preflight';
import type { HostChoice } from '../transport/host';
import type { Stage } from '../transport/problem';
import type { Verdict } from './judge';
import type { KernelTime } from './kernelTimes';
import type { OutputComparison, PrintedTime } from './outputs';
import type { Spread } from './spread';
import type { FileText } from './variantHost';

/** A form of the program: the sources as they are on the disk here, with these texts in place of some files. */
export interface Variant {
  readonly name: string;
  readonly files: readonly FileText[];
}

export interface TrialRequest {
  readonly host: HostChoice;
  /** What is built; always in scratch copies, so `inPlace` is refused. */
  readonly build: BuildRequest;
  /** The first is the unchanged program. */
  readonly variants: readonly [Variant, ...Variant[]];
  readonly run: {
    readonly arguments: readonly string[];
    readonly environment?: Readonly<Record<string, string>> | undefined;
    /** For one run, with or without the profiler. */
    readonly timeLimitSeconds: number;
  };
  /** As ncu takes it; all kernels when absent. */
  readonly kernel?: string | undefined;
  /** The kernel that the changed lines are in or launch, where it is a single one. */
  readonly changedKernel?: string | undefined;
  readonly compare?: {
    /** Relative difference that printed numbers may have; 0 by default. */
    readonly tolerance?: number | undefined;
    /**
     * The user's own comparison: a shell command on the host, in the folder in which the changed program ran; `$1` and
     * `$2` are the files with the standard outputs before and after, `$BEFORE` the folder in which the unchanged
     * program ran. Status 0 means the same.
     */
    readonly command?: string | undefined;
  };
  /** Runs under ncu of each form; 3 by default, fewer for long programs. */
  readonly repetitions?: number | undefined;
  readonly clocks?: ClockMode | undefined;
  readonly nvcc?: string | undefined;
  readonly ncu?: string | undefined;
  /** The driver's parameter file; another one only in tests. */
  readonly driverParameters?: string | undefined;
}

export interface TrialOptions {
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: TrialEvent) => void;
}

/** What a trial tells while it works. `done` of `all` steps are over. */
export type TrialEvent =
  | { readonly what: 'step'; readonly stage: Stage; readonly text: string; readonly done: number; readonly all: number }
  | { readonly what: 'checked'; readonly preflight: Preflight }
  | { readonly what: 'build-output'; readonly variant: string; readonly text: string }
  | { readonly what: 'built'; readonly variant: string; readonly program: BuiltProgram }
  | { readonly what: 'build-failed'; readonly variant: string; readonly message: string }
  | { readonly what: 'program-output'; readonly variant: string; readonly text: string }
  | { readonly what: 'ran'; readonly variant: string; readonly seconds: number; readonly status: number }
  | { readonly what: 'ncu'; readonly variant: string; readonly event: NcuEvent };

export interface VariantResult {
  readonly name: string;
  readonly build:
    | { readonly ok: true; readonly kernels: readonly KernelResources[] }
    | {
        readonly ok: false;
        readonly message: string /** Of the changed text. */;
        readonly messages: readonly CompilerMessage[];
        readonly detail: string;
      };
  /** Absent where it did not build. */
  readonly run?: {
    readonly status: number;
    /** Wall time without the profiler, in nanoseconds. */
    readonly program?: Spread;
    readonly printed: readonly PrintedTime[];
    /** Standard output of the first run; absent where it is longer than a megabyte. */
    readonly output?: string;
    readonly outputBytes: number;
    readonly errors: string;
  };
  readonly output?: OutputComparison;
  readonly kernels: readonly KernelTime[];
  /** Of the first variant there is none. */
  readonly verdict?: Verdict;
}

export interface TrialResult {
  readonly host: string;
  readonly device?: string;
  readonly variants: readonly VariantResult[];
  /** What the reader has to know of all of it: what was not measured, and the next step. */
  readonly notes: readonly string[];
}

/** Says that a step begins. */
export type Step = (stage: Stage, text: string) => void;
