// What is defined before the first line of a file: the compiler's macros and those of the settings.
import { macroFromText, MacroTable } from './macros';

export interface ParseSettings {
  readonly defines: Readonly<Record<string, string>>;
  readonly undefines?: readonly string[];
  /** Ten times the compute capability, as in `sm_90`. */
  readonly computeCapability: number;
}

/**
 * What nvcc defines, and what the settings say. C and C++ sources without CUDA get what an OpenACC compiler defines.
 */
export function predefined(uri: string, settings: ParseSettings): MacroTable {
  const macros = new MacroTable();
  const define = (name: string, value: string): void => macros.define(macroFromText(name, value));
  const plainC = /\.c$/i.test(uri);
  const hostOnly = plainC || /\.(?:cc|cpp|cxx|c\+\+)$/i.test(uri);
  for (const [name, value] of COMPILER_MACROS) define(name, value);
  if (!plainC) define('__cplusplus', '201703L');
  else define('__STDC_VERSION__', '201112L');
  if (hostOnly) define('_OPENACC', '201711');
  else {
    for (const [name, value] of CUDA_MACROS) define(name, value);
    for (const [name, params, value] of HIP_MACROS) macros.define(macroFromText(name, value, params));
    define('__CUDA_ARCH__', String(Math.trunc(settings.computeCapability) * 10));
    define('__CUDA_ARCH_LIST__', String(Math.trunc(settings.computeCapability) * 10));
  }
  for (const name of settings.undefines ?? []) macros.undefine(name);
  for (const [name, value] of Object.entries(settings.defines)) define(name, value);
  return macros;
}

const COMPILER_MACROS: readonly (readonly [string, string])[] = [
  ['__STDC__', '1'],
  ['__GNUC__', '13'],
  ['__GNUC_MINOR__', '0'],
  ['__linux__', '1'],
  ['__linux', '1'],
  ['linux', '1'],
  ['__unix__', '1'],
  ['__x86_64__', '1'],
  ['__LP64__', '1'],
  ['_LP64', '1'],
  ['__CHAR_BIT__', '8'],
  ['__SIZEOF_INT__', '4'],
  ['__SIZEOF_LONG__', '8'],
  ['__SIZEOF_POINTER__', '8'],
  ['__BYTE_ORDER__', '1234'],
  ['__ORDER_LITTLE_ENDIAN__', '1234'],
  ['__ORDER_BIG_ENDIAN__', '4321'],
];
const CUDA_MACROS: readonly (readonly [string, string])[] = [
  ['__CUDACC__', '1'],
  ['__NVCC__', '1'],
  ['__CUDACC_VER_MAJOR__', '13'],
  ['__CUDACC_VER_MINOR__', '0'],
  ['__CUDACC_VER_BUILD__', '0'],
  ['CUDART_VERSION', '13000'],
  ['CUDA_VERSION', '13000'],
  // PyTorch's lanes of a warp, on GPUs of NVIDIA.
  ['C10_WARP_SIZE', '32'],
  ['__CUDACC_EXTENDED_LAMBDA__', '1'],
  ['__CUDACC_RELAXED_CONSTEXPR__', '1'],
  // nvcc reads cuda_runtime.h before a file: replacements of its types for builds without CUDA are not read.
  ['__CUDA_RUNTIME_H__', ''],
  ['__VECTOR_TYPES_H__', ''],
  ['__VECTOR_FUNCTIONS_H__', ''],
  // Switches of builds, by their usual names: a file with kernels is compiled in a build that has CUDA.
  ['HAVE_CUDA', '1'],
  ['USE_CUDA', '1'],
  ['WITH_CUDA', '1'],
  ['ENABLE_CUDA', '1'],
];

/** HIP's launches, as its headers write them for nvcc. */
const HIP_MACROS: readonly (readonly [name: string, params: readonly string[], value: string])[] = [
  ['HIP_KERNEL_NAME', ['__VA_ARGS__'], '__VA_ARGS__'],
  [
    'hipLaunchKernelGGL',
    ['kernel', 'grid', 'block', 'shared', 'stream', '__VA_ARGS__'],
    'kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)',
  ],
];
