// Memory of the host that comes to the GPU by detours: pageable memory of asynchronous copies, managed memory that
// nothing prefetches.
import type { CallExpr, Expr, NameExpr } from '../../syntax/ast';
import type { RuntimeCallFact } from '../model';
import {
  type AnySyntax,
  type Fn,
  calledName,
  calleeName,
  familyOf,
  functionsWith,
  categoryOf,
  isAllocator,
  keepsToArguments,
  type Local,
  touchesHostOnly,
  argumentOf,
  callSitesOf,
} from '../language';
import { codeOf } from '../program';
import { classOf, definedAs, definitionsOf, isNull, makersOf, type Written } from './callees';
import { loopsAround, madeVariable, runtimeCallsOf, statementOf, tripsOf, type RuntimeCall } from './calls';
import { directionOf, hostArgumentOf, streamArgumentOf } from './directions';
import { onEachTurn } from './hoist';
import { queues } from './numbers';
import { addressedVariable } from './places';
import { resultsOf, whyLooked, windowAfter } from './results';
import { isWait, timelineAround } from './timeline';
import { fewTrips } from './waits';
import { alwaysCalled } from './within';

type OfHost = NonNullable<RuntimeCallFact['ofHost']>;

/** By call: the first copy of each array, itself or by a function that copies whenever it runs; the first launch. */
export function hostMemoryOf(calls: readonly RuntimeCall[], fn: Fn): ReadonlyMap<RuntimeCall, OfHost> {
  const found = new Map<RuntimeCall, OfHost>();
  const seen = new Set<string | number>();
  for (const one of [...calls, ...copiesThrough(fn)]) {
    const memory = pageableOf(one, calls, fn) ?? managedOf(one, fn);
    const key = memory?.from === undefined ? (memory?.at.start ?? '') : memory.array;
    if (memory && !seen.has(key)) found.set(one, memory);
    seen.add(key);
  }
  return found;
}

/** A call of a function of the program that makes an asynchronous copy whenever it runs. */
interface Through extends RuntimeCall {
  readonly made: RuntimeCall;
  readonly within: Fn; // called from here alone
}

function copiesThrough(fn: Fn): readonly Through[] {
  return fn.locals.nodes.flatMap((call): Through[] => {
    const through = call.kind === 'call' ? calledName(call) : undefined;
    if (call.kind !== 'call' || through === undefined || categoryOf(through) !== undefined) return [];
    const [decl, ...others] = definitionsOf(call, fn);
    if (!decl || others.length > 0) return [];
    const within = fn.of(decl, [{ caller: fn.decl, args: call.args, within: fn }]);
    const always = alwaysCalled(decl.body);
    const made = runtimeCallsOf(within).find((one) => one.category === 'async-copy' && always.includes(one.call));
    if (!made) return [];
    return [{ ...made, ...statementOf(call, through, fn), call, through, loops: loopsAround(call, fn), made, within }];
  });
}

/** Copies of so many bytes to the GPU the driver stages at once: measured, they are as fast as from pinned memory. */
const fewBytes = 64 * 1024;

/**
 * Pageable memory of an asynchronous copy: beside work on other streams, with no wait between them, in a loop that
 * queues work, or brought to the host in one that would queue more before it waits or reads.
 */
function pageableOf(one: RuntimeCall | Through, calls: readonly RuntimeCall[], fn: Fn): OfHost | undefined {
  if (one.category !== 'async-copy') return undefined;
  const [copy, within] = 'made' in one ? [one.made, one.within] : [one, fn];
  const direction = directionOf(copy, within);
  if (direction === undefined || direction === 'device') return undefined;
  const stream = streamArgumentOf(copy);
  const given = 'made' in one && stream?.kind === 'name' ? argumentOf(stream.name, within.decl, one.call.args) : stream;
  const host = hostArgumentOf(copy, within);
  const memory = host && !mentions(/HostRegister|BeginCapture/, fn) ? pageableIn(host, within) : undefined;
  if (!memory) return undefined;
  const place = { from: memory.from, array: memory.name, at: fn.span(one.call) };
  const found = (does: OfHost['does']): OfHost => ({ ...place, does });
  if (meetsOthers(one, given, calls, fn) && (direction === 'to-host' || memory.from !== onStack))
    return found('staged');
  if (direction === 'to-host') return holdsUp(one, calls, fn) ? found('waits') : undefined;
  // It is reported where the function copies it.
  if (memory.from === onStack) return streamOf(given, fn) === undefined || 'made' in one ? undefined : found('few');
  const bytes = copy.call.args[2] && within.types.constant(copy.call.args[2]);
  const [loop] = one.loops;
  const isRepeated = !!loop && onEachTurn(one.call, loop, fn) && queues(loop, fn);
  return isRepeated && (bytes ?? Infinity) > fewBytes ? found('loop') : undefined;
}

