// Branch facts: what differs between lanes under which condition, and what it costs.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import type { Assumption, BranchCost, BranchFact, Variance } from '../model';
import {
  onceWith,
  childrenOf,
  isConditionLoop,
  isParameterOfTemplate,
  isStatement,
  some,
  walk,
  calleeName,
  localsOf,
} from '../language';
import { trailOf } from './trail';
import { type BranchRecord, Taint, loopRefs, type Locator } from '../run';
import { blockAssumption } from './accesses';
import type { FixFacts } from './fixes';
import { assignsOne, attempt, sharedIterationsOf } from '../fixes';
import type { KernelRun } from './kernelRuns';
import { literalTrips } from './arithmetic';
import { comparesFloats, coversEvenChunk, exitsOf, halvesEvenly } from './exits';

/** Iterations that a loop counts for where its head does not say how many it has, and the most that nests count for. */
const usualWeight = 8;
const mostWeight = 64;

/** What an arm does, loops multiplied by their iterations, eight where nothing tells. */
export const costOf = onceWith((stmt: Stmt | Expr, fn: FunctionDecl): BranchCost => {
  const cost = { operations: 0, loads: 0, stores: 0, loops: 0, calls: 0, barriers: 0, returns: false };
  const visit = (node: Parameters<typeof childrenOf>[0], weight: number): void => {
    let inner = weight;
    switch (node.kind) {
      case 'binary':
      case 'unary':
      case 'update':
      case 'conditional':
        cost.operations += weight;
        if (node.kind === 'unary' && node.op === '*') cost.loads += weight;
        break;
      case 'assign':
        cost.operations += weight;
        if (node.target.kind === 'index' || (node.target.kind === 'unary' && node.target.op === '*'))
          cost.stores += weight;
        break;
      case 'index':
        cost.loads += weight;
        break;
      case 'call':
        if (node.callee.kind === 'name' && /^__sync(threads|warp)/.test(node.callee.name)) cost.barriers++;
        else if (node.args.length !== 1 || !isParameterOfTemplate(node.callee, { decl: fn }, 'type')) {
          cost.calls += weight;
          cost.operations += weight * 4;
        }
        break;
      case 'for':
      case 'while':
      case 'do':
      case 'rangeFor':
        cost.loops++;
        inner = Math.min(mostWeight, weight * ((isStatement(node) && literalTrips(node)) || usualWeight));
        break;
      case 'return':
        cost.returns = true;
        break;
      default:
        break;
    }
    for (const child of childrenOf(node)) visit(child, inner);
  };
  visit(stmt, 1);
  return cost;
});
function weightOf(cost: BranchCost | undefined): number {
  return cost ? cost.operations + 4 * (cost.loads + cost.stores) + 10 * cost.calls : 0;
}

