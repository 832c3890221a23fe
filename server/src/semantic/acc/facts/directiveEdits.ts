// Edits of directives: clauses added, changed and taken out, lines put before and after statements, in C and in both
// forms of Fortran.
import { newlineOf } from '../../language';
import { spanIn } from '../../span';
import type { Clause, ClauseItem, Directive, Place, ProcedureFile, Step } from '../../../syntax/procedures';
import type { Edit } from '../../model';
import type { AccFix } from '../model';
import { wholeLines } from '../../../syntax/lines';

type Part = Edit | readonly Edit[] | undefined;

/** The edits of all parts, or nothing where one of them cannot be made. */
export function together(...parts: readonly Part[]): readonly Edit[] | undefined {
  return parts.every((part) => part !== undefined) ? parts.flat() : undefined;
}

/** A fix of these parts, where all of them can be made. */
export function fixOf(title: string, ...parts: readonly Part[]): AccFix | undefined {
  const edits = together(...parts);
  return edits?.length ? { title, edits } : undefined;
}

/** The same as the field of a fact. */
export function withFix(title: string, ...parts: readonly Part[]): { readonly fix?: AccFix } {
  const fix = fixOf(title, ...parts);
  return fix ? { fix } : {};
}

/** The same of a fix that holds for all data, or does not. */
export function withRatedFix(
  safe: boolean,
  title: string,
  ...parts: readonly Part[]
): { readonly fix?: AccFix & { readonly safe: boolean } } {
  const fix = fixOf(title, ...parts);
  return fix ? { fix: { ...fix, safe } } : {};
}

export function editAt(file: ProcedureFile, place: Place, newText: string): Edit {
  return { at: spanIn(file, place), newText };
}

/** A directive on a separate line, without its line break. */
export function directiveLine(file: ProcedureFile, indent: string, text: string): string {
  return `${file.fixedForm ? '' : indent}${file.language === 'c' ? '#pragma acc' : '!$acc'} ${text}`;
}

/**
 * Puts a clause into the part of a directive that holds for every device: behind its last clause, or before the first
 * `device_type`.
 */
export function addClause(file: ProcedureFile, directive: Directive, clause: string): Edit | undefined {
  const text = inCaseOf(file, directive, clause);
  // Behind a parenthesis that is not closed a clause would be part of another one's argument.
  if (directive.macro || directive.nameAt.macro || directive.problems.some((problem) => problem.code === 'malformed'))
    return undefined;
  const types = directive.clauses.findIndex((clause) => clause.name === 'device_type');
  const at =
    types >= 0
      ? directive.clauses[types]!.start
      : (directive.clauses.at(-1)?.end ?? directive.argument?.end ?? directive.nameAt.end);
  return editAt(file, { start: at, end: at }, types >= 0 ? `${text} ` : ` ${text}`);
}

/** Adds a name to the directive's last clause of this kind and operator, or as a separate clause. */
export function addToList(
  file: ProcedureFile,
  directive: Directive,
  name: string,
  item: string,
  { operator, prefix }: { readonly operator: string; readonly prefix: string },
): Edit | undefined {
  const list = directive.clauses.findLast(
    (clause) => clause.name === name && clause.argument?.operator === operator && !clause.deviceTypes,
  );
  const last = list?.argument?.items.at(-1);
  if (!last || list!.macro || directive.macro) return addClause(file, directive, `${name}(${prefix}${item})`);
  return editAt(file, { start: last.end, end: last.end }, `, ${item}`);
}

/** The clause's word in the case of the directive's: `REDUCTION(+:Sum)` after `PARALLEL LOOP`. */
function inCaseOf(file: ProcedureFile, { nameAt }: Directive, text: string): string {
  const name = file.text.slice(nameAt.start, nameAt.end);
  return file.language === 'fortran' && name === name.toUpperCase()
    ? text.replace(/^\w+/, (word) => word.toUpperCase())
    : text;
}

export function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : text[end - 1] === '\r' ? end - 1 : end;
}

/** Takes a clause out, with the blank or comma before it. */
export function removeClause(file: ProcedureFile, clause: Clause): Edit | undefined {
  if (clause.macro) return undefined;
  // Removing it from a separate continuation line would leave an empty one.
  const line = file.text.slice(file.text.lastIndexOf('\n', clause.start - 1) + 1, clause.start);
  if (
    /^\s*(!\$acc[&\w]?\s*)?$/i.test(line) &&
    /^[ \t]*([&\\].*)?$/.test(file.text.slice(clause.end, endOfLine(file.text, clause.end)))
  )
    return undefined;
  const before = /[ \t]*,?[ \t]*$/.exec(file.text.slice(0, clause.start).slice(-200))![0];
  // A clause that opens its line leaves the blanks there.
  const start = clause.start - (file.text[clause.start - before.length - 1] === '\n' ? 0 : before.length);
  return editAt(file, { start, end: clause.end }, '');
}

