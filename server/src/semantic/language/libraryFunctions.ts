// The functions of libraries whose effects are known by name: CUDA's runtime, driver, libraries and samples, C, C++,
// POSIX, OpenMP, MPI, and Fortran's intrinsics. The only names of functions that may decide anything; a definition in
// the program goes before the name.
import type { RuntimeCallFact } from '../model';

interface Partner {
  readonly category: 'allocate' | 'create';
  readonly ends: readonly string[];
}

const pairs = `
  allocate cudaMalloc,cudaMallocManaged,cudaMallocPitch,cudaMalloc3D cudaFree
  allocate cudaMallocHost,cudaHostAlloc cudaFreeHost
  allocate cudaMallocArray,cudaMalloc3DArray cudaFreeArray
  allocate cuMemAlloc cuMemFree
  allocate cudaHostRegister cudaHostUnregister
  create cudaStreamCreate,cudaStreamCreateWithFlags,cudaStreamCreateWithPriority cudaStreamDestroy
  create cudaEventCreate,cudaEventCreateWithFlags cudaEventDestroy
  create cudaGraphCreate cudaGraphDestroy
  create cudaGraphInstantiate cudaGraphExecDestroy
  create cublasCreate cublasDestroy
  create cublasCreate_v2 cublasDestroy_v2 cublasDestroy
  create cublasLtCreate cublasLtDestroy
  create cusparseCreate cusparseDestroy
  create cusolverDnCreate cusolverDnDestroy
  create cudnnCreate cudnnDestroy
  create curandCreateGenerator curandDestroyGenerator
  create cufftPlan1d,cufftPlan2d,cufftPlan3d,cufftPlanMany cufftDestroy`;

/** Calls that make something, with what takes it away again. The first argument is the address of what is made. */
export const partners: ReadonlyMap<string, Partner> = new Map(
  pairs.match(/\S.*/g)!.flatMap((pair) => {
    const [category, names, ...ends] = pair.split(' ') as [Partner['category'], string, ...string[]];
    return names.split(',').map((name): [string, Partner] => [name, { category, ends }]);
  }),
);

const endings = new Map<string, 'free' | 'destroy'>();
for (const partner of partners.values())
  for (const end of partner.ends) endings.set(end, partner.category === 'allocate' ? 'free' : 'destroy');

const argumentMemory = `free delete memcpy memmove memset memcmp realloc fopen fclose fread fwrite fgets fputs scanf
  fscanf sscanf sprintf snprintf posix_memalign aligned_alloc read`;

/**
 * Mathematical functions, which C++ overloads for float: issue slots of a warp in float, and in double with the
 * double-precision instructions among them. Machine code of nvcc 13.0 for sm_90, on the way that common arguments take;
 * a special function counts as the eight slots that its unit takes.
 */
const mathematics = `sqrt 13 22 8, exp 9 61 10, exp2 8 62 10, exp10 9 69 11, log 28 84 23, log2 30 90 24,
  log10 29 90 24, log1p 31 137 40, expm1 29 73 13, sin 24 53 16, cos 24 53 16, tan 34 93 18, sincos 36 80 30,
  asin 25 118 17, acos 26 131 20, atan 19 81 10, sinh 25 123 25, cosh 16 61 13, tanh 17 102 16, asinh 45 166 52,
  acosh 47 162 50, atanh 41 167 51, fabs 1 1 0, floor 2 8 0, ceil 2 8 0, round 4 12 1, trunc 2 8 0, rint 2 8 0,
  nearbyint 2 8 0, cbrt 16 44 13, rsqrt 8 16 5, rcbrt 17 49 14, erf 30 123 11, erfc 48 168 34, erfinv 28 278 33,
  tgamma 164 616 165, lgamma 120 168 48, sinpi 25 37 14, cospi 25 37 14, normcdf 64 187 43, pow 74 206 92,
  atan2 51 120 20, fmod 74 255 9, fmax 1 8 1, fmin 1 8 1, hypot 28 44 14, copysign 1 2 0, fdim 3 4 2,
  remainder 93 263 13, fma 1 1 1`;
const costsOfMathematics = new Map(
  mathematics.split(/,\s+/).map((row) => {
    const [name, ...costs] = row.split(' ') as [string, string, string, string];
    const [float, slots, doubles] = costs.map(Number) as [number, number, number];
    return [name, { float, slots, doubles }] as const;
  }),
);

