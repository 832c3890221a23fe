// Finds what stands around a place among many spans, without looking at all of them.
import { append } from '../semantic/language';
import { contains, type Span } from '../semantic/model';

/** What contains the span, in the order in which it was given. */
export type Around<T> = (span: Span) => readonly T[];

/** Takes the logarithm of the number of things that have a place, and a step for each span that overlaps there. */
export function spanIndex<T>(things: readonly T[], spanOf: (thing: T) => Span | undefined): Around<T> {
  interface Placed {
    readonly thing: T;
    readonly at: Span;
    readonly order: number;
    /** The farthest end of this one and of all before it. */
    farthest: number;
  }
  const files = new Map<string, Placed[]>();
  for (const [order, thing] of things.entries()) {
    const at = spanOf(thing);
    if (!at) continue;
    append(files, at.uri, { thing, at, order, farthest: at.end });
  }
  for (const file of files.values()) {
    file.sort((a, b) => a.at.start - b.at.start);
    for (let at = 1; at < file.length; at++) file[at]!.farthest = Math.max(file[at]!.farthest, file[at - 1]!.farthest);
  }
  return (span) => {
    const file = files.get(span.uri) ?? [];
    let [low, high] = [0, file.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (file[middle]!.at.start <= span.start) low = middle + 1;
      else high = middle;
    }
    const found: Placed[] = [];
    for (let at = low - 1; at >= 0 && file[at]!.farthest >= span.end; at--)
      if (contains(file[at]!.at, span)) found.push(file[at]!);
    return found.sort((a, b) => a.order - b.order).map(({ thing }) => thing);
  };
}
