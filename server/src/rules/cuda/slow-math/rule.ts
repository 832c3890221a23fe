// cuda/slow-math: a power, a reciprocal root or a division in device code that a few operations give as well.
import type { MathFact } from '../../../semantic/model';
import type { Operation } from '../../../../../hardware/src/constants';
import { defineRule, type Finding } from '../../rule';
import { excerpt, titleWith } from '../../wording';
import docs from './docs.json';

type Message = 'power' | 'base' | 'root' | 'shift' | 'divisor' | 'real-divisor' | 'sincos';

const messages = {
  exponent: 'power',
  base: 'base',
  'reciprocal-root': 'root',
  shift: 'shift',
  sincos: 'sincos',
} as const;

/** The title of all fixes of one form in a function. */
const together = {
  exponent: 'Write {count} powers as products or roots',
  base: 'Write {count} powers of 2 or 10 by their own functions',
  'reciprocal-root': 'Write {count} reciprocal roots by `rsqrt`',
  shift: 'Write {count} powers of 2 as shifts',
  divisor: 'Multiply {count} times by a reciprocal',
  sincos: 'Compute {count} sines with their cosines',
} as const;

/** What a title says of the result: the error of the call and of what replaces it, at most. */
const changes = {
  exponent: '≤ 10 ulp',
  base: '≤ 6 ulp',
  'reciprocal-root': '≤ 4 ulp',
  shift: 'exponents 0 to 30',
  divisor: '≤ 2 ulp',
  sincos: '≤ 2 ulp',
} as const;

export default defineRule<'math', Message>({
  meta: {
    id: 'cuda/slow-math',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    needsGain: ['divisor', 'real-divisor', 'sincos'],
    summary: 'A power, reciprocal root or division in device code that one or a few operations can replace.',
    docs,
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
      sincos:
        'Slow `{text}`: its sine and cosine are both computed{loop}. Each reduces the angle by itself: use ' +
        '`{better}`, which does it once.',
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
        better: fact.form === 'exponent' && /[(]|^\S*(sq|cb)rt/.test(fact.better) ? `\`${fact.better}\`` : fact.better,
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
