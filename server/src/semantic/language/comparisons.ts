// Comparisons of order, whichever way round they are written.
import type { Expr } from '../../syntax/ast';

interface Ordered {
  readonly low: Expr;
  readonly high: Expr;
  readonly orEqual: boolean;
}

/** `low < high`, `low <= high`, `high > low`, `high >= low`; undefined for anything else. */
export function orderedBy(cond: Expr): Ordered | undefined {
  if (cond.kind !== 'binary') return undefined;
  const { op, left, right } = cond;
  if (op === '<' || op === '<=') return { low: left, high: right, orEqual: op === '<=' };
  return op === '>' || op === '>=' ? { low: right, high: left, orEqual: op === '>=' } : undefined;
}
