// Keys of template arguments: types made of one type twice over, level upon level, must not be written out in full.
import assert from 'node:assert/strict';
import {
  floatType,
  intType,
  type Bindings,
  type StructType,
  type Type,
} from '../../server/src/semantic/language/types';
import { bindingsKey } from '../../server/src/semantic/run/scope';
import { memoryUri, memoryWorkspace } from '../support/analyseText';

/** `Two<T, T>` of the type, as often as `levels` says. */
function nested(first: Type, levels: number): Bindings {
  let type = first;
  let bindings: Bindings = { types: new Map([['T', type]]), values: new Map() };
  for (let level = 0; level < levels; level++) {
    bindings = {
      types: new Map([
        ['A', type],
        ['B', type],
      ]),
      values: new Map(),
      parent: bindings,
    };
    type = { kind: 'struct', name: 'Two', size: 8, align: 4, fields: new Map(), bindings } satisfies StructType;
  }
  return bindings;
}

describe('keys of template arguments', () => {
  it('are short, equal for equal arguments, and differ where one type in the depth differs', () => {
    const key = bindingsKey(nested(floatType, 60));
    assert.ok(key.length < 200, `${key.length} characters`);
    assert.equal(bindingsKey(nested(floatType, 60)), key);
    assert.notEqual(bindingsKey(nested(intType, 60)), key);
    assert.notEqual(bindingsKey(nested(floatType, 59)), key);
  });
});

describe('classes of templates whose bases name two others each', () => {
  it('are looked at so far and no further, and the kernel keeps its figures', async () => {
    const text = `template <int N, class T> struct Odd;
template <int N, class T> struct Even : Odd<N - 1, T>, Odd<N - 2, T> {};
template <int N, class T> struct Odd : Even<N - 1, T>, Even<N - 2, T> {};
template <class T> __global__ void k(T *a) {
  typename Even<40, T>::type x = a[threadIdx.x * 4];
  a[threadIdx.x * 8] = x;
}
void go(float *a) { k<float><<<1, 128>>>(a); }
`;
    const workspace = await memoryWorkspace(new Map([['/memory/traits.cu', text]]));
    const { model } = workspace.analyse(memoryUri('traits.cu'))!;
    assert.deepEqual(
      model.facts.access.map(({ mode, sectors }) => `${mode} ${sectors}`),
      ['load 16', 'store 32'],
    );
    // Without a limit this takes hours.
  }).timeout(10_000);
});
