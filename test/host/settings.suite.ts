// A changed setting shows at once, without a restart.
import * as assert from 'node:assert/strict';
import { commands, ConfigurationTarget, DiagnosticSeverity, Range, workspace, type InlayHint } from 'vscode';
import { activateExtension, closeAll, findings, findingsOf, show, silence, until } from './support';

const transpose = 'samples/transpose/unpadded-tile.cu';

describe('settings', () => {
  before(activateExtension);
  afterEach(async () => {
    for (const key of ['rules', 'inlayHints', 'defines']) await set(key, undefined);
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
