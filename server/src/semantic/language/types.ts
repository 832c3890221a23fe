// The type table: what a type as written is on a GPU of this era, with sizes, alignments and field offsets in bytes.
import type { Expr, StructDecl, TemplateArg, TemplateParam, TypeSyntax } from '../../syntax/ast';

export type Type = ScalarType | PointerType | ReferenceType | ArrayType | StructType | UnknownType;
export interface ScalarType {
  readonly kind: 'scalar';
  readonly name: string;
  readonly size: number;
  readonly float: boolean;
  readonly signed: boolean;
}
interface PointerType {
  readonly kind: 'pointer';
  readonly to: Type;
  readonly restrict?: boolean;
  readonly const?: boolean;
}
interface ReferenceType {
  readonly kind: 'reference';
  readonly to: Type;
  readonly const?: boolean;
}
/** `length` is absent for `extern __shared__ T s[]` and where the size is not a constant. */
interface ArrayType {
  readonly kind: 'array';
  readonly of: Type;
  readonly length?: number;
}
export interface StructType {
  readonly kind: 'struct';
  readonly name: string;
  readonly size: number;
  readonly align: number;
  /** A field, a base or the alignment is not known, so that size and offsets are a guess. */
  readonly guessed?: true;
  readonly fields: ReadonlyMap<string, { readonly offset: number; readonly type: Type }>;
  /** Number of elements of a builtin vector type such as float4. */
  readonly vector?: number;
  readonly decl?: StructDecl;
  readonly bindings?: Bindings;
}
/** A type that no known code defines; a template parameter without an argument among them. */
interface UnknownType {
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

const torchHalves = ['at::Half', 'c10::Half', 'at::BFloat16', 'c10::BFloat16'];

export const scalars = new Map<string, ScalarType>();
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
  [['half', '__half', '__nv_bfloat16', 'nv_bfloat16', '__half_raw', 'bfloat16', ...torchHalves], 2, true, true],
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

/** A scalar by its normalised name; undefined when it is not a scalar. */
export function scalarNamed(name: string): ScalarType | undefined {
  return scalars.get(name);
}

export const vectors = new Map<string, StructType>();
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
export const opaqueSizes = new Map<string, number>([
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
  /** What stands for bindings where none are given: of a template's text, what all its launches agree on. */
  readonly ofInstances?: Bindings;
  /** Never throws; what cannot be resolved is `unknown` with the name as written. */
  resolve(syntax: TypeSyntax, bindings?: Bindings, within?: string): Type;
  struct(decl: StructDecl, bindings?: Bindings): StructType;
  /** `within` is the class whose constants need no qualification. */
  constant(expr: Expr, bindings?: Bindings, within?: string): number | undefined;
  /** A static constant or an enumerator of a class with its template arguments, or of its bases. */
  staticOf(type: Type, name: string): number | undefined;
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

/** Is the size that `sizeOf` gives more than a guess? */
export function isSizeKnown(type: Type): boolean {
  switch (type.kind) {
    case 'struct':
      return !type.guessed;
    case 'array':
      return type.length !== undefined && isSizeKnown(type.of);
    case 'reference':
      return isSizeKnown(type.to);
    case 'unknown':
      return false;
    default:
      return true;
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

/** What an array holds, over all its extents; other types as they are. */
export function innermost<T extends { readonly kind: string }>(type: T | (T & { readonly of: T })): T {
  return type.kind === 'array' && 'of' in type ? innermost(type.of) : type;
}
