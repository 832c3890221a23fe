// acc/missing-data-region: a host loop brings the same arrays to the GPU and back on each of its iterations.
import { defineRule, type Finding, type Fix } from '../../rule';
import type { AccRepeatedTransferFact } from '../../../semantic/model';
import { bytesText, excerpt } from '../../wording';

type Message = 'in-loop' | 'through-calls';

export default defineRule<'acc-repeated-transfer', Message>({
  meta: {
    id: 'acc/missing-data-region',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'unsafe',
    summary:
      'A host loop copies the same arrays to the GPU and back on each iteration, because no data region keeps them there.',
    docs: {
      what:
        'Reports a host loop around compute constructs (in the loop itself, or in procedures in sight that it calls) that move arrays which the host leaves alone within the loop, ' +
        'when no data region, `enter data`, `declare` or `present` says that they are on the GPU already. Arrays that the host reads or writes in the loop are not counted. ' +
        'Where all extents are known the message says how many bytes travel each way on an iteration: the sum over all constructs, `up to` where a compiler may leave out the way back of what it copies by itself and is not written.',
      why: "A copy through PCI Express or even NVLink runs at a small part of the bandwidth of the GPU's memory. A sweep over an array takes less time than bringing it, and an iterative solver does thousands of sweeps.",
      whenNot:
        'Silent where a data region, `enter data`, `declare`, `present` or a call of the runtime library may keep the array on the GPU, also in a caller or in an allocating procedure, where another part of the array is moved on each iteration, and for small arrays. ' +
        'With managed or unified memory pages stay on the GPU by themselves: silent where `compile_commands.json`, a Makefile or a `CMakeLists.txt` beside the source, or in the folder above, says so (`-gpu=managed`, `-gpu=mem:unified`, `-ta=tesla:managed`). C pointers out of structures without a clause are taken to live there. ' +
        "An information where nothing but the compiler's own implicit copies in called procedures speaks for it.",
      fix:
        'A data region around the loop with the clauses that follow from what the loop does: `copyin` for what it only reads, `create` for local arrays that the host never looks at, `copy` for the rest. ' +
        'Unsafe: the host sees results only behind the loop. Offered where the extent of every array is known. For arrays that many procedures use, `enter data` where they are allocated and `present` where they are used serve better.',
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Optimize Data Locality',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/05-Data-Locality.html',
        },
      ],
    },
    messages: {
      'in-loop':
        '{arrays} {travel} between host and GPU on each iteration{amount}. The host does nothing with {them} in `{loop}`: `{advice}` around the loop keeps {them} on the GPU. (Managed memory would do so by itself.)',
      'through-calls':
        '{arrays} {travel} between host and GPU on each iteration{amount}. The procedures that `{loop}` calls move {them}, and the host does nothing with {them} there: `{advice}` around the loop keeps {them} on the GPU. (Managed memory would do so by itself.)',
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
    const fixes: Fix[] = fact.fix ? [{ title: fact.fix.title, applicability: 'unsafe', edits: fact.fix.edits }] : [];
    yield {
      at: fact.at,
      message: fact.through === 'calls' ? 'through-calls' : 'in-loop',
      confidence: 'assumed',
      ...(fact.through === 'calls' && !fact.stated ? { severity: 'information' } : {}),
      data: {
        arrays,
        travel: rest.length ? 'travel' : 'travels',
        amount: fact.bytes ? amountOf(fact.bytes) : '',
        them: rest.length ? 'them' : 'it',
        loop: excerpt(fact.loopText, 50),
        advice: excerpt(fact.advice, 160),
      },
      related: fact.regions.map((at) => ({ at, text: fact.through === 'calls' ? 'this call moves them' : 'here' })),
      fixes,
    };
  },
});

function amountOf({ toGpu, toHost, atMost }: NonNullable<AccRepeatedTransferFact['bytes']>): string {
  const there = toGpu > 0 ? [`${bytesText(toGpu)} there`] : [];
  const back = toHost > 0 ? [`${atMost ? 'up to ' : ''}${bytesText(toHost)} back`] : [];
  const all = [...there, ...back];
  return all.length ? `: ${all.join(', ')}` : '';
}
