// Counted loops of C: a `for` whose variable runs from one value to another by a step that the loop does not change.
import type { Expr, ForStmt } from '../../../syntax/ast';
import type { LoopStep, Value } from '../../../syntax/procedures';
import { mentions } from '../../language';
import { mayChange } from '../../program';

type Header = Pick<LoopStep, 'variable' | 'declaresVariable' | 'lower' | 'upper' | 'inclusive' | 'unequal' | 'step'>;

/** Variable, bounds and step of a counted loop; undefined for any other, and where the body changes the variable. */
export function countedHeader(stmt: ForStmt, value: (expr: Expr) => Value): Header | undefined {
  const start = initialOf(stmt);
  if (!start || !stmt.cond || !stmt.step) return undefined;
  const { variable } = start;
  const limit = limitOf(stmt.cond, variable);
  const step = stepOf(stmt.step, variable, value);
  if (!limit || !step || mayChange(stmt.body, new Set([variable]), 'values')) return undefined;
  // `i < n; i--` and `i > n; i++` run away: not what they seem.
  if (step.kind === 'number' && limit.op !== '!=' && (step.value === 0 || step.value > 0 !== limit.op.startsWith('<')))
    return undefined;
  return {
    variable,
    ...(start.declared ? { declaresVariable: true } : {}),
    lower: value(start.value),
    upper: value(limit.value),
    inclusive: limit.op.endsWith('=') && limit.op !== '!=',
    ...(limit.op === '!=' ? { unequal: true } : {}),
    step,
  };
}

function initialOf(
  stmt: ForStmt,
): { readonly variable: string; readonly value: Expr; readonly declared: boolean } | undefined {
  const { init } = stmt;
  if (init?.kind === 'decl') {
    const only = init.vars.length === 1 ? init.vars[0]! : undefined;
    const value = only?.init?.kind === 'initList' ? only.init.elements[0] : only?.init;
    return only && value ? { variable: only.name, value, declared: true } : undefined;
  }
  if (init?.kind === 'expr' && init.expr.kind === 'assign' && init.expr.op === '=' && init.expr.target.kind === 'name')
    return { variable: init.expr.target.name, value: init.expr.value, declared: false };
  return undefined;
}

const turned: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=', '!=': '!=' };

function limitOf(cond: Expr, variable: string): { readonly op: string; readonly value: Expr } | undefined {
  if (cond.kind !== 'binary' || !(cond.op in turned)) return undefined;
  if (isVariable(cond.left, variable) && !mentions(cond.right, variable)) return { op: cond.op, value: cond.right };
  if (isVariable(cond.right, variable) && !mentions(cond.left, variable))
    return { op: turned[cond.op]!, value: cond.left };
  return undefined;
}

function stepOf(step: Expr, variable: string, value: (expr: Expr) => Value): Value | undefined {
  const number = (amount: number): Value => ({ ...value(step), kind: 'number', value: amount, integer: true }) as Value;
  const plus = (amount: Expr): Value | undefined => (mentions(amount, variable) ? undefined : value(amount));
  const minus = (amount: Expr): Value | undefined => {
    const operand = plus(amount);
    if (operand?.kind === 'number') return { ...operand, value: -operand.value };
    return operand
      ? {
          kind: 'unary',
          op: '-',
          operand,
          start: operand.start,
          end: operand.end,
          ...(operand.macro ? { macro: true } : {}),
        }
      : undefined;
  };
  if (step.kind === 'update' && isVariable(step.operand, variable)) return number(step.op === '++' ? 1 : -1);
  if (step.kind !== 'assign' || !isVariable(step.target, variable)) return undefined;
  if (step.op === '+=') return plus(step.value);
  if (step.op === '-=') return minus(step.value);
  if (step.op !== '=' || step.value.kind !== 'binary') return undefined;
  const { op, left, right } = step.value;
  if (op === '+' && isVariable(left, variable)) return plus(right);
  if (op === '+' && isVariable(right, variable)) return plus(left);
  if (op === '-' && isVariable(left, variable)) return minus(right);
  return undefined;
}

function isVariable(expr: Expr, name: string): boolean {
  return expr.kind === 'cast' ? isVariable(expr.operand, name) : expr.kind === 'name' && expr.name === name;
}
