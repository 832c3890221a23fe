// Loops that compare and swap until an operation is made for which the GPU has an atomic function.
import type { CallExpr, DoStmt, Expr, ForStmt, NameExpr, ReturnStmt, Stmt, WhileStmt } from '../../syntax/ast';
import type { Refusal, RewriteFact } from '../model';
import {
  atomicFunctions,
  atomicOperators,
  type Fn,
  type Local,
  callAround,
  calleeName,
  sameExpr,
  statementsOf,
  type AnySyntax,
  isConditionLoop,
  some,
  type ScalarType,
  type Typing,
  withoutCasts,
} from '../language';
import { hasMacro, isPure } from '../program';
import { deletionOf, hasComment, parenthesised } from './writing/edits';
import type { AccessFamily, NativeAtomic } from './writing/family';
import { refuser } from './writing/refusals';

const refused = refuser<'text' | 'pointer' | 'first' | 'old'>('native-atomics');

export const nativeAtomics: AccessFamily<'native-atomics'> = {
  id: 'native-atomics',
  on: 'access',
  to: ['atomic'],
  find: ({ swap }) => swap?.written,
};

/** Functions that take the bits of a number as an integer, and back. */
const asBits: Readonly<Record<string, string>> = {
  __double_as_longlong: 'double',
  __float_as_int: 'float',
  __float_as_uint: 'float',
};
const asNumber: Readonly<Record<string, string>> = {
  __longlong_as_double: 'double',
  __int_as_float: 'float',
  __uint_as_float: 'float',
};

/**
 * `do { assumed = old; old = atomicCAS(pointer, assumed, next); } while (assumed != old);`, or any loop that is left
 * where the swap found what it assumed.
 */
interface SwapLoop {
  readonly loop: DoStmt | ForStmt | WhileStmt;
  /** It also ends where this does not hold. */
  readonly head?: Expr | undefined;
  /** What each iteration reads of the place, where none takes what the swap before found. */
  readonly read?: Expr | undefined;
  readonly call: CallExpr;
  readonly old: Local;
  readonly assumed: Local;
  /** What variables of the loop stand for. */
  readonly inits: ReadonlyMap<Local, Expr>;
}
interface Operation {
  readonly name: string;
  readonly type: string;
  /** The operand beside the old value. */
  readonly value: Expr;
  readonly negative: boolean;
}

/** The atomic function that does what a loop around the `atomicCAS` that makes `access` does. */
export function nativeAtomicOf(fn: Fn, access: Expr): NativeAtomic | undefined {
  const call = callAround(access, fn.locals);
  const kind = call && /^atomicCAS(_block|_system)?$/.exec(calleeName(call) ?? '');
  const swap = kind && call.args.length === 3 ? swapLoopOf(call, fn) : undefined;
  const operation = swap && operationOf(swap, fn);
  if (!kind || !swap || !operation) return undefined;
  const name = `atomic${operation.name}${kind[1] ?? ''}`;
  // A function of the program by this name may be what the loop is in.
  if (fn.decl.name === name || fn.program.functions(name).some(({ body }) => body)) return undefined;
  return {
    native: { name, type: operation.type, loop: fn.span(swap.loop) },
    written: rewritten(swap, operation, name, fn),
  };
}

