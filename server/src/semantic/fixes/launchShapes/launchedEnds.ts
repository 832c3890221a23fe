// Whether a launch starts a thread for all that its kernel works on: then more threads find nothing to do.
import type { Expr, TypeSyntax } from '../../../syntax/ast';
import {
  atomsOf,
  argumentOf,
  arithmetic,
  constantOf,
  constantPolynomial,
  type CountStep,
  type Fn,
  fixedPolynomial,
  type Index,
  isFloating,
  isStable,
  type LaunchSite,
  type Local,
  onceWith,
  walk,
} from '../../language';
import { isGlobalWrittenIn } from '../../flow';
import { dim3Parts, extentParts } from './launchGrids';
import type { Axis } from '../threadNumbers/rows';
import { blockNumber, endsAll, type IsEnd, numberAlong, type OwnNumber } from './planes';
import { isHandedOn } from '../../program';

/** An integer for what the host's code does not fix, which may be one without a sign. */
type Draw = (name: string, isUnsigned: boolean) => number;
/** A number of the host for such integers; undefined where it depends on more than those. */
type Drawn = (draw: Draw) => number | undefined;

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
  const isEnd: IsEnd = ({ atom, number }, index, bound, orEqual, step) =>
    stepsOverAll(step, fn, atom) || endsAt(index, bound, orEqual, fn, { number, atom, axis, site });
  return endsAll(fn, [blocks ? blockNumber : numberAlong(axis)], isEnd);
});

