// CUDA's own functions and the C library's arithmetic: a table by name, and families of names.
import { formOf, open, requireEach } from './forms';
import { convert } from './conversions';
import type { Expr } from '../../syntax/ast';
import { binaryFunctions, ofEitherPrecision, unaryFunctions } from './arithmetic';
import {
  doubleType,
  floatType,
  intType,
  isAtomicFunction,
  longType,
  noBindings,
  opaqueSizes,
  sizeOf,
  typeName,
  unsignedType,
} from '../language';
import {
  argument,
  evaluateAll,
  floatOf,
  isFullMask,
  nothing,
  numbersOf,
  pointedAt,
  warpResult,
  zero,
  type Builtin,
  type CallSite,
  type MaybeValue,
} from './callSite';
import { endUnless } from './exits';
import { asyncCopies, memcpyAsync } from './asyncCopies';
import { construct } from './construct';
import { tileCall } from './fragments';
import { groupFunction } from './groups';
import { allocation, setting } from './hostMemory';
import { map1, map2, variesInWarp, type Lanes } from './lanes';
import { launchCall } from './launchCalls';
import { deref, load, store } from './memory';
import { extremeOf } from './extremes';
import { arithmetic } from './operations';
import type { Scope } from './scope';
import { shuffle, sourcesOf } from './shuffles';
import { rawPointer } from './owners';
import { unseen } from './state';
import { same, sinAndCos, throughPointers, throughPointersByName } from './throughPointers';
import { scaled } from './unknowns';
import { blank, plain, Taint, type Frame, type Path, type Place, type Run, type Value } from './values';
import { warpFault } from './warpMasks';

const blockBarrier: Builtin = (site) => (path, frame) => {
  evaluateAll(site, path, frame);
  frame.run.recorder.barrier(site.expr, site.name, 'block', path, frame);
  if (site.name === '__syncthreads') return nothing;
  const key = `${site.name}@${site.expr.start}`;
  return unseen(frame.run, intType, key, Taint.chosen | Taint.loadedUniform, undefined, site.name);
};
const warpBarrier: Builtin = (site) => (path, frame) => {
  const { recorder } = frame.run;
  const mask = site.args.length === 0 ? undefined : argument(site, 0, path, frame);
  noteFault(site, mask, undefined, path, frame);
  if (!mask || isFullMask(mask)) recorder.barrier(site.expr, site.name, 'warp', path, frame);
  else {
    recorder.flush(path);
    recorder.shared.meeting('warp', path.mask);
  }
  return nothing;
};
const fence: Builtin = (site) => (path, frame) => {
  frame.run.recorder.shared.signal('fence', site.expr, frame);
  frame.run.recorder.flush(path);
  return nothing;
};
/** Elements that a copy within a thread may have, for each to be copied by itself. */
const mostCopied = 16;
/** `memcpy` of whole elements between pointers of one type. */
const copied: Builtin = (site) => (path, frame) => {
  const { run } = frame;
  const [to, from, size] = evaluateAll(site, { ...path, quiet: true }, frame);
  if (run.setup.host || !to || !from || !size || typeof size.lanes !== 'number' || size.taint & open) return undefined;
  const unit = sizeOf(deref(run, from).type);
  const count = unit ? size.lanes / unit : 0;
  if (!isCopied(deref(run, to), deref(run, from)) || !Number.isInteger(count) || count > mostCopied) return undefined;
  const [target, source] = site.expr.args.map((arg) => pointedAt(arg) ?? site.expr);
  for (let nth = 0; nth < count; nth++) {
    const [into, out] = [to, from].map((each) =>
      deref(run, nth ? arithmetic(run, '+', each, plain(intType, nth, 0)) : each),
    );
    store(run, into!, load(run, out!, path, frame, source!), path, frame, target!, true);
  }
  return to;
};
const isCopied = (to: Place, from: Place): boolean => typeName(to.type) === typeName(from.type);
const cachedLoad: Builtin = (site) => (path, frame) => {
  const { run } = frame;
  const pointer = argument(site, 0, path, frame);
  return load(run, deref(run, pointer), path, frame, pointedAt(site.expr.args[0]) ?? site.expr);
};
const cachedStore: Builtin = (site) => (path, frame) => {
  const { run } = frame;
  const pointer = argument(site, 0, path, frame);
  const value = argument(site, 1, path, frame);
  store(run, deref(run, pointer), value, path, frame, pointedAt(site.expr.args[0]) ?? site.expr, true);
  return nothing;
};
const eachLane =
  (apply: (a: number) => number): Builtin =>
  (site) =>
  (path, frame) => {
    const value = argument(site, 0, path, frame);
    requireEach(frame.run, value);
    const { lanes, taint } = value;
    return plain(intType, map1(lanes, apply), taint);
  };
