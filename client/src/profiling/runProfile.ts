// Runs one profile with progress, live output and cancelling, and says in one message how it ended.
import { leastGain } from '../../../profiler/src/overlay/thresholds';
import { relative } from 'node:path';
import {
  commands,
  Diagnostic,
  DiagnosticSeverity,
  env,
  languages,
  ProgressLocation,
  Range,
  Uri,
  window,
  workspace,
  type Disposable,
  type OutputChannel,
} from 'vscode';
import { BuildFailure } from '../../../profiler/src/build/build';
import type { CompilerMessage } from '../../../profiler/src/build/diagnostics';
import { showDuration } from '../../../profiler/src/history/steps';
import { showGain } from '../../../profiler/src/history/table';
import {
  profile,
  type ProfileEvent,
  type ProfileOptions,
  type ProfileRequest,
  type ProfileResult,
} from '../../../profiler/src/session/profileSession';
import { sanitize, type SanitizerRun } from '../../../profiler/src/sanitizer/sanitize';
import type { SanitizerTool } from '../../../profiler/src/sanitizer/sanitizerOutput';
import { timeKernels, type KernelTimes } from '../../../profiler/src/session/timeKernels';
import { ProfileProblem, type Stage } from '../../../profiler/src/transport/problem';
import { logProblem, type Asking } from './asking';
import { helpLink, inEditorWords, problemText, remediesOf, remedyTitles, type Remedy } from './problemWords';

export interface Runner extends Disposable {
  readonly output: OutputChannel;
  /** What the output holds, its end at least. */
  readonly written: string;
  /** What the progress said in the last run, in order. */
  readonly said: readonly string[];
  readonly isRunning: boolean;
  /** The result; undefined after a failure, which was shown. `reached` hears that the host answered. */
  run(request: ProfileRequest, title: string, reached?: () => void): Promise<ProfileResult | undefined>;
  /** The same for a program whose kernels are only timed. */
  time(request: ProfileRequest, title: string): Promise<KernelTimes | undefined>;
  /** The same for errors that tools of compute-sanitizer see. */
  sanitize(
    request: ProfileRequest,
    tools: readonly SanitizerTool[],
    title: string,
    reached: () => void,
  ): Promise<SanitizerRun[] | undefined>;
  cancel(): void;
}

export interface RunnerOptions {
  readonly asking: Asking;
  /** Called for the buttons of a failure that lead back to the questions. */
  readonly remedy: (remedy: Extract<Remedy, 'host' | 'what' | 'all-kernels' | 'times'>) => void;
}

/** A program may print without end. */
const rememberedCharacters = 1 << 18;

