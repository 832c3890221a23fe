// What a hand does in a window of the editor before its picture is taken: go to a line, hover, open menus, run
// commands.
import type { Page } from 'playwright-core';

/** Runs commands by their titles in the palette. */
export async function command(page: Page, ...titles: readonly string[]): Promise<void> {
  for (const title of titles) {
    await page.keyboard.press('F1');
    await page.waitForSelector('.quick-input-widget input');
    await page.keyboard.type(title);
    await page.waitForTimeout(400);
    await page.keyboard.press('Enter');
    await page.waitForTimeout(300);
  }
}

export async function quickOpen(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+p');
  await page.waitForSelector('.quick-input-widget input');
  await page.keyboard.type(name);
  await page.waitForTimeout(1200);
  await page.keyboard.press('Enter');
}

export async function goTo(page: Page, line: number, column: number): Promise<void> {
  await page.keyboard.press('Control+g');
  await page.waitForSelector('.quick-input-widget input');
  await page.keyboard.type(`${line}:${column}`);
  await page.waitForTimeout(200);
  await page.keyboard.press('Enter');
  await page.waitForTimeout(400);
}

export async function menu(page: Page): Promise<void> {
  // On a busy machine the first press may come before the findings.
  for (let left = 5; left > 0; left--) {
    await page.keyboard.press('Control+.');
    if (
      await page.waitForSelector('.action-widget', { timeout: 4_000 }).then(
        () => true,
        () => false,
      )
    )
      break;
  }
  await page.waitForTimeout(600);
}

export async function hover(page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  await page.keyboard.press('Control+i');
  await page.waitForSelector('.monaco-hover:not(.hidden) .hover-contents');
  await page.waitForTimeout(1200);
}
