// What profiling offers to the other features of the client: a run that is ready, and profiles of it.
import { Uri } from 'vscode';
import type { ProfileRequest, ProfileResult } from '../../../profiler/src/session/profileSession';
import type { Asking } from './asking';
import type { Memory, RememberedRun } from './memory';
import type { RunConfiguration } from './runConfiguration';
import type { Runner } from './runProfile';

/** What `warplens.profile.run` takes: a configuration or the name of one; with a run and a host, nothing is asked. */
export interface RunArguments extends RunConfiguration {
  /** Name of an entry of `warplens.profile.configurations`; other fields override it. */
  readonly configuration?: string;
  /** Absolute path. */
  readonly file?: string | undefined;
  readonly label?: string;
}

/** A run of which everything is known, ready for a profile or for a comparison of two forms. */
export interface ReadyRun {
  readonly run: RememberedRun;
  readonly request: ProfileRequest;
  readonly title: string;
  /** Remembers run and host for the next time, once the host was reached: a mistyped one is asked for again. */
  keep(): Promise<void>;
}

export interface Profiling {
  /** Whom the questions are put to; tests answer themselves. */
  asking: Asking;
  /** Whether programs may be run here; the workspace's trust, but for tests. */
  isTrusted: () => boolean;
  readonly memory: Memory;
  readonly runner: Runner;
  /** The run for a file, the last or one that the user chooses now. Undefined when that failed, which was shown. */
  readyRun(wanted: RunArguments, how?: 'ask' | 'again'): Promise<ReadyRun | undefined>;
  /** Profiles, lays the report over the sources and keeps the step. Undefined after a failure, which was shown. */
  run(wanted: RunArguments, how?: 'ask' | 'again'): Promise<ProfileResult | undefined>;
}

/** The argument of a command: a file, the name of a configuration, or an object. */
export function argumentsOf(value: unknown): RunArguments {
  if (value instanceof Uri) return { file: value.fsPath };
  if (typeof value === 'string') return { configuration: value };
  return typeof value === 'object' && value !== null ? (value as RunArguments) : {};
}
