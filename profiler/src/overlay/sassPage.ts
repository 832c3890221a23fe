// What the page of machine code shows, as data: the instructions of a kernel, of one report or of two beside each
// other, with samples, reasons, live registers and lines.
import { amount, percent } from '../lines/amounts';
import { nameOf } from '../lines/sourceMapping';
import { controlLegend, controlText } from '../sass/controlWord';
import type { KernelInstruction, KernelSass } from '../sass/kernelSass';
import { counters, type ProfiledKernel } from './kernels';
import { firstReason, reasonsOf } from './marks';
import { stallReasonNamed } from './stallReasons';

export interface SassRow {
  readonly kind: 'instruction' | 'function';
  /** `0270`; the name of a function. */
  readonly offset: string;
  readonly text: string;
  readonly labels: string;
  /** Of the kernel's samples; empty below half a thousandth. */
  readonly share: string;
  /** Of the hottest instruction, 0 to 1. */
  readonly bar: number;
  readonly reason: string;
  /** All reasons with their shares of the instruction's samples. */
  readonly reasons: string;
  /** `15`, or `15 + 2` with the uniform registers; empty where it is not known. */
  readonly live: string;
  /** `live` of a kernel at its most. */
  readonly most: boolean;
  readonly executed: string;
  /** As `controlText` writes it; empty where it is not known. */
  readonly control: string;
  /**
   * Where the instruction's own line is: `18` in the file that most of the kernel is of, `problem.cuh:40` in another.
   */
  readonly place: string;
  /** Lines that it belongs to, as `keyOfLine` writes them, in the sources of the later report. */
  readonly keys: readonly string[];
}

export interface SassSide {
  /** The report. */
  readonly name: string;
  readonly kernel: string;
  /** What the texts are and what is missing, in a sentence. */
  readonly about: string;
  readonly hasLive: boolean;
  /** How to read the control words; absent without any. */
  readonly legend?: string;
  readonly rows: readonly SassRow[];
  /** The PTX, where the report has it. */
  readonly ptx?: readonly { readonly text: string; readonly keys: readonly string[] }[];
}

export interface SassPageModel {
  readonly title: string;
  /** Those that can be chosen. */
  readonly kernels: readonly { readonly name: string; readonly shortName: string }[];
  readonly chosen: string;
  /** The earlier report first, where there are two. */
  readonly sides: readonly SassSide[];
}

/** One line of a source, as a key. */
export function keyOfLine(file: string, line: number): string {
  return `${line}\n${file}`;
}

/** @param now where a line of this side is in the sources that are selected in; undefined where it is gone */
export function sassSide(
  name: string,
  kernel: ProfiledKernel,
  sass: KernelSass,
  now: (file: string, line: number) => { readonly file: string; readonly line: number } | undefined,
): SassSide {
  const all = sass.functions.flatMap(({ instructions }) => instructions);
  const samples = all.reduce((sum, { values }) => sum + (values[counters.samples] ?? 0), 0);
  const hottest = all.reduce((most, { values }) => Math.max(most, values[counters.samples] ?? 0), 0);
  const mostLive = all.reduce((most, { live }) => Math.max(most, live?.['GPR'] ?? 0), 0);
  const home = mostFrequent(all.flatMap(({ lines }) => lines.at(-1)?.file ?? []));
  const keysOf = (lines: readonly { readonly file: string; readonly line: number }[]): string[] =>
    lines.flatMap(({ file, line }) => {
      const at = now(file, line);
      return at ? [keyOfLine(at.file, at.line)] : [];
    });
  const row = ({ offset, text, labels, live, control, values, lines }: KernelInstruction): SassRow => {
    const count = values[counters.samples] ?? 0;
    const executed = values[counters.instructions] ?? 0;
    const innermost = lines.at(-1);
    return {
      kind: 'instruction',
      offset: offset.toString(16).padStart(4, '0'),
      text,
      labels: labels.join(', '),
      share: samples > 0 && count / samples >= 0.0005 ? percent(count / samples) : '',
      bar: hottest > 0 ? count / hottest : 0,
      reason: firstReason(values) ?? '',
      reasons: reasonsOf(values)
        .map(({ name: reason, share }) => `${stallReasonNamed(reason).title} ${percent(share)}`)
        .join(', '),
      live: live ? [live['GPR'] ?? 0, ...(live['UGPR'] ? [live['UGPR']] : [])].join(' + ') : '',
      most: mostLive > 0 && live?.['GPR'] === mostLive,
      executed: executed > 0 ? amount(executed) : '',
      control: control ? controlText(control) : '',
      place: innermost ? `${innermost.file === home ? '' : `${nameOf(innermost.file)}:`}${innermost.line}` : '',
      keys: keysOf(lines),
    };
  };
  const registers = kernel.longest.values['launch__registers_per_thread'];
  const alive = mostLive > 0 ? `, at most ${mostLive} alive` : '';
  const taken = registers === undefined ? '' : `; ${registers} registers per thread${alive}`;
  return {
    name,
    kernel: kernel.shortName,
    about: `${sass.tool ? `disassembled by ${sass.tool}` : sass.remark!}${taken}`,
    hasLive: all.some(({ live }) => live !== undefined),
    ...(all.some(({ control }) => control) ? { legend: controlLegend } : {}),
    rows: sass.functions.flatMap(({ name: of, instructions }, index) => [
      ...(index === 0 ? [] : [functionRow(of)]),
      ...instructions.map(row),
    ]),
    ...(sass.ptx ? { ptx: sass.ptx.map(({ text, lines }) => ({ text, keys: keysOf(lines) })) } : {}),
  };
}

function mostFrequent(files: readonly string[]): string | undefined {
  const counts = new Map<string, number>();
  for (const file of files) counts.set(file, (counts.get(file) ?? 0) + 1);
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

function functionRow(name: string): SassRow {
  const nothing = { text: '', labels: '', share: '', reason: '', reasons: '', live: '', executed: '', place: '' };
  return { kind: 'function', offset: name, ...nothing, control: '', bar: 0, most: false, keys: [] };
}
