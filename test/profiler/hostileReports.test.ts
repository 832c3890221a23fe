// Damaged reports give a result or one clear error: never another error, a hang, or memory without bound.
import assert from 'node:assert/strict';
import { bytesSource, measureReport, openReport, readRuleFindings, ReportError } from '../../profiler/src/report';
import { recordedSources } from '../../profiler/src/lines/sourceMapping';
import { mutate, randomNumbers } from './support/mutateReport';
import { readReportFixture } from './support/reportFixtures';
import { drawn, inTime } from '../support/depth';

/** Many more by WARPLENS_MUTATIONS=10000, others by WARPLENS_SEED=2. */
const count = Number(process.env['WARPLENS_MUTATIONS'] ?? drawn(80, 300));
const seed = Number(process.env['WARPLENS_SEED'] ?? 1);
const longestMs = 5000;
const mostMegabytes = 300;

/** Reads all that there is to read. True where it came to an end, false where it was refused. */
async function readAll(bytes: Uint8Array): Promise<boolean> {
  try {
    const report = await openReport(bytesSource(bytes));
    await measureReport(report, { callers: true });
    for (const launch of report.launches.slice(0, 3)) {
      await readRuleFindings(report, launch);
      await report.metrics(launch);
    }
    await recordedSources(report);
    return true;
  } catch (error) {
    if (error instanceof ReportError && error.message.length > 20) return false;
    throw error;
  }
}

describe('damaged reports', function () {
  this.timeout(count * 200 + 10_000);

  for (const name of ['basic-noline', 'many-one', 'corners-rdc', 'corners-graph']) {
    it(`${name}: a result or a ReportError for each of ${count >> 2} mutations`, async () => {
      const original = readReportFixture(name);
      assert.equal(await readAll(original), true);
      const random = randomNumbers(name.length * 7919 + seed);
      const before = process.memoryUsage().rss;
      let refused = 0;
      for (let index = 0; index < count >> 2; index++) {
        const { what, bytes } = mutate(original, random);
        const start = performance.now();
        try {
          if (!(await readAll(bytes))) refused++;
        } catch (error) {
          throw new Error(`mutation ${index} (${what}): ${(error as Error).stack}`);
        }
        const took = performance.now() - start;
        inTime(took, longestMs, `mutation ${index} (${what})`);
        const grown = (process.memoryUsage().rss - before) / 1e6;
        assert.ok(
          grown < mostMegabytes,
          `after mutation ${index} (${what}) memory has grown by ${grown.toFixed(0)} MB`,
        );
      }
      assert.ok(refused > 0, 'some mutations are refused');
    });
  }

  it('says that a report was cut off, wherever it was', async () => {
    const original = readReportFixture('basic-noline');
    for (let length = 8; length < original.length; length += 997) {
      await assert.rejects(
        openReport(bytesSource(original.subarray(0, length))),
        (error) => error instanceof ReportError && /truncated|damaged/.test(error.message),
        `cut at ${length}`,
      );
    }
  });

  it('says what is not a report', async () => {
    await assert.rejects(
      openReport(bytesSource(new TextEncoder().encode('#include <cstdio>\n'))),
      /not a Nsight Compute report/,
    );
    await assert.rejects(openReport(bytesSource(new Uint8Array(0))), /not a Nsight Compute report/);
  });

  it('refuses lengths beyond the file without taking the memory for them', async () => {
    const bytes = readReportFixture('basic-noline').slice();
    new DataView(bytes.buffer).setUint32(4, 0xfffffff0, true);
    await assert.rejects(openReport(bytesSource(bytes)), /truncated/);
  });
});
