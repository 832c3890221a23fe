// acc/missing-routine: code for the GPU calls a procedure that is not compiled for it.
import { defineRule, type Finding } from '../../rule';
import { fixesOf } from '../../wording';

export default defineRule<'acc-routine', 'not-for-device' | 'inlined'>({
  meta: {
    id: 'acc/missing-routine',
    since: '0.1.0',
    family: 'acc',
    severity: 'warning',
    fixable: 'safe',
    summary: 'A compute region calls a procedure that has no `routine` directive.',
    docs: {
      what:
        'Reports the first call, in a compute construct or another `routine`, of a procedure whose ' +
        'definition, or prototype in the same file, is known and that has no `routine` ' +
        'directive (there, at a declaration, or by name) and ' +
        'no `bind` clause.',
      why:
        'Compilers generate GPU code only for procedures marked as routines. nvc also does for functions ' +
        'of the same file; GCC fails to link ("function has been referenced in offloaded code but hasn\'t ' +
        'been marked to be included"), and across files every compiler fails.',
      whenNot:
        'Silent for the mathematics of the standard library, Fortran intrinsics, procedures without a ' +
        'known definition, calls under a condition that never holds (`if (0 && …)`) or in the ' +
        "host's branch of a macro (`#ifndef ACC`), overloaded functions, " +
        'methods and lambdas.',
      fix:
        'Adds `routine` above the definition (C and C++) or among its declarations (Fortran), also for the ' +
        'procedures it calls: with the strongest level of the routines that they call, else `seq`. Safe: a ' +
        'routine computes the same on the GPU. Not offered where a loop around a call may use that level ' +
        'already, or where the procedure has loop directives, uses global variables, calls an unknown ' +
        'procedure, or is defined after the call.',
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
        '`{name}` has no `routine` directive. It is called on the GPU: GCC does not link it, and nvc ' +
        'compiles it for the GPU only within the same file{why}.',
      inlined:
        '`{name}` has no `routine` directive. It is called on the GPU and links only while the compiler ' +
        'inlines it, which a build without optimisation does not{why}.',
    },
    example: { name: 'square' },
  },
  on: 'acc-routine',
  *check(fact): Generator<Finding<'not-for-device' | 'inlined'>> {
    yield {
      at: fact.at,
      message: fact.inlined ? 'inlined' : 'not-for-device',
      ...(fact.inlined ? { severity: 'hint' as const } : {}),
      confidence: 'proven',
      data: { name: fact.name, why: fact.why ? `. No fix is offered: ${fact.why}` : '' },
      related: [
        { at: fact.definitionAt, text: 'it is declared here' },
        ...fact.alsoAt.map((at) => ({ at, text: 'it is called here too' })),
      ],
      fixes: fixesOf(fact.fix, 'safe'),
    };
  },
});
