// The view "Problems by Cost": findings by their measured share of time, or by predicted cost without a profile.
import {
  EventEmitter,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  type Uri,
  languages,
  window,
  workspace,
  type Command,
  type Disposable,
  type TreeDataProvider,
} from 'vscode';
import {
  orderByCost,
  type CostOrder,
  type HotLine,
  type JoinedDocument,
  type Problem,
} from '../../../profiler/src/evidence/costOrder';
import { percent } from '../../../profiler/src/lines/amounts';
import { marksOfAll, type Mark } from '../../../profiler/src/overlay/marks';
import { piecesOf, waitsOf, type Waits } from '../../../profiler/src/overlay/measurement';
import { leastPartOfHottest } from '../../../profiler/src/overlay/thresholds';
import { isUsersFile } from '../paths';
import { barIcon, staleIcon } from '../profile/hottestLines';
import type { Overlay } from '../profile/overlay';
import { nameOf, type ProfileStore } from '../profile/store';
import type { FoundFinding } from '../../../protocol/src/requests';
import type { Server } from '../server';
import type { FolderCheck } from './checkFolder';
import type { Evidence } from './evidence';
import type { HintFilter } from './hintFilter';
import { predictedProblems, type PredictedProblem } from './predictedProblems';

export interface ProblemsByCost extends Disposable {
  /** Label and description of what the view shows, groups first and their members after them. */
  shown(): Promise<readonly string[]>;
  /** What the view says beside its title, and in place of rows. */
  readonly said: { readonly description: string | undefined; readonly message: string | undefined };
  /** Asks for everything again. */
  renew(): void;
}

/** Documents are opened to be read; a report of a large program names many. */
const mostDocuments = 30;
/** Fewer lines say more: those of the whole program come from "Hottest Lines". */
const mostUnexplained = 15;

type Hot = HotLine & {
  readonly mark: Mark;
  readonly now: number;
  readonly stale: boolean;
  readonly waits: Waits | undefined;
};
interface Group {
  readonly group: string;
  readonly open: boolean;
  readonly members: readonly Node[];
}
type Node =
  | Group
  | {
      readonly problem: Problem<Uri, Hot>;
      readonly part: number;
      readonly place: string;
      readonly members: readonly Node[];
    }
  | { readonly predicted: PredictedProblem; readonly place: string }
  | { readonly hot: Hot; readonly place: string };

