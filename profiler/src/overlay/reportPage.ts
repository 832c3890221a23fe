// What the report page shows, as data: kernels with their limits, lines, advice, and what has changed since a baseline.
import type { KernelFigures, Occupancy, OccupancyCurve, Roofline } from '../lines/kernelFigures';
import { plainText } from './adviceText';
import { nameOf } from '../lines/sourceMapping';
import { amount, duration, percent, shape } from '../lines/amounts';
import { changesBetween, haveLikeSamples, type KernelChange, type LineNow, type ReportChanges } from './changes';
import { changeRows, type ChangeRow } from './changesTable';
import { excessesOf, firstReason, marksOf, reasonsOf, threadsOf, type Mark } from './marks';
import { counters, type ProfiledKernel } from './kernels';
import { asProfiled, piecesOf, timeText, type AgeOf } from './measurement';
import { stallReasonNamed } from './stallReasons';
import { tailWaveOf } from './tailWave';
import { reasonForNoLines } from './withoutLines';

export interface PageModel {
  readonly title: string;
  readonly subtitle: string;
  readonly remarks: readonly string[];
  /** Name of what the kernels are compared with. */
  readonly baseline?: string;
  /** All kernels against all of the baseline, where these are more than one pair. */
  readonly total?: string;
  /** Kernels that only the baseline has, with their times. */
  readonly gone: readonly string[];
  readonly kernels: readonly PageKernel[];
}

export interface PageKernel {
  readonly name: string;
  readonly shortName: string;
  readonly launches: number;
  readonly shape: string;
  readonly duration: string;
  /** Of the longest kernel's time, 0 to 1. */
  readonly bar: number;
  readonly ofAll: string;
  readonly sm: string;
  readonly memory: string;
  readonly occupancy: string;
  readonly reason: string;
  /** What bounds the kernel, in a sentence with its numbers. */
  readonly verdict?: string;
  /** A launch in the baseline; the gain is of the mean launch. */
  readonly before?: {
    readonly duration: string;
    readonly gain: string;
    readonly kind: 'better' | 'worse' | '';
    readonly after: string;
    /** Before and after, as a part of the longer one. */
    readonly bars: readonly [number, number];
  };
  readonly light: readonly { readonly unit: string; readonly percent: string; readonly bar: number }[];
  readonly facts: readonly { readonly name: string; readonly value: string }[];
  readonly reasons: readonly {
    readonly name: string;
    readonly share: string;
    readonly bar: number;
    readonly ready: boolean;
    readonly meaning: string;
  }[];
  readonly roofline?: RooflineChart;
  readonly limits?: OccupancyChart;
  readonly lines: readonly PageLine[];
  /** What each line cost or saved since the baseline; absent where there is none to compare with. */
  readonly changes?: readonly ChangeRow[];
  readonly advice: readonly { readonly title: string; readonly text: string; readonly gain: string }[];
  readonly without?: string;
}

export interface PageLine {
  readonly file: string;
  readonly line: number;
  readonly label: string;
  readonly source: string;
  readonly share: string;
  readonly bar: number;
  readonly reason: string;
  readonly sectors: string;
  readonly wavefronts: string;
  readonly flagged: readonly string[];
  readonly threads: string;
  /** Its samples in the baseline; empty where the line was not there. */
  readonly before: string;
  /** What each column is sorted by; absent where it has no figure. */
  readonly sort: Readonly<
    Record<'place' | 'samples' | 'reason' | 'sectors' | 'wavefronts' | 'threads', number | string | undefined>
  >;
}

/** Axes from `least` to `most` operations a byte, and `lowest` to `highest` operations a second. */
export interface RooflineChart {
  readonly words: string;
  readonly least: number;
  readonly most: number;
  readonly lowest: number;
  readonly highest: number;
  /** Words for powers of ten on the upright axis. */
  readonly scale: Readonly<Record<number, string>>;
  readonly roofs: readonly (Roofline & { readonly name: string; readonly words: string })[];
}

export interface OccupancyChart {
  readonly words: string;
  readonly theoretical: number;
  readonly most: number;
  readonly curves: readonly (OccupancyCurve & { readonly words: string })[];
}

