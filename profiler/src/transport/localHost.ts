/** This machine as a host: programs are its own child processes. */

import { randomBytes } from 'node:crypto';

import type { Host, HostChoice } from './host';
import { openSession } from './hostSession';
import { ProfileProblem } from './problem';
import { connectionLost } from './sshFailure';

/** Rejects with a ProfileProblem when no scratch folder can be made. */
export async function openLocalHost(choice: HostChoice, signal?: AbortSignal): Promise<Host> {
  if (process.platform === 'win32') {
    throw new ProfileProblem(
      'reach',
      'bad-setting',
      'On Windows, Warplens runs programs only on a host reached by ssh, not on this machine.',
      'Use --host, or run Warplens inside WSL.',
    );
  }
  const name = 'this machine';
  return openSession(
    choice,
    {
      name,
      isLocal: true,
      session: randomBytes(9).toString('hex'),
      command: ([file, ...args]) => ({ file: file!, args }),
      notStarted: () =>
        new ProfileProblem(
          'reach',
          'tool-missing',
          '`sh` was not found on this machine.',
          'Use --host to run on a Linux machine.',
        ),
      notReached: (stage, errors) => connectionLost(stage, name, errors),
      rsyncTo: (path) => [`${path}/`],
      tidy: async () => {
        // nothing is held
      },
    },
    signal,
  );
}
