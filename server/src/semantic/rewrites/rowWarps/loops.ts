// Loops that walk along a row: their headers, what they add up, and whether the lanes of a warp may share their
// iterations.
import { hidesEffects } from '../../program';
import type { Expr, ForStmt, IndexExpr, Stmt } from '../../../syntax/ast';
import {
  type AnySyntax,
  walk,
  reachesMemory,
  textOf,
  type FunctionContext,
  ancestorsOf,
  calleeName,
  isInside,
  type Local,
  type Locals,
  sameExpr,
  hasAtom,
  numberOf,
  splitBy,
  atomName,
  polynomialOf,
  orderedBy,
} from '../../language';

/** `for (int c = start; c < end; c += step)`, upwards, its variable declared in its head. */
export interface WalkingLoop {
  readonly loop: ForStmt;
  readonly variable: Local;
  readonly start: Expr;
  readonly step: number;
  /** The step as written, `c++` or `c += 4`. */
  readonly stepAt: Expr;
}

export type Combination = '+' | '*' | 'max' | 'min' | '&' | '|' | '^';

/** A variable from outside of a loop that each iteration only adds to (multiplies, takes the maximum of, …). */
export interface Accumulator {
  readonly local: Local;
  readonly combination: Combination;
  /** The function that combines (`fmaxf`), where one does. */
  readonly callee?: string;
}

export function walkingLoopOf(loop: Stmt, context: FunctionContext, locals: Locals): WalkingLoop | undefined {
  if (loop.kind !== 'for' || loop.macro || !loop.cond || !loop.step) return undefined;
  const started = startOf(loop, locals);
  if (!started) return undefined;
  const { variable, start } = started;
  const type = context.types.resolve(variable.variable!.type);
  // `auto c = 0` counts as an int.
  if (!(type.kind === 'scalar' && !type.float && type.size >= 4)) return undefined;
  const { cond } = loop;
  const isVariable = (expr: Expr): boolean => expr.kind === 'name' && locals.of(expr) === variable;
  const ordered = orderedBy(cond);
  const step = ordered && isVariable(ordered.low) ? stepOf(loop.step, isVariable) : undefined;
  if (!ordered || step === undefined) return undefined;
  const end = ordered.high;
  // Start and end have to be what they were when the loop began.
  for (const expr of [start, end]) {
    let fixed = true;
    walk(expr, (node) => {
      if (node.kind === 'name') {
        const local = locals.of(node);
        if (local && (local.addressTaken || local.writes.some((write) => isInside(write.node, loop, locals))))
          fixed = false;
      } else if (
        node.kind === 'assign' ||
        node.kind === 'update' ||
        node.kind === 'lambda' ||
        node.kind === 'opaque' ||
        (expr === end && reachesMemory(node) && writesMemory(loop))
      )
        fixed = false;
    });
    if (!fixed) return undefined;
  }
  return { loop, variable, start, step, stepAt: loop.step };
}

/** `for (int c = 0; …)`, or `for (c = 0; …)` where nothing but such loops knows `c`: what one leaves in it is lost. */
function startOf(loop: ForStmt, locals: Locals): { readonly variable: Local; readonly start: Expr } | undefined {
  const { init } = loop;
  if (init?.kind === 'decl') {
    const declared = init.vars.length === 1 ? init.vars[0]! : undefined;
    if (!declared?.init || declared.init.kind === 'initList') return undefined;
    const variable = locals.all.find((local) => local.variable === declared);
    if (!variable || variable.addressTaken || variable.writes.length !== 1) return undefined;
    return { variable, start: declared.init };
  }
  const variable = counterSetIn(loop, locals);
  if (!variable?.variable || variable.addressTaken || variable.variable.space !== 'none' || variable.variable.storage)
    return undefined;
  const isOfALoop = (node: AnySyntax): boolean =>
    [...ancestorsOf(node, locals)].some((around) => around.kind === 'for' && counterSetIn(around, locals) === variable);
  const inThis = variable.writes.filter(({ node }) => isInside(node, loop, locals));
  if (inThis.length !== 2 || !variable.uses.every(isOfALoop) || !variable.writes.every(({ node }) => isOfALoop(node)))
    return undefined;
  return { variable, start: inThis.find(({ node }) => isInside(node, init!, locals))!.value! };
}
function counterSetIn({ init }: ForStmt, locals: Locals): Local | undefined {
  if (init?.kind !== 'expr' || init.expr.kind !== 'assign' || init.expr.op !== '=') return undefined;
  return init.expr.target.kind === 'name' ? locals.of(init.expr.target) : undefined;
}