export interface PageReport {
  readonly name: string;
  readonly device?: { readonly name: string; readonly computeCapability?: string } | undefined;
  readonly kernels: readonly ProfiledKernel[];
}

/** Another report, where its lines are in this one's sources, and what they said. */
export interface PageBaseline {
  readonly name: string;
  readonly kernels: readonly ProfiledKernel[];
  readonly lineNow: LineNow;
  readonly sourceOf: (file: string, line: number) => string;
}

const mostLines = 30;
/** A unit that works at this share of its peak leaves little to gain beside it. */
const nearLimit = 80;
/** Below this share of both peaks a kernel waits more than it works, as Nsight Compute's rules have it. */
const latencyBound = 60;

/** The page of a report. `sourceOf` gives the profiled text of a line where it is known. */
export function pageModel(
  report: PageReport,
  remarks: readonly string[],
  sourceOf: (file: string, line: number) => string,
  baseline?: PageBaseline,
  ageOf: AgeOf = asProfiled,
): PageModel {
  const all = report.kernels.reduce((sum, { durationNs }) => sum + durationNs, 0);
  const longest = report.kernels.reduce((most, { durationNs }) => Math.max(most, durationNs), 0);
  const { device } = report;
  const launches = report.kernels.reduce((sum, kernel) => sum + kernel.launches, 0);
  const subtitle = [
    device && `${device.name}${device.computeCapability ? `, compute capability ${device.computeCapability}` : ''}`,
    `${report.kernels.length} ${report.kernels.length === 1 ? 'kernel' : 'kernels'}` +
      `${launches > report.kernels.length ? `, ${launches} launches` : ''}`,
    all > 0 && duration(all),
  ]
    .filter(Boolean)
    .join(' · ');
  const changes = baseline && changesBetween(baseline.kernels, report.kernels, baseline.lineNow);
  const changeOf = new Map(changes?.kernels.map((change) => [change.after, change]));
  return {
    title: report.name,
    subtitle,
    remarks,
    ...(baseline ? { baseline: baseline.name } : {}),
    ...(changes ? totalText(changes) : {}),
    gone:
      changes?.gone.map(({ shortName, durationNs, launches: of }) =>
        durationNs > 0 ? `${shortName} (${duration(durationNs / of)})` : shortName,
      ) ?? [],
    kernels: report.kernels
      .map((kernel) => pageKernel(kernel, all, longest, sourceOf, ageOf, changeOf.get(kernel), baseline))
      .sort((a, b) => b.bar - a.bar),
  };
}

/** `3.53 ms → 507 µs, 6.97×` */
function totalText({ kernels, gone, come, total }: ReportChanges): { readonly total?: string } {
  if (!total || kernels.length + gone.length + come.length < 2) return {};
  const { duration: was, after, gain } = gainOf(total.beforeNs, total.afterNs, total.changed);
  return { total: `${was} → ${after}, ${gain}` };
}

