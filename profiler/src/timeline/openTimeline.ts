// Reads the SQLite export of Nsight Systems into a timeline. The tables are those that its user guide describes as the
// export schema; what is absent is left out, what contradicts itself is one sentence.
import type { Database, Engine, SqlValue } from 'sql.js/dist/sql-wasm-inline.js';
import { shape } from '../lines/amounts';
import type { ByteSource } from '../report/byteSource';
import { shortNameOf } from '../report/functionNames';
import { ReportError } from '../report/reportError';
import { addUpCalls, type Activity, type HostCall } from './addUpCalls';
import { timelineRows, type GpuEvent } from './rows';
import type { Timeline, TimelineCopies, TimelineKernel } from './timeline';
import { bytesText } from './words';

/** The whole file is held in memory, by a 32-bit machine. */
const largestFile = 1024 * 1024 * 1024;

const kernelTable = 'CUPTI_ACTIVITY_KIND_KERNEL';
const copyTable = 'CUPTI_ACTIVITY_KIND_MEMCPY';
const setTable = 'CUPTI_ACTIVITY_KIND_MEMSET';
const callTable = 'CUPTI_ACTIVITY_KIND_RUNTIME';

let engine: Promise<Engine> | undefined;

/** Whether a file is a SQLite database, by its first bytes. */
export function isSqlite(head: Uint8Array): boolean {
  return new TextDecoder('latin1').decode(head.subarray(0, 15)) === 'SQLite format 3';
}

/**
 * Throws ReportError, with the next step, where the file is damaged, no timeline, or of a form that is not known.
 * @param mostRows of one table, beyond which it is refused
 */
export async function openTimeline(source: ByteSource, mostRows = 8_000_000): Promise<Timeline> {
  if (source.size > largestFile)
    throw new ReportError(
      `The timeline has ${(source.size / 2 ** 30).toFixed(1)} GiB; the limit is 1 GiB. Profile a part of the ` +
        'run (nsys profile --duration, or --capture-range with cudaProfilerStart) and export it.',
    );
  const bytes = await readWhole(source);
  if (!isSqlite(bytes))
    throw new ReportError(
      'This is not a SQLite database. Export the report first: nsys export --type sqlite REPORT.nsys-rep',
    );
  engine ??= import('sql.js/dist/sql-wasm-inline.js').then(({ default: start }) => start());
  const { Database } = await engine;
  let database: Database | undefined;
  try {
    database = new Database(bytes);
    return readTimeline(tablesOf(database), mostRows);
  } catch (error) {
    if (error instanceof ReportError) throw error;
    throw new ReportError(
      `The timeline is damaged or truncated (SQLite: ${error instanceof Error ? error.message : String(error)}). ` +
        'Copy the file again, or export it again with nsys export --type sqlite --force-overwrite true.',
    );
  } finally {
    database?.close();
  }
}

async function readWhole(source: ByteSource): Promise<Uint8Array> {
  const bytes = new Uint8Array(source.size);
  for (let at = 0; at < bytes.length; ) {
    const length = await source.read(at, bytes.subarray(at));
    if (length === 0) throw new ReportError('The timeline became shorter while it was read. Copy the file again.');
    at += length;
  }
  return bytes;
}

type Row = Readonly<Record<string, SqlValue>>;

interface Tables {
  has(table: string, ...columns: readonly string[]): boolean;
  rows(sql: string): Generator<Row>;
  one(sql: string): Row | undefined;
}

function tablesOf(database: Database): Tables {
  function* rows(sql: string): Generator<Row> {
    const statement = database.prepare(sql);
    while (statement.step()) yield statement.getAsObject();
  }
  const columns = new Map<string, ReadonlySet<string>>();
  for (const { name } of rows(`SELECT name FROM sqlite_master WHERE type = 'table'`)) {
    if (!/^\w+$/.test(String(name))) continue;
    const all = [...rows(`PRAGMA table_xinfo("${name}")`)];
    // A generated column is computed when it is read, and may take any time and memory.
    if (all.some(({ hidden }) => hidden !== 0))
      throw new ReportError(`The table ${name} has generated columns, which no export of Nsight Systems has.`);
    columns.set(String(name), new Set(all.map((row) => String(row['name']))));
  }
  return {
    has: (table, ...wanted) => wanted.every((column) => columns.get(table)?.has(column)) && columns.has(table),
    rows,
    one: (sql) => [...rows(sql)][0],
  };
}

