// The facts about gangs, workers and vector lanes: lengths against trip counts, single warps, missing levels, strides,
// small outer loops; with the edits that mend them.
import type { Clause, Directive, LoopStep, Place, ProcedureFile, Step } from '../../../syntax/procedures';
import type {
  AccBlockFact,
  AccCollapseFact,
  AccFix,
  AccLoopFact,
  AccMappingFact,
  AccStrideFact,
  AccTrips,
  AccVectorLengthFact,
  AccVectorLoop,
  AccWorkersFact,
} from '../model';
import type { CompilerRemark } from '../feedback/remark';
import type { Edit, Gpu, Span } from '../../model';
import { editAt, removeClause, removeLines } from './directiveEdits';
import { addToLoop, appendClauses, loopDirectiveAbove, setArgument, withArgument } from './mappingEdits';
import { firstTouch, independenceOf, mentions } from '../analysis/independence';
import {
  clauseNumber,
  isParallel,
  mappingOf,
  vectorLengthOf,
  type Levels,
  type Mapping,
  type VectorLength,
} from '../analysis/mapping';
import {
  forNvidia,
  loopsOf,
  outerLoops,
  regionsOf,
  withInner,
  type AccLoop,
  type ComputeRegion,
} from '../analysis/regions';
import { polynomialAt, variableAt, type Scope, type Sources } from '../analysis/scope';
import { slope } from '../analysis/polynomial';
import { effectsOf, walkSteps } from '../analysis/steps';
import { isContiguous, isFar, strideOver } from '../analysis/strides';
import { tripsOf, type TripBound } from '../analysis/trips';

export interface MappingFacts {
  readonly 'acc-loop': readonly AccLoopFact[];
  readonly 'acc-vector-length': readonly AccVectorLengthFact[];
  readonly 'acc-block': readonly AccBlockFact[];
  readonly 'acc-workers': readonly AccWorkersFact[];
  readonly 'acc-mapping': readonly AccMappingFact[];
  readonly 'acc-stride': readonly AccStrideFact[];
  readonly 'acc-collapse': readonly AccCollapseFact[];
}

export const noMappingFacts: MappingFacts = {
  'acc-loop': [],
  'acc-vector-length': [],
  'acc-block': [],
  'acc-workers': [],
  'acc-mapping': [],
  'acc-stride': [],
  'acc-collapse': [],
};

/**
 * What nvc and nvfortran take where nothing is said; measured on their logs, written down nowhere. GCC takes a warp.
 */
const assumedLength = 128;
const warp = 32;
const largestBlock = 1024;
const offeredWorkers = [4, 8, 16, 32];

interface Context {
  readonly file: ProcedureFile;
  readonly gpu: Gpu;
  readonly feedback: readonly CompilerRemark[];
  /** Some directive of the file speaks to one kind of device. */
  readonly severalDevices: boolean;
}

/** One kernel on the GPU: a parallel construct, or a nest of loops in a kernels construct. */
interface Kernel {
  readonly region: ComputeRegion;
  readonly loops: readonly AccLoop[];
  readonly mapping: Mapping;
  /** The vector length where nothing is said. */
  readonly usualLength: number;
}

export function mappingFacts(
  file: ProcedureFile,
  sources: Sources,
  {
    gpu,
    feedback = [],
    accCompiler,
  }: { readonly gpu: Gpu; readonly feedback?: readonly CompilerRemark[]; readonly accCompiler?: 'gcc' | 'nvhpc' },
): MappingFacts {
  const usualLength = accCompiler === 'gcc' ? warp : assumedLength;
  const context: Context = {
    file,
    gpu,
    feedback,
    severalDevices: file.directives.some((directive) =>
      directive.clauses.some(
        (clause) => clause.name === 'device_type' && clause.argument?.items.some((item) => item.text.trim() !== '*'),
      ),
    ),
  };
  const facts = {
    'acc-loop': [] as AccLoopFact[],
    'acc-vector-length': [] as AccVectorLengthFact[],
    'acc-block': [] as AccBlockFact[],
    'acc-workers': [] as AccWorkersFact[],
    'acc-mapping': [] as AccMappingFact[],
    'acc-stride': [] as AccStrideFact[],
    'acc-collapse': [] as AccCollapseFact[],
  };
  for (const scope of sources.scopes) {
    if (scope.file !== file) continue;
    for (const region of regionsOf(scope)) {
      const mapping = mappingOf(region, context.feedback);
      const kernels: Kernel[] =
        region.construct === 'parallel'
          ? [{ region, loops: loopsOf(region), mapping, usualLength }]
          : region.construct === 'kernels'
            ? region.roots.map((root) => ({ region, loops: withInner(root), mapping, usualLength }))
            : [];
      for (const kernel of kernels) {
        facts['acc-vector-length'].push(...lengthFacts(kernel, context));
        facts['acc-workers'].push(...workersFacts(kernel, context));
      }
      facts['acc-loop'].push(...loopFacts(region, mapping, usualLength, context));
      facts['acc-block'].push(...blockFacts(region, context));
      if (region.construct === 'serial') continue;
      const collapses = region.construct === 'routine' ? [] : collapseFacts(region, mapping, context);
      facts['acc-collapse'].push(...collapses);
      // Loops that had better be joined give their lanes to the joined loop: no directive may stand between them then.
      facts['acc-mapping'].push(
        ...levelFacts(region, mapping, context).filter(
          (fact) => !collapses.some((collapse) => collapse.at.start === fact.at.start),
        ),
      );
      facts['acc-stride'].push(...strideFacts(region, mapping, context));
    }
  }
  return facts;
}

