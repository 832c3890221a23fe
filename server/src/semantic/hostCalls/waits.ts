// Whether the host needs to wait where it does: synchronisations and blocking copies in host loops around launches.
import type { Expr, FunctionDecl, Stmt } from '../../syntax/ast';
import type { Edit, RuntimeCallFact } from '../model';
import { assignedNames, rootName, walk, type AnySyntax } from '../language/statements';
import { spanOf, textOf, type FunctionContext } from '../language/functionContext';
import { launchesIn, tripsOf, writesIn, type HostLoop, type RuntimeCall } from './calls';
import { ancestorsOf, calleeName, isInside, localsOf } from '../language/scope';
import { indentOf, putAfter, reindented, takeOut } from './moves';
import { categoryOf, isTimer } from './runtimeNames';

type Wait = NonNullable<RuntimeCallFact['wait']>;

const harmless = new RegExp(
  [
    '^(dim3|make_(u?int|float)[1-4]|min|max|ceil|ceilf|floor|floorf|sqrt|pow|log2|abs|swap|sizeof|size',
    'get|data|raw_pointer_cast|assert|move|static_assert)$',
  ].join('|'),
);

const callsOfOtherDevices = new RegExp(
  [
    '^(cudaSetDevice|cudaMemcpyPeer|cudaDeviceEnablePeerAccess|cudaStreamWaitEvent|cudaStreamQuery',
    'cudaEventQuery|cudaStreamAddCallback|cudaLaunchHostFunc|cudaMemGetInfo|cudaHostGetDevicePointer',
    'cudaMallocManaged|cudaMemPrefetchAsync|cudaStreamBeginCapture)$',
  ].join('|'),
);

/** Undefined for what waits for nothing: no synchronisation or blocking copy, or no launch in the loop. */
export function waitOf(
  waiting: RuntimeCall,
  calls: readonly RuntimeCall[],
  context: FunctionContext,
): Wait | undefined {
  if (waiting.category !== 'synchronise' && waiting.category !== 'copy') return undefined;
  const loop = waiting.loops[0]!;
  const locals = localsOf(context.fn);
  const launches = launchesIn(loop, context);
  if (!launches.length) return undefined;
  const trips = tripsOf(loop, context);
  if (trips === 0 || trips === 1) return undefined;
  const direction = waiting.category === 'copy' ? directionOf(waiting, context) : undefined;
  if (waiting.category === 'copy' && (direction === undefined || direction === 'device')) return undefined;
  const needed = (why: string): Wait => ({ needed: true, why });

  if (!straight(waiting, loop, context)) return needed('it stands under a condition');
  if (underDirective(waiting, context)) return needed('it stands under a preprocessor condition');
  if (loop.pragmas?.some((pragma) => /^\s*omp\b/.test(pragma.text)))
    return needed('the loop runs on several host threads');
  if (saysWhy(waiting, context)) return needed('a comment says what it is for');
  if (isTimed(loop, context)) return needed('the loop is timed');
  if (isWarmUp(loop, context)) return needed('it warms up');
  if (endsByData(loop, context)) return needed('the loop ends when the results say so');
  const reason = hostNeeds(loop, context, 0);
  if (reason) return needed(reason);
  for (const call of calls) {
    if (!isInside(call.call, loop, locals)) continue;
    if (callsOfOtherDevices.test(call.name) || /^nccl/.test(call.name))
      return needed(`${call.name} stands in the loop`);
    if (/^cudaEvent(Record|ElapsedTime)$/.test(call.name)) return needed('events time the loop');
    if (call.name === 'cudaFreeHost' || call.name === 'cudaHostUnregister')
      return needed(`${call.name} stands in the loop`);
    if (/^(cublas|cufft|cusparse|cusolver|cudnn)/.test(call.name))
      return needed(`${call.name} may hand results to the host`);
  }
  if (readsCopied(loop, waiting, calls, context)) return needed('the host reads in the loop what was copied');
  const streams = new Set<string>();
  for (const launch of launches)
    if (launch.kind === 'launch') streams.add(launch.config[3] ? textOf(context, launch.config[3]) : '0');
  for (const call of calls)
    if (call.category === 'async-copy' && isInside(call.call, loop, locals))
      streams.add(
        call.call.args[call.name.includes('2D') ? 7 : 4]
          ? textOf(context, call.call.args[call.name.includes('2D') ? 7 : 4]!)
          : '0',
      );
  if (streams.size > 1) return needed('work on several streams meets there');
  if (waiting.name === 'cudaEventSynchronize') return needed('an event orders the work');
  const stream = [...streams][0] ?? '0';
  if (streamChanges(loop, stream, context)) return needed('work on several streams meets there');
  if (
    waiting.name === 'cudaStreamSynchronize' &&
    streams.size === 1 &&
    normal(textOf(context, waiting.call.args[0] ?? waiting.call)) !== normal(stream) &&
    !isZero(waiting.call.args[0])
  )
    return needed('it waits for another stream');

  return waiting.category === 'copy'
    ? copyWait(waiting, loop, stream, direction!, context)
    : synchroniseWait(waiting, loop, context);
}

