// Sums the per-instruction values of a launch by line of source, exactly as the source page of Nsight Compute does.
import type { CallerMetrics, KernelMeasurement, LineMetrics } from '../../../protocol/src/lineMetrics';
import { functionAt, groupAt, type Cubin, type CubinFunction } from '../report/cubin';
import { nameOfSymbol } from '../report/functionNames';
import { countUpTo } from '../report/messages';
import { forEachMetric, readNumber } from '../report/readFields';
import { capabilityOf, type Launch, type Report } from '../report/report';
import { ReportError } from '../report/reportError';
import { keptTexts, type KeptDisassembly, type KeptTexts } from '../sass/keptDisassembly';
import { addCode, codeByLine, lineKey, type LineCode } from './instructionNames';
import { isInstructionMetric, kindMetrics, launchMetrics, stallReason } from './sourceMetrics';

export interface LineOptions {
  /** Also say, for inlined code, which call sites it ran for. */
  readonly callers?: boolean | undefined;
  /** The disassembly beside the report, for live registers. */
  readonly kept?: KeptDisassembly | undefined;
}

export interface MeasuredLaunch {
  readonly kernel: KernelMeasurement;
  /** One element per file and line (in a graph also per node), files in order of their paths, lines ascending. */
  readonly lines: readonly LineMetrics[];
}

/**
 * Measures every launch of a report that `accepts` lets through, one after the other: only one is in memory at a time.
 */
export async function* measureLaunches(
  report: Report,
  accepts: (launch: Launch) => boolean = () => true,
  options: LineOptions = {},
): AsyncGenerator<MeasuredLaunch> {
  const plan = planFor(report, options);
  for (const launch of report.launches) {
    if (accepts(launch)) yield measure(report, launch, plan, options);
  }
}

/** Measures one launch. Throws ReportError where its part of the report is damaged. */
export async function measureLaunch(
  report: Report,
  launch: Launch,
  options: LineOptions = {},
): Promise<MeasuredLaunch> {
  return measure(report, launch, planFor(report, options), options);
}

interface Plan {
  readonly accepted: readonly boolean[];
  readonly roles: readonly ('sum' | 'kind' | 'launch' | 'functions' | undefined)[];
  /** Names of kernels by symbol. */
  readonly names: ReadonlyMap<string, string>;
  /** What was read of the functions of earlier launches. */
  readonly code: Map<CubinFunction, ReadonlyMap<string, LineCode>>;
  readonly texts: KeptTexts | undefined;
}

/**
 * Lines times metrics of one launch: a large kernel has a hundred thousand lines (apart by call site) and some seventy
 * metrics.
 */
const mostCells = 10_000_000;
const mostCallSites = 1_000_000;

const plans = new WeakMap<Report, Plan>();

function planFor(report: Report, { kept }: LineOptions): Plan {
  const known = plans.get(report);
  if (known) return known;
  const wholeLaunch = new Set<string>(launchMetrics);
  const roles = report.metricNames.map((name) => {
    if (name === 'launch__function_pcs') return 'functions' as const;
    if (wholeLaunch.has(name)) return 'launch' as const;
    if (!isInstructionMetric(name)) return undefined;
    return Object.hasOwn(kindMetrics, name) ? ('kind' as const) : ('sum' as const);
  });
  const names = new Map(report.launches.map(({ mangledName, name }) => [mangledName, name]));
  const plan = {
    roles,
    accepted: roles.map((role) => role !== undefined),
    names,
    code: new Map(),
    texts: kept && keptTexts(report, kept),
  };
  plans.set(report, plan);
  return plan;
}

/** A metric by entry of a line table, as ncu counts it, and counted once: at the innermost line of each instruction. */
interface Sums {
  readonly all: Float64Array;
  readonly own: Float64Array;
}

/** Sums of one function by metric. */
interface FunctionSums {
  readonly code: CubinFunction;
  readonly sums: Map<string, Sums>;
  readonly kinds: Map<string, Map<number, Map<number, number>>>;
}

