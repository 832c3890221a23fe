// Copies of one number to the host on each iteration of a loop: what they bring, and what for.
import type { Expr, Stmt } from '../../syntax/ast';
import type { RuntimeCallFact } from '../model';
import { type AnySyntax, type Fn, type Local, mentions, some } from '../language';
import {
  type Called,
  launchesIn,
  loopsAround,
  runtimeCallsOf,
  tripsOf,
  type HostLoop,
  type RuntimeCall,
} from './calls';
import { definitionsOf, readsClock } from './callees';
import { bringsToHost } from './directions';
import { addressedVariable, placeOf } from './places';
import { fewTrips } from './waits';
import { alwaysCalled } from './within';

type Num = NonNullable<NonNullable<RuntimeCallFact['wait']>['number']>;

/**
 * The number that a blocking copy brings for the host to read; undefined where a launch of the loop is given it, where
 * each iteration is timed, and where an iteration is more than the launches between two copies.
 */
export function numberOf(copy: RuntimeCall, fn: Fn): Num | undefined {
  const loop = copy.loops[0]!;
  const variable = bringsToHost(copy, fn) ? numberAt(copy.call.args[0], fn) : undefined;
  if (!variable || variable.parameter?.type.kind === 'reference') return undefined;
  if (!queues(loop, fn)) return undefined;
  const names = derivedFrom(variable, loop, fn);
  if (launchesIn(loop, fn).some((launch) => names.some((name) => mentions(launch as Expr, name)))) return undefined;
  const isRead = variable.uses.some((use) => fn.isInside(use, loop) && !fn.isInside(use, copy.call));
  if (!isRead) return undefined;
  return { name: variable.name, ends: endsLoop(names, loop) };
}

/**
 * A method that copies to the host whenever it runs, where the loop asks its object for nothing but whether to end.
 * The copy is the call's, with what it brings.
 */
export function testOf(one: Called, fn: Fn): readonly [copy: RuntimeCall, number: Num] | undefined {
  const { call } = one;
  const loop = one.loops[0]!;
  const object = call.callee.kind === 'member' ? call.callee.object : undefined;
  const place = object && placeOf(object);
  const copies = place === undefined ? [] : definitionsOf(call, fn).map((decl) => copyBack(fn.of(decl)));
  const [copy] = copies;
  if (!copy || copies.includes(undefined) || !queues(loop, fn)) return undefined;
  // The memory of the GPU that it holds, too, is for launches.
  const source = copy.call.args[1] && placeOf(copy.call.args[1]);
  const reads = fn.locals.nodes.filter((node) => {
    if ((node.kind !== 'name' && node.kind !== 'member') || placeOf(node) !== place) return false;
    const parent = fn.parent(node);
    const isOfDevice = parent?.kind === 'member' && parent.field === source;
    return fn.isInside(node, loop) && !fn.isInside(node, call) && !isOfDevice;
  });
  const isTest = (read: AnySyntax): boolean =>
    [...fn.around(read)].some(
      (around) => around.kind === 'if' && fn.isInside(read, around.cond) && leaves(around.then),
    );
  if (reads.length === 0 || !reads.every(isTest)) return undefined;
  return [
    { ...one, name: copy.name, category: 'copy' },
    { name: fn.text(object!), ends: true },
  ];
}

/** Does the loop itself launch, more than twice and under no clock? */
export function queues(loop: HostLoop, fn: Fn): boolean {
  const launches = launchesIn(loop, fn).some((launch) => loopsAround(launch, fn)[0] === loop);
  return launches && (tripsOf(loop, fn) ?? Infinity) > fewTrips && !some(loop.body, (node) => readsClock(node, fn));
}

/** The copy to the host that a function makes whenever it runs; undefined where it launches, too. */
function copyBack(fn: Fn): RuntimeCall | undefined {
  const { body } = fn.decl;
  if (!body || launchesIn(body, fn).length > 0) return undefined;
  const always = alwaysCalled(body);
  return runtimeCallsOf(fn).find((one) => always.includes(one.call) && bringsToHost(one, fn));
}

const leaves = (stmt: Stmt): boolean => some(stmt, ({ kind }) => kind === 'break' || kind === 'return');

/** `&x` of a variable that holds one number. */
function numberAt(target: Expr | undefined, fn: Fn): Local | undefined {
  const local = addressedVariable(target, fn);
  const type = local?.variable?.type;
  return type && fn.types.resolve(type).kind === 'scalar' ? local : undefined;
}

/** The variable, and those that the loop makes of it. */
export function derivedFrom(variable: Local, loop: HostLoop, fn: Fn): readonly string[] {
  const names = [variable.name];
  for (const name of names)
    for (const other of fn.locals.all) {
      const values = [
        ...(other.variable && fn.isInside(other.variable, loop) ? [other.variable.init] : []),
        ...other.writes.filter(({ node }) => fn.isInside(node, loop)).map(({ value }) => value),
      ];
      if (!names.includes(other.name) && values.some((value) => value && mentions(value, name))) names.push(other.name);
    }
  return names;
}

/** Is the loop's condition made of it, or an `if` of the loop's body that leaves the loop? */
function endsLoop(names: readonly string[], loop: HostLoop): boolean {
  const asks = (cond: Expr | undefined): boolean => !!cond && names.some((name) => mentions(cond, name));
  if (loop.kind !== 'rangeFor' && asks(loop.cond)) return true;
  return some(loop.body, (node) => node.kind === 'if' && asks(node.cond) && leaves(node.then));
}
