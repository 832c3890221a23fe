// Constant expressions outside any run: array sizes, template arguments, alignments, file-scope constants.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import { once } from './append';
import { globalsMeant, lastPart, type GlobalDecl, type Program } from './program';
import { alignOf, boundType, boundValue, sizeOf, type Bindings, type Type } from './types';
import type { TypeTable } from './types';

const maximumDepth = 40;

/** Calls and members of templates that one constant may ask for: each may ask for several others, down to the depth. */
const mostAsked = 2000;
let asked = 0;
let asking = 0;

/** Undefined where the constant has asked for too much already; what it asks for in turn is counted with it. */
function counted(find: () => number | undefined): number | undefined {
  if (asking === 0) asked = 0;
  if (++asked > mostAsked) return undefined;
  asking++;
  try {
    return find();
  } finally {
    asking--;
  }
}

/** The value of a constant expression; undefined where it is none, or depends on something unknown. Never throws. */
export function constantOf(
  expr: Expr,
  program: Program,
  types: TypeTable,
  bindings?: Bindings,
  within?: string,
  locals?: ReadonlyMap<string, number>,
  depth = 0,
): number | undefined {
  if (depth > maximumDepth) return undefined;
  const again = (inner: Expr): number | undefined =>
    constantOf(inner, program, types, bindings, within, locals, depth + 1);
  switch (expr.kind) {
    case 'number':
      return expr.type === 'nullptr' ? 0 : expr.value;
    case 'name': {
      const local = locals?.get(expr.name) ?? boundValue(bindings, expr.name);
      if (local !== undefined) return local;
      // What a parameter stands for has its own members, and no others of their name.
      const end = expr.name.indexOf('::');
      if (expr.scopeArgs || (end > 0 && boundType(bindings, expr.name.slice(0, end)))) {
        // `T::value`, `Traits<T>::value`: a constant or an enumerator of the class chosen by these arguments.
        const at = expr.name.lastIndexOf('::');
        const owner = { kind: 'named', name: expr.name.slice(0, at) } as const;
        const type = (): Type =>
          types.resolve(expr.scopeArgs ? { ...owner, args: expr.scopeArgs } : owner, bindings, within);
        return counted(() => staticConstant(type(), expr.name.slice(at + 2), program, types, depth));
      }
      if (expr.name === 'warpSize') return 32;
      const limit = limits.get(expr.name);
      if (limit !== undefined) return limit;
      const enumerator = program.enumerator(expr.name);
      if (enumerator) {
        const base = enumerator.value ? again(enumerator.value) : 0;
        return base === undefined ? undefined : base + enumerator.offset;
      }
      let found: number | undefined;
      let of: string | undefined;
      for (const global of globalsMeant(program.globals(expr.name), expr.name, within)) {
        if (
          !global.init ||
          !(global.constant || global.constexpr) ||
          global.type.kind === 'array' ||
          global.type.kind === 'pointer'
        )
          continue;
        const value = globalConstant(global, global.init, program, types, depth);
        const whole = value !== undefined && isInteger(global.type) ? Math.trunc(value) : value;
        // Two namespaces have one each, and which of them is in use nothing here tells.
        if (of !== undefined && of !== global.qualifiedName && found !== whole) return undefined;
        found ??= whole;
        of ??= global.qualifiedName;
      }
      if (found !== undefined) return found;
      const field = staticField(expr.name, program, within);
      return field && constantOf(field.init, program, types, bindings, field.owner, undefined, depth + 1);
    }
    case 'unary': {
      const value = again(expr.operand);
      if (value === undefined) return undefined;
      switch (expr.op) {
        case '-':
          return -value;
        case '+':
          return value;
        case '!':
          return value ? 0 : 1;
        case '~':
          return ~value;
        default:
          return undefined;
      }
    }
    case 'binary': {
      const left = again(expr.left);
      if (expr.op === '&&' && left === 0) return 0;
      if (expr.op === '||' && left) return 1;
      const right = again(expr.right);
      return left === undefined || right === undefined
        ? undefined
        : applyConstant(expr.op, left, right, isFloating(expr.left) || isFloating(expr.right));
    }
    case 'conditional': {
      const cond = again(expr.cond);
      return cond === undefined ? undefined : again(cond ? expr.then : expr.else);
    }
    case 'cast': {
      if (isOfVariable(expr, program)) return undefined;
      const value = again(expr.operand);
      const type = types.resolve(expr.type, bindings, within);
      return value === undefined ? undefined : type.kind === 'scalar' && !type.float ? Math.trunc(value) : value;
    }
    case 'sizeof': {
      const type = expr.type
        ? types.resolve(expr.type, bindings, within)
        : expr.operand?.kind === 'name'
          ? (boundType(bindings, expr.operand.name) ??
            types.resolve({ kind: 'named', name: expr.operand.name }, bindings, within))
          : undefined;
      return type && type.kind !== 'unknown' ? (expr.alignof ? alignOf(type) : sizeOf(type)) : undefined;
    }
    case 'member':
      return expr.object.kind === 'name' ? locals?.get(`${expr.object.name}.${expr.field}`) : undefined;
    case 'initList':
      return expr.elements.length === 1 ? again(expr.elements[0]!) : undefined;
    case 'call': {
      if (expr.callee.kind !== 'name') return undefined;
      const args = expr.args.map(again);
      const name = lastPart(expr.callee.name);
      if (args.every((arg) => arg !== undefined)) {
        const known = args as number[];
        if (name === 'max') return Math.max(...known);
        if (name === 'min') return Math.min(...known);
        const [real] = /^(?:sqrt|ceil|floor|abs)(?=f?$)/.exec(name) ?? [];
        if (real && known.length === 1) return Math[real as 'sqrt' | 'ceil' | 'floor' | 'abs'](known[0]!);
        if (
          known.length === 1 &&
          types.resolve({ kind: 'named', name: expr.callee.name }, bindings, within).kind === 'scalar'
        )
          return known[0];
        for (const fn of program.functions(name)) {
          const value =
            fn.body && fn.params.length === known.length
              ? counted(() => callConstant(fn, known, program, types, depth))
              : undefined;
          if (value !== undefined) return value;
        }
      }
      return undefined;
    }
    default:
      return undefined;
  }
}

