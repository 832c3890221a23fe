// Static types of C++ expressions in one function, as far as visible declarations and CUDA's own functions tell.
import { step } from '../steps';
import { scopeAround } from './program';
import { isFloatFunction, isOverloadedMath } from './libraryFunctions';
import type { Expr, FunctionDecl, NameExpr } from '../../syntax/ast';
import { once } from './append';
import {
  boolType,
  doubleType,
  floatType,
  intType,
  longType,
  scalarNamed,
  unsignedType,
  type ScalarType,
  type Type,
  type TypeTable,
} from './types';
import type { TypedFunction } from './functionText';
import { calleeName } from './scope';
import { isThreadPlace } from './threadNames';

/** Macros of <math.h> and <float.h> that are double literals. */
const doubleMacros =
  /^(M_(E|LOG2E|LOG10E|LN2|LN10|PI|PI_2|PI_4|1_PI|2_PI|2_SQRTPI|SQRT2|SQRT1_2)|DBL_(MAX|MIN|EPSILON))$/;
export function isDoubleMacro(name: string): boolean {
  return doubleMacros.test(name);
}

export interface Typing {
  typeOf(expr: Expr): Type | undefined;
  /** The number that the name of a constant outside of functions stands for; undefined for variables. */
  constantOf(name: NameExpr): number | undefined;
  /** The type that a call like `float(x)` or `T(x)` converts to. */
  conversionOf(call: Expr & { kind: 'call' }): ScalarType | undefined;
  readonly resultType: Type | undefined;
  parameterType(name: string, position: number, count: number): Type | undefined;
}

/** By the types first: a function lives as long as its text, and must not keep the programs of earlier versions. */
const typings = once((_: TypeTable) => new Map<FunctionDecl, Typing>());

export function typingOf(fn: TypedFunction): Typing {
  const known = typings(fn.types);
  const typing = known.get(fn.decl) ?? createTyping(fn);
  known.set(fn.decl, typing);
  return typing;
}

/** The usual arithmetic conversions. */
export function arithmetic(left: Type | undefined, right: Type | undefined): ScalarType | undefined {
  if (left?.kind !== 'scalar' || right?.kind !== 'scalar') return undefined;
  if (left.name === 'void' || right.name === 'void') return undefined;
  if (left.float || right.float) {
    if ((left.float && left.size === 2) || (right.float && right.size === 2))
      return left.name === right.name ? left : undefined; // half has its own operators
    return (left.float && left.size === 8) || (right.float && right.size === 8) ? doubleType : floatType;
  }
  const size = Math.max(left.size, right.size, 4);
  const unsigned = (!left.signed && left.size === size) || (!right.signed && right.size === size);
  if (size === 4) return unsigned ? unsignedType : intType;
  return unsigned ? scalarNamed('unsigned long long')! : longType;
}

const toFloat = new RegExp(
  [
    '^(__half2float|__int2float_r[nzud]|__uint2float_r[nzud]|__double2float_r[nzud]|__int_as_float',
    '__uint_as_float|__ll2float_r[nzud]|curand_uniform|curand_normal|__low2float|__high2float',
    '__bfloat162float)$',
  ].join('|'),
);

function isSameType(one: Type, other: Type): boolean {
  return one.kind === other.kind && (one as ScalarType).name === (other as ScalarType).name;
}

/** What `a[i]` or `a(i)` of an object is; undefined where its class has another number of such operators than one. */
export function elementOfObject(
  type: Type | undefined,
  operator: 'operator[]' | 'operator()',
  types: TypedFunction['types'],
): Type | undefined {
  if (type?.kind !== 'struct' || !type.decl) return undefined;
  const found = type.decl.methods.filter(({ name }) => name === operator);
  const [one] = found;
  if (!one || found.length > 1 || one.returns.kind === 'auto') return undefined;
  const returned = types.resolve(one.returns, type.bindings, type.decl.qualifiedName);
  return returned.kind === 'reference' ? returned.to : returned;
}

