// A recorded report over its source: overlay, hover, walk, metric, edits and report page in a real editor.
import * as assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { commands, extensions, Position, Range, Uri, window, workspace, type Hover, type TextEditor } from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import { madeUpProfile, madeUpSource } from '../support/madeUpProfile';
import { activateExtension, closeAll, extensionId, until } from './support';

describe('profile', () => {
  const folder = mkdtempSync(join(tmpdir(), 'warplens-profile-'));
  const report = Uri.file(join(folder, 'patterns.ncu-rep'));
  let profile: ProfileApi;

  before(async function () {
    this.timeout(60_000);
    // The bundle of the tests lies in out/host of the checkout.
    const packed = join(__dirname, '..', '..', 'test', 'profiler', 'reports', 'patterns-full.ncu-rep.br');
    writeFileSync(report.fsPath, brotliDecompressSync(readFileSync(packed)));
    writeFileSync(join(workspace.workspaceFolders![0]!.uri.fsPath, 'patterns.cu'), '');
    await activateExtension();
    profile = (extensions.getExtension(extensionId)!.exports as { profile: ProfileApi }).profile;
  });
  afterEach(async () => {
    profile.store.choose({ metric: 'samples', kernel: null });
    await commands.executeCommand('warplens.profile.clear');
    await closeAll();
  });
  after(() => {
    rmSync(folder, { recursive: true, force: true });
    rmSync(join(workspace.workspaceFolders![0]!.uri.fsPath, 'patterns.cu'), { force: true });
  });

  const layOver = () => commands.executeCommand('warplens.profile.layOver', report);
  const walk = async (command = 'warplens.profile.nextHottest'): Promise<{ editor: TextEditor; line: number }> => {
    await commands.executeCommand(command);
    const editor = window.activeTextEditor!;
    return { editor, line: editor.selection.active.line + 1 };
  };
  /** The profiled source in a file of its own, with the report over it. */
  const opened = async (text?: (profiled: string) => string, state = 'same'): Promise<TextEditor> => {
    await layOver();
    const profiled = [...profile.store.active!.recorded.values()].find(({ path }) => path.endsWith('/patterns.cu'))!
      .text!;
    const path = [...profile.store.active!.recorded.keys()].find((name) => name.endsWith('/patterns.cu'))!;
    const document = await workspace.openTextDocument(Uri.joinPath(workspace.workspaceFolders![0]!.uri, 'patterns.cu'));
    const editor = await window.showTextDocument(document);
    await editor.edit((edit) => edit.replace(new Range(0, 0, document.lineCount, 0), text ? text(profiled) : profiled));
    await document.save();
    await layOver();
    assert.equal(profile.store.active!.places.get(path)!.location.state, state);
    return editor;
  };
  const drawnAt = (editor: TextEditor, line: number) =>
    profile.overlay.drawn(editor).find((drawn) => drawn.line === line);

  it('lays the hottest lines over their source, and takes them away', async () => {
    const editor = await opened();
    const line = await until('the overlay', () => drawnAt(editor, 78));
    assert.equal(line.cell, '48');
    assert.match(line.text, /^48\.5% {2}/);
    const conflict = drawnAt(editor, 110)!;
    assert.equal(conflict.level, 'flagged');
    assert.match(conflict.text, /32\.0× wavefronts/);
    assert.ok(profile.overlay.drawn(editor).length < 100);
    assert.match(profile.status.texts[0]!, /patterns\.ncu-rep: stall samples/);
    await commands.executeCommand('warplens.profile.clear');
    assert.deepEqual(profile.overlay.drawn(editor), []);
    assert.deepEqual(profile.status.texts, []);
  });

  it('switches the metric and the kernel', async () => {
    const editor = await opened();
    await commands.executeCommand('warplens.profile.chooseMetric', 'wavefronts');
    assert.match(drawnAt(editor, 110)!.text, /^32\.0× {2}wavefronts/);
    assert.equal(drawnAt(editor, 23), undefined);
    await commands.executeCommand('warplens.profile.chooseMetric', 'samples');
    const sweep = profile.store.active!.kernels.find(({ shortName }) => shortName === 'reduce_sweep')!;
    await commands.executeCommand('warplens.profile.chooseKernel', sweep.name);
    assert.ok(drawnAt(editor, 78));
    assert.equal(drawnAt(editor, 110), undefined);
    assert.deepEqual(profile.status.texts.slice(1), ['reduce_sweep']);
    const first = await walk();
    assert.equal(first.line, 78);
    assert.equal((await walk()).line, 77);
    assert.equal((await walk('warplens.profile.previousHottest')).line, 78);
  });

  it('walks across files, into sources that only the report has', async () => {
    // The workspace has a file of that name, which is nothing like the profiled one.
    await opened(() => 'int other;\n', 'embedded');
    const first = await walk();
    // NVIDIA's header: from the report, or that of a CUDA toolkit on this machine.
    assert.match(first.editor.document.uri.path, /sm_20_atomic_functions\.hpp$/);
    const second = await walk();
    assert.equal(second.editor.document.uri.scheme, 'warplens-source');
    assert.match(second.editor.document.uri.path, /patterns\.cu$/);
    assert.equal(second.line, 159);
    await until('the overlay on the embedded source', () => drawnAt(window.activeTextEditor!, 159));
  });

  it('explains a line in a hover', async () => {
    const { document } = await opened();
    const hovers = await commands.executeCommand<Hover[]>(
      'vscode.executeHoverProvider',
      document.uri,
      new Position(77, 8),
    );
    const text = hovers
      .flatMap(({ contents }) => contents)
      .map((content) => (typeof content === 'string' ? content : content.value))
      .join('\n');
    assert.match(text, /\*\*48\.5%\*\* of `reduce_sweep`'s stall samples/);
    assert.match(text, /short&nbsp;scoreboard.*waits for data of shared memory/);
    assert.match(text, /of 32 threads each/);
  });

  it('stays on its lines while the text is edited, and greys where a line changed', async () => {
    const editor = await opened();
    await until('the overlay', () => drawnAt(editor, 78));
    await editor.edit((edit) => edit.insert(new Position(0, 0), '// one\n// two\n'));
    await until('the moved line', () => drawnAt(editor, 80)?.text.startsWith('48.5%'));
    await editor.edit((edit) => edit.insert(editor.document.lineAt(79).range.end, ' int changed;'));
    await until('the grey line', () => drawnAt(editor, 80)?.level === 'stale');
    assert.notEqual(drawnAt(editor, 112)?.level, 'stale');
    await commands.executeCommand('undo');
    await until('the line itself again', () => drawnAt(editor, 80)?.level !== 'stale');
  });

  it('greys lines that had changed before the report was opened', async () => {
    const editor = await opened(
      (profiled) =>
        `// new\n${profiled
          .split('\n')
          .map((line, index) => (index === 77 ? `${line} // changed` : line))
          .join('\n')}`,
      'edited',
    );
    await until('the overlay', () => drawnAt(editor, 111));
    assert.equal(drawnAt(editor, 79)!.level, 'stale');
    assert.match(drawnAt(editor, 79)!.text, /changed since it was profiled/);
    assert.equal(
      [...profile.store.active!.places.values()].filter(({ location }) => location.state === 'edited').length,
      1,
    );
  });

  it('opens the report page by a click on the file', async () => {
    const before = profile.pages.drawn.length;
    await commands.executeCommand('vscode.open', report);
    const page = await until('the page', () => profile.pages.drawn[before]);
    assert.equal(page.kernels, profile.store.active!.kernels.length);
    assert.equal(page.lines, 2, 'the kernel that took longest has two hot lines');
    const tab = window.tabGroups.activeTabGroup.activeTab!;
    assert.equal((tab.input as { viewType?: string }).viewType, 'warplens.report');
    assert.equal(profile.store.active?.name, 'patterns.ncu-rep');
  });

  it('says in one sentence why a file is no report', async () => {
    const broken = Uri.file(join(folder, 'broken.ncu-rep'));
    writeFileSync(broken.fsPath, 'no report at all');
    await assert.rejects(profile.store.load(broken), /This is not a report of Nsight Compute/);
    await assert.rejects(profile.store.load(Uri.file(join(folder, 'absent.ncu-rep'))), /There is no file/);
  });

  it('switches fast between metrics, a hundred times', async () => {
    const editor = await opened();
    const begin = performance.now();
    for (let turn = 0; turn < 50; turn++)
      for (const metric of ['wavefronts', 'samples'] as const) profile.store.choose({ metric });
    const each = (performance.now() - begin) / 100;
    assert.ok(each < 100, `${each.toFixed(1)} ms each`);
    assert.ok(drawnAt(editor, 78));
  });

  it('keeps up with a thousand marked lines', async () => {
    const large = Uri.file(join(folder, 'large.cu'));
    writeFileSync(large.fsPath, madeUpSource());
    const document = await workspace.openTextDocument(large);
    const editor = await window.showTextDocument(document);
    const made = madeUpProfile(large, document.getText(), 50);
    const took: Record<string, number[]> = { on: [], switched: [], off: [] };
    const timed = (what: keyof typeof took, act: () => void): void => {
      const begin = performance.now();
      act();
      took[what]!.push(performance.now() - begin);
    };
    for (let round = 0; round < 5; round++) {
      timed('on', () => profile.store.show(made));
      assert.equal(profile.overlay.drawn(editor).length, 1_000);
      timed('switched', () => profile.store.choose({ metric: 'sectors' }));
      assert.equal(profile.overlay.drawn(editor).length, 1_000);
      profile.store.choose({ metric: 'samples' });
      timed('off', () => profile.store.clear());
      assert.equal(profile.overlay.drawn(editor).length, 0);
    }
    for (const [what, times] of Object.entries(took)) {
      const median = times.sort((a, b) => a - b)[2]!;
      assert.ok(median < 100, `${what}: ${median.toFixed(1)} ms`);
    }
  });
});