function writesMemory(loop: ForStmt): boolean {
  let found = false;
  walk(loop.body, (node) => {
    const target = node.kind === 'assign' ? node.target : node.kind === 'update' ? node.operand : undefined;
    if ((target && target.kind !== 'name') || (node.kind === 'call' && /^atomic/.test(calleeName(node) ?? '')))
      found = true;
  });
  return found;
}

function stepOf(step: Expr, isVariable: (expr: Expr) => boolean): number | undefined {
  if (step.kind === 'update') return step.op === '++' && isVariable(step.operand) ? 1 : undefined;
  if (step.kind !== 'assign' || !isVariable(step.target)) return undefined;
  const number = (expr: Expr): number | undefined =>
    expr.kind === 'number' && !expr.macro && Number.isInteger(expr.value) && expr.value > 0 ? expr.value : undefined;
  if (step.op === '+=') return number(step.value);
  if (step.op !== '=' || step.value.kind !== 'binary' || step.value.op !== '+') return undefined;
  const { left, right } = step.value;
  return isVariable(left) ? number(right) : isVariable(right) ? number(left) : undefined;
}

/** Elements of arrays that are subscripts in the loop, with the loop variable's factor in the index. */
export function* subscriptsIn(
  { loop, variable }: WalkingLoop,
  context: FunctionContext,
  locals: Locals,
): Iterable<{ readonly node: IndexExpr; readonly factor: number | undefined; readonly byThread: number | undefined }> {
  const atom = atomName(variable, locals);
  const nodes: IndexExpr[] = [];
  // The loop's own nodes: a kernel of thousands of loops must not be visited for each.
  walk(loop.body, (node) => {
    if (node.kind === 'index') nodes.push(node);
  });
  for (const node of nodes) {
    const index = polynomialOf(node.index, context, locals);
    const split = index && splitBy(index, atom);
    const thread = index && splitBy(index, 'threadIdx.x');
    const hidden =
      !!split &&
      hasAtom(split.rest, (other) => other.startsWith('(') && new RegExp(`(?<![\\w.])${atom}(?![\\w.])`).test(other));
    yield {
      node,
      factor: split && !hidden ? numberOf(split.factor) : undefined,
      byThread: thread && numberOf(thread.factor),
    };
  }
}

/**
 * What iterations of the loop carry to one another, as accumulators; a sentence where they carry anything else, leave
 * the loop, or meet other threads.
 */
export function accumulatorsOf(
  { loop, variable }: WalkingLoop,
  context: FunctionContext,
  locals: Locals,
): readonly Accumulator[] | string {
  const found = new Map<Local, Accumulator>();
  let why: string | undefined;
  walk(loop.body, (node) => {
    if (why !== undefined) return false;
    if (hidesEffects(node)) {
      why = 'it contains code that cannot be analysed';
      return false;
    }
    switch (node.kind) {
      case 'break':
        if (!leavesInnerLoop(node, loop, locals)) why = 'an iteration can end the loop';
        return true;
      case 'return':
      case 'goto':
      case 'label':
        why = 'an iteration can leave the loop';
        return false;
      case 'assign':
      case 'update': {
        const target = node.kind === 'assign' ? node.target : node.operand;
        const owner = ownerOf(target, locals);
        if (!owner) return true; // memory: looked at elsewhere
        if (owner === variable) why = 'an iteration changes the loop variable';
        else if (!(owner.variable && isInside(owner.variable, loop.body, locals)) && !found.has(owner)) {
          const accumulator = accumulatorIn(owner, loop, context, locals);
          if (typeof accumulator === 'string') why = accumulator;
          else found.set(owner, accumulator);
        }
        return true;
      }
      default:
        return true;
    }
  });
  return why ?? [...found.values()];
}

function leavesInnerLoop(node: AnySyntax, loop: ForStmt, locals: Locals): boolean {
  for (const outer of ancestorsOf(node, locals)) {
    if (outer === loop) return false;
    if (
      outer.kind === 'for' ||
      outer.kind === 'while' ||
      outer.kind === 'do' ||
      outer.kind === 'switch' ||
      outer.kind === 'rangeFor'
    )
      return true;
  }
  return false;
}

/** The variable that a written place belongs to: a name, its fields, elements of an array of the thread's own. */
function ownerOf(target: Expr, locals: Locals): Local | undefined {
  if (target.kind === 'name') return locals.of(target);
  if (target.kind === 'member' && !target.arrow) return ownerOf(target.object, locals);
  if (target.kind !== 'index') return undefined;
  let base: Expr = target.base;
  while (base.kind === 'index') base = base.base;
  const local = base.kind === 'name' ? locals.of(base) : undefined;
  return local?.variable?.type.kind === 'array' && local.variable.space === 'none' ? local : undefined;
}

