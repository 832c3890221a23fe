// Integers that the text does not settle, kept as what they are: known numbers by lane, plus unknowns with a
// coefficient for each lane.
//
// `threadIdx.x * pitch + base` is {pitch: [0, 1, 2, …], base: 1}: between the lanes of a warp `base` cancels and
// `pitch` does not. Each unknown has a *witness*, a number that the run computes conditions and addresses with; a
// value's lanes are always its known part plus the witnesses times their coefficients, so that the known part never has
// to be stored.
import { add, multiply, sameLanes, settle, subtract, type Lanes } from './lanes';

export interface Unknown {
  readonly id: number;
  /** The same for the same value, by where the text leaves it open. */
  readonly key?: string;
  /** As written: `pitch`, `p.stride`, `blockIdx.x`; none of what is only computed. */
  readonly name?: string | undefined;
  /**
   * `loop` is the number of any iteration; `iteration` a number that the run knows and the compiler does not; `call`
   * comes of a function whose body is not known, and may be another number in each thread.
   */
  readonly kind: 'parameter' | 'loaded' | 'block' | 'grid' | 'result' | 'call' | 'loop' | 'iteration';
  readonly witness: Lanes;
  /** A number inside where the witness lies at the domain's edge, which comparisons see: row 0 of `i / width`. */
  readonly inside?: number;
  /** It may differ between lanes, although the witnesses do not: `threadIdx.x / n`. */
  readonly perLane?: boolean;
  /** It is computed from the thread's number: threads may differ in it, although the witnesses do not. */
  readonly ofThread?: boolean;
  /** How many values it takes, counted from 0 (blocks of a known grid, iterations of a loop). */
  readonly count?: number;
  /** What it is in each block along one axis of the grid. */
  readonly along?: { readonly axis: string; readonly at: (block: number) => number };
}

/** A product of unknowns, each with its witness; identified by its object. */
export interface Monomial {
  readonly id: number;
  readonly factors: readonly Unknown[];
  /** The product of the factors' witnesses, or a smaller number in its place. */
  readonly witness: Lanes;
  readonly folded: boolean;
}
export interface Term {
  readonly of: Monomial;
  readonly by: Lanes;
}
/** Sorted by monomial; no two of the same, none with coefficient 0. */
export type Form = readonly Term[];

/** More terms than this, or products of more factors, become one unknown. */
const mostTerms = 10;
const mostFactors = 6;
/** Beyond this, sums of a few witnesses would lose their low bits in a double. */
const largestWitness = 2 ** 44;

/** The unknowns of one run. */
export type Unknowns = ReturnType<typeof createUnknowns>;

export function createUnknowns() {
  const byKey = new Map<string, Unknown>();
  const monomials = new Map<string, Monomial>();
  const monomialOf = (factors: readonly Unknown[]): Monomial => {
    const key = factors.map((factor) => factor.id).join('*');
    let monomial = monomials.get(key);
    if (!monomial) {
      let witness: Lanes = 1;
      for (const factor of factors) witness = multiply(witness, factor.witness);
      const small = folded(witness);
      monomial = { id: monomials.size + 1, factors, witness: small, folded: !sameLanes(small, witness) };
      monomials.set(key, monomial);
    }
    return monomial;
  };
  const unknowns = {
    /** The unknown of this key; made with `make` when it is new. */
    named(key: string, make: () => Omit<Unknown, 'id'>): Unknown {
      let unknown = byKey.get(key);
      if (!unknown) {
        unknown = { id: byKey.size + 1, ...make() };
        byKey.set(key, unknown);
      }
      return unknown;
    },
    /** An unknown that a run knows only by its value: two of one witness are one. */
    opaque(witness: Lanes, name?: string, ofThread = false): Form {
      const number = typeof witness === 'number' ? `=${witness}` : `=[${witness.join()}]`;
      const key = ofThread ? `${number} of thread` : number;
      return unknowns.single(unknowns.named(key, () => ({ name, kind: 'result', witness, ofThread })));
    },
    single: (unknown: Unknown): Form => [{ of: monomialOf([unknown]), by: 1 }],
    /** `left * right` of two monomials; undefined when it has too many factors. */
    product(left: Monomial, right: Monomial): Monomial | undefined {
      if (left.factors.length + right.factors.length > mostFactors) return undefined;
      return monomialOf([...left.factors, ...right.factors].sort((a, b) => a.id - b.id));
    },
  };
  return unknowns;
}

