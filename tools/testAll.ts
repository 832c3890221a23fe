// Every check of the project, those that wait beside those that compute, closed by a line with the sums.
//
//   npm test                 all of it
//   npm test -- quick        types, style, tidy, generated files, and the unit tests of lint, rules and the model
//   npm test -- unit host    some of it: types, style, tidy, generated, build, start, package, unit, host, untrusted,
//                            installed (with the pages of reports, for axe-core), web
//   npm run test:deep        unit tests with all that is drawn, compiled, executed or measured at length, and the whole
//                            host suites in the packaged extension and in a browser
//   npm run test:newest      the host tests in the newest VS Code of the npm registry
//   npm run test:electron    the host tests in a VS Code that @vscode/test-electron downloads
//
// `npm test -- unit host --weigh` writes what each file of tests costs to test/support/weights.json, by which the files
// are divided over processes.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { Depth } from '../test/support/depth';
import { added, closingLines } from './closingLines';
import { findChromium } from './editor/chromium';
import { provideEditor } from './editor/installEditor';
import { processorSeconds } from './processorTime';
import { type NeedySteps, provideSystemTools } from './systemPackages';
import { endAll, runStep, runTogether, type Step, weighed } from './testSteps';
import { readWeights, shardsOf, unitTestFiles, writeWeights } from './unitShards';

const root = join(__dirname, '..');
/** Within the checkout, so that bundled tests find its packages; ignored by git. */
const workplace = join(root, 'out', `tested-${process.pid}`);

/** Minutes of silence after which a step counts as one that hangs. */
const MINUTES: Readonly<Record<Depth, number>> = { quick: 10, usual: 25, deep: 120 };
/** More than there are places: the last of them find a place that another step has left, and end close together. */
const UNIT_PROCESSES = 5;
/** As many as there are processors: tests that hold an answer to its time fail where more run side by side. */
const PLACES = Math.max(2, availableParallelism());
/** What `quick` runs of the unit tests, below test/. */
const QUICK = ['lint/', 'rules/', 'semantic/', 'robustness/fuzz.test.ts'];

const types = check('types', 'node_modules/typescript/bin/tsc -p tsconfig.json');
const tidy = check('tidy', '--import tsx tools/tidy.ts');
const generated = check('generated', '--import tsx tools/generate.ts --check');
const style = check('style', 'node_modules/@biomejs/biome/bin/biome ci --colors=off --diagnostic-level=warn .');
const build = check('build', 'tools/build.mjs');

function check(name: string, command: string): Step {
  return { name, command: command.split(' ') };
}

function editorStep(name: string, needs?: NeedySteps): Step {
  const sum = join(workplace, `${name.replaceAll(' ', '-')}.json`);
  const command = ['--import', 'tsx', 'tools/editorSteps.ts', name, sum];
  return { name, ...(needs ? { needs, waits: true } : {}), command, sum };
}

const MOCHA = '--enable-source-maps node_modules/mocha/bin/mocha.js --timeout 40000 --reporter-option'.split(' ');

/** Tests of programs on hosts wait for them. */
const waits = (file: string): boolean => file.startsWith('test/profiler-host/');

/** The unit tests as bundles, divided over processes. */
function unitSteps(processes: number, below: readonly string[] = []): Step[] {
  const shards = [true, false].flatMap((waiting) => {
    const files = unitTestFiles(below).filter((file) => waits(file) === waiting);
    return shardsOf(files, readWeights(), waiting ? 2 : processes);
  });
  return shards.map((files, at) => {
    const sum = join(workplace, `unit-${at + 1}.json`);
    return {
      name: `unit ${at + 1}`,
      needs: 'unit',
      waits: files.every(waits),
      command: [...MOCHA, `file=${sum}`, '--reporter', bundled('countingReporter.ts'), ...files.map(bundled)],
      sum,
    };
  });
}

const bundled = (file: string): string => join(workplace, file.replace(/ts$/, 'js'));

