// What the iterations of a loop along a row carry to one another, and how the lanes of a warp put their parts together.
import { hidesEffects, holderOf, isOwn } from '../../program';
import type { AssignExpr, Expr, Stmt } from '../../../syntax/ast';
import { type AnySyntax, walk, type Fn, calleeName, endedBy, type Local, sameExpr, some } from '../../language';
import type { SteppedLoop, WalkingLoop } from './loops';

export const warp = 32;

export type Combination = '+' | '*' | 'max' | 'min' | '&' | '|' | '^';

/** A variable from outside of a loop that each iteration only adds to (multiplies, takes the maximum of, …). */
export interface Accumulator {
  readonly local: Local;
  readonly combination: Combination;
  /** The function that combines (`fmaxf`), where one does. */
  readonly callee?: string;
  /** `if (x > best) { best = x; at = c; }`: what is taken along with a greater value. */
  readonly companions?: readonly Companion[];
  /** The companion that holds the loop variable: of equal values the first is taken. */
  readonly at?: Local;
}
interface Companion {
  readonly local: Local;
  readonly value: Expr;
}

/**
 * What iterations of the loop carry to one another, as accumulators; a sentence where they carry anything else, leave
 * the loop, or meet other threads.
 */
export function accumulatorsOf({ loop, variable, stepAt }: SteppedLoop, fn: Fn): readonly Accumulator[] | string {
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
        if (endedBy(node, fn.locals) === loop) why = 'an iteration can end the loop';
        return true;
      case 'return':
      case 'goto':
      case 'label':
        why = 'an iteration can leave the loop';
        return false;
      case 'assign':
      case 'update': {
        const target = node.kind === 'assign' ? node.target : node.operand;
        const owner = ownerOf(target, fn);
        if (!owner) return true; // memory: looked at elsewhere
        if (owner === variable) why = node === stepAt ? why : 'an iteration changes the loop variable';
        else if (!(owner.variable && fn.isInside(owner.variable, loop.body)) && !found.has(owner)) {
          const leader = node.kind === 'assign' ? extremeAt(node, fn)?.leader : undefined;
          const accumulator = accumulatorIn(leader ?? owner, loop, fn);
          if (typeof accumulator === 'string') why = accumulator;
          else {
            const { companions = [] } = accumulator;
            const at = companions.find((one) => holds(one, variable, fn))?.local;
            if (companions.length > 0 && !at)
              why = `of equal values of \`${accumulator.local.name}\` it keeps no order`;
            const one = { ...accumulator, ...(at ? { at } : {}) };
            for (const { local } of [one, ...companions]) found.set(local, one);
          }
        }
        return true;
      }
      default:
        return true;
    }
  });
  return why ?? [...new Set(found.values())];
}

/** Does the variable take the loop variable, in a type that has all its values? */
function holds({ local, value }: Companion, variable: Local, fn: Fn): boolean {
  if (value.kind !== 'name' || fn.local(value) !== variable) return false;
  const [to, from] = [local, variable].map((one) => fn.types.resolve(one.variable?.type ?? one.parameter!.type));
  return (
    to?.kind === 'scalar' &&
    from?.kind === 'scalar' &&
    !to.float &&
    (to.size === from.size ? to.signed === from.signed : to.size > from.size && to.signed)
  );
}

/** The variable that a written place belongs to: a name, its fields, elements of an array of the thread's own. */
function ownerOf(target: Expr, fn: Fn): Local | undefined {
  const holder = target.kind === 'name' ? target : isOwn(target, fn) ? holderOf(target, fn) : undefined;
  return holder && fn.local(holder);
}

