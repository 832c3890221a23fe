// acc/missing-routine: code for the GPU calls a procedure that is not compiled for it.
import { defineRule, type Finding, type Fix } from '../../rule';

export default defineRule<'acc-routine', 'not-for-device' | 'inlined'>({
  meta: {
    id: 'acc/missing-routine',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'safe',
    summary: 'A compute region calls a procedure that has no `routine` directive.',
    docs: {
      what: 'Reports the first call in a procedure, in a compute construct or in another `routine`, of a procedure whose definition is in sight and neither has a `routine` directive (there, at a declaration, or by name) nor is named by a `bind` clause.',
      why: 'The compiler makes code for the GPU only of what it is told to. nvc generates such code by itself for functions of the same file; GCC fails when it links ("function has been referenced in offloaded code but hasn\'t been marked to be included"), and across files every compiler does.',
      whenNot:
        "Silent for the mathematics of the standard library and Fortran's intrinsics, for what is declared but defined out of sight, for calls under a condition that never holds (`if (0 && …)`), for overloaded functions, methods and lambdas.",
      fix:
        '`routine seq` above the definition (in C and C++) or among its declarations (in Fortran), for it and for the procedures that it calls in turn. Safe: a sequential routine does on the GPU what it does on the host. ' +
        'No edit is offered where the procedure has loops with directives of its own, uses global variables, calls what is out of sight, or is defined behind the call.',
      references: [
        {
          title: 'The OpenACC Application Programming Interface, version 3.3, 2.15.1, routine directive',
          url: 'https://www.openacc.org/sites/default/files/inline-images/Specification/OpenACC-3.3-final.pdf',
        },
        {
          title: 'OpenACC Programming and Best Practices Guide, Parallelize Loops',
          url: 'https://openacc-best-practices-guide.readthedocs.io/en/latest/04-Parallelize.html',
        },
      ],
    },
    messages: {
      'not-for-device':
        '`{name}` is called on the GPU without a `routine` directive. GCC will not link it, and nvc compiles it for the GPU only while it stands in the same file{why}.',
      inlined:
        '`{name}` is called on the GPU without a `routine` directive. It links as long as the compiler inlines it, which no build without optimisation does{why}.',
    },
    example: { name: 'square' },
  },
  on: 'acc-routine',
  *check(fact): Generator<Finding<'not-for-device' | 'inlined'>> {
    const fixes: Fix[] = fact.fix ? [{ title: fact.fix.title, applicability: 'safe', edits: fact.fix.edits }] : [];
    yield {
      at: fact.at,
      message: fact.inlined ? 'inlined' : 'not-for-device',
      ...(fact.inlined ? { severity: 'hint' as const } : {}),
      confidence: 'proven',
      data: { name: fact.name, why: fact.why ? `. No fix is offered: ${fact.why}` : '' },
      related: [
        { at: fact.definitionAt, text: 'it is defined here' },
        ...fact.alsoAt.map((at) => ({ at, text: 'it is called here too' })),
      ],
      fixes,
    };
  },
});
