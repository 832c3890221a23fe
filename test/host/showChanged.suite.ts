// Findings since the last commit of a real repository.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands, ConfigurationTarget, DiagnosticSeverity, workspace, WorkspaceEdit } from 'vscode';
import { activateExtension, closeAll, findings, inWorkspace, show, until } from './support';

describe('findings since the last commit', () => {
  before(activateExtension);
  afterEach(async () => {
    await workspace.getConfiguration('warplens').update('show', undefined, ConfigurationTarget.Workspace);
    await closeAll();
  });

  it('are shown alone, the others as hints', async () => {
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
});
