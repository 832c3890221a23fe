// Copies on the GPU that are not there, or not the newest.
import type { DirectiveProblem, Place, Variable } from '../../../syntax/procedures';
import { flowOf } from '../analysis/dataflow';
import { outOfStep } from '../analysis/deviceData';
import { clauseNames, itemPath, itemsOf } from '../analysis/paths';
import { regionsOf } from '../analysis/regions';
import { type Scope, variableAt } from '../analysis/scope';
import { leftTo } from './conformance';

export function copyProblemsOf(scope: Scope): readonly DirectiveProblem[] {
  return [...outOfStep(scope).values(), ...notUpdated(scope), ...absent(scope)];
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
    const isMoved = directives.some(
      ({ name, clauses }) =>
        /^(update|enter data)$/.test(name) &&
        clauses.some((clause) => /^(device|copyin)$/.test(clause.name) && clauseNames(clause, path)),
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

/** Scalars behind pointers that `default(present)` takes for present. */
function absent(scope: Scope): DirectiveProblem[] {
  if (scope.file.language !== 'fortran') return [];
  return regionsOf(scope).flatMap((region) => {
    const isScalar = ({ pointer, dimensions }: Variable): boolean => pointer === true && !dimensions;
    const { clause, names } = leftTo(scope, region, 'present', isScalar);
    return names.map((name) => problem('not-present', clause!, { name }));
  });
}
