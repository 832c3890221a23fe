// Access facts: what each access of a kernel costs, and what its figures rest on.
import { accumulationOf, answeredLoops } from './accumulation';
import { invariantLoops } from './invariant';
import type { FunctionDecl, Node, Stmt } from '../../syntax/ast';
import { step, stepsOf } from '../steps';
import type { AccessFact, Assumption } from '../model';
import {
  wavefrontsOf,
  sectorsOf,
  type AccessRecord,
  type StrideSample,
  Kept,
  Taint,
  loopRefs,
  type Locator,
} from '../run';
import { append, once } from '../language';
import { type Program, assignedNames, mentions, isSizeKnown, sizeOf, typeName, innermost } from '../language';
import { trailOf } from './trail';
import { isExtentOfThreads } from './extents';
import { causeOf, indexOf } from './causes';
import type { AccessSummary, KernelRun } from './kernelRuns';
import { placesOf } from './places';

const unpredictable = Taint.loaded | Taint.hash;
/** Where in a sector a word can begin. */
const placesInSector = 8;

/** The block that figures rest on where no known launch fixes it; undefined where one does. */
export function blockAssumption(run: KernelRun): Assumption | undefined {
  const guessed = run.shapes.find((shape) => shape.assumed);
  if (guessed) return { kind: 'block', block: guessed.block, origin: 'guessed' };
  if (run.shapes.every((shape) => shape.exact)) return undefined;
  return { kind: 'block', block: run.shapes[0]!.block, origin: 'run-time' };
}

/** The facts of a run's accesses, in their order and without fixes; undefined for those without a fact. */
export function* accessFacts(
  run: KernelRun,
  locate: Locator,
  uri: string,
  program: Program,
): Iterable<AccessFact | undefined> {
  for (const summary of run.accesses) yield accessFact(run, summary, locate, uri, program);
}

export function ratioOfFact({ record, sums }: AccessSummary): number {
  return record.space === 'shared'
    ? sums.wavefronts / Math.max(1, sums.wavefrontsIdeal)
    : sums.sectors / Math.max(1, sums.sectorsIdeal);
}

/** Do the lanes of a warp touch different places? */
function differsBetweenLanes({ stride, record }: AccessSummary): boolean {
  if (stride === 0) return false;
  if (stride !== undefined) return true;
  const addresses = record.sample?.addresses;
  return addresses?.some((address) => address !== addresses[0]) ?? false;
}

/**
 * The call in file `uri` at which is reported what a function of another file does; undefined where that is its own
 * place, as for a lambda, which is reported where it is written.
 */
export function reportedAt(
  { kernel, body }: KernelRun,
  { fn, via }: { readonly fn: FunctionDecl; readonly via?: Node | undefined },
  uri: string,
): Node | undefined {
  return fn.uri !== uri && kernel.uri === uri && fn !== body ? via : undefined;
}

