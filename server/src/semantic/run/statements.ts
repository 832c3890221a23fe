// Statements as closures: declarations, loops and conditions with their names resolved.
import { convert } from './conversions';
import type { Expr, ForStmt, FunctionDecl, Stmt, VarDecl } from '../../syntax/ast';
import {
  decay,
  stripReference,
  bodyLaunches,
  isStatement,
  leaves,
  mentions,
  once,
  rootName,
  some,
  walk,
  type Type,
  voidType,
  counted,
  tripsBetween,
} from '../language';
import { fork, runSwitch, type ForkPlan, type SwitchPlan } from './control';
import { endProgram, goingOn, jump, leadsOn, leaveFunction, leaveLoop, partingCondition, withLabels } from './exits';
import { emptyMask, type Lanes } from './lanes';
import { loop } from './loops';
import { mostUnrolled, type LoopPlan } from './loopPlan';
import { compileCarried } from './carried';
import { enumeratorsOf } from './enumerators';
import { merge, truthOf } from './operations';
import { compileFill } from './fill';
import { initOf } from './initialisers';
import { compileOwner } from './owners';
import { compileRangeFor } from './rangeFor';
import { isTrivial, localConstant, selectsOnly, type Scope } from './scope';
import { countAssembly, movesByAssembly } from './assembly';
import { registerIn } from './groups';
import { dataMask } from './snapshots';
import { baseNamed, spend, unseen } from './state';
import { store } from './memory';
import { partedBy } from './unknownCalls';
import {
  memoryStart,
  blank,
  Taint,
  uncertain,
  type Act,
  type Cell,
  type Code,
  type Frame,
  type Path,
  type Run,
  type Value,
} from './values';

const nothing: Act = (path) => path.mask;

/** Runs `stmt` for the threads of a path; gives those that go on to the next statement. */
export function compileStmt(scope: Scope, stmt: Stmt): Act {
  switch (stmt.kind) {
    case 'block':
      return inBlock(scope, () => {
        const acts = stmt.body.map((inner) => compileStmt(scope, inner));
        const labels = stmt.body.map((inner) => (inner.kind === 'label' ? inner.label : undefined));
        return labels.some((label) => label !== undefined) ? withLabels(acts, labels) : sequence(acts);
      });
    case 'decl':
      return compileDecl(scope, stmt.vars);
    case 'expr': {
      // What a call returns by reference is not read where nothing takes it.
      const code = stmt.expr.kind === 'call' ? scope.place(stmt.expr) : scope.expr(stmt.expr);
      return (path, frame) => {
        spend(frame.run);
        code(path, frame);
        return path.mask;
      };
    }
    case 'if':
      return compileIf(scope, stmt);
    case 'for':
      return inBlock(scope, () => compileFor(scope, stmt));
    case 'while':
    case 'do': {
      const cond = compileCondition(scope, stmt.cond);
      const plan = planOf(scope, stmt, stmt.cond, stmt.body, undefined);
      const body = compileStmt(scope, stmt.body);
      return (path, frame) => loop(frame.run, plan, cond, body, undefined, path, frame);
    }
    case 'rangeFor':
      return inBlock(scope, () => compileRangeFor(scope, stmt, planOf));
    case 'switch':
      return compileSwitch(scope, stmt);
    case 'case':
      return sequence(stmt.body.map((inner) => compileStmt(scope, inner)));
    case 'break':
    case 'continue':
      return leaveLoop(stmt.kind);
    case 'return':
      return compileReturn(scope, stmt);
    case 'goto':
      return jump(stmt, leadsOn(scope.fn, stmt));
    case 'label':
      return compileStmt(scope, stmt.body);
    case 'asm':
      return compileAsm(scope, stmt);
    case 'try':
      return compileStmt(scope, stmt.body);
    case 'opaque':
      return sequence(
        stmt.parts.map((part): Act => {
          if (isStatement(part)) return compileStmt(scope, part);
          const code = scope.expr(part);
          return (path, frame) => {
            code(path, frame);
            if (stmt.throws) endProgram(path, frame);
            return path.mask;
          };
        }),
      );
    case 'type':
      for (const { name, type, templateParams } of stmt.aliases)
        if (!templateParams) scope.declareType(name, scope.types.resolve(type, scope.bindings(), scope.within));
      return stmt.enums.length > 0 ? compileDecl(scope, stmt.enums.flatMap(enumeratorsOf)) : nothing;
    case 'empty':
      return nothing;
  }
}

