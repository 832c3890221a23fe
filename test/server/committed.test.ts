// Findings that the last commit has, too, are hints where the user wants to see only what changed.
import assert from 'node:assert/strict';
import {
  DiagnosticSeverity,
  DocumentDiagnosticRequest,
  type FullDocumentDiagnosticReport,
} from 'vscode-languageserver-protocol/node';
import { committedRequest, type CommittedAnswer, type CommittedParameters } from '../../protocol/src/requests';
import { pushedEditor, startEditor, uriOf, type Editor, type EditorOptions } from './support';

const strided = (name: string, stride = '33'): string =>
  `__global__ void ${name}(float *a) {\n  a[${stride} * threadIdx.x] = 1;\n}\n`;
const uri = uriOf('a.cu');

describe('findings of the last commit', function () {
  this.timeout(30_000);
  let editor: Editor;
  let asked: CommittedParameters[];
  let commit: { id: string; text: string } | undefined;
  afterEach(() => editor.stop());

  /** An editor whose last commit of the document is `commit`. */
  async function start(options: EditorOptions = {}): Promise<void> {
    asked = [];
    editor = await startEditor({
      initializationOptions: { answersCommitted: true },
      ...options,
      settings: { show: 'changed', ...options.settings },
    });
    editor.connection.onRequest(committedRequest, (parameters: CommittedParameters): CommittedAnswer | null => {
      asked.push(parameters);
      if (!commit) return null;
      return parameters.known === commit.id ? { commit: commit.id } : { commit: commit.id, text: commit.text };
    });
  }
  /** Line from 0 and severity of each. */
  const shown = async (): Promise<string[]> =>
    (await editor.diagnostics(uri)).map(
      ({ range, severity }) => `${range.start.line} ${severity === DiagnosticSeverity.Hint ? 'hint' : severity}`,
    );

  it('are hints; new ones keep their severity, wherever they stand', async () => {
    commit = { id: 'one', text: strided('old') };
    await start();
    editor.open(uri, `// A line.\n${strided('added')}${strided('old')}`);
    assert.deepEqual(await shown(), [`2 ${DiagnosticSeverity.Warning}`, '5 hint']);
  });

  it('are shown where they became more severe', async () => {
    const gather =
      '__global__ void k(const float *a, const int *at, float *b) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  b[i] = a[at[i]];\n}\n';
    commit = { id: 'one', text: gather };
    await start();
    editor.open(uri, gather);
    assert.deepEqual(await shown(), ['2 hint']);
    editor.change(uri, { text: `// warplens: hot\n${gather}` });
    assert.deepEqual(await shown(), [`3 ${DiagnosticSeverity.Warning}`]);
  });

  it('are compared with the next commit as soon as there is one, and read once for each', async () => {
    commit = { id: 'one', text: strided('k', '1') };
    await start();
    editor.open(uri, strided('k'));
    const first = (await editor.connection.sendRequest(DocumentDiagnosticRequest.type, {
      textDocument: { uri },
    })) as FullDocumentDiagnosticReport;
    assert.deepEqual(await shown(), [`1 ${DiagnosticSeverity.Warning}`]);
    commit = { id: 'two', text: strided('k') };
    const second = await editor.connection.sendRequest(DocumentDiagnosticRequest.type, {
      textDocument: { uri },
      previousResultId: first.resultId!,
    });
    assert.equal(second.kind, 'full');
    assert.deepEqual(await shown(), ['1 hint']);
    assert.deepEqual(
      asked.map(({ known }) => known),
      [undefined, 'one', 'one', 'two'],
    );
  });

  it('keep their severity where no commit has the file, the setting shows all, or the editor has no answer', async () => {
    for (const options of [{}, { settings: { show: 'all' } }, { initializationOptions: {} }]) {
      commit = Object.keys(options).length === 0 ? undefined : { id: 'one', text: strided('k') };
      await start(options);
      editor.open(uri, strided('k'));
      assert.deepEqual(await shown(), [`1 ${DiagnosticSeverity.Warning}`]);
      assert.equal(asked.length, Object.keys(options).length === 0 ? 1 : 0);
      editor.stop();
    }
  });

  it('are hints where they are published, and change with the setting', async () => {
    commit = { id: 'one', text: strided('k') };
    await start({ capabilities: pushedEditor });
    editor.open(uri, strided('k'));
    assert.deepEqual(
      (await editor.published(uri)).map(({ severity }) => severity),
      [DiagnosticSeverity.Hint],
    );
    editor.forgetPublications();
    editor.configure({ show: 'all' });
    assert.deepEqual(
      (await editor.published(uri)).map(({ severity }) => severity),
      [DiagnosticSeverity.Warning],
    );
  });
});
