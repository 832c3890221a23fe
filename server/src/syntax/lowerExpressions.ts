// Lowers raw expression nodes to expressions of the plain tree.
import type { BinaryExpr, BlockStmt, Expr, InitListExpr, TemplateArg, TypeSyntax } from './ast';
import { readCharacter, readNumber } from './literals';
import { lowerBlock } from './lowerStatements';
import {
  lowerDeclarator,
  lowerParameters,
  lowerQualifiedName,
  lowerSpecifiers,
  lowerTemplateArguments,
  lowerTypeDescriptor,
  lowerTypeSpecifier,
} from './lowerTypes';
import {
  at,
  between,
  child,
  childOfType,
  childrenOf,
  DEPTH_LIMIT,
  hasWord,
  namedChildren,
  position,
  wordsOf,
  type Lowering,
} from './lowering';
import type { RawNode } from './tree';

const NAMED_CASTS: Readonly<Record<string, 'static' | 'reinterpret' | 'const' | 'dynamic'>> = {
  static_cast: 'static',
  reinterpret_cast: 'reinterpret',
  const_cast: 'const',
  dynamic_cast: 'dynamic',
};

const OPERATOR_WORDS: Readonly<Record<string, string>> = {
  and: '&&',
  or: '||',
  not: '!',
  bitand: '&',
  bitor: '|',
  xor: '^',
  not_eq: '!=',
  compl: '~',
  and_eq: '&=',
  or_eq: '|=',
  xor_eq: '^=',
};

/** Lowers an expression; what is not understood, or nested too deep, becomes opaque. */
export function lowerExpression(lowering: Lowering, node: RawNode): Expr {
  if (lowering.depth >= DEPTH_LIMIT) return { kind: 'opaque', ...at(lowering, node), parts: [] };
  lowering.depth++;
  try {
    return lowerKind(lowering, node);
  } finally {
    lowering.depth--;
  }
}

export function opaque(lowering: Lowering, node: RawNode): Expr {
  const parts: Expr[] = [];
  for (const each of node.children)
    if (each.named && isExpressionLike(each)) parts.push(lowerExpression(lowering, each));
  return { kind: 'opaque', ...at(lowering, node), parts };
}

const NOT_EXPRESSIONS =
  /^(?:type_|primitive_type|sized_type|parameter|template_argument|template_parameter|storage_class|comment|string_content|escape_sequence|character|abstract_|attribute|lambda_capture|ms_|compound_statement$|access_|literal_suffix)/;

export function isExpressionLike(node: RawNode): boolean {
  return !NOT_EXPRESSIONS.test(node.type);
}

