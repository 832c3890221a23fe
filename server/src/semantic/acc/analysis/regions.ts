// Compute regions and the loops in them, with what their directives say for an NVIDIA GPU.
import type { Clause, Directive, LoopStep, RegionStep, Step } from '../../../syntax/procedures';
import { numberAt, type Scope } from './scope';
import { listsOf } from './steps';

/**
 * A compute construct, or a procedure with a `routine` directive, whose loops share the caller's gangs, workers and
 * lanes.
 */
export interface ComputeRegion {
  readonly scope: Scope;
  readonly construct: 'parallel' | 'kernels' | 'serial' | 'routine';
  readonly directive: Directive;
  readonly step?: RegionStep;
  /** Clauses of the construct in force for an NVIDIA GPU, by name. */
  readonly clauses: ReadonlyMap<string, Clause>;
  readonly roots: readonly AccLoop[];
}

/** A loop of a compute region. */
export interface AccLoop {
  readonly region: ComputeRegion;
  readonly step: LoopStep;
  readonly parent?: AccLoop;
  readonly children: readonly AccLoop[];
  /** Its `loop` directive, or the combined construct that it is the loop of. */
  readonly directive?: Directive;
  readonly clauses: ReadonlyMap<string, Clause>;
  /** How many loops its `collapse` or `tile` joins, itself among them. */
  readonly joined: number;
  /** The loop whose `collapse` or `tile` takes it in. */
  readonly joinedInto?: AccLoop;
  /** Nothing but the one loop inside is in its body. */
  readonly tight: boolean;
}

export const levelNames = ['gang', 'worker', 'vector', 'seq'] as const;

/** The clause of a name, where it has an argument. */
export function sizedClause({ clauses }: Pick<AccLoop, 'clauses'>, name: string): Clause | undefined {
  const clause = clauses.get(name);
  // `gang(dim:2)` and `gang(static:8)` leave the number open.
  const isSized = clause?.argument?.modifiers.every((modifier) => !/^(dim|static)$/.test(modifier.name));
  return isSized ? clause : undefined;
}

const nvidia = new Set(['nvidia', 'tesla', 'cuda', 'acc_device_nvidia']);

/**
 * The clauses of a directive for an NVIDIA GPU: those of its `device_type(nvidia)` part, else of `device_type(*)`, else
 * of the default part, clause by clause.
 */
export function clausesFor(directive: Directive): ReadonlyMap<string, Clause> {
  const named = directive.clauses.some((clause) => clause.deviceTypes?.some((type) => nvidia.has(type)));
  const chosen = new Map<string, Clause>();
  const rank = (clause: Clause): number =>
    clause.deviceTypes === undefined
      ? 1
      : clause.deviceTypes.some((type) => nvidia.has(type))
        ? 2
        : !named && clause.deviceTypes.includes('*')
          ? 2
          : 0;
  for (const clause of directive.clauses) {
    if (clause.name === 'device_type' || rank(clause) === 0) continue;
    const before = chosen.get(clause.name);
    if (!before || rank(clause) > rank(before)) chosen.set(clause.name, clause);
  }
  return chosen;
}

export function forNvidia(clause: Clause): boolean {
  return clause.deviceTypes?.some((type) => nvidia.has(type)) === true;
}

const constructs = new Map<string, ComputeRegion['construct']>([
  ['parallel', 'parallel'],
  ['parallel loop', 'parallel'],
  ['kernels', 'kernels'],
  ['kernels loop', 'kernels'],
  ['serial', 'serial'],
  ['serial loop', 'serial'],
]);

export function constructOf(directive: Directive): ComputeRegion['construct'] | undefined {
  return constructs.get(directive.name);
}

/** The compute regions of a procedure in order. A procedure with a `routine` directive is one itself. */
export function regionsOf(scope: Scope): readonly ComputeRegion[] {
  const regions: ComputeRegion[] = [];
  const walk = (steps: readonly Step[]): void => {
    for (const step of steps) {
      const construct = step.kind === 'region' ? constructOf(step.directive) : undefined;
      if (step.kind === 'region' && construct)
        regions.push(regionOf(scope, construct, step.directive, step.body, step));
      else for (const list of listsOf(step)) walk(list);
    }
  };
  walk(scope.procedure.body);
  const routine = scope.procedure.routine.at(-1);
  if (routine && regions.length === 0) regions.push(regionOf(scope, 'routine', routine, scope.procedure.body));
  return regions;
}

