// Facts of races: the two places, the threads that show it, and the barrier that would order them.
import type { Expr, FunctionDecl, Node, Stmt } from '../../syntax/ast';
import type { OverrunFact, RaceFact, RewriteFact, Span } from '../model';
import { titleWith } from '../excerpt';
import type { Locator, LaunchConfiguration, RunResult, TracedAccess, MemoryBase } from '../run';
import { indentBeyond, FunctionText, isVolatile, startWithPragmas, writtenAround } from '../language';
import { atomicOf, typeOfUpdate } from './atomics';
import { findUnfencedReads, findUnfencedReleases } from './fences';
import { findGlobalHazards, isHeld, worthReporting } from './globalRaces';
import type { GridAxes } from './otherBlocks';
import { guardFix, type GuardOrWhy } from './guards';
import { findHazards, keyOfHazard, placeOf, type Hazard } from './hazards';
import { findGlobalOverruns, findOverruns, type GivenRooms, roomOf } from './overruns';
import { withPitches } from './pitches';
import { createReplay, repairOf, type Repair } from './repair';
import { functionOfArm } from './untakenArms';

type Block = readonly [number, number, number];

/** A race that a run showed, without what the run wrote down. */
export interface RaceSummary
  extends Pick<RaceFact, 'memory' | 'scope' | 'isUpdate' | 'isUnfenced' | 'byData' | 'array' | 'again' | 'inFlight'>,
    Pick<RaceFact, 'supposed' | 'size' | 'ofCollective'> {
  readonly key: string;
  /** The type of the place that is updated, where an atomic can update it. */
  readonly updated?: string | undefined;
  readonly first: RacePlace;
  readonly second: RacePlace;
  readonly lanes: readonly [string, string];
  /** The two are ordered only where it holds. */
  readonly untaken?: RacePlace;
  /** The barriers that order it, and the races that it speaks for. */
  readonly repairs: readonly Repair[];
}
/** An access beyond an array's end that a run showed. */
export interface OverrunSummary extends GuardOrWhy {
  readonly key: string;
  readonly place: RacePlace;
  readonly base: MemoryBase;
  readonly thread: string;
  readonly element: number;
  readonly elements: number;
  /** Of global memory: the block, and the number of the launch that gives the memory, unless it is a variable. */
  readonly global?: { readonly block: string; readonly launch?: number };
  /** The size that shows it, where the host leaves sizes open. */
  readonly sample?: OverrunFact['sample'];
  /** Of dynamic shared memory: what the access needs, what the launch gives, and its number among the launches. */
  readonly dynamic?: { readonly needed: number; readonly bytes: number; readonly launch: number };
}
export type { GivenRooms };
/** What a launch gives of dynamic shared memory. */
export type GivenShared = Pick<NonNullable<OverrunSummary['dynamic']>, 'bytes' | 'launch'>;
export interface RacePlace {
  readonly mode: TracedAccess['mode'];
  readonly node: Node;
  readonly fn: FunctionDecl;
  readonly via?: Node;
}

/** Pairs of places reported per kernel: the first ones show what is missing. */
const mostTold = 48;

/** The races of one run. */
export function racesOf(
  result: RunResult,
  kernel: FunctionDecl,
  block: readonly [number, number, number],
): RaceSummary[] {
  const threads = block[0] * block[1] * block[2];
  const hazards = findHazards(result.shared, threads);
  const replay = createReplay(result.shared, threads);
  return hazards
    .filter((hazard) => isWorthSaying(hazard, hazards))
    .slice(0, mostTold)
    .map((hazard): RaceSummary => {
      const { first, second, scope, lanes, again, inFlight, byData, untaken } = hazard;
      const repairs = spokenFor(hazard, hazards).map((one) =>
        repairOf(one, kernel, result.shared, replay, result.branches),
      );
      return {
        key: keyOfHazard(hazard),
        memory: 'shared',
        scope,
        first: placeIn(first),
        second: placeIn(second),
        array: second.base.name,
        ...(isStorage(hazard) ? { ofCollective: true } : {}),
        ...(again ? { again } : {}),
        ...(inFlight ? { inFlight } : {}),
        ...(byData ? { byData } : {}),
        ...(untaken ? { untaken: { mode: 'load', node: untaken.cond, fn: functionOfArm(hazard)! } } : {}),
        lanes: [threadName(lanes[0], block), threadName(lanes[1], block)],
        // A barrier for some of them would leave the others as they are.
        repairs: repairs.every((repair) => repair !== undefined) ? repairs : [],
      };
    });
}

