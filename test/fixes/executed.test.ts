// What fixes write is what was executed: a fix that writes other tokens has to be executed again.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { executedFile, executedNumbers, recorded } from './executed';
import { sampleOf } from '../support/depth';
import { families } from './families';
import { nearMisses, nearMissesFile } from './nearMisses';

type Outcomes = Readonly<Record<string, Readonly<Record<string, string>>>>;
const executed = JSON.parse(readFileSync(executedFile, 'utf8')) as Outcomes;
const near = JSON.parse(readFileSync(nearMissesFile, 'utf8')) as Outcomes;

describe('fixes that were executed', function () {
  this.timeout(60_000);
  for (const family of families)
    it(`${family.name}: today's are the same`, async () => {
      const numbers = sampleOf(executedNumbers, 3);
      assert.deepEqual(
        Object.fromEntries((await recorded(family, numbers)).map(({ number, outcome }) => [number, outcome])),
        Object.fromEntries(numbers.map((number) => [number, executed[family.name]?.[number]])),
        `run "npx tsx lab/fuzz/fixes.ts --record", which executes them and writes ${executedFile}`,
      );
    });
  it('hold near misses of all families', () =>
    assert.deepEqual(
      families.filter(({ name }) => !(name in near)).map(({ name }) => name),
      [],
    ));
  for (const family of families.filter(({ name }) => name in near))
    it(`${family.name}: near misses are refused as before, or fixed as they were executed`, async () => {
      const all = Object.entries(near[family.name] ?? {});
      assert.ok(all.length > 0);
      const held = Object.fromEntries(sampleOf(all, 6));
      assert.deepEqual(
        Object.fromEntries(
          (await nearMisses(family, { numbers: Object.keys(held) })).map(({ number, outcome }) => [number, outcome]),
        ),
        held,
        `run "npx tsx lab/fuzz/fixes.ts --record", which executes them and writes ${nearMissesFile}`,
      );
    });
});
