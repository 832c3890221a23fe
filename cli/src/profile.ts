// `warplens profile`: builds sources, runs them under ncu on this machine or a GPU host, keeps the report and shows its
// hottest lines.
import { relative, resolve } from 'node:path';
import type { Command } from 'commander';
import { BuildFailure } from '../../profiler/src/build/build';
import { clockModes, replayModes } from '../../profiler/src/collect/ncuCommand';
import { sanitizerTools } from '../../profiler/src/sanitizer/sanitizerOutput';
import { showDuration } from '../../profiler/src/history/steps';
import { readHistory } from '../../profiler/src/history/stepStore';
import { markdownSteps, showSteps } from '../../profiler/src/history/table';
import { showChecks } from '../../profiler/src/preflight/checks';
import {
  checkHost,
  profile,
  type ProfileEvent,
  type ProfileRequest,
  type ProfileResult,
} from '../../profiler/src/session/profileSession';
import { timeKernels, type KernelTimes } from '../../profiler/src/session/timeKernels';
import type { HostChoice } from '../../profiler/src/transport/host';
import { ProfileProblem, stageName } from '../../profiler/src/transport/problem';
import { gateJson, gateText, gateVerdict, judgeResult, openGate, type Judged } from './profileVerdict';
import { usualRuns } from './profileGate';
import { addOptions } from './options';
import { runReport } from './report';
import { nodeIo } from './reportIo';
import { isReplay, statusLine, toolsLine } from './statusLine';
import { cleanJson, cleanLine, cleanLines, cleanName, cleanOutput } from './terminalText';

/** Where and how a program is built and run. */
export interface RunFlags {
  readonly host?: string;
  readonly launcher?: readonly string[];
  readonly build?: string;
  readonly folder?: string;
  readonly program?: string;
  readonly flags: readonly string[];
  readonly kernel?: string;
  readonly timeLimit: number;
  readonly clocks: string;
  readonly scratch?: string;
  readonly nvcc?: string;
  readonly ncu?: string;
  readonly sshConfig?: string;
  readonly format: string;
}
interface ProfileFlags extends RunFlags {
  readonly check?: string | true;
  readonly inPlace?: string | true;
  readonly launches: number;
  readonly mostKernels: number;
  readonly sections?: readonly string[];
  readonly replay: string;
  readonly store: string;
  readonly label?: string;
  readonly keep?: boolean;
  readonly times?: boolean;
  readonly sanitize?: string | true;
  readonly steps?: boolean;
  readonly gate?: readonly string[];
  readonly against?: string;
  readonly runs?: number;
}

/** Where the command writes. Tests give their own. */
export interface ProfileIo {
  stdout(text: string): void;
  stderr(text: string): void;
  /** Whether the progress line may be redrawn. */
  readonly interactive: boolean;
}

export const processIo: ProfileIo = {
  stdout: (text) => void process.stdout.write(cleanOutput(text)),
  stderr: (text) => void process.stderr.write(cleanOutput(text)),
  interactive: process.stderr.isTTY === true,
};

/**
 * Adds the command to the program; the exit code of the process is set when it ends, and that of `terminal`, where the
 * caller keeps one.
 */
export function registerProfile(program: Command, terminal?: { exitCode: number }): void {
  addOptions(program.command('profile'), 'profile')
    .usage('[options] FILE… [-- ARGS]')
    .argument('[files...]', 'CUDA sources of one program; arguments after -- go to the program')
    .action(async (files: string[], flags: ProfileFlags) => {
      const behind = argumentsBehindDashes(program);
      const code = await runProfile(files.slice(0, files.length - behind.length), behind, flags);
      process.exitCode = code;
      if (terminal) terminal.exitCode = code;
    });
}

/**
 * Exit codes: 0 done, 1 the profile or a check failed or a gate's condition does not hold, 2 it cannot be done or
 * decided as asked, 130 cancelled.
 */
