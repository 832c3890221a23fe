// How long the rows of a compressed matrix can be, from the code that fills its row offsets.
import { spanIn } from '../../span';
import { append, isAllocator, once, scalarNamed } from '../../language';
import type { AssignStep, CallValue, LoopStep, Step, Value } from '../../../syntax/procedures';
import { rootName } from '../../../syntax/directives/values';
import type { Span } from '../../model';
import { slope } from './valuePolynomials';
import { loopsAround, numberAt, parentsOf, polynomialAt, variableAt, writes, type Scope, type Sources } from './scope';
import { type Access, isAssignmentTo, isNamed, effectsOf, stepsIn, valuesIn, walkValue } from './steps';
import { countedTrips, strideOf } from './countedTrips';

interface RowLength {
  readonly atMost: number;
  readonly at: Span;
}

/** Functions that cannot change what an array holds, or only make or free it. */
const harmless = new RegExp(
  [
    '^(free|malloc|calloc|realloc|aligned_alloc|_mm_free|printf|fprintf|puts|assert|print|write|allocate',
    String.raw`deallocate|nullify|allocated|associated|size|shape|present|sizeof|swap|c_loc|loc|acc_\w+`,
    String.raw`cudafree\w*)$`,
  ].join('|'),
  'i',
);

/** All arrays that are one by assignment of pointers and by calls, with those who write them. */
interface ArrayClasses {
  readonly find: (key: string) => string;
  readonly writers: ReadonlyMap<string, readonly Writer[]>;
  readonly lost: ReadonlySet<string>;
}
interface Writer {
  readonly scope: Scope;
  readonly access: Access;
}

/**
 * At most so many entries lie between neighbouring offsets of an array that is used as `rows[i]`, `rows[i + 1]`: every
 * known writer stores a counter, once per iteration of a loop over the rows, which grows by at most that many each
 * iteration. Undefined where any writer does otherwise.
 */
export function rowLengthOf(scope: Scope, from: Value, to: Value, at: Step): RowLength | undefined {
  const classes = classesOf(scope.sources);
  const [array, other] = [from, to].map((value) => classes.find(arrayKey(scope, value, at.start) ?? ''));
  if (!array || array !== other || classes.lost.has(array)) return undefined;
  const writers = classes.writers.get(array) ?? [];
  let longest: RowLength | undefined;
  for (const writer of writers) {
    const length = lengthBy(writer, writers);
    if (length === undefined) return undefined;
    if (length !== 'edge' && (!longest || length.atMost > longest.atMost)) longest = length;
  }
  return longest;
}

/** What one array is called everywhere: a variable by its declaration, a member by the type it belongs to. */
function arrayKey(scope: Scope, value: Value, offset: number): string | undefined {
  if (value.kind === 'name') {
    const variable = variableAt(scope, value.name, offset);
    if (!variable || (variable.dimensions === undefined && !variable.pointer)) return undefined;
    return variable.role === 'global'
      ? `global ${variable.name}`
      : `${variable.uri} ${scope.procedure.start} ${variable.at.start} ${variable.name}`;
  }
  if (value.kind !== 'member') return undefined;
  const owner = rootName(value.object);
  const variable = owner !== undefined && value.object.kind !== 'member' ? variableAt(scope, owner, offset) : undefined;
  const type = variable && typeKey(variable.type);
  return type ? `member ${type}.${value.field}` : undefined;
}

