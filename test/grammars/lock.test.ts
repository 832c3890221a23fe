// The grammar that is committed is the one that was built of the grammar.js beside it.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(__dirname, '../..');
interface Pinned {
  readonly file: string;
  readonly folder?: string;
  readonly sha256: string;
  readonly madeOf?: { readonly file: string; readonly sha256: string };
}
const { files } = JSON.parse(readFileSync(join(root, 'grammars/lock.json'), 'utf8')) as { files: Pinned[] };

describe('grammars of our own', () => {
  for (const { file, folder, sha256, madeOf } of files) {
    if (folder === undefined || madeOf === undefined) continue;
    it(`${file} is what grammars/lock.json pins, made of this ${madeOf.file}`, () => {
      const digest = (name: string): string =>
        createHash('sha256')
          .update(readFileSync(join(root, folder, name)))
          .digest('hex');
      assert.equal(digest(file), sha256);
      assert.equal(digest(madeOf.file), madeOf.sha256, 'run "node tools/build-grammar.mjs" after a change');
    });
  }
  it('there is one', () => assert.ok(files.some((each) => each.madeOf !== undefined)));
});
