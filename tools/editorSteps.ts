// The steps of `npm test` that need a package or an editor, each run as a process: tools/editorSteps.ts STEP SUM.json
//
// What a step says goes to its output; its sum goes to the file. The packaged extension is in WARPLENS_TEST_FOLDER.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HostReport } from '../test/host/run';
import { added, failuresIn, type Sum, timesIn } from './closingLines';
import { findChromium } from './editor/chromium';
import { runInElectron } from './editor/electron';
import { runHostTests } from './editor/hostTests';
import { type EditorRelease, NEWEST, provideEditor, USUAL } from './editor/installEditor';
import { checkStartedWindow, withoutFileSearch } from './editor/startedWindow';
import { runWebTests } from './editor/webTests';
import { checkTarball } from './tarball';
import { hostSuites, PAGES, readWeights, shardsOf, UNTRUSTED } from './unitShards';
import { checkPackage, makePackage } from './vsix';

const vsix = join(process.env['WARPLENS_TEST_FOLDER'] ?? join(__dirname, '..'), 'warplens.vsix');

/** In the titles of one test for each part of a package; the others would test the same code a second time. */
const SMOKE = '@smoke';

const steps: Readonly<Record<string, () => Sum | Promise<Sum>>> = {
  package: () => {
    makePackage(vsix);
    return complained([...checkPackage(vsix), ...checkTarball()]);
  },
  'host 1': () => inEditor({ suites: hostShards()[0]!, ...wanted }),
  'host 2': () => inEditor({ suites: hostShards()[1]!, ...wanted }),
  untrusted: () => inEditor({ suites: [UNTRUSTED] }),
  installed: () => inEditor({ vsix: madePackage(), suites: [...hostSuites(), PAGES], grep: SMOKE }),
  'whole installed': () => inEditor({ vsix: madePackage(), suites: [...hostSuites(), PAGES] }),
  web: () => inBrowser(SMOKE),
  'whole web': () => inBrowser(),
  start: () => withChromium(startedWindows),
  electron: async () => counted(await runInElectron()),
  'newest host': () => inEditor({ release: NEWEST }),
  'newest untrusted': () => inEditor({ release: NEWEST, suites: [UNTRUSTED] }),
  'newest installed': () => inEditor({ release: NEWEST, vsix: madePackage() }),
};

/** Only tests of the host whose titles hold this: `WARPLENS_HOST_GREP=fixes npm test -- host`. */
const wanted = process.env['WARPLENS_HOST_GREP'] ? { grep: process.env['WARPLENS_HOST_GREP'] } : {};
const hostShards = (): string[][] => shardsOf(hostSuites(), readWeights(), 2);

function madePackage(): string {
  if (!existsSync(vsix)) makePackage(vsix);
  return vsix;
}

function inEditor(options: {
  readonly release?: EditorRelease;
  readonly vsix?: string;
  readonly suites?: readonly string[];
  readonly grep?: string;
}): Promise<Sum> {
  return withChromium(async (chromium) => {
    const editor = await provideEditor(options.release ?? USUAL);
    return counted(await runHostTests({ ...options, editor, chromium }));
  });
}

function inBrowser(grep?: string): Promise<Sum> {
  return withChromium(async (chromium) => {
    const options = { editor: await provideEditor(), chromium, ...(grep && { grep }) };
    const { passes, failures, lines } = await runWebTests(options);
    return counted({ passes, failures, lines: [...lines], skipped: [] });
  });
}

/** A step in a browser. A developer's machine may do without; a machine that says it is there to test may not. */
async function withChromium(step: (chromium: string) => Promise<Sum>): Promise<Sum> {
  const chromium = findChromium();
  if (chromium) return step(chromium);
  const reason = 'There is no Chromium on this machine: install one, or name it in WARPLENS_CHROMIUM.';
  if (process.env.CI) throw new Error(reason);
  return { passed: 0, failed: 0, skipped: [{ title: 'all tests of this step', reason }] };
}

/** The window of `npm start`, and the same with an editor whose file search finds nothing. */
async function startedWindows(chromium: string): Promise<Sum> {
  const sums = [complained(await checkStartedWindow(chromium))];
  if (process.platform === 'linux')
    sums.push(complained(await withoutFileSearch((cache) => checkStartedWindow(chromium, { cache }))));
  return added(sums);
}

function counted(report: HostReport): Sum {
  for (const line of report.lines) console.log(`  ${line}`);
  return {
    passed: report.passes,
    failed: report.failures === 0 && report.passes === 0 && !('grep' in wanted) ? 1 : report.failures,
    skipped: report.skipped,
    failures: failuresIn(report.lines),
    times: timesIn(report.lines),
    ...(report.files && { files: report.files }),
  };
}

/** One check. */
function complained(complaints: readonly string[]): Sum {
  for (const complaint of complaints) console.error(`  ✘ ${complaint}`);
  return complaints.length > 0 ? { passed: 0, failed: 1, failures: complaints } : { passed: 1, failed: 0 };
}

async function main(): Promise<void> {
  const [name, file] = process.argv.slice(2);
  const step = steps[name ?? ''];
  if (!step || file === undefined)
    throw new Error(`usage: editorSteps.ts STEP SUM.json, of ${Object.keys(steps).join(', ')}`);
  writeFileSync(file, JSON.stringify(await step()));
}

main().catch((error: unknown) => {
  console.error(`  ✘ ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
});
