// Calls, launches, casts, initialiser lists, `new` and what the grammar takes for a declaration though it is a call.
import type { BinaryExpr, CastExpr, Expr, InitListExpr, TemplateArg, TypeSyntax } from './ast';
import { readNumber } from './literals';
import { lowerTemplateArguments, lowerTypeDescriptor, lowerTypeSpecifier } from './lowerTypes';
import { at, between, child, childOfType, type Lowering, namedChildren, position, wordsOf } from './lowering';
import type { RawNode } from './tree';
import { opaque } from './lowerOpaque';
import { tookForCast } from './lowering';

const NAMED_CASTS: Readonly<Record<string, 'static' | 'reinterpret' | 'const' | 'dynamic'>> = {
  static_cast: 'static',
  reinterpret_cast: 'reinterpret',
  const_cast: 'const',
  dynamic_cast: 'dynamic',
};

const TYPE_LIKE = new RegExp(
  [
    String.raw`^(?:\w+_t|[Rr]eal|REAL|half2?|__half2?|(?:float|double|u?int|u?long|u?short|u?char)[1-4]|u(?:int`,
    String.raw`long|short|char)|[A-Z]\w*Type|[Ss]calar)$`,
  ].join('|'),
);

/** Whether a name in parentheses is a type's: a template's type parameter, or one that by custom is nothing else. */
export function isTypeName(lowering: Lowering, name: string): boolean {
  if (lowering.variables.has(name)) return false;
  return lowering.templateParams.some((param) => param.kind === 'type' && param.name === name) || TYPE_LIKE.test(name);
}

export function listElements(lowering: Lowering, list: RawNode): Expr[] {
  const elements: Expr[] = [];
  for (const each of list.children)
    if (each.named && each.type !== 'ERROR') elements.push(lowering.lower.expression(lowering, each));
  return elements.length > 0 ? elements : unread(lowering, list);
}

/**
 * A list of which nothing could be read is not an empty one: `dim3 block(min(decltype(n)(512), n))` is not 1 × 1 × 1.
 */
function unread(lowering: Lowering, list: RawNode): Expr[] {
  const error = childOfType(list, 'ERROR');
  return error ? [{ kind: 'opaque', ...at(lowering, error), parts: [] }] : [];
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
      elements.push(lowering.lower.expression(lowering, value));
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
    elements.push(lowering.lower.expression(lowering, each));
    fields.push(undefined);
  }
  if (elements.length === 0) elements.push(...unread(lowering, node));
  return { kind: 'initList', ...at(lowering, node), elements, ...(designated && { fields }) };
}

export function lowerCall(lowering: Lowering, node: RawNode): Expr {
  const calleeNode = child(node, 'function');
  const list = child(node, 'arguments');
  if (!calleeNode || !list) return opaque(lowering, node);
  const launch = childOfType(node, 'kernel_call_syntax');
  if (launch) {
    return {
      kind: 'launch',
      ...at(lowering, node),
      callee: lowering.lower.expression(lowering, calleeNode),
      config: listElements(lowering, launch),
      args: listElements(lowering, list),
    };
  }
  const args = listElements(lowering, list);
  const cast = (style: CastExpr['style'], type: TypeSyntax): CastExpr => ({
    kind: 'cast',
    style,
    ...at(lowering, node),
    type,
    operand: args[0]!,
  });
  if (calleeNode.type === 'template_function') {
    const name = child(calleeNode, 'name');
    const style = name && NAMED_CASTS[wordsOf(lowering, name)];
    const typeList = child(calleeNode, 'arguments');
    if (style && typeList && args.length === 1) {
      const typeArgument = lowerTemplateArguments(lowering, typeList)[0];
      if (typeArgument) return cast(style, typeOfArgument(typeArgument));
    }
  }
  if (calleeNode.type === 'primitive_type' && args.length === 1) {
    return cast('functional', lowerTypeSpecifier(lowering, calleeNode));
  }
  const callee = lowering.lower.expression(lowering, calleeNode);
  if (
    calleeNode.type === 'parenthesized_expression' &&
    callee.kind === 'name' &&
    args.length === 1 &&
    isTypeName(lowering, callee.name)
  ) {
    return cast('c', { kind: 'named', name: callee.name });
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
export function lowerCast(lowering: Lowering, node: RawNode, descriptor: RawNode, value: RawNode): Expr {
  const specifier = child(descriptor, 'type');
  const lone =
    specifier &&
    specifier.type === 'type_identifier' &&
    !child(descriptor, 'declarator') &&
    descriptor.children.length === 1;
  if (lone && lowering.variables.has(wordsOf(lowering, specifier))) {
    const left = lowering.lower.expression(lowering, specifier);
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
          right: lowering.lower.expression(lowering, operand),
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
        args: inner.map((each) => lowering.lower.expression(lowering, each)),
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
          op: wordsOf(lowering, value)[0]!,
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
    operand: lowering.lower.expression(lowering, value),
  };
}

export function lowerNew(lowering: Lowering, node: RawNode): Expr {
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
    ...(size && { size: lowering.lower.expression(lowering, size) }),
    ...(args && { args: listElements(lowering, args) }),
  };
}

/** A parameter list that is not a list of parameters: `dim3 grid(n, m)` reads as a function's declaration. */
export function lowerArgumentsFromParameters(lowering: Lowering, list: RawNode): Expr[] | undefined {
  const args: Expr[] = [];
  for (const each of list.children) {
    if (!each.named) continue;
    if (each.type !== 'parameter_declaration') return undefined;
    const typeNode = child(each, 'type');
    const declarator = child(each, 'declarator');
    if (!typeNode || each.children.some((part) => part.type === 'type_qualifier')) return undefined;
    if (typeNode.type === 'primitive_type' || typeNode.type === 'sized_type_specifier') return undefined;
    const left: Expr = lowering.lower.expression(lowering, typeNode);
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
      // `T* p` with a T that no one declared is a parameter; `n * m` multiplies variables.
      if (!lowering.variables.has(wordsOf(lowering, typeNode)) && !lowering.variables.has(name)) return undefined;
      return {
        kind: 'binary',
        ...at(lowering, whole),
        op: declarator.type === 'pointer_declarator' ? '*' : '&',
        opStart: position(lowering, declarator.start),
        left,
        right: lowering.lower.expression(lowering, inner),
      };
    }
    case 'abstract_array_declarator': {
      const size = child(declarator, 'size');
      return size
        ? { kind: 'index', ...at(lowering, whole), base: left, index: lowering.lower.expression(lowering, size) }
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
        ? { kind: 'call', ...at(lowering, whole), callee: left, args: [lowering.lower.expression(lowering, inner)] }
        : undefined;
    }
    default:
      return undefined;
  }
}
