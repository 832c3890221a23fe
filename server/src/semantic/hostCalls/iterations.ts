// The kind of an iteration of a host loop, as far as its text says: a step of one computation, or a separate case.
import type { RuntimeCallFact } from '../model';
import type { Expr } from '../../syntax/ast';
import { isConditionLoop, isStatement, walk, type AnySyntax, reachesMemory } from '../language/statements';
import type { FunctionContext } from '../language/functionContext';
import { ancestorsOf, calleeName, isInside, localsOf } from '../language/scope';
import { calledName, readsClock } from './callees';
import { isLoop, launchesIn, tripsOf, type HostLoop } from './calls';
import { categoryOf, isFileFunction, isPrinting, partners } from '../language/libraryFunctions';

type Iteration = NonNullable<RuntimeCallFact['iteration']>;

/** A wait or an allocation takes some ten microseconds: so few of them are nothing that anybody waits for. */
const fewIterations = 10;
/** Behind so many launches of one iteration a single wait is little. */
const manyLaunches = 8;

const fileTypes = /^(std::)?([io]?fstream|FILE)$/;

/**
 * `case`: the work of the iteration is a size, a measurement or a separate file, beside which a wait or an allocation
 * is nothing, or a loop of launches, beside which an allocation is. `step`: the loop launches the same work each time,
 * and it contains nothing else that takes time. `unclear`: neither is seen.
 */
export function iterationOf(loop: HostLoop, context: FunctionContext, of: 'wait' | 'allocation'): Iteration {
  if (loop.kind === 'rangeFor' || sweepsItsWork(loop, context) || measuresOrReads(loop.body, context)) return 'case';
  if (of === 'allocation' && sizedByResults(loop)) return 'case';
  if (of === 'wait' && (tellsSteps(loop.body) || takesResults(loop, context))) return 'case';
  if (loopsWithin(loop, context)) return of === 'wait' ? 'unclear' : 'case';
  const trips = tripsOf(loop, context);
  if (trips !== undefined && trips <= fewIterations) return 'unclear';
  const launches = launchesIn(loop, context);
  if (launches.length > manyLaunches || !launches.some(({ kind }) => kind === 'launch')) return 'unclear';
  return hasOtherWork(loop, context) ? 'unclear' : 'step';
}

/** The grid of a launch, or the size of an allocation, follows from the loop's counter. */
function sweepsItsWork(loop: HostLoop, context: FunctionContext): boolean {
  const swept = sweptNames(loop);
  if (swept.size === 0) return false;
  const isSwept = (expr: Expr | undefined): boolean => mentionsAny(expr, swept);
  let sweeps = false;
  walk(loop.body, (node) => {
    if (node.kind === 'launch') sweeps ||= isSwept(node.config[0]) || isSwept(node.config[1]);
    if (node.kind === 'call' && partners.get(calleeName(node) ?? '')?.category === 'allocate')
      sweeps ||= node.args.slice(1).some(isSwept);
    return !sweeps;
  });
  return sweeps && !shrinks(loop, context);
}

/**
 * A search by levels: each iteration finds out how much memory the next one needs, and there are as many as it takes.
 * Such a size cannot be had before the loop.
 */
function sizedByResults(loop: HostLoop): boolean {
  if (loop.kind !== 'while' && loop.kind !== 'do') return false;
  const found = new Set<string>();
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    walk(loop.body, (node) => {
      if (node.kind === 'assign' && node.target.kind === 'name') found.add(node.target.name);
      if (node.kind === 'var' && (mentionsAny(node.init, found) || asksMember(node.init))) found.add(node.name);
    });
  }
  let sized = false;
  walk(loop.body, (node) => {
    if (node.kind === 'call' && partners.get(calleeName(node) ?? '')?.category === 'allocate')
      sized ||= node.args.slice(1).some((arg) => mentionsAny(arg, found));
    return !sized;
  });
  return sized;
}

/** `list.size()`: what the work of the loop may have changed. */
function asksMember(expr: Expr | undefined): boolean {
  let asks = false;
  walk(expr, (node) => {
    if (node.kind === 'call' && node.callee.kind === 'member') asks = true;
    return !asks;
  });
  return asks;
}

/** `for (stride = n / 2; stride > 0; stride /= 2)`: the levels of one reduction or sort. */
function shrinks(loop: HostLoop, context: FunctionContext): boolean {
  if (loop.kind !== 'for' || loop.step?.kind !== 'assign') return false;
  const { op } = loop.step;
  return (op === '/=' || op === '>>=') && launchesIn(loop, context).length > 0;
}