function lowerKind(lowering: Lowering, node: RawNode): Expr {
  switch (node.type) {
    case 'identifier':
    case 'field_identifier':
    case 'type_identifier':
    case 'namespace_identifier':
    case 'this':
    case 'primitive_type':
    case 'operator_name':
    case 'statement_identifier':
    case 'sized_type_specifier': {
      if (node.missing) return { kind: 'opaque', ...at(lowering, node), parts: [] };
      const name = wordsOf(lowering, node);
      return { kind: 'name', ...at(lowering, node), name };
    }
    case 'qualified_identifier':
    case 'template_function':
    case 'template_type':
    case 'dependent_name':
    case 'template_method': {
      const { name, args } = lowerQualifiedName(lowering, node);
      return { kind: 'name', ...at(lowering, node), name, ...(args && { templateArgs: args }) };
    }
    case 'number_literal': {
      const text = wordsOf(lowering, node);
      const number = readNumber(text);
      return number
        ? { kind: 'number', ...at(lowering, node), value: number.value, type: number.type, text }
        : { kind: 'opaque', ...at(lowering, node), parts: [] };
    }
    case 'char_literal': {
      const text = wordsOf(lowering, node);
      return {
        kind: 'number',
        ...at(lowering, node),
        value: readCharacter(text),
        type: text[0] === "'" ? 'char' : 'wchar_t',
        text,
      };
    }
    case 'true':
    case 'false': {
      const text = wordsOf(lowering, node);
      return {
        kind: 'number',
        ...at(lowering, node),
        value: text.toLowerCase() === 'true' ? 1 : 0,
        type: 'bool',
        text,
      };
    }
    case 'null':
      return { kind: 'number', ...at(lowering, node), value: 0, type: 'nullptr', text: wordsOf(lowering, node) };
    case 'string_literal':
    case 'raw_string_literal':
    case 'concatenated_string':
      return { kind: 'string', ...at(lowering, node), text: wordsOf(lowering, node) };
    case 'parenthesized_expression': {
      const inner = namedChildren(node)[0];
      if (!inner) return { kind: 'opaque', ...at(lowering, node), parts: [] };
      if (inner.type === 'compound_statement') return statementExpression(lowering, node, inner);
      const grouped = lowerExpression(lowering, inner);
      // Parentheses as written settle the order.
      tookForCast.delete(grouped);
      return grouped;
    }
    case 'extension_expression':
    case 'expression_statement': {
      const inner = namedChildren(node)[0];
      return inner ? lowerExpression(lowering, inner) : { kind: 'opaque', ...at(lowering, node), parts: [] };
    }
    case 'unary_expression': {
      const operator = child(node, 'operator') ?? node.children[0];
      const operand = child(node, 'argument');
      if (!operator || !operand) return opaque(lowering, node);
      const word = wordsOf(lowering, operator);
      return {
        kind: 'unary',
        ...at(lowering, node),
        op: (OPERATOR_WORDS[word] ?? word) as '+' | '-' | '!' | '~',
        operand: lowerExpression(lowering, operand),
      };
    }
    case 'pointer_expression': {
      const operator = child(node, 'operator') ?? node.children[0];
      const operand = child(node, 'argument');
      if (!operator || !operand) return opaque(lowering, node);
      return {
        kind: 'unary',
        ...at(lowering, node),
        op: wordsOf(lowering, operator) as '*' | '&',
        operand: lowerExpression(lowering, operand),
      };
    }
    case 'update_expression': {
      const operator = child(node, 'operator');
      const operand = child(node, 'argument');
      if (!operator || !operand) return opaque(lowering, node);
      return {
        kind: 'update',
        ...at(lowering, node),
        op: wordsOf(lowering, operator) as '++' | '--',
        prefix: operator.start < operand.start,
        operand: lowerExpression(lowering, operand),
      };
    }
    case 'binary_expression':
      return lowerBinaryChain(lowering, node);
    case 'comma_expression': {
      const left = child(node, 'left');
      const right = child(node, 'right');
      if (!left || !right) return opaque(lowering, node);
      const comma = node.children.find((each) => each.type === ',');
      return {
        kind: 'binary',
        ...at(lowering, node),
        op: ',',
        opStart: position(lowering, comma?.start ?? left.end),
        left: lowerExpression(lowering, left),
        right: lowerExpression(lowering, right),
      };
    }
    case 'assignment_expression': {
      const left = child(node, 'left');
      const right = child(node, 'right');
      const operator = child(node, 'operator') ?? node.children.find((each) => !each.named);
      if (!left || !right || !operator) return opaque(lowering, node);
      const op = wordsOf(lowering, operator);
      return {
        kind: 'assign',
        ...at(lowering, node),
        op: OPERATOR_WORDS[op] ?? op,
        opStart: position(lowering, operator.start),
        target: lowerExpression(lowering, left),
        value: lowerExpression(lowering, right),
      };
    }
    case 'conditional_expression': {
      const cond = child(node, 'condition');
      const then = child(node, 'consequence') ?? cond;
      const otherwise = child(node, 'alternative');
      if (!cond || !then || !otherwise) return opaque(lowering, node);
      return {
        kind: 'conditional',
        ...at(lowering, node),
        cond: lowerExpression(lowering, cond),
        then: lowerExpression(lowering, then),
        else: lowerExpression(lowering, otherwise),
      };
    }
    case 'subscript_expression': {
      const base = child(node, 'argument');
      const list = child(node, 'indices');
      const indices = list ? namedChildren(list) : childrenOf(node, 'index');
      if (!base || indices.length === 0) return opaque(lowering, node);
      let result: Expr = lowerExpression(lowering, base);
      for (const index of indices)
        result = { kind: 'index', ...at(lowering, node), base: result, index: lowerExpression(lowering, index) };
      return result;
    }
    case 'field_expression': {
      const object = child(node, 'argument');
      const field = child(node, 'field');
      const operator = child(node, 'operator');
      if (!object || !field) return opaque(lowering, node);
      const { name, args, nameNode } = lowerQualifiedName(lowering, field);
      return {
        kind: 'member',
        ...at(lowering, node),
        object: lowerExpression(lowering, object),
        field: name,
        arrow: operator ? wordsOf(lowering, operator).startsWith('->') : false,
        fieldStart: position(lowering, nameNode.start),
        ...(args && { templateArgs: args }),
      };
    }
    case 'call_expression':
      return lowerCall(lowering, node);
    case 'cast_expression': {
      const descriptor = child(node, 'type');
      const value = child(node, 'value');
      if (!descriptor || !value) return opaque(lowering, node);
      return lowerCast(lowering, node, descriptor, value);
    }
    case 'compound_literal_expression': {
      const typeNode = child(node, 'type');
      const value = child(node, 'value');
      if (!typeNode || !value) return opaque(lowering, node);
      if (typeNode.type === 'type_descriptor') {
        return {
          kind: 'cast',
          style: 'c',
          ...at(lowering, node),
          type: lowerTypeDescriptor(lowering, typeNode),
          operand: lowerExpression(lowering, value),
        };
      }
      return {
        kind: 'call',
        ...at(lowering, node),
        callee: lowerExpression(lowering, typeNode),
        args: listElements(lowering, value),
        braces: true,
      };
    }
    case 'sizeof_expression':
    case 'alignof_expression': {
      const alignof = node.type === 'alignof_expression';
      const descriptor = child(node, 'type');
      const value = child(node, 'value');
      const extra = alignof ? { alignof } : {};
      if (descriptor) {
        const name = child(descriptor, 'type');
        if (
          name?.type === 'type_identifier' &&
          !child(descriptor, 'declarator') &&
          lowering.variables.has(wordsOf(lowering, name))
        ) {
          return { kind: 'sizeof', ...at(lowering, node), operand: lowerExpression(lowering, name), ...extra };
        }
        return { kind: 'sizeof', ...at(lowering, node), type: lowerTypeDescriptor(lowering, descriptor), ...extra };
      }
      if (!value) return opaque(lowering, node);
      const inner = value.type === 'parenthesized_expression' ? (namedChildren(value)[0] ?? value) : value;
      if (hasWord(node, '...')) return { kind: 'opaque', ...at(lowering, node), parts: [] };
      // `sizeof(T)` with a lone name reads as an expression: it is a type unless a variable of that name is in sight.
      if (
        value !== inner &&
        (inner.type === 'identifier' || inner.type === 'qualified_identifier' || inner.type === 'template_function') &&
        !lowering.variables.has(wordsOf(lowering, inner))
      ) {
        return { kind: 'sizeof', ...at(lowering, node), type: lowerTypeSpecifier(lowering, inner), ...extra };
      }
      return { kind: 'sizeof', ...at(lowering, node), operand: lowerExpression(lowering, inner), ...extra };
    }
    case 'initializer_list':
    case 'argument_list': {
      const { notes, tokens } = lowering.source;
      if (notes.tables?.has(tokens[lowering.source.tokenAt(node.start)]))
        return { kind: 'opaque', ...at(lowering, node), parts: [] };
      return lowerInitList(lowering, node);
    }
    case 'lambda_expression':
      return lowerLambda(lowering, node);
    case 'new_expression':
      return lowerNew(lowering, node);
    case 'delete_expression': {
      const operand = namedChildren(node)[0];
      return operand
        ? { kind: 'delete', ...at(lowering, node), operand: lowerExpression(lowering, operand) }
        : opaque(lowering, node);
    }
    case 'declaration': {
      // `if (T x = …)`: the value counts
      const value = child(node, 'value');
      return value ? lowerExpression(lowering, value) : opaque(lowering, node);
    }
    case 'condition_clause': {
      const value = child(node, 'value') ?? namedChildren(node)[0];
      return value ? lowerExpression(lowering, value) : { kind: 'opaque', ...at(lowering, node), parts: [] };
    }
    case 'parameter_pack_expansion': {
      const pattern = child(node, 'pattern');
      return {
        kind: 'opaque',
        ...at(lowering, node),
        parts: pattern && pattern.type !== 'type_descriptor' ? [lowerExpression(lowering, pattern)] : [],
      };
    }
    case 'user_defined_literal': {
      const literal = namedChildren(node)[0];
      return { kind: 'opaque', ...at(lowering, node), parts: literal ? [lowerExpression(lowering, literal)] : [] };
    }
    default:
      return opaque(lowering, node);
  }
}

