// Lowers type specifiers and declarators to types as written.
import type { Expr, ParamDecl, TemplateArg, TemplateParam, TypeSyntax } from './ast';
import { at, child, childOfType, DEPTH_LIMIT, type Lowering, namedChildren, position, wordsOf } from './lowering';
import type { RawNode } from './tree';
import type { Specifiers } from './lowering';

const UNKNOWN_TYPE: TypeSyntax = { kind: 'named', name: '' };

/** Reads the specifiers among a node's children: qualifiers, storage, execution spaces, alignment, and the type. */
export function lowerSpecifiers(lowering: Lowering, node: RawNode): Specifiers {
  const words = new Set<string>();
  let align: Expr | undefined;
  let launchBounds: Expr[] | undefined;
  let typeNode: RawNode | undefined;
  for (const each of node.children) {
    switch (each.type) {
      case 'type_qualifier': {
        const alignment = childOfType(each, 'alignas_qualifier');
        if (alignment) align = lowerAlignment(lowering, alignment) ?? align;
        else words.add(wordsOf(lowering, each));
        break;
      }
      case 'alignas_qualifier':
        align = lowerAlignment(lowering, each) ?? align;
        break;
      case 'storage_class_specifier':
      case 'virtual_specifier':
      case 'explicit_function_specifier':
        words.add(wordsOf(lowering, each));
        break;
      case 'attribute_specifier': {
        for (const call of attributeWords(lowering, each)) {
          if (call.name === 'aligned' && call.argument) align = lowering.lower.expression(lowering, call.argument);
          else words.add(call.name);
        }
        break;
      }
      case 'launch_bounds':
        launchBounds = namedChildren(each).map((bound) => lowering.lower.expression(lowering, bound));
        break;
      default:
        if (each.field === 'type') typeNode ??= each;
        else if (!each.named && each.field === undefined) words.add(each.type);
    }
  }
  let type = typeNode ? lowerTypeSpecifier(lowering, typeNode) : UNKNOWN_TYPE;
  type = qualified(type, words.has('const'), words.has('volatile'));
  return { type, typeNode, words, ...(align && { align }), ...(launchBounds && { launchBounds }) };
}

export function lowerAlignment(lowering: Lowering, node: RawNode): Expr | undefined {
  const value = namedChildren(node)[0];
  if (!value) return undefined;
  if (value.type === 'type_descriptor') {
    const type = lowerTypeDescriptor(lowering, value);
    if (
      type.kind === 'named' &&
      !type.args &&
      /^\w+$/.test(type.name) &&
      child(value, 'type')?.type === 'type_identifier'
    )
      return { kind: 'name', name: type.name, ...at(lowering, value) };
    return { kind: 'sizeof', type, alignof: true, ...at(lowering, value) };
  }
  return lowering.lower.expression(lowering, value);
}

/** The alignment by an attribute that stood after a node, which the grammar was not shown. */
export function alignmentAfter(lowering: Lowering, node: RawNode): Expr | undefined {
  const { tokens, tokenAt, notes } = lowering.source;
  const last = tokens[tokenAt(Math.max(node.start, node.end - 1))];
  const value = last && notes.alignedAfter.get(last);
  if (!value) return undefined;
  const { start, end, text } = value;
  const span = { start: start - lowering.base, end: end - lowering.base };
  return { kind: 'number', ...span, value: Number(text), type: 'int', text };
}

/** What `template <…>` is before, and how it is lowered. */
export function lowerTemplate(
  lowering: Lowering,
  node: RawNode,
): { readonly inner: Lowering; readonly declared: readonly RawNode[] } {
  const list = child(node, 'parameters');
  const inner: Lowering = {
    ...lowering,
    depth: lowering.depth + 1,
    templateParams: [...lowering.templateParams, ...(list ? lowerTemplateParameters(lowering, list) : [])],
    outerTemplateParams: lowering.templateParams.length,
  };
  return { inner, declared: node.children.filter((each) => each.named && each !== list) };
}

/** The attributes in `__attribute__((a, b(c)))`. */
function attributeWords(lowering: Lowering, node: RawNode): { name: string; argument?: RawNode }[] {
  const list = childOfType(node, 'argument_list');
  if (!list) return [];
  return namedChildren(list).map((each) => {
    if (each.type === 'call_expression') {
      const callee = child(each, 'function');
      const args = child(each, 'arguments');
      const argument = args && namedChildren(args)[0];
      return { name: callee ? wordsOf(lowering, callee).replace(/^__|__$/g, '') : '', ...(argument && { argument }) };
    }
    return { name: wordsOf(lowering, each).replace(/^__|__$/g, '') };
  });
}

