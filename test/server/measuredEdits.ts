// Types into a file of many kernels against the whole server over streams in memory, and measures what an edit takes.
// As a program it prints its measurement as JSON: node --expose-gc --import tsx test/server/measuredEdits.ts
// (--lines 2000 | --file FILE) [--edits 200].
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { pushedEditor, startEditor, uriOf } from './support';

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

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      lines: { type: 'string', default: '2000' },
      edits: { type: 'string', default: '200' },
      file: { type: 'string' },
    },
  });
  const text = values.file ? readFileSync(values.file, 'utf8') : manyKernels(Number(values.lines));
  console.log(JSON.stringify(await measureEdits(text, Number(values.edits))));
}

if (require.main === module) void main();
