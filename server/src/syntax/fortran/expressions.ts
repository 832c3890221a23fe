// Fortran expressions as values: operators in C's spelling, names in lower case, elements distinguished from calls by
// declarations.
import { OPERATORS } from '../directives/values';
import type { CallValue, ElementValue, MemberValue, Place, SectionValue, Value } from '../procedures';
import type { RawNode } from '../tree';
import { componentOf, derivedOf, isProcedure, type Scope, typeOf, variableOf } from './scope';

export interface Reading {
  /** The text that the tree's offsets point into. */
  readonly text: string;
  readonly scope: Scope;
  /** Gets every undeclared name, with its first place. */
  readonly undeclared?: (name: string, at: Place) => void;
}

const deepest = 400;

/**
 * The value of an expression's node. `written`: it is assigned to, so that what is in parentheses after a name is
 * a subscript. Never throws on depth.
 */
export function readValue(node: RawNode, reading: Reading, written = false, depth = 0): Value {
  const at = { start: node.start, end: node.end };
  if (depth > deepest) return { kind: 'other', ...at, parts: [] };
  const of = (inner: RawNode): Value => readValue(inner, reading, false, depth + 1);
  switch (node.type) {
    case 'identifier':
    case 'name':
    case 'method_name': {
      const name = textOf(node, reading).toLowerCase();
      if (!variableOf(reading.scope, name)) reading.undeclared?.(name, at);
      return { kind: 'name', ...at, name };
    }
    case 'number_literal':
      return numberOf(node, reading);
    case 'boolean_literal':
      return { kind: 'number', ...at, value: /true/i.test(textOf(node, reading)) ? 1 : 0, integer: true };
    case 'parenthesized_expression': {
      const inner = operands(node);
      return inner.length === 1 ? of(inner[0]!) : { kind: 'other', ...at, parts: inner.map(of) };
    }
    case 'unary_expression':
    case 'math_expression':
    case 'logical_expression':
    case 'relational_expression':
    case 'concatenation_expression':
      return operation(node, reading, of);
    case 'call_expression':
      return subscripted(node, reading, written, depth);
    case 'derived_type_member_expression':
      return memberOf(node, reading, depth);
    case 'extent_specifier':
      return sectionOf(node, of);
    case 'keyword_argument': {
      const value = field(node, 'value') ?? operands(node).at(-1);
      return value ? of(value) : { kind: 'other', ...at, parts: [] };
    }
    case 'implied_do_loop_expression':
      return impliedLoop(node, reading, depth);
    default:
      return { kind: 'other', ...at, parts: operands(node).map(of) };
  }
}

/** Named children that are values: comments and marks of continuation are none. */
export function operands(node: RawNode): RawNode[] {
  return node.children.filter((child) => child.named && !notValues.has(child.type));
}

const notValues: ReadonlySet<string> = new Set(
  (
    'kind statement_label statement_label_reference assumed_size assumed_rank format_identifier ' +
    'block_label_start_expression block_label intrinsic_type derived_type edit_descriptor comment default'
  ).split(' '),
);

export function field(node: RawNode, name: string): RawNode | undefined {
  return node.children.find((child) => child.field === name);
}
export function child(node: RawNode, type: string): RawNode | undefined {
  return node.children.find((each) => each.type === type);
}
export function textOf(node: RawNode, { text }: Reading): string {
  return text.slice(node.start, node.end);
}

function numberOf(node: RawNode, reading: Reading): Value {
  const at = { start: node.start, end: node.end };
  const written = textOf(node, reading).replace(/\s|&/g, '').toLowerCase();
  const match = /^(\d*\.?\d*)(?:([ed])([-+]?\d+))?(?:_(\w+))?$/.exec(written);
  if (!match || match[1] === '' || match[1] === '.') return { kind: 'other', ...at, parts: [] };
  const value = Number.parseFloat(`${match[1]}${match[3] === undefined ? '' : `e${match[3]}`}`);
  return { kind: 'number', ...at, value, integer: !match[1]!.includes('.') && match[2] === undefined };
}

/** `kind(1.d0)`, which a number alone would not tell. */
function kindOfLiteral(literal: RawNode, at: Place, reading: Reading): Value {
  const written = textOf(literal, reading).toLowerCase();
  const kind = child(literal, 'identifier');
  if (kind) return readValue(kind, reading);
  return { kind: 'number', start: at.start, end: at.end, value: /_8$|d/.test(written) ? 8 : 4, integer: true };
}

function operation(node: RawNode, reading: Reading, of: (node: RawNode) => Value): Value {
  const at = { start: node.start, end: node.end };
  const operator = field(node, 'operator');
  const written = operator ? textOf(operator, reading).toLowerCase() : '';
  const op = OPERATORS[written] ?? written;
  const left = field(node, 'left');
  const right = field(node, 'right');
  const argument = field(node, 'argument');
  if (left && right && !op.startsWith('.') && op !== '')
    return { kind: 'binary', ...at, op, left: of(left), right: of(right) };
  if (argument && !left && !op.startsWith('.') && op !== '') return { kind: 'unary', ...at, op, operand: of(argument) };
  return {
    kind: 'other',
    ...at,
    parts: operands(node)
      .filter((each) => each !== operator)
      .map(of),
  };
}

