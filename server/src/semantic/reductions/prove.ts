// Runs statements that combine elements of shared arrays, with sets of element numbers in place of values: a tree
// reduction is what brings all of them into element 0.
import type { Expr, ForStmt, FunctionDecl, IfStmt, NameExpr, Stmt, VarDecl, WhileStmt, DoStmt } from '../../syntax/ast';
import { calleeName, localsOf, sameExpr, statementsOf, type Local } from '../language/scope';
import { at, evaluate, isBlockGroup, type Frame, type ThreadValue } from '../language/threadValues';

export type SweepOperator = '+' | 'max' | 'min' | '&' | '|' | '^';

/** The elements of one array that a value has taken in; null once an element went in twice or a race decides. */
type Sources = bigint | null;

/** What stands before a subscript: a variable of the kernel, seen through pointers and parameters. */
export interface ArrayRoot {
  readonly key: object;
  readonly name: string;
  readonly declaration: VarDecl | undefined;
  readonly local?: Local;
  readonly nameNode: NameExpr;
}

/** One array (or one field of an array of structures) that the statements combine. */
export interface SweptArray {
  readonly root: ArrayRoot;
  /** Subscripts and fields of the place; the swept subscript is `undefined`. */
  readonly path: readonly (Expr | string | undefined)[];
  /** The first place that was written, in the kernel's own text where `inKernel` holds. */
  readonly place: Expr;
  readonly elements: Map<number, Sources>;
  operator?: SweepOperator;
  /** Name of the function that combines (`max`, `fmaxf`), where one does. */
  callee?: string;
  readonly combine: Stmt;
}

export interface SweepRun {
  readonly arrays: ReadonlyMap<string, SweptArray>;
  /** Variables that carry the running value beside the array, and the array they go with. */
  readonly registers: ReadonlyMap<Local, (Sources | undefined)[]>;
  readonly steps: Set<'halving' | 'doubling'>;
  modulo: boolean;
  barriers: number;
  /** Those among them that the whole block meets at. */
  blockBarriers: number;
  barrierFirst: boolean;
  combines: number;
}

interface Machine extends SweepRun {
  readonly arrays: Map<string, SweptArray>;
  readonly registers: Map<Local, (Sources | undefined)[]>;
  /** Own element number by thread, for variables that start out equal to the thread's element. */
  reads: { readonly array: SweptArray; readonly index: ThreadValue }[];
  readonly seed: (local: Local) => ((thread: number) => number) | undefined;
  fuel: number;
  depth: number;
}

const aliases = new WeakMap<
  Frame,
  Map<Local, { readonly root: ArrayRoot; readonly path: readonly (Expr | string)[] }>
>();

