// The door of the semantic layer: translation units in, models out.
import type { Compiler } from './run/values';
import type { FunctionDecl, SourceFile, TranslationUnit } from '../syntax/ast';
import type { ProcedureFile } from '../syntax/procedures';
import { buildFacts, type DeviceDebug } from './build';
import { analyseDirectives, noAccFacts, type AccFacts, type CompilerRemark } from './acc';
import { proceduresOf } from './acc/fromC/index';
import { accessFacts, accessFixes, withFixes } from './kernels/accesses';
import { barrierFacts } from './kernels/barriers';
import { branchFacts } from './kernels/branches';
import { createHostsAbout } from './kernels/hostsAbout';
import { createLocator, type Locator } from './kernels/locate';
import { budgetAfter, runKernel, type KernelRun } from './kernels/kernelRuns';
import type { LaunchConfiguration } from './launchConfiguration';
import { keptFacts } from './kept';
import { marksOfFortran, marksOfUnit } from './marks';
import { findLaunches, type FoundLaunch, type KeptRuns } from './kernels/launches';
import { bodyOf } from './kernels/bodies';
import { bodyFact, kernelFact } from './kernels/kernelFacts';
import { launchFacts } from './kernels/launchFacts';
import { correctDefinitions } from './rewrites/doubleMacros';
import { mergeAccesses, mergeBarriers, mergeBranches, mergeOverruns, mergeRaces } from './kernels/merge';
import type {
  AccessFact,
  BarrierFact,
  BranchFact,
  DoubleFact,
  Gpu,
  KernelFact,
  LaunchFact,
  MathFact,
  Model,
  OverrunFact,
  RaceFact,
  Reason,
  RuntimeCallFact,
  SweepFact,
  UnreadFact,
} from './model';
import { overrunFacts, raceFacts } from './races/raceFacts';
import { unreadFacts } from './unread/facts';
import { listUnread } from './unread/list';
import type { Unread } from './unread/model';
import { noFacts } from './noFacts';
import { joinRestructuring } from './restructuring/find';
import type { Restructuring } from './restructuring/model';
import { createPatterns } from './patterned';
import { createCompiler } from './run/compile';
import { kernelsNamed, mayStart } from './language/launchedKernels';
import { createProgram, lastPart, type Program } from './language/program';
import { createTypeTable } from './language/typeTable';
import type { TypeTable } from './language/types';

export type { CompilerRemark } from './acc';
export type { LaunchConfiguration } from './launchConfiguration';
export { unreadFile } from './unread/list';

export interface AnalysisOptions {
  readonly gpu: Gpu;
  /** Launches that other files of the workspace make of kernels this file may define, by kernel name (last part). */
  readonly launchesElsewhere?: ReadonlyMap<string, readonly LaunchConfiguration[]>;
  /** What a compiler said of this file's loops. */
  readonly feedback?: readonly CompilerRemark[];
  /** The build gives OpenACC memory that moves by itself. */
  readonly managedMemory?: boolean | undefined;
  /** The build compiles OpenACC for the cores of the host. */
  readonly hostTarget?: boolean | undefined;
  /** The build compiles device code for debugging. */
  readonly deviceDebug?: DeviceDebug | undefined;
  /** Whose OpenACC the build uses, where it is known. */
  readonly accCompiler?: 'gcc' | 'nvhpc' | undefined;
}

/** Opaque: what analyse may keep between versions of one file. */
export interface AnalysisCache {
  readonly entries: Map<string, unknown>;
}
export function createCache(): AnalysisCache {
  return { entries: new Map() };
}

/** `asked` tells what each function name that the run looked up stood for. */
interface CachedRun {
  readonly declared: string;
  readonly asked: ReadonlyMap<string, string>;
  readonly launches: string;
  readonly functions: readonly string[];
  readonly run: KernelRun;
}
interface CachedLaunches extends KeptRuns {
  readonly hosts: string;
  readonly found: readonly FoundLaunch[];
}

/**
 * All of a file that code elsewhere can depend on beside functions' bodies: what it declares (with functions that a
 * constant may call), and its macros and which functions there are.
 */
