// Profiled lines find their way into the user's files: over edits, path maps, copies elsewhere and copies in the report.
import assert from 'node:assert/strict';
import { carryLines } from '../../profiler/src/lines/carryOver';
import {
  lineAt,
  locateSource,
  mapPath,
  recordedSources,
  type RecordedSource,
  type WorkspaceFiles,
} from '../../profiler/src/lines/sourceMapping';
import { bytesSource, openReport } from '../../profiler/src/report';
import { readReportFixture } from './support/reportFixtures';
import { inTime } from '../support/depth';

const profiled = [
  '__global__ void f(float* a, int n) {',
  '  int i = threadIdx.x;',
  '  if (i < n)',
  '    a[i] = 2 * a[i];',
  '}',
].join('\n');

/** Where each profiled line went: numbers, and `-` for stale ones. */
function carried(current: string, before = profiled): string {
  const { lineNow } = carryLines(before, current);
  return before
    .split('\n')
    .map((_text, index) => lineNow(index + 1) ?? '-')
    .join(' ');
}

describe('lines carried over edits', () => {
  it('stay where nothing changed, also with other line ends and indentation', () => {
    assert.equal(carried(profiled), '1 2 3 4 5');
    assert.equal(carryLines(profiled, profiled).unchanged, true);
    assert.equal(carried(profiled.replaceAll('\n', '\r\n')), '1 2 3 4 5');
    assert.equal(carried(profiled.replaceAll('  ', '\t')), '1 2 3 4 5');
  });

  it('move with inserted and removed lines', () => {
    assert.equal(carried(`// new\n\n${profiled}`), '3 4 5 6 7');
    assert.equal(carried(profiled.replace('  int i', '  // index\n  int i')), '1 3 4 5 6');
    assert.equal(carried(profiled.replace('  int i = threadIdx.x;\n', '')), '1 - 2 3 4');
  });

  it('are stale where the line itself changed', () => {
    assert.equal(carried(profiled.replace('2 * a[i]', '3 * a[i]')), '1 2 3 - 5');
    assert.equal(carried('something else'), '- - - - -');
    assert.equal(carried(''), '- - - - -');
  });

  it('know the replacement of a changed line', () => {
    const instead = (current: string) => {
      const { insteadOf } = carryLines(profiled, current);
      return [1, 2, 3, 4, 5].map((line) => insteadOf(line) ?? '-').join(' ');
    };
    assert.equal(instead(profiled), '- - - - -');
    assert.equal(instead(`// new\n${profiled.replace('2 * a[i]', '3 * a[i]')}`), '- - - 5 -');
    assert.equal(instead(profiled.replace('  int i = threadIdx.x;\n', '')), '- - - - -');
    assert.equal(instead('something else'), '1 - - - -');
  });

  it('has no line outside the text', () => {
    const { lineNow } = carryLines(profiled, profiled);
    assert.deepEqual(
      [lineNow(0), lineNow(6), lineNow(-1), lineNow(1.5), lineNow(NaN)],
      [undefined, undefined, undefined, undefined, undefined],
    );
  });

  it('gives up on texts that take too long to compare', () => {
    const scrambled = (seed: number) =>
      Array.from({ length: 40_000 }, (_, index) => `line ${(index * seed) % 39_989}`).join('\n');
    const start = performance.now();
    carryLines(scrambled(7919), scrambled(104_729));
    inTime(performance.now() - start, 3000);
  });
});