function loopFacts(region: ComputeRegion, mapping: Mapping, usualLength: number, context: Context): AccLoopFact[] {
  return loopsOf(region).map((loop): AccLoopFact => {
    const { gang, worker, vector, seq, workers: told, tiled, ...rest } = mapping.get(loop) ?? {};
    const workersClause =
      (loop.clauses.get('worker')?.argument ? loop.clauses.get('worker') : undefined) ??
      region.clauses.get('num_workers');
    const vectorLength =
      vector && !tiled ? vectorLengthOf(loop, { gang, worker, vector, seq, ...rest }, usualLength).value : undefined;
    const workers = worker ? (told ?? (workersClause && clauseNumber(region, workersClause))) : undefined;
    const trips = factTrips(tripsOf(region.scope, loop.step));
    return {
      kind: 'acc-loop',
      at: span(context, loop.step.header),
      variable: loop.step.variable ?? '',
      construct: region.construct,
      regionAt: span(context, region.directive),
      procedure: region.scope.procedure.name,
      depth: outerLoops(loop).length,
      levels: {
        ...(gang ? { gang } : {}),
        ...(worker ? { worker } : {}),
        ...(vector ? { vector } : {}),
        ...(seq ? { seq } : {}),
      },
      joined: loop.joinedInto !== undefined,
      ...(vectorLength === undefined ? {} : { vectorLength }),
      ...(workers === undefined ? {} : { workers }),
      ...(trips ? { trips } : {}),
    };
  });
}

function span(context: Context, place: Place): Span {
  return { uri: context.file.uri, start: place.start, end: place.end };
}

function factTrips(bound: TripBound | undefined): AccTrips | undefined {
  return bound && { atMost: bound.atMost, exact: bound.exact, why: bound.why, ...(bound.at ? { at: bound.at } : {}) };
}

function only(edit: Edit | undefined): readonly Edit[] | undefined {
  return edit && [edit];
}

/** The edits of all parts, or nothing where one of them cannot be made. */
function together(...parts: readonly (readonly Edit[] | undefined)[]): readonly Edit[] | undefined {
  const edits: Edit[] = [];
  for (const part of parts) {
    if (!part) return undefined;
    edits.push(...part);
  }
  return edits;
}

function fixOf(title: string, edits: readonly Edit[] | undefined): AccFix | undefined {
  return edits && edits.length > 0 ? { title, edits } : undefined;
}

/** A fix for every device and one for NVIDIA's alone; the latter first where the file speaks to several. */
function forDevices(context: Context, make: (nvidiaOnly: boolean) => AccFix | undefined): AccFix[] {
  return (context.severalDevices ? [true, false] : [false, true]).map(make).filter((fix) => fix !== undefined);
}

const nvidiaSuffix = (nvidiaOnly: boolean): string => (nvidiaOnly ? ', for NVIDIA devices only' : '');

// ---- vector length -------------------------------------------------------------------------------------------------

/** Loops of a kernel that lanes share, those left out that `collapse` joins into another. */
function vectorLoopsOf({ loops, mapping }: Kernel): readonly AccLoop[] {
  return loops.filter((loop) => !loop.joinedInto && mapping.get(loop)?.vector !== undefined);
}

/** The turns that lanes share: the product over the loops that `collapse` joins. */
function sharedTrips(loop: AccLoop): TripBound | undefined {
  const own = tripsOf(loop.region.scope, loop.step);
  if (loop.joined === 1 || !own) return own;
  let product = own;
  let inner: AccLoop = loop;
  for (let depth = 1; depth < loop.joined; depth++) {
    const next = inner.children[0];
    const trips = next && tripsOf(next.region.scope, next.step);
    if (!next || !trips) return undefined;
    product = {
      ...product,
      atMost: product.atMost * trips.atMost,
      exact: product.exact && trips.exact,
      constant: product.constant && trips.constant,
    };
    inner = next;
  }
  return product;
}

interface LengthInForce extends VectorLength {
  readonly loops: readonly { readonly loop: AccLoop; readonly levels: Levels; readonly trips?: TripBound }[];
}

/** The length of a kernel's vectors; undefined where it has no vector loop or none is known. */
function lengthInForce(kernel: Kernel): LengthInForce | undefined {
  const loops = vectorLoopsOf(kernel).map((loop) => {
    const trips = sharedTrips(loop);
    return { loop, levels: kernel.mapping.get(loop)!, ...(trips ? { trips } : {}) };
  });
  if (loops.length === 0 || loops.some(({ levels }) => levels.tiled)) return undefined;
  // Trip counts that the compiler sees make it take a shorter vector by itself.
  const constant = loops.every(({ trips }) => trips?.constant)
    ? Math.max(warp, Math.ceil(Math.max(...loops.map(({ trips }) => trips!.atMost)) / warp) * warp)
    : kernel.usualLength;
  const lengths = loops.map(({ loop, levels }) => vectorLengthOf(loop, levels, Math.min(kernel.usualLength, constant)));
  const longest = lengths.reduce((a, b) =>
    (b.value ?? Number.POSITIVE_INFINITY) > (a.value ?? Number.POSITIVE_INFINITY) ? b : a,
  );
  return { ...longest, loops };
}

