// Blocking copies in host loops: what they bring, whether the host reads it there, and how the copy need not block.
import { titleWith } from '../excerpt';
import type { CallExpr, Stmt } from '../../syntax/ast';
import type { Edit, RuntimeCallFact } from '../model';
import { type AnySyntax, rootOfAddress, some, type Fn, calleeName, categoryOf } from '../language';
import { copyBehind } from './copyBehind';
import { bringsToHost, directionOf, hostArgumentOf } from './directions';
import { isLoop, launchesIn, type HostLoop, type RuntimeCall } from './calls';
import { isInvariantIn } from './hoist';
import { indentOf, type Moves } from './moves';
import { mayShareMemory } from './pointers';
import { isPrivateMemory, statusCheckOf } from './callees';
import { placeOf } from './places';
import { isItselfTimed, resultsOf, waitsForLaunches, whyLooked, windowAfter } from './results';
import { isUsedIn, timelineAround } from './timeline';

export type Wait = NonNullable<RuntimeCallFact['wait']> & { readonly moves?: Moves | undefined };

/** Is a status checked in the loop by a function without a body, which may read memory that it can reach? */
function isCheckedUnseen(loop: HostLoop, fn: Fn): boolean {
  return some(loop, (node) => node.kind === 'call' && statusCheckOf(node, fn)?.known === false);
}

/** A loop without a counter: something in it must tell the host when to stop. */
export function endsByData(loop: HostLoop, fn: Fn): boolean {
  if (loop.kind === 'rangeFor') return false;
  if (!loop.cond) return true;
  if (loop.cond.kind === 'number') return true;
  const counts = (node: AnySyntax): boolean =>
    node.kind === 'update' ||
    (node.kind === 'name' &&
      !!fn
        .local(node)
        ?.writes.some(
          (write) => fn.isInside(write.node, loop) && (write.op !== '=' || write.value?.kind === 'binary'),
        ));
  return !some(loop.cond, counts);
}
/** Does the loop read, elsewhere than in runtime calls, what a copy in it brings to the host? */
export function readsCopied(loop: HostLoop, waiting: RuntimeCall, calls: readonly RuntimeCall[], fn: Fn): boolean {
  const brought = new Set<string>();
  for (const call of calls) {
    if (!fn.isInside(call.call, loop) || (call.category !== 'copy' && call.category !== 'async-copy')) continue;
    const host = directionOf(call, fn) === undefined ? call.call.args[0] : hostArgumentOf(call, fn);
    if (host) {
      const name = rootOfAddress(host);
      if (name) brought.add(name);
      if (!name && call === waiting) return true;
    }
  }
  const isOfRuntime = (call: CallExpr): boolean => categoryOf(calleeName(call) ?? '') !== undefined;
  return isUsedIn(loop, brought, isOfRuntime, fn);
}
/**
 * Each copy to the host overwrites the last one, and nothing in the loop reads what it brought: the place and the size
 * stay, and no other name for the place is used.
 */
