// What a loop does with the array that one of its sums lies in, beside the sum itself.
import type { Expr } from '../../syntax/ast';
import {
  areApart,
  areApartBetweenThreads,
  sameExpr,
  type Local,
  type Locals,
  walk,
  type AnySyntax,
  reachesMemory,
  innermost,
} from '../language';
import { rootOf } from '../program';

/**
 * `none`: it touches the array nowhere else, as far as names tell; `apart`: at places that the conditions around
 * them prove to be others; `elsewhere`: at places that may be the sum's.
 */
type OwnAccesses = 'none' | 'apart' | 'elsewhere';

/** The array of the function in shared memory that an element lies in; not one that the launch gives its bytes. */
export function sharedArrayOf(place: Expr, locals: Locals): Local | undefined {
  const local = baseOf(place, locals);
  const { variable } = local ?? {};
  if (!local || variable?.space !== 'shared' || variable.type.kind !== 'array') return undefined;
  const type = innermost(variable.type);
  const isVolatile = variable.volatile || (type.kind === 'named' && type.volatile);
  return variable.storage === 'extern' || isVolatile ? undefined : local;
}

/** The variable whose subscripts an expression is. */
export function baseOf(place: Expr, locals: Locals): Local | undefined {
  let at = place;
  while (at.kind === 'index') at = at.base;
  return at.kind === 'name' && place.kind === 'index' ? locals.of(at) : undefined;
}

/** How the loop touches the array of `place`, whose names it leaves as they are. */
export function ownAccessesOf(loop: AnySyntax, place: Expr, locals: Locals): OwnAccesses {
  const array = sharedArrayOf(place, locals);
  const root = array ? undefined : rootOf(place, locals);
  let found: OwnAccesses = 'none';
  const look = (node: AnySyntax): boolean => {
    if (found === 'elsewhere') return false;
    if (!reachesMemory(node)) return true;
    const other = node;
    // Fields of other names lie beside each other, whatever they belong to.
    if (place.kind === 'member' && other.kind === 'member' && other.field !== place.field) return true;
    if (sameExpr(other, place)) return false;
    const isSame = array ? baseOf(other, locals) === array : rootOf(other, locals) === root;
    if (isSame) {
      found = areApart(place, other, locals) && areApartBetweenThreads(place, other, locals) ? 'apart' : 'elsewhere';
      // A row of it is not an access, its subscripts are.
      for (let at = other; at.kind === 'index'; at = at.base) walk(at.index, look);
      return false;
    }
    if (array && !liesElsewhere(other, locals)) found = 'elsewhere';
    return found !== 'elsewhere';
  };
  let isNamedWhole = false;
  walk(loop, (node) => {
    // The array's address in a pointer or call: it is unknown what is reached through it.
    if (array && node.kind === 'name' && locals.of(node) === array && locals.parent(node)?.kind !== 'index')
      isNamedWhole = true;
    return look(node);
  });
  return isNamedWhole ? 'elsewhere' : found;
}

/** Is it certainly no element of a given array in shared memory: another array, or what a parameter points to? */
function liesElsewhere(place: Expr, locals: Locals): boolean {
  const base = baseOf(place, locals);
  if (base?.variable) {
    const { type, storage } = base.variable;
    if (type.kind === 'array' && innermost(type).kind !== 'pointer') return storage !== 'extern';
  }
  return rootOf(place, locals) !== undefined;
}
