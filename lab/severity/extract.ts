// Reads the reports of profiled programs and writes the counters of their source lines, without any source text.
//
// npx tsx lab/severity/extract.ts --programs PLAN.json --results FOLDER [--results FOLDER …] --prefix PATH
//   [--known IDS.txt] [--seed N] [--keep 0.8688] [--also LINES.jsonl …] [--also-launches LAUNCHES.jsonl …] --out FOLDER
//
// A results folder is what profile.py wrote: results.jsonl and I.ncu-rep, unpacked. Programs that the list of known ones
// names go into the open set, since the model was built with their counters at hand. Each other program is drawn by its
// own digest, so that programs added later change no set. `--also` names counters of known programs that were taken on
// an H200 before; they are used for programs that the results lack. Exit status: 0, 2 for bad arguments.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';
import {
  bytesSource,
  measureLaunches,
  openReport,
  readRuleFindings,
  type Launch,
  type Report,
} from '../../profiler/src/report';
import { stallReason } from '../../profiler/src/lines/sourceMetrics';
import type { KernelCounts, LineCounts, ProgramEntry } from './counters';

interface Planned {
  readonly id: string;
  readonly repo: string;
  readonly path: string;
  readonly commit: string;
  readonly kind: 'make' | 'nvcc';
  readonly flags?: readonly string[];
  readonly run: readonly string[];
}
interface Result {
  readonly id: string;
  readonly i?: number;
  readonly xz?: number;
  readonly trace?: number;
  readonly ncu?: number;
  /** Launches, nanoseconds, grid, block and mangled name of each launch shape of a run without Nsight Compute. */
  readonly launches?: readonly (readonly [number, number, string, string, string])[];
}

const metrics: Readonly<Record<string, keyof LineCounts>> = {
  smsp__pcsamp_sample_count: 'samples',
  inst_executed: 'inst',
  thread_inst_executed: 'threadInst',
  thread_inst_executed_true: 'predInst',
  smsp__branch_targets_threads_divergent: 'divergent',
  memory_l2_theoretical_sectors_global: 'l2Sectors',
  memory_l2_theoretical_sectors_global_ideal: 'l2SectorsIdeal',
  memory_l2_theoretical_sectors_local: 'l2Local',
  memory_l1_tag_requests_global: 'l1TagGlobal',
  memory_l1_wavefronts_shared: 'wfShared',
  memory_l1_wavefronts_shared_ideal: 'wfSharedIdeal',
};
/** What of a line is counted a second time at the line that the code was inlined into. */
const inlinedMetrics: Readonly<
  Record<string, 'samples' | 'l2Sectors' | 'l2SectorsIdeal' | 'wfShared' | 'wfSharedIdeal'>
