// From what the runs recorded to the facts that rules and people read.
import type { Expr, FunctionDecl, Node, SourceFile, Stmt } from '../syntax/ast';
import type { BranchRecord, LoopSeen } from './interpreter';
import type { AccessSummary, KernelRun } from './kernelRuns';
import type {
  AccessCause,
  AccessFact,
  BarrierFact,
  BranchCost,
  BranchFact,
  LoopRef,
  Reason,
  Span,
  Variance,
} from './model';
import type { Program } from './program';
import { assignedNames, childrenOf, mentions, walk } from './syntaxFacts';
import { trailOf } from './trail';
import { sizeOf, typeName } from './types';
import { Taint } from './values';

/** Turns nodes into spans and text of the files as they stand now: a cached run may be older than the text before its function. */
export interface Locator {
  span(fn: FunctionDecl, node: Node): Span;
  text(fn: FunctionDecl, node: Node): string;
  file(fn: FunctionDecl): SourceFile | undefined;
  current(fn: FunctionDecl): FunctionDecl;
  /** Is a function with this key still there, unchanged? */
  knows(key: string): boolean;
}

export function createLocator(program: Program): Locator {
  const byKey = new Map<string, FunctionDecl>();
  const keys = new Set<string>();
  for (const fn of program.allFunctions()) {
    byKey.set(`${fn.uri}\n${fn.key}`, fn);
    keys.add(fn.key);
  }
  const files = new Map(program.unit.files.map((file) => [file.uri, file]));
  const current = (fn: FunctionDecl): FunctionDecl => byKey.get(`${fn.uri}\n${fn.key}`) ?? fn;
  return {
    current,
    knows: (key) => keys.has(key),
    file: (fn) => files.get(fn.uri),
    span(fn, node) {
      const base = current(fn).base;
      return { uri: fn.uri, start: base + node.start, end: base + node.end };
    },
    text(fn, node) {
      const base = current(fn).base;
      return files.get(fn.uri)?.text.slice(base + node.start, base + node.end) ?? '';
    },
  };
}

