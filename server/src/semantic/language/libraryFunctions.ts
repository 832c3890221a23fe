// The functions of libraries whose effects are known by name: CUDA's runtime, driver, libraries and samples, C, C++,
// POSIX, OpenMP, MPI, and Fortran's intrinsics. The only names of functions that may decide anything; a definition in
// the program goes before the name.
import type { RuntimeCallFact } from '../model';

type Category = RuntimeCallFact['category'];

interface Partner {
  readonly category: 'allocate' | 'create';
  readonly ends: readonly string[];
}

/** Calls that make something, with what takes it away again. The first argument is the address of what is made. */
export const partners: ReadonlyMap<string, Partner> = new Map<string, Partner>([
  ...['cudaMalloc', 'cudaMallocManaged', 'cudaMallocPitch', 'cudaMalloc3D'].map(
    (name) => [name, { category: 'allocate', ends: ['cudaFree'] }] as [string, Partner],
  ),
  ...['cudaMallocHost', 'cudaHostAlloc'].map(
    (name) => [name, { category: 'allocate', ends: ['cudaFreeHost'] }] as [string, Partner],
  ),
  ...['cudaMallocArray', 'cudaMalloc3DArray'].map(
    (name) => [name, { category: 'allocate', ends: ['cudaFreeArray'] }] as [string, Partner],
  ),
  ['cuMemAlloc', { category: 'allocate', ends: ['cuMemFree'] }],
  ['cudaHostRegister', { category: 'allocate', ends: ['cudaHostUnregister'] }],
  ...['cudaStreamCreate', 'cudaStreamCreateWithFlags', 'cudaStreamCreateWithPriority'].map(
    (name) => [name, { category: 'create', ends: ['cudaStreamDestroy'] }] as [string, Partner],
  ),
  ...['cudaEventCreate', 'cudaEventCreateWithFlags'].map(
    (name) => [name, { category: 'create', ends: ['cudaEventDestroy'] }] as [string, Partner],
  ),
  ['cudaGraphCreate', { category: 'create', ends: ['cudaGraphDestroy'] }],
  ['cudaGraphInstantiate', { category: 'create', ends: ['cudaGraphExecDestroy'] }],
  ['cublasCreate', { category: 'create', ends: ['cublasDestroy'] }],
  ['cublasCreate_v2', { category: 'create', ends: ['cublasDestroy_v2', 'cublasDestroy'] }],
  ['cublasLtCreate', { category: 'create', ends: ['cublasLtDestroy'] }],
  ['cusparseCreate', { category: 'create', ends: ['cusparseDestroy'] }],
  ['cusolverDnCreate', { category: 'create', ends: ['cusolverDnDestroy'] }],
  ['cudnnCreate', { category: 'create', ends: ['cudnnDestroy'] }],
  ['curandCreateGenerator', { category: 'create', ends: ['curandDestroyGenerator'] }],
  ...['cufftPlan1d', 'cufftPlan2d', 'cufftPlan3d', 'cufftPlanMany'].map(
    (name) => [name, { category: 'create', ends: ['cufftDestroy'] }] as [string, Partner],
  ),
]);

const endings = new Map<string, 'free' | 'destroy'>();
for (const partner of partners.values())
  for (const end of partner.ends) endings.set(end, partner.category === 'allocate' ? 'free' : 'destroy');

/** Methods of PyTorch's tensors that give a pointer to what their template argument names. */
export function givesPointer(method: string): boolean {
  return /^(?:const_|mutable_)?data_ptr$/.test(method);
}

const runtimeCalls = new RegExp(
  [
    '^(cuda[A-Z]|cu(Mem|Ctx|Stream|Event|Module|Device|Func|Init)|cublas|cufft|cusparse|cusolver|curand',
    String.raw`cudnn|nccl|nvml|nvtx)\w*`,
  ].join('|'),
);

const waitingCalls = new RegExp(
  [
    '^(cudaDeviceSynchronize|cudaThreadSynchronize|cudaStreamSynchronize|cudaEventSynchronize',
    'cuCtxSynchronize|cuStreamSynchronize)$',
  ].join('|'),
);

