// What two accesses may have in common: whether they may reach the same memory, and whether two iterations of a loop
// may meet in one element.
import type { Expr } from '../../syntax/ast';
import {
  add,
  constantPolynomial,
  hasAtom,
  multiply,
  numberOf,
  splitBy,
  type FunctionContext,
  atomName,
  type IndexPolynomial,
  isStable,
  localsIn,
  type LaunchSite,
  definitionOf,
  type Local,
  type Locals,
  localsOf,
  isThreadAtom,
} from '../language';

/** A parameter of the kernel or an array of the file, pointers of the kernel's own followed to what they point into. */
export type Root = Local | string;

/** A variable of the thread, its fields, or an element of its local array. */
export function isOwn(target: Expr, locals: Locals): boolean {
  let at = target;
  for (;;) {
    if (at.kind === 'member' && !at.arrow) at = at.object;
    else if (at.kind === 'index') {
      at = at.base;
      if (at.kind === 'name') {
        const local = locals.of(at);
        return local?.variable?.type.kind === 'array' && local.variable.space === 'none';
      }
    } else return at.kind === 'name' && !!locals.of(at);
  }
}

/** What an address or element lies in; undefined where no one name tells. */
export function rootOf(expr: Expr, locals: Locals, depth = 0): Root | undefined {
  if (depth > 12) return undefined;
  const again = (inner: Expr): Root | undefined => rootOf(inner, locals, depth + 1);
  switch (expr.kind) {
    case 'index':
      return again(expr.base);
    case 'member':
      return again(expr.object);
    case 'unary':
      return expr.op === '*' || expr.op === '&' ? again(expr.operand) : undefined;
    case 'cast':
      return again(expr.operand);
    case 'binary': {
      if (expr.op !== '+' && expr.op !== '-') return undefined;
      const left = pointerIn(expr.left, locals) ? again(expr.left) : undefined;
      return left ?? (expr.op === '+' && pointerIn(expr.right, locals) ? again(expr.right) : undefined);
    }
    case 'name': {
      const local = locals.of(expr);
      if (!local) return expr.name;
      if (local.parameter) return local.writes.length === 0 && !local.addressTaken ? local : undefined;
      const definition = definitionOf(local, locals);
      return definition ? again(definition) : undefined;
    }
    default:
      return undefined;
  }
}

function pointerIn(expr: Expr, locals: Locals): boolean {
  let at = expr;
  while (at.kind === 'binary') at = at.left;
  while (at.kind === 'cast') at = at.operand;
  if (at.kind === 'unary' && at.op === '&') return true;
  const local = at.kind === 'name' ? locals.of(at) : undefined;
  const type = local?.variable?.type ?? local?.parameter?.type;
  return type?.kind === 'pointer' || type?.kind === 'auto' || type?.kind === 'array';
}

/** Whether two arrays may overlap, judged by what the launches pass: one name for both, or nothing that has a name. */
export function mayOverlap(one: Root, other: Root, sites: readonly LaunchSite[], context: FunctionContext): boolean {
  if (one === other) return true;
  if (typeof one === 'string' || typeof other === 'string') return typeof one !== typeof other;
  const restricted = (local: Local): boolean =>
    local.parameter?.type.kind === 'pointer' && local.parameter.type.restrict === true;
  if (restricted(one) || restricted(other)) return false;
  const positions = [one, other].map((local) => context.fn.params.findIndex((param) => param === local.parameter));
  return sites.some(({ launch, host }) => {
    const hostLocals = localsOf(host.fn);
    const [a, b] = positions.map((position) => argumentRoots(launch.args[position], hostLocals));
    return !a || !b || [...a].some((name) => b.has(name));
  });
}

/**
 * The names of what an argument reaches: that of a pointer, and those of what the fields of a structure are given in
 * undefined where something unknown may fill it.
 */
