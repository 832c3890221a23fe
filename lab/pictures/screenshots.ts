// Takes the README's pictures in a real editor: `npx tsx lab/pictures/screenshots.ts [name…]` writes media/<name>.png.
// After a name: `-narrow` for a window of 800 px, then a theme (`-light`, `-contrast`, `-contrast-light`). `-all` takes
// a picture in the four themes, then again after the window was made 800 px wide.
import { join } from 'node:path';
import { rmSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { findChromium } from '../../tools/editor/chromium';
import { type RunningEditor, startCodeServer } from '../../tools/editor/codeServer';
import { type InstalledEditor, provideEditor } from '../../tools/editor/installEditor';
import { copyWorkspace, QUIET_SETTINGS } from '../../tools/editor/hostTests';
import { openWindow } from '../../tools/editor/window';
import { pictures } from './pictures';
import { SQUIGGLE } from './pose';
import { prepareTrial, trialSettings, unpackProfile, walkStages } from './pictureFolders';

const root = join(__dirname, '..', '..');

/** What the names of pictures end with: whether the theme is light, and of high contrast. */
const themes = {
  '': { light: false, contrast: false },
  '-light': { light: true, contrast: false },
  '-contrast': { light: false, contrast: true },
  '-contrast-light': { light: true, contrast: true },
} as const;
type Theme = keyof typeof themes;

const NARROW = '-narrow';

/** Those that the README shows; the others are for looking at while working. */
const SHOWN = [
  'hover',
  'fix',
  'fixed',
  'overview',
  'page',
  'profile',
  'evidence',
  'evidence-light',
  'evidence-contrast',
  'history',
  'measure',
  'report',
  'openacc',
  'openacc-fortran',
];

async function main(): Promise<void> {
  const commandLine = process.argv.slice(2);
  const into =
    commandLine.find((argument) => argument.startsWith('--into='))?.slice('--into='.length) ?? join(root, 'media');
  const named = commandLine.filter((argument) => !argument.startsWith('--'));
  const chromium = findChromium();
  if (!chromium) throw new Error('There is no Chromium on this machine. Install one, or name it in WARPLENS_CHROMIUM.');
  const codeServer = await provideEditor();
  for (const asked of named.length > 0 ? named : SHOWN)
    try {
      await takeScene(asked, into, chromium, codeServer);
    } catch (error) {
      fail(`${asked}: `, error);
    }
}

async function takeScene(asked: string, into: string, chromium: string, codeServer: InstalledEditor): Promise<void> {
  const [, name, narrow, end] = /^(.*?)(-narrow)?((?:-contrast)?(?:-light)?|-all)$/.exec(asked)!;
  const picture = pictures[name!];
  if (!picture) throw new Error(`There is no picture "${name}"; there are ${Object.keys(pictures).join(', ')}.`);
  const taken = end === '-all' ? (Object.keys(themes) as Theme[]) : [end as Theme];
  const size = { width: narrow ? 800 : (picture.width ?? 1200), height: picture.height ?? 680 };
  const folder = copyWorkspace();
  if (picture.profile) await unpackProfile(folder);
  if (picture.walk) await walkStages(folder);
  if (picture.feedback !== undefined) writeFileSync(join(folder, 'build.log'), picture.feedback);
  const trial = picture.trial && prepareTrial();
  const editor: RunningEditor = await startCodeServer(codeServer, {
    ...(trial ? { environment: { PATH: `${trial.tools}:${process.env.PATH}` } } : {}),
    settings: {
      ...QUIET_SETTINGS,
      ...(trial ? trialSettings(trial.scratchIn) : {}),
      ...(picture.feedback !== undefined ? { 'warplens.compilerFeedback.files': ['build.log'] } : {}),
      ...(picture.report !== undefined ? { 'warplens.profile.report': picture.report } : {}),
      'window.autoDetectColorScheme': true,
      'editor.fontSize': 14,
      'editor.minimap.enabled': false,
      'breadcrumbs.enabled': false,
      'workbench.activityBar.location': 'hidden',
      'workbench.statusBar.visible': true,
      'editor.hover.delay': 100,
      'workbench.sideBar.location': 'right',
      'editor.stickyScroll.enabled': false,
      'editor.hover.sticky': true,
      'editor.occurrencesHighlight': 'off',
      'editor.scrollbar.horizontal': 'hidden',
      'files.exclude': { '**/Makefile': true },
    },
  });
  try {
    const window = await openWindow(editor, {
      chromium,
      folder,
      extension: root,
      file: join(folder, picture.file),
      size,
      deviceScaleFactor: 1.5,
      prepare: async (page) => void (await page.addInitScript(SYSTEM_CONTRAST)),
    });
    try {
      const { page } = window;
      await page.waitForSelector('.monaco-editor .view-lines .view-line', { timeout: 60_000 });
      await changeTheme(page, taken[0]!);
      await page.keyboard.press('Control+b');
      // Over the empty middle of the status bar nothing pops up.
      await page.mouse.move(size.width / 2, size.height - 8);
      await page
        .waitForSelector(SQUIGGLE, { timeout: 30_000 })
        .catch(() => console.log(`${name}: no finding is on screen.`));
      // Only an extension under development gets this.
      await page.addStyleTag({ content: '.notifications-toasts { display: none !important; }' });
      await picture.pose(page);
      const take = async (end: string): Promise<void> => {
        for (const theme of taken) {
          await changeTheme(page, theme);
          const isOpen = async (): Promise<boolean> => !picture.open || page.locator(picture.open).first().isVisible();
          if (picture.keepsColors || !(await isOpen())) await picture.pose(page);
          if (!(await isOpen())) throw new Error(`There is no ${picture.open} for ${name}${end}${theme}.`);
          const path = join(into, `${name}${end}${theme}.png`);
          await page.screenshot({ path });
          console.log(path);
        }
      };
      await take(narrow ?? '');
      if (end === '-all' && !narrow) {
        await page.setViewportSize({ ...size, width: 800 });
        await page.waitForTimeout(1500);
        await take(NARROW);
      }
    } finally {
      await window.close();
    }
  } finally {
    await editor.stop();
    trial?.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Lets the window believe that its system asks for high contrast. Chromium's own emulation would also paint the page in
 * the system's colors.
 */
const SYSTEM_CONTRAST = `{
  const real = matchMedia.bind(window);
  const listeners = new Set();
  let matches = false;
  const query = {
    get matches() { return matches; },
    addEventListener: (_, listener) => listeners.add(listener),
    removeEventListener: (_, listener) => listeners.delete(listener),
  };
  window.matchMedia = (media) => (media.includes('forced-colors: active') ? query : real(media));
  window.askForContrast = (asked) => {
    matches = asked;
    for (const listener of listeners) listener();
  };
}`;

async function changeTheme(page: Page, theme: Theme): Promise<void> {
  const { light, contrast } = themes[theme];
  await page.emulateMedia({ colorScheme: light ? 'light' : 'dark' });
  await page.evaluate(`askForContrast(${contrast})`);
  await page.waitForTimeout(2000);
}

function fail(what: string, error: unknown): void {
  console.error(`${what}${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`);
  process.exitCode = 1;
}

main().catch((error: unknown) => fail('', error));
