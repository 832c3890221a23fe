// Expressions inside directives: the grammar's nodes to the values that the analysis reads.
import type { Place, Value } from '../procedures';
import type { RawNode } from '../tree';

export interface ValueReading {
  /** The text that was parsed. */
  readonly text: string;
  readonly language: 'c' | 'fortran';
  /** The place in the file of a piece of the text. */
  readonly placeOf: (start: number, end: number) => Place;
}

/** Deeper expressions are hostile. */
const DEPTH_LIMIT = 100;

/** Fortran's words for operators, in C's spelling. */
export const OPERATORS: Readonly<Record<string, string>> = {
  '.and.': '&&',
  '.or.': '||',
  '.not.': '!',
  '.eqv.': '==',
  '.neqv.': '!=',
  '.eq.': '==',
  '.ne.': '!=',
  '.lt.': '<',
  '.gt.': '>',
  '.le.': '<=',
  '.ge.': '>=',
  '/=': '!=',
};

/**
 * The value of an expression's node; undefined when a part of it cannot be read. In Fortran `a(i)` is a call, `a(1:n)`
 * an element.
 */
export function readValue(node: RawNode, reading: ValueReading, depth = 0): Value | undefined {
  if (depth > DEPTH_LIMIT || node.missing) return undefined;
  const { text, language } = reading;
  const place = reading.placeOf(node.start, node.end);
  const textOf = (each: RawNode): string => text.slice(each.start, each.end);
  const nameOf = (each: RawNode): string => (language === 'fortran' ? textOf(each).toLowerCase() : textOf(each));
  const field = (name: string): RawNode | undefined => node.children.find((child) => child.field === name);
  const read = (child: RawNode | undefined): Value | undefined => child && readValue(child, reading, depth + 1);
  switch (node.type) {
    case 'word':
      return { ...place, kind: 'name', name: nameOf(node) };
    case 'qualified':
      return { ...place, kind: 'name', name: textOf(node).replace(/\s+/g, '') };
    case 'block':
      return { ...place, kind: 'name', name: textOf(node).replace(/\s+/g, '').toLowerCase() };
    case 'number':
      return numberOf(textOf(node), place);
    case 'logical':
      return { ...place, kind: 'number', value: /true/i.test(textOf(node)) ? 1 : 0, integer: true };
    case 'string':
      return { ...place, kind: 'other', parts: [] };
    case 'parenthesised':
      return read(node.children.find((child) => child.named));
    case 'cast':
      return read(field('operand'));
    case 'unary': {
      const operand = read(field('operand'));
      const op = spelt(textOf(field('operator') ?? node));
      if (!operand) return undefined;
      return language === 'c' && op === '*' ? dereferenced(operand, place) : { ...place, kind: 'unary', op, operand };
    }
    case 'binary': {
      const left = read(field('left'));
      const right = read(field('right'));
      return left && right && { ...place, kind: 'binary', op: spelt(textOf(field('operator') ?? node)), left, right };
    }
    case 'conditional': {
      const cond = read(field('cond'));
      const then = read(field('then'));
      const otherwise = read(field('else'));
      return cond && then && otherwise && { ...place, kind: 'conditional', cond, then, else: otherwise };
    }
    case 'member': {
      const object = read(field('object'));
      const name = field('field');
      if (!object || !name) return undefined;
      const member = nameOf(name);
      const join = language === 'fortran' ? '%' : node.children.some((child) => child.type === '->') ? '->' : '.';
      return { ...place, kind: 'member', object, field: member, path: `${pathOf(object)}${join}${member}` };
    }
    case 'element': {
      // C: one pair of brackets
      const base = read(field('base'));
      const inside = node.children.find((child) => child.named && child.field !== 'base');
      const subscript = inside && (inside.type === 'section' ? sectionOf(inside, reading, depth + 1) : read(inside));
      if (!base || !subscript) return undefined;
      return base.kind === 'element'
        ? { ...base, ...place, subscripts: [...base.subscripts, subscript] }
        : { ...place, kind: 'element', array: pathOf(base), base, subscripts: [subscript] };
    }
    case 'call': {
      const callee = field('callee');
      if (!callee) return undefined;
      const args: Value[] = [];
      let sections = false;
      for (const child of node.children) {
        if (!child.named || child === callee) continue;
        const inner = child.type === 'index' ? (child.children.filter((each) => each.named).pop() ?? child) : child;
        const value =
          inner.type === 'section'
            ? sectionOf(inner, reading, depth + 1)
            : inner.type === 'type'
              ? { ...reading.placeOf(inner.start, inner.end), kind: 'other' as const, parts: [] }
              : read(inner);
        if (!value) return undefined;
        sections ||= value.kind === 'section';
        args.push(value);
      }
      if (callee.type === 'type') return { ...place, kind: 'call', name: textOf(callee).replace(/\s+/g, ' '), args };
      const base = read(callee);
      if (!base) return undefined;
      if (language === 'fortran' && (sections || base.kind === 'member'))
        return { ...place, kind: 'element', array: pathOf(base), base, subscripts: args };
      return { ...place, kind: 'call', name: pathOf(base), args };
    }
    default:
      return undefined;
  }
}

