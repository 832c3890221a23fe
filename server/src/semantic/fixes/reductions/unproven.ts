// Tree reductions over shared memory that running them on element numbers does not settle: recognised by their shape,
// without a rewrite.
import { conjuncts } from './barriers';
import type { AssignExpr, Expr, Stmt } from '../../../syntax/ast';
import type { SweepFact } from '../../model';
import { type Fn, rootName, statementsOf, type AnySyntax } from '../../language';
import { holdsBarrier } from '../../program';

type Operator = SweepFact['operator'];

/** One step of a sweep: where the elements are combined, of which array, and how. */
interface Combine {
  readonly node: AnySyntax;
  readonly array: string;
  readonly operator: Operator;
}

/** A distance that halves or doubles. */
interface Stepped {
  readonly name: string;
  readonly halves: boolean;
}

/**
 * A loop over halves or doubles of a distance `d`, with a barrier in it, in which threads `t < d` combine `a[t]` with
 * `a[t + d]`, or those at multiples of the distance combine with what lies that far before or after them.
 */
export function unprovenSweep(fn: Fn, stmt: Stmt): SweepFact | undefined {
  if (stmt.kind !== 'for' || !stmt.step || !holdsBarrier(stmt.body)) return undefined;
  const stepped = geometricStep(fn, stmt.step);
  if (!stepped || !goesToTheEnd(fn, stmt.cond, stepped) || isInRows(fn)) return undefined;
  const combines = combinesIn(fn, stmt.body, stepped);
  const first = combines?.[0];
  if (!first) return undefined;
  const arrays = [...new Set(combines.map(({ array }) => array))];
  return {
    kind: 'sweep',
    at: fn.span({ start: stmt.start, end: stmt.headerEnd }),
    hotAt: fn.span(first.node),
    kernels: fn.kernels,
    array: arrays.join(', '),
    operator: first.operator,
    direction: stepped.halves ? 'halving' : 'modulo',
    why: 'the steps are recognised by their shape only',
  };
}

const compact = (fn: Fn, node: AnySyntax): string => fn.text(node).replace(/[\s()]+/g, '');

/** `d > 0` for halves; a distance that doubles ends with the block. */
function goesToTheEnd(fn: Fn, cond: Expr | undefined, { name, halves }: Stepped): boolean {
  const [, compared] = (cond && /^(\w+)(?:>0|!=0|>=1)?$/.exec(compact(fn, cond))) ?? [];
  return !halves || compared === name;
}

/** Blocks of several rows, which may sweep their own rows. */
function isInRows({ blockShapes }: Fn): boolean {
  return blockShapes.some((shape) => shape.filter((extent) => extent > 1).length > 1);
}

