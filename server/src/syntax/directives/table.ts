// The words of OpenACC 3.3 and where they may stand: directives, clauses, what their parentheses hold.

/** What is in a clause's parentheses. */
export type ArgumentForm =
  | 'none'
  | 'condition'
  | 'expression'
  | 'expressions'
  | 'async'
  | 'wait'
  | 'variables'
  | 'reduction'
  | 'device-types'
  | 'default'
  | 'sizes'
  | 'count'
  | 'gang'
  | 'name'
  | 'optional-condition';

export interface ClauseEntry {
  readonly name: string;
  readonly form: ArgumentForm;
  /** The parentheses may be left out, or there are none. */
  readonly parentheses: 'required' | 'optional' | 'none';
  /** Words before a colon, those of 3.4 and of compilers among them. */
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
  /** Of Fortran's `end` directive. */
  readonly end: 'required' | 'optional' | 'none';
  readonly since?: string;
}

const clauseRows: readonly (readonly [
  string,
  ArgumentForm,
  ClauseEntry['parentheses'],
  (string | undefined)?,
  (readonly string[])?,
])[] = [
  ['if', 'condition', 'required'],
  ['self', 'optional-condition', 'optional', '2.7'],
  ['async', 'async', 'optional'],
  ['wait', 'wait', 'optional', undefined, ['devnum', 'queues']],
  ['num_gangs', 'expressions', 'required'],
  ['num_workers', 'expression', 'required'],
  ['vector_length', 'expression', 'required'],
  ['device_type', 'device-types', 'required'],
  ['default', 'default', 'required'],
  ['copy', 'variables', 'required', undefined, ['always', 'alwaysin', 'alwaysout', 'capture']],
  ['copyin', 'variables', 'required', undefined, ['readonly', 'always', 'alwaysin', 'capture']],
  ['copyout', 'variables', 'required', undefined, ['zero', 'always', 'alwaysout', 'capture']],
  ['create', 'variables', 'required', undefined, ['zero', 'capture']],
  ['no_create', 'variables', 'required', '2.7'],
  ['present', 'variables', 'required'],
  ['deviceptr', 'variables', 'required'],
  ['attach', 'variables', 'required', '2.6'],
  ['detach', 'variables', 'required', '2.6'],
  ['delete', 'variables', 'required'],
  ['private', 'variables', 'required'],
  ['firstprivate', 'variables', 'required'],
  ['reduction', 'reduction', 'required'],
  ['collapse', 'count', 'required', undefined, ['force']],
  ['gang', 'gang', 'optional', undefined, ['num', 'dim', 'static']],
  ['worker', 'expression', 'optional', undefined, ['num']],
  ['vector', 'expression', 'optional', undefined, ['length']],
  ['seq', 'none', 'none'],
  ['independent', 'none', 'none'],
  ['auto', 'none', 'none'],
  ['tile', 'sizes', 'required'],
  ['use_device', 'variables', 'required'],
  ['if_present', 'none', 'none', '2.6'],
  ['finalize', 'none', 'none', '2.5'],
  ['host', 'variables', 'required'],
  ['device', 'variables', 'required'],
  ['device_num', 'expression', 'required', '2.5'],
  ['default_async', 'async', 'required', '2.5'],
  ['bind', 'name', 'required'],
  ['nohost', 'none', 'none'],
  ['device_resident', 'variables', 'required'],
  ['link', 'variables', 'required'],
  ['read', 'none', 'none'],
  ['write', 'none', 'none'],
  ['update', 'none', 'none'],
  ['capture', 'none', 'none'],
];

export const clauses: ReadonlyMap<string, ClauseEntry> = new Map(
  clauseRows.map(([name, form, parentheses, since, modifiers]) => [
    name,
    { name, form, parentheses, modifiers: modifiers ?? [], ...(since && { since }) },
  ]),
);

/** Clauses that are not of the standard; they are known, and nothing is said of them. */
export const vendorClauses: ReadonlySet<string> = new Set([
  'shortloop',
  'unroll',
  'mirror',
  'reflected',
  'updatein',
  'updateout',
  'local',
  'pipeline',
]);

/** Other spellings, some of them deprecated, by their clause. */
export const aliases: ReadonlyMap<string, string> = new Map([
  ['dtype', 'device_type'],
  ...['copy', 'copyin', 'copyout', 'create'].flatMap((name): [string, string][] => [
    [`p${name}`, name],
    [`present_or_${name}`, name],
  ]),
]);