/** Values of globals, each computed once: `c2 = c1 + c1` in a chain of thousands doubles the work with every link. */
const globalValues = once((_: Program) => new Map<object, number | undefined>());

function globalConstant(
  global: GlobalDecl,
  init: Expr,
  program: Program,
  types: TypeTable,
  depth: number,
): number | undefined {
  const known = globalValues(program);
  if (known.has(global)) return known.get(global);
  // While it is being computed it has no value: a constant that needs itself is none.
  known.set(global, undefined);
  const expr = init.kind === 'initList' && init.elements.length === 1 ? init.elements[0]! : init;
  const scope = global.qualifiedName.slice(0, Math.max(0, global.qualifiedName.lastIndexOf('::')));
  const value = constantOf(expr, program, types, undefined, scope, undefined, depth + 1);
  // What the limit of depth cut short may be known from nearer by; near the limit that is little to compute again.
  if (value === undefined && depth > maximumDepth - 8) known.delete(global);
  else known.set(global, value);
  return value;
}

/** `(tile) - 2 * reach`, which the grammar takes for a cast: what its operators bind is not what is computed. */
export function isOfVariable({ style, type }: Expr & { kind: 'cast' }, program: Program): boolean {
  return style === 'c' && type.kind === 'named' && !type.args && program.globals(type.name).length > 0;
}

const limits = new Map<string, number>([
  ['INT_MAX', 2147483647],
  ['UINT_MAX', 4294967295],
  ['INT_MIN', -2147483648],
  ['CHAR_BIT', 8],
  ['RAND_MAX', 2147483647],
  ['true', 1],
  ['false', 0],
]);

function isInteger(type: { readonly kind: string; readonly name?: string }): boolean {
  return type.kind === 'named' && type.name !== 'float' && type.name !== 'double';
}
export function isFloating(expr: Expr): boolean {
  switch (expr.kind) {
    case 'number':
      return expr.type === 'float' || expr.type === 'double';
    case 'binary':
      return isFloating(expr.left) || isFloating(expr.right);
    case 'unary':
      return isFloating(expr.operand);
    case 'cast':
      return expr.type.kind === 'named' && /float|double/.test(expr.type.name);
    case 'call':
      return expr.callee.kind === 'name' && /^(?:float|double)$/.test(expr.callee.name);
    default:
      return false;
  }
}

/**
 * C++ arithmetic on two constants; integers divide and shift as 64-bit ones. Undefined for division by zero and unknown
 * operators.
 */
