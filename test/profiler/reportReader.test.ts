// The reader away from the files it was built on: in a browser's terms, on a source that fails, and on kinds of results without a sample.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { blobSource, bytesSource, measureReport, openReport, type ByteSource } from '../../profiler/src/report';
import { readReportFixture } from './support/reportFixtures';

describe('the report reader', () => {
  it('reads from a Blob what it reads from memory', async () => {
    const bytes = readReportFixture('corners');
    const fromMemory = await measureReport(await openReport(bytesSource(bytes)));
    assert.deepEqual(await measureReport(await openReport(blobSource(new Blob([bytes])))), fromMemory);
  });

  it('bundles for a browser without modules of node', () => {
    const { outputFiles, errors } = buildSync({
      entryPoints: [join(__dirname, '../../profiler/src/report/index.ts')],
      bundle: true,
      platform: 'browser',
      format: 'esm',
      write: false,
      logLevel: 'silent',
    });
    assert.deepEqual(errors, []);
    assert.doesNotMatch(
      outputFiles[0]!.text,
      /\brequire\(|from "node:|\bprocess\.(env|argv|stdout|nextTick)|\bBuffer\b/,
    );
  });

  it('reads a report in small pieces, never all of it', async () => {
    const bytes = readReportFixture('patterns-full');
    const whole = bytesSource(bytes);
    let read = 0;
    let largest = 0;
    const counted: ByteSource = {
      size: whole.size,
      read(offset, into) {
        read += into.length;
        largest = Math.max(largest, into.length);
        return whole.read(offset, into);
      },
    };
    const report = await openReport(counted);
    assert.ok(largest <= 256 * 1024, `${largest} bytes at once`);
    read = 0;
    await measureReport(report, { accepts: ({ index }) => index === 0 });
    assert.ok(read < 3e6, `${read} bytes for one launch`);
  });

  it('passes on what the file system says, and notices a file that shrinks', async () => {
    const bytes = readReportFixture('basic-noline');
    const failing: ByteSource = {
      size: bytes.length,
      read: () => Promise.reject(Object.assign(new Error('EIO: i/o error'), { code: 'EIO' })),
    };
    await assert.rejects(openReport(failing), { code: 'EIO' });
    const shrunken: ByteSource = { ...bytesSource(bytes.subarray(0, 50_000)), size: bytes.length };
    await assert.rejects(openReport(shrunken), /truncated/);
  });

  it('finds metrics and cubins of a range, whose fields have no published numbers, by their shape', async () => {
    // The only sample with such a layout is a graph: its block is announced as holding a range instead.
    const bytes = readReportFixture('corners-graph').slice();
    const before = await measureReport(await openReport(bytesSource(bytes)));
    const header = lastBlockHeader(bytes);
    const at = bytes.findIndex(
      (byte, index) => index >= header.start && index < header.end && byte === 0x48 && bytes[index + 1] === 1,
    );
    bytes[at] = 0x38;
    const after = await measureReport(await openReport(bytesSource(bytes)));
    const last = after.kernels.length - 1;
    assert.equal(after.kernels[last]!.kind, 'range');
    const lines = (measured: typeof before) => measured.lines.filter(({ launch }) => launch === last);
    assert.ok(lines(before).length > 5);
    assert.deepEqual(lines(after), lines(before));
  });
});

/** Where the header of the last block lies. */
function lastBlockHeader(bytes: Uint8Array): { start: number; end: number } {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = 8 + view.getUint32(4, true);
  for (;;) {
    const start = position + 4;
    const end = start + view.getUint32(position, true);
    let payload = 0;
    for (let at = start; at < end; ) {
      const tag = bytes[at++]!;
      let value = 0;
      for (let scale = 1; ; scale *= 128) {
        const byte = bytes[at++]!;
        value += (byte & 127) * scale;
        if (byte < 128) break;
      }
      if (tag === 5 * 8) payload = value;
      if (tag % 8 === 2) at += value;
    }
    if (end + payload >= bytes.length) return { start, end };
    position = end + payload;
  }
}