> = {
  smsp__pcsamp_sample_count: 'samples',
  memory_l2_theoretical_sectors_global: 'l2Sectors',
  memory_l2_theoretical_sectors_global_ideal: 'l2SectorsIdeal',
  memory_l1_wavefronts_shared: 'wfShared',
  memory_l1_wavefronts_shared_ideal: 'wfSharedIdeal',
};
const shortReasons: Readonly<Record<string, string>> = {
  'long scoreboard': 'long_sb',
  'short scoreboard': 'short_sb',
  'mio throttle': 'mio',
  'lg throttle': 'lg',
  'tex throttle': 'tex',
  'math pipe throttle': 'math',
};
/** Rules of Nsight Compute that point at lines. */
const ruleWithLines = /^(Uncoalesced|SharedMemory|ThreadDivergence)/;
const mostSites = 8;

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      programs: { type: 'string' },
      results: { type: 'string', multiple: true },
      prefix: { type: 'string' },
      known: { type: 'string' },
      seed: { type: 'string', default: '20261124' },
      // Half of all programs are kept back when 87 % of those not known are.
      keep: { type: 'string', default: '0.8688' },
      also: { type: 'string', multiple: true },
      'also-launches': { type: 'string', multiple: true },
      gpu: { type: 'string', default: '' },
      date: { type: 'string', default: '' },
      out: { type: 'string' },
    },
  });
  if (!values.programs || !values.results || !values.prefix || !values.out) {
    console.error('extract.ts: --programs, --results, --prefix and --out are needed; see its first lines.');
    return 2;
  }
  const planned = new Map(
    (JSON.parse(readFileSync(values.programs, 'utf8')) as Planned[]).map((each) => [each.id, each]),
  );
  const keep = Number(values.keep);
  const known = new Set(values.known ? readFileSync(values.known, 'utf8').split('\n').filter(Boolean) : []);
  const programs: ProgramEntry[] = [];
  const kernels = new Map<string, KernelCounts[]>();
  const lines = new Map<string, LineCounts[]>();
  for (const folder of values.results) {
    for (const row of readFileSync(join(folder, 'results.jsonl'), 'utf8').split('\n').filter(Boolean)) {
      const result = JSON.parse(row) as Result;
      const path = join(folder, `${result.i}.ncu-rep`);
      const plan = planned.get(result.id);
      if (!plan || !result.xz || kernels.has(result.id) || !existsSync(path)) continue;
      try {
        const read = await readProgram(path, plan, result, values.prefix);
        if (!read.kernels.some(({ ns }) => ns > 0)) {
          console.error(`${result.id}: no kernel in the report`);
          continue;
        }
        kernels.set(result.id, read.kernels);
        lines.set(result.id, read.lines);
        programs.push({
          program: result.id,
          repo: plan.repo,
          commit: plan.commit,
          path: plan.path,
          command: commandOf(plan),
          build: plan.kind === 'make' ? 'make ARCH=sm_90' : ['nvcc -O3 -arch=sm_90', ...(plan.flags ?? [])].join(' '),
          set: 'open',
          gpu: values.gpu,
          date: values.date,
          ...(result.trace !== 0 && { stopped: true }),
        });
      } catch (error) {
        console.error(`${result.id}: ${(error as Error).message}`);
      }
    }
  }
  for (const also of readOthers(values.also ?? [], values['also-launches'] ?? [])) {
    if (lines.get(also.program)?.length) continue;
    const plan = planned.get(also.program);
    const at = programs.findIndex(({ program }) => program === also.program);
    if (at >= 0) programs.splice(at, 1);
    programs.push({
      program: also.program,
      repo: also.repo,
      commit: plan?.commit ?? [...planned.values()].find(({ repo }) => repo === also.repo)!.commit,
      path: also.path,
      ...(also.command !== undefined && { command: also.command }),
      set: 'open',
      gpu: 'NVIDIA H200',
      date: 'before 2026-11-24',
    });
    lines.set(also.program, also.lines);
    kernels.set(also.program, also.kernels);
  }
  const entries = programs
    .map((entry) => ({
      ...entry,
      set:
        !known.has(entry.program) && drawn(values.seed, entry.program) < keep ? ('kept' as const) : ('open' as const),
    }))
    .sort((a, b) => compareText(a.program, b.program));
  mkdirSync(values.out, { recursive: true });
  for (const set of ['open', 'kept'] as const) {
    const ids = entries.filter((entry) => entry.set === set).map(({ program }) => program);
    writeRows(
      join(values.out, `${set}-lines.jsonl.gz`),
      ids.flatMap((id) => lines.get(id)!),
    );
    writeRows(
      join(values.out, `${set}-kernels.jsonl.gz`),
      ids.flatMap((id) => kernels.get(id)!),
    );
  }
  writeFileSync(join(values.out, 'programs.jsonl'), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  const kept = entries.filter(({ set }) => set === 'kept').length;
  console.log(`${entries.length} programs, ${kept} of them kept back`);
  return 0;
}

function commandOf({ run, kind }: Planned): string {
  return [kind === 'make' ? run[0]! : './main', ...run.slice(1)].join(' ');
}
/** A number from 0 to 1 that the seed and the program decide. */
function drawn(seed: string, id: string): number {
  return createHash('sha256').update(`${seed} ${id}`).digest().readUInt32BE(0) / 2 ** 32;
}
function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
function writeRows(path: string, rows: readonly object[]): void {
  writeFileSync(path, gzipSync(rows.map((row) => `${JSON.stringify(row)}\n`).join(''), { level: 9 }));
}

interface OtherLaunches {
  readonly program?: string;
  readonly repo?: string;
  readonly file?: string;
  readonly command?: string;
  /** Of HeCBench. */
  readonly launches?: readonly { readonly kernel: string; readonly block: string; readonly grid: string }[];
  /** Of other repositories: kernel, block and grid. */
  readonly kernels?: readonly (readonly [string, string, string])[];
}
interface Other {
  readonly program: string;
  readonly repo: string;
  readonly path: string;
  readonly command: string | undefined;
  readonly lines: LineCounts[];
  readonly kernels: KernelCounts[];
}
const hecbench = 'zjin-lcf/HeCBench';

