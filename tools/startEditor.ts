// `npm start`: builds the extension and opens it on the samples, in the machine's VS Code or else in a browser.
//
//   npm start                     what is there: VS Code, else code-server
//   npm start -- --browser        code-server, even where there is a VS Code
//   npm start -- FOLDER           on another folder
//
// The settings of the samples name a recorded report, which lies over its source from the start; the file shown first
// is that source.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { startCodeServer } from './editor/codeServer';
import { QUIET_SETTINGS } from './editor/hostTests';
import { provideEditor } from './editor/installEditor';
import { windowUrl } from './editor/window';

const root = join(__dirname, '..');
const EDITORS = ['code', 'code-insiders', 'codium', 'vscodium'];
const MAC_EDITOR = '/Applications/Visual Studio Code.app/Contents/Resources/app/bin/code';

async function main(): Promise<void> {
  const commandLine = process.argv.slice(2);
  const named = commandLine.find((argument) => !argument.startsWith('-'));
  const folder = resolve(named ?? join(root, 'samples'));
  const file = named === undefined ? join(folder, 'ado', '1-row-per-thread.cu') : undefined;
  if (!existsSync(folder)) return fail(`There is no folder ${folder}.`);
  if (spawnSync(process.execPath, ['tools/build.mjs', '--development'], { cwd: root, stdio: 'inherit' }).status !== 0)
    return fail('The build failed; it says why above.');

  const editor = commandLine.includes('--browser') ? undefined : findEditor();
  if (editor) {
    console.log(`Opening ${folder} in ${editor}.`);
    const windows = process.platform === 'win32';
    const quoted = (argument: string): string => (windows ? `"${argument}"` : argument);
    const started = spawnSync(
      quoted(editor),
      ['--new-window', quoted(`--extensionDevelopmentPath=${root}`), quoted(folder), ...(file ? [quoted(file)] : [])],
      { stdio: 'inherit', shell: windows },
    );
    if (started.status !== 0) return fail(`${editor} did not start. "npm start -- --browser" does without it.`);
    return;
  }

  const server = await startCodeServer(await provideEditor(), {
    settings: { ...QUIET_SETTINGS, 'workbench.colorTheme': 'Default Dark Modern' },
    driven: false,
  });
  const url = windowUrl(server, { folder, file, extension: root });
  console.log(`\nVS Code with Warplens runs here; Ctrl+C ends it:\n\n  ${url}\n`);
  openBrowser(url);
  // The terminal and tools/start.mjs both pass Ctrl+C on: the second one must not end this process before the server.
  await new Promise<void>((done) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => done());
  });
  await server.stop();
  process.exit(0);
}

function findEditor(): string | undefined {
  const endings = process.platform === 'win32' ? ['.cmd', '.exe'] : [''];
  const folders = (process.env.PATH ?? '').split(delimiter);
  return [
    ...EDITORS.flatMap((name) => folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending)))),
    MAC_EDITOR,
  ].find(existsSync);
}

/** Opens the page where there is a screen; the address on the terminal does elsewhere. */
function openBrowser(url: string): void {
  const [command, ...rest] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', url]
        : ['xdg-open', url];
  if (process.platform === 'linux' && !process.env.DISPLAY && !process.env.WAYLAND_DISPLAY) return;
  spawn(command, rest, { stdio: 'ignore', detached: true })
    .on('error', () => {})
    .unref();
}

function fail(message: string): void {
  console.error(message);
  process.exitCode = 1;
}

main().catch((error: unknown) => fail(error instanceof Error ? error.message : String(error)));
