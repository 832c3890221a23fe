// The view "Hottest Lines": the kernels of the shown profile, and under each its marked lines.
import {
  Disposable,
  EventEmitter,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  Uri,
  window,
  workspace,
  type TreeDataProvider,
} from 'vscode';
import { treeBar } from '../../../profiler/src/overlay/drawing';
import { marksOf, type Mark } from '../../../profiler/src/overlay/marks';
import { piecesOf, timeText } from '../../../profiler/src/overlay/measurement';
import type { ProfiledKernel } from '../../../profiler/src/overlay/kernels';
import { reasonForNoLines } from '../../../profiler/src/overlay/withoutLines';
import { isUsersFile } from '../paths';
import type { Overlay } from './overlay';
import { nameOf, remarkOn, type PlacedSource, type ProfileStore } from './store';

/** `oneFile`: all lines of the kernel are of one file. */
type Line = { readonly mark: Mark; readonly oneFile: boolean };
type Node = { readonly kernel: ProfiledKernel } | Line;

type Ages = Pick<Overlay, 'ageOf' | 'isOld' | 'onDidDraw'>;

export function createHottestLines(store: ProfileStore, ages: Ages): Disposable {
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
    getTreeItem: (node) => ('kernel' in node ? kernelItem(node.kernel, store, ages) : lineItem(node, store, ages)),
  };
  const view = window.createTreeView('warplens.hottestLines', { treeDataProvider: provider });
  const heard = store.onDidChange(() => {
    const placed = [...(store.active?.places ?? [])]
      .filter(([path]) => store.marks().some(({ line }) => line.file === path))
      .flatMap(([path, place]) => remarkOn(path, place) ?? []);
    view.message = [...(store.comparison?.remarks ?? []), ...placed].slice(0, 3).join(' ');
    view.description = [store.active?.name, store.comparison && `compared with ${store.comparison.name}`]
      .filter(Boolean)
      .join(' ');
    changed.fire();
  });
  const redrawn = ages.onDidDraw(() => changed.fire());
  return Disposable.from(heard, redrawn, view, changed);
}

/** As wide as a share, 0 to 1. */
export function barIcon(part: number): { light: Uri; dark: Uri } {
  const icon = (theme: 'dark' | 'light'): Uri =>
    Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(treeBar(part, theme))}`);
  return { light: icon('light'), dark: icon('dark') };
}

/** Instead of the bar of a figure that no longer holds. */
export const staleIcon = new ThemeIcon('history', new ThemeColor('warplens.stale'));

function kernelItem(kernel: ProfiledKernel, store: ProfileStore, ages: Ages): TreeItem {
  const marks = marksIn(kernel, store);
  const isStale = ages.isOld(kernel);
  const files = new Set(marks.map(({ line }) => line.file));
  const item = new TreeItem(
    kernel.shortName,
    marks.length === 0 ? TreeItemCollapsibleState.None : TreeItemCollapsibleState.Expanded,
  );
  item.id = idOf(kernel);
  item.description = [
    timeText(kernel.durationNs, isStale),
    kernel.launches > 1 ? `${kernel.launches} launches` : '',
    files.size === 1 ? nameOf(marks[0]!.line.file) : '',
    marks.length === 0 ? (store.comparison ? 'no line changed' : reasonForNoLines(kernel.longest)) : '',
  ]
    .filter(Boolean)
    .join('  ');
  item.tooltip = kernel.name;
  item.iconPath = isStale ? staleIcon : new ThemeIcon('zap');
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

function lineItem({ mark, oneFile }: Line, store: ProfileStore, ages: Ages): TreeItem {
  const { line, kernel } = mark;
  const place = store.active?.places.get(line.file);
  const text = place?.profiled?.split('\n')[line.line - 1]?.trim() ?? '';
  // The row of the kernel names the file where all its lines are of one. The view cuts what is too long.
  const { line: now, stale } = ages.ageOf(kernel, line);
  const where = oneFile ? `line ${now}` : `${nameOf(line.file)}:${now}`;
  const code = text.replace(/\s+/g, ' ');
  const [figure, ...words] = piecesOf(mark, stale);
  const item = new TreeItem([figure, where, code].filter(Boolean).join('  '));
  item.id = `${idOf(kernel)}\n${line.line}\n${line.file}`;
  const remark = place && remarkOn(line.file, place);
  item.description = [
    ...words,
    place && !place.uri ? '(source not found)' : place?.location.state === 'unsure' ? '(source changed)' : '',
  ]
    .filter(Boolean)
    .join('  ');
  item.tooltip = [
    text,
    `${placeText(line.file, place)}:${now} in ${kernel.shortName}`,
    [figure, ...words].join('  '),
    remark,
  ]
    .filter(Boolean)
    .join('\n');
  item.iconPath = stale ? staleIcon : barIcon(mark.heat);
  item.accessibilityInformation = {
    label: `line ${now} of ${nameOf(line.file)}, ${[figure, ...words].join(', ')}, ${text}`,
  };
  item.command = { command: 'warplens.profile.goTo', title: 'Go to Line', arguments: [line.file, line.line] };
  return item;
}

/** The file on this machine, below its workspace folder; else that of the machine that compiled. */
function placeText(file: string, place: PlacedSource | undefined): string {
  return place?.uri && isUsersFile(place.uri) ? workspace.asRelativePath(place.uri) : nameOf(file);
}
