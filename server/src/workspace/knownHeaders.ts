// Headers of the compiler, the toolkit and the system: they are not looked for, since what a kernel takes from them is
// known.

/** Of the C and POSIX libraries, by their names without folders. */
const cHeaders = new Set(
  (
    'assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal ' +
    'stdalign stdarg stdatomic stdbool ' +
    'stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype ' +
    'strings unistd pthread sched ' +
    'dirent dlfcn fcntl getopt glob libgen malloc memory netdb poll pwd regex semaphore syslog ' +
    'termios utime values alloca ' +
    'execinfo endian byteswap features ucontext windows conio io direct process intrin direct winsock2 Windows ' +
    'immintrin emmintrin xmmintrin pmmintrin smmintrin nmmintrin tmmintrin x86intrin arm_neon ' +
    'cpuid omp openacc accel acc_prof'
  ).split(' '),
);
/** The toolkit's headers outside of folders, by full name: a project's `cuda_utils.h` does not match. */
const toolkitHeaders = new RegExp(
  `^(?:${[
    'cuda(?:GL|EGL|Typedefs|Profiler|VDPAU|VDPAUTypedefs|_runtime(?:_api)?|_(?:fp|bf)\\d+|_(?:gl|egl|vdpau|d3d\\d+)_interop)?',
    'cuda_(?:awbarrier|pipeline)(?:_helpers|_primitives)?|cuda_(?:device_runtime_api|occupancy|profiler_api|surface_types|texture_types|stdint|wrappers)',
    'cublas(?:_v2|_api|Lt|Xt)?|cufft(?:w|Xt|XtMp)?|curand\\w*|cusolver(?:Dn|Mg|Rf|Sp|_common)?|cusparse(?:_v2|Lt)?|cudnn(?:_\\w+)?',
    'cupti\\w*|cutensor\\w*|cufile|cuComplex|nccl|nvrtc|nvml|nvjpeg\\w*|nvJitLink|nvPTXCompiler|nvToolsExt\\w*|nvvm|npp\\w*',
    'cooperative_groups|mma|sm_\\d\\d\\w*|device_(?:types|functions|atomic_functions|double_functions|launch_parameters)',
    'vector_(?:types|functions)|host_(?:config|defines)|driver_(?:types|functions)|builtin_types|math_(?:constants|functions)',
    'channel_descriptor|(?:texture|surface)_(?:types|fetch_functions|indirect_functions|functions)|library_types|common_functions|fatbinary_section',
  ].join('|')})$`,
);
const toolkitFolders =
  /^(?:cuda|cub|thrust|nv|crt|cooperative_groups|cccl|nvtx3|nvfunctional|sys|bits|asm|linux|arpa|net|netinet|mach|experimental|ext|tr1|pstl|__\w+)\//;

/** True for a header that comes with the compiler, the CUDA toolkit or the system. */
export function isKnownHeader(spelled: string): boolean {
  if (toolkitFolders.test(spelled)) return true;
  if (spelled.includes('/')) return false;
  const dot = spelled.lastIndexOf('.');
  // The C++ library's headers have no extension.
  if (dot < 0) return /^[a-z][a-z_\d]*$/.test(spelled);
  const name = spelled.slice(0, dot);
  return /\.(h|hpp)$/.test(spelled) && (cHeaders.has(name) || toolkitHeaders.test(name));
}
