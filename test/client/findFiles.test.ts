// Files are found where the editor's search is broken, silent or slow, too.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createFileFinder, type EditorSearch, type ListFolder } from '../../client/src/findFiles';

const listed: ListFolder = async (path) =>
  readdirSync(path, { withFileTypes: true }).map((entry) => [entry.name, entry.isDirectory()]);

describe('files of the workspace', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'warplens-find-'));
    const files = 'scale.cu a/scale.cu a/b/scale.cu .hidden/scale.cu a/other.cu node_modules/p/scale.cu'.split(' ');
    for (const file of [...files, 'build/one.log', 'build/deep/two.log', 'odd/sc[a]le {1}.cu']) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
    }
    symlinkSync(folder, join(folder, 'a', 'around'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  const broken: EditorSearch = () => Promise.reject(new Error('spawn rg ENOENT'));
  const silent: EditorSearch = () => new Promise(() => {});
  const throwing: EditorSearch = () => {
    throw new Error('no search');
  };
  const query = (pattern: string, most = 50) => ({
    folders: [folder],
    pattern,
    skippedFolders: ['node_modules'],
    most,
  });
  const below = (paths: readonly string[]) => paths.map((path) => relative(folder, path)).sort();
  const named = ['.hidden/scale.cu', 'a/b/scale.cu', 'a/scale.cu', 'scale.cu'];

  it('are those of the editor while its search works', async () => {
    deepStrictEqual(await createFileFinder(listed)(query('**/scale.cu'), async () => ['/elsewhere/scale.cu']), [
      '/elsewhere/scale.cu',
    ]);
    const works: EditorSearch = async (pattern) => (pattern === '**/none.cu' ? [] : [join(folder, pattern)]);
    deepStrictEqual(await createFileFinder(listed)(query('**/none.cu'), works), []);
    deepStrictEqual(await createFileFinder(listed)({ ...query('**/none.cu'), folders: [] }, async () => []), []);
  });
  for (const [what, search] of [
    ['fails', broken],
    ['fails at once', throwing],
    ['never answers', silent],
    ['finds nothing, ever', async () => []],
  ] as const)
    it(`are found by a walk where it ${what}`, async () => {
      const find = createFileFinder(listed, { wait: 200 });
      deepStrictEqual(below(await find(query('**/scale.cu'), search)), named);
      deepStrictEqual(below(await find(query('build/*.log'), search)), ['build/one.log']);
      deepStrictEqual(below(await find(query('build/**/*.log'), search)), ['build/deep/two.log', 'build/one.log']);
      deepStrictEqual(below(await find(query('**/sc[[]a[]]le [{]1[}].cu'), search)), ['odd/sc[a]le {1}.cu']);
      strictEqual((await find(query('**/*.cu', 2), search)).length, 2);
    });

  it('a search that failed is not waited for again at once, but later', async () => {
    let now = 1_000_000;
    let asked = 0;
    const search: EditorSearch = () => {
      asked++;
      return silent('', new AbortController().signal);
    };
    const find = createFileFinder(listed, { wait: 100, now: () => now });
    for (let time = 0; time < 30; time++) await find(query('**/scale.cu'), search);
    strictEqual(asked, 1);
    now += 120_000;
    deepStrictEqual(await find(query('**/scale.cu'), async () => ['/back']), ['/back']);
  });

  it('a search that is given up is cancelled, and its late failure is ignored', async () => {
    let signal: AbortSignal | undefined;
    const late: EditorSearch = (_, given) => {
      signal = given;
      return new Promise((_, reject) => setTimeout(() => reject(new Error('late')), 150));
    };
    deepStrictEqual(below(await createFileFinder(listed, { wait: 50 })(query('**/scale.cu'), late)), named);
    strictEqual(signal?.aborted, true);
    await new Promise((resolve) => setTimeout(resolve, 200));
  });

  it('a walk ends in time, with what it has found', async () => {
    let now = 0;
    const find = createFileFinder(listed, { wait: 10, now: () => (now += 4) });
    ok((await find(query('**/scale.cu'), broken)).length < named.length);
  });
});
