// Every check of the project, one after the other, closed by a line with the sums.
//
//   npm test                 all of it
//   npm test -- unit host    some of it: types, tidy, generated, style, build, unit, package, host, pages, untrusted, installed, web, start
//   npm run test:newest      the host tests in the newest VS Code of the npm registry
//   npm run test:electron    the host tests in a VS Code that @vscode/test-electron downloads
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostReport } from '../test/host/run';
import type { SkippedTest } from '../test/support/skipBecause';
import { added, closingLines, failuresIn, inWords, type Sum } from './closingLines';
import { findChromium } from './editor/chromium';
import { runInElectron } from './editor/electron';
import { runHostTests } from './editor/hostTests';
import { runWebTests } from './editor/webTests';
import { NEWEST, provideEditor, USUAL, type EditorRelease } from './editor/installEditor';
import { checkStartedWindow, withoutFileSearch } from './editor/startedWindow';
import { provideSystemTools, type NeedySteps } from './systemPackages';
import { checkPackage, makePackage } from './vsix';

type Step = () => Sum | Promise<Sum>;

const root = join(__dirname, '..');
const workplace = mkdtempSync(join(tmpdir(), 'warplens-test-'));
const vsix = join(workplace, 'warplens.vsix');

const steps: Readonly<Record<string, Step>> = {
  types: () => command('node_modules/typescript/bin/tsc', ['-p', 'tsconfig.json']),
  tidy: () => command('--import', ['tsx', 'tools/tidy.ts']),
  generated: () => command('--import', ['tsx', 'tools/generate.ts', '--check']),
  style: () => command('node_modules/@biomejs/biome/bin/biome', ['ci', '--colors=off', '--diagnostic-level=warn', '.']),
  build: () => command('tools/build.mjs', []),
  unit: unitTests,
  package: () => {
    makePackage(vsix);
    const complaints = checkPackage(vsix);
    for (const complaint of complaints) console.error(`  ✘ ${complaint}`);
    return complaints.length > 0 ? { passed: 0, failed: complaints.length } : one(true);
  },
  host: () => inEditor({}),
  pages: () => inEditor({ suite: 'pages' }),
  untrusted: () => inEditor({ suite: 'untrusted' }),
  installed: () => inEditor({ vsix: madePackage() }),
  web: () =>
    withChromium(async (chromium) => {
      const { passes, failures, lines } = await runWebTests({ editor: await provideEditor(), chromium });
      return counted({ passes, failures, lines: [...lines], skipped: [] });
    }),
  start: () => withChromium(startedWindows),
};

/** Separate jobs, which `npm test` omits: they download much. */
const jobs: Readonly<Record<string, Readonly<Record<string, Step>>>> = {
  electron: { build: steps['build']!, electron: async () => counted(await runInElectron()) },
  newest: {
    build: steps['build']!,
    'newest host': () => inEditor({ release: NEWEST }),
    'newest untrusted': () => inEditor({ release: NEWEST, suite: 'untrusted' }),
    'newest installed': () => inEditor({ release: NEWEST, vsix: madePackage() }),
  },
};

/** Which steps need more than npm's packages. */
const needs: Readonly<Record<string, NeedySteps>> = {
  unit: 'unit',
  pages: 'editor',
  host: 'editor',
  untrusted: 'editor',
  installed: 'editor',
  start: 'editor',
  web: 'editor',
  ...Object.fromEntries(
    Object.keys(jobs['newest']!)
      .filter((name) => name.startsWith('newest'))
      .map((name) => [name, 'editor']),
  ),
};

