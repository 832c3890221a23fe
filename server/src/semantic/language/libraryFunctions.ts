// The functions of libraries whose effects are known by name: CUDA's runtime, driver, libraries and samples, C, C++,
// POSIX, OpenMP, MPI, and Fortran's intrinsics. The only names of functions that may decide anything; a definition in
// the program goes before the name. The names are in `libraryFunctions.json`.
import type { RuntimeCallFact } from '../model';
import { effects, mathematics, pairs } from './libraryFunctions.json';

interface Partner {
  readonly category: 'allocate' | 'create';
  readonly ends: readonly string[];
}

/** Calls that make something, with what takes it away again. The first argument is the address of what is made. */
export const partners: ReadonlyMap<string, Partner> = new Map(
  pairs.flatMap((pair) => {
    const [category, names, ...ends] = pair.split(' ') as [Partner['category'], string, ...string[]];
    return names.split(',').map((name): [string, Partner] => [name, { category, ends }]);
  }),
);

const endings = new Map<string, 'free' | 'destroy'>();
for (const partner of partners.values())
  for (const end of partner.ends) endings.set(end, partner.category === 'allocate' ? 'free' : 'destroy');

/**
 * Mathematical functions, which C++ overloads for float: issue slots of a warp in float, and in double with the
 * double-precision instructions among them. Machine code of nvcc 13.0 for sm_90, on the way that common arguments take;
 * a special function counts as the eight slots that its unit takes.
 */
const costsOfMathematics = new Map(
  mathematics.map((row) => {
    const [name, ...costs] = row.split(' ') as [string, string, string, string];
    const [float, slots, doubles] = costs.map(Number) as [number, number, number];
    return [name, { float, slots, doubles }] as const;
  }),
);

/** What functions do, and patterns of the names of those that do it. */
const patterns = new Map(
  Object.entries(effects).map(([effect, rows]) => [effect, new RegExp(`^(?:${rows.join(' ').replaceAll(' ', '|')})$`)]),
);

const does = (name: string, effect: keyof typeof effects): boolean => patterns.get(effect)!.test(name);

const doing = (effect: keyof typeof effects) => (name: string) => does(name, effect);

/** Of Thrust, where its data are the GPU's: they launch kernels and wait. */
export const isDeviceAlgorithm = doing('algorithm');
/** Reads a clock, or has the GPU read its own. */
export const isLibraryClock = doing('clock');
/**
 * Works out a value of its arguments: reaches no memory but what it is given by reference. Also what CUDA and its
 * compiler derive from an address, without going there.
 */
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
/** Texture fetches, arithmetic, shuffles: the language hands over values. */
export const takesByValue = doing('byValue');
/** Changes what its pointer leads to, and no argument. */
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
