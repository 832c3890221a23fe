// The type table: what a type as written is on a GPU of this era, with sizes, alignments and field offsets in bytes.
import type { Expr, FieldDecl, StructDecl, TemplateArg, TemplateParam, TypeSyntax } from '../../syntax/ast';
import { constantOf } from './constants';
import { lastPart, type Program } from './program';

export type Type = ScalarType | PointerType | ReferenceType | ArrayType | StructType | UnknownType;
export interface ScalarType {
  readonly kind: 'scalar';
  readonly name: string;
  readonly size: number;
  readonly float: boolean;
  readonly signed: boolean;
}
export interface PointerType {
  readonly kind: 'pointer';
  readonly to: Type;
  readonly restrict?: boolean;
  readonly const?: boolean;
}
export interface ReferenceType {
  readonly kind: 'reference';
  readonly to: Type;
  readonly const?: boolean;
}
/** `length` is absent for `extern __shared__ T s[]` and where the size is no constant. */
export interface ArrayType {
  readonly kind: 'array';
  readonly of: Type;
  readonly length?: number;
}
export interface StructType {
  readonly kind: 'struct';
  readonly name: string;
  readonly size: number;
  readonly align: number;
  readonly fields: ReadonlyMap<string, { readonly offset: number; readonly type: Type }>;
  /** Number of elements of a builtin vector type such as float4. */
  readonly vector?: number;
  readonly decl?: StructDecl;
  readonly bindings?: Bindings;
}
/** A type that nothing in sight defines; a template parameter without an argument among them. */
export interface UnknownType {
  readonly kind: 'unknown';
  readonly name: string;
}

/** What template parameters stand for. */
export interface Bindings {
  readonly types: ReadonlyMap<string, Type>;
  readonly values: ReadonlyMap<string, number>;
  readonly parent?: Bindings;
}
export const noBindings: Bindings = { types: new Map(), values: new Map() };

export function boundType(bindings: Bindings | undefined, name: string): Type | undefined {
  for (let scope = bindings; scope; scope = scope.parent) {
    const type = scope.types.get(name);
    if (type) return type;
  }
  return undefined;
}
export function boundValue(bindings: Bindings | undefined, name: string): number | undefined {
  for (let scope = bindings; scope; scope = scope.parent) {
    const value = scope.values.get(name);
    if (value !== undefined) return value;
  }
  return undefined;
}

function scalar(name: string, size: number, float = false, signed = true): ScalarType {
  return { kind: 'scalar', name, size, float, signed };
}

const scalars = new Map<string, ScalarType>();
for (const [names, size, float, signed] of [
  [['void'], 0, false, true],
  [['bool', '_Bool'], 1, false, false],
  [['char', 'signed char', 'int8_t', 'int_least8_t', 'std::int8_t'], 1, false, true],
  [
    [
      'unsigned char',
      'uint8_t',
      'uchar',
      'u_char',
      'std::uint8_t',
      'byte',
      'std::byte',
      '__nv_fp8_storage_t',
      '__nv_fp8_e4m3',
      '__nv_fp8_e5m2',
    ],
    1,
    false,
    false,
  ],
  [['short', 'short int', 'signed short', 'int16_t', 'std::int16_t'], 2, false, true],
  [
    ['unsigned short', 'unsigned short int', 'uint16_t', 'ushort', 'u_short', 'std::uint16_t', 'char16_t'],
    2,
    false,
    false,
  ],
  [['int', 'signed', 'signed int', 'int32_t', 'std::int32_t', 'wchar_t'], 4, false, true],
  [['unsigned', 'unsigned int', 'uint32_t', 'uint', 'u_int', 'std::uint32_t', 'char32_t'], 4, false, false],
  [
    [
      'long',
      'long int',
      'signed long',
      'long long',
      'long long int',
      'signed long long',
      'int64_t',
      'ptrdiff_t',
      'ssize_t',
      'std::int64_t',
      'std::ptrdiff_t',
      'intptr_t',
      'longlong',
      'intmax_t',
    ],
    8,
    false,
    true,
  ],
  [
    [
      'unsigned long',
      'unsigned long int',
      'unsigned long long',
      'unsigned long long int',
      'uint64_t',
      'size_t',
      'std::size_t',
      'std::uint64_t',
      'ulong',
      'u_long',
      'uintptr_t',
      'cudaTextureObject_t',
      'cudaSurfaceObject_t',
      'ulonglong',
      'uintmax_t',
    ],
    8,
    false,
    false,
  ],
  [['float', 'float32_t', 'cufftReal'], 4, true, true],
  [['double', 'long double', 'float64_t', 'cufftDoubleReal'], 8, true, true],
  [['half', '__half', '__nv_bfloat16', 'nv_bfloat16', '__half_raw', 'bfloat16'], 2, true, true],
  [
    [
      'cudaStream_t',
      'cudaEvent_t',
      'cudaGraph_t',
      'cudaGraphExec_t',
      'cublasHandle_t',
      'cudaArray_t',
      'nullptr_t',
      'std::nullptr_t',
      'FILE',
    ],
    8,
    false,
    false,
  ],
  [['cudaError_t', 'cudaError', 'cublasStatus_t'], 4, false, true],
] as const)
  for (const name of names) scalars.set(name, scalar(name, size, float, signed));

