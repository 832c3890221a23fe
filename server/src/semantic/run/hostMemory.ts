// Memory that host code allocates and sets.
import { some, voidType } from '../language';
import { zero, type CallSite, type MaybeValue } from './callSite';
import { deref, store } from './memory';
import { unsettledByHost } from './passedValues';
import { baseNamed, unseen } from './state';
import { blank, Taint, type Value } from './values';

const allocators = new Set(
  'cudaMalloc cudaMallocAsync cudaMallocFromPoolAsync cudaMallocManaged cudaMallocHost cudaMallocPitch malloc'.split(
    ' ',
  ),
);

/** What host code allocates is aligned; CUDA's functions hand it out through their first argument. */
export function allocation(site: CallSite): MaybeValue | undefined {
  const { name, expr } = site;
  if (!allocators.has(name) || !site.args.length) return undefined;
  const isPlain = name === 'malloc';
  const hasPitch = name === 'cudaMallocPitch';
  const isUnset = name === 'cudaMalloc' || name === 'cudaMallocAsync';
  return (path, frame) => {
    const { run } = frame;
    if (!run.setup.host) return undefined;
    const args = site.args.map((arg) => arg(path, frame));
    const size = args[isPlain ? 0 : 1];
    const bytes = bytesGiven(size);
    // One call may come several times, with other sizes.
    const base = baseNamed(
      run,
      `${name}@${expr.start}#${bytes ?? ''}`,
      'unknown',
      hasPitch ? {} : { bytes, bytesOf: size?.form, ...(isUnset ? { contents: { set: 0 } } : {}) },
    );
    if (isPlain) return { ...blank, type: { kind: 'pointer', to: voidType }, lanes: 0, taint: 0, base };
    // `cudaMallocPitch` gives the pitch as well.
    for (const { target } of args.slice(1)) {
      const pitch = target && unseen(run, target.type, `${name}@${expr.start}`, Taint.chosen);
      if (target?.kind === 'cell') store(run, target, pitch!, path, frame, expr, false);
    }
    const place = args[0] && deref(run, args[0]);
    const isHeld = place?.kind === 'cell' || (place?.kind === 'memory' && place.base.elements !== undefined);
    if (isHeld && place.type.kind === 'pointer')
      store(run, place, { ...blank, type: place.type, lanes: 0, taint: 0, base }, path, frame, expr, false);
    return zero;
  };
}

/** Keeps which bytes of new memory `cudaMemset` sets; a copy is taken to set all. */
export function setting({ name, expr, args, again }: CallSite): MaybeValue {
  const count = expr.args[2];
  const isMemset = name.startsWith('cudaMemset') && !some(count, ({ kind }) => /^(assign|update|call)$/.test(kind));
  return (path, frame) => {
    const quiet = { ...path, quiet: true };
    const to = frame.run.setup.host ? again[0]?.(quiet, frame) : undefined;
    const contents = to?.base?.contents;
    if (!contents) return undefined;
    const bytes = isMemset && to.lanes === 0 && !to.form?.length ? bytesGiven(args[2]?.(quiet, frame)) : undefined;
    contents.set = Math.max(contents.set, bytes ?? Infinity);
    return undefined;
  };
}

/** A size that the host's code settles. */
function bytesGiven(size: Value | undefined): number | undefined {
  const isSettled =
    size && !(size.taint & (unsettledByHost | Taint.variable)) && typeof size.lanes === 'number' && size.lanes >= 0;
  return isSettled ? (size.lanes as number) : undefined;
}
