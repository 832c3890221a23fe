// Opens a .ncu-rep file: walks its blocks once, keeps what is small, and remembers where the rest lies.
import type { MeasuredDevice } from '../../../protocol/src/lineMetrics';
import type { ByteSource } from './byteSource';
import { type Cubin, readCubin } from './cubin';
import { shortNameOf } from './functionNames';
import {
  countUpTo,
  type LoadedFunction,
  type ProcessDescription,
  readBlockHeader,
  readRelocations,
  readRule,
  readSession,
  type RuleResult,
  type Session,
} from './messages';
import { hasNotIssuedOnly, knownFileVersion, namesOfToday, unpacked } from './dialects';
import { damagedReport, ReportError, truncatedReport } from './reportError';
import { readRange, StreamReader } from './streamReader';
import { WireReader } from './wire';
import type { EmbeddedSource, Launch, Metric, Report } from './report';
import {
  forEachField,
  forEachMetric,
  longestPath,
  mostFrequent,
  mostPieces,
  readMetric,
  readShape,
  readString,
} from './readFields';

interface SourceRecord {
  binary?: { offset: number; length: number } | undefined;
  /** PTX, as text. */
  intermediate?: { offset: number; length: number } | undefined;
  functions: LoadedFunction[];
  cubin?: Promise<Cubin>;
}

const mostResults = 200_000;
const mostFunctions = 200_000;
const mostStrings = 1_000_000;
const mostSources = 100_000;
const mostAttributes = 100_000;
const mostProcesses = 10_000;
const mostDevices = 1_000;
/** Bytes of PTX that are read at once. */
const mostIntermediate = 64 * 1024 * 1024;
const mostCubinsOfOne = 1_000;

/**
 * Reads the structure of a report. Throws ReportError on a file that is not a report, is truncated or is damaged.
 * Memory does not grow with the size of the report but with the number of its kernels, functions and sources.
 */
export async function openReport(packed: ByteSource): Promise<Report> {
  const source = await unpacked(packed);
  const reader = new StreamReader(source);
  const fileVersion = await readFileHeader(reader, source);
  const index = new ReportIndex(source, fileVersion);
  try {
    while (reader.position < source.size) await index.readBlock(reader);
  } catch (error) {
    if (!(error instanceof ReportError) || fileVersion <= knownFileVersion) throw error;
    throw new ReportError(
      `This report has file version ${fileVersion}; this version of Warplens reads up to ${knownFileVersion}. ` +
        'Update Warplens, or write the report with an older ncu.',
      error.offset,
    );
  }
  return index.report();
}

async function readFileHeader(reader: StreamReader, source: ByteSource): Promise<number> {
  if (source.size < 8)
    throw new ReportError(`This is not a Nsight Compute report: it has only ${source.size} bytes.`, 0);
  await reader.load(8);
  if (reader.u32() !== 0x0052564e)
    throw new ReportError(
      'This is not a Nsight Compute report: it does not begin with "NVR". Use a file written by ncu ' +
        '--export, with the extension .ncu-rep.',
      0,
    );
  const end = await messageEnd(reader, source.size);
  let version = 0;
  while (reader.position < end) {
    await reader.loadField(end);
    if (!reader.nextField(end)) break;
    if (reader.field === 1) version = reader.unsigned();
    else reader.skipField();
  }
  return version;
}

/** Reads the u32 size in front of a message; returns where the message ends, which is at most at `limit`. */
async function messageEnd(reader: StreamReader, limit: number): Promise<number> {
  if (limit - reader.position < 4) throw truncatedReport(reader.position, limit);
  await reader.load(4);
  const length = reader.u32();
  const end = reader.position + length;
  if (end > limit) throw truncatedReport(reader.position - 4, limit);
  return end;
}

type ResultKind = Launch['kind'];

/** What is known of a report while its blocks go by. */
class ReportIndex {
  private readonly metricNames: string[] = [];
  private readonly sessions: Session[] = [];
  private readonly devices: MeasuredDevice[] = [];
  private readonly launches: Launch[] = [];
  /** Cubins by reference, apart by process: two processes load the same cubin to addresses that overlap. */
  private readonly records = new Map<number, Map<ProcessDescription, SourceRecord>>();
  private readonly embedded = new Map<string, EmbeddedSource>();
  private readonly processes = new Map<string, ProcessDescription>();
  private readonly sessionsByProcess = new Map<ProcessDescription, Session>();
  private readonly countString = countUpTo(mostStrings, 'names of metrics');
  private readonly countAttribute = countUpTo(mostAttributes, 'attributes of devices');
  private readonly countFunction = countUpTo(mostFunctions, 'functions');
  private readonly countSource = countUpTo(mostSources, 'source files');
  private readonly countResult = countUpTo(mostResults, 'kernel launches');
  private readonly countPiece = countUpTo(mostPieces, 'pieces');