interface Fingerprint {
  readonly declared: string;
  readonly words: ReadonlySet<string>;
  readonly macroNames: readonly string[];
  readonly macros: string;
  readonly functions: string;
}
const fingerprints = new WeakMap<SourceFile, Fingerprint>();
function fingerprintOf(file: SourceFile): Fingerprint {
  const known = fingerprints.get(file);
  if (known !== undefined) return known;
  const parts: string[] = [file.uri];
  const slice = (node: { start: number; end: number }): void => {
    parts.push(file.text.slice(node.start, node.end));
  };
  file.structs.forEach(slice);
  file.aliases.forEach(slice);
  file.enums.forEach(slice);
  file.instantiations.forEach(slice);
  file.globals.forEach(slice);
  const words = new Set(parts.flatMap((part) => part.match(/[A-Za-z_]\w*/g) ?? []));
  file.functions.forEach((fn) => {
    if (fn.constexpr) parts.push(fn.key);
  });
  const made: Fingerprint = {
    declared: parts.join('\u0001'),
    words,
    macroNames: file.macros.map((macro) => macro.name),
    macros: file.macros.map((macro) => `${macro.name}(${macro.params?.join() ?? ''}) ${macro.body}`).join('\u0001'),
    functions: file.functions.map((fn) => `${fn.qualifiedName}/${fn.params.length}`).join('\u0001'),
  };
  fingerprints.set(file, made);
  return made;
}

interface Analysis {
  readonly program: Program;
  readonly types: TypeTable;
  readonly compiler: Compiler;
  /** What kernels can depend on beside functions. */
  readonly declared: string;
  readonly surroundings: string;
  readonly locate: Locator;
  readonly launches: readonly FoundLaunch[];
}

/** Shared results of a unit: its launches are queried first, then the facts of its files. */
type Surveyed = Omit<Analysis, 'launches'>;
const surveys = new WeakMap<TranslationUnit, Surveyed>();
function survey(unit: TranslationUnit): Surveyed {
  const known = surveys.get(unit);
  if (known) return known;
  const program = createProgram(unit);
  const types = createTypeTable(program);
  const compiler = createCompiler(program, types);
  const prints = unit.files.map(fingerprintOf);
  const macros = prints.map((print) => print.macros).join('\u0002');
  // A function knows what macros made of it, a declaration only its text.
  const macroNames = new Set(prints.flatMap((print) => print.macroNames));
  const macrosInDeclarations = [...macroNames].some((name) => prints.some((print) => print.words.has(name)));
  const declared = `${prints.map((print) => print.declared).join('\u0002')}\u0003${macrosInDeclarations ? macros : ''}`;
  const surroundings = `${declared}\u0003${macros}\u0003${prints.map((print) => print.functions).join('\u0002')}`;
  const made = { program, types, compiler, declared, surroundings, locate: createLocator(program) };
  surveys.set(unit, made);
  return made;
}

function prepare(unit: TranslationUnit, gpu: Gpu, cache: AnalysisCache | undefined): Analysis {
  const surveyed = survey(unit);
  const { program, types, compiler, surroundings, locate } = surveyed;
  const hosts: string[] = [`${gpu.name},`];
  for (const fn of program.allFunctions()) if (fn.body && fn.host && !fn.global) hosts.push(fn.key);
  const key = hosts.join();
  const known = cache?.entries.get('launches') as CachedLaunches | undefined;
  const same = known?.surroundings === surroundings && known.hosts.startsWith(`${gpu.name},`);
  const { found, runs } =
    same && known.hosts === key
      ? known
      : findLaunches(program, types, gpu, compiler, same ? known.runs : undefined, locate.knows);
  cache?.entries.set('launches', { surroundings, hosts: key, found, runs } satisfies CachedLaunches);
  // A launch that was kept may have moved with its function.
  const launches = found.map(({ record, configuration }) => ({
    record,
    configuration: { ...configuration, at: locate.span(record.fn, record.node) },
  }));
  return { ...surveyed, launches };
}

/** The launches that the host code of a unit makes, for the index of a workspace. Never throws. */
export function collectLaunches(
  unit: TranslationUnit,
  options: AnalysisOptions,
  cache?: AnalysisCache,
): ReadonlyMap<string, readonly LaunchConfiguration[]> {
  const byName = new Map<string, LaunchConfiguration[]>();
  try {
    for (const { configuration } of prepare(unit, options.gpu, cache).launches) {
      const list = byName.get(configuration.kernelName);
      if (list) list.push(configuration);
      else byName.set(configuration.kernelName, [configuration]);
    }
  } catch {
    /* a unit that cannot be followed launches nothing */
  }
  return byName;
}