function accessFact(
  run: KernelRun,
  summary: AccessSummary,
  locate: Locator,
  uri: string,
  program: Program,
): AccessFact | undefined {
  const { record, sums, taint, hangs } = summary;
  const { expr, space, base } = record;
  const called = reportedAt(run, record, uri);
  if (space === 'unknown' || space === 'local' || (record.fn.uri !== uri && !called)) return undefined;
  const warps = Math.max(1, sums.warps);
  const shared = space === 'shared';
  const varying = differsBetweenLanes(summary);
  const isGather = !shared && varying && isDataIndex(taint);
  const ratio = ratioOfFact(summary);
  const hoisted = invariantLoops(record, program) || answeredLoops(record);
  const masked = maskedBy(summary, hoisted);
  const assumed = assumptionsOf(run, summary, varying, isGather, masked);
  const stride = assumed.find((one) => one.kind === 'stride');
  const cause = isGather ? 'gather' : ratio >= 1.1 ? causeOf(summary, run, program) : undefined;
  const accumulates = accumulationOf(record);
  const at = called ? locate.span(run.kernel, called) : locate.span(record.fn, record.node);
  const text = called ? locate.text(run.kernel, called) : locate.text(record.fn, record.node);
  // An access that the compiler moves together with a neighbour is counted there.
  const fused = sums.warps === 0;
  const asWavefronts = shared && !fused && (!varying || stride?.from !== undefined || !stride);
  const asSectors = !shared && !isGather && space !== 'constant';
  return {
    kind: 'access',
    at,
    text,
    kernels: [run.kernel.name],
    space,
    mode: record.mode,
    elementBytes: record.bytes,
    elementType: typeName(record.type),
    array: {
      name: nameOf(base.name, text, locate.file(record.fn)?.text),
      ...declarationOf(summary, locate),
    },
    ...(asWavefronts ? { wavefronts: sums.wavefronts / warps, wavefrontsIdeal: sums.wavefrontsIdeal / warps } : {}),
    ...(asSectors ? { sectors: sums.sectors / warps, sectorsIdeal: sums.sectorsIdeal / warps } : {}),
    ...(summary.worst > 0 && !isGather ? { worst: summary.worst } : {}),
    ...(typeof summary.stride === 'number' && !isGather && !stride ? { laneStride: summary.stride } : {}),
    ...(varying && stride ? { unknownStride: stride.name } : {}),
    ...(isGather ? { gather: gatherOf(summary, locate, at) } : {}),
    ...(cause ? { cause } : {}),
    ...(record.mode !== 'store' && space === 'global' && !hangs.byBlock ? { ofGrid: true } : {}),
    activeLanes: fused ? 32 : sums.lanes / warps,
    executions: fused ? 0 : sums.warps,
    ...(summary.kept && !fused ? { kept: summary.kept === Kept.inRegister ? 'register' : 'cache' } : {}),
    certainty: isGather || hangs.lost ? 'unknown' : assumed.length ? 'conditional' : 'proven',
    assumed,
    ...(masked && !isGather && isSameForAll(summary) ? { byData: masked } : {}),
    trail:
      expr && varying && ratio >= 1.1
        ? trailOf(record.fn, indexOf(expr), locate, isGather && !(taint & Taint.float))
        : [],
    loops: loopRefs(record.loops, locate),
    ...(record.via ? { via: locate.span(run.kernel, record.via) } : {}),
    ...(hoisted > 0 ? { hoisted } : {}),
    ...(accumulates && !called ? { accumulates } : {}),
    ...repeatOf(run, record, locate),
    ...(called ? { calleeAt: locate.span(record.fn, record.node) } : {}),
    ...perThread(summary, run),
    ...placesOf(summary, isDataIndex(taint), locate),
  };
}

/**
 * Memory that a field of an unseen structure points to has no separate name: it takes the name in the access. The
 * object stands for a field that neither the access nor its file names, as functions of its class do.
 */
