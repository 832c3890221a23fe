// Holds two versions of a program against each other, kernel by kernel: what its memory is asked for now and before.
import { thresholds } from '../cost/grade';
import { registry } from '../rules/registry';
import { align, alike } from './align';
import {
  shapeOf,
  type AccessFigures,
  type ComparedFinding,
  type FigureNote,
  type FileFigures,
  type KernelFigures,
  type UnreadPart,
} from './figures';

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

/** What sectors and wavefronts are counted for: one block, 32 threads, or all blocks of a launch. */
export type Unit = 'block' | 'warp' | 'launch';

/** Lines (from 1) of the version after that are not as before. */
export interface EditedLines {
  readonly path: string;
  readonly first: number;
  readonly last: number;
}

type Versions = Pick<KernelPair, 'before' | 'after'>;

/** Both versions in the same unit. */
export interface KernelPair {
  readonly before: KernelFigures;
  readonly after: KernelFigures;
  readonly unit: Unit;
  /** What of it one block of the version after asks for. */
  readonly block: Pick<KernelFigures, 'sectors' | 'wavefronts' | 'atomics'>;
  /** Why no time of one version can be held against one of the other. */
  readonly obstacle?: string;
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
  const old = new Set(own);
  const where = (kernel: KernelFigures): string => (old.has(kernel) ? kernel.at.path : nameBefore(kernel.at.path));
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
  const busy = align(
    own.filter((kernel) => !isIdle(kernel)),
    now.filter((kernel) => !isIdle(kernel)),
    keys,
  );
  // One with figures in one version alone.
  const others = align([...busy.gone, ...own.filter(isIdle)], [...busy.added, ...now.filter(isIdle)], keys);
  const kernels = { ...others, pairs: [...busy.pairs, ...others.pairs] };
  const rewritten = alike(kernels.gone, kernels.added, ({ body }) => body);
  const known = new Set(rewritten.flat());
  const pairs = [
    ...kernels.pairs.map(([one, other]) => pairOf(one, other)),
    ...rewritten.map(([one, other]) => ({ ...pairOf(one, other), obstacle: obstacles.kernel })),
  ].filter((pair) => !isIdle(pair.before) || !isIdle(pair.after));
  const changed = pairs.flatMap((pair) => changeOf(pair, edited) ?? []).sort((a, b) => b.cost - a.cost);
  const findings = compareFindings(before, after, nameBefore, pairs);
  return {
    pairs,
    changed,
    added: kernels.added.filter((kernel) => !known.has(kernel) && !isIdle(kernel)),
    removed: kernels.gone.filter((kernel) => !known.has(kernel) && !isIdle(kernel)),
    findings: findings.changes,
    gone: findings.gone,
    unread: unreadNow(before, after, edited),
    notes: notesNow(before, after, edited),
    excess: after.flatMap(({ path, excess }) => (excess === undefined ? [] : [{ path, sentence: excess }])),
  };
}

/**
 * Blocks of different sizes do different parts of the work: then launches are compared where the grids are known, and
 * else equally many threads.
 */
export function pairOf(one: KernelFigures, other: KernelFigures): KernelPair {
  const { sectors, wavefronts, atomics } = other;
  const isOfSameKernels = ownersOf(one) === ownersOf(other);
  const [old, now] = isOfSameKernels
    ? [one, other]
    : ([one, other].map(withoutMeans) as [KernelFigures, KernelFigures]);
  const isSameBlock = one.blocks.join() === other.blocks.join();
  const isSameGrid = one.grids?.join() === other.grids?.join();
  const isKnown = one.grids !== undefined && one.grids.length === other.grids?.length;
  const unit =
    isKnown && !(isSameBlock && isSameGrid)
      ? 'launch'
      : isSameBlock || !one.threads || !other.threads
        ? 'block'
        : 'warp';
  const before = inUnit(old, unit);
  const part = iterationsOf(before, inUnit(now, unit));
  const after = withIterations(inUnit(now, unit), part ?? 1);
  const obstacle = isOfSameKernels
    ? obstacleOf(before, after, part, isKnown ? undefined : isSameBlock)
    : obstacles.callers;
  return { before, after, unit, block: { sectors, wavefronts, atomics }, ...(obstacle ? { obstacle } : {}) };
}

