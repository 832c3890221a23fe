// Whether two subscripts of one array lead to different places, by the conditions and loops that stand around one of
// them: `s[t][j]` is not `s[t][i]` where the loop goes on while `j < i`.
import { counted, counterOf } from './countedLoops';
import type { Expr, Stmt, TypeSyntax } from '../../syntax/ast';
import { atomPolynomial, constantPolynomial, Polynomial } from './algebra';
import { definitionOf, isInside, type Local, type Locals } from './scope';
import { assignedNames, isConditionLoop, some, type AnySyntax } from './statements';
import { isThreadPlace } from './threadNames';

/** What an atom depends on: a variable, or nothing that changes. */
type Atom = Local | undefined;
type Sum = Polynomial<Atom>;

/** This many of the facts around an access are put together; three are `t - j = (t - i) + (i - j)` and a start of 0. */
const mostTogether = 3;
const mostFacts = 12;

/**
 * Are the two different places whenever `other` runs? They have to be subscripts of the same variable that differ in
 * one dimension and are the same in the others, so that no row that is left decides. What `place` names must not change
 * where `other` stands.
 */
export function areApart(place: Expr, other: Expr, locals: Locals): boolean {
  const differences = differencesOf(place, other, locals, false);
  const differing = differences?.filter((difference) => difference?.number !== 0);
  const difference = differing?.[0];
  return differing?.length === 1 && !!difference && isNever0(difference, factsAround(other, locals, false));
}

/**
 * Is `other` of no thread the `place` of another one of its block, as far as their subscripts stay within their
 * dimensions? Threads that write while others read meet no barrier in some old programs, and count on their warp.
 */
export function areApartBetweenThreads(place: Expr, other: Expr, locals: Locals): boolean {
  const differences = differencesOf(place, other, locals, true) ?? [];
  const facts = [...factsAround(other, locals, false), ...factsAround(place, locals, true)];
  return differences.some((difference) => !!difference && isNever0(difference, facts));
}

/** By dimension how far `other` lies behind `place`, which is that of another thread if `another`. */
function differencesOf(place: Expr, other: Expr, locals: Locals, another: boolean): (Sum | undefined)[] | undefined {
  const [own, its] = [subscriptsOf(place, locals), subscriptsOf(other, locals)];
  if (!own || !its || own.base !== its.base || own.at.length !== its.at.length) return undefined;
  return own.at.map((at, dimension) => {
    const [left, right] = [sumOf(its.at[dimension]!, locals, false), sumOf(at, locals, another)];
    return left && right ? left.plus(right, -1).bounded : undefined;
  });
}

function isNever0(given: Sum, facts: readonly Sum[]): boolean {
  // `32 * t - 32 * j` is 0 where `t - j` is.
  const whole = [...given.terms.values()].map(Math.abs).reduce(greatestCommonDivisor, 0);
  const terms = new Map([...given.terms].map(([key, factor]) => [key, factor / Math.max(1, whole)]));
  const difference: Sum = new Polynomial(terms, given.atoms);
  return isPositive(difference, facts) || isPositive(constantPolynomial(-1).times(difference), facts);
}

/** `base[a][b]`, from the outermost dimension on. */
function subscriptsOf(expr: Expr, locals: Locals): { readonly base: Local; readonly at: readonly Expr[] } | undefined {
  const at: Expr[] = [];
  let base = expr;
  for (; base.kind === 'index'; base = base.base) at.unshift(base.index);
  const local = base.kind === 'name' ? locals.of(base) : undefined;
  return local && at.length > 0 ? { base: local, at } : undefined;
}

/** Whole numbers of 32 bits and more: narrower ones wrap round in the middle of an expression. */
const wholeTypes =
  /^(?:(?:signed|unsigned|long|int)(?: (?:long|int))*|u?int(?:32|64)?_t|size_t|ssize_t|ptrdiff_t|uint)$/;

