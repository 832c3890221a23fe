// The entry of the `warplens` command: V8 is prepared before the rest is loaded.
import { prepareEngine } from '../../server/src/start';

/**
 * How much a function runs before the optimizing compiler takes it, four times V8's default: a command ends before
 * most of what that compiles has paid. V8 prints an error for the flag of another version.
 */
const tiering =
  parseInt(process.versions.v8, 10) < 12 ? '--interrupt-budget=300000' : '--invocation-count-for-turbofan=13300';
prepareEngine(__filename, [tiering], !process.argv.includes('--no-cache'));
void import('./start');
