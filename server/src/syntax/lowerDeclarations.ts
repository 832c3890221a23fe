// Lowers declarations: functions, variables, structs, aliases and enums, at the top level, in classes and in functions.
import type {
  AliasDecl,
  EnumDecl,
  Expr,
  FieldDecl,
  FunctionDecl,
  ParamDecl,
  Stmt,
  StructDecl,
  TypeSyntax,
  VarDecl,
} from './ast';
import { lowerArgumentsFromParameters, lowerExpression, lowerInitList } from './lowerExpressions';
import { lowerBlock } from './lowerStatements';
import {
  attributeWords,
  lowerDeclarator,
  lowerParameters,
  lowerQualifiedName,
  lowerSpecifiers,
  lowerTemplateParameters,
  lowerTypeDescriptor,
  lowerTypeSpecifier,
  qualified,
  type Declarator,
  type Specifiers,
} from './lowerTypes';
import {
  at,
  child,
  childOfType,
  childrenOf,
  DEPTH_LIMIT,
  hasWord,
  namedChildren,
  position,
  qualify,
  wordsOf,
  type Lowering,
} from './lowering';
import type { RawNode } from './tree';

/** Lowers what stands at the top level of a chunk. */
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
      const list = child(node, 'parameters');
      const params = list ? lowerTemplateParameters(lowering, list) : [];
      const inner: Lowering = {
        ...lowering,
        depth: lowering.depth + 1,
        templateParams: [...lowering.templateParams, ...params],
      };
      for (const each of node.children)
        if (each.named && each !== list && each.type !== 'requires_clause') lowerTopLevel(inner, each);
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
    case 'friend_declaration':
    case 'template_instantiation':
    case 'using_declaration':
    case 'static_assert_declaration':
    case 'expression_statement':
      return;
    case 'ERROR':
      for (const each of node.children)
        if (
          /^(?:function_definition|template_declaration|declaration|struct_specifier|class_specifier|linkage_specification)$/.test(
            each.type,
          )
        )
          lowerTopLevel(lowering, each);
      return;
    default:
      return;
  }
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
export function lowerVariables(
  lowering: Lowering,
  node: RawNode,
  specifiers: Specifiers,
): { vars: VarDecl[]; functions: FunctionDecl[]; isFunction: boolean } {
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
  const lastToken = lowering.source.tokens[lowering.source.tokenAt(Math.max(endNode.start, endNode.end - 1))];
  const alignedBy = lastToken && lowering.source.notes.alignedAfter.get(lastToken);
  let align = specifiers.align;
  if (alignedBy)
    align = {
      kind: 'number',
      start: alignedBy.start - lowering.base,
      end: alignedBy.end - lowering.base,
      value: Number(alignedBy.text),
      type: 'int',
      text: alignedBy.text,
    };
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

/** A function definition, or a method's; adds it to the chunk's functions. */
export function lowerFunction(lowering: Lowering, node: RawNode): FunctionDecl | undefined {
  const specifiers = lowerSpecifiers(lowering, node);
  const declaratorNode = child(node, 'declarator');
  if (!declaratorNode) return undefined;
  if (
    declaratorNode.type === 'operator_cast' ||
    (declaratorNode.type === 'qualified_identifier' && hasOperatorCast(declaratorNode))
  ) {
    return castOperator(lowering, node, declaratorNode);
  }
  // The declarator's own types (sizes, trailing return) are lowered with the function's base.
  const declared = functionOf(lowering, node, specifiers, undefined, declaratorNode);
  lowering.out.functions.push(declared);
  return declared;
}

function hasOperatorCast(node: RawNode): boolean {
  for (let current: RawNode | undefined = node; current; current = child(current, 'name'))
    if (current.type === 'operator_cast') return true;
  return false;
}

function castOperator(lowering: Lowering, node: RawNode, declaratorNode: RawNode): FunctionDecl | undefined {
  let operator: RawNode | undefined = declaratorNode;
  while (operator && operator.type !== 'operator_cast') operator = child(operator, 'name');
  const abstract = operator && child(operator, 'declarator');
  if (!operator || !abstract) return undefined;
  const typeSpecifiers = lowerSpecifiers(lowering, operator);
  const declarator = lowerDeclarator(lowering, abstract, typeSpecifiers.type);
  const returns = declarator.type.kind === 'function' ? declarator.type.returns : declarator.type;
  const words = lowerSpecifiers(lowering, node);
  const classes: string[] = [];
  for (
    let part: RawNode | undefined = declaratorNode;
    part && part.type === 'qualified_identifier';
    part = child(part, 'name')
  ) {
    const scope = child(part, 'scope');
    if (scope) classes.push(lowerQualifiedName(lowering, scope).name);
  }
  const written = [...classes, `operator ${returns.kind === 'named' ? returns.name : ''}`].join('::');
  const declared = makeFunction(lowering, node, words, written, operator, declarator.functionNode, returns);
  lowering.out.functions.push(declared);
  return declared;
}

function functionOf(
  lowering: Lowering,
  node: RawNode,
  specifiers: Specifiers,
  known: Declarator | undefined,
  declaratorNode: RawNode | undefined,
): FunctionDecl {
  const declarator = known ?? lowerDeclarator(lowering, declaratorNode!, specifiers.type);
  const returns = declarator.type.kind === 'function' ? declarator.type.returns : declarator.type;
  const nameNode = declarator.nameNode;
  const { name } = nameNode ? lowerQualifiedName(lowering, nameNode) : { name: '' };
  return makeFunction(lowering, node, specifiers, name, nameNode, declarator.functionNode, returns);
}

function makeFunction(
  outer: Lowering,
  node: RawNode,
  specifiers: Specifiers,
  writtenName: string,
  nameNode: RawNode | undefined,
  functionNode: RawNode | undefined,
  returns: TypeSyntax,
): FunctionDecl {
  const { words } = specifiers;
  const span = outer.source.spanOf(node.start, node.end);
  const base = span.start;
  const lowering: Lowering = {
    ...outer,
    base,
    inFunction: true,
    variables: new Set(outer.variables),
    depth: outer.depth,
  };
  const parts = writtenName.split('::');
  const last = parts[parts.length - 1];
  const written = parts.slice(0, -1);
  // A qualified name of a definition outside its class names the class; a namespace looks the same, and only a class is
  // of use here.
  const className = outer.className ?? (written.length > 0 ? qualify(outer.scopes, written.join('::')) : undefined);
  const list = functionNode && child(functionNode, 'parameters');
  const params: ParamDecl[] = list ? lowerParameters(lowering, list) : [];
  const bodyNode = child(node, 'body') ?? childOfType(node, 'try_statement');
  const initialisers = childOfType(node, 'field_initializer_list');
  let body = bodyNode ? lowerBlock(lowering, bodyNode) : undefined;
  if (body && initialisers)
    body = { ...body, body: [...lowerMemberInitialisers(lowering, initialisers), ...body.body] };
  // `f<float>` names a specialisation; in `C<T>::f` the arguments are those of the class template itself.
  const specialisedFor =
    nameNode?.type === 'template_function' ? lowerQualifiedName(lowering, nameNode).args : undefined;
  const launch = specifiers.launchBounds ? respecify(lowering, node) : undefined;
  return {
    key: outer.keyOf(qualify(outer.scopes, writtenName), span.start, span.end),
    uri: outer.uri,
    base: base - outer.chunkBase,
    start: 0,
    end: span.end - base,
    name: last,
    qualifiedName: qualify(outer.scopes, writtenName),
    nameStart: nameNode ? position(lowering, lastNameNode(nameNode).start) : 0,
    ...(className !== undefined && { className }),
    ...(outer.templateParams.length > 0 && { templateParams: rebased(outer.templateParams, outer.base - base) }),
    ...(specialisedFor && { specialisedFor }),
    params,
    returns: rebased(returns, outer.base - base),
    global: words.has('__global__'),
    device: words.has('__device__'),
    host: words.has('__host__') || (!words.has('__global__') && !words.has('__device__')),
    externC: outer.externC || words.has('extern "C"'),
    noinline: words.has('__noinline__') || words.has('noinline'),
    constexpr: words.has('constexpr'),
    ...(launch && { launchBounds: launch }),
    ...(body && { body }),
    comments: [],
  };
}

function respecify(lowering: Lowering, node: RawNode): readonly Expr[] | undefined {
  const bounds = childOfType(node, 'launch_bounds');
  return bounds ? namedChildren(bounds).map((each) => lowerExpression(lowering, each)) : undefined;
}

function lastNameNode(node: RawNode): RawNode {
  let current = node;
  for (
    let name = child(current, 'name');
    name && current.type === 'qualified_identifier';
    name = child(current, 'name')
  )
    current = name;
  return current;
}

function lowerMemberInitialisers(lowering: Lowering, list: RawNode): Stmt[] {
  const statements: Stmt[] = [];
  for (const each of list.children) {
    if (each.type !== 'field_initializer') continue;
    const [nameNode, valueNode] = namedChildren(each);
    if (!nameNode || !valueNode) continue;
    const { name } = lowerQualifiedName(lowering, nameNode);
    const init = lowerInitList(lowering, valueNode);
    const span = at(lowering, each);
    const nameSpan = at(lowering, nameNode);
    statements.push({
      kind: 'expr',
      ...span,
      expr: {
        kind: 'assign',
        ...span,
        op: '=',
        opStart: at(lowering, valueNode).start,
        target: {
          kind: 'member',
          ...nameSpan,
          object: { kind: 'name', start: nameSpan.start, end: nameSpan.start, name: 'this' },
          field: name,
          arrow: true,
          fieldStart: nameSpan.start,
        },
        value: init.elements.length === 1 ? init.elements[0] : init,
      },
    });
  }
  return statements;
}

/** A struct, class or union with a body. */
export function lowerStruct(outer: Lowering, node: RawNode): StructDecl {
  const nameNode = child(node, 'name');
  const { name, args: specialisedFor } = nameNode ? lowerQualifiedName(outer, nameNode) : { name: '', args: undefined };
  const qualifiedName = qualify(outer.scopes, name);
  const lowering: Lowering = {
    ...outer,
    scopes: name ? [...outer.scopes, name] : outer.scopes,
    className: qualifiedName,
    depth: outer.depth + 1,
    variables: new Set(outer.variables),
    inFunction: false,
  };
  let align: Expr | undefined;
  let packed = false;
  for (const each of node.children) {
    if (each.type === 'alignas_qualifier') {
      const value = namedChildren(each)[0];
      if (value) align = value.type === 'type_descriptor' ? alignOfType(outer, value) : lowerExpression(outer, value);
    } else if (each.type === 'attribute_specifier') {
      for (const attribute of attributeWords(outer, each)) {
        if (attribute.name === 'aligned' && attribute.argument) align = lowerExpression(outer, attribute.argument);
        else if (attribute.name === 'packed') packed = true;
      }
    }
  }
  const closing = outer.source.tokens[outer.source.tokenAt(Math.max(node.start, node.end - 1))];
  const alignedBy = closing && outer.source.notes.alignedAfter.get(closing);
  if (alignedBy)
    align = {
      kind: 'number',
      start: alignedBy.start - outer.base,
      end: alignedBy.end - outer.base,
      value: Number(alignedBy.text),
      type: 'int',
      text: alignedBy.text,
    };
  const bases: TypeSyntax[] = [];
  const baseClause = childOfType(node, 'base_class_clause');
  if (baseClause)
    for (const each of baseClause.children)
      if (each.named && each.type !== 'access_specifier' && each.type !== 'attribute_declaration')
        bases.push(lowerTypeSpecifier(outer, each));
  const fields: FieldDecl[] = [];
  const structs: StructDecl[] = [];
  const aliases: AliasDecl[] = [];
  const functionsBefore = outer.out.functions.length;
  const enumsBefore = outer.out.enums.length;
  const structsBefore = outer.out.structs.length;
  const body = child(node, 'body');
  if (body && outer.depth < DEPTH_LIMIT)
    for (const each of body.children) lowerMember(lowering, each, fields, structs, aliases);
  let methods = outer.out.functions.slice(functionsBefore).filter((method) => method.className === qualifiedName);
  // Inside a function everything is relative to the function, the bases of its local classes' methods as well.
  if (outer.inFunction)
    methods = methods.map((method) => ({ ...method, base: method.base + outer.chunkBase - outer.base }));
  structs.push(...outer.out.structs.splice(structsBefore));
  return {
    ...at(outer, node),
    kind: node.type === 'union_specifier' ? 'union' : 'struct',
    name,
    qualifiedName,
    ...(outer.templateParams.length > 0 && { templateParams: outer.templateParams }),
    ...(specialisedFor && { specialisedFor }),
    bases,
    fields,
    ...(align && { align }),
    ...(packed && { packed }),
    methods,
    structs,
    aliases,
    enums: outer.out.enums.splice(enumsBefore),
  };
}

function alignOfType(lowering: Lowering, node: RawNode): Expr {
  const type = lowerTypeDescriptor(lowering, node);
  if (type.kind === 'named' && !type.args && child(node, 'type')?.type === 'type_identifier')
    return { kind: 'name', name: type.name, ...at(lowering, node) };
  return { kind: 'sizeof', type, alignof: true, ...at(lowering, node) };
}

function lowerMember(
  lowering: Lowering,
  node: RawNode,
  fields: FieldDecl[],
  structs: StructDecl[],
  aliases: AliasDecl[],
): void {
  switch (node.type) {
    case 'field_declaration': {
      let specifiers = lowerSpecifiers(lowering, node);
      if (specifiers.type.kind === 'struct') {
        structs.push(specifiers.type.decl);
        if (specifiers.type.decl.name !== '')
          specifiers = { ...specifiers, type: { kind: 'named', name: specifiers.type.decl.name } };
      }
      const static_ = specifiers.words.has('static');
      const declarators = childrenOf(node, 'declarator');
      if (declarators.length === 0 && specifiers.type.kind === 'struct' && specifiers.type.decl.name === '') {
        // the members of an unnamed struct are members here
        fields.push({ name: '', type: specifiers.type, static: false });
        return;
      }
      declarators.forEach((declaratorNode) => {
        const declarator = lowerDeclarator(lowering, declaratorNode, specifiers.type);
        if (declarator.functionNode) {
          lowering.out.functions.push(functionOf(lowering, node, specifiers, declarator, undefined));
          return;
        }
        const place = node.children.indexOf(declaratorNode);
        let value: RawNode | undefined;
        let bits: number | undefined;
        for (
          let index = place + 1;
          index < node.children.length && node.children[index].field !== 'declarator';
          index++
        ) {
          const each = node.children[index];
          if (each.field === 'default_value') value = each;
          else if (each.type === 'bitfield_clause') {
            const width = namedChildren(each)[0];
            const lowered = width && lowerExpression(lowering, width);
            if (lowered?.kind === 'number') bits = lowered.value;
          }
        }
        const lastToken =
          lowering.source.tokens[lowering.source.tokenAt(Math.max(declaratorNode.start, declaratorNode.end - 1))];
        const alignedBy = lastToken && lowering.source.notes.alignedAfter.get(lastToken);
        const align: Expr | undefined = alignedBy
          ? {
              kind: 'number',
              start: alignedBy.start - lowering.base,
              end: alignedBy.end - lowering.base,
              value: Number(alignedBy.text),
              type: 'int',
              text: alignedBy.text,
            }
          : specifiers.align;
        const name = declarator.nameNode ? lowerQualifiedName(lowering, declarator.nameNode).name : '';
        if (name) lowering.variables.add(name);
        fields.push({
          name,
          type: specifiers.words.has('constexpr') ? qualified(declarator.type, true, false) : declarator.type,
          ...(align && { align }),
          static: static_,
          ...(value && { init: lowerExpression(lowering, value) }),
          ...(bits !== undefined && { bits }),
        });
      });
      return;
    }
    case 'function_definition':
      lowerFunction(lowering, node);
      return;
    case 'declaration': {
      // constructors and conversion operators without a body
      const declaratorNode = child(node, 'declarator');
      const specifiers = lowerSpecifiers(lowering, node);
      if (declaratorNode?.type === 'function_declarator')
        lowering.out.functions.push(functionOf(lowering, node, specifiers, undefined, declaratorNode));
      else if (declaratorNode?.type === 'operator_cast') castOperator(lowering, node, declaratorNode);
      else {
        const { vars, functions } = lowerVariables(lowering, node, specifiers);
        for (const variable of vars)
          fields.push({
            name: variable.name,
            type: variable.type,
            static: specifiers.words.has('static'),
            ...(variable.init && { init: variable.init }),
          });
        lowering.out.functions.push(...functions);
      }
      return;
    }
    case 'template_declaration': {
      const list = child(node, 'parameters');
      const params = list ? lowerTemplateParameters(lowering, list) : [];
      const inner: Lowering = {
        ...lowering,
        depth: lowering.depth + 1,
        templateParams: [...lowering.templateParams, ...params],
      };
      for (const each of node.children)
        if (each.named && each !== list) lowerMember(inner, each, fields, structs, aliases);
      return;
    }
    case 'struct_specifier':
    case 'class_specifier':
    case 'union_specifier':
      if (child(node, 'body')) structs.push(lowerStruct(lowering, node));
      return;
    case 'enum_specifier':
      if (child(node, 'body')) lowerEnum(lowering, node);
      return;
    case 'type_definition':
    case 'alias_declaration':
      aliases.push(...lowerAlias(lowering, node));
      return;
    case 'ERROR':
      for (const each of node.children)
        if (each.type === 'function_definition' || each.type === 'field_declaration')
          lowerMember(lowering, each, fields, structs, aliases);
      return;
  }
}

/** `using A = T;` and `typedef T A, *B;`; a struct or enum defined in it is added to the chunk. */
export function lowerAlias(lowering: Lowering, node: RawNode): AliasDecl[] {
  const templateParams = lowering.templateParams.length > 0 ? { templateParams: lowering.templateParams } : {};
  if (node.type === 'alias_declaration') {
    const nameNode = child(node, 'name');
    const typeNode = child(node, 'type');
    if (!nameNode || !typeNode) return [];
    const name = wordsOf(lowering, nameNode);
    return [
      {
        ...at(lowering, node),
        name,
        qualifiedName: qualify(lowering.scopes, name),
        type: lowerTypeDescriptor(lowering, typeNode),
        ...templateParams,
      },
    ];
  }
  const specifiers = lowerSpecifiers(lowering, node);
  const aliases: AliasDecl[] = [];
  let type = specifiers.type;
  if (type.kind === 'struct' && type.decl.name !== '') {
    if (!lowering.inFunction) lowering.out.structs.push(type.decl);
    if (!lowering.inFunction) type = { kind: 'named', name: type.decl.name };
  }
  for (const declaratorNode of childrenOf(node, 'declarator')) {
    const declarator = lowerDeclarator(lowering, declaratorNode, type);
    if (!declarator.nameNode) continue;
    const name = wordsOf(lowering, declarator.nameNode);
    const span = at(lowering, node);
    if (declarator.type.kind === 'struct' && !lowering.inFunction) {
      // `typedef struct { … } A;` names the struct A
      const decl: StructDecl = {
        ...declarator.type.decl,
        name,
        qualifiedName: qualify(lowering.scopes, name),
        ...(specifiers.align && !declarator.type.decl.align && { align: specifiers.align }),
      };
      lowering.out.structs.push(decl);
      continue;
    }
    if (declarator.type.kind === 'named' && declarator.type.name === name) continue; // `typedef struct A { … } A;`
    aliases.push({
      ...span,
      name,
      qualifiedName: qualify(lowering.scopes, name),
      type: declarator.type,
      ...templateParams,
    });
  }
  return aliases;
}

/** An enum with a body; adds it to the chunk's enums. */
export function lowerEnum(lowering: Lowering, node: RawNode): EnumDecl {
  const nameNode = child(node, 'name');
  const name = nameNode ? lowerQualifiedName(lowering, nameNode).name : '';
  const base = child(node, 'base') ?? child(node, 'underlying_type');
  const list = child(node, 'body');
  const values: { name: string; value?: Expr }[] = [];
  if (list)
    for (const each of list.children) {
      if (each.type !== 'enumerator') continue;
      const valueName = child(each, 'name');
      const value = child(each, 'value');
      if (valueName)
        values.push({ name: wordsOf(lowering, valueName), ...(value && { value: lowerExpression(lowering, value) }) });
    }
  const declared: EnumDecl = {
    ...at(lowering, node),
    name,
    qualifiedName: qualify(lowering.scopes, name),
    ...(base && { underlying: lowerTypeSpecifier(lowering, base) }),
    values,
  };
  if (!lowering.inFunction) lowering.out.enums.push(declared);
  return declared;
}

/** Moves every offset in a plain tree by `delta`; functions move as wholes, by their `base`. */
export function rebased<T>(value: T, delta: number): T {
  if (delta === 0) return value;
  return shift(value, delta) as T;
}

const OFFSETS = new Set(['start', 'end', 'nameStart', 'opStart', 'fieldStart', 'headerEnd']);

function shift(value: unknown, delta: number): unknown {
  if (Array.isArray(value)) return value.map((each) => shift(each, delta));
  if (typeof value !== 'object' || value === null) return value;
  if ('base' in value && 'key' in value) return { ...value, base: (value as unknown as FunctionDecl).base + delta };
  const moved: Record<string, unknown> = {};
  for (const name in value) {
    const part = (value as Record<string, unknown>)[name];
    moved[name] =
      typeof part === 'number' && OFFSETS.has(name)
        ? part + delta
        : typeof part === 'object'
          ? shift(part, delta)
          : part;
  }
  return moved;
}
