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
