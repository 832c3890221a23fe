// What two accesses may have in common: whether they may reach the same memory, and whether two iterations of a loop
// may meet in one element.
import type { Expr, NameExpr, TypeSyntax } from '../../syntax/ast';
import {
  constantPolynomial,
  type Fn,
  atomName,
  type Index,
  isStable,
  localsIn,
  type LaunchSite,
  isAllocator,
  calleeName,
  definitionOf,
  isReference,
  type Local,
  type Locals,
  isThreadAtom,
} from '../language';

/** A parameter of the kernel or an array of the file, pointers of the kernel's own followed to what they point into. */
export type Root = Local | string;

/** The variable that a place lies in itself; undefined where a pointer or an operator of a class leads to the place. */
export function holderOf(place: Expr, fn: Fn): NameExpr | undefined {
  let at = place;
  while (at.kind === 'index' || at.kind === 'member') {
    const leads = at.kind === 'index' ? fn.typing.typeOf(at.base)?.kind !== 'array' : at.arrow && !isThis(at.object);
    if (leads) return undefined;
    at = at.kind === 'index' ? at.base : at.object;
  }
  return at.kind === 'name' ? at : undefined;
}

function isThis(expr: Expr): boolean {
  return expr.kind === 'name' && expr.name === 'this';
}

/** A variable of the thread, its fields, or an element of its local array. */
export function isOwn(target: Expr, fn: Fn): boolean {
  const holder = holderOf(target, fn);
  const local = holder && fn.local(holder);
  return !!local && !local.field && (local.variable?.space ?? 'none') === 'none' && !isReference(local);
}

/**
 * What an address or element lies in; undefined where no one name tells. A pointer that was itself read from memory
 * leads anywhere: `follows` counts the pointers and subscripts between the name and the place.
 */
export function rootOf(expr: Expr, locals: Locals, depth = 0, follows = 0): Root | undefined {
  if (depth > 12) return undefined;
  const again = (inner: Expr, more = 0): Root | undefined => rootOf(inner, locals, depth + 1, follows + more);
  switch (expr.kind) {
    case 'index':
      return again(expr.base, 1);
    case 'member':
      return again(expr.object, expr.arrow ? 1 : 0);
    case 'unary':
      return expr.op === '*' ? again(expr.operand, 1) : expr.op === '&' ? again(expr.operand, -1) : undefined;
    case 'cast':
      return again(expr.operand);
    case 'binary': {
      if (expr.op !== '+' && expr.op !== '-') return undefined;
      const left = pointerIn(expr.left, locals) ? again(expr.left) : undefined;
      return left ?? (pointerIn(expr.right, locals) ? again(expr.right) : undefined);
    }
    case 'name': {
      const local = locals.of(expr);
      if (!local) return expr.name;
      if (local.parameter)
        return local.writes.length === 0 && !local.addressTaken && !leadsOn(local.parameter.type, follows)
          ? local
          : undefined;
      const definition = definitionOf(local, locals);
      return definition ? again(definition) : undefined;
    }
    default:
      return undefined;
  }
}

/** Whether that many steps from a value of the type go through a pointer that lies in memory. */
function leadsOn(type: TypeSyntax, follows: number): boolean {
  let at = type;
  for (let step = 0; step < follows; step++) {
    if (at.kind === 'array') at = at.of;
    else if (step > 0) return true;
    else if (at.kind === 'pointer') at = at.to;
  }
  return false;
}

function pointerIn(expr: Expr, locals: Locals): boolean {
  let at = expr;
  while (at.kind === 'binary') at = at.left;
  while (at.kind === 'cast') at = at.operand;
  if (at.kind === 'unary') return true;
  const kind = typeIn(at, locals)?.kind;
  return kind === 'pointer' || kind === 'auto' || kind === 'array';
}

/** Whether two arrays may overlap, judged by what the launches pass: one name for both, or nothing that has a name. */
export function mayOverlap(one: Root, other: Root, sites: readonly LaunchSite[], fn: Fn): boolean {
  if (one === other) return true;
  if (typeof one === 'string' || typeof other === 'string')
    return ![one, other].every((root) => typeof root === 'string' && isArrayOfFile(root, fn));
  const restricted = (local: Local): boolean =>
    local.parameter?.type.kind === 'pointer' && local.parameter.type.restrict === true;
  if (restricted(one) || restricted(other)) return false;
  const positions = [one, other].map((local) => fn.decl.params.indexOf(local.parameter!));
  return sites.some(({ launch, host }) => {
    const hostLocals = host.locals;
    const [a, b] = positions.map((position) => argumentRoots(launch.args[position], hostLocals));
    return !a || !b || [...a].some((name) => b.has(name));
  });
}

/** An array that is declared outside of functions, unlike a pointer. */
function isArrayOfFile(name: string, { program }: Fn): boolean {
  const globals = program.globals(name);
  return globals.length > 0 && globals.every(({ type }) => type.kind === 'array' && type.of.kind !== 'pointer');
}

