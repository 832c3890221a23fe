// Which kernel of a source a measured kernel is: by the file and the lines that it was compiled from and by its
// signature, never by its name alone.
import { nameOfSymbol } from '../report/functionNames';

/** A kernel as a report has it. */
export interface MeasuredIdentity {
  /** Demangled, with parameter types where ncu wrote them. */
  readonly name: string;
  readonly shortName: string;
  /** The symbol in the machine code; absent where the report does not say it. */
  readonly mangledName?: string;
  readonly lines: readonly { readonly file: string; readonly line: number }[];
}

/** A kernel as a source defines it. */
export interface SourceKernel {
  readonly name: string;
  /** With namespaces and classes. */
  readonly qualifiedName: string;
  /** A type each, `auto` for what is not known. */
  readonly parameters: readonly string[];
  /** First and last line (from 1) of the whole definition, in the text as it is now. */
  readonly body: { readonly from: number; readonly to: number };
}

/** Where a file of the report is in the text that defines the kernel. */
export interface SourcePlace {
  /** Path as the compiler wrote it. */
  readonly file: string;
  /** Where a profiled line is now (from 1); `stale` if other text replaced it. Undefined where it is gone. */
  lineNow(profiled: number): { readonly line: number; readonly stale: boolean } | undefined;
  /** The text has changed, and what was profiled is not known. */
  readonly unsure?: boolean;
}

/**
 * Whether a measured kernel is the one that a source defines. Its name has to be the same, namespaces included as far
 * as both say them; then
 * - an unchanged line of it within the definition decides, whatever became of the parameters since;
 * - a changed one does where the parameters are not others;
 * - a kernel without lines, or one whose profiled text is not known, is identified by its parameters.
 */
export function isSameKernel(
  measured: MeasuredIdentity,
  source: SourceKernel,
  places: readonly SourcePlace[],
): boolean {
  if (!sameName(measured, source)) return false;
  const signature = compareSignatures(measuredParameters(measured.name), source.parameters);
  // Nothing says which file it is of: only a signature that is known to the last type tells it from others.
  if (measured.lines.length === 0) return signature === 'same';
  let stale = false;
  for (const { file, lineNow, unsure } of places) {
    const own = measured.lines.filter((line) => line.file === file);
    if (unsure && own.length > 0 && signature !== 'different') return true;
    for (const { line } of own) {
      const now = lineNow(line);
      if (!now || now.line < source.body.from || now.line > source.body.to) continue;
      if (!now.stale) return true;
      stale = true;
    }
  }
  return stale && signature !== 'different';
}

function sameName(
  { name, shortName, mangledName }: MeasuredIdentity,
  { name: own, qualifiedName }: SourceKernel,
): boolean {
  if (plainName(shortName) !== plainName(own)) return false;
  const symbol = mangledName ? nameOfSymbol(mangledName) : undefined;
  const measured = nameParts(symbol !== undefined && symbol !== mangledName ? symbol : nameBeforeParameters(name));
  const source = nameParts(qualifiedName);
  // ncu can be asked for names without namespaces, and a macro can hide one from the source.
  const length = Math.min(measured.length, source.length);
  return measured.slice(-length).join('::') === source.slice(-length).join('::');
}

/** A function's name as both the server and the report write it: without namespaces and template arguments. */
export function plainName(name: string): string {
  return name.replace(/<.*/s, '').split('::').pop()!.trim();
}

function nameParts(name: string): string[] {
  return name
    .replaceAll('(anonymous namespace)', '')
    .split('::')
    .map((part) => part.replace(/<.*/s, '').trim())
    .filter((part) => part !== '' && !part.startsWith('_GLOBAL__N_'));
}

function nameBeforeParameters(demangled: string): string {
  const list = parameterList(demangled);
  const name = (list ? demangled.slice(0, list.start) : demangled).trim();
  // The result type of a template precedes its name: `void ns::stage<float>`.
  let depth = 0;
  for (let at = name.length - 1; at >= 0; at--) {
    if (name[at] === '>' || name[at] === ')') depth++;
    else if (name[at] === '<' || name[at] === '(') depth--;
    else if (name[at] === ' ' && depth === 0) return withoutArguments(name.slice(at + 1));
  }
  return withoutArguments(name);
}

function withoutArguments(name: string): string {
  let depth = 0;
  let text = '';
  for (const character of name) {
    if (character === '<') depth++;
    else if (character === '>') depth--;
    else if (depth === 0) text += character;
  }
  return text;
}

/**
 * The types in a demangled name, `T1` being what ncu writes for a template's parameter; undefined where it has no list.
 */
export function measuredParameters(demangled: string): string[] | undefined {
  const list = parameterList(demangled);
  if (!list) return undefined;
  const parts: string[] = [];
  let depth = 0;
  let from = list.start + 1;
  for (let at = from; at <= list.end; at++) {
    const character = demangled[at]!;
    if ('<([{'.includes(character)) depth++;
    else if (at < list.end && '>)]}'.includes(character)) depth--;
    else if (at === list.end || (character === ',' && depth === 0)) {
      parts.push(demangled.slice(from, at).trim());
      from = at + 1;
    }
  }
  return parts.length === 1 && (parts[0] === '' || parts[0] === 'void') ? [] : parts;
}

