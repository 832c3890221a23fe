// What is known about an allocation or creation on each turn of a host loop: its partner, and whether the pair can move
// out.
import { titleWith } from '../excerpt';
import type { CallExpr, Expr, Stmt, VarDecl } from '../../syntax/ast';
import type { RuntimeCallFact } from '../model';
import {
  some,
  type AnySyntax,
  type Fn,
  ancestorsOf,
  calleeName,
  takesReference,
  isCalledInPlace,
  localsOf,
  type Local,
  categoryOf,
  endsProgram,
  keepsToArguments,
  partners,
  withoutCasts,
} from '../language';
import {
  argumentVariable,
  isLoop,
  launchesIn,
  madeVariable,
  standsAlone,
  tripsOf,
  writesIn,
  type HostLoop,
  type RuntimeCall,
} from './calls';
import { isFieldWrittenIn, isGlobalWrittenIn } from './changes';
import { poolOf } from './pool';
import { declarationOf, movingEdits } from './hoistEdits';
import { calleesOf, definedAs, isNull } from './callees';
import { placeOf } from './places';

type Hoist = NonNullable<RuntimeCallFact['hoist']>;

/** Undefined unless it is an allocation on each iteration with a partner in the loop. */
export function hoistOf(made: RuntimeCall, calls: readonly RuntimeCall[], fn: Fn): Hoist | undefined {
  const partner = partners.get(made.name);
  const loop = made.loops[0];
  if (!partner || !loop) return undefined;
  const place = madePlace(made);
  if (!place) return undefined;
  if (!onEachTurn(made.call, loop, fn)) return undefined;
  const givenBack = calls.filter(
    (other) =>
      partner.ends.includes(other.name) &&
      fn.isInside(other.call, loop) &&
      other.call.args[0] !== undefined &&
      placeOf(other.call.args[0]) === place,
  );
  const ends = givenBack.filter((other) => fn.locals.order(other.call) > fn.locals.order(made.call));
  const end = ends[0] ?? givenBack[0];
  if (!end || changesBetween(place, made, end, loop, fn)) return undefined;
  if (!isWorthMoving(loop, calls, fn)) return undefined;

  const partnerAt = fn.span(end.written);
  const stay = (why: string): Hoist => ({ safe: false, why, edits: [], partnerAt });
  const pooled = (why: string): Hoist => poolOf(made, loop, why, calls, fn, partnerAt) ?? stay(why);
  if (!ends.length) return pooled(`\`${place}\` is freed at the start of the next iteration`);
  const variable = madeVariable(made, fn);
  if (!variable || argumentVariable(end.call.args[0], fn) !== variable)
    return stay(`\`${place}\` is a member of an object`);
  if (ends.length > 1) return pooled(`\`${variable.name}\` is freed in ${ends.length} places`);
  const others = calls.filter(
    (other) =>
      other !== made &&
      partners.has(other.name) &&
      madeVariable(other, fn) === variable &&
      fn.isInside(other.call, loop),
  );
  if (others.length) return pooled(`\`${variable.name}\` is created in more than one place`);

  const target = outermostInvariant(made, loop, variable, fn);
  if (!target) return pooled('its size is computed in the loop');
  const blocked = whyStays(made, end, target, variable, fn);
  if (blocked) return stay(blocked);
  const edits = movingEdits(made, end, target, variable, fn);
  if (!edits) return stay('it shares its lines with other code');
  const doubt = doubtOf(made, end, loop, variable, calls, fn);
  return {
    safe: doubt === undefined,
    ...(doubt ? { why: doubt } : {}),
    edits,
    title: titleWith(
      variable.name,
      (name) => `Move ${made.name} of \`${name}\` out of the loop${doubt ? ' (keeps old contents)' : ''}`,
    ),
    partnerAt,
  };
}

/** Do the iterations of a loop launch, one after the other on one device, so that an allocation holds them up? */
export function isWorthMoving(loop: HostLoop, calls: readonly RuntimeCall[], fn: Fn): boolean {
  const trips = tripsOf(loop, fn);
  // Of two iterations one is often the warm-up of the other.
  if ((trips !== undefined && trips <= 2) || runsOnce(loop, fn)) return false;
  // One device after the other, or a test of allocation itself.
  if (calls.some((other) => fn.isInside(other.call, loop) && /^cudaSetDevice$/.test(other.name))) return false;
  const launches = launchesIn(loop, fn);
  if (launches.length === 0 || isExperiment(loop, fn)) return false;
  // Work in a loop further in pays for the allocation: an iteration of this loop is a whole experiment.
  return !launches.every(
    (launch) =>
      launchesInLoopOfItsOwn(launch, fn) ||
      [...fn.around(launch)].some((around) => around !== loop && isLoop(around) && fn.isInside(around, loop)),
  );
}

