// `warplens measure` and `warplens sweep`: the gain of a fix, of another file or of another value on the GPU.
import { basename, resolve } from 'node:path';
import { InvalidArgumentError, type Command } from 'commander';
import { applyEdits } from '../../server/src/workspace/edits';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { lint } from '../../server/src/lint/lint';
import type { Fix } from '../../server/src/rules/rule';
import type { Edit } from '../../server/src/semantic/model';
import { parametersOn, type Parameter } from '../../server/src/semantic/parameters';
import { lineTable } from '../../server/src/syntax/lines';
import { touchedLines } from '../../profiler/src/trial/changedLines';
import { bestOf, showTrial } from '../../profiler/src/trial/show';
import {
  measureVariants,
  type FileText,
  type TrialEvent,
  type TrialRequest,
  type TrialResult,
  type Variant,
} from '../../profiler/src/trial/trial';
import { ProfileProblem } from '../../profiler/src/transport/problem';
import { openWorkspace, pathOf, readAnalysisFlags, uriOf } from './analysis';
import { commaList } from './options';
import { compilerLine, count, processIo, showProblem, words, type ProfileIo } from './profile';
import { BadUse, displayPath, readSource } from './source';
import { statusLine, toolsLine } from './statusLine';

interface TrialFlags {
  readonly host?: string;
  readonly launcher?: readonly string[];
  readonly sources?: readonly string[];
  readonly build?: string;
  readonly folder: string;
  readonly program?: string;
  readonly flags: readonly string[];
  readonly kernel?: string;
  readonly timeLimit: number;
  readonly repetitions: number;
  readonly clocks: string;
  readonly tolerance: number;
  readonly compare?: string;
  readonly scratch?: string;
  readonly nvcc?: string;
  readonly ncu?: string;
  readonly sshConfig?: string;
  readonly format: string;
  readonly json?: boolean;
}
interface MeasureFlags extends TrialFlags {
  readonly rule?: string;
  readonly fix?: number;
  readonly against?: string;
}
interface SweepFlags extends TrialFlags {
  readonly values?: readonly number[];
  readonly parameter?: string;
}

export function registerMeasure(program: Command): void {
  trialFlags(program.command('measure'))
    .argument('<place...>', 'a source file and a line, FILE:LINE; arguments after -- go to the program')
    .option('--rule <id>', 'only the findings of this rule')
    .option('--fix <n>', 'only the n-th fix on that line, from 1', count)
    .option('--against <file>', 'measure this file instead of FILE, not a fix')
    .action(async (_place: string[], flags: MeasureFlags) => {
      process.exitCode = await runTrial(program, 'measure', flags, (place, complain) =>
        fixesAt(place, flags, complain),
      );
    });
}

export function registerSweep(program: Command): void {
  trialFlags(program.command('sweep'))
    .argument('<place...>', 'a source file and a line, FILE:LINE; arguments after -- go to the program')
    .option('--values <numbers>', 'values to try, separated by commas (default: the usual candidates)', numbers)
    .option('--parameter <name>', 'which parameter, if the line has several')
    .action(async (_place: string[], flags: SweepFlags) => {
      process.exitCode = await runTrial(program, 'sweep', flags, (place, complain) => valuesAt(place, flags, complain));
    });
}

function trialFlags(command: Command): Command {
  return command
    .usage('[options] FILE:LINE [-- ARGS]')
    .option('--host <host>', 'build and run on this host, over your ssh (host, user@host, ssh://user@host:port)')
    .option('--launcher <words>', 'prefix for each tool on the host: "srun --gres=gpu:1"', words)
    .option(
      '--sources <files>',
      'the sources of the program, separated by commas, if FILE alone is not a program',
      (text: string) => commaList(text, undefined),
    )
    .option('--build <command>', 'build command instead of nvcc: "make", "cmake --build build"')
    .option('--folder <folder>', 'the folder where the build runs; it is copied', '.')
    .option('--program <path>', 'the program that the build creates, relative to its folder')
    .option('--flags <words>', 'additional nvcc arguments: "-std=c++17 -lcublas"', words, [])
    .option('--kernel <name>', 'time only this kernel, or regex:part-of-a-name (default: the kernel of the line)')
    .option('--time-limit <seconds>', 'stop a run that takes longer', count, 300)
    .option('--repetitions <n>', 'runs of each version under ncu', count, 3)
    .option('--clocks <who>', 'none: the driver sets the clocks; base: ncu locks them to base frequency', 'none')
    .option('--tolerance <share>', 'relative difference allowed between printed numbers: 1e-6', share, 0)
    .option(
      '--compare <command>',
      'comparison command, run in the folder of the changed program: $1 and $2 are the outputs ' +
        'before and after; status 0 means equal',
    )
    .option('--scratch <folder>', 'folder on the host for the scratch copies (default: its temporary folder)')
    .option('--nvcc <path>', 'path of nvcc on the host')
    .option('--ncu <path>', 'path of ncu on the host')
    .option('--ssh-config <file>', 'ssh configuration file (default: ~/.ssh/config)')
    .option('--format <format>', 'text or json', 'text')
    .option('--json', 'the same as --format json');
}

