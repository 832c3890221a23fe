// The way of the host through a program: steps in order, branches joined, loops run twice, known procedures entered.
import { append, once } from '../../language';
import type { Directive, LoopStep, Place, RegionStep, Step } from '../../../syntax/procedures';
import { type Call, callsUnknown, flowOf, hasDirectives, isOutside, type Touch } from './dataflow';
import { clauseNames, dataRegions, joinPath, pathTo, rootOfPath } from './paths';
import { constructOf } from './regions';
import { type Scope, variableAt } from './scope';
import { directivesOf, stepsIn } from './steps';

/** One procedure on the way. */
export interface Frame {
  readonly scope: Scope;
  /** The calls that lead here, the first one in the procedure that is analysed. */
  readonly calls: readonly Call[];
  /** The memory that a path leads to, in a form that is the same in each procedure; undefined where it is not known. */
  keyOf(path: string, at: Place): string | undefined;
}

/** The state of the program that one analysis keeps, and how steps change it. */
export interface Domain<S> {
  /** What the host does in a step itself; `touches` leaves out what an entered procedure does. */
  host(step: Step, touches: readonly Touch[], state: S, frame: Frame): S;
  /** A construct, the begin of a data region, or a directive that stands alone. */
  operate(step: Step, directive: Directive, state: S, frame: Frame): S;
  leave(region: RegionStep, before: S, state: S, frame: Frame): S;
  /** A call that is not entered. */
  call(call: Call, state: S, frame: Frame): S;
  enters(callee: Scope): boolean;
  /** The begin of a procedure that is entered, whose variables are new. */
  enter?(callee: Scope, state: S): S;
  join(one: S, other: S): S;
  /** The begin of the next iteration, and the end of the loop after the first and the second one. */
  again(loop: LoopStep, state: S, frame: Frame): S;
  after(loop: LoopStep, first: S, second: S, frame: Frame): S;
  /** After steps that are not followed. */
  lost(state: S): S;
}

const byStep = once((scope: Scope) => {
  const [touches, calls] = [new Map<Step, Touch[]>(), new Map<Step, Call[]>()];
  const { touches: allTouches, calls: allCalls } = flowOf(scope);
  for (const touch of allTouches) append(touches, touch.step, touch);
  for (const call of allCalls) if (!call.region) append(calls, call.step, call);
  return { touches, calls };
});

/** Steps on all ways together: calls of calls in loops of loops multiply. */
const longestWay = 20_000;

