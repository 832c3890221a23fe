// acc/unknown-name: a directive or clause that OpenACC does not have.
import { defineRule, type Finding } from '../../rule';
import { findingOf, specification } from '../wording';

type Message = 'directive' | 'clause' | 'directive-near' | 'clause-near';

export default defineRule<'acc-directive', Message>({
  meta: {
    id: 'acc/unknown-name',
    since: '0.1.0',
    family: 'acc',
    severity: 'error',
    fixable: 'unsafe',
    summary: 'OpenACC has no directive or clause of this name.',
    docs: {
      what: 'Reports the first words of a directive when no OpenACC directive is called so, and clauses that do not exist. The table is that of OpenACC 3.3 with the additions of 3.4; old spellings such as `pcopyin` and `present_or_copy` are known, and so are the clauses that some compilers add.',
      why: 'A C compiler passes over a directive that it does not know, with a warning at most: the loop runs on the host, and nothing else says so. In Fortran the line is a comment to a compiler without OpenACC, and an error to one with it.',
      whenNot:
        'Silent for words that are macros and for words in capitals that may be macros from a header out of sight: in C, and in Fortran where the rest of the directive is in small letters. A word that is near to no name of OpenACC, perhaps an extension of a compiler, is a warning.',
      fix: 'The nearest name (unsafe: it is a guess, and a directive that was ignored comes alive).',
      references: [specification],
    },
    messages: {
      directive: 'OpenACC has no directive `{word}`: a compiler ignores it or refuses it.',
      'directive-near':
        'OpenACC has no directive `{word}`: a compiler ignores it or refuses it. Was `{nearest}` meant?',
      clause: 'OpenACC has no clause `{word}`.',
      'clause-near': 'OpenACC has no clause `{word}`. Was `{nearest}` meant?',
    },
    example: { word: 'paralel', nearest: 'parallel' },
  },
  on: 'acc-directive',
  *check(fact): Generator<Finding<Message>> {
    for (const problem of fact.problems) {
      const kind =
        problem.code === 'unknown-directive' ? 'directive' : problem.code === 'unknown-clause' ? 'clause' : undefined;
      if (!kind) continue;
      yield problem.data.nearest !== undefined
        ? findingOf(problem, `${kind}-near`)
        : findingOf(problem, kind, { severity: 'warning' });
    }
  },
});
