// `warplens report --sass`: the instructions of each kernel with their counters, of a line alone where one is named.
import { counters, gatherKernels } from '../../profiler/src/overlay/kernels';
import { firstReason, reasonsOf } from '../../profiler/src/overlay/marks';
import { openReport, ReportError, type Launch, type Report } from '../../profiler/src/report';
import { controlLegend, controlText } from '../../profiler/src/sass/controlWord';
import { readKernelSass, type KernelInstruction, type KernelSass } from '../../profiler/src/sass/kernelSass';
import { keptBeside, type ReportIo } from './reportIo';
import { table } from './reportText';
import { versioned, cleanName } from './terminalText';

export interface SassPrint {
  readonly format: 'text' | 'json';
  readonly accepts: (launch: Launch) => boolean;
  readonly line: { readonly file: string; readonly line: number } | undefined;
}

interface Printed {
  readonly report: string;
  readonly kernel: string;
  readonly sass: KernelSass;
  /** Samples of the whole kernel. */
  readonly samples: number;
}

/** Exit codes: 0 done, 2 a report cannot be read, or has no such line. */
export async function printSass(
  reports: readonly string[],
  { format, accepts, line }: SassPrint,
  io: ReportIo,
): Promise<number> {
  const all: Printed[] = [];
  for (const path of reports) {
    const source = await io.open(path);
    try {
      const report = await openReport(source);
      const kept = await keptBeside(path, io);
      for (const { name, symbol } of await kernelsOf(report, accepts)) {
        const sass = await readKernelSass(
          report,
          (launch) => launch.name === name && launch.mangledName === symbol,
          kept,
        );
        if (sass)
          all.push({ report: path, kernel: name, sass: line ? ofLine(sass, line) : sass, samples: samplesOf(sass) });
      }
    } catch (error) {
      if (!(error instanceof ReportError)) throw error;
      io.stderr(`${cleanName(path)}: ${cleanName(error.message)}\n`);
      return 2;
    } finally {
      await source.close();
    }
  }
  const shown = all.filter(({ sass }) => sass.functions.some(({ instructions }) => instructions.length > 0));
  if (shown.length === 0) {
    io.stderr(
      line
        ? `No instruction of a kernel belongs to ${cleanName(line.file)}:${line.line}. ` +
            'Name a measured line; "warplens report" lists them.\n'
        : 'The report does not contain the machine code of its kernels.\n',
    );
    return 2;
  }
  io.stdout(format === 'json' ? `${versioned({ kernels: shown.map(jsonOf) })}\n` : shown.map(textOf).join('\n'));
  return 0;
}

/** Kernels that match the filter, the longest first. */
async function kernelsOf(
  report: Report,
  accepts: (launch: Launch) => boolean,
): Promise<{ name: string; symbol: string }[]> {
  const launches = report.launches.filter((launch) => launch.kind === 'kernel' && accepts(launch));
  const kernels = (await gatherKernels({ ...report, launches }, () => true))!;
  return kernels
    .sort((a, b) => b.durationNs - a.durationNs)
    .map(({ name, mangledName }) => ({ name, symbol: mangledName ?? '' }));
}

function ofLine(sass: KernelSass, { file, line }: { readonly file: string; readonly line: number }): KernelSass {
  const isIt = (at: { readonly file: string; readonly line: number }): boolean =>
    at.line === line && (at.file === file || at.file.replaceAll('\\', '/').endsWith(`/${file.replace(/^\.\//, '')}`));
  return {
    ...sass,
    functions: sass.functions.map((one) => ({
      ...one,
      instructions: one.instructions.filter(({ lines }) => lines.some(isIt)),
    })),
    ...(sass.ptx ? { ptx: sass.ptx.filter(({ lines }) => lines.some(isIt)) } : {}),
  };
}

function textOf({ report, kernel, sass, samples: total }: Printed): string {
  const has = (what: 'live' | 'control'): boolean =>
    sass.functions.some(({ instructions }) => instructions.some((one) => one[what]));
  const columns = ['  offset', 'samples', 'waits for', 'live', 'control', 'instruction', 'line'].filter(
    (name) => (name !== 'live' && name !== 'control') || has(name),
  );
  const about = cleanName(sass.tool ? `disassembled by ${sass.tool}` : sass.remark!);
  const legend = has('control') ? `  ${controlLegend}\n` : '';
  const title = `${cleanName(report)}: ${cleanName(kernel)}\n  ${about}\n${legend}`;
  const functions = sass.functions
    .filter(({ instructions }) => instructions.length > 0)
    .map(({ name, instructions }, index) => {
      const rows = instructions.map((one) => {
        const samples = one.values[counters.samples] ?? 0;
        const at = one.lines.at(-1);
        const cells: Readonly<Record<string, string | false | undefined>> = {
          '  offset': `  ${one.offset.toString(16).padStart(4, '0')}`,
          samples: total > 0 && samples / total >= 0.0005 && `${((100 * samples) / total).toFixed(1)} %`,
          'waits for': firstReason(one.values),
          live: one.live && String(one.live['GPR'] ?? 0),
          control: one.control && controlText(one.control),
          instruction: cleanName(`${one.labels.map((label) => `${label}: `).join('')}${one.text}`),
          line: at && cleanName(`${at.file.split(/[\\/]/).pop()}:${at.line}`),
        };
        return columns.map((column) => cells[column] || '');
      });
      const right = columns.flatMap((name, at) => (name === 'samples' || name === 'live' ? [at] : []));
      return `${index === 0 ? '' : `  ${cleanName(name)}\n`}${table(columns, rows, right)}`;
    });
  const ptx =
    sass.ptx && sass.ptx.length > 0 ? `  PTX\n${sass.ptx.map(({ text }) => `  ${cleanName(text)}\n`).join('')}` : '';
  return title + functions.join('') + ptx;
}

function samplesOf({ functions }: KernelSass): number {
  return functions
    .flatMap(({ instructions }) => instructions)
    .reduce((sum, { values }) => sum + (values[counters.samples] ?? 0), 0);
}

function jsonOf({ report, kernel, sass }: Printed): object {
  const instruction = ({ offset, text, labels, live, control, values, lines }: KernelInstruction): object => ({
    offset,
    text: sass.source === 'none' ? undefined : text,
    ...(labels.length > 0 ? { labels } : {}),
    live,
    control,
    samples: values[counters.samples] ?? 0,
    reasons: Object.fromEntries(reasonsOf(values).map(({ name, samples }) => [name, samples])),
    executed: values[counters.instructions] ?? 0,
    sectors: values[counters.sectors],
    idealSectors: values[counters.idealSectors],
    wavefronts: values[counters.wavefronts],
    idealWavefronts: values[counters.idealWavefronts],
    lines,
  });
  return {
    report,
    kernel,
    source: sass.source,
    tool: sass.tool,
    remark: sass.remark,
    launches: sass.launches,
    functions: sass.functions.map(({ symbol, name, instructions }) => ({
      symbol,
      name,
      instructions: instructions.map(instruction),
    })),
    ptx: sass.ptx,
  };
}
