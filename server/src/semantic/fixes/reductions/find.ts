// Finds tree reductions over shared memory by running them on element numbers, and writes the two-stage shuffle
// reduction that replaces them.
import type { Expr, Stmt } from '../../../syntax/ast';
import { beginAlike, type SweepFact } from '../../model';
import {
  type AnySyntax,
  some,
  walk,
  type BlockShape,
  type Fn,
  type Locals,
  once,
  startWithPragmas,
} from '../../language';
import { withoutUnused } from '../unusedHelpers';
import { conjuncts, isBlockBarrier } from './barriers';
import { before, createFrame, equalValues, evaluate, type Frame } from './frame';
import { runSweep, totalsOf } from './sweep';
import { holdsBarrier } from '../../program';
import { writeShuffleReduction } from './rewrite';
import { activeThreads, arrayName, type CompleteSweep, lastOrder, readsPartials } from './surroundings';

// Shapes to try where no launch is known: a row, a square, a cube, a column.
const usualShapes: readonly BlockShape[] = [
  [256, 1, 1],
  [16, 16, 1],
  [8, 8, 4],
  [1, 256, 1],
];

/** The shared-memory reductions of one kernel or device function. */
export function findSweeps(fn: Fn): SweepFact[] {
  const { decl, locals } = fn;
  if (!decl.body || !(decl.global || decl.device)) return [];
  const facts: SweepFact[] = [];
  const shapes = shapesOf(fn);
  for (const node of locals.nodes) {
    const statements = node.kind === 'block' || node.kind === 'case' ? node.body : undefined;
    if (!statements) continue;
    for (let first = 0; first < statements.length; first++) {
      const stmt = statements[first]!;
      if (!mayStartSweep(stmt)) continue;
      const complete: CompleteSweep[] = [];
      for (const [shape, launch] of shapes) {
        const sweep = completeFrom(fn, statements, first, shape, launch);
        if (sweep) complete.push(sweep);
        if (sweep && launch === undefined) break;
      }
      const isWhole = fn.blockShapes.length === 0 || complete.length === shapes.length;
      const found = isWhole ? sweepFrom(fn, statements, first, complete) : undefined;
      if (!found) {
        // Followed to its end, it was rejected for the way the kernel uses it.
        const partial = complete.length > 0 ? undefined : partialSweep(fn, stmt, shapes);
        if (partial) facts.push(partial);
        continue;
      }
      facts.push(found.fact);
      first = found.last;
    }
  }
  // A guard around a sweep and the loop within it are one.
  return facts.filter(({ hotAt }, at) => facts.findIndex((other) => beginAlike(other.hotAt, hotAt)) === at);
}

/** A loop that leaves a total beside other values, or by branches that the rewrite does not follow. */
function partialSweep(fn: Fn, stmt: Stmt, shapes: ReturnType<typeof shapesOf>): SweepFact | undefined {
  if (stmt.kind !== 'for' || !holdsBarrier(stmt.body)) return undefined;
  // Threads numbered in the grid are not those of the block beyond block 0.
  let totals: ReturnType<typeof totalsOf> | undefined;
  for (const block of [0, 1])
    for (const [shape, launch] of shapes) {
      const found = totalsOf(stmt, createFrame(fn, shape, launch, shape[0] * shape[1] * shape[2], block));
      if (found.length === 0) return undefined;
      totals ??= found;
    }
  const [first] = totals ?? [];
  if (!first) return undefined;
  return {
    kind: 'sweep',
    at: fn.span(headerOf(stmt)),
    hotAt: fn.span(fn.locals.order(first.combine) >= 0 ? first.combine : stmt),
    kernels: fn.kernels,
    array: totals!.map((one) => arrayName(one)).join(', '),
    operator: first.operator,
    direction: directionOf([stmt]) ?? 'halving',
    why: 'the steps do more than combine two elements',
  };
}

function mayStartSweep(stmt: Stmt): boolean {
  const isPlace = (node: AnySyntax): boolean =>
    node.kind === 'assign' && /^(index|member|unary)$/.test(node.target.kind);
  return /^(for|while|do|if)$/.test(stmt.kind) && some(stmt, isPlace);
}

