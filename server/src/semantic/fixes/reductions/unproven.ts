// Tree reductions over shared memory that running them on element numbers does not settle: recognised by their shape,
// without a rewrite.
import { conjuncts } from './barriers';
import type { AssignExpr, Expr, Stmt } from '../../../syntax/ast';
import type { SweepFact } from '../../model';
import { type Fn, rootName, type AnySyntax } from '../../language';
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

/**
 * The combinations that a body consists of, undefined where it does anything else. Plain sums and maxima of halves are
 * left to the finder that runs them: what it turns down has a reason. Taken here are those that it cannot run.
 */
function combinesIn(fn: Fn, body: Stmt, { name, halves }: Stepped): Combine[] | undefined {
  const text = (expr: Expr): string => compact(fn, expr);
  /** What a guard lets combine: `t` of `t < d`. */
  const indexIn = (guard: Expr): string | undefined => {
    if (guard.kind !== 'binary') return undefined;
    const { left, right, op } = guard;
    if (halves && op === '<' && text(right) === name) return text(left);
    if (halves) return op === '>' && text(left) === name ? text(right) : undefined;
    // `(t + 1) % d == 0`: the threads at the ends of pieces, with the total in the last element.
    const isEnd = op === '==' && left.kind === 'binary' && left.op === '%' && text(left.right) === name;
    return isEnd ? /^(\w+)\+1$/.exec(text(left.left))?.[1] : undefined;
  };
  const indicesOf = (guards: readonly Expr[]): string[] => guards.flatMap((guard) => indexIn(guard) ?? []);
  const isFar = (expr: Expr, guards: readonly Expr[]): boolean =>
    expr.kind === 'index' &&
    isSharedName(fn, expr.base) &&
    indicesOf(guards)
      .flatMap((index) =>
        halves ? [`${index}+${name}`, `${name}+${index}`] : [`${index}-${name}/2`, `${index}-${name}>>1`],
      )
      .includes(text(expr.index));
  /** Registers that hold what lies far, or the running value beside its place. */
  const held = new Set<string>();
  const combines: Combine[] = [];
  let special = !halves;
  const store = (node: AssignExpr, guards: readonly Expr[]): boolean => {
    const { target, op, value: assigned } = node;
    const isRead = (expr: Expr): boolean => isFar(expr, guards) || (expr.kind === 'name' && held.has(expr.name));
    const compares = (expr: Expr): boolean =>
      expr.kind === 'binary' && /^[<>]=?$/.test(expr.op) && [expr.left, expr.right].some(isRead);
    const isNear = (expr: Expr): boolean => expr.kind === 'index' && indicesOf(guards).includes(text(expr.index));
    if (target.kind === 'name') return isRead(assigned) && !!held.add(target.name);
    if (!isNear(target) || target.kind !== 'index' || !isSharedName(fn, target.base)) return false;
    const isRunning = assigned.kind === 'assign' && assigned.op === '=' && assigned.target.kind === 'member';
    const value = isRunning ? assigned.value : assigned;
    const comparison = guards.find(compares);
    special ||= isRunning || !!comparison || (value.kind === 'binary' && /^(&&|\|\|)$/.test(value.op));
    const parts = value.kind === 'binary' ? [value.left, value.right] : value.kind === 'call' ? value.args : [];
    const isPair =
      op === '=' &&
      parts.length === 2 &&
      parts.some(isRead) &&
      parts.some((side) => isNear(side) || side.kind === 'member' || side.kind === 'name');
    const combined = isPair ? operatorOf(value) : op === '+=' && isFar(value, guards) ? '+' : undefined;
    combines.push({ node, array: text(target.base), operator: combined ?? operatorOf(comparison) ?? 'min' });
    return (!!combined && !compares(value)) || (op === '=' && isRead(value) && !!comparison);
  };
  const visit = (stmt: Stmt, guards: readonly Expr[], depth: number): boolean => {
    switch (stmt.kind) {
      case 'block':
        return stmt.body.every((inner) => visit(inner, guards, depth));
      case 'decl':
        for (const { name: local, init } of stmt.vars)
          if (init && init.kind !== 'initList' && isFar(init, guards)) held.add(local);
        return true;
      case 'if':
        special ||= depth > 0;
        return (
          visit(stmt.then, [...guards, ...conjuncts(stmt.cond)], depth + 1) &&
          (!stmt.else || visit(stmt.else, guards, depth + 1))
        );
      case 'expr':
        return (
          (stmt.expr.kind === 'call' && holdsBarrier(stmt)) || (stmt.expr.kind === 'assign' && store(stmt.expr, guards))
        );
      default:
        return stmt.kind === 'empty';
    }
  };
  return visit(body, [], 0) && special ? combines : undefined;
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