/** Of two numbers, to which a third may be added. */
const product: Builtin = (site) => (path, frame) => {
  const [a, b, added] = evaluateAll(site, path, frame);
  const of = arithmetic(frame.run, '*', a ?? zero, b ?? zero);
  return added ? arithmetic(frame.run, '+', of, added) : of;
};
const highHalf: Builtin = (site) => (path, frame) => {
  const a = argument(site, 0, path, frame);
  const b = argument(site, 1, path, frame);
  requireEach(frame.run, a, b);
  const lanes = map2(a.lanes, b.lanes, frame.run.threads, (x, y) => Math.floor((x * y) / 4294967296));
  return plain(intType, lanes, a.taint | b.taint | Taint.assumed);
};
const rounded =
  (apply: (a: number) => number): Builtin =>
  (site) =>
  (path, frame) => {
    const { lanes, taint } = argument(site, 0, path, frame);
    return convert(frame.run, plain(floatType, map1(lanes, apply), taint), intType);
  };
const asFloat: Builtin = (site) => (path, frame) => {
  return { ...argument(site, 0, path, frame), form: undefined, type: floatType };
};
const forgotten: Builtin = (site) => (path, frame) => {
  evaluateAll(site, path, frame);
  return zero;
};
const asserted: Builtin = (site) => (path, frame) => {
  for (const value of evaluateAll(site, path, frame)) endUnless(value, path, frame);
  return zero;
};
/** Gives its results through its last arguments, and may return one: CUDA's math library. */
const clock: Builtin =
  () =>
  (_, { run }) =>
    unseen(run, longType, 'clock', Taint.chosen | Taint.maybe);
const first: Builtin = (site) => (path, frame) => argument(site, 0, path, frame);

/** The number keeps what it points to. */
const addressNumber: Builtin = (site) => (path, frame) => convert(frame.run, argument(site, 0, path, frame), longType);

/** Of the declarations of libraries: one place for all lanes rests on no stride. */
const usualStride: Builtin = (site) => (path, frame) => {
  if (site.args.length < 2) return plain(longType, 1, Taint.usualStride);
  const index = argument(site, 1, path, frame);
  return variesInWarp(index.lanes, path.mask) ? { ...index, taint: index.taint | Taint.usualStride } : index;
};

function bitCount(value: number): number {
  let count = 0;
  for (let rest = Math.abs(Math.trunc(value)); rest >= 1; rest = Math.floor(rest / 2)) count += rest % 2;
  return count;
}

