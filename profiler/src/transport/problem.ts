/** What a profile can end with besides a result: one message, one next step, and the stage it happened in. */

/** Where in a profile something happened, in the order in which the stages run. */
export type Stage = 'reach' | 'preflight' | 'send' | 'build' | 'run' | 'collect' | 'fetch' | 'store' | 'clean';

/** Why a profile ended without a result; stable names, for tests, for the editor and for `--format json`. */
export type ProblemKind =
  | 'cancelled'
  | 'bad-setting'
  | 'no-ssh'
  | 'host-unreachable'
  | 'host-key'
  | 'not-authorised'
  | 'connection-lost'
  | 'launcher'
  | 'no-scratch'
  | 'host-disk-full'
  | 'local-disk'
  | 'tool-missing'
  | 'no-gpu'
  | 'gpu-not-supported'
  | 'permission'
  | 'source-missing'
  | 'build-failed'
  | 'no-program'
  | 'program-failed'
  | 'time-limit'
  | 'no-kernels'
  | 'ncu-failed'
  | 'report-truncated';

/**
 * A failure that the user can act on. `message` says what happened, `nextStep` what to do; neither is a stack trace.
 */
export class ProfileProblem extends Error {
  readonly kind: ProblemKind;
  readonly stage: Stage;
  readonly nextStep: string;
  /** The last lines that the tool itself printed, when they say more than the message. */
  readonly detail: string;

  constructor(stage: Stage, kind: ProblemKind, what: string, nextStep: string, detail = '') {
    super(what);
    this.name = 'ProfileProblem';
    this.stage = stage;
    this.kind = kind;
    this.nextStep = nextStep;
    this.detail = detail;
  }
}

/** The problem that a cancelled profile ends with. */
export function cancelled(stage: Stage): ProfileProblem {
  return new ProfileProblem(
    stage,
    'cancelled',
    `Cancelled during ${stageName[stage]}.`,
    'All processes were stopped; earlier results are untouched.',
  );
}

/** A stage as a reader would call it. */
export const stageName: Record<Stage, string> = {
  reach: 'connecting',
  preflight: 'the checks before the run',
  send: 'sending the sources',
  build: 'the build',
  run: 'the run of the program',
  collect: 'the run under ncu',
  fetch: 'copying the report back',
  store: 'saving the report',
  clean: 'cleaning up',
};

/** The last lines of a tool's output, for a problem's detail. */
export function lastLines(text: string, count = 12): string {
  return text.trimEnd().split('\n').slice(-count).join('\n');
}
