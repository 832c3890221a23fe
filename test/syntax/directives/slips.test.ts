// One mistake, one problem: consequences of a mistake are not reported, a second mistake is.
import assert from 'node:assert/strict';
import { NO_INCLUDES, SETTINGS, sharedSyntax } from '../support';

/** The text of each problem's place. */
async function problems(directive: string): Promise<string[]> {
  const syntax = await sharedSyntax();
  const text = `${directive}\nfor (int i = 0; i < n; i++) a[i] = 0;\n`;
  syntax.forget('file:///test.c');
  const [first] = syntax.parse('file:///test.c', text, 1, SETTINGS, NO_INCLUDES).main.directives;
  return first!.problems.map(({ code, at }) => `${code} ${text.slice(at.start, at.end)}`);
}

describe('slips in directives', () => {
  const one: readonly (readonly [string, string])[] = [
    // The line break got lost, as when Enter takes a completion.
    ['vectorfor (int j = 0; j < n; j++)', 'unknown-clause vectorfor'],
    ['vectorfor (int j = 0; j < n; j++) { sum += a[i * n + j] * x[j]; }', 'unknown-clause vectorfor'],
    ['gangfor (int j = 0; j < n; j++) a[j] = b[j];', 'unknown-clause gangfor'],
    ['vector for (int j = 0; j < n; j++) a[j] = b[j];', 'unknown-clause for'],
    ['vectorwhile (j < n) { j++; }', 'unknown-clause vectorwhile'],
    ['vector_length(32 for (int j = 0; j < n; j++)', 'malformed ('],
    ['vector a[j] = b[j];', 'unknown-clause a'],
    ['private(x) copyinn(a[0:n]) }', 'unknown-clause copyinn'],
    ['zzz yyy xxx', 'unknown-clause zzz'],
    ['gang ; ) ; (', 'malformed ;'],
    ['reduction(+:sum', 'malformed ('],
  ];
  for (const [clauses, expected] of one)
    it(clauses, async () => assert.deepEqual(await problems(`#pragma acc parallel loop ${clauses}`), [expected]));

  const two: readonly (readonly [string, readonly string[]])[] = [
    ['vectr gng', ['unknown-clause vectr', 'unknown-clause gng']],
    ['zzz gang yyy', ['unknown-clause zzz', 'unknown-clause yyy']],
    ['collapse(0) zzz', ['argument-malformed 0', 'unknown-clause zzz']],
    ['firstprivate(3, x + y)', ['argument-malformed 3', 'argument-malformed x + y']],
    ['zzz gang )', ['unknown-clause zzz', 'malformed )']],
  ];
  for (const [clauses, expected] of two)
    it(`${clauses}: two slips`, async () =>
      assert.deepEqual(await problems(`#pragma acc parallel loop ${clauses}`), expected));
});