/** `do … while (mode == LINEAR)` in which nothing changes the mode: once, or without end. */
function runsOnce(loop: HostLoop, fn: Fn): boolean {
  return (
    loop.kind === 'do' &&
    some(loop.cond, ({ kind }) => kind === 'name') &&
    isInvariantIn(loop.cond, loop, fn) &&
    !some(loop.body, ({ kind }) => kind === 'break' || kind === 'return')
  );
}

const deepest = 3;

/** A call of a function that repeats its launches in a loop. */
function launchesInLoopOfItsOwn(launch: AnySyntax, fn: Fn, depth = 0): boolean {
  const callee = launch.kind === 'call' ? calleesOf(launch, fn).find(({ device }) => !device) : undefined;
  if (!callee) return false;
  const locals = localsOf(callee);
  const within = fn.inside(callee);
  const inner = launchesIn(callee.body, within);
  return (
    inner.length > 0 &&
    inner.every(
      (one) =>
        [...ancestorsOf(one, locals)].some(isLoop) ||
        (depth < deepest && launchesInLoopOfItsOwn(one, within, depth + 1)),
    )
  );
}

/** The variable, or the member of an object, whose address an allocation takes. */
function madePlace(made: RuntimeCall): string | undefined {
  const arg = made.call.args[0] && withoutCasts(made.call.args[0]);
  if (made.name === 'cudaHostRegister') return arg && placeOf(arg);
  if (arg?.kind !== 'unary' || arg.op !== '&') return undefined;
  return arg.operand.kind === 'name' || arg.operand.kind === 'member' ? placeOf(arg.operand) : undefined;
}
/** `next = buffer` before the free: what is given back is not what was made in the iteration. */
function changesBetween(place: string, made: RuntimeCall, end: RuntimeCall, loop: HostLoop, fn: Fn): boolean {
  if (fn.locals.order(end.call) > fn.locals.order(made.call)) return false;
  return some(loop.body, (node) => {
    if (node.kind === 'assign' && placeOf(node.target) === place && !isNull(node.value)) return true;
    // Handed on at the end of an iteration, the buffer lives in another variable.
    if (node.kind === 'assign' && placeOf(node.value) === place) return true;
    return node.kind === 'call' && mayExchange(node, place, fn);
  });
}
/** May a call put another pointer into the place that it is given? */
function mayExchange(call: CallExpr, place: string, { program }: Fn): boolean {
  const name = calleeName(call) ?? '';
  const isKnown = program.functions(name).length > 0;
  return call.args.some((arg, position) => {
    if (placeOf(arg) !== place) return false;
    if (!isKnown) return name === 'swap' || !(categoryOf(name) !== undefined || keepsToArguments(name));
    return takesReference(program, name, position);
  });
}
/** Does a node run on each turn of the loop, as its text stands: under no condition and in no loop further in? */
export function onEachTurn(node: AnySyntax, loop: HostLoop, fn: Fn): boolean {
  let inner = node;
  for (const around of fn.around(node)) {
    if (around === loop) return inner === loop.body;
    if (
      (around.kind === 'if' && inner !== around.cond && !isErrorGuard(around, inner, fn)) ||
      around.kind === 'switch' ||
      around.kind === 'conditional' ||
      (around.kind === 'lambda' && !isCalledInPlace(around, fn.locals))
    )
      return false;
    if (around.kind === 'binary' && (around.op === '&&' || around.op === '||') && inner === around.right) return false;
    inner = around;
  }
  return false;
}

/** The other arm is for errors: it leaves the loop, the function or the program. */
function isErrorGuard(around: Extract<AnySyntax, { kind: 'if' }>, inner: AnySyntax, fn: Fn): boolean {
  const other = inner === around.then ? around.else : around.then;
  return !!other && leavesForGood(other, fn);
}
function leavesForGood(stmt: Stmt, fn: Fn): boolean {
  if (stmt.kind === 'return' || stmt.kind === 'break' || stmt.kind === 'goto') return true;
  if (stmt.kind === 'block') return stmt.body.some((inner) => leavesForGood(inner, fn));
  if (stmt.kind !== 'expr') return false;
  const stops = some(stmt.expr, (node) => node.kind === 'call' && leavesProgram(node, fn));
  return stops || /^throw\b/.test(fn.text(stmt));
}

