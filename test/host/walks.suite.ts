// The four walks from their first files to their last by clicks alone, each measurement a step by a recorded report, and the tables of steps at the end.
import * as assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CodeLens, commands, extensions, Uri, workspace } from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import type { HistoryFeature } from '../../client/src/history/activateHistory';
import type { Asking } from '../../client/src/profiling/asking';
import type { Profiling } from '../../client/src/profiling/profiling';
import { makeReplayHost, type ReplayHost } from '../profiler-host/replayFolder';
import { activateExtension, closeAll, extensionId, inWorkspace, yielding } from './support';
import { playChapter, type Measure } from './walkPlayer';
import { walks } from './walkStories';

describe('walks', function () {
  this.timeout(120_000);
  const path = process.env.PATH;
  const said: string[] = [];
  let host: ReplayHost;
  let api: { readonly profile: ProfileApi; readonly profiling: Profiling; readonly history: HistoryFeature };
  let asking: Asking;
  const root = (): string => workspace.workspaceFolders![0]!.uri.fsPath;
  const recorded = (report: string): Buffer => readFileSync(inWorkspace(`samples/profiles/${report}`).fsPath);

  before(async () => {
    host = makeReplayHost(recorded('1-row-per-thread.ncu-rep'));
    await activateExtension();
    process.env.PATH = `${host.tools}:${path}`;
    api = extensions.getExtension(extensionId)!.exports as typeof api;
    asking = api.profiling.asking;
    api.profiling.asking = yielding(said);
    rmSync(join(root(), '.warplens'), { recursive: true, force: true });
    await api.history.histories.refresh();
  });
  // A profile saves what is open: other suites want the samples as they were.
  const kept = new Map<string, Buffer>();
  const keep = (file: string): void => {
    const at = inWorkspace(`samples/${file}`).fsPath;
    if (!kept.has(at)) kept.set(at, readFileSync(at));
  };
  afterEach(async () => {
    await commands.executeCommand('warplens.profile.clear');
    await closeAll();
    for (const [at, text] of kept) writeFileSync(at, text);
    kept.clear();
  });
  after(async () => {
    process.env.PATH = path;
    api.profiling.asking = asking;
    for (const run of api.profiling.memory.runs) await api.profiling.memory.forget(run);
    host.remove();
    for (const name of ['prog', '.warplens', 'walk.md']) rmSync(join(root(), name), { recursive: true, force: true });
    await api.history.histories.refresh();
  });

  const measure: Measure = async ({ steps }, report) => {
    if (!report.endsWith('.ncu-rep') || !steps) {
      await commands.executeCommand('warplens.profile.layOver', inWorkspace(`samples/profiles/${report}`));
      assert.equal((api.profile.store.active ?? api.profile.timelines.active)?.name, report);
      return;
    }
    writeFileSync(join(host.tools, 'report.ncu-rep'), recorded(report));
    const result = await commands.executeCommand('warplens.profile.run', {
      name: steps,
      build: "printf '#!/bin/sh\\n' >prog; chmod +x prog",
      program: './prog',
      host: 'local',
      scratch: host.scratchIn,
    });
    assert.ok(result, said.join('\n'));
  };

  const lensesOf = async (file: string): Promise<readonly string[]> => {
    const at = inWorkspace(`samples/${file}`);
    const lenses = await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', at, 100);
    return lenses.map(({ command }) => command?.title ?? '');
  };

  for (const { title, chapters, tables } of walks)
    describe(title, () => {
      for (const chapter of chapters)
        it(chapter.title, async () => {
          keep(chapter.file);
          await playChapter(chapter, measure);
          if (chapter.lens) assert.match((await lensesOf(chapter.file)).join('\n'), chapter.lens);
        });

      if (Object.keys(tables).length > 0)
        it('the table of steps', async () => {
          const to = Uri.file(join(root(), 'walk.md'));
          await commands.executeCommand('warplens.history.export', { to });
          const text = readFileSync(to.fsPath, 'utf8').replaceAll('\u00a0', ' ');
          for (const [name, rows] of Object.entries(tables)) {
            const section = text.slice(text.indexOf(`## ${name}\n`)).split(/\n(?=## )/)[0]!;
            const lines = section.split('\n').flatMap((line) => /^\| (?!Step|:)(.*) \|$/.exec(line)?.[1] ?? []);
            assert.equal(lines.length, rows.length, section);
            rows.forEach((row, at) => assert.match(lines[at]!, row));
          }
        });
    });
});
