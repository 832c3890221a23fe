// Launches: host code is run as far as its text goes, and what its launches tell about kernels is kept.
import type { FunctionDecl, NameExpr, TypeSyntax } from '../../syntax/ast';
import { withinSteps } from '../steps';
import {
  deduce,
  withDefaults,
  bodyLaunches,
  functionsWith,
  mayReachLaunch,
  some,
  instanceKey,
  instancesOf,
  type Instance,
  lastPart,
  type Program,
  settledMembers,
  boundValue,
  noBindings,
  typeName,
  type Bindings,
  type Type,
  type TypeTable,
} from '../language';
import {
  passedOf,
  keyOfPassedValue,
  run,
  type LaunchConfiguration,
  blank,
  Taint,
  type Compiler,
  type LaunchRecord,
  type RunSetup,
  type Value,
} from '../run';
import type { Extent, Gpu } from '../model';
import { samplesOf } from './sizes';

export interface FoundLaunch {
  readonly record: LaunchRecord;
  readonly configuration: LaunchConfiguration;
}

/** What one host function may cost, and what once those before it in the unit have cost `unitBudget`. */
const hostBudget = 8_000;
const lateHostBudget = 400;
const unitBudget = 100_000;
/** After so many steps the functions that are left are not run. */
const mostSteps = 2_000_000;
const unsettled = Taint.chosen | Taint.maybe | Taint.loaded | Taint.loadedUniform | Taint.hash;

function extentOf(value: Value): { extent: Extent; exact: boolean } {
  const parts: { x?: number; y?: number; z?: number } = {};
  let exact = true;
  const part = (axis: 'x' | 'y' | 'z', of: Value | undefined): void => {
    if (!of || typeof of.lanes !== 'number') {
      exact = false;
      return;
    }
    if (of.taint & unsettled) exact = false;
    if (of.taint & unsettled && of.usual !== undefined && of.usual > 0) {
      parts[axis] = Math.trunc(of.usual);
      return;
    }
    if (Number.isFinite(of.lanes) && of.lanes > 0) parts[axis] = Math.trunc(of.lanes);
  };
  if (!value.fields && value.type.kind === 'struct') return { extent: {}, exact: false };
  const one: Value = { ...blank, type: value.type, lanes: 1, taint: 0 };
  part('x', value.fields ? value.fields.get('x') : value);
  part('y', value.fields?.get('y') ?? one);
  part('z', value.fields?.get('z') ?? one);
  return { extent: parts, exact };
}

/** Which parts of a block or grid are settled by constants: those alone are kept. */
function settledExtent(value: Value): Extent {
  const keep = (of: Value | undefined): number | undefined =>
    of && typeof of.lanes === 'number' && !(of.taint & unsettled) && of.lanes > 0 ? Math.trunc(of.lanes) : undefined;
  const { fields, type } = value;
  if (!fields && type.kind === 'struct') return {};
  const [x, y, z] = fields ? ['x', 'y', 'z'].map((axis) => keep(fields.get(axis))) : [keep(value), 1, 1];
  return { ...(x === undefined ? {} : { x }), ...(y === undefined ? {} : { y }), ...(z === undefined ? {} : { z }) };
}

/** What one host function launched, kept between versions while everything it ran through stays. */
interface KeptRun {
  readonly functions: readonly string[];
  readonly reached: readonly string[];
  /** Members whose values it took from all host code, each with the functions that set it. */
  readonly members: readonly (readonly [type: string, field: string, writers: string])[];
  readonly found: readonly FoundLaunch[];
  /** What it cost, and what it might have cost, in the unit of the budget. */
  readonly spent: number;
  readonly budget: number;
}
/** A function of the host to be run; of a template, under such arguments. */
interface Candidate extends Instance {
  readonly key: string;
}
export interface KeptRuns {
  readonly surroundings: string;
  readonly runs: ReadonlyMap<string, KeptRun>;
}

/**
 * Runs the host code of the unit: `main` first with what it calls, then every function that launches and was not
 * reached. `kept` are the runs of an earlier version under the same surroundings; `knows` tells which functions are
 * still there, unchanged. Returns the runs to keep in turn.
 */
