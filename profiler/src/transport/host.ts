/** A machine that builds and runs programs, this one or one behind ssh: a scratch folder there, commands, and files both ways. */

import { randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';

import { openChannel, outputOf, runHere } from './channel';
import type { Channel, ChannelEnd, LocalCommand } from './channel';
import { keeperScript, lifeline, receiveScript, supervisorScript, unpackScript } from './hostScripts';
import { ProfileProblem, cancelled, lastLines } from './problem';
import type { Stage } from './problem';
import { loginShellLine } from './quoting';
import { connectionLost, explainSshFailure } from './sshFailure';
import { writeResultFile } from './resultFile';

/** Which machine, and how to get there. */
export interface HostChoice {
  /** What ssh calls a destination (`gpu`, `me@gpu`, `ssh://me@gpu:2222`); undefined is this machine. */
  readonly destination?: string | undefined;
  /** Words put before each tool that is run (`srun --gres=gpu:1`): the launcher of a scheduler or a container. */
  readonly launcher?: readonly string[] | undefined;
  /** An ssh configuration file to use in place of ~/.ssh/config. */
  readonly sshConfig?: string | undefined;
  /** Folder on the host in which the scratch folder is made; a leading `~/` is the home there. Default: its temporary folder. */
  readonly scratchIn?: string | undefined;
  /** Which `ssh` to run; the user's, from PATH, by default. */
  readonly ssh?: string;
}

export interface RunOptions {
  readonly stage: Stage;
  readonly signal?: AbortSignal | undefined;
  /** Folder on the host to run in; the scratch folder by default. */
  readonly directory?: string;
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** Folders on the host to append to PATH. */
  readonly path?: readonly string[];
  /** Whether the launcher goes in front. Default true: only housekeeping runs without. */
  readonly launched?: boolean;
  /** Both streams as they come, already decoded. */
  readonly onText?: (stream: 'output' | 'error', text: string) => void;
  /** The output as bytes; it is then not gathered. */
  readonly onBytes?: (chunk: Buffer) => void;
  /** Receives a function that interrupts the command as Ctrl-C would, once it runs. */
  readonly onStarted?: (interrupt: () => void) => void;
}

export interface RunOutcome {
  /** The command's exit status; 128 + n when signal n ended it; 127 when there is no such command. */
  readonly status: number;
  /** The last megabyte of each stream. */
  readonly output: string;
  readonly errors: string;
}

export interface Host {
  /** `this machine` or the destination. */
  readonly name: string;
  readonly isLocal: boolean;
  /** The private folder on the host which vanishes when the host is closed or lost. */
  readonly scratch: string;
  readonly launcher: readonly string[];
  /**
   * Runs one command. Arguments arrive as they are, whatever they hold. Standard input is empty. Rejects with a ProfileProblem when the
   * signal aborts (after the command's processes are gone), when the connection is lost, or when the launcher does not work.
   */
  run(argv: readonly string[], options: RunOptions): Promise<RunOutcome>;
  /** Writes a file on the host, folders included. `content` is text or the path of a file here. */
  send(
    content: { readonly text: string } | { readonly file: string },
    path: string,
    stage: Stage,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Copies the files of a folder here into a folder on the host. Version control and `node_modules` stay here, ignored files too where rsync is on both sides. */
  sendFolder(folder: string, path: string, stage: Stage, signal?: AbortSignal): Promise<void>;
  /**
   * Copies a file from the host to `path` here: whole or not at all. `onBytes` hears how many of how many bytes are here; `accept` sees the
   * copy before it takes its place, and rejects to refuse it.
   */
  fetch(
    from: string,
    path: string,
    stage: Stage,
    signal?: AbortSignal,
    onBytes?: (have: number, all: number) => void,
    accept?: (copy: string) => Promise<void>,
  ): Promise<void>;
  /** Ends everything on the host and removes the scratch folder, or leaves it (`keep`). Says whether the host confirmed it. Never rejects. */
  close(keep?: boolean): Promise<'removed' | 'kept' | 'unconfirmed'>;
}

/** What is never copied to a host with a project. */
const leftHere = ['.git', '.hg', '.svn', 'node_modules', '.warplens'];

/** How long each stream of a command is remembered, in characters. */
const rememberedCharacters = 1 << 20;

/**
 * Connects and makes the scratch folder. Rejects with a ProfileProblem: host unreachable, key unknown or refused, no scratch folder.
 */
export async function openHost(choice: HostChoice, signal?: AbortSignal): Promise<Host> {
  if (signal?.aborted) throw cancelled('reach');
  const { destination } = choice;
  const isLocal = destination === undefined;
  if (destination !== undefined && (destination === '' || destination.startsWith('-') || /[\s\0]/.test(destination))) {
    throw new ProfileProblem(
      'reach',
      'bad-setting',
      `${JSON.stringify(destination)} is not the name of a host.`,
      'Give what you would give to ssh: host, user@host or ssh://user@host:port.',
    );
  }
  if (isLocal && process.platform === 'win32') {
    throw new ProfileProblem(
      'reach',
      'bad-setting',
      'On Windows, Warplens runs programs on a host that ssh reaches, not on this machine.',
      'Use --host, or run Warplens inside WSL.',
    );
  }
  const name = destination ?? 'this machine';
  const launcher = choice.launcher ?? [];
  const session = randomBytes(9).toString('hex');
  let commands = 0;

  // One connection for everything: the keeper's, which the other sessions share. The socket lies where only the user can reach it.
  const shares = !isLocal && process.platform !== 'win32';
  const socketFolder = shares ? await mkdtemp(join(socketRoot(), 'wl-')) : undefined;
  const socket = socketFolder && join(socketFolder, 's');
  const sshOptions = (master: boolean): string[] => [
    ...(choice.sshConfig ? ['-F', choice.sshConfig] : []),
    '-T',
    ...[
      'BatchMode=yes',
      'ConnectTimeout=15',
      'ServerAliveInterval=10',
      'ServerAliveCountMax=3',
      'ClearAllForwardings=yes',
      'ForwardX11=no',
      'RequestTTY=no',
      'RemoteCommand=none',
      'EscapeChar=none',
      'ControlPersist=no',
      ...(socket ? [`ControlMaster=${master ? 'yes' : 'no'}`, `ControlPath=${socket}`] : []),
    ].flatMap((option) => ['-o', option]),
  ];
  const command = (argv: readonly string[], master = false): LocalCommand =>
    isLocal
      ? { file: argv[0]!, args: argv.slice(1) }
      : { file: choice.ssh ?? 'ssh', args: [...sshOptions(master), '--', destination!, loginShellLine(argv)] };

  const tidySocket = async (): Promise<void> => {
    if (socketFolder) await rm(socketFolder, { recursive: true, force: true });
  };

  let scratch = '';
  let keeperSaid: string | undefined;
  let ready: () => void;
  const answered = new Promise<void>((resolve) => (ready = resolve));
  const keeper = openChannel(command(['sh', '-c', keeperScript, 'warplens', session, choice.scratchIn ?? ''], true), {
    run: session,
    onMark: ([word, ...rest]) => {
      if (word === 'scratch') {
        scratch = rest[0]!;
        ready();
      } else if (word !== 'begin') {
        keeperSaid = [word, ...rest].join(' ');
      }
    },
  });
  let keeperEnd: ChannelEnd | undefined;
  void keeper.ended.then((end) => {
    keeperEnd = end;
    ready();
  });
  const stopWaiting = () => keeper.hangUp();
  signal?.addEventListener('abort', stopWaiting, { once: true });
  await answered;
  signal?.removeEventListener('abort', stopWaiting);
  if (signal?.aborted) {
    await keeper.ended;
    await tidySocket();
    throw cancelled('reach');
  }
  if (!scratch) {
    const end = keeperEnd!;
    await tidySocket();
    if (keeperSaid?.startsWith('failed scratch')) {
      throw new ProfileProblem(
        'reach',
        'no-scratch',
        `No folder could be made in ${keeperSaid.slice('failed scratch '.length)} on ${name}.`,
        'Free some room there or name another folder with --scratch.',
      );
    }
    if (end.startError) {
      throw isLocal
        ? new ProfileProblem(
            'reach',
            'tool-missing',
            'There is no `sh` on this machine.',
            'Use --host to run on a Linux machine.',
          )
        : new ProfileProblem('reach', 'no-ssh', 'There is no `ssh` on this machine.', 'Install the OpenSSH client.');
    }
    throw isLocal || end.began
      ? connectionLost('reach', name, end.errors)
      : explainSshFailure('reach', name, end.errors);
  }

  const nextRun = () => `${session}.${++commands}`;

  /** Why a channel that did not say how it ended is gone. The keeper hears of a lost connection too, perhaps a moment later. */
  const explain = async (end: ChannelEnd, stage: Stage, launched: boolean): Promise<ProfileProblem> => {
    await Promise.race([keeper.ended, new Promise((resolve) => setTimeout(resolve, 500))]);
    if (launched && launcher.length > 0 && !end.began && !keeperEnd) {
      const missing = isLocal && end.startError;
      return new ProfileProblem(
        stage,
        'launcher',
        `The launcher \`${launcher.join(' ')}\` did not start a command${missing ? ': there is no such program' : ''}.`,
        'Try it by hand with `true` behind it.',
        lastLines(end.errors),
      );
    }
    if (isLocal || end.began || keeperEnd) return connectionLost(stage, name, end.errors);
    return explainSshFailure(stage, name, end.errors);
  };

  const follow = async (
    channel: Channel,
    stage: Stage,
    outer?: AbortSignal,
    patience?: number,
  ): Promise<ChannelEnd> => {
    const stop = () => channel.hangUp(patience);
    if (outer?.aborted) stop();
    outer?.addEventListener('abort', stop, { once: true });
    const end = await channel.ended;
    outer?.removeEventListener('abort', stop);
    if (outer?.aborted) throw cancelled(stage);
    return end;
  };

  const run: Host['run'] = async (argv, options) => {
    const { stage } = options;
    if (options.signal?.aborted) throw cancelled(stage);
    if (argv.length === 0 || argv[0]!.startsWith('-')) {
      throw new ProfileProblem(
        stage,
        'bad-setting',
        `${JSON.stringify(argv[0] ?? '')} cannot be run as a program.`,
        'A program whose name starts with a dash needs ./ in front.',
      );
    }
    const runId = nextRun();
    const assignments = Object.entries(options.environment ?? {}).map(([variable, value]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable))
        throw new RangeError(`${variable} is not the name of an environment variable.`);
      return `${variable}=${value}`;
    });
    const launched = (options.launched ?? true) && launcher.length > 0;
    const words = [
      ...(launched ? launcher : []),
      'sh',
      '-c',
      supervisorScript,
      'warplens',
      runId,
      options.directory ?? scratch,
      (options.path ?? []).join(':'),
      ...assignments,
      '--',
      ...argv,
    ];
    let output = '';
    let errors = '';
    let status: number | undefined;
    let failure: string | undefined;
    let deaf = false;
    const text = new TextDecoder();
    let channel: Channel;
    const onMark = ([word, ...rest]: readonly string[]) => {
      if (word === 'begin') options.onStarted?.(() => channel.signal(lifeline.interrupt));
      // ksh writes 256 + n for signal n where other shells write 128 + n.
      if (word === 'exit') status = Number(rest[0]) > 256 ? Number(rest[0]) - 128 : Number(rest[0]);
      if (word === 'failed') failure = rest.join(' ');
      if (word === 'deaf') deaf = true;
    };
    channel = openChannel(
      commandOrProblem(() => command(words), stage),
      {
        run: runId,
        onMark,
        onOutput: (chunk) => {
          if (options.onBytes) {
            options.onBytes(chunk);
            return;
          }
          const piece = text.decode(chunk, { stream: true });
          output = (output + piece).slice(-rememberedCharacters);
          if (piece) options.onText?.('output', piece);
        },
        onError: (piece) => {
          errors = (errors + piece).slice(-rememberedCharacters);
          options.onText?.('error', piece);
        },
      },
    );
    const end = await follow(channel, stage, options.signal);
    if (failure === 'directory') {
      // A connection that was cut takes the scratch folder with it, and ssh may have made another one for this command.
      await Promise.race([keeper.ended, new Promise((resolve) => setTimeout(resolve, 500))]);
      if (keeperEnd) throw connectionLost(stage, name, end.errors);
      throw new ProfileProblem(
        stage,
        launched ? 'launcher' : 'bad-setting',
        `There is no folder ${options.directory ?? scratch} ${launched ? `where \`${launcher.join(' ')}\` runs commands` : `on ${name}`}.`,
        launched
          ? 'Name a folder that both the host and the launched command see with --scratch (a home or project folder, say).'
          : 'Check the path.',
      );
    }
    if (deaf) {
      throw new ProfileProblem(
        stage,
        'launcher',
        `The launcher \`${launcher.join(' ')}\` does not pass standard input on, so a cancelled run could not be stopped.`,
        'For containers use `docker exec -i …`; for other launchers see their option for standard input.',
      );
    }
    if (status === undefined) throw await explain(end, stage, launched);
    return { status, output, errors };
  };

  const transfer = async (
    words: readonly string[],
    runId: string,
    input: Readable,
    stage: Stage,
    outer: AbortSignal | undefined,
    what: string,
  ): Promise<void> => {
    let wrote = false;
    let failed = false;
    const channel = openChannel(
      commandOrProblem(() => command(words), stage),
      {
        run: runId,
        input,
        onMark: ([word]) => {
          if (word === 'exit') wrote = true;
          if (word === 'failed') failed = true;
        },
      },
    );
    const end = await follow(channel, stage, outer);
    if (end.inputError) {
      throw new ProfileProblem(
        stage,
        'source-missing',
        `${what} could not be read here: ${end.inputError.message}.`,
        'Check that the file is there and readable.',
      );
    }
    if (failed) throw diskProblem(stage, what, name, scratch, end.errors);
    if (!wrote) throw await explain(end, stage, false);
  };

  const send: Host['send'] = async (content, path, stage, outer) => {
    if (outer?.aborted) throw cancelled(stage);
    const bytes = 'text' in content ? Buffer.from(content.text, 'utf8') : undefined;
    const size = bytes ? bytes.length : await sizeOf((content as { file: string }).file, stage);
    const runId = nextRun();
    const input = bytes
      ? Readable.from([bytes], { objectMode: false })
      : createReadStream((content as { file: string }).file);
    await transfer(
      ['sh', '-c', receiveScript, 'warplens', runId, path, String(size)],
      runId,
      input,
      stage,
      outer,
      'file' in content ? content.file : path,
    );
  };

  const sendFolder: Host['sendFolder'] = async (folder, path, stage, outer) => {
    if (outer?.aborted) throw cancelled(stage);
    if (await rsyncOnBothSides(run, stage, outer)) {
      await copyWithRsync(folder, path, stage, outer);
      return;
    }
    const runId = nextRun();
    const packer = openTar(folder);
    await transfer(['sh', '-c', unpackScript, 'warplens', runId, path], runId, packer, stage, outer, folder);
  };

  const copyWithRsync = async (folder: string, path: string, stage: Stage, outer?: AbortSignal): Promise<void> => {
    const excludes = leftHere.flatMap((one) => ['--exclude', one]);
    // rsync runs the words of -e itself, split at blanks with quotes honoured, and puts the host and its own server command behind them.
    const shell = [choice.ssh ?? 'ssh', ...sshOptions(false)]
      .map((word) => (/[\s'"]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word))
      .join(' ');
    const url = destination?.match(/^ssh:\/\/(?:([^@/]+)@)?([^:/]+|\[[^\]]+\])(?::(\d+))?\/?$/);
    const target = isLocal ? `${path}/` : `${url ? `${url[1] ? `${url[1]}@` : ''}${url[2]}` : destination}:${path}/`;
    const remoteShell = isLocal ? [] : ['-e', url?.[3] ? `${shell} -p ${url[3]}` : shell];
    const channel = openChannel(
      {
        file: 'rsync',
        args: [
          '-a',
          '--secluded-args',
          '--mkpath',
          ...excludes,
          '--filter',
          ':- .gitignore',
          ...remoteShell,
          '--',
          `${folder}/`,
          target,
        ],
      },
      { run: nextRun() },
    );
    // rsync does not listen to a lifeline; its other half ends with it, and the keeper sees to the rest.
    const end = await follow(channel, stage, outer, 0);
    if (end.code === 0) return;
    if (/No space left|Disk quota/i.test(end.errors)) throw diskProblem(stage, folder, name, scratch, end.errors);
    if (end.code === 255 || end.code === 12) throw await explain(end, stage, false);
    throw new ProfileProblem(
      stage,
      'source-missing',
      `${folder} could not be copied to ${name}.`,
      'rsync says why.',
      lastLines(end.errors),
    );
  };

  const fetch: Host['fetch'] = async (from, path, stage, outer, onBytes, accept) => {
    const measured = await run(['sh', '-c', 'wc -c <"$1"', 'warplens', from], {
      stage,
      signal: outer,
      launched: false,
    });
    const all = Number(measured.output.trim());
    if (measured.status !== 0 || !Number.isSafeInteger(all)) {
      throw new ProfileProblem(
        stage,
        'connection-lost',
        `${from} cannot be read on ${name}.`,
        'Start again; with --keep the folder on the host stays for a look.',
        lastLines(measured.errors),
      );
    }
    await writeResultFile(
      path,
      async (write) => {
        let have = 0;
        let failure: unknown;
        const stopped = new AbortController();
        const either = outer ? AbortSignal.any([outer, stopped.signal]) : stopped.signal;
        try {
          const outcome = await run(['cat', from.startsWith('-') ? `./${from}` : from], {
            stage,
            signal: either,
            launched: false,
            onBytes: (chunk) => {
              if (failure) return;
              try {
                write(chunk);
                have += chunk.length;
                onBytes?.(have, all);
              } catch (error) {
                failure = error;
                stopped.abort();
              }
            },
          });
          if (outcome.status !== 0 || have !== all) {
            throw new ProfileProblem(
              stage,
              'report-truncated',
              `Only ${have} of ${all} bytes of the report arrived.`,
              'Start again; earlier results are untouched.',
              lastLines(outcome.errors),
            );
          }
        } catch (error) {
          throw failure ?? error;
        }
      },
      accept,
    );
  };

  const close: Host['close'] = async (keep = false) => {
    if (!keeperEnd) {
      keeper.signal(keep ? lifeline.keep : lifeline.remove);
      keeper.hangUp(20_000);
      await keeper.ended;
    }
    if (socket && !keeperEnd)
      await runHere(
        { file: choice.ssh ?? 'ssh', args: [...sshOptions(false), '-O', 'exit', '--', destination!] },
        5000,
      );
    await tidySocket();
    if (keeperSaid === 'removed') return 'removed';
    return keeperSaid === 'kept' ? 'kept' : 'unconfirmed';
  };

  return { name, isLocal, scratch, launcher, run, send, sendFolder, fetch, close };
}

/** A command line that is too long is a setting to fix, not a crash. */
function commandOrProblem(make: () => LocalCommand, stage: Stage): LocalCommand {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ProfileProblem(
      stage,
      'bad-setting',
      error.message,
      'Shorten the arguments, or put them into a file that the program reads.',
    );
  }
}

