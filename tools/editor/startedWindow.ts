// Looks at the window that `npm start` opens, as its user sees it: the report is open, its numbers lie on the lines,
// and nothing complains.
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { CHROMIUM_FLAGS } from './chromium';
import { cacheFolder, provideEditor } from './installEditor';

const root = join(__dirname, '..', '..');
const FILE = '1-row-per-thread.cu';
/** Text in the status bar while a report is shown on the sources. */
const METRIC = 'stall samples';

/** What a window shows of a report, and what it complains of. */
interface Seen {
  readonly tab: string;
  readonly status: string;
  /** Texts behind lines, such as `91% long scoreboard`. */
  readonly overlay: readonly string[];
  /** Toasts that are errors or warnings, and dialogs. */
  readonly complaints: readonly string[];
}

/**
 * Runs `npm start` in its browser form and looks at its page: it must show the report within a minute, and end with
 * Ctrl+C. `cache` is where the editor lies, if not in the usual place.
 * Returns what is wrong with it.
 */
export async function checkStartedWindow(
  browser: string,
  { cache }: { readonly cache?: string } = {},
): Promise<readonly string[]> {
  if (cache === undefined) await provideEditor();
  const child = spawn(process.execPath, ['tools/start.mjs', '--browser'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '', ...(cache ? { WARPLENS_CACHE: cache } : {}) },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const late = setTimeout(() => child.kill('SIGKILL'), 240_000);
  const found: string[] = [];
  const { url, said } = await addressOf(child, ended);
  if (url === undefined) found.push(`npm start named no page. It said:\n${said}`);
  else found.push(...(await lookAt(url, browser)));
  child.kill('SIGINT');
  const code = await ended;
  clearTimeout(late);
  if (code !== 0) found.push(`npm start ended with exit code ${code} after Ctrl+C. It said:\n${said}`);
  const serves =
    url !== undefined &&
    (await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    ));
  if (serves) found.push('npm start still serves its page after Ctrl+C.');
  return found;
}

/**
 * Does something with a cache whose editor has a file search that starts and finds nothing, as where its program or a
 * library of it is missing. Only on Linux: hard links stand for a copy.
 */
export async function withoutFileSearch<Result>(act: (cache: string) => Promise<Result>): Promise<Result> {
  const { folder } = await provideEditor();
  const cache = mkdtempSync(join(cacheFolder(), 'without-search-'));
  try {
    if (spawnSync('cp', ['-al', folder, cache]).status !== 0) throw new Error(`${folder} could not be linked.`);
    const program = join(cache, basename(folder), 'lib/vscode/node_modules/@vscode/ripgrep/bin/rg');
    rmSync(program);
    writeFileSync(program, '#!/bin/sh\n[ "$1" = --version ] || exit 127\necho ripgrep 0\n', { mode: 0o755 });
    return await act(cache);
  } finally {
    rmSync(cache, { recursive: true, force: true });
  }
}

async function addressOf(
  child: ChildProcess,
  ended: Promise<unknown>,
): Promise<{ readonly url: string | undefined; readonly said: string }> {
  let said = '';
  const url = await new Promise<string | undefined>((resolve) => {
    child.stdout!.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const address = /http:\/\/\S+/.exec(said);
      if (address) resolve(address[0]);
    });
    void ended.then(() => resolve(undefined));
  });
  return { url, said };
}

async function lookAt(url: string, executablePath: string): Promise<readonly string[]> {
  const browser = await chromium.launch({ executablePath, args: CHROMIUM_FLAGS });
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    await page.goto(url, { waitUntil: 'domcontentloaded' });
    const end = Date.now() + 60_000;
    let seen = await look(page);
    while (missingIn(seen).length > 0 && seen.complaints.length === 0 && Date.now() < end) {
      await page.waitForTimeout(250);
      seen = await look(page);
    }
    // A complaint may come behind what is shown.
    await page.waitForTimeout(3_000);
    seen = await look(page);
    const wrong = [...missingIn(seen), ...seen.complaints.map((text) => `The window of npm start complains: ${text}`)];
    if (wrong.length === 0) wrong.push(...(await openPageOfReport(page)));
    if (wrong.length === 0) return [];
    const picture = join(tmpdir(), 'warplens-started.png');
    await page.screenshot({ path: picture });
    return [...wrong, `The window looked like ${picture}.`];
  } finally {
    await browser.close();
  }
}

/** The page of the report that lies over the lines, opened as a user would. */
async function openPageOfReport(page: Page): Promise<string[]> {
  await page.keyboard.press('F1');
  await page.keyboard.type('Warplens: Show Report Page', { delay: 10 });
  await page.waitForTimeout(500);
  await page.keyboard.press('Enter');
  const end = Date.now() + 20_000;
  while (Date.now() < end) {
    for (const frame of page.frames()) {
      const text = await frame.evaluate<string>('document.body?.innerText ?? ""').catch(() => '');
      if (/averageAndMultiply/.test(text) && /[Oo]ccupancy/.test(text) && frame !== page.mainFrame()) return [];
    }
    await page.waitForTimeout(250);
  }
  return ['The page of the report did not open in the window of npm start.'];
}

function missingIn({ tab, status, overlay }: Seen): string[] {
  const missing: string[] = [];
  if (!tab.includes(FILE))
    missing.push(`The window of npm start shows ${tab ? `"${tab}"` : 'no file'} in place of ${FILE}.`);
  if (!status.includes(METRIC))
    missing.push(`The status bar of npm start does not name the report's ${METRIC}: "${status}".`);
  if (overlay.length < 3 || !overlay.some((text) => /×/.test(text)))
    missing.push(`The lines of npm start carry no numbers of the report: ${overlay.join(' | ') || 'no text at all'}.`);
  return missing;
}

/** Run in the page. The texts behind lines are the content of pseudo-elements, which no text of the page holds. */
const LOOK = `(() => {
  const texts = (selector) => [...document.querySelectorAll(selector)].map((each) => each.innerText.trim());
  const overlay = [...document.querySelectorAll('.monaco-editor .view-line span')]
    .flatMap((each) => ['::before', '::after'].map((part) => getComputedStyle(each, part).content))
    .filter((content) => /\\d\\s?%/.test(content))
    .map((content) => content.replace(/^"|"$/g, '').trim());
  const toasts = [...document.querySelectorAll('.notification-toast')]
    .filter((each) => each.querySelector('.codicon-error, .codicon-warning'))
    .map((each) => each.innerText.trim());
  return {
    tab: texts('.tab.active .label-name').join(' '),
    status: texts('.statusbar-item').join(' · '),
    overlay,
    complaints: [...toasts, ...texts('.monaco-dialog-box')],
  };
})()`;

function look(page: Page): Promise<Seen> {
  return page.evaluate<Seen>(LOOK);
}
