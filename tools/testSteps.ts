// Runs a step of `npm test` as a separate process, and reports its outcome.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { added, inWords, type Sum } from './closingLines';
import type { NeedySteps } from './systemPackages';

/** A separate process whose output is shown when it has ended. */
export interface Step {
  readonly name: string;
  readonly needs?: NeedySteps;
  /** Names of steps that have to end before it starts, of those that run at all. */
  readonly after?: readonly string[];
  /** It waits half of its time: two such steps take one place. */
  readonly waits?: boolean;
  /** Arguments of node. */
  readonly command: readonly string[];
  /** The file in which it leaves its sum; without one, its exit status is a check. */
  readonly sum?: string;
}
const root = join(__dirname, '..');
const running = new Set<ChildProcess>();

/** Milliseconds of each file of tests that has run. */
export const weighed: Record<string, number> = {};

/**
 * Runs a step, prints what it said, and returns its sum. A step that leaves no sum, ends with an error after its tests,
 * or says nothing for so many minutes has failed: how long it takes in all depends on what else the machine does.
 */
export async function runStep(
  step: Step,
  environment: Readonly<Record<string, string>>,
  minutes: number,
): Promise<Sum> {
  const begin = Date.now();
  const { status, output, late } = await execute(step, environment, minutes);
  let sum = sumOf(step, status);
  const said = output === '' || output.endsWith('\n') ? output : `${output}\n`;
  const problems: string[] = [];
  if (late) problems.push(`It said nothing for ${minutes} minutes and was stopped${runningIn(step)}.`);
  else if (sum === undefined) problems.push(`It ended with ${status} before it had run its tests.`);
  else if (sum.failed === 0 && status !== 0 && step.sum) problems.push(`It ended with ${status} after its tests.`);
  if (problems.length > 0) sum = added([sum ?? { passed: 0, failed: 0 }, { passed: 0, failed: 1, failures: problems }]);
  // A step that failed as a whole is named by itself.
  const { failures = [] } = sum!;
  const named = sum!.failed > 0 && failures.length === 0 ? ['the whole step'] : failures;
  const result: Sum = { ...sum!, failures: named.map((failure) => `${step.name}: ${failure}`) };
  const seconds = ((Date.now() - begin) / 1000).toFixed(1);
  const closing = `── ${step.name}: ${inWords(result)}, ${seconds} s`;
  console.log([`\n── ${step.name}`, ...problems.map((problem) => `  ✘ ${problem}`)].join('\n'));
  process.stdout.write(`${said}${closing}\n`);
  return result;
}

/** Fills the places, always with the first of the steps left that fits and whose predecessors have ended. */
export async function runTogether<Result>(
  steps: readonly Step[],
  places: number,
  run: (step: Step) => Promise<Result>,
): Promise<Result[]> {
  const left = [...steps];
  const running = new Map<Step, Promise<void>>();
  const results: Result[] = [];
  const placesOf = ({ waits }: Step): number => (waits ? 0.5 : 1);
  const runToEnd = async (step: Step): Promise<void> => {
    results.push(await run(step));
    running.delete(step);
  };
  while (left.length + running.size > 0) {
    const unfinished = [...left, ...running.keys()].map(({ name }) => name);
    const free = [...running.keys()].reduce((rest, each) => rest - placesOf(each), places);
    const isReady = ({ after = [] }: Step): boolean => !after.some((name) => unfinished.includes(name));
    const step = left.find((each) => placesOf(each) <= free && isReady(each));
    if (step) {
      left.splice(left.indexOf(step), 1);
      running.set(step, runToEnd(step));
    } else await Promise.race(running.values());
  }
  return results;
}

/** Where a step that was stopped was, as far as it says so. */
function runningIn({ sum }: Step): string {
  const running = sum === undefined ? '' : `${sum}.running`;
  return existsSync(running) ? ` in "${readFileSync(running, 'utf8')}"` : '';
}

/** What a step left of itself; undefined where it left nothing and its exit status alone says little. */
function sumOf(step: Step, status: number | string): Sum | undefined {
  if (!step.sum) return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
  if (!existsSync(step.sum)) return undefined;
  const left = JSON.parse(readFileSync(step.sum, 'utf8')) as Sum;
  Object.assign(weighed, left.files);
  return left;
}

interface Ended {
  readonly status: number | string;
  readonly output: string;
  readonly late: boolean;
}

function execute(step: Step, environment: Readonly<Record<string, string>>, minutes: number): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, step.command, {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...process.env, ...environment },
      // A separate group, so that a hanging step ends with all its children.
      detached: process.platform !== 'win32',
    });
    running.add(child);
    const parts: Buffer[] = [];
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      end(child);
    }, minutes * 60_000);
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part: Buffer) => {
        parts.push(part);
        timer.refresh();
      });
    const ended = (status: number | string): void => {
      clearTimeout(timer);
      running.delete(child);
      resolve({ status, output: Buffer.concat(parts).toString(), late });
    };
    child.once('error', (error) => ended(error.message));
    // Not `close`: what a test left running may hold the pipes open for good.
    child.once('exit', (code, signal) => setTimeout(() => ended(code ?? signal ?? 1), 100));
  });
}

/** Ends a step and all that it started: a browser and an editor's server have their separate process groups. */
function end(child: ChildProcess): void {
  for (const id of [...descendantsOf(child.pid!), process.platform === 'win32' ? child.pid! : -child.pid!])
    try {
      process.kill(id, 'SIGKILL');
    } catch {
      // It has just ended.
    }
}

function descendantsOf(parent: number): number[] {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' });
  const processes = (stdout ?? '').split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  const found = [parent];
  for (const each of found) for (const [id, started] of processes) if (started === each) found.push(id!);
  return found.slice(1);
}

/** Ends all steps that still run, with all that they started. */
export function endAll(): void {
  for (const child of running) end(child);
}
