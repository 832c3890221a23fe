// acc/uncoalesced-vector: vector lanes that run across the rows of their arrays (the columns in Fortran) instead of
// along them.
import { defineRule } from '../../rule';
import { excerpt, fixesOf } from '../../wording';

type Message = 'across' | 'row-per-lane';

export default defineRule<'acc-stride', Message>({
  meta: {
    id: 'acc/uncoalesced-vector',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A vector loop that does not run along its arrays: neighbouring lanes are far apart.',
    docs: {
      what:
        'Neighbouring vector lanes run neighbouring iterations of the vector loop. The last subscript is ' +
        "contiguous in C, the first in Fortran. The rule computes each access's stride over the vector " +
        'loop, also for linear forms such as `a[i * n + j]`, and reports a vector loop most of whose ' +
        'accesses are at least 8 elements apart while another loop of the nest runs along them.',
      why:
        'Memory moves in sectors of 32 bytes. Lanes a row apart each fetch a sector and use 4 or 8 bytes ' +
        'of it: up to 8 times the traffic of neighbours.',
      whenNot:
        'Silent where as many accesses run along the vector loop as across it (a transposition), for ' +
        'gathers, inner loops whose trip count differs between lanes, adjacent loops of up to 8 iterations ' +
        '(`a[3 * i + c]`), and where the compiler may map the loop otherwise.',
      fix:
        'Interchanges two tightly nested independent loops whose bounds do not depend on each other, and joins ' +
        'them with `collapse(2)` where too few iterations, or an unknown number, would be left for the gangs. ' +
        'With statements between them, moves the lanes to the outer loop, if it is long enough. Unsafe: ' +
        'rounding may change, and other devices may want other loops.',
      references: [
        {
          title: 'OpenACC Programming and Best Practices Guide, Optimize Loops',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/06-Loops.html',
        },
      ],
    },
    messages: {
      across:
        'Uncoalesced `{access}`: neighbouring lanes are {stride} apart. They run neighbouring ' +
        '`{loop}`, but the loop over `{better}` runs along the array ({count}).',
      'row-per-lane':
        'Uncoalesced `{access}`: neighbouring lanes are {stride} apart. Each runs the loop over ' +
        '`{better}` alone ({count}); with the lanes on `{better}` they would touch neighbours.',
    },
    example: {
      loop: 'row',
      better: 'column',
      access: 'a[row][column]',
      stride: '`n` elements',
      count: '1 of 2 accesses',
    },
    evidence: {
      metric: 'memory_l2_theoretical_sectors_global',
      against: 'memory_l2_theoretical_sectors_global_ideal',
      badWhen: 'metric / against >= 1.5',
      noneWhen: 'metric / against < 1.05',
    },
  },
  on: 'acc-stride',
  *check(fact) {
    const first = fact.strided[0];
    if (!first) return;
    // What counts are arrays that move, not how often a statement names one: after an interchange of a transposition
    // the other array is the strided one.
    const strided = new Set(fact.strided.map(({ array }) => array)).size;
    if (strided <= fact.contiguous) return;
    yield {
      at: fact.at,
      message: fact.better.inside ? 'row-per-lane' : 'across',
      waste: { kind: 'layout', now: {}, then: { lane: fact.better.at } },
      confidence: fact.origin === 'assumed' ? 'assumed' : 'proven',
      data: {
        loop: fact.variable,
        better: fact.better.variable,
        access: excerpt(first.text, 40),
        stride: first.stride.startsWith('a ')
          ? `${first.stride} of \`${first.array}\``
          : `${/^(many|\d+)$/.test(first.stride) ? first.stride : `\`${first.stride}\``} elements`,
        count: `${fact.strided.length} of ${fact.accesses} accesses`,
      },
      related: [
        { at: fact.better.at, text: `the loop over \`${fact.better.variable}\`` },
        ...fact.strided.map((access) => ({ at: access.at, text: `\`${excerpt(access.text, 40)}\` is strided` })),
      ],
      measuredAt: fact.strided.map((access) => access.at),
      fixes: fixesOf(fact.fix, 'unsafe'),
    };
  },
});