/** `d /= 2`, `d >>= 1`, `d = d / 2`, and the like upwards. */
function geometricStep(fn: Fn, step: Expr): Stepped | undefined {
  const [, name, op] = /^(\w+)(?:=\1)?([/*](?==?2$)|(?:>>|<<)(?==?1$))/.exec(compact(fn, step)) ?? [];
  return name !== undefined && step.kind === 'assign' ? { name, halves: /[/>]/.test(op!) } : undefined;
}

/** Undefined where the body does anything else. */
function combinesIn(fn: Fn, body: Stmt, stepped: Stepped, guards: readonly Expr[] = [], depth = 0) {
  const found: Combine[] = [];
  for (const stmt of statementsOf(body)) {
    if (stmt.kind === 'if') {
      const all = [...guards, ...conjuncts(stmt.cond)];
      const inner =
        combinesUnder(fn, stmt.then, all, stepped, depth > 0) ?? combinesIn(fn, stmt.then, stepped, all, depth + 1);
      const other = stmt.else ? combinesIn(fn, stmt.else, stepped, guards, depth + 1) : [];
      if (!inner || !other) return undefined;
      found.push(...inner, ...other);
    } else if (stmt.kind === 'block') {
      const inner: Combine[] | undefined = combinesIn(fn, stmt, stepped, guards, depth);
      if (!inner) return undefined;
      found.push(...inner);
    } else if (!isBarrier(stmt) && stmt.kind !== 'empty' && stmt.kind !== 'decl') return undefined;
  }
  return found;
}
function isBarrier(stmt: Stmt): boolean {
  return stmt.kind === 'expr' && stmt.expr.kind === 'call' && holdsBarrier(stmt);
}

/**
 * The combinations that an arm consists of, undefined where it does anything else. Plain sums and maxima of halves are
 * left to the finder that runs them: what it turns down has a reason. Taken here are those that it cannot run.
 */
function combinesUnder(
  fn: Fn,
  arm: Stmt,
  guards: readonly Expr[],
  { name, halves }: Stepped,
  nested: boolean,
): Combine[] | undefined {
  const text = (expr: Expr): string => compact(fn, expr);
  const indices = guards.flatMap((guard) => {
    if (guard.kind !== 'binary') return [];
    const { left, right, op } = guard;
    if (halves) {
      if (op === '<' && text(right) === name) return [text(left)];
      return op === '>' && text(left) === name ? [text(right)] : [];
    }
    // `(t + 1) % d == 0`: the threads at the ends of pieces, with the total in the last element.
    const isEnd = op === '==' && left.kind === 'binary' && left.op === '%' && text(left.right) === name;
    const end = isEnd && left.kind === 'binary' ? /^(\w+)\+1$/.exec(text(left.left)) : undefined;
    return end ? [end[1]!] : [];
  });
  if (!indices.length) return undefined;
  const isNear = (expr: Expr): boolean => expr.kind === 'index' && indices.includes(text(expr.index));
  const isFar = (expr: Expr): boolean => {
    if (expr.kind !== 'index' || !isSharedName(fn, expr.base)) return false;
    const at = text(expr.index);
    return indices.some((index) =>
      halves
        ? at === `${index}+${name}` || at === `${name}+${index}`
        : at === `${index}-${name}/2` || at === `${index}-${name}>>1`,
    );
  };
  /** Registers that hold what lies far, or the running value beside its place. */
  const held = new Set<string>();
  const isRead = (expr: Expr): boolean => isFar(expr) || (expr.kind === 'name' && held.has(expr.name));
  const compares = (expr: Expr): boolean =>
    expr.kind === 'binary' && /^[<>]=?$/.test(expr.op) && [expr.left, expr.right].some(isRead);
  const combines: Combine[] = [];
  const compared = guards.filter(compares);
  let special = nested || !halves || compared.length > 0;
  const store = (node: AssignExpr, comparisons: readonly Expr[]): boolean => {
    const { target, op } = node;
    let { value } = node;
    if (target.kind === 'name') return isRead(value) && !!held.add(target.name);
    if (!isNear(target) || target.kind !== 'index' || !isSharedName(fn, target.base)) return false;
    if (value.kind === 'assign' && value.op === '=' && value.target.kind === 'member') {
      special = true;
      value = value.value;
    }
    const parts = value.kind === 'binary' ? [value.left, value.right] : value.kind === 'call' ? value.args : [];
    const isPair =
      op === '=' &&
      parts.length === 2 &&
      parts.some(isRead) &&
      parts.some((side) => isNear(side) || side.kind === 'member' || side.kind === 'name');
    const combined = isPair ? operatorOf(value) : op === '+=' && isFar(value) ? '+' : undefined;
    const isMoved = op === '=' && isRead(value) && comparisons.length > 0;
    special ||= value.kind === 'binary' && /^(&&|\|\|)$/.test(value.op);
    combines.push({ node, array: text(target.base), operator: combined ?? operatorOf(comparisons[0]) ?? 'min' });
    return (!!combined && !compares(value)) || isMoved;
  };
  const visit = (stmt: Stmt, comparisons: readonly Expr[]): boolean => {
    switch (stmt.kind) {
      case 'block':
        return stmt.body.every((inner) => visit(inner, comparisons));
      case 'decl':
        return stmt.vars.every(({ name: local, init }) => init && isFar(init) && held.add(local));
      case 'if':
        special = true;
        return compares(stmt.cond) && !stmt.else && visit(stmt.then, [...comparisons, stmt.cond]);
      case 'expr':
        return stmt.expr.kind === 'assign' && store(stmt.expr, comparisons);
      default:
        return stmt.kind === 'empty';
    }
  };
  return visit(arm, compared) && special && combines.length > 0 ? combines : undefined;
}

function operatorOf(node: Expr | undefined): Operator | undefined {
  if (node?.kind === 'call' && node.callee.kind === 'name') {
    if (/(^|:)f?max[fl]?$/.test(node.callee.name)) return 'max';
    if (/(^|:)f?min[fl]?$/.test(node.callee.name)) return 'min';
  }
  if (node?.kind !== 'binary') return undefined;
  if (node.op === '+') return '+';
  if (node.op === '&&' || node.op === '&') return '&';
  if (node.op === '||' || node.op === '|') return '|';
  if (node.op === '<' || node.op === '<=') return 'min';
  return node.op === '>' || node.op === '>=' ? 'max' : undefined;
}

/** A shared array of the function, or a pointer that it sets to a part of one. */
function isSharedName(fn: Fn, base: Expr): boolean {
  const seen = new Set<string>();
  for (let name = rootName(base); name && !seen.has(name); ) {
    seen.add(name);
    const variable = fn.locals.all.find((local) => local.name === name)?.variable;
    if (!variable) return fn.program.globals(name).some((global) => global.space === 'shared');
    if (variable.space === 'shared') return true;
    const init = variable.init;
    name = init && (rootName(init) ?? (init.kind === 'binary' ? rootName(init.left) : undefined));
  }
  return false;
}