/** What functions do, and patterns of the names of those that do it. */
const effects = {
  wait: 'cuda(Device|Thread|Stream|Event)Synchronize cu(Ctx|Stream)Synchronize',
  copy: 'cudaMemcpy(2D|3D|ToSymbol|FromSymbol|ToArray|FromArray|2DToArray|2DFromArray)? cuMemcpy(HtoD|DtoH)?',
  asyncCopy: String.raw`cudaMemcpy\w*Async cudaMemPrefetchAsync cuMemcpy\w*Async`,
  launch: String.raw`cudaLaunch\w*Kernel\w* cuLaunchKernel cudaGraphLaunch`,
  runtime: String.raw`cuda[A-Z]\S* cu(Mem|Ctx|Stream|Event|Module|Device|Func|Init)\S*
    (cublas|cufft|cusparse|cusolver|curand|cudnn|nccl|nvml|nvtx)\S*`,
  /** Of Thrust, where its data are the GPU's: they launch kernels and wait. */
  algorithm: `reduce transform_reduce inner_product (stable_)?sort(_by_key)? (in|ex)clusive_scan lower_bound upper_bound
    binary_search count(_if)? (min|max|minmax)_element unique remove_if copy_if partition reduce_by_key`,
  clock: `clock clock_gettime gettimeofday time times ftime timespec_get now QueryPerformanceCounter __rdtsc rdtsc
    omp_get_wtime MPI_Wtime cudaEventRecord cudaEventElapsedTime cuEventRecord cuEventElapsedTime sdkStartTimer
    sdkStopTimer sdkResetTimer sdkGetTimerValue sdkGetAverageTimerValue system_clock cpu_time date_and_time mpi_wtime`,
  /** Also what CUDA and its compiler derive from an address, without going there. */
  value: String.raw`dim3 sizeof min max fmin fmax fminf fmaxf ceilf? floorf? roundf? sqrtf? powf? log log2f? log10 expf?
    sinf? cosf? tan abs fabsf? labs swap move forward assert static_assert make_pair make_tuple to_string string setw
    setprecision duration duration_cast static_cast rand srand float double int size_t make_cudaExtent
    make_cudaPitchedPtr make_cudaPos cudaGetErrorString cudaGetErrorName raw_pointer_cast
    make_(u?(char|short|int|long|longlong)|float|double)[1-4]
    __(cvta_\w+|is(Global|Shared|Constant|Local|GridConstant)|builtin_assume_aligned)`,
  print: 'printf fprintf puts fputs putchar fputc fflush perror',
  leave: 'exit _exit _Exit quick_exit abort terminate __assert_fail',
  ownMemory: 'malloc calloc realloc free aligned_alloc memset memcpy memmove usleep sleep',
  allocate: `malloc calloc realloc aligned_alloc posix_memalign _mm_malloc new acc_malloc cudaMalloc cudaMallocManaged
    cudaMallocHost cudaHostAlloc allocate`,
  sampleCheck: 'checkCudaErrors (__)?getLastCudaError printLastCudaError',
  status: `cudaGetLastError cudaPeekAtLastError cu(da)?GetErrorString cu(da)?GetErrorName cublasGetStatusString
    cublasGetStatusName cusparseGetErrorString cudnnGetErrorString ncclGetErrorString cudaDeviceReset`,
  handOn: String.raw`(MPI_|nccl|nvshmem_?|shmem_|gl[A-Z]|glut[A-Z]|glfw[A-Z]|cudaGraphics|cudaIpc)\w*`,
  container: `size data get begin end at empty length c_str str push_back emplace_back reserve resize clear count`,
  containerQuery: 'size data get begin end c_str empty length',
  pipeline: String.raw`curand(_\w+|4)? __pipeline_(memcpy_async|commit|wait_prior)`,
  tile: 'reduce inclusive_scan exclusive_scan invoke_one invoke_one_broadcast labeled_partition binary_partition',
  operator: 'plus multiplies less greater maximum minimum bit_and bit_or bit_xor Sum Max Min',
  harmless: String.raw`(f?abs|labs|llabs|sqrt|cbrt|exp2?|expm1|log|log2|log10|log1p|pow|sin|cos|tan|asin|acos)[fl]?
    (atan2?|sinh|cosh|tanh|asinh|acosh|atanh|floor|ceil|round|lround|rint|nearbyint|trunc|fmod|remainder|hypot)[fl]?
    (fmax|fmin|fma|erfc?|tgamma|lgamma|copysign|isnan|isinf|isfinite|max|min|swap)[fl]?
    printf fprintf puts putchar fflush perror exit abort assert __assert_fail rand srand drand48 srand48 rand_r time
    clock omp_get_\w+ gettimeofday clock_gettime MPI_Wtime MPI_Barrier malloc calloc new atoi atof strtol strtod strlen
    strcmp strncmp getenv usleep sleep acc_(get|set)_\w+ acc_init acc_shutdown acc_on_device acc_async_test\w*
    acc_is_present`,
  harmlessInFortran: String.raw`d?sqrt d?exp d?log d?log10 d?sin d?cos d?tan d?atan2? d?abs iabs max[01]? min[01]? amax1
    dmax1 amin1 dmin1 mod modulo sign int nint real dble float cmplx dcmplx aimag conjg floor ceiling sum product maxval
    minval maxloc minloc dot_product matmul transpose reshape spread merge any all count iand ior ieor ishft btest not
    char ichar achar iachar trim adjustl adjustr len_trim len index epsilon tiny huge precision cshift eoshift pack
    unpack dot norm2 aint anint dim write print cpu_time sngl [di]sign [ad]mod d?nint dint id(n?int|im) ifix ddim dprod
    alog(10)? amax0 amin0 max1 min1 d(asin|acos|sinh|cosh|tanh) c(abs|sqrt|exp|log|sin|cos) system_clock random_seed
    date_and_time omp_get_wtime mpi_wtime stop`,
  argumentsOnly: String.raw`${argumentMemory} std::swap MPI_\w+ acc_\w+`,
  argumentsOnlyInFortran: String.raw`${argumentMemory} mpi_\w+ acc_\w+ allocate deallocate nullify random_number
    get_command_argument getarg move_alloc mvbits`,
  float: `__(expf|exp10f|logf|log2f|log10f|sinf|cosf|tanf|powf|fdividef|saturatef|tanhf)
    __(f(add|sub|mul|div|maf|sqrt|rsqrt|rcp)|fmaf)_r[nzud]`,
  /** CUDA's own functions, and names that only the implementation may have. */
  reserved: String.raw`__\w+ atomic[A-Z]\w*`,
  /** Texture fetches, arithmetic, shuffles: the language hands over values. */
  byValue: String.raw`tex[123]D\w* texCubemap\w* surf[123]D\w*write
    (f?min|f?max|u?min|u?max|f?abs|sqrt|rsqrt|exp2?|log(2|10)?|pow|sin|cos|tan|floor|ceil|round)f?
    (fma|fmod|hypot|atan2?)f?
    __(ldg|shfl\w*|popc|clz|ffs|brev|u?mul24|u?mulhi|fdividef|expf|logf|powf|sinf|cosf|fmaf_rn|saturatef)`,
  /** Changes what its pointer leads to, and no argument. */
  atomic: `atomic(Add|Sub|Exch|Min|Max|Inc|Dec|CAS|And|Or|Xor)(_block|_system)?
    __nv_atomic_(fetch_)?(add|sub|min|max|and|or|xor|exchange_n|compare_exchange_n)`,
} as const;