async function main(): Promise<void> {
  const named = process.argv.slice(2);
  const job = jobs[named[0] ?? ''];
  const unknown = job ? [] : named.filter((name) => !(name in steps));
  if (unknown.length > 0) {
    console.error(
      `There is no step "${unknown[0]}"; there are ${[...Object.keys(steps), ...Object.keys(jobs)].join(', ')}.`,
    );
    process.exit(2);
  }
  const wanted = Object.entries(job ?? steps).filter(([name]) => job || named.length === 0 || named.includes(name));
  // Said, and installed where that needs no password, before anything else is done.
  provideSystemTools([...new Set(wanted.flatMap(([name]) => needs[name] ?? []))], (sentence) => console.log(sentence));
  const sums: Sum[] = [];
  for (const [name, step] of wanted) sums.push(await run(name, step));
  close(added(sums));
}

async function run(name: string, step: Step): Promise<Sum> {
  const begin = Date.now();
  console.log(`\n── ${name}`);
  let sum: Sum;
  try {
    sum = await step();
  } catch (error) {
    console.error(`  ✘ ${error instanceof Error ? error.message : String(error)}`);
    sum = one(false);
  }
  // A step that failed as a whole is named by itself.
  if (sum.failed > 0 && !sum.failures?.length) sum = { ...sum, failures: ['the whole step'] };
  sum = { ...sum, failures: (sum.failures ?? []).map((failure) => `${name}: ${failure}`) };
  const seconds = ((Date.now() - begin) / 1000).toFixed(1);
  console.log(`── ${name}: ${inWords(sum)}, ${seconds} s`);
  return sum;
}

function close(sum: Sum): void {
  rmSync(workplace, { recursive: true, force: true });
  console.log(closingLines(sum).join('\n'));
  process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;
}

/** One check that its own command makes. */
function command(first: string, rest: readonly string[]): Sum {
  return one(spawnSync(process.execPath, [first, ...rest], { cwd: root, stdio: 'inherit' }).status === 0);
}

function unitTests(): Sum {
  const file = join(workplace, 'unit.json');
  const done = spawnSync(
    process.execPath,
    [
      '--import',
      'tsx',
      'node_modules/mocha/bin/mocha.js',
      '--reporter',
      join(root, 'test', 'support', 'countingReporter.cjs'),
      '--reporter-option',
      `file=${file}`,
      '--timeout',
      '20000',
      'test/**/*.test.ts',
    ],
    { cwd: root, stdio: 'inherit' },
  );
  if (!existsSync(file)) {
    console.error(`  ✘ Mocha ended with ${done.status ?? done.signal} before it had run the tests.`);
    return one(false);
  }
  const { passes, failures, skipped, failed } = JSON.parse(readFileSync(file, 'utf8')) as {
    passes: number;
    failures: number;
    skipped: SkippedTest[];
    failed: string[];
  };
  // Mocha can fall after the last test, too.
  const count = failures === 0 && done.status !== 0 ? 1 : failures;
  return { passed: passes, failed: count, skipped, failures: failuresIn(failed) };
}

function madePackage(): string {
  if (!existsSync(vsix)) makePackage(vsix);
  return vsix;
}

function inEditor(options: {
  readonly release?: EditorRelease;
  readonly vsix?: string;
  readonly suite?: 'untrusted' | 'pages';
}): Promise<Sum> {
  return withChromium(async (chromium) =>
    counted(await runHostTests({ ...options, editor: await provideEditor(options.release ?? USUAL), chromium })),
  );
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
  const sums: Sum[] = [];
  const looks = [() => checkStartedWindow(chromium)];
  if (process.platform === 'linux')
    looks.push(() => withoutFileSearch((cache) => checkStartedWindow(chromium, { cache })));
  for (const look of looks) {
    const complaints = await look();
    for (const complaint of complaints) console.error(`  ✘ ${complaint}`);
    sums.push(one(complaints.length === 0));
  }
  return added(sums);
}

function counted(report: HostReport): Sum {
  for (const line of report.lines) console.log(`  ${line}`);
  return {
    passed: report.passes,
    failed: report.failures === 0 && report.passes === 0 ? 1 : report.failures,
    skipped: report.skipped,
    failures: failuresIn(report.lines),
  };
}

function one(passed: boolean): Sum {
  return passed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

void main();
