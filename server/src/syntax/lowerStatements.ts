// Lowers raw statement nodes to statements of the plain tree, with the pragmas that are before them.
import type { BlockStmt, CaseStmt, Expr, Pragma, Stmt, TypeStmt, TypeSyntax, VarDecl } from './ast';
import { lowerExpression } from './lowerExpressions';
import { isExpressionLike } from './lowerOpaque';
import { lowerDeclarator, lowerSpecifiers, lowerTypeSpecifier } from './lowerTypes';
import {
  at,
  child,
  childOfType,
  childrenOf,
  DEPTH_LIMIT,
  hasWord,
  namedChildren,
  position,
  unread,
  wordsOf,
  type Lowering,
} from './lowering';
import type { RawNode } from './tree';

/** Lowers one statement. A statement nested too deep becomes opaque. */
export function lowerStatement(lowering: Lowering, node: RawNode): Stmt {
  if (lowering.depth >= DEPTH_LIMIT) return unread(lowering, node);
  lowering.depth++;
  try {
    const pragmas = takePragmas(lowering, node);
    const statement = lowerKind(lowering, node);
    return pragmas ? { ...statement, pragmas } : statement;
  } finally {
    lowering.depth--;
  }
}

/** A compound statement. */
export function lowerBlock(lowering: Lowering, node: RawNode): BlockStmt {
  if (node.type === 'try_statement') {
    const statement = lowerStatement(lowering, node);
    return { kind: 'block', ...at(lowering, node), body: [statement] };
  }
  const body = lowering.depth >= DEPTH_LIMIT ? [] : lowerList(lowering, node.children);
  const brace = node.children[node.children.length - 1];
  if (brace?.type === '}' && lowering.pragmas.size > 0) {
    // directives that stand alone, such as `#pragma acc wait`
    const pragmas = takePragmas(lowering, brace);
    if (pragmas) {
      const { start } = at(lowering, brace);
      body.push({ kind: 'empty', start, end: start, pragmas });
    }
  }
  return { kind: 'block', ...at(lowering, node), body };
}

export function lowerList(lowering: Lowering, nodes: readonly RawNode[]): Stmt[] {
  const statements: Stmt[] = [];
  for (const node of nodes) {
    if (!node.named) continue;
    if (node.missing) continue;
    statements.push(lowerStatement(lowering, node));
  }
  return statements;
}

function takePragmas(lowering: Lowering, node: RawNode): readonly Pragma[] | undefined {
  if (lowering.pragmas.size === 0) return undefined;
  const token = lowering.source.tokenAt(node.start);
  const pragmas = lowering.pragmas.get(token);
  if (pragmas) lowering.pragmas.delete(token);
  return pragmas?.map((pragma) => ({
    ...pragma,
    start: pragma.start - lowering.base,
    end: pragma.end - lowering.base,
  }));
}

