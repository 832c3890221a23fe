// Measures the overlay in a real editor with a thousand marked lines: laying on, switching, taking away, typing, and
// what is left behind.
//
//   npx tsx lab/bench/overlay.ts
//
// `host` is the time in the extension host until everything is passed; `busy` the main thread's work in the window
// during 1.5 s from then on, less that of a 1.5 s without doing anything; `frame` the longest time between two frames.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { CDPSession, Page } from 'playwright-core';
import { findChromium } from '../../tools/editor/chromium';
import { startCodeServer } from '../../tools/editor/codeServer';
import { provideEditor } from '../../tools/editor/installEditor';
import { QUIET_SETTINGS } from '../../tools/editor/hostTests';
import { openWindow } from '../../tools/editor/window';
import type { Notice } from './overlayHost';

const root = join(__dirname, '..', '..');
const bars = { host: 100, busy: 100 };

interface Phase {
  readonly host: number;
  readonly busy: number;
  readonly frame: number;
  readonly longTasks: number;
}

async function main(): Promise<void> {
  const chromium = findChromium();
  if (!chromium) throw new Error('There is no Chromium on this machine. Install one, or name it in WARPLENS_CHROMIUM.');
  const folder = mkdtempSync(join(tmpdir(), 'warplens-bench-'));
  const tests = join(folder, 'overlayHost.js');
  buildSync({
    entryPoints: [join(root, 'lab/bench/overlayHost.ts')],
    outfile: tests,
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['vscode'],
    logLevel: 'error',
  });
  const editor = await startCodeServer(await provideEditor(), {
    settings: {
      ...QUIET_SETTINGS,
      'editor.minimap.enabled': false,
      'workbench.colorTheme': 'Default Dark Modern',
      'editor.fontSize': 14,
      'files.hotExit': 'off',
    },
    environment: { WARPLENS_BENCH_FOLDER: folder },
  });
  try {
    const window = await openWindow(editor, {
      chromium,
      folder,
      extension: root,
      tests,
      size: { width: 1600, height: 1000 },
      prepare: async (page) => {
        await page.exposeFunction('codeAutomationExit', () => {});
        await page.exposeFunction('codeAutomationLog', () => {});
      },
    });
    try {
      await measure(window.page, folder);
    } finally {
      await window.close();
    }
  } finally {
    await editor.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}

async function measure(page: Page, folder: string): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  await page.waitForSelector('.monaco-workbench', { timeout: 60_000 });
  await page.evaluate(watchFrames);
  const phases = new Map<string, Phase[]>();
  const typing: string[] = [];
  const left: string[] = [];
  let busy = 0;
  let nothing = 0;
  for (let heard = 0; ; heard++) {
    const notice = await nextNotice(folder, heard);
    if (!notice) break;
    switch (notice.kind) {
      case 'failed':
        throw new Error(notice.why);
      case 'before':
        await page.evaluate('globalThis.benchGaps = []; globalThis.benchTasks = 0;');
        busy = await taskSeconds(session);
        break;
      case 'after': {
        const spent = 1000 * ((await taskSeconds(session)) - busy);
        const { gap, tasks } = (await page.evaluate(
          '({ gap: Math.max(0, ...globalThis.benchGaps), tasks: globalThis.benchTasks })',
        )) as { gap: number; tasks: number };
        if (notice.phase === 'nothing') nothing = spent;
        const list = phases.get(notice.phase) ?? [];
        list.push({
          host: notice.hostMs!,
          busy: notice.phase === 'nothing' ? spent : spent - nothing,
          frame: gap,
          longTasks: tasks,
        });
        phases.set(notice.phase, list);
        break;
      }
      case 'type': {
        const keys = await typeKeys(page);
        typing.push(`| ${notice.phase} | ${median(keys).toFixed(1)} | ${quantile(keys, 0.95).toFixed(1)} |`);
        break;
      }
      case 'count': {
        await session.send('HeapProfiler.collectGarbage');
        const { usedSize } = await session.send('Runtime.getHeapUsage');
        const rules = (await page.evaluate(
          '[...document.styleSheets].reduce((sum, sheet) => { try { return sum + sheet.cssRules.length; } catch { return sum; } }, 0)',
        )) as number;
        left.push(`| ${notice.phase} | ${rules} | ${(usedSize / 1e6).toFixed(1)} | ${notice.hostHeapMb.toFixed(1)} |`);
        break;
      }
    }
    writeFileSync(join(folder, 'heard'), String(heard + 1));
    if (notice.kind === 'count' && notice.phase === 'off') break;
  }
  const row = (name: string, list: readonly Phase[]): string =>
    `| ${name} | ${median(list.map(({ host }) => host)).toFixed(1)} | ${Math.max(...list.map(({ host }) => host)).toFixed(1)} | ${median(list.map((one) => one.busy)).toFixed(0)} | ${Math.max(...list.map((one) => one.busy)).toFixed(0)} | ${median(list.map(({ frame }) => frame)).toFixed(0)} | ${median(list.map(({ longTasks }) => longTasks)).toFixed(0)} |`;
  console.log(
    [
      '| 1,000 marked lines | host ms, median | most | busy ms, median | most | longest frame ms | in long tasks ms |',
      '|---|--:|--:|--:|--:|--:|--:|',
      ...[...phases].map(([name, list]) => row(name, list)),
      '',
    ].join('\n'),
  );
  console.log(['| typing, key to frame | median ms | p95 ms |', '|---|--:|--:|', ...typing, ''].join('\n'));
  console.log(
    ['| left behind | CSS rules | window heap MB | extension host heap MB |', '|---|--:|--:|--:|', ...left, ''].join(
      '\n',
    ),
  );
  const missed = [...phases]
    .filter(
      ([name, list]) =>
        name !== 'nothing' &&
        (median(list.map(({ host }) => host)) > bars.host || median(list.map((one) => one.busy)) > bars.busy),
    )
    .map(([name]) => name);
  console.log(
    missed.length === 0
      ? `bars (${bars.host} ms host, ${bars.busy} ms busy): kept`
      : `bars: MISSED by ${missed.join(', ')}`,
  );
}

