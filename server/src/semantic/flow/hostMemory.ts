// Memory of the host that comes to the GPU by detours: pageable memory of asynchronous copies, managed memory that
// nothing prefetches.
import type { CallExpr, Expr } from '../../syntax/ast';
import type { RuntimeCallFact } from '../model';
import {
  type AnySyntax,
  type Fn,
  calleeName,
  categoryOf,
  functionsWith,
  isAllocator,
  keepsToArguments,
  type Local,
  localsOf,
  touchesHostOnly,
} from '../language';
import { codeOf } from '../program';
import { calledName, definedAs, isNull, makersOf } from './callees';
import { loopsAround, madeVariable, tripsOf, type RuntimeCall } from './calls';
import { directionOf, hostArgumentOf, streamArgumentOf } from './directions';
import { onEachTurn } from './hoist';
import { addressedVariable } from './places';
import { resultsOf, whyLooked, windowAfter } from './results';
import { isWait, timelineAround } from './timeline';
import { fewTrips } from './waits';

type OfHost = NonNullable<RuntimeCallFact['ofHost']>;

/** By call: the first copy of each array, the first array of each launch. */
export function hostMemoryOf(calls: readonly RuntimeCall[], fn: Fn): ReadonlyMap<RuntimeCall, OfHost> {
  const found = new Map<RuntimeCall, OfHost>();
  const seen = new Set<string | number>();
  for (const one of calls) {
    const memory = pageableOf(one, calls, fn) ?? managedOf(one, fn);
    const key = memory?.from === undefined ? (memory?.at.start ?? '') : memory.array;
    if (memory && !seen.has(key)) found.set(one, memory);
    seen.add(key);
  }
  return found;
}

/**
 * Pageable memory of an asynchronous copy: beside work on other streams, with no wait between them, or brought to the
 * host in a loop that would queue more work before it waits or reads. A few bytes to the GPU are staged at once.
 */
function pageableOf(one: RuntimeCall, calls: readonly RuntimeCall[], fn: Fn): OfHost | undefined {
  const direction = one.category === 'async-copy' ? directionOf(one, fn) : undefined;
  if (direction === undefined || direction === 'device') return undefined;
  const isBeside = meetsOthers(one, calls, fn);
  if (!isBeside && (direction !== 'to-host' || !holdsUp(one, calls, fn))) return undefined;
  const host = hostArgumentOf(one, fn);
  const memory = host && !mentions(/HostRegister|BeginCapture/, fn) ? pageableIn(host, fn) : undefined;
  if (!memory || (memory.from === onStack && direction !== 'to-host')) return undefined;
  return { array: memory.name, from: memory.from, at: fn.span(one.call), ...(!isBeside && { waits: true }) };
}

/** Would an iteration queue work after the copy, and look at no result, before the host waits? */
function holdsUp(one: RuntimeCall, calls: readonly RuntimeCall[], fn: Fn): boolean {
  const loop = one.loops[0];
  if (!loop || (tripsOf(loop, fn) ?? Infinity) <= fewTrips || !onEachTurn(one.call, loop, fn)) return false;
  const timeline = timelineAround(one, loop, calls, fn);
  const window = timeline && windowAfter(timeline);
  if (!window?.launches || timeline!.at.launches) return false;
  const mayWait = calls.some((other) => isWait(other) && window.items.some((item) => fn.isInside(other.call, item)));
  return !mayWait && whyLooked(window.items, resultsOf(loop, calls, fn), fn) === undefined;
}

const mentions = (pattern: RegExp, { unit }: Fn): boolean =>
  unit.files.some(({ text }) => pattern.test(text) && pattern.test(codeOf(text)));

const elementsOfPage = 1024;

/** Managed memory whose elements the host writes in a loop before the first launch that is given it. */
function managedOf(made: RuntimeCall, fn: Fn): OfHost | undefined {
  const local = made.name === 'cudaMallocManaged' ? madeVariable(made, fn) : undefined;
  if (!local || mentions(/MemPrefetch|MemAdvise|StreamAttachMem/, fn)) return undefined;
  const launch = local.uses.map((use) => fn.parent(use)).find((parent) => parent?.kind === 'launch');
  const isWritten = local.uses.some((use) => {
    const parent = fn.parent(use);
    const outer = parent && fn.parent(parent);
    const [loop] = loopsAround(use, fn);
    return (
      launch &&
      fn.locals.order(use) < fn.locals.order(launch) &&
      parent?.kind === 'index' &&
      outer?.kind === 'assign' &&
      outer.target === parent &&
      loop &&
      !fn.isInside(launch, loop) &&
      (tripsOf(loop, fn) ?? Infinity) >= elementsOfPage
    );
  });
  return launch && isWritten ? { array: local.name, at: fn.span(launch) } : undefined;
}

