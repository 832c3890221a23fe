// Whether the turns of a loop can run at once, as far as the text proves it.
import type { LoopStep, Step, Value } from '../../syntax/procedures';
import { add, constantOf, constantPolynomial, equal, involves, multiply, slope, type Polynomial } from './polynomial';
import { polynomialAt, variableAt, type Scope } from './scope';
import { effectsOf, listsOf, readsOf, rootName, walkSteps, walkValue, type Access } from './steps';
import { strideOf } from './trips';

export interface Independence {
  /** No turn writes what another touches, but for reductions and, where `aliasing` is set, for pointers that may overlap. */
  readonly proven: boolean;
  readonly reductions: readonly { readonly name: string; readonly operator: string }[];
  /** Scalars that each turn writes before it reads them and that are declared outside. */
  readonly privates: readonly string[];
  /** Written pointers that nothing tells apart from the others of the loop. */
  readonly aliasing: boolean;
}

const pure = /^(std::)?(f?abs|f?m(in|ax)[lf01]?|[ad]?m(in|ax)[01]|d?abs|sqrt|cbrt|exp2?|expm1|log(2|10|1p)?|pow|sin|cos|tan|a(sin|cos|tan)h?|atan2|sinh|cosh|tanh|floor|ceil|round|rint|trunc|fma|f?mod|hypot|erfc?|[lt]gamma|copysign|sign|isign|dsign|int|nint|real|dble|float|cmplx|conjg|aimag|merge|dot_product|sum|size|lbound|ubound|shape|kind|iand|ior|ieor|not|ishft|dim|modulo|present|epsilon|tiny|huge)[fl]?$/i;

const known = new WeakMap<LoopStep, Independence>();
const unproven: Independence = { proven: false, reductions: [], privates: [], aliasing: false };

export function independenceOf(scope: Scope, loop: LoopStep): Independence {
  let result = known.get(loop);
  if (!result) known.set(loop, result = examine(scope, loop));
  return result;
}

function examine(scope: Scope, loop: LoopStep): Independence {
  const effects = effectsOf(loop.body);
  if (strideOf(scope, loop) === undefined || effects.opaque || effects.calls.some(({ call }) => !pure.test(call.name))) return unproven;
  const variable = loop.variable!;
  const inner = innerLoops(loop.body);
  if (inner.some((one) => one.form !== 'counted')) return unproven;
  const reductions: { name: string; operator: string }[] = [];
  const privates: string[] = [];
  for (const name of effects.written) {
    if (effects.declared.has(name)) continue;
    if (name === variable || variableAt(scope, name, loop.start)?.dimensions) return unproven;
    if (inner.some((one) => one.variable === name)) continue;
    if (firstTouch(loop.body, name) !== 'read') { privates.push(name); continue; }
    const operator = reductionOperator(scope, loop.body, name);
    if (operator === undefined) return unproven;
    if (operator !== 'atomic') reductions.push({ name, operator });
  }
  const byArray = new Map<string, Access[]>();
  for (const access of effects.accesses) {
    const list = byArray.get(access.element.array);
    if (list) list.push(access); else byArray.set(access.element.array, [access]);
  }
  const local = (access: Access): boolean => {
    const name = rootName(access.element);
    const declared = name === undefined ? undefined : variableAt(scope, name, access.step.start);
    return declared?.scope !== undefined && declared.role === 'local' && !declared.pointer && declared.at.start > loop.start && declared.at.start < loop.end;
  };
  const written: string[] = [];
  for (const [array, accesses] of byArray) {
    if (accesses.every(local) || !accesses.some((access) => access.write && !access.atomic)) continue;
    written.push(array);
    if (!separated(scope, loop, accesses)) return unproven;
  }
  const apart = (array: string): boolean => cannotOverlap(scope, byArray.get(array)![0]!);
  const others = [...byArray.keys()];
  const aliasing = written.some((array) => !apart(array) && others.some((other) => other !== array && !apart(other)));
  return { proven: true, reductions, privates, aliasing };
}

function innerLoops(steps: readonly Step[]): LoopStep[] {
  const loops: LoopStep[] = [];
  walkSteps(steps, (step) => { if (step.kind === 'loop') loops.push(step); });
  return loops;
}