export function qualified(type: TypeSyntax, constant: boolean, volatile: boolean): TypeSyntax {
  if (!constant && !volatile) return type;
  switch (type.kind) {
    case 'named':
    case 'pointer':
      return { ...type, ...(constant && { const: true }), ...(volatile && { volatile: true }) };
    case 'auto':
      return constant ? { ...type, const: true } : type;
    default:
      return type;
  }
}

export function lowerTypeSpecifier(lowering: Lowering, node: RawNode): TypeSyntax {
  if (lowering.depth >= DEPTH_LIMIT) return UNKNOWN_TYPE;
  lowering.depth++;
  try {
    return lowerTypeKind(lowering, node);
  } finally {
    lowering.depth--;
  }
}

function lowerTypeKind(lowering: Lowering, node: RawNode): TypeSyntax {
  switch (node.type) {
    case 'primitive_type':
    case 'type_identifier':
    case 'identifier':
    case 'namespace_identifier':
      return { kind: 'named', name: wordsOf(lowering, node) };
    case 'sized_type_specifier':
      return { kind: 'named', name: sizedTypeName(lowering, node) };
    case 'auto':
    case 'placeholder_type_specifier':
      return { kind: 'auto' };
    case 'decltype': {
      const operand = namedChildren(node)[0];
      if (!operand || operand.type === 'auto') return { kind: 'auto' };
      return { kind: 'decltype', expr: lowering.lower.expression(lowering, operand) };
    }
    case 'dependent_type': {
      const inner = namedChildren(node)[0];
      return inner ? lowerTypeSpecifier(lowering, inner) : UNKNOWN_TYPE;
    }
    case 'struct_specifier':
    case 'class_specifier':
    case 'union_specifier':
      if (child(node, 'body')) return { kind: 'struct', decl: lowering.lower.struct(lowering, node) };
      return elaborated(lowering, node);
    case 'enum_specifier': {
      if (child(node, 'body')) {
        const declared = lowering.lower.enumeration(lowering, node);
        return { kind: 'named', name: declared.name || 'int' };
      }
      return elaborated(lowering, node);
    }
    case 'template_type':
    case 'template_function':
    case 'qualified_identifier':
    case 'dependent_name':
    case 'template_method': {
      const { name, args, scopeArgs } = lowerQualifiedName(lowering, node);
      return { kind: 'named', name, ...(args && { args }), ...(scopeArgs && { scopeArgs }) };
    }
    case 'macro_type_specifier': {
      const inner = child(node, 'type');
      return inner ? lowerTypeDescriptor(lowering, inner) : UNKNOWN_TYPE;
    }
    case 'type_descriptor':
      return lowerTypeDescriptor(lowering, node);
    default:
      return { kind: 'named', name: wordsOf(lowering, node) };
  }
}

function elaborated(lowering: Lowering, node: RawNode): TypeSyntax {
  const name = child(node, 'name');
  return name ? lowerTypeSpecifier(lowering, name) : UNKNOWN_TYPE;
}

function sizedTypeName(lowering: Lowering, node: RawNode): string {
  let unsigned = false;
  let signed = false;
  let longs = 0;
  let short = false;
  let core = '';
  for (const each of node.children) {
    const word = wordsOf(lowering, each);
    if (word === 'unsigned') unsigned = true;
    else if (word === 'signed') signed = true;
    else if (word === 'long') longs++;
    else if (word === 'short') short = true;
    else if (each.type !== 'type_qualifier') core = word;
  }
  if (core === 'double') return longs > 0 ? 'long double' : 'double';
  if (core === 'char') return unsigned ? 'unsigned char' : signed ? 'signed char' : 'char';
  if (core !== '' && core !== 'int') return unsigned ? `unsigned ${core}` : core;
  const size = short ? 'short' : longs >= 2 ? 'long long' : longs === 1 ? 'long' : 'int';
  return unsigned ? `unsigned ${size}` : size;
}