function inBlock(scope: Scope, compile: () => Act): Act {
  scope.open();
  const act = compile();
  scope.close();
  return act;
}

function sequence(acts: readonly Act[]): Act {
  if (acts.length === 1) return acts[0]!;
  return (path, frame) => {
    let at = path;
    for (const act of acts) {
      const active = act(at, frame);
      if (active.count === 0) return active;
      at = goingOn(at, active, frame);
    }
    return at.mask;
  };
}

function compileCondition(scope: Scope, cond: Expr): Code {
  const value = scope.expr(cond);
  return (path, frame) => truthOf(value(path, frame));
}

function compileIf(scope: Scope, stmt: Stmt & { kind: 'if' }): Act {
  return inBlock(scope, () => {
    const init = stmt.init ? compileStmt(scope, stmt.init) : undefined;
    const cond = compileCondition(scope, stmt.cond);
    const constant = stmt.init ? undefined : scope.types.constant(stmt.cond, scope.bindings());
    if (constant !== undefined) {
      const taken = constant ? stmt.then : stmt.else;
      return taken ? compileStmt(scope, taken) : nothing;
    }
    const plan: ForkPlan = {
      cond: stmt.cond,
      statement: stmt,
      form: 'if',
      fn: scope.fn,
      selects: selectsOnly(stmt.then) && (!stmt.else || selectsOnly(stmt.else)),
      thenAssigns: scope.assignedBy(stmt.then),
      elseAssigns: scope.assignedBy(stmt.else),
      thenElements: scope.elementsBy(stmt.then),
      elseElements: scope.elementsBy(stmt.else),
      hasThen: true,
      hasElse: stmt.else !== undefined,
      thenIsTrivial: isTrivial(stmt.then),
      elseIsTrivial: !stmt.else || isTrivial(stmt.else),
      thenLeaves: leaves(stmt.then),
    };
    const then = compileStmt(scope, stmt.then);
    const otherwise = stmt.else ? compileStmt(scope, stmt.else) : undefined;
    return (path, frame) => {
      const { run } = frame;
      spend(run);
      init?.(path, frame);
      const value = cond(path, frame);
      const elseArm = otherwise && ((arm: Path) => otherwise(arm, frame));
      return fork(run, plan, value, path, frame, (arm) => then(arm, frame), elseArm);
    };
  });
}

function planOf(scope: Scope, stmt: Stmt, cond: Expr | undefined, body: Stmt, step: Expr | undefined): LoopPlan {
  const form = stmt.kind === 'for' || stmt.kind === 'do' ? stmt.kind : 'while';
  const constant = (expr: Expr): number | undefined => scope.types.constant(expr, scope.bindings());
  const head = counted(stmt);
  const trips = head?.declared && tripsBetween(head, constant);
  return {
    stmt,
    fn: scope.fn,
    form,
    cond,
    variable: loopVariable(stmt),
    assigns: scope.assignedBy(body, step),
    carried: compileCarried(scope, body, step),
    trips,
    unroll: unrollOf(stmt, trips, constant),
    bodyIsTrivial: isTrivial(body),
    isGridStride: stepsByGrid(step, scope.fn),
    isOverGrid: stepsByGrid(step, scope.fn) || stepsByGridWithin(body, scope.fn),
    launches: bodyLaunches(body, scope.program),
    isScalar: isScalar(body),
  };
}

/**
 * How many iterations are straight code (observed with nvcc 13.0): all of a short loop or of one with a bare `#pragma
 * unroll`, as many as the pragma asks for, eight where the number is known, four where it is not.
 */
