// Hover, inlay hints, code lenses, completion and the model request, on the text of real kernels.
import assert from 'node:assert/strict';
import {
  CodeLensRequest,
  CompletionRequest,
  DocumentDiagnosticRequest,
  HoverRequest,
  InlayHintRequest,
  type CompletionItem,
  type InlayHint,
  type MarkupContent,
  type TextEdit,
} from 'vscode-languageserver-protocol/node';
import {
  findingsRequest,
  kernelsRequest,
  parametersRequest,
  type FindingsAnswer,
  type KernelsAnswer,
  type ParametersAnswer,
} from '../../protocol/src/requests';
import { registry } from '../../server/src/rules/registry';
import { modernEditor, rangeOf, startEditor, uriOf, type Editor } from './support';

const text = `__global__ void turn(const float *in, float *out, int n) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x;
  int y = blockIdx.y * 32 + threadIdx.y;
  if (x < n && y < n) tile[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  float v = tile[threadIdx.x][threadIdx.y];
  if (threadIdx.x % 2 == 0) v *= 2;
  out[y * n + x] = v;
}
__global__ void alone(float *out) { out[threadIdx.x] = 1; }
void run(const float *in, float *out, int n) { turn<<<dim3(n / 32, n / 32), dim3(32, 32)>>>(in, out, n); }
`;
const uri = uriOf('turn.cu');

