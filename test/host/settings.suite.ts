// A changed setting shows at once, without a restart.
import * as assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  commands,
  ConfigurationTarget,
  DiagnosticSeverity,
  Range,
  workspace,
  WorkspaceEdit,
  type InlayHint,
} from 'vscode';
import { activateExtension, closeAll, findings, findingsOf, inWorkspace, show, silence, until } from './support';

const transpose = 'samples/transpose/unpadded-tile.cu';

describe('settings', () => {
  before(activateExtension);
  afterEach(async () => {
    for (const key of ['rules', 'inlayHints', 'defines', 'show']) await set(key, undefined);
    await closeAll();
  });

  it('switch a rule off, and on again', async () => {
    const { document } = await show(transpose);
    await findingsOf(document, 'cuda/bank-conflict');
    await set('rules', { 'cuda/bank-conflict': 'off' });
    await silence(document);
    await set('rules', undefined);
    await findingsOf(document, 'cuda/bank-conflict');
  });

  it('change the severity of a rule', async () => {
    const { document } = await show(transpose);
    await findingsOf(document, 'cuda/bank-conflict');
    await set('rules', { 'cuda/bank-conflict': 'error' });
    await until(
      'an error',
      () =>
        findings(document).every(({ severity }) => severity === DiagnosticSeverity.Error) &&
        findings(document).length > 0,
    );
  });

  it('turn inlay hints off', async () => {
    const { document } = await show(transpose);
    await findingsOf(document, 'cuda/bank-conflict');
    const hints = async (): Promise<number> =>
      (
        (await commands.executeCommand<InlayHint[]>(
          'vscode.executeInlayHintProvider',
          document.uri,
          new Range(0, 0, document.lineCount, 0),
        )) ?? []
      ).length;
    await until('a hint', async () => (await hints()) > 0);
    await set('inlayHints', false);
    await until('no hint', async () => (await hints()) === 0);
  });

  it('show only what changed since the last commit', async () => {
    const folder = 'committed';
    const path = inWorkspace(folder).fsPath;
    mkdirSync(path);
    const kernel = (name: string): string => `__global__ void ${name}(float *a) {\n  a[33 * threadIdx.x] = 1;\n}\n`;
    writeFileSync(join(path, 'a.cu'), kernel('old'));
    const git = (...words: string[]): void => {
      execFileSync('git', ['-C', path, '-c', 'user.name=a', '-c', 'user.email=a@b.c', ...words]);
    };
    git('init', '-q');
    git('add', 'a.cu');
    git('commit', '-qm', 'One');
    const gitSettings = workspace.getConfiguration('git');
    await gitSettings.update('enabled', true, ConfigurationTarget.Global);
    try {
      const { document } = await show(`${folder}/a.cu`);
      const severities = (): string =>
        findings(document)
          .map(({ severity }) => DiagnosticSeverity[severity])
          .join();
      await until('a warning', () => severities() === 'Warning');
      await commands.executeCommand('warplens.toggleShowChanged');
      await until('a hint', () => severities() === 'Hint');
      const edit = new WorkspaceEdit();
      edit.insert(document.uri, document.positionAt(0), kernel('added'));
      await workspace.applyEdit(edit);
      await until('a warning and a hint', () => severities() === 'Warning,Hint');
      await document.save();
      git('commit', '-qam', 'Two');
      await commands.executeCommand('git.refresh');
      await until('two hints', () => severities() === 'Hint,Hint');
      await commands.executeCommand('warplens.toggleShowChanged');
      await until('two warnings', () => severities() === 'Warning,Warning');
    } finally {
      await gitSettings.update('enabled', undefined, ConfigurationTarget.Global);
      rmSync(path, { recursive: true, force: true });
    }
  });

  it('define a macro that fixes the shape of a block', async () => {
    const { document } = await show('defined/strided.cu');
    await set('defines', { PITCH: '1' });
    await silence(document);
    await set('defines', { PITCH: '32' });
    await findingsOf(document, 'cuda/uncoalesced-access');
    assert.ok(findings(document).length > 0);
  });
});

async function set(key: string, value: unknown): Promise<void> {
  await workspace.getConfiguration('warplens').update(key, value, ConfigurationTarget.Workspace);
}
