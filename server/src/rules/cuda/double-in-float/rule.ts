// cuda/double-in-float: a double constant or function that turns float arithmetic of device code into double
// arithmetic.
import { defineRule, type Finding, type Fix } from '../../rule';
import { excerpt, longestTitle, titleWith } from '../../wording';
import type { Loss } from '../../../semantic/model';
import docs from './docs.json';

const losses = {
  cancellation: 'no error bound: terms may cancel',
  argument: 'error grows with the argument',
  statements: 'errors add up',
};

function sumOf(loss: Loss): string {
  return loss === 'statements' ? losses.statements : 'error may be large';
}

function withLoss(title: string, loss: Loss): string {
  const text = typeof loss === 'number' ? `≤ ${loss} ulp` : losses[loss];
  return `${title} (${title.length + text.length + 3 > longestTitle ? 'error may be large' : text})`;
}

type Message = 'literal' | 'macro' | 'function' | 'narrowed';

export default defineRule<'double', Message>({
  meta: {
    id: 'cuda/double-in-float',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'A double literal or double math function in the float arithmetic of a kernel.',
    docs,
    messages: {
      literal:
        'Double literal `{text}` in float arithmetic. Beside the float `{operand}` it makes the operation ' +
        'double{loop}.',
      macro:
        '`{text}` is a double: the float operation becomes double{loop}. It is used beside the float ' + '`{operand}`.',
      function:
        '`{text}` is a double call: the argument is an integer{loop}. Beside the float `{operand}` it ' +
        'selects the double function.',
      narrowed:
        'Double literal `{text}` in float arithmetic. Beside `{operand}` an optimising compiler makes this ' +
        'one operation float; a debug build computes it in double.',
    },
    example: { text: '0.1', operand: 'x' },
    // GPUs with few double units wait for those; on the others the conversions to double and back wait in the queue of
    // the special functions.
    evidence: {
      metric:
        'smsp__pcsamp_warps_issue_stalled_math_pipe_throttle + ' +
        'smsp__pcsamp_warps_issue_stalled_mio_throttle + ' +
        'smsp__pcsamp_warps_issue_stalled_short_scoreboard',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.25 and against >= 20',
      noneWhen: 'metric / against < 0.1 and against >= 20',
    },
  },
  on: 'double',
  *check(fact): Generator<Finding<Message>> {
    const fixes: Fix[] = [];
    const { replacement, exact, loss, together = [] } = fact;
    const groups = together.map(
      ({ scope, name, edits, loss }): Fix => ({
        title:
          scope === 'expression'
            ? withLoss(`Write all ${edits.length} doubles of this expression as float`, loss)
            : titleWith(
                name ?? '',
                (text) => `Write all ${edits.length} doubles of \`${text}\` as float (${sumOf(loss)})`,
              ),
        applicability: 'unsafe',
        edits,
      }),
    );
    // Half of a function's doubles leave the other half to the next review.
    const whole = groups.at(-1);
    if (whole && !exact) fixes.push(whole);
    else if (replacement && together[0]?.scope !== 'expression')
      fixes.push({
        title: titleWith(replacement.text, (text) =>
          exact ? `Write \`${text}\`` : withLoss(`Write \`${text}\``, loss),
        ),
        applicability: exact ? 'safe' : 'unsafe',
        ...(exact ? {} : { inFile: true }),
        edits: [replacement.edit],
      });
    yield {
      at: fact.at,
      message: fact.exact ? 'narrowed' : fact.form,
      waste: { kind: 'operation', operation: 'double-operand' },
      cause: fact.exact ? 'narrowed' : 'double',
      data: {
        text: excerpt(fact.text, 40),
        operand: fact.floatOperand,
        loop: fact.loopAt ? ', on each iteration of a loop' : '',
      },
      related: fact.related,
      confidence: 'proven',
      fixes,
    };
  },
});
