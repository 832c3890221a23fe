// Takes the README's pictures in a real editor: `npx tsx tools/screenshots.ts [name…]` writes media/<name>.png.
import { join } from 'node:path';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { findChromium } from './editor/chromium';
import { startCodeServer, type RunningEditor } from './editor/codeServer';
import { provideEditor } from './editor/installEditor';
import { copyWorkspace, QUIET_SETTINGS } from './editor/hostTests';
import { openWindow } from './editor/window';
import { bytesSource, openReport } from '../profiler/src/report/index';
import { profile as runProfile } from '../profiler/src/session/profileSession';
import { makeReplayHost } from '../test/profiler-host/replayFolder';

const root = join(__dirname, '..');
const SQUIGGLE = '.squiggly-warning, .squiggly-error, .squiggly-info, .squiggly-hint';

interface Picture {
  readonly file: string;
  readonly theme?: string;
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
  readonly pose: (page: Page) => Promise<void>;
}

const SMALL = { width: 1000, height: 560 };

const pictures: Record<string, Picture> = {
  hover: {
    file: 'samples/transpose/unpadded-tile.cu',
    pose: async (page) => {
      await goTo(page, 18, 34);
      await hover(page);
    },
  },
  fix: {
    file: 'samples/reduction/shared-sweep.cu',
    ...SMALL,
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
      await goTo(page, 1, 1);
    },
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
    pose: async (page) => {
      await goTo(page, 18, 34);
      await hover(page);
      await page.locator('.monaco-hover a.code-link, .monaco-hover a:has-text("cuda/bank-conflict")').first().click();
      await page.waitForTimeout(2000);
    },
  },
  tiled: {
    file: 'samples/matrix-product/register-tiled.cu',
    theme: 'Default Light Modern',
    pose: async (page) => {
      await goTo(page, 34, 1);
    },
  },
  problems: {
    file: 'samples/vector-addition/chunk-per-thread.cu',
    pose: async (page) => {
      await command(page, 'Problems: Focus on Problems View');
      await page.waitForTimeout(800);
    },
  },
  walkthrough: {
    file: 'samples/vector-addition/chunk-per-thread.cu',
    pose: async (page) => {
      await command(page, 'Warplens: Open Walkthrough');
      await page.waitForTimeout(2500);
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
  await page.locator('.context-view .action-item', { hasText: 'Lay Report over Sources' }).first().click();
  await page.waitForTimeout(3000);
  await page.keyboard.press('Control+b');
  await page.waitForTimeout(300);
  await page.keyboard.press('Control+1');
  await goTo(page, 103, 1);
  await page.waitForTimeout(800);
};

for (const [suffix, theme] of [
  ['', 'Default Dark Modern'],
  ['-light', 'Default Light Modern'],
  ['-contrast', 'Default High Contrast'],
] as const) {
  Object.assign(pictures, {
    [`profile${suffix}`]: { file: 'patterns.cu', theme, profile: true, width: 1400, height: 640, pose: layOver },
    [`profile-hover${suffix}`]: {
      file: 'patterns.cu',
      theme,
      profile: true,
      width: 1400,
      pose: async (page: Page) => {
        await layOver(page);
        await goTo(page, 110, 10);
        await hover(page);
      },
    },
    [`profile-views${suffix}`]: {
      file: 'patterns.cu',
      theme,
      profile: true,
      pose: async (page: Page) => {
        await layOver(page);
        await command(page, 'View: Show Warplens');
        await page.waitForTimeout(1500);
      },
    },
    [`profile-page${suffix}`]: {
      file: 'patterns.cu',
      theme,
      profile: true,
      height: 1400,
      pose: async (page: Page) => {
        await layOver(page);
        await command(page, 'Warplens: Show Report Page');
        await page.waitForTimeout(3000);
      },
    },
  } satisfies Record<string, Picture>);
}

/** Opens a recorded report of the samples, which lays it over its source, and goes back to that. */
const measured = async (page: Page, report: string, sample: string): Promise<void> => {
  await quickOpen(page, `${report}.ncu-rep`);
  await page.waitForTimeout(2500);
  await quickOpen(page, sample);
  await page.waitForTimeout(1500);
};

for (const [suffix, theme] of [
  ['', 'Default Dark Modern'],
  ['-light', 'Default Light Modern'],
  ['-contrast', 'Default High Contrast'],
] as const) {
  Object.assign(pictures, {
    [`evidence${suffix}`]: {
      file: 'samples/ado/1-row-per-thread.cu',
      theme,
      width: 1400,
      height: 760,
      pose: async (page: Page) => {
        await measured(page, '1-row-per-thread', '1-row-per-thread.cu');
        await command(page, 'View: Show Warplens', 'Problems: Focus on Problems View');
        await page.waitForTimeout(1500);
        await page.keyboard.press('Control+1');
        await goTo(page, 4, 1);
        await page.waitForTimeout(500);
      },
    },
    [`evidence-hover${suffix}`]: {
      file: 'samples/ado/1-row-per-thread.cu',
      theme,
      width: 1400,
      pose: async (page: Page) => {
        await measured(page, '1-row-per-thread', '1-row-per-thread.cu');
        await goTo(page, 11, 14);
        await hover(page);
      },
    },
    [`evidence-line${suffix}`]: {
      file: 'samples/matrix-product/register-tiled.cu',
      theme,
      width: 1400,
      height: 760,
      pose: async (page: Page) => {
        await measured(page, 'register-tiled', 'register-tiled.cu');
        await goTo(page, 34, 9);
        await hover(page);
      },
    },
    [`evidence-refuted${suffix}`]: {
      file: 'samples/convolution/data-branch.cu',
      theme,
      width: 1400,
      pose: async (page: Page) => {
        await measured(page, 'data-branch', 'data-branch.cu');
        await goTo(page, 11, 10);
        await hover(page);
      },
    },
    [`metric${suffix}`]: {
      file: 'samples/ado/2-coalesced.cu',
      theme,
      width: 1400,
      pose: async (page: Page) => {
        await measured(page, '2-coalesced', '2-coalesced.cu');
        await command(page, 'Warplens: Choose Metric of Overlay');
        await page.waitForTimeout(800);
      },
    },
    [`changed${suffix}`]: {
      file: 'samples/ado/2-coalesced.cu',
      theme,
      width: 1400,
      pose: async (page: Page) => {
        await measured(page, '2-coalesced', '2-coalesced.cu');
        await goTo(page, 23, 99);
        await page.keyboard.type(' // changed');
        await page.waitForTimeout(1500);
      },
    },
  } satisfies Record<string, Picture>);
}

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

for (const [suffix, theme] of [
  ['', 'Default Dark Modern'],
  ['-light', 'Default Light Modern'],
  ['-contrast', 'Default High Contrast'],
] as const) {
  Object.assign(pictures, {
    [`measure-menu${suffix}`]: {
      file: 'samples/transpose/unpadded-tile.cu',
      theme,
      trial: true,
      ...SMALL,
      pose: async (page: Page) => {
        await goTo(page, 18, 34);
        await menu(page);
      },
    },
    [`measure-progress${suffix}`]: {
      file: 'samples/transpose/unpadded-tile.cu',
      theme,
      trial: true,
      pose: async (page: Page) => {
        await measuring(page, 18, 34, 1);
        await page.waitForTimeout(1500);
      },
    },
    [`measure${suffix}`]: {
      file: 'samples/transpose/unpadded-tile.cu',
      theme,
      trial: true,
      width: 1500,
      pose: async (page: Page) => {
        await measuring(page, 18, 34, 1);
        await page.waitForTimeout(9000);
      },
    },
    [`measure-differs${suffix}`]: {
      file: 'samples/reduction/shared-sweep.cu',
      theme,
      trial: true,
      width: 1500,
      pose: async (page: Page) => {
        await measuring(page, 13, 5, 1);
        await page.waitForTimeout(9000);
      },
    },
    [`sweep${suffix}`]: {
      file: 'samples/transpose/unpadded-tile.cu',
      theme,
      trial: true,
      width: 1500,
      pose: async (page: Page) => {
        await measuring(page, 4, 23, 0, '8, 16, 32, 64, 128');
        await page.waitForTimeout(14000);
      },
    },
  } satisfies Record<string, Picture>);
}

/** The view with its last step laid over its source. */
const history = async (page: Page): Promise<void> => {
  await command(page, 'Warplens: Focus on History View');
  await page.locator('.monaco-list-row', { hasText: 'step 2' }).click();
  await page.waitForTimeout(2500);
  for (const view of ['Hottest Lines', 'Problems by Cost'])
    await page.locator('.pane-header', { hasText: view }).click();
  await page.waitForTimeout(800);
};

for (const [suffix, theme] of [
  ['', 'Default Dark Modern'],
  ['-light', 'Default Light Modern'],
  ['-contrast', 'Default High Contrast'],
] as const) {
  Object.assign(pictures, {
    [`history${suffix}`]: {
      file: 'average.cu',
      theme,
      walk: true,
      width: 1500,
      height: 760,
      pose: async (page: Page) => {
        await history(page);
        await command(page, 'Warplens: Show Table of Steps');
        await page.waitForTimeout(3000);
      },
    },
    [`history-line${suffix}`]: {
      file: 'average.cu',
      theme,
      walk: true,
      width: 1500,
      pose: async (page: Page) => {
        await history(page);
        await command(page, 'Notifications: Clear All');
        await page.waitForTimeout(500);
      },
    },
    [`history-change${suffix}`]: {
      file: 'average.cu',
      theme,
      walk: true,
      width: 1500,
      pose: async (page: Page) => {
        await history(page);
        await command(page, 'Warplens: Show Change of Step');
        await page.keyboard.press('Enter');
        await page.waitForTimeout(3000);
      },
    },
  } satisfies Record<string, Picture>);
}

/** What nvc says of the second stage, as a log in the workspace that a setting names. */
const feedbackLog = (file: string, lines: readonly [number, string][]): string =>
  [
    `nvc -fast -acc -Minfo=accel -c ${file}`,
    'multiply:',
    ...lines.map(([line, text]) => `${String(line).padStart(7)}, ${text}`),
    '',
  ].join('\n');

for (const [suffix, theme] of [
  ['', 'Default Dark Modern'],
  ['-light', 'Default Light Modern'],
  ['-contrast', 'Default High Contrast'],
] as const) {
  Object.assign(pictures, {
    [`openacc${suffix}`]: {
      file: 'samples/openacc/conjugate-gradient/2-data-region.c',
      theme,
      width: 1200,
      height: 560,
      feedback: feedbackLog('2-data-region.c', [
        [5, 'Generating NVIDIA GPU code'],
        [6, '#pragma acc loop gang /* blockIdx.x */'],
        [10, '#pragma acc loop vector(128) /* threadIdx.x */'],
      ]),
      pose: async (page: Page) => {
        await goTo(page, 10, 8);
        // So far up that the hover opens below, and the directives stay to be seen.
        for (let line = 0; line < 4; line++) await page.keyboard.press('Control+ArrowDown');
        await hover(page);
      },
    },
    [`openacc-fortran${suffix}`]: {
      file: 'samples/openacc/conjugate-gradient/3-vector-32.f90',
      theme,
      width: 1200,
      height: 560,
      pose: async (page: Page) => {
        await goTo(page, 15, 6);
        await menu(page);
      },
    },
    [`openacc-typing${suffix}`]: {
      file: 'samples/openacc/conjugate-gradient/2-data-region.f90',
      theme,
      width: 1200,
      height: 560,
      pose: async (page: Page) => {
        await goTo(page, 14, 1);
        await page.keyboard.press('End');
        await page.keyboard.type(' v');
        await page.waitForTimeout(800);
        await page.keyboard.press('Control+Space');
        await page.waitForTimeout(1500);
      },
    },
    [`report${suffix}`]: {
      file: 'samples/matrix-product/register-tiled.cu',
      theme,
      width: 1400,
      height: 900,
      pose: async (page: Page) => {
        await measured(page, 'register-tiled', 'register-tiled.cu');
        await command(page, 'Warplens: Show Report Page');
        await page.waitForTimeout(3000);
      },
    },
  } satisfies Record<string, Picture>);
}

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
  for (const name of named.length > 0 ? named : SHOWN) {
    const picture = pictures[name];
    if (!picture) throw new Error(`There is no picture "${name}"; there are ${Object.keys(pictures).join(', ')}.`);
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
        'workbench.colorTheme': picture.theme ?? 'Default Dark Modern',
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
        size: { width: picture.width ?? 1200, height: picture.height ?? 680 },
        deviceScaleFactor: 1.5,
      });
      try {
        const { page } = window;
        await page.waitForSelector('.monaco-editor .view-lines .view-line', { timeout: 60_000 });
        await page.keyboard.press('Control+b');
        // Over the empty middle of the status bar nothing pops up.
        await page.mouse.move((picture.width ?? 1200) / 2, (picture.height ?? 680) - 8);
        await page
          .waitForSelector(SQUIGGLE, { timeout: 20_000 })
          .catch(() => console.log(`${name}: no finding is on screen.`));
        // What only an extension under development is told.
        await page.addStyleTag({ content: '.notifications-toasts { display: none !important; }' });
        await picture.pose(page);
        await page.screenshot({ path: join(into, `${name}.png`) });
        console.log(join(into, `${name}.png`));
      } finally {
        await window.close();
      }
    } finally {
      await editor.stop();
      trial?.remove();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** Three stages of one program as steps, by their recorded reports. */
async function walkStages(folder: string): Promise<void> {
  const host = makeReplayHost();
  const path = process.env.PATH;
  process.env.PATH = `${host.tools}:${path}`;
  host.play('named');
  try {
    for (const stage of ['1-row-per-thread', '2-coalesced', '3-shuffle']) {
      host.keepReport(stage, readFileSync(join(root, 'samples', 'profiles', `${stage}.ncu-rep`)));
      writeFileSync(
        join(folder, 'average.cu'),
        readFileSync(join(root, 'samples', 'ado', `${stage}.cu`), 'utf8').replace(
          '"problem.cuh"',
          '"samples/ado/problem.cuh"',
        ),
      );
      await runProfile({
        host: { scratchIn: host.scratchIn },
        store: join(folder, '.warplens', 'profiles'),
        collect: { mostKernels: 100, timeLimitSeconds: 60, clocks: 'none', arguments: [] },
        build: {
          files: [],
          flags: [],
          folder,
          command: `printf '#!/bin/sh\\n# replays ${stage}\\n' >average; chmod +x average`,
          program: 'average',
        },
      });
    }
  } finally {
    process.env.PATH = path;
    host.remove();
  }
}

/** A machine whose ncu gives recorded reports. */
function prepareTrial(): ReturnType<typeof makeReplayHost> {
  const host = makeReplayHost();
  for (const name of ['unpadded-tile', 'unpadded-tile.fixed'])
    host.keepReport(name, readFileSync(join(root, 'samples', 'profiles', `${name}.ncu-rep`)));
  host.play('named');
  return host;
}

/** A build without a compiler: it says which recorded report the program is, by what stands in the source. */
function trialSettings(scratch: string): object {
  const build =
    "r=; s='result 1073741824'; grep -q 'tileSize + 1\\|tileSize = 64' transpose/unpadded-tile.cu && r=.fixed; grep -q tileSize.=.8 transpose/unpadded-tile.cu && s='result 0'; grep -q shfl reduction/shared-sweep.cu && s='result 1073741825'; grep -q tileSize.=.128 transpose/unpadded-tile.cu && { echo 'transpose/unpadded-tile.cu(8): error: too much shared data'; exit 1; }; sleep 1; { echo '#!/bin/sh'; echo \"# replays unpadded-tile$r\"; echo \"echo $s\"; echo 'echo time 0.0850 ms'; } >prog; chmod +x prog";
  return {
    'warplens.profile.host': 'local',
    'warplens.profile.scratch': scratch,
    'warplens.profile.configurations': [{ name: 'samples', build, program: './prog', folder: 'samples' }],
  };
}

async function unpackProfile(folder: string): Promise<void> {
  const bytes = brotliDecompressSync(
    readFileSync(join(root, 'test', 'profiler', 'reports', 'patterns-full.ncu-rep.br')),
  );
  writeFileSync(join(folder, 'patterns.ncu-rep'), bytes);
  const report = await openReport(bytesSource(new Uint8Array(bytes)));
  const path = report.embeddedSources.map((source) => source.path).find((name) => name.endsWith('/patterns.cu'))!;
  writeFileSync(join(folder, 'patterns.cu'), (await report.readSource(path))!);
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

async function quickOpen(page: Page, name: string): Promise<void> {
  await page.keyboard.press('Control+p');
  await page.waitForSelector('.quick-input-widget input');
  await page.keyboard.type(name);
  await page.waitForTimeout(1200);
  await page.keyboard.press('Enter');
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