/** Counters without rules, durations and shares of time. A row without `repo` is of HeCBench. */
function readOthers(linePaths: readonly string[], launchPaths: readonly string[]): Other[] {
  const rows = <Row>(path: string): Row[] =>
    readFileSync(path, 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((row) => JSON.parse(row) as Row);
  const found = new Map<string, Other>();
  for (const row of launchPaths.flatMap((path) => rows<OtherLaunches>(path))) {
    const repo = row.repo ?? hecbench;
    const path = row.program ?? row.file!;
    const program = `${repo}:${path}`;
    const launches =
      row.kernels ?? (row.launches ?? []).map(({ kernel, block, grid }) => [kernel, block, grid] as const);
    const sides = (text: string): number[] => text.match(/\d+/g)!.map(Number);
    found.set(program, {
      program,
      repo,
      path,
      command: row.command,
      lines: [],
      kernels: launches.map(([kernel, block, grid]) => ({
        program,
        kernel: kernel.slice(0, 240),
        grid: sides(grid),
        block: sides(block),
        ns: 0,
        share: 0,
        samples: 0,
        rules: [],
      })),
    });
  }
  for (const row of linePaths.flatMap((path) => rows<Record<string, unknown>>(path))) {
    const { repo = hecbench, kernels: names, l2SectorsExcess: _l2, wfSharedExcess: _shared, ...counts } = row;
    const file = row['file'] as string;
    const path = repo === hecbench ? file.split('/').slice(0, 2).join('/') : file;
    const other = found.get(`${repo as string}:${path}`);
    const ran = new Set((names as string[] | undefined) ?? []);
    other?.lines.push({
      program: other.program,
      ...counts,
      kernels: other.kernels.flatMap(({ kernel }, at) => (ran.has(kernel) ? [at] : [])),
    } as unknown as LineCounts);
  }
  return [...found.values()].filter(({ lines }) => lines.length > 0);
}

/** A path relative to the program's repository; undefined for files from elsewhere, such as the toolkit's. */
function relativePath(path: string, root: string): string | undefined {
  return path.startsWith(root) ? path.slice(root.length) : undefined;
}

async function readProgram(
  path: string,
  { id, repo }: Planned,
  result: Result,
  prefix: string,
): Promise<{ readonly kernels: KernelCounts[]; readonly lines: LineCounts[] }> {
  const report = await openReport(bytesSource(readFileSync(path)));
  const root = `${prefix.replace(/\/$/, '')}/${repo.replace('/', '+')}/`;
  const kernels: KernelCounts[] = [];
  const rows = new Map<string, LineCounts & { time: number; samplesBy: Map<number, number> }>();
  const rowOf = (file: string, line: number): LineCounts & { time: number; samplesBy: Map<number, number> } => {
    const key = `${file}:${line}`;
    let row = rows.get(key);
    if (!row) rows.set(key, (row = { program: id, file, line, kernels: [], time: 0, samplesBy: new Map() }));
    return row;
  };
  for await (const { kernel, lines } of measureLaunches(report, undefined, { callers: true })) {
    const launch = report.launches[kernel.launch]!;
    const counted = shapeOf(launch, result);
    const index = kernels.length;
    kernels.push({
      program: id,
      kernel: kernel.name.slice(0, 240),
      grid: [...kernel.grid],
      block: [...kernel.block],
      ns: Math.round(kernel.durationNs ?? 0),
      ...(counted && { launches: counted[0], plainNs: counted[1] }),
      share: 0,
      samples: kernel.values['smsp__pcsamp_sample_count'] ?? 0,
      rules: await rulesOf(report, launch, root),
    });
    for (const { file: full, line, values, kinds, callers } of lines) {
      const file = relativePath(full, root);
      for (const { sites, values: part } of callers ?? []) {
        if (!Object.keys(inlinedMetrics).some((name) => (part[name] ?? 0) > 0)) continue;
        const here = file === undefined ? undefined : rowOf(file, line);
        for (const site of sites) {
          const at = relativePath(site.file, root);
          if (at === undefined) continue;
          if (here) {
            here.sites ??= [];
            if (here.sites.length < mostSites && !here.sites.some(([f, l]) => f === at && l === site.line))
              here.sites.push([at, site.line]);
          }
          const row = rowOf(at, site.line);
          row.inlined ??= {};
          for (const [name, key] of Object.entries(inlinedMetrics)) {
            const value = part[name] ?? 0;
            if (value > 0 && (file !== at || line !== site.line)) row.inlined[key] = (row.inlined[key] ?? 0) + value;
          }
        }
      }
      if (file === undefined) continue;
      const row = rowOf(file, line);
      let any = false;
      for (const [name, value] of Object.entries(values)) {
        if (!(value > 0)) continue;
        const key = metrics[name];
        const reason = stallReason(name);
        if (key !== undefined) {
          (row as unknown as Record<string, number>)[key] =
            ((row as unknown as Record<string, number>)[key] ?? 0) + value;
          any = true;
        } else if (reason !== undefined && reason !== 'selected') {
          const stall = `stall_${shortReasons[reason] ?? reason.replaceAll(' ', '_')}` as const;
          row[stall] = (row[stall] ?? 0) + value;
        }
      }
      const atomics = kinds?.['memory_access_type']?.['Atomic'];
      if (atomics !== undefined) row.atomics = Math.max(row.atomics ?? 0, atomics);
      if (!any) continue;
      row.kernels.push(index);
      row.samplesBy.set(index, values['smsp__pcsamp_sample_count'] ?? 0);
    }
  }
  shareOut(kernels, result);
  const lines = [...rows.values()]
    .filter((row) => row.kernels.length > 0)
    .sort((a, b) => compareText(a.file, b.file) || a.line - b.line)
    .map(({ samplesBy, ...row }) => {
      let time = 0;
      for (const [index, samples] of samplesBy) {
        const { share, samples: all } = kernels[index]!;
        if (all > 0) time += (share * samples) / all;
      }
      return { ...row, time: round(time) };
    });
  return { kernels, lines };
}

function shapeOf({ mangledName, grid, block }: Launch, { launches }: Result): readonly [number, number] | undefined {
  const found = launches?.find(
    ([, , atGrid, atBlock, name]) => name === mangledName && atGrid === grid.join() && atBlock === block.join(),
  );
  return found && [found[0], found[1]];
}

/**
 * The part of the program's GPU time that each profiled launch shape stands for: its launches times the shorter of the
 * two durations known, since other processes used the GPU meanwhile, over the same sum for all launches of the program.
 */
function shareOut(kernels: KernelCounts[], { launches }: Result): void {
  const seen = new Set<string>();
  const times = kernels.map(({ kernel, grid, block, ns, launches: count, plainNs }) => {
    const key = `${kernel} ${grid.join()} ${block.join()}`;
    if (seen.has(key)) return 0;
    seen.add(key);
    return count === undefined || plainNs === undefined ? ns : Math.min(ns * count, plainNs);
  });
  const profiled = kernels.reduce((sum, { plainNs }, at) => sum + (times[at]! > 0 ? (plainNs ?? 0) : 0), 0);
  const all = (launches ?? []).reduce((sum, [, ns]) => sum + ns, 0);
  const total = times.reduce((sum, time) => sum + time, 0) + Math.max(0, all - profiled);
  kernels.forEach((kernel, at) => (kernel.share = total > 0 ? round(times[at]! / total) : 0));
}

async function rulesOf(report: Report, launch: Launch, root: string): Promise<KernelCounts['rules']> {
  const found = await readRuleFindings(report, launch);
  return found.flatMap(({ rule, speedup, markers }) => {
    const lines = new Map<string, readonly [string, number]>();
    if (ruleWithLines.test(rule))
      for (const { at } of markers)
        for (const { file: full, line } of at) {
          const file = relativePath(full, root);
          if (file !== undefined) lines.set(`${file}:${line}`, [file, line]);
        }
    if (!speedup && lines.size === 0) return [];
    return [
      {
        rule,
        ...(speedup && { kind: speedup.kind, percent: Math.round(speedup.percent * 100) / 100 }),
        ...(lines.size > 0 && { lines: [...lines.values()] }),
      },
    ];
  });
}

function round(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}

void main().then((status) => {
  process.exitCode = status;
});
