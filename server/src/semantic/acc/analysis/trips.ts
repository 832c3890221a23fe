// How many turns a loop takes, exactly or at most, and why.
import { spanIn } from '../../span';
import type { LoopStep, Step, Value } from '../../../syntax/procedures';
import { type ValuePolynomial, slope } from './valuePolynomials';
import { rowLengthOf } from './rows';
import { extentAt, polynomialAt, type Scope, variableAt } from './scope';
import { effectsOf } from './steps';
import { countedTrips, lineOf, strideOf, type TripBound } from './countedTrips';

/** The iterations of a counted loop; undefined where no known code bounds them. */
export function tripsOf(scope: Scope, loop: LoopStep): TripBound | undefined {
  const stated = annotated(scope, loop);
  if (stated) return stated;
  const bounds = [countedTrips(scope, loop), rowTrips(scope, loop), arrayTrips(scope, loop)].filter(
    (bound) => bound !== undefined,
  );
  return bounds.sort((a, b) => a.atMost - b.atMost || Number(b.exact) - Number(a.exact))[0];
}

/** What a comment states: `// warplens: trip <= 27`. */
function annotated(scope: Scope, loop: LoopStep): TripBound | undefined {
  if (scope.file.annotations.length === 0) return undefined;
  const lines = new Set<number>();
  for (const place of [loop.header, ...loop.directives])
    for (let line = lineOf(scope, place.start); line <= lineOf(scope, place.end); line++) lines.add(line);
  const note = scope.file.annotations.find((one) => lines.has(one.line));
  return (
    note && {
      atMost: note.atMost,
      exact: note.exact,
      constant: false,
      why: 'a comment states it',
      at: spanIn(scope.file, note),
    }
  );
}

/** A loop from `rows[i]` to `rows[i + 1]`, where the code that fills `rows` counts. */
function rowTrips(scope: Scope, loop: LoopStep): TripBound | undefined {
  if (strideOf(scope, loop) !== 1 || !loop.lower || !loop.upper) return undefined;
  return betweenOffsets(scope, loop.lower, loop.upper, loop, loop.inclusive ? 1 : 0);
}

function betweenOffsets(scope: Scope, first: Value, end: Value, at: Step, more: number): TripBound | undefined {
  const lower = polynomialAt(scope, first, at),
    upper = polynomialAt(scope, end, at);
  if (!lower || !upper) return undefined;
  const from = oneAtom(lower),
    to = oneAtom(upper);
  if (!from || !to) return undefined;
  if (from.value.kind === 'name' && to.value.kind === 'name')
    return handedIn(scope, from.value.name, to.value.name, to.rest - from.rest + more);
  if (from.value.kind !== 'element' || to.value.kind !== 'element') return undefined;
  if (from.value.subscripts.length !== 1 || to.value.subscripts.length !== 1) return undefined;
  const a = polynomialAt(scope, from.value.subscripts[0]!, at),
    b = polynomialAt(scope, to.value.subscripts[0]!, at);
  const rows = a && b ? b.plus(a, -1).number : undefined;
  if (rows === undefined || rows < 1 || rows > 4) return undefined;
  const length = rowLengthOf(scope, from.value.base, to.value.base, at);
  if (!length) return undefined;
  const atMost = rows * length.atMost + to.rest - from.rest + more;
  return atMost < 1
    ? undefined
    : {
        atMost,
        exact: false,
        constant: false,
        why: `the code that fills \`${from.value.array}\` counts at most ${length.atMost} per row`,
        at: length.at,
      };
}

/** Both offsets are parameters that nothing changes: the longest row that any known call passes. */
function handedIn(scope: Scope, from: string, to: string, more: number): TripBound | undefined {
  const { parameters, name, body } = scope.procedure;
  const places = [parameters.indexOf(from), parameters.indexOf(to)] as const;
  if (places.some((place) => place < 0) || [from, to].some((one) => effectsOf(body).written.has(one))) return undefined;
  let longest: TripBound | undefined;
  for (const caller of scope.sources.scopes)
    for (const { call, step } of caller === scope ? [] : effectsOf(caller.procedure.body).calls) {
      if (call.name !== name) continue;
      const [lower, upper] = places.map((place) => call.args[place]);
      const bound = lower && upper && betweenOffsets(caller, lower, upper, step, more);
      if (!bound) return undefined;
      if (!longest || bound.atMost > longest.atMost) longest = bound;
    }
  return longest;
}

/** `rows[i + 1] - 1` as the one value in it and the number added to it. */
function oneAtom(polynomial: ValuePolynomial): { readonly value: Value; readonly rest: number } | undefined {
  const keys = [...polynomial.terms.keys()].filter((key) => key !== '');
  const value =
    keys.length === 1 && polynomial.terms.get(keys[0]!) === 1 ? polynomial.atoms.get(keys[0]!)?.value : undefined;
  return value && { value, rest: polynomial.terms.get('') ?? 0 };
}

/** The loop's variable as a subscript of an array whose extent is a number: more turns would leave the array. */
function arrayTrips(scope: Scope, loop: LoopStep): TripBound | undefined {
  const step = strideOf(scope, loop);
  const { variable } = loop;
  if (step === undefined || variable === undefined) return undefined;
  let best: TripBound | undefined;
  for (const { element, conditional, step: at, loops } of effectsOf(loop.body).accesses) {
    if (conditional || element.base.kind !== 'name') continue;
    // An inner loop may take no turn.
    const runs = loops.map((inner) => countedTrips(scope, inner));
    if (!runs.every((trips) => trips?.exact && trips.atMost > 0)) continue;
    // `(&a[0][0])[k]` walks the whole of an array as if it had one dimension.
    if (element.subscripts.length > 1 && /^[(*]/.test(scope.file.text.slice(element.start, element.start + 1)))
      continue;
    const declared = variableAt(scope, element.base.name, at.start);
    if (!declared?.dimensions || declared.dimensions.length < element.subscripts.length) continue;
    element.subscripts.forEach((subscript, index) => {
      // A parameter's first extent in C is a comment to the compiler, not a promise.
      const dimension = declared.dimensions![index]!;
      if (declared.role === 'parameter' && scope.file.language === 'c' && index === 0) return;
      const extent = extentAt(scope, dimension, loop)?.number;
      if (extent === undefined) return;
      const polynomial = polynomialAt(scope, subscript, at);
      const coefficient = polynomial && slope(polynomial, variable)?.number;
      // `a(1)`, `a[1]`: how old programs say that the extent is somebody else's.
      if (!coefficient || extent <= 1) return;
      const trips = Math.ceil(extent / Math.abs(coefficient * step));
      const isOneOfMany = declared.dimensions!.length > 1;
      if (!best || trips < best.atMost)
        best = {
          atMost: trips,
          exact: false,
          constant: false,
          why: `\`${declared.name}\` has ${extent} elements${isOneOfMany ? ' along this dimension' : ''}`,
          at: { uri: declared.uri, start: declared.at.start, end: declared.at.end },
        };
    });
  }
  return best;
}
