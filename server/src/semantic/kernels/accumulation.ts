// Sums that a loop keeps in memory: the compiler may not hold them in a register, since another pointer of the loop may
// point to the same place, or another subscript of the same array.
import type { AssignExpr, CallExpr, Expr, Stmt } from '../../syntax/ast';
import {
  once,
  isOwnValue,
  localsOf,
  sameExpr,
  type Local,
  type Locals,
  takesByValue,
  namesIn,
  some,
  walk,
  type AnySyntax,
  isThreadPlace,
} from '../language';
import { ownAccessesOf, sharedArrayOf } from '../fixes';
import type { AccessFact } from '../model';
import type { AccessRecord } from '../run';
import { mayChange, rootOf, touchesMemory } from '../program';

/**
 * What keeps the sum of a store in memory; undefined where it is none, or the compiler may hold it in a register.
 * Held against PTX of nvcc 13.0 (-O3): types do not tell places apart, `__restrict__` on either pointer does, and a
 * store under a condition stays in the loop whatever the pointers say.
 * `loops`, from the innermost, leave its place as it is; `conditional` within the innermost. `other` is read or written
 * beside it, and nothing says that it is another array; or it is the sum's `own`, read at places that are never the
 * sum's, which the compiler cannot tell. The loop that stores elsewhere too `reloads` it in each iteration.
 */
export function accumulationOf({ mode, expr, fn, loops, space }: AccessRecord): AccessFact['accumulates'] {
  const loop = loops[0];
  if (mode !== 'store' || (space !== 'global' && space !== 'shared') || !expr || !loop || loop.fn !== fn || expr.macro)
    return undefined;
  const locals = localsOf(fn);
  const callee = objectIn(expr, locals);
  if (expr.kind !== 'index' && !(expr.kind === 'unary' && expr.op === '*') && !callee) return undefined;
  const sum = sumsIn(loop.stmt).get(expr);
  if (!sum || (callee && touchesElsewhere(loop.stmt, expr, callee, locals))) return undefined;
  const shared = space === 'shared' ? sharedArrayOf(expr, locals) : undefined;
  const root = arrayOf(expr, locals);
  if (
    shared
      ? subscriptsOf(expr).some((part) => hangsOnMemory(part, locals))
      : !isPointer(root) || readsMemory(expr, locals)
  )
    return undefined;
  const names = namesIn(expr);
  let fixed = 0;
  for (const { stmt, fn: around } of loops) {
    if (around !== fn || isMoved(stmt, names, locals)) break;
    fixed++;
  }
  if (fixed === 0 || !isPlain(loop.stmt, locals)) return undefined;
  const conditional = isConditional(sum, loop.stmt, locals);
  const own = ownAccessesOf(loop.stmt, expr, locals);
  // Pointers never lead to an array in shared memory that the compiler sees: there only its own subscripts hinder.
  if (shared)
    return own === 'apart' && !conditional ? { loops: fixed, other: shared.name, own: true, conditional } : undefined;
  if (own !== 'none' || !isPointer(root)) return undefined;
  const other = otherArray(loop.stmt, expr, root, locals, conditional);
  if (other === undefined) return undefined;
  const reloads = conditional || !storesAlone(loop.stmt, expr);
  return { loops: fixed, other, conditional, ...(reloads ? { reloads } : {}) };
}

/**
 * Of the load of a sum: the loop around it, as a number of loops, whose iterations it is not made in. Each of them
 * stores the sum, since another pointer may lead to it, but no store of the loop comes between that and the next load,
 * which the register still answers (PTX of nvcc 13.0, -O3; a store of anything else, or a condition, brings it back).
 */
export function answeredLoops({ mode, expr, fn, loops, space }: AccessRecord): number {
  const loop = loops[0];
  if (mode !== 'load' || space !== 'global' || !expr || !loop || loop.fn !== fn || expr.macro) return 0;
  let target: Expr | undefined;
  for (const each of sumsIn(loop.stmt).keys()) if (sameExpr(each, expr)) target = target ? undefined : each;
  const locals = localsOf(fn);
  if (!target || !isPointer(arrayOf(expr, locals)) || readsMemory(expr, locals)) return 0;
  if (isMoved(loop.stmt, namesIn(expr), locals) || !isPlain(loop.stmt, locals)) return 0;
  return !isConditional(target, loop.stmt, locals) && storesAlone(loop.stmt, target) ? 1 : 0;
}

function storesAlone(loop: Stmt, target: Expr): boolean {
  return !some(loop, (node) =>
    node.kind === 'assign' && node.target.kind !== 'name'
      ? node.target !== target
      : node.kind === 'update' && node.operand.kind !== 'name' && node.operand !== target,
  );
}

/** The sums of a loop by what they add to. */
const sumsIn = once((loop: Stmt): ReadonlyMap<Expr, AnySyntax> => {
  const found = new Map<Expr, AnySyntax>();
  walk(loop, (node) => {
    if (node.kind === 'assign' && node.target.kind !== 'name' && addsUp(node)) found.set(node.target, node);
    if (node.kind === 'update' && node.operand.kind !== 'name') found.set(node.operand, node);
  });
  return found;
});