export const intType = scalars.get('int')!;
export const unsignedType = scalars.get('unsigned int')!;
export const longType = scalars.get('long long')!;
export const floatType = scalars.get('float')!;
export const doubleType = scalars.get('double')!;
export const boolType = scalars.get('bool')!;
export const voidType = scalars.get('void')!;

/** A scalar by its normalised name; undefined when it is no scalar. */
export function scalarNamed(name: string): ScalarType | undefined {
  return scalars.get(name);
}

const vectors = new Map<string, StructType>();
function vectorType(name: string, element: ScalarType, count: number, align: number): StructType {
  const fields = new Map<string, { offset: number; type: Type }>();
  ['x', 'y', 'z', 'w']
    .slice(0, count)
    .forEach((field, at) => fields.set(field, { offset: at * element.size, type: element }));
  return {
    kind: 'struct',
    name,
    size: Math.ceil((element.size * count) / align) * align,
    align,
    fields,
    vector: count,
  };
}
// Alignments are those of vector_types.h: a vector of 2 or 4 is aligned to its size up to 16 bytes, one of 3 to its
// element.
for (const [prefix, element] of [
  ['char', 'char'],
  ['uchar', 'unsigned char'],
  ['short', 'short'],
  ['ushort', 'unsigned short'],
  ['int', 'int'],
  ['uint', 'unsigned int'],
  ['long', 'long'],
  ['ulong', 'unsigned long'],
  ['longlong', 'long long'],
  ['ulonglong', 'unsigned long long'],
  ['float', 'float'],
  ['double', 'double'],
] as const) {
  const type = scalars.get(element)!;
  for (const count of [1, 2, 3, 4]) {
    const align = count === 3 || count === 1 ? type.size : Math.min(16, type.size * count);
    vectors.set(`${prefix}${count}`, vectorType(`${prefix}${count}`, type, count, align));
  }
}
for (const [name, element, count, align] of [
  ['dim3', 'unsigned int', 3, 4],
  ['half2', 'half', 2, 4],
  ['__half2', 'half', 2, 4],
  ['__nv_bfloat162', 'half', 2, 4],
  ['nv_bfloat162', 'half', 2, 4],
  ['cuFloatComplex', 'float', 2, 8],
  ['cuComplex', 'float', 2, 8],
  ['cufftComplex', 'float', 2, 8],
  ['cuDoubleComplex', 'double', 2, 16],
  ['cufftDoubleComplex', 'double', 2, 16],
  ['double4_16a', 'double', 4, 16],
  ['double4_32a', 'double', 4, 32],
  ['longlong4_32a', 'long long', 4, 32],
] as const)
  vectors.set(name, vectorType(name, scalars.get(element)!, count, align));

export const dim3Type = vectors.get('dim3')!;

/** Sizes of library structures whose layout no program sees. */
const opaqueSizes = new Map<string, number>([
  ['curandState', 48],
  ['curandState_t', 48],
  ['curandStateXORWOW_t', 48],
  ['curandStateXORWOW', 48],
  ['curandStatePhilox4_32_10_t', 64],
  ['curandStatePhilox4_32_10', 64],
  ['curandStateMRG32k3a_t', 72],
  ['curandStateMRG32k3a', 72],
  ['curandStateMtgp32', 24],
]);

