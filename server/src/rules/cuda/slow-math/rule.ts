// cuda/slow-math: a power or a reciprocal root in device code that a few operations give as well.
import type { MathFact } from '../../../semantic/model';
import { defineRule, type Operation, type Finding } from '../../rule';
import { excerpt } from '../../wording';

type Message = 'power' | 'base' | 'root' | 'shift';

const messages = { exponent: 'power', base: 'base', 'reciprocal-root': 'root', shift: 'shift' } as const;

const lastBits = 'the last bits of the result may change';
/** What a title says of the result. */
const changes = {
  exponent: lastBits,
  base: lastBits,
  'reciprocal-root': lastBits,
  shift: 'for exponents from 0 to 30',
} as const;

export default defineRule<'math', Message>({
  meta: {
    id: 'cuda/slow-math',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A power or reciprocal square root in device code that one or a few operations give as well.',
    docs: {
      what:
        'nvcc computes `powf(x, 2.0f)` and `pow(x, 2)` by the general routine, a logarithm and an exponential ' +
        'with care for every corner, whatever the exponent is. ' +
        'The rule reports powers whose exponent is a number as written: 2 to 6, 0.5, 1.5 and their reciprocals ' +
        'where those have a short form; powers of 2 and 10, which have functions of their own; powers of 2 that ' +
        'become integers; and `1 / sqrt(x)`, which `rsqrt` computes in one step.',
      why:
        'On an H200 a loop of `powf(x, 2.0f)` took 12 times as long as one of products, `pow(x, 2)` in double 23 ' +
        'times, and `pow` of a float with an integer exponent, which is a double one, 37 times. A kernel that ' +
        'reads and writes one element for each power, and does nothing else, still gained 1.2 to 2.4 times.',
      whenNot:
        'Silent in host code, where the exponent is a variable or has a name, where the type of the base is not ' +
        'known, and for functions of the program that are called `pow`. A hint where a few lanes run it, and ' +
        'for a reciprocal root outside of loops, or beside a loop that does the work. ' +
        'With `-use_fast_math` powers of floats are short already, and less exact.',
      fix:
        'Writes the product, root or quotient in place of the call (unsafe: the last bits may change, and a root ' +
        'of negative zero or of minus infinity is not what `pow` makes of it). A float that an integer exponent ' +
        'made double by accident becomes a float product. ' +
        'A base that calls a function or is long is computed once, under a name, in front of the statement, where ' +
        'the call is made whenever the statement runs and nothing in the statement changes anything before it.',
      references: [
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
        '`{text}` is computed by the general power function{loop}. The same by {better} takes a small part of ' +
        'the time; the compiler does not replace it.',
      base:
        '`{text}` is computed by the general power function{loop}. `{better}` is made for that base and takes ' +
        'less than half of the time.',
      shift:
        '`{text}` goes through floating point to become a whole number{loop}. `{better}` is one operation of integers.',
      root: '`{text}` takes a root and a division{loop}. `{better}` computes both at once.',
    },
    example: { text: 'powf(x, 2.0f)', better: 'one multiplication' },
  },
  on: 'math',
  *check(fact): Generator<Finding<Message>> {
    const message = messages[fact.form];
    yield {
      at: fact.at,
      message,
      waste: { kind: 'operation', operation: operationOf(fact), loop: fact.inLoop },
      data: {
        text: excerpt(fact.text, 40),
        better: fact.form === 'exponent' && /[(]|^\S*sqrt/.test(fact.better) ? `\`${fact.better}\`` : fact.better,
        loop: fact.inLoop ? ', on each iteration of a loop' : '',
      },
      confidence: 'proven',
      fixes:
        fact.replacement === undefined
          ? []
          : [
              {
                title: `Write \`${fact.replacement}\`${named(fact)} (${changes[fact.form]})`,
                applicability: 'unsafe',
                edits: [...(fact.named?.edits ?? []), { at: fact.at, newText: fact.replacement }],
              },
            ],
    };
  },
});

/** What a name that the fix makes stands for. */
function named({ named: base }: MathFact): string {
  return base ? `, with \`${base.name}\` for \`${excerpt(base.value, 40)}\`` : '';
}

function operationOf({ form, double }: MathFact): Operation {
  if (form === 'reciprocal-root') return double ? 'double-reciprocal-root' : 'reciprocal-root';
  if (form === 'base') return double ? 'double-exponential' : 'float-exponential';
  return double ? 'double-power' : 'float-power';
}