function lowerKind(lowering: Lowering, node: RawNode): Stmt {
  const span = at(lowering, node);
  switch (node.type) {
    case 'compound_statement':
      return lowerBlock(lowering, node);
    case 'expression_statement': {
      const inner = namedChildren(node)[0];
      if (!inner) return { kind: 'empty', ...span };
      if (inner.type === 'gnu_asm_expression') return lowerAsm(lowering, node, inner);
      return arrayPointer(lowering, node, inner) ?? { kind: 'expr', ...span, expr: lowerExpression(lowering, inner) };
    }
    case 'declaration':
      return lowerDeclaration(lowering, node);
    case 'if_statement': {
      const condition = child(node, 'condition');
      const then = child(node, 'consequence');
      const alternative = child(node, 'alternative');
      const otherwise =
        alternative && (alternative.type === 'else_clause' ? namedChildren(alternative)[0] : alternative);
      const { init, cond } = lowerCondition(lowering, condition, node);
      return {
        kind: 'if',
        ...span,
        ...(hasWord(node, 'constexpr') && { constexpr: true }),
        ...(init && { init }),
        cond,
        then: then ? lowerStatement(lowering, then) : empty(lowering, node),
        ...(otherwise && { else: lowerStatement(lowering, otherwise) }),
      };
    }
    case 'for_statement': {
      const initializer = child(node, 'initializer');
      const condition = child(node, 'condition');
      const update = child(node, 'update');
      const body = child(node, 'body');
      let init: Stmt | undefined;
      if (initializer)
        init =
          initializer.type === 'declaration'
            ? lowerDeclaration(lowering, initializer)
            : { kind: 'expr', ...at(lowering, initializer), expr: lowerExpression(lowering, initializer) };
      const close = closingParenthesis(node, body);
      return {
        kind: 'for',
        ...span,
        ...(init && { init }),
        ...(condition && { cond: lowerExpression(lowering, condition) }),
        ...(update && { step: lowerExpression(lowering, update) }),
        body: body ? lowerStatement(lowering, body) : empty(lowering, node),
        headerEnd: close ? at(lowering, close).end : span.end,
      };
    }
    case 'for_range_loop': {
      const specifiers = lowerSpecifiers(lowering, node);
      const declaratorNode = child(node, 'declarator');
      const declarator = declaratorNode
        ? lowerDeclarator(lowering, declaratorNode, specifiers.type)
        : { type: specifiers.type };
      const range = child(node, 'right');
      const body = child(node, 'body');
      const place = { start: specifiers.typeNode?.start ?? node.start, end: declaratorNode?.end ?? node.start };
      const nameNode = declarator.nameNode ?? declarator.bindings?.[0];
      const constant = specifiers.words.has('const');
      const variable = { ...plainVariable(lowering, place, nameNode, declarator.type), constant };
      return {
        kind: 'rangeFor',
        ...span,
        variable,
        range: range ? lowerExpression(lowering, range) : unread(lowering, node),
        body: body ? lowerStatement(lowering, body) : empty(lowering, node),
      };
    }
    case 'while_statement': {
      const keyword = lowering.source.tokens[lowering.source.tokenAt(node.start)]!;
      if (!keyword.body && keyword.end - keyword.start !== 'while'.length) return loopMacro(lowering, node);
      const { cond } = lowerCondition(lowering, child(node, 'condition'), node);
      const body = child(node, 'body');
      return { kind: 'while', ...span, cond, body: body ? lowerStatement(lowering, body) : empty(lowering, node) };
    }
    case 'do_statement': {
      const body = child(node, 'body');
      const lowered = body ? lowerStatement(lowering, body) : empty(lowering, node);
      const condition = child(node, 'condition');
      return {
        kind: 'do',
        ...span,
        body: lowered,
        cond: condition ? lowerExpression(lowering, condition) : unread(lowering, node),
      };
    }
    case 'switch_statement': {
      const { cond } = lowerCondition(lowering, child(node, 'condition'), node);
      const body = child(node, 'body');
      return {
        kind: 'switch',
        ...span,
        cond,
        body: body ? switchBody(lowering, body) : { kind: 'block', ...span, body: [] },
      };
    }
    case 'case_statement':
      return lowerCase(lowering, node);
    case 'break_statement':
      return { kind: 'break', ...span };
    case 'continue_statement':
      return { kind: 'continue', ...span };
    case 'return_statement':
    case 'co_return_statement': {
      const value = namedChildren(node)[0];
      return { kind: 'return', ...span, ...(value && { value: lowerExpression(lowering, value) }) };
    }
    case 'goto_statement': {
      const label = child(node, 'label');
      return { kind: 'goto', ...span, label: label ? wordsOf(lowering, label) : '' };
    }
    case 'labeled_statement': {
      const label = child(node, 'label');
      const inner = node.children.filter((each) => each.named && each !== label)[0];
      return {
        kind: 'label',
        ...span,
        label: label ? wordsOf(lowering, label) : '',
        body: inner ? lowerStatement(lowering, inner) : empty(lowering, node),
      };
    }
    case 'try_statement': {
      const body = child(node, 'body');
      const handlers = node.children
        .filter((each) => each.type === 'catch_clause')
        .map((each) => child(each, 'body'))
        .filter((each) => each !== undefined);
      return {
        kind: 'try',
        ...span,
        body: body ? lowerBlock(lowering, body) : { kind: 'block', ...span, body: [] },
        handlers: handlers.map((each) => lowerBlock(lowering, each)),
      };
    }
    case 'type_definition':
    case 'alias_declaration':
      return { kind: 'type', ...span, structs: [], aliases: lowering.lower.alias(lowering, node), enums: [] };
    case 'struct_specifier':
    case 'class_specifier':
    case 'union_specifier':
      return child(node, 'body') ? lowerLocalStruct(lowering, node) : { kind: 'empty', ...span };
    case 'enum_specifier':
      if (!child(node, 'body')) return { kind: 'empty', ...span };
      return { kind: 'type', ...span, structs: [], aliases: [], enums: [lowering.lower.enumeration(lowering, node)] };
    case 'using_declaration':
    case 'static_assert_declaration':
    case 'namespace_alias_definition':
      return { kind: 'empty', ...span };
    case 'attributed_statement': {
      const inner = node.children.filter((each) => each.named && each.type !== 'attribute_declaration')[0];
      return inner ? lowerStatement(lowering, inner) : { kind: 'empty', ...span };
    }
    case 'function_definition': {
      // a function inside a function: an error upstream, or an unknown macro
      const body = child(node, 'body');
      return { kind: 'opaque', ...span, parts: body ? [lowerBlock(lowering, body)] : [] };
    }
    case 'throw_statement': {
      const value = namedChildren(node)[0];
      return { kind: 'opaque', ...span, parts: value ? [lowerExpression(lowering, value)] : [], throws: true };
    }
    default:
      return opaqueStatement(lowering, node);
  }
}