export interface TypeTable {
  /** Never throws; what cannot be resolved is `unknown` with the name as written. */
  resolve(syntax: TypeSyntax, bindings?: Bindings, within?: string): Type;
  struct(decl: StructDecl, bindings?: Bindings): StructType;
  constant(expr: Expr, bindings?: Bindings): number | undefined;
  /** Bindings for a template's parameters from arguments by position, defaults included. */
  bind(
    params: readonly TemplateParam[] | undefined,
    args: readonly TemplateArg[] | undefined,
    outer?: Bindings,
  ): Bindings;
}

/** Size in bytes; undefined for unknown types and arrays of unknown length. */
export function sizeOf(type: Type): number | undefined {
  switch (type.kind) {
    case 'scalar':
    case 'struct':
      return type.size;
    case 'pointer':
      return 8;
    case 'reference':
      return sizeOf(type.to);
    case 'array': {
      const size = sizeOf(type.of);
      return size === undefined || type.length === undefined ? undefined : size * type.length;
    }
    case 'unknown':
      return undefined;
  }
}

/** Alignment in bytes; 4 where nothing is known. */
export function alignOf(type: Type): number {
  switch (type.kind) {
    case 'scalar':
      return type.size || 1;
    case 'struct':
      return type.align;
    case 'pointer':
      return 8;
    case 'reference':
      return alignOf(type.to);
    case 'array':
      return alignOf(type.of);
    case 'unknown':
      return 4;
  }
}

/** C++ spelling, for messages. */
export function typeName(type: Type): string {
  switch (type.kind) {
    case 'scalar':
    case 'struct':
    case 'unknown':
      return type.name;
    case 'pointer':
      return `${typeName(type.to)} *`;
    case 'reference':
      return `${typeName(type.to)} &`;
    case 'array':
      return `${typeName(type.of)} [${type.length ?? ''}]`;
  }
}

const maximumDepth = 24;

