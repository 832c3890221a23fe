// Whether the iterations of a loop can run at once, as far as the text proves it.
import type { AssignStep, LoopStep, Step, Value } from '../../../syntax/procedures';
import { rootName } from '../../../syntax/directives/values';
import { clauseNames, isDataClause } from './paths';
import { flowOf } from './dataflow';
import { append, constantPolynomial, onceWith } from '../../language';
import { involves, keyOf, slope, type ValuePolynomial } from './valuePolynomials';
import { boundsOf, polynomialAt, variableAt, type Scope } from './scope';
import { takesScalarsAlone } from './scalarRoutines';
import {
  type Access,
  isAssignmentTo,
  isNamed,
  effectsOf,
  listsOf,
  mentions,
  readsOf,
  stepsIn,
  valuesIn,
  walkValue,
} from './steps';
import { strideOf } from './countedTrips';

interface Independence {
  /**
   * No turn writes what another touches, but for reductions and, where `aliasing` is set, for pointers that may
   * overlap.
   */
  readonly proven: boolean;
  readonly reductions: readonly { readonly name: string; readonly operator: string }[];
  /** Written pointers that nothing tells apart from the others of the loop. */
  readonly aliasing: boolean;
  /** Where nothing but updates of single elements stands against it, which `atomic` would make harmless. */
  readonly updates?: readonly Step[];
}

const pure = new RegExp(
  [
    '^(std::)?(f?abs|f?m(in|ax)[lf01]?|[ad]?m(in|ax)[01]|d?abs|sqrt|cbrt|exp2?|expm1|log(2|10|1p)?|pow',
    'sin|cos|tan|a(sin|cos|tan)h?|atan2|sinh|cosh|tanh|floor|ceil|round|rint|trunc|fma|f?mod|hypot|erfc?',
    '[lt]gamma|copysign|sign|isign|dsign|int|nint|real|dble|float|cmplx|conjg|aimag|merge|dot_product|sum',
    'size|lbound|ubound|shape|kind|iand|ior|ieor|not|ishft|dim|modulo|present|epsilon|tiny|huge)[fl]?$',
  ].join('|'),
  'i',
);

const unproven: Independence = { proven: false, reductions: [], aliasing: false };

export const independenceOf = onceWith((scope: Scope, loop: LoopStep): Independence => {
  const effects = effectsOf(loop.body);
  const calls = effects.calls.filter(({ call }) => !pure.test(call.name));
  if (
    strideOf(scope, loop) === undefined ||
    effects.opaque ||
    calls.some(({ call }) => !takesScalarsAlone(scope, call))
  )
    return unproven;
  if (scope.file.errors.some((error) => error.start < loop.end && error.end > loop.start)) return unproven;
  const variable = loop.variable!;
  const inner = stepsIn(loop.body).filter((step) => step.kind === 'loop');
  if (inner.some((one) => one.form !== 'counted')) return unproven;
  // The directive that shares out the turns makes the counter and the scalars of an iteration private: what they hold
  // behind the loop would be lost.
  if (!loop.declaresVariable && isReadBehind(scope, loop, variable)) return unproven;
  const reductions: { name: string; operator: string }[] = [];
  for (const name of effects.written) {
    if (effects.declared.has(name)) continue;
    // A member of a structure, which no clause names by itself; one that is declared inside belongs to the turn.
    if (!/^[\w$]+$/.test(name)) {
      if (isDeclaredIn(scope, loop, /^[\w$]*/.exec(name)![0])) continue;
      return unproven;
    }
    if (name === variable || variableAt(scope, name, loop.start)?.dimensions) return unproven;
    if (inner.some((one) => one.variable === name)) continue;
    if (firstTouch(loop.body, name) !== 'read') {
      if (isReadBehind(scope, loop, name)) return unproven;
      continue;
    }
    const operator = reductionOperator(loop.body, name);
    if (operator === undefined) return unproven;
    if (operator !== 'atomic') reductions.push({ name, operator });
  }
  if (writesReference(scope, loop)) return unproven;
  const byArray = new Map<string, Access[]>();
  for (const access of effects.accesses) append(byArray, access.element.array, access);
  const local = (access: Access): boolean => {
    const name = rootName(access.element);
    const declared = name === undefined ? undefined : variableAt(scope, name, access.step.start);
    return (
      declared?.scope !== undefined &&
      declared.role === 'local' &&
      !declared.pointer &&
      declared.at.start > loop.start &&
      declared.at.start < loop.end
    );
  };
  const written: string[] = [];
  const updates: Step[] = [];
  for (const [array, accesses] of byArray) {
    if (accesses.every(local) || !accesses.some((access) => access.write && !access.atomic)) continue;
    written.push(array);
    if (separated(scope, loop, accesses)) continue;
    const own = accesses.flatMap(({ element, step }) =>
      step.kind === 'assign' && isAtomicForm(step) && keyOf(step.target) === keyOf(element) ? [step] : [],
    );
    if (own.length < accesses.length) return unproven;
    updates.push(...own);
  }
  if (scope.file.language === 'fortran' && readsWhole(loop.body, new Set(written))) return unproven;
  const others = [...byArray.keys()];
  const aliasing = written.some((array) =>
    others.some((other) => other !== array && mayOverlap(scope, byArray.get(array)![0]!, byArray.get(other)![0]!)),
  );
  // The effect of a routine on its own variables is unknown: an edit that depends on it is not safe.
  const result = { proven: updates.length === 0, reductions, aliasing: aliasing || calls.length > 0 };
  return result.proven ? result : { ...result, updates: [...new Set(updates)] };
});

