// Measures `warplens report` as a process on the 30 MB sample, and on a report larger than memory should hold.
//
//   npx tsx lab/bench/report.ts [--runs 10] [--large MEGABYTES] [--ncu PATH] [REPORT.ncu-rep]
//
// Uses dist/cli.js where it is built, else bundles the command alone. With --ncu it also times NVIDIA's own page side
// by side.
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { buildSync } from 'esbuild';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { runs: { type: 'string', default: '10' }, large: { type: 'string' }, ncu: { type: 'string' } },
});
const root = join(__dirname, '..', '..');
const folder = mkdtempSync(join(tmpdir(), 'warplens-bench-'));
/** The project's bars for the sample: seconds of the whole process, and megabytes resident at most. */
const bars = { seconds: 0.3, megabytes: 120 };

try {
  const cli = commandLine();
  const preload = join(folder, 'memory.cjs');
  // On Linux the peak since exec: resourceUsage counts what the parent held when it forked.
  writeFileSync(
    preload,
    `process.on('exit', () => {
      const fs = require('fs');
      let peak = process.resourceUsage().maxRSS;
      try { peak = Number(/VmHWM:\\s+(\\d+)/.exec(fs.readFileSync('/proc/self/status', 'utf8'))[1]); } catch {}
      fs.writeSync(2, 'peak ' + peak + '\\n');
    });`,
  );
  let report = positionals[0];
  if (!report) {
    report = join(folder, 'patterns-full.ncu-rep');
    writeFileSync(
      report,
      brotliDecompressSync(readFileSync(join(root, 'test', 'profiler', 'reports', 'patterns-full.ncu-rep.br'))),
    );
  }
  const runs = Number(values.runs);
  console.log(
    `${report}: ${(statSync(report).size / 1e6).toFixed(1)} MB, ${cli.what}, Node ${process.version}, ${runs} runs`,
  );
  const empty = measure(runs, [process.execPath, '-r', preload, '-e', '0']);
  console.log(`node alone           ${format(empty)}`);
  const json = measure(runs, [process.execPath, '-r', preload, cli.path, 'report', report, '--format', 'json']);
  console.log(
    `report --format json ${format(json)}  bars ${bars.seconds} s, ${bars.megabytes} MB: ` +
      `${json.median <= bars.seconds && json.megabytes <= bars.megabytes ? 'kept' : 'MISSED'}`,
  );
  console.log(
    `report (text)        ${format(measure(runs, [process.execPath, '-r', preload, cli.path, 'report', report]))}`,
  );
  if (values.ncu) {
    const ncu = measure(3, [
      values.ncu,
      '--import',
      report,
      '--page',
      'source',
      '--csv',
      '--print-source',
      'cuda,sass',
    ]);
    console.log(
      `ncu --page source    ${ncu.median.toFixed(2)} s: ${(ncu.median / json.median).toFixed(1)} times as long`,
    );
  }
  if (values.large) {
    const large = join(folder, 'large.ncu-rep');
    const launches = writeLarge(report, large, Number(values.large) * 1e6);
    console.log(
      `${(statSync(large).size / 1e6).toFixed(0)} MB, ${launches} launches: ` +
        `${format(measure(1, [process.execPath, '-r', preload, cli.path, 'report', large, '--format', 'json']))}`,
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

function commandLine(): { path: string; what: string } {
  const built = join(root, 'dist', 'cli.js');
  if (existsSync(built)) return { path: built, what: 'dist/cli.js' };
  const path = join(folder, 'cli.cjs');
  const contents =
    "import { Command } from 'commander'; import { registerReport } from './cli/src/report'; const program = " +
    'new Command(); registerReport(program); void program.parseAsync();';
  buildSync({
    stdin: { contents, resolveDir: root, loader: 'ts' },
    bundle: true,
    platform: 'node',
    format: 'cjs',
    minify: true,
    outfile: path,
    logLevel: 'error',
  });
  return { path, what: 'the report command alone' };
}

interface Measurement {
  readonly best: number;
  readonly median: number;
  readonly megabytes: number;
}

function measure(runs: number, command: readonly string[]): Measurement {
  const seconds: number[] = [];
  let megabytes = 0;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    const { status, stderr, error } = spawnSync(command[0]!, command.slice(1), {
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    seconds.push((performance.now() - start) / 1000);
    if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status ?? error?.message}: ${stderr}`);
    megabytes = Math.max(megabytes, Number(/peak (\d+)/.exec(stderr)?.[1] ?? 0) / 1000);
  }
  seconds.sort((a, b) => a - b);
  return { best: seconds[0]!, median: seconds[seconds.length >> 1]!, megabytes };
}

function format({ best, median, megabytes }: Measurement): string {
  return `median ${median.toFixed(3)} s, best ${best.toFixed(3)} s, peak ${megabytes.toFixed(0)} MB`;
}

/**
 * Repeats the last block of a report, which holds a launch, until the copy has `size` bytes. Returns the launches
 * added.
 */
function writeLarge(from: string, to: string, size: number): number {
  const bytes = readFileSync(from);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = 8 + view.getUint32(4, true);
  let last = position;
  while (position < bytes.length) {
    last = position;
    const headerSize = view.getUint32(position, true);
    position += 4 + headerSize + payloadSize(bytes.subarray(position + 4, position + 4 + headerSize));
  }
  const block = bytes.subarray(last);
  const file = openSync(to, 'w');
  let written = writeSync(file, bytes);
  let launches = 0;
  for (; written < size; launches++) written += writeSync(file, block);
  closeSync(file);
  return launches;
}

/** Field 5 of a BlockHeader. */
function payloadSize(header: Uint8Array): number {
  const varint = (at: number): [number, number] => {
    let value = 0;
    for (let scale = 1; ; scale *= 128) {
      const byte = header[at++]!;
      value += (byte & 127) * scale;
      if (byte < 128) return [value, at];
    }
  };
  let size = 0;
  for (let at = 0; at < header.length; ) {
    const [tag, next] = varint(at);
    const [value, behind] = varint(next);
    if (tag === 5 * 8) size = value;
    at = tag % 8 === 2 ? behind + value : behind;
  }
  return size;
}
