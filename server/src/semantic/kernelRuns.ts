// Runs each kernel under the launch configurations in sight and joins what the runs recorded, one summary a place in the text.
import type { Expr, FunctionDecl, Node } from '../syntax/ast';
import { run, type AccessRecord, type BarrierRecord, type BranchRecord, type RunResult } from './interpreter';
import type { LaunchConfiguration } from './launchConfiguration';
import { bindingsOf } from './launches';
import type { Extent, Gpu, KernelShape } from './model';
import type { Program } from './language/program';
import { walk } from './language/statements';
import { typeName } from './language/types';
import type { TypeTable } from './language/types';
import { Taint } from './values';

export interface AccessSummary {
  readonly record: AccessRecord; // of the first run that saw it; for names, loops, samples
  readonly sums: {
    sectors: number;
    sectorsIdeal: number;
    wavefronts: number;
    wavefrontsIdeal: number;
    warps: number;
    lanes: number;
  };
  taint: number;
  strideName?: string;
  stride: number | null | undefined;
  /** The ratio changed when chosen numbers lost their alignment. */
  aligned: boolean;
  shadow: boolean;
  byData: boolean;
  executions: number;
}
export interface KernelRun {
  readonly kernel: FunctionDecl;
  readonly shapes: readonly KernelShape[];
  /** Every launch in sight has a block of constants, so that there are no shapes beside `shapes`. */
  readonly allShapesKnown: boolean;
  /** Beside `shapes`: constants that the launch gives to template parameters and arguments, and names of the types it gives. */
  readonly values: readonly ReadonlyMap<string, number>[];
  readonly types: readonly ReadonlyMap<string, string>[];
  readonly accesses: readonly AccessSummary[];
  readonly branches: readonly BranchRecord[];
  readonly barriers: readonly BarrierRecord[];
  /** Keys of all functions whose text the result rests on. */
  readonly functions: ReadonlySet<string>;
  readonly notAnalysed?: string;
  readonly failure?: unknown;
  /** What all its runs cost, in the unit of the budget. */
  readonly spent: number;
}

/** What one kernel may cost, and what it may once the kernels before it in the unit have cost `fileBudget` together: a file of a hundred kernels must not keep its reader waiting. */
const fullBudget = 240_000;
const lateBudget = 40_000;
const fileBudget = 1_600_000;

/** The budget of a kernel after those before it have spent `before`. */
export function budgetAfter(before: number): number {
  return before > fileBudget ? lateBudget : fullBudget;
}
const maximumConfigurations = 6;

interface Configuration {
  readonly block: readonly [number, number, number];
  readonly grid: Extent;
  readonly assumed: boolean;
  readonly exact: boolean;
  readonly launch?: LaunchConfiguration;
}

/** The block shapes to run a kernel with: those of its launches, else its launch bounds, else a stated guess. */
function configurationsOf(
  kernel: FunctionDecl,
  launches: readonly LaunchConfiguration[],
  types: TypeTable,
): Configuration[] {
  const found = new Map<string, Configuration>();
  for (const launch of launches) {
    const { x, y = 1, z = 1 } = launch.block;
    if (x === undefined || x * y * z > 1024 || x * y * z < 1) continue;
    const key = JSON.stringify([x, y, z, launch.templateArgs, launch.args, launch.argTypes, launch.grid]);
    if (!found.has(key))
      found.set(key, { block: [x, y, z], grid: launch.grid, assumed: false, exact: launch.blockExact, launch });
  }
  if (found.size) {
    // Exact shapes tell more than those computed from run-time values, and different blocks more than different arguments.
    const all = [...found.values()];
    const exact = all.filter((each) => each.exact);
    const list = exact.length ? exact : all;
    const picked: Configuration[] = [];
    const shapes = new Set<string>();
    for (const each of list) {
      const shape = `${each.block.join()}|${each.launch?.templateArgs.join()}`;
      if (!shapes.has(shape)) {
        shapes.add(shape);
        picked.push(each);
      }
    }
    for (const each of list) if (!picked.includes(each)) picked.push(each);
    return picked.slice(0, maximumConfigurations);
  }
  const launch = launches[0];
  const bounds = kernel.launchBounds?.[0] ? types.constant(kernel.launchBounds[0]) : undefined;
  const axes = usedAxes(kernel);
  const threads = bounds && bounds >= 1 && bounds <= 1024 ? bounds : 256;
  const block: [number, number, number] = axes.z
    ? [8, 8, 4]
    : axes.y
      ? threads >= 64 && threads % 32 === 0
        ? [32, threads / 32 > 32 ? 32 : Math.max(1, threads / 32), 1]
        : [16, 16, 1]
      : [threads, 1, 1];
  return [{ block, grid: launch?.grid ?? {}, assumed: true, exact: false, ...(launch ? { launch } : {}) }];
}

