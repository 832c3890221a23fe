// The pages of reports, steps and measurements, opened one after the other in all four themes for axe-core, which the process outside runs in them.
import * as assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ColorThemeKind,
  commands,
  ConfigurationTarget,
  extensions,
  Uri,
  window,
  workspace,
  type CodeAction,
} from 'vscode';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import type { Profiling } from '../../client/src/profiling/profiling';
import type { TrialFeature } from '../../client/src/trial/activateTrial';
import type { ShownTrial } from '../../client/src/trial/trialPanel';
import type { AuditRequest, PageAudit } from '../../tools/editor/pageAudits';
import { makeReplayHost, type ReplayHost } from '../profiler-host/replayFolder';
import { activateExtension, closeAll, extensionId, findingsOf, rangeOf, show, until, yielding } from './support';

const THEMES: readonly (readonly [string, ColorThemeKind, string])[] = [
  ['Default Dark Modern', ColorThemeKind.Dark, 'vscode-dark'],
  ['Default Light Modern', ColorThemeKind.Light, 'vscode-light'],
  ['Default High Contrast', ColorThemeKind.HighContrast, 'vscode-high-contrast'],
  ['Default High Contrast Light', ColorThemeKind.HighContrastLight, 'vscode-high-contrast-light'],
];

describe('pages @smoke', function () {
  this.timeout(120_000);
  // Beside two other processes, a preview of Markdown stayed blank until the theme changed.
  this.retries(1);
  // The bundle of the tests lies two folders below the checkout.
  const samples = join(__dirname, '..', '..', 'samples');
  const path = process.env.PATH;
  const audits = process.env.WARPLENS_AUDITS!;
  let host: ReplayHost;
  let asked = 0;
  let api: { readonly profile: ProfileApi; readonly profiling: Profiling; readonly trial: TrialFeature };

  before(async () => {
    host = makeReplayHost(readFileSync(join(samples, 'profiles', '1-row-per-thread.ncu-rep')));
    for (const name of ['unpadded-tile', 'unpadded-tile.fixed'])
      host.keepReport(name, readFileSync(join(samples, 'profiles', `${name}.ncu-rep`)));
    host.play('named');
    await activateExtension();
    process.env.PATH = `${host.tools}:${path}`;
    process.env.WARPLENS_TEST = host.mark;
    api = extensions.getExtension(extensionId)!.exports as typeof api;
    api.profiling.asking = { ...yielding([]), input: async () => '16,32,64' };
  });
  // A page that loads while the theme changes may keep the class of the theme before.
  beforeEach(() => inTheme(THEMES[0]![0], THEMES[0]![1]));
  afterEach(closeAll);
  after(async () => {
    process.env.PATH = path;
    await workspace.getConfiguration('workbench').update('colorTheme', undefined, ConfigurationTarget.Global);
    host.remove();
  });

  async function inTheme(theme: string, kind: ColorThemeKind): Promise<void> {
    await workspace.getConfiguration('workbench').update('colorTheme', theme, ConfigurationTarget.Global);
    await until(`the theme ${theme}`, () => window.activeColorTheme.kind === kind);
  }

  /** Has the page that is in front audited in each theme. `shows` is text that tells it from other pages. */
  async function audited(name: string, shows: string, within?: string): Promise<void> {
    const found: string[] = [];
    for (const [theme, kind, bodyClass] of THEMES) {
      await inTheme(theme, kind);
      const request: AuditRequest = { shows, bodyClass, ...(within && { within }) };
      const file = join(audits, `${name.replaceAll(' ', '-')}-${bodyClass}-${++asked}`);
      writeFileSync(`${file}.request`, JSON.stringify(request));
      await until(`the audit of ${name} in ${theme}`, () => existsSync(`${file}.audit`), 60_000);
      const audit = JSON.parse(readFileSync(`${file}.audit`, 'utf8')) as PageAudit;
      found.push(...audit.complaints.map((complaint) => `${theme}: ${complaint}`));
      const least = within ? 5 : 10;
      assert.ok(
        audit.complaints.length > 0 || audit.checks >= least,
        `only ${audit.checks} checks of axe-core applied`,
      );
    }
    assert.ok(found.length === 0, found.join('\n'));
  }

  const report = (name: string): Uri =>
    Uri.joinPath(workspace.workspaceFolders![0]!.uri, 'samples', 'profiles', `${name}.ncu-rep`);

  it('of a report', async () => {
    await commands.executeCommand('vscode.openWith', report('register-tiled'), 'warplens.report');
    await audited('report', 'Hottest lines');
  });

  it('of a report compared with another', async () => {
    await commands.executeCommand('warplens.profile.compare', report('unpadded-tile.fixed'), report('unpadded-tile'));
    await audited('comparison', 'compared with');
  });

  it('of a timeline', async () => {
    const timeline = Uri.joinPath(workspace.workspaceFolders![0]!.uri, 'samples', 'profiles', 'blocking-copies.sqlite');
    await commands.executeCommand('vscode.openWith', timeline, 'warplens.timeline');
    await audited('timeline', 'Whole run');
  });

  it('of the machine code of two reports', async () => {
    await commands.executeCommand('warplens.profile.compare', report('unpadded-tile.fixed'), report('unpadded-tile'));
    await commands.executeCommand('warplens.profile.showSass');
    await until('the machine code', () => api.profile.sass.shown?.drawn);
    await audited('machine code', 'select a line or an instruction');
  });

  it('of the steps', async () => {
    for (const label of ['baseline', 'padded']) {
      await commands.executeCommand('warplens.profile.run', {
        name: 'steps',
        label,
        build: "{ echo '#!/bin/sh'; echo '# replays unpadded-tile'; } >prog; chmod +x prog",
        program: './prog',
        folder: 'samples/transpose',
        host: 'local',
        scratch: host.scratchIn,
      });
    }
    await commands.executeCommand('warplens.history.showTable');
    // The table is Markdown, and the page around it the editor's.
    await audited('steps', 'Step', '.markdown-body');
  });

  const says = (what: string) => ({
    build: `r=; grep -q "tileSize + 1\\|tileSize = 64" unpadded-tile.cu && r=.fixed; { echo '#!/bin/sh'; echo "# replays unpadded-tile$r"; echo '${what}'; } >prog; chmod +x prog`,
    program: './prog',
    folder: 'samples/transpose',
    name: 'transpose',
    host: 'local',
    scratch: host.scratchIn,
  });
  async function measured(title: string, says_: object, more: object = {}): Promise<void> {
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    const [finding] = await findingsOf(document, 'cuda/bank-conflict');
    const where = title.startsWith('Sweep') ? rangeOf(document, 'tileSize = ') : finding!.range;
    const action = await until(title, async () =>
      (
        (await commands.executeCommand<CodeAction[]>('vscode.executeCodeActionProvider', document.uri, where)) ?? []
      ).find((each) => each.title.startsWith(title)),
    );
    const given = { ...(action.command!.arguments![0] as object), run: says_, ...more };
    const trial = await commands.executeCommand<ShownTrial | undefined>(action.command!.command, given);
    assert.ok(trial);
    await until('the page', () => trial.drawn, 30_000);
  }

  it('of a measured fix', async () => {
    await measured('Measure: ', says('echo result 42'));
    await audited('measurement', 'Show Change');
  });

  it('of a fix whose output differs', async () => {
    await measured('Measure: ', says('echo result $(grep -c replays.*fixed "$0")'));
    await audited('difference', 'Show Output Difference');
  });

  it('of a sweep', async () => {
    await measured('Sweep', says('echo result 42'), { values: ['16', '32', '64'] });
    await audited('sweep', 'best');
  });
});
