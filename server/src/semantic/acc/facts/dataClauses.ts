// Data clauses that move more than their region needs: arrays that come back unchanged, arrays that are overwritten
// before they are read, arrays no one uses.
import { spanIn } from '../../span';
import { titleWith } from '../../excerpt';
import type { Clause, ClauseItem, LoopStep, RegionStep, Step, Value, Variable } from '../../../syntax/procedures';
import { touchesInside } from '../analysis/inside';
import { allocates, clauseNames, hasClause, isDataClause, isInside, namedBy, valuesAssigned } from '../analysis/paths';
import { callsUnknown, flowOf, type Flow, type Touch } from '../analysis/dataflow';
import { moveItem, removeItem, withRatedFix } from './directiveEdits';
import type { AccDataClauseFact } from '../model';
import { constructOf } from '../analysis/regions';
import { elementsOf, extentsOf, isSmall, smallArray } from './extents';
import { numberAt, polynomialAt, variableAt, type Scope } from '../analysis/scope';
import { directivesOf, listsOf, stepsIn } from '../analysis/steps';
import { elsewhereEntersData, keptAround, mayBePresent, ownedInside } from '../analysis/transfers';

/** The too wide data clauses of one procedure, on compute constructs and structured data regions. */
export function wideDataClausesOf(scope: Scope): readonly AccDataClauseFact[] {
  const flow = flowOf(scope);
  return [...flow.regions, ...flow.dataRegions].flatMap(({ step, parents }) => ofRegion(scope, flow, step, parents));
}

function ofRegion(scope: Scope, flow: Flow, region: RegionStep, parents: readonly Step[]): AccDataClauseFact[] {
  // Where the parser had to recover, something may be written that it does not tell of.
  if (scope.file.errors.some((error) => error.start < region.end && error.end > region.start)) return [];
  return region.directive.clauses.flatMap((clause) =>
    /^(copy|copyin|copyout)$/.test(clause.name)
      ? (clause.argument?.items ?? []).flatMap((item) => ofItem(scope, flow, region, parents, clause, item) ?? [])
      : [],
  );
}

function ofItem(
  scope: Scope,
  flow: Flow,
  region: RegionStep,
  parents: readonly Step[],
  clause: Clause,
  item: ClauseItem,
): AccDataClauseFact | undefined {
  const { path, variable } = namedBy(scope, item) ?? {};
  if (!path || !variable?.dimensions || ownedInside(region, path) || clause.argument!.modifiers.length)
    return undefined;
  // A few elements, `sums[0:10]`, cost a copy's latency either way; a region that is empty waits for its contents.
  const moved = elementsOf(scope, item, variable, region) ?? Number.POSITIVE_INFINITY;
  if (isSmall(scope, variable, region) || moved <= smallArray || !region.body.length) return undefined;
  // Another name for the same memory, which the flow does not follow.
  if (
    scope.file.language === 'fortran' &&
    new RegExp(`^[^!\\n]*\\bequivalence\\b[^\\n]*\\b${path.replace(/\W.*/, '')}\\b`, 'im').test(
      scope.file.text.slice(scope.procedure.start, scope.procedure.end),
    )
  )
    return undefined;
  // Already on the GPU: the clause moves nothing.
  if (
    keptAround(scope, path, variable, parents, region) ||
    mayBePresent({ scope, region, parents, path, variable, clause, item, reads: true, writes: true })
  )
    return undefined;
  const names = [...flow.aliases(path)];
  const touches = touchesInside(flow, region).filter(
    (touch) => touch.step !== region && flow.mayMeet(path, touch.path),
  );
  const compute = constructOf(region.directive) !== undefined;
  if (!compute && !isClear(flow, region, variable, names, touches)) return undefined;
  if (
    compute &&
    flow.calls.some((call) => call.region === region && !call.harmless && !call.callee && variable.role === 'global')
  )
    return undefined;
  if (mayOverlap(scope, flow, region, path, variable)) return undefined;
  const onDevice = touches.filter((touch) => touch.region || touch.device);
  if (!touches.length)
    return mentionedElsewhere(scope, region, clause, item, path) || names.length > 1 || elsewhereEntersData(scope)
      ? undefined
      : fact(scope, region, clause, item, parents, path, undefined, touches);
  if (clause.name !== 'copy' || !onDevice.length) return undefined;
  if (onDevice.every((touch) => touch.mode === 'read'))
    return fact(scope, region, clause, item, parents, path, 'copyin', onDevice);
  return isOverwritten(scope, region, item, variable, touches)
    ? fact(scope, region, clause, item, parents, path, 'copyout', onDevice.slice(0, 1))
    : undefined;
}

