// Mutation testing of what proves fixes: installs StrykerJS beside itself, and runs it.
//
//   node lab/mutation/mutate.mjs                                       all files of the folders in stryker.config.mjs: hours
//   node lab/mutation/mutate.mjs --mutate server/src/semantic/fixes/swapAxes.ts,…
//   node lab/mutation/mutate.mjs --sample 4 [--seed 1] [--in fixes]   one stretch of twelve lines in four, drawn, of each file
//   node lab/mutation/mutate.mjs --mutate 'server/src/semantic/program/*.ts' --tests 'test/semantic/program/*.test.ts'
//
// `--tests` names the test files that have to notice; without it they are those of stryker.config.mjs.
// Further arguments go to StrykerJS. `node lab/mutation/score.mjs` prints the table of docs/measurements/mutation.md.
// Exit status: StrykerJS's, or npm's; 2 for bad arguments.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { folders, root, sampled } from './sample.mjs';

const here = dirname(fileURLToPath(import.meta.url));

/** Runs a command with visible output; ends the process if it fails. */
function run(command, args, cwd, env = process.env) {
  const { status, error } = spawnSync(command, args, { cwd, env, stdio: 'inherit' });
  if (error) console.error(`${command} does not start: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

/** Whether the versions that the lock names are installed. */
function isInstalled() {
  const manifest = (path) => JSON.parse(readFileSync(path, 'utf8'));
  return Object.entries(manifest(join(here, 'package.json')).dependencies).every(([name, version]) => {
    const path = join(here, 'node_modules', name, 'package.json');
    return existsSync(path) && manifest(path).version === version;
  });
}

const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    seed: { type: 'string', default: '1' },
    in: { type: 'string' },
    tests: { type: 'string' },
  },
  strict: false,
});
const own = new Set(['--sample', '--seed', '--in', '--tests']);
const args = process.argv.slice(2).filter((each, at, all) => !own.has(each) && !own.has(all[at - 1]));
if (values.sample !== undefined) {
  const part = Number(values.sample);
  if (!Number.isInteger(part) || part < 1 || (values.in !== undefined && !folders.includes(values.in))) {
    console.error(`--sample takes a whole number above 0, and --in one of ${folders.join(', ')}.`);
    process.exit(2);
  }
  args.push('--mutate', sampled(part, values.seed, values.in).join(','));
}

if (!isInstalled()) run('npm', ['ci', '--no-audit', '--no-fund'], here);
run(
  process.execPath,
  [join(here, 'node_modules/@stryker-mutator/core/bin/stryker.js'), 'run', 'lab/mutation/stryker.config.mjs', ...args],
  root,
  {
    ...process.env,
    WARPLENS_MUTATION: '1',
    ...(values.tests === undefined ? {} : { WARPLENS_MUTATION_TESTS: values.tests }),
  },
);