export async function runProfile(
  files: readonly string[],
  programArguments: readonly string[],
  flags: ProfileFlags,
  io: ProfileIo = processIo,
): Promise<number> {
  const bad = (text: string) => {
    io.stderr(`warplens: ${text}\n`);
    return 2;
  };
  const formats = ['text', 'json', ...(flags.steps ? ['markdown'] : [])];
  if (!formats.includes(flags.format)) return bad(`Unknown format "${flags.format}". Use ${formats.join(' or ')}.`);
  const clocks = clockModes.find((mode) => mode === flags.clocks);
  if (!clocks) return bad(`Invalid --clocks "${flags.clocks}": use ${clockModes.join(', ')}.`);
  const replay = replayModes.find((mode) => mode === flags.replay);
  if (!replay) return bad(`Invalid --replay "${flags.replay}": use ${replayModes.join(', ')}.`);
  if (replay === 'single-pass' && flags.sections)
    return bad('--replay single-pass cannot be combined with --sections: it has its own.');
  const store = resolve(flags.store);
  const gate = await openGate(flags, store);
  if ('problem' in gate) return bad(gate.problem);
  if (flags.steps) {
    const { steps, broken, baselines } = await readHistory(store);
    if (broken)
      return bad(`The table of steps in ${store} cannot be read. The next profile renames it and starts another.`);
    io.stdout(
      flags.format === 'json'
        ? `${JSON.stringify({ steps, baselines })}\n`
        : (flags.format === 'markdown' ? markdownSteps : showSteps)(steps, baselines),
    );
    return 0;
  }
  const sanitizes = flags.sanitize !== undefined;
  const sanitizer = sanitizes ? await import('./sanitize') : undefined;
  const tools = sanitizer ? sanitizer.readTools(flags.sanitize) : [];
  if (tools === undefined)
    return bad(
      `Invalid --sanitize "${flags.sanitize}": use ${sanitizerTools.join(', ')}, or put it behind the sources.`,
    );
  if (sanitizes && files.length === 0 && flags.build === undefined && flags.program === undefined) {
    const [first, ...rest] = programArguments;
    if (first !== undefined) return runProfile(files, rest, { ...flags, program: first }, io);
  }
  const built = (files.length === 0 || sanitizes) && flags.build === undefined && flags.program !== undefined;
  if (files.length === 0 && flags.build === undefined && !built && flags.check === undefined)
    return bad(
      'Name the sources to profile (warplens profile kernel.cu), a build (--build make), an existing ' +
        'program (--program ./bench), or a host to check (--check HOST).',
    );
  if (
    files.length > 0 &&
    flags.build === undefined &&
    !built &&
    (flags.inPlace !== undefined || flags.program !== undefined)
  )
    return bad('--in-place and --program require --build, or an existing program and no sources.');

  const destination = typeof flags.check === 'string' ? flags.check : flags.host;
  const host: HostChoice = {
    destination,
    launcher: flags.launcher,
    scratchIn: flags.scratch,
    sshConfig: flags.sshConfig,
  };
  return onHost(flags.format, io, async (signal) => {
    if (flags.check !== undefined) {
      const found = await checkHost(
        {
          host,
          nvcc: flags.nvcc,
          ncu: flags.ncu,
          needsNvcc: flags.build === undefined && !built,
          locksClocks: clocks !== 'none',
        },
        signal,
      );
      io.stdout(flags.format === 'json' ? `${JSON.stringify(found)}\n` : showChecks(found.checks));
      return found.checks.some((check) => check.verdict === 'bad') ? 1 : 0;
    }
    const folder = resolve(flags.folder ?? '.');
    const request: ProfileRequest = {
      host,
      build: {
        files: built ? [] : files.map((file) => resolve(file)),
        flags: flags.flags,
        folder,
        command: flags.build,
        inPlace: flags.inPlace === true ? folder : flags.inPlace,
        program: flags.program,
        ...(built && { built }),
      },
      collect: {
        kernel: flags.kernel,
        launchesPerShape: flags.launches,
        mostKernels: flags.mostKernels,
        timeLimitSeconds: flags.timeLimit,
        clocks,
        replay,
        sections: flags.sections?.[0] === 'full' ? 'full' : flags.sections,
        arguments: programArguments,
      },
      store,
      label: flags.label,
      runs: flags.runs ?? (gate.conditions.length > 0 ? usualRuns : 1),
      nvcc: flags.nvcc,
      ncu: flags.ncu,
      keep: flags.keep,
    };
    if (sanitizer) {
      const options = { signal, onEvent: showProgress(io) };
      return await sanitizer.runSanitizer(request, tools, files, options, flags.format, io);
    }
    if (flags.times) {
      const times = await timeKernels(request, { signal, onEvent: showProgress(io) });
      return showTimes(times, flags.format, io);
    }
    const result = await profile(request, { signal, onEvent: showProgress(io) });
    const judged = await judgeResult(gate, result.step, store);
    if ('problem' in judged) {
      // Show the measured part all the same.
      await showResult(result, flags.format, store, io, { judgements: [], notes: [] });
      return bad(judged.problem);
    }
    const code = await showResult(result, flags.format, store, io, judged);
    const verdict = gateVerdict(judged);
    return verdict === 'breaks' ? 1 : verdict === 'undecided' ? 2 : code;
  });
}

