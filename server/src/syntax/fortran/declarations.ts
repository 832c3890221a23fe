// Fortran's specification statements as variables and types of a scope.
import type { Dimension, Place, Value, Variable } from '../procedures';
import type { RawNode } from '../tree';
import { child, field, operands, textOf, readValue, type Reading } from './expressions';
import {
  componentOf,
  constantOf,
  derivedOf,
  integerType,
  intrinsicModules,
  realType,
  variableOf,
  type Component,
  type DerivedType,
  type FortranModule,
  type FortranType,
  type Scope,
} from './scope';

/** Where modules and included files come from. */
export interface DeclarationSources {
  readonly module: (name: string) => FortranModule | undefined;
  /** Declares what an included file declares, in the scope that includes it. */
  readonly include: (path: string, scope: Scope, role: Variable['role']) => void;
}

interface Attributes {
  readonly dimensions?: readonly Dimension[];
  readonly pointer?: boolean;
  readonly allocatable?: boolean;
  readonly constant?: boolean;
  readonly intent?: Variable['intent'];
}

/** Statements that declare, as the grammar names them. */
const specifications: ReadonlySet<string> = new Set([
  'variable_declaration',
  'variable_modification',
  'parameter_statement',
  'derived_type_definition',
  'common_statement',
  'implicit_statement',
  'use_statement',
  'include_statement',
  'import_statement',
  'save_statement',
  'interface',
  'external_statement',
  'data_statement',
  'namelist_statement',
  'equivalence_statement',
  'private_statement',
  'public_statement',
  'enumeration_type_definition',
  'enum',
  'statement_label',
  'format_statement',
  'entry_statement',
  'contains_statement',
  'comment',
  'language_binding',
  'attributed_statement',
  'procedure_declaration',
]);

export function isSpecification(node: RawNode): boolean {
  return specifications.has(node.type);
}