const classesOf = once((sources: Sources): ArrayClasses => {
  const parents = new Map<string, string>();
  const find = (key: string): string => {
    const parent = parents.get(key);
    if (parent === undefined || parent === key) return key;
    const root = find(parent);
    parents.set(key, root);
    return root;
  };
  const lose: string[] = [];
  const lostTypes = new Set<string>(),
    seen = new Set<string>();
  const byName = new Map<string, Scope[]>();
  for (const scope of sources.scopes) append(byName, scope.procedure.name, scope);
  const called = new Set(
    sources.scopes.flatMap((scope) => effectsOf(scope.procedure.body).calls.map(({ call }) => call.name)),
  );
  /** A method is known by its last name, and its object comes before its arguments. */
  const calleesOf = (call: CallValue): readonly Scope[] =>
    byName.get(call.name) ?? byName.get(/[.>]([^.>]+)$/.exec(call.name)?.[1] ?? '') ?? [];
  const inSight = (call: CallValue): boolean =>
    calleesOf(call).length > 0 || harmless.test(call.name) || isAllocator(call.name);
  for (const scope of sources.scopes) {
    for (const step of stepsIn(scope.procedure.body)) {
      if (step.kind !== 'assign') continue;
      // `*p++ = k`: written in a way that tells no subscript.
      if (
        step.target.kind !== 'name' &&
        step.target.kind !== 'member' &&
        (step.target.kind !== 'element' || arrayKey(scope, step.target.base, step.start) === undefined)
      )
        loseAll(scope, step.target, step);
      if (step.op !== undefined) continue;
      // A structure that came from elsewhere.
      const made =
        step.value.kind === 'call' && !inSight(step.value) ? structureOf(scope, step.target, step.start) : undefined;
      if (made !== undefined) lostTypes.add(made);
      const target = arrayKey(scope, step.target, step.start);
      if (target === undefined) continue;
      seen.add(target);
      if (
        // A parameter of a procedure that no known code calls: what it holds is not known.
        step.value.kind === 'name' &&
        variableAt(scope, step.value.name, step.start)?.role === 'parameter' &&
        !called.has(scope.procedure.name) &&
        (step.target.kind === 'member' || target.startsWith('global '))
      )
        lose.push(target);
      const source = arrayKey(scope, step.value, step.start);
      if (source !== undefined) parents.set(find(target), find(source));
      else if (step.value.kind === 'call') for (const key of returnedBy(step.value)) join(target, key);
      // `rows = base + 1` or `&all[k]`: an array that begins elsewhere.
      else
        walkValue(step.value, (part) => {
          if (part.kind === 'call') return false;
          const key = arrayKey(scope, part, step.start);
          if (key !== undefined) lose.push(key, target);
          return true;
        });
    }
    for (const { call, step } of effectsOf(scope.procedure.body).calls) {
      const callees = calleesOf(call);
      const objects = byName.has(call.name) ? 0 : 1;
      call.args.forEach((arg, index) => {
        const structure = inSight(call)
          ? undefined
          : structureOf(scope, arg.kind === 'unary' && arg.op === '&' ? arg.operand : arg, step.start);
        if (structure !== undefined) lostTypes.add(structure);
        const key = arrayKey(scope, arg, step.start);
        if (key === undefined) {
          // The address of an element, or of the pointer itself, handed to somebody.
          if (arg.kind === 'unary' && arg.op === '&') {
            const inner = arrayKey(scope, arg.operand.kind === 'element' ? arg.operand.base : arg.operand, step.start);
            if (inner !== undefined && !harmless.test(call.name) && !isAllocator(call.name)) lose.push(inner);
          }
          return;
        }
        const parameters = callees
          .filter((callee) => callee.procedure.parameters.length + objects === call.args.length)
          .map((callee) => parameterKey(callee, index - objects))
          .filter((one) => one !== undefined);
        if (parameters.length > 0) for (const parameter of parameters) parents.set(find(parameter), find(key));
        else if (!harmless.test(call.name)) lose.push(key);
      });
    }
  }
  const writers = new Map<string, Writer[]>();
  for (const scope of sources.scopes)
    for (const access of effectsOf(scope.procedure.body).accesses) {
      if (!access.write) continue;
      const key = arrayKey(scope, access.element.base, access.step.start);
      if (key === undefined) continue;
      seen.add(key);
      append(writers, find(key), { scope, access });
    }
  for (const key of seen)
    if (key.startsWith('member ') && lostTypes.has(key.slice('member '.length, key.lastIndexOf('.')))) lose.push(key);
  return { find, writers, lost: new Set(lose.map(find)) };

  /** What known functions of this name return: `a.offsets()` is the member. */
  function returnedBy(call: CallValue): readonly (string | undefined)[] {
    return calleesOf(call).flatMap((callee) =>
      stepsIn(callee.procedure.body).flatMap((step) =>
        step.kind === 'jump' && step.form === 'return' && step.value ? [arrayKey(callee, step.value, step.start)] : [],
      ),
    );
  }

  function join(target: string, key: string | undefined): void {
    if (key === undefined) lose.push(target);
    else parents.set(find(target), find(key));
  }

  function loseAll(scope: Scope, value: Value, step: Step): void {
    lose.push(...valuesIn(value).flatMap((part) => arrayKey(scope, part, step.start) ?? []));
  }
});