/** What follows `--` on the command line: the arguments of the user's program. */
export function argumentsBehindDashes(program: Command): readonly string[] {
  const all = (program as Command & { rawArgs: string[] }).rawArgs;
  const dashes = all.indexOf('--');
  return dashes < 0 ? [] : all.slice(dashes + 1);
}

/** The exit code of work on a host, which signals stop; a problem is shown. */
export async function onHost(
  format: string,
  io: ProfileIo,
  work: (signal: AbortSignal) => Promise<number>,
): Promise<number> {
  const stop = new AbortController();
  const onSignal = (): void => {
    if (!stop.signal.aborted) io.stderr('\nStopping the processes on the host …\n');
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  try {
    return await work(stop.signal);
  } catch (error) {
    if (!(error instanceof ProfileProblem)) throw error;
    showProblem(error, format, io);
    return error.kind === 'cancelled' ? 130 : error.kind === 'bad-setting' ? 2 : 1;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal);
  }
}

/** The times are measured; the figures of `warplens check` beside them are the model's. */
async function showTimes(times: KernelTimes, format: string, io: ProfileIo): Promise<number> {
  if ('timeline' in times) {
    io.stderr(`times measured, without counters: ${relative('.', times.timeline)}\n`);
    return runReport({ report: times.timeline, format }, { ...nodeIo, stdout: io.stdout, stderr: io.stderr });
  }
  io.stderr('note: There is no nsys on the host; these are the times that the program prints.\n');
  if (format === 'json') io.stdout(`${cleanJson(JSON.stringify(times))}\n`);
  else
    for (const { label, nanoseconds } of times.printed)
      io.stdout(`${cleanName(label)}: ${nanoseconds.map(showDuration).join(', ')}\n`);
  return 0;
}

/** Characters of what the program prints that are shown. */
const mostShown = 256 * 1024;

/**
 * Progress goes to the error stream: one line for each stage and kernel, drawn over while it lasts where that is
 * possible.
 */
function showProgress(io: ProfileIo): (event: ProfileEvent) => void {
  const { line, draw } = statusLine(io);
  let replay = false;
  let left = mostShown;
  const showProgram = (text: string): void => {
    if (left <= 0) return;
    const shown = text.slice(0, left);
    left -= shown.length;
    for (const one of shown.split('\n')) if (one.trim() !== '') line(`| ${cleanLine(one.replace(/\r$/, ''))}`);
    if (left <= 0) line('| … further output of the program is not shown');
  };
  return (event) => {
    switch (event.what) {
      case 'stage':
        if (event.stage === 'clean' || event.stage === 'store') draw('');
        else draw(`${stageName[event.stage]} …`);
        break;
      case 'checked': {
        replay = isReplay(event.preflight.facts);
        line(toolsLine(event.preflight.facts));
        for (const check of event.preflight.checks)
          if (check.verdict === 'note' && check.name !== 'permission')
            line(`note: ${check.text} ${check.nextStep ?? ''}`.trimEnd());
        break;
      }
      case 'built':
        for (const message of event.program.messages)
          if (message.severity !== 'note' && message.file !== undefined) line(compilerLine(message));
        for (const kernel of event.program.kernels)
          line(
            `built ${cleanName(kernel.name ?? kernel.symbol)}: ${kernel.registers} registers, ` +
              `${kernel.sharedBytes ?? 0} bytes of shared memory, ` +
              `${(kernel.spillStoreBytes ?? 0) + (kernel.spillLoadBytes ?? 0)} bytes spilled`,
          );
        draw(`${stageName.collect} …`);
        break;
      case 'ncu':
        if (event.event.what === 'kernel') {
          const { count: number, percent, passes } = event.event;
          const name = cleanName(event.event.name);
          if (passes !== undefined)
            line(`ncu${replay ? ' (replay)' : ''}: kernel ${number}, ${name}: ${passes} passes`);
          else draw(`ncu${replay ? ' (replay)' : ''}: kernel ${number}, ${name}: ${percent} %`);
        } else if (event.event.what === 'program') {
          showProgram(event.event.text);
        }
        break;
      case 'again':
        draw(`run ${event.run} of ${event.all} …`);
        break;
      case 'fetched':
        draw(
          `report: ${Math.round((100 * event.have) / Math.max(event.all, 1))} % of ${(event.all / 1e6).toFixed(1)} MB`,
        );
        if (event.have === event.all) draw('');
        break;
      case 'kept':
        line(`kept on the host: ${cleanName(event.folder)}`);
        break;
      default:
        break;
    }
  };
}

