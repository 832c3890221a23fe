/** Turns what ssh prints when it cannot connect into a problem with a next step. */

import { ProfileProblem, lastLines } from './problem';
import type { Stage } from './problem';

/**
 * `host` is the destination as the user wrote it; `errors` is ssh's error stream. OpenSSH's client messages, versions 7
 * to 10.
 */
export function explainSshFailure(stage: Stage, host: string, errors: string): ProfileProblem {
  const detail = lastLines(errors);
  const again = `Try \`ssh ${host}\` in a terminal.`;
  if (/REMOTE HOST IDENTIFICATION HAS CHANGED/.test(errors)) {
    return new ProfileProblem(
      stage,
      'host-key',
      `The host key of ${host} has changed.`,
      "If the host was reinstalled, remove the old key (`ssh-keygen -R` and the host's name) " +
        'and connect once by hand; otherwise do not connect.',
      detail,
    );
  }
  if (/Host key verification failed|No .* host key is known/.test(errors)) {
    return new ProfileProblem(
      stage,
      'host-key',
      `The host key of ${host} is unknown on this machine.`,
      `Connect once by hand (\`ssh ${host}\`), compare the fingerprint and accept it.`,
      detail,
    );
  }
  if (/Permission denied|Too many authentication failures|No supported authentication methods/.test(errors)) {
    return new ProfileProblem(
      stage,
      'not-authorised',
      `${host} did not accept any of your keys.`,
      `Warplens does not ask for passwords: make \`ssh -o BatchMode=yes ${host} true\` work, ` +
        'with a key in ssh-agent (`ssh-add`) or an IdentityFile in ~/.ssh/config.',
      detail,
    );
  }
  if (/Could not resolve hostname/.test(errors)) {
    return new ProfileProblem(
      stage,
      'host-unreachable',
      `Unknown host ${host}.`,
      `Check the name, or add a Host entry to ~/.ssh/config. ${again}`,
      detail,
    );
  }
  if (/Connection refused/.test(errors)) {
    return new ProfileProblem(
      stage,
      'host-unreachable',
      `${host} is reachable, but its ssh port does not answer.`,
      `Check that sshd runs there and that the port is right. ${again}`,
      detail,
    );
  }
  if (
    /timed out|No route to host|Network is unreachable|Connection reset|kex_exchange_identification|Connection closed by|banner exchange/.test(
      errors,
    )
  ) {
    return new ProfileProblem(
      stage,
      'host-unreachable',
      `${host} does not answer.`,
      `Check that it is up and that you are on its network (a VPN, a jump host). ${again}`,
      detail,
    );
  }
  if (/Bad configuration option|terminating, .* bad configuration options|Bad owner or permissions/.test(errors)) {
    return new ProfileProblem(
      stage,
      'bad-setting',
      'ssh does not accept its configuration file.',
      'Fix the line that ssh names.',
      detail,
    );
  }
  return new ProfileProblem(stage, 'host-unreachable', `ssh could not open a session on ${host}.`, again, detail);
}

/** The problem of a connection that was there and is gone. */
export function connectionLost(stage: Stage, host: string, errors: string): ProfileProblem {
  return new ProfileProblem(
    stage,
    'connection-lost',
    `The connection to ${host} was lost.`,
    'The host stops its processes and removes their files; earlier results are untouched. ' +
      'Start again when the host answers.',
    lastLines(errors, 4),
  );
}