/** Other streams have work between the wait before a call and the wait after it; `streams[i]` is many. */
function meetsOthers(one: RuntimeCall, calls: readonly RuntimeCall[], fn: Fn): boolean {
  const own = streamOf(streamArgumentOf(one), fn);
  if (own === undefined) return false;
  if (/\[\s*[A-Za-z_]/.test(own)) return true;
  const order = fn.locals.order(one.call);
  const waits = calls.filter(isWait).map(({ call }) => fn.locals.order(call));
  const from = Math.max(-1, ...waits.filter((at) => at < order));
  const to = Math.min(Infinity, ...waits.filter((at) => at > order));
  const copies = new Map(calls.map((other) => [other.call as AnySyntax, other]));
  return fn.locals.nodes.some((node) => {
    const at = fn.locals.order(node);
    if (at <= from || at >= to) return false;
    const copy = copies.get(node);
    const stream =
      node.kind === 'launch' ? node.config[3] : copy?.category === 'async-copy' ? streamArgumentOf(copy) : undefined;
    return (streamOf(stream, fn) ?? own) !== own;
  });
}

/** The text of a stream other than the default one, on which little overlaps. */
function streamOf(stream: Expr | undefined, fn: Fn): string | undefined {
  return stream && !isNull(stream) ? fn.text(stream).replace(/\s+/g, '') : undefined;
}

interface Pageable {
  readonly name: string;
  readonly from: string; // an allocator, a container
}

const onStack = 'stack';
/** Calls above a function are followed so far. */
const deepest = 2;

/** `p`, `p + n`, `&p[n]`, `v.data()`, `&x`; a parameter where every call hands over such memory. */
function pageableIn(expr: Expr, fn: Fn, depth = 0): Pageable | undefined {
  switch (expr.kind) {
    case 'name': {
      const local = fn.local(expr);
      const from = local?.parameter ? givenBy(local, fn, depth) : local && makerOf(local, fn);
      const isKnown = from === onStack || (local && !mayBePinned(local, fn));
      return isKnown && from !== undefined ? { name: expr.name, from } : undefined;
    }
    case 'cast':
      return pageableIn(expr.operand, fn, depth);
    case 'binary':
      return expr.op === '+' ? pageableIn(expr.left, fn, depth) : undefined;
    case 'unary': {
      if (expr.op !== '&') return undefined;
      if (expr.operand.kind === 'index') return pageableIn(expr.operand.base, fn, depth);
      const local = addressedVariable(expr, fn);
      const type = local?.variable?.type.kind;
      return type === undefined || type === 'reference' ? undefined : { name: local!.name, from: onStack };
    }
    case 'call':
      return expr.callee.kind === 'member' && expr.callee.field === 'data'
        ? pageableIn(expr.callee.object, fn, depth)
        : undefined;
    default:
      return undefined;
  }
}

/** What all calls of the function hand over for a parameter that it does not change. */
function givenBy({ parameter, writes }: Local, fn: Fn, depth: number): string | undefined {
  const { name, params } = fn.decl;
  const position = params.findIndex((param) => param === parameter);
  if (position < 0 || writes.length > 0 || depth >= deepest) return undefined;
  const given = functionsWith(fn.unit, [name]).flatMap((decl) =>
    localsOf(decl).nodes.flatMap((node) =>
      node.kind === 'call' && calledName(node) === name
        ? [node.args[position] && pageableIn(node.args[position], fn.of(decl), depth + 1)?.from]
        : [],
    ),
  );
  return given.every((from) => from !== undefined) ? given[0] : undefined;
}

/** The function takes the variable's address, or hands it to functions that are not seen. */
function mayBePinned(local: Local, fn: Fn): boolean {
  return local.uses.some((use) => {
    const parent = fn.parent(use);
    if (parent?.kind === 'unary' && parent.op === '&') return true;
    const call = [...fn.around(use)].find((around) => around.kind === 'call' && around.callee.kind === 'name');
    return call?.kind === 'call' && !isSeen(call, fn);
  });
}

function isSeen(call: CallExpr, { program }: Fn): boolean {
  const name = calleeName(call) ?? '';
  return (
    definedAs(name, program).length > 0 ||
    categoryOf(name) !== undefined ||
    keepsToArguments(name) ||
    touchesHostOnly(name) ||
    (call.callee.kind === 'name' && call.callee.name.startsWith('std::'))
  );
}

/** What all memory of a variable comes from: an allocator of C or C++, or a vector without its own allocator. */
function makerOf(local: Local, fn: Fn): string | undefined {
  const { variable } = local;
  if (!variable || variable.storage === 'static') return undefined;
  const { type } = variable;
  if (type.kind === 'array') return onStack;
  if (type.kind === 'named') {
    const isVector = /^(std::)?vector$/.test(type.name) && fn.program.structs('vector').length === 0;
    return isVector && type.args?.length === 1 ? type.name : undefined;
  }
  const makers = makersOf(local);
  const isOfLanguage = makers.every(
    (name) =>
      name === 'new' ||
      (!!name && isAllocator(name) && keepsToArguments(name) && definedAs(name, fn.program).length === 0),
  );
  return isOfLanguage && new Set(makers).size === 1 ? makers[0] : undefined;
}
