/** Runs the program under ncu on the host, bounded in kernels and time, and leaves a report there. */

import { posix } from 'node:path';

import type { HostFacts } from '../preflight/probe';
import type { Host } from '../transport/host';
import { keepText } from '../transport/keptText';
import { ProfileProblem, cancelled } from '../transport/problem';
import { shellCommand } from '../transport/quoting';
import { kernelsThatWait, namesScript, without } from './libraryKernels';
import { ncuCommand } from './ncuCommand';
import type { CollectChoice } from './ncuCommand';
import { readNcuOutput } from './ncuOutput';
import type { NcuEvent } from './ncuOutput';
import { describeStatus, problemOfRun } from './ncuProblem';

export interface CollectOptions extends CollectChoice {
  readonly signal?: AbortSignal | undefined;
  /**
   * Seconds after which the run is ended in order (what was measured is kept) and, when that does not help, by force.
   */
  readonly timeLimitSeconds: number;
  /** Seconds between ending the run in order and ending it by force. */
  readonly patienceSeconds?: number;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Name of the report on the host, without its ending; another for each of several runs. */
  readonly reportName?: string;
  readonly onEvent?: (event: NcuEvent) => void;
}

export interface Collected {
  /** Path of the report on the host. */
  readonly report: string;
  readonly command: string;
  readonly kernels: readonly { readonly name: string; readonly passes: number }[];
  readonly seconds: number;
  /**
   * What the user should know about the numbers: the run was cut short, the program failed after its kernels, ncu
   * warned.
   */
  readonly notes: readonly string[];
}

/** How long ncu may take to write its report after its program was ended. */
const patienceSeconds = 20;

/**
 * Ends the processes given by number, as far as they are of this profile: a number may belong to somebody else by now.
 */
const endScript =
  'for id; do grep -qz "^WARPLENS_RUN=${WARPLENS_RUN%.*}\\." "/proc/$id/environ" 2>/dev/null && kill -s TERM ' +
  '"$id"; done; exit 0';

/** Puts the report under its own name, whatever ending ncu gave it: the reader tells by the content. */
const findReport =
  'for end in repz rep.ncu-rep rep.ncu-repz; do [ -s "$1.ncu-$end" ] && mv -f "$1.ncu-$end" "$1.ncu-rep"; done; ' +
  '[ -s "$1.ncu-rep" ]';

