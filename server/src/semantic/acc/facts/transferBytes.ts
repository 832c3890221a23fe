// What the constructs of a host loop move between host and GPU on each of its iterations, in bytes.
import type { LoopStep, Variable } from '../../../syntax/procedures';
import type { Scope } from '../analysis/scope';
import type { AccRepeatedTransferFact } from '../model';
import { elementsOf } from './extents';
import type { Transfer } from '../analysis/transfers';

/** An array as the procedure with the loop names it, and how one construct moves it. */
interface MovedArray {
  readonly variable: Variable;
  readonly transfer: Transfer;
  readonly writes: boolean;
  /** The construct is in a procedure that the loop calls. */
  readonly call?: object;
}

/**
 * The sums over all constructs. Nothing where an extent is not known, where a construct is in its own loop, or
 * where a called procedure moves a part. An array that a clause does not name is copied there and back; whether what is
 * not written comes back is the compiler's choice, so that the sum is the most that comes back.
 */
export function bytesEachTurn(
  scope: Scope,
  loop: LoopStep,
  moved: readonly MovedArray[],
): Pick<AccRepeatedTransferFact, 'bytes'> {
  let toGpu = 0;
  let toHost = 0;
  let atMost = false;
  for (const { variable, transfer, writes, call } of moved) {
    const { clause, item, parents } = transfer;
    if (parents.slice(parents.indexOf(loop) + 1).some(({ kind }) => kind === 'loop')) return {};
    if (call && item?.value?.kind === 'element') return {};
    const elements = elementsOf(scope, call ? undefined : item, variable, loop);
    if (elements === undefined || elements <= 0 || variable.elementBytes === undefined) return {};
    const bytes = elements * variable.elementBytes;
    if (clause?.name !== 'copyout' && clause?.name !== 'create') toGpu += bytes;
    if (clause?.name === 'copyin' || clause?.name === 'create') continue;
    toHost += bytes;
    if (!clause && !writes) atMost = true;
  }
  return { bytes: { toGpu, toHost, atMost } };
}
