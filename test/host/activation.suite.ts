// The extension starts for CUDA, adds its commands, and leaves the language itself to the editor.
import * as assert from 'node:assert/strict';
import { commands, extensions, languages, workspace } from 'vscode';
import { activateExtension, closeAll, extensionId, show, until } from './support';

describe('activation', () => {
  afterEach(closeAll);

  it('starts the server when a .cu file is opened', async () => {
    await show('samples/transpose/unpadded-tile.cu');
    await until('activation', () => extensions.getExtension(extensionId)?.isActive);
    const { server } = await activateExtension();
    await until('the server', () => server.state === 'running');
  });

  it('registers every command that the manifest names', async () => {
    await activateExtension();
    const there = new Set(await commands.getCommands(true));
    const named: { command: string }[] = extensions.getExtension(extensionId)!.packageJSON.contributes.commands;
    assert.ok(named.length > 0);
    assert.deepEqual(named.map(({ command }) => command).filter((command) => !there.has(command)), []);
  });

  it('leaves .cu files to the editor\'s own language', async () => {
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    assert.equal(document.languageId, 'cuda-cpp');
    assert.ok((await languages.getLanguages()).includes('cuda-cpp'));
  });

  it('formats nothing, so that clangd and cpptools keep that', async () => {
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    await activateExtension();
    assert.equal((await commands.executeCommand<unknown[] | undefined>('vscode.executeFormatDocumentProvider', document.uri, {})) ?? undefined, undefined);
    assert.equal(workspace.getConfiguration('warplens').get('gpu'), 'auto');
  });

  it('comes back after a restart', async () => {
    const { server } = await activateExtension();
    await commands.executeCommand('warplens.restartServer');
    assert.equal(server.state, 'running');
  });
});
