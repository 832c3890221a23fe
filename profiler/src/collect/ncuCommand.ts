/** The ncu command that measures what the line metrics need and no more, for whichever version is there. */

import type { NcuFacts } from '../preflight/probe';
import { isFrom } from '../report/dialects';

/**
 * Sections in the order of their worth. SourceCounters has every number per instruction; the others put a launch into
 * context (shape and registers, occupancy, duration and throughput). What says nothing per line is left out: the memory
 * tables, 14 of the 38 passes of `--set full`, and the stall reasons of the whole launch (WarpStateStats, 7 passes),
 * which the samples of its lines give too.
 */
export const wantedSections = [
  'SourceCounters',
  'LaunchStats',
  'Occupancy',
  'SpeedOfLight',
  'SpeedOfLight_RooflineChart',
] as const;

/** What ncu repeats to get at all counters; `single-pass`: nothing, so it collects what one run of a kernel gives. */
export const replayModes = ['kernel', 'application', 'single-pass'] as const;
export type ReplayMode = (typeof replayModes)[number];

/** Who sets the GPU's clocks: the driver, or ncu, which locks them to that frequency. */
export const clockModes = ['none', 'base', 'boost'] as const;
export type ClockMode = (typeof clockModes)[number];

/**
 * Stall samples of one run and nothing beside them: with any section, LaunchStats too, ncu 2025.3 makes three passes.
 * The option of the passes has had two names.
 */
const singlePass = {
  metrics: ['group:smsp__pcsamp_warp_stall_reasons'],
  passes: ['--warp-sampling-max-passes', '--sampling-max-passes'],
} as const;

export interface CollectChoice {
  /** `kernel` by default: each kernel is repeated, with its memory restored. */
  readonly replay?: ReplayMode | undefined;
  /**
   * As ncu takes it: the kernel's name without parameters, or `regex:…`. A name with `<` or `(` is matched against the
   * full name.
   */
  readonly kernel?: string | undefined;
  /**
   * How many launches of each kernel and shape; 1 by default, since hundreds of launches take minutes and say the same.
   */
  readonly launchesPerShape?: number;
  /** The run is ended in order after this many kernels. */
  readonly mostKernels: number;
  readonly clocks: ClockMode;
  /** Sections in place of the wanted ones, or `full` for everything that ncu has. */
  readonly sections?: readonly string[] | 'full' | undefined;
  /** Metrics by name besides the sections. */
  readonly metrics?: readonly string[];
  /** False: leave the sources out of the report, where no line is asked for. */
  readonly sources?: boolean;
  readonly arguments: readonly string[];
}

/** The command as a list. `report` is the path without its ending, which ncu adds. */
export function ncuCommand(ncu: NcuFacts, program: string, report: string, choice: CollectChoice): string[] {
  // An ncu that prints no help is taken to be of today.
  const knows = (option: string) => ncu.options.length === 0 || ncu.options.includes(option);
  // Without an ending, ncu from 2025.4 on may write a compressed report, which tools before it cannot open.
  const command = [
    ncu.path,
    '--export',
    isFrom(ncu.version, 2025, 4) ? `${report}.ncu-rep` : report,
    '--force-overwrite',
  ];
  if (knows('--target-processes')) command.push('--target-processes', 'all');
  if (choice.sources !== false && knows('--import-source')) command.push('--import-source', 'yes');
  if (knows('--clock-control')) command.push('--clock-control', choice.clocks);
  const single = choice.replay === 'single-pass';
  if (choice.replay === 'application' && knows('--replay-mode')) command.push('--replay-mode', 'application');
  const passes = single ? singlePass.passes.find(knows) : undefined;
  if (passes) command.push(passes, '1');
  if (choice.sections === 'full' && !single) command.push('--set', 'full');
  else if (!single) {
    const wanted = (choice.sections as readonly string[] | undefined) ?? wantedSections;
    for (const section of wanted.filter((name) => ncu.sections.length === 0 || ncu.sections.includes(name)))
      command.push('--section', section);
  }
  const metrics = choice.metrics ?? (single ? singlePass.metrics : []);
  if (metrics.length > 0) command.push('--metrics', metrics.join(','));
  if (choice.kernel !== undefined) {
    if (/[<(]/.test(choice.kernel) && knows('--kernel-name-base')) command.push('--kernel-name-base', 'demangled');
    if (knows('--kernel-name')) command.push('--kernel-name', choice.kernel);
    else command.push('--kernel-regex', choice.kernel.replace(/^regex:/, ''));
  }
  if (knows('--filter-mode'))
    command.push('--filter-mode', 'per-launch-config', '--launch-count', String(choice.launchesPerShape ?? 1));
  else command.push('--launch-count', String(choice.mostKernels));
  return [...command, program, ...choice.arguments];
}
