// Finds tree reductions over shared memory by running them on element numbers, and writes the two-stage shuffle
// reduction that replaces them.
import type { Expr, Stmt } from '../../../syntax/ast';
import type { SweepFact } from '../../model';
import {
  some,
  walk,
  type BlockShape,
  type Fn,
  type Local,
  type Locals,
  once,
  at,
  createFrame,
  equalValues,
  evaluate,
  type Frame,
  linearThreads,
} from '../../language';
import { withoutUnused } from '../unusedHelpers';
import { createRun, isBlockBarrier, runStatement } from './prove';
import { placeOf, totalOf } from './places';
import { writeShuffleReduction } from './rewrite';
import { activeThreads, arrayName, type CompleteSweep, isShared, lastOrder, readsPartials } from './surroundings';
import { unprovenSweep } from './unproven';

// Shapes to try where no launch is known: a row, a square, a cube, a column.
const usualShapes: readonly BlockShape[] = [
  [256, 1, 1],
  [16, 16, 1],
  [8, 8, 4],
  [1, 256, 1],
];
const smallestSweep = 32;

/** The shared-memory reductions of one kernel or device function. */
export function findSweeps(fn: Fn): SweepFact[] {
  const { decl, locals } = fn;
  if (!decl.body || !(decl.global || decl.device)) return [];
  const facts: SweepFact[] = [];
  for (const node of locals.nodes) {
    const statements = node.kind === 'block' || node.kind === 'case' ? node.body : undefined;
    if (!statements) continue;
    for (let first = 0; first < statements.length; first++) {
      const stmt = statements[first]!;
      if (!mayStartSweep(stmt)) continue;
      const found = sweepFrom(fn, statements, first);
      if (!found) {
        const unproven = completes(fn, statements, first) ? undefined : unprovenSweep(fn, stmt);
        if (unproven) facts.push(unproven);
        continue;
      }
      facts.push(found.fact);
      first = found.last;
    }
  }
  // A guard around a sweep and the loop within it are one.
  return facts.filter(
    ({ hotAt }, at) =>
      facts.findIndex((other) => other.hotAt.uri === hotAt.uri && other.hotAt.start === hotAt.start) === at,
  );
}

/** Was it followed to its end, and then rejected for the way the kernel uses it? */
function completes(fn: Fn, statements: readonly Stmt[], first: number): boolean {
  const shapes = fn.blockShapes.length > 0 ? fn.blockShapes : usualShapes;
  return shapes.some(
    (shape, position) => runSweep(fn, statements, first, shape, fn.launchValues?.[position]) !== undefined,
  );
}

function mayStartSweep(stmt: Stmt): boolean {
  if (stmt.kind !== 'for' && stmt.kind !== 'while' && stmt.kind !== 'do' && stmt.kind !== 'if') return false;
  let combines = false;
  walk(stmt, (node) => {
    if (
      node.kind === 'assign' &&
      (node.target.kind === 'index' || node.target.kind === 'member' || node.target.kind === 'unary')
    )
      combines = true;
    return node.kind !== 'lambda';
  });
  return combines;
}