function lengthFacts(kernel: Kernel, context: Context): AccVectorLengthFact[] {
  const { region } = kernel;
  const construct = region.construct === 'parallel' ? 'parallel' : 'kernels';
  const force = lengthInForce(kernel);
  const facts: AccVectorLengthFact[] = [];
  const clauses = new Set(
    [region.clauses.get('vector_length'), ...kernel.loops.map((loop) => loop.clauses.get('vector'))].filter(
      (clause) => clause?.argument !== undefined,
    ),
  ) as Set<Clause>;
  for (const clause of clauses) {
    if (clause.name === 'vector_length' && construct === 'kernels' && kernel.loops[0] !== region.roots[0]) continue;
    // Vector numbers of loops inside one another are the sides of a tile.
    if (
      clause.name === 'vector' &&
      kernel.loops.some(
        (loop) =>
          loop.clauses.get('vector') === clause &&
          kernel.loops.some(
            (other) =>
              other !== loop &&
              other.clauses.has('vector') &&
              (outerLoops(other).includes(loop) || outerLoops(loop).includes(other)),
          ),
      )
    )
      continue;
    const value = clauseNumber(region, clause);
    const rounded =
      value === undefined || value < 2 ? undefined : Math.min(largestBlock, Math.ceil(value / warp) * warp);
    if (value === undefined || rounded === undefined || rounded === value) continue;
    const fix = fixOf(`Write ${clause.name}(${rounded})`, setArgument(region.scope, clause, String(rounded)));
    facts.push({
      kind: 'acc-vector-length',
      at: span(context, numberPlace(clause)),
      construct,
      length: value,
      origin: 'written',
      loops: [],
      fixes: [],
      ...(fix ? { rounded: { length: rounded, fix } } : {}),
    });
  }
  if (force?.value === undefined) return facts.length > 0 ? facts : perLaneFacts(kernel, context);
  if (facts.length > 0) return facts;
  // One loop for gangs and lanes has gangs to fill before lanes; workers beside the lanes fill them with other rows.
  if (force.loops.some(({ levels }) => levels.gang || levels.worker)) return perLaneFacts(kernel, context);
  const longest =
    force.loops.every(({ trips }) => trips) && !wantsLanes(kernel, force)
      ? Math.max(...force.loops.map(({ trips }) => trips!.atMost))
      : undefined;
  const needed = longest === undefined || longest < 1 ? undefined : Math.ceil(longest / warp) * warp;
  const at = force.clause && force.origin === 'written' ? numberPlace(force.clause) : force.loops[0]!.loop.step.header;
  facts.push({
    kind: 'acc-vector-length',
    at: span(context, at),
    construct,
    length: force.value,
    origin: force.origin,
    loops: force.loops.map(({ loop, trips }) => vectorLoop(loop, trips, context)),
    ...(needed === undefined ? {} : { needed }),
    fixes: needed === undefined || needed >= force.value ? [] : lengthFixes(kernel, force, needed, context),
  });
  return facts;
}

/**
 * Whether something else in a kernel may run on its lanes: a long loop that a compiler may give to them by itself, or a
 * routine with vector loops.
 */
function wantsLanes({ region, loops, mapping }: Kernel, force: LengthInForce): boolean {
  const { scope } = region;
  const related = (a: AccLoop, b: AccLoop): boolean =>
    a === b || outerLoops(a).includes(b) || outerLoops(b).includes(a);
  const open = (loop: AccLoop): boolean =>
    !loop.directive &&
    !loop.joinedInto &&
    !force.loops.some((one) => related(one.loop, loop)) &&
    isLong(scope, loop.step) &&
    independenceOf(scope, loop.step).proven;
  if (loops.some((loop) => mapping.get(loop)?.unsure || open(loop))) return true;
  const called = new Set(
    loops.flatMap((loop) => (loop.parent ? [] : effectsOf(loop.step.body).calls.map(({ call }) => call.name))),
  );
  return scope.sources.scopes.some(
    ({ procedure }) =>
      called.has(procedure.name) &&
      procedure.routine.some((directive) =>
        directive.clauses.some((clause) => ['gang', 'worker', 'vector'].includes(clause.name)),
      ),
  );
}

function vectorLoop(loop: AccLoop, trips: TripBound | undefined, context: Context): AccVectorLoop {
  const bound = factTrips(trips);
  return {
    at: span(context, loop.step.header),
    variable: loop.step.variable ?? '',
    ...(bound ? { trips: bound } : {}),
  };
}

function numberPlace(clause: Clause): Place {
  return clause.argument?.items.at(-1) ?? clause.argument?.inner ?? clause;
}

/** A compiler gave gangs and lanes to the outer loop, and each lane walks a short row by itself. */
function perLaneFacts(kernel: Kernel, context: Context): AccVectorLengthFact[] {
  const facts: AccVectorLengthFact[] = [];
  for (const loop of kernel.loops) {
    const outer = loop.parent && kernel.mapping.get(loop.parent),
      own = kernel.mapping.get(loop);
    if (
      outer?.vector !== 'feedback' ||
      !outer.gang ||
      own?.seq !== 'feedback' ||
      loop.children.length > 0 ||
      outer.vectorLength === undefined
    )
      continue;
    const trips = tripsOf(kernel.region.scope, loop.step);
    const needed = trips && Math.ceil(trips.atMost / warp) * warp;
    if (
      !trips ||
      needed === undefined ||
      trips.atMost < 8 ||
      needed >= outer.vectorLength ||
      !(loop.directive || independenceOf(kernel.region.scope, loop.step).proven)
    )
      continue;
    facts.push({
      kind: 'acc-vector-length',
      at: span(context, loop.step.header),
      construct: kernel.region.construct === 'parallel' ? 'parallel' : 'kernels',
      length: outer.vectorLength,
      origin: 'feedback',
      loops: [vectorLoop(loop, trips, context)],
      needed,
      innerSequential: true,
      fixes: lengthFixes(
        kernel,
        { origin: 'feedback', value: outer.vectorLength, loops: [{ loop, levels: {}, trips }] },
        needed,
        context,
      ),
    });
  }
  return facts;
}

/**
 * Sets the length the way the construct writes it: on a parallel construct as a whole, in a kernels construct on the
 * loop.
 */
function lengthFixes(kernel: Kernel, force: LengthInForce, needed: number, context: Context): readonly AccFix[] {
  const { region } = kernel;
  const { scope } = region;
  if (region.construct === 'kernels') {
    return withOneForAll(force.clause, context, (nvidiaOnly) =>
      fixOf(
        `Give ${listed(force.loops.map(({ loop }) => loop.step.variable ?? ''))} vector(${needed})${nvidiaSuffix(nvidiaOnly)}`,
        together(
          ...force.loops.map(({ loop }) => {
            const own = loop.clauses.get('vector');
            if (own && (!nvidiaOnly || forNvidia(own))) return withArgument(scope, own, String(needed));
            return addToLoop(scope, loop.step, loop.directive, `vector(${needed})`, nvidiaOnly);
          }),
        ),
      ),
    );
  }
  const named = (nvidiaOnly: boolean): (readonly Edit[] | undefined)[] =>
    force.loops
      .filter(({ loop }) => loop.directive !== region.directive && !hasLevel(loop))
      .map(({ loop }) => toLanes(loop, nvidiaOnly));
  const written = region.clauses.get('vector_length');
  return withOneForAll(written, context, (nvidiaOnly) =>
    fixOf(
      `Use vector_length(${needed})${nvidiaSuffix(nvidiaOnly)}`,
      written && (!nvidiaOnly || forNvidia(written))
        ? together(setArgument(scope, written, String(needed)), ...named(nvidiaOnly))
        : together(
            appendClauses(scope, region.directive, `vector_length(${needed})`, nvidiaOnly),
            ...named(nvidiaOnly),
          ),
    ),
  );
}

