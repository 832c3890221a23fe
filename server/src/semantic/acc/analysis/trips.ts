// How many turns a loop takes, exactly or at most, and why.
import type { LoopStep, Step, Value } from '../../../syntax/procedures';
import type { Span } from '../../model';
import { add, constantOf, equal, keyOf, slope, type Polynomial } from './polynomial';
import { rowLengthOf } from './rows';
import { definitionOf, numberAt, polynomialAt, variableAt, type Scope } from './scope';
import { effectsOf } from './steps';

export interface TripBound {
  readonly atMost: number;
  readonly exact: boolean;
  /** The compiler sees the number too: it stands in the loop's own bounds. */
  readonly constant: boolean;
  /** What the bound follows from, as the end of a sentence: `the array \`w\` has 9 elements`. */
  readonly why: string;
  readonly at?: Span;
}

/** The turns of a counted loop; undefined where nothing in sight bounds them. */
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

/** Lines count from 0. */
export function lineOf(scope: Scope, offset: number): number {
  let line = 0;
  const { text } = scope.file;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** From the loop's own bounds, where their difference is a number: `i = -1; i <= 1`, `j = k; j < min(k + 32, n)`. */
export function countedTrips(scope: Scope, loop: LoopStep): TripBound | undefined {
  const step = strideOf(scope, loop);
  if (step === undefined || !loop.lower || !loop.upper) return undefined;
  const rising = step > 0;
  let best: number | undefined;
  const uppers = arms(scope, loop.upper, loop, rising ? 'min' : 'max'),
    lowers = arms(scope, loop.lower, loop, rising ? 'max' : 'min');
  for (const upper of uppers)
    for (const lower of lowers) {
      const distance = constantOf(add(upper, lower, -1));
      if (distance === undefined) continue;
      const trips = Math.max(0, Math.ceil((distance * Math.sign(step) + (loop.inclusive ? 1 : 0)) / Math.abs(step)));
      best = best === undefined ? trips : Math.min(best, trips);
    }
  if (best === undefined) return undefined;
  const exact = uppers.length === 1 && lowers.length === 1;
  return {
    atMost: best,
    exact,
    constant: exact,
    why: exact ? 'its bounds are constants' : 'its bounds allow no more',
    at: spanOf(scope, loop.header),
  };
}

/** The loop's step as a number; 1 where none is written. */
export function strideOf(scope: Scope, loop: LoopStep): number | undefined {
  if (loop.form !== 'counted' || loop.variable === undefined) return undefined;
  const step = loop.step ? numberAt(scope, loop.step, loop) : 1;
  return step === 0 ? undefined : step;
}

/**
 * The values of which a bound is the least (or the greatest): the arguments of `min`, the arms of `a < b ? a : b`, else
 * itself.
 */
function arms(scope: Scope, value: Value, at: Step, which: 'min' | 'max', depth = 0): Polynomial[] {
  if (value.kind === 'call' && new RegExp(`(^|::)(f?${which}[fl]?|${which}[01])$`, 'i').test(value.name))
    return value.args.flatMap((arg) => arms(scope, arg, at, which, depth));
  if (value.kind === 'conditional' && value.cond.kind === 'binary') {
    const { op, left, right } = value.cond;
    const less = op.startsWith('<'),
      more = op.startsWith('>');
    const straight = keyOf(left) === keyOf(value.then) && keyOf(right) === keyOf(value.else),
      crossed = keyOf(left) === keyOf(value.else) && keyOf(right) === keyOf(value.then);
    if ((less || more) && (straight || crossed) && (less === straight) === (which === 'min'))
      return [value.then, value.else].flatMap((arm) => arms(scope, arm, at, which, depth));
  }
  if (value.kind === 'name' && depth < 4) {
    const meant = definitionOf(scope, value.name, at);
    if (meant && (meant.kind === 'call' || meant.kind === 'conditional' || meant.kind === 'name'))
      return arms(scope, meant, at, which, depth + 1);
  }
  const polynomial = polynomialAt(scope, value, at);
  return polynomial ? [polynomial] : [];
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
  const rows = a && b ? constantOf(add(b, a, -1)) : undefined;
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
        why: `the code that fills \`${from.element.array}\` counts at most ${length.atMost} a row`,
        at: length.at,
      };
}

/** `rows[i + 1] - 1` as its element and the number added to it. */
function oneElement(
  polynomial: Polynomial,
): { readonly element: Extract<Value, { kind: 'element' }>; readonly rest: number } | undefined {
  const keys = [...polynomial.terms.keys()].filter((key) => key !== '');
  const value =
    keys.length === 1 && polynomial.terms.get(keys[0]!) === 1 ? polynomial.unknowns.get(keys[0]!)?.value : undefined;
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
      const coefficient = polynomial && constantOf(slope(polynomial, variable));
      // `a(1)`, `a[1]`: how old programs say that the extent is somebody else's.
      if (!coefficient || extent <= 1) return;
      const trips = Math.ceil(extent / Math.abs(coefficient * step));
      if (!best || trips < best.atMost)
        best = {
          atMost: trips,
          exact: false,
          constant: false,
          why: `\`${declared.name}\` has ${extent} elements${declared.dimensions!.length > 1 ? ' along it' : ''}`,
          at: { uri: declared.uri, start: declared.at.start, end: declared.at.end },
        };
    });
  }
  return best;
}

/**
 * Whether two loops take the same turns whatever the values: their bounds are equal as texts that nothing changes
 * between.
 */
export function sameRange(scope: Scope, a: LoopStep, b: LoopStep): boolean {
  const pairs = [
    [a.lower, b.lower],
    [a.upper, b.upper],
  ] as const;
  return (
    strideOf(scope, a) === strideOf(scope, b) &&
    a.inclusive === b.inclusive &&
    pairs.every(([x, y]) => {
      const p = x && polynomialAt(scope, x, a),
        q = y && polynomialAt(scope, y, b);
      return p !== undefined && q !== undefined && equal(p, q);
    })
  );
}

function spanOf(scope: Scope, place: { readonly start: number; readonly end: number }): Span {
  return { uri: scope.file.uri, start: place.start, end: place.end };
}
