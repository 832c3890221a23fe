// What the build of a file says of its device code: that it is compiled for debugging.
import type { Span } from '../span';

/** `-G` in a build: its device code is not optimised, whatever else is asked for. */
export interface DeviceDebug {
  /** Where it stands, in words: `Makefile, line 6`. */
  readonly where: string;
  /** The same command asks for `-O1` to `-O3`, so that somebody thinks that it is. */
  readonly optimised: boolean;
}

export interface BuildFact extends DeviceDebug {
  readonly kind: 'build';
  readonly at: Span; // the name of the file's first kernel
  readonly kernels: readonly string[];
}
