// Numbers for types and for what template parameters stand for: equal content, equal number.
import type { Bindings, StructType, Type } from './types';

interface Numbered {
  /** How many names were bound; bindings only grow. */
  readonly bound: number;
  readonly number: number;
}

export function createIdentities() {
  const numbers = new Map<string, number>();
  const objects = new WeakMap<object, number>();
  const types = new WeakMap<Type, number>();
  const scopes = new WeakMap<Bindings, Numbered>();
  let objectCount = 0;

  function numberOf(content: string): number {
    let number = numbers.get(content);
    if (number === undefined) numbers.set(content, (number = numbers.size + 1));
    return number;
  }

  function ofObject(object: object): number {
    let number = objects.get(object);
    if (number === undefined) objects.set(object, (number = ++objectCount));
    return number;
  }

  function ofType(type: Type): number {
    let number = types.get(type);
    if (number === undefined) types.set(type, (number = numberOf(contentOf(type))));
    return number;
  }

  function contentOf(type: Type): string {
    switch (type.kind) {
      case 'scalar':
        return `scalar ${type.name} ${type.size}`;
      case 'unknown':
        return `unknown ${type.name}`;
      case 'pointer':
        return `pointer ${ofType(type.to)} ${type.const ?? ''} ${type.restrict ?? ''}`;
      case 'reference':
        return `reference ${ofType(type.to)} ${type.const ?? ''}`;
      case 'array':
        return `array ${ofType(type.of)} ${type.length ?? ''}`;
      case 'struct':
        return type.decl
          ? `struct ${ofObject(type.decl)} ${ofBindings(type.bindings)} ${type.size}`
          : `built in ${type.name} ${type.size} ${type.align}${fieldsOf(type)}`;
    }
  }

  function fieldsOf({ fields }: StructType): string {
    let content = '';
    for (const [name, { offset, type }] of fields) content += ` ${name} ${offset} ${ofType(type)}`;
    return content;
  }

  /** 0 where nothing is bound. Bindings that grew since they were asked about have another number. */
  function ofBindings(bindings: Bindings | undefined): number {
    if (!bindings) return 0;
    const bound = bindings.types.size + bindings.values.size;
    if (bound === 0) return ofBindings(bindings.parent);
    const known = scopes.get(bindings);
    if (known?.bound === bound) return known.number;
    // A default argument may be a type that was looked up in this very scope.
    scopes.set(bindings, { bound, number: numberOf(`growing ${ofObject(bindings)} ${bound}`) });
    let content = 'scope';
    for (const [name, type] of bindings.types) content += ` ${name} ${ofType(type)}`;
    for (const [name, value] of bindings.values) content += ` ${name}=${value}`;
    const number = numberOf(`${content} ${ofBindings(bindings.parent)}`);
    scopes.set(bindings, { bound, number });
    return number;
  }

  return { ofType, ofBindings };
}
