// Functions and their bodies, member functions and constructors with their initialisers included.
import type { Expr, FunctionDecl, ParamDecl, Stmt, TypeSyntax } from './ast';
import { lowerInitList } from './lowerCalls';
import { lowerExpression } from './lowerExpressions';
import { lowerBlock } from './lowerStatements';
import { type Declarator, lowerDeclarator, lowerParameters, lowerQualifiedName, lowerSpecifiers } from './lowerTypes';
import { at, child, childOfType, type Lowering, namedChildren, position, qualify, type Specifiers } from './lowering';
import type { RawNode } from './tree';

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

export function castOperator(lowering: Lowering, node: RawNode, declaratorNode: RawNode): FunctionDecl | undefined {
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

export function functionOf(
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

/**
 * How many of the template parameters in force are those of a class: in `template <class T> template <int N> void
 * C<T>::f()` the first, in `template <class T> void C<T>::g()` all, in `template <int N> void Plain::f()` none.
 */
function classTemplateParamsOf(outer: Lowering, nameNode: RawNode | undefined): number {
  if (outer.className !== undefined) return outer.classTemplateParams;
  if (nameNode?.type !== 'qualified_identifier') return 0;
  if (!lowerQualifiedName(outer, nameNode).scopeArgs) return 0;
  return outer.outerTemplateParams > 0 ? outer.outerTemplateParams : outer.templateParams.length;
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
  const last = parts[parts.length - 1]!;
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
  const classTemplateParams = classTemplateParamsOf(outer, nameNode);
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
    ...(classTemplateParams > 0 && { classTemplateParams }),
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
        value: init.elements.length === 1 ? init.elements[0]! : init,
        initialises: true,
      },
    });
  }
  return statements;
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
