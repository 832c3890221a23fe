// The walkthrough's steps do what they say, up to the fix.
import * as assert from 'node:assert/strict';
import { commands, extensions, languages, window, workspace } from 'vscode';
import {
  actionAt,
  activateExtension,
  closeAll,
  extensionId,
  findingsOf,
  pause,
  perform,
  silence,
  until,
} from './support';

describe('walkthrough', () => {
  before(activateExtension);
  afterEach(closeAll);

  it('opens', async () => {
    const labels = (): string[] => window.tabGroups.all.flatMap(({ tabs }) => tabs).map(({ label }) => label);
    assert.deepEqual(labels(), []);
    await commands.executeCommand('warplens.openWalkthrough');
    // From 1.139 on the tab of every walkthrough is called by its page, Welcome, for extensions at least.
    await until(`its tab; there are ${labels().join(', ')}`, () =>
      labels().some((label) => /^Walkthrough:/i.test(label) || label === 'Welcome'),
    );
  });

  it('has commands that exist behind every button', async () => {
    const manifest = extensions.getExtension(extensionId)!.packageJSON;
    const buttons = manifest.contributes.walkthroughs.flatMap(({ steps }: { steps: { description: string }[] }) =>
      steps.flatMap(({ description }) =>
        [...description.matchAll(/\(command:([\w.]+)(?:\?[^)]*)?\)/g)].map(([, command]) => command),
      ),
    );
    assert.ok(buttons.length >= 3);
    const there = new Set(await commands.getCommands(true));
    assert.deepEqual(
      buttons.filter((command: string) => !there.has(command)),
      [],
    );
  });

  it('shows a recorded report over its source, with what was measured of the finding', async function () {
    this.timeout(120_000);
    await commands.executeCommand('warplens.openSample', 'Recorded report');
    const { document } = window.activeTextEditor!;
    assert.match(document.uri.path, /unpadded-tile\.cu$/);
    await until('the verdict', () =>
      languages.getDiagnostics(document.uri).some(({ message }) => /\nConfirmed: /.test(message)),
    );
    await commands.executeCommand('warplens.profile.clear');
  });

  it('shows an example with a finding, whose fix fixes it', async function () {
    this.timeout(120_000);
    await commands.executeCommand('warplens.openSample', 'CUDA kernel');
    const document = window.activeTextEditor!.document;
    assert.ok(document.isUntitled);
    await findingsOf(document, 'cuda/bank-conflict');
    await commands.executeCommand('warplens.fixExample');
    assert.equal(
      workspace.textDocuments.filter(({ isUntitled }) => isUntitled).length,
      1,
      'the example was opened twice',
    );
    let wait = 600;
    // The menu wants a moment before it takes a key; on a busy machine it may come too late for one, and is asked for again.
    await until(
      'the padded tile',
      async () => {
        await pause(wait);
        // Asked again too soon, a menu that is still coming would be closed each time.
        wait *= 1.6;
        await commands.executeCommand('acceptSelectedCodeAction');
        await pause(400);
        if (/\+ 1\]/.test(document.getText())) return true;
        await commands.executeCommand('warplens.fixExample');
        return false;
      },
      40_000,
    );
    await silence(document);
  });

  it('shows an OpenACC example, fixed in two steps @smoke', async () => {
    await commands.executeCommand('warplens.openSample', 'OpenACC in C');
    const { document } = window.activeTextEditor!;
    for (const [rule, title] of [
      ['acc/vector-length', /^Use vector_length\(32\)$/],
      ['acc/missing-workers', /4 workers/],
    ] as const) {
      const [finding] = await findingsOf(document, rule);
      await perform(await actionAt(document, finding!.range, (action) => title.test(action.title)));
    }
    await silence(document);
    assert.match(document.getText(), /gang worker num_workers\(4\) present\(.*\) vector_length\(32\)/);
  });
});
