// cuda/constant-divergent: constant memory that the lanes of a warp read at different places.
import type { AccessFact } from '../../../semantic/model';
import { defineRule, type Finding } from '../../rule';
import { assuming, figure, titleWith } from '../../wording';

/** Different places a warp from which a read is worth a warning: measured 12 times as long in a loop, 2.8 once. */
const manyPlaces = 8;
const fewPlaces = 4;

export default defineRule<'access', 'divergent'>({
  meta: {
    id: 'cuda/constant-divergent',
    since: '0.1.0',
    family: 'cuda',
    severity: 'warning',
    fixable: 'unsafe',
    summary: 'A `__constant__` array whose index differs between the lanes of a warp.',
    docs: {
      what:
        'The constant cache serves one place to all lanes of a warp at once. Different places are served ' +
        'one after another, so a warp that reads `table[threadIdx.x]` waits 32 times. The rule counts the ' +
        'places that the lanes of a warp read.',
      why:
        'On an H200 a loop over a table of constants took 45 times as long with 32 places per warp as with ' +
        'the array in global memory, which L1 serves by lane; 12 times with 8 places, 3.3 times with two. ' +
        'A single read in a streaming kernel took 2.8 times as long. Where all lanes read one place, ' +
        'constant memory is faster (1.5 times).',
      whenNot: 'Silent where all lanes of a warp read one place, and where data decide the index.',
      fix:
        'Declares the array `__device__` instead of `__constant__` (unsafe: cudaMemcpyToSymbol still fills ' +
        'it, but uniform reads get slower). Offered where each known read differs between the lanes. By ' +
        'hand: copy the table to shared memory, or pass it as a pointer and read it with `__ldg`.',
      references: [
        {
          title: 'CUDA C++ Best Practices Guide, Constant Memory',
          url: 'https://docs.nvidia.com/cuda/cuda-c-best-practices-guide/index.html#constant-memory',
        },
      ],
      measurement: 'h200-rule-pairs',
    },
    evidence: {
      metric:
        'smsp__pcsamp_warps_issue_stalled_mio_throttle + smsp__pcsamp_warps_issue_stalled_short_scoreboard + ' +
        'smsp__pcsamp_warps_issue_stalled_imc_miss',
      against: 'smsp__pcsamp_sample_count',
      badWhen: 'metric / against >= 0.5 and against >= 20',
      noneWhen: 'metric / against < 0.1 and against >= 20',
    },
    messages: {
      divergent:
        'A warp reads {places} places of constant `{array}`. The constant cache serves one place at a ' +
        'time{loop}. Global memory, which L1 serves by lane, is faster here{assuming}.',
    },
    example: { array: 'table', places: '32' },
  },
  on: 'access',
  *check(fact, { model }): Generator<Finding<'divergent'>> {
    // No more places than the array has elements, whatever the lanes' numbers are.
    const elements = fact.array.bytes === undefined ? undefined : Math.floor(fact.array.bytes / fact.elementBytes);
    const places = Math.min(fact.addresses ?? 0, elements ?? Infinity);
    if (fact.space !== 'constant' || places < 2 || fact.certainty === 'unknown') return;
    const isLooped = fact.loops.length > 0;
    if (places < fewPlaces && !isLooped) return;
    const isMuch = !isSetUp(fact, model.facts.access) && isMuchOf(fact, model.facts.access);
    const isHeavy = isMuch && places >= (isLooped ? fewPlaces : manyPlaces);
    yield {
      at: fact.at,
      message: 'divergent',
      ...(isHeavy ? {} : { severity: isMuch && places >= fewPlaces ? ('information' as const) : ('hint' as const) }),
      data: {
        array: fact.array.name,
        places: figure(places),
        loop: isLooped ? ' on each iteration of a loop' : '',
        assuming: assuming(fact.assumed),
      },
      related: fact.trail,
      confidence: fact.certainty === 'proven' ? 'proven' : 'assumed',
      fixes:
        fact.constantAt && isDivergentEverywhere(fact, model.facts.access)
          ? [
              {
                title: titleWith(fact.array.name, (name) => `Move \`${name}\` to global memory (\`__device__\`)`),
                applicability: 'unsafe',
                edits: [{ at: fact.constantAt, newText: '__device__' }],
              },
            ]
          : [],
    };
  },
});

/** A table that is read once before the kernel's loops do the work: true, and nothing that anybody would see. */
function isSetUp({ loops, kernels }: AccessFact, accesses: readonly AccessFact[]): boolean {
  return (
    loops.length === 0 &&
    accesses.some((other) => other.loops.length > 0 && other.kernels.some((kernel) => kernels.includes(kernel)))
  );
}

/** Of the memory instructions of a kernel, those that take their lanes one by one and are so large a part show. */
const muchOf = 0.1;
/** Iterations of a loop of unknown count, and those that are run of it. */
const longTrips = 1000;
const modelledTrips = 3;

/** A table that is copied or read before the loops that do the work is nothing that anybody sees, however long. */
function isMuchOf(fact: AccessFact, accesses: readonly AccessFact[]): boolean {
  const others = accesses.filter((other) => other.kernels.some((kernel) => fact.kernels.includes(kernel)));
  return instructionsOf(fact) >= muchOf * others.reduce((sum, other) => sum + instructionsOf(other), 0);
}
function instructionsOf({ executions, loops }: AccessFact): number {
  return loops.reduce(
    (product, { trips = longTrips, modelled }) =>
      product * Math.max(1, trips / (modelled ?? (trips === longTrips ? modelledTrips : trips))),
    executions,
  );
}

function isDivergentEverywhere({ constantAt }: AccessFact, accesses: readonly AccessFact[]): boolean {
  return accesses.every(
    (other) =>
      other.constantAt?.uri !== constantAt!.uri ||
      other.constantAt.start !== constantAt!.start ||
      (other.addresses ?? 0) >= 2,
  );
}