function pageKernel(
  kernel: ProfiledKernel,
  all: number,
  longest: number,
  sourceOf: (file: string, line: number) => string,
  ageOf: AgeOf,
  change: KernelChange | undefined,
  baseline: PageBaseline | undefined,
): PageKernel {
  const { values, grid, block, kind } = kernel.longest;
  const { figures } = kernel;
  const rate = (name: string): string => (values[name] === undefined ? '–' : `${values[name]!.toFixed(0)} %`);
  const reasons = reasonsOf(kernel.totals)
    .filter(({ share }) => share >= 0.005)
    .slice(0, 8);
  const mostSamples = reasons[0]?.share ?? 1;
  const count = (name: string, value: number | undefined, unit = ''): { name: string; value: string }[] =>
    value === undefined ? [] : [{ name, value: `${value.toLocaleString('en')}${unit}` }];
  const fixed = values['launch__shared_mem_per_block_static'];
  const shared = fixed === undefined ? undefined : fixed + (values['launch__shared_mem_per_block_dynamic'] ?? 0);
  const waves = values['launch__waves_per_multiprocessor'];
  const blocks = grid.reduce((product, each) => product * each, 1);
  const tail = kind === 'kernel' ? tailWaveOf(waves, blocks) : undefined;
  const linesBefore =
    change && baseline && haveLikeSamples(change.before, kernel) ? sharesNow(change.before, baseline) : undefined;
  const marks = marksOf(kernel, 'samples');
  const stale = kernel.lines.slice(0, 1).some((line) => ageOf(kernel, line).stale);
  const bound = verdictOn(figures);
  const verdict = stale ? piecesOf({ figure: bound?.replace(/\.$/, '') ?? '', words: [] }, true).join(', ') : bound;
  const roofline = figures && rooflineChart(figures.rooflines);
  return {
    name: kernel.name,
    shortName: kernel.shortName,
    launches: kernel.launches,
    shape: kind === 'kernel' ? `${shape(grid)} blocks of ${shape(block)}` : kind,
    duration: timeText(kernel.durationNs, stale) || '–',
    bar: longest > 0 ? kernel.durationNs / longest : 0,
    ofAll: all > 0 ? percent(kernel.durationNs / all) : '–',
    sm: rate('sm__throughput.avg.pct_of_peak_sustained_elapsed'),
    memory: rate('gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed'),
    occupancy: rate('sm__warps_active.avg.pct_of_peak_sustained_active'),
    reason: firstReason(kernel.totals) ?? '–',
    ...(verdict ? { verdict } : {}),
    ...(change?.durationBeforeNs !== undefined && change.durationAfterNs !== undefined
      ? { before: gainOf(change.durationBeforeNs, change.durationAfterNs, change.durationChanged) }
      : {}),
    light:
      figures?.speedOfLight.map(({ unit, percent: share }) => ({
        unit,
        percent: `${share.toFixed(0)} %`,
        bar: share / 100,
      })) ?? [],
    facts: [
      ...registersFact(change, values['launch__registers_per_thread']),
      ...count('Shared memory per block', shared, ' B'),
      ...count('Waves per multiprocessor', waves === undefined ? undefined : Math.round(waves * 100) / 100),
    ],
    reasons: reasons.map(({ name, share }) => {
      const { title, meaning, ready } = stallReasonNamed(name);
      return { name: title, share: percent(share), bar: share / mostSamples, ready: ready ?? false, meaning };
    }),
    ...(roofline ? { roofline } : {}),
    ...(figures?.occupancy ? { limits: occupancyChart(figures.occupancy) } : {}),
    lines: marks.slice(0, mostLines).map((mark) => pageLine(mark, ageOf(kernel, mark.line), sourceOf, linesBefore)),
    ...(change && baseline ? { changes: changeRows(change, baseline.sourceOf, sourceOf) } : {}),
    advice: [
      ...(tail ? [tail] : []),
      ...kernel.advice
        .flatMap(({ name, messages, speedup }) =>
          messages
            .filter(({ severity }) => severity !== 'ok' && severity !== 'none')
            .map(({ title, text }, index) => ({
              title: title || name,
              text: plainText(text), // A gain of the whole kernel says more than one of a part of it.
              percent: index === 0 ? (speedup?.percent ?? 0) + (speedup?.kind === 'global' ? 1000 : 0) : 0,
              gain:
                index === 0 && speedup
                  ? `${speedup.percent.toFixed(0)} % ${speedup.kind === 'global' ? 'of the kernel' : 'locally'}`
                  : '',
            })),
        )
        .sort((a, b) => b.percent - a.percent)
        .map(({ title, text, gain }) => ({ title, text, gain })),
    ],
    ...(marks.length === 0 && {
      without: kernel.longest.withoutLines ? reasonForNoLines(kernel.longest) : 'no samples',
    }),
  };
}

