// Runs each kernel under its known launch configurations and joins the records, one summary per place in the text.
import { overrunsOfSamples, triedAt } from './sampledOverruns';
import {
  type Compiler,
  type LaunchConfiguration,
  type BarrierRecord,
  type BranchRecord,
  keyOfPassedValue,
  run,
  type RunResult,
  type UnreadRecord,
} from '../run';
import type { Expr, FunctionDecl, Node } from '../../syntax/ast';
import type { Extent, Gpu, KernelShape } from '../model';
import {
  type Program,
  instancesOf,
  typeName,
  type Bindings,
  type Type,
  type TypeTable,
  candidatesOf,
} from '../language';
import {
  type GivenShared,
  type OverrunSummary,
  type WrongAccess,
  type RaceSummary,
  type RepeatedAtomic,
  repeatedAtomics,
  type SupposedRun,
  type Text,
  commonRaces,
  globalRacesOf,
  isOfLine,
  globalOverrunsOf,
  guardsOf,
  type TriedLaunch,
  outermostBlocks,
  overrunsOf,
  mayLeaveRoom,
  mayReadUnset,
  type GivenRooms,
  type GivenUnset,
  unsetGlobalOf,
  wrongAccessesOf,
  racesOf,
  racesOfSizes,
  supposedGlobal,
  supposedRun,
} from '../races';
export type { AccessSummary } from './joins';
import { type AccessSummary, joinAccesses, joinBarriers, joinBranches, markBlockChanges } from './joins';
import { averageBlocks } from './edgeBlocks';
import { guessedBlock, otherBlocks } from './likelyBlocks';
import { bindingsOf } from './launches';

export interface KernelRun {
  readonly kernel: FunctionDecl;
  /** The body that its launches give it. */
  readonly body?: FunctionDecl;
  readonly shapes: readonly KernelShape[];
  /** Beside `shapes`: which of the launches that the run was given it is of; -1 for none. */
  readonly launches: readonly number[];
  /** Every known launch has a block of constants, so that there are no shapes beside `shapes`. */
  readonly allShapesKnown: boolean;
  /** Beside `shapes`: constants of template parameters and arguments, and names of types, by the launch. */
  readonly values: readonly ReadonlyMap<string, number>[];
  readonly types: readonly ReadonlyMap<string, string>[];
  readonly accesses: readonly AccessSummary[];
  readonly branches: readonly BranchRecord[];
  readonly barriers: readonly BarrierRecord[];
  /** Accesses, and calls that may make some, that no run could follow. */
  readonly unread: readonly UnreadRecord[];
  /** Of known launches whose block is one of constants. */
  readonly races: readonly RaceSummary[];
  /** By place: atomics to what the thread has updated before. */
  readonly repeated: ReadonlyMap<Node, RepeatedAtomic>;
  readonly overruns: readonly OverrunSummary[];
  readonly wrong: readonly WrongAccess[];
  /** Keys of all functions whose text the result rests on. */
  readonly functions: ReadonlySet<string>;
  /** Names of functions that the runs looked up. */
  readonly asked: ReadonlySet<string>;
  readonly notAnalysed?: string;
  readonly failure?: unknown;
  /** What all its runs cost, in the unit of the budget. */
  readonly spent: number;
}

/**
 * What one kernel may cost, and what it may once the kernels before it in the unit have cost `fileBudget` together: a
 * file of a hundred kernels must not keep its reader waiting.
 */
const fullBudget = 24_000;
const lateBudget = 6_000;
const fileBudget = 300_000;

/** The budget of a kernel after those before it have spent `before`. */
export function budgetAfter(before: number): number {
  return before > fileBudget ? lateBudget : fullBudget;
}
const mostConfigurations = 6;

interface Configuration {
  readonly block: readonly [number, number, number];
  readonly grid: Extent;
  readonly assumed: boolean;
  readonly exact: boolean;
  readonly launch?: LaunchConfiguration;
  /** What the kernel's template parameters stand for. */
  readonly bindings: Bindings;
  /** What is taken for template parameters that nothing gives a type, of several that fit. */
  readonly candidate?: ReadonlyMap<string, Type>;
  /** The least dynamic shared memory that a launch like this one gives, where it is known. */
  shared?: GivenShared;
  /** What launches like this one give of memory that pointers lead into. */
  readonly rooms: GivenRooms[];
  /** What they leave unset of it. */
  readonly unset: GivenUnset[];
}

