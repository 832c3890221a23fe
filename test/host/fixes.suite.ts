// Fixes as the user applies them: one, all of a rule, all safe ones, on saving; undone; and the finding silenced instead.
import * as assert from 'node:assert/strict';
import { CodeActionKind, commands, ConfigurationTarget, Selection, window, workspace } from 'vscode';
import {
  actionAt,
  activateExtension,
  closeAll,
  findings,
  findingsOf,
  hoverAt,
  onDisk,
  perform,
  show,
  silence,
  until,
} from './support';

const transpose = 'samples/transpose/unpadded-tile.cu';

describe('fixes', () => {
  before(activateExtension);
  afterEach(closeAll);

  it('the reason of a missing fix is shown at its line, with the page of its rule', async () => {
    const content =
      '__global__ void sums(const float *in, float *out, int rows, int n) {\n' +
      '  int row = blockIdx.x * blockDim.x + threadIdx.x;\n  if (row >= rows) return;\n  float last = 0;\n' +
      '  for (int c = 0; c < n; c++) last = last * 0.5f + in[row * n + c];\n  out[row] = last;\n}\n' +
      'void run(const float *a, float *b, int r, int n) { sums<<<(r + 127) / 128, 128>>>(a, b, r, n); }\n';
    const document = await workspace.openTextDocument({ language: 'cuda-cpp', content });
    await window.showTextDocument(document);
    const [finding] = await findingsOf(document, 'cuda/uncoalesced-access');
    const { command } = await actionAt(document, finding!.range, ({ title }) => /^Why is there no fix/.test(title));
    await commands.executeCommand(command!.command, ...command!.arguments!);
    const start = finding!.range.start;
    assert.match(
      await hoverAt(document, start),
      /`last` carries a value.*\s+Remove what prevents it.*\[cuda\/uncoalesced-access\]\(command:/,
    );
  });

  it('fix a finding, and undo brings it back @smoke', async () => {
    const { document } = await show(transpose);
    const [conflict] = await findingsOf(document, 'cuda/bank-conflict');
    const action = await actionAt(
      document,
      conflict!.range,
      ({ title, kind }) => kind?.value.startsWith('quickfix') === true && /pad/i.test(title),
    );
    assert.ok(action.isPreferred, 'a safe fix should be the preferred one');
    await perform(action);
    assert.match(document.getText(), /\+ 1\]/);
    await silence(document);
    await commands.executeCommand('undo');
    assert.equal(document.getText(), onDisk(transpose));
    await findingsOf(document, 'cuda/bank-conflict');
  });

  it("come from the editor's own menu", async () => {
    const editor = await show(transpose);
    const [conflict] = await findingsOf(editor.document, 'cuda/bank-conflict');
    editor.selection = new Selection(conflict!.range.start, conflict!.range.start);
    const isFixed = (): boolean => /\+ 1\]/.test(editor.document.getText());
    // The editor drops what it asked where its own request comes between: the user asks again, but not at once.
    await until('the padded tile', async () => {
      await commands.executeCommand('editor.action.autoFix');
      return until('', isFixed, 15_000).catch(() => false);
    });
    await silence(editor.document);
  });

  it('are applied together by the command, safe ones only', async () => {
    const { document } = await show(transpose);
    await findingsOf(document, 'cuda/bank-conflict');
    await commands.executeCommand('warplens.fixAll');
    await until('the padded tile', () => /\+ 1\]/.test(document.getText()));
    await silence(document);
    assert.ok(await document.save());
    assert.match(onDisk(transpose), /\+ 1\]/);
    await commands.executeCommand('undo');
    await document.save();
  });

  it('are applied on saving when the settings say so', async () => {
    const editing = workspace.getConfiguration('editor', { languageId: 'cuda-cpp' });
    await editing.update('codeActionsOnSave', { 'source.fixAll.warplens': 'always' }, ConfigurationTarget.Workspace);
    const { document } = await show(transpose);
    const before = document.getText();
    try {
      await findingsOf(document, 'cuda/bank-conflict');
      const editor = window.activeTextEditor!;
      await editor.edit((edit) => edit.insert(document.positionAt(before.length), '\n'));
      await findingsOf(document, 'cuda/bank-conflict');
      await commands.executeCommand('workbench.action.files.save');
      await until('the fixed file on disk', () => /\+ 1\]/.test(onDisk(transpose)));
    } finally {
      await editing.update('codeActionsOnSave', undefined, ConfigurationTarget.Workspace);
      await window.activeTextEditor!.edit((edit) =>
        edit.replace(document.validateRange(new Selection(0, 0, 1e6, 0)), before),
      );
      await document.save();
    }
  });

  it('leave unsafe ones to the user: "fix all" offers none of them', async () => {
    const { document } = await show('samples/reduction/shared-sweep.cu');
    const [sweep] = await findingsOf(document, 'cuda/shared-sweep-reduction');
    const before = document.getText();
    await commands.executeCommand('warplens.fixAll');
    assert.equal(document.getText(), before);
    const action = await actionAt(
      document,
      sweep!.range,
      ({ kind, title }) => kind?.value.startsWith(CodeActionKind.QuickFix.value) === true && /shuffle/i.test(title),
    );
    assert.ok(!action.isPreferred, 'an unsafe fix must not be the preferred one');
    await perform(action);
    assert.match(document.getText(), /__shfl_down_sync/);
    await silence(document, 'cuda/shared-sweep-reduction');
  });

  it('silence a finding on its line, with room for a reason', async () => {
    const { document } = await show(transpose);
    const [conflict] = await findingsOf(document, 'cuda/bank-conflict');
    const ignore = await actionAt(
      document,
      conflict!.range,
      ({ title }) => /ignore/i.test(title) && /line/i.test(title),
    );
    await perform(ignore);
    assert.match(document.getText(), /warplens-ignore[\w-]* cuda\/bank-conflict/);
    await silence(document, 'cuda/bank-conflict');
    await commands.executeCommand('undo');
    await findingsOf(document, 'cuda/bank-conflict');
  });

  it('fix every finding of one rule in a file', async () => {
    const { document } = await show('samples/vector-addition/chunk-per-thread.cu');
    const found = await findingsOf(document, 'cuda/uncoalesced-access');
    assert.ok(found.length > 0);
    const action = await actionAt(
      document,
      found[0]!.range,
      ({ title, kind }) => kind?.value.startsWith(CodeActionKind.QuickFix.value) === true && /grid-stride/i.test(title),
    );
    await perform(action);
    await silence(document, 'cuda/uncoalesced-access');
    assert.match(document.getText(), /gridDim\.x \* blockDim\.x|blockDim\.x \* gridDim\.x/);
    assert.deepEqual(findings(document), []);
  });
});
