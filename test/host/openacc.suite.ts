// The walk of the sparse product through the editor: mapping, vector length and workers, one fix after the other, in C and in Fortran, in the parallel form and in the kernels form.
import * as assert from 'node:assert/strict';
import { commands, DiagnosticSeverity, extensions, type CodeAction, type TextDocument } from 'vscode';
import type { Profiling } from '../../client/src/profiling/profiling';
import {
  actionAt,
  activateExtension,
  closeAll,
  extensionId,
  findings,
  findingsOf,
  hoverAt,
  inBrowser,
  listed,
  perform,
  rangeOf,
  ruleOf,
  show,
  silence,
  until,
} from './support';

describe('OpenACC from the naive form to workers', function () {
  this.timeout(120_000);
  before(activateExtension);
  afterEach(closeAll);

  /** Applies the fix whose title fits, of the only finding of the rule. */
  async function mend(document: TextDocument, rule: string, title: RegExp): Promise<void> {
    const [finding] = await findingsOf(document, rule);
    await perform(await actionAt(document, finding!.range, (action) => title.test(action.title)));
    await silence(document, rule);
  }

  /** Titles of the menu on the only finding of the rule. */
  async function menu(document: TextDocument, rule: string): Promise<string[]> {
    const [finding] = await findingsOf(document, rule);
    return until(`the menu of ${rule}`, async () => {
      const actions =
        (await commands.executeCommand<CodeAction[]>(
          'vscode.executeCodeActionProvider',
          document.uri,
          finding!.range,
        )) ?? [];
      // Newer editors put their own offers beside those of extensions: *Fix*, *Explain*, *Modify*.
      const ours = actions.filter(({ command }) => command === undefined || command.command.startsWith('warplens.'));
      return ours.length > 0 && ours.map((action) => action.title);
    });
  }

  /** What the hover says of the last word of a text. */
  async function hover(document: TextDocument, text: string): Promise<string> {
    const at = rangeOf(document, text).end.translate(0, -1);
    return until(`a hover over "${text}"`, () => hoverAt(document, at));
  }

  for (const { language, file, directive, clauses } of [
    {
      language: 'C',
      file: '1-naive.c',
      directive: '#pragma acc parallel loop',
      clauses: [/loop vector reduction\(\+:sum\)/, /vector_length\(32\)/, /gang worker num_workers\(4\)/],
    },
    {
      language: 'Fortran',
      file: '1-naive.f90',
      directive: '!$acc parallel loop',
      clauses: [/loop vector reduction\(\+:total\)/, /vector_length\(32\)/, /gang worker num_workers\(4\)/],
    },
  ]) {
    it(`parallel loop in ${language}`, async () => {
      const { document } = await show(`samples/openacc/conjugate-gradient/${file}`);
      const multiply = (): string =>
        document.getText().slice(document.getText().indexOf(directive)).split('\n').slice(0, 6).join('\n');
      const [first] = await findingsOf(document, 'acc/missing-mapping');
      assert.equal(first!.severity, DiagnosticSeverity.Hint);
      assert.match(await hover(document, directive), /starts gangs/);
      assert.match(await hover(document, 'copyin'), /copies in at the start/);

      await mend(document, 'acc/missing-mapping', /^Give the loop over `entry` to vector lanes/);
      assert.match(multiply(), clauses[0]!);
      const [lanes] = await findingsOf(document, 'acc/vector-length');
      assert.match(lanes!.message, /[Aa]t most 27 iterations.*101 of 128 vector lanes/s);

      await mend(document, 'acc/vector-length', /^Use vector_length\(32\)$/);
      assert.match(multiply(), clauses[1]!);

      const offered = await menu(document, 'acc/missing-workers');
      assert.deepEqual(offered.filter((title) => /num_workers/.test(title)).length, 4, offered.join('\n'));
      await mend(document, 'acc/missing-workers', /^Use 4 workers/);
      assert.match(multiply(), clauses[2]!);
      assert.deepEqual(findings(document).map(ruleOf), ['acc/missing-data-region'], listed(document).join(', '));
    });
  }

  for (const file of ['kernels-1-compiler-chooses.c', 'kernels-1-compiler-chooses.f90']) {
    it(`kernels in ${file}`, async () => {
      const { document } = await show(`samples/openacc/conjugate-gradient/${file}`);
      await mend(document, 'acc/vector-length', /vector\(32\)/);
      assert.match(document.getText(), /loop .*vector\(32\)/);
      await mend(document, 'acc/missing-workers', /4 workers/);
      assert.match(document.getText(), /gang.* worker\(4\)/);
      await silence(document);
    });
  }

  for (const stage of ['4-workers.c', '4-workers.f90', 'kernels-3-workers.c', 'kernels-3-workers.f90']) {
    it(`nothing is left to say of ${stage}`, async () => {
      // A neighbour whose finding comes later tells that the server has read this one.
      const { document } = await show(`samples/openacc/conjugate-gradient/${stage}`);
      const { document: other } = await show('samples/openacc/conjugate-gradient/kernels-1-compiler-chooses.c');
      await findingsOf(other, 'acc/vector-length');
      await silence(document);
    });
  }

  it('several fixes are measured in one row, and a mistake of form not at all', async function () {
    if (inBrowser) this.skip();
    const { profiling } = extensions.getExtension(extensionId)!.exports as { readonly profiling: Profiling };
    assert.equal(profiling.isTrusted(), true);
    const { document } = await show('samples/openacc/conjugate-gradient/3-vector-32.c');
    const offered = await menu(document, 'acc/missing-workers');
    const measures = offered.filter((title) => title.startsWith('Measure'));
    assert.deepEqual(measures, ['Measure these 4 fixes'], offered.join('\n'));
    assert.equal(offered.indexOf(measures[0]!), 4, 'it stands below the fixes');
    assert.ok(offered.length <= 8, offered.join('\n'));

    const { document: misspelt, edit } = await show('samples/openacc/conjugate-gradient/4-workers.c').then(
      (editor) => ({ document: editor.document, edit: editor.edit.bind(editor) }),
    );
    await edit((change) => change.replace(rangeOf(misspelt, 'num_workers'), 'num_wrokers'));
    const words = await menu(misspelt, 'acc/unknown-name');
    assert.ok(
      words.some((title) => title.startsWith('Write `num_workers`')),
      words.join('\n'),
    );
    assert.ok(
      words.every((title) => !title.startsWith('Measure')),
      words.join('\n'),
    );
  });
});
