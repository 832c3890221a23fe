// What names mean in a Fortran scoping unit: variables, derived types, procedures, and what is seen through hosts and
// modules.
import type { Dimension, Place, Value, Variable } from '../procedures';

/** A component of a derived type; places are those of its declaration. */
export interface Component {
  readonly name: string;
  readonly at: Place;
  readonly uri: string;
  readonly type: FortranType;
  readonly dimensions?: readonly Dimension[];
  readonly pointer?: boolean;
  readonly allocatable?: boolean;
}
export interface DerivedType {
  readonly name: string;
  readonly components: readonly Component[];
  readonly extends?: string;
}

/** Of one element. `derived` names the derived type. */
export interface FortranType {
  readonly name: string;
  readonly bytes?: number | undefined;
  readonly floating: boolean;
  readonly derived?: string;
}

/** What a `use` of a module brings into sight. */
export interface FortranModule {
  readonly variables: ReadonlyMap<string, Variable>;
  readonly types: ReadonlyMap<string, DerivedType>;
  readonly procedures: ReadonlySet<string>;
  /** Some of the modules it uses are not known: it may hold more names. */
  readonly open: boolean;
}

/** `implicit` rules: the type for each first letter; `undefined` for `implicit none`. */
export type ImplicitRules = ReadonlyMap<string, FortranType> | undefined;

export interface Scope {
  readonly uri: string;
  readonly variables: Map<string, Variable>;
  readonly types: Map<string, DerivedType>;
  readonly procedures: Set<string>;
  readonly host?: Scope;
  implicit: ImplicitRules;
  /** A module that is used here, or by a host, is not known: a name without a declaration may be anything. */
  open: boolean;
}

export const integerType: FortranType = { name: 'int', bytes: 4, floating: false };
export const realType: FortranType = { name: 'float', bytes: 4, floating: true };

/** Integers from i to n, reals otherwise. */
export const defaultImplicit: ReadonlyMap<string, FortranType> = new Map(
  [...'abcdefghijklmnopqrstuvwxyz'].map((letter) => [letter, letter >= 'i' && letter <= 'n' ? integerType : realType]),
);

export function openScope(uri: string, host?: Scope): Scope {
  return {
    uri,
    variables: new Map(),
    types: new Map(),
    procedures: new Set(),
    ...(host ? { host } : {}),
    implicit: host ? host.implicit : defaultImplicit,
    open: host?.open ?? false,
  };
}

/** What the innermost scope that has it gives: that of a procedure, then those around it. */
function innermost<T>(scope: Scope, of: (scope: Scope) => T | undefined): T | undefined {
  for (let each: Scope | undefined = scope; each; each = each.host) {
    const found = of(each);
    if (found) return found;
  }
  return undefined;
}

export function variableOf(scope: Scope, name: string): Variable | undefined {
  return innermost(scope, ({ variables }) => variables.get(name));
}

export function typeOf(scope: Scope, name: string): DerivedType | undefined {
  return innermost(scope, ({ types }) => types.get(name));
}

export function isProcedure(scope: Scope, name: string): boolean {
  return innermost(scope, ({ procedures }) => procedures.has(name)) === true;
}

/** A component of a type or of the types it extends. */
export function componentOf(scope: Scope, type: string | undefined, name: string, depth = 0): Component | undefined {
  const found = type === undefined || depth > 20 ? undefined : typeOf(scope, type);
  if (!found) return undefined;
  return (
    found.components.find((component) => component.name === name) ?? componentOf(scope, found.extends, name, depth + 1)
  );
}

/** What a type says of a variable. */
export function typed({
  name,
  derived,
  floating,
  bytes,
}: FortranType): Pick<Variable, 'type' | 'floating' | 'elementBytes'> {
  const type = derived === undefined ? name : `struct ${derived}`;
  return { type, floating, ...(bytes === undefined ? {} : { elementBytes: bytes }) };
}

/** The derived type of a variable's declaration. */
export function derivedOf(variable: Pick<Variable, 'type'>): string | undefined {
  return variable.type.startsWith('struct ') ? variable.type.slice(7) : undefined;
}

