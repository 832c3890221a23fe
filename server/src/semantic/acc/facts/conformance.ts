// What no compiler takes of directives that are right by themselves: levels inside each other and in routines, their
// sizes, variables without an address, and variables that `default(none)` leaves out.
import type {
  Clause,
  ClauseItem,
  Directive,
  DirectiveProblem,
  ProcedureFile,
  Step,
  Variable,
} from '../../../syntax/procedures';
import { type ArgumentForm, clauses as clauseTable, formOf } from '../../../syntax/directives/table';
import { scalarNamed } from '../../language';
import { flowOf } from '../analysis/dataflow';
import { clauseNames, dataRegions, isDataClause, isWithin, itemPath, moving, within } from '../analysis/paths';
import { clausesFor, type ComputeRegion, loopsOf, outerLoops, regionsOf, sizedClause } from '../analysis/regions';
import {
  declarationsOf,
  levelOf,
  levelsIn,
  type Level,
  nameOfCall,
  routineLevels,
  routinesOf,
} from '../analysis/routineLevels';
import { parentsOf, type Scope, variableAt } from '../analysis/scope';
import { readsOf, stepsIn, valuesIn } from '../analysis/steps';

export function misplacedIn(scope: Scope): readonly DirectiveProblem[] {
  const regions = regionsOf(scope);
  return [
    ...nestedLevels(scope, regions),
    ...regions.flatMap((region) => [...sizedLevels(region), ...unlisted(scope, region)]),
  ];
}

/** Sizes of levels are for loops of kernels without one: elsewhere the construct has them. */
function sizedLevels(region: ComputeRegion): DirectiveProblem[] {
  const sizes = { gang: 'num_gangs', worker: 'num_workers', vector: 'vector_length' } as const;
  return loopsOf(region).flatMap((loop) =>
    (['gang', 'worker', 'vector'] as const).flatMap((level): DirectiveProblem[] => {
      const { argument, written } = sizedClause(loop, level) ?? {};
      const { name = '' } = loop.directive ?? {};
      // The reader of directives knows the gangs of combined ones.
      if (!argument || (level === 'gang' && name !== 'loop')) return [];
      const size = region.construct === 'kernels' ? sizes[level] : '';
      if (size && (name !== 'loop' || !region.clauses.has(size))) return [];
      const directive = name === 'loop' ? `loop in ${region.construct}${size && ` ${size}`}` : name;
      return [{ code: 'argument-not-allowed', at: argument.inner, data: { clause: written!, directive } }];
    }),
  );
}

/** Items of clauses that are not what the clause is for, by the types of their variables; each in `declare` once. */
export function unsuitedIn(file: ProcedureFile, scopes: readonly Scope[]): DirectiveProblem[] {
  const isFortran = file.language === 'fortran';
  const declared = new Map<Variable, string>();
  const ofRows = new Set<Variable>();
  return file.directives.flatMap((directive) => {
    const scope = scopes.findLast(({ procedure }) => within(directive, procedure));
    return directive.clauses.flatMap((clause): DirectiveProblem[] => {
      const { name, written, argument } = clause;
      const form = clauseTable.has(name) ? formOf(directive.name, clauseTable.get(name)!).form : 'none';
      return (argument?.items ?? []).flatMap((item): DirectiveProblem[] => {
        const path = itemPath(item) ?? '';
        const variable = scope ? variableAt(scope, path, item.start) : file.globals.find((each) => each.name === path);
        const expected =
          form === 'variables' || form === 'reduction'
            ? variable && expectedOf(clause, item, variable, isFortran)
            : expectedNumber(form, item, variable, isFortran);
        if (expected) return [{ code: 'argument-malformed', at: item, data: { clause: written, expected } }];
        const isMoved = moving.test(name) && !isFortran;
        if (isMoved && variable && isOfRows(item, variable) && !ofRows.has(variable)) {
          ofRows.add(variable);
          return [{ code: 'rows', at: item, data: { name: path } }];
        }
        const other = directive.name === 'declare' && item.value?.kind === 'name' && variable && declared.get(variable);
        if (variable && directive.name === 'declare') declared.set(variable, written);
        return other ? [{ code: 'item-repeated', at: item, data: { variable: path, clause: written, other } }] : [];
      });
    });
  });
}

