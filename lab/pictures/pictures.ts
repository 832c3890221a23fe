// The README's pictures: which file, in which size, and what is done in the window before each is taken.
import type { Page } from 'playwright-core';
import { comparisonPictures } from './comparisonPictures';
import {
  command,
  drawn,
  goTo,
  hover,
  menu,
  openReport,
  overlaid,
  pick,
  quickOpen,
  shows,
  SQUIGGLE,
  HOVER,
  LIST,
  MENU,
} from './pose';
import { feedbackLog } from './pictureFolders';

interface Picture {
  readonly file: string;
  readonly width?: number;
  readonly height?: number;
  /** Unpacks the recorded report of the tests and its source into the folder, for the picture to lay over. */
  readonly profile?: true;
  /** Sets up a program whose forms are measured by recorded reports. */
  readonly trial?: true;
  /** Profiles the stages of a sample before the window opens, as steps of a history. */
  readonly walk?: true;
  /** A compiler's log, read by a setting. */
  readonly feedback?: string;
  /** A report or timeline that lies over the sources as the folder opens. */
  readonly report?: string;
  /** Posed again in each theme, because the editor keeps the colors in which it first drew. */
  readonly keepsColors?: true;
  /** What has to be there when the picture is taken; where a resize has closed it, the picture is posed again. */
  readonly open?: string;
  readonly pose: (page: Page) => Promise<void>;
}

const SMALL = { width: 1000, height: 560 };