/**
 * The names of what an argument reaches: that of a pointer, and those of what the fields of a structure are given in
 * the function; undefined where something unknown may fill it.
 */
export function argumentRoots(arg: Expr | undefined, locals: Locals): ReadonlySet<string> | undefined {
  const local = arg && locals.of(arg);
  if (local?.variable?.type.kind !== 'named') {
    const root = argumentRoot(arg, locals);
    return root === undefined ? undefined : new Set([root]);
  }
  const { init, initStyle } = local.variable;
  const isFilled = init?.kind === 'initList' && initStyle !== '(';
  const given: (Expr | undefined)[] = isFilled ? [...init.elements] : init ? [undefined] : [];
  for (const use of local.uses) {
    const around = locals.parent(use)!;
    if (around.kind === 'member') given.push(...givenTo(around, locals));
    else if (around.kind !== 'launch') given.push(undefined);
  }
  const roots = given
    .filter((value) => value?.kind !== 'number')
    .map((value) => (value && typeIn(value, locals)?.kind === 'named' ? undefined : argumentRoot(value, locals)));
  return roots.includes(undefined) ? undefined : new Set(roots as string[]);
}

/** The type that a variable is declared with. */
function typeIn(name: Expr, locals: Locals): TypeSyntax | undefined {
  const local = locals.of(name);
  return (local?.variable ?? local?.parameter)?.type;
}

/** What a statement gives to a field, or to a part of it. */
function givenTo(field: Expr, locals: Locals): readonly Expr[] {
  const around = locals.parent(field)!;
  if (around.kind === 'member' || (around.kind === 'index' && around.base === field)) return givenTo(around, locals);
  if (around.kind === 'assign' && around.target === field) return [around.value];
  // Memory that a field is given: `cudaMalloc(&view.p, bytes)`.
  return around.kind === 'unary' && around.op === '&' ? [field] : [];
}

/** The name that an argument is or begins with: `buffer`, `buffer + n`, `&buffer[n]`. */
function argumentRoot(arg: Expr | undefined, locals: Locals): string | undefined {
  if (!arg) return undefined;
  const partOf = (whole: Expr, part: string): string | undefined => {
    const root = argumentRoot(whole, locals);
    return root === undefined ? undefined : `${root}${part}`;
  };
  switch (arg.kind) {
    case 'name': {
      const local = locals.of(arg);
      const kind = typeIn(arg, locals)?.kind;
      if (!local || (kind !== 'pointer' && kind !== 'auto' && kind !== 'reference')) return arg.name;
      if (local.writes.length > 0) return undefined;
      const definition = definitionOf(local, locals);
      // A pointer into something else is that something; one that is given memory is itself.
      return definition && !isNewMemory(definition) ? argumentRoot(definition, locals) : arg.name;
    }
    case 'member':
      return partOf(arg.object, `.${arg.field}`);
    case 'unary':
      if (arg.op !== '&') return undefined;
      // The address of an element lies in its array; `x[1]` itself may be another array than `x[0]`.
      return argumentRoot(arg.operand.kind === 'index' ? arg.operand.base : arg.operand, locals);
    case 'cast':
      return argumentRoot(arg.operand, locals);
    case 'index':
      return arg.index.kind === 'number' ? partOf(arg.base, `[${arg.index.value}]`) : undefined;
    case 'binary':
      return argumentRoot(arg.left, locals);
    default:
      return undefined;
  }
}

/** No memory yet, or memory that nothing else has. */
function isNewMemory(value: Expr): boolean {
  if (value.kind === 'cast') return isNewMemory(value.operand);
  return value.kind === 'number' || value.kind === 'new' || isAllocator(calleeName(value) ?? '');
}

/** Whether two turns can meet in one element of an array that is used at `indices`. */
export function separation(
  indices: readonly Index[],
  variable: Local,
  locals: Locals,
  start?: Index,
): string | undefined {
  const atom = atomName(variable, locals);
  const first = indices[0]?.split(atom);
  if (!first) return 'is indexed by more than the loop variable';
  const factor = first.factor.number;
  if (factor === undefined || factor === 0) return 'is not indexed by the loop variable';
  for (const index of indices) {
    const split = index.split(atom);
    if (!split || split.factor.number !== factor) return 'is indexed in two different ways';
    const distance = split.rest.plus(first.rest, -1).number;
    if (distance === undefined || Math.abs(distance) >= Math.abs(factor))
      return 'is used at elements of other iterations';
    // Beside the element's own number nothing may tell threads apart.
    if (start && split.rest.plus(constantPolynomial(factor).times(start), -1).has(isThreadAtom))
      return 'is indexed by more than the element';
    if ([...localsIn(split.rest)].some((local) => local !== variable && !isStable(local)))
      return 'is indexed by a variable that changes';
    if (split.rest.has((other) => other.startsWith('(') && new RegExp(`(?<![\\w.])${atom}(?![\\w.])`).test(other)))
      return 'is indexed by more than the loop variable';
  }
  return undefined;
}
