// Edits of the clauses that map loops: into the part of a directive that speaks to NVIDIA devices, or into the part for
// all.
import type { Clause, Directive, LoopStep } from '../../../syntax/procedures';
import type { Edit } from '../../model';
import { addClause, editAt, lineBefore } from './directiveEdits';
import { forNvidia } from '../analysis/regions';
import type { Scope } from '../analysis/scope';

/**
 * Adds clauses to a directive. `nvidiaOnly` puts them into its `device_type(nvidia)` part, which is begun at its end
 * where there is none; else they go to the default part, before any `device_type`. Undefined where it is in a macro.
 */
export function appendClauses(
  { file }: Scope,
  directive: Directive,
  clauses: string,
  nvidiaOnly: boolean,
): Edit | undefined {
  if (!nvidiaOnly) return addClause(file, directive, clauses);
  const own = directive.clauses.filter(forNvidia).at(-1);
  // Without the other devices' parts the directive is an ordinary one, whose end is where a clause goes.
  const upTo = own ? directive.clauses.indexOf(own) + 1 : directive.clauses.length;
  const plain = {
    ...directive,
    clauses: directive.clauses
      .slice(0, upTo)
      .map((clause) => (clause.name === 'device_type' ? { ...clause, name: '' } : clause)),
  };
  return addClause(file, plain, own ? clauses : `device_type(nvidia) ${clauses}`);
}

/** Adds clauses right behind one of a directive's. */
export function clauseBehind({ file }: Scope, clause: Clause, directive: Directive, text: string): Edit | undefined {
  const upTo = directive.clauses.slice(0, directive.clauses.indexOf(clause) + 1);
  return addClause(file, { ...directive, clauses: upTo }, text);
}

/** Writes another text between the parentheses of a clause of one item. */
export function setArgument({ file }: Scope, clause: Clause, text: string): Edit | undefined {
  const item = clause.argument?.items.at(-1);
  return clause.macro || !item || item.macro || clause.argument?.items.length !== 1
    ? undefined
    : editAt(file, item, text);
}

/** Gives a clause that has no argument one, or another number to one that has. */
export function withArgument(scope: Scope, clause: Clause, text: string): Edit | undefined {
  if (clause.argument) return setArgument(scope, clause, text);
  return clause.macro
    ? undefined
    : editAt(scope.file, { start: clause.nameAt.end, end: clause.nameAt.end }, `(${text})`);
}

/**
 * A `loop` directive with these clauses on a separate line above a loop that has none. Undefined where the loop does
 * not begin its line.
 */
export function loopDirectiveAbove({ file }: Scope, loop: LoopStep, clauses: string): Edit | undefined {
  return lineBefore(file, loop, clauses === '' ? 'loop' : `loop ${clauses}`);
}

/** Adds clauses to a loop's directive, or a `loop` directive with them where it has none. */
export function addToLoop(
  scope: Scope,
  loop: LoopStep,
  directive: Directive | undefined,
  clauses: string,
  nvidiaOnly: boolean,
): Edit | undefined {
  return directive
    ? appendClauses(scope, directive, clauses, nvidiaOnly)
    : loopDirectiveAbove(scope, loop, nvidiaOnly ? `device_type(nvidia) ${clauses}` : clauses);
}
