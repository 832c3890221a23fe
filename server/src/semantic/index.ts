// The door of the semantic layer: translation units in, models out.
import { type Compiler, createLocator, type Locator, type LaunchConfiguration, createCompiler } from './run';
import type { FunctionDecl, Node, SourceFile, TranslationUnit } from '../syntax/ast';
import { hashText } from '../syntax/macros';
import { foundBy, counted, step, TooManySteps, withinSteps } from './steps';
import type { ProcedureFile } from '../syntax/procedures';
import type { DeviceDebug } from './facts/model';
import { type AccFacts, type CompilerRemark, analyseDirectives, noAccFacts, proceduresOf } from './acc';
import {
  type FoundLaunch,
  type KeptRuns,
  type KernelRun,
  bodyOf,
  budgetAfter,
  createHostsAbout,
  findLaunches,
  runKernel,
  workOfThread,
} from './kernels';
import {
  type FileContext,
  type RunContext,
  createPatterns,
  fileKinds,
  functionKinds,
  keptFacts,
  noFacts,
  runKinds,
} from './facts';
import { createHostLoops } from './flow';
import { identified } from './identity';
import { marksOfFortran, marksOfUnit } from './marks';
import type { FactKind, Facts, Gpu, Model, Reason, Span, Work } from './model';
import { listUnread } from './unread';
import { keepRunnable, type Runnable } from './verify';
import type { Unread } from './unread/model';
import {
  includedHosts,
  functionsWith,
  append,
  forgetAnswers,
  once,
  kernelsNamed,
  mayStart,
  createProgram,
  deviceLambdasOf,
  lastPart,
  type Program,
  createTypeTable,
  type TypeTable,
} from './language';

export type { CompilerRemark } from './acc';
export { resultChange, type Verdict, verified } from './verify';
export { unreadFile } from './unread';
export { callSitesOf, functionsWith, lastPart } from './language';
export type { LaunchConfiguration } from './run';

export interface AnalysisOptions {
  readonly gpu: Gpu;
  /** Where the analysis ends; the limit of a file when absent. */
  readonly mostSteps?: number;
  /** Launches that other files of the workspace make of kernels this file may define, by kernel name (last part). */
  readonly launchesElsewhere?: ReadonlyMap<string, readonly LaunchConfiguration[]>;
  /** The unit with files that lead to its launches by calls. */
  readonly program?: TranslationUnit;
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
  readonly steps: number;
}
interface CachedLaunches extends KeptRuns {
  readonly hosts: string;
  readonly found: readonly FoundLaunch[];
  readonly isWhole: boolean;
  /** Host functions that kernels depend on, by the kernels' names. */
  readonly about: Map<string, string>;
}

/** What code elsewhere can depend on of a file that is included, beside functions' bodies and macros. */
const interfaceOf = once(({ uri, pieces }: SourceFile) => digestOf([uri, ...pieces.map((piece) => piece.interface())]));
const macrosOf = once(({ macros }: SourceFile) =>
  digestOf(macros.map((macro) => `${macro.name}(${macro.params?.join() ?? ''}) ${macro.body}`)),
);

/** The text of all that a file declares beside functions. */
function declarationsOf({ text, structs, aliases, enums, instantiations, globals }: SourceFile): readonly string[] {
  return [structs, aliases, enums, instantiations, globals].flatMap((list: readonly Node[]) =>
    list.map(({ start, end }) => text.slice(start, end)),
  );
}

function digestOf(parts: readonly string[]): string {
  return hashText(parts.join('\u0001')).toString(36);
}

/** A function, and what is included, knows what macros made of it, a declaration only its text. */
function hasMacrosInDeclarations({ main, files }: TranslationUnit): boolean {
  const names = new Set(files.flatMap((file) => file.macros.map(({ name }) => name)));
  return declarationsOf(main).some((text) => text.match(/[A-Za-z_]\w*/g)?.some((word) => names.has(word)) === true);
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
  readonly isWhole: boolean;
  readonly hostsAbout: Map<string, string>;
}

/** Shared results of a unit: its launches are queried first, then the facts of its files. */
type Surveyed = Omit<Analysis, 'launches' | 'isWhole' | 'hostsAbout'>;
const survey = once((unit: TranslationUnit): Surveyed => {
  const program = createProgram(unit);
  const types = createTypeTable(program);
  const compiler = createCompiler(program, types);
  const { main, files } = unit;
  const macros = digestOf(files.map(macrosOf));
  const constant = main.functions.filter((fn) => fn.constexpr).map((fn) => fn.key);
  const included = files.flatMap((file) => (file === main ? [] : interfaceOf(file)));
  const declarations = digestOf([main.uri, ...declarationsOf(main), ...constant, ...included]);
  const declared = `${declarations} ${hasMacrosInDeclarations(unit) ? macros : ''}`;
  const functions = main.functions.map((fn) => `${fn.qualifiedName}/${fn.params.length}`);
  const surroundings = `${declared} ${macros} ${digestOf(functions)}`;
  return { program, types, compiler, declared, surroundings, locate: createLocator(program) };
});

