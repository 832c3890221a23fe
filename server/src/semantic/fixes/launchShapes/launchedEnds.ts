// Whether a launch starts a thread for all that its kernel works on: then more threads find nothing to do.
import type { Expr, FunctionDecl, Stmt } from '../../../syntax/ast';
import {
  atomsOf,
  constantPolynomial,
  orderedBy,
  type Fn,
  fixedPolynomial,
  type Index,
  isStable,
  localsIn,
  type LaunchSite,
  calleeName,
  type Local,
  onceWith,
  walk,
  type Type,
  arithmetic,
  counted,
  type CountStep,
} from '../../language';
import { isGlobalWrittenIn } from '../../flow';
import { dim3Parts, extentParts } from './launchGrids';
import { type Axis, threadNumber } from '../threadNumbers/rows';
import { isCeilFunction, isFloating } from './literals';
import { isHandedOn, isArithmetic, isBlockBarrier, isReturn } from '../../program';

const one = constantPolynomial(1);

/**
 * Whether all that the kernel does to memory is behind ends along x, or along y as well, that its launch comes to. Of
 * `blocks`, each of one thread, the number of the block is the thread's.
 */
export function comesToEnds(site: LaunchSite, axes: readonly Axis[] = ['x'], blocks = false): boolean {
  return axes.every((axis) => comesToEnd(site, axis, blocks));
}

const comesToEnd = onceWith((site: LaunchSite, axis: Axis, blocks: boolean): boolean => {
  const { kernel, host } = site;
  const file = kernel?.body && host.program.fileOf(kernel);
  if (!file) return false;
  const fn = host.of(kernel);
  if (![...site.launch.config.slice(0, 2), ...site.launch.args].every((expr) => isWhole(expr, host))) return false;
  const number = blocks ? fixedPolynomial('blockIdx.x') : threadNumber(fixedPolynomial(`blockDim.${axis}`), axis);
  const starts = startedAlong(axis, site);
  const atom = blocks ? 'blockIdx.x' : `threadIdx.${axis}`;
  return starts.length > 0 && isCovered(fn, kernel, { number, atom, starts, site });
});

/** Whether a value and what its names stand for lose no digits on the way, and no call may write what they name. */
function isWhole(expr: Expr, host: Fn, depth = 0): boolean {
  if (depth > 6) return false;
  let whole = true;
  walk(expr, (node) => {
    if (node.kind === 'cast' && isNarrow(host.types.resolve(node.type))) whole = false;
    const local = node.kind === 'name' ? host.local(node) : undefined;
    if (local && isHandedOn(local, host)) whole = false;
    if (!local?.variable || !whole) return whole;
    const { init, type } = local.variable;
    const values = [...(init ? [init] : []), ...local.writes.flatMap(({ value }) => (value ? [value] : []))];
    if (values.some((value) => value.kind !== 'number') && isNarrow(host.types.resolve(type))) whole = false;
    if (!values.every((value) => isWhole(value, host, depth + 1))) whole = false;
    return whole;
  });
  return whole;
}
const isNarrow = (type: Type): boolean => type.kind === 'scalar' && !type.float && type.size < 4;

/** The threads along an axis: how a kernel numbers them, and how many a launch starts at least. */
interface Line {
  readonly number: Index;
  /** What tells neighbours apart. */
  readonly atom: string;
  readonly starts: readonly Index[];
  readonly site: LaunchSite;
}

function isCovered(fn: Fn, kernel: FunctionDecl, line: Line): boolean {
  for (const stmt of kernel.body?.body ?? []) {
    if (isHarmless(stmt, fn)) continue;
    if (stmt.kind === 'if' && !stmt.else && !stmt.init) {
      if (isReturn(stmt.then)) {
        if (isEnd(stmt.cond, 'outside', fn, line)) return true;
      } else if (!isEnd(stmt.cond, 'inside', fn, line)) return false;
      continue;
    }
    const head = counted(stmt);
    if (!head?.declared || !head.alone || !head.loop.cond) return false;
    if (stepsOverAll(head.step, fn, line)) continue;
    const { op = '', end } = head.bound ?? {};
    if (!end || !op.startsWith('<') || !endsAt(head.first, end, op === '<=', fn, line)) return false;
  }
  return true;
}

