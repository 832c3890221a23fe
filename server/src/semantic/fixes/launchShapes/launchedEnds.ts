// Whether a launch starts a thread for all that its kernel works on: then more threads find nothing to do.
import type { Expr } from '../../../syntax/ast';
import {
  atomsOf,
  constantPolynomial,
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
  type CountStep,
  argumentOf,
} from '../../language';
import { isGlobalWrittenIn } from '../../flow';
import { dim3Parts, extentParts } from './launchGrids';
import type { Axis } from '../threadNumbers/rows';
import { ceilDivisor } from './literals';
import { blockNumber, endsAll, type IsEnd, numberAlong, type OwnNumber } from './planes';
import { isHandedOn } from '../../program';

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
  const starts = startedAlong(axis, site);
  const isEnd: IsEnd = ({ atom, number }, index, bound, orEqual, step) =>
    stepsOverAll(step, fn, atom) || endsAt(index, bound, orEqual, fn, { number, atom, starts, site });
  return starts.length > 0 && endsAll(fn, [blocks ? blockNumber : numberAlong(axis)], isEnd);
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
interface Line extends OwnNumber {
  readonly starts: readonly Index[];
  readonly site: LaunchSite;
}

/** `i += gridDim.x * blockDim.x`: what is not started is done by those that are. */
function stepsOverAll(step: CountStep | undefined, fn: Fn, atom: string): boolean {
  if (step?.sign !== 1 || !step.by) return false;
  const value = fn.index(step.by);
  const axis = atom.slice(-1);
  const blocks = fixedPolynomial(`gridDim.${axis}`);
  const all = atom.startsWith('blockIdx') ? blocks : blocks.times(fixedPolynomial(`blockDim.${axis}`));
  return !!value && value.equals(all);
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
  return withAtoms(value, (atom, isLeast) => {
    const [local, more] = value.atoms.get(atom)?.locals ?? [];
    if (!local?.parameter || more || local.name !== atom || !isStable(local)) return undefined;
    if (isNarrow(site.host.types.resolve(local.parameter.type))) return undefined;
    const arg = argumentOf(local.parameter, site.kernel!, site.launch.args);
    return arg && hostValue(isLeast ? atLeast(arg) : arg, site);
  });
}

/** The polynomial with a value in the place of each atom, `isLeast` where more of it is more; undefined without one. */
export function withAtoms(of: Index, meant: (atom: string, isLeast: boolean) => Index | undefined): Index | undefined {
  let sum: Index = constantPolynomial(0);
  for (const [key, coefficient] of of.terms) {
    let product: Index = constantPolynomial(coefficient);
    for (const atom of atomsOf(key)) {
      const value = meant(atom, key === atom && coefficient > 0);
      if (!value) return undefined;
      product = product.times(value);
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
      const all = [blocks.left, blocks.right].some(numberIn) ? undefined : roundedUpIn(blocks, ask);
      if (all) return [all];
      const right = startedBy(blocks.right, ask);
      return startedBy(blocks.left, ask).flatMap((some) => right.map((more) => some.plus(more)));
    }
    case 'call': {
      if (/^(max|std::max)$/.test(calleeName(blocks) ?? '')) return blocks.args.flatMap((arg) => startedBy(arg, ask));
      const all = calleeName(blocks) === 'min' ? undefined : roundedUpIn(blocks, ask);
      if (all) return [all];
    }
  }
  const value = hostValue(blocks, site);
  return value ? [value.times(block)] : [];
}

/** What is divided by the block's extent and rounded up. */
function roundedUpIn(blocks: Expr, { site, block }: Ask): Index | undefined {
  const is = (expr: Expr): boolean => !!block && !!hostValue(withoutCast(expr), site)?.equals(block);
  const up = ceilDivisor(blocks, { value: NaN, is }, site.host);
  return up && hostValue(withoutCast(up.number), site);
}

function isStructure(local: Local, { host }: LaunchSite): boolean {
  const { kind } = host.types.resolve(local.variable!.type);
  return kind !== 'scalar' && local.variable!.type.kind !== 'auto';
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
