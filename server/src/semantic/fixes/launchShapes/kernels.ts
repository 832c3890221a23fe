// What a kernel makes of its block's shape: whether it guards its index, needs the shape, or is run by one thread.
import type { Expr, Stmt } from '../../../syntax/ast';
import {
  lastPart,
  oncePerFunction,
  some,
  type AnySyntax,
  type Fn,
  workOf,
  type LaunchSite,
  calleeName,
  atomsOf,
  constantPolynomial,
  fixedPolynomial,
  isStable,
  localsIn,
  type Index,
  orderedBy,
  isThreadAtom,
  isThreadName,
  isThreadPlace,
  knowsLanes,
} from '../../language';
import { isArithmetic, isBlockBarrier, isPureCall } from '../../program';

// ---- what the kernel makes of it
// -------------------------------------------------------------------------------------------

export interface KernelFacts {
  readonly guards: boolean;
  /** Some of its work is behind such a comparison: there are as many blocks as elements ask for. */
  readonly counts: boolean;
  readonly needsShape: boolean;
  readonly setup: boolean;
}

export function kernelFacts(site: LaunchSite, fn: Fn, threads: number | undefined): KernelFacts {
  const kernel = site.kernel!;
  const { fn: decl } = workOf(kernel, site.launch.args, site.host.decl, fn.program);
  const inside = fn.of(decl);
  const guards = guardsIndex(inside);
  return {
    guards,
    counts: guards || countsThreads(inside),
    needsShape: needsShape(inside, site, threads),
    setup: isSetup(inside),
  };
}

const gridThread = fixedPolynomial('blockIdx.x')
  .times(fixedPolynomial('blockDim.x'))
  .plus(fixedPolynomial('threadIdx.x'));
/** The threads of the rows of blocks before one, where blocks are in rows. */
const rowsBefore = fixedPolynomial('blockIdx.y')
  .times(fixedPolynomial('gridDim.x'))
  .times(fixedPolynomial('blockDim.x'));

/** Is everything the kernel does to memory behind a comparison of the thread's global x index with an extent? */
export function guardsIndex(fn: Fn): boolean {
  let guarded = false;
  for (const stmt of fn.decl.body?.body ?? []) {
    const kind = statementKind(stmt, fn);
    if (kind === 'leaves') return true;
    if (kind === 'guarded') guarded = true;
    else if (kind === 'other') return false;
  }
  return guarded;
}
function statementKind(stmt: Stmt, fn: Fn): 'leaves' | 'guarded' | 'harmless' | 'other' {
  switch (stmt.kind) {
    case 'empty':
    case 'type':
      return 'harmless';
    case 'decl':
      return stmt.vars.every(
        (variable) => variable.space === 'none' && (!variable.init || isArithmetic(variable.init, fn)),
      )
        ? 'harmless'
        : 'other';
    case 'expr': {
      const { expr } = stmt;
      if (isBlockBarrier(expr)) return 'harmless';
      if (
        expr.kind === 'assign' &&
        expr.target.kind === 'name' &&
        fn.local(expr.target)?.variable &&
        isArithmetic(expr.value, fn)
      )
        return 'harmless';
      return 'other';
    }
    case 'if': {
      if (stmt.else || stmt.init || !isArithmetic(stmt.cond, fn)) return 'other';
      const then = stmt.then.kind === 'block' ? stmt.then.body : [stmt.then];
      if (then.length === 1 && then[0]!.kind === 'return')
        return isBound(stmt.cond, 'outside', fn) ? 'leaves' : 'other';
      return isBound(stmt.cond, 'inside', fn) ? 'guarded' : 'other';
    }
    case 'for': {
      const variable = stmt.init?.kind === 'decl' && stmt.init.vars.length === 1 ? stmt.init.vars[0]! : undefined;
      const start = variable?.init && fn.index(variable.init);
      const ordered = stmt.cond && orderedBy(stmt.cond);
      if (!variable || !start || !ordered || !isIndex(start)) return 'other';
      const { low, high } = ordered;
      return low.kind === 'name' && low.name === variable.name && isUniform(high, fn) ? 'guarded' : 'other';
    }
    default:
      return 'other';
  }
}
/** Does the kernel hold the number of its thread in the grid against an end, in blocks along x or in rows? */
function countsThreads(fn: Fn): boolean {
  return (fn.decl.body?.body ?? []).some(
    (stmt) => stmt.kind === 'if' && (isBound(stmt.cond, 'inside', fn, true) || isBound(stmt.cond, 'outside', fn, true)),
  );
}

