// Paths of variables: their parts, their roots, and what a callee's path is at the call.
import assert from 'node:assert/strict';
import {
  clauseNames,
  hostLoops,
  isPartOf,
  itemPath,
  joinPath,
  pathTo,
  rootOfPath,
} from '../../../server/src/semantic/acc/analysis/paths';
import type { Clause, ClauseItem, LoopStep, RegionStep, Step, Value } from '../../../server/src/syntax/procedures';

const at = { start: 0, end: 1 };
const name: Value = { ...at, kind: 'name', name: 's' };
const address: Value = { ...at, kind: 'unary', op: '&', operand: name };
const pointed: Value = { ...at, kind: 'unary', op: '*', operand: name };
const element: Value = { ...at, kind: 'element', array: 's', base: name, subscripts: [] };

describe('paths of variables', () => {
  it('have the name that they begin with for a root', () =>
    assert.deepEqual(['s', 's.rows->v', 'b$2%x', '(*s).v', '->v'].map(rootOfPath), ['s', 's', 'b$2', '(*s).v', '->v']));
  it('contain the text after a separator', () => {
    for (const part of ['s', 's.v', 's->v', 's%v', 's[0]']) assert.ok(isPartOf(part, 's'), part);
    for (const other of ['s2', 'r', 'r.s', 'S.v', 's2->v', 's2.v']) assert.ok(!isPartOf(other, 's'), other);
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

  it('lead through addresses, pointers and elements', () => {
    const negated: Value = { ...at, kind: 'unary', op: '-', operand: name };
    const call: Value = { ...at, kind: 'call', name: 'f', args: [name] };
    const nameless: Value = { ...at, kind: 'element', array: '', base: call, subscripts: [] };
    const member: Value = { ...at, kind: 'member', object: name, field: 'v', path: 's.v' } as Value;
    assert.deepEqual([name, address, pointed, element, member, negated, call, nameless].map(pathTo), [
      's',
      's',
      's',
      's',
      's.v',
      undefined,
      undefined,
      undefined,
    ]);
  });
  const item = (value: Value | undefined, variable?: string): ClauseItem => ({ ...at, value, variable }) as ClauseItem;
  it('of items are those of their values, or their names', () =>
    assert.deepEqual(
      [item(element, 'other'), item(undefined, 'block'), item({ ...at, kind: 'number', value: 1 } as Value, 'n')].map(
        itemPath,
      ),
      ['s', 'block', 'n'],
    ));
  it('are named by a clause that names them, a part of them, or what they are part of', () => {
    const clause = (...items: readonly ClauseItem[]): Clause =>
      ({ ...at, name: 'copy', argument: { items } }) as unknown as Clause;
    const part = item({ ...at, kind: 'member', object: name, field: 'v', path: 's->v' } as Value);
    for (const path of ['s', 's->v', 's->v.w']) assert.ok(clauseNames(clause(item(undefined, 'q'), part), path), path);
    for (const path of ['s->w', 'q', 't']) assert.ok(!clauseNames(clause(part), path), path);
    assert.ok(clauseNames(clause(item(undefined, 's')), 's->v'));
    assert.ok(!clauseNames(clause(item(undefined), part), 'undefined'));
    assert.ok(!clauseNames({ ...at, name: 'seq' } as unknown as Clause, 's'));
  });
  it('of host loops end at the construct around them', () => {
    const loop = (kind: string): Step => ({ ...at, kind }) as unknown as Step;
    const region = (directive: string): RegionStep =>
      ({ ...at, kind: 'region', directive: { ...at, name: directive, clauses: [] } }) as unknown as RegionStep;
    const [inner, outer] = [loop('loop'), loop('loop')] as LoopStep[];
    assert.deepEqual(hostLoops([inner!, loop('branch'), region('data'), outer!]), [inner, outer]);
    assert.deepEqual(hostLoops([inner!, region('parallel'), outer!]), [inner]);
    assert.deepEqual(hostLoops([]), []);
  });
});
