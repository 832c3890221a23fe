// Whether what kernels write can reach the host between one wait of a loop and the next.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import {
  some,
  walk,
  type AnySyntax,
  type Fn,
  calleeName,
  isCalledInPlace,
  throws,
  asksContainer,
  categoryOf,
  handsResultsOn,
  keepsToArguments,
  isOutputStream,
  withoutCasts,
} from '../language';
import { launchesIn, runtimeCallsOf, type HostLoop, type RuntimeCall } from './calls';
import { holds, isKept, isNumber, placeOf, type Results, variableAt, within } from './places';
import { mayShareMemory, pointerLike } from './pointers';
import { isGlobalPlace, membersOf, calledName, definedAs, methodsCalled, readsClock, statusCheckOf } from './callees';
import { isAggregate, isProgramFunction } from '../program';

/** What the host does from a wait up to the next one on each iteration, the loop's head included. */
interface Window {
  readonly items: readonly AnySyntax[];
  /**
   * Work is queued between the two waits, before anything that waits by itself (`cudaFree`): without the first one the
   * host would run ahead.
   */
  readonly launches: boolean;
  /** The wait that ends it; undefined where that is the next iteration's own. */
  readonly end?: RuntimeCall;
}

/**
 * The statements from `waiting` (which runs on each iteration) to the next call that waits on each iteration, round the
 * end of the loop where need be. A `continue` on the way makes it the whole loop.
 */
export function windowAfter(
  waiting: RuntimeCall,
  loop: HostLoop,
  calls: readonly RuntimeCall[],
  fn: Fn,
): Window | undefined {
  const items = itemsOf(loop);
  const own = items.findIndex((item) => fn.isInside(waiting.call, item));
  if (own < 0) return undefined;
  const endIn = (item: AnySyntax): RuntimeCall | undefined =>
    calls.find(
      (call) =>
        call !== waiting &&
        (call.category === 'synchronise' || call.category === 'copy') &&
        call.loops[0] === loop &&
        fn.isInside(call.call, item) &&
        runsWith(call, item, fn),
    );
  const found: AnySyntax[] = [];
  let skipsEnds = false;
  for (let step = 1; step <= items.length; step++) {
    const item = items[(own + step) % items.length]!;
    if (item === items[own]) break;
    const end = skipsEnds ? undefined : endIn(item);
    if (end) return { items: found, launches: launchesFirst(found, loop, calls, fn), end };
    if (continues(item)) skipsEnds = true;
    found.push(item);
  }
  return { items: found, launches: launchesFirst([...found, items[own]!], loop, calls, fn) };
}
/** Is something launched before memory is given back, which waits as well? */
function launchesFirst(items: readonly AnySyntax[], loop: HostLoop, calls: readonly RuntimeCall[], fn: Fn): boolean {
  for (const item of items) {
    if (launchesIn(item, fn).length) return true;
    const frees = calls.some(
      (call) =>
        /^cudaFree(Array)?$/.test(call.name) &&
        call.loops[0] === loop &&
        fn.isInside(call.call, item) &&
        runsWith(call, item, fn),
    );
    if (frees) return false;
  }
  return false;
}

/** Is a clock read right before and right after the call in one iteration, so that it is itself what is timed? */
export function isItselfTimed(waiting: RuntimeCall, loop: HostLoop, fn: Fn): boolean {
  const items = itemsOf(loop);
  const own = items.findIndex((item) => fn.isInside(waiting.call, item));
  const clockIn = (around: readonly AnySyntax[]): boolean => {
    for (const item of around) {
      if (some(item, (node) => readsClock(node, fn))) return true;
      if (launchesIn(item, fn).length) return false;
    }
    return false;
  };
  return clockIn(items.slice(0, own).reverse()) && clockIn(items.slice(own + 1));
}

/** Is work queued between the wait before `waiting` and `waiting` itself? */
export function waitsForLaunches(waiting: RuntimeCall, loop: HostLoop, calls: readonly RuntimeCall[], fn: Fn): boolean {
  const items = itemsOf(loop);
  const own = items.findIndex((item) => fn.isInside(waiting.call, item));
  for (let step = 1; step < items.length; step++) {
    const item = items[(own - step + items.length) % items.length]!;
    const waits = calls.some(
      (call) =>
        (call.category === 'synchronise' || call.category === 'copy') &&
        fn.isInside(call.call, item) &&
        runsWith(call, item, fn),
    );
    if (waits) return false;
    if (launchesIn(item, fn).length) return true;
  }
  return true;
}