/** What a list names, as an array element and not as a call: `a(i)` of Fortran where only variables may stand. */
export function asVariable(value: Value): Value {
  if (value.kind !== 'call') return value;
  const { start } = value;
  const base: Value = {
    kind: 'name',
    name: value.name,
    start,
    end: value.macro ? value.end : start + value.name.length,
    ...(value.macro && { macro: true }),
  };
  return {
    kind: 'element',
    array: value.name,
    base,
    subscripts: value.args,
    start,
    end: value.end,
    ...(value.macro && { macro: true }),
  };
}

/** The variable at the root of `a[0:n]`, `s%x(1:n)`, `m->vals[k]`, `*p`; undefined for anything but a variable. */
export function rootName(value: Value): string | undefined {
  if (value.kind === 'name') return value.name;
  if (value.kind === 'element') return rootName(value.base);
  if (value.kind === 'member') return rootName(value.object);
  if (value.kind === 'unary' && (value.op === '*' || value.op === '&')) return rootName(value.operand);
  return undefined;
}

/** A variable's path as one text without blanks; '' where it is none. */
export function pathOf(value: Value): string {
  switch (value.kind) {
    case 'name':
      return value.name;
    case 'member':
      return value.path;
    case 'element':
      return value.array;
    case 'call':
      return value.name;
    default:
      return '';
  }
}

function sectionOf(node: RawNode, reading: ValueReading, depth: number): Value | undefined {
  const parts: Record<string, Value> = {};
  for (const child of node.children) {
    if (!child.field) continue;
    const value = readValue(child, reading, depth + 1);
    if (!value) return undefined;
    parts[child.field] = value;
  }
  return { ...reading.placeOf(node.start, node.end), kind: 'section', ...parts };
}

function dereferenced(operand: Value, place: Place): Value {
  const zero: Value = { ...place, kind: 'number', value: 0, integer: true };
  if (operand.kind === 'binary' && operand.op === '+')
    return { ...place, kind: 'element', array: pathOf(operand.left), base: operand.left, subscripts: [operand.right] };
  return { ...place, kind: 'element', array: pathOf(operand), base: operand, subscripts: [zero] };
}

function spelt(operator: string): string {
  return OPERATORS[operator.toLowerCase()] ?? operator;
}

function numberOf(text: string, place: Place): Value {
  const plain = text.replace(/_[A-Za-z0-9_]+$/, '').replace(/'/g, '');
  if (/^0[xX]/.test(plain))
    return { ...place, kind: 'number', value: Number(plain.replace(/[uUlLzZ]+$/, '')), integer: true };
  const integer = /^[0-9]+[uUlLzZ]*$/.test(plain);
  return { ...place, kind: 'number', value: Number(plain.replace(/[uUlLzZfF]+$/, '').replace(/[dD]/, 'e')), integer };
}