/** What was not read of the file that a model is of, computed when it is asked for. Never throws. */
export function unreadOf(unit: TranslationUnit, model: Model, excess: string | undefined): readonly Unread[] {
  try {
    return listUnread(survey(unit).program, model, excess);
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error);
    return [{ at: { uri: model.uri, start: 0, end: 0 }, what: 'file', reason: 'file-limit', detail, kernels: [] }];
  }
}

/**
 * All facts of one file of `unit` (its main file, or a header when `uri` names one, seen as this unit includes it).
 * Never throws. What was computed for a function that is unchanged, under unchanged surroundings, is taken from
 * `cache`.
 */
export function analyse(
  unit: TranslationUnit,
  options: AnalysisOptions,
  cache?: AnalysisCache,
  uri: string = unit.main.uri,
): Model {
  const notes: Reason[] = [];
  const accesses: AccessFact[] = [];
  const branches: BranchFact[] = [];
  const barriers: BarrierFact[] = [];
  const races: RaceFact[] = [];
  const overruns: OverrunFact[] = [];
  const unread: UnreadFact[] = [];
  const kernels: KernelFact[] = [];
  let launches: LaunchFact[] = [];
  const sweeps: SweepFact[] = [];
  const doubles: DoubleFact[] = [];
  const slowMath: MathFact[] = [];
  const calls: RuntimeCallFact[] = [];
  const cuts: Restructuring[] = [];
  try {
    const analysis = prepare(unit, options.gpu, cache);
    const { locate, program, types, surroundings } = analysis;
    const live = new Set<string>();
    const runs: KernelRun[] = [];
    const launchesOf = new Map<KernelRun, readonly LaunchConfiguration[]>();
    const launchesHere = launchesByName(analysis.launches);
    let spent = 0;
    const inUnit = new Set(unit.files.map((file) => file.uri));
    const own = unit.files.find((file) => file.uri === uri) ?? unit.main;
    const reachesOthers =
      uri !== unit.main.uri &&
      (own.structs.length > 0 || own.functions.some((fn) => fn.device && !fn.global && fn.body));
    for (const file of unit.files) {
      // A kernel in a header says nothing about the main file; kernels of all files may reach device functions of a
      // header.
      const isOwn = file.uri === uri || reachesOthers;
      for (const fn of file.functions)
        if (fn.global && fn.body) {
          const named = kernelsNamed(program, fn.name);
          const launches = [
            ...(launchesHere.get(fn.name) ?? []),
            ...(options.launchesElsewhere?.get(fn.name) ?? []).map((launch) =>
              inUnit.has(launch.at.uri) ? launch : withoutLambdas(launch),
            ),
          ].filter((launch) => mayStart(launch, fn, named));
          for (const { body, launches: its } of byBody(fn, launches, program)) {
            // … but the body that it is given may be of this file.
            if (!isOwn && body?.uri !== uri) continue;
            const run = runCached(fn, body, its, analysis, options, cache, live, budgetAfter(spent));
            spent += run.spent;
            runs.push(run);
            launchesOf.set(run, its);
          }
        }
    }
    // A header's kernels are launched by the source that it is seen in: that one's launches are at hand.
    const elsewhere = (kernel: string): boolean =>
      options.launchesElsewhere?.get(kernel)?.some(({ at }) => !inUnit.has(at.uri)) ?? false;
    const patterns = createPatterns(program, types, runs, locate, surroundings, elsewhere, cache?.entries, live);
    const hostsAbout = createHostsAbout(program);
    const factsOf = (
      run: KernelRun,
    ): {
      accesses: AccessFact[];
      branches: BranchFact[];
      barriers: BarrierFact[];
      races: RaceFact[];
      unread: UnreadFact[];
    } => {
      const key = `kernel:${uri}\n${ofBody(run.body)}${run.kernel.uri}\n${run.kernel.key}`;
      live.add(key).add(`${key}@fixes`);
      const involved = [...run.functions].flatMap((each) => locate.withKey(each));
      if (run.body) involved.push(locate.current(run.body));
      const under = [run, surroundings, ...involved.map(patterns.under)];
      const own = keptFacts(cache?.entries, key, under, involved, () => ({
        accesses: accessFacts(run, locate, uri, program),
        races: raceFacts(run.races, run, locate, uri),
        unread: unreadFacts(run, locate, uri),
      }));
      // A fix may change the launches too: it depends on the code that makes them.
      const about = hostsAbout(new Set([run.kernel.name, ...involved.flatMap(patterns.kernelsOf)]));
      const underHosts = [...under, about, elsewhere(run.kernel.name)];
      const mended = keptFacts(cache?.entries, `${key}@fixes`, underHosts, involved, () => ({
        fixes: accessFixes(run, own.accesses, patterns),
        branches: branchFacts(run, locate, patterns, uri),
        barriers: barrierFacts(run, locate, program, patterns),
      }));
      return { ...own, ...mended, accesses: withFixes(own.accesses, mended.fixes) };
    };
    const described = new Set<FunctionDecl>();
    for (const run of runs) {
      if (run.kernel.uri === uri && !described.has(run.kernel)) {
        described.add(run.kernel);
        const its = runs.filter(({ kernel }) => kernel === run.kernel);
        kernels.push(kernelFact(its, launchesOf, locate, types, program));
      }
      if (run.body?.uri === uri) kernels.push(bodyFact(run, run.body, launchesOf, locate, program));
      const found = factsOf(run);
      accesses.push(...found.accesses);
      branches.push(...found.branches);
      barriers.push(...found.barriers);
      races.push(...found.races);
      overruns.push(...overrunFacts(run, launchesOf.get(run)!, locate, uri));
      unread.push(...found.unread);
      if (run.failure !== undefined)
        notes.push({
          at: kernels.at(-1)?.nameAt ?? { uri, start: 0, end: 0 },
          text: `The analysis of ${run.kernel.name} stopped: ${run.failure instanceof Error ? run.failure.message : String(run.failure)}.`,
        });
    }
    const lambdas = new Set(runs.flatMap(({ body }) => (body?.enclosing && body.uri === uri ? [body] : [])));
    const { functions } = unit.files.find((file) => file.uri === uri) ?? unit.main;
    for (const fn of [...functions, ...lambdas]) {
      if (!fn.body) continue;
      const facts = patterns.ofFunction(fn);
      sweeps.push(...facts.sweeps);
      doubles.push(...facts.doubles);
      slowMath.push(...facts.slowMath);
      calls.push(...facts.calls);
      cuts.push(patterns.restructuringOf(fn));
    }
    launches = launchFacts(program, types, locate, analysis.launches, uri, patterns);
    // Another file of the unit may be asked for next; of this one all that counts is alive.
    const isOfOther = (key: string): boolean => !key.slice(key.indexOf(':') + 1).startsWith(`${uri}\n`);
    const isStill = (key: string): boolean => locate.knows(key.slice(key.lastIndexOf('\n') + 1).replace(/@.*/, ''));
    if (cache)
      for (const key of cache.entries.keys())
        if (/^(run|facts|kernel|launch):/.test(key) && !live.has(key) && !(isOfOther(key) && isStill(key)))
          cache.entries.delete(key);
  } catch (error) {
    notes.push({
      at: { uri, start: 0, end: 0 },
      text: `The analysis stopped: ${error instanceof Error ? error.message : String(error)}.`,
    });
  }
  const { notes: accNotes, ...accFacts } = directiveFacts(unit, options, uri);
  const here = <T extends { readonly at: { readonly uri: string } }>(facts: readonly T[]): T[] =>
    facts.filter((fact) => fact.at.uri === uri);
  return {
    uri,
    version: unit.main.version,
    notes: [...notes, ...accNotes],
    marks: marksOfUnit(unit, uri),
    facts: {
      ...accFacts,
      kernel: kernels,
      launch: launches,
      access: mergeAccesses(here(accesses)),
      branch: mergeBranches(here(branches)),
      barrier: mergeBarriers(here(barriers)),
      race: mergeRaces(here(races)),
      overrun: mergeOverruns(here(overruns)),
      sweep: here(sweeps),
      double: correctDefinitions(here(doubles), unit),
      math: here(slowMath),
      unread: here(unread),
      'runtime-call': here(calls),
      build: buildFacts(kernels, options.deviceDebug),
      ...joinRestructuring(cuts, ({ at }) => at.uri === uri),
    },
  };
}

