// cuda/uncoalesced-access: a global access whose lanes touch more 32-byte sectors than their bytes need.
import type { AccessFact, Refusal } from '../../../semantic/model';
import { defineRule, type Finding, type Fix } from '../../rule';
import { assuming, counted, excerpt, figure, ratioText } from '../../wording';

type Message =
  | 'stride'
  | 'unknown-stride'
  | 'chunk-per-thread'
  | 'row-per-thread'
  | 'slow-axis'
  | 'struct-field'
  | 'vector-type'
  | 'whole-struct'
  | 'narrow-block'
  | 'short-rows'
  | 'scattered'
  | 'gather';

/** No code spells out a distance like this: it follows from numbers that stand for unknown sizes. */
const farStride = 1 << 20;

export default defineRule<'access', Message>({
  meta: {
    id: 'cuda/uncoalesced-access',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'A global memory access whose lanes touch more 32-byte sectors than their bytes need.',
    docs: {
      what:
        'Global memory moves in sectors of 32 bytes. When the 32 lanes of a warp read neighbouring elements, a load of 4-byte elements needs 4 sectors; when they are far apart it needs up to 32, and most of every sector is thrown away. ' +
        'The rule evaluates the index for each lane of the warps of a block, with the block shape of the launches in sight, and reports an access that asks for at least 1.5 times the sectors that its bytes would fill. ' +
        "It names the pattern: a stride in the lane (`a[tid * k]`), a chunk per thread, a row per thread, the thread's x on the slow axis, a field of an array of structures, a vector type that moves in several instructions, a block narrower than a warp. " +
        'An index that is itself loaded from memory, or computed in floating point, and that differs between lanes is a *gather*: its cost depends on the data, so it is a hint with a range and never a figure.',
      why: 'The unused bytes take the same bandwidth as the used ones. An access with 8 times the ideal sectors runs at an eighth of the memory bandwidth unless caches catch the rest, and L1 lines that wait for a later iteration of a loop are often gone by then.',
      whenNot:
        'A stride of at most 48 bytes whose gaps other reads of the same thread use is a hint: L1 catches them; so are whole stores of at most 12 bytes a thread that no wider store replaces, and one component of a vector of two, whose layout libraries give. Records one behind the other (structures, or as many numbers) are a warning or a hint and nothing between: hints up to 48 bytes of which a thread moves half and more. ' +
        'Stores that leave nothing out where as much is moved beside them are an information; a run-time factor that would have to be 16 and more, or a stride by name that costs little if it is 1, is a hint, and so are lanes whose gaps other blocks fill (`t * gridDim.x + blockIdx.x`). ' +
        'A warning wastes at least 5 % of what its kernel moves, and 20 % together with the others of its kind; where a number out of sight decides, it is half of the kernel, and rows of unknown length, read or stored by one thread, are an information unless threads are counted by that number. What is less is an information or a hint, and so is what a kernel does that is named for setting up, what at most four blocks do, by the launches in sight, what a kernel does that moves less than a seventh of what the heaviest beside it moves, that only stores constants, that computes, or asks shared memory, for longer than all its sectors would take from DRAM, or whose name says that it builds, bakes, draws or checks something or works on a boundary, one place in each of many rows, and a structure of more than 128 bytes in a kernel that calls functions on it. ' +
        'Silent on accesses that are merely misaligned (a quarter more sectors at most for 4-byte elements), on broadcasts, on accesses that a few lanes make (the halo of a tile, one lane that stores a result), and wherever the pattern is unknown. ' +
        'Where the array is small enough to stay in L1 the extra sectors cost less than the figure says: look at the measured line before you rewrite it.',
      fix:
        'A loop over a chunk per thread whose iterations are independent becomes a grid-stride loop (safe). Exchanging the roles of x and y is offered in kernel and launches where every index of the kernel gains (unsafe: the y extent of a grid ends at 65535). ' +
        'Where each thread walks a row of its own, the row is given to a warp: its lanes walk it side by side, put their parts together by shuffles, and one of them writes; the launch asks for 32 times the threads (unsafe: floating-point sums are added in another order). Rows of the threads of a block go to its warps in turn, and the launch stays. ' +
        'A kernel that does nothing but carry values from rows to columns gets a padded tile in shared memory (unsafe: it takes that memory). ' +
        'A structure of 4, 8 or 16 bytes is aligned to its size, so that it moves in one instruction (unsafe: code out of sight has to see the same declaration). ' +
        'Where allocation, copies, launches and every use of an array of structures are in one file, its fields get arrays of their own on the GPU: the host keeps its structures, and parts and joins them as it copies (unsafe: copies take longer, and code out of sight has to know nothing of the array). ' +
        'Neighbouring stores of one thread, also those of a short loop, become one of 4, 8 or 16 bytes where the address is aligned at run time and all of them are made (safe: else they are made as before). ' +
        'By hand: let neighbouring threads read neighbouring elements, a structure of arrays instead of an array of structures, or stage the data through a shared tile.',
      references: [
        {
          title: 'CUDA C++ Best Practices Guide, Coalesced Access to Global Memory',
          url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#coalesced-access-to-global-memory',
        },
        {
          title: 'Nsight Compute, source metrics (L2 Theoretical Sectors Global)',
          url: 'https://docs.nvidia.com/nsight-compute/ProfilingGuide/index.html#source-metrics',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    messages: {
      stride:
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring threads are {stride} apart: {sectors} sectors where {ideal} would do{assuming}.',
      'unknown-stride':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring threads are {unknown} apart, which nothing in sight fixes: {sectors} sectors where {ideal} would do{assuming}.',
      'chunk-per-thread':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread walks a chunk of its own, so the lanes of a warp are a chunk apart: {sectors} sectors where {ideal} would do{assuming}. In a grid-stride loop neighbouring threads take neighbouring elements.',
      'row-per-thread':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread walks a row of its own, so the lanes of a warp are a row apart: {sectors} sectors where {ideal} would do{assuming}. Give a row to a warp, or store the array transposed.',
      'slow-axis':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. `threadIdx.x` runs along the slow axis, so neighbouring lanes are a row apart: {sectors} sectors where {ideal} would do{assuming}.',
      'struct-field':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread touches one field of its structure, {stride} from the next: {sectors} sectors where {ideal} would do{assuming}. A structure of arrays puts the fields side by side.',
      'vector-type':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. `{type}` moves in several {bytes}-byte instructions, each with its lanes {stride} apart: {sectors} sectors where {ideal} would do{assuming}. A type aligned to 8 or 16 bytes moves in one.',
      'whole-struct':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread moves a structure of its own, in several {bytes}-byte instructions whose lanes are {stride} apart: {sectors} sectors where {ideal} would do{assuming}. A structure of arrays puts the fields side by side.',
      'narrow-block':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. The block is narrower than a warp, so a warp spreads over several rows: {sectors} sectors where {ideal} would do{assuming}. A block at least 32 threads wide keeps a warp on one row.',
      'short-rows':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. The lanes of a warp touch several short pieces, a row apart: {sectors} sectors where {ideal} would do{assuming}.',
      scattered:
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring lanes do not touch neighbouring elements: {sectors} sectors where {ideal} would do{assuming}.',
      gather:
        'Gather from `{array}`: up to {most} sectors where {ideal} would do. The index `{index}` is {origin} and differs between lanes, so the data decide.',
    },
    example: {
      access: 'read of',
      array: 'input',
      type: 'float3',
      bytes: 4,
      sectors: '32',
      ideal: '4',
      ratio: '8.0×',
      stride: '32 bytes',
      unknown: '`pitch`',
      index: 'columns[j]',
      origin: 'loaded from memory',
      most: '32',
      share: ", 71 % of this kernel's traffic",
    },
    evidence: {
      metric: 'memory_l2_theoretical_sectors_global',
      against: 'memory_l2_theoretical_sectors_global_ideal',
      badWhen: 'metric / against >= 1.5',
      noneWhen: 'metric / against < 1.05',
    },
    options: {
      minimumRatio: {
        type: 'number',
        default: 1.5,
        description: 'The ratio of sectors to ideal sectors from which an access is reported.',
      },
      gathers: {
        type: 'boolean',
        default: true,
        description: 'Whether indices that depend on data are reported as hints.',
      },
    },
  },
  on: 'access',
  *check(fact, { options }) {
    if (fact.space !== 'global') return;
    if (fact.certainty === 'unknown' && !fact.gather) return;
    if (fact.gather) {
      if (options['gathers'] !== false) yield* gathered(fact, Number(options['minimumRatio']));
      return;
    }
    const { sectors, sectorsIdeal, cause } = fact;
    if (sectors === undefined || sectorsIdeal === undefined || sectorsIdeal <= 0) return;
    const ratio = sectors / sectorsIdeal;
    if (ratio < Number(options['minimumRatio']) || cause === 'misaligned' || cause === 'narrowed') return;
    // Side by side, and yet above the ideal: a branch leaves gaps between the active lanes, and is reported itself.
    if (fact.laneStride !== undefined && Math.abs(fact.laneStride) <= fact.elementBytes) return;
    const message = messageOf(fact);
    yield {
      at: fact.at,
      message,
      waste: { kind: 'access' },
      cause: 'distance',
      confidence: fact.assumed.length === 0 ? 'proven' : 'assumed',
      data: {
        array: excerpt(fact.array.name, 40),
        access: accessWords[fact.mode],
        type: fact.elementType,
        bytes: fact.elementBytes,
        sectors: figure(sectors),
        ideal: figure(sectorsIdeal),
        ratio: ratioText(ratio),
        stride: fact.laneStride === undefined ? 'several sectors' : counted(Math.abs(fact.laneStride), 'byte'),
        unknown:
          fact.unknownStride === undefined || fact.unknownStride === '?'
            ? 'an unknown distance'
            : `\`${excerpt(fact.unknownStride, 40)}\``,
        assuming: assuming(fact.assumed),
      },
      related: fact.trail,
      fixes: fixesOf(fact, message),
      refusals: refusalsOf(fact),
    };
  },
});

const accessWords = { load: 'read of', store: 'write to', atomic: 'atomic on' } as const;

function* gathered(fact: AccessFact, minimumRatio: number): Generator<Finding<Message>> {
  const gather = fact.gather!;
  const ideal = fact.sectorsIdeal ?? Math.max(1, Math.ceil((fact.activeLanes * fact.elementBytes) / 32));
  if (gather.sectorsAtMost / ideal < minimumRatio) return;
  const origin = {
    loaded: 'loaded from memory',
    'floating-point': 'computed in floating point',
    hash: 'spread by a hash',
  }[gather.reason];
  yield {
    at: fact.at,
    message: 'gather',
    waste: { kind: 'access' },
    confidence: 'assumed',
    data: {
      array: excerpt(fact.array.name, 40),
      index: excerpt(gather.text),
      origin,
      // A mean over warps and iterations of different masks; what one of them touches is a whole number.
      most: figure(Math.ceil(gather.sectorsAtMost)),
      ideal: figure(Math.ceil(ideal)),
    },
    related: [{ at: gather.at, text: `\`${excerpt(gather.text)}\` is ${origin}` }, ...fact.trail],
  };
}

/** Bytes that one instruction moves at most: a type that is larger takes several, however it is aligned. */
const widestInstruction = 16;

function messageOf(fact: AccessFact): Message {
  switch (fact.cause) {
    case 'chunk-per-thread':
      // Where a thread needs its own elements, for its sum say, the iterations cannot go to others: it is a row.
      return fact.mode === 'load' && !fact.chunk?.independent ? 'row-per-thread' : 'chunk-per-thread';
    case 'row-per-thread':
    case 'slow-axis':
    case 'struct-field':
    case 'narrow-block':
    case 'short-rows':
      return fact.cause;
    case 'vector-type':
      if (fact.laneStride === undefined) return 'scattered';
      return Math.abs(fact.laneStride) > widestInstruction ? 'whole-struct' : 'vector-type';
    case 'stride':
      return fact.unknownStride !== undefined
        ? 'unknown-stride'
        : fact.laneStride === undefined || Math.abs(fact.laneStride) >= farStride
          ? 'scattered'
          : 'stride';
    default:
      return 'scattered';
  }
}

function refusalsOf({ chunk, cause, refusals = [] }: AccessFact): Refusal[] {
  return [
    ...(chunk?.why && cause === 'chunk-per-thread'
      ? [{ family: 'grid-stride' as const, precondition: 'independent', why: chunk.why }]
      : []),
    // Said of the sum, by the rule that speaks of it.
    ...refusals.filter(({ family }) => family !== 'register-sums'),
  ];
}

/** What the model says of the access before and after: its lanes then lie side by side. */
function expected({ sectors, sectorsIdeal }: AccessFact): string {
  return sectors && sectorsIdeal ? `: ${ratioText(sectors / sectorsIdeal)} → 1.0× sectors` : '';
}

function fixesOf(fact: AccessFact, message: Message): Fix[] {
  const gain = expected(fact);
  const fixes: Fix[] = [];
  if (fact.chunk?.independent) {
    fixes.push({
      title: `Turn the loop over \`${fact.chunk.variable}\` into a grid-stride loop${gain}`,
      applicability: 'safe',
      edits: [{ at: fact.chunk.headerAt, newText: fact.chunk.newHeader }, ...(fact.chunk.otherEdits ?? [])],
    });
  }
  if (fact.swap)
    fixes.push({
      title: `Exchange the roles of x and y (${fact.swap.note})${gain}`,
      applicability: 'unsafe',
      edits: fact.swap.edits,
    });
  if (fact.wideStores) fixes.push({ ...fact.wideStores, applicability: 'safe' });
  // Where a thread uses most of its structure anyway, L1 has brought it.
  if (fact.structArrays && message === 'struct-field') fixes.push({ ...fact.structArrays, applicability: 'unsafe' });
  if (fact.alignedStruct) fixes.push({ ...fact.alignedStruct, applicability: 'unsafe' });
  for (const rewrite of [fact.transpose, fact.rowWarps])
    if (rewrite) fixes.push({ title: `${rewrite.title}${gain}`, applicability: 'unsafe', edits: rewrite.edits });
  return fixes;
}
