// What is wrong with a directive by the table: unknown words, misplaced clauses, impossible arguments; nothing where
// compilers differ.
import type { Clause, ClauseArgument, ClauseItem, Directive, DirectiveProblem, Place } from '../procedures';
import { untilSecond } from './begins';
import type { Part } from './parts';
import { onePerSlip, type Piece } from './slips';
import { nearestDirective, nearestWord } from './spelling';
import {
  aliases,
  type ArgumentForm,
  clauses as clauseTable,
  defaultKinds,
  type DirectiveEntry,
  directives as directiveTable,
  endDirectives,
  expected,
  formOf,
  isOfOneCompiler,
  modifiersOf,
  onePerVariable,
  reductionOperators,
} from './table';
import { type CheckContext, fits, type Fix, moved, type Read, removal, replacement, shortened, wholeOf } from './fixes';

/** The problems of a directive in order of their places. */
export function problemsOf(directive: Read, context: CheckContext): DirectiveProblem[] {
  if (isLeftToFill(context) || isOfOneCompiler(context.parts.map(({ word }) => word))) return [];
  const found: DirectiveProblem[] = [];
  const add = (code: DirectiveProblem['code'], at: Place, data: DirectiveProblem['data'], fix?: Fix): void => {
    found.push({
      code,
      at,
      data,
      ...(fix && !context.macro && (directive.language === 'c' || fits(fix, directive, context)) && { fix }),
    });
  };
  checkForm(directive, context, add);
  if (directive.nameAt.start === directive.start && context.nameWords === 0) {
    if (directive.language === 'c' && context.strays.length === 0)
      add('malformed', directive.nameAt, { kind: 'nothing' });
  } else {
    const entry = meantEntry(directive, context);
    if (!directive.known) checkName(directive, context, add);
    else {
      checkOwnArgument(directive, entry, context, add);
      directive.clauses.forEach((clause, number) => checkClause(directive, entry, clause, number, context, add));
    }
    if (directive.known && entry) checkTogether(directive, entry, context, add);
  }
  const sorted = untilSecond(found, directive, context).sort((a, b) => a.at.start - b.at.start);
  // In a macro everything is in one place.
  return context.macro ? sorted : onePerSlip(sorted, piecesOf(directive, context));
}

/** `!$acc ......` and `!$acc end ...` of an exercise, or a page's `directive <clauses>`, for the reader to fill in. */
function isLeftToFill({ parts, strays, textOf }: CheckContext): boolean {
  const words = parts.filter(({ word }) => !/^end$/i.test(word));
  if (words.length) return /^directive$/i.test(words[0]!.word);
  return strays.length > 0 && strays.every(({ start, end }) => /^\.{3,}$/.test(textOf(start, end)));
}

/** The name, the clauses and what belongs to none of them, in order. */
function piecesOf(directive: Read, { parts, strays, nameWords, placeOf, textOf }: CheckContext): Piece[] {
  const piece = ({ start, end }: { readonly start: number; readonly end: number }): Piece => ({
    ...placeOf(start, end),
    text: textOf(start, end),
  });
  const name = { start: directive.nameAt.start, end: directive.nameAt.end, text: '' };
  const own = nameWords > 0 ? parts.slice(0, nameWords).filter(({ open }) => open !== undefined) : [];
  return [name, ...[...own, ...parts.slice(nameWords), ...strays].map(piece)].sort((a, b) => a.start - b.start);
}

/** The table's entry; that of `parallel loop` for `parallel lop`. */
function meantEntry({ name, clauses: [first] }: Read, { isMacro }: CheckContext): DirectiveEntry | undefined {
  const combined = first && !first.known && !isMacro(first.written) ? directiveTable.get(`${name} loop`) : undefined;
  return combined && nearestWord(first!.written, ['loop', ...combined.clauses.keys()]) === 'loop'
    ? combined
    : directiveTable.get(name);
}

/** Whether a Fortran directive has to have its `end`, may have it, or has none. */
export function endOf(directive: Directive): 'required' | 'optional' | 'none' {
  if (directive.name === 'atomic' && directive.clauses.some((clause) => clause.name === 'capture')) return 'required';
  return directiveTable.get(directive.name)?.end ?? 'none';
}

/** What an `end` directive ends: `parallel loop` of `end parallel loop`; undefined for other directives. */
export function endedBy(directive: Directive): string | undefined {
  return directive.language === 'fortran' ? endDirectives.get(directive.name) : undefined;
}

/** The problem of a directive for a loop that none follows. */
export function loopMissing(directive: Directive): DirectiveProblem {
  return { code: 'loop-missing', at: directive.nameAt, data: { directive: directive.name } };
}

const MOST_CLAUSES = 200; // more are not compared with each other

type Add = (code: DirectiveProblem['code'], at: Place, data: DirectiveProblem['data'], fix?: Fix) => void;

