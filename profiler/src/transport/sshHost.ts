/** A machine behind ssh: one connection of the user's own ssh, which all commands and copies share. */

import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { runHere } from './channel';
import type { Host, HostChoice } from './host';
import { openSession } from './hostSession';
import { ProfileProblem } from './problem';
import { loginShellLine } from './quoting';
import { explainSshFailure } from './sshFailure';

/** Rejects with a ProfileProblem: host unreachable, key unknown or refused, no scratch folder. */
export async function openSshHost(choice: HostChoice, destination: string, signal?: AbortSignal): Promise<Host> {
  if (destination === '' || /(^|\/|@)(-|%2d)|[\s\0]/i.test(destination)) {
    throw new ProfileProblem(
      'reach',
      'bad-setting',
      `Invalid host ${JSON.stringify(destination)}.`,
      'Use an ssh destination: host, user@host or ssh://user@host:port.',
    );
  }
  // One connection for everything: the keeper's, which the other sessions share. The socket lies where only the user
  // can reach it.
  const shares = process.platform !== 'win32';
  if (shares) await removeDeadSockets();
  const socketFolder = shares ? await mkdtemp(join(socketRoot(), `${socketPrefix}${process.pid}-`)) : undefined;
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
  const ssh = choice.ssh ?? 'ssh';
  return openSession(
    choice,
    {
      name: destination,
      isLocal: false,
      session: randomBytes(9).toString('hex'),
      command: (argv, first = false) => ({
        file: ssh,
        args: [...sshOptions(first), '--', destination, loginShellLine(argv)],
      }),
      notStarted: () =>
        new ProfileProblem('reach', 'no-ssh', '`ssh` was not found on this machine.', 'Install the OpenSSH client.'),
      notReached: (stage, errors) => explainSshFailure(stage, destination, errors),
      rsyncTo(path) {
        // rsync runs the words of -e itself, split at blanks with quotes honoured, and puts the host and its own server
        // command behind them.
        const shell = [ssh, ...sshOptions(false)]
          .map((word) => (/[\s'"]/.test(word) ? `"${word.replaceAll('"', '""')}"` : word))
          .join(' ');
        const url = destination.match(/^ssh:\/\/(?:([^@/]+)@)?([^:/]+|\[[^\]]+\])(?::(\d+))?\/?$/);
        const target = `${url ? `${url[1] ? `${url[1]}@` : ''}${url[2]}` : destination}:${path}/`;
        return ['-e', url?.[3] ? `${shell} -p ${url[3]}` : shell, target];
      },
      async tidy(lost) {
        if (socket && !lost)
          await runHere({ file: ssh, args: [...sshOptions(false), '-O', 'exit', '--', destination] }, 5000);
        if (socketFolder) await rm(socketFolder, { recursive: true, force: true });
      },
    },
    signal,
  );
}

const socketPrefix = 'wl-';

/** Folders of sockets whose Warplens was killed, and with it the connection; only this process knows them. */
async function removeDeadSockets(): Promise<void> {
  const names = await readdir(socketRoot()).catch(() => []);
  for (const name of names) {
    const pid = Number(new RegExp(`^${socketPrefix}(\\d+)-\\w{6}$`).exec(name)?.[1]);
    if (!Number.isInteger(pid) || lives(pid)) continue;
    // Another user's folder stays: it cannot be removed.
    await rm(join(socketRoot(), name), { recursive: true, force: true }).catch(() => undefined);
  }
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Unix socket paths end at some 100 characters, ssh adds 17 while it makes one, and temporary folders can be long. */
function socketRoot(): string {
  return tmpdir().length > 60 ? '/tmp' : tmpdir();
}
