// One atomic a warp: what is written, and one example that fails each precondition alone.
import assert from 'node:assert/strict';
import { warpAtomicOf } from '../../../server/src/semantic/fixes/warpAtomics';
import { applied, contextOf, nodesOf } from './harness';

const include = '#include <cstdio>\n';
const kernel = (statement: string, before = include): string =>
  `${before}__global__ void k(const float *in, float *sum, int *count, int n) {\n  int i = threadIdx.x;\n  ${statement}\n}\n`;

async function once(text: string, given: readonly string[] = []): Promise<string> {
  const context = await contextOf(text, 'k', {
    blockShapes: [[256, 1, 1]],
    launchTypes: given.map((type) => new Map([['T', type]])),
  });
  const call = nodesOf(context, 'call').find(
    ({ callee }) => callee.kind === 'name' && /^(atomicAdd|ADD)$/.test(callee.name),
  );
  assert.ok(call);
  const fact = warpAtomicOf(context, call);
  return 'edits' in fact ? applied(text, fact.edits) : `refused: ${fact.precondition}`;
}
const written = (address: string, value: string, [lanes, part] = ['lanes', 'part']): string =>
  [
    '{',
    `    const auto ${lanes} = cooperative_groups::coalesced_threads();`,
    `    float ${part} = ${value};`,
    `    ${part} = cooperative_groups::reduce(${lanes}, ${part}, cooperative_groups::plus<float>());`,
    `    if (${lanes}.thread_rank() == 0) atomicAdd(${address}, ${part});`,
    '  }',
  ].join('\n');
const headers = '#include <cooperative_groups.h>\n#include <cooperative_groups/reduce.h>\n';