function sweepFrom(fn: Fn, statements: readonly Stmt[], first: number): { fact: SweepFact; last: number } | undefined {
  const known = fn.blockShapes.length > 0;
  const sweeps: CompleteSweep[] = [];
  if (known) {
    const tried = new Set<string>();
    for (let position = 0; position < fn.blockShapes.length; position++) {
      // Launches that differ in nothing the sweep can see are one.
      const key = JSON.stringify([
        fn.blockShapes[position],
        [...(fn.launchValues?.[position] ?? [])],
        [...(fn.launchTypes?.[position] ?? [])],
      ]);
      if (tried.has(key)) continue;
      tried.add(key);
      const sweep = runSweep(fn, statements, first, fn.blockShapes[position]!, fn.launchValues?.[position]);
      if (!sweep) return undefined;
      sweeps.push({ ...sweep, launch: position });
    }
  } else {
    for (const shape of usualShapes) {
      const sweep = runSweep(fn, statements, first, shape, undefined);
      if (sweep) {
        sweeps.push(sweep);
        break;
      }
    }
  }
  const sweep = sweeps[0];
  if (!sweep || sweeps.some((other) => other.last !== sweep.last || other.arrays.length !== sweep.arrays.length))
    return undefined;
  const threads = (shape: BlockShape): number => shape[0] * shape[1] * shape[2];
  if (known && sweeps.some(({ frame }) => frame.threads % 32 !== 0 || frame.threads > 1024)) return undefined;
  if (sweeps.some(({ arrays, frame }) => arrays.some((array) => !isShared(array, frame)))) return undefined;
  if (sweeps.some((one) => one.arrays.some((array) => readsPartials(fn, one, array)))) return undefined;
  const region = { start: regionStart(statements[first]!), end: statements[sweep.last]!.end };
  const array = sweep.arrays[0]!;
  const lane = laneText(fn, sweeps);
  const written = writeShuffleReduction(fn, sweeps, region, lane, known);
  const hot = fn.locals.order(array.combine) >= 0 ? array.combine : statements[first]!;
  const sizes = new Set(fn.blockShapes.map(threads));
  const outside = [statements[first - 1], statements[sweep.last + 1]];
  const isBetween = stepsWithout(sweep) === 1 && outside.some((stmt) => stmt && isBlockBarrier(stmt, sweep.frame));
  return {
    last: sweep.last,
    fact: {
      kind: 'sweep',
      at: fn.span(headerOf(statements[first]!)),
      hotAt: fn.span(hot),
      kernels: fn.kernels,
      array: sweep.arrays.map((one) => arrayName(one)).join(', '),
      operator: array.operator!,
      direction: sweep.run.modulo ? 'modulo' : sweep.run.steps.has('doubling') ? 'doubling' : 'halving',
      ...(sizes.size === 1 ? { blockThreads: [...sizes][0]! } : {}),
      ...(known && new Set(sweeps.map((one) => one.count)).size === 1 && !sweep.frame.assumed.size
        ? { elements: sweep.count }
        : {}),
      ...(known && new Set(sweeps.map(({ run }) => run.blockBarriers)).size === 1
        ? { barriers: sweep.run.blockBarriers + (isBetween ? 1 : 0) }
        : {}),
      ...(sweeps.every((one) => stepsWithout(one) >= 2) ? { lastWarp: true } : {}),
      ...('why' in written ? { why: written.why } : { rewrite: withoutUnused(fn, written) }),
    },
  };
}

/** Steps without a barrier; of one, the barrier is before the first or after the last. */
function stepsWithout({ count, run }: CompleteSweep): number {
  return Math.round(Math.log2(count)) - run.blockBarriers;
}

/** The head of the first loop or condition: what a reader takes for the sweep. */
function headerOf(stmt: Stmt): { readonly start: number; readonly end: number } {
  switch (stmt.kind) {
    case 'for':
      return { start: stmt.start, end: stmt.headerEnd };
    case 'while':
    case 'if':
      return { start: stmt.start, end: stmt.cond.macro ? stmt.end : stmt.cond.end + 1 };
    default:
      return stmt;
  }
}

function regionStart(stmt: Stmt): number {
  return stmt.pragmas?.length ? Math.min(stmt.start, ...stmt.pragmas.map((pragma) => pragma.start)) : stmt.start;
}

/**
 * Runs statements from `first` on until every array they combine has its total in element 0. Where they name the block
 * they have to do so in a later block as well: `i % (2 * s)` over the whole grid is one thing in block 0, another in
 * the next.
 */