/** Declares what one specification statement declares. */
export function declare(node: RawNode, reading: Reading, role: Variable['role'], sources: DeclarationSources): void {
  const { scope } = reading;
  switch (node.type) {
    case 'variable_declaration':
      declareVariables(node, reading, role);
      return;
    case 'variable_modification':
      modifyVariables(node, reading, role);
      return;
    case 'parameter_statement':
      for (const each of node.children) {
        if (each.type !== 'parameter_assignment') continue;
        const [name, value] = operands(each);
        if (name && value)
          merge(nameOf(name, reading), place(name), reading, role, {
            constant: true,
            value: readValue(value, reading),
          });
      }
      return;
    case 'derived_type_definition': {
      const type = derivedTypeOf(node, reading);
      if (type) scope.types.set(type.name, type);
      return;
    }
    case 'common_statement':
      for (const group of node.children)
        if (group.type === 'variable_group')
          for (const each of declaratorsOf(group))
            if (each.type !== 'name')
              merge(nameOf(each, reading), placeOfName(each), reading, 'global', shapeOf(each, reading));
      return;
    case 'implicit_statement':
      implicit(node, reading);
      return;
    case 'use_statement':
      use(node, reading, sources);
      return;
    case 'include_statement': {
      const path = child(node, 'filename');
      if (path) sources.include(textOf(path, reading).replace(/^['"]|['"]$/g, ''), scope, role);
      return;
    }
    case 'interface':
      for (const each of node.children) {
        const statement = each.children.find(
          (inner) => inner.type === 'subroutine_statement' || inner.type === 'function_statement',
        );
        const name = statement && field(statement, 'name');
        if (name) scope.procedures.add(textOf(name, reading).toLowerCase());
        if (each.type === 'interface_statement') {
          const generic = child(each, 'name');
          if (generic) scope.procedures.add(textOf(generic, reading).toLowerCase());
        }
      }
      return;
    default:
      return;
  }
}

function declareVariables(node: RawNode, reading: Reading, role: Variable['role']): void {
  const typeNode = field(node, 'type');
  if (!typeNode) return;
  const type = typeNamed(typeNode, reading);
  const attributes = attributesOf(node, reading);
  for (const declarator of declaratorsOf(node)) {
    const shape = shapeOf(declarator, reading);
    const name = nameOf(declarator, reading);
    if (
      typeNode.type === 'procedure' ||
      node.children.some((each) => each.type === 'type_qualifier' && child(each, 'external') !== undefined)
    ) {
      reading.scope.procedures.add(name);
      continue;
    }
    const { characterBytes, ...known } = shape;
    merge(name, placeOfName(declarator), reading, role, {
      ...attributes,
      ...known,
      ofType: characterBytes === undefined ? type : { ...type, bytes: characterBytes },
    });
  }
}

/** `dimension a(10)`, `pointer p`, `intent(in) x`, `external f`. */
function modifyVariables(node: RawNode, reading: Reading, role: Variable['role']): void {
  const attributes = attributesOf(node, reading);
  const external = node.children.some(
    (each) =>
      each.type === 'type_qualifier' &&
      (child(each, 'external') !== undefined || child(each, 'intrinsic') !== undefined),
  );
  for (const declarator of declaratorsOf(node)) {
    const name = nameOf(declarator, reading);
    if (external) {
      reading.scope.procedures.add(name);
      continue;
    }
    const { characterBytes: _, ...shape } = shapeOf(declarator, reading);
    merge(name, placeOfName(declarator), reading, role, { ...attributes, ...shape });
  }
}

type Known = Attributes & { readonly value?: Value; readonly ofType?: FortranType };

/** Adds what is said of a variable to what was said before: Fortran spreads it over several statements. */
function merge(name: string, at: Place, reading: Reading, role: Variable['role'], known: Known): void {
  const { scope } = reading;
  const before = scope.variables.get(name);
  const { ofType, ...rest } = known;
  const type =
    ofType ?? (before ? undefined : (scope.implicit?.get(name[0] ?? '') ?? { name: 'unknown', floating: false }));
  const made: Variable = {
    ...(before ?? { name, at, uri: scope.uri, role, type: '', floating: false }),
    ...(before && before.role === 'local' && role === 'global' ? { role } : {}),
    ...(type
      ? {
          type: type.derived === undefined ? type.name : `struct ${type.derived}`,
          floating: type.floating,
          elementBytes: type.bytes,
        }
      : {}),
    ...rest,
  };
  scope.variables.set(name, made);
  // A function's own name may be declared as a variable; then it stays a function.
}

/** A parameter of a procedure, before its declaration is read: its type is implicit until then. */
export function declareParameter(
  name: string,
  at: Place,
  reading: Reading,
  role: Variable['role'] = 'parameter',
  type?: FortranType,
): void {
  merge(name, at, reading, role, type ? { ofType: type } : {});
}

/** The name of an `associate`: of the type and shape of what it stands for. */
export function declareAssociate(name: string, at: Place, value: Value, reading: Reading): void {
  const whole = value.kind === 'element' ? value.base : value;
  const known = shapeBehind(whole, reading.scope);
  const sections = value.kind === 'element' ? value.subscripts.filter((subscript) => subscript.kind === 'section') : [];
  const dimensions =
    value.kind === 'element' ? (sections.length > 0 ? sections.map(() => ({})) : undefined) : known?.dimensions;
  reading.scope.variables.set(name, {
    name,
    at: { start: at.start, end: at.end },
    uri: reading.scope.uri,
    role: 'local',
    type: known?.type ?? 'unknown',
    floating: known?.floating ?? false,
    ...(known?.elementBytes === undefined ? {} : { elementBytes: known.elementBytes }),
    ...(dimensions ? { dimensions, pointer: true } : {}),
  });
}

function shapeBehind(
  value: Value,
  scope: Scope,
): Pick<Variable, 'type' | 'floating' | 'elementBytes' | 'dimensions'> | undefined {
  if (value.kind === 'name') return variableOf(scope, value.name);
  if (value.kind !== 'member') return undefined;
  const owner = shapeBehind(value.object.kind === 'element' ? value.object.base : value.object, scope);
  const component = owner?.type.startsWith('struct ')
    ? componentOf(scope, owner.type.slice(7), value.field)
    : undefined;
  return (
    component && {
      type: component.type.derived === undefined ? component.type.name : `struct ${component.type.derived}`,
      floating: component.type.floating,
      ...(component.type.bytes === undefined ? {} : { elementBytes: component.type.bytes }),
      ...(component.dimensions ? { dimensions: component.dimensions } : {}),
    }
  );
}

function declaratorsOf(node: RawNode): RawNode[] {
  const marked = node.children.filter((each) => each.field === 'declarator' && each.named);
  return marked.length > 0
    ? marked
    : node.children.filter((each) => each.type === 'identifier' || each.type === 'sized_declarator');
}

function nameNode(declarator: RawNode): RawNode {
  let node = declarator;
  for (let depth = 0; depth < 6 && node.type !== 'identifier'; depth++) {
    const inner = field(node, 'left') ?? child(node, 'identifier') ?? child(node, 'sized_declarator');
    if (!inner) break;
    node = inner;
  }
  return node;
}
function nameOf(declarator: RawNode, reading: Reading): string {
  return textOf(nameNode(declarator), reading).toLowerCase();
}
function placeOfName(declarator: RawNode): Place {
  return place(nameNode(declarator));
}
function place({ start, end }: RawNode): Place {
  return { start, end };
}

function shapeOf(
  declarator: RawNode,
  reading: Reading,
): { readonly dimensions?: readonly Dimension[]; readonly value?: Value; readonly characterBytes?: number } {
  const sized = declarator.type === 'sized_declarator' ? declarator : child(declarator, 'sized_declarator');
  const size = sized && child(sized, 'size');
  const length = sized && child(sized, 'character_length');
  const right =
    declarator.type === 'init_declarator' || declarator.type === 'pointer_init_declarator'
      ? field(declarator, 'right')
      : undefined;
  const bytes = length && operands(length)[0];
  return {
    ...(size ? { dimensions: dimensionsOf(size, reading) } : {}),
    ...(right ? { value: readValue(right, reading) } : {}),
    ...(bytes ? { characterBytes: constantOf(readValue(bytes, reading), reading.scope) } : {}),
  };
}

/** `(n, 0:m, *)`: neither bound for `:` and `*`. */
export function dimensionsOf(list: RawNode, reading: Reading): Dimension[] {
  return list.children
    .filter((each) => each.named)
    .map((each): Dimension => {
      if (each.type === 'extent_specifier') {
        const section = readValue(each, reading);
        return section.kind === 'section'
          ? { ...(section.lower ? { lower: section.lower } : {}), ...(section.upper ? { upper: section.upper } : {}) }
          : {};
      }
      if (each.type === 'assumed_size' || each.type === 'assumed_rank') return {};
      return { upper: readValue(each, reading) };
    });
}

function attributesOf(node: RawNode, reading: Reading): Attributes {
  let attributes: Attributes = {};
  for (const each of node.children) {
    if (each.type !== 'type_qualifier') continue;
    const words = textOf(each, reading).toLowerCase();
    const list = child(each, 'argument_list');
    if (words.startsWith('dimension') && list) attributes = { ...attributes, dimensions: dimensionsOf(list, reading) };
    else if (/^pointer\b/.test(words)) attributes = { ...attributes, pointer: true };
    else if (/^allocatable\b/.test(words)) attributes = { ...attributes, allocatable: true };
    else if (/^parameter\b/.test(words)) attributes = { ...attributes, constant: true };
    else if (/^intent\b/.test(words))
      attributes = { ...attributes, intent: /inout|in\s+out/.test(words) ? 'inout' : /out/.test(words) ? 'out' : 'in' };
  }
  return attributes;
}

/** The C type of the same size; a kind that is not in sight leaves the bytes open. */
export function typeNamed(node: RawNode, reading: Reading): FortranType {
  if (node.type === 'derived_type') {
    const name = child(node, 'type_name');
    const derived = name ? textOf(name, reading).toLowerCase() : '';
    return { name: `struct ${derived}`, floating: false, derived };
  }
  const words = textOf(node, reading).toLowerCase().replace(/\s+/g, ' ');
  const kindNode = field(node, 'kind') ?? child(node, 'kind');
  const kind = kindNode ? constantOf(kindValue(kindNode, reading), reading.scope) : undefined;
  const starred = kindNode !== undefined && textOf(kindNode, reading).trim().startsWith('*');
  if (words.startsWith('double precision') || words.startsWith('doubleprecision')) return real(8);
  if (words.startsWith('double complex') || words.startsWith('doublecomplex')) return complex(8);
  if (words.startsWith('character'))
    return { name: 'char', bytes: kindNode ? kind : 1, floating: false, character: true };
  const bytes = kindNode ? kind : 4;
  if (words.startsWith('real')) return real(bytes);
  if (words.startsWith('complex')) return complex(starred && bytes !== undefined ? bytes / 2 : bytes);
  if (words.startsWith('integer'))
    return bytes === undefined
      ? { name: 'integer', floating: false }
      : {
          name:
            new Map([
              [1, 'signed char'],
              [2, 'short'],
              [4, 'int'],
              [8, 'long'],
            ]).get(bytes) ?? 'integer',
          bytes,
          floating: false,
        };
  if (words.startsWith('logical'))
    return {
      name: bytes === 4 ? 'int' : bytes === 8 ? 'long' : bytes === 1 ? '_Bool' : 'logical',
      ...(bytes === undefined ? {} : { bytes }),
      floating: false,
    };
  return { name: words.split(/[ (*]/)[0] ?? 'unknown', floating: false };
}

function real(bytes: number | undefined): FortranType {
  return bytes === undefined
    ? { name: 'real', floating: true }
    : {
        name: bytes === 4 ? 'float' : bytes === 8 ? 'double' : bytes === 2 ? 'half' : 'long double',
        bytes,
        floating: true,
      };
}
function complex(bytes: number | undefined): FortranType {
  return bytes === undefined
    ? { name: 'complex', floating: true }
    : { name: `${bytes === 4 ? 'float' : 'double'} _Complex`, bytes: 2 * bytes, floating: true };
}

function kindValue(node: RawNode, reading: Reading): Value | undefined {
  const inner = operands(node);
  const named = inner.find((each) => each.type === 'keyword_argument');
  return named ? readValue(named, reading) : inner[0] && readValue(inner[0], reading);
}

function derivedTypeOf(node: RawNode, reading: Reading): DerivedType | undefined {
  const statement = child(node, 'derived_type_statement');
  const name = statement && child(statement, 'type_name');
  if (!statement || !name) return undefined;
  const base = /\bextends\s*\(\s*(\w+)\s*\)/i.exec(textOf(statement, reading))?.[1]?.toLowerCase();
  const components: Component[] = [];
  for (const each of node.children) {
    if (each.type !== 'variable_declaration') continue;
    const typeNode = field(each, 'type');
    if (!typeNode || typeNode.type === 'procedure') continue;
    const type = typeNamed(typeNode, reading);
    const { dimensions, pointer, allocatable } = attributesOf(each, reading);
    for (const declarator of declaratorsOf(each)) {
      const own = shapeOf(declarator, reading).dimensions ?? dimensions;
      components.push({
        name: nameOf(declarator, reading),
        at: placeOfName(declarator),
        uri: reading.scope.uri,
        type,
        ...(own ? { dimensions: own } : {}),
        ...(pointer ? { pointer } : {}),
        ...(allocatable ? { allocatable } : {}),
      });
    }
  }
  return { name: textOf(name, reading).toLowerCase(), components, ...(base ? { extends: base } : {}) };
}

function implicit(node: RawNode, reading: Reading): void {
  const { scope } = reading;
  if (child(node, 'none')) {
    scope.implicit = undefined;
    return;
  }
  const rules = new Map(scope.implicit ?? []);
  let type: FortranType = realType;
  for (const each of node.children) {
    if (each.type === 'intrinsic_type' || each.type === 'derived_type') type = typeNamed(each, reading);
    else if (each.type === 'implicit_range') {
      const [from, to] = textOf(each, reading)
        .toLowerCase()
        .split('-')
        .map((letter) => letter.trim());
      if (!from) continue;
      for (let code = from.charCodeAt(0); code <= (to ?? from).charCodeAt(0) && code < 123; code++)
        rules.set(String.fromCharCode(code), type);
    }
  }
  scope.implicit = rules;
}

function use(node: RawNode, reading: Reading, sources: DeclarationSources): void {
  const { scope } = reading;
  const nameNode = child(node, 'module_name');
  if (!nameNode) return;
  const name = textOf(nameNode, reading).toLowerCase();
  const only = child(node, 'included_items');
  const renames: { readonly local: string; readonly used: string }[] = [];
  const chosen = new Set<string>();
  const walk = (items: RawNode): void => {
    for (const each of items.children) {
      if (each.type === 'use_alias') {
        const parts = each.children.filter((part) => part.named);
        const [local, used] = [parts[0], parts.at(-1)];
        if (local && used) {
          renames.push({ local: textOf(local, reading).toLowerCase(), used: textOf(used, reading).toLowerCase() });
        }
      } else if (each.type === 'identifier' || each.type === 'name') chosen.add(textOf(each, reading).toLowerCase());
    }
  };
  if (only) walk(only);
  else walk(node);
  const module = sources.module(name);
  if (!module) {
    // Kinds of the intrinsic modules are known by name, whatever they are called here.
    for (const { local, used } of renames) {
      const kind = constantOf({ kind: 'name', start: 0, end: 0, name: used }, scope);
      if (kind !== undefined)
        scope.variables.set(local, {
          name: local,
          at: place(nameNode),
          uri: scope.uri,
          role: 'global',
          type: integerType.name,
          elementBytes: 4,
          floating: false,
          constant: true,
          value: { kind: 'number', ...place(nameNode), value: kind, integer: true },
        });
    }
    if (!intrinsicModules.has(name) && !only) scope.open = true;
    return;
  }
  const seen = (used: string): boolean => only === undefined || chosen.has(used);
  const take = (used: string, local: string): void => {
    const variable = module.variables.get(used);
    if (variable && !scope.variables.has(local))
      scope.variables.set(local, local === used ? variable : { ...variable, name: local });
    // Its components can be named even where its type cannot.
    if (variable) takeType(derivedOf(variable), module, scope);
    const type = module.types.get(used);
    if (type && !scope.types.has(local)) scope.types.set(local, type);
    if (module.procedures.has(used)) scope.procedures.add(local);
  };
  for (const { local, used } of renames) take(used, local);
  for (const used of [...module.variables.keys(), ...module.types.keys(), ...module.procedures])
    if (seen(used) && !renames.some((rename) => rename.used === used)) take(used, used);
  if (module.open && !only) scope.open = true;
}

function takeType(name: string | undefined, module: FortranModule, scope: Scope): void {
  const type = name === undefined ? undefined : module.types.get(name);
  if (name === undefined || !type || scope.types.has(name)) return;
  scope.types.set(name, type);
  takeType(type.extends, module, scope);
  for (const component of type.components) takeType(component.type.derived, module, scope);
}

/**
 * Components of variables of derived type as variables of their own, by their path: `a%coefs`. Two levels deep, not
 * through arrays. `known` keeps those of variables that many procedures see.
 */
export function memberVariables(
  variables: Iterable<Variable>,
  scope: Scope,
  known: Map<Variable, readonly Variable[]>,
): Variable[] {
  const all: Variable[] = [];
  let found: Variable[] = [];
  const follow = (owner: Variable, prefix: string, derived: string, depth: number): void => {
    for (const component of allComponents(scope, derived)) {
      const path = `${prefix}%${component.name}`;
      const member: Variable = {
        name: path,
        at: component.at,
        uri: component.uri,
        role: owner.role,
        type: component.type.derived === undefined ? component.type.name : `struct ${component.type.derived}`,
        floating: component.type.floating,
        ...(component.type.bytes === undefined ? {} : { elementBytes: component.type.bytes }),
        ...(component.dimensions ? { dimensions: component.dimensions } : {}),
        ...(component.pointer ? { pointer: true } : {}),
        ...(component.allocatable ? { allocatable: true } : {}),
        ...(owner.intent ? { intent: owner.intent } : {}),
      };
      found.push(member);
      if (component.type.derived !== undefined && !component.dimensions && depth < 2 && found.length < mostMembers)
        follow(owner, path, component.type.derived, depth + 1);
    }
  };
  for (const variable of variables) {
    const derived = derivedOf(variable);
    if (derived === undefined || variable.dimensions || all.length > mostMembers) continue;
    let members = known.get(variable);
    if (!members) {
      found = [];
      follow(variable, variable.name, derived, 1);
      members = found;
      known.set(variable, members);
    }
    all.push(...members);
  }
  return all;
}

const mostMembers = 2000;

function* allComponents(scope: Scope, type: string, depth = 0): Generator<Component> {
  if (depth > 8) return;
  for (let each: Scope | undefined = scope; each; each = each.host) {
    const found = each.types.get(type);
    if (!found) continue;
    yield* found.components;
    if (found.extends !== undefined) yield* allComponents(scope, found.extends, depth + 1);
    return;
  }
}