/** `a::b<T>::c` as one name, with the template arguments that stand last, and those of `b`. */
export function lowerQualifiedName(
  lowering: Lowering,
  node: RawNode,
): {
  name: string;
  args?: readonly TemplateArg[];
  scopeArgs?: readonly TemplateArg[];
  nameNode: RawNode;
} {
  switch (node.type) {
    case 'qualified_identifier': {
      const scope = child(node, 'scope');
      const last = child(node, 'name');
      const left = scope ? lowerQualifiedName(lowering, scope) : undefined;
      const right = last ? lowerQualifiedName(lowering, last) : { name: '', nameNode: node };
      const args = right.args ?? left?.args;
      const scopeArgs = right.scopeArgs ?? left?.args;
      return {
        name: left && left.name !== '' ? `${left.name}::${right.name}` : right.name,
        ...(args && { args }),
        ...(scopeArgs && { scopeArgs }),
        nameNode: right.nameNode,
      };
    }
    case 'template_type':
    case 'template_function':
    case 'template_method': {
      const nameNode = child(node, 'name') ?? node;
      const list = child(node, 'arguments');
      return { name: wordsOf(lowering, nameNode), args: list ? lowerTemplateArguments(lowering, list) : [], nameNode };
    }
    case 'dependent_name': {
      const inner = namedChildren(node)[0];
      return inner ? lowerQualifiedName(lowering, inner) : { name: wordsOf(lowering, node), nameNode: node };
    }
    case 'operator_name':
      return { name: wordsOf(lowering, node).replace(/\s+/g, ''), nameNode: node };
    case 'pointer_type_declarator':
      return { name: '*', nameNode: node };
    case 'decltype':
      return { name: 'decltype', nameNode: node };
    default:
      return { name: wordsOf(lowering, node), nameNode: node };
  }
}

export function lowerTemplateArguments(lowering: Lowering, list: RawNode): TemplateArg[] {
  const args: TemplateArg[] = [];
  for (const each of namedChildren(list)) {
    if (each.type === 'type_descriptor') {
      const specifier = child(each, 'type');
      // A lone name may be a type or a constant: what is known to be a variable or a template's value parameter is an
      // expression.
      if (
        specifier?.type === 'type_identifier' &&
        !child(each, 'declarator') &&
        lowering.variables.has(wordsOf(lowering, specifier))
      ) {
        args.push({ expr: { kind: 'name', name: wordsOf(lowering, specifier), ...at(lowering, specifier) } });
      } else args.push({ type: lowerTypeDescriptor(lowering, each) });
    } else if (each.type === 'parameter_pack_expansion') {
      const pattern = child(each, 'pattern');
      if (pattern?.type === 'type_descriptor') args.push({ type: lowerTypeDescriptor(lowering, pattern) });
      else if (pattern) args.push({ expr: lowering.lower.expression(lowering, pattern) });
    } else args.push({ expr: lowering.lower.expression(lowering, each) });
  }
  return args;
}

/** A type without a name, as in casts, `sizeof` and template arguments. */
export function lowerTypeDescriptor(lowering: Lowering, node: RawNode): TypeSyntax {
  const specifiers = lowerSpecifiers(lowering, node);
  const declarator = child(node, 'declarator');
  return declarator ? lowerDeclarator(lowering, declarator, specifiers.type).type : specifiers.type;
}

/**
 * A declarator taken apart: the name, the type it gives to that name, and the parameter list when it declares a
 * function.
 */
export interface Declarator {
  readonly type: TypeSyntax;
  readonly nameNode?: RawNode;
  /** Set when the name is declared as a function (not a pointer to one). */
  readonly functionNode?: RawNode;
  readonly bindings?: readonly RawNode[];
  readonly pack?: boolean;
}

export function lowerDeclarator(lowering: Lowering, node: RawNode, type: TypeSyntax): Declarator {
  let current: RawNode | undefined = node;
  let result = type;
  let functionNode: RawNode | undefined;
  let pack = false;
  for (let steps = 0; current && steps < 200; steps++) {
    switch (current.type) {
      case 'pointer_declarator':
      case 'abstract_pointer_declarator':
      case 'pointer_type_declarator': {
        let restrict = false;
        let constant = false;
        let volatile = false;
        for (const each of current.children) {
          if (
            each.type !== 'type_qualifier' &&
            each.type !== 'ms_restrict_modifier' &&
            each.type !== 'ms_pointer_modifier'
          )
            continue;
          const word = wordsOf(lowering, each);
          if (word === 'const') constant = true;
          else if (word === 'volatile') volatile = true;
          else if (word === '__restrict__' || word === 'restrict' || word === '__restrict') restrict = true;
        }
        result = {
          kind: 'pointer',
          to: result,
          ...(restrict && { restrict }),
          ...(constant && { const: true }),
          ...(volatile && { volatile }),
        };
        functionNode = undefined;
        current = child(current, 'declarator');
        break;
      }
      case 'reference_declarator':
      case 'abstract_reference_declarator':
        result = { kind: 'reference', to: result };
        functionNode = undefined;
        current = namedChildren(current).find((each) => each.type !== 'type_qualifier');
        break;
      case 'array_declarator':
      case 'abstract_array_declarator': {
        const size = child(current, 'size');
        result = { kind: 'array', of: result, ...(size?.named && { size: lowering.lower.expression(lowering, size) }) };
        functionNode = undefined;
        current = child(current, 'declarator');
        break;
      }
      case 'function_declarator':
      case 'abstract_function_declarator': {
        functionNode = current;
        const inner: RawNode | undefined = child(current, 'declarator');
        const trailing = childOfType(current, 'trailing_return_type');
        const trailingType = trailing && namedChildren(trailing)[0];
        if (trailingType && result.kind === 'auto') result = lowerTypeDescriptor(lowering, trailingType);
        result = { kind: 'function', returns: result };
        current = inner;
        break;
      }
      case 'parenthesized_declarator':
      case 'abstract_parenthesized_declarator':
      case 'attributed_declarator': {
        current = namedChildren(current).find(
          (each) => each.type !== 'attribute_declaration' && each.type !== 'ms_call_modifier',
        );
        break;
      }
      case 'init_declarator':
        current = child(current, 'declarator');
        break;
      case 'variadic_declarator':
        pack = true;
        current = namedChildren(current)[0];
        break;
      case 'structured_binding_declarator':
        return { type: result, bindings: namedChildren(current) };
      default:
        return { type: result, nameNode: current, ...(functionNode && { functionNode }), ...(pack && { pack }) };
    }
  }
  return { type: result, ...(functionNode && { functionNode }), ...(pack && { pack }) };
}

