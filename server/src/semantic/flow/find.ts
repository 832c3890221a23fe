// Finds the CUDA runtime's calls in host code, the loops around them, and what is known about moving them out.
import type { CallExpr, VarDecl } from '../../syntax/ast';
import type { RuntimeCallFact, Span } from '../model';
import {
  type Fn,
  calleeName,
  categoryOf,
  isOutputStream,
  isPrinting,
  partners,
  type AnySyntax,
  calledName,
} from '../language';
import { readsClock } from './callees';
import { type Called, launchesIn, loopRef, loopsAround, runtimeCallsOf, statementOf, type RuntimeCall } from './calls';
import type { Wait } from './copies';
import { findOnDefault } from './defaultStream';
import { bringsToHost } from './directions';
import { hostMemoryOf } from './hostMemory';
import { hoistOf, isInvariantIn, isWorthMoving, onEachTurn } from './hoist';
import { movedOut } from './moves';
import { numberOf, testOf } from './numbers';
import { callOnParts } from './parts';
import { placeOf } from './places';
import { peerLoopOf, waitOf } from './waits';
import { allocationWithin, cycleWithin, givesBack, ownerOf, waitWithin } from './within';

/** The runtime calls of a host function, in the order of the text. */
export function findRuntimeCalls(fn: Fn): RuntimeCallFact[] {
  if (!fn.decl.body || fn.decl.global || (fn.decl.device && !fn.decl.host)) return [];
  const calls = runtimeCallsOf(fn);
  const waits = calls.map((one) => (one.loops.length > 0 ? waitOf(one, calls, fn) : undefined));
  const memory = hostMemoryOf(calls, fn);
  const own = calls.map((one, place): RuntimeCallFact => {
    const hoist = one.loops.length ? hoistOf(one, calls, fn) : undefined;
    const { moves, ...wait } = waits[place] ?? {};
    // Those of one kind in one loop have one precondition, and are moved together.
    const isAlike = (other: RuntimeCall, at: number): boolean =>
      other.loops[0] === one.loops[0] &&
      other.category === one.category &&
      (waits[at]?.overwritten === undefined) === (waits[place]?.overwritten === undefined);
    const alike = calls.flatMap((other, at) => (isAlike(other, at) && waits[at]?.moves ? [waits[at].moves] : []));
    // Beside a copy that stays the host waits all the same.
    const isBeside = calls.some(
      (other, at) => other.loops[0] === one.loops[0] && !waits[at]?.moves && bringsToHost(other, fn),
    );
    const moved = moves && !(one.category === 'copy' && isBeside) && movedOut(alike, one.loops[0]!, fn);
    const peers = peerLoopOf(one, calls, fn);
    const loops = peers ? one.loops.slice(one.loops.indexOf(peers)) : one.loops;
    const known = peers ? { needed: true, ofDevices: true } : waits[place] && (wait as Wait);
    const fact = factOf({ ...one, loops }, known, fn);
    const ofHost = memory.get(one);
    return {
      ...fact,
      ...(ofHost && { ofHost }),
      ...(moved && { wait: { ...fact.wait!, ...moved } }),
      ...(hoist ? { hoist } : {}),
    };
  });
  const through = [...memory].flatMap(([one, ofHost]) =>
    calls.includes(one) ? [] : [{ ...factOf(one, undefined, fn), ofHost }],
  );
  return [...own, ...through, ...findWithin(calls, fn), ...findOnDefault(fn)].sort((a, b) => a.at.start - b.at.start);
}

function factOf(one: RuntimeCall, wait: RuntimeCallFact['wait'], fn: Fn): RuntimeCallFact {
  const number = wait?.needed ? numberOf(one, fn) : undefined;
  return {
    kind: 'runtime-call',
    at: fn.span(one.call),
    statementAt: fn.span(one.written),
    name: one.name,
    category: one.category,
    ...(one.through ? { through: one.through } : {}),
    loops: one.loops.map((loop) => loopRef(loop, fn)),
    function: fn.decl.name,
    ...(wait ? { wait: number === undefined ? wait : { ...wait, number } } : {}),
  };
}

/** What the iterations of loops do to the runtime by functions that launch and wait, and by objects that own memory. */
function findWithin(calls: readonly RuntimeCall[], fn: Fn): RuntimeCallFact[] {
  const facts: RuntimeCallFact[] = [];
  for (const node of fn.locals.nodes) {
    if (node.kind === 'call') {
      const loops = loopsAround(node, fn);
      const through = calledName(node);
      if (!loops[0] || through === undefined || categoryOf(through) !== undefined) continue;
      const called = { call: node, loops, ...statementOf(node, through, fn) };
      const one = { ...called, through, stays: true };
      const launching = launchAndWait(one, fn);
      const wait = launching && waitOf(launching, calls, fn);
      if (launching && wait?.needed === false) facts.push(factOf(launching, wait, fn));
      if (!onEachTurn(node, loops[0], fn)) continue;
      const onParts = callOnParts(called, fn);
      if (onParts) facts.push(factOf(onParts, { needed: true, ofParts: true }, fn));
      const test = testOf(one, fn);
      if (test) facts.push(factOf(test[0], { needed: true, number: test[1] }, fn));
      const pair = pairedOf(one, calls, fn) ?? cycleOf(one, calls, fn);
      if (pair) facts.push(pair);
    } else if (node.kind === 'var') {
      const fact = ownedOf(node, calls, fn);
      if (fact) facts.push(fact);
    }
  }
  return facts;
}

