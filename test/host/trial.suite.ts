// Measuring a fix and sweeping a number in the editor, by recorded reports: the menu, the progress, the page, applying and leaving.
import * as assert from 'node:assert/strict';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CodeAction,
  commands,
  extensions,
  languages,
  Range,
  window,
  workspace,
  type QuickPickItem,
  type TextDocument,
} from 'vscode';
import type { Profiling, RunArguments } from '../../client/src/profiling/profiling';
import type { Asking } from '../../client/src/profiling/asking';
import type { TrialFeature } from '../../client/src/trial/activateTrial';
import type { ShownTrial } from '../../client/src/trial/trialPanel';
import { makeReplayHost, type ReplayHost } from '../profiler-host/replayFolder';
import { activateExtension, closeAll, extensionId, findingsOf, pause, show, until, yielding } from './support';

describe('measuring a change', function () {
  this.timeout(120_000);
  const file = 'samples/transpose/unpadded-tile.cu';
  let host: ReplayHost;
  let api: { readonly profiling: Profiling; readonly trial: TrialFeature };
  let asking: Asking;
  const said: string[] = [];
  let answers: (string | undefined)[];
  const path = process.env.PATH;

  before(async () => {
    // The bundle of the tests lies two folders below the checkout.
    const recorded = join(__dirname, '..', '..', 'samples', 'profiles');
    host = makeReplayHost(readFileSync(join(recorded, 'unpadded-tile.ncu-rep')));
    for (const name of ['unpadded-tile', 'unpadded-tile.fixed'])
      host.keepReport(name, readFileSync(join(recorded, `${name}.ncu-rep`)));
    host.play('named');
    await activateExtension();
    process.env.PATH = `${host.tools}:${path}`;
    process.env.WARPLENS_TEST = host.mark;
    api = extensions.getExtension(extensionId)!.exports as typeof api;
    asking = api.profiling.asking;
    api.profiling.asking = {
      ...yielding(said),
      async pick<Item extends QuickPickItem>(items: readonly Item[]) {
        const item = items.find(({ label }) => label === answers[0]);
        answers.shift();
        return item && { item };
      },
      input: async () => answers.shift(),
    };
  });
  beforeEach(() => {
    said.length = 0;
    answers = [];
  });
  afterEach(async () => {
    api.profiling.isTrusted = () => true;
    await closeAll();
    assert.deepEqual(await host.leftBehind(), [], 'left behind');
  });
  after(async () => {
    process.env.PATH = path;
    delete process.env.WARPLENS_TEST;
    api.profiling.asking = asking;
    for (const run of api.profiling.memory.runs) await api.profiling.memory.forget(run);
    host.remove();
    rmSync(join(workspace.workspaceFolders![0]!.uri.fsPath, 'samples', 'transpose', 'prog'), { force: true });
  });

  /** A build without a compiler: padded tiles and tiles of 64 rows are the recorded fast program, after a sleep. */
  const run = (says = 'echo result 42'): RunArguments => ({
    build: `r=; grep -q "tileSize + 1\\|tileSize = 64" unpadded-tile.cu && r=.fixed; { echo '#!/bin/sh'; echo "# replays unpadded-tile$r"; echo '${says}'; echo 'sleep 0.5'; } >prog; chmod +x prog`,
    program: './prog',
    folder: 'samples/transpose',
    name: 'transpose',
    host: 'local',
    scratch: host.scratchIn,
  });
  const padded = /Pad rows of `tile`/;
  async function offered(document: TextDocument): Promise<CodeAction[]> {
    const [finding] = await findingsOf(document, 'cuda/bank-conflict');
    return (
      (await commands.executeCommand<CodeAction[]>('vscode.executeCodeActionProvider', document.uri, finding!.range)) ??
      []
    );
  }
  async function measure(says?: string): Promise<{ document: TextDocument; trial: ShownTrial }> {
    const { document } = await show(file);
    const action = (await offered(document)).find(({ title }) => title.startsWith('Measure: '))!;
    const trial = await commands.executeCommand<ShownTrial | undefined>(action.command!.command, {
      ...action.command!.arguments![0],
      run: run(says),
    });
    assert.ok(trial, said.join('\n'));
    return { document, trial };
  }
  const drawn = (trial: ShownTrial) => until('the page', () => trial.drawn);

  it('stands directly under its fix, where the workspace is trusted', async () => {
    const { document } = await show(file);
    const titles = (await offered(document)).map(({ title }) => title);
    const at = titles.findIndex((title) => padded.test(title));
    // Without the figures and the price, which the row above has.
    const fix = titles[at]!.replace(/: .*$/, '');
    assert.equal(titles[at + 1], `Measure: ${fix}`, titles.join('\n'));
    assert.equal(titles.filter((title) => title.startsWith('Measure: ')).length, 1);
    api.profiling.isTrusted = () => false;
    assert.equal(
      (await offered(document)).some(({ title }) => title.startsWith('Measure: ')),
      false,
    );
    await commands.executeCommand('warplens.measureFix', { ...(await fixReference(document)), run: run() });
    assert.match(said.join('\n'), /does not run programs in an untrusted workspace/);
  });

  async function fixReference(document: TextDocument): Promise<object> {
    api.profiling.isTrusted = () => true;
    const action = (await offered(document)).find(({ title }) => title.startsWith('Measure: '))!;
    api.profiling.isTrusted = () => false;
    return action.command!.arguments![0] as object;
  }

  it('measures a fix by stages, shows the verdict, and applies it', async () => {
    const { document, trial } = await measure();
    assert.deepEqual(trial.model.headline, '2.48× faster');
    assert.match(
      trial.model.explanation,
      /^The kernel transpose took 85 µs and takes 34\.3 µs\. The output is the same\. Compared: 1 whole line and 1 number\.$/,
    );
    assert.match(trial.model.subtitle, /^unpadded-tile\.cu:18 · NVIDIA H200 \(replay\) · this machine$/);
    assert.deepEqual(
      api.trial.said.map((message) => message.split(':')[0]),
      [
        'connecting',
        'the checks before the run',
        'building',
        'building',
        'running',
        'running',
        'timing the kernels',
        'timing the kernels',
      ],
    );
    const page = await drawn(trial);
    assert.deepEqual(page.buttons, ['Apply', 'Leave', 'Show Change', 'Compare Outputs']);
    assert.equal(page.forms, 2);
    assert.equal(document.isDirty, false, 'measuring changes nothing');
    await trial.act({ type: 'apply', form: 1 });
    assert.match(document.getText(), /tile\[tileSize\]\[tileSize \+ 1\]/);
    assert.match(trial.model.applied!, /^Applied\./);
    await until('the finding to go', () =>
      languages.getDiagnostics(document.uri).every(({ source }) => source !== 'warplens'),
    );
  });

  it('the second measurement asks nothing: the run is remembered', async () => {
    const { document } = await show(file);
    const action = (await offered(document)).find(({ title }) => title.startsWith('Measure: '))!;
    const trial = await commands.executeCommand<ShownTrial | undefined>(
      action.command!.command,
      ...action.command!.arguments!,
    );
    assert.equal(trial?.model.headline, '2.48× faster', said.join('\n'));
  });

  it('a change that alters the output is not offered, and both outputs stand side by side', async () => {
    const { document, trial } = await measure(
      'if grep -q "tile[.]fixed" "$0"; then echo result 43; else echo result 42; fi',
    );
    assert.equal(trial.model.headline, 'The output differs');
    assert.match(trial.model.explanation, /^On line 1: "result 42" became "result 43"/);
    assert.equal(trial.model.offer, undefined);
    assert.deepEqual((await drawn(trial)).buttons, ['Leave', 'Show Change', 'Show Output Difference', 'Apply Anyway']);
    await trial.act({ type: 'output', form: 1 });
    const outputs = () =>
      window.visibleTextEditors.map((editor) => editor.document.getText()).filter((text) => text.startsWith('result'));
    await until('the diff', () => outputs().length === 2);
    assert.deepEqual(outputs().sort(), ['result 42\n', 'result 43\n']);
    await trial.act({ type: 'leave' });
    await until('the page to close', () => !trial.isOpen);
    assert.equal(document.isDirty, false);
  });

  it('applies nothing to a text that has changed since', async () => {
    const { document, trial } = await measure();
    const editor = await window.showTextDocument(document);
    await editor.edit((edit) => edit.insert(document.positionAt(0), '// another line\n'));
    await trial.act({ type: 'apply', form: 1 });
    assert.match(said.join('\n'), /has changed since the measurement, so nothing was applied/);
    assert.doesNotMatch(document.getText(), /tileSize \+ 1/);
  });

  it('sweeps a constant: a row for each value, the best as the offered edit', async () => {
    const { document } = await show(file);
    await findingsOf(document, 'cuda/bank-conflict');
    const at = document.getText().indexOf('32');
    const range = new Range(document.positionAt(at), document.positionAt(at));
    const actions = await until('the sweep', async () => {
      const found =
        (await commands.executeCommand<CodeAction[]>('vscode.executeCodeActionProvider', document.uri, range)) ?? [];
      return found.some(({ title }) => title.startsWith('Sweep')) && found;
    });
    const action = actions.find(({ title }) => title === 'Sweep tileSize…')!;
    answers = ['16, 64, 32'];
    const trial = await commands.executeCommand<ShownTrial | undefined>(action.command!.command, {
      ...action.command!.arguments![0],
      run: run(),
    });
    assert.ok(trial, said.join('\n'));
    assert.deepEqual(
      trial.model.forms.map(({ name, isBest, cells }) => [name, isBest, cells.result]),
      [
        ['32 (current)', false, ''],
        ['16', false, 'no gain'],
        ['64', true, '2.48× faster'],
      ],
    );
    assert.deepEqual((await drawn(trial)).buttons, ['Apply 64', 'Leave']);
    await trial.act({ type: 'apply', form: trial.model.offer!.form });
    assert.match(document.getText(), /const int tileSize = 64;/);
  });

  it('what does not build, a program that is built already and a run that is cancelled are said', async () => {
    const { document } = await show(file);
    const action = (await offered(document)).find(({ title }) => title.startsWith('Measure: '))!;
    const asked = (more: RunArguments) =>
      commands.executeCommand<ShownTrial | undefined>(action.command!.command, {
        ...action.command!.arguments![0],
        run: { ...run(), ...more },
      });
    assert.equal(await asked({ build: 'echo "unpadded-tile.cu:3:1: error: no such thing"; exit 1' }), undefined);
    assert.match(said.pop()!, /The unchanged program does not build: unpadded-tile\.cu:3:1: no such thing/);
    assert.equal(
      await commands.executeCommand(action.command!.command, {
        ...action.command!.arguments![0],
        run: { program: '/bin/true', host: 'local', name: 'true' },
      }),
      undefined,
    );
    assert.match(said.pop()!, /needs a build from copies of the sources/);
    const slow = asked({ build: 'sleep 30' });
    await until('the build', () => api.trial.said.some((message) => message.startsWith('building')));
    await pause(300);
    api.trial.cancel();
    assert.equal(await slow, undefined);
    assert.deepEqual(said, []);
  });

  it('offers another host where this machine has no GPU', async function () {
    const { document } = await show(file);
    const reference = await fixReference(document);
    api.profiling.isTrusted = () => true;
    const { say } = api.profiling.asking;
    const offered: (readonly string[])[] = [];
    const answered: string[] = [];
    api.profiling.asking.say = async (_level, message, ...buttons) => {
      said.push(message);
      offered.push(buttons);
      return buttons.find((button) => button === 'Choose Host…');
    };
    const { pick } = api.profiling.asking;
    api.profiling.asking.pick = async (_items, { title }) => {
      answered.push(title);
      return undefined;
    };
    // Without the tools of the replay this machine is what it is.
    process.env.PATH = path;
    try {
      await commands.executeCommand('warplens.measureFix', { ...reference, run: run() });
      if (said.length === 0) this.skip(); // a GPU after all
      assert.match(said[0]!, /GPU|nvidia-smi/i);
      assert.equal(offered[0]![0], 'Choose Host…', offered.map((buttons) => buttons.join()).join(' | '));
      await until('the list of hosts', () => answered.includes('Host with the GPU'));
    } finally {
      process.env.PATH = `${host.tools}:${path}`;
      api.profiling.asking.say = say;
      api.profiling.asking.pick = pick;
    }
  });
});