/**
 * One fix where a length is written, for NVIDIA alone or in a file that knows no other device; else one for all devices
 * and one for NVIDIA's.
 */
function withOneForAll(
  written: Clause | undefined,
  context: Context,
  make: (nvidiaOnly: boolean) => AccFix | undefined,
): AccFix[] {
  if (!written || (!forNvidia(written) && context.severalDevices)) return forDevices(context, make);
  const fix = make(forNvidia(written));
  return fix ? [{ ...fix, title: fix.title.replace(nvidiaSuffix(true), '') }] : [];
}

/**
 * Writes `vector` on a loop. One without a directive of a parallel construct needs the clauses that a compiler had
 * found for itself.
 */
function toLanes(loop: AccLoop, nvidiaOnly: boolean): readonly Edit[] | undefined {
  const { scope, construct } = loop.region;
  if (loop.directive || construct === 'kernels')
    return addToLoop(scope, loop.step, loop.directive, 'vector', nvidiaOnly);
  if (!independenceOf(scope, loop.step).proven) return undefined;
  return loopDirectiveAbove(
    scope,
    loop.step,
    [...ownClauses(scope, loop), nvidiaOnly ? 'device_type(nvidia) vector' : 'vector'].join(' '),
  );
}

function hasLevel(loop: AccLoop): boolean {
  return ['gang', 'worker', 'vector', 'seq'].some((name) => loop.clauses.has(name));
}