export function createRun(seed: Machine['seed']): Machine {
  return {
    arrays: new Map(),
    registers: new Map(),
    steps: new Set(),
    modulo: false,
    barriers: 0,
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
export function barrierOf(stmt: Stmt): string | undefined {
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

/** The array that an expression's innermost name stands for, through pointers that only ever point to its start. */
export function rootOf(expr: Expr, frame: Frame, depth = 0): ArrayRoot | undefined {
  if (depth > 8) return undefined;
  if (expr.kind === 'cast') return rootOf(expr.operand, frame, depth + 1);
  if (
    expr.kind === 'unary' &&
    expr.op === '&' &&
    expr.operand.kind === 'index' &&
    expr.operand.index.kind === 'number' &&
    expr.operand.index.value === 0
  )
    return rootOf(expr.operand.base, frame, depth + 1);
  if (expr.kind !== 'name') return undefined;
  const local = frame.locals.of(expr);
  if (!local) {
    const global = frame.context.program.globals(expr.name)[0];
    return global ? { key: global, name: expr.name, declaration: global, nameNode: expr } : undefined;
  }
  const alias = aliases.get(frame)?.get(local);
  if (alias && !alias.path.length) return alias.root;
  const definition =
    local.variable && !local.writes.length && local.variable.type.kind === 'pointer' ? local.variable.init : undefined;
  if (definition) {
    const inner =
      definition.kind === 'initList' && definition.elements.length === 1 ? definition.elements[0]! : definition;
    const root = rootOf(inner, frame, depth + 1);
    if (root && root.declaration?.type.kind === 'array') return root;
    if (root?.local?.parameter) return root;
  }
  return { key: local, name: local.name, declaration: local.variable, local, nameNode: expr };
}

interface Place {
  readonly root: ArrayRoot;
  readonly path: readonly (Expr | string)[];
}

/** `a[i]`, `a[k][i].x`, `*(a + i)` as an array and its subscripts. */
export function placeOf(expr: Expr, frame: Frame): Place | undefined {
  const path: (Expr | string)[] = [];
  let inner = expr;
  for (let depth = 0; depth < 12; depth++) {
    if (inner.kind === 'index') {
      path.unshift(inner.index);
      inner = inner.base;
    } else if (inner.kind === 'member') {
      if (inner.arrow) return undefined;
      path.unshift(inner.field);
      inner = inner.object;
    } else if (inner.kind === 'unary' && inner.op === '*') {
      const sum = inner.operand;
      if (sum.kind !== 'binary' || sum.op !== '+') return undefined;
      let index = sum.right;
      let base = sum.left;
      while (base.kind === 'binary' && base.op === '+') {
        index = { ...base, left: base.right, right: index };
        base = base.left;
      }
      path.unshift(index);
      inner = base;
    } else break;
  }
  if (!path.some((part) => typeof part !== 'string')) return undefined;
  const root = rootOf(inner, frame);
  return root ? { root, path } : undefined;
}

function sketch(expr: Expr): string {
  switch (expr.kind) {
    case 'name':
      return expr.name;
    case 'number':
      return expr.text;
    case 'binary':
      return `(${sketch(expr.left)}${expr.op}${sketch(expr.right)})`;
    case 'member':
      return `${sketch(expr.object)}.${expr.field}`;
    case 'index':
      return `${sketch(expr.base)}[${sketch(expr.index)}]`;
    default:
      return `${expr.kind}@${expr.start}`;
  }
}

const keys = new WeakMap<object, number>();
let nextKey = 1;
function identity(object: object): number {
  let key = keys.get(object);
  if (!key) keys.set(object, (key = nextKey++));
  return key;
}

/**
 * Which swept array a place belongs to and which element each thread means; undefined when a second subscript differs
 * between threads.
 */
function locate(
  place: Place,
  expr: Expr,
  frame: Frame,
  run: Machine,
  statement: Stmt,
  write: boolean,
): { readonly array: SweptArray; readonly index: ThreadValue } | undefined {
  // The swept subscript is the last one that differs between threads or steps; others have to be uniform.
  let swept = -1;
  const values = place.path.map((part) => (typeof part === 'string' ? undefined : evaluate(part, frame)));
  place.path.forEach((part, position) => {
    if (typeof part !== 'string' && typeof values[position] !== 'number') swept = position;
  });
  if (swept < 0)
    place.path.forEach((part, position) => {
      if (typeof part !== 'string') swept = position;
    });
  const index = values[swept];
  if (index === undefined) return undefined;
  const pieces: string[] = [];
  for (let position = 0; position < place.path.length; position++) {
    const part = place.path[position]!;
    if (position === swept) {
      pieces.push('[*]');
      continue;
    }
    if (typeof part === 'string') {
      pieces.push(`.${part}`);
      continue;
    }
    const value = values[position];
    if (value !== undefined && typeof value !== 'number') return undefined;
    pieces.push(`[${value ?? sketch(part)}]`);
  }
  const key = `${identity(place.root.key)}${pieces.join('')}`;
  let array = run.arrays.get(key);
  if (!array) {
    if (!write && run.combines === 0 && run.arrays.size > 8) return undefined;
    array = {
      root: place.root,
      path: place.path.map((part, position) => (position === swept ? undefined : part)),
      place: expr,
      elements: new Map(),
      combine: statement,
    };
    run.arrays.set(key, array);
  }
  return { array, index };
}

const maximumElement = 8192;
function sourcesAt(array: SweptArray, element: number): Sources | undefined {
  if (!Number.isInteger(element) || element < 0 || element >= maximumElement) return undefined;
  const known = array.elements.get(element);
  return known === undefined ? 1n << BigInt(element) : known;
}

/** Sources by thread, with the array they come from; undefined where the expression is no such value. */
type SetValue = { readonly sets: (Sources | undefined)[]; readonly array?: SweptArray };

function unite(left: SetValue, right: SetValue, threads: number): SetValue | undefined {
  if (left.array && right.array && left.array !== right.array) return undefined;
  const sets: (Sources | undefined)[] = new Array(threads);
  for (let thread = 0; thread < threads; thread++) {
    const a = left.sets[thread];
    const b = right.sets[thread];
    sets[thread] =
      a === undefined || b === undefined ? undefined : a === null || b === null || (a & b) !== 0n ? null : a | b;
  }
  const array = left.array ?? right.array;
  return array ? { sets, array } : { sets };
}

function setOperator(array: SweptArray | undefined, operator: SweepOperator, callee?: string): boolean {
  if (!array) return false;
  if (array.operator && array.operator !== operator) return false;
  array.operator = operator;
  if (callee && !array.callee) array.callee = callee;
  return true;
}

const combiningCalls: Readonly<Record<string, SweepOperator>> = {
  max: 'max',
  fmax: 'max',
  fmaxf: 'max',
  umax: 'max',
  __hmax: 'max',
  llmax: 'max',
  min: 'min',
  fmin: 'min',
  fminf: 'min',
  umin: 'min',
  __hmin: 'min',
  llmin: 'min',
  __hadd: '+',
  __hadd2: '+',
  __fadd_rn: '+',
  __dadd_rn: '+',
};
const combiningSigns: Readonly<Record<string, SweepOperator>> = { '+': '+', '&': '&', '|': '|', '^': '^' };

function setsOf(
  expr: Expr,
  mask: readonly boolean[],
  frame: Frame,
  run: Machine,
  statement: Stmt,
): SetValue | undefined {
  if (expr.kind === 'assign') return assign(expr.target, expr.op, expr.value, mask, frame, run, statement);
  if (expr.kind === 'cast') return setsOf(expr.operand, mask, frame, run, statement);
  if (expr.kind === 'name') {
    const local = frame.locals.of(expr);
    if (!local) return undefined;
    const known = run.registers.get(local);
    if (known) return { sets: known, ...arrayOfRegister(local, run) };
    const seed = run.seed(local);
    if (!seed) return undefined;
    const sets = Array.from({ length: frame.threads }, (_, thread): Sources => 1n << BigInt(seed(thread)));
    run.registers.set(local, sets);
    return { sets };
  }
  if (expr.kind === 'binary') {
    const operator = combiningSigns[expr.op];
    if (!operator) return undefined;
    const left = setsOf(expr.left, mask, frame, run, statement);
    const right = left && setsOf(expr.right, mask, frame, run, statement);
    if (!left || !right) return undefined;
    const united = unite(left, right, frame.threads);
    return united && setOperator(united.array, operator) ? united : undefined;
  }
  const name = calleeName(expr);
  if (expr.kind === 'call' && name && expr.args.length === 2 && combiningCalls[name]) {
    const left = setsOf(expr.args[0]!, mask, frame, run, statement);
    const right = left && setsOf(expr.args[1]!, mask, frame, run, statement);
    if (!left || !right) return undefined;
    const united = unite(left, right, frame.threads);
    const written =
      expr.callee.kind === 'name' && !expr.callee.macro && !expr.callee.templateArgs ? expr.callee.name : undefined;
    return united && setOperator(united.array, combiningCalls[name]!, written) ? united : undefined;
  }
  if (expr.kind === 'conditional') {
    const operator = selection(expr.cond, expr.then, expr.else);
    if (!operator) return undefined;
    const left = setsOf(expr.then, mask, frame, run, statement);
    const right = left && setsOf(expr.else, mask, frame, run, statement);
    if (!left || !right) return undefined;
    const united = unite(left, right, frame.threads);
    return united && setOperator(united.array, operator) ? united : undefined;
  }
  const place = placeOf(expr, frame);
  if (!place) return undefined;
  const located = locate(place, expr, frame, run, statement, false);
  if (!located) return undefined;
  run.reads.push(located);
  const sets: (Sources | undefined)[] = new Array(frame.threads);
  for (let thread = 0; thread < frame.threads; thread++)
    if (mask[thread]) {
      sets[thread] = sourcesAt(located.array, at(located.index, thread));
      if (sets[thread] === undefined) return undefined;
    }
  return { sets, array: located.array };
}

const registerArrays = new WeakMap<SweepRun, Map<Local, SweptArray>>();
function arrayOfRegister(local: Local, run: Machine): { array?: SweptArray } {
  const array = registerArrays.get(run)?.get(local);
  return array ? { array } : {};
}

/** `x < y ? y : x` and its kin. */
function selection(cond: Expr, yes: Expr, no: Expr): SweepOperator | undefined {
  if (cond.kind !== 'binary') return undefined;
  const smaller = cond.op === '<' || cond.op === '<=';
  if (!smaller && cond.op !== '>' && cond.op !== '>=') return undefined;
  if (sameExpr(cond.left, yes) && sameExpr(cond.right, no)) return smaller ? 'min' : 'max';
  if (sameExpr(cond.left, no) && sameExpr(cond.right, yes)) return smaller ? 'max' : 'min';
  return undefined;
}

/** The same where the compared values were first read into variables. */
function selectionBySets(
  cond: Expr,
  yes: SetValue,
  no: SetValue,
  mask: readonly boolean[],
  frame: Frame,
  run: Machine,
  statement: Stmt,
): SweepOperator | undefined {
  if (cond.kind !== 'binary') return undefined;
  const smaller = cond.op === '<' || cond.op === '<=';
  if (!smaller && cond.op !== '>' && cond.op !== '>=') return undefined;
  const left = setsOf(cond.left, mask, frame, run, statement);
  const right = left && setsOf(cond.right, mask, frame, run, statement);
  if (!left || !right) return undefined;
  const same = (a: SetValue, b: SetValue): boolean =>
    mask.every((on, thread) => !on || (a.sets[thread] !== null && a.sets[thread] === b.sets[thread]));
  if (same(left, yes) && same(right, no)) return smaller ? 'min' : 'max';
  return same(left, no) && same(right, yes) ? (smaller ? 'max' : 'min') : undefined;
}

function assign(
  target: Expr,
  op: string,
  value: Expr,
  mask: readonly boolean[],
  frame: Frame,
  run: Machine,
  statement: Stmt,
): SetValue | undefined {
  let result = setsOf(value, mask, frame, run, statement);
  if (!result) return undefined;
  if (op !== '=') {
    const operator = combiningSigns[op.slice(0, -1)];
    const before = operator && setsOf(target, mask, frame, run, statement);
    const united = before ? unite(before, result, frame.threads) : undefined;
    if (!united || !operator || !setOperator(united.array, operator)) return undefined;
    result = united;
  }
  return store(target, result, mask, frame, run, statement) ? result : undefined;
}

function store(
  target: Expr,
  value: SetValue,
  mask: readonly boolean[],
  frame: Frame,
  run: Machine,
  statement: Stmt,
): boolean {
  if (target.kind === 'name') {
    const local = frame.locals.of(target);
    if (!local) return false;
    const known = run.registers.get(local);
    const sets = known ? [...known] : new Array<Sources | undefined>(frame.threads);
    for (let thread = 0; thread < frame.threads; thread++) if (mask[thread]) sets[thread] = value.sets[thread];
    run.registers.set(local, sets);
    if (value.array) {
      const owners = registerArrays.get(run) ?? new Map<Local, SweptArray>();
      registerArrays.set(run, owners);
      if (owners.has(local) && owners.get(local) !== value.array) return false;
      owners.set(local, value.array);
    }
    return true;
  }
  const place = placeOf(target, frame);
  const located = place && locate(place, target, frame, run, statement, true);
  if (!located || (value.array && value.array !== located.array)) return false;
  const written = new Map<number, Sources>();
  let active = 0;
  for (let thread = 0; thread < frame.threads; thread++) {
    if (!mask[thread]) continue;
    active++;
    const element = at(located.index, thread);
    const sets = value.sets[thread];
    if (sets === undefined || !Number.isInteger(element) || element < 0 || element >= maximumElement) return false;
    written.set(element, written.has(element) ? null : sets);
  }
  run.combines++;
  written.forEach((sets, element) => located.array.elements.set(element, sets));
  // Beyond one warp, an element that one thread reads while another writes it holds either value.
  if (active > 32)
    for (const read of run.reads) {
      if (read.array !== located.array) continue;
      for (let thread = 0; thread < frame.threads; thread++) {
        if (!mask[thread]) continue;
        const element = at(read.index, thread);
        if (element !== at(located.index, thread) && written.has(element))
          located.array.elements.set(at(located.index, thread), null);
      }
    }
  return true;
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
      return runFor(stmt, mask, frame, run);
    case 'while':
    case 'do':
      return runWhile(stmt, mask, frame, run);
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
    run.barriers++;
    if (meetsBlock(expr, frame)) run.blockBarriers++;
    if (!run.combines) run.barrierFirst = true;
    return true;
  }
  if (expr.kind === 'number') return true; // `(void)0` and what is left of empty macros
  if (expr.kind === 'binary' && expr.op === ',')
    return runExpression(expr.left, mask, frame, run, stmt) && runExpression(expr.right, mask, frame, run, stmt);
  if (expr.kind === 'assign') {
    if (expr.target.kind === 'name') {
      const local = frame.locals.of(expr.target);
      if (local) {
        const value =
          expr.op === '='
            ? evaluate(expr.value, frame)
            : evaluate(
                {
                  kind: 'binary',
                  op: expr.op.slice(0, -1),
                  opStart: expr.opStart,
                  left: expr.target,
                  right: expr.value,
                  start: expr.start,
                  end: expr.end,
                },
                frame,
              );
        if (value !== undefined) {
          noteStep(expr.op, expr.value, run);
          setValue(local, value, mask, frame);
          return true;
        }
      }
    }
    return !!assign(expr.target, expr.op, expr.value, mask, frame, run, stmt);
  }
  if (expr.kind === 'update' && expr.operand.kind === 'name') {
    const local = frame.locals.of(expr.operand);
    const value = local && evaluate(expr.operand, frame);
    if (!local || value === undefined) return false;
    setValue(
      local,
      typeof value === 'number'
        ? value + (expr.op === '++' ? 1 : -1)
        : value.map((old) => old + (expr.op === '++' ? 1 : -1)),
      mask,
      frame,
    );
    return true;
  }
  return expr.kind === 'call' ? runCall(expr, mask, frame, run) : false;
}

function noteStep(op: string, value: Expr, run: Machine): void {
  const operator = op === '=' ? (value.kind === 'binary' ? value.op : '') : op.slice(0, -1);
  if (operator === '>>' || operator === '/') run.steps.add('halving');
  if (operator === '<<' || operator === '*' || (operator === '+' && op === '+=')) run.steps.add('doubling');
}

function setValue(local: Local, value: ThreadValue, mask: readonly boolean[], frame: Frame): void {
  if (mask.every(Boolean)) {
    frame.values.set(local, value);
    return;
  }
  const before = frame.values.get(local) ?? 0;
  frame.values.set(
    local,
    Float64Array.from({ length: frame.threads }, (_, thread) =>
      mask[thread] ? at(value, thread) : at(before, thread),
    ),
  );
}

/** A device function in sight, run as part of the sweep: the unrolled last warp usually stands in one. */
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
    assumed: frame.assumed,
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
    // `f<blockSize>` cannot be told from a type by its text alone.
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
  const only = body[0];
  if (
    comparisons.length !== 1 ||
    body.length !== 1 ||
    only?.kind !== 'expr' ||
    only.expr.kind !== 'assign' ||
    only.expr.op !== '='
  )
    return false;
  const left = setsOf(only.expr.target, inner, frame, run, only);
  const right = left && setsOf(only.expr.value, inner, frame, run, only);
  if (!left || !right) return false;
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

function runFor(stmt: ForStmt, mask: readonly boolean[], frame: Frame, run: Machine): boolean {
  if (stmt.init && !runStatement(stmt.init, mask, frame, run)) return false;
  for (let turn = 0; turn < 24; turn++) {
    const cond = stmt.cond ? evaluate(stmt.cond, frame) : undefined;
    if (cond === undefined || typeof cond !== 'number') return false;
    if (!cond) return true;
    if (!runStatement(stmt.body, mask, frame, run)) return false;
    if (stmt.step && !runExpression(stmt.step, mask, frame, run, stmt)) return false;
  }
  return false;
}

function runWhile(stmt: WhileStmt | DoStmt, mask: readonly boolean[], frame: Frame, run: Machine): boolean {
  for (let turn = 0; turn < 24; turn++) {
    if (stmt.kind === 'while' || turn > 0) {
      const cond = evaluate(stmt.cond, frame);
      if (cond === undefined || typeof cond !== 'number') return false;
      if (!cond) return true;
    }
    if (!runStatement(stmt.body, mask, frame, run)) return false;
  }
  return false;
}

/** How many elements, from the first on, element 0 has taken in once each; 0 when it is no such total. */
export function totalOf(array: SweptArray): number {
  const sets = array.elements.get(0);
  if (!sets) return 0;
  const next = sets + 1n;
  return (next & sets) === 0n ? next.toString(2).length - 1 : 0;
}
