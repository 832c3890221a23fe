// Paths of variables: their parts, their roots, and what a callee's path is at the call.
import assert from 'node:assert/strict';
import { isPartOf, joinPath, rootOfPath } from '../../../server/src/semantic/acc/analysis/paths';
import type { Value } from '../../../server/src/syntax/procedures';

const at = { start: 0, end: 1 };
const name: Value = { ...at, kind: 'name', name: 's' };
const address: Value = { ...at, kind: 'unary', op: '&', operand: name };
const pointed: Value = { ...at, kind: 'unary', op: '*', operand: name };
const element: Value = { ...at, kind: 'element', array: 's', base: name, subscripts: [] };

describe('paths of variables', () => {
  it('have the name that they begin with for a root', () =>
    assert.deepEqual(['s', 's.rows->v', 'b$2%x', '(*s).v', '->v'].map(rootOfPath), ['s', 's', 'b$2', '(*s).v', '->v']));
  it('hold what stands behind a separator', () => {
    for (const part of ['s', 's.v', 's->v', 's%v', 's[0]']) assert.ok(isPartOf(part, 's'), part);
    for (const other of ['s2', 'r', 'r.s', 'S.v']) assert.ok(!isPartOf(other, 's'), other);
  });
  const joined: readonly (readonly [string, Value, string, string])[] = [
    ['an address and a field behind the pointer', address, '->v', 's.v'],
    ['an address and a field further in', address, '->v->w', 's.v->w'],
    ['an address itself', address, '', 's'],
    ['a pointer and its field', name, '->v', 's->v'],
    ['a structure and its field', name, '.v', 's.v'],
    ['what a pointer points to, and a field', pointed, '->v', 's->v'],
    ['an element and a field', element, '.v', 's->v'],
    ['an element and a field further in', element, '.v.w', 's->v.w'],
    ['an element and a field behind it', element, '->v', 's->v'],
    ['an element itself', element, '', 's'],
  ];
  for (const [of, argument, suffix, path] of joined)
    it(`are those of the caller: ${of}`, () => assert.equal(joinPath(argument, 's', suffix), path));
});