function runSweep(
  fn: Fn,
  statements: readonly Stmt[],
  first: number,
  shape: BlockShape,
  values: ReadonlyMap<string, number> | undefined,
): CompleteSweep | undefined {
  const sweep = runSweepIn(fn, statements, first, shape, values, 0);
  if (!sweep || !mentionsBlock(fn.locals)) return sweep;
  const later = runSweepIn(fn, statements, first, shape, values, laterBlock);
  return later && later.last === sweep.last && later.count === sweep.count ? sweep : undefined;
}
const laterBlock = 3;
const mentionsBlock = once(({ nodes }: Locals) =>
  nodes.some((node) => node.kind === 'name' && node.name === 'blockIdx'),
);

function runSweepIn(
  fn: Fn,
  statements: readonly Stmt[],
  first: number,
  shape: BlockShape,
  values: ReadonlyMap<string, number> | undefined,
  block: number,
): CompleteSweep | undefined {
  const threads = shape[0] * shape[1] * shape[2];
  if (!(threads > 0 && threads <= 1024)) return undefined;
  const frame: Frame = { ...createFrame(fn, shape, values, threads), block };
  // Kept for other blocks than this one, beside code that reduces this one otherwise.
  if (!activeThreads(statements[first]!, frame).some(Boolean)) return undefined;
  seedCounters(statements, first, frame);
  const run = createRun((local) => registerSeed(local, statements, first, frame));
  const everyone = new Array<boolean>(threads).fill(true);
  for (let last = first; last < Math.min(statements.length, first + 40); last++) {
    if (!runStatement(statements[last]!, everyone, frame, run)) return undefined;
    const arrays = [...run.arrays.values()];
    if (!arrays.length || arrays.some((array) => !array.operator)) continue;
    const counts = arrays.map(totalOf);
    const count = counts[0]!;
    if (count < smallestSweep || counts.some((other) => other !== count)) continue;
    // More than two warps' worth of elements need the block to meet: without that, the lanes of each warp work on a
    // its own segment.
    if (count > 64 && !run.blockBarriers) return undefined;
    // A sweep that is complete before its ladder ends (`if (blockSize >= 64)` not taken) is still complete.
    if (run.steps.size === 0 && run.combines < 5) continue;
    return { statements, first, last, frame, run, arrays, count, launch: 0 };
  }
  return undefined;
}

/** Gives counters that live before a `while` loop the value they start with. */
function seedCounters(statements: readonly Stmt[], first: number, frame: Frame): void {
  const blocked = new Set<Local>();
  const wanted = new Set<Local>();
  walk(statements[first], (node) => {
    if (node.kind === 'name') {
      const local = frame.locals.of(node);
      if (local?.writes.length) wanted.add(local);
    }
  });
  for (let position = first - 1; position >= 0 && position >= first - 20; position--) {
    const stmt = statements[position]!;
    if (stmt.kind === 'decl') {
      for (const variable of stmt.vars) {
        const local = frame.locals.all.find((candidate) => candidate.variable === variable);
        if (
          !local ||
          !wanted.has(local) ||
          blocked.has(local) ||
          frame.values.has(local) ||
          !local.writes.length ||
          !variable.init ||
          variable.space !== 'none'
        )
          continue;
        const value = evaluate(variable.init, frame);
        if (value !== undefined) frame.values.set(local, value);
        else blocked.add(local);
      }
      continue;
    }
    const plain =
      stmt.kind === 'expr' && stmt.expr.kind === 'assign' && stmt.expr.op === '=' && stmt.expr.target.kind === 'name'
        ? frame.locals.of(stmt.expr.target)
        : undefined;
    if (plain && stmt.kind === 'expr' && stmt.expr.kind === 'assign') {
      if (wanted.has(plain) && !blocked.has(plain) && !frame.values.has(plain)) {
        const value = evaluate(stmt.expr.value, frame);
        if (value !== undefined) frame.values.set(plain, value);
      }
      blocked.add(plain);
      continue;
    }
    walk(stmt, (node) => {
      const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
      if (target?.kind === 'name') {
        const local = frame.locals.of(target);
        if (local) blocked.add(local);
      }
    });
  }
}