/** The versions to measure, and the kernel that they change if it is a single one. */
interface Plan {
  readonly title: string;
  readonly variants: readonly [Variant, ...Variant[]];
  readonly kernel?: string;
  readonly isSweep: boolean;
}
interface Place {
  readonly path: string;
  readonly text: string;
  readonly line?: number;
}

/** Exit codes: 0 measured, 1 not measurable, 2 bad use, 130 cancelled. */
async function runTrial(
  program: Command,
  name: string,
  flags: TrialFlags,
  planFor: (place: Place, complain: (sentence: string) => void) => Promise<Plan>,
  io: ProfileIo = processIo,
): Promise<number> {
  const all = (program as Command & { rawArgs: string[] }).rawArgs;
  const dashes = all.indexOf('--');
  const behind = dashes < 0 ? [] : all.slice(dashes + 1);
  const places = program.commands
    .find((command) => command.name() === name)!
    .args.slice(0, -behind.length || undefined);
  const format = flags.json ? 'json' : flags.format;
  if (format !== 'text' && format !== 'json') throw new BadUse(`Unknown format "${format}". Use text or json.`);
  if (flags.clocks !== 'none' && flags.clocks !== 'base')
    throw new BadUse(`Invalid --clocks "${flags.clocks}": use none or base.`);
  if (places.length !== 1)
    throw new BadUse(
      `Name one place, FILE:LINE (${places.length} given). Pass other sources with --sources and ` +
        "the program's arguments after --.",
    );
  if (flags.build === undefined && flags.program !== undefined) throw new BadUse('--program requires --build.');
  const complain = (sentence: string): void => io.stderr(`${sentence}\n`);
  const place = placeOf(places[0]!);
  const plan = await planFor(place, complain);
  const sources = [
    place.path,
    ...(flags.sources ?? []).map((file) => resolve(file)).filter((file) => file !== place.path),
  ];
  const built = flags.build === undefined ? sources.filter((file) => /\.(cu|cpp|cc|cxx|c)$/i.test(file)) : [];
  if (flags.build === undefined && built.length === 0 && !/\.(cuh|h|hpp|hh|hxx|inl)$/i.test(place.path))
    throw new BadUse(`nvcc cannot build ${displayPath(place.path)}. Name your build (--build make --program NAME).`);
  if (flags.build === undefined && !built.some(hasMain)) {
    throw new BadUse(
      `${displayPath(place.path)} has no main function. Name the file that has it (--sources ` +
        'main.cu), or your build (--build make --program NAME).',
    );
  }

  const stop = new AbortController();
  const onSignal = (): void => {
    if (!stop.signal.aborted) io.stderr('\nStopping the processes on the host …\n');
    stop.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  try {
    const request: TrialRequest = {
      host: { destination: flags.host, launcher: flags.launcher, scratchIn: flags.scratch, sshConfig: flags.sshConfig },
      build: {
        files: built,
        flags: flags.flags,
        folder: resolve(flags.folder),
        command: flags.build,
        program: flags.program,
      },
      variants: plan.variants,
      run: { arguments: behind, timeLimitSeconds: flags.timeLimit },
      kernel: flags.kernel ?? plan.kernel,
      changedKernel: plan.kernel,
      compare: { tolerance: flags.tolerance, command: flags.compare },
      repetitions: flags.repetitions,
      clocks: flags.clocks,
      nvcc: flags.nvcc,
      ncu: flags.ncu,
    };
    const result = await measureVariants(request, {
      signal: stop.signal,
      onEvent: showProgress(io, plan.variants[0].name),
    });
    io.stdout(
      format === 'json'
        ? `${JSON.stringify(asJson(plan, result))}\n`
        : `${plan.title}\n${result.device ? `${result.device}, ` : ''}${result.host}\n\n${showTrial(result, plan.isSweep)}`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof ProfileProblem)) throw error;
    showProblem(error, format, io);
    return error.kind === 'cancelled' ? 130 : error.kind === 'bad-setting' ? 2 : 1;
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, onSignal);
  }
}

function asJson(plan: Plan, result: TrialResult): object {
  const best = plan.isSweep ? bestOf(result) : undefined;
  return {
    title: plan.title,
    kernel: plan.kernel,
    ...result,
    ...(best ? { best: best.best.name, equals: best.equals.map(({ name }) => name) } : {}),
  };
}