/** The variable as an accumulator of all its uses inside `scope`; a sentence where some use is another. */
export function accumulatorIn(local: Local, scope: AnySyntax, fn: Fn): Accumulator | string {
  const carried = `\`${local.name}\` carries a value between iterations`;
  const accounted = new Set<AnySyntax>();
  let first: Combined | undefined;
  for (const write of local.writes) {
    if (!fn.isInside(write.node, scope)) continue;
    const statement = fn.parent(write.node);
    if (statement?.kind !== 'expr' && !(statement?.kind === 'for' && statement.step === write.node)) return carried;
    const one = combinationOf(write.node, local, fn);
    const isAnother = first && (one?.combination !== first.combination || one.callee !== first.callee);
    // What goes along with a value is taken in one place.
    if (!one || isAnother || first?.companions || (first && one.companions)) return carried;
    if (one.companions && !keeps(local, write.node, fn)) return carried;
    first = one;
    one.uses.forEach((use) => accounted.add(use));
  }
  if (!first) return carried;
  const { combination, callee, companions } = first;
  for (const one of [local, ...(companions ?? []).map((companion) => companion.local)]) {
    if (one.addressTaken || !isShuffled(one, fn)) return carried;
    for (const use of one.uses) if (fn.isInside(use, scope) && !accounted.has(use)) return carried;
  }
  return { local, combination, ...(callee ? { callee } : {}), ...(companions ? { companions } : {}) };
}

/** Is the value of the variable's own type? Of values that it rounds to one, the loop takes more than the first. */
function keeps(local: Local, node: AnySyntax, fn: Fn): boolean {
  const type = fn.types.resolve(local.variable?.type ?? local.parameter!.type);
  const assigned = node.kind === 'assign' ? fn.typing.typeOf(node.value) : undefined;
  return (
    (type.kind === 'scalar' || type.kind === 'unknown') &&
    assigned?.kind === type.kind &&
    'name' in assigned &&
    assigned.name === type.name
  );
}

const shuffledTypes = /^(int|unsigned int|long|unsigned long|long long|unsigned long long|float|double)$/;

/** Has the variable a type that `__shfl_xor_sync` moves? Of a template's own type every launch has to say one. */
function isShuffled(local: Local, fn: Fn): boolean {
  const syntax = local.variable?.type ?? local.parameter?.type;
  if (!syntax || syntax.kind === 'array' || syntax.kind === 'pointer') return false;
  const type = fn.types.resolve(syntax);
  const isMoved = (name: string): boolean => {
    const one = fn.types.resolve({ kind: 'named', name });
    return one.kind === 'scalar' && one.size >= 4 && shuffledTypes.test(one.name);
  };
  if (type.kind === 'scalar') return isMoved(type.name);
  if (type.kind !== 'unknown') return false;
  const launched = (fn.launchTypes ?? []).map((types) => types.get(type.name));
  return launched.length > 0 && launched.every((name) => name !== undefined && isMoved(name));
}

interface Combined {
  readonly combination: Combination;
  readonly callee?: string;
  readonly companions?: readonly Companion[];
  readonly uses: readonly AnySyntax[];
}