/** For a variable that was stored to the thread's own element just before: that element's number. */
function registerSeed(
  local: Local,
  statements: readonly Stmt[],
  first: number,
  frame: Frame,
): ((thread: number) => number) | undefined {
  for (let position = first - 1; position >= 0 && position >= first - 12; position--) {
    const stmt = statements[position]!;
    let found: ((thread: number) => number) | undefined;
    let spoiled = false;
    walk(stmt, (node) => {
      if (
        node.kind === 'assign' &&
        node.op === '=' &&
        node.target.kind === 'index' &&
        node.value.kind === 'name' &&
        frame.locals.of(node.value) === local &&
        stmt.kind === 'expr'
      ) {
        const place = placeOf(node.target, frame);
        const subscript = place?.path.filter((part): part is Expr => typeof part !== 'string').pop();
        const value = subscript && evaluate(subscript, frame);
        if (value !== undefined) found = (thread) => at(value, thread);
      } else if (
        (node.kind === 'assign' && node.target.kind === 'name' && frame.locals.of(node.target) === local) ||
        (node.kind === 'update' && node.operand.kind === 'name' && frame.locals.of(node.operand) === local)
      )
        spoiled = true;
    });
    if (found) return found;
    if (spoiled) return undefined;
  }
  return undefined;
}

/** An expression in or around the sweep that is the thread's number in its block on every shape. */
function laneText(fn: Fn, sweeps: readonly CompleteSweep[]): string {
  const sweep = sweeps[0]!;
  const first = sweep.statements[sweep.first]!;
  const begin = fn.locals.order(first);
  const end = lastOrder(sweep.statements[sweep.last]!, fn.locals);
  const frames = sweeps.flatMap(({ frame }): Frame[] => {
    const created = createFrame(fn, frame.shape, frame.launchValues);
    return [created, { ...created, block: laterBlock }];
  });
  const isLane = (expr: Expr): boolean =>
    frames.every((frame) => {
      const value = evaluate(expr, frame);
      return value !== undefined && equalValues(value, linearThreads(frame), frame.threads);
    });
  const candidates: Expr[] = [];
  for (const node of fn.locals.nodes.slice(begin, end + 1)) {
    if (node.kind !== 'name' && node.kind !== 'member' && node.kind !== 'binary' && node.kind !== 'call') continue;
    if (node.kind === 'call' && !(node.callee.kind === 'member')) continue;
    if (isLane(node)) candidates.push(node);
  }
  const rank = (expr: Expr): number => (expr.kind === 'name' ? 0 : expr.kind === 'member' ? 1 : 2);
  candidates.sort((a, b) => rank(a) - rank(b));
  for (const candidate of candidates) {
    const outside = !some(candidate, (node) => {
      if (node.kind === 'name') {
        const local = fn.local(node);
        if (local?.variable && fn.isInside(local.variable, first)) return true;
        if (local?.variable && fn.locals.order(local.variable) > begin) return true;
      }
      return false;
    });
    if (!outside) continue;
    const text = fn.text(candidate);
    if (/[\n;{}#]/.test(text) || !text) continue;
    return /^[\w.:]+(\(\))?$/.test(text) ? text : `(${text})`;
  }
  // Any order of the threads over the elements will do: the total takes in all of them.
  const used = [0, 1, 2].map((axis) => sweeps.some(({ frame }) => frame.shape[axis]! > 1));
  const terms = [
    ...(used[2] ? ['threadIdx.z * blockDim.y * blockDim.x'] : []),
    ...(used[1] ? [used[0] ? 'threadIdx.y * blockDim.x' : 'threadIdx.y'] : []),
    ...(used[0] ? ['threadIdx.x'] : []),
  ];
  return terms.length === 1 ? terms[0]! : `(${terms.join(' + ')})`;
}