/**
 * Does the region touch another pointer that may lead to the same memory? The clauses of both then count one reference
 * each, and which of them moves the data is decided by whichever comes first or last.
 */
function mayOverlap(scope: Scope, flow: Flow, region: RegionStep, path: string, variable: Variable): boolean {
  if (scope.file.language === 'fortran' || variable.restrict || (!variable.pointer && variable.role !== 'global'))
    return false;
  const own = !variable.pointer || hasOwnMemory(scope, flow, path);
  return touchesInside(flow, region).some((touch) => {
    if (touch.form === 'scalar' || flow.aliases(path).has(touch.path)) return false;
    const other = variableAt(scope, touch.path, touch.at.start);
    if (!other || other.restrict || other.type !== variable.type) return false;
    // A program's array may be what a pointer was given somewhere; two arrays are apart.
    return other.pointer
      ? !(own && hasOwnMemory(scope, flow, touch.path))
      : variable.pointer === true && other.role === 'global' && !own;
  });
}

/** A local pointer that was given its own memory and is known under no other name. */
function hasOwnMemory(scope: Scope, flow: Flow, path: string): boolean {
  if (flow.aliases(path).size > 1 || variableAt(scope, path, scope.procedure.end - 1)?.role === 'parameter')
    return false;
  const values = valuesAssigned(scope, path);
  return values.length > 0 && values.every((value) => value.kind === 'call' && allocates(value.name));
}

/** Are all accesses to the array in a data region known, and on the GPU? */
function isClear(
  flow: Flow,
  region: RegionStep,
  variable: Variable,
  names: readonly string[],
  touches: readonly Touch[],
): boolean {
  if (
    flow.gotos ||
    touches.some(
      (touch) =>
        !touch.region &&
        !touch.device &&
        (touch.mode === 'write' || touch.form === 'update' || touch.form === 'argument' || touch.form === 'pointer'),
    )
  )
    return false;
  // Unknown callees may use globals, and a pointer that was passed on before.
  if (variable.role !== 'local' || names.length > 1)
    if (flow.calls.some((call) => isInside(call, region) && callsUnknown(call))) return false;
  return !stepsIn(region.body).some(
    (step) =>
      (step.kind === 'region' && step.directive.name === 'host_data') ||
      (step.kind === 'directive' &&
        names.some((name) => step.directive.clauses.some((clause) => clauseNames(clause, name)))),
  );
}

/** Named by another clause, here or inside: an extent, a condition, a part of the same structure. */
function mentionedElsewhere(scope: Scope, region: RegionStep, clause: Clause, item: ClauseItem, path: string): boolean {
  const root = /^\w+/.exec(path)?.[0] ?? path;
  const word = new RegExp(`\\b${root}\\b`, scope.file.language === 'fortran' ? 'i' : '');
  const { text } = scope.file;
  const others = text.slice(region.directive.start, item.start) + text.slice(item.end, region.directive.end);
  if (word.test(others)) return true;
  return (
    stepsIn(region.body)
      .flatMap(directivesOf)
      .some((directive) => directive !== region.directive && word.test(text.slice(directive.start, directive.end))) ||
    !!region.directive.clauses.find((other) => other !== clause && isDataClause(other) && clauseNames(other, path)) ||
    word.test(text.slice(region.directive.end, region.end))
  );
}

/** Around the steps of a program, a copy is made once; around one construct, each time it runs. */
function isAmortised(region: RegionStep, parents: readonly Step[]): boolean {
  if (constructOf(region.directive) || parents.some((parent) => parent.kind === 'loop')) return false;
  let repeats = false;
  const visit = (steps: readonly Step[], inLoop: boolean): void => {
    for (const step of steps) {
      // What a step of the program runs may be in a separate procedure.
      if ((step.kind === 'region' && constructOf(step.directive)) || step.kind === 'call') repeats ||= inLoop;
      else for (const list of listsOf(step)) visit(list, inLoop || step.kind === 'loop');
    }
  };
  visit(region.body, false);
  return repeats;
}

