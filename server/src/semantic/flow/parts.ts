// Algorithms of Thrust that a loop calls for one part of the data at a time: each call launches kernels and waits.
import type { CallExpr, Expr } from '../../syntax/ast';
import {
  type AnySyntax,
  calleeName,
  type Fn,
  isDeviceAlgorithm,
  mentions,
  namesIn,
  rootName,
  some,
  walk,
  withoutCasts,
} from '../language';
import { launchesIn, tripsOf, type HostLoop, type RuntimeCall } from './calls';
import { derivedFrom } from './numbers';
import { valueTypeOf } from './pointers';
import { fewTrips } from './waits';

const ofDevice = /^(::)?(thrust::(device|cuda::par)|cuda::par)(\.on\(.*\))?$/;

/**
 * A call whose range the counter of its loop chooses, from data that the loop does not move. Kernels, other devices
 * and an early end make the iterations steps of one computation.
 */
export function callOnParts(one: Omit<RuntimeCall, 'name' | 'category'>, fn: Fn): RuntimeCall | undefined {
  const { call } = one;
  const loop = one.loops[0]!;
  if (call.callee.kind !== 'name' || !isDeviceAlgorithm(calleeName(call) ?? '')) return undefined;
  const head = fn.counted(loop);
  if (!head?.step || head.step.by) return undefined;
  const hasPolicy = hasDevicePolicy(call, fn);
  const [begin, end] = call.args.slice(hasPolicy ? 1 : 0).map((arg) => offsetIn(arg, fn));
  if (!begin || !end || !(hasPolicy || isOfDevice(begin, fn))) return undefined;
  const names = derivedFrom(head.local, loop, fn);
  const isChosen = [begin, end].every((offset) => names.some((name) => mentions(offset, name)));
  if (!isChosen || launchesIn(loop, fn).length > 0 || (tripsOf(loop, fn) ?? Infinity) <= fewTrips) return undefined;
  return isOneOfMany([begin, end], loop) ? { ...one, name: call.callee.name, category: 'synchronise' } : undefined;
}

export function hasDevicePolicy({ args }: CallExpr, fn: Fn): boolean {
  return args[0] !== undefined && ofDevice.test(fn.text(args[0]));
}

/** `p + n`, by a variable too. */
function offsetIn(arg: Expr, fn: Fn): (Expr & { kind: 'binary' }) | undefined {
  const inner = withoutCasts(arg);
  const local = inner.kind === 'name' ? fn.local(inner) : undefined;
  const value = (local && fn.definition(local)) ?? inner;
  return value.kind === 'binary' && value.op === '+' ? value : undefined;
}

/** Does no iteration depend on the one before, by a place that the loop assigns, an alternating buffer or an end? */
function isOneOfMany(offsets: readonly Expr[], loop: HostLoop): boolean {
  const changed = new Set<string | undefined>();
  walk(loop.body, (node) => {
    if (node.kind === 'assign') changed.add(rootName(node.target));
    if (node.kind === 'update') changed.add(rootName(node.operand));
  });
  const isNamed = (expr: AnySyntax): boolean => [...namesIn(expr)].some((name) => changed.has(name));
  const isStep = (node: AnySyntax): boolean =>
    /^(break|return|goto)$/.test(node.kind) ||
    (node.kind === 'binary' && /^[%&^]$/.test(node.op)) ||
    (node.kind === 'var' && !!node.init && isNamed(node.init)) ||
    (node.kind === 'call' && calleeName(node) === 'cudaSetDevice');
  return !offsets.some(isNamed) && !some(loop.body, isStep);
}

/** `v.begin() + n` of a vector of the GPU. */
function isOfDevice({ left }: Expr & { kind: 'binary' }, fn: Fn): boolean {
  const object = left.kind === 'call' && left.callee.kind === 'member' ? left.callee.object : left;
  const local = object.kind === 'name' ? fn.local(object) : undefined;
  const type = local && valueTypeOf(local);
  return type?.kind === 'named' && /^thrust::device_(vector|ptr)$/.test(type.name);
}
