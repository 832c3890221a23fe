// What files, reports and programs say comes to a terminal as text: nothing is obeyed, no line is forged, no memory is filled.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nodeIo } from '../../cli/src/reportIo';
import { run } from '../../cli/src/program';
import { cleanJson, cleanLine, cleanLines, cleanName, cleanOutput } from '../../cli/src/terminalText';
import { readNcuOutput } from '../../profiler/src/collect/ncuOutput';
import { openFileSource } from '../../profiler/src/transport/fileByteSource';
import { openHost } from '../../profiler/src/transport/openHost';
import { keepText } from '../../profiler/src/transport/keptText';
import { giveFreeName, whileLocked } from '../../profiler/src/transport/resultFile';
import { createIncludes, resolveInclude } from '../../server/src/workspace/includes';
import { createObserver } from '../../server/src/workspace/observedFiles';
import { nodeFileSystem, readPlainFile } from '../../server/src/workspace/nodeFileSystem';
import { skipBecause } from '../support/skipBecause';

const evil = '\x1b]52;c;ZXZpbA==\x07\x1b[2J\u009b31m\r\nwarning: forged\u202e\x7f';
// biome-ignore lint/suspicious/noControlCharactersInRegex: these must not be there
const obeyed = /[\0-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/;

describe('text for a terminal', () => {
  it('shows what would be obeyed, a column for a column', () => {
    for (const clean of [cleanName, cleanLine]) {
      assert.doesNotMatch(clean(evil), obeyed);
      assert.doesNotMatch(clean(evil), /\n/);
      assert.equal(clean(evil).length, evil.length);
    }
    assert.equal(cleanLine('\ta\x1b'), '\ta␛');
    assert.equal(cleanLines('a\r\nb\x1b\n'), 'a\nb␛\n');
  });

  it('keeps JSON the same to who reads it', () => {
    const value = { name: evil, list: ['ü', '\u2028'] };
    const json = cleanJson(JSON.stringify(value));
    assert.doesNotMatch(json, obeyed);
    assert.deepEqual(JSON.parse(json), value);
  });

  it('lets our own colours and the status line through, and nothing beside', () => {
    assert.equal(cleanOutput('\x1b[31mred\x1b[39m\r\x1b[Kgone'), '\x1b[31mred\x1b[39m\r\x1b[Kgone');
    assert.equal(cleanOutput('\x1b[2Ja\x1b]0;t\x07'), '␛[2Ja␛]0;t␇');
  });

  it('holds for check, in every format', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'warplens-terminal-'));
    try {
      const path = join(folder, `k\x1b[2J\u009b.cu`);
      writeFileSync(
        path,
        `__global__ void k(float *a) { a[threadIdx.x * 32] = 1; /* ${evil.replace('\r\n', '')} */ }\n`,
      );
      for (const format of ['text', 'json', 'sarif']) {
        let said = '';
        const add = (text: string): void => {
          said += `${text}\n`;
        };
        await run(['check', path, '--format', format], { print: add, note: add, colour: false, exitCode: 0 });
        assert.match(said, /uncoalesced-access/);
        assert.doesNotMatch(said.replaceAll('\n', ''), obeyed, format);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('output without end', function () {
  this.timeout(60_000);

  it('is kept as its beginning and its end', () => {
    const kept = keepText(1000);
    for (let number = 0; number < 100_000; number++) kept.add(`${number}\n`);
    const text = kept.text();
    assert.ok(text.startsWith('0\n1\n'));
    assert.ok(text.endsWith('\n99999\n'));
    assert.match(text, /… \d+ characters omitted …/);
    assert.ok(text.length < 2100);
    const short = keepText(1000);
    short.add('a'.repeat(1900));
    assert.equal(short.text(), 'a'.repeat(1900));
  });

  it('of a program that prints no newline is passed on in bounded memory', async () => {
    const host = await openHost({});
    try {
      let seen = 0;
      let longest = 0;
      const reader = readNcuOutput((event) => {
        if (event.what !== 'program') return;
        seen += event.text.length;
        longest = Math.max(longest, event.text.length);
      });
      const before = process.memoryUsage().rss;
      const { output } = await host.run(['sh', '-c', "head -c 60000000 /dev/zero | tr '\\0' ="], {
        stage: 'collect',
        onText: (_stream, text) => reader.feed(text),
      });
      reader.end();
      assert.ok(seen >= 60_000_000 && seen <= 60_000_001, `${seen}`);
      assert.ok(longest < 1 << 20);
      assert.ok(output.length < 600_000);
      assert.ok(process.memoryUsage().rss - before < 300e6);
    } finally {
      await host.close();
    }
  });

  it("of a build lies in the scratch folder, a compiler's temporary files with it", async () => {
    const host = await openHost({});
    try {
      const { output } = await host.run(['sh', '-c', 'echo "$TMPDIR"; touch "$TMPDIR/tmpxft_1"'], { stage: 'build' });
      assert.ok(output.startsWith(host.scratch), output);
      const other = await host.run(['sh', '-c', 'echo "$TMPDIR"'], { stage: 'collect' });
      assert.ok(!other.output.startsWith(host.scratch));
    } finally {
      assert.equal(await host.close(), 'removed');
    }
  });
});

describe('paths that somebody else names', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'warplens-paths-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('are read when they are plain files of bounded size, and not opened otherwise', function () {
    if (process.platform !== 'linux') skipBecause(this, 'It needs FIFOs and /proc.');
    const fifo = join(folder, 'pipe.cu');
    execFileSync('mkfifo', [fifo]);
    for (const path of [fifo, '/dev/zero', '/dev/tty', folder]) {
      assert.equal(nodeFileSystem.read(path), undefined, path);
      assert.equal(nodeFileSystem.version(path), undefined, path);
    }
    // Files of /proc say that they hold nothing, and give what has no end.
    assert.equal(nodeFileSystem.read('/proc/self/pagemap')?.text ?? '', '');
    const large = join(folder, 'large.cu');
    writeFileSync(large, 'x'.repeat(2000));
    assert.deepEqual(readPlainFile(large, 1000), { problem: 'too-large', size: 2000 });
  });

  it('are no reports when they are devices or pipes', async function () {
    if (process.platform !== 'linux') skipBecause(this, 'It needs FIFOs and /dev.');
    await assert.rejects(openFileSource('/dev/zero'), /not a regular file/);
  });

  it('are no sources of a report outside of the working directory when they are named like none', async () => {
    writeFileSync(join(folder, 'secret'), 'root:x:0:0');
    writeFileSync(join(folder, 'kernel.cu'), 'code');
    assert.equal(await nodeIo.readText(join(folder, 'secret')), undefined);
    assert.equal(await nodeIo.readText('/proc/self/environ'), undefined);
    assert.equal(await nodeIo.readText(join(folder, 'kernel.cu')), 'code');
  });

  it('are not included from outside of the project when they are named like none', () => {
    const project = join(folder, 'a', 'project');
    mkdirSync(join(project, 'src'), { recursive: true });
    const from = join(project, 'src', 'k.cu');
    writeFileSync(join(folder, 'secret'), 'root:x:0:0');
    writeFileSync(join(folder, 'common.cuh'), '');
    writeFileSync(join(project, 'src', 'table'), '1, 2');
    const find = (spelled: string): string | undefined =>
      resolveInclude(nodeFileSystem, spelled, false, from, [], project);
    assert.equal(find('../../../secret'), undefined);
    assert.equal(find(join(folder, 'secret')), undefined);
    assert.equal(find('/proc/self/environ'), undefined);
    assert.equal(find('../../../common.cuh'), join(folder, 'common.cuh'));
    assert.equal(find('table'), join(project, 'src', 'table'));
  });

  it('are not guessed there either, whatever folder a build file names', () => {
    const project = join(folder, 'b', 'project');
    const elsewhere = join(folder, 'elsewhere');
    for (const each of [join(project, 'src', 'deep'), elsewhere]) mkdirSync(each, { recursive: true });
    const from = join(project, 'src', 'deep', 'k.cu');
    writeFileSync(from, '');
    writeFileSync(join(project, 'CMakeLists.txt'), `include_directories(${elsewhere} /proc/self)\n`);
    writeFileSync(join(elsewhere, 'secret'), 'root:x:0:0');
    writeFileSync(join(elsewhere, 'beside.cuh'), '');
    writeFileSync(join(folder, 'b', 'above'), '');
    writeFileSync(join(project, 'lists'), '1, 2');
    const guess = (spelled: string, root: string | undefined): string | undefined =>
      createIncludes(
        nodeFileSystem,
        createObserver(() => {}),
        root,
      ).from([])(spelled, false, from)?.path;
    for (const root of [project, undefined]) {
      for (const spelled of ['secret', '../elsewhere/secret', 'environ', '../above', 'above'])
        assert.equal(guess(spelled, root), undefined, spelled);
      assert.equal(guess('beside.cuh', root), join(elsewhere, 'beside.cuh'));
    }
    assert.equal(guess('lists', project), join(project, 'lists'));
  });
});

describe('names of reports', () => {
  it('are given once each, however many profiles end at a time, with and without the lock', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'warplens-names-'));
    try {
      const nameOf = (taken: readonly string[]): string =>
        `k-${String(1 + Math.max(0, ...taken.map((name) => Number(/^k-(\d+)$/.exec(name)?.[1] ?? 0)))).padStart(3, '0')}`;
      const give = async (number: number): Promise<string> => {
        const copy = join(folder, `.copy${number}`);
        writeFileSync(copy, String(number));
        return number % 2
          ? giveFreeName(copy, nameOf)
          : whileLocked(join(folder, 'reports'), () => giveFreeName(copy, nameOf));
      };
      const names = await Promise.all(Array.from({ length: 24 }, (_, number) => give(number)));
      assert.equal(new Set(names).size, 24);
      const kept = readdirSync(folder).filter((name) => name.startsWith('k-'));
      assert.deepEqual(
        kept.map((name) => readFileSync(join(folder, name), 'utf8')).sort(),
        names.map((_, number) => String(number)).sort(),
      );
      assert.equal(readdirSync(folder).length, 24);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
