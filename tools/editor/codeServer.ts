// A real VS Code without its vendor's download: the VS Code server of the npm package code-server, kept in a cache
// outside the checkout.
import { spawn, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';

const VERSION = '4.100.3';

export interface RunningEditor {
  readonly port: number;
  readonly userData: string;
  readonly extensions: string;
  /** Everything the server has printed so far. */
  output(): string;
  stop(): Promise<void>;
}

/** Where downloaded editors live: `$WARPLENS_CACHE`, else the user's cache folder. */
export function cacheFolder(): string {
  return process.env.WARPLENS_CACHE ?? join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'warplens');
}

/**
 * The folder of an installed code-server, which is fetched from the npm registry the first time. Throws one sentence
 * when that fails.
 */
export function provideCodeServer(): string {
  const folder = join(cacheFolder(), `code-server-${VERSION}`);
  const ready = join(folder, 'installed');
  if (existsSync(ready)) return folder;
  mkdirSync(cacheFolder(), { recursive: true });
  const workplace = mkdtempSync(join(cacheFolder(), 'unpacking-'));
  try {
    console.log(`Fetching code-server ${VERSION} into ${folder} (once; about 200 MB).`);
    npm(['pack', `code-server@${VERSION}`, '--silent'], workplace);
    const archive = readdirSync(workplace).find((name) => name.endsWith('.tgz'));
    if (!archive) throw new Error(`npm pack left no archive of code-server@${VERSION}.`);
    execute('tar', ['-xzf', archive], workplace);
    for (const inner of ['lib/vscode', 'lib/vscode/extensions']) {
      npm(
        ['install', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'],
        join(workplace, 'package', inner),
      );
    }
    linkRipgrep(join(workplace, 'package', 'lib', 'vscode', 'node_modules', '@vscode', 'ripgrep'));
    rmSync(folder, { recursive: true, force: true });
    renameSync(join(workplace, 'package'), folder);
    writeFileSync(ready, `${new Date().toISOString()}\n`);
    return folder;
  } finally {
    rmSync(workplace, { recursive: true, force: true });
  }
}

/** Search needs ripgrep, whose binary the package would download; the machine's own does as well. */
function linkRipgrep(folder: string): void {
  const found = (process.env.PATH ?? '')
    .split(':')
    .map((directory) => join(directory, 'rg'))
    .find(existsSync);
  if (!found || !existsSync(folder)) return;
  mkdirSync(join(folder, 'bin'), { recursive: true });
  symlinkSync(found, join(folder, 'bin', 'rg'));
}

/**
 * Starts the editor's server on a free port of this machine. Its data lies in a fresh temporary folder unless `data`
 * names one.
 */
export async function startCodeServer(
  folder: string,
  options: {
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly environment?: Readonly<Record<string, string>>;
    readonly data?: string;
    /** For windows that a test drives: they answer their own confirmations and run `extensionTestsPath`. */
    readonly driven?: boolean;
    /** Whether folders are asked about, as at a user's; without it every folder is trusted. */
    readonly asksForTrust?: boolean | undefined;
  } = {},
): Promise<RunningEditor> {
  const data = options.data ?? mkdtempSync(join(tmpdir(), 'warplens-editor-'));
  const { userData, extensions, flags } = layout(data);
  if (options.settings) {
    mkdirSync(join(userData, 'User'), { recursive: true });
    writeFileSync(join(userData, 'User', 'settings.json'), JSON.stringify(options.settings, undefined, 2));
  }
  const driven = options.driven === false ? [] : ['--enable-smoke-test-driver'];
  const server = spawn(
    process.execPath,
    [
      join(folder, 'lib', 'vscode', 'out', 'server-main.js'),
      '--host',
      '127.0.0.1',
      '--port',
      '0',
      '--without-connection-token',
      '--accept-server-license-terms',
      '--telemetry-level',
      'off',
      '--disable-getting-started-override',
      '--force-disable-user-env',
      ...(options.asksForTrust ? [] : ['--disable-workspace-trust']),
      ...driven,
      ...flags,
    ],
    {
      env: { ...process.env, EXTENSIONS_GALLERY: '{}', ...options.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    },
  );

  let output = '';
  const port = await new Promise<number>((resolve, reject) => {
    const late = setTimeout(
      () => reject(new Error(`The editor's server did not start within a minute. It said:\n${output}`)),
      60_000,
    );
    const read = (chunk: Buffer): void => {
      output += chunk.toString();
      const found = /Extension host agent listening on (\d+)/.exec(output);
      if (found) {
        clearTimeout(late);
        resolve(Number(found[1]));
      }
    };
    server.stdout.on('data', read);
    server.stderr.on('data', read);
    server.once('exit', (code) => {
      clearTimeout(late);
      reject(new Error(`The editor's server ended with code ${code}. It said:\n${output}`));
    });
  });

  return {
    port,
    userData,
    extensions,
    output: () => output,
    async stop() {
      if (server.exitCode === null) {
        const ended = new Promise((resolve) => server.once('exit', resolve));
        // The server has a process group of its own, with the extension hosts in it.
        try {
          process.kill(process.platform === 'win32' ? server.pid! : -server.pid!, 'SIGTERM');
        } catch {
          /* It has just ended. */
        }
        const late = setTimeout(() => {
          try {
            process.kill(process.platform === 'win32' ? server.pid! : -server.pid!, 'SIGKILL');
          } catch {
            /* likewise */
          }
        }, 5_000);
        await ended;
        clearTimeout(late);
      }
      if (!options.data) rmSync(data, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
}

/**
 * Installs a packaged extension into the editor whose data lies in `data`. Throws what the editor said when it would
 * not.
 */
export function installExtension(folder: string, data: string, vsix: string): void {
  const { flags } = layout(data);
  const said = execute(
    process.execPath,
    [
      join(folder, 'lib', 'vscode', 'out', 'server-main.js'),
      '--accept-server-license-terms',
      ...flags,
      '--install-extension',
      vsix,
    ],
    folder,
    { EXTENSIONS_GALLERY: '{}' },
  );
  if (!/successfully installed/.test(said)) throw new Error(`The editor did not install ${vsix}. It said:\n${said}`);
}

function layout(data: string): { userData: string; extensions: string; flags: string[] } {
  const userData = join(data, 'user-data');
  const extensions = join(data, 'extensions');
  for (const directory of [userData, extensions]) mkdirSync(directory, { recursive: true });
  return {
    userData,
    extensions,
    flags: [
      '--server-data-dir',
      join(data, 'server-data'),
      '--extensions-dir',
      extensions,
      '--user-data-dir',
      userData,
    ],
  };
}

function npm(commandLine: readonly string[], directory: string): string {
  return execute('npm', commandLine, directory);
}

function execute(
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
      `"${command} ${commandLine.join(' ')}" failed: ${(done.error?.message ?? `${done.stderr}${done.stdout}`).trim().slice(-2000)}`,
    );
  return `${done.stdout}${done.stderr}`;
}
