// Measures how long an editor waits for its diagnostics:
// node tools/bench/bundled.mjs tools/bench/edit.ts [--lines 2000] [--edits 200] [--kernel FILE… | --file FILE]
// [--clangd COMMAND] [--json]
//
// Types into a file of many kernels, one character at a time, against the whole server over streams in memory. The time
// runs from the change to the diagnostics of its version; the debounce is set to nothing. Prints the median, the 95th
// percentile, the worst, and the memory.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { measureClangd } from './clangdEdits';
import { pushedEditor, startEditor, uriOf } from '../../test/server/support';

const samples = join(__dirname, '..', '..', 'samples');

/** A file of at least so many lines, made of the samples over and over with every name of a kernel made new. */
export function manyKernels(lines: number, files: readonly string[] = sampleFiles()): string {
  const texts = files.map((file) => readFileSync(file, 'utf8').replace(/^\s*#\s*(include\s*"|pragma\s+once).*$/gm, ''));
  let text = '';
  let count = 1;
  for (let copy = 0; count < lines; copy++) {
    for (const sample of texts) {
      if (count >= lines) break;
      const names = [
        ...new Set(
          [
            ...sample.matchAll(
              /^[^\n/]*?\b(?:void|int|float|double|bool|dim3|struct|constexpr int|const int|static \w+)\s+\*?([A-Za-z_]\w*)\s*(?=[({=])/gm,
            ),
          ].map((match) => match[1]!),
        ),
      ];
      const renamed = names.reduce(
        (current, name) => current.replace(new RegExp(`\\b${name}\\b`, 'g'), `${name}_${copy}`),
        sample,
      );
      text += `${renamed}\n`;
      count += renamed.split('\n').length;
    }
  }
  return text;
}

function sampleFiles(): string[] {
  return readdirSync(samples, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.cu') && !name.endsWith('.fixed.cu'))
    .sort()
    .map((name) => join(samples, name));
}

export interface Measured {
  /** Processor time of server and editor together, per edit. */ readonly cpuMilliseconds: number;
  readonly lines: number;
  readonly findings: number;
  readonly openMilliseconds: number;
  readonly milliseconds: readonly number[];
  readonly megabytesBefore: number;
  readonly megabytesAfter: number;
}

/** Types and deletes in the middle of kernels spread over the file. */
export async function measureEdits(text: string, edits: number): Promise<Measured> {
  const editor = await startEditor({ capabilities: pushedEditor, settings: { debounce: 0 } });
  const uri = uriOf('many.cu');
  try {
    const opened = performance.now();
    editor.open(uri, text);
    const first = await editor.published(uri, 1);
    const openMilliseconds = performance.now() - opened;
    // Places where somebody types: the ends of statements inside the file.
    const places = [...text.matchAll(/;[ \t]*\n/g)].map((match) => match.index);
    const milliseconds: number[] = [];
    let megabytesBefore = 0;
    let cpuBefore = process.cpuUsage();
    const typed = ' int q = 1; ';
    // A statement is typed and then deleted again, so that the file stays as long as it was.
    const turn = 2 * typed.length;
    const warming = Math.ceil(Math.min(200, edits / 5) / turn) * turn;
    for (let edit = 0; edit < warming + edits; edit++) {
      if (edit === warming) {
        megabytesBefore = await megabytesAtRest();
        cpuBefore = process.cpuUsage();
      }
      const place = places[(Math.floor(edit / turn) * 7919) % places.length]! + 1;
      const step = edit % turn;
      const started = performance.now();
      if (step < typed.length) editor.replace(uri, place + step, place + step, typed[step]!);
      else editor.replace(uri, place + turn - 1 - step, place + turn - step, '');
      await editor.published(uri);
      if (edit >= warming) milliseconds.push(performance.now() - started);
      editor.forgetPublications();
    }
    const { user, system } = process.cpuUsage(cpuBefore);
    const megabytesAfter = await megabytesAtRest();
    return {
      cpuMilliseconds: (user + system) / 1000 / edits,
      lines: text.split('\n').length,
      findings: first.length,
      openMilliseconds,
      milliseconds,
      megabytesBefore,
      megabytesAfter,
    };
  } finally {
    editor.stop();
  }
}

/** Of the heap and of memory outside of it that is still held, once what goes on behind the answers has ended. */
async function megabytesAtRest(): Promise<number> {
  await new Promise((resolve) => setTimeout(resolve, 300));
  // The memory of typed arrays is given back only by the second.
  global.gc?.();
  global.gc?.();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 1024 / 1024;
}

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
