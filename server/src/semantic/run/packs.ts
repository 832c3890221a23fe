// Parameter packs: what a function takes as `Args... args`, and the expansions in which it passes that on.
import type { Expr, FunctionDecl, OpaqueExpr } from '../../syntax/ast';
import { decay, namesIn } from '../language';
import { convert } from './conversions';
import type { Scope } from './scope';
import { cellAt, slotsOf } from './snapshots';
import type { Cell, Code, Frame, ParamCode, Path, Run, Value } from './values';

export function isExpansion(expr: Expr): expr is OpaqueExpr {
  return expr.kind === 'opaque' && expr.expands === true;
}

/** Can a function be called with so many arguments? */
export function takesSoMany({ params }: FunctionDecl, count: number): boolean {
  const pack = params.at(-1)?.pack;
  return (pack || params.length >= count) && params.slice(count).every((param) => param.init || param.pack);
}

/** The cell of the parameter, and of a pack of those that follow it. */
export function packOf(run: Run, { name, slot, plain, node }: ParamCode, values: readonly Value[], frame: Frame): void {
  const pack = values.map((value) => convert(run, value, plain.kind === 'unknown' ? decay(value.type) : plain));
  frame.slots[slot] = { name, type: plain, pack, node, fn: frame.fn };
}

/** The arguments of a call or launch, with those that the packs among them stand for. */
export function compileArgs(scope: Scope, exprs: readonly Expr[]): (path: Path, frame: Frame) => Value[] {
  const codes = exprs.map((expr) => (isExpansion(expr) ? expansion(scope, expr) : single(scope.expr(expr))));
  return (path, frame) => codes.flatMap((code) => code(path, frame));
}

type Values = (path: Path, frame: Frame) => Value[];

const single =
  (code: Code): Values =>
  (path, frame) => [code(path, frame)];

/** The pattern once for each element, with the names of packs in it meaning that element; unknown without a pack. */
function expansion(scope: Scope, expr: OpaqueExpr): Values {
  const [pattern] = expr.parts;
  const unknown = single(scope.expr(expr));
  if (!pattern) return unknown;
  const code = scope.expr(pattern);
  const refs = [...namesIn(pattern)].flatMap((name) => scope.lookup(name) ?? []);
  return (path, frame) => {
    const packs = refs.flatMap((ref) => {
      const cell = cellAt(frame, ref);
      return cell?.pack ? [{ cell, pack: cell.pack, slots: slotsOf(frame, ref), slot: ref.slot }] : [];
    });
    if (packs.length === 0) return unknown(path, frame);
    const count = Math.min(...packs.map(({ pack }) => pack.length));
    const values = Array.from({ length: count }, (_, at) => {
      for (const { slots, slot, cell, pack } of packs) slots[slot] = elementOf(cell, pack[at]!);
      return code(path, frame);
    });
    for (const { slots, slot, cell } of packs) slots[slot] = cell;
    return values;
  };
}

function elementOf({ name, node, fn }: Cell, value: Value): Cell {
  return { name, type: value.type, value, ...(node ? { node } : {}), ...(fn ? { fn } : {}) };
}
