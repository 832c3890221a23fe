// A timeline of Nsight Systems in the editor: its calls on the lines of host code, verdicts on what is found there, its page, and a file that is none.
import * as assert from 'node:assert/strict';
import {
  commands,
  extensions,
  languages,
  window,
  workspace,
  WorkspaceEdit,
  type Diagnostic,
  type TextDocument,
} from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import { activateExtension, closeAll, extensionId, findings, inWorkspace, show, until } from './support';

describe('timeline', function () {
  this.timeout(120_000);
  let profile: ProfileApi;
  before(async () => {
    await activateExtension();
    ({ profile } = extensions.getExtension(extensionId)!.exports as { profile: ProfileApi });
  });
  afterEach(async () => {
    await commands.executeCommand('warplens.profile.clear');
    await closeAll();
  });

  const verdict = (document: TextDocument, pattern: RegExp): Promise<Diagnostic> =>
    until(
      `${String(pattern)}; there are: ${findings(document)
        .map(({ message }) => message)
        .join(' | ')}`,
      () => findings(document).find(({ message }) => pattern.test(message.split('\n')[1] ?? '')),
    );

  it('marks the lines of host code, confirms what is found there, and goes with the timeline', async () => {
    const { document } = await show('samples/allocation/allocate-each-turn.cu');
    await commands.executeCommand(
      'warplens.profile.layOver',
      inWorkspace('samples/profiles/allocate-each-turn.sqlite'),
    );
    assert.equal(profile.timelines.active?.name, 'allocate-each-turn.sqlite');
    const said = await verdict(
      document,
      /^Confirmed: cudaMalloc and cudaFree were called 260 times; the GPU idled for/,
    );
    assert.match(document.lineAt(said.range.start.line).text, /cudaMalloc/);
    const drawn = await until('marks', () => {
      const lines = profile.timelines.drawn(document);
      return lines.length >= 5 ? lines : undefined;
    });
    const marked = new Map(
      drawn.map(({ line, text }) => [
        document
          .lineAt(line - 1)
          .text.trim()
          .split('(')[1],
        text,
      ]),
    );
    assert.match(marked.get('cudaFree') ?? '', /^cudaFree: 130×, GPU idle 13\.4 ms \(36 %\)$/);
    await commands.executeCommand('warplens.profile.clear');
    await until('the finding alone', () => findings(document).some(({ message }) => !message.includes('\n')));
    await until('no marks', () => profile.timelines.drawn(document).length === 0);
  });

  it('opens from the same command as a report, as a page @smoke', async () => {
    const before = profile.timelinePages.drawn.length;
    await commands.executeCommand('warplens.profile.open', inWorkspace('samples/profiles/synchronise-each.sqlite'));
    await until('the page', () =>
      window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label.includes('synchronise-each.sqlite'))),
    );
    const drawn = await until('boxes', () => profile.timelinePages.drawn.slice(before).at(-1));
    assert.ok(Number(drawn.boxes) > 10, `${String(drawn.boxes)} boxes`);
    const shown = profile.timelines.active!;
    const wait = shown.timeline.rows.findIndex(({ kind }) => kind === 'call');
    const index = shown.timeline.rows[wait]!.events.findLastIndex(({ name }) => name === 'cudaDeviceSynchronize');
    await profile.timelinePages.goTo(shown, wait, index);
    const editor = window.activeTextEditor!;
    assert.match(editor.document.lineAt(editor.selection.active.line).text, /cudaDeviceSynchronize\(\)/);
  });

  it('a click on the file opens its page', async () => {
    const before = profile.timelinePages.drawn.length;
    await commands.executeCommand('vscode.open', inWorkspace('samples/profiles/blocking-copies.sqlite'));
    await until('the page is drawn', () => profile.timelinePages.drawn.length > before);
    assert.equal(profile.timelines.active?.name, 'blocking-copies.sqlite');
  });

  it('says nothing of another program, and greys what an edit makes old', async () => {
    await commands.executeCommand('warplens.profile.layOver', inWorkspace('samples/profiles/blocking-copies.sqlite'));
    const other = await show('samples/fusion/bias-then-silu.cu');
    const { document } = await show('samples/copies/blocking-copies.cu');
    const live = await until('marks', () => {
      const lines = profile.timelines.drawn(document);
      return lines.length > 0 ? lines : undefined;
    });
    assert.ok(live.every(({ text }) => !text.startsWith('changed since')));
    assert.deepEqual(profile.timelines.drawn(other.document), []);
    const copies = live.filter(({ text }) => text.includes('cudaMemcpy: 192×'));
    assert.equal(copies.length, 1, live.map(({ text }) => text).join(' | '));
    // The loop around it, one more turn.
    let loop = copies[0]!.line - 1;
    while (!/^\s*for \(/.test(document.lineAt(loop).text)) loop--;
    const edit = new WorkspaceEdit();
    edit.replace(document.uri, document.lineAt(loop).range, document.lineAt(loop).text.replace('<', '<='));
    await workspace.applyEdit(edit);
    const old = await until('grey', () => {
      const now = profile.timelines.drawn(document).find(({ line }) => line === copies[0]!.line);
      return now?.text.startsWith('changed since, profile again; was ') ? now : undefined;
    });
    assert.ok(old.text.endsWith(copies[0]!.text), 'the same figures, redistributed to no other line');
  });

  it('a file that is not a timeline changes nothing', async () => {
    const broken = inWorkspace('broken.sqlite');
    await workspace.fs.writeFile(broken, new TextEncoder().encode('SQLite format 3 and then nothing of it'));
    try {
      await commands.executeCommand(
        'warplens.profile.layOver',
        inWorkspace('samples/profiles/synchronise-each.sqlite'),
      );
      const shown = profile.timelines.active;
      await commands.executeCommand('warplens.profile.layOver', broken);
      assert.equal(profile.timelines.active, shown);
      assert.equal(languages.getDiagnostics(broken).length, 0);
    } finally {
      await workspace.fs.delete(broken);
    }
  });
});
