// Brings the pattern finders and the runs together: which function is looked at under which launches, and what is kept
// between versions.
import type { ForStmt, FunctionDecl, IfStmt, Node, VarDecl, WhileStmt } from '../../syntax/ast';
import type { Locator } from '../run';
import type { AccessSummary, FixFacts, KernelRun, LaunchFixes } from '../kernels';
import { keptFacts } from './kept';
import { attempt, type FunctionKind, type Keys, once } from './kinds';
import type { AccessFact, FactKind, Facts, Refusal } from '../model';
import {
  alignedStructOf,
  assignsOne,
  warpSplitOf,
  chunkLoopOf,
  dividedGuardOf,
  type KernelFacts,
  kernelFacts,
  launchShapeOf,
  blockRowsOf,
  rowWarpsOf,
  registerSumOf,
  structArraysOf,
  swapAxesOf,
  tileLayoutOf,
  type SharedSample,
  unrolledCost,
  walksByElement,
  transposeTileOf,
  nativeAtomicOf,
  warpAtomicOf,
  sharedIterationsOf,
  wideStoreLoopOf,
  wideBlocksOf,
  wideStoresOf,
} from '../rewrites';
import {
  collectCallSites,
  createFunctionContext,
  type BlockShape,
  type FunctionContext,
  distinctPlaces,
  typesWithin,
  lastPart,
  type Program,
  type TypeTable,
} from '../language';
import { blockAtomicOf } from '../reductions';

export interface Patterns extends FixFacts, LaunchFixes {
  /** What is seen of a function beside its text: where it is the same, so are the facts of an unchanged function. */
  under(fn: FunctionDecl): string;
  /** Names of the kernels that reach a function. */
  kernelsOf(fn: FunctionDecl): readonly string[];
  /** The facts of a kind that a function's text has. */
  factsOf<K extends FactKind>(kind: FunctionKind<K>, fn: FunctionDecl): readonly Facts[K][];
}

const noKeys: Keys = { functions: [], texts: [] };
const shapesOfRuns = new WeakMap<KernelRun, Map<number | undefined, KernelFacts>>();

/** What was found of a function, and whether other files were said to launch its kernel. */
type ByContext<T> = Map<FunctionContext, { readonly elsewhere: boolean; readonly found: T | undefined }>;

const rowCauses: ReadonlySet<AccessFact['cause']> = new Set([
  'row-per-thread',
  'stride',
  'slow-axis',
  'other',
  undefined,
]);

/**
 * `runs` are those of all kernels of the unit that were run; `entries` keeps facts between versions while a function
 * and its `surroundings` stay.
 */
