// The type table of a unit: what a type as written is, through aliases, templates and the known structures.
import { step } from '../steps';
import type { FieldDecl, StructDecl, TemplateArg, TemplateParam, TypeSyntax } from '../../syntax/ast';
import { constantOf, staticConstant } from './constants';
import { isDefinition, lastPart, type Program } from './program';
import { createIdentities } from './identities';
import { chooseSpecialisation, type Argument } from './specialisations';
import {
  alignOf,
  type Bindings,
  boundType,
  intType,
  noBindings,
  opaqueSizes,
  scalars,
  isSizeKnown,
  sizeOf,
  type StructType,
  type Type,
  type TypeTable,
  typeName,
  vectors,
} from './types';

type NamedType = Extract<TypeSyntax, { readonly kind: 'named' }>;

const maximumDepth = 24;
/** Types looked at for the sake of one: traits of traits that name each other double with every level. */
const mostLookedAt = 20_000;

interface Answered {
  readonly type: Type;
  /** The depth from which on this is the answer. */
  readonly from: number;
}

export function createTypeTable(program: Program): TypeTable {
  const structs = new Map<StructDecl, StructType>(); // only for structs without template bindings
  const identities = createIdentities();
  const answered = new WeakMap<object, Map<string, Answered>>();
  let depth = 0;
  let lookedAt = 0;
  /** How often the depth, and how often the number of types looked at, ended a search. */
  let cutShort = 0;
  let givenUp = 0;

  /**
   * What `find` found before for the same syntax under bindings of the same content. What the depth cut short serves
   * queries of the same depth: they would be truncated again.
   */
  function once<T extends Type>(
    key: object,
    bindings: Bindings | undefined,
    within: string | undefined,
    find: () => T,
  ): T {
    let known = answered.get(key);
    if (!known) answered.set(key, (known = new Map()));
    const asked = `${identities.ofBindings(bindings)} ${within ?? ''}`;
    const before = known.get(asked);
    if (before && depth >= before.from) {
      if (before.from > 0) cutShort++;
      return before.type as T;
    }
    const cuts = cutShort;
    const limits = givenUp;
    const from = depth;
    const type = find();
    if (givenUp === limits) known.set(asked, { type, from: cutShort === cuts ? 0 : from });
    return type;
  }

  function resolveNamed(
    { name, args, scopeArgs }: NamedType,
    bindings: Bindings | undefined,
    within: string | undefined,
  ): Type {
    const bound = boundType(bindings, name);
    if (bound && !args) return bound;
    // A template that was given as an argument.
    if (bound?.kind === 'struct' && bound.decl?.templateParams?.length)
      return ofTemplate(bound.decl, args, bindings, within);
    const inOwner = scopeArgs && memberOf(ownerOf(name, scopeArgs, bindings, within), lastPart(name));
    if (inOwner) return inOwner;
    const builtin = scalars.get(name) ?? vectors.get(name);
    const last = lastPart(name);
    // A member of what a parameter or an alias stands for is no member of anything else, even where it is unknown.
    const owner = name.slice(0, -last.length - 2);
    if (owner && !args && (boundType(bindings, name.slice(0, name.indexOf('::'))) || isAlias(owner, within)))
      return memberOf(resolve({ kind: 'named', name: owner }, bindings, within), last) ?? { kind: 'unknown', name };
    // A program may define its own `float3` or `uint`; a known definition wins over ours, except for the true
    // keywords.
    const means = (decl: { readonly qualifiedName: string }): boolean => program.mayMean(decl, name, within);
    // What belongs to a template that is unknown is not what something else of that name is.
    const declared =
      scopeArgs && !builtin ? [] : program.structs(last).filter((decl) => isDefinition(decl) && means(decl));
    if (builtin && (!declared.length || (builtin.kind === 'scalar' && !name.includes('_t')))) {
      if (builtin.kind === 'scalar' || !declared.length) return builtin;
    }
    const decl = scopeArgs ? undefined : pickByScope(declared, name, within);
    const alias = scopeArgs ? undefined : pickByScope(program.aliases(last).filter(means), name, within);
    const around = alias?.qualifiedName.slice(0, -last.length - 2);
    if (alias && (!decl || within?.includes(around || '\0'))) {
      return resolve(
        alias.type,
        alias.templateParams?.length ? bindFor(alias, alias.templateParams, args, bindings) : bindings,
        around || within,
      );
    }
    if (decl) return ofTemplate(decl, args, bindings, within);
    if (builtin) return builtin;
    const short = last !== name ? (scalars.get(last) ?? vectors.get(last)) : undefined;
    if (short) return short;
    const opaque = opaqueSizes.get(last);
    if (opaque) return { kind: 'struct', name: last, size: opaque, align: 8, fields: new Map() };
    if (program.isEnum(last)) {
      const owner = program.isEnum(last)!;
      return owner.underlying ? resolve(owner.underlying, bindings, within) : intType;
    }
    const argument = args?.[0];
    const element = argument && 'type' in argument ? resolve(argument.type, bindings, within) : undefined;
    if (element && /(^|::)complex$/.test(name)) {
      const size = sizeOf(element) ?? 4;
      return {
        kind: 'struct',
        name: `complex<${typeName(element)}>`,
        size: 2 * size,
        align: 2 * size,
        fields: new Map([
          ['x', { offset: 0, type: element }],
          ['y', { offset: size, type: element }],
        ]),
      };
    }
    if (
      element &&
      /(^|::)(remove_(const|cv|reference|volatile)|type_identity|make_(un)?signed|decay)(_t)?(::type)?$/.test(name)
    )
      return element;
    if (element && /(^|::)array$/.test(name)) {
      const second = args?.[1];
      const length = second && 'expr' in second ? constantOf(second.expr, program, table, bindings) : undefined;
      return {
        kind: 'struct',
        name: 'array',
        size: (sizeOf(element) ?? 4) * (length ?? 1),
        align: alignOf(element),
        ...(length === undefined || !isSizeKnown(element) ? { guessed: true } : {}),
        fields: new Map([
          ['elems', { offset: 0, type: { kind: 'array', of: element, ...(length === undefined ? {} : { length }) } }],
        ]),
      };
    }
    return { kind: 'unknown', name };
  }

  /** Is it another name of a class, declared around `within`? */
  function isAlias(name: string, within: string | undefined): boolean {
    if (program.structs(lastPart(name)).length > 0) return false;
    return program
      .aliases(lastPart(name))
      .some(({ qualifiedName: at }) => at.endsWith(name) && `${within}::`.startsWith(at.slice(0, -name.length)));
  }

  /** The class of a template that `args` choose, `decl` being any of its definitions. */
  function ofTemplate(
    decl: StructDecl,
    args: readonly TemplateArg[] | undefined,
    bindings: Bindings | undefined,
    within: string | undefined,
  ): Type {
    const all = program.structs(decl.name).filter((each) => each.qualifiedName === decl.qualifiedName);
    const special = args ? all.filter((each) => each.specialisedFor) : [];
    const isPrimary = (each: StructDecl): boolean => !each.specialisedFor;
    // Its forward declaration may be where the defaults stand.
    const params = all.find((each) => isPrimary(each) && each.templateParams?.length)?.templateParams;
    const primary = decl.specialisedFor ? (all.findLast(isPrimary) ?? decl) : decl;
    if (special.length > 0) {
      const given = params && bind(params, args, bindings);
      const count = Math.max(params?.length ?? 0, args!.length);
      const actual = Array.from({ length: count }, (_, at): Argument => {
        const param = params?.[at];
        if (given && param && !param.pack)
          return param.kind === 'type' ? given.types.get(param.name) : given.values.get(param.name);
        const arg = args![at];
        if (!arg) return undefined;
        return 'type' in arg ? resolve(arg.type, bindings, within) : constantOf(arg.expr, program, table, bindings);
      });
      const chosen = chooseSpecialisation(special, actual, isMember(decl) ? bindings : undefined, {
        resolve,
        constant: (arg, outer) => ('expr' in arg ? constantOf(arg.expr, program, table, outer) : undefined),
      });
      if (chosen === 'open') return { kind: 'unknown', name: decl.name };
      if (chosen !== 'primary') return struct(chosen.decl, chosen.bindings);
    }
    const own = primary.templateParams;
    return struct(primary, own?.length ? bindFor(primary, own, args, bindings) : bindings);
  }

  /** Does a class hold this declaration, so that the parameters of the class are in its scope? */
  function isMember({ qualifiedName }: { readonly qualifiedName: string }): boolean {
    const at = qualifiedName.lastIndexOf('::');
    if (at < 0) return false;
    const owner = qualifiedName.slice(0, at);
    return program.structs(lastPart(owner)).some((each) => each.qualifiedName === owner);
  }

  /** As `bind`, where only a member of a class sees what its surroundings bind. */
  function bindFor(
    decl: { readonly qualifiedName: string },
    params: readonly TemplateParam[],
    args: readonly TemplateArg[] | undefined,
    outer: Bindings | undefined,
  ): Bindings {
    const bound = bind(params, args, outer);
    return isMember(decl) ? bound : { types: bound.types, values: bound.values };
  }

  /** The class before the last `::` of a name. */
  function ownerOf(
    name: string,
    args: readonly TemplateArg[],
    bindings: Bindings | undefined,
    within: string | undefined,
  ): Type | undefined {
    const at = name.lastIndexOf('::');
    return at < 0 ? undefined : resolve({ kind: 'named', name: name.slice(0, at), args }, bindings, within);
  }

  /** A type that a class names; undefined where the class is unknown, or its bases have no end. */
  function memberOf(owner: Type | undefined, name: string, level = 0): Type | undefined {
    if (owner?.kind !== 'struct' || !owner.decl || level > maximumDepth) return undefined;
    const { decl } = owner;
    const within = decl.qualifiedName || decl.name;
    const alias = decl.aliases.find((each) => lastPart(each.name) === name);
    if (alias) return resolve(alias.type, owner.bindings, within);
    const inner = decl.structs.find((each) => lastPart(each.name) === name);
    if (inner) return struct(inner, owner.bindings);
    for (const base of decl.bases) {
      const found = memberOf(resolve(base, owner.bindings, within), name, level + 1);
      if (found && found.kind !== 'unknown') return found;
    }
    return { kind: 'unknown', name };
  }

  function resolve(syntax: TypeSyntax, bindings?: Bindings, within?: string): Type {
    step();
    if (depth === 0) lookedAt = 0;
    if (depth > maximumDepth) cutShort++;
    else if (++lookedAt > mostLookedAt) givenUp++;
    if (depth > maximumDepth || lookedAt > mostLookedAt) return { kind: 'unknown', name: '…' };
    depth++;
    try {
      switch (syntax.kind) {
        case 'named':
          return once(syntax, bindings, within, () => resolveNamed(syntax, bindings, within));
        case 'pointer':
          return {
            kind: 'pointer',
            to: resolve(syntax.to, bindings, within),
            ...(syntax.restrict ? { restrict: true } : {}),
            ...(isConst(syntax.to) ? { const: true } : {}),
          };
        case 'reference':
          return {
            kind: 'reference',
            to: resolve(syntax.to, bindings, within),
            ...(isConst(syntax.to) ? { const: true } : {}),
          };
        case 'array': {
          const length = syntax.size ? constantOf(syntax.size, program, table, bindings, within) : undefined;
          return {
            kind: 'array',
            of: resolve(syntax.of, bindings, within),
            ...(length === undefined ? {} : { length }),
          };
        }
        case 'function':
          return { kind: 'unknown', name: 'function' };
        case 'auto':
          return { kind: 'unknown', name: 'auto' };
        case 'decltype':
          return { kind: 'unknown', name: 'auto' };
        case 'struct':
          return struct(syntax.decl, bindings);
      }
    } finally {
      depth--;
    }
  }

  function struct(decl: StructDecl, bindings?: Bindings): StructType {
    const plain = !decl.templateParams?.length;
    const known = plain ? structs.get(decl) : undefined;
    if (known) return known;
    const type = once(decl, bindings, undefined, () => layOut(decl, bindings));
    if (plain) structs.set(decl, type);
    return type;
  }

  function layOut(decl: StructDecl, bindings: Bindings | undefined): StructType {
    const fields = new Map<string, { offset: number; type: Type }>();
    let size = 0;
    let align = 1;
    let guessed = false;
    const within = decl.qualifiedName || decl.name;
    if (depth < maximumDepth) {
      depth++;
      for (const base of decl.bases) {
        const resolved = resolve(base, bindings, within);
        if (!isSizeKnown(resolved)) guessed = true;
        if (resolved.kind !== 'struct') continue;
        const offset = Math.ceil(size / resolved.align) * resolved.align;
        resolved.fields.forEach((field, name) => fields.set(name, { offset: offset + field.offset, type: field.type }));
        if (resolved.fields.size) size = offset + resolved.size;
        align = Math.max(align, resolved.align);
      }
      let bitOffset = 0;
      for (const field of decl.fields) {
        if (field.static) continue;
        const type = fieldType(field, bindings, within);
        const fieldAlign = decl.packed
          ? 1
          : Math.max(alignOf(type), (field.align && constantOf(field.align, program, table, bindings, within)) || 1);
        const fieldSize = sizeOf(type) ?? 8;
        if (!isSizeKnown(type)) guessed = true;
        if (field.bits !== undefined && decl.kind === 'struct') {
          // Bit fields share the unit of their type while they fit.
          if (bitOffset === 0 || bitOffset + field.bits > fieldSize * 8) {
            size = Math.ceil(size / fieldAlign) * fieldAlign + (bitOffset ? 0 : 0);
            fields.set(field.name, { offset: size, type });
            size += fieldSize;
            bitOffset = field.bits;
          } else {
            fields.set(field.name, { offset: size - fieldSize, type });
            bitOffset += field.bits;
          }
          align = Math.max(align, fieldAlign);
          continue;
        }
        bitOffset = 0;
        const offset = decl.kind === 'union' ? 0 : Math.ceil(size / fieldAlign) * fieldAlign;
        fields.set(field.name, { offset, type });
        if (!field.name && type.kind === 'struct')
          type.fields.forEach((inner, name) => fields.set(name, { offset: offset + inner.offset, type: inner.type }));
        size = decl.kind === 'union' ? Math.max(size, fieldSize) : offset + fieldSize;
        align = Math.max(align, fieldAlign);
      }
      depth--;
    } else cutShort++;
    const own = decl.align ? constantOf(decl.align, program, table, bindings, within) : undefined;
    if (decl.align && own === undefined) guessed = true;
    if (own && own > align && (own & (own - 1)) === 0) align = own;
    return {
      kind: 'struct',
      name: decl.name || '(unnamed)',
      size: Math.max(1, Math.ceil(size / align) * align),
      align,
      ...(guessed ? { guessed } : {}),
      fields,
      decl,
      ...(bindings ? { bindings } : {}),
    };
  }

  function fieldType(field: FieldDecl, bindings: Bindings | undefined, within: string): Type {
    const type = resolve(field.type, bindings, within);
    return type.kind === 'reference' ? { kind: 'pointer', to: type.to } : type;
  }

  function bind(
    params: readonly TemplateParam[] | undefined,
    args: readonly TemplateArg[] | undefined,
    outer?: Bindings,
  ): Bindings {
    if (!params?.length) return outer ?? noBindings;
    const types = new Map<string, Type>();
    const values = new Map<string, number>();
    const around = outer ? { parent: outer } : {};
    const soFar = (): Bindings => ({ types: new Map(types), values: new Map(values), ...around });
    params.forEach((param, at) => {
      const arg = args?.[at];
      if (param.kind === 'type') {
        const type =
          arg && 'type' in arg
            ? resolve(arg.type, outer)
            : arg && 'expr' in arg && arg.expr.kind === 'name'
              ? resolve(
                  {
                    kind: 'named',
                    name: arg.expr.name,
                    ...(arg.expr.templateArgs ? { args: arg.expr.templateArgs } : {}),
                  },
                  outer,
                )
              : !arg && param.default
                ? resolve(param.default, soFar())
                : undefined;
        if (type && !(type.kind === 'unknown' && type.name === param.name)) types.set(param.name, type);
      } else {
        const expr =
          arg && 'expr' in arg
            ? arg.expr
            : arg && 'type' in arg && arg.type.kind === 'named' && !arg.type.args
              ? ({ kind: 'name', name: arg.type.name, start: 0, end: 0 } as const)
              : undefined;
        const value = expr
          ? constantOf(expr, program, table, outer)
          : !arg && param.default
            ? constantOf(param.default, program, table, soFar())
            : undefined;
        if (value !== undefined) values.set(param.name, value);
      }
    });
    return { types, values, ...around };
  }

  const table: TypeTable = {
    resolve,
    struct,
    bind,
    constant: (expr, bindings, within) => constantOf(expr, program, table, bindings, within),
    staticOf: (type, name) => staticConstant(type, name, program, table),
  };
  return table;
}

