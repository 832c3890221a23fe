// Which kernels do all their work in loops over the grid: one example for each condition.
import assert from 'node:assert/strict';
import { onlyStrides } from '../../../server/src/semantic/fixes/launchShapes/strides';
import { numberPlacesOf } from '../../../server/src/semantic/fixes/threadNumbers/rows';
import { contextOf } from './harness';

const head = 'for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)';

describe('loops over the grid', () => {
  const examples: readonly (readonly [string, boolean, string])[] = [
    ['an element each', true, `${head} out[i] = in[i];`],
    ['a variable that each iteration sets first', true, `float x; ${head} { x = in[i]; x += 1; out[i] = x; }`],
    ['a counter from outside', true, `int c; ${head} { for (c = 0; c < 4; c++) out[i] += in[c]; }`],
    ['a variable that the iteration sets around its use', true, `int c; ${head} { c = 2; if (n > 3) { out[i] = c; } }`],
    ['a variable of the iteration', true, `${head} { int c = 0; c++; out[i] = c; }`],
    ['a value that all iterations read', true, `float x = n; ${head} out[i] = x;`],
    ['a count of iterations', false, `int count = 0; ${head} out[i] = count++;`],
    ['a pointer that goes on', false, `${head} { in += i; out[i] = in[0]; }`],
    ['a variable that is set from itself', false, `float x = 0; ${head} { x = x + in[i]; out[i] = x; }`],
    ['a variable that is set after its use', false, `float x = 0; ${head} { out[i] = x; x = in[i]; }`],
    ['a variable that is set on one path', false, `float x = 0; ${head} { if (n > 3) x = in[i]; out[i] = x; }`],
    ['an element of an array of the thread', false, `float x[2] = {}; ${head} { x[0] += in[i]; out[i] = x[0]; }`],
    ['a field', false, `float2 x = {}; ${head} { x.y += in[i]; out[i] = x.y; }`],
    ['a variable that a function may write', false, `float x = 0; ${head} { next(&x); out[i] = x; }`],
    ['what the thread leaves after the loop', false, `${head} out[i] = in[i];\nout[0] = 1;`],
    ['a number of threads that is a value', false, `${head} out[i] = gridDim.x * blockDim.x;`],
  ];
  for (const [name, expected, body] of examples)
    it(`${expected ? 'are all' : 'are not all'}: ${name}`, async () => {
      const text = `__device__ void next(float *x);\n__global__ void k(const float *in, float *out, int n) { ${body} }\n`;
      const context = await contextOf(text, 'k', { blockShapes: [], allShapesKnown: false });
      const places = numberPlacesOf(context, undefined);
      assert.ok(typeof places !== 'string');
      assert.equal(onlyStrides(context, places), expected);
    });
});
