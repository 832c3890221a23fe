// Verdicts of recorded reports on the findings of the samples: in the diagnostics, hints, hovers and the view of problems; and two walks of optimisation.
import * as assert from 'node:assert/strict';
import { join, relative } from 'node:path';
import {
  commands,
  ConfigurationTarget,
  DiagnosticSeverity,
  extensions,
  languages,
  Position,
  Range,
  window,
  workspace,
  type CodeLens,
  type Diagnostic,
  type InlayHint,
  type TextDocument,
  type TextEditor,
} from 'vscode';
import { skipBecause } from '../support/skipBecause';
import type { EvidenceApi } from '../../client/src/evidence/activateEvidence';
import type { ProfileApi } from '../../client/src/profile/activateProfile';
import {
  actionAt,
  activateExtension,
  closeAll,
  extensionId,
  findings,
  findingsOf,
  hoverAt,
  inBrowser,
  inWorkspace,
  perform,
  rangeOf,
  ruleOf,
  show,
  until,
} from './support';

describe('evidence', () => {
  let profile: ProfileApi;
  let evidence: EvidenceApi;

  before(async () => {
    await activateExtension();
    ({ profile, evidence } = extensions.getExtension(extensionId)!.exports as {
      profile: ProfileApi;
      evidence: EvidenceApi;
    });
  });
  afterEach(async () => {
    profile.store.choose({ metric: 'samples', kernel: null });
    await commands.executeCommand('warplens.profile.clear');
    await closeAll();
  });

  /** A sample with its recorded report over it. */
  async function measured(sample: string, report = sample.split('/').pop()!): Promise<TextEditor> {
    const editor = await show(`samples/${sample}.cu`);
    await commands.executeCommand('warplens.profile.layOver', inWorkspace(`samples/profiles/${report}.ncu-rep`));
    assert.equal(profile.store.active?.name, `${report}.ncu-rep`);
    return editor;
  }
  const verdictOf = (document: TextDocument, rule: string, verdict: RegExp): Promise<Diagnostic> =>
    until(
      `${String(verdict)} on ${rule}; there are: ${findings(document)
        .map(({ message }) => message)
        .join(' | ')}`,
      () => findings(document).find((one) => ruleOf(one) === rule && verdict.test(one.message.split('\n')[1] ?? '')),
    );

  it('a confirmed finding says its figure in a second line, keeps its severity, and its quick fix', async () => {
    const { document } = await measured('transpose/unpadded-tile');
    const confirmed = await verdictOf(
      document,
      'cuda/bank-conflict',
      /^Confirmed: 32\.0× wavefronts \(16\.8 M, ideal 524\.3 k\), 36\.2 % of transpose's stall samples \(unpadded-tile\.ncu-rep\)\.$/,
    );
    assert.equal(confirmed.severity, DiagnosticSeverity.Warning);
    assert.match(confirmed.message.split('\n')[0]!, /32-way bank conflict/);
    const pad = await actionAt(document, confirmed.range, ({ title }) => title.startsWith('Pad rows'));
    await perform(pad);
    assert.match(document.getText(), /\[32 \+ 1\]|\[33\]|\+ 1\]/);
    await until(
      () =>
        `the finding gone; there are: ${findings(document)
          .map(({ message }) => message)
          .join(' | ')}`,
      () => findings(document).length === 0,
    );
  });

  it('a refuted finding steps down to a hint and says so', async () => {
    const settings = workspace.getConfiguration('warplens');
    await settings.update('rules', { 'cuda/divergent-branch': 'warning' }, ConfigurationTarget.Workspace);
    try {
      const { document } = await measured('convolution/data-branch');
      const refuted = await verdictOf(
        document,
        'cuda/divergent-branch',
        /^Not a problem here: no divergence measured, 32\.0 of 32 threads active, \d+\.\d % of convolve's stall samples \(data-branch\.ncu-rep\)\.$/,
      );
      assert.equal(refuted.severity, DiagnosticSeverity.Hint);
      await commands.executeCommand('warplens.profile.clear');
      await until('the finding as the rule words it', () =>
        findings(document).some(
          ({ message, severity }) => !message.includes('\n') && severity === DiagnosticSeverity.Warning,
        ),
      );
    } finally {
      await settings.update('rules', undefined, ConfigurationTarget.Workspace);
    }
  });

  it('a confirmed finding that takes much of the time is a warning, and says why', async () => {
    const { document } = await show('samples/gather/indirect.cu');
    const [predicted] = await findingsOf(document, 'cuda/uncoalesced-access');
    assert.equal(predicted!.severity, DiagnosticSeverity.Hint);
    await measured('gather/indirect');
    const confirmed = await verdictOf(document, 'cuda/uncoalesced-access', /^Confirmed/);
    assert.equal(confirmed.severity, DiagnosticSeverity.Warning);
    assert.equal(confirmed.message.split('\n')[2], "Warning, as measured: 94.0 % of the GPU's time.");
  });

  it('verdicts come and go with the report, and say when a line has changed', async () => {
    const editor = await measured('vector-addition/chunk-per-thread');
    const { document } = editor;
    const found = await verdictOf(document, 'cuda/uncoalesced-access', /^Confirmed: 4\.0× sectors/);
    const { line } = found.range.start;
    await editor.edit((edit) => edit.insert(new Position(0, 0), '// one more\n'));
    await until('the verdict a line below', () =>
      findings(document).some(({ range, message }) => range.start.line === line + 1 && message.includes('\nConfirmed')),
    );
    await editor.edit((edit) => edit.insert(document.lineAt(line + 1).range.end, ' // changed'));
    await verdictOf(
      document,
      'cuda/uncoalesced-access',
      /^Not measured: the line, or what the figure depends on, changed\.$/,
    );
    await commands.executeCommand('warplens.profile.clear');
    await until(
      'findings without verdicts',
      () => findings(document).length > 0 && findings(document).every(({ message }) => !message.includes('\n')),
    );
  });

  it('says nothing on files that the report is not about', async () => {
    await measured('transpose/unpadded-tile');
    const { document } = await show('samples/vector-addition/chunk-per-thread.cu');
    const found = await findingsOf(document, 'cuda/uncoalesced-access');
    assert.ok(found.every(({ message }) => !message.includes('\n')));
  });

  it('hints step aside where the overlay says the same', async () => {
    const { document } = await show('samples/matrix-product/register-tiled.cu');
    const hintsIn = () =>
      commands.executeCommand<InlayHint[]>(
        'vscode.executeInlayHintProvider',
        document.uri,
        new Range(0, 0, document.lineCount, 0),
      );
    const lines = (hints: readonly InlayHint[]) => [...new Set(hints.map(({ position }) => position.line + 1))];
    await findingsOf(document, 'cuda/bank-conflict');
    assert.deepEqual(lines(await hintsIn()), [34, 35, 50, 51]);
    await measured('matrix-product/register-tiled');
    // The stores cost less than one per cent, and are not marked.
    assert.deepEqual(lines(await hintsIn()), [50, 51]);
    await commands.executeCommand('warplens.profile.clear');
    assert.deepEqual(lines(await hintsIn()), [34, 35, 50, 51]);
  });

  it('the hover of a line tells the verdict, where the diagnostic itself is not under the pointer', async () => {
    const { document } = await measured('matrix-product/register-tiled');
    await verdictOf(document, 'cuda/bank-conflict', /^Confirmed/);
    const text = await hoverAt(document, new Position(33, 8));
    assert.match(text, /\*\*2\.0×\*\* wavefronts/);
    assert.match(text, /\*\*Confirmed:\*\* \*cuda\/bank\\-conflict\*/);
    assert.match(text, /\[All figures of this line\]\(command:warplens\.profile\.lineFigures/);
  });

  it('problems are in order of cost: confirmed, hot lines without a finding, refuted, not measured', async () => {
    await measured('ado/1-row-per-thread');
    const shown = await evidence.problems.shown();
    const expected = [
      /^46\.5 % uncoalesced-access {2}line 11 {2}8\.0× sectors/,
      /^33\.9 % shared-sweep-reduction {2}line 18 {2}\d+ % of its samples wait on barrier/,
      /^11\.4 % matrix-product {2}line 16 {2}\d+ % of its samples wait on long scoreboard/,
      /^Hot lines without a finding {2}1/,
      /^line 22 {2}4\.3 % {2}barrier: waits for the other warps of its block/,
    ];
    for (const [at, words] of expected.entries()) assert.match(shown[at]!, words, shown.join('\n'));
    await measured('literals/double-literal');
    const literal = /^\d+\.\d % double-in-float {2}line 18 {2}\d+ % of its samples wait/m;
    assert.match((await evidence.problems.shown()).join('\n'), literal);
    await measured('allocation/allocate-each-turn', 'unpadded-tile');
    const rows = (await evidence.problems.shown()).join('\n');
    assert.doesNotMatch(rows, /allocate-each-turn/, 'a file that was not measured is not listed');
  });

  it('without a report, problems have their predicted gain, and hints a filter', async () => {
    await show('samples/matrix-product/register-tiled.cu');
    await show('samples/convolution/data-branch.cu');
    const rows = async (wanted: RegExp): Promise<string[]> =>
      (await evidence.problems.shown()).filter((line) => wanted.test(line));
    const conflict = /^[\d.×–]+ (?:line |\S+:)\d+ bank-conflict {2}(?:Predicted|Fix) /;
    await until('the conflict with its gain', async () => (await rows(conflict)).length > 0);
    // Other documents may still be open.
    const branch = /^1\.0× (?:line |data-branch\.cu:)11 divergent-branch {2}(?:Predicted|Fix) /;
    await until('the hidden hint', async () => {
      assert.deepEqual(await rows(branch), []);
      return /\d+ hints? hidden$/.test(evidence.problems.said.description ?? '');
    });
    assert.match(evidence.problems.said.description ?? '', /^by prediction, \d+ hints? hidden$/);
    await commands.executeCommand('warplens.problems.showHints');
    try {
      assert.equal((await rows(branch)).length, 1);
      assert.equal(evidence.problems.said.description, 'by prediction');
    } finally {
      await commands.executeCommand('warplens.problems.hideHints');
    }
    assert.deepEqual(await rows(branch), []);
  });

  it('a check of a folder finds what is wrong in files that are not open, once', async function () {
    if (inBrowser) skipBecause(this, 'a folder that is on no disk has no search');
    const closed = inWorkspace('samples/transpose/unpadded-tile.cu');
    const rulesAt = (): string[] => languages.getDiagnostics(closed).map(ruleOf);
    assert.deepEqual(rulesAt(), []);
    await commands.executeCommand('warplens.checkFolder', inWorkspace('samples/transpose'));
    const found = rulesAt();
    assert.deepEqual([...new Set(found)], ['cuda/bank-conflict']);
    assert.match(
      (await evidence.problems.shown()).join('\n'),
      /^\d\.\d× (?:line |unpadded-tile\.cu:)18 bank-conflict/m,
    );
    assert.equal(evidence.problems.said.message, '');
    const { document } = await show('samples/transpose/unpadded-tile.cu');
    await findingsOf(document, 'cuda/bank-conflict');
    assert.deepEqual(rulesAt(), found, 'the check and the editor report the same once');
    await closeAll();
    await until('the findings of the closed file', () => rulesAt().length === found.length);
  });

  it('no view shows a figure as current once its array is declared otherwise', async () => {
    const editor = await measured('transpose/unpadded-tile');
    const { document } = editor;
    const lensTitles = async (): Promise<string> =>
      (await commands.executeCommand<CodeLens[]>('vscode.executeCodeLensProvider', document.uri, 99))
        .map(({ command }) => command?.title)
        .join();
    // A browser has no lens to profile by.
    if (!inBrowser)
      await until('the time in the lens', async () => /,\d+\.\d µs|,\d\S* (µs|ms)/.test(await lensTitles()));
    await editor.edit((edit) => edit.replace(rangeOf(document, '[tileSize][tileSize]'), '[tileSize][tileSize + 1]'));
    const at = rangeOf(document, '= tile[').start.line;
    await until('the old figure', () =>
      profile.overlay.drawn(editor).find(({ line, level }) => line === at + 1 && level === 'stale'),
    );
    const hover = await hoverAt(document, new Position(at, 4));
    assert.match(hover, /was 36\.2 %\*\* of `transpose`'s stall samples.*, changed since/);
    assert.doesNotMatch(hover, /Waits|Limit:|Helps:/);
    assert.ok(profile.overlay.drawn(editor).every(({ level, text }) => level === 'stale' && text.startsWith('was ')));
    const shown = await evidence.problems.shown();
    const old = shown.findIndex((row) => row.startsWith('Changed since the report: profile again'));
    assert.ok(old >= 0 && shown.slice(old + 1).some((row) => row.startsWith('line 9  was 24.0 %')), shown.join('\n'));
    assert.ok(!shown.slice(0, old).some((row) => /^\d|32\.0×|line (9|12|18|20) /.test(row)), shown.join('\n'));
    const isOld = async (): Promise<boolean> => /was \d+\.\d µs, changed since: profile again/.test(await lensTitles());
    if (!inBrowser) await until('the old time in the lens', isOld);
  });

  it('says of another version of the source what is not to be trusted', async () => {
    const at = inWorkspace('samples/structs/array-of-structs.cu');
    const text = new TextDecoder().decode(await workspace.fs.readFile(at));
    try {
      await workspace.fs.writeFile(
        at,
        new TextEncoder().encode(
          text
            .split('\n')
            .map((line, index) => (index > 5 && index % 2 === 0 ? `${line} // other` : line))
            .join('\n'),
        ),
      );
      await commands.executeCommand(
        'warplens.profile.layOver',
        inWorkspace('samples/profiles/array-of-structs.ncu-rep'),
      );
      const [, place] = [...profile.store.active!.places].find(([name]) => name.endsWith('array-of-structs.cu'))!;
      assert.equal(place.location.state, 'edited');
      assert.match(
        profile.status.tooltip,
        /array-of-structs\.cu has changed since it was profiled: figures of kernels that changed are old\./,
      );
    } finally {
      await workspace.fs.writeFile(at, new TextEncoder().encode(text));
    }
  });

  it("lays the report over that a folder's settings name, and none from outside of it", async () => {
    const settings = workspace.getConfiguration('warplens.profile', workspace.workspaceFolders![0]!.uri);
    await commands.executeCommand('warplens.profile.clear');
    try {
      await settings.update('report', 'samples/profiles/data-branch.ncu-rep', ConfigurationTarget.Workspace);
      await until('the report', () => profile.store.active?.name === 'data-branch.ncu-rep');
      // The bundle of the tests lies two folders below the checkout; a folder that is on no disk has nothing above it.
      const outside = inBrowser
        ? '../unpadded-tile.ncu-rep'
        : relative(
            workspace.workspaceFolders![0]!.uri.fsPath,
            join(__dirname, '..', '..', 'samples', 'profiles', 'unpadded-tile.ncu-rep'),
          );
      assert.match(outside, /^\.\./);
      await settings.update('report', outside, ConfigurationTarget.Workspace);
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(profile.store.active?.name, 'data-branch.ncu-rep');
    } finally {
      await settings.update('report', undefined, ConfigurationTarget.Workspace);
    }
  });

  it('finds sources by the path map first', async () => {
    const settings = workspace.getConfiguration('warplens.profile');
    const elsewhere = inWorkspace('elsewhere/transpose');
    await workspace.fs.createDirectory(elsewhere);
    await workspace.fs.copy(
      inWorkspace('samples/transpose/unpadded-tile.cu'),
      inWorkspace('elsewhere/transpose/unpadded-tile.cu'),
      { overwrite: true },
    );
    try {
      await measured('transpose/unpadded-tile');
      const path = () =>
        [...profile.store.active!.places.values()]
          .map(({ uri }) => uri?.path ?? '')
          .find((name) => name.endsWith('unpadded-tile.cu'));
      await settings.update(
        'pathMap',
        { '/home/user/samples': '${workspaceFolder}/elsewhere' },
        ConfigurationTarget.Workspace,
      );
      await until('the mapped source', () => path()?.includes('/elsewhere/'));
    } finally {
      await settings.update('pathMap', undefined, ConfigurationTarget.Workspace);
      await workspace.fs.delete(inWorkspace('elsewhere'), { recursive: true });
    }
  });

  describe('walks', () => {
    const stop = async (): Promise<{ text: string; drawn: string }> => {
      await commands.executeCommand('warplens.profile.nextHottest');
      const editor = window.activeTextEditor!;
      const { line } = editor.selection.active;
      return {
        text: editor.document.lineAt(line).text.trim(),
        drawn: profile.overlay.drawn(editor).find((one) => one.line === line + 1)?.text ?? '',
      };
    };
    const kernel = () =>
      profile.store.choose({
        kernel: profile.store.active!.kernels.find(({ shortName }) => shortName === 'averageAndMultiply')!.name,
      });

    it('analysis-driven optimisation, by next hottest line', async () => {
      await measured('ado/1-row-per-thread');
      kernel();
      profile.store.choose({ metric: 'sectors' });
      const load = await stop();
      assert.ok(load.text.startsWith('sum += input['));
      assert.match(load.drawn, /^8\.0× {2}sectors {2}\d+\.\d M, ideal \d+\.\d M/);

      await measured('ado/2-coalesced');
      kernel();
      profile.store.choose({ metric: 'samples' });
      const sweep = await stop();
      assert.equal(sweep.text, 'if (t < s) products[t] += products[t + s];');
      assert.match(sweep.drawn, /^\d+\.\d % {2}barrier$/);

      await measured('ado/3-shuffle');
      kernel();
      await commands.executeCommand('warplens.profile.chooseMetric', 'stall long scoreboard');
      assert.match(profile.status.texts[0]!, /long scoreboard stalls/);
      const loads = [await stop(), await stop()];
      for (const { drawn } of loads) assert.match(drawn, /long scoreboard {2}\d+ % of the line's samples/);
      assert.deepEqual(loads.map(({ text }) => text.split('[')[0]).sort(), ['float product = matrix', 'sum += input']);
    });

    it('the float4 loads that conflict are lit, and after the fix they are not', async () => {
      const before = await measured('matrix-product/register-tiled');
      profile.store.choose({ metric: 'wavefronts' });
      assert.deepEqual(
        profile.overlay.drawn(before).map(({ line, cell, text }) => [line, cell, text]),
        [
          [34, '2', '2.0×  wavefronts  33.6 M, ideal 16.8 M'],
          [35, '2', '2.0×  wavefronts  33.6 M, ideal 16.8 M'],
        ],
      );
      const after = await measured('matrix-product/register-tiled.fixed');
      assert.deepEqual(profile.overlay.drawn(after), []);
    });
  });
});
