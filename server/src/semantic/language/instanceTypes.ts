// The types of a function's text: those it declares, and of a template what all known launches agree on.
import { scopeAround } from './program';
import type { FunctionDecl } from '../../syntax/ast';
import { oncePerBody } from './append';
import { localsOf } from './scope';
import { noBindings, typeName, type Bindings, type Type, type TypeTable } from './types';

const aliasesIn = oncePerBody((fn) =>
  fn.body ? localsOf(fn).nodes.flatMap((node) => (node.kind === 'type' ? node.aliases : [])) : [],
);

/**
 * `types` with the aliases that `fn` declares, and what its launches give to its template parameters by their names, as
 * the bindings of what is asked without any. What has two meanings stays unknown.
 */
export function typesWithin(
  fn: FunctionDecl,
  types: TypeTable,
  launchTypes: readonly ReadonlyMap<string, string>[],
): TypeTable {
  const [first, ...others] = launchTypes;
  const bound = new Map<string, Type>();
  for (const { kind, name } of fn.templateParams ?? []) {
    const given = first?.get(name);
    // A parameter hides what has its name outside.
    const isHiding =
      kind === 'type' && types.resolve({ kind: 'named', name }, noBindings, scopeAround(fn)).kind !== 'unknown';
    if (isHiding) bound.set(name, { kind: 'unknown', name });
    if (kind !== 'type' || given === undefined || others.some((launch) => launch.get(name) !== given)) continue;
    const type = types.resolve({ kind: 'named', name: given });
    if (type.kind !== 'unknown' && typeName(type) === given) bound.set(name, type);
  }
  const own: Bindings = { types: bound, values: noBindings.values };
  for (const { name, type, templateParams } of aliasesIn(fn)) {
    const meant = types.resolve(type, own, scopeAround(fn));
    const before = bound.get(name);
    const isPlain = !templateParams?.length && (!before || typeName(before) === typeName(meant));
    bound.set(name, isPlain ? meant : { kind: 'unknown', name });
  }
  if (bound.size === 0) return types;
  return {
    ...types,
    ofInstances: own,
    resolve: (syntax, bindings = own, within) => types.resolve(syntax, bindings, within),
    constant: (expr, bindings = own, within) => types.constant(expr, bindings, within),
  };
}
