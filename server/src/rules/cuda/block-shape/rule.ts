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
      'A launch whose block is no multiple of a warp, too small or too large, or whose grid leaves multiprocessors idle.',
    docs: {
      what:
        'The hardware runs a block in warps of 32 lanes: a block of 48 threads takes two warps and leaves a quarter of the lanes idle, a block of one thread leaves 31 of 32. ' +
        'Blocks below 64 threads run into the limit of resident blocks before a multiprocessor is full. A block above 1024 threads does not launch at all. ' +
        'The rule reads constant block sizes through `dim3` variables, macros and template arguments, and reports those shapes; a constant grid with fewer blocks than the chosen GPU has multiprocessors is an information. Blocks of 512 threads and more are a hint where the elements decide how many there are and each thread runs loops: of a small problem they are too few (likelihood_kernel of Rodinia took 1.9 times as long with 512 as with 128 on a V100, as GPA measured).',
      why: 'Lanes that do not exist cannot hide latency. The measured pairs on this page are the price of a shape alone, with the kernel unchanged.',
      whenNot:
        'Silent when the block size is a run-time value that nothing in sight fixes, when the kernel needs that shape (a shared array, an index or a template argument is tied to it), and for set-up kernels that do constant work in one thread. ' +
        'Idle lanes are a hint where nothing shows what they cost: in up to 32 blocks, or as many as a constant out of sight says, in a kernel that neither loops nor touches memory, and where the launch is reached with several blocks. ' +
        'Few blocks are an information where their number is written into the launch of a kernel with loops, or each thread has a thousand iterations; else a hint. ' +
        'The tail wave of a grid is not reported: how many blocks are resident depends on registers, which the text does not tell.',
      fix:
        'Where the kernel guards its index and the grid is a ceil-division by the same constant, the block size is rounded up to whole warps, 64 threads at least (safe: every element is still handled once). ' +
        'Where the kernel uses nothing of its block but the number of its thread in the grid, and ends its threads itself, the launch is written anew with blocks of 256, or of 16 × 16 in a plane (unsafe: the last block is filled up). ' +
        'A kernel whose blocks of one thread each take an element by the number of the block gets threads that do, 256 a block, in the kernel and at its launches (unsafe for the same reason).',
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
      'one-thread': 'One thread a block: 31 of 32 lanes are idle. Every warp of `{kernel}` has one thread at work.',
      'not-warps':
        '{threads} threads a block: {idle} of {lanes} lanes are idle. The block {shape} of `{kernel}` is no multiple of 32, and its last warp is not full.',
      small:
        '{threads} threads a block are too few. The limit of resident blocks of `{kernel}` is reached long before a multiprocessor is full.',
      large:
        '{threads} threads a block: fewer than {most} elements are fewer blocks than the {multiprocessors} multiprocessors of {gpu}. ' +
        'Each thread of `{kernel}` runs loops; smaller blocks spread the same threads over more multiprocessors.',
      'too-large':
        '{threads} threads a block: the launch fails. A block holds at most 1024, and `{kernel}` is launched with {shape}.',
      'small-grid':
        '{blocks} for {multiprocessors} multiprocessors: {resting} of them do nothing. `{kernel}` leaves that part of {gpu} idle.',
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
    // A single block is what the last stage of a reduction looks like, and what a set-up kernel looks like: only a grid that meant to be one is worth a word.
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
  if (fact.blockLiteral) related.push({ at: fact.blockLiteral.at, text: 'the size of the block stands here' });
  return related;
}

/** The block's literal where one edit of it is enough, else the launch itself with another block. */
function fixed(fact: LaunchFact, threads: number): Pick<Finding, 'fixes' | 'refusals'> {
  // Whoever tries several sizes does not want one instead.
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