export const pictures: Record<string, Picture> = {
  hover: {
    file: 'samples/transpose/unpadded-tile.cu',
    open: HOVER,
    pose: async (page) => {
      await goTo(page, 18, 34);
      await hover(page);
    },
  },
  fix: {
    file: 'samples/reduction/shared-sweep.cu',
    ...SMALL,
    open: MENU,
    pose: async (page) => {
      await goTo(page, 13, 3);
      await menu(page);
    },
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
    pose: async (page) => {
      await shows(page, SQUIGGLE);
      await goTo(page, 1, 1);
    },
  },
  page: {
    file: 'samples/transpose/unpadded-tile.cu',
    pose: async (page) => {
      await goTo(page, 18, 34);
      await command(page, 'Warplens: Explain Rule');
      await pick(page, 'cuda/bank-conflict');
      await drawn(page, 'cuda/bank-conflict');
    },
  },
  link: {
    file: 'samples/transpose/unpadded-tile.cu',
    pose: async (page) => {
      await goTo(page, 18, 34);
      await hover(page);
      await page.locator('.monaco-hover a.code-link, .monaco-hover a:has-text("cuda/bank-conflict")').first().click();
      await drawn(page, 'cuda/bank-conflict');
    },
  },
  tiled: {
    file: 'samples/matrix-product/register-tiled.cu',
    pose: async (page) => {
      await goTo(page, 34, 1);
    },
  },
  problems: {
    file: 'samples/vector-addition/chunk-per-thread.cu',
    pose: async (page) => {
      await command(page, 'Problems: Focus on Problems View');
      await shows(page, '.markers-panel .monaco-list-row', /cuda\//);
    },
  },
  timeline: {
    file: 'samples/allocation/allocate-each-turn.cu',
    width: 1400,
    height: 760,
    report: 'samples/profiles/allocate-each-turn.sqlite',
    open: HOVER,
    pose: async (page) => {
      await overlaid(page);
      await goTo(page, 15, 14);
      await hover(page);
    },
  },
  'timeline-page': {
    file: 'samples/allocation/allocate-each-turn.cu',
    width: 1400,
    height: 760,
    report: 'samples/profiles/allocate-each-turn.sqlite',
    pose: async (page) => {
      await command(page, 'Warplens: Show Report Page');
      await drawn(page, 'Zoom in');
    },
  },
  occupancy: {
    file: 'samples/matrix-product/register-tiled.cu',
    width: 1400,
    height: 760,
    report: 'samples/profiles/register-tiled.ncu-rep',
    open: HOVER,
    pose: async (page) => {
      await overlaid(page);
      await goTo(page, 8, 18);
      await hover(page);
    },
  },
  walkthrough: {
    file: 'samples/vector-addition/chunk-per-thread.cu',
    keepsColors: true,
    pose: async (page) => {
      await command(page, 'View: Close All Editors', 'Warplens: Open Walkthrough');
      await shows(page, '.gettingStartedContainer .step-title');
      await page.waitForTimeout(1500);
    },
  },
};

const layOver = async (page: Page): Promise<void> => {
  await goTo(page, 74, 1);
  await page.keyboard.press('Control+b');
  await page
    .locator('.explorer-folders-view .monaco-list-row', { hasText: 'patterns.ncu-rep' })
    .click({ button: 'right' });
  await page.waitForTimeout(500);
  await page.locator('.context-view .action-item', { hasText: 'Overlay Report on Sources' }).first().click();
  await overlaid(page);
  await page.keyboard.press('Control+b');
  await page.waitForTimeout(300);
  await page.keyboard.press('Control+1');
  await goTo(page, 103, 1);
  await page.waitForTimeout(800);
};

Object.assign(pictures, {
  profile: { file: 'patterns.cu', profile: true, width: 1400, height: 640, pose: layOver },
  'profile-hover': {
    file: 'patterns.cu',
    profile: true,
    width: 1400,
    open: HOVER,
    pose: async (page: Page) => {
      await layOver(page);
      await goTo(page, 110, 10);
      await hover(page);
    },
  },
  'profile-views': {
    file: 'patterns.cu',
    profile: true,
    pose: async (page: Page) => {
      await layOver(page);
      await command(page, 'View: Show Warplens');
      await shows(page, '.pane-body .monaco-list-row', 'patterns.cu');
    },
  },
  'profile-page': {
    file: 'patterns.cu',
    profile: true,
    height: 1400,
    pose: async (page: Page) => {
      await layOver(page);
      await command(page, 'Warplens: Show Report Page');
      await drawn(page, 'Hottest lines');
    },
  },
} satisfies Record<string, Picture>);

/** Opens a recorded report of the samples, which lays it over its source, and goes back to that. */
const measured = async (page: Page, report: string, sample: string): Promise<void> => {
  await openReport(page, report);
  await quickOpen(page, sample);
};

Object.assign(pictures, comparisonPictures);

Object.assign(pictures, {
  evidence: {
    file: 'samples/ado/1-row-per-thread.cu',
    width: 1400,
    height: 760,
    pose: async (page: Page) => {
      await measured(page, '1-row-per-thread', '1-row-per-thread.cu');
      await command(page, 'View: Show Warplens', 'Problems: Focus on Problems View');
      await shows(page, '.markers-panel .monaco-list-row', /cuda\//);
      await shows(page, '.pane-body .monaco-list-row', /row-per-thread\.cu/);
      await page.keyboard.press('Control+1');
      await goTo(page, 4, 1);
      await page.waitForTimeout(500);
    },
  },
  'evidence-hover': {
    file: 'samples/ado/1-row-per-thread.cu',
    width: 1400,
    open: HOVER,
    pose: async (page: Page) => {
      await measured(page, '1-row-per-thread', '1-row-per-thread.cu');
      await goTo(page, 11, 14);
      await hover(page);
    },
  },
  'evidence-line': {
    file: 'samples/matrix-product/register-tiled.cu',
    width: 1400,
    height: 760,
    open: HOVER,
    pose: async (page: Page) => {
      await measured(page, 'register-tiled', 'register-tiled.cu');
      await goTo(page, 34, 9);
      await hover(page);
    },
  },
  'evidence-refuted': {
    file: 'samples/convolution/data-branch.cu',
    width: 1400,
    open: HOVER,
    pose: async (page: Page) => {
      await measured(page, 'data-branch', 'data-branch.cu');
      await goTo(page, 11, 10);
      await hover(page);
    },
  },
  metric: {
    file: 'samples/ado/2-coalesced.cu',
    width: 1400,
    open: LIST,
    pose: async (page: Page) => {
      await measured(page, '2-coalesced', '2-coalesced.cu');
      await command(page, 'Warplens: Choose Overlay Metric');
      await shows(page, LIST, 'Clear the overlay');
    },
  },
  changed: {
    file: 'samples/ado/2-coalesced.cu',
    width: 1400,
    pose: async (page: Page) => {
      await measured(page, '2-coalesced', '2-coalesced.cu');
      await goTo(page, 23, 99);
      await page.keyboard.type(' // changed');
      await page.waitForTimeout(1500);
    },
  },
} satisfies Record<string, Picture>);

/** A button of each measurement's page. */
const MEASURED = 'Leave';

/** Starts a measurement from the menu: the row so far below the first, then what to run. */
const measuring = async (page: Page, line: number, column: number, below: number, values?: string): Promise<void> => {
  await goTo(page, line, column);
  await menu(page);
  for (let at = 0; at < below; at++) await page.keyboard.press('ArrowDown');
  await page.waitForTimeout(300);
  await page.keyboard.press('Enter');
  if (values !== undefined) {
    await page.waitForSelector('.quick-input-widget input');
    await page.waitForTimeout(400);
    await page.keyboard.press('Control+a');
    await page.keyboard.type(values);
    await page.keyboard.press('Enter');
  }
  await page.waitForTimeout(1200);
  await page.keyboard.press('Enter');
};

Object.assign(pictures, {
  'measure-menu': {
    file: 'samples/transpose/unpadded-tile.cu',
    trial: true,
    ...SMALL,
    open: MENU,
    pose: async (page: Page) => {
      await goTo(page, 18, 34);
      await menu(page);
    },
  },
  'measure-progress': {
    file: 'samples/transpose/unpadded-tile.cu',
    trial: true,
    pose: async (page: Page) => {
      await measuring(page, 18, 34, 1);
      await page.waitForTimeout(1500);
    },
  },
  measure: {
    file: 'samples/transpose/unpadded-tile.cu',
    trial: true,
    width: 1500,
    pose: async (page: Page) => {
      await measuring(page, 18, 34, 1);
      await drawn(page, MEASURED);
    },
  },
  'measure-differs': {
    file: 'samples/reduction/shared-sweep.cu',
    trial: true,
    width: 1500,
    pose: async (page: Page) => {
      await measuring(page, 13, 5, 1);
      await drawn(page, MEASURED);
    },
  },
  sweep: {
    file: 'samples/transpose/unpadded-tile.cu',
    trial: true,
    width: 1500,
    pose: async (page: Page) => {
      await measuring(page, 4, 23, 0, '8, 16, 32, 64, 128');
      await drawn(page, MEASURED);
    },
  },
} satisfies Record<string, Picture>);

/** The view with its last step laid over its source. */
const history = async (page: Page): Promise<void> => {
  await command(page, 'Warplens: Focus on History View');
  await page.locator('.monaco-list-row', { hasText: 'step 2' }).click();
  await overlaid(page);
  for (const view of ['Hottest Lines', 'Problems by Cost'])
    await page.locator('.pane-header', { hasText: view }).click();
  await page.waitForTimeout(800);
};

Object.assign(pictures, {
  history: {
    file: 'average.cu',
    walk: true,
    width: 1500,
    height: 760,
    pose: async (page: Page) => {
      await history(page);
      await command(page, 'Warplens: Show Table of Steps');
      await drawn(page, 'Change');
    },
  },
  'history-line': {
    file: 'average.cu',
    walk: true,
    width: 1500,
    pose: async (page: Page) => {
      await history(page);
      await command(page, 'Notifications: Clear All');
      await page.waitForTimeout(500);
    },
  },
  'history-change': {
    file: 'average.cu',
    walk: true,
    width: 1500,
    pose: async (page: Page) => {
      await history(page);
      await command(page, 'Warplens: Show Source Changes of Step');
      await page.keyboard.press('Enter');
      await shows(page, '.monaco-diff-editor .view-line', /\S/);
      await shows(page, '.line-insert, .char-insert');
    },
  },
} satisfies Record<string, Picture>);

Object.assign(pictures, {
  openacc: {
    file: 'samples/openacc/conjugate-gradient/2-data-region.c',
    width: 1200,
    height: 560,
    feedback: feedbackLog('2-data-region.c', [
      [5, 'Generating NVIDIA GPU code'],
      [6, '#pragma acc loop gang /* blockIdx.x */'],
      [10, '#pragma acc loop vector(128) /* threadIdx.x */'],
    ]),
    open: HOVER,
    pose: async (page: Page) => {
      await goTo(page, 10, 8);
      // So far up that the hover opens below, and the directives stay to be seen.
      for (let line = 0; line < 4; line++) await page.keyboard.press('Control+ArrowDown');
      await hover(page);
    },
  },
  'openacc-fortran': {
    file: 'samples/openacc/conjugate-gradient/3-vector-32.f90',
    width: 1200,
    height: 560,
    open: MENU,
    pose: async (page: Page) => {
      await goTo(page, 15, 6);
      await menu(page);
    },
  },
  'openacc-typing': {
    file: 'samples/openacc/conjugate-gradient/2-data-region.f90',
    width: 1200,
    height: 560,
    pose: async (page: Page) => {
      await goTo(page, 14, 1);
      await page.keyboard.press('End');
      await page.keyboard.type(' v');
      await page.waitForTimeout(800);
      await page.keyboard.press('Control+Space');
      await shows(page, '.suggest-widget.visible .monaco-list-row', 'vector');
    },
  },
  lines: {
    file: 'samples/matrix-product/register-tiled.cu',
    width: 1400,
    height: 760,
    pose: async (page: Page) => {
      await measured(page, 'register-tiled', 'register-tiled.cu');
      await goTo(page, 34, 1);
    },
  },
  report: {
    file: 'samples/matrix-product/register-tiled.cu',
    width: 1400,
    height: 900,
    pose: async (page: Page) => {
      await measured(page, 'register-tiled', 'register-tiled.cu');
      await command(page, 'Warplens: Show Report Page');
      await drawn(page, 'Hottest lines');
    },
  },
} satisfies Record<string, Picture>);