function readTimeline(tables: Tables, mostRows: number): Timeline {
  const known = [kernelTable, copyTable, setTable, callTable].filter((table) => tables.has(table));
  if (known.length === 0)
    throw new ReportError(
      'The database has no GPU work (no table CUPTI_ACTIVITY_KIND_…). Profile with nsys profile --trace=cuda, ' +
        'and export with nsys export --type sqlite.',
    );
  for (const table of known) {
    if (!tables.has(table, 'start', 'end', 'correlationId') || !tables.has('StringIds', 'id', 'value'))
      throw new ReportError(
        `The timeline has an unknown schema: ${table} has no times or no names` +
          `${schemaOf(tables)}. Export it again with a current nsys.`,
      );
    const rows = Number(tables.one(`SELECT count(*) AS n FROM ${table}`)?.['n']);
    if (rows > mostRows)
      throw new ReportError(
        `The timeline holds ${(rows / 1e6).toFixed(1)} million rows in ${table}; the limit is ${mostRows / 1e6} ` +
          'million. Profile a part of the run (nsys profile --duration, or --capture-range).',
      );
  }
  const names = new Map<number, string>();
  for (const { id, value } of tables.rows('SELECT id, value FROM StringIds'))
    if (typeof id === 'number' && typeof value === 'string') names.set(id, value);
  const kernelOf = new Map<number, string>();
  const activities = new Map<number, Activity[]>();
  const busy: { start: number; end: number }[] = [];
  const events: GpuEvent[] = [];
  const add: Add = (row, { what, name, detail, ...activity }) => {
    const times = timesOf(row);
    const correlation = row['correlationId'];
    if (!times) return;
    busy.push(times);
    events.push({
      ...times,
      what,
      name,
      detail,
      device: Number(row['deviceId'] ?? 0),
      stream: Number(row['streamId'] ?? 0),
      correlation: Number(correlation),
    });
    if (typeof correlation !== 'number') return;
    const known = activities.get(correlation);
    if (known) known.push({ ...times, ...activity });
    else activities.set(correlation, [{ ...times, ...activity }]);
  };
  const kernels = readKernels(tables, names, kernelOf, add);
  const copies = readCopies(tables, add);
  if (tables.has(setTable))
    for (const row of tables.rows(`SELECT * FROM ${setTable}`))
      add(row, { what: 'copy', name: 'memset', bytes: 0, pageableBytes: 0 });
  busy.sort((a, b) => a.start - b.start);
  const { calls, made, from, idleElsewhereNs, spanNs, busyNs } = addUpCalls(
    readCalls(tables, names, kernelOf),
    activities,
    busy,
  );
  const device = deviceOf(tables);
  const product = productOf(tables);
  return {
    ...(product === undefined ? {} : { product }),
    ...(device ? { device } : {}),
    spanNs,
    busyNs,
    kernels,
    copies,
    calls,
    idleElsewhereNs,
    hasCallChains: calls.some(({ callers }) => callers.length > 0),
    rows: timelineRows(events, made, from),
  };
}

type Add = (row: Row, activity: Omit<Activity, 'start' | 'end'> & Pick<GpuEvent, 'what' | 'name' | 'detail'>) => void;

function timesOf({ start, end }: Row): { start: number; end: number } | undefined {
  return typeof start === 'number' && typeof end === 'number' && start >= 0 && end >= start && end < 2 ** 53
    ? { start, end }
    : undefined;
}

