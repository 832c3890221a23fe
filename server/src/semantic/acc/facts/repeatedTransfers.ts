// Host loops around compute constructs that bring the same arrays to the GPU on each iteration, and the data region
// that would keep them there.
import { spanIn } from '../../span';
import { append, once } from '../../language';
import { listExcerpt, longestTitle } from '../../excerpt';
import type { LoopStep, RegionStep, Step, Value, Variable } from '../../../syntax/procedures';
import { rootName } from '../../../syntax/directives/values';
import { flowOf, isOutside, summaryOf, type Call } from '../analysis/dataflow';
import { dataRegions, isInside, isPartOf, isRelated, isWithin, joinPath, pathTo } from '../analysis/paths';
import { lineAfter, lineBefore, withFix } from './directiveEdits';
import type { AccRepeatedTransferFact } from '../model';
import { constructOf } from '../analysis/regions';
import { elementsOf, isSmall, smallArray } from './extents';
import { asDeclared, headOf, numberAt, variableAt, type Scope } from '../analysis/scope';
import { listsOf, stepsIn } from '../analysis/steps';
import { namesIn } from '../analysis/valuePolynomials';
import {
  hostTouches,
  isKept,
  mayBePresent,
  regionTransfersOf,
  transfersOf,
  type Transfer,
} from '../analysis/transfers';

/** An array as the procedure with the loop names it, and what one construct or data region inside does with it. */
interface Moved {
  readonly path: string;
  readonly variable: Variable;
  readonly reads: boolean;
  readonly writes: boolean;
  readonly transfer: Transfer;
  readonly call?: Call;
  /** Its extent as `0:n`, in words of the procedure with the loop. */
  readonly section: string | undefined;
  readonly steady: boolean;
}

/** Loops of one procedure, outermost first; a loop inside a found one is reported only for its own arrays. */
export function repeatedTransfersOf(scope: Scope): readonly AccRepeatedTransferFact[] {
  if (scope.procedure.routine.length || scope.procedure.device) return [];
  const facts: AccRepeatedTransferFact[] = [];
  const visit = (steps: readonly Step[], told: ReadonlySet<string>): void => {
    for (const step of steps) {
      if (step.kind === 'region' && constructOf(step.directive)) continue;
      let inside = told;
      const all = step.kind === 'loop' ? movedIn(scope, step) : [];
      if (step.kind === 'loop' && all.length && !runsSeldom(scope, step) && !changesDevice(scope, step)) {
        // What is met under a condition alone may be met once, on the way out.
        const always = new Set(all.filter((one) => isMetEachTurn(one, step)).map((one) => one.path));
        const moved = all.filter((one) => always.has(one.path) && !told.has(one.path) && stays(scope, one, step));
        if (moved.length) {
          facts.push(factOf(scope, step, moved));
          inside = new Set([...told, ...moved.map((one) => one.path)]);
        }
      }
      for (const list of listsOf(step)) visit(list, inside);
    }
  };
  visit(scope.procedure.body, new Set());
  return facts;
}

function isMetEachTurn(moved: Moved, loop: LoopStep): boolean {
  const parents = moved.call ? moved.call.parents : moved.transfer.parents;
  return !parents.slice(parents.indexOf(loop) + 1).some((parent) => parent.kind === 'if' || parent.kind === 'other');
}

/** What is in each loop of a procedure, once for all of its loops: there may be as many as lines. */
const inLoopsOf = once((scope: Scope) => ({
  transfers: byLoop([...transfersOf(scope), ...regionTransfersOf(scope)]),
  calls: byLoop(flowOf(scope).calls),
}));

function byLoop<T extends { readonly parents: readonly Step[] }>(things: readonly T[]): Map<Step, T[]> {
  const of = new Map<Step, T[]>();
  for (const thing of things) for (const parent of new Set(thing.parents)) append(of, parent, thing);
  return of;
}

/** A loop over devices has a copy on each. */
function changesDevice(scope: Scope, loop: LoopStep): boolean {
  const flow = flowOf(scope);
  return (
    flow.directives.some(({ step, parents }) => step.directive.name === 'set' && parents.includes(loop)) ||
    flow.calls.some((call) => /^acc_set_device/i.test(call.call.name) && isInside(call, loop))
  );
}

/** One turn, or two: a warm-up. */
function runsSeldom(scope: Scope, loop: LoopStep): boolean {
  if (loop.form !== 'counted' || !loop.lower || !loop.upper) return false;
  const from = numberAt(scope, loop.lower, loop),
    to = numberAt(scope, loop.upper, loop);
  return from !== undefined && to !== undefined && Math.abs(to - from) + (loop.inclusive ? 1 : 0) <= 2;
}

