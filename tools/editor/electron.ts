// The same host tests in a VS Code that @vscode/test-electron downloads from its vendor, for machines with internet.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runTests } from '@vscode/test-electron';
import type { HostReport } from '../../test/host/run';
import { buildHostTests, copyWorkspace } from './hostTests';

const root = join(__dirname, '..', '..');

export async function runInElectron(): Promise<HostReport> {
  const tests = await buildHostTests();
  const folder = copyWorkspace();
  const data = mkdtempSync(join(tmpdir(), 'warplens-editor-'));
  const reportFile = join(data, 'report.json');
  let failure: unknown;
  try {
    await runTests({
      extensionDevelopmentPath: root,
      extensionTestsPath: tests,
      extensionTestsEnv: { WARPLENS_HOST_REPORT: reportFile },
      launchArgs: [
        folder,
        '--disable-extensions',
        '--disable-workspace-trust',
        '--skip-welcome',
        '--skip-release-notes',
        `--user-data-dir=${join(data, 'user-data')}`,
      ],
    }).catch((error: unknown) => {
      failure = error;
    });
    return JSON.parse(readFileSync(reportFile, 'utf8')) as HostReport;
  } catch {
    throw new Error(
      'The tests did not run in a downloaded VS Code: ' +
        `${failure instanceof Error ? failure.message : 'it ended without a report'}. Without internet, use ` +
        '"npm test".',
    );
  } finally {
    for (const used of [folder, data]) rmSync(used, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
}
