// What a measured program looks like to the editor and the command line: kernels, and per line of source the counters
// of Nsight Compute under their own names.

/** One launch of a kernel (or one profiled graph or range): what was started, how, and its totals. */
export interface KernelMeasurement {
  /** Position in the report from 0; equal to the ID of ncu's raw and details pages. */
  readonly launch: number;
  readonly kind: 'kernel' | 'graph' | 'range' | 'command list';
  /** Demangled name with its parameter types, as ncu prints it. */
  readonly name: string;
  /** Name without types, for titles and filters. */
  readonly shortName: string;
  /** The kernel's symbol in the machine code; absent for graphs and ranges. */
  readonly mangledName?: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly device?: number | undefined;
  readonly context?: number | undefined;
  readonly stream?: number | undefined;
  readonly process: number;
  /** gpu__time_duration.sum in nanoseconds. */
  readonly durationNs?: number | undefined;
  /**
   * Totals of the kernel by metric name: the denominators of shares. Lines can add up to more than this, since inlined
   * code counts on two lines.
   */
  readonly values: Readonly<Record<string, number>>;
  /** Why there are no numbers per line, where there are none. */
  readonly withoutLines?: 'no line table' | 'no per-instruction metrics' | 'no source record' | undefined;
}

/** The counters of one line of source in one launch. */
export interface LineMetrics extends SourceLine {
  /** Name of the kernel: `KernelMeasurement.name`; in a profiled graph that of the node. */
  readonly kernel: string;
  /** `KernelMeasurement.launch`. */
  readonly launch: number;
  /** Functions kept out of line that hold some of the line's code, by readable name. */
  readonly functions?: readonly string[];
  /**
   * Sums over the line's instructions, keyed by ncu's metric names. A metric that the launch did not collect is absent.
   */
  readonly values: Readonly<Record<string, number>>;
  /**
   * The line's own part of each metric, as a fraction (0 to 1) of the kernel's total, for metrics that have one; absent
   * where it is 0. An instruction of inlined code is in `values` of its line and of the calling line, but only in the
   * share of the inlined line: the shares of a kernel's lines add up to 1 at most.
   */
  readonly shares: Readonly<Record<string, number>>;
  /** Functions inlined here that `values` include and `shares` do not, by readable name. */
  readonly inlined?: readonly string[];
  /** How many of the line's instructions are of which kind: `{ memory_type: { Global: 4, Shared: 4 } }`. */
  readonly kinds?: Readonly<Record<string, Readonly<Record<string, number>>>>;
  /** How often each SASS instruction occurs in the line's code, not how often it ran; `other` has no known name. */
  readonly instructions?: Readonly<Record<string, number>>;
  /** The most registers of a thread that are live at one of them; only where a disassembly lies beside the report. */
  readonly registers?: number;
  /** Where inlined code was called from, and what it cost on behalf of that caller; only when asked for. */
  readonly callers?: readonly CallerMetrics[];
}

/** The part of a line's counters that belongs to one place it was inlined into. */
export interface CallerMetrics {
  /** The inlined function by readable name. */
  readonly inlined: string;
  /** Call sites from the innermost outwards. */
  readonly sites: readonly SourceLine[];
  readonly values: Readonly<Record<string, number>>;
}

export interface SourceLine {
  /** Path as the compiler wrote it, with `..` folded. */
  readonly file: string;
  /** From 1. */
  readonly line: number;
}

/** A GPU as the report describes it. */
export interface MeasuredDevice {
  readonly id: number;
  readonly name: string;
  /** Attributes under ncu's names, such as device__attribute_multiprocessor_count. */
  readonly attributes: Readonly<Record<string, number | string>>;
}

/** What `warplens report --format json` prints. */
export interface MeasuredReport {
  readonly device?: { readonly name: string; readonly computeCapability?: string } | undefined;
  readonly devices: readonly MeasuredDevice[];
  readonly kernels: readonly KernelMeasurement[];
  readonly lines: readonly LineMetrics[];
}

/** One finding of ncu's own rules about a launch. */
export interface RuleFinding {
  readonly rule: string;
  readonly name: string;
  readonly section: string;
  readonly messages: readonly RuleMessage[];
  /** Counters that the rule looked at. */
  readonly focus: readonly {
    readonly metric: string;
    readonly value: number;
    readonly severity: number;
    readonly info: string;
  }[];
  /** Estimated gain in per cent of the launch's time (global) or of what the rule looks at (local). */
  readonly speedup?: { readonly kind: 'local' | 'global'; readonly percent: number };
  readonly markers: readonly RuleMarker[];
}

export interface RuleMessage {
  readonly title: string;
  readonly text: string;
  readonly severity: MarkerSeverity;
}

export type MarkerSeverity = 'none' | 'ok' | 'warning' | 'error' | 'optimization';

/** A place in the code that one of ncu's rules points at. */
export interface RuleMarker {
  readonly severity: MarkerSeverity;
  readonly tooltip: string;
  /**
   * Lines of the marked instruction by the line table; else the file and line that ncu itself names, a hint that can be
   * wrong.
   */
  readonly at: readonly SourceLine[];
  readonly address?: number;
}