/** The block shapes to run a kernel with: those of its launches, else its launch bounds, else a stated guess. */
export function configurationsOf(
  kernel: FunctionDecl,
  texts: readonly Text[],
  program: Program,
  launches: readonly LaunchConfiguration[],
  types: TypeTable,
): Configuration[] {
  const found = new Map<string, Configuration>();
  for (const [at, launch] of launches.entries()) {
    const { x, y = 1, z = 1 } = launch.block;
    if (x === undefined || x * y * z > 1024 || x * y * z < 1) continue;
    const { templateArgs, args, argOffsets, argTypes, passed, grid } = launch;
    const given = [templateArgs, args, argOffsets, argTypes, passed?.map(keyOfPassedValue), grid];
    const key = JSON.stringify([x, y, z, ...given]);
    if (!found.has(key))
      found.set(key, {
        block: [x, y, z],
        grid: launch.grid,
        assumed: false,
        rooms: [],
        unset: [],
        exact: launch.blockExact,
        launch,
        bindings: bindingsOf(kernel, launch, types),
      });
    const { sharedBytes, argRooms, argSet } = launch;
    const alike = found.get(key)!;
    if (argRooms) alike.rooms.push({ rooms: argRooms, launch: at });
    if (argSet) alike.unset.push({ set: argSet, launch: at });
    if (sharedBytes !== undefined && sharedBytes < (alike.shared?.bytes ?? Infinity))
      alike.shared = { bytes: sharedBytes, launch: at };
  }
  if (found.size) {
    // Exact shapes tell more than those computed from run-time values, and different blocks more than different
    // arguments.
    const all = [...found.values()];
    const exact = all.filter((each) => each.exact);
    const list = exact.length ? exact : all;
    const picked: Configuration[] = [];
    const shapes = new Set<string>();
    // What a template is instantiated with is another kernel: each is run, whatever the others cost.
    const instances = new Set<string>();
    for (const each of list) {
      const instance = instanceOf(each.bindings);
      if (instances.has(instance)) continue;
      instances.add(instance);
      shapes.add(`${each.block.join()}|${each.launch?.templateArgs.join()}`);
      picked.push(each);
    }
    for (const each of list) {
      const shape = `${each.block.join()}|${each.launch?.templateArgs.join()}`;
      if (!shapes.has(shape)) {
        shapes.add(shape);
        picked.push(each);
      }
    }
    for (const each of list) if (!picked.includes(each)) picked.push(each);
    return picked.slice(0, Math.max(mostConfigurations, instances.size));
  }
  const launch = launches[0];
  const bounds = kernel.launchBounds?.[0] ? types.constant(kernel.launchBounds[0]) : undefined;
  const threads = bounds && bounds >= 1 && bounds <= 1024 ? bounds : 256;
  const grid = launch?.grid ?? {};
  const guess = {
    block: guessedBlock(texts, program, threads, types.constant),
    grid,
    assumed: true,
    rooms: [],
    unset: [],
    exact: false,
  };
  const instances = launch ? [] : instancesOf(program, types).filter(({ fn }) => fn === kernel);
  if (instances.length === 0) {
    const bindings = bindingsOf(kernel, launch, types);
    const candidates = launch ? [] : candidatesOf(kernel, program, types);
    if (candidates.length === 0 || candidates.length > mostConfigurations)
      return [{ ...guess, ...(launch ? { launch } : {}), bindings }];
    return candidates.map((candidate) => ({
      ...guess,
      bindings: { ...bindings, types: new Map([...bindings.types, ...candidate]) },
      candidate,
    }));
  }
  return instances.slice(0, mostConfigurations).map(({ bindings }) => ({ ...guess, bindings }));
}

/** The types that a launch gives to the parameters of a template. */
function instanceOf(bindings: Bindings): string {
  return [...bindings.types.values()].map(typeName).join();
}

