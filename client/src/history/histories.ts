// The histories of the window's folders, re-read when their tables change.
import { basename, dirname } from 'node:path';
import { commands, EventEmitter, RelativePattern, Uri, window, workspace, Disposable, type Event } from 'vscode';
import { readHistory, type History } from '../../../profiler/src/history/stepStore';
import { seriesOf, type Series, type StepRow } from '../../../profiler/src/history/table';
import { storeFolders } from '../profiling/settings';

/** The history of one folder. */
export interface FolderHistory extends History {
  readonly root: string;
  readonly name: string;
  readonly store: string;
  readonly series: readonly Series[];
}

/** A step with its table. */
export interface FoundStep {
  readonly history: FolderHistory;
  readonly series: Series;
  readonly row: StepRow;
}

export interface Histories extends Disposable {
  /** Those with steps. */
  readonly all: readonly FolderHistory[];
  readonly onDidChange: Event<void>;
  refresh(): Promise<void>;
  find(store: string, number: number): FoundStep | undefined;
  /** The step whose report this is. */
  ofReport(report: Uri): FoundStep | undefined;
}

export function createHistories(): Histories {
  const changed = new EventEmitter<void>();
  let all: readonly FolderHistory[] = [];
  let watchers: Disposable[] = [];
  let watched = '';
  let turn = 0;
  let latest: Promise<void> = Promise.resolve();
  const refresh = (): Promise<void> => (latest = read(++turn));

  async function read(mine: number): Promise<void> {
    const folders = storeFolders();
    const histories = await Promise.all(
      folders.map(async (folder): Promise<FolderHistory> => {
        const history = await readHistory(folder.store).catch(
          (): History => ({ steps: [], baselines: {}, broken: true }),
        );
        return { ...folder, ...history, series: seriesOf(history.steps, history.baselines) };
      }),
    );
    if (mine !== turn) return latest;
    watch(folders.map(({ store }) => store));
    all = histories.filter(({ steps, broken }) => steps.length > 0 || broken);
    // The command palette hides the commands on steps without any.
    void commands.executeCommand('setContext', 'warplens.stepsKept', all.length > 0);
    changed.fire();
  }

  function watch(stores: readonly string[]): void {
    if (stores.join('\n') === watched) return;
    watched = stores.join('\n');
    for (const watcher of watchers) watcher.dispose();
    watchers = stores.flatMap((store) => {
      const watcher = workspace.createFileSystemWatcher(new RelativePattern(Uri.file(store), 'steps.json'));
      return [watcher, watcher.onDidCreate(refresh), watcher.onDidChange(refresh), watcher.onDidDelete(refresh)];
    });
  }

  const heard = [
    workspace.onDidChangeWorkspaceFolders(() => void refresh()),
    // A profile from a terminal elsewhere: not every file system tells of its changes.
    window.onDidChangeWindowState(({ focused }) => {
      if (focused) void refresh();
    }),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('warplens.profile.store')) void refresh();
    }),
  ];
  const found = (accepts: (history: FolderHistory, row: StepRow) => boolean): FoundStep | undefined => {
    for (const history of all)
      for (const series of history.series)
        for (const row of series.rows) if (accepts(history, row)) return { history, series, row };
    return undefined;
  };
  return {
    get all() {
      return all;
    },
    onDidChange: changed.event,
    refresh,
    find: (store, number) => found((history, { step }) => history.store === store && step.number === number),
    ofReport: (report) =>
      found((history, { step }) => history.store === dirname(report.fsPath) && step.report === basename(report.fsPath)),
    dispose: () => Disposable.from(...watchers, ...heard, changed).dispose(),
  };
}
