/** Runs a program on the host without a profiler: its exit status, what it prints, and how long it takes. */

import { isUtf8 } from 'node:buffer';
import { posix } from 'node:path';

import type { Host } from '../transport/host';
import { ProfileProblem, cancelled, lastLines } from '../transport/problem';
import { describeStatus, noKernelImage } from '../collect/ncuProblem';
import { architectureStep } from '../preflight/checks';
import type { GpuFacts } from '../preflight/probe';

export interface RunChoice {
  readonly arguments: readonly string[];
  readonly environment?: Readonly<Record<string, string>> | undefined;
  /** A run that is not over by then is stopped. */
  readonly timeLimitSeconds: number;
}

export interface ProgramRun {
  readonly status: number;
  /** How it ended, where the status does not say it: `did not end within 5 s`. */
  readonly ending?: string;
  /** Wall time on the host in nanoseconds. */
  readonly nanoseconds: number;
  /** Standard output, where it is no longer than `longestOutput`. */
  readonly output?: string;
  readonly outputBytes: number;
  /** The last lines of the error stream. */
  readonly errors: string;
  /** The file on the host that holds the standard output. */
  readonly outputFile: string;
}

/** Longer output indicates a loop that fills the host's disk: the run is stopped. */
const mostOutput = 4 * 2 ** 30;
const lookEveryMilliseconds = 5_000;

/** Longer outputs are compared byte by byte on the host. */
export const longestOutput = 1 << 20;

/**
 * Arguments: file for the output, the program and its arguments. A `date` without nanoseconds prints something that is
 * no number.
 */
const timedScript = `
out=$1
shift
begin=$(date +%s%N)
"$@" >"$out" 2>"$out.errors"
status=$?
end=$(date +%s%N)
tail -c 4000 "$out.errors" >&2
printf '%s %s %s %s\\n' "$status" "$begin" "$end" "$(wc -c <"$out" | tr -d ' ')"
`;

/**
 * Rejects with a ProfileProblem when the run takes too long or the host is lost; a program that fails is a run with its
 * status.
 */
export async function runProgram(
  host: Host,
  program: string,
  directory: string,
  outputFile: string,
  choice: RunChoice,
  signal?: AbortSignal,
): Promise<ProgramRun> {
  const limit = AbortSignal.timeout(choice.timeLimitSeconds * 1000);
  const flood = new AbortController();
  const look = setInterval(() => {
    void host
      .run(['sh', '-c', 'echo $(($(wc -c <"$1") + $(wc -c <"$1.errors")))', 'size', outputFile], {
        stage: 'run',
        signal,
        launched: false,
      })
      .then(
        ({ output }) => {
          if (Number(output) > mostOutput) flood.abort();
        },
        () => undefined,
      );
  }, lookEveryMilliseconds);
  const started = performance.now();
  let ended: Awaited<ReturnType<typeof host.run>>;
  try {
    ended = await host.run(['sh', '-c', timedScript, 'run', outputFile, program, ...choice.arguments], {
      stage: 'run',
      directory,
      signal: AbortSignal.any([limit, flood.signal, ...(signal ? [signal] : [])]),
      environment: choice.environment,
    });
  } catch (error) {
    if (signal?.aborted) throw cancelled('run');
    if (flood.signal.aborted)
      throw new ProfileProblem(
        'run',
        'time-limit',
        `The program printed more than ${mostOutput / 2 ** 30} GB and was stopped.`,
        'Reduce its output.',
      );
    if (!limit.aborted) throw error;
    throw new ProfileProblem(
      'run',
      'time-limit',
      `The program did not end within ${choice.timeLimitSeconds} s.`,
      'Use a smaller input, or allow more time with --time-limit.',
    );
  } finally {
    clearInterval(look);
  }
  const elapsed = (performance.now() - started) * 1e6;
  const said = /^(\d+) (\S+) (\S+) (\d+)$/m.exec(ended.output);
  if (!said)
    throw new ProfileProblem(
      'run',
      'program-failed',
      `${posix.basename(program)} could not be run on ${host.name}.`,
      'See its last output.',
      lastLines(ended.errors),
    );
  const [, status, begin, end, bytes] = said;
  const exact = /^\d{15,}$/.test(begin!) && /^\d{15,}$/.test(end!);
  const outputBytes = Number(bytes);
  const output = outputBytes <= longestOutput ? await readOutput(host, outputFile, signal) : undefined;
  return {
    status: Number(status),
    nanoseconds: exact ? Number(BigInt(end!) - BigInt(begin!)) : elapsed,
    outputBytes,
    outputFile,
    errors: lastLines(ended.errors, 6),
    ...(output !== undefined ? { output } : {}),
  };
}

/** Whether two outputs on the host are the same byte for byte. */
export async function sameOnHost(host: Host, a: string, b: string, signal?: AbortSignal): Promise<boolean> {
  return (await host.run(['cmp', '-s', a, b], { stage: 'run', signal, launched: false })).status === 0;
}

/** The problem of an unchanged program that fails: nothing can be compared with it. */
export function unchangedFails(
  host: Host,
  gpu: GpuFacts | undefined,
  run: ProgramRun,
  program: string,
): ProfileProblem {
  const loading = run.status === 127 || /error while loading shared libraries/.test(run.errors);
  return new ProfileProblem(
    'run',
    'program-failed',
    `The unchanged program ${describeStatus(run.status)} on ${host.name}, so there is nothing to compare with.`,
    loading
      ? `Check that ${posix.basename(program)} finds its libraries there.`
      : noKernelImage.test(`${run.errors}\n${run.output ?? ''}`)
        ? architectureStep(gpu)
        : 'Give its arguments. A program that reads files needs its whole folder there: use ' +
          'its build command, which copies the folder.',
    run.errors,
  );
}

async function readOutput(host: Host, file: string, signal?: AbortSignal): Promise<string> {
  const chunks: Uint8Array[] = [];
  await host.run(['cat', file], {
    stage: 'run',
    signal,
    launched: false,
    onBytes: (chunk) => chunks.push(Buffer.from(chunk)),
  });
  const bytes = Buffer.concat(chunks);
  // Bytes that are no UTF-8 (an image, another encoding) would all read alike: there each byte is a character of its
  // own.
  return isUtf8(bytes) ? bytes.toString('utf8') : bytes.toString('latin1');
}
