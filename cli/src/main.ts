// The entry of the `warplens` command.
import { writeSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { workerData } from 'node:worker_threads';
import { servesCheck } from './checkWorkers';
import { run } from './program';
import { cleanOutput } from './terminalText';

/**
 * How much a function runs before the optimizing compiler takes it; V8's default is 67,584 in Node 20. A command ends
 * before most of what that compiles has paid. V8 13 (Node 24) waits by itself and prints an error for the flag.
 */
if (parseInt(process.versions.v8, 10) < 13) setFlagsFromString('--interrupt-budget=300000');

/** A closed pipe (`| head`) ends the output without a stack trace. */
function write(descriptor: number, text: string): void {
  const bytes = Buffer.from(`${cleanOutput(text)}\n`);
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(descriptor, bytes, at);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') process.exit(0);
    }
  }
}

if ((workerData as object | null) && 'warplensAnswers' in (workerData as object))
  // Loaded only here: no other command needs it.
  void import('./mcp/answering').then(({ serveAnswers }) => serveAnswers());
else if (!servesCheck()) {
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
