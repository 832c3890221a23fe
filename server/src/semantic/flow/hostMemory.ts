// Memory of the host that comes to the GPU by detours: pageable memory of asynchronous copies, managed memory that
// nothing prefetches.
import type { CallExpr, Expr } from '../../syntax/ast';
import type { RuntimeCallFact } from '../model';
import {
  type Fn,
  calleeName,
  categoryOf,
  isAllocator,
  keepsToArguments,
  type Local,
  touchesHostOnly,
} from '../language';
import { codeOf } from '../program';
import { definedAs } from './callees';
import { loopsAround, madeVariable, tripsOf, type RuntimeCall } from './calls';
import { hostArgumentOf } from './directions';
import { isNull } from './hoist';

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

/** What `cudaMemcpyAsync` copies beside work on other streams, with no wait between them. */
function pageableOf(one: RuntimeCall, calls: readonly RuntimeCall[], fn: Fn): OfHost | undefined {
  if (one.name !== 'cudaMemcpyAsync' || !meetsOthers(one, calls, fn)) return undefined;
  const host = hostArgumentOf(one, fn);
  const local = host && variableIn(host, fn);
  const from = local && !mayBePinned(local, fn) ? makerOf(local, fn) : undefined;
  return from === undefined ? undefined : { array: local!.name, from, at: fn.span(one.call) };
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
  const own = streamOf(one.call.args[4], fn);
  if (own === undefined) return false;
  if (/\[\s*[A-Za-z_]/.test(own)) return true;
  const order = fn.locals.order(one.call);
  const waits = calls.flatMap(({ call, category }) =>
    category === 'synchronise' || category === 'copy' ? [fn.locals.order(call)] : [],
  );
  const from = Math.max(-1, ...waits.filter((at) => at < order));
  const to = Math.min(Infinity, ...waits.filter((at) => at > order));
  return fn.locals.nodes.some((node) => {
    const at = fn.locals.order(node);
    if (at <= from || at >= to) return false;
    const stream = node.kind === 'launch' ? node.config[3] : isAsyncCopy(node) ? node.args[4] : undefined;
    return stream !== undefined && (streamOf(stream, fn) ?? own) !== own;
  });
}

function isAsyncCopy(node: { readonly kind: string }): node is CallExpr {
  return node.kind === 'call' && calleeName(node as CallExpr) === 'cudaMemcpyAsync';
}

/** The text of a stream other than the default one, on which little overlaps. */
function streamOf(stream: Expr | undefined, fn: Fn): string | undefined {
  return stream && !isNull(stream) ? fn.text(stream).replace(/\s+/g, '') : undefined;
}

/** `p`, `p + n`, `&p[n]`, `v.data()`. */
function variableIn(expr: Expr, fn: Fn): Local | undefined {
  switch (expr.kind) {
    case 'name':
      return fn.local(expr);
    case 'cast':
      return variableIn(expr.operand, fn);
    case 'binary':
      return expr.op === '+' ? variableIn(expr.left, fn) : undefined;
    case 'unary':
      return expr.op === '&' && expr.operand.kind === 'index' ? variableIn(expr.operand.base, fn) : undefined;
    case 'call':
      return expr.callee.kind === 'member' && expr.callee.field === 'data'
        ? variableIn(expr.callee.object, fn)
        : undefined;
    default:
      return undefined;
  }
}

/** The program pins memory of others, takes the variable's address, or hands it to functions that are not seen. */
function mayBePinned(local: Local, fn: Fn): boolean {
  if (mentions(/HostRegister/, fn)) return true;
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
function makerOf({ variable, writes }: Local, fn: Fn): string | undefined {
  if (!variable || variable.storage === 'static') return undefined;
  const { type, init } = variable;
  if (type.kind === 'named') return type.name === 'std::vector' && type.args?.length === 1 ? type.name : undefined;
  const makers = [init, ...writes.map(({ value }) => value)].flatMap((value) => {
    const inner = value?.kind === 'cast' ? value.operand : value;
    if (!inner || isNull(inner)) return [];
    if (inner.kind === 'new') return ['new'];
    const name = inner.kind === 'call' ? calleeName(inner) : undefined;
    const isOfC = name !== undefined && isAllocator(name) && keepsToArguments(name);
    return [isOfC && definedAs(name, fn.program).length === 0 ? name : undefined];
  });
  return makers.every((maker) => maker === makers[0]) ? makers[0] : undefined;
}
