// cuda/slow-math: a power, a reciprocal root or a division in device code that a few operations give as well.
import type { MathFact } from '../../../semantic/model';
import type { Operation } from '../../../../../hardware/src/constants';
import { defineRule, type Finding } from '../../rule';
import { excerpt, titleWith } from '../../wording';

type Message = 'power' | 'base' | 'root' | 'shift' | 'divisor' | 'real-divisor';

const messages = { exponent: 'power', base: 'base', 'reciprocal-root': 'root', shift: 'shift' } as const;

/** The title of all fixes of one form in a function. */
const together = {
  exponent: 'Write {count} powers as products or roots',
  base: 'Write {count} powers of 2 or 10 by their own functions',
  'reciprocal-root': 'Write {count} reciprocal roots by `rsqrt`',
  shift: 'Write {count} powers of 2 as shifts',
  divisor: 'Multiply {count} times by a reciprocal',
} as const;

/** What a title says of the result: the error of the call and of what replaces it, at most. */
const changes = {
  exponent: '≤ 10 ulp',
  base: '≤ 6 ulp',
  'reciprocal-root': '≤ 4 ulp',
  shift: 'exponents 0 to 30',
  divisor: '≤ 2 ulp',
} as const;

export default defineRule<'math', Message>({
  meta: {
    id: 'cuda/slow-math',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    needsGain: ['divisor', 'real-divisor'],
    summary: 'A power, reciprocal root or division in device code that one or a few operations can replace.',
    docs: {
      what:
        'nvcc computes `powf(x, 2.0f)` and `pow(x, 2)` by the general routine, a careful logarithm and ' +
        'exponential, whatever the exponent. Reports powers with a literal exponent: 2 to 6, 0.5, 1.5 and ' +
        'their reciprocals where those are short; powers of 2 and 10, which have their own functions; ' +
        'powers of 2 that become integers; and `1 / sqrt(x)`, which `rsqrt` computes in one step. Reports ' +
        'divisions and remainders by a value that is the same for the whole grid and that the compiler does ' +
        'not know (kernel arguments, their fields, constant memory), where a kernel is bound by them.',
      why:
        'On an H200 a loop of `powf(x, 2.0f)` took 12 times as long as one of products, `pow(x, 2)` in ' +
        'double 23 times, and `pow` of a float with an integer exponent, which is a double one, 37 times. ' +
        'A kernel with one element read, one power and one write still gained 1.2 to 2.4 times. nvcc 13.0 ' +
        'makes 22 instructions of an integer division by a variable, 30 in 64 bits, and 12 of a float one.',
      whenNot:
        'Silent in host code, where the exponent is a variable or named constant, where the type of the ' +
        "base is unknown, and for the program's own functions named `pow`; where divisions hide behind " +
        'memory accesses, and under equalities, which few threads pass. With `-use_fast_math` powers of ' +
        'floats are short already, and less exact.',
      fix:
        'Writes the product, root or quotient instead of the call. Unsafe: the result differs by the error ' +
        'of both, in units in the last place (ulp) of the call: at most 4 of `powf` and 2 of `exp2f` and ' +
        '`rsqrtf` by the CUDA C++ Programming Guide, and one for each of up to 6 operations; and `pow` ' +
        'treats negative zero and minus infinity differently from a root). A float that an integer ' +
        'exponent made double becomes a float product. A long base, or one that calls a function, is ' +
        'computed once before the statement. A float division in a loop becomes a product with the ' +
        'reciprocal, which the compiler computes before the loop (at most 2 ulp). By hand: `__umulhi` and a ' +
        'shift with numbers from the host (fast divmod), a template parameter, or a grid of several dimensions.',
      references: [
        {
          title: 'CUDA C++ Programming Guide, Mathematical Functions',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#mathematical-functions-appendix',
        },
        {
          title: 'CUDA C++ Best Practices Guide, Exponentiation With Small Fractional Arguments',
          url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/',
        },
        {
          title: 'CUDA C++ Best Practices Guide, Math Libraries',
          url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#math-libraries',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    evidence: {
      metric:
        'smsp__pcsamp_warps_issue_stalled_math_pipe_throttle + smsp__pcsamp_warps_issue_stalled_not_selected + ' +
        'smsp__pcsamp_warps_issue_stalled_selected + smsp__pcsamp_warps_issue_stalled_wait',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.5 and against >= 20',
      noneWhen: 'metric / against < 0.25 and against >= 20',
    },
    messages: {
      power:
        'Slow `{text}`: use {better}. The general power function takes many times as long{loop}, and the ' +
        'compiler does not replace it.',
      base:
        'Slow `{text}`: use `{better}`. It is made for this base and takes less than half the time of the ' +
        'general power function{loop}.',
      shift: 'Slow `{text}`: use the integer `{better}`. The call computes a whole number in floating point{loop}.',
      divisor:
        'Slow `{text}`: all threads divide by one value. The compiler does not know it, and a quotient takes about ' +
        '20 instructions{loop}. Pass a multiplier and a shift from the host, make the value a template ' +
        'parameter, or give the grid a dimension for each index.',
      'real-divisor':
        'Slow `{text}`: all threads divide by one value. A division takes about ten times as long as a ' +
        'product{loop}. Multiply by the reciprocal, computed once.',
      root: 'Slow `{text}`: a root and a division{loop}. `{better}` computes both at once.',
    },
    example: { text: 'powf(x, 2.0f)', better: 'one multiplication' },
  },
  on: 'math',
  *check(fact): Generator<Finding<Message>> {
    const ofDivisor = fact.better === 'reciprocal' ? 'real-divisor' : 'divisor';
    const message = fact.form === 'divisor' ? ofDivisor : messages[fact.form];
    yield {
      at: fact.at,
      message,
      waste: { kind: 'operation', operation: fact.saved ?? operationOf(fact) },
      data: {
        text: excerpt(fact.text, 40),
        better: fact.form === 'exponent' && /[(]|^\S*sqrt/.test(fact.better) ? `\`${fact.better}\`` : fact.better,
        loop: fact.loopAt ? ', on each iteration of a loop' : '',
      },
      confidence: 'proven',
      fixes:
        fact.replacement === undefined
          ? []
          : [
              {
                title: titleWith(
                  fact.replacement,
                  (text) => `${fact.named ? 'Compute the base once:' : 'Write'} \`${text}\` (${changes[fact.form]})`,
                ),
                applicability: 'unsafe',
                inFile: true,
                alike: { precondition: fact.form, title: `${together[fact.form]} (${changes[fact.form]})` },
                edits: [...(fact.named?.edits ?? []), { at: fact.at, newText: fact.replacement }],
              },
            ],
    };
  },
});

function operationOf({ form, double }: MathFact): Operation {
  if (form === 'reciprocal-root') return double ? 'double-reciprocal-root' : 'reciprocal-root';
  if (form === 'base') return double ? 'double-exponential' : 'float-exponential';
  return double ? 'double-power' : 'float-power';
}