export function walkHost<S>(scope: Scope, domain: Domain<S>, start: S): S | undefined {
  let left = longestWay;
  const rootKeys = (path: string, at: Place): string | undefined => keyIn(scope, path, at, undefined);
  return walkProcedure({ scope, calls: [], keyOf: rootKeys }, start);

  function walkProcedure(frame: Frame, from: S): S | undefined {
    const ends: S[] = [];
    const jumps: { loop: S[]; ends: S[] } = { loop: [], ends };
    const last = walk(frame, frame.scope.procedure.body, from, jumps);
    return joined([...ends, ...(last === undefined ? [] : [last])]);
  }

  function joined(states: readonly S[]): S | undefined {
    return states.length ? states.reduce((one, other) => domain.join(one, other)) : undefined;
  }

  function walk(frame: Frame, steps: readonly Step[], from: S, jumps: { loop: S[]; ends: S[] }): S | undefined {
    let state: S | undefined = from;
    for (const step of steps) {
      if (state === undefined || left-- <= 0) return undefined;
      if (step.kind === 'directive') state = domain.operate(step, step.directive, state, frame);
      else if (step.kind === 'region') {
        const before: S = state;
        const isData = step.directive.name === 'data';
        if (isData || constructOf(step.directive)) state = domain.operate(step, step.directive, state, frame);
        if (constructOf(step.directive)) continue;
        state = walk(frame, step.body, state, jumps);
        if (isData && state !== undefined) state = domain.leave(step, before, state, frame);
      } else if (step.kind === 'loop') state = inLoop(frame, step, onHost(frame, step, state), jumps.ends);
      else if (step.kind === 'block') state = walk(frame, step.body, state, jumps);
      else {
        state = onHost(frame, step, state);
        if (state === undefined) return undefined;
        if (step.kind === 'jump') {
          if (step.form === 'return') jumps.ends.push(state);
          else if (step.form !== 'stop') jumps.loop.push(state);
          return undefined;
        }
        if (step.kind === 'other' && step.body) state = domain.lost(state);
        if (step.kind !== 'if') continue;
        const ways = [walk(frame, step.then, state, jumps), walk(frame, step.else ?? [], state, jumps)];
        state = joined(ways.filter((way) => way !== undefined));
      }
    }
    return state;
  }

  function inLoop(frame: Frame, loop: LoopStep, from: S | undefined, ends: S[]): S | undefined {
    if (from === undefined) return undefined;
    const iteration = (state: S): S | undefined => {
      const jumps = { loop: [], ends };
      const last = walk(frame, loop.body, state, jumps);
      return joined([...jumps.loop, ...(last === undefined ? [] : [last])]);
    };
    const first = iteration(from);
    if (first === undefined || !isWorthTwice(frame.scope, loop)) return first;
    const next = onHost(frame, loop, domain.again(loop, first, frame));
    const second = next === undefined ? undefined : iteration(next);
    return second === undefined ? first : domain.after(loop, first, second, frame);
  }

  /** The calls of a step, then what it does by itself. */
  function onHost(frame: Frame, step: Step, from: S): S | undefined {
    let state: S | undefined = from;
    const { touches, calls } = byStep(frame.scope);
    const entered = new Set<unknown>();
    for (const call of calls.get(step) ?? []) {
      if (state === undefined) return undefined;
      const { callee } = call;
      const stack = [scope, ...frame.calls.map((each) => each.callee)];
      if (!callee || stack.includes(callee) || !domain.enters(callee) || flowOf(callee).gotos) {
        state = domain.call(call, state, frame);
        continue;
      }
      entered.add(call.call);
      const keyOf = (path: string, at: Place): string | undefined => keyIn(callee, path, at, { call, frame });
      state = walkProcedure(
        { scope: callee, calls: [...frame.calls, call], keyOf },
        domain.enter?.(callee, state) ?? state,
      );
    }
    if (state === undefined) return undefined;
    const all = (touches.get(step) ?? []).filter((touch) => !touch.region && !entered.has(touch.call));
    return domain.host(step, all, state, frame);
  }
}

/** The memory of a path, then of what else may stand for it. */
export const keysOf = ({ scope, keyOf }: Frame, path: string, at: Place): readonly string[] =>
  [...new Set([path, ...flowOf(scope).aliases(path)])].flatMap((alias) => keyOf(alias, at) ?? []);

/** Whether a region hands on the address on the GPU. */
export const isLent = ({ parents, path }: Touch): boolean =>
  dataRegions(parents).some(({ directive }) =>
    directive.clauses.some((clause) => clause.name === 'use_device' && clauseNames(clause, path)),
  );

export const deallocates = ({ file }: Scope, { start }: Step): boolean =>
  /^deallocate\b/i.test(file.text.slice(start, start + 12));

const isWorthTwice = (scope: Scope, loop: LoopStep): boolean =>
  stepsIn(loop.body).some(
    (step) =>
      directivesOf(step).length > 0 ||
      byStep(scope)
        .calls.get(step)
        ?.some((call) => (call.callee ? hasDirectives(call.callee) : callsUnknown(call))),
  );

function keyIn(
  scope: Scope,
  path: string,
  { start }: Place,
  by: { readonly call: Call; readonly frame: Frame } | undefined,
): string | undefined {
  const root = rootOfPath(path);
  const variable = variableAt(scope, root, start);
  if (!variable) return `unknown ${scope.file.uri} ${scope.procedure.start} ${path}`;
  if (by && variable.role === 'parameter' && !isOutside(scope, variable)) {
    const argument = by.call.call.args[scope.procedure.parameters.indexOf(root)];
    const base = argument && pathTo(argument);
    return base && by.frame.keyOf(joinPath(argument, base, path.slice(root.length)), argument);
  }
  return `${variable.role === 'local' ? 'local' : 'outside'} ${variable.uri} ${variable.at.start} ${path}`;
}