describe('one atomic per warp', () => {
  const lines = (...parts: readonly (readonly [string, string, string])[]): string =>
    ['const auto lanes = cooperative_groups::coalesced_threads();']
      .concat(
        parts.flatMap(([part, value, address]) => [
          `float ${part} = ${value};`,
          `${part} = cooperative_groups::reduce(lanes, ${part}, cooperative_groups::plus<float>());`,
          `if (lanes.thread_rank() == 0) atomicAdd(${address}, ${part});`,
        ]),
      )
      .join('\n    ');
  it('forms one group for additions on lines in a row, whichever is asked about', async () => {
    const [first, second] = ['atomicAdd(sum, in[i]);', 'atomicAdd(&sum[1], 2.0f);'];
    for (const asked of ['in[i]', '2.0f']) {
      const text = kernel(`count[i] = 1;\n  ${first}\n  ${second}\n  count[i]++;`, headers);
      const context = await contextOf(text, 'k', { blockShapes: [[256, 1, 1]] });
      const call = nodesOf(context, 'call').find(({ args }) => context.text(args[1]!) === asked);
      const fact = warpAtomicOf(context, call!);
      const group = lines(['part', 'in[i]', 'sum'], ['part2', '2.0f', '&sum[1]']);
      const braced = `{\n    ${group}\n  }`;
      assert.equal(
        'edits' in fact && applied(text, fact.edits),
        kernel(`count[i] = 1;\n  ${braced}\n  count[i]++;`, headers),
      );
    }
  });
  for (const [name, next] of [
    ['behind a comment', '// Again.\n  atomicAdd(sum, 1);'],
    ['behind a blank line', '\n  atomicAdd(sum, 1);'],
    ['of another array', 'atomicAdd(&count[i], 1);'],
    ['of another type', '__shared__ struct { int n; } c;\n  atomicAdd(&c.n, 1);'],
  ] as const)
    it(`leaves an addition ${name}`, async () =>
      assert.equal(
        await once(kernel(`atomicAdd(sum, in[i]);\n  ${next}`, headers)),
        kernel(`${written('sum', 'in[i]')}\n  ${next}`, headers),
      ));
  it('leaves the field of another type beside it', async () =>
    assert.match(
      await once(kernel('__shared__ struct { float x; int n; } s;\n  atomicAdd(&s.x, 1);\n  atomicAdd(&s.n, 1);')),
      /\n {2}\}\n {2}atomicAdd\(&s\.n, 1\);/,
    ));
  it('adds headers to those in angle brackets', async () => {
    for (const own of ['#include "own.h"\n\n// The library.\n', '#include "own.h"\n'])
      assert.equal(
        await once(kernel('atomicAdd(sum, in[i]);', own + include)),
        kernel(written('sum', 'in[i]'), own + headers + include),
      );
    const late = '#include "own.h"\nint before();\n';
    assert.equal(
      await once(kernel('atomicAdd(sum, in[i]);', late + include)),
      kernel(written('sum', 'in[i]'), headers + late + include),
    );
  });
  it('calls the type of the target as the code does', async () => {
    const own = (text: string, type: string): string => text.replaceAll('float', type);
    for (const declared of ['#define REAL float\n', 'typedef float REAL;\n']) {
      const before = headers + declared;
      for (const target of ['sum', '&sum[1]', 'sum + 1'])
        assert.equal(
          await once(before + own(kernel(`atomicAdd(${target}, in[i]);`, ''), 'REAL')),
          before + own(kernel(written(target, 'in[i]'), ''), 'REAL'),
        );
    }
  });
  it('knows a variable of the block, and wide integers', async () => {
    assert.match(await once(kernel('__shared__ float total; atomicAdd(&total, in[i]);')), /atomicAdd\(&total, part\);/);
    assert.match(await once(kernel('__shared__ double2 total; atomicAdd(&total.x, 1);')), /double part = 1;/);
    assert.match(
      await once(kernel('atomicAdd(wide, 1ull);').replace('int *count', 'unsigned long long *wide')),
      /unsigned long long part = 1ull;/,
    );
  });
  for (const [name, before, behind] of [
    ['behind a condition', '#if 1\n#include <cmath>\n#endif\n', '#include <cstdio>\n'],
    ['behind one in another', '#if 1\n#ifdef SOME\n#endif\n#include <cmath>\n#endif\n', '#include <cstdio>\n'],
    ['behind an arm', '#if 0\n#else\n#include <cmath>\n#endif\n', '#include <cstdio>\n'],
    ['in front of a condition', '', '#include <cstdio>\n#if 1\n#include <cmath>\n#endif\n'],
    ['within a guard', '#ifndef ALL\n#define ALL\n', '#include <cstdio>\n#endif\n'],
    ['behind more that ends than begins', '#endif\n#if 1\n#endif\n', '#include <cstdio>\n'],
  ] as const)
    it(`includes ${name}`, async () =>
      assert.equal(
        await once(kernel('atomicAdd(sum, in[i]);', before + behind)),
        kernel(written('sum', 'in[i]'), before + headers + behind),
      ));
  const guarded = '#ifndef WIDTH\n#define WIDTH 32\n#endif\n#ifndef HEIGHT\n#define HEIGHT 8\n#endif\n';
  const hip = '#ifdef __HIP__\n#include <hip/hip_runtime.h>\n#endif\n';
  const [one] = headers.split(/(?<=\n)/);
  const [from, to, scaled] = ['atomicAdd(sum, in[i]);', written('sum', 'in[i]'), 'float part = in[i], lanes = 1;'];
  const alone = lines(['part', 'in[i]', 'sum'], ['part2', '1', 'sum + 1']);
  // Name, statement and what it becomes; what is before the kernel, on both sides.
  const replaced: readonly (readonly [string, string, string, string?, string?])[] = [
    ['adds up the lanes that are there', `if (i < n) ${from}`, `if (i < n) ${to}`],
    [
      ...([
        'writes no braces where a block holds nothing else',
        `if (i < n) {\n    ${from}\n    atomicAdd(sum + 1, 1);\n  }`,
      ] as const),
      ...([`if (i < n) {\n    ${alone}\n  }`, headers, headers] as const),
    ],
    ['knows places of a block', 'atomicAdd(&sum[blockIdx.x], 1);', written('&sum[blockIdx.x]', '1')],
    ['knows headers that are there', from, to, headers, headers],
    ['adds a header to the one that it belongs to', from, to, `${include}${one}`, include + headers],
    ['opens a file with the headers, behind its comments', from, to, '// Of all.\n', `// Of all.\n${headers}`],
    ['opens a file of conditions that includes nothing', from, to, guarded, headers + guarded],
    ['leaves out includes under a condition', from, to, hip + include, hip + headers + include],
    ['leaves comments beside it where they are', `/* of all */${from}/* once */`, `/* of all */${to}/* once */`],
    [
      ...(['takes names that are free', `${scaled} atomicAdd(sum + 1, part * lanes);`] as const),
      `${scaled} ${written('sum + 1', 'part * lanes', ['lanes2', 'part2'])}`,
    ],
  ];
  for (const [name, before, after, top = include, above = headers + include] of replaced)
    it(name, async () => assert.equal(await once(kernel(before, top)), kernel(after, above)));

  const refusals: readonly (readonly [string, string])[] = [
    ['statement: the old value is used', kernel('float before = atomicAdd(sum, in[i]);')],
    ['statement: a comment inside', kernel('atomicAdd(sum, /* squared */ in[i] * in[i]);')],
    ['address: a variable of the thread', kernel('float own = 0; atomicAdd(&own, in[i]);')],
    ['address: of the thread', kernel('atomicAdd(&sum[i], in[i]);')],
    ['address: a field of a variable of the thread', kernel('float2 own; atomicAdd(&own.x, in[i]);')],
    ['address: a field of what each thread has', kernel('__shared__ float2 own[32]; atomicAdd(&own[i].x, in[i]);')],
    [
      'address: behind a pointer',
      kernel(
        'Both *both = all + i; atomicAdd(&both->x, in[i]);',
        `${include}struct Both { float x; };\n__device__ Both all[9];\n`,
      ),
    ],
    ['address: that data decide', kernel('atomicAdd(&sum[count[0]], in[i]);')],
    ['address: which counts', kernel('atomicAdd(&sum[n++], in[i]);')],
    ['neighbours: its twin stays', kernel('atomicAdd(&sum[n], in[i]);\n  atomicAdd(&sum[n++], in[i]);')],
    ['headers: under a condition', kernel('atomicAdd(sum, in[i]);', '#if FAST\n#include <cstdio>\n#endif\n')],
  ];
  for (const [name, text] of refusals)
    it(`does not: ${name}`, async () => assert.equal(await once(text), `refused: ${name.split(':')[0]!}`));
});