/** Calls pass values through it: no other one reads or writes a variable of a type that is unknown. */
function isStorage({ first, second }: Hazard): boolean {
  const isOfCall = ({ node, mode }: RacePlace): boolean => 'callee' in node && mode !== 'atomic';
  return second.base.type?.kind === 'unknown' && isOfCall(first) && isOfCall(second);
}

/** The races of one run in global memory. */
export function globalRacesOf(
  result: RunResult,
  kernel: FunctionDecl,
  block: readonly [number, number, number],
  grid: GridAxes,
): RaceSummary[] {
  const { branches } = result;
  const global = withPitches(result.global);
  const threads = block[0] * block[1] * block[2];
  const replay = createReplay(global, threads, isHeld);
  const isOneBlock = grid.every((blocks) => blocks === 1);
  const unfenced = findUnfencedReads(result, isOneBlock).map(({ store, load, atomic: { fn }, before }) =>
    unfencedRace('unfenced', store, load, fn, before),
  );
  const releases = isOneBlock && threads <= 32 ? [] : findUnfencedReleases(result, isOneBlock);
  const unreleased = releases.map(({ store, release, before }) =>
    unfencedRace('unreleased', store, { ...release, mode: 'atomic' }, release.fn, before),
  );
  const races = worthReporting(findGlobalHazards(global, threads, grid)).map(
    ({ first, second, scope, lanes, again, isUpdate, byData, inBlock }): RaceSummary => ({
      key: `global ${scope} ${placeOf(first)} ${placeOf(second)}`,
      memory: 'global',
      scope,
      ...(isUpdate ? { isUpdate, updated: typeOfUpdate(second) } : {}),
      ...(byData ? { byData } : {}),
      first: placeIn(first),
      second: placeIn(second),
      array: second.base.name,
      ...(again ? { again } : {}),
      lanes: [threadName(lanes[0], block), threadName(lanes[1], block)],
      repairs: [inBlock && repairOf(inBlock, kernel, global, replay, branches)].filter((each) => each !== undefined),
    }),
  );
  return [...unfenced, ...unreleased, ...races];
}

/** A write that nothing has others see before `second`: a fence goes before a statement of `fn`. */
function unfencedRace(
  kind: string,
  store: TracedAccess,
  second: RacePlace,
  fn: FunctionDecl,
  before: Stmt | undefined,
): RaceSummary {
  return {
    key: `${kind} ${placeOf(store)} ${placeOf(second)}`,
    memory: 'global',
    scope: 'grid',
    isUnfenced: true,
    first: placeIn(store),
    second: placeIn(second),
    array: store.base.name,
    lanes: ['', ''],
    repairs: before ? [{ fn, scope: 'grid', before }] : [],
  };
}

/**
 * Barriers of the block, which order the threads of a warp as well, come first; and of an array's races within warps
 * the first speaks for the others.
 */
function isWorthSaying(hazard: Hazard, all: readonly Hazard[]): boolean {
  if (hazard.scope === 'block') return true;
  const before = all.slice(0, all.indexOf(hazard));
  const isTold = before.some(({ second }) => second.base === hazard.second.base);
  return !isTold && all.every(({ scope }) => scope === 'warp');
}

function spokenFor(hazard: Hazard, all: readonly Hazard[]): readonly Hazard[] {
  return hazard.scope === 'block' ? [hazard] : all.filter(({ second }) => second.base === hazard.second.base);
}

/** The accesses of one run beyond the end of an array, or of the dynamic shared memory that is `given`. */
export function overrunsOf(
  result: RunResult,
  block: readonly [number, number, number],
  given?: GivenShared,
): OverrunSummary[] {
  return findOverruns(result.shared, given?.bytes).map(({ access, lane, element, elements, needed }) => ({
    key: placeOf(access),
    place: placeIn(access),
    base: access.base,
    thread: threadName(lane, block),
    element,
    elements,
    ...(given && needed !== undefined ? { dynamic: { needed, ...given } } : {}),
  }));
}

/** The accesses of one block beyond global memory that one of the launches gives. */
export function globalOverrunsOf(
  events: RunResult['global'],
  kernel: FunctionDecl,
  { block, blockAt, given }: Readonly<Record<'block' | 'blockAt', Block>> & { readonly given: readonly GivenRooms[] },
): OverrunSummary[] {
  return (given.length > 0 ? given : [{ rooms: [], launch: -1 }]).flatMap((each) =>
    findGlobalOverruns(events, each, kernel).map(({ access, lane, element, elements }) => ({
      key: `global ${placeOf(access)}`,
      place: placeIn(access),
      base: access.base,
      thread: threadName(lane, block),
      element,
      elements,
      global: { block: placeNamed(blockAt), ...(roomOf(access.base, each, kernel) ? { launch: each.launch } : {}) },
    })),
  );
}