const obstacles = {
  kernel: 'it replaces another kernel',
  callers: 'other kernels call its functions, of whose accesses the mean is known',
  launches: 'it is launched in other blocks, of which the mean is known',
  block: 'no launch is known in one of the versions',
  loops: 'the length of loops is unknown in one version alone',
  cut: 'a loop of unknown length was read to another iteration',
  iterations: 'an iteration of a loop of unknown length does another part of the work',
  part: 'the grid is unknown, and a block may do another part of the work',
  grid: 'the grid is unknown: what is faster with few blocks is slower with many',
} as const;

/**
 * Two times can be compared if what they are times of does the same work: all of it where the grids are known
 * (`isSameBlock` is undefined), else the same part of it in each block, or in each iteration of unknown loops (`part`).
 */
function obstacleOf(
  before: KernelFigures,
  after: KernelFigures,
  part: number | undefined,
  isSameBlock: boolean | undefined,
): string | undefined {
  if (isSameBlock === false) {
    if (before.assumedBlock || after.assumedBlock) return obstacles.block;
    if (before.blocks.length !== after.blocks.length) return obstacles.launches;
  }
  const [was, now] = [before, after].map((of) => movedOf(of, ({ space }) => space !== 'shared'));
  const [open, openNow] = [before, after].map((of) => movedOf(of, isAssumed));
  if ([...was!.keys()].some((key) => now!.has(key) && open!.has(key) !== openNow!.has(key))) return obstacles.loops;
  const [all, allNow] = [before, after].map((of) => movedOf(of, () => true));
  const [first, firstNow] = [before, after].map(firstOf);
  const isCutElsewhere = (key: string): boolean =>
    first!.get(key) !== firstNow!.get(key) && allNow!.has(key) && !isSame(all!.get(key), allNow!.get(key));
  if ([...all!.keys()].some(isCutElsewhere)) return obstacles.cut;
  if (part === undefined) return obstacles.iterations;
  if (isSameBlock === undefined) return undefined;
  if (![...was!].some(([key, bytes]) => bytes > 0 && isSame(bytes, now!.get(key)))) return obstacles.part;
  if (!isSameBlock || !before.timeOfFew || !after.timeOfFew || !before.time || !after.time) return undefined;
  const paces = [after.time / before.time, after.timeOfFew / before.timeOfFew];
  const isMixed = Math.max(...paces) >= thresholds.information && Math.min(...paces) <= 1 / thresholds.information;
  return isMixed ? obstacles.grid : undefined;
}

function ownersOf({ accesses }: KernelFigures): string {
  return [...new Set(accesses.map(({ owners = [] }) => owners.join()))].sort().join('\n');
}

function withoutMeans(kernel: KernelFigures): KernelFigures {
  const { time: _, ...rest } = scaled(kernel, ({ owners }) => (owners ? 0 : 1));
  return rest;
}

const warp = 32;

function inUnit(kernel: KernelFigures, unit: Unit): KernelFigures {
  if (unit === 'block') return kernel;
  const { threads = warp, grids = [] } = kernel;
  const times = unit === 'warp' ? warp / threads : grids.reduce((sum, one) => sum + one, 0) / Math.max(1, grids.length);
  return {
    ...kernel,
    sectors: kernel.sectors * times,
    wavefronts: kernel.wavefronts * times,
    atomics: kernel.atomics * times,
    ...(kernel.time === undefined ? {} : { time: kernel.time * times }),
    accesses: kernel.accesses.map((access) => ({
      ...access,
      traffic: access.traffic * times,
      moved: access.moved * times,
    })),
  };
}

/**
 * Iterations of loops of unknown length that move as much as those of the version before, as part of those assumed: by
 * what a loop stores, or, where both versions store nothing, by what it loads. Undefined where arrays disagree.
 */
function iterationsOf(before: KernelFigures, after: KernelFigures): number | undefined {
  const [was, now] = [before, after].map((of) => movedOf(of, isAssumed));
  const ratios = [...now!].flatMap(([key, bytes]) =>
    was!.has(key) && bytes > 0 ? [{ isLoad: key.startsWith('load'), ratio: was!.get(key)! / bytes }] : [],
  );
  const stores = ratios.filter(({ isLoad }) => !isLoad);
  const [first, ...others] = stores.length > 0 ? stores : ratios;
  if (others.some(({ ratio }) => !isSame(ratio, first!.ratio))) return undefined;
  return first?.ratio ?? 1;
}