function pageLine(
  mark: Mark,
  { line: now, stale }: ReturnType<AgeOf>,
  sourceOf: (file: string, line: number) => string,
  before: ReadonlyMap<string, number> | undefined,
): PageLine {
  const { kernel, line, heat } = mark;
  const threads = threadsOf(line.values);
  const reason = firstReason(line.values);
  const name = nameOf(line.file);
  const ratio = (actual: string, ideal: string): number | undefined =>
    line.values[ideal] ? (line.values[actual] ?? 0) / line.values[ideal]! : undefined;
  const sectors = ratio(counters.sectors, counters.idealSectors);
  const wavefronts = ratio(counters.wavefronts, counters.idealWavefronts);
  const times = (value: number | undefined): string => (value === undefined ? '–' : `${value.toFixed(1)}×`);
  const share = before?.get(`${line.line}\n${line.file}`);
  return {
    file: line.file,
    line: line.line,
    label: `${name}:${now}`,
    source: sourceOf(line.file, line.line).trim(),
    share: piecesOf(mark, stale)[0] ?? '',
    bar: heat,
    reason: reason ?? '–',
    sectors: times(sectors),
    wavefronts: times(wavefronts),
    flagged: excessesOf(kernel, line).map(({ what }) => what),
    threads: threads === undefined ? '–' : threads > 0 && threads < 0.5 ? '<1' : threads.toFixed(0),
    before: share === undefined ? '' : percent(share),
    sort: {
      place: `${name} ${String(line.line).padStart(7, '0')}`,
      samples: line.values[counters.samples],
      reason,
      sectors,
      wavefronts,
      threads,
    },
  };
}

/** The shares of samples that an earlier kernel had on each line of today's sources. */
function sharesNow(before: ProfiledKernel, { lineNow }: PageBaseline): ReadonlyMap<string, number> {
  const total = before.totals[counters.samples] ?? 0;
  return new Map(
    before.lines.flatMap(({ file, line, values }) => {
      const now = lineNow(file, line);
      const samples = values[counters.samples];
      return now && !now.edited && samples && total > 0 ? [[`${now.line}\n${now.file}`, samples / total] as const] : [];
    }),
  );
}

function registersFact(change: KernelChange | undefined, registers: number | undefined): PageKernel['facts'] {
  if (registers === undefined) return [];
  const before = change?.registersBefore;
  const value = before === undefined || before === registers ? String(registers) : `${before} → ${registers}`;
  return [{ name: 'Registers per thread', value }];
}

/** @param changed whether the two differ by more than runs of the same code do */
function gainOf(was: number, is: number, changed: boolean): NonNullable<PageKernel['before']> {
  const ratio = was / is;
  const kind = !changed ? '' : ratio > 1 ? 'better' : 'worse';
  return {
    duration: duration(was),
    gain: kind === '' ? 'the same' : `${ratio.toPrecision(3)}×${kind === 'worse' ? ' (slower)' : ''}`,
    kind,
    after: duration(is),
    bars: [was / Math.max(was, is), is / Math.max(was, is)],
  };
}

const hiding = 'More warps or more independent work per warp can hide the latency.';

/** What bounds a kernel, in a few words: those of `verdictOn` before its figures. Absent where nothing does. */
export function boundOf(figures: KernelFigures | undefined): string | undefined {
  return verdictOn(figures)?.match(/^[^:]+(?=:)/)?.[0];
}

/** What bounds a kernel, from shares of the peak: both numbers, so that a reader can judge. */
export function verdictOn(figures: KernelFigures | undefined): string | undefined {
  const share = (unit: string): number | undefined => figures?.speedOfLight.find((each) => each.unit === unit)?.percent;
  const sm = share('SM');
  const memory = share('Memory');
  if (sm === undefined || memory === undefined) return undefined;
  const of = (percent: number): string => `${percent.toFixed(0)} %`;
  const dram = share('DRAM');
  const traffic = figures?.dram && `${bytesText(figures.dram.achieved)}/s of ${bytesText(figures.dram.peak)}/s`;
  if (dram !== undefined && traffic && dram >= nearLimit)
    return `near the DRAM limit: ${traffic} (${of(dram)}). Only less traffic makes it faster.`;
  const busiest = figures!.speedOfLight
    .filter(({ unit }) => unit === 'L1' || unit === 'L2')
    .sort((a, b) => b.percent - a.percent)[0];
  if (memory >= nearLimit && memory >= sm) {
    const { unit, percent: most } =
      busiest && busiest.percent >= nearLimit - 5 ? busiest : { unit: 'memory', percent: memory };
    const rest = traffic ? `, DRAM at ${traffic}` : '';
    return `memory bound: ${unit} at ${of(most)} of its peak, SM at ${of(sm)}${rest}.`;
  }
  if (sm >= nearLimit) return `compute bound: SM at ${of(sm)} of its peak, memory at ${of(memory)}.`;
  if (sm < latencyBound && memory < latencyBound)
    return `latency bound: neither SM (${of(sm)}) nor memory (${of(memory)}) is near its peak. ${hiding}`;
  if (memory > sm && busiest) {
    const rest = traffic ? `, DRAM at ${traffic} (${of(dram ?? 0)})` : '';
    return `mostly memory-limited: ${busiest.unit} at ${of(busiest.percent)} of its peak${rest}, SM at ${of(sm)}.`;
  }
  return `SM at ${of(sm)} of its peak, memory at ${of(memory)}.`;
}