/** The type of a structure, or of the structures that a pointer leads to, as it is in the keys of its members. */
function structureOf(scope: Scope, value: Value, offset: number): string | undefined {
  // An element of a member says nothing of the structure that has the member.
  const place = value.kind === 'element' ? value.base : value;
  const name = place.kind === 'name' ? place.name : undefined;
  const type = name === undefined ? undefined : variableAt(scope, name, offset)?.type;
  return type === undefined || scalarNamed(type) ? undefined : typeKey(type);
}

function typeKey(type: string): string {
  return type.replace(/\b(const|volatile|struct|class|type)\b|[*&()\s]/g, '');
}

function parameterKey(scope: Scope, index: number): string | undefined {
  const { parameters, body, start } = scope.procedure;
  const at = body[0]?.start ?? start;
  const name = parameters[index];
  return name === undefined ? undefined : arrayKey(scope, { kind: 'name', name, start: at, end: 0 }, at);
}

/**
 * The growth an iteration by one writer; `edge` for a write that opens or closes the offsets: `rows[0] = 0`,
 * `rows[n] = count` after the loop.
 */
function lengthBy(writer: Writer, all: readonly Writer[]): RowLength | 'edge' | undefined {
  const {
    scope,
    access: { step, element },
  } = writer;
  if (step.kind !== 'assign' || step.op !== undefined || element.subscripts.length !== 1) return undefined;
  const loop = loopsAround(scope, step)[0];
  const counter = step.value.kind === 'name' ? step.value.name : undefined;
  if (!loop) {
    if (numberAt(scope, step.value, step) !== undefined) return 'edge';
    // The closing offset is the counter that the loop stores.
    return counter !== undefined &&
      all.some(
        ({ scope: own, access: { step: other } }) =>
          own === scope && other !== step && other.kind === 'assign' && isNamed(other.value, counter),
      )
      ? 'edge'
      : undefined;
  }
  // A row that a condition leaves out is as long as two.
  const around = parentsOf(scope, step);
  if (around.slice(around.indexOf(loop)).some(({ kind }) => kind === 'if' || kind === 'other')) return undefined;
  if (!everyTurnOneFurther(scope, element.subscripts[0]!, step, loop)) return undefined;
  const growth =
    counter !== undefined
      ? counterGrowth(scope, counter, loop)
      : (formulaGrowth(scope, step, loop) ?? sumGrowth(scope, element, step, loop));
  return growth === undefined || growth < 1 ? undefined : { atMost: growth, at: spanIn(scope.file, step) };
}

/**
 * Whether a subscript moves by one each iteration of the loop: it is linear in the loop's variable, or a number that
 * the turn counts up once.
 */
function everyTurnOneFurther(scope: Scope, subscript: Value, step: Step, loop: LoopStep): boolean {
  const polynomial = polynomialAt(scope, subscript, step);
  if (!polynomial) return false;
  if (loop.variable !== undefined && strideOf(scope, loop) === 1 && slope(polynomial, loop.variable)?.number === 1)
    return true;
  const names = new Set([...polynomial.atoms.values()].flatMap((unknown) => [...unknown.names]));
  return [...names].some(
    (name) =>
      slope(polynomial, name)?.number === 1 &&
      growthOf(scope, loop.body, name) === 1 &&
      loop.body.some((each) => isAssignmentTo(each, name)),
  );
}

/**
 * `rows[i] = count`: how much `count` grows in one iteration of the loop, which alone may change it once the rows have
 * begun.
 */
function counterGrowth(scope: Scope, counter: string, loop: LoopStep): number | undefined {
  const outermost = loopsAround(scope, loop).at(-1);
  // Between iterations of the loop nothing else may add to it.
  const isAlone = !outermost || growthOf(scope, outermost.body, counter, loop) === 0;
  return isAlone ? growthOf(scope, loop.body, counter) : undefined;
}

/** `rows[i] = 27 * i`. */
function formulaGrowth(scope: Scope, step: AssignStep, loop: LoopStep): number | undefined {
  const value = loop.variable === undefined ? undefined : polynomialAt(scope, step.value, step);
  const growth = value && slope(value, loop.variable!)?.number;
  // With zero it would be a fill, or an expression that does not tell the row at all.
  return growth === 0 ? undefined : growth;
}

