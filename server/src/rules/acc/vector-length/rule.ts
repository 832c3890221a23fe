// acc/vector-length: vector loops whose trip count fills less than half of the vector, and lengths that are no whole
// warps.
import type { AccVectorLengthFact, AccVectorLoop } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { figure, fixesOf } from '../../wording';
import docs from './docs.json';
import words from './words.json';

type Message = keyof typeof words.messages;

const warp = 32;
const largestBlock = 1024;

export default defineRule<'acc-vector-length', Message>({
  meta: {
    id: 'acc/vector-length',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'both',
    summary: "A vector length far above the loop's trip count, not a multiple of 32, or above 1024.",
    docs,
    // Warps without an entry wait for the one that has them.
    evidence: {
      messages: ['idle-lanes'],
      metric: 'smsp__pcsamp_warps_issue_stalled_barrier',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.25 and against >= 20',
      noneWhen: 'metric / against < 0.1 and against >= 20',
    },
    ...words,
    options: {
      assumedVectorLength: {
        type: 'number',
        default: 128,
        description: 'The vector length that the compiler takes where no clause and no feedback says one.',
      },
      minimumIdle: {
        type: 'number',
        default: 0.5,
        description: 'The share of idle lanes from which a vector length is reported.',
      },
    },
  },
  on: 'acc-vector-length',
  *check(fact, { options }): Generator<Finding<Message>> {
    if (fact.rounded) {
      const { length, rounded } = fact;
      const lanes = Math.ceil(length / warp) * warp;
      yield {
        at: fact.at,
        message: length > largestBlock ? 'too-large' : 'not-warps',
        confidence: 'proven',
        ...(length > largestBlock
          ? {}
          : { waste: { kind: 'layout', now: { threads: lanes, useful: length }, then: { threads: lanes } } }),
        data: { length, lanes, idle: lanes - length },
        fixes: fixesOf(rounded.fix, 'safe'),
      };
      return;
    }
    const assumed = Number(options['assumedVectorLength']);
    const length = fact.origin === 'assumed' && fact.length === 128 ? assumed : fact.length;
    const longest = fact.loops.reduce<AccVectorLoop | undefined>(
      (a, b) => (!a || (b.trips?.atMost ?? 0) > (a.trips?.atMost ?? 0) ? b : a),
      undefined,
    );
    const trips = longest?.trips;
    if (
      fact.needed === undefined ||
      !trips ||
      fact.needed >= length ||
      1 - trips.atMost / length < Number(options['minimumIdle'])
    )
      return;
    yield {
      at: fact.at,
      message: 'idle-lanes',
      waste: {
        kind: 'layout',
        ...(fact.innerSequential
          ? { now: {}, then: { lane: longest.at } }
          : {
              now: { threads: length, useful: trips.atMost },
              then: { threads: fact.needed, useful: Math.min(fact.needed, trips.atMost) },
            }),
      },
      confidence: fact.origin === 'assumed' ? 'assumed' : 'proven',
      data: {
        loop: longest.variable,
        trips: `${trips.exact ? '' : 'At most '}${figure(trips.atMost)} iterations`,
        why: trips.why,
        needed: fact.needed,
        length,
        waste: wasteOf(fact, length, length - trips.atMost),
      },
      related: relatedOf(fact, longest),
      ...(fact.kernelAt ? { measuredAt: [fact.kernelAt] } : {}),
      fixes: fact.fixes.flatMap((fix) => fixesOf(fix)),
    };
  },
});

function wasteOf(fact: AccVectorLengthFact, length: number, idle: number): string {
  if (fact.innerSequential)
    return `the compiler gave the ${length} lanes to the loop around it, and each walks this one by itself`;
  const source = {
    written: '',
    assumed: `, assuming ${length}, the default of nvc`,
    feedback: ', as the compiler says',
  }[fact.origin];
  return `${idle} of ${length} vector lanes have nothing to do${source}`;
}

function relatedOf(fact: AccVectorLengthFact, longest: AccVectorLoop): NonNullable<Finding['related']> {
  return [
    ...(longest.at.start === fact.at.start
      ? []
      : [{ at: longest.at, text: `the loop over \`${longest.variable}\` runs on these lanes` }]),
    ...(longest.trips?.at
      ? [{ at: longest.trips.at, text: `at most ${longest.trips.atMost} iterations, because ${longest.trips.why}` }]
      : []),
  ];
}