function createTyping(fn: TypedFunction): Typing {
  const { decl, program, types, locals } = fn;
  const cache = new Map<Expr, Type | undefined>();
  const strip = (type: Type | undefined): Type | undefined => (type?.kind === 'reference' ? type.to : type);
  const templates = new Set((decl.templateParams ?? []).map((param) => param.name));
  /** A template parameter that the launches do not settle may have the name of something else. */
  const isOpen = (name: string): boolean => templates.has(name) && !types.ofInstances?.types.has(name);
  const resolve = (syntax: Parameters<typeof types.resolve>[0]): Type | undefined => {
    const type = strip(types.resolve(syntax, undefined, scopeAround(decl)));
    return type?.kind === 'unknown' || (syntax.kind === 'named' && isOpen(syntax.name)) ? undefined : type;
  };

  function nameType(expr: NameExpr, depth: number): Type | undefined {
    const local = locals.of(expr);
    if (local) {
      const syntax = local.variable?.type ?? local.parameter?.type;
      if (!syntax) return undefined;
      const auto = syntax.kind === 'auto' || (syntax.kind === 'reference' && syntax.to.kind === 'auto');
      if (auto) {
        const init = local.variable?.init;
        return init
          ? typeOf(init.kind === 'initList' && init.elements.length === 1 ? init.elements[0]! : init, depth + 1)
          : undefined;
      }
      return resolve(syntax);
    }
    if (templates.has(expr.name)) {
      const param = decl.templateParams?.find((candidate) => candidate.name === expr.name);
      return param?.kind === 'value' ? resolve(param.type) : undefined;
    }
    const globals = program.globals(expr.name);
    if (globals.length) return resolve(globals[0]!.type);
    if (program.enumerator(expr.name)) return intType;
    if (expr.name === 'warpSize') return intType;
    if (doubleMacros.test(expr.name)) return doubleType;
    if (/^(FLT_(MAX|MIN|EPSILON)|INFINITY|NAN|CUDART_[A-Z0-9_]+_F)$/.test(expr.name)) return floatType;
    if (/^CUDART_[A-Z0-9_]+$/.test(expr.name)) return doubleType;
    if (/^(INT_MAX|INT_MIN|RAND_MAX)$/.test(expr.name)) return intType;
    return decl.className
      ? memberOf(program.structs(decl.className.slice(decl.className.lastIndexOf(':') + 1))[0], expr.name)
      : undefined;
  }
  function memberOf(decl: Parameters<typeof types.struct>[0] | undefined, field: string): Type | undefined {
    if (!decl || decl.templateParams?.length) return undefined;
    const type = strip(types.struct(decl).fields.get(field)?.type);
    return type?.kind === 'unknown' ? undefined : type;
  }

  function conversionOf({ callee, args }: Expr & { kind: 'call' }): ScalarType | undefined {
    if (callee.kind !== 'name' || args.length !== 1 || locals.of(callee) || program.functions(callee.name).length > 0)
      return undefined;
    const isNamed = templates.has(callee.name) || program.aliases(callee.name).length > 0;
    const type = isNamed ? resolve({ kind: 'named', name: callee.name }) : scalarNamed(callee.name);
    return type?.kind === 'scalar' ? type : undefined;
  }

  /** Does `fits` hold for each argument whose type is known, and the parameter's? */
  function takes(
    candidate: FunctionDecl,
    args: readonly (Type | undefined)[],
    fits: (parameter: Type, given: Type) => boolean,
  ): boolean {
    return args.every((given, at) => {
      const type = strip(types.resolve(candidate.params[at]!.type, undefined, scopeAround(candidate)));
      return !given || !type || type.kind === 'unknown' || fits(type, given);
    });
  }

  /** An overload for objects takes no numbers, nor the other way round. */
  function mayTake(candidate: FunctionDecl, args: readonly (Type | undefined)[]): boolean {
    if (candidate.params.length < args.length) return false;
    if (candidate.templateParams?.length) return true;
    return takes(candidate, args, ({ kind }, given) => (kind === 'scalar') === (given.kind === 'scalar'));
  }

  function callType(expr: Expr & { kind: 'call' }, depth: number): Type | undefined {
    const name = calleeName(expr);
    if (!name) return undefined;
    const { callee } = expr;
    if (callee.kind === 'name' && locals.of(callee)) {
      const element = elementOfObject(nameType(callee, depth), 'operator()', types);
      return element?.kind === 'unknown' ? undefined : element;
    }
    const args = (): (Type | undefined)[] => expr.args.map((arg) => typeOf(arg, depth + 1));
    const declared = program.functions(name).filter((candidate) => mayTake(candidate, args()));
    if (declared.length) {
      const exact = declared.filter((candidate) => takes(candidate, args(), isSameType));
      const returns = (exact.length > 0 ? exact : declared).map((candidate) =>
        candidate.templateParams?.length ? undefined : strip(types.resolve(candidate.returns)),
      );
      const first = returns[0];
      return first && first.kind !== 'unknown' && returns.every((type) => type && isSameType(type, first))
        ? first
        : undefined;
    }
    const converted = conversionOf(expr);
    if (converted) return converted;
    if (isFloatFunction(name)) return floatType;
    if (isOverloadedMath(name)) {
      const given = args();
      if (given.some((type) => type?.kind !== 'scalar' || (type.float && type.size === 2))) return undefined;
      return given.every((type) => (type as ScalarType).float && (type as ScalarType).size === 4)
        ? floatType
        : doubleType;
    }
    if (name === 'abs') {
      const [given] = args();
      return given?.kind === 'scalar' && given.float ? given : arithmetic(given, given);
    }
    if ((name === 'min' || name === 'max') && expr.args.length === 2) {
      const [left, right] = args();
      return arithmetic(left, right);
    }
    if (/^__shfl(_up|_down|_xor)?_sync$/.test(name)) return typeOf(expr.args[1]!, depth + 1);
    if (/^(__ldg|__ldcg|__ldcs|__ldca|__ldlu|__ldcv|atomic(Add|Sub|Exch|Min|Max|CAS)(_block|_system)?)$/.test(name)) {
      const pointer = args()[0];
      return pointer?.kind === 'pointer' ? strip(pointer.to) : pointer?.kind === 'array' ? pointer.of : undefined;
    }
    if (toFloat.test(name)) return floatType;
    if (
      /^(curand_uniform_double|curand_normal_double|__longlong_as_double|__int2double_rn|__hiloint2double)$/.test(name)
    )
      return doubleType;
    const made = /^make_((?:u?(?:char|short|int|long|longlong)|float|double)[1-4])$/.exec(name);
    if (made) return types.resolve({ kind: 'named', name: made[1]! });
    if (/^tex(1D|2D|3D|1Dfetch)/.test(name) && expr.callee.kind === 'name') {
      const arg = expr.callee.templateArgs?.[0];
      return arg && 'type' in arg ? resolve(arg.type) : undefined;
    }
    return undefined;
  }

  function typeOf(expr: Expr, depth = 0): Type | undefined {
    step();
    if (depth > 120) return undefined;
    if (cache.has(expr)) return cache.get(expr);
    const type = strip(compute(expr, depth));
    cache.set(expr, type);
    return type;
  }
  function compute(expr: Expr, depth: number): Type | undefined {
    switch (expr.kind) {
      case 'number':
        return scalarNamed(expr.type);
      case 'name':
        return nameType(expr, depth);
      case 'member': {
        if (expr.object.kind === 'name' && !locals.of(expr.object) && isThreadPlace(expr.object.name))
          return unsignedType;
        if (expr.object.kind === 'name' && expr.object.name === 'this')
          return decl.className
            ? memberOf(program.structs(decl.className.slice(decl.className.lastIndexOf(':') + 1))[0], expr.field)
            : undefined;
        let object = typeOf(expr.object, depth + 1);
        if (object?.kind === 'pointer') object = strip(object.to);
        const field = object?.kind === 'struct' ? strip(object.fields.get(expr.field)?.type) : undefined;
        return field?.kind === 'unknown' ? undefined : field;
      }
      case 'index': {
        const base = typeOf(expr.base, depth + 1);
        const element =
          base?.kind === 'pointer'
            ? strip(base.to)
            : base?.kind === 'array'
              ? base.of
              : elementOfObject(base, 'operator[]', types);
        return element?.kind === 'unknown' ? undefined : element;
      }
      case 'unary': {
        const operand = typeOf(expr.operand, depth + 1);
        if (expr.op === '*') {
          const to =
            operand?.kind === 'pointer' ? strip(operand.to) : operand?.kind === 'array' ? operand.of : undefined;
          return to?.kind === 'unknown' ? undefined : to;
        }
        if (expr.op === '&') return operand ? { kind: 'pointer', to: operand } : undefined;
        if (expr.op === '!') return boolType;
        return arithmetic(operand, operand);
      }
      case 'update':
        return typeOf(expr.operand, depth + 1);
      case 'assign':
        return typeOf(expr.target, depth + 1);
      case 'conditional': {
        const yes = typeOf(expr.then, depth + 1);
        const no = typeOf(expr.else, depth + 1);
        return yes?.kind === 'scalar' && no?.kind === 'scalar'
          ? yes.name === no.name
            ? yes
            : arithmetic(yes, no)
          : yes && no && yes.kind === no.kind
            ? yes
            : undefined;
      }
      case 'binary': {
        if (/^(==|!=|<|>|<=|>=|&&|\|\|)$/.test(expr.op)) return boolType;
        if (expr.op === ',') return typeOf(expr.right, depth + 1);
        const left = typeOf(expr.left, depth + 1);
        const right = typeOf(expr.right, depth + 1);
        if (expr.op === '<<' || expr.op === '>>') return arithmetic(left, left);
        if (left?.kind === 'pointer' || left?.kind === 'array')
          return right?.kind === 'scalar'
            ? left.kind === 'array'
              ? { kind: 'pointer', to: left.of }
              : left
            : longType;
        if (right?.kind === 'pointer' || right?.kind === 'array')
          return right.kind === 'array' ? { kind: 'pointer', to: right.of } : right;
        return arithmetic(left, right);
      }
      case 'call':
        return callType(expr, depth);
      case 'cast':
        return resolve(expr.type);
      case 'sizeof':
        return scalarNamed('size_t');
      default:
        return undefined;
    }
  }

  return {
    typeOf: (expr) => typeOf(expr),
    constantOf: (name) => (locals.of(name) || templates.has(name.name) ? undefined : types.constant(name)),
    conversionOf,
    resultType: resolve(decl.returns),
    parameterType(name, position, count) {
      const declared = program.functions(name).filter((candidate) => candidate.params.length >= count);
      if (!declared.length)
        return isFloatFunction(name) ? floatType : /^make_float[1-4]$/.test(name) ? floatType : undefined;
      const resolved = declared.map((candidate) =>
        candidate.templateParams?.length || !candidate.params[position]
          ? undefined
          : strip(types.resolve(candidate.params[position]!.type)),
      );
      const first = resolved[0];
      return first &&
        resolved.every((type) => type?.kind === 'scalar' && first.kind === 'scalar' && type.name === first.name)
        ? first
        : undefined;
    },
  };
}

export function isFloat(type: Type | undefined): boolean {
  return type?.kind === 'scalar' && type.float && type.size === 4;
}
export function isDouble(type: Type | undefined): boolean {
  return type?.kind === 'scalar' && type.float && type.size === 8;
}
