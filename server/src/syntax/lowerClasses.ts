// Classes, structures, unions, enumerations and aliases, with their members.
import type { AliasDecl, EnumDecl, Expr, FieldDecl, FunctionDecl, StructDecl, TemplateArg, TypeSyntax } from './ast';
import { lowerExpression } from './lowerExpressions';
import {
  alignmentAfter,
  lowerDeclarator,
  lowerQualifiedName,
  lowerSpecifiers,
  lowerTemplate,
  lowerTypeDescriptor,
  lowerTypeSpecifier,
  qualified,
} from './lowerTypes';
import {
  at,
  child,
  childOfType,
  childrenOf,
  DEPTH_LIMIT,
  type Lowering,
  namedChildren,
  qualify,
  wordsOf,
} from './lowering';
import type { RawNode } from './tree';
import { castOperator, functionOf, lowerFunction } from './lowerFunctions';

/** A struct, class or union with a body. */
export function lowerStruct(outer: Lowering, node: RawNode): StructDecl {
  const nameNode = child(node, 'name');
  const { name, args: specialisedFor } = nameNode ? lowerQualifiedName(outer, nameNode) : { name: '', args: undefined };
  const qualifiedName = qualify(outer.scopes, name);
  const lowering: Lowering = {
    ...outer,
    scopes: name ? [...outer.scopes, name] : outer.scopes,
    className: qualifiedName,
    classTemplateParams: outer.templateParams.length,
    depth: outer.depth + 1,
    variables: new Set(outer.variables),
    inFunction: false,
  };
  const specifiers = lowerSpecifiers(outer, node);
  const align = alignmentAfter(outer, node) ?? specifiers.align;
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
  const functions = outer.out.functions.splice(functionsBefore);
  const names = new Set(functions.flatMap((each) => (each.className === qualifiedName ? each.name : [])));
  outer.out.functions.push(
    ...functions.map((each) => (each.className === qualifiedName ? withMembers(each, fields, names) : each)),
  );
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
    ...(specifiers.words.has('packed') && { packed: true }),
    methods,
    structs,
    aliases,
    enums: outer.out.enums.splice(enumsBefore),
  };
}

/** A type without expressions: their places would not be the method's. */
function isPlainType(type: TypeSyntax): boolean {
  if (type.kind === 'pointer' || type.kind === 'reference') return isPlainType(type.to);
  return type.kind === 'named' && [...(type.args ?? []), ...(type.scopeArgs ?? [])].every(isPlainArgument);
}
const isPlainArgument = (arg: TemplateArg): boolean => 'type' in arg && isPlainType(arg.type);

function withMembers(fn: FunctionDecl, fields: readonly FieldDecl[], methods: ReadonlySet<string>): FunctionDecl {
  const own = fields.filter((field) => !field.static);
  if (!fn.device || !fn.body || !own.every(({ name, type }) => name && isPlainType(type))) return fn;
  const { start } = fn;
  return {
    ...fn,
    members: { fields: own.map(({ name, type }) => ({ start, end: start, name, nameStart: start, type })), methods },
  };
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
          index < node.children.length && node.children[index]!.field !== 'declarator';
          index++
        ) {
          const each = node.children[index]!;
          if (each.field === 'default_value') value = each;
          else if (each.type === 'bitfield_clause') {
            const width = namedChildren(each)[0];
            const lowered = width && lowerExpression(lowering, width);
            if (lowered?.kind === 'number') bits = lowered.value;
          }
        }
        const align = alignmentAfter(lowering, declaratorNode) ?? specifiers.align;
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
        const { vars, functions } = lowering.lower.variables(lowering, node, specifiers);
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
      const { inner, declared } = lowerTemplate(lowering, node);
      for (const each of declared) lowerMember(inner, each, fields, structs, aliases);
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
  // An alias in a function is not a template: the parameters that it names are the function's.
  const isTemplate = !lowering.inFunction && lowering.templateParams.length > 0;
  const templateParams = isTemplate ? { templateParams: lowering.templateParams } : {};
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
