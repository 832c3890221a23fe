// What the tests need of the machine that no npm package brings: installed from Debian's packages where that takes no
// password, else said in one sentence.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { findChromium } from './editor/chromium';

/** Steps of `npm test` that need more than npm's packages; see tools/testAll.ts. */
export type NeedySteps = 'unit' | 'editor';

export interface SystemTool {
  readonly name: string;
  /** Commands any of which will do. */
  readonly commands: readonly string[];
  /** Packages of Debian that bring it; none where Debian's own section has none. */
  readonly packages: readonly string[];
  readonly neededBy: readonly NeedySteps[];
  /** Why nothing installs it; only where `packages` is empty. */
  readonly remark?: string;
  readonly isThere?: () => boolean;
}

export const SYSTEM_TOOLS: readonly SystemTool[] = [
  { name: 'ps', commands: ['ps'], packages: ['procps'], neededBy: ['unit', 'editor'] },
  { name: 'ssh', commands: ['ssh'], packages: ['openssh-client'], neededBy: ['unit', 'editor'] },
  { name: 'sshd', commands: ['sshd'], packages: ['openssh-server'], neededBy: ['unit', 'editor'] },
  { name: 'rsync', commands: ['rsync'], packages: ['rsync'], neededBy: ['unit', 'editor'] },
  { name: 'make', commands: ['make'], packages: ['make'], neededBy: ['unit'] },
  { name: 'g++', commands: ['g++'], packages: ['g++'], neededBy: ['unit', 'editor'] },
  { name: 'gcc', commands: ['gcc'], packages: ['gcc', 'libc6-dev'], neededBy: ['unit', 'editor'] },
  { name: 'gfortran', commands: ['gfortran'], packages: ['gfortran'], neededBy: ['unit'] },
  {
    name: 'clang-19',
    commands: ['clang-19', 'clang-20', 'clang-21'],
    packages: ['clang-19'],
    neededBy: ['unit', 'editor'],
  },
  {
    name: 'flang-19',
    commands: ['flang-new-19', 'flang-20', 'flang-21', 'flang'],
    packages: ['flang-19'],
    neededBy: ['unit'],
  },
  { name: 'busybox', commands: ['busybox'], packages: ['busybox'], neededBy: ['unit'] },
  { name: 'ksh', commands: ['ksh'], packages: ['ksh'], neededBy: ['unit'] },
  { name: 'zsh', commands: ['zsh'], packages: ['zsh'], neededBy: ['unit'] },
  {
    name: 'Chromium',
    commands: ['chromium'],
    packages: ['chromium', 'fonts-dejavu-core'],
    neededBy: ['editor'],
    isThere: () => findChromium() !== undefined,
  },
  {
    name: 'nvcc',
    commands: ['nvcc'],
    packages: [],
    neededBy: ['unit'],
    remark: "NVIDIA's CUDA Toolkit, which neither npm nor Debian's main section has",
  },
];

/** Runs a command with these arguments; undefined when it could not be started. */
export type Execute = (command: string, commandLine: readonly string[]) => number | undefined;

/**
 * How packages are installed here without a password: the words before `apt-get`'s arguments; null where that cannot
 * be.
 */
export function aptGet(platform: string, userId: number | undefined, execute: Execute): string[] | null {
  if (platform !== 'linux' || process.env.WARPLENS_INSTALL === 'no') return null;
  if (execute('apt-get', ['--version']) !== 0) return null;
  // A test needs the program sshd, not a service that answers on this machine's port 22: both ways to start one are
  // disabled.
  const quiet = ['env', 'DEBIAN_FRONTEND=noninteractive', 'SYSTEMD_OFFLINE=1', 'RUNLEVEL=1'];
  if (userId === 0) return quiet;
  return execute('sudo', ['-n', 'true']) === 0 ? ['sudo', '-n', ...quiet] : null;
}

/**
 * Puts in place what the named steps need. `say` gets one sentence before anything is installed, or one that names what
 * stays missing and what brings it. Returns what is missing in the end.
 */
export function provideSystemTools(
  needs: readonly NeedySteps[],
  say: (sentence: string) => void,
  {
    tools = SYSTEM_TOOLS,
    execute = run,
    isThere = onPath,
    apt = aptGet(process.platform, process.getuid?.(), run),
  } = {},
): readonly SystemTool[] {
  const lacking = (): SystemTool[] =>
    tools.filter(
      (tool) =>
        tool.neededBy.some((step) => needs.includes(step)) && !(tool.isThere?.() ?? tool.commands.some(isThere)),
    );
  let missing = lacking();
  if (apt && missing.some(({ packages }) => packages.length > 0)) {
    const [command, ...prefix] = apt;
    say(`Installing with apt-get what the tests need and this machine lacks: ${packagesOf(missing).join(', ')}.`);
    const hadSshd = !missing.some(({ name }) => name === 'sshd');
    execute(command!, [...prefix, 'apt-get', 'update', '-qq']);
    const known = packagesOf(missing).filter((name) => execute('apt-cache', ['show', name]) === 0);
    const install = (names: readonly string[]): boolean =>
      names.length > 0 &&
      execute(command!, [...prefix, 'apt-get', 'install', '-y', '-qq', '--no-install-recommends', ...names]) === 0;
    // One package that cannot be had must not take the others with it.
    if (!install(known)) for (const name of known) install([name]);
    if (!hadSshd && existsSync('/run/systemd/system'))
      execute(command!, [...prefix, 'systemctl', 'disable', '--quiet', 'ssh']);
    missing = lacking();
  }
  if (missing.length > 0) say(sentenceOn(missing));
  return missing;
}

/** One sentence on what is missing and what brings it. */
export function sentenceOn(missing: readonly SystemTool[]): string {
  const names = missing.map(({ name, remark }) => (remark ? `${name} (${remark})` : name)).join(', ');
  const packages = packagesOf(missing);
  const remedy = packages.length > 0 ? `; "sudo apt-get install ${packages.join(' ')}" brings them on Debian` : '';
  return `Tests that need what this machine lacks are skipped: ${names}${remedy}.`;
}

function packagesOf(tools: readonly SystemTool[]): string[] {
  return [...new Set(tools.flatMap(({ packages }) => packages))];
}

/** Whether a command is on the path, or where Debian keeps those of the administrator. */
export function onPath(command: string): boolean {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin'];
  return folders.some((folder) => folder !== '' && existsSync(join(folder, command)));
}

function run(command: string, commandLine: readonly string[]): number | undefined {
  const done = spawnSync(command, commandLine, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  return done.error ? undefined : (done.status ?? undefined);
}
