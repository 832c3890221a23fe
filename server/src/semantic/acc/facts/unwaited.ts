// What a queue still works on when the host, another queue or the end of the data uses it: nothing in between waits.
import { once } from '../../language';
import { spanIn } from '../../span';
import type { ClauseItem, Directive, LoopStep, Place, Step } from '../../../syntax/procedures';
import { type Call, callsUnknown, flowOf, hasDirectives, type Touch } from '../analysis/dataflow';
import { hasClause, hasDataClause, isPartOf, isWithin, isRelated, namedBy } from '../analysis/paths';
import { deallocates, type Frame, isLent, keysOf, walkHost } from '../analysis/hostWalk';
import { isChanged, isSame, type Part, partIn, partOf } from '../analysis/elementRanges';
import { constructOf } from '../analysis/regions';
import { parentsOf, type Scope, variableAt } from '../analysis/scope';
import { effectsOf, effectsOfStep, listsOf, stepsIn } from '../analysis/steps';
import { isKept, ownedInside, transfersOf } from '../analysis/transfers';
import type { AccUnwaitedFact } from '../model';
import { addClause, lineAfter, lineBefore, standsInList, withFix } from './directiveEdits';

/** What an operation does to a variable's copy on one side. */
interface Use {
  readonly path: string;
  /** The memory, under each name that it may have. */
  readonly keys: readonly string[];
  readonly write: boolean;
  readonly device: boolean;
  /** The elements, absent for all of them. */
  readonly part?: Part | undefined;
  /** Whatever a caller or a condition decides. */
  readonly sure: boolean;
  /** A scalar in no clause of `kernels`, which is copied back even where only the host changes it. */
  readonly copiedBack?: true;
}
interface Pending extends Use {
  readonly by: Directive;
  readonly scope: Scope;
  /** Its queue, and those that waited for it. */
  readonly queues: readonly string[];
}
const isNumber = (queue: string): boolean => /^\d+$/.test(queue);

/** Whether nothing orders an operation after what is in a queue: one in no queue, or in surely another one. */
const isUnordered = (queue: string | undefined, { queues }: Pending): boolean =>
  queue === undefined || (isNumber(queue) && queues.every((each) => each !== queue && isNumber(each)));

export function queueOf({ clauses }: Directive): string | undefined {
  const clause = clauses.find(({ name }) => name === 'async');
  const text = clause && (clause.argument?.items[0]?.text.trim().toLowerCase() ?? '');
  return text === 'acc_async_sync' ? undefined : text === 'acc_async_noval' ? '' : text;
}

/** What may be pending after a wait for some queues, or for all. */
function afterWait(state: readonly Pending[], queues: readonly ClauseItem[] | undefined): readonly Pending[] {
  if (!queues?.length) return [];
  return state.filter((pending) => queues.every(({ text }) => isUnordered(text.trim(), pending)));
}

const mayWait = once((call: Call): boolean => {
  if (!call.callee) return !call.argumentsOnly || /^acc_/i.test(call.call.name);
  return (
    callsUnknown(call) ||
    hasDirectives(call.callee) ||
    flowOf(call.callee).calls.some((inner) => inner.callee ?? mayWait(inner))
  );
});

