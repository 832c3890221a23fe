// Finds a Chromium to show the editor's window in, or installs Debian's.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const APPLICATIONS = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
];

/** What playwright must pass so that Chromium runs as root, without a GPU and without calling home. */
export const CHROMIUM_FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
];

/**
 * The path of a Chromium, or in one sentence why there is none. Installs Debian's package where that needs no password.
 */
export function provideChromium(): { readonly path: string } | { readonly missing: string } {
  const found = findChromium();
  if (found) return { path: found };
  const apt = installCommand();
  if (apt) {
    console.log('Installing Chromium with apt-get.');
    const [command, ...prefix] = apt;
    const environment = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    spawnSync(command!, [...prefix, 'update'], { stdio: 'ignore', env: environment });
    const done = spawnSync(
      command!,
      [...prefix, 'install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core'],
      { encoding: 'utf8', env: environment, maxBuffer: 64 * 1024 * 1024 },
    );
    const now = findChromium();
    if (now) return { path: now };
    return { missing: `apt-get could not install chromium: ${(done.stderr ?? '').trim().split('\n').at(-1)}` };
  }
  return { missing: 'There is no Chromium on this machine. Install one, or name it in WARPLENS_CHROMIUM.' };
}

function findChromium(): string | undefined {
  const named = process.env.WARPLENS_CHROMIUM;
  if (named) return existsSync(named) ? named : undefined;
  const folders = (process.env.PATH ?? '').split(delimiter);
  return [...NAMES.flatMap((name) => folders.map((folder) => join(folder, name))), ...APPLICATIONS].find(existsSync);
}

function installCommand(): string[] | undefined {
  if (process.platform !== 'linux' || process.env.WARPLENS_CHROMIUM || spawnSync('apt-get', ['--version']).status !== 0)
    return undefined;
  if (process.getuid?.() === 0) return ['apt-get'];
  return spawnSync('sudo', ['-n', 'true']).status === 0 ? ['sudo', '-n', 'apt-get'] : undefined;
}