export function createRunner({ asking, remedy }: RunnerOptions): Runner {
  const channel = window.createOutputChannel('Warplens Profile');
  let written = '';
  const output: OutputChannel = {
    name: channel.name,
    append(text) {
      written = (written + text).slice(-rememberedCharacters);
      channel.append(text);
    },
    appendLine(text) {
      output.append(`${text}\n`);
    },
    replace(text) {
      written = text;
      channel.replace(text);
    },
    clear() {
      written = '';
      channel.clear();
    },
    show: (first?: unknown, preserveFocus?: boolean) =>
      channel.show(typeof first === 'boolean' ? first : preserveFocus),
    hide: () => channel.hide(),
    dispose: () => channel.dispose(),
  };
  const compiler = languages.createDiagnosticCollection('warplens-build');
  let running: AbortController | undefined;
  let said: string[] = [];

  async function work<Result>(
    job: (request: ProfileRequest, options: ProfileOptions) => Promise<Result>,
    request: ProfileRequest,
    title: string,
    reached?: () => void,
  ): Promise<Result | undefined> {
    if (running) {
      void asking
        .say('information', 'Warplens: a profile is already running.', 'Cancel It')
        .then((answer) => answer && running?.abort());
      return undefined;
    }
    const stop = (running = new AbortController());
    void commands.executeCommand('setContext', 'warplens.profileRunning', true);
    const host = request.host.destination ?? 'this machine';
    said = [];
    compiler.clear();
    output.appendLine(`── ${title} on ${host}, ${new Date().toLocaleTimeString()}`);
    try {
      return await window.withProgress(
        { location: ProgressLocation.Notification, title: `Profiling ${title}`, cancellable: true },
        async (progress, token) => {
          token.onCancellationRequested(() => stop.abort());
          const words = createWords(host, output, (message) => {
            if (message === said.at(-1)) return;
            said.push(message);
            progress.report({ message });
          });
          return await job(request, {
            signal: stop.signal,
            onEvent(event) {
              if (event.what === 'stage' && event.stage === 'preflight') reached?.();
              words(event);
            },
          });
        },
      );
    } catch (error) {
      if (!(error instanceof ProfileProblem)) throw error;
      report(error, request);
      return undefined;
    } finally {
      running = undefined;
      void commands.executeCommand('setContext', 'warplens.profileRunning', false);
    }
  }

  function report(problem: ProfileProblem, request: ProfileRequest): void {
    if (!logProblem(problem, output)) return;
    const messages =
      problem instanceof BuildFailure
        ? problem.messages.filter(({ file, line }) => file !== undefined && line !== undefined)
        : [];
    showCompilerMessages(messages);
    const remedies = remediesOf(problem, {
      hasMessages: messages.length > 0,
      filtered: request.collect.kernel !== undefined,
    });
    void asking
      .say('error', `Warplens: ${problemText(problem)}`, ...remedies.map((one) => remedyTitles[one]))
      .then((answer) => {
        const chosen = remedies.find((one) => remedyTitles[one] === answer);
        if (chosen) act(chosen, problem);
      });
  }

  function act(chosen: Remedy, problem: ProfileProblem): void {
    switch (chosen) {
      case 'output':
        output.show();
        break;
      case 'problems':
        void commands.executeCommand('workbench.actions.view.problems');
        break;
      case 'settings':
        void commands.executeCommand('workbench.action.openSettings', 'warplens.profile');
        break;
      case 'help':
        void env.openExternal(Uri.parse(helpLink(problem.nextStep)!));
        break;
      default:
        remedy(chosen);
    }
  }

  function showCompilerMessages(messages: readonly CompilerMessage[]): void {
    const byFile = new Map<string, Diagnostic[]>();
    for (const { file, line, column, severity, message } of messages) {
      const at = Math.max(0, line! - 1);
      // Without a column the line stands for it.
      const start = column ? column - 1 : 0;
      const diagnostic = new Diagnostic(
        new Range(at, start, at, column ? start + 1 : Number.MAX_SAFE_INTEGER),
        message,
        severity === 'error'
          ? DiagnosticSeverity.Error
          : severity === 'warning'
            ? DiagnosticSeverity.Warning
            : DiagnosticSeverity.Information,
      );
      diagnostic.source = 'nvcc';
      byFile.set(file!, [...(byFile.get(file!) ?? []), diagnostic]);
    }
    compiler.set([...byFile].map(([file, list]) => [Uri.file(file), list] as const));
  }

  return {
    output,
    get written() {
      return written;
    },
    get said() {
      return said;
    },
    get isRunning() {
      return running !== undefined;
    },
    run: (...all) => work(profile, ...all),
    time: (...all) => work(timeKernels, ...all),
    sanitize: (request, tools, ...rest) => work((one, options) => sanitize(one, tools, options), request, ...rest),
    cancel: () => running?.abort(),
    dispose() {
      running?.abort();
      for (const one of [output, compiler]) one.dispose();
    },
  };
}

const stageWords: Readonly<Record<Stage, string>> = {
  reach: 'connecting to',
  preflight: 'checking',
  send: 'sending sources to',
  build: 'building on',
  run: 'running on',
  collect: 'running under ncu on',
  fetch: 'copying the report from',
  store: 'saving the report',
  clean: 'cleaning up on',
};