/** The global x index, moved by something uniform. */
function isIndex(value: Index): boolean {
  const rest = value.plus(gridThread, -1);
  return !rest.has(isThreadAtom) && [...localsIn(rest)].every(isStable);
}
function isUniform(expr: Expr, fn: Fn): boolean {
  if (!isArithmetic(expr, fn)) return false;
  const value = fn.index(expr);
  return !!value && !value.has(isThreadAtom);
}
function isBound(cond: Expr, side: 'inside' | 'outside', fn: Fn, inRows = false): boolean {
  if (cond.kind === 'unary' && cond.op === '!')
    return isBound(cond.operand, side === 'inside' ? 'outside' : 'inside', fn, inRows);
  if (cond.kind === 'binary' && cond.op === (side === 'inside' ? '&&' : '||'))
    return [cond.left, cond.right].some((part) => isBound(part, side, fn, inRows));
  const ordered = orderedBy(cond);
  if (!ordered) return false;
  const [index, bound] = side === 'inside' ? [ordered.low, ordered.high] : [ordered.high, ordered.low];
  const value = fn.index(index);
  const isNumber = !!value && (isIndex(value) || (inRows && isIndex(value.plus(rowsBefore, -1))));
  return isNumber && isUniform(bound, fn);
}

/** A name by which code asks for its threads, as a variable or a group. */
const isLanePlace = (name: string): boolean =>
  isThreadName(lastPart(name)) || /^this_(?:grid|thread_block)$/.test(lastPart(name));

/** Would another block size change what the kernel computes, as far as its text tells? */
function needsShape(fn: Fn, site: LaunchSite, threads: number | undefined): boolean {
  if (threads === 1) return false; // nothing is tied to a block of one
  if (site.kernel?.launchBounds?.length) return true;
  if (fn.locals.all.some((local) => local.variable?.space === 'shared')) return true;
  const callee = site.launch.callee;
  if (
    threads !== undefined &&
    callee.kind === 'name' &&
    callee.templateArgs?.some((arg) => 'expr' in arg && site.host.types.constant(arg.expr) === threads)
  )
    return true;
  for (const node of fn.locals.nodes) {
    if (
      threads !== undefined &&
      threads > 2 &&
      (node.kind === 'number' || (node.kind === 'name' && !fn.local(node))) &&
      fn.types.constant(node) === threads
    )
      return true;
    if (node.kind === 'call' && !isPureCall(node, fn)) {
      const name = calleeName(node);
      if (!name || knowsLanes(name)) return true;
      if (mentionsThreads(name, fn)) return true;
    }
    if (
      node.kind === 'member' &&
      node.object.kind === 'name' &&
      !fn.local(node.object) &&
      isThreadPlace(node.object.name) &&
      node.field === 'x' &&
      !takesAnySize(node, fn, 0)
    )
      return true;
    if (node.kind === 'name' && node.name === 'warpSize' && !fn.local(node)) return true;
  }
  return false;
}

/**
 * Does the builtin at `node` only go into the global index or the number of all threads, directly or through a
 * variable?
 */
function takesAnySize(node: Expr, fn: Fn, depth: number): boolean {
  if (depth > 5) return false;
  let top: Expr = node;
  let value: Index | undefined = fn.index(node);
  for (let parent = fn.parent(top); parent && isSumOrProduct(parent); parent = fn.parent(top)) {
    const wider: Index | undefined = fn.index(parent);
    if (!wider) break;
    top = parent;
    value = wider;
  }
  if (value && isSizeFree(value)) return true;
  const parent = fn.parent(top);
  // The leader of a block stays the leader; a count of blocks does not stay valid.
  if (parent?.kind === 'binary' && /^(==|!=)$/.test(parent.op) && value?.equals(fixedPolynomial('threadIdx.x'))) {
    const other = fn.index(parent.left === top ? parent.right : parent.left);
    return !!other && other.number === 0;
  }
  if (parent?.kind !== 'var' && parent?.kind !== 'initList') return false;
  const variable = fn.locals.all.find((local) => local.variable === parent);
  return (
    !!variable &&
    !!fn.definition(variable) &&
    variable.uses.length > 0 &&
    variable.uses.every((use) => takesAnySize(use, fn, depth + 1))
  );
}
function isSumOrProduct(node: AnySyntax): node is Expr {
  return (node.kind === 'binary' && /^[+*-]$/.test(node.op)) || node.kind === 'cast';
}
function isSizeFree(value: Index): boolean {
  const split = value.split('threadIdx.x');
  if (!split) return false;
  const rest = value.plus(split.factor.times(gridThread), -1);
  for (const key of rest.terms.keys()) {
    const atoms = atomsOf(key);
    const builtins = atoms.filter((atom) => /threadIdx\.x|blockIdx\.x|blockDim\.x|gridDim\.x/.test(atom));
    if (
      builtins.length &&
      !(builtins.length === 2 && builtins.includes('blockDim.x') && builtins.includes('gridDim.x'))
    )
      return false;
  }
  return true;
}