export function unwaitedOf(scope: Scope): readonly AccUnwaitedFact[] {
  const isQueued = ({ file }: Scope): boolean => file.directives.some((directive) => hasClause(directive, /^async$/));
  if (flowOf(scope).gotos || !hasDirectives(scope) || !scope.sources.scopes.some(isQueued)) return [];
  const facts = new Map<number, AccUnwaitedFact>();

  /** Reports what the uses meet; what is reported once is no longer pending. */
  function meet(
    state: readonly Pending[],
    uses: readonly Use[],
    place: Place,
    words: string,
    step: Step,
    frame: Frame,
    after = false,
  ): readonly Pending[] {
    const { file } = frame.scope;
    const meets = (pending: Pending, each: Use): boolean =>
      each.device === pending.device &&
      // Two constructs copy the same value back.
      (pending.copiedBack ? each.write && !each.copiedBack : each.write || pending.write) &&
      each.keys.some((key) => pending.keys.some((other) => isRelated(key, other))) &&
      (each.part === undefined ||
        pending.part === undefined ||
        (isSame(each.part, pending.part) && pending.scope === frame.scope));
    const met = state.filter((pending) => uses.some((each) => meets(pending, each)));
    // What is written tells more than what is read.
    const first = met.findLast(({ write }) => write) ?? met[0];
    // A procedure's use of what a caller began is the call's.
    const [call] = frame.calls;
    const at = call?.call ?? place;
    const isOwn = call && met.every((pending) => pending.scope === frame.scope);
    if (!first || isOwn || facts.has(at.start))
      return met.length ? state.filter((pending) => !met.includes(pending)) : state;
    const { by, path, copiedBack } = first;
    const queues = [...new Set(met.map((pending) => pending.queues[0]!))];
    const wait = queues.every(isNumber) ? `wait(${queues.join(', ')})` : 'wait';
    const last = after ? listsOf(step)[0]!.at(-1) : undefined;
    const usedBy = call?.step ?? step;
    const edit = last
      ? lineAfter(file, last, wait)
      : standsInList(scope.file, usedBy)
        ? lineBefore(scope.file, usedBy, wait)
        : undefined;
    const isSure = (pending: Pending): boolean =>
      pending.sure && pending.queues.every((queue) => queue === '' || isNumber(queue));
    facts.set(at.start, {
      kind: 'acc-unwaited',
      form: copiedBack ? 'copied-back' : 'unwaited',
      at: spanIn(scope.file, at),
      name: path,
      use: call ? `${words.replace(/ (in queue|without).*/, '')} in \`${call.call.name}\`` : words,
      byAt: spanIn(first.scope.file, by),
      directive: by.name,
      wait,
      sure: !copiedBack && met.some((one) => isSure(one) && uses.some((each) => each.sure && meets(one, each))),
      ...(copiedBack
        ? withFix(`Add \`copyin(${path})\``, addClause(first.scope.file, by, `copyin(${path})`))
        : withFix(`Insert \`${wait}\``, usedBy.kind === 'loop' || (call && last) ? undefined : edit)),
    });
    // The wait that is missing would be for all of these queues.
    return state.filter((pending) => !pending.queues.some((queue) => queues.includes(queue)));
  }

  /** What a directive or construct does, in its queue or at once. */
  function operate(step: Step, by: Directive, state: readonly Pending[], frame: Frame): readonly Pending[] {
    if (by.name === 'data') return state;
    if (by.name === 'wait') return by.argument?.modifiers.length ? [] : afterWait(state, by.argument?.items);
    const queue = queueOf(by);
    let before = state;
    for (const { name, argument } of by.clauses) {
      if (name !== 'wait') continue;
      const kept = afterWait(before, argument?.items);
      before =
        queue === undefined
          ? kept
          : before.map((one) => (kept.includes(one) ? one : { ...one, queues: [...one.queues, queue] }));
    }
    if (hasClause(by, constructOf(by) ? /^(if|self)$/ : /^if$/)) return before;
    const uses = [...usesOfConstruct(frame, step), ...usesOfItems(frame, step, by)];
    const words =
      by.name === 'exit data'
        ? 'released by `exit data`'
        : constructOf(by)
          ? `used ${queue ? `in queue ${queue}` : 'without `async`'}`
          : `copied by \`${by.name}\``;
    const isOrdered = (pending: Pending): boolean => !isUnordered(queue, pending);
    // What is on the GPU already is not brought there again.
    const meeting = by.name === 'enter data' ? uses.filter(({ device }) => !device) : uses;
    const rest = meet(
      before.filter((one) => !isOrdered(one)),
      meeting,
      by,
      words,
      step,
      frame,
    );
    const left = [...before.filter(isOrdered), ...rest];
    return queue === undefined
      ? left
      : [...left, ...uses.map((use): Pending => ({ ...use, by, scope: frame.scope, queues: [queue] }))];
  }

  function onHost(step: Step, touches: readonly Touch[], state: readonly Pending[], frame: Frame): readonly Pending[] {
    if (state.length === 0) return state;
    const { file } = frame.scope;
    const textAt = (at: Place): string => file.text.slice(at.start, at.end).replace(/\s/g, '');
    const isFreed = deallocates(frame.scope, step);
    let rest = state;
    for (const touch of touches) {
      if (touch.device || touch.form === 'update') continue;
      const { path, mode, form, at, call } = touch;
      if (mode === 'write')
        rest = rest.map((one) =>
          isChanged(one.part ?? [], (name) => name === path) ? { ...one, part: [undefined] } : one,
        );
      if (mode === 'write' && !isFreed && (form === 'pointer' || form === 'scalar')) {
        // The name stands for other memory from here on, and so do the members of what is set as a whole.
        const isRebound = form === 'pointer' || (step.kind === 'assign' && textAt(step).includes('=>'));
        const key = frame.keyOf(path, at);
        const isSet = (one: Pending): boolean => key !== undefined && isPartOf(one.keys[0]!, key);
        rest = rest.filter((one) => !isSet(one) || (one.keys[0] === key && !isRebound));
      }
      if (form === 'pointer' && !(isFreed && mode === 'write')) continue;
      const known = call === undefined || !flowOf(frame.scope).calls.some((each) => each.call === call && each.callee);
      // CUDA's libraries take the queue's stream.
      const device = isLent(touch) && call !== undefined && /^mpi_/i.test(call.name);
      if (isLent(touch) && !device) continue;
      const isElement = form === 'element' || (form === 'argument' && !/^&?\w+$/.test(textAt(at)));
      const part = isElement ? [undefined] : undefined;
      const use = { path, keys: keysOf(frame, path, at), write: mode === 'write', device, part, sure: known };
      const words =
        isFreed || call?.name === 'free'
          ? 'freed'
          : call
            ? `passed to \`${call.name}\``
            : `${use.write ? 'changed' : 'read'} on the host`;
      rest = meet(rest, [use], at, words, step, frame);
    }
    return rest;
  }

  /** What an iteration of a loop leaves for the next one and for what follows. */
  function leftBy(loop: LoopStep, pending: Pending): Pending {
    const { written, passed } = effectsOfStep(loop);
    const changes = (name: string): boolean => written.has(name) || passed.has(name);
    const isMoved = isChanged(pending.part ?? [], changes);
    const isOther = pending.queues.some((queue) => queue.match(/[A-Za-z_]\w*/g)?.some(changes));
    if (!isMoved && !isOther) return pending;
    return { ...pending, ...(isMoved && { part: [undefined], sure: false }), ...(isOther && { queues: ['?'] }) };
  }

  walkHost<readonly Pending[]>(
    scope,
    {
      host: onHost,
      operate,
      leave(region, _, state, frame) {
        const { directive } = region;
        const isReleased = !hasClause(directive, /^(if|async|wait)$/);
        const uses = isReleased ? usesOfItems(frame, region, directive) : [];
        return meet(state, uses, directive, "released by the region's end", region, frame, true);
      },
      call: (call, state) => (mayWait(call) ? [] : state),
      enters: hasDirectives,
      join: (one, other) => one.filter((pending) => other.includes(pending)),
      again: (loop, state) => state.filter((one) => leftBy(loop, one) === one),
      after: (loop, first) => first.map((one) => leftBy(loop, one)),
      lost: () => [],
    },
    [],
  );
  return [...facts.values()];
}