/** Whether a C++ reference is written, which stands for what it was made of. */
function writesReference(scope: Scope, loop: LoopStep): boolean {
  return stepsIn(loop.body).some((step) => {
    if (step.kind !== 'assign' || step.declares || step.target.kind !== 'name') return false;
    const variable = variableAt(scope, step.target.name, step.start);
    return variable?.reference && variable.role === 'local';
  });
}

/** Whether nothing tells the memory of two arrays apart. */
function mayOverlap(scope: Scope, one: Access, other: Access): boolean {
  const [first, second] = [memoryOf(scope, one), memoryOf(scope, other)];
  if (first === 'promised' || second === 'promised' || (first === 'own' && second === 'own')) return false;
  if (first === 'pointer' && second === 'pointer') return true;
  // A pointer and an array: where the text gives the pointer the array's address, and in C where another function may
  // have given it a global's.
  return (
    (scope.file.language === 'c' && (isGlobal(scope, one) || isGlobal(scope, other))) ||
    flowOf(scope).aliases(one.element.array).has(other.element.array)
  );
}

/** `own`: declared with its extent, or a Fortran array that is not a pointer; `promised`: `restrict`. */
function memoryOf(scope: Scope, access: Access): 'own' | 'promised' | 'pointer' {
  if (access.element.base.kind !== 'name') return 'pointer';
  const variable = variableAt(scope, access.element.base.name, access.step.start);
  if (!variable) return 'pointer';
  if (scope.file.language === 'fortran') return variable.pointer ? 'pointer' : 'own';
  if (variable.restrict) return 'promised';
  return variable.role !== 'parameter' && !variable.pointer && variable.dimensions?.[0]?.extent !== undefined
    ? 'own'
    : 'pointer';
}

function isGlobal(scope: Scope, access: Access): boolean {
  const name = rootName(access.element);
  const variable = name === undefined ? undefined : variableAt(scope, name, access.step.start);
  return variable?.role === 'global' && !variable.pointer;
}

const inquiries = /^(size|shape|[lu]bound|kind|present|epsilon|tiny|huge)$/;

/** Whether a Fortran array of the set is read under its bare name: `sum(a)`. */
function readsWhole(steps: readonly Step[], arrays: ReadonlySet<string>): boolean {
  let found = false;
  const visit = (value: Value): boolean => {
    if (value.kind === 'element') {
      value.subscripts.forEach((one) => walkValue(one, visit));
      return false;
    }
    if (value.kind === 'call' && inquiries.test(value.name)) return false;
    if (
      (value.kind === 'name' || value.kind === 'member') &&
      arrays.has(value.kind === 'name' ? value.name : value.path)
    )
      found = true;
    return !found;
  };
  for (const step of stepsIn(steps)) for (const value of readsOf(step)) walkValue(value, visit);
  return found;
}

function isDeclaredIn(scope: Scope, loop: LoopStep, name: string): boolean {
  const first = loop.body[0];
  const variable = first && variableAt(scope, name, first.start);
  return (
    !!variable && variable.uri === scope.file.uri && variable.at.start > loop.start && variable.at.start < loop.end
  );
}

/**
 * Whether a scalar that the loop sets is read after it before it is set again, as far as its value gets: to the end of
 * a parallel or serial construct, where it is each gang's own.
 */