export function createTypeTable(program: Program): TypeTable {
  const structs = new Map<StructDecl, StructType>(); // only for structs without template bindings
  let depth = 0;

  function resolveNamed(
    name: string,
    args: readonly TemplateArg[] | undefined,
    bindings: Bindings | undefined,
    within: string | undefined,
  ): Type {
    const bound = args ? undefined : boundType(bindings, name);
    if (bound) return bound;
    const builtin = scalars.get(name) ?? vectors.get(name);
    const last = lastPart(name);
    // A program may define its own `float3` or `uint`; a definition in sight wins over ours, except for the true
    // keywords.
    const declared = program
      .structs(last)
      .filter(
        (decl) =>
          decl.fields.length || decl.bases.length || decl.methods.length || decl.structs.length || decl.aliases.length,
      );
    if (builtin && (!declared.length || (builtin.kind === 'scalar' && !name.includes('_t')))) {
      if (builtin.kind === 'scalar' || !declared.length) return builtin;
    }
    const prefix = name.includes('::') ? name.slice(0, name.lastIndexOf('::')) : undefined;
    if (prefix && !args) {
      // `Traits<T>::type`: the parser keeps no arguments on prefixes, so the owner is looked up by name alone.
      const owner = boundType(bindings, prefix);
      if (owner?.kind === 'struct' && owner.decl) {
        const alias = owner.decl.aliases.find((candidate) => lastPart(candidate.name) === last);
        if (alias) return resolve(alias.type, owner.bindings ?? bindings, owner.name);
      }
    }
    const decl = pickByScope(declared, name, within);
    const alias = pickByScope(program.aliases(last), name, within);
    if (alias && (!decl || within?.includes(alias.qualifiedName.slice(0, -last.length - 2) || '\0'))) {
      return resolve(
        alias.type,
        alias.templateParams?.length ? bind(alias.templateParams, args, bindings) : bindings,
        within,
      );
    }
    if (decl) return struct(decl, decl.templateParams?.length ? bind(decl.templateParams, args, bindings) : bindings);
    if (builtin) return builtin;
    const short = last !== name ? (scalars.get(last) ?? vectors.get(last)) : undefined;
    if (short) return short;
    const opaque = opaqueSizes.get(last);
    if (opaque) return { kind: 'struct', name: last, size: opaque, align: 8, fields: new Map() };
    if (program.isEnum(last)) {
      const owner = program.isEnum(last)!;
      return owner.underlying ? resolve(owner.underlying, bindings, within) : intType;
    }
    const argument = args?.[0];
    const element = argument && 'type' in argument ? resolve(argument.type, bindings, within) : undefined;
    if (element && /(^|::)complex$/.test(name)) {
      const size = sizeOf(element) ?? 4;
      return {
        kind: 'struct',
        name: `complex<${typeName(element)}>`,
        size: 2 * size,
        align: 2 * size,
        fields: new Map([
          ['x', { offset: 0, type: element }],
          ['y', { offset: size, type: element }],
        ]),
      };
    }
    if (
      element &&
      /(^|::)(remove_(const|cv|reference|volatile)|type_identity|make_(un)?signed|decay)(_t)?(::type)?$/.test(name)
    )
      return element;
    if (element && /(^|::)array$/.test(name)) {
      const second = args?.[1];
      const length = second && 'expr' in second ? constantOf(second.expr, program, table, bindings) : undefined;
      return {
        kind: 'struct',
        name: 'array',
        size: (sizeOf(element) ?? 4) * (length ?? 1),
        align: alignOf(element),
        fields: new Map([
          ['elems', { offset: 0, type: { kind: 'array', of: element, ...(length === undefined ? {} : { length }) } }],
        ]),
      };
    }
    return { kind: 'unknown', name };
  }

  function resolve(syntax: TypeSyntax, bindings?: Bindings, within?: string): Type {
    if (depth > maximumDepth) return { kind: 'unknown', name: '…' };
    depth++;
    try {
      switch (syntax.kind) {
        case 'named':
          return resolveNamed(syntax.name, syntax.args, bindings, within);
        case 'pointer':
          return {
            kind: 'pointer',
            to: resolve(syntax.to, bindings, within),
            ...(syntax.restrict ? { restrict: true } : {}),
            ...(isConst(syntax.to) ? { const: true } : {}),
          };
        case 'reference':
          return {
            kind: 'reference',
            to: resolve(syntax.to, bindings, within),
            ...(isConst(syntax.to) ? { const: true } : {}),
          };
        case 'array': {
          const length = syntax.size ? constantOf(syntax.size, program, table, bindings, within) : undefined;
          return {
            kind: 'array',
            of: resolve(syntax.of, bindings, within),
            ...(length === undefined ? {} : { length }),
          };
        }
        case 'function':
          return { kind: 'unknown', name: 'function' };
        case 'auto':
          return { kind: 'unknown', name: 'auto' };
        case 'decltype':
          return { kind: 'unknown', name: 'auto' };
        case 'struct':
          return struct(syntax.decl, bindings);
      }
    } finally {
      depth--;
    }
  }

  function struct(decl: StructDecl, bindings?: Bindings): StructType {
    const plain = !decl.templateParams?.length;
    const known = plain ? structs.get(decl) : undefined;
    if (known) return known;
    const fields = new Map<string, { offset: number; type: Type }>();
    let size = 0;
    let align = 1;
    const within = decl.qualifiedName || decl.name;
    if (depth < maximumDepth) {
      depth++;
      for (const base of decl.bases) {
        const resolved = resolve(base, bindings, within);
        if (resolved.kind !== 'struct') continue;
        const offset = Math.ceil(size / resolved.align) * resolved.align;
        resolved.fields.forEach((field, name) => fields.set(name, { offset: offset + field.offset, type: field.type }));
        if (resolved.fields.size) size = offset + resolved.size;
        align = Math.max(align, resolved.align);
      }
      let bitOffset = 0;
      for (const field of decl.fields) {
        if (field.static) continue;
        const type = fieldType(field, bindings, within);
        const fieldAlign = decl.packed
          ? 1
          : Math.max(alignOf(type), (field.align && constantOf(field.align, program, table, bindings, within)) || 1);
        const fieldSize = sizeOf(type) ?? 8;
        if (field.bits !== undefined && decl.kind === 'struct') {
          // Bit fields share the unit of their type while they fit.
          if (bitOffset === 0 || bitOffset + field.bits > fieldSize * 8) {
            size = Math.ceil(size / fieldAlign) * fieldAlign + (bitOffset ? 0 : 0);
            fields.set(field.name, { offset: size, type });
            size += fieldSize;
            bitOffset = field.bits;
          } else {
            fields.set(field.name, { offset: size - fieldSize, type });
            bitOffset += field.bits;
          }
          align = Math.max(align, fieldAlign);
          continue;
        }
        bitOffset = 0;
        const offset = decl.kind === 'union' ? 0 : Math.ceil(size / fieldAlign) * fieldAlign;
        fields.set(field.name, { offset, type });
        if (!field.name && type.kind === 'struct')
          type.fields.forEach((inner, name) => fields.set(name, { offset: offset + inner.offset, type: inner.type }));
        size = decl.kind === 'union' ? Math.max(size, fieldSize) : offset + fieldSize;
        align = Math.max(align, fieldAlign);
      }
      depth--;
    }
    const own = decl.align ? constantOf(decl.align, program, table, bindings, within) : undefined;
    if (own && own > align && (own & (own - 1)) === 0) align = own;
    const type: StructType = {
      kind: 'struct',
      name: decl.name || '(unnamed)',
      size: Math.max(1, Math.ceil(size / align) * align),
      align,
      fields,
      decl,
      ...(bindings ? { bindings } : {}),
    };
    if (plain) structs.set(decl, type);
    return type;
  }

  function fieldType(field: FieldDecl, bindings: Bindings | undefined, within: string): Type {
    const type = resolve(field.type, bindings, within);
    return type.kind === 'reference' ? { kind: 'pointer', to: type.to } : type;
  }

  function bind(
    params: readonly TemplateParam[] | undefined,
    args: readonly TemplateArg[] | undefined,
    outer?: Bindings,
  ): Bindings {
    if (!params?.length) return outer ?? noBindings;
    const types = new Map<string, Type>();
    const values = new Map<string, number>();
    const scope: Bindings = { types, values, ...(outer ? { parent: outer } : {}) };
    params.forEach((param, at) => {
      const arg = args?.[at];
      if (param.kind === 'type') {
        const type =
          arg && 'type' in arg
            ? resolve(arg.type, outer)
            : arg && 'expr' in arg && arg.expr.kind === 'name'
              ? resolve(
                  {
                    kind: 'named',
                    name: arg.expr.name,
                    ...(arg.expr.templateArgs ? { args: arg.expr.templateArgs } : {}),
                  },
                  outer,
                )
              : !arg && param.default
                ? resolve(param.default, scope)
                : undefined;
        if (type && !(type.kind === 'unknown' && type.name === param.name)) types.set(param.name, type);
      } else {
        const expr =
          arg && 'expr' in arg
            ? arg.expr
            : arg && 'type' in arg && arg.type.kind === 'named' && !arg.type.args
              ? ({ kind: 'name', name: arg.type.name, start: 0, end: 0 } as const)
              : undefined;
        const value = expr
          ? constantOf(expr, program, table, outer)
          : !arg && param.default
            ? constantOf(param.default, program, table, scope)
            : undefined;
        if (value !== undefined) values.set(param.name, value);
      }
    });
    return scope;
  }

  const table: TypeTable = {
    resolve,
    struct,
    bind,
    constant: (expr, bindings) => constantOf(expr, program, table, bindings),
  };
  return table;
}

