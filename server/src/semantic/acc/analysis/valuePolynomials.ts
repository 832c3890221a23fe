// Integer values of C and Fortran as polynomials over what they name.
import { atomPolynomial, constantPolynomial, type Polynomial } from '../../language';
import type { Value } from '../../../syntax/procedures';
import { valuesIn } from './steps';

/** Something that a polynomial counts as one unknown: a variable, a member, an element, a quotient. */
interface Unknown {
  readonly value: Value;
  readonly names: ReadonlySet<string>;
}

export type ValuePolynomial = Polynomial<Unknown>;

/** A text that is the same for the same expression, however it is spaced. */
export function keyOf(value: Value): string {
  switch (value.kind) {
    case 'number':
      return String(value.value);
    case 'name':
      return value.name;
    case 'member':
      return value.path;
    case 'element':
      return `${value.array}[${value.subscripts.map(keyOf).join()}]`;
    case 'unary':
      return `(${value.op}${keyOf(value.operand)})`;
    case 'binary':
      return `(${keyOf(value.left)}${value.op}${keyOf(value.right)})`;
    case 'call':
      return `${value.name}(${value.args.map(keyOf).join()})`;
    case 'conditional':
      return `(${keyOf(value.cond)}?${keyOf(value.then)}:${keyOf(value.else)})`;
    case 'section':
      return [value.lower, value.upper ?? value.length, value.step].map((part) => (part ? keyOf(part) : '')).join(':');
    default:
      return `?${value.start}`;
  }
}

/**
 * A value as a polynomial. `resolve` gives what a name or member stands for, where that is one value; it is asked again
 * for the names in it.
 * Undefined where it outgrows the bound.
 */
export function polynomialOf(
  value: Value,
  resolve: (value: Value) => Value | undefined,
  depth = 0,
): ValuePolynomial | undefined {
  switch (value.kind) {
    case 'number':
      return Number.isInteger(value.value) ? constantPolynomial(value.value) : undefined;
    case 'unary': {
      const inner = value.op === '-' || value.op === '+' ? polynomialOf(value.operand, resolve, depth) : undefined;
      if (inner) return value.op === '-' ? constantPolynomial(0).plus(inner, -1) : inner;
      break;
    }
    case 'binary': {
      if (!'+-*/<<**%'.includes(value.op)) break;
      const left = polynomialOf(value.left, resolve, depth);
      const right = polynomialOf(value.right, resolve, depth);
      if (!left || !right) return undefined;
      if (value.op === '+') return left.plus(right).bounded;
      if (value.op === '-') return left.plus(right, -1).bounded;
      if (value.op === '*') return left.times(right).bounded;
      const x = left.number,
        y = right.number;
      if (y === undefined) break;
      if (value.op === '<<' && y >= 0 && y < 31) return left.times(constantPolynomial(2 ** y));
      if (value.op === '**' && x !== undefined && y >= 0 && Math.abs(x ** y) < 2 ** 53)
        return constantPolynomial(x ** y);
      if (value.op === '/' && x !== undefined && y !== 0) return constantPolynomial(Math.trunc(x / y));
      if (value.op === '%' && x !== undefined && y !== 0) return constantPolynomial(x % y);
      break;
    }
    case 'name':
    case 'member':
    case 'element': {
      const meant = depth < 12 ? resolve(value) : undefined;
      if (meant) return polynomialOf(meant, resolve, depth + 1) ?? unknown(value);
      break;
    }
    default:
  }
  return unknown(value);
}

function unknown(value: Value): ValuePolynomial {
  return atomPolynomial(keyOf(value), { value, names: namesIn(value) });
}

/** The names and members in a value. */
export function namesIn(value: Value): ReadonlySet<string> {
  return new Set(
    valuesIn(value).flatMap((part) => (part.kind === 'name' ? [part.name] : part.kind === 'member' ? [part.path] : [])),
  );
}

/**
 * What one more of `name` adds: a constant, a polynomial free of `name`, or undefined where it depends on more than
 * that (a square, a quotient, an element at `name`).
 */
export function slope(polynomial: ValuePolynomial, name: string): ValuePolynomial | undefined {
  return polynomial.has((key, unknown) => key !== name && unknown?.names.has(name) === true)
    ? undefined
    : polynomial.split(name)?.factor;
}

/** Whether any unknown of it involves one of the names. */
export function involves(polynomial: ValuePolynomial, names: (name: string) => boolean): boolean {
  return polynomial.has((_key, unknown) => [...(unknown?.names ?? [])].some(names));
}
