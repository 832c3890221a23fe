// Everything that a run needs, asked for as far as it is not known: what is run, on which host, with the sources saved.
import { commands, Uri, window, workspace, type TextDocument } from 'vscode';
import { ProfileProblem } from '../../../profiler/src/transport/problem';
import type { Profiling, ReadyRun, RunArguments } from './profiling';
import { keepHost, knownHost, pickHost } from './chooseHost';
import { chooseRun } from './chooseRun';
import type { Memory, RememberedRun } from './memory';
import { isRunnable, readConfiguration, requestOf, titleOf, type RunConfiguration } from './runConfiguration';
import { saveSources } from './runProfile';
import { configurationsOf, placeOf, rootOf, settingsOf, storeOf } from './settings';
import { taskCommand } from './taskCommands';

/**
 * The run for some arguments; undefined when the user turned away, or the workspace is not trusted, which has been said
 * by then. Throws a ProfileProblem where the settings do not fit.
 *
 * @param asked who asks and trusts at that time
 */
export function readyRuns(
  asked: () => Pick<Profiling, 'asking' | 'isTrusted'>,
  memory: Memory,
): (wanted: RunArguments, how: 'ask' | 'again' | undefined) => Promise<ReadyRun | undefined> {
  async function ready(wanted: RunArguments, how: 'ask' | 'again' | undefined): Promise<ReadyRun | undefined> {
    if (!asked().isTrusted()) {
      const answer = await asked().asking.say(
        'warning',
        'Warplens does not run programs in an untrusted workspace. Findings and reports work without trust.',
        'Manage Trust',
      );
      if (answer) await commands.executeCommand('workbench.trust.manage');
      return undefined;
    }
    const document = await documentOf(wanted);
    const root = rootOf(document?.uri ?? fileOf(wanted));
    if (root === undefined) {
      void asked().asking.say('information', 'Warplens: open the folder or the CUDA file of the program first.');
      return undefined;
    }
    if (document?.isUntitled) {
      void asked().asking.say('information', 'Warplens: save the file first; the build uses the file on disk.');
      return undefined;
    }
    const run = await runFor(wanted, how, root, document);
    if (!run) return undefined;
    const settings = settingsOf(run.root);
    let chosen: string | undefined;
    let host = wanted.host ?? run.configuration.host ?? knownHost(memory, run.root);
    if (host === undefined) {
      host = await pickHost(asked().asking, undefined, run.configuration.sshConfig ?? settings.sshConfig);
      if (host === undefined) return undefined;
      chosen = host;
    }
    // The same again means the same kernel; a newly chosen run means the whole program.
    const kernel = wanted.kernel ?? (how === 'again' && !('kernel' in wanted) ? run.kernel : undefined);
    const whole: RunConfiguration = {
      ...settings,
      ...run.configuration,
      host,
      ...(kernel !== undefined && { kernel }),
    };
    if (!(await saveSources(run.root))) return undefined;
    const task = whole.task === undefined ? undefined : await taskCommand(whole.task);
    const request = requestOf(whole, placeOf(run.root, document?.uri), storeOf(run.root), task);
    const title = `${kernel === undefined ? '' : `${kernel} of `}${titleOf(run.configuration)}`;
    return {
      run,
      request: wanted.label === undefined ? request : { ...request, label: wanted.label },
      title,
      async keep() {
        if (chosen !== undefined) await keepHost(memory, run.root, chosen);
        const { kernel: _kernel, ...rest } = run;
        await memory.keep({ ...rest, ...(kernel !== undefined && { kernel }) }, document?.uri.fsPath);
      },
    };
  }

  /** What is run: what the arguments say, else what this file was last run with, else what the user chooses. */
  async function runFor(
    wanted: RunArguments,
    how: 'ask' | 'again' | undefined,
    root: string,
    document: TextDocument | undefined,
  ): Promise<RememberedRun | undefined> {
    const { configuration: name, file: _file, label: _label, ...rest } = wanted;
    const given = readConfiguration(rest, 'the argument');
    const { kernel: _kernel, ...plain } = given;
    if (name !== undefined) {
      const named = configurationsOf(root).find((one) => one.name === name);
      if (!named)
        throw new ProfileProblem(
          'preflight',
          'bad-setting',
          `Unknown configuration "${name}" in warplens.profile.configurations.`,
          'Fix the name.',
        );
      return { root, configuration: { ...named, ...plain } };
    }
    if (isRunnable(given)) return { root, configuration: plain };
    const known =
      how === 'ask'
        ? undefined
        : ((document && memory.runFor(document.uri.fsPath)) ??
          (how === 'again' ? (memory.runs.find((run) => run.root === root) ?? memory.runs[0]) : undefined));
    if (known) return known;
    return chooseRun(asked().asking, memory, root, document);
  }

  return ready;
}

export function fileOf({ file }: RunArguments): Uri | undefined {
  return file === undefined ? window.activeTextEditor?.document.uri : Uri.file(file);
}

async function documentOf(wanted: RunArguments): Promise<TextDocument | undefined> {
  if (wanted.file === undefined) {
    const document = window.activeTextEditor?.document;
    return document && ['file', 'untitled'].includes(document.uri.scheme) ? document : undefined;
  }
  return workspace.openTextDocument(Uri.file(wanted.file)).then(undefined, () => undefined);
}
