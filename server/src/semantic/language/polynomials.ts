// Integer expressions as sums of products of names, so that two spellings of one index compare equal.
import type { Expr, NameExpr } from '../../syntax/ast';
import type { FunctionContext } from './functionContext';
import { definitionOf, isInside, localsOf, type Local, type Locals } from './scope';

/**
 * A sum: coefficient by product. A product's key joins its atoms in order (`blockDim.x*blockIdx.x`), the constant term
 * has the empty key.
 * `locals` are the variables that stayed atoms; a value may have changed between two places only where one of them is
 * written.
 */
export interface Polynomial {
  readonly terms: ReadonlyMap<string, number>;
  readonly locals: ReadonlySet<Local>;
}

const builtins = new Set(['threadIdx', 'blockIdx', 'blockDim', 'gridDim']);
const maximumTerms = 24;

export function constantPolynomial(value: number): Polynomial {
  return { terms: new Map(value === 0 ? [] : [['', value]]), locals: new Set() };
}
export function atomPolynomial(atom: string): Polynomial {
  return { terms: new Map([[atom, 1]]), locals: new Set() };
}

export function add(left: Polynomial, right: Polynomial, factor = 1): Polynomial {
  const terms = new Map(left.terms);
  for (const [key, value] of right.terms) {
    const sum = (terms.get(key) ?? 0) + factor * value;
    if (sum === 0) terms.delete(key);
    else terms.set(key, sum);
  }
  return { terms, locals: new Set([...left.locals, ...right.locals]) };
}
export function multiply(left: Polynomial, right: Polynomial): Polynomial {
  const terms = new Map<string, number>();
  for (const [leftKey, leftValue] of left.terms) {
    for (const [rightKey, rightValue] of right.terms) {
      const key = [...atomsOf(leftKey), ...atomsOf(rightKey)].sort().join('*');
      const sum = (terms.get(key) ?? 0) + leftValue * rightValue;
      if (sum === 0) terms.delete(key);
      else terms.set(key, sum);
    }
  }
  return { terms, locals: new Set([...left.locals, ...right.locals]) };
}
export function isZero(polynomial: Polynomial): boolean {
  return polynomial.terms.size === 0;
}
export function equal(left: Polynomial, right: Polynomial): boolean {
  return isZero(add(left, right, -1));
}
/** The number that the polynomial is, when it is one. */
export function numberOf(polynomial: Polynomial): number | undefined {
  if (polynomial.terms.size === 0) return 0;
  return polynomial.terms.size === 1 ? polynomial.terms.get('') : undefined;
}
export function atomsOf(key: string): string[] {
  return key === '' ? [] : key.split('*');
}
export function mentions(polynomial: Polynomial, test: (atom: string) => boolean): boolean {
  for (const key of polynomial.terms.keys()) if (atomsOf(key).some(test)) return true;
  return false;
}
export function canonical(polynomial: Polynomial): string {
  return (
    [...polynomial.terms]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, value]) => `${value}${key === '' ? '' : `*${key}`}`)
      .join('+') || '0'
  );
}

/** The factor on `atom`, where it stands alone in products with other atoms and never squared; the rest apart. */
export function splitBy(
  polynomial: Polynomial,
  atom: string,
): { readonly factor: Polynomial; readonly rest: Polynomial } | undefined {
  const factor = new Map<string, number>();
  const rest = new Map<string, number>();
  for (const [key, value] of polynomial.terms) {
    const atoms = atomsOf(key);
    const at = atoms.indexOf(atom);
    if (at < 0) {
      rest.set(key, value);
      continue;
    }
    atoms.splice(at, 1);
    if (atoms.includes(atom)) return undefined;
    factor.set(atoms.join('*'), value);
  }
  return { factor: { terms: factor, locals: polynomial.locals }, rest: { terms: rest, locals: polynomial.locals } };
}

/**
 * The polynomial of an integer expression, locals that are assigned once replaced by what they stand for; undefined
 * where it is none.
 */