/** `a + b + c + …` leans left: walked in a loop, so that a thousand terms are no thousand calls. */
function lowerBinaryChain(lowering: Lowering, node: RawNode): Expr {
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
    const far = chain[Math.min(kept, chain.length - 1)];
    result = { kind: 'opaque', ...at(lowering, far), parts: [] };
    chain.length = Math.min(kept, chain.length - 1);
    if (chain.length === 0) return result;
  } else result = lowerExpression(lowering, current);
  for (let index = chain.length - 1; index >= 0; index--) {
    const each = chain[index];
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
      // `tile.shfl<2>(x)`: nobody compares a comparison with what stands in parentheses.
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
      (op === '-' || op === '+') &&
      result.kind === 'name' &&
      index === chain.length - 1 &&
      current.type === 'parenthesized_expression' &&
      isTypeName(lowering, result.name)
    ) {
      // `(T)-x`: a cast of a negation
      const operand: Expr = {
        kind: 'unary',
        ...at(lowering, { start: operator.start, end: each.end }),
        op,
        operand: lowerExpression(lowering, right),
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
      right: lowerExpression(lowering, right),
    });
  }
  return result;
}

/** Operations that the grammar took for casts, `(a) + b`: they bound tighter than they should. */
const tookForCast = new WeakSet<Expr>();
const PRECEDENCE: Readonly<Record<string, number>> = {
  '*': 10,
  '/': 10,
  '%': 10,
  '+': 9,
  '-': 9,
  '<<': 8,
  '>>': 8,
  '<': 7,
  '>': 7,
  '<=': 7,
  '>=': 7,
  '==': 6,
  '!=': 6,
  '&': 5,
  '^': 4,
  '|': 3,
  '&&': 2,
  '||': 1,
};

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
    let left = operands[at];
    while (at < operators.length) {
      const operator = operators[at];
      const precedence = PRECEDENCE[operator.op] ?? 0;
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
    if (left) operands.push(lowerExpression(lowering, left));
    current = child(current, 'right');
  }
  if (current) operands.push(lowerExpression(lowering, current));
  return operands;
}