function swapLoopOf(call: CallExpr, fn: Fn): SwapLoop | undefined {
  const loop = [...fn.around(call)].find(isConditionLoop);
  const local = (expr: Expr | undefined): Local | undefined => {
    const plain = expr && withoutCasts(expr);
    return plain?.kind === 'name' ? fn.local(plain) : undefined;
  };
  const assumed = local(call.args[1]);
  if (!loop || !assumed || (loop.kind === 'for' && (loop.init || loop.step))) return undefined;
  const statements = [...statementsOf(loop.body)];
  const last = statements.at(-1);
  const leaves =
    last?.kind === 'if' &&
    !last.else &&
    statementsOf(last.then)
      .map(({ kind }) => kind)
      .join() === 'break';
  const isEndless = !loop.cond || (loop.cond.kind === 'number' && loop.cond.value !== 0);
  if (leaves ? loop.kind === 'do' && !isEndless : loop.kind !== 'do') return undefined;
  if (leaves) statements.pop();
  const test = leaves ? last.cond : loop.cond;
  if (test?.kind !== 'binary' || test.op !== (leaves ? '==' : '!=')) return undefined;

  const sets = (statement: Stmt): readonly (readonly [Local | undefined, Expr | undefined])[] | undefined => {
    if (statement.kind === 'decl')
      return statement.vars.map((variable) => [fn.locals.all.find((one) => one.variable === variable), variable.init]);
    if (statement.kind !== 'expr' || statement.expr.kind !== 'assign' || statement.expr.op !== '=') return undefined;
    return [[local(statement.expr.target), statement.expr.value]];
  };
  const swapped = (expr: Expr): boolean => withoutCasts(expr) === call;
  const lastSet = statements.length > 0 ? sets(statements.at(-1)!)?.at(-1) : undefined;
  const swapsLast = lastSet?.[1] !== undefined && swapped(lastSet[1]);
  if (swapsLast && statements.at(-1)!.kind === 'decl' && sets(statements.at(-1)!)!.length > 1) return undefined;
  if (swapsLast) statements.pop();
  const sides = [withoutCasts(test.left), withoutCasts(test.right)];
  const found = sides.find((side) => local(side) !== assumed);
  if (!found || !sides.some((side) => local(side) === assumed)) return undefined;
  let result = swapsLast ? lastSet[0] : undefined;
  if (swapsLast ? !result || local(found) !== result : found !== call) {
    if (swapsLast || found.kind !== 'assign' || found.op !== '=' || !swapped(found.value)) return undefined;
    result = local(found.target);
  }

  const inits = new Map<Local, Expr>();
  for (const statement of statements) {
    const all = statement.kind === 'empty' ? [] : sets(statement);
    if (!all) return undefined;
    for (const [declared, value] of all) {
      if (!declared?.variable || !value || inits.has(declared) || !isPure(value, fn)) return undefined;
      if (declared !== assumed && declared.writes.length > (declared.variable.init ? 0 : 1)) return undefined;
      inits.set(declared, value);
    }
  }
  const from = inits.get(assumed);
  inits.delete(assumed);
  const carried = local(from);
  if (!from || (carried && (carried !== result || carried === assumed))) return undefined;
  const isOwn = ({ variable, writes, addressTaken }: Local, count: number): boolean =>
    variable?.space === 'none' && !addressTaken && !variable.volatile && writes.length <= count;
  const old = result ?? assumed;
  // Its first value is written before the loop, or where it is declared.
  if (!isOwn(assumed, 1) || !isOwn(old, 2)) return undefined;
  const head = leaves && !isEndless ? loop.cond : undefined;
  return { loop, call, old, assumed, inits, head, read: carried ? undefined : from };
}

/** What the loop makes of the old value, where one atomic function does the same. */
function operationOf(swap: SwapLoop, fn: Fn): Operation | undefined {
  const { call, old, assumed, inits, head } = swap;
  const pointer = fn.typing.typeOf(call.args[0]!);
  const swapped = pointer?.kind === 'pointer' && pointer.to.kind === 'scalar' ? pointer.to : undefined;
  if (!swapped) return undefined;
  /** Through variables of the loop, and casts between integers of one size. */
  const resolved = (expr: Expr): Expr => {
    if (expr.kind === 'name') {
      const local = fn.local(expr);
      const stands = local && inits.get(local);
      return stands ? resolved(stands) : expr;
    }
    const isBits = (of: Expr): boolean => {
      const declaredAs = fn.typing.typeOf(of);
      return declaredAs?.kind === 'scalar' && !declaredAs.float && declaredAs.size === swapped.size;
    };
    return expr.kind === 'cast' && isBits(expr) && isBits(expr.operand) ? resolved(expr.operand) : expr;
  };
  const next = resolved(call.args[2]!);
  const bits = next.kind === 'call' && next.args.length === 1 ? asBits[calleeName(next) ?? ''] : undefined;
  const type = bits ?? swapped.name;
  const plain = bits ? resolved((next as CallExpr).args[0]!) : next;
  const whole: Expr = head ? { ...head, kind: 'conditional', cond: head, then: plain, else: call.args[1]! } : plain;
  const isOld = (expr: Expr): boolean => {
    const plain = resolved(expr);
    if (bits)
      return plain.kind === 'call' && asNumber[calleeName(plain) ?? ''] === type && isName(resolved(plain.args[0]!));
    return isName(plain);
  };
  const isName = (expr: Expr): boolean =>
    expr.kind === 'name' && (fn.local(expr) === assumed || fn.local(expr) === old);
  const { name, value } = partsOf(whole, isOld) ?? {};
  if (!name || !value || !isFixed(resolved(value), swap, fn)) return undefined;
  // `a - x` of numbers with a fraction is `a + -x`.
  const negative = name === 'Sub' && bits !== undefined;
  const operation = { name: negative ? 'Add' : name, type, value: resolved(value), negative };
  return atomicFunctions[type]?.includes(operation.name) && fits(operation, fn.typing) ? operation : undefined;
}

