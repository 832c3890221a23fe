// Quick fixes, "fix all", "ignore on this line" and "explain": what is offered, and what becomes of the text.
import assert from 'node:assert/strict';
import {
  CodeActionRequest,
  CodeActionResolveRequest,
  ApplyWorkspaceEditRequest,
  ExecuteCommandRequest,
  type WorkspaceEdit,
  type CodeAction,
  DiagnosticSeverity,
  type Diagnostic,
  type Range,
} from 'vscode-languageserver-protocol/node';
import { columnKernel, modernEditor, short, startEditor, uriOf, type Editor } from './support';

const one = columnKernel('turn');
const three = columnKernel('first') + columnKernel('second') + columnKernel('third');

describe('code actions', function () {
  this.timeout(30_000);
  let editor: Editor;
  afterEach(() => editor.stop());

  async function actions(uri: string, range: Range, diagnostics: Diagnostic[] = [], only?: string[]) {
    const context = { diagnostics, ...(only ? { only } : {}) };
    const textDocument = { uri };
    return (await editor.connection.sendRequest(CodeActionRequest.type, {
      textDocument,
      range,
      context,
    })) as CodeAction[];
  }
  async function open(name: string, text: string, choices?: Parameters<typeof startEditor>[0]): Promise<string> {
    editor = await startEditor(choices);
    editor.open(uriOf(name), text);
    return uriOf(name);
  }
  async function openTurn(choices?: Parameters<typeof startEditor>[0]): Promise<[string, Diagnostic]> {
    const uri = await open('turn.cu', one, choices);
    return [uri, (await editor.diagnostics(uri))[0]!];
  }
  const resolve = (action: CodeAction): Promise<CodeAction> =>
    editor.connection.sendRequest(CodeActionResolveRequest.type, action);
  const everything: Range = { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 } };
  function named(all: readonly CodeAction[], title: RegExp): CodeAction {
    const found = all.filter((action) => title.test(action.title));
    assert.equal(found.length, 1, `${title} among ${all.map((action) => action.title).join(' | ')}`);
    return found[0]!;
  }

  it('add the folder of a header that was not found, with a title that fits', async () => {
    editor = await startEditor({ initializationOptions: { clientCommands: true } });
    for (const header of ['gone/away.h', `${'very/'.repeat(20)}long.h`]) {
      const uri = uriOf(`without${header.length}.cu`);
      editor.open(uri, `#include "${header}"\n#include <other.h>\n${one}`);
      await editor.diagnostics(uri);
      const line = (at: number): Range => ({ start: { line: at, character: 1 }, end: { line: at, character: 1 } });
      const action = named(await actions(uri, line(0)), /warplens\.includeFolders/);
      assert.ok(action.title.length <= 70, action.title);
      assert.equal(action.command?.command, 'warplens.addIncludeFolder');
      assert.deepEqual(action.command.arguments, [uri, [header, 'other.h']]);
      assert.ok(!(await actions(uri, line(4))).some(({ title }) => title.includes('includeFolders')));
    }
  });

  it('say why no fix is offered, where one came near', async () => {
    editor = await startEditor();
    const uri = uriOf('strided.cu');
    editor.open(
      uri,
      '__global__ void rowSums(const float *in, float *out, int rows, int n) {\n' +
        '  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n  float last = 0;\n' +
        '  for (int c = 0; c < n; c++) last = last * 0.5f + in[row * n + c];\n  out[row] = last;\n}\n' +
        'void run(const float *in, float *out, int rows, int n) { rowSums<<<(rows + 127) / 128, 128>>>(in, out, rows, n); }\n',
    );
    const [finding] = await editor.diagnostics(uri);
    const why = named(await actions(uri, finding!.range, [finding!]), /^Why is there no fix here/);
    assert.deepEqual(why.command?.arguments, [
      'No automatic fix with one warp per row: `last` carries a value between iterations.',
    ]);
    const { command, arguments: given } = why.command!;
    assert.equal(
      await editor.connection.sendRequest(ExecuteCommandRequest.type, { command, arguments: given! }),
      given![0],
    );
  });

  it('fix a finding with a versioned edit that is computed when it is chosen', async () => {
    const [uri, finding] = await openTurn();
    const fix = named(await actions(uri, finding.range, [finding]), /^Pad/);
    assert.equal(fix.kind, 'quickfix');
    assert.equal(fix.isPreferred, true);
    assert.equal(fix.edit, undefined);
    assert.deepEqual(fix.diagnostics, [finding]);
    const resolved = await resolve(fix);
    const mended = editor.apply(resolved.edit!).get(uri)!;
    assert.equal(mended, one.replace('tile[32][32]', 'tile[32][33]'));
    editor.change(uri, { text: mended });
    assert.deepEqual(short(await editor.diagnostics(uri)), []);
  });

  it('carry their edit at once for editors that do not resolve', async () => {
    const codeAction = { codeActionLiteralSupport: { codeActionKind: { valueSet: [] } } };
    const textDocument = { ...modernEditor.textDocument, codeAction };
    const workspace = { configuration: true, diagnostics: { refreshSupport: true }, applyEdit: true };
    const [uri, finding] = await openTurn({ capabilities: { ...modernEditor, textDocument, workspace } });
    const fix = named(await actions(uri, finding.range, [finding]), /^Pad/);
    assert.equal(editor.apply(fix.edit!).get(uri), one.replace('tile[32][32]', 'tile[32][33]'));
    assert.ok(fix.edit!.changes);
    // Those of many findings are made when they are chosen.
    const many = uriOf('three.cu');
    editor.open(many, three);
    const all = named(await actions(many, everything, await editor.diagnostics(many)), /^Fix all 3 /);
    assert.equal(all.edit, undefined);
    const asked = new Promise<WorkspaceEdit>((answer) =>
      editor.connection.onRequest(ApplyWorkspaceEditRequest.type, ({ edit }) => {
        answer(edit);
        return { applied: true };
      }),
    );
    const { command, arguments: given } = all.command!;
    await editor.connection.sendRequest(ExecuteCommandRequest.type, { command, arguments: given! });
    assert.equal(editor.apply(await asked).get(many), three.replaceAll('tile[32][32]', 'tile[32][33]'));
  });

  it('are refused, not misplaced, when the file moved on and the finding is gone', async () => {
    const [uri, finding] = await openTurn();
    const fix = named(await actions(uri, finding.range, [finding]), /^Pad/);
    editor.change(uri, { text: one.replace('tile[32][32]', 'tile[32][33]') });
    await assert.rejects(resolve(fix), /changed/);
  });

  it('follow their finding when the file only moved', async () => {
    const [uri, finding] = await openTurn();
    const fix = named(await actions(uri, finding.range, [finding]), /^Pad/);
    editor.replace(uri, 0, 0, '// a line above\n');
    const resolved = await resolve(fix);
    assert.equal(
      editor.apply(resolved.edit!).get(uri),
      `// a line above\n${one.replace('tile[32][32]', 'tile[32][33]')}`,
    );
  });

  it('fix all findings of a rule in the file', async () => {
    const uri = await open('three.cu', three);
    const findings = await editor.diagnostics(uri);
    assert.equal(findings.length, 3);
    const all = named(await actions(uri, findings[1]!.range, [findings[1]!]), /^Fix all 3 /);
    const mended = editor.apply((await resolve(all)).edit!).get(uri)!;
    assert.equal(mended, three.replaceAll('tile[32][32]', 'tile[32][33]'));
  });

  it('try fixes of other lines when a fix of all is chosen, and name what is left out', async () => {
    const pairs = `__global__ void sumPairs(const float *in, float *out) {
  __shared__ float staged[512];
  int t = threadIdx.x;
  staged[t] = in[t];
  staged[t + 256] = in[t + 256];
  __syncthreads();
  out[t] = staged[2 * t] + 1.0f;
}
void launch(const float *in, float *out) { sumPairs<<<1, 256>>>(in, out); }
`;
    const uri = await open('refused.cu', pairs + three);
    const findings = (await editor.diagnostics(uri)).filter(({ code }) => code === 'cuda/bank-conflict');
    const menu = (at: number): Promise<CodeAction[]> => actions(uri, findings[at]!.range, [findings[at]!]);
    // A fix of the line itself is tried, and not counted.
    named(await menu(0), /^Fix all 3 /);
    const all = named(await menu(1), /^Fix all 4 /);
    assert.equal(editor.apply((await resolve(all)).edit!).get(uri), pairs + three.replaceAll('[32][32]', '[32][33]'));
    const [sentence] = editor.messages.filter((one) => one.includes('not applied'));
    assert.match(sentence ?? '', /^1 not applied: line 7: "Pad .*`sumPairs` is predicted to take as long/);
  });

  it('apply safe fixes on save, and keep carriage returns', async () => {
    const text = three.replaceAll('\n', '\r\n');
    const uri = await open('three.cu', text);
    const [action, ...others] = await actions(uri, everything, [], ['source.fixAll.warplens']);
    assert.deepEqual(others, []);
    assert.equal(action?.kind, 'source.fixAll.warplens');
    const mended = editor.apply((await resolve(action)).edit!).get(uri)!;
    assert.equal(mended, text.replaceAll('tile[32][32]', 'tile[32][33]'));
    editor.change(uri, { text: mended });
    assert.deepEqual(await actions(uri, everything, [], ['source.fixAll.warplens']), []);
    assert.equal((await actions(uri, everything, [], ['source.organizeImports'])).length, 0);
  });

  it('list an edit once, also where editors show actions of all kinds in one menu', async () => {
    editor = await startEditor();
    const all = /^Apply all safe/;
    const offered = async (text: string, range: Range, only?: string[]): Promise<number> => {
      const uri = uriOf(`once${text.length}.cu`);
      editor.open(uri, text);
      return (await actions(uri, range, [], only)).filter(({ title }) => all.test(title)).length;
    };
    const top: Range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    assert.equal(await offered(one, everything), 0);
    assert.equal(await offered(`${one}\n`, top), 1);
    assert.equal(await offered(`${one}\n\n`, everything, ['source.fixAll']), 1);
    assert.equal(await offered(three, everything), 1);
  });

  it('silence a finding with a comment above its line, indented like it', async () => {
    const [uri, finding] = await openTurn();
    const ignore = named(await actions(uri, finding.range, [finding]), /^Ignore cuda\/bank-conflict/);
    const quiet = editor.apply((await resolve(ignore)).edit!).get(uri)!;
    assert.match(quiet, /\n {2}\/\/ warplens-ignore-next-line cuda\/bank-conflict: reason\n {2}out\[y \* n \+ x\]/);
    editor.change(uri, { text: quiet });
    assert.deepEqual(short(await editor.diagnostics(uri)), []);
  });

  it('let the reason be typed over where the editor can', async () => {
    const workspaceEdit = { documentChanges: true, snippetEditSupport: true };
    const workspace = { ...modernEditor.workspace, workspaceEdit };
    const [uri, finding] = await openTurn({ capabilities: { ...modernEditor, workspace } });
    const { edit } = await resolve(named(await actions(uri, finding.range, [finding]), /^Ignore /));
    assert.match(
      JSON.stringify(edit),
      /"snippet":\{"kind":"snippet","value":" {2}\/\/ warplens-ignore-next-line cuda\/bank-conflict: \$\{1:reason\}\\n"\}/,
    );
  });

  it('mark a kernel, and change the mark that it has', async () => {
    editor = await startEditor();
    const uri = uriOf('turn.cu');
    for (const head of ['', 'template <int N>\n']) {
      const text = `// The kernel.\n${head}${one}`;
      let version = text;
      editor.open(uri, text);
      const offered = async (): Promise<CodeAction[]> => {
        const diagnostics = await editor.diagnostics(uri);
        return (await actions(uri, diagnostics[0]!.range, diagnostics)).filter(({ title }) => /^Mark/.test(title));
      };
      const choose = async (title: RegExp): Promise<void> => {
        version = editor.apply((await resolve(named(await offered(), title))).edit!).get(uri)!;
        editor.change(uri, { text: version });
      };
      await choose(/^Mark kernel as cold$/);
      assert.equal(version, `// The kernel.\n// warplens: cold\n${head}${one}`);
      assert.deepEqual(
        (await editor.diagnostics(uri)).map(({ severity }) => severity),
        [DiagnosticSeverity.Hint],
      );
      assert.equal((await offered()).length, 1, 'it is cold');
      await choose(/^Mark kernel as hot$/);
      assert.equal(version, `// The kernel.\n// warplens: hot\n${head}${one}`);
      assert.deepEqual(
        (await editor.diagnostics(uri)).map(({ severity }) => severity),
        [DiagnosticSeverity.Warning],
      );
      editor.close(uri);
    }
  });

  it('mark a construct in Fortran', async () => {
    editor = await startEditor();
    const uri = uriOf('fill.f90');
    const text = [
      'subroutine fill(n, a)',
      '  integer, intent(in) :: n',
      '  real(8), intent(out) :: a(n)',
      '  integer :: i',
      '  !$acc parallel &',
      '  !$acc present(a)',
      '  do i = 1, n',
      '    a(i) = 1.0d0',
      '  end do',
      '  !$acc end parallel',
      'end subroutine',
      '',
    ].join('\n');
    editor.open(uri, text, 'FortranFreeForm');
    const found = (await editor.diagnostics(uri)).filter(({ code }) => code === 'acc/missing-mapping');
    const action = named(await actions(uri, found[0]!.range, found), /^Mark construct as cold$/);
    const marked = editor.apply((await resolve(action)).edit!).get(uri)!;
    assert.equal(marked, text.replace('  !$acc parallel', '  ! warplens: cold\n  !$acc parallel'));
    editor.change(uri, { text: marked });
    assert.deepEqual(
      (await editor.diagnostics(uri)).map(({ severity }) => severity),
      [DiagnosticSeverity.Hint],
    );
  });

  it('offer no comment inside a macro, where it would swallow the rest', async () => {
    editor = await startEditor();
    const uri = uriOf('macro.cu');
    const text =
      '#define BODY(i) \\\n  out[i] = in[i * 16];\n__global__ void k(const float *in, float *out) {\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  BODY(i)\n}\n';
    editor.open(uri, text);
    for (const finding of await editor.diagnostics(uri)) {
      for (const action of (await actions(uri, finding.range, [finding])).filter(({ title }) =>
        title.startsWith('Ignore'),
      )) {
        const quiet = editor.apply((await resolve(action)).edit!).get(uri)!;
        assert.match(quiet, /#define BODY\(i\) \\\n {2}out\[i\] = in\[i \* 16\];\n/);
      }
    }
  });

  it("explain a rule, with the client's command or the server's", async () => {
    const [uri, finding] = await openTurn();
    const { command } = named(await actions(uri, finding.range, [finding]), /^Explain/);
    assert.equal(command?.command, 'warplens.explain');
    const answer = (await editor.connection.sendRequest(ExecuteCommandRequest.type, command!)) as {
      markdown: string;
      url: string;
    };
    assert.match(answer.markdown, /bank/);
    assert.ok(editor.messages.includes(`show ${answer.url}`));
    editor.stop();
    editor = await startEditor({ initializationOptions: { clientCommands: true } });
    editor.open(uri, one);
    assert.equal(
      named(await actions(uri, finding.range, [finding]), /^Explain/).command?.command,
      'warplens.explainRule',
    );
  });

  it('say what a command wants when it gets something else', async () => {
    editor = await startEditor();
    assert.equal(
      await editor.connection.sendRequest(ExecuteCommandRequest.type, {
        command: 'warplens.explain',
        arguments: ['cuda/bank-conflct'],
      }),
      null,
    );
    assert.match(editor.messages.at(-1) ?? '', /did you mean "cuda\/bank-conflict"/);
    assert.equal(
      await editor.connection.sendRequest(ExecuteCommandRequest.type, { command: 'warplens.explain', arguments: [] }),
      null,
    );
    assert.match(editor.messages.at(-1) ?? '', /the id of a rule/);
  });

  it('remove a comment that silences nothing', async () => {
    editor = await startEditor();
    const uri = uriOf('turn.cu');
    const fine = one.replace('tile[32][32]', 'tile[32][33]');
    editor.open(uri, fine.replace('  out[', '  // warplens-ignore-next-line cuda/bank-conflict: was once\n  out['));
    const [finding] = await editor.diagnostics(uri);
    assert.equal(finding?.code, 'warplens/unused-suppression');
    const offered = await actions(uri, finding.range, [finding]);
    assert.deepEqual(
      offered.map((action) => action.title),
      ['Remove the comment'],
    );
    assert.equal(editor.apply((await resolve(offered[0]!)).edit!).get(uri), fine);
  });
});
