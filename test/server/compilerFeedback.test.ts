// A compiler's log in the language server: on which lines it shows, how it is worded, and that it follows edits.
import assert from 'node:assert/strict';
import type { Hover, InlayHint } from 'vscode-languageserver-protocol/node';
import {
  compilerFeedbackRequest,
  type CompilerFeedbackAnswer,
  type CompilerFeedbackParameters,
} from '../../protocol/src/compilerFeedback';
import { startEditor, uriOf, type Editor } from './support';

const text = `void scale(int n, double *restrict p) {
  #pragma acc parallel loop
  for (int i = 0; i < n; i++) p[i] *= 2.0;
}

double sum(int n, const double *p) {
  double total = 0.0;
  #pragma acc parallel loop gang \\
      reduction(+:total) copyin(p[0:n])
  for (int i = 0; i < n; i++)
    total += p[i];
  return total;
}
`;
const log = `nvc -acc -Minfo=accel -c scale.c
scale:
      2, Generating NVIDIA GPU code
          3, #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */
      2, Generating implicit copy(p[:n]) [if not already present]
sum:
      8, Generating copyin(p[:n]) [if not already present]
         Generating NVIDIA GPU code
         10, #pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */
             Generating reduction(+:total)
`;
const uri = uriOf('scale.c');

describe('compiler feedback in the server', function () {
  this.timeout(30_000);
  let editor: Editor;
  afterEach(() => editor.stop());
  const give = (parameters: CompilerFeedbackParameters): Promise<CompilerFeedbackAnswer> =>
    editor.connection.sendRequest(compilerFeedbackRequest, parameters);
  const hints = async (): Promise<string[]> => {
    const found: InlayHint[] = await editor.connection.sendRequest('textDocument/inlayHint', {
      textDocument: { uri },
      range: { start: { line: 0, character: 0 }, end: { line: 99, character: 0 } },
    });
    return found
      .filter(({ label }) => /^(?:nvc|GCC): /.test(String(label)))
      .map(({ position, label }) => `${position.line + 1}:${position.character} ${String(label)}`);
  };
  const hover = async (line: number, character: number): Promise<string> => {
    const found: Hover | null = await editor.connection.sendRequest('textDocument/hover', {
      textDocument: { uri },
      position: { line: line - 1, character },
    });
    return found ? (found.contents as { value: string }).value : '';
  };

  it('hints are at the loops, and a hover on a directive or a header shows all remarks', async () => {
    editor = await startEditor();
    editor.open(uri, text, 'c');
    assert.deepEqual(await hints(), []);
    assert.deepEqual(await give({ source: 'build.log', text: log }), { remarks: 7, shown: 7 });
    assert.deepEqual(await hints(), ['3:42 nvc: gang, vector(128)', '10:29 nvc: gang, vector(128)']);
    const wanted = [
      '**nvc** remarks here',
      '',
      '- `#pragma acc loop gang, vector(128) /* blockIdx.x threadIdx.x */` (line 3)',
      '- `Generating NVIDIA GPU code` (line 2)',
      '- `Generating implicit copy(p[:n]) [if not already present]` (line 2)',
    ].join('\n');
    assert.ok((await hover(3, 4)).includes(wanted));
    assert.ok((await hover(2, 12)).includes(wanted));
    assert.ok(!(await hover(3, 35)).includes('nvc'), 'not in the body');
    for (const [line, character] of [
      [8, 6],
      [9, 8],
      [10, 3],
    ] as const)
      assert.match(await hover(line, character), /reduction\(\+:total\)/);
  });

  it('they follow edits, and leave a line that changed', async () => {
    editor = await startEditor();
    editor.open(uri, text, 'c');
    await give({ source: 'build.log', text: log });
    await hints();
    editor.replace(uri, 0, 0, '// first\n\n');
    assert.deepEqual(await hints(), ['5:42 nvc: gang, vector(128)', '12:29 nvc: gang, vector(128)']);
    const at = editor.document(uri).getText().indexOf('p[i] *=');
    editor.replace(uri, at, at + 4, 'p[2 * i]');
    assert.deepEqual(await hints(), ['12:29 nvc: gang, vector(128)']);
  });

  it('a later log of the same name replaces the first; two names coexist; null removes', async () => {
    editor = await startEditor();
    editor.open(uri, text, 'c');
    await give({ source: 'build.log', text: log });
    await give({ source: 'gcc.log', text: 'scale.c:2:11: optimized: assigned OpenACC gang vector loop parallelism\n' });
    assert.deepEqual(await hints(), [
      '2:27 GCC: gang vector',
      '3:42 nvc: gang, vector(128)',
      '10:29 nvc: gang, vector(128)',
    ]);
    assert.match(
      await hover(3, 3),
      /\*\*nvc\*\* remarks[\s\S]*\*\*GCC\*\* remarks|\*\*GCC\*\* remarks[\s\S]*\*\*nvc\*\* remarks/,
    );
    await give({ source: 'build.log', text: log.replaceAll('vector(128)', 'vector(32)') });
    assert.deepEqual(await hints(), [
      '2:27 GCC: gang vector',
      '3:42 nvc: gang, vector(32)',
      '10:29 nvc: gang, vector(32)',
    ]);
    await give({ source: 'build.log', text: null });
    assert.deepEqual(await hints(), ['2:27 GCC: gang vector']);
  });

  it('a file is read by its URI, and an empty one is reported in a sentence', async () => {
    editor = await startEditor({ files: { '/project/build.log': log, '/project/empty.log': 'gcc -c scale.c\n' } });
    editor.open(uri, text, 'c');
    assert.equal((await give({ source: uriOf('build.log') })).shown, 7);
    assert.match((await give({ source: uriOf('empty.log') })).problem ?? '', /-Minfo=accel .* -fopt-info-omp/);
    assert.match(
      (await give({ source: uriOf('none.log') })).problem ?? '',
      /^\/project\/none\.log is not a readable build log/,
    );
    assert.equal((await give({ source: 5 } as unknown as CompilerFeedbackParameters)).remarks, 0);
  });

  it('hints have a separate setting', async () => {
    editor = await startEditor({ settings: { compilerFeedback: { inlayHints: false } } });
    editor.open(uri, text, 'c');
    await give({ source: 'build.log', text: log });
    assert.deepEqual(await hints(), []);
    assert.match(await hover(3, 3), /vector\(128\)/);
    assert.deepEqual(editor.messages, []);
  });

  it('speaks to the folder that it is given for', async () => {
    editor = await startEditor();
    editor.open(uri, text, 'c');
    await give({ source: 'build.log', text: log, folder: 'file:///elsewhere' });
    assert.deepEqual(await hints(), []);
    await give({ source: 'build.log', text: log, folder: uriOf('') });
    assert.equal((await hints()).length, 2);
  });
});