function partsOf(stored: Expr, isOld: (expr: Expr) => boolean): Pick<Operation, 'name' | 'value'> | undefined {
  if (stored.kind === 'binary' && atomicOperators[stored.op]) {
    const name = atomicOperators[stored.op]!;
    if (isOld(stored.left)) return { name, value: stored.right };
    return isOld(stored.right) && stored.op !== '-' ? { name, value: stored.left } : undefined;
  }
  if (stored.kind === 'call' && stored.args.length === 2 && /^(min|max)$/.test(calleeName(stored) ?? '')) {
    const at = stored.args.findIndex(isOld);
    const name = calleeName(stored) === 'min' ? 'Min' : 'Max';
    return at < 0 ? undefined : { name, value: stored.args[1 - at]! };
  }
  if (stored.kind === 'conditional' && stored.cond.kind === 'binary' && /^[<>]=?$/.test(stored.cond.op)) {
    const { cond, then, else: otherwise } = stored;
    const isSame = (a: Expr, b: Expr): boolean => (isOld(a) && isOld(b)) || sameExpr(a, b);
    const inOrder = isSame(cond.left, then) && isSame(cond.right, otherwise);
    if (!inOrder && !(isSame(cond.left, otherwise) && isSame(cond.right, then))) return undefined;
    const value = isOld(then) ? otherwise : then;
    if (isOld(value) || !isOld(then === value ? otherwise : then)) return undefined;
    return { name: cond.op.startsWith('<') === inOrder ? 'Min' : 'Max', value };
  }
  return { name: 'Exch', value: stored };
}

/** Is the operand the same in every iteration, and known without the loop's variables? */
function isFixed(value: Expr, { old, assumed, inits, loop }: SwapLoop, fn: Fn) {
  if (!isPure(value, fn)) return false;
  return !some(value, (node) => {
    const local = node.kind === 'name' ? fn.local(node) : undefined;
    if (!local) return false;
    if (local === old || local === assumed || inits.has(local)) return true;
    return local.writes.some(({ node: write }) => fn.isInside(write, loop));
  });
}

/** Does the operand become the operation's type in the call as it does in the loop? */
function fits({ name, type, value }: Operation, typing: Typing): boolean {
  const of = typing.typeOf(value);
  if (of?.kind !== 'scalar') return false;
  if (of.name === type || type === 'double') return true;
  const size = type.endsWith('long long') ? 8 : 4;
  return type !== 'float' && !of.float && !/Min|Max/.test(name) && of.size <= size;
}

/** The edits: the call in the place of the loop and of what only serves it. */
function rewritten(swap: SwapLoop, { type, value, negative }: Operation, name: string, fn: Fn): RewriteFact | Refusal {
  const { loop, call, old, assumed, inits, read } = swap;
  const block = fn.parent(loop);
  const around = block?.kind === 'block' ? block.body : [];
  const place = around.indexOf(loop);
  if (place < 0) return refused('text', 'the loop is the arm of another statement');
  const alias = call.args[0]!.kind === 'name' ? fn.local(call.args[0]) : undefined;
  const meant = pointerOf(call.args[0]!, type, fn.typing, fn);
  if (!meant || !isPure(meant, fn)) return refused('pointer', `no pointer to ${type} leads to the place`);
  const after = around[place + 1];
  const leaves = after?.kind === 'return' && returnsOld(after, old, type, fn.typing, fn) ? after : undefined;
  const swapped = [old, assumed, ...inits.keys(), ...(alias && meant !== call.args[0] ? [alias] : [])];
  const serving = around.slice(0, place).filter((one) => servesOnly(one, swapped, fn));
  const first = read ?? firstOf(old, serving, fn);
  if (!first || !readsPlace(first, call.args[0]!, meant, fn))
    return refused('first', 'the first value that is compared does not come from the place');
  const removed: readonly Stmt[] = [...serving, loop, ...(leaves ? [leaves] : [])];
  const isLeft = (use: NameExpr): boolean => !removed.some((one) => fn.isInside(use, one));
  if (swapped.some((local) => local.uses.some(isLeft)))
    return refused('old', 'the old value, or a variable, is used later');
  if (removed.some((one) => hasMacro(one as AnySyntax))) return refused('text', 'a macro makes a part of the loop');
  if (removed.some((one) => hasComment(fn, one))) return refused('text', 'it contains a comment');
  const operand = negative ? `-${parenthesised(fn, value)}` : fn.text(value).trim();
  const called = fn.text(call.callee).replace(/atomicCAS\w*/, name);
  const written = `${called}(${fn.text(meant).trim()}, ${operand});`;
  const at = fn.span(loop);
  return {
    edits: [
      ...serving.map((one) => deletionOf(fn, one)),
      {
        at: leaves ? { ...at, end: fn.span(leaves).end } : at,
        newText: leaves ? `return ${written}` : written,
      },
    ],
    title: `Replace the loop by ${name}${type === 'double' ? ' (compute capability 6.0 or later)' : ''}`,
  };
}

