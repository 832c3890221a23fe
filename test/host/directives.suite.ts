// OpenACC directives in the editor: what is offered while they are typed, what they mean, what is misspelt; in C, C++ and Fortran.
import * as assert from 'node:assert/strict';
import {
  commands,
  type CompletionList,
  Position,
  Range,
  Selection,
  Uri,
  window,
  workspace,
  WorkspaceEdit,
  type TextDocument,
} from 'vscode';
import {
  actionAt,
  activateExtension,
  closeAll,
  findings,
  findingsOf,
  hoverAt,
  perform,
  rangeOf,
  silence,
  until,
} from './support';

describe('directives', () => {
  before(activateExtension);
  afterEach(closeAll);

  async function write(language: string, content: string): Promise<TextDocument> {
    // A large new file of another suite may still be closing, under the name that this one would get.
    const document = await until('a new file', async () => {
      const made = await workspace.openTextDocument({ language, content });
      return made.getText() === content && made;
    });
    await window.showTextDocument(document);
    return document;
  }

  async function labels(document: TextDocument, behind: string, wanted: string): Promise<string[]> {
    const at = rangeOf(document, behind).end;
    return until(`"${wanted}" behind "${behind}"`, async () => {
      const list = await commands.executeCommand<CompletionList>(
        'vscode.executeCompletionItemProvider',
        document.uri,
        at,
      );
      const names = list.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
      return names.includes(wanted) && names;
    });
  }

  async function hover(document: TextDocument, word: string): Promise<string> {
    const at = rangeOf(document, word).start.translate(0, 1);
    return until(`a hover over "${word}"`, () => hoverAt(document, at));
  }

  for (const [language, sentinel, code] of [
    [
      'c',
      '#pragma acc',
      'void f(double *a, int n) {\n  #pragma acc parallel loop gang copy(a[0:n]) \n  for (int i = 0; i < n; ++i) a[i] *= 2;\n}\n',
    ],
    [
      'cpp',
      '#pragma acc',
      'void f(double *a, int n) {\n  #pragma acc parallel loop gang copy(a[0:n]) \n  for (int i = 0; i < n; ++i) a[i] *= 2;\n}\n',
    ],
    [
      'FortranFreeForm',
      '!$acc',
      'subroutine f(a, n)\n  integer :: n, i\n  real(8) :: a(n)\n  !$acc parallel loop gang copy(a(1:n)) \n  do i = 1, n\n    a(i) = 2 * a(i)\n  end do\nend subroutine\n',
    ],
  ] as const) {
    it(`offer clauses that may still stand, and say what they mean, in ${language}`, async () => {
      const document = await write(language, code);
      const clause = language === 'FortranFreeForm' ? 'copy(a(1:n)) ' : 'copy(a[0:n]) ';
      const offered = await labels(document, clause, 'vector_length');
      assert.ok(offered.includes('vector') && offered.includes('copyin'), offered.join(', '));
      assert.ok(!offered.includes('gang') && !offered.includes('use_device'), offered.join(', '));
      assert.match(await hover(document, 'gang'), /Divides the iterations among gangs/);
      assert.match(await hover(document, 'parallel loop'), /starts gangs/);
      const directives = await labels(document, `${sentinel} `, 'parallel loop');
      assert.ok(directives.includes('enter data'));
    });

    it(`a misspelt clause is found and fixed in ${language}`, async () => {
      const document = await write(language, code.replace(' gang ', ' vectr_length(128) gang '));
      const [found] = await findingsOf(document, 'acc/unknown-name');
      assert.equal(document.getText(found!.range), 'vectr_length');
      await perform(await actionAt(document, found!.range, ({ title }) => title.startsWith('Write `vector_length`')));
      assert.match(document.getText(), / vector_length\(128\) gang /);
      await silence(document, 'acc/unknown-name');
    });
  }

  it('have no error under the cursor while a word is typed, and have it when the cursor has left', async () => {
    const document = await write(
      'c',
      'void f(double *a, int n) {\n  #pragma acc parallel loop zzz \n  for (int i = 0; i < n; ++i) a[i] *= 2;\n}\n',
    );
    const editor = window.activeTextEditor!;
    const marked = (): string[] => findings(document).map(({ range }) => document.getText(range));
    await until('the error of the word that stands', () => marked().includes('zzz'));
    const end = document.lineAt(1).range.end;
    editor.selection = new Selection(end, end);
    for (const letter of 'vectr') await commands.executeCommand('type', { text: letter });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    assert.deepEqual(
      marked().filter((text) => text !== 'a[i]'),
      ['zzz'],
      'of the text before the cursor',
    );
    editor.selection = new Selection(3, 0, 3, 0);
    await until('both errors', () => marked().includes('vectr') && marked().includes('zzz'));
  });

  it('files of Fortran have their language @smoke', async () => {
    for (const [name, language] of [
      ['free.f90', 'FortranFreeForm'],
      ['FREE.F90', 'FortranFreeForm'],
      ['fixed.f', 'FortranFixedForm'],
      ['cuda.cuf', 'FortranFreeForm'],
    ]) {
      const document = await workspace.openTextDocument(Uri.parse(`untitled:/tmp/warplens/${name}`));
      assert.equal(document.languageId, language, name);
    }
  });

  it('are completed by typing: the sentinel, the directive, a clause with its parentheses', async () => {
    const document = await write('c', 'void f(double *a, int n) {\n  \n}\n');
    const editor = window.activeTextEditor!;
    const edit = new WorkspaceEdit();
    edit.insert(document.uri, new Position(1, 2), '#pragma acc parallel loop vector_len');
    await workspace.applyEdit(edit);
    editor.selection = new Selection(document.lineAt(1).range.end, document.lineAt(1).range.end);
    await labels(document, 'vector_len', 'vector_length');
    await until('the clause with its default', async () => {
      await commands.executeCommand('editor.action.triggerSuggest');
      await new Promise((resolve) => setTimeout(resolve, 300));
      await commands.executeCommand('acceptSelectedSuggestion');
      return document.getText(new Range(1, 0, 2, 0)).includes('vector_length(128)');
    });
  });
});
