// What the text instantiates by `template void f<float>(…);` and `template class C<float>;`, called or not.
import type { FunctionDecl, Instantiation } from '../../syntax/ast';
import { onceWith } from './append';
import { deduce, ownTemplateParams, withDefaults } from './deduction';
import { lastPart, type Program } from './program';
import { boundType, boundValue, noBindings, typeName, type Bindings, type Type, type TypeTable } from './types';

/** A function with what its template parameters stand for. */
export interface Instance {
  readonly fn: FunctionDecl;
  readonly bindings: Bindings;
}

/** The same for the same function under the same template arguments, in every version of the text. */
export function instanceKey({ key, templateParams = [] }: FunctionDecl, bindings: Bindings): string {
  const args = templateParams.map(({ name }) => {
    const type = boundType(bindings, name);
    return type ? typeName(type) : (boundValue(bindings, name) ?? '?');
  });
  return `${key}<${args.join()}>`;
}

/** The functions with bodies that the unit instantiates explicitly, members of classes among them. */
export const instancesOf = onceWith((program: Program, types: TypeTable): readonly Instance[] => {
  const made = program
    .instantiations()
    .flatMap((one) => (one.params ? functionsOf(one, program, types) : membersOf(one, program, types)));
  return [...new Map(made.map((one) => [`${one.fn.uri} ${instanceKey(one.fn, one.bindings)}`, one])).values()];
});

function functionsOf(one: Instantiation, program: Program, types: TypeTable): readonly Instance[] {
  const given = one.params!.map((type) => types.resolve(type, noBindings, scopeOf(one.qualifiedName)));
  const made = program
    .functions(lastPart(one.qualifiedName))
    .filter((fn) => isTemplate(fn) && fn.qualifiedName === one.qualifiedName && fn.params.length === given.length)
    .map((fn): Instance => ({ fn, bindings: bindingsFor(fn, one, given, types) }));
  // Overloads differ in what their parameters are under these arguments.
  const fits = ({ fn, bindings }: Instance): boolean =>
    fn.params.every(
      ({ type }, at) => typeName(types.resolve(type, bindings, scopeOf(fn.qualifiedName))) === typeName(given[at]!),
    );
  return made.length > 1 ? made.filter(fits) : made;
}

function isTemplate({ body, templateParams, specialisedFor }: FunctionDecl): boolean {
  return body !== undefined && templateParams !== undefined && specialisedFor === undefined;
}

function bindingsFor(fn: FunctionDecl, one: Instantiation, given: readonly Type[], types: TypeTable): Bindings {
  const params = fn.templateParams!;
  const ofClass = params.slice(0, fn.classTemplateParams ?? 0);
  const own = ownTemplateParams(fn);
  const inClass = types.bind(ofClass, ofClass.length > 0 ? one.scopeArgs : undefined);
  const args = one.args === one.scopeArgs ? undefined : one.args;
  const explicit = types.bind(own.slice(0, args?.length ?? 0), args, inClass);
  const bound = new Map([...inClass.types, ...explicit.types]);
  const values = new Map([...inClass.values, ...explicit.values]);
  deduce(
    params,
    fn.params.map(({ type }) => type),
    given,
    bound,
    values,
  );
  return withDefaults(params, bound, values, types);
}

function membersOf(one: Instantiation, program: Program, types: TypeTable): readonly Instance[] {
  const { args } = one;
  const type = types.resolve({ kind: 'named', name: one.qualifiedName, ...(args && { args }) });
  if (type.kind !== 'struct' || !type.decl || !type.bindings) return [];
  const { decl, bindings } = type;
  const inside = new Set(decl.methods.map(({ key }) => key));
  return program
    .methodsOf(lastPart(decl.name))
    .filter(
      (fn) =>
        isTemplate(fn) &&
        ownTemplateParams(fn).length === 0 &&
        (inside.has(fn.key) || (!decl.specialisedFor && fn.className === decl.qualifiedName)),
    )
    .map((fn) => ({ fn, bindings }));
}

function scopeOf(qualifiedName: string): string | undefined {
  const at = qualifiedName.lastIndexOf('::');
  return at < 0 ? undefined : qualifiedName.slice(0, at);
}