/** Whether an array is memory of its own: declared with its extent, `restrict`, or a Fortran array that is no pointer. */
function cannotOverlap(scope: Scope, access: Access): boolean {
  if (access.element.base.kind !== 'name') return false;
  const variable = variableAt(scope, access.element.base.name, access.step.start);
  if (!variable) return false;
  if (scope.file.language === 'fortran') return !variable.pointer;
  return variable.restrict === true || variable.role !== 'parameter' && !variable.pointer && variable.dimensions?.[0]?.extent !== undefined;
}

/** Whether two different turns never touch one element: some subscript tells the turn. */
function separated(scope: Scope, loop: LoopStep, accesses: readonly Access[]): boolean {
  const variable = loop.variable!;
  const changing = changingNames(loop);
  const subscripts = accesses.map(({ element, step }) => element.subscripts.map((subscript) => polynomialAt(scope, subscript, step)));
  const dimensions = subscripts[0]!.length;
  if (subscripts.some((list) => list.length !== dimensions)) return false;
  for (let d = 0; d < dimensions; d++) {
    const column = subscripts.map((list) => list[d]);
    if (column.some((one) => one === undefined)) continue;
    if (tellsTheTurn(scope, loop, accesses, column as Polynomial[], variable, changing)) return true;
  }
  return false;
}

/** What has different values within a turn or between turns, the loop's own variable left out. */
function changingNames(loop: LoopStep): (name: string) => boolean {
  const { written, declared } = effectsOf(loop.body);
  return (name) => name !== loop.variable && (written.has(name) || declared.has(name));
}

function tellsTheTurn(scope: Scope, loop: LoopStep, accesses: readonly Access[], column: readonly Polynomial[], variable: string, changing: (name: string) => boolean): boolean {
  const step = slope(column[0]!, variable);
  if (!step || step.terms.size === 0 || involves(step, changing)) return false;
  const rests: Polynomial[] = [];
  for (const polynomial of column) {
    const own = slope(polynomial, variable);
    if (!own || !equal(own, step)) return false;
    const product = multiply(step, nameAsPolynomial(variable));
    if (!product) return false;
    rests.push(add(polynomial, product, -1));
  }
  if (rests.every((rest) => equal(rest, rests[0]!) && !involves(rest, changing))) return true;
  // `i * n + j` with 0 ≤ j < n: what is added stays within one step of the turn, beside what is the same in all turns.
  const fixed = fixedPart(rests[0]!, changing);
  const unit = constantOf(step);
  if (unit !== undefined && unit < 0) return false;
  const ranges: { readonly low: number; readonly most: Polynomial }[] = [];
  for (const [index, rest] of rests.entries()) {
    const own = add(rest, fixed, -1);
    let least: Polynomial | undefined = own, most: Polynomial | undefined = own;
    for (const inner of accesses[index]!.loops) {
      if (!least || !most || inner.variable === undefined || !inner.lower || !inner.upper || strideOf(scope, inner) !== 1) return false;
      const by = slope(rest, inner.variable);
      if (!by) return false;
      if (by.terms.size === 0) continue;
      if ([...by.terms.values()].some((coefficient) => coefficient < 0)) return false;
      const lower = polynomialAt(scope, inner.lower, inner), upper = polynomialAt(scope, inner.upper, inner);
      if (!lower || !upper) return false;
      least = replace(least, by, inner.variable, lower);
      most = replace(most, by, inner.variable, inner.inclusive ? upper : add(upper, constantPolynomial(-1)));
    }
    const low = constantOf(least);
    if (!most || low === undefined || involves(most, changing)) return false;
    ranges.push({ low, most });
  }
  const lowest = Math.min(...ranges.map(({ low }) => low));
  // All lie between the lowest and one step above it; the lowest itself does, however long the step is.
  return ranges.every(({ most }) => {
    if (constantOf(most) === lowest) return true;
    const above = constantOf(add(add(most, step, -1), constantPolynomial(1)));
    return above !== undefined && above <= lowest;
  });
}

/** The terms with names that keep their values throughout the loop. */
function fixedPart(polynomial: Polynomial, changing: (name: string) => boolean): Polynomial {
  const names = (key: string): string[] => key.split('·').flatMap((part) => [...polynomial.unknowns.get(part)?.names ?? []]);
  return { ...polynomial, terms: new Map([...polynomial.terms].filter(([key]) => key !== '' && !names(key).some(changing))) };
}

function nameAsPolynomial(name: string): Polynomial { return { terms: new Map([[name, 1]]), unknowns: new Map([[name, { key: name, value: { kind: 'name', name, start: 0, end: 0 }, names: new Set([name]) }]]) }; }