export function findLaunches(
  program: Program,
  types: TypeTable,
  gpu: Gpu,
  compiler: Compiler,
  kept?: ReadonlyMap<string, KeptRun>,
  knows: (key: string) => boolean = () => false,
): { readonly found: FoundLaunch[]; readonly runs: ReadonlyMap<string, KeptRun>; readonly isWhole: boolean } {
  const reached = new Set<string>();
  const found: FoundLaunch[] = [];
  const seen = new Set<string>();
  const runs = new Map<string, KeptRun>();
  const isCandidate = (fn: FunctionDecl): boolean =>
    fn.body !== undefined && fn.host && !fn.global && bodyLaunches(fn.body, program);
  const candidates: Candidate[] = mayReachLaunch(program).map((fn) => ({
    fn,
    bindings: fn.templateParams?.length ? types.bind(fn.templateParams, undefined) : noBindings,
    key: fn.key,
  }));
  for (const { fn, bindings } of instancesOf(program, types))
    if (isCandidate(fn)) candidates.push({ fn, bindings, key: instanceKey(fn, bindings) });
  // A template is run as it is called or instantiated, and only where it is neither with what is unknown of its types.
  // What a program with a `main` never names says nothing of kernels that it launches itself.
  const isProgram = candidates.some(({ fn }) => fn.name === 'main');
  const isDead = ({ name, className }: FunctionDecl): boolean =>
    isProgram &&
    name !== 'main' &&
    className === undefined &&
    functionsWith(program.unit, [name]).every(
      (other) => other.name === name || !some(other.body, (node) => node.kind === 'name' && node.name === name),
    );
  const dead = new Set(candidates.flatMap(({ fn }) => (isDead(fn) ? [fn] : [])));
  const launched = new Set<string>();
  const rank = ({ fn, key }: Candidate): number =>
    fn.name === 'main' ? 0 : dead.has(fn) ? 4 : !fn.templateParams?.length ? 1 : key === fn.key ? 3 : 2;
  candidates.sort((a, b) => rank(a) - rank(b));
  let spent = 0;
  const { writersOf } = settledMembers(program, types);
  const isStill = ({ functions, members }: KeptRun): boolean =>
    functions.every(knows) && members.every(([type, field, writers]) => writersOf(type, field) === writers);
  const runOne = (candidate: Candidate): void => {
    const { key: name } = candidate;
    if (reached.has(name)) return;
    const before = kept?.get(name);
    const budget = spent > unitBudget ? lateHostBudget : hostBudget;
    const made = before?.budget === budget && isStill(before) ? before : runHost(candidate, budget);
    spent += made.spent;
    runs.set(name, made);
    for (const key of made.reached) reached.add(key);
    for (const launch of made.found) {
      const { record, configuration } = launch;
      const key = `${record.fn.uri} ${record.fn.key}@${record.node.start}|${configuration.key}`;
      const isLive = !dead.has(candidate.fn);
      if (seen.has(key) || (!isLive && launched.has(record.kernelName))) continue;
      if (isLive && configuration.blockExact) launched.add(record.kernelName);
      seen.add(key);
      found.push(launch);
    }
  };
  const runHost = ({ fn, bindings }: Candidate, budget: number): KeptRun => {
    const through = new Set<string>();
    const setup: RunSetup = {
      ...{ program, types, gpu, compiler, fn, bindings, host: true, budget },
      ...{ block: [1, 1, 1], grid: [1, 1, 1], args: [] },
    };
    const result = run({ ...setup, reached: through });
    const configured = (record: LaunchRecord): LaunchConfiguration => configurationOf(record, types, program);
    const { samples, functions } = samplesOf(result.launches, setup, configured);
    return {
      functions: [...new Set([...result.functions, ...functions])],
      reached: [...through],
      members: result.members.map(([type, field]) => [type, field, writersOf(type, field)]),
      spent: result.spent,
      budget,
      found: result.launches.map((record) => ({
        record,
        configuration: withSamples(configured(record), samples.get(record)),
      })),
    };
  };
  // Functions that no known code calls come before those that only a run from outside would reach with better
  // arguments.
  const { isWhole } = withinSteps(mostSteps, () => candidates.forEach(runOne));
  return { found, runs, isWhole };
}

function withSamples(launch: LaunchConfiguration, samples: LaunchConfiguration['samples']): LaunchConfiguration {
  const keys = samples?.map(({ launch: { key }, rooms }) => [key, rooms]);
  return samples ? { ...launch, samples, key: JSON.stringify([launch.key, keys]) } : launch;
}

