// Diagnostics by pull and by push: what they carry, when they are made again, and what is not read at all.
import assert from 'node:assert/strict';
import {
  DiagnosticSeverity,
  DiagnosticTag,
  DocumentDiagnosticRequest,
  CancellationTokenSource,
  type Diagnostic,
  type DocumentDiagnosticReport,
} from 'vscode-languageserver-protocol/node';
import {
  columnKernel,
  messageOf,
  modernEditor,
  pushedEditor,
  rangeOf,
  short,
  startEditor,
  uriOf,
  type Editor,
} from './support';

const column = columnKernel('turn');
const straight = `__global__ void copy(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}
`;
const strided = straight.replace('in[i]', 'in[i * 16]');

describe('diagnostics', function () {
  this.timeout(20_000);
  let editor: Editor;
  afterEach(() => editor.stop());

  it('are pulled, with a place, a rule, a link and a severity', async () => {
    editor = await startEditor();
    const uri = uriOf('turn.cu');
    editor.open(uri, column);
    const [finding, ...others] = await editor.diagnostics(uri);
    assert.deepEqual(others, []);
    assert.equal(finding?.code, 'cuda/bank-conflict');
    assert.equal(finding.source, 'warplens');
    assert.equal(finding.severity, DiagnosticSeverity.Warning);
    assert.match(finding.codeDescription?.href ?? '', /docs\/rules\/cuda\/bank-conflict\.md$/);
    assert.deepEqual(finding.range, rangeOf(editor.document(uri), 'tile[threadIdx.x][threadIdx.y]'));
    assert.match(messageOf(finding), /tile/);
  });

  it('name each header that was not found, once, with what helps', async () => {
    editor = await startEditor();
    const uri = uriOf('without.cu');
    editor.open(uri, `#include <cuda_runtime.h>\n#include "gone/away.h"\n#include "gone/away.h"\n${straight}`);
    const notes = (await editor.diagnostics(uri)).filter(({ code }) => code === 'warplens/note');
    assert.deepEqual(
      notes.map(({ range, severity }) => [range.start.line, severity]),
      [[1, DiagnosticSeverity.Information]],
    );
    assert.match(messageOf(notes[0]!), /"gone\/away\.h" was not found; .* -I \(warplens\.includeFolders/);
  });

  it('name several headers that were not found in one note', async () => {
    editor = await startEditor();
    const uri = uriOf('many.cu');
    editor.open(uri, `${['a', 'b', 'c', 'd', 'e', 'f'].map((name) => `#include "${name}.h"\n`).join('')}${straight}`);
    const notes = (await editor.diagnostics(uri)).filter(({ code }) => code === 'warplens/note');
    assert.deepEqual(
      notes.map(({ range }) => range.start.line),
      [0],
    );
    assert.match(
      messageOf(notes[0]!),
      /^"a\.h" was not found; .* Also missing: "b\.h", "c\.h", "d\.h" and 2 more\. Add /,
    );
  });

  it('carry the trail to the cause as related information', async () => {
    editor = await startEditor();
    const uri = uriOf('trail.cu');
    editor.open(
      uri,
      `__global__ void k(const float *a, float *b, int n, int m) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  int base = row * 64;
  float s = 0;
  for (int j = 0; j < 64; j++) s += a[base + j];
  b[row] = s;
}
`,
    );
    const [finding] = await editor.diagnostics(uri);
    assert.equal(finding?.code, 'cuda/uncoalesced-access');
    const related = finding.relatedInformation ?? [];
    assert.ok(
      related.some((each) => each.location.uri === uri && each.location.range.start.line === 2),
      JSON.stringify(related),
    );
  });

  it('say unchanged while nothing changed, and are full again after a keystroke', async () => {
    editor = await startEditor();
    const uri = uriOf('turn.cu');
    editor.open(uri, column);
    const pull = (previousResultId?: string): Promise<DocumentDiagnosticReport> =>
      editor.connection.sendRequest(DocumentDiagnosticRequest.type, {
        textDocument: { uri },
        ...(previousResultId === undefined ? {} : { previousResultId }),
      });
    const first = await pull();
    assert.equal(first.kind, 'full');
    const second = await pull(first.resultId);
    assert.equal(second.kind, 'unchanged');
    const { start } = rangeOf(editor.document(uri), 'tile[32][32]');
    editor.change(uri, {
      range: {
        start: { line: start.line, character: start.character + 9 },
        end: { line: start.line, character: start.character + 11 },
      },
      text: '33',
    });
    const third = await pull(first.resultId);
    assert.ok(third.kind === 'full');
    assert.deepEqual(short(third.items), []);
  });

  it('are published to editors that do not pull, with the version', async () => {
    editor = await startEditor({ capabilities: pushedEditor });
    const uri = uriOf('copy.cu');
    editor.open(uri, strided);
    assert.deepEqual(
      (await editor.published(uri)).map((each) => each.code),
      ['cuda/uncoalesced-access'],
    );
    editor.replace(uri, strided.indexOf(' * 16'), strided.indexOf(' * 16') + 5, '');
    assert.deepEqual(await editor.published(uri), []);
    editor.replace(uri, straight.indexOf('in[i]') + 4, straight.indexOf('in[i]') + 4, ' * 16');
    assert.equal((await editor.published(uri)).length, 1);
    editor.close(uri);
    await editor.until(
      () => editor.publications().findLast((each) => each.uri === uri)?.diagnostics.length === 0,
      'the closed file to be cleared',
    );
  });

  it('drop the work on versions that were typed over', async () => {
    editor = await startEditor({ capabilities: pushedEditor, settings: { debounce: 60, trace: { timings: true } } });
    const uri = uriOf('copy.cu');
    editor.open(uri, straight);
    await editor.published(uri);
    for (let typed = 0; typed < 30; typed++) editor.replace(uri, 0, 0, '/');
    await editor.published(uri);
    const read = editor.logs
      .filter((line) => line.includes('copy.cu version'))
      .map((line) => Number(/version (\d+)/.exec(line)![1]));
    assert.deepEqual(read, [1, 31]);
  });

  it('answer a cancelled pull with its cancellation and read nothing for it', async () => {
    editor = await startEditor({ settings: { debounce: 300, trace: { timings: true } } });
    const uri = uriOf('copy.cu');
    editor.open(uri, straight);
    await editor.diagnostics(uri);
    editor.replace(uri, 0, 0, ' ');
    const source = new CancellationTokenSource();
    const answer = editor.connection.sendRequest(
      DocumentDiagnosticRequest.type,
      { textDocument: { uri } },
      source.token,
    );
    source.cancel();
    await assert.rejects(answer, /cancel/i);
    assert.ok(!editor.logs.some((line) => line.includes('version 2')), editor.logs.join('\n'));
  });

  it('mark an unused suppression as unnecessary', async () => {
    editor = await startEditor();
    const uri = uriOf('copy.cu');
    editor.open(uri, `// warplens-ignore-file cuda/bank-conflict: nothing here\n${straight}`);
    const [finding] = await editor.diagnostics(uri);
    assert.equal(finding?.code, 'warplens/unused-suppression');
    assert.deepEqual(finding.tags, [DiagnosticTag.Unnecessary]);
  });

  it('count columns in UTF-16 units, through carriage returns and a byte order mark', async () => {
    editor = await startEditor();
    const uri = uriOf('signs.cu');
    const text = `\ufeff// 𝔸𝔹 ünder\r\n${strided.replace('out[i] =', '/* 𝔸 */ out[i] =').replace(/\n/g, '\r\n')}`;
    editor.open(uri, text);
    const [finding] = await editor.diagnostics(uri);
    assert.deepEqual(finding?.range, rangeOf(editor.document(uri), 'in[i * 16]'));
  });

  it('are made for headers and C++ with device code, and not for other C++', async () => {
    editor = await startEditor();
    const wanted: [string, string, string, number][] = [
      ['kernel.cuh', 'cuda-cpp', strided, 1],
      ['kernel.h', 'cpp', strided, 1],
      ['kernel.hpp', 'cpp', strided, 1],
      ['kernel.txt', 'cuda', strided, 1],
      ['plain.cpp', 'cpp', 'int main() { int in[4]; return in[3 * 16]; }', 0],
      ['notes.md', 'markdown', strided, 0],
    ];
    for (const [name, language, text, findings] of wanted) {
      editor.open(uriOf(name), text, language);
      assert.equal((await editor.diagnostics(uriOf(name))).length, findings, name);
    }
  });

  it('come for a document that was never saved', async () => {
    editor = await startEditor();
    const uri = 'untitled:Untitled-1';
    editor.open(uri, strided);
    assert.equal((await editor.diagnostics(uri)).length, 1);
  });

  it('survive editors that can do nothing', async () => {
    editor = await startEditor({ capabilities: {} });
    const uri = uriOf('turn.cu');
    editor.open(uri, column);
    const [finding] = await editor.published(uri);
    assert.equal(finding?.code, 'cuda/bank-conflict');
    assert.equal(finding.relatedInformation, undefined);
    assert.equal(finding.codeDescription, undefined);
    assert.equal(editor.result.capabilities.diagnosticProvider, undefined);
  });
});

describe('unreadable files', function () {
  this.timeout(60_000);
  const contents: Record<string, { text: string; says?: RegExp }> = {
    'a file of 5 MB': { text: `${strided}\n`.repeat(Math.ceil((5 * 1024 * 1024) / strided.length)), says: /too large/ },
    'a line of half a MB': { text: `// ${'x'.repeat(512 * 1024)}\n${strided}` },
    'binary data': { text: `\u007fELF\0\0\0${'\u0001\ufffd\0'.repeat(5000)}__global__`, says: /binary/ },
    nothing: { text: '' },
    'half a surrogate': { text: `// \ud835\n${strided.replace('float *in', 'float *in\udd38')}` },
    'brackets a thousand deep': {
      text: `__global__ void k(float *a) { a[${'('.repeat(1000)}threadIdx.x${')'.repeat(1000)}] = 0; }\n`,
    },
    'blocks a thousand deep': {
      text: `__global__ void k(float *a) { ${'{ if (a[0] > 0) '.repeat(1000)} a[1] = 0; ${'}'.repeat(1000)} }\n`,
    },
    'open brackets only': { text: `__global__ void k(float *a) { a${'['.repeat(20_000)}` },
    'a quarter of a macro': { text: '#define K(a) __global__ void a(float *x) { x[threadIdx.x * \\\n' },
    'a macro that calls itself a million times': {
      text: `#define A B B B B B B B B\n#define B C C C C C C C C\n#define C D D D D D D D D\n#define D E E E E E E E E\n#define E F F F F F F F F\n#define F G G G G G G G G\n#define G 1 +\n__global__ void k(int *a) { a[0] = A 1; }\n`,
      says: /macros expand to more than Warplens follows/,
    },
  };
  for (const [name, { text, says }] of Object.entries(contents)) {
    for (const [way, capabilities] of [
      ['pulled', modernEditor],
      ['pushed', pushedEditor],
    ] as const) {
      it(`${name}: an answer or a clear message, ${way}, and the server lives`, async () => {
        const editor = await startEditor({ capabilities });
        const answers = (uri: string): Promise<Diagnostic[]> =>
          way === 'pulled' ? editor.diagnostics(uri) : editor.published(uri);
        try {
          const uri = uriOf('strange.cu');
          editor.open(uri, text);
          const diagnostics = await answers(uri);
          if (says) {
            assert.equal(diagnostics.length, 1);
            assert.match(messageOf(diagnostics[0]!), says);
            assert.equal(diagnostics[0]!.range.start.line, 0);
          } else
            assert.ok(!diagnostics.some((each) => each.code === 'warplens/not-read'), JSON.stringify(diagnostics[0]));
          editor.replace(uri, 0, 0, '\n');
          await answers(uri);
          editor.open(uriOf('sound.cu'), strided);
          assert.equal((await answers(uriOf('sound.cu'))).length, 1);
          assert.deepEqual(
            editor.logs.filter((line) => / failed: |stopped on/.test(line)),
            [],
          );
        } finally {
          editor.stop();
        }
      });
    }
  }
});