function withIterations(kernel: KernelFigures, part: number): KernelFigures {
  if (isSame(part, 1)) return kernel;
  const after = scaled(kernel, ({ open }) => (open > 0 ? part : 1));
  const all = (after.sectors + after.wavefronts) / Math.max(1, kernel.sectors + kernel.wavefronts);
  const inGlobal = after.sectors / Math.max(1, kernel.sectors);
  return {
    ...after,
    ...(kernel.time === undefined ? {} : { time: kernel.time * all }),
    ...(kernel.timeOfFew === undefined ? {} : { timeOfFew: kernel.timeOfFew * all }),
    ...(kernel.traffic === undefined ? {} : { traffic: kernel.traffic * inGlobal }),
  };
}

/** Parts of accesses, and of the sums of them. */
function scaled(kernel: KernelFigures, partOf: (access: AccessFigures) => number): KernelFigures {
  const sums = { sectors: kernel.sectors, wavefronts: kernel.wavefronts, atomics: kernel.atomics };
  const accesses = kernel.accesses.map((access) => {
    const { space, mode, traffic, moved, activeLanes, bytes, owners = [''] } = access;
    const part = partOf(access);
    sums[space === 'shared' ? 'wavefronts' : 'sectors'] += ((part - 1) * traffic) / owners.length;
    if (mode === 'atomic') sums.atomics += ((part - 1) * moved) / (activeLanes * bytes);
    return { ...access, traffic: traffic * part, moved: moved * part };
  });
  return { ...kernel, ...sums, accesses };
}

function arrayKey({ mode, array }: AccessFigures): string {
  return `${mode} ${array}`;
}

function isAssumed({ space, open }: AccessFigures): boolean {
  return space !== 'shared' && open > 0;
}

/** Bytes that each array moves in the loop that moves most of it. */
function movedOf({ accesses }: KernelFigures, isCounted: (access: AccessFigures) => boolean): Map<string, number> {
  const loops = new Map<string, number>();
  const most = new Map<string, number>();
  for (const access of accesses.filter(isCounted)) {
    const array = arrayKey(access);
    const sum = access.moved + (loops.get(`${access.loop} ${array}`) ?? 0);
    loops.set(`${access.loop} ${array}`, sum);
    most.set(array, Math.max(sum, most.get(array) ?? 0));
  }
  return most;
}

/** Iterations of loops around each array that were run before the budget ended them. */
function firstOf({ accesses }: KernelFigures): Map<string, number> {
  const most = new Map<string, number>();
  for (const access of accesses)
    if (access.first !== undefined) most.set(arrayKey(access), Math.max(access.first, most.get(arrayKey(access)) ?? 0));
  return most;
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

/** Predicted time over that before; undefined where none is predicted of both versions alike. */
export function slowdownOf(pair: KernelPair): number | undefined {
  const { before, after } = pair;
  if ((before.traffic === undefined) !== (after.traffic === undefined) || !before.time || !after.time) return undefined;
  if (pair.obstacle !== undefined) return undefined;
  const slowdown = after.time / before.time;
  // What is read of one version alone may be all that differs: what is known of a version is the least of its time.
  if (isReadLess(pair) && (before.unknown > 0 || slowdown < thresholds.information)) return undefined;
  if (isReadMore(pair) && (after.unknown > 0 || slowdown > 1 / thresholds.information)) return undefined;
  return slowdown;
}

export function isReadMore({ before, after }: Versions): boolean {
  return isReadLess({ before: after, after: before });
}

/** More of the kernel is without figures than before: what it lost in traffic may be there all the same. */
export function isReadLess({ before, after }: Versions): boolean {
  return after.unknown > before.unknown || (after.notAnalysed !== undefined && before.notAnalysed === undefined);
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

// ---- one kernel ---------------------------------------------------------------------------------------------------

/** Sums of the same figures in another order differ in their last digits. */
function isSame(one: number | undefined, other: number | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Math.abs(one - other) <= 1e-6 * Math.max(1, Math.abs(one), Math.abs(other));
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

// ---- findings -----------------------------------------------------------------------------------------------------

const grades = { hint: 0, information: 1, warning: 2, error: 3 } as const;

/** Rules on the build: what it does to one more file is not new. */
const ofBuild = new Set(registry.filter(({ on }) => on === 'build').map(({ meta }) => meta.id));

function compareFindings(
  before: readonly FileFigures[],
  after: readonly FileFigures[],
  nameBefore: (path: string) => string,
  kernels: readonly KernelPair[],
): { readonly changes: readonly FindingChange[]; readonly gone: readonly ComparedFinding[] } {
  const all = before.flatMap(({ findings }) => findings);
  const old = new Set(all);
  const where = (one: ComparedFinding): string => (old.has(one) ? one.at.path : nameBefore(one.at.path));
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