/** `i += gridDim.x * blockDim.x`: what is not started is done by those that are. */
function stepsOverAll(step: CountStep | undefined, fn: Fn, { atom }: Line): boolean {
  if (step?.sign !== 1 || !step.by) return false;
  const value = fn.index(step.by);
  const axis = atom.slice(-1);
  const blocks = fixedPolynomial(`gridDim.${axis}`);
  const all = atom.startsWith('blockIdx') ? blocks : blocks.times(fixedPolynomial(`blockDim.${axis}`));
  return !!value && value.equals(all);
}

/** Accesses no memory in any thread. */
function isHarmless(stmt: Stmt, fn: Fn): boolean {
  if (stmt.kind === 'empty' || stmt.kind === 'type') return true;
  if (stmt.kind === 'decl')
    return stmt.vars.every(({ init, space }) => space === 'none' && (!init || isArithmetic(init, fn)));
  if (stmt.kind !== 'expr') return false;
  const { expr } = stmt;
  if (expr.kind === 'call') return isBlockBarrier(expr);
  if (expr.kind !== 'assign' || expr.target.kind !== 'name') return false;
  return !!fn.local(expr.target)?.variable && isArithmetic(expr.value, fn);
}
/** Whether none but threads that are started anyway are inside of the condition, or all others outside of it. */
function isEnd(cond: Expr, side: 'inside' | 'outside', fn: Fn, line: Line): boolean {
  if (cond.kind === 'unary' && cond.op === '!')
    return isEnd(cond.operand, side === 'inside' ? 'outside' : 'inside', fn, line);
  if (cond.kind === 'binary' && cond.op === (side === 'inside' ? '&&' : '||'))
    return [cond.left, cond.right].some((part) => isEnd(part, side, fn, line));
  const ordered = orderedBy(cond);
  if (!ordered) return false;
  const { low, high, orEqual } = ordered;
  return side === 'inside' ? endsAt(low, high, orEqual, fn, line) : endsAt(high, low, !orEqual, fn, line);
}

/** Whether the threads that are started come to all with `index < bound`, or `index <= bound`. */
function endsAt(index: Expr, bound: Expr, orEqual: boolean, fn: Fn, { number, atom, starts, site }: Line): boolean {
  const [value, last] = [index, bound].map((expr) => fn.index(expr));
  const factor = value?.split(atom)?.factor?.number;
  if (!value || !last || factor === undefined || factor < 1) return false;
  const rest = value.plus(number.times(constantPolynomial(factor)), -1);
  const end = last.plus(rest, -1).plus(constantPolynomial(orEqual ? 1 : 0));
  const [low, high] = [index, bound].map((expr) => fn.typing.typeOf(expr));
  const compared = arithmetic(low, high);
  const isSigned = !!compared && (compared.float || compared.signed);
  // `n - 7` of few elements is not a small number where it is compared as one without a sign.
  const mayWrap = !isSigned && [...last.terms.values()].some((coefficient) => coefficient < 0);
  const leastOf = (largest: Index, started: Index): boolean =>
    !mayWrap || (largest.plus(started, -1).number ?? -Infinity) >= (orEqual ? 0 : -1);
  // A quotient is at most what is divided, where there is anything to do at all.
  return [valueAtLaunch(site, end, (arg) => arg), valueAtLaunch(site, end, (arg) => dividedBy(arg, site.host))].some(
    (largest) =>
      largest &&
      starts.some(
        (started) =>
          leastOf(largest, started) &&
          [1, factor].some((each) => isAtMostZero(largest.plus(started, -each), site.host)),
      ),
  );
}

/**
 * A value over the kernel's parameters as the launch gives them, those that stand for themselves by what is at least as
 * much; undefined where it has others.
 */
function valueAtLaunch(site: LaunchSite, value: Index, atLeast: (arg: Expr) => Expr): Index | undefined {
  let sum: Index = constantPolynomial(0);
  for (const [key, coefficient] of value.terms) {
    let product: Index = constantPolynomial(coefficient);
    for (const atom of atomsOf(key)) {
      const [local, more] = value.atoms.get(atom)?.locals ?? [];
      if (!local?.parameter || more || local.name !== atom || !isStable(local)) return undefined;
      if (isNarrow(site.host.types.resolve(local.parameter.type))) return undefined;
      const arg = site.launch.args[site.kernel!.params.indexOf(local.parameter)];
      const passed = arg && hostValue(key === atom && coefficient > 0 ? atLeast(arg) : arg, site);
      if (!passed) return undefined;
      product = product.times(passed);
    }
    sum = sum.plus(product);
  }
  return sum;
}