export function lowerParameters(lowering: Lowering, list: RawNode): ParamDecl[] {
  const params: ParamDecl[] = [];
  for (const each of list.children) {
    if (!/parameter_declaration$/.test(each.type)) {
      continue;
    }
    const specifiers = lowerSpecifiers(lowering, each);
    const declaratorNode = child(each, 'declarator');
    const declarator = declaratorNode ? lowerDeclarator(lowering, declaratorNode, specifiers.type) : undefined;
    let type = declarator?.type ?? specifiers.type;
    if (type.kind === 'named' && type.name === 'void' && !declarator?.nameNode && !type.args) continue;
    if (type.kind === 'function') type = { kind: 'pointer', to: type };
    const nameNode = declarator?.nameNode;
    const name = nameNode ? wordsOf(lowering, nameNode) : '';
    const value = child(each, 'default_value');
    if (name) lowering.variables.add(name);
    params.push({
      ...at(lowering, each),
      name,
      nameStart: nameNode ? position(lowering, nameNode.start) : at(lowering, each).end,
      type,
      ...(value && { init: lowering.lower.expression(lowering, value) }),
      ...((declarator?.pack || each.type === 'variadic_parameter_declaration') && { pack: true }),
    });
  }
  return params;
}

export function lowerTemplateParameters(lowering: Lowering, list: RawNode): TemplateParam[] {
  const params: TemplateParam[] = [];
  for (const each of list.children) {
    switch (each.type) {
      case 'type_parameter_declaration':
      case 'variadic_type_parameter_declaration':
      case 'optional_type_parameter_declaration':
      case 'template_template_parameter_declaration': {
        const isTemplate = each.type === 'template_template_parameter_declaration';
        const inner = isTemplate ? each.children.find((part) => /type_parameter_declaration$/.test(part.type)) : each;
        const nameNode =
          inner &&
          (child(inner, 'name') ??
            inner.children.find((part) => part.type === 'type_identifier' && part.field !== 'default_type'));
        const value = inner && child(inner, 'default_type');
        params.push({
          kind: 'type',
          name: nameNode ? wordsOf(lowering, nameNode) : '',
          ...(value && { default: lowerTypeSpecifier(lowering, value) }),
          ...(each.type === 'variadic_type_parameter_declaration' && { pack: true }),
        });
        break;
      }
      case 'parameter_declaration':
      case 'optional_parameter_declaration':
      case 'variadic_parameter_declaration': {
        const specifiers = lowerSpecifiers(lowering, each);
        const declaratorNode = child(each, 'declarator');
        const declarator = declaratorNode ? lowerDeclarator(lowering, declaratorNode, specifiers.type) : undefined;
        const value = child(each, 'default_value');
        const name = declarator?.nameNode ? wordsOf(lowering, declarator.nameNode) : '';
        if (name) lowering.variables.add(name);
        // `typename T::type = 0` and `typename = enable_if_t<…>` come here as well; without a name they only constrain.
        params.push({
          kind: 'value',
          name,
          type: declarator?.type ?? specifiers.type,
          ...(value && { default: lowering.lower.expression(lowering, value) }),
          ...((declarator?.pack || each.type === 'variadic_parameter_declaration') && { pack: true }),
        });
        break;
      }
    }
  }
  return params;
}
