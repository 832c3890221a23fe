// What is offered for a block of a bad shape.
import type { LaunchFact } from '../../../semantic/model';
import type { Finding, Fix } from '../../rule';
import { counted } from '../../wording';
import { largestBlock, smallestUseful, usualBlock } from './limits';

/**
 * The block's literal where one edit of it is enough, else the launch itself with the largest block of which there are
 * at least `fewest`.
 */
export function fixed(fact: LaunchFact, threads: number, fewest: number): Pick<Finding, 'fixes' | 'refusals'> {
  // A program that tries several sizes does not want one instead.
  if (fact.blockVaries) return {};
  const { x, y, z } = fact.grid;
  const all = fact.gridExact ? threads * (x ?? Infinity) * (y ?? Infinity) * (z ?? Infinity) : Infinity;
  const fixes = rounded(fact, threads, fact.gridExact && all >= usualBlock * fewest ? usualBlock : smallestUseful);
  if (fixes.length > 0) return { fixes };
  const { refusals = [] } = fact;
  // Only a block of one thread, which leaves 31 of 32 lanes idle, is worth another parameter or a longer launch.
  const relaunches =
    fact.relaunches?.filter(({ isLong, threads: size }) => size !== threads && (!isLong || threads === 1)) ?? [];
  if (relaunches.length === 0)
    return fact.relaunches ? refusal('edits', 'its launch would become much longer') : { refusals };
  // What fits into one block is no less idle in several.
  const enough = relaunches.find(({ threads: block }) => all <= block || all / block >= fewest);
  const made = enough ?? relaunches.at(-1)!;
  return { fixes: [ofKernel(fact, made.threads, made.title, made.edits)] };
}

/** Smaller blocks, the largest of which the same threads make `fewest`, else more blocks where any number will do. */
export function spread(fact: LaunchFact, blocks: number, fewest: number): Pick<Finding, 'fixes' | 'refusals'> {
  const { x: threads, y, z } = fact.block;
  if (fact.blockVaries || !fact.blockExact || threads === undefined) return {};
  if (y !== 1 || z !== 1) return refusal('extents', 'its blocks have more than one dimension');
  const more = fact.moreBlocks?.find(({ factor }) => blocks * factor >= fewest);
  const others: Fix[] = more
    ? [{ title: more.title, applicability: 'unsafe', edits: more.edits, inFile: true, proof: 'run' }]
    : [];
  const sizes = [usualBlock, 128, smallestUseful].filter((size) => size < threads && threads % size === 0);
  const size = sizes.find((each) => (blocks * threads) / each >= fewest);
  if (size === undefined) return more ? { fixes: others } : refusal('threads', tooFew(blocks * threads, fewest));
  const counts = `${blocks} → ${(blocks * threads) / size} blocks`;
  const fixes = resized(fact, threads, size, `Lower the block to ${size} threads: ${counts}`);
  if (fixes.length > 0) return { fixes };
  const split = fact.relaunches?.find((each) => each.threads === size);
  if (!split) return more ? { fixes: others } : { refusals: fact.refusals ?? [] };
  return { fixes: [ofKernel(fact, size, split.title, split.edits, `: ${counts}`)] };
}

/** Launches of a kernel with equal blocks are changed together, wherever in the file they are. */
function ofKernel(fact: LaunchFact, size: number, title: string, edits: Fix['edits'], counts = ''): Fix {
  const precondition = JSON.stringify([fact.kernelAt, fact.blockText, size]);
  const several = title.replace(/(?= \()|$/, ' at {count} launches');
  const alike = { precondition, title: several, inFile: true } as const;
  return { title: title + counts, applicability: 'unsafe', edits, alike };
}

function tooFew(threads: number, fewest: number): string {
  return threads / smallestUseful < fewest
    ? `its ${counted(threads, 'thread')} are too few; give each less work`
    : `its blocks do not split into smaller ones of at least ${smallestUseful} threads`;
}

function refusal(precondition: string, why: string): Pick<Finding, 'refusals'> {
  return { refusals: [{ family: 'block-shape', precondition, why }] };
}

/** Whole warps, `least` threads. */
function rounded(fact: LaunchFact, threads: number, least: number): Fix[] {
  if (threads % 32 === 0 && threads >= smallestUseful && threads <= largestBlock) return [];
  const size = threads > largestBlock ? largestBlock : Math.max(least, Math.ceil(threads / 32) * 32);
  return resized(fact, threads, size, `${threads > size ? 'Lower' : 'Raise'} the block to ${size} threads`);
}

function resized(fact: LaunchFact, threads: number, size: number, title: string): Fix[] {
  const literal = fact.blockLiteral;
  const isAsked = fact.kernelGuardsIndex && fact.gridIsCeilDivision && !fact.kernelNeedsShape;
  if (!literal || !isAsked || literal.value !== threads) return [];
  return [{ title, applicability: 'safe', edits: [{ at: literal.at, newText: String(size) }], inFile: true }];
}
