// Pictures of two reports beside each other, and of machine code beside its source.
import type { Page } from 'playwright-core';
import { command, goTo, quickOpen } from './pose';

/** A later report against an earlier one, over the source of the later where one is named. */
async function compared(page: Page, before: string, after: string, sample?: string): Promise<void> {
  await quickOpen(page, `${after}.ncu-rep`);
  await page.waitForTimeout(3000);
  await command(page, 'Warplens: Compare Report with');
  await page.waitForTimeout(2500);
  await page.keyboard.type(`${before}.ncu-rep`);
  await page.waitForTimeout(1000);
  await page.keyboard.press('Enter');
  await page.waitForTimeout(3000);
  if (sample !== undefined) await quickOpen(page, sample);
  await page.waitForTimeout(2000);
}

async function beside(page: Page, line: number): Promise<void> {
  await goTo(page, line, 7);
  await command(page, 'Warplens: Show SASS of This Line');
  await page.waitForTimeout(4000);
}

export const comparisonPictures = {
  comparison: {
    file: 'samples/ado/2-coalesced.cu',
    width: 1400,
    pose: async (page: Page) => {
      await compared(page, '1-row-per-thread', '2-coalesced', '2-coalesced.cu');
      await goTo(page, 4, 1);
    },
  },
  'comparison-page': {
    file: 'samples/ado/2-coalesced.cu',
    width: 1400,
    height: 1000,
    pose: async (page: Page) => compared(page, '1-row-per-thread', '2-coalesced'),
  },
  sass: {
    file: 'samples/ado/2-coalesced.cu',
    width: 1600,
    height: 800,
    pose: async (page: Page) => {
      await quickOpen(page, '2-coalesced.ncu-rep');
      await page.waitForTimeout(2500);
      await quickOpen(page, '2-coalesced.cu');
      await page.waitForTimeout(1500);
      await beside(page, 23);
    },
  },
  'sass-both': {
    file: 'samples/ado/2-coalesced.cu',
    width: 1800,
    height: 800,
    pose: async (page: Page) => {
      await compared(page, '1-row-per-thread', '2-coalesced', '2-coalesced.cu');
      await beside(page, 13);
    },
  },
};
