// cuda/constant-divergent: constant memory that the lanes of a warp read at different places.
import type { AccessFact } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { assuming, figure, titleWith } from '../../wording';
import docs from './docs.json';

export default defineRule<'access', 'divergent'>({
  meta: {
    id: 'cuda/constant-divergent',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A `__constant__` array whose index differs between the lanes of a warp.',
    docs,
    evidence: {
      metric:
        'smsp__pcsamp_warps_issue_stalled_mio_throttle + smsp__pcsamp_warps_issue_stalled_short_scoreboard + ' +
        'smsp__pcsamp_warps_issue_stalled_imc_miss',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.5 and against >= 20',
      noneWhen: 'metric / against < 0.1 and against >= 20',
    },
    messages: {
      divergent:
        'A warp reads {places} places of constant `{array}`. The constant cache serves one place at a ' +
        'time{loop}. Global memory, which L1 serves by lane, is faster here{assuming}.',
    },
    example: { array: 'table', places: '32' },
  },
  on: 'access',
  *check(fact, { model }): Generator<Finding<'divergent'>> {
    // No more places than the array has elements, whatever the lanes' numbers are.
    const elements = fact.array.bytes === undefined ? undefined : Math.floor(fact.array.bytes / fact.elementBytes);
    const places = Math.min(fact.addresses ?? 0, elements ?? Infinity);
    if (fact.space !== 'constant' || places < 2 || fact.certainty === 'unknown') return;
    const isLooped = fact.loops.length > 0;
    yield {
      at: fact.at,
      message: 'divergent',
      waste: { kind: 'access' },
      data: {
        array: fact.array.name,
        places: figure(places),
        loop: isLooped ? ' on each iteration of a loop' : '',
        assuming: assuming(fact.assumed),
      },
      related: fact.trail,
      confidence: fact.certainty === 'proven' ? 'proven' : 'assumed',
      fixes:
        fact.constantAt && isDivergentEverywhere(fact, model.facts.access)
          ? [
              {
                title: titleWith(fact.array.name, (name) => `Move \`${name}\` to global memory (\`__device__\`)`),
                applicability: 'unsafe',
                edits: [{ at: fact.constantAt, newText: '__device__' }],
              },
            ]
          : [],
    };
  },
});

function isDivergentEverywhere({ constantAt }: AccessFact, accesses: readonly AccessFact[]): boolean {
  return accesses.every(
    (other) =>
      other.constantAt?.uri !== constantAt!.uri ||
      other.constantAt.start !== constantAt!.start ||
      (other.addresses ?? 0) >= 2,
  );
}
