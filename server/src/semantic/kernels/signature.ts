// The parameter types of a function as one text each, aliases resolved, so that a kernel can be distinguished from
// others of its name.
import type { FunctionDecl, TypeSyntax } from '../../syntax/ast';
import type { Type, TypeTable } from '../language';

/**
 * C++ spellings without `const`, `volatile` and namespaces: `float *`, `Particle &`, `unsigned int`. An undefined type,
 * a template parameter among it, is `auto`.
 */
export function parameterTypes({ params, templateParams, qualifiedName }: FunctionDecl, types: TypeTable): string[] {
  const free = new Set(templateParams?.map(({ name }) => name));
  return params.map(({ type, pack }) => (pack ? '...' : textOf(type, types, free, qualifiedName)));
}

function textOf(syntax: TypeSyntax, types: TypeTable, free: ReadonlySet<string>, within: string): string {
  switch (syntax.kind) {
    case 'named':
      return free.has(syntax.name) ? 'auto' : typeText(types.resolve(syntax, undefined, within));
    case 'pointer':
      return pointerTo(textOf(syntax.to, types, free, within));
    case 'reference':
      return `${textOf(syntax.to, types, free, within)} &`;
    // An array as a parameter is a pointer.
    case 'array':
      return pointerTo(textOf(syntax.of, types, free, within));
    default:
      return 'auto';
  }
}

function typeText(type: Type): string {
  switch (type.kind) {
    case 'scalar':
      return type.name;
    case 'struct':
      // A template's arguments may be unknown; the name alone suffices.
      return (
        type.name
          .replace(/<.*/s, '')
          .split('::')
          .pop()!
          .replace(/^(const|volatile) /, '') || 'auto'
      );
    case 'pointer':
      return pointerTo(typeText(type.to));
    case 'reference':
      return `${typeText(type.to)} &`;
    case 'array':
      return pointerTo(typeText(type.of));
    case 'unknown':
      return 'auto';
  }
}

function pointerTo(text: string): string {
  return text.endsWith('*') ? `${text}*` : `${text} *`;
}
