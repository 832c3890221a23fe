// Runs statements that combine elements of shared arrays, with sets of element numbers in place of values: a tree
// reduction is what brings all of them into element 0.
import type {
  DoStmt,
  Expr,
  ForStmt,
  FunctionDecl,
  IfStmt,
  NameExpr,
  Stmt,
  VarDecl,
  WhileStmt,
} from '../../../syntax/ast';
import { calleeName, type Local, localsOf, statementsOf, at, evaluate, type Frame, isBlockGroup } from '../../language';
import { aliases, type ArrayRoot, type Machine, rootOf } from './places';
import { selection, selectionBySets, setOperator, setsOf, unite } from './sets';
import { assign, setValue, store } from './sets';

export function createRun(seed: Machine['seed']): Machine {
  return {
    arrays: new Map(),
    registers: new Map(),
    steps: new Set(),
    modulo: false,
    blockBarriers: 0,
    barrierFirst: false,
    combines: 0,
    reads: [],
    seed,
    fuel: 4000,
    depth: 0,
  };
}

const barrierNames = /^(__syncthreads|__syncwarp|__threadfence_block|__barrier_sync|sync|syncthreads|barrier)$/;

/** Is the statement a barrier of the block or warp and nothing else? */
function barrierOf(stmt: Stmt): string | undefined {
  if (stmt.kind !== 'expr' || stmt.expr.kind !== 'call') return undefined;
  const { callee } = stmt.expr;
  const name = callee.kind === 'member' && callee.field === 'sync' ? 'sync' : calleeName(stmt.expr);
  return name && barrierNames.test(name) ? name : undefined;
}

/** Is the statement a barrier of the whole block, rather than of a warp or a tile? */
export function isBlockBarrier(stmt: Stmt, frame: Frame): boolean {
  return stmt.kind === 'expr' && barrierOf(stmt) !== undefined && meetsBlock(stmt.expr, frame);
}

function meetsBlock(expr: Expr, frame: Frame): boolean {
  if (expr.kind !== 'call') return false;
  const group = expr.callee.kind === 'member' ? expr.callee.object : expr.args[0];
  if (expr.callee.kind === 'member' || calleeName(expr) === 'sync') return !!group && isBlockGroup(group, frame);
  return !/^(__syncwarp|__threadfence_block)$/.test(calleeName(expr) ?? '');
}

/** Splits a conjunction. */
export function conjuncts(expr: Expr): Expr[] {
  return expr.kind === 'binary' && expr.op === '&&' ? [...conjuncts(expr.left), ...conjuncts(expr.right)] : [expr];
}

/** Runs a statement for the threads in `mask`; false when it is not part of a sweep. */
export function runStatement(stmt: Stmt, mask: readonly boolean[], frame: Frame, run: Machine): boolean {
  if (run.fuel-- <= 0) return false;
  run.reads = [];
  switch (stmt.kind) {
    case 'empty':
      return true;
    case 'block':
      return stmt.body.every((inner) => runStatement(inner, mask, frame, run));
    case 'decl':
      return stmt.vars.every((variable) => runDeclaration(variable, mask, frame, run, stmt));
    case 'expr':
      return runExpression(stmt.expr, mask, frame, run, stmt);
    case 'if':
      return runIf(stmt, mask, frame, run);
    case 'for':
    case 'while':
    case 'do':
      return runLoop(stmt, mask, frame, run);
    default:
      return false;
  }
}