/** What a call does; undefined for a call that is neither the runtime's nor a library's. */
export function categoryOf(name: string): Category | undefined {
  const partner = partners.get(name);
  if (partner) return partner.category;
  const ending = endings.get(name);
  if (ending) return ending;
  if (waitingCalls.test(name)) return 'synchronise';
  if (
    /^(cudaMemcpy(2D|3D|ToSymbol|FromSymbol|ToArray|FromArray|2DToArray|2DFromArray)?|cuMemcpy(HtoD|DtoH)?)$/.test(name)
  )
    return 'copy';
  if (/^(cudaMemcpy\w*Async|cudaMemPrefetchAsync|cuMemcpy\w*Async)$/.test(name)) return 'async-copy';
  if (/^(cudaLaunch\w*Kernel\w*|cuLaunchKernel|cudaGraphLaunch)$/.test(name)) return 'launch';
  if (runtimeCalls.test(name)) return 'other';
  return undefined;
}

const clocks = new Set(
  (
    'clock clock_gettime gettimeofday time times ftime timespec_get now QueryPerformanceCounter __rdtsc rdtsc ' +
    'omp_get_wtime MPI_Wtime cudaEventRecord cudaEventElapsedTime cuEventRecord cuEventElapsedTime ' +
    'sdkStartTimer sdkStopTimer sdkResetTimer sdkGetTimerValue sdkGetAverageTimerValue ' +
    'system_clock cpu_time date_and_time mpi_wtime'
  ).split(' '),
);

/** Reads a clock, or has the GPU read its own. */
export function isLibraryClock(name: string): boolean {
  return clocks.has(name);
}

const values = new Set(
  (
    'dim3 sizeof min max fmin fmax fminf fmaxf ceil ceilf floor floorf round roundf sqrt sqrtf pow powf log log2 ' +
    'log2f log10 exp expf sin sinf cos cosf tan abs fabs fabsf labs swap move forward assert static_assert make_pair ' +
    'make_tuple to_string string setw setprecision duration duration_cast static_cast rand srand float double int ' +
    'size_t make_cudaExtent make_cudaPitchedPtr make_cudaPos cudaGetErrorString cudaGetErrorName raw_pointer_cast'
  ).split(' '),
);
/** What CUDA and its compiler derive from an address, without going there. */
const ofAddresses = /^__(?:cvta_\w+|is(?:Global|Shared|Constant|Local|GridConstant)|builtin_assume_aligned)$/;
const vectors = /^make_(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]$/;

/** Works out a value of its arguments: reaches no memory but what it is given by reference. */
export function isValueFunction(name: string): boolean {
  return values.has(name) || vectors.test(name) || ofAddresses.test(name);
}

const printing = new Set('printf fprintf puts fputs putchar fputc fflush perror'.split(' '));

export function isPrinting(name: string): boolean {
  return printing.has(name);
}

const leaving = new Set('exit _exit _Exit quick_exit abort terminate __assert_fail'.split(' '));

/** Ends the program. */
export function endsProgram(name: string): boolean {
  return leaving.has(name);
}

const ofTiles = new Set(
  'reduce inclusive_scan exclusive_scan invoke_one invoke_one_broadcast labeled_partition binary_partition'.split(' '),
);
const operators = new Set('plus multiplies less greater maximum minimum bit_and bit_or bit_xor Sum Max Min'.split(' '));
const ofLibrary = /^(?:cg|cooperative_groups|cub|thrust|std|cuda::std)::/;
const ofFragments = /^(?:nvcuda::)?wmma::(?:(?:load|store)_matrix_sync|mma_sync|fill_fragment)$/;

/** The pointer among the arguments of a function by which a warp reads a tile of memory, or writes one. */
export function tileMovedBy(qualifiedName: string): { argument: number; mode: 'load' | 'store' } | undefined {
  if (!ofFragments.test(qualifiedName)) return undefined;
  if (qualifiedName.endsWith('load_matrix_sync')) return { argument: 1, mode: 'load' };
  return qualifiedName.endsWith('store_matrix_sync') ? { argument: 0, mode: 'store' } : undefined;
}

/**
 * Which threads may wait for each other in a device function of CUDA's libraries, in a call that gives it a group of at
 * most a warp or none; undefined for other functions.
 */
export function meetingOf(qualifiedName: string, givenGroup: boolean): 'none' | 'warp' | undefined {
  const name = qualifiedName.split('::').at(-1)!;
  if (givenGroup) return ofTiles.has(name) ? 'warp' : undefined;
  if (ofFragments.test(qualifiedName)) return 'warp';
  if (operators.has(name) && ofLibrary.test(qualifiedName)) return 'none';
  return isValueFunction(name) ||
    isPrinting(name) ||
    /^(?:curand(?:_\w+|4)?|__pipeline_(?:memcpy_async|commit|wait_prior))$/.test(name)
    ? 'none'
    : undefined;
}

