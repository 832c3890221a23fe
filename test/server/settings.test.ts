// Settings: what they change, and what the user hears when one is wrong.
import assert from 'node:assert/strict';
import Ajv from 'ajv';
import { fileURLToPath } from 'node:url';
import { DidChangeConfigurationNotification } from 'vscode-languageserver-protocol/node';
import { complaintMessage, readEditorSettings } from '../../server/src/lsp/editorSettings';
import { settingsWrongRequest, type SettingsWrongParameters } from '../../protocol/src/requests';
import { defaultEditorSettings } from '../../protocol/src/settings';
import { gpuByName, gpus } from '../../server/src/semantic/gpus';
import { manifest } from '../../tools/manifest';
import { messageOf, modernEditor, short, startEditor, uriOf, type Editor } from './support';

const strided = `__global__ void copy(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * STEP];
}
`.replace('STEP', '16');
const uri = uriOf('copy.cu');

describe('settings', function () {
  this.timeout(30_000);
  let editor: Editor;
  afterEach(() => editor.stop());

  it('switch a rule off and on and weigh it, without a keystroke', async () => {
    editor = await startEditor({ settings: { rules: { 'cuda/uncoalesced-access': 'off' } } });
    editor.open(uri, strided);
    assert.deepEqual(await editor.diagnostics(uri), []);
    editor.configure({ rules: { 'cuda/uncoalesced-access': { severity: 'error' } } });
    await editor.until(
      () => editor.refreshes.includes('workspace/diagnostic/refresh'),
      'diagnostics to be asked for again',
    );
    assert.deepEqual(
      (await editor.diagnostics(uri)).map((each) => each.severity),
      [1],
    );
    editor.configure({ rules: { cuda: { 'uncoalesced-access': { minimumRatio: 30 } } } });
    await editor.until(
      () => editor.refreshes.filter((each) => each === 'workspace/diagnostic/refresh').length > 1,
      'diagnostics to be asked for again',
    );
    assert.deepEqual(await editor.diagnostics(uri), []);
    assert.deepEqual(editor.messages, []);
  });

  it('define macros and name include folders', async () => {
    editor = await startEditor({
      settings: { defines: { STEP: '16' }, includeFolders: ['lib'] },
      files: { '/project/lib/wide.h': '#define WIDE 16\n' },
    });
    editor.open(uri, strided.replace('16', 'STEP'));
    assert.equal((await editor.diagnostics(uri)).length, 1);
    editor.open(uriOf('wide.cu'), `#include "wide.h"\n${strided.replace('16', 'WIDE')}`);
    assert.match(messageOf((await editor.diagnostics(uriOf('wide.cu')))[0]!), /64 bytes/);
  });

  it('wrong ones are named once in one message, and the defaults hold', async () => {
    editor = await startEditor({ settings: { gpu: 'H1000', rules: { 'cuda/uncoalesed-access': 'off' }, debounce: 0 } });
    editor.open(uri, strided);
    assert.equal((await editor.diagnostics(uri)).length, 1);
    assert.equal(editor.messages.length, 1);
    assert.match(editor.messages[0]!, /Unknown GPU "H1000"/);
    assert.match(editor.messages[0]!, /did you mean "cuda\/uncoalesced-access"/);
    editor.configure({ gpu: 'H1000', rules: { 'cuda/uncoalesed-access': 'off' }, codeLens: false });
    await editor.until(() => editor.refreshes.length > 0, 'the settings to be taken');
    assert.equal(editor.messages.length, 1);
  });

  it('include folders that are not there are named once the setting rests, with the setting to open', async () => {
    const wrong: SettingsWrongParameters[] = [];
    editor = await startEditor({
      settings: { includeFolders: ['lib'] },
      files: { '/project/lib/wide.h': '' },
      initializationOptions: { clientCommands: true },
    });
    editor.connection.onRequest(settingsWrongRequest, (each: SettingsWrongParameters) => {
      wrong.push(each);
      return null;
    });
    for (const typed of ['l', 'li', 'lob']) editor.configure({ includeFolders: ['lib', typed] });
    await editor.until(() => wrong.length > 0, 'the folder that is not there');
    editor.configure({ includeFolders: ['lib', 'lob'], gpu: 'A100' });
    await new Promise((resolve) => setTimeout(resolve, 2500));
    assert.deepEqual(wrong, [
      {
        message: `warplens.includeFolders: the folder "lob" was not found in ${fileURLToPath(uriOf('.')).slice(0, -1)}.`,
        settings: ['includeFolders'],
      },
    ]);
    assert.deepEqual(editor.messages, []);
  });

  it('come with the notification or at the start for editors that cannot be asked', async () => {
    editor = await startEditor({
      capabilities: { ...modernEditor, workspace: { ...modernEditor.workspace, configuration: false } },
      initializationOptions: { settings: { debounce: 0, rules: { 'cuda/uncoalesced-access': 'off' } } },
    });
    editor.open(uri, strided);
    assert.deepEqual(await editor.diagnostics(uri), []);
    await editor.connection.sendNotification(DidChangeConfigurationNotification.type, {
      settings: { warplens: { debounce: 0 } },
    });
    await editor.until(
      () => editor.refreshes.includes('workspace/diagnostic/refresh'),
      'diagnostics to be asked for again',
    );
    assert.equal(short(await editor.diagnostics(uri)).length, 1);
  });
});

