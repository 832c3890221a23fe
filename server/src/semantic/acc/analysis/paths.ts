// Variables by their path (`A->vals`): what a value names, what a clause names, and what lies inside what.
import type {
  Clause,
  ClauseItem,
  Directive,
  LoopStep,
  Place,
  RegionStep,
  Step,
  Value,
  Variable,
} from '../../../syntax/procedures';
import { scalarNamed } from '../../language';
import { constructOf } from './regions';
import { type Scope, variableAt } from './scope';
import { stepsIn } from './steps';

export function isStructure(variable: Variable | undefined): boolean {
  return variable !== undefined && !variable.dimensions && !scalarNamed(variable.type);
}

/** What a C++ reference may be another name of. */
export function namedIn(value: Value): readonly string[] {
  const path = pathTo(value);
  if (path) return [path];
  switch (value.kind) {
    case 'conditional':
      return [...namedIn(value.then), ...namedIn(value.else)];
    case 'call':
      return value.args.flatMap(namedIn);
    case 'other':
      return value.parts.flatMap(namedIn);
    default:
      return [];
  }
}

/** Whether a function returns memory that has no other name. */
export const allocates = (name: string): boolean =>
  /^(malloc|calloc|new|acc_malloc|aligned_alloc|_mm_malloc|cudaMallocManaged)$/.test(name);

/** The paths whose memory a pointer points into when it is given this value. */
export function addressesIn(value: Value, scope: Scope): readonly string[] {
  switch (value.kind) {
    case 'name':
    case 'member': {
      const path = pathTo(value)!;
      return variableAt(scope, path, value.start)?.dimensions || scope.file.language === 'fortran' ? [path] : [];
    }
    case 'element':
      return [value.array];
    case 'unary':
      return addressesIn(value.operand, scope);
    case 'binary':
      return /^[-+]$/.test(value.op) ? [...addressesIn(value.left, scope), ...addressesIn(value.right, scope)] : [];
    case 'conditional':
      return [...addressesIn(value.then, scope), ...addressesIn(value.else, scope)];
    case 'other':
      return value.parts.flatMap((part) => addressesIn(part, scope));
    // `realloc(p, n)`, `std::move(p)`, `v.data()`: what a function makes of a pointer may point to the same.
    case 'call':
      return allocates(value.name) ? [] : value.args.flatMap((arg) => addressesIn(arg, scope));
    default:
      return [];
  }
}

/** A value's path as one text, without its own subscripts; undefined for anything but a variable. */
export function pathTo(value: Value): string | undefined {
  switch (value.kind) {
    case 'name':
      return value.name;
    case 'member':
      return value.path;
    case 'element':
      return value.array || undefined;
    case 'unary':
      return value.op === '&' || value.op === '*' ? pathTo(value.operand) : undefined;
    default:
      return undefined;
  }
}

/** The values that a procedure gives to what a path names itself. */
export function valuesAssigned(scope: Scope, path: string): readonly Value[] {
  return stepsIn(scope.procedure.body).flatMap((step) =>
    step.kind === 'assign' && step.target.kind !== 'element' && pathTo(step.target) === path ? [step.value] : [],
  );
}

/** The path that an item of a clause names, sections dropped. */
export function itemPath(item: ClauseItem): string | undefined {
  return (item.value && pathTo(item.value)) ?? item.variable;
}

/** Is `path` the variable `named`, or a part of it? */
export function isPartOf(path: string, named: string): boolean {
  return path === named || (path.startsWith(named) && /^(->|\.|%|\[)/.test(path.slice(named.length)));
}

/** Is one of them a part of the other? */
export const isRelated = (path: string, other: string): boolean => isPartOf(path, other) || isPartOf(other, path);

/** The variable that an item of a clause names, and its path. */
export function namedBy(scope: Scope, item: ClauseItem): { path: string; variable: Variable } | undefined {
  const path = itemPath(item);
  const variable = path ? variableAt(scope, path, item.start) : undefined;
  return path && variable ? { path, variable } : undefined;
}

/** The item of a clause that names the path, the structure it is part of, or a part of it. */
export function itemNaming({ argument }: Clause, path: string): ClauseItem | undefined {
  return argument?.items.find((item) => isRelated(path, itemPath(item) ?? ''));
}

export const clauseNames = (clause: Clause, path: string): boolean => itemNaming(clause, path) !== undefined;

export const hasClause = ({ clauses }: Directive, names: RegExp): boolean =>
  clauses.some(({ name }) => names.test(name));

/** The items of a directive's clauses of these names. */
export const itemsOf = ({ clauses }: Directive, names: RegExp): readonly ClauseItem[] =>
  clauses.flatMap(({ name, argument }) => (names.test(name) ? (argument?.items ?? []) : []));

/** Names of clauses that bring data to the GPU, or make room for it. */
export const moving = /^(copy|copyin|copyout|create)$/;

const dataClauses = new RegExp(
  [
    '^(copy|copyin|copyout|create|present|deviceptr|no_create|attach|use_device|delete|detach|link',
    'device_resident)$',
  ].join('|'),
);

export const isDataClause = (clause: Clause): boolean => dataClauses.test(clause.name);

/** Do clauses give each gang or iteration a copy of a variable? */
export const owns = (clauses: readonly Clause[], path: string): boolean =>
  clauses.some((clause) => /^(reduction|private|firstprivate)$/.test(clause.name) && clauseNames(clause, path));

/** Does a data clause name one of the paths? */
export function hasDataClause({ clauses }: Directive, paths: ReadonlySet<string>): boolean {
  return clauses.some((clause) => isDataClause(clause) && [...paths].some((path) => clauseNames(clause, path)));
}

/** Is it declared within a place, in whatever file? */
export function isWithin({ at }: Variable, { start, end }: Place): boolean {
  return at.start >= start && at.start < end;
}

export function rootOfPath(path: string): string {
  return /^[\w$]+/.exec(path)?.[0] ?? path;
}

/** The path of an argument with what comes after the parameter's name in the callee. */
export function joinPath(argument: Value, path: string, suffix: string): string {
  if (argument.kind === 'unary' && argument.op === '&') return path + suffix.replace(/^->/, '.');
  return suffix.startsWith('.') && argument.kind === 'element' ? path + suffix.replace(/^\./, '->') : path + suffix;
}

// ---- questions of the rules ---------------------------------------------------------------------------------------

/** The loops of the host around a step, outermost first. */
export function hostLoops(parents: readonly Step[]): readonly LoopStep[] {
  const loops: LoopStep[] = [];
  for (const parent of parents) {
    if (parent.kind === 'region' && constructOf(parent.directive)) break;
    if (parent.kind === 'loop') loops.push(parent);
  }
  return loops;
}

/** Structured data regions around a step. */
export function dataRegions(parents: readonly Step[]): readonly RegionStep[] {
  return parents.filter(
    (parent): parent is RegionStep =>
      parent.kind === 'region' && (parent.directive.name === 'data' || parent.directive.name === 'host_data'),
  );
}

export const isInside = (touch: { readonly parents: readonly Step[]; readonly step: Step }, step: Step): boolean =>
  touch.step === step || touch.parents.includes(step);
export const within = (place: Place, outer: Place): boolean => place.start >= outer.start && place.end <= outer.end;