function launchAndWait(one: Called, fn: Fn): RuntimeCall | undefined {
  const waits = waitWithin(one.call, fn);
  if (!waits || waits.only || (waits.stream && !isInvariantIn(waits.stream, one.loops[0]!, fn))) return undefined;
  return { ...one, name: waits.name, category: 'synchronise' };
}

/** An object in a loop that owns memory: `Buffer<float> partial(n);`. */
function ownedOf(variable: VarDecl, calls: readonly RuntimeCall[], fn: Fn): RuntimeCallFact | undefined {
  const loop = loopsAround(variable, fn)[0];
  const owner = loop && onEachTurn(variable, loop, fn) ? ownerOf(variable, fn) : undefined;
  if (!loop || !owner) return undefined;
  const end = fn.span({ start: loop.body.end - 1, end: loop.body.end });
  const why = `\`${variable.name}\` lives for one iteration`;
  return allocationFact([variable, owner.allocates, owner.name, why, end], calls, fn);
}

/** Functions of the program that make memory and give it back in one iteration: `p = makeArray(n); … release(p);`. */
function pairedOf(
  { call, through, loops }: Called,
  calls: readonly RuntimeCall[],
  fn: Fn,
): RuntimeCallFact | undefined {
  const loop = loops[0]!;
  const allocation = allocationWithin(call, fn);
  const place = allocation === undefined ? undefined : placeMade(call, fn);
  if (allocation === undefined || place === undefined) return undefined;
  const end = fn.locals.nodes.find(
    (node): node is CallExpr =>
      node.kind === 'call' &&
      fn.isInside(node, loop) &&
      fn.locals.order(node) > fn.locals.order(call) &&
      onEachTurn(node, loop, fn) &&
      node.args.some((arg) => placeOf(arg) === place) &&
      givesBack(node, allocation, fn),
  );
  if (!end) return undefined;
  const why = `\`${through}\` makes it`;
  return allocationFact([call, allocation, through, why, fn.span(end)], calls, fn);
}

/** A function that takes memory, or makes a stream, and gives it back before it returns: its size stays. */
function cycleOf({ call, through, loops }: Called, calls: readonly RuntimeCall[], fn: Fn): RuntimeCallFact | undefined {
  const cycle = cycleWithin(call, fn);
  if (!cycle?.sizes.every((size) => isInvariantIn(size, loops[0]!, fn))) return undefined;
  // Work that it repeats pays for what it takes.
  const maker = cycle.makers[0]!;
  const repeats = launchesIn(maker.decl.body!, maker).some((one) => loopsAround(one, maker).length > 0);
  // Events by which a function times itself are no work of the loop.
  const isTimer =
    partners.get(cycle.name)!.category === 'create' && maker.locals.nodes.some((node) => readsClock(node, maker));
  if (repeats || isTimer || cycle.makers.some(printsResults)) return undefined;
  return allocationFact([call, cycle.name, through, 'the function gives it back', cycle.endAt], calls, fn);
}

/** Prints each element of something, which takes longer than memory does: an experiment. */
function printsResults(fn: Fn): boolean {
  return fn.locals.nodes.some((node) => {
    const prints =
      node.kind === 'call' ? isPrinting(calleeName(node) ?? '') : node.kind === 'name' && isOutputStream(node.name);
    const loop = prints && !node.macro ? loopsAround(node, fn)[0] : undefined;
    return !!loop && onEachTurn(node, loop, fn);
  });
}

/** Where the memory goes that a call makes: `p = make(n)`, `float *p = make(n)`, `make(&p, n)`. */
function placeMade(call: CallExpr, fn: Fn): string | undefined {
  let around: AnySyntax | undefined;
  for (around of fn.around(call)) if (around.kind !== 'cast') break;
  if (around?.kind === 'var') return around.name;
  if (around?.kind === 'assign') return placeOf(around.target);
  const given = call.args.map((arg) => (arg.kind === 'cast' ? arg.operand : arg));
  const address = given.find((arg) => arg.kind === 'unary' && arg.op === '&');
  return address?.kind === 'unary' ? placeOf(address.operand) : undefined;
}

type Allocation = readonly [node: VarDecl | CallExpr, name: string, through: string, why: string, partnerAt: Span];

function allocationFact(
  [node, name, through, why, partnerAt]: Allocation,
  calls: readonly RuntimeCall[],
  fn: Fn,
): RuntimeCallFact | undefined {
  const loops = loopsAround(node, fn);
  if (!isWorthMoving(loops[0]!, calls, fn)) return undefined;
  const at = fn.span(node.kind === 'var' ? { start: node.nameStart, end: node.end } : node);
  return {
    kind: 'runtime-call',
    at,
    statementAt: at,
    name,
    category: partners.get(name)!.category,
    through,
    loops: loops.map((each) => loopRef(each, fn)),
    function: fn.decl.name,
    hoist: { safe: false, why, edits: [], partnerAt },
  };
}