/** Turns events into the line of the progress and the lines of the output. */
function createWords(
  host: string,
  output: OutputChannel,
  say: (message: string) => void,
): (event: ProfileEvent) => void {
  let ncu = 'ncu';
  let lineEnded = true;
  const append = (text: string): void => {
    if (text === '') return;
    output.append(text);
    lineEnded = text.endsWith('\n');
  };
  const line = (text: string): void => {
    if (!lineEnded) output.append('\n');
    output.appendLine(text);
    lineEnded = true;
  };
  return (event) => {
    switch (event.what) {
      case 'stage': {
        const words = stageWords[event.stage];
        const message = event.stage === 'store' ? words : `${words} ${host}`;
        say(message.replace('under ncu', `under ${ncu}`));
        if (event.stage !== 'clean' && event.stage !== 'store') line(`─ ${message}`);
        break;
      }
      case 'checked': {
        const { facts, checks } = event.preflight;
        if (facts.ncu?.title?.includes('(replay)')) ncu = 'ncu (replay)';
        line(
          `${facts.gpus?.[0]?.name ?? 'no GPU'}, nvcc ${facts.nvcc?.version ?? '–'}, ${ncu} ` +
            `${facts.ncu?.version ?? '–'}`,
        );
        for (const { verdict, text, nextStep } of checks)
          if (verdict !== 'good')
            line(`${verdict === 'bad' ? 'problem' : 'note'}: ${inEditorWords(`${text} ${nextStep ?? ''}`.trim())}`);
        break;
      }
      case 'build-output':
        append(event.text);
        break;
      case 'built':
        for (const kernel of event.program.kernels)
          line(
            `built ${kernel.name ?? kernel.symbol}: ${kernel.registers} registers, ` +
              `${kernel.sharedBytes ?? 0} bytes of shared memory, ` +
              `${(kernel.spillStoreBytes ?? 0) + (kernel.spillLoadBytes ?? 0)} bytes spilled`,
          );
        break;
      case 'ncu':
        if (event.event.what === 'kernel') {
          const { name, count, percent, passes } = event.event;
          say(`${ncu}: kernel ${count}, ${name}${passes === undefined ? ` ${percent} %` : ''}`);
          if (passes !== undefined) line(`${ncu}: kernel ${count}, ${name}: ${passes} passes`);
        } else if (event.event.what === 'program') append(event.event.text);
        break;
      case 'fetched':
        say(
          `copying the report, ${Math.round((100 * event.have) / Math.max(event.all, 1))} % of ` +
            `${(event.all / 1e6).toFixed(1)} MB`,
        );
        break;
      case 'kept':
        line(`kept on the host: ${event.folder}`);
        break;
    }
  };
}

/** The result in a line: `step 1: scale 1.32 ms, 2.00× faster`; kernels that changed come first. */
export function resultText({ step }: Pick<ProfileResult, 'step'>, gains: ReadonlyMap<string, number>): string {
  const kernels = [...new Set(step.kernels.map(({ shortName }) => shortName))].map((name) => ({
    name,
    gain: gainWords(gains.get(name)),
    time: step.kernels.reduce((sum, kernel) => sum + (kernel.shortName === name ? (kernel.durationNs ?? 0) : 0), 0),
  }));
  const sorted = kernels.sort((a, b) => Number(b.gain !== '') - Number(a.gain !== '') || b.time - a.time);
  const shown = sorted
    .slice(0, 3)
    .map(
      ({ name, time, gain }) =>
        `${name} ${time > 0 ? showDuration(time) : 'without a time'}${gain === '' ? '' : `, ${gain}`}`,
    );
  return (
    `${step.label}: ` +
    `${shown.join('; ')}${kernels.length > shown.length ? `; ${kernels.length - shown.length} more kernel${kernels.length - shown.length === 1 ? '' : 's'}` : ''}`
  );
}

/** `2.37× faster`, `1.20× slower`; empty for a change that two runs of the same program have, too. */
export function gainWords(gain: number | undefined): string {
  if (gain === undefined || Math.abs(gain - 1) < leastGain) return '';
  return gain > 1 ? `${showGain(gain)} faster` : `${showGain(1 / gain)} slower`;
}

/** Saves what is changed in a folder: what is built is what is on disk. False when the user kept a file from it. */
export async function saveSources(root: string): Promise<boolean> {
  for (const document of workspace.textDocuments) {
    if (!document.isDirty || document.uri.scheme !== 'file' || relative(root, document.uri.fsPath).startsWith('..'))
      continue;
    if (!(await document.save())) return false;
  }
  return true;
}