function mentionsThreads(name: string, fn: Fn): boolean {
  return fn.program.functions(name).some((decl) => bodyMentionsThreads(decl, fn));
}

const bodyMentionsThreads = oncePerFunction(
  (decl, fn: Fn): boolean =>
    some(decl.body, (node) => {
      if (node.kind === 'name') return isLanePlace(node.name);
      if (node.kind === 'var') return node.space === 'shared';
      const inner = node.kind === 'call' ? calleeName(node) : undefined;
      return !!inner && inner !== decl.name && mentionsThreads(inner, fn);
    }),
  true,
);

/** A kernel that knows nothing of its threads, or lets one of them do all its work. */
function isSetup(fn: Fn): boolean {
  let threads = false;
  let unknown = false;
  for (const node of fn.locals.nodes) {
    if (node.kind === 'name' && !fn.local(node) && isLanePlace(node.name)) threads = true;
    if (node.kind === 'asm' || node.kind === 'opaque') unknown = true;
    if (node.kind === 'call') {
      const name = calleeName(node);
      if (name && mentionsThreads(name, fn)) threads = true;
      else if (
        !name ||
        (!fn.program.functions(name).some((decl) => decl.body) &&
          !isPureCall(node, fn) &&
          !/^(printf|assert|__syncthreads|atomic\w+|malloc|free|memset|memcpy)$/.test(name) &&
          fn.types.resolve({ kind: 'named', name }).kind === 'unknown')
      )
        unknown = true;
    }
  }
  if (!threads) return !unknown;
  return (
    (fn.decl.body?.body ?? []).length > 0 &&
    fn.decl.body!.body.every((stmt, at, all) => {
      if (stmt.kind === 'decl') return stmt.vars.every((variable) => !variable.init || isArithmetic(variable.init, fn));
      if (stmt.kind === 'empty') return true;
      if (stmt.kind !== 'if' || stmt.else)
        return all.slice(0, at).some((before) => before.kind === 'if' && leavesButOne(before, fn));
      return (
        isLeader(stmt.cond, fn) ||
        leavesButOne(stmt, fn) ||
        all.slice(0, at).some((before) => before.kind === 'if' && leavesButOne(before, fn))
      );
    })
  );
}
function leavesButOne(stmt: Stmt, fn: Fn): boolean {
  if (stmt.kind !== 'if' || stmt.else) return false;
  const then = stmt.then.kind === 'block' ? stmt.then.body : [stmt.then];
  if (then.length !== 1 || then[0]!.kind !== 'return' || stmt.cond.kind !== 'binary' || !/^(!=|>)$/.test(stmt.cond.op))
    return false;
  return isLeader({ ...stmt.cond, op: '==' }, fn);
}
/** `threadIdx.x == 0 && blockIdx.x == 0`, or the global index equal to 0. */
function isLeader(cond: Expr, fn: Fn): boolean {
  if (cond.kind === 'binary' && cond.op === '&&') return isLeader(cond.left, fn) || isLeader(cond.right, fn);
  if (cond.kind !== 'binary' || cond.op !== '==') return false;
  const [left, right] = [fn.index(cond.left), fn.index(cond.right)];
  if (!left || !right?.equals(constantPolynomial(0))) return false;
  return left.equals(fixedPolynomial('threadIdx.x')) || left.equals(gridThread);
}
