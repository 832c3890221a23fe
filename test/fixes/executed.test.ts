// What fixes write is what was executed: a fix that writes something else has to be executed again.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { executedFile, recorded } from './executed';
import { families } from './families';

const executed = JSON.parse(readFileSync(executedFile, 'utf8')) as Readonly<
  Record<string, Readonly<Record<string, string>>>
>;

describe('fixes that were executed', function () {
  this.timeout(60_000);
  for (const family of families)
    it(`${family.name}: today's are the same`, async () =>
      assert.deepEqual(
        Object.fromEntries((await recorded(family)).map(({ number, outcome }) => [number, outcome])),
        executed[family.name],
        `run "npm run fuzz:fixes -- --record", which executes them and writes ${executedFile}`,
      ));
});
