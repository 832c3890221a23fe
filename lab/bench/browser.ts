// Measures how long a browser takes to read a report of 30 MB and know its first line, how long to its page, and by how
// much its window grows.
//
//   npx tsx lab/bench/browser.ts [--runs 5] [REPORT.ncu-rep]
//
// The first from the command to lay it over its source until its lines are marked, by a suite in the extension host;
// the second from the click in the list of files until the page shows its kernels. Linux alone (/proc).
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { build } from 'esbuild';
import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS, findChromium } from '../../tools/editor/chromium';
import { QUIET_SETTINGS } from '../../tools/editor/hostTests';
import { provideEditor } from '../../tools/editor/installEditor';
import { buildWebTests } from '../../tools/editor/webTests';
import { serveWebWorkbench, webWindowUrl } from '../../tools/editor/webWorkbench';

const root = join(__dirname, '..', '..');

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { runs: { type: 'string', default: '5' } },
  });
  const folder = mkdtempSync(join(tmpdir(), 'warplens-browser-'));
  const report = join(folder, 'large.ncu-rep');
  if (positionals[0]) copyFileSync(positionals[0], report);
  else {
    const packed = join(root, 'test', 'profiler', 'reports', 'patterns-full.ncu-rep.br');
    writeFileSync(report, brotliDecompressSync(readFileSync(packed)));
  }
  // The source that it was made of, under its name.
  writeFileSync(join(folder, 'patterns.cu'), '');
  writeFileSync(join(folder, 'a.cu'), '__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }\n');
  const editor = await provideEditor();
  const tests = await buildWebTests();
  const settings = { ...QUIET_SETTINGS, 'workbench.editor.enablePreview': false };
  await writeFirstLine(tests);
  let heard: string | undefined;
  const workbench = await serveWebWorkbench(
    { editor: editor.folder, extension: root, tests, folder },
    settings,
    ({ lines }) => {
      heard = lines[0];
    },
  );
  console.log(`${(statSync(report).size / 1e6).toFixed(1)} MB, Chromium, ${values.runs} windows`);
  try {
    for (let run = 0; run < Number(values.runs); run++) {
      heard = undefined;
      const browser = await chromium.launch({ executablePath: findChromium()!, args: CHROMIUM_FLAGS });
      const page = await browser.newPage();
      await page.goto(webWindowUrl(workbench.port, { tests: 'first-line.js' }), { waitUntil: 'domcontentloaded' });
      while (!heard) await page.waitForTimeout(50);
      console.log(`${heard} to its first line`);
      await browser.close();
    }
    for (let run = 0; run < Number(values.runs); run++) {
      const browser = await chromium.launch({ executablePath: findChromium()!, args: CHROMIUM_FLAGS });
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
      await page.goto(webWindowUrl(workbench.port, { file: 'a.cu' }), { waitUntil: 'domcontentloaded' });
      await page
        .getByText('0 slow accesses')
        .or(page.getByText(/block .* assumed/))
        .first()
        .waitFor();
      await page.waitForTimeout(2_000);
      const before = residentMegabytes();
      const begin = performance.now();
      await page.getByText('large.ncu-rep', { exact: true }).first().click();
      await page
        .frameLocator('iframe.webview.ready')
        .frameLocator('#active-frame')
        .getByText('Kernels')
        .first()
        .waitFor();
      const seconds = (performance.now() - begin) / 1000;
      await page.waitForTimeout(500);
      console.log(`${seconds.toFixed(2)} s to its page, window grown by ${residentMegabytes() - before} MB`);
      await browser.close();
    }
  } finally {
    await workbench.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A suite of one measurement, which it posts. */
async function writeFirstLine(folder: string): Promise<void> {
  const contents = `
    const { commands, extensions, Uri, workspace } = require('vscode');
    exports.run = async () => {
      const extension = extensions.getExtension('warplens.warplens');
      const { profile } = await extension.activate();
      await new Promise((resolve) => setTimeout(resolve, 2000));
      const begin = performance.now();
      const at = Uri.joinPath(workspace.workspaceFolders[0].uri, 'large.ncu-rep');
      await commands.executeCommand('warplens.profile.layOver', at);
      const marked = profile.store.marks().length;
      const took = ((performance.now() - begin) / 1000).toFixed(2);
      const { scheme, authority } = extensions.getExtension('warplens-test.files').extensionUri;
      const body = JSON.stringify({ passes: 1, failures: 0, lines: [took + ' s (' + marked + ' lines marked)'] });
      await fetch(scheme + '://' + authority + '/report', { method: 'POST', body });
    };`;
  const external = ['vscode'];
  await build({ stdin: { contents }, outfile: join(folder, 'first-line.js'), bundle: true, format: 'cjs', external });
}

/** Of the largest of Chromium's processes that show pages. */
function residentMegabytes(): number {
  const sizes = readdirSync('/proc').flatMap((id) => {
    if (!/^\d+$/.test(id)) return [];
    try {
      if (!readFileSync(`/proc/${id}/cmdline`, 'utf8').includes('--type=renderer')) return [];
      return [Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1] ?? 0)];
    } catch {
      return [];
    }
  });
  return Math.round(Math.max(0, ...sizes) / 1024);
}

void main();
