// Fuzzing: damages sources, includes, reports, logs, settings and conversations of the server, and keeps what breaks a
// promise.
//
//   npm run fuzz -- --minutes N [--count N] [--seed N] [--only source,report] [--corpus FOLDER]
//   npm run fuzz -- --seed N --at M          does mutation M of a seed again, and prints its input
//   npm run fuzz -- --seed N --from M        goes on with a run that was ended before its mutation M; --count counts all
import { fork } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { randomOf } from '../../test/robustness/fuzz/random';
import { makeTargets, type Target } from '../../test/robustness/fuzz/targets';

/**
 * A mutation that takes longer is a hang: seconds of the processor where the system tells them, and ten times as long
 * by the clock.
 */
const longestSeconds = 30;
/** A case that takes more processor time is reported, even if it ended. */
const slowMilliseconds = 5000;
const mostMegabytes = 1024;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    count: { type: 'string' },
    seed: { type: 'string' },
    at: { type: 'string' },
    only: { type: 'string' },
    corpus: { type: 'string' },
    worker: { type: 'boolean' },
    from: { type: 'string' },
  },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
/** What makes the mutations of this run again: without the same targets and sources a number is another mutation. */
const same = [values.only && ` --only ${values.only}`, values.corpus && ` --corpus ${values.corpus}`].join('');
const findings = join(__dirname, '..', '..', 'fuzz-findings');

interface Said {
  readonly at: number;
  readonly target?: string;
  readonly problem?: string;
  readonly milliseconds?: number;
  readonly megabytes?: number;
}

if (values.worker) {
  process.on('disconnect', () => process.exit());
  void work(Number(values.from));
} else if (values.at !== undefined) void repeat(Number(values.at));
else supervise();

function chosen(all: readonly Target[]): readonly Target[] {
  const only = values.only?.split(',');
  return only ? all.filter(({ name }) => only.includes(name)) : all;
}

/** What mutation `at` of the seed is: its target and its own random numbers. */
function mutationAt(targets: readonly Target[], at: number): { target: Target; random: ReturnType<typeof randomOf> } {
  const random = randomOf(Math.imul(seed, 2654435761) ^ Math.imul(at + 1, 40503));
  let share = random.next() * targets.reduce((sum, target) => sum + target.share, 0);
  const target =
    targets.find((each) => {
      share -= each.share;
      return share < 0;
    }) ?? targets[0]!;
  return { target, random };
}

async function work(from: number): Promise<void> {
  const targets = chosen(await makeTargets(values.corpus));
  for (let at = from; ; at++) {
    const { target, random } = mutationAt(targets, at);
    process.send!({ at, target: target.name } satisfies Said);
    const before = process.cpuUsage();
    let input: string | Uint8Array = '';
    let problem: string | undefined;
    try {
      await target.attempt(random, (made) => {
        input = made;
      });
    } catch (error) {
      problem = error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
    const { user, system } = process.cpuUsage(before);
    const milliseconds = (user + system) / 1000;
    if (problem === undefined && milliseconds > slowMilliseconds) problem = `slow: ${Math.round(milliseconds)} ms`;
    if (problem !== undefined) {
      mkdirSync(findings, { recursive: true });
      writeFileSync(join(findings, `${target.name}-${seed}-${at}`), input);
    }
    const megabytes = process.memoryUsage().rss / 1e6;
    process.send!({
      at,
      target: target.name,
      ...(problem === undefined ? {} : { problem }),
      milliseconds,
      megabytes,
    } satisfies Said);
    if (at % 50 === 0)
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
  }
}

async function repeat(at: number): Promise<void> {
  const { target, random } = mutationAt(chosen(await makeTargets(values.corpus)), at);
  await target.attempt(random, (input) => process.stdout.write(input));
  console.error(`Mutation ${at} of seed ${seed} (${target.name}) breaks nothing.`);
}

/** Seconds that a process has computed, where /proc tells them; 0 elsewhere, and then the clock alone counts. */
function computed(pid: number): number {
  try {
    const [, fields] = /\) (.*)$/.exec(readFileSync(`/proc/${pid}/stat`, 'latin1'))!;
    const numbers = fields!.split(' ');
    return (Number(numbers[11]) + Number(numbers[12])) / 100;
  } catch {
    return 0;
  }
}

/** Keeps a worker going, starts another when it falls or hangs, and counts. */
function supervise(): void {
  const until = Date.now() + Number(values.minutes ?? (values.count === undefined ? 1 : 1e6)) * 60_000;
  const most = Number(values.count ?? Infinity);
  const counts = new Map<string, number>();
  let done = Number(values.from ?? 0);
  let broken = 0;
  let slowest = 0;
  let largest = 0;
  let told = Date.now();
  console.log(`seed ${seed}${done > 0 ? `, from mutation ${done}` : ''}`);
  start(done);

  function start(from: number): void {
    const worker = fork(
      __filename,
      [...process.argv.slice(2), '--worker', '--from', String(from), '--seed', String(seed)],
      {
        execArgv: [...process.execArgv, '--max-old-space-size=1536'],
      },
    );
    let current: Said = { at: from };
    let since = Date.now() + 60_000;
    let computedBefore = 0;
    let over = false;
    const next = (why: string | undefined): void => {
      if (over) return;
      over = true;
      clearInterval(watch);
      worker.kill('SIGKILL');
      if (why === undefined) return;
      broken++;
      console.log(
        `${current.target ?? 'start'} ${current.at}: ${why}\n  npm run fuzz -- --seed ${seed} --at ${current.at}${same}`,
      );
      if (broken > 200) finish();
      else start(current.at + 1);
    };
    const watch = setInterval(() => {
      const elapsed = (Date.now() - since) / 1000;
      if (
        elapsed > longestSeconds &&
        (elapsed > 10 * longestSeconds || computed(worker.pid!) - computedBefore > longestSeconds)
      )
        next(`no end within ${longestSeconds} s`);
      else if (Date.now() > until || done >= most) {
        next(undefined);
        finish();
      }
    }, 250);
    worker.on('message', (said: Said) => {
      current = said;
      since = Date.now();
      computedBefore = computed(worker.pid!);
      if (said.milliseconds === undefined) return;
      done++;
      counts.set(said.target!, (counts.get(said.target!) ?? 0) + 1);
      slowest = Math.max(slowest, said.milliseconds);
      largest = Math.max(largest, said.megabytes!);
      if (said.problem !== undefined) {
        broken++;
        console.log(
          `${said.target} ${said.at}: ${said.problem}\n  npm run fuzz -- --seed ${seed} --at ${said.at}${same}`,
        );
      } else if (said.megabytes! > mostMegabytes) next(`${Math.round(said.megabytes!)} MB`);
      if (Date.now() - told > 60_000) {
        told = Date.now();
        console.log(summary());
      }
    });
    worker.on('exit', (code, signal) => next(`the process ended (${signal ?? code})`));
  }

  function summary(): string {
    const each = [...counts].map(([name, count]) => `${name} ${count}`).join(', ');
    return `${done} mutations (${each}), ${broken} broken; slowest ${Math.round(slowest)} ms, largest ${Math.round(largest)} MB`;
  }

  function finish(): void {
    console.log(summary());
    process.exit(broken > 0 ? 1 : 0);
  }
}