/** The facts of a Fortran file: those of its directives. `others` are files whose modules it uses. Never throws. */
export function analyseFortran(file: ProcedureFile, others: readonly ProcedureFile[], options: AnalysisOptions): Model {
  const { notes, ...accFacts } = analyseDirectives(file, others, options);
  return {
    uri: file.uri,
    version: file.version,
    notes,
    fortran: file.fixedForm ? 'fixed' : 'free',
    marks: marksOfFortran(file),
    facts: { ...noFacts, ...accFacts },
  };
}

function directiveFacts(unit: TranslationUnit, options: AnalysisOptions, uri: string): AccFacts {
  const file = proceduresOf(unit, uri);
  if (!file) return noAccFacts;
  const others = unit.files.flatMap((each) => (each.uri === uri ? [] : (proceduresOf(unit, each.uri) ?? [])));
  return analyseDirectives(file, others, options);
}

/** The launches of a kernel by the body that they give it; one list at least. */
function byBody(
  kernel: FunctionDecl,
  launches: readonly LaunchConfiguration[],
  program: Program,
): readonly { readonly body: FunctionDecl | undefined; readonly launches: readonly LaunchConfiguration[] }[] {
  if (launches.length === 0) return [{ body: undefined, launches }];
  const groups = new Map<
    string,
    { readonly body: FunctionDecl | undefined; readonly launches: LaunchConfiguration[] }
  >();
  for (const launch of launches) {
    const body = bodyOf(launch, kernel, program);
    const others = groups.get(ofBody(body));
    if (others) others.launches.push(launch);
    else groups.set(ofBody(body), { body, launches: [launch] });
  }
  return [...groups.values()];
}

