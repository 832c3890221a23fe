// The atomic function that makes an update which threads lose: `atomicAdd(&sum[0], v)` for `sum[0] += v`.
import type { AssignExpr, Expr, UpdateExpr } from '../../syntax/ast';
import { atomicFunctions, atomicOperators, FunctionText, localsOf, sameExpr, type Type } from '../language';
import type { RewriteFact } from '../model';
import { hasMacro } from '../program';
import type { Locator, ScatteredAccess, TracedAccess } from '../run';

/** The type of an update's place, where what is stored there has the same or the place keeps fractions. */
export function typeOfUpdate({ type, value }: TracedAccess | ScatteredAccess): string | undefined {
  const isFloat = (of: Type | undefined): boolean => of?.kind === 'scalar' && of.float;
  if (type.kind !== 'scalar' || (!type.float && (!value || isFloat(value.type)))) return undefined;
  return type.name;
}

/** The update with an atomic; undefined where there is none for it, or its result is used. */
export function atomicOf(
  { fn, node }: Pick<TracedAccess, 'fn' | 'node'>,
  type: string,
  locate: Locator,
): RewriteFact | undefined {
  const file = locate.file(fn);
  const locals = localsOf(fn);
  const target = node as Expr;
  const update = locals.parent(target) as AssignExpr | UpdateExpr | undefined;
  const stmt = update && locals.parent(update);
  if (!file || stmt?.kind !== 'expr' || hasMacro(stmt)) return undefined;
  const { op, value } = operationOf(update!, target) ?? {};
  if (op === undefined) return undefined;
  const context = new FunctionText(file, locate.current(fn));
  const all = atomicFunctions[type] ?? [];
  const isNegative = op === 'Sub' && !all.includes('Sub');
  const name = isNegative ? 'Add' : op;
  if (!all.includes(name)) return undefined;
  const operand = value ? context.text(value).trim() : '1';
  const isWhole = !value || ['name', 'number', 'index', 'call', 'member'].includes(value.kind);
  const added = !isNegative ? operand : isWhole ? `-${operand}` : `-(${operand})`;
  const pointer =
    target.kind === 'unary' && target.op === '*'
      ? context.text(target.operand).trim()
      : `&${context.text(target).trim()}`;
  return {
    title: `Update with atomic${name}${type === 'double' ? ' (compute capability 6.0 or later)' : ''}`,
    edits: [{ at: context.span(update!), newText: `atomic${name}(${pointer}, ${added})` }],
  };
}

function operationOf(
  update: AssignExpr | UpdateExpr,
  target: Expr,
): { readonly op: string; readonly value?: Expr } | undefined {
  if (update.kind === 'update') return { op: update.op === '++' ? 'Add' : 'Sub' };
  const { op, value } = update;
  if (op !== '=')
    return atomicOperators[op.slice(0, -1)] ? { op: atomicOperators[op.slice(0, -1)]!, value } : undefined;
  if (value.kind !== 'binary' || !atomicOperators[value.op]) return undefined;
  const { left, right } = value;
  if (sameExpr(left, target)) return { op: atomicOperators[value.op]!, value: right };
  return sameExpr(right, target) && value.op !== '-' ? { op: atomicOperators[value.op]!, value: left } : undefined;
}
