// Copies on the GPU that are not there, or not the newest.
import type { DirectiveProblem, ElementValue, Place, Step, Value, Variable } from '../../../syntax/procedures';
import { flowOf, type Touch } from '../analysis/dataflow';
import { copiesAlways, outOfStep } from '../analysis/deviceData';
import { clauseNames, isInside, isRelated, itemPath, itemsOf, moving, rootOfPath } from '../analysis/paths';
import { regionsOf } from '../analysis/regions';
import { routinesOf } from '../analysis/routineLevels';
import { type Scope, variableAt } from '../analysis/scope';
import { directivesOf, stepsIn } from '../analysis/steps';
import { leftTo } from './conformance';

export function copyProblemsOf(scope: Scope): readonly DirectiveProblem[] {
  return [
    ...outOfStep(scope).values(),
    ...notUpdated(scope),
    ...absent(scope),
    ...stepsIn(scope.procedure.body).flatMap((step) => [...unset(scope, step), ...oneElement(scope, step)]),
  ];
}

const problem = (code: DirectiveProblem['code'], at: Place, data: DirectiveProblem['data']): DirectiveProblem => ({
  code,
  at,
  data,
});

/** Variables of `declare` that the host sets, code for the GPU reads, and no directive brings there. */
function notUpdated(scope: Scope): DirectiveProblem[] {
  if (scope.procedure.routine.length > 0) return [];
  const { files, scopes } = scope.sources;
  const directives = files.flatMap((file) => file.directives);
  const moves = new RegExp(/\bacc_(update_device|copyin|memcpy_to_device)\w*/i);
  if (files.some(({ text }) => moves.test(text))) return [];
  const names = new Set(
    directives.flatMap((each) => (each.name === 'declare' ? itemsOf(each, /^create$/).map(itemPath) : [])),
  );
  const found = new Map<string, DirectiveProblem>();
  for (const { path, mode, form, region, device, step, at } of names.size > 0 ? flowOf(scope).touches : []) {
    if (mode !== 'write' || region || device || !names.has(path) || !/^(scalar|element|whole)$/.test(form)) continue;
    const variable = variableAt(scope, path, step.start);
    if (variable?.role !== 'global' || found.has(path)) continue;
    const isMoved = directives.some(({ name, clauses }) =>
      clauses.some(
        (clause) =>
          (/^(update|enter data)$/.test(name) ? /^(device|copyin)$/.test(clause.name) : copiesAlways(clause, 'in')) &&
          clauseNames(clause, path),
      ),
    );
    const isRead = scopes.some((other) =>
      flowOf(other).touches.some(
        (touch) =>
          touch.path === path &&
          touch.mode === 'read' &&
          (touch.region !== undefined || other.procedure.routine.length > 0) &&
          variableAt(other, path, touch.step.start)?.at.start === variable.at.start,
      ),
    );
    if (isRead && !isMoved) found.set(path, problem('not-updated', at, { name: path }));
  }
  return [...found.values()];
}

/** Variables of files and modules that routines for the GPU use, and no `declare` puts there, where met first. */
export function undeclaredIn(scopes: readonly Scope[]): readonly DirectiveProblem[] {
  const found = new Map<Variable, DirectiveProblem>();
  for (const scope of scopes) {
    const { files } = scope.sources;
    const routines = routinesOf(scope.sources, scope);
    // The body of one that is bound to another runs on the host alone.
    if (routines.length === 0 || routines.some(({ clauses }) => clauses.some(({ name }) => name === 'bind'))) continue;
    const declared = files.flatMap(({ directives }) => directives.filter(({ name }) => name === 'declare'));
    const globals = files.flatMap((file) => file.globals);
    for (const { path, call, step, at } of flowOf(scope).touches) {
      const name = rootOfPath(path);
      const variable = call ? undefined : variableAt(scope, name, step.start);
      // A method knows the members of its class among the global names.
      const global = globals.find((each) => each.uri === variable?.uri && each.at.start === variable.at.start);
      if (!global || global.constant || found.has(global)) continue;
      if (declared.some(({ clauses }) => clauses.some((clause) => clauseNames(clause, name)))) continue;
      found.set(global, problem('undeclared', at, { name, by: scope.procedure.name }));
    }
  }
  return [...found.values()];
}

/** Private copies that are read, while nothing in their loop or construct sets them. */
function unset(scope: Scope, step: Step): DirectiveProblem[] {
  const items = directivesOf(step).flatMap((directive) => itemsOf(directive, /^private$/));
  return items.flatMap((item): DirectiveProblem[] => {
    const path = itemPath(item);
    if (!path) return [];
    const inside = flowOf(scope).touches.filter((touch) => isInside(touch, step) && isRelated(touch.path, path));
    const isRead = inside.every(({ mode, form }) => mode === 'read' && form !== 'pointer');
    return inside.length > 0 && isRead ? [problem('unset', item, { name: path })] : [];
  });
}

/** Clauses that name a single element of an array, others of which the GPU uses: some compilers take a length there. */
function oneElement(scope: Scope, step: Step): DirectiveProblem[] {
  const items = directivesOf(step).flatMap((directive) => itemsOf(directive, moving));
  return items.flatMap((item): DirectiveProblem[] => {
    const { value, text } = item;
    if (value?.kind !== 'element' || value.subscripts.some(({ kind }) => kind === 'section')) return [];
    const isUsed = ({ element, region, parents, path }: Touch): boolean =>
      region !== undefined &&
      (region === step || parents.includes(step)) &&
      path === value.array &&
      isCounted(element, value, parents);
    return flowOf(scope).touches.some(isUsed) ? [problem('one-element', item, { name: value.array, text })] : [];
  });
}

/** Is an element of as many subscripts at the counter of a loop around it? */
function isCounted(element: ElementValue | undefined, { subscripts }: ElementValue, parents: readonly Step[]): boolean {
  const isCounter = (value: Value): boolean =>
    value.kind === 'name' && parents.some((loop) => loop.kind === 'loop' && loop.variable === value.name);
  return element?.subscripts.length === subscripts.length && element.subscripts.some(isCounter);
}

/** Scalars behind pointers that `default(present)` takes for present. */
function absent(scope: Scope): DirectiveProblem[] {
  if (scope.file.language !== 'fortran') return [];
  return regionsOf(scope).flatMap((region) => {
    const isScalar = ({ pointer, dimensions }: Variable): boolean => pointer === true && !dimensions;
    const { clause, names } = leftTo(scope, region, 'present', isScalar);
    return names.map((name) => problem('not-present', clause!, { name }));
  });
}
