// Sums of products of unknowns with whole coefficients: so two spellings of one index compare equal, and differences,
// factors and strides come out of `i * n + j` and `(i - 1) * n + j + n` alike. What an unknown is, the readers say.
import { step } from '../steps';

/**
 * A sum: coefficient by product. A product's key lists its atoms in order, parted by `·` (`blockDim.x·blockIdx.x`); the
 * constant term has the empty key. No coefficient is 0.
 */
export interface Polynomial<Atom> {
  readonly terms: ReadonlyMap<string, number>;
  /**
   * What the atoms stand for, by their keys. Atoms that cancelled stay in it: a value still depends on the time at
   * which it was read.
   */
  readonly atoms: ReadonlyMap<string, Atom>;
}

const separator = '·';
/** More terms than an index that people write has; readers give up beyond it. */
const mostTerms = 24;

export function constantPolynomial(value: number): Polynomial<never> {
  return { terms: new Map(value === 0 ? [] : [['', value]]), atoms: new Map<string, never>() };
}

/** One unknown. Its key may hold anything: what would read as two atoms is spelt otherwise. */
export function atomPolynomial<Atom>(key: string, atom: Atom): Polynomial<Atom> {
  const one = key.replaceAll(separator, '*');
  return { terms: new Map([[one, 1]]), atoms: new Map([[one, atom]]) };
}

/** `left + factor * right`. */
export function add<Atom>(left: Polynomial<Atom>, right: Polynomial<Atom>, factor = 1): Polynomial<Atom> {
  step(left.terms.size + right.terms.size);
  const terms = new Map(left.terms);
  for (const [key, coefficient] of right.terms) accumulate(terms, key, factor * coefficient);
  return { terms, atoms: new Map([...left.atoms, ...right.atoms]) };
}

export function multiply<Atom>(left: Polynomial<Atom>, right: Polynomial<Atom>): Polynomial<Atom> {
  step(left.terms.size * right.terms.size);
  const terms = new Map<string, number>();
  for (const [leftKey, leftCoefficient] of left.terms)
    for (const [rightKey, rightCoefficient] of right.terms)
      accumulate(
        terms,
        keyOfProduct([...atomsOf(leftKey), ...atomsOf(rightKey)].sort()),
        leftCoefficient * rightCoefficient,
      );
  return { terms, atoms: new Map([...left.atoms, ...right.atoms]) };
}

function accumulate(terms: Map<string, number>, key: string, coefficient: number): void {
  const sum = (terms.get(key) ?? 0) + coefficient;
  if (sum === 0) terms.delete(key);
  else terms.set(key, sum);
}

/** The polynomial, unless it has more terms than are worth carrying on. */
export function bounded<Atom>(polynomial: Polynomial<Atom>): Polynomial<Atom> | undefined {
  return polynomial.terms.size <= mostTerms ? polynomial : undefined;
}

export function isZero(polynomial: Polynomial<unknown>): boolean {
  return polynomial.terms.size === 0;
}

export function equal<Atom>(left: Polynomial<Atom>, right: Polynomial<Atom>): boolean {
  return isZero(add(left, right, -1));
}

/** The number that the polynomial is, where nothing unknown is left in it. */
export function numberOf(polynomial: Polynomial<unknown> | undefined): number | undefined {
  if (!polynomial) return undefined;
  if (polynomial.terms.size === 0) return 0;
  return polynomial.terms.size === 1 ? polynomial.terms.get('') : undefined;
}

/** The keys of a product's atoms, in order. */
export function atomsOf(key: string): string[] {
  return key === '' ? [] : key.split(separator);
}

/** The key of a product of atoms that are in order. */
export function keyOfProduct(atoms: readonly string[]): string {
  return atoms.join(separator);
}

/** Whether some term has an atom that the test holds of. */
export function hasAtom<Atom>(
  polynomial: Polynomial<Atom>,
  test: (key: string, atom: Atom | undefined) => boolean,
): boolean {
  for (const key of polynomial.terms.keys())
    if (atomsOf(key).some((atom) => test(atom, polynomial.atoms.get(atom)))) return true;
  return false;
}

/** The same text for the same polynomial. */
export function canonical(polynomial: Polynomial<unknown>): string {
  return (
    [...polynomial.terms]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([key, coefficient]) => `${coefficient}${key === '' ? '' : `${separator}${key}`}`)
      .join('+') || '0'
  );
}

/** The factor on an atom and the rest apart; undefined where the atom is squared. */
export function splitBy<Atom>(
  polynomial: Polynomial<Atom>,
  atom: string,
): { readonly factor: Polynomial<Atom>; readonly rest: Polynomial<Atom> } | undefined {
  const { atoms } = polynomial;
  const factor = new Map<string, number>();
  const rest = new Map<string, number>();
  for (const [key, coefficient] of polynomial.terms) {
    const others = atomsOf(key);
    const at = others.indexOf(atom);
    if (at < 0) {
      rest.set(key, coefficient);
      continue;
    }
    others.splice(at, 1);
    if (others.includes(atom)) return undefined;
    factor.set(keyOfProduct(others), coefficient);
  }
  return { factor: { terms: factor, atoms }, rest: { terms: rest, atoms } };
}

/** As people write it: `n`, `4 * n`, `n * m + 1`. */
export function wording(polynomial: Polynomial<unknown>): string {
  const parts = [...polynomial.terms].map(([key, coefficient]) => {
    const product = atomsOf(key).join(' * ');
    return product === '' ? String(coefficient) : coefficient === 1 ? product : `${coefficient} * ${product}`;
  });
  return parts.length === 0 ? '0' : parts.join(' + ');
}
