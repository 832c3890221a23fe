// Proof that an element of memory lies at a multiple of some bytes: where its array begins, by the allocations that
// all launches in view pass, and how far into it the element is.
import type { Expr } from '../../syntax/ast';
import type { Fn, Index, LaunchSite, Local } from '../language';
import { atomsOf, constantPolynomial, isStable, callAround, calleeName, sizeOf, argumentOf } from '../language';
import { isNull } from '../flow';
import { passedAs } from './hostArrays';
import { isStartedOtherwise } from './launchShapes/launchGrids';

/** A variable that holds an address, and bytes from there. */
interface Place {
  readonly root: Local;
  readonly bytes: Index;
}

/** These give memory at a multiple of 256 bytes (CUDA C++ Programming Guide, device memory accesses). */
const allocations = /^cudaMalloc(Async|FromPoolAsync|Host|Managed)?$/;

/** All launches of a kernel; undefined where there may be others. */
export function launchesInView(fn: Fn, elsewhere: boolean): readonly LaunchSite[] | undefined {
  if (!fn.decl.global || elsewhere || isStartedOtherwise(fn)) return undefined;
  const sites = fn.launchSites(fn.decl.name).filter(({ kernel }) => !kernel || kernel === fn.decl);
  return sites.length > 0 && sites.every(({ kernel }) => kernel === fn.decl) ? sites : undefined;
}

/** Does element `index` of what `pointer` points to lie at a multiple of `of` bytes, a power of 2, in all launches? */
export function isAligned(pointer: Expr, index: Index, of: number, fn: Fn, elsewhere: boolean): boolean {
  const place = elementPlace(pointer, index, fn);
  const sites = place?.root.parameter ? launchesInView(fn, elsewhere) : undefined;
  return !!sites?.every(({ launch, host }) => {
    const sizeOf = (arg: Expr | undefined): number | undefined => arg && host.index(arg)?.number;
    const known = (atom: string): number => {
      const value = atom === 'blockDim.x' ? launch.config[1] : argumentOf(atom, fn.decl, launch.args);
      return sizeOf(value) ?? 1;
    };
    const arg = argumentOf(place!.root.parameter, fn.decl, launch.args);
    const from = arg && placeOf(arg, host);
    return (
      !!from &&
      isAllocation(from.root, host) &&
      isMultiple(place!.bytes, of, fn, known) &&
      isMultiple(from.bytes, of, host, () => 1)
    );
  });
}

/** What an address is made of, pointers of the function followed. */
function placeOf(pointer: Expr, fn: Fn, depth = 0): Place | undefined {
  if (depth > 8) return undefined;
  switch (pointer.kind) {
    case 'name': {
      const root = fn.local(pointer);
      const type = root?.parameter?.type ?? root?.variable?.type;
      if (!root || (type?.kind !== 'pointer' && type?.kind !== 'auto')) return undefined;
      if (root.parameter) return isStable(root) ? { root, bytes: constantPolynomial(0) } : undefined;
      const definition = fn.definition(root);
      return definition ? placeOf(definition, fn, depth + 1) : { root, bytes: constantPolynomial(0) };
    }
    case 'cast':
      return placeOf(pointer.operand, fn, depth + 1);
    case 'binary': {
      const index = pointer.op === '+' ? fn.index(pointer.right) : undefined;
      return index && elementPlace(pointer.left, index, fn, depth + 1);
    }
    case 'unary': {
      const element = pointer.op === '&' && pointer.operand.kind === 'index' ? pointer.operand : undefined;
      const index = element && fn.index(element.index);
      return index && elementPlace(element.base, index, fn, depth + 1);
    }
    default:
      return undefined;
  }
}

function elementPlace(base: Expr, index: Index, fn: Fn, depth = 0): Place | undefined {
  const place = placeOf(base, fn, depth);
  const type = fn.typing.typeOf(base);
  const size = type?.kind === 'pointer' ? sizeOf(type.to) : undefined;
  return place && size ? { ...place, bytes: place.bytes.plus(constantPolynomial(size).times(index)) } : undefined;
}

/**
 * Is every term a multiple, whole numbers as all its unknowns are? Sums that overflow keep powers of two. `known` tells
 * what an unknown that nothing changes is a multiple of.
 */
function isMultiple({ atoms, terms }: Index, of: number, { types }: Fn, known: (atom: string) => number): boolean {
  const isWhole = (local: Local): boolean => {
    const type = local.parameter?.type ?? local.variable?.type;
    const resolved = type && types.resolve(type);
    return resolved?.kind === 'scalar' && !resolved.float;
  };
  if (![...atoms.values()].every(({ locals }) => locals.every(isWhole))) return false;
  const factorOf = (atom: string): number => (atoms.get(atom)?.locals.every(isStable) ? known(atom) : 1);
  return [...terms].every(
    ([key, factor]) => atomsOf(key).reduce((product, atom) => product * factorOf(atom), factor) % of === 0,
  );
}

/** Does a variable of the host hold nothing but what the runtime allocates? */
function isAllocation(local: Local, fn: Fn): boolean {
  if (!local.variable || local.variable.storage || (local.variable.init && !isNull(local.variable.init))) return false;
  if (!local.writes.every(({ op, value }) => op === '=' && value && isNull(value))) return false;
  let isAllocated = false;
  for (const use of local.uses) {
    const call = callAround(use, fn.locals);
    const name = call && calleeName(call);
    const up = fn.parent(use);
    if (up?.kind === 'unary' && up.op === '&') {
      if (!name || !allocations.test(name) || call.args[0] !== passedAs(use, fn).passed) return false;
      isAllocated = true;
    } else if (call && !(name && fn.program.functions(name).every(({ params }) => params.every(isByValue))))
      return false;
  }
  return isAllocated;
}

function isByValue({ type }: Fn['decl']['params'][number]): boolean {
  return type.kind !== 'reference';
}
