// What fixes write is what was executed: a fix that writes other tokens has to be executed again.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { executedFile, recorded } from './executed';
import { drawn, sampleOf } from '../support/depth';
import { families } from './families';
import { nearMisses, nearMissesFile } from './nearMisses';

/** Of each family; all that are recorded in a deep run. */
const most = drawn(6, Infinity);

type Outcomes = Readonly<Record<string, Readonly<Record<string, string>>>>;
const executed = JSON.parse(readFileSync(executedFile, 'utf8')) as Outcomes;
const near = JSON.parse(readFileSync(nearMissesFile, 'utf8')) as Outcomes;

describe('fixes that were executed', function () {
  this.timeout(60_000);
  for (const family of families)
    it(`${family.name}: today's are the same`, async () =>
      assert.deepEqual(
        Object.fromEntries((await recorded(family, most)).map(({ number, outcome }) => [number, outcome])),
        Object.fromEntries(Object.entries(executed[family.name] ?? {}).filter(([number]) => Number(number) < most)),
        `run "npx tsx lab/fuzz/fixes.ts --record", which executes them and writes ${executedFile}`,
      ));
  it('hold near misses of all families', () =>
    assert.deepEqual(
      families.filter(({ name }) => !(name in near)).map(({ name }) => name),
      [],
    ));
  for (const family of families.filter(({ name }) => name in near))
    it(`${family.name}: near misses are refused as before, or fixed as they were executed`, async () => {
      const all = Object.entries(near[family.name] ?? {});
      assert.ok(all.length > 0);
      const held = Object.fromEntries(sampleOf(all, 12));
      assert.deepEqual(
        Object.fromEntries(
          (await nearMisses(family, { numbers: Object.keys(held) })).map(({ number, outcome }) => [number, outcome]),
        ),
        held,
        `run "npx tsx lab/fuzz/fixes.ts --record", which executes them and writes ${nearMissesFile}`,
      );
    });
});
