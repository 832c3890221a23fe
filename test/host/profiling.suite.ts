// Whole profiles from the editor, by the recorded ncu, here and over ssh: what is asked, progress, cancelling, failures, and what lies over the source afterwards.
import * as assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import {
  CancellationTokenSource,
  type CodeLens,
  commands,
  DataTransfer,
  DataTransferItem,
  extensions,
  languages,
  Position,
  Uri,
  window,
  workspace,
  type QuickPickItem,
} from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import type { HistoryFeature } from '../../client/src/history/activateHistory';
import type { Profiling, RunArguments } from '../../client/src/profiling/profiling';
import type { Asking } from '../../client/src/profiling/asking';
import { dropProvider } from '../../client/src/profiling/dropReport';
import { bytesSource, openReport } from '../../profiler/src/report';
import type { ProfileResult } from '../../profiler/src/session/profileSession';
import { startSshd, whyNoSshd, type PrivateSshd } from '../profiler-host/privateSshd';
import {
  buildsCuda,
  kernelSource,
  makeReplayHost,
  whyNoCudaBuild,
  type ReplayHost,
} from '../profiler-host/replayFolder';
import { activateExtension, closeAll, extensionId, show, until } from './support';
import { skipBecause } from '../support/skipBecause';

describe('profiling', function () {
  this.timeout(120_000);
  let host: ReplayHost;
  let sshd: PrivateSshd | undefined;
  let api: { readonly profile: ProfileApi; readonly profiling: Profiling; readonly history: HistoryFeature };
  const root = (): string => workspace.workspaceFolders![0]!.uri.fsPath;
  const path = process.env.PATH;
  let asking: Asking;
  /** Everything that was said, with its buttons. */
  let said: { level: string; message: string; buttons: readonly string[] }[];
  let asked: { title: string; rows: readonly string[] }[];
  /** What the user does: the label of a row by a part of it, or a line of text; undefined turns away. */
  let answers: (string | undefined)[];

  const scripted: Asking = {
    async pick<Item extends QuickPickItem>(
      items: readonly Item[],
      { title, typed }: { title: string; typed?: (text: string) => Item | undefined },
    ) {
      asked.push({ title, rows: items.map(({ label }) => label) });
      // `row > button`
      const [answer, wanted] = answers.shift()?.split(' > ') ?? [];
      const item =
        answer === undefined ? undefined : (items.find(({ label }) => label.includes(answer)) ?? typed?.(answer));
      assert.ok(
        answer === undefined || item,
        `no row "${answer}" in ${title}: ${items.map(({ label }) => label).join(', ')}`,
      );
      const button = wanted === undefined ? undefined : item?.buttons?.find(({ tooltip }) => tooltip?.includes(wanted));
      assert.ok(wanted === undefined || button, `no button "${wanted}"`);
      return item && { item, ...(button && { button }) };
    },
    async input({ title, value }) {
      asked.push({ title: title ?? '', rows: [value ?? ''] });
      return answers.shift();
    },
    async file() {
      return undefined;
    },
    async say(level, message, ...buttons) {
      said.push({ level, message, buttons });
      return undefined;
    },
    async confirm() {
      return true;
    },
  };

  before(async () => {
    // The bundle of the tests lies two folders below the checkout.
    host = makeReplayHost(
      brotliDecompressSync(
        readFileSync(join(__dirname, '..', '..', 'test', 'profiler', 'reports', 'corners.ncu-rep.br')),
      ),
    );
    // The extension host is this process, and what it starts gets its environment: the server not, which stays.
    await activateExtension();
    process.env.PATH = `${host.tools}:${path}`;
    process.env.WARPLENS_TEST = host.mark;
    if (whyNoSshd() === undefined) sshd = await startSshd({ PATH: `${host.tools}:${path}`, WARPLENS_TEST: host.mark });
    api = extensions.getExtension(extensionId)!.exports as typeof api;
    asking = api.profiling.asking;
    api.profiling.asking = scripted;
    const report = await openReport(bytesSource(new Uint8Array(readFileSync(join(host.tools, 'report.ncu-rep')))));
    const recorded = report.embeddedSources.find((source) => source.path.endsWith('/corners.cu'))!;
    writeFileSync(join(root(), 'corners.cu'), (await report.readSource(recorded.path))!);
    writeFileSync(join(root(), 'scale.cu'), kernelSource);
  });
  beforeEach(() => {
    said = [];
    asked = [];
    answers = [];
    host.play('corners');
  });
  afterEach(async () => {
    api.profiling.isTrusted = () => true;
    await commands.executeCommand('warplens.profile.clear');
    await closeAll();
    // The editor starts its own language servers meanwhile, which inherit the mark.
    assert.deepEqual(await host.leftBehind(/extensions\/[\w-]+-language-features\//), [], 'left behind');
  });
  after(async () => {
    process.env.PATH = path;
    delete process.env.WARPLENS_TEST;
    api.profiling.asking = asking;
    for (const run of api.profiling.memory.runs) await api.profiling.memory.forget(run);
    await api.profiling.memory.chooseHost(undefined);
    sshd?.stop();
    host.remove();
    for (const name of ['corners.cu', 'scale.cu', 'prog', '.warplens'])
      rmSync(join(root(), name), { recursive: true, force: true });
  });

  /** A build that needs no compiler. */
  const built: RunArguments = {
    build: "printf '#!/bin/sh\\n' >prog; chmod +x prog; echo built it",
    program: './prog',
    arguments: ['--size', '10'],
    name: 'corners',
  };
  const run = (wanted?: RunArguments, command = 'warplens.profile.run') =>
    commands.executeCommand<ProfileResult | undefined>(command, wanted);
  const here = (): RunArguments => ({ ...built, host: 'local', scratch: host.scratchIn });

  it('a line over each kernel', async () => {
    const { document } = await show('scale.cu');
    const lens = await until('the line', async () =>
      (await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', document.uri)).find(
        ({ command }) => command?.command === 'warplens.profile.runKernel',
      ),
    );
    assert.equal(lens.range.start.line, 1);
    assert.deepEqual(lens.command?.arguments, [{ kernel: 'scale', file: document.uri.fsPath }]);
  });

  it('a profile with its arguments given: nothing is asked, progress by stage, the report over its source, a step in the history', async () => {
    const { document } = await show('corners.cu');
    const result = await run(here());
    assert.ok(result, JSON.stringify(said));
    assert.deepEqual(asked, []);
    const stages = api.profiling.runner.said.filter(
      (message) => !message.startsWith('ncu') && !message.startsWith('copying the report,'),
    );
    assert.deepEqual(stages, [
      'connecting to this machine',
      'checking this machine',
      'building on this machine',
      'running under ncu (replay) on this machine',
      'copying the report from this machine',
      'saving the report',
      'cleaning up on this machine',
    ]);
    assert.ok(
      api.profiling.runner.said.some((message) => message === 'ncu (replay): kernel 1, nested'),
      api.profiling.runner.said.join('\n'),
    );
    // What build, ncu and program print comes in their order, each under its stage.
    assert.match(
      api.profiling.runner.written,
      /─ building on this machine\nbuilt it\n─ running under ncu on this machine\n[\s\S]*ncu \(replay\): kernel 1, nested: 34 passes\n[\s\S]*\ndone\n─ copying the report/,
    );
    assert.deepEqual(result.step.arguments, ['--size', '10']);
    assert.equal(api.profile.store.active?.uri.fsPath, result.report);
    assert.ok(api.profile.overlay.drawn(window.activeTextEditor!).length > 0, 'nothing lies over the source');
    assert.equal(window.activeTextEditor!.document.uri.fsPath, document.uri.fsPath);
    // Each report that was opened before has its own series.
    const series = api.history.histories.all[0]!.series.find(({ name }) => name === 'corners');
    assert.ok(series);
    assert.deepEqual(
      series.rows.map(({ step, isBaseline }) => [step.label, isBaseline]),
      [['baseline', true]],
    );
    assert.match(said.at(-1)!.message, /^Warplens: baseline: \w+ [\d.]+ (µs|ms); /);
    const lenses = await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', document.uri);
    assert.ok(
      lenses.some(({ command }) => /^[\d.]+ .s · .*\d+ % · Report$/.test(command?.title ?? '')),
      lenses.map(({ command }) => command?.title).join('\n'),
    );
  });

  it('again: nothing is asked, and the step knows what changed', async () => {
    const editor = await show('corners.cu');
    await editor.edit((edit) => edit.insert(new Position(0, 0), '#define TILE 33\n'));
    const result = await run(undefined, 'warplens.profile.runAgain');
    assert.ok(result, JSON.stringify(said));
    assert.deepEqual(asked, []);
    assert.equal(editor.document.isDirty, false, 'what is built is what is on disk');
    assert.equal(result.step.label, 'step 1');
    assert.equal(result.step.change?.title, '#define TILE 33');
    assert.deepEqual(result.step.change?.files, [{ path: 'corners.cu', added: 1, removed: 0 }]);
    assert.deepEqual(
      api.history.histories.all[0]!.series.find(({ name }) => name === 'corners')?.rows.map(({ step }) => step.label),
      ['baseline', 'step 1'],
    );
    assert.match(said.at(-1)!.message, /^Warplens: step 1: local_and_atomic [\d.]+ µs; /);
  });

  it('one kernel, of the run that its file was profiled with', async () => {
    await show('corners.cu');
    const result = await run({ kernel: 'nested' }, 'warplens.profile.runKernel');
    assert.ok(result, JSON.stringify(said));
    assert.deepEqual(asked, []);
    assert.match(result.step.collectCommand, /'--kernel-name' 'nested'/);
    assert.match(
      (await run(undefined, 'warplens.profile.runAgain'))!.step.collectCommand,
      /'--kernel-name' 'nested'/,
      'the same again',
    );
    await commands.executeCommand('warplens.profile.clear');
    host.play('no-match');
    assert.equal(await run({ kernel: 'unknown' }, 'warplens.profile.runKernel'), undefined);
    assert.match(said.at(-1)!.message, /No kernel of the program matches unknown\./);
    assert.equal(said.at(-1)!.buttons[0], 'Profile All Kernels');
    assert.doesNotMatch(said.at(-1)!.message, /--/);
  });

  it('asks what to run and where, offers what ran before first, and remembers the host', async () => {
    await show('scale.cu');
    if (sshd) {
      assert.equal(await run({ ...built, sshConfig: sshd.config }), undefined, 'no host was chosen');
      assert.deepEqual(asked.shift()!.rows, [
        '$(vm) This machine',
        'from SSH configuration',
        ...['good', 'wrong-key', 'unknown-key', 'changed-key', 'down'].map((name) => `$(remote) ${name}`),
      ]);
      answers = ['me@nowhere.invalid'];
      assert.equal(await run({ ...built, sshConfig: sshd.config }), undefined);
      assert.match(said.at(-1)!.message, /nowhere\.invalid/);
      assert.equal(api.profiling.memory.host, undefined, 'a host that was not reached is not remembered');
      asked = [];
    }
    answers = ['Build a program, then run it', built.build, './prog --size 20', undefined];
    assert.equal(await run(), undefined, 'no host was chosen');
    assert.match(asked[0]!.rows[1]!, /corners$/);
    assert.ok(asked[0]!.rows.some((row) => row.includes('This file, built by nvcc')));
    assert.equal(asked.at(-1)!.title, 'Host with the GPU');
    answers = ['Build a program, then run it', built.build, 'SIZE=20 ./prog', 'This machine'];
    const result = await run();
    assert.ok(result, JSON.stringify(said));
    assert.equal(api.profiling.memory.host, 'local');
    assert.equal(result.step.series ?? 'prog', 'prog');
    asked = [];
    answers = ['SIZE=20 ./prog'];
    assert.ok(await run(), JSON.stringify(said));
    assert.equal(asked.length, 1, 'only what to run was asked');
    asked = [];
    assert.ok(await run(undefined, 'warplens.profile.runAgain'));
    assert.deepEqual(asked, []);
  });

  it('a task, a program that is there, and an entry of the settings', async () => {
    await show('scale.cu');
    writeFileSync(join(root(), 'prog'), '#!/bin/sh\n', { mode: 0o755 });
    answers = ['Run an existing program', './prog "two words"'];
    const result = await run();
    assert.deepEqual(result?.step.arguments, ['two words'], JSON.stringify(said));
    await workspace
      .getConfiguration('warplens.profile')
      .update('configurations', [
        { name: 'of the settings', program: '${workspaceFolder}/prog', arguments: ['${fileBasename}'] },
      ]);
    await workspace
      .getConfiguration('tasks')
      .update('tasks', [{ label: 'run it', type: 'shell', command: './prog', args: ['--from', 'task'] }]);
    await workspace.getConfiguration('tasks').update('version', '2.0.0');
    try {
      const named = await commands.executeCommand<ProfileResult>('warplens.profile.run', 'of the settings');
      assert.deepEqual(
        [named?.step.series, named?.step.arguments],
        ['of the settings', ['scale.cu']],
        JSON.stringify(said),
      );
      await until('the task', async () => {
        answers = ['A task', 'run it'];
        try {
          return (await run())?.step.arguments?.join(' ') === '--from task';
        } catch {
          return false;
        }
      });
      await workspace.getConfiguration('warplens.profile').update('configurations', [{ name: 'x', files: 'no list' }]);
      assert.equal(await commands.executeCommand('warplens.profile.run', 'x'), undefined);
      assert.match(
        said.at(-1)!.message,
        /Invalid "files" in entry 1 of warplens\.profile\.configurations: use a list of paths/,
      );
    } finally {
      await workspace.getConfiguration('warplens.profile').update('configurations', undefined);
      await workspace.getConfiguration('tasks').update('tasks', undefined);
      await workspace.getConfiguration('tasks').update('version', undefined);
    }
  });

  it('a run that is known is changed, kept in the settings, and forgotten', async () => {
    await show('scale.cu');
    answers = ['SIZE=20 ./prog > Change Arguments', 'SIZE=30 ./prog --deep'];
    const result = await run();
    assert.deepEqual(result?.step.arguments, ['--deep'], JSON.stringify(said));
    assert.equal(asked[1]!.rows[0], 'SIZE=20 ./prog');
    answers = ['SIZE=30 ./prog > settings.json', 'deep', 'SIZE=30 ./prog > Forget', undefined];
    assert.equal(await run(), undefined);
    try {
      assert.deepEqual(workspace.getConfiguration('warplens.profile').get('configurations'), [
        { build: built.build, program: './prog', arguments: ['--deep'], environment: { SIZE: '30' }, name: 'deep' },
      ]);
      assert.ok(!asked.at(-1)!.rows.some((row) => row.includes('SIZE=30')), asked.at(-1)!.rows.join('\n'));
      assert.ok(asked.at(-1)!.rows.some((row) => row.includes('$(gear) deep')));
      answers = ['$(gear) deep'];
      assert.equal((await run())?.step.series, 'deep');
    } finally {
      await workspace.getConfiguration('warplens.profile').update('configurations', undefined);
    }
  });

  it('a file by nvcc, and its errors as problems', async function () {
    if (!buildsCuda) skipBecause(this, whyNoCudaBuild);
    const editor = await show('scale.cu');
    answers = ['This file, built by nvcc'];
    const result = await run();
    assert.ok(result, JSON.stringify(said));
    assert.deepEqual(
      result.built.kernels.map(({ name }) => name),
      ['scale(float*, int)'],
    );
    await editor.edit((edit) => edit.insert(new Position(6, 0), '  nothing;\n'));
    assert.equal(await run(undefined, 'warplens.profile.runAgain'), undefined);
    assert.match(said.at(-1)!.message, /The build failed: scale\.cu:7:3: .*nothing/);
    assert.deepEqual(said.at(-1)!.buttons.slice(0, 2), ['Show Problems', 'Show Output']);
    const problems = languages.getDiagnostics(editor.document.uri).filter(({ source }) => source === 'nvcc');
    assert.deepEqual(
      problems.map(({ range }) => [range.start.line, range.start.character]),
      [[6, 2]],
    );
    await commands.executeCommand('undo');
    await editor.document.save();
  });

  it('on a host of the ssh configuration: sources go there, the report comes back over the file here', async function () {
    if (!sshd) skipBecause(this, whyNoSshd()!);
    await show('corners.cu');
    const wanted: RunArguments = {
      ...built,
      host: 'good',
      sshConfig: sshd.config,
      scratch: host.scratchIn,
      name: 'far',
    };
    const result = await run(wanted);
    assert.ok(result, JSON.stringify(said));
    assert.ok(
      api.profiling.runner.said.includes('sending sources to good') ||
        api.profiling.runner.said.includes('building on good'),
    );
    assert.equal(result.step.host, 'good');
    assert.equal(result.step.folders[0]?.to, root());
    assert.ok(api.profile.overlay.drawn(window.activeTextEditor!).length > 0);
    asked = [];
    assert.equal((await run(undefined, 'warplens.profile.runAgain'))?.step.host, 'good', JSON.stringify(said));
    assert.deepEqual(asked, []);
  });

  it('a host is checked, with the obstacles', async () => {
    await workspace.getConfiguration('warplens.profile').update('scratch', host.scratchIn);
    try {
      answers = [];
      assert.equal(await commands.executeCommand('warplens.profile.chooseHost', 'local'), 'local');
      assert.match(
        said.at(-1)!.message,
        /this machine is ready: NVIDIA H200 \(replay\), nvcc .*, ncu \(replay\) 2025\.3\.1/,
      );
      host.play('no-sections');
      answers = ['anyway'];
      assert.equal(await commands.executeCommand('warplens.profile.chooseHost', 'local'), 'local');
      assert.match(asked.at(-1)!.rows.join('\n'), /1 problem\n\$\(error\) ncu finds no section files\./);
    } finally {
      await workspace.getConfiguration('warplens.profile').update('scratch', undefined);
    }
  });

  it('cancelling ends everything on the host', async () => {
    host.play('endless');
    const ending = run({ ...here(), name: 'endless' });
    await until(
      'the run',
      () =>
        api.profiling.runner.isRunning &&
        api.profiling.runner.said.some((message) => message.startsWith('ncu (replay): kernel 1')),
    );
    said = [];
    assert.equal(await run(here()), undefined);
    assert.match(said[0]!.message, /a profile is already running/);
    await commands.executeCommand('warplens.profile.cancel');
    assert.equal(await ending, undefined);
    assert.equal(said.length, 1, 'a cancelled profile needs no message to click away');
    assert.equal(api.profiling.runner.isRunning, false);
  });

  it('each failure is one message with its next step', async () => {
    const failed = async (wanted: RunArguments) => {
      said = [];
      assert.equal(await run(wanted), undefined);
      assert.equal(said.length, 1, JSON.stringify(said));
      assert.doesNotMatch(said[0]!.message, / --(?!cap-add)[a-z]|\n|at .*\.ts/);
      return said[0]!;
    };
    host.play('refused');
    const refused = await failed(here());
    assert.match(
      refused.message,
      /No permission to read the GPU counters on this machine \(ERR_NVGPUCTRPERM\)\. Ask the administrator|Start the container/,
    );
    assert.deepEqual(refused.buttons.slice(0, 2), ['Time the Kernels Instead', 'Open Help']);
    host.play('corners');
    assert.match(
      (await failed({ ...here(), build: 'echo "corners.cu(3): error: expected a ;" >&2; exit 2' })).message,
      /The build failed: corners\.cu:3: expected a ;/,
    );
    assert.match((await failed({ ...here(), program: './none' })).message, /The build did not produce \.\/none\./);
    assert.match(
      (await failed({ ...here(), ncu: '/nowhere/ncu' })).message,
      /ncu.* the setting warplens\.profile\.ncu/s,
    );
    assert.match(
      (await failed({ ...here(), program: '${input:which}' })).message,
      /Unknown variable \$\{input:which\}\./,
    );
    if (sshd) {
      const down = await failed({ ...here(), host: 'down', sshConfig: sshd.config });
      assert.equal(down.buttons[0], 'Choose Host…');
    }
  });

  it('runs nothing in a workspace that is not trusted', async () => {
    api.profiling.isTrusted = () => false;
    const before = api.profiling.runner.said;
    for (const command of ['run', 'runKernel', 'runAgain'])
      assert.equal(await run({ ...here(), kernel: 'nested' }, `warplens.profile.${command}`), undefined);
    assert.equal(await commands.executeCommand('warplens.profile.chooseHost', 'local'), undefined);
    assert.equal(said.filter(({ message }) => /untrusted workspace/.test(message)).length, 4);
    assert.equal(api.profiling.runner.said, before);
    const manifest = extensions.getExtension(extensionId)!.packageJSON as {
      capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] } };
      contributes: { configuration: { properties: Record<string, unknown> } };
    };
    const { supported, restrictedConfigurations } = manifest.capabilities.untrustedWorkspaces;
    assert.equal(supported, 'limited');
    for (const key of ['host', 'configurations', 'launcher', 'flags', 'nvcc', 'ncu', 'scratch', 'store'])
      assert.ok(restrictedConfigurations.includes(`warplens.profile.${key}`), key);
  });

  it('a report that is dropped on a source is laid over it, and nothing is inserted', async () => {
    const editor = await show('corners.cu');
    const dropped = async (list: string) => {
      const transfer = new DataTransfer();
      transfer.set('text/uri-list', new DataTransferItem(list));
      return dropProvider.provideDocumentDropEdits(
        editor.document,
        new Position(0, 0),
        transfer,
        new CancellationTokenSource().token,
      );
    };
    const edit = await dropped(`# from somewhere\r\n${Uri.file(join(host.tools, 'report.ncu-rep')).toString()}\r\n`);
    assert.equal((edit as { insertText: string } | undefined)?.insertText, '');
    await until(
      'the overlay',
      () => api.profile.store.active?.name === 'report.ncu-rep' && api.profile.overlay.drawn(editor).length > 0,
    );
    assert.equal(await dropped(Uri.file('/tmp/other.txt').toString()), undefined);
  });
});
