// Holds two versions of a kernel against each other in the same unit, or states why they cannot be compared.
import { thresholds } from '../cost/grade';
import type { KernelFigures } from './figures';

/** What sectors and wavefronts are counted for: one block, 32 threads, or all blocks of a launch. */
export type Unit = 'block' | 'warp' | 'launch';

/** Both versions in the same unit. */
export interface KernelPair {
  readonly before: KernelFigures;
  readonly after: KernelFigures;
  readonly unit: Unit;
  /** The part of it that one block of the version after asks for. */
  readonly block: Pick<KernelFigures, 'sectors' | 'wavefronts' | 'atomics'>;
  /** Why no time of one version can be held against one of the other. */
  readonly obstacle?: string;
}
type Versions = Pick<KernelPair, 'before' | 'after'>;

/**
 * Blocks of different sizes do different parts of the work: then launches are compared where the grids are known, and
 * else equally many threads.
 */
export function pairOf(one: KernelFigures, other: KernelFigures): KernelPair {
  const { sectors, wavefronts, atomics } = other;
  const isSameBlock = one.blocks.join() === other.blocks.join();
  const isKnown = one.grids !== undefined && one.grids.length === other.grids?.length;
  const unit =
    isKnown && !(isSameBlock && one.grids?.join() === other.grids?.join())
      ? 'launch'
      : isSameBlock || !one.threads || !other.threads
        ? 'block'
        : 'warp';
  const before = scaled(one, blocksIn(unit, one));
  const blocks = blocksIn(unit, other);
  const part = iterationsOf({ before, after: scaled(other, blocks) });
  const after = scaled(other, blocks, part);
  const obstacle = obstacleOf({ before, after }, part, isKnown);
  return { before, after, unit, block: { sectors, wavefronts, atomics }, ...(obstacle ? { obstacle } : {}) };
}

/**
 * Two times can be compared if what they are times of does the same work: all of it where the grids are known, else the
 * same part of it in each block, or in each iteration of loops of unknown length (`part`).
 */
function obstacleOf(versions: Versions, part: number | undefined, isGridKnown: boolean): string | undefined {
  const { before, after } = versions;
  if (ownersOf(before) !== ownersOf(after))
    return 'other kernels call its functions, of whose accesses the mean is known';
  const isMean = ({ assumedBlock, blocks }: KernelFigures): boolean => assumedBlock || blocks.length > 1;
  if (!isGridKnown && before.blocks.join() !== after.blocks.join() && (isMean(before) || isMean(after)))
    return 'its blocks differ, and several or assumed ones are counted as their mean';
  const works = commonWork(versions);
  const ofGlobal = works.filter(([{ isShared }]) => !isShared);
  if (ofGlobal.some(([one, other]) => one.open > 0 !== other.open > 0))
    return 'the length of loops is unknown in one version alone';
  if (works.some(([one, other]) => one.first !== other.first && !isSame(one.moved, other.moved)))
    return 'a loop of unknown length was read to another iteration';
  if (part === undefined) return 'an iteration of a loop of unknown length does another part of the work';
  if (isGridKnown || ofGlobal.some(([one, other]) => one.moved > 0 && isSame(one.moved, other.moved))) return undefined;
  return 'the grid is unknown, and a block may do another part of the work';
}

function ownersOf({ accesses }: KernelFigures): string {
  return [...new Set(accesses.map(({ owners = [] }) => owners.join()))].sort().join('\n');
}

const warp = 32;

/** Blocks' worth of work that the unit is. */
function blocksIn(unit: Unit, { threads = warp, grids = [] }: KernelFigures): number {
  if (unit === 'block') return 1;
  return unit === 'warp' ? warp / threads : grids.reduce((sum, one) => sum + one, 0) / Math.max(1, grids.length);
}

/**
 * Iterations of loops of unknown length that move as much as those of the version before, as part of those assumed: by
 * what a loop stores, or, where both versions store nothing, by what it loads. Undefined where arrays disagree.
 */
function iterationsOf(versions: Versions): number | undefined {
  const works = commonWork(versions).filter(([{ isShared, open }, now]) => !isShared && open > 0 && now.open > 0);
  const stores = works.filter(([{ isLoad }]) => !isLoad);
  const [first = 1, ...others] = (stores.length > 0 ? stores : works).map(([one, now]) => one.open / now.open);
  if (others.some((ratio) => !isSame(ratio, first))) return undefined;
  return isSame(first, 1) ? 1 : first;
}