  private unknownParts = 0;

  constructor(
    private readonly source: ByteSource,
    private readonly fileVersion: number,
  ) {}

  async readBlock(reader: StreamReader): Promise<void> {
    this.countPiece();
    const size = this.source.size;
    const headerEnd = await messageEnd(reader, size);
    const headerStart = reader.position;
    const headerBytes = await readRange(this.source, headerStart, headerEnd - headerStart);
    const header = readBlockHeader(
      new WireReader(headerBytes, 0, headerBytes.length, headerStart),
      this.metricNames,
      this.countString,
    );
    reader.seek(headerEnd);
    const process = this.internProcess(header.process);
    if (header.session) readSession(header.session, this.sessionOf(process), this.devices, this.countAttribute);
    if (this.devices.length > mostDevices)
      throw new ReportError(`The report lists more than ${mostDevices} devices; it is damaged.`);
    const payloadEnd = headerEnd + header.payloadSize;
    if (payloadEnd > size) throw truncatedReport(headerEnd, size);
    for (let count = header.sources; count > 0; count--)
      await this.readSourceData(reader, process, await this.piece(reader, payloadEnd));
    for (const [kind, announced] of [
      ['kernel', header.results],
      ['range', header.ranges],
      ['command list', header.commandLists],
      ['graph', header.graphs],
    ] as const) {
      for (let count = announced; count > 0; count--)
        await this.readResult(reader, kind, process, await this.piece(reader, payloadEnd));
    }
    if (reader.position !== payloadEnd) {
      if (header.unknownCounts === 0 && this.fileVersion <= knownFileVersion)
        throw damagedReport('a block whose pieces do not fill it', headerStart);
      // Newer kinds of results follow the known ones.
      this.unknownParts += Math.max(1, header.unknownCounts);
      reader.seek(payloadEnd);
    }
  }

  /** What is not read of a newer report. */
  private remarks(): string[] {
    const names = namesOfToday(this.metricNames);
    const by = this.sessions.map(({ versions }) => versions['Nsight Compute Target']?.split(' ')[0]).find(Boolean);
    const made = by === undefined ? 'a newer Nsight Compute' : `Nsight Compute ${by}`;
    return [
      ...(this.fileVersion > knownFileVersion
        ? [
            `This report has file version ${this.fileVersion}, written by ${made}; ` +
              `parts newer than version ${knownFileVersion} are not shown.`,
          ]
        : []),
      ...(this.unknownParts > 0
        ? [
            `Not shown, because this version of Warplens does not support them: ` +
              `${this.unknownParts} ${this.unknownParts === 1 ? 'result' : 'results'} (written by ${made}).`,
          ]
        : []),
      ...(this.launches.some(({ kind }) => kind === 'graph')
        ? ['CUDA graphs were profiled whole; ncu --graph-profiling node measures each of their kernels.']
        : []),
      // Stall samples are taken while a kernel runs once; everything else per instruction needs it to run again.
      ...(names.some((name) => name.startsWith('smsp__pcsamp_')) && !names.includes('inst_executed')
        ? [
            'Single pass: the report has stall samples only; no times, instruction counts, sectors or wavefronts ' +
              'were collected.',
          ]
        : []),
    ];
  }

  /**
   * Where functions lay, as reports before ncu 2022 tell it: nothing but the address at which each launch's kernel
   * began.
   */
  private async kernelsLoaded(reference: number, process: ProcessDescription): Promise<LoadedFunction[]> {
    const name = this.metricNames.indexOf('launch__function_pcs');
    const accepted = this.metricNames.map((_name, index) => index === name);
    const found = new Map<string, LoadedFunction>();
    for (const launch of name < 0 ? [] : this.launches) {
      if (launch.kind !== 'kernel' || launch.process !== process || !launch.cubins.includes(reference)) continue;
      if (launch.mangledName === '' || found.has(launch.mangledName)) continue;
      await forEachMetric(this.source, launch, accepted, (_id, reader) => {
        // The kernel comes first; what it calls out of line has no name there.
        const address = readMetric('', reader).instances[0]?.value;
        if (typeof address === 'number' && address > 0)
          found.set(launch.mangledName, { symbol: launch.mangledName, address, symbolIndex: -1 });
      });
    }
    return [...found.values()];
  }

