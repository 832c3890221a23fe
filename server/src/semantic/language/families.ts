// Classes that share objects, by the last part of names: a class, its bases, what derives from it and its bases.
import { once } from './append';
import { lastPart, onceEach, structsWith, type Program } from './program';

const familiesOf = once((program: Program) => onceEach((name) => above(below(name, program), program)));

/** Names of the classes whose methods may run on an object of the class `name`. */
export function familyOf(program: Program, name: string): ReadonlySet<string> {
  return familiesOf(program)(lastPart(name));
}

/** A class and all that derive from it. */
function below(name: string, { unit }: Program): Set<string> {
  const found = new Set([name]);
  // A set goes over what is added to it on the way, too.
  for (const one of found)
    for (const { name: derived, bases } of structsWith(unit, [one]))
      if (bases.some((base) => base.kind === 'named' && lastPart(base.name) === one)) found.add(lastPart(derived));
  return found;
}

/** The classes and all that they derive from. */
function above(found: Set<string>, { unit }: Program): ReadonlySet<string> {
  for (const one of found)
    for (const { name, bases } of structsWith(unit, [one]))
      if (lastPart(name) === one) for (const base of bases) if (base.kind === 'named') found.add(lastPart(base.name));
  return found;
}
