// The name that code itself gives to its floating-point type: a template parameter, an alias of file scope, a macro.
import { noBindings, scopeAround, type Fn, type Local, isFloat, type Typing } from '../language';
import type { Expr, TypeSyntax } from '../../syntax/ast';

/** Of operands that are floats; undefined where all are declared `float`. */
export function ownTypeOf(floats: readonly Expr[], fn: Fn, typing: Typing): string | undefined {
  for (const operand of floats) {
    const syntax = declaredOf(operand, fn, typing);
    if (syntax?.kind === 'named' && syntax.name !== 'float' && isUsable(syntax, fn)) return syntax.name;
  }
  return undefined;
}

/**
 * The type of a scalar that is read, as text: what launches give a template's own type holds in one instance only, and
 * what a build gives a macro or an alias in one build, so the code's own name stands for it.
 */
export function scalarTextOf(expr: Expr, fn: Fn, typing: Typing): string {
  const syntax = declaredOf(expr, fn, typing);
  const name = syntax?.kind === 'named' ? syntax.name : undefined;
  if (name !== undefined && fn.decl.templateParams?.some((param) => param.name === name)) return name;
  const type = typing.typeOf(expr);
  if (type?.kind !== 'scalar') return 'auto';
  if (name !== undefined && (isTypeMacro(name, type.name, fn) || isOwnAlias(name, fn))) return name;
  const isPlain = syntax && fn.types.resolve(syntax, noBindings, scopeAround(fn.decl)).kind === 'scalar';
  return isPlain || !fn.types.ofInstances ? type.name : 'auto';
}

/** Does the name alone mean this type inside the function? */
function isUsable(syntax: TypeSyntax & { readonly kind: 'named' }, fn: Fn): boolean {
  const { decl, types } = fn;
  const { name } = syntax;
  if (syntax.args || syntax.scopeArgs || !/^\w+$/.test(name)) return false;
  if (isTypeMacro(name, 'float', fn)) return true;
  const resolved = types.resolve({ kind: 'named', name }, undefined, scopeAround(decl));
  if (!isFloat(resolved) && !isFloat(types.ofInstances?.types.get(name))) return false;
  if (decl.templateParams?.some((param) => param.name === name)) return true;
  return isOwnAlias(name, fn);
}

/** An alias of file scope. */
function isOwnAlias(name: string, { program }: Fn): boolean {
  const aliases = program.aliases(name);
  return aliases.length > 0 && aliases.every(({ qualifiedName }) => qualifiedName === name);
}

/** `#define real float` */
function isTypeMacro(name: string, type: string, { unit }: Fn): boolean {
  return unit.files.some(({ macros }) =>
    macros.some((macro) => macro.name === name && !macro.params && macro.body.trim() === type),
  );
}

/** The type of a local with the macro's name where its declaration spells it by a macro. */
export function asSpelled(type: TypeSyntax, local: Local, fn: Fn): TypeSyntax {
  if (type.kind === 'pointer') return { ...type, to: asSpelled(type.to, local, fn) };
  if (type.kind === 'array') return { ...type, of: asSpelled(type.of, local, fn) };
  if (type.kind !== 'named') return type;
  const holder = local.variable ? (fn.parent(local.variable) ?? local.variable) : local.parameter;
  const words = holder ? (/^[\w\s]*/.exec(fn.text(holder))?.[0].match(/\w+/g) ?? []) : [];
  const name = words.find((word) => isTypeMacro(word, type.name, fn));
  return name === undefined ? type : { ...type, name };
}

/** The type in the declaration that an operand is read through. */
function declaredOf(expr: Expr, fn: Fn, typing: Typing, depth = 0): TypeSyntax | undefined {
  if (depth > 20) return undefined;
  const of = (inner: Expr | undefined): TypeSyntax | undefined => inner && declaredOf(inner, fn, typing, depth + 1);
  switch (expr.kind) {
    case 'name': {
      const local = fn.local(expr);
      const written =
        local?.variable?.type ?? local?.parameter?.type ?? (local ? undefined : fn.program.globals(expr.name)[0]?.type);
      const plain = written?.kind === 'reference' ? written.to : written;
      const type = plain && local ? asSpelled(plain, local, fn) : plain;
      return type?.kind === 'auto' ? of(local?.variable?.init) : type;
    }
    case 'index': {
      const base = of(expr.base);
      return base?.kind === 'pointer' ? base.to : base?.kind === 'array' ? base.of : undefined;
    }
    case 'unary': {
      const operand = of(expr.operand);
      if (expr.op !== '*') return expr.op === '&' ? undefined : operand;
      return operand?.kind === 'pointer' ? operand.to : operand?.kind === 'array' ? operand.of : undefined;
    }
    case 'member': {
      const object = typing.typeOf(expr.object);
      const struct = object?.kind === 'pointer' ? object.to : object;
      return struct?.kind === 'struct' ? struct.decl?.fields.find(({ name }) => name === expr.field)?.type : undefined;
    }
    case 'cast':
      return expr.type;
    case 'call':
      if (expr.callee.kind === 'name' && typing.conversionOf(expr)) return { kind: 'named', name: expr.callee.name };
      return expr.args.map(of).find((type) => type !== undefined);
    case 'binary': {
      const [left, right] = [of(expr.left), of(expr.right)];
      return left?.kind === 'named' && left.name !== 'float' ? left : (right ?? left);
    }
    case 'conditional':
      return of(expr.then);
    default:
      return undefined;
  }
}