function loopRefs(loops: readonly LoopSeen[], locate: Locator): LoopRef[] {
  return loops.map((loop) => {
    const text = locate.text(loop.fn, loop.stmt);
    const header = /^[^{\n]*/.exec(text)?.[0]?.trim() ?? '';
    return {
      at: locate.span(loop.fn, loop.stmt),
      text: header.slice(0, 100),
      ...(loop.variable ? { variable: loop.variable } : {}),
      ...(loop.trips === undefined ? {} : { trips: loop.trips }),
    };
  });
}

const unpredictable = Taint.loaded | Taint.hash;

function shapeAssumptions(run: KernelRun): string[] {
  const assumed: string[] = [];
  const guessed = run.shapes.find((shape) => shape.assumed);
  if (guessed)
    assumed.push(
      `a block of ${guessed.block.filter((extent, at) => at === 0 || extent > 1).join(' × ')} threads, since no launch in sight fixes it`,
    );
  else if (run.shapes.some((shape) => !shape.exact))
    assumed.push(
      `a block of ${run.shapes[0]!.block.filter((extent, at) => at === 0 || extent > 1).join(' × ')} threads, which hangs on run-time values`,
    );
  return assumed;
}

/** What a fix of an access or branch would rest on, found when there is something to mend. */
export interface FixFacts {
  ofAccess(fact: AccessFact, summary: AccessSummary, run: KernelRun): Pick<AccessFact, 'chunk' | 'tile' | 'swap'>;
  ofBranch(fn: FunctionDecl, statement: Stmt, fact: BranchFact): Pick<BranchFact, 'select' | 'warpSplit'>;
}

export function accessFacts(run: KernelRun, locate: Locator, fixes: FixFacts, uri: string): AccessFact[] {
  const facts: AccessFact[] = [];
  const shape = shapeAssumptions(run);
  const name = run.kernel.name;
  for (const summary of run.accesses) {
    const { record, sums } = summary;
    // What a header's function does is told where this file calls it.
    const called = record.fn.uri !== uri && run.kernel.uri === uri ? record.via : undefined;
    if (record.space === 'unknown' || record.space === 'local' || (record.fn.uri !== uri && !called)) continue;
    const expr = record.expr;
    const warps = Math.max(1, sums.warps);
    const shared = record.space === 'shared';
    const varying =
      summary.stride !== 0 &&
      (summary.stride !== undefined ||
        (record.sample?.addresses.some((address) => address !== record.sample!.addresses[0]) ?? false));
    const isGather =
      !shared &&
      varying &&
      ((summary.taint & unpredictable) !== 0 ||
        ((summary.taint & Taint.float) !== 0 &&
          (summary.taint & (Taint.chosen | Taint.loadedUniform | Taint.assumed | Taint.maybe)) !== 0));
    const fused = sums.warps === 0;
    const ratio = shared
      ? sums.wavefronts / Math.max(1, sums.wavefrontsIdeal)
      : sums.sectors / Math.max(1, sums.sectorsIdeal);
    const assumed = [...shape];
    if (varying && summary.taint & Taint.unknownStride && !isGather)
      assumed.push(summary.strideName ? `${summary.strideName} of 32 bytes or more` : 'a stride of 32 bytes or more');
    if (summary.aligned) assumed.push('rows start at multiples of 32 bytes');
    if (summary.taint & (Taint.maybe | Taint.assumed) && varying)
      assumed.push('usual values where nothing in sight fixes them');
    if (summary.shadow) assumed.push('threads reach it');
    if (summary.byData) assumed.push('every lane comes here, which data decide');
    if (sizeOf(record.type) === undefined) assumed.push(`${typeName(record.type)} has 4 bytes`);
    if (shared && summary.taint & unpredictable && varying) assumed.push('an index that was loaded');
    const cause = isGather ? 'gather' : ratio >= 1.1 ? causeOf(summary, run) : undefined;
    const at = called ? locate.span(run.kernel, called) : locate.span(record.fn, record.node);
    const declared = record.base.declaration;
    const base = locate.current(record.fn).base;
    const file = locate.file(record.fn);
    const trail =
      expr && varying && ratio >= 1.1
        ? trailOf(
            record.fn,
            indexOf(expr),
            base,
            (start, end) => file?.text.slice(base + start, base + end) ?? '',
            isGather && !(summary.taint & Taint.float),
          )
        : [];
    const fact: AccessFact = {
      kind: 'access',
      at,
      text: called ? locate.text(run.kernel, called) : locate.text(record.fn, record.node),
      kernels: [name],
      space: record.space,
      mode: record.mode,
      elementBytes: record.bytes,
      elementType: typeName(record.type),
      array: {
        name: record.base.name,
        ...(declared
          ? {
              at: declared.fn
                ? locate.span(declared.fn, declared.node)
                : { uri: declared.uri, start: declared.node.start, end: declared.node.end },
            }
          : {}),
        ...(record.base.type && sizeOf(record.base.type) !== undefined && record.base.type.kind === 'array'
          ? { bytes: sizeOf(record.base.type)! }
          : {}),
      },
      ...(shared && !fused && !(varying && summary.taint & Taint.unknownStride)
        ? { wavefronts: sums.wavefronts / warps, wavefrontsIdeal: sums.wavefrontsIdeal / warps }
        : {}),
      ...(!shared && !isGather && record.space !== 'constant'
        ? { sectors: sums.sectors / warps, sectorsIdeal: sums.sectorsIdeal / warps }
        : {}),
      ...(typeof summary.stride === 'number' && !isGather && !(summary.taint & Taint.unknownStride)
        ? { laneStride: summary.stride }
        : {}),
      ...(varying && summary.taint & Taint.unknownStride ? { unknownStride: summary.strideName ?? '?' } : {}),
      ...(isGather
        ? {
            gather: {
              text: locate.text(record.fn, expr ? indexOf(expr) : record.node),
              at: expr ? locate.span(record.fn, indexOf(expr)) : at,
              sectorsAtMost: gatherAtMost(summary),
              reason:
                summary.taint & Taint.loaded
                  ? ('loaded' as const)
                  : summary.taint & Taint.hash
                    ? ('hash' as const)
                    : ('floating-point' as const),
            },
          }
        : {}),
      ...(cause ? { cause } : {}),
      activeLanes: fused ? 32 : sums.lanes / warps,
      executions: fused ? 0 : sums.warps,
      assumed: [...new Set(assumed)],
      trail,
      loops: loopRefs(record.loops, locate),
      ...(record.via ? { via: locate.span(run.kernel, record.via) } : {}),
    };
    facts.push(ratio >= 1.3 && !isGather ? { ...fact, ...fixes.ofAccess(fact, summary, run) } : fact);
  }
  return facts;
}

/** The most sectors a gather asks for: as seen, or one for each lane where the index wanders with the turns of a loop that data end. */
function gatherAtMost(summary: AccessSummary): number {
  const { record, sums } = summary;
  const warps = Math.max(1, sums.warps);
  const seen = sums.sectors / warps;
  const wanders =
    record.expr &&
    (record.pieces > 1 ||
      record.loops.some(
        (loop) =>
          loop.byData &&
          loop.fn === record.fn &&
          [...assignedNames(loop.stmt)].some((name) => mentions(indexOf(record.expr!), name)),
      ));
  return wanders ? Math.max(seen, (sums.lanes / warps) * Math.max(1, Math.ceil(record.bytes / 32))) : seen;
}

/** The index (or address) of an access, as an expression. */
function indexOf(expr: Expr): Expr {
  switch (expr.kind) {
    // `tail[9]`: what varies is where `tail` points.
    case 'index':
      return expr.index.kind === 'number' ? expr.base : expr.index;
    case 'member':
      return indexOf(expr.object);
    case 'unary':
      return expr.operand;
    default:
      return expr;
  }
}

/** Names the reason for excess, for people: figures never hang on it. */
function causeOf(summary: AccessSummary, run: KernelRun): AccessCause {
  const { record, sums } = summary;
  if (record.space !== 'shared' && onlyMisaligned(summary)) return 'misaligned';
  const lanes = sums.lanes / Math.max(1, sums.warps);
  const blockX = run.shapes[0]?.block[0] ?? 32;
  const blockThreads = (run.shapes[0]?.block ?? [32, 1, 1]).reduce((a, b) => a * b, 1);
  const stride = summary.stride;
  if (record.space === 'shared') {
    if (walksDown(summary)) return 'bank-column';
    if (record.bytes > 4) return 'bank-wide';
    return typeof stride === 'number' ? 'bank-stride' : 'other';
  }
  if (lanes <= 4) return 'few-lanes';
  const expr = record.expr;
  if (record.pieces > 1 || (record.type.kind === 'struct' && record.type.vector)) return 'vector-type';
  if (expr?.kind === 'member' && expr.object.kind !== 'name') {
    const container = record.base.type;
    if (container?.kind === 'struct' || (container?.kind === 'array' && container.of.kind === 'struct')) {
      const size = sizeOf(container.kind === 'array' ? container.of : container);
      if (stride === size)
        return container.kind === 'struct' && container.vector === 3 ? 'vector-type' : 'struct-field';
    }
  }
  const inChunk = record.loops.find(
    (loop) => loop.stmt.kind === 'for' && loop.variable && expr && mentions(indexOf(expr), loop.variable),
  );
  if (typeof stride === 'number') {
    if (inChunk && inChunk.stmt.kind === 'for' && startsPerThread(inChunk.stmt)) return 'chunk-per-thread';
    if (inChunk && Math.abs(stride) >= 32 && Math.abs(stride) > record.bytes) return 'row-per-thread';
    if (blockX >= 32 && usesAxis(expr, record.fn, 'y') && Math.abs(stride) >= 32) return 'slow-axis';
    return 'stride';
  }
  if (blockX > 1 && runsDown(summary, blockX)) return 'slow-axis';
  // Where even the lanes of one row are apart, a wider block would not help.
  if (blockX > 1 && blockX < 32 && stepInRow(summary) > record.bytes)
    return summary.taint & Taint.unknownStride && stepInRow(summary) >= 4096 ? 'stride' : 'other';
  if (blockX < 32 && blockThreads > blockX)
    return sums.sectors / Math.max(1, sums.sectorsIdeal) < 1.3 ? 'misaligned' : 'narrow-block';
  if (lanes < 8) return 'few-lanes';
  if (summary.taint & Taint.unknownStride) return inChunk ? 'row-per-thread' : 'stride';
  return sums.sectors / Math.max(1, sums.sectorsIdeal) < 1.3 ? 'misaligned' : 'other';
}

/** Would the same runs of neighbouring bytes cost the ideal if each started at a sector's edge? */
function onlyMisaligned(summary: AccessSummary): boolean {
  const { sample, bytes } = summary.record;
  if (!sample) return false;
  const sorted = [...sample.addresses].sort((a, b) => a - b);
  let needed = 0;
  let start = sorted[0]!;
  let end = start + bytes;
  for (const address of sorted.slice(1)) {
    if (address <= end) end = Math.max(end, address + bytes);
    else {
      needed += Math.ceil((end - start) / 32);
      start = address;
      end = address + bytes;
    }
  }
  needed += Math.ceil((end - start) / 32);
  const ideal = Math.max(1, Math.ceil((sample.count * bytes) / 32));
  let runs = 1;
  sorted.forEach((address, at) => {
    if (at && address > sorted[at - 1]! + bytes) runs++;
  });
  // Each run of neighbouring bytes can cost one sector more, no more: what costs beyond that has another cause in other warps.
  return (
    needed <= 1.05 * ideal &&
    summary.sums.sectors / Math.max(1, summary.sums.sectorsIdeal) <= (1.05 * (needed + runs)) / ideal
  );
}

/** Bytes from the first lane seen to its neighbour. */
function stepInRow(summary: AccessSummary): number {
  const { sample } = summary.record;
  return sample && sample.count > 1 && sample.lanes[1] === sample.lanes[0]! + 1
    ? Math.abs(sample.addresses[1]! - sample.addresses[0]!)
    : 0;
}

/** Does x step over rows while y steps along them? */
function runsDown(summary: AccessSummary, blockX: number): boolean {
  const { sample, bytes } = summary.record;
  if (!sample || sample.count < 32 || blockX >= 32) return false;
  const alongX = sample.addresses[1]! - sample.addresses[0]!;
  const alongY = sample.addresses[blockX]! - sample.addresses[0]!;
  return Math.abs(alongX) >= 32 && Math.abs(alongY) === bytes;
}

function startsPerThread(stmt: Stmt & { kind: 'for' }): boolean {
  const init = stmt.init;
  const value =
    init?.kind === 'decl'
      ? init.vars[0]?.init
      : init?.kind === 'expr' && init.expr.kind === 'assign'
        ? init.expr.value
        : undefined;
  if (!value || value.kind === 'number') return false;
  // A chunk is walked element by element; a step of the whole grid makes neighbours of neighbouring threads.
  const step = stmt.step;
  return step?.kind === 'update' || (step?.kind === 'assign' && step.op === '+=' && step.value.kind === 'number');
}
/** Do neighbouring lanes stand in different rows of an array of rows? */
function walksDown(summary: AccessSummary): boolean {
  const { base, sample } = summary.record;
  const row = base.type?.kind === 'array' && base.type.of.kind === 'array' ? sizeOf(base.type.of) : undefined;
  if (!row || !sample || sample.count < 2) return false;
  const step = sample.addresses[1]! - sample.addresses[0]!;
  // A row of an odd number of words is padded already: what conflict is left has another pattern.
  return step !== 0 && step % row === 0 && row % 8 === 0;
}
function usesAxis(expr: Expr | undefined, fn: FunctionDecl, axis: string): boolean {
  if (!expr || !fn.body) return false;
  let found = false;
  walk(fn.body, (node) => {
    if (
      node.kind === 'member' &&
      node.object.kind === 'name' &&
      node.object.name === 'threadIdx' &&
      node.field === axis
    )
      found = true;
    return !found;
  });
  return found;
}

// ---- branches ----------------------------------------------------------------------------------------------------------

const costs = new WeakMap<object, BranchCost>();
/** What an arm does, loops multiplied by at most eight turns. */
export function costOf(stmt: Stmt | Expr): BranchCost {
  const known = costs.get(stmt);
  if (known) return known;
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
        else {
          cost.calls += weight;
          cost.operations += weight * 4;
        }
        break;
      case 'for':
      case 'while':
      case 'do':
      case 'rangeFor':
        cost.loops++;
        inner = Math.min(64, weight * 8);
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
  costs.set(stmt, cost);
  return cost;
}
function weightOf(cost: BranchCost | undefined): number {
  return cost ? cost.operations + 4 * (cost.loads + cost.stores) + 10 * cost.calls : 0;
}

export function branchFacts(run: KernelRun, locate: Locator, fixes: FixFacts, uri: string): BranchFact[] {
  const shape = shapeAssumptions(run);
  const facts: BranchFact[] = [];
  for (const record of run.branches) {
    const under = armOf(record);
    if (!under || record.fn.uri !== uri) continue;
    const cost = costOf(under);
    const elseStmt =
      record.statement.kind === 'if'
        ? record.statement.else
        : record.statement.kind === 'conditional'
          ? record.statement.else
          : undefined;
    const otherwise = elseStmt ? costOf(elseStmt) : undefined;
    const variance = varianceOf(record);
    const thenWeight = weightOf(cost);
    const elseWeight = weightOf(otherwise);
    const spent = thenWeight * record.thenBefore + elseWeight * record.elseBefore;
    const lost =
      thenWeight * (record.thenBefore - record.thenActive) + elseWeight * (record.elseBefore - record.elseActive);
    const base = locate.current(record.fn).base;
    const file = locate.file(record.fn);
    const text = (start: number, end: number): string => file?.text.slice(base + start, base + end) ?? '';
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
      boundaryGuard: isBoundaryGuard(record),
      singleLane,
      ...(record.variesInBlock &&
      !record.uncertain &&
      record.mostThreads === record.mostLanes &&
      run.shapes.every((shape) => shape.block[0] * shape.block[1] * shape.block[2] >= 128)
        ? { oneWarp: true }
        : {}),
      ...(record.uncertain || !record.warps
        ? {}
        : { splitShare: record.splits / record.warps, lostShare: spent > 0 ? lost / spent : 0 }),
      ...(lanePattern(record, locate) ?? {}),
      under: cost,
      ...(otherwise ? { otherwise } : {}),
      trail:
        variance === 'thread-varying' || dataDependent
          ? trailOf(record.fn, record.cond, base, text, dataDependent)
          : [],
      loops: loopRefs(record.loops, locate),
      assumed: shape,
    };
    facts.push(
      isStatement(record.statement) ? { ...fact, ...fixes.ofBranch(record.fn, record.statement, fact) } : fact,
    );
  }
  return facts;
}

