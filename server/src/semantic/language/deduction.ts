// What template parameters stand for, from the types of a call's arguments.
import type { FunctionDecl, TemplateParam, TypeSyntax } from '../../syntax/ast';
import type { Bindings, Type, TypeTable } from './types';

export function stripReference(type: Type): Type {
  return type.kind === 'reference' ? type.to : type;
}
export function decay(type: Type): Type {
  return type.kind === 'array' ? { kind: 'pointer', to: type.of } : stripReference(type);
}

/** A function's own template parameters: a method's list starts with those of its class. */
export function ownTemplateParams(fn: FunctionDecl): readonly TemplateParam[] {
  return (fn.templateParams ?? []).slice(fn.classTemplateParams ?? 0);
}

/** Binds template parameters that occur in parameter types as written to the types given. */
export function deduce(
  params: readonly TemplateParam[],
  written: readonly TypeSyntax[],
  given: readonly (Type | undefined)[],
  types: Map<string, Type>,
  values: Map<string, number>,
): void {
  const names = new Set(params.map((param) => param.name));
  const unify = (syntax: TypeSyntax, type: Type | undefined, depth: number): void => {
    if (!type || depth > 6) return;
    if (type.kind === 'reference') {
      unify(syntax, type.to, depth + 1);
      return;
    }
    switch (syntax.kind) {
      case 'named':
        if (names.has(syntax.name) && !syntax.args) {
          if (!types.has(syntax.name) && type.kind !== 'unknown') types.set(syntax.name, decay(type));
          return;
        }
        if (syntax.args && type.kind === 'struct' && type.bindings)
          syntax.args.forEach((arg, at) => {
            const param = type.decl?.templateParams?.[at];
            if (!param) return;
            if ('type' in arg) {
              unify(arg.type, type.bindings!.types.get(param.name), depth + 1);
              const number = type.bindings!.values.get(param.name);
              if (
                number !== undefined &&
                arg.type.kind === 'named' &&
                names.has(arg.type.name) &&
                !values.has(arg.type.name)
              )
                values.set(arg.type.name, number);
            } else if (arg.expr.kind === 'name' && names.has(arg.expr.name)) {
              const number = type.bindings!.values.get(param.name);
              if (number !== undefined && !values.has(arg.expr.name)) values.set(arg.expr.name, number);
            }
          });
        return;
      case 'pointer':
        if (type.kind === 'pointer') unify(syntax.to, type.to, depth + 1);
        else if (type.kind === 'array') unify(syntax.to, type.of, depth + 1);
        return;
      case 'reference':
        unify(syntax.to, type, depth + 1);
        return;
      case 'array':
        if (type.kind === 'array') {
          unify(syntax.of, type.of, depth + 1);
          if (
            syntax.size?.kind === 'name' &&
            names.has(syntax.size.name) &&
            type.length !== undefined &&
            !values.has(syntax.size.name)
          )
            values.set(syntax.size.name, type.length);
        } else if (type.kind === 'pointer') unify(syntax.of, type.to, depth + 1);
        return;
      default:
        return;
    }
  };
  written.forEach((syntax, at) => unify(syntax, given[at], 0));
}

/** What is bound, and the defaults of the parameters that are not. */
export function withDefaults(
  params: readonly TemplateParam[],
  bound: Map<string, Type>,
  values: Map<string, number>,
  types: TypeTable,
): Bindings {
  const soFar = (): Bindings => ({ types: new Map(bound), values: new Map(values) });
  for (const param of params) {
    if (param.kind === 'value' && param.default && !values.has(param.name)) {
      const value = types.constant(param.default, soFar());
      if (value !== undefined) values.set(param.name, value);
    }
    if (param.kind === 'type' && param.default && !bound.has(param.name))
      bound.set(param.name, types.resolve(param.default, soFar()));
  }
  return { types: bound, values };
}
