// Holds two versions of a program against each other, kernel by kernel: what its memory is asked for now and before.
import { registry } from '../rules/registry';
import { align } from './align';
import {
  shapeOf,
  type AccessFigures,
  type ComparedFinding,
  type FigureNote,
  type FileFigures,
  type KernelFigures,
  type UnreadPart,
} from './figures';
import { isSame, pairOf, type KernelPair } from './work';

/** One access in both versions, or in one of them. */
export interface AccessChange {
  readonly before?: AccessFigures;
  readonly after?: AccessFigures;
}

/** The figures of a kernel that can be compared; units as in KernelFigures. */
export const kernelMetrics = [
  'sectors',
  'wavefronts',
  'atomics',
  'barriers',
  'traffic',
  'occupancy',
  'unknown',
] as const;
export type KernelMetric = (typeof kernelMetrics)[number];

/** Lines (from 1) of the version after that are not as before. */
export interface EditedLines {
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

export interface KernelChange extends KernelPair {
  /** What differs, in the order of `kernelMetrics`. */
  readonly metrics: readonly KernelMetric[];
  /** Accesses whose figures differ, the costliest difference first, and those of one version alone behind them. */
  readonly accesses: readonly AccessChange[];
  /** Its launches give other blocks of threads. */
  readonly blocks: boolean;
  /** Edited lines that may be why: its own, or without any those of the file it is launched in, then of others. */
  readonly causes: readonly EditedLines[];
  /** Cycles of a multiprocessor that each unit spends more than before, roughly; less than 0 where it gained. */
  readonly cost: number;
}

export interface FindingChange {
  readonly after: ComparedFinding;
  /** Present where the finding was there already, but less grave. */
  readonly before?: ComparedFinding;
}

export interface Comparison {
  /** Kernels with figures that both versions have, changed or not. */
  readonly pairs: readonly KernelPair[];
  /** Those whose figures differ, the costliest first. */
  readonly changed: readonly KernelChange[];
  readonly added: readonly KernelFigures[];
  readonly removed: readonly KernelFigures[];
  /** Findings that the version before did not have, or not as grave. */
  readonly findings: readonly FindingChange[];
  readonly gone: readonly ComparedFinding[];
  /** What was not read of files, of either version. */
  readonly excess: readonly { readonly path: string; readonly sentence: string }[];
  /** Kernels and launches that the version before had figures of, and those that were edited. */
  readonly unread: readonly UnreadPart[];
  /** What the analysis of edited files went without, and of others what is new. */
  readonly notes: readonly FigureNote[];
}

/**
 * `edited` are the lines that the change touched. Paths of both sides are in the terms of the version after;
 * `nameBefore` gives what a renamed file was called.
 */
export function compare(
  before: readonly FileFigures[],
  after: readonly FileFigures[],
  nameBefore: (path: string) => string = (path) => path,
  edited: readonly EditedLines[] = [],
): Comparison {
  const own = onceEach(before);
  const now = onceEach(after);
  const old = new Set<object>([...own, ...before.flatMap(({ findings }) => findings)]);
  const where = (one: Pick<KernelFigures, 'at'>): string => (old.has(one) ? one.at.path : nameBefore(one.at.path));
  const keys: readonly ((kernel: KernelFigures) => string)[] = [
    (kernel) => `${where(kernel)}\n${kernel.signature}\n${kernel.body}`,
    (kernel) => `${where(kernel)}\n${kernel.signature}`,
    // Moved to another file, renamed, or given other parameters; what stands without a body has its name alone.
    (kernel) => `${kernel.signature}\n${kernel.body}`,
    (kernel) => kernel.signature,
    (kernel) => (kernel.body === '' ? `named ${kernel.name}` : `body ${kernel.body}`),
    (kernel) => (kernel.body === '' ? `named ${kernel.name}` : shapeOf(kernel.body)),
    (kernel) => `${where(kernel)}\n${kernel.name}`,
    (kernel) => kernel.name,
  ];
  const isBusy = (kernel: KernelFigures): boolean => !isIdle(kernel);
  const busy = align(own.filter(isBusy), now.filter(isBusy), keys);
  // One with figures in one version alone.
  const others = align([...busy.gone, ...own.filter(isIdle)], [...busy.added, ...now.filter(isIdle)], keys);
  const pairs = [...busy.pairs, ...others.pairs]
    .filter((pair) => pair.some(isBusy))
    .map(([one, other]) => pairOf(one, other));
  const changed = pairs.flatMap((pair) => changeOf(pair, edited) ?? []).sort((a, b) => b.cost - a.cost);
  const { changes: findings, gone } = compareFindings(before, after, where, pairs);
  return {
    pairs,
    changed,
    added: others.added.filter(isBusy),
    removed: others.gone.filter(isBusy),
    findings,
    gone,
    unread: unreadNow(before, after, edited),
    notes: notesNow(before, after, edited),
    excess: after.flatMap(({ path, excess }) => (excess === undefined ? [] : [{ path, sentence: excess }])),
  };
}

function notesNow(
  before: readonly FileFigures[],
  after: readonly FileFigures[],
  edited: readonly EditedLines[],
): readonly FigureNote[] {
  const paths = new Set(edited.map(({ path }) => path));
  const known = new Set(before.flatMap(({ notes }) => notes.map(({ text }) => text)));
  const all = after.flatMap(({ path, notes }) => notes.filter(({ text }) => paths.has(path) || !known.has(text)));
  return [...new Map(all.map((note) => [note.text, note])).values()];
}

/** What is not read now, and was edited or not among what was not read before. */
function unreadNow(
  before: readonly FileFigures[],
  after: readonly FileFigures[],
  edited: readonly EditedLines[],
): readonly UnreadPart[] {
  const key = ({ what, reason, detail, kernels }: UnreadPart): string => [what, reason, detail, ...kernels].join('\n');
  const kernels = after.flatMap((file) => file.kernels);
  const isEdited = ({ at, kernels: names }: UnreadPart): boolean =>
    [
      { at, lastLine: at.line },
      ...kernels.filter(({ name, at: own }) => own.path === at.path && names.includes(name)),
    ].flatMap((each) => ownEdits(each, edited)).length > 0;
  const { pairs, added } = align(
    before.flatMap(({ unread }) => unread),
    after.flatMap(({ unread }) => unread),
    // A launch that was edited is still the one that was not read.
    [(part) => `${part.at.path}\n${key(part)}`, key, ({ at, what, reason }) => `${at.path}\n${what} ${reason}`],
  );
  return [...added, ...pairs.flatMap(([, part]) => (isEdited(part) ? [part] : []))];
}

/** A generic kernel that only calls the body it is given: what its launches ask for is counted of the body. */
function isIdle(kernel: KernelFigures): boolean {
  return kernelMetrics.every((metric) => metric === 'occupancy' || !kernel[metric]);
}

/** A kernel of which several files tell is the one of the file that defines it. */
function onceEach(files: readonly FileFigures[]): readonly KernelFigures[] {
  const defined = new Set(
    files.flatMap(({ kernels }) => kernels.flatMap(({ body, name }) => (body === '' ? [] : name))),
  );
  return files.flatMap(({ kernels }) => kernels.filter(({ body, name }) => body !== '' || !defined.has(name)));
}

const figures = ['sectors', 'wavefronts', 'sectorsAtMost', 'atLeast', 'traffic'] as const;

/** Undefined where nothing that can be counted differs. */
function changeOf(pair: KernelPair, edited: readonly EditedLines[]): KernelChange | undefined {
  const { before, after } = pair;
  const blocks = before.blocks.join() !== after.blocks.join();
  const metrics = kernelMetrics.filter((metric) => !isSame(before[metric], after[metric]));
  // A grid or a block that is known now, or no longer, says nothing of the kernel; other files count other launches.
  const isSameCount = before.at.path === after.at.path || before.grids?.length === after.grids?.length;
  const told = metrics.filter(
    (metric) => before[metric] !== undefined && after[metric] !== undefined && (metric !== 'traffic' || isSameCount),
  );
  const accesses = figuresOf(before) === figuresOf(after) ? [] : changesOf(before, after);
  if (told.length === 0 && accesses.length === 0 && !blocks) return undefined;
  return {
    ...pair,
    metrics: told,
    accesses,
    blocks,
    causes: causesOf(after, edited),
    cost: (after.sectors - before.sectors) / 2 + after.wavefronts - before.wavefronts,
  };
}

const mostCauses = 3;

function ownEdits(
  { at, lastLine }: Pick<KernelFigures, 'at' | 'lastLine'>,
  edited: readonly EditedLines[],
): readonly EditedLines[] {
  return edited.filter(({ path, first, last }) => path === at.path && last >= at.line && first <= lastLine);
}

function causesOf(kernel: KernelFigures, edited: readonly EditedLines[]): readonly EditedLines[] {
  const own = ownEdits(kernel, edited);
  if (own.length > 0) return own.slice(0, mostCauses);
  // The lines of a launch's function precede it more often than they follow it.
  const rankOf = ({ path, first }: EditedLines): number =>
    Math.min(
      1e6,
      ...kernel.launches
        .filter((launch) => launch.path === path)
        .map(({ line }) => (first <= line ? line - first : 1e5 + first - line)),
    );
  return [...edited].sort((a, b) => rankOf(a) - rankOf(b)).slice(0, mostCauses);
}

/** What an access asks for, without its name and place. */
function figureKey({ space, mode, bytes, ...access }: AccessFigures): string {
  return [space, mode, bytes, ...figures.map((figure) => access[figure]?.toPrecision(6) ?? '?')].join(' ');
}
/** The same for two kernels whose accesses ask for the same in whatever order. */
function figuresOf({ accesses }: KernelFigures): string {
  return accesses.map(figureKey).sort().join('\n');
}

function changesOf(before: KernelFigures, after: KernelFigures): readonly AccessChange[] {
  const { pairs, gone, added } = align(before.accesses, after.accesses, [
    (access) => `${figureKey(access)} ${access.tokens}`,
    ({ space, mode, tokens }) => `${space} ${mode} ${tokens}`,
    figureKey,
    ({ space, mode, array, bytes }) => `${space} ${mode} ${array} ${bytes}`,
    ({ space, mode, bytes }) => `${space} ${mode} ${bytes}`,
  ]);
  const changed = pairs
    .filter(([one, other]) => figureKey(one) !== figureKey(other))
    .map(([one, other]): AccessChange => ({ before: one, after: other }));
  const costOf = ({ before: one, after: other }: AccessChange): number =>
    Math.abs((other?.traffic ?? 0) - (one?.traffic ?? 0));
  return [
    ...changed.sort((a, b) => costOf(b) - costOf(a)),
    ...added.map((access): AccessChange => ({ after: access })),
    ...gone.map((access): AccessChange => ({ before: access })),
  ];
}

const grades = { hint: 0, information: 1, warning: 2, error: 3 } as const;

/** Rules on the build: what it does to one more file is not new. */
const ofBuild = new Set(registry.filter(({ on }) => on === 'build').map(({ meta }) => meta.id));

function compareFindings(
  before: readonly FileFigures[],
  after: readonly FileFigures[],
  where: (one: ComparedFinding) => string,
  kernels: readonly KernelPair[],
): { readonly changes: readonly FindingChange[]; readonly gone: readonly ComparedFinding[] } {
  const all = before.flatMap(({ findings }) => findings);
  const old = new Set(all);
  const namesBefore = new Map(kernels.map((pair) => [pair.after.name, pair.before.name]));
  const within = (one: ComparedFinding): string => {
    const name = one.finding.within ?? one.finding.kernel ?? '';
    return old.has(one) ? name : (namesBefore.get(name) ?? name);
  };
  const what = ({ finding }: ComparedFinding): string => `${finding.rule} ${finding.message}`;
  const { pairs, gone, added } = align(
    all,
    after.flatMap(({ findings }) => findings),
    [
      (one) => [where(one), within(one), what(one), one.text].join('\n'),
      (one) => [what(one), one.text].join('\n'),
      // Renamed variables and lines that were parted: as many findings of the kind in the same function as before.
      (one) => [where(one), within(one), what(one)].join('\n'),
      // A renamed function; one that was moved with its kernel.
      (one) => [where(one), what(one)].join('\n'),
      (one) => [within(one) || where(one), what(one)].join('\n'),
    ],
  );
  const graver = pairs.filter(
    ([{ finding: one }, { finding: other }]) =>
      !one.markOf && !other.markOf && grades[other.severity] > grades[one.severity],
  );
  const isOfBuild = ({ finding }: ComparedFinding): boolean =>
    ofBuild.has(finding.rule) && all.some((one) => one.finding.text === finding.text);
  const changes = [
    ...heads(added.filter((one) => !isOfBuild(one))).map((finding): FindingChange => ({ after: finding })),
    ...graver.map(([one, other]): FindingChange => ({ before: one, after: other })),
  ];
  return {
    changes: changes.sort(
      (a, b) =>
        grades[b.after.finding.severity] - grades[a.after.finding.severity] ||
        (b.after.finding.cost ?? 0) - (a.after.finding.cost ?? 0),
    ),
    gone: heads(gone),
  };
}

/** One finding a cause: marks of a finding that is among them go with it, of others the first speaks for all. */
function heads(findings: readonly ComparedFinding[]): readonly ComparedFinding[] {
  const key = ({ finding, at }: ComparedFinding, start: number): string => `${finding.rule} ${at.path} ${start}`;
  const told = new Set(findings.filter(({ finding }) => !finding.markOf).map((one) => key(one, one.finding.at.start)));
  return findings.flatMap((one) => {
    const { markOf, alone, ...rest } = one.finding;
    if (!markOf) return [one];
    const head = key(one, markOf.start);
    if (told.has(head)) return [];
    told.add(head);
    return [{ ...one, finding: { ...rest, severity: alone ?? rest.severity } }];
  });
}
