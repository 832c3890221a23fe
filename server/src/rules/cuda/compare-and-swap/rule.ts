// cuda/compare-and-swap: a loop around atomicCAS that does what an atomic function of CUDA does in one instruction.
import { defineRule } from '../../rule';
import { assuming } from '../../wording';
import docs from './docs.json';

export default defineRule<'access', 'loop'>({
  meta: {
    id: 'cuda/compare-and-swap',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A loop of compare-and-swap does what one atomic function does.',
    docs,
    messages: {
      loop:
        'Compare-and-swap loop that is {name} of {type}. Of the threads that try at one address of `{array}` one ' +
        'succeeds in a round, and all others repeat. Call {name}{assuming}.',
    },
    example: { array: 'sum', name: 'atomicAdd', type: 'double' },
  },
  on: 'access',
  *check(fact) {
    const { nativeAtomic, fixes, refusals } = fact;
    if (!nativeAtomic) return;
    const { name, type, loop } = nativeAtomic;
    const rewrite = fixes?.['native-atomics'];
    yield {
      at: fact.at,
      message: 'loop',
      waste: { kind: 'access' },
      data: {
        array: fact.array.name,
        name,
        type,
        assuming: assuming(fact.assumed.filter(({ kind }) => kind !== 'by-data')),
      },
      related: [{ at: loop, text: 'this loop' }],
      confidence: 'proven',
      ...(rewrite ? { fixes: [{ ...rewrite, applicability: 'unsafe' as const }] } : {}),
      ...(refusals ? { refusals } : {}),
    };
  },
});