function normal(text: string): string {
  return text.replace(/\s+/g, '');
}
function isZero(expr: Expr | undefined): boolean {
  return expr?.kind === 'number' && expr.value === 0;
}
/** `streams[i]`, or a stream that the loop makes: each turn has one of its own. */
function streamChanges(loop: HostLoop, stream: string, context: FunctionContext): boolean {
  if (stream.includes('[')) return true;
  const locals = localsOf(context.fn);
  return locals.all.some(
    (local) =>
      new RegExp(`\\b${local.name}\\b`).test(stream) &&
      ((local.variable && isInside(local.variable, loop, locals)) || writesIn(local, loop, context)),
  );
}

function directionOf(copy: RuntimeCall, context: FunctionContext): 'to-device' | 'to-host' | 'device' | undefined {
  if (/ToSymbol$/.test(copy.name))
    return copy.call.args[4] && /DeviceToDevice/.test(textOf(context, copy.call.args[4])) ? 'device' : 'to-device';
  if (/FromSymbol$/.test(copy.name)) return 'to-host';
  const kind = copy.call.args
    .map((arg) => textOf(context, arg))
    .find((text) => /^\(?\s*cudaMemcpy\w+To\w+|^cudaMemcpyDefault$|^(H2D|D2H|D2D)$/.test(text));
  if (!kind) return undefined;
  if (/HostToDevice|H2D/.test(kind)) return 'to-device';
  if (/DeviceToHost|D2H/.test(kind)) return 'to-host';
  return 'device';
}

/** Runs on each turn, as a statement of the loop's own body. */
function straight(waiting: RuntimeCall, loop: HostLoop, context: FunctionContext): boolean {
  const locals = localsOf(context.fn);
  for (const around of ancestorsOf(waiting.statement, locals)) {
    if (around === loop) return true;
    if (around.kind !== 'block') return false;
  }
  return waiting.statement === loop.body;
}

/** Inside `#if … #endif` that opened in the loop: debug builds synchronise so. */
function underDirective(waiting: RuntimeCall, context: FunctionContext): boolean {
  const start = context.fn.base;
  const text = context.file.text.slice(start, start + waiting.call.start);
  let depth = 0;
  for (const line of text.split('\n')) {
    if (/^\s*#\s*if/.test(line)) depth++;
    else if (/^\s*#\s*endif/.test(line)) depth = Math.max(0, depth - 1);
  }
  return depth > 0;
}

/** A clock is read before and behind the loop, or the loop is what a timer brackets. */
function isTimed(loop: HostLoop, context: FunctionContext): boolean {
  const locals = localsOf(context.fn);
  const begin = locals.order(loop);
  let end = begin;
  walk(loop, (node) => {
    end = Math.max(end, locals.order(node));
  });
  let before = false;
  let after = false;
  for (const node of locals.nodes) {
    if (node.kind !== 'call' && node.kind !== 'var') continue;
    const order = locals.order(node);
    if (order >= begin && order <= end) continue;
    const name =
      node.kind === 'call'
        ? (calleeName(node) ?? (node.callee.kind === 'member' ? node.callee.field : undefined))
        : undefined;
    const clock = name
      ? isTimer(name) ||
        (node.kind === 'call' && node.callee.kind === 'member' && /^(start|stop|reset|begin|end|lap)$/.test(name))
      : node.kind === 'var' && node.type.kind === 'named' && /timer|stopwatch/i.test(node.type.name);
    if (!clock) continue;
    if (order < begin) before = true;
    else after = true;
    // A timer object that lives until the end of its block needs no call behind the loop.
    if (node.kind === 'var' && order < begin) after = true;
  }
  return before && after;
}

/** The author knows: "for timing", "for fairness of the measurement", "debug". */
function saysWhy(waiting: RuntimeCall, context: FunctionContext): boolean {
  const source = context.file.text;
  const start = context.fn.base + waiting.written.start;
  const lineStart = source.lastIndexOf('\n', start - 1) + 1;
  const before = source.slice(source.lastIndexOf('\n', Math.max(0, lineStart - 2)) + 1, lineStart).trim();
  const after = /^[^\n]*/.exec(source.slice(context.fn.base + waiting.written.end))![0].trim();
  return [before, after].some(
    (line) => /^(\/\/|\/\*)/.test(line) && /measur|timing|timer|timed|bench|fair|profil|debug|visuali[sz]/i.test(line),
  );
}

function isWarmUp(loop: HostLoop, context: FunctionContext): boolean {
  const source = context.file.text;
  const start = context.fn.base + loop.start;
  const lines = source
    .slice(Math.max(0, start - 200), start)
    .split('\n')
    .slice(-3)
    .join('\n');
  return /warm/i.test(lines) || /warm/i.test(source.slice(start, start + 80)) || /warm/i.test(context.fn.name);
}

/** What the host does in the loop that could look at results; undefined when it only queues work. */
function hostNeeds(loop: AnySyntax, context: FunctionContext, depth: number): string | undefined {
  let reason: string | undefined;
  walk(loop, (node) => {
    if (reason) return false;
    switch (node.kind) {
      case 'launch':
        return false;
      case 'call': {
        const name = calleeName(node) ?? (node.callee.kind === 'member' ? node.callee.field : undefined);
        if (!name) {
          reason = 'a call out of sight may look at the results';
          return false;
        }
        if (node.callee.kind === 'member' && !/^(size|data|get|begin|end|c_str)$/.test(name)) {
          reason =
            isTimer(name) || /^(start|stop)$/.test(name) ? 'the loop is timed' : `\`${name}\` may look at the results`;
          return false;
        }
        if (isTimer(name)) {
          reason = 'the loop is timed';
          return false;
        }
        if (categoryOf(name) !== undefined) {
          node.args.forEach((arg) => {
            const inside = embeddedCalls(arg, context, depth);
            reason ??= inside;
          });
          return false;
        }
        if (harmless.test(name)) return true;
        if (isErrorCheck(node, name)) return true;
        const callee = context.program
          .functions(name)
          .find((fn): fn is FunctionDecl => !!fn.body && !fn.global && !fn.device && fn !== context.fn);
        if (callee && depth < 2 && launchesIn(callee.body!, context).length) {
          reason = hostNeeds(callee.body!, { ...context, fn: callee }, depth + 1);
          return false;
        }
        reason = `\`${name}\` may look at the results`;
        return false;
      }
      case 'index':
        reason = 'the host reads or writes memory in the loop';
        return false;
      case 'member':
        if (node.arrow) {
          reason = 'the host reads or writes memory in the loop';
          return false;
        }
        return true;
      case 'unary':
        if (node.op === '*') {
          reason = 'the host reads or writes memory in the loop';
          return false;
        }
        return true;
      case 'name':
        if (
          context.program.globals(node.name).some((global) => global.space === 'managed') &&
          !localsOf(context.fn).of(node)
        ) {
          reason = 'the host reads or writes managed memory in the loop';
          return false;
        }
        if (/(^|::)(cout|cerr|clog)$/.test(node.name)) {
          reason = 'the host prints in the loop';
          return false;
        }
        return true;
      case 'lambda':
      case 'new':
      case 'delete':
      case 'opaque':
      case 'asm':
      case 'try':
        reason = 'code out of sight may look at the results';
        return false;
      default:
        return true;
    }
  });
  return reason;
}
/** A loop without a counter: something in it must tell the host when to stop. */
function endsByData(loop: HostLoop, context: FunctionContext): boolean {
  if (loop.kind === 'rangeFor') return false;
  if (!loop.cond) return true;
  const locals = localsOf(context.fn);
  if (loop.cond.kind === 'number') return true;
  let counts = false;
  walk(loop.cond, (node) => {
    if (node.kind !== 'name') return;
    const local = locals.of(node);
    if (
      local?.writes.some(
        (write) => isInside(write.node, loop, locals) && (write.op !== '=' || write.value?.kind === 'binary'),
      )
    )
      counts = true;
  });
  if (
    loop.cond.kind === 'update' ||
    (loop.cond.kind === 'binary' && (loop.cond.left.kind === 'update' || loop.cond.right.kind === 'update'))
  )
    counts = true;
  return !counts;
}
function embeddedCalls(arg: Expr, context: FunctionContext, depth: number): string | undefined {
  let found: string | undefined;
  walk(arg, (node) => {
    if (node.kind === 'call') {
      const name = calleeName(node);
      if (name && categoryOf(name) === undefined && !harmless.test(name) && node.callee.kind === 'name')
        found = hostNeeds(node, context, depth);
    }
  });
  return found;
}
/**
 * What wrapper macros and functions do with an error code: `check(cudaGetLastError(), …)`, and the printing under their
 * condition.
 */
function isErrorCheck(node: AnySyntax, name: string): boolean {
  if (
    /^(cuda)?(check|assert|safe|verify|handle|gpu|getLast|err)\w*$/i.test(name) &&
    /err|check|cuda|assert|safe|handle/i.test(name)
  )
    return true;
  return !!node.macro && /^(f?printf|exit|abort|fputs|cudaGetErrorString)$/.test(name);
}
/** Does the loop read, elsewhere than in runtime calls, what a copy in it brings to the host? */
function readsCopied(
  loop: HostLoop,
  waiting: RuntimeCall,
  calls: readonly RuntimeCall[],
  context: FunctionContext,
): boolean {
  const locals = localsOf(context.fn);
  const brought = new Set<string>();
  for (const call of calls) {
    if (!isInside(call.call, loop, locals) || (call.category !== 'copy' && call.category !== 'async-copy')) continue;
    const direction = directionOf(call, context) ?? 'to-host';
    const host =
      direction === 'to-host' ? call.call.args[0] : direction === 'to-device' ? call.call.args[1] : undefined;
    if (host) {
      const name = rootName(host) ?? rootOfSum(host);
      if (name) brought.add(name);
      if (!name && call === waiting) return true;
      if (isScalarAddress(host)) brought.add(`&${name}`);
    }
  }
  if (!brought.size) return false;
  let reads = false;
  const changed = assignedNames(loop);
  walk(loop, (node) => {
    if (node.kind === 'call') {
      const name = calleeName(node);
      if (name && categoryOf(name) !== undefined) return false;
    }
    if (node.kind === 'name' && brought.has(node.name)) reads = true;
    return true;
  });
  if (reads) return true;
  // The source of a copy that the loop writes must be read before it is written again.
  for (const name of brought) if (changed.has(name) && !onlyTakenByCopies(name, loop, context)) return true;
  return false;
}
function rootOfSum(expr: Expr): string | undefined {
  return expr.kind === 'binary' && (expr.op === '+' || expr.op === '-')
    ? (rootName(expr.left) ?? rootOfSum(expr.left))
    : expr.kind === 'cast'
      ? rootOfSum(expr.operand)
      : undefined;
}
function isScalarAddress(expr: Expr): boolean {
  return expr.kind === 'unary' && expr.op === '&' && expr.operand.kind === 'name';
}
function onlyTakenByCopies(name: string, loop: HostLoop, context: FunctionContext): boolean {
  const locals = localsOf(context.fn);
  let only = true;
  walk(loop, (node) => {
    if (node.kind !== 'name' || node.name !== name) return;
    let inCopy = false;
    for (const around of ancestorsOf(node, locals))
      if (around.kind === 'call') {
        const callee = calleeName(around);
        inCopy = !!callee && categoryOf(callee) !== undefined;
        break;
      }
    if (!inCopy) only = false;
  });
  return only;
}

function synchroniseWait(waiting: RuntimeCall, loop: HostLoop, context: FunctionContext): Wait {
  const edits = syncEdits(waiting, loop, context);
  return edits ? { needed: false, ...edits } : { needed: false };
}

function syncEdits(
  waiting: RuntimeCall,
  loop: HostLoop,
  context: FunctionContext,
): { readonly edits: readonly Edit[]; readonly title: string } | undefined {
  const locals = localsOf(context.fn);
  const parent = locals.parent(loop);
  if (
    parent?.kind !== 'block' ||
    parent.macro ||
    loop.body.kind !== 'block' ||
    locals.parent(waiting.statement) !== loop.body
  )
    return undefined;
  if (!(waiting.statement.kind === 'expr' || (waiting.statement.macro && waiting.wrapper))) return undefined;
  if (
    waiting.call.args.some((arg) => {
      let inside = false;
      walk(arg, (node) => {
        if (node.kind === 'name') {
          const local = locals.of(node);
          if (local?.variable && isInside(local.variable, loop, locals)) inside = true;
        }
      });
      return inside;
    })
  )
    return undefined;
  const indent = indentOf(context, loop.start);
  if (indent === undefined) return undefined;
  const taken = takeOut(context, waiting.written);
  const position = parent.body.indexOf(loop as Stmt);
  const next = parent.body[position + 1];
  if (next && containsSynchronise(next))
    return { edits: [taken.edit], title: `Remove it: the loop is followed by a synchronisation` };
  const after = putAfter(context, loop.end, loop.start, [
    reindented(taken.text, indentOf(context, waiting.written.start) ?? '', indent),
  ]);
  if (!after || after.at.start < taken.edit.at.end) return undefined;
  return { edits: [taken.edit, after], title: `Synchronise once, after the loop (errors then show up later)` };
}
function containsSynchronise(stmt: Stmt): boolean {
  if (stmt.kind === 'for' || stmt.kind === 'while' || stmt.kind === 'if') return false;
  let found = false;
  walk(stmt, (node) => {
    if (node.kind === 'call' && /^cuda(Device|Thread|Stream)Synchronize$/.test(calleeName(node) ?? '')) found = true;
  });
  return found;
}

function copyWait(
  waiting: RuntimeCall,
  loop: HostLoop,
  stream: string,
  direction: 'to-device' | 'to-host' | 'device',
  context: FunctionContext,
): Wait {
  const hostArgument = direction === 'to-host' ? waiting.call.args[0] : waiting.call.args[1];
  const root = hostArgument && (rootName(hostArgument) ?? rootOfSum(hostArgument));
  const locals = localsOf(context.fn);
  if (!hostArgument || !root) return { needed: true, why: 'where the host keeps it is out of sight' };
  if (isScalarAddress(hostArgument) || (hostArgument.kind !== 'name' && !root))
    return { needed: true, why: 'a variable on the stack is copied' };
  const local = locals.all.find((candidate) => candidate.name === root);
  if (local?.variable && isInside(local.variable, loop, locals))
    return { needed: true, why: `\`${root}\` lives for one iteration only` };
  if (local?.variable?.type.kind === 'array') return { needed: true, why: 'a variable on the stack is copied' };
  if (waiting.name !== 'cudaMemcpy') return { needed: false };
  if (waiting.call.args.length !== 4 || waiting.call.callee.macro) return { needed: false };
  const { base } = context.fn;
  // The default stream needs no naming.
  const named = stream !== '0';
  const edits: Edit[] = [{ at: spanOf(context, waiting.call.callee), newText: 'cudaMemcpyAsync' }];
  if (named)
    edits.push({
      at: { uri: context.file.uri, start: base + waiting.call.end - 1, end: base + waiting.call.end - 1 },
      newText: `, ${stream}`,
    });
  const parent = locals.parent(loop);
  if (parent?.kind !== 'block' || parent.macro || indentOf(context, loop.start) === undefined) return { needed: false };
  const next = parent.body[parent.body.indexOf(loop as Stmt) + 1];
  if (!next || !containsSynchronise(next)) {
    const wait = named ? `cudaStreamSynchronize(${stream})` : 'cudaDeviceSynchronize()';
    const after = putAfter(context, loop.end, loop.start, [
      waiting.wrapper ? `${waiting.wrapper}(${wait});` : `${wait};`,
    ]);
    if (!after) return { needed: false };
    edits.push(after);
  }
  return {
    needed: false,
    edits,
    title: `Copy with cudaMemcpyAsync and wait after the loop (asynchronous only where \`${root}\` is pinned memory)`,
  };
}
