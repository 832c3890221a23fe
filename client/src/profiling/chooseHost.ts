// Asks on which machine to profile, shows the problems there, and remembers the answer for the workspace.
import {
  CancellationError,
  ConfigurationTarget,
  ProgressLocation,
  QuickPickItemKind,
  Uri,
  window,
  workspace,
  type QuickPickItem,
} from 'vscode';
import type { Check } from '../../../profiler/src/preflight/checks';
import type { Preflight } from '../../../profiler/src/preflight/preflight';
import { checkHost } from '../../../profiler/src/session/profileSession';
import { ProfileProblem } from '../../../profiler/src/transport/problem';
import { sshHosts } from '../../../profiler/src/transport/sshHosts';
import type { Asking } from './asking';
import type { Memory } from './memory';
import { inEditorWords, problemText } from './problemWords';
import { hostChoiceOf, thisMachine, type RunConfiguration } from './runConfiguration';
import { settingsOf } from './settings';

/** `this machine` or the host itself. */
export function hostTitle(host: string): string {
  return host === thisMachine ? 'this machine' : host;
}

interface HostRow extends QuickPickItem {
  readonly host: string;
}

/** A host from the list or typed in; undefined when the user turned away. */
export async function pickHost(
  asking: Asking,
  current: string | undefined,
  sshConfig?: string,
): Promise<string | undefined> {
  const named = (await sshHosts(sshConfig)).filter((host) => host !== thisMachine);
  const mark = (host: string): string => (host === current ? 'chosen now' : '');
  const rows: HostRow[] = [
    // ncu profiles programs of Linux; on Windows the profiler reaches it over ssh or inside WSL.
    ...(process.platform === 'win32' || process.platform === 'darwin'
      ? []
      : [{ label: '$(vm) This machine', description: mark(thisMachine), host: thisMachine }]),
    ...(named.length > 0 ? [{ label: 'from SSH configuration', kind: QuickPickItemKind.Separator, host: '' }] : []),
    ...named.map((host) => ({ label: `$(remote) ${host}`, description: mark(host), host })),
    ...(current !== undefined && current !== thisMachine && !named.includes(current)
      ? [{ label: `$(remote) ${current}`, description: mark(current), host: current }]
      : []),
  ];
  const chosen = await asking.pick<HostRow>(rows, {
    title: 'Host with the GPU',
    placeholder: 'Where to build and run: choose, or type user@host',
    typed: (text) =>
      named.includes(text) || text.startsWith('-') || /\s/.test(text)
        ? undefined
        : { label: `$(add) Another host: ${text}`, description: 'uses your ssh', alwaysShow: true, host: text },
  });
  return chosen && chosen.item.host !== '' ? chosen.item.host : undefined;
}

/** The setting where it names one, else what was chosen in this workspace. */
export function knownHost(memory: Memory, root: string): string | undefined {
  const { host } = settingsOf(root);
  return host !== undefined && host !== '' ? host : memory.host;
}

/** A setting that names a host is changed where it stands: what was chosen must not lie hidden behind it. */
export async function keepHost(memory: Memory, root: string, host: string): Promise<void> {
  const section = workspace.getConfiguration('warplens.profile', Uri.file(root));
  const { globalValue, workspaceValue, workspaceFolderValue } = section.inspect<string>('host') ?? {};
  if (workspaceFolderValue) await section.update('host', host, ConfigurationTarget.WorkspaceFolder);
  else if (workspaceValue) await section.update('host', host, ConfigurationTarget.Workspace);
  else if (globalValue) await section.update('host', host, ConfigurationTarget.Global);
  else await memory.chooseHost(host);
}

/** Looks whether a profile can work there. Throws a ProfileProblem where the host cannot be asked. */
export async function examineHost(configuration: RunConfiguration): Promise<Preflight> {
  const title = `Checking ${hostTitle(configuration.host ?? thisMachine)}`;
  return window.withProgress(
    { location: ProgressLocation.Notification, title, cancellable: true },
    async (_progress, token) => {
      const stop = new AbortController();
      token.onCancellationRequested(() => stop.abort());
      try {
        return await checkHost(
          {
            host: hostChoiceOf(configuration),
            nvcc: configuration.nvcc,
            ncu: configuration.ncu,
            // With the user's own build command nvcc is optional: its absence is a note.
            needsNvcc: (configuration.files?.length ?? 0) > 0,
            locksClocks: (configuration.clocks ?? 'none') !== 'none',
          },
          stop.signal,
        );
      } catch (error) {
        if (stop.signal.aborted) throw new CancellationError();
        throw error;
      }
    },
  );
}