async function measure(report: Report, launch: Launch, plan: Plan, options: LineOptions): Promise<MeasuredLaunch> {
  const cubins: Cubin[] = [];
  const references = new Map<CubinFunction, number>();
  for (const reference of launch.cubins) {
    const cubin = await report.cubin(reference, launch.process);
    if (!cubin) continue;
    cubins.push(cubin);
    for (const code of cubin.functions) references.set(code, reference);
  }
  const functions = new Map<CubinFunction, FunctionSums>();
  const sumsOf = (code: CubinFunction): FunctionSums => {
    let sums = functions.get(code);
    if (!sums) functions.set(code, (sums = { code, sums: new Map(), kinds: new Map() }));
    return sums;
  };
  const codeAt = (address: number): CubinFunction | undefined => {
    for (const cubin of cubins) {
      const code = functionAt(cubin, address);
      if (code) return code;
    }
    return undefined;
  };
  const totals: Record<string, number> = {};
  /** Metrics that have a value at an instruction of the launch: the columns of ncu's page. */
  const columns = new Set<string>();
  const kindColumns = new Set<string>();
  let cells = 0;
  let counted = false;

  await forEachMetric(report.source, launch, plan.accepted, (nameId, reader) => {
    const name = report.metricNames[nameId]!;
    const role = plan.roles[nameId]!;
    let current: FunctionSums | undefined;
    let start = 0;
    let end = 0;
    let column: Sums | undefined;
    let kinds: Map<number, Map<number, number>> | undefined;
    let group = 0;
    while (reader.next()) {
      if (reader.field === 2 && reader.wire === 2) {
        const value = readNumber(reader.message());
        if (!Number.isNaN(value) && role !== 'functions') totals[name] = value;
        continue;
      }
      if (reader.field !== 3 || reader.wire !== 2 || role === 'launch') {
        reader.skip();
        continue;
      }
      const element = reader.message();
      let id = NaN;
      let value = 0;
      while (element.next()) {
        if (element.field === 1 && element.wire === 2) id = readNumber(element.message());
        else if (element.field === 2 && element.wire === 2) value = readNumber(element.message());
        else element.skip();
      }
      if (role === 'functions') {
        const code = codeAt(value);
        if (code) sumsOf(code);
        continue;
      }
      counted = true;
      if (!(id >= start && id < end)) {
        const code = codeAt(id);
        if (!code) continue;
        current = sumsOf(code);
        start = code.address;
        end = code.address + code.size;
        group = 0;
        column = undefined;
        kinds = undefined;
        const entries = code.lines?.entries.length ?? 0;
        if (role === 'sum') {
          columns.add(name);
          column = current.sums.get(name);
          if (!column) {
            if ((cells += entries) > mostCells)
              throw new ReportError(
                `Launch ${launch.index} has more than ${mostCells} per-line values, the limit of Warplens.`,
              );
            current.sums.set(name, (column = emptySums(entries)));
          }
        } else {
          kindColumns.add(name);
          kinds = current.kinds.get(name);
          if (!kinds) current.kinds.set(name, (kinds = new Map()));
        }
      }
      const lines = current!.code.lines;
      if (!lines || !(value > 0 || value < 0)) continue;
      group = groupAt(lines, id - start, group);
      if (group < 0) {
        group = 0;
        continue;
      }
      const places = lines.groups[group]!;
      if (column && places.length > 0) column.own[places[places.length - 1]!]! += value;
      for (const entry of places) {
        if (column) column.all[entry]! += value;
        else {
          let histogram = kinds!.get(entry);
          if (!histogram) kinds!.set(entry, (histogram = new Map()));
          histogram.set(value, (histogram.get(value) ?? 0) + 1);
        }
      }
    }
  });

  for (const { bySymbol } of cubins) {
    const code = bySymbol.get(launch.mangledName);
    if (code) sumsOf(code);
  }
  countSamples(totals, columns, functions.values());
  const kernel = describe(launch, totals, columns, cubins, [...functions.keys()], counted);
  // ncu adds up a line over all functions of a launch, out of line or not. The nodes of a graph are kernels of their
  // own.
  const lines: LineMetrics[] = [];
  if (columns.size + kindColumns.size > 0) {
    const capability = capabilityOf(report, totals['launch__device_id']);
    for (const code of functions.keys())
      if (!plan.code.has(code)) {
        const texts = await plan.texts?.(references.get(code)!, code);
        plan.code.set(code, await codeByLine(report, code, capability, texts));
      }
    const byName = new Map<string, FunctionSums[]>();
    const nodeNames =
      launch.kind === 'kernel'
        ? undefined
        : namesOfNodes(
            [...functions.keys()].map(({ symbol }) => symbol),
            plan.names,
          );
    for (const sums of functions.values()) {
      const name = nodeNames?.get(sums.code.symbol) ?? launch.name;
      const known = byName.get(name);
      if (known) known.push(sums);
      else byName.set(name, [sums]);
    }
    for (const [name, sums] of byName) {
      for (const line of linesOf(sums, columns, kindColumns, totals, options, launch, plan.code))
        lines.push({ file: line.file, line: line.line, kernel: name, launch: launch.index, ...line.rest });
    }
  }
  lines.sort((a, b) => compareText(a.file, b.file) || compareText(a.kernel, b.kernel) || a.line - b.line);
  return { kernel, lines };
}

