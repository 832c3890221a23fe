// Whether what kernels write can reach the host between one wait of a loop and the next.
import type { Expr } from '../../syntax/ast';
import {
  walk,
  type AnySyntax,
  type Fn,
  calleeName,
  isCalledInPlace,
  throws,
  asksContainer,
  asksForStatus,
  endsProgram,
  isPrinting,
  isValueFunction,
  categoryOf,
  handsResultsOn,
  keepsToArguments,
  isOutputStream,
  withoutCasts,
  argumentOf,
  calledName,
} from '../language';
import { launchesIn, runtimeCallsOf, type HostLoop, type RuntimeCall } from './calls';
import { hostArgumentOf } from './directions';
import { comesFirst, isWait, type Moment, type Timeline } from './timeline';
import { everything, holds, isKept, isNumber, placeOf, type Results, variableAt, within } from './places';
import { mayShareMemory, pointerLike, valueTypeOf } from './pointers';
import { type Defined, definedAs, definitionsOf, isGlobalPlace, membersOf, readsClock, statusCheckOf } from './callees';
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
 * The statements from a wait (which runs on each iteration) to the next call that waits on each iteration, round the
 * end of the loop where need be. A `continue` on the way makes it the whole loop.
 */
export function windowAfter({ before, at, after }: Timeline): Window {
  const round = [...after, ...before];
  const skips = round.findIndex(({ node }) => continues(node));
  const last = round.findIndex(({ always }) => always.some(isWait));
  const ends = last >= 0 && (skips < 0 || last <= skips);
  const found = ends ? round.slice(0, last) : round;
  const items = found.map(({ node }) => node);
  const end = ends ? round[last]!.always.find(isWait) : undefined;
  return { items, launches: launchesFirst(end ? found : [...found, at]), ...(end && { end }) };
}
/** Is something launched before memory is given back, which waits as well? */
function launchesFirst(moments: readonly Moment[]): boolean {
  const frees = ({ always }: Moment): boolean => always.some(({ name }) => /^cudaFree(Array)?$/.test(name));
  return comesFirst(moments, ({ launches }) => launches, frees) ?? false;
}

/** Is a clock read right before and right after the call in one iteration, so that it is itself what is timed? */
export function isItselfTimed({ before, after }: Timeline): boolean {
  const isClocked = (moment: Moment): boolean => moment.readsClock;
  const queues = ({ launches }: Moment): boolean => launches;
  return [before.toReversed(), after].every((moments) => comesFirst(moments, isClocked, queues));
}

/** Is work queued between the wait before the call and the call itself? */
export function waitsForLaunches({ before, after }: Timeline): boolean {
  const waits = ({ always }: Moment): boolean => always.some(isWait);
  const back = [...after, ...before].reverse();
  return !comesFirst(back, waits, ({ launches }) => launches);
}

/** Has the host waited in this iteration already, and queued nothing since? */
export function hasJustWaited({ before }: Timeline): boolean {
  return (
    comesFirst(
      before.toReversed(),
      ({ launches, always }) => !launches && always.some(({ category }) => category === 'synchronise'),
      ({ launches, calls }) => launches || calls.some(({ category }) => category === 'copy'),
    ) ?? false
  );
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
  depth = 0,
): string | undefined {
  for (const item of items) {
    const why = lookedAt(item, results, fn, depth, unread);
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
    const type = local && valueTypeOf(local);
    if (!local || !type) return false;
    if (type.kind === 'array' || (type.kind === 'named' && hostContainers.test(type.name))) return true;
    const init = local.variable?.init ?? local.writes.find((write) => write.op === '=')?.value;
    const made = init?.kind === 'cast' ? init.operand : init;
    return made?.kind === 'new' || (made?.kind === 'call' && /^(malloc|calloc|realloc)$/.test(calleeName(made) ?? ''));
  };
  const looks = (place: string | undefined): boolean =>
    place === undefined
      ? results === everything || mayShareMemory(fn.unit)
      : holds(results, place) || !isHostOnly(place);
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
        if (
          node.arrow &&
          (holds(results, placeOf(node.object) ?? '') || (node.object.kind !== 'name' && looks(placeOf(node.object))))
        )
          reason = 'the host reads or writes memory there';
        return true;
      case 'unary':
        if (node.op === '*' && looks(placeOf(node.operand))) reason = 'the host reads or writes memory there';
        return true;
      case 'name':
        if (results === everything && isOutputStream(node.name)) reason = 'the host prints there';
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
    const host = hostArgumentOf(call, fn);
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
  if (!isDefined && categoryOf(name) !== undefined) {
    const called = node.args.filter(({ kind }) => kind === 'call');
    return whyLooked(called, results, fn, undefined, depth);
  }
  const bodies = depth < 3 ? definitionsOf(node, fn) : [];
  if (node.callee.kind === 'member') {
    if (!isDefined && asksContainer(name)) return 'inside';
    const object = node.callee.object;
    const local = object.kind === 'name' ? fn.local(object) : undefined;
    const type = local && valueTypeOf(local);
    if (type?.kind === 'named' && hostContainers.test(type.name) && !holds(results, placeOf(object) ?? ''))
      return 'inside';
    if (object.kind === 'name' && isOutputStream(object.name)) return 'inside';
    if (bodies.length === 0) return `\`${name}\` may use the results`;
  } else {
    if (isAlgorithm(node)) return undefined;
    const isOfCheck = !!node.macro && (isPrinting(name) || endsProgram(name) || asksForStatus(name));
    // Where all memory is looked for, what a function is handed to work on or to print counts as well.
    const isHarmless = results === everything ? isValueFunction(name) : keepsToArguments(name);
    if (!isDefined && (isOfCheck || isHarmless)) return 'inside';
    const check = statusCheckOf(node, fn);
    if (check && (check.known || !mayShareMemory(fn.unit))) return 'inside';
    if (bodies.length === 0) return `\`${name}\` may look at the results`;
  }
  for (const body of bodies) {
    const why = lookedAt(body.body, handedTo(body, node, results, fn), fn.inside(body), depth + 1);
    if (why) return why;
  }
  const object = node.callee.kind === 'member' && node.callee.object.kind === 'call' ? [node.callee.object] : [];
  return whyLooked([...node.args, ...object], results, fn, undefined, depth);
}
/**
 * What of the results a function reaches: what a call hands to it, by the names that they have there, and variables
 * outside of functions. An object may hold in any member what it was made with.
 */
function handedTo(callee: Defined, { args, callee: { kind } }: CallNode, results: Results, fn: Fn): Results {
  if (results === everything) return everything;
  const isOutside = (result: string): boolean =>
    isGlobalPlace(result.replace('&', ''), fn) && !callee.params.some(({ name }) => name === result);
  const held = results.size > 0 ? membersOf(callee, fn) : [];
  const handed = new Set(kind === 'member' ? held : [...results].filter(isOutside));
  for (const param of callee.params) {
    const arg = argumentOf(param, callee, args);
    const place = arg && placeOf(arg);
    if (!place) continue;
    for (const result of results)
      if (within(place, result)) handed.add(param.name);
      else if (within(result, place)) handed.add(`${param.name}${result.slice(place.length)}`);
  }
  return handed;
}
