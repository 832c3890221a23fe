// Whether the host needs to wait where it does: synchronisations and blocking copies in host loops around launches.
import type { Stmt } from '../../syntax/ast';
import {
  type AnySyntax,
  assignedNames,
  some,
  lastPart,
  oncePerFunction,
  type Fn,
  calleeName,
  categoryOf,
} from '../language';
import { blockOf, isTakenAlone, launchesIn, tripsOf, writesIn, type HostLoop, type RuntimeCall } from './calls';
import { normal, plainPath } from './hoist';
import { indentOf, type Moves, reindented, takeOut } from './moves';
import { isNull, reachedFrom, readsClock } from './callees';
import { directionOf, hostArgumentOf, streamArgumentOf } from './directions';
import { everything, placeOf } from './places';
import { hasJustWaited, resultsOf, whyLooked, windowAfter } from './results';
import { isWait, timelineAround } from './timeline';
import {
  containsSynchronise,
  copyWait,
  directiveDepths,
  endsByData,
  isNamedInOtherBuilds,
  isOverwritten,
  repeatsLaunches,
  overwrittenWait,
  readsCopied,
  type Wait,
} from './copies';

const callsOfOtherDevices = new RegExp(
  [
    '^(cudaSetDevice|cudaMemcpyPeer|cudaDeviceEnablePeerAccess|cudaStreamWaitEvent|cudaStreamQuery',
    'cudaEventQuery|cudaStreamAddCallback|cudaLaunchHostFunc|cudaMemGetInfo|cudaHostGetDevicePointer',
    'cudaMallocManaged|cudaMemPrefetchAsync|cudaStreamBeginCapture)$',
  ].join('|'),
);

/** Of two iterations one is often a warm-up. */
export const fewTrips = 2;

/** The loop whose launches a copy between GPUs holds up, unless the host waits there or runs it at most twice. */
export function peerLoopOf(copy: RuntimeCall, calls: readonly RuntimeCall[], fn: Fn): HostLoop | undefined {
  const loop = /^cudaMemcpy(3D)?Peer$/.test(copy.name)
    ? copy.loops.find((each) => launchesIn(each, fn).length > 0)
    : undefined;
  if (!loop || (tripsOf(loop, fn) ?? Infinity) <= fewTrips) return undefined;
  const waits = calls.some((one) => (isWait(one) || readsClock(one.call, fn)) && fn.isInside(one.call, loop));
  return waits ? undefined : loop;
}