function usedAxes(kernel: FunctionDecl): { y: boolean; z: boolean } {
  const axes = { y: false, z: false };
  walk(kernel.body, (node) => {
    if (node.kind === 'member' && node.object.kind === 'name' && node.object.name === 'threadIdx') {
      if (node.field === 'y') axes.y = true;
      if (node.field === 'z') axes.z = true;
    }
  });
  return axes;
}

/** Runs one kernel. Never throws. */
export function runKernel(
  program: Program,
  types: TypeTable,
  gpu: Gpu,
  kernel: FunctionDecl,
  launches: readonly LaunchConfiguration[],
  kernelBudget: number = fullBudget,
): KernelRun {
  const configurations = configurationsOf(kernel, launches, types);
  const accesses = new Map<Node, AccessSummary[]>();
  const branches = new Map<Expr, BranchRecord>();
  const barriers = new Map<Node, BarrierRecord>();
  const functions = new Set<string>();
  const shapes: KernelShape[] = [];
  const values: Map<string, number>[] = [];
  const typeNames: Map<string, string>[] = [];
  let notAnalysed: string | undefined;
  let failure: unknown;
  let spent = 0;
  for (const configuration of configurations) {
    // A kernel that cost much is not run for every launch: the first shapes tell the most.
    if (spent > kernelBudget / 4 && shapes.length) break;
    const bindings = bindingsOf(kernel, configuration.launch, types);
    const setup = {
      program,
      types,
      gpu,
      fn: kernel,
      bindings,
      block: configuration.block,
      grid: [configuration.grid.x, configuration.grid.y, configuration.grid.z] as const,
      args: configuration.launch?.args ?? [],
      host: false,
      budget: kernelBudget,
    };
    const aligned = run({ ...setup, variant: 'aligned' });
    // A run that cost most of the budget is not made twice: what hangs on chosen numbers then counts as hanging on alignment too.
    const once = aligned.spent > 0.6 * kernelBudget;
    // Another block or three, where blocks differ: rows of a pitch that is no multiple of a sector start now here, now there.
    const further: RunResult[] = [];
    if (
      aligned.spent < kernelBudget / 8 &&
      [...aligned.accesses.values()].some((records) =>
        records.some((record) => record.taint & Taint.block && record.space === 'global'),
      )
    ) {
      const second = run({ ...setup, variant: 'aligned', blockNumber: 1 });
      further.push(second);
      if (differs(aligned, second))
        for (const blockNumber of [2, 3]) further.push(run({ ...setup, variant: 'aligned', blockNumber }));
    }
    const parted = [...aligned.barriers.values()].some(
      (record) => !record.proven && (record.under || record.afterReturn),
    );
    const odd = (aligned.choseNumbers || parted) && !once ? run({ ...setup, variant: 'odd' }) : undefined;
    spent += aligned.spent + (odd?.spent ?? 0) + further.reduce((sum, each) => sum + each.spent, 0);
    aligned.functions.forEach((key) => functions.add(key));
    if (!aligned.complete) notAnalysed ??= 'its body is larger than the analysis follows';
    failure ??= aligned.failure;
    const templateArgs = (kernel.templateParams ?? []).map((param) => {
      const type = bindings.types.get(param.name);
      return type ? typeName(type) : String(bindings.values.get(param.name) ?? '?');
    });
    shapes.push({
      block: configuration.block,
      grid: configuration.grid,
      assumed: configuration.assumed,
      exact: configuration.exact,
      templateArgs,
      ...(configuration.launch ? { launchAt: configuration.launch.at } : {}),
    });
    const constants = new Map(bindings.values);
    kernel.params.forEach((param, at) => {
      const value = configuration.launch?.args[at];
      if (param.name && value !== undefined) constants.set(param.name, value);
    });
    values.push(constants);
    typeNames.push(new Map([...bindings.types].map(([name, type]) => [name, typeName(type)])));
    joinAccesses(accesses, aligned, odd, once);
    if (further.length > 1) further.forEach((other) => addAccesses(accesses, other));
    joinBranches(branches, aligned);
    aligned.barriers.forEach((seen, node) => {
      // A condition that parts threads only where its bound is a multiple of 1024 by choice, or would only there not, is told by the run without that choice.
      const other = seen.proven || !odd?.complete ? undefined : odd.barriers.get(node);
      const { under, afterReturn, ...rest } = seen;
      const record: BarrierRecord = other
        ? {
            ...rest,
            ...(under && other.under ? { under } : {}),
            ...(afterReturn && other.afterReturn ? { afterReturn } : {}),
          }
        : seen;
      const known = barriers.get(node);
      if (!known) barriers.set(node, { ...record });
      else {
        known.under ??= record.under;
        known.afterReturn ??= record.afterReturn;
        known.proven ||= record.proven;
      }
    });
  }
  const flat = [...accesses.values()].flat();
  const allShapesKnown =
    launches.length > 0 && launches.every((launch) => launch.blockExact && launch.block.x !== undefined);
  return {
    kernel,
    spent,
    shapes,
    allShapesKnown,
    values,
    types: typeNames,
    accesses: flat,
    branches: [...branches.values()],
    barriers: [...barriers.values()],
    functions,
    ...(notAnalysed ? { notAnalysed } : {}),
    ...(failure === undefined ? {} : { failure }),
  };
}

