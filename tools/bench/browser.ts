// Measures how long a browser takes to lay a report of 30 MB over its source, and by how much its window grows.
//
//   npx tsx tools/bench/browser.ts [--runs 5] [REPORT.ncu-rep]
//
// From the click in the list of files to the first marked line in the tree of hottest lines; Linux alone (/proc).
import { copyFileSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { CHROMIUM_FLAGS, findChromium } from '../editor/chromium';
import { QUIET_SETTINGS } from '../editor/hostTests';
import { provideEditor } from '../editor/installEditor';
import { buildWebTests } from '../editor/webTests';
import { serveWebWorkbench, webWindowUrl } from '../editor/webWorkbench';

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
  writeFileSync(join(folder, 'a.cu'), '__global__ void k(float *a) { a[threadIdx.x] = 1.0f; }\n');
  const editor = await provideEditor();
  const tests = await buildWebTests();
  const settings = { ...QUIET_SETTINGS, 'workbench.editor.enablePreview': false };
  const workbench = await serveWebWorkbench({ editor: editor.folder, extension: root, tests, folder }, settings);
  console.log(`${(statSync(report).size / 1e6).toFixed(1)} MB, Chromium, ${values.runs} windows`);
  try {
    for (let run = 0; run < Number(values.runs); run++) {
      const browser = await chromium.launch({ executablePath: findChromium()!, args: CHROMIUM_FLAGS });
      const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
      await page.goto(webWindowUrl(workbench.port, { file: 'a.cu' }), { waitUntil: 'domcontentloaded' });
      await page
        .getByText('0 bad accesses')
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