/** Before 2021 ncu wrote the samples of each reason alone: a sample has one reason, so they add up to all. */
function countSamples(totals: Record<string, number>, columns: Set<string>, functions: Iterable<FunctionSums>): void {
  const reasons = new Set([...columns, ...Object.keys(totals)].filter((name) => stallReason(name) !== undefined));
  if (columns.has(sampleCount) || totals[sampleCount] !== undefined || reasons.size === 0) return;
  const inTotals = [...reasons].flatMap((name) => totals[name] ?? []);
  if (inTotals.length > 0) totals[sampleCount] = inTotals.reduce((sum, value) => sum + value, 0);
  columns.add(sampleCount);
  for (const { code, sums } of functions) {
    const every = emptySums(code.lines?.entries.length ?? 0);
    for (const name of reasons)
      for (const which of ['all', 'own'] as const)
        sums.get(name)?.[which].forEach((value, entry) => (every[which][entry]! += value));
    sums.set(sampleCount, every);
  }
}

function emptySums(entries: number): Sums {
  return { all: new Float64Array(entries), own: new Float64Array(entries) };
}

const sampleCount = 'smsp__pcsamp_sample_count';

/**
 * Names of the nodes of a graph by symbol; instances of a template, and overloads, are distinguished by their symbols
 * where no launch gives the name.
 */