const patterns = new Map(
  Object.entries(effects).map(([effect, row]) => [effect, new RegExp(`^(?:${row.split(/\s+/).join('|')})$`)]),
);

const does = (name: string, effect: keyof typeof effects): boolean => patterns.get(effect)!.test(name);

const doing = (effect: keyof typeof effects) => (name: string) => does(name, effect);

export const isDeviceAlgorithm = doing('algorithm');
/** Reads a clock, or has the GPU read its own. */
export const isLibraryClock = doing('clock');
/** Works out a value of its arguments: reaches no memory but what it is given by reference. */
export const isValueFunction = doing('value');
export const isPrinting = doing('print');
/** Ends the program. */
export const endsProgram = doing('leave');
/** Makes memory. */
export const isAllocator = doing('allocate');
/** What CUDA's samples bring to check a call: `helper_cuda.h`. */
export const isSampleCheck = doing('sampleCheck');
/** Asks the runtime or a library what went wrong. */
export const asksForStatus = doing('status');
/** Hands results to other processes, or draws them. */
export const handsResultsOn = doing('handOn');
/** Members of the standard library's containers that only say what they hold. */
export const asksContainer = doing('containerQuery');
/** Members of the standard library's containers that change no variable but their own object. */
export const isContainerMember = doing('container');
/** C++ overloads them for float: the arguments decide. */
export function isOverloadedMath(name: string): boolean {
  return costsOfMathematics.has(name) && name !== 'sincos';
}
export const takesByValue = doing('byValue');
export const isAtomicFunction = doing('atomic');

/** Methods of PyTorch's tensors that give a pointer to what their template argument names. */
export function givesPointer(method: string): boolean {
  return /^(?:const_|mutable_)?data_ptr$/.test(method);
}

