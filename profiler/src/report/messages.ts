// The messages of a report that are small enough to read whole: sessions, string tables, loaded functions, metric
// values, rule results.
import type { MarkerSeverity, MeasuredDevice, RuleMessage } from '../../../protocol/src/lineMetrics';
import { ReportError } from './reportError';
import type { WireReader } from './wire';

/** What a metric or an instance can hold; a bigint only where a number would round. */
export type MetricValue = number | bigint | string;

export interface SystemDescription {
  readonly os: string;
  readonly build: string;
  readonly processor: string;
  readonly architecture: string;
  readonly computer: string;
}

export interface ProcessDescription {
  readonly id: number;
  readonly host: string;
  readonly executable: string;
}

/** What the profiler noted about a process and the machine it ran on. */
export interface Session {
  readonly process: ProcessDescription;
  /** Seconds since 1970. */
  createdAt?: number;
  hostSystem?: SystemDescription;
  targetSystem?: SystemDescription;
  /** Versions by provider, such as 'CUDA Version' and 'Nsight Compute Target'. */
  readonly versions: Record<string, string>;
  executable?: { path: string; workingDirectory: string; arguments: string };
  profilerCommandLine?: string;
}

export interface BlockHeader {
  sources: number;
  results: number;
  ranges: number;
  commandLists: number;
  graphs: number;
  payloadSize: number;
  process: ProcessDescription;
  session?: WireReader;
  /** Numbers in fields that this reader does not know: counts of results of a kind that came later. */
  unknownCounts: number;
}

/** A function of a cubin as it was loaded on the GPU. */
export interface LoadedFunction {
  readonly symbol: string;
  /** Absolute address of its first instruction. */
  readonly address: number;
  /** Index into the cubin's symbol table. */
  readonly symbolIndex: number;
}

/**
 * Counts things that a report announces and refuses unreasonable numbers, so that a hostile file cannot fill memory.
 */
export function countUpTo(limit: number, what: string): () => void {
  let count = 0;
  return () => {
    if (++count > limit)
      throw new ReportError(
        `The report lists more than ${limit} ${what}, the limit of Warplens. Profile fewer kernels at a time.`,
      );
  };
}

/** The last field of a block's header that tells how many results of a kind follow. */
const lastKnownCount = 9;

/** Reads a BlockHeader; the strings of its table are appended to `strings`. */
export function readBlockHeader(reader: WireReader, strings: string[], countString: () => void): BlockHeader {
  const header: BlockHeader = {
    sources: 0,
    results: 0,
    ranges: 0,
    commandLists: 0,
    graphs: 0,
    payloadSize: 0,
    process: { id: 0, host: '', executable: '' },
    unknownCounts: 0,
  };
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        header.sources = reader.unsigned();
        break;
      case 2:
        header.results = reader.unsigned();
        break;
      case 3:
        header.session = reader.message();
        break;
      case 4: {
        const table = reader.message();
        while (table.next()) {
          if (table.field !== 1) {
            table.skip();
            continue;
          }
          countString();
          strings.push(table.string());
        }
        break;
      }
      case 5:
        header.payloadSize = reader.unsigned();
        break;
      case 6:
        header.process = readProcess(reader.message());
        break;
      case 7:
        header.ranges = reader.unsigned();
        break;
      case 8:
        header.commandLists = reader.unsigned();
        break;
      case 9:
        header.graphs = reader.unsigned();
        break;
      default:
        if (reader.field > lastKnownCount && reader.wire === 0) header.unknownCounts += reader.unsigned();
        else reader.skip();
    }
  }
  return header;
}

/** Adds one SessionDetails message, of which a report holds several partial ones, to what is known. */
export function readSession(
  reader: WireReader,
  session: Session,
  devices: MeasuredDevice[],
  countAttribute: () => void,
): void {
  while (reader.next()) {
    switch (reader.field) {
      case 2:
        session.createdAt = reader.unsigned();
        break;
      case 3:
        session.hostSystem = readSystem(reader.message());
        break;
      case 4:
        session.targetSystem = readSystem(reader.message());
        break;
      case 6: {
        const device = readDevice(reader.message(), countAttribute);
        if (!devices.some((known) => known.id === device.id && known.name === device.name)) devices.push(device);
        break;
      }
      case 8: {
        const { 1: provider = '', 2: version = '' } = readStrings(reader.message());
        countAttribute();
        session.versions[provider] = version;
        break;
      }
      case 9: {
        const { 1: path = '', 2: workingDirectory = '', 3: argumentText = '' } = readStrings(reader.message());
        session.executable = { path, workingDirectory, arguments: argumentText };
        break;
      }
      case 11:
        session.profilerCommandLine = reader.string();
        break;
      default:
        reader.skip();
    }
  }
}

function readProcess(reader: WireReader): ProcessDescription {
  let id = 0;
  let host = '';
  let executable = '';
  while (reader.next()) {
    if (reader.field === 1) id = reader.unsigned();
    else if (reader.field === 2) host = reader.string();
    else if (reader.field === 3) executable = reader.string();
    else reader.skip();
  }
  return { id, host, executable };
}

function readSystem(reader: WireReader): SystemDescription {
  const { 1: os = '', 2: build = '', 3: processor = '', 4: architecture = '', 5: computer = '' } = readStrings(reader);
  return { os, build, processor, architecture, computer };
}

