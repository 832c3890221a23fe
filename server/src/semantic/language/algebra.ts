// Sums of products of unknowns with whole coefficients: so two spellings of one index compare equal, and differences,
// factors and strides come out of `i * n + j` and `(i - 1) * n + j + n` alike. What an unknown is, the readers say.
import { step } from '../steps';

const separator = '·';
/** More terms than an index that people write has; readers give up beyond it. */
const mostTerms = 24;

/**
 * A sum: coefficient by product. A product's key lists its atoms in order, parted by `·` (`blockDim.x·blockIdx.x`); the
 * constant term has the empty key. No coefficient is 0.
 */
export class Polynomial<Atom> {
  /**
   * @param atoms what the atoms stand for, by their keys. Atoms that cancelled stay in it: a value still depends on the
   * time at which it was read.
   */
  constructor(
    readonly terms: ReadonlyMap<string, number>,
    readonly atoms: ReadonlyMap<string, Atom> = new Map(),
  ) {}

  /** `this + factor * right`. */
  plus<A>(this: Polynomial<A>, right: Polynomial<A>, factor = 1): Polynomial<A> {
    step(this.terms.size + right.terms.size);
    const terms = new Map(this.terms);
    for (const [key, coefficient] of right.terms) accumulate(terms, key, factor * coefficient);
    return new Polynomial(terms, new Map([...this.atoms, ...right.atoms]));
  }

  times<A>(this: Polynomial<A>, right: Polynomial<A>): Polynomial<A> {
    step(this.terms.size * right.terms.size);
    const terms = new Map<string, number>();
    for (const [leftKey, left] of this.terms)
      for (const [rightKey, coefficient] of right.terms)
        accumulate(terms, keyOfProduct([...atomsOf(leftKey), ...atomsOf(rightKey)].sort()), left * coefficient);
    return new Polynomial(terms, new Map([...this.atoms, ...right.atoms]));
  }

  /** The polynomial, unless it has more terms than are worth carrying on. */
  get bounded(): Polynomial<Atom> | undefined {
    return this.terms.size <= mostTerms ? this : undefined;
  }

  get isZero(): boolean {
    return this.terms.size === 0;
  }

  equals<A>(this: Polynomial<A>, right: Polynomial<A>): boolean {
    return this.plus(right, -1).isZero;
  }

  /** The number that the polynomial is, where nothing unknown is left in it. */
  get number(): number | undefined {
    if (this.terms.size === 0) return 0;
    return this.terms.size === 1 ? this.terms.get('') : undefined;
  }

  /** Whether some term has an atom that the test holds of. */
  has(test: (key: string, atom: Atom | undefined) => boolean): boolean {
    for (const key of this.terms.keys()) if (atomsOf(key).some((atom) => test(atom, this.atoms.get(atom)))) return true;
    return false;
  }

  /** The same text for the same polynomial. */
  get canonical(): string {
    return (
      [...this.terms]
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([key, coefficient]) => `${coefficient}${key === '' ? '' : `${separator}${key}`}`)
        .join('+') || '0'
    );
  }

  /** The factor on an atom and the rest apart; undefined where the atom is squared. */
  split(atom: string): { readonly factor: Polynomial<Atom>; readonly rest: Polynomial<Atom> } | undefined {
    const factor = new Map<string, number>();
    const rest = new Map<string, number>();
    for (const [key, coefficient] of this.terms) {
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
    return { factor: new Polynomial(factor, this.atoms), rest: new Polynomial(rest, this.atoms) };
  }

  /** As people write it: `n`, `4 * n`, `n * m + 1`. */
  get wording(): string {
    const parts = [...this.terms].map(([key, coefficient]) => {
      const product = atomsOf(key).join(' * ');
      return product === '' ? String(coefficient) : coefficient === 1 ? product : `${coefficient} * ${product}`;
    });
    return parts.length === 0 ? '0' : parts.join(' + ');
  }
}

export function constantPolynomial(value: number): Polynomial<never> {
  return new Polynomial(new Map(value === 0 ? [] : [['', value]]));
}

/** One unknown. Its key may hold anything: what would read as two atoms is spelt otherwise. */
export function atomPolynomial<Atom>(key: string, atom: Atom): Polynomial<Atom> {
  const one = key.replaceAll(separator, '*');
  return new Polynomial(new Map([[one, 1]]), new Map([[one, atom]]));
}

function accumulate(terms: Map<string, number>, key: string, coefficient: number): void {
  const sum = (terms.get(key) ?? 0) + coefficient;
  if (sum === 0) terms.delete(key);
  else terms.set(key, sum);
}

/** The keys of a product's atoms, in order. */
export function atomsOf(key: string): string[] {
  return key === '' ? [] : key.split(separator);
}

/** The key of a product of atoms that are in order. */
export function keyOfProduct(atoms: readonly string[]): string {
  return atoms.join(separator);
}
