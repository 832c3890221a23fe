// The types of a template's text where all launches that are known agree on its arguments.
import type { FunctionDecl } from '../../syntax/ast';
import { noBindings, typeName, type Bindings, type Type, type TypeTable } from './types';

/**
 * `types` with what the launches of `fn` give to its template parameters, by their names, as the bindings of what is
 * asked without any. What two launches give different types stays unknown.
 */
export function typesOfInstances(
  fn: FunctionDecl,
  types: TypeTable,
  launchTypes: readonly ReadonlyMap<string, string>[],
): TypeTable {
  const [first, ...others] = launchTypes;
  const bound = new Map<string, Type>();
  for (const { kind, name } of fn.templateParams ?? []) {
    const given = first?.get(name);
    if (kind !== 'type' || given === undefined || others.some((launch) => launch.get(name) !== given)) continue;
    const type = types.resolve({ kind: 'named', name: given });
    if (type.kind !== 'unknown' && typeName(type) === given) bound.set(name, type);
  }
  if (bound.size === 0) return types;
  const own: Bindings = { types: bound, values: noBindings.values };
  return {
    ...types,
    ofInstances: own,
    resolve: (syntax, bindings = own, within) => types.resolve(syntax, bindings, within),
    constant: (expr, bindings = own, within) => types.constant(expr, bindings, within),
  };
}
