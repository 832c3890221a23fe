// The bytes that constructs of a host loop move on each iteration, by declarations, sections and clauses.
import { deepStrictEqual } from 'node:assert/strict';
import { memoryUri, memoryWorkspace } from '../../support/analyseText';

interface Case {
  readonly title: string;
  readonly name: string;
  readonly lines: readonly string[];
  /** There, back, and whether a compiler may bring back less; absent where nothing is said. */
  readonly bytes?: readonly [number, number, boolean];
}

const inC = (...directives: readonly string[]): string[] => [
  '#define N 1024',
  'static double a[N], b[N];',
  'int main(int argc, char **argv) {',
  '  for (int step = 0; step < 1000; step++) {',
  ...directives.flatMap((directive) => [
    `    #pragma acc parallel loop ${directive}`,
    '    for (int i = 0; i < N; i++) b[i] = b[i] + a[i];',
  ]),
  '  }',
  '  return b[1] > 0.0;',
  '}',
];
const cases: readonly Case[] = [
  // What is not written may stay behind.
  { title: 'implicit copies', name: 'implicit.c', lines: inC(''), bytes: [16384, 16384, true] },
  { title: 'of each construct', name: 'two.c', lines: inC('', ''), bytes: [32768, 32768, true] },
  { title: 'clauses', name: 'clauses.c', lines: inC('copyin(a) copy(b)'), bytes: [16384, 8192, false] },
  { title: 'sections', name: 'section.c', lines: inC('copyin(a[0:512]) copy(b[0:N])'), bytes: [12288, 8192, false] },
  { title: 'sections of unknown length', name: 'open.c', lines: inC('copyin(a[0:argc]) copy(b)') },
  {
    title: 'a construct in a separate loop',
    name: 'inner.c',
    lines: inC('').map((line) => line.replace('    #pragma', '    for (int k = 0; k < argc; k++)\n    #pragma')),
  },
  {
    title: 'Fortran, bounds from below',
    name: 'bounds.f90',
    lines: [
      'program steps',
      '  implicit none',
      '  integer :: i, step',
      '  real(4) :: a(0:1023), b(1024)',
      '  a = 1.0',
      '  b = 0.0',
      '  do step = 1, 1000',
      '    !$acc parallel loop copyin(a) copyout(b(1:256))',
      '    do i = 1, 256',
      '      b(i) = a(i) + 1.0',
      '    end do',
      '  end do',
      '  print *, b(1)',
      'end program',
    ],
    bytes: [4096, 1024, false],
  },
];

describe('bytes of repeated transfers', () => {
  for (const { title, name, lines, bytes } of cases)
    it(title, async () => {
      const workspace = await memoryWorkspace(new Map());
      await workspace.ready(memoryUri(name));
      const { model } = workspace.analyse(memoryUri(name), { text: `${lines.join('\n')}\n`, version: 1 })!;
      const facts = model.facts['acc-repeated-transfer'];
      deepStrictEqual(
        facts.map(({ bytes: told }) => told && [told.toGpu, told.toHost, told.atMost]),
        [bytes],
      );
    });
});