function regionOf(
  scope: Scope,
  construct: ComputeRegion['construct'],
  directive: Directive,
  body: readonly Step[],
  step?: RegionStep,
): ComputeRegion {
  const roots: AccLoop[] = [];
  const region: ComputeRegion = {
    scope,
    construct,
    directive,
    clauses: clausesFor(directive),
    roots,
    ...(step ? { step } : {}),
  };
  const gather = (steps: readonly Step[], into: AccLoop[], parent: AccLoop | undefined): void => {
    for (const each of steps) {
      if (each.kind !== 'loop') {
        for (const list of listsOf(each)) gather(list, into, parent);
        continue;
      }
      const bound = each.directives.find((one) => one.name === 'loop' || one.name.endsWith(' loop'));
      const clauses = bound ? clausesFor(bound) : new Map<string, Clause>();
      const children: AccLoop[] = [];
      const outer = parent?.joinedInto ?? parent;
      const within =
        outer && outer.joined > 1 && depthBelow(outer, parent!) + 1 < outer.joined && parent!.tight ? outer : undefined;
      const loop: AccLoop = {
        region,
        step: each,
        children,
        clauses,
        joined: joinedBy(scope, each, clauses),
        tight: isTight(scope, each),
        ...(parent ? { parent } : {}),
        ...(bound ? { directive: bound } : {}),
        ...(within && !bound ? { joinedInto: within } : {}),
      };
      into.push(loop);
      gather(each.body, children, loop);
    }
  };
  gather(body, roots, undefined);
  return region;
}

/**
 * Whether nothing is between the heads of a loop and of the only one in it: no declaration, and no directive of a
 * compiler.
 */
function isTight(scope: Scope, loop: LoopStep): boolean {
  const inner = onlyStep(loop.body);
  if (inner?.kind !== 'loop') return false;
  if (scope.file.language === 'fortran') return true;
  let between = scope.file.text.slice(loop.header.end, inner.start);
  for (const directive of inner.directives)
    between = between.replace(scope.file.text.slice(directive.start, directive.end), '');
  return /^[\s{)]*$/.test(between.replace(/\/\*[\s\S]*?\*\/|\/\/.*|^[ \t]*#[ \t]*(?:if|else|elif|endif).*/gm, ''));
}

function depthBelow(outer: AccLoop, inner: AccLoop): number {
  let depth = 0;
  for (let loop: AccLoop | undefined = inner; loop && loop !== outer; loop = loop.parent) depth++;
  return depth;
}

function joinedBy(scope: Scope, step: LoopStep, clauses: ReadonlyMap<string, Clause>): number {
  const collapse = clauses.get('collapse');
  // A number of the build's may join them all.
  if (collapse) return numberAt(scope, collapse.argument?.items.at(-1)?.value, step) ?? nestDepth(step);
  return clauses.get('tile')?.argument?.items.length ?? 1;
}

function nestDepth(loop: LoopStep): number {
  const inner = onlyStep(loop.body);
  return 1 + (inner?.kind === 'loop' ? nestDepth(inner) : 0);
}

/** The one step of a list, through blocks. */
export function onlyStep(steps: readonly Step[]): Step | undefined {
  if (steps.length !== 1) return undefined;
  const step = steps[0]!;
  return step.kind === 'block' ? onlyStep(step.body) : step;
}

/** A loop and all inside, outermost first. */
export function withInner(loop: AccLoop): readonly AccLoop[] {
  return [loop, ...loop.children.flatMap(withInner)];
}

/** The loops that a `collapse` or `tile` joins, as far as there are loops, outermost first. */
export function joinedLoops(loop: AccLoop): readonly AccLoop[] {
  const loops = [loop];
  for (let next = loop.children[0]; next && loops.length < loop.joined; next = next.children[0]) loops.push(next);
  return loops;
}

/** All loops of a region, outermost first. */
export function loopsOf(region: ComputeRegion): readonly AccLoop[] {
  return region.roots.flatMap(withInner);
}

/** The loops around one, innermost first. */
export function outerLoops(loop: AccLoop): readonly AccLoop[] {
  return loop.parent ? [loop.parent, ...outerLoops(loop.parent)] : [];
}