function listed(names: readonly string[]): string {
  return `the loop${names.length > 1 ? 's' : ''} over ${names.map((name) => `\`${name}\``).join(', ')}`;
}

// ---- size of a gang ------------------------------------------------------------------------------------------------

function blockFacts(region: ComputeRegion, context: Context): AccBlockFact[] {
  const facts: AccBlockFact[] = [];
  const nests: readonly (readonly AccLoop[])[] =
    region.construct === 'kernels' ? region.roots.map(withInner) : [loopsOf(region)];
  const seen = new Set<Clause>();
  for (const loops of nests.length > 0 ? nests : [[]]) {
    const workersClause =
      loops.map((loop) => loop.clauses.get('worker')).find((clause) => clause?.argument) ??
      region.clauses.get('num_workers');
    const vectorClause =
      loops.map((loop) => loop.clauses.get('vector')).find((clause) => clause?.argument) ??
      region.clauses.get('vector_length');
    const workers = workersClause && clauseNumber(region, workersClause),
      vectorLength = vectorClause && clauseNumber(region, vectorClause);
    if (
      !workersClause ||
      !vectorClause ||
      workers === undefined ||
      vectorLength === undefined ||
      workers < 1 ||
      vectorLength < 1 ||
      vectorLength > largestBlock ||
      workers * vectorLength <= largestBlock ||
      seen.has(workersClause)
    )
      continue;
    seen.add(workersClause);
    const most = Math.floor(largestBlock / vectorLength);
    const fix = fixOf(`Write ${workersClause.name}(${most})`, setArgument(region.scope, workersClause, String(most)));
    facts.push({
      kind: 'acc-block',
      at: span(context, numberPlace(workersClause)),
      workers,
      vectorLength,
      vectorAt: span(context, numberPlace(vectorClause)),
      ...(fix ? { clamped: { workers: most, fix } } : {}),
    });
  }
  return facts;
}

// ---- workers -------------------------------------------------------------------------------------------------------

function workersFacts(kernel: Kernel, context: Context): AccWorkersFact[] {
  const { region, loops, mapping } = kernel;
  const force = lengthInForce(kernel);
  // A length that only the compiler is thought to choose says nothing where it may choose another loop as well.
  if (force?.origin === 'assumed' && force.loops.some(({ levels }) => levels.vector !== 'written')) return [];
  if (
    force?.value !== warp ||
    region.clauses.has('num_workers') ||
    loops.some((loop) => mapping.get(loop)?.worker || loop.clauses.has('worker'))
  )
    return [];
  const facts: AccWorkersFact[] = [];
  const outers = new Set(
    force.loops.map(({ loop }) => outerLoops(loop).find((outer) => mapping.get(outer)?.gang !== undefined)),
  );
  if (outers.size !== 1 || outers.has(undefined)) return [];
  const gang = [...outers][0]!;
  // Every vector loop must stand directly in the gang's loop: with loops between, the gang has more to do than a row.
  if (
    gang.joinedInto ||
    force.loops.some(({ loop, levels }) => loop.parent !== gang || levels.gang) ||
    gang.joined > 1 ||
    gang.children.length !== force.loops.length
  )
    return [];
  if (loops.some((loop) => outerLoops(gang).includes(loop) && loop.directive)) return [];
  let statements = 0;
  let alone = true;
  walkSteps(gang.step.body, (step) => {
    if (step.kind !== 'block') statements++;
    if (step.kind === 'directive' || step.kind === 'region' || step.kind === 'other') alone = false;
  });
  if (!alone || gangPrivateArrays(gang)) return [];
  const trips = factTrips(tripsOf(region.scope, gang.step));
  const nvidiaOnly = force.clause ? forNvidia(force.clause) : false;
  const choices = offeredWorkers.flatMap((workers) => {
    const edits = workerEdits(kernel, gang, force, workers, nvidiaOnly);
    return edits
      ? [
          {
            workers,
            fix: {
              title: `Share the rows of a gang among ${workers} workers: ${region.construct === 'kernels' ? `gang worker(${workers})` : `gang worker num_workers(${workers})`}`,
              edits,
            },
          },
        ]
      : [];
  });
  facts.push({
    kind: 'acc-workers',
    at: span(context, gang.step.header),
    variable: gang.step.variable ?? '',
    vectorLength: force.value,
    origin: force.origin,
    statements,
    vectorLoops: force.loops.length,
    ...(force.clause ? { lengthAt: span(context, force.clause) } : {}),
    ...(trips ? { trips } : {}),
    choices,
  });
  return facts;
}

/** Arrays that each gang has to itself, which workers would share. */
function gangPrivateArrays(gang: AccLoop): boolean {
  const { scope } = gang.region;
  const named = [...gang.region.directive.clauses, ...(gang.directive?.clauses ?? [])]
    .filter((clause) => clause.name === 'private' || clause.name === 'firstprivate')
    .flatMap((clause) => clause.argument?.items ?? []);
  if (
    named.some((item) => item.variable !== undefined && variableAt(scope, item.variable, gang.step.start)?.dimensions)
  )
    return true;
  return scope.procedure.variables.some(
    (variable) =>
      variable.dimensions?.some((dimension) => dimension.extent) &&
      variable.scope &&
      variable.at.start > gang.step.start &&
      variable.at.start < gang.step.end,
  );
}

function workerEdits(
  kernel: Kernel,
  gang: AccLoop,
  force: LengthInForce,
  workers: number,
  nvidiaOnly: boolean,
): readonly Edit[] | undefined {
  const { region } = kernel;
  const { scope } = region;
  // A vector loop that nothing names would be free to become the workers' loop.
  const lanes = force.loops.filter(({ loop }) => !hasLevel(loop)).map(({ loop }) => toLanes(loop, nvidiaOnly));
  const gangClause = gang.clauses.get('gang');
  const levels = gangClause ? 'worker' : 'gang worker';
  if (region.construct === 'kernels')
    return together(addToLoop(scope, gang.step, gang.directive, `${levels}(${workers})`, nvidiaOnly), ...lanes);
  if (!gang.directive) return undefined;
  // Without it a scalar that each turn sets is one for all workers of a gang.
  // What only the vector loops touch is theirs.
  const lanesOnly = new Set(force.loops.map(({ loop }) => loop.step as Step));
  const outside = effectsOf(gang.step.body.filter((step) => !lanesOnly.has(step))).written;
  const privates = privatesOf(gang).filter(
    (name) => outside.has(name) && !dataNames(gang.directive!, region.directive).has(name),
  );
  const shared = privates.length > 0 ? `private(${privates.join(', ')})` : '';
  if (gang.directive === region.directive)
    return together(
      appended(scope, region.directive, shared, `${levels} num_workers(${workers})`, nvidiaOnly),
      ...lanes,
    );
  return together(
    appendClauses(scope, region.directive, `num_workers(${workers})`, nvidiaOnly),
    appended(scope, gang.directive, shared, levels, nvidiaOnly),
    ...lanes,
  );
}

/** Clauses for every device and clauses for the part that is asked for, in one edit where they meet. */
function appended(
  scope: Scope,
  directive: Directive,
  always: string,
  clauses: string,
  nvidiaOnly: boolean,
): readonly Edit[] | undefined {
  if (always === '') return appendClauses(scope, directive, clauses, nvidiaOnly);
  if (!nvidiaOnly) return appendClauses(scope, directive, `${always} ${clauses}`, false);
  return together(appendClauses(scope, directive, always, false), appendClauses(scope, directive, clauses, true));
}

/** Scalars declared outside that each turn writes before it reads. */
function privatesOf(loop: AccLoop): readonly string[] {
  const { scope } = loop.region;
  const { written, declared } = effectsOf(loop.step.body);
  const counters = new Set<string>();
  walkSteps(loop.step.body, (step) => {
    if (step.kind === 'loop' && step.variable !== undefined) counters.add(step.variable);
  });
  return [...written].filter((name) => {
    if (declared.has(name) || counters.has(name) || !/^\w+$/.test(name)) return false;
    const variable = variableAt(scope, name, loop.step.start);
    return (
      variable !== undefined &&
      variable.dimensions === undefined &&
      variable.role !== 'global' &&
      firstTouch(loop.step.body, name) !== 'read'
    );
  });
}

function dataNames(...directives: readonly Directive[]): ReadonlySet<string> {
  return new Set(
    directives.flatMap((directive) =>
      directive.clauses
        .filter((clause) => ['private', 'firstprivate', 'reduction'].includes(clause.name))
        .flatMap((clause) => clause.argument?.items.flatMap((item) => item.variable ?? item.text.trim()) ?? []),
    ),
  );
}

// ---- levels --------------------------------------------------------------------------------------------------------

function levelFacts(region: ComputeRegion, mapping: Mapping, context: Context): AccMappingFact[] {
  if (region.construct !== 'parallel') return [];
  const facts: AccMappingFact[] = [];
  const { scope } = region;
  for (const root of region.roots) {
    const nest = withInner(root);
    if (root.directive === undefined && region.step && !region.directive.name.endsWith(' loop')) {
      facts.push(...redundantFacts(region, root, nest, context));
      continue;
    }
    const levels = mapping.get(root);
    if (
      !levels ||
      !root.directive ||
      root.clauses.has('seq') ||
      (context.feedback.length > 0 && nest.some((loop) => mapping.get(loop)?.gang === 'feedback'))
    )
      continue;
    if (
      nest.some((loop) => loop !== root && !loop.joinedInto && loop.directive) ||
      nest.some((loop) => loop.clauses.has('vector') || loop.clauses.has('tile'))
    ) {
      facts.push(...tinyFacts(region, root, mapping, context));
      continue;
    }
    if (root.joined > 1) continue;
    const candidates = root.children.filter(
      (loop) => independenceOf(scope, loop.step).proven && isLong(scope, loop.step),
    );
    const inner = candidates[0];
    if (!inner || constantOne(region, 'vector_length')) continue;
    const gangOnly = root.clauses.has('gang') || root.clauses.has('worker');
    if (!gangOnly && !liesAlong(scope, root, inner)) continue;
    const safe = candidates.every((loop) => !independenceOf(scope, loop.step).aliasing);
    const edits = together(
      ...candidates.map((loop) =>
        loopDirectiveAbove(scope, loop.step, ['vector', ...ownClauses(scope, loop)].join(' ')),
      ),
    );
    const trips = factTrips(tripsOf(scope, inner.step));
    facts.push({
      kind: 'acc-mapping',
      form: gangOnly ? 'idle-lanes' : 'inner-unmapped',
      at: span(context, root.step.header),
      variable: root.step.variable ?? '',
      inner: { at: span(context, inner.step.header), variable: inner.step.variable ?? '' },
      ...(trips ? { trips } : {}),
      ...(edits
        ? {
            fix: {
              title: `Give ${listed(candidates.map((loop) => loop.step.variable ?? ''))} to vector lanes`,
              edits,
              safe,
            },
          }
        : {}),
    });
  }
  return facts;
}

/** A loop of so few turns is unrolled and not shared. */
function isLong(scope: Scope, loop: LoopStep): boolean {
  const trips = tripsOf(scope, loop);
  return trips === undefined || trips.atMost >= 16;
}

/** A size that is written as 1 is meant. */
function constantOne(region: ComputeRegion, name: string): boolean {
  const clause = region.clauses.get(name);
  return clause !== undefined && clauseNumber(region, clause) === 1;
}

/** `if(0)`: the construct is there to be left out. */
function neverOnDevice(region: ComputeRegion): boolean {
  const clause = region.clauses.get('if');
  return clause !== undefined && clauseNumber(region, clause) === 0;
}

/** The clauses for what each turn owns and what it sums up. */
function ownClauses(scope: Scope, loop: AccLoop): readonly string[] {
  const { reductions } = independenceOf(scope, loop.step);
  const privates = privatesOf(loop);
  const operators = [...new Set(reductions.map((one) => one.operator))];
  return [
    ...operators.map(
      (operator) =>
        `reduction(${spelling(scope, operator)}:${reductions
          .filter((one) => one.operator === operator)
          .map((one) => one.name)
          .join(', ')})`,
    ),
    ...(privates.length > 0 ? [`private(${privates.join(', ')})`] : []),
  ];
}

function spelling(scope: Scope, operator: string): string {
  const fortran: Readonly<Record<string, string>> = {
    '&': 'iand',
    '|': 'ior',
    '^': 'ieor',
    '&&': '.and.',
    '||': '.or.',
  };
  return scope.file.language === 'fortran' ? (fortran[operator] ?? operator) : operator;
}

/** Whether most elements that the inner loop touches lie along it, and lanes on the outer loop would be far apart. */
function liesAlong(scope: Scope, outer: AccLoop, inner: AccLoop): boolean {
  let along = 0,
    across = 0;
  for (const access of effectsOf(outer.step.body).accesses) {
    if (!access.loops.includes(inner.step)) continue;
    const within = [...access.loops];
    const over = strideOver(scope, access, inner.step, within),
      outside = strideOver(scope, access, outer.step, within);
    if (isContiguous(over) && (outside === undefined || isFar(outside))) along++;
    else if (isContiguous(outside) && !isContiguous(over)) across++;
  }
  return along > 0 && along > across;
}

/** A loop in a parallel construct that no loop directive shares out. */
function redundantFacts(
  region: ComputeRegion,
  root: AccLoop,
  nest: readonly AccLoop[],
  context: Context,
): AccMappingFact[] {
  const { scope } = region;
  if (
    nest.some((loop) => loop.directive) ||
    constantOne(region, 'num_gangs') ||
    neverOnDevice(region) ||
    root.step.form !== 'counted' ||
    root.joinedInto
  )
    return [];
  const { proven, aliasing, reductions } = independenceOf(scope, root.step);
  // What only one gang's copy holds is not shared out; a sum over gangs is wrong already, and another rule's matter.
  if (!proven || reductions.length > 0 || !isLong(scope, root.step) || outerLoops(root).length > 0) return [];
  const own = dataNames(region.directive);
  const accesses = effectsOf(root.step.body).accesses;
  if (
    !accesses.some(
      (access) =>
        access.write && !own.has(access.element.array) && variableAt(scope, access.element.array, region.step!.start),
    )
  )
    return [];
  const edits = loopDirectiveAbove(scope, root.step, ownClauses(scope, root).join(' '));
  return [
    {
      kind: 'acc-mapping',
      form: 'redundant',
      at: span(context, root.step.header),
      variable: root.step.variable ?? '',
      ...(edits
        ? { fix: { title: `Share the loop over \`${root.step.variable}\` among the gangs`, edits, safe: !aliasing } }
        : {}),
    },
  ];
}

