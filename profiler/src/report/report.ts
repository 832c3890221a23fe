// What a report tells to those who read it: its launches, their metrics, the sources and binaries it carries.
import type { MeasuredDevice } from '../../../protocol/src/lineMetrics';
import type { ByteSource } from './byteSource';
import type { Cubin } from './cubin';
import type { MetricValue, ProcessDescription, RuleResult, Session } from './messages';

/** A profiled kernel launch, graph or range: what it was, and where the report keeps its results. */
export interface Launch {
  /** ncu's ID: the position among all results of the report. */
  readonly index: number;
  readonly kind: 'kernel' | 'graph' | 'range' | 'command list';
  readonly mangledName: string;
  /** Demangled, with parameter types. */
  readonly name: string;
  readonly shortName: string;
  readonly grid: readonly [number, number, number];
  readonly block: readonly [number, number, number];
  readonly context?: number | undefined;
  readonly stream?: number | undefined;
  readonly process: ProcessDescription;
  /** References of the cubins that it ran. */
  readonly cubins: readonly number[];
  readonly place: {
    readonly offset: number;
    readonly end: number;
    readonly metricsField: number;
    readonly rulesField: number;
  };
}

/** A source file that was imported into the report. */
export interface EmbeddedSource {
  readonly path: string;
  /** Bytes of UTF-8. */
  readonly length: number;
  readonly offset: number;
}

/** A metric of one launch. */
export interface Metric {
  readonly name: string;
  /** The value for the launch; undefined where there are only instances. */
  readonly value: MetricValue | undefined;
  /** Values by instruction address, by ordinal, by time stamp or by name, as the metric has it. */
  readonly instances: readonly { readonly id: MetricValue | undefined; readonly value: MetricValue | undefined }[];
}

export interface Report {
  readonly source: ByteSource;
  readonly fileVersion: number;
  /** What of a newer report is not read, in sentences; the rest is shown. */
  readonly remarks: readonly string[];
  readonly sessions: readonly Session[];
  readonly devices: readonly MeasuredDevice[];
  /** In the order of ncu's pages. */
  readonly launches: readonly Launch[];
  readonly embeddedSources: readonly EmbeddedSource[];
  /** Names of metrics by their number in the report. */
  readonly metricNames: readonly string[];
  /** Set where stall reasons are only of samples at which the scheduler issued nothing. */
  readonly notIssued?: boolean | undefined;
  /** Text of an embedded source; undefined where the report does not have the file. */
  readSource(path: string): Promise<string | undefined>;
  /**
   * The cubin of a reference as a process loaded it, with its line table, read at the first call; undefined where the
   * report does not have it.
   */
  cubin(reference: number, process: ProcessDescription): Promise<Cubin | undefined>;
  /**
   * The bytes of a cubin, an ELF file; undefined where the report does not have it, or it is larger than `mostBytes`.
   */
  binary(reference: number, mostBytes: number): Promise<Uint8Array | undefined>;
  /** The PTX that goes with a cubin; undefined where the report has none. */
  intermediate(reference: number): Promise<string | undefined>;
  /** Every metric of a launch whose name is wanted (all by default), with its instances. */
  metrics(launch: Launch, wanted?: (name: string) => boolean): Promise<Metric[]>;
  /** Results of ncu's rules about a launch. */
  rules(launch: Launch): Promise<RuleResult[]>;
}

/** Of a device of the report, or its first one, under ncu's names. */
export function attributesOf(report: Report, device?: number): MeasuredDevice['attributes'] {
  return (report.devices.find(({ id }) => id === device) ?? report.devices[0])?.attributes ?? {};
}

/** Major number of the compute capability of a device; NaN where it is not known. */
export function capabilityOf(report: Report, device?: number): number {
  return Number(attributesOf(report, device)['device__attribute_compute_capability_major']);
}
