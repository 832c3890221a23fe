// acc/missing-data-region: a host loop brings the same arrays to the GPU and back on each of its iterations.
import { defineRule, type Finding } from '../../rule';
import type { AccRepeatedTransferFact } from '../../../semantic/model';
import { bytesText, excerpt, listExcerpt, fixesOf } from '../../wording';

type Message = 'in-loop' | 'through-calls';

export default defineRule<'acc-repeated-transfer', Message>({
  meta: {
    id: 'acc/missing-data-region',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'unsafe',
    summary:
      'A host loop copies the same arrays to the GPU and back on each iteration; no data region keeps ' + 'them there.',
    docs: {
      what:
        'Reports a host loop around compute constructs (in the loop, or in functions it calls) that move ' +
        'arrays which the host does not use within the loop, when no data region, `enter data`, `declare` ' +
        'or `present` keeps them on the GPU. Where all extents are known the message says how many bytes ' +
        'move each way per iteration, `up to` where a compiler may omit the way back of an implicit copy.',
      why:
        'PCI Express and NVLink have a small part of the bandwidth of GPU memory: one sweep over an array ' +
        'takes less time than moving it, and an iterative solver does thousands of sweeps.',
      whenNot:
        'Silent where a data region, `enter data`, `declare`, `present` (of another construct too) or a runtime ' +
        'call may keep the ' +
        'array on the GPU, also in a caller or an allocating procedure; where each iteration moves another ' +
        'part of the array; for small arrays; and with managed or unified memory, as ' +
        '`compile_commands.json`, a Makefile, a `CMakeLists.txt` here or above, or a shell script beside it shows ' +
        '(`-gpu=managed`, `-gpu=mem:unified`, `-ta=tesla:managed`). C pointers from structures without a ' +
        'clause are assumed to be there.',
      fix:
        'Adds a data region around the loop: `copyin` for arrays that the loop only reads, also for local ' +
        'arrays that its first iteration reads and the host never uses, `create` for other such arrays, ' +
        '`copy` for the rest. Unsafe: the host sees results only after the loop. Offered where the extent of ' +
        'every array is known. For arrays that many procedures use, `enter data` at the allocation and ' +
        '`present` at each use are better.',
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Optimize Data Locality',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/05-Data-Locality.html',
        },
      ],
    },
    messages: {
      'in-loop':
        'Transfer on each iteration: {arrays}{amount}. The host does not use {them} in `{loop}`. Put ' +
        '`{advice}` around the loop to keep {them} on the GPU (managed memory does so by itself).',
      'through-calls':
        'Transfer on each iteration: {arrays}{amount}. The procedures that `{loop}` calls move {them}, and ' +
        'the host does not use {them} there. Put `{advice}` around the loop to keep {them} on the GPU ' +
        '(managed memory does so by itself).',
    },
    example: {
      arrays: '`a` and `b`',
      travel: 'travel',
      amount: ': 8.0 MiB there, up to 8.0 MiB back',
      them: 'them',
      loop: 'for (int step = 0; step < steps; step++)',
      advice: 'data copy(a[0:n], b[0:n])',
    },
  },
  on: 'acc-repeated-transfer',
  *check(fact): Generator<Finding<Message>> {
    const [first, ...rest] = fact.arrays;
    const arrays =
      rest.length === 0
        ? `\`${first}\``
        : rest.length > 4
          ? `\`${first}\` and ${rest.length} other arrays`
          : `${[first, ...rest.slice(0, -1)].map((name) => `\`${name}\``).join(', ')} and \`${rest.at(-1)}\``;
    yield {
      at: fact.at,
      message: fact.through === 'calls' ? 'through-calls' : 'in-loop',
      confidence: 'assumed',
      waste: {
        kind: 'transfer',
        arrays: fact.names,
        at: fact.constructs,
        ways: [fact.ways, 0],
        maybe: fact.through === 'calls' && !fact.stated,
        ...(fact.bytes ? { bytes: (fact.bytes.toGpu + fact.bytes.toHost) / fact.ways } : {}),
      },
      data: {
        arrays,
        travel: rest.length ? 'travel' : 'travels',
        amount: fact.bytes ? amountOf(fact.bytes) : '',
        them: rest.length ? 'them' : 'it',
        loop: excerpt(fact.loopText, 50),
        advice: listExcerpt(fact.advice, 160),
      },
      related: [
        ...fact.regions.map((at) => ({ at, text: fact.through === 'calls' ? 'this call moves them' : 'here' })),
        ...(fact.advice.length > 160 ? [{ at: fact.at, text: `the whole directive: ${fact.advice}` }] : []),
      ],
      fixes: fixesOf(fact.fix, 'unsafe'),
    };
  },
});

function amountOf({ toGpu, toHost, atMost }: NonNullable<AccRepeatedTransferFact['bytes']>): string {
  const there = toGpu > 0 ? [`${bytesText(toGpu)} there`] : [];
  const back = toHost > 0 ? [`${atMost ? 'up to ' : ''}${bytesText(toHost)} back`] : [];
  const all = [...there, ...back];
  return all.length ? `: ${all.join(', ')}` : '';
}
