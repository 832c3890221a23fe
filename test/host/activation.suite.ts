// The extension starts for CUDA, adds its commands, and leaves the language itself to the editor.
import * as assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { commands, extensions, languages, workspace } from 'vscode';
import { activateExtension, closeAll, extensionId, findingsOf, rangeOf, show, silence, until } from './support';
import { skipBecause } from '../support/skipBecause';

describe('activation', () => {
  afterEach(closeAll);

  it('starts the server when a .cu file is opened @smoke', async () => {
    await show('samples/transpose/unpadded-tile.cu');
    await until('activation', () => extensions.getExtension(extensionId)?.isActive);
    const { server } = await activateExtension();
    await until('the server', () => server.state === 'running');
  });

  it('registers every command that the manifest names @smoke', async () => {
    await activateExtension();
    const there = new Set(await commands.getCommands(true));
    const named: { command: string }[] = extensions.getExtension(extensionId)!.packageJSON.contributes.commands;
    assert.ok(named.length > 0);
    assert.deepEqual(
      named.map(({ command }) => command).filter((command) => !there.has(command)),
      [],
    );
  });

  it("leaves .cu files to the editor's own language", async () => {
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    assert.equal(document.languageId, 'cuda-cpp');
    assert.ok((await languages.getLanguages()).includes('cuda-cpp'));
  });

  it('formats nothing, so that clangd and cpptools keep that', async () => {
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    await activateExtension();
    assert.equal(
      (await commands.executeCommand<unknown[] | undefined>(
        'vscode.executeFormatDocumentProvider',
        document.uri,
        {},
      )) ?? undefined,
      undefined,
    );
    assert.equal(workspace.getConfiguration('warplens').get('gpu'), 'auto');
  });

  it('comes back after a restart', async () => {
    const { server } = await activateExtension();
    await commands.executeCommand('warplens.restartServer');
    assert.equal(server.state, 'running');
  });

  it('comes back when its process falls', async function () {
    if (process.platform === 'win32') skipBecause(this, 'ps is not there on Windows');
    const { server } = await activateExtension();
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    await findingsOf(document, 'cuda/bank-conflict');
    const before = serverProcesses();
    assert.equal(before.length, 1);
    process.kill(before[0]!, 'SIGKILL');
    await until('another process', () => serverProcesses().some((id) => id !== before[0]));
    await until('the server', () => server.state === 'running');
    // Only a server that knows the document again can take its finding away.
    const editor = await show('samples/transpose/unpadded-tile.cu');
    await editor.edit((edit) => edit.replace(rangeOf(document, '[tileSize][tileSize]'), '[tileSize][tileSize + 1]'));
    await silence(document);
    // Left as it was found: the file is opened again by others.
    await commands.executeCommand('workbench.action.files.revert');
    await findingsOf(document, 'cuda/bank-conflict');
  });
});

/** The server is a child of the extension host. */
function serverProcesses(): number[] {
  const { stdout } = spawnSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' });
  return stdout
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((parts) => parts !== null)
    .filter(([, , parent, commandLine]) => Number(parent) === process.pid && commandLine!.includes('dist/server.js'))
    .map(([, id]) => Number(id));
}