export function* branchFacts(run: KernelRun, locate: Locator, fixes: FixFacts, uri: string): Iterable<BranchFact> {
  const block = blockAssumption(run);
  const shape: Assumption[] = block ? [block] : [];
  const exits = exitsOf(run.branches, (each) => varianceOf(each) === 'thread-varying' && !isBoundaryGuard(each));
  const heads = new Set<Stmt | Expr>(run.branches.map((each) => each.statement));
  // `for (;;)` has no condition.
  for (const [loop, { record, cond }] of exits) {
    if (heads.has(loop) || record.fn.uri !== uri || !isConditionLoop(loop) || retries(loop.body, record.fn)) continue;
    yield exitFact(run, record, loop, cond, locate, shape);
  }
  for (const record of run.branches) {
    const under = armOf(record);
    if (!under || record.fn.uri !== uri) continue;
    const exit = isStatement(record.statement) ? exits.get(record.statement) : undefined;
    const { fn, form, statement } = record;
    if (retries(under, fn)) continue;
    const isLoop = form === 'for' || form === 'while' || form === 'do';
    if (isLoop && exit && varianceOf(record) !== 'thread-varying' && isStatement(statement)) {
      yield exitFact(run, exit.record, statement, exit.cond, locate, shape);
      continue;
    }
    if (!record.splits && !record.uncertain && comparesFloats(record) && isStatement(statement)) {
      yield exitFact(run, record, statement, record.cond, locate, shape);
      continue;
    }
    if (isLoop && !exit && (halvesEvenly(record) || coversEvenChunk(record))) continue;
    // What a loop's head loads is work of each iteration.
    const cost = isLoop ? withCondition(costOf(under, fn), costOf(record.cond, fn)) : costOf(under, fn);
    const elseStmt = 'else' in statement ? statement.else : undefined;
    const otherwise = elseStmt ? costOf(elseStmt, fn) : undefined;
    const variance = varianceOf(record);
    const thenWeight = weightOf(cost);
    const elseWeight = weightOf(otherwise);
    const spent = thenWeight * record.thenBefore + elseWeight * record.elseBefore;
    // Of an `else if` those lanes work that its condition lets in.
    const chained = elseStmt && isStatement(elseStmt) && !('else' in elseStmt && elseStmt.else) ? elseStmt : undefined;
    const inner = chained?.kind === 'if' ? run.branches.find(({ statement: its }) => its === chained) : undefined;
    const elseActive = Math.min(record.elseActive, inner?.thenActive ?? Infinity);
    const lost = thenWeight * (record.thenBefore - record.thenActive) + elseWeight * (record.elseBefore - elseActive);
    const dataDependent = record.uncertain && (record.taint & (Taint.loaded | Taint.hash | Taint.maybe)) !== 0;
    const singleLane =
      record.variesInBlock &&
      record.mostThreads <= Math.max(1, Math.ceil((run.shapes[0]?.block.reduce((a, b) => a * b, 1) ?? 32) / 32)) &&
      record.mostLanes <= 1;
    const fact: BranchFact = {
      kind: 'branch',
      at: locate.span(record.fn, record.cond),
      statementAt: locate.span(record.fn, record.statement),
      form: record.form,
      text: locate.text(record.fn, record.cond),
      kernels: [run.kernel.name],
      variance,
      dataDependent,
      ...(record.taint & (Taint.loaded | Taint.loadedUniform | Taint.hash | Taint.maybe) ? { byData: true } : {}),
      boundaryGuard: isBoundaryGuard(record),
      singleLane,
      ...(record.uncertain || !record.warps || partsByBlock(record) || record.taint & Taint.unknownStride
        ? {}
        : { splitShare: record.splits / record.warps, lostShare: spent > 0 ? lost / spent : 0 }),
      ...(lanePattern(record, locate) ?? {}),
      under: cost,
      ...(otherwise ? { otherwise } : {}),
      trail:
        variance === 'thread-varying' || dataDependent ? trailOf(record.fn, record.cond, locate, dataDependent) : [],
      loops: loopRefs(record.loops, locate),
      assumed: shape,
      ...(isLoop ? serialOf(run, record, locate, fixes) : {}),
    };
    const branch = statement.kind === 'if' && variance === 'thread-varying' ? statement : undefined;
    const more = branch && {
      assignsOne: assignsOne(branch),
      ...fixes.at('branch', record.fn, run.kernel, { fact, branch }),
    };
    yield { ...fact, ...more };
  }
}

/** A warp's lanes take so many iterations at once. */
const lanes = 32;

/** A loop that at most a warp of threads runs, of a block of more. */
function serialOf(
  run: KernelRun,
  { mostThreads: threads, mostLanes, statement, loops, fn }: BranchRecord,
  locate: Locator,
  fixes: FixFacts,
): Pick<BranchFact, 'serial'> {
  const blocks = run.shapes.map(({ block: [x, y, z] }) => x * y * z);
  if (!isStatement(statement) || threads === 0 || threads > lanes || Math.min(...blocks) < 2 * threads) return {};
  // Assumptions name the block of the first launch.
  const of = blocks[0]!;
  const [loop] = loopRefs(
    loops.filter(({ stmt }) => stmt === statement),
    locate,
  );
  if (!loop || (loop.trips !== undefined && loop.trips < lanes)) return {};
  const context = fixes.contextOf(fn);
  const shared = context && attempt(() => sharedIterationsOf(context, statement));
  const warps = Math.max(1, Math.ceil(threads / Math.max(1, mostLanes)));
  return shared ? { serial: { threads, warps, of, loop, ...shared } } : {};
}