function readKernels(
  tables: Tables,
  names: ReadonlyMap<number, string>,
  kernelOf: Map<number, string>,
  add: Add,
): TimelineKernel[] {
  if (!tables.has(kernelTable)) return [];
  const mangled = tables.has(kernelTable, 'mangledName');
  const groups = new Map<string, { -readonly [Key in keyof TimelineKernel]: TimelineKernel[Key] }>();
  const text = (id: SqlValue | undefined): string | undefined => (typeof id === 'number' ? names.get(id) : undefined);
  for (const row of tables.rows(`SELECT * FROM ${kernelTable} ORDER BY start`)) {
    const times = timesOf(row);
    const name = text(row['demangledName']) ?? text(row['shortName']) ?? 'a kernel without a name';
    const symbol = mangled ? text(row['mangledName']) : undefined;
    const shortName = shortNameOf(name);
    if (typeof row['correlationId'] === 'number') kernelOf.set(row['correlationId'], shortName);
    const size = (what: 'grid' | 'block'): readonly [number, number, number] =>
      ['X', 'Y', 'Z'].map((axis) => Number(row[`${what}${axis}`] ?? 1)) as [number, number, number];
    const detail = `${shape(size('grid'))} blocks of ${shape(size('block'))}`;
    add(row, { what: 'kernel', name: shortName, detail, kernel: shortName, bytes: 0, pageableBytes: 0 });
    if (!times) continue;
    const ns = times.end - times.start;
    const key = `${name}\n${symbol ?? ''}`;
    const group = groups.get(key);
    if (!group)
      groups.set(key, {
        name,
        shortName,
        ...(symbol === undefined ? {} : { mangledName: symbol }),
        launches: 1,
        totalNs: ns,
        shortestNs: ns,
        longestNs: ns,
        grid: size('grid'),
        block: size('block'),
      });
    else {
      group.launches++;
      group.totalNs += ns;
      group.shortestNs = Math.min(group.shortestNs, ns);
      if (ns <= group.longestNs) continue;
      group.longestNs = ns;
      group.grid = size('grid');
      group.block = size('block');
    }
  }
  return [...groups.values()].sort((a, b) => b.totalNs - a.totalNs);
}

/** By the numbers of CUPTI (CUpti_ActivityMemcpyKind), which the export keeps. */
const directions: Readonly<Record<number, string>> = {
  1: 'host to device',
  2: 'device to host',
  3: 'host to array',
  4: 'array to host',
  8: 'device to device',
  9: 'host to host',
  10: 'peer to peer',
  11: 'unified memory to device',
  12: 'unified memory to host',
};
/** By the numbers of CUPTI (CUpti_ActivityMemoryKind), less one, as nsys exports them. */
const memories: Readonly<Record<number, string>> = { 0: 'pageable', 1: 'pinned', 4: 'managed' };

function readCopies(tables: Tables, add: Add): TimelineCopies[] {
  if (!tables.has(copyTable)) return [];
  const groups = new Map<string, { -readonly [Key in keyof TimelineCopies]: TimelineCopies[Key] }>();
  for (const row of tables.rows(`SELECT * FROM ${copyTable} ORDER BY start`)) {
    const kind = Number(row['copyKind']);
    const bytes = Math.max(0, Number(row['bytes'] ?? 0)) || 0;
    const side = kind === 1 || kind === 3 ? row['srcKind'] : kind === 2 || kind === 4 ? row['dstKind'] : undefined;
    const host = typeof side === 'number' ? memories[side] : undefined;
    const direction = directions[kind] ?? 'other';
    const detail = [bytesText(bytes), host && `${host} memory`].filter((part) => part).join(', ');
    add(row, {
      what: 'copy',
      name: direction,
      detail,
      bytes,
      pageableBytes: host === 'pageable' ? bytes : 0,
    });
    const times = timesOf(row);
    if (!times) continue;
    const key = `${direction} ${host}`;
    const group = groups.get(key);
    if (!group)
      groups.set(key, { direction, ...(host ? { host } : {}), count: 1, bytes, totalNs: times.end - times.start });
    else {
      group.count++;
      group.bytes += bytes;
      group.totalNs += times.end - times.start;
    }
  }
  return [...groups.values()].sort((a, b) => b.totalNs - a.totalNs);
}

/** One for each call of the program: what the runtime calls of the driver within it is a part of it. */
function* readCalls(
  tables: Tables,
  names: ReadonlyMap<number, string>,
  kernelOf: ReadonlyMap<number, string>,
): Generator<HostCall> {
  if (!tables.has(callTable, 'nameId')) return;
  const chained = tables.has(callTable, 'callchainId') && tables.has('CUDA_CALLCHAINS', 'id', 'symbol', 'stackDepth');
  const chains = chained ? readChains(tables, names) : undefined;
  const ranges = readRanges(tables, names);
  const thread = tables.has(callTable, 'globalTid');
  // With backtraces each call has two rows of one correlation: the outer one has the chain.
  const open = new Map<number, number>();
  for (const row of tables.rows(`SELECT * FROM ${callTable} ORDER BY start, "end" DESC`)) {
    const times = timesOf(row);
    const name = typeof row['nameId'] === 'number' ? names.get(row['nameId']) : undefined;
    if (!times || name === undefined) continue;
    const tid = thread ? Number(row['globalTid']) : 0;
    if ((open.get(tid) ?? -1) >= times.end) continue;
    open.set(tid, times.end);
    const correlation = Number(row['correlationId']);
    const chain = chains?.get(Number(row['callchainId'] ?? Number.NaN));
    const plain = name.replace(/_v\d+$/, '').replace(/_ptsz$/, '');
    const range = ranges?.(tid, times.start);
    const kernel = kernelOf.get(correlation);
    yield {
      name: plain,
      ...times,
      correlation,
      thread: tid,
      ...(kernel === undefined ? {} : { kernel }),
      ...(range === undefined ? {} : { range }),
      frames: chain ?? [],
    };
  }
}