/** Takes an item out of a clause's list; the whole clause where it is the only one. */
export function removeItem(file: ProcedureFile, clause: Clause, item: ClauseItem): Edit | undefined {
  const items = clause.argument?.items ?? [];
  if (items.length === 1) return removeClause(file, clause);
  if (clause.macro || item.macro) return undefined;
  const at = items.indexOf(item);
  const place = at === 0 ? { start: item.start, end: items[1]!.start } : { start: items[at - 1]!.end, end: item.end };
  return /^[\s\S]*[\n&][\s\S]*$/.test(file.text.slice(place.start, place.end)) ? undefined : editAt(file, place, '');
}

/**
 * Moves an item to a clause of another name, after the clause that it is in; a clause whose only item it is
 * changes its name.
 */
export function moveItem(
  file: ProcedureFile,
  clause: Clause,
  item: ClauseItem,
  name: string,
): readonly Edit[] | undefined {
  if (clause.macro || item.macro) return undefined;
  if (clause.argument?.items.length === 1) return [editAt(file, clause.nameAt, name)];
  const newText = ` ${name}(${file.text.slice(item.start, item.end)})`;
  return together(removeItem(file, clause, item), editAt(file, { start: clause.end, end: clause.end }, newText));
}

/** A line before a step, at its indent. */
export function lineBefore(
  file: ProcedureFile,
  step: { readonly start: number; readonly indent: string; readonly macro?: boolean },
  text: string,
): Edit | undefined {
  const start = ownLine(file, step.start);
  // A compiler's own directive (`#pragma GCC ivdep`, `!GCC$ unroll`) wants the loop as its next line.
  const above =
    start === undefined
      ? ''
      : (/([^\n]*)\n(?:[ \t\r]*(?:\/\/[^\n]*)?\n)*$/.exec(file.text.slice(Math.max(0, start - 2000), start))?.[1] ??
        '');
  if (
    /^\s*#\s*pragma\s+(?!acc\b)/.test(above) ||
    (file.language === 'fortran' && /^\s*[!cC*](dir|gcc|dec|ibm|pgi|nec|ocl)\$/i.test(above))
  )
    return undefined;
  return step.macro || start === undefined
    ? undefined
    : editAt(file, { start, end: start }, `${directiveLine(file, step.indent, text)}${newlineOf({ file })}`);
}

/**
 * Is a statement of C in a list of statements, so that another may be added? Not what an `if` or a loop
 * without braces governs.
 */
export function standsInList(file: ProcedureFile, step: { readonly start: number }): boolean {
  if (file.language !== 'c') return true;
  const before = file.text
    .slice(Math.max(0, step.start - 4000), step.start)
    .replace(/\/\*[\s\S]*?\*\//g, '')
    .split('\n')
    .map((line) => (/^\s*#/.test(line) ? '' : line.replace(/\/\/.*/, '')))
    .join('\n')
    .trimEnd();
  return /[{};:]$/.test(before);
}

/** A line after a step, at its indent. */
export function lineAfter(file: ProcedureFile, step: Step, text: string): Edit | undefined {
  const end = endOfLine(file.text, step.end);
  if (step.macro || ownLine(file, step.start) === undefined || !standsInList(file, step)) return undefined;
  // Only a comment may follow it on its last line.
  if (!/^[ \t]*(;[ \t]*)?(\/\/.*|\/\*[^\n]*\*\/[ \t]*|!.*)?$/.test(file.text.slice(step.end, end))) return undefined;
  return editAt(file, { start: end, end }, `${newlineOf({ file })}${directiveLine(file, step.indent, text)}`);
}

/** The start of the line that a place opens; undefined where something precedes it on the line. */
function ownLine(file: ProcedureFile, offset: number): number | undefined {
  const start = file.text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*(\d+[ \t]+)?$/.test(file.text.slice(start, offset)) ? start : undefined;
}

/** Takes a directive that stands alone out with its lines. */
export function removeLines(file: ProcedureFile, place: Place): Edit | undefined {
  const lines = place.macro ? undefined : wholeLines(file.text, place);
  return lines && editAt(file, lines, '');
}