/** Shapes to run on, each with its launch: launches that differ in nothing that a sweep can see are one. */
function shapesOf({ blockShapes, launchValues, launchTypes }: Fn): (readonly [BlockShape, number?])[] {
  if (blockShapes.length === 0) return usualShapes.map((shape) => [shape]);
  const keys = blockShapes.map((shape, launch) =>
    JSON.stringify([shape, [...(launchValues?.[launch] ?? [])], [...(launchTypes?.[launch] ?? [])]]),
  );
  return blockShapes.map((shape, launch) => [shape, launch] as const).filter((_, at) => keys.indexOf(keys[at]!) === at);
}

function sweepFrom(
  fn: Fn,
  statements: readonly Stmt[],
  first: number,
  sweeps: readonly CompleteSweep[],
): { fact: SweepFact; last: number } | undefined {
  const known = fn.blockShapes.length > 0;
  const sweep = sweeps[0];
  if (
    !sweep ||
    sweeps.some((other) => other.last !== sweep.last || other.run.arrays.length !== sweep.run.arrays.length)
  )
    return undefined;
  const threads = (shape: BlockShape): number => shape[0] * shape[1] * shape[2];
  if (known && sweeps.some(({ frame }) => frame.threads % 32 !== 0 || frame.threads > 1024)) return undefined;
  if (sweeps.some((one) => one.run.arrays.some((array) => readsPartials(fn, one, array)))) return undefined;
  const region = { start: startWithPragmas(statements[first]!), end: statements[sweep.last]!.end };
  const array = sweep.run.arrays[0]!;
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
      array: sweep.run.arrays.map((one) => arrayName(one)).join(', '),
      operator: array.operator,
      direction: directionOf(sweep.swept) ?? 'halving',
      ...(sizes.size === 1 ? { blockThreads: [...sizes][0]! } : {}),
      ...(known && new Set(sweeps.map((one) => one.run.count)).size === 1 && !sweep.assumed.length
        ? { elements: sweep.run.count }
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
function stepsWithout({ run }: CompleteSweep): number {
  return Math.round(Math.log2(run.count)) - run.blockBarriers;
}

/** The head of the first loop or condition: what a reader takes for the sweep. */
function headerOf(stmt: Stmt): { readonly start: number; readonly end: number } {
  const { start } = stmt;
  if (stmt.kind === 'for') return { start, end: stmt.headerEnd };
  if (stmt.kind !== 'while' && stmt.kind !== 'if') return stmt;
  return { start, end: stmt.cond.macro ? stmt.end : stmt.cond.end + 1 };
}

/**
 * Runs statements from `first` on until every array they combine has its total in element 0. Where they name the block
 * they have to do so in a later block as well: `i % (2 * s)` over the whole grid is one thing in block 0, another in
 * the next.
 */
function completeFrom(
  fn: Fn,
  statements: readonly Stmt[],
  first: number,
  shape: BlockShape,
  launch: number | undefined,
): CompleteSweep | undefined {
  const sweep = runSweepIn(fn, statements, first, shape, launch, 0);
  if (!sweep || !mentionsBlock(fn.locals)) return sweep;
  const later = runSweepIn(fn, statements, first, shape, launch, laterBlock);
  return later && later.last === sweep.last && later.run.count === sweep.run.count ? sweep : undefined;
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
  launch: number | undefined,
  block: number,
): CompleteSweep | undefined {
  const threads = shape[0] * shape[1] * shape[2];
  if (!(threads > 0 && threads <= 1024)) return undefined;
  const frame = createFrame(fn, shape, launch, threads, block);
  for (let last = first; last < Math.min(statements.length, first + 40); last++) {
    // What stores nothing completes nothing.
    if (last > first && !some(statements[last]!, (node) => node.kind === 'assign' || node.kind === 'call')) continue;
    const swept = statements.slice(first, last + 1);
    const run = runSweep(swept, frame);
    if (run === 'unfinished') continue;
    // Kept for other blocks than this one, beside code that reduces this one otherwise.
    if (!run || !activeThreads(statements[first]!, frame).some(Boolean)) return undefined;
    // More than two warps' worth of elements need the block to meet: without that, the lanes of each warp work on a
    // segment.
    if (run.count > 64 && run.blockBarriers === 0) return undefined;
    // A sweep that is complete before its ladder ends (`if (blockSize >= 64)` not taken) is still complete.
    if (!directionOf(swept) && run.combines < 5) continue;
    const orders = [fn.locals.order(swept[0]!), lastOrder(swept.at(-1)!, fn.locals)] as const;
    const assumed = assumedIn(swept, frame);
    return { statements, first, last, swept, orders, frame, run, launch: launch ?? 0, assumed };
  }
  return undefined;
}

/** Names that no launch gives a value, of those that the statements and what they are computed from rest on. */
function assumedIn(swept: readonly Stmt[], frame: Frame): string[] {
  const { context, launchValues } = frame;
  const names = new Set<string>();
  const isPassed = (context.callSites ?? []).length > 0;
  for (const stmt of [...before(context, swept[0]!, swept).settings, ...swept])
    walk(stmt, (node) => {
      if (node.kind === 'member' && node.object.kind === 'name' && node.object.name === 'gridDim')
        names.add(`gridDim.${node.field}`);
      const local = node.kind === 'name' ? context.local(node) : undefined;
      const isOpen = local?.parameter?.type.kind === 'named' && !launchValues?.has(local.name);
      if (isOpen && !isPassed) names.add(local.name);
    });
  return [...names];
}

type Direction = SweepFact['direction'];

/** How the distance between elements changes, as far as the statements write it. */
function directionOf(swept: readonly Stmt[]): Direction | undefined {
  const found = new Set<Direction>();
  const usesModulo = (expr: Expr): boolean =>
    expr.kind === 'binary' && (/^[%&]$/.test(expr.op) || usesModulo(expr.left) || usesModulo(expr.right));
  for (const stmt of swept)
    walk(stmt, (node) => {
      if (node.kind === 'if')
        for (const part of conjuncts(node.cond)) {
          const value =
            part.kind === 'unary' && part.op === '!'
              ? part.operand
              : part.kind === 'binary' && /^[!=]=$/.test(part.op)
                ? part.left
                : undefined;
          if (value && usesModulo(value)) found.add('modulo');
        }
      if (node.kind !== 'assign' || node.target.kind !== 'name') return;
      const operator = node.op !== '=' ? node.op.slice(0, -1) : node.value.kind === 'binary' ? node.value.op : '';
      if (/^(>>|\/)$/.test(operator)) found.add('halving');
      if (/^(<<|\*)$/.test(operator) || node.op === '+=') found.add('doubling');
    });
  return (['modulo', 'doubling', 'halving'] as const).find((one) => found.has(one));
}

/** An expression in or around the sweep that is the thread's number in its block on every shape. */
function laneText(fn: Fn, sweeps: readonly CompleteSweep[]): string {
  const [begin, end] = sweeps[0]!.orders;
  const frames = sweeps.flatMap(({ frame }): Frame[] => {
    const launch = fn.launchValues?.indexOf(frame.launchValues!);
    return [0, laterBlock].map((block) => createFrame(fn, frame.shape, launch, undefined, block));
  });
  const isLane = (expr: Expr): boolean =>
    frames.every((frame) => {
      const value = evaluate(expr, frame);
      const lanes = Float64Array.from({ length: frame.threads }, (_, thread) => thread);
      return value !== undefined && equalValues(value, lanes, frame.threads);
    });
  const isLater = (part: AnySyntax): boolean => {
    const variable = part.kind === 'name' ? fn.local(part)?.variable : undefined;
    return !!variable && fn.locals.order(variable) > begin;
  };
  const isCandidate = (node: AnySyntax): node is Expr =>
    (/^(name|member|binary)$/.test(node.kind) || (node.kind === 'call' && node.callee.kind === 'member')) &&
    !some(node, isLater) &&
    /^[^\n;{}#]+$/.test(fn.text(node));
  const rank = ({ kind }: Expr): number => (kind === 'name' ? 0 : kind === 'member' ? 1 : 2);
  const candidates = fn.locals.nodes.slice(begin, end + 1).filter(isCandidate);
  const lane = candidates.sort((left, right) => rank(left) - rank(right)).find(isLane);
  if (lane) {
    const text = fn.text(lane);
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