/** Names with two leading underscores and the like, which no program redefines. */
const cuda = new Map<string, Builtin>([
  ...['__syncthreads', '__syncthreads_count', '__syncthreads_and', '__syncthreads_or'].map(
    (name) => [name, blockBarrier] as const,
  ),
  ['__syncwarp', warpBarrier],
  ...['__threadfence', '__threadfence_block', '__threadfence_system'].map((name) => [name, fence] as const),
  ...['__ldg', '__ldcg', '__ldca', '__ldcs', '__ldlu', '__ldcv'].map((name) => [name, cachedLoad] as const),
  ...['__stcs', '__stcg', '__stwb', '__stwt'].map((name) => [name, cachedStore] as const),
  ['__builtin_memcpy', copied],
  ...asyncCopies,
  ['__nv_atomic_load_n', cachedLoad],
  ['__nv_atomic_store_n', cachedStore],
  ...['__popc', '__popcll'].map((name) => [name, eachLane(bitCount)] as const),
  ['__clz', eachLane((a) => Math.clz32(a))],
  ['__ffs', eachLane((a) => (a === 0 ? 0 : 32 - Math.clz32(a & -a)))],
  ['__cvta_generic_to_shared', addressNumber],
  ['__usual_stride', usualStride],
  ...['__mul24', '__umul24', '__fmaf_rn', '__fma_rn'].map((name) => [name, product] as const),
  ...['__umulhi', '__mulhi'].map((name) => [name, highHalf] as const),
  ['__activemask', () => () => plain(unsignedType, 4294967295, Taint.chosen)],
  ...['__float2int_rz', '__double2int_rz', '__float2int', '__float2uint_rz'].map(
    (name) => [name, rounded(Math.trunc)] as const,
  ),
  ...['__float2int_rn', '__float2uint_rn', '__double2int_rn'].map((name) => [name, rounded(Math.round)] as const),
  ...['__float2int_rd', '__double2int_rd'].map((name) => [name, rounded(Math.floor)] as const),
  ['__float2int_ru', rounded(Math.ceil)],
  ['__sincosf', sinAndCos],
  ...['__vibmax_s32', '__vibmin_s32', '__vibmax_u32', '__vibmin_u32'].map(
    (name) => [name, throughPointers([same], same, 2)] as const,
  ),
  ...['__vibmax_s16x2', '__vibmin_s16x2', '__vibmax_u16x2', '__vibmin_u16x2'].map(
    (name) => [name, throughPointers([same, same], same, 2)] as const,
  ),
  ...['__int2float_rn', '__uint2float_rn'].map((name) => [name, asFloat] as const),
]);

/** What a program may define for itself; then its own definition runs. */
const library = new Map<string, Builtin>([
  ['move', first],
  ['forward', first],
  ...['printf', 'fprintf'].map((name) => [name, forgotten] as const),
  ...['fma', 'fmaf'].map((name) => [name, product] as const),
  ['assert', asserted],
  ['swap', swapped],
  ['memcpy', copied],
  ...['clock', 'clock64'].map((name) => [name, clock] as const),
  ['nan', () => () => plain(doubleType, NaN, 0)],
  ['nanf', () => () => plain(floatType, NaN, 0)],
]);

function swapped(site: CallSite): MaybeValue {
  const [left, right] = site.places;
  return (path, frame) => {
    const { run } = frame;
    if (!left || !right) return undefined;
    const [a, b] = [left(path, frame), right(path, frame)];
    const [leftExpr, rightExpr] = [site.expr.args[0]!, site.expr.args[1]!];
    const held = load(run, a, path, frame, leftExpr);
    const other = load(run, b, path, frame, rightExpr);
    store(run, a, other, path, frame, leftExpr, true);
    store(run, b, held, path, frame, rightExpr, true);
    return nothing;
  };
}

/** Numbers of cuRAND's device API come of a state that they change. What they are is not known. */
function randomState(site: CallSite): MaybeValue {
  const isInit = site.name === 'curand_init';
  return (path, frame) => {
    const { recorder } = frame.run;
    let isFound = false;
    for (const [at, code] of site.args.entries()) {
      const pointer = code({ ...path, quiet: true }, frame);
      const isState = pointer.type.kind === 'pointer' && opaqueSizes.has(typeName(pointer.type.to));
      const place = isState && pointer.base ? deref(frame.run, pointer) : undefined;
      isFound ||= isState;
      if (place?.kind !== 'memory') continue;
      const node = pointedAt(site.expr.args[at]) ?? site.expr;
      if (!isInit) recorder.access(place, 'load', path, frame, node);
      recorder.access(place, 'store', path, frame, node);
    }
    return isInit && isFound ? nothing : undefined;
  };
}

