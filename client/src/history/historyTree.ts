// The view "History": the steps of each program with their times against the baseline, and under each its kernels.
import { leastGain } from '../../../profiler/src/overlay/thresholds';
import {
  EventEmitter,
  MarkdownString,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  window,
  Disposable,
  type TreeDataProvider,
} from 'vscode';
import { showDuration } from '../../../profiler/src/history/steps';
import {
  reasonOf,
  rowLabel,
  showGain,
  type Series,
  type StepRow,
  type StepTime,
} from '../../../profiler/src/history/table';
import type { ProfileStore } from '../profile/store';
import type { FolderHistory, FoundStep, Histories } from './histories';

/** What commands of the view get. */
export type StepNode = FoundStep & { readonly kind: 'step' };
export type HistoryNode =
  | { readonly kind: 'folder'; readonly history: FolderHistory }
  | { readonly kind: 'series'; readonly history: FolderHistory; readonly series: Series }
  | StepNode
  | { readonly kind: 'kernel'; readonly parent: StepNode; readonly name: string; readonly time: StepTime | undefined };

export interface HistoryTree extends Disposable {
  readonly provider: TreeDataProvider<HistoryNode>;
}

export function createHistoryTree(histories: Histories, store: ProfileStore): HistoryTree {
  const changed = new EventEmitter<void>();
  const provider: TreeDataProvider<HistoryNode> = {
    onDidChangeTreeData: changed.event,
    getChildren(node) {
      if (!node)
        return histories.all.length === 1 && !histories.all[0]!.broken
          ? ofFolder(histories.all[0]!)
          : histories.all.map((history) => ({ kind: 'folder', history }));
      switch (node.kind) {
        case 'folder':
          return ofFolder(node.history);
        case 'series':
          return ofSeries(node.history, node.series);
        case 'step':
          return node.series.kernels
            .filter((name) => node.row.times.has(name))
            .map((name) => ({ kind: 'kernel', parent: node, name, time: node.row.times.get(name) }));
        case 'kernel':
          return [];
      }
    },
    getTreeItem(node) {
      switch (node.kind) {
        case 'folder':
          return {
            ...new TreeItem(node.history.name, TreeItemCollapsibleState.Expanded),
            ...(node.history.broken ? { description: 'steps.json cannot be read; the next profile renames it' } : {}),
            iconPath: ThemeIcon.Folder,
          };
        case 'series':
          return {
            ...new TreeItem(node.series.name, TreeItemCollapsibleState.Expanded),
            description: node.series.rows.length === 1 ? '1 step' : `${node.series.rows.length} steps`,
            iconPath: new ThemeIcon('graph-line'),
            contextValue: 'series',
          };
        case 'step':
          return stepItem(node, store);
        case 'kernel':
          return kernelItem(node.name, node.time);
      }
    },
  };
  const view = window.createTreeView('warplens.history', { treeDataProvider: provider, showCollapseAll: true });
  const heard = [histories.onDidChange(() => changed.fire()), store.onDidChange(() => changed.fire())];
  return { provider, dispose: () => Disposable.from(...heard, view, changed).dispose() };
}

function ofFolder(history: FolderHistory): HistoryNode[] {
  const [only] = history.series;
  return only && history.series.length === 1
    ? ofSeries(history, only)
    : history.series.map((series) => ({ kind: 'series', history, series }));
}

/** Newest first: what was done last is looked at most. */
function ofSeries(history: FolderHistory, series: Series): HistoryNode[] {
  return [...series.rows].reverse().map((row) => ({ kind: 'step', history, series, row }));
}

function stepItem({ history, series, row }: StepNode, store: ProfileStore): TreeItem {
  const { step, isBaseline } = row;
  const shown =
    store.active?.uri.fsPath === `${history.store}/${step.report}` ||
    store.active?.uri.fsPath === `${history.store}\\${step.report}`;
  const item = new TreeItem(
    rowLabel(row),
    series.kernels.length > 1 ? TreeItemCollapsibleState.Collapsed : TreeItemCollapsibleState.None,
  );
  item.id = `${history.store}\n${step.number}`;
  const time = headlineOf(series, row);
  const reason = reasonOf(step);
  item.description = [timeText(time), reason].filter(Boolean).join('  ');
  item.iconPath = shown ? new ThemeIcon('eye') : isBaseline ? new ThemeIcon('home') : gainIcon(time);
  item.contextValue = isBaseline ? 'step baseline' : 'step';
  item.command = {
    command: 'warplens.history.show',
    title: 'Overlay on Sources',
    arguments: [{ kind: 'step', history, series, row }],
  };
  item.accessibilityInformation = {
    label: [rowLabel(row), isBaseline ? 'baseline' : '', timeText(time), reason, shown ? 'shown' : '']
      .filter(Boolean)
      .join(', '),
  };
  const text = new MarkdownString();
  text.appendText(`${rowLabel(row)}${isBaseline ? ' (baseline)' : ''}, ${new Date(step.time).toLocaleString()}`);
  text.appendMarkdown('\n\n');
  text.appendText([step.device, step.host && `on ${step.host}`].filter(Boolean).join(' '));
  if (reason) text.appendCodeblock(reason, 'text');
  for (const { path, added, removed } of step.change?.files.slice(0, 8) ?? []) {
    text.appendText(`${path} +${added} −${removed}`);
    text.appendMarkdown('  \n');
  }
  if (step.commit) {
    text.appendMarkdown('\n\n');
    text.appendText(`commit ${step.commit.id}${step.commit.clean ? '' : ' and changes'}: ${step.commit.subject}`);
  }
  for (const note of step.notes.slice(0, 4)) {
    text.appendMarkdown('\n\n');
    text.appendText(note);
  }
  item.tooltip = text;
  return item;
}

/** The sum of all kernels; where that cannot be compared with the baseline's, the kernel that took longest there. */
export function headlineOf({ kernels }: Series, { times, total, isBaseline }: StepRow): StepTime | undefined {
  if (kernels.length === 1) return times.get(kernels[0]!);
  if (isBaseline || total?.gain !== undefined) return total;
  return kernels.map((name) => times.get(name)).find((time) => time?.gain !== undefined) ?? total;
}

function kernelItem(name: string, time: StepTime | undefined): TreeItem {
  const item = new TreeItem(name);
  item.description = timeText(time);
  item.iconPath = gainIcon(time) ?? new ThemeIcon('zap');
  return item;
}

/** `1.32 ms  18.9×`. */
export function timeText(time: StepTime | undefined): string {
  return time === undefined
    ? ''
    : `${showDuration(time.durationNs)}${time.gain === undefined ? '' : `  ${showGain(time.gain)}`}`;
}

/** What differs by less than some per cent between two runs is neither a gain nor a loss. */
function gainIcon(time: StepTime | undefined): ThemeIcon {
  const gain = time?.gain;
  if (gain === undefined) return new ThemeIcon('zap');
  if (gain >= 1 + leastGain) return new ThemeIcon('arrow-up', new ThemeColor('charts.green'));
  return gain <= 1 - leastGain ? new ThemeIcon('arrow-down', new ThemeColor('charts.red')) : new ThemeIcon('dash');
}
