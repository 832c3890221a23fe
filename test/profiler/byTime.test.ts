// Verdicts where no one may read the counters: a kernel's time against what is predicted with and without a finding.
import { deepStrictEqual, equal, match } from 'node:assert/strict';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FoundFinding } from '../../protocol/src/requests';
import { stateByTime } from '../../profiler/src/evidence/byTime';
import type { Timeline } from '../../profiler/src/timeline/timeline';
import { joinTimeline } from '../../profiler/src/timeline/timelineEvidence';
import { lint } from '../../server/src/lint/lint';
import { predictedTimes } from '../../server/src/cost/predictedTime';
import { found } from '../../server/src/lsp/findings';
import { gpuByName } from '../../server/src/semantic/gpus';
import { lineTable } from '../../server/src/syntax/lines';
import { memoryWorkspace } from '../support/analyseText';
import { readSampleFiles, samplesFolder } from '../support/sampleFiles';

async function findingsOf(sample: string, gpu: string): Promise<FoundFinding[]> {
  const files = readSampleFiles();
  const path = join(samplesFolder, sample);
  const text = files.get(path)!;
  const workspace = await memoryWorkspace(files);
  const { model } = workspace.analyse(pathToFileURL(path).href, { text, version: 1 })!;
  const named = gpuByName(gpu)!;
  const { findings } = lint(model, text, { gpu: named });
  const predicted = predictedTimes(model, named, findings);
  const reading = { model, lines: lineTable(text), rangeOf: () => undefined };
  return findings.map((finding, at) => ({
    ...found(finding, reading),
    ...(predicted[at]
      ? { predicted: { ...predicted[at], computeCapability: named.computeCapability.toFixed(1) } }
      : {}),
  }));
}

const timelineOf = (name: string, microseconds: number, computeCapability = '9.0'): Timeline => ({
  device: { name: 'NVIDIA H200', computeCapability },
  spanNs: 1e9,
  rows: [],
  busyNs: 1e9,
  kernels: [
    {
      name: `${name}(int)`,
      shortName: name,
      launches: 10,
      totalNs: 10 * microseconds * 1000,
      shortestNs: 0,
      longestNs: 0,
      grid: [1, 1, 1],
      block: [256, 1, 1],
    },
  ],
  copies: [],
  calls: [],
  idleElsewhereNs: 0,
  hasCallChains: false,
});

describe('verdicts by time alone', () => {
  it('tell a kernel that takes as long as it should with its findings from one that does not', async () => {
    const findings = await findingsOf('vector-addition/chunk-per-thread.cu', 'H200');
    const said = (microseconds: number): readonly string[] =>
      joinTimeline(findings, [], timelineOf('addVectors', microseconds), 'a.sqlite').flatMap((one) => one?.text ?? []);
    // As it was recorded, and as its fixed form was.
    const [slow] = said(1943);
    match(
      slow!,
      /^Confirmed by kernel time: addVectors takes 1\.9 ms per launch; 1\.8 ms are predicted .* 215\.7 µs without \(times measured, figures from the model: a\.sqlite has no counters\)\.$/,
    );
    match(said(224)[0]!, /^Not a problem here by kernel time/);
    match(said(20_000)[0]!, /^Not measured: the kernel time is inconclusive/);
    equal(said(1943).length, findings.length);
  });

  it('are given where the prediction is made for: the GPU, and a kernel that the timeline has', async () => {
    const findings = await findingsOf('vector-addition/chunk-per-thread.cu', 'H200');
    const states = (timeline: Timeline): unknown[] =>
      joinTimeline(findings, [], timeline, 'a.sqlite').map((one) => one?.state);
    deepStrictEqual(new Set(states(timelineOf('addVectors', 1943, '8.0'))), new Set([undefined]));
    deepStrictEqual(new Set(states(timelineOf('other', 1943))), new Set(['unmeasured']));
    const elsewhere = await findingsOf('vector-addition/chunk-per-thread.cu', 'A100');
    const { kernel, microseconds } = elsewhere.find(({ predicted }) => predicted)!.predicted!;
    const on = (capability: string): unknown =>
      joinTimeline(elsewhere, [], timelineOf(kernel, microseconds, capability), 'a.sqlite').find(
        (one) => one?.state !== undefined,
      )?.state;
    deepStrictEqual([on('8.0'), on('9.0')], ['confirmed', undefined]);
  });

  it('say nothing where both predictions are about the same, or the time is far from either', () => {
    const times = { kernel: 'k', microseconds: 200, without: 50 };
    equal(stateByTime(times, 190), 'confirmed');
    equal(stateByTime(times, 90), 'weak');
    equal(stateByTime(times, 55), 'refuted');
    equal(stateByTime(times, 10), 'unmeasured');
    equal(stateByTime(times, 600), 'unmeasured');
    equal(stateByTime({ ...times, without: 140 }, 190), 'unmeasured');
    equal(stateByTime(times, 0), 'unmeasured');
  });
});
