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
      what:
        'Reports unknown directive names and unknown clauses. The table is OpenACC 3.3 with the additions ' +
        'of 3.4, old spellings such as `pcopyin` and `present_or_copy`, and the clauses that some ' +
        'compilers add.',
      why:
        'A C compiler ignores an unknown directive, at most with a warning: the loop runs on the host. In ' +
        'Fortran the line is a comment to a compiler without OpenACC and an error to one with it.',
      whenNot:
        'Silent for macros and for words in capitals that may be macros from a header that was not found ' +
        '(in Fortran where the rest of the directive is in lower case). A clause close to no OpenACC name, ' +
        'perhaps a compiler extension, is a warning; such a directive, perhaps of another dialect, is a note.',
      fix: 'Writes the nearest name (unsafe: a guess, and an ignored directive takes effect).',
      references: [specification],
    },
    messages: {
      directive: 'Unknown OpenACC directive `{word}`: compilers ignore or reject it.',
      'directive-near': 'Unknown OpenACC directive `{word}`: compilers ignore or reject it. Did you mean `{nearest}`?',
      clause: 'Unknown OpenACC clause `{word}`.',
      'clause-near': 'Unknown OpenACC clause `{word}`. Did you mean `{nearest}`?',
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
        : findingOf(problem, kind, { severity: kind === 'directive' ? 'information' : 'warning' });
    }
  },
});
