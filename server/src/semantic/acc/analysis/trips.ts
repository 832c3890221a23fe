// How many turns a loop takes, exactly or at most, and why.
import type { LoopStep, Value } from '../../../syntax/procedures';
import { add, numberOf } from '../../language/algebra';
import { type ValuePolynomial, slope } from './valuePolynomials';
import { rowLengthOf } from './rows';
import { numberAt, polynomialAt, type Scope, variableAt } from './scope';
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
      at: { uri: scope.file.uri, start: note.start, end: note.end },
    }
  );
}

/** A loop from `rows[i]` to `rows[i + 1]`, where the code that fills `rows` counts. */
function rowTrips(scope: Scope, loop: LoopStep): TripBound | undefined {
  if (strideOf(scope, loop) !== 1 || !loop.lower || !loop.upper) return undefined;
  const lower = polynomialAt(scope, loop.lower, loop),
    upper = polynomialAt(scope, loop.upper, loop);
  if (!lower || !upper) return undefined;
  const from = oneElement(lower),
    to = oneElement(upper);
  if (!from || !to || from.element.subscripts.length !== 1 || to.element.subscripts.length !== 1) return undefined;
  const a = polynomialAt(scope, from.element.subscripts[0]!, loop),
    b = polynomialAt(scope, to.element.subscripts[0]!, loop);
  const rows = a && b ? numberOf(add(b, a, -1)) : undefined;
  if (rows === undefined || rows < 1 || rows > 4) return undefined;
  const length = rowLengthOf(scope, from.element.base, to.element.base, loop);
  if (!length) return undefined;
  const atMost = rows * length.atMost + to.rest - from.rest + (loop.inclusive ? 1 : 0);
  return atMost < 1
    ? undefined
    : {
        atMost,
        exact: false,
        constant: false,
        why: `the code that fills \`${from.element.array}\` counts at most ${length.atMost} per row`,
        at: length.at,
      };
}

/** `rows[i + 1] - 1` as its element and the number added to it. */
function oneElement(
  polynomial: ValuePolynomial,
): { readonly element: Extract<Value, { kind: 'element' }>; readonly rest: number } | undefined {
  const keys = [...polynomial.terms.keys()].filter((key) => key !== '');
  const value =
    keys.length === 1 && polynomial.terms.get(keys[0]!) === 1 ? polynomial.atoms.get(keys[0]!)?.value : undefined;
  return value?.kind === 'element' ? { element: value, rest: polynomial.terms.get('') ?? 0 } : undefined;
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
    if (
      loops.some((inner) => !((countedTrips(scope, inner)?.exact ?? false) && countedTrips(scope, inner)!.atMost > 0))
    )
      continue;
    // `(&a[0][0])[k]` walks the whole of an array as if it had one dimension.
    if (element.subscripts.length > 1 && /^[(*]/.test(scope.file.text.slice(element.start, element.start + 1)))
      continue;
    const declared = variableAt(scope, element.base.name, at.start);
    if (!declared?.dimensions || declared.dimensions.length < element.subscripts.length) continue;
    element.subscripts.forEach((subscript, index) => {
      // A parameter's first extent in C is a comment to the compiler, not a promise.
      const dimension = declared.dimensions![index]!;
      if (declared.role === 'parameter' && scope.file.language === 'c' && index === 0) return;
      const lower = dimension.upper ? (dimension.lower ? numberAt(scope, dimension.lower, loop) : 1) : 0;
      const upper = dimension.extent
        ? numberAt(scope, dimension.extent, loop)
        : dimension.upper
          ? numberAt(scope, dimension.upper, loop)
          : undefined;
      if (lower === undefined || upper === undefined) return;
      const extent = dimension.extent ? upper : upper - lower + 1;
      const polynomial = polynomialAt(scope, subscript, at);
      const coefficient = polynomial && numberOf(slope(polynomial, variable));
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