/** The statements of the body as they run, blocks opened, then what the head does before the next iteration. */
/** Has the host waited in this iteration already, and queued nothing since? */
export function hasJustWaited(waiting: RuntimeCall, loop: HostLoop, calls: readonly RuntimeCall[], fn: Fn): boolean {
  const items = itemsOf(loop);
  const own = items.findIndex((item) => fn.isInside(waiting.call, item));
  for (let at = own - 1; at >= 0; at--) {
    const item = items[at]!;
    if (launchesIn(item, fn).length > 0) return false;
    const inside = calls.filter((call) => call !== waiting && fn.isInside(call.call, item));
    if (inside.some((call) => call.category === 'synchronise' && runsWith(call, item, fn))) return true;
    if (inside.some(({ category }) => category === 'copy')) return false;
  }
  return false;
}

function itemsOf(loop: HostLoop): AnySyntax[] {
  const items: AnySyntax[] = [];
  const open = (stmt: Stmt): void => {
    if (stmt.kind === 'block') stmt.body.forEach(open);
    else if (stmt.kind !== 'empty') items.push(stmt);
  };
  open(loop.body);
  if (loop.kind === 'for' && loop.step) items.push(loop.step);
  if (loop.kind !== 'rangeFor' && loop.cond) items.push(loop.cond);
  return items;
}

/**
 * Does the call run whenever its statement does: a plain call, wrapped or not (by a macro that makes a block of it,
 * too), or the condition of an `if`?
 */
function runsWith(call: RuntimeCall, item: AnySyntax, fn: Fn): boolean {
  if (call.statement === item) return true;
  // The macro's block is opened, so that its statements are the loop's.
  if (call.statement.kind === 'block' && item.kind === 'expr') return fn.isInside(call.call, item);
  return item.kind === 'if' && fn.isInside(call.call, item.cond);
}
function continues(item: AnySyntax): boolean {
  let found = false;
  walk(item, (node) => {
    if (node.kind === 'lambda' || node.kind === 'for' || node.kind === 'while' || node.kind === 'do') return false;
    if (node.kind === 'continue' || node.kind === 'goto') found = true;
    return !found;
  });
  return found;
}

/**
 * What the launches of a loop are given, what the copies of a function bring without waiting, and other names of both.
 */
export function resultsOf(loop: HostLoop, calls: readonly RuntimeCall[], fn: Fn): Results {
  const results = new Set<string>();
  const add = (expr: Expr | undefined): void => {
    const place = expr && placeOf(expr);
    if (place) results.add(place);
  };
  const addGiven = (arg: Expr): void => {
    const inner = arg.kind === 'initList' ? arg.elements : arg.kind === 'call' && isObject(arg, fn) ? arg.args : [];
    if (inner.length > 0) inner.forEach(addGiven);
    else if (pointerLike(arg, fn)) add(arg);
  };
  for (const launch of launchesIn(loop, fn)) {
    launch.args.forEach(addGiven);
    if (launch.callee.kind === 'member') addGiven(launch.callee.object);
  }
  // What a library's algorithm runs on is memory of the GPU, and an element of its vector a copy that waits.
  walk(loop.body, (node) => {
    if (node.kind === 'call' && isAlgorithm(node)) node.args.forEach((arg) => pointerLike(arg, fn) && add(arg));
    return true;
  });
  const addBehind = (address: Expr): void => {
    const place = placeOf(address);
    if (address.kind === 'unary' && address.op === '&' && place) results.add(variableAt(place));
  };
  for (const call of calls) {
    if (call.category === 'async-copy') {
      const [to] = call.call.args;
      add(to);
      const address = to && withoutCasts(to);
      // Elements of an array beside the one that is named are copied, too.
      if (address?.kind === 'unary' && address.op === '&') results.add(placeOf(address)?.replace(/(\[\])+$/, '') ?? '');
      if (address) addBehind(address);
    }
    if (/^cuda(MallocManaged|HostAlloc|MallocHost|HostRegister|HostGetDevicePointer)$/.test(call.name))
      add(call.call.args[0]);
  }
  // A node of a graph or a structure keeps the address: what it is made for may be a copy to there.
  for (const node of fn.locals.nodes)
    if (node.kind === 'unary' && node.op === '&' && isNumber(node.operand, fn) && isKept(node, fn)) addBehind(node);
  for (let round = 0; round < 2; round++)
    for (const local of fn.locals.all) {
      const type = local.variable?.type.kind;
      if (type !== 'pointer' && type !== 'auto' && type !== 'reference') continue;
      const values = [local.variable?.init, ...local.writes.map((write) => write.value)];
      if (values.some((value) => value && holds(results, placeOf(value) ?? ''))) results.add(local.name);
    }
  return results;
}
/** `T{a, b}`, `T(a, b)`: an object of a class that is known. */
function isObject(call: CallNode, { program }: Fn): boolean {
  const name = calleeName(call);
  return name !== undefined && program.structs(name).length > 0;
}
const hostContainers = new RegExp(
  [
    '^(std::)?(vector|array|string|map|unordered_map|set|deque|list|queue|stack|pair|tuple|function',
    String.raw`[io]?f?stream|ostream|stringstream|mt19937|random_device)\b`,
  ].join('|'),
);