function movedIn(scope: Scope, loop: LoopStep): Moved[] {
  const { transfers, calls } = inLoopsOf(scope);
  const own = (transfers.get(loop) ?? [])
    .filter((transfer) => !mayBePresent(transfer))
    .map((transfer): Moved => {
      const steady = !dependsOnLoop(scope, transfer, loop);
      return { ...transfer, transfer, steady, section: ownSection(scope, transfer) };
    });
  const through = (calls.get(loop) ?? [])
    .filter((call) => call.callee && call.callee !== scope && !call.region)
    .flatMap((call) => movedBy(scope, call, loop));
  return [...own, ...through];
}

/** The arrays that a procedure moves for its caller. */
function movedBy(scope: Scope, call: Call, loop: LoopStep): Moved[] {
  const callee = call.callee!;
  const flow = flowOf(callee);
  return [...transfersOf(callee), ...regionTransfersOf(callee)].flatMap((transfer): Moved[] => {
    if (mayBePresent(transfer) || dataRegions(transfer.parents).length) return [];
    if (
      isOutside(callee, transfer.variable) &&
      variableAt(scope, transfer.path, call.call.start)?.at.start === transfer.variable.at.start
    ) {
      const seen: Transfer = { ...transfer, scope, parents: call.parents };
      if (mayBePresent(seen) || isKept(scope, transfer.path, call.parents)) return [];
      const section = needsSection(callee, transfer.variable) ? undefined : '';
      return [{ ...transfer, transfer, call, steady: true, section }];
    }
    for (const alias of flow.aliases(transfer.path)) {
      const index = callee.procedure.parameters.findIndex((name) => isPartOf(alias, name));
      const argument = call.call.args[index];
      if (!argument) continue;
      const inner = argument.kind === 'unary' && argument.op === '&' ? argument.operand : argument;
      const base = pathTo(inner);
      const path = base && joinPath(argument, base, alias.slice(callee.procedure.parameters[index]!.length));
      if (!path) return [];
      const variable =
        variableAt(scope, path, argument.start) ?? variableAt(scope, rootName(inner) ?? path, argument.start);
      if (!variable) return [];
      const seen: Transfer = { ...transfer, scope, path, variable, region: transfer.region, parents: call.parents };
      if (mayBePresent(seen) || isKept(scope, path, call.parents)) return [];
      const section = translatedSection(callee, transfer, call);
      const steady = !(inner.kind === 'element' && inner.subscripts.some((one) => mentionsChanging(scope, one, loop)));
      return [{ ...transfer, path, variable, transfer, call, steady, section }];
    }
    return [];
  });
}

/** A clause names so few elements of an array of unknown extent that they cost their latency alone. */
function movesFew(scope: Scope, { variable, transfer, call }: Moved, loop: LoopStep): boolean {
  const elements = call ? undefined : elementsOf(scope, transfer.item, variable, loop);
  return elements !== undefined && elements > 0 && elements <= smallArray;
}

/** Is it the same memory on every iteration, which the host leaves alone in between? */
function stays(scope: Scope, moved: Moved, loop: LoopStep): boolean {
  const { path, variable } = moved;
  if (!moved.steady || moved.transfer.clause?.name === 'create') return false;
  if (variable.role === 'local' && variable.uri === scope.file.uri && isWithin(variable, loop)) return false;
  if (isSmall(scope, variable, loop) || movesFew(scope, moved, loop)) return false;
  const flow = flowOf(scope);
  const names = flow.aliases(path);
  const isReset = flow.touches.some(
    (touch) =>
      isInside(touch, loop) &&
      [...names].some(
        (name) =>
          (isPartOf(name, touch.path) &&
            touch.mode === 'write' &&
            (touch.form === 'pointer' || touch.form === 'scalar')) ||
          (touch.form === 'update' && isRelated(touch.path, name)),
      ),
  );
  return !isReset && !hostTouches(scope, path, loop);
}

/** Does the part that is moved change from turn to turn? */
function dependsOnLoop(scope: Scope, transfer: Transfer, loop: LoopStep): boolean {
  if (transfer.item) return transfer.item.value !== undefined && mentionsChanging(scope, transfer.item.value, loop);
  // Without a clause the compiler moves what the region's loops reach, which may be another block on each iteration.
  return stepsIn(transfer.region.body).some(
    (step) =>
      step.kind === 'loop' &&
      [step.lower, step.upper].some((bound) => bound && mentionsChanging(scope, bound, loop, transfer.region)),
  );
}