function ratioOf(sums: { sectors: number; sectorsIdeal: number; wavefronts: number; wavefrontsIdeal: number }): number {
  return (sums.sectors + sums.wavefronts) / Math.max(1, sums.sectorsIdeal + sums.wavefrontsIdeal);
}

function addSums(sums: AccessSummary['sums'], record: AccessRecord): void {
  sums.sectors += record.sectors;
  sums.sectorsIdeal += record.sectorsIdeal;
  sums.wavefronts += record.wavefronts;
  sums.wavefrontsIdeal += record.wavefrontsIdeal;
  sums.warps += record.warps;
  sums.lanes += record.lanes;
}

function joinAccesses(
  into: Map<Node, AccessSummary[]>,
  aligned: RunResult,
  odd: RunResult | undefined,
  once: boolean,
): void {
  for (const [node, records] of aligned.accesses) {
    const list = into.get(node) ?? [];
    into.set(node, list);
    for (const record of records) {
      let summary = list.find(
        (each) =>
          each.record.mode === record.mode && each.record.space === record.space && each.record.bytes === record.bytes,
      );
      if (summary && summary.shadow && !record.shadow) {
        list.splice(list.indexOf(summary), 1);
        summary = undefined;
      }
      if (summary && !summary.shadow && record.shadow) continue;
      if (!summary) {
        summary = {
          record,
          sums: { sectors: 0, sectorsIdeal: 0, wavefronts: 0, wavefrontsIdeal: 0, warps: 0, lanes: 0 },
          taint: 0,
          stride: undefined,
          aligned: false,
          shadow: record.shadow,
          executions: 0,
          byData: false,
        };
        list.push(summary);
      }
      addSums(summary.sums, record);
      summary.taint |= record.taint;
      if (record.byData) summary.byData = true;
      if (record.strideName && !summary.strideName) summary.strideName = record.strideName;
      summary.stride = summary.stride === undefined || summary.stride === record.stride ? record.stride : null;
      if (once && record.taint & (Taint.chosen | Taint.loadedUniform) && record.stride !== 0) summary.aligned = true;
      const other = odd?.accesses
        .get(node)
        ?.find(
          (each) =>
            each.mode === record.mode &&
            each.space === record.space &&
            each.bytes === record.bytes &&
            each.shadow === record.shadow &&
            each.base.name === record.base.name,
        );
      if (other && Math.abs(ratioOf(other) - ratioOf(record)) > 0.005 * ratioOf(record)) summary.aligned = true;
    }
  }
}

function joinBranches(into: Map<Expr, BranchRecord>, result: RunResult): void {
  for (const [cond, record] of result.branches) {
    const known = into.get(cond);
    if (!known) {
      into.set(cond, { ...record });
      continue;
    }
    known.warps += record.warps;
    known.splits += record.splits;
    known.thenBefore += record.thenBefore;
    known.thenActive += record.thenActive;
    known.elseBefore += record.elseBefore;
    known.elseActive += record.elseActive;
    known.taint |= record.taint;
    known.variesInWarp ||= record.variesInWarp;
    known.variesInBlock ||= record.variesInBlock;
    known.uncertain ||= record.uncertain;
    known.mostLanes = Math.max(known.mostLanes, record.mostLanes);
    known.mostThreads = Math.max(known.mostThreads, record.mostThreads);
  }
}

/** Does any access cost otherwise in the other block? */
function differs(one: RunResult, other: RunResult): boolean {
  for (const [node, records] of one.accesses)
    for (const record of records) {
      if (record.space !== 'global' || !(record.taint & Taint.block)) continue;
      const match = other.accesses
        .get(node)
        ?.find(
          (each) =>
            each.mode === record.mode &&
            each.bytes === record.bytes &&
            each.shadow === record.shadow &&
            each.base.name === record.base.name,
        );
      if (
        match &&
        match.warps &&
        record.warps &&
        Math.abs(match.sectors / match.warps - record.sectors / record.warps) > 0.001
      )
        return true;
    }
  return false;
}

function addAccesses(into: Map<Node, AccessSummary[]>, result: RunResult): void {
  for (const [node, records] of result.accesses)
    for (const record of records) {
      const summary = into
        .get(node)
        ?.find(
          (each) =>
            each.record.mode === record.mode &&
            each.record.space === record.space &&
            each.record.bytes === record.bytes &&
            each.shadow === record.shadow,
        );
      if (!summary) continue;
      addSums(summary.sums, record);
    }
}
