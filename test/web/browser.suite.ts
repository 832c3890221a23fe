// What is particular to a browser: no process, no disk, files of a folder that is asked for, and one sentence where a desktop is needed.
import * as assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { commands, env, extensions, Uri, UIKind, window, workspace } from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import {
  activateExtension,
  closeAll,
  extensionId,
  findingsOf,
  inWorkspace,
  listed,
  show,
  until,
} from '../host/support';

describe('a browser', () => {
  before(activateExtension);
  afterEach(closeAll);

  it('is what these tests run in: no machine behind it, and a folder that is not on disk', () => {
    assert.equal(env.uiKind, UIKind.Web);
    assert.equal(env.remoteName, undefined);
    assert.equal(workspace.workspaceFolders![0]!.uri.scheme, 'warplens-test');
  });

  it('reads what a file includes, and the launch that says its block', async () => {
    const { document } = await show('samples/axes/slow-axis.cu');
    const [slow] = await findingsOf(document, 'cuda/uncoalesced-access');
    assert.match(slow!.message, /4\.0×/);
    assert.deepEqual(
      listed(document).filter((each) => each.startsWith('warplens/')),
      [],
    );
  });

  it('follows a header that is changed', async () => {
    const header = inWorkspace('samples/asked-for.cuh');
    const source = inWorkspace('samples/asks.cu');
    const code = (text: string): Uint8Array => new TextEncoder().encode(text);
    await workspace.fs.writeFile(header, code('#pragma once\nconst int stride = 32;\n'));
    await workspace.fs.writeFile(
      source,
      code(
        '#include "asked-for.cuh"\n__global__ void k(float *a) {\n  a[(blockIdx.x * 256 + threadIdx.x) * stride] = 1.0f;\n}\n' +
          'void f(float *a) { k<<<1024, 256>>>(a); }\n',
      ),
    );
    try {
      const document = await workspace.openTextDocument(source);
      await window.showTextDocument(document);
      // The header may come after the first answer.
      await until('the stride of the header', async () =>
        (await findingsOf(document, 'cuda/uncoalesced-access')).some(({ message }) => /: 8\.0×/.test(message)),
      );
      await workspace.fs.writeFile(header, code('#pragma once\nconst int stride = 1;\n'));
      await until(
        () => `silence; there are ${listed(document)}`,
        () => listed(document).length === 0,
      );
    } finally {
      for (const uri of [header, source]) await workspace.fs.delete(uri);
    }
  });

  it('reads Fortran, whose grammar is fetched when it is needed', async () => {
    const { document } = await show('samples/openacc/conjugate-gradient/1-naive.f90');
    await until('findings', () => listed(document).some((each) => each.startsWith('acc/')));
  });

  it('lays a report over its source', async () => {
    const { profile } = extensions.getExtension(extensionId)!.exports as { profile: ProfileApi };
    await commands.executeCommand('warplens.profile.layOver', inWorkspace('samples/profiles/1-row-per-thread.ncu-rep'));
    assert.ok(profile.store.active, 'no report is shown');
    assert.ok(profile.store.marks().length > 0);
    const place = [...profile.store.active.places.values()].find(({ uri }) =>
      uri?.path.endsWith('1-row-per-thread.cu'),
    );
    assert.equal(place?.uri?.scheme, 'warplens-test');
    await commands.executeCommand('warplens.profile.clear');
  });

  it('opens the page of a report', async () => {
    const { profile } = extensions.getExtension(extensionId)!.exports as { profile: ProfileApi };
    const before = profile.pages.drawn.length;
    await commands.executeCommand('warplens.profile.open', inWorkspace('samples/profiles/1-row-per-thread.ncu-rep'));
    const page = await until('the page', () => profile.pages.drawn.length > before && profile.pages.drawn.at(-1));
    assert.ok(page.model.kernels.length > 0);
    await commands.executeCommand('warplens.profile.clear');
  });

  it('opens the page of a rule', async () => {
    await commands.executeCommand('warplens.explainRule', 'cuda/bank-conflict');
    await until('the page', () =>
      window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => /bank-conflict/.test(label))),
    );
  });

  it('has every command, and says of those that need a process where they are', async () => {
    const there = new Set(await commands.getCommands(true));
    const named: { command: string }[] = extensions.getExtension(extensionId)!.packageJSON.contributes.commands;
    assert.deepEqual(
      named.map(({ command }) => command).filter((command) => !there.has(command)),
      [],
    );
    const said: string[] = [];
    const show = window.showInformationMessage;
    Object.assign(window, { showInformationMessage: async (sentence: string) => void said.push(sentence) });
    try {
      for (const command of ['warplens.profile.run', 'warplens.measureFix', 'warplens.history.showTable'])
        await commands.executeCommand(command);
    } finally {
      Object.assign(window, { showInformationMessage: show });
    }
    assert.equal(said.length, 3);
    for (const sentence of said) assert.match(sentence, /^Warplens: .*Open this folder in VS Code on the desktop/);
  });

  it('shows a line and lays a report for an agent, within the workspace alone', async () => {
    const { lm } = vscode as unknown as {
      lm: { invokeTool(name: string, options: object): Promise<{ content: { value: string }[] }> };
    };
    const ask = async (name: string, input: object): Promise<string> =>
      (await lm.invokeTool(name, { input, toolInvocationToken: undefined })).content.map(({ value }) => value).join();
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    const [conflict] = await findingsOf(document, 'cuda/bank-conflict');
    const line = conflict!.range.start.line + 1;
    await closeAll();
    const told = await ask('warplens_reveal', { file: 'samples/transpose/unpadded-tile.cu', line });
    assert.match(told, /^Showing line \d+ of samples\/transpose\/unpadded-tile\.cu: /);
    assert.equal(window.activeTextEditor!.selection.active.line, line - 1);
    const laid = await ask('warplens_lay_report', { report: 'samples/profiles/1-row-per-thread.ncu-rep' });
    assert.match(laid, /averageAndMultiply[\s\S]*1-row-per-thread\.cu:\d+ [\d.]+ % of the stall samples: /);
    assert.match(
      await ask('warplens_reveal', { file: '../../etc/passwd', line: 1 }),
      /was not found in the workspace|Use a path in the workspace/,
    );
    await commands.executeCommand('warplens.profile.clear');
  });

  it('comes back after a restart', async () => {
    const { server } = await activateExtension();
    await commands.executeCommand('warplens.restartServer');
    assert.equal(server.state, 'running');
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    await findingsOf(document, 'cuda/bank-conflict');
  });

  it('names files as the user knows them', async () => {
    const { document } = await show('samples/vector-addition/chunk-per-thread.cu');
    const [first] = await findingsOf(document, 'cuda/uncoalesced-access');
    const places = (first!.relatedInformation ?? []).map(({ location }) => location.uri.toString());
    assert.ok(places.length > 0);
    assert.ok(places.every((place) => place === document.uri.toString()));
    await commands.executeCommand('warplens.showModel', document.uri.toString());
    const model = await until('the model', () =>
      workspace.textDocuments.find(({ uri, getText }) => uri.scheme === 'warplens-model' && getText().length > 200),
    );
    assert.match(model.getText(), /chunk-per-thread|__global__|kernel/);
    assert.equal(Uri.parse(model.uri.query).scheme, 'warplens-test');
  });
});
