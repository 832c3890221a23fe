// In a folder that the user does not trust: findings and fixes as ever, reports open, and nothing is run, whatever the folder's settings say.
import * as assert from 'node:assert/strict';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { commands, extensions, Task, Uri, workspace, type CodeLens } from 'vscode';
import type { CompilerFeedbackApi } from '../../client/src/features/compilerFeedback';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import type { Profiling } from '../../client/src/profiling/profiling';
import { activateExtension, closeAll, extensionId, findingsOf, inWorkspace, show, until } from './support';

describe('an untrusted folder', () => {
  let api: {
    readonly profile: ProfileApi;
    readonly profiling: Profiling;
    readonly compilerFeedback: CompilerFeedbackApi;
  };
  const said: string[] = [];
  const proof = (): string => join(workspace.workspaceFolders![0]!.uri.fsPath, 'was-run');

  before(async () => {
    assert.equal(workspace.isTrusted, false);
    await activateExtension();
    api = extensions.getExtension(extensionId)!.exports as typeof api;
    api.profiling.asking = {
      ...api.profiling.asking,
      async say(_level, message) {
        said.push(message);
        return undefined;
      },
      async pick() {
        throw new Error('nothing is to be asked');
      },
    };
  });
  afterEach(closeAll);
  after(() => rmSync(proof(), { force: true }));

  it('has its findings, and the line over its kernels', async () => {
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    await findingsOf(document, 'cuda/bank-conflict');
    await until('the line', async () =>
      (await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', document.uri)).some(
        ({ command }) => command?.command === 'warplens.profile.runKernel',
      ),
    );
  });

  it('opens a report', async () => {
    await commands.executeCommand('warplens.profile.layOver', inWorkspace('samples/profiles/unpadded-tile.ncu-rep'));
    assert.equal(api.profile.store.active?.name, 'unpadded-tile.ncu-rep');
    await commands.executeCommand('warplens.profile.clear');
  });

  it('runs nothing and connects to nothing', async () => {
    const wanted = { build: `touch '${proof()}'`, program: '/bin/true', host: 'local' };
    await show('samples/transpose/unpadded-tile.cu');
    for (const command of ['run', 'runAgain', 'runKernel'])
      assert.equal(
        await commands.executeCommand(`warplens.profile.${command}`, { ...wanted, kernel: 'transpose' }),
        undefined,
      );
    for (const command of ['chooseHost', 'checkHost'])
      assert.equal(await commands.executeCommand(`warplens.profile.${command}`, 'local'), undefined);
    assert.equal(said.length, 5);
    for (const message of said) assert.match(message, /untrusted workspace/);
    assert.equal(existsSync(proof()), false);
    assert.deepEqual(api.profiling.runner.said, []);
  });

  it('makes nothing that runs of a task that the folder brought along', async () => {
    const folder = workspace.workspaceFolders![0]!;
    const definition = { type: 'warplens', command: `touch '${proof()}'` };
    assert.equal(api.compilerFeedback.resolveTask(new Task(definition, folder, 'build', 'Warplens')), undefined);
    assert.equal(existsSync(proof()), false);
  });

  it('its settings name no programs and no hosts', async () => {
    const folder = workspace.workspaceFolders![0]!.uri;
    await workspace.fs.writeFile(
      Uri.joinPath(folder, '.vscode', 'settings.json'),
      Buffer.from(
        JSON.stringify({
          'warplens.profile.host': 'evil',
          'warplens.profile.nvcc': '/evil/nvcc',
          'warplens.profile.store': '/evil',
          'warplens.gpu': 'A100',
        }),
      ),
    );
    await until(
      'the settings of the folder',
      () => workspace.getConfiguration('warplens', folder).get('gpu') === 'A100',
    );
    const section = workspace.getConfiguration('warplens.profile', folder);
    assert.deepEqual(
      ['host', 'nvcc', 'store'].map((key) => section.get(key)),
      ['', '', '.warplens/profiles'],
    );
    rmSync(join(folder.fsPath, '.vscode'), { recursive: true });
  });
});