/** `ready: NVIDIA H200, nvcc 13.0, ncu 2025.3.1`. */
export function readyText({ facts }: Preflight): string {
  const replay = facts.ncu?.title?.includes('(replay)') ? ' (replay)' : '';
  return [
    facts.gpus?.[0]?.name ?? 'no GPU',
    `nvcc ${facts.nvcc?.version ?? '–'}`,
    `ncu${replay} ${facts.ncu?.version ?? '–'}`,
  ].join(', ');
}

const icons = { bad: 'error', note: 'info', good: 'pass' } as const;
const order = { bad: 0, note: 1, good: 2 } as const;

export type CheckAnswer = 'use' | 'again' | 'other';

/** The checks as a list, problems first, each with its next step; and what to do about it. */
export async function showChecks(
  asking: Asking,
  host: string,
  checks: readonly Check[],
): Promise<CheckAnswer | undefined> {
  const bad = checks.filter(({ verdict }) => verdict === 'bad').length;
  interface CheckRow extends QuickPickItem {
    readonly answer?: CheckAnswer;
  }
  const rows: CheckRow[] = [
    bad === 0
      ? { label: `$(check) Use ${hostTitle(host)}`, answer: 'use' }
      : { label: '$(refresh) Check again', answer: 'again' },
    { label: '$(remote) Choose another host…', answer: 'other' },
    ...(bad === 0 ? [] : [{ label: `$(check) Use ${hostTitle(host)} anyway`, answer: 'use' } as const]),
    {
      label: bad === 0 ? 'checks' : bad === 1 ? '1 problem' : `${bad} problems`,
      kind: QuickPickItemKind.Separator,
    },
    // A row is one line and cut off at its end, so longer sentences take several.
    ...[...checks]
      .sort((a, b) => order[a.verdict] - order[b.verdict])
      .flatMap(({ verdict, text, nextStep }) => [
        ...folded(inEditorWords(text)).map((part, at) => ({
          label: `$(${at === 0 ? icons[verdict] : 'blank'}) ${part}`,
        })),
        ...(nextStep === undefined
          ? []
          : folded(inEditorWords(nextStep)).map((part, at) => ({
              label: `$(blank) ${at === 0 ? '→ ' : '    '}${part}`,
            }))),
      ]),
  ];
  for (;;) {
    const chosen = await asking.pick(rows, {
      title: hostTitle(host),
      placeholder: bad === 0 ? 'Profiling is possible here' : 'Profiling is not possible here yet',
    });
    if (!chosen || chosen.item.answer) return chosen?.item.answer;
  }
}

const lineWidth = 78;

function folded(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + word.length < lineWidth) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

/** Chooses a host, looks at it, and keeps it where it will do, or where the user takes it all the same. */
export async function chooseHost(
  asking: Asking,
  memory: Memory,
  root: string,
  wanted?: string,
): Promise<string | undefined> {
  let host = wanted;
  for (;;) {
    const settings = settingsOf(root);
    host ??= await pickHost(asking, knownHost(memory, root), settings.sshConfig);
    if (host === undefined) return undefined;
    let found: Preflight;
    try {
      found = await examineHost({ ...settings, host });
    } catch (error) {
      if (error instanceof CancellationError) return undefined;
      if (!(error instanceof ProfileProblem)) throw error;
      const answer = await asking.say(
        'error',
        `Warplens: ${problemText(error)}`,
        'Check Again',
        'Choose Another Host…',
        'Use It Anyway',
      );
      if (answer === 'Use It Anyway') {
        await keepHost(memory, root, host);
        return host;
      }
      if (answer === undefined) return undefined;
      if (answer === 'Choose Another Host…') host = undefined;
      continue;
    }
    const bad = found.checks.some(({ verdict }) => verdict === 'bad');
    if (!bad) {
      await keepHost(memory, root, host);
      const ready = host;
      // No answer is needed: the message closes by itself.
      void asking
        .say('information', `Warplens: ${hostTitle(host)} is ready: ${readyText(found)}.`, 'Show Checks')
        .then(async (button) => {
          if (button && (await showChecks(asking, ready, found.checks)) === 'other')
            await chooseHost(asking, memory, root);
        });
      return host;
    }
    const answer = await showChecks(asking, host, found.checks);
    if (answer === 'use') {
      await keepHost(memory, root, host);
      return host;
    }
    if (answer === undefined) return undefined;
    if (answer === 'other') host = undefined;
  }
}
