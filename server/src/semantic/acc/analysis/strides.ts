// How far apart in memory the iterations of a loop touch an array, row-major in C and column-major in Fortran.
import type { LoopStep } from '../../../syntax/procedures';
import { constantPolynomial } from '../../language';
import { involves, slope, type ValuePolynomial } from './valuePolynomials';
import { extentAt, polynomialAt, variableAt, type Scope } from './scope';
import { effectsOf, type Access } from './steps';

/**
 * Elements between neighbouring turns: a number, a text where only names tell, both absent where it is unknown (a
 * gather).
 */
export interface Stride {
  readonly elements?: number;
  readonly text?: string;
  /** What `text` words, where it is a sum of products of names. */
  readonly size?: ValuePolynomial;
}

/**
 * Names that an access' subscripts may depend on and that change within one iteration of the loop in a way the text
 * does not tell.
 */
export function strideOver(
  scope: Scope,
  access: Access,
  loop: LoopStep,
  within: readonly LoopStep[],
): Stride | undefined {
  const { variable } = loop;
  if (variable === undefined) return undefined;
  const { element, step } = access;
  const { written, declared } = effectsOf(loop.body);
  const counted = new Set(
    within.flatMap((one) => (one.form === 'counted' && one.variable !== undefined ? [one.variable] : [])),
  );
  const changing = (name: string): boolean =>
    name !== variable && !counted.has(name) && (written.has(name) || declared.has(name));
  const slopes: ValuePolynomial[] = [];
  for (const subscript of element.subscripts) {
    const polynomial = polynomialAt(scope, subscript, step);
    if (!polynomial || involves(polynomial, changing)) return undefined;
    let own = slope(polynomial, variable);
    for (const inner of access.loops) {
      // A loop inside that begins elsewhere in each iteration carries its subscript along.
      const by = own && inner.variable !== undefined && inner !== loop ? slope(polynomial, inner.variable) : undefined;
      if (!own || by === undefined || by.terms.size === 0 || !inner.lower) continue;
      const lower = polynomialAt(scope, inner.lower, inner);
      const start = lower && slope(lower, variable);
      const moved = start?.times(by);
      own = moved && own.plus(moved);
    }
    if (!own) return undefined;
    slopes.push(own);
  }
  const fortran = scope.file.language === 'fortran';
  const fastest = fortran ? slopes : [...slopes].reverse();
  const at = fastest.findIndex((one) => one.terms.size > 0);
  if (at < 0) return { elements: 0 };
  if (at === 0 && fastest.slice(1).every((one) => one.terms.size === 0)) return strideFrom(fastest[0]!);
  // A slower subscript: as many elements as a row (a column in Fortran) has, where the declaration tells.
  const declaredAs = variableAt(scope, element.array, step.start);
  const extents =
    declaredAs?.dimensions?.length === slopes.length
      ? declaredAs.dimensions.map((dimension) => extentAt(scope, dimension, step))
      : undefined;
  const faster = extents && (fortran ? extents : [...extents].reverse()).slice(0, at);
  const size = faster?.reduce<ValuePolynomial | undefined>(
    (product, extent) => product && extent && product.times(extent).bounded,
    constantPolynomial(1),
  );
  const stride =
    size && fastest.slice(at + 1).every((one) => one.terms.size === 0) ? size.times(fastest[at]!) : undefined;
  if (stride) return strideFrom(stride);
  // An array of assumed shape has its extents itself.
  const sizes = Array.from({ length: at }, (_, number) => `size(${element.array},${number + 1})`);
  const isNext = fortran && fastest[at]!.number === 1 && fastest.slice(at + 1).every((one) => one.terms.size === 0);
  return { text: isNext ? sizes.join('*') : fortran ? 'a column' : 'a row' };
}

function strideFrom(polynomial: ValuePolynomial): Stride {
  const number = polynomial.number;
  if (number !== undefined) return { elements: number };
  const text = polynomial.wording;
  // Calls and quotients are values of a name, not a distance that someone wrote.
  return { text: /[(?]/.test(text) ? 'many' : text, size: polynomial };
}

export function isContiguous(stride: Stride | undefined): boolean {
  return stride?.elements !== undefined && Math.abs(stride.elements) === 1;
}

/** A distance in elements at which hardly two lanes share a sector. */
export function isFar(stride: Stride | undefined): boolean {
  return stride !== undefined && (stride.text !== undefined || Math.abs(stride.elements ?? 0) >= 8);
}