const TYPE_LIKE =
  /^(?:\w+_t|[Rr]eal|REAL|half2?|__half2?|(?:float|double|u?int|u?long|u?short|u?char)[1-4]|u(?:int|long|short|char)|[A-Z]\w*Type|[Ss]calar)$/;

/** Whether a name in parentheses is a type's: a template's type parameter, or one that by custom is nothing else. */
function isTypeName(lowering: Lowering, name: string): boolean {
  if (lowering.variables.has(name)) return false;
  return lowering.templateParams.some((param) => param.kind === 'type' && param.name === name) || TYPE_LIKE.test(name);
}

/** GNU's `({ … })`: the expressions in it are kept. */
function statementExpression(lowering: Lowering, node: RawNode, block: RawNode): Expr {
  const parts: Expr[] = [];
  for (const statement of lowerBlock(lowering, block).body) {
    if (statement.kind === 'expr') parts.push(statement.expr);
    else if (statement.kind === 'decl')
      for (const variable of statement.vars) if (variable.init) parts.push(variable.init);
  }
  return { kind: 'opaque', ...at(lowering, node), parts };
}

function listElements(lowering: Lowering, list: RawNode): Expr[] {
  const elements: Expr[] = [];
  for (const each of list.children)
    if (each.named && each.type !== 'ERROR') elements.push(lowerExpression(lowering, each));
  return elements;
}

export function lowerInitList(lowering: Lowering, node: RawNode): InitListExpr {
  const elements: Expr[] = [];
  const fields: (string | undefined)[] = [];
  let designated = false;
  for (const each of node.children) {
    if (!each.named || each.type === 'ERROR') continue;
    if (each.type === 'initializer_pair') {
      const value = child(each, 'value');
      const designator = child(each, 'designator');
      if (!value) continue;
      elements.push(lowerExpression(lowering, value));
      const name =
        designator?.type === 'field_designator'
          ? namedChildren(designator)[0]
          : designator?.type === 'field_identifier'
            ? designator
            : undefined;
      fields.push(name ? wordsOf(lowering, name) : undefined);
      designated ||= name !== undefined;
      continue;
    }
    elements.push(lowerExpression(lowering, each));
    fields.push(undefined);
  }
  return { kind: 'initList', ...at(lowering, node), elements, ...(designated && { fields }) };
}

