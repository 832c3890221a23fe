// What a hand does in a window of the editor before its picture is taken: go to a line, hover, open menus, run
// commands. Each waits for what it asked for, and throws one sentence when that does not come.
import type { Page } from 'playwright-core';

/** Whatever a finding is drawn with. */
export const SQUIGGLE = '.squiggly-warning, .squiggly-error, .squiggly-info, .squiggly-hint';

/** What closes when the window gets another size. */
export const MENU = '.action-widget';
export const HOVER = '.monaco-hover:not(.hidden) .hover-contents';
export const LIST = '.quick-input-list .monaco-list-row';

/** Milliseconds after which what did not come counts as missing; the machine may be busy. */
const PATIENCE = 60_000;
/** Milliseconds after which a key is pressed again: it may have come before the findings. */
const AGAIN = 5_000;

/** Until the look finds something. */
async function until(page: Page, what: string, look: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE; !(await look().catch(() => false)); await page.waitForTimeout(100))
    if (Date.now() > end) throw new Error(`${what} after ${PATIENCE / 1000} s.`);
}

/** Does it again until an element appears. */
async function untilAppears(page: Page, selector: string, what: string, act: () => Promise<void>): Promise<void> {
  await until(page, what, async () => {
    await act();
    return appears(page, selector, AGAIN);
  });
}

const appears = (page: Page, selector: string, timeout: number): Promise<boolean> =>
  page.waitForSelector(selector, { timeout }).then(
    () => true,
    () => false,
  );

/** Until an element is there that shows this text. */
export async function shows(page: Page, selector: string, text: string | RegExp = ''): Promise<void> {
  const element = page.locator(selector, { hasText: text }).first();
  await until(page, `"${text}" does not appear in ${selector}`, async () => (await element.count()) > 0);
}

/** Until one of the window's pages shows this. */
export async function drawn(page: Page, text: string): Promise<void> {
  const wanted = `document.body.innerText.includes(${JSON.stringify(text)})`;
  await until(page, `No page shows "${text}"`, async () => {
    const frames = page.frames().filter((frame) => frame !== page.mainFrame());
    const found = await Promise.all(frames.map((frame) => frame.evaluate<boolean>(wanted).catch(() => false)));
    return found.includes(true);
  });
  await page.waitForTimeout(1000);
}

/** Chooses the row that starts with this in a list that opens at the top of the window. */
async function choose(page: Page, what: string, typed: string, row: string, open: () => Promise<void>): Promise<void> {
  const input = '.quick-input-widget:not([style*="display: none"]) input';
  const focused = page.locator('.quick-input-list .monaco-list-row.focused .label-name').first();
  await until(page, what, async () => {
    await open();
    if (!(await appears(page, input, AGAIN))) return false;
    await page.keyboard.press('Control+a');
    await page.keyboard.type(typed);
    for (const end = Date.now() + AGAIN; Date.now() < end; await page.waitForTimeout(100)) {
      const label = await focused.innerText({ timeout: 1000 }).catch(() => '');
      if (!label.replaceAll('\u00a0', ' ').trim().startsWith(row)) continue;
      await page.keyboard.press('Enter');
      return true;
    }
    await page.keyboard.press('Escape');
    return false;
  });
}

/** Chooses a row of a list that a command has opened. */
export async function pick(page: Page, row: string): Promise<void> {
  await choose(page, `No list offers "${row}"`, row, row, async () => {});
}

/** Runs commands by their titles in the palette. */
export async function command(page: Page, ...titles: readonly string[]): Promise<void> {
  for (const title of titles) {
    const open = (): Promise<void> => page.keyboard.press('F1');
    await choose(page, `The palette does not offer "${title}"`, `>${title}`, title, open);
    await page.waitForTimeout(500);
  }
}

/** Opens a file of the folder, and waits for its tab. */
export async function quickOpen(page: Page, name: string): Promise<void> {
  await choose(page, `There is no file "${name}" to open`, name, name, () => page.keyboard.press('Control+p'));
  await shows(page, '.tab.active', name);
}

/** Opens a recorded report of the samples, and waits until it lies over its sources. */
export async function openReport(page: Page, report: string): Promise<void> {
  await quickOpen(page, `${report}.ncu-rep`);
  await drawn(page, 'Kernels');
  await overlaid(page);
}

/** Until the status bar names what is measured, or a part of it. */
export const overlaid = (page: Page, text: string | RegExp = ''): Promise<void> =>
  shows(page, '.statusbar-item[id*="warplens.profile.metric"]', text);

export async function goTo(page: Page, line: number, column: number): Promise<void> {
  const at = page.locator('.statusbar-item[id="status.editor.selection"]', { hasText: `Ln ${line},` });
  await until(page, `The cursor is not on line ${line}`, async () => {
    await page.keyboard.press('Control+g');
    if (!(await appears(page, '.quick-input-widget input', AGAIN))) return false;
    await page.keyboard.press('Control+a');
    await page.keyboard.type(`:${line}:${column}`);
    await page.waitForTimeout(200);
    await page.keyboard.press('Enter');
    await page.waitForTimeout(600);
    return (await at.count()) > 0;
  });
}

export async function menu(page: Page): Promise<void> {
  await untilAppears(page, MENU, 'No menu of fixes opens', () => page.keyboard.press('Control+.'));
  await page.waitForTimeout(600);
}

/** The hover at the cursor, once it holds this. */
export async function hover(page: Page, text: string | RegExp = /\S/): Promise<void> {
  const wanted = page.locator(HOVER, { hasText: text }).first();
  await until(page, `No hover shows ${text}`, async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.press('Control+i');
    return wanted.waitFor({ timeout: AGAIN }).then(
      () => true,
      () => false,
    );
  });
  await page.waitForTimeout(1200);
}