export function configurationOf(record: LaunchRecord, types: TypeTable, program: Program): LaunchConfiguration {
  const block = extentOf(record.block);
  const grid = extentOf(record.grid);
  const templateArgs = (record.templateArgs ?? []).map((arg, at): number | string => {
    const number = record.templateNumbers?.[at];
    if (number !== undefined) return number;
    const constant = 'type' in arg ? undefined : types.constant(arg.expr, record.bindings);
    if (constant !== undefined) return constant;
    if (!('type' in arg) && arg.expr.kind !== 'name') return '?';
    const type = 'type' in arg ? arg.type : namedBy(arg.expr as NameExpr);
    const bound = type.kind === 'named' ? boundValue(record.bindings, type.name) : undefined;
    return bound ?? typeName(types.resolve(type, record.bindings));
  });
  const passed = record.args.map((value) => passedOf(value));
  const args = passed.map(({ number }) => number);
  const argOffsets = passed.map(({ offset }) => offset);
  const argRooms = passed.map(({ room }) => room);
  // Memory that several arguments lead into may be set through any of them.
  const argSet = record.set?.map((set, at) => {
    const isAlone = record.args.every(({ base }, other) => other === at || base !== record.args[at]!.base);
    return isAlone && set !== Infinity ? set : undefined;
  });
  const argTypes = record.args.map((value) => (value.type.kind === 'unknown' ? undefined : typeName(value.type)));
  const blockExtent = block.exact ? block.extent : { ...settledExtent(record.block), ...plausible(block.extent) };
  const { fn } = record;
  const at = { uri: fn.uri, start: fn.base + record.node.start, end: fn.base + record.node.end };
  const gridExtent = settledExtent(record.grid);
  const { lanes: shared, taint } = record.sharedBytes ?? { lanes: 0, taint: 0 };
  const sharedBytes = typeof shared === 'number' && !(taint & unsettled) ? shared : undefined;
  // A pack gives as many arguments as somebody else does.
  const isPacked = program.fileOf(fn)?.text.slice(at.start, at.end).includes('...') ?? true;
  return {
    kernelName: lastPart(record.kernelName),
    written: record.kernelName,
    within: fn.qualifiedName,
    ...(record.node.kind === 'launch' && !isPacked ? { given: record.node.args.length } : {}),
    block: blockExtent,
    grid: gridExtent,
    blockExact: block.exact,
    gridExact: grid.exact,
    gridSample: grid.extent,
    at,
    templateArgs,
    ...(record.templateArgs ? { templateSyntax: record.templateArgs } : {}),
    args,
    ...(argOffsets.some((offset) => offset) ? { argOffsets } : {}),
    ...(argRooms.some((room) => room) ? { argRooms } : {}),
    ...(argSet?.some((set) => set !== undefined) ? { argSet } : {}),
    argTypes,
    passed,
    argTypeValues: record.args.map((value) => value.type),
    bindings: record.bindings,
    ...(sharedBytes === undefined ? {} : { sharedBytes }),
    key: JSON.stringify([
      ...[record.kernelName, blockExtent, gridExtent, block.exact, templateArgs, args, argTypes, argOffsets, argRooms],
      ...[passed.map(keyOfPassedValue), sharedBytes, argSet],
    ]),
  };
}

function namedBy({ name, templateArgs: args }: NameExpr): TypeSyntax {
  return { kind: 'named', name, ...(args ? { args } : {}) };
}

/** A block computed from run-time values still tells its shape where the numbers could be a block's. */
function plausible(extent: Extent): Extent {
  const { x = 0, y = 1, z = 1 } = extent;
  return x >= 1 && x * y * z <= 1024 ? extent : {};
}

/** What a kernel's template parameters stand for under a launch. */
export function bindingsOf(kernel: FunctionDecl, launch: LaunchConfiguration | undefined, types: TypeTable): Bindings {
  if (!kernel.templateParams?.length) return noBindings;
  const explicit = launch?.templateSyntax
    ? types.bind(kernel.templateParams.slice(0, launch.templateSyntax.length), launch.templateSyntax, launch.bindings)
    : noBindings;
  const bound = new Map<string, Type>(explicit.types);
  const values = new Map<string, number>(explicit.values);
  launch?.templateArgs.forEach((arg, at) => {
    const param = kernel.templateParams![at];
    if (!param) return;
    if (param.kind === 'value' && typeof arg === 'number') values.set(param.name, arg);
    if (param.kind === 'type' && typeof arg === 'string' && !bound.has(param.name)) {
      const type = types.resolve({ kind: 'named', name: arg });
      if (type.kind !== 'unknown') bound.set(param.name, type);
    }
  });
  if (launch?.argTypeValues)
    deduce(
      kernel.templateParams,
      kernel.params.map((param) => param.type),
      launch.argTypeValues,
      bound,
      values,
    );
  const all = withDefaults(kernel.templateParams, bound, values, types);
  // What no argument is known for is unknown, and so are its members.
  const open = kernel.templateParams.flatMap(({ kind, name }): [string, Type][] =>
    kind === 'type' && !all.types.has(name) ? [[name, { kind: 'unknown', name }]] : [],
  );
  return open.length > 0 ? { ...all, types: new Map([...all.types, ...open]) } : all;
}
