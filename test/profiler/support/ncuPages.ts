// Parses the CSV pages that ncu prints of a report, to compare the reader against them.

/** One block of `--page source --print-source cuda,sass`: the lines of one file in one function of one launch. */
export interface SourceBlock {
  path: string;
  function: string;
  /** Names of the metric columns, without line, source and address. */
  columns: string[];
  /** Line number, source text as printed, and one cell per column. */
  lines: { line: number; text: string; cells: string[] }[];
  /** Rows of single instructions, each address once; left out of the fixtures of large reports. */
  instructions: { address: number; cells: string[] }[];
}

/** Blocks of a source page in order; the path of a block carries over to the next where ncu leaves it out. */
export function parseSourcePage(csv: string): SourceBlock[] {
  const blocks: SourceBlock[] = [];
  let path = '';
  let block: SourceBlock | undefined;
  const addresses = new Set<number>();
  for (const row of csv.split('\n')) {
    if (row.startsWith('"File Path","')) path = row.slice('"File Path","'.length, -1);
    else if (row.startsWith('"Function Name","')) {
      block = { path, function: row.slice('"Function Name","'.length, -1), columns: [], lines: [], instructions: [] };
      addresses.clear();
      blocks.push(block);
    } else if (block && row.startsWith('"Line No","')) block.columns = cellsOf(row).slice(4);
    else if (block && /^"\d+","/.test(row)) {
      // Quotes in the source text are not escaped, so the metric columns are counted from the right.
      const cells = cellsOf(row);
      const metrics = cells.slice(cells.length - block.columns.length);
      const text = cells.slice(1, cells.length - block.columns.length - 2).join('","');
      block.lines.push({ line: Number(cells[0]), text, cells: metrics });
    } else if (block && row.startsWith('"","","0x')) {
      const cells = cellsOf(row);
      const address = Number(cells[2]);
      if (addresses.has(address)) continue;
      addresses.add(address);
      block.instructions.push({ address, cells: cells.slice(cells.length - block.columns.length) });
    }
  }
  return blocks;
}

/** Rows of the raw page: one per launch, cells by column name; units by column name. */
export function parseRawPage(csv: string): { units: Record<string, string>; launches: Record<string, string>[] } {
  const rows = csv
    .split('\n')
    .filter((row) => row.startsWith('"'))
    .map(cellsOf);
  const [names, units, ...launches] = rows;
  const named = (cells: readonly string[]) => Object.fromEntries(names!.map((name, index) => [name, cells[index]!]));
  return { units: named(units!), launches: launches.map(named) };
}

/**
 * By what a number of the raw page is multiplied to be in the metric's own unit (byte, hz, ns, a second below the stroke):
 * without `--print-units base` ncu prints `Kbyte/cycle`, `Ghz`, `us`, `sector/ns`. A prefix below the stroke is meant above it: 2614 %/byte comes as 2.614 %/Kbyte.
 */
export function scaleOfUnit(unit: string): number {
  const [amount = '', per = ''] = unit.split('/');
  const prefixed = (part: string) =>
    ({ K: 1e3, M: 1e6, G: 1e9, T: 1e12 })[/^([KMGT])(byte|hz)$/.exec(part)?.[1] ?? ''] ?? 1;
  return (
    prefixed(amount) *
    prefixed(per) *
    ({ us: 1e3, ms: 1e6, s: 1e9 }[amount] ?? 1) *
    ({ ns: 1e9, us: 1e6, ms: 1e3 }[per] ?? 1)
  );
}

/** A row whose cells are all quoted. */
function cellsOf(row: string): string[] {
  return row.slice(1, -1).split('","');
}

/** Metric behind a column of the source page; undefined for the columns that are sums of several. */
export function metricOfColumn(column: string): string | undefined {
  const known = metricByColumn[column];
  if (known) return known;
  const stall = /^stall_(\w+)( \(Not Issued\))?$/.exec(column);
  if (!stall) return undefined;
  const reason = reasonByShortName[stall[1]!] ?? stall[1]!;
  return `smsp__pcsamp_warps_issue_stalled_${reason}${stall[2] ? '_not_issued' : ''}`;
}

const reasonByShortName: Record<string, string> = {
  dispatch: 'dispatch_stall',
  imc: 'imc_miss',
  lg: 'lg_throttle',
  long_sb: 'long_scoreboard',
  math: 'math_pipe_throttle',
  mio: 'mio_throttle',
  no_inst: 'no_instructions',
  short_sb: 'short_scoreboard',
  sleep: 'sleeping',
  tex: 'tex_throttle',
};

const metricByColumn: Record<string, string> = {
  '# Samples': 'smsp__pcsamp_sample_count',
  'Instructions Executed': 'inst_executed',
  'Thread Instructions Executed': 'thread_inst_executed',
  'Predicated-On Thread Instructions Executed': 'thread_inst_executed_true',
  'Avg. Threads Executed': 'derived__avg_thread_executed',
  'Avg. Predicated-On Threads Executed': 'derived__avg_thread_executed_true',
  'Derivative Avg. Predicated-On Threads Executed': 'derived__derivative_avg_thread_executed_true',
  'Avg. Predicated-On Threads Unexecuted': 'derived__avg_thread_unexecuted_true',
  'Divergent Branches': 'smsp__branch_targets_threads_divergent',
  'Address Space': 'memory_type',
  'Access Operation': 'memory_access_type',
  'Access Size': 'memory_access_size_type',
  'L1 Tag Requests Global': 'memory_l1_tag_requests_global',
  'L1 Conflicts Shared N-Way': 'derived__memory_l1_conflicts_shared_nway',
  'L1 Wavefronts Shared': 'memory_l1_wavefronts_shared',
  'L1 Wavefronts Shared Ideal': 'memory_l1_wavefronts_shared_ideal',
  'L1 Wavefronts Shared Excessive': 'derived__memory_l1_wavefronts_shared_excessive',
  'L2 Theoretical Sectors Global': 'memory_l2_theoretical_sectors_global',
  'L2 Theoretical Sectors Global Ideal': 'memory_l2_theoretical_sectors_global_ideal',
  'L2 Theoretical Sectors Global Excessive': 'derived__memory_l2_theoretical_sectors_global_excessive',
  'L2 Theoretical Sectors Local': 'memory_l2_theoretical_sectors_local',
  'L2 Explicit Evict Policies': 'smsp__sass_inst_executed_memdesc_explicit_evict_type',
  'L2 Explicit Hit Policy Evict First': 'smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_first',
  'L2 Explicit Hit Policy Evict Last': 'smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_last',
  'L2 Explicit Hit Policy Evict Normal': 'smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_normal',
  'L2 Explicit Hit Policy Evict Normal Demote': 'smsp__sass_inst_executed_memdesc_explicit_hitprop_evict_normal_demote',
  'L2 Explicit Miss Policy Evict First': 'smsp__sass_inst_executed_memdesc_explicit_missprop_evict_first',
  'L2 Explicit Miss Policy Evict Normal': 'smsp__sass_inst_executed_memdesc_explicit_missprop_evict_normal',
};

/** Text columns count kinds instead of adding amounts. */
export const kindColumns: ReadonlySet<string> = new Set([
  'Address Space',
  'Access Operation',
  'Access Size',
  'L2 Explicit Evict Policies',
]);