/** What one write does to a variable where it only takes something in; `uses` are the variable's names in it. */
function combinationOf(node: AnySyntax, local: Local, fn: Fn): Combined | undefined {
  const isLocal = (expr: Expr): boolean => expr.kind === 'name' && fn.local(expr) === local;
  const isFree = (expr: Expr): boolean => !some(expr, (inner) => inner.kind === 'name' && fn.local(inner) === local);
  if (node.kind === 'update') return isLocal(node.operand) ? { combination: '+', uses: [node.operand] } : undefined;
  if (node.kind !== 'assign' || !isLocal(node.target)) return undefined;
  const { value } = node;
  if (node.op !== '=') {
    const combination = { '+=': '+', '-=': '+', '*=': '*', '&=': '&', '|=': '|', '^=': '^' }[node.op] as
      | Combination
      | undefined;
    return combination && isFree(value) ? { combination, uses: [node.target] } : undefined;
  }
  const extreme = extremeAt(node, fn);
  if (extreme) return extreme.leader === local && extreme.leading === node ? extreme : undefined;
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
      const [self, other] = isLocal(value.left) ? [value.left, value.right] : [value.right, value.left];
      return isLocal(self) && isFree(other) ? { combination, uses: [node.target, self] } : undefined;
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
      const [self, other] = isLocal(value.args[0]!) ? value.args : [value.args[1]!, value.args[0]!];
      return isLocal(self!) && isFree(other!)
        ? { combination: most, callee: name, uses: [node.target, self!] }
        : undefined;
    }
    case 'conditional': {
      if (value.cond.kind !== 'binary' || !/^[<>]=?$/.test(value.cond.op)) return undefined;
      const { left, right, op } = value.cond;
      const [self, other] = isLocal(left) ? [left, right] : [right, left];
      if (!isLocal(self) || !isFree(other)) return undefined;
      const [kept, taken] = isLocal(value.then) ? [value.then, value.else] : [value.else, value.then];
      if (!isLocal(kept) || !sameExpr(taken, other)) return undefined;
      const takesGreater = (op.startsWith('>') === (taken === value.then)) === (other === left);
      return { combination: takesGreater ? 'max' : 'min', uses: [node.target, self, kept] };
    }
    default:
      return undefined;
  }
}

interface Extreme extends Combined {
  readonly leader: Local;
  readonly leading: AnySyntax;
}

/** `if (x > best) best = x;`, with what else is taken there; `node` is one of its assignments. */
function extremeAt(node: AssignExpr, fn: Fn): Extreme | undefined {
  const statement = fn.parent(node);
  const parent = statement && fn.parent(statement);
  const around = parent?.kind === 'block' ? fn.parent(parent) : parent;
  if (around?.kind !== 'if' || around.else || around.init || around.cond.kind !== 'binary') return undefined;
  const { op, left, right } = around.cond;
  if (!/^[<>]=?$/.test(op)) return undefined;
  const taken: { readonly local: Local; readonly node: AssignExpr }[] = [];
  for (const each of parent?.kind === 'block' ? parent.body : [statement!]) {
    const assign = each.kind === 'expr' && each.expr.kind === 'assign' && each.expr.op === '=' ? each.expr : undefined;
    const local = assign?.target.kind === 'name' ? fn.local(assign.target) : undefined;
    if (!assign || !local || taken.some((one) => one.local === local)) return undefined;
    taken.push({ local, node: assign });
  }
  for (const [self, other] of [
    [left, right],
    [right, left],
  ] as const) {
    const leader = self.kind === 'name' ? taken.find(({ local }) => local === fn.local(self)) : undefined;
    if (!leader || !sameExpr(other, leader.node.value)) continue;
    const others = taken.filter((one) => one !== leader);
    // Of equal values the first is kept.
    if (others.length > 0 && op.endsWith('=')) return undefined;
    return {
      combination: op.startsWith('>') === (other === left) ? 'max' : 'min',
      uses: [self, ...taken.map((one) => one.node.target)],
      leader: leader.local,
      leading: leader.node,
      ...(others.length > 0 ? { companions: others.map((one) => ({ local: one.local, value: one.node.value })) } : {}),
    };
  }
  return undefined;
}

/**
 * The outermost loop around the walking one in which the variable is touched by combinations within `shared` loops
 * alone: after it the lanes' parts are put together, once.
 */
export function scopeOf(accumulator: Accumulator, walking: WalkingLoop, shared: readonly WalkingLoop[], fn: Fn): Stmt {
  const { local } = accumulator;
  let scope: Stmt = walking.loop;
  // The loop variable orders the iterations of one loop.
  if (accumulator.companions) return scope;
  for (const outer of fn.around(walking.loop)) {
    if (outer.kind !== 'for' && outer.kind !== 'while' && outer.kind !== 'do') continue;
    if (local.variable && fn.isInside(local.variable, outer)) break;
    const all = accumulatorIn(local, outer, fn);
    if (typeof all === 'string' || all.combination !== accumulator.combination || all.callee !== accumulator.callee)
      break;
    const inside = local.uses.filter((use) => fn.isInside(use, outer));
    if (!inside.every((use) => shared.some(({ loop }) => fn.isInside(use, loop.body)))) break;
    scope = outer;
  }
  return scope;
}