/** Lanes whose compare-and-swaps meet take turns, and no other loop would spare them that. */
const retries = onceWith((under: Stmt | Expr, fn: FunctionDecl): boolean => {
  const found = some(under, (node) => node.kind === 'call' && /^atomicCAS/.test(calleeName(node) ?? ''));
  return found && costOf(under, fn).loops === 0;
});

/** A loop that the lanes of a warp leave at different iterations: the number lost is unknown. */
function exitFact(
  run: KernelRun,
  record: BranchRecord,
  loop: Stmt,
  cond: Expr,
  locate: Locator,
  assumed: readonly Assumption[],
): BranchFact {
  const { fn } = record;
  const head = isConditionLoop(loop) && loop.cond;
  const at = head && head.kind !== 'number' ? head : { start: loop.start, end: loop.start + loop.kind.length };
  const body = isConditionLoop(loop) ? loop.body : loop;
  const dataDependent = record.uncertain && (record.taint & (Taint.loaded | Taint.hash | Taint.maybe)) !== 0;
  return {
    kind: 'branch',
    at: locate.span(fn, at),
    statementAt: locate.span(fn, loop),
    form: loop.kind === 'while' || loop.kind === 'do' ? loop.kind : 'for',
    text: locate.text(fn, cond),
    kernels: [run.kernel.name],
    variance: 'thread-varying',
    dataDependent,
    boundaryGuard: false,
    singleLane: false,
    exit: locate.span(fn, cond),
    under: withCondition(costOf(body, fn), costOf(cond, fn)),
    trail: trailOf(fn, cond, locate, dataDependent),
    loops: loopRefs(
      record.loops.filter(({ stmt }) => stmt.start < loop.start && stmt.end >= loop.end),
      locate,
    ),
    assumed,
  };
}
function withCondition(body: BranchCost, cond: BranchCost): BranchCost {
  return {
    ...body,
    operations: body.operations + cond.operations,
    loads: body.loads + cond.loads,
    calls: body.calls + cond.calls,
  };
}

function armOf({ statement }: BranchRecord): Stmt | Expr | undefined {
  if ('then' in statement) return statement.then;
  return isConditionLoop(statement) || statement.kind === 'switch' ? statement.body : undefined;
}

function varianceOf(record: BranchRecord): Variance {
  if (record.variesInWarp || (record.uncertain && record.taint & (Taint.loaded | Taint.hash))) return 'thread-varying';
  if (record.variesInBlock) return 'warp-uniform';
  if (record.taint & Taint.thread)
    return record.taint & (Taint.chosen | Taint.loadedUniform) ? 'thread-varying' : 'warp-uniform';
  if (record.taint & (Taint.block | Taint.loadedUniform)) return 'block-uniform';
  return record.taint & Taint.chosen ? 'grid-uniform' : 'constant';
}

/** Does an ordering end within a warp at a place that each block has elsewhere, `4 * threadIdx.x < blockIdx.x + 1`? */
function partsByBlock({ cond, statement, taint, splits }: BranchRecord): boolean {
  const isOrdering = cond.kind === 'binary' && /^[<>]=?$/.test(cond.op);
  return isOrdering && 'then' in statement && splits > 0 && (taint & Taint.block) !== 0;
}

/** An ordering against something uniform that all modelled lanes pass, or a return of those that do not. */
function isBoundaryGuard(record: BranchRecord): boolean {
  if (isTail(record)) return true;
  if (record.form !== 'if' && record.form !== 'conditional') return false;
  if (isOwnBound(record)) return true;
  const ordered = (expr: Expr): boolean =>
    expr.kind === 'binary' &&
    (/^[<>]=?$/.test(expr.op) ||
      expr.op === '==' ||
      expr.op === '!=' ||
      ((expr.op === '&&' || expr.op === '||') && ordered(expr.left) && ordered(expr.right)));
  return (
    ordered(record.cond) &&
    (record.taint & Taint.thread) !== 0 &&
    !record.uncertain &&
    record.splits === 0 &&
    !record.variesInBlock
  );
}

