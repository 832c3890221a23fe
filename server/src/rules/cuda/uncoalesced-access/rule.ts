// cuda/uncoalesced-access: a global access whose lanes touch more 32-byte sectors than their bytes need.
import type { AccessFact } from '../../../semantic/model';
import { figureRange, idealOfMost, idealRange, isMasked, ratioRange } from '../../../semantic/figures';
import { defineRule, type Finding } from '../../rule';
import { assuming, counted, excerpt, figure, rangeText, ratioRangeText } from '../../wording';
import { fixesOf, refusalsOf } from './fixes';
import { isFallback, messageOf } from './pattern';
import docs from './docs.json';
import { type Message, messages } from './words';

export default defineRule<'access', Message>({
  meta: {
    id: 'cuda/uncoalesced-access',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'A global memory access whose lanes touch more 32-byte sectors than their bytes need.',
    docs,
    messages,
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
      origin: 'set by data in memory',
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
    // Atomics at few addresses wait for one another, wherever these lie (cuda/atomic-contention).
    if (fact.mode === 'atomic' && fact.places !== undefined) return;
    if (fact.certainty === 'unknown' && !fact.gather) return;
    if (fact.gather) {
      if (options['gathers'] !== false) yield* gathered(fact, Number(options['minimumRatio']));
      return;
    }
    const { sectors, sectorsIdeal, cause } = fact;
    if (sectors === undefined || sectorsIdeal === undefined || sectorsIdeal <= 0) return;
    const range = ratioRange(fact)!;
    const minimum = Number(options['minimumRatio']);
    const isSideBySide = fact.laneStride !== undefined && Math.abs(fact.laneStride) <= fact.elementBytes;
    const isBySelf = sectors / sectorsIdeal >= minimum && cause !== 'misaligned' && !isSideBySide;
    // Side by side, and yet above the ideal: a branch leaves gaps between the active lanes, and is reported itself.
    if (cause === 'narrowed' || (!isBySelf && !(isMasked(fact) && range[1] >= minimum)) || isFallback(fact)) return;
    const message = isBySelf ? messageOf(fact) : 'masked';
    yield {
      at: fact.at,
      message,
      waste: { kind: 'access' },
      cause: isBySelf ? 'distance' : 'mask',
      confidence: fact.assumed.length === 0 ? 'proven' : 'assumed',
      data: {
        array: excerpt(fact.array.name, 40),
        access: accessWords[fact.mode],
        type: fact.elementType,
        bytes: fact.elementBytes,
        sectors: isBySelf ? rangeText(figureRange(fact)) : figure(Math.ceil(figureRange(fact)[1])),
        ideal: isBySelf ? rangeText(idealRange(fact)) : figure(Math.ceil(idealOfMost(fact))),
        ratio: ratioRangeText(range),
        stride: fact.laneStride === undefined ? 'several sectors' : counted(Math.abs(fact.laneStride), 'byte'),
        unknown:
          fact.unknownStride === undefined || fact.unknownStride === '?'
            ? 'an unknown distance'
            : `\`${excerpt(fact.unknownStride, 40)}\``,
        assuming: assuming(isBySelf ? fact.assumed : fact.assumed.filter(({ kind }) => kind !== 'by-data')),
      },
      related: fact.trail,
      ...(isBySelf ? { fixes: fixesOf(fact, message), refusals: refusalsOf(fact) } : {}),
    };
  },
});

const accessWords = { load: 'read of', store: 'write to', atomic: 'atomic on' } as const;

function* gathered(fact: AccessFact, minimumRatio: number): Generator<Finding<Message>> {
  const gather = fact.gather!;
  const ideal = fact.sectorsIdeal ?? Math.max(1, Math.ceil((fact.activeLanes * fact.elementBytes) / 32));
  if (gather.sectorsAtMost / ideal < minimumRatio) return;
  const origin = {
    loaded: 'set by data in memory',
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
      access: accessWords[fact.mode],
      index: excerpt(gather.text),
      origin,
      // A mean over warps and iterations of different masks; what one of them touches is a whole number.
      most: figure(Math.ceil(gather.sectorsAtMost)),
      ideal: figure(Math.ceil(ideal)),
    },
    related: [{ at: gather.at, text: `\`${excerpt(gather.text)}\` is ${origin}` }, ...fact.trail],
  };
}
