/** A real sshd on loopback for the tests: own keys, own port, own configuration, all in one temporary folder. */

import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, connect } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';

export interface PrivateSshd {
  readonly folder: string;
  readonly port: number;
  /** ssh configuration with the hosts `good`, `wrong-key`, `unknown-key`, `changed-key` and `down`. */
  readonly config: string;
  /** Cuts every open connection, as a network does: the processes that serve them are killed. */
  cutConnections(): void;
  stop(): void;
}

/** Where sshd is on this machine; undefined when it is not installed. */
export const sshdPath: string | undefined = ['/usr/sbin/sshd', '/usr/local/sbin/sshd', '/opt/homebrew/sbin/sshd'].find(
  (path) => existsSync(path),
);

/** Why the tests that need sshd cannot run here, or undefined when they can. */
export function whyNoSshd(): string | undefined {
  if (!sshdPath) return 'there is no sshd on this machine (Debian: apt-get install openssh-server rsync)';
  if (spawnSync('ssh', ['-V']).error) return 'there is no ssh on this machine';
  return undefined;
}

/** Starts sshd. `environment` is what its sessions get (PATH, say), through SetEnv. */
export async function startSshd(environment: Record<string, string> = {}): Promise<PrivateSshd> {
  const folder = mkdtempSync('/tmp/wl-sshd-');
  const at = (name: string) => join(folder, name);
  for (const name of ['host_key', 'other_host_key', 'user_key', 'stranger_key']) {
    const made = spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'warplens-test', '-f', at(name)]);
    if (made.status !== 0) throw new Error(`ssh-keygen failed: ${String(made.stderr)}`);
  }
  const port = await freePort();
  const downPort = await freePort();
  writeFileSync(at('authorized_keys'), readFileSync(at('user_key.pub')), { mode: 0o600 });
  const publicKey = (name: string) =>
    readFileSync(at(`${name}.pub`), 'utf8')
      .split(' ')
      .slice(0, 2)
      .join(' ');
  writeFileSync(
    at('known_hosts'),
    `[127.0.0.1]:${port} ${publicKey('host_key')}\n[127.0.0.1]:${downPort} ${publicKey('host_key')}\n`,
  );
  writeFileSync(at('known_hosts_none'), '');
  writeFileSync(at('known_hosts_other'), `[127.0.0.1]:${port} ${publicKey('other_host_key')}\n`);
  // Every command's bash reads ~/.bashrc; what the developer's starts (pyenv, conda) can take seconds.
  mkdirSync(at('home'));
  const quoted = Object.entries({ HOME: at('home'), ...environment })
    .map(([name, value]) => `"${name}=${value}"`)
    .join(' ');
  writeFileSync(
    at('sshd_config'),
    [
      `Port ${port}`,
      'ListenAddress 127.0.0.1',
      `HostKey ${at('host_key')}`,
      `PidFile ${at('sshd.pid')}`,
      `AuthorizedKeysFile ${at('authorized_keys')}`,
      'AuthenticationMethods publickey',
      'PermitRootLogin yes',
      // The temporary folder is world-writable above ours, which StrictModes would refuse.
      'StrictModes no',
      'UsePAM no',
      'Subsystem sftp internal-sftp',
      'MaxStartups 50',
      `SetEnv ${quoted}`,
      '',
    ].join('\n'),
  );
  const host = (name: string, lines: Record<string, string | number>) =>
    [`Host ${name}`, ...Object.entries(lines).map(([key, value]) => `  ${key} ${value}`)].join('\n');
  const common = {
    HostName: '127.0.0.1',
    User: userInfo().username,
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    StrictHostKeyChecking: 'yes',
    GlobalKnownHostsFile: '/dev/null',
  };
  writeFileSync(
    at('ssh_config'),
    [
      host('good', { ...common, Port: port, IdentityFile: at('user_key'), UserKnownHostsFile: at('known_hosts') }),
      host('wrong-key', {
        ...common,
        Port: port,
        IdentityFile: at('stranger_key'),
        UserKnownHostsFile: at('known_hosts'),
      }),
      host('unknown-key', {
        ...common,
        Port: port,
        IdentityFile: at('user_key'),
        UserKnownHostsFile: at('known_hosts_none'),
      }),
      host('changed-key', {
        ...common,
        Port: port,
        IdentityFile: at('user_key'),
        UserKnownHostsFile: at('known_hosts_other'),
      }),
      host('down', { ...common, Port: downPort, IdentityFile: at('user_key'), UserKnownHostsFile: at('known_hosts') }),
      '',
    ].join('\n'),
    { mode: 0o600 },
  );
  // sshd drops privileges into this empty folder; a machine without the service has not made it.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true });
  const daemon = spawn(sshdPath!, ['-D', '-e', '-f', at('sshd_config')], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  daemon.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4000);
  });
  if (!(await answers(port, 5000))) {
    daemon.kill();
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`sshd did not start: ${log}`);
  }
  return {
    folder,
    port,
    config: at('ssh_config'),
    cutConnections: () => {
      for (const id of childrenOf(daemon)) {
        try {
          process.kill(id, 'SIGKILL');
        } catch {
          // It ended by itself between the listing and now.
        }
      }
    },
    stop: () => {
      for (const id of childrenOf(daemon)) {
        try {
          process.kill(id, 'SIGKILL');
        } catch {
          // As above.
        }
      }
      daemon.kill('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** The sshd processes that serve connections: the daemon's children and, without privileges, theirs; not the commands that they run. */
function childrenOf(daemon: ChildProcess): number[] {
  const rows = spawnSync('ps', ['-eo', 'pid=,ppid=,comm='])
    .stdout.toString()
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/));
  const serving: number[] = [];
  let parents = [daemon.pid!];
  while (parents.length > 0) {
    const children = rows
      .filter((row) => parents.includes(Number(row[1])) && row[2]!.startsWith('sshd'))
      .map((row) => Number(row[0]));
    serving.push(...children);
    parents = children;
  }
  return serving;
}

async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

async function answers(port: number, milliseconds: number): Promise<boolean> {
  const until = Date.now() + milliseconds;
  while (Date.now() < until) {
    const open = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.on('connect', () => {
        socket.destroy();
        resolve(true);
      });
      socket.on('error', () => resolve(false));
    });
    if (open) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
