/** The steps as a table: times by kernel against the baseline, as rows, as text for a terminal and as Markdown. */

import { leastGain } from '../overlay/thresholds';
import { nameOf } from '../lines/sourceMapping';
import { seriesNameOf, showDuration } from './steps';
import type { Step } from './steps';

/** Steps of one program, oldest first, with what each kernel took against the baseline. */
export interface Series {
  readonly name: string;
  /** Names of the kernels, by their time in the baseline. */
  readonly kernels: readonly string[];
  readonly rows: readonly StepRow[];
}

export interface StepRow {
  readonly step: Step;
  /** From 0 within the series. */
  readonly position: number;
  readonly isBaseline: boolean;
  /** By kernel name; absent where the step did not measure it. */
  readonly times: ReadonlyMap<string, StepTime>;
  /** All kernels together. */
  readonly total?: StepTime;
}

export interface StepTime {
  readonly durationNs: number;
  /** How many times faster than the baseline; absent in the baseline, and where the two cannot be compared. */
  readonly gain?: number;
}

/**
 * Groups steps by series. A kernel that the baseline lacks is compared with the first step that has it; sums are
 * compared only between steps that measured with the same choice of kernels.
 */
export function seriesOf(steps: readonly Step[], baselines: Readonly<Record<string, number>> = {}): Series[] {
  const groups = new Map<string, Step[]>();
  for (const step of [...steps].sort((a, b) => a.number - b.number)) {
    const name = seriesNameOf(step);
    groups.set(name, [...(groups.get(name) ?? []), step]);
  }
  return [...groups].map(([name, group]) => {
    const baseline =
      group.find(({ number }) => Object.hasOwn(baselines, name) && number === baselines[name]) ?? group[0]!;
    const seen = [baseline, ...group].flatMap((step) => step.kernels.map(({ shortName }) => shortName));
    const kernels = [...new Set(seen)].sort((a, b) => (timeOf(baseline, b) ?? -1) - (timeOf(baseline, a) ?? -1));
    const first = new Map(
      kernels.map((kernel) => [kernel, [baseline, ...group].find((step) => timeOf(step, kernel) !== undefined)]),
    );
    const rows = group.map((step, position): StepRow => {
      const times = new Map<string, StepTime>();
      for (const kernel of kernels) {
        const durationNs = timeOf(step, kernel);
        const against = first.get(kernel)!;
        if (durationNs !== undefined)
          times.set(kernel, compared(durationNs, against === step ? undefined : timeOf(against, kernel)));
      }
      const total = totalOf(step);
      const comparable = step !== baseline && kernelChoiceOf(step) === kernelChoiceOf(baseline);
      return {
        step,
        position,
        isBaseline: step === baseline,
        times,
        ...(total !== undefined && { total: compared(total, comparable ? totalOf(baseline) : undefined) }),
      };
    });
    return { name, kernels, rows };
  });
}

/** What a step is called in a list: its own label, with its position before it where the label does not tell that. */
export function rowLabel({ step, position }: Pick<StepRow, 'step' | 'position'>): string {
  return /^(baseline|step \d+)$/.test(step.label) ? step.label : `${position} ${step.label}`;
}

/** What led to a step, in a line: the user's words, else what changed. */
export function reasonOf({ remark, change }: Pick<Step, 'remark' | 'change'>): string {
  return remark ?? change?.title ?? '';
}

/** `2.00×`, `0.87×`, `18.9×`: how many times faster. */
export function showGain(gain: number): string {
  return `${gain >= 100 ? gain.toFixed(0) : gain >= 10 ? gain.toFixed(1) : gain >= 0.1 ? gain.toFixed(2) : gain.toPrecision(1)}×`;
}

/** The table for a terminal: for each series a row for each step, a column for each kernel. */
export function showSteps(steps: readonly Step[], baselines: Readonly<Record<string, number>> = {}): string {
  if (steps.length === 0) return 'No steps yet.\n';
  const all = seriesOf(steps, baselines);
  return all.map((series) => `${all.length > 1 ? `${series.name}\n` : ''}${textTable(series)}`).join('\n');
}

function textTable({ kernels, rows }: Series): string {
  const cell = (time: StepTime | undefined): string =>
    time === undefined
      ? '-'
      : `${showDuration(time.durationNs)}${time.gain === undefined ? '' : ` (${time.gain.toPrecision(3)}x)`}`;
  const header = ['step', 'when', ...kernels, 'all kernels', 'change'];
  const lines = rows.map(({ step, times, total, isBaseline, position }) => [
    `${rowLabel({ step, position })}${isBaseline && step.label !== 'baseline' ? ' (baseline)' : ''}`,
    step.time.slice(0, 16).replace('T', ' '),
    ...kernels.map((kernel) => cell(times.get(kernel))),
    cell(total),
    reasonOf(step),
  ]);
  const last = header.length - 1;
  const shown = lines.some((line) => line[last] !== '')
    ? [header, ...lines]
    : [header, ...lines].map((line) => line.slice(0, last));
  const widths = header.map((_title, column) => Math.max(...shown.map((line) => (line[column] ?? '').length)));
  return `${shown
    .map((line) =>
      line
        .map((text, column) =>
          column < 2 || column === last ? text.padEnd(widths[column]!) : text.padStart(widths[column]!),
        )
        .join('  ')
        .trimEnd(),
    )
    .join('\n')}\n`;
}