  report(): Report {
    const { source, fileVersion, sessions, devices, records, embedded } = this;
    const metricNames = namesOfToday(this.metricNames);
    const launches = namedByOthers(this.launches);
    const loadedOf = (reference: number, process: ProcessDescription) => this.kernelsLoaded(reference, process);
    return {
      source,
      fileVersion,
      remarks: this.remarks(),
      sessions,
      devices,
      launches,
      embeddedSources: [...embedded.values()],
      metricNames,
      notIssued: hasNotIssuedOnly(this.metricNames),
      async readSource(path) {
        const found = embedded.get(path);
        return found && new TextDecoder('utf-8').decode(await readRange(source, found.offset, found.length));
      },
      async cubin(reference, process) {
        const loaded = records.get(reference);
        const record = loaded?.get(process);
        // The binary of a reference is the same in every process; where its functions lie is not.
        const binary = record?.binary ?? [...(loaded?.values() ?? [])].find((other) => other.binary)?.binary;
        if (!record || !binary) return undefined;
        const { functions } = record;
        return (record.cubin ??= (
          functions.length > 0 ? Promise.resolve(functions) : loadedOf(reference, process)
        ).then((loadedAt) => readCubin(source, binary.offset, binary.length, loadedAt)));
      },
      async binary(reference, mostBytes) {
        const binary = [...(records.get(reference)?.values() ?? [])].find((record) => record.binary)?.binary;
        return binary && binary.length <= mostBytes ? readRange(source, binary.offset, binary.length) : undefined;
      },
      async intermediate(reference) {
        const found = [...(records.get(reference)?.values() ?? [])].find((record) => record.intermediate)?.intermediate;
        return found && found.length <= mostIntermediate
          ? new TextDecoder('utf-8').decode(await readRange(source, found.offset, found.length))
          : undefined;
      },
      async metrics(launch, wanted = () => true) {
        const metrics: Metric[] = [];
        const accepted = metricNames.map((name) => wanted(name));
        await forEachMetric(source, launch, accepted, (nameId, reader) =>
          metrics.push(readMetric(metricNames[nameId]!, reader)),
        );
        return metrics;
      },
      async rules(launch) {
        const rules: RuleResult[] = [];
        await forEachField(source, launch, async (reader) => {
          if (reader.field === launch.place.rulesField && reader.wire === 2)
            rules.push(readRule(await reader.loadBody()));
        });
        return rules;
      },
    };
  }

  private async piece(reader: StreamReader, payloadEnd: number): Promise<number> {
    this.countPiece();
    return messageEnd(reader, payloadEnd);
  }

  private internProcess(process: ProcessDescription): ProcessDescription {
    const key = `${process.id} ${process.host} ${process.executable}`;
    const known = this.processes.get(key);
    if (known) return known;
    if (this.processes.size >= mostProcesses)
      throw new ReportError(`The report lists more than ${mostProcesses} processes; it is damaged.`);
    this.processes.set(key, process);
    return process;
  }

  private sessionOf(process: ProcessDescription): Session {
    let session = this.sessionsByProcess.get(process);
    if (!session) {
      session = { process, versions: {} };
      this.sessionsByProcess.set(process, session);
      this.sessions.push(session);
    }
    return session;
  }

  /**
   * A SourceData message. Those of one reference and process are parts of one cubin: the binary comes once, functions
   * as they are loaded.
   */
  private async readSourceData(reader: StreamReader, process: ProcessDescription, end: number): Promise<void> {
    let reference = 0;
    let binary: SourceRecord['binary'];
    let intermediate: SourceRecord['intermediate'];
    const functions: LoadedFunction[] = [];
    while (reader.position < end) {
      await reader.loadField(end);
      reader.nextField(end);
      if (reader.field === 1) reference = reader.unsigned();
      else if (reader.field === 4) {
        binary = { offset: reader.bodyStart, length: reader.bodyEnd - reader.bodyStart };
        reader.skipField();
      } else if ((reader.field === 2 || reader.field === 3) && reader.wire === 2) {
        // The text of the code, or the code that it was compiled from: either is PTX where it is there at all.
        const length = reader.bodyEnd - reader.bodyStart;
        if (length > 0) intermediate = { offset: reader.bodyStart, length };
        reader.skipField();
      } else if (reader.field === 8) await this.readSourceFiles(reader, reader.bodyEnd);
      else if (reader.field === 9) readRelocations(await reader.loadBody(), functions, this.countFunction);
      else reader.skipField();
    }
    let loaded = this.records.get(reference);
    if (!loaded) this.records.set(reference, (loaded = new Map()));
    const record = loaded.get(process);
    if (!record) loaded.set(process, { binary, intermediate, functions });
    else {
      if (binary?.length) record.binary = binary;
      if (intermediate) record.intermediate = intermediate;
      for (const loaded of functions) record.functions.push(loaded);
    }
  }