/** Unix socket paths end at some 100 characters, ssh adds 17 of its own while it makes one, and temporary folders can be long. */
function socketRoot(): string {
  return tmpdir().length > 60 ? '/tmp' : tmpdir();
}

function openTar(folder: string): Readable {
  return outputOf({ file: 'tar', args: ['-cf', '-', ...leftHere.map((one) => `--exclude=${one}`), '-C', folder, '.'] });
}

async function sizeOf(file: string, stage: Stage): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    throw new ProfileProblem(stage, 'source-missing', `There is no readable file ${file}.`, 'Check the path.');
  }
}

function diskProblem(stage: Stage, what: string, name: string, scratch: string, errors: string): ProfileProblem {
  return new ProfileProblem(
    stage,
    'host-disk-full',
    `${what} could not be written to ${scratch} on ${name}.`,
    'Free some room there or name another folder with --scratch.',
    lastLines(errors, 3),
  );
}

async function rsyncOnBothSides(run: Host['run'], stage: Stage, signal?: AbortSignal): Promise<boolean> {
  // --secluded-args (3.2.4 and newer, and by its older name before) keeps the other side's shell away from file names.
  const suits = (text: string) => {
    const version = /rsync\s+version\s+v?(\d+)\.(\d+)\.(\d+)/.exec(text);
    return version !== null && Number(version[1]) * 10000 + Number(version[2]) * 100 + Number(version[3]) >= 30204;
  };
  const here = await runHere({ file: 'rsync', args: ['--version'] }, 5000);
  if (!suits(here.output)) return false;
  const there = await run(['rsync', '--version'], { stage, signal, launched: false });
  return there.status === 0 && suits(there.output);
}
