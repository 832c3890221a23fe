// How much of a kernel's time a finding would give back: time now over time without its waste, as an interval over all
// values that the code allows.
import {
  type AccessFact,
  beginAlike,
  contains,
  type FactKind,
  type Facts,
  type LoopRef,
  type Span,
  type Work,
} from '../semantic/model';
import type { Interval } from '../rules/rule';
import { identityOf } from '../semantic/identity';
import { append, once } from '../semantic/language';
import { ratioRange } from '../semantic/figures';
import { isLeftByData, isUpToData } from '../semantic/assumption';
import { type Choice, placesOf, timesAt, usual } from './choice';
import type { Gain, Wasted } from './wasted';
import { constantsOf, type GpuConstants } from '../../../hardware/src/constants';
import { gainOfConstructs } from './constructs';
import { thresholds } from './grade';
import { causeOf, describe, timeAlone, type Saved, withBlocks, workOf } from './kernelTime';
import { type KernelTraffic, type Rank, threadsOf } from './traffic';

/** Part of the peak that cuBLAS reaches without tensor cores. */
const reachedByLibrary = 0.8;

export interface GainModel {
  /** Of findings with one cause, without all their waste; of several kernels with them, that with the most to give. */
  gainOf(wasted: readonly Wasted[]): Gain;
}

/** By the identity of a fact, and by all that its gain follows from: an edit computes those of one kernel. */
const keptGains = new WeakMap<object, { readonly cause: string; readonly gain: Gain }>();

/** Of a kernel that is not in this file: any part of its time may be what the finding is about. */
function gainUnseen(wasted: readonly Wasted[], bound: number): Gain {
  const parts = wasted.flatMap(({ waste }) => (waste.kind === 'part' || waste.kind === 'idle' ? [waste.part[1]] : []));
  if (parts.length === 0) return { range: [1, bound], expected: 1 };
  const most = 1 / (1 - Math.min(0.99, Math.max(...parts)));
  return { range: [1, most], expected: Math.sqrt(most) };
}

