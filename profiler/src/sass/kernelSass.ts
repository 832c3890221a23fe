// The machine code of a kernel, instruction by instruction: what each is, what it cost, and which lines it belongs to.
import type { SourceLine } from '../../../protocol/src/lineMetrics';
import { instructionBytes, nameOfInstruction } from '../lines/instructionNames';
import { stallReason } from '../lines/sourceMetrics';
import { counters } from '../overlay/kernels';
import { reasonsOf } from '../overlay/marks';
import { functionAt, linesAt, type Cubin, type CubinFunction } from '../report/cubin';
import { nameOfSymbol } from '../report/functionNames';
import { forEachInstance, forEachMetric } from '../report/readFields';
import { capabilityOf, type Launch, type Report } from '../report/report';
import { readRange } from '../report/streamReader';
import type { LiveRegisters, SassInstruction } from './disassembly';
import { readControl, type ControlWord } from './controlWord';
import { keptTexts, type KeptDisassembly } from './keptDisassembly';
import { ptxOfKernel, type PtxLine } from './ptx';

export interface KernelInstruction {
  /** Bytes from the beginning of the function. */
  readonly offset: number;
  /** As the disassembler prints it; the name alone where there is no disassembly; `?` where not even that is known. */
  readonly text: string;
  readonly labels: readonly string[];
  readonly live?: LiveRegisters | undefined;
  /** What the compiler fixed of its issue; absent before Volta, and where its code is not in the report. */
  readonly control?: ControlWord;
  /** Sums over the launches by Nsight Compute's names. */
  readonly values: Readonly<Record<string, number>>;
  /** Lines that it belongs to by the line table: a call site and the inlined line both. */
  readonly lines: readonly SourceLine[];
}

/** A function that the kernel ran: itself first, then those that were kept out of line. */
export interface KernelFunction {
  readonly symbol: string;
  readonly name: string;
  readonly instructions: readonly KernelInstruction[];
}

export interface KernelSass {
  readonly functions: readonly KernelFunction[];
  /** What the texts are: a disassembly by a tool, names decoded from the code, or neither. */
  readonly source: 'disassembly' | 'decoded' | 'none';
  /** `nvdisasm 13.0.85`, for a disassembly. */
  readonly tool?: string;
  /** The PTX that the report has of the kernel. */
  readonly ptx?: readonly PtxLine[];
  /** What is missing, and how to have it. */
  readonly remark?: string;
  readonly launches: number;
}

/** Launches beyond these say nothing more of where in its code a kernel waits. */
const mostLaunches = 200;
/** More machine code than any kernel has. */
const mostCode = 32 * 1024 * 1024;

const wanted = new Set<string>(Object.values(counters));

/**
 * Reads the code of the launches that `accepts` takes, which are of one kernel: their counters are added up. Undefined
 * where the report has
 * no code of it. Throws ReportError on a damaged report.
 */
