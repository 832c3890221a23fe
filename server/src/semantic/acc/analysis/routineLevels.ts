// The levels of parallelism that procedures with a `routine` directive use, and who calls them.
import type { ClauseItem } from '../../../syntax/procedures';
import { flowOf } from './dataflow';
import { type AccLoop, clausesFor } from './regions';
import type { Scope } from './scope';

/** The level of a procedure's `routine` directive; undefined without one. */
function levelOfRoutine(scope: Scope): 'gang' | 'worker' | 'vector' | 'seq' | undefined {
  const directives = [
    ...scope.procedure.routine,
    ...scope.sources.files.flatMap((file) =>
      file.directives.filter((each) => each.name === 'routine' && names(each.argument?.items, scope)),
    ),
  ];
  for (const directive of directives) {
    const clauses = clausesFor(directive);
    for (const level of ['gang', 'worker', 'vector', 'seq'] as const) if (clauses.has(level)) return level;
  }
  return directives.length > 0 ? 'seq' : undefined;
}

/** Procedures with loops for lanes or more that are called in a loop. */
export function laneRoutinesIn({ region, step }: AccLoop): readonly Scope[] {
  return flowOf(region.scope).calls.flatMap(({ call, callee }) =>
    callee && call.start >= step.start && call.end <= step.end && !['seq', undefined].includes(levelOfRoutine(callee))
      ? [callee]
      : [],
  );
}

export function names(items: readonly ClauseItem[] | undefined, scope: Scope): boolean {
  return (
    items?.some(
      (item) =>
        (item.variable ?? item.text).replace(/["'\s]/g, '').toLowerCase() === scope.procedure.name.toLowerCase(),
    ) === true
  );
}
