// The history: its view, its table, and what can be done with a step.
import { basename } from 'node:path';
import { commands, env, Uri, window, workspace, type Event } from 'vscode';
import { reasonOf, rowLabel } from '../../../profiler/src/history/table';
import { describeStep, removeStep, reportPath, setBaseline } from '../../../profiler/src/history/stepStore';
import type { Step } from '../../../profiler/src/history/steps';
import { ProfileProblem } from '../../../profiler/src/transport/problem';
import type { FeatureContext } from '../featureContext';
import type { ProfileStore } from '../profile/store';
import type { KnownReport } from '../profile/chooseBaseline';
import { reportView } from '../profile/reportEditor';
import { askingUser, type Asking } from '../profiling/asking';
import { createHistories, type FoundStep, type Histories } from './histories';
import { createHistoryTree, headlineOf, timeText, type HistoryTree } from './historyTree';
import { changedSources, registerStepDocuments, tableOf, tableUri } from './stepDocuments';

export interface HistoryFeature {
  /** Whom the questions are put to; tests answer themselves. */
  asking: Asking;
  readonly histories: Histories;
  readonly tree: HistoryTree;
  /** How many times faster than the baseline the shown report has a kernel. */
  gainOf(kernel: string): number | undefined;
  gainsOf(store: string, step: Step): Promise<ReadonlyMap<string, number>>;
  /** What a report of the history is compared with; undefined for others, and for the baseline itself. */
  baselineOf(report: Uri): { readonly uri: Uri; readonly name: string } | undefined;
  /** The reports of all steps, the newest of each table first. */
  reports(): readonly KnownReport[];
  readonly onDidChange: Event<void>;
}