export function isOverwritten(waiting: RuntimeCall, loop: HostLoop, calls: readonly RuntimeCall[], fn: Fn): boolean {
  if (!/^(cudaMemcpy|cuMemcpyDtoH|cudaMemcpyFromSymbol)$/.test(waiting.name)) return false;
  const [target, , size] = waiting.call.args;
  const place = target && placeOf(target);
  const root = target && rootOfAddress(target);
  if (!target || !place || !root || mayShareMemory(fn.unit)) return false;
  const local = fn.locals.all.find((candidate) => candidate.name === root);
  if (!local || (local.variable && fn.isInside(local.variable, loop))) return false;
  // The same bytes on each iteration: nothing that the place or the size names changes in the loop.
  const changes = (node: AnySyntax): boolean => {
    if (node.kind === 'name') return node.name !== root && !isInvariantIn(node, loop, fn);
    if (node.kind === 'index') return node.index.kind !== 'number';
    if (node.kind === 'call') return !/^(sizeof|min|max)$/.test(calleeName(node) ?? '');
    return node.kind === 'update' || node.kind === 'assign';
  };
  if (some(target, changes) || (size && some(size, changes))) return false;
  const names = new Set([root]);
  for (const other of fn.locals.all) {
    const init = other.variable?.init ?? other.writes[0]?.value;
    if (init && other.name !== root && rootOfAddress(init) === root) names.add(other.name);
  }
  const toHost = new Set(calls.flatMap((one) => (bringsToHost(one, fn) ? [one.call] : [])));
  return !isUsedIn(loop, names, (call) => call === waiting.call || toHost.has(call), fn);
}
/** An iteration that repeats its launches in a separate loop pays for a copy. */
export function repeatsLaunches(loop: HostLoop, fn: Fn): boolean {
  return launchesIn(loop, fn).every((launch) =>
    [...fn.around(launch)].some((around) => around !== loop && isLoop(around) && fn.isInside(around, loop)),
  );
}
/** Code that a preprocessor condition leaves out today may read what the copy brings: `#ifdef VERIFY`. */
export function isNamedInOtherBuilds(name: string, loop: HostLoop, fn: Fn): boolean {
  const text = fn.text(loop);
  const depths = directiveDepths(text);
  return text.split('\n').some((line, at) => depths[at]! > 0 && new RegExp(`\\b${name}\\b`).test(line));
}
/** By line of a text: how many of the `#if … #endif` that open in it are around. */
export function directiveDepths(text: string): readonly number[] {
  let depth = 0;
  return text.split('\n').map((line) => {
    if (/^\s*#\s*if/.test(line)) depth++;
    else if (/^\s*#\s*endif/.test(line)) depth = Math.max(0, depth - 1);
    return depth;
  });
}
/** One copy after the loop is enough, unless a clock in the loop waits by it. */
export function overwrittenWait(waiting: RuntimeCall, loop: HostLoop, calls: readonly RuntimeCall[], fn: Fn): Wait {
  const timeline = timelineAround(waiting, loop, calls, fn);
  if (!timeline) return { needed: true, why: 'it is conditional' };
  const why = whyLooked(windowAfter(timeline).items, resultsOf(loop, calls, fn), fn);
  if (why && waitsForLaunches(timeline)) return { needed: true, why };
  if (isItselfTimed(timeline)) return { needed: true, why: 'the copy itself is timed' };
  const target = waiting.call.args[0]!;
  return {
    needed: false,
    overwritten: rootOfAddress(target) ?? fn.text(target),
    moves: copyBehind(waiting, loop, calls, fn),
  };
}
export function containsSynchronise(stmt: Stmt): boolean {
  if (stmt.kind === 'for' || stmt.kind === 'while' || stmt.kind === 'if') return false;
  return some(
    stmt,
    (node) => node.kind === 'call' && /^cuda(Device|Thread|Stream)Synchronize$/.test(calleeName(node) ?? ''),
  );
}

export function copyWait(waiting: RuntimeCall, loop: HostLoop, stream: string, fn: Fn): Wait {
  const hostArgument = hostArgumentOf(waiting, fn);
  const root = hostArgument && rootOfAddress(hostArgument);
  if (!hostArgument || !root) return { needed: true, why: 'the host array is not known' };
  if (hostArgument.kind === 'unary' && hostArgument.op === '&' && hostArgument.operand.kind === 'name')
    return { needed: true, why: 'a variable on the stack is copied' };
  const local = fn.locals.all.find((candidate) => candidate.name === root);
  if (local?.variable && fn.isInside(local.variable, loop))
    return { needed: true, why: `\`${root}\` lives for one iteration only` };
  if (local?.variable?.type.kind === 'array') return { needed: true, why: 'a variable on the stack is copied' };
  if (isCheckedUnseen(loop, fn) && !isPrivateMemory(root, fn))
    return { needed: true, why: `the check may look at \`${root}\`` };
  if (waiting.name !== 'cudaMemcpy') return { needed: false };
  if (waiting.call.args.length !== 4 || waiting.call.callee.macro) return { needed: false };
  const { base } = fn.decl;
  // The default stream needs no naming.
  const named = stream !== '0';
  const edits: Edit[] = [{ at: fn.span(waiting.call.callee), newText: 'cudaMemcpyAsync' }];
  if (named)
    edits.push({
      at: { uri: fn.file.uri, start: base + waiting.call.end - 1, end: base + waiting.call.end - 1 },
      newText: `, ${stream}`,
    });
  const parent = fn.parent(loop);
  if (parent?.kind !== 'block' || parent.macro || indentOf(fn, loop.start) === undefined) return { needed: false };
  const next = parent.body[parent.body.indexOf(loop as Stmt) + 1];
  const wait = named ? `cudaStreamSynchronize(${stream})` : 'cudaDeviceSynchronize()';
  const text = waiting.wrapper ? `${waiting.wrapper}(${wait});` : `${wait};`;
  return {
    needed: false,
    moves: {
      edits,
      ...(next && containsSynchronise(next) ? {} : { behind: { text, guard: '' } }),
      title: titleWith(root, (name) => `Use cudaMemcpyAsync and wait after the loop (for pinned \`${name}\`)`),
      titleOfAll: 'Use cudaMemcpyAsync {count} times and wait after the loop (if pinned)',
    },
  };
}
