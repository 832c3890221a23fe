// What is known of unchanged files by their stamps: used while they are as they were, and never a moment longer.
import { deepStrictEqual, ok, strictEqual } from 'node:assert/strict';
import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileStamps, type FileStamps } from '../../cli/src/fileStamps';
import { openCache, type Kept } from '../../cli/src/resultCache';
import { createSurroundings } from '../../server/src/workspace/around';
import type { FileSystem } from '../../server/src/workspace/fileSystem';
import { nodeFileSystem } from '../../server/src/workspace/nodeFileSystem';
import { digestOf, observeFiles, unobserved } from '../../server/src/workspace/observedFiles';
import { createSourceIndex } from '../../server/src/workspace/sourceIndex';
import { surroundingsAlone } from '../../server/src/workspace/workspace';

/** As if the run began so long after the files were written that they count as being at rest. */
const later = (): number => Date.now() + 10_000;

describe('stamps of files', () => {
  let folder: string;
  let file: string;
  let book: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'warplens-stamps-'));
    file = join(mkdtempSync(join(folder, 'of-')), 'a.cu'); // the folder above counts as around it
    book = join(folder, 'kept', 'book');
    writeFileSync(file, 'one');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function learnText(stamps: FileStamps, path = file): string {
    return stamps.learned(
      path,
      () => readFileSync(path, 'utf8'),
      (into, text) => {
        into.text = text;
      },
    );
  }
  function learnAndSave(now = later): void {
    const stamps = openFileStamps(book, now);
    learnText(stamps);
    stamps.save();
  }
  const knownText = (): string | undefined => openFileStamps(book, later).of(file)?.text;

  it('tell what an earlier run found out, while the file is as it was', () => {
    strictEqual(knownText(), undefined);
    learnAndSave();
    strictEqual(knownText(), 'one');
  });
  it('ignore a rewritten file of the same size whose times were set back', () => {
    learnAndSave();
    const { atime, mtime } = statSync(file);
    writeFileSync(file, 'two');
    utimesSync(file, atime, mtime);
    strictEqual(statSync(file).size, 3);
    strictEqual(knownText(), undefined);
  });
  it('tell nothing of another file that was moved to its place', () => {
    learnAndSave();
    const other = join(folder, 'b.cu');
    writeFileSync(other, 'two');
    const { atime, mtime } = statSync(file);
    utimesSync(other, atime, mtime);
    renameSync(other, file);
    strictEqual(knownText(), undefined);
  });
  it('tell nothing of a file that is gone, and nothing of a folder', () => {
    learnAndSave();
    rmSync(file);
    strictEqual(knownText(), undefined);
    strictEqual(openFileStamps(book, later).of(folder), undefined);
  });
  it('keep nothing of a file that was written a moment ago', () => {
    learnAndSave(Date.now);
    strictEqual(knownText(), undefined);
  });
  it('keep nothing of a file that is written while it is read', () => {
    const stamps = openFileStamps(book, later);
    stamps.learned(
      file,
      () => {
        const text = readFileSync(file, 'utf8');
        writeFileSync(file, 'longer');
        return text;
      },
      (into, text) => {
        into.text = text;
      },
    );
    stamps.save();
    strictEqual(knownText(), undefined);
  });
  it('keep what was found out at some time of the run only of files that were at rest before it', () => {
    let time = later();
    const stamps = openFileStamps(book, () => time);
    stamps.earlier(file, (into) => {
      into.text = 'one';
    });
    stamps.save();
    strictEqual(knownText(), 'one');
    rmSync(book);
    time = Date.now();
    const young = openFileStamps(book, () => time);
    time = later();
    young.earlier(file, (into) => {
      into.text = 'one';
    });
    young.save();
    strictEqual(knownText(), undefined, 'it may have changed after it was read');
  });
  it('of files that a run did not ask for stay known', () => {
    learnAndSave();
    const other = join(folder, 'b.cu');
    writeFileSync(other, 'two');
    const stamps = openFileStamps(book, later);
    learnText(stamps, other);
    stamps.save();
    strictEqual(knownText(), 'one');
  });
  it('that are damaged or cut short tell nothing', () => {
    learnAndSave();
    const whole = readFileSync(book, 'utf8');
    for (const damaged of [whole.slice(0, -2), '', '\u0000', whole.replace('one', 'two'), `${digestOf('{')}\n{`]) {
      writeFileSync(book, damaged);
      strictEqual(knownText(), undefined, JSON.stringify(damaged));
    }
  });

  it('answer for kept results without reading a file', () => {
    const read: string[] = [];
    const counting: FileSystem = {
      ...nodeFileSystem,
      read(path) {
        read.push(path);
        return nodeFileSystem.read(path);
      },
    };
    const open = (): ReturnType<typeof openCache<Kept>> =>
      openCache<Kept>({}, observeFiles(counting, unobserved), join(folder, 'results'), 1e6, {
        stamps: openFileStamps(book, later),
      });
    const files = observeFiles(nodeFileSystem, unobserved);
    const first = open();
    const bare = { asked: [[`text ${file}`, files.answer(`text ${file}`)!]] as const };
    first.put(file, bare);
    first.trim();
    deepStrictEqual(open().get(file), bare);
    strictEqual(read.join(), '', 'the text is known from the run that kept the result');

    const index = createSourceIndex(files);
    const options = { fileSystem: files, index, observer: unobserved, root: undefined, limit: surroundingsAlone };
    const around = createSurroundings(options).answer(`around ${file}`)!;
    const wide = { asked: [[`around ${file}`, around]] as const };
    const second = open();
    second.put(file, wide);
    deepStrictEqual(second.get(file), wide);
    ok(read.includes(file), 'what the sources around launch is found out by reading them');
    second.trim();
    read.length = 0;
    deepStrictEqual(open().get(file), wide);
    strictEqual(read.join(), '', 'and known from then on');

    writeFileSync(file, '__global__ void k();\nvoid f() { k<<<1, 1>>>(); other<<<1, 1>>>(); }\n');
    strictEqual(open().get(file), undefined);
    ok(read.includes(file), 'until one of them changes');
  });
});