/** Rejects with a ProfileProblem when there is no report with at least one kernel. */
export async function collect(
  host: Host,
  facts: HostFacts,
  program: string,
  directory: string,
  options: CollectOptions,
): Promise<Collected> {
  if (!facts.ncu)
    throw new ProfileProblem(
      'collect',
      'tool-missing',
      `ncu was not found on ${host.name}.`,
      'Install Nsight Compute there, or give its path with --ncu.',
    );
  const base = posix.join(host.scratch, options.reportName ?? 'report');
  const report = `${base}.ncu-rep`;
  const leftOut: (typeof kernelsThatWait)[number][] = [];
  for (const each of options.kernel === undefined ? kernelsThatWait : []) {
    const names = ['sh', '-c', namesScript, 'names', program, each.kernels];
    if ((await host.run(names, { stage: 'collect', signal: options.signal, directory, launched: false })).status === 0)
      leftOut.push(each);
  }
  const kernel = leftOut.length > 0 ? without(leftOut.map(({ kernels }) => kernels)) : options.kernel;
  const command = ncuCommand(facts.ncu, program, base, { ...options, kernel });

  const forced = new AbortController();
  const either = options.signal ? AbortSignal.any([options.signal, forced.signal]) : forced.signal;
  let interrupt: (() => void) | undefined;
  let reason: 'time' | 'kernels' | undefined;
  let interruptTimer: NodeJS.Timeout | undefined;
  let forceTimer: NodeJS.Timeout | undefined;
  const processes = new Set<number>();
  const endInOrder = (why: 'time' | 'kernels') => {
    if (reason) return;
    reason = why;
    const patience = (options.patienceSeconds ?? patienceSeconds) * 1000;
    // ncu saves what it has when its program ends, so the program goes first. A launcher may put another command on
    // another machine, where
    // the process number means nothing: there, and when the program does not go, ncu itself is interrupted.
    const direct = processes.size > 0 && host.launcher.length === 0;
    if (direct)
      host
        .run(['sh', '-c', endScript, 'end', ...[...processes].map(String)], { stage: 'collect' })
        .catch(() => undefined);
    interruptTimer = setTimeout(() => interrupt?.(), direct ? patience / 2 : 0);
    forceTimer = setTimeout(() => forced.abort(), patience);
  };
  const limitTimer = setTimeout(() => endInOrder('time'), options.timeLimitSeconds * 1000);

  let programText = '';
  const allText = keepText();
  let finished = 0;
  const reader = readNcuOutput((event) => {
    if (event.what === 'program') programText = (programText + event.text).slice(-2000);
    options.onEvent?.(event);
    if (event.what === 'connected') processes.add(event.process);
    if (event.what === 'kernel' && event.passes !== undefined && ++finished >= options.mostKernels)
      endInOrder('kernels');
  });

  const started = Date.now();
  let status = 0;
  let wasForced = false;
  try {
    const outcome = await host.run(command, {
      stage: 'collect',
      signal: either,
      directory,
      environment: options.environment,
      onStarted: (stop) => (interrupt = stop),
      onText: (_stream, text) => {
        allText.add(text);
        reader.feed(text);
      },
    });
    status = outcome.status;
  } catch (error) {
    if (options.signal?.aborted) throw cancelled('collect');
    if (!forced.signal.aborted) throw error;
    wasForced = true;
  } finally {
    clearTimeout(limitTimer);
    clearTimeout(interruptTimer);
    clearTimeout(forceTimer);
  }
  const seconds = (Date.now() - started) / 1000;
  const summary = reader.end();

  // From 2025.4 on ncu compresses what it is given no ending for, or a compressed one by default: either way it is the
  // report.
  const there = await host.run(['sh', '-c', findReport, 'find', base], {
    stage: 'collect',
    signal: options.signal,
    launched: false,
  });
  if (there.status !== 0 || summary.kernels.length === 0) {
    if (reason === 'time') {
      throw new ProfileProblem(
        'collect',
        'time-limit',
        `The program did not end within ${options.timeLimitSeconds} s under ` +
          (summary.kernels.length > 0
            ? `ncu, and ncu saved nothing of its ${summary.kernels.length} kernels.`
            : 'ncu, and no kernel was measured.'),
        'Use a smaller input, choose one kernel with --kernel, or allow more time with --time-limit.',
        programText.trim().split('\n').slice(-4).join('\n'),
      );
    }
    if (reason === 'kernels') {
      throw new ProfileProblem(
        'collect',
        'time-limit',
        `The run was ended after ${options.mostKernels} kernels, and ncu saved none.`,
        'Choose kernels with --kernel, or raise --most-kernels so that the program can finish.',
        programText.trim().split('\n').slice(-4).join('\n'),
      );
    }
    throw problemOfRun({
      hostName: host.name,
      program,
      inContainer: facts.inContainer,
      kernelFilter: kernel,
      gpu: facts.gpus?.[0],
      status,
      summary,
      programText: programText.trim().split('\n').slice(-6).join('\n'),
      allText: allText.text(),
    });
  }

  const notes: string[] = [];
  for (const { library } of leftOut)
    notes.push(
      `Kernels of ${library} were not measured: they wait for other GPUs, so ncu cannot repeat them. ` +
        'Their times are in a timeline of Nsight Systems.',
    );
  if (options.replay === 'single-pass') {
    const repeated = summary.kernels.find(({ passes }) => passes > 1);
    if (repeated)
      notes.push(
        `ncu ran ${repeated.name} ${repeated.passes} times although a single pass was requested: ` +
          'results of a program that cannot be repeated are wrong.',
      );
  }
  if (reason === 'time')
    notes.push(`The run was ended after ${options.timeLimitSeconds} s; later kernels are missing.`);
  if (reason === 'kernels') notes.push(`The run was ended after ${options.mostKernels} kernels, as requested.`);
  const code = summary.errors
    .map((error) => /application returned an error code \((\d+)\)/i.exec(error)?.[1])
    .find((found) => found !== undefined);
  if (reason === undefined && (code !== undefined || status !== 0))
    notes.push(
      `The program ${describeStatus(code !== undefined ? Number(code) : status)} after its kernels were measured.`,
    );
  if (wasForced) notes.push('ncu had to be killed; the last kernel may be missing from the report.');
  for (const warning of summary.warnings) {
    // Two that come with every run as we start it.
    if (!/unmodified GPU clocks|Unable to access the following/.test(warning)) notes.push(`ncu: ${warning}`);
  }
  return { report, command: shellCommand(command), kernels: summary.kernels, seconds, notes };
}
