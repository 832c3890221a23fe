// Barrier facts: which lanes may be missing at a barrier, and the condition that keeps them away.
import type { CallExpr, Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import type { BarrierFact } from '../model';
import { trailOf } from './trail';
import { once, calleeName, isConditionLoop, some, walk, lastPart, type Program } from '../language';
import type { FixFacts } from './fixes';
import { isEvenCondition } from './evenConditions';
import type { KernelRun } from './kernelRuns';
import { loopRefs, type Locator } from '../run';
import { isDecidedOutOfSight } from './outOfSight';

export function barrierFacts(run: KernelRun, locate: Locator, program: Program, fixes: FixFacts): BarrierFact[] {
  return run.barriers.map((record) => {
    const { under } = record;
    const scope = record.scope === 'warp' ? 'warp' : 'block';
    const isEven = under !== undefined && isEvenCondition(record, locate.text(under.fn, under.cond), program);
    const reason = ({ cond, fn }: { cond: Expr; fn: FunctionDecl }): NonNullable<BarrierFact['afterReturn']> => ({
      at: locate.span(fn, cond),
      text: locate.text(fn, cond),
      trail: trailOf(fn, cond, locate),
    });
    return {
      kind: 'barrier',
      at: locate.span(record.fn, record.node),
      name: record.name,
      kernels: [run.kernel.name],
      scope,
      loops: loopRefs(record.loops, locate),
      ...(under && !isEven
        ? {
            under: {
              ...reason(under),
              ...(isHeadOfLoop(under.cond, under.fn) ? { isLoop: true } : {}),
              ...(record.scope !== 'grid' && isLastOf(run, under, program) ? { atEnd: true } : {}),
              ...(isDecidedOutOfSight(under.cond, under.fn, program) ? { outOfSight: true } : {}),
            },
          }
        : {}),
      ...(record.afterReturn ? { afterReturn: reason(record.afterReturn) } : {}),
      proven: record.proven,
      ...(record.fault ? { fault: record.fault } : {}),
      ...(under && scope === 'block' && isInBothArms(under.cond, under.fn, program) ? { inBothArms: true } : {}),
      ...(under && !isEven && scope === 'block' ? fixes.at('barrier', under.fn, run.kernel, { cond: under.cond }) : {}),
    };
  });
}

/**
 * Does an `if` with this condition have barriers of the block in both of its arms, in functions that they call too? One
 * that is in the other arm of an `if` before it has that arm beside it: `if (…) … else if (cond) …`.
 */
function isInBothArms(cond: Expr, { body }: FunctionDecl, program: Program): boolean {
  return some(body, (node) => {
    if (node.kind !== 'if' || !node.else) return false;
    const other = onlyIn(node.else);
    const beside =
      node.cond === cond ? node.else : other?.kind === 'if' && other.cond === cond ? other.then : undefined;
    return !!beside && holdsBarrier(node.then, program) && holdsBarrier(beside, program);
  });
}

/**
 * Does the kernel end with the condition: itself, by a call of the function that the condition is in, or by one of the
 * body that it is given?
 */
function isLastOf(
  { kernel, body }: KernelRun,
  { cond, fn }: { readonly cond: Expr; readonly fn: FunctionDecl },
  program: Program,
): boolean {
  if (!endsWith(cond, fn.body)) return false;
  if (fn === kernel) return true;
  const calls: CallExpr[] = [];
  walk(kernel.body, (node) => {
    if (node.kind === 'call' && mayCall(node, fn, program)) calls.push(node);
  });
  let last = lastOf(kernel.body);
  if (calls.length === 1 && last?.kind === 'expr' && last.expr === calls[0]) return true;
  while (last?.kind === 'if' && !last.else) last = lastOf(last.then);
  const callee = last?.kind === 'expr' && last.expr.kind === 'call' ? last.expr.callee : undefined;
  return fn === body && callee?.kind === 'name' && kernel.params.some(({ name }) => name === callee.name);
}

/** May a call run the function? One of an object is of its operator, and so is one of a variable. */
function mayCall({ callee }: CallExpr, fn: FunctionDecl, program: Program): boolean {
  if (callee.kind === 'member') return callee.field === fn.name;
  if (callee.kind !== 'name') return fn.name === 'operator()';
  const name = lastPart(callee.name);
  const named = program.functions(name);
  return named.length > 0 ? named.includes(fn) : fn.name === 'operator()' && program.structs(name).length === 0;
}

/**
 * Is an `if` with this condition and no `else` the last that a kernel does? Who does not enter has ended then, and
 * counts as arrived at the block's barriers (not at the grid's: there one thread of each block waits for the others).
 */
function endsWith(cond: Expr, body: Stmt | undefined): boolean {
  const last = lastOf(body);
  if (last?.kind !== 'if' || last.else) return false;
  return last.cond === cond || endsWith(cond, last.then);
}

function lastOf(body: Stmt | undefined): Stmt | undefined {
  let last = body;
  while (last?.kind === 'block') last = last.body.findLast((stmt) => stmt.kind !== 'empty' && stmt.kind !== 'return');
  return last;
}

function onlyIn(stmt: Stmt): Stmt | undefined {
  return stmt.kind === 'block' && stmt.body.length === 1 ? stmt.body[0] : stmt;
}

/** `seen`: functions that are looked into already. */
function holdsBarrier(stmt: Stmt, program: Program, seen: Set<FunctionDecl> = new Set()): boolean {
  return some(stmt, (node) => {
    if (node.kind !== 'call') return false;
    const name = node.callee.kind === 'member' ? node.callee.field : calleeName(node);
    const isHolding = (fn: FunctionDecl): boolean =>
      !!fn.body && !seen.has(fn) && holdsBarrier(fn.body, program, seen.add(fn));
    return name === '__syncthreads' || (name !== undefined && program.functions(name).some(isHolding));
  });
}

/** By body: conditions that decide how often a loop iterates. */
const headsIn = once((body: Stmt): ReadonlySet<Expr> => {
  const heads = new Set<Expr>();
  walk(body, (node) => {
    if (isConditionLoop(node) && node.cond) heads.add(node.cond);
  });
  return heads;
});

function isHeadOfLoop(cond: Expr, { body }: FunctionDecl): boolean {
  return !!body && headsIn(body).has(cond);
}