/** Gangs and lanes on a loop of a few turns, around a long loop that could have the lanes. */
function tinyFacts(region: ComputeRegion, root: AccLoop, mapping: Mapping, context: Context): AccMappingFact[] {
  const { scope } = region;
  const levels = mapping.get(root);
  const bound = tripsOf(scope, root.step);
  if (
    !levels?.gang ||
    !levels.vector ||
    root.joined > 1 ||
    root.tight ||
    !bound ||
    bound.atMost > warp ||
    root.children.length !== 1
  )
    return [];
  const inner = root.children[0]!;
  const innerTrips = tripsOf(scope, inner.step);
  if (
    inner.directive ||
    !independenceOf(scope, inner.step).proven ||
    (innerTrips && innerTrips.atMost < 4 * bound.atMost)
  )
    return [];
  const vector = root.clauses.get('vector');
  const edits =
    vector &&
    together(
      only(removeClause(scope.file, vector)),
      loopDirectiveAbove(scope, inner.step, ['vector', ...ownClauses(scope, inner)].join(' ')),
    );
  return [
    {
      kind: 'acc-mapping',
      form: 'tiny-outer',
      at: span(context, root.step.header),
      variable: root.step.variable ?? '',
      inner: { at: span(context, inner.step.header), variable: inner.step.variable ?? '' },
      trips: factTrips(bound)!,
      ...(edits
        ? {
            fix: {
              title: `Give the lanes to the loop over \`${inner.step.variable}\``,
              edits,
              safe: !independenceOf(scope, inner.step).aliasing,
            },
          }
        : {}),
    },
  ];
}

