// Files beyond the one on screen: launches of a header's kernels, includes, compile_commands.json, and changes on disk.
import assert from 'node:assert/strict';
import {
  CodeLensRequest,
  DidChangeWatchedFilesNotification,
  FileChangeType,
} from 'vscode-languageserver-protocol/node';
import { messageOf, pushedEditor, short, startEditor, uriOf, type Editor } from './support';

const header = `#pragma once
template <typename T> __global__ void spread(const T *in, T *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i * 4];
}
`;
const launching = `#include "../include/spread.cuh"
void run(const float *in, float *out, int n) { spread<float><<<n / 64, 64>>>(in, out, n); }
`;
const uri = uriOf('include/spread.cuh');

describe('the workspace', function () {
  this.timeout(30_000);
  let editor: Editor;
  afterEach(() => editor.stop());

  async function lens(of = uri): Promise<string | undefined> {
    return (await editor.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri: of } }))?.[0]?.command
      ?.title;
  }
  async function lensBecomes(pattern: RegExp, of = uri): Promise<void> {
    let title: string | undefined;
    for (let attempt = 0; attempt < 100; attempt++) {
      title = await lens(of);
      if (pattern.test(title ?? '')) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    assert.match(title ?? '', pattern);
  }

  it("finds the launches of a header's kernel in other files, and tells the editor to ask again", async () => {
    editor = await startEditor({
      files: {
        '/project/deep/down/main.cu': launching.replace('../include', '../../include'),
        '/project/include/spread.cuh': header,
      },
    });
    editor.open(uri, header);
    await lensBecomes(/^block 64 · 1 slow access$/);
    const [finding] = await editor.diagnostics(uri);
    assert.doesNotMatch(messageOf(finding!), /assumes a block/);
    await editor.until(
      () => editor.refreshes.includes('workspace/diagnostic/refresh'),
      'diagnostics to be asked for again',
    );
  });

  it('publishes again when a launch is found, to editors that do not pull', async () => {
    editor = await startEditor({
      capabilities: pushedEditor,
      files: {
        '/project/far/away/main.cu': launching.replace('../include', '../../include'),
        '/project/include/spread.cuh': header,
      },
    });
    editor.open(uri, header);
    await editor.until(
      () =>
        editor
          .publications()
          .some(
            (each) =>
              each.uri === uri && each.diagnostics.some((finding) => !/assumes a block/.test(messageOf(finding))),
          ),
      'the finding to be sure of its block',
    );
  });

  it('does not take launches of another kernel of the same name', async () => {
    editor = await startEditor({
      files: {
        '/project/other/main.cu': '#include "spread.cuh"\nvoid run(float *a) { spread<<<1, 32>>>(a); }\n',
        '/project/other/spread.cuh': '__global__ void spread(float *a) { a[0] = 1; }\n',
        '/project/include/spread.cuh': header,
      },
    });
    editor.open(uri, header);
    assert.match((await lens()) ?? '', /block size unknown, assuming/);
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.match((await lens()) ?? '', /block size unknown, assuming/);
  });

  it('follows the launching file as it is typed, opened and closed', async () => {
    editor = await startEditor({ files: { '/project/src/main.cu': launching, '/project/include/spread.cuh': header } });
    editor.open(uri, header);
    await lensBecomes(/^block 64 /);
    const main = uriOf('src/main.cu');
    editor.open(main, launching);
    await editor.diagnostics(main);
    editor.change(main, { text: launching.replaceAll('64', '128') });
    await lensBecomes(/^block 128 /);
    editor.close(main);
    await lensBecomes(/^block 64 /);
  });

  it('follows files that change, come and go on disk', async () => {
    editor = await startEditor({ files: { '/project/include/spread.cuh': header } });
    await editor.until(() => editor.registrations.includes('workspace/didChangeWatchedFiles'), 'files to be watched');
    editor.open(uri, header);
    assert.match((await lens()) ?? '', /block size unknown, assuming/);
    const main = uriOf('src/main.cu');
    const tell = (type: FileChangeType) =>
      void editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
        changes: [{ uri: main, type }],
      });
    editor.files.write('/project/src/main.cu', launching);
    tell(FileChangeType.Created);
    await lensBecomes(/^block 64 /);
    editor.files.write('/project/src/main.cu', launching.replaceAll('64', '96'));
    tell(FileChangeType.Changed);
    await lensBecomes(/^block 96 /);
    editor.files.remove('/project/src/main.cu');
    tell(FileChangeType.Deleted);
    await lensBecomes(/block size unknown, assuming/);
  });

  it('does not search the workspace if that is disabled', async () => {
    editor = await startEditor({
      settings: { indexWorkspace: false },
      files: { '/project/deep/main.cu': launching, '/project/include/spread.cuh': header },
    });
    await editor.until(() => editor.registrations.length > 0, 'the server to settle');
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(editor.files.reads(), 0);
  });

  it('reads no file while somebody types', async () => {
    const files: Record<string, string> = { '/project/include/spread.cuh': header, '/project/src/main.cu': launching };
    for (let i = 0; i < 200; i++)
      files[`/project/src/part${i}.cu`] = launching.replaceAll('64', String(32 * ((i % 8) + 1)));
    editor = await startEditor({ capabilities: pushedEditor, files });
    editor.open(uri, header);
    await editor.until(() => editor.logs.some((line) => /files launch kernels/.test(line)), 'the search to end');
    await lensBecomes(/^blocks .* and \d+ more/);
    await new Promise((resolve) => setTimeout(resolve, 800));
    const before = editor.files.reads();
    for (let i = 0; i < 20; i++) {
      editor.replace(uri, header.length - 3, header.length - 3, ' ');
      await editor.published(uri);
    }
    assert.ok(editor.files.reads() - before <= 5, `${editor.files.reads() - before} reads for 20 keystrokes`);
  });

  it('sees the text of a header in the editor, from the files that include it', async () => {
    const dims = 'constexpr int STEP = 16;\n';
    const kernel =
      '#include "dims.cuh"\n__global__ void k(const float *in, float *out) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = in[i * STEP];\n}\n';
    editor = await startEditor({ files: { '/project/dims.cuh': dims } });
    editor.open(uriOf('k.cu'), kernel);
    assert.match(messageOf((await editor.diagnostics(uriOf('k.cu')))[0]!), /64 bytes/);
    editor.open(uriOf('dims.cuh'), dims);
    await editor.diagnostics(uriOf('dims.cuh'));
    editor.change(uriOf('dims.cuh'), { text: dims.replace('16', '1') });
    for (let attempt = 0; attempt < 60 && (await editor.diagnostics(uriOf('k.cu'))).length > 0; attempt++)
      await new Promise((resolve) => setTimeout(resolve, 50));
    assert.deepEqual(short(await editor.diagnostics(uriOf('k.cu'))), []);
    // A pull may be answered before the word that it is time to pull again arrives.
    await editor.until(
      () => editor.refreshes.includes('workspace/diagnostic/refresh'),
      'diagnostics to be asked for again',
    );
  });

  it('takes macros and the architecture from compile_commands.json, also when it is written later', async () => {
    editor = await startEditor({ files: { '/project/src/other.cu': '' } });
    await editor.until(() => editor.registrations.includes('workspace/didChangeWatchedFiles'), 'files to be watched');
    const k = uriOf('src/k.cu');
    editor.open(
      k,
      '__global__ void k(const float *in, float *out) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n#ifdef STEP\n  out[i] = in[i * STEP];\n#endif\n}\n',
    );
    assert.deepEqual(await editor.diagnostics(k), []);
    editor.files.write(
      '/project/build/compile_commands.json',
      JSON.stringify([{ file: 'src/k.cu', directory: '/project', command: 'nvcc -arch=sm_80 -DSTEP=16 -c src/k.cu' }]),
    );
    void editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: [{ uri: uriOf('build/compile_commands.json'), type: FileChangeType.Created }],
    });
    await editor.until(
      () => editor.refreshes.includes('workspace/diagnostic/refresh'),
      'diagnostics to be asked for again',
    );
    assert.match(messageOf((await editor.diagnostics(k))[0]!), /64 bytes/);
    assert.match(
      ((await editor.connection.sendRequest('warplens/model', { uri: k })) as { text: string }).text,
      /^Figures for A100/,
    );
  });

  it('takes macros from a Makefile beside the file, and follows it', async () => {
    editor = await startEditor({ files: { '/project/src/Makefile': 'NVCCFLAGS = -O3 -DSTEP=16\n' } });
    const k = uriOf('src/k.cu');
    editor.open(
      k,
      '__global__ void k(const float *in, float *out) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = in[i * STEP];\n}\n',
    );
    assert.match(messageOf((await editor.diagnostics(k))[0]!), /64 bytes/);
    editor.files.write('/project/src/Makefile', 'NVCCFLAGS = -O3 -DSTEP=1\n');
    void editor.connection.sendNotification(DidChangeWatchedFilesNotification.type, {
      changes: [{ uri: uriOf('src/Makefile'), type: FileChangeType.Changed }],
    });
    await editor.until(
      () => editor.refreshes.includes('workspace/diagnostic/refresh'),
      'diagnostics to be asked for again',
    );
    assert.deepEqual(short(await editor.diagnostics(k)), []);
  });
});