export function activateHistory({ extension }: Pick<FeatureContext, 'extension'>, store: ProfileStore): HistoryFeature {
  const histories = createHistories();
  const tree = createHistoryTree(histories, store);

  /** The step of a row of the view, of an argument `{ store, number }`, or one that the user picks. */
  async function stepOf(value: unknown, title: string): Promise<FoundStep | undefined> {
    const given = (value ?? {}) as {
      readonly kind?: unknown;
      readonly row?: FoundStep['row'];
      readonly history?: FoundStep['history'];
      readonly store?: unknown;
      readonly number?: unknown;
    };
    // A row may be older than the last change of the table.
    if (given.kind === 'step') return histories.find(given.history!.store, given.row!.step.number);
    if (typeof given.number === 'number')
      return histories.find(
        typeof given.store === 'string' ? given.store : (histories.all[0]?.store ?? ''),
        given.number,
      );
    const rows = histories.all.flatMap((history) =>
      history.series.flatMap((series) =>
        [...series.rows].reverse().map((row) => ({
          label: rowLabel(row),
          description: [timeText(headlineOf(series, row)), series.name].filter(Boolean).join('  '),
          detail: reasonOf(row.step),
          found: { history, series, row },
        })),
      ),
    );
    if (rows.length === 0) {
      void feature.asking.say(
        'information',
        'Warplens: there are no steps yet. Each profile is one: "Warplens: Profile This Program…".',
      );
      return undefined;
    }
    return (await feature.asking.pick(rows, { title, placeholder: 'Which step' }))?.item.found;
  }

  const reportOf = ({ history, row }: FoundStep): Uri | undefined => {
    const path = reportPath(history.store, row.step);
    if (path !== undefined) return Uri.file(path);
    void feature.asking.say(
      'error',
      `Warplens: the table of steps names the report "${row.step.report}", which is not beside it.`,
    );
    return undefined;
  };

  async function showChange(found: FoundStep): Promise<void> {
    const { row } = found;
    const change = await changedSources(found);
    if (!change) {
      void feature.asking.say(
        'information',
        row.position === 0
          ? `Warplens: ${rowLabel(row)} is the first step; there is nothing before it.`
          : `Warplens: the sources of ${rowLabel(row)} or of the step before were not kept.`,
      );
      return;
    }
    if (change.files.length === 0) {
      void feature.asking.say(
        'information',
        `Warplens: ${rowLabel(row)} was built from the same sources as ${change.before.label}.`,
      );
      return;
    }
    const title = `${change.before.label} → ${rowLabel(row)}`;
    const [first] = change.files;
    if (change.files.length === 1)
      await commands.executeCommand('vscode.diff', first!.left, first!.right, `${basename(first!.path)}: ${title}`);
    else
      await commands.executeCommand(
        'vscode.changes',
        title,
        change.files.map(({ path, left, right }) => [Uri.file(path), left, right]),
      );
  }

  async function rename({ history, row }: FoundStep, words: unknown): Promise<void> {
    const label =
      typeof words === 'string'
        ? words
        : await feature.asking.input({
            title: 'Name of the step',
            value: row.step.label,
            prompt: 'What the list and the table call it',
            validateInput: (text) => (text.trim() === '' ? 'A step needs a name.' : undefined),
          });
    if (label !== undefined && label.trim() !== '') await describeStep(history.store, row.step.number, { label });
  }

  async function describe({ history, row }: FoundStep, words: unknown): Promise<void> {
    const remark =
      typeof words === 'string'
        ? words
        : await feature.asking.input({
            title: `What ${rowLabel(row)} changes`,
            value: reasonOf(row.step),
            prompt: 'In a line; empty for the first changed line of the sources',
          });
    if (remark !== undefined) await describeStep(history.store, row.step.number, { remark });
  }

  async function remove({ history, row }: FoundStep): Promise<void> {
    const sure = await feature.asking.confirm(
      `Remove ${rowLabel(row)}?`,
      `Its report ${row.step.report} and the sources that only it has are deleted.`,
      'Remove',
    );
    if (!sure) return;
    if (store.active?.uri.fsPath === reportPath(history.store, row.step)) store.clear();
    await removeStep(history.store, row.step.number);
  }

  async function exportTable(value: unknown): Promise<void> {
    const { series, to } = (value ?? {}) as {
      readonly series?: { readonly name: string } | string;
      readonly to?: unknown;
    };
    const text = await tableOf(histories.all, typeof series === 'string' ? series : series?.name);
    let target = to;
    if (target === undefined) {
      const chosen = await feature.asking.pick(
        [
          { label: '$(clippy) Clipboard', to: 'clipboard' },
          { label: '$(save) File…', to: 'file' },
        ],
        { title: 'Export Steps as Markdown', placeholder: 'Where to' },
      );
      target = chosen?.item.to;
    }
    if (target === 'clipboard') {
      await env.clipboard.writeText(text);
      window.setStatusBarMessage('$(clippy) The table of steps is in the clipboard', 4_000);
    } else if (target !== undefined) {
      const uri =
        target instanceof Uri
          ? target
          : target === 'file'
            ? await window.showSaveDialog({
                title: 'Export Steps as Markdown',
                filters: { Markdown: ['md'] },
                defaultUri: histories.all[0] && Uri.joinPath(Uri.file(histories.all[0].root), 'steps.md'),
              })
            : Uri.file(String(target));
      if (uri) await workspace.fs.writeFile(uri, Buffer.from(text, 'utf8'));
    }
  }

  /** A command on one step; the table is read again behind it, and what fails is said in a sentence. */
  const onStep = (command: string, title: string, act: (found: FoundStep, words: unknown) => unknown) =>
    commands.registerCommand(command, async (value?: unknown, words?: unknown) => {
      try {
        const found = await stepOf(value, title);
        if (!found) return;
        // A row of the view comes with the whole selection behind it.
        await act(found, Array.isArray(words) ? undefined : words);
        await histories.refresh();
      } catch (error) {
        if (!(error instanceof ProfileProblem)) throw error;
        void feature.asking.say('error', `Warplens: ${error.message} ${error.nextStep}`);
      }
    });

  extension.subscriptions.push(
    histories,
    tree,
    registerStepDocuments(histories),
    onStep('warplens.history.show', 'Lay a Step over the Sources', async (found) => {
      const report = reportOf(found);
      if (report) await commands.executeCommand('warplens.profile.layOver', report);
    }),
    onStep('warplens.history.openReport', 'Open the Report of a Step', async (found) => {
      const report = reportOf(found);
      if (report) await commands.executeCommand('vscode.openWith', report, reportView);
    }),
    onStep('warplens.history.showChange', 'Show the Change of a Step', showChange),
    onStep('warplens.history.setBaseline', 'Choose the Baseline', ({ history, row }) =>
      setBaseline(history.store, row.step.number),
    ),
    onStep('warplens.history.rename', 'Rename a Step', rename),
    onStep('warplens.history.describe', 'Describe a Step', describe),
    onStep('warplens.history.remove', 'Remove a Step', remove),
    commands.registerCommand('warplens.history.showTable', () =>
      commands.executeCommand('markdown.showPreview', tableUri),
    ),
    commands.registerCommand('warplens.history.export', exportTable),
    commands.registerCommand('warplens.history.refresh', () => histories.refresh()),
  );
  void histories.refresh();

  const feature: HistoryFeature = {
    asking: askingUser,
    histories,
    tree,
    gainOf(kernel) {
      const found = store.active && histories.ofReport(store.active.uri);
      return found?.row.times.get(kernel)?.gain;
    },
    async gainsOf(folder, step) {
      const found = histories.find(folder, step.number);
      return new Map(
        [...(found?.row.times ?? [])].flatMap(([name, { gain }]) =>
          gain === undefined ? [] : [[name, gain] as const],
        ),
      );
    },
    baselineOf(report) {
      const found = histories.ofReport(report);
      const baseline = found?.series.rows.find(({ isBaseline }) => isBaseline);
      const path =
        found && baseline && baseline.step !== found.row.step
          ? reportPath(found.history.store, baseline.step)
          : undefined;
      return path === undefined ? undefined : { uri: Uri.file(path), name: rowLabel(baseline!) };
    },
    reports: () =>
      histories.all.flatMap((history) =>
        history.series.flatMap((series) =>
          [...series.rows].reverse().flatMap((row): KnownReport[] => {
            const path = reportPath(history.store, row.step);
            return path === undefined
              ? []
              : [
                  {
                    uri: Uri.file(path),
                    name: rowLabel(row),
                    description: [timeText(headlineOf(series, row)), series.name].filter(Boolean).join('  '),
                    detail: reasonOf(row.step),
                  },
                ];
          }),
        ),
      ),
    onDidChange: histories.onDidChange,
  };
  return feature;
}
