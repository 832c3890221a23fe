// What the user reads besides the findings: hover, code lens, inlay hints, the model, and the page of a rule.
import * as assert from 'node:assert/strict';
import {
  commands,
  extensions,
  Range,
  window,
  workspace,
  type CodeLens,
  type InlayHint,
  type Position,
  type TextDocument,
} from 'vscode';
import { activateExtension, closeAll, findingsOf, hoverAt, inBrowser, rangeOf, show, until } from './support';

describe('reading', () => {
  before(activateExtension);
  afterEach(closeAll);

  it('a hover on an access says its space, stride and ratio', async () => {
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    await findingsOf(document, 'cuda/bank-conflict');
    const text = await hover(document, rangeOf(document, 'tile[threadIdx.x][threadIdx.y').start);
    assert.match(text, /shared/i);
    assert.match(text, /wavefront/i);
    assert.match(text, /32/);
    const global = await hover(
      document,
      rangeOf(document, 'tile[threadIdx.y').start.with(
        undefined,
        document.lineAt(rangeOf(document, 'tile[threadIdx.y').start).text.indexOf('in[') + 1,
      ),
    );
    assert.match(global, /global/i);
    assert.match(global, /sector/i);
  });

  it('a code lens stands over the kernel and names its launch', async () => {
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    const kernel = rangeOf(document, '__global__').start.line;
    const lens = await until('a code lens', async () => {
      const there =
        (await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', document.uri, 50)) ?? [];
      return there.find(({ range, command }) => Math.abs(range.start.line - kernel) <= 1 && command !== undefined);
    });
    assert.match(lens.command!.title, /32/);
  });

  it('an inlay hint comes after a slow access, and not after a good one', async () => {
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    await findingsOf(document, 'cuda/bank-conflict');
    const all = new Range(0, 0, document.lineCount, 0);
    const hints = await until('an inlay hint', async () => {
      const there =
        (await commands.executeCommand<InlayHint[]>('vscode.executeInlayHintProvider', document.uri, all)) ?? [];
      return there.length > 0 && there;
    });
    assert.equal(hints.length, 1);
    assert.match(label(hints[0]!), /32/);
    assert.equal(hints[0]!.position.line, rangeOf(document, 'tile[threadIdx.x][threadIdx.y').start.line);
  });

  it('the model of a file opens beside it', async () => {
    await show('samples/transpose/unpadded-tile.cu');
    await commands.executeCommand('warplens.showModel');
    const model = await until('the model', () =>
      workspace.textDocuments.find(
        (document) => document.uri.scheme === 'warplens-model' && document.getText().length > 0,
      ),
    );
    await until('the kernel in it', () => /transpose/i.test(model.getText()));
    assert.match(model.getText(), /tile/);
  });

  it('the page of a rule opens in a preview', async () => {
    await commands.executeCommand('warplens.explainRule', 'cuda/bank-conflict');
    await until('the page', () =>
      window.tabGroups.all
        .flatMap(({ tabs }) => tabs)
        .some((tab) => (inBrowser ? /bank-conflict/ : /^Preview .*bank-conflict/).test(tab.label)),
    );
  });

  it('every rule of the settings has its page', async () => {
    const [analysis] = extensions.getExtension('warplens.warplens')!.packageJSON.contributes.configuration;
    const rules: readonly string[] = analysis.properties['warplens.rules'].propertyNames.enum;
    assert.ok(rules.length > 5);
    for (const rule of rules) {
      await commands.executeCommand('warplens.explainRule', rule);
      await until(`the page of ${rule}`, () =>
        window.tabGroups.all.flatMap(({ tabs }) => tabs).some((tab) => tab.label.includes(rule.split('/')[1]!)),
      );
      // Two dozen previews side by side keep a window busy for longer than the next test waits.
      await closeAll();
    }
  }).timeout(120_000);

  it('completion offers the rules in a suppression comment', async () => {
    const editor = await show('samples/transpose/unpadded-tile.cu');
    const { document } = editor;
    const [conflict] = await findingsOf(document, 'cuda/bank-conflict');
    const end = document.lineAt(conflict!.range.start.line).range.end;
    await editor.edit((edit) => edit.insert(end, '  // warplens-ignore-line '));
    const place = document.lineAt(end.line).range.end;
    await until('the rule among the completions', async () => {
      const list = await commands.executeCommand<{ items: { label: string | { label: string } }[] }>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        place,
      );
      return list.items.some(({ label: of }) => (typeof of === 'string' ? of : of.label) === 'cuda/bank-conflict');
    });
  });

  it('snippets are offered in a CUDA file', async () => {
    const document = await workspace.openTextDocument({ language: 'cuda-cpp', content: 'cugrid' });
    await window.showTextDocument(document);
    await until('the grid-stride snippet', async () => {
      const list = await commands.executeCommand<{ items: { label: string | { label: string } }[] }>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        document.positionAt(6),
      );
      return list.items.some(({ label: of }) => (typeof of === 'string' ? of : of.label) === 'cugrid');
    });
  });
});

function hover(document: TextDocument, position: Position): Promise<string> {
  return until(`a hover at line ${position.line + 1}`, async () => (await hoverAt(document, position)) || undefined);
}

function label(hint: InlayHint): string {
  return typeof hint.label === 'string' ? hint.label : hint.label.map((part) => part.value).join('');
}