function isStatement(statement: Stmt | Expr): statement is Stmt {
  return (
    statement.kind === 'if' ||
    statement.kind === 'for' ||
    statement.kind === 'while' ||
    statement.kind === 'do' ||
    statement.kind === 'switch'
  );
}

function armOf(record: BranchRecord): Stmt | Expr | undefined {
  const { statement } = record;
  switch (statement.kind) {
    case 'if':
      return statement.then;
    case 'for':
    case 'while':
    case 'do':
    case 'switch':
      return statement.body;
    case 'conditional':
      return statement.then;
    default:
      return undefined;
  }
}

function varianceOf(record: BranchRecord): Variance {
  if (record.variesInWarp || (record.uncertain && record.taint & (Taint.loaded | Taint.hash))) return 'thread-varying';
  if (record.variesInBlock) return 'warp-uniform';
  if (record.taint & Taint.thread)
    return record.taint & (Taint.chosen | Taint.loadedUniform) ? 'thread-varying' : 'warp-uniform';
  if (record.taint & (Taint.block | Taint.loadedUniform)) return 'block-uniform';
  return record.taint & Taint.chosen ? 'grid-uniform' : 'constant';
}

/** `i < n` and its like: an ordering against something uniform that all modelled lanes pass, or a return of those that do not. */
function isBoundaryGuard(record: BranchRecord): boolean {
  if (isTail(record)) return true;
  if (record.form !== 'if' && record.form !== 'conditional') return false;
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

/** The end of a loop whose threads step over one another, `for (i = tid; i < n; i += blockDim.x)`: only its last turn is uneven, and nothing mends that. */
function isTail(record: BranchRecord): boolean {
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

function stepsOverBlock(step: Expr): boolean {
  let found = false;
  walk(step, (node) => {
    if (
      node.kind === 'member' &&
      node.object.kind === 'name' &&
      (node.object.name === 'blockDim' || node.object.name === 'gridDim')
    )
      found = true;
  });
  return found;
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

export function barrierFacts(run: KernelRun, locate: Locator): BarrierFact[] {
  return run.barriers.map((record) => {
    const reason = (of: { cond: Expr; fn: FunctionDecl }): { at: Span; text: string; trail: readonly Reason[] } => {
      const base = locate.current(of.fn).base;
      const file = locate.file(of.fn);
      return {
        at: locate.span(of.fn, of.cond),
        text: locate.text(of.fn, of.cond),
        trail: trailOf(of.fn, of.cond, base, (start, end) => file?.text.slice(base + start, base + end) ?? ''),
      };
    };
    return {
      kind: 'barrier',
      at: locate.span(record.fn, record.node),
      name: record.name,
      kernels: [run.kernel.name],
      scope: record.scope,
      ...(record.under ? { under: reason(record.under) } : {}),
      ...(record.afterReturn ? { afterReturn: reason(record.afterReturn) } : {}),
      proven: record.proven,
    };
  });
}