export function compilerLine({
  file,
  line,
  column,
  severity,
  message,
}: {
  file?: string;
  line?: number;
  column?: number;
  severity: string;
  message: string;
}): string {
  const place =
    file === undefined
      ? ''
      : `${cleanName(relative('.', file))}${line ? `:${line}${column ? `:${column}` : ''}` : ''}: `;
  return `${place}${severity}: ${cleanName(message)}`;
}

async function showResult(
  result: ProfileResult,
  format: string,
  store: string,
  io: ProfileIo,
  judged: Judged,
): Promise<number> {
  for (const note of result.notes) io.stderr(`note: ${cleanName(note)}\n`);
  if (format === 'json') {
    const { device, devices, kernels, lines } = result.measured;
    const printed = {
      report: result.report,
      step: result.step,
      collectSeconds: result.collected.seconds,
      resources: result.built.kernels,
      messages: result.built.messages,
      notes: result.notes,
      ...gateJson(judged),
      device,
      devices: devices.map(({ id, name }) => ({ id, name })),
      kernels,
      lines,
    };
    io.stdout(`${cleanJson(JSON.stringify(printed))}\n`);
    return 0;
  }
  const code = await runReport(
    { report: result.report, pathMap: result.built.folders.map(({ from, to }) => `${from}=${to}`) },
    { ...nodeIo, stdout: io.stdout, stderr: io.stderr },
  );
  io.stdout('\n');
  const { steps, baselines } = await readHistory(store);
  if (steps.length > 1) io.stdout(`${showSteps(steps, baselines)}\n`);
  io.stdout(gateText(judged));
  const total = result.step.kernels.reduce((sum, kernel) => sum + (kernel.durationNs ?? 0), 0);
  io.stderr(
    `${result.step.label}: ${result.step.kernels.length} kernel${result.step.kernels.length === 1 ? '' : 's'}, ` +
      `${showDuration(total)}; ${relative('.', result.report)}\n`,
  );
  return code;
}

export function showProblem(problem: ProfileProblem, format: string, io: ProfileIo): void {
  const messages = problem instanceof BuildFailure ? problem.messages : [];
  const { kind, stage, message, nextStep, detail } = problem;
  if (format === 'json') {
    io.stdout(`${cleanJson(JSON.stringify({ problem: { kind, stage, message, nextStep, detail }, messages }))}\n`);
  }
  io.stderr(io.interactive ? '\r\u001b[K' : '');
  for (const message of messages) if (message.severity === 'error') io.stderr(`${compilerLine(message)}\n`);
  io.stderr(`warplens: ${cleanName(problem.message)}\n`);
  if (problem.detail !== '' && messages.length === 0)
    io.stderr(
      `${cleanLines(problem.detail)
        .split('\n')
        .map((line) => `    ${line}`)
        .join('\n')}\n`,
    );
  if (problem.nextStep !== '') io.stderr(`  → ${cleanName(problem.nextStep)}\n`);
}