const listed = new Intl.ListFormat('en-GB');
const powers = [6, 7, 8, 9, 10, 11, 12, 13, 14, 15];

function rooflineChart(roofs: readonly Roofline[]): RooflineChart | undefined {
  if (roofs.length === 0) return undefined;
  const ridges = roofs.map(({ peak, bandwidth }) => peak / bandwidth);
  const named = roofs.map((roof) => {
    const roofThere = Math.min(roof.peak, roof.intensity * roof.bandwidth);
    const under = roof.intensity < roof.peak / roof.bandwidth ? 'memory' : 'compute';
    return {
      ...roof,
      name: `${roof.precision} ${flops(roof.peak)}`,
      words:
        `${roof.precision} precision: ${flops(roof.achieved)} at ${number(roof.intensity)} operations a byte, ` +
        `${percent(Math.min(1, roof.achieved / roofThere))} of the ${under} roof (${flops(roofThere)}).`,
    };
  });
  const highest = Math.max(...roofs.map(({ peak }) => peak));
  const lowest = Math.min(...roofs.map(({ achieved }) => achieved));
  return {
    words: named.map(({ words }) => words).join(' '),
    least: Math.min(0.01, ...roofs.map(({ intensity }) => intensity / 2)),
    most: Math.max(100, ...ridges.map((ridge) => ridge * 4), ...roofs.map(({ intensity }) => intensity * 2)),
    lowest: Math.min(lowest / 2, highest / 1e4),
    highest: highest * 1.5,
    scale: Object.fromEntries(
      powers.map((power) => [power, `${10 ** (power % 3)} ${'MGTP'[Math.floor(power / 3) - 2]}`]),
    ),
    roofs: named,
  };
}

function occupancyChart({ achieved, theoretical, most, limiters, limits, curves }: Occupancy): OccupancyChart {
  const blocks = limits[0]?.blocks;
  const atOnce = blocks === undefined ? '' : ` (${blocks} ${blocks === 1 ? 'block' : 'blocks'} at once)`;
  const limited = limiters.length === 0 ? '' : `, limited by ${listed.format(limiters)}${atOnce}`;
  const average = achieved === undefined ? '' : `; ${number(achieved)} on average`;
  return {
    words: `${number(theoretical)} of ${most} warps${limited}${average}`,
    theoretical,
    most,
    curves: curves.map((curve) => ({ ...curve, words: nextStep(curve, theoretical) })),
  };
}

/** What the launch has, and the nearest value with which more warps fit. */
function nextStep({ of, at, points }: OccupancyCurve, warps: number): string {
  const here = `${at.toLocaleString('en')} ${of}: ${number(warps)} warps`;
  const better = points
    .filter(([value, there]) => there > warps && value > 0)
    .sort(([a], [b]) => Math.abs(a - at) - Math.abs(b - at))[0];
  const more = better ? `${better[0].toLocaleString('en')} would allow ${better[1]}` : 'no other value allows more';
  return `${here}; ${more}.`;
}

function flops(perSecond: number): string {
  return `${amountOf(perSecond)}FLOP/s`;
}
function bytesText(bytes: number): string {
  return `${amountOf(bytes)}B`;
}
/** `4.81 T`, `960 G`. */
function amountOf(value: number): string {
  for (const [size, letter] of [
    [1e15, 'P'],
    [1e12, 'T'],
  ] as const)
    if (value >= size) return `${(value / size).toPrecision(3)} ${letter}`;
  const text = amount(value);
  return /[GMk]$/.test(text) ? text : `${text} `;
}
function number(value: number): string {
  return String(Number(value.toPrecision(3)));
}
