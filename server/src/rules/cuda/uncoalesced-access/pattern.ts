// How the lanes of an access lie.
import type { AccessFact } from '../../../semantic/model';
import type { Message } from './words';

/** No code spells out a distance like this: it follows from numbers that stand for unknown sizes. */
const farStride = 1 << 20;

/** Bytes that one instruction moves at most: a type that is larger takes several, however it is aligned. */
const widestInstruction = 16;

export function messageOf(fact: AccessFact): Message {
  switch (fact.cause) {
    case 'chunk-per-thread':
      // Where a thread needs its own elements, for its sum say, the iterations cannot go to others: it is a row.
      return fact.mode === 'load' && !fact.fixes?.['grid-stride'] ? 'row-per-thread' : 'chunk-per-thread';
    case 'row-per-thread':
      // A row of fewer elements than a warp has lanes is not for a warp.
      return Math.abs(fact.laneStride ?? Infinity) < 32 * fact.elementBytes ? 'stride' : fact.cause;
    case 'slow-axis':
    case 'struct-field':
    case 'narrow-block':
    case 'short-rows':
      return fact.cause;
    case 'vector-type':
      if (fact.laneStride === undefined) return 'scattered';
      return Math.abs(fact.laneStride) > widestInstruction ? 'whole-struct' : 'vector-type';
    case 'stride':
      return fact.unknownStride !== undefined
        ? 'unknown-stride'
        : fact.laneStride === undefined || Math.abs(fact.laneStride) >= farStride
          ? 'scattered'
          : 'stride';
    default:
      return 'scattered';
  }
}

/** Single stores for an address that is not aligned, or the end of the data, beside a wide store of the same values. */
export function isFallback({ refusals = [], assumed }: AccessFact): boolean {
  return (
    assumed.some(({ kind }) => kind === 'reached') &&
    refusals.some(({ family, precondition }) => family === 'wide-stores' && precondition === 'fallback')
  );
}
