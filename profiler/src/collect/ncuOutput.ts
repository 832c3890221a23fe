/**
 * Reads what ncu prints while it runs: which kernel, how far, and what went wrong. The program's own output comes in
 * between.
 */

/** Something that ncu said. */
export type NcuEvent =
  | { readonly what: 'connected'; readonly process: number; readonly program: string }
  | {
      readonly what: 'kernel';
      readonly name: string;
      readonly count: number;
      readonly percent: number;
      readonly passes?: number;
    }
  | { readonly what: 'program'; readonly text: string };

export interface NcuSummary {
  /** Names of the kernels whose measurement was finished, in order, with the number of passes each took. */
  readonly kernels: readonly { readonly name: string; readonly passes: number }[];
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
  /** Kernels that ran but were not measured, as ncu lists them when a filter matched nothing. */
  readonly availableKernels: readonly string[];
  readonly connected: boolean;
  readonly wroteReport: boolean;
}

export interface NcuReader {
  /** Takes text as it arrives, cut anywhere. */
  feed(text: string): void;
  end(): NcuSummary;
}

/** Characters; longer lines are the program's. */
const longestLine = 1 << 16;

const profiling = /^==PROF== Profiling "(.*)"(?: - \d+)?(?: \(\d+\/\d+\))?: ?(.*)$/;

/**
 * Messages of ncu 2019 to 2025 begin with `==PROF==`, `==WARNING==` or `==ERROR==`, sometimes right behind a line that
 * the program did not end.
 */
export function readNcuOutput(onEvent: (event: NcuEvent) => void = () => undefined): NcuReader {
  const kernels: { name: string; passes: number }[] = [];
  const errors: string[] = [];
  const warnings: string[] = [];
  const availableKernels: string[] = [];
  let connected = false;
  let wroteReport = false;
  let pending = '';
  let announced = -1;
  let listing = false;

  const progress = (name: string, rest: string) => {
    const percent = Number(/(\d+)%[^%]*$/.exec(rest)?.[1] ?? 0);
    const passes = /(\d+) pass(?:es)?\s*$/.exec(rest)?.[1];
    if (passes === undefined && percent <= announced) return;
    announced = percent;
    onEvent({
      what: 'kernel',
      name,
      count: kernels.length + 1,
      percent,
      ...(passes !== undefined && { passes: Number(passes) }),
    });
  };

  const line = (whole: string) => {
    const at = whole.search(/==(?:PROF|WARNING|ERROR)==/);
    if (at < 0) {
      const available = listing ? /^\s*\d+\. (.+)$/.exec(whole) : null;
      if (available) availableKernels.push(available[1]!);
      else if (/^Available Kernels:/.test(whole)) listing = true;
      else onEvent({ what: 'program', text: `${whole}\n` });
      return;
    }
    if (at > 0) onEvent({ what: 'program', text: whole.slice(0, at) });
    const text = whole.slice(at);
    listing = false;
    let match = profiling.exec(text);
    if (match) {
      progress(match[1]!, match[2]!);
      const passes = /(\d+) pass(?:es)?\s*$/.exec(match[2]!);
      if (passes) kernels.push({ name: match[1]!, passes: Number(passes[1]) });
      announced = -1;
      return;
    }
    match = /^==PROF== Connected to process (\d+)(?: \((.*)\))?/.exec(text);
    if (match) {
      connected = true;
      onEvent({ what: 'connected', process: Number(match[1]), program: match[2] ?? '' });
    } else if (/^==PROF== Report: /.test(text)) wroteReport = true;
    else if (text.startsWith('==ERROR==')) errors.push(text.slice('==ERROR=='.length).trim());
    else if (text.startsWith('==WARNING==')) warnings.push(text.slice('==WARNING=='.length).trim());
  };

  return {
    feed(text) {
      // What is nothing of ncu's is passed on as it is: programs print gigabytes.
      if (!listing && !text.includes('=') && !/^Available Kernels:/m.test(text) && !pending.includes('=')) {
        const all = pending + text;
        const end = Math.max(all.lastIndexOf('\n') + 1, all.length > longestLine ? all.length : 0);
        if (end > 0) onEvent({ what: 'program', text: all.slice(0, end) });
        pending = all.slice(end);
        return;
      }
      pending += text;
      const lines = pending.split(/\r?\n/);
      pending = lines.pop()!;
      for (const one of lines) line(one);
      const match = profiling.exec(pending.slice(Math.max(pending.search(/==PROF==/), 0)));
      // The number of passes counts when its line has ended, not while its digits come in.
      if (match) progress(match[1]!, match[2]!.replace(/ - \d+[^%]*$/, ''));
      // A program that prints megabytes without a newline is only passed on; a message of ncu's is never so long.
      if (pending.length > longestLine) {
        const at = pending.search(/==(?:PROF|WARNING|ERROR)==/);
        const end = at < 0 || pending.length - at > longestLine ? pending.length : at;
        onEvent({ what: 'program', text: pending.slice(0, end) });
        pending = pending.slice(end);
      }
    },
    end() {
      if (pending !== '') line(pending);
      pending = '';
      return { kernels, errors, warnings, availableKernels, connected, wroteReport };
    },
  };
}
