// Whatever comes after a sentinel: nothing throws, places lie inside, fixes can be applied, and time is short.
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { fortranDirectivePlaces } from '../../../server/src/syntax/directives/lines';
import type { Directive, Place } from '../../../server/src/syntax/procedures';
import { sharedSyntax } from '../support';
import { drawn, inTime } from '../../support/depth';

const pieces = [
  ...(
    'parallel loop end data enter gang reduction copy copyin device_type num_gangs default wait paralel ' +
    'vector X a 0x1F 1.5d0 "s" \' " ( ) [ ] : :: , + * - & && | ! .and. .not. % -> . / // /* */'
  ).split(' '),
  '\\\n',
  '\\\r\n',
  ' &\n!$acc& ',
  ' &\n  !$acc ',
  '\n!$acc1',
  '\n',
  '\r',
  '\t',
  ' ',
  '\u00e9',
  '\ud83d',
  '\udc00',
  '\0',
  '#if\n',
  '!$acc',
  '#pragma acc',
  'readonly:',
  'static:',
  '?',
  '=',
  '{',
  ';',
  '$',
];
const text = fc.oneof(
  { weight: 6, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join(' ')) },
  { weight: 3, arbitrary: fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.string({ maxLength: 80, unit: 'binary' }) },
);

function places(directive: Directive): Place[] {
  const parts = [directive, ...directive.clauses];
  return [
    directive,
    directive.nameAt,
    ...directive.clauses.flatMap((clause) => [clause, clause.nameAt]),
    ...directive.problems.flatMap((problem) => [problem.at, ...(problem.fix?.edits.map((edit) => edit.at) ?? [])]),
    ...parts.flatMap(({ argument }) =>
      argument
        ? [
            argument,
            argument.inner,
            ...argument.items,
            ...argument.items.flatMap((item) => (item.value ? [item.value] : [])),
            ...argument.modifiers.map((each) => each.at),
          ]
        : [],
    ),
  ];
}

function check(directive: Directive, place: Place): void {
  assert.ok(directive.start === place.start && directive.end <= place.end, 'the whole');
  for (const { start, end } of places(directive))
    assert.ok(
      place.start <= start && start <= end && end <= place.end,
      `${start}..${end} of ${place.start}..${place.end}`,
    );
  for (let at = 1; at < directive.clauses.length; at++)
    assert.ok(directive.clauses[at - 1]!.end <= directive.clauses[at]!.start, 'clauses in order');
  for (const { fix } of directive.problems) {
    const edits = [...(fix?.edits ?? [])].sort((a, b) => a.at.start - b.at.start);
    for (let at = 1; at < edits.length; at++) assert.ok(edits[at - 1]!.at.end <= edits[at]!.at.start, 'edits apart');
  }
}

describe('hostile directives', function () {
  this.timeout(60_000);

  it('in C, as written and out of a macro', async () => {
    const syntax = await sharedSyntax();
    fc.assert(
      fc.property(text, (words) => {
        const file = `int x;\n#pragma acc ${words}\nint y;`;
        const place = { start: 7, end: file.length - 7 };
        check(syntax.readDirective(file, place, { language: 'c' }), place);
        const expanded = syntax.readDirective(file, place, { language: 'c', expanded: `acc ${words}` });
        for (const each of places(expanded))
          assert.deepEqual([each.start, each.end, each.macro], [place.start, place.end, true]);
        assert.ok(expanded.problems.every((problem) => !problem.fix));
        syntax.forget('file:///hostile.c');
        for (const directive of syntax.parse(
          'file:///hostile.c',
          file,
          1,
          { defines: {}, computeCapability: 90 },
          { resolve: () => undefined },
        ).main.directives)
          check(directive, { start: directive.start, end: file.length });
      }),
      { numRuns: drawn(300, 1500) },
    );
  });

  for (const fixedForm of [false, true]) {
    it(`in Fortran, ${fixedForm ? 'fixed' : 'free'} form`, async () => {
      const syntax = await sharedSyntax();
      fc.assert(
        fc.property(text, (words) => {
          const file = `x = 1\n!$acc ${words}\ny = 2\n`;
          let end = 0;
          for (const place of fortranDirectivePlaces(file, fixedForm)) {
            assert.ok(place.start >= end && place.end <= file.length);
            end = place.end;
            check(syntax.readDirective(file, place, { language: 'fortran', fixedForm }), place);
          }
        }),
        { numRuns: drawn(300, 1500) },
      );
    });
  }

  it('deep, long and endless ones in time', async () => {
    const syntax = await sharedSyntax();
    const started = performance.now();
    for (const words of [
      `parallel if(${'('.repeat(19_000)}`,
      `parallel if(${'('.repeat(5000)}x${')'.repeat(5000)})`,
      `data copy(${'a[0:n], '.repeat(2400)}b)`,
      `loop ${'gang '.repeat(3900)}`,
      `${'word '.repeat(3900)}`,
      `data copy(a${'[0:n]'.repeat(3900)})`,
      `parallel if(${'!'.repeat(19_000)}x)`,
      `loop ${'gang( '.repeat(3200)}`,
      `parallel ${'$'.repeat(19_000)}`,
      'x'.repeat(1_000_000),
      `parallel ${'\\\n'.repeat(9_000)}`,
      `cache(${'/*'.repeat(9_000)}`,
    ]) {
      for (const [language, sentinel] of [
        ['c', '#pragma acc'],
        ['fortran', '!$acc'],
      ] as const) {
        const file = `${sentinel} ${words}`;
        check(syntax.readDirective(file, { start: 0, end: file.length }, { language }), { start: 0, end: file.length });
      }
    }
    fortranDirectivePlaces(`!$acc data copy(a) &\n${'!\n'.repeat(200_000)}`, false);
    fortranDirectivePlaces('!$acc &\n'.repeat(100_000), true);
    inTime(performance.now() - started, 20_000);
  });
});
