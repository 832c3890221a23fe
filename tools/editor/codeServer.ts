// Starts the VS Code server that tools/editor/installEditor.ts has put in place, and ends it with all that it started.
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execute, serverProgram, type InstalledEditor } from './installEditor';

export interface RunningEditor {
  readonly port: number;
  readonly userData: string;
  readonly extensions: string;
  /** Everything the server has printed so far. */
  output(): string;
  stop(): Promise<void>;
}

/**
 * Starts the editor's server on a free port of this machine. Its data lies in a fresh temporary folder unless `data`
 * names one.
 */
export async function startCodeServer(
  installed: InstalledEditor,
  options: {
    readonly settings?: Readonly<Record<string, unknown>>;
    readonly environment?: Readonly<Record<string, string>>;
    readonly data?: string;
    /** For windows that a test drives: they answer their own confirmations and run `extensionTestsPath`. */
    readonly driven?: boolean;
    /** Whether folders are asked about, as at a user's; without it every folder is trusted. */
    readonly asksForTrust?: boolean;
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
    installed.node,
    [
      serverProgram(installed.folder),
      ...'--host 127.0.0.1 --port 0 --without-connection-token --accept-server-license-terms'.split(' '),
      ...'--telemetry-level off --disable-getting-started-override --force-disable-user-env'.split(' '),
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
        // The server has its own process group, with the extension hosts in it.
        const signal = (name: NodeJS.Signals): void => {
          try {
            process.kill(process.platform === 'win32' ? server.pid! : -server.pid!, name);
          } catch {
            // It has just ended.
          }
        };
        signal('SIGTERM');
        const late = setTimeout(() => signal('SIGKILL'), 5_000);
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
export function installExtension(installed: InstalledEditor, data: string, vsix: string): void {
  const { flags } = layout(data);
  const said = execute(
    installed.node,
    [serverProgram(installed.folder), '--accept-server-license-terms', ...flags, '--install-extension', vsix],
    installed.folder,
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
