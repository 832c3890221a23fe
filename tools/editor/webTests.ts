// Runs test/web inside the extension host of a VS Code that lives in a browser alone.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { build, type BuildOptions } from 'esbuild';
import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS } from './chromium';
import { copyWorkspace, QUIET_SETTINGS } from './hostTests';
import type { InstalledEditor } from './installEditor';
import { serveWebWorkbench, webWindowUrl, type WebReport } from './webWorkbench';

const root = join(__dirname, '..', '..');

/** Bundles the suites, or those whose titles hold `grep`, and the file system's extension into out/web. */
export async function buildWebTests(grep?: string): Promise<string> {
  const folder = join(root, 'out', 'web');
  rmSync(folder, { recursive: true, force: true });
  const common: BuildOptions = {
    bundle: true,
    platform: 'browser',
    target: 'es2022',
    format: 'cjs',
    external: ['vscode'],
    logLevel: 'warning',
  };
  await build({
    ...common,
    entryPoints: [join(root, 'test', 'web', 'run.ts')],
    outfile: join(folder, 'run.js'),
    // Mocha's own bundle takes `module` for its own where it sees one.
    format: 'iife',
    globalName: 'suites',
    footer: { js: 'module.exports = suites;' },
    alias: {
      'node:assert/strict': join(root, 'node_modules', 'assert', 'build', 'assert.js'),
      'node:fs': join(root, 'test', 'web', 'fs.ts'),
      'node:path': 'path-browserify',
    },
    define: {
      process: JSON.stringify({ env: { ...(grep && { WARPLENS_HOST_GREP: grep }) }, platform: 'browser' }),
      global: 'globalThis',
    },
  });
  await build({
    ...common,
    entryPoints: [join(root, 'test', 'web', 'files', 'files.ts')],
    outfile: join(folder, 'files', 'files.js'),
  });
  for (const name of ['package.json', 'package.nls.json'])
    cpSync(join(root, 'test', 'web', 'files', name), join(folder, 'files', name));
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** One run of the suites. Throws one sentence when the window yields no report. */
export async function runWebTests(options: {
  readonly editor: InstalledEditor;
  readonly chromium: string;
  /** Only tests whose titles hold this. */
  readonly grep?: string;
}): Promise<WebReport> {
  const tests = await buildWebTests(options.grep);
  const folder = copyWorkspace();
  let report: WebReport | undefined;
  let ended: () => void = () => {};
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const workbench = await serveWebWorkbench(
    { editor: options.editor.folder, extension: root, tests, folder },
    QUIET_SETTINGS,
    (heard) => {
      report = heard;
      if (heard.ended) ended();
    },
  );
  const browser = await chromium.launch({ executablePath: options.chromium, args: CHROMIUM_FLAGS });
  const said: string[] = [];
  try {
    const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
    page.on('console', (message) => {
      if (message.type() === 'error') said.push(message.text().slice(0, 500));
    });
    page.on('pageerror', (error) => said.push(error.message));
    await page.goto(webWindowUrl(workbench.port, { tests: 'run.js' }), { waitUntil: 'domcontentloaded' });
    const late = setTimeout(ended, 600_000);
    await end;
    clearTimeout(late);
  } finally {
    await browser.close();
    await workbench.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
  if (!report) throw new Error(`The browser's window ended without a report.\n${said.slice(-10).join('\n')}`);
  if (report.ended) return report;
  const line = `✘ The window had to be stopped during "${report.running}".`;
  return { ...report, failures: report.failures + 1, lines: [...report.lines, line, ...said.slice(-5)] };
}
