// Matrix products in kernels: a sum over k of A's row by B's column for each element of C, straight from global memory
// or by tiles in shared memory, and the call of cuBLAS that computes the same.
import type { AssignExpr, Expr, ForStmt, FunctionDecl } from '../../../syntax/ast';
import {
  atomsOf,
  type Index,
  type Polynomial,
  type Fn,
  atomName,
  calleeName,
  isWork,
  isOwnValue,
  type Local,
  sameExpr,
  statementsOf,
  countsUp,
  type AnySyntax,
  some,
  isThreadAtom,
} from '../../language';
import { tripsOf } from '../../flow';
import { elementTypeOf, type Factor, factorOf, isElement, type Side, type Sum } from './factors';
import { gemmOf, type Ordered } from './gemms';
import type { ProductFact } from '../model';
import { callsOf, callText } from './productCalls';

/** Below it a call of the library costs as much as the kernel (docs/measurements/h200-rule-pairs.json). */
export const fewTerms = 512;

/** The products that a kernel computes. */
export function* findThreadProducts(fn: Fn): Iterable<ProductFact> {
  const { decl, locals } = fn;
  if (!decl.body || !isWork(fn)) return;
  for (const node of locals.nodes) {
    if (node.kind !== 'assign') continue;
    const sum = sumOf(node, fn);
    const type = sum && typeOf(sum, fn);
    const store = sum && (sum.local ? storeOf(sum.local, sum, fn) : sum.assign);
    if (!sum || !type || !store) continue;
    const match = sum.factors.every(({ root }) => root.parameter) && elementOf(sum, store, type, fn);
    if (!match) continue;
    yield {
      kind: 'product',
      at: fn.span(sum.statement),
      kernels: fn.kernels,
      ...match,
      type,
      related: [
        { at: nameSpan(decl), text: 'the kernel' },
        { at: fn.span(store), text: 'an element of the product' },
      ],
    };
  }
}

export function nameSpan(fn: FunctionDecl): ProductFact['at'] {
  const start = fn.base + fn.nameStart;
  const end = fn.enclosing && fn.body ? fn.base + fn.body.start : start + fn.name.length;
  return { uri: fn.uri, start, end };
}

function typeOf({ local, factors }: Sum, fn: Fn): ProductFact['type'] | undefined {
  return elementTypeOf(local ?? factors[0].root, fn);
}

/** The sum that an assignment makes, where its loop does nothing else. */
function sumOf(assign: AssignExpr, fn: Fn): Sum | undefined {
  const statement = fn.parent(assign);
  if (statement?.kind !== 'expr') return undefined;
  const local = assign.target.kind === 'name' ? fn.local(assign.target) : undefined;
  const isOwn = local?.variable !== undefined && local.variable.space === 'none' && !local.addressTaken;
  if (!isOwn && !isElement(assign.target, fn.locals)) return undefined;
  const terms = addedTo(local, assign, fn)?.flatMap(factorsIn);
  const factors = terms?.flatMap((term) => factorOf(term, fn.locals) ?? []);
  if (!terms || factors?.length !== 2) return undefined;
  const isFixed = (term: Expr): boolean =>
    term.kind === 'name' || term.kind === 'number' || (term.kind === 'member' && isOwnValue(term, fn.locals));
  if (!terms.every((term) => isElement(term, fn.locals) || isFixed(term))) return undefined;
  const up = fn.parent(statement);
  const loop = up?.kind === 'block' ? fn.parent(up) : up;
  if (loop?.kind !== 'for' || statementsOf(loop.body).length !== 1) return undefined;
  const counter = counterOf(loop, fn);
  if (!counter) return undefined;
  const scales = terms.filter((term) => !factors.some(({ node }) => node === term));
  const rest = { statement, assign, loop, counter, scales, factors: [factors[0]!, factors[1]!] as const };
  if (!isOwn) return rest;
  if (fn.isInside(local.variable!, loop)) return undefined;
  // Where it begins again, and what else is added to it, may be anything.
  const others = local.writes.filter(({ node }) => node !== assign);
  const isReset = (value: Expr | undefined): boolean => value?.kind === 'number' && value.value === 0;
  if (!others.every(({ op, value }) => op === '=' && isReset(value))) return undefined;
  return { ...rest, local };
}

