// The door of the run: a function run once over all threads of a block, and what its warps did.
import { TooManySteps } from '../steps';
import type { FunctionDecl, Node, TemplateArg, TypeSyntax } from '../../syntax/ast';
import { stripReference, intType, type Type } from '../language';
import { cellPlace } from './memory';
import { valueFromPassed } from './passedValues';
import type { PassedValue } from './passedValueShape';
import { createRecorder } from './recorder';
import { baseNamed, createRun, unseen } from './state';
import { eventsOf } from './sharedTrace';
import { blank, Taint, type Frame, type Path, type Place, type Run, type RunSetup, type Value } from './values';

export type RunResult = ReturnType<typeof run>;

/** Runs `setup.fn` once. Never throws on input; `complete` is false where it stopped early or failed. */
export function run(setup: RunSetup) {
  const state = createRun(setup, setup.contents?.recorder ?? createRecorder);
  const { recorder } = state;
  let complete = true;
  let failure: unknown;
  try {
    runFunction(state);
    recorder.flush();
  } catch (error) {
    complete = false;
    failure = error instanceof TooManySteps ? undefined : error;
    try {
      recorder.flush();
    } catch {
      // The records so far stand.
    }
  }
  return {
    accesses: recorder.accesses,
    branches: recorder.branches,
    barriers: recorder.barriers,
    unread: recorder.unread,
    launches: state.launches,
    // What was done to shared and to global memory, where `setup.races` asks for it.
    ...eventsOf(recorder.shared),
    // What its answer depends on: functions by key, names that it looked up, members of classes of the host.
    functions: state.functions,
    asked: state.asked,
    members: [...state.members.values()],
    complete,
    spent: state.spent,
    // What went wrong inside the run itself, for a log.
    failure,
  };
}

function runFunction(state: Run): void {
  const { setup } = state;
  const { fn } = setup;
  const code = setup.compiler.codeOf(fn, setup.bindings);
  for (const name of code.asked) state.asked.add(name);
  const self = setup.host ? methodObject(state, fn) : undefined;
  const frame: Frame = {
    run: state,
    fn,
    ...(self ? { self } : {}),
    slots: new Array(code.slots),
    bindings: setup.bindings,
    depth: 0,
    conditionsBefore: 0,
  };
  const taken = new Set(code.params.map(({ name }) => name));
  code.params.forEach((param, at) => {
    if (!param.name) return;
    const passed = passedAs(param.plain, setup.passed?.[at]);
    const value = setup.contents
      ? setup.contents.parameter(state, param.name, param.plain)
      : passed
        ? valueFromPassed(state, passed, param.name, taken)
        : parameter(state, param.name, param.plain, setup.args[at], param.node, setup.argOffsets?.[at]);
    frame.slots[param.slot] = { name: param.name, type: passed?.type ?? param.plain, value, node: param.node, fn };
  });
  state.functions.add(fn.key);
  setup.reached?.add(fn.key);
  const path: Path = {
    mask: state.full,
    shadow: 0,
    shadowOfSome: 0,
    unsure: 0,
    byData: 0,
    again: 0,
    guessed: 0,
    quiet: false,
    weight: 1,
    selecting: 0,
    conditions: undefined,
    loops: undefined,
    breaks: undefined,
  };
  code.body?.(path, frame);
}

/** The object that a method of host code runs on, of which nothing is known but its class. */
function methodObject(state: Run, fn: FunctionDecl): Place | undefined {
  if (fn.className === undefined) return undefined;
  const params = fn.templateParams?.slice(0, fn.classTemplateParams ?? 0) ?? [];
  const args = params.map(
    ({ name, kind }): TemplateArg =>
      kind === 'value' ? { expr: { kind: 'name', name, start: 0, end: 0 } } : { type: { kind: 'named', name } },
  );
  const written: TypeSyntax = { kind: 'named', name: fn.className, ...(args.length > 0 ? { args } : {}) };
  const type = state.setup.types.resolve(written, state.setup.bindings);
  if (type.kind !== 'struct' || !type.decl) return undefined;
  return cellPlace({ name: 'this', type, value: unseen(state, type, 'this', Taint.chosen), fn });
}

/** What a launch gives a parameter that is a lambda or a structure. */
function passedAs(type: Type, passed: PassedValue | undefined): PassedValue | undefined {
  if (!passed?.lambda && !passed?.fields) return undefined;
  if (type.kind === 'unknown') return passed;
  return passed.fields && type.kind === 'struct' ? { ...passed, type } : undefined;
}

function parameter(
  state: Run,
  name: string,
  type: Type,
  known: number | undefined,
  node: Node,
  offset: number | undefined,
): Value {
  const { setup } = state;
  // The key says that a condition compares with the kernel's own parameter.
  if (known !== undefined && type.kind !== 'pointer' && type.kind !== 'struct')
    return { ...blank, type: type.kind === 'unknown' ? intType : type, lanes: known, taint: 0, key: name };
  const declaration: { fn: FunctionDecl; uri: string; node: Node } = { fn: setup.fn, uri: setup.fn.uri, node };
  const space = setup.host ? 'unknown' : 'global';
  const pointer = type.kind === 'array' ? { kind: 'pointer' as const, to: type.of } : type;
  if (pointer.kind === 'pointer') {
    const { to, restrict } = pointer;
    const base = baseNamed(state, name, space, {
      type: to,
      declaration,
      ...(restrict === undefined ? {} : { restrict }),
    });
    return { ...blank, type: pointer, lanes: offset ?? 0, taint: 0, base };
  }
  return unseen(state, stripReference(type), name, Taint.chosen);
}
