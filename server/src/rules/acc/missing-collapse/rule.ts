// acc/missing-collapse: tightly nested independent loops of which the outer one alone has too few turns to fill the GPU.
import { defineRule } from '../../rule';

export default defineRule<'acc-collapse', 'small-outer'>({
  meta: {
    id: 'acc/missing-collapse',
    since: '0.1.0',
    family: 'acc',
    severity: 'information',
    fixable: 'both',
    summary: 'Tightly nested independent loops whose outer one has fewer turns than the GPU has multiprocessors.',
    docs: {
      what:
        'Gangs share the turns of the loop they are on. Where its trip count is known to be below the number of multiprocessors of the chosen GPU, some of them get no gang at all. ' +
        'The rule reports such a loop if the loops tightly nested in it are independent and their bounds do not hang on it, so that `collapse(n)` can join them into one.',
      why: 'A loop of 16 turns on gangs uses 16 of the 132 multiprocessors of an H200.',
      whenNot:
        'Silent where the outer trip count is not known, where statements stand between the loops, where an inner loop is marked `seq`, carries a sum or cannot be proven independent, where `num_gangs`, `collapse` or `tile` is written, and on undirected loops of `kernels` constructs, which nvc tiles by itself.',
      fix: '`collapse(n)` on the outer loop; an inner `loop` directive that says no more than levels is taken out. The joined loop keeps the innermost loop on neighbouring lanes.',
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Optimize Loops',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/06-Loops.html',
        },
      ],
    },
    messages: {
      'small-outer':
        'The loop over `{loop}` takes {trips}, because {why}, and {gpu} has {multiprocessors} multiprocessors; collapse({count}) shares out the loop over {inner} as well.',
    },
  },
  on: 'acc-collapse',
  *check(fact, { gpu }) {
    yield {
      at: fact.at,
      message: 'small-outer',
      confidence: 'proven',
      data: {
        loop: fact.variable,
        trips: `${fact.trips.exact ? '' : 'at most '}${fact.trips.atMost} turns`,
        why: fact.trips.why,
        gpu: gpu.name,
        multiprocessors: gpu.multiprocessors,
        count: fact.count,
        inner: fact.inner.map((name) => `\`${name}\``).join(' and '),
      },
      related:
        fact.trips.at && fact.trips.at.start !== fact.at.start
          ? [{ at: fact.trips.at, text: `at most ${fact.trips.atMost} turns, because ${fact.trips.why}` }]
          : [],
      fixes: fact.fix
        ? [{ title: fact.fix.title, applicability: fact.fix.safe ? 'safe' : 'unsafe', edits: fact.fix.edits }]
        : [],
    };
  },
});
