// Lowers declarations: functions, variables, structs, aliases and enums, at the top level, in classes and in functions.
import type { Expr, FunctionDecl, TypeSyntax, VarDecl } from './ast';
import { lowerArgumentsFromParameters, lowerInitList } from './lowerCalls';
import { lowerExpression } from './lowerExpressions';
import {
  alignmentAfter,
  type Declarator,
  lowerDeclarator,
  lowerParameters,
  lowerQualifiedName,
  lowerSpecifiers,
  lowerTemplate,
} from './lowerTypes';
import {
  at,
  child,
  childrenOf,
  type DeclaredVariables,
  DEPTH_LIMIT,
  hasWord,
  type Lowering,
  position,
  qualify,
  type Specifiers,
  wordsOf,
} from './lowering';
import type { RawNode } from './tree';
import { functionOf, lowerFunction } from './lowerFunctions';
import { lowerAlias, lowerEnum, lowerStruct } from './lowerClasses';

const declarationNodes = new RegExp(
  [
    '^(?:function_definition|template_declaration|declaration|struct_specifier|class_specifier',
    'linkage_specification)$',
  ].join('|'),
);

/** Lowers what is at the top level of a chunk. */
export function lowerTopLevel(lowering: Lowering, node: RawNode): void {
  if (lowering.depth >= DEPTH_LIMIT) return;
  switch (node.type) {
    case 'translation_unit':
    case 'declaration_list':
      for (const each of node.children) if (each.named) lowerTopLevel(lowering, each);
      return;
    case 'function_definition':
      lowerFunction(lowering, node);
      return;
    case 'template_declaration': {
      const { inner, declared } = lowerTemplate(lowering, node);
      for (const each of declared) if (each.type !== 'requires_clause') lowerTopLevel(inner, each);
      return;
    }
    case 'declaration': {
      const specifiers = lowerSpecifiers(lowering, node);
      const { vars, functions } = lowerVariables(lowering, node, declareType(lowering, specifiers));
      for (const variable of vars)
        lowering.out.globals.push({ ...variable, qualifiedName: qualify(lowering.scopes, variable.name) });
      lowering.out.functions.push(...functions);
      return;
    }
    case 'struct_specifier':
    case 'class_specifier':
    case 'union_specifier':
      if (child(node, 'body')) lowering.out.structs.push(lowerStruct(lowering, node));
      return;
    case 'enum_specifier':
      if (child(node, 'body')) lowerEnum(lowering, node);
      return;
    case 'type_definition':
    case 'alias_declaration':
      lowering.out.aliases.push(...lowerAlias(lowering, node));
      return;
    case 'linkage_specification': {
      const value = child(node, 'value');
      const body = child(node, 'body');
      const inner: Lowering = {
        ...lowering,
        depth: lowering.depth + 1,
        externC: lowering.externC || (value !== undefined && wordsOf(lowering, value) === '"C"'),
      };
      if (body) lowerTopLevel(inner, body);
      return;
    }
    case 'namespace_definition': {
      const name = child(node, 'name');
      const body = child(node, 'body');
      if (body)
        lowerTopLevel(
          {
            ...lowering,
            depth: lowering.depth + 1,
            scopes: name ? [...lowering.scopes, ...wordsOf(lowering, name).split(/\s*::\s*/)] : lowering.scopes,
          },
          body,
        );
      return;
    }
    case 'template_instantiation':
      lowerInstantiation(lowering, node);
      return;
    case 'ERROR':
      for (const each of node.children) if (declarationNodes.test(each.type)) lowerTopLevel(lowering, each);
  }
}

/** `template class C<float>;` or `template void f<float>(int);`. */
function lowerInstantiation(lowering: Lowering, node: RawNode): void {
  const typeNode = child(node, 'type');
  const isClass = typeNode !== undefined && /^(?:class|struct|union)_specifier$/.test(typeNode.type);
  const declaratorNode = child(node, 'declarator');
  const declarator =
    !isClass && declaratorNode
      ? lowerDeclarator(lowering, declaratorNode, lowerSpecifiers(lowering, node).type)
      : undefined;
  const nameNode = isClass ? child(typeNode, 'name') : declarator?.nameNode;
  const list = declarator?.functionNode && child(declarator.functionNode, 'parameters');
  if (!nameNode || !(isClass || list)) return;
  const { name, args, scopeArgs } = lowerQualifiedName(lowering, nameNode);
  lowering.out.instantiations.push({
    ...at(lowering, node),
    qualifiedName: qualify(lowering.scopes, name),
    ...(args && { args }),
    ...(scopeArgs && { scopeArgs }),
    ...(list && { params: lowerParameters(lowering, list).map(({ type }) => type) }),
  });
}

/**
 * A struct that is defined where a variable of it is declared, `struct A { … } a;`, is declared apart and named by the
 * variable.
 */