function prepare(
  unit: TranslationUnit,
  { gpu, program: calling = unit }: AnalysisOptions,
  cache: AnalysisCache | undefined,
): Analysis {
  const surveyed = survey(unit);
  const { program, types, compiler, surroundings, locate } = surveyed;
  const hosts: string[] = [];
  for (const fn of unit.main.functions) if (fn.body && fn.host && !fn.global) hosts.push(fn.key);
  const key = `${gpu.name},${digestOf([...hosts, includedHosts(unit)])}`;
  const known = cache?.entries.get('launches') as CachedLaunches | undefined;
  const same = known?.surroundings === surroundings && known.hosts.startsWith(`${gpu.name},`);
  const { found, runs, isWhole, about } =
    same && known.hosts === key
      ? known
      : {
          ...findLaunches(program, types, gpu, compiler, same ? known.runs : undefined, locate.knows),
          about: new Map<string, string>(),
        };
  cache?.entries.set('launches', { surroundings, hosts: key, found, runs, isWhole, about } satisfies CachedLaunches);
  // A launch that was kept may have moved with its function.
  const hostLoopsOf = createHostLoops(survey(calling));
  const launches = found.map(({ record, configuration }) => ({
    record,
    configuration: {
      ...configuration,
      at: locate.span(record.fn, record.node),
      hostLoops: hostLoopsOf(record.fn, record.node),
    },
  }));
  return { ...surveyed, launches, isWhole, hostsAbout: about };
}