/** Ends the program, or is a function whose last statement does. */
function leavesProgram(call: CallExpr, fn: Fn, depth = 0): boolean {
  const name = calleeName(call) ?? '';
  const bodies = definedAs(name, fn.program);
  if (bodies.length === 0) return endsProgram(name);
  return bodies.every(({ body }) => {
    const last = body.kind === 'block' ? body.body.at(-1) : body;
    return last?.kind === 'expr' && last.expr.kind === 'call' && depth < 2 && leavesProgram(last.expr, fn, depth + 1);
  });
}

/** The outermost loop that neither changes what the arguments name nor declares it. */
function outermostInvariant(made: RuntimeCall, innermost: HostLoop, variable: Local, fn: Fn): HostLoop | undefined {
  let target: HostLoop | undefined;
  let inner: AnySyntax = made.statement;
  for (const loop of made.loops) {
    // Only a loop on whose every iteration the pair runs may be left behind.
    if (loop !== innermost && !plainPath(inner, loop, fn)) break;
    let invariant = made.call.args
      .slice(made.name === 'cudaHostRegister' ? 0 : 1)
      .every((arg) => isInvariantIn(arg, loop, fn));
    // Elsewhere than in the loop the variable must mean nothing.
    if (variable.uses.some((use) => !fn.isInside(use, loop))) invariant = false;
    if (!invariant) break;
    target = loop;
    inner = loop;
  }
  return target;
}
/** Nothing in the loop changes what an expression names, and it names nothing but variables and numbers. */
export function isInvariantIn(expr: Expr, loop: HostLoop, fn: Fn): boolean {
  return !some(expr, (node) => {
    if (node.kind === 'call') return !/^(sizeof|max|min|dim3|make_cudaExtent)$/.test(calleeName(node) ?? '');
    if (node.kind === 'unary') return node.op === '*';
    if (node.kind === 'member') return !!node.arrow && isFieldWrittenIn(node, loop);
    if (node.kind !== 'name') return /^(index|assign|update|lambda|opaque)$/.test(node.kind);
    const local = fn.local(node);
    if (local?.variable && fn.isInside(local.variable, loop)) return true;
    return local ? writesIn(local, loop, fn) : isGlobalWrittenIn(node.name, loop, fn);
  });
}
/**
 * A loop over problem sizes, each iteration a separate experiment: sizes double, or are taken from a list of numbers.
 */
function isExperiment(loop: HostLoop, fn: Fn): boolean {
  if (loop.kind === 'rangeFor') {
    const type = fn.types.resolve(loop.variable.type);
    return type.kind === 'scalar' && !type.float;
  }
  const step = loop.kind === 'for' ? loop.step : undefined;
  if (step?.kind !== 'assign') return false;
  return (
    /^(\*=|<<=|\/=|>>=)$/.test(step.op) ||
    (step.op === '=' && step.value.kind === 'binary' && /^(\*|<<|\/|>>)$/.test(step.value.op))
  );
}
/** Runs on each iteration, as a statement of the loop's own body. */
export function plainPath(inner: AnySyntax, loop: HostLoop, fn: Fn): boolean {
  for (const around of fn.around(inner)) {
    if (around === loop) return true;
    if (around.kind !== 'block') return false;
  }
  return false;
}

