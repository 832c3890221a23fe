// cuda/block-shape: a launch whose block or grid leaves lanes, schedulers or multiprocessors idle.
import { contains, type LaunchFact, type Model, type Span } from '../../../semantic/model';
import { defineRule, type Finding, type Fix, type Waste } from '../../rule';
import { excerpt } from '../../wording';

type Message = 'one-thread' | 'not-warps' | 'small' | 'large' | 'too-large' | 'small-grid';

const largestBlock = 1024;
const smallestUseful = 64;
/** Blocks from which on a problem of usual size may be fewer of them than the GPU has multiprocessors, and a usual one. */
const large = 512;
const usual = 128;
/** Share of the multiprocessors from which on a small grid keeps the GPU busy: 128 blocks on 132 are no waste. */
const nearlyAll = 0.9;

export default defineRule<'launch', Message>({
  meta: {
    id: 'cuda/block-shape',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary:
      'A block that is not a multiple of a warp, too small or too large, or a grid that leaves ' +
      'multiprocessors idle.',
    docs: {
      what:
        'A block runs in warps of 32 lanes: a block of 48 threads takes two warps and leaves a quarter of ' +
        'the lanes idle, a block of one thread leaves 31 of 32. Blocks below 64 threads reach the limit of ' +
        'resident blocks before a multiprocessor is full; blocks above 1024 do not launch. The rule reads ' +
        'constant block sizes through `dim3` variables, macros and template arguments. It also reports ' +
        'constant grids with fewer blocks than the chosen GPU has multiprocessors, and blocks of 512 ' +
        'threads and more where each thread runs loops and the element count sets the grid ' +
        '(likelihood_kernel of Rodinia took 1.9 times as long with 512 as with 128 on a V100, as GPA ' +
        'measured).',
      why:
        'Idle lanes cannot hide latency. The measured pairs show the cost of the shape alone, with the ' +
        'kernel unchanged.',
      whenNot:
        'Silent when the block size is unknown, when the kernel needs the shape (a shared array, an index ' +
        'or a template argument depends on it), when a launch site uses several block sizes, for a single ' +
        'block, and for set-up kernels that do constant work in one thread. The tail wave of a grid is not ' +
        'reported: it depends on registers.',
      fix:
        'Where the kernel guards its index and the grid is a ceil-division by the same constant, rounds ' +
        'the block up to whole warps, at least 64 threads (safe). Where the kernel uses only its grid-wide ' +
        'thread index and guards it, rewrites the launch with blocks of 256, or 16 × 16 in a plane ' +
        '(unsafe: the last block is padded). A kernel with one-thread blocks indexed by block gets 256 ' +
        'threads per block, in the kernel and at its launches (unsafe for the same reason).',
      references: [
        {
          title: 'CUDA C++ Best Practices Guide, Thread and Block Heuristics',
          url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#thread-and-block-heuristics',
        },
        {
          title: 'CUDA C++ Programming Guide, Technical Specifications per Compute Capability',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#features-and-technical-specifications-technical-specifications-per-compute-capability',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    messages: {
      'one-thread':
        'One thread per block: 31 of 32 lanes are idle. Every warp of `{kernel}` has one active thread. ' +
        'Use at least 64 threads per block.',
      'not-warps':
        '{threads} threads per block: {idle} of {lanes} lanes are idle. The block {shape} of `{kernel}` is ' +
        'not a multiple of 32, so its last warp is not full.',
      small:
        '{threads} threads per block are too few. `{kernel}` reaches the limit of resident blocks long ' +
        'before a multiprocessor is full.',
      large:
        '{threads} threads per block may leave multiprocessors idle. Fewer than {most} elements give fewer ' +
        'blocks than the {multiprocessors} multiprocessors of {gpu}, and each thread of `{kernel}` runs ' +
        'loops. Smaller blocks spread the same threads further.',
      'too-large':
        '{threads} threads per block: the launch fails. A block holds at most 1024, and `{kernel}` is ' +
        'launched with {shape}.',
      'small-grid':
        '{blocks} for {multiprocessors} multiprocessors: {resting} of them are idle. `{kernel}` leaves ' +
        'that part of {gpu} unused.',
    },
    example: {
      kernel: 'scale',
      threads: 48,
      shape: '48×1×1',
      idle: 16,
      lanes: 64,
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
    if (fact.blockExact && x !== undefined && y !== undefined && z !== undefined) {
      const threads = x * y * z;
      const found = shapeOf(fact, threads);
      if (found) {
        const lanes = Math.ceil(threads / 32) * 32;
        yield {
          at: fact.blockAt,
          message: found.message,
          ...(found.waste ? { waste: found.waste } : { severity: 'error' as const }),
          confidence: 'proven',
          data: { kernel, threads, shape: [x, y, z].join('×'), idle: lanes - threads, lanes },
          related: relatedOf(fact),
          ...fixed(fact, threads),
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
        fixes: resized(fact, x!, usual, `Lower the block to ${usual} threads`),
      };
    const { x: gx, y: gy, z: gz } = fact.grid;
    if (
      options['smallGrid'] === false ||
      !fact.gridExact ||
      fact.kernelIsSetup ||
      gx === undefined ||
      gy === undefined ||
      gz === undefined
    )
      return;
    const blocks = gx * gy * gz;
    // A single block may be the last stage of a reduction, or a set-up kernel.
    if (blocks <= 1 || blocks >= nearlyAll * gpu.multiprocessors) return;
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
    };
  },
});

/** Blocks of many threads, as many as run-time values ask for, of a kernel that runs loops over memory. */
function isLargeWithoutNeed(fact: LaunchFact, model: Model): boolean {
  const { block, blockExact, gridExact, kernelCountsThreads, kernelIsSetup } = fact;
  const { x = 0, y, z } = block;
  if (!blockExact || x < large || x > largestBlock || x % 32 !== 0 || y !== 1 || z !== 1) return false;
  if (gridExact || !kernelCountsThreads || kernelIsSetup) return false;
  const kernel = kernelOf(fact, model);
  return !!kernel && (kernel.cost.loops > 0 || kernel.cost.calls > 0) && runsLoops(kernel.at, model);
}

/** Is there memory that the kernel, or what it calls, touches in a loop? */
function runsLoops(at: Span, model: Model): boolean {
  return model.facts.access.some(({ via, at: own, loops }) => contains(at, via ?? own) && loops.length > 0);
}

type Kernel = Model['facts']['kernel'][number];

function kernelOf({ kernelAt }: LaunchFact, model: Model): Kernel | undefined {
  return model.facts.kernel.find(
    ({ nameAt }) => kernelAt !== undefined && nameAt.uri === kernelAt.uri && nameAt.start === kernelAt.start,
  );
}

function shapeOf(fact: LaunchFact, threads: number): { readonly message: Message; readonly waste?: Waste } | undefined {
  if (threads > largestBlock) return { message: 'too-large' };
  if (threads <= 0 || fact.kernelIsSetup || fact.kernelNeedsShape || fact.blockVaries || isOneBlock(fact))
    return undefined;
  const idle = 1 - threads / (Math.ceil(threads / 32) * 32);
  if (threads === 1) return { message: 'one-thread', waste: { kind: 'idle', part: [idle, idle] } };
  if (threads % 32 !== 0) return { message: 'not-warps', waste: { kind: 'idle', part: [idle, idle] } };
  // The limit of resident blocks leaves the rest of the warps' places empty, which only kernels that wait notice.
  if (threads < smallestUseful)
    return { message: 'small', waste: { kind: 'part', part: [0, 1 - threads / smallestUseful] } };
  return undefined;
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

/** The block's literal where one edit of it is enough, else the launch itself with another block. */
function fixed(fact: LaunchFact, threads: number): Pick<Finding, 'fixes' | 'refusals'> {
  // A program that tries several sizes does not want one instead.
  if (fact.blockVaries) return {};
  const fixes = rounded(fact, threads);
  if (fixes.length > 0) return { fixes };
  if (!fact.relaunch) return { refusals: fact.refusals ?? [] };
  return { fixes: [{ title: fact.relaunch.title, applicability: 'unsafe', edits: fact.relaunch.edits }] };
}

function rounded(fact: LaunchFact, threads: number): Fix[] {
  const size = threads > largestBlock ? largestBlock : Math.max(smallestUseful, Math.ceil(threads / 32) * 32);
  return resized(fact, threads, size, `${threads > size ? 'Lower' : 'Raise'} the block to ${size} threads`);
}

function resized(fact: LaunchFact, threads: number, size: number, title: string): Fix[] {
  const literal = fact.blockLiteral;
  const isAsked = fact.kernelGuardsIndex && fact.gridIsCeilDivision && !fact.kernelNeedsShape;
  if (!literal || !isAsked || literal.value !== threads) return [];
  return [{ title, applicability: 'safe', edits: [{ at: literal.at, newText: String(size) }] }];
}