function unrollOf({ pragmas }: Stmt, trips: number | undefined, constant: (expr: Expr) => number | undefined): number {
  const asked = pragmas?.map(({ text }) => /^\s*unroll\b\s*\(?\s*(\w*)/.exec(text)).find((match) => match);
  if (!asked) return trips === undefined ? 4 : trips <= mostUnrolled ? trips : 8;
  const [start, end] = [0, 0];
  const count = /^\d/.test(asked[1]!) ? Number(asked[1]) : constant({ kind: 'name', name: asked[1]!, start, end });
  return count ?? trips ?? 4;
}

/** `i += blockDim.x * gridDim.x`, written out or in a variable of the function. */
function stepsByGrid(step: Expr | undefined, fn: FunctionDecl): boolean {
  if (step?.kind !== 'assign') return false;
  if (mentions(step.value, 'gridDim')) return true;
  if (step.value.kind !== 'name') return false;
  return fn.body !== undefined && namesOfGrid(fn.body).has(step.value.name);
}

/** Variables of a function that begin with what the grid's extents give. */
const namesOfGrid = once((body: Stmt): ReadonlySet<string> => {
  const names = new Set<string>();
  walk(body, (node) => {
    if (node.kind === 'var' && node.init && !names.has(node.name) && mentions(node.init, 'gridDim'))
      names.add(node.name);
  });
  return names;
});

/** A step of this kind within the body of a loop. */
function stepsByGridWithin(body: Stmt, fn: FunctionDecl): boolean {
  return some(
    body,
    (node) => node.kind === 'assign' && node.op === '+=' && node.target.kind === 'name' && stepsByGrid(node, fn),
  );
}

/** Computes with variables alone, which may begin with elements of an array: no calls, nothing set in memory. */
function isScalar(body: Stmt): boolean {
  const isElement = (expr: Expr): boolean => some(expr, ({ kind }) => kind === 'index');
  return !some(
    body,
    (node) =>
      (node.kind === 'assign' && isElement(node.target)) ||
      (node.kind === 'update' && isElement(node.operand)) ||
      node.kind === 'call' ||
      node.kind === 'launch' ||
      node.kind === 'lambda' ||
      (node.kind === 'unary' && node.op === '*') ||
      (node.kind === 'member' && node.arrow),
  );
}

function loopVariable(stmt: Stmt): string | undefined {
  if (stmt.kind !== 'for') return undefined;
  if (stmt.step?.kind === 'update') return rootName(stmt.step.operand);
  if (stmt.step?.kind === 'assign') return rootName(stmt.step.target);
  return stmt.init?.kind === 'decl' ? stmt.init.vars[0]?.name : undefined;
}

function compileFor(scope: Scope, stmt: ForStmt): Act {
  const init = stmt.init ? compileStmt(scope, stmt.init) : undefined;
  const cond = stmt.cond ? compileCondition(scope, stmt.cond) : undefined;
  const step = stmt.step ? scope.expr(stmt.step) : undefined;
  const plan = planOf(scope, stmt, stmt.cond, stmt.body, stmt.step);
  const body = compileStmt(scope, stmt.body);
  return (path, frame) => {
    init?.(path, frame);
    return loop(frame.run, plan, cond, body, step, path, frame);
  };
}

function compileSwitch(scope: Scope, stmt: Stmt & { kind: 'switch' }): Act {
  const cond = scope.expr(stmt.cond);
  scope.open();
  const assigns = scope.assignedBy(stmt.body);
  const cases = stmt.body.body
    .filter((inner) => inner.kind === 'case')
    .map((inner) => ({ value: inner.value && scope.expr(inner.value), body: compileStmt(scope, inner) }));
  scope.close();
  const plan: SwitchPlan = { stmt, cond: stmt.cond, fn: scope.fn, assigns, cases };
  return (path, frame) => {
    frame.run.recorder.flush(path);
    return runSwitch(frame.run, plan, cond(path, frame), path, frame);
  };
}

function compileReturn(scope: Scope, stmt: Stmt & { kind: 'return' }): Act {
  const byReference = scope.fn.returns.kind === 'reference';
  const place = stmt.value && byReference ? scope.place(stmt.value) : undefined;
  const value = stmt.value && !byReference ? scope.expr(stmt.value) : undefined;
  return (path, frame) => {
    const { run } = frame;
    spend(run);
    if (place) frame.resultPlace = place(path, frame);
    if (value) giveBack(value(path, frame), path, frame);
    run.recorder.shared.suspend(path, frame, 'function');
    if (frame.depth === 0) run.recorder.earlyReturn ??= partingCondition(path);
    leaveFunction(path, frame);
    return emptyMask(run.threads);
  };
}

/** Which value comes back depends on the conditions the return is under. */
function giveBack(value: Value, path: Path, frame: Frame): void {
  const { run } = frame;
  let control = 0;
  let picks: Path['mask'] | undefined;
  for (let at = path.conditions; at && at.depth > frame.conditionsBefore; at = at.outer) {
    control |= at.taint & ~(Taint.float | Taint.unknownStride);
    picks ??= at.picks;
  }
  if (path.unsure || (path.shadow && value.taint & Taint.loaded)) control |= Taint.maybe;
  const previous = frame.result;
  // A return that data may have taken before leaves its value in some of the lanes.
  const unsure =
    previous && previous.taint & Taint.maybe ? dataMask(run, { ...previous, lanes: 0 }, path.mask) : undefined;
  const into = path.unsure && picks ? picks : (unsure ?? path.mask);
  let result = previous ? merge(run, previous, value, into) : value;
  let taint = result.taint | control;
  if (previous) taint |= previous.taint & (uncertain | Taint.thread);
  if (taint !== result.taint) result = { ...result, taint };
  frame.result = result;
}

/** Special registers that differ between the lanes of a warp. */
const ofLanes = /%%?(lane|tid|warpid|clock|globaltimer)/;

function compileAsm(scope: Scope, stmt: Stmt & { kind: 'asm' }): Act {
  const inputs = stmt.inputs.map((input) => scope.expr(input));
  const outputs = stmt.outputs.map((output) => ({ output, place: scope.place(output) }));
  // With a number of threads after its name a barrier waits for some of the block's warps, not for all (PTX ISA, bar).
  const isBarrier = /\bbar(rier)?(\.cta)?\.sync(\.aligned)?\s+[^,;]+(;|$)/.test(stmt.template);
  const moves = movesByAssembly(stmt.template);
  return (path, frame) => {
    const { run } = frame;
    let taint = ofLanes.test(stmt.template) ? Taint.hash : 0;
    let varying: Lanes | undefined;
    const values = inputs.map((input) => input(path, frame));
    for (const value of values) {
      taint |= value.taint;
      if (typeof value.lanes !== 'number') varying = value.lanes;
    }
    run.recorder.flush(path);
    if (moves) {
      // Operands are numbered from the first output on.
      const operands = [
        ...stmt.outputs.map(() => undefined),
        ...values.map((value, at) => ({ node: stmt.inputs[at]!, value })),
      ];
      const isCounted = countAssembly(stmt.template, operands, path, frame);
      if (!isCounted) run.recorder.lose(stmt, 'inline-assembly', path, frame);
    }
    const register = registerIn(run, stmt.template) ?? addressIn(stmt.template, values);
    if (!register) run.recorder.shared.gap();
    for (const { output, place } of outputs) {
      const at = place(path, frame);
      // What is computed from data is of each lane another, as the data are.
      const value =
        register ??
        partedBy(run, at.type, taint, varying) ??
        unseen(run, at.type, `asm@${output.start}`, Taint.chosen | Taint.maybe);
      store(run, at, value, path, frame, output, false);
    }
    if (isBarrier) run.recorder.barrier(stmt, 'bar.sync', 'block', path, frame);
    return path.mask;
  };
}

/** The address of shared memory that inline assembly makes of a pointer, as `__cvta_generic_to_shared` does. */
function addressIn(template: string, [pointer, another]: readonly Value[]): Value | undefined {
  return /\bcvta\.to\.shared\.u64\b/.test(template) && !movesByAssembly(template) && !another ? pointer : undefined;
}

function compileDecl(scope: Scope, vars: readonly VarDecl[]): Act {
  return sequence(
    vars.map((variable) => {
      const declare = compileVariable(scope, variable);
      return (path: Path, frame: Frame) => {
        spend(frame.run);
        declare(path, frame);
        return path.mask;
      };
    }),
  );
}

type Declare = (path: Path, frame: Frame) => void;

function compileVariable(scope: Scope, variable: VarDecl): Declare {
  const { types } = scope;
  const type = types.resolve(variable.type, scope.bindings(), scope.within);
  if (type.kind === 'reference') return compileReference(scope, variable);
  if (variable.space === 'shared' || type.kind === 'array') return compileArray(scope, variable, type);
  const owner = compileOwner(scope, variable, type);
  const init = owner ?? initOf(scope, variable, type);
  const slot = scope.declare(variable.name);
  const constant = localConstant(scope, variable, type);
  if (constant !== undefined) scope.declareConstant(variable.name, constant);
  const followsInit = type.kind === 'unknown' && (type.name === 'auto' || type.name === 'function');
  const isConstructed = type.kind === 'unknown' && !followsInit && variable.initStyle && variable.initStyle !== '=';
  return (path, frame) => {
    const cell: Cell = { name: variable.name, type, node: variable, fn: frame.fn };
    const written = init?.(path, frame);
    const value = isConstructed && written ? constructedOf(frame.run, written, variable) : written;
    if (value && (followsInit || owner)) cell.type = decay(value.type);
    if (value) cell.value = owner ? value : convert(frame.run, value, cell.type);
    frame.slots[slot] = cell;
  };
}

/** What the constructor of an unknown class makes of a number that is the same in all threads. */
function constructedOf(run: Run, value: Value, { name, start }: VarDecl): Value {
  const { type, lanes, taint } = value;
  if (type.kind !== 'scalar' || typeof lanes !== 'number' || run.setup.host) return value;
  return unseen(run, { kind: 'unknown', name }, `${name}@${start}`, taint | Taint.chosen, undefined, name, 'call');
}

function compileReference(scope: Scope, variable: VarDecl): Declare {
  const written = variable.init;
  const init = written?.kind === 'initList' && written.elements.length === 1 ? written.elements[0]! : written;
  const place = init ? scope.place(init) : undefined;
  const slot = scope.declare(variable.name);
  return (path, frame) => {
    if (!place) return;
    const at = place(path, frame);
    const common = { name: variable.name, node: variable, fn: frame.fn };
    frame.slots[slot] =
      at.kind === 'value'
        ? { ...common, type: stripReference(at.type), value: at.value }
        : { ...common, type: at.type, ref: at };
  };
}

/** `void *` */
function isAddress(type: Type): boolean {
  return type.kind === 'pointer' && type.to === voidType;
}

function compileArray(scope: Scope, variable: VarDecl, type: Type): Declare {
  const space =
    variable.space === 'shared' || variable.space === 'constant'
      ? variable.space
      : variable.storage === 'static' && variable.constant
        ? 'global'
        : 'local';
  const fills = variable.init?.kind === 'initList' && space !== 'shared' && type.kind === 'array';
  const fill = fills ? compileFill(scope, type, 0, variable.init as Expr & { kind: 'initList' }) : undefined;
  const init =
    variable.init && !fill && !(type.kind === 'array' && type.length === undefined)
      ? scope.expr(variable.init)
      : undefined;
  // Of the host's arrays those are followed that begin with a list, and lists of addresses, which a launch takes.
  const isFollowed = fill !== undefined || (type.kind === 'array' && isAddress(type.of));
  const align = variable.align ? scope.types.constant(variable.align, scope.bindings()) : undefined;
  const slot = scope.declare(variable.name);
  return (path, frame) => {
    const { run } = frame;
    const { fn } = frame;
    const suffix = space === 'local' ? `#${run.bases.size}` : '';
    const key = `${fn.key}:${variable.name}@${variable.start}${suffix}`;
    const declaration = { fn, uri: fn.uri, node: variable };
    const more = { type, declaration, name: variable.name, ...(align ? { align } : {}) };
    const base = baseNamed(run, key, run.setup.host ? (isFollowed ? 'local' : 'unknown') : space, more);
    const common = { name: variable.name, node: variable, fn };
    frame.slots[slot] =
      type.kind === 'array'
        ? { ...common, type, value: { ...blank, type: { kind: 'pointer', to: type.of }, lanes: 0, taint: 0, base } }
        : { ...common, type, ref: memoryStart(base, type) };
    if (fill && base.elements) fill(base, path, frame);
    init?.(path, frame);
  };
}