/** What a call of a function that CUDA or the C library brings does; undefined where the name is none of theirs. */
export function builtinCall(scope: Scope, site: CallSite, callee: Expr & { kind: 'name' }): MaybeValue | undefined {
  const { name } = site;
  if (name.startsWith('__')) return underscored(name, site);
  if (name.startsWith('atomic') && isAtomicFunction(name) && site.args.length)
    return unlessOverloaded(scope, site, atomic(site));
  const tile = tileCall(scope, site, callee.name);
  if (tile) return tile;
  if (/^(?:::)?cuda::memcpy_async$/.test(callee.name)) return memcpyAsync(site);
  const isGroup = /^(cooperative_groups|cg)::/.test(callee.name);
  if (isGroup || name === 'this_thread_block' || name === 'this_grid' || name === 'tiled_partition') {
    const group = groupFunction(scope, site, callee);
    if (group) return group;
  }
  if (callee.name === 'std::integral_constant' && callee.templateArgs?.length === 2) return constantOf(scope, site);
  if (/^cudaLaunch(Cooperative)?Kernel$/.test(name) && site.args.length >= 4) return launchCall(scope, site);
  if (/^cudaMalloc|^malloc$/.test(name)) return allocation(site);
  if (/^cudaMem(set|cpy)(Async)?$/.test(name)) return setting(site);
  if (name === 'raw_pointer_cast') return rawPointer(scope, site.expr);
  if (/^curand(4|_\w+)?$/.test(name)) return randomState(site);
  const defined = scope.functions(name);
  const vector = /^make_(\w+)$/.exec(name);
  if (vector && !defined.length) {
    const type = scope.types.resolve({ kind: 'named', name: vector[1]! });
    if (type.kind === 'struct')
      return (path, frame) => construct(frame.run, type, evaluateAll(site, path, frame), path, frame, site.expr);
  }
  if (defined.some((fn) => fn.body && !fn.className) && !callee.name.startsWith('std::')) return undefined;
  return mathematical(name, site) ?? library.get(name)?.(site);
}

/** `std::integral_constant<int, n>()` is the number n. */
function constantOf(scope: Scope, { templateArgs, templateNumbers }: CallSite): MaybeValue | undefined {
  const [of] = templateArgs ?? [];
  const type = of && 'type' in of && of.type ? scope.types.resolve(of.type, scope.bindings(), scope.within) : intType;
  return (path, frame) => {
    const number = numbersOf(templateNumbers, path, frame)?.[1];
    return number === undefined ? undefined : plain(type, number, 0);
  };
}

function underscored(name: string, site: CallSite): MaybeValue | undefined {
  const builtin = cuda.get(name);
  if (builtin) return builtin(site);
  if (isAtomicFunction(name)) return atomic(site);
  const shuffled = /^__shfl(_up|_down|_xor)?(_sync)?$/.exec(name);
  if (shuffled) {
    const sync = shuffled[2] !== undefined;
    return (path, frame) => {
      const values = evaluateAll(site, path, frame);
      const kind = shuffled[1] ?? '';
      const given = sync ? values.slice(1) : values;
      noteFault(site, sync ? values[0] : undefined, sourcesOf(kind, given), path, frame);
      meetInWarp(site, sync ? values[0] : undefined, path, frame);
      return shuffle(frame.run, kind, given);
    };
  }
  if (/^__(ballot|any|all|match_any|match_all|reduce_\w+)(_sync)?$/.test(name))
    return (path, frame) => {
      const values = evaluateAll(site, path, frame);
      const mask = name.endsWith('_sync') ? values[0] : undefined;
      noteFault(site, mask, undefined, path, frame);
      meetInWarp(site, mask, path, frame);
      return warpResult(frame.run, `${name}@${site.expr.start}`, name);
    };
  if (/^__(half|float|h|f|d|low|high|bfloat|lows|highs)/.test(name))
    return (path, frame) => {
      const isExact = frame.run.setup.contents && /^__(float2half|half2float)$/.test(name);
      const taint = evaluateAll(site, path, frame).reduce((all, value) => all | value.taint, 0);
      return isExact ? asFloat(site)(path, frame) : plain(floatType, 1, taint);
    };
  return undefined;
}

function noteFault(
  site: CallSite,
  mask: Value | undefined,
  sources: ((thread: number) => number) | undefined,
  path: Path,
  frame: Frame,
): void {
  const fault = mask && warpFault(mask, sources, path, frame);
  if (fault) frame.run.recorder.warpCall(site.expr, site.name, fault, path, frame);
}

