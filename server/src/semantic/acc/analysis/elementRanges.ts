// Elements as ranges of their subscripts: which ones an access touches over all iterations of its loops.
import type { LoopStep, Step, Value } from '../../../syntax/procedures';
import { constantPolynomial } from '../../language';
import type { Touch } from './dataflow';
import { rangeOver } from './independence';
import { polynomialAt, type Scope } from './scope';
import { type Access, effectsOfStep } from './steps';
import { involves, type ValuePolynomial } from './valuePolynomials';

interface Range {
  readonly low: ValuePolynomial;
  readonly high: ValuePolynomial;
}
/** The elements by subscript, as far as they are known; empty for all of them. */
export type Part = readonly (Range | 'all' | undefined)[];

/** The elements that subscripts name over all iterations of their loops. */
export function partOf(scope: Scope, subscripts: readonly Value[], at: Step, loops: readonly LoopStep[] = []): Part {
  const counted = loops.filter(({ variable }) => variable !== undefined);
  return subscripts.map((value) => {
    const [first, last] = (value.kind === 'section' ? [value.lower, value.upper ?? value.length] : [value, value]).map(
      (end) => end && polynomialAt(scope, end, at),
    );
    if (value.kind === 'section' && (!first || !last)) return 'all';
    const low = first && rangeOver(scope, first, counted)?.low;
    const end = value.kind === 'section' && value.length ? low && last?.plus(low).plus(constantPolynomial(-1)) : last;
    const high = end && rangeOver(scope, end, counted)?.high;
    return low && high && { low, high };
  });
}

/** The elements of an access in a construct, unless values that are computed there decide. */
export function partIn(scope: Scope, { element, step, loops }: Access, construct: Step): Part {
  const { written } = effectsOfStep(construct);
  return partOf(scope, element.subscripts, step, loops).map((one) =>
    isChanged([one], (name) => written.has(name)) ? undefined : one,
  );
}

/** Whether the elements are others once these names have other values. */
export const isChanged = (part: Part, names: (name: string) => boolean): boolean =>
  part.some((one) => one && one !== 'all' && (involves(one.low, names) || involves(one.high, names)));

/** The elements that the host touches. */
export function partAt(scope: Scope, { element, call, at, step, parents }: Touch): Part {
  const loops = [...parents, step].filter((each): each is LoopStep => each.kind === 'loop');
  if (element) return partOf(scope, element.subscripts, step, loops);
  const argument = call?.args.find(({ start }) => start === at.start);
  const inner = argument?.kind === 'unary' ? argument.operand : argument;
  return inner?.kind === 'element' ? partOf(scope, inner.subscripts, step, loops) : [];
}

/** Whether a use surely meets elements that were written. */
export function meets(use: Part, written: Part): boolean {
  const isAbove = (one: ValuePolynomial, other: ValuePolynomial): boolean => (one.plus(other, -1).number ?? 0) > 0;
  const isPoint = ({ low, high }: Range): boolean => low.equals(high);
  return written.every((news, index) => {
    const used = use.length ? use[index] : 'all';
    if (news === 'all' || (used === 'all' && news)) return true;
    if (!news) return false;
    if (!used || used === 'all') return !isPoint(news);
    if (isAbove(used.low, news.high) || isAbove(news.low, used.high)) return false;
    return !isPoint(news) || !isPoint(used) || used.low.plus(news.low, -1).isZero;
  });
}

/** Whether two pieces of code touch the same elements, but for a few at the ends. */
export const isSame = (one: Part, other: Part): boolean =>
  one.every((range, index) => {
    const near = other[index];
    if (!range || !near || range === 'all' || near === 'all') return range === near && range !== undefined;
    return [near.low.plus(range.low, -1), near.high.plus(range.high, -1)].every(({ number }) => number !== undefined);
  });
