// Runs suites with Mocha inside the extension host of a browser, and posts a report after each test.
import 'mocha/mocha.js';
import { extensions } from 'vscode';
import type { WebReport } from '../../tools/editor/webWorkbench';

declare const mocha: { setup(options: object): void; run(ended: () => void): Mocha.Runner };

/** Called by the editor; the suites are registered by what this bundle imports after Mocha is set up. */
export async function run(): Promise<void> {
  const options = { ui: 'bdd', timeout: 40_000, slow: 2_000, reporter: class {}, checkLeaks: false };
  mocha.setup({ ...options, ...(process.env.WARPLENS_HOST_GREP && { grep: process.env.WARPLENS_HOST_GREP }) });
  await import('./suites');
  const { scheme, authority } = extensions.getExtension('warplens-test.files')!.extensionUri;
  const report = { passes: 0, failures: 0, lines: [] as string[] };
  let posted: Promise<unknown> = Promise.resolve();
  const post = (more: Partial<WebReport> = {}): void => {
    const body = JSON.stringify({ ...report, ...more });
    posted = posted.then(() => fetch(`${scheme}://${authority}/report`, { method: 'POST', body }));
  };
  await new Promise<void>((resolve) => {
    const runner = mocha.run(() => resolve());
    runner.on('suite', (suite) => {
      if (suite.title) report.lines.push(suite.title);
    });
    runner.on('test', (test) => post({ running: test.fullTitle() }));
    runner.on('pass', (test) => {
      report.passes++;
      report.lines.push(`  ✔ ${test.title} (${test.duration} ms)`);
    });
    runner.on('fail', (test, error: Error) => {
      report.failures++;
      report.lines.push(`  ✘ ${test.fullTitle()}\n${error.stack ?? String(error)}`);
    });
  });
  post({ ended: true });
  await posted;
}