/** The counter of a loop, and what its body works out from it. */
function sweptNames(loop: HostLoop): ReadonlySet<string> {
  const swept = new Set<string>();
  if (loop.kind !== 'for') return swept;
  if (loop.init?.kind === 'decl') for (const { name } of loop.init.vars) swept.add(name);
  if (loop.init?.kind === 'expr' && loop.init.expr.kind === 'assign' && loop.init.expr.target.kind === 'name')
    swept.add(loop.init.expr.target.name);
  for (let before = -1; before !== swept.size; ) {
    before = swept.size;
    walk(loop.body, (node) => {
      const [name, value] =
        node.kind === 'var'
          ? [node.name, node.init]
          : node.kind === 'assign' && node.target.kind === 'name'
            ? [node.target.name, node.value]
            : [];
      if (name !== undefined && mentionsAny(value, swept) && !isLevel(value, swept)) swept.add(name);
    });
  }
  return swept;
}

/** `count >> (level + 1)`: the next level of a tree is half of the last, and is made of it. */
function isLevel(expr: Expr | undefined, counters: ReadonlySet<string>): boolean {
  return expr?.kind === 'binary' && expr.op === '>>' && mentionsAny(expr.right, counters);
}

function mentionsAny(expr: Expr | undefined, names: ReadonlySet<string>): boolean {
  let found = false;
  walk(expr, (node) => {
    if (node.kind === 'name' && names.has(node.name)) found = true;
    return !found;
  });
  return found;
}

/** A clock is read, or a file, in each iteration; what a condition guards is done now and then. */
function measuresOrReads(body: AnySyntax, context: FunctionContext): boolean {
  let found = false;
  walk(body, (node) => {
    if (node.kind === 'if') {
      found ||= measuresOrReads(node.cond, context);
      return false;
    }
    if (node.kind === 'var' && node.type.kind === 'named' && fileTypes.test(node.type.name)) found = true;
    if (readsClock(node, context)) found = true;
    if (node.kind === 'call' && isFileFunction(calledName(node) ?? '')) found = true;
    return !found;
  });
  return found;
}

/** Prints in each iteration, however far the GPU has come: the wait is what makes it true. */
function tellsSteps(body: AnySyntax): boolean {
  let found = false;
  walk(body, (node) => {
    // What a condition guards are errors and every hundredth step.
    if (node.kind === 'lambda' || node.kind === 'if') return false;
    if (node.kind === 'call' && isPrinting(calleeName(node) ?? '')) found = true;
    if (node.kind === 'name' && /^(std::)?(cout|cerr|clog)$/.test(node.name)) found = true;
    return !found;
  });
  return found;
}

/**
 * The host takes a result in each iteration, of a function that it hands memory of the launches: that waits, and one
 * wait more is little.
 */
function takesResults(loop: HostLoop, context: FunctionContext): boolean {
  const pointers = new Set<string>();
  for (const { name, variable, parameter } of localsOf(context.fn).all)
    if ((variable ?? parameter)?.type.kind === 'pointer') pointers.add(name);
  const handed = new Set<string>();
  for (const launch of launchesIn(loop, context))
    for (const arg of launch.args) if (arg.kind === 'name' && pointers.has(arg.name)) handed.add(arg.name);
  let found = false;
  walk(loop.body, (node) => {
    walk(node.kind === 'var' ? node.init : node.kind === 'assign' ? node.value : undefined, (inner) => {
      if (inner.kind !== 'call' || categoryOf(calleeName(inner) ?? '') !== undefined) return;
      found ||= inner.args.some((arg) => arg.kind === 'name' && handed.has(arg.name));
    });
    return !found;
  });
  return found;
}

/** Loops of the host over its own memory. */
function hasOtherWork(loop: HostLoop, context: FunctionContext): boolean {
  let found = false;
  walk(loop.body, (node) => {
    if (node.kind === 'lambda' || node.kind === 'launch') return false;
    if (node.kind === 'if') return false;
    if (isStatement(node) && isLoop(node) && worksOnMemory(node, context)) found = true;
    if (node.kind === 'call' && launchesInALoop(node, context)) found = true;
    return !found;
  });
  return found;
}

/** Launches of a loop further in are a separate computation. */
function loopsWithin(loop: HostLoop, context: FunctionContext): boolean {
  const locals = localsOf(context.fn);
  return launchesIn(loop, context).some((launch) =>
    [...ancestorsOf(launch, locals)].some(
      (around) => around !== loop && isConditionLoop(around) && isLoop(around) && isInside(around, loop, locals),
    ),
  );
}

function worksOnMemory(loop: HostLoop, context: FunctionContext): boolean {
  if (launchesIn(loop, context).length > 0) return true;
  let found = false;
  walk(loop.body, (node) => {
    if (reachesMemory(node)) found = true;
    return !found;
  });
  return found;
}

/** A call of a known function that repeats its launches, or that works on memory in its own loops. */
function launchesInALoop(call: Extract<AnySyntax, { kind: 'call' }>, context: FunctionContext): boolean {
  const name = calleeName(call);
  if (!name || categoryOf(name) !== undefined) return false;
  const callee = context.program.functions(name).find((fn) => fn.body && !fn.global && !fn.device);
  if (!callee?.body) return false;
  const its = { ...context, fn: callee };
  let found = false;
  walk(callee.body, (node) => {
    if (isStatement(node) && isLoop(node) && worksOnMemory(node, its)) found = true;
    return !found;
  });
  return found;
}