function fact(
  scope: Scope,
  region: RegionStep,
  clause: Clause,
  item: ClauseItem,
  parents: readonly Step[],
  path: string,
  better: AccDataClauseFact['better'],
  touches: readonly Touch[],
): AccDataClauseFact {
  const { file } = scope;
  const seen = new Set<number>();
  return {
    kind: 'acc-data-clause',
    at: spanIn(file, item),
    array: path,
    amortised: isAmortised(region, parents),
    handedIn: variableAt(scope, path, item.start)?.role === 'parameter',
    clause: clause.name,
    directive: region.directive.name,
    regionAt: spanIn(file, region),
    ...(better ? { better } : {}),
    reasons: touches
      .filter((touch) => touch.at.start >= region.start && !seen.has(touch.at.start) && seen.add(touch.at.start))
      .slice(0, 3)
      .map((touch) => ({
        at: spanIn(file, touch.at),
        text: touch.device ? 'a call reads it here' : touch.mode === 'write' ? 'it is written here' : 'it is read here',
      })),
    ...withRatedFix(
      true,
      better
        ? titleWith(`${better}(${file.text.slice(item.start, item.end)})`, (text) => `Use \`${text}\``)
        : titleWith(path, (name) => `Remove \`${name}\` from \`${clause.name}\``),
      better ? moveItem(file, clause, item, better) : removeItem(file, clause, item),
    ),
  };
}

// ---- overwritten before it is read ---------------------------------------------------------------------------------

/**
 * Does the region write every element that the clause moves before it reads one? Only where loops over exactly the
 * extents prove it.
 */
function isOverwritten(
  scope: Scope,
  region: RegionStep,
  item: ClauseItem,
  variable: Variable,
  touches: readonly Touch[],
): boolean {
  const first = touches[0];
  if (first?.mode !== 'write' || first.op !== undefined || first.device || !first.region) return false;
  // Inside an expression (`c ? (a[i] = 0) : 1`) it may be met or not.
  if (first.form === 'element' && (first.step.kind !== 'assign' || first.step.target !== first.element)) return false;
  // What may run on the host leaves the GPU's copy as it was.
  if (hasClause(first.region.directive, /^(if|self)$/)) return false;
  if (touches.some((touch) => touch.form === 'pointer' || touch.form === 'argument')) return false;
  // The first construct that touches it has to be met, once and whole.
  const around = first.parents.slice(first.parents.indexOf(region) + 1);
  const nest = around.filter((parent): parent is LoopStep => parent.kind === 'loop');
  if (
    around.some((parent) => parent.kind === 'if' || parent.kind === 'other') ||
    around.indexOf(nest[0]!) < around.indexOf(first.region)
  )
    return false;
  if (first.form === 'whole') return nest.length === 0 && !item.value?.kind.startsWith('element');
  const subscripts = first.element?.subscripts;
  const extents = extentsOf(scope, item, variable);
  if (!subscripts || !extents || subscripts.length !== extents.length || nest.length !== subscripts.length)
    return false;
  const used = new Set<LoopStep>();
  const covered = subscripts.every((subscript, at) => {
    const loop =
      subscript.kind === 'name' ? nest.find((one) => one.variable === subscript.name && !used.has(one)) : undefined;
    if (loop?.form !== 'counted' || !loop.lower || !loop.upper || (loop.step && numberAt(scope, loop.step, loop) !== 1))
      return false;
    used.add(loop);
    const { lower, upper, inclusive } = extents[at]!;
    return (
      same(scope, loop.lower, lower, loop) &&
      same(scope, loop.upper, upper, loop) &&
      (loop.inclusive ?? false) === inclusive
    );
  });
  if (!covered) return false;
  const jumps = stepsIn(nest[0]!.body).some((step) => step.kind === 'jump');
  // Later reads in the same turn have to be of the same element.
  const textOf = (values: readonly Value[]): string =>
    values.map(({ start, end }) => scope.file.text.slice(start, end).replace(/\s/g, '')).join();
  return (
    !jumps &&
    touches.every(
      (touch) =>
        touch.mode === 'write' ||
        !isInside(touch, nest[0]!) ||
        (touch.element && textOf(touch.element.subscripts) === textOf(subscripts) && isInside(touch, nest.at(-1)!)),
    )
  );
}

function same(scope: Scope, a: Value, b: Value, at: Step): boolean {
  const first = polynomialAt(scope, a, at),
    second = polynomialAt(scope, b, at);
  return first !== undefined && second !== undefined && first.equals(second);
}