/** The threads along an axis, and how a kernel numbers them. */
interface Line extends OwnNumber {
  readonly axis: Axis;
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
function endsAt(index: Expr, bound: Expr, orEqual: boolean, fn: Fn, { number, atom, axis, site }: Line): boolean {
  const [value, last] = [index, bound].map((expr) => fn.index(expr));
  const factor = value?.split(atom)?.factor?.number;
  if (!value || !last || factor === undefined || factor < 1) return false;
  const rest = value.plus(number.times(constantPolynomial(factor)), -1);
  const end = last.plus(rest, -1).plus(constantPolynomial(orEqual ? 1 : 0));
  const compared = arithmetic(fn.typing.typeOf(index), fn.typing.typeOf(bound));
  // `n - 7` of few elements is not a small number where it is compared as one without a sign.
  const isSigned = !!compared && (compared.float || compared.signed);
  const mayWrap = !isSigned && [...last.terms.values()].some((coefficient) => coefficient < 0);
  return startsAll(site, axis, (draw) => {
    const [atLaunch, largest] = [last, end].map((each) => valueAtLaunch(each, site, draw));
    return atLaunch === undefined || (mayWrap && atLaunch < 0) ? undefined : largest! / factor;
  });
}

/** A value over the kernel's parameters as the launch gives them. */
function valueAtLaunch(value: Index, site: LaunchSite, draw: Draw): number | undefined {
  return polynomialAt(value, ({ locals: [local, more] }, atom) => {
    if (!local?.parameter || more || local.name !== atom || !isStable(local)) return undefined;
    const arg = argumentOf(local.parameter, site.kernel!, site.launch.args);
    const number = isCount(local.parameter.type, site.host) && arg && hostValue(arg, site)(draw);
    return typeof number === 'number' ? Math.trunc(number) : undefined;
  });
}

/** A value over variables of the host that keep theirs. */
export function hostPolynomial(value: Index, { host }: LaunchSite): Drawn {
  return (draw) =>
    polynomialAt(value, ({ locals: [local, more] }, atom) =>
      local && !more && local.name === atom && isStable(local) ? drawnFor(local, atom, host)(draw) : undefined,
    );
}

function polynomialAt(
  { terms, atoms }: Index,
  factorOf: (of: { readonly locals: readonly Local[] }, atom: string) => number | undefined,
): number | undefined {
  let sum = 0;
  for (const [key, coefficient] of terms) {
    const factors = atomsOf(key).map((atom) => factorOf(atoms.get(atom) ?? { locals: [] }, atom) ?? NaN);
    sum += factors.reduce((product, factor) => product * factor, coefficient);
  }
  return Number.isNaN(sum) ? undefined : sum;
}

/** Sizes about which quotients round otherwise, beside those about the multiples of a block. */
const small = Array.from({ length: 132 }, (_, at) => at);
const large = [255, 256, 257, 1000, 4095, 99_991, 1_000_003];
const negative = [-1, -2, -100];
const mostBlocks = 2 ** 31 - 1;
/** Draws of sizes that differ, after those of which all are alike. */
const mostDrawn = 500;

/** Whether a launch starts as many threads along an axis as `end` is, at least, for whatever integers the host has. */
export function startsAll(site: LaunchSite, axis: Axis, end: Drawn): boolean {
  const [grid, block] = site.launch.config.slice(0, 2).map((expr): Drawn => {
    const part = (dim3Parts(expr, site) ?? extentParts(expr))[axis === 'x' ? 0 : 1];
    const holder = expr.kind === 'name' ? site.host.local(expr) : undefined;
    return part ? hostValue(part, site, part === expr ? undefined : holder) : () => 1;
  });
  const width = Math.max(1, block!(() => 0) ?? 1);
  const near = [1, 2, 3, 7].flatMap((times) => [-1, 0, 1, 2].map((more) => times * width + more));
  const sizes = [...small, ...large, ...near, ...negative];
  let isStarted = false;
  for (let at = 0; at < sizes.length + mostDrawn; at++) {
    const draw: Draw = (name, isUnsigned) => {
      const value = sizes[at] ?? drawn(name, at, at % 2 === 0 ? sizes : [...large, ...negative, 1, 2, 3]);
      return isUnsigned ? Math.abs(value) : value;
    };
    const [blocks, threads] = [grid!(draw), block!(draw)];
    // A launch of no threads, or of too many blocks, fails.
    if (threads !== undefined && threads <= 0) continue;
    if (blocks === undefined || threads === undefined) return false;
    if (blocks < 1 || blocks > mostBlocks) continue;
    if ((end(draw) ?? Infinity) > Math.trunc(blocks) * Math.trunc(threads)) return false;
    isStarted = true;
  }
  return isStarted;
}

function drawn(name: string, at: number, sizes: readonly number[]): number {
  const mix = (sum: number, of: number): number => Math.imul(sum ^ (sum >>> 15) ^ of, 0x9e3779b1);
  const seed = [...name].reduce((sum, letter) => mix(sum, letter.codePointAt(0)!), mix(1, at));
  return sizes[(mix(seed, 0) >>> 12) % sizes.length]!;
}

/** An expression of the host where its launch is, or where a variable that `holder` is was set. */
function hostValue(expr: Expr, site: LaunchSite, holder?: Local, depth = 0): Drawn {
  const { host } = site;
  const parts: (readonly [name: string, value: Drawn])[] = [];
  let isKnown = depth < 6;
  walk(expr, (node) => {
    if (node.kind === 'cast' && !isFloating(node) && !isCount(node.type, host)) isKnown = false;
    const name = node.kind === 'member' && !node.arrow ? node.object : node;
    const local = name.kind === 'name' ? host.local(name) : undefined;
    if (name.kind !== 'name' || !isKnown) return isKnown;
    const field = node.kind === 'member' ? `.${node.field}` : '';
    const type = field === '' ? undefined : host.typing.typeOf(node as Expr);
    const isReal = type?.kind === 'scalar' && type.float;
    const value = local ? !isReal && localValue(local, field, name, site, holder, depth) : globalValue(name, site);
    if (value) parts.push([name.name + field, value]);
    else if (local) isKnown = false;
    return false;
  });
  return (draw) => {
    const known = new Map<string, number>();
    for (const [name, value] of parts) {
      const number = value(draw);
      if (number === undefined) return undefined;
      known.set(name, number);
    }
    return isKnown ? constantOf(expr, host.program, host.types, undefined, host.decl.className, known) : undefined;
  };
}

function localValue(
  local: Local,
  field: string,
  expr: Expr,
  site: LaunchSite,
  holder: Local | undefined,
  depth: number,
): Drawn | undefined {
  const { host } = site;
  const type = (local.variable ?? local.parameter)!.type;
  if (isHandedOn(local, host)) return undefined;
  if (field === '' && !isCount(type, host)) return undefined;
  const parts = field === '' ? undefined : dim3Parts(expr, site);
  const part = parts ? parts['xyz'.indexOf(field.slice(1))] : host.definition(local);
  if (parts && !part) return () => 1;
  if (part) {
    const value = hostValue(part, site, local, depth + 1);
    const whole = (number: number | undefined): number | undefined =>
      type.kind === 'auto' && !Number.isInteger(number) ? undefined : number && Math.trunc(number);
    if (parts || value(() => 1) !== undefined) return (draw) => whole(value(draw));
  }
  const declared = holder?.writes[0]?.node ?? holder?.variable;
  const isAsItWas = local.writes.every(({ node }) => host.locals.order(node) < host.locals.order(declared!));
  if (declared && !isStable(local) && (local.addressTaken || !isAsItWas)) return undefined;
  return drawnFor(local, local.name + field, host);
}
function drawnFor(local: Local, name: string, host: Fn): Drawn {
  const type = host.types.resolve((local.variable ?? local.parameter)!.type);
  const isUnsigned = isCounter(local, host) || (type.kind === 'scalar' && !type.signed);
  return (draw) => draw(name, isUnsigned);
}
/** A variable outside of functions that nothing writes while the host's function runs. */
function globalValue(expr: Expr & { kind: 'name' }, { host }: LaunchSite): Drawn | undefined {
  const [global, more] = host.program.globals(expr.name);
  if (!global || more || host.types.constant(expr) !== undefined || !isCount(global.type, host)) return undefined;
  if (isGlobalWrittenIn(expr.name, host.decl.body!, host)) return undefined;
  return (draw) => draw(expr.name, false);
}

/** Of integers in 32 bits or more. */
function isCount(type: TypeSyntax, { types }: Fn): boolean {
  const meant = types.resolve(type);
  return meant.kind === 'scalar' ? !meant.float && meant.size >= 4 : type.kind === 'auto';
}

/** The counter of a loop that begins at 0 or beyond and goes up. */
function isCounter(local: Local, fn: Fn): boolean {
  if (local.addressTaken || local.parameter) return false;
  const isLeast = (value: Expr | undefined): boolean => value?.kind === 'number' && value.value >= 0;
  const { init } = local.variable ?? {};
  return (
    (!init || isLeast(init)) &&
    local.writes.every(({ node, op, value }) => {
      if (op === '=') return isLeast(value);
      const up = op === '++' || (op === '+=' && isLeast(value));
      return up && [...fn.around(node)].some((around) => around.kind === 'for');
    })
  );
}
