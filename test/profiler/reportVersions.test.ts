// Reports of older and newer versions of Nsight Compute: older names and layouts read as today's, what is newer is said and the rest is shown.
import { readReportFixture } from './support/reportFixtures';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { counters, gatherKernels } from '../../profiler/src/overlay/kernels';
import { reasonsOf } from '../../profiler/src/overlay/marks';
import { bytesSource, measureReport, openReport, type Report } from '../../profiler/src/report';
import { changesBetween } from '../../profiler/src/overlay/changes';
import { comparisonRemarks } from '../../profiler/src/report/dialects';
import { readKernelSass } from '../../profiler/src/sass/kernelSass';
import {
  bytes,
  fieldsOf,
  messageOf,
  number,
  rewriteReport,
  varintOf,
  zstdFrame,
  type Field,
} from './support/rewriteReport';

const recorded = new Uint8Array(
  readFileSync(join(__dirname, '..', '..', 'samples', 'profiles', 'unpadded-tile.ncu-rep')),
);
const measure = async (report: Uint8Array) => measureReport(await openReport(bytesSource(report)));
const text = (body: Uint8Array): string => Buffer.from(body).toString('utf8');

/** Today's names in the string table, as ncu 2020 wrote them. */
const names2020: Readonly<Record<string, string>> = {
  memory_l1_tag_requests_global: 'memory_l1_sectors_global',
  memory_l1_wavefronts_shared: 'memory_l1_sectors_shared',
  memory_l1_wavefronts_shared_ideal: 'memory_l1_sectors_shared_ideal',
  memory_l2_theoretical_sectors_global: 'memory_l2_sectors_global',
  memory_l2_theoretical_sectors_global_ideal: 'memory_l2_sectors_global_ideal',
  memory_l2_theoretical_sectors_local: 'memory_l2_sectors_local',
};

/** The report as ncu 2020 would have laid it down: no addresses of functions, other names, no count of all samples. */
function asOf2020(report: Uint8Array): Uint8Array {
  const names: string[] = [];
  return rewriteReport(report, {
    header: (fields) =>
      fields.map((field) => {
        if (field.field !== 4) return field;
        return bytes(
          4,
          messageOf(
            fieldsOf(field.body).map((entry) => {
              names.push(text(entry.body));
              return bytes(1, Buffer.from(names2020[text(entry.body)] ?? text(entry.body)));
            }),
          ),
        );
      }),
    source: (fields) => fields.filter(({ field }) => field !== 9),
    result: (fields) =>
      fields.filter((field) => field.field !== 13 || names[varintOf(fieldsOf(field.body)[0]!)] !== counters.samples),
  });
}