/** The variable as an accumulator of all its uses inside `scope`; a sentence where some use is another. */
export function accumulatorIn(
  local: Local,
  scope: AnySyntax,
  context: FunctionContext,
  locals: Locals,
): Accumulator | string {
  const carried = `\`${local.name}\` carries a value between iterations`;
  if (local.addressTaken || !isShuffled(local, context)) return carried;
  const accounted = new Set<AnySyntax>();
  let combination: Combination | undefined;
  let callee: string | undefined;
  for (const write of local.writes) {
    if (!isInside(write.node, scope, locals)) continue;
    const statement = locals.parent(write.node);
    if (statement?.kind !== 'expr' && !(statement?.kind === 'for' && statement.step === write.node)) return carried;
    const one = combinationOf(write.node, local, locals);
    if (!one || (combination && one.combination !== combination) || (callee && one.callee !== callee)) return carried;
    combination = one.combination;
    callee = one.callee;
    one.uses.forEach((use) => accounted.add(use));
  }
  if (!combination) return carried;
  for (const use of local.uses) if (isInside(use, scope, locals) && !accounted.has(use)) return carried;
  return { local, combination, ...(callee ? { callee } : {}) };
}

const shuffledTypes = /^(int|unsigned int|long|unsigned long|long long|unsigned long long|float|double)$/;

/** Has the variable a type that `__shfl_xor_sync` moves? Of a template's own type every launch has to say one. */
function isShuffled(local: Local, context: FunctionContext): boolean {
  const syntax = local.variable?.type ?? local.parameter?.type;
  if (!syntax || syntax.kind === 'array' || syntax.kind === 'pointer') return false;
  const type = context.types.resolve(syntax);
  const isMoved = (name: string): boolean => {
    const one = context.types.resolve({ kind: 'named', name });
    return one.kind === 'scalar' && one.size >= 4 && shuffledTypes.test(one.name);
  };
  if (type.kind === 'scalar') return isMoved(type.name);
  if (type.kind !== 'unknown') return false;
  const given = (context.launchTypes ?? []).map((types) => types.get(type.name));
  return given.length > 0 && given.every((name) => name !== undefined && isMoved(name));
}

interface Combined {
  readonly combination: Combination;
  readonly callee?: string;
  readonly uses: readonly AnySyntax[];
}

/** What one write does to a variable where it only takes something in; `uses` are the variable's names in it. */
function combinationOf(node: AnySyntax, local: Local, locals: Locals): Combined | undefined {
  const isLocal = (expr: Expr): boolean => expr.kind === 'name' && locals.of(expr) === local;
  const isFree = (expr: Expr): boolean => {
    let free = true;
    walk(expr, (inner) => {
      if (inner.kind === 'name' && locals.of(inner) === local) free = false;
    });
    return free;
  };
  if (node.kind === 'update') return isLocal(node.operand) ? { combination: '+', uses: [node.operand] } : undefined;
  if (node.kind !== 'assign' || !isLocal(node.target)) return undefined;
  const { value } = node;
  if (node.op !== '=') {
    const combination = { '+=': '+', '-=': '+', '*=': '*', '&=': '&', '|=': '|', '^=': '^' }[node.op] as
      | Combination
      | undefined;
    return combination && isFree(value) ? { combination, uses: [node.target] } : undefined;
  }
  const guarded = maximumGuard(node, local, locals);
  if (guarded) return guarded;
  switch (value.kind) {
    case 'binary': {
      if (value.op === '+' || value.op === '-') {
        // `total + a - b` is ((total + a) - b).
        const others: Expr[] = [];
        let at: Expr = value;
        while (at.kind === 'binary' && (at.op === '+' || at.op === '-') && !isFree(at.left)) {
          others.push(at.right);
          at = at.left;
        }
        if (isLocal(at) && others.every(isFree)) return { combination: '+', uses: [node.target, at] };
        if (value.op === '+' && isLocal(value.right) && isFree(value.left))
          return { combination: '+', uses: [node.target, value.right] };
        return undefined;
      }
      if (!/^[*&|^]$/.test(value.op)) return undefined;
      const combination = value.op as Combination;
      const [own, other] = isLocal(value.left) ? [value.left, value.right] : [value.right, value.left];
      return isLocal(own) && isFree(other) ? { combination, uses: [node.target, own] } : undefined;
    }
    case 'call': {
      const name = calleeName(value);
      if (!name) return undefined;
      if (/^(fmaf?|__fmaf?_r[nzud])$/.test(name) && value.args.length === 3) {
        const [a, b, sum] = value.args as [Expr, Expr, Expr];
        return isLocal(sum) && isFree(a) && isFree(b) ? { combination: '+', uses: [node.target, sum] } : undefined;
      }
      const most = /^f?max[fl]?$/.test(name) ? 'max' : /^f?min[fl]?$/.test(name) ? 'min' : undefined;
      if (!most || value.args.length !== 2) return undefined;
      const [own, other] = isLocal(value.args[0]!) ? value.args : [value.args[1]!, value.args[0]!];
      return isLocal(own!) && isFree(other!)
        ? { combination: most, callee: name, uses: [node.target, own!] }
        : undefined;
    }
    case 'conditional': {
      if (value.cond.kind !== 'binary' || !/^[<>]=?$/.test(value.cond.op)) return undefined;
      const { left, right, op } = value.cond;
      const [own, other] = isLocal(left) ? [left, right] : [right, left];
      if (!isLocal(own) || !isFree(other)) return undefined;
      const [kept, taken] = isLocal(value.then) ? [value.then, value.else] : [value.else, value.then];
      if (!isLocal(kept) || !sameExpr(taken, other)) return undefined;
      const takesGreater = (op.startsWith('>') === (taken === value.then)) === (other === left);
      return { combination: takesGreater ? 'max' : 'min', uses: [node.target, own, kept] };
    }
    default:
      return undefined;
  }
}

