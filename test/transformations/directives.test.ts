// Programs of OpenACC have the findings of the same programs with other directives, forms and structures.
import { deepStrictEqual, notDeepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import type { Syntax } from '../../server/src/syntax';
import { testSyntax } from '../support/analyseText';
import { sampleOf } from '../support/depth';
import { compare } from './compare';
import { directiveSourcesOf, type Source } from './corpus';
import { composedDirectives, directiveTransformations, transformedDirectives } from './directives';
import known from './knownDirectives.json';
import type { Transformed } from './program';

const differing: Readonly<Record<string, { readonly reason: string; readonly programs: readonly string[] }>> =
  known.single;
const differingTogether: Readonly<Record<string, readonly string[]>> = known.composed;

describe('transformations of directives', () => {
  let syntax: Syntax;
  before(async function () {
    this.timeout(30_000);
    syntax = await testSyntax();
    await syntax.loadFortran();
  });
  const sources = directiveSourcesOf();

  it('write what they say, and places stay known', () => {
    const text = [
      'void f(int n, double *restrict a) {',
      '  #pragma acc parallel loop gang copy(a[0:n])',
      '  for (int i = 0; i < n; i++) a[i] = 0;',
      '}',
      '',
    ].join('\n');
    const made = (name: string): string | undefined =>
      transformedDirectives(syntax, '/one.c', text, directiveTransformations.find((one) => one.name === name)!)?.main
        .text;
    const line = '  #pragma acc parallel loop gang copy(a[0:n])';
    strictEqual(
      made('combined directives split'),
      text.replace(line, '  #pragma acc parallel copy(a[0:n])\n  #pragma acc loop gang'),
    );
    strictEqual(made('_Pragma'), text.replace(line, '  _Pragma("acc parallel loop gang copy(a[0:n])")'));
    strictEqual(made('clauses in another order'), text.replace('gang copy(a[0:n])', 'copy(a[0:n]) gang'));
    strictEqual(made('enter and exit data'), undefined);
  });

  it('know no exception that is not there', () => {
    const names = new Set(directiveTransformations.map(({ name }) => name));
    const programs = new Set(sources.map(({ name }) => name));
    for (const [name, { programs: listed, reason }] of Object.entries(differing)) {
      ok(names.has(name), name);
      ok(reason.length > 10, `${name} has no reason`);
      for (const each of listed) ok(programs.has(each), `${name}: ${each}`);
    }
  });

  /** A known exception has to differ, or is to be taken from the list. */
  const demand = (source: Source, program: Transformed, exception: boolean): void => {
    const results = compare(syntax, source.path, source.text, program, source.beside);
    const bad = results.filter(({ verdict }) => verdict !== 'unchanged');
    if (exception) notDeepStrictEqual(bad, [], 'nothing differs any more: take it from knownDirectives.json');
    else deepStrictEqual(bad, []);
  };

  const pairs = sources.flatMap((source) => directiveTransformations.map((one) => ({ source, one })));
  for (const { source, one } of sampleOf(pairs, 60))
    it(`${one.name}: ${source.name}`, () => {
      const program = transformedDirectives(syntax, source.path, source.text, one);
      if (program) demand(source, program, !!differing[one.name]?.programs.includes(source.name));
    });

  for (const source of sampleOf(sources, 10))
    it(`three composed by seed 1: ${source.name}`, () => {
      const made = composedDirectives(syntax, source.path, source.text, 1, 3);
      if (made) demand(source, made.program, !!differingTogether['1']?.includes(source.name));
    });
});