/** The launches that the host code of a unit makes, for the index of a workspace. Never throws. */
export function collectLaunches(
  unit: TranslationUnit,
  options: AnalysisOptions,
  cache?: AnalysisCache,
): ReadonlyMap<string, readonly LaunchConfiguration[]> {
  const byName = new Map<string, LaunchConfiguration[]>();
  try {
    for (const { configuration } of prepare(unit, options, cache).launches)
      append(byName, configuration.kernelName, configuration);
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
 * Never throws. What was computed of an unchanged function under unchanged surroundings is taken from `cache`.
 */
export function analyse(
  unit: TranslationUnit,
  options: AnalysisOptions,
  cache?: AnalysisCache,
  uri: string = unit.main.uri,
): Model {
  const notes: Reason[] = [];
  const hadFacts = [...(cache?.entries.keys() ?? [])].some((key) => key !== 'launches');
  let [isWhole, runnable] = [true, undefined as Runnable | undefined];
  let left = options.mostSteps ?? mostSteps;
  const mostOfPart = left / 2;
  const part = (work: () => void): void => {
    const done = withinSteps(Math.min(left, mostOfPart), work);
    left -= done.steps;
    isWhole &&= done.isWhole;
  };
  const found = new Map<FactKind, Fact[]>();
  const add = (kind: FactKind, find: () => Iterable<Fact | undefined>): void => {
    let known = found.get(kind);
    if (!known) found.set(kind, (known = []));
    for (const fact of foundBy(find)) if (fact) known.push(fact);
  };
  try {
    const analysis = prepare(unit, options, cache);
    const { launches, locate, program, types, surroundings } = analysis;
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
    isWhole = analysis.isWhole;
    const launchesTo = (fn: FunctionDecl): readonly LaunchConfiguration[] =>
      [
        ...(launchesHere.get(fn.name) ?? []),
        ...(options.launchesElsewhere?.get(fn.name) ?? []).map((launch) =>
          inUnit.has(launch.at.uri) ? launch : withoutLambdas(launch),
        ),
      ].filter((launch) => mayStart(launch, fn, kernelsNamed(program, fn.name)));
    runnable = { ...analysis, gpu: options.gpu, main: unit.main, file: own, launchesOf: launchesTo };
    const runOf = (fn: FunctionDecl): void => {
      if (!fn.global || !fn.body) return;
      // A kernel in a header says nothing about the main file; kernels of all files may reach device functions of a
      // header.
      const isOwn = fn.uri === uri || reachesOthers;
      for (const { body, launches: its } of byBody(fn, launchesTo(fn), program)) {
        // … but the body that it is given may be of this file.
        if (!isOwn && body?.uri !== uri) continue;
        const run = runCached(fn, body, its, analysis, options, cache, live, budgetAfter(spent));
        spent += run.spent;
        runs.push(run);
        launchesOf.set(run, its);
      }
    };
    part(() => functionsWith(unit, ['__global__']).forEach(runOf));
    // A header's kernels are launched by the source that it is seen in: that one's launches are at hand.
    const elsewhere = (kernel: string): boolean =>
      options.launchesElsewhere?.get(kernel)?.some(({ at }) => !inUnit.has(at.uri)) ?? false;
    const hostsAbout = createHostsAbout(program, analysis.hostsAbout);
    const kept = [hostsAbout, cache?.entries, live] as const;
    const patterns = createPatterns(program, types, runs, locate, surroundings, elsewhere, ...kept);
    const seen: RunContext = { uri, program, locate };
    const keptAs = once((run: KernelRun) => {
      const key = `kernel:${uri}\n${ofBody(run.body)}${run.kernel.uri}\n${run.kernel.key}`;
      live.add(key).add(`${key}@fixes`).add(`${key}@work`);
      const involved = [...run.functions].flatMap((each) => locate.withKey(each));
      if (run.body) involved.push(locate.current(run.body));
      return { key, involved, under: [run, surroundings, ...involved.map(patterns.under)] };
    });
    const addFactsOf = (run: KernelRun): void => {
      const { key, involved, under } = keptAs(run);
      const own = keptFacts(cache?.entries, key, under, involved, () =>
        runKinds.map((kind) => foundBy(() => kind.find?.(run, seen) ?? [])),
      );
      // A fix may change the launches too: it depends on the code that makes them.
      const about = hostsAbout(new Set([run.kernel.name, ...involved.flatMap(patterns.kernelsOf)]));
      const underHosts = [...under, about, elsewhere(run.kernel.name)];
      const completed = keptFacts(cache?.entries, `${key}@fixes`, underHosts, involved, () =>
        runKinds.map((kind, at) => foundBy(() => kind.complete?.(run, own[at]!, seen, patterns) ?? [])),
      );
      runKinds.forEach(({ kind, find }, at) => {
        const more = completed[at] as readonly (Fact | undefined)[];
        add(kind, () =>
          find
            ? own[at]!.map((fact, each) =>
                fact && more[each] ? identified({ ...fact, ...more[each] } as Fact, fact) : fact,
              )
            : more,
        );
      });
    };
    const { deviceDebug } = options;
    const workOf = (run: KernelRun): readonly Work[] => {
      const { key, involved, under } = keptAs(run);
      const decl = locate.current(run.body ?? run.kernel);
      return keptFacts(cache?.entries, `${key}@work`, under, involved, () => workOfThread(decl, { program, types }));
    };
    const file: FileContext = { ...seen, runs, launchesOf, launches, types, workOf, fixes: patterns, deviceDebug };
    for (const { kind, find } of fileKinds) part(() => add(kind, () => find(file)));
    part(() => runs.forEach(addFactsOf));
    for (const run of runs)
      if (run.failure !== undefined)
        notes.push({
          at: nameOf(run, locate, uri),
          text: `The analysis of ${run.kernel.name} stopped: ${run.failure instanceof Error ? run.failure.message : String(run.failure)}.`,
        });
    const { functions } = unit.files.find((each) => each.uri === uri) ?? unit.main;
    const launched = runs.flatMap(({ body }) => (body?.enclosing && body.uri === uri ? [body] : []));
    // Those that libraries launch have no run.
    const lambdas = new Map([...functions.flatMap(deviceLambdasOf), ...launched].map((fn) => [fn.key, fn])).values();
    const addFactsIn = (fn: FunctionDecl): void => {
      if (fn.body) for (const kind of functionKinds) add(kind.kind, () => patterns.factsOf(kind, fn));
    };
    part(() => [...functions, ...lambdas].forEach(addFactsIn));
    // Another file of the unit may be asked for next; of this one all that counts is alive.
    const isOfOther = (key: string): boolean => !key.slice(key.indexOf(':') + 1).startsWith(`${uri}\n`);
    const isStill = (key: string): boolean => locate.knows(key.slice(key.lastIndexOf('\n') + 1).replace(/@.*/, ''));
    if (cache)
      for (const key of cache.entries.keys())
        if (/^(run|facts|kernel|launch):/.test(key) && !live.has(key) && !(isOfOther(key) && isStill(key)))
          cache.entries.delete(key);
  } catch (error) {
    isWhole &&= !(error instanceof TooManySteps);
    notes.push({
      at: { uri, start: 0, end: 0 },
      text: `The analysis stopped: ${error instanceof Error ? error.message : String(error)}.`,
    });
  }
  if (!isWhole && cache) {
    // What was kept changes where the steps end: the facts are found again, as they are without a cache.
    cache.entries.clear();
    forgetAnswers();
    if (hadFacts) return analyse(unit, options, cache, uri);
  }
  const { notes: accNotes, ...accFacts } = directiveFacts(unit, options, uri);
  const facts: Partial<Record<FactKind, readonly Fact[]>> = {};
  for (const { kind, merge } of [...fileKinds, ...runKinds, ...functionKinds]) {
    const here = (found.get(kind) ?? []).filter(({ at }) => at.uri === uri);
    facts[kind] = merge ? merge(here, unit) : here;
  }
  const excess = [uri === unit.main.uri ? unit.excess : unit.excessOfSource, isWhole ? undefined : tooLong]
    .filter(Boolean)
    .join(' ');
  const model = {
    uri,
    version: unit.main.version,
    ...(excess ? { excess } : {}),
    notes: [...notes, ...accNotes],
    marks: marksOfUnit(unit, uri),
    facts: { ...noFacts, ...(facts as Partial<Model['facts']>), ...accFacts },
  };
  return keepRunnable(model, runnable);
}

/** Twice of what the largest programs take (S3D, hexciton). A part takes half at most: the others find something. */
const mostSteps = 12_000_000;
const tooLong = 'Warplens analysed only a part of this file: the whole takes too long.';

type Fact = Facts[FactKind];

/** The name of a run's kernel, where that is in the file at hand. */
function nameOf({ kernel }: KernelRun, locate: Locator, uri: string): Span {
  const { base, nameStart, name, uri: its } = locate.current(kernel);
  const start = its === uri ? base + nameStart : 0;
  return { uri, start, end: its === uri ? start + name.length : 0 };
}

/** The facts of a Fortran file: those of its directives. `others` are files whose modules it uses. Never throws. */
export function analyseFortran(file: ProcedureFile, others: readonly ProcedureFile[], options: AnalysisOptions): Model {
  const { notes, ...accFacts } = analyseDirectives(file, others, options);
  return {
    uri: file.uri,
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
  const bodies = new Map<string, FunctionDecl | undefined>();
  const groups = new Map<string, LaunchConfiguration[]>(launches.length === 0 ? [['', []]] : []);
  for (const launch of launches) {
    const body = bodyOf(launch, kernel, program);
    bodies.set(ofBody(body), body);
    append(groups, ofBody(body), launch);
  }
  return [...groups].map(([key, started]) => ({ body: bodies.get(key), launches: started }));
}

/** A launch of another unit: what it captures is not in this one. */
function withoutLambdas({ passed: _, ...launch }: LaunchConfiguration): LaunchConfiguration {
  return launch;
}

/** The launches of a unit by the name of their kernel, as it is written and without its scope. */
function launchesByName(launches: readonly FoundLaunch[]): ReadonlyMap<string, readonly LaunchConfiguration[]> {
  const byName = new Map<string, LaunchConfiguration[]>();
  for (const { configuration } of launches)
    for (const name of new Set([configuration.kernelName, lastPart(configuration.kernelName)]))
      append(byName, name, configuration);
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
  // The functions of a name, each as it is written.
  const meaningOf = (name: string): string => String(program.functions(name).map((fn) => fn.key));
  const launchKey = `${options.gpu.name}|${budget}|${launches.map((launch) => launch.key).join('|')}`;
  const key = `run:${ofBody(body)}${fn.uri}\n${fn.key}`;
  live.add(key);
  const known = cache?.entries.get(key) as CachedRun | undefined;
  if (
    known &&
    known.launches === launchKey &&
    known.declared === analysis.declared &&
    known.functions.every((each) => analysis.locate.knows(each)) &&
    [...known.asked].every(([name, meant]) => meaningOf(name) === meant)
  ) {
    step(known.steps);
    return known.run;
  }
  const { value: run, steps } = counted(() =>
    runKernel(program, types, options.gpu, analysis.compiler, fn, body, launches, budget),
  );
  const asked = new Map([...run.asked].map((name) => [name, meaningOf(name)]));
  cache?.entries.set(key, {
    declared: analysis.declared,
    asked,
    launches: launchKey,
    functions: [...run.functions],
    run,
    steps,
  } satisfies CachedRun);
  return run;
}