/** Would an iteration queue work after the copy, and look at no result, before the host waits? */
function holdsUp(one: RuntimeCall, calls: readonly RuntimeCall[], fn: Fn): boolean {
  const [loop] = one.loops;
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
  return launch && isWritten ? { array: local.name, at: fn.span(launch), does: 'faults' } : undefined;
}

/** Other streams have work between the wait before a call and the wait after it; `streams[i]` is many. */
function meetsOthers(one: RuntimeCall, given: Expr | undefined, calls: readonly RuntimeCall[], fn: Fn): boolean {
  const own = streamOf(given, fn);
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

/** `p`, `p + n`, `&p[n]`, `v.data()`, `&x`, members; a parameter where every call hands over such memory. */
function pageableIn(expr: Expr, fn: Fn, depth = 0): Pageable | undefined {
  switch (expr.kind) {
    case 'name':
    case 'member': {
      const local = fn.local(expr);
      if (local?.parameter) return givenBy(local, fn, depth);
      const holder = local ? { ...local, uses: local.uses.map((use) => [use, fn] as const) } : fieldOf(expr, fn);
      const from = holder && makerOf(holder, fn);
      const isKnown = from === onStack || (holder && !mayBePinned(holder));
      return isKnown && from !== undefined ? { name: holder!.name, from } : undefined;
    }
    case 'cast':
      return pageableIn(expr.operand, fn, depth);
    case 'binary':
      return expr.op === '+' ? pageableIn(expr.left, fn, depth) : undefined;
    case 'unary': {
      if (expr.op !== '&') return undefined;
      if (expr.operand.kind === 'index') return pageableIn(expr.operand.base, fn, depth);
      const local = addressedVariable(expr, fn);
      return local && objectOf(local, fn, depth);
    }
    case 'call':
      return expr.callee.kind === 'member' && expr.callee.field === 'data'
        ? pageableIn(expr.callee.object, fn, depth)
        : undefined;
    default:
      return undefined;
  }
}

/** A variable on the stack: of the function, or of every caller where it is a reference. */
function objectOf(local: Local, fn: Fn, depth: number): Pageable | undefined {
  const declared = local.variable ?? local.parameter;
  if (!declared || local.variable?.storage === 'static') return undefined;
  if (declared.type.kind !== 'reference') return { name: local.name, from: onStack };
  return givenBy({ ...local, writes: [] }, fn, depth, (arg, caller) => {
    const object = caller.local(arg);
    return object && objectOf(object, caller, depth + 1);
  });
}

/** What all calls of the function hand over for a parameter that it does not change. */
function givenBy(
  { name, parameter, writes }: Local,
  fn: Fn,
  depth: number,
  ask = (arg: Expr, caller: Fn): Pageable | undefined => pageableIn(arg, caller, depth + 1),
): Pageable | undefined {
  if (writes.length > 0 || depth >= deepest) return undefined;
  const sites = fn.callSites ?? callSitesOf(fn.unit, fn.decl, 'host');
  const handed = sites.map(({ caller, args, within }) => {
    const arg = argumentOf(parameter, fn.decl, args);
    return arg && ask(arg, within ?? fn.of(caller));
  });
  const [first] = handed;
  return first && handed.every((from) => from !== undefined)
    ? { name: fn.callSites ? first.name : name, from: first.from }
    : undefined;
}

/** The class whose field a name or a member is; undefined where its object's is unknown. */
const classWith = (expr: Expr, fn: Fn): string | undefined =>
  expr.kind === 'member' ? classOf(expr.object, fn) : fn.decl.className;

/** A variable, or a member by all that functions of the unit do with members of its name. */
type Holder = Written & {
  readonly name: string;
  readonly uses: readonly (readonly [Expr, Fn])[];
};

function fieldOf(expr: Expr, fn: Fn): Holder | undefined {
  const className = classWith(expr, fn);
  const name = expr.kind === 'member' ? expr.field : (expr as NameExpr).name;
  const fields = fn.program.structs(className ?? '').flatMap((each) => each.fields);
  const variable = fields.find((field) => field.name === name);
  if (!variable || variable.type.kind === 'array') return undefined;
  const family = familyOf(fn.program, className!);
  const uses = functionsWith(fn.unit, [name]).flatMap((decl) => {
    const inner = fn.of(decl);
    const isField = (node: AnySyntax): node is Expr =>
      (node.kind === 'member'
        ? node.field === name
        : node.kind === 'name' && node.name === name && !inner.local(node)) &&
      family.has(classWith(node as Expr, inner) ?? className!);
    return inner.locals.nodes.filter(isField).map((node) => [node, inner] as const);
  });
  const writes = uses.flatMap(([node, inner]) => {
    const parent = inner.parent(node);
    return parent?.kind === 'assign' && parent.target === node ? [{ value: parent.value }] : [];
  });
  return { name, variable, writes, uses };
}

/** The function takes the variable's address, or hands it to functions that are not seen. */
function mayBePinned({ uses }: Holder): boolean {
  return uses.some(([use, fn]) => {
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
function makerOf(local: Holder, fn: Fn): string | undefined {
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