describe('requests', function () {
  this.timeout(30_000);
  let editor: Editor;
  afterEach(() => editor.stop());

  async function open(source: string, choices?: Parameters<typeof startEditor>[0]): Promise<void> {
    editor = await startEditor(choices);
    editor.open(uri, source);
  }

  function refreshed(view: string): Promise<unknown> {
    return editor.until(() => editor.refreshes.includes(`workspace/${view}/refresh`), `${view} to be refreshed`);
  }

  async function hintsIn(from: number, to: number): Promise<readonly InlayHint[]> {
    const range = { start: { line: from, character: 0 }, end: { line: to, character: 0 } };
    return (await editor.connection.sendRequest(InlayHintRequest.type, { textDocument: { uri }, range })) ?? [];
  }

  async function hover(piece: string): Promise<string | undefined> {
    const answer = await editor.connection.sendRequest(HoverRequest.type, {
      textDocument: { uri },
      position: rangeOf(editor.document(uri), piece).start,
    });
    return (answer?.contents as MarkupContent | undefined)?.value;
  }

  it('hover: an access says its space, stride, wavefronts against the ideal', async () => {
    await open(text);
    const shared = (await hover('tile[threadIdx.x][threadIdx.y]')) ?? '';
    assert.match(shared, /\n\n\*\*Shared load\*\* of `tile`: .*\n- 4 bytes a lane/);
    assert.match(shared, /wavefronts?, ideal 1/);
    const global = (await hover('in[y * n + x]')) ?? '';
    assert.match(global, /^\*\*Global load\*\* of `in`: 4 sectors/);
    assert.match(global, /4 sectors, ideal 4 \(1\.0×\)/);
    assert.match(global, /4 bytes between lanes/);
  });

  it('hover: a condition says how it varies, a launch its shape, a kernel its launches, a blank nothing', async () => {
    await open(text);
    assert.match((await hover('threadIdx.x % 2 == 0')) ?? '', /different between the lanes of a warp/);
    const launch = (await hover('turn<<<')) ?? '';
    assert.match(launch, /^\*\*Launch\*\* of `turn`: block/);
    assert.match(launch, /block 32×32 \(32 warps\)/);
    assert.match(
      (await hover('turn(const')) ?? '',
      /^\*\*Kernel\*\* `turn`: block 32×32\n- occupancy on H100: at most 100 %, up to 32 registers a thread/,
    );
    assert.match((await hover('alone(float')) ?? '', /block size unknown; assuming 256/);
    assert.equal(await hover('__shared__'), undefined);
  });

  it('hover: plain text for editors without Markdown', async () => {
    const textDocument = { ...modernEditor.textDocument, hover: { contentFormat: ['plaintext' as const] } };
    await open(text, { capabilities: { ...modernEditor, textDocument } });
    const plain = (await hover('tile[threadIdx.x][threadIdx.y]')) ?? '';
    assert.match(plain, /\n\nShared load of tile/);
  });

  it('inlay hints: the ratio behind a slow access, only where asked, only when wanted', async () => {
    await open(text);
    const hints = await hintsIn(0, 100);
    assert.equal(hints.length, 1, JSON.stringify(hints));
    assert.match(String(hints[0]!.label), /^\d+\.\d× wavefronts$/);
    assert.deepEqual(hints[0]!.position, rangeOf(editor.document(uri), 'tile[threadIdx.x][threadIdx.y]').end);
    assert.deepEqual(await hintsIn(0, 4), []);
    editor.configure({ inlayHints: false });
    await refreshed('inlayHint');
    assert.deepEqual(await hintsIn(0, 100), []);
  });

  it('inlay hints: an interval where the code leaves the figure open, and none where a comment silences it', async () => {
    editor = await startEditor();
    const take = (comment: string): string =>
      '__global__ void take(const float *in, const int *order, float *out, int s) {\n' +
      '  const int i = threadIdx.x;\n' +
      `  out[2 * i] = in[order[i]];${comment}\n` +
      '  out[i] = in[s * i];\n' +
      '  out[i + 4096] += 1;\n' +
      '}\nvoid run(float *in, int *order, float *out, int s) { take<<<64, 256>>>(in, order, out, s); }\n';
    const hints = async (): Promise<unknown[]> =>
      (await hintsIn(0, 9)).map(({ label, position: { line, character } }) => [line, character, label]).sort();
    editor.open(uri, take(''));
    const at = (piece: string): number[] => Object.values(rangeOf(editor.document(uri), piece).end);
    const unknown = [...at('in[s * i]'), '1–8× sectors'];
    assert.deepEqual(await hints(), [
      [...at('out[2 * i]'), '2.0× sectors'],
      [...at('in[order[i]]'), '1–8× sectors'],
      unknown,
    ]);
    assert.match((await hover('in[order[i]]')) ?? '', /4–32 sectors, ideal 4 \(1–8×\)/);
    editor.change(uri, { text: take(' // warplens-ignore-line') });
    assert.deepEqual(await hints(), [unknown]);
  });

  it('code lens: launch shapes and the number of slow accesses over each kernel', async () => {
    await open(text, { initializationOptions: { clientCommands: true } });
    const ask = () => editor.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } });
    const [turn, alone, ...others] = (await ask()) ?? [];
    assert.deepEqual(others, []);
    assert.equal(turn?.range.start.line, 0);
    assert.equal(turn.command?.title, 'block 32×32 · 1 slow access');
    assert.equal(turn.command.command, 'warplens.showModel');
    assert.match(alone?.command?.title ?? '', /^block size unknown, assuming [\d×]+ · no slow access$/);
    editor.configure({ codeLens: false });
    await refreshed('codeLens');
    assert.deepEqual(await ask(), []);
  });

  it('code lens and hover: what of a kernel was not read', async () => {
    editor = await startEditor();
    const gaps = `__device__ float load(const float *p);
__global__ void far(float *a) {
  int i = threadIdx.x;
  a[i] = load(a + i) + load(a + i + 1) + load(a + i + 2) + load(a + i + 3) + load(a + i + 4) + load(a + i + 5);
}
template <typename T> __global__ void typed(T *a) { a[threadIdx.x] = 0; }
void run(float *a) { far<<<1, 256>>>(a); }
`;
    editor.open(uri, gaps);
    const lenses = await editor.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } });
    assert.deepEqual(
      lenses?.map(({ command }) => command?.title.replace(/assuming [\d×]+/, 'assuming')),
      ['block 256 · 6 of 7 accesses not read', 'block size unknown, assuming · partly read'],
    );
    const kernel = (await hover('far')) ?? '';
    assert.match(kernel, /- 6 of 7 accesses not read\n- line 4, not read: `load\(a \+ i\)` calls a function/);
    assert.equal(kernel.match(/, not read: /g)?.length, 3);
    assert.match(kernel, /- and 3 more reasons/);
    assert.match(
      (await hover('typed')) ?? '',
      /line 6, not read: No launch or instantiation here gives T a known type/,
    );
    const report = await editor.connection.sendRequest(DocumentDiagnosticRequest.type, { textDocument: { uri } });
    assert.ok(report.kind === 'full' && report.items.every(({ message }) => !/not read/i.test(String(message))));
  });

  it('code lens: of the text as it is now, while somebody types and before the document rests', async () => {
    editor = await startEditor();
    editor.configure({ debounce: 600_000 });
    editor.open(uri, text);
    const title = async (): Promise<string> =>
      (await editor.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } }))?.[0]?.command?.title ?? '';
    assert.match(await title(), /1 slow access$/);
    const at = text.indexOf('[32];') + 1;
    editor.replace(uri, at, at + 2, '33');
    assert.match(await title(), /no slow access$/);
  });

  async function complete(line: string): Promise<CompletionItem[]> {
    const column = line.indexOf('|');
    const document = editor.document(uri);
    editor.change(uri, {
      range: { start: { line: document.lineCount - 1, character: 0 }, end: { line: document.lineCount, character: 0 } },
      text: line.replace('|', ''),
    });
    const answer = await editor.connection.sendRequest(CompletionRequest.type, {
      textDocument: { uri },
      position: { line: editor.document(uri).lineCount - 1, character: column },
    });
    return answer as CompletionItem[];
  }

  function columns(item: CompletionItem | undefined): [number, number] {
    const { start, end } = (item!.textEdit as TextEdit).range;
    return [start.character, end.character];
  }

  it('completion: markers and rules inside suppression comments, nothing elsewhere', async () => {
    await open(text);
    assert.deepEqual(
      (await complete('  // warp|')).map((item) => item.label),
      ['warplens-ignore-line', 'warplens-ignore-next-line', 'warplens-ignore-file', 'warplens: hot', 'warplens: cold'],
    );
    const cold = (await complete('  // warplens: c|')).find((item) => item.label === 'warplens: cold');
    assert.deepEqual(columns(cold), [5, 16]);
    const rules = await complete('  a[i] = 0; // warplens-ignore-line |');
    assert.deepEqual(
      rules.map((item) => item.label),
      registry.map((rule) => rule.meta.id),
    );
    assert.ok(rules.every((item) => (item.documentation as MarkupContent).value.length > 20));
    const others = await complete('  // warplens-ignore-line cuda/bank-conflict, cuda/bl|ock');
    assert.ok(!others.some((item) => item.label === 'cuda/bank-conflict'));
    const edited = '  // warplens-ignore-line cuda/bank-conflict, cuda/block'.slice(...columns(others[0]));
    assert.equal(edited, 'cuda/block');
    for (const quiet of [
      '  a[i] = warp|',
      '  // a note |',
      '  // warplens-ignore-line cuda/bank-conflict: because |',
      '  /|',
    ])
      assert.deepEqual(await complete(quiet), [], quiet);
  });

  it('findings: each with its evidence and its fixes as edits of texts; null for what is not read', async () => {
    await open(text);
    const answer = (await editor.connection.sendRequest(findingsRequest, { uri, tries: true })) as FindingsAnswer;
    assert.equal(answer.version, 1);
    const conflict = answer.findings.find(({ rule }) => rule === 'cuda/bank-conflict');
    assert.deepEqual(conflict?.range, rangeOf(editor.document(uri), 'tile[threadIdx.x][threadIdx.y]'));
    assert.ok(conflict?.evidence?.metric);
    assert.deepEqual(
      conflict?.fixes[0]?.edits.map(({ newText, range }) => [newText, range.start.line]),
      [['33', 1]],
    );
    assert.equal(await editor.connection.sendRequest(findingsRequest, { uri: uriOf('closed.cu') }), null);
    assert.match(conflict?.verdict?.figure ?? '', /^\d.*×$/);
    assert.equal(conflict?.bySetting, undefined);
    editor.configure({ rules: { 'cuda/bank-conflict': 'hint' } });
    await refreshed('diagnostic');
    const later = (await editor.connection.sendRequest(findingsRequest, { uri })) as FindingsAnswer;
    const chosen = later.findings.find(({ rule }) => rule === 'cuda/bank-conflict');
    assert.deepEqual([chosen?.severity, chosen?.bySetting], ['hint', true]);
  });

  it('kernels: names as the profiler filters by them, and where they are; null for what is not read', async () => {
    await open(
      `namespace deep { ${text.split('\n')[10]} }\ntemplate <class T> __global__ void any(T *x) { *x = 1; }\n__device__ void not_one(int *x) { *x = 1; }\n`,
    );
    const answer = (await editor.connection.sendRequest(kernelsRequest, { uri })) as KernelsAnswer;
    const lines = answer.kernels.map(({ name, range }) => `${name} ${range.start.line}`);
    assert.deepEqual(lines, ['alone 0', 'any 1']);
    assert.equal(await editor.connection.sendRequest(kernelsRequest, { uri: uriOf('closed.cu') }), null);
  });

  it('model: kernels, accesses, launches as text; null for what is not read', async () => {
    await open(text);
    const model = ((await editor.connection.sendRequest('warplens/model', { uri })) as { text: string }).text;
    assert.match(model, /^1:17 kernel turn, block 32×32$/m);
    assert.match(model, /shared load, 4 B tile\[threadIdx\.x\]\[threadIdx\.y\]/);
    assert.match(model, /launch of turn: block 32×32 \(32 warps\)/);
    assert.equal(await editor.connection.sendRequest('warplens/model', { uri: uriOf('closed.cu') }), null);
  });

  it('parameters: the numbers of a line with the ranges of their literals, nothing where there are none', async () => {
    editor = await startEditor();
    const launch =
      '__global__ void add(float *v, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) v[i] += 1; }\nconst int threads = 192;\nvoid run(float *v, int n) { add<<<(n + threads - 1) / threads, threads>>>(v, n); }';
    editor.open(uri, launch);
    const at = (line: number, of = uri) =>
      editor.connection.sendRequest<ParametersAnswer | null>(parametersRequest, {
        uri: of,
        position: { line, character: 3 },
      });
    const answer = await at(2);
    assert.deepEqual(
      answer?.parameters.map(({ name, range, value, kernel }) => ({ name, range, value, kernel })),
      [{ name: 'block size of add', range: rangeOf(editor.document(uri), '192'), value: 192, kernel: 'add' }],
    );
    assert.deepEqual((await at(1))?.parameters, answer?.parameters);
    assert.deepEqual((await at(0))?.parameters, []);
    assert.equal(await at(0, uriOf('absent.cu')), null);
  });
});