function lowerCall(lowering: Lowering, node: RawNode): Expr {
  const calleeNode = child(node, 'function');
  const list = child(node, 'arguments');
  if (!calleeNode || !list) return opaque(lowering, node);
  const launch = childOfType(node, 'kernel_call_syntax');
  if (launch) {
    return {
      kind: 'launch',
      ...at(lowering, node),
      callee: lowerExpression(lowering, calleeNode),
      config: listElements(lowering, launch),
      args: listElements(lowering, list),
    };
  }
  const args = listElements(lowering, list);
  if (calleeNode.type === 'template_function') {
    const name = child(calleeNode, 'name');
    const style = name && NAMED_CASTS[wordsOf(lowering, name)];
    const typeList = child(calleeNode, 'arguments');
    if (style && typeList && args.length === 1) {
      const typeArgument = lowerTemplateArguments(lowering, typeList)[0];
      if (typeArgument)
        return { kind: 'cast', style, ...at(lowering, node), type: typeOfArgument(typeArgument), operand: args[0] };
    }
  }
  if (calleeNode.type === 'primitive_type' && args.length === 1) {
    return {
      kind: 'cast',
      style: 'functional',
      ...at(lowering, node),
      type: lowerTypeSpecifier(lowering, calleeNode),
      operand: args[0],
    };
  }
  const callee = lowerExpression(lowering, calleeNode);
  if (
    calleeNode.type === 'parenthesized_expression' &&
    callee.kind === 'name' &&
    args.length === 1 &&
    isTypeName(lowering, callee.name)
  ) {
    return {
      kind: 'cast',
      style: 'c',
      ...at(lowering, node),
      type: { kind: 'named', name: callee.name },
      operand: args[0],
    };
  }
  return { kind: 'call', ...at(lowering, node), callee, args };
}

function typeOfArgument(argument: TemplateArg): TypeSyntax {
  if ('type' in argument) return argument.type;
  return argument.expr.kind === 'name'
    ? {
        kind: 'named',
        name: argument.expr.name,
        ...(argument.expr.templateArgs && { args: argument.expr.templateArgs }),
      }
    : { kind: 'named', name: '' };
}

/** A cast as written, or the operation on a variable in parentheses that it must be: `(a) * b`, `(f)(x)`. */
function lowerCast(lowering: Lowering, node: RawNode, descriptor: RawNode, value: RawNode): Expr {
  const specifier = child(descriptor, 'type');
  const lone =
    specifier &&
    specifier.type === 'type_identifier' &&
    !child(descriptor, 'declarator') &&
    descriptor.children.length === 1;
  if (lone && lowering.variables.has(wordsOf(lowering, specifier))) {
    const left = lowerExpression(lowering, specifier);
    if (value.type === 'pointer_expression' || value.type === 'unary_expression') {
      const operator = child(value, 'operator') ?? value.children[0];
      const operand = child(value, 'argument');
      if (operator && operand) {
        const operation: BinaryExpr = {
          kind: 'binary',
          ...at(lowering, node),
          op: wordsOf(lowering, operator),
          opStart: position(lowering, operator.start),
          left,
          right: lowerExpression(lowering, operand),
        };
        tookForCast.add(operation);
        return operation;
      }
    }
    if (value.type === 'parenthesized_expression') {
      const inner = namedChildren(value);
      return {
        kind: 'call',
        ...at(lowering, node),
        callee: left,
        args: inner.map((each) => lowerExpression(lowering, each)),
      };
    }
    if (value.type === 'number_literal' && /^[+-]/.test(wordsOf(lowering, value))) {
      const text = wordsOf(lowering, value).slice(1);
      const number = readNumber(text);
      const span = between(lowering, value, value);
      if (number) {
        const operation: BinaryExpr = {
          kind: 'binary',
          ...at(lowering, node),
          op: wordsOf(lowering, value)[0],
          opStart: span.start,
          left,
          right: {
            kind: 'number',
            ...span,
            start: Math.min(span.start + 1, span.end),
            value: number.value,
            type: number.type,
            text,
          },
        };
        tookForCast.add(operation);
        return operation;
      }
    }
  }
  return {
    kind: 'cast',
    style: 'c',
    ...at(lowering, node),
    type: lowerTypeDescriptor(lowering, descriptor),
    operand: lowerExpression(lowering, value),
  };
}

function lowerLambda(lowering: Lowering, node: RawNode): Expr {
  const captures = child(node, 'captures');
  const declarator = child(node, 'declarator');
  const bodyNode = child(node, 'body');
  const captureText = captures ? wordsOf(lowering, captures) : '';
  const listNode = declarator && child(declarator, 'parameters');
  const params = listNode ? lowerParameters(lowering, listNode) : [];
  const body: BlockStmt = bodyNode
    ? lowerBlock(lowering, bodyNode)
    : { kind: 'block', ...at(lowering, node), body: [] };
  const first = lowering.source.tokens[lowering.source.tokenAt(node.start)];
  return {
    kind: 'lambda',
    ...at(lowering, node),
    params,
    body,
    device: first !== undefined && lowering.source.notes.deviceLambdas.has(first),
    captureByReference: captureText.includes('&'),
  };
}

