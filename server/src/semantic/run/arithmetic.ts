// The arithmetic of C++ on numbers: conversions, operators, and the functions of the C library.
import type { Lanes } from './lanes';
import { floatType, intType, type ScalarType, type Type } from '../language';

export function isUnsigned32(type: Type): boolean {
  return type.kind === 'scalar' && !type.float && !type.signed && type.size === 4;
}

/** The usual arithmetic conversions, as far as sizes and floating point go. */
export function common(left: Type, right: Type): Type {
  if (left.kind !== 'scalar') return right.kind === 'scalar' ? right : left;
  if (right.kind !== 'scalar') return left;
  if (left.float || right.float)
    return !left.float ? right : !right.float ? left : left.size >= right.size ? left : right;
  const a = promote(left) as ScalarType;
  const b = promote(right) as ScalarType;
  return a.size > b.size ? a : b.size > a.size ? b : a.signed ? b : a;
}
export function promote(type: Type): Type {
  return type.kind === 'scalar' && !type.float && type.size < 4 ? intType : type;
}

const comparisons: Readonly<Record<string, (a: number, b: number) => number>> = {
  '<': (a, b) => (a < b ? 1 : 0),
  '>': (a, b) => (a > b ? 1 : 0),
  '<=': (a, b) => (a <= b ? 1 : 0),
  '>=': (a, b) => (a >= b ? 1 : 0),
  '==': (a, b) => (a === b ? 1 : 0),
  '!=': (a, b) => (a !== b ? 1 : 0),
};
export const compare = (op: string): ((a: number, b: number) => number) => comparisons[op]!;
const bitwise = {
  '&': [(a: number, b: number) => a & b, (a: bigint, b: bigint) => a & b],
  '|': [(a: number, b: number) => a | b, (a: bigint, b: bigint) => a | b],
  '^': [(a: number, b: number) => a ^ b, (a: bigint, b: bigint) => a ^ b],
} as const;
const isSmall = (value: number): boolean => value >= -2147483648 && value <= 4294967295;
function bits(op: keyof typeof bitwise, unsigned: boolean): (a: number, b: number) => number {
  const [apply32, applyBig] = bitwise[op];
  return (a, b) => {
    if (isSmall(a) && isSmall(b) && (unsigned || (a <= 2147483647 && b <= 2147483647))) {
      const result = apply32(a, b);
      return unsigned ? result >>> 0 : result;
    }
    if (!Number.isSafeInteger(a) || !Number.isSafeInteger(b)) return 0;
    return Number(applyBig(BigInt(a), BigInt(b)));
  };
}
export function arithmeticOf(op: string, floating: boolean, type: Type): (a: number, b: number) => number {
  const unsigned = isUnsigned32(type);
  switch (op) {
    case '+':
      return (a, b) => a + b;
    case '-':
      return (a, b) => a - b;
    case '*':
      return unsigned
        ? (a, b) => {
            const product = a * b;
            return product <= 9007199254740991 ? product : Math.imul(a, b) >>> 0;
          }
        : (a, b) => a * b;
    case '/':
      return floating ? (a, b) => (b === 0 ? 0 : a / b) : (a, b) => (b === 0 ? 0 : Math.trunc(a / b));
    case '%':
      return (a, b) => (b === 0 ? 0 : a % b);
    case '<<':
      return (a, b) => (b < 0 || b > 62 ? 0 : a * 2 ** b);
    case '>>':
      return (a, b) => (b < 0 ? a : Math.floor(a / 2 ** b));
    case '&':
    case '|':
    case '^':
      return bits(op, unsigned);
    default:
      return (a) => a;
  }
}
const doubleBits = new Float64Array(1);
const wordBits = new Uint32Array(doubleBits.buffer);
/** A number up to 2^63 mixed from all bits of a double, as a product modulo 2^64 would be. */
export function mixBits(value: number): number {
  doubleBits[0] = value;
  const low = Math.imul(wordBits[0]! ^ 0x85ebca6b, 0xc2b2ae35) >>> 0;
  const high = Math.imul(wordBits[1]! ^ low ^ (low >>> 15), 0x9e3779b1) >>> 0;
  return high * 2147483648 + (Math.imul(low ^ (high >>> 13), 0x85ebca6b) >>> 1);
}
export function exceeds(lanes: Lanes): boolean {
  if (typeof lanes === 'number') return !(Math.abs(lanes) <= 9007199254740991);
  for (let at = 0; at < lanes.length; at++) if (!(Math.abs(lanes[at]!) <= 9007199254740991)) return true;
  return false;
}

export const binaryFunctions = new Map<string, (a: number, b: number) => number>([
  ['min', Math.min],
  ['max', Math.max],
  ['fmin', Math.min],
  ['fmax', Math.max],
  ['umin', Math.min],
  ['umax', Math.max],
  ['pow', Math.pow],
  ['fmod', (a, b) => a % b],
  ['atan2', Math.atan2],
  ['hypot', Math.hypot],
  ['fdividef', (a, b) => (b === 0 ? 0 : a / b)],
]);
export const unaryFunctions = new Map<string, (a: number) => number>([
  ['abs', Math.abs],
  ['fabs', Math.abs],
  ['labs', Math.abs],
  ['floor', Math.floor],
  ['ceil', Math.ceil],
  ['round', Math.round],
  ['rint', Math.round],
  ['trunc', Math.trunc],
  ['lrint', Math.round],
  ['lround', Math.round],
  ['sqrt', (a) => Math.sqrt(Math.abs(a))],
  ['rsqrt', (a) => 1 / Math.sqrt(Math.abs(a) || 1)],
  ['log2', (a) => Math.log2(Math.abs(a) || 1)],
  ['log', (a) => Math.log(Math.abs(a) || 1)],
  ['exp', (a) => Math.exp(Math.min(a, 50))],
  ['exp2', (a) => 2 ** Math.min(a, 50)],
  ['sin', Math.sin],
  ['cos', Math.cos],
  ['tan', Math.tan],
  ['tanh', Math.tanh],
  ['atan', Math.atan],
  ['asin', (a) => Math.asin(Math.max(-1, Math.min(1, a)))],
  ['acos', (a) => Math.acos(Math.max(-1, Math.min(1, a)))],
  ['cbrt', Math.cbrt],
]);
/** A function of the math library, whose name ends in `f` in single precision. */
export function ofEitherPrecision<T>(byName: ReadonlyMap<string, T>, name: string): T | undefined {
  return byName.get(name) ?? (name.endsWith('f') ? byName.get(name.slice(0, -1)) : undefined);
}
export function floatResult(name: string): Type | undefined {
  return /^(erf|erfc|j0|j1|lgamma|tgamma|sinh|cosh|expm1|log1p|log10)f?$|^(tex\dD\w*|curand_(uniform|normal)\w*|norm(3d|4d|cdf|cdfinv)?f?)$/.test(
    name,
  )
    ? floatType
    : undefined;
}
