// Runs the host suites with Mocha inside the extension host, and leaves a report for the process that opened the window.
import { readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import Mocha from 'mocha';
import { skippedTest, type SkippedTest } from '../support/skipBecause';

export interface HostReport {
  passes: number;
  failures: number;
  readonly skipped: SkippedTest[];
  readonly lines: string[];
  /** Milliseconds of each suite, with what its hooks took. */
  readonly files?: Record<string, number>;
  /** The test that was running when the report was written; absent once all have run. */
  running?: string | undefined;
}

/** Called by the editor. Rejects when a test failed, so that the editor ends with an error too. */
export async function run(): Promise<void> {
  const mocha = new Mocha({
    ui: 'bdd',
    timeout: 90_000,
    slow: 2_000,
    reporter: 'min',
    grep: process.env.WARPLENS_HOST_GREP,
  });
  // A window whose folder is not trusted has a separate suite, and so have the pages for axe-core.
  const apart = /^(untrusted|pages)\./;
  const wanted = process.env.WARPLENS_SUITES?.split(',').filter(Boolean) ?? [];
  const isMine = (file: string): boolean => {
    const suite = `test/host/${basename(file, '.js')}.ts`;
    return wanted.length > 0 ? wanted.includes(suite) : file.endsWith('.suite.js') && !apart.test(file);
  };
  for (const file of readdirSync(__dirname)) if (isMine(file)) mocha.addFile(join(__dirname, file));
  const report: HostReport = { passes: 0, failures: 0, skipped: [], lines: [], files: {} };
  const file = process.env.WARPLENS_HOST_REPORT;
  // Written after each test, so that a window that hangs still tells where.
  const write = (): void => {
    if (file) writeFileSync(file, JSON.stringify(report));
  };
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => resolve());
    runner.on('suite', (suite) => {
      if (suite.title) report.lines.push(`${'  '.repeat(depth(suite))}${suite.title}`);
    });
    runner.on('test', (test) => {
      report.running = test.fullTitle();
      write();
    });
    let before = Date.now();
    runner.on('test end', ({ file: bundle }) => {
      const suite = `test/host/${basename(bundle!, '.js')}.ts`;
      report.files![suite] = (report.files![suite] ?? 0) + Date.now() - before;
      before = Date.now();
    });
    runner.on('pass', (test) => {
      report.passes++;
      report.lines.push(`${'  '.repeat(depth(test.parent))}  ✔ ${test.title} (${test.duration} ms)`);
    });
    runner.on('pending', (test) => {
      report.skipped.push(skippedTest(test));
      report.lines.push(`${'  '.repeat(depth(test.parent))}  - ${test.title}`);
    });
    runner.on('fail', (test, error) => {
      report.failures++;
      report.lines.push(`${'  '.repeat(depth(test.parent))}  ✘ ${test.fullTitle()}\n${error.stack ?? String(error)}`);
    });
  });
  report.running = undefined;
  write();
  if (report.failures > 0) throw new Error(`${report.failures} host tests failed.`);
}

function depth(suite: Mocha.Suite | undefined): number {
  let levels = 0;
  for (let at = suite?.parent; at?.parent; at = at.parent) levels++;
  return levels;
}