function readDevice(reader: WireReader, countAttribute: () => void): MeasuredDevice {
  let id = 0;
  let name = '';
  const attributes: Record<string, number | string> = {};
  while (reader.next()) {
    if (reader.field === 1) id = reader.unsigned();
    else if (reader.field === 2) name = reader.string();
    else if (reader.field === 3) {
      const attribute = reader.message();
      countAttribute();
      let key = '';
      let value: MetricValue | undefined;
      while (attribute.next()) {
        if (attribute.field === 1) key = attribute.string();
        else if (attribute.field === 2) value = readValue(attribute.message());
        else attribute.skip();
      }
      if (value !== undefined) attributes[key] = typeof value === 'bigint' ? Number(value) : value;
    } else reader.skip();
  }
  return { id, name, attributes };
}

/** String fields 1 to 9 of a message; everything else is skipped. */
function readStrings(reader: WireReader): Record<number, string> {
  const fields: Record<number, string> = {};
  while (reader.next()) {
    if (reader.wire === 2 && reader.field < 10) fields[reader.field] = reader.string();
    else reader.skip();
  }
  return fields;
}

export function readRelocations(reader: WireReader, functions: LoadedFunction[], countFunction: () => void): void {
  while (reader.next()) {
    if (reader.field !== 1) {
      reader.skip();
      continue;
    }
    countFunction();
    const entry = reader.message();
    let symbol = '';
    let address = 0;
    let symbolIndex = 0;
    while (entry.next()) {
      if (entry.field === 1) symbol = entry.string();
      else if (entry.field === 2) address = entry.unsigned();
      else if (entry.field === 3) symbolIndex = entry.unsigned();
      else entry.skip();
    }
    functions.push({ symbol, address, symbolIndex });
  }
}

/** A value of any of the five types; undefined for an empty message. */
export function readValue(reader: WireReader): MetricValue | undefined {
  let value: MetricValue | undefined;
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        value = reader.string();
        break;
      case 2:
        if (reader.wire !== 5) throw reader.damaged('a value of unexpected encoding');
        value = reader.float();
        break;
      case 3:
        if (reader.wire !== 1) throw reader.damaged('a value of unexpected encoding');
        value = reader.double();
        break;
      case 4:
      case 5:
        if (reader.wire !== 0) throw reader.damaged('a value of unexpected encoding');
        value = reader.exactVarint();
        break;
      default:
        reader.skip();
    }
  }
  return value;
}

export interface RuleResult {
  rule: string;
  name: string;
  section: string;
  messages: RuleMessage[];
  focus: { metric: string; value: number; severity: number; info: string }[];
  speedup?: { kind: 'local' | 'global'; percent: number };
  /** `line` and `file` by ncu's own reckoning, or the address of an instruction. */
  markers: {
    severity: MarkerSeverity;
    tooltip: string;
    file?: string | undefined;
    line?: number | undefined;
    address?: number | undefined;
  }[];
}

const severities: readonly MarkerSeverity[] = ['none', 'ok', 'warning', 'error', 'optimization'];

export function readRule(reader: WireReader): RuleResult {
  const result: RuleResult = { rule: '', name: '', section: '', messages: [], focus: [], markers: [] };
  const count = countUpTo(100_000, 'remarks of one rule');
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        result.rule = reader.string();
        break;
      case 2:
        result.name = reader.string();
        break;
      case 3: {
        const body = reader.message();
        while (body.next()) {
          if (body.field !== 1) {
            body.skip();
            continue;
          }
          count();
          readRuleItem(body.message(), result);
        }
        break;
      }
      case 4:
        result.section = reader.string();
        break;
      case 5:
        count();
        result.markers.push(readMarker(reader.message()));
        break;
      default:
        reader.skip();
    }
  }
  return result;
}

function readRuleItem(item: WireReader, result: RuleResult): void {
  const count = countUpTo(10_000, 'counters of one rule');
  while (item.next()) {
    switch (item.field) {
      case 1: {
        const message = item.message();
        let text = '';
        let title = '';
        let severity = 0;
        while (message.next()) {
          if (message.field === 1) text = message.string();
          else if (message.field === 2) severity = message.unsigned();
          else if (message.field === 4) title = message.string();
          else message.skip();
        }
        result.messages.push({ title, text, severity: severities[severity] ?? 'none' });
        break;
      }
      case 8: {
        count();
        const focus = item.message();
        const entry = { metric: '', value: 0, severity: 0, info: '' };
        while (focus.next()) {
          if (focus.field === 2) entry.metric = focus.string();
          else if (focus.field === 3 && focus.wire === 1) entry.value = focus.double();
          else if (focus.field === 4) entry.severity = focus.unsigned();
          else if (focus.field === 5) entry.info = focus.string();
          else focus.skip();
        }
        result.focus.push(entry);
        break;
      }
      case 10: {
        const speedup = item.message();
        let kind = 0;
        let percent = 0;
        while (speedup.next()) {
          if (speedup.field === 1) kind = speedup.unsigned();
          else if (speedup.field === 2 && speedup.wire === 1) percent = speedup.double();
          else speedup.skip();
        }
        if (kind === 1 || kind === 2) result.speedup = { kind: kind === 1 ? 'local' : 'global', percent };
        break;
      }
      default:
        item.skip();
    }
  }
}

function readMarker(reader: WireReader): RuleResult['markers'][number] {
  let kind = 0;
  let line: number | undefined;
  let address: number | undefined;
  let tooltip = '';
  let severity = 0;
  let file: string | undefined;
  while (reader.next()) {
    switch (reader.field) {
      case 1:
        kind = reader.unsigned();
        break;
      case 2:
        line = reader.unsigned();
        break;
      case 3:
        address = reader.unsigned();
        break;
      case 4:
        tooltip = reader.string();
        break;
      case 5:
        severity = reader.unsigned();
        break;
      case 6:
        file = reader.string();
        break;
      default:
        reader.skip();
    }
  }
  const said = { severity: severities[severity] ?? ('none' as const), tooltip };
  return kind === 0 ? { ...said, address } : { ...said, line, file };
}
