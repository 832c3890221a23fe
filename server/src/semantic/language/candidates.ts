// What a template may stand for where nothing instantiates it: classes of the program with all members it asks for.
import { declarationsWith, isDefinition, lastPart, scopeAround, type Program } from './program';
import type { FunctionDecl, StructDecl, TypeSyntax } from '../../syntax/ast';
import { localsOf } from './scope';
import { sizeOf, typeName, type Bindings, type Type, type TypeTable } from './types';

/** Combinations that are looked at for one kernel. */
const mostCombinations = 64;

/** What a function asks of the names in it, in the order of its text. */
interface Asked {
  /** Of a type with this name, by `using` or `typedef`; undefined where it is only used. */
  readonly alias?: string;
  readonly type: TypeSyntax;
}

/**
 * Types for those parameters of a template whose members it names: each list gives every type that it names a meaning,
 * and no two give all of them the same sizes. Empty where it asks for no members, or nothing has them.
 */
export function candidatesOf(
  fn: FunctionDecl,
  program: Program,
  types: TypeTable,
): readonly ReadonlyMap<string, Type>[] {
  const open = (fn.templateParams ?? []).filter((param) => param.kind === 'type' && !param.default && !param.pack);
  if (open.length === 0 || !fn.body) return [];
  const { asked, members } = questionsOf(fn);
  let lists: ReadonlyMap<string, Type>[] = [new Map()];
  for (const { name } of open) {
    const wanted = membersAskedOf(name, asked, members);
    if (wanted.size === 0) continue;
    const classes = classesWith(wanted, program).filter((decl) =>
      [...wanted].every((member) => mayHave(types.struct(decl), member, types)),
    );
    lists = lists.flatMap((list) => classes.map((decl) => new Map([...list, [name, types.struct(decl)]])));
    if (lists.length > mostCombinations) return [];
  }
  const found = new Map<string, ReadonlyMap<string, Type>>();
  for (const list of lists) {
    const sizes = list.size > 0 ? sizesUnder(list, fn, asked, members, types) : undefined;
    if (sizes !== undefined && !found.has(sizes)) found.set(sizes, list);
  }
  return [...found.values()];
}

/** The types and the qualified names in a function. */
function questionsOf(fn: FunctionDecl): { asked: Asked[]; members: Set<string> } {
  const asked: Asked[] = [];
  const members = new Set<string>();
  for (const node of localsOf(fn).nodes)
    switch (node.kind) {
      case 'type':
        for (const { name, type, templateParams } of node.aliases)
          if (!templateParams) asked.push({ alias: name, type });
        break;
      case 'decl':
        for (const { type } of node.vars) asked.push({ type });
        break;
      case 'cast':
        asked.push({ type: node.type });
        break;
      case 'name':
        if (node.name.includes('::')) members.add(node.name);
        break;
      default:
        break;
    }
  return { asked, members };
}

/** `T` and `U` in `T *`, `U[4]`. */
function nameIn(type: TypeSyntax): string | undefined {
  switch (type.kind) {
    case 'named':
      return type.name;
    case 'pointer':
    case 'reference':
      return nameIn(type.to);
    case 'array':
      return nameIn(type.of);
    default:
      return undefined;
  }
}

function membersAskedOf(param: string, asked: readonly Asked[], members: ReadonlySet<string>): ReadonlySet<string> {
  const meant = new Set([param]);
  for (const { alias, type } of asked) if (alias && type.kind === 'named' && meant.has(type.name)) meant.add(alias);
  const names = [...members, ...asked.flatMap(({ type }) => nameIn(type) ?? [])];
  return new Set(
    names.flatMap((name) => {
      const [first, second] = name.split('::');
      return second && meant.has(first!) ? second : [];
    }),
  );
}

/** The classes that may have the members, themselves or in a base. */
function classesWith(members: ReadonlySet<string>, { unit }: Program): readonly StructDecl[] {
  const names = new Set(members);
  let found: readonly StructDecl[] = [];
  for (let before = -1; before < names.size; ) {
    before = names.size;
    found = declarationsWith(unit, names).flatMap(({ structs }) => structs);
    for (const { name } of found) names.add(lastPart(name));
  }
  return found.filter((decl) => isDefinition(decl) && !decl.templateParams?.length && !decl.specialisedFor);
}

function mayHave(type: Type, member: string, types: TypeTable): boolean {
  if (type.kind !== 'struct' || !type.decl) return false;
  const { aliases, structs, methods, fields, bases } = type.decl;
  const isNamed = [...aliases, ...structs, ...methods, ...fields].some(({ name }) => lastPart(name) === member);
  return isNamed || bases.length > 0 || types.staticOf(type, member) !== undefined;
}

/** The sizes of all types that depend on the list; undefined where one of them, or a member, does not exist. */
function sizesUnder(
  list: ReadonlyMap<string, Type>,
  fn: FunctionDecl,
  asked: readonly Asked[],
  members: ReadonlySet<string>,
  types: TypeTable,
): string | undefined {
  const within = scopeAround(fn);
  let bound: Bindings = { types: list, values: new Map() };
  const sizes: (number | string)[] = [];
  for (const { alias, type } of asked) {
    const name = nameIn(type);
    const meant = name && bound.types.has(name.split('::')[0]!) ? types.resolve(type, bound, within) : undefined;
    if (!meant) continue;
    const element = innerOf(meant);
    if (element.kind === 'unknown') return undefined;
    sizes.push(sizeOf(element) ?? typeName(element));
    if (alias) bound = { types: new Map([...bound.types, [alias, meant]]), values: bound.values };
  }
  for (const name of members) {
    const at = name.lastIndexOf('::');
    if (!bound.types.has(name.split('::')[0]!)) continue;
    const owner = types.resolve({ kind: 'named', name: name.slice(0, at) }, bound, within);
    if (!mayHave(owner, lastPart(name), types)) return undefined;
  }
  return sizes.join();
}

function innerOf(type: Type): Type {
  if (type.kind === 'array') return innerOf(type.of);
  return type.kind === 'pointer' || type.kind === 'reference' ? innerOf(type.to) : type;
}