export function argumentRoots(arg: Expr | undefined, locals: Locals): ReadonlySet<string> | undefined {
  const local = arg?.kind === 'name' ? locals.of(arg) : undefined;
  if (local?.variable?.type.kind !== 'named') {
    const root = argumentRoot(arg, locals);
    return root === undefined ? undefined : new Set([root]);
  }
  const { init } = local.variable;
  const given: (Expr | undefined)[] = init?.kind === 'initList' ? [...init.elements] : init ? [undefined] : [];
  for (const use of local.uses) {
    const field = locals.parent(use);
    if (field?.kind !== 'member') {
      if (field?.kind !== 'launch') given.push(undefined);
      continue;
    }
    const around = locals.parent(field);
    if (around?.kind === 'assign' && around.target === field) given.push(around.value);
    // Memory that a field is given: `cudaMalloc(&view.p, bytes)`.
    else if (around?.kind === 'unary' && around.op === '&') given.push(field);
  }
  const roots = given.filter((value) => value?.kind !== 'number').map((value) => argumentRoot(value, locals));
  return roots.includes(undefined) ? undefined : new Set(roots as string[]);
}

/** The name that an argument is or begins with: `buffer`, `buffer + n`, `thrust::raw_pointer_cast(x)`. */
export function argumentRoot(arg: Expr | undefined, locals: Locals): string | undefined {
  if (!arg) return undefined;
  switch (arg.kind) {
    case 'name': {
      const local = locals.of(arg);
      if (local?.variable?.type.kind === 'pointer' && local.writes.length > 0) return undefined;
      const definition = local?.variable?.type.kind === 'pointer' ? definitionOf(local, locals) : undefined;
      // A pointer into something else is that something; one that is given memory later is itself.
      return definition && definition.kind !== 'number' ? (argumentRoot(definition, locals) ?? arg.name) : arg.name;
    }
    case 'member': {
      const object = argumentRoot(arg.object, locals);
      return object === undefined ? undefined : `${object}.${arg.field}`;
    }
    case 'unary':
      if (arg.op !== '&') return undefined;
      // The address of an element lies in its array; `x[1]` itself may be another array than `x[0]`.
      return argumentRoot(arg.operand.kind === 'index' ? arg.operand.base : arg.operand, locals);
    case 'cast':
      return argumentRoot(arg.operand, locals);
    case 'index':
      return arg.index.kind === 'number' ? `${argumentRoot(arg.base, locals)}[${arg.index.value}]` : undefined;
    case 'binary':
      return argumentRoot(arg.left, locals);
    default:
      return undefined;
  }
}

/** Whether two turns can meet in one element of an array that is used at `indices`. */
export function separation(
  indices: readonly IndexPolynomial[],
  variable: Local,
  locals: Locals,
  start?: IndexPolynomial,
): string | undefined {
  const atom = atomName(variable, locals);
  const first = indices[0] && splitBy(indices[0], atom);
  if (!first) return 'is indexed by more than the loop variable';
  const factor = numberOf(first.factor);
  if (factor === undefined || factor === 0) return 'is not indexed by the loop variable';
  for (const index of indices) {
    const split = splitBy(index, atom);
    if (!split || numberOf(split.factor) !== factor) return 'is indexed in two different ways';
    const distance = numberOf(add(split.rest, first.rest, -1));
    if (distance === undefined || Math.abs(distance) >= Math.abs(factor))
      return 'is used at elements of other iterations';
    // Beside the element's own number nothing may tell threads apart.
    if (start && hasAtom(add(split.rest, multiply(constantPolynomial(factor), start), -1), isThreadAtom))
      return 'is indexed by more than the element';
    if ([...localsIn(split.rest)].some((local) => local !== variable && !isStable(local)))
      return 'is indexed by a variable that changes';
    if (hasAtom(split.rest, (other) => other.startsWith('(') && new RegExp(`(?<![\\w.])${atom}(?![\\w.])`).test(other)))
      return 'is indexed by more than the loop variable';
  }
  return undefined;
}
