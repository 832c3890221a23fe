// Units of one library share what is known of runs of its files.
import assert from 'node:assert/strict';
import { runsOf } from '../../server/src/semantic/language';
import type { SourceFile } from '../../server/src/syntax/ast';

const file = (name: string): SourceFile => ({ uri: `file:///library/${name}.h` }) as SourceFile;

describe('runs of files', () => {
  const library = Array.from({ length: 1000 }, (_, at) => file(`header${at}`));
  const runs = runsOf(library);

  it('hold all files in their order', () => assert.deepEqual(runs.flat(), library));

  it('are the same in another unit but for the one with its own file', () => {
    const known = new Set(runs);
    for (const at of [0, 1, 500, 1000]) {
      const others = runsOf([...library.slice(0, at), file('own'), ...library.slice(at)]);
      assert.ok(others.filter((run) => !known.has(run)).length <= 1, `own file at ${at}`);
    }
  });

  it('are others where a file was read again', () => {
    const again = runsOf([...library.slice(0, 500), file('header500'), ...library.slice(501)]);
    assert.equal(again.filter((run) => !runs.includes(run)).length, 1);
  });
});
