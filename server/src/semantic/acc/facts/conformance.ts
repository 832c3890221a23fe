// What no compiler takes of directives that are right by themselves: levels inside each other and in routines, and
// variables that `default(none)` leaves out.
import type { Clause, Directive, DirectiveProblem } from '../../../syntax/procedures';
import { flowOf } from '../analysis/dataflow';
import { clauseNames, dataRegions, isDataClause, isWithin } from '../analysis/paths';
import { clausesFor, type ComputeRegion, loopsOf, outerLoops, regionsOf } from '../analysis/regions';
import { levelOf, levelsIn, type Level, nameOfCall, routineLevels, routinesOf } from '../analysis/routineLevels';
import { type Scope, variableAt } from '../analysis/scope';
import { readsOf, stepsIn, valuesIn } from '../analysis/steps';

export function misplacedIn(scope: Scope): readonly DirectiveProblem[] {
  const regions = regionsOf(scope);
  return [...nestedLevels(scope, regions), ...regions.flatMap((region) => unlisted(scope, region))];
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
  for (const { call, callee, region, parents } of flowOf(scope).calls) {
    if (!callee || callee.file.oneOfSeveral || !(region || own)) continue;
    const level = levelOf(routinesOf(scope.sources, callee)) ?? 'seq';
    const around = parents.flatMap((each) => (each.kind === 'loop' ? each.directives.flatMap(levelsOf) : []));
    const outer = taken(around, region ? undefined : own, level);
    const data = { level: `routine ${level}`, outer: outer ?? '' };
    if (outer) problems.push({ code: 'level-nested', at: nameOfCall(scope.file, call), data });
  }
  return problems;
}

/** The clauses of a construct, of the loops in it and the data regions around it, and of `declare`. */
export function clausesInForce(scope: Scope, region: ComputeRegion): readonly Clause[] {
  const around = flowOf(scope).regions.find(({ step }) => step === region.step)?.parents ?? [];
  return [
    region.directive,
    ...dataRegions(around).map(({ directive }) => directive),
    ...loopsOf(region).flatMap(({ directive }) => directive ?? []),
    ...scope.file.directives.filter(({ name }) => name === 'declare'),
  ].flatMap(({ clauses }) =>
    clauses.filter((clause) => isDataClause(clause) || /private$|^reduction$/.test(clause.name)),
  );
}

/** One problem for each construct with `default(none)`, with all that it leaves out. */
function unlisted(scope: Scope, region: ComputeRegion): DirectiveProblem[] {
  const none = region.clauses.get('default');
  const construct = region.step;
  if (!construct || none?.argument?.items[0]?.text.toLowerCase() !== 'none') return [];
  const clauses = clausesInForce(scope, region);
  const counters = new Set(loopsOf(region).map(({ step }) => step.variable));
  const names = new Set<string>();
  for (const step of stepsIn(construct.body)) {
    // gfortran takes the bounds of a combined construct before it.
    if (step === region.roots[0]?.step && scope.file.language === 'fortran' && region.directive.name.endsWith(' loop'))
      continue;
    for (const value of [...readsOf(step), ...(step.kind === 'assign' ? [step.target] : [])].flatMap(valuesIn)) {
      const variable =
        value.kind === 'name' && !counters.has(value.name) ? variableAt(scope, value.name, step.start) : undefined;
      if (!variable || variable.reference || isWithin(variable, construct)) continue;
      if (variable.constant && (!variable.dimensions || scope.file.language === 'fortran')) continue;
      if (!clauses.some((clause) => clauseNames(clause, variable.name))) names.add(variable.name);
    }
  }
  return names.size
    ? [{ code: 'unlisted', at: none, data: { names: [...names].map((name) => `\`${name}\``).join(', ') } }]
    : [];
}