export async function readKernelSass(
  report: Report,
  accepts: (launch: Launch) => boolean,
  kept: KeptDisassembly | undefined,
): Promise<KernelSass | undefined> {
  const launches = report.launches.filter(accepts).slice(0, mostLaunches);
  const functions = new Map<
    string,
    {
      readonly code: CubinFunction;
      readonly cubin: Cubin;
      readonly reference: number;
      readonly sums: Map<number, Record<string, number>>;
    }
  >();
  const accepted = report.metricNames.map((name) => wanted.has(name) || stallReason(name) !== undefined);
  for (const launch of launches) {
    const cubins: { readonly cubin: Cubin; readonly reference: number }[] = [];
    for (const reference of launch.cubins) {
      const cubin = await report.cubin(reference, launch.process);
      if (cubin) cubins.push({ cubin, reference });
    }
    const take = (code: CubinFunction, place: (typeof cubins)[number]) => {
      // Launches of one kernel in two processes lie at other addresses, but are one code.
      const key = `${place.reference} ${code.symbol}`;
      let found = functions.get(key);
      if (!found) functions.set(key, (found = { ...place, code, sums: new Map() }));
      return found;
    };
    for (const place of cubins) {
      const own = place.cubin.bySymbol.get(launch.mangledName);
      if (own) take(own, place);
    }
    await forEachMetric(report.source, launch, accepted, (nameId, reader) => {
      const name = report.metricNames[nameId]!;
      forEachInstance(reader, (address, value) => {
        for (const place of cubins) {
          const code = functionAt(place.cubin, address);
          if (!code) continue;
          const { sums } = take(code, place);
          const offset = address - code.address;
          let into = sums.get(offset);
          if (!into) sums.set(offset, (into = {}));
          into[name] = (into[name] ?? 0) + value;
          return;
        }
      });
    });
  }
  if (functions.size === 0) return undefined;
  // Before 2021 ncu wrote the samples of each reason alone.
  if (!report.metricNames.includes(counters.samples))
    for (const { sums } of functions.values())
      for (const values of sums.values()) {
        const samples = reasonsOf(values).reduce((sum, reason) => sum + reason.samples, 0);
        if (samples > 0) values[counters.samples] = samples;
      }
  const textsOf = kept && keptTexts(report, kept);
  const ownSymbol = launches[0]!.mangledName;
  const read: (KernelFunction & { readonly disassembled: boolean })[] = [];
  for (const { code, cubin, reference, sums } of functions.values()) {
    const texts = await textsOf?.(reference, code);
    const bytes =
      code.codeAt === undefined || code.size > mostCode
        ? undefined
        : await readRange(report.source, code.codeAt, code.size);
    read.push({
      symbol: code.symbol,
      name: code.symbol === ownSymbol ? launches[0]!.shortName : nameOfSymbol(code.symbol),
      disassembled: (texts?.length ?? 0) > 0,
      instructions: instructionsOf(code, cubin, bytes, capabilityOf(report), texts, sums),
    });
  }
  read.sort((a, b) => Number(b.symbol === ownSymbol) - Number(a.symbol === ownSymbol));
  const disassembled = read.some((one) => one.disassembled);
  const named = read.some(({ instructions }) => instructions.some(({ text }) => text !== '?'));
  const ptx = await ptxOfKernel(report, launches[0]!);
  return {
    functions: read.map(({ disassembled: _disassembled, ...one }) => one),
    source: disassembled ? 'disassembly' : named ? 'decoded' : 'none',
    ...(disassembled ? { tool: kept!.tool } : {}),
    ...(ptx ? { ptx } : {}),
    ...(disassembled ? {} : { remark: remarkOn(kept, named) }),
    launches: launches.length,
  };
}

function remarkOn(kept: KeptDisassembly | undefined, named: boolean): string {
  const why = kept
    ? 'The disassembly beside this report belongs to another build'
    : 'This report has no disassembly: only "warplens profile" keeps one, ' + 'if the profiling host has nvdisasm';
  return named
    ? `${why}. Known opcodes are shown without operands and live registers.`
    : `${why}. Instructions of this GPU cannot be shown without it.`;
}

function instructionsOf(
  code: CubinFunction,
  cubin: Cubin,
  bytes: Uint8Array | undefined,
  capability: number,
  texts: readonly SassInstruction[] | undefined,
  sums: ReadonlyMap<number, Record<string, number>>,
): KernelInstruction[] {
  const start = code.sectionOffset ?? 0;
  const byOffset = new Map(texts?.map((one) => [one.offset - start, one]));
  const offsets = new Set([...byOffset.keys()].filter((offset) => offset >= 0 && offset < code.size));
  if (offsets.size === 0) for (let offset = 0; offset < code.size; offset += instructionBytes) offsets.add(offset);
  // A counter at an address that the tool did not print is shown all the same.
  for (const offset of sums.keys()) offsets.add(offset);
  const ordered = [...offsets].sort((a, b) => a - b);
  // Behind the end of a kernel the compiler fills up to the next one.
  const filler = (offset: number): boolean => byOffset.get(offset)?.text === 'NOP' && !sums.has(offset);
  while (ordered.length > 1 && filler(ordered.at(-1)!)) ordered.pop();
  return ordered.map((offset) => {
    const text = byOffset.get(offset);
    const control = bytes && readControl(bytes, offset, capability);
    return {
      offset,
      text: text?.text ?? (bytes && nameOfInstruction(bytes, offset, capability)) ?? '?',
      labels: text?.labels ?? [],
      ...(text?.live ? { live: text.live } : {}),
      ...(control ? { control } : {}),
      values: sums.get(offset) ?? {},
      lines: linesAt(cubin, code.address + offset).map(({ file, line }) => ({ file: file.path, line })),
    };
  });
}