/** No positive number, what is taken from it being the counter of a loop that begins at 0 or beyond and goes up. */
function isAtMostZero(value: Index, fn: Fn): boolean {
  return [...value.terms].every(([key, coefficient]) => {
    const counters = atomsOf(key).map((atom) => value.atoms.get(atom)?.locals[0]);
    return coefficient < 0 && counters.every((local) => local && isCounter(local, fn));
  });
}
function isCounter(local: Local, fn: Fn): boolean {
  if (local.addressTaken || local.parameter) return false;
  const { init } = local.variable ?? {};
  return (
    (!init || (numberIn(init) ?? -1) >= 0) &&
    local.writes.every(({ node, op, value }) => {
      if (op === '=') return !!value && (numberIn(value) ?? -1) >= 0;
      const up = op === '++' || (op === '+=' && !!value && (numberIn(value) ?? -1) >= 0);
      return up && [...fn.around(node)].some((around) => around.kind === 'for');
    })
  );
}

/** `n` of `n / 2`; everything else itself. */
function dividedBy(expr: Expr, { types }: Fn): Expr {
  return expr.kind === 'binary' && expr.op === '/' && (types.constant(expr.right) ?? 0) >= 1 ? expr.left : expr;
}

/** What a launch starts along an axis at the least: threads, or as many as it has blocks. */
function startedAlong(axis: Axis, site: LaunchSite): readonly Index[] {
  const [grid, block] = site.launch.config.slice(0, 2).map((expr) => {
    const parts = dim3Parts(expr, site) ?? extentParts(expr);
    return { part: parts[axis === 'x' ? 0 : 1], holder: expr.kind === 'name' ? localOf(expr, site) : undefined };
  });
  if (!grid || !block) return [];
  const ask: Ask = { site, block: block.part ? hostValue(block.part, site) : one };
  if (!grid.part) return ask.block ? [ask.block] : [];
  const blocks = hostValue(grid.part, site);
  const all = [...startedBy(grid.part, ask), ...(blocks ? [blocks] : [])];
  return all.filter((value) => isAsItWas(value, grid.holder, site) && isAsItWas(value, block.holder, site));
}
interface Ask {
  readonly site: LaunchSite;
  readonly block: Index | undefined;
}

function localOf(expr: Expr, { host }: LaunchSite): Local | undefined {
  return expr.kind === 'name' ? host.local(expr) : undefined;
}

/** Whether what a variable was declared with is the same at the launch. */
function isAsItWas(value: Index, holder: Local | undefined, { host }: LaunchSite): boolean {
  const declared = holder?.writes[0]?.node ?? holder?.variable;
  if (!declared) return true;
  return [...localsIn(value)].every(
    (local) =>
      isStable(local) ||
      (!local.addressTaken && local.writes.every(({ node }) => host.locals.order(node) < host.locals.order(declared))),
  );
}

/** Lower bounds of so many blocks, times the threads of each. */
function startedBy(blocks: Expr, ask: Ask): readonly Index[] {
  const { site, block } = ask;
  if (!block) return [];
  switch (blocks.kind) {
    case 'cast':
      return startedBy(blocks.operand, ask);
    case 'name': {
      const local = localOf(blocks, site);
      const init = local && site.host.definition(local);
      if (!local || !init || isStructure(local, site)) break;
      return startedBy(init, ask).filter((value) => isAsItWas(value, local, site));
    }
    case 'binary': {
      if (blocks.op === '/') {
        const [of, by] = [hostValue(blocks.left, site), hostValue(blocks.right, site)];
        const exact = hostValue(blocks, site);
        if (of && by?.equals(block)) return [of.plus(block, -1).plus(one), ...(exact ? [exact.times(block)] : [])];
      }
      if (blocks.op !== '+') break;
      if (isRest(blocks.right, blocks.left, ask)) {
        const of = blocks.left.kind === 'binary' ? hostValue(blocks.left.left, site) : undefined;
        return of ? [of] : [];
      }
      const right = startedBy(blocks.right, ask);
      return startedBy(blocks.left, ask).flatMap((some) => right.map((more) => some.plus(more)));
    }
    case 'call': {
      const name = calleeName(blocks) ?? '';
      const [first, second] = blocks.args;
      if (/^(max|std::max)$/.test(name)) return blocks.args.flatMap((arg) => startedBy(arg, ask));
      if (/^(std::)?ceilf?$/.test(name) && first?.kind === 'binary' && first.op === '/' && isFloating(first)) {
        const [of, by] = [first.left, first.right].map((part) => hostValue(withoutCast(part), site));
        return of && by?.equals(block) ? [of] : [];
      }
      if (first && second && isCeilFunction(name, site.host)) {
        const [of, by] = [hostValue(first, site), hostValue(second, site)];
        return of && by?.equals(block) ? [of] : [];
      }
    }
  }
  const value = hostValue(blocks, site);
  return value ? [value.times(block)] : [];
}

