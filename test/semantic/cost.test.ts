// Sectors and wavefronts of addresses written by hand, and of addresses that no program has.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { sectorsOf, wavefrontsOf } from '../../server/src/semantic/run/cost';

const lanes = Uint8Array.from({ length: 32 }, (_, lane) => lane);
const at = (address: (lane: number) => number): Float64Array =>
  Float64Array.from({ length: 32 }, (_, lane) => address(lane));

describe('cost of an access', () => {
  it('is four sectors for 32 neighbouring floats, 32 for a stride of 32 bytes, one for a broadcast', () => {
    deepStrictEqual(
      sectorsOf(
        at((lane) => 4 * lane),
        32,
        4,
      ),
      { sectors: 4, ideal: 4 },
    );
    deepStrictEqual(
      sectorsOf(
        at((lane) => 32 * lane),
        32,
        4,
      ),
      { sectors: 32, ideal: 4 },
    );
    deepStrictEqual(
      sectorsOf(
        at(() => 64),
        32,
        4,
      ),
      { sectors: 1, ideal: 1 },
    );
    deepStrictEqual(
      sectorsOf(
        at((lane) => 4 * lane + 4),
        32,
        4,
      ),
      { sectors: 5, ideal: 4 },
    );
  });
  it('counts lanes at one address each in the ideal', () => {
    deepStrictEqual(
      sectorsOf(
        at((lane) => 32 * (lane >> 1)),
        32,
        8,
      ),
      { sectors: 16, ideal: 8 },
    );
  });
  it('is one wavefront for a row, 32 for a column, and by half and quarter warps for wide lanes', () => {
    deepStrictEqual(
      wavefrontsOf(
        at((lane) => 4 * lane),
        lanes,
        32,
        4,
      ),
      { wavefronts: 1, ideal: 1 },
    );
    deepStrictEqual(
      wavefrontsOf(
        at((lane) => 128 * lane),
        lanes,
        32,
        4,
      ),
      { wavefronts: 32, ideal: 1 },
    );
    deepStrictEqual(
      wavefrontsOf(
        at((lane) => 132 * lane),
        lanes,
        32,
        4,
      ),
      { wavefronts: 1, ideal: 1 },
    );
    deepStrictEqual(
      wavefrontsOf(
        at(() => 12),
        lanes,
        32,
        4,
      ),
      { wavefronts: 1, ideal: 1 },
    );
    deepStrictEqual(
      wavefrontsOf(
        at((lane) => 8 * lane),
        lanes,
        32,
        8,
      ),
      { wavefronts: 2, ideal: 2 },
    );
    deepStrictEqual(
      wavefrontsOf(
        at((lane) => 16 * lane),
        lanes,
        32,
        16,
      ),
      { wavefronts: 4, ideal: 4 },
    );
    deepStrictEqual(
      wavefrontsOf(
        at((lane) => 32 * lane),
        lanes,
        32,
        16,
      ),
      { wavefronts: 8, ideal: 4 },
    );
  });
  it('comes back for addresses beyond counting', () => {
    for (const address of [2 ** 60, -(2 ** 70), 1e300, Infinity, -Infinity, NaN]) {
      for (const bytes of [1, 4, 8, 16, 1e9]) {
        ok(
          sectorsOf(
            at((lane) => address + lane),
            32,
            bytes,
          ).sectors >= 0,
        );
        ok(
          wavefrontsOf(
            at((lane) => address + lane),
            lanes,
            32,
            bytes,
          ).wavefronts >= 0,
        );
      }
    }
  });
});
