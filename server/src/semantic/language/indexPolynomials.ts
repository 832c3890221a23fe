// Integer expressions of one function as polynomials over its variables and what CUDA knows of the thread.
import { append, once } from './append';
import type { Expr, NameExpr } from '../../syntax/ast';
import { atomPolynomial, constantPolynomial, type Polynomial } from './algebra';
import { TypedFunction } from './functionText';
import { localsOf, type Local, type Locals } from './scope';
import type { Type, TypeTable } from './types';

/** What an atom of an index depends on: the variables that it is or that are in it. */
interface IndexAtom {
  readonly locals: readonly Local[];
}
export type Index = Polynomial<IndexAtom>;

const builtins = new Set(['threadIdx', 'blockIdx', 'blockDim', 'gridDim']);

/** The variables that stayed unknown: a value may have changed between two places only where one of them is written. */
export function localsIn(polynomial: Index): Set<Local> {
  return new Set([...polynomial.atoms.values()].flatMap((atom) => atom.locals));
}

/** A variable of the function as an atom. */
export function localPolynomial(local: Local, fn: TypedFunction): Index {
  return atomPolynomial(atomName(local, fn.locals), { locals: [local] });
}

/** A name that nothing in the function writes: a thread's number, a dimension of the grid, a template parameter. */
export function fixedPolynomial(name: string): Index {
  return atomPolynomial(name, { locals: [] });
}

/** A quotient, remainder or mask as a separate atom, which compares by its parts. */
export function wholePolynomial(left: Index, op: string, right: Index): Index {
  return atomPolynomial(`(${left.canonical})${op}(${right.canonical})`, {
    locals: [...localsIn(left), ...localsIn(right)],
  });
}

/**
 * The polynomial of an integer expression, locals that are assigned once replaced by what they stand for; undefined
 * where it is none.
 */
export function polynomialOf(expr: Expr, fn: TypedFunction): Index | undefined {
  const byExpr = found(fn.locals)(fn.types);
  const before = byExpr.get(expr);
  if (before || byExpr.has(expr)) return before;
  const polynomial = expand(expr, fn, 0);
  byExpr.set(expr, polynomial);
  return polynomial;
}
/** Of whole expressions, which finders ask for again: how deep an inner one is bounds how far it is followed. */
const found = once((_: Locals) => once((_types: TypeTable) => new WeakMap<Expr, Index | undefined>()));

/** @param given what the parameters of a called function stand for */
function expand(expr: Expr, fn: TypedFunction, depth: number, given?: ReadonlyMap<Local, Index>): Index | undefined {
  if (depth > 30) return undefined;
  const again = (inner: Expr): Index | undefined => expand(inner, fn, depth + 1, given);
  switch (expr.kind) {
    case 'number':
      return Number.isInteger(expr.value) ? constantPolynomial(expr.value) : undefined;
    case 'name':
      return nameOf(expr, fn, depth, given);
    case 'member': {
      if (expr.object.kind !== 'name' || expr.arrow) return undefined;
      const local = fn.local(expr.object);
      if (!local)
        return builtins.has(expr.object.name) ? fixedPolynomial(`${expr.object.name}.${expr.field}`) : undefined;
      if (local.parameter && !local.writes.length && !local.addressTaken)
        return atomPolynomial(`${expr.object.name}.${expr.field}`, { locals: [local] });
      return undefined;
    }
    case 'cast': {
      return isWideInteger(fn.types.resolve(expr.type)) ? again(expr.operand) : undefined;
    }
    case 'call': {
      // `int(x)`, `size_t(x)`.
      if (expr.callee.kind !== 'name') return undefined;
      const type = fn.types.resolve({ kind: 'named', name: expr.callee.name });
      if (type.kind === 'scalar')
        return isWideInteger(type) && expr.args.length === 1 ? again(expr.args[0]!) : undefined;
      return returnedBy(expr.callee.name, expr.args.map(again), fn, depth);
    }
    case 'initList':
      return expr.elements.length === 1 ? again(expr.elements[0]!) : undefined;
    case 'unary': {
      if (expr.op !== '-' && expr.op !== '+') return undefined;
      const value = again(expr.operand);
      return value && (expr.op === '-' ? constantPolynomial(-1).times(value) : value);
    }
    case 'binary': {
      const left = again(expr.left);
      const right = left && again(expr.right);
      if (!left || !right) return undefined;
      switch (expr.op) {
        case '+':
          return left.plus(right).bounded;
        case '-':
          return left.plus(right, -1).bounded;
        case '*':
          return left.times(right).bounded;
        case '<<': {
          const shift = right.number;
          return shift !== undefined && shift >= 0 && shift < 31
            ? left.times(constantPolynomial(2 ** shift))
            : undefined;
        }
        case '/':
        case '%':
        case '>>':
        case '&': {
          const [a, b] = [left.number, right.number];
          if (a !== undefined && b !== undefined && a >= 0 && b > 0)
            return constantPolynomial(
              expr.op === '/' ? Math.trunc(a / b) : expr.op === '%' ? a % b : expr.op === '>>' ? a >> b : a & b,
            );
          // Kept whole: a separate atom that compares by its parts.
          return wholePolynomial(left, expr.op, right);
        }
        default:
          return undefined;
      }
    }
    default:
      return undefined;
  }
}

