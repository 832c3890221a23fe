// Timelines of Nsight Systems: recorded exports of samples, their lines and verdicts; other forms, and files that are none.
import { deepStrictEqual, equal, ok, rejects } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import start, { type SqlValue } from 'sql.js/dist/sql-wasm-inline.js';
import { bytesSource, ReportError } from '../../profiler/src/report';
import { openTimeline } from '../../profiler/src/timeline/openTimeline';
import { boxesIn } from '../../profiler/src/timeline/rows';
import { placeCalls, type PlacedCall } from '../../profiler/src/timeline/placeCalls';
import { joinTimeline } from '../../profiler/src/timeline/timelineEvidence';
import type { Timeline } from '../../profiler/src/timeline/timeline';
import { timelinePage, timelineSelection, timelineWindow } from '../../profiler/src/timeline/page';
import { lineWords, summaryText, timelineTables } from '../../profiler/src/timeline/words';
import { hostCallsOf } from '../../server/src/lsp/hostCalls';
import { lineTable } from '../../server/src/syntax/lines';
import { memoryWorkspace } from '../support/analyseText';
import { readSampleFiles, samplesFolder } from '../support/sampleFiles';
import { findingsOf } from './evidenceOf';
import { mutate, randomNumbers } from './support/mutateReport';

const read = (name: string): Uint8Array =>
  new Uint8Array(readFileSync(join(samplesFolder, 'profiles', `${name}.sqlite`)));
const open = (bytes: Uint8Array): Promise<Timeline> => openTimeline(bytesSource(bytes));
const files = readSampleFiles();

type Tables = Readonly<Record<string, readonly Readonly<Record<string, SqlValue>>[]>>;

/** A database with these tables, whose columns are those of their first rows. */
async function database(tables: Tables): Promise<Uint8Array> {
  const { Database } = await start();
  const made = new Database();
  for (const [table, rows] of Object.entries(tables)) {
    const columns = Object.keys(rows[0] ?? { nothing: 0 });
    made.run(`CREATE TABLE ${table} (${columns.map((name) => `"${name}"`).join(', ')})`);
    for (const row of rows)
      made.run(
        `INSERT INTO ${table} VALUES (${columns.map(() => '?').join(', ')})`,
        columns.map((name) => row[name] ?? null),
      );
  }
  const bytes = made.export();
  made.close();
  return bytes;
}

const names = (...texts: readonly string[]) => texts.map((value, id) => ({ id, value }));

async function callsIn(sample: string): Promise<ReturnType<typeof hostCallsOf>> {
  const path = join(samplesFolder, sample);
  const text = files.get(path)!;
  const { model } = (await memoryWorkspace(files)).analyse(pathToFileURL(path).href, { text, version: 1 })!;
  return hostCallsOf({ model, lines: lineTable(text) });
}

async function placedOn(sample: string, timeline: Timeline): Promise<{ text: string; call: PlacedCall }[]> {
  const lines = files.get(join(samplesFolder, sample))!.split('\n');
  return placeCalls(timeline, await callsIn(sample)).map((call) => ({ text: lines[call.line - 1]!.trim(), call }));
}

const oneWarp = { gridX: 1, gridY: 1, gridZ: 1, blockX: 32, blockY: 1, blockZ: 1 };