function declareType(lowering: Lowering, specifiers: Specifiers): Specifiers {
  if (specifiers.type.kind !== 'struct') return specifiers;
  const { decl } = specifiers.type;
  lowering.out.structs.push(decl);
  return decl.name === '' ? specifiers : { ...specifiers, type: { kind: 'named', name: decl.name } };
}

/** The variables of a declaration, and the functions it declares. */
export function lowerVariables(lowering: Lowering, node: RawNode, specifiers: Specifiers): DeclaredVariables {
  const vars: VarDecl[] = [];
  const functions: FunctionDecl[] = [];
  let isFunction = false;
  let first = true;
  const declarators = childrenOf(node, 'declarator');
  for (const declaratorNode of declarators) {
    const start = first ? node : declaratorNode;
    first = false;
    const declarator = lowerDeclarator(lowering, declaratorNode, specifiers.type);
    if (declarator.functionNode && declaratorNode.type !== 'init_declarator') {
      const list = child(declarator.functionNode, 'parameters');
      if (lowering.inFunction && list && declarator.nameNode && specifiers.typeNode) {
        const args = list.children.some((each) => each.named)
          ? lowerArgumentsFromParameters(lowering, list)
          : undefined;
        if (args && args.length > 0) {
          const plain = declarator.type.kind === 'function' ? declarator.type.returns : declarator.type;
          vars.push(
            variableOf(
              lowering,
              specifiers,
              { type: plain, nameNode: declarator.nameNode },
              start,
              declaratorNode,
              { kind: 'initList', ...at(lowering, list), elements: args },
              '(',
            ),
          );
          continue;
        }
      }
      isFunction = true;
      if (!lowering.inFunction) functions.push(functionOf(lowering, node, specifiers, declarator, undefined));
      continue;
    }
    if (declarator.bindings) {
      const value = child(declaratorNode, 'value');
      const init = value && lowerExpression(lowering, value);
      for (const binding of declarator.bindings) {
        const name = wordsOf(lowering, binding);
        lowering.variables.add(name);
        vars.push({
          kind: 'var',
          ...at(lowering, binding),
          name,
          nameStart: position(lowering, binding.start),
          type: { kind: 'auto' },
          ...(init && { init: { kind: 'opaque', start: init.start, end: init.end, parts: [init] } as Expr }),
          space: 'none',
          constant: false,
        });
      }
      continue;
    }
    const value = declaratorNode.type === 'init_declarator' ? child(declaratorNode, 'value') : undefined;
    let init: Expr | undefined;
    let style: '=' | '(' | '{' | undefined;
    if (value) {
      const equals = hasWord(declaratorNode, '=');
      style = equals ? '=' : value.type === 'argument_list' ? '(' : '{';
      if (!equals) {
        init = lowerInitList(lowering, value);
        const brace = lowering.source.tokens[lowering.source.tokenAt(value.start)];
        if (brace && lowering.source.notes.parenthesised.has(brace)) style = '(';
      } else init = lowerExpression(lowering, value);
    }
    vars.push(variableOf(lowering, specifiers, declarator, start, declaratorNode, init, style));
  }
  return { vars, functions, isFunction };
}

function variableOf(
  lowering: Lowering,
  specifiers: Specifiers,
  declarator: Declarator,
  startNode: RawNode,
  endNode: RawNode,
  init: Expr | undefined,
  style: '=' | '(' | '{' | undefined,
): VarDecl {
  const { words } = specifiers;
  const nameNode = declarator.nameNode;
  const name = nameNode ? lowerQualifiedName(lowering, nameNode).name : '';
  if (name) lowering.variables.add(name);
  const type = declarator.type;
  const space = words.has('__shared__')
    ? 'shared'
    : words.has('__constant__')
      ? 'constant'
      : words.has('__managed__')
        ? 'managed'
        : words.has('__device__')
          ? 'device'
          : 'none';
  const storage = words.has('extern')
    ? 'extern'
    : words.has('static')
      ? 'static'
      : words.has('thread_local') || words.has('__thread')
        ? 'thread_local'
        : undefined;
  const align = alignmentAfter(lowering, endNode) ?? specifiers.align;
  return {
    kind: 'var',
    ...at(lowering, { start: startNode.start, end: endNode.end }),
    name,
    nameStart: nameNode ? position(lowering, nameNode.start) : at(lowering, startNode).start,
    type,
    ...(init && { init }),
    ...(style && { initStyle: style }),
    space,
    ...(storage && { storage }),
    constant: words.has('constexpr') || isConstant(type),
    ...(words.has('constexpr') && { constexpr: true }),
    ...(words.has('volatile') && { volatile: true }),
    ...(align && { align }),
  };
}

function isConstant(type: TypeSyntax): boolean {
  switch (type.kind) {
    case 'named':
    case 'pointer':
    case 'auto':
      return type.const === true;
    case 'array':
      return isConstant(type.of);
    default:
      return false;
  }
}