/** `if (x > best) best = x;` */
function maximumGuard(node: AnySyntax, local: Local, locals: Locals): Combined | undefined {
  if (node.kind !== 'assign' || node.op !== '=') return undefined;
  const statement = locals.parent(node);
  let around = statement && locals.parent(statement);
  if (around?.kind === 'block' && around.body.length === 1) around = locals.parent(around);
  if (around?.kind !== 'if' || around.else || around.init || around.cond.kind !== 'binary') return undefined;
  const { op, left, right } = around.cond;
  if (!/^[<>]=?$/.test(op)) return undefined;
  const isLocal = (expr: Expr): boolean => expr.kind === 'name' && locals.of(expr) === local;
  const [own, other] = isLocal(left) ? [left, right] : [right, left];
  if (!isLocal(own) || !sameExpr(other, node.value)) return undefined;
  return { combination: op.startsWith('>') === (other === left) ? 'max' : 'min', uses: [node.target, own] };
}

/**
 * The outermost loop around the walking one in which the variable is touched by combinations within `shared` loops
 * alone: after it the lanes' parts are put together, once.
 */
export function scopeOf(
  accumulator: Accumulator,
  walking: WalkingLoop,
  shared: readonly WalkingLoop[],
  context: FunctionContext,
  locals: Locals,
): Stmt {
  const { local } = accumulator;
  let scope: Stmt = walking.loop;
  for (const outer of ancestorsOf(walking.loop, locals)) {
    if (outer.kind !== 'for' && outer.kind !== 'while' && outer.kind !== 'do') continue;
    if (local.variable && isInside(local.variable, outer, locals)) break;
    const all = accumulatorIn(local, outer, context, locals);
    if (typeof all === 'string' || all.combination !== accumulator.combination || all.callee !== accumulator.callee)
      break;
    const inside = local.uses.filter((use) => isInside(use, outer, locals));
    if (!inside.every((use) => shared.some(({ loop }) => isInside(use, loop.body, locals)))) break;
    scope = outer;
  }
  return scope;
}

/** How one lane's part takes in another's. */
export function combineText({ combination, callee, local }: Accumulator, other: string): string {
  const { name } = local;
  if (callee) return `${name} = ${callee}(${name}, ${other});`;
  if (combination === 'max' || combination === 'min') return `${name} = ${combination}(${name}, ${other});`;
  return `${name} ${combination}= ${other};`;
}

/** What the lanes but one start with, where what the variable held may be taken in only once; else undefined. */
export function neutralText({ combination }: Accumulator): string | undefined {
  return combination === '+' || combination === '^' ? '0' : combination === '*' ? '1' : undefined;
}

/** Does the variable surely hold the neutral value where `scope` begins? */
export function startsNeutral(
  accumulator: Accumulator,
  scope: Stmt,
  context: FunctionContext,
  locals: Locals,
): boolean {
  const neutral = neutralText(accumulator);
  if (neutral === undefined) return true;
  const { local } = accumulator;
  const block = locals.parent(scope);
  const declaration = local.variable && locals.parent(local.variable);
  const isNeutral = (expr: Expr | undefined): boolean =>
    expr?.kind === 'number' && expr.value === Number(neutral) && !/^-/.test(textOf(context, expr));
  if (block?.kind !== 'block') return false;
  const at = block.body.indexOf(scope);
  for (let before = at - 1; before >= 0; before--) {
    const stmt = block.body[before]!;
    if (stmt === declaration) return isNeutral(local.variable!.init);
    const writes = local.writes.filter((write) => isInside(write.node, stmt, locals));
    if (writes.length === 0) continue;
    return (
      stmt.kind === 'expr' && stmt.expr === writes[0]!.node && writes[0]!.op === '=' && isNeutral(writes[0]!.value)
    );
  }
  return false;
}
