// Profiling from the editor: commands that ask little, run a profile, and lay its report over the sources.
import { relative } from 'node:path';
import { commands, Uri, window, workspace, type Event } from 'vscode';
import { kernelsRequest, type KernelsAnswer } from '../../../protocol/src/requests';
import type { ProfileRequest, ProfileResult } from '../../../profiler/src/session/profileSession';
import { ProfileProblem } from '../../../profiler/src/transport/problem';
import type { FeatureContext } from '../featureContext';
import type { Overlay } from '../profile/overlay';
import type { ProfileStore } from '../profile/store';
import { askingUser } from './asking';
import { chooseHost, knownHost } from './chooseHost';
import { registerDrop } from './dropReport';
import { registerKernelLenses } from './kernelLenses';
import { createMemory } from './memory';
import { showDuration } from '../../../profiler/src/history/steps';
import { problemText, remedyTitles } from './problemWords';
import { argumentsOf, type Profiling, type RunArguments } from './profiling';
import { fileOf, readyRuns } from './readyRuns';
import { createRunner, resultText } from './runProfile';
import { rootOf } from './settings';

export interface ProfilingOptions extends FeatureContext {
  readonly store: ProfileStore;
  readonly overlay: Overlay;
  readonly gainOf: (kernel: string) => number | undefined;
  readonly gainsOf: (store: string, step: ProfileResult['step']) => Promise<ReadonlyMap<string, number>>;
  readonly onDidChangeGains: Event<void>;
  /** Hears of each new step. */
  readonly added: (store: string) => Promise<void>;
}

