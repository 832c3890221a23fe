// Finds the CUDA runtime's calls in host code, the loops around them, and what is known about moving them out.
import type { CallExpr, VarDecl } from '../../syntax/ast';
import type { RuntimeCallFact, Span } from '../model';
import { type FunctionContext, spanOf, categoryOf, ancestorsOf, isInside, localsOf, type AnySyntax } from '../language';
import { calledName } from './callees';
import { loopRef, loopsAround, runtimeCallsOf, statementOf, type HostLoop, type RuntimeCall } from './calls';
import type { Wait } from './copies';
import { directionOf } from './directions';
import { hoistOf, isWorthMoving } from './hoist';
import { movedOut } from './moves';
import { numberOf } from './numbers';
import { placeOf } from './places';
import { waitOf } from './waits';
import { allocationWithin, givesBack, ownerOf, waitWithin } from './within';

/** The runtime calls of a host function, in the order of the text. */
export function findRuntimeCalls(context: FunctionContext): RuntimeCallFact[] {
  const { fn } = context;
  if (!fn.body || fn.global || (fn.device && !fn.host)) return [];
  const calls = runtimeCallsOf(context);
  const waits = calls.map((one) => (one.loops.length > 0 ? waitOf(one, calls, context) : undefined));
  const own = calls.map((one, place): RuntimeCallFact => {
    const hoist = one.loops.length ? hoistOf(one, calls, context) : undefined;
    const { moves, ...wait } = waits[place] ?? {};
    // Those of one kind in one loop have one precondition, and are moved together.
    const isAlike = (other: RuntimeCall, at: number): boolean =>
      other.loops[0] === one.loops[0] &&
      other.category === one.category &&
      (waits[at]?.overwritten === undefined) === (waits[place]?.overwritten === undefined);
    const alike = calls.flatMap((other, at) => (isAlike(other, at) && waits[at]?.moves ? [waits[at].moves] : []));
    // Beside a copy that stays the host waits all the same.
    const isBeside = calls.some(
      (other, at) =>
        other.loops[0] === one.loops[0] &&
        other.category === 'copy' &&
        !waits[at]?.moves &&
        directionOf(other, context) === 'to-host',
    );
    const moved = moves && !(one.category === 'copy' && isBeside) && movedOut(alike, one.loops[0]!, context);
    const fact = factOf(one, waits[place] && (wait as Wait), context);
    return { ...fact, ...(moved && { wait: { ...fact.wait!, ...moved } }), ...(hoist ? { hoist } : {}) };
  });
  return [...own, ...findWithin(calls, context)].sort((a, b) => a.at.start - b.at.start);
}

function factOf(one: RuntimeCall, wait: RuntimeCallFact['wait'], context: FunctionContext): RuntimeCallFact {
  const number = wait?.needed ? numberOf(one, context) : undefined;
  return {
    kind: 'runtime-call',
    at: spanOf(context, one.call),
    statementAt: spanOf(context, one.written),
    name: one.name,
    category: one.category,
    ...(one.through ? { through: one.through } : {}),
    loops: one.loops.map((loop) => loopRef(loop, context)),
    function: context.fn.name,
    ...(wait ? { wait: number === undefined ? wait : { ...wait, number } } : {}),
  };
}

/** What the iterations of loops do to the runtime by functions that launch and wait, and by objects that own memory. */
function findWithin(calls: readonly RuntimeCall[], context: FunctionContext): RuntimeCallFact[] {
  const facts: RuntimeCallFact[] = [];
  for (const node of localsOf(context.fn).nodes) {
    if (node.kind === 'call') {
      const launching = launchAndWait(node, context);
      const wait = launching && waitOf(launching, calls, context);
      if (launching && wait?.needed === false) facts.push(factOf(launching, wait, context));
      const pair = pairedOf(node, calls, context);
      if (pair) facts.push(pair);
    } else if (node.kind === 'var') {
      const fact = ownedOf(node, calls, context);
      if (fact) facts.push(fact);
    }
  }
  return facts;
}