export function applyConstant(op: string, left: number, right: number, floating: boolean): number | undefined {
  switch (op) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return right === 0
        ? undefined
        : floating || !Number.isInteger(left) || !Number.isInteger(right)
          ? left / right
          : Math.trunc(left / right);
    case '%':
      return right === 0 ? undefined : left % right;
    case '<<':
      return left * 2 ** right;
    case '>>':
      return Math.floor(left / 2 ** right);
    case '&':
      return bitwise(left, right, (a, b) => a & b);
    case '|':
      return bitwise(left, right, (a, b) => a | b);
    case '^':
      return bitwise(left, right, (a, b) => a ^ b);
    case '<':
      return left < right ? 1 : 0;
    case '>':
      return left > right ? 1 : 0;
    case '<=':
      return left <= right ? 1 : 0;
    case '>=':
      return left >= right ? 1 : 0;
    case '==':
      return left === right ? 1 : 0;
    case '!=':
      return left !== right ? 1 : 0;
    case '&&':
      return left && right ? 1 : 0;
    case '||':
      return left || right ? 1 : 0;
    case ',':
      return right;
    default:
      return undefined;
  }
}
function bitwise(left: number, right: number, apply: (a: bigint, b: bigint) => bigint): number {
  return Number.isSafeInteger(left) && Number.isSafeInteger(right) ? Number(apply(BigInt(left), BigInt(right))) : 0;
}

/** `Struct::value`, and a bare `value` inside that struct: the initialiser of a static constant of a class. */
function staticField(name: string, program: Program, within: string | undefined) {
  const last = lastPart(name);
  const owner = name.includes('::') ? name.slice(0, name.lastIndexOf('::')) : within;
  if (!owner) return undefined;
  const named = program.structs(lastPart(owner.replace(/<.*$/, '')));
  // Which of several specialisations is meant, the name alone does not say.
  const decl = named.some((each) => each.specialisedFor) ? undefined : named[0];
  const field = decl?.fields.find((candidate) => candidate.static && candidate.name === last && candidate.init);
  return field?.init && { init: field.init, owner: decl!.qualifiedName };
}

/** A static constant or an enumerator of a class with its template arguments, or of its bases. */
export function staticConstant(
  owner: Type,
  last: string,
  program: Program,
  types: TypeTable,
  depth = 0,
): number | undefined {
  const ofClass = (type: Type, left: number): number | undefined => {
    if (type.kind !== 'struct' || !type.decl || left === 0) return undefined;
    const { decl } = type;
    const numberOf = (init: Expr): number | undefined =>
      constantOf(init, program, types, type.bindings, decl.qualifiedName, undefined, depth + 1);
    const field = decl.fields.find((each) => each.static && each.name === last && each.init);
    if (field) return numberOf(field.init!);
    for (const { values } of decl.enums) {
      let value: number | undefined = -1;
      for (const each of values) {
        value = each.value ? numberOf(each.value) : value === undefined ? undefined : value + 1;
        if (each.name === last) return value;
      }
    }
    for (const base of decl.bases) {
      const found = ofClass(types.resolve(base, type.bindings, decl.qualifiedName), left - 1);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return counted(() => ofClass(owner, 8));
}

/** A constexpr function's value where its body is a chain of constants, conditions and one return. */
function callConstant(
  fn: FunctionDecl,
  args: readonly number[],
  program: Program,
  types: TypeTable,
  depth: number,
): number | undefined {
  const locals = new Map<string, number>(fn.params.map((param, at) => [param.name, args[at]!]));
  const evaluate = (expr: Expr): number | undefined =>
    constantOf(expr, program, types, undefined, fn.className, locals, depth + 1);
  const run = (stmt: Stmt): number | undefined | 'next' => {
    switch (stmt.kind) {
      case 'block':
        for (const inner of stmt.body) {
          const result = run(inner);
          if (result !== 'next') return result;
        }
        return 'next';
      case 'return':
        return stmt.value && evaluate(stmt.value);
      case 'if': {
        const cond = evaluate(stmt.cond);
        return cond === undefined ? undefined : cond ? run(stmt.then) : stmt.else ? run(stmt.else) : 'next';
      }
      case 'decl': {
        for (const variable of stmt.vars) {
          const value = variable.init && evaluate(variable.init);
          if (value === undefined) return undefined;
          locals.set(variable.name, value);
        }
        return 'next';
      }
      case 'empty':
        return 'next';
      default:
        return undefined;
    }
  };
  const result = run(fn.body!);
  return result === 'next' ? undefined : result;
}
