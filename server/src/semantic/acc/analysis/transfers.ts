// Which arrays a compute construct brings to the GPU and back each time it is met, and whether something around it
// already keeps them there.
import type { Clause, ClauseItem, LoopStep, RegionStep, Step, Variable } from '../../../syntax/procedures';
import {
  clauseNames,
  dataRegions,
  hasClause,
  hasDataClause,
  isDataClause,
  isInside,
  isWithin,
  itemNaming,
  namedBy,
  owns,
  moving,
} from './paths';
import { callsUnknown, flowOf, type Touch } from './dataflow';
import { variableAt, type Scope } from './scope';
import { append, isHarmless, once, touchesHostOnly } from '../../language';
import { stepsIn } from './steps';

/** One array that one compute construct moves. */
export interface Transfer {
  readonly scope: Scope;
  /** The compute construct, or the data region that stands inside the host's loop with it. */
  readonly region: RegionStep;
  readonly parents: readonly Step[];
  readonly path: string;
  readonly variable: Variable;
  /** The clause that moves it; absent where the compiler copies it by itself. */
  readonly clause?: Clause;
  readonly item?: ClauseItem;
  readonly reads: boolean;
  readonly writes: boolean;
}

/**
 * The arrays that the compute constructs of a procedure move, as far as its own text says; those known to be on the GPU
 * already are left out.
 */
export const transfersOf = once((scope: Scope): readonly Transfer[] => {
  const flow = flowOf(scope);
  const found: Transfer[] = [];
  const touchesOf = new Map<Step, Touch[]>();
  for (const touch of flow.touches) {
    if (!touch.region || touch.form === 'scalar') continue;
    append(touchesOf, touch.region, touch);
  }
  for (const { step: region, parents } of flow.regions) {
    // What happens under a condition of the directive is not known to happen.
    if (hasClause(region.directive, /^(if|self)$/)) continue;
    const present = isDefaultPresent(region);
    const byPath = new Map<string, Touch[]>();
    for (const touch of touchesOf.get(region) ?? []) append(byPath, touch.path, touch);
    for (const [path, touches] of byPath) {
      const variable = variableAt(scope, path, touches[0]!.at.start);
      if (!variable?.dimensions || (isWithin(variable, region) && variable.uri === scope.file.uri)) continue;
      if (ownedInside(region, path) || isOneElement(touches)) continue;
      const own = region.directive.clauses.filter((clause) => isDataClause(clause) && clauseNames(clause, path));
      if (own.some((clause) => !moving.test(clause.name)) || (!own.length && present)) continue;
      if (keptAround(scope, path, variable, parents, region)) continue;
      const clause = own[0];
      const item = clause && itemNaming(clause, path);
      found.push({
        scope,
        region,
        parents,
        path,
        variable,
        ...(clause ? { clause } : {}),
        ...(item ? { item } : {}),
        reads: touches.some((touch) => touch.mode === 'read' && touch.form !== 'pointer'),
        writes: touches.some((touch) => touch.mode === 'write' && touch.form !== 'pointer'),
      });
    }
  }
  return found;
});

export function isDefaultPresent({ directive }: RegionStep): boolean {
  return directive.clauses.some(
    ({ name, argument }) => name === 'default' && argument?.items[0]?.text.trim().toLowerCase() === 'present',
  );
}

/** `*p`, `a[0]`: a scalar behind a pointer. */
function isOneElement(touches: readonly Touch[]): boolean {
  return touches.every((touch) => touch.element?.subscripts.every((one) => one.kind === 'number') === true);
}