/** `float (*rows)[33] = …;` reads as an assignment to an element of what `float(*rows)` gives. */
function arrayPointer(lowering: Lowering, statement: RawNode, expression: RawNode): Stmt | undefined {
  const target = expression.type === 'assignment_expression' ? child(expression, 'left') : expression;
  const sizes: RawNode[] = [];
  let current = target;
  while (current?.type === 'subscript_expression') {
    const list = child(current, 'indices');
    const size = list && namedChildren(list)[0];
    if (!size) return undefined;
    sizes.push(size);
    current = child(current, 'argument');
  }
  if (current?.type !== 'call_expression' || sizes.length === 0) return undefined;
  const typeNode = child(current, 'function');
  const list = child(current, 'arguments');
  const inner = list && namedChildren(list);
  if (!typeNode || inner?.length !== 1 || inner[0]!.type !== 'pointer_expression') return undefined;
  const nameNode = child(inner[0]!, 'argument');
  if (nameNode?.type !== 'identifier') return undefined;
  const name = wordsOf(lowering, nameNode);
  if (
    typeNode.type !== 'primitive_type' &&
    (!/^(?:identifier|template_function|qualified_identifier)$/.test(typeNode.type) || lowering.variables.has(name))
  )
    return undefined;
  let type = lowerTypeSpecifier(lowering, typeNode);
  for (const size of sizes) type = { kind: 'array', of: type, size: lowerExpression(lowering, size) };
  type = inner[0]!.children[0]?.type === '&' ? { kind: 'reference', to: type } : { kind: 'pointer', to: type };
  const value = expression === target ? undefined : child(expression, 'right');
  const variable = plainVariable(lowering, expression, nameNode, type, value);
  return { kind: 'decl', ...at(lowering, statement), vars: [variable] };
}

/**
 * `FOR_EACH(i, n) { … }` with a macro without a definition, read as `while`: that it loops is likely, how it does is
 * not known.
 */
function loopMacro(lowering: Lowering, node: RawNode): Stmt {
  const body = child(node, 'body');
  const { cond } = lowerCondition(lowering, child(node, 'condition'), node);
  return { kind: 'opaque', ...at(lowering, node), parts: body ? [cond, lowerStatement(lowering, body)] : [cond] };
}

/** What the parser could not read: the statements and expressions found in it are kept, those of nested errors too. */
function opaqueStatement(lowering: Lowering, node: RawNode): Stmt {
  const parts = node.children.flatMap((each): readonly (Stmt | Expr)[] => {
    if (!each.named || each.missing) return [];
    if (!isStatement(each) && each.type !== 'ERROR')
      return isExpressionLike(each) ? [lowerExpression(lowering, each)] : [];
    const inner = lowerStatement(lowering, each);
    return inner.kind === 'opaque' && !inner.throws ? inner.parts : [inner];
  });
  return { kind: 'opaque', ...at(lowering, node), parts };
}

function isStatement(node: RawNode): boolean {
  return /_statement$|^declaration$|^for_range_loop$|^function_definition$|^type_definition$|^alias_declaration$/.test(
    node.type,
  );
}

function empty(lowering: Lowering, node: RawNode): Stmt {
  const { end } = at(lowering, node);
  return { kind: 'empty', start: end, end };
}

function closingParenthesis(node: RawNode, body: RawNode | undefined): RawNode | undefined {
  let close: RawNode | undefined;
  for (const each of node.children) {
    if (each === body) break;
    if (each.type === ')') close = each;
  }
  return close;
}

