// Which variable a name means, and which single value it holds at a place.
import type {
  Dimension,
  LoopStep,
  Place,
  Procedure,
  ProcedureFile,
  Step,
  Value,
  Variable,
} from '../../../syntax/procedures';
import { firstIndex } from '../../../syntax/lines';
import { append, constantPolynomial, onceWith } from '../../language';
import { namesIn, polynomialOf, type ValuePolynomial } from './valuePolynomials';
import { isAssignmentTo, effectsOf, effectsOfStep, listsOf, valuesIn } from './steps';

interface Position {
  readonly list: readonly Step[];
  readonly at: number;
  readonly parent?: Step;
}

/** A procedure with its steps' places, among all known procedures. */
export interface Scope {
  readonly file: ProcedureFile;
  readonly procedure: Procedure;
  readonly sources: Sources;
  readonly positions: ReadonlyMap<Step, Position>;
  /** The procedure's variables by name. */
  readonly variables: ReadonlyMap<string, readonly Variable[]>;
}

/** The file that is analysed (first) and those whose procedures and globals it sees. */
export interface Sources {
  readonly files: readonly ProcedureFile[];
  readonly scopes: readonly Scope[];
}

export function sourcesOf(file: ProcedureFile, others: readonly ProcedureFile[]): Sources {
  const files = [file, ...others.filter((other) => other.uri !== file.uri)];
  const scopes: Scope[] = [];
  const sources: Sources = { files, scopes };
  for (const each of files) for (const procedure of each.procedures) scopes.push(scopeOf(each, procedure, sources));
  return sources;
}

function scopeOf(file: ProcedureFile, procedure: Procedure, sources: Sources): Scope {
  const positions = new Map<Step, Position>();
  const walk = (list: readonly Step[], parent: Step | undefined): void =>
    list.forEach((step, at) => {
      positions.set(step, { list, at, ...(parent ? { parent } : {}) });
      for (const inner of listsOf(step)) walk(inner, step);
    });
  walk(procedure.body, undefined);
  const variables = new Map<string, Variable[]>();
  for (const variable of procedure.variables) append(variables, variable.name, variable);
  return { file, procedure, sources, positions, variables };
}

/**
 * The variable that a name means at an offset of the procedure: the innermost scope first, then what the known files
 * declare.
 */
export function variableAt(scope: Scope, name: string, offset: number): Variable | undefined {
  let best: Variable | undefined;
  for (const variable of scope.variables.get(name) ?? []) {
    if (variable.scope && (offset < variable.scope.start || offset >= variable.scope.end)) continue;
    if (
      !best ||
      sizeOf(variable.scope) < sizeOf(best.scope) ||
      (sizeOf(variable.scope) === sizeOf(best.scope) && variable.at.start > best.at.start)
    )
      best = variable;
  }
  if (best) return best;
  for (const file of [scope.file, ...scope.sources.files]) {
    const found = file.globals.find((variable) => variable.name === name);
    if (found) return found;
  }
  return undefined;
}

function sizeOf(place: Place | undefined): number {
  return place ? place.end - place.start : Number.POSITIVE_INFINITY;
}

/**
 * The value that a name was last given before `at`, where there is one such assignment on every way there, it holds for
 * the whole turn of each loop around, and nothing it is made of has changed since. Undefined for parameters, and where
 * several may reach it.
 */
export function definitionOf(scope: Scope, name: string, at: Step): Value | undefined {
  const since: Stretch[] = [];
  const { body } = scope.procedure;
  const all = effectsOf(body);
  // What nothing in the procedure writes need not be looked for.
  let position = all.written.has(name) || all.passed.has(name) ? scope.positions.get(at) : undefined;
  while (position) {
    const { list, at: end, parent } = position;
    const writers = writersIn(scope, list, name);
    const last = writers[firstIndex(writers.length, (index) => writers[index]! >= end) - 1];
    since.push({ list, from: (last ?? -1) + 1, to: end });
    const step = last === undefined ? undefined : list[last]!;
    if (step) {
      if (!isAssignmentTo(step, name) || step.op !== undefined) return undefined;
      return unchanged(scope, step.value, since) ? step.value : undefined;
    }
    if (!parent) break;
    if (parent.kind === 'loop') {
      if (writes(scope, parent, name)) return undefined;
      const around = scope.positions.get(parent)!;
      since.push({ list: around.list, from: around.at, to: around.at + 1 });
    }
    position = scope.positions.get(parent);
  }
  const variable = variableAt(scope, name, at.start);
  if (!variable?.value || variable.dimensions !== undefined) return undefined;
  if (variable.constant) return variable.value;
  return variable.role === 'local' &&
    writersIn(scope, body, name).length === 0 &&
    unchanged(scope, variable.value, [{ list: body, from: 0, to: body.length }])
    ? variable.value
    : undefined;
}

