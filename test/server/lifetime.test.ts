// What a server lives through: a search that is seen and stopped, folders that come and go, a disk that fails.
import assert from 'node:assert/strict';
import {
  DidChangeWorkspaceFoldersNotification,
  HoverRequest,
  WorkDoneProgressCancelNotification,
} from 'vscode-languageserver-protocol/node';
import type { FileSystem } from '../../server/src/workspace/fileSystem';
import { filesInMemory, startEditor, uriOf, type Editor } from './support';

const strided = '__global__ void k(const float *in, float *out) { out[threadIdx.x] = in[threadIdx.x * 16]; }\n';

describe('the server', function () {
  this.timeout(60_000);
  let editor: Editor;
  afterEach(() => editor.stop());

  it('shows a long search for launches, and stops it when the user does', async () => {
    const files: Record<string, string> = {};
    for (let i = 0; i < 3000; i++) files[`/project/part${i}.cu`] = strided;
    const disk = filesInMemory(files);
    const slow: FileSystem = {
      ...disk,
      read(path) {
        const until = performance.now() + 3;
        while (performance.now() < until) {
          /* a slow disk */
        }
        return disk.read(path);
      },
    };
    editor = await startEditor({ fileSystem: slow });
    const steps: string[] = [];
    let token: string | number | undefined;
    editor.connection.onNotification('$/progress', (params: { token: string | number; value: { kind: string } }) => {
      steps.push(params.value.kind);
      if (token === undefined) {
        token = params.token;
        void editor.connection.sendNotification(WorkDoneProgressCancelNotification.type, { token });
      }
    });
    await editor.until(() => editor.logs.some((line) => line.includes('the search was stopped')), 'the search to stop');
    await editor.until(() => steps.at(-1) === 'end', 'the progress to end');
    assert.equal(steps[0], 'begin');
    editor.open(uriOf('k.cu'), strided);
    assert.equal((await editor.diagnostics(uriOf('k.cu'))).length, 1);
  });

  it("takes a folder's settings and includes from the time it is opened", async () => {
    editor = await startEditor({
      files: { '/second/src/k.cu': '', '/second/lib/step.h': '#define STEP 16\n' },
      settings: { includeFolders: ['lib'] },
    });
    const uri = uriOf('/second/src/k.cu');
    editor.open(uri, `#include "step.h"\n${strided.replace('16', 'STEP')}`);
    const before = (await editor.diagnostics(uri)).length;
    await editor.connection.sendNotification(DidChangeWorkspaceFoldersNotification.type, {
      event: { added: [{ uri: uriOf('/second'), name: 'second' }], removed: [] },
    });
    await editor.until(
      () => editor.refreshes.includes('workspace/diagnostic/refresh'),
      'diagnostics to be asked for again',
    );
    const after = await editor.diagnostics(uri);
    assert.match(String(after[0]?.message), /64 bytes/);
    await editor.connection.sendNotification(DidChangeWorkspaceFoldersNotification.type, {
      event: { added: [], removed: [{ uri: uriOf('/second'), name: 'second' }] },
    });
    await editor.until(
      () => editor.refreshes.filter((each) => each === 'workspace/diagnostic/refresh').length > 1,
      'diagnostics to be asked for again',
    );
    assert.equal((await editor.diagnostics(uri)).length, before);
  });

  it('lives when the disk fails, and says where it stopped', async () => {
    const failing: FileSystem = {
      read() {
        throw new Error('the disk is gone');
      },
      list() {
        throw new Error('the disk is gone');
      },
      version() {
        throw new Error('the disk is gone');
      },
    };
    editor = await startEditor({ fileSystem: failing });
    const uri = uriOf('k.cuh');
    editor.open(uri, strided);
    const [finding, ...others] = await editor.diagnostics(uri);
    assert.deepEqual(others, []);
    assert.equal(finding?.code, 'warplens/not-read');
    assert.ok(editor.logs.some((line) => line.includes('the disk is gone')));
    assert.equal(
      await editor.connection.sendRequest(HoverRequest.type, {
        textDocument: { uri },
        position: { line: 0, character: 60 },
      }),
      null,
    );
  });

  it('answers for documents that were not opened', async () => {
    editor = await startEditor();
    assert.deepEqual(await editor.diagnostics(uriOf('closed.cu')), []);
    assert.equal(
      await editor.connection.sendRequest(HoverRequest.type, {
        textDocument: { uri: uriOf('closed.cu') },
        position: { line: 0, character: 0 },
      }),
      null,
    );
    for (const method of ['textDocument/codeLens', 'textDocument/codeAction', 'textDocument/inlayHint']) {
      const range = { start: { line: 0, character: 0 }, end: { line: 9, character: 0 } };
      assert.deepEqual(
        await editor.connection.sendRequest(method, {
          textDocument: { uri: uriOf('closed.cu') },
          range,
          context: { diagnostics: [] },
        }),
        [],
      );
    }
  });

  it('does not choke on requests with odd contents', async () => {
    editor = await startEditor();
    const uri = uriOf('k.cu');
    editor.open(uri, strided);
    const odd = { start: { line: 10, character: 99 }, end: { line: 3, character: -1 } };
    assert.deepEqual(
      await editor.connection.sendRequest('textDocument/inlayHint', { textDocument: { uri }, range: odd }),
      [],
    );
    assert.ok(
      Array.isArray(
        await editor.connection.sendRequest('textDocument/codeAction', {
          textDocument: { uri },
          range: odd,
          context: { diagnostics: [] },
        }),
      ),
    );
    assert.deepEqual(
      await editor.connection
        .sendRequest('codeAction/resolve', { title: 'x', data: { uri, kind: 'fix' } })
        .catch((error: Error) => error.message),
      'The findings have changed; request the fixes again.',
    );
    assert.equal(
      await editor.connection.sendRequest('warplens/model', {}).then(
        (answer) => answer,
        (error: Error) => error.message,
      ),
      null,
    );
    assert.equal((await editor.diagnostics(uri)).length, 1);
  });
});
