// Tree reductions over shared memory that running them on element numbers does not settle: recognised by their shape,
// without a rewrite.
import { conjuncts } from './barriers';
import type { Expr, Stmt } from '../../../syntax/ast';
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
  const stepped = geometricStep(stmt.step);
  if (!stepped || !goesToTheEnd(stmt.cond, stepped) || isInRows(fn)) return undefined;
  const combines = combinesIn(fn, stmt.body, stepped);
  const [first] = combines;
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

/** `d > 0` for halves; a distance that doubles ends with the block. */
function goesToTheEnd(cond: Expr | undefined, { name, halves }: Stepped): boolean {
  if (!halves || !cond) return !halves;
  if (cond.kind === 'name') return cond.name === name;
  if (cond.kind !== 'binary' || cond.left.kind !== 'name' || cond.left.name !== name) return false;
  const to = cond.right.kind === 'number' ? cond.right.value : undefined;
  return (to === 0 && (cond.op === '>' || cond.op === '!=')) || (to === 1 && cond.op === '>=');
}
/** Blocks of several rows, which may sweep their own rows. */
function isInRows({ blockShapes }: Fn): boolean {
  return blockShapes.some((shape) => shape.filter((extent) => extent > 1).length > 1);
}

/** `d /= 2`, `d >>= 1`, `d = d / 2`, and the like upwards. */
function geometricStep(step: Expr): Stepped | undefined {
  if (step.kind !== 'assign' || step.target.kind !== 'name') return undefined;
  const { name } = step.target;
  const byTwo = (op: string, by: Expr): boolean | undefined => {
    if (by.kind !== 'number') return undefined;
    if ((op === '/' && by.value === 2) || (op === '>>' && by.value === 1)) return true;
    return (op === '*' && by.value === 2) || (op === '<<' && by.value === 1) ? false : undefined;
  };
  const halves =
    step.op === '='
      ? step.value.kind === 'binary' && step.value.left.kind === 'name' && step.value.left.name === name
        ? byTwo(step.value.op, step.value.right)
        : undefined
      : byTwo(step.op.slice(0, -1), step.value);
  return halves === undefined ? undefined : { name, halves };
}

function combinesIn(fn: Fn, body: Stmt, stepped: Stepped): Combine[] {
  const found: Combine[] = [];
  let foreign = false;
  const visit = (stmt: Stmt, guards: readonly Expr[], depth: number): void => {
    if (stmt.kind === 'block') for (const inner of stmt.body) visit(inner, guards, depth);
    else if (stmt.kind === 'if') {
      const all = [...guards, ...conjuncts(stmt.cond)];
      const combines = combinesUnder(fn, stmt.then, all, stepped, depth > 0);
      if (combines) found.push(...combines);
      else visit(stmt.then, all, depth + 1);
      if (stmt.else) visit(stmt.else, guards, depth + 1);
    } else if (stmt.kind !== 'empty' && !isBarrier(stmt) && stmt.kind !== 'decl') foreign = true;
  };
  visit(body, [], 0);
  return foreign ? [] : found;
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
  const text = (expr: Expr): string => fn.text(expr).replace(/[\s()]+/g, '');
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
  const compares = (expr: Expr): boolean =>
    expr.kind === 'binary' &&
    /^[<>]=?$/.test(expr.op) &&
    [expr.left, expr.right].some((side) => isFar(side) || isHeld(side));
  const isHeld = (expr: Expr): boolean => expr.kind === 'name' && held.has(expr.name);
  const combines: Combine[] = [];
  let special = nested || !halves || guards.some(compares);
  let foreign = false;
  const store = (node: Extract<Expr, { kind: 'assign' }>): void => {
    const { target } = node;
    let { value } = node;
    if (target.kind === 'name') {
      if (isFar(value) || isHeld(value)) held.add(target.name);
      else foreign = true;
      return;
    }
    if (!isNear(target) || target.kind !== 'index' || !isSharedName(fn, target.base)) {
      foreign = true;
      return;
    }
    if (value.kind === 'assign' && value.op === '=' && value.target.kind === 'member') {
      special = true;
      value = value.value;
    }
    const combined =
      node.op === '=' ? combinedBy(value, isNear, isFar, isHeld) : node.op === '+=' && isFar(value) ? '+' : undefined;
    const moved = node.op === '=' && (isFar(value) || isHeld(value)) && (guards.some(compares) || inComparison);
    if (!combined && !moved) foreign = true;
    if (value.kind === 'binary' && (value.op === '&&' || value.op === '||')) special = true;
    combines.push({
      node,
      array: text(target.base),
      operator: combined ?? comparison ?? 'min',
    });
  };
  let inComparison = false;
  let comparison: Operator | undefined = guards.filter(compares).map(operatorOf).find(Boolean);
  const visit = (stmt: Stmt): void => {
    switch (stmt.kind) {
      case 'block':
        stmt.body.forEach(visit);
        return;
      case 'decl':
        for (const { name: local, init } of stmt.vars)
          if (init && isFar(init)) held.add(local);
          else foreign = true;
        return;
      case 'if': {
        if (!compares(stmt.cond) || stmt.else) foreign = true;
        comparison ??= operatorOf(stmt.cond);
        inComparison = true;
        special = true;
        visit(stmt.then);
        inComparison = false;
        return;
      }
      case 'expr':
        if (stmt.expr.kind === 'assign') store(stmt.expr);
        else foreign = true;
        return;
      case 'empty':
        return;
      default:
        foreign = true;
    }
  };
  visit(arm);
  return !foreign && special && combines.length > 0 ? combines : undefined;
}

/** `near + far`, `near && far`, `fminf(near, far)`, a running value in a register or member in the near one's place. */
function combinedBy(
  value: Expr,
  isNear: (expr: Expr) => boolean,
  isFar: (expr: Expr) => boolean,
  isHeld: (expr: Expr) => boolean,
): Operator | undefined {
  const pair =
    value.kind === 'binary'
      ? [value.left, value.right]
      : value.kind === 'call' && value.args.length === 2
        ? value.args
        : undefined;
  if (!pair?.some((side) => isFar(side) || isHeld(side))) return undefined;
  if (!pair.some((side) => isNear(side) || side.kind === 'member' || side.kind === 'name')) return undefined;
  if (value.kind === 'binary')
    return value.op === '+' ? '+' : /^[&|]{1,2}$/.test(value.op) ? operatorOf(value) : undefined;
  return operatorOf(value);
}

function operatorOf(node: AnySyntax): Operator | undefined {
  if (node.kind === 'call' && node.callee.kind === 'name') {
    if (/(^|:)f?max[fl]?$/.test(node.callee.name)) return 'max';
    if (/(^|:)f?min[fl]?$/.test(node.callee.name)) return 'min';
  }
  if (node.kind !== 'binary') return undefined;
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
