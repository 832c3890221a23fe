// The words of OpenACC 3.4 and where they may stand: directives, clauses, what their parentheses hold.
import table from './table.json';

/** What is in a clause's parentheses. */
export type ArgumentForm = keyof typeof table.forms;
/** The same in words. */
export const expected: Readonly<Record<ArgumentForm, string>> = table.forms;

export interface ClauseEntry {
  readonly name: string;
  readonly form: ArgumentForm;
  /** The parentheses may be left out, or there are none. */
  readonly parentheses: 'required' | 'optional' | 'none';
  /** Words before a colon. */
  readonly modifiers: readonly string[];
  /** Version of OpenACC that brought the clause, where that is later than 2.0. */
  readonly since?: string;
}

export interface DirectiveEntry {
  readonly name: string;
  readonly association: 'block' | 'loop' | 'standalone' | 'declaration' | 'routine';
  /** The clauses that may stand, with how often: `once` in each device_type segment. */
  readonly clauses: ReadonlyMap<string, 'once' | 'often'>;
  /** Absent: no `device_type` may be there, or it limits nothing. */
  readonly afterDeviceType?: ReadonlySet<string>;
  /** At least one of these must stand. */
  readonly requiredOneOf: readonly string[];
  /** Of each row only one may stand (in a device_type segment). */
  readonly exclusive: readonly (readonly string[])[];
  /** Its own parentheses: `wait(1)`, `cache(a[i])`, `routine(f)`. */
  readonly argument: 'none' | 'optional' | 'required';
  readonly argumentForm: ArgumentForm;
  /** Words before a colon in them. */
  readonly modifiers: readonly string[];
  /** Of Fortran's `end` directive. */
  readonly end: 'required' | 'optional' | 'none';
  readonly since?: string;
}

export const clauses: ReadonlyMap<string, ClauseEntry> = new Map(
  Object.entries(table.clauses as Readonly<Record<string, Partial<ClauseEntry>>>).map(([name, row]) => [
    name,
    { modifiers: [], ...row, name } as ClauseEntry,
  ]),
);

/** Clauses that are not of the standard; they are known, and nothing is said of them. */
export const vendorClauses: ReadonlySet<string> = new Set(table.vendorClauses);

/** Other spellings, some of them deprecated, by their clause. */
export const aliases: ReadonlyMap<string, string> = new Map([
  ...Object.entries(table.aliases),
  ...['copy', 'copyin', 'copyout', 'create'].flatMap((name): [string, string][] => [
    [`p${name}`, name],
    [`present_or_${name}`, name],
  ]),
]);

type Row = Partial<Omit<DirectiveEntry, 'clauses' | 'afterDeviceType'>> & {
  readonly clauses: readonly string[]; // `!` at the end: once
  readonly afterDeviceType?: readonly string[];
};

export const directives: ReadonlyMap<string, DirectiveEntry> = new Map(
  Object.entries(table.directives as unknown as Readonly<Record<string, Row>>).map(([name, row]) => [
    name,
    {
      ...{ requiredOneOf: [], exclusive: [], argument: 'none', argumentForm: 'none', modifiers: [], ...row, name },
      clauses: new Map(row.clauses.map((each) => [each.replace('!', ''), each.endsWith('!') ? 'once' : 'often'])),
      ...(row.afterDeviceType && { afterDeviceType: new Set(row.afterDeviceType) }),
    } as DirectiveEntry,
  ]),
);

/** Names of `end` directives by what they end; Fortran alone has them. */
export const endDirectives: ReadonlyMap<string, string> = new Map(
  [...directives.values()].filter((each) => each.end !== 'none').map((each) => [`end ${each.name}`, each.name]),
);

/** Fortran's operators of reductions, by the C operator of the same meaning. */
export const reductionOperators: Readonly<Record<'c' | 'fortran', Readonly<Record<string, string>>>> =
  table.reductionOperators;

/** How a language spells a reduction's operator of C. */
export function operatorSpelling(language: 'c' | 'fortran', operator: string): string {
  const own = Object.entries(reductionOperators[language]).find(([, meant]) => meant === operator);
  return own?.[0] ?? operator;
}

/** Of each row a directive has one clause for a variable. */
export const onePerVariable: readonly (readonly string[])[] = [
  [...table.data.filter((name) => name !== 'attach'), 'delete', 'private', 'firstprivate', 'device_resident', 'link'],
  ['reduction'],
  ['use_device'],
];

/** Devices that compilers name; others may exist. */
export const deviceTypes = ['nvidia', 'radeon', 'host', 'multicore', 'default', '*'] as const;
export const { defaultKinds } = table;

/** Whether a clause is `self(list)` of update and not the condition of compute constructs. */
export function formOf(
  directive: string,
  clause: ClauseEntry,
): { readonly form: ArgumentForm; readonly parentheses: ClauseEntry['parentheses'] } {
  if (clause.name === 'self' && directive === 'update') return { form: 'variables', parentheses: 'required' };
  if (directive === 'routine' && (clause.name === 'worker' || clause.name === 'vector'))
    return { form: 'none', parentheses: 'none' };
  return clause;
}

/** The modifiers of a clause, or of a directive's own argument; `capture` needs a construct that ends the copy. */
export function modifiersOf(directive: string, name: string): readonly string[] {
  const { modifiers } = clauses.get(name) ?? directives.get(name) ?? { modifiers: [] };
  return / data$/.test(directive) ? modifiers.filter((each) => each !== 'capture') : modifiers;
}

/**
 * Words that one compiler takes beyond the standard: nvc holds results against recorded ones by `compare` (PCAST), and
 * the Sunway machines' places data in its cores' memory by the others.
 */
const wordsOfOneCompiler: ReadonlySet<string> = new Set(table.wordsOfOneCompiler);

/** Whether a directive is written for one compiler, whose rules are its own. */
export function isOfOneCompiler(words: readonly string[]): boolean {
  return words.some((word) => wordsOfOneCompiler.has(word.toLowerCase()));
}