/** A launch of another unit: what it captures is not in this one. */
function withoutLambdas({ passed: _, ...launch }: LaunchConfiguration): LaunchConfiguration {
  return launch;
}

/** The launches of a unit by the name of their kernel, as it is written and without its scope. */
function launchesByName(launches: readonly FoundLaunch[]): ReadonlyMap<string, readonly LaunchConfiguration[]> {
  const byName = new Map<string, LaunchConfiguration[]>();
  for (const { configuration } of launches)
    for (const name of new Set([configuration.kernelName, lastPart(configuration.kernelName)])) {
      const others = byName.get(name);
      if (others) others.push(configuration);
      else byName.set(name, [configuration]);
    }
  return byName;
}

function ofBody(body: FunctionDecl | undefined): string {
  return body ? `${body.uri}\n${body.key}\n` : '';
}

function runCached(
  fn: FunctionDecl,
  body: FunctionDecl | undefined,
  launches: readonly LaunchConfiguration[],
  analysis: Analysis,
  options: AnalysisOptions,
  cache: AnalysisCache | undefined,
  live: Set<string>,
  budget: number,
): KernelRun {
  const { program, types } = analysis;
  const launchKey = `${options.gpu.name}|${budget}|${launches.map((launch) => launch.key).join('|')}`;
  const key = `run:${ofBody(body)}${fn.uri}\n${fn.key}`;
  live.add(key);
  const known = cache?.entries.get(key) as CachedRun | undefined;
  if (
    known &&
    known.launches === launchKey &&
    known.declared === analysis.declared &&
    known.functions.every((each) => analysis.locate.knows(each)) &&
    [...known.asked].every(([name, meant]) => meaningOf(name, program) === meant)
  )
    return known.run;
  const run = runKernel(program, types, options.gpu, analysis.compiler, fn, body, launches, budget);
  const asked = new Map([...run.asked].map((name) => [name, meaningOf(name, program)]));
  cache?.entries.set(key, {
    declared: analysis.declared,
    asked,
    launches: launchKey,
    functions: [...run.functions],
    run,
  } satisfies CachedRun);
  return run;
}

/** What a function's name stands for: the functions of that name, each as it is written. */
function meaningOf(name: string, program: Program): string {
  return program
    .functions(name)
    .map((fn) => fn.key)
    .join();
}
