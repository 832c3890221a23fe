// The history in a real editor: the walk of the ADO samples as three steps by their recorded reports, and everything that can be done with a step.
import * as assert from 'node:assert/strict';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commands, extensions, TabInputTextDiff, Uri, window, workspace, type ThemeIcon, type TreeItem } from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import type { HistoryFeature } from '../../client/src/history/activateHistory';
import { tableOf } from '../../client/src/history/stepDocuments';
import type { HistoryNode } from '../../client/src/history/historyTree';
import type { Profiling } from '../../client/src/profiling/profiling';
import type { Asking } from '../../client/src/profiling/asking';
import type { ProfileResult } from '../../profiler/src/session/profileSession';
import { writeSteps } from '../../profiler/src/history/steps';
import { makeReplayHost, type ReplayHost } from '../profiler-host/replayFolder';
import { activateExtension, closeAll, extensionId, inWorkspace, until, yielding } from './support';

describe('history', function () {
  this.timeout(120_000);
  // The bundle of the tests lies two folders below the checkout.
  const samples = join(__dirname, '..', '..', 'samples');
  const path = process.env.PATH;
  let host: ReplayHost;
  let api: { readonly profile: ProfileApi; readonly profiling: Profiling; readonly history: HistoryFeature };
  let askings: [Asking, Asking];
  const said: string[] = [];
  const root = (): string => workspace.workspaceFolders![0]!.uri.fsPath;
  const store = (): string => join(root(), '.warplens', 'profiles');
  const ignored = (): string => join(root(), '.warplens', '.gitignore');
  const quiet: Asking = yielding(said);

  before(async () => {
    host = makeReplayHost(readFileSync(join(samples, 'profiles', '1-row-per-thread.ncu-rep')));
    await activateExtension();
    process.env.PATH = `${host.tools}:${path}`;
    api = extensions.getExtension(extensionId)!.exports as typeof api;
    askings = [api.profiling.asking, api.history.asking];
    api.profiling.asking = api.history.asking = quiet;
    // What ncu prints of these programs, as far as a profile reads it.
    writeFileSync(
      join(host.tools, 'logs', 'corners.log'),
      [
        'Connected to process 1 (average)',
        'Profiling "averageAndMultiply" - 0: 0%....50%....100% - 13 passes',
        'Disconnected from process 1',
        'Report: report.ncu-rep',
      ]
        .map((line) => `==PROF== ${line}\n`)
        .join(''),
    );
    rmSync(join(root(), '.warplens'), { recursive: true, force: true });
    await api.history.histories.refresh();
  });
  beforeEach(() => {
    said.length = 0;
  });
  after(async () => {
    process.env.PATH = path;
    [api.profiling.asking, api.history.asking] = askings;
    for (const run of api.profiling.memory.runs) await api.profiling.memory.forget(run);
    await commands.executeCommand('warplens.profile.clear');
    await closeAll();
    host.remove();
    for (const name of ['average.cu', 'prog', '.warplens', 'steps.md'])
      rmSync(join(root(), name), { recursive: true, force: true });
    await api.history.histories.refresh();
  });

  /** The samples are in the workspace too; this copy is another text. */
  const sourceOf = (stage: string): string => `${readFileSync(join(samples, 'ado', `${stage}.cu`), 'utf8')}// a copy\n`;
  const walk = async (stage: string): Promise<ProfileResult> => {
    writeFileSync(join(root(), 'average.cu'), sourceOf(stage));
    writeFileSync(join(host.tools, 'report.ncu-rep'), readFileSync(join(samples, 'profiles', `${stage}.ncu-rep`)));
    const result = await commands.executeCommand<ProfileResult | undefined>('warplens.profile.run', {
      name: 'average',
      build: "printf '#!/bin/sh\\n' >prog; chmod +x prog",
      program: './prog',
      host: 'local',
      scratch: host.scratchIn,
    });
    assert.ok(result, said.join('\n'));
    return result;
  };
  const children = async (node?: HistoryNode): Promise<HistoryNode[]> => [
    ...((await api.history.tree.provider.getChildren(node)) ?? []),
  ];
  const items = async (node?: HistoryNode): Promise<TreeItem[]> =>
    Promise.all((await children(node)).map((child) => api.history.tree.provider.getTreeItem(child)));
  const rows = async (): Promise<string[]> =>
    (await items()).map(({ label, description }) => `${String(label)} ${String(description)}`.trim());
  const step = async (label: string): Promise<HistoryNode> =>
    (await children()).find((node) => node.kind === 'step' && node.row.step.label === label)!;
  /** The hottest line of the program's own kernel, with its first reason. */
  const hottest = (): string => {
    const mark = api.profile.store.marks().find(({ kernel }) => kernel.shortName === 'averageAndMultiply')!;
    const text = [...api.profile.store.active!.recorded.values()]
      .find(({ path: of }) => of === mark.line.file)!
      .text!.split('\n')
      [mark.line.line - 1]!.trim();
    return `${text} ${mark.words.join('  ')}`;
  };

  it('reports of a walk that are opened in order are steps of one table, each content once', async () => {
    const stages = ['1-row-per-thread', '2-coalesced', '3-shuffle'];
    for (const [at, stage] of [...stages, ...stages].entries()) {
      await commands.executeCommand('warplens.profile.layOver', inWorkspace(`samples/profiles/${stage}.ncu-rep`));
      await until(`the step of ${stage}`, async () => (await rows()).length === Math.min(at + 1, stages.length));
    }
    assert.deepEqual(await rows(), [
      'step 2 1.26 ms  2.80×  __shared__ float warpSums[vectorLength / 32];',
      'step 1 1.87 ms  1.89×  const int lane = t % warpSize, warp = t / warpSize;',
      'baseline 3.53 ms',
    ]);
    assert.match(await tableOf(api.history.histories.all), /^## 1-row-per-thread\.cu\n\nNVIDIA H200; /);
    await commands.executeCommand('warplens.profile.layOver', inWorkspace('samples/profiles/unpadded-tile.ncu-rep'));
    await until('the step of another program', () => api.history.histories.all[0]!.series.length === 2);
    let offered: readonly string[] = [];
    const { asking } = api.profile.pages;
    const pick: Asking['pick'] = async (items) => void (offered = items.map(({ label }) => label));
    api.profile.pages.asking = { ...quiet, pick };
    await commands.executeCommand('warplens.profile.compare', inWorkspace('samples/profiles/3-shuffle.ncu-rep'));
    api.profile.pages.asking = asking;
    assert.deepEqual(offered.slice(0, 4), [
      'steps of this program',
      '$(history) baseline',
      '$(history) step 1',
      'reports',
    ]);
    assert.deepEqual(offered.slice(-4, -2), ['steps of other programs', '$(history) baseline']);
    assert.equal(readFileSync(ignored(), 'utf8'), '*\n', 'git ignores the folder that was made');
    rmSync(store(), { recursive: true, force: true });
    await api.history.histories.refresh();
  });

  it('the walk: each profile is a step with the change that led to it and its gain; its hottest line is the one that the next step fixes', async () => {
    mkdirSync(join(root(), '.warplens'), { recursive: true });
    writeFileSync(ignored(), '/profiles/sources\n');
    await walk('1-row-per-thread');
    assert.equal(readFileSync(ignored(), 'utf8'), '/profiles/sources\n', 'the text that the user wrote');
    assert.match(hottest(), /^sum \+= input\[\(set \* vectorLength \+ t\) \* vectorsPerSet \+ vector\]; 8\.0× sectors/);
    await walk('2-coalesced');
    assert.match(hottest(), /^if \(t < s\) products\[t\] \+= products\[t \+ s\];.*barrier/);
    await walk('3-shuffle');
    assert.match(hottest(), /^sum \+= input\[\(set \* vectorLength \+ row\).*long scoreboard/);
    assert.deepEqual(await rows(), [
      'step 2 1.26 ms  2.80×  __shared__ float warpSums[vectorLength / 32];',
      'step 1 1.87 ms  1.89×  const int lane = t % warpSize, warp = t / warpSize;',
      'baseline 3.53 ms',
    ]);
    assert.deepEqual(
      (await items(await step('step 2'))).map(({ label, description }) => `${String(label)} ${String(description)}`),
      ['averageAndMultiply 1.26 ms  2.80×'],
    );
  });

  it('shows a step again, and the line over the kernel says its gain', async () => {
    await commands.executeCommand('warplens.history.show', await step('baseline'));
    assert.match(api.profile.store.active!.name, /-001\.ncu-rep$/);
    assert.equal(api.history.gainOf('averageAndMultiply'), undefined);
    assert.equal(((await items()).at(-1)!.iconPath as ThemeIcon).id, 'eye');
    await commands.executeCommand('warplens.history.show', { number: 2 });
    assert.match(api.profile.store.active!.name, /-003\.ncu-rep$/);
    assert.equal(api.history.gainOf('averageAndMultiply')!.toFixed(2), '2.80');
    assert.equal(api.history.baselineOf(api.profile.store.active!.uri)?.name, 'baseline');
  });

  it('shows the change of a step as a comparison of what was built', async () => {
    await commands.executeCommand('warplens.history.showChange', await step('step 1'));
    const input = await until('the comparison', () => {
      const tab = window.tabGroups.activeTabGroup.activeTab?.input;
      return tab instanceof TabInputTextDiff && tab;
    });
    const texts = await Promise.all(
      [input.original, input.modified].map(async (uri) => (await workspace.openTextDocument(uri)).getText()),
    );
    assert.deepEqual(texts, ['1-row-per-thread', '2-coalesced'].map(sourceOf));
    await commands.executeCommand('warplens.history.showChange', await step('baseline'));
    assert.match(said.at(-1)!, /baseline is the first step/);
  });

  it('opens the report page of a step, compared with the baseline', async () => {
    const before = api.profile.pages.drawn.length;
    await commands.executeCommand('warplens.history.openReport', await step('step 2'));
    const page = await until('the page', () => api.profile.pages.drawn[before]);
    assert.equal(page.model.baseline, 'baseline');
    assert.match(
      page.model.kernels.find(({ shortName }) => shortName === 'averageAndMultiply')!.before!.gain,
      /^2\.80×$/,
    );
  });

  it('compares with another baseline', async () => {
    await commands.executeCommand('warplens.history.setBaseline', await step('step 1'));
    assert.deepEqual(
      (await rows()).map((row) => row.split('  ').slice(0, 2).join('  ')),
      [
        'step 2 1.26 ms  1.48×',
        'step 1 1.87 ms  const int lane = t % warpSize, warp = t / warpSize;',
        'baseline 3.53 ms  0.53×',
      ],
    );
    await commands.executeCommand('warplens.history.setBaseline', await step('baseline'));
  });

  it('is renamed and described by the user', async () => {
    await commands.executeCommand('warplens.history.rename', await step('step 1'), 'coalesced');
    await commands.executeCommand('warplens.history.describe', await step('coalesced'), 'lanes along the row');
    assert.equal((await rows())[1], '1 coalesced 1.87 ms  1.89×  lanes along the row');
    await commands.executeCommand('warplens.history.describe', await step('coalesced'), '');
    assert.match((await rows())[1]!, /const int lane/);
  });

  it('is a table in the preview, and exported as Markdown', async () => {
    await commands.executeCommand('warplens.history.showTable');
    await until('the preview', () => window.tabGroups.activeTabGroup.activeTab?.label.includes('Steps.md'));
    const file = Uri.joinPath(Uri.file(root()), 'steps.md');
    await commands.executeCommand('warplens.history.export', { to: file });
    const exported = readFileSync(file.fsPath, 'utf8');
    const text = exported.replaceAll('\u00a0', ' ');
    assert.match(text, /^## average\n/);
    assert.match(text, /\| Step \| `averageAndMultiply` \| Change \|\n\| :-- \| --: \| :-- \|/);
    assert.match(
      text,
      /\| step 2 \| 1\.26 ms \*\*2\.80×\*\* \| `__shared__ float warpSums\[vectorLength \/ 32\];` \(average\.cu \+9 −7\) \|/,
    );
    assert.match(text, /```diff\n--- a\/average\.cu\n\+\+\+ b\/average\.cu\n@@/);
    assert.equal(
      (await workspace.openTextDocument(Uri.from({ scheme: 'warplens-history', path: '/Steps.md' }))).getText(),
      exported.replaceAll('```diff', '```text'),
    );
  });

  it('is removed with its report and the sources that only it had', async () => {
    const sources = () => readdirSync(join(store(), 'sources')).length;
    const before = sources();
    const node = await step('step 2');
    assert.ok(node.kind === 'step' && existsSync(join(store(), node.row.step.report)));
    await commands.executeCommand('warplens.history.remove', node);
    assert.deepEqual(
      (await rows()).map((row) => row.split(' ').slice(0, 2).join(' ')),
      ['1 coalesced', 'baseline 3.53'],
    );
    assert.equal(existsSync(join(store(), node.row.step.report)), false);
    assert.equal(sources(), before - 1);
    assert.equal(api.profile.store.active, undefined, 'its overlay is gone too');
  });

  it('reads what another program wrote, an older one too, and says what cannot be read', async () => {
    const kernel = {
      name: 'scale(float *)',
      shortName: 'scale',
      grid: [1, 1, 1],
      block: [32, 1, 1],
      launches: 1,
      durationNs: 2000,
      values: {},
    } as const;
    const old = {
      number: 0,
      label: 'baseline',
      time: '2026-01-02T03:04:05.000Z',
      host: 'gpu',
      report: '../secret.ncu-rep',
      program: '/x/scale',
      buildCommand: '',
      collectCommand: '',
      sources: [],
      folders: [],
      kernels: [kernel],
      notes: [],
    } as const;
    writeFileSync(
      join(store(), 'steps.json'),
      writeSteps([old, { ...old, number: 1, label: 'step 1', kernels: [{ ...kernel, durationNs: 1000 }] }]),
    );
    await commands.executeCommand('warplens.history.refresh');
    assert.deepEqual(await rows(), ['step 1 1 µs  2.00×', 'baseline 2 µs']);
    await commands.executeCommand('warplens.history.show', await step('baseline'));
    assert.match(said.at(-1)!, /the report "\.\.\/secret\.ncu-rep" of this step was not found/);
    writeFileSync(join(store(), 'steps.json'), '{"version": 7}');
    await commands.executeCommand('warplens.history.refresh');
    assert.match((await rows()).join('\n'), /steps\.json cannot be read; the next profile renames it/);
  });
});