/** The pointer to the operation's own type that the swapped one was made of. */
function pointerOf(pointer: Expr, type: string, typing: Typing, fn: Fn): Expr | undefined {
  const of = typing.typeOf(pointer);
  const to = of?.kind === 'pointer' ? of.to : undefined;
  if (to?.kind === 'scalar' && (to as ScalarType).name === type) return pointer;
  if (pointer.kind === 'cast') return pointerOf(pointer.operand, type, typing, fn);
  const local = pointer.kind === 'name' ? fn.local(pointer) : undefined;
  const stands = local && fn.definition(local);
  return stands?.kind === 'cast' ? pointerOf(stands.operand, type, typing, fn) : undefined;
}

function returnsOld({ value }: ReturnStmt, old: Local, type: string, typing: Typing, fn: Fn): boolean {
  if (!value) return false;
  const number = value.kind === 'call' && asNumber[calleeName(value) ?? ''] === type ? value.args[0]! : undefined;
  const plain = number ? withoutCasts(number) : value;
  const result = typing.resultType;
  const isNumber = type === 'float' || type === 'double';
  return (
    plain.kind === 'name' &&
    fn.local(plain) === old &&
    isNumber === (number !== undefined) &&
    result?.kind === 'scalar' &&
    result.name === type
  );
}

/** Declares nothing but these variables, or gives one of them its value. */
function servesOnly(statement: Stmt, swapped: readonly Local[], fn: Fn): boolean {
  if (statement.kind === 'decl') return statement.vars.every((one) => swapped.some(({ variable }) => variable === one));
  if (statement.kind !== 'expr' || statement.expr.kind !== 'assign' || statement.expr.op !== '=') return false;
  const { target } = statement.expr;
  return target.kind === 'name' && swapped.some((local) => local === fn.local(target));
}

/** What the old value is before the loop. */
function firstOf(old: Local, serving: readonly Stmt[], fn: Fn): Expr | undefined {
  const writes = old.writes.filter(({ node }) => serving.some((one) => fn.isInside(node, one)));
  if (old.variable?.init) return writes.length === 0 ? old.variable.init : undefined;
  return writes.length === 1 ? writes[0]!.value : undefined;
}

/** `*pointer`, `pointer[0]` or the object whose address it is, as bits or not. */
function readsPlace(first: Expr, pointer: Expr, meant: Expr, fn: Fn): boolean {
  const plain = withoutCasts(first);
  if (plain.kind === 'call') return !!asBits[calleeName(plain) ?? ''] && readsPlace(plain.args[0]!, pointer, meant, fn);
  const read =
    plain.kind === 'unary' && plain.op === '*'
      ? withoutCasts(plain.operand)
      : plain.kind === 'index' && plain.index.kind === 'number' && plain.index.value === 0
        ? plain.base
        : undefined;
  const places = [pointer, meant].map(toFirst);
  if (read) return places.some((one) => sameExpr(one, toFirst(read)));
  return places.some((one) => one.kind === 'unary' && one.op === '&' && sameExpr(one.operand, plain));
}

/** `p` of `&p[0]`, without casts. */
function toFirst(pointer: Expr): Expr {
  const plain = withoutCasts(pointer);
  const of = plain.kind === 'unary' && plain.op === '&' ? plain.operand : undefined;
  return of?.kind === 'index' && of.index.kind === 'number' && of.index.value === 0 ? withoutCasts(of.base) : plain;
}
