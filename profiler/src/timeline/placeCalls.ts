// Lays the calls of a timeline on the lines that make them: by the call chain where the export has one, else by name
// and order.
import type { HostCallPlace } from '../../../protocol/src/hostCalls';
import { plainName } from '../evidence/kernelIdentity';
import type { Timeline, TimelineCall } from './timeline';

export interface PlacedCall {
  readonly place: HostCallPlace;
  /** From 1. */
  readonly line: number;
  /** Sums over the calls of this place; zeros where the timeline has none. */
  readonly sums: Pick<TimelineCall, 'count' | 'totalNs' | 'idleNs' | 'gpuNs' | 'bytes' | 'pageableBytes'>;
  /** How the timeline's calls were assigned to this line. */
  readonly by: 'call chain' | 'order' | 'name';
  /** Number of lines in the sums if their calls could not be distinguished; 1 otherwise. */
  readonly shared: number;
  /** The call has changed, or what decides how often it runs, since the timeline was laid on it. */
  readonly stale?: boolean;
  /** The timeline's calls that were added up. */
  readonly sites: readonly TimelineCall[];
}

/**
 * One for each call of the document whose kind the timeline has; what it never saw is left out, and so is a document
 * of another program.
 */
export function placeCalls(timeline: Timeline, calls: readonly HostCallPlace[]): PlacedCall[] {
  if (!isOfProgram(timeline, calls)) return [];
  const placed: PlacedCall[] = [];
  const groups = new Map<string, HostCallPlace[]>();
  for (const call of calls) {
    const key = keyOf(call.name, call.kernel);
    const group = groups.get(key);
    if (group) group.push(call);
    else groups.set(key, [call]);
  }
  for (const [key, places] of groups) {
    const sites = timeline.calls.filter(({ name, kernel }) => keyOf(apiOf(name), kernel) === key);
    if (sites.length > 0) placed.push(...placeGroup(places, sites));
  }
  return placed.sort((a, b) => a.line - b.line);
}

/**
 * Whether the program that ran has these calls: it ran one of the kernels that they launch. Calls without a launch
 * belong to a function of its call chains; an export without chains tells nothing about these.
 */
function isOfProgram({ kernels, calls: sites, hasCallChains }: Timeline, calls: readonly HostCallPlace[]): boolean {
  const launched = calls.flatMap(({ kernel }) => (kernel === undefined ? [] : [plainName(kernel)]));
  if (launched.length > 0 && kernels.length > 0)
    return kernels.some(({ shortName }) => launched.includes(plainName(shortName)));
  if (!hasCallChains) return true;
  // Inlined functions are in no chain, so a launch decides where there is one. Every program has a `main`.
  return calls.some(
    ({ name, function: around }) =>
      around !== undefined &&
      sites.some(({ name: api, callers }) =>
        around === 'main'
          ? apiOf(api) === name && callers[0] === 'main'
          : callers.some((each) => sameFunction(each, around)),
      ),
  );
}

function keyOf(name: string, kernel: string | undefined): string {
  return kernel === undefined ? name : `launch of ${plainName(kernel)}`;
}

/** What the runtime calls a call that the text writes otherwise. */
function apiOf(name: string): string {
  return /^cudaLaunchKernel/.test(name) ? 'cudaLaunchKernel' : name;
}

function placeGroup(places: readonly HostCallPlace[], sites: readonly TimelineCall[]): PlacedCall[] {
  const rest = new Set(sites);
  const placed: PlacedCall[] = [];
  const open: HostCallPlace[] = [];
  const functions = new Map<string | undefined, HostCallPlace[]>();
  for (const place of places) {
    const group = functions.get(place.function);
    if (group) group.push(place);
    else functions.set(place.function, [place]);
  }
  for (const [around, group] of functions) {
    const own = sites.filter(
      ({ callers }) => around !== undefined && callers[0] !== undefined && sameFunction(callers[0], around),
    );
    if (own.length === 0) {
      open.push(...group);
      continue;
    }
    for (const site of own) rest.delete(site);
    placed.push(...pair(group, own, 'call chain'));
  }
  // Inlined code belongs to another function, and an export without chains knows of none.
  if (open.length > 0 && rest.size > 0)
    placed.push(...pair(open, [...rest], [...rest].some(({ callers }) => callers.length > 0) ? 'order' : 'name'));
  return placed;
}

/** In their order where there are as many calls as lines; together otherwise. */
function pair(places: readonly HostCallPlace[], sites: readonly TimelineCall[], by: PlacedCall['by']): PlacedCall[] {
  const inOrder = [...sites].sort((a, b) => a.firstNs - b.firstNs);
  const isPaired = places.length === sites.length;
  const all = isPaired ? undefined : added(inOrder);
  return places.map((place, at) => ({
    place,
    line: place.range.start.line + 1,
    sums: all ?? added([inOrder[at]!]),
    by: isPaired && places.length > 1 && by === 'name' ? 'order' : by,
    shared: isPaired ? 1 : places.length,
    sites: isPaired ? [inOrder[at]!] : inOrder,
  }));
}

function added(sites: readonly TimelineCall[]): PlacedCall['sums'] {
  const sum = (of: (site: TimelineCall) => number): number => sites.reduce((total, site) => total + of(site), 0);
  return {
    count: sum(({ count }) => count),
    totalNs: sum(({ totalNs }) => totalNs),
    idleNs: sum(({ idleNs }) => idleNs),
    gpuNs: sum(({ gpuNs }) => gpuNs),
    bytes: sum(({ bytes }) => bytes),
    pageableBytes: sum(({ pageableBytes }) => pageableBytes),
  };
}

function sameFunction(caller: string, around: string): boolean {
  const last = (name: string): string => name.split('::').pop()!;
  return last(caller) === last(around);
}