/** Where in a list a name is given a value, in order. */
function writersIn(scope: Scope, list: readonly Step[], name: string): readonly number[] {
  return writersByName(scope, list).get(name) ?? [];
}
const writersByName = onceWith(({ file }: Scope, list: readonly Step[]) => {
  const writers = new Map<string, number[]>();
  for (const [index, step] of list.entries()) {
    const { written, passed } = effectsOfStep(step);
    const names = file.language === 'fortran' ? new Set([...written, ...passed]) : written;
    for (const each of names) append(writers, each, index);
  }
  return writers;
});

/** Steps of a list, one after the other. */
interface Stretch {
  readonly list: readonly Step[];
  readonly from: number;
  readonly to: number;
}

function unchanged(scope: Scope, value: Value, since: readonly Stretch[]): boolean {
  const isKept = (name: string): boolean =>
    since.every(({ list, from, to }) => {
      const writers = writersIn(scope, list, name);
      const next = firstIndex(writers.length, (index) => writers[index]! >= from);
      return next === writers.length || writers[next]! >= to;
    });
  const arrays = new Set(valuesIn(value).flatMap((part) => (part.kind === 'element' ? [part.array] : [])));
  const isStored = (step: Step): boolean =>
    effectsOfStep(step).accesses.some((access) => access.write && arrays.has(access.element.array));
  return (
    [...namesIn(value)].every(isKept) &&
    (arrays.size === 0 || !since.some(({ list, from, to }) => list.slice(from, to).some(isStored)))
  );
}

/** Whether a step or anything inside gives `name` a value. */
export function writes(scope: Scope, step: Step, name: string): boolean {
  const effects = effectsOfStep(step);
  return effects.written.has(name) || (scope.file.language === 'fortran' && effects.passed.has(name));
}

/** A value at a step. Loop variables and whatever has no single value stay as they are. */
export const polynomialAt = onceWith((scope: Scope, value: Value, at: Step): ValuePolynomial | undefined =>
  polynomialOf(value, (part) => (part.kind === 'name' ? definitionOf(scope, part.name, at) : undefined)),
);

/** The number that an expression is at a step; undefined where it depends on anything that the text does not fix. */
export function numberAt(scope: Scope, value: Value | undefined, at: Step): number | undefined {
  return value ? polynomialAt(scope, value, at)?.number : undefined;
}

/** The first and the last or next value of a loop's variable. */
export function boundsOf(
  scope: Scope,
  loop: LoopStep,
): { readonly lower: ValuePolynomial; readonly upper: ValuePolynomial } | undefined {
  const lower = loop.lower && polynomialAt(scope, loop.lower, loop);
  const upper = loop.upper && polynomialAt(scope, loop.upper, loop);
  return lower && upper && { lower, upper };
}

/** The elements along a dimension. */
export function extentAt(scope: Scope, dimension: Dimension, at: Step): ValuePolynomial | undefined {
  const { extent, upper, lower } = dimension;
  if (extent) return polynomialAt(scope, extent, at);
  const low = lower ? numberAt(scope, lower, at) : 1;
  return upper && low !== undefined ? polynomialAt(scope, upper, at)?.plus(constantPolynomial(1 - low)) : undefined;
}

/** Fortran's names as their declaration spells them. */
export function asDeclared(scope: Scope, path: string, variable: Variable): string {
  const written = scope.file.text.slice(variable.at.start, variable.at.end);
  return variable.uri === scope.file.uri && written.toLowerCase() === path ? written : path;
}

/** The head of a loop as it is written, for a message; `do … while (c)` where it is at the loop's end. */
export function headOf(file: ProcedureFile, loop: LoopStep): string {
  const text = file.text.slice(loop.header.start, loop.header.end);
  return file.language === 'c' && text === 'do' && loop.cond
    ? `do … while (${file.text.slice(loop.cond.start, loop.cond.end)})`
    : text;
}

/** The steps around a step, outermost first. */
export function parentsOf(scope: Scope, step: Step): readonly Step[] {
  const parent = scope.positions.get(step)?.parent;
  return parent ? [...parentsOf(scope, parent), parent] : [];
}

/** The loops around a step, innermost first. */
export const loopsAround = (scope: Scope, step: Step): readonly LoopStep[] =>
  parentsOf(scope, step)
    .filter((parent) => parent.kind === 'loop')
    .reverse();
