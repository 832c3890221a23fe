// Places in arrays of rows of unknown length: `y * width + x`.
//
// Two such places are one for any length where their rows and their columns are. So a number is put in the place of the
// length: one beyond all columns that the accesses of the array come to, at which two rows have no place in common.
import { append } from '../language';
import { add, knownOf, laneAt, multiply, witnessOf, type Lanes, type TracedAccess, type TraceEvent } from '../run';

type Form = NonNullable<TracedAccess['form']>;
type Monomial = Form[number]['of'];
type Unknown = Monomial['factors'][number];

/** The events with a known number for each unknown one by which the threads of a block are apart. */
export function withPitches(events: readonly TraceEvent[]): readonly TraceEvent[] {
  const byBase = new Map<unknown, TracedAccess[]>();
  for (const event of events) if (event.kind === 'access') append(byBase, event.base, event);
  const monomials = new Map<string, Monomial>();
  const changed = new Map<TraceEvent, TracedAccess>();
  for (const accesses of byBase.values()) {
    const pitches = new Set(accesses.flatMap(pitchesOf));
    if (pitches.size === 0) continue;
    let length = lengthOf(accesses);
    for (const pitch of pitches) {
      for (const access of accesses)
        changed.set(access, withLength(changed.get(access) ?? access, pitch, length, monomials));
      length *= length;
    }
  }
  return changed.size === 0 ? events : events.map((event) => changed.get(event) ?? event);
}

/** Uniform numbers that the threads are apart by, each by another multiple. */
function pitchesOf({ form = [] }: TracedAccess): Unknown[] {
  return form.flatMap(({ of, by }) => {
    const [only] = of.factors;
    return typeof by !== 'number' && of.factors.length === 1 && isUniform(only!) ? [only!] : [];
  });
}
function isUniform({ kind, witness, perLane, ofThread }: Unknown): boolean {
  return (kind === 'parameter' || kind === 'grid') && typeof witness === 'number' && !perLane && !ofThread;
}

/**
 * Bytes beyond those between the first and the last column to which the threads come, in the neighbouring blocks and in
 * all iterations as well; a multiple of each type's size.
 */
function lengthOf(accesses: readonly TracedAccess[]): number {
  let [low, high, apart] = [0, 0, 0];
  for (const access of accesses) {
    const known = knownOf(access.offset, access.form);
    for (let lane = 0; lane < access.mask.bits.length; lane++) {
      low = Math.min(low, laneAt(known, lane));
      high = Math.max(high, laneAt(known, lane) + access.bytes);
    }
    let steps = 0;
    for (const { of, by } of access.form ?? []) {
      const [only] = of.factors;
      const isCounted = of.factors.length === 1 && (only!.kind === 'block' || only!.kind === 'loop');
      const most = typeof by === 'number' ? Math.abs(by) : by.reduce((all, lane) => Math.max(all, Math.abs(lane)), 0);
      if (isCounted) steps += most * (only!.kind === 'loop' ? (only!.count ?? 2) : 2);
    }
    apart = Math.max(apart, steps);
  }
  return 32 * Math.ceil((high - low + 2 * apart + 32) / 32);
}

function withLength(
  access: TracedAccess,
  pitch: Unknown,
  length: number,
  monomials: Map<string, Monomial>,
): TracedAccess {
  const { form = [] } = access;
  let known = knownOf(access.offset, form);
  const terms = new Map<Monomial, Lanes>();
  const addTerm = (of: Monomial, by: Lanes): void => {
    terms.set(of, add(by, terms.get(of) ?? 0));
  };
  for (const { of, by } of form) {
    const rest = of.factors.filter((each) => each !== pitch);
    const times = length ** (of.factors.length - rest.length);
    if (rest.length === 0) known = add(known, multiply(by, times));
    else addTerm(monomialOf(rest, monomials), multiply(by, times));
  }
  const left = [...terms].map(([of, by]) => ({ of, by }));
  return { ...access, offset: add(known, witnessOf(left)), form: left };
}

/** One object for each product of unknowns, so that equal ones have equal keys. */
function monomialOf(factors: readonly Unknown[], monomials: Map<string, Monomial>): Monomial {
  const key = factors.map(({ id }) => id).join('*');
  let monomial = monomials.get(key);
  if (!monomial) {
    const witness = factors.reduce((product: Lanes, each) => multiply(product, each.witness), 1);
    monomial = { id: -1 - monomials.size, factors, witness, folded: false };
    monomials.set(key, monomial);
  }
  return monomial;
}
