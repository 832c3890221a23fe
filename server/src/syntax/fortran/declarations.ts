// Fortran's specification statements as variables and types of a scope.
import type { Place, Value, Variable } from '../procedures';
import type { RawNode } from '../tree';
import { child, field, operands, type Reading, readValue, textOf } from './expressions';
import {
  type Component,
  componentOf,
  constantOf,
  derivedOf,
  type FortranModule,
  type FortranType,
  integerType,
  intrinsicModules,
  realType,
  type Scope,
  typed,
  typeOf,
  variableOf,
} from './scope';
import { derivedTypeOf, typeNamed } from './types';
import { type Attributes, attributesOf, declaratorsOf, nameOf, place, placeOfName, shapeOf } from './types';

/** Where modules and included files come from. */
export interface DeclarationSources {
  readonly module: (name: string) => FortranModule | undefined;
  /** Declares what an included file declares, in the scope that includes it. */
  readonly include: (path: string, scope: Scope, role: Variable['role']) => void;
}

/** Statements that declare, as the grammar names them. */
const specifications: ReadonlySet<string> = new Set(
  (
    'variable_declaration variable_modification parameter_statement derived_type_definition common_statement ' +
    'implicit_statement use_statement include_statement import_statement save_statement interface ' +
    'external_statement data_statement namelist_statement equivalence_statement private_statement ' +
    'public_statement enumeration_type_definition enum statement_label format_statement entry_statement ' +
    'contains_statement comment language_binding attributed_statement procedure_declaration'
  ).split(' '),
);

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
    ...(type ? { ...typed(type), elementBytes: type.bytes } : {}),
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
  const component = owner && componentOf(scope, derivedOf(owner), value.field);
  return (
    component && {
      ...typed(component.type),
      ...(component.dimensions ? { dimensions: component.dimensions } : {}),
    }
  );
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
 * Components of variables of derived type as their own variables, by their path: `a%coefs`. Two levels deep, not
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
        ...typed(component.type),
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
  const found = depth > 8 ? undefined : typeOf(scope, type);
  if (!found) return;
  yield* found.components;
  if (found.extends !== undefined) yield* allComponents(scope, found.extends, depth + 1);
}
