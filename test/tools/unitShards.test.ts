// The unit tests are divided over processes: each file once, and no process has much more to do than another.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hostSuites, readWeights, shardsOf, unitTestFiles, weightOf } from '../../tools/unitShards';

const root = join(__dirname, '..', '..');
const rooms = (of: string): string => of.split('/')[1]!;

describe('shards of the unit tests', () => {
  for (const [files, count] of [
    [unitTestFiles(), 5],
    [hostSuites(), 2],
  ] as const)
    it(`hold each of ${files.length} files once, and differ by less than a tenth`, () => {
      const weights = readWeights();
      const shards = shardsOf(files, weights, count);
      strictEqual(shards.length, count);
      deepStrictEqual(shards.flat().sort(), [...files].sort());
      const sums = shards.map((shard) => shard.reduce((sum, file) => sum + weightOf(file, weights), 0));
      ok(Math.min(...sums) > 0.9 * Math.max(...sums), `${sums.join(' s, ')} s`);
    });

  it('are balanced by weight, an unknown file by its folder or the default', () => {
    deepStrictEqual(
      ['test/a/b/c.test.ts', 'test/a/d.test.ts', 'test/e.test.ts'].map((file) =>
        weightOf(file, { 'test/a/': 3, 'test/a/d.test.ts': 7 }),
      ),
      [3, 7, 1],
    );
    deepStrictEqual(shardsOf(['a', 'b', 'c', 'd', 'e'], { a: 9, b: 4, c: 3 }, 2), [['a'], ['b', 'c', 'd', 'e']]);
    deepStrictEqual(shardsOf(['a'], {}, 2), [['a']], 'no process without a file');
  });

  it('are weighed by a table that names files that exist', () => {
    deepStrictEqual(
      Object.keys(readWeights()).filter((file) => !existsSync(join(root, file))),
      [],
      'run "npm test -- unit --weigh"',
    );
  });

  it('can be those below some folders', () => {
    const files = unitTestFiles(['lint/', 'robustness/fuzz.test.ts']);
    deepStrictEqual([...new Set(files.map(rooms))], ['lint', 'robustness']);
    strictEqual(files.filter((file) => rooms(file) === 'robustness').length, 1);
  });
});
