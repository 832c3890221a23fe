// Distributes files over worker threads, one per core, and returns the results in the order of the files.
import { once } from 'node:events';
import { dirname } from 'node:path';
import { parentPort, Worker, workerData } from 'node:worker_threads';
import { entryFile } from '../../server/src/start';
import { createChecker, type CheckSettings, type FileResult } from './checking';
import type { Source } from './source';

interface Start {
  readonly warplensCheck: CheckSettings;
}
interface Batch {
  /** Without any, the thread ends. */
  readonly sources: readonly Source[];
}
/** A result comes as soon as there is one: who waits may want to see how far it is. */
type Answer = { readonly at: number; readonly result: FileResult } | { readonly failed: string };

/**
 * What goes to one worker at a time, of one program: it shares what it read of their headers. In files, and UTF-16
 * units.
 */
const mostInBatch = { files: 24, text: 250_000 };
/** Fewer files than this for each worker are not worth starting one: it reads the grammars again. */
const leastForWorker = 6;

/** Number of workers for this many files; 1 means that the process does the work itself. */
export function workersFor(files: number, jobs: number): number {
  return Math.max(1, Math.min(jobs, Math.floor(files / leastForWorker)));
}

/**
 * Results in the order of `sources`; `done` gets each one when it is finished, with `smallFirst` many of them soon.
 * Rejects with one sentence when a worker dies.
 */
export async function checkInWorkers(
  sources: readonly Source[],
  settings: CheckSettings,
  workers: number,
  done: (at: number, result: FileResult) => void,
  smallFirst = false,
): Promise<readonly FileResult[]> {
  const results: FileResult[] = [];
  const batches = smallFirst ? [...batchesOf(sources)].reverse() : batchesOf(sources);
  let next = 0;
  const one = async (): Promise<void> => {
    const worker = startThread({ warplensCheck: settings } satisfies Start, __filename, 'serveCheck');
    try {
      for (let batch = batches[next++]; batch; batch = batches[next++]) {
        const of = batch;
        await ask(worker, { sources: of.map((at) => sources[at]!) }, (index, result) => {
          const at = of[index]!;
          results[at] = result;
          done(at, result);
        });
      }
      // Ended from here, it could leave half of a file that it keeps.
      worker.postMessage({ sources: [] } satisfies Batch);
      await once(worker, 'exit');
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: Math.min(workers, batches.length) }, one));
  return results;
}

/** A thread of this program that gets `start`. Run from sources, it calls `serve` of `file`, which a loader reads. */
export function startThread(start: object, file: string, serve: string): Worker {
  // A small heap: trees and values live for one file only.
  const resourceLimits = { maxYoungGenerationSizeMb: 128 };
  if (!file.endsWith('.ts')) return new Worker(entryFile()!, { workerData: start, resourceLimits });
  const loading = `require('tsx/cjs'); require(${JSON.stringify(file)}).${serve}();`;
  return new Worker(loading, { eval: true, workerData: start, resourceLimits });
}

/**
 * Positions of the files in batches of one program each: of the outermost folder that holds files itself. Large
 * batches, which may take long, come first.
 */
export function batchesOf(
  sources: readonly { readonly path: string; readonly text: string }[],
): readonly (readonly number[])[] {
  const folders = new Set(sources.map(({ path }) => dirname(path)));
  const programOf = (path: string): string => {
    let program = dirname(path);
    for (let above = dirname(program); above !== dirname(above); above = dirname(above))
      if (folders.has(above)) program = above;
    return program;
  };
  const batches: { program: string; files: number[]; length: number }[] = [];
  sources.forEach(({ path, text }, at) => {
    const program = programOf(path);
    const last = batches.at(-1);
    if (
      last?.program === program &&
      last.files.length < mostInBatch.files &&
      last.length + text.length <= mostInBatch.text
    ) {
      last.files.push(at);
      last.length += text.length;
    } else batches.push({ program, files: [at], length: text.length });
  });
  return batches.sort((a, b) => b.length - a.length).map(({ files }) => files);
}

function ask(worker: Worker, batch: Batch, done: (index: number, result: FileResult) => void): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      worker.off('message', heard).off('error', failed).off('exit', ended);
    };
    const heard = (answer: Answer): void => {
      if ('failed' in answer) {
        failed(new Error(answer.failed));
        return;
      }
      done(answer.at, answer.result);
      if (answer.at < batch.sources.length - 1) return;
      over();
      resolve();
    };
    const failed = (error: Error): void => {
      over();
      reject(error);
    };
    const ended = (code: number): void =>
      failed(new Error(`a worker ended with code ${code}; run with --jobs 1 to see where`));
    worker.on('message', heard).once('error', failed).once('exit', ended);
    worker.postMessage(batch);
  });
}

/** Serves batches until one without sources. */
export function serveCheck(): void {
  const port = parentPort!;
  const checker = createChecker((workerData as Start).warplensCheck);
  port.on('message', (batch: Batch) => {
    const work = async (): Promise<void> => {
      const ready = await checker;
      for (const [at, source] of batch.sources.entries())
        port.postMessage({ at, result: await ready.check(source) } satisfies Answer);
      if (batch.sources.length === 0) port.close();
    };
    work().catch((error: unknown) =>
      port.postMessage({ failed: error instanceof Error ? error.message : String(error) } satisfies Answer),
    );
  });
}