/** `all`: the waste of every finding, so that each kernel's sweeps are counted whole. */
export function createGainModel(rank: Rank, all: readonly Wasted[]): GainModel {
  const { model, gpu } = rank;
  const constants = constantsOf(gpu);
  const cyclesOfMicrosecond = 1000 * constants.gigahertz * gpu.multiprocessors;
  // One time of a kernel for all of its findings, or what they save could not be compared.
  const usualTimeOf = once((kernel: KernelTraffic) => {
    const described = describe(rank, kernel, usual);
    return described ? timeAlone(described, gpu).microseconds : 0;
  });
  const sweeps = all.filter(({ waste }) => waste.kind === 'steps');
  /** Kernels that contain a fact, or that reach it. */
  const kernelsOf = ({ fact }: Wasted): readonly KernelTraffic[] => {
    if (fact.kind === 'launch') return launchedBy(fact, rank);
    const around = rank.around(fact.at);
    if (around.length > 0) return around.slice(0, 1);
    const names: readonly string[] = 'kernels' in fact ? fact.kernels : [];
    return rank.kernels.filter(({ name }) => names.includes(name));
  };
  const sweepsByKernel = new Map<KernelTraffic, Wasted[]>();
  for (const one of sweeps) for (const kernel of kernelsOf(one)) append(sweepsByKernel, kernel, one);
  const causeOfWaste = ({ fact, waste }: Wasted): unknown[] => {
    const share = waste.kind === 'issue' ? rank.shareOf(fact)?.share : undefined;
    return [identityOf(fact).id, waste, share];
  };
  const causeOfKernel = once((kernel: KernelTraffic) =>
    JSON.stringify([causeOf(kernel, rank), sweepsByKernel.get(kernel)?.map(causeOfWaste)]),
  );

  return {
    gainOf(wasted) {
      const ofConstructs = gainOfConstructs(wasted, model, gpu);
      if (ofConstructs) return ofConstructs;
      if (wasted.some(({ waste }) => waste.kind === 'host')) return gainOfHost(wasted, rank, cyclesOfMicrosecond);
      const kernels = [...new Set(wasted.flatMap(kernelsOf))];
      const cause = kernels.map(causeOfKernel).join() + JSON.stringify(wasted.map(causeOfWaste));
      const identity = identityOf(wasted[0]!.fact);
      const kept = keptGains.get(identity);
      const gain = kept?.cause === cause ? kept.gain : gainOfKernels(kernels, wasted);
      keptGains.set(identity, { cause, gain });
      return gain;
    },
  };

  function gainOfKernels(kernels: readonly KernelTraffic[], wasted: readonly Wasted[]): Gain {
    const gains = kernels.flatMap((kernel): Gain[] => {
      const its = wasted.filter((one) => kernelsOf(one).includes(kernel));
      const gain = gainIn(kernel, its, sweepsByKernel.get(kernel) ?? []);
      return gain ? [gain] : [];
    });
    if (gains.length === 0) return gainUnseen(wasted, boundOf(wasted));
    return gains.reduce((most, one) => (one.expected > most.expected ? one : most));
  }

  function gainIn(kernel: KernelTraffic, its: readonly Wasted[], itsSweeps: readonly Wasted[]): Gain | undefined {
    const loopsOf = ({ fact }: Wasted): Work['loops'] =>
      fact.kind === 'access' || fact.kind === 'branch'
        ? fact.loops
        : placesOf(workOf(rank, kernel), fact.at).flatMap(({ loops }) => loops);
    // What is shared among blocks is all that the kernel does.
    const shared = its.flatMap(({ waste }) => (waste.kind === 'grid' ? [waste.loop] : []))[0];
    const inner = shared ? rank.accessesOf(kernel).flatMap(({ loops }) => loops) : [];
    const elements = its.flatMap(({ waste }) => (waste.kind === 'narrow' ? [waste.elements] : []))[0];
    const heads = inner.filter(({ at }) => at.start === shared!.start);
    // Instructions, and local memory that L1 holds, hide behind the memory accesses of other warps.
    const isHidden = its.every(
      ({ fact, waste }) =>
        fact.kind === 'local-array' || (waste.kind === 'operation' && typeof waste.operation !== 'string'),
    );
    const own = new Set([...unknownLoops(inner), ...its.flatMap((one) => unknownLoops(loopsOf(one)))]);
    const accesses = new Set(its.flatMap(({ fact }) => (fact.kind === 'access' ? [fact] : [])));
    const [shortest, longest] = [thresholds.extent, thresholds.extent ** 2];
    // The waste is least where its own loops are short and all else is long, and most the other way round.
    const least = choiceOf(own, accesses, 'least', longest);
    const most = choiceOf(own, accesses, 'most', 1);
    const gain = (choice: Choice, end: 0 | 1, trips: number): { gain: number; microseconds: number } | undefined => {
      const steps = operationCycles(itsSweeps, kernel, choice, trips).issue;
      const now = describe(rank, kernel, choice, {}, steps);
      if (!now) return undefined;
      const before = timeAlone(now, gpu);
      if (shared || elements !== undefined) {
        const parts = Math.max(1, Math.min(gpu.multiprocessors, heads[0] ? iterationsOf([heads[0]], trips) : 1));
        const { microseconds } = timeAlone({ ...now, shared: elements === undefined ? parts : 1 / elements }, gpu);
        // Of an unknown grid the multiprocessors may hold all narrow blocks at once.
        const isHeld = elements !== undefined && end === 0 && !kernel.grids;
        return { gain: isHeld ? 1 : before.microseconds / microseconds, microseconds: before.microseconds };
      }
      const inLibrary = libraryCycles(its, kernel, choice);
      if (inLibrary > 0) {
        const library = (inLibrary * now.blocks) / gpu.multiprocessors / (constants.gigahertz * 1000);
        // What blocks of one row or column read is the same: L2 has it.
        const { microseconds } = timeAlone({ ...now, needs: new Map() }, gpu);
        return { gain: microseconds / (constants.launch + library), microseconds };
      }
      const then = describe(rank, kernel, choice, savedBy(its, end, kernel, choice, trips), steps);
      if (!then) return undefined;
      const after = timeAlone(then, gpu);
      // The waste is least where it overlaps with what else takes time, and most where it overlaps with nothing.
      const wasted = Math.max(before.throughput - after.throughput, before.latency - after.latency);
      const all = end === 0 ? before.busy : after.busy + wasted;
      const passes = Math.max(1, ...its.map(({ waste }) => (waste.kind === 'scan' && waste.passes) || 1));
      // A window of unknown width may be too narrow for a pass more.
      const isNarrow = end === 0 && passes > 1 && own.size > 0;
      const gain = isNarrow ? 1 : (all / after.busy / passes) * partOf(its, end);
      return { gain, microseconds: before.microseconds };
    };
    const high = gain(most(longest), 1, longest);
    if (!high) return undefined;
    // Below what is shown the least does not matter, and what is over before the next launch could begin gives nothing.
    if (high.gain < thresholds.information || isBrief(kernel, most(longest)))
      return { range: [1, Math.max(1, high.gain)], expected: 1, saved: 0 };
    // Values at which the kernel is over within the overhead of its launch do not count.
    let low = high;
    for (const trips of [shortest, Math.sqrt(shortest * longest), longest]) {
      const here = gain(least(trips), 0, trips);
      if (!here) return undefined;
      low = here;
      if (own.size === 0 || here.microseconds >= 2 * constants.launch) break;
    }
    // Data may keep all lanes from what a finding is about.
    const isBehind = its.every(isBehindData);
    if (isBehind) low = { ...low, gain: 1 };
    // With the data that cost least: a branch that data decide costs nothing then.
    const certain = its.some(({ fact }) => fact.kind === 'branch' && (fact.dataDependent || fact.exit !== undefined))
      ? low
      : [...accesses].some(isUpToData)
        ? gain(choiceOf(own, accesses, 'certain', 1)(longest), 1, longest)
        : [...accesses].some(isLeftByData)
          ? gain(most(1), 1, 1)
          : isBehind
            ? low
            : high;
    if (!certain) return undefined;
    const bound = boundOf(its);
    const [first, second, third] = [low, certain, high].map(({ gain: of }) => Math.max(1, Math.min(of, bound)));
    const mean = Math.sqrt(first! * Math.max(1, Math.min(second!, third!)));
    // Quotients of integers hide in part: they gain something wherever the mean is much (docs/measurements/gains.md).
    const isQuotient = its.every(({ fact }) => fact.kind === 'math' && fact.better === 'multiplier');
    const hidden = isQuotient && mean >= thresholds.warning ? Math.max(first!, thresholds.information) : first!;
    const expected = isHidden ? hidden : mean;
    return {
      range: [Math.min(first!, third!), Math.max(first!, third!)],
      expected,
      saved: usualTimeOf(kernel) * cyclesOfMicrosecond * kernel.launches * (1 - 1 / expected),
    };
  }

  /** An operation, or a serial loop, in an arm of a branch that data decide, or behind one that returns. */
  function isBehindData({ fact: { at: of }, waste }: Wasted): boolean {
    const { branch: branches, kernel: functions } = rank.model.facts;
    const isBehind = (at: Span): boolean =>
      of.start >= at.end && functions.some((each) => contains(each.at, of) && contains(each.at, at));
    const isAround = ({ form, at, statementAt, under }: Facts['branch']): boolean =>
      /^(if|switch|conditional)$/.test(form) &&
      ((contains(statementAt, of) && !contains(at, of)) || (under.returns && isBehind(statementAt)));
    const isOpen = (one: Facts['branch']): boolean =>
      one.byData === true && (!one.boundaryGuard || one.loops.length > 0);
    return /^(operation|serial)$/.test(waste.kind) && branches.some((by) => isOpen(by) && isAround(by));
  }

  /** Each launch takes less time than starting it, and all loops and grids are known. */
  function isBrief(kernel: KernelTraffic, choice: Choice): boolean {
    const described = describe(rank, kernel, choice);
    return described?.assumed === false && timeAlone(described, gpu).busy < constants.launch;
  }

  /** By Amdahl's law: the kernel's traffic over what is left of it without the waste of these accesses. */
  function boundOf(its: readonly Wasted[]): number {
    let wasted = 0;
    for (const { fact, waste } of its) {
      const share = rank.shareOf(fact)?.share;
      // Atomics that meet at few places, and lanes in constant memory, wait for more than what they move.
      const ratio = fact.kind === 'access' && fact.mode !== 'atomic' ? ratioRange(fact)?.[1] : undefined;
      if (waste.kind !== 'access' || share === undefined || ratio === undefined) return Infinity;
      wasted += share * (1 - 1 / Math.max(1, ratio));
    }
    return 1 / Math.max(0, 1 - wasted);
  }

  function savedBy(its: readonly Wasted[], end: 0 | 1, kernel: KernelTraffic, choice: Choice, trips: number): Saved {
    const ideal = new Set<object>();
    const requests = new Map<AccessFact, number>();
    let issued = 1;
    let waits = 0;
    let idle = 0;
    const left = new Map<Work, number>();
    const spread = new Set(its.flatMap(({ fact, waste }) => (waste.kind === 'serial' ? [fact] : [])));
    const { step } = constants;
    for (const { fact, waste } of its) {
      if (waste.kind === 'access') ideal.add(fact);
      else if (waste.kind === 'requests' && fact.kind === 'access')
        requests.set(fact, (waste.part ?? 1) / iterationsOf(fact.loops.slice(0, waste.loops), trips));
      else if (waste.kind === 'scan') {
        const within = ({ loops }: { readonly loops: Work['loops'] }): boolean =>
          loops.some(({ at }) => beginAlike(at, waste.loop));
        const accesses = rank.accessesOf(kernel).filter(within);
        const loop = accesses[0]?.loops.find(({ at }) => beginAlike(at, waste.loop));
        if (!loop) continue;
        const part = 1 / Math.min(iterationsOf([loop], trips), waste.among ?? 32 * warpsOf(kernel));
        for (const access of accesses) requests.set(access, part);
        for (const work of workOf(rank, kernel).filter(within)) left.set(work, part);
      } else if (waste.kind === 'issue') issued -= waste.lost[end] * (rank.shareOf(fact)?.share ?? 1);
      else if (waste.kind === 'steps')
        waits += timesOf(fact, kernel, trips) * waste.steps[end] * (step.block + step.warp * warpsOf(kernel));
      else if (waste.kind === 'idle') idle = Math.max(idle, waste.part[end]);
    }
    const { issue: operations, double: doubles } = operationCycles(its, kernel, choice, trips);
    return { ideal, requests, left, spread, issued: Math.max(0, issued), waits, idle, operations, doubles };
  }

  /** Cycles of a block in issue slots and in double precision. */
  function operationCycles(
    its: readonly Wasted[],
    kernel: KernelTraffic,
    choice: Choice,
    trips: number,
  ): { issue: number; double: number } {
    const sum = { issue: 0, double: 0 };
    const warps = warpsOf(kernel);
    for (const { fact, waste } of its) {
      if (waste.kind === 'steps')
        sum.issue += (timesOf(fact, kernel, trips) * warps * waste.steps[0] * constants.step.slots) / constants.issue;
      if (waste.kind !== 'operation') continue;
      const times = warps * timesAt(fact.at, workOf(rank, kernel), choice);
      const { operation } = waste;
      const { slots, doubles } = typeof operation === 'string' ? constants.operations[operation] : operation;
      sum.issue += (times * slots) / constants.issue;
      sum.double += times * doubles * (typeof operation === 'string' ? 1 : constants.double.operation);
    }
    return sum;
  }

  /** Cycles in which a library does the multiply-adds of a block's matrix product; 0 of other findings. */
  function libraryCycles(its: readonly Wasted[], kernel: KernelTraffic, choice: Choice): number {
    return its.reduce((sum, { fact, waste }) => {
      if (waste.kind !== 'product') return sum;
      const each = waste.double ? constants.double.operation : 1 / constants.issue;
      const times = timesAt(fact.at, workOf(rank, kernel), choice);
      return sum + (warpsOf(kernel) * times * each) / reachedByLibrary;
    }, 0);
  }

  /** How often a block makes a sweep: by the loops around its own. */
  function timesOf(fact: Facts[FactKind], kernel: KernelTraffic, trips: number): number {
    if (fact.kind !== 'sweep') return 1;
    const combined = rank.accessesOf(kernel).find(({ at }) => contains(fact.hotAt, at));
    return iterationsOf(combined?.loops.slice(1) ?? [], trips);
  }
}