/** What a compute construct does on the GPU on every way through it, and what it copies in no clause. */
function usesOfConstruct(frame: Frame, step: Step): readonly Use[] {
  const { scope } = frame;
  if (step.kind !== 'region') return [];
  const { accesses } = effectsOf(step.body);
  const { touches } = flowOf(scope);
  const isOwn = (path: string): boolean => {
    const variable = variableAt(scope, path, step.start);
    return !variable || isWithin(variable, step) || ownedInside(step, path);
  };
  const uses = accesses.flatMap((access): Use[] => {
    const { element, write, conditional } = access;
    if (conditional || isOwn(element.array)) return [];
    const keys = keysOf(frame, element.array, step);
    return [{ path: element.array, keys, write, device: true, part: partIn(scope, access, step), sure: true }];
  });
  for (const { region, writes, path, clause } of transfersOf(scope))
    if (region === step && !clause)
      uses.push({ path, keys: keysOf(frame, path, step), write: writes, device: false, sure: false });
  const counters = new Set(stepsIn(step.body).map((each) => (each.kind === 'loop' ? each.variable : undefined)));
  for (const { region, form, path, mode, parents } of touches) {
    if (region !== step || isOwn(path)) continue;
    const keys = keysOf(frame, path, step);
    if (form === 'whole' && !parents.some(({ kind }) => kind === 'if'))
      uses.push({ path, keys, write: mode === 'write', device: true, sure: true });
    const isCopied = form === 'scalar' && constructOf(step.directive) === 'kernels' && !counters.has(path);
    const variable = isCopied ? variableAt(scope, path, step.start) : undefined;
    if (!variable || variable.dimensions || variable.constant || variable.role === 'global') continue;
    if (hasDataClause(step.directive, new Set([path])) || isKept(scope, path, parents)) continue;
    uses.push({ path, keys, write: true, device: false, sure: false, copiedBack: true });
  }
  return uses;
}