export function mentionsChanging(scope: Scope, value: Value, loop: LoopStep, without?: RegionStep): boolean {
  const names = namesIn(value);
  return flowOf(scope).touches.some(
    (touch) =>
      touch.mode === 'write' &&
      touch.form === 'scalar' &&
      names.has(touch.path) &&
      isInside(touch, loop) &&
      (!without || touch.region !== without),
  );
}

// ---- the data region ----------------------------------------------------------------------------------------------

/** `0:n` of an array whose name alone does not tell its extent; empty where the name is enough. */
function ownSection(scope: Scope, transfer: Transfer): string | undefined {
  if (!needsSection(scope, transfer.variable)) return '';
  return transfer.item && bracketsOf(scope.file.text.slice(transfer.item.start, transfer.item.end));
}

function needsSection(scope: Scope, variable: Variable): boolean {
  if (scope.file.language === 'fortran')
    return (
      variable.role === 'parameter' &&
      variable.dimensions!.some(
        (dimension, at) =>
          at === variable.dimensions!.length - 1 &&
          !dimension.upper &&
          dimension.lower === undefined &&
          /\*/.test(
            scope.file.text
              .slice(variable.at.end, variable.at.end + 60)
              .split(/[\n!]/)[0]!
              .split('::')[0]!,
          ),
      )
    );
  return variable.dimensions!.some((dimension) => !dimension.extent) || variable.pointer === true;
}

function bracketsOf(text: string): string | undefined {
  return /(\[[\s\S]*\]|\([\s\S]*\))\s*$/.exec(text)?.[1]?.replace(/\s+/g, ' ');
}

/** The section of a callee's clause in the words of the caller: parameters become what is handed in for them. */
function translatedSection(callee: Scope, transfer: Transfer, call: Call): string | undefined {
  const fortran = callee.file.language === 'fortran';
  if (!transfer.item) return fortran ? '' : undefined;
  const brackets = bracketsOf(callee.file.text.slice(transfer.item.start, transfer.item.end));
  if (brackets === undefined) return fortran || !transfer.variable.pointer ? '' : undefined;
  const { parameters } = callee.procedure;
  let known = true;
  const text = brackets.replace(/[A-Za-z_]\w*/g, (word) => {
    const argument = call.call.args[parameters.indexOf(word)];
    const name =
      argument &&
      (argument.kind === 'name'
        ? argument.name
        : argument.kind === 'number' && !argument.macro
          ? String(argument.value)
          : argument.kind === 'member'
            ? argument.path
            : undefined);
    const isOwn = (variableAt(callee, word, transfer.region.start)?.role ?? 'global') !== 'global';
    const effects = summaryOf(callee)?.parameters[parameters.indexOf(word)] ?? [];
    // A value that the callee changes before it gets there is another one.
    const isChanged = effects.some(({ suffix, write, scalar }) => suffix === '' && write && scalar);
    if ((name === undefined && isOwn) || (argument && isChanged)) known = false;
    return name ?? word;
  });
  return known ? text : undefined;
}

function factOf(scope: Scope, loop: LoopStep, all: readonly Moved[]): AccRepeatedTransferFact {
  const { file } = scope;
  const byPath = new Map<string, Moved[]>();
  for (const moved of all) append(byPath, moved.path, moved);
  const parts = [...byPath].map(([path, list]) => {
    const writes = list.some((one) => one.writes);
    const sections = new Set(list.map((one) => one.section));
    const section = sections.size === 1 ? [...sections][0] : undefined;
    return {
      path,
      shown: asDeclared(scope, path, list[0]!.variable),
      writes,
      clause: !writes
        ? 'copyin'
        : !isScratch(scope, path, list, loop)
          ? 'copy'
          : isReadFirst(scope, path, list, loop)
            ? 'copyin'
            : 'create',
      section,
    };
  });
  const order = ['copyin', 'copy', 'create'];
  const words = order
    .flatMap((clause) => {
      const of = parts.filter((part) => part.clause === clause);
      return of.length
        ? [
            `${clause}(${of.map((part) => part.shown + (part.section ?? (file.language === 'c' ? '[0:…]' : ''))).join(', ')})`,
          ]
        : [];
    })
    .join(' ');
  const whole = parts.every((part) => part.section !== undefined && /^\w+$/.test(part.path)) && !leavesEarly(loop);
  const canHold = whole && !underPragma(scope, loop);
  const places = new Map(
    all.map((moved) => {
      const place = placeIn(moved);
      return [place.start, spanIn(file, place)];
    }),
  );
  const written = parts.filter((part) => part.clause === 'copy').map((part) => part.shown);
  const effect = written.length > 0 ? 'host copies are stale until it ends' : 'GPU copies stay in the loop';
  return {
    kind: 'acc-repeated-transfer',
    at: spanIn(file, loop.header),
    loopText: headOf(file, loop),
    arrays: parts.map((part) => part.shown),
    through: all.some((moved) => moved.call) ? (all.every((moved) => moved.call) ? 'calls' : 'both') : 'constructs',
    constructs: all.map(({ transfer: { scope: own, region } }) => ({
      uri: own.file.uri,
      start: region.start,
      end: region.end,
    })),
    names: [...new Set(all.map(({ transfer }) => transfer.path))],
    ways: all.some(({ transfer }) => !/copyin|copyout/.test(transfer.clause?.name ?? 'copy')) ? 2 : 1,
    stated: all.some((moved) => moved.transfer.clause),
    regions: [...places.values()].sort((a, b) => a.start - b.start),
    advice: `data ${words}`,
    ...(all.every((moved) => isMetEachTurn(moved, loop)) ? bytesEachTurn(scope, loop, all) : {}),
    ...withFix(
      `Add \`${listExcerpt(`data ${words}`, longestTitle - 8 - effect.length)}\` (${effect})`,
      canHold ? lineBefore(file, loop, `data ${words}`) : undefined,
      file.language === 'c' ? [] : lineAfter(file, loop, 'end data'),
    ),
  };
}