export function createProblemsByCost(
  server: Pick<Server, 'request' | 'state'>,
  store: ProfileStore,
  evidence: Evidence,
  filter: Pick<HintFilter, 'listsHints' | 'onDidChange'>,
  ages: Pick<Overlay, 'ageOf' | 'onDidDraw'>,
  folder: Omit<FolderCheck, 'dispose'>,
): ProblemsByCost {
  const changed = new EventEmitter<void>();
  let hasRows = false;
  let roots: Promise<readonly Node[]> | undefined;

  async function gather(): Promise<readonly Node[]> {
    const profile = store.active;
    if (!profile) return predicted();
    const uris = new Map(
      [...profile.places.values()].flatMap(({ uri, location }) =>
        uri && isUsersFile(uri) && location.state !== 'unsure' && /\.(cuh?|c|cc|cpp|cxx|h|hh|hpp|inl)$/i.test(uri.path)
          ? [[uri.toString(), uri] as const]
          : [],
      ),
    );
    const documents: JoinedDocument<Uri>[] = [];
    // Headers of a toolkit are measured too, but are not the user's to fix.
    const own = [...uris.values()].filter(
      (uri) =>
        workspace.getWorkspaceFolder(uri) ?? workspace.textDocuments.some((open) => String(open.uri) === String(uri)),
    );
    for (const uri of own.slice(0, mostDocuments)) {
      const document = await Promise.resolve(workspace.openTextDocument(uri)).catch(() => undefined);
      const found = document && (await evidence.of(document));
      if (found) documents.push({ place: uri, ...found });
    }
    const marks = marksOfAll(profile.kernels, 'samples', store.kernel);
    const hottest = marks[0]?.weight ?? 0;
    const hot = marks
      .filter(({ weight }) => weight >= leastPartOfHottest * hottest)
      .map((mark): Hot => {
        const { kernel, line } = mark;
        const waits = waitsOf(kernel, line, ages.ageOf);
        const { line: now, stale } = ages.ageOf(kernel, line);
        const filled = waits?.filler ? { filledBy: waits.filler } : {};
        return { file: line.file, line: line.line, mark, now, stale, waits, ...filled };
      });
    const order = orderByCost(documents, hot);
    const names = new Set([
      ...documents.filter(({ joined }) => joined.length > 0).map(({ place }) => nameOf(place.path)),
      ...order.unexplained.map(({ file }) => nameOf(file)),
    ]);
    return nodesOf(order, (path, line) => (names.size === 1 ? `line ${line}` : `${nameOf(path)}:${line}`));
  }

  async function predicted(): Promise<readonly Node[]> {
    const reading = (): string | undefined => folder.progress ?? (server.state === 'starting' ? 'Reading…' : undefined);
    if (!hasRows) say('by prediction', reading() ?? 'Reading…');
    const files = folder.closedFiles();
    const { problems, hidden } = await predictedProblems(server, mostDocuments, filter.listsHints, files);
    hasRows = problems.length > 0;
    const hints = `${hidden} ${hidden === 1 ? 'hint' : 'hints'}`;
    say(
      hidden > 0 ? `by prediction, ${hints} hidden` : 'by prediction',
      reading() ??
        (hidden > 0 && !hasRows
          ? `The files have ${hints} and nothing graver. Show Hints, in the title of this view, lists them.`
          : undefined),
    );
    return predictedNodes(problems);
  }

  const provider: TreeDataProvider<Node> = {
    onDidChangeTreeData: changed.event,
    getChildren: async (node) => [
      ...(node === undefined ? await (roots ??= gather()) : 'members' in node ? node.members : []),
    ],
    getTreeItem: itemOf,
  };
  const view = window.createTreeView('warplens.problems', { treeDataProvider: provider });
  const say = (description: string, message: string | undefined): void => {
    view.description = description;
    view.message = message ?? '';
  };
  let pause: NodeJS.Timeout | undefined;
  const renew = (): void => {
    clearTimeout(pause);
    pause = setTimeout(() => {
      roots = undefined;
      if (store.active) say(store.active.name, undefined);
      changed.fire();
    }, 100);
  };
  const heard = [
    evidence.onDidChange(renew),
    filter.onDidChange(renew),
    folder.onDidChange(renew),
    // Without a profile the view follows what the server says of the open documents.
    languages.onDidChangeDiagnostics(({ uris }) => {
      const open = new Set(workspace.textDocuments.map(({ uri }) => String(uri)));
      if (!store.active && uris.some((uri) => open.has(String(uri)))) renew();
    }),
    workspace.onDidCloseTextDocument(() => {
      if (!store.active) renew();
    }),
    ages.onDidDraw(() => {
      if (store.active) renew();
    }),
  ];

  return {
    async shown() {
      const text = (node: Node): string[] => {
        const { label, description } = itemOf(node);
        return [
          [label, description].filter(Boolean).join('  '),
          ...('members' in node ? node.members.flatMap(text) : []),
        ];
      };
      return (await gather()).flatMap(text);
    },
    get said() {
      return { description: view.description, message: view.message };
    },
    renew,
    dispose() {
      clearTimeout(pause);
      for (const one of [...heard, view, changed]) one.dispose();
    },
  };
}

function predictedNodes(problems: readonly PredictedProblem[]): Node[] {
  const names = new Set(problems.map(({ place }) => String(place)));
  return problems.map((predicted) => {
    const line = predicted.finding.range.start.line + 1;
    return { predicted, place: names.size === 1 ? `line ${line}` : `${nameOf(predicted.place.path)}:${line}` };
  });
}

/** `line 11` where all rows are of one file, which the row over it names in "Hottest Lines"; else with the file. */
type PlaceText = (path: string, line: number) => string;

function nodesOf(
  { costly, unexplained, refuted, unmeasured, untold }: CostOrder<Uri, Hot>,
  placeText: PlaceText,
): Node[] {
  const most = costly.reduce((highest, { evidence }) => Math.max(highest, evidence?.cost ?? 0), 0);
  const hotNode = (hot: Hot): Node => ({ hot, place: placeText(hot.file, hot.now) });
  const members = (problems: readonly Problem<Uri, Hot>[]): Node[] =>
    problems.map((problem) => ({
      problem,
      part: most > 0 ? (problem.evidence?.cost ?? 0) / most : 0,
      place: placeText(problem.place.path, problem.finding.range.start.line + 1),
      members: problem.waiting.map(hotNode),
    }));
  const hotNodes = (stale: boolean): Node[] =>
    unexplained
      .filter((hot) => hot.stale === stale)
      .slice(0, mostUnexplained)
      .map(hotNode);
  const group = (title: string, open: boolean, nodes: readonly Node[]): Node[] =>
    nodes.length > 0 ? [{ group: title, open, members: nodes }] : [];
  return [
    ...members(costly),
    ...group('Hot lines without a finding', true, hotNodes(false)),
    ...group('Changed since the report: profile again', false, hotNodes(true)),
    ...group('Measured: not a problem here', false, members(refuted)),
    ...group('Not measured', false, members(unmeasured)),
    ...group('Not measurable per line', false, members(untold)),
  ];
}

