// What reading one file may take: work and memory are counted, not timed, so that the same text is cut short at the
// same place everywhere.

/**
 * - `expansion`: tokens that macros bring in or that are looked at again on the way, characters of pasted and quoted
 *   text an eighth.
 * - `macros`: effects of definitions that an included file hands to the files that include it.
 * - `includes`: included files, each time that one is included.
 * - `text`: characters of included files, once for each result that reading one has.
 * - `parsing`: characters given to the parser, each attempt counted, and a fixed price for each top-level item.
 * - `tokens`: tokens of one file, as written; more of them are not read.
 * - `functions`: functions with a body, of one file or of all that it includes; each is run, or searched for patterns.
 * - `nesting`: namespaces within each other, or qualifying one name; never more than the limit at once.
 */
export type Resource = 'expansion' | 'macros' | 'includes' | 'text' | 'tokens' | 'parsing' | 'functions' | 'nesting';
export type Amounts = Readonly<Record<Resource, number>>;

/** What one part of the reading did to the budget. */
export interface Reading {
  /** Taken when it began. */
  readonly before: Amounts;
  readonly cost: Amounts;
  readonly exceeded: ReadonlySet<Resource>;
  /** It was given all that it asked for. */
  readonly whole: boolean;
}

export interface ReadingBudget {
  /** Takes so much of a resource. False once it is used up: whatever it was for is left undone. */
  take(resource: Resource, amount: number): boolean;
  /** What was taken so far, of every resource. */
  taken(): Amounts;
  /**
   * Takes what another reading took, when its result serves again. False, and nothing is taken, where the reading would
   * come to something else: of one that was refused nothing where less is left, else where not just as much is.
   */
  takeAgain(reading: Reading): boolean;
  /** Notes that something was cut short. */
  exceed(resource: Resource): void;
  /** Does some work, and says what it took. */
  during<T>(work: () => T): { readonly result: T; readonly reading: Reading };
  /** The resources of which there was not enough. */
  exceeded(): ReadonlySet<Resource>;
}

/** Several times what the largest files of real projects take (robustness.md): seconds of work at most. */
export const readingLimits: Amounts = {
  expansion: 1_500_000,
  macros: 8_000_000,
  includes: 2_000,
  text: 12_000_000,
  tokens: 1_000_000,
  parsing: 16_000_000,
  functions: 5_000,
  nesting: 256,
};

/**
 * What a file includes may be more than itself. The headers of PyTorch and CUDA are 41,000 inclusions of 4,500 files,
 * 17 million characters with 12,600 functions; of these only those that are called are run.
 */
export const limitsOfIncludes: Amounts = {
  ...readingLimits,
  expansion: 10_000_000,
  includes: 120_000,
  text: 40_000_000,
  parsing: 40_000_000,
  functions: 100_000,
};

/** Procedures, and directives, that are read of one Fortran file. */
export const mostOfFortran = { procedures: 10_000, directives: 10_000 } as const;

/** One sentence on what was left out of a Fortran file. */
export function sayFortranExcess(what: 'procedures' | 'directives'): string {
  return (
    `Warplens read only a part of this file: it has more than ${mostOfFortran[what]} ${what}, ` +
    'and those after them were left out.'
  );
}

export function mapAmounts(amount: (resource: Resource) => number): Amounts {
  const resources = Object.keys(readingLimits) as Resource[];
  return Object.fromEntries(resources.map((resource) => [resource, amount(resource)])) as Amounts;
}

export function makeReadingBudget(limits: Amounts = readingLimits): ReadingBudget {
  const taken: Record<Resource, number> = { ...mapAmounts(() => 0) };
  let exceeded = new Set<Resource>();
  let refusals = 0;
  const take = (resource: Resource, amount: number): boolean => {
    if (taken[resource] + amount > limits[resource]) {
      exceeded.add(resource);
      refusals++;
      return false;
    }
    taken[resource] += amount;
    return true;
  };
  return {
    take,
    taken: () => ({ ...taken }),
    takeAgain({ before, cost, exceeded: within, whole }) {
      const resources = Object.keys(cost) as Resource[];
      const differs = (resource: Resource): boolean =>
        whole ? taken[resource] + cost[resource] > limits[resource] : taken[resource] !== before[resource];
      if (resources.some(differs)) return false;
      for (const resource of resources) taken[resource] += cost[resource];
      for (const resource of within) exceeded.add(resource);
      if (!whole) refusals++;
      return true;
    },
    during(work) {
      const before = { taken: { ...taken }, exceeded, refusals };
      exceeded = new Set();
      const result = work();
      const within = exceeded;
      exceeded = new Set([...before.exceeded, ...within]);
      return {
        result,
        reading: {
          before: before.taken,
          cost: mapAmounts((resource) => taken[resource] - before.taken[resource]),
          exceeded: within,
          whole: refusals === before.refusals,
        },
      };
    },
    exceed: (resource) => {
      exceeded.add(resource);
    },
    exceeded: () => exceeded,
  };
}

const sentences: Readonly<Record<Resource, string>> = {
  expansion: 'macros expand to more than Warplens follows: calls of them stand as they were written',
  macros: 'includes define too many macros over and over: some includes were left out',
  includes: `files are included more than ${limitsOfIncludes.includes} times: the rest was left out`,
  text: `included files hold more than ${limitsOfIncludes.text / 1_000_000} million characters: the rest was left out`,
  tokens:
    `a file holds more than ${readingLimits.tokens / 1_000_000} million words and signs, or 3 ` +
    'million characters: the rest of it was left out',
  functions: 'there are more functions than Warplens follows: those after them were left out',
  parsing: 'there is more code than Warplens parses for one file: the items after that were left out',
  nesting: `namespaces nest more than ${readingLimits.nesting} deep: the names of the inner ones were left out`,
};

/**
 * One sentence on what was left out of a unit, of its source or of what that includes, as it is said of the source or
 * of a file that was read within the unit; undefined when nothing was.
 */
export function sayExcess(
  own: ReadonlySet<Resource>,
  ofIncludes: ReadonlySet<Resource>,
  saidOf: 'source' | 'included',
): string | undefined {
  const parts = [...new Set([...own, ...ofIncludes])].map((resource) => sentences[resource]);
  if (parts.length === 0) return undefined;
  const where =
    saidOf === 'included'
      ? 'the source that includes this file'
      : own.size > 0
        ? 'this file'
        : 'what this file includes';
  return `Warplens read only a part of ${where}: ${parts.join('; ')}.`;
}