/** Lanes of a warp exchange values: with a full mask all have to come, and what came before is ordered in any case. */
function meetInWarp(site: CallSite, mask: Value | undefined, path: Path, frame: Frame): void {
  const { recorder } = frame.run;
  if (isFullMask(mask)) recorder.barrier(site.expr, site.name, 'warp', path, frame);
  else recorder.shared.meeting('warp', path.mask);
}

/** `atomicMin(float *, float)` of the program is an overload of those of CUDA for other types. */
function unlessOverloaded(scope: Scope, site: CallSite, otherwise: MaybeValue): MaybeValue {
  const overloads = scope
    .functions(site.name)
    .filter((fn) => fn.body && !fn.className && fn.params.length === site.args.length)
    .map((fn) => typeName(scope.types.resolve(fn.params[0]!.type, noBindings, scope.within)));
  if (overloads.length === 0) return otherwise;
  return (path, frame) => {
    const pointer = argument(site, 0, { ...path, quiet: true }, frame);
    return overloads.includes(typeName(pointer.type)) ? undefined : otherwise(path, frame);
  };
}

function atomic(site: CallSite): MaybeValue {
  return (path, frame) => {
    const { run } = frame;
    const pointer = argument(site, 0, path, frame);
    const operands = evaluateAll(site, path, frame, 1);
    run.recorder.shared.signal('atomic', site.expr, frame);
    const place = deref(run, pointer);
    if (run.setup.contents && place.kind === 'memory')
      return run.setup.contents.atomic(site.name, place, operands, path);
    if (place.kind === 'memory') {
      // Shared memory adds no floating-point numbers by itself: lanes compare and swap until each has had its turn.
      const loops = place.base.space === 'shared' && place.type.kind === 'scalar' && place.type.float;
      const at = loops && site.name !== 'atomicExch' ? { ...path, byData: path.byData + 1 } : path;
      run.recorder.access(place, 'atomic', at, frame, pointedAt(site.expr.args[0]) ?? site.expr);
      run.recorder.flush(path);
    }
    const { type } = place;
    let lanes: Lanes = 1;
    if (!(type.kind === 'scalar' && type.float)) {
      if (run.threads === 1) lanes = 1024 * 97;
      else lanes = Float64Array.from({ length: run.threads }, (_, at) => 1024 * (70 + ((at * 7919) % 4093)));
    }
    return plain(type, lanes, Taint.loaded | Taint.thread);
  };
}

const extremes = new Set(['min', 'max', 'umin', 'umax', 'fmin', 'fmax', 'fminf', 'fmaxf']);

function mathematical(name: string, site: CallSite): MaybeValue | undefined {
  const two = ofEitherPrecision(binaryFunctions, name);
  if (two && site.args.length === 2)
    return (path, frame) => {
      const a = argument(site, 0, path, frame);
      const b = argument(site, 1, path, frame);
      if (extremes.has(name)) return extremeOf(frame.run, two, a, b);
      const lanes = map2(a.lanes, b.lanes, frame.run.threads, two);
      return plain(floatOf(a, b), lanes, a.taint | b.taint);
    };
  const one = ofEitherPrecision(unaryFunctions, name);
  if (one && site.args.length === 1)
    return (path, frame) => {
      const a = argument(site, 0, path, frame);
      const isAbs = name === 'abs' || name === 'labs';
      const type = isAbs ? a.type : /^l?l(rint|round)/.test(name) ? longType : floatOf(a);
      const lanes = map1(a.lanes, one);
      const form = isAbs && type !== floatOf(a) && a.taint & open ? absoluteForm(frame.run, a, lanes) : undefined;
      return { ...blank, type, lanes, taint: a.taint, form };
    };
  return ofEitherPrecision(throughPointersByName, name)?.(site);
}

/** The unknowns of |a| where the witnesses give all lanes one sign. */
function absoluteForm(run: Run, value: Value, lanes: Lanes): Value['form'] {
  const form = formOf(run, value);
  if (!form) return undefined;
  const negative = typeof value.lanes === 'number' ? value.lanes < 0 : value.lanes.every((lane) => lane <= 0);
  const positive = typeof value.lanes === 'number' ? value.lanes >= 0 : value.lanes.every((lane) => lane >= 0);
  return positive ? form : negative ? scaled(form, -1) : typeof lanes === 'number' ? form : undefined;
}