/** What a clause of variables takes instead of this one; undefined where it may take it. */
function expectedOf(
  { name, argument }: Clause,
  { value }: ClauseItem,
  { pointer, allocatable, constant, dimensions, floating, type }: Variable,
  isFortran: boolean,
): string | undefined {
  const isScalar = !pointer && !dimensions && scalarNamed(type);
  if (constant && (isFortran || (isScalar && /^(private|reduction)$/.test(name))))
    return `variables, and a constant ${isFortran ? 'has no address' : 'cannot change'}`;
  if (name === 'deviceptr' && (isFortran ? pointer || allocatable : !pointer && scalarNamed(type)))
    return isFortran ? 'arguments that are neither pointers nor allocatable' : 'pointers';
  if (/^(at|de)tach$/.test(name) && isScalar && !allocatable) return 'pointers';
  if (floating && (isFortran ? /^([&|^]|==|&&|\|\|)$/ : /^[&|^]$/).test(argument?.operator ?? ''))
    return 'whole numbers with this operator';
  if (value?.kind !== 'element' || isFortran) return undefined;
  const sections = value.subscripts.filter((each) => each.kind === 'section');
  if (sections.length > 0 && isScalar) return 'a scalar without a section';
  if (sections.some(({ lower, length }) => [lower, length].some((each) => each?.kind === 'unary' && each.op === '-')))
    return 'sections that neither begin nor end before the array';
  const isOpen = pointer && value.subscripts[0]?.kind === 'section' && !value.subscripts[0].length;
  return isOpen ? 'the length of a section of a pointer' : undefined;
}

/** Sections of what pointers in a pointer lead to: each row is separate memory. */
function isOfRows({ value }: ClauseItem, { pointer, dimensions = [] }: Variable): boolean {
  const sections = value?.kind === 'element' ? value.subscripts.filter(({ kind }) => kind === 'section') : [];
  return pointer === true && sections.length > 1 && dimensions.slice(1, sections.length).some(({ extent }) => !extent);
}

/** What a clause of numbers or conditions takes instead of this value. */
function expectedNumber(
  form: ArgumentForm,
  { value, text }: ClauseItem,
  variable: Variable | undefined,
  isFortran: boolean,
): string | undefined {
  const isName = value?.kind === 'name' && variable !== undefined;
  const isReal = value?.kind === 'number' ? !value.integer : isName && variable.floating;
  if (/^(expressions?|async|wait)$/.test(form))
    return isReal || (isName && variable.dimensions) ? 'integers' : undefined;
  const isCondition = /condition$/.test(form) && isFortran;
  return isCondition && (isReal || /^\d+$/.test(text)) ? 'a logical condition' : undefined;
}

/** The levels that a loop names; of several dimensions of gangs one may be inside another. */
function levelsOf(directive: Directive | undefined): Level[] {
  if (!directive || !/\bloop$/.test(directive.name) || directive.problems.length > 0) return [];
  const isDimension = ({ argument }: Clause): boolean =>
    argument?.modifiers.some(({ name }) => name === 'dim') === true;
  return levelsIn([...clausesFor(directive).values()].filter((clause) => !isDimension(clause)));
}

/** What keeps a level from being used: a loop around on the same or a finer one, a routine of a finer one. */
function taken(around: readonly Level[], own: Level | undefined, level: Level): string | undefined {
  const rank = (each: Level): number => routineLevels.indexOf(each);
  if (level === 'seq') return undefined;
  const outer = around.find((each) => each !== 'seq' && rank(each) <= rank(level));
  return outer ? `${outer} loop` : own && rank(level) > rank(own) ? `routine ${own}` : undefined;
}

