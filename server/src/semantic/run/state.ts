// The state of one run: its setup, its budget, the memory and the unknowns it has met.
import { step, TooManySteps } from '../steps';
import { dim3Type, unsignedType, type Type } from '../language';
import { fullMask, type Lanes } from './lanes';
import { createUnknowns, type Form, type Unknown } from './unknowns';
import { blank, plain, Taint, type MemoryBase, type Recorder, type Run, type RunSetup, type Value } from './values';

/** Thrown where one run cannot stand for all iterations of a loop. */
export class DependsOnIteration extends Error {
  constructor(readonly unknowns: readonly Unknown[]) {
    super('depends on the iteration');
  }
}
/** Throws where a loop is being run for all its iterations at once and the iteration's number is in these unknowns. */
export function requireEvery(run: Run, form: Form | undefined): void {
  if (run.iterating === 0 || !form) return;
  const found = form.flatMap((term) => term.of.factors.filter((factor) => factor.kind === 'loop'));
  if (found.length) throw new DependsOnIteration(found);
}

/** Beyond the budget times this the run stops where it is. */
const hardLimit = 3;

export function createRun(setup: RunSetup, recorderOf: (run: Run) => Recorder): Run {
  const [bx, by, bz] = setup.block;
  const threads = bx * by * bz;
  const axis = (of: (linear: number) => number, extent: number): Value => {
    if (extent === 1) return plain(unsignedType, 0, Taint.none);
    const lanes = new Float64Array(threads);
    for (let at = 0; at < threads; at++) lanes[at] = of(at);
    return plain(unsignedType, lanes, Taint.thread);
  };
  const run = {
    setup,
    threads,
    full: fullMask(threads),
    cost: Math.ceil(threads / 32),
    spent: 0,
    unknowns: createUnknowns(),
    bases: new Map(),
    globals: new Map(),
    launches: [],
    functions: new Set<string>(),
    asked: new Set<string>(),
    members: new Map(),
    threadIndex: new Map([
      ['x', axis((t) => t % bx, bx)],
      ['y', axis((t) => Math.floor(t / bx) % by, by)],
      ['z', axis((t) => Math.floor(t / (bx * by)), bz)],
    ]),
    chosenCount: 0,
    loopCount: 0,
    iterating: 0,
  } as unknown as { -readonly [K in keyof Run]: Run[K] };
  run.recorder = recorderOf(run);
  return run;
}

/** Takes one step of the budget. Throws when far beyond it. */
export function spend(run: Run): void {
  step(8 * run.cost);
  if ((run.spent += run.cost) > hardLimit * run.setup.budget) throw new TooManySteps();
}
/** May loops still be run for more than one iteration? */
export function hasBudget(run: Run): boolean {
  return run.spent < run.setup.budget;
}

/**
 * The witness of the next uniform value that nothing fixes: large against any thread index, so that guards pass, and a
 * multiple of 1024.
 */
function nextWitness(run: Run): number {
  return 1024 * (97 + 26 * (run.chosenCount++ % 64));
}

/** The unknown uniform integer of a key, its witness chosen when it is first seen. */
function unknownNamed(run: Run, key: string, name: string, kind: Unknown['kind'], witness?: Lanes): Unknown {
  return run.unknowns.named(key, () => ({ key, name, kind, witness: witness ?? nextWitness(run) }));
}

/** An object that an operation gives which the run does not follow. */
export function resultingObject(run: Run, type: Type, taint: number, key: string): Value {
  const isParted = taint & Taint.thread && !run.setup.host;
  return {
    ...blank,
    type,
    key,
    ...(isParted ? { lanes: scattered(run), taint: taint | Taint.loaded } : { lanes: 0, taint }),
  };
}

/** Witnesses of a number that is another in each lane. */
export function scattered({ threads }: Run): Lanes {
  return Float64Array.from({ length: threads }, (_, at) => 1024 * (64 + ((at * 7919) % 4093)));
}

/**
 * A value of `type` that the text does not give: an unknown for scalars, its own memory for pointers, a lazy structure
 * otherwise. `lanes` are the witnesses where the caller has its own; they have no form when they differ within a warp.
 */
