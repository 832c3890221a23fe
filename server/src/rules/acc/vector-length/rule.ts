// acc/vector-length: vector loops whose trip count fills less than half of the vector, and lengths that are no whole
// warps.
import type { AccVectorLengthFact, AccVectorLoop } from '../../../semantic/model';
import { defineRule, type Finding, type Fix } from '../../rule';
import { figure } from '../../wording';

type Message = 'idle-lanes' | 'not-warps' | 'too-large';

const warp = 32;
const largestBlock = 1024;

export default defineRule<'acc-vector-length', Message>({
  meta: {
    id: 'acc/vector-length',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'safe',
    summary: "A vector length far above the loop's trip count, not a multiple of 32, or above 1024.",
    docs: {
      what:
        'By default nvc and nvfortran run a vector loop on 128 lanes; `vector_length(n)` on a parallel ' +
        'construct and `vector(n)` on a loop of a kernels construct change that. The rule compares the ' +
        'length with a bound on the trip count: constants, `min` in the bounds, array extents, row lengths ' +
        'of a compressed matrix (from the code that fills the row offsets), or a comment `// warplens: ' +
        'trip <= 27` above the loop. Compiler feedback, if present, replaces the assumed length.',
      why:
        "A gang's lanes are occupied until its longest one ends. With rows of 27 entries 101 of 128 lanes " +
        'do nothing: on an H200 the sparse product of a conjugate-gradient solver took 48.6 ms on 128 ' +
        'lanes and 2.47 ms on 32 (GCC 12 with offloading).',
      whenNot:
        'Silent where no bound is known, where another vector loop of the kernel needs the longer vector, ' +
        'where one loop has gangs and lanes, where workers share the vector loop, and where the trip count ' +
        "is a constant in the loop's bounds: the compiler then chooses the length.",
      fix:
        'Sets the smallest multiple of 32 that holds the trip count: `vector_length(32)` on a parallel ' +
        'construct (adding `vector` to the loop), `loop vector(32)` in a kernels construct. A second fix ' +
        'limits it to `device_type(nvidia)`; it comes first in files for several devices. Results change ' +
        'only by the order of floating-point sums.',
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Optimize Loops',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/06-Loops.html',
        },
        {
          title: 'OpenACC 3.3, 2.9 Loop Construct',
          url: 'https://www.openacc.org/sites/default/files/inline-images/Specification/OpenACC-3.3-final.pdf',
        },
      ],
    },
    // Warps without an entry wait for the one that has them.
    evidence: {
      messages: ['idle-lanes'],
      metric: 'smsp__pcsamp_warps_issue_stalled_barrier',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.25 and against >= 20',
      noneWhen: 'metric / against < 0.1 and against >= 20',
    },
    messages: {
      'idle-lanes':
        '{trips} for {length} vector lanes: {needed} would do. The loop over `{loop}` is that short ' +
        'because {why}: {waste}.',
      'not-warps':
        'Vector length {length} is not a multiple of 32. {idle} of {lanes} lanes are idle, and GCC runs 32 ' +
        'instead.',
      'too-large': 'Vector length {length} exceeds 1024, the most threads of a gang. An NVIDIA GPU cannot launch it.',
    },
    example: {
      loop: 'entry',
      trips: 'At most 27 iterations',
      why: '`rows` grows by at most 27',
      needed: 32,
      length: 128,
      waste: '101 of 128 vector lanes have nothing to do',
      lanes: 128,
      idle: 28,
    },
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
        data: { length, lanes, idle: lanes - length },
        fixes: [{ title: rounded.fix.title, applicability: 'safe', edits: rounded.fix.edits }],
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
      fixes: fact.fixes.map((fix): Fix => ({ title: fix.title, applicability: 'safe', edits: fix.edits })),
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