/** The arrays that the structured data regions of a procedure move, the outermost ones that name them. */
export const regionTransfersOf = once((scope: Scope): readonly Transfer[] => {
  const flow = flowOf(scope);
  return flow.dataRegions.flatMap(({ step: region, parents }) =>
    (hasClause(region.directive, /^if$/) ? [] : region.directive.clauses).flatMap((clause) =>
      (/^(copy|copyin|copyout)$/.test(clause.name) ? (clause.argument?.items ?? []) : []).flatMap(
        (item): Transfer[] => {
          const { path, variable } = namedBy(scope, item) ?? {};
          if (!path || !variable?.dimensions || keptAround(scope, path, variable, parents, region)) return [];
          const names = flow.aliases(path);
          const touches = flow.touches.filter(
            (touch) => (touch.region || touch.device) && isInside(touch, region) && names.has(touch.path),
          );
          const [reads, writes] = ['read', 'write'].map((mode) => touches.some((touch) => touch.mode === mode));
          return touches.length
            ? [{ scope, region, parents, path, variable, clause, item, reads: reads!, writes: writes! }]
            : [];
        },
      ),
    ),
  );
});

/** Is it private to gangs or turns of the construct, or a reduction? */
export function ownedInside(region: RegionStep, path: string): boolean {
  return (
    owns(region.directive.clauses, path) ||
    stepsIn(region.body).some(
      (step) => step.kind === 'loop' && step.directives.some(({ clauses }) => owns(clauses, path)),
    )
  );
}

/**
 * Does a data region around it, a `declare`, or an `enter data` or `present` anywhere in the procedure keep the
 * array on the GPU?
 */
export function keptAround(
  scope: Scope,
  path: string,
  variable: Variable,
  parents: readonly Step[],
  region: RegionStep,
): boolean {
  const flow = flowOf(scope);
  const paths = flow.aliases(path);
  return (
    isKept(scope, path, parents) ||
    dataRegions(parents).some((data) => data.directive.clauses.some((clause) => clause.name === 'default')) ||
    flow.calls.some(
      ({ call }) =>
        /^acc_(copyin|create|present_or|pcopyin|pcreate|map_data|malloc|deviceptr)/.test(call.name) &&
        call.args.some((arg) => [...paths].some((alias) => textHas(scope, arg, alias))),
    ) ||
    // Another construct, outside the data regions that keep it, finds it there.
    flow.regions.some(
      ({ step, parents: around }) =>
        step !== region &&
        (step.directive.clauses.some(
          (clause) =>
            /^(present|deviceptr|attach)$/.test(clause.name) && [...paths].some((alias) => clauseNames(clause, alias)),
        ) ||
          (isDefaultPresent(step) &&
            !hasDataClause(step.directive, paths) &&
            flow.touches.some((touch) => touch.region === step && paths.has(touch.path)))) &&
        !dataRegions(around).some((data) => hasDataClause(data.directive, paths)),
    ) ||
    // `declare` at file scope, or in a Fortran module.
    (variable.role === 'global' &&
      scope.sources.files.some((file) =>
        file.directives.some(
          (directive) =>
            directive !== region.directive &&
            (directive.name === 'declare' || directive.name === 'enter data') &&
            hasDataClause(directive, paths),
        ),
      ))
  );
}

/** Does a clause of a data region around it, or of a directive of the procedure, keep the array on the GPU? */
export function isKept(scope: Scope, path: string, parents: readonly Step[]): boolean {
  const { aliases, directives } = flowOf(scope);
  return (
    dataRegions(parents).some(({ directive }) => hasDataClause(directive, aliases(path))) ||
    directives.some(
      ({ step: { directive } }) =>
        /^(enter data|declare)$/.test(directive.name) && hasDataClause(directive, aliases(path)),
    )
  );
}

function textHas(scope: Scope, at: { readonly start: number; readonly end: number }, word: string): boolean {
  return scope.file.text.slice(at.start, at.end).includes(word);
}