function isReadBehind(scope: Scope, loop: LoopStep, name: string): boolean {
  for (
    let step: Step = loop, position = scope.positions.get(loop);
    position;
    step = position.parent!, position = scope.positions.get(step)
  ) {
    const behind = firstTouch(position.list.slice(position.at + 1), name);
    if (behind !== 'none') return behind === 'read';
    const { parent } = position;
    if (!parent) return false;
    if (
      parent.kind === 'region' &&
      /^(parallel|serial)\b/.test(parent.directive.name) &&
      !parent.directive.clauses.some((clause) => isDataClause(clause) && clauseNames(clause, name))
    )
      return false;
    if (parent.kind === 'loop') {
      if (parent.variable === name) return false;
      const next = [parent.cond, parent.step, parent.upper].some(
        (value) => value !== undefined && mentions(value, name),
      )
        ? 'read'
        : firstTouch(parent.body, name);
      if (next !== 'none') return next === 'read';
    }
  }
  return false;
}

/** Whether two different turns never touch one element: some subscript tells the turn. */
function separated(scope: Scope, loop: LoopStep, accesses: readonly Access[]): boolean {
  const variable = loop.variable!;
  const changing = changingNames(loop);
  const subscripts = accesses.map(({ element, step }) =>
    element.subscripts.map((subscript) => polynomialAt(scope, subscript, step)),
  );
  const dimensions = subscripts[0]!.length;
  if (subscripts.some((list) => list.length !== dimensions)) return false;
  for (let d = 0; d < dimensions; d++) {
    const column = subscripts.map((list) => list[d]);
    if (column.some((one) => one === undefined)) continue;
    if (tellsTheTurn(scope, accesses, column as ValuePolynomial[], variable, changing)) return true;
  }
  return false;
}

/** `a[k] += v`, `a[k] = a[k] + v`: what is written rests on what was there. */
export function isUpdate({ element, step }: Access): boolean {
  return (
    step.kind === 'assign' &&
    (step.op !== undefined || valuesIn(step.value).some((part) => keyOf(part) === keyOf(element)))
  );
}

/** Compilers take `x op= v`, `x = x op v` and `x = v op x` under `atomic update`, with nothing of `x` in `v`. */
export function isAtomicForm({ op, target, value }: AssignStep): boolean {
  const own = keyOf(target);
  const isFree = (part: Value): boolean => !valuesIn(part).some((each) => keyOf(each) === own);
  if (op !== undefined) return /^[-+*/&|^]$/.test(op) && isFree(value);
  return (
    value.kind === 'binary' &&
    ((/^[-+*/]$/.test(value.op) && keyOf(value.left) === own && isFree(value.right)) ||
      (/^[+*]$/.test(value.op) && keyOf(value.right) === own && isFree(value.left)))
  );
}

/** What has different values within an iteration or between iterations, the loop's own variable excepted. */
export function changingNames(loop: LoopStep): (name: string) => boolean {
  const { written, declared } = effectsOf(loop.body);
  return (name) => name !== loop.variable && (written.has(name) || declared.has(name));
}

function tellsTheTurn(
  scope: Scope,
  accesses: readonly Access[],
  column: readonly ValuePolynomial[],
  variable: string,
  changing: (name: string) => boolean,
): boolean {
  const step = slope(column[0]!, variable);
  if (!step || step.terms.size === 0 || involves(step, changing)) return false;
  const rests: ValuePolynomial[] = [];
  for (const polynomial of column) {
    const own = slope(polynomial, variable);
    if (!own?.equals(step)) return false;
    rests.push(polynomial.split(variable)!.rest);
  }
  if (rests.every((rest) => rest.equals(rests[0]!) && !involves(rest, changing))) return true;
  // `i * n + j` with 0 ≤ j < n: what is added stays within one step of the turn, beside what is the same in all turns.
  const unit = step.number;
  if (unit !== undefined && unit < 0) return false;
  const ranges = rests.map((rest, at) => rangeOver(scope, rest, accesses[at]!.loops));
  const above = (value?: ValuePolynomial): number => (ranges[0] && value?.plus(ranges[0].low, -1).number) ?? Number.NaN;
  const lowest = Math.min(...ranges.map((range) => above(range?.low)));
  // All lie between the lowest and one step above it; the lowest itself does, however long the step is.
  return ranges.every(
    (range) =>
      range &&
      !involves(range.high, (name) => name === variable || changing(name)) &&
      (above(range.high) === lowest || above(range.high.plus(step, -1)) < lowest),
  );
}

export type Range = NonNullable<ReturnType<typeof rangeOver>>;

/**
 * The least and the greatest value over the iterations of loops, outermost first, and what each adds; `dense` where all
 * numbers between are values too. Unknown sizes are positive.
 */