// ---- strides -------------------------------------------------------------------------------------------------------

function strideFacts(region: ComputeRegion, mapping: Mapping, context: Context): AccStrideFact[] {
  const facts: AccStrideFact[] = [];
  for (const loop of loopsOf(region)) {
    const levels = mapping.get(loop);
    // Of vector loops inside one another the innermost has neighbouring lanes.
    if (
      loop.joinedInto ||
      !levels?.vector ||
      levels.tiled ||
      withInner(loop).some((inner) => inner !== loop && !inner.joinedInto && mapping.get(inner)?.vector)
    )
      continue;
    const fact = strideFact(region, mapping, loop, levels, context);
    if (fact) facts.push(fact);
  }
  return facts;
}

function strideFact(
  region: ComputeRegion,
  mapping: Mapping,
  mapped: AccLoop,
  levels: Levels,
  context: Context,
): AccStrideFact | undefined {
  const { scope } = region;
  // Lanes take the innermost of the loops that a collapse joins.
  let lane = mapped;
  for (let depth = 1; depth < mapped.joined; depth++) {
    const next = lane.children[0];
    if (!next) return undefined;
    lane = next;
  }
  if (lane.step.variable === undefined || sharedTrips(mapped)?.atMost === 1) return undefined;
  const outers = outerLoops(lane),
    inners = withInner(lane).slice(1);
  const rivals = [...outers, ...inners].filter(
    (loop) => loop.step.form === 'counted' && loop.step.variable !== undefined && longEnough(scope, loop.step),
  );
  const places = new Set<number>();
  const found = effectsOf(lane.step.body).accesses.flatMap((access) => {
    // What is read and written at one place is said once.
    if (places.has(access.element.start)) return [];
    places.add(access.element.start);
    const within = [...access.loops, lane.step, ...outers.map((loop) => loop.step)];
    const own = strideOver(scope, access, lane.step, within);
    return own?.elements === 0 ? [] : [{ access, within, own }];
  });
  /**
   * What a rival makes contiguous of the accesses that run with it: for a loop inside, those in its body; a store
   * behind it is one of many.
   */
  const gains = rivals
    .map((rival) => {
      const inside = inners.includes(rival);
      const concerned = inside ? found.filter(({ access }) => access.loops.includes(rival.step)) : found;
      const strided = concerned.filter(
        ({ access, within, own }) => isFar(own) && isContiguous(strideOver(scope, access, rival.step, within)),
      );
      return { rival, inside, concerned, strided, contiguous: concerned.filter(({ own }) => isContiguous(own)).length };
    })
    .filter(
      ({ rival, inside, strided, contiguous }) =>
        strided.length > contiguous &&
        (!inside || (independenceOf(scope, rival.step).proven && rectangular(scope, lane, rival))),
    );
  // Of two that serve as many, the nearer one.
  const best = gains.sort(
    (a, b) => b.strided.length - a.strided.length || rivals.indexOf(a.rival) - rivals.indexOf(b.rival),
  )[0];
  if (!best) return undefined;
  const { rival: better } = best;
  const inside = best.inside && !mapping.get(better)?.gang;
  const fix = best.inside
    ? undefined
    : (interchangeFix(mapping, lane, better, context) ?? moveLanesFix(mapping, lane, better));
  return {
    kind: 'acc-stride',
    at: span(context, lane.step.header),
    variable: lane.step.variable,
    origin: levels.vector!,
    contiguous: best.contiguous,
    accesses: best.concerned.length,
    strided: best.strided.map(({ access, own }) => ({
      at: span(context, access.element),
      text: context.file.text.slice(access.element.start, access.element.end),
      array: access.element.array,
      stride: own!.text ?? String(Math.abs(own!.elements!)),
    })),
    better: { at: span(context, better.step.header), variable: better.step.variable!, inside },
    ...(fix ? { fix } : {}),
  };
}

/** A handful of turns side by side are one lane's matter: `a[3 * i + c]`. */
function longEnough(scope: Scope, loop: LoopStep): boolean {
  const trips = tripsOf(scope, loop);
  return trips === undefined || trips.atMost > 8;
}

/** Exchanges the heads of two neighbouring tightly nested loops; their directives stay where they are. */
function interchangeFix(mapping: Mapping, lane: AccLoop, better: AccLoop, context: Context): AccFix | undefined {
  const { scope } = lane.region;
  if (
    lane.parent !== better ||
    !better.tight ||
    better.step.macro ||
    lane.step.macro ||
    better.step.header.macro ||
    lane.step.header.macro
  )
    return undefined;
  if (!isParallel(better) || !isParallel(lane) || mapping.get(better)?.seq || !rectangular(scope, better, lane))
    return undefined;
  // A sum over the inner loop, or a clause that names a loop's own variable, would stay behind.
  if (better.clauses.has('reduction') !== lane.clauses.has('reduction')) return undefined;
  const names = [better.step.variable!, lane.step.variable!];
  for (const clause of [...better.clauses.values(), ...lane.clauses.values()])
    if (
      clause.argument?.items.some(
        (item) => item.variable !== undefined && names.includes(item.variable) && clause.name !== 'private',
      )
    )
      return undefined;
  const text = (loop: AccLoop): string => context.file.text.slice(loop.step.header.start, loop.step.header.end);
  return {
    title: `Interchange the loops over \`${better.step.variable}\` and \`${lane.step.variable}\``,
    edits: [
      { at: span(context, better.step.header), newText: text(lane) },
      { at: span(context, lane.step.header), newText: text(better) },
    ],
  };
}

