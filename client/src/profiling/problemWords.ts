// What a failed profile says in the editor: a message with its next step, and the buttons that help.
import type { ProblemKind, ProfileProblem } from '../../../profiler/src/transport/problem';

/** What a button does. */
export type Remedy = 'output' | 'problems' | 'host' | 'what' | 'settings' | 'all-kernels' | 'times' | 'help';

export const remedyTitles: Readonly<Record<Remedy, string>> = {
  output: 'Show Output',
  problems: 'Show Problems',
  host: 'Choose Host…',
  what: 'Choose What to Run…',
  settings: 'Open Settings',
  'all-kernels': 'Profile All Kernels',
  times: 'Time the Kernels Instead',
  help: 'Open Help',
};

/** In the command line a next step names options; here they are settings. Longer names first. */
const inSettings: readonly (readonly [RegExp, string])[] = [
  [/\(--launcher "([^"]*)"\)/g, '(setting warplens.profile.launcher: "$1")'],
  [/: --times\./g, ': "Time the Kernels Instead".'],
  [/--launcher/g, 'the setting warplens.profile.launcher'],
  [/ with --build "make" and the program with --program/g, ' and the program: "Warplens: Profile This Program…"'],
  [/your own build with --build/g, 'your own build ("Warplens: Profile This Program…")'],
  [/a build command with --build/g, 'a build command ("Warplens: Profile This Program…")'],
  [/Give the build \(--build make\)/g, 'Give the build'],
  [/\(--clocks base or boost locks them\)/g, '("clocks": "base" or "boost" of what is run locks them)'],
  [/with --clocks base/g, 'with "clocks": "base" of what is run'],
  [/Run `warplens profile --check` to see/g, 'Run "Warplens: Check Profiling Host" to see'],
  [/ \(--keep leaves the program there\)/g, ''],
  [/; --keep leaves the folder on the host/g, ''],
  [/ with --flags "([^"]*)"/g, ' in "flags" of what is run ("$1")'],
  [/to --flags/g, 'to "flags" of what is run'],
  [/Use --host/g, 'Choose a host'],
  [/with --program/g, 'in "Warplens: Profile This Program…"'],
  [/Give --kernel as/g, 'Give the kernel as'],
  [/with --kernel/g, 'by the line over it'],
  [/--kernel/g, 'a kernel'],
  [/--out\b/g, 'the setting warplens.profile.store'],
  [/--store/g, 'the setting warplens.profile.store'],
  [/--most-kernels/g, '"mostKernels" of what is run'],
  [/--tolerance/g, 'the setting warplens.measure.tolerance'],
  [/\(--compare\)/g, '(the setting warplens.measure.compare)'],
  [/--time-limit/g, '"timeLimit" of what is run'],
  [/--(nvcc|ncu|scratch)(?![\w-])/g, 'the setting warplens.profile.$1'],
  [/--(folder|sections|replay)(?![\w-])/g, '"$1" of what is run'],
];

export function inEditorWords(text: string): string {
  return inSettings.reduce((said, [option, setting]) => said.replace(option, setting), text);
}

/** `what happened. what to do.` */
export function problemText({ message, nextStep }: Pick<ProfileProblem, 'message' | 'nextStep'>): string {
  // What a compiler says has no full stop.
  return inEditorWords(
    [/[.!?]$/.test(message) ? message : `${message}.`, nextStep].filter((part) => part !== '').join(' '),
  );
}

const remediesByKind: Readonly<Record<ProblemKind, readonly Remedy[]>> = {
  cancelled: [],
  'bad-setting': ['settings', 'what'],
  'no-ssh': ['host'],
  'host-unreachable': ['host', 'output'],
  'host-key': ['host', 'output'],
  'not-authorised': ['host', 'output'],
  'connection-lost': ['output'],
  launcher: ['settings', 'output'],
  'no-scratch': ['settings', 'host'],
  'host-disk-full': ['settings', 'host'],
  'local-disk': ['settings'],
  'tool-missing': ['host', 'settings'],
  'no-gpu': ['host', 'settings'],
  'gpu-not-supported': ['host', 'settings'],
  permission: ['times', 'help', 'host', 'output'],
  'source-missing': ['what', 'output'],
  'build-failed': ['output', 'what'],
  'no-program': ['what', 'output'],
  'program-failed': ['output', 'what'],
  'time-limit': ['settings', 'output'],
  'no-kernels': ['output', 'what'],
  'ncu-failed': ['output', 'host'],
  'report-truncated': ['output'],
};

/** The buttons for a problem, most telling first. */
export function remediesOf(
  problem: Pick<ProfileProblem, 'kind' | 'nextStep'>,
  seen: { readonly hasMessages: boolean; readonly filtered: boolean },
): Remedy[] {
  const remedies = remediesByKind[problem.kind] ?? ['output'];
  if (problem.kind === 'build-failed' && seen.hasMessages) return ['problems', ...remedies];
  if (problem.kind === 'no-kernels' && seen.filtered) return ['all-kernels', ...remedies];
  return remedies.filter((remedy) => remedy !== 'help' || helpLink(problem.nextStep) !== undefined);
}

/** The page that a next step names. */
export function helpLink(nextStep: string): string | undefined {
  return /https:\/\/[^\s)]+/.exec(nextStep)?.[0];
}