export function rangeOver(scope: Scope, value: ValuePolynomial, loops: readonly LoopStep[]) {
  let [low, high, dense] = [value, value, true];
  const slopes = new Map<LoopStep, ValuePolynomial>();
  for (const loop of loops.toReversed()) {
    if (loop.variable === undefined || strideOf(scope, loop) !== 1) return undefined;
    const by = slope(low, loop.variable);
    const bounds = boundsOf(scope, loop);
    if (!by || !slope(high, loop.variable)?.equals(by) || !bounds) return undefined;
    const [sign, ...others] = new Set([...by.terms.values()].map(Math.sign));
    if (sign === undefined) continue;
    const ends = [bounds.lower, bounds.upper.plus(constantPolynomial(loop.inclusive ? 0 : -1))] as const;
    const least = low.split(loop.variable)!.rest.plus(by.times(ends[sign > 0 ? 0 : 1])).bounded;
    const most = high.split(loop.variable)!.rest.plus(by.times(ends[sign > 0 ? 1 : 0])).bounded;
    if (!least || !most || others.length > 0) return undefined;
    dense &&= (low.plus(high, -1).plus(by, sign).number ?? 2) <= 1;
    slopes.set(loop, by);
    [low, high] = [least, most];
  }
  return { low, high, dense, slopes };
}

/** What an iteration does first with a scalar: `write` where every way there writes it before it is read. */
export function firstTouch(steps: readonly Step[], name: string): 'read' | 'write' | 'none' {
  for (const step of steps) {
    const touch = touchOf(step, name);
    if (touch !== 'none') return touch;
  }
  return 'none';
}

function touchOf(step: Step, name: string): 'read' | 'write' | 'none' {
  if (readsOf(step).some((value) => mentions(value, name))) return 'read';
  if (isAssignmentTo(step, name) || (step.kind === 'loop' && step.variable === name)) return 'write';
  const inner = listsOf(step).map((list) => firstTouch(list, name));
  if (inner.includes('read')) return 'read';
  if (step.kind === 'if') return step.else && inner.every((touch) => touch === 'write') ? 'write' : 'none';
  // A loop may take no turn at all.
  return step.kind === 'block' || step.kind === 'region' ? (inner[0] ?? 'none') : 'none';
}

/**
 * The operator of `s = s + v`, `s += v`, `s = max(s, v)`, where nothing else touches `s`; `atomic` where the updates
 * are, unless `inAtomics` asks for theirs.
 */
export function reductionOperator(steps: readonly Step[], name: string, inAtomics = false): string | undefined {
  let operator: string | undefined;
  let other = false;
  const walk = (list: readonly Step[], atomic: boolean): void => {
    for (const step of list) {
      const own = atomic && !inAtomics && mentionsStep(step, name) ? 'atomic' : updateOf(step, name);
      if (own !== undefined) {
        const canonical = own === '-' ? '+' : own;
        if (operator !== undefined && operator !== canonical) other = true;
        operator = canonical;
      } else if (mentionsStep(step, name)) other = true;
      for (const inner of listsOf(step))
        walk(inner, atomic || (step.kind === 'region' && step.directive.name.startsWith('atomic')));
    }
  };
  walk(steps, false);
  return other ? undefined : operator;
}

function mentionsStep(step: Step, name: string): boolean {
  return isAssignmentTo(step, name) || readsOf(step).some((value) => mentions(value, name));
}

function updateOf(step: Step, name: string): string | undefined {
  if (!isAssignmentTo(step, name)) return undefined;
  const { value, op } = step;
  if (op !== undefined) return /^([-+*&|^]|&&|\|\||max|min)$/.test(op) && !mentions(value, name) ? op : undefined;
  if (value.kind === 'binary' && /^([-+*&|^]|&&|\|\|)$/.test(value.op)) return sumWith(value, name, value.op);
  if (value.kind === 'call' && /^(std::)?f?(max|min)[fl]?$/i.test(value.name) && value.args.length === 2) {
    const [a, b] = value.args;
    const rest = isNamed(a!, name) ? b! : isNamed(b!, name) ? a! : undefined;
    return rest && !mentions(rest, name) ? (/max/i.test(value.name) ? 'max' : 'min') : undefined;
  }
  return undefined;
}

/** `s + a + b` and `a + s`: the name once, under nothing but the operator. */
function sumWith(value: Value, name: string, op: string): string | undefined {
  let times = 0;
  const visit = (part: Value, negative: boolean): boolean => {
    if (isNamed(part, name)) {
      times++;
      return !negative;
    }
    if (
      part.kind === 'binary' &&
      (part.op === op || (op === '+' && part.op === '-') || (op === '-' && part.op === '+'))
    )
      return visit(part.left, negative) && visit(part.right, negative || part.op === '-');
    return !mentions(part, name);
  };
  return visit(value, false) && times === 1 ? op : undefined;
}
