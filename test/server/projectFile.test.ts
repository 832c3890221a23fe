// warplens.json in the editor: it holds as on the command line, is re-read when it changes, and settings win over it.
import assert from 'node:assert/strict';
import { DidChangeWatchedFilesNotification, FileChangeType } from 'vscode-languageserver-protocol/node';
import { startEditor, uriOf, type Editor } from './support';

const strided = `__global__ void copy(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * STEP];
}
`;
const uri = uriOf('copy.cu');
const path = '/project/warplens.json';

describe('project file', function () {
  this.timeout(30_000);
  let editor: Editor;
  afterEach(() => editor.stop());
  const severities = async (): Promise<(number | undefined)[]> =>
    (await editor.diagnostics(uri)).map(({ severity }) => severity);
  async function rewrite(text: string): Promise<void> {
    const refreshes = editor.refreshes.length;
    editor.files.write(path, text);
    void editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: [{ uri: uriOf('warplens.json'), type: FileChangeType.Changed }],
    });
    await editor.until(() => editor.refreshes.length > refreshes, 'diagnostics to be asked for again');
  }

  it('decides, and is read again when it changes', async () => {
    const defines = { STEP: '16' };
    editor = await startEditor({ files: { [path]: JSON.stringify({ defines }) } });
    editor.open(uri, strided);
    assert.equal((await severities()).length, 1);
    await rewrite(JSON.stringify({ defines, severities: { 'cuda/uncoalesced-access': 'error' } }));
    assert.deepEqual(await severities(), [1]);
    await rewrite(JSON.stringify({ defines: { STEP: '1' } }));
    assert.deepEqual(await severities(), []);
    await rewrite(JSON.stringify({ defines, quiet: ['copy.*'] }));
    assert.deepEqual(await severities(), [4]);
    await rewrite(JSON.stringify({ defines, exclude: ['*.cu'] }));
    assert.deepEqual(await severities(), []);
    assert.deepEqual(editor.messages, []);
  });

  it('yields to what the editor sets', async () => {
    editor = await startEditor({
      settings: { defines: { STEP: '16' }, rules: { 'cuda/uncoalesced-access': 'information' } },
      files: {
        [path]: '{ "defines": { "STEP": "1" }, "severities": { "cuda/uncoalesced-access": "error" } }',
      },
    });
    editor.open(uri, strided);
    assert.deepEqual(await severities(), [3]);
  });

  it('is warned of once where it is wrong, by line', async () => {
    editor = await startEditor({ files: { [path]: '{\n "gpus": "A100",\n "defines": { "STEP": "16" } }' } });
    editor.open(uri, strided);
    assert.equal((await severities()).length, 1);
    assert.equal(editor.messages.length, 1);
    assert.match(editor.messages[0]!, /^\/project\/warplens\.json:2: There is no key "gpus"/);
    await rewrite('{ "defines": { "STEP": "1" } }');
    assert.deepEqual(await severities(), []);
    assert.equal(editor.messages.length, 1);
  });
});
