// cuda/atomic-contention: atomic additions of a whole warp to one place, which take their turns.
import { atomicsOfIteration } from '../../../semantic/figures';
import type { AccessFact } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { assuming, figure } from '../../wording';
import docs from './docs.json';

type Message = 'global' | 'shared' | 'few' | 'counter' | 'own' | 'own-in-loop' | 'repeated';

export default defineRule<'access', Message>({
  meta: {
    id: 'cuda/atomic-contention',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'Atomics of many threads meet at one place, or at few.',
    docs,
    // No warp waits for an addition without a result at its line: warps wait as they end, and for the queue before.
    evidence: {
      metric: 'smsp__pcsamp_warps_issue_stalled_drain + smsp__pcsamp_warps_issue_stalled_lg_throttle',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.25 and against >= 20',
      noneWhen: 'metric / against < 0.05 and against >= 20',
      messages: ['global'],
    },
    messages: {
      global:
        'All lanes of a warp add to one place of `{array}`. The compiler does not combine the {lanes} ' +
        'additions of {type}: they run one after another{loop}. Sum the warp by shuffles and let one lane ' +
        'add{assuming}.',
      shared:
        'All lanes of a warp add to one place of `{array}`. Shared memory has no {type} atomics: {lanes} ' +
        'lanes compare and swap until all succeed{loop}. Sum the warp by shuffles and let one lane ' +
        'add{assuming}.',
      few:
        'Atomics of all blocks meet at {places} addresses of `{array}`: the index leads to no others. A block makes ' +
        '{operations}{loop}, which run one after another. Combine them in shared memory, and make one {name} a ' +
        'block and address{assuming}.',
      counter:
        'Atomics of all blocks meet at one address of `{array}`: {operations} a block{loop}, one after another. ' +
        'Combine the values of the block first, and make one {name} a block{assuming}.',
      own:
        'Needless {name}: each thread updates its own element of `{array}`. No other thread of the launch comes to ' +
        'it: a plain update does the same, unless other kernels update it at the same time.',
      'own-in-loop':
        'Needless {name} in a loop: each thread updates its own element of `{array}`. No other thread of the launch ' +
        'comes to it: add up in a register and store once, unless other kernels update it at the same time.',
      repeated:
        'Repeated {name} to one element of `{array}`: {count} atomics per thread where one would do. Combine the ' +
        'values in a register and update once.',
    },
    example: {
      array: 'total',
      lanes: '32',
      type: 'float',
      places: '256',
      operations: '1,024',
      name: 'atomicAdd',
      count: '2',
    },
  },
  on: 'access',
  *check(fact, { model }): Generator<Finding<Message>> {
    const own = fact.fixes?.['own-atomics'];
    if (own) {
      yield {
        at: fact.at,
        message: own.loops > 0 ? 'own-in-loop' : 'own',
        waste: own.loops > 0 ? { kind: 'requests', loops: own.loops } : { kind: 'access' },
        data: { array: fact.array.name, name: fact.atomic!.name },
        confidence: 'proven',
        // Once, an addition of 32 bits moves less than a read and a write.
        fixes: own.loops > 0 || fact.elementBytes > 4 ? [{ ...own, ...byRun, applicability: 'unsafe' }] : [],
      };
      return;
    }
    const isOne = isContended(fact);
    const around = model.facts.kernel.filter(({ name }) => fact.kernels.includes(name));
    const operations = atomicsOfIteration(fact, Math.max(1, around.flatMap(({ shapes }) => shapes).length));
    if (!isOne && !meetsAtFew(fact, operations)) {
      if (fact.repeats) yield repeatedOf(fact, fact.repeats);
      return;
    }
    // Lanes that compare and swap are as many as come, however often each tries.
    const assumed = fact.space === 'shared' ? fact.assumed.filter(({ kind }) => kind !== 'by-data') : fact.assumed;
    const family = isOne ? 'warp-atomics' : 'block-atomics';
    const rewrite = fact.fixes?.[family];
    const kernels = around.filter(({ at }) => at.uri === fact.at.uri).map(({ at }) => at);
    yield {
      at: fact.at,
      ...(kernels.length > 0 && fact.space !== 'shared'
        ? {
            measuredAt: kernels,
            atStake: [fact.at, ...kernels.map(({ uri, end }) => ({ uri, start: end, end }))],
          }
        : {}),
      message: !isOne ? (fact.places === 1 ? 'counter' : 'few') : fact.space === 'shared' ? 'shared' : 'global',
      waste: { kind: 'access' },
      data: {
        array: fact.array.name,
        lanes: figure(fact.activeLanes),
        type: fact.elementType,
        name: fact.atomic!.name,
        places: figure(fact.places ?? 1),
        operations: figure(operations),
        loop: (isOne ? fact.loops.length > 0 : fact.loops.some(({ trips }) => trips === undefined))
          ? ' on each iteration of a loop'
          : '',
        assuming: assuming(assumed),
      },
      confidence: fact.certainty === 'proven' ? 'proven' : 'assumed',
      ...(rewrite && { fixes: [{ ...rewrite, ...(isOne ? { alike } : byRun), applicability: 'unsafe' as const }] }),
      refusals: (fact.refusals ?? []).filter((refusal) => refusal.family === family),
    };
  },
});

const byRun = { proof: 'run' } as const;
const alike = { precondition: 'warp', title: 'One atomic per warp at {count} places (changes rounding)' };

function repeatedOf(
  { array, atomic }: AccessFact,
  { at, first, part, times, conditional }: NonNullable<AccessFact['repeats']>,
): Finding<Message> {
  return {
    at,
    message: 'repeated',
    waste: { kind: 'requests', loops: 0, part },
    data: { array: array.name, name: atomic!.name, count: figure(times) },
    related: [{ at: first, text: 'the thread updates the element here first' }],
    confidence: conditional ? 'assumed' : 'proven',
    ...(conditional ? { severity: 'information' as const } : {}),
  };
}

/** Does a block make more atomics than there are addresses, by many threads, so that it can combine some first? */
function meetsAtFew(fact: AccessFact, operations: number): boolean {
  const { atomic, places, loops } = fact;
  if (fact.space !== 'global' || !atomic || atomic.used || places === undefined) return false;
  const isKnown = /^atomic(Add|Sub|Min|Max|And|Or|Xor|Inc|Dec)(_system)?$/.test(atomic.name);
  // One thread of the block may be the one that adds for all.
  const isAgain = fact.activeLanes >= 2 && loops.some(({ trips }) => trips === undefined);
  if (fact.activeLanes < 2 && atomic.coalesced) return false;
  return isKnown && (operations > places || isAgain);
}

function isContended(fact: AccessFact): boolean {
  const { atomic } = fact;
  if (fact.mode !== 'atomic' || !atomic || atomic.used || !/^atomicAdd(_block|_system)?$/.test(atomic.name))
    return false;
  // Where the numbers do not tell, the text of the address may: the fix asks it.
  if (!atomic.settled && !fact.fixes?.['warp-atomics']) return false;
  if (fact.addresses !== 1 || fact.activeLanes < 2 || fact.certainty === 'unknown') return false;
  const isReal = fact.elementType === 'float' || fact.elementType === 'double';
  return fact.space === 'shared' ? isReal : isReal || (fact.space === 'global' && fact.elementBytes === 8);
}