/** The two factors of what is added: `s += x * y`, `s = s + x * y`, `s = fmaf(x, y, s)`. */
function addedTo(
  local: Local | undefined,
  { op, target, value }: AssignExpr,
  fn: Fn,
): readonly [Expr, Expr] | undefined {
  const isSum = (expr: Expr | undefined): boolean =>
    expr !== undefined &&
    (local === undefined ? sameExpr(expr, target) : expr.kind === 'name' && fn.local(expr) === local);
  if (op === '=' && value.kind === 'call' && /^(__)?fmaf?(_rn)?$/.test(calleeName(value) ?? ''))
    return value.args.length === 3 && isSum(value.args[2]) ? [value.args[0]!, value.args[1]!] : undefined;
  let added: Expr | undefined;
  if (op === '+=') added = value;
  else if (op === '=' && value.kind === 'binary' && value.op === '+')
    added = isSum(value.left) ? value.right : isSum(value.right) ? value.left : undefined;
  return added?.kind === 'binary' && added.op === '*' ? [added.left, added.right] : undefined;
}

/** `alpha * x * y` as its factors. */
function factorsIn(expr: Expr): Expr[] {
  return expr.kind === 'binary' && expr.op === '*' ? [...factorsIn(expr.left), ...factorsIn(expr.right)] : [expr];
}

/** The counter of `for (int k = 0; k < …; k++)`. */
export function counterOf(loop: ForStmt, fn: Fn): Local | undefined {
  const head = fn.counted(loop);
  const startsAtZero = head?.first.kind === 'number' && head.first.value === 0;
  return startsAtZero && countsUp(head) && /^(<|!=)$/.test(head.bound?.op ?? '') ? head.local : undefined;
}

/** The one place of memory that the sum goes to: as it is, times a number, or onto what is there. */
function storeOf(local: Local, { statement }: Sum, fn: Fn): AssignExpr | undefined {
  let store: AssignExpr | undefined;
  for (const use of local.uses) {
    if (fn.isInside(use, statement) || local.writes.some(({ node }) => fn.isInside(use, node))) continue;
    let to: AssignExpr | undefined;
    for (const around of fn.around(use)) {
      if (around.kind === 'binary' && /^[-+*]$/.test(around.op)) continue;
      if (around.kind === 'cast') continue;
      if (around.kind === 'assign') to = around;
      break;
    }
    if (!to || !isElement(to.target, fn.locals) || !/^(=|\+=)$/.test(to.op) || (store && store !== to))
      return undefined;
    store = to;
  }
  return some(store?.value, ({ kind }) => kind === 'call' || kind === 'conditional') ? undefined : store;
}

/** The thread's numbers that a polynomial depends on; the third axis counts matrices. */
function threadsIn(polynomial: Polynomial<unknown>): Set<string> {
  const keys = [...polynomial.terms.keys()].flatMap(atomsOf).filter(isThreadAtom);
  return new Set(keys.filter((key) => !/^(block|thread)Idx\.z$/.test(key)));
}

type Match = Pick<ProductFact, 'form' | 'left' | 'right' | 'call' | 'called' | 'why'>;

