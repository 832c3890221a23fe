// Each precondition by which a fix is refused has an example against it in the tests of its file or folder.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Those that name each example by the precondition that it fails. */
const tests = readdirSync(__dirname)
  .map((name) => readFileSync(join(__dirname, name), 'utf8'))
  .filter((text) => text.includes("name.split(':')[0]"));

describe('preconditions of fixes', () => {
  for (const room of ['rewrites', 'reductions']) {
    const folder = join(__dirname, '../../../server/src/semantic', room);
    for (const path of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const [, names] = /\.ts$/.test(path)
        ? (/refuser<([^>]+)>/.exec(readFileSync(join(folder, path), 'utf8')) ?? [])
        : [];
      const examples = tests.filter((text) => text.includes(`/${room}/${path.replace(/\/.*|\.ts$/, '')}`)).join('');
      if (names && examples)
        it(`of ${path} have examples`, () => {
          for (const [, name] of names.matchAll(/'(\w+)'/g)) assert.ok(examples.includes(`'${name!}: `), name);
        });
    }
  }
});
