// Scalars that the turns of a parallel loop accumulate into without a reduction clause: a race, whose result is any of
// the partial sums.
import { spanIn } from '../../span';
import type { AssignStep, IfStep, LoopStep, Step } from '../../../syntax/procedures';
import { scalarNamed } from '../../language';
import { clauseNames, isWithin, owns } from '../analysis/paths';
import { clausesInForce } from './conformance';
import { operatorSpelling } from '../../../syntax/directives/table';
import { addToList, withFix } from './directiveEdits';
import type { AccReductionFact } from '../model';
import { firstTouch, reductionOperator } from '../analysis/independence';
import { keyOf } from '../analysis/valuePolynomials';
import { onlyStep, regionsOf, withInner, type AccLoop, type ComputeRegion } from '../analysis/regions';
import { asDeclared, variableAt, type Scope } from '../analysis/scope';
import { isAssignmentTo, isNamed, effectsOf, mentions, stepsIn } from '../analysis/steps';

/**
 * The missing reductions of one procedure. In kernels regions the compiler finds all but atomic ones, in serial ones
 * there is nothing to reduce.
 */
export function missingReductionsOf(scope: Scope): readonly AccReductionFact[] {
  return regionsOf(scope).flatMap((region) => {
    const { construct } = region;
    if (construct !== 'parallel' && construct !== 'kernels' && !isParallelRoutine(region)) return [];
    const facts = region.roots.flatMap((root) => inNest(scope, region, root, new Set()));
    return construct === 'kernels' ? facts.filter(({ atomic }) => atomic) : facts;
  });
}

function isParallelRoutine({ construct, clauses }: ComputeRegion): boolean {
  return construct === 'routine' && ['gang', 'worker', 'vector'].some((level) => clauses.has(level));
}

function inNest(scope: Scope, region: ComputeRegion, loop: AccLoop, settled: ReadonlySet<string>): AccReductionFact[] {
  const facts: AccReductionFact[] = [];
  const done = new Set(settled);
  if (sharesTurns(loop))
    for (const name of effectsOf(loop.step.body).written) {
      if (done.has(name)) continue;
      const { operator, atomic } = accumulated(scope, loop, name) ?? {};
      if (operator === undefined) continue;
      done.add(name);
      const inside = withInner(loop).filter(
        (inner) => inner.directive && sharesTurns(inner) && effectsOf(inner.step.body).written.has(name),
      );
      if (owns(region.directive.clauses, name) || inside.some((inner) => owns(inner.directive!.clauses, name)))
        continue;
      if (!atomic) facts.push(factOf(scope, loop, inside, name, operator));
      // Of what no clause names each gang updates a copy, which is another matter.
      else if (clausesInForce(scope, region).some((clause) => clauseNames(clause, name)))
        facts.push({ ...factOf(scope, loop, [], name, operator), atomic });
    }
  for (const child of loop.children) facts.push(...inNest(scope, region, child, done));
  return facts;
}

/** Do gangs, workers or lanes share the iterations of the loop, because a directive says so? */
export function sharesTurns(loop: AccLoop): boolean {
  return loop.directive !== undefined && !loop.clauses.has('seq') && !loop.clauses.has('auto');
}

/** The operator, where the loop's turns do nothing with the scalar but accumulate into it, perhaps by atomics. */
function accumulated(
  scope: Scope,
  loop: AccLoop,
  name: string,
): { readonly operator: string; readonly atomic?: true } | undefined {
  const { step } = loop;
  const variable = variableAt(scope, name, step.start);
  if (
    !variable ||
    variable.dimensions ||
    !scalarNamed(variable.type) ||
    (variable.at.start > step.start && variable.at.start < step.end && variable.uri === scope.file.uri)
  )
    return undefined;
  if (withInner(loop).some((inner) => isCountedBy(inner.step, name)) || shadowed(scope, step.body, name))
    return undefined;
  // A variable of the construct is each gang's own: what a loop over gangs alone adds up in it is the gang's share.
  const construct = loop.region.step;
  if (
    construct &&
    variable.scope &&
    isWithin(variable, construct) &&
    withInner(loop)
      .filter(sharesTurns)
      .every((inner) => inner.clauses.has('gang') && !inner.clauses.has('worker') && !inner.clauses.has('vector'))
  )
    return undefined;
  if (firstTouch(step.body, name) !== 'read') return undefined;
  const operator = reductionOperator(withExtremes(step.body, name), name);
  if (operator === undefined || handedOn(step.body, name)) return undefined;
  if (operator !== 'atomic') return { operator };
  const inAtomics = reductionOperator(step.body, name, true);
  return inAtomics === undefined ? undefined : { operator: inAtomics, atomic: true };
}