/** `rows[i + 1] = rows[i] + length`: the number, or what a counter that begins again in each iteration has reached. */
function sumGrowth(scope: Scope, element: Access['element'], step: AssignStep, loop: LoopStep): number | undefined {
  if (step.value.kind !== 'binary' || step.value.op !== '+') return undefined;
  for (const [before, length] of [
    [step.value.left, step.value.right],
    [step.value.right, step.value.left],
  ] as const) {
    if (before.kind !== 'element' || before.array !== element.array || before.subscripts.length !== 1) continue;
    const a = polynomialAt(scope, before.subscripts[0]!, step),
      b = polynomialAt(scope, element.subscripts[0]!, step);
    if (!a || !b || b.plus(a, -1).number !== 1) return undefined;
    const fixed = numberAt(scope, length, step);
    if (fixed !== undefined) return fixed;
    if (length.kind !== 'name') return undefined;
    // The counter is set back in the same turn, before it is counted up.
    const reset = loop.body.findIndex((each) => isAssignmentTo(each, length.name) && each.op === undefined);
    const begin = reset < 0 ? undefined : numberAt(scope, (loop.body[reset] as AssignStep).value, loop.body[reset]!);
    const growth = begin === undefined ? undefined : growthOf(scope, loop.body.slice(reset + 1), length.name);
    return begin === undefined || growth === undefined || growthOf(scope, loop.body.slice(0, reset), length.name) !== 0
      ? undefined
      : begin + growth;
  }
  return undefined;
}

/**
 * By how much a list of steps adds to `name` at most, run once; undefined where it does anything else to it. `except`
 * is left out.
 */
function growthOf(scope: Scope, steps: readonly Step[], name: string, except?: Step): number | undefined {
  let total = 0;
  for (const step of steps) {
    if (step === except || !writes(scope, step, name)) continue;
    const growth = growthOfStep(scope, step, name, except);
    if (growth === undefined) return undefined;
    total += growth;
  }
  return total;
}

function growthOfStep(scope: Scope, step: Step, name: string, except: Step | undefined): number | undefined {
  if (step.kind === 'assign') {
    return isNamed(step.target, name)
      ? incrementBy(scope, step, name)
      : countedIn(scope, [step.target, step.value], name);
  }
  if (step.kind === 'loop') {
    if (step.variable === name) return undefined;
    const inner = growthOf(scope, step.body, name, except);
    if (inner === undefined || inner === 0) return inner;
    const trips = countedTrips(scope, step);
    return trips && trips.atMost * inner;
  }
  if (step.kind === 'if') {
    const arms = [growthOf(scope, step.then, name, except), step.else ? growthOf(scope, step.else, name, except) : 0];
    const inCondition = countedIn(scope, [step.cond], name);
    return arms.includes(undefined) || inCondition === undefined
      ? undefined
      : Math.max(...(arms as number[])) + inCondition;
  }
  if (step.kind === 'block' || step.kind === 'region') return growthOf(scope, step.body, name, except);
  if (step.kind === 'call')
    return scope.file.language === 'fortran' ? undefined : countedIn(scope, step.call.args, name);
  return undefined;
}

/** `n = n + 1`, `n += 2`. */
function incrementBy(scope: Scope, step: AssignStep, name: string): number | undefined {
  const { op, value } = step;
  const sides = op === undefined && value.kind === 'binary' && value.op === '+' ? [value.left, value.right] : [];
  const by = op === '+' ? value : sides.find((_, at) => isNamed(sides[1 - at]!, name));
  const number = by && numberAt(scope, by, step);
  return number !== undefined && number >= 0 ? number : undefined;
}

/** `cols[n++] = c`. */
function countedIn(scope: Scope, values: readonly Value[], name: string): number | undefined {
  let total: number | undefined = 0;
  for (const value of values)
    walkValue(value, (part) => {
      if (part.kind === 'unary' && part.op === '&' && isNamed(part.operand, name)) total = undefined;
      if (part.kind !== 'other' || !part.assigns?.some((target) => isNamed(target, name))) return true;
      const text = scope.file.text.slice(part.start, part.end).replace(/[\s()]/g, '');
      total = total !== undefined && (text === `${name}++` || text === `++${name}`) ? total + 1 : undefined;
      return false;
    });
  return total;
}