function nameOf(name: string, text: string, fileText = ''): string {
  const [, object, field] = /^(\w+)\.(\w+)$/.exec(name) ?? [];
  if (object && !text.includes(name)) {
    const isIndexed = new RegExp(`^\\W*${object}\\s*[[(.]`).test(text);
    if (isIndexed || !new RegExp(`\\b${field}\\b`).test(fileText)) return object;
  }
  if (!/[#@]/.test(name)) return name;
  return /^\W*([A-Za-z_]\w*)\s*(?:\[|->|\.)/.exec(text)?.[1] ?? name.replace(/[#@].*$/, '');
}

function repeatOf(
  { repeated, kernel }: KernelRun,
  { node, fn }: AccessRecord,
  locate: Locator,
): Pick<AccessFact, 'repeats'> {
  const found = repeated.get(node);
  if (!found) return {};
  const { at, first, ofKernel, ...rest } = found;
  const [here, before] = [at, first].map((each) => locate.span(ofKernel ? kernel : fn, each));
  return { repeats: { at: here!, first: before!, ...rest } };
}

function perThread({ record }: AccessSummary, run: KernelRun): Pick<AccessFact, 'perThread'> {
  const stride = record.touched?.stride;
  // What lies side by side leaves nothing to others, but fills the gaps of those.
  if (!stride || stride <= record.bytes) return sectorsPerThread(record, run);
  return { perThread: { bytes: stride, used: usedBytes(besides(record, run)).get(stride)!.size } };
}

/** By the distance between lanes, which bytes of it accesses touch together. */
const usedBytes = once((accesses: readonly AccessSummary[]) => {
  const used = new Map<number, Set<number>>();
  for (const { touched } of accesses.map(({ record }) => record)) {
    if (!touched) continue;
    if (!used.has(touched.stride)) used.set(touched.stride, new Set());
    stepsOf(touched.bytes).forEach((isUsed, byte) => isUsed && used.get(touched.stride)!.add(byte));
  }
  return used;
});

/** The same where lanes are apart in another way, by the sectors that the first warp seen touches, in part or whole. */
function sectorsPerThread(record: AccessRecord, run: KernelRun): Pick<AccessFact, 'perThread'> {
  const { sample } = record;
  if (record.mode !== 'load' || record.space !== 'global' || !sample || sample.uniform) return {};
  if (!isNear(record)) return {};
  /** By sector, its bytes that are used, a bit each. */
  const its = new Map<number, number>();
  for (const address of sample.addresses)
    for (let sector = Math.floor(address / 32); sector * 32 < address + record.bytes; sector++) its.set(sector, 0);
  if (its.size <= 1 + Math.ceil((sample.count * record.bytes) / 32)) return {};
  for (const { record: other } of stepsOf(besides(record, run))) {
    if (other.sample?.count !== sample.count || !isNear(other)) continue;
    step(2);
    if (!other.sample.lanes.every((lane, at) => lane === sample.lanes[at])) continue;
    for (const address of other.sample.addresses)
      for (let sector = Math.floor(address / 32); sector * 32 < address + other.bytes; sector++) {
        const before = its.get(sector);
        if (before === undefined) continue;
        const from = Math.max(address - sector * 32, 0);
        const length = Math.min(address + other.bytes - sector * 32, 32) - from;
        its.set(sector, before | (length === 32 ? -1 : ((1 << length) - 1) << from));
      }
  }
  let used = 0;
  for (const bits of its.values()) used += setBits(bits);
  return { perThread: { bytes: (32 * its.size) / sample.count, used: used / sample.count } };
}

function setBits(bits: number): number {
  let count = 0;
  for (let rest = bits; rest !== 0; rest &= rest - 1) count++;
  return count;
}

/** Whether its bytes can be counted one by one: beyond what doubles tell apart, one more is the same again. */
const isNear = once(({ bytes, sample }: AccessRecord): boolean => {
  return bytes <= 4096 && (sample?.addresses.every((address) => Math.abs(address) < 2 ** 50) ?? false);
});

/** Accesses of the same kind to the same array in the same loops, the access itself among them. */
function besides(record: AccessRecord, run: KernelRun): readonly AccessSummary[] {
  return alikeIn(run.accesses).get(keyOf(record))!;
}

/** Accesses of a run by array, direction and the loops they are in: one is compared with all of its kind. */
const alikeIn = once((accesses: readonly AccessSummary[]) => {
  const alike = new Map<string, AccessSummary[]>();
  for (const access of accesses) append(alike, keyOf(access.record), access);
  return alike;
});
let loopCount = 0;
const numberOf = once((_: Stmt) => ++loopCount);
function keyOf({ base, mode, loops }: AccessRecord): string {
  return `${mode} ${loops.map(({ stmt }) => numberOf(stmt)).join()} ${base.name}`;
}

/** An index that was loaded, hashed, or computed in floating point from what is unknown. */
function isDataIndex(taint: number): boolean {
  if (taint & unpredictable) return true;
  const open = Taint.chosen | Taint.loadedUniform | Taint.assumed | Taint.maybe;
  return (taint & Taint.float) !== 0 && (taint & open) !== 0;
}

/** One sector or wavefront of all lanes is one of any of them. */
function isSameForAll({ record, sums }: AccessSummary): boolean {
  return (record.space === 'shared' ? sums.wavefronts : sums.sectors) <= 1.0001 * sums.warps && sums.warps > 0;
}

/** Do data decide which lanes come there: at once, or in later iterations? */
function maskedBy(summary: AccessSummary, hoisted: number): AccessFact['byData'] {
  if (summary.byData) return 'some';
  return isParted(summary, hoisted) ? 'again' : undefined;
}

function assumptionsOf(
  run: KernelRun,
  summary: AccessSummary,
  varying: boolean,
  isGather: boolean,
  masked: AccessFact['byData'],
): Assumption[] {
  const { record, taint, hangs, sums } = summary;
  const assumed: Assumption[] = [];
  const block = summary.hangsOnBlock ? blockAssumption(run) : undefined;
  if (block) assumed.push(block);
  const stride = varying && !isGather && hangs.strides.size > 0 ? strideAssumption(run, summary) : undefined;
  if (stride) assumed.push(stride);
  if (varying && taint & Taint.usualStride)
    assumed.push({ kind: 'contiguous', name: record.base.name.replace(/\..*/, '') });
  if (record.space !== 'shared' && !isGather && Math.abs(hangs.offEdge - sums.sectors) > 0.005 * sums.sectors)
    assumed.push({ kind: 'alignment' });
  const first = record.loops.find((loop) => loop.first !== undefined && loop.trips === undefined)?.first;
  // Steps of whole words come round to the same place in a sector: what stayed the same through all of them stays so.
  const isSteady = record.worst === record.best && !record.mergedBytes && (first ?? 0) >= placesInSector;
  if (first !== undefined && !isSteady) assumed.push({ kind: 'iterations', first });
  if (summary.shadowOfSome) assumed.push({ kind: 'reached' });
  if (masked && (isGather || !isSameForAll(summary)))
    assumed.push({ kind: 'by-data', ...(masked === 'again' ? { again: true } : {}) });
  const { least, most } = summary.ofLaunches;
  if (!isGather && most - least > 0.02 * most) assumed.push({ kind: 'launches', least, most });
  const unsized = [record.type, ...(record.base.type ? [record.base.type] : [])].find(
    (type) => !isSizeKnown(innermost(type)),
  );
  if (unsized && (unsized === record.type || varying)) {
    const type = innermost(unsized);
    const free = taint & Taint.resized ? { free: true } : {};
    const name = typeName(type);
    const param = run.types.flatMap((types) => [...types]).find(([, given]) => given === name)?.[0];
    assumed.push({ kind: 'type-size', type: param ?? name, bytes: sizeOf(type) ?? 4, ...free });
  }
  const { candidate, leastOfTypes = Infinity } = summary;
  if (candidate && ratioOfFact(summary) > 1.02 * leastOfTypes)
    for (const [name, type] of candidate)
      assumed.push({ kind: 'type', name, type: typeName(type), otherwise: leastOfTypes });
  // An unknown size makes offsets unsettled, too: that is reported already, unless lanes are apart by more unknowns.
  const isLost = hangs.lost || hangs.open || (taint & Taint.assumed && varying);
  const isSized = !unsized || (hangs.lost && taint & Taint.unknownStride);
  if (!isGather && ((isLost && isSized) || (taint & Taint.maybe && varying))) assumed.push({ kind: 'unsettled' });
  if (record.space === 'shared' && taint & unpredictable && varying) assumed.push({ kind: 'loaded-index' });
  return assumed;
}

/** Do data take lanes out of a loop that it is in between two iterations? The compiler may take it out of that loop. */
function isParted({ record, again }: AccessSummary, hoisted: number): boolean {
  const isLeft = ({ parts }: AccessRecord['loops'][number]): boolean => parts === true;
  if (record.loops.slice(hoisted).some(isLeft)) return true;
  return again && !record.loops.some(isLeft);
}

/** What the figure needs of an unknown factor on the lanes' distances; undefined where any value will do. */
function strideAssumption(run: KernelRun, { hangs, sums, record }: AccessSummary): Assumption | undefined {
  const shared = record.space === 'shared';
  const figure = shared ? sums.wavefronts : sums.sectors;
  const ideal = shared ? sums.wavefrontsIdeal : sums.sectorsIdeal;
  if (Math.abs(hangs.least - figure) <= 0.02 * figure && Math.abs(hangs.leastIdeal - ideal) <= 0.02 * ideal)
    return undefined;
  // A template's own number, which no known instance gives, is as often 2 or 3 as large.
  const ofTemplate = [...hangs.strides].find((each) =>
    [run.kernel, record.fn].some((fn) => fn.templateParams?.some((param) => param.name === each)),
  );
  const name = ofTemplate ?? [...hangs.strides][0]!;
  const from = hangs.sample && hangs.strides.size === 1 ? holdsFrom(hangs.sample, shared) : undefined;
  return {
    kind: 'stride',
    name,
    ...(from === undefined ? {} : { from }),
    otherwise: hangs.least / Math.max(1e-9, hangs.leastIdeal),
    ...(shared ? { multiples: true } : hangs.walks && ofTemplate === undefined ? { rows: true } : {}),
    ...(hangs.acrossBlocks ? { blocks: true } : {}),
    ...(!shared && [run.kernel, record.fn].some((fn) => isExtentOfThreads(name, fn)) ? { long: true } : {}),
  };
}

const tried = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20, 24, 32, 48, 64, 96, 128, 192, 256, 512, 1024, 4096];

/**
 * The least value of the factor from which on a warp's figure stays as it is for large ones, or of whose multiples it
 * does in shared memory; undefined where it does not settle.
 */
function holdsFrom(sample: StrideSample, shared: boolean): number | undefined {
  const figureAt = (value: number): number => {
    const addresses = sample.known.map((known, at) => known + sample.by[at]! * value);
    return shared
      ? wavefrontsOf(addresses, sample.lanes, addresses.length, sample.bytes).wavefronts
      : sectorsOf(addresses, addresses.length, sample.bytes).sectors;
  };
  const large = figureAt(tried.at(-1)!);
  if (shared) return tried.find((value) => 4096 % value === 0 && figureAt(value) === large);
  let from: number | undefined;
  for (const value of [...tried].reverse()) {
    if (Math.abs(figureAt(value) - large) > 0.02 * large) break;
    from = value;
  }
  return from;
}

function declarationOf({ record }: AccessSummary, locate: Locator): Pick<AccessFact['array'], 'at' | 'bytes'> {
  const { declaration, type } = record.base;
  const bytes = type?.kind === 'array' ? sizeOf(type) : undefined;
  const at = !declaration
    ? undefined
    : declaration.fn
      ? locate.span(declaration.fn, declaration.node)
      : locate.global(declaration.uri, declaration.node);
  return { ...(at ? { at } : {}), ...(bytes === undefined ? {} : { bytes }) };
}

function gatherOf(summary: AccessSummary, locate: Locator, at: AccessFact['at']): NonNullable<AccessFact['gather']> {
  const { record, taint } = summary;
  const { expr, fn } = record;
  return {
    text: locate.text(fn, expr ? indexOf(expr) : record.node),
    at: expr ? locate.span(fn, indexOf(expr)) : at,
    sectorsAtMost: gatherAtMost(summary),
    reason: taint & Taint.loaded ? 'loaded' : taint & Taint.hash ? 'hash' : 'floating-point',
  };
}

/** The most sectors a gather asks for: as seen, or one a lane where a loop that data end moves the index. */
function gatherAtMost(summary: AccessSummary): number {
  const { record, sums } = summary;
  const warps = Math.max(1, sums.warps);
  const seen = sums.sectors / warps;
  const wanders =
    record.expr &&
    (record.pieces > 1 ||
      record.loops.some(
        (loop) =>
          loop.byData &&
          loop.fn === record.fn &&
          [...assignedNames(loop.stmt)].some((name) => mentions(indexOf(record.expr!), name)),
      ));
  return wanders ? Math.max(seen, (sums.lanes / warps) * Math.max(1, Math.ceil(record.bytes / 32))) : seen;
}
