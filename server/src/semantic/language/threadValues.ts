// Values of index expressions and conditions over all threads of one block, through variables that are assigned once.
import type { Expr, FunctionDecl, NameExpr } from '../../syntax/ast';
import { once } from './append';
import { applyConstant } from './constants';
import type { BlockShape, Fn } from './fn';
import { calleeName, definitionOf, localsOf, type Local, type Locals } from './scope';

/** One number for all threads of the block, or one for each, by linear thread number. */
export type ThreadValue = number | Float64Array;

export interface Frame {
  readonly context: Fn;
  readonly fn: FunctionDecl;
  readonly locals: Locals;
  readonly shape: BlockShape;
  readonly threads: number;
  /** The block that is run, 0 where absent. */
  readonly block?: number;
  /** What variables hold now; parameters of an inlined function among them. */
  readonly values: Map<Local, ThreadValue>;
  readonly launchValues?: ReadonlyMap<string, number>;
  /** Replaces unknown uniform values; the names are noted in `assumed`. */
  readonly assume?: number;
  readonly assumed: Set<string>;
}

export function createFrame(
  fn: Fn,
  shape: BlockShape,
  launchValues?: ReadonlyMap<string, number>,
  assume?: number,
): Frame {
  return {
    context: fn,
    fn: fn.decl,
    locals: fn.locals,
    shape,
    threads: shape[0] * shape[1] * shape[2],
    values: new Map(),
    ...(launchValues ? { launchValues } : {}),
    ...(assume === undefined ? {} : { assume }),
    assumed: new Set(),
  };
}

export function at(value: ThreadValue, thread: number): number {
  return typeof value === 'number' ? value : value[thread]!;
}

function lift(
  frame: Frame,
  left: ThreadValue | undefined,
  right: ThreadValue | undefined,
  apply: (left: number, right: number) => number | undefined,
): ThreadValue | undefined {
  if (left === undefined || right === undefined) return undefined;
  if (typeof left === 'number' && typeof right === 'number') return apply(left, right);
  const result = new Float64Array(frame.threads);
  for (let thread = 0; thread < frame.threads; thread++) {
    const value = apply(at(left, thread), at(right, thread));
    if (value === undefined) return undefined;
    result[thread] = value;
  }
  return result;
}

/** `threadIdx` of each thread, by axis: a sweep asks for it at each of its statements. */
const placesInBlock = once(([x, y, z]: BlockShape): readonly Float64Array[] => {
  const threads = new Float64Array(x * y * z).map((_, thread) => thread);
  return [
    threads.map((t) => t % x),
    threads.map((t) => Math.floor(t / x) % y),
    threads.map((t) => Math.floor(t / (x * y))),
  ];
});

function builtin(frame: Frame, name: string, field: string): ThreadValue | undefined {
  const axis = field === 'x' ? 0 : field === 'y' ? 1 : field === 'z' ? 2 : undefined;
  if (axis === undefined) return undefined;
  switch (name) {
    case 'blockDim':
      return frame.shape[axis];
    case 'blockIdx':
      return axis === 0 ? (frame.block ?? 0) : 0;
    case 'gridDim':
      return frame.assume === undefined ? undefined : assumption(frame, `gridDim.${field}`);
    case 'threadIdx':
      return placesInBlock(frame.shape)[axis];
    default:
      return undefined;
  }
}

/** The number of each thread in its block, as the hardware counts lanes. */
export function linearThreads(frame: Frame): Float64Array {
  return Float64Array.from({ length: frame.threads }, (_, thread) => thread);
}

function assumption(frame: Frame, name: string): number | undefined {
  if (frame.assume === undefined) return undefined;
  frame.assumed.add(name);
  return frame.assume;
}

/** Can the variable differ between threads, as far as the expressions that write it tell? */
function mayVary(local: Local, frame: Frame, depth: number): boolean {
  if (depth > 6) return true;
  const sources = [local.variable?.init, ...local.writes.map((write) => write.value)].filter(
    (expr): expr is Expr => !!expr,
  );
  return sources.some((expr) => expressionMayVary(expr, frame, depth + 1));
}

