// Integer expressions as polynomials over names, so that differences and strides come out of `i * n + j` and
// `(i - 1) * n + j + 1` alike.
import type { Value } from '../../../syntax/procedures';
import { walkValue } from './steps';

/** Something that a polynomial counts as one unknown: a variable, a member, an element, a quotient. */
export interface Unknown {
  readonly key: string;
  readonly value: Value;
  readonly names: ReadonlySet<string>;
}

/**
 * A sum of products: the key of a term lists its unknowns, sorted and parted by `·`; the constant stands under the
 * empty key.
 */
export interface Polynomial {
  readonly terms: ReadonlyMap<string, number>;
  readonly unknowns: ReadonlyMap<string, Unknown>;
}

const mostTerms = 24;

export function constantPolynomial(value: number): Polynomial {
  return { terms: new Map(value === 0 ? [] : [['', value]]), unknowns: new Map() };
}

/** The number it is, where nothing unknown is left in it. */
export function constantOf(polynomial: Polynomial | undefined): number | undefined {
  if (!polynomial) return undefined;
  if (polynomial.terms.size === 0) return 0;
  return polynomial.terms.size === 1 ? polynomial.terms.get('') : undefined;
}

export function add(a: Polynomial, b: Polynomial, factor = 1): Polynomial {
  const terms = new Map(a.terms);
  for (const [key, coefficient] of b.terms) {
    const sum = (terms.get(key) ?? 0) + factor * coefficient;
    if (sum === 0) terms.delete(key);
    else terms.set(key, sum);
  }
  return { terms, unknowns: new Map([...a.unknowns, ...b.unknowns]) };
}

export function multiply(a: Polynomial, b: Polynomial): Polynomial | undefined {
  if (a.terms.size * b.terms.size > mostTerms) return undefined;
  const terms = new Map<string, number>();
  for (const [left, x] of a.terms)
    for (const [right, y] of b.terms) {
      const key = [...left.split('·'), ...right.split('·')]
        .filter((part) => part !== '')
        .sort()
        .join('·');
      const sum = (terms.get(key) ?? 0) + x * y;
      if (sum === 0) terms.delete(key);
      else terms.set(key, sum);
    }
  return { terms, unknowns: new Map([...a.unknowns, ...b.unknowns]) };
}

export function equal(a: Polynomial, b: Polynomial): boolean {
  return constantOf(add(a, b, -1)) === 0;
}

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
): Polynomial | undefined {
  switch (value.kind) {
    case 'number':
      return Number.isInteger(value.value) ? constantPolynomial(value.value) : undefined;
    case 'unary': {
      const inner = value.op === '-' || value.op === '+' ? polynomialOf(value.operand, resolve, depth) : undefined;
      if (inner) return value.op === '-' ? add(constantPolynomial(0), inner, -1) : inner;
      break;
    }
    case 'binary': {
      if (!'+-*/<<**%'.includes(value.op)) break;
      const left = polynomialOf(value.left, resolve, depth);
      const right = polynomialOf(value.right, resolve, depth);
      if (!left || !right) return undefined;
      if (value.op === '+') return limited(add(left, right));
      if (value.op === '-') return limited(add(left, right, -1));
      if (value.op === '*') return multiply(left, right);
      const x = constantOf(left),
        y = constantOf(right);
      if (y === undefined) break;
      if (value.op === '<<' && y >= 0 && y < 31) return multiply(left, constantPolynomial(2 ** y));
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

function limited(polynomial: Polynomial): Polynomial | undefined {
  return polynomial.terms.size <= mostTerms ? polynomial : undefined;
}

function unknown(value: Value): Polynomial {
  const names = new Set<string>();
  walkValue(value, (part) => {
    if (part.kind === 'name') names.add(part.name);
    else if (part.kind === 'member') names.add(part.path);
  });
  const key = keyOf(value).replaceAll('·', '.');
  return { terms: new Map([[key, 1]]), unknowns: new Map([[key, { key, value, names }]]) };
}

/**
 * What one more of `name` adds: a constant, a polynomial free of `name`, or undefined where it hangs on more than that
 * (a square, a quotient, an element at `name`).
 */
export function slope(polynomial: Polynomial, name: string): Polynomial | undefined {
  const terms = new Map<string, number>();
  for (const [key, coefficient] of polynomial.terms) {
    const parts = key === '' ? [] : key.split('·');
    const own = parts.filter((part) => part === name).length;
    if (parts.some((part) => part !== name && polynomial.unknowns.get(part)?.names.has(name))) return undefined;
    if (own === 0) continue;
    if (own > 1) return undefined;
    terms.set(parts.filter((part) => part !== name).join('·'), coefficient);
  }
  return { terms, unknowns: polynomial.unknowns };
}

/** Whether any unknown of it involves one of the names. */
export function involves(polynomial: Polynomial, names: (name: string) => boolean): boolean {
  for (const key of polynomial.terms.keys())
    for (const part of key === '' ? [] : key.split('·')) {
      for (const name of polynomial.unknowns.get(part)?.names ?? []) if (names(name)) return true;
    }
  return false;
}

/** As people write it: `n`, `4 * n`, `n * m + 1`. */
export function wording(polynomial: Polynomial): string {
  const parts = [...polynomial.terms].map(([key, coefficient]) => {
    const product = key
      .split('·')
      .filter((part) => part !== '')
      .join(' * ');
    return product === '' ? String(coefficient) : coefficient === 1 ? product : `${coefficient} * ${product}`;
  });
  return parts.length === 0 ? '0' : parts.join(' + ');
}