export function activateProfiling({
  extension,
  server,
  store,
  overlay,
  gainOf,
  gainsOf,
  onDidChangeGains,
  added,
}: ProfilingOptions): Profiling {
  const memory = createMemory(extension.workspaceState);
  let last: RunArguments = {};
  const runner = createRunner({
    // The one in place when the question comes.
    asking: {
      pick: (...all) => profiling.asking.pick(...all),
      input: (all) => profiling.asking.input(all),
      file: (all) => profiling.asking.file(all),
      say: (...all) => profiling.asking.say(...all),
      confirm: (...all) => profiling.asking.confirm(...all),
    },
    remedy(remedy) {
      if (remedy === 'all-kernels') void profiling.run({ ...last, kernel: undefined });
      else if (remedy === 'what') void profiling.run({ file: last.file }, 'ask');
      else if (remedy === 'times') void timeInstead();
      else void chooseHostAndRun();
    },
  });

  /** Times are measured; the figures beside them stay the model's. */
  async function timeInstead(): Promise<void> {
    const found = await profiling.readyRun(last);
    const times = found && (await runner.time(found.request, found.title));
    if (!times) return;
    if ('timeline' in times) await commands.executeCommand('warplens.profile.open', Uri.file(times.timeline));
    else {
      const said = times.printed.map(
        ({ label, nanoseconds }) => `${label}: ${nanoseconds.map(showDuration).join(', ')}`,
      );
      runner.output.appendLine(said.join('\n'));
      await profiling.asking.say(
        'information',
        `Warplens: there is no nsys on the host; the program prints ${said.slice(0, 3).join('; ')}.`,
      );
    }
  }

  async function chooseHostAndRun(): Promise<void> {
    const root = rootOf(fileOf(last));
    if (root && (await chooseHost(profiling.asking, memory, root))) await profiling.run({ ...last, host: undefined });
  }

  const ready = readyRuns(() => profiling, memory);

  const profiling: Profiling = {
    asking: askingUser,
    isTrusted: () => workspace.isTrusted,
    memory,
    runner,
    async readyRun(wanted, how) {
      try {
        return await ready(wanted, how);
      } catch (error) {
        if (!(error instanceof ProfileProblem)) throw error;
        void profiling.asking
          .say('error', `Warplens: ${problemText(error)}`, remedyTitles.settings)
          .then((answer) => answer && commands.executeCommand('workbench.action.openSettings', 'warplens.profile'));
        return undefined;
      }
    },
    async run(wanted, how) {
      const found = await profiling.readyRun(wanted, how);
      if (!found) return undefined;
      const { run, request, title } = found;
      last = { ...run.configuration, file: wanted.file, kernel: request.collect.kernel };
      // Kept before it ends: a build that fails is fixed and run again.
      const result = await runner.run(request, title, () => void found.keep());
      if (!result) return undefined;
      await added(request.store);
      await commands.executeCommand('warplens.profile.layOver', Uri.file(result.report));
      void tell(result, request);
      return result;
    },
  };

  async function tell(result: ProfileResult, request: ProfileRequest): Promise<void> {
    const gains = await gainsOf(request.store, result.step);
    for (const note of result.notes) runner.output.appendLine(`note: ${note}`);
    const text = resultText(result, gains);
    runner.output.appendLine(`${text}; ${relative(request.build.folder, result.report)}`);
    const grave = result.measured.lines.length === 0 ? result.notes[0] : undefined;
    const buttons = ['Next Hottest Line', 'Show Steps', ...(result.notes.length > 0 ? ['Show Notes'] : [])];
    const answer = grave
      ? await profiling.asking.say('warning', `Warplens: ${text}. ${grave}`, 'Show Notes')
      : await profiling.asking.say('information', `Warplens: ${text}.`, ...buttons);
    if (answer === 'Next Hottest Line') await commands.executeCommand('warplens.profile.nextHottest');
    if (answer === 'Show Steps') await commands.executeCommand('warplens.history.showTable');
    if (answer === 'Show Notes') runner.output.show();
  }

  extension.subscriptions.push(
    runner,
    commands.registerCommand('warplens.profile.run', (value?: unknown) => profiling.run(argumentsOf(value), 'ask')),
    commands.registerCommand('warplens.profile.runKernel', async (value?: unknown) => {
      const wanted = argumentsOf(value);
      const kernel = wanted.kernel ?? (await kernelUnderCursor());
      if (kernel !== undefined) return profiling.run({ ...wanted, kernel });
      void profiling.asking.say('information', 'Warplens: put the cursor into a kernel first.');
      return undefined;
    }),
    commands.registerCommand('warplens.profile.runAgain', (value?: unknown) =>
      profiling.run(argumentsOf(value), 'again'),
    ),
    commands.registerCommand('warplens.profile.cancel', () => runner.cancel()),
    commands.registerCommand('warplens.profile.showOutput', () => runner.output.show()),
    commands.registerCommand('warplens.profile.chooseHost', (host?: unknown) =>
      withHost(typeof host === 'string' ? host : undefined),
    ),
    commands.registerCommand('warplens.profile.checkHost', () => {
      const root = rootOf(window.activeTextEditor?.document.uri) ?? '';
      return withHost(knownHost(memory, root));
    }),
    registerKernelLenses({
      server,
      store,
      overlay,
      gainOf,
      onDidChangeGains: (listener) => onDidChangeGains(listener),
    }),
    registerDrop(),
  );
  return profiling;

  /** Asking a host runs programs there, and ssh's configuration may run some here. */
  async function withHost(host: string | undefined): Promise<string | undefined> {
    if (!profiling.isTrusted()) {
      void profiling.asking.say('warning', 'Warplens does not connect to hosts from an untrusted workspace.');
      return undefined;
    }
    try {
      return await chooseHost(profiling.asking, memory, rootOf(window.activeTextEditor?.document.uri) ?? '', host);
    } catch (error) {
      if (!(error instanceof ProfileProblem)) throw error;
      void profiling.asking.say('error', `Warplens: ${problemText(error)}`);
      return undefined;
    }
  }

  async function kernelUnderCursor(): Promise<string | undefined> {
    const editor = window.activeTextEditor;
    if (!editor) return undefined;
    const answer = await server
      .request<KernelsAnswer | null>(kernelsRequest, { uri: editor.document.uri.toString() })
      .catch(() => null);
    const { line } = editor.selection.active;
    return answer?.kernels.find(({ body }) => body.start.line <= line && line <= body.end.line)?.name;
  }
}