describe('sources of a report in the workspace', () => {
  const recorded: RecordedSource = { path: '/srv/build/src/k.cu', text: profiled, bytes: profiled.length, modified: 0 };
  const workspace = (files: Record<string, string>): WorkspaceFiles => ({
    read: async (path) => files[path],
    named: async (name) => Object.keys(files).filter((path) => path.endsWith(`/${name}`)),
  });

  it('takes the longest path map that holds the file', () => {
    const maps = [
      { from: '/srv', to: '/wrong' },
      { from: '/srv/build/', to: '/home/me' },
      { from: '/srv/buil', to: '/wrong too' },
    ];
    assert.equal(mapPath('/srv/build/src/k.cu', maps), '/home/me/src/k.cu');
    assert.equal(mapPath('/srv/other/k.cu', maps), '/wrong/other/k.cu');
    assert.equal(mapPath('/elsewhere/k.cu', maps), undefined);
    assert.equal(mapPath('C:\\build\\src\\k.cu', [{ from: 'c:\\build', to: '/home/me' }]), '/home/me/src/k.cu');
  });

  it('finds the file by map, by path, by content, by likeness, and in the report', async () => {
    const maps = [{ from: '/srv/build', to: '/home/me' }];
    assert.deepEqual(await locateSource(recorded, maps, workspace({ '/home/me/src/k.cu': profiled })), {
      state: 'same',
      path: '/home/me/src/k.cu',
    });
    assert.deepEqual(await locateSource(recorded, [], workspace({ '/srv/build/src/k.cu': profiled })), {
      state: 'same',
      path: '/srv/build/src/k.cu',
    });
    assert.deepEqual(
      await locateSource(
        recorded,
        [],
        workspace({ '/a/k.cu': 'int other;', '/b/k.cu': profiled.replaceAll('\n', '\r\n') }),
      ),
      { state: 'same', path: '/b/k.cu' },
    );
    const edited = await locateSource(
      recorded,
      [],
      workspace({ '/a/k.cu': `// edited\n${profiled}`, '/b/k.cu': 'int other;' }),
    );
    assert.equal(edited.state, 'edited');
    assert.deepEqual(
      [1, 5].map((line) => lineAt(edited, line)),
      [2, 6],
    );
    assert.deepEqual(await locateSource(recorded, [], workspace({ '/b/k.cu': 'int other;' })), {
      state: 'embedded',
      text: profiled,
    });
  });

  it('tells a changed file by its length where the report has no text', async () => {
    const bare = { ...recorded, text: undefined };
    assert.equal((await locateSource(bare, [], workspace({ '/srv/build/src/k.cu': profiled }))).state, 'same');
    const unsure = await locateSource(bare, [], workspace({ '/srv/build/src/k.cu': `${profiled} ` }));
    assert.deepEqual([unsure.state, lineAt(unsure, 3)], ['unsure', undefined]);
    assert.deepEqual(await locateSource(bare, [], workspace({ '/b/k.cu': profiled })), {
      state: 'same',
      path: '/b/k.cu',
    });
    assert.equal((await locateSource(bare, [], workspace({}))).state, 'missing');
  });

  it('takes the copy of the workspace where another copy was built that is still there', async () => {
    const built = '/srv/build/src/k.cu';
    const opened = (copy: string): WorkspaceFiles => {
      const inside = workspace({ '/home/me/src/k.cu': copy, '/home/me/old/k.cu': 'int other;' });
      return {
        ...inside,
        read: async (path) => (path === built ? profiled : inside.read(path)),
        holds: (path) => path.startsWith('/home/me/'),
      };
    };
    const same = opened(profiled);
    assert.deepEqual(await locateSource(recorded, [], same), { state: 'same', path: '/home/me/src/k.cu' });
    const another = opened(`${profiled}int more;\n`);
    assert.deepEqual(await locateSource(recorded, [], another), { state: 'same', path: built });
    const all = { ...same, holds: () => true };
    assert.deepEqual(await locateSource(recorded, [], all), { state: 'same', path: built });
  });

  it('knows text, length and time of the sources of a report', async () => {
    const sources = await recordedSources(await openReport(bytesSource(readReportFixture('corners'))));
    for (const path of ['/srv/kernels/corners.cu', '/srv/kernels/corners.cuh']) {
      const source = sources.get(path)!;
      assert.equal(new TextEncoder().encode(source.text).length, source.bytes);
      assert.ok(source.modified > 1.5e9);
    }
    const bare = await recordedSources(await openReport(bytesSource(readReportFixture('detailed-noimport'))));
    assert.deepEqual(
      [...bare.values()].map(({ path, text, bytes }) => [path, text, bytes > 0]),
      [['/srv/kernels/k.cu', undefined, true]],
    );
  });
});