/** The next line of the host; undefined when it is silent for two minutes. */
async function nextNotice(folder: string, index: number): Promise<Notice | undefined> {
  for (const end = Date.now() + 120_000; Date.now() < end; await new Promise((resolve) => setTimeout(resolve, 10))) {
    const lines = existsSync(join(folder, 'notices')) ? readFileSync(join(folder, 'notices'), 'utf8').split('\n') : [];
    if (lines.length > index + 1) return JSON.parse(lines[index]!) as Notice;
  }
  console.error('The editor has not said anything for two minutes.');
  return undefined;
}

/** Runs in the page. */
const watchFrames = `
  globalThis.benchGaps = []; globalThis.benchTasks = 0; globalThis.benchKeys = [];
  let last = performance.now();
  const frame = (now) => { globalThis.benchGaps.push(now - last); last = now; requestAnimationFrame(frame); };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) globalThis.benchTasks += entry.duration; }).observe({ entryTypes: ['longtask'] });
  document.addEventListener('keydown', () => { const begin = performance.now(); requestAnimationFrame(() => setTimeout(() => globalThis.benchKeys.push(performance.now() - begin), 0)); }, true);
`;

/** Fifty keys into the editor; milliseconds from each to its painted frame. */
async function typeKeys(page: Page): Promise<number[]> {
  await page
    .locator('.monaco-editor .view-lines')
    .first()
    .click({ position: { x: 400, y: 300 } });
  await page.keyboard.press('End');
  await page.evaluate('globalThis.benchKeys = []');
  for (let key = 0; key < 50; key++) {
    await page.keyboard.press('x');
    await page.waitForTimeout(60);
  }
  await page.waitForTimeout(500);
  return (await page.evaluate('globalThis.benchKeys')) as number[];
}

async function taskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')!.value;
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
function quantile(values: readonly number[], at: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(at * sorted.length))] ?? NaN;
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 1;
});