function launchAndWait(call: CallExpr, context: FunctionContext): RuntimeCall | undefined {
  const through = calledName(call);
  if (through === undefined || categoryOf(through) !== undefined) return undefined;
  const loops = loopsAround(call, context);
  const waits = loops.length > 0 ? waitWithin(call, context) : undefined;
  if (!waits || waits.only) return undefined;
  return {
    call,
    name: waits.name,
    category: 'synchronise',
    through,
    stays: true,
    ...statementOf(call, through, context),
    loops,
  };
}

/** An object in a loop that owns memory: `Buffer<float> partial(n);`. */
function ownedOf(
  variable: VarDecl,
  calls: readonly RuntimeCall[],
  context: FunctionContext,
): RuntimeCallFact | undefined {
  const loop = loopsAround(variable, context)[0];
  const owner = loop && runsEach(variable, loop, context) ? ownerOf(variable, context) : undefined;
  if (!loop || !owner) return undefined;
  const end = spanOf(context, { start: loop.body.end - 1, end: loop.body.end });
  const why = `\`${variable.name}\` lives for one iteration`;
  return allocationFact([variable, owner.allocates, owner.name, why, end], calls, context);
}

/** Functions of the program that make memory and give it back in one iteration: `p = makeArray(n); … release(p);`. */
function pairedOf(
  call: CallExpr,
  calls: readonly RuntimeCall[],
  context: FunctionContext,
): RuntimeCallFact | undefined {
  const through = calledName(call);
  if (through === undefined || categoryOf(through) !== undefined) return undefined;
  const loop = loopsAround(call, context)[0];
  const allocation = loop && runsEach(call, loop, context) ? allocationWithin(call, context) : undefined;
  const place = allocation === undefined ? undefined : placeMade(call, context);
  if (!loop || allocation === undefined || place === undefined) return undefined;
  const locals = localsOf(context.fn);
  const end = locals.nodes.find(
    (node): node is CallExpr =>
      node.kind === 'call' &&
      isInside(node, loop, locals) &&
      locals.order(node) > locals.order(call) &&
      runsEach(node, loop, context) &&
      node.args.some((arg) => placeOf(arg) === place) &&
      givesBack(node, allocation, context),
  );
  if (!end) return undefined;
  const why = `\`${through}\` makes it`;
  return allocationFact([call, allocation, through, why, spanOf(context, end)], calls, context);
}

/** Where the memory goes that a call makes: `p = make(n)`, `float *p = make(n)`, `make(&p, n)`. */
function placeMade(call: CallExpr, context: FunctionContext): string | undefined {
  let around: AnySyntax | undefined;
  for (around of ancestorsOf(call, localsOf(context.fn))) if (around.kind !== 'cast') break;
  if (around?.kind === 'var') return around.name;
  if (around?.kind === 'assign') return placeOf(around.target);
  const given = call.args.map((arg) => (arg.kind === 'cast' ? arg.operand : arg));
  const address = given.find((arg) => arg.kind === 'unary' && arg.op === '&');
  return address?.kind === 'unary' ? placeOf(address.operand) : undefined;
}

/** Does it run on each iteration, under no condition of the loop? */
function runsEach(node: AnySyntax, loop: HostLoop, context: FunctionContext): boolean {
  for (const around of ancestorsOf(node, localsOf(context.fn))) {
    if (around === loop) return true;
    if (!['block', 'decl', 'var', 'expr', 'assign', 'cast'].includes(around.kind)) return false;
  }
  return false;
}

type Allocation = readonly [node: VarDecl | CallExpr, name: string, through: string, why: string, partnerAt: Span];

function allocationFact(
  [node, name, through, why, partnerAt]: Allocation,
  calls: readonly RuntimeCall[],
  context: FunctionContext,
): RuntimeCallFact | undefined {
  const loops = loopsAround(node, context);
  if (!isWorthMoving(loops[0]!, calls, context)) return undefined;
  const at = spanOf(context, node.kind === 'var' ? { start: node.nameStart, end: node.end } : node);
  return {
    kind: 'runtime-call',
    at,
    statementAt: at,
    name,
    category: 'allocate',
    through,
    loops: loops.map((each) => loopRef(each, context)),
    function: context.fn.name,
    hoist: { safe: false, why, edits: [], partnerAt },
  };
}