function replace(polynomial: Polynomial, by: Polynomial, name: string, value: Polynomial): Polynomial | undefined {
  const before = multiply(by, nameAsPolynomial(name)), after = multiply(by, value);
  return before && after && add(add(polynomial, before, -1), after);
}

/** What a turn does first with a scalar: `write` where every way there writes it before it is read. */
export function firstTouch(steps: readonly Step[], name: string): 'read' | 'write' | 'none' {
  for (const step of steps) {
    const touch = touchOf(step, name);
    if (touch !== 'none') return touch;
  }
  return 'none';
}

function touchOf(step: Step, name: string): 'read' | 'write' | 'none' {
  if (readsOf(step).some((value) => mentions(value, name))) return 'read';
  if (step.kind === 'assign' && step.target.kind === 'name' && step.target.name === name) return 'write';
  const inner = listsOf(step).map((list) => firstTouch(list, name));
  if (inner.includes('read')) return 'read';
  if (step.kind === 'if') return step.else && inner.every((touch) => touch === 'write') ? 'write' : 'none';
  // A loop may take no turn at all.
  return step.kind === 'block' || step.kind === 'region' ? inner[0] ?? 'none' : 'none';
}

export function mentions(value: Value, name: string): boolean {
  let found = false;
  walkValue(value, (part) => { if (part.kind === 'name' && part.name === name) found = true; return !found; });
  return found;
}

/** The operator of `s = s + v`, `s += v`, `s = max(s, v)`, where nothing else touches `s`; `atomic` where the updates are. */
export function reductionOperator(scope: Scope, steps: readonly Step[], name: string): string | undefined {
  let operator: string | undefined;
  let other = false;
  const walk = (list: readonly Step[], atomic: boolean): void => {
    for (const step of list) {
      const own = atomic && mentionsStep(step, name) ? 'atomic' : updateOf(step, name);
      if (own !== undefined) {
        const canonical = own === '-' ? '+' : own;
        if (operator !== undefined && operator !== canonical) other = true;
        operator = canonical;
      } else if (readsOf(step).some((value) => mentions(value, name)) || step.kind === 'assign' && step.target.kind === 'name' && step.target.name === name) other = true;
      for (const inner of listsOf(step)) walk(inner, atomic || step.kind === 'region' && step.directive.name.startsWith('atomic'));
    }
  };
  walk(steps, false);
  return other ? undefined : operator;
}

function mentionsStep(step: Step, name: string): boolean { return readsOf(step).some((value) => mentions(value, name)) || step.kind === 'assign' && step.target.kind === 'name' && step.target.name === name; }

function updateOf(step: Step, name: string): string | undefined {
  if (step.kind === 'if' && !step.else && step.cond.kind === 'binary' && /^[<>]=?$/.test(step.cond.op) && step.then.length === 1) {
    // if (v > s) s = v
    return undefined;
  }
  if (step.kind !== 'assign' || step.target.kind !== 'name' || step.target.name !== name) return undefined;
  const { value, op } = step;
  if (op !== undefined) return /^([-+*&|^]|&&|\|\||max|min)$/.test(op) && !mentions(value, name) ? op : undefined;
  if (value.kind === 'binary' && /^([-+*&|^]|&&|\|\|)$/.test(value.op)) return sumWith(value, name, value.op);
  if (value.kind === 'call' && /^(std::)?f?(max|min)[fl]?$/i.test(value.name) && value.args.length === 2) {
    const [a, b] = value.args;
    const rest = a!.kind === 'name' && a!.name === name ? b! : b!.kind === 'name' && b!.name === name ? a! : undefined;
    return rest && !mentions(rest, name) ? /max/i.test(value.name) ? 'max' : 'min' : undefined;
  }
  return undefined;
}

/** `s + a + b` and `a + s`: the name once, under nothing but the operator. */
function sumWith(value: Value, name: string, op: string): string | undefined {
  let times = 0;
  const visit = (part: Value, negative: boolean): boolean => {
    if (part.kind === 'name' && part.name === name) { times++; return !negative; }
    if (part.kind === 'binary' && (part.op === op || op === '+' && part.op === '-' || op === '-' && part.op === '+')) return visit(part.left, negative) && visit(part.right, negative || part.op === '-');
    return !mentions(part, name);
  };
  return visit(value, false) && times === 1 ? op : undefined;
}
