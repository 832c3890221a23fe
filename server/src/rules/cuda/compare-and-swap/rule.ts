// cuda/compare-and-swap: a loop around atomicCAS that does what an atomic function of CUDA does in one instruction.
import { defineRule } from '../../rule';
import { assuming } from '../../wording';

export default defineRule<'access', 'loop'>({
  meta: {
    id: 'cuda/compare-and-swap',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A loop of compare-and-swap does what one atomic function does.',
    docs: {
      what:
        'Reports loops such as `do { assumed = old; old = atomicCAS(p, assumed, …); } while (assumed != old);`, ' +
        'of any form, that end where the swap found what it assumed, where the new ' +
        'value is the old one plus, minus, `&`, `|` or `^` an operand, their minimum or maximum, or the operand ' +
        'alone, and CUDA has an atomic function for this operation and type. The loop is recognised by what it ' +
        'computes, through variables and through functions that take bits for numbers.',
      why:
        'Of all threads that try at one address, one succeeds in a round. On an H100 with 135,168 threads the loop ' +
        'took 200 times as long as `atomicAdd` with 256 addresses, 600 times with 32, and 6,000 times with one.',
      whenNot:
        'Silent where no atomic function exists (minimum and maximum of float and double), in a function that ' +
        'has the name of the atomic function, or where the program defines a function of this name.',
      fix:
        'Calls the atomic function. Offered where the old value is not used, or is what the function returns. ' +
        'Unsafe: `atomicAdd` of double needs compute capability 6.0, and that of float in global memory rounds ' +
        'numbers below 2⁻¹²⁶ to zero.',
      references: [
        {
          title: 'CUDA C++ Programming Guide, Atomic Functions',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#atomic-functions',
        },
      ],
    },
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
