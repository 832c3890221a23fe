// cuda/bank-conflict: a shared access whose lanes meet in the banks.
import type { AccessFact } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { figureRange, idealRange, ratioRange } from '../../../semantic/figures';
import { assuming, counted, excerpt, figure, rangeText, ratioRangeText, ratioText, withGain } from '../../wording';
import docs from './docs.json';

type Message = 'column' | 'stride' | 'unknown-stride' | 'wide' | 'other';

const byCause: { [cause: string]: Message } = { 'bank-column': 'column', 'bank-stride': 'stride', 'bank-wide': 'wide' };

export default defineRule<'access', Message>({
  meta: {
    id: 'cuda/bank-conflict',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'Lanes access different words of the same shared memory banks and are served one after another.',
    docs,
    messages: {
      column:
        '{ways} bank conflict on `{array}`: {ratio} wavefronts{share}. The lanes read down a column whose ' +
        'rows start in the same banks: {wavefronts} wavefronts instead of {ideal}{assuming}.',
      stride:
        '{ways} bank conflict on `{array}`: {ratio} wavefronts{share}. Neighbouring lanes are {stride} ' +
        'apart: {wavefronts} wavefronts instead of {ideal}{assuming}.',
      'unknown-stride':
        'Possible bank conflict on `{array}`: {ratio} wavefronts{share}. The distance between lanes depends ' +
        'on {unknown} (value unknown): {wavefronts} wavefronts instead of {ideal}{assuming}.',
      wide:
        '{ways} bank conflict on `{array}`: {ratio} wavefronts{share}. The lanes of {bytes}-byte accesses ' +
        'are not contiguous: {wavefronts} wavefronts instead of {ideal}{assuming}.',
      other:
        '{ways} bank conflict on `{array}`: {ratio} wavefronts{share}. The access takes {wavefronts} ' +
        'wavefronts instead of {ideal}{assuming}.',
    },
    example: {
      array: 'tile',
      ways: '32-way',
      wavefronts: '32',
      ideal: '1',
      ratio: '32.0×',
      stride: '128 bytes',
      unknown: '`pitch`',
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
    yield {
      at: fact.at,
      message: fact.unknownStride !== undefined ? 'unknown-stride' : (byCause[fact.cause ?? ''] ?? 'other'),
      waste: { kind: 'access' },
      confidence: fact.assumed.length === 0 ? 'proven' : 'assumed',
      data: {
        array: excerpt(fact.array.name, 40),
        bytes: fact.elementBytes,
        ways: waysOf(fact, ratio),
        wavefronts: rangeText(figureRange(fact)),
        ideal: rangeText(idealRange(fact)),
        ratio: ratioRangeText(ratioRange(fact)!),
        unknown: fact.unknownStride === '?' ? 'an unknown factor' : `\`${excerpt(fact.unknownStride ?? '', 40)}\``,
        stride: counted(Math.abs(fact.laneStride ?? 0), 'byte'),
        assuming: assuming(fact.assumed),
      },
      related: fact.trail,
      ...laidOut(fact, ratio),
    };
  },
});

/** The conflict of the worst warp, where the mean over warps is none that any of them sees, or it may be less. */
function waysOf(fact: AccessFact, ratio: number): string {
  const most = (fact.worst ?? 0) / Math.max(1, Math.round(fact.wavefrontsIdeal ?? 1));
  const ways = Math.ceil(Math.max(most, ratio) - 0.05);
  return ways > ratioRange(fact)![0] + 0.05 ? `Up to ${ways}-way` : `${figure(ways)}-way`;
}

/** Another layout of the array, where one has at most half of the conflict. */
function laidOut({ fixes, refusals }: AccessFact, ratio: number): Pick<Finding, 'fixes' | 'refusals'> {
  const tile = fixes?.['tile-layout'];
  if (!tile) return refusals ? { refusals: refusals.filter(({ family }) => family !== 'register-sums') } : {};
  // The finding's ratio is a mean over warps and iterations, the layout's that of the worst warp.
  const unit = Math.abs(tile.before - ratio) > 0.05 ? 'in the worst warp' : 'wavefronts';
  const gain = `: ${ratioText(tile.before)} → ${ratioText(tile.after)} ${unit}`;
  const [title, applicability] = [withGain(tile.title, gain), tile.safe ? 'safe' : 'unsafe'] as const;
  return { fixes: [{ title, applicability, edits: tile.edits, ...(tile.safe && { proof: 'run' }) }] };
}
