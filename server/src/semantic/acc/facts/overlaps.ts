// Loops of kernels regions that nothing but pointers which may overlap keeps from running in parallel.
import { spanIn } from '../../span';
import { titleWith } from '../../excerpt';
import type { Variable } from '../../../syntax/procedures';
import { flowOf } from '../analysis/dataflow';
import { editAt, fixOf } from './directiveEdits';
import { addToLoop } from './mappingEdits';
import type { AccAliasFact, AccFix } from '../model';
import { independenceOf } from '../analysis/independence';
import { regionsOf, type AccLoop } from '../analysis/regions';
import { variableAt, type Scope } from '../analysis/scope';
import { effectsOf } from '../analysis/steps';

/** One fact for each kernels region, at its first such loop. Fortran's arguments do not overlap by rule. */
export function overlapsOf(scope: Scope): readonly AccAliasFact[] {
  if (scope.file.language === 'fortran') return [];
  return regionsOf(scope).flatMap((region) => {
    if (region.construct !== 'kernels') return [];
    for (const root of region.roots) {
      const fact = overlapIn(scope, root);
      if (fact) return [fact];
    }
    return [];
  });
}

function overlapIn(scope: Scope, loop: AccLoop): AccAliasFact | undefined {
  if (['independent', 'seq', 'auto'].some((clause) => loop.clauses.has(clause))) return undefined;
  const independence = independenceOf(scope, loop.step);
  if (!independence.proven || !independence.aliasing) return undefined;
  const { accesses } = effectsOf(loop.step.body);
  const pointers = new Map<string, { readonly variable: Variable; written: boolean }>();
  for (const { element, write, step } of accesses) {
    const variable = variableAt(scope, element.array, step.start);
    // Only known pointers count, and not memory that was just allocated.
    if (!variable?.pointer || variable.restrict || !comesFromOutside(scope, element.array, variable)) continue;
    const known = pointers.get(element.array);
    if (known) known.written ||= write;
    else pointers.set(element.array, { variable, written: write });
  }
  for (const [written, { variable, written: isWritten }] of pointers) {
    if (!isWritten) continue;
    // Compilers tell pointers to different types apart.
    const others = [...pointers]
      .filter(([name, other]) => name !== written && other.variable.type === variable.type)
      .map(([name]) => name);
    if (!others.length) continue;
    const all = [...pointers.values()].flatMap((one) => (one.written ? [one.variable] : []));
    return factOf(scope, loop, written, others, all);
  }
  return undefined;
}

/** A parameter, a member, or a local pointer that was given the value of one. */
function comesFromOutside(scope: Scope, path: string, variable: Variable): boolean {
  if (variable.role === 'parameter') return true;
  if (variable.role !== 'local') return false;
  return [...flowOf(scope).aliases(path)].some(
    (alias) => alias !== path && variableAt(scope, alias, variable.at.start)?.role === 'parameter',
  );
}

function factOf(
  scope: Scope,
  loop: AccLoop,
  written: string,
  others: readonly string[],
  pointers: readonly Variable[],
): AccAliasFact {
  const { file } = scope;
  const fixes: AccFix[] = [];
  const word = /\.c$/i.test(file.uri) ? 'restrict' : '__restrict__';
  const places = [...new Map(pointers.map((variable) => [variable.at.start, variable])).values()];
  if (
    places.every(
      (variable) =>
        !variable.at.macro &&
        variable.uri === file.uri &&
        /^\w+$/.test(variable.name) &&
        /\*\s*$/.test(file.text.slice(0, variable.at.start).slice(-40)),
    )
  ) {
    const names = places.map((variable) => variable.name);
    fixes.push({
      title: titleWith(names, (text) => `Add \`${word}\` to \`${text}\` (you promise no overlap)`),
      edits: places.map((variable) => editAt(file, { start: variable.at.start, end: variable.at.start }, `${word} `)),
    });
  }
  const clauses = [
    'independent',
    ...independenceOf(scope, loop.step)
      .reductions.filter(
        ({ name }) =>
          !loop.directive?.clauses.some(
            (clause) => clause.name === 'reduction' && clause.argument?.items.some((item) => item.variable === name),
          ),
      )
      .map(({ name, operator }) => `reduction(${operator}:${name})`),
  ].join(' ');
  const promise = fixOf(
    titleWith(`loop ${clauses}`, (text) => `Add \`${text}\` (you promise independence)`),
    addToLoop(scope, loop.step, loop.directive, clauses, false),
  );
  return {
    kind: 'acc-alias',
    at: spanIn(file, loop.step.header),
    loopText: file.text.slice(loop.step.header.start, loop.step.header.end),
    written,
    others,
    related: places
      .filter((variable) => !variable.at.macro && variable.uri === file.uri)
      .map((variable) => ({ at: spanIn(file, variable.at), text: `${variable.name} is declared here` })),
    fixes: promise ? [...fixes, promise] : fixes,
  };
}