function isConst(syntax: TypeSyntax): boolean {
  return (syntax.kind === 'named' || syntax.kind === 'pointer' || syntax.kind === 'auto') && !!syntax.const;
}

/**
 * Of declarations with one last name, the one whose qualified name the written name fits, nearest to `within` first.
 */
export function pickByScope<T extends { readonly name: string; readonly qualifiedName: string }>(
  candidates: readonly T[],
  name: string,
  within?: string,
): T | undefined {
  if (candidates.length < 2) {
    const only = candidates[0];
    return only &&
      (only.qualifiedName === name ||
        only.qualifiedName.endsWith(`::${name}`) ||
        name.endsWith(`::${only.qualifiedName}`) ||
        !name.includes('::') ||
        lastPart(only.qualifiedName) === lastPart(name))
      ? only
      : undefined;
  }
  let best: T | undefined;
  let bestScore = -1;
  for (const candidate of candidates) {
    const qualified = candidate.qualifiedName;
    if (
      !(
        qualified === name ||
        qualified.endsWith(`::${name}`) ||
        !name.includes('::') ||
        name.endsWith(`::${qualified}`)
      )
    )
      continue;
    const scope = qualified.includes('::') ? qualified.slice(0, qualified.lastIndexOf('::')) : '';
    const score =
      (qualified === name ? 1000 : 0) +
      (within && scope && (within === scope || within.startsWith(`${scope}::`)) ? 500 + scope.length : 0) +
      (scope ? 0 : 1);
    if (score > bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return best ?? candidates[0];
}
