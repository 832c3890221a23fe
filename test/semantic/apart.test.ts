// Subscripts that never meet, by the conditions around them, and those that may.
import assert from 'node:assert/strict';
import { areApart, areApartBetweenThreads } from '../../server/src/semantic/language/apart';
import { contextOf, nodesOf } from './fixes/harness';

/** Of the first element of `s` and the next one: whether a thread's are apart, and those of two threads. */
async function apart(body: string): Promise<string> {
  const context = await contextOf(
    '__global__ void k(int n, unsigned int u, short w) {\n  __shared__ int s[64][64];\n' +
      `  int t = threadIdx.x, i = 0, j = 0, v = 0;\n  i = n;\n  j = n;\n  ${body}\n}\n`,
  );
  const locals = context.locals;
  const [place, other] = nodesOf(context, 'index').filter((node) => locals.parent(node)?.kind !== 'index');
  assert.ok(place && other);
  const said = (yes: boolean): string => (yes ? 'apart' : 'may meet');
  return `${said(areApart(place, other, locals))}, ${said(areApartBetweenThreads(place, other, locals))}`;
}

describe('places of one array', () => {
  const both = 'apart, apart';
  const neither = 'may meet, may meet';
  const cases: readonly (readonly [string, string, string])[] = [
    ['a loop that ends before', 'for (j = 0; j < i; j++) s[i][t] += s[j][t];', both],
    ['a loop that ends with it', 'for (j = 0; j <= i; j++) s[i][t] += s[j][t];', neither],
    ['a loop that starts behind it', 'for (int k = i + 1; k < n; k++) s[i][t] += s[k][t];', both],
    ['a loop that goes back', 'for (int k = i + 1; k < n; k--) s[i][t] += s[k][t];', neither],
    ['a loop by a step that may be nothing', 'for (int k = i + 1; k < n; k += n) s[i][t] += s[k][t];', neither],
    ['a variable that the body moves', 'for (j = 0; j < i; j++) { j += 2; s[i][t] += s[j][t]; }', neither],
    ['an end that the body moves', 'for (j = 0; j < i; j++) { i--; s[i][t] += s[j][t]; }', neither],
    ['two conditions together', 'if (t > i) for (j = 0; j < i; j++) s[t][i] += s[j][i];', both],
    ['both in one condition', 'if (j < i && i < t) s[t][i] += s[j][i];', both],
    ['one of two conditions', 'if (j < i || i < t) s[t][i] += s[j][i];', neither],
    ['the other arm', 'if (j < i) v = 1; else s[i][t] += s[j][t];', neither],
    ['numbers', 's[i + 1][t] += s[i][t];', both],
    ['products', 'for (j = 0; j < i; j++) s[0][8 * i] += s[0][8 * j];', both],
    ['a separate row', 'if (j < i) s[t][i] += s[t][j];', both],
    ['columns of the lanes', 'if (n > 0) s[0][t] += s[0][t + n];', 'apart, may meet'],
    ['two dimensions that differ', 'if (j < i) s[i][t] += s[j][t + 64];', 'may meet, apart'],
    ['no signs at all', 'if (u < threadIdx.x) s[threadIdx.x][0] += s[u][0];', both],
    ['a number that signs make large', 'if (u < n) s[n][0] += s[u][0];', neither],
    ['a difference without signs', 'if (i < threadIdx.x - u) s[threadIdx.x - u][0] += s[i][0];', neither],
    ['narrow numbers', 'if (w < i) s[i][0] += s[w][0];', neither],
    ['a number by its address', 'int *p = &i; if (j < i) { *p = 0; s[i][0] += s[j][0]; }', neither],
    ['numbers of each thread', 'i = threadIdx.x; j = threadIdx.y; if (j < i) s[i][0] += s[j][0];', 'apart, may meet'],
  ];
  for (const [name, body, said] of cases) it(`${said}: ${name}`, async () => assert.equal(await apart(body), said));
});