function checkForm(directive: Read, { parts, strays, placeOf, textOf, isMacro }: CheckContext, add: Add): void {
  for (const stray of strays)
    add('malformed', placeOf(stray.start, stray.end), {
      kind: 'stray',
      text: textOf(stray.start, stray.end),
      directive: directive.name,
    });
  for (const part of parts) {
    if (part.open !== undefined && part.close === undefined && !isMacro(part.word))
      add('malformed', placeOf(part.open, part.open + 1), {
        kind: 'open',
        clause: part.word,
        directive: directive.name,
      });
  }
}

function checkName(directive: Read, context: CheckContext, add: Add): void {
  const words = context.parts.slice(0, context.nameWords).map((part) => part.word);
  const written = words.join(' ');
  if (words.some(context.isMacro)) return;
  const exact = directiveTable.has(written.toLowerCase()) ? written.toLowerCase() : undefined;
  if (!exact && shouts(written, directive.language, context)) return;
  const nearest = exact ?? nearestDirective(words, directive.language)?.name;
  add(
    'unknown-directive',
    directive.nameAt,
    { word: written, ...(nearest && { nearest }) },
    nearest ? replacement(directive.nameAt, nearest) : undefined,
  );
}

/**
 * Words in capitals are macros as a rule, defined where this parser does not see it: in C, and in Fortran where the
 * rest of the directive is in small letters.
 */
function shouts(word: string, language: 'c' | 'fortran', { parts }: CheckContext): boolean {
  if (word !== word.toUpperCase()) return false;
  return language === 'c' || (parts.length > 1 && parts.some((part) => part.word !== part.word.toUpperCase()));
}

function checkOwnArgument(directive: Read, entry: DirectiveEntry | undefined, context: CheckContext, add: Add): void {
  const { argument } = directive;
  const allowed = entry?.argument ?? 'none';
  if (!argument) {
    if (allowed === 'required')
      add('argument-missing', directive.nameAt, {
        clause: directive.name,
        expected: expected[entry?.argumentForm ?? 'variables'],
      });
    return;
  }
  if (allowed === 'none')
    add(
      'argument-not-allowed',
      argument,
      { clause: directive.name, directive: directive.name },
      removal(
        argument,
        `Remove \`${shortened(context.textOf(argument.start - directive.start, argument.end - directive.start))}\``,
      ),
    );
  else checkArgument(directive, directive.name, entry?.argumentForm ?? 'variables', argument, add);
}

function checkClause(
  directive: Read,
  entry: DirectiveEntry | undefined,
  clause: Clause,
  number: number,
  context: CheckContext,
  add: Add,
): void {
  const { name, written, nameAt, argument } = clause;
  const part = context.parts[context.nameWords + number]!;
  if (context.isMacro(written)) return;
  const directiveName = directive.name;
  if (!clause.known) {
    const exact = clauseTable.has(written.toLowerCase());
    if (!exact && shouts(written, directive.language, context)) return;
    const nearest = exact ? written.toLowerCase() : nearestWord(written, candidatesOf(directive, entry, number));
    add(
      'unknown-clause',
      nameAt,
      { word: written, directive: directiveName, ...(nearest && { nearest }) },
      nearest ? replacement(nameAt, nearest) : undefined,
    );
    return;
  }
  const whole = wholeOf(part, number + context.nameWords, context);
  if (!entry?.clauses.has(name) && clauseTable.has(name)) {
    add(
      'clause-not-allowed',
      nameAt,
      { clause: written, directive: directiveName },
      removal(whole, `Remove \`${shortened(context.textOf(part.start, part.end))}\``),
    );
    return;
  }
  if (entry?.afterDeviceType && clause.deviceTypes && clauseTable.has(name) && !entry.afterDeviceType.has(name)) {
    add(
      'not-after-device-type',
      nameAt,
      { clause: written, directive: directiveName, types: clause.deviceTypes.join(', ') },
      moved(directive, context, part, whole),
    );
  }
  if (!clauseTable.has(name)) return;
  const { form, parentheses } = formOf(directiveName, clauseTable.get(name)!);
  if (!argument) {
    if (parentheses === 'required') add('argument-missing', nameAt, { clause: written, expected: expected[form] });
    return;
  }
  if (part.close === undefined) return;
  if (parentheses === 'none') {
    add(
      'argument-not-allowed',
      argument,
      { clause: written, directive: directiveName },
      removal(argument, `Remove \`${shortened(context.textOf(part.open!, part.end))}\``),
    );
    return;
  }
  checkArgument(directive, written, form, argument, add, name);
  if (name === 'gang') checkLevel(directive, clause, argument, add);
}

