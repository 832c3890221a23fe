// cuda/repeated-scan: each thread reads all data to find its part, where one pass would do.
import { defineRule } from '../../rule';
import { excerpt } from '../../wording';
import docs from './docs.json';

export default defineRule<'scan', 'scan' | 'same' | 'window'>({
  meta: {
    id: 'cuda/repeated-scan',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'no',
    needsGain: true,
    summary: 'Each thread goes over the same data: to find its part, or to compute what its neighbours compute.',
    docs,
    messages: {
      scan:
        'Each thread reads all of `{array}` for its part{figure}. Give each thread a part of `{array}` instead, ' +
        'and add what it finds to the bins by atomics in shared memory, or sort by the key first.',
      same:
        'All threads along x compute the same `{array}`. {lanes} lanes of a warp run one loop and store one ' +
        'value: share its iterations among them and combine their parts, or give each thread another element.',
      window:
        'Each thread adds up its whole window of `{array}` again. Add up its rows in one pass and columns of these ' +
        'sums in a second, or keep sums that move along: of k × k loads 2 × k are left.',
    },
    example: {
      lanes: 32,
      array: 'keys',
      figure: ': 256 × n reads instead of n',
    },
  },
  on: 'scan',
  *check(fact, { model }) {
    const launch = model.facts.launch.find(({ kernelName }) => fact.kernels.includes(kernelName));
    if (fact.form === 'same') {
      const store = model.facts.access.find(({ at, mode }) => mode === 'store' && at.start === fact.at.start);
      if (store?.laneStride !== 0 || store.activeLanes <= 1) return;
      yield {
        at: fact.at,
        message: 'same',
        waste: { kind: 'scan', loop: fact.loopAt, among: store.activeLanes },
        confidence: store.certainty === 'proven' ? 'proven' : 'assumed',
        data: { array: excerpt(fact.array), lanes: Math.round(store.activeLanes) },
        related: [{ at: fact.loopAt, text: 'nothing in this loop depends on the thread along x' }],
        atStake: [fact.loopAt],
      };
      return;
    }
    const [grid, block] = [launch?.gridExact && launch.grid, launch?.blockExact && launch.block].map((extent) =>
      extent ? (extent.x ?? NaN) * (extent.y ?? NaN) * (extent.z ?? NaN) : NaN,
    );
    const threads = grid! * block!;
    const figure = threads ? `: ${threads} × n reads instead of n` : '';
    const isWindow = fact.form === 'window';
    const text = isWindow
      ? 'neighbouring threads add up most of the same elements'
      : 'every thread runs all iterations of this loop';
    yield {
      at: fact.at,
      message: isWindow ? 'window' : 'scan',
      waste: { kind: 'scan', loop: fact.loopAt, ...(isWindow ? { passes: 2 } : {}) },
      confidence: 'proven',
      data: { array: fact.array, ...(isWindow ? {} : { figure }) },
      related: [{ at: fact.loopAt, text }],
      atStake: [fact.loopAt],
    };
  },
});