function lowerCondition(
  lowering: Lowering,
  condition: RawNode | undefined,
  node: RawNode,
): { init?: Stmt; cond: Expr } {
  if (!condition) return { cond: unread(lowering, node) };
  if (condition.type !== 'condition_clause') return { cond: lowerExpression(lowering, condition) };
  const initializer = child(condition, 'initializer');
  const value = child(condition, 'value');
  const first = initializer && namedChildren(initializer)[0];
  let init = first && lowerStatement(lowering, first);
  if (value?.type === 'declaration') {
    // `if (T x = f())`
    const declaratorNode = child(value, 'declarator');
    const declarator =
      declaratorNode && lowerDeclarator(lowering, declaratorNode, lowerSpecifiers(lowering, value).type);
    const nameNode = declarator?.nameNode;
    if (nameNode) {
      const variable = plainVariable(lowering, value, nameNode, declarator.type, child(value, 'value'));
      init = { kind: 'decl', ...at(lowering, value), vars: [variable] };
      return { init, cond: { kind: 'name', ...at(lowering, nameNode), name: variable.name } };
    }
  }
  const error = childOfType(condition, 'ERROR');
  const read = value ?? error;
  const cond = read ? lowerExpression(lowering, read) : unread(lowering, condition);
  return { ...(init && { init }), cond };
}

/** A variable that is declared without storage or space, and known by its name from here on. */
function plainVariable(
  lowering: Lowering,
  node: Pick<RawNode, 'start' | 'end'>,
  nameNode: RawNode | undefined,
  type: TypeSyntax,
  value?: RawNode,
): VarDecl {
  const span = at(lowering, node);
  const name = nameNode ? wordsOf(lowering, nameNode) : '';
  if (name) lowering.variables.add(name);
  return {
    kind: 'var',
    ...span,
    name,
    nameStart: nameNode ? position(lowering, nameNode.start) : span.start,
    type,
    ...(value && { init: lowerExpression(lowering, value), initStyle: '=' as const }),
    space: 'none',
    constant: false,
  };
}

/**
 * Statements before the first case, and those of nested blocks, stay where they are; cases written in a row nest in the
 * raw tree.
 */
function switchBody(lowering: Lowering, node: RawNode): BlockStmt {
  return { kind: 'block', ...at(lowering, node), body: lowerList(lowering, node.children) };
}

function lowerCase(lowering: Lowering, node: RawNode): CaseStmt {
  const value = child(node, 'value');
  const colon = node.children.find((each) => each.type === ':');
  const body = node.children.filter((each) => each.named && each !== value && (!colon || each.start >= colon.end));
  return {
    kind: 'case',
    ...at(lowering, node),
    ...(value && { value: lowerExpression(lowering, value) }),
    body: lowerList(lowering, body),
  };
}

function lowerAsm(lowering: Lowering, statement: RawNode, node: RawNode): Stmt {
  const code = child(node, 'assembly_code');
  const operands = (field: string): Expr[] => {
    const list = child(node, field);
    if (!list) return [];
    const values: Expr[] = [];
    for (const operand of childrenOf(list, 'operand')) {
      const value = child(operand, 'value');
      if (value) values.push(lowerExpression(lowering, value));
    }
    return values;
  };
  return {
    kind: 'asm',
    ...at(lowering, statement),
    template: code ? wordsOf(lowering, code) : '',
    outputs: operands('output_operands'),
    inputs: operands('input_operands'),
  };
}

function lowerDeclaration(lowering: Lowering, node: RawNode): Stmt {
  const specifiers = lowerSpecifiers(lowering, node);
  const { vars, isFunction } = lowering.lower.variables(lowering, node, specifiers);
  if (vars.length === 0 && isFunction) return { kind: 'empty', ...at(lowering, node) };
  return { kind: 'decl', ...at(lowering, node), vars };
}

/** A class of a function, whose name stands for it as an alias does: it is looked up in the function alone. */
function lowerLocalStruct(lowering: Lowering, node: RawNode): TypeStmt {
  const decl = lowering.lower.struct(lowering, node);
  const { start, end, name } = decl;
  const alias = { start, end, name, qualifiedName: name, type: { kind: 'struct', decl } } as const;
  return { kind: 'type', start, end, structs: [decl], aliases: name ? [alias] : [], enums: [] };
}