/** Kernels beyond this count in the sum only: a table of thirty columns is unreadable. */
const mostColumns = 6;

/**
 * The same as Markdown: a heading and a table for each series; `diffOf` gives the change of a step as a unified diff,
 * to stand below.
 */
export function markdownSteps(
  steps: readonly Step[],
  baselines: Readonly<Record<string, number>> = {},
  diffOf: (step: Step) => string | undefined = () => undefined,
): string {
  if (steps.length === 0) return 'No steps yet.\n';
  return seriesOf(steps, baselines)
    .map((series) => markdownTable(series, diffOf))
    .join('\n');
}

function markdownTable({ name, kernels, rows }: Series, diffOf: (step: Step) => string | undefined): string {
  const columns = kernels.slice(0, mostColumns);
  const cell = (time: StepTime | undefined): string => {
    if (time === undefined) return '';
    const duration = unbroken(showDuration(time.durationNs));
    if (time.gain === undefined) return duration;
    // Runs of the same program differ by some per cent, so what is below is not worth bold letters.
    return `${duration}\u00a0${time.gain >= 1 + leastGain ? `**${showGain(time.gain)}**` : showGain(time.gain)}`;
  };
  const withTotal = kernels.length > 1;
  const header = [
    'Step',
    ...columns.map(code),
    ...(withTotal ? [`All${kernels.length > columns.length ? ` ${kernels.length}` : ''} kernels`] : []),
    'Change',
  ];
  const lines = rows.map(({ step, times, total, isBaseline, position }) => [
    `${escaped(rowLabel({ step, position }))}${isBaseline && step.label !== 'baseline' ? ' (baseline)' : ''}`,
    ...columns.map((kernel) => cell(times.get(kernel))),
    ...(withTotal ? [cell(total)] : []),
    changeCell(step),
  ]);
  const align = header.map((_title, column) => (column === 0 || column === header.length - 1 ? ':--' : '--:'));
  const devices = [
    ...new Set(rows.map(({ step }) => [step.device ?? 'unknown GPU', step.host].filter(Boolean).join(' on '))),
  ];
  const first = rows[0]!.step;
  const about =
    `${devices.map(escaped).join(', then ')}; ` +
    `${first.time.slice(0, 10)}${rows.length > 1 && rows.at(-1)!.step.time.slice(0, 10) !== first.time.slice(0, 10) ? ` to ${rows.at(-1)!.step.time.slice(0, 10)}` : ''}. ` +
    'Mean time of a launch; gains are against the baseline.';
  const diffs = rows.flatMap(({ step, position }) => {
    const diff = diffOf(step);
    return diff === undefined || diff === ''
      ? []
      : [
          '### ' +
            `${escaped(rowLabel({ step, position }))}${reasonOf(step) ? `: ${inline(reasonOf(step))}` : ''}\n\n${fenced(diff)}\n`,
        ];
  });
  return [
    `## ${escaped(name)}`,
    '',
    about,
    '',
    ...[header, align, ...lines].map((line) => `| ${line.join(' | ')} |`),
    '',
    ...diffs,
  ].join('\n');
}

function changeCell(step: Step): string {
  const files = step.change?.files ?? [];
  const counts =
    files.length > 0
      ? ` (${files
          .slice(0, 2)
          .map(({ path, added, removed }) => unbroken(`${escaped(nameOf(path))} +${added} −${removed}`))
          .join(', ')}${files.length > 2 ? `, ${files.length - 2} more` : ''})`
      : '';
  const reason = reasonOf(step);
  return reason === '' ? '' : `${inline(reason)}${counts}`;
}

/** Words as they are; what looks like code, as code. */
function inline(text: string): string {
  return /[;{}[\]<>=*]|\w\(/.test(text) ? code(text) : escaped(text);
}

/** A narrow column does not part a number from its unit. */
function unbroken(text: string): string {
  return text.replaceAll(' ', '\u00a0');
}

function code(text: string): string {
  const plain = text.replaceAll('|', '\\|').replace(/\s+/g, ' ').trim();
  const fence = '`'.repeat(Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length)) + 1);
  return fence.length === 1 ? `\`${plain}\`` : `${fence} ${plain} ${fence}`;
}

function fenced(diff: string): string {
  const fence = '`'.repeat(Math.max(2, ...[...diff.matchAll(/^`+/gm)].map(([run]) => run.length)) + 1);
  return `${fence}diff\n${diff.trimEnd()}\n${fence}`;
}

function escaped(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\`*_{}[\]<>|#&]/g, '\\$&');
}

function timeOf(step: Step, kernel: string): number | undefined {
  const times = step.kernels.filter(({ shortName, durationNs }) => shortName === kernel && durationNs !== undefined);
  return times.length === 0 ? undefined : times.reduce((sum, { durationNs }) => sum + durationNs!, 0);
}

function totalOf(step: Step): number | undefined {
  const sum = step.kernels.reduce((all, { durationNs }) => all + (durationNs ?? 0), 0);
  return sum > 0 ? sum : undefined;
}

function compared(durationNs: number, before: number | undefined): StepTime {
  return before === undefined || durationNs <= 0 ? { durationNs } : { durationNs, gain: before / durationNs };
}

/** The kernels that a step measured, as its command says; empty for all. */
function kernelChoiceOf(step: Step): string {
  return /'?--kernel-(?:name|regex)'?\s+'?([^\s']+)/.exec(step.collectCommand)?.[1] ?? '';
}