function readChains(tables: Tables, names: ReadonlyMap<number, string>): ReadonlyMap<number, HostCall['frames']> {
  const chains = new Map<number, { readonly symbol: string; readonly address: number }[]>();
  const address = tables.has('CUDA_CALLCHAINS', 'originalIP') ? 'originalIP' : '0 AS originalIP';
  for (const row of tables.rows(`SELECT id, symbol, ${address} FROM CUDA_CALLCHAINS ORDER BY id, stackDepth`)) {
    const symbol = typeof row['symbol'] === 'number' ? names.get(row['symbol']) : undefined;
    const frame = { symbol: symbol ?? '', address: Number(row['originalIP']) };
    const chain = chains.get(Number(row['id']));
    if (chain) chain.push(frame);
    else chains.set(Number(row['id']), [frame]);
  }
  return chains;
}

/** The innermost range around a moment of a thread; undefined where there is no NVTX. */
function readRanges(
  tables: Tables,
  names: ReadonlyMap<number, string>,
): ((thread: number, at: number) => string | undefined) | undefined {
  if (!tables.has('NVTX_EVENTS', 'start', 'end', 'globalTid', 'text')) return undefined;
  const textId = tables.has('NVTX_EVENTS', 'textId');
  const byThread = new Map<number, { start: number; end: number; text: string }[]>();
  for (const row of tables.rows('SELECT * FROM NVTX_EVENTS WHERE "end" IS NOT NULL ORDER BY start')) {
    const times = timesOf(row);
    const given = row['text'] ?? (textId && typeof row['textId'] === 'number' ? names.get(row['textId']) : undefined);
    if (!times || typeof given !== 'string') continue;
    const thread = Number(row['globalTid']);
    const list = byThread.get(thread);
    if (list) list.push({ ...times, text: given });
    else byThread.set(thread, [{ ...times, text: given }]);
  }
  if (byThread.size === 0) return undefined;
  // Calls of a thread come in order: what has ended before one has ended before all that follow.
  const states = new Map<number, { next: number; open: { end: number; text: string }[] }>();
  return (thread, at) => {
    const list = byThread.get(thread);
    if (!list) return undefined;
    let state = states.get(thread);
    if (!state) states.set(thread, (state = { next: 0, open: [] }));
    while (state.next < list.length && list[state.next]!.start <= at) state.open.push(list[state.next++]!);
    state.open = state.open.filter(({ end }) => end >= at);
    return state.open.at(-1)?.text;
  };
}

function deviceOf(tables: Tables): Timeline['device'] {
  if (!tables.has('TARGET_INFO_GPU', 'name')) return undefined;
  const row = tables.one('SELECT * FROM TARGET_INFO_GPU ORDER BY id LIMIT 1');
  if (typeof row?.['name'] !== 'string') return undefined;
  const { computeMajor: major, computeMinor: minor } = row;
  return {
    name: row['name'],
    ...(typeof major === 'number' && typeof minor === 'number' ? { computeCapability: `${major}.${minor}` } : {}),
  };
}

function metadata(tables: Tables, name: string): string | undefined {
  if (!tables.has('META_DATA_EXPORT', 'name', 'value')) return undefined;
  const value = tables.one(`SELECT value FROM META_DATA_EXPORT WHERE name = '${name}'`)?.['value'];
  return value === undefined || value === null ? undefined : String(value);
}

function productOf(tables: Tables): string | undefined {
  const product = metadata(tables, 'EXPORT_PRODUCT_NAME');
  const version = metadata(tables, 'EXPORT_PRODUCT_VERSION');
  return product === undefined ? undefined : [product, version].filter((part) => part).join(' ');
}

function schemaOf(tables: Tables): string {
  const version = metadata(tables, 'EXPORT_SCHEMA_VERSION');
  return version === undefined ? '' : ` (schema ${version})`;
}