function elementOf(sum: Sum, store: AssignExpr, type: ProductFact['type'], fn: Fn): Match | undefined {
  const { factors, loop, counter, scales } = sum;
  const trips = tripsOf(loop, fn);
  if (trips !== undefined && trips < fewTerms) return undefined;
  const bound = loop.cond?.kind === 'binary' ? fn.index(loop.cond.right) : undefined;
  // As many terms for each element: not where a triangle is multiplied.
  if (!bound || bound.has(isThreadAtom)) return undefined;
  const [left, right] = factors.map((factor) => sideOf(factor, counter, fn));
  const target = factorOf(store.target, fn.locals);
  if (!left || !right || !target || factors.some(({ root }) => root === target.root)) return undefined;
  if ([...left.threads].some((key) => right.threads.has(key))) return undefined;
  const place = target.indices.length === 1 ? fn.index(target.indices[0]!) : undefined;
  if (!place || place.has((key) => key === atomName(counter, fn.locals))) return undefined;
  if (![...left.threads, ...right.threads].every((key) => threadsIn(place).has(key))) return undefined;
  if (comparesBoth(store, left.threads, right.threads, fn)) return undefined;
  const [row, column] = [left, right].map((side) => factorOn(place, side.threads));
  if (row === undefined || column === undefined) return undefined;
  // C in rows has its columns side by side; the other way round it is the transposed product in rows.
  const inRows = column.number === 1;
  if (!inRows && row.number !== 1) return undefined;
  const of = (at: 0 | 1): Ordered['inner'] => ({ factor: factors[at], side: [left, right][at]! });
  const [inner, outer] = inRows ? [of(1), of(0)] : [of(0), of(1)];
  const isPlain = scales.length === 0 && store.value.kind === 'name' && store.op === '=';
  const called = callsOf(gemmOf(sum, store, { inner, outer, leading: inRows ? row : column }, type, fn), fn);
  return {
    form: 'element',
    left: factors[0].root.name,
    right: factors[1].root.name,
    call: callText(type, inner.side.along, !outer.side.along, [
      ...(inRows ? ['columns', 'rows'] : ['rows', 'columns']),
      fn.text((loop.cond as { right: Expr }).right),
      isPlain ? '&one' : '&alpha',
      inner.factor.root.name,
      inner.side.leading.wording,
      outer.factor.root.name,
      outer.side.leading.wording,
      isPlain ? '&zero' : '&beta',
      target.root.name,
      (inRows ? row : column).wording,
    ]),
    ...(typeof called === 'string' ? { why: called } : { called }),
  };
}

function sideOf({ indices }: Factor, counter: Local, fn: Fn): Side | undefined {
  const polynomial = indices.length === 1 ? fn.index(indices[0]!) : undefined;
  const parts = polynomial?.split(atomName(counter, fn.locals));
  if (!parts || parts.factor.terms.size === 0 || parts.factor.has(isThreadAtom)) return undefined;
  const threads = threadsIn(parts.rest);
  // Variables that other loops change would be a third dimension.
  const others = [...(polynomial?.atoms.values() ?? [])].flatMap((atom) => atom.locals);
  if (others.some((local) => local !== counter && !local.parameter && local.writes.length > 0)) return undefined;
  const factor = factorOn(parts.rest, threads);
  if (threads.size === 0 || !factor) return undefined;
  if (parts.factor.number === 1) return factor.number === 1 ? undefined : { threads, along: true, leading: factor };
  return factor.number === 1 ? { threads, along: false, leading: parts.factor } : undefined;
}

/** What a step of the thread's own number adds; undefined where that is not one thing. */
function factorOn(polynomial: Index, threads: ReadonlySet<string>): Index | undefined {
  const keys = [...threads];
  const key = keys.find((each) => each.startsWith('threadIdx')) ?? (keys.length === 1 ? keys[0] : undefined);
  return key === undefined ? undefined : polynomial.split(key)?.factor;
}

/** `if (row <= column)`: a part of the matrix, and another routine. */
function comparesBoth(store: AssignExpr, rows: ReadonlySet<string>, columns: ReadonlySet<string>, fn: Fn): boolean {
  const isOfBoth = (node: AnySyntax): boolean => {
    if (node.kind !== 'binary' || !/^([<>]=?|[=!]=)$/.test(node.op)) return false;
    const sides = [node.left, node.right].map((side) => fn.index(side));
    return [rows, columns].every((on) => sides.some((side) => side?.has((key) => on.has(key))));
  };
  return [...fn.around(store)].some((around) => around.kind === 'if' && some(around.cond, isOfBoth));
}