/** Own loops of unknown length and figures at one end, all else at the other. */
function choiceOf(
  loops: ReadonlySet<number>,
  accesses: ReadonlySet<AccessFact>,
  figures: 'least' | 'certain' | 'most',
  elsewhere: number,
): (trips: number) => Choice {
  const others = figures === 'least' ? 'most' : 'least';
  const own = (fact: AccessFact): 'least' | 'most' =>
    figures === 'least' || (figures === 'certain' && isUpToData(fact)) ? 'least' : 'most';
  return (trips) => ({
    trips: (loop) => (loop && loops.has(loop.at.start) ? trips : elsewhere),
    figure: (fact) => (accesses.has(fact) ? own(fact) : others),
  });
}

function unknownLoops(loops: Work['loops']): number[] {
  return loops.flatMap(({ at, trips }) => (trips === undefined ? [at.start] : []));
}

function iterationsOf(loops: readonly LoopRef[], unknown: number): number {
  return loops.reduce((product, { trips = unknown }) => product * Math.max(1, trips), 1);
}

/** Time over time without a part of it. */
function partOf(its: readonly Wasted[], end: 0 | 1): number {
  return Math.max(
    1,
    ...its.map(({ waste }) => (waste.kind === 'part' ? 1 / (1 - Math.min(0.99, waste.part[end])) : 1)),
  );
}

