// Takes the README's pictures in a real editor: `npx tsx tools/screenshots.ts [name…]` writes media/<name>.png.
import { join } from 'node:path';
import { rmSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { provideChromium } from './editor/chromium';
import { provideCodeServer, startCodeServer, type RunningEditor } from './editor/codeServer';
import { copyWorkspace, QUIET_SETTINGS } from './editor/hostTests';
import { openWindow } from './editor/window';

const root = join(__dirname, '..');
const SQUIGGLE = '.squiggly-warning, .squiggly-error, .squiggly-info, .squiggly-hint';

interface Picture {
  readonly file: string;
  readonly theme?: string;
  readonly width?: number;
  readonly height?: number;
  readonly pose: (page: Page) => Promise<void>;
}

const SMALL = { width: 1000, height: 560 };

const pictures: Readonly<Record<string, Picture>> = {
  hover: {
    file: 'samples/transpose/unpadded-tile.cu',
    pose: async (page) => { await goTo(page, 18, 34); await hover(page); },
  },
  fix: {
    file: 'samples/reduction/shared-sweep.cu',
    ...SMALL,
    pose: async (page) => { await goTo(page, 13, 3); await menu(page); },
  },
  fixed: {
    file: 'samples/reduction/shared-sweep.cu',
    ...SMALL,
    pose: async (page) => {
      await goTo(page, 13, 3);
      await menu(page);
      await page.keyboard.press('Enter');
      await page.waitForSelector(SQUIGGLE, { state: 'detached' });
      await goTo(page, 8, 1);
      await page.waitForTimeout(600);
    },
  },
  overview: {
    file: 'samples/vector-addition/chunk-per-thread.cu',
    ...SMALL,
    pose: async (page) => { await goTo(page, 1, 1); },
  },
  page: {
    file: 'samples/transpose/unpadded-tile.cu',
    pose: async (page) => {
      await goTo(page, 18, 34);
      await command(page, 'Warplens: Explain Rule');
      await page.waitForTimeout(500);
      await page.keyboard.press('Enter');
      await page.waitForTimeout(4000);
    },
  },
  link: {
    file: 'samples/transpose/unpadded-tile.cu',
    pose: async (page) => { await goTo(page, 18, 34); await hover(page); await page.locator('.monaco-hover a.code-link, .monaco-hover a:has-text("cuda/bank-conflict")').first().click(); await page.waitForTimeout(2000); },
  },
  tiled: {
    file: 'samples/matrix-product/register-tiled.cu',
    theme: 'Default Light Modern',
    pose: async (page) => { await goTo(page, 34, 1); },
  },
  problems: {
    file: 'samples/vector-addition/chunk-per-thread.cu',
    pose: async (page) => { await command(page, 'Problems: Focus on Problems View'); await page.waitForTimeout(800); },
  },
  walkthrough: {
    file: 'samples/vector-addition/chunk-per-thread.cu',
    pose: async (page) => { await command(page, 'Warplens: Open Walkthrough'); await page.waitForTimeout(2500); },
  },
};

/** Those that the README shows; the others are for looking at while working. */
const SHOWN = ['hover', 'fix', 'fixed', 'overview', 'page'];

async function main(): Promise<void> {
  const commandLine = process.argv.slice(2);
  const into = commandLine.find((argument) => argument.startsWith('--into='))?.slice('--into='.length) ?? join(root, 'media');
  const named = commandLine.filter((argument) => !argument.startsWith('--'));
  const chromium = provideChromium();
  if ('missing' in chromium) throw new Error(chromium.missing);
  const codeServer = provideCodeServer();
  for (const name of named.length > 0 ? named : SHOWN) {
    const picture = pictures[name];
    if (!picture) throw new Error(`There is no picture "${name}"; there are ${Object.keys(pictures).join(', ')}.`);
    const folder = copyWorkspace();
    const editor: RunningEditor = await startCodeServer(codeServer, {
      settings: {
        ...QUIET_SETTINGS, 'workbench.colorTheme': picture.theme ?? 'Default Dark Modern', 'editor.fontSize': 14, 'editor.minimap.enabled': false, 'breadcrumbs.enabled': false,
        'workbench.activityBar.location': 'hidden', 'workbench.statusBar.visible': true, 'editor.hover.delay': 100, 'workbench.sideBar.location': 'right', 'editor.stickyScroll.enabled': false,
        'editor.hover.sticky': true, 'editor.occurrencesHighlight': 'off', 'editor.scrollbar.horizontal': 'hidden', 'files.exclude': { '**/Makefile': true },
      },
    });
    try {
      const window = await openWindow(editor, {
        chromium: chromium.path, folder, extension: root, file: join(folder, picture.file),
        size: { width: picture.width ?? 1200, height: picture.height ?? 680 }, deviceScaleFactor: 1.5,
      });
      try {
        const { page } = window;
        await page.waitForSelector('.monaco-editor .view-lines .view-line', { timeout: 60_000 });
        await page.keyboard.press('Control+b');
        // Over the empty middle of the status bar nothing pops up.
        await page.mouse.move((picture.width ?? 1200) / 2, (picture.height ?? 680) - 8);
        await page.waitForSelector(SQUIGGLE, { timeout: 20_000 }).catch(() => console.log(`${name}: no finding is on screen.`));
        await picture.pose(page);
        await page.screenshot({ path: join(into, `${name}.png`) });
        console.log(join(into, `${name}.png`));
      } finally {
        await window.close();
      }
    } finally {
      await editor.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Runs commands by their titles in the palette. */
async function command(page: Page, ...titles: readonly string[]): Promise<void> {
  for (const title of titles) {
    await page.keyboard.press('F1');
    await page.waitForSelector('.quick-input-widget input');
    await page.keyboard.type(title);
    await page.waitForTimeout(400);
    await page.keyboard.press('Enter');
    await page.waitForTimeout(300);
  }
}

async function goTo(page: Page, line: number, column: number): Promise<void> {
  await page.keyboard.press('Control+g');
  await page.waitForSelector('.quick-input-widget input');
  await page.keyboard.type(`${line}:${column}`);
  await page.waitForTimeout(200);
  await page.keyboard.press('Enter');
  await page.waitForTimeout(400);
}

async function menu(page: Page): Promise<void> {
  // On a busy machine the first press may come before the findings.
  for (let left = 5; left > 0; left--) {
    await page.keyboard.press('Control+.');
    if (await page.waitForSelector('.action-widget', { timeout: 4_000 }).then(() => true, () => false)) break;
  }
  await page.waitForTimeout(600);
}

async function hover(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+i');
  await page.waitForSelector('.monaco-hover:not(.hidden) .hover-contents');
  await page.waitForTimeout(1200);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