function isConst(syntax: TypeSyntax): boolean {
  return (syntax.kind === 'named' || syntax.kind === 'pointer' || syntax.kind === 'auto') && !!syntax.const;
}

/**
 * Of declarations with one last name, the one whose qualified name the written name fits, nearest to `within` first.
 */
export function pickByScope<T extends { readonly name: string; readonly qualifiedName: string }>(
  candidates: readonly T[],
  name: string,
  within?: string,
): T | undefined {
  if (candidates.length < 2) {
    const only = candidates[0];
    return only &&
      (only.qualifiedName === name ||
        only.qualifiedName.endsWith(`::${name}`) ||
        name.endsWith(`::${only.qualifiedName}`) ||
        !name.includes('::') ||
        lastPart(only.qualifiedName) === lastPart(name))
      ? only
      : undefined;
  }
  let best: T | undefined;
  let bestScore = -1;
  for (const candidate of candidates) {
    const qualified = candidate.qualifiedName;
    if (
      !(
        qualified === name ||
        qualified.endsWith(`::${name}`) ||
        !name.includes('::') ||
        name.endsWith(`::${qualified}`)
      )
    )
      continue;
    const scope = qualified.includes('::') ? qualified.slice(0, qualified.lastIndexOf('::')) : '';
    const score =
      (qualified === name ? 1000 : 0) +
      (within && scope && (within === scope || within.startsWith(`${scope}::`)) ? 500 + scope.length : 0) +
      (scope ? 0 : 1);
    if (score > bestScore) {
      best = candidate;
      bestScore = score;
    }
  }
  return best ?? candidates[0];
}