/** Lines that put the lanes' parts together, so that each lane has the whole. */
export function shuffles(
  accumulators: readonly Accumulator[],
  fresh: (name: string) => string,
  unit: string,
): string[] {
  const offset = fresh('offset');
  const other = (local: Local): string => `__shfl_xor_sync(0xffffffff, ${local.name}, ${offset})`;
  const steps = accumulators.flatMap((one) => combined(one, other, fresh, unit));
  const head = `for (int ${offset} = ${warp / 2}; ${offset} > 0; ${offset} >>= 1)`;
  return steps.length === 1 ? [`${head} ${steps[0]!}`] : [`${head} {`, ...steps.map((step) => unit + step), '}'];
}

/** How one lane's part takes in another's. */
function combined(
  { combination, callee, local, companions = [], at }: Accumulator,
  other: (local: Local) => string,
  fresh: (name: string) => string,
  unit: string,
): string[] {
  const { name } = local;
  if (at) {
    const all = [local, ...companions.map((one) => one.local)].map((one) => ({
      one,
      theirs: fresh(`other${one.name.charAt(0).toUpperCase()}${one.name.slice(1)}`),
    }));
    const [value, index] = [local, at].map((wanted) => all.find(({ one }) => one === wanted)!.theirs);
    const isBetter = `${value} ${combination === 'max' ? '>' : '<'} ${name}`;
    return [
      ...all.map(({ one, theirs }) => `const auto ${theirs} = ${other(one)};`),
      `if (${isBetter} || (${value} == ${name} && ${index} < ${at.name})) {`,
      ...all.map(({ one, theirs }) => `${unit}${one.name} = ${theirs};`),
      '}',
    ];
  }
  if (callee) return [`${name} = ${callee}(${name}, ${other(local)});`];
  if (combination === 'max' || combination === 'min') return [`${name} = ${combination}(${name}, ${other(local)});`];
  return [`${name} ${combination}= ${other(local)};`];
}

/** Whether putting the parts together in another order may round another way; that of two values is exact. */
export function rounds({ local, at }: Accumulator, fn: Fn): boolean {
  const type = fn.types.resolve(local.variable?.type ?? local.parameter!.type);
  return !at && (type.kind !== 'scalar' || type.float);
}

/** What the lanes but one start with, where what the variable held may be taken in only once; else undefined. */
export function neutralText({ combination }: Accumulator): string | undefined {
  return combination === '+' || combination === '^' ? '0' : combination === '*' ? '1' : undefined;
}

/** Does the variable surely hold the neutral value where `scope` begins? */
export function startsNeutral(accumulator: Accumulator, scope: Stmt, fn: Fn): boolean {
  const neutral = neutralText(accumulator);
  if (neutral === undefined) return true;
  const { local } = accumulator;
  const block = fn.parent(scope);
  const declaration = local.variable && fn.parent(local.variable);
  const isNeutral = (expr: Expr | undefined): boolean =>
    expr?.kind === 'number' && expr.value === Number(neutral) && !/^-/.test(fn.text(expr));
  if (block?.kind !== 'block') return false;
  const at = block.body.indexOf(scope);
  for (let before = at - 1; before >= 0; before--) {
    const stmt = block.body[before]!;
    if (stmt === declaration) return isNeutral(local.variable!.init);
    const writes = local.writes.filter((write) => fn.isInside(write.node, stmt));
    if (writes.length === 0) continue;
    return (
      stmt.kind === 'expr' && stmt.expr === writes[0]!.node && writes[0]!.op === '=' && isNeutral(writes[0]!.value)
    );
  }
  return false;
}