/** A kernel, and the body that its launches give it. */
export interface Launched {
  readonly kernel: FunctionDecl;
  readonly body?: FunctionDecl;
}

export function overrunFacts(
  { kernel, body, overruns }: Launched & { readonly overruns: readonly OverrunSummary[] },
  launches: readonly LaunchConfiguration[],
  locate: Locator,
  uri: string,
): OverrunFact[] {
  if (kernel.uri !== uri && body?.uri !== uri) return [];
  return overruns.map(({ place, base, thread, element, elements, dynamic, global, sample, ...found }): OverrunFact => {
    const launch = dynamic?.launch ?? global?.launch;
    const launchAt = launch === undefined ? undefined : launches[launch]?.at;
    return {
      kind: 'overrun',
      ...locatedAt(place, base, kernel, locate, uri),
      thread,
      element,
      elements,
      ...(sample ? { sample } : {}),
      ...(global ? { global: { block: global.block, ...(launchAt ? { launchAt } : {}) } } : {}),
      ...guardFix(found, kernel, locate),
      ...(dynamic && launchAt ? { dynamic: { needed: dynamic.needed, bytes: dynamic.bytes, launchAt } } : {}),
    };
  });
}

/** Where an access of a kernel is, and the array that it is of. */
export function locatedAt(
  place: RacePlace,
  { name, declaration }: MemoryBase,
  kernel: FunctionDecl,
  locate: Locator,
  uri: string,
): Pick<OverrunFact, 'at' | 'text' | 'kernels' | 'array' | 'arrayAt'> {
  const at = spanOf(place, kernel, locate, uri);
  const { fn, node } = declaration ?? {};
  const arrayAt = fn && node ? { arrayAt: locate.span(fn, node) } : {};
  return { at, text: locate.textAt(at), kernels: [kernel.name], array: name, ...arrayAt };
}

export function placeIn({ mode, node, fn, via }: RacePlace): RacePlace {
  return { mode, node, fn, ...(via ? { via } : {}) };
}

/** As `threadIdx` has it: `33`, `(1, 2)`. */
export function threadName(lane: number, [x, y, z]: readonly [number, number, number]): string {
  if (y === 1 && z === 1) return String(lane);
  const place = [lane % x, Math.floor(lane / x) % y, Math.floor(lane / (x * y))];
  return `(${place.slice(0, z === 1 ? 2 : 3).join(', ')})`;
}
/** As `blockIdx` has it. */
function placeNamed([x, y, z]: Block): string {
  return y === 0 && z === 0 ? String(x) : `(${(z === 0 ? [x, y] : [x, y, z]).join(', ')})`;
}

/** Reported only in the file of the kernel, or of the body that it is given. */
export function raceFacts(
  races: readonly RaceSummary[],
  { kernel, body }: Launched,
  locate: Locator,
  uri: string,
): RaceFact[] {
  if (kernel.uri !== uri && body?.uri !== uri) return [];
  const fixes = races.map(({ repairs }) => fixesOf(repairs, locate));
  const all = together(fixes.flat(), kernel.name);
  return races.map((race, number): RaceFact => {
    const { key, updated, first, second, lanes: threads, repairs, untaken, ...found } = race;
    const at = spanOf(second, kernel, locate, uri);
    const otherAt = spanOf(first, kernel, locate, uri);
    const [single, another] = fixes[number]!;
    const atomic = updated === undefined ? undefined : atomicOf(second, updated, locate);
    const fix = atomic ?? (single && (all ?? (another ? undefined : single)));
    return {
      kind: 'race',
      at,
      text: locate.textAt(at),
      kernels: [kernel.name],
      ...found,
      order: orderOf(first, second),
      other: { at: otherAt, text: locate.textAt(otherAt) },
      threads,
      ...(first.mode === 'atomic' || second.mode === 'atomic' ? { byAtomic: true } : {}),
      ...(first.mode === 'atomic' && second.mode === 'atomic' ? { areAtomics: true } : {}),
      ...(untaken ? { untaken: locate.textAt(spanOf(untaken, kernel, locate, uri)) } : {}),
      ...(reachesVolatile(first) && reachesVolatile(second) ? { volatile: true } : {}),
      ...(fix ? { fix } : {}),
    };
  });
}

/** An atomic writes. */
function orderOf(first: RacePlace, second: RacePlace): RaceFact['order'] {
  const [before, after] = [first, second].map(({ mode }) => (mode === 'load' ? 'load' : 'store'));
  return `${before!}-${after!}` as RaceFact['order'];
}