function warpsOf({ fact }: KernelTraffic): number {
  return Math.ceil(((fact && threadsOf(fact)) ?? 1) / 32);
}

/** Loops of the host, and pairs of launches: what they do besides, over the time of the kernels that they launch. */
function gainOfHost(wasted: readonly Wasted[], rank: Rank, cyclesOfMicrosecond: number): Gain {
  const constants = constantsOf(rank.gpu);
  let microseconds = 0;
  const launches = new Set<Facts['launch']>();
  // What the loop asks of the runtime besides stays.
  const calls = new Set<Facts['runtime-call']>();
  for (const { fact, waste } of wasted) {
    if (waste.kind !== 'host') continue;
    microseconds += waste.times * constants[waste.does];
    const loop = fact.kind === 'runtime-call' ? fact.loops[0]?.at : undefined;
    for (const launch of rank.model.facts.launch)
      if (
        loop ? contains(loop, launch.at) : 'launches' in fact && fact.launches.some((at) => beginAlike(at, launch.at))
      )
        launches.add(launch);
    for (const call of loop ? rank.model.facts['runtime-call'] : [])
      if (contains(loop!, call.at) && !wasted.some((one) => one.fact === call)) calls.add(call);
  }
  const kept = [...calls].reduce((total, { category }) => total + hostTimeOf(category, constants), 0);
  // A launch takes the host some time, however short its kernel; kernels of unknown length may take any time.
  const times = [...launches].map((launch) => timeOfLaunch(launch, rank));
  const sum = (unknown: number): number => times.reduce<number>((total, time) => total + (time ?? unknown), 0);
  const shortest = Math.max(constants.launch, sum(constants.launch)) + kept;
  const longest = launches.size > 0 ? Math.max(constants.launch, sum(Infinity)) + kept : Infinity;
  const range: Interval = [1 + microseconds / longest, 1 + microseconds / shortest];
  const launched = [...launches].flatMap((launch) => launchedBy(launch, rank));
  const repeated = Math.max(1, ...launched.map((kernel) => kernel.launches));
  return { range, expected: Math.sqrt(range[0] * range[1]), saved: microseconds * cyclesOfMicrosecond * repeated };
}

/** Microseconds of the shortest call. */
function hostTimeOf(category: Facts['runtime-call']['category'], { link, wait, allocation }: GpuConstants): number {
  const times = { copy: link.wait, synchronise: wait, allocate: allocation, create: allocation } as const;
  return category in times ? times[category as keyof typeof times] : 0;
}

function launchedBy({ bodyAt, kernelAt }: Facts['launch'], { kernels }: Rank): readonly KernelTraffic[] {
  return kernels.filter(({ fact }) => fact && beginAlike(fact.nameAt, bodyAt ?? kernelAt));
}

/** Microseconds, where grid, block and every loop of the kernel are known. */
function timeOfLaunch(launch: Facts['launch'], rank: Rank): number | undefined {
  const { x, y, z } = launch.grid;
  const [kernel] = launchedBy(launch, rank);
  if (!launch.gridExact || !launch.blockExact || !x || !y || !z) return undefined;
  const described = kernel && describe(rank, kernel, usual);
  if (!described || rank.accessesOf(kernel).some(({ loops }) => unknownLoops(loops).length > 0)) return undefined;
  return timeAlone(withBlocks(described, x * y * z), rank.gpu).microseconds;
}