export function createPatterns(
  program: Program,
  types: TypeTable,
  runs: readonly KernelRun[],
  locate: Locator,
  surroundings: string,
  launchedElsewhere: (kernel: string) => boolean,
  entries: Map<string, unknown> | undefined,
  live: Set<string>,
): Patterns {
  const contexts = new Map<FunctionDecl, FunctionContext | undefined>();
  // A file may have thousands of kernels: what serves a function, or a launch, is not looked for among all of them.
  const ofKernel = new Map<string, KernelRun[]>();
  const ofName = new Map<string, KernelRun[]>();
  const reaching = new Map<string, KernelRun[]>();
  const add = (to: Map<string, KernelRun[]>, key: string, run: KernelRun): void => {
    const others = to.get(key);
    if (others) others.push(run);
    else to.set(key, [run]);
  };
  for (const run of runs) {
    add(ofKernel, `${run.kernel.uri}\n${run.kernel.key}`, run);
    add(ofName, run.kernel.name, run);
    for (const key of run.functions) add(reaching, key, run);
    if (run.body?.enclosing) add(reaching, run.body.key, run);
  }

  // What is said of a kernel as a whole is not found again for each of its accesses.
  const swaps: ByContext<ReturnType<typeof swapAxesOf>> = new Map();
  const wider: ByContext<ReturnType<typeof wideBlocksOf>> = new Map();
  const crossings: ByContext<ReturnType<typeof transposeTileOf>> = new Map();
  function onceForEach<T>(
    kept: ByContext<T>,
    context: FunctionContext,
    elsewhere: boolean,
    find: (context: FunctionContext, elsewhere: boolean) => T,
  ): T | undefined {
    const known = kept.get(context);
    if (known?.elsewhere === elsewhere) return known.found;
    const found = attempt(() => find(context, elsewhere));
    kept.set(context, { elsewhere, found });
    return found;
  }

  function contextOf(given: FunctionDecl): FunctionContext | undefined {
    const fn = locate.current(given);
    if (contexts.has(fn)) return contexts.get(fn);
    const file = locate.file(fn);
    let context: FunctionContext | undefined;
    if (file) {
      const serving = (fn.global ? ofKernel.get(`${fn.uri}\n${fn.key}`) : reaching.get(fn.key)) ?? [];
      const blockShapes: BlockShape[] = [];
      const launchValues: ReadonlyMap<string, number>[] = [];
      const launchTypes: ReadonlyMap<string, string>[] = [];
      for (const run of serving)
        run.shapes.forEach((shape, at) => {
          if (shape.assumed) return;
          blockShapes.push(shape.block);
          launchValues.push(fn.global ? (run.values[at] ?? new Map()) : new Map());
          launchTypes.push(fn.global ? (run.types[at] ?? new Map()) : new Map());
        });
      context = createFunctionContext(program.unit, file, fn, {
        program,
        types: typesWithin(fn, types, launchTypes),
        kernels: [...new Set(serving.map((run) => run.kernel.name))],
        blockShapes,
        allShapesKnown: serving.every((run) => run.allShapesKnown),
        launchValues,
        launchTypes,
        ...(fn.global || !fn.device || fn.enclosing ? {} : { callSites: collectCallSites(program.unit, fn) }),
      });
    }
    contexts.set(fn, context);
    return context;
  }

  /** All beside the function's text that the finders see of it. */
  const underOf = once((context: FunctionContext): string =>
    JSON.stringify([
      context.blockShapes,
      context.allShapesKnown,
      context.kernels,
      context.launchValues?.map((each) => [...each]),
      context.launchTypes?.map((each) => [...each]),
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
    let known = shapesOfRuns.get(run);
    if (!known) shapesOfRuns.set(run, (known = new Map()));
    let facts = known.get(threads);
    if (!facts) known.set(threads, (facts = kernelFacts(site, context, threads)));
    return facts;
  };

  const sharedAccesses = new Map<KernelRun, Map<Node, Map<AccessSummary, readonly SharedSample[]>>>();

  /** What was sampled of each access of a run to an array in shared memory. */
  /** All samples of an array, made once: each of its accesses is compared with those of the others. */
  const samplesOf = new WeakMap<object, readonly (readonly SharedSample[])[]>();
  function samplesIn(
    accesses: ReadonlyMap<AccessSummary, readonly SharedSample[]>,
  ): readonly (readonly SharedSample[])[] {
    let all = samplesOf.get(accesses);
    if (!all) samplesOf.set(accesses, (all = [...accesses.values()]));
    return all;
  }

  function accessesTo(run: KernelRun, declaration: VarDecl): ReadonlyMap<AccessSummary, readonly SharedSample[]> {
    let ofRun = sharedAccesses.get(run);
    if (!ofRun) {
      ofRun = new Map();
      sharedAccesses.set(run, ofRun);
      for (const summary of run.accesses) {
        const { record } = summary;
        const { base, bytes, sample, mergedBytes } = record;
        const node = base.declaration?.node;
        if (!node) continue;
        const known = ofRun.get(node) ?? new Map<AccessSummary, readonly SharedSample[]>();
        ofRun.set(node, known);
        const context = sample && record.mode === 'load' && record.expr ? contextOf(record.fn) : undefined;
        const walks = context && attempt(() => walksByElement(record.expr!, context));
        known.set(
          summary,
          sample
            ? [
                {
                  offsets: sample.addresses,
                  lanes: sample.lanes,
                  count: sample.count,
                  bytes: Math.max(bytes, mergedBytes),
                  scalarBytes: bytes,
                  weight: summary.sums.warps,
                  ...(walks ? { walks } : {}),
                },
              ]
            : [],
        );
      }
    }
    return ofRun.get(declaration) ?? new Map();
  }

  return {
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
      const functions = [context.fn, ...keys.functions];
      return keptFacts(entries, key, under, functions, () => attempt(() => kind.find(context)) ?? []);
    },

    ofAccess(fact, summary, run) {
      const { record } = summary;
      const context = contextOf(record.fn);
      if (!context) return {};
      const { expr } = record;
      if (fact.atomic && expr) {
        const isUniform = fact.addresses === 1 && !fact.atomic.used;
        const places = fact.atomic.everywhere ? 1 : attempt(() => distinctPlaces(expr, context));
        const native = fact.atomic.name.startsWith('atomicCAS') && attempt(() => nativeAtomicOf(context, expr));
        const once = !native && isUniform ? attempt(() => warpAtomicOf(context, expr)) : undefined;
        const elsewhere = launchedElsewhere(run.kernel.name);
        const isOne = once && places === 1 && record.space === 'global';
        const together = isOne ? attempt(() => blockAtomicOf(context, expr, elsewhere)) : undefined;
        const refusals = [once, together].filter((one): one is Refusal => !!one && 'why' in one);
        return {
          ...(places === undefined ? {} : { places }),
          ...(refusals.length > 0 ? { refusals } : {}),
          ...native,
          ...(once && 'edits' in once ? { warpAtomic: once } : {}),
          ...(together && 'edits' in together ? { blockAtomic: together } : {}),
        };
      }
      const kept = fact.accumulates && record.expr ? record.loops.slice(0, fact.accumulates.loops) : [];
      const sum = kept.length
        ? attempt(() =>
            registerSumOf(
              context,
              record.expr!,
              kept.map(({ stmt }) => stmt),
            ),
          )
        : undefined;
      if (record.space === 'shared') {
        const declaration = record.base.declaration?.node as VarDecl | undefined;
        if (declaration?.kind !== 'var' || record.base.declaration?.fn?.key !== record.fn.key) return {};
        const accesses = accessesTo(run, declaration);
        const elsewhere = launchedElsewhere(run.kernel.name);
        const own = accesses.get(summary) ?? [];
        const others = samplesIn(accesses).filter((samples) => samples !== own);
        const known = fact.unknownStride === undefined ? own : [];
        const tile = attempt(() => tileLayoutOf(context, declaration, known, others, elsewhere));
        const unrolled = own[0] && unrolledCost(own[0]);
        const refusals = [sum, tile].filter((one): one is Refusal => !!one && 'why' in one);
        return {
          ...(unrolled ? { unrolledRatio: unrolled.wavefronts / unrolled.ideal } : {}),
          ...(tile && 'edits' in tile ? { tile } : {}),
          ...(sum && 'edits' in sum ? { registerSum: sum } : {}),
          ...(refusals.length ? { refusals } : {}),
        };
      }
      if (record.space !== 'global') return {};
      const loop = record.loops.find(
        (each) => each.fn.key === record.fn.key && (each.stmt.kind === 'for' || each.stmt.kind === 'while'),
      )?.stmt as ForStmt | WhileStmt | undefined;
      const launches = run.shapes
        .filter((shape) => !shape.assumed)
        .map((shape, at) => ({
          ...(shape.grid.x === undefined ? {} : { gridX: shape.grid.x }),
          blockX: shape.block[0],
          ...(run.values[at] ? { values: run.values[at]! } : {}),
        }));
      const chunk = loop ? attempt(() => chunkLoopOf(context, loop, launches)) : undefined;
      const elsewhere = launchedElsewhere(run.kernel.name);
      const swap =
        fact.cause === 'slow-axis' || fact.cause === 'stride' || fact.cause === 'row-per-thread'
          ? onceForEach(swaps, context, elsewhere, swapAxesOf)
          : undefined;
      const rowWarps =
        record.expr && rowCauses.has(fact.cause) && !chunk?.independent && !(swap && 'edits' in swap)
          ? attempt(() => {
              const whole = rowWarpsOf(context, record.expr!, elsewhere);
              const stretch = 'edits' in whole || elsewhere ? undefined : blockRowsOf(context, record.expr!);
              return stretch ?? whole;
            })
          : undefined;
      const crossed =
        record.expr && (fact.cause === 'slow-axis' || fact.cause === 'stride') && !(swap && 'edits' in swap)
          ? onceForEach(crossings, context, elsewhere, transposeTileOf)
          : undefined;
      const kernel = fact.cause === 'narrow-block' ? contextOf(run.kernel) : undefined;
      const wideBlock = kernel && onceForEach(wider, kernel, elsewhere, wideBlocksOf);
      const { sectors, sectorsIdeal: ideal, activeLanes: lanes } = fact;
      const wide =
        record.expr && record.mode === 'store' && sectors && ideal
          ? attempt(() => {
              const cost = { sectors, ideal, lanes };
              return (
                wideStoresOf(context, record.expr!, cost, elsewhere) ??
                wideStoreLoopOf(context, record.expr!, cost, elsewhere)
              );
            })
          : undefined;
      const parted =
        fact.cause === 'struct-field' && record.expr && !elsewhere
          ? attempt(() => structArraysOf(context, record.expr!, launchedElsewhere))
          : undefined;
      const whole = fact.cause === 'vector-type' ? attempt(() => alignedStructOf(context, record.type)) : undefined;
      // A family came near where the kernel has what it is about: two axes, a thread for each row.
      const isPlane = run.shapes.some(({ block }) => block[1] > 1);
      const refusals = [
        sum,
        parted,
        whole,
        wide,
        wideBlock,
        isPlane ? swap : undefined,
        isPlane ? crossed : undefined,
        rowWarps,
      ].filter((one): one is Refusal => !!one && 'why' in one && !(isPlane && one.precondition === 'rows'));
      return {
        ...(chunk ? { chunk } : {}),
        ...(swap && 'edits' in swap ? { swap } : {}),
        ...(rowWarps && 'edits' in rowWarps ? { rowWarps } : {}),
        ...(crossed && 'edits' in crossed ? { transpose: crossed } : {}),
        ...(wideBlock && 'edits' in wideBlock ? { wideBlock } : {}),
        ...(wide && 'edits' in wide ? { wideStores: wide } : {}),
        ...(sum && 'edits' in sum ? { registerSum: sum } : {}),
        ...(parted && 'edits' in parted ? { structArrays: parted } : {}),
        ...(whole && 'edits' in whole ? { alignedStruct: whole } : {}),
        ...(refusals.length > 0 ? { refusals } : {}),
      };
    },

    ofBranch(fn, statement, fact) {
      const context = contextOf(fn);
      if (!context || statement.kind !== 'if' || fact.variance !== 'thread-varying') return {};
      const branch: IfStmt = statement;
      const warpSplit = fact.lanePattern ? attempt(() => warpSplitOf(context, branch)) : undefined;
      return { assignsOne: assignsOne(branch), ...(warpSplit ? { warpSplit } : {}) };
    },

    ofLoop(fn, loop) {
      const context = contextOf(fn);
      return context && attempt(() => sharedIterationsOf(context, loop));
    },

    ofBarrier(fn, cond) {
      const context = contextOf(fn);
      const divided = context && attempt(() => dividedGuardOf(context, cond));
      return !divided ? {} : 'edits' in divided ? { divided } : { refusals: [divided] };
    },

    ofLaunch(record, threads) {
      const context = contextOf(record.fn);
      const node = record.node;
      if (!context || node.kind !== 'launch') return undefined;
      const elsewhere = launchedElsewhere(lastPart(record.kernelName));
      const find = (): ReturnType<LaunchFixes['ofLaunch']> =>
        attempt(() => launchShapeOf(context, node, threads, elsewhere, factsOfKernel));
      // A run that is as it was stands for its kernel and all that it calls.
      const serving = ofName.get(lastPart(record.kernelName)) ?? [];
      if (serving.length === 0) return find();
      const key = `launch:${context.fn.uri}\n${context.fn.key}@${node.start}:${threads}`;
      live.add(key);
      const under = [surroundings, underOf(context), elsewhere, ...serving];
      return keptFacts(entries, key, under, [context.fn], () => ({
        found: find(),
      })).found;
    },
  };
}
