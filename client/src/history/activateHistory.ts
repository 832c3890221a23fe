// The history: its view, its table, and what can be done with a step.
import { commands, Uri, type Event } from 'vscode';
import { reasonOf, rowLabel } from '../../../profiler/src/history/table';
import { reportPath, setBaseline } from '../../../profiler/src/history/stepStore';
import type { Step } from '../../../profiler/src/history/steps';
import { haveSameContent } from '../../../profiler/src/transport/fileContent';
import { ProfileProblem } from '../../../profiler/src/transport/problem';
import type { FeatureContext } from '../featureContext';
import type { ProfileStore } from '../profile/store';
import type { KnownReport } from '../profile/chooseBaseline';
import { reportView } from '../profile/reportEditor';
import { showMarkdownPage } from '../markdownPage';
import { askingUser, type Asking } from '../profiling/asking';
import { createHistories, type FoundStep, type Histories } from './histories';
import { createHistoryTree, headlineOf, timeText, type HistoryTree } from './historyTree';
import { stepActions } from './stepActions';
import { keepOpenedReports } from './openedReports';
import { registerStepDocuments, tableUri } from './stepDocuments';

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
  /** The reports of all steps: the baseline of one, then the newest of each table first. */
  reports(of: Uri): Promise<readonly KnownReport[]>;
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
        'Warplens: no steps yet. Run "Warplens: Profile This Program…" to add one.',
      );
      return undefined;
    }
    return (await feature.asking.pick(rows, { title, placeholder: 'Step' }))?.item.found;
  }

  const { reportOf, showChange, rename, describe, remove, exportTable } = stepActions(
    () => feature.asking,
    histories,
    store,
  );

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
    keepOpenedReports(store, histories),
    registerStepDocuments(histories),
    onStep('warplens.history.show', 'Overlay a Step on the Sources', async (found) => {
      const report = reportOf(found);
      if (report) await commands.executeCommand('warplens.profile.layOver', report);
    }),
    onStep('warplens.history.openReport', 'Open the Report of a Step', async (found) => {
      const report = reportOf(found);
      if (report) await commands.executeCommand('vscode.openWith', report, reportView);
    }),
    onStep('warplens.history.compare', 'Compare a Step', async (found, other) => {
      const report = reportOf(found);
      if (!report) return;
      // The other of two selected steps, or one that is asked for.
      await commands.executeCommand('warplens.profile.compare', report, other instanceof Uri ? other : undefined);
    }),
    onStep('warplens.history.showChange', 'Show the Change of a Step', showChange),
    onStep('warplens.history.setBaseline', 'Choose the Baseline', ({ history, row }) =>
      setBaseline(history.store, row.step.number),
    ),
    onStep('warplens.history.rename', 'Rename a Step', rename),
    onStep('warplens.history.describe', 'Describe a Step', describe),
    onStep('warplens.history.remove', 'Remove a Step', remove),
    commands.registerCommand('warplens.history.showTable', () => showMarkdownPage(tableUri)),
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
    async reports(of) {
      const known = histories.all.flatMap((history) =>
        history.series.flatMap((series) =>
          [...series.rows].reverse().flatMap((row) => {
            const path = reportPath(history.store, row.step);
            return path === undefined ? [] : [{ series, row, path }];
          }),
        ),
      );
      // The history has a copy of a report that was opened.
      const isSame = await Promise.all(known.map(({ path }) => haveSameContent(path, of.fsPath)));
      const mine = known[isSame.indexOf(true)]?.series;
      const first = known.filter(({ series, row }) => series === mine && row.isBaseline);
      return [...new Set([...first, ...known])].map((one) => ({
        uri: Uri.file(one.path),
        name: rowLabel(one.row),
        description: [timeText(headlineOf(one.series, one.row)), one.series.name].filter(Boolean).join('  '),
        detail: reasonOf(one.row.step),
        relation: one.series !== mine ? 'other' : isSame[known.indexOf(one)] ? 'same' : 'program',
      }));
    },
    onDidChange: histories.onDidChange,
  };
  return feature;
}
