// The entry of the `warplens` command.
import { writeSync } from 'node:fs';
import { servesCheck } from './checkWorkers';
import { run } from './program';
import { cleanOutput } from './terminalText';

/** A reader that goes away (`| head`) ends the output, not the program with a trace. */
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

if (!servesCheck()) {
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
