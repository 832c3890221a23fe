// Every check of the project, one after the other, closed by a line with the sums.
//
//   npm test                 all of it
// npm test -- unit host some of it: types, tidy, generated, build, unit, package, host, untrusted, installed, start
//   npm run test:electron    the host tests in a VS Code that @vscode/test-electron downloads
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostReport } from '../test/host/run';
import { provideChromium } from './editor/chromium';
import { provideCodeServer } from './editor/codeServer';
import { runInElectron } from './editor/electron';
import { runHostTests } from './editor/hostTests';
import { checkPackage, makePackage } from './vsix';

interface Sum {
  readonly passed: number;
  readonly failed: number;
}
type Step = () => Sum | Promise<Sum>;

const root = join(__dirname, '..');
const workplace = mkdtempSync(join(tmpdir(), 'warplens-test-'));
const vsix = join(workplace, 'warplens.vsix');

const steps: Readonly<Record<string, Step>> = {
  types: () => command('node_modules/typescript/bin/tsc', ['-p', 'tsconfig.json']),
  tidy: () => command('--import', ['tsx', 'tools/tidy.ts']),
  generated: () => command('--import', ['tsx', 'tools/generate.ts', '--check']),
  build: () => command('tools/build.mjs', []),
  unit: unitTests,
  package: () => {
    makePackage(vsix);
    const complaints = checkPackage(vsix);
    for (const complaint of complaints) console.error(`  ✘ ${complaint}`);
    return complaints.length > 0 ? { passed: 0, failed: complaints.length } : one(true);
  },
  host: () => inEditor(undefined),
  untrusted: () => inEditor(undefined, true),
  installed: () => {
    if (!existsSync(vsix)) makePackage(vsix);
    return inEditor(vsix);
  },
  start: startCommand,
};

async function main(): Promise<void> {
  const named = process.argv.slice(2);
  if (named.includes('electron')) return close(await run('electron', async () => counted(await runInElectron())));
  const unknown = named.filter((name) => !(name in steps));
  if (unknown.length > 0) {
    console.error(`There is no step "${unknown[0]}"; there are ${Object.keys(steps).join(', ')}.`);
    process.exit(2);
  }
  let total: Sum = { passed: 0, failed: 0 };
  for (const [name, step] of Object.entries(steps)) {
    if (named.length > 0 && !named.includes(name)) continue;
    const sum = await run(name, step);
    total = { passed: total.passed + sum.passed, failed: total.failed + sum.failed };
  }
  close(total);
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
  console.log(`── ${name}: ${sum.passed} passed, ${sum.failed} failed, ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  return sum;
}

function close({ passed, failed }: Sum): void {
  rmSync(workplace, { recursive: true, force: true });
  console.log(`\n${passed} passed, ${failed} failed`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

/** One check that a command of its own makes. */
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
  const { passes, failures } = JSON.parse(readFileSync(file, 'utf8')) as { passes: number; failures: number };
  // Mocha can fall after the last test, too.
  return { passed: passes, failed: failures === 0 && done.status !== 0 ? 1 : failures };
}

async function inEditor(installed: string | undefined, untrusted = false): Promise<Sum> {
  const chromium = provideChromium();
  if ('missing' in chromium) {
    // A developer's machine may do without; a machine that says it is there to test may not.
    console.log(`  - SKIPPED, the tests in the editor were not run. ${chromium.missing}`);
    return process.env.CI ? one(false) : { passed: 0, failed: 0 };
  }
  return counted(
    await runHostTests({ codeServer: provideCodeServer(), chromium: chromium.path, vsix: installed, untrusted }),
  );
}

/** `npm start` in its browser form: it must serve a page, and end with Ctrl+C. */
async function startCommand(): Promise<Sum> {
  provideCodeServer();
  const child = spawn(process.execPath, ['tools/start.mjs', '--browser'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, DISPLAY: '', WAYLAND_DISPLAY: '' },
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const late = setTimeout(() => child.kill('SIGKILL'), 120_000);
  let said = '';
  const url = await new Promise<string | undefined>((resolve) => {
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /http:\/\/\S+/.exec(said);
      if (found) resolve(found[0]);
    });
    void ended.then(() => resolve(undefined));
  });
  const status = url && (await fetch(url)).status;
  child.kill('SIGINT');
  const code = await ended;
  clearTimeout(late);
  const gone =
    url === undefined ||
    (await fetch(url).then(
      () => false,
      () => true,
    ));
  if (status === 200 && code === 0 && gone) return one(true);
  console.error(
    `  ✘ npm start: page ${status ?? 'none'}, exit code ${code}, ${gone ? 'ended' : 'still serving'}. It said:\n${said}`,
  );
  return one(false);
}

function counted(report: HostReport): Sum {
  for (const line of report.lines) console.log(`  ${line}`);
  return { passed: report.passes, failed: report.failures === 0 && report.passes === 0 ? 1 : report.failures };
}

function one(passed: boolean): Sum {
  return passed ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

void main();
