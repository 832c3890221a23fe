// Gives the folders of a snapshot to worker processes, and ends a worker whose file takes too long.
import { type ChildProcess, fork } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import aliases from '../../tools/aliases.json';
import type { Row } from './row';
import type { Answer, Job } from './worker';

/** The rows of all jobs, in no order. The worker is bundled: translated file by file it takes half as long again. */
export async function rowsOf(jobs: readonly Job[], processes: number, seconds: number): Promise<Row[]> {
  const bundle = join(__dirname, '../../.cache', `snapshot-worker-${process.pid}.cjs`);
  await build({
    entryPoints: [join(__dirname, 'worker.ts')],
    bundle: true,
    platform: 'node',
    format: 'cjs',
    outfile: bundle,
    logLevel: 'error',
    external: ['sql.js'],
    alias: aliases,
    define: { 'import.meta.url': 'fileOfBundle' },
    banner: { js: "const fileOfBundle = require('node:url').pathToFileURL(__filename).href;" },
  });
  const open = [...jobs];
  const rows: Row[] = [];
  try {
    await Promise.all(Array.from({ length: processes }, () => work(bundle, open, rows, seconds)));
  } finally {
    rmSync(bundle, { force: true });
  }
  return rows;
}

/** Takes jobs until none is left. After a file that takes too long, or ends the process, the rest is another job. */
async function work(bundle: string, open: Job[], rows: Row[], seconds: number): Promise<void> {
  while (open.length > 0) {
    const worker = fork(bundle, { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const left = await serve(worker, open, rows, seconds);
    if (left && left.paths.length > 0) open.unshift(left);
  }
}

/** What is left of the job at which the process ended. */
function serve(worker: ChildProcess, open: Job[], rows: Row[], seconds: number): Promise<Job | undefined> {
  return new Promise((resolve, reject) => {
    let isReady = false;
    let job: Job | undefined;
    let current: string | undefined;
    let timer: NodeJS.Timeout | undefined;
    let problem = 'the process ended';
    worker.on('message', (answer: Answer) => {
      clearTimeout(timer);
      if (answer === 'done') {
        isReady = true;
        current = undefined;
        job = open.shift();
        if (job) worker.send(job);
        else worker.disconnect();
      } else if ('row' in answer) rows.push(answer.row);
      else {
        current = answer.begins;
        timer = setTimeout(() => {
          problem = `longer than ${seconds} s`;
          worker.kill('SIGKILL');
        }, seconds * 1000);
      }
    });
    worker.on('exit', () => {
      clearTimeout(timer);
      if (!isReady) return reject(new Error('A worker ended before its first file.'));
      if (!job || current === undefined) return resolve(job);
      rows.push({ tree: job.tree, path: current.slice(job.root.length + 1), problem });
      resolve({ ...job, paths: job.paths.slice(job.paths.indexOf(current) + 1) });
    });
  });
}
