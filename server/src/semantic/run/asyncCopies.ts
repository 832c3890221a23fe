// Copies from global to shared memory past the registers: of a load and of a store the machine instruction has both.
import type { Expr } from '../../syntax/ast';
import { alignOf } from '../language';
import { nothing, pointedAt, type Builtin } from './callSite';
import { open } from './forms';
import { add, select, type Mask } from './lanes';
import { deref } from './memory';
import { withMask, type Frame, type MemoryPlace, type Path, type Place, type Value } from './values';

/** The widest copy of one instruction, in bytes a lane. */
const widest = 16;
/** More instructions than these are not made of one call. */
const mostInstructions = 16;

/** What a number is in every lane; undefined where nothing settles it. */
export function settledNumber(value: Value | undefined): number | undefined {
  return value && typeof value.lanes === 'number' && (value.taint & open) === 0 ? value.lanes : undefined;
}

/** Lanes that a condition leaves on: all, where what is not known leaves it open whether any is. */
export function lanesUnder(mask: Mask, { lanes, taint }: Value, wanted: boolean): Mask {
  const on = select(mask, lanes, wanted);
  return on.count === 0 && taint & open ? mask : on;
}

/** A copy of `bytes` a lane, `width` by each instruction. */
export interface Copied {
  readonly into: Place;
  readonly target: Expr;
  readonly out: Place;
  readonly source: Expr;
  readonly bytes: number;
  readonly width: number;
}
type KnownCopy = Copied & { readonly into: MemoryPlace; readonly out: MemoryPlace };

/** Is it of known size, into shared memory? */
export function isCopied(copied: Copied): copied is KnownCopy {
  const { into, out, bytes, width } = copied;
  if (into.kind !== 'memory' || out.kind !== 'memory' || into.base.space !== 'shared') return false;
  return [4, 8, widest].includes(width) && bytes % width === 0 && bytes / width <= mostInstructions;
}

/** `read`: bytes that are read; the others become zero. */
export function countCopy(copied: KnownCopy, read: Value | undefined, path: Path, frame: Frame): void {
  const { into, out, target, source, bytes, width } = copied;
  const { recorder } = frame.run;
  const reading = read ? withMask(path, lanesUnder(path.mask, read, true)) : path;
  for (let done = 0; done < bytes; done += width) {
    recorder.instruction({ ...out, offset: add(out.offset, done) }, width, 'load', reading, frame, source);
    recorder.instruction({ ...into, offset: add(into.offset, done) }, width, 'store', path, frame, target);
  }
}

/** `__pipeline_memcpy_async(to, from, bytes)`, with a fourth argument for bytes that are zero instead. */
const pipelineCopy: Builtin = (site) => (path, frame) => {
  const { run } = frame;
  const [to, from, size] = site.args.map((arg) => arg(path, frame));
  if (!to || !from) return undefined;
  const bytes = settledNumber(size) ?? 0;
  const into = deref(run, to);
  const [target, source] = site.expr.args.map((arg) => pointedAt(arg) ?? site.expr) as [Expr, Expr];
  const { shared } = run.recorder;
  if (bytes > 0 && into.kind === 'memory' && into.base.space === 'shared')
    shared.copy(into, bytes, path, frame, target);
  else shared.gap();
  const copied: Copied = { into, target, out: deref(run, from), source, bytes, width: bytes };
  if (isCopied(copied)) countCopy(copied, undefined, path, frame);
  else run.recorder.lose(site.expr, 'unknown-call', path, frame);
  return nothing;
};

/** `cuda::memcpy_async(to, from, bytes, pipeline)` of one thread; a group's copy begins with the group. */
export const memcpyAsync: Builtin = (site) => {
  const [target, source, shape] = site.expr.args;
  if (site.args.length !== 4 || !target || !source || !shape) return () => undefined;
  // `cuda::aligned_size_t<16>(bytes)`
  const aligned = shape.kind === 'call' && shape.callee.kind === 'name' ? shape.callee.templateArgs?.[0] : undefined;
  return (path, frame) => {
    const { run } = frame;
    const [to, from] = site.args.slice(0, 2).map((arg) => arg({ ...path, quiet: true }, frame));
    if (to?.type.kind !== 'pointer' || from?.type.kind !== 'pointer' || run.setup.host) return undefined;
    const bytes = settledNumber(site.args[2]!({ ...path, quiet: true }, frame)) ?? 0;
    const proven = aligned && 'expr' in aligned && aligned.expr.kind === 'number' ? aligned.expr.value : undefined;
    const width = Math.min(widest, proven ?? alignOf(to.type.to));
    const copied: Copied = {
      into: deref(run, to),
      target: pointedAt(target) ?? site.expr,
      out: deref(run, from),
      source: pointedAt(source) ?? site.expr,
      bytes,
      width,
    };
    if (!isCopied(copied)) return undefined;
    for (const arg of site.args.slice(0, 2)) arg(path, frame);
    countCopy(copied, undefined, path, frame);
    run.recorder.shared.gap();
    return nothing;
  };
};

const commit: Builtin = () => (_, frame) => {
  frame.run.recorder.shared.commit();
  return nothing;
};
const waitPrior: Builtin = (site) => (path, frame) => {
  const { shared } = frame.run.recorder;
  const prior = settledNumber(site.args[0]?.({ ...path, quiet: true }, frame));
  if (prior === undefined) shared.gap();
  else shared.wait(prior);
  return nothing;
};

export const asyncCopies: readonly (readonly [string, Builtin])[] = [
  ['__pipeline_memcpy_async', pipelineCopy],
  ['__pipeline_commit', commit],
  ['__pipeline_wait_prior', waitPrior],
];
