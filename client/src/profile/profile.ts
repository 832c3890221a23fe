// A report as the editor holds it: its kernels, and where each of its sources is on this machine.
import type { Uri } from 'vscode';
import type { RecordedSource, SourceLocation } from '../../../profiler/src/lines/sourceMapping';
import type { ProfiledKernel } from '../../../profiler/src/overlay/kernels';
import type { Circumstances } from '../../../profiler/src/report/dialects';

export interface Profile extends Circumstances {
  readonly uri: Uri;
  readonly name: string;
  readonly device?: { readonly name: string; readonly computeCapability?: string } | undefined;
  readonly kernels: readonly ProfiledKernel[];
  /** What of a newer report is not shown. */
  readonly remarks?: readonly string[];
  readonly recorded: ReadonlyMap<string, RecordedSource>;
  /** Where each measured file is; updated when a file of its name is opened. */
  readonly places: Map<string, PlacedSource>;
}

export interface PlacedSource {
  readonly location: SourceLocation;
  /** What to open; undefined where the source is missing. */
  readonly uri?: Uri;
  /** The profiled text, to detect changed lines. */
  readonly profiled?: string | undefined;
}
