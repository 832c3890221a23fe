// Where one barrier orders a race: a place that all threads come to, tried on what the run wrote down.
import type { BlockStmt, Expr, FunctionDecl, Node, Stmt } from '../../syntax/ast';
import { childrenOf, isConditionLoop, once, walk, type AnySyntax } from '../language';
import { type AnyAccess, type TracedAccess, type TraceEvent, Taint, uncertain, type BranchRecord } from '../run';
import { findHazards, keyOfHazard, type Hazard, type Trial } from './hazards';
import { isWithin, nodeIn } from './untakenArms';

/** Before a statement of a block, or at the end of a loop's body. */
export interface Repair {
  readonly fn: FunctionDecl;
  /** Of the grid: a fence. */
  readonly scope: 'grid' | 'block' | 'warp';
  readonly before?: Stmt;
  /** The last statement before that one that touches shared memory: the barrier serves as well directly after it. */
  readonly after?: Stmt;
  readonly endOf?: Stmt;
}

/** Events that are visited again for all races of one run: a kernel of hundreds has fixes for the first ones. */
const mostReplayed = 12_000;

/** Runs what was written down again with a barrier: the keys of the races left; undefined once it was too often. */
type Replay = (trial: Trial) => ReadonlySet<string> | undefined;

export function createReplay(
  events: readonly TraceEvent[],
  threads: number,
  isHeld?: (access: TracedAccess) => boolean,
): Replay {
  const known = new Map<Stmt, { readonly scope: Trial['scope']; readonly left: ReadonlySet<string> }[]>();
  let spent = 0;
  return (trial) => {
    const place = (trial.before ?? trial.endOf)!;
    const tried = known.get(place) ?? [];
    known.set(place, tried);
    const before = tried.find(({ scope }) => scope === trial.scope);
    if (before) return before.left;
    if ((spent += events.length) > mostReplayed) return undefined;
    const left = new Set(findHazards(events, threads, { trial, ...(isHeld ? { isHeld } : {}) }).map(keyOfHazard));
    tried.push({ scope: trial.scope, left });
    return left;
  };
}

/** Undefined where no such place is known, or a barrier there does not order the two. */
export function repairOf(
  hazard: Hazard,
  kernel: FunctionDecl,
  events: readonly TraceEvent[],
  replay: Replay,
  branches: ReadonlyMap<Expr, BranchRecord>,
): Repair | undefined {
  const first = nodeIn(kernel, hazard.first);
  const second = nodeIn(kernel, hazard.second);
  if (!first || !second || !kernel.body || firstReturn(kernel.body) < second.start) return undefined;
  for (const trial of trialsOf(hazard, kernel, first, second, branches)) {
    const left = replay(trial);
    if (!left) return undefined;
    if (left.has(keyOfHazard(hazard))) continue;
    const after = trial.before && touchedBefore(trial.before, kernel, events);
    return after ? { ...trial, after } : trial;
  }
  return undefined;
}

/** Undefined where it copies asynchronously: the wait for the copy is between the two. */
function touchedBefore(stmt: Stmt, kernel: FunctionDecl, events: readonly TraceEvent[]): Stmt | undefined {
  let list: readonly Stmt[] = [];
  walk(kernel.body!, (node) => {
    if (node.kind === 'block' && node.body.includes(stmt)) list = node.body;
  });
  const accessesIn = (sibling: Stmt): AnyAccess[] =>
    events.filter(
      (event): event is AnyAccess =>
        (event.kind === 'access' || event.kind === 'scattered') && isWithin(nodeIn(kernel, event), sibling),
    );
  const touching = list.slice(0, list.indexOf(stmt)).findLast((sibling) => accessesIn(sibling).length > 0);
  return touching && accessesIn(touching).every(({ inFlight }) => !inFlight) ? touching : undefined;
}

/** Where the first `return` of a body begins: threads that returned come to no barrier after it. */
const firstReturn = once((body: Stmt): number => {
  let first = Number.POSITIVE_INFINITY;
  walk(body, (each) => {
    if (each.kind === 'return') first = Math.min(first, each.start);
  });
  return first;
});

function* trialsOf(
  { scope }: Hazard,
  fn: FunctionDecl,
  first: Node,
  second: Node,
  branches: ReadonlyMap<Expr, BranchRecord>,
): Generator<Trial> {
  const chain = evenChain(fn.body!, second, scope, branches);
  const isInside = (outer: Node, node: Node): boolean => outer.start <= node.start && node.end <= outer.end;
  for (const stmt of chain.toReversed()) {
    if (stmt.kind === 'block') {
      const before = stmt.body.find((child) => isInside(child, second));
      if (before && !before.macro && !isInside(before, first) && isInside(stmt, first) && first.start < second.start)
        yield { scope, fn, before };
    } else if (isConditionLoop(stmt) && isInside(stmt.body, first) && isInside(stmt.body, second) && !stmt.macro)
      yield { scope, fn, endOf: stmt };
  }
}

/** The statements around `node`, outermost first, as far as all threads of the block or warp go into them together. */
function evenChain(
  body: BlockStmt,
  node: Node,
  scope: 'block' | 'warp',
  branches: ReadonlyMap<Expr, BranchRecord>,
): Stmt[] {
  const isEven = (cond: Expr | undefined): boolean => {
    if (!cond) return true;
    const record = branches.get(cond);
    if (!record || record.uncertain || record.taint & uncertain) return false;
    return scope === 'block'
      ? !record.variesInBlock && !(record.taint & Taint.thread)
      : !record.variesInWarp && !record.comparesLanes;
  };
  const chain: Stmt[] = [];
  let at: AnySyntax | undefined = body;
  while (at) {
    if (at.kind === 'for' || at.kind === 'while' || at.kind === 'do' || at.kind === 'if') {
      if (!isEven(at.cond)) break;
    } else if (at.kind !== 'block') break;
    chain.push(at);
    at = childrenOf(at).find((child) => child.start <= node.start && node.end <= child.end);
  }
  return chain;
}
