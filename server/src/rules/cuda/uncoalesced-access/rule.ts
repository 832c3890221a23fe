// cuda/uncoalesced-access: a global access whose lanes touch more 32-byte sectors than their bytes need.
import type { AccessFact, Refusal } from '../../../semantic/model';
import { figureRange, ratioRange } from '../../../semantic/figures';
import { defineRule, type Finding, type Fix } from '../../rule';
import {
  assuming,
  counted,
  excerpt,
  figure,
  rangeText,
  ratioRangeText,
  ratioText,
  titleWith,
  withGain,
} from '../../wording';

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
        'Global memory moves in sectors of 32 bytes. A warp that reads neighbouring 4-byte elements needs ' +
        '4 sectors; far apart it needs up to 32 and discards most of each. The rule evaluates the index ' +
        'for each lane, with the block shape of the known launches, and reports an access with at least ' +
        '1.5 times the sectors that its bytes fill. It names the pattern: a stride in the lane (`a[tid * ' +
        "k]`), a chunk per thread, a row per thread, the thread's x on the slow axis, a field of an array " +
        'of structures, a vector type that moves in several instructions, a block narrower than a warp. An ' +
        'index that is loaded from memory or computed in floating point is a *gather*: its ' +
        'sectors are a range, never a figure.',
      why:
        'Unused bytes take the same bandwidth as used ones. An access with 8 times the ideal sectors runs ' +
        'at an eighth of the memory bandwidth unless caches hold the rest, and L1 lines needed by a later ' +
        'iteration are often evicted by then.',
      whenNot:
        'Silent for merely misaligned accesses (at most a quarter more sectors for 4-byte elements), ' +
        'broadcasts, accesses by a few lanes (the halo of a tile, one lane that stores a result), and ' +
        'unknown patterns. Where the array fits in L1 the cost is lower than the figure: check the measured ' +
        'line before a rewrite.',
      fix:
        'A loop over a chunk per thread becomes a grid-stride loop where iterations are independent ' +
        '(safe). Swaps x and y in kernel and launches where every index gains (unsafe: the y extent of a ' +
        "grid is at most 65535). Gives a thread's row to a warp, whose lanes read it side by side and " +
        'combine by shuffles; the launch asks for 32 times the threads, or the warps of a block share its ' +
        'rows (unsafe: changes rounding). A kernel that only moves values from rows to columns gets a ' +
        'padded tile in shared memory (unsafe: uses that memory). A structure of 4, 8 or 16 bytes is ' +
        'aligned to its size (unsafe: all code must see the same declaration). Where allocation, copies, ' +
        'launches and every use of an array of structures are in one file, its fields get separate arrays ' +
        'on the GPU (unsafe: copies take longer, and no other code may use the array). Neighbouring stores ' +
        'of a thread become one of 4, 8 or 16 bytes where the address is aligned at run time (safe). By ' +
        'hand: let neighbouring threads read neighbouring elements, use a structure of arrays, or stage ' +
        'the data through a shared tile.',
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
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring threads are {stride} apart: ' +
        '{sectors} sectors instead of {ideal}{assuming}.',
      'unknown-stride':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring threads are {unknown} apart ' +
        '(value unknown): {sectors} sectors instead of {ideal}{assuming}.',
      'chunk-per-thread':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread reads its own chunk, so the ' +
        'lanes of a warp are a chunk apart: {sectors} sectors instead of {ideal}{assuming}. In a ' +
        'grid-stride loop neighbouring threads take neighbouring elements.',
      'row-per-thread':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread walks its own row, so the ' +
        'lanes of a warp are a row apart: {sectors} sectors instead of {ideal}{assuming}. Give each row to ' +
        'a warp, or store the array transposed.',
      'slow-axis':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. `threadIdx.x` runs along the slow axis, ' +
        'so neighbouring lanes are a row apart: {sectors} sectors instead of {ideal}{assuming}.',
      'struct-field':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread touches one field of its ' +
        'structure, {stride} from the next: {sectors} sectors instead of {ideal}{assuming}. A structure of ' +
        'arrays makes the fields contiguous.',
      'vector-type':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. `{type}` moves in several {bytes}-byte ' +
        'instructions, each with its lanes {stride} apart: {sectors} sectors instead of {ideal}{assuming}. ' +
        'A type aligned to 8 or 16 bytes moves in one.',
      'whole-struct':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Each thread moves its own structure in ' +
        'several {bytes}-byte instructions whose lanes are {stride} apart: {sectors} sectors instead of ' +
        '{ideal}{assuming}. A structure of arrays makes the fields contiguous.',
      'narrow-block':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. The block is narrower than a warp, so a ' +
        'warp spans several rows: {sectors} sectors instead of {ideal}{assuming}. A block at least 32 ' +
        'threads wide keeps a warp on one row.',
      'short-rows':
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. The lanes of a warp touch several short ' +
        'pieces, a row apart: {sectors} sectors instead of {ideal}{assuming}.',
      scattered:
        'Uncoalesced {access} `{array}`: {ratio} sectors{share}. Neighbouring lanes do not touch ' +
        'neighbouring elements: {sectors} sectors instead of {ideal}{assuming}.',
      gather:
        'Gather from `{array}`: up to {most} sectors instead of {ideal}. The index `{index}` is {origin} ' +
        'and differs between lanes, so the cost depends on the data.',
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
    if (isFallback(fact)) return;
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
        sectors: rangeText(figureRange(fact)),
        ideal: figure(sectorsIdeal),
        ratio: ratioRangeText(ratioRange(fact)!),
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

/** Single stores for an address that is not aligned, or the end of the data, beside a wide store of the same values. */
function isFallback({ refusals = [], assumed }: AccessFact): boolean {
  return (
    assumed.some(({ kind }) => kind === 'reached') &&
    refusals.some(({ family, precondition }) => family === 'wide-stores' && precondition === 'fallback')
  );
}

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
      title: titleWith(fact.chunk.variable, (name) => `Make the loop over \`${name}\` grid-stride${gain}`),
      applicability: 'safe',
      edits: [{ at: fact.chunk.headerAt, newText: fact.chunk.newHeader }, ...(fact.chunk.otherEdits ?? [])],
    });
  }
  if (fact.swap)
    fixes.push({
      title: withGain(`Swap x and y (${fact.swap.note})`, gain),
      applicability: 'unsafe',
      edits: fact.swap.edits,
    });
  if (fact.wideStores) fixes.push({ ...fact.wideStores, applicability: 'safe' });
  // Where a thread uses most of its structure anyway, L1 has brought it.
  if (fact.structArrays && message === 'struct-field') fixes.push({ ...fact.structArrays, applicability: 'unsafe' });
  if (fact.alignedStruct) fixes.push({ ...fact.alignedStruct, applicability: 'unsafe' });
  for (const rewrite of [fact.transpose, fact.rowWarps])
    if (rewrite) fixes.push({ title: withGain(rewrite.title, gain), applicability: 'unsafe', edits: rewrite.edits });
  return fixes;
}