const data = ['copy', 'copyin', 'copyout', 'create', 'no_create', 'present', 'deviceptr', 'attach'];
const compute = ['async!', 'wait', 'device_type', 'if!', 'self!', 'default!', ...data];
const sizes = ['num_gangs!', 'num_workers!', 'vector_length!'];
const loop = [
  'collapse!',
  'gang!',
  'worker!',
  'vector!',
  'seq!',
  'independent!',
  'auto!',
  'tile!',
  'device_type',
  'private',
  'reduction',
  'shortloop',
];
const afterTypes = ['async', 'wait', 'device_type'];
const afterTypesOfSizes = [...afterTypes, 'num_gangs', 'num_workers', 'vector_length'];
const afterTypesOfLoop = loop
  .map((name) => name.replace('!', ''))
  .filter((name) => name !== 'private' && name !== 'reduction');
const loopExclusive = [['seq', 'independent', 'auto']];

interface Row {
  readonly clauses: readonly string[]; // `!` at the end: once
  readonly association: DirectiveEntry['association'];
  readonly end: DirectiveEntry['end'];
  readonly after?: readonly string[];
  readonly required?: readonly string[];
  readonly exclusive?: readonly (readonly string[])[];
  readonly argument?: DirectiveEntry['argument'];
  readonly argumentForm?: ArgumentForm;
  readonly since?: string;
}

const directiveRows: Readonly<Record<string, Row>> = {
  parallel: {
    clauses: [...compute, ...sizes, 'private', 'firstprivate', 'reduction'],
    association: 'block',
    end: 'required',
    after: afterTypesOfSizes,
  },
  serial: {
    clauses: [...compute, 'private', 'firstprivate', 'reduction'],
    association: 'block',
    end: 'required',
    after: afterTypes,
    since: '2.6',
  },
  kernels: { clauses: [...compute, ...sizes], association: 'block', end: 'required', after: afterTypesOfSizes },
  loop: { clauses: loop, association: 'loop', end: 'optional', after: afterTypesOfLoop, exclusive: loopExclusive },
  'parallel loop': {
    clauses: [...compute, ...sizes, 'firstprivate', ...loop],
    association: 'loop',
    end: 'optional',
    after: [...afterTypesOfSizes, ...afterTypesOfLoop],
    exclusive: loopExclusive,
  },
  'serial loop': {
    clauses: [...compute, 'firstprivate', ...loop],
    association: 'loop',
    end: 'optional',
    after: [...afterTypes, ...afterTypesOfLoop],
    exclusive: loopExclusive,
    since: '2.6',
  },
  'kernels loop': {
    clauses: [...compute, ...sizes, ...loop],
    association: 'loop',
    end: 'optional',
    after: [...afterTypesOfSizes, ...afterTypesOfLoop],
    exclusive: loopExclusive,
  },
  data: {
    clauses: ['if!', 'async!', 'wait', 'device_type', 'default!', ...data],
    association: 'block',
    end: 'required',
    after: afterTypes,
    required: [...data, 'default'],
  },
  'enter data': {
    clauses: ['if!', 'async!', 'wait', 'copyin', 'create', 'attach'],
    association: 'standalone',
    end: 'none',
    required: ['copyin', 'create', 'attach'],
  },
  'exit data': {
    clauses: ['if!', 'async!', 'wait', 'copyout', 'delete', 'detach', 'finalize'],
    association: 'standalone',
    end: 'none',
    required: ['copyout', 'delete', 'detach'],
  },
  host_data: {
    clauses: ['use_device', 'if!', 'if_present'],
    association: 'block',
    end: 'required',
    required: ['use_device'],
  },
  cache: { clauses: [], association: 'standalone', end: 'none', argument: 'required', argumentForm: 'variables' },
  atomic: {
    clauses: ['read!', 'write!', 'update!', 'capture!', 'if!'],
    association: 'block',
    end: 'optional',
    exclusive: [['read', 'write', 'update', 'capture']],
  },
  declare: {
    clauses: ['copy', 'copyin', 'copyout', 'create', 'present', 'deviceptr', 'device_resident', 'link'],
    association: 'declaration',
    end: 'none',
    required: ['copy', 'copyin', 'copyout', 'create', 'present', 'deviceptr', 'device_resident', 'link'],
  },
  init: { clauses: ['device_type', 'device_num!', 'if!'], association: 'standalone', end: 'none', since: '2.5' },
  shutdown: { clauses: ['device_type', 'device_num!', 'if!'], association: 'standalone', end: 'none', since: '2.5' },
  set: {
    clauses: ['default_async!', 'device_num!', 'device_type!', 'if!'],
    association: 'standalone',
    end: 'none',
    required: ['default_async', 'device_num', 'device_type'],
    since: '2.5',
  },
  update: {
    clauses: ['async!', 'wait', 'device_type', 'if!', 'if_present', 'self', 'host', 'device'],
    association: 'standalone',
    end: 'none',
    after: afterTypes,
    required: ['self', 'host', 'device'],
  },
  wait: {
    clauses: ['async!', 'if!'],
    association: 'standalone',
    end: 'none',
    argument: 'optional',
    argumentForm: 'wait',
  },
  routine: {
    clauses: ['gang!', 'worker!', 'vector!', 'seq!', 'bind!', 'device_type', 'nohost!'],
    association: 'routine',
    end: 'none',
    after: ['gang', 'worker', 'vector', 'seq', 'bind', 'device_type'],
    exclusive: [['gang', 'worker', 'vector', 'seq']],
    argument: 'optional',
    argumentForm: 'name',
  },
};

