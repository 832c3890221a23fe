// Chains of operators: flat where they are long, regrouped where the grammar took a name for a type.
import type { BinaryExpr, Expr } from './ast';
import { binaryOperators } from './conditions';
import { at, child, DEPTH_LIMIT, type Lowering, namedChildren, OPERATOR_WORDS, position, wordsOf } from './lowering';
import type { RawNode } from './tree';
import { opaque } from './lowerOpaque';
import { isTypeName } from './lowerCalls';
import { tookForCast } from './lowering';

/** `a + b + c + …` leans left: walked in a loop, so that a thousand terms are no thousand calls. */
export function lowerBinaryChain(lowering: Lowering, node: RawNode): Expr {
  const chain: RawNode[] = [];
  let current: RawNode = node;
  while (current.type === 'binary_expression') {
    const left = child(current, 'left');
    if (!left || !child(current, 'right') || !child(current, 'operator')) break;
    chain.push(current);
    current = left;
  }
  if (chain.length === 0) return opaque(lowering, node);
  // What stands deeper than the limit would still make a tree too deep to walk: the far end is kept as parts.
  let result: Expr;
  if (lowering.depth + chain.length > DEPTH_LIMIT) {
    const kept = Math.max(1, DEPTH_LIMIT - lowering.depth);
    const far = chain[Math.min(kept, chain.length - 1)]!;
    result = { kind: 'opaque', ...at(lowering, far), parts: [] };
    chain.length = Math.min(kept, chain.length - 1);
    if (chain.length === 0) return result;
  } else result = lowering.lower.expression(lowering, current);
  for (let index = chain.length - 1; index >= 0; index--) {
    const each = chain[index]!;
    const operator = child(each, 'operator')!;
    const right = child(each, 'right')!;
    const op = wordsOf(lowering, operator);
    if (
      op === '>' &&
      result.kind === 'binary' &&
      result.op === '<' &&
      result.left.kind === 'member' &&
      right.type === 'parenthesized_expression' &&
      !result.left.templateArgs
    ) {
      // `tile.shfl<2>(x)`: no one compares a comparison with what is in parentheses.
      const inner = namedChildren(right)[0];
      const args = inner ? commaOperands(lowering, inner) : [];
      result = {
        kind: 'call',
        ...at(lowering, each),
        callee: { ...result.left, templateArgs: [{ expr: result.right }] },
        args,
      };
      continue;
    }
    if (
      (op === '-' || op === '+' || op === '*' || op === '&') &&
      result.kind === 'name' &&
      index === chain.length - 1 &&
      current.type === 'parenthesized_expression' &&
      isTypeName(lowering, result.name)
    ) {
      // `(T)-x`, `(T)*p`: a cast of what the sign makes of the operand
      const operand: Expr = {
        kind: 'unary',
        ...at(lowering, { start: operator.start, end: each.end }),
        op,
        operand: lowering.lower.expression(lowering, right),
      };
      result = { kind: 'cast', style: 'c', ...at(lowering, each), type: { kind: 'named', name: result.name }, operand };
      continue;
    }
    result = regroup({
      kind: 'binary',
      ...at(lowering, each),
      op: OPERATOR_WORDS[op] ?? op,
      opStart: position(lowering, operator.start),
      left: result,
      right: lowering.lower.expression(lowering, right),
    });
  }
  return result;
}

/**
 * Puts an operation whose operand was taken for a cast into the order that precedence asks: `((i) + (j)) * N` read from
 * `(i) + (j) * N` becomes `i + j * N`.
 */
function regroup(expr: BinaryExpr): Expr {
  if (!tookForCast.has(expr.left) && !tookForCast.has(expr.right)) return expr;
  const operands: Expr[] = [];
  const operators: BinaryExpr[] = [];
  const flatten = (part: Expr): void => {
    if (part.kind === 'binary' && part.op !== ',' && (part === expr || tookForCast.has(part))) {
      flatten(part.left);
      operators.push(part);
      flatten(part.right);
    } else operands.push(part);
  };
  flatten(expr);
  let at = 0;
  const climb = (least: number): Expr => {
    let left = operands[at]!;
    while (at < operators.length) {
      const operator = operators[at]!;
      const precedence = binaryOperators.get(operator.op)?.[0] ?? 0;
      if (precedence < least) break;
      at++;
      const right = climb(precedence + 1);
      const macro = expr.macro || left.macro || right.macro;
      const start = Math.min(left.start, right.start);
      const end = Math.max(left.end, right.end);
      left = {
        kind: 'binary',
        start,
        end,
        ...(macro && { macro: true }),
        op: operator.op,
        opStart: operator.opStart,
        left,
        right,
      };
      tookForCast.add(left);
    }
    return left;
  };
  const whole = climb(0);
  const widened = { ...whole, start: Math.min(whole.start, expr.start), end: Math.max(whole.end, expr.end) };
  tookForCast.add(widened);
  return widened;
}

function commaOperands(lowering: Lowering, node: RawNode): Expr[] {
  const operands: Expr[] = [];
  let current: RawNode | undefined = node;
  while (current?.type === 'comma_expression') {
    const left = child(current, 'left');
    if (left) operands.push(lowering.lower.expression(lowering, left));
    current = child(current, 'right');
  }
  if (current) operands.push(lowering.lower.expression(lowering, current));
  return operands;
}
