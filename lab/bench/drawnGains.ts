// Holds the gain that the model predicts for drawn pairs of programs against the gain that was measured.
//
// npx tsx lab/bench/drawnGains.ts
//
// lab/gpu/drawnPairs.ts draws the programs by seed; lab/severity/data/h100-drawn-pairs.json has their times. The model
// was changed by the pairs of seed 1; those of seed 2 were predicted before they were measured, and read since.
import { memoryWorkspace } from '../../test/support/analyseText';
import { predictedGain } from '../../server/src/cost/kernelTime';
import { gpuByName } from '../../server/src/semantic/gpus';
import { drawPairs, timing } from '../gpu/drawnPairs';
import measured from '../severity/data/h100-drawn-pairs.json';

async function main(): Promise<void> {
  const workspace = await memoryWorkspace(new Map([['/drawn/timing.cuh', timing]]));
  const gpu = gpuByName('H100')!;
  let version = 0;
  const modelOf = (name: string, text: string) =>
    workspace.analyse(`file:///drawn/${name}.cu`, { text, version: ++version })!.model;
  console.log(
    '| seed | pair | before, predicted (µs) | measured | after, predicted | measured | gain, predicted | measured |',
  );
  console.log('|--:|---|--:|--:|--:|--:|--:|--:|');
  const summaries: string[] = [];
  for (const [seed, times] of Object.entries<Record<string, readonly number[]>>(measured.seeds)) {
    const factors: number[] = [];
    for (const { name, before, after } of drawPairs(Number(seed), Object.keys(times).length)) {
      const [first, second] = times[name] as [number, number];
      const predicted = predictedGain(modelOf(name, before), modelOf(name, after), gpu);
      if (!predicted) throw new Error(`${name}: no prediction`);
      const gain = first / second;
      factors.push(Math.max(predicted.gain / gain, gain / predicted.gain));
      const shown = [predicted.before.microseconds, 1000 * first, predicted.after.microseconds, 1000 * second];
      const cells = [...shown.map((value) => value.toFixed(1)), `${predicted.gain.toFixed(2)}×`, `${gain.toFixed(2)}×`];
      console.log(`| ${seed} | ${name} | ${cells.join(' | ')} |`);
    }
    factors.sort((a, b) => a - b);
    const median = factors[Math.floor(factors.length / 2)]!;
    const near = factors.filter((factor) => factor <= 1.5).length;
    summaries.push(
      `seed ${seed}: ${factors.length} pairs, off by ${(100 * (median - 1)).toFixed(0)} % in the median, ` +
        `${near} of them within a factor of 1.5`,
    );
  }
  console.log(`\n${summaries.join('\n')}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
});
