// Across which code one part of the compiler merges no accesses, where the text shows no branch.
//
// Observed with nvcc 13.0, `-O3 -arch=sm_90`. In PTX, `q.x = f(v.x); q.y = f(v.y);` is one `st.v2` for an `f` that is
// neither of the first two, two stores for one of them. In machine code, `v += f(s[t][i])` of an unrolled loop reads 16
// bytes at once but for the third.
// - Functions of the math library that branch inside: on denormal numbers, large arguments, tables.
// - Inline assembly, volatile or not, and all that is written with it: conversions and arithmetic of `__half` and
//   `__nv_bfloat16`, `__dp4a`, votes, shuffles.
// - What the assembler writes a branch for: roots, quotients, and functions with loops or calls inside.
import type { Type } from '../language';
import type { Run, Sections } from './values';

/** By the name without the `f` of single precision. */
const branchInFloat = new Set(
  `acosh asinh atan atan2 atanh cos cospi cyl_bessel_i0 cyl_bessel_i1 erf erfcinv erfcx erfinv fmod j0 j1 lgamma log
  log10 log1p log2 logb nextafter normcdf normcdfinv pow remainder sin sincos sinpi tan tgamma y0 y1`.split(/\s+/),
);
const branchInDouble = new Set(
  `acos acosh asin asinh atan atan2 atanh cbrt cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 erfc erfcinv erfcx erfinv exp
  exp10 exp2 expm1 fmod j0 j1 lgamma log log10 log1p log2 logb nextafter normcdf normcdfinv pow rcbrt remainder rhypot
  sin sincos sinh sinpi tan tanh tgamma y0 y1`.split(/\s+/),
);
const assembly = new RegExp(
  [
    '^__(\\w*(half|bfloat|bf16)\\w*|h(?!iloint)\\w+|dp[24]a\\w*|activemask|nanosleep|frsqrt_rn',
    '(any|all|ballot|match_any|match_all|reduce_\\w+|shfl\\w*)_sync)$',
  ].join('|'),
);

const splitInFloat = new Set(
  'atan2 cos fmod hypot j0 j1 norm norm3d norm4d remainder sin sincos sqrt tan y0 y1'.split(' '),
);
const splitInDouble = new Set(
  `acosh asinh atan2 atanh cos erfcinv erfcx erfinv fmod j0 j1 lgamma log1p normcdfinv pow remainder rsqrt sin sincos
  sinh sqrt tan tgamma y0 y1`.split(/\s+/),
);
const roundedQuotient = /^__[fd](sqrt|div|rcp)_r[nzud]$/;

/** Takes down what a call of this function of CUDA's libraries keeps apart; `result` is the type that it gives. */
export function endSections(run: Run, name: string, result: Type): void {
  if (name.startsWith('__')) {
    if (assembly.test(name)) endSection(run, 'frontEnd');
    if (roundedQuotient.test(name)) endSection(run, 'assembler');
    return;
  }
  // `erf` ends in `f` in double precision.
  const short = name.replace(/f$/, '');
  const plain = branchInFloat.has(short) || splitInFloat.has(short) ? short : name;
  const isFloat = plain !== name || (result.kind === 'scalar' && result.name === 'float');
  if ((isFloat ? branchInFloat : branchInDouble).has(plain)) endSection(run, 'frontEnd');
  if ((isFloat ? splitInFloat : splitInDouble).has(plain)) endSection(run, 'assembler');
}

export function endSection({ recorder }: Run, part: keyof Sections): void {
  recorder.sections = { ...recorder.sections, [part]: recorder.sections[part] + 1 };
}

/** Types whose arithmetic and conversions are inline assembly. */
export function isHalf(type: Type): boolean {
  if (type.kind === 'scalar') return type.float && type.size === 2;
  return type.kind === 'struct' && type.vector !== undefined && /half2$|bfloat162$/.test(type.name);
}
