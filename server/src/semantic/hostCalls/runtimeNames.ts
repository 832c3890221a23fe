// What the calls of the CUDA runtime and its libraries do, by name.
import type { RuntimeCallFact } from '../model';

type Category = RuntimeCallFact['category'];

interface Partner {
  readonly category: 'allocate' | 'create';
  readonly ends: readonly string[];
  readonly noun: string;
}

/** Calls that make something, with what takes it away again. The first argument is the address of what is made. */
export const partners: ReadonlyMap<string, Partner> = new Map<string, Partner>([
  ...['cudaMalloc', 'cudaMallocManaged', 'cudaMallocPitch', 'cudaMalloc3D'].map(
    (name) => [name, { category: 'allocate', ends: ['cudaFree'], noun: 'memory' }] as [string, Partner],
  ),
  ...['cudaMallocHost', 'cudaHostAlloc'].map(
    (name) => [name, { category: 'allocate', ends: ['cudaFreeHost'], noun: 'pinned memory' }] as [string, Partner],
  ),
  ...['cudaMallocArray', 'cudaMalloc3DArray'].map(
    (name) => [name, { category: 'allocate', ends: ['cudaFreeArray'], noun: 'array' }] as [string, Partner],
  ),
  ['cuMemAlloc', { category: 'allocate', ends: ['cuMemFree'], noun: 'memory' }],
  ['cudaHostRegister', { category: 'allocate', ends: ['cudaHostUnregister'], noun: 'registration' }],
  ...['cudaStreamCreate', 'cudaStreamCreateWithFlags', 'cudaStreamCreateWithPriority'].map(
    (name) => [name, { category: 'create', ends: ['cudaStreamDestroy'], noun: 'stream' }] as [string, Partner],
  ),
  ...['cudaEventCreate', 'cudaEventCreateWithFlags'].map(
    (name) => [name, { category: 'create', ends: ['cudaEventDestroy'], noun: 'event' }] as [string, Partner],
  ),
  ['cudaGraphCreate', { category: 'create', ends: ['cudaGraphDestroy'], noun: 'graph' }],
  ['cudaGraphInstantiate', { category: 'create', ends: ['cudaGraphExecDestroy'], noun: 'executable graph' }],
  ['cublasCreate', { category: 'create', ends: ['cublasDestroy'], noun: 'handle' }],
  ['cublasCreate_v2', { category: 'create', ends: ['cublasDestroy_v2', 'cublasDestroy'], noun: 'handle' }],
  ['cublasLtCreate', { category: 'create', ends: ['cublasLtDestroy'], noun: 'handle' }],
  ['cusparseCreate', { category: 'create', ends: ['cusparseDestroy'], noun: 'handle' }],
  ['cusolverDnCreate', { category: 'create', ends: ['cusolverDnDestroy'], noun: 'handle' }],
  ['cudnnCreate', { category: 'create', ends: ['cudnnDestroy'], noun: 'handle' }],
  ['curandCreateGenerator', { category: 'create', ends: ['curandDestroyGenerator'], noun: 'generator' }],
  ...['cufftPlan1d', 'cufftPlan2d', 'cufftPlan3d', 'cufftPlanMany'].map(
    (name) => [name, { category: 'create', ends: ['cufftDestroy'], noun: 'plan' }] as [string, Partner],
  ),
]);

const endings = new Map<string, 'free' | 'destroy'>();
for (const partner of partners.values())
  for (const end of partner.ends) endings.set(end, partner.category === 'allocate' ? 'free' : 'destroy');

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

const timers = new RegExp(
  [
    '^(clock|clock_gettime|gettimeofday|time|times|now|getTime|get_time|GetTime|getTimer|rtclock',
    'omp_get_wtime|MPI_Wtime|wtime|gettime|cpuSecond|cpu_second|seconds?|get_clock',
    String.raw`QueryPerformanceCounter|cudaEventRecord|cudaEventElapsedTime|sdk\w*Timer\w*|ftime|__rdtsc)$`,
  ].join('|'),
);

/** Calls that read a clock, by the names clocks have, those of classes (`Timer::Stop`) among them. */
export function isTimer(qualified: string): boolean {
  const name = qualified.slice(qualified.lastIndexOf(':') + 1);
  return (
    timers.test(name) ||
    /(?:timer|stopwatch)\w*::\w+$/i.test(qualified) ||
    /(timer|stopwatch|elapsed|tick|tock|wall_?time|wtime|microtime|profiler)/i.test(name) ||
    /^(tic|toc|startTiming|stopTiming)$/.test(name) ||
    /(Time|_time|Timing)$/.test(name)
  );
}