/** Levels of loops and of called routines that are in use around them. */
function nestedLevels(scope: Scope, regions: readonly ComputeRegion[]): DirectiveProblem[] {
  const own = levelOf(routinesOf(scope.sources, scope));
  const problems: DirectiveProblem[] = [];
  for (const region of regions)
    for (const loop of loopsOf(region)) {
      const { directive, clauses } = loop;
      const around = outerLoops(loop).flatMap((each) => levelsOf(each.directive));
      for (const level of directive?.name === 'loop' ? levelsOf(directive) : []) {
        const outer = taken(around, region.step ? undefined : own, level);
        if (outer) problems.push({ code: 'level-nested', at: clauses.get(level)!.nameAt, data: { level, outer } });
      }
    }
  for (const each of flowOf(scope).calls) {
    const { call, region, parents } = each;
    const [called] = declarationsOf(scope, each);
    if (!called || called.file.oneOfSeveral || !(region || own)) continue;
    const level = levelOf(routinesOf(scope.sources, called)) ?? 'seq';
    const around = parents.flatMap((one) => (one.kind === 'loop' ? one.directives.flatMap(levelsOf) : []));
    const outer = taken(around, region ? undefined : own, level);
    const data = { level: `routine ${level}`, outer: outer ?? '' };
    if (outer) problems.push({ code: 'level-nested', at: nameOfCall(scope.file, call), data });
  }
  return problems;
}

/** The clauses of a construct, of the loops in it and the data regions around it, and of `declare`. */
export function clausesInForce(scope: Scope, region: ComputeRegion): readonly Clause[] {
  return [
    region.directive,
    ...dataRegions(region.step ? parentsOf(scope, region.step) : []).map(({ directive }) => directive),
    ...loopsOf(region).flatMap(({ directive }) => directive ?? []),
    ...scope.file.directives.filter(({ name }) => name === 'declare'),
  ].flatMap(({ clauses }) =>
    clauses.filter((clause) => isDataClause(clause) || /private$|^reduction$/.test(clause.name)),
  );
}

/** One problem for each construct with `default(none)`, with all that it leaves out. */
function unlisted(scope: Scope, region: ComputeRegion): DirectiveProblem[] {
  const isFortran = scope.file.language === 'fortran';
  const counters = new Set(loopsOf(region).map(({ step }) => step.variable));
  const { clause, names } = leftTo(scope, region, 'none', (variable, step) => {
    if (counters.has(variable.name) || variable.reference) return false;
    // gfortran takes the bounds of a combined construct before it.
    if (step === region.roots[0]?.step && isFortran && region.directive.name.endsWith(' loop')) return false;
    return !variable.constant || (!isFortran && variable.dimensions !== undefined);
  });
  const data = { names: names.map((name) => `\`${name}\``).join(', ') };
  return clause && names.length > 0 ? [{ code: 'unlisted', at: clause, data }] : [];
}

/** The variables of a construct that no clause names, where it has this `default`. */
export function leftTo(
  scope: Scope,
  region: ComputeRegion,
  word: 'none' | 'present',
  isMeant: (variable: Variable, step: Step) => boolean,
): { readonly clause?: Clause | undefined; readonly names: readonly string[] } {
  const clause = region.clauses.get('default');
  const construct = region.step;
  if (!construct || clause?.argument?.items[0]?.text.toLowerCase() !== word) return { names: [] };
  const clauses = clausesInForce(scope, region);
  const names = new Set<string>();
  for (const step of stepsIn(construct.body))
    for (const value of [...readsOf(step), ...(step.kind === 'assign' ? [step.target] : [])].flatMap(valuesIn)) {
      const variable = value.kind === 'name' ? variableAt(scope, value.name, step.start) : undefined;
      if (!variable || isWithin(variable, construct) || !isMeant(variable, step)) continue;
      if (!clauses.some((each) => clauseNames(each, variable.name))) names.add(variable.name);
    }
  return { clause, names: [...names] };
}