function follows(step: Step, ...after: string[]): Step {
  return { ...step, after };
}

/** Two editors at once. A package and `npm start` build dist/ by themselves: before and after what reads it. */
function everything(): Step[] {
  const [hosts, others] = [['host 1', 'host 2'] as const, ['web', 'untrusted'] as const];
  return [
    build,
    follows(editorStep('package'), 'build'),
    ...hosts.map((name) => follows(editorStep(name, 'editor'), 'build', 'package')),
    follows(editorStep('installed', 'editor'), 'package', ...hosts),
    ...others.map((name) => follows(editorStep(name, 'editor'), 'build', 'package', ...hosts)),
    follows(editorStep('start', 'editor'), 'build', ...hosts, ...others),
    ...unitSteps(UNIT_PROCESSES),
    ...[style, types, tidy, generated],
  ];
}

/** What is not part of `npm test`, by its first argument. */
const jobs: Readonly<Record<string, () => Step[]>> = {
  quick: () => [...unitSteps(2, QUICK), style, types, tidy, generated],
  deep: () => [
    build,
    follows(editorStep('package'), 'build'),
    ...['whole installed', 'whole web'].map((name) => follows(editorStep(name, 'editor'), 'package')),
    ...unitSteps(UNIT_PROCESSES),
  ],
  electron: () => [build, follows(editorStep('electron'), 'build')],
  newest: () => [
    build,
    ...['host', 'untrusted', 'installed'].map((name) => follows(editorStep(`newest ${name}`, 'editor'), 'build')),
  ],
};

function stepsOf(named: readonly string[]): Step[] {
  const job = jobs[named[0] ?? ''];
  if (job) return job();
  const kindOf = ({ name }: Step): string => name.replace(/ \d+$/, '');
  const all = everything();
  const known = new Set(all.map(kindOf));
  const unknown = named.find((name) => !known.has(name));
  if (unknown !== undefined) {
    const names = [...known, ...Object.keys(jobs)].join(', ');
    console.error(`There is no step "${unknown}"; there are ${names}.`);
    process.exit(2);
  }
  return all.filter((step) => named.length === 0 || named.includes(kindOf(step)));
}

async function main(): Promise<void> {
  const weighs = process.argv.includes('--weigh');
  const named = process.argv.slice(2).filter((argument) => argument !== '--weigh');
  const steps = stepsOf(named);
  const depth: Depth = named[0] === 'quick' || named[0] === 'deep' ? named[0] : 'usual';
  // Said, and installed where that needs no password, before anything else is done.
  const needs = new Set(steps.flatMap((step) => step.needs ?? []));
  if (depth !== 'quick') provideSystemTools([...needs], (sentence) => console.log(sentence));
  const environment = { WARPLENS_DEPTH: depth, WARPLENS_TEST_FOLDER: workplace };
  const begin = Date.now();
  mkdirSync(workplace, { recursive: true });
  const bundles = ['tools/build.mjs', `--into=${workplace}`, '--tests', 'server', 'cli', 'sqlite'];
  if (needs.has('unit')) execFileSync(process.execPath, bundles, { cwd: root, stdio: ['ignore', 'ignore', 'inherit'] });
  // Once for all steps, which say why where it fails.
  if (needs.has('editor') && findChromium()) await provideEditor().catch(() => undefined);
  const sum = added(await runTogether(steps, PLACES, (step) => runStep(step, environment, MINUTES[depth])));
  if (weighs) writeWeights(weighed);
  const clock = inMinutes((Date.now() - begin) / 1000);
  console.log(`\n${clock} of clock, ${inMinutes(processorSeconds())} of processor time`);
  console.log(closingLines(sum).join('\n'));
  process.exitCode = sum.failed > 0 || sum.passed === 0 ? 1 : 0;
}

function inMinutes(seconds: number): string {
  return `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')} min`;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => {
    endAll();
    process.exit(1);
  });
process.on('exit', () => rmSync(workplace, { recursive: true, force: true }));

void main();