function lowerNew(lowering: Lowering, node: RawNode): Expr {
  const typeNode = child(node, 'type');
  const declarator = child(node, 'declarator');
  const args = child(node, 'arguments');
  if (!typeNode) return opaque(lowering, node);
  let type = lowerTypeSpecifier(lowering, typeNode);
  const last = lowering.source.tokens[lowering.source.tokenAt(typeNode.end - 1)];
  const stars = last ? (lowering.source.notes.newPointers.get(last) ?? 0) : 0;
  for (let count = 0; count < stars; count++) type = { kind: 'pointer', to: type };
  const size = declarator && child(declarator, 'length');
  return {
    kind: 'new',
    ...at(lowering, node),
    type,
    ...(size && { size: lowerExpression(lowering, size) }),
    ...(args && { args: listElements(lowering, args) }),
  };
}

/** A parameter list that is no list of parameters: `dim3 grid(n, m)` reads as a function's declaration. */
export function lowerArgumentsFromParameters(lowering: Lowering, list: RawNode): Expr[] | undefined {
  const args: Expr[] = [];
  for (const each of list.children) {
    if (!each.named) continue;
    if (each.type !== 'parameter_declaration') return undefined;
    const typeNode = child(each, 'type');
    const declarator = child(each, 'declarator');
    if (!typeNode || each.children.some((part) => part.type === 'type_qualifier')) return undefined;
    if (typeNode.type === 'primitive_type' || typeNode.type === 'sized_type_specifier') return undefined;
    const left: Expr = lowerExpression(lowering, typeNode);
    if (!declarator) {
      args.push(left);
      continue;
    }
    const expression = expressionFromDeclarator(lowering, each, left, typeNode, declarator);
    if (!expression) return undefined;
    args.push(expression);
  }
  return args;
}

function expressionFromDeclarator(
  lowering: Lowering,
  whole: RawNode,
  left: Expr,
  typeNode: RawNode,
  declarator: RawNode,
): Expr | undefined {
  switch (declarator.type) {
    case 'pointer_declarator':
    case 'reference_declarator': {
      const inner =
        declarator.type === 'pointer_declarator' ? child(declarator, 'declarator') : namedChildren(declarator)[0];
      if (inner?.type !== 'identifier') return undefined;
      const name = wordsOf(lowering, inner);
      // `T* p` with a T that nobody declared is a parameter; `n * m` multiplies variables.
      if (!lowering.variables.has(wordsOf(lowering, typeNode)) && !lowering.variables.has(name)) return undefined;
      return {
        kind: 'binary',
        ...at(lowering, whole),
        op: declarator.type === 'pointer_declarator' ? '*' : '&',
        opStart: position(lowering, declarator.start),
        left,
        right: lowerExpression(lowering, inner),
      };
    }
    case 'abstract_array_declarator': {
      const size = child(declarator, 'size');
      return size
        ? { kind: 'index', ...at(lowering, whole), base: left, index: lowerExpression(lowering, size) }
        : undefined;
    }
    case 'abstract_function_declarator':
    case 'function_declarator': {
      if (child(declarator, 'declarator')) return undefined;
      const inner = child(declarator, 'parameters');
      const innerArgs = inner && lowerArgumentsFromParameters(lowering, inner);
      return innerArgs ? { kind: 'call', ...at(lowering, whole), callee: left, args: innerArgs } : undefined;
    }
    case 'parenthesized_declarator':
    case 'abstract_parenthesized_declarator': {
      const inner = namedChildren(declarator)[0];
      return inner?.type === 'identifier'
        ? { kind: 'call', ...at(lowering, whole), callee: left, args: [lowerExpression(lowering, inner)] }
        : undefined;
    }
    default:
      return undefined;
  }
}

/** The declared variable of a condition such as `if (T x = f())`; undefined when the condition declares none. */
export function conditionVariable(
  lowering: Lowering,
  node: RawNode,
): { name: RawNode; type: TypeSyntax; value: RawNode | undefined } | undefined {
  const declarator = child(node, 'declarator');
  if (!declarator) return undefined;
  const specifiers = lowerSpecifiers(lowering, node);
  const { type, nameNode } = lowerDeclarator(lowering, declarator, specifiers.type);
  return nameNode ? { name: nameNode, type, value: child(node, 'value') } : undefined;
}