/**
 * `if (x < width)` over an index of the whole grid and the kernel's own parameter: that a known launch (of a test, say)
 * fits badly says nothing of others.
 */
function isOwnBound({ statement, cond, taint, fn }: BranchRecord): boolean {
  if (statement.kind !== 'if' || statement.else || !fn.global) return false;
  if ((taint & Taint.thread) === 0 || (taint & Taint.block) === 0) return false;
  const isParameter = (expr: Expr): boolean =>
    expr.kind === 'name' && fn.params.some((param) => param.name === expr.name && param.type.kind === 'named');
  const bounds = (expr: Expr): boolean =>
    expr.kind === 'binary' &&
    (expr.op === '&&'
      ? bounds(expr.left) && bounds(expr.right)
      : (/^<=?$/.test(expr.op) && isParameter(expr.right)) || (/^>=?$/.test(expr.op) && isParameter(expr.left)));
  return bounds(cond);
}

/**
 * The end of a loop whose threads step over one another, `for (i = tid; i < n; i += blockDim.x)`: only its last
 * iteration is uneven, and nothing fixes that.
 */
function isTail(record: BranchRecord): boolean {
  if (record.form === 'while' && record.statement.kind === 'while') return isTailOfWhile(record, record.statement.body);
  if (record.form !== 'for' || record.statement.kind !== 'for') return false;
  const { step } = record.statement;
  if (record.cond.kind !== 'binary' || !/^[<>]=?$/.test(record.cond.op) || step?.kind !== 'assign') return false;
  // Where data bound the loop, only a step over a whole warp or block says that its threads share the bound.
  if (record.uncertain)
    return step.op === '+=' && (step.value.kind === 'number' ? step.value.value >= 32 : stepsOverBlock(step.value));
  return step.op === '+=' || step.op === '-='
    ? step.value.kind !== 'number' || step.value.value >= 32
    : step.op === '=';
}

/** `while (p < end) { …; p += blockDim.x; }`, also through a variable of that size. */
function isTailOfWhile({ cond, fn }: BranchRecord, body: Stmt): boolean {
  if (cond.kind !== 'binary' || !/^[<>]=?$/.test(cond.op) || cond.left.kind !== 'name') return false;
  const locals = localsOf(fn);
  const stepped = locals.of(cond.left);
  const steps: Expr[] = [];
  walk(body, (node) => {
    if (node.kind === 'assign' && node.target.kind === 'name' && stepped && locals.of(node.target) === stepped)
      steps.push(node.value);
  });
  const [step] = steps;
  if (!step || steps.length > 1) return false;
  const local = step.kind === 'name' ? locals.of(step) : undefined;
  const init = local?.writes.length === 0 ? local.variable?.init : undefined;
  return stepsOverBlock(step) || (init !== undefined && init.kind !== 'initList' && stepsOverBlock(init));
}

function stepsOverBlock(step: Expr): boolean {
  return some(
    step,
    (node) =>
      node.kind === 'member' &&
      node.object.kind === 'name' &&
      (node.object.name === 'blockDim' || node.object.name === 'gridDim'),
  );
}

/** `tid % 2 == 0`, `tid & 1`: a pattern in the lane number. */
function lanePattern(
  record: BranchRecord,
  locate: Locator,
): { lanePattern: { text: string; modulus: number } } | undefined {
  if (!record.splits || record.uncertain) return undefined;
  let modulus: number | undefined;
  walk(record.cond, (node) => {
    if (
      node.kind === 'binary' &&
      node.op === '%' &&
      node.right.kind === 'number' &&
      node.right.value > 1 &&
      node.right.value < 32
    )
      modulus = node.right.value;
    if (
      node.kind === 'binary' &&
      node.op === '&' &&
      node.right.kind === 'number' &&
      node.right.value >= 1 &&
      node.right.value < 32
    )
      modulus = node.right.value + 1;
  });
  return modulus === undefined ? undefined : { lanePattern: { text: locate.text(record.fn, record.cond), modulus } };
}
