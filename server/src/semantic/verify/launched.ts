// What host code launches once its integers are known: kernels with their blocks, grids and arguments.
import type { FunctionDecl, SourceFile } from '../../syntax/ast';
import { configurationOf, configurationsOf } from '../kernels';
import {
  bodyLaunches,
  kernelsNamed,
  lastPart,
  mayStart,
  noBindings,
  type Bindings,
  type Program,
  type TypeTable,
} from '../language';
import type { Gpu } from '../model';
import { run, uncertain, Taint, type Compiler, type LaunchConfiguration, type LaunchRecord, type Value } from '../run';
import type { Given } from '../contents';

/** A text, ready to run. */
export interface Runnable {
  /** The main file of the unit, whose host code launches. */
  readonly main: SourceFile;
  /** The file at hand. */
  readonly file: SourceFile;
  /** Another where the text declares other types or variables. */
  readonly declared: string;
  readonly program: Program;
  readonly types: TypeTable;
  readonly compiler: Compiler;
  readonly gpu: Gpu;
  launchesOf(kernel: FunctionDecl): readonly LaunchConfiguration[];
}

export interface Launched {
  readonly kernel: FunctionDecl;
  readonly bindings: Bindings;
  readonly block: readonly [number, number, number];
  readonly grid: readonly [number, number, number];
  readonly given: Given;
}

const hostBudget = 8_000;
const notSettled = Taint.chosen | uncertain | Taint.loadedUniform | Taint.assumed;

/** Functions of the host that launch. */
export function launchersIn({ main, program }: Runnable): readonly FunctionDecl[] {
  return main.functions.filter(
    (fn) => fn.body && fn.host && !fn.global && !fn.templateParams?.length && bodyLaunches(fn.body, program),
  );
}

/** Gives the launches of a function for integers by name; undefined where one depends on more than those. */
type Launcher = (integer: (name: string) => number) => readonly Launched[] | undefined;

/** What a function launches, in its order. */
export function launcherOf(fn: FunctionDecl, runnable: Runnable): Launcher {
  const { program, types, compiler, gpu } = runnable;
  const records = (assumes: (name: string) => number | undefined): readonly LaunchRecord[] =>
    run({
      ...{ program, types, gpu, compiler, fn, assumes, host: true, args: [], bindings: noBindings, budget: hostBudget },
      ...{ block: [1, 1, 1], grid: [1, 1, 1] },
    }).launches;
  const open = records(() => undefined);
  const names = new Set(open.flatMap(({ grid, block, args }) => [grid, block, ...args].flatMap(namesIn)));
  const sizes = new Map(open.flatMap((record) => sizesKnown(record, runnable)));
  return (draw) => {
    const integer = (name: string): number => sizes.get(name)?.[draw(name) % sizes.get(name)!.length] ?? draw(name);
    const arrays = new Map<number, string>();
    const launched: Launched[] = [];
    for (const record of records((name) => (names.has(name) ? integer(name) : undefined))) {
      const [grid, block] = [extentOf(record.grid), extentOf(record.block)];
      const configuration = configurationOf(record, types, program);
      const named = kernelsNamed(program, configuration.kernelName);
      const kernels = named.filter((kernel) => kernel.body && mayStart(configuration, kernel, named));
      const [kernel] = kernels;
      if (!grid || !block || !kernel || kernels.length > 1 || record.unsure) return undefined;
      const bindings = configurationsOf(kernel, [kernel], program, [configuration], types)[0]?.bindings;
      if (!bindings) return undefined;
      const given = new Map<string, number | { array: string; offset: number }>();
      for (const [at, value] of record.args.entries()) {
        const name = kernel.params[at]?.name;
        if (!name || typeof value.lanes !== 'number' || value.taint & notSettled) continue;
        if (!value.base && value.type.kind === 'scalar') given.set(name, value.lanes);
        if (!value.base) continue;
        const { id } = value.base;
        // What is allocated goes by a place in the text, which differs: its order among the arrays does not.
        const array = arrays.get(id) ?? (value.base.name.includes('@') ? `#${arrays.size}` : value.base.name);
        arrays.set(id, array);
        given.set(name, { array, offset: value.lanes });
      }
      launched.push({ kernel, bindings, block, grid, given });
    }
    return launched;
  };
}

/** What a name that is the size of the block is wherever the launch is reached, if that is known. */
function sizesKnown({ node, fn, block, kernelName }: LaunchRecord, runnable: Runnable): [string, number[]][] {
  const names = new Set(namesIn(block));
  const launches = kernelsNamed(runnable.program, lastPart(kernelName)).flatMap((kernel) =>
    runnable.launchesOf(kernel).filter(({ at }) => at.uri === fn.uri && at.start === fn.base + node.start),
  );
  const sizes = launches.flatMap(({ blockExact, block: { x } }) => (blockExact && x !== undefined ? x : []));
  return names.size === 1 && sizes.length === launches.length ? [...names].map((name) => [name, sizes]) : [];
}

function namesIn(value: Value): readonly string[] {
  const parts = [...(value.fields?.values() ?? [])].flatMap(namesIn);
  return [...parts, ...(value.form ?? []).flatMap(({ of }) => of.factors.flatMap(({ name }) => name ?? []))];
}

function extentOf(value: Value): readonly [number, number, number] | undefined {
  const { type, fields } = value;
  if (type.kind === 'struct' && !fields) return undefined;
  const parts = fields ? ['x', 'y', 'z'].map((axis) => fields.get(axis)) : [value, undefined, undefined];
  const numbers = parts.map((part) => (part ? (part.taint & notSettled ? NaN : (part.lanes as number)) : 1));
  return numbers.every(Number.isInteger) ? (numbers as [number, number, number]) : undefined;
}
