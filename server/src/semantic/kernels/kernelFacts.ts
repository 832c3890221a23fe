// The facts of kernels as wholes, and of the bodies that generic kernels are given.
import type { FunctionDecl } from '../../syntax/ast';
import type { LaunchConfiguration, Locator } from '../run';
import type { Program, TypeTable } from '../language';
import type { KernelFact } from '../model';
import { parameterTypes } from './signature';
import { headOf } from './bodies';
import { costOf } from './branches';
import type { KernelRun } from './kernelRuns';
import { textureFetches } from './textures';

/** Of a kernel with all its runs: one for each body that it is given. */
export function kernelFact(
  runs: readonly KernelRun[],
  launchesOf: ReadonlyMap<KernelRun, readonly LaunchConfiguration[]>,
  locate: Locator,
  types: TypeTable,
  program: Program,
): Omit<KernelFact, 'work'> {
  const fn = locate.current(runs[0]!.kernel);
  return {
    at: { uri: fn.uri, start: fn.base + fn.start, end: fn.base + fn.end },
    nameAt: { uri: fn.uri, start: fn.base + fn.nameStart, end: fn.base + fn.nameStart + fn.name.length },
    parameters: parameterTypes(fn, types),
    ...factOfRuns(runs, launchesOf, fn, program),
  };
}

/** Of the body that a generic kernel is given: an instance of the kernel for itself. */
export function bodyFact(
  run: KernelRun,
  body: FunctionDecl,
  launchesOf: ReadonlyMap<KernelRun, readonly LaunchConfiguration[]>,
  locate: Locator,
  program: Program,
): Omit<KernelFact, 'work'> {
  return {
    at: locate.span(body, body),
    nameAt: headOf(body, locate),
    parameters: [],
    ...factOfRuns([run], launchesOf, { ...run.kernel, body: body.body! }, program),
  };
}

function factOfRuns(
  runs: readonly KernelRun[],
  launchesOf: ReadonlyMap<KernelRun, readonly LaunchConfiguration[]>,
  fn: FunctionDecl,
  program: Program,
): Omit<KernelFact, 'at' | 'nameAt' | 'parameters' | 'work'> {
  const fetches = textureFetches(fn, program, new Set(runs.flatMap(({ unread }) => unread.map(({ node }) => node))));
  const notAnalysed = runs.find((run) => run.notAnalysed)?.notAnalysed;
  const loopsByPlace = (run: KernelRun) =>
    launchesOf.get(run)!.map(({ at, hostLoops = [] }) => [`${at.uri} ${at.start}`, hostLoops] as const);
  return {
    kind: 'kernel',
    name: fn.name,
    qualifiedName: fn.qualifiedName,
    global: true,
    // A run that was kept may be of before its launches moved.
    shapes: runs.flatMap((run) =>
      run.shapes.map((shape, at) => {
        const launch = launchesOf.get(run)![run.launches[at]!];
        return launch ? { ...shape, launchAt: launch.at } : shape;
      }),
    ),
    ...(notAnalysed ? { notAnalysed } : {}),
    hostLoops: [...new Map(runs.flatMap(loopsByPlace)).values()],
    cost: costOf(fn.body!, fn),
    ...(fetches.length > 0 ? { fetches } : {}),
  };
}
