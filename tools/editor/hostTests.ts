// Runs test/host inside the extension host of a real VS Code: from the checkout, or with a packaged extension
// installed.
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import type { HostReport } from '../../test/host/run';
import aliases from '../aliases.json';
import { installExtension, startCodeServer } from './codeServer';
import type { InstalledEditor } from './installEditor';
import { answerAudits } from './pageAudits';
import { PAGES, UNTRUSTED } from '../unitShards';
import { openWindow } from './window';

const root = join(__dirname, '..', '..');
/** What the suites of a window may take. */
const MINUTES = 20;

/** Settings under which the suites run: nothing that pops up, and the places of the screen that pictures show. */
export const QUIET_SETTINGS = {
  'workbench.startupEditor': 'none',
  'telemetry.telemetryLevel': 'off',
  'extensions.ignoreRecommendations': true,
  'update.mode': 'none',
  'workbench.tips.enabled': false,
  'chat.commandCenter.enabled': false,
  'git.enabled': false,
  'security.workspace.trust.enabled': false,
  'files.autoSave': 'off',
  'extensions.autoCheckUpdates': false,
  'window.commandCenter': false,
  'workbench.layoutControl.enabled': false,
};

/** Bundles the suites into a folder of out/, where the extension host loads them. Returns the module with `run`. */
export async function buildHostTests(): Promise<string> {
  const folder = join(root, 'out', `host-${process.pid}`);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  const suites = readdirSync(join(root, 'test', 'host')).filter(
    (name) => name.endsWith('.suite.ts') || name === 'run.ts',
  );
  await build({
    entryPoints: suites.map((name) => join(root, 'test', 'host', name)),
    outdir: folder,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'cjs',
    external: ['vscode', 'mocha'],
    alias: { 'jsonc-parser': aliases['jsonc-parser'] },
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  return join(folder, 'run.js');
}

/** A copy of the samples and the host fixtures that the tests may change. */
export function copyWorkspace(): string {
  const folder = mkdtempSync(join(tmpdir(), 'warplens-workspace-'));
  cpSync(join(root, 'samples'), join(folder, 'samples'), { recursive: true });
  cpSync(join(root, 'test', 'host', 'workspace'), folder, { recursive: true });
  return folder;
}

/**
 * One run of the suites. With `vsix`, that package is installed and an empty extension replaces the one under
 * development; else the extension runs from the checkout. With `suites`, only those run: UNTRUSTED in such a folder,
 * PAGES with axe-core beside them. Throws one sentence when the window yields no report.
 */
export async function runHostTests(options: {
  readonly editor: InstalledEditor;
  readonly chromium: string;
  readonly vsix?: string;
  readonly suites?: readonly string[];
  /** Only tests whose titles hold this. */
  readonly grep?: string;
}): Promise<HostReport> {
  const tests = await buildHostTests();
  const folder = copyWorkspace();
  const data = mkdtempSync(join(tmpdir(), 'warplens-editor-'));
  const reportFile = join(data, 'report.json');
  let extension = root;
  if (options.vsix) {
    installExtension(options.editor, data, options.vsix);
    extension = join(data, 'probe');
    mkdirSync(extension, { recursive: true });
    const probe = { name: 'probe', publisher: 'warplens', version: '0.0.1', engines: { vscode: '^1.91.0' } };
    writeFileSync(join(extension, 'package.json'), JSON.stringify(probe));
  }
  const untrusted = options.suites?.includes(UNTRUSTED) ?? false;
  const audits = join(data, 'audits');
  mkdirSync(audits);
  const trust = {
    'security.workspace.trust.enabled': true,
    'security.workspace.trust.startupPrompt': 'never',
    'security.workspace.trust.banner': 'never',
  };
  const editor = await startCodeServer(options.editor, {
    settings: { ...QUIET_SETTINGS, ...(untrusted ? trust : {}) },
    asksForTrust: untrusted,
    data,
    environment: {
      WARPLENS_HOST_REPORT: reportFile,
      WARPLENS_INSTALLED: options.vsix ? '1' : '',
      WARPLENS_SUITES: options.suites?.join() ?? '',
      WARPLENS_AUDITS: audits,
      ...(options.grep ? { WARPLENS_HOST_GREP: options.grep } : {}),
    },
  });
  const said: string[] = [];
  try {
    let ended: (code: number) => void = () => {};
    const end = new Promise<number>((resolve) => {
      ended = resolve;
    });
    const window = await openWindow(editor, {
      chromium: options.chromium,
      folder,
      extension,
      tests,
      prepare: async (page) => {
        await page.exposeFunction('codeAutomationExit', (code: number) => ended(code));
        await page.exposeFunction('codeAutomationLog', (type: string, parts: unknown[]) => {
          if (type === 'error') said.push(parts.map(String).join(' ').split('\n', 1)[0]!);
        });
      },
    });
    const auditor = options.suites?.includes(PAGES) ? answerAudits(audits, window.page) : undefined;
    const late = setTimeout(() => ended(-1), MINUTES * 60_000);
    const code = await end;
    clearTimeout(late);
    if (code === -1) {
      const picture = join(tmpdir(), 'warplens-host-tests.png');
      await window.page.screenshot({ path: picture }).catch(() => {});
      said.push(`The window had not ended after ${MINUTES} minutes; it looked like ${picture}.`);
    }
    await auditor?.stop();
    await window.close();
  } finally {
    await editor.stop();
  }
  // A crashed extension host reports code 0 too: only the report tells that the tests ran.
  try {
    if (!existsSync(reportFile))
      throw new Error(
        'The editor ended without a report of its ' +
          `tests.\n${said.slice(-10).join('\n')}\n${editor.output().slice(-2000)}`,
      );
    const report = JSON.parse(readFileSync(reportFile, 'utf8')) as HostReport;
    if (report.running === undefined) return report;
    return {
      ...report,
      failures: report.failures + 1,
      lines: [...report.lines, `✘ The editor ended, or was stopped, during "${report.running}".`, ...said.slice(-5)],
    };
  } finally {
    for (const used of [folder, data]) rmSync(used, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