/** Gives the lanes to the loop around, and lets each lane run the inner loop by itself. */
function moveLanesFix(mapping: Mapping, lane: AccLoop, better: AccLoop): AccFix | undefined {
  const { scope, construct } = lane.region;
  const levels = mapping.get(better);
  if (
    construct !== 'parallel' ||
    lane.parent !== better ||
    lane.joined > 1 ||
    better.joined > 1 ||
    !lane.directive ||
    !better.directive ||
    !levels?.gang ||
    levels.worker ||
    !isParallel(better)
  )
    return undefined;
  if (
    better.children.some((child) => child !== lane && mapping.get(child)?.vector) ||
    withInner(lane).length > 1 ||
    lane.clauses.has('worker') ||
    lane.clauses.has('gang')
  )
    return undefined;
  const vector = lane.clauses.get('vector');
  const turns = vector
    ? vector.macro || vector.argument
      ? undefined
      : [editAt(scope.file, vector, 'seq')]
    : appendClauses(scope, lane.directive, 'seq', false);
  return fixOf(
    `Give the lanes to the loop over \`${better.step.variable}\` instead`,
    together(
      appendClauses(scope, better.directive, better.clauses.has('gang') ? 'vector' : 'gang vector', false),
      turns,
    ),
  );
}

/** Neither loop's bounds hang on the other's variable. */
function rectangular(scope: Scope, outer: AccLoop, inner: AccLoop): boolean {
  const free = (loop: LoopStep, name: string): boolean =>
    [loop.lower, loop.upper, loop.step].every((value) => {
      if (!value) return true;
      const polynomial = polynomialAt(scope, value, loop);
      const own = polynomial && slope(polynomial, name);
      return own !== undefined && own.terms.size === 0 && !mentions(value, name);
    });
  return free(inner.step, outer.step.variable!) && free(outer.step, inner.step.variable!);
}

// ---- collapse ------------------------------------------------------------------------------------------------------

function collapseFacts(region: ComputeRegion, mapping: Mapping, context: Context): AccCollapseFact[] {
  const facts: AccCollapseFact[] = [];
  const { scope } = region;
  for (const outer of loopsOf(region)) {
    const levels = mapping.get(outer);
    if (
      !outer.directive ||
      !levels?.gang ||
      outer.joined > 1 ||
      outer.joinedInto ||
      ['collapse', 'tile', 'seq'].some((name) => outer.clauses.has(name))
    )
      continue;
    const bound = tripsOf(scope, outer.step);
    if (
      !bound ||
      bound.atMost < 2 ||
      2 * bound.atMost > context.gpu.multiprocessors ||
      region.clauses.has('num_gangs') ||
      outer.clauses.get('gang')?.argument
    )
      continue;
    // In a kernels construct gangs form a grid over the loops that have them.
    const kernels = region.construct === 'kernels';
    if (
      kernels &&
      (!outer.clauses.has('gang') ||
        withInner(outer).some(
          (loop) =>
            loop !== outer &&
            (loop.clauses.has('gang') || loop.clauses.has('tile') || (isParallel(loop) && !hasLevel(loop))),
        ))
    )
      continue;
    const joined: AccLoop[] = [outer];
    let product = bound.atMost;
    for (let loop = outer; loop.tight; ) {
      const next = loop.children[0]!;
      if (
        next.step.form !== 'counted' ||
        next.clauses.has('seq') ||
        !canJoin(next) ||
        joined.some((one) => !rectangular(scope, one, next))
      )
        break;
      // Once there are turns enough, a loop that a directive maps keeps its lanes.
      if (joined.length > 1 && next.directive && product >= context.gpu.multiprocessors * warp) break;
      const trips = tripsOf(scope, next.step);
      joined.push(next);
      product = trips ? product * trips.atMost : Number.POSITIVE_INFINITY;
      loop = next;
    }
    if (joined.length < 2 || product < 4 * bound.atMost || product < 2 * warp) continue;
    const fix = collapseFix(mapping, joined);
    facts.push({
      kind: 'acc-collapse',
      at: span(context, outer.step.header),
      variable: outer.step.variable ?? '',
      trips: factTrips(bound)!,
      inner: joined.slice(1).map((loop) => loop.step.variable ?? ''),
      count: joined.length,
      ...(fix ? { fix } : {}),
    });
  }
  return facts;
}

function canJoin(loop: AccLoop): boolean {
  if (['collapse', 'tile', 'worker'].some((name) => loop.clauses.has(name))) return false;
  if (loop.directive && isParallel(loop)) return true;
  const { proven, reductions } = independenceOf(loop.region.scope, loop.step);
  return proven && reductions.length === 0;
}

function collapseFix(mapping: Mapping, joined: readonly AccLoop[]): AccCollapseFact['fix'] {
  const { scope } = joined[0]!.region;
  const outer = joined[0]!;
  const edits: Edit[] = [];
  let vector = outer.clauses.has('vector');
  for (const loop of joined.slice(1)) {
    if (!loop.directive) continue;
    // Whatever else the inner directive says would be lost with its line.
    if (
      loop.directive.macro ||
      loop.directive.clauses.some(
        (clause) => !['gang', 'vector', 'independent'].includes(clause.name) || clause.argument,
      )
    )
      return undefined;
    vector ||= loop.clauses.has('vector');
    const removed = removeLines(scope.file, loop.directive);
    if (!removed) return undefined;
    edits.push(removed);
  }
  // The lanes went with the inner directive: the joined loop takes them.
  const last = joined.at(-1)!;
  const lanesInside = withInner(last)
    .slice(1)
    .some((loop) => mapping.get(loop)?.vector !== undefined);
  const wanted =
    vector && !outer.clauses.has('vector') && !lanesInside
      ? outer.clauses.has('gang')
        ? ' vector'
        : ' gang vector'
      : '';
  const added = appendClauses(scope, outer.directive!, `collapse(${joined.length})${wanted}`, false);
  if (!added) return undefined;
  const safe = joined.slice(1).every((loop) => loop.directive || !independenceOf(scope, loop.step).aliasing);
  return {
    title: `Join the loops over ${joined.map((loop) => `\`${loop.step.variable}\``).join(', ')} with collapse(${joined.length})`,
    edits: [...edits, ...added],
    safe,
  };
}