/** The number that a constant expression gives; undefined when it does not follow from what is known. */
export function constantOf(value: Value | undefined, scope: Scope, depth = 0): number | undefined {
  if (!value || depth > 30) return undefined;
  const of = (inner: Value | undefined): number | undefined => constantOf(inner, scope, depth + 1);
  switch (value.kind) {
    case 'number':
      return value.value;
    case 'name': {
      const variable = variableOf(scope, value.name);
      if (variable) return variable.constant ? of(variable.value) : undefined;
      return namedKinds.get(value.name);
    }
    case 'unary': {
      const operand = of(value.operand);
      return operand === undefined ? undefined : value.op === '-' ? -operand : value.op === '+' ? operand : undefined;
    }
    case 'binary': {
      const left = of(value.left);
      const right = of(value.right);
      if (left === undefined || right === undefined) return undefined;
      switch (value.op) {
        case '+':
          return left + right;
        case '-':
          return left - right;
        case '*':
          return left * right;
        case '/':
          return right === 0
            ? undefined
            : isWhole(value.left, scope) && isWhole(value.right, scope)
              ? Math.trunc(left / right)
              : left / right;
        case '**':
          return left ** right;
        default:
          return undefined;
      }
    }
    case 'call': {
      const numbers = value.args.map(of);
      switch (value.name) {
        case 'kind':
          return kindOf(value.args[0], scope);
        case 'selected_real_kind':
          return numbers[0] === undefined
            ? undefined
            : numbers[0] <= 6 && (numbers[1] ?? 0) <= 37
              ? 4
              : numbers[0] <= 15 && (numbers[1] ?? 0) <= 307
                ? 8
                : 16;
        case 'selected_int_kind':
          return numbers[0] === undefined
            ? undefined
            : numbers[0] <= 2
              ? 1
              : numbers[0] <= 4
                ? 2
                : numbers[0] <= 9
                  ? 4
                  : numbers[0] <= 18
                    ? 8
                    : 16;
        case 'max':
        case 'min':
          return numbers.every((number) => number !== undefined) && numbers.length > 0
            ? Math[value.name](...numbers)
            : undefined;
        case 'mod':
          return numbers.length === 2 && numbers[0] !== undefined && numbers[1] ? numbers[0] % numbers[1] : undefined;
        case 'int':
        case 'real':
        case 'dble':
          return value.name === 'int' && numbers[0] !== undefined ? Math.trunc(numbers[0]) : numbers[0];
        default:
          return undefined;
      }
    }
    default:
      return undefined;
  }
}

function isWhole(value: Value, scope: Scope): boolean {
  if (value.kind === 'number') return value.integer;
  if (value.kind === 'name') {
    const variable = variableOf(scope, value.name);
    return variable !== undefined && !variable.floating;
  }
  if (value.kind === 'unary') return isWhole(value.operand, scope);
  if (value.kind === 'binary') return isWhole(value.left, scope) && isWhole(value.right, scope);
  return value.kind === 'call' && /^(int|mod|kind)$/.test(value.name);
}

/** Bytes of a variable, for `kind(x)`; of literals the reading of expressions has made a number already. */
function kindOf(value: Value | undefined, scope: Scope): number | undefined {
  return value?.kind === 'name' ? variableOf(scope, value.name)?.elementBytes : undefined;
}

/** Kind names of the intrinsic modules iso_fortran_env and iso_c_binding, which no source of the program declares. */
export const namedKinds: ReadonlyMap<string, number> = new Map([
  ['real32', 4],
  ['real64', 8],
  ['real128', 16],
  ['int8', 1],
  ['int16', 2],
  ['int32', 4],
  ['int64', 8],
  ['c_float', 4],
  ['c_double', 8],
  ['c_int', 4],
  ['c_short', 2],
  ['c_long', 8],
  ['c_long_long', 8],
  ['c_size_t', 8],
  ['c_signed_char', 1],
  ['c_char', 1],
  ['c_bool', 1],
  ['c_int8_t', 1],
  ['c_int16_t', 2],
  ['c_int32_t', 4],
  ['c_int64_t', 8],
  ['c_intptr_t', 8],
  ['c_float_complex', 4],
  ['c_double_complex', 8],
]);
/** Modules whose names are known without a source. */
export const intrinsicModules: ReadonlySet<string> = new Set([
  'iso_fortran_env',
  'iso_c_binding',
  'ieee_arithmetic',
  'ieee_exceptions',
  'ieee_features',
  'openacc',
  'omp_lib',
  'cudafor',
  'cublas',
]);
