// Expressions of C and C++ as values: elements under one array with all their subscripts, members by their path, casts
// dropped.
import type { Expr, ParamDecl, VarDecl } from '../../../syntax/ast';
import type { ElementValue, Place, Value, Variable } from '../../../syntax/procedures';
import {
  constantOf,
  lastPart,
  type Program,
  assignedNames,
  intType,
  scalarNamed,
  type Type,
  type TypeTable,
  namesIn,
} from '../../language';
import { rootName } from '../../../syntax/directives/values';
import type { Declarations } from './scopes';

type Node = { readonly start: number; readonly end: number; readonly macro?: boolean };

/** A node's place in the file, where its offsets count from `base`. */
export function placeFrom(base: number, { start, end, macro }: Node): Place {
  return { start: base + start, end: base + end, ...(macro ? { macro: true } : {}) };
}

/** The place of a name in a declaration. */
export function placeOfName(base: number, decl: Pick<VarDecl | ParamDecl, 'nameStart' | 'name' | 'macro'>): Place {
  const { nameStart: start, name, macro } = decl;
  return placeFrom(base, { start, end: start + name.length, ...(macro ? { macro } : {}) });
}

/** A number that stands nowhere in the text. */
export function syntheticNumber(value: number): Value {
  return { kind: 'number', value, integer: true, start: 0, end: 0, macro: true };
}

export function negated(operand: Value): Value {
  return { kind: 'unary', op: '-', operand, ...placeFrom(0, operand) };
}

/** An integer constant that a name stands for. */
export function integerConstant(name: string, at: Place, uri: string, value: Value | undefined): Variable {
  return {
    name,
    at,
    uri,
    role: 'global',
    type: 'int',
    elementBytes: 4,
    floating: false,
    constant: true,
    ...(value ? { value } : {}),
  };
}

export interface Expressions {
  value(expr: Expr): Value;
  /** A node's place in the file. */
  place(node: Node): Place;
}

