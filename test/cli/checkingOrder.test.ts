// Which files a worker is given together, and how long headers are kept for the files that follow.
import { strict as assert } from 'node:assert';
import { batchesOf } from '../../cli/src/checkWorkers';
import { getHeapStatistics } from 'node:v8';
import { createRecentFiles } from '../../cli/src/checking';

const sources = (...paths: readonly string[]): { readonly path: string; readonly text: string }[] =>
  paths.map((path) => ({ path, text: 'x'.repeat(100) }));

describe('files for workers', () => {
  it('are of one program at a time: its nested folders come with it', () => {
    const given = sources('/a/p/map/host.cu', '/a/p/main.cu', '/a/p/map/kernels/k.cuh', '/a/q/main.cu');
    assert.deepEqual(batchesOf(given), [[0, 1, 2], [3]]);
  });

  it('are parted where a program is long, the longest first', () => {
    const given = [
      ...sources('/a/small.cu'),
      { path: '/b/one.cu', text: 'x'.repeat(200_000) },
      { path: '/b/two.cu', text: 'x'.repeat(100_000) },
    ];
    assert.deepEqual(batchesOf(given), [[1], [2], [0]]);
    assert.deepEqual(
      batchesOf(sources(...Array.from({ length: 50 }, (_, at) => `/c/${at}.cu`))).map((batch) => batch.length),
      [24, 24, 2],
    );
  });
});

describe('files read for others', () => {
  const file = (uri: string, length = 10): { readonly uri: string; readonly text: string } => ({
    uri,
    text: 'x'.repeat(length),
  });

  it('are kept over the folders of a program, and forgotten after more', () => {
    const forgotten: string[] = [];
    const recent = createRecentFiles((uri) => forgotten.push(uri));
    recent.enter('/p/map');
    recent.read([file('header'), file('once')]);
    for (let folder = 0; folder < 7; folder++) {
      recent.enter(`/p/${folder}`);
      recent.read([file('header')]);
    }
    assert.deepEqual(forgotten, []);
    recent.enter('/q');
    assert.deepEqual(forgotten, ['once']);
  });

  it('are bounded by their text, the longest unread first', () => {
    const forgotten: string[] = [];
    const recent = createRecentFiles((uri) => forgotten.push(uri), 4_000_000);
    recent.enter('/p');
    recent.read([file('old', 3_000_000), file('middle', 900_000)]);
    recent.read([file('new', 500_000), file('new', 500_000)]);
    recent.enter('/p');
    assert.deepEqual(forgotten, []);
    recent.enter('/q');
    assert.deepEqual(forgotten, ['old']);
  });

  it('are kept however long they are where the heap has room', () => {
    const forgotten: string[] = [];
    const recent = createRecentFiles((uri) => forgotten.push(uri));
    recent.enter('/p');
    recent.read([file('library', Math.floor(getHeapStatistics().heap_size_limit / 200))]);
    recent.enter('/p/without');
    recent.read([file('small')]);
    recent.enter('/p/with');
    assert.deepEqual(forgotten, []);
  });
});
