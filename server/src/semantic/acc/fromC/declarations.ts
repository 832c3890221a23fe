// Variables of C and C++ as the analysis of directives knows them: element types, dimensions, pointers, members by
// their path.
import type { Expr, ParamDecl, TypeSyntax, VarDecl } from '../../../syntax/ast';
import type { Dimension, Place, Value, Variable } from '../../../syntax/procedures';
import {
  lastPart,
  type Program,
  pickByScope,
  scalarNamed,
  sizeOf,
  type Type,
  typeName,
  type TypeTable,
} from '../../language';
import { createExpressions, integerConstant, syntheticNumber, placeOfName } from './expressions';
import type { Declarations } from './scopes';

interface Named {
  readonly type: Type;
  readonly variable: Variable;
}

/** Globals whose values name one another, one within the other. */
const mostUnderway = 100;

/** `base` is what offsets of the declarations count from; `within` is the class whose method they belong to. */
export function createDeclarations(
  program: Program,
  types: TypeTable,
  uri: string,
  base: number,
  className: string | undefined,
): Declarations {
  const found: Variable[] = [];
  const members = new Set<string>();
  /** Globals whose values are being computed: one that names itself, or a chain without end, has none. */
  const underway = new Set<string>();
  const scopes: { readonly place?: Place; readonly names: Map<string, Named> }[] = [{ names: new Map() }];
  const resolve = (type: TypeSyntax): Type => types.resolve(type, undefined, className);
  const self: Declarations = {
    declare,
    within,
    typeOf: (name) => lookup(name)?.type,
    member,
    resolve,
    variables: () => found,
  };
  const expressionsAt = (from: number) => createExpressions(self, types, program, from);

  function declare(decl: VarDecl | ParamDecl, role: Variable['role'], init: Expr | undefined): void {
    if (!decl.name) return;
    const syntax = decl.type.kind === 'auto' ? (autoType(init) ?? decl.type) : decl.type;
    const scope = scopes.at(-1)!.place;
    const variable = variableOf(decl.name, placeOfName(base, decl), uri, role, syntax, base, {
      ...(decl.init ? { value: expressionsAt(base).value(decl.init) } : {}),
      ...('constant' in decl && (decl.constant || decl.constexpr) ? { constant: true } : {}),
      ...(scope && role === 'local' ? { scope: { start: base + decl.nameStart, end: scope.end } } : {}),
    });
    found.push(variable);
    scopes.at(-1)!.names.set(decl.name, { type: resolve(syntax), variable });
  }

  function autoType(init: Expr | undefined): TypeSyntax | undefined {
    if (init?.kind === 'cast') return init.type;
    if (init?.kind === 'new') return { kind: 'pointer', to: init.type };
    if (init?.kind === 'number') return { kind: 'named', name: init.type };
    return undefined;
  }

  /** Dimensions are read off the type as written, because extents may be expressions. */
  function variableOf(
    name: string,
    at: Place,
    fileUri: string,
    role: Variable['role'],
    syntax: TypeSyntax,
    from: number,
    more: Partial<Variable>,
  ): Variable {
    const dimensions: Dimension[] = [];
    let element = syntax;
    let origin = from;
    let pointer = false;
    let restrict = false;
    let constant = false;
    for (let depth = 0; depth < 24; depth++) {
      if (element.kind === 'reference') element = element.to;
      else if (element.kind === 'pointer') {
        if (!dimensions.length) {
          pointer = true;
          restrict = !!element.restrict;
        }
        dimensions.push({});
        element = element.to;
      } else if (element.kind === 'array') {
        // An array parameter is a pointer: its first extent is what the caller promised.
        if (!dimensions.length && role === 'parameter' && syntax.kind !== 'reference') pointer = true;
        dimensions.push(element.size ? { extent: expressionsAt(origin).value(element.size) } : {});
        element = element.of;
      } else if (element.kind === 'named') {
        constant ||= !!element.const;
        const alias =
          element.args || scalarNamed(element.name)
            ? undefined
            : pickByScope(program.aliases(lastPart(element.name)), element.name, className);
        if (!alias || alias.templateParams?.length) break;
        element = alias.type;
        origin = 0;
      } else break;
    }
    const type = resolve(element);
    return {
      name,
      at,
      uri: fileUri,
      role,
      ...shapeOf(type, dimensions, { pointer, restrict, constant }),
      ...(type.kind === 'unknown' && element.kind === 'named' ? { type: element.name } : {}),
      ...(syntax.kind === 'reference' ? { reference: true } : {}),
      ...more,
    };
  }

  function shapeOf(
    type: Type,
    dimensions: readonly Dimension[],
    marks: { readonly [K in 'pointer' | 'restrict' | 'constant']: boolean },
  ): Pick<Variable, 'type' | 'floating' | 'elementBytes' | 'dimensions' | keyof typeof marks> {
    const size = sizeOf(type);
    return {
      type: typeName(type),
      ...(size === undefined || type.kind === 'unknown' ? {} : { elementBytes: size }),
      floating: type.kind === 'scalar' && type.float,
      ...(dimensions.length ? { dimensions } : {}),
      ...Object.fromEntries(Object.entries(marks).filter(([, isSet]) => isSet)),
    };
  }

  function within<T>(place: Place, inside: () => T): T {
    scopes.push({ place, names: new Map() });
    try {
      return inside();
    } finally {
      scopes.pop();
    }
  }

  function lookup(name: string): Named | undefined {
    for (let at = scopes.length - 1; at >= 0; at--) {
      const known = scopes[at]!.names.get(name);
      if (known) return known;
    }
    return outside(name);
  }

  /** Members of the method's class, globals of any file, and enumerators, each listed once it is used. */
  function outside(name: string): Named | undefined {
    const remember = (named: Named): Named => {
      found.push(named.variable);
      scopes[0]!.names.set(name, named);
      return named;
    };
    const owner = className ? pickByScope(program.structs(lastPart(className)), className) : undefined;
    const field = owner?.fields.find((one) => one.name === name);
    if (field)
      return remember({
        type: resolve(field.type),
        variable: variableOf(name, { start: 0, end: 0, macro: true }, uri, 'global', field.type, 0, {}),
      });
    const global = program.globals(name)[0];
    if (global) {
      const file = program.uriOf(global) ?? uri;
      const value = global.init && valueOutside(name, global.init);
      const at = { start: global.nameStart, end: global.nameStart + global.name.length };
      return remember({
        type: resolve(global.type),
        variable: variableOf(name, at, file, 'global', global.type, 0, {
          ...(value ? { value } : {}),
          ...(global.constant || global.constexpr ? { constant: true } : {}),
        }),
      });
    }
    const enumerator = program.enumerator(name);
    if (enumerator) {
      const start = enumerator.value ? types.constant(enumerator.value) : 0;
      const value = start === undefined ? undefined : syntheticNumber(start + enumerator.offset);
      const nowhere = { start: 0, end: 0, macro: true };
      return remember({ type: scalarNamed('int')!, variable: integerConstant(name, nowhere, uri, value) });
    }
    return undefined;
  }

  function valueOutside(name: string, init: Expr): Value | undefined {
    if (underway.has(name) || underway.size >= mostUnderway) return undefined;
    underway.add(name);
    try {
      return expressionsAt(0).value(init);
    } finally {
      underway.delete(name);
    }
  }

  function member(path: string, root: string, type: Type): void {
    const owner = lookup(root)?.variable;
    if (!owner) return;
    const key = `${path}@${owner.at.start}`;
    if (members.has(key)) return;
    members.add(key);
    const dimensions: Dimension[] = [];
    let element = type.kind === 'reference' ? type.to : type;
    const restrict = element.kind === 'pointer' && !!element.restrict;
    const pointer = element.kind === 'pointer';
    let constant = false;
    while (element.kind === 'pointer' || element.kind === 'array') {
      if (element.kind === 'array') {
        dimensions.push(element.length === undefined ? {} : { extent: syntheticNumber(element.length) });
        element = element.of;
      } else {
        constant = !!element.const;
        dimensions.push({});
        element = element.to;
      }
    }
    found.push({
      name: path,
      at: owner.at,
      uri: owner.uri,
      role: owner.role,
      ...shapeOf(element, dimensions, { pointer, restrict, constant }),
      ...(owner.scope ? { scope: owner.scope } : {}),
    });
  }

  return self;
}
