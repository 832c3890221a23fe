// Opens a machine that builds and runs programs, this one or one behind ssh.
import type { Host, HostChoice } from './host';
import { openLocalHost } from './localHost';
import { cancelled } from './problem';
import { openSshHost } from './sshHost';

/** Connects and makes the scratch folder. Rejects with a ProfileProblem. */
export async function openHost(choice: HostChoice, signal?: AbortSignal): Promise<Host> {
  if (signal?.aborted) throw cancelled('reach');
  return choice.destination === undefined
    ? openLocalHost(choice, signal)
    : openSshHost(choice, choice.destination, signal);
}