/** Where the parameters of a demangled name begin and end. */
function parameterList(demangled: string): { readonly start: number; readonly end: number } | undefined {
  let depth = 0;
  let start: number | undefined;
  for (let at = 0; at < demangled.length; at++) {
    const character = demangled[at]!;
    if (character === '<' || character === '[') depth++;
    else if (character === '>' || character === ']') depth--;
    else if (character === '(') {
      if (depth === 0 && start === undefined) {
        if (demangled.startsWith('(anonymous namespace)', at)) {
          at += '(anonymous namespace)'.length - 1;
          continue;
        }
        if (demangled.startsWith('()', at) && /operator\s*$/.test(demangled.slice(0, at))) {
          at++;
          continue;
        }
        start = at;
      }
      depth++;
    } else if (character === ')' && --depth === 0 && start !== undefined) return { start, end: at };
  }
  return undefined;
}

/** `unknown` where a type is not known on one side, and none contradicts. */
export function compareSignatures(
  measured: readonly string[] | undefined,
  source: readonly string[],
): 'same' | 'different' | 'unknown' {
  if (!measured) return 'unknown';
  // A pack stands for any number of parameters.
  if (source.includes('...') || measured.some((type) => type.includes('...'))) return 'unknown';
  if (measured.length !== source.length) return 'different';
  const compared = measured.map((type, at) => compareTypes(canonical(type), canonical(source[at]!)));
  if (compared.includes('different')) return 'different';
  return compared.includes('unknown') ? 'unknown' : 'same';
}

interface CanonicalType {
  /** Undefined for what is not known. */
  readonly base: string | undefined;
  readonly scalar: boolean;
  readonly pointers: number;
  readonly reference: boolean;
}

/**
 * Types of one size and kind are one: `long` and `long long` differ for the compiler, but not for aliases across
 * systems.
 */
const scalars: Readonly<Record<string, readonly string[]>> = {
  void: ['void'],
  bool: ['bool', '_Bool'],
  i8: ['char', 'signed char', 'int8_t', 'int_least8_t'],
  u8: ['unsigned char', 'uint8_t', 'uchar', 'u_char', 'byte'],
  i16: ['short', 'short int', 'signed short', 'int16_t'],
  u16: ['unsigned short', 'unsigned short int', 'uint16_t', 'ushort', 'u_short', 'char16_t'],
  i32: ['int', 'signed', 'signed int', 'int32_t', 'wchar_t'],
  u32: ['unsigned', 'unsigned int', 'uint32_t', 'uint', 'u_int', 'char32_t'],
  i64: [
    'long',
    'long int',
    'signed long',
    'long long',
    'long long int',
    'int64_t',
    'ptrdiff_t',
    'ssize_t',
    'intptr_t',
    'longlong',
    'intmax_t',
  ],
  u64: [
    'unsigned long',
    'unsigned long int',
    'unsigned long long',
    'unsigned long long int',
    'uint64_t',
    'size_t',
    'ulong',
    'u_long',
    'uintptr_t',
    'ulonglong',
    'uintmax_t',
    'cudaTextureObject_t',
    'cudaSurfaceObject_t',
  ],
  f16: ['half', '__half'],
  f32: ['float', 'float32_t', 'cufftReal'],
  f64: ['double', 'float64_t', 'cufftDoubleReal'],
};
const scalarOf = new Map(Object.entries(scalars).flatMap(([kind, names]) => names.map((name) => [name, kind])));
/** Structures that headers of CUDA give several names. */
const sameStructures: Readonly<Record<string, string>> = {
  __half2: 'half2',
  nv_bfloat16: '__nv_bfloat16',
  nv_bfloat162: '__nv_bfloat162',
  cuComplex: 'float2',
  cuFloatComplex: 'float2',
  cufftComplex: 'float2',
  cuDoubleComplex: 'double2',
  cufftDoubleComplex: 'double2',
  curandState: 'curandStateXORWOW',
  curandState_t: 'curandStateXORWOW',
  curandStateXORWOW_t: 'curandStateXORWOW',
};

function canonical(text: string): CanonicalType {
  const plain = text
    .replace(/\b(const|volatile|struct|class|enum|union|typename|__restrict__|__restrict)\b/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  const unknown = { base: undefined, scalar: false, pointers: 0, reference: false };
  // Pointers to arrays and functions, and what a lambda is called, are spelled in too many ways.
  const outside = withoutArguments(plain);
  if (/[()[\]{}']/.test(outside)) return unknown;
  const name = outside.replace(/[*&]/g, '').trim().split('::').pop()!.trim();
  const pointers = (outside.match(/\*/g) ?? []).length;
  const reference = outside.includes('&');
  if (name === 'auto' || name === '' || /^T\d+$/.test(name)) return { ...unknown, pointers, reference };
  const scalar = scalarOf.get(name);
  return { base: scalar ?? sameStructures[name] ?? name, scalar: scalar !== undefined, pointers, reference };
}

function compareTypes(measured: CanonicalType, source: CanonicalType): 'same' | 'different' | 'unknown' {
  if (measured.base === undefined || source.base === undefined) {
    // What is not known can be a pointer itself.
    const [open, other] = source.base === undefined ? [source, measured] : [measured, source];
    return other.base !== undefined && open.pointers > other.pointers ? 'different' : 'unknown';
  }
  if (measured.pointers !== source.pointers || measured.reference !== source.reference) return 'different';
  if (measured.base === source.base) return 'same';
  // An enumeration is known here as the integer that it is stored in.
  if (!measured.scalar && source.scalar && /^[iu]\d/.test(source.base)) return 'unknown';
  return 'different';
}