/** Written on the GPU and never looked at by the host: nothing of it has to travel. */
function isScratch(scope: Scope, path: string, moved: readonly Moved[], loop: LoopStep): boolean {
  const variable = moved[0]!.variable;
  if (variable.role !== 'local') return false;
  const flow = flowOf(scope);
  if (flow.aliases(path).size > 1) return false;
  return flow.touches.every(
    (touch) =>
      !isRelated(touch.path, path) ||
      isInside(touch, loop) ||
      (touch.form === 'pointer' && touch.mode === 'write') ||
      (touch.form === 'argument' && /^(free|delete|allocate|deallocate)$/.test(touch.call?.name ?? '')),
  );
}

/** Does the first iteration on the GPU read the array before one writes it? What it reads was set before the loop. */
function isReadFirst(scope: Scope, path: string, moved: readonly Moved[], loop: LoopStep): boolean {
  const first = [...moved].sort((a, b) => placeIn(a).start - placeIn(b).start)[0]!;
  if (first.call) return first.reads;
  const touch = flowOf(scope).touches.find(
    (one) => one.form !== 'pointer' && isInside(one, loop) && isRelated(one.path, path),
  );
  return touch?.mode === 'read';
}

function placeIn({ call, transfer }: Moved): { readonly start: number; readonly end: number } {
  return call ? call.call : transfer.region.directive;
}

/** `return` and `goto` may not leave a data region. */
function leavesEarly(loop: LoopStep): boolean {
  return stepsIn(loop.body).some((step) => step.kind === 'jump' && (step.form === 'return' || step.form === 'goto'));
}

/** A pragma right above speaks of the loop: nothing may come between. */
function underPragma(scope: Scope, loop: LoopStep): boolean {
  const { text } = scope.file;
  const before = text.slice(0, text.lastIndexOf('\n', loop.start - 1) + 1).trimEnd();
  return /^\s*(#\s*pragma\b|!\$)/.test(before.slice(before.lastIndexOf('\n') + 1));
}

// ---- bytes ----------------------------------------------------------------------------------------------------------

/**
 * The sums over all constructs. Nothing where an extent is not known, where a construct is in its own loop, or
 * where a called procedure moves a part. An array that a clause does not name is copied there and back; whether what is
 * not written comes back is the compiler's choice, so that the sum is the most that comes back.
 */
function bytesEachTurn(scope: Scope, loop: LoopStep, moved: readonly Moved[]): Pick<AccRepeatedTransferFact, 'bytes'> {
  let toGpu = 0;
  let toHost = 0;
  let atMost = false;
  for (const { variable, transfer, writes, call } of moved) {
    const { clause, item, parents } = transfer;
    if (parents.slice(parents.indexOf(loop) + 1).some(({ kind }) => kind === 'loop')) return {};
    if (call && item?.value?.kind === 'element') return {};
    const elements = elementsOf(scope, call ? undefined : item, variable, loop);
    if (elements === undefined || elements <= 0 || variable.elementBytes === undefined) return {};
    const bytes = elements * variable.elementBytes;
    if (clause?.name !== 'copyout' && clause?.name !== 'create') toGpu += bytes;
    if (clause?.name === 'copyin' || clause?.name === 'create') continue;
    toHost += bytes;
    if (!clause && !writes) atMost = true;
  }
  return { bytes: { toGpu, toHost, atMost } };
}