/** Runs one kernel under launches that give it the same body, if any. Never throws. */
export function runKernel(
  program: Program,
  types: TypeTable,
  gpu: Gpu,
  compiler: Compiler,
  kernel: FunctionDecl,
  body: FunctionDecl | undefined,
  launches: readonly LaunchConfiguration[],
  kernelBudget: number = fullBudget,
): KernelRun {
  const texts = body ? [kernel, body] : [kernel];
  const configurations = configurationsOf(kernel, texts, program, launches, types);
  const accesses = new Map<Node, AccessSummary[]>();
  const branches = new Map<Expr, BranchRecord>();
  const barriers = new Map<Node, BarrierRecord>();
  const unread = new Map<Node, UnreadRecord>();
  const races = new Map<string, RaceSummary>();
  const repeated = new Map<Node, RepeatedAtomic>();
  const overruns = new Map<string, OverrunSummary>();
  const wrong = new Map<string, WrongAccess>();
  const functions = new Set<string>();
  const asked = new Set<string>();
  const shapes: KernelShape[] = [];
  const launchesOfShapes: number[] = [];
  const values: Map<string, number>[] = [];
  const typeNames: Map<string, string>[] = [];
  let notAnalysed: string | undefined;
  let failure: unknown;
  let spent = 0;
  const supposed: (SupposedRun | undefined)[] = [];
  const supposedGlobals: SupposedRun[] = [];
  const tried: TriedLaunch[] = [];
  const runOnce = (configuration: Configuration, block: Configuration['block']): RunResult => {
    const { grid, launch, bindings } = configuration;
    const args = launch?.args ?? [];
    const isFirst = block === configuration.block && !configuration.assumed && configuration.exact;
    const isOpen = !isFirst && block[1] === 1 && block[2] === 1 && isOfLine(texts, program);
    const argOffsets = launch?.argOffsets ?? [];
    const passed = launch?.passed ?? [];
    const ofGrid = [grid.x, grid.y, grid.z] as const;
    const setup = {
      ...{ program, types, gpu, compiler, fn: kernel, bindings, host: false, budget: kernelBudget },
      ...{ block, grid: ofGrid, args, argOffsets, passed, races: isFirst || isOpen },
    };
    const result = run(setup);
    if (isOpen) {
      supposed.push(supposedRun(result, kernel, block));
      supposedGlobals.push(supposedGlobal(result, kernel, block, ofGrid));
    }
    for (const [node, one] of repeatedAtomics(result.global)) repeated.set(node, one);
    if (isFirst) {
      keepNew(races, racesOf(result, kernel, block));
      keepNew(races, globalRacesOf(result, kernel, block, ofGrid));
      if (races.size === 0) keepNew(races, racesOfSizes(setup, block, ofGrid));
      keepNew(overruns, overrunsOf(result, block, configuration.shared));
      const { rooms: given } = configuration;
      if (mayLeaveRoom(result, kernel, given, ofGrid))
        for (const blockAt of outermostBlocks(ofGrid)) {
          const { complete, global, spent: more } = run({ ...setup, blockAt });
          spent += more;
          if (complete) keepNew(overruns, globalOverrunsOf(global, kernel, { block, blockAt, given }));
        }
      if (launch) tried.push(triedAt(setup, launch, given.length > 0 ? given : [{ rooms: [], launch: -1 }]));
      const isWhole = result.spent < kernelBudget;
      keepNew(wrong, wrongAccessesOf(result, kernel, block, { launch, isWhole }));
      if (isWhole && mayReadUnset(result, kernel, configuration.unset))
        for (const blockAt of outermostBlocks(ofGrid)) {
          const one = run({ ...setup, blockAt });
          spent += one.spent;
          keepNew(wrong, unsetGlobalOf(one, result, kernel, block, configuration.unset));
        }
    }
    spent += result.spent;
    if (isFirst)
      averageBlocks(result, grid, (blockAt) => {
        if (spent + result.spent > kernelBudget / 2) return undefined;
        const one = run({ ...setup, races: false, blockAt });
        spent += one.spent;
        return one;
      });
    for (const key of result.functions) functions.add(key);
    for (const name of result.asked) asked.add(name);
    return result;
  };
  const instances = new Set<string>();
  for (const configuration of configurations) {
    // A kernel that cost much is not run for every launch: the first shapes tell the most.
    if (spent > (kernelBudget / 2) * Math.max(1, instances.size) && shapes.length) break;
    instances.add(instanceOf(configuration.bindings));
    const result = runOnce(configuration, configuration.block);
    if (!result.complete)
      notAnalysed ??= result.failure ? 'the analysis failed' : 'its body exceeds the limit of the analysis';
    failure ??= result.failure;
    const { bindings, candidate } = configuration;
    // A candidate is nothing that the text gives.
    const given = new Map([...bindings.types].filter(([name]) => !candidate?.has(name)));
    shapes.push(shapeOf(kernel, configuration, given, bindings.values));
    launchesOfShapes.push(configuration.launch ? launches.indexOf(configuration.launch) : -1);
    const constants = new Map(bindings.values);
    kernel.params.forEach((param, at) => {
      const value = configuration.launch?.args[at];
      if (param.name && value !== undefined) constants.set(param.name, value);
    });
    values.push(constants);
    typeNames.push(new Map([...given].map(([name, type]) => [name, typeName(type)])));
    joinAccesses(accesses, result, kernel, candidate);
    joinBranches(branches, result);
    joinBarriers(barriers, result, !configuration.assumed && configuration.exact);
    for (const [node, record] of result.unread) unread.set(node, record);
    if (configuration.assumed || !configuration.exact) {
      for (const block of otherBlocks(texts, program, configuration.block, types.constant))
        markBlockChanges(accesses, result, spent < kernelBudget ? runOnce(configuration, block) : undefined, kernel);
      const isKnown = (): boolean => supposed.length > 1 && supposed.every((each) => each !== undefined);
      const meetInAll = (): boolean => supposedGlobals.length > 1 && commonRaces(supposedGlobals).length > 0;
      // A block as small as two warps shows it too: with one warp per block there is no race in shared memory.
      if ((isKnown() && commonRaces(supposed as SupposedRun[]).length > 0) || meetInAll())
        runOnce(configuration, [64, 1, 1]);
      if (isKnown()) keepNew(races, commonRaces(supposed as SupposedRun[]));
      if (meetInAll()) runOnce(configuration, [32, 1, 1]);
      if (meetInAll()) keepNew(races, commonRaces(supposedGlobals));
      supposed.length = 0;
      supposedGlobals.length = 0;
    }
  }
  const sampled =
    !failure && spent < kernelBudget
      ? overrunsOfSamples(kernel, launches, { program, types, gpu, compiler, budget: kernelBudget })
      : { found: [], tried: [] };
  keepNew(overruns, sampled.found);
  const allShapesKnown =
    launches.length > 0 && launches.every((launch) => launch.blockExact && launch.block.x !== undefined);
  const isOfOne = new Set(launches.map(({ argRooms }) => !argRooms)).size === 1;
  const isAll = !body && allShapesKnown && isOfOne && tried.length === configurations.length;
  const areSampled = !body && launches.every(({ samples }) => samples);
  const guardsFor = (isSampled: boolean, of: readonly TriedLaunch[], isAll: boolean): ReturnType<typeof guardsOf> => {
    const some = [...overruns.values()].filter(({ sample }) => !!sample === isSampled);
    return guardsOf(kernel, some, of, { program, types, isAll, budget: kernelBudget });
  };
  const guards = new Map([...guardsFor(false, tried, isAll), ...guardsFor(true, sampled.tried, areSampled)]);
  return {
    kernel,
    ...(body ? { body } : {}),
    spent,
    shapes,
    launches: launchesOfShapes,
    allShapesKnown,
    values,
    types: typeNames,
    accesses: [...accesses.values()].flat(),
    branches: [...branches.values()],
    barriers: [...barriers.values()],
    // What one of the launches reads is read.
    unread: [...unread.values()].filter(({ node }) => !accesses.has(node)),
    races: [...races.values()],
    repeated,
    overruns: [...overruns.values()].map((each) => ({ ...each, ...guards.get(each.key) })),
    wrong: [...wrong.values()],
    functions,
    asked,
    ...(notAnalysed ? { notAnalysed } : {}),
    ...(failure === undefined ? {} : { failure }),
  };
}

function keepNew<T extends { readonly key: string }>(all: Map<string, T>, found: readonly T[]): void {
  for (const each of found) if (!all.has(each.key)) all.set(each.key, each);
}

function shapeOf(
  kernel: FunctionDecl,
  { block, grid, assumed, exact, launch }: Configuration,
  types: ReadonlyMap<string, Parameters<typeof typeName>[0]>,
  values: ReadonlyMap<string, number>,
): KernelShape {
  const templateArgs = (kernel.templateParams ?? []).map((param) => {
    const type = types.get(param.name);
    const isOpen = !type || (type.kind === 'unknown' && type.name === param.name);
    return isOpen ? String(values.get(param.name) ?? '?') : typeName(type);
  });
  const unset = (kernel.templateParams ?? []).flatMap(({ name }) => {
    const type = types.get(name);
    return values.has(name) || (type && type.kind !== 'unknown') ? [] : name;
  });
  return {
    block,
    grid,
    assumed,
    exact,
    templateArgs,
    ...(unset.length > 0 ? { unset } : {}),
    ...(launch ? { launchAt: launch.at } : {}),
  };
}