function runDeclaration(variable: VarDecl, mask: readonly boolean[], frame: Frame, run: Machine, stmt: Stmt): boolean {
  if (variable.space !== 'none') return false;
  const local = frame.locals.all.find((candidate) => candidate.variable === variable);
  if (!local) return false;
  if (!variable.init) return variable.type.kind !== 'array';
  const init =
    variable.init.kind === 'initList' && variable.init.elements.length === 1
      ? variable.init.elements[0]!
      : variable.init;
  if (variable.type.kind === 'pointer') return !!rootOf(init, frame);
  const value = evaluate(init, frame);
  if (value !== undefined) {
    frame.values.set(local, value);
    return true;
  }
  const sets = setsOf(init, mask, frame, run, stmt);
  if (!sets) return false;
  return store(
    { kind: 'name', name: variable.name, start: variable.nameStart, end: variable.nameStart } as NameExpr,
    sets,
    mask,
    { ...frame, locals: { ...frame.locals, of: () => local } },
    run,
    stmt,
  );
}

function runExpression(expr: Expr, mask: readonly boolean[], frame: Frame, run: Machine, stmt: Stmt): boolean {
  if (barrierOf(stmt) && stmt.kind === 'expr' && stmt.expr === expr) {
    if (meetsBlock(expr, frame)) run.blockBarriers++;
    if (!run.combines) run.barrierFirst = true;
    return true;
  }
  if (expr.kind === 'number') return true; // `(void)0` and what is left of empty macros
  if (expr.kind === 'binary' && expr.op === ',')
    return runExpression(expr.left, mask, frame, run, stmt) && runExpression(expr.right, mask, frame, run, stmt);
  if (expr.kind === 'assign') {
    const local = expr.target.kind === 'name' ? frame.locals.of(expr.target) : undefined;
    const { op, target: left, value: right } = expr;
    const value =
      local && evaluate(op === '=' ? right : { ...expr, kind: 'binary', op: op.slice(0, -1), left, right }, frame);
    if (local && value !== undefined) {
      noteStep(op, right, run);
      setValue(local, value, mask, frame);
      return true;
    }
    return !!assign(expr.target, expr.op, expr.value, mask, frame, run, stmt);
  }
  if (expr.kind === 'update' && expr.operand.kind === 'name') {
    const local = frame.locals.of(expr.operand);
    const value = local && evaluate(expr.operand, frame);
    if (!local || value === undefined) return false;
    const by = expr.op === '++' ? 1 : -1;
    setValue(local, typeof value === 'number' ? value + by : value.map((old) => old + by), mask, frame);
    return true;
  }
  return expr.kind === 'call' ? runCall(expr, mask, frame, run) : false;
}

function noteStep(op: string, value: Expr, run: Machine): void {
  const operator = op === '=' ? (value.kind === 'binary' ? value.op : '') : op.slice(0, -1);
  if (operator === '>>' || operator === '/') run.steps.add('halving');
  if (operator === '<<' || operator === '*' || (operator === '+' && op === '+=')) run.steps.add('doubling');
}

/** A known device function, run as part of the sweep: it usually holds the unrolled last warp. */
function runCall(expr: Expr & { kind: 'call' }, mask: readonly boolean[], frame: Frame, run: Machine): boolean {
  const name = calleeName(expr);
  if (!name || run.depth > 3) return false;
  const callee = frame.context.program
    .functions(name)
    .find((fn): fn is FunctionDecl => !!fn.body && fn.device && fn.params.length === expr.args.length);
  if (!callee) return false;
  const inner: Frame = {
    ...frame,
    fn: callee,
    locals: localsOf(callee),
    values: new Map(),
    ...templateValues(expr, callee, frame),
  };
  const bound = new Map<Local, { readonly root: ArrayRoot; readonly path: readonly (Expr | string)[] }>();
  for (let position = 0; position < callee.params.length; position++) {
    const param = callee.params[position]!;
    const local = inner.locals.all.find((candidate) => candidate.parameter === param);
    if (!local) continue;
    const arg = expr.args[position]!;
    const value = evaluate(arg, frame);
    if (value !== undefined) {
      inner.values.set(local, value);
      continue;
    }
    const root = rootOf(arg, frame);
    if (!root) return false;
    bound.set(local, { root, path: [] });
  }
  aliases.set(inner, bound);
  run.depth++;
  const ran = statementsOf(callee.body!).every((stmt) => runStatement(stmt, mask, inner, run));
  run.depth--;
  return ran;
}