function namesOfNodes(symbols: readonly string[], known: ReadonlyMap<string, string>): Map<string, string> {
  const bySymbol = new Map(symbols.map((symbol) => [symbol, known.get(symbol) ?? nameOfSymbol(symbol)]));
  const uses = new Map<string, number>();
  for (const name of bySymbol.values()) uses.set(name, (uses.get(name) ?? 0) + 1);
  return new Map([...bySymbol].map(([symbol, name]) => [symbol, uses.get(name)! > 1 ? symbol : name]));
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function describe(
  launch: Launch,
  totals: Readonly<Record<string, number>>,
  columns: ReadonlySet<string>,
  cubins: readonly Cubin[],
  functions: readonly CubinFunction[],
  counted: boolean,
): KernelMeasurement {
  const hasLines = functions.some(({ lines }) => lines !== undefined);
  // Application replay restarts the program for each pass: counters of a range then lie at addresses where the
  // report has no code, and no line is theirs.
  const elsewhere = launch.kind !== 'kernel' && functions.length === 0 && counted;
  const withoutLines =
    cubins.length === 0
      ? ('no source record' as const)
      : elsewhere
        ? undefined
        : !hasLines && (counted || launch.kind === 'kernel')
          ? ('no line table' as const)
          : columns.size === 0
            ? ('no per-instruction metrics' as const)
            : undefined;
  const durationNs = totals['gpu__time_duration.sum'];
  return {
    launch: launch.index,
    kind: launch.kind,
    name: launch.name,
    shortName: launch.shortName,
    ...(launch.mangledName ? { mangledName: launch.mangledName } : {}),
    grid: launch.grid,
    block: launch.block,
    device: totals['launch__device_id'],
    context: launch.context,
    stream: launch.stream,
    process: launch.process.id,
    durationNs,
    values: totals,
    withoutLines,
  };
}

interface LineDraft {
  readonly file: string;
  readonly line: number;
  readonly rest: Omit<LineMetrics, 'file' | 'line' | 'kernel' | 'launch'>;
}

/** The entries of one line in the functions of a launch. */
interface Place {
  readonly file: string;
  readonly line: number;
  readonly parts: Map<FunctionSums, Set<number>>;
  /** Symbols of the functions inlined here whose instructions also count here. */
  readonly inlined: Set<string>;
}

function linesOf(
  functions: readonly FunctionSums[],
  columns: ReadonlySet<string>,
  kindColumns: ReadonlySet<string>,
  totals: Readonly<Record<string, number>>,
  options: LineOptions,
  launch: Launch,
  codes: Plan['code'],
): LineDraft[] {
  const places = new Map<string, Place>();
  for (const sums of functions) {
    const { lines, size } = sums.code;
    lines?.groups.forEach((group, index) => {
      // A line is there if an instruction belongs to it, even where all its numbers are 0.
      const end = lines.starts[index + 1] ?? size;
      if (end <= lines.starts[index]! || lines.starts[index]! >= size) return;
      for (const [at, entry] of group.entries()) {
        const { file, line } = lines.entries[entry]!;
        const key = lineKey(lines.entries[entry]!);
        let place = places.get(key);
        if (!place) places.set(key, (place = { file: file.path, line, parts: new Map(), inlined: new Set() }));
        const known = place.parts.get(sums);
        if (known) known.add(entry);
        else place.parts.set(sums, new Set([entry]));
        // The row after a call site's is that of the function inlined there.
        const next = lines.entries[group[at + 1] ?? -1];
        const [site] = next?.inlined ? next.sites() : [];
        if (site?.line === line && site.file === file.path) place.inlined.add(next!.inlined!());
      }
    });
  }
  if (places.size * columns.size > mostCells)
    throw new ReportError(`Launch ${launch.index} has more than ${mostCells} per-line values, the limit of Warplens.`);
  const countSite = countUpTo(mostCallSites, 'call sites of inlined code');
  return [...places].map(([key, { file, line, parts, inlined }]) => {
    const values: Record<string, number> = {};
    const shares: Record<string, number> = {};
    for (const name of columns) {
      values[name] = sumOf(parts, name, 'all');
      const own = sumOf(parts, name, 'own');
      const total = totals[name];
      if (own !== 0 && total !== undefined && total !== 0) shares[name] = own / total;
    }
    const kinds = kindsOf(parts, kindColumns);
    const code: LineCode = { instructions: {} };
    for (const { code: part } of parts.keys()) addCode(code, codes.get(part)?.get(key) ?? { instructions: {} });
    const outOfLine =
      launch.kind === 'kernel'
        ? [...parts.keys()]
            .filter(({ code }) => code.symbol !== launch.mangledName)
            .map(({ code }) => nameOfSymbol(code.symbol))
        : [];
    const callers = options.callers ? callersOf(parts, columns, countSite) : [];
    return {
      file,
      line,
      rest: {
        ...(outOfLine.length > 0 && { functions: [...new Set(outOfLine)] }),
        values,
        shares,
        ...(inlined.size > 0 && { inlined: [...new Set([...inlined].map(nameOfSymbol))] }),
        ...(Object.keys(kinds).length > 0 && { kinds }),
        ...(Object.keys(code.instructions).length > 0 && code),
        ...(callers.length > 0 && { callers }),
      },
    };
  });
}

function sumOf(parts: Place['parts'], name: string, which: keyof Sums): number {
  let sum = 0;
  for (const [{ sums }, entries] of parts) {
    const column = sums.get(name)?.[which];
    if (column) for (const entry of entries) sum += column[entry]!;
  }
  return sum;
}

function kindsOf(parts: Place['parts'], kindColumns: ReadonlySet<string>): Record<string, Record<string, number>> {
  const counts: Record<string, Record<string, number>> = {};
  for (const name of kindColumns) {
    const histogram = new Map<number, number>();
    for (const [{ kinds }, entries] of parts) {
      for (const entry of entries)
        for (const [value, count] of kinds.get(name)?.get(entry) ?? [])
          histogram.set(value, (histogram.get(value) ?? 0) + count);
    }
    if (histogram.size === 0) continue;
    const names = kindMetrics[name] ?? {};
    counts[name] = Object.fromEntries(
      [...histogram].sort(([a], [b]) => a - b).map(([value, count]) => [names[value] ?? String(value), count]),
    );
  }
  return counts;
}

function callersOf(parts: Place['parts'], columns: ReadonlySet<string>, countSite: () => void): CallerMetrics[] {
  return [...parts].flatMap(([sums, entries]) =>
    [...entries].flatMap((entry) => {
      const { inlined, sites } = sums.code.lines!.entries[entry]!;
      if (!inlined) return [];
      const values: Record<string, number> = {};
      for (const name of columns) values[name] = sums.sums.get(name)?.all[entry] ?? 0;
      const callSites = sites();
      callSites.forEach(countSite);
      return [{ inlined: nameOfSymbol(inlined()), sites: callSites, values }];
    }),
  );
}