/** A product of witnesses that a double no longer counts in ones, as a number that differs where it does. */
function folded(witness: Lanes): Lanes {
  const fold = (value: number): number =>
    Math.abs(value) <= largestWitness ? value : (Math.abs(value) % 1048573) * 1024 + 1024;
  if (typeof witness === 'number') return fold(witness);
  return witness.map(fold);
}

/** `left + sign * right`; undefined when the sum has too many terms to follow. */
export function sum(left: Form, right: Form, sign: 1 | -1): Form | undefined {
  if (right.length === 0) return left;
  const out: Term[] = [];
  let at = 0;
  let other = 0;
  while (at < left.length || other < right.length) {
    const a = left[at];
    const b = right[other];
    if (a && (!b || a.of.id < b.of.id)) {
      out.push(a);
      at++;
    } else if (b && (!a || b.of.id < a.of.id)) {
      out.push(sign === 1 ? b : { of: b.of, by: multiply(b.by, -1) });
      other++;
    } else {
      const by = settle(sign === 1 ? add(a!.by, b!.by) : subtract(a!.by, b!.by));
      if (by !== 0) out.push({ of: a!.of, by });
      at++;
      other++;
    }
  }
  return out.length > mostTerms ? undefined : out;
}

/** Each coefficient times known numbers. */
export function scaled(form: Form, by: Lanes): Form {
  if (by === 1) return form;
  if (by === 0) return [];
  const out: Term[] = [];
  for (const term of form) {
    const coefficient = settle(multiply(term.by, by));
    if (coefficient !== 0) out.push({ of: term.of, by: coefficient });
  }
  return out;
}

/** The unknown part of a product with known parts `leftKnown`, `rightKnown`; undefined if it is too large. */
export function productForm(
  unknowns: Unknowns,
  left: Form,
  leftKnown: Lanes,
  right: Form,
  rightKnown: Lanes,
): Form | undefined {
  let out: Form | undefined = sum(scaled(left, rightKnown), scaled(right, leftKnown), 1);
  for (const a of left) {
    for (const b of right) {
      const of = unknowns.product(a.of, b.of);
      if (!of || !out) return undefined;
      out = sum(out, [{ of, by: settle(multiply(a.by, b.by)) }], 1);
    }
  }
  return out;
}

/** The form where a factor is known to be its witness. */
export function settledAt(unknowns: Unknowns, form: Form, factor: Unknown): Form | undefined {
  let out: Form | undefined = [];
  for (const { of, by } of form) {
    const rest = of.factors.filter((each) => each !== factor);
    let term: Form | undefined = [];
    rest.forEach((each, at) => {
      const one = unknowns.single(each);
      term = at === 0 ? one : term && productForm(unknowns, term, 0, one, 0);
    });
    const known = multiply(by, (factor.witness as number) ** (of.factors.length - rest.length));
    out = out && term && sum(out, scaled(term, known), 1);
  }
  return out;
}

/** What the witnesses of a form add up to. */
export function witnessOf(form: Form): Lanes {
  let total: Lanes = 0;
  for (const term of form) total = add(total, multiply(term.by, term.of.witness));
  return total;
}
/** A value's lanes without its unknowns. */
export function knownOf(lanes: Lanes, form: Form | undefined): Lanes {
  return form?.length ? settle(subtract(lanes, witnessOf(form))) : lanes;
}

export function sameForm(left: Form | undefined, right: Form | undefined): boolean {
  if (left === right) return true;
  if (!left || !right || left.length !== right.length) return false;
  return left.every((term, at) => term.of === right[at]!.of && sameLanes(term.by, right[at]!.by));
}

/** Are all coefficients multiples of `divisor` (> 0, whole)? */
export function divisible(form: Form, divisor: number): boolean {
  return form.every(({ by }) =>
    typeof by === 'number' ? by % divisor === 0 : by.every((coefficient) => coefficient % divisor === 0),
  );
}
