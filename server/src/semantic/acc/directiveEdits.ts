// Edits that add to directives the way they are written: clauses where their device's part stands, lines with the sentinel of the language.
import type { Clause, Directive, LoopStep } from '../../syntax/procedures';
import type { Edit } from '../model';
import { forNvidia } from './regions';
import type { Scope } from './scope';

const freeColumns = 132, fixedColumns = 72;

/**
 * Adds clauses to a directive. `nvidiaOnly` puts them into its `device_type(nvidia)` part, which is begun at its end where there is none;
 * else they go to the default part, before any `device_type`. Undefined where the directive stands in a macro.
 */
export function appendClauses(scope: Scope, directive: Directive, clauses: string, nvidiaOnly: boolean): Edit[] | undefined {
  if (directive.macro || directive.nameAt.macro) return undefined;
  const own = nvidiaOnly ? directive.clauses.filter(forNvidia).at(-1) : undefined;
  const firstDevice = directive.clauses.findIndex((clause) => clause.name === 'device_type');
  const before: { readonly end: number } = own ?? (nvidiaOnly || firstDevice < 0 ? directive.clauses.at(-1) ?? directive.argument ?? directive.nameAt : directive.clauses[firstDevice - 1] ?? directive.argument ?? directive.nameAt);
  const text = nvidiaOnly && !own ? `device_type(nvidia) ${clauses}` : clauses;
  return [{ at: { uri: scope.file.uri, start: before.end, end: before.end }, newText: continued(scope, directive, before.end, text) }];
}

/** The clause with a blank before it, on a continuation line of its own where the line would become too long for Fortran. */
function continued(scope: Scope, directive: Directive, at: number, clauses: string): string {
  if (directive.language !== 'fortran') return ` ${clauses}`;
  const { text } = scope.file;
  const start = text.lastIndexOf('\n', at - 1) + 1;
  const newline = text.indexOf('\n', at);
  const rest = text.slice(at, newline < 0 ? undefined : newline).replace(/\r$/, '').trimEnd();
  const columns = directive.fixedForm ? fixedColumns : freeColumns;
  if (at - start + 1 + clauses.length + rest.length <= columns) return ` ${clauses}`;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const indent = /^[ \t]*/.exec(text.slice(start))![0];
  return directive.fixedForm ? `${end}!$acc& ${clauses}` : ` &${end}${indent}!$acc& ${clauses}`;
}

/** Writes another number (or text) between the parentheses of a clause. */
export function setArgument(scope: Scope, clause: Clause, text: string): Edit[] | undefined {
  if (clause.macro || !clause.argument || clause.argument.macro || clause.argument.inner.macro) return undefined;
  const item = clause.argument.items.at(-1);
  const at = item && clause.argument.items.length === 1 ? item : clause.argument.inner;
  return at.macro ? undefined : [{ at: { uri: scope.file.uri, start: at.start, end: at.end }, newText: text }];
}

/** Gives a clause that has no argument one, or another number to one that has. */
export function withArgument(scope: Scope, clause: Clause, text: string): Edit[] | undefined {
  if (clause.argument) return setArgument(scope, clause, text);
  return clause.macro ? undefined : [{ at: { uri: scope.file.uri, start: clause.nameAt.end, end: clause.nameAt.end }, newText: `(${text})` }];
}

/** A `loop` directive with these clauses on a line of its own above a loop that has none. Undefined where the loop does not begin its line. */
export function loopDirectiveAbove(scope: Scope, loop: LoopStep, clauses: string): Edit[] | undefined {
  const { text } = scope.file;
  if (loop.macro || loop.header.macro) return undefined;
  const line = text.lastIndexOf('\n', loop.start - 1) + 1;
  const indent = text.slice(line, loop.start);
  if (!/^[ \t]*$/.test(indent)) return undefined;
  const end = text.includes('\r\n') ? '\r\n' : '\n';
  const sentinel = scope.file.language === 'c' ? `${indent}#pragma acc` : scope.file.fixedForm ? '!$acc' : `${indent}!$acc`;
  return [{ at: { uri: scope.file.uri, start: line, end: line }, newText: `${sentinel} loop${clauses ? ` ${clauses}` : ''}${end}` }];
}

/** Adds clauses to a loop's directive, or a `loop` directive with them where it has none. */
export function addToLoop(scope: Scope, loop: LoopStep, directive: Directive | undefined, clauses: string, nvidiaOnly: boolean): Edit[] | undefined {
  return directive ? appendClauses(scope, directive, clauses, nvidiaOnly) : loopDirectiveAbove(scope, loop, nvidiaOnly ? `device_type(nvidia) ${clauses}` : clauses);
}
