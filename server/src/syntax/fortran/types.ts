// Types and attributes as Fortran declares them: kinds (`real(8)`), derived types, dimensions, `pointer` and
// `allocatable`.
import type { Value, Dimension, Place, Variable } from '../procedures';
import type { RawNode } from '../tree';
import { child, field, operands, type Reading, readValue, textOf } from './expressions';
import { type Component, constantOf, type DerivedType, type FortranType } from './scope';

/** The C type of the same size; a kind that is not known leaves the bytes open. */
export function typeNamed(node: RawNode, reading: Reading): FortranType {
  if (node.type === 'derived_type') {
    const name = child(node, 'type_name');
    const derived = name ? textOf(name, reading).toLowerCase() : '';
    return { name: `struct ${derived}`, floating: false, derived };
  }
  const words = textOf(node, reading).toLowerCase().replace(/\s+/g, ' ');
  const kindNode = field(node, 'kind') ?? child(node, 'kind');
  const kind = kindNode ? constantOf(kindValue(kindNode, reading), reading.scope) : undefined;
  const starred = kindNode !== undefined && textOf(kindNode, reading).trim().startsWith('*');
  if (words.startsWith('double precision') || words.startsWith('doubleprecision')) return real(8);
  if (words.startsWith('double complex') || words.startsWith('doublecomplex')) return complex(8);
  if (words.startsWith('character')) return { name: 'char', bytes: kindNode ? kind : 1, floating: false };
  const bytes = kindNode ? kind : 4;
  if (words.startsWith('real')) return real(bytes);
  if (words.startsWith('complex')) return complex(starred && bytes !== undefined ? bytes / 2 : bytes);
  if (words.startsWith('integer'))
    return bytes === undefined
      ? { name: 'integer', floating: false }
      : {
          name:
            new Map([
              [1, 'signed char'],
              [2, 'short'],
              [4, 'int'],
              [8, 'long'],
            ]).get(bytes) ?? 'integer',
          bytes,
          floating: false,
        };
  if (words.startsWith('logical'))
    return {
      name: bytes === 4 ? 'int' : bytes === 8 ? 'long' : bytes === 1 ? '_Bool' : 'logical',
      ...(bytes === undefined ? {} : { bytes }),
      floating: false,
    };
  return { name: words.split(/[ (*]/)[0] ?? 'unknown', floating: false };
}

function real(bytes: number | undefined): FortranType {
  return bytes === undefined
    ? { name: 'real', floating: true }
    : {
        name: bytes === 4 ? 'float' : bytes === 8 ? 'double' : bytes === 2 ? 'half' : 'long double',
        bytes,
        floating: true,
      };
}
function complex(bytes: number | undefined): FortranType {
  return bytes === undefined
    ? { name: 'complex', floating: true }
    : { name: `${bytes === 4 ? 'float' : 'double'} _Complex`, bytes: 2 * bytes, floating: true };
}

function kindValue(node: RawNode, reading: Reading): Value | undefined {
  const inner = operands(node);
  const named = inner.find((each) => each.type === 'keyword_argument');
  return named ? readValue(named, reading) : inner[0] && readValue(inner[0], reading);
}

export function derivedTypeOf(node: RawNode, reading: Reading): DerivedType | undefined {
  const statement = child(node, 'derived_type_statement');
  const name = statement && child(statement, 'type_name');
  if (!statement || !name) return undefined;
  const base = /\bextends\s*\(\s*(\w+)\s*\)/i.exec(textOf(statement, reading))?.[1]?.toLowerCase();
  const components: Component[] = [];
  for (const each of node.children) {
    if (each.type !== 'variable_declaration') continue;
    const typeNode = field(each, 'type');
    if (!typeNode || typeNode.type === 'procedure') continue;
    const type = typeNamed(typeNode, reading);
    const { dimensions, pointer, allocatable } = attributesOf(each, reading);
    for (const declarator of declaratorsOf(each)) {
      const own = shapeOf(declarator, reading).dimensions ?? dimensions;
      components.push({
        name: nameOf(declarator, reading),
        at: placeOfName(declarator),
        uri: reading.scope.uri,
        type,
        ...(own ? { dimensions: own } : {}),
        ...(pointer ? { pointer } : {}),
        ...(allocatable ? { allocatable } : {}),
      });
    }
  }
  return { name: textOf(name, reading).toLowerCase(), components, ...(base ? { extends: base } : {}) };
}

export interface Attributes {
  readonly dimensions?: readonly Dimension[];
  readonly pointer?: boolean;
  readonly allocatable?: boolean;
  readonly constant?: boolean;
  readonly intent?: NonNullable<Variable['intent']>;
}

export function declaratorsOf(node: RawNode): RawNode[] {
  const marked = node.children.filter((each) => each.field === 'declarator' && each.named);
  return marked.length > 0
    ? marked
    : node.children.filter((each) => each.type === 'identifier' || each.type === 'sized_declarator');
}

export function nameNode(declarator: RawNode): RawNode {
  let node = declarator;
  for (let depth = 0; depth < 6 && node.type !== 'identifier'; depth++) {
    const inner = field(node, 'left') ?? child(node, 'identifier') ?? child(node, 'sized_declarator');
    if (!inner) break;
    node = inner;
  }
  return node;
}
export function nameOf(declarator: RawNode, reading: Reading): string {
  return textOf(nameNode(declarator), reading).toLowerCase();
}
export function placeOfName(declarator: RawNode): Place {
  return place(nameNode(declarator));
}
export function place({ start, end }: RawNode): Place {
  return { start, end };
}

export function shapeOf(
  declarator: RawNode,
  reading: Reading,
): {
  readonly dimensions?: readonly Dimension[];
  readonly value?: Value;
  readonly characterBytes?: number | undefined;
} {
  const sized = declarator.type === 'sized_declarator' ? declarator : child(declarator, 'sized_declarator');
  const size = sized && child(sized, 'size');
  const length = sized && child(sized, 'character_length');
  const right =
    declarator.type === 'init_declarator' || declarator.type === 'pointer_init_declarator'
      ? field(declarator, 'right')
      : undefined;
  const bytes = length && operands(length)[0];
  return {
    ...(size ? { dimensions: dimensionsOf(size, reading) } : {}),
    ...(right ? { value: readValue(right, reading) } : {}),
    ...(bytes ? { characterBytes: constantOf(readValue(bytes, reading), reading.scope) } : {}),
  };
}

/** `(n, 0:m, *)`: neither bound for `:` and `*`. */
export function dimensionsOf(list: RawNode, reading: Reading): Dimension[] {
  return list.children
    .filter((each) => each.named)
    .map((each): Dimension => {
      if (each.type === 'extent_specifier') {
        const section = readValue(each, reading);
        return section.kind === 'section'
          ? { ...(section.lower ? { lower: section.lower } : {}), ...(section.upper ? { upper: section.upper } : {}) }
          : {};
      }
      if (each.type === 'assumed_size' || each.type === 'assumed_rank') return {};
      return { upper: readValue(each, reading) };
    });
}

export function attributesOf(node: RawNode, reading: Reading): Attributes {
  let attributes: Attributes = {};
  for (const each of node.children) {
    if (each.type !== 'type_qualifier') continue;
    const words = textOf(each, reading).toLowerCase();
    const list = child(each, 'argument_list');
    if (words.startsWith('dimension') && list) attributes = { ...attributes, dimensions: dimensionsOf(list, reading) };
    else if (/^pointer\b/.test(words)) attributes = { ...attributes, pointer: true };
    else if (/^allocatable\b/.test(words)) attributes = { ...attributes, allocatable: true };
    else if (/^parameter\b/.test(words)) attributes = { ...attributes, constant: true };
    else if (/^intent\b/.test(words))
      attributes = { ...attributes, intent: /inout|in\s+out/.test(words) ? 'inout' : /out/.test(words) ? 'out' : 'in' };
  }
  return attributes;
}