/** Why the pair cannot move at all. */
function whyStays(made: RuntimeCall, end: RuntimeCall, loop: HostLoop, variable: Local, fn: Fn): string | undefined {
  if (variable.parameter) return `\`${variable.name}\` is a parameter`;
  if (isChangedIn(made.loops.at(-1)!, variable, made, fn)) return `\`${variable.name}\` changes in the loop`;
  const parent = fn.parent(loop);
  if (parent?.kind !== 'block' || parent.macro) return 'the loop has its own condition';
  if (loop.kind !== 'do' && loop.body.kind !== 'block') return 'the loop has no braces';
  if (!plainStatement(made, fn)) return `the result of ${made.name} is used in the loop`;
  if (!plainStatement(end, fn)) return `${end.name} does not run on each iteration`;
  const from = fn.locals.order(made.call);
  const to = fn.locals.order(end.call);
  for (const node of fn.locals.nodes) {
    const order = fn.locals.order(node);
    if (node.macro || !fn.isInside(node, loop) || order < from || order > to) continue;
    if (node.kind === 'return' || node.kind === 'goto') return 'a return is between the two calls';
    if ((node.kind === 'break' || node.kind === 'continue') && nearestLoop(node, fn) === made.loops[0])
      return `a ${node.kind} is between the two calls`;
  }
  if (variable.variable && fn.isInside(variable.variable, loop)) {
    if (fn.locals.all.some((other) => other !== variable && other.name === variable.name))
      return `another \`${variable.name}\` is in scope outside the loop`;
    const declaration = declarationOf(variable, fn);
    const isOther = ({ init, type }: VarDecl): boolean =>
      (init && !isNull(init)) || type.kind === 'auto' || type.kind === 'reference';
    if (!declaration || declaration.vars.some(isOther)) return `\`${variable.name}\` is declared with other values`;
    if (
      declaration.vars.some(
        (one) => one.name !== variable.name && fn.locals.all.filter((other) => other.name === one.name).length > 1,
      )
    )
      return 'names declared with it are in scope outside the loop';
  }
  return undefined;
}
/** `d = nullptr` behind the free, `swap(d, other)`, `&d`: in the next iteration it would not be what was made. */
function isChangedIn(loop: HostLoop, variable: Local, made: RuntimeCall, fn: Fn): boolean {
  if (variable.writes.some(({ node }) => fn.isInside(node, loop))) return true;
  return variable.uses.some((use) => {
    if (!fn.isInside(use, loop) || fn.isInside(use, made.call)) return false;
    const parent = fn.parent(use);
    if (parent?.kind === 'unary') return parent.op === '&';
    if (parent?.kind === 'var') return parent.type.kind === 'reference';
    const name = parent?.kind === 'call' && parent.callee !== use ? calleeName(parent) : undefined;
    if (parent?.kind !== 'call' || !name) return false;
    return name === 'swap' || takesReference(fn.program, name, parent.args.indexOf(use));
  });
}
function nearestLoop(node: AnySyntax, fn: Fn): AnySyntax | undefined {
  return [...fn.around(node)].find(({ kind }) => /^(?:switch|for|while|do|rangeFor)$/.test(kind));
}
/** A statement of the loop's own body that does nothing but the call, wrapped or not. */
function plainStatement(call: RuntimeCall, fn: Fn): boolean {
  const loop = call.loops[0]!;
  const parent = fn.parent(call.statement);
  if (parent !== loop.body || !standsAlone(call, fn)) return false;
  if (call.statement.macro && call.wrapper) return call.written.start <= call.statement.start;
  if (call.statement.kind !== 'expr') return false;
  const expr = call.statement.expr;
  return (
    expr === call.call ||
    (expr.kind === 'call' && expr.args.includes(call.call)) ||
    (expr.kind === 'cast' && expr.operand === call.call)
  );
}

/** Why the move may change what the program does, where it may. */
function doubtOf(
  made: RuntimeCall,
  end: RuntimeCall,
  loop: HostLoop,
  variable: Local,
  calls: readonly RuntimeCall[],
  fn: Fn,
): string | undefined {
  const from = fn.locals.order(made.call);
  const ordered = [...variable.uses].sort((a, b) => fn.locals.order(a) - fn.locals.order(b));
  const argumentUses = ordered.filter(
    (use) => fn.locals.order(use) > from && !fn.isInside(use, made.call) && !fn.isInside(use, end.call),
  );
  const isPassedOn = (use: AnySyntax): boolean => {
    let inner = use;
    for (const around of fn.around(use)) {
      if (around.kind === 'sizeof' || (around.kind === 'launch' && inner !== around.callee)) return false;
      if (around.kind === 'call' && inner !== around.callee) return categoryOf(calleeName(around) ?? '') === undefined;
      if (/^(assign|var|return|initList)$/.test(around.kind)) return true;
      inner = around;
    }
    return true;
  };
  if (argumentUses.some(isPassedOn)) return `\`${variable.name}\` is passed on in the loop`;
  if (partners.get(made.name)?.category === 'create') {
    // Work that a stream or event carries over from turn to turn was waited for when it was destroyed.
    return undefined;
  }
  if (
    calls.some(
      (other) => fn.isInside(other.call, loop) && (other.category === 'async-copy' || /Managed/.test(other.name)),
    )
  )
    return `${end.name} no longer waits for the GPU on each iteration`;
  const first = argumentUses[0];
  const initial = first && calls.find((other) => fn.isInside(first, other.call));
  const fills =
    initial &&
    (initial.name === 'cudaMemcpy' || initial.name === 'cudaMemset') &&
    argumentVariable(initial.call.args[0], fn) === variable &&
    initial.loops[0] === loop &&
    normal(fn.text(initial.call.args[2] ?? initial.call)) === normal(fn.text(made.call.args[1] ?? made.call)) &&
    plainStatement(initial, fn);
  return fills ? undefined : `\`${variable.name}\` keeps the data of the previous iteration`;
}
export function normal(text: string): string {
  const factors = text
    .replace(/\s+/g, '')
    .replace(/^\((.*)\)$/, '$1')
    .split('*')
    .map((part) => part.replace(/^\((\w+)\)$/, '$1'))
    .sort();
  return factors.join('*');
}