function isWhole(type: TypeSyntax | undefined): boolean {
  return type?.kind === 'named' && wholeTypes.test(type.name);
}

function isUnsigned(type: TypeSyntax | undefined): boolean {
  return type?.kind === 'named' && /^(?:unsigned|u|size_t)/.test(type.name);
}

function typeOf(local: Local): TypeSyntax | undefined {
  return local.variable?.type ?? local.parameter?.type;
}

/**
 * A sum of whole numbers, variables and the thread's place; undefined for all else. What is another's in another thread
 * has a separate name there.
 */
function sumOf(expr: Expr, locals: Locals, another: boolean): Sum | undefined {
  switch (expr.kind) {
    case 'number':
      return Number.isInteger(expr.value) ? constantPolynomial(expr.value) : undefined;
    case 'name': {
      const local = locals.of(expr);
      if (!local || local.addressTaken || !isWhole(typeOf(local))) return undefined;
      const definition = definitionOf(local, locals);
      const value = definition && sumOf(definition, locals, another);
      // `int t = threadIdx.x` is the thread's place by another name.
      return value && [...value.atoms.values()].every((atom) => !atom) ? value : variableSum(local, locals, another);
    }
    case 'member': {
      const { object, field } = expr;
      if (object.kind !== 'name' || expr.arrow || locals.of(object)) return undefined;
      return isThreadPlace(object.name) && object.name !== 'gridDim'
        ? builtinSum(`${object.name}.${field}`, another)
        : undefined;
    }
    case 'binary': {
      if (!/^[-+*]$/.test(expr.op)) return undefined;
      const left = sumOf(expr.left, locals, another);
      const right = left && sumOf(expr.right, locals, another);
      if (!left || !right) return undefined;
      return (expr.op === '*' ? left.times(right) : left.plus(right, expr.op === '+' ? 1 : -1)).bounded;
    }
    default:
      return undefined;
  }
}

function builtinSum(name: string, another: boolean): Sum {
  return atomPolynomial<Atom>(another && name.startsWith('threadIdx') ? `${name}'` : name, undefined);
}

function variableSum(local: Local, locals: Locals, another: boolean): Sum {
  const key = `${local.name}#${locals.all.indexOf(local)}`;
  return atomPolynomial<Atom>(another && !isEven(local, locals) ? `${key}'` : key, local);
}

/** Is the variable given nothing but numbers, other such variables and steps, so that threads that meet agree on it? */
function isEven(local: Local, locals: Locals, depth = 0): boolean {
  if (depth > 6 || local.addressTaken) return false;
  if (local.parameter) return local.writes.length === 0;
  const given = [local.variable?.init, ...local.writes.map(({ value }) => value)];
  return given.every((value) => {
    if (!value) return true;
    return !some(value, (node) => {
      const inner = node.kind === 'name' ? locals.of(node) : undefined;
      return inner && inner !== local
        ? !isEven(inner, locals, depth + 1)
        : node.kind !== 'number' && node.kind !== 'binary' && !inner;
    });
  });
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b);
}

/** Sums that are 0 or more at a node: what the conditions and loops say in whose bodies it stands. */
function factsAround(node: Expr, locals: Locals, another: boolean): Sum[] {
  const facts: Sum[] = [builtinSum('threadIdx.x', another), builtinSum('threadIdx.y', another)];
  for (let at: AnySyntax = node, up = locals.parent(at); up; at = up, up = locals.parent(at)) {
    if (up.kind === 'lambda') break;
    if (up.kind === 'if' && up.then === at) facts.push(...comparisons(up.cond, up.then, locals, another));
    if (isConditionLoop(up) && up.kind !== 'do' && up.body === at) {
      if (up.cond) facts.push(...comparisons(up.cond, up.body, locals, another));
      const start = up.kind === 'for' ? startFact(up, locals, another) : undefined;
      if (start) facts.push(start);
    }
  }
  return facts.slice(0, mostFacts);
}