/** Collectives of CUB that pass values through their temporary storage, all threads of the block meeting between. */
const throughStorage =
  /^(?:::)?cub::Block(?:Reduce|Scan|RadixSort|Discontinuity|AdjacentDifference|Shuffle|MergeSort)$/;

/** How the threads of a class of CUB exchange values: the block through storage, or lanes of a warp; else undefined. */
export function exchangeOf(className: string): 'block' | 'warp' | undefined {
  if (throughStorage.test(className)) return 'block';
  return /^(?:::)?cub::Warp(?:Reduce|Scan|Exchange|MergeSort)$/.test(className) ? 'warp' : undefined;
}

const ownMemory = new Set('malloc calloc realloc free aligned_alloc memset memcpy memmove usleep sleep'.split(' '));

/** Works on nothing but the memory that it is handed or makes. */
export function keepsToArguments(name: string): boolean {
  return isValueFunction(name) || isPrinting(name) || endsProgram(name) || ownMemory.has(name);
}

const allocators = new Set(
  (
    'malloc calloc realloc aligned_alloc posix_memalign _mm_malloc new acc_malloc cudaMalloc cudaMallocManaged ' +
    'cudaMallocHost cudaHostAlloc allocate'
  ).split(' '),
);

/** Vectors of libraries that take memory of the GPU when they are made with a size, and give it back at their end. */
export const owningVectors: ReadonlySet<string> = new Set(['thrust::device_vector', 'thrust::universal_vector']);

/** Makes memory. */
export function isAllocator(name: string): boolean {
  return allocators.has(name);
}

/** What CUDA's samples bring to check a call: `helper_cuda.h`. */
const sampleChecks = new Set(['checkCudaErrors', 'getLastCudaError', '__getLastCudaError', 'printLastCudaError']);

export function isSampleCheck(name: string): boolean {
  return sampleChecks.has(name);
}

/** Asks the runtime or a library what went wrong. */
const statusQueries = new Set(
  (
    'cudaGetLastError cudaPeekAtLastError cudaGetErrorString cudaGetErrorName cuGetErrorString cuGetErrorName ' +
    'cublasGetStatusString cublasGetStatusName cusparseGetErrorString cudnnGetErrorString ncclGetErrorString ' +
    'cudaDeviceReset'
  ).split(' '),
);

export function asksForStatus(name: string): boolean {
  return statusQueries.has(name);
}

/** A type whose values say whether a call of a library went well. */
export function isLibraryStatus(type: string): boolean {
  return /^(cudaError(_t)?|CUresult|cufftResult|ncclResult_t|(cublas|cusparse|cusolver|curand|cudnn)Status_t)$/.test(
    type,
  );
}

const handsOn = /^(MPI_|nccl|nvshmem_?|shmem_|gl[A-Z]|glut[A-Z]|glfw[A-Z]|cudaGraphics|cudaIpc)\w*$/;

/** Hands results to other processes, or draws them. */
export function handsResultsOn(name: string): boolean {
  return handsOn.test(name);
}

const containerMembers = new Set(
  'size data get begin end at empty length c_str str push_back emplace_back reserve resize clear count'.split(' '),
);

/** Members of the standard library's containers that only say what they hold. */
export function asksContainer(name: string): boolean {
  return /^(size|data|get|begin|end|c_str|empty|length)$/.test(name);
}

/** Members of the standard library's containers that change no variable but their own object. */
export function isContainerMember(name: string): boolean {
  return containerMembers.has(name);
}

const mathematics = new RegExp(
  [
    '^(f?abs|labs|llabs|sqrt|cbrt|exp2?|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos|atan2?|sinh',
    'cosh|tanh|asinh|acosh|atanh|floor|ceil|round|lround|rint|nearbyint|trunc|fmod|remainder|hypot|fmax',
    'fmin|fma|erfc?|tgamma|lgamma|copysign|isnan|isinf|isfinite|max|min|swap|abs)[fl]?$',
  ].join('|'),
);
const hostWords = new RegExp(
  [
    '^(printf|fprintf|puts|putchar|fflush|perror|exit|abort|assert|__assert_fail|rand|srand|drand48',
    String.raw`srand48|rand_r|time|clock|omp_get_wtime|omp_get_\w+|gettimeofday|clock_gettime|MPI_Wtime|MPI_Barrier`,
    'malloc|calloc|new|atoi|atof|strtol|strtod|strlen|strcmp|strncmp|getenv|usleep|sleep',
    String.raw`acc_get_\w+|acc_set_\w+|acc_init|acc_shutdown|acc_on_device|acc_async_test\w*|acc_is_present)$`,
  ].join('|'),
);
const memoryOfArguments = [
  'free|delete|memcpy|memmove|memset|memcmp|realloc|fopen|fclose|fread|fwrite|fgets|fputs|scanf',
  'fscanf|sscanf|sprintf|snprintf|posix_memalign|aligned_alloc',
].join('|');
const cArguments = new RegExp(`^(${memoryOfArguments}|read|std::swap|MPI_\\w+|acc_\\w+)$`);
const fortranArguments = new RegExp(
  `^(${memoryOfArguments}|mpi_\\w+|acc_\\w+|allocate|deallocate|nullify|read|random_number|` +
    'get_command_argument|getarg|move_alloc|mvbits)$',
);

