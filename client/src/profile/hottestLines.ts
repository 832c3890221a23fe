// The view "Hottest Lines": the kernels of the shown profile, and under each its marked lines.
import {
  EventEmitter,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  Uri,
  window,
  workspace,
  type Disposable,
  type TreeDataProvider,
} from 'vscode';
import { duration } from '../../../profiler/src/lines/amounts';
import { treeBar } from '../../../profiler/src/overlay/drawing';
import { marksOf, type Mark } from '../../../profiler/src/overlay/marks';
import type { ProfiledKernel } from '../../../profiler/src/overlay/kernels';
import { reasonForNoLines } from '../../../profiler/src/overlay/withoutLines';
import { isUsersFile } from '../paths';
import { nameOf, remarkOn, type PlacedSource, type ProfileStore } from './store';

/** `oneFile`: all lines of the kernel are of one file. */
type Line = { readonly mark: Mark; readonly oneFile: boolean };
type Node = { readonly kernel: ProfiledKernel } | Line;

export function createHottestLines(store: ProfileStore): Disposable {
  const changed = new EventEmitter<void>();
  const provider: TreeDataProvider<Node> = {
    onDidChangeTreeData: changed.event,
    getChildren(node) {
      const profile = store.active;
      if (!profile) return [];
      if (!node)
        return profile.kernels
          .filter(({ name }) => store.kernel === undefined || name === store.kernel)
          .sort((a, b) => b.durationNs - a.durationNs)
          .map((kernel) => ({ kernel }));
      return 'kernel' in node ? linesOf(node.kernel, store) : [];
    },
    getTreeItem: (node) => ('kernel' in node ? kernelItem(node.kernel, store) : lineItem(node, store)),
  };
  const view = window.createTreeView('warplens.hottestLines', { treeDataProvider: provider });
  const heard = store.onDidChange(() => {
    const remarks = [...(store.active?.places ?? [])]
      .filter(([path]) => store.marks().some(({ line }) => line.file === path))
      .flatMap(([path, place]) => remarkOn(path, place, store.active) ?? []);
    view.message = remarks.length > 0 ? remarks.slice(0, 3).join(' ') : '';
    view.description = [store.active?.name, store.comparison && `compared with ${store.comparison.name}`]
      .filter(Boolean)
      .join(' ');
    changed.fire();
  });
  return {
    dispose() {
      heard.dispose();
      view.dispose();
      changed.dispose();
    },
  };
}

function kernelItem(kernel: ProfiledKernel, store: ProfileStore): TreeItem {
  const marks = marksIn(kernel, store);
  const files = new Set(marks.map(({ line }) => line.file));
  const item = new TreeItem(
    kernel.shortName,
    marks.length === 0 ? TreeItemCollapsibleState.None : TreeItemCollapsibleState.Expanded,
  );
  item.id = idOf(kernel);
  item.description = [
    kernel.durationNs > 0 ? duration(kernel.durationNs) : '',
    kernel.launches > 1 ? `${kernel.launches} launches` : '',
    files.size === 1 ? nameOf(marks[0]!.line.file) : '',
    marks.length === 0 ? (store.comparison ? 'no line changed' : reasonForNoLines(kernel.longest)) : '',
  ]
    .filter(Boolean)
    .join('  ');
  item.tooltip = kernel.name;
  item.iconPath = new ThemeIcon('zap');
  return item;
}

/** Two kernels can have one name, but not one symbol. */
function idOf({ name, mangledName }: ProfiledKernel): string {
  return `${name}\n${mangledName ?? ''}`;
}

/** Those that the lines of the editor show, of one kernel. */
function marksIn(kernel: ProfiledKernel, store: ProfileStore): readonly Mark[] {
  return store.comparison ? store.marks().filter((mark) => mark.kernel === kernel) : marksOf(kernel, store.metric);
}

function linesOf(kernel: ProfiledKernel, store: ProfileStore): Line[] {
  const marks = marksIn(kernel, store);
  const oneFile = new Set(marks.map(({ line }) => line.file)).size === 1;
  return marks.map((mark) => ({ mark, oneFile }));
}

function lineItem({ mark, oneFile }: Line, store: ProfileStore): TreeItem {
  const { line, kernel } = mark;
  const place = store.active?.places.get(line.file);
  const text = place?.profiled?.split('\n')[line.line - 1]?.trim() ?? '';
  // The row of the kernel names the file where all its lines are of one. The view cuts what is too long.
  const where = oneFile ? `line ${line.line}` : `${nameOf(line.file)}:${line.line}`;
  const code = text.replace(/\s+/g, ' ');
  const item = new TreeItem([mark.figure, where, code].filter(Boolean).join('  '));
  item.id = `${idOf(kernel)}\n${line.line}\n${line.file}`;
  const remark = place && remarkOn(line.file, place);
  item.description = [
    ...mark.words,
    place && !place.uri ? '(source not found)' : place?.location.state === 'unsure' ? '(source changed)' : '',
  ]
    .filter(Boolean)
    .join('  ');
  item.tooltip = [
    text,
    `${placeText(line.file, place)}:${line.line} in ${kernel.shortName}`,
    `${[mark.figure, ...mark.words].join('  ')}`,
    remark,
  ]
    .filter(Boolean)
    .join('\n');
  const bar = (theme: 'dark' | 'light'): Uri =>
    Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(treeBar(mark.heat, theme))}`);
  item.iconPath = { light: bar('light'), dark: bar('dark') };
  item.accessibilityInformation = {
    label: `line ${line.line} of ${nameOf(line.file)}, ${[mark.figure, ...mark.words].join(', ')}, ${text}`,
  };
  item.command = { command: 'warplens.profile.goTo', title: 'Go to Line', arguments: [line.file, line.line] };
  return item;
}

/**
 * The file on this machine, below the workspace's folder where it is in one; that of the machine that compiled where
 * there is none here.
 */
function placeText(file: string, place: PlacedSource | undefined): string {
  return place?.uri && isUsersFile(place.uri) ? workspace.asRelativePath(place.uri) : nameOf(file);
}