/** What the clauses of a directive, or of the data region that ends, do to both copies. */
function usesOfItems(frame: Frame, step: Step, { clauses, name: directive }: Directive): readonly Use[] {
  const { scope } = frame;
  const parents = parentsOf(scope, step);
  return clauses.flatMap(({ name, argument }) =>
    (argument?.items ?? []).flatMap((item): Use[] => {
      const { path, variable } = namedBy(scope, item) ?? {};
      if (!path || !variable || !/^(copy|copyin|copyout|create|delete|host|self|device|reduction)$/.test(name))
        return [];
      const construct = / data$|^update$/.test(directive) ? undefined : directive;
      // Compilers hand a number over as the construct is launched.
      if (construct && (isKept(scope, path, parents) || (name === 'copyin' && !variable.dimensions))) return [];
      // Runtimes keep what the end of a region only takes away until the queue is done.
      if (directive === 'data' && !/^copy(out)?$/.test(name)) return [];
      const ends = /^(exit data|data)$/.test(directive);
      const toHost = /^(host|self|copyout|reduction)$/.test(name) || (directive !== 'enter data' && name === 'copy');
      const sure = !(ends || construct) || (toHost && variable.role === 'local');
      const part = ends ? undefined : sectionOf(scope, item, step);
      const use = { path, keys: keysOf(frame, path, step), part, sure };
      const hasHost = toHost || (!ends && /^(device|copyin)$/.test(name));
      return [
        ...(!construct || ends ? [{ ...use, device: true, write: ends || !toHost }] : []),
        ...(hasHost ? [{ ...use, device: false, write: toHost }] : []),
      ];
    }),
  );
}

/** The section of an item that does not begin where the array does. */
function sectionOf(scope: Scope, { value }: ClauseItem, at: Step): Part | undefined {
  if (value?.kind !== 'element') return undefined;
  const isWhole = value.subscripts.every(
    (one) => one.kind === 'section' && (!one.lower || (one.lower.kind === 'number' && one.lower.value <= 1)),
  );
  return isWhole ? undefined : partOf(scope, value.subscripts, at);
}
