// Runs what the process or thread was started for, once V8 is prepared.
import { writeSync } from 'node:fs';
import { isMainThread, workerData } from 'node:worker_threads';
import { run } from './program';
import { cleanOutput } from './terminalText';

/** A closed pipe (`| head`) ends the output in silence; a report that is lost otherwise is a failure. */
function endWithoutOutput(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EPIPE') process.exit(0);
  const reason = code === 'ENOSPC' ? 'the disk is full' : (code ?? 'unknown reason');
  try {
    writeSync(2, `warplens: the output cannot be written (${reason}).\n`);
  } catch {
    /* standard error is as full */
  }
  process.exit(2);
}

function write(descriptor: number, text: string): void {
  const bytes = Buffer.from(`${cleanOutput(text)}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') endWithoutOutput(error);
    }
  }
}

if (!isMainThread && 'warplensAnswers' in (workerData as object))
  // Loaded only here: no other command needs it.
  void import('./mcp/answering').then(({ serveAnswers }) => serveAnswers());
else if (!isMainThread) void import('./checkWorkers').then(({ serveCheck }) => serveCheck());
else {
  process.stdout.on('error', endWithoutOutput);
  const colour = process.env['NO_COLOR'] === undefined && process.stdout.isTTY === true;
  void run(process.argv.slice(2), {
    print: (text) => write(1, text),
    note: (text) => write(2, text),
    colour,
    exitCode: 0,
  }).then((code) => {
    process.exitCode = code;
  });
}