export function polynomialOf(
  expr: Expr,
  context: FunctionContext,
  locals: Locals = localsOf(context.fn),
  depth = 0,
): Polynomial | undefined {
  if (depth > 30) return undefined;
  const again = (inner: Expr): Polynomial | undefined => polynomialOf(inner, context, locals, depth + 1);
  switch (expr.kind) {
    case 'number':
      return Number.isInteger(expr.value) ? constantPolynomial(expr.value) : undefined;
    case 'name':
      return nameOf(expr, context, locals, depth);
    case 'member': {
      if (expr.object.kind !== 'name' || expr.arrow) return undefined;
      const local = locals.of(expr.object);
      if (!local)
        return builtins.has(expr.object.name) ? atomPolynomial(`${expr.object.name}.${expr.field}`) : undefined;
      if (local.parameter && !local.writes.length && !local.addressTaken)
        return { terms: new Map([[`${expr.object.name}.${expr.field}`, 1]]), locals: new Set([local]) };
      return undefined;
    }
    case 'cast': {
      const type = context.types.resolve(expr.type);
      return type.kind === 'scalar' && !type.float && type.size >= 4 ? again(expr.operand) : undefined;
    }
    case 'call': {
      // `int(x)`, `size_t(x)`.
      if (expr.callee.kind !== 'name' || expr.args.length !== 1) return undefined;
      const type = context.types.resolve({ kind: 'named', name: expr.callee.name });
      return type.kind === 'scalar' && !type.float && type.size >= 4 ? again(expr.args[0]!) : undefined;
    }
    case 'initList':
      return expr.elements.length === 1 ? again(expr.elements[0]!) : undefined;
    case 'unary': {
      if (expr.op !== '-' && expr.op !== '+') return undefined;
      const value = again(expr.operand);
      return value && (expr.op === '-' ? multiply(constantPolynomial(-1), value) : value);
    }
    case 'binary': {
      const left = again(expr.left);
      const right = left && again(expr.right);
      if (!left || !right) return undefined;
      switch (expr.op) {
        case '+':
          return bounded(add(left, right));
        case '-':
          return bounded(add(left, right, -1));
        case '*':
          return bounded(multiply(left, right));
        case '<<': {
          const shift = numberOf(right);
          return shift !== undefined && shift >= 0 && shift < 31
            ? multiply(left, constantPolynomial(2 ** shift))
            : undefined;
        }
        case '/':
        case '%':
        case '>>':
        case '&': {
          const [a, b] = [numberOf(left), numberOf(right)];
          if (a !== undefined && b !== undefined && a >= 0 && b > 0)
            return constantPolynomial(
              expr.op === '/' ? Math.trunc(a / b) : expr.op === '%' ? a % b : expr.op === '>>' ? a >> b : a & b,
            );
          // Kept whole: an atom of its own that compares by its parts.
          return {
            terms: new Map([
              [`(${canonical(left).replaceAll('*', '·')})${expr.op}(${canonical(right).replaceAll('*', '·')})`, 1],
            ]),
            locals: new Set([...left.locals, ...right.locals]),
          };
        }
        default:
          return undefined;
      }
    }
    default:
      return undefined;
  }
}

function bounded(polynomial: Polynomial): Polynomial | undefined {
  return polynomial.terms.size <= maximumTerms ? polynomial : undefined;
}

function nameOf(expr: NameExpr, context: FunctionContext, locals: Locals, depth: number): Polynomial | undefined {
  const local = locals.of(expr);
  if (!local) {
    const value = context.types.constant(expr);
    if (value !== undefined) return Number.isInteger(value) ? constantPolynomial(value) : undefined;
    // Template value parameters and file-scope variables that nothing writes here.
    const template = context.fn.templateParams?.some((param) => param.kind === 'value' && param.name === expr.name);
    return template ? atomPolynomial(expr.name) : undefined;
  }
  const definition = definitionOf(local, locals);
  if (definition) {
    const type = context.types.resolve(local.variable!.type);
    if (type.kind === 'unknown' ? type.name === 'auto' : type.kind === 'scalar' && !type.float && type.size >= 4) {
      const value = polynomialOf(definition, context, locals, depth + 1);
      // A definition over variables that change later would be read at the wrong time.
      if (value && [...value.locals].every((inner) => isStable(inner) || isCounterAround(inner, local, locals)))
        return value;
    }
  }
  return { terms: new Map([[atomName(local, locals), 1]]), locals: new Set([local]) };
}

/**
 * Is `inner` changed by nothing but the step of a loop in whose body `local` is declared? Then `local` lives for a
 * turn, and so does the value.
 */
function isCounterAround(inner: Local, local: Local, locals: Locals): boolean {
  if (inner.addressTaken || inner.writes.length !== 1 || !inner.variable?.init || !local.variable) return false;
  const declaration = locals.parent(inner.variable);
  const loop = declaration && locals.parent(declaration);
  return (
    loop?.kind === 'for' &&
    loop.init === declaration &&
    !!loop.step &&
    isInside(inner.writes[0]!.node, loop.step, locals) &&
    isInside(local.variable, loop.body, locals)
  );
}

/** The atom of a variable: its name, with a number where the function has several of that name. */
export function atomName(local: Local, locals: Locals): string {
  const same = locals.all.filter((other) => other.name === local.name);
  return same.length === 1 ? local.name : `${local.name}#${same.indexOf(local)}`;
}

/** Does the variable hold one value from its declaration on? */
export function isStable(local: Local): boolean {
  return !local.addressTaken && local.writes.length === 0 && (!!local.parameter || !!local.variable?.init);
}

/** The atoms inside an atom: `(2·n+1)/(32)` mentions n. */
export function atomMentions(atom: string, name: RegExp): boolean {
  return name.test(atom);
}
