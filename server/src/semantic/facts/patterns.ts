// Brings the pattern finders and the runs together: which function is looked at under which launches, and what is kept
// between versions.
import { foundBy } from '../steps';
import type { FunctionDecl } from '../../syntax/ast';
import type { Locator } from '../run';
import type { FixFacts, KernelRun, LaunchFixes } from '../kernels';
import { keptFacts } from './kept';
import type { FunctionKind, Keys } from './kinds';
import type { FactKind, Facts } from '../model';
import { apartLoopOf, attempt, type KernelFacts, kernelFacts, launchShapeOf } from '../fixes';
import { createFixFacts } from './fixes';
import {
  once,
  append,
  callSitesOf,
  type BlockShape,
  Fn,
  typesWithin,
  lastPart,
  type Program,
  type TypeTable,
} from '../language';

interface Patterns extends FixFacts, LaunchFixes {
  /** What is seen of a function beside its text: where it is the same, so are the facts of an unchanged function. */
  under(fn: FunctionDecl): string;
  /** Names of the kernels that reach a function. */
  kernelsOf(fn: FunctionDecl): readonly string[];
  /** The facts of a kind that a function's text has. */
  factsOf<K extends FactKind>(kind: FunctionKind<K>, fn: FunctionDecl): readonly Facts[K][];
}

const noKeys: Keys = { functions: [], texts: [] };
const shapesOfRun = once((_: KernelRun) => new Map<number | undefined, KernelFacts>());

/** `runs` of all kernels of the unit; `entries` keeps facts while a function and its `surroundings` stay. */
export function createPatterns(
  program: Program,
  types: TypeTable,
  runs: readonly KernelRun[],
  locate: Locator,
  surroundings: string,
  launchedElsewhere: (kernel: string) => boolean,
  hostsAbout: (kernels: ReadonlySet<string>) => string,
  entries: Map<string, unknown> | undefined,
  live: Set<string>,
): Patterns {
  const contexts = new Map<FunctionDecl, Fn | undefined>();
  // A file may have thousands of kernels: what serves a function, or a launch, is not looked for among all of them.
  const ofKernel = new Map<string, KernelRun[]>();
  const ofName = new Map<string, KernelRun[]>();
  const reaching = new Map<string, KernelRun[]>();
  for (const run of runs) {
    append(ofKernel, `${run.kernel.uri}\n${run.kernel.key}`, run);
    append(ofName, run.kernel.name, run);
    for (const key of run.functions) append(reaching, key, run);
    if (run.body?.enclosing) append(reaching, run.body.key, run);
  }

  function contextOf(given: FunctionDecl): Fn | undefined {
    const fn = locate.current(given);
    if (contexts.has(fn)) return contexts.get(fn);
    const file = locate.file(fn);
    let context: Fn | undefined;
    if (file) {
      const serving = (fn.global ? ofKernel.get(`${fn.uri}\n${fn.key}`) : reaching.get(fn.key)) ?? [];
      const blockShapes: BlockShape[] = [];
      const launchValues: ReadonlyMap<string, number>[] = [];
      const launchTypes: ReadonlyMap<string, string>[] = [];
      const instanceTypes: ReadonlyMap<string, string>[] = [];
      for (const run of serving)
        run.shapes.forEach((shape, at) => {
          if (fn.global) instanceTypes.push(run.types[at] ?? new Map());
          if (shape.assumed) return;
          blockShapes.push(shape.block);
          launchValues.push(fn.global ? (run.values[at] ?? new Map()) : new Map());
          launchTypes.push(fn.global ? (run.types[at] ?? new Map()) : new Map());
        });
      context = new Fn(program.unit, file, fn, {
        program,
        types: typesWithin(fn, types, instanceTypes),
        kernels: [...new Set(serving.map((run) => run.kernel.name))],
        blockShapes,
        allShapesKnown: serving.every((run) => run.allShapesKnown),
        launchValues,
        launchTypes,
        instanceTypes,
        ...(fn.global || !fn.device || fn.enclosing ? {} : { callSites: callSitesOf(program.unit, fn, 'device') }),
      });
    }
    contexts.set(fn, context);
    return context;
  }

  /** All beside the function's text that the finders see of it. */
  const underOf = once((context: Fn): string =>
    JSON.stringify([
      context.blockShapes,
      context.allShapesKnown,
      context.kernels,
      context.launchValues?.map((each) => [...each]),
      context.launchTypes?.map((each) => [...each]),
      context.instanceTypes?.map((each) => [...each]),
      context.callSites?.map((site) => [site.caller.key]),
    ]),
  );

  /** What a kernel makes of its block's shape, kept with its run: that is the same while all that it calls is. */
  const factsOfKernel: typeof kernelFacts = (site, context, threads) => {
    const kernel = site.kernel!;
    const [run] = ofKernel.get(`${kernel.uri}\n${kernel.key}`) ?? [];
    const { callee } = site.launch;
    // What its template is given is computed where it is launched.
    if (!run || callee.kind !== 'name' || kernel.templateParams?.length) return kernelFacts(site, context, threads);
    const known = shapesOfRun(run);
    let facts = known.get(threads);
    if (!facts) known.set(threads, (facts = kernelFacts(site, context, threads)));
    return facts;
  };

  return {
    ...createFixFacts(contextOf, launchedElsewhere),

    under(fn) {
      const context = contextOf(fn);
      return context ? underOf(context) : '';
    },
    kernelsOf: (fn) => contextOf(fn)?.kernels ?? [],

    factsOf(kind, fn) {
      const context = contextOf(fn);
      const keys = !kind.keys ? noKeys : context && attempt(() => kind.keys!(context));
      if (!context || !keys) return [];
      const key = `facts:${fn.uri}\n${fn.key}@${kind.kind}`;
      live.add(key);
      const under = [surroundings, underOf(context), ...keys.texts];
      const functions = [context.decl, ...keys.functions];
      const find = (): ReturnType<typeof kind.find> => kind.find(context);
      return keptFacts(entries, key, under, functions, () => attempt(() => foundBy(find)) ?? []);
    },

    ofLaunch(record, threads) {
      const context = contextOf(record.fn);
      const node = record.node;
      if (!context || node.kind !== 'launch') return undefined;
      const kernelName = lastPart(record.kernelName);
      const elsewhere = launchedElsewhere(kernelName);
      const find = (): ReturnType<LaunchFixes['ofLaunch']> =>
        attempt(() => {
          const shape = launchShapeOf(context, node, threads, elsewhere, factsOfKernel);
          const apartLoop = apartLoopOf(context, node);
          return apartLoop ? { ...shape, apartLoop } : shape;
        });
      // A run that is as it was stands for its kernel and all that it calls, which its other shapes may edit.
      const serving = ofName.get(kernelName) ?? [];
      if (serving.length === 0) return find();
      const key = `launch:${context.decl.uri}\n${context.decl.key}@${node.start}:${threads}`;
      live.add(key);
      const under = [surroundings, underOf(context), elsewhere, hostsAbout(new Set([kernelName])), ...serving];
      const functions = [context.decl, ...serving.flatMap((run) => [...run.functions].flatMap(locate.withKey))];
      return keptFacts(entries, key, under, functions, () => ({ found: find() })).found;
    },
  };
}