function isStructure(local: Local, { host }: LaunchSite): boolean {
  const { kind } = host.types.resolve(local.variable!.type);
  return kind !== 'scalar' && local.variable!.type.kind !== 'auto';
}

/** `(n % threads != 0)` or `(n % threads ? 1 : 0)` beside `n / threads`, in one of their spellings. */
function isRest(expr: Expr, quotient: Expr, { site, block }: Ask): boolean {
  if (quotient.kind !== 'binary' || quotient.op !== '/') return false;
  const [first, second] = [hostValue(quotient.left, site), hostValue(quotient.right, site)];
  if (!first || !second || !block || !second.equals(block)) return false;
  return isOneFor(expr, true);

  /** Whether it is 1 where a rest remains and 0 where not, or the other way round. */
  function isOneFor(part: Expr, rest: boolean): boolean {
    if (part.kind === 'unary' && part.op === '!') return isTrueFor(part.operand, !rest);
    if (part.kind === 'conditional') {
      const [some, none] = [numberIn(part.then), numberIn(part.else)];
      if (some === 1 && none === 0) return isTrueFor(part.cond, rest);
      return some === 0 && none === 1 && isTrueFor(part.cond, !rest);
    }
    return part.kind === 'binary' && /^(==|!=|>)$/.test(part.op) && isTrueFor(part, rest);
  }
  function isTrueFor(part: Expr, rest: boolean): boolean {
    if (part.kind === 'binary' && part.op === '%') {
      const [of, by] = [hostValue(part.left, site), hostValue(part.right, site)];
      return rest && !!of && !!by && of.equals(first!) && by.equals(second!);
    }
    if (part.kind === 'binary' && numberIn(part.right) === 0)
      return part.op === '==' ? isTrueFor(part.left, !rest) : /^(!=|>)$/.test(part.op) && isTrueFor(part.left, rest);
    return (part.kind === 'unary' || part.kind === 'conditional') && isOneFor(part, rest);
  }
}
const numberIn = (part: Expr): number | undefined => (part.kind === 'number' ? part.value : undefined);

function withoutCast(expr: Expr): Expr {
  if (expr.kind === 'cast') return withoutCast(expr.operand);
  const isConversion = expr.kind === 'call' && /^(float|double)$/.test(calleeName(expr) ?? '');
  return isConversion && expr.args.length === 1 ? withoutCast(expr.args[0]!) : expr;
}

/** A variable outside of functions that nothing writes while the host's function runs. */
function globalValue(name: string, { host }: LaunchSite): Index | undefined {
  const [global, more] = host.program.globals(name);
  if (!global || more || host.types.resolve(global.type).kind !== 'scalar') return undefined;
  return isGlobalWrittenIn(name, host.decl.body!, host) ? undefined : fixedPolynomial(name);
}

/** A value of the host, extents of a `dim3` replaced by what it was made with. */
function hostValue(expr: Expr, site: LaunchSite): Index | undefined {
  const value = site.host.index(expr);
  if (value) return value;
  if (expr.kind === 'name' && !localOf(expr, site)) return globalValue(expr.name, site);
  if (expr.kind === 'member' && /^[xyz]$/.test(expr.field)) {
    const parts = dim3Parts(expr.object, site);
    const part = parts?.['xyz'.indexOf(expr.field)];
    const count = part && hostValue(part, site);
    if (!parts || !part) return parts && one;
    return count && isAsItWas(count, localOf(expr.object, site), site) ? count : undefined;
  }
  if (expr.kind !== 'binary' || !/^[-+*]$/.test(expr.op)) return undefined;
  const [left, right] = [hostValue(expr.left, site), hostValue(expr.right, site)];
  if (!left || !right) return undefined;
  return expr.op === '*' ? left.times(right) : left.plus(right, expr.op === '+' ? 1 : -1);
}
