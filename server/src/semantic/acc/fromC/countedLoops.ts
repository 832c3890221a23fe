// Counted loops of C: a `for` whose variable runs from one value to another by a step that the loop does not change.
import type { Expr, ForStmt } from '../../../syntax/ast';
import type { LoopStep, Value } from '../../../syntax/procedures';
import { counted, type CountStep } from '../../language';
import { mayChange } from '../../program';
import { negated } from './expressions';

type Header = Pick<LoopStep, 'variable' | 'declaresVariable' | 'lower' | 'upper' | 'inclusive' | 'unequal' | 'step'>;

/** Variable, bounds and step of a counted loop; undefined for any other, and where the body changes the variable. */
export function countedHeader(stmt: ForStmt, value: (expr: Expr) => Value): Header | undefined {
  const head = counted(stmt, true);
  if (!head?.alone || !head.bound || !head.step) return undefined;
  const { name: variable, first, declared, bound } = head;
  const step = stepOf(head.step, stmt.step!, value);
  if (!step || mayChange(stmt.body, new Set([variable]), 'values')) return undefined;
  // `i < n; i--` and `i > n; i++` run away: not what they seem.
  if (step.kind === 'number' && bound.op !== '!=' && (step.value === 0 || step.value > 0 !== bound.op.startsWith('<')))
    return undefined;
  return {
    variable,
    ...(declared ? { declaresVariable: true } : {}),
    lower: value(first),
    upper: value(bound.end),
    inclusive: bound.op.endsWith('=') && bound.op !== '!=',
    ...(bound.op === '!=' ? { unequal: true } : {}),
    step,
  };
}

function stepOf({ sign, by }: CountStep, step: Expr, value: (expr: Expr) => Value): Value | undefined {
  if (!by) return { ...value(step), kind: 'number', value: sign, integer: true } as Value;
  const operand = value(by);
  if (sign > 0) return operand;
  if (operand.kind === 'number') return { ...operand, value: -operand.value };
  return negated(operand);
}