/** One for each barrier; none where one of them has no place in the text. */
function fixesOf(repairs: readonly Repair[], locate: Locator): readonly RewriteFact[] {
  const fixes = repairs.map((repair) => fixOf(repair, locate));
  return fixes.every((fix) => fix !== undefined) ? distinct(fixes) : [];
}

function distinct(fixes: readonly RewriteFact[]): readonly RewriteFact[] {
  return [...new Map(fixes.map((fix) => [JSON.stringify(fix.edits), fix])).values()];
}

/** One fix of all barriers of a kernel, where it misses several: each alone leaves the others' races. */
function together(several: readonly RewriteFact[], kernel: string): RewriteFact | undefined {
  const fixes = distinct(several);
  if (fixes.length < 2) return undefined;
  const edits = fixes.flatMap((fix) => fix.edits).sort((a, b) => a.at.start - b.at.start);
  const meet = edits.some(({ at }, each) => {
    const before = edits[each - 1]?.at;
    return before && (at.start < before.end || at.start === before.start);
  });
  return meet
    ? undefined
    : { edits, title: titleWith(kernel, (name) => `Insert all ${fixes.length} barriers of \`${name}\``) };
}

/** Where it is in the file that is asked for: what another file's function does is reported at the call of it. */
function spanOf({ fn, node, via }: RacePlace, kernel: FunctionDecl, locate: Locator, uri: string): Span {
  return fn.uri === uri || !via ? locate.span(fn, node) : locate.span(kernel, via);
}

function reachesVolatile({ fn, node }: RacePlace): boolean {
  return isVolatile(fn, node as Expr);
}

function fixOf({ fn, scope, before, after, endOf }: Repair, locate: Locator): RewriteFact | undefined {
  const call = { grid: '__threadfence();', block: '__syncthreads();', warp: '__syncwarp();' }[scope];
  const file = locate.file(fn);
  if (!file) return undefined;
  const context = new FunctionText(file, locate.current(fn));
  const { base } = context.decl;
  const { text } = file;
  const newline = context.newline;
  const title = `Insert ${call.slice(0, -1)}`;
  const indentAt = (offset: number): string | undefined =>
    /^[ \t]*$/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset))?.[0];
  const insert = (offset: number, newText: string): RewriteFact => ({
    title,
    edits: [{ at: { uri: fn.uri, start: offset, end: offset }, newText }],
  });
  if (before) {
    const behind = after && lineEndOf(after, before, context);
    const line = indentAt(base + (after ?? before).start);
    if (behind !== undefined && line !== undefined) return insert(base + behind, `${newline}${line}${call}`);
    const offset = base + context.aboveComments(startWithPragmas(before));
    const indent = indentAt(offset);
    if (indent === undefined) return insert(offset, `${call} `);
    // A pragma may be in the first column.
    const own = indentAt(base + before.start) ?? indent;
    return insert(offset, `${indentBeyond(indent, own) ?? ''}${call}${newline}${indent}`);
  }
  if (!endOf || !('body' in endOf) || Array.isArray(endOf.body)) return undefined;
  const body = endOf.body as Stmt;
  if (body.macro) return undefined;
  if (body.kind === 'block') {
    const close = base + body.end - 1;
    const indent = indentAt(close);
    if (text[close] !== '}') return undefined;
    if (indent === undefined) return insert(close, ` ${call} `);
    const last = body.body.at(-1);
    const own = last && indentAt(base + startWithPragmas(last));
    const deeper = own === undefined ? undefined : indentBeyond(indent, own);
    return insert(close, `${deeper ?? context.indentStep}${call}${newline}${indent}`);
  }
  if (endOf.kind !== 'for') return undefined;
  const edits = writtenAround(context, endOf.body as Stmt, { before: [], after: [call] });
  return { title, edits };
}

/** Where the line ends that a statement and the comment beside it end on; undefined where a condition follows it. */
function lineEndOf(stmt: Stmt, next: Stmt, { file, decl }: FunctionText): number | undefined {
  const text = (start: number, end: number): string => file.text.slice(decl.base + start, decl.base + end);
  if (stmt.macro || /^[ \t]*#[ \t]*(?:if|el|endif)/m.test(text(stmt.end, next.start))) return undefined;
  const beside = decl.comments.find(({ start }) => start >= stmt.end && text(stmt.end, start).trim() === '');
  const isBeside = beside && !text(stmt.end, beside.end).includes('\n');
  const end = isBeside ? beside.end : stmt.end;
  return /^[ \t]*\r?\n/.test(file.text.slice(decl.base + end)) ? end : undefined;
}
