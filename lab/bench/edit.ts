// Measures how long an editor waits for its diagnostics:
// node lab/bench/bundled.mjs lab/bench/edit.ts [--lines 2000] [--edits 200] [--kernel FILE… | --file FILE]
// [--clangd COMMAND] [--json]
//
// Types into a file of many kernels, one character at a time, against the whole server over streams in memory. The time
// runs from the change to the diagnostics of its version; the debounce is set to nothing. Prints the median, the 95th
// percentile, the worst, and the memory.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { measureClangd } from './clangdEdits';
import { manyKernels, measureEdits } from '../../test/server/measuredEdits';

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      lines: { type: 'string', default: '2000' },
      edits: { type: 'string', default: '200' },
      kernel: { type: 'string', multiple: true },
      file: { type: 'string' },
      clangd: { type: 'string' },
      json: { type: 'boolean', default: false },
    },
  });
  const text = values.file ? readFileSync(values.file, 'utf8') : manyKernels(Number(values.lines), values.kernel);
  const measured = await measureEdits(text, Number(values.edits));
  if (values.json) {
    console.log(JSON.stringify(measured));
    return;
  }
  const { milliseconds } = measured;
  console.log(
    `${measured.lines} lines, ${measured.findings} findings, opened in ${measured.openMilliseconds.toFixed(0)} ms`,
  );
  console.log(
    `${milliseconds.length} edits: median ${quantile(milliseconds, 0.5).toFixed(1)} ms, 95th percentile ` +
      `${quantile(milliseconds, 0.95).toFixed(1)} ms, worst ${Math.max(...milliseconds).toFixed(1)} ms; ` +
      `${measured.cpuMilliseconds.toFixed(1)} ms of processor time each`,
  );
  const clangd = values.clangd ?? ['clangd-19', 'clangd'].find((name) => spawnSync(name, ['--version']).status === 0);
  if (clangd === undefined) console.log('clangd is not installed: left out.');
  else {
    const peer = await measureClangd(clangd, text, Math.min(60, Number(values.edits)), 24);
    console.log(
      `${clangd} on the same edits: median ${quantile(peer, 0.5).toFixed(1)} ms, 95th percentile ${quantile(peer, 0.95).toFixed(1)} ms; warplens over it ${(quantile(milliseconds, 0.5) / quantile(peer, 0.5)).toFixed(2)}`,
    );
  }
  console.log(
    `memory ${measured.megabytesBefore.toFixed(1)} MB before, ${measured.megabytesAfter.toFixed(1)} MB after${global.gc ? '' : ' (not collected; run node with --expose-gc for figures that compare)'}`,
  );
}

if (require.main === module) void main();