export function unseen(
  run: Run,
  type: Type,
  key: string,
  taint: number,
  lanes?: Lanes,
  name = key,
  of?: Unknown['kind'],
): Value {
  switch (type.kind) {
    case 'pointer':
      return {
        ...blank,
        type,
        lanes: lanes ?? 0,
        taint: taint & ~Taint.chosen,
        base: baseNamed(run, key, 'global', { type: type.to, ...(of === 'call' ? { name, ofCall: true } : {}) }),
      };
    case 'array':
      return {
        ...blank,
        type: { kind: 'pointer', to: type.of },
        lanes: 0,
        taint: 0,
        base: baseNamed(run, key, 'unknown', { type: type.of }),
      };
    case 'struct': {
      const form = of === 'call' ? run.unknowns.single(unknownNamed(run, key, name, of)) : undefined;
      return { ...blank, type, lanes: lanes ?? 0, taint, key, form };
    }
    case 'reference':
      return unseen(run, type.to, key, taint, lanes, name, of);
    default: {
      const assumed = lanes === undefined ? run.setup.assumes?.(name, key) : undefined;
      if (assumed !== undefined) return plain(type, assumed, 0);
      if (lanes !== undefined && typeof lanes !== 'number') return { ...blank, type, lanes, taint, key };
      if (type.kind === 'scalar' && type.float) {
        const witness = lanes ?? (unknownNamed(run, key, name, 'parameter').witness as number) + 0.25;
        return { ...blank, type, lanes: witness, taint, key };
      }
      const small = type.kind === 'scalar' && type.size === 1;
      const witness = lanes ?? (small ? (type.name === 'bool' ? 1 : 8) : undefined);
      const kind = of ?? (taint & Taint.loadedUniform ? 'loaded' : taint & Taint.maybe ? 'result' : 'parameter');
      const unknown = unknownNamed(run, key, name, kind, witness);
      return { ...blank, type, lanes: unknown.witness, taint, form: run.unknowns.single(unknown), key };
    }
  }
}

/** Is it a number, or a pointer, that an unknown function gives, which may be another in each thread? */
export function isOfCall({ form = [], base }: { form?: Form | undefined; base?: MemoryBase | undefined }): boolean {
  return base?.ofCall === true || form.some(({ of }) => of.factors.some(({ kind }) => kind === 'call'));
}

export function baseNamed(
  run: Run,
  key: string,
  space: MemoryBase['space'],
  more: Partial<Omit<MemoryBase, 'kind' | 'id' | 'space' | 'elements'>> = {},
): MemoryBase {
  let base = run.bases.get(key);
  if (!base) {
    const elements = space === 'local' ? { elements: new Map<number, Value>() } : {};
    base = { kind: 'memory', id: run.bases.size + 1, space, ...more, name: more.name ?? key, ...elements };
    run.bases.set(key, base);
  }
  return base;
}

/** `threadIdx`, `blockIdx`, `blockDim`, `gridDim`, `warpSize`; undefined for other names. */
export function builtinNamed(run: Run, name: string): Value | undefined {
  const { setup } = run;
  switch (name) {
    case 'threadIdx':
      return { ...blank, type: dim3Type, lanes: 0, taint: 0, fields: run.threadIndex };
    case 'blockDim':
      return triple((at) => plain(unsignedType, setup.block[at]!, 0));
    case 'gridDim':
      return triple((at) => {
        const known = setup.grid[at];
        if (known !== undefined) return plain(unsignedType, known, 0);
        const axis = 'xyz'[at]!;
        const unknown = unknownNamed(run, `gridDim.${axis}`, `gridDim.${axis}`, 'grid', [12, 8, 4][at]!);
        return {
          ...blank,
          type: unsignedType,
          lanes: unknown.witness,
          taint: Taint.chosen,
          form: run.unknowns.single(unknown),
        };
      });
    case 'blockIdx':
      return triple((at) => {
        const known = setup.grid[at];
        const blockAt = setup.contents?.block ?? setup.blockAt;
        if (blockAt) return plain(unsignedType, blockAt[at]!, 0);
        if (known === 1) return plain(unsignedType, 0, 0);
        const usual = [5, 3, 2][at]!;
        // Inside of the grid, where conditions on its edges hold.
        const witness =
          known === undefined ? usual : known <= usual + 1 ? Math.floor(known / 2) % known : insideOf(known);
        const unknown = run.unknowns.named(`blockIdx.${'xyz'[at]}`, () => ({
          name: `blockIdx.${'xyz'[at]}`,
          kind: 'block',
          witness,
          along: { axis: 'xyz'[at]!, at: (block) => block },
          ...(known === undefined ? {} : { count: known }),
        }));
        return { ...blank, type: unsignedType, lanes: witness, taint: Taint.block, form: run.unknowns.single(unknown) };
      });
    case 'warpSize':
      return plain(unsignedType, 32, 0);
    default:
      return undefined;
  }
}
/** A block near the middle of so many, of an odd number. */
function insideOf(blocks: number): number {
  return Math.min(Math.floor(blocks / 2) | 1, blocks - 1);
}
function triple(of: (at: number) => Value): Value {
  return {
    ...blank,
    type: dim3Type,
    lanes: 0,
    taint: 0,
    fields: new Map([...'xyz'].map((axis, at) => [axis, of(at)])),
  };
}