/** The figures of so many blocks, with `part` of the assumed iterations. */
function scaled(kernel: KernelFigures, blocks: number, part = 1): KernelFigures {
  const sums = { sectors: kernel.sectors, wavefronts: kernel.wavefronts, atomics: kernel.atomics };
  const accesses = kernel.accesses.map((access) => {
    const { space, mode, traffic, moved, loop, activeLanes, bytes, owners = [''] } = access;
    const times = loop === undefined ? 1 : part;
    sums[space === 'shared' ? 'wavefronts' : 'sectors'] += ((times - 1) * traffic) / owners.length;
    if (mode === 'atomic') sums.atomics += ((times - 1) * moved) / (activeLanes * bytes);
    return { ...access, traffic: traffic * times * blocks, moved: moved * times * blocks };
  });
  const all = (sums.sectors + sums.wavefronts) / (kernel.sectors + kernel.wavefronts || 1) || 1;
  return {
    ...kernel,
    sectors: sums.sectors * blocks,
    wavefronts: sums.wavefronts * blocks,
    atomics: sums.atomics * blocks,
    accesses,
    ...(kernel.time && { time: kernel.time * all * blocks }),
    ...(kernel.traffic && { traffic: (kernel.traffic * sums.sectors) / (kernel.sectors || 1) }),
  };
}

/** Bytes that an array moves in the loop that moves most of it. */
interface ArrayWork {
  readonly isShared: boolean;
  readonly isLoad: boolean;
  readonly moved: number;
  /** The same of loops of unknown length. */
  readonly open: number;
  /** Iterations that were run before the budget ended a loop. */
  readonly first: number;
}

/** Of each array that both versions access, loads and stores apart. */
function commonWork({ before, after }: Versions): readonly (readonly [ArrayWork, ArrayWork])[] {
  const [was, now] = [workOf(before), workOf(after)];
  return [...was].flatMap(([key, one]) => (now.has(key) ? [[one, now.get(key)!] as const] : []));
}

function workOf({ accesses }: KernelFigures): ReadonlyMap<string, ArrayWork> {
  const loops = new Map<string, number>();
  const arrays = new Map<string, ArrayWork>();
  for (const { mode, array, space, loop, moved, first = 0 } of accesses) {
    const key = `${mode} ${array}`;
    const sum = moved + (loops.get(`${loop} ${key}`) ?? 0);
    loops.set(`${loop} ${key}`, sum);
    const known = arrays.get(key);
    arrays.set(key, {
      isShared: space === 'shared',
      isLoad: mode === 'load',
      moved: Math.max(sum, known?.moved ?? 0),
      open: Math.max(loop === undefined ? 0 : sum, known?.open ?? 0),
      first: Math.max(first, known?.first ?? 0),
    });
  }
  return arrays;
}

/** Predicted time over that before; undefined where none is predicted of both versions alike. */
export function slowdownOf(pair: KernelPair): number | undefined {
  const { before, after, obstacle } = pair;
  if (obstacle !== undefined || !before.time || !after.time) return undefined;
  if ((before.traffic === undefined) !== (after.traffic === undefined)) return undefined;
  const slowdown = after.time / before.time;
  // What is read of one version alone may be all that differs: what is known of a version is the least of its time.
  if (isReadLess(pair) && (before.unknown > 0 || slowdown < thresholds.information)) return undefined;
  if (isReadLess({ before: after, after: before }) && (after.unknown > 0 || slowdown > 1 / thresholds.information))
    return undefined;
  return slowdown;
}

/** More of the kernel is without figures than before: what it lost in traffic may be there all the same. */
export function isReadLess({ before, after }: Versions): boolean {
  return after.unknown > before.unknown || (after.notAnalysed !== undefined && before.notAnalysed === undefined);
}

/** Sums of the same figures in another order differ in their last digits. */
export function isSame(one: number | undefined, other: number | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return Math.abs(one - other) <= 1e-6 * Math.max(1, Math.abs(one), Math.abs(other));
}