function templateValues(
  expr: Expr & { kind: 'call' },
  callee: FunctionDecl,
  frame: Frame,
): { launchValues?: ReadonlyMap<string, number> } {
  const args = expr.callee.kind === 'name' ? expr.callee.templateArgs : undefined;
  if (!callee.templateParams) return {};
  const values = new Map<string, number>();
  callee.templateParams.forEach((param, position) => {
    const arg = args?.[position];
    if (param.kind !== 'value' || !arg) return;
    // `f<blockSize>` cannot be distinguished from a type by its text alone.
    const argument: Expr | undefined =
      'expr' in arg
        ? arg.expr
        : arg.type.kind === 'named'
          ? { kind: 'name', name: arg.type.name, start: 0, end: 0 }
          : undefined;
    const value = argument ? evaluate(argument, frame) : undefined;
    if (typeof value === 'number') values.set(param.name, value);
  });
  return { launchValues: values };
}

function runIf(stmt: IfStmt, mask: readonly boolean[], frame: Frame, run: Machine): boolean {
  if (stmt.init || stmt.else) {
    const only = stmt.else && !stmt.init ? evaluate(stmt.cond, frame) : undefined;
    return typeof only === 'number' ? runStatement(only ? stmt.then : stmt.else!, mask, frame, run) : false;
  }
  let inner = [...mask];
  const comparisons: Expr[] = [];
  for (const part of conjuncts(stmt.cond)) {
    if (part.kind === 'binary' && (part.op === '==' || part.op === '!=') && usesModulo(part.left)) run.modulo = true;
    if (part.kind === 'unary' && part.op === '!' && usesModulo(part.operand)) run.modulo = true;
    const value = evaluate(part, frame);
    if (value === undefined) comparisons.push(part);
    else inner = inner.map((on, thread) => on && !!at(value, thread));
  }
  if (!comparisons.length) return inner.some(Boolean) ? runStatement(stmt.then, inner, frame, run) : true;
  // `if (a[i] < a[i + s]) a[i] = a[i + s];`
  const body = statementsOf(stmt.then);
  const [only] = body;
  if (comparisons.length + body.length !== 2) return false;
  if (only?.kind !== 'expr' || only.expr.kind !== 'assign' || only.expr.op !== '=') return false;
  const left = setsOf(only.expr.target, inner, frame, run, only);
  const right = left && setsOf(only.expr.value, inner, frame, run, only);
  if (!right) return false;
  const operator =
    selection(comparisons[0]!, only.expr.value, only.expr.target) ??
    selectionBySets(comparisons[0]!, right, left, inner, frame, run, only);
  if (!operator) return false;
  const united = unite(left, right, frame.threads);
  return !!united && setOperator(united.array, operator) && store(only.expr.target, united, inner, frame, run, only);
}

function usesModulo(expr: Expr): boolean {
  return (
    expr.kind === 'binary' && (expr.op === '%' || expr.op === '&' || usesModulo(expr.left) || usesModulo(expr.right))
  );
}

function runLoop(stmt: ForStmt | WhileStmt | DoStmt, mask: readonly boolean[], frame: Frame, run: Machine): boolean {
  if (stmt.kind === 'for' && stmt.init && !runStatement(stmt.init, mask, frame, run)) return false;
  for (let turn = 0; turn < 24; turn++) {
    if (stmt.kind !== 'do' || turn > 0) {
      const cond = stmt.cond && evaluate(stmt.cond, frame);
      if (typeof cond !== 'number') return false;
      if (!cond) return true;
    }
    if (!runStatement(stmt.body, mask, frame, run)) return false;
    if (stmt.kind === 'for' && stmt.step && !runExpression(stmt.step, mask, frame, run, stmt)) return false;
  }
  return false;
}
