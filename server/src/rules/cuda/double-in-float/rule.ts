// cuda/double-in-float: a double constant or function that turns float arithmetic of device code into double arithmetic.
import { defineRule, type Finding, type Fix } from '../../rule';
import { excerpt } from '../../wording';

type Message = 'literal' | 'macro' | 'function' | 'narrowed';

export default defineRule<'double', Message>({
  meta: {
    id: 'cuda/double-in-float',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'both',
    summary: 'A double literal or double math function in the float arithmetic of a kernel.',
    docs: {
      what:
        'In C++ `0.1` is a double. Beside a float it turns the operation into a double one: the float is converted, the operation runs on the double-precision units, and the result is converted back when it lands in a float. ' +
        'The rule follows the types of whole expressions and reports the constants that make a computation double whose inputs are floats and whose result becomes a float again, is compared with a float, or is handed to a float function; ' +
        'also through macros (`#define PI 3.14159`, `M_PI`) and where an integer argument selects the double form of a math function, as in `pow(x, 2)`.',
      why: 'The GPUs made for single precision have one double-precision unit for 32 or 64 single-precision ones; on the others it is one for two, and the conversions come on top. Double math functions are several times as long as their float forms.',
      whenNot:
        'Silent when a double variable or a cast to double shows that the precision is wanted, for constants that only initialise a float (the compiler converts them), for integer results, in host code, and in templates whose type is not known. ' +
        'A single operation with a constant that float holds exactly (`x * 0.5`) is only a hint: with optimisation nvcc compiles it to the float operation, since the result cannot differ; and so is what kernels do that are named for setting up.',
      fix:
        'The suffix `f` (or a cast of the macro to float, or the float form of the function). Safe where no bit of the result can change, that is for one addition, subtraction, multiplication or division by a constant that float holds exactly; elsewhere unsafe, as results may differ in the last bits. ' +
        'As long as one double is left in an expression the whole stays double, so all of an expression, or of a function, are written as float by one fix.',
      references: [
        {
          title: 'CUDA C++ Best Practices Guide, Other Arithmetic Instructions',
          url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#other-arithmetic-instructions',
        },
        {
          title: 'CUDA C++ Programming Guide, Throughput of Native Arithmetic Instructions',
          url: 'https://docs.nvidia.com/cuda/cuda-c-programming-guide/index.html#arithmetic-instructions-throughput-native-arithmetic-instructions',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    messages: {
      literal:
        'Double literal `{text}` in float arithmetic{loop}. Beside the float `{operand}` it makes the operation double.',
      macro:
        '`{text}` is a double in float arithmetic{loop}. Beside the float `{operand}` it makes the operation double.',
      function:
        '`{text}` is called in its double form{loop}. An integer stands beside the float `{operand}`, so the double function is taken.',
      narrowed:
        'Double literal `{text}` in float arithmetic, most likely narrowed. With optimisation the compiler makes this one operation with `{operand}` a float one; a debug build computes it in double.',
    },
    example: { text: '0.1', operand: 'x' },
    // GPUs with few double units wait for those; on the others the conversions to double and back wait in the queue of the special functions.
    evidence: {
      metric:
        'smsp__pcsamp_warps_issue_stalled_math_pipe_throttle + smsp__pcsamp_warps_issue_stalled_mio_throttle + smsp__pcsamp_warps_issue_stalled_short_scoreboard',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.25 and against >= 20',
      noneWhen: 'metric / against < 0.1 and against >= 20',
    },
  },
  on: 'double',
  *check(fact): Generator<Finding<Message>> {
    const fixes: Fix[] = [];
    if (fact.replacement) {
      fixes.push({
        title: fact.exact
          ? `Write \`${fact.replacement}\``
          : `Write \`${fact.replacement}\` (the last bits of the result may change)`,
        applicability: fact.exact ? 'safe' : 'unsafe',
        edits: [{ at: fact.at, newText: fact.replacement }],
      });
    }
    for (const { scope, name, edits } of fact.together ?? [])
      fixes.push({
        title: `Write all ${edits.length} doubles of ${scope === 'expression' ? 'this expression' : `\`${name}\``} as float (the last bits of ${scope === 'expression' ? 'the result' : 'results'} may change)`,
        applicability: 'unsafe',
        edits,
      });
    yield {
      at: fact.at,
      message: fact.exact ? 'narrowed' : fact.form,
      waste: { kind: 'operation', operation: 'double-operand', loop: fact.inLoop },
      cause: fact.exact ? 'narrowed' : 'double',
      data: {
        text: excerpt(fact.text, 40),
        operand: fact.floatOperand,
        loop: fact.inLoop ? ', on each iteration of a loop' : '',
      },
      related: fact.related,
      confidence: 'proven',
      fixes,
    };
  },
});