/** An integer that holds any index of 32 bits. */
function isWideInteger(type: Type): boolean {
  return type.kind === 'scalar' && !type.float && type.size >= 4;
}

/** What a function gives that does nothing but compute it: `int globalIndex() { return blockIdx.x * … ; }`. */
function returnedBy(
  name: string,
  args: readonly (Index | undefined)[],
  { program, types }: TypedFunction,
  depth: number,
): Index | undefined {
  const [fn, another] = program.functions(name).filter(({ body, params }) => body && params.length === args.length);
  const file = fn && program.fileOf(fn);
  if (!file || another || fn.className || fn.templateParams?.length || !fn.device) return undefined;
  const [statement, more] = fn.body!.body;
  if (statement?.kind !== 'return' || !statement.value || more || !isWideInteger(types.resolve(fn.returns)))
    return undefined;
  const locals = localsOf(fn);
  const given = new Map<Local, Index>();
  for (const [at, { name: param, type }] of fn.params.entries()) {
    const local = locals.all.find((each) => each.parameter && each.name === param);
    if (!local || !args[at] || !isStable(local) || !isWideInteger(types.resolve(type))) return undefined;
    given.set(local, args[at]);
  }
  const value = expand(statement.value, new TypedFunction(file, fn, program, types), depth + 1, given);
  return value && [...localsIn(value)].every((local) => !locals.all.includes(local)) ? value : undefined;
}

function nameOf(
  expr: NameExpr,
  fn: TypedFunction,
  depth: number,
  given?: ReadonlyMap<Local, Index>,
): Index | undefined {
  const local = fn.local(expr);
  const argument = local && given?.get(local);
  if (argument) return argument;
  if (!local) {
    const value = fn.types.constant(expr);
    if (value !== undefined) return Number.isInteger(value) ? constantPolynomial(value) : undefined;
    // Template value parameters and file-scope variables that nothing writes here.
    const template = fn.decl.templateParams?.some((param) => param.kind === 'value' && param.name === expr.name);
    return template ? fixedPolynomial(expr.name) : undefined;
  }
  const definition = fn.definition(local);
  if (definition) {
    const type = fn.types.resolve(local.variable!.type);
    if (type.kind === 'unknown' ? type.name === 'auto' : isWideInteger(type)) {
      const value = expand(definition, fn, depth + 1);
      // A definition over variables that change later would be read at the wrong time.
      if (value && [...localsIn(value)].every((inner) => isStable(inner) || isCounterAround(inner, local, fn)))
        return value;
    }
  }
  return localPolynomial(local, fn);
}

/**
 * Is `inner` changed by nothing but the step of a loop in whose body `local` is declared? Then `local` lives for a
 * turn, and so does the value.
 */
function isCounterAround(inner: Local, local: Local, fn: TypedFunction): boolean {
  if (inner.addressTaken || inner.writes.length !== 1 || !inner.variable?.init || !local.variable) return false;
  const declaration = fn.parent(inner.variable);
  const loop = declaration && fn.parent(declaration);
  return (
    loop?.kind === 'for' &&
    loop.init === declaration &&
    !!loop.step &&
    fn.isInside(inner.writes[0]!.node, loop.step) &&
    fn.isInside(local.variable, loop.body)
  );
}

/** The atom of a variable: its name, with a number where the function has several of that name. */
export function atomName(local: Local, locals: Locals): string {
  const same = namesakesIn(locals).get(local.name) ?? [];
  return same.length === 1 ? local.name : `${local.name}#${same.indexOf(local)}`;
}

const namesakesIn = once((locals: Locals): ReadonlyMap<string, readonly Local[]> => {
  const byName = new Map<string, Local[]>();
  for (const local of locals.all) append(byName, local.name, local);
  return byName;
});

/** Does the variable hold one value from its declaration on? */
export function isStable(local: Local): boolean {
  return !local.addressTaken && local.writes.length === 0 && (!!local.parameter || !!local.variable?.init);
}
