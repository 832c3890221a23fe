// A long document that is opened: what is on screen is reported first, and the whole after it.
import assert from 'node:assert/strict';
import { DocumentDiagnosticRequest, type FullDocumentDiagnosticReport } from 'vscode-languageserver-protocol/node';
import { onScreenNotification } from '../../protocol/src/requests';
import { pushedEditor, rangeOf, short, startEditor, uriOf, type Editor } from './support';

const kernels = (count: number): string =>
  Array.from(
    { length: count },
    (_, at) => `__global__ void copy_${at}(const float *in, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  // The work of kernel ${at}, whose lanes read ${at % 7} elements too far apart in each of the iterations below.
  if (i < n) out[i] = in[i * 16];
}
void run_${at}(const float *in, float *out, int n) { copy_${at}<<<n / 256, 256>>>(in, out, n); }
`,
  ).join('');
const text = kernels(200);

describe('a long document', function () {
  this.timeout(40_000);
  let editor: Editor;
  afterEach(() => editor.stop());
  const uri = uriOf('long.cu');

  async function open(options: Parameters<typeof startEditor>[0], word: string, says = true): Promise<void> {
    editor = await startEditor({ initializationOptions: { tellsScreen: true }, ...options });
    editor.open(uri, text);
    const { line } = rangeOf(editor.document(uri), word).start;
    if (says) void editor.connection.sendNotification(onScreenNotification, { uri, first: line - 2, last: line + 4 });
  }

  it('is published twice: the functions on screen, then all', async () => {
    assert.ok(text.length > 60_000);
    await open({ capabilities: pushedEditor }, 'copy_150(const');
    await editor.until(() => editor.publications().length === 2, 'two publications');
    const [first, whole] = editor.publications();
    const { line } = rangeOf(editor.document(uri), 'copy_150(const').start;
    const of = (diagnostics: typeof whole): number[] => diagnostics!.diagnostics.map(({ range }) => range.start.line);
    // The kernel before begins on the first of the lines on screen.
    assert.deepEqual(of(first), [line - 3, line + 3]);
    assert.ok(whole!.diagnostics.length >= 200);
    for (const each of short(first!.diagnostics)) assert.ok(short(whole!.diagnostics).includes(each), each);
  });

  it('is asked for again by editors that pull', async () => {
    await open({}, 'copy_20(const');
    const asked = await editor.connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument: { uri } });
    const first = asked as FullDocumentDiagnosticReport;
    assert.equal(first.items.length, 2);
    await editor.until(() => editor.refreshes.includes('workspace/diagnostic/refresh'), 'a refresh');
    const again = await editor.connection.sendRequest(DocumentDiagnosticRequest.type, {
      textDocument: { uri },
      previousResultId: first.resultId!,
    });
    assert.ok((again as FullDocumentDiagnosticReport).items.length >= 200);
    assert.equal((await editor.diagnostics(uri)).length, (again as FullDocumentDiagnosticReport).items.length);
  });

  it('is read whole at once where nothing says what is on screen', async () => {
    await open({}, 'copy_20(const', false);
    assert.ok((await editor.diagnostics(uri)).length >= 200);
    editor.stop();
    await open({ capabilities: pushedEditor, initializationOptions: {} }, 'copy_20(const');
    assert.ok((await editor.published(uri, 1)).length >= 200);
  });

  it('is read whole where no device function is on screen, and invalid notifications are ignored', async () => {
    await open({ capabilities: pushedEditor }, 'copy_20(const', false);
    for (const said of [
      null,
      {},
      { uri, first: 9, last: 2 },
      { uri, first: 'a', last: 3 },
      { uri: 3, first: 0, last: 1 },
    ])
      void editor.connection.sendNotification(onScreenNotification, said);
    assert.ok((await editor.published(uri, 1)).length >= 200);
    assert.equal(editor.publications().length, 1);
  });

  it('is not cut again when it is typed in', async () => {
    await open({ capabilities: pushedEditor }, 'copy_150(const');
    await editor.until(() => editor.publications().length === 2, 'two publications');
    editor.replace(uri, 0, 0, '\n');
    assert.ok((await editor.published(uri)).length >= 200);
  });
});