/** Undefined for what waits for nothing: no synchronisation or blocking copy, or no launch in the loop. */
export function waitOf(waiting: RuntimeCall, calls: readonly RuntimeCall[], fn: Fn): Wait | undefined {
  if (waiting.category !== 'synchronise' && waiting.category !== 'copy') return undefined;
  const loop = waiting.loops[0]!;
  const launches = launchesIn(loop, fn);
  if (!launches.length) return undefined;
  const trips = tripsOf(loop, fn);
  // Of two iterations one wait is saved, often of a warm-up and of what is measured.
  if (trips !== undefined && trips <= fewTrips) return undefined;
  const direction = waiting.category === 'copy' ? directionOf(waiting, fn) : undefined;
  if (waiting.category === 'copy' && (direction === undefined || direction === 'device')) return undefined;
  const needed = (why: string): Wait => ({ needed: true, why });

  if (!plainPath(waiting.statement, loop, fn)) return needed('it is conditional');
  // Debug builds synchronise so.
  if (directiveDepths(fn.text({ start: 0, end: waiting.call.start })).at(-1)! > 0)
    return needed('it is inside a preprocessor condition');
  if (loop.pragmas?.some((pragma) => /^\s*omp\b/.test(pragma.text)))
    return needed('the loop runs on several host threads');
  if (waiting.category === 'copy') {
    if (repeatsLaunches(loop, fn)) return needed('an iteration repeats its launches');
    const host = hostArgumentOf(waiting, fn);
    const name = host && placeOf(host);
    if (name && isNamedInOtherBuilds(name, loop, fn)) return needed('another build reads the copied data');
  }
  const dead = direction === 'to-host' && isOverwritten(waiting, loop, calls, fn);
  if (waiting.category === 'copy' && !dead) {
    if (isTimed(loop, fn)) return needed('the loop is timed');
    if (endsByData(loop, fn)) return needed('the results decide when the loop ends');
    const reason = whyLooked([loop], everything, fn);
    if (reason) return needed(reason);
  }
  for (const call of calls) {
    if (!fn.isInside(call.call, loop)) continue;
    if (callsOfOtherDevices.test(call.name) || /^(nccl|cudaGraphics)/.test(call.name))
      return needed(`${call.name} is in the loop`);
    if (waiting.category === 'copy' && !dead && /^cudaEvent(Record|ElapsedTime)$/.test(call.name))
      return needed('events time the loop');
    if (/^(cudaFreeHost|cudaHostUnregister|cudaDestroy(Texture|Surface)Object)$/.test(call.name))
      return needed(`${call.name} is in the loop`);
    if (/^(cublas|cufft|cusparse|cusolver|cudnn)/.test(call.name))
      return needed(`${call.name} may pass results to the host`);
  }
  if (dead && isTimed(loop, fn)) return needed('a clock around the loop measures every copy');
  if (dead) return overwrittenWait(waiting, loop, calls, fn);
  if (waiting.category === 'copy' && readsCopied(loop, waiting, calls, fn))
    return needed('the host reads the copied data in the loop');
  if (calls.some(({ name }) => /^cuda(Device)?(Mem|Set)\w*Pool/.test(name)))
    return needed('a pool gives memory back where the host waits');
  const copies = calls.filter((call) => call.category === 'async-copy' && fn.isInside(call.call, loop));
  const queued = launches.flatMap((launch) => (launch.kind === 'launch' ? [launch.config[3]] : []));
  const streams = new Set([...queued, ...copies.map(streamArgumentOf)].map((each) => (each ? fn.text(each) : '0')));
  if (streams.size > 1) return needed('work on several streams meets there');
  if (waiting.name === 'cudaEventSynchronize') return needed('an event orders the work');
  const stream = [...streams][0] ?? '0';
  if (streamChanges(loop, stream, fn)) return needed('work on several streams meets there');
  if (
    waiting.name === 'cudaStreamSynchronize' &&
    streams.size === 1 &&
    normal(fn.text(waiting.call.args[0] ?? waiting.call)) !== normal(stream) &&
    !(waiting.call.args[0] && isNull(waiting.call.args[0]))
  )
    return needed('it waits for another stream');

  return waiting.category === 'copy' ? copyWait(waiting, loop, stream, fn) : synchroniseWait(waiting, loop, calls, fn);
}

/** `streams[i]`, or a stream that the loop makes: each iteration has its own. */
function streamChanges(loop: HostLoop, stream: string, fn: Fn): boolean {
  if (stream.includes('[')) return true;
  return fn.locals.all.some(
    (local) =>
      new RegExp(`\\b${local.name}\\b`).test(stream) &&
      ((local.variable && fn.isInside(local.variable, loop)) || writesIn(local, loop, fn)),
  );
}

/** A clock is read before and after the loop, or the loop is what a timer brackets. */
function isTimed(loop: HostLoop, fn: Fn): boolean {
  const clocks = fn.locals.nodes.filter(
    (node) => (node.kind === 'call' || node.kind === 'var') && !fn.isInside(node, loop) && readsClock(node, fn),
  );
  const before = clocks.filter((node) => fn.locals.order(node) < fn.locals.order(loop));
  // A timer object that lives until the end of its block needs no call after the loop.
  return before.length > 0 && (clocks.length > before.length || before.some(({ kind }) => kind === 'var'));
}

/**
 * A synchronisation is needed where results can reach the host, or a clock is read, before the host waits again; and
 * costs nothing where it waits again before it launches anything.
 */