/** `for (; i < n; ++i)` counts in `i` as well, wherever it starts. */
function isCountedBy({ variable, header, cond, body }: LoopStep, name: string): boolean {
  if (variable === name || (cond && mentions(cond, name))) return true;
  return stepsIn(body).some(
    (step) =>
      step.kind === 'assign' && step.start >= header.start && step.end <= header.end && mentions(step.target, name),
  );
}

/** The steps with `if (v > s) s = v` written as `s = max(s, v)`. */
function withExtremes(steps: readonly Step[], name: string): readonly Step[] {
  return steps.map((step): Step => {
    switch (step.kind) {
      case 'if':
        return (
          extremeOf(step, name) ?? {
            ...step,
            then: withExtremes(step.then, name),
            ...(step.else ? { else: withExtremes(step.else, name) } : {}),
          }
        );
      case 'loop':
      case 'region':
      case 'block':
        return { ...step, body: withExtremes(step.body, name) };
      default:
        return step;
    }
  });
}

function extremeOf(step: IfStep, name: string): AssignStep | undefined {
  const only = onlyStep(step.then);
  if (step.else?.length || !only || !isAssignmentTo(only, name) || only.op !== undefined) return undefined;
  const { cond } = step;
  if (cond.kind !== 'binary' || !/^[<>]=?$/.test(cond.op)) return undefined;
  const [isLeft, isRight] = [isNamed(cond.left, name), isNamed(cond.right, name)];
  const other = isLeft ? cond.right : isRight ? cond.left : undefined;
  if (!other || mentions(other, name) || keyOf(other) !== keyOf(only.value)) return undefined;
  const greater = cond.op.startsWith('>') !== isLeft;
  return {
    ...only,
    value: {
      kind: 'call',
      name: greater ? 'max' : 'min',
      args: [only.target, only.value],
      start: only.value.start,
      end: only.value.end,
    },
  };
}

/** Is a variable of the same name declared inside? */
function shadowed({ procedure }: Scope, body: readonly Step[], name: string): boolean {
  const [first, last] = [body[0], body.at(-1)];
  if (!first || !last) return false;
  return procedure.variables.some(
    (variable) => variable.name === name && variable.scope && isWithin(variable, { start: first.start, end: last.end }),
  );
}

/** Given to a procedure, which may change it by reference, or its address taken. */
function handedOn(body: readonly Step[], name: string): boolean {
  const { calls } = effectsOf(body);
  return calls.some(({ call }) =>
    call.args.some((arg) => arg.kind === 'unary' && arg.op === '&' && mentions(arg, name)),
  );
}

function factOf(
  scope: Scope,
  loop: AccLoop,
  inside: readonly AccLoop[],
  name: string,
  operator: string,
): AccReductionFact {
  const { file } = scope;
  const spelled = operatorSpelling(file.language, operator);
  const update = stepsIn(loop.step.body).find((step) => isAssignmentTo(step, name));
  const target = update ? (update as AssignStep).target : loop.step.header;
  const variable = variableAt(scope, name, loop.step.start);
  const shown = variable ? asDeclared(scope, name, variable) : name;
  return {
    kind: 'acc-reduction',
    at: spanIn(file, target),
    scalar: shown,
    operator: spelled,
    loopAt: spanIn(file, loop.step.header),
    loopText: file.text.slice(loop.step.header.start, loop.step.header.end),
    ...withFix(
      `Add \`reduction(${spelled}:${shown})\``,
      ...inside.map((inner) =>
        addToList(file, inner.directive!, 'reduction', shown, { operator, prefix: `${spelled}:` }),
      ),
    ),
  };
}