function itemOf(node: Node): TreeItem {
  if ('group' in node) {
    const item = new TreeItem(
      node.group,
      node.open ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.Collapsed,
    );
    item.id = node.group;
    item.description = String(node.members.length);
    // Rows below a group without an icon start left of its title.
    item.iconPath = new ThemeIcon('list-unordered');
    return item;
  }
  if ('predicted' in node) return predictedItem(node.predicted, node.place);
  return 'hot' in node ? hotItem(node.hot, node.place) : problemItem(node.problem, node.part, node.place);
}

const unmeasured = new ThemeIcon('question', new ThemeColor('descriptionForeground'));
const icons = {
  unjudged: new ThemeIcon('dash'),
  weak: new ThemeIcon('info'),
  refuted: new ThemeIcon('pass'),
  unmeasured,
  'not-executed': unmeasured,
};

function problemItem(
  { place, finding, evidence, alike, waiting }: Problem<Uri, Hot>,
  part: number,
  where: string,
): TreeItem {
  const name = finding.rule.split('/').pop()!;
  const { share, old = false } = evidence ?? {};
  // The view is narrow: what it is and what it costs come first.
  const item = new TreeItem(
    [
      share === undefined ? '' : piecesOf({ figure: percent(share), words: [] }, old)[0],
      name,
      alike > 1 ? `×${alike}` : '',
    ]
      .filter(Boolean)
      .join(' '),
    waiting.length > 0 ? TreeItemCollapsibleState.Expanded : TreeItemCollapsibleState.None,
  );
  item.description = [
    where,
    evidence?.text.replace(/^(Confirmed|Not a problem here): /, '').replace(/( \([^()]*\))?\.$/, ''),
  ]
    .filter(Boolean)
    .join('  ');
  item.tooltip = [`${nameOf(place.path)}:${finding.range.start.line + 1}`, finding.text, evidence?.text]
    .filter(Boolean)
    .join('\n\n');
  const isConfirmed = evidence?.state === 'confirmed';
  item.iconPath = isConfirmed ? (old ? staleIcon : barIcon(part)) : icons[evidence?.state ?? 'unjudged'];
  item.command = goTo(place, finding);
  item.accessibilityInformation = { label: `${item.label as string}, ${where}, ${evidence?.text ?? finding.text}` };
  return item;
}

function predictedItem({ place, finding, part }: PredictedProblem, where: string): TreeItem {
  // What it is expected to bring and where comes first: the view is narrow.
  const item = new TreeItem([finding.verdict?.figure, where, finding.rule.split('/').pop()!].filter(Boolean).join(' '));
  const first = /^[^.]*(?:\.\d[^.]*)*/.exec(finding.text)![0];
  const sentences = finding.verdict?.sentences ?? [];
  item.description = [sentences[0], first].filter(Boolean).join('  ');
  item.tooltip = [
    `${nameOf(place.path)}:${finding.range.start.line + 1}`,
    finding.text,
    sentences.join('\n'),
    finding.share === undefined ? '' : 'The share is predicted. Profile to measure it.',
  ]
    .filter(Boolean)
    .join('\n\n');
  item.iconPath = part > 0 ? barIcon(part) : new ThemeIcon(finding.severity === 'error' ? 'error' : 'dash');
  item.command = goTo(place, finding);
  item.accessibilityInformation = { label: [item.label as string, finding.text, ...sentences].join(', ') };
  return item;
}

function goTo(place: Uri, { range: selection }: FoundFinding): Command {
  return { command: 'vscode.open', title: 'Go to Finding', arguments: [place, { selection }] };
}

function hotItem({ mark, now, stale, waits }: Hot, where: string): TreeItem {
  const { line, kernel, heat } = mark;
  const item = new TreeItem(where);
  item.command = { command: 'warplens.profile.goTo', title: 'Go to Line', arguments: [line.file, line.line] };
  const { reason, filledBy, sentences, helps } = waits ?? {};
  const [figure, ...words] = piecesOf(mark, stale);
  const why = filledBy ? `waits for ${filledBy} (${reason!.title})` : reason && `${reason.title}: ${reason.meaning}`;
  item.description = [figure, ...(stale ? words : [why]), `in ${kernel.shortName}`].filter(Boolean).join('  ');
  item.iconPath = stale ? staleIcon : barIcon(heat);
  const more = stale ? [] : [sentences, helps && `Helps: ${helps}.`].filter(Boolean);
  item.tooltip = [`${nameOf(line.file)}:${now}`, ...more].join('\n\n');
  return item;
}
