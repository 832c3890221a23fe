// cuda/bank-conflict: a shared access whose lanes meet in the banks.
import type { AccessFact } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { assuming, counted, excerpt, figure, ratioText } from '../../wording';

type Message = 'column' | 'stride' | 'wide' | 'other';

export default defineRule<'access', Message>({
  meta: {
    id: 'cuda/bank-conflict',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'A shared memory access whose lanes fall on the same banks and are served one after another.',
    docs: {
      what:
        "Shared memory has 32 banks, each four bytes wide; a warp's access is served in one wavefront when no bank holds two different words of it. " +
        'The rule evaluates the index for each lane and counts the most words that fall on one bank: a column of an unpadded tile, a stride that shares a factor with 32, 8- and 16-byte accesses (which are served by half and quarter warps) whose lanes are not side by side. ' +
        'An access of at least 1.5 times the ideal wavefronts is reported, with both figures. Where a stride changes in a loop the figures are the means over its iterations.',
      why: 'An n-way conflict takes the pipe n times as long; kernels that stage tiles through shared memory are often bound by it (short scoreboard and MIO throttle stalls on the line).',
      whenNot:
        'Silent on padded tiles, on broadcasts (lanes that read one word), on swizzled indices that are free of conflicts, on indices and strides that only data or run time know, on 8- and 16-byte accesses that fill their wavefronts, on reads whose loop goes on by one element an iteration where the 16 bytes that the unrolled loop reads at once meet nothing, and on accesses that a few lanes make. ' +
        'A conflict in code that runs once per block, outside every loop, is seldom worth a change. ' +
        'A warning wastes at least 5 % of the cycles that its kernel spends on memory, shared and global together, and a fifth with the others of its kind; where nothing in sight says how large the type is, it is a hint.',
      fix:
        'Where every use of the array is by subscript, another layout of it is looked for by running all its accesses under it: longer rows (safe; it costs shared memory), a gap after every so many elements of an array of one dimension, or columns that are exchanged from row to row (`tile[y][x ^ y % 32]`, safe, no more memory). ' +
        'Pieces that are read through wider types stay together and aligned. A layout is offered that leaves at most half of the conflict and makes no other access worse. Where the launch gives the array its bytes it is asked for more (unsafe). ' +
        'By hand: change which lane takes which element.',
      references: [
        {
          title: 'CUDA C++ Best Practices Guide, Shared Memory and Memory Banks',
          url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#shared-memory-and-memory-banks',
        },
        {
          title: 'Using Shared Memory in CUDA C/C++',
          url: 'https://developer.nvidia.com/blog/using-shared-memory-cuda-cc/',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    messages: {
      column:
        '{ways} bank conflict on `{array}`: {ratio} wavefronts{share}. The lanes walk down a column whose rows all start in the same banks: {wavefronts} wavefronts where {ideal} would do{assuming}.',
      stride:
        '{ways} bank conflict on `{array}`: {ratio} wavefronts{share}. Neighbouring lanes are {stride} apart: {wavefronts} wavefronts where {ideal} would do{assuming}.',
      wide: '{ways} bank conflict on `{array}`: {ratio} wavefronts{share}. The lanes of {bytes}-byte accesses are not side by side: {wavefronts} wavefronts where {ideal} would do{assuming}.',
      other:
        '{ways} bank conflict on `{array}`: {ratio} wavefronts{share}. {wavefronts} wavefronts where {ideal} would do{assuming}.',
    },
    example: {
      array: 'tile',
      ways: '32-way',
      wavefronts: '32',
      ideal: '1',
      ratio: '32.0×',
      stride: '128 bytes',
      bytes: 16,
      share: ", 40 % of this kernel's shared-memory traffic",
    },
    evidence: {
      metric: 'memory_l1_wavefronts_shared',
      against: 'memory_l1_wavefronts_shared_ideal',
      badWhen: 'metric / against >= 1.5',
      noneWhen: 'metric / against < 1.05',
    },
    options: {
      minimumRatio: {
        type: 'number',
        default: 1.5,
        description: 'The ratio of wavefronts to ideal wavefronts from which an access is reported.',
      },
    },
  },
  on: 'access',
  *check(fact, { options }) {
    if (fact.space !== 'shared' || fact.gather) return;
    const { wavefronts, wavefrontsIdeal } = fact;
    if (wavefronts === undefined || wavefrontsIdeal === undefined || wavefrontsIdeal <= 0) return;
    const ratio = wavefronts / wavefrontsIdeal;
    // Half and quarter warps are served one after another, however few of their lanes are active.
    if (wavefronts <= fact.elementBytes / 4) return;
    if (ratio < Number(options['minimumRatio'])) return;
    if (isReadAtOnce(fact)) return;
    yield {
      at: fact.at,
      message:
        fact.cause === 'bank-column'
          ? 'column'
          : fact.cause === 'bank-stride' && Math.abs(fact.laneStride ?? Infinity) < farStride
            ? 'stride'
            : fact.cause === 'bank-wide'
              ? 'wide'
              : 'other',
      waste: { kind: 'access' },
      confidence: fact.assumed.length === 0 ? 'proven' : 'assumed',
      data: {
        array: excerpt(fact.array.name, 40),
        bytes: fact.elementBytes,
        ways: waysOf(fact, ratio),
        wavefronts: figure(wavefronts),
        ideal: figure(wavefrontsIdeal),
        ratio: ratioText(ratio),
        stride: counted(Math.abs(fact.laneStride ?? 0), 'byte'),
        assuming: assuming(fact.assumed),
      },
      related: fact.trail,
      ...laidOut(fact, ratio),
    };
  },
});

/** The loop is unrolled, and the reads of four iterations are one of 16 bytes, whose quarter warps do not meet. */
function isReadAtOnce({ unrolledRatio }: AccessFact): boolean {
  return unrolledRatio !== undefined && unrolledRatio < 1.5;
}

/** No two places in shared memory are so far apart: it follows from numbers that stand for unknown sizes. */
const farStride = 1 << 18;

/** The conflict of the worst warp, where the mean over warps is none that any of them sees. */
function waysOf({ worst, wavefrontsIdeal }: AccessFact, ratio: number): string {
  const most = (worst ?? 0) / Math.max(1, Math.round(wavefrontsIdeal ?? 1));
  const ways = Math.ceil(Math.max(most, ratio) - 0.05);
  return ways > ratio + 0.05 ? `Up to ${ways}-way` : `${figure(ways)}-way`;
}

/** Another layout of the array, where one has at most half of the conflict. */
function laidOut({ tile, refusals }: AccessFact, ratio: number): Pick<Finding, 'fixes' | 'refusals'> {
  if (!tile) return refusals ? { refusals: refusals.filter(({ family }) => family !== 'register-sums') } : {};
  const gain = `${ratioText(tile.before)} → ${ratioText(tile.after)} wavefronts`;
  // The mean over warps and iterations is not what one warp sees.
  const ofOne = Math.abs(tile.before - ratio) > 0.05 ? ' in the fullest warp' : '';
  return {
    fixes: [
      { title: `${tile.title}: ${gain}${ofOne}`, applicability: tile.safe ? 'safe' : 'unsafe', edits: tile.edits },
    ],
  };
}
