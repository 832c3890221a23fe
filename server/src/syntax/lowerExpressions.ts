// Lowers raw expression nodes to expressions of the plain tree.
import type { BlockStmt, Expr, NameExpr, TemplateArg } from './ast';
import { readCharacter, readNumber } from './literals';
import {
  lowerParameters,
  lowerQualifiedName,
  lowerTemplateParameters,
  lowerTypeDescriptor,
  lowerTypeSpecifier,
} from './lowerTypes';
import {
  at,
  child,
  childrenOf,
  DEPTH_LIMIT,
  hasWord,
  type Lowering,
  namedChildren,
  OPERATOR_WORDS,
  position,
  tookForCast,
  unread,
  wordsOf,
} from './lowering';
import type { RawNode } from './tree';
import { lowerBinaryChain } from './lowerOperators';
import { opaque } from './lowerOpaque';
import { listElements, lowerCall, lowerCast, lowerInitList, lowerNew } from './lowerCalls';

/** Lowers an expression; what is not understood, or nested too deep, becomes opaque. */
export function lowerExpression(lowering: Lowering, node: RawNode): Expr {
  if (lowering.depth >= DEPTH_LIMIT) return unread(lowering, node);
  lowering.depth++;
  try {
    return lowerKind(lowering, node);
  } finally {
    lowering.depth--;
  }
}

/** `k < Traits<4>::size`, which the grammar takes for a member of a template `k`, where `k` is a variable. */
function comparedWithMember(lowering: Lowering, node: RawNode, named: NameExpr): Expr | undefined {
  const at = named.name.indexOf('::');
  const variable = named.name.slice(0, at);
  const list = child(node, 'scope')?.children.find(({ type }) => type === 'template_argument_list');
  const [first, ...rest] = named.scopeArgs ?? [];
  if (at < 0 || !lowering.variables.has(variable) || !list || !first) return undefined;
  const taken = templateIn(first);
  if (!taken) return undefined;
  const scopeArgs = [...taken.args, ...rest];
  const compared: Expr = {
    kind: 'binary',
    start: named.start,
    end: named.end,
    op: '<',
    opStart: position(lowering, list.start),
    left: { kind: 'name', start: named.start, end: named.start + variable.length, name: variable },
    right: {
      kind: 'name',
      start: position(lowering, namedChildren(list)[0]?.start ?? list.end),
      end: named.end,
      name: taken.name + named.name.slice(at),
      ...(named.templateArgs && {
        templateArgs: named.templateArgs === named.scopeArgs ? scopeArgs : named.templateArgs,
      }),
      scopeArgs,
    },
  };
  tookForCast.add(compared);
  return compared;
}

/** `P<4` or `P<T>` where a template has them for an argument. */
function templateIn(arg: TemplateArg): { readonly name: string; readonly args: readonly TemplateArg[] } | undefined {
  if ('type' in arg)
    return arg.type.kind === 'named' && arg.type.args ? { name: arg.type.name, args: arg.type.args } : undefined;
  const { expr } = arg;
  if (expr.kind === 'name') return expr.templateArgs && { name: expr.name, args: expr.templateArgs };
  if (expr.kind !== 'binary' || expr.op !== '<' || expr.left.kind !== 'name') return undefined;
  return { name: expr.left.name, args: [{ expr: expr.right }] };
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
      if (node.missing) return unread(lowering, node);
      const name = wordsOf(lowering, node);
      return { kind: 'name', ...at(lowering, node), name };
    }
    case 'qualified_identifier':
    case 'template_function':
    case 'template_type':
    case 'dependent_name':
    case 'template_method': {
      const { name, args, scopeArgs } = lowerQualifiedName(lowering, node);
      const named: NameExpr = {
        kind: 'name',
        ...at(lowering, node),
        name,
        ...(args && { templateArgs: args }),
        ...(scopeArgs && { scopeArgs }),
      };
      return comparedWithMember(lowering, node, named) ?? named;
    }
    case 'number_literal': {
      const text = wordsOf(lowering, node);
      const number = readNumber(text);
      return number
        ? { kind: 'number', ...at(lowering, node), value: number.value, type: number.type, text }
        : unread(lowering, node);
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
      if (!inner) return unread(lowering, node);
      if (inner.type === 'compound_statement') return statementExpression(lowering, node, inner);
      const grouped = lowerExpression(lowering, inner);
      // Parentheses as written settle the order.
      tookForCast.delete(grouped);
      return grouped;
    }
    case 'extension_expression':
    case 'expression_statement': {
      const inner = namedChildren(node)[0];
      return inner ? lowerExpression(lowering, inner) : unread(lowering, node);
    }
    case 'unary_expression':
    case 'pointer_expression': {
      const operator = child(node, 'operator') ?? node.children[0];
      const operand = child(node, 'argument');
      if (!operator || !operand) return opaque(lowering, node);
      const word = wordsOf(lowering, operator);
      return {
        kind: 'unary',
        ...at(lowering, node),
        op: (OPERATOR_WORDS[word] ?? word) as '+' | '-' | '!' | '~' | '*' | '&',
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
      if (hasWord(node, '...')) return unread(lowering, node);
      // `sizeof(T)` with a lone name reads as an expression: it is a type unless a variable of that name is known.
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
      if (notes.tables?.has(tokens[lowering.source.tokenAt(node.start)]!)) return unread(lowering, node);
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
      return value ? lowerExpression(lowering, value) : unread(lowering, node);
    }
    case 'parameter_pack_expansion': {
      const pattern = child(node, 'pattern');
      return {
        kind: 'opaque',
        ...at(lowering, node),
        parts: pattern && pattern.type !== 'type_descriptor' ? [lowerExpression(lowering, pattern)] : [],
        expands: true,
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

/** GNU's `({ … })`: the expressions in it are kept. */
function statementExpression(lowering: Lowering, node: RawNode, block: RawNode): Expr {
  const parts: Expr[] = [];
  for (const statement of lowering.lower.block(lowering, block).body) {
    if (statement.kind === 'expr') parts.push(statement.expr);
    else if (statement.kind === 'decl')
      for (const variable of statement.vars) if (variable.init) parts.push(variable.init);
  }
  return { kind: 'opaque', ...at(lowering, node), parts };
}

function lowerLambda(lowering: Lowering, node: RawNode): Expr {
  const captures = child(node, 'captures');
  const declarator = child(node, 'declarator');
  const bodyNode = child(node, 'body');
  const captureText = captures ? wordsOf(lowering, captures) : '';
  const listNode = declarator && child(declarator, 'parameters');
  const params = listNode ? lowerParameters(lowering, listNode) : [];
  const templateNode = child(node, 'template_parameters');
  const templateParams = templateNode ? lowerTemplateParameters(lowering, templateNode) : [];
  const body: BlockStmt = bodyNode
    ? lowering.lower.block(lowering, bodyNode)
    : { kind: 'block', ...at(lowering, node), body: [] };
  const first = lowering.source.tokens[lowering.source.tokenAt(node.start)];
  return {
    kind: 'lambda',
    ...at(lowering, node),
    ...(templateParams.length > 0 && { templateParams }),
    params,
    body,
    device: first !== undefined && lowering.source.notes.deviceLambdas.has(first),
    captureByReference: captureText.includes('&'),
  };
}