export const directives: ReadonlyMap<string, DirectiveEntry> = new Map(
  Object.entries(directiveRows).map(([name, row]): [string, DirectiveEntry] => [
    name,
    {
      name,
      association: row.association,
      end: row.end,
      requiredOneOf: row.required ?? [],
      exclusive: row.exclusive ?? [],
      argument: row.argument ?? 'none',
      argumentForm: row.argumentForm ?? 'none',
      clauses: new Map(
        row.clauses.map((each): [string, 'once' | 'often'] =>
          each.endsWith('!') ? [each.slice(0, -1), 'once'] : [each, 'often'],
        ),
      ),
      ...(row.after && { afterDeviceType: new Set(row.after) }),
      ...(row.since && { since: row.since }),
    },
  ]),
);

/** Names of `end` directives by what they end; Fortran alone has them. */
export const endDirectives: ReadonlyMap<string, string> = new Map(
  [...directives.values()].filter((each) => each.end !== 'none').map((each) => [`end ${each.name}`, each.name]),
);

/** Fortran's operators of reductions, by the C operator of the same meaning. */
export const reductionOperators: Readonly<Record<'c' | 'fortran', Readonly<Record<string, string>>>> = {
  c: { '+': '+', '*': '*', max: 'max', min: 'min', '&': '&', '|': '|', '^': '^', '&&': '&&', '||': '||' },
  fortran: {
    '+': '+',
    '*': '*',
    max: 'max',
    min: 'min',
    iand: '&',
    ior: '|',
    ieor: '^',
    '.and.': '&&',
    '.or.': '||',
    '.eqv.': '==',
    '.neqv.': '!=',
  },
};

/** How a language spells a reduction's operator of C. */
export function operatorSpelling(language: 'c' | 'fortran', operator: string): string {
  const own = Object.entries(reductionOperators[language]).find(([, meant]) => meant === operator);
  return own?.[0] ?? operator;
}

/** Of each row a directive has one clause for a variable. */
export const onePerVariable: readonly (readonly string[])[] = [
  [...data.filter((name) => name !== 'attach'), 'delete', 'firstprivate', 'device_resident', 'link'],
  ['private'],
  ['reduction'],
  ['use_device'],
];

/** Devices that compilers name; others may exist. */
export const deviceTypes = ['nvidia', 'radeon', 'host', 'multicore', 'default', '*'] as const;
export const defaultKinds = ['none', 'present'] as const;

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

/**
 * Words that one compiler takes beyond the standard: nvc holds results against recorded ones by `compare` (PCAST), and
 * the Sunway machines' places data in its cores' memory by the others.
 */
const wordsOfOneCompiler: ReadonlySet<string> = new Set([
  'compare',
  'annotate',
  'swap',
  'swapin',
  'swapout',
  'packin',
  'packout',
  'tilemask',
]);

/** Whether a directive is written for one compiler, whose rules are its own. */
export function isOfOneCompiler(words: readonly string[]): boolean {
  return words.some((word) => wordsOfOneCompiler.has(word.toLowerCase()));
}