/** What a condition says of sums that stay what they are all through `region`. */
function comparisons(cond: Expr, region: Stmt, locals: Locals, another: boolean): Sum[] {
  if (cond.kind !== 'binary') return [];
  if (cond.op === '&&') return [cond.left, cond.right].flatMap((side) => comparisons(side, region, locals, another));
  if (!/^[<>]=?$/.test(cond.op)) return [];
  const [less, more] = cond.op.startsWith('<') ? [cond.left, cond.right] : [cond.right, cond.left];
  // Compared without signs, a negative number is the greatest of all.
  if ((isSignless(less, locals) || isSignless(more, locals)) && !isNeverNegative(more, locals)) return [];
  const [low, high] = [sumOf(less, locals, another), sumOf(more, locals, another)];
  if (!low || !high) return [];
  const fact = high.plus(low, -1).plus(constantPolynomial(cond.op.length === 1 ? -1 : 0));
  return stays(fact, region) ? [fact] : [];
}

/** Does the expression hold a number without a sign, so that what it is compared with becomes one? */
function isSignless(expr: Expr, locals: Locals): boolean {
  return some(expr, (node) => {
    if (node.kind === 'name') {
      const local = locals.of(node);
      if (local && isUnsigned(typeOf(local))) return true;
    } else if (node.kind === 'member') return true;
    else if (node.kind === 'number') return /^(?:unsigned|u|size_t)/.test(node.type ?? '');
    return false;
  });
}

/** Is it never below 0: a number, the thread's place, a variable without a sign, and sums of these? */
function isNeverNegative(expr: Expr, locals: Locals): boolean {
  switch (expr.kind) {
    case 'number':
      return expr.value >= 0;
    case 'name': {
      const local = locals.of(expr);
      return !!local && isUnsigned(typeOf(local));
    }
    case 'member':
      return sumOf(expr, locals, false) !== undefined;
    case 'binary':
      return /^[+*]$/.test(expr.op) && isNeverNegative(expr.left, locals) && isNeverNegative(expr.right, locals);
    default:
      return false;
  }
}

/** `k >= start` in a loop whose variable begins there and only grows, by its step. */
function startFact(loop: Extract<Stmt, { kind: 'for' }>, locals: Locals, another: boolean): Sum | undefined {
  const head = counted(loop);
  const local = head && counterOf(head, locals);
  if (!local || !isWhole(typeOf(local))) return undefined;
  const { first: value, step } = head;
  const inLoop = local.writes.filter(({ node }) => isInside(node, loop, locals) && !isInside(node, loop.init!, locals));
  const isUpwards = step?.sign === 1 && (!step.by || (step.by.kind === 'number' && step.by.value >= 1));
  const grows = isUpwards && inLoop.length === 1 && inLoop[0]!.node === loop.step;
  const isPlain = !isSignless(value, locals) || isNeverNegative(value, locals);
  const from =
    grows && isPlain && !assignedNames(loop.body).has(local.name) ? sumOf(value, locals, another) : undefined;
  if (!from || local.addressTaken || !stays(from, loop)) return undefined;
  return variableSum(local, locals, another).plus(from, -1);
}

function stays(sum: Sum, region: AnySyntax): boolean {
  const assigned = assignedNames(region);
  return [...sum.atoms.values()].every((local) => !local || !assigned.has(local.name));
}

/** Is the sum 1 or more: some of the facts together, and a number that is not negative? */
function isPositive(sum: Sum, facts: readonly Sum[]): boolean {
  const rest = sum.plus(constantPolynomial(-1));
  const search = (left: Sum, from: number, more: number): boolean => {
    const number = left.number;
    if (number !== undefined) return number >= 0;
    if (more === 0) return false;
    for (let at = from; at < facts.length; at++) if (search(left.plus(facts[at]!, -1), at + 1, more - 1)) return true;
    return false;
  };
  return search(rest, 0, mostTogether);
}