function sectionOf(node: RawNode, of: (node: RawNode) => Value): SectionValue {
  const parts: (RawNode | undefined)[] = [undefined, undefined, undefined];
  let place = 0;
  for (const each of node.children) {
    if (each.type === ':') place++;
    else if (each.type === '::') place += 2;
    else if (each.named && !notValues.has(each.type) && place < 3) parts[place] = each;
  }
  const [lower, upper, step] = parts;
  return {
    kind: 'section',
    start: node.start,
    end: node.end,
    ...(lower ? { lower: of(lower) } : {}),
    ...(upper ? { upper: of(upper) } : {}),
    ...(step ? { step: of(step) } : {}),
  };
}

function impliedLoop(node: RawNode, reading: Reading, depth: number): Value {
  const control = child(node, 'loop_control_expression');
  const of = (inner: RawNode): Value => readValue(inner, reading, false, depth + 1);
  const [variable, ...bounds] = control ? operands(control) : [];
  return {
    kind: 'other',
    start: node.start,
    end: node.end,
    parts: [
      ...operands(node)
        .filter((each) => each !== control)
        .map(of),
      ...bounds.map(of),
    ],
    ...(variable ? { assigns: [of(variable)] } : {}),
  };
}

/** `a(i, j)`, `f(x)`, `s%v(i)`, and substrings. */
function subscripted(node: RawNode, reading: Reading, written: boolean, depth: number): Value {
  const at = { start: node.start, end: node.end };
  const [callee, ...lists] = node.children.filter((each) => each.named);
  const argumentsOf = (list: RawNode | undefined): Value[] =>
    (list ? operands(list) : []).map((each) => readValue(each, reading, false, depth + 1));
  if (!callee) return { kind: 'other', ...at, parts: [] };
  const args = argumentsOf(lists[0]);
  if (lists.length > 1 || callee.type === 'call_expression') {
    // A substring of an element: c(i)(1:3).
    const base = callee.type === 'call_expression' ? readValue(callee, reading, written, depth + 1) : undefined;
    return { kind: 'other', ...at, parts: [...(base ? [base] : []), ...lists.flatMap(argumentsOf)] };
  }
  const sections = args.some((arg) => arg.kind === 'section');
  if (callee.type === 'derived_type_member_expression') {
    const base = memberOf(callee, reading, depth + 1);
    const component = memberType(base, reading.scope);
    if (component === 'unknown' || component?.dimensions || written || sections)
      return element(at, base.path, base, args);
    return { kind: 'call', ...at, name: base.path, args };
  }
  if (callee.type !== 'identifier')
    return { kind: 'other', ...at, parts: [readValue(callee, reading, false, depth + 1), ...args] };
  const name = textOf(callee, reading).toLowerCase();
  const literal = name === 'kind' && lists[0] ? operands(lists[0])[0] : undefined;
  if (literal?.type === 'number_literal') return kindOfLiteral(literal, at, reading);
  const variable = variableOf(reading.scope, name);
  const base: Value = { kind: 'name', start: callee.start, end: callee.end, name };
  if (variable?.dimensions) return element(at, name, base, args);
  if (variable?.type === 'char' && sections) return { kind: 'other', ...at, parts: [base, ...args] };
  const call: CallValue = { kind: 'call', ...at, name, args };
  // A function that is declared with its type is a variable without dimensions; only an array can be assigned to or
  // have sections.
  if (isProcedure(reading.scope, name)) return call;
  if (!written && !sections) return call;
  if (!variable) reading.undeclared?.(name, base);
  return element(at, name, base, args);
}

function element(at: Place, array: string, base: Value, subscripts: readonly Value[]): ElementValue {
  return { kind: 'element', start: at.start, end: at.end, array, base, subscripts };
}

function memberOf(node: RawNode, reading: Reading, depth: number): MemberValue {
  const parts = node.children.filter((each) => each.named && !notValues.has(each.type));
  const last = parts.at(-1);
  const object = parts[0];
  const field = last && last !== object ? textOf(last, reading).toLowerCase() : '';
  const inner: Value =
    object && depth < deepest
      ? readValue(object, reading, true, depth + 1)
      : { kind: 'other', start: node.start, end: node.end, parts: [] };
  const path = `${pathOf(inner, reading)}%${field}`;
  return { kind: 'member', start: node.start, end: node.end, object: inner, field, path };
}

function pathOf(value: Value, reading: Reading): string {
  switch (value.kind) {
    case 'name':
      return value.name;
    case 'member':
      return value.path;
    default:
      return reading.text
        .slice(value.start, value.end)
        .replace(/[\s&]+/g, '')
        .toLowerCase();
  }
}

/** The component that a member names; `unknown` when its object's type is not known. */
function memberType(member: MemberValue, scope: Scope): ReturnType<typeof componentOf> | 'unknown' {
  const owner = ownerType(member.object, scope);
  if (owner === undefined) return 'unknown';
  return componentOf(scope, owner, member.field) ?? (typeOf(scope, owner) ? undefined : 'unknown');
}

function ownerType(object: Value, scope: Scope): string | undefined {
  if (object.kind === 'element') return ownerType(object.base, scope);
  if (object.kind === 'name') {
    const variable = variableOf(scope, object.name);
    return variable && derivedOf(variable);
  }
  if (object.kind === 'member') {
    const owner = ownerType(object.object, scope);
    return componentOf(scope, owner, object.field)?.type.derived;
  }
  return undefined;
}
