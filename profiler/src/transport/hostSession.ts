/**
 * What both kinds of host share: the keeper of the scratch folder, commands under their supervisor, and files both
 * ways.
 */

import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';

import { openChannel, outputOf, runHere } from './channel';
import type { Channel, ChannelEnd, LocalCommand } from './channel';
import type { Host, HostChoice } from './host';
import { keeperScript, lifeline, receiveScript, supervisorScript, unpackScript } from './hostScripts';
import { keepText } from './keptText';
import { ProfileProblem, cancelled, lastLines } from './problem';
import type { Stage } from './problem';
import { connectionLost } from './sshFailure';
import { writeResultFile } from './resultFile';

/** What differs between this machine and one behind ssh. */
export interface Way {
  /** `this machine` or the destination. */
  readonly name: string;
  readonly isLocal: boolean;
  /** Names this profile among all that run. */
  readonly session: string;
  /**
   * The command of this machine that runs `argv` there; the first of them opens the connection that the others share.
   */
  command(argv: readonly string[], first?: boolean): LocalCommand;
  /** Why the first command could not be started here. */
  notStarted(): ProfileProblem;
  /** Why a command ended before it began. */
  notReached(stage: Stage, errors: string): ProfileProblem;
  /** Arguments of rsync that lead to a folder there. */
  rsyncTo(path: string): readonly string[];
  /** Lets go of what the way holds on this machine; `lost` when the connection ended by itself. */
  tidy(lost: boolean): Promise<void>;
}

/** What is never copied to a host with a project. */
const leftHere = ['.git', '.hg', '.svn', 'node_modules', '.warplens'];

/**
 * Starts the keeper, which makes the scratch folder; the host ends with it. Rejects with a ProfileProblem when the
 * host is not reached, gives no folder, or the signal aborts.
 */
export async function openSession(choice: HostChoice, way: Way, signal?: AbortSignal): Promise<Host> {
  const { name, isLocal, session } = way;
  // A signal that aborted while the way was prepared tells no listener that comes after it.
  if (signal?.aborted) {
    await way.tidy(true);
    throw cancelled('reach');
  }
  const launcher = choice.launcher ?? [];
  let commands = 0;
  let scratch = '';
  let keeperSaid: string | undefined;
  let ready: () => void;
  const answered = new Promise<void>((resolve) => (ready = resolve));
  const keeper = openChannel(
    way.command(['sh', '-c', keeperScript, 'warplens', session, choice.scratchIn ?? ''], true),
    {
      run: session,
      onMark: ([word, ...rest]) => {
        if (word === 'scratch') {
          scratch = rest[0]!;
          ready();
        } else if (word !== 'begin') {
          keeperSaid = [word, ...rest].join(' ');
        }
      },
    },
  );
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
    await way.tidy(true);
    throw cancelled('reach');
  }
  if (!scratch) {
    const end = keeperEnd!;
    await way.tidy(true);
    if (keeperSaid?.startsWith('failed scratch')) {
      throw new ProfileProblem(
        'reach',
        'no-scratch',
        `No folder could be created in ${keeperSaid.slice('failed scratch '.length)} on ${name}.`,
        'Free some space there, or use another folder with --scratch.',
      );
    }
    if (end.startError) throw way.notStarted();
    throw isLocal || end.began ? connectionLost('reach', name, end.errors) : way.notReached('reach', end.errors);
  }

  const nextRun = () => `${session}.${++commands}`;

  /**
   * Why a channel that did not say how it ended is gone. The keeper hears of a lost connection too, perhaps a moment
   * later.
   */
  const explain = async (end: ChannelEnd, stage: Stage, launched: boolean): Promise<ProfileProblem> => {
    await Promise.race([keeper.ended, new Promise((resolve) => setTimeout(resolve, 500))]);
    if (launched && launcher.length > 0 && !end.began && !keeperEnd) {
      const missing = isLocal && end.startError;
      return new ProfileProblem(
        stage,
        'launcher',
        `The launcher \`${launcher.join(' ')}\` did not start a ` +
          `command${missing ? ': the program was not found' : ''}.`,
        'Run it by hand with the command `true`.',
        lastLines(end.errors),
      );
    }
    if (isLocal || end.began || keeperEnd) return connectionLost(stage, name, end.errors);
    return way.notReached(stage, end.errors);
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
        'Prefix a program name that starts with a dash with ./.',
      );
    }
    const runId = nextRun();
    const assignments = Object.entries(options.environment ?? {}).map(([variable, value]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(variable))
        throw new RangeError(`${variable} is not the name of an environment variable.`);
      return `${variable}=${value}`;
    });
    const launched = (options.launched ?? true) && launcher.length > 0;
    // Compilers leave their intermediate files in the temporary folder when they are killed: let it go with the scratch
    // folder.
    if (stage === 'build' && options.environment?.['TMPDIR'] === undefined) assignments.push(`TMPDIR=${scratch}/tmp`);
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
    const output = keepText(options.keptCharacters);
    const errors = keepText(options.keptCharacters);
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
      commandOrProblem(() => way.command(words), stage),
      {
        run: runId,
        onMark,
        onOutput: (chunk) => {
          if (options.onBytes) {
            options.onBytes(chunk);
            return;
          }
          const piece = text.decode(chunk, { stream: true });
          output.add(piece);
          if (piece) options.onText?.('output', piece);
        },
        onError: (piece) => {
          errors.add(piece);
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
        `Folder ${options.directory ?? scratch} was not found ` +
          `${launched ? `where \`${launcher.join(' ')}\` runs commands` : `on ${name}`}.`,
        launched
          ? 'Use a folder that both the host and the launched command can access with --scratch (for ' +
              'example a home or project folder).'
          : 'Check the path.',
      );
    }
    if (deaf) {
      throw new ProfileProblem(
        stage,
        'launcher',
        `The launcher \`${launcher.join(' ')}\` does not forward standard input, so a run could not be cancelled.`,
        'For containers use `docker exec -i …`; other launchers have an option for standard input.',
      );
    }
    if (status === undefined) throw await explain(end, stage, launched);
    return { status, output: output.text(), errors: errors.text() };
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
      commandOrProblem(() => way.command(words), stage),
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
          ...way.rsyncTo(path).slice(0, -1),
          '--',
          `${folder}/`,
          way.rsyncTo(path).at(-1)!,
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
      'See the output of rsync.',
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
        'Start again; --keep leaves the folder on the host.',
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
    const lost = keeperEnd !== undefined;
    if (!keeperEnd) {
      keeper.signal(keep ? lifeline.keep : lifeline.remove);
      keeper.hangUp(20_000);
      await keeper.ended;
    }
    await way.tidy(lost);
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

function openTar(folder: string): Readable {
  return outputOf({ file: 'tar', args: ['-cf', '-', ...leftHere.map((one) => `--exclude=${one}`), '-C', folder, '.'] });
}

async function sizeOf(file: string, stage: Stage): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch {
    throw new ProfileProblem(
      stage,
      'source-missing',
      `File ${file} was not found or is not readable.`,
      'Check the path.',
    );
  }
}

function diskProblem(stage: Stage, what: string, name: string, scratch: string, errors: string): ProfileProblem {
  return new ProfileProblem(
    stage,
    'host-disk-full',
    `${what} could not be written to ${scratch} on ${name}.`,
    'Free some space there, or use another folder with --scratch.',
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