function synchroniseWait(waiting: RuntimeCall, loop: HostLoop, calls: readonly RuntimeCall[], fn: Fn): Wait {
  const timeline = timelineAround(waiting, loop, calls, fn);
  if (!timeline) return { needed: true, why: 'it is conditional' };
  if (hasJustWaited(timeline)) return { needed: true, why: 'the host waits immediately before it' };
  const window = windowAfter(timeline);
  if (!window.launches) return { needed: true, why: 'the host waits again before it launches anything' };
  if (endsOutOfSight(loop)) return { needed: true, why: 'the results decide when the loop ends' };
  if (printsFromDevice(loop, fn)) return { needed: true, why: 'a kernel prints' };
  // A function that does more than to wait may look at results before.
  const items = waiting.stays ? [...window.items, waiting.call] : window.items;
  const results = resultsOf(loop, calls, fn);
  const unread = new Set<string>();
  const why = whyLooked(items, results, fn, unread);
  if (why) return { needed: true, why };
  const bracketed = isTimed(loop, fn);
  // The next iteration's wait comes too late for what follows the last one.
  const next = window.end && window.end.call.start > waiting.call.start ? window.end : undefined;
  const moves = waiting.stays || unread.size > 0 ? undefined : moveOf(waiting, loop, next, fn);
  return {
    needed: false,
    ...(bracketed ? { bracketed } : {}),
    ...(unread.size > 0 ? { unread: [...unread] } : {}),
    moves,
  };
}
/** Nothing in the loop changes what its condition reads: memory that the kernels write has to. */
function endsOutOfSight(loop: HostLoop): boolean {
  if (loop.kind === 'rangeFor' || !loop.cond) return false;
  const changed = assignedNames(loop);
  const changes = (node: AnySyntax): boolean =>
    node.kind === 'call' || (node.kind === 'name' && changed.has(node.name));
  return some(loop.cond, ({ kind }) => kind === 'name') && !some(loop.cond, changes);
}
/**
 * What kernels print appears when the host waits. The kernel that a graph or a pointer starts is unknown: there any
 * kernel of the file counts.
 */
function printsFromDevice(node: AnySyntax, fn: Fn, depth = 0): boolean {
  return launchesIn(node, fn).some((launch) => {
    const { callee } = launch;
    const name = callee.kind === 'name' ? lastPart(callee.name) : callee.kind === 'member' ? callee.field : undefined;
    const isUnknown = launch.kind === 'call' && categoryOf(name ?? '') === 'launch';
    const started = isUnknown ? fn.file.functions.filter(({ global }) => global) : fn.program.functions(name ?? '');
    return started.some((decl) => {
      if (decl.global || decl.device) return prints(decl, fn);
      return !!decl.body && depth < deepestLaunch && printsFromDevice(decl.body, fn, depth + 1);
    });
  });
}
const deepestLaunch = 2;

/** Does a kernel print, itself or in what it calls? */
const prints = oncePerFunction((kernel, { program }: Fn): boolean => {
  const isPrint = (node: AnySyntax): boolean => node.kind === 'call' && calleeName(node) === 'printf';
  return reachedFrom(kernel, program).some(({ body }) => some(body, isPrint));
}, false);

function moveOf(waiting: RuntimeCall, loop: HostLoop, next: RuntimeCall | undefined, fn: Fn): Moves | undefined {
  const parent = blockOf(loop, fn);
  if (!parent || !isTakenAlone(waiting, loop, fn)) return undefined;
  const isOfLoop = (node: AnySyntax): boolean => {
    const variable = node.kind === 'name' ? fn.local(node)?.variable : undefined;
    return !!variable && fn.isInside(variable, loop);
  };
  if (waiting.call.args.some((arg) => some(arg, isOfLoop))) return undefined;
  const taken = takeOut(fn, waiting.written);
  const edits = [taken.edit];
  const once = 'Synchronise once, after the loop (errors appear later)';
  if (next)
    return {
      edits,
      title: `Remove it: ${next.name} waits before a result is needed`,
      titleOfAll: `Remove {count} waits: ${next.name} waits before a result is needed`,
    };
  const following = parent.body[parent.body.indexOf(loop as Stmt) + 1];
  if (following && containsSynchronise(following))
    return {
      edits,
      title: 'Remove it: a synchronisation follows the loop',
      titleOfAll: 'Remove {count} waits: a synchronisation follows the loop',
    };
  const text = reindented(taken.text, indentOf(fn, waiting.written.start) ?? '', '');
  return { edits, behind: { text, guard: '' }, title: once, titleOfAll: once };
}