/** `x[i] += e`, `x[i] = x[i] + e + f`, `x[i] = fmaxf(x[i], e)`. */
function addsUp({ op, target, value }: AssignExpr): boolean {
  if (/^(?:\+|-|\*|\||&|\^)=$/.test(op)) return true;
  const isOf = (part: Expr): boolean =>
    sameExpr(part, target) ||
    (part.kind === 'binary' && /^[-+*]$/.test(part.op) && (isOf(part.left) || (part.op !== '-' && isOf(part.right)))) ||
    (part.kind === 'call' && part.args.length === 2 && part.args.some((arg) => sameExpr(arg, target)));
  return op === '=' && isOf(value);
}

/** The parameter that an element `a(i)` is of. */
function objectIn(expr: Expr, locals: Locals): Local | undefined {
  const local = expr.kind === 'call' && expr.callee.kind === 'name' ? locals.of(expr.callee) : undefined;
  return local?.parameter && local.writes.length === 0 && !local.addressTaken ? local : undefined;
}

/** What an element lies in; not a field of a parameter, which may be a part of it. */
function arrayOf(place: Expr, locals: Locals): Local | string | undefined {
  const root = objectIn(place, locals) ?? rootOf(place, locals);
  const isOfObject = typeof root === 'object' && root.parameter?.type.kind === 'named';
  return isOfObject && place.kind === 'index' && place.base.kind !== 'name' ? undefined : root;
}

function touchesElsewhere(loop: Stmt, place: Expr, object: Local, locals: Locals): boolean {
  return some(loop, (node) => node.kind === 'call' && objectIn(node, locals) === object && !sameExpr(node, place));
}

/** A parameter that leads to memory: a pointer that nothing says is the only way to it, or an object that has one. */
function isPointer(root: Local | string | undefined): root is Local {
  const type = typeof root === 'object' ? root.parameter?.type : undefined;
  if (type?.kind === 'named') return true;
  return type?.kind === 'pointer' && !type.volatile && !(type.to.kind === 'named' && type.to.volatile);
}

/** An object may hold its elements itself; one of the class of an object that leads to memory leads there too. */
function leadsAs({ parameter }: Local, { parameter: other }: Local): boolean {
  const [one, its] = [parameter?.type, other?.type];
  return one?.kind !== 'named' || (its?.kind === 'named' && its.name === one.name);
}

function isRestricted({ parameter }: Local): boolean {
  return parameter?.type.kind === 'pointer' && parameter.type.restrict === true;
}

/** The place itself depends on what lies in memory. */
function readsMemory(expr: Expr, locals: Locals): boolean {
  const inner =
    expr.kind === 'index'
      ? [expr.index, expr.base]
      : expr.kind === 'unary'
        ? [expr.operand]
        : expr.kind === 'call'
          ? expr.args
          : [];
  return inner.some((part) => hangsOnMemory(part, locals));
}

function subscriptsOf(expr: Expr): Expr[] {
  return expr.kind === 'index' ? [...subscriptsOf(expr.base), expr.index] : [];
}

function hangsOnMemory(part: Expr, locals: Locals): boolean {
  if (touchesMemory(part)) return true;
  // `threadIdx.x` is a member of nothing in memory.
  const isOwn = (object: Expr): boolean =>
    (object.kind === 'name' && isThreadPlace(object.name)) || isOwnValue(object, locals);
  return some(part, (node) => node.kind === 'member' && (node.arrow || !isOwn(node.object)));
}

function isDereference(node: AnySyntax): boolean {
  return node.kind === 'unary' && node.op === '*';
}

/** May the loop give one of a place's names another value? */
function isMoved(loop: Stmt, names: ReadonlySet<string>, locals: Locals): boolean {
  return mayChange(loop, names, 'references', (call) => takesOnlyValues(call, locals));
}

/** A function of numbers, or an element of a parameter. */
function takesOnlyValues(call: CallExpr, locals: Locals): boolean {
  return call.callee.kind === 'name' && (takesByValue(call.callee.name) || !!objectIn(call, locals));
}

/** Nothing in it lets another thread see the sum before the loop ends, or does what cannot be followed. */
function isPlain(loop: Stmt, locals: Locals): boolean {
  return !some(
    loop,
    (node) => node.kind === 'asm' || node.kind === 'lambda' || (node.kind === 'call' && !takesOnlyValues(node, locals)),
  );
}

function isConditional(sum: AnySyntax, loop: Stmt, locals: Locals): boolean {
  let below: AnySyntax = sum;
  for (let at = locals.parent(sum); at && at !== loop; at = locals.parent(at)) {
    if (at.kind === 'if' ? at.cond !== below : at.kind === 'conditional' || at.kind === 'switch' || at.kind === 'while')
      return true;
    below = at;
  }
  return false;
}

/** Another array of the loop that may hold the sum's place, by name. */
function otherArray(loop: Stmt, sum: Expr, root: Local, locals: Locals, conditional: boolean): string | undefined {
  let other: string | undefined;
  walk(loop, (node) => {
    const place = node as Expr;
    const object = objectIn(place, locals);
    if (node.kind !== 'index' && !isDereference(node) && !object) return other === undefined;
    if (sameExpr(place, sum)) return true;
    const at = arrayOf(place, locals);
    if (
      at !== root &&
      isPointer(at) &&
      leadsAs(at, root) &&
      (conditional || (!isRestricted(at) && !isRestricted(root)))
    )
      other = at.name;
    return other === undefined;
  });
  return other;
}