describe('timelines', function () {
  this.timeout(30_000);

  it('of the allocating sample: kernels, copies, and who idled the GPU, as SQL over the export says it', async () => {
    const timeline = await open(read('allocate-each-turn'));
    deepStrictEqual(timeline.device, { name: 'NVIDIA H200', computeCapability: '9.0' });
    deepStrictEqual(
      timeline.kernels.map(({ shortName, launches, totalNs, block }) => [shortName, launches, totalNs, block]),
      [['increment', 130, 144_543, [256, 1, 1]]],
    );
    deepStrictEqual(
      timeline.copies.map(({ direction, host, count, bytes, totalNs }) => [direction, host, count, bytes, totalNs]),
      [
        ['host to device', 'pageable', 130, 8_519_680, 774_715],
        ['device to host', 'pageable', 130, 8_519_680, 363_997],
      ],
    );
    equal(timeline.busyNs, 144_543 + 774_715 + 363_997);
    const copies = timelineTables(timeline).find(({ title }) => title === 'Copies')!;
    deepStrictEqual([copies.head.at(-1), copies.rows[0]!.at(-1)], ['throughput', '10.2 GiB/s']);
    deepStrictEqual(
      timeline.calls.slice(0, 3).map(({ name, callers, count }) => [name, callers, count]),
      [
        ['cudaFree', ['processBatches', 'main'], 130],
        ['cudaMalloc', ['processBatches', 'main'], 130],
        ['cudaMemcpy', ['processBatches', 'main'], 130],
      ],
    );
    const idle = timeline.calls.reduce((sum, { idleNs }) => sum + idleNs, 0) + timeline.idleElsewhereNs;
    ok(Math.abs(idle - (timeline.spanNs - timeline.busyNs)) < 0.01 * timeline.spanNs, 'all idle time is somewhere');
    ok(timeline.hasCallChains);
  });

  it('lays calls on their lines by the call chain, two copies of one function apart', async () => {
    const timeline = await open(read('allocate-each-turn'));
    const placed = await placedOn('allocation/allocate-each-turn.cu', timeline);
    const inLoop = placed.filter(({ call }) => call.place.function === 'processBatches' || call.place.kernel);
    deepStrictEqual(
      inLoop.map(({ text, call }) => [text.slice(0, 24), call.sums.count, call.by, call.shared]),
      [
        ['CHECK(cudaMalloc(&device', 130, 'call chain', 1],
        ['CHECK(cudaMemcpy(device,', 130, 'call chain', 1],
        ['increment<<<(n + threads', 130, 'order', 1],
        ['CHECK(cudaMemcpy(batch.d', 130, 'call chain', 1],
        ['CHECK(cudaFree(device));', 130, 'call chain', 1],
      ],
    );
    const [up, down] = inLoop.filter(({ call }) => call.place.name === 'cudaMemcpy').map(({ call }) => call.sums.gpuNs);
    deepStrictEqual([up, down], [774_715, 363_997], 'the copy up, then the copy down');
    match(lineWords([inLoop[0]!.call], timeline), /^cudaMalloc: 130×, GPU idle 8\.4 ms \(23 %\)$/);
    match(lineWords([inLoop[1]!.call], timeline), /8\.1 MiB of pageable memory/);
  });

  it('without call chains by name, and says so', async () => {
    const timeline = await open(read('synchronise-each'));
    equal(timeline.hasCallChains, false);
    const placed = await placedOn('launches/synchronise-each.cu', timeline);
    const wait = placed.find(({ text }) => text === 'cudaDeviceSynchronize();')!;
    deepStrictEqual([wait.call.sums.count, wait.call.by], [1201, 'name']);
    match(lineWords([wait.call], timeline), /^cudaDeviceSynchronize: 1201×, GPU idle 159\.1 ms \(90 %\), by name$/);
    const copies = placed.filter(({ call }) => call.place.name === 'cudaMemcpy');
    deepStrictEqual(
      copies.map(({ call }) => call.shared),
      [3, 3, 3],
    );
    match(timelinePage('a', timeline).hint, /--cudabacktrace=all/);
  });

  for (const [sample, name, rule, verdict] of [
    [
      'allocation/allocate-each-turn.cu',
      'allocate-each-turn',
      'cuda/alloc-in-loop',
      /^Confirmed: cudaMalloc and cudaFree were called 260 times; the GPU idled for 21\.8 ms meanwhile, 59 % of the run/,
    ],
    [
      'launches/synchronise-each.cu',
      'synchronise-each',
      'cuda/sync-in-loop',
      /^Confirmed: cudaDeviceSynchronize was called 1201 times; the GPU idled for 159\.1 ms meanwhile, 90 % of the run/,
    ],
    [
      'copies/blocking-copies.cu',
      'blocking-copies',
      'cuda/sync-in-loop',
      /^Confirmed: cudaMemcpy was called 192 times, 768\.0 MiB; the GPU idled for 2\.8 ms meanwhile, 7\.7 % of the run/,
    ],
    [
      'launches/same-launches.cu',
      'same-launches',
      'cuda/launch-in-loop',
      // Both launches of the loop, which the compiler wrote twice: their sum is what the finding is about.
      /^Confirmed: cudaLaunchKernel was called 4800 times; the GPU idled for [\d.]+ ms meanwhile, 51 % of the run/,
    ],
  ] as const)
    it(`${name}: what ${rule} finds is confirmed`, async () => {
      const timeline = await open(read(name));
      const findings = await findingsOf(join(samplesFolder, sample), files);
      const placed = placeCalls(timeline, await callsIn(sample));
      const said = joinTimeline(findings, placed, timeline, `${name}.sqlite`);
      deepStrictEqual(
        findings.map(({ rule: found }) => found),
        [rule],
      );
      equal(said[0]!.state, 'confirmed');
      match(said[0]!.text, verdict);
      ok(said[0]!.cost > 0);
    });

  it('refutes a wait that cost nothing, and does not say which of several calls it was', async () => {
    const sample = 'launches/synchronise-each.cu';
    const findings = await findingsOf(join(samplesFolder, sample), files);
    const calls = await callsIn(sample);
    const timeline = (idleNs: number, count = 1100): Timeline => ({
      rows: [],
      spanNs: 1e9,
      busyNs: 1e9 - idleNs,
      kernels: [],
      copies: [],
      idleElsewhereNs: 0,
      hasCallChains: false,
      calls: [
        {
          name: 'cudaDeviceSynchronize',
          callers: [],
          count,
          firstNs: 0,
          totalNs: 9e8,
          idleNs,
          gpuNs: 0,
          bytes: 0,
          pageableBytes: 0,
        },
      ],
    });
    const verdict = (given: Timeline, places = calls) =>
      joinTimeline(findings, placeCalls(given, places), given, 'a.sqlite')[0]!;
    match(
      verdict(timeline(1e6)).text,
      /^Not a problem here: .*idled for 1\.0 ms meanwhile, 0\.1 % of the run \(a\.sqlite\)\.$/,
    );
    equal(verdict(timeline(3e7)).state, 'weak');
    equal(verdict(timeline(3e8)).state, 'confirmed');
    equal(verdict(timeline(0, 0)).state, 'not-executed');
    const wait = calls.find(({ name }) => name === 'cudaDeviceSynchronize')!;
    const twice = [
      ...calls,
      { ...wait, range: { start: { line: 90, character: 0 }, end: { line: 90, character: 9 } } },
    ];
    match(
      verdict(timeline(3e8), twice).text,
      /^Not measured: .* does not distinguish the 2 calls of cudaDeviceSynchronize here, profile with --cudabacktrace=all; together/,
    );
    equal(verdict(timeline(1e6), twice).state, 'refuted', 'that none of them costs holds for each');
    match(verdict({ ...timeline(3e8), calls: [] }).text, /^Not measured: a\.sqlite has no call/);
  });

  it('tells calls by their NVTX ranges where there is no chain, and lets calls within calls be', async () => {
    const timeline = await open(
      await database({
        StringIds: names('cudaMalloc_v3020', 'cuMemAlloc_v2', 'kernel(int)', 'setup'),
        CUPTI_ACTIVITY_KIND_RUNTIME: [
          { start: 0, end: 100_000, correlationId: 1, nameId: 0, globalTid: 5 },
          { start: 10, end: 90_000, correlationId: 2, nameId: 1, globalTid: 5 },
          { start: 200_000, end: 300_000, correlationId: 3, nameId: 0, globalTid: 5 },
        ],
        CUPTI_ACTIVITY_KIND_KERNEL: [
          {
            start: 50_000,
            end: 60_000,
            correlationId: 9,
            demangledName: 2,
            ...oneWarp,
          },
          {
            start: 250_000,
            end: 260_000,
            correlationId: 9,
            demangledName: 2,
            ...oneWarp,
          },
          {
            start: null,
            end: 260_000,
            correlationId: null,
            demangledName: 99,
            ...oneWarp,
          },
        ],
        NVTX_EVENTS: [
          { start: 0, end: 150_000, globalTid: 5, text: null, textId: 3 },
          { start: 190_000, end: 350_000, globalTid: 5, text: 'solve', textId: null },
          { start: 195_000, end: 196_000, globalTid: 5, text: 'over', textId: null },
        ],
      }),
    );
    deepStrictEqual(
      timeline.calls.map(({ name, range, count, idleNs }) => [name, range, count, idleNs]),
      [
        ['cudaMalloc', 'solve', 1, 50_000],
        ['cudaMalloc', 'setup', 1, 40_000],
      ],
    );
    deepStrictEqual([timeline.spanNs, timeline.busyNs, timeline.idleElsewhereNs], [210_000, 20_000, 100_000]);
    equal(timelineTables(timeline).find(({ title }) => title === 'Where the GPU idled')!.rows[0]![1], 'range solve');
    match(summaryText(timeline), /busy for 20\.0 µs of 210\.0 µs \(9\.5 %\)/);
  });

  for (const [what, tables, sentence] of [
    ['a database of something else', { people: [{ name: 'Ada' }] }, /has no GPU work .*--trace=cuda/],
    [
      'an export without names',
      { CUPTI_ACTIVITY_KIND_KERNEL: [{ start: 1, end: 2, correlationId: 3 }] },
      /an unknown schema: CUPTI_ACTIVITY_KIND_KERNEL .*Export it again/,
    ],
    [
      'a schema without times',
      {
        StringIds: names('a'),
        CUPTI_ACTIVITY_KIND_MEMCPY: [{ begin: 1 }],
        META_DATA_EXPORT: [{ name: 'EXPORT_SCHEMA_VERSION', value: '9.1' }],
      },
      /CUPTI_ACTIVITY_KIND_MEMCPY has no times.*\(schema 9\.1\)/,
    ],
    [
      'a table whose columns are computed when they are read',
      { CUPTI_ACTIVITY_KIND_KERNEL: [{ start: 1, 'bomb" AS (hex(zeroblob(400000000))), "end': 2 }] },
      /CUPTI_ACTIVITY_KIND_KERNEL has generated columns/,
    ],
  ] as const)
    it(`${what}: one sentence with the next step`, async () => {
      await rejects(open(await database(tables)), (error: Error) => {
        ok(error instanceof ReportError);
        match(error.message, sentence);
        return true;
      });
    });

  it('a trace in which the GPU did nothing is shown as such', async () => {
    const timeline = await open(
      await database({
        StringIds: names('cudaFree'),
        CUPTI_ACTIVITY_KIND_RUNTIME: [{ start: 5, end: 10, correlationId: 1, nameId: 0 }],
      }),
    );
    match(summaryText(timeline), /the GPU was idle/);
    equal(timeline.calls.length, 1);
  });

  it('belongs to the program that ran: calls of other programs have no figures', async () => {
    const timelines = await Promise.all(
      ['blocking-copies', 'allocate-each-turn', 'same-launches'].map((name) => open(read(name))),
    );
    const own = ['copies/blocking-copies', 'allocation/allocate-each-turn', 'launches/same-launches'];
    for (const sample of [...own, 'fusion/bias-then-silu', 'operations/sums', 'vector-addition/chunk-per-thread']) {
      const calls = await callsIn(`${sample}.cu`);
      deepStrictEqual(
        timelines.map((timeline) => placeCalls(timeline, calls).length > 0),
        own.map((name) => name === sample),
        sample,
      );
    }
    // Host code without a launch: its functions are in the call chains, or it is of another program.
    const at = { start: { line: 3, character: 2 }, end: { line: 3, character: 9 } };
    const placedIn = (around: string): number =>
      placeCalls(timelines[1]!, [{ name: 'cudaMalloc', range: at, function: around }]).length;
    deepStrictEqual([placedIn('processBatches'), placedIn('elsewhere')], [1, 0]);
  });

  it('has a row for each stream and thread, every event on it, and the call behind it', async () => {
    const timeline = await open(read('blocking-copies'));
    deepStrictEqual(
      timeline.rows.map(({ title, kind, events }) => [title, kind, events.length]),
      [
        ['Stream 7: copies', 'copy', 384],
        ['Stream 7: kernels', 'kernel', 192],
        ['CUDA API', 'call', timeline.calls.reduce((sum, { count }) => sum + count, 0)],
      ].sort(
        (a, b) =>
          timeline.rows.findIndex(({ title }) => title === a[0]) -
          timeline.rows.findIndex(({ title }) => title === b[0]),
      ),
    );
    const row = timeline.rows.findIndex(({ kind }) => kind === 'kernel');
    for (const { call } of timeline.rows[row]!.events) equal(call?.kernel, 'square');
    const ran = timeline.rows[row]!.events.reduce((sum, { start, end }) => sum + end - start, 0);
    equal(ran, timeline.kernels[0]!.totalNs);

    const whole = timelineWindow(timeline, 0, timeline.spanNs, 800);
    for (const boxes of whole.rows) ok(boxes.length > 0 && boxes.length <= 1600, `${boxes.length} boxes`);
    const [first] = timeline.rows[row]!.events;
    const near = timelineWindow(timeline, first!.start, first!.end, 800);
    deepStrictEqual(
      near.rows[row]!.map(({ start, end, index, text }) => [start, end, index, text]),
      [[first!.start, first!.end, 0, 'square']],
    );
    ok(near.axis.length >= 3 && new Set(near.axis.map(({ text }) => text)).size === near.axis.length);
    deepStrictEqual(
      [timelineWindow(timeline, -5e9, -4e9, 800).from, timelineWindow(timeline, 1e15, 2e15, 800).to],
      [0, timeline.spanNs],
    );

    equal(timelineSelection(timeline, row, undefined, 1, first!.start)?.index, 0);
    equal(timelineSelection(timeline, row, 0, 1)?.index, 1);
    equal(timelineSelection(timeline, row, 191, 1)?.index, 191);
    match(timelineSelection(timeline, row, 0)?.text, /^square: [\d.]+ µs, from .* blocks of 256 · called by main/);
    equal(timelineSelection(timeline, 9, 0), undefined);
  });

  it('joins what is nearer than a pixel, and leaves the long ones alone', () => {
    const events = Array.from({ length: 100_000 }, (_, at) => ({ start: at * 10, end: at * 10 + 5, name: 'k' }));
    const long = { start: 500_000, end: 600_000, name: 'long' };
    const row = { title: 'a', kind: 'kernel' as const, events: [...events, long].sort((a, b) => a.start - b.start) };
    const boxes = boxesIn(row, 0, 1e6, 1000);
    ok(boxes.length <= 2000);
    equal(
      boxes.reduce((sum, { count }) => sum + count, 0),
      100_001,
    );
    ok(boxes.some(({ count, longest }) => count === 1 && row.events[longest] === long));
    ok(Math.abs(boxes[0]!.busyNs / (boxes[0]!.end - boxes[0]!.start) - 0.5) < 0.01, 'half of it is busy');
    equal(boxesIn(row, 0, 95, 1000).length, 10, 'each by itself once there is room');
  });

  it('an invalid, truncated, too large or too long database is refused in one sentence', async () => {
    const whole = read('allocate-each-turn');
    await rejects(open(new TextEncoder().encode('not a database at all')), /not a SQLite database.*nsys export/);
    await rejects(open(new Uint8Array()), /not a SQLite database/);
    for (const part of [100, 4096, 30_000, whole.length - 4096])
      await rejects(open(whole.slice(0, part)), /damaged or truncated|has no GPU work/, `${part} bytes`);
    await rejects(
      openTimeline({ size: 3 * 2 ** 30, read: () => Promise.resolve(0) }),
      /has 3\.0 GiB; the limit is 1 GiB/,
    );
    await rejects(openTimeline({ size: 4096, read: () => Promise.resolve(0) }), /became shorter/);
    await rejects(openTimeline(bytesSource(whole), 1000), /holds 0\.00\d million rows|holds .* million rows in CUPTI/);
  });

  it('damaged bytes give less, or one sentence', async () => {
    const random = randomNumbers(2206);
    const original = read('blocking-copies');
    for (let count = 0; count < 60; count++) {
      const { what, bytes } = mutate(original, random);
      try {
        const timeline = await open(bytes);
        timelinePage('a', timeline);
        timelineWindow(timeline, 0, timeline.spanNs, 800);
        timeline.rows.forEach((_, row) => timelineSelection(timeline, row, undefined, 1));
      } catch (error) {
        ok(error instanceof ReportError, `${what}: ${String(error)}`);
      }
    }
  });
});

function match(text: string | undefined, pattern: RegExp): void {
  ok(text !== undefined && pattern.test(text), `${text} is not ${String(pattern)}`);
}