/** The words that may have been meant: those which may be here, and a second word of the directive's name. */
function candidatesOf(directive: Read, entry: DirectiveEntry | undefined, number: number): string[] {
  const allowed = entry ? [...entry.clauses.keys()] : [];
  const spellings = [...allowed, ...[...aliases].filter(([, name]) => allowed.includes(name)).map(([alias]) => alias)];
  return number === 0 && directiveTable.has(`${directive.name} loop`) ? ['loop', ...spellings] : spellings;
}

function checkArgument(
  directive: Read,
  written: string,
  form: ArgumentForm,
  argument: ClauseArgument,
  add: Add,
  name = written,
): void {
  const { items } = argument;
  const modifiers = modifiersOf(directive.name, name);
  const wrong = (at: Place, fix?: Fix, wanted?: string): void =>
    add(
      'argument-malformed',
      at,
      {
        clause: written,
        expected:
          wanted ??
          (form === 'expressions' && !/^parallel/.test(directive.name) ? expected.expression : expected[form]),
      },
      fix,
    );
  if ((items.length === 0 && !argument.operator) || items.some((item) => item.text === '')) {
    wrong(argument);
    return;
  }
  for (const { name: modifier, at } of argument.modifiers) {
    if (modifiers.includes(modifier) || form === 'reduction' || form === 'condition' || form === 'optional-condition')
      continue;
    const nearest = nearestWord(modifier, modifiers);
    add(
      'modifier-not-allowed',
      at,
      { modifier, clause: written, ...(nearest && { nearest }) },
      nearest ? replacement(at, nearest) : undefined,
    );
  }
  const one = items[0]!;
  switch (form) {
    case 'variables':
      for (const item of items) if (item.text === '*' || isNoVariable(item)) wrong(item);
      break;
    case 'condition':
    case 'optional-condition':
    case 'async':
      if (items.length !== 1) wrong(argument.inner);
      break;
    case 'expression':
    case 'count':
      if (items.length !== 1 || one.text === '*') wrong(argument.inner);
      else if (
        (isBelowOne(one) && written.toLowerCase() !== 'device_num') ||
        (form === 'count' && one.value?.kind === 'number' && !one.value.integer)
      )
        wrong(one, undefined, 'a positive number');
      break;
    case 'expressions':
      if (items.length > (/^parallel/.test(directive.name) ? 3 : 1)) wrong(argument.inner);
      for (const item of items) if (isBelowOne(item)) wrong(item, undefined, 'a positive number');
      break;
    case 'default': {
      const kind = one.text.toLowerCase();
      if (items.length === 1 && defaultKinds.includes(directive.language === 'c' ? one.text : kind)) break;
      const nearest = items.length === 1 ? nearestWord(kind, defaultKinds) : undefined;
      wrong(argument.inner, nearest ? replacement(argument.inner, nearest) : undefined);
      break;
    }
    case 'reduction':
      checkReduction(directive, written, argument, add);
      break;
    case 'gang':
      for (const { name, item } of argument.modifiers) {
        const value = name === 'dim' && item !== undefined ? items[item]?.value : undefined;
        if (value?.kind === 'number' && !(value.integer && value.value >= 1 && value.value <= 3))
          wrong(items[item!]!, undefined, 'dimension 1, 2 or 3 after `dim:`');
      }
      break;
    case 'name':
      // some compilers take several names for routine
      if (items.length !== 1 && written.toLowerCase() === 'bind') wrong(argument.inner);
      break;
    default:
  }
}

function checkReduction(directive: Read, written: string, argument: ClauseArgument, add: Add): void {
  const known = reductionOperators[directive.language];
  // An argument that the grammar could not read has its operator in the first item's text.
  const { operator } = argument;
  const unread =
    operator === undefined ? /^([^\s:]+)\s*:/.exec(argument.items[0]?.text ?? '')?.[1]?.toLowerCase() : undefined;
  const list = Object.keys(known)
    .map((each) => `\`${each}\``)
    .join(', ');
  if (operator === undefined && unread === undefined) {
    add('argument-malformed', argument.inner, { clause: written, expected: expected.reduction });
    return;
  }
  // Compilers take `-` for a sum, as OpenMP did.
  if (operator === undefined ? unread! in known : Object.values(known).includes(operator) || operator === '-') {
    for (const item of argument.items)
      if (isNoVariable(item)) add('argument-malformed', item, { clause: written, expected: expected.variables });
    return;
  }
  add('argument-malformed', argument.inner, { clause: written, expected: `one of the operators ${list}` });
}

/** The arguments that `gang` has nowhere on these directives. */
const unsuited: Readonly<Record<string, readonly string[]>> = {
  'parallel loop': ['num'],
  'serial loop': ['num', 'dim'],
  'kernels loop': ['dim'],
  routine: ['num', 'static'],
};

