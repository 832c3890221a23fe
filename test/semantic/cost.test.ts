// Sectors and wavefronts of addresses written by hand, and of addresses that no program has.
import { deepStrictEqual, ok } from 'node:assert/strict';
import { sectorsOf, wavefrontsOf } from '../../server/src/semantic/run/cost';

const lanes = Uint8Array.from({ length: 32 }, (_, lane) => lane);
const at = (address: (lane: number) => number): Float64Array =>
  Float64Array.from({ length: 32 }, (_, lane) => address(lane));

describe('cost of an access', () => {
  for (const [what, bytes, address, sectors, ideal] of [
    ['four sectors for 32 neighboring floats', 4, (lane) => 4 * lane, 4, 4],
    ['32 sectors for a stride of 32 bytes', 4, (lane) => 32 * lane, 32, 4],
    ['one sector for a broadcast', 4, () => 64, 1, 1],
    ['a sector more for an unaligned row', 4, (lane) => 4 * lane + 4, 5, 4],
    ['ideal where lanes share an address', 8, (lane) => 32 * (lane >> 1), 16, 8],
  ] satisfies readonly (readonly [string, number, (lane: number) => number, number, number])[])
    it(`is ${what}`, () => deepStrictEqual(sectorsOf(at(address), 32, bytes), { sectors, ideal }));

  for (const [what, bytes, address, wavefronts, ideal] of [
    ['one wavefront for a row', 4, (lane) => 4 * lane, 1, 1],
    ['32 wavefronts for a column', 4, (lane) => 128 * lane, 32, 1],
    ['one wavefront for a padded column', 4, (lane) => 132 * lane, 1, 1],
    ['one wavefront for a broadcast', 4, () => 12, 1, 1],
    ['counted by half warps for 8 bytes', 8, (lane) => 8 * lane, 2, 2],
    ['counted by quarter warps for 16 bytes', 16, (lane) => 16 * lane, 4, 4],
    ['counted by half warps for 16 bytes that pairs share', 16, (lane) => 16 * (lane >> 1), 2, 2],
    ['doubled for 16 of every 32 bytes', 16, (lane) => 32 * lane, 8, 4],
  ] satisfies readonly (readonly [string, number, (lane: number) => number, number, number])[])
    it(`is ${what}`, () => deepStrictEqual(wavefrontsOf(at(address), lanes, 32, bytes), { wavefronts, ideal }));

  it('is a number for addresses beyond counting', () => {
    for (const address of [2 ** 60, -(2 ** 70), 1e300, Infinity, -Infinity, NaN])
      for (const bytes of [1, 4, 8, 16, 1e9]) {
        const addresses = at((lane) => address + lane);
        ok(sectorsOf(addresses, 32, bytes).sectors >= 0);
        ok(wavefrontsOf(addresses, lanes, 32, bytes).wavefronts >= 0);
      }
  });
});