describe('reading settings', () => {
  it('takes what is right', () => {
    const { settings, complaints } = readEditorSettings({
      gpu: 'A100',
      defines: { N: '4' },
      includeFolders: ['a'],
      debounce: 5,
      inlayHints: false,
      show: 'changed',
      trace: { timings: true, server: 'off' },
      rules: { 'cuda/bank-conflict': 'off' },
    });
    assert.deepEqual(complaints, []);
    assert.deepEqual(
      { ...settings, rules: {} },
      {
        ...defaultEditorSettings,
        gpu: 'A100',
        defines: { N: '4' },
        includeDirs: ['a'],
        debounce: 5,
        inlayHints: false,
        show: 'changed',
        timings: true,
      },
    );
    assert.deepEqual(settings.rules, { 'cuda/bank-conflict': 'off' });
  });

  it('keeps the default for each that is wrong, and says which', () => {
    const wrong = {
      gpu: 7,
      defines: ['N'],
      includeFolders: 'a',
      useCompileCommands: 'yes',
      inlayHints: 1,
      show: 'new',
      codeLens: null,
      debounce: -1,
      indexWorkspace: {},
      rules: [],
      inlayHint: true,
    };
    const { settings, complaints } = readEditorSettings(wrong);
    assert.deepEqual({ ...settings, rules: {} }, defaultEditorSettings);
    const names = 'gpu defines includeFolders useCompileCommands inlayHints show debounce indexWorkspace rules';
    for (const name of names.split(' '))
      assert.ok(
        complaints.some(({ text }) => text.includes(`warplens.${name}`)),
        name,
      );
    assert.ok(complaints.some(({ text }) => text.includes('did you mean "warplens.inlayHints"')));
    assert.match(complaintMessage(complaints) ?? '', /and \d+ more/);
    assert.equal(complaintMessage([]), undefined);
  });

  it('lives with anything', () => {
    for (const input of [undefined, null, 3, 'text', [], { rules: { 'cuda/bank-conflict': 7 } }, { trace: 'verbose' }])
      assert.equal(readEditorSettings(input).settings.debounce, 100);
  });
});

describe('the schema of settings', () => {
  const properties = Object.assign({}, ...manifest.contributes.configuration.map((group) => group.properties));
  // VS Code's own words for its messages are no part of JSON schema.
  const ajv = new Ajv({ strict: false });
  const taken = (key: string, value: unknown): boolean => ajv.validate(properties[`warplens.${key}`]!, value);

  it('takes the GPUs that the server takes', () => {
    const spellings = gpus.flatMap(({ name, computeCapability }) => [
      name,
      name.toLowerCase(),
      `NVIDIA GeForce ${name}`,
      name.replaceAll(' ', ''),
      name.replaceAll(' ', '_'),
      name.replace(/(?<=[A-Z])(?=\d)/, '-'),
      computeCapability.toFixed(1),
      `sm_${computeCapability.toFixed(1).replace('.', '')}`,
      `compute_${computeCapability.toFixed(1).replace('.', '')}`,
    ]);
    for (const name of [...spellings, 'sm_90a', 'SM 90', 'H1000', 'H', 'sm_', 'sm_91', '9', 'RTX', 'nvidia', 'xH100'])
      assert.equal(taken('gpu', name), gpuByName(name) !== undefined, name);
    for (const name of ['auto', '']) assert.ok(taken('gpu', name));
  });

  it('takes macros that the server takes', () => {
    for (const defines of [{}, { N: '4', _a1: '' }, { 'N=4': '' }, { '2N': '4' }, { '-DN': '4' }, { N: 4 }, ['N=4']])
      assert.equal(taken('defines', defines), readEditorSettings({ defines }).complaints.length === 0);
  });

  it('takes a folder, and no flag, wildcard or variable', () => {
    for (const folder of ['include', '/opt/my lib', 'C:\\cuda\\include', '../$x', 'a-I'])
      assert.ok(taken('includeFolders', [folder]), folder);
    for (const folder of ['', ' ', '-Iinclude', 'include/**', '${workspaceFolder}/include', 3])
      assert.ok(!taken('includeFolders', [folder]), String(folder));
  });
});
