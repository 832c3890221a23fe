// cuda/block-shape: a launch whose block or grid leaves lanes, schedulers or multiprocessors idle.
import type { Gpu, LaunchFact } from '../../../semantic/model';
import { defineRule, type Finding, type Waste } from '../../rule';
import { excerpt } from '../../wording';
import { fixed, spread } from './fixes';
import { largestBlock, smallestUseful, usualBlock } from './limits';
import { hasLoops, isLargeWithoutNeed } from './large';
import docs from './docs.json';
import { messages } from './words';

type Message = keyof typeof messages;

/** Share of the multiprocessors from which on a small grid keeps the GPU busy: 128 blocks on 132 are no waste. */
const nearlyAll = 0.9;

export default defineRule<'launch', Message>({
  meta: {
    id: 'cuda/block-shape',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    needsGain: ['serial', 'short'],
    summary:
      'A block that is not a multiple of a warp, too small or too large, or a grid that leaves ' +
      'multiprocessors idle.',
    docs,
    messages,
    example: {
      kernel: 'scale',
      threads: 48,
      shape: '48×1×1',
      idle: 16,
      lanes: 64,
      held: '; a multiprocessor of H100 holds 32 blocks, 1536 of 2048 threads',
      blocks: '16 blocks',
      gpu: 'H100',
      multiprocessors: 132,
      resting: 116,
      most: 67584,
    },
    evidence: {
      metric: 'thread_inst_executed',
      against: 'inst_executed',
      badWhen: 'threads < 28',
      noneWhen: 'threads >= 31',
      of: 'kernel',
      messages: ['one-thread', 'not-warps'],
    },
    options: {
      smallGrid: {
        type: 'boolean',
        default: true,
        description: 'Whether constant grids with fewer blocks than the GPU has multiprocessors are reported.',
      },
    },
  },
  on: 'launch',
  *check(fact, { gpu, options, model }): Generator<Finding<Message>> {
    const { x, y, z } = fact.block;
    const kernel = excerpt(fact.kernelName, 40);
    const threads = fact.blockExact && x !== undefined && y !== undefined && z !== undefined ? x * y * z : undefined;
    if (threads !== undefined) {
      const found = shapeOf(fact, threads, gpu);
      if (found) {
        const lanes = Math.ceil(threads / 32) * 32;
        yield {
          at: fact.blockAt,
          ...found,
          confidence: 'proven',
          data: {
            kernel,
            threads,
            shape: [x, y, z].join('×'),
            idle: lanes - threads,
            lanes,
            held: heldOf(threads, gpu),
          },
          related: relatedOf(fact),
          ...fixed(fact, threads, nearlyAll * gpu.multiprocessors),
        };
      }
    }
    if (options['smallGrid'] !== false && isLargeWithoutNeed(fact, model))
      yield {
        at: fact.blockAt,
        message: 'large',
        severity: 'hint',
        confidence: 'proven',
        data: {
          kernel,
          threads: x!,
          gpu: gpu.name,
          multiprocessors: gpu.multiprocessors,
          most: gpu.multiprocessors * x!,
        },
        related: relatedOf(fact),
      };
    const { x: gx, y: gy, z: gz } = fact.grid;
    if (options['smallGrid'] === false || !fact.gridExact || gx === undefined || gy === undefined || gz === undefined)
      return;
    const blocks = gx * gy * gz;
    // A single block may be the last stage of a reduction: only iterations that know nothing of one another are more.
    if (blocks === 1 && fact.apartLoop)
      yield {
        at: fact.gridAt,
        message: 'one-block',
        waste: { kind: 'grid', loop: fact.apartLoop },
        confidence: 'assumed',
        data: { kernel, gpu: gpu.name, multiprocessors: gpu.multiprocessors, resting: gpu.multiprocessors - 1 },
        related: [...relatedOf(fact), { at: fact.apartLoop, text: 'blocks could share the iterations of this loop' }],
      };
    else if (blocks === 1 && threads === 1 && hasLoops(fact, model))
      yield {
        at: fact.gridAt,
        message: 'serial',
        waste: { kind: 'idle', part: [31 / 32, 31 / 32] },
        severity: 'information',
        confidence: 'assumed',
        data: { kernel, gpu: gpu.name },
        related: relatedOf(fact),
      };
    if (fact.kernelIsSetup || blocks <= 1 || blocks >= nearlyAll * gpu.multiprocessors) return;
    yield {
      at: fact.gridAt,
      message: 'small-grid',
      waste: { kind: 'part', part: [0, 1 - blocks / gpu.multiprocessors] },
      confidence: 'proven',
      data: {
        kernel,
        blocks: `${blocks} blocks`,
        gpu: gpu.name,
        multiprocessors: gpu.multiprocessors,
        resting: gpu.multiprocessors - blocks,
      },
      related: relatedOf(fact),
      ...spread(fact, blocks, nearlyAll * gpu.multiprocessors),
    };
  },
});

function shapeOf(
  fact: LaunchFact,
  threads: number,
  { resident }: Gpu,
): { readonly message: Message; readonly waste?: Waste; readonly severity?: 'error' | 'information' } | undefined {
  if (threads > largestBlock) return { message: 'too-large', severity: 'error' };
  if (threads <= 0 || fact.kernelIsSetup || fact.blockVaries || isOneBlock(fact)) return undefined;
  const idle = 1 - threads / (Math.ceil(threads / 32) * 32);
  if (threads === 1) return { message: 'one-thread', waste: { kind: 'idle', part: [idle, idle] } };
  if (threads % 32 !== 0) return { message: 'not-warps', waste: { kind: 'idle', part: [idle, idle] } };
  if (fact.kernelNeedsShape) return undefined;
  // The limit of resident blocks leaves the rest of the warps' places empty, which only kernels that wait notice.
  const full = resident.threads / resident.blocks;
  if (threads >= full)
    // A multiprocessor may hold all blocks of a grid that is not known.
    return threads >= usualBlock || !fact.gridExact
      ? undefined
      : { message: 'short', waste: { kind: 'narrow', elements: usualBlock / threads } };
  // Half of the places and more are enough for most kernels.
  if (threads >= smallestUseful) return { message: 'small', severity: 'information' };
  return { message: 'small', waste: { kind: 'part', part: [0, 1 - threads / full] } };
}

/** What the limit of resident blocks leaves of a multiprocessor's threads, where it is a limit. */
function heldOf(held: number, { name, resident: { blocks, threads } }: Gpu): string {
  if (blocks * held >= threads) return '';
  return `; a multiprocessor of ${name} holds ${blocks} blocks, ${blocks * held} of ${threads} threads`;
}

function isOneBlock(fact: LaunchFact): boolean {
  return fact.gridExact && fact.grid.x === 1 && (fact.grid.y ?? 1) === 1 && (fact.grid.z ?? 1) === 1;
}

function relatedOf(fact: LaunchFact): { at: LaunchFact['at']; text: string }[] {
  const related: { at: LaunchFact['at']; text: string }[] = [];
  if (fact.kernelAt) related.push({ at: fact.kernelAt, text: `\`${excerpt(fact.kernelName, 40)}\` is defined here` });
  if (fact.blockLiteral) related.push({ at: fact.blockLiteral.at, text: 'the block size is set here' });
  return related;
}
