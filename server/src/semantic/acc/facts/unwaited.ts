// What a queue still works on when the host, another queue or the end of the data uses it: nothing in between waits.
import { append, once } from '../../language';
import { spanIn } from '../../span';
import type { ClauseItem, Directive, LoopStep, Place, Step } from '../../../syntax/procedures';
import { type Call, callsUnknown, flowOf, type Touch } from '../analysis/dataflow';
import {
  clauseNames,
  dataRegions,
  hasClause,
  hasDataClause,
  isPartOf,
  isWithin,
  namedBy,
  within,
} from '../analysis/paths';
import { constructOf } from '../analysis/regions';
import { type Scope, variableAt } from '../analysis/scope';
import { type Access, effectsOf, effectsOfStep, listsOf, stepsIn, valuesIn } from '../analysis/steps';
import { isKept, ownedInside, transfersOf } from '../analysis/transfers';
import type { AccUnwaitedFact } from '../model';
import { addClause, lineAfter, lineBefore, standsInList, withFix } from './directiveEdits';

/** What an operation does to a variable's copy on one side. */
interface Use {
  readonly path: string;
  readonly write: boolean;
  readonly device: boolean;
  /** The elements, in a form that is equal for the same ones; absent for all of them. */
  readonly part?: string | undefined;
  /** Whatever a caller or a condition decides. */
  readonly sure: boolean;
  /** A scalar in no clause of `kernels`, which is copied back even where only the host changes it. */
  readonly copiedBack?: true;
}
interface Pending extends Use {
  readonly by: Directive;
  /** Its queue, and those that waited for it. */
  readonly queues: readonly string[];
}
/** What is pending on every way to a place; undefined where no way leads there. */
type State = readonly Pending[] | undefined;

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
  const { directives, regions, calls } = flowOf(call.callee);
  return (
    callsUnknown(call) ||
    directives.length + regions.length > 0 ||
    calls.some((inner) => inner.callee ?? mayWait(inner))
  );
});

