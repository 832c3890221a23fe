// Completion and hover inside OpenACC directives, in C and in Fortran.
import assert from 'node:assert/strict';
import {
  CompletionRequest,
  CompletionTriggerKind,
  HoverRequest,
  type CompletionItem,
  type MarkupContent,
} from 'vscode-languageserver-protocol/node';
import { aboutClause, aboutDirective } from '../../server/src/lsp/directiveHover';
import { wordMeanings } from '../../server/src/lsp/directiveWords';
import { clauses, directives, endDirectives } from '../../server/src/syntax/directives/table';
import { modernEditor, startEditor, uriOf, type Editor } from './support';

const capabilities = {
  ...modernEditor,
  textDocument: {
    ...modernEditor.textDocument,
    completion: { completionItem: { snippetSupport: true, documentationFormat: ['markdown' as const] } },
  },
};
const uris = { c: uriOf('loops.c'), f90: uriOf('loops.f90'), f: uriOf('loops.f'), cu: uriOf('loops.cu') };
const always = ['always:', 'alwaysout:'];
const languages = { c: 'c', f90: 'FortranFreeForm', f: 'FortranFixedForm', cu: 'cuda-cpp' };

describe('directives in the editor', function () {
  this.timeout(30_000);
  let editor: Editor;
  before(async () => {
    editor = await startEditor({ capabilities });
    for (const kind of ['c', 'f90', 'f', 'cu'] as const) editor.open(uris[kind], '', languages[kind]);
  });
  after(() => editor.stop());

  /** Opens a text with a `|` where the pointer is. */
  async function complete(text: string, kind: keyof typeof uris = 'c', trigger?: string): Promise<CompletionItem[]> {
    const uri = uris[kind];
    const offset = text.indexOf('|');
    editor.replace(uri, 0, editor.document(uri).getText().length, text.replace('|', ''));
    const answer = await editor.connection.sendRequest(CompletionRequest.type, {
      textDocument: { uri },
      position: editor.document(uri).positionAt(offset),
      ...(trigger && { context: { triggerKind: CompletionTriggerKind.TriggerCharacter, triggerCharacter: trigger } }),
    });
    return Array.isArray(answer) ? answer : (answer?.items ?? []);
  }
  const labels = async (text: string, kind?: keyof typeof uris): Promise<string[]> =>
    (await complete(text, kind)).map((item) => item.label);
  async function hover(text: string, kind: keyof typeof uris = 'c'): Promise<string | undefined> {
    const uri = uris[kind];
    const offset = text.indexOf('|');
    editor.replace(uri, 0, editor.document(uri).getText().length, text.replace('|', ''));
    const answer = await editor.connection.sendRequest(HoverRequest.type, {
      textDocument: { uri },
      position: editor.document(uri).positionAt(offset),
    });
    return (answer?.contents as MarkupContent | undefined)?.value;
  }

  it('offers every directive behind the sentinel, the ends in Fortran too', async () => {
    assert.deepEqual((await labels('#pragma acc |')).sort(), [...directives.keys()].sort());
    assert.deepEqual((await labels('!$acc |\n', 'f90')).sort(), [...directives.keys(), ...endDirectives.keys()].sort());
    assert.deepEqual((await labels('c$acc pa|\n', 'f')).sort(), [...directives.keys(), ...endDirectives.keys()].sort());
    assert.ok((await labels('#pragma |', 'cu')).includes('acc parallel loop'));
    assert.ok((await labels('#pragma ac|')).includes('acc loop'));
    assert.ok((await labels('  !$|', 'f90')).includes('!$acc end data'));
    assert.ok((await labels('c$|', 'f')).includes('c$acc loop'));
  });

  it('replaces what is typed of the sentinel and of a word', async () => {
    const [item] = await complete('  #pragma ac|c\n');
    assert.deepEqual(item!.textEdit, {
      range: { start: { line: 0, character: 10 }, end: { line: 0, character: 13 } },
      newText: 'acc parallel loop',
    });
    const clause = (await complete('#pragma acc loop ga|ng\n')).find(({ label }) => label === 'gang');
    assert.deepEqual((clause!.textEdit as { range: unknown }).range, {
      start: { line: 0, character: 17 },
      end: { line: 0, character: 21 },
    });
  });

  it('offers the second word of a name, then clauses that are allowed and not yet used', async () => {
    const afterParallel = await labels('#pragma acc parallel |');
    assert.equal(afterParallel[0], 'loop');
    assert.ok(
      afterParallel.includes('num_gangs') && !afterParallel.includes('gang') && !afterParallel.includes('collapse'),
    );
    assert.deepEqual(await labels('#pragma acc enter |'), ['data']);
    assert.ok((await labels('!$acc end |', 'f90')).includes('parallel loop'));
    const used = await labels('#pragma acc parallel loop gang copy(a) | vector_length(32)');
    assert.ok(used.includes('copy') && used.includes('vector') && used.includes('num_gangs'));
    for (const clause of ['gang', 'vector_length', 'seq', 'use_device', 'shortloop'])
      assert.ok(!used.includes(clause), clause);
    assert.ok((await labels('#pragma acc update |')).includes('self'));
  });

  it('offers after device_type only clauses allowed there, those before it again', async () => {
    const after = await labels(
      '#pragma acc parallel loop gang vector_length(32) device_type(nvidia) | device_type(host) async',
    );
    assert.ok(after.includes('vector_length') && after.includes('gang') && after.includes('async'));
    for (const clause of ['copy', 'private', 'reduction', 'if']) assert.ok(!after.includes(clause), clause);
  });

  it('goes on over continued lines, and is silent in comments and elsewhere', async () => {
    assert.ok((await labels('#pragma acc parallel loop \\\n   gang |\n')).includes('vector_length'));
    assert.ok((await labels('!$acc parallel loop &\n!$acc& gang |\n', 'f90')).includes('vector_length'));
    assert.ok((await labels('!$acc parallel loop\n!$acc+ gang |\n', 'f')).includes('vector_length'));
    for (const quiet of [
      '#pragma acc loop gang // and |',
      '#pragma omp |',
      'int |',
      '#pragma acc parallel num_gangs(|',
      '#pragma acc data copy(a[|',
    ])
      assert.deepEqual(await labels(quiet), [], quiet);
    assert.deepEqual(await labels('!$acc loop gang ! and |\n', 'f90'), []);
  });

  it('offers nothing where Enter is the end of the line: behind a whole word, and behind a blank that came by itself', async () => {
    for (const whole of ['parallel loop vector', 'loop', 'parallel', 'kernels', 'loop gang worker', 'loop seq'])
      assert.deepEqual(await labels(`#pragma acc ${whole}|`), [], whole);
    assert.ok((await labels('#pragma acc parallel loop vecto|')).includes('vector'));
    assert.deepEqual(await labels('#pragma acc parallel loop vector_|'), await labels('#pragma acc parallel loop v|'));
    // What has to be followed by parentheses is offered to the end: the choice adds them.
    assert.ok((await labels('#pragma acc parallel loop vector_length|')).includes('vector_length'));
    const typed = async (text: string): Promise<string[]> => (await complete(text, 'c', ' ')).map(({ label }) => label);
    assert.deepEqual(await typed('#pragma acc parallel loop vector |'), []);
    assert.deepEqual(await typed('#pragma acc parallel |'), []);
    assert.ok((await typed('#pragma acc |')).includes('parallel loop'));
    assert.deepEqual(await typed('#pragma acc enter |'), ['data']);
    assert.ok((await typed('#pragma acc update |')).includes('self'));
    const answer = await editor.connection.sendRequest(CompletionRequest.type, {
      textDocument: { uri: uris.c },
      position: { line: 0, character: 19 },
    });
    assert.equal(Array.isArray(answer) || answer?.isIncomplete, true, 'asked again at each letter');
  });

  it('offers the words of arguments', async () => {
    assert.deepEqual(await labels('#pragma acc parallel default(|)'), ['none', 'present']);
    assert.ok((await labels('#pragma acc loop reduction(|)')).includes('&&:'));
    assert.ok((await labels('!$acc loop reduction(|)\n', 'f90')).includes('.and.:'));
    assert.ok((await labels('#pragma acc loop device_type(|')).includes('nvidia'));
    assert.deepEqual(await labels('#pragma acc loop gang(static:*, |)'), ['num:', 'dim:']);
    assert.deepEqual(await labels('#pragma acc wait(|)'), ['devnum:', 'queues:']);
  });

  it('offers the arrays and the sums of the lines below', async () => {
    const below = '\nfor (int i = 0; i < n; ++i) y[i] += a * x[i];';
    assert.deepEqual(await labels(`#pragma acc parallel loop present(|)${below}`), ['y', 'x']);
    assert.deepEqual(await labels(`#pragma acc data copyout(zero, |)${below}`), ['y', 'x', ...always, 'capture:']);
    assert.deepEqual(await labels(`#pragma acc exit data copyout(zero, |)${below}`), ['y', 'x', ...always]);
    assert.deepEqual(await labels(`#pragma acc exit data copyout(zero: |)${below}`), ['y', 'x']);
    assert.deepEqual(await labels(`#pragma acc cache(|)${below}`), ['y', 'x', 'readonly:']);
    assert.deepEqual(
      await labels('#pragma acc parallel loop reduction(+: |)\nfor (int i = 0; i < n; ++i) { sum += x[i]; }'),
      ['i', 'sum'],
    );
    assert.deepEqual(
      await labels('real, dimension(n) :: x\nreal :: y(n)\n!$acc data present(|)\ny(1) = sin(x(2))\n', 'f90'),
      ['y', 'x'],
    );
  });

  it('completes with snippets where the editor has them', async () => {
    const items = await complete('#pragma acc parallel loop |');
    const length = items.find(({ label }) => label === 'vector_length')!;
    assert.equal((length.textEdit as { newText: string }).newText, 'vector_length(${1:128})');
    assert.equal(length.insertTextFormat, 2);
    assert.match((length.documentation as MarkupContent).value, /multiple of 32/);
    const gang = items.find(({ label }) => label === 'gang')!;
    assert.equal((gang.textEdit as { newText: string }).newText, 'gang');
  });

  it('knows a meaning of every directive and clause of the table', () => {
    for (const directive of directives.values()) {
      assert.match(aboutDirective(directive.name, 'c'), /^\*\*.*\*\* — [A-Z`]/, directive.name);
      for (const clause of directive.clauses.keys())
        assert.match(aboutClause(clause, clause, directive.name) ?? '', /^\*\*.*\*\* — [A-Z`]/, clause);
    }
    for (const clause of clauses.values()) for (const word of clause.modifiers) assert.ok(wordMeanings[word], word);
  });

  it('hover: directives, clauses, aliases, words of arguments; nothing for variables', async () => {
    const hovers: readonly (readonly [string, RegExp, (keyof typeof uris)?])[] = [
      ['#pragma acc parallel lo|op gang', /^\*\*parallel loop\*\* — .*\n- .*\n- clauses: `async`/],
      ['#pra|gma acc data copy(a)', /^\*\*data\*\*/],
      [
        '#pragma acc loop ga|ng',
        /^\*\*gang\*\* — Divides[\s\S]*written `gang\[\(num: n, dim: 1\.\.3, static: n \| \*\)\]`/,
      ],
      ['#pragma acc loop ga|ng', /allowed on `loop`/],
      ['#pragma acc data pcop|yin(a)', /`pcopyin` is an old name for `copyin`/],
      ['#pragma acc enter data cop|yin(a)', /written `copyin\(\[readonly\|always\|alwaysin:\] variable, …\)`/],
      ['#pragma acc data copy(alw|ays, capture: a)', /^\*\*always\*\*/],
      ['#pragma acc update sel|f(a)', /^\*\*self\*\* — Copies from the device to the host\./],
      ['#pragma acc loop gang(sta|tic: *)', /^\*\*static\*\*/],
      ['!$ACC PARALLEL &\n!$ACC& VECTOR_LEN|GTH(32)\n', /without it: 128 with nvc/, 'f90'],
      ['!$acc end paral|lel\n', /end of `parallel`/, 'f90'],
      ['!$acc da|ta copy(a)\n', /ends with `!\$acc end data`/, 'f'],
      ['#pragma acc data cop|yy(a)', /^\*\*acc\/unknown-name\*\* {2}\nFix \(unsafe\): Write `copy`\.$/],
    ];
    for (const [text, meaning, kind] of hovers) assert.match((await hover(text, kind)) ?? '', meaning);
    assert.equal(await hover('#pragma acc data copy(arr|ay)'), undefined);
  });
});
