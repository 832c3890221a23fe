// The entry of the `warplens` command: V8 is prepared before the rest is loaded.
import { createRequire } from 'node:module';
import { prepareEngine } from '../../server/src/start';

// A function runs four times V8's default before the optimizing compiler takes it: a command ends before most of what
// that compiles has paid. V8 prints an error for the flag of another version.
const tiering =
  parseInt(process.versions.v8, 10) < 12 ? '--interrupt-budget=300000' : '--invocation-count-for-turbofan=13300';
// Garbage takes no more than what lives; V8's default is up to three times as much, in each thread.
const growth = '--heap-growing-percent=100';
const isServer = process.argv[2] === 'server' && !process.argv.some((word) => word === '--help' || word === '-h');
// The language server beside this program prepares V8 for itself.
if (isServer) createRequire(__filename)('./server.js');
else {
  prepareEngine(__filename, [tiering, growth], !process.argv.includes('--no-cache'));
  void import('./start');
}
