// Holds verdicts by time alone against those by counters.
//
// npx tsx lab/bench/byTime.ts
//
// The recorded reports of the samples have both: the counters of a line, and how long its kernel took. And of the pairs
// of docs/measurements/h200-fixes.json the times before and behind a fix were measured, without counters: there the
// verdict is compared with the measured gain.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { stateByTime } from '../../profiler/src/evidence/byTime';
import { joinEvidence } from '../../profiler/src/evidence/joinEvidence';
import { carryLines } from '../../profiler/src/lines/carryOver';
import { gpuByName } from '../../server/src/semantic/gpus';
import { lint } from '../../server/src/lint/lint';
import { predictedTimes } from '../../server/src/cost/predictedTime';
import { findingsOf, readReport } from '../../test/profiler/evidenceOf';
import { memoryWorkspace } from '../../test/support/analyseText';

const root = join(__dirname, '../..');
const spoken = /^cuda\/(uncoalesced-access|bank-conflict)$/;

async function main(): Promise<void> {
  const files = new Map<string, string>();
  const read = (folder: string): void => {
    for (const entry of readdirSync(folder, { withFileTypes: true }))
      if (entry.isDirectory() && entry.name !== 'build') read(join(folder, entry.name));
      else if (/\.cuh?$/.test(entry.name))
        files.set(join(folder, entry.name), readFileSync(join(folder, entry.name), 'utf8'));
  };
  for (const folder of ['samples', 'lab/gpu/fixes', 'lab/gpu/heldBack']) read(join(root, folder));
  const workspace = await memoryWorkspace(files);
  let version = 0;
  const gpu = gpuByName('H200')!;
  const tallies = new Map<string, number>();
  const count = (key: string): void => {
    tallies.set(key, (tallies.get(key) ?? 0) + 1);
  };
  console.log('| program | finding | kernel | measured (µs) | predicted with it | without | by time | by counters |');
  console.log('|---|---|---|--:|--:|--:|---|---|');
  const table = JSON.parse(readFileSync(join(root, 'test/samples/evidence.json'), 'utf8')) as Readonly<
    Record<string, { readonly sample: string }>
  >;
  for (const [name, { sample }] of Object.entries(table)) {
    const path = join(root, 'samples', sample);
    const text = files.get(path);
    // Samples in C and Fortran have no kernels whose time is predicted.
    if (text === undefined) continue;
    const { kernels, files: profiled } = await readReport(
      new Uint8Array(readFileSync(join(root, 'samples/profiles', `${name}.ncu-rep`))),
    );
    const [file, before] = [...profiled].find(([compiled]) => compiled.endsWith(`/${sample}`))!;
    const { lineNow } = carryLines(text, before);
    const found = await findingsOf(path, files);
    const joined = joinEvidence(found, { report: name, kernels, sources: [{ file, lineOf: lineNow }] });
    const { model } = workspace.analyse(pathToFileURL(path).href, { text, version: ++version })!;
    const findings = lint(model, text, { gpu }).findings;
    for (const [at, one] of found.entries()) {
      if (!spoken.test(one.rule) || !joined[at]) continue;
      const own = findings.find(
        ({ rule, at: span }) =>
          rule === one.rule && text.slice(0, span.start).split('\n').length - 1 === one.range.start.line,
      );
      const times = own && predictedTimes(model, gpu, findings)[findings.indexOf(own)];
      const kernel = times && kernels.find(({ shortName }) => shortName.replace(/<.*/s, '') === times.kernel);
      const launches = kernel?.blocks.length ? 1 : 0;
      const measured = kernel && launches ? kernel.durationNs / 1000 : undefined;
      if (!times || measured === undefined) {
        count(`reports: no prediction, ${joined[at].state}`);
        continue;
      }
      const state = stateByTime(times, measured);
      count(`reports: ${state} by time, ${joined[at].state} by counters`);
      const numbers = [measured, times.microseconds, times.without].map((value) => value.toFixed(1)).join(' | ');
      console.log(`| ${name} | ${one.rule} | ${times.kernel} | ${numbers} | ${state} | ${joined[at].state} |`);
    }
  }
  const { pairs } = JSON.parse(readFileSync(join(root, 'docs/measurements/h200-fixes.json'), 'utf8')) as {
    readonly pairs: readonly {
      readonly rule?: string;
      sample: string;
      change: string;
      before: number;
      after: number;
    }[];
  };
  for (const { rule, sample, change, before, after } of pairs) {
    if (!rule || !spoken.test(rule) || /by hand:/.test(change)) continue;
    const path = [join(root, 'samples', `${sample}.cu`), join(root, `${sample}.cu`)].find(existsSync);
    if (!path) continue;
    const text = files.get(path)!;
    const { model } = workspace.analyse(pathToFileURL(path).href, { text, version: ++version })!;
    const findings = lint(model, text, { gpu }).findings.filter((one) => one.rule === rule);
    const times = predictedTimes(model, gpu, findings).find((each) => each !== undefined);
    const gained = before / after >= 1.1;
    const state = times ? stateByTime(times, before * 1000) : undefined;
    count(`pairs: ${state ? `${state} by time` : 'no prediction'}, the fix ${gained ? 'gained' : 'gained nothing'}`);
    if (!times) continue;
    const numbers = [before * 1000, times.microseconds, times.without].map((value) => value.toFixed(1)).join(' | ');
    console.log(
      `| ${sample} | ${rule} | ${times.kernel} | ${numbers} | ${state} | – (${(before / after).toFixed(2)}×) |`,
    );
  }
  console.log('');
  for (const [key, times] of [...tallies].sort()) console.log(`- ${key}: ${times}`);
}

void main();