export function unwaitedOf(scope: Scope): readonly AccUnwaitedFact[] {
  const { file, procedure } = scope;
  const flow = flowOf(scope);
  const isQueued = (directive: Directive): boolean => within(directive, procedure) && hasClause(directive, /^async$/);
  if (flow.gotos || !file.directives.some(isQueued)) return [];
  const [touches, calls] = [new Map<Step, Touch[]>(), new Map<Step, Call[]>()];
  for (const touch of flow.touches) append(touches, touch.step, touch);
  for (const call of flow.calls) append(calls, call.step, call);
  const facts = new Map<number, AccUnwaitedFact>();

  /** Reports what the uses meet; what is reported once is no longer pending. */
  function meet(
    state: readonly Pending[],
    uses: readonly Use[],
    at: Place,
    use: string,
    step: Step,
    after = false,
  ): readonly Pending[] {
    const meets = (pending: Pending, each: Use): boolean =>
      each.device === pending.device &&
      // Two constructs copy the same value back.
      (pending.copiedBack ? each.write && !each.copiedBack : each.write || pending.write) &&
      flow.mayMeet(pending.path, each.path) &&
      (each.part === undefined || pending.part === undefined || each.part === pending.part);
    const met = state.filter(
      (pending) =>
        variableAt(scope, pending.path, at.start) === variableAt(scope, pending.path, pending.by.start) &&
        uses.some((each) => meets(pending, each)),
    );
    // What is written tells more than what is read.
    const first = met.findLast(({ write }) => write) ?? met[0];
    if (!first || facts.has(at.start)) return met.length ? state.filter((pending) => !met.includes(pending)) : state;
    const { by, path, copiedBack } = first;
    const queues = [...new Set(met.map((pending) => pending.queues[0]!))];
    const wait = queues.every(isNumber) ? `wait(${queues.join(', ')})` : 'wait';
    const last = after ? listsOf(step)[0]!.at(-1) : undefined;
    const edit = last
      ? lineAfter(file, last, wait)
      : standsInList(file, step)
        ? lineBefore(file, step, wait)
        : undefined;
    const isSure = (pending: Pending): boolean =>
      pending.sure && pending.queues.every((queue) => queue === '' || isNumber(queue));
    facts.set(at.start, {
      kind: 'acc-unwaited',
      form: copiedBack ? 'copied-back' : 'unwaited',
      at: spanIn(file, at),
      name: path,
      use,
      byAt: spanIn(file, by),
      directive: by.name,
      wait,
      sure: !copiedBack && met.some((one) => isSure(one) && uses.some((each) => each.sure && meets(one, each))),
      ...(copiedBack
        ? withFix(`Add \`copyin(${path})\``, addClause(file, by, `copyin(${path})`))
        : withFix(`Insert \`${wait}\``, step.kind === 'loop' ? undefined : edit)),
    });
    // The wait that is missing would be for all of these queues.
    return state.filter((pending) => !pending.queues.some((queue) => queues.includes(queue)));
  }

  /** What the host does in a step itself. */
  function onHost(step: Step, state: readonly Pending[]): readonly Pending[] {
    if (state.length === 0) return state;
    if (calls.get(step)?.some((call) => !call.region && mayWait(call))) return [];
    const deallocates = /^deallocate\b/i.test(file.text.slice(step.start, step.start + 12));
    let rest = state;
    for (const touch of touches.get(step) ?? []) {
      if (touch.region || touch.device || touch.form === 'update') continue;
      const { path, mode, form, at, call, parents } = touch;
      // Elements that it names are others from here on.
      const isNamed = ({ part }: Pending): boolean => part?.match(/[A-Za-z_]\w*/g)?.includes(path) === true;
      if (mode === 'write') rest = rest.map((one) => (isNamed(one) ? { ...one, part: `?${one.by.start}` } : one));
      if (mode === 'write' && !deallocates && (form === 'pointer' || form === 'scalar')) {
        // The name stands for other memory from here on, and so do the members of what is set as a whole.
        const isRebound = form === 'pointer' || (step.kind === 'assign' && textAt(step).includes('=>'));
        rest = rest.filter((one) => !isPartOf(one.path, path) || (one.path === path && !isRebound));
      }
      if (form === 'pointer' && !(deallocates && mode === 'write')) continue;
      const lent = dataRegions(parents).some(({ directive: { clauses } }) =>
        clauses.some((clause) => clause.name === 'use_device' && clauseNames(clause, path)),
      );
      const known = call === undefined || !calls.get(step)!.some((each) => each.call === call && each.callee);
      // CUDA's libraries take the queue's stream.
      const device = lent && call !== undefined && /^mpi_/i.test(call.name);
      if (lent && !device) continue;
      const isElement = form === 'element' || (form === 'argument' && !/^&?\w+$/.test(textAt(at)));
      const use = { path, write: mode === 'write', device, part: isElement ? 'element' : undefined, sure: known };
      const words =
        deallocates || call?.name === 'free'
          ? 'freed'
          : call
            ? `passed to \`${call.name}\``
            : `${use.write ? 'changed' : 'read'} on the host`;
      rest = meet(rest, [use], at, words, step);
    }
    return rest;
  }

  const parentsOf = (step: Step): readonly Step[] => {
    const parent = scope.positions.get(step)?.parent;
    return parent ? [...parentsOf(parent), parent] : [];
  };
  const textAt = (at: Place): string => file.text.slice(at.start, at.end).replace(/\s/g, '');

  /** What a directive or construct does, in its queue or at once. */
  function operate(step: Step, by: Directive, state: readonly Pending[]): readonly Pending[] {
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
    const uses = [...usesOfConstruct(scope, step), ...usesOfItems(scope, by, parentsOf(step))];
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
    );
    const left = [...before.filter(isOrdered), ...rest];
    return queue === undefined ? left : [...left, ...uses.map((use): Pending => ({ ...use, by, queues: [queue] }))];
  }

  function walk(steps: readonly Step[], from: State): State {
    let state = from;
    for (const step of steps) {
      if (!state) return undefined;
      if (step.kind === 'region' && constructOf(step.directive)) state = operate(step, step.directive, state);
      else if (step.kind === 'region') {
        state = walk(step.body, state);
        const { directive } = step;
        const isReleased = state && directive.name === 'data' && !hasClause(directive, /^(if|async|wait)$/);
        const uses = isReleased ? usesOfItems(scope, directive, parentsOf(step)) : [];
        state = state && meet(state, uses, directive, "released by the region's end", step, true);
      } else if (step.kind === 'directive' && step.directive.name === 'wait') {
        const { argument } = step.directive;
        state = argument?.modifiers.length ? [] : afterWait(state, argument?.items);
      } else if (step.kind === 'directive') state = operate(step, step.directive, state);
      else if (step.kind === 'loop') state = inLoop(step, onHost(step, state));
      else if (step.kind === 'block') state = walk(step.body, state);
      else {
        state = onHost(step, state);
        if (step.kind === 'jump') return undefined;
        if (step.kind === 'other' && step.body) state = [];
        if (step.kind !== 'if') continue;
        const [then, otherwise] = [walk(step.then, state), walk(step.else ?? [], state)];
        state = then && otherwise ? then.filter((one) => otherwise.includes(one)) : (then ?? otherwise);
      }
    }
    return state;
  }

  /** The second iteration meets what the first left. */
  function inLoop(loop: LoopStep, from: readonly Pending[]): State {
    const once = walk(loop.body, from);
    if (!once || stepsIn(loop.body).some(({ kind }) => kind === 'jump')) return [];
    const { written, passed } = effectsOfStep(loop);
    const changes = (text = ''): boolean =>
      text.match(/[A-Za-z_]\w*/g)?.some((n) => written.has(n) || passed.has(n)) ?? false;
    const same = once.filter(({ part, queues }) => !changes(part) && !changes(queues.join(' ')));
    walk(loop.body, onHost(loop, same));
    return once.map((one) => (same.includes(one) ? one : { ...one, part: `${one.by.start}`, queues: ['?'] }));
  }

  walk(procedure.body, []);
  return [...facts.values()];
}