  private async readSourceFiles(reader: StreamReader, end: number): Promise<void> {
    while (reader.position < end) {
      await reader.loadField(end);
      reader.nextField(end);
      if (reader.field !== 1 || reader.wire !== 2) {
        reader.skipField();
        continue;
      }
      this.countSource();
      const fileEnd = reader.bodyEnd;
      let path = '';
      let content: { offset: number; length: number } | undefined;
      while (reader.position < fileEnd) {
        await reader.loadField(fileEnd);
        reader.nextField(fileEnd);
        if (reader.field === 1) {
          // The bytes of a string field are its body as they stand.
          path = new TextDecoder('utf-8').decode(
            await readRange(this.source, reader.bodyStart, Math.min(reader.bodyEnd - reader.bodyStart, longestPath)),
          );
        } else if (reader.field === 2)
          content = { offset: reader.bodyStart, length: reader.bodyEnd - reader.bodyStart };
        reader.skipField();
      }
      if (content) this.embedded.set(path, { path, ...content });
    }
  }

  private async readResult(
    reader: StreamReader,
    kind: ResultKind,
    process: ProcessDescription,
    end: number,
  ): Promise<void> {
    this.countResult();
    const offset = reader.position;
    const draft = {
      mangledName: '',
      functionName: '',
      demangledName: '',
      grid: ones,
      block: ones,
      context: undefined as number | undefined,
      stream: undefined as number | undefined,
    };
    const cubins: number[] = [];
    /**
     * How many messages of a field look like metrics: ranges and command lists number their fields in ways of their
     * own.
     */
    const metricLike = new Map<number, number>();
    while (reader.position < end) {
      if (!reader.readyForField(end)) await reader.loadField(end);
      reader.nextField(end);
      if (kind === 'kernel') {
        switch (reader.field) {
          case 5:
            draft.mangledName = await readString(reader);
            continue;
          case 6:
            draft.functionName = await readString(reader);
            continue;
          case 7:
            draft.demangledName = await readString(reader);
            continue;
          case 10:
            draft.grid = readShape(await reader.loadBody());
            continue;
          case 11:
            draft.block = readShape(await reader.loadBody());
            continue;
          case 15: {
            const body = await reader.loadBody();
            while (body.next()) {
              if (body.field === 1 && cubins.length < mostCubinsOfOne) cubins.push(body.unsigned());
              else body.skip();
            }
            continue;
          }
          case 22:
            draft.context = reader.unsigned();
            break;
          case 23:
            draft.stream = reader.unsigned();
            break;
        }
      } else {
        if (reader.wire === 0) {
          if ((kind === 'graph' || kind === 'range') && reader.field === 11) draft.context = reader.unsigned();
          if (kind === 'graph' && reader.field === 12) draft.stream = reader.unsigned();
          const value = reader.unsigned();
          if (reader.field > 2 && this.records.has(value) && value !== 0 && cubins.length < mostCubinsOfOne)
            cubins.push(value);
        } else if (reader.wire === 2) {
          if (kind === 'graph' && reader.field === 17) {
            const packed = await reader.loadBody();
            while (packed.position < packed.end && cubins.length < mostCubinsOfOne) cubins.push(packed.varint());
            continue;
          }
          if (!reader.readyToPeek()) await reader.loadToPeek();
          const nameId = reader.peekLeadingNumber(1);
          if (nameId !== undefined && nameId < this.metricNames.length)
            metricLike.set(reader.field, (metricLike.get(reader.field) ?? 0) + 1);
        }
      }
      reader.skipField();
    }
    const metricsField = kind === 'kernel' ? 13 : kind === 'graph' ? 4 : mostFrequent(metricLike, 4);
    const name =
      draft.demangledName || draft.functionName || draft.mangledName || (kind === 'kernel' ? '(unnamed kernel)' : kind);
    this.launches.push({
      index: this.launches.length,
      kind,
      mangledName: draft.mangledName,
      name,
      shortName: draft.functionName || shortNameOf(name),
      grid: draft.grid,
      block: draft.block,
      context: draft.context,
      stream: draft.stream,
      process,
      cubins: [...new Set(cubins)],
      place: { offset, end, metricsField, rulesField: rulesFields[kind] },
    });
  }
}

/** Recorded of kernels, graphs and ranges; no report of a command list was at hand. */
const rulesFields: Readonly<Record<ResultKind, number>> = { kernel: 19, range: 20, 'command list': 22, graph: 22 };

const ones: readonly [number, number, number] = [1, 1, 1];

/** A result without a demangled name borrows that of another launch of the same kernel. */
function namedByOthers(launches: readonly Launch[]): Launch[] {
  const named = new Map<string, Launch>();
  for (const launch of launches)
    if (launch.name !== launch.mangledName && launch.mangledName !== '') named.set(launch.mangledName, launch);
  return launches.map((launch) => {
    const other = launch.name === launch.mangledName ? named.get(launch.mangledName) : undefined;
    return other ? { ...launch, name: other.name, shortName: other.shortName } : launch;
  });
}