/** `gang(n)` is for kernels: with parallel, the construct has the sizes. What is around a lone loop is not known. */
function checkLevel(directive: Read, clause: Clause, argument: ClauseArgument, add: Add): void {
  const forbidden = unsuited[directive.name] ?? [];
  argument.items.forEach((item, number) => {
    const modifier = argument.modifiers.find((each) => each.item === number)?.name ?? 'num';
    if (forbidden.includes(modifier))
      add('argument-not-allowed', item, { clause: clause.written, directive: directive.name });
  });
}

function checkTogether(directive: Read, entry: DirectiveEntry, context: CheckContext, add: Add): void {
  const { clauses } = directive;
  if (clauses.length > MOST_CLAUSES) return;
  let segment = 0;
  const segments = clauses.map((clause) => (clause.name === 'device_type' ? ++segment : segment));
  const seen = new Map<string, number>();
  clauses.forEach((clause, number) => {
    if (entry.clauses.get(clause.name) !== 'once') return;
    // `num_gangs[0](n)` of another dialect is reported for its form; which of two such clauses is too much is unknown.
    const part = context.parts[context.nameWords + number]!;
    if (/^\w+\s*\[/.test(context.textOf(part.start, part.end + 8))) return;
    const key = `${clause.name === 'device_type' ? 0 : segments[number]} ${clause.name}`;
    const before = seen.get(key);
    if (before === undefined) {
      seen.set(key, number);
      return;
    }
    const bare = ({ start, end }: Part): string => context.textOf(start, end).replace(/\s/g, '');
    const same = bare(part) === bare(context.parts[context.nameWords + before]!);
    add(
      'clause-repeated',
      clause.nameAt,
      { clause: clause.written, directive: directive.name },
      same
        ? {
            ...removal(
              wholeOf(part, context.nameWords + number, context),
              `Remove the second \`${shortened(context.textOf(part.start, part.end))}\``,
            ),
            safe: true,
          }
        : undefined,
    );
  });
  const conflict = (first: readonly string[], second: readonly string[]): void => {
    clauses.forEach((clause, number) => {
      if (!second.includes(clause.name)) return;
      const other = clauses.find(
        (each, index) =>
          index < number &&
          segments[index] === segments[number] &&
          first.includes(each.name) &&
          each.name !== clause.name,
      );
      if (other)
        add('clauses-conflict', clause.nameAt, {
          clause: clause.written,
          other: other.written,
          directive: directive.name,
        });
    });
  };
  for (const row of entry.exclusive) conflict(row, row);
  for (const row of onePerVariable) checkItems(directive, row, add);
  if (entry.association === 'loop') {
    conflict(['seq'], ['gang', 'worker', 'vector']);
    conflict(['gang', 'worker', 'vector'], ['seq']);
  }
  const required = entry.requiredOneOf; // Of `data update device(a)` both clauses are reported already: one mistake.
  if (
    required.length > 0 &&
    !clauses.some((clause) => required.includes(clause.name) || !clause.known || !entry.clauses.has(clause.name)) &&
    context.strays.length === 0
  ) {
    const named = required.map((each) => `\`${each}\``);
    add('clause-missing', directive.nameAt, {
      directive: directive.name,
      clauses:
        named.length === 1 ? named[0]! : `one of ${named.slice(0, -1).join(', ')} and ${named[named.length - 1]!}`,
    });
  }
}

/** A variable in two clauses of a row, or twice in one; parts of an array may be there apart. */
function checkItems({ clauses, language }: Read, row: readonly string[], add: Add): void {
  const seen = new Map<string, { readonly text: string; readonly clause: Clause }>();
  for (const clause of clauses.filter(({ name }) => row.includes(name)))
    for (const item of clause.argument?.items.filter(({ text }) => text !== '') ?? []) {
      const bare = item.text.replace(/\s/g, '');
      const text = language === 'c' ? bare : bare.toLowerCase();
      const key = /^([\w$.%>-]+)(?:[([][^%.>]*)?$/.exec(text)?.[1] ?? text;
      const before = seen.get(key);
      if (!before) seen.set(key, { text, clause });
      else if (before.clause.name !== clause.name || before.text === text)
        add('item-repeated', item, { variable: key, clause: clause.written, other: before.clause.written });
    }
}

// ---- places and edits -----------------------------------------------------------------------------------------------

function isNoVariable({ value }: ClauseItem): boolean {
  return (
    value !== undefined &&
    (value.kind === 'number' ||
      value.kind === 'binary' ||
      value.kind === 'conditional' ||
      value.kind === 'section' ||
      (value.kind === 'unary' && value.op !== '&' && value.op !== '*'))
  );
}

function isBelowOne({ value }: ClauseItem): boolean {
  if (value?.kind === 'unary' && value.op === '-') return value.operand.kind === 'number';
  return value?.kind === 'number' && value.value < 1;
}