/** What a compute construct does on the GPU on every way through it, and what it copies in no clause. */
function usesOfConstruct(scope: Scope, step: Step): readonly Use[] {
  if (step.kind !== 'region') return [];
  const { accesses, written } = effectsOf(step.body);
  const { touches } = flowOf(scope);
  const isOwn = (path: string): boolean => {
    const variable = variableAt(scope, path, step.start);
    return !variable || isWithin(variable, step) || ownedInside(step, path);
  };
  const uses = accesses.flatMap((access): Use[] => {
    const { element, write, conditional } = access;
    if (conditional || isOwn(element.array)) return [];
    return [{ path: element.array, write, device: true, part: partOf(scope, access, written), sure: true }];
  });
  for (const { region, writes, path, clause } of transfersOf(scope))
    if (region === step && !clause) uses.push({ path, write: writes, device: false, sure: false });
  const counters = new Set(stepsIn(step.body).map((each) => (each.kind === 'loop' ? each.variable : undefined)));
  for (const { region, form, path, mode, parents } of touches) {
    if (region !== step || isOwn(path)) continue;
    if (form === 'whole' && !parents.some(({ kind }) => kind === 'if'))
      uses.push({ path, write: mode === 'write', device: true, sure: true });
    const isCopied = form === 'scalar' && constructOf(step.directive) === 'kernels' && !counters.has(path);
    const variable = isCopied ? variableAt(scope, path, step.start) : undefined;
    if (!variable || variable.dimensions || variable.constant || variable.role === 'global') continue;
    if (hasDataClause(step.directive, new Set([path])) || isKept(scope, path, parents)) continue;
    uses.push({ path, write: true, device: false, sure: false, copiedBack: true });
  }
  return uses;
}

/** What the clauses of a directive, or of the data region that ends, do to both copies. */
function usesOfItems(scope: Scope, { clauses, name: directive }: Directive, parents: readonly Step[]): readonly Use[] {
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
      const use = { path, part: ends ? undefined : sectionOf(item), sure };
      const hasHost = toHost || (!ends && /^(device|copyin)$/.test(name));
      return [
        ...(!construct || ends ? [{ ...use, device: true, write: ends || !toHost }] : []),
        ...(hasHost ? [{ ...use, device: false, write: toHost }] : []),
      ];
    }),
  );
}

/** The section of an item that does not begin where the array does. */
function sectionOf({ value, text }: ClauseItem): string | undefined {
  const whole =
    value?.kind !== 'element' ||
    value.subscripts.every(
      (one) => one.kind === 'section' && (!one.lower || (one.lower.kind === 'number' && one.lower.value <= 1)),
    );
  return whole ? undefined : text.replace(/\s/g, '');
}

/** The elements of an access over all iterations of its loops; bounds and distances a few elements apart meet. */
function partOf({ file }: Scope, { element, loops }: Access, written: ReadonlySet<string>): string {
  const near = (text: string): string => text.replace(/(?<=[\w)\]])[-+]\d+$/, '');
  const textOf = (at: Place | undefined): string => (at ? file.text.slice(at.start, at.end).replace(/\s/g, '') : '');
  const bounds = new Map(
    loops.map(({ variable, lower, upper }) => [
      variable,
      `[${lower?.kind === 'number' ? '' : near(textOf(lower))}:${near(textOf(upper))}]`,
    ]),
  );
  return element.subscripts
    .map((one) => {
      if (valuesIn(one).some((part) => part.kind === 'name' && written.has(part.name) && !bounds.has(part.name)))
        return `?${one.start}`;
      return near(textOf(one)).replace(/[A-Za-z_]\w*/g, (name) => bounds.get(name) ?? name);
    })
    .join();
}
