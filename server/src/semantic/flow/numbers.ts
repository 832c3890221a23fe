// Copies of one number to the host on each iteration of a loop: what they bring, and what for.
import type { Expr } from '../../syntax/ast';
import type { RuntimeCallFact } from '../model';
import { type Fn, type Local, mentions, some } from '../language';
import { launchesIn, loopsAround, tripsOf, type HostLoop, type RuntimeCall } from './calls';
import { readsClock } from './callees';
import { directionOf } from './directions';
import { addressedVariable } from './places';

/**
 * The number that a blocking copy brings for the host to read; undefined where a launch of the loop is given it, where
 * each iteration is timed, and where an iteration is more than the launches between two copies.
 */
export function numberOf(copy: RuntimeCall, fn: Fn): NonNullable<RuntimeCallFact['wait']>['number'] {
  const loop = copy.loops[0]!;
  if (copy.category !== 'copy' || directionOf(copy, fn) !== 'to-host') return undefined;
  const variable = numberAt(copy.call.args[0], fn);
  if (!variable || variable.parameter?.type.kind === 'reference') return undefined;
  const trips = tripsOf(loop, fn);
  if ((trips !== undefined && trips <= 2) || some(loop.body, (node) => readsClock(node, fn))) return undefined;
  const launches = launchesIn(loop, fn);
  if (!launches.some((launch) => loopsAround(launch, fn)[0] === loop)) return undefined;
  const names = derivedFrom(variable, loop, fn);
  if (launches.some((launch) => names.some((name) => mentions(launch as Expr, name)))) return undefined;
  const isRead = variable.uses.some((use) => fn.isInside(use, loop) && !fn.isInside(use, copy.call));
  if (!isRead) return undefined;
  return { name: variable.name, ends: endsLoop(names, loop) };
}

/** `&x` of a variable that holds one number. */
function numberAt(target: Expr | undefined, fn: Fn): Local | undefined {
  const local = addressedVariable(target, fn);
  const type = local?.variable?.type;
  return type && fn.types.resolve(type).kind === 'scalar' ? local : undefined;
}

/** The variable, and those that the loop makes of it. */
function derivedFrom(variable: Local, loop: HostLoop, fn: Fn): readonly string[] {
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
  return some(
    loop.body,
    (node) => node.kind === 'if' && asks(node.cond) && some(node.then, ({ kind }) => kind === 'break'),
  );
}
