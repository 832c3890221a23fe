// Classes that share objects, by the last part of names: a class, its bases, what derives from it and its bases.
import type { StructDecl } from '../../syntax/ast';
import { append, once } from './append';
import { lastPart, type Program } from './program';

/** Names of the classes whose methods may run on an object of the class `name`. */
export function familyOf(program: Program, name: string): ReadonlySet<string> {
  const bases = basesOf(program);
  const above = (of: string, into: Set<string>): Set<string> => {
    if (into.has(of)) return into;
    into.add(of);
    for (const base of bases.get(of) ?? []) above(base, into);
    return into;
  };
  const own = lastPart(name);
  const family = above(own, new Set());
  for (const other of bases.keys()) {
    const its = above(other, new Set());
    if (its.has(own)) for (const each of its) family.add(each);
  }
  return family;
}

const basesOf = once((program: Program): ReadonlyMap<string, readonly string[]> => {
  const bases = new Map<string, string[]>();
  const add = (decl: StructDecl): void => {
    const named = decl.bases.flatMap((base) => (base.kind === 'named' ? [lastPart(base.name)] : []));
    append(bases, lastPart(decl.name), ...named);
    decl.structs.forEach(add);
  };
  for (const { structs } of program.unit.files) structs.forEach(add);
  return bases;
});
