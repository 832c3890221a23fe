// `warplens measure` and `warplens sweep`: the gain of a fix, of another file or of another value on the GPU.
import { basename, resolve } from 'node:path';
import type { Command } from 'commander';
import { applyEdits } from '../../server/src/workspace/edits';
import type { ResolvedFinding } from '../../server/src/lint/finding';
import { lint } from '../../server/src/lint/lint';
import type { Fix } from '../../server/src/rules/rule';
import type { Edit } from '../../server/src/semantic/model';
import { parametersOn, type Parameter } from '../../server/src/semantic/parameters';
import { lineTable } from '../../server/src/syntax/lines';
import { clockModes } from '../../profiler/src/collect/ncuCommand';
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
import { openWorkspace, pathOf, readAnalysisFlags, uriOf } from './analysis';
import { addOptions } from './options';
import { argumentsBehindDashes, compilerLine, onHost, processIo, type ProfileIo, type RunFlags } from './profile';
import { BadUse, displayPath, readSource } from './source';
import { statusLine, toolsLine } from './statusLine';

interface TrialFlags extends RunFlags {
  readonly folder: string;
  readonly sources?: readonly string[];
  readonly repetitions: number;
  readonly tolerance: number;
  readonly compare?: string;
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
  register(program, 'measure', fixesAt);
}

export function registerSweep(program: Command): void {
  register(program, 'sweep', valuesAt);
}

function register<Flags extends TrialFlags>(
  program: Command,
  name: 'measure' | 'sweep',
  planAt: (place: Place, flags: Flags, complain: (sentence: string) => void) => Promise<Plan>,
): void {
  addOptions(program.command(name), 'trial', name)
    .usage('[options] FILE:LINE [-- ARGS]')
    .argument('<place...>', 'a source file and a line, FILE:LINE; arguments after -- go to the program')
    .action(async (_place: string[], flags: Flags) => {
      process.exitCode = await runTrial(program, name, flags, (place, complain) => planAt(place, flags, complain));
    });
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
  const behind = argumentsBehindDashes(program);
  const places = program.commands
    .find((command) => command.name() === name)!
    .args.slice(0, -behind.length || undefined);
  const format = flags.json ? 'json' : flags.format;
  if (format !== 'text' && format !== 'json') throw new BadUse(`Unknown format "${format}". Use text or json.`);
  const clocks = clockModes.find((mode) => mode === flags.clocks);
  if (!clocks) throw new BadUse(`Invalid --clocks "${flags.clocks}": use ${clockModes.join(', ')}.`);
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

  return onHost(format, io, async (signal) => {
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
      clocks,
      nvcc: flags.nvcc,
      ncu: flags.ncu,
    };
    const result = await measureVariants(request, {
      signal,
      onEvent: showProgress(io, plan.variants[0].name),
    });
    io.stdout(
      format === 'json'
        ? `${JSON.stringify(asJson(plan, result))}\n`
        : `${plan.title}\n${result.device ? `${result.device}, ` : ''}${result.host}\n\n${showTrial(result, plan.isSweep)}`,
    );
    return 0;
  });
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
  const lines = lineTable(place.text);
  const lineOf = (offset: number): number => lines.positionAt(offset).line + 1;
  return { uri, lineOf, ...workspace.analyse(uri, { text: place.text, version: 1 })! };
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
  const { uri, model, gpu, lineOf } = await analysed(place, complain);
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
  const { uri, model, lineOf } = await analysed(place, complain);
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
