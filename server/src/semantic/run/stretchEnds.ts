// What ends a stretch of straight code, within which nvcc merges neighbouring accesses, where the text shows no branch.
//
// Observed with nvcc 13.0, `-O3 -arch=sm_90`, in PTX: `q.x = f(v.x); q.y = f(v.y);` is one `st.v2` for an `f` that is
// neither of these, two stores for one of them; loads are the same.
// - Functions of the math library that branch inside: on denormal numbers, large arguments, tables.
// - Inline assembly, volatile or not, and all that is written with it: conversions and arithmetic of `__half` and
//   `__nv_bfloat16`, `__dp4a`, votes, shuffles.
import type { Type } from '../language';

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

/** Does a call of this function of CUDA's libraries end a stretch? `result` is the type that it gives. */
export function endsStretch(name: string, result: Type): boolean {
  if (name.startsWith('__')) return assembly.test(name);
  const isFloat = result.kind === 'scalar' && result.name === 'float';
  if (isFloat ? branchInFloat.has(name) : branchInDouble.has(name)) return true;
  return name.endsWith('f') && branchInFloat.has(name.slice(0, -1));
}

const branchInAssembly = /^(?:r?sqrt|hypot|r?norm[34]?d?|__[fd](?:sqrt|div|rcp)_r[nzud])f?$/;

/** Does the assembler write a branch for it? `rsqrtf` is one instruction. */
export function branchesInAssembly(name: string): boolean {
  return name !== 'rsqrtf' && branchInAssembly.test(name);
}

/** Types whose arithmetic and conversions are inline assembly. */
export function isHalf(type: Type): boolean {
  if (type.kind === 'scalar') return type.float && type.size === 2;
  return type.kind === 'struct' && type.vector !== undefined && /half2$|bfloat162$/.test(type.name);
}