/** Touches nothing but what it is handed. */
export function touchesArgumentsOnly(name: string, fortran: boolean): boolean {
  return (fortran ? fortranArguments : cArguments).test(name);
}
const fortranWords = new RegExp(
  [
    '^(d?sqrt|d?exp|d?log|d?log10|d?sin|d?cos|d?tan|d?atan2?|d?abs|iabs|max[01]?|min[01]?|amax1|dmax1',
    'amin1|dmin1|mod|modulo|sign|int|nint|real|dble|float|cmplx|dcmplx|aimag|conjg|floor|ceiling|sum',
    'product|maxval|minval|maxloc|minloc|dot_product|matmul|transpose|reshape|spread|merge|any|all|count',
    'iand|ior|ieor|ishft|btest|not|char|ichar|achar|iachar|trim|adjustl|adjustr|len_trim|len|index',
    'epsilon|tiny|huge|precision|cshift|eoshift|pack|unpack|dot|norm2|aint|anint|dim|write|print|cpu_time',
    'sngl|[di]sign|[ad]mod|d?nint|dint|id(?:n?int|im)|ifix|ddim|dprod|alog(?:10)?|amax0|amin0|max1|min1',
    'd(?:asin|acos|sinh|cosh|tanh)|c(?:abs|sqrt|exp|log|sin|cos)',
    'system_clock|random_seed|date_and_time|omp_get_wtime|mpi_wtime|stop)$',
  ].join('|'),
);
/** Works on the host's memory alone: what it is handed does not come to the GPU by it. */
export function touchesHostOnly(name: string): boolean {
  return !/^acc_/i.test(name) && touchesArgumentsOnly(name, /^[a-z_\d]+$/.test(name));
}
export const inquiries: ReadonlySet<string> = new Set(
  (
    'size shape lbound ubound allocated associated present kind selected_real_kind sizeof storage_size rank ' +
    'c_sizeof'
  ).split(' '),
);

/** Touches no variable of the program. */
export function isHarmless(name: string, fortran: boolean): boolean {
  return fortran ? fortranWords.test(name) || inquiries.has(name) : mathematics.test(name) || hostWords.test(name);
}

/** Math functions that C++ overloads for float: the arguments decide. */
const overloadedMath = new Set(
  (
    'sqrt exp exp2 exp10 log log2 log10 log1p expm1 sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh ' +
    'fabs floor ceil round trunc rint nearbyint cbrt rsqrt rcbrt erf erfc erfinv tgamma lgamma sinpi cospi ' +
    'normcdf pow atan2 fmod fmax fmin hypot copysign fdim remainder fma'
  ).split(' '),
);

export function isOverloadedMath(name: string): boolean {
  return overloadedMath.has(name);
}

/** `sqrtf`, `__expf`, `fmaxf`: floats in, float out. */
export function isFloatFunction(name: string): boolean {
  if (/^__(expf|exp10f|logf|log2f|log10f|sinf|cosf|tanf|powf|fdividef|saturatef|tanhf)$/.test(name)) return true;
  if (/^__(f(add|sub|mul|div|maf|sqrt|rsqrt|rcp)|fmaf)_r[nzud]$/.test(name)) return true;
  return name.endsWith('f') && overloadedMath.has(name.slice(0, -1)) && name !== 'f';
}

/** CUDA's own functions, and names that only the implementation may have. */
const reserved = /^(?:__\w+|atomic[A-Z]\w*)$/;

/**
 * What it does is known by its name. A header in which a library declares it says no more of it, but much beside it:
 * its overloads for classes of the library, its bodies in assembly.
 */
export function isKnownByName(name: string): boolean {
  return (
    reserved.test(name) ||
    keepsToArguments(name) ||
    isHarmless(name, false) ||
    isOverloadedMath(name) ||
    isFloatFunction(name) ||
    categoryOf(name) !== undefined
  );
}