/**
 * Why a wait before these statements is needed: what in them could look at results. Undefined when nothing can. With
 * `unread`, functions without a body that only tell launches a number are put there instead.
 */
export function whyLooked(
  items: readonly AnySyntax[],
  results: Results,
  fn: Fn,
  unread?: Set<string>,
): string | undefined {
  for (const item of items) {
    const why = lookedAt(item, results, fn, 0, unread);
    if (why) return why;
  }
  return undefined;
}

function lookedAt(item: AnySyntax, results: Results, fn: Fn, depth: number, unread?: Set<string>): string | undefined {
  let reason: string | undefined;
  const isHostOnly = (place: string): boolean => {
    const name = /^[^.[]*/.exec(place)![0];
    const local = fn.locals.all.find((one) => one.name === name);
    if (!mayShareMemory(fn.unit) || isCopiedFrom(name, fn)) return true;
    const written = local?.variable?.type ?? local?.parameter?.type;
    const type = written?.kind === 'reference' ? written.to : written;
    if (!local || !type) return false;
    if (type.kind === 'array' || (type.kind === 'named' && hostContainers.test(type.name))) return true;
    const init = local.variable?.init ?? local.writes.find((write) => write.op === '=')?.value;
    const made = init?.kind === 'cast' ? init.operand : init;
    return made?.kind === 'new' || (made?.kind === 'call' && /^(malloc|calloc|realloc)$/.test(calleeName(made) ?? ''));
  };
  const looks = (place: string | undefined): boolean =>
    place === undefined ? mayShareMemory(fn.unit) : holds(results, place) || !isHostOnly(place);
  const isFilled = (node: AnySyntax): boolean =>
    (node.kind === 'name' || node.kind === 'member') && results.has(variableAt(placeOf(node) ?? ''));
  walk(item, (node) => {
    if (isFilled(node)) reason ??= 'the host reads or writes a variable that a copy fills';
    if (reason) return false;
    switch (node.kind) {
      case 'launch':
        for (const arg of node.args) {
          if (arg.kind === 'call') reason ??= lookedAt(arg, results, fn, depth, unread);
          walk(arg, (part) => {
            if (isFilled(part)) reason ??= 'a launch is given what a copy fills';
          });
        }
        return false;
      case 'call': {
        const why = calledFor(node, results, fn, depth);
        if (why === 'inside') return true;
        if (why !== undefined && unread && isNumberForLaunches(node, fn)) {
          unread.add(calledName(node) ?? '');
          return true;
        }
        reason = why;
        return false;
      }
      case 'var':
        if (readsClock(node, fn)) reason = 'a clock is read there';
        return true;
      case 'index':
        if (looks(placeOf(node.base))) reason = 'the host reads or writes memory there';
        return true;
      case 'member':
        if (node.arrow && node.object.kind !== 'name' && looks(placeOf(node.object)))
          reason = 'the host reads or writes memory there';
        else if (node.arrow && holds(results, placeOf(node.object) ?? ''))
          reason = 'the host reads or writes memory there';
        return true;
      case 'unary':
        if (node.op === '*' && looks(placeOf(node.operand))) reason = 'the host reads or writes memory there';
        return true;
      case 'name':
        if (!fn.local(node) && fn.program.globals(node.name).some((global) => global.space === 'managed'))
          reason = 'the host reads or writes managed memory there';
        return true;
      case 'lambda':
      case 'opaque':
        // What a `throw` makes of its message is read by no one in the loop: the loop is left.
        if (throws(node)) return false;
        if (isCalledInPlace(node, fn.locals)) return true;
        reason = 'code that is not known may use the results';
        return false;
      case 'asm':
      case 'try':
      case 'delete':
        reason = 'code that is not known may use the results';
        return false;
      default:
        return true;
    }
  });
  return reason;
}

/** A blocking copy takes it for the host's side: such memory needs no copy if kernels could write it. */
function isCopiedFrom(name: string, fn: Fn): boolean {
  return runtimeCallsOf(fn).some((call) => {
    if (call.category !== 'copy') return false;
    const kinds = call.call.args.map((arg) => (arg.kind === 'name' ? arg.name : ''));
    const host = kinds.includes('cudaMemcpyHostToDevice')
      ? call.call.args[1]
      : kinds.includes('cudaMemcpyDeviceToHost')
        ? call.call.args[0]
        : undefined;
    return !!host && placeOf(host) === name;
  });
}

function isAlgorithm({ callee }: CallNode): boolean {
  return callee.kind === 'name' && /(^|::)(thrust|cub)::/.test(callee.name);
}

type CallNode = Extract<AnySyntax, { kind: 'call' }>;

/**
 * A function without a body that is handed no memory, and whose value goes to launches alone: it reads no clock, and
 * to read results of the GPU it has to copy them, which waits.
 */
function isNumberForLaunches(call: CallNode, fn: Fn): boolean {
  const name = calledName(call);
  if (name === undefined || mayShareMemory(fn.unit) || definedAs(name, fn.program).length > 0) return false;
  if (readsClock(call, fn) || handsResultsOn(name)) return false;
  return call.args.every((arg) => !pointerLike(arg, fn)) && goesToLaunches(call, fn);
}
function goesToLaunches(value: Expr, fn: Fn, depth = 0): boolean {
  for (const around of fn.around(value)) {
    if (around.kind === 'launch') return true;
    if (around.kind === 'var') {
      const local = fn.locals.all.find(({ variable }) => variable === around);
      return (
        depth < 3 &&
        !!local?.uses.length &&
        around.type.kind !== 'reference' &&
        fn.types.resolve(around.type).kind === 'scalar' &&
        local.writes.length === 0 &&
        local.uses.every((use) => goesToLaunches(use, fn, depth + 1))
      );
    }
    if (around.kind !== 'binary' && around.kind !== 'cast') return false;
  }
  return false;
}

/** 'inside': the call itself looks at nothing, its arguments may. */
function calledFor(node: CallNode, results: Results, fn: Fn, depth: number): string | undefined {
  const name = calledName(node);
  if (node.callee.kind === 'lambda' || isAggregate(node, fn)) return 'inside';
  if (!name) return 'an unknown call may read the results';
  if (name !== 'cudaEventRecord' && readsClock(node, fn)) return 'a clock is read there';
  const isDefined = isProgramFunction(node, fn);
  if (!isDefined && handsResultsOn(name)) return `\`${name}\` may look at the results`;
  if (!isDefined && categoryOf(name) !== undefined) return undefined;
  if (node.callee.kind === 'member') {
    if (!isDefined && asksContainer(name)) return 'inside';
    const object = node.callee.object;
    const local = object.kind === 'name' ? fn.local(object) : undefined;
    const written = local?.variable?.type ?? local?.parameter?.type;
    const type = written?.kind === 'reference' ? written.to : written;
    if (type?.kind === 'named' && hostContainers.test(type.name) && !holds(results, placeOf(object) ?? ''))
      return 'inside';
    if (object.kind === 'name' && isOutputStream(object.name)) return 'inside';
    const methods = depth < 3 ? methodsCalled(node, fn) : [];
    if (methods.length === 0) return `\`${name}\` may use the results`;
    for (const method of methods) {
      // An object may hold in any member what it was made with.
      const held = results.size > 0 ? membersOf(method, fn) : [];
      const handed = new Set([...handedTo(method, node, results), ...held]);
      const why = lookedAt(method.body, handed, fn.inside(method), depth + 1);
      if (why) return why;
    }
    for (const part of [...node.args, ...(object.kind === 'call' ? [object] : [])]) {
      const why = lookedAt(part, results, fn, depth);
      if (why) return why;
    }
    return undefined;
  }
  if (isAlgorithm(node)) return undefined;
  if (!isDefined && keepsToArguments(name)) return 'inside';
  const check = statusCheckOf(node, fn);
  if (check && (check.known || !mayShareMemory(fn.unit))) return 'inside';
  const callee = fn.program
    .functions(name)
    .find(
      (decl): decl is FunctionDecl => !!decl.body && !decl.global && !(decl.device && !decl.host) && decl !== fn.decl,
    );
  if (callee && depth < 3) {
    const handed = handedTo(callee, node, results);
    for (const result of results)
      if (!callee.params.some((param) => param.name === result) && isGlobalPlace(result.replace('&', ''), fn))
        handed.add(result);
    const inside = fn.inside(callee);
    const why = lookedAt(callee.body!, handed, inside, depth + 1);
    if (why) return why;
    for (const arg of node.args) {
      const looked = lookedAt(arg, results, fn, depth);
      if (looked) return looked;
    }
    return undefined;
  }
  return `\`${name}\` may look at the results`;
}
/** What of the results a call hands to a function, by the names that they have there. */
function handedTo(callee: FunctionDecl, node: CallNode, results: Results): Set<string> {
  const handed = new Set<string>();
  callee.params.forEach((param, at) => {
    const arg = node.args[at];
    const place = arg && placeOf(arg);
    if (!place) return;
    for (const result of results)
      if (within(place, result)) handed.add(param.name);
      else if (within(result, place)) handed.add(`${param.name}${result.slice(place.length)}`);
  });
  return handed;
}