/** `base` is what offsets of the expressions count from. */
export function createExpressions(
  declarations: Declarations,
  types: TypeTable,
  program: Program,
  base: number,
): Expressions {
  const place = (node: Node): Place => placeFrom(base, node);
  const other = (expr: Expr, parts: readonly Value[], assigns: readonly Value[] = []): Value => ({
    kind: 'other',
    ...place(expr),
    parts,
    ...(assigns.length ? { assigns } : {}),
  });

  /** `std::cin >> x`: of anything that is not known to be a number, `>>` may be the operator of a stream. */
  function mayBeStream(expr: Expr): boolean {
    if (expr.kind === 'binary') return expr.op === '>>' && mayBeStream(expr.left);
    if (expr.kind !== 'name' && expr.kind !== 'member') return false;
    const type = typeOf(expr);
    return type !== undefined
      ? type.kind !== 'scalar'
      : expr.kind === 'member' || program.enumerator(lastPart(expr.name)) === undefined;
  }

  function value(expr: Expr): Value {
    switch (expr.kind) {
      case 'name':
        typeOf(expr);
        return { kind: 'name', ...place(expr), name: lastPart(expr.name) };
      case 'number':
        return { kind: 'number', ...place(expr), value: expr.value, integer: !/float|double/.test(expr.type) };
      case 'string':
        return other(expr, []);
      case 'unary': {
        if (expr.op === '*') return pointee(expr, expr.operand);
        return { kind: 'unary', ...place(expr), op: expr.op, operand: value(expr.operand) };
      }
      case 'update': {
        const operand = value(expr.operand);
        return other(expr, [operand], [operand]);
      }
      case 'binary': {
        const left = value(expr.left);
        const right = value(expr.right);
        // `std::cin >> x` writes x.
        if (expr.op === '>>' && mayBeStream(expr.left)) return other(expr, [left], [right]);
        return { kind: 'binary', ...place(expr), op: expr.op, left, right };
      }
      case 'assign': {
        const target = value(expr.target);
        return other(expr, expr.op === '=' ? [value(expr.value)] : [target, value(expr.value)], [target]);
      }
      case 'conditional':
        return {
          kind: 'conditional',
          ...place(expr),
          cond: value(expr.cond),
          then: value(expr.then),
          else: value(expr.else),
        };
      case 'index':
        return elementOf(expr, value(expr.base), value(expr.index));
      case 'member':
        return memberOf(expr);
      case 'call': {
        const args = expr.args.map(value);
        if (expr.callee.kind === 'name') {
          const name = lastPart(expr.callee.name);
          if (args.length === 1 && scalarNamed(expr.callee.name) && !expr.braces) return args[0]!;
          // A name that is not a function may be a function pointer, a functor or a constructor: nothing is known of
          // it, and the name says so.
          return { kind: 'call', ...place(expr), name, args };
        }
        if (expr.callee.kind === 'member') {
          const object = value(expr.callee.object);
          return {
            kind: 'call',
            ...place(expr),
            name: `${pathOf(object)}.${expr.callee.field}`,
            args: [object, ...args],
          };
        }
        return { kind: 'call', ...place(expr), name: '(…)', args: [value(expr.callee), ...args] };
      }
      case 'launch':
        return {
          kind: 'call',
          ...place(expr),
          name: expr.callee.kind === 'name' ? `${lastPart(expr.callee.name)}<<<…>>>` : '<<<…>>>',
          args: [...expr.config, ...expr.args].map(value),
        };
      case 'cast': {
        const operand = value(expr.operand);
        const type = declarations.resolve(expr.type);
        if (type.kind === 'scalar' && !type.float && operand.kind === 'number')
          return { ...operand, value: Math.trunc(operand.value), integer: true };
        if (type.kind === 'scalar' && type.float && operand.kind === 'number') return { ...operand, integer: false };
        // A whole number made of a floating one is another value; the rest keep theirs.
        return type.kind === 'scalar' && !type.float && isFloating(operand) ? other(expr, [operand]) : operand;
      }
      case 'sizeof': {
        const size = constantOf(expr, program, types);
        return size === undefined ? other(expr, []) : { kind: 'number', ...place(expr), value: size, integer: true };
      }
      case 'initList':
        return other(expr, expr.elements.map(value));
      case 'lambda': {
        // Its body may run anywhere or never: what it names is read and what it assigns is written, here.
        const names = new Set([...namesIn(expr.body)].map(lastPart));
        const named = (name: string): Value => ({ kind: 'name', ...place(expr), name });
        return other(
          expr,
          [...names].map(named),
          expr.captureByReference ? [...assignedNames(expr.body)].map(named) : [],
        );
      }
      case 'new':
        return {
          kind: 'call',
          ...place(expr),
          name: 'new',
          args: [...(expr.size ? [value(expr.size)] : []), ...(expr.args ?? []).map(value)],
        };
      case 'delete':
        return { kind: 'call', ...place(expr), name: 'delete', args: [value(expr.operand)] };
      // A broken piece may hold statements, which have no value.
      case 'opaque':
        return other(
          expr,
          expr.parts.flatMap((part) => (value(part) as Value | undefined) ?? []),
        );
    }
  }

  function isFloating(operand: Value): boolean {
    switch (operand.kind) {
      case 'number':
        return !operand.integer;
      case 'binary':
        return isFloating(operand.left) || isFloating(operand.right);
      case 'unary':
        return isFloating(operand.operand);
      case 'call':
        return /^f?(sqrt|ceil|floor|pow|log\w*|exp|round|trunc)f?$/.test(operand.name);
      case 'name': {
        const type = declarations.typeOf(operand.name);
        return type?.kind === 'scalar' && type.float;
      }
      default:
        return false;
    }
  }

  function elementOf(expr: Expr, array: Value, subscript: Value): Value {
    const inner = array.kind === 'unary' && array.op === '&' ? array.operand : array;
    if (inner.kind === 'element') {
      // `&a[i]` as a pointer: `(&a[i])[j]` is `a[i + j]`; `a[i][j]` has one subscript more.
      const { subscripts } = inner;
      const last = subscripts.at(-1);
      if (array !== inner && last)
        return { ...inner, ...place(expr), subscripts: [...subscripts.slice(0, -1), sum(last, subscript)] };
      return { ...inner, ...place(expr), subscripts: [...subscripts, subscript] };
    }
    return { kind: 'element', ...place(expr), array: pathOf(inner), base: inner, subscripts: [subscript] };
  }

  function sum(left: Value, right: Value): Value {
    if (right.kind === 'number' && right.value === 0) return left;
    const [start, end] = [Math.min(left.start, right.start), Math.max(left.end, right.end)];
    const macro = left.macro === true || right.macro === true;
    return { kind: 'binary', op: '+', left, right, ...placeFrom(0, { start, end, macro }) };
  }

  /** `*p`, `*(p + i)`, `*&x`. */
  function pointee(expr: Expr, operand: Expr): Value {
    const pointer = value(operand);
    if (pointer.kind === 'unary' && pointer.op === '&') return { ...pointer.operand, ...place(expr) };
    const zero: Value = { ...syntheticNumber(0), start: base + operand.end, end: base + operand.end };
    const split = splitPointer(pointer, operand);
    if (split) return elementOf(expr, split.pointer, split.offset);
    // `*p++`: the element of p, and p changes.
    if (pointer.kind === 'other' && pointer.assigns?.length === 1)
      return { kind: 'element', ...place(expr), array: pathOf(pointer.assigns[0]!), base: pointer, subscripts: [zero] };
    return elementOf(expr, pointer, zero);
  }

  function splitPointer(pointer: Value, expr: Expr): { readonly pointer: Value; readonly offset: Value } | undefined {
    if (pointer.kind !== 'binary' || (pointer.op !== '+' && pointer.op !== '-')) return undefined;
    while (expr.kind === 'cast') expr = expr.operand;
    if (expr.kind !== 'binary') return undefined;
    if (pointer.op === '+' && isPointer(expr.right) && !isPointer(expr.left)) {
      const inner = splitPointer(pointer.right, expr.right);
      return inner
        ? { pointer: inner.pointer, offset: sum(inner.offset, pointer.left) }
        : { pointer: pointer.right, offset: pointer.left };
    }
    const inner = splitPointer(pointer.left, expr.left);
    const offset = pointer.op === '+' ? pointer.right : negated(pointer.right);
    return inner ? { pointer: inner.pointer, offset: sum(inner.offset, offset) } : { pointer: pointer.left, offset };
  }

  function isPointer(expr: Expr): boolean {
    const type = typeOf(expr);
    return type?.kind === 'pointer' || type?.kind === 'array';
  }

  function memberOf(expr: Expr & { readonly kind: 'member' }): Value {
    if (expr.object.kind === 'name' && expr.object.name === 'this') {
      declarations.typeOf(expr.field);
      return { kind: 'name', ...place(expr), name: expr.field };
    }
    const object = value(expr.object);
    const owner = pathOf(object);
    // `(*A).x` and `A[0].x` are `A->x`.
    const throughFirst =
      object.kind === 'element' &&
      object.subscripts.length === 1 &&
      object.subscripts[0]!.kind === 'number' &&
      object.subscripts[0]!.value === 0 &&
      !object.array.includes('[');
    const path = throughFirst
      ? `${(object as ElementValue).array}->${expr.field}`
      : `${owner}${expr.arrow ? '->' : '.'}${expr.field}`;
    const root = rootName(object) ?? /^\w+/.exec(owner)?.[0];
    const type = typeOf(expr);
    if (root && type) declarations.member(path, root, type);
    return { kind: 'member', ...place(expr), object, field: expr.field, path };
  }

  /** The type of an expression as far as visible declarations say. */
  function typeOf(expr: Expr, depth = 0): Type | undefined {
    if (depth > 40) return undefined;
    const under = (type: Type | undefined): Type | undefined => (type?.kind === 'reference' ? type.to : type);
    switch (expr.kind) {
      case 'name':
        return under(declarations.typeOf(lastPart(expr.name)));
      case 'number':
        return scalarNamed(expr.type) ?? intType;
      case 'cast':
        return declarations.resolve(expr.type);
      case 'index': {
        const type = typeOf(expr.base, depth + 1);
        return type?.kind === 'pointer' ? type.to : type?.kind === 'array' ? type.of : undefined;
      }
      case 'member': {
        let type = typeOf(expr.object, depth + 1);
        if (type?.kind === 'pointer') type = type.to;
        return type?.kind === 'struct' ? under(type.fields.get(expr.field)?.type) : undefined;
      }
      case 'unary': {
        const type = typeOf(expr.operand, depth + 1);
        if (expr.op === '*') return type?.kind === 'pointer' ? type.to : type?.kind === 'array' ? type.of : undefined;
        if (expr.op === '&') return type ? { kind: 'pointer', to: type } : undefined;
        return type;
      }
      case 'update':
        return typeOf(expr.operand, depth + 1);
      case 'binary': {
        const left = typeOf(expr.left, depth + 1);
        return left?.kind === 'pointer' || left?.kind === 'array' ? left : (typeOf(expr.right, depth + 1) ?? left);
      }
      case 'conditional':
        return typeOf(expr.then, depth + 1);
      case 'call': {
        const fn = expr.callee.kind === 'name' ? program.functions(expr.callee.name)[0] : undefined;
        return fn ? under(declarations.resolve(fn.returns)) : undefined;
      }
      default:
        return undefined;
    }
  }

  return { value, place };
}

/** A value's path as one text without blanks: `a`, `A->vals`, `s[].x`; empty for what has none. */
function pathOf(value: Value): string {
  switch (value.kind) {
    case 'name':
      return value.name;
    case 'member':
      return value.path;
    case 'element':
      return `${value.array}[]`;
    case 'unary':
      return value.op === '&' ? pathOf(value.operand) : '';
    default:
      return '';
  }
}