function placeOf(given: string): Place {
  const match = /^(.*?)(?::(\d+))?(?::\d+)?$/s.exec(given)!;
  const path = resolve(match[1]!);
  const text = readSource(path);
  if (typeof text !== 'string') throw new BadUse(`${match[1]} ${text.problem}.`);
  return { path, text, ...(match[2] ? { line: Number(match[2]) } : {}) };
}

function hasMain(file: string): boolean {
  const text = readSource(file);
  // The build reports a file that cannot be read.
  return typeof text !== 'string' || /\bmain\s*\(/.test(text);
}

async function analysed(place: Place, complain: (sentence: string) => void) {
  const workspace = await openWorkspace(readAnalysisFlags({}), complain);
  const uri = uriOf(place.path);
  await workspace.ready(uri);
  return { uri, workspace, ...workspace.analyse(uri, { text: place.text, version: 1 })! };
}

async function fixesAt(place: Place, flags: MeasureFlags, complain: (sentence: string) => void): Promise<Plan> {
  const shown = displayPath(place.path);
  const unchanged: Variant = { name: 'unchanged', files: [] };
  if (flags.against !== undefined) {
    const text = readSource(resolve(flags.against));
    if (typeof text !== 'string') throw new BadUse(`${flags.against} ${text.problem}.`);
    const kernel = await changedKernelOf(place, text, complain);
    return {
      title: `${shown} against ${flags.against}`,
      variants: [unchanged, { name: basename(flags.against), files: [{ path: place.path, text }] }],
      ...(kernel === undefined ? {} : { kernel }),
      isSweep: false,
    };
  }
  const { uri, model, gpu } = await analysed(place, complain);
  const lines = lineTable(place.text);
  const lineOf = (offset: number): number => lines.positionAt(offset).line + 1;
  const all = lint(model, place.text, { gpu }).findings.filter(
    ({ fixes, rule }) =>
      fixes.length > 0 && (flags.rule === undefined || rule === flags.rule || rule.split('/')[1] === flags.rule),
  );
  const here =
    place.line === undefined
      ? all
      : all.filter(({ at }) => lineOf(at.start) <= place.line! && place.line! <= lineOf(at.end));
  const of = flags.rule ? ` of ${flags.rule}` : '';
  if (here.length === 0) {
    const others = [...new Set(all.map(({ at, rule }) => `${lineOf(at.start)} (${rule})`))];
    throw new BadUse(
      others.length === 0
        ? `No finding${of} in ${shown} has a fix.`
        : `No finding${of} on line ${place.line} of ${shown} has a fix. Lines with fixes: ` +
            `${others.slice(0, 8).join(', ')}.`,
    );
  }
  // Several findings of a line may share one fix.
  const offered = new Map<string, { readonly finding: ResolvedFinding; readonly fix: Fix }>();
  for (const finding of here)
    for (const fix of finding.fixes)
      offered.set(JSON.stringify(fix.edits), offered.get(JSON.stringify(fix.edits)) ?? { finding, fix });
  let chosen = [...offered.values()];
  if (flags.fix !== undefined) {
    const one = chosen[flags.fix - 1];
    if (!one)
      throw new BadUse(
        `There ${chosen.length === 1 ? 'is one fix' : `are ${chosen.length} fixes`} on that line; ` +
          `--fix ${flags.fix} is none of them.`,
      );
    chosen = [one];
  }
  const kernels = new Set(
    chosen.map(({ finding }) =>
      kernelOf(
        finding,
        model.facts.kernel.find(
          ({ at, global }) =>
            global && at.uri === finding.at.uri && at.start <= finding.at.start && finding.at.end <= at.end,
        )?.name,
      ),
    ),
  );
  const [kernel] = kernels;
  return {
    title:
      `${shown}${place.line === undefined ? '' : `:${place.line}`}  ` +
      `${[...new Set(chosen.map(({ finding }) => finding.rule))].join(', ')}`,
    variants: [
      unchanged,
      ...chosen.map(({ fix }): Variant => ({ name: fix.title, files: changed(fix.edits, uri, place) })),
    ],
    ...(kernels.size === 1 && kernel !== undefined ? { kernel } : {}),
    isSweep: false,
  };
}

/** The kernel that all changed lines are in; undefined where a change touches more, or other code. */
async function changedKernelOf(
  place: Place,
  text: string,
  complain: (sentence: string) => void,
): Promise<string | undefined> {
  const { uri, model } = await analysed(place, complain);
  const lines = lineTable(place.text);
  const lineOf = (offset: number): number => lines.positionAt(offset).line + 1;
  const around = touchedLines(place.text, text).map(
    (line) =>
      model.facts.kernel.find(
        ({ at, global }) => global && at.uri === uri && lineOf(at.start) < line && line <= lineOf(at.end),
      )?.name,
  );
  return new Set(around).size === 1 ? around[0] : undefined;
}

/**
 * The kernel whose time a finding is about: the one around it, or the one that its launch starts; a finding of the host
 * is about none.
 */
function kernelOf(finding: ResolvedFinding, around: string | undefined): string | undefined {
  if (around !== undefined) return around;
  const { kernel } = finding.data;
  return typeof kernel === 'string' ? kernel.replace(/<.*$/s, '').replace(/^.*::/s, '') : undefined;
}

async function valuesAt(place: Place, flags: SweepFlags, complain: (sentence: string) => void): Promise<Plan> {
  const shown = displayPath(place.path);
  if (place.line === undefined) throw new BadUse(`Name the line of the number: ${shown}:LINE.`);
  const { uri, model } = await analysed(place, complain);
  const lines = place.text.split('\n');
  if (place.line < 1 || place.line > lines.length) throw new BadUse(`${shown} has ${lines.length} lines.`);
  const start = lines.slice(0, place.line - 1).reduce((sum, line) => sum + line.length + 1, 0);
  const all = parametersOn(model, place.text, { uri, start, end: start + lines[place.line - 1]!.length });
  if (all.length === 0)
    throw new BadUse(
      `Line ${place.line} of ${shown} has no number to sweep: a launch with one literal block ` +
        'size, a num_workers or vector_length clause, or an integer constant.',
    );
  const fitting =
    flags.parameter === undefined
      ? all
      : all.filter(({ name }) => name === flags.parameter || name.includes(flags.parameter!));
  if (fitting.length !== 1)
    throw new BadUse(
      `${fitting.length === 0 ? `No parameter of line ${place.line} is called "${flags.parameter}"` : `Line ${place.line} of ${shown} has several parameters`}; ` +
        `choose with --parameter: ${all.map(({ name }) => `"${name}"`).join(', ')}.`,
    );
  const [parameter] = fitting as [Parameter];
  if (parameter.remark) complain(`note: ${parameter.remark}; the outputs are compared.`);
  const values = (flags.values ?? parameter.candidates).filter((value) => value !== parameter.value);
  const named = (value: number): string => (value === parameter.value ? `${value} (as it is)` : String(value));
  const form = (value: number): Variant => ({
    name: named(value),
    files: changed([{ at: parameter.at, newText: String(value) }], uri, place),
  });
  return {
    title: `${shown}:${place.line}  ${parameter.name}`,
    variants: [{ name: named(parameter.value), files: [] }, ...values.map(form)],
    ...(parameter.kernel !== undefined ? { kernel: parameter.kernel } : {}),
    isSweep: true,
  };
}

/** The new texts of the files that the edits touch. */
function changed(edits: readonly Edit[], uri: string, place: Place): FileText[] {
  return [...new Set(edits.map(({ at }) => at.uri))].map((each) => {
    const path = pathOf(each);
    const text = each === uri ? place.text : readSource(path);
    if (typeof text !== 'string')
      throw new BadUse(`${displayPath(path)}, which the fix also changes, ${text.problem}.`);
    const result = applyEdits(text, edits, each);
    if (result === undefined) throw new BadUse(`The fix does not apply to ${displayPath(path)}.`);
    return { path, text: result };
  });
}

/** Progress goes to the error stream: a line for each step, drawn over while it lasts where that is possible. */
function showProgress(io: ProfileIo, unchanged: string): (event: TrialEvent) => void {
  const { line, draw } = statusLine(io);
  return (event) => {
    switch (event.what) {
      case 'step':
        draw(`[${event.done + 1}/${event.all}] ${event.text} …`);
        break;
      case 'checked':
        line(toolsLine(event.preflight.facts));
        break;
      case 'built':
        for (const message of event.program.messages)
          if (message.severity === 'warning' && message.file !== undefined) line(compilerLine(message));
        line(`built: ${event.variant}`);
        break;
      case 'build-failed':
        line(`does not build: ${event.variant}: ${event.message}`);
        break;
      case 'program-output':
        // The output of the other versions is compared, and shown where it differs.
        if (event.variant !== unchanged) break;
        for (const text of event.text.trimEnd().split('\n').slice(0, 40)) if (text !== '') line(`| ${text}`);
        break;
      default:
        break;
    }
  };
}

function share(text: string): number {
  const value = Number(text);
  if (!(value >= 0 && value < 1)) throw new InvalidArgumentError('Use a number from 0 to below 1, such as 1e-6.');
  return value;
}

function numbers(text: string): number[] {
  const values = text.split(',').map((part) => Number(part.trim()));
  if (values.some((value) => !Number.isSafeInteger(value) || value < 1))
    throw new InvalidArgumentError('Use whole numbers above 0, separated by commas.');
  return [...new Set(values)];
}