/** May the array have been brought to the GPU outside the procedure? */
export function mayBePresent(transfer: Transfer): boolean {
  const { scope, variable, path } = transfer;
  const flow = flowOf(scope);
  const outside = [...flow.aliases(path)].some((alias) => {
    const one = variableAt(scope, alias, transfer.region.start) ?? variable;
    return one.role !== 'local';
  });
  if (!outside)
    return flow.touches.some(
      (touch) =>
        touch.form === 'argument' &&
        touch.call &&
        flow.aliases(path).has(touch.path) &&
        !touch.region &&
        entersData(scope, touch.call.name),
    );
  if (elsewhereEntersData(scope)) return true;
  // A pointer out of a structure, without a clause, has no extent that a C compiler could find; in both languages the
  // structure's own life on the GPU decides.
  if (!transfer.clause && [...flow.aliases(path)].some((alias) => /->|[.%]/.test(alias))) return true;
  if (variable.role === 'global' && !path.includes('->') && !path.includes('.')) return false;
  const callers = callersOf(scope);
  // No known code calls it: an unknown caller may keep its arrays on the GPU. A clause that copies says that its author
  // did not count on that.
  if (!callers.length) return transfer.clause === undefined && !isMain(scope);
  const isInData = ({ parents }: (typeof callers)[number]): boolean =>
    parents.some((parent) => parent.kind === 'region' && parent.directive.name === 'data');
  return callers.some(
    (caller) => isInData(caller) || (!isMain(caller.scope) && callersOf(caller.scope).some(isInData)),
  );
}

export function isMain(scope: Scope): boolean {
  return scope.file.language === 'c'
    ? scope.procedure.name === 'main'
    : /^\s*program\b/i.test(scope.file.text.slice(scope.procedure.start, scope.procedure.start + 40));
}

function entersData(scope: Scope, name: string): boolean {
  const callee = scope.sources.scopes.find((one) => one.procedure.name === name);
  // Without a body it may do anything, unless a library is known not to.
  return !callee
    ? !(isHarmless(name, scope.file.language === 'fortran') || touchesHostOnly(name))
    : flowOf(callee).directives.some(({ step }) => step.directive.name === 'enter data');
}

/**
 * Does any known procedure or file scope, the procedure itself left out, bring data to the GPU for longer than a
 * construct?
 */
export function elsewhereEntersData(scope: Scope): boolean {
  return (
    scope.sources.files.some((file) =>
      file.directives.some(
        (directive) =>
          /^(enter data|declare)$/.test(directive.name) &&
          !(file === scope.file && directive.start >= scope.procedure.start && directive.end <= scope.procedure.end),
      ),
    ) ||
    scope.sources.scopes.some(
      (one) =>
        one !== scope &&
        flowOf(one).calls.some(({ call }) =>
          /^acc_(copyin|create|present_or|pcopyin|pcreate|map_data)/.test(call.name),
        ),
    )
  );
}

function callersOf(scope: Scope): readonly { readonly scope: Scope; readonly parents: readonly Step[] }[] {
  return scope.sources.scopes.flatMap((one) =>
    flowOf(one)
      .calls.filter((call) => call.callee === scope)
      .map(({ parents }) => ({ scope: one, parents })),
  );
}

/** What a loop does with an array, by whatever name, other than in its own head. */
export function touchesIn(scope: Scope, path: string, loop: LoopStep): readonly Touch[] {
  const { touches, mayMeet } = flowOf(scope);
  return touches.filter((touch) => touch.step !== loop && isInside(touch, loop) && mayMeet(path, touch.path));
}

/** Whether the host runs unknown code in a loop. */
export const hasUnknownCalls = (scope: Scope, loop: LoopStep): boolean =>
  flowOf(scope).calls.some((call) => !call.region && isInside(call, loop) && callsUnknown(call));

/** Whether the host touches the array in a loop, or may by an unknown call. */
export const hostTouches = (scope: Scope, path: string, loop: LoopStep): boolean =>
  touchesIn(scope, path, loop).some(({ region, device, form }) => !region && !device && form !== 'update') ||
  (hasUnknownCalls(scope, loop) &&
    [...flowOf(scope).aliases(path)].some((name) => variableAt(scope, name, loop.start)?.role === 'global'));
