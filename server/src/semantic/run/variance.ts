// Whether what a condition compares differs between lanes, whatever the unknowns in it are.
import { formOf, open } from './forms';
import { subtract, variesInWarp, type Lanes, type Mask } from './lanes';
import { knownOf, sum } from './unknowns';
import { Taint, uncertain, type Run, type Value } from './values';

type Varies = (lanes: Lanes, mask: Mask) => boolean;

/**
 * Do the two sides of a comparison differ between the lanes of a warp, or the threads of the block (`varies` says
 * which)? `row < rows` with `row = t / 32` does not within a warp, whatever `rows` is; `*flag == 1` does not at all; `i
 * < n + t` with `i = t + k` compares k with n.
 */
export function comparesLanes(run: Run, value: Value, varies: Varies, mask: Mask): boolean {
  if (typeof value.lanes !== 'number') return varies(value.lanes, mask);
  if (!value.sides) return (value.taint & Taint.loaded) !== 0;
  const [left, right] = value.sides;
  if (left.sides && right.sides)
    return comparesLanes(run, left, varies, mask) || comparesLanes(run, right, varies, mask);
  if (!differs(left, varies, mask) && !differs(right, varies, mask)) return false;
  if (isKernelParameter(run, left) || isKernelParameter(run, right)) return true;
  if ((value.taint | left.taint | right.taint) & uncertain || left.base || right.base) return true;
  const a = formOf(run, left);
  const b = formOf(run, right);
  const difference = a && b ? sum(a, b, -1) : undefined;
  if (difference) {
    const known = [knownOf(left.lanes, a), knownOf(right.lanes, b)];
    const isUniform = (lanes: Lanes): boolean => typeof lanes === 'number' || !varies(lanes, mask);
    const evenKnown = known.every(isUniform) || isUniform(subtract(known[0]!, known[1]!));
    if (evenKnown && difference.every(({ by, of }) => isUniform(by) && isUniform(of.witness))) return false;
  }
  return !endsEvenly(run, left, right, varies === variesInWarp ? 32 : run.threads, mask);
}

function differs({ lanes, taint }: Value, varies: Varies, mask: Mask): boolean {
  return (taint & Taint.loaded) !== 0 || (typeof lanes !== 'number' && varies(lanes, mask));
}

/** A guard against the kernel's own parameter is there for launches where it matters, whatever the known one passes. */
function isKernelParameter(run: Run, { key }: Value): boolean {
  return key !== undefined && run.setup.fn.params.some((param) => param.name === key);
}

/** Does `i < end` end between groups of threads: is `end` rounded up to whole groups, like `i`? */
function endsEvenly(run: Run, left: Value, right: Value, span: number, mask: Mask): boolean {
  const leftVaries = typeof left.lanes !== 'number';
  if (leftVaries === (typeof right.lanes !== 'number')) return false;
  const [side, bound] = leftVaries ? [left, right] : [right, left];
  const sideForm = formOf(run, side);
  const boundForm = formOf(run, bound);
  const difference = sideForm && boundForm ? sum(boundForm, sideForm, -1) : undefined;
  if ((side.taint | bound.taint) & open && !difference) return false;
  const lanes = knownOf(side.lanes, sideForm);
  const end = knownOf(bound.lanes, boundForm);
  if (typeof lanes === 'number' || typeof end !== 'number') return false;
  for (let from = 0; from < run.threads; from += span) {
    const numbers = new Set<number>();
    for (let at = from; at < Math.min(run.threads, from + span); at++) if (mask.bits[at]) numbers.add(lanes[at]!);
    if (numbers.size < 2) continue;
    const sorted = [...numbers].sort((a, b) => a - b);
    const step = sorted[1]! - sorted[0]!;
    const whole = step * sorted.length;
    if (sorted.some((number, at) => at > 0 && number - sorted[at - 1]! !== step)) return false;
    if ((end - sorted[0]!) % whole !== 0 && (end + 1 - sorted[0]!) % whole !== 0) return false;
    for (const { by } of difference ?? [])
      if (typeof by === 'number' ? by % whole !== 0 : by.some((coefficient) => coefficient % whole !== 0)) return false;
  }
  return true;
}
