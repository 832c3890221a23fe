// Pictures of two reports beside each other, and of machine code beside its source.
import type { Page } from 'playwright-core';
import { command, drawn, goTo, openReport, overlaid, pick, quickOpen } from './pose';

/** A later report against an earlier one, over the source of the later where one is named. */
async function compared(page: Page, before: string, after: string, sample?: string): Promise<void> {
  await openReport(page, after);
  await command(page, 'Warplens: Compare Report with');
  await pick(page, `${before}.ncu-rep`);
  await drawn(page, `compared with ${before}.ncu-rep`);
  await overlaid(page, before);
  if (sample !== undefined) await quickOpen(page, sample);
}

async function beside(page: Page, line: number): Promise<void> {
  await goTo(page, line, 7);
  await command(page, 'Warplens: Show SASS of This Line');
  await drawn(page, 'waits for');
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
      await openReport(page, '2-coalesced');
      await quickOpen(page, '2-coalesced.cu');
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