/** Can the expression differ between the threads of a block? Loads and calls of unknown functions may. */
export function expressionMayVary(expr: Expr, frame: Frame, depth = 0): boolean {
  switch (expr.kind) {
    case 'number':
    case 'string':
    case 'sizeof':
      return false;
    case 'name': {
      const local = frame.locals.of(expr);
      return local
        ? local.parameter
          ? !frame.fn.global && !local.field
          : mayVary(local, frame, depth)
        : expr.name === 'threadIdx';
    }
    case 'member':
      return expressionMayVary(expr.object, frame, depth);
    case 'unary':
      return expr.op === '*' || expr.op === '&' || expressionMayVary(expr.operand, frame, depth);
    case 'cast':
      return expressionMayVary(expr.operand, frame, depth);
    case 'binary':
      return expressionMayVary(expr.left, frame, depth) || expressionMayVary(expr.right, frame, depth);
    case 'conditional':
      return [expr.cond, expr.then, expr.else].some((part) => expressionMayVary(part, frame, depth));
    case 'call': {
      const name = calleeName(expr);
      return (
        !name ||
        !/^(min|max|ceil|floor|log2|log2f|ceilf|__ffs|__clz|pow|powf|dim3)$/.test(name) ||
        expr.args.some((arg) => expressionMayVary(arg, frame, depth))
      );
    }
    case 'initList':
      return expr.elements.some((part) => expressionMayVary(part, frame, depth));
    default:
      return true;
  }
}

/** The value over the block; undefined where it depends on something unknown. */
export function evaluate(expr: Expr, frame: Frame, depth = 0): ThreadValue | undefined {
  if (depth > 40) return undefined;
  switch (expr.kind) {
    case 'number':
      return expr.value;
    case 'name':
      return nameValue(expr, frame, depth);
    case 'member': {
      if (expr.object.kind === 'name' && !frame.locals.of(expr.object)) {
        const known = builtin(frame, expr.object.name, expr.field);
        if (known !== undefined) return known;
      }
      if (expr.object.kind === 'call' && /^thread_index$/.test(memberOf(expr.object) ?? ''))
        return builtin(frame, 'threadIdx', expr.field);
      return expressionMayVary(expr, frame)
        ? undefined
        : assumption(frame, `${expr.object.kind === 'name' ? expr.object.name : '…'}.${expr.field}`);
    }
    case 'unary': {
      const value = evaluate(expr.operand, frame, depth + 1);
      const apply = {
        '-': (v: number) => -v,
        '+': (v: number) => v,
        '!': (v: number) => (v ? 0 : 1),
        '~': (v: number) => ~v,
        '*': undefined,
        '&': undefined,
      }[expr.op];
      return apply ? lift(frame, value, 0, apply) : undefined;
    }
    case 'cast': {
      const value = evaluate(expr.operand, frame, depth + 1);
      const type = frame.context.types.resolve(expr.type);
      return type.kind === 'scalar' && type.float ? value : lift(frame, value, 0, Math.trunc);
    }
    case 'binary': {
      const left = evaluate(expr.left, frame, depth + 1);
      if (left === 0 && expr.op === '&&') return 0;
      const right = evaluate(expr.right, frame, depth + 1);
      return lift(frame, left, right, (a, b) => applyConstant(expr.op, a, b, false));
    }
    case 'conditional': {
      const cond = evaluate(expr.cond, frame, depth + 1);
      if (cond === undefined) return undefined;
      if (typeof cond === 'number') return evaluate(cond ? expr.then : expr.else, frame, depth + 1);
      const yes = evaluate(expr.then, frame, depth + 1);
      const no = evaluate(expr.else, frame, depth + 1);
      return yes === undefined || no === undefined
        ? undefined
        : cond.map((holds, thread) => at(holds ? yes : no, thread));
    }
    case 'initList':
      return expr.elements.length === 1 ? evaluate(expr.elements[0]!, frame, depth + 1) : undefined;
    case 'call': {
      const member = memberOf(expr);
      if (member && isThreadBlock(expr, frame)) {
        if (member === 'thread_rank') return linearThreads(frame);
        if (member === 'size' || member === 'num_threads') return frame.threads;
      }
      const name = calleeName(expr);
      if ((name === 'min' || name === 'max') && expr.args.length === 2) {
        const left = evaluate(expr.args[0]!, frame, depth + 1);
        const right = evaluate(expr.args[1]!, frame, depth + 1);
        return lift(frame, left, right, name === 'min' ? Math.min : Math.max);
      }
      return (
        frame.context.types.constant(expr) ??
        (expressionMayVary(expr, frame) ? undefined : assumption(frame, name ?? '…'))
      );
    }
    case 'sizeof':
      return frame.context.types.constant(expr);
    default:
      return undefined;
  }
}