/** What a call does; undefined for a call that is neither the runtime's nor a library's. */
export function categoryOf(name: string): RuntimeCallFact['category'] | undefined {
  const partner = partners.get(name);
  if (partner) return partner.category;
  const ending = endings.get(name);
  if (ending) return ending;
  if (does(name, 'wait')) return 'synchronise';
  if (does(name, 'copy')) return 'copy';
  if (does(name, 'asyncCopy')) return 'async-copy';
  if (does(name, 'launch')) return 'launch';
  return does(name, 'runtime') ? 'other' : undefined;
}

const ofLibrary = /^(?:cg|cooperative_groups|cub|thrust|std|cuda::std)::/;
const ofFragments = /^(?:(?:::)?(?:nvcuda::)?wmma::)?(?:(?:load|store)_matrix_sync|mma_sync|fill_fragment)$/;

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
  if (givenGroup) return does(name, 'tile') ? 'warp' : undefined;
  if (ofFragments.test(qualifiedName)) return 'warp';
  if (does(name, 'operator') && ofLibrary.test(qualifiedName)) return 'none';
  return isValueFunction(name) || isPrinting(name) || does(name, 'pipeline') ? 'none' : undefined;
}

/** Collectives of CUB that pass values through their temporary storage, all threads of the block meeting between. */
const throughStorage =
  /^(?:::)?cub::Block(?:Reduce|Scan|RadixSort|Discontinuity|AdjacentDifference|Shuffle|MergeSort)$/;

/** How the threads of a class of CUB exchange values: the block through storage, or lanes of a warp; else undefined. */
export function exchangeOf(className: string): 'block' | 'warp' | undefined {
  if (throughStorage.test(className)) return 'block';
  return /^(?:::)?cub::Warp(?:Reduce|Scan|Exchange|MergeSort)$/.test(className) ? 'warp' : undefined;
}

/** Works on nothing but the memory that it is handed or makes. */
export function keepsToArguments(name: string): boolean {
  return isValueFunction(name) || isPrinting(name) || endsProgram(name) || does(name, 'ownMemory');
}

/** Vectors of libraries that take memory of the GPU when they are made with a size, and give it back at their end. */
export const owningVectors: ReadonlySet<string> = new Set(['thrust::device_vector', 'thrust::universal_vector']);

/** A type whose values say whether a call of a library went well. */
export function isLibraryStatus(type: string): boolean {
  return /^(cudaError(_t)?|CUresult|cufftResult|ncclResult_t|(cublas|cusparse|cusolver|curand|cudnn)Status_t)$/.test(
    type,
  );
}

/** Touches nothing but what it is handed. */
export function touchesArgumentsOnly(name: string, fortran: boolean): boolean {
  return does(name, fortran ? 'argumentsOnlyInFortran' : 'argumentsOnly');
}
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
  return fortran ? does(name, 'harmlessInFortran') || inquiries.has(name) : does(name, 'harmless');
}

/** `sqrtf`, `__expf`, `fmaxf`: floats in, float out. */
export function isFloatFunction(name: string): boolean {
  return does(name, 'float') || (name.endsWith('f') && isOverloadedMath(name.slice(0, -1)));
}

/** Lanes that exchange values wait for a unit that serves a warp in a cycle (votes: half of one). */
const exchanged = { slots: 4, doubles: 0 };
const voted = { slots: 2, doubles: 0 };

/** Issue slots of a warp, and its double-precision instructions, of a function known by its name; else undefined. */
export function costOfFunction(name: string, isDouble: boolean): { slots: number; doubles: number } | undefined {
  if (/^__shfl/.test(name)) return exchanged;
  if (/^__(ballot|any|all|match|reduce|activemask)/.test(name)) return voted;
  if (/^__[a-z]+\d*f$/.test(name) && does(name, 'float')) return { slots: 8, doubles: 0 };
  const known = costsOfMathematics.get(name) ?? costsOfMathematics.get(name.replace(/f$/, ''));
  if (!known) return undefined;
  return isDouble && !isFloatFunction(name) ? known : { slots: known.float, doubles: 0 };
}

/**
 * What it does is known by its name. A header in which a library declares it says no more of it, but much beside it:
 * its overloads for classes of the library, its bodies in assembly.
 */
export function isKnownByName(name: string): boolean {
  return (
    does(name, 'reserved') ||
    keepsToArguments(name) ||
    isHarmless(name, false) ||
    isOverloadedMath(name) ||
    isFloatFunction(name) ||
    categoryOf(name) !== undefined
  );
}
