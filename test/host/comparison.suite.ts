// Two reports beside each other in a real editor: the difference over the lines, the walk from change to change, the table, and the machine code of both.
import * as assert from 'node:assert/strict';
import {
  commands,
  extensions,
  Position,
  Selection,
  type Uri,
  window,
  workspace,
  type CodeLens,
  type TextEditor,
} from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import { activateExtension, closeAll, extensionId, hoverAt, inBrowser, inWorkspace, until } from './support';

describe('comparison', function () {
  this.timeout(120_000);
  const at = (name: string): Uri => inWorkspace(`compared/${name}.ncu-rep`);
  const copy = (name: string): Thenable<void> =>
    workspace.fs.copy(inWorkspace(`samples/profiles/${name}`), inWorkspace(`compared/${name}`), { overwrite: true });
  const [before_, after_] = [at('unpadded-tile'), at('unpadded-tile.fixed')];
  let profile: ProfileApi;

  before(async () => {
    for (const name of ['unpadded-tile', 'unpadded-tile.fixed'])
      for (const ending of ['ncu-rep', 'ncu-rep.sass.gz']) await copy(`${name}.${ending}`);
    await activateExtension();
    profile = (extensions.getExtension(extensionId)!.exports as { profile: ProfileApi }).profile;
  });
  afterEach(async () => {
    profile.pages.compare(after_, undefined);
    await commands.executeCommand('warplens.profile.clear');
    await closeAll();
  });
  after(() => workspace.fs.delete(inWorkspace('compared'), { recursive: true }));

  /** The source of the later report, with the difference over it. */
  async function compared(): Promise<TextEditor> {
    await commands.executeCommand('warplens.profile.layOver', after_);
    await commands.executeCommand('warplens.profile.compare', after_, before_);
    const place = [...profile.store.active!.places].find(([file]) => file.endsWith('unpadded-tile.fixed.cu'))![1];
    const editor = await window.showTextDocument(await workspace.openTextDocument(place.uri!), { preview: false });
    await until('the difference', () => profile.overlay.drawn(editor).length > 0);
    return editor;
  }

  it('lays the difference over the lines: what got better, by how much and why', async () => {
    const editor = await compared();
    const drawn = profile.overlay.drawn(editor);
    const read = drawn.find(({ line }) => line === 18)!;
    assert.deepEqual([read.level, read.cell], ['better', '−26']);
    assert.match(read.text, /^−21\.9 µs {2}36\.2 % → 25\.9 % {2}wavefronts 32\.0× → 1\.0× {2}less MIO throttle$/);
    assert.ok(drawn.every(({ level }) => level === 'better'));
    assert.match(profile.status.texts[0]!, /difference to unpadded-tile\.ncu-rep$/);
    const { uri } = editor.document;
    // A browser starts no profile and has no lens for it.
    if (!inBrowser)
      await until('the gain of the kernel over it', async () =>
        (await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', uri)).some((lens) =>
          /µs, 2\.\d+× faster than unpadded-tile\.ncu-rep · /.test(lens.command?.title ?? ''),
        ),
      );
    // Markdown escapes its signs.
    const text = (await hoverAt(editor.document, new Position(17, 8))).replaceAll('\\', '');
    assert.match(text, /Since unpadded-tile\.ncu-rep, in transpose: −21\.9 µs a launch/);
    // A metric that is asked for is shown in its place.
    await commands.executeCommand('warplens.profile.chooseMetric', 'samples');
    assert.equal(profile.store.comparison, undefined);
    assert.match(profile.overlay.drawn(editor).find(({ line }) => line === 18)!.text, /^25\.9 %/);
  });

  it('walks to the next and the previous change, round the ends', async () => {
    await compared();
    const walk = async (command: string): Promise<number> => {
      await commands.executeCommand(`warplens.profile.${command}`);
      return window.activeTextEditor!.selection.active.line + 1;
    };
    window.activeTextEditor!.selection = new Selection(0, 0, 0, 0);
    const seen = [
      await walk('nextChange'),
      await walk('nextChange'),
      await walk('nextChange'),
      await walk('nextChange'),
    ];
    assert.deepEqual(seen, [9, 10, 18, 20]);
    assert.equal(await walk('nextChange'), 9);
    assert.equal(await walk('previousChange'), 20);
  });

  it('tells each line on the report page by what it cost or saved, with the registers of both', async () => {
    const drawn = profile.pages.drawn.length;
    await commands.executeCommand('warplens.profile.layOver', after_);
    await commands.executeCommand('warplens.profile.compare', after_, before_);
    const page = await until('the page', () =>
      profile.pages.drawn.slice(drawn).find(({ model }) => model.kernels[0]?.changes),
    );
    const [kernel] = page.model.kernels;
    assert.deepEqual((page.sections as readonly string[]).slice(0, 2), ['Kernels', 'What changed']);
    assert.deepEqual(
      kernel!.changes!.map(({ line, cost }) => [line, cost]),
      [
        [18, '−21.9 µs'],
        [9, '−20.1 µs'],
        [20, '−6.9 µs'],
        [10, '−2.6 µs'],
      ],
    );
    assert.equal(kernel!.before!.gain, '2.48×');
    assert.ok(kernel!.facts.some(({ name, value }) => name === 'Registers per thread' && value === '28'));
  });

  it('shows the machine code of both beside the source; lines and instructions mark each other', async () => {
    const editor = await compared();
    editor.selection = new Selection(17, 0, 17, 0);
    await commands.executeCommand('warplens.profile.showSass');
    const shown = await until('the instructions of line 18', () => {
      const page = profile.sass.shown;
      const marked = page?.drawn?.marked as readonly number[] | undefined;
      return marked && marked.length === 2 && marked.every((count) => count > 0) ? page : undefined;
    });
    const [before, after] = shown!.model.sides;
    assert.deepEqual([before!.name, after!.name], ['unpadded-tile.ncu-rep', 'unpadded-tile.fixed.ncu-rep']);
    for (const side of [before!, after!]) {
      assert.match(side.about, /^disassembled by nvdisasm 13\.0\.85; 28 registers per thread, at most \d+ alive$/);
      assert.ok(side.rows.some(({ text, live }) => /^LDS /.test(text) && live !== ''));
    }
    const rowsOf = (line: number): number =>
      after!.rows.filter(({ keys }) => keys.some((key) => key.startsWith(`${line}\n`))).length;
    assert.equal((shown!.drawn!.marked as number[])[1], rowsOf(18));
    // Another line of the source marks other instructions.
    editor.selection = new Selection(11, 0, 11, 0);
    await until('the instructions of line 12', () => (profile.sass.shown!.drawn!.marked as number[])[1] === rowsOf(12));
    // An instruction marks its line.
    const store = after!.rows.find(({ text }) => /^STS \[/.test(text))!;
    await profile.sass.choose(store.keys);
    assert.deepEqual(
      profile.sass.marked(window.visibleTextEditors.find(({ document }) => document === editor.document)!),
      [12],
    );
  });

  it('without a disassembly names what it can, and says what is missing', async () => {
    const lone = at('parity-branch');
    await copy('parity-branch.ncu-rep');
    await commands.executeCommand('warplens.profile.layOver', lone);
    await commands.executeCommand('warplens.profile.showSass');
    const shown = await until('the page', () => profile.sass.shown?.drawn && profile.sass.shown);
    const [side] = shown.model.sides;
    assert.match(side!.about, /^This report has no disassembly/);
    assert.equal(side!.hasLive, false);
    assert.ok(side!.rows.some(({ text }) => text === 'LDG'));
  });
});
