// Launches under several numbers for the integers that the sizes of their memory depend on and the host leaves open.
import { append } from '../language';
import { withinSteps } from '../steps';
import { run, type Form, type LaunchConfiguration, type LaunchRecord, type LaunchSample, type RunSetup } from '../run';

/** Sizes that are computed from more are not followed, nor are more launches of one function than these. */
const mostUnknowns = 3;
const mostLaunches = 16;
const mostSteps = 200_000;

/** Unknowns of one size, by what tells them apart, with their names. */
type Open = ReadonlyMap<string, string>;

/** What the size that an argument leads to is computed from, where the host leaves just that open. */
function openSize({ base }: LaunchRecord['args'][number]): Open | undefined {
  if (!base?.bytesOf?.length || base.bytes !== undefined) return undefined;
  const open = new Map<string, string>();
  for (const { of } of base.bytesOf)
    for (const { key, name, kind } of of.factors) {
      if (key === undefined || name === undefined || kind === 'loop' || kind === 'iteration') return undefined;
      open.set(key, name.replace(/&.*/, ''));
    }
  return open.size > mostUnknowns ? undefined : open;
}

/** The variable that an argument of the launch takes it from: a call's result has no name. */
function nameIn({ node, args }: LaunchRecord, key: string): string | undefined {
  const at = args.findIndex(({ form: [term, more] = [] }) => term?.by === 1 && !more && keysOf(term) === key);
  const arg = node.args[at];
  return arg?.kind === 'name' ? arg.name : undefined;
}
function keysOf({ of: { factors } }: Form[number]): string {
  return factors.map(({ key }) => key).join('*');
}

/**
 * A whole number of blocks however many elements a thread takes, some beside it, and just over a block. Of several each
 * another, and once all of them whole. The first draws, as many as integers, show whether there is anything to find.
 */
function drawsOf(open: Open, threads: number): ReadonlyMap<string, number>[] {
  const whole = 64 * threads;
  const numbers = [whole + 1, whole - 1, threads + 16, whole, threads + 1];
  const keys = [...open.keys()];
  const others = numbers.map((_, at) => keys.map((_, place) => numbers.at((at + (at % 2 ? -place : place)) % 5)!));
  const wholes = keys.map(() => whole);
  const draws = keys.length > 1 ? others.toSpliced(keys.length, 0, wholes) : others;
  return draws.map((draw) => new Map(draw.map((number, at) => [keys[at]!, number])));
}

/**
 * What each launch of a run of the host is once the sizes are numbers: those that the size of one of its arrays is
 * computed from, and nothing beside, so that what depends on other unknowns stays open.
 */
export function samplesOf(
  launches: readonly LaunchRecord[],
  setup: RunSetup,
  configured: (record: LaunchRecord) => LaunchConfiguration,
): { readonly samples: ReadonlyMap<LaunchRecord, readonly LaunchSample[]>; readonly functions: readonly string[] } {
  const samples = new Map<LaunchRecord, LaunchSample[]>();
  const functions = new Set<string>();
  const known = new Map<string, ReturnType<typeof run>>();
  const runAt = (draw: ReadonlyMap<string, number>): ReturnType<typeof run> => {
    const key = JSON.stringify([...draw]);
    const result = known.get(key) ?? run({ ...setup, ends: true, assumes: (_, at) => draw.get(at) });
    for (const each of result.functions) functions.add(each);
    known.set(key, result);
    return result;
  };
  const sample = (record: LaunchRecord): void => {
    const all = record.args.map(openSize);
    const { block } = configured(record);
    const threads = (block.x ?? 0) * (block.y ?? 1) * (block.z ?? 1) || 256;
    const sets = new Map(all.flatMap((open) => (open ? [[[...open.keys()].sort().join(), open]] : [])));
    for (const [set, open] of sets)
      for (const draw of drawsOf(open, threads)) {
        const { complete, launches: found } = runAt(draw);
        const next = found.find(({ node, fn }) => node === record.node && fn === record.fn);
        // The host does not take all sizes; what it takes and does not settle at first, it settles at none.
        if (complete && !next) continue;
        const launch = complete && next && !next.unsure ? configured(next) : undefined;
        if (!launch?.blockExact || !launch.gridExact) {
          if (samples.has(record)) continue;
          break;
        }
        const rooms = (launch.argRooms ?? []).map((room, at) => {
          const of = all[at];
          return of && [...of.keys()].sort().join() === set ? room : undefined;
        });
        if (!rooms.some((room) => room)) continue;
        const named = (key: string): string => nameIn(record, key) ?? open.get(key)!;
        const numbers = [...draw].map(([key, value]) => [named(key), value] as const);
        append(samples, record, { numbers, launch, rooms });
      }
  };
  const open = launches.filter(({ unsure, args }) => !unsure && args.some(openSize));
  const firsts = open.filter(({ node }, at) => open.findIndex((other) => other.node === node) === at);
  withinSteps(mostSteps, () => firsts.slice(0, mostLaunches).forEach(sample));
  return { samples, functions: [...functions] };
}