describe('reports of other versions of Nsight Compute', () => {
  it('are compared with a remark where the clocks were set differently, without unlike samples', async () => {
    const of = (version: string, profilerCommandLine?: string) => ({
      sessions: [
        { versions: { 'Nsight Compute Target': version }, profilerCommandLine },
      ] as unknown as Report['sessions'],
    });
    const [old, today] = [of('2025.3.1.0 (build 1)', 'ncu -o a ./a'), of('2026.1.0.0 (build 2)', 'ncu -o a ./a')];
    for (const [before, after, expected] of [
      [old, today, /^The clocks differ \(base before, boost after\)/],
      [today, of('2026.3.1', 'ncu --clock-control none ./a'), /boost before, none after/],
      [old, of('2026.3.1', 'ncu --clock-control=base ./a'), /^$/],
      [old, of('2026.3.1'), /^$/],
    ] as const)
      assert.match(comparisonRemarks(before, after).join(), expected);
    const newer = Buffer.from(recorded)
      .toString('latin1')
      .replace(/smsp(__pcsamp_warps_issue_stalled_\w+)/g, (name, end) =>
        /_not_issued$/.test(name) ? name : `xxxx${end}`,
      );
    const opened = async (report: Uint8Array) => {
      const read = await openReport(bytesSource(report));
      return { ...read, kernels: (await gatherKernels(read, () => true))! };
    };
    const [all, notIssued] = [await opened(recorded), await opened(Buffer.from(newer, 'latin1'))];
    assert.match(comparisonRemarks(all, notIssued)[0]!, /^The samples differ \(all before, not issued after\)/);
    const waits = ({ kernels: [kernel] }: typeof all) =>
      kernel!.lines.flatMap(({ values }) => reasonsOf(values)).reduce((sum, { samples }) => sum + samples, 0);
    assert.ok(waits(notIssued) > 0 && waits(notIssued) < waits(all));
    for (const other of [all, notIssued]) {
      const [change] = changesBetween(other.kernels, notIssued.kernels, (file, line) => ({ file, line })).kernels;
      const shares = change!.lines.filter(({ shareAfter }) => shareAfter !== undefined).length;
      assert.equal(shares, other === all ? 0 : notIssued.kernels[0]!.lines.length);
    }
  });

  it('are rewritten for these tests without a change where nothing is to be changed', () => {
    assert.deepEqual(rewriteReport(recorded, { fileVersion: 7 }).length, recorded.length);
  });

  it('2020: lines, samples, sectors and wavefronts as today', async () => {
    const [today, then] = [await measure(recorded), await measure(asOf2020(recorded))];
    assert.ok(then.lines.length > 5);
    const figures = [
      counters.samples,
      counters.sectors,
      counters.idealSectors,
      counters.wavefronts,
      counters.idealWavefronts,
      counters.instructions,
    ];
    for (const [index, line] of then.lines.entries()) {
      const same = today.lines[index]!;
      assert.deepEqual([line.file, line.line], [same.file, same.line]);
      for (const name of figures) assert.equal(line.values[name], same.values[name], `${name} of line ${line.line}`);
    }
    for (const name of figures) assert.equal(then.kernels[0]!.values[name], today.kernels[0]!.values[name]);
    const report = await openReport(bytesSource(asOf2020(recorded)));
    const sass = (await readKernelSass(report, () => true, undefined))!;
    const samples = sass.functions[0]!.instructions.reduce(
      (sum, { values }) => sum + (values[counters.samples] ?? 0),
      0,
    );
    assert.equal(samples, today.kernels[0]!.values[counters.samples]);
    assert.deepEqual(report.remarks, []);
  });

  it('one of stall samples alone, and one of a whole graph, say what is missing', async () => {
    const renamed = Buffer.from(recorded);
    const name = Buffer.from('\n\rinst_executed', 'latin1');
    for (let at = renamed.indexOf(name); at >= 0; at = renamed.indexOf(name, at + 1)) renamed.write('x', at + 2);
    const [single, graph, plain] = await Promise.all(
      [renamed, readReportFixture('corners-graph'), readReportFixture('basic-noline')].map(async (report) =>
        (await openReport(bytesSource(report))).remarks.join(),
      ),
    );
    assert.match(single!, /^Single pass: .*no times, instruction counts, sectors or wavefronts/);
    assert.match(graph!, /^CUDA graphs were profiled whole; ncu --graph-profiling node/);
    assert.equal(plain, '');
  });

  it('a newer one: unknown fields are passed over, unknown kinds of results are said, the rest is shown', async () => {
    const strange: Field = bytes(77, Uint8Array.from([1, 2, 3, 255, 254]));
    const newer = rewriteReport(recorded, {
      fileVersion: 9,
      source: (fields) => [...fields, strange, number(78, 5)],
      result: (fields) => [...fields, strange, number(79, 123456)],
      behind: [messageOf([number(1, 3), strange]), Uint8Array.from([250, 251])],
    });
    const report = await openReport(bytesSource(newer));
    assert.deepEqual(report.remarks, [
      'This report has file version 9, written by Nsight Compute 2025.3.1.0; parts newer than version 7 are not shown.',
      'Not shown, because this version of Warplens does not support them: 2 results (written by Nsight Compute 2025.3.1.0).',
    ]);
    assert.deepEqual((await measureReport(report)).lines, (await measure(recorded)).lines);
  });

  it('a newer one that cannot be read at all says so, an older one that is damaged says that', async () => {
    const cut = (report: Uint8Array) => report.subarray(0, report.length - 1000);
    await assert.rejects(
      openReport(bytesSource(cut(rewriteReport(recorded, { fileVersion: 8 })))),
      /^ReportError: This report has file version 8; this version of Warplens reads up to 7\. Update Warplens/,
    );
    await assert.rejects(openReport(bytesSource(cut(recorded))), /^ReportError: The report is truncated/);
    // Pieces that nothing announces are damage, not news.
    const silent = rewriteReport(recorded, { behind: [Uint8Array.from([8, 1])], header: (fields) => fields });
    const announced = await openReport(bytesSource(silent));
    assert.equal(announced.remarks.length, 1);
  });

  it('a kernel with a separate kind of code and lines, as of CUDA Tile, has its totals', async () => {
    const tile = rewriteReport(recorded, {
      // No machine code that lines could be recognised by, and a launch of tiles in place of threads.
      source: (fields) => fields.filter(({ field }) => field !== 4 && field !== 9),
      result: (fields) =>
        fields.map((field) =>
          field.field === 11 ? bytes(11, messageOf([number(1, 1), number(2, 1), number(3, 1)])) : field,
        ),
    });
    const report = await openReport(bytesSource(tile));
    const [kernel] = (await gatherKernels(report, () => true))!;
    assert.equal(kernel!.lines.length, 0);
    assert.equal(kernel!.longest.withoutLines, 'no source record');
    assert.equal(kernel!.durationNs, 84_992);
    assert.equal(kernel!.totals[counters.samples], 10_563);
    assert.ok(kernel!.figures!.speedOfLight.length > 1 && kernel!.advice.length > 0);
    assert.equal(await readKernelSass(report, () => true, undefined), undefined);
  });

  it('a compressed one reads as the plain one, and says where it is cut off', async () => {
    const packed = zstdFrame(recorded);
    assert.deepEqual(await measure(packed), await measure(recorded));
    await assert.rejects(
      measure(packed.subarray(0, packed.length / 2)),
      /^ReportError: The compressed report is truncated or damaged\./,
    );
    await assert.rejects(measure(zstdFrame(Buffer.from('no report at all'))), /does not begin with "NVR"/);
  });
});