function memberOf(expr: Expr): string | undefined {
  return expr.kind === 'call' && expr.callee.kind === 'member' && expr.args.length === 0
    ? expr.callee.field
    : undefined;
}

/** Is the object of a member call a cooperative group of the whole block? */
function isThreadBlock(expr: Expr, frame: Frame): boolean {
  return expr.kind === 'call' && expr.callee.kind === 'member' && isBlockGroup(expr.callee.object, frame);
}
export function isBlockGroup(object: Expr, frame: Frame): boolean {
  if (object.kind !== 'name') return calleeName(object) === 'this_thread_block';
  const local = frame.locals.of(object);
  const type = local?.variable?.type ?? local?.parameter?.type;
  const named = type?.kind === 'reference' ? type.to : type;
  if (named?.kind === 'named' && /(^|::)thread_block$/.test(named.name)) return true;
  return !!local?.variable?.init && calleeName(local.variable.init) === 'this_thread_block';
}

function nameValue(expr: NameExpr, frame: Frame, depth: number): ThreadValue | undefined {
  const local = frame.locals.of(expr);
  if (!local) {
    const launch = frame.launchValues?.get(expr.name);
    if (launch !== undefined) return launch;
    if (expr.name === 'threadIdx') return undefined;
    return frame.context.types.constant(expr) ?? assumption(frame, expr.name);
  }
  const held = frame.values.get(local);
  if (held !== undefined) return held;
  if (local.parameter) {
    if (local.parameter.type.kind === 'pointer' || local.writes.length) return undefined;
    const launch = frame.launchValues?.get(local.name);
    if (launch !== undefined) return launch;
    const passed = argumentValue(local, frame, depth);
    if (passed !== undefined) return passed;
    return frame.fn.global || local.field || !(frame.context.callSites ?? []).length
      ? assumption(frame, local.name)
      : undefined;
  }
  const kind = local.variable?.type.kind;
  if (kind === 'array' || kind === 'pointer' || local.variable?.space !== 'none') return undefined;
  const definition = definitionOf(local, frame.locals);
  if (definition) {
    const value = evaluate(definition, frame, depth + 1);
    if (value !== undefined) return value;
  }
  return mayVary(local, frame, 0) ? undefined : assumption(frame, local.name);
}

/** What every known call passes for a parameter, where all pass the same. */
function argumentValue(local: Local, frame: Frame, depth: number): ThreadValue | undefined {
  const position = frame.fn.params.indexOf(local.parameter!);
  let found: ThreadValue | undefined;
  for (const site of frame.context.callSites ?? []) {
    const arg = site.args[position];
    if (!arg) return undefined;
    const caller: Frame = {
      ...frame,
      context: frame.context.calledFromNowhere(),
      fn: site.caller,
      locals: localsOf(site.caller),
      values: new Map(),
    };
    const value = evaluate(arg, caller, depth + 8);
    if (value === undefined) return undefined;
    if (found !== undefined && !equalValues(found, value, frame.threads)) return undefined;
    found = value;
  }
  return found;
}

export function equalValues(left: ThreadValue, right: ThreadValue, threads: number): boolean {
  if (typeof left === 'number' && typeof right === 'number') return left === right;
  for (let thread = 0; thread < threads; thread++) if (at(left, thread) !== at(right, thread)) return false;
  return true;
}
