// Device functions that edits leave without a call.
import { strictEqual } from 'node:assert/strict';
import { Fn } from '../../../server/src/semantic/language/fn';
import { withoutUnused } from '../../../server/src/semantic/fixes/unusedHelpers';
import { testSyntax } from '../../support/analyseText';
import { applied } from './harness';

/** The file after a fix of kernel `k` that writes `written` in the place of `sum(v)`. */
async function fixed(text: string, { written = '0', uri = 'file:///test.cu', other = '' } = {}): Promise<string> {
  const unit = (await testSyntax()).parse(
    uri,
    text,
    0,
    { defines: {}, computeCapability: 90 },
    { resolve: () => (other === '' ? undefined : { uri: 'file:///other.cuh', text: other, version: 0 }) },
  );
  const fn = unit.main.functions.find(({ name, body }) => name === 'k' && body)!;
  const start = text.indexOf('v[0] = sum(v)') + 'v[0] = '.length;
  const edit = { at: { uri, start, end: start + 'sum(v)'.length }, newText: written };
  return applied(text, withoutUnused(new Fn(unit, unit.main, fn), { edits: [edit], title: '' }).edits);
}

const kernel = '__global__ void k(int *v) { v[0] = sum(v); }\n';
const replaced = kernel.replace('sum(v)', '0');
const helper = '__device__ int sum(int *v) { return v[0]; }\n';
const head = '#include <cstdio>\n\n';

describe('helpers that a fix leaves without a use', () => {
  const removed: Readonly<Record<string, readonly [string, string]>> = {
    'a function': [`${head}${helper}\n${kernel}`, `${head}${replaced}`],
    'a template': [`${head}template <int N>\n${helper}\n${kernel}`, `${head}${replaced}`],
    'its comments': [`${head}// Adds,\n// slowly.\n${helper}\n${kernel}`, `${head}${replaced}`],
    'what it alone calls': [
      `${head}__device__ int one(int *v) { return v[1]; }\n${helper.replace('v[0]', 'one(v)')}\n${kernel}`,
      `${head}${replaced}`,
    ],
    'all of its overloads': [
      `${head}${helper}${helper.replaceAll('int *v', 'long *v')}\n${kernel}`,
      `${head}${replaced}`,
    ],
  };
  for (const [name, [before, then]] of Object.entries(removed))
    it(`removes ${name}`, async () => {
      strictEqual(await fixed(before), then);
    });

  it('leaves the comment that a file begins with', async () => {
    strictEqual(await fixed(`// Sums.\n${helper}\n${kernel}`), `// Sums.\n\n${replaced}`);
  });

  const kept: Readonly<Record<string, readonly [string, Parameters<typeof fixed>[1]?]>> = {
    'another kernel calls': [`${head}${helper}${kernel}__global__ void l(int *v) { v[1] = sum(v); }\n`],
    'a macro names': [`${head}#define SUM(v) sum(v)\n${helper}${kernel}`],
    'a branch that is not compiled calls': [`${head}${helper}${kernel}#ifdef OTHER\nint x = sum(0);\n#endif\n`],
    'a declaration announces': [`${head}__device__ int sum(int *v);\n${helper}${kernel}`],
    'the fix itself calls': [`${head}${helper}${kernel}`, { written: 'sum(v + 1)' }],
    'the host may call': [`${head}__host__ ${helper}${kernel}`],
    'a header defines': [`${head}${helper}${kernel}`, { uri: 'file:///test.cuh' }],
    'another file defines': [`#include "other.cuh"\n${kernel}`, { other: helper }],
    'an included file calls': [`#include "other.cuh"\n${helper}${kernel}`, { other: '#define SUM(v) sum(v)\n' }],
    'a pragma speaks of': [`${head}#pragma nv_exec_check_disable\n${helper}${kernel}`],
    'shares its line': [`${head}${helper.trimEnd()} ${kernel}`],
  };
  for (const [name, [text, how]] of Object.entries(kept))
    it(`keeps what ${name}`, async () => {
      strictEqual(await fixed(text, how), text.replace('sum(v); }\n', `${how?.written ?? '0'}; }\n`));
    });

  it('keeps a method', async () => {
    const text = `${head}struct S {\n  int *v;\n  __device__ int sum(int *v) { return v[0]; }\n};\n${kernel}`;
    strictEqual(await fixed(text), text.replace(kernel, replaced));
  });
});
